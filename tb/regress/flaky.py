# SPDX-License-Identifier: Apache-2.0
"""Flaky cases: both verdicts on equal hashes of everything that a result depends on.

A seed reproduces a run exactly. What passes and fails on equal hashes is therefore a fault of a machine, or of a bench or model
that reads the clock or other state. Results whose hashes are not known or differ are never held against each other.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.store import Run, Store
from goldbeat.tb.regress.tools import TOOLS

Fault = Literal["machine", "bench"]
_HASH = re.compile(r"^[0-9a-f]{16}$")
_PATHS = ("index", "source", "inputs")
"""Of an item: its place in the plan, and paths, whose content counts."""
_SHOWN = 3
_MOST_READ = 25
"""Results of each verdict on equal hashes that are read, the newest."""


@dataclass(frozen=True)
class FlakyCase:
    """A case with both verdicts on equal hashes.

    Attributes:
        key: the case.
        passed, failed: its results of each kind with these hashes, the newest 25 of each.
        fault: of what.
        evidence: why, for people.
        runs: the newest run of each verdict: passes, fails.
        identity: hash of everything that the results have in common.
    """

    key: str
    passed: int
    failed: int
    fault: Fault
    evidence: str
    runs: tuple[int, int]
    identity: str


@dataclass(frozen=True)
class _Seen:
    """One result.

    Attributes:
        traffic: hash of what the bench drove; None: nothing was judged.
        trace: hash of everything recorded; None: not every episode ended.
        before: number of cases that ran before it in its simulator process; of failures only.
    """

    run: int
    status: Status
    host: str
    traffic: str | None
    trace: str | None
    before: int


def find_flaky(store: Store, runs: Sequence[Run], wavering: Mapping[str, str]) -> list[FlakyCase]:
    """The flaky cases among those with both verdicts.

    Args:
        store: where the runs are.
        runs: the oldest first.
        wavering: by case, its verdict in each run, as :class:`goldbeat.tb.regress.history.RecordedCase` has them.
    """
    known = {run.id: found for run in runs if (found := _hashes_of(run)) is not None}
    hosts = {run.id: run.host for run in runs}
    flaky = []
    groups: dict[str, _Alike] = {}
    for key, verdicts in wavering.items():
        told = {
            run.id: verdict for run, verdict in zip(runs, verdicts, strict=True) if run.id in known and verdict in "pf"
        }
        if set(told.values()) != {"p", "f"}:
            continue
        # All seeds of a case have the same files.
        group = key.rpartition("#")[0]
        if group not in groups:
            groups[group] = _alike(store.results_of(key, [max(told)])[0][1], known)
        # Most have changed hashes with their verdict, and are left out before their rows are read.
        flaky.append(_find_one(store, key, told, groups[group], known, hosts))
    return [one for one in flaky if one is not None]


class _Alike(NamedTuple):
    """Runs by what a case's hashes were: sets of equal ones, the newest first, and those of machines with other paths."""

    runs: list[list[int]]
    elsewhere: list[int]


def _alike(spec: str, known: Mapping[int, _RunHashes]) -> _Alike:
    """The runs by the hashes of the files that an item names."""
    found: dict[str | None, list[int]] = {}
    for run in sorted(known, reverse=True):
        found.setdefault(known[run].identity(spec), []).append(run)
    elsewhere = found.pop(None, [])
    return _Alike([*found.values(), []], elsewhere)


def _find_one(
    store: Store,
    key: str,
    told: Mapping[int, str],
    alike: _Alike,
    known: Mapping[int, _RunHashes],
    hosts: Mapping[int, str],
) -> FlakyCase | None:
    """The newest results of a case with both verdicts on equal hashes."""
    for some in alike.runs:
        runs = [run for run in (*some, *alike.elsewhere) if run in told]
        if {told[run] for run in runs} != {"p", "f"}:
            continue
        chosen = [run for letter in "pf" for run in [r for r in runs if told[r] == letter][:_MOST_READ]]
        groups: dict[str, list[_Seen]] = {}
        for run, item, result in store.results_of(key, chosen):
            # The item itself may differ, such as in an option.
            if (identity := known[run].identity(item)) is not None:
                groups.setdefault(identity, []).append(_read_seen(run, result, hosts[run]))
        for identity, seen in groups.items():
            if (one := _judged(key, identity, seen)) is not None:
                return one
    return None


@dataclass(frozen=True)
class _RunHashes:
    """What all results of a run depend on, and the hashes of its files by name."""

    common: str
    files: Mapping[str, str]

    def identity(self, spec: str) -> str | None:
        """A hash over everything that the result of an item depends on; None: something is not known."""
        source, inputs, rest = _parts(spec)
        found = [self.files.get(name, "") for name in (source, *(f"input {file}" for _, file in inputs))]
        if not all(map(_HASH.match, found)):
            return None
        return _hash(self.common, *found, *(port for port, _ in inputs), rest)


def _hashes_of(run: Run) -> _RunHashes | None:
    """None for a run of several versions, and for one of a version that did not record its tools."""
    said = run.settings
    if not said.get(TOOLS) or said.get("mixed") or run.facts.get("changed_meanwhile"):
        return None
    common = _hash(run.code, json.dumps(said[TOOLS], sort_keys=True), str(bool(said.get("coverage"))))
    return _RunHashes(common, said.get("files", {}))


@lru_cache(maxsize=100_000)
def _hash(*texts: str) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


@lru_cache(maxsize=100_000)
def _parts(spec: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    """Of an item: what its design's hash is called, its input files by port, and everything else without its place."""
    item = json.loads(spec)
    inputs = tuple(sorted(item.get("inputs", {}).items()))
    rest = {name: value for name, value in item.items() if name not in _PATHS}
    return item.get("source") or item["design"], inputs, json.dumps(rest, sort_keys=True)


def _read_seen(run: int, text: str, master: str) -> _Seen:
    found: dict[str, Any] = json.loads(text)
    host = str(found.get("worker", "")).rpartition(":")[0] or master
    traffic, trace = found.get("traffic"), found.get("trace_hash")
    return _Seen(run, Status(found["status"]), host, traffic, trace, len(found.get("before", ())))


def _judged(key: str, identity: str, seen: Sequence[_Seen]) -> FlakyCase | None:
    """The case, if these results of equal hashes have both verdicts."""
    good, bad = [one for one in seen if one.status.good], [one for one in seen if not one.status.good]
    if not good or not bad:
        return None
    fault, evidence = _fault(good, bad)
    return FlakyCase(key, len(good), len(bad), fault, evidence, (good[-1].run, bad[-1].run), identity)


def _fault(good: Sequence[_Seen], bad: Sequence[_Seen]) -> tuple[Fault, str]:
    """Whose fault it is, and why."""
    passes, fails = Counter(one.host for one in good), Counter(one.host for one in bad)
    traffic = {one.traffic for one in (*good, *bad) if one.traffic is not None}
    if len(traffic) > 1:
        # A machine does not draw other stimuli.
        return (
            "bench",
            f"the stimulus differs at the same seed ({len(traffic)} kinds): the bench reads the clock or other state",
        )
    if not passes.keys() & fails.keys():
        told = [f"{host} fails {count} of {count}" for host, count in fails.most_common(_SHOWN)]
        other = ", ".join(sorted(host for host in passes)[:_SHOWN])
        return "machine", f"{'; '.join(told)}; passes only on {other}"
    both = ", ".join(sorted(host for host in passes.keys() & fails.keys())[:_SHOWN])
    kinds = {one.status for one in bad}
    if kinds == {Status.TIMEOUT}:
        return "machine", f"every failure is a timeout, and it passes on the same host ({both}): the machine was busy"
    if kinds == {Status.CRASH}:
        return "machine", f"every failure is a crash of the simulator, and it passes on the same host ({both})"
    return "bench", f"both verdicts on one host ({both}); {_other_evidence(good, bad)}"


def _other_evidence(good: Sequence[_Seen], bad: Sequence[_Seen]) -> str:
    """What differs between results of one host with the same stimulus."""
    traces = {one.trace for one in (*good, *bad) if one.trace is not None}
    ended = any(one.trace is not None for one in bad)
    if ended and len(traces) == 1:
        return "the recorded traces are the same: the golden model or the check reads the clock or other state"
    after = sum(one.before > 0 for one in bad)
    process = (
        f"; {after} of {len(bad)} failures ran after other cases in one process, see rerun --with-batch"
        if after
        else ""
    )
    return f"the design was driven or observed differently: the bench reads the clock or other state{process}"
