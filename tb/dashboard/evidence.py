# SPDX-License-Identifier: Apache-2.0
"""What has been measured of designs: regressions, obligations, coverage, mutants, synthesis, lint; with date and revision."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goldbeat.pymodels.json_file import read_json
from goldbeat.tb.build.lint import LINT_FILE
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.source_text import read_code
from goldbeat.tb.obligations.summary import PROVEN, VERIFIED, Obligations, counts_text
from goldbeat.tb.paths import plain_name
from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.failure_groups import mismatch_kind
from goldbeat.tb.regress.item import Status
from goldbeat.tb.regress.postgres import store_url
from goldbeat.tb.regress.store import Run, Store
from goldbeat.tb.regress.summary import Gathered, bins_hit
from goldbeat.tb.run.code_coverage import KINDS, Point
from goldbeat.tb.synth.history import VERDICTS

_ASSERTION = re.compile(r"`ASSERT\w*\s*\(|\bassert\s+(?:property|final)?\s*\(|\bcover\s+property")


_LEAST_SAMPLE = 100
"""Mutants that have to be drawn, of a design that has as many."""


@dataclass(frozen=True)
class Fact:
    """Something that was measured.

    Attributes:
        value: the share or number that a criterion looks at.
        text: as the page shows it.
        when: ISO 8601.
        git: revision; empty where it is not known.
        recorded: cases in it that were held against a recording, since no golden model knows their outputs.
    """

    value: float
    text: str
    when: str
    git: str = ""
    recorded: int = 0


@dataclass(frozen=True)
class CaseRun:
    """What one run said of a case.

    Attributes:
        run: which.
        passed, of: seeds and sets of parameters that pass, and all that ran.
        whole: whether the run was a whole suite.
        when, git: of the run.
        recorded: of ``passed``, those that are the same as a recording, without a golden model.
    """

    run: int
    passed: int
    of: int
    whole: bool
    when: str
    git: str
    recorded: int = 0


@dataclass
class CaseHistory:
    """One case in the runs, the oldest first."""

    case: str
    runs: list[CaseRun] = field(default_factory=list)

    @property
    def judged_by(self) -> CaseRun | None:
        """The newest run of a whole suite, or a run behind it that found a failure; None: there is none."""
        for one in reversed(self.runs):
            if one.whole or one.passed < one.of:
                return one
        return None


@dataclass(frozen=True)
class Bucket:
    """Failures of one kind in one run: the same first mismatch but for numbers.

    Attributes:
        run: of the regression.
        design, case: of the first of them.
        mismatch: its first line.
        keys: the cases.
        repeat: the command that runs the first again.
        log: the last lines that its simulator printed.
    """

    run: int
    design: str
    case: str
    mismatch: str
    keys: tuple[str, ...]
    repeat: str
    log: str


@dataclass
class Evidence:
    """What is known of one design.

    Attributes:
        facts: by criterion; what was not measured is not there.
        history: by case.
        buckets: failures of the newest run of each suite.
    """

    facts: dict[str, Fact] = field(default_factory=dict)
    history: dict[str, CaseHistory] = field(default_factory=dict)
    buckets: list[Bucket] = field(default_factory=list)


def gather(found: Sequence[Design], root: Path, runs: int) -> dict[str, Evidence]:
    """Everything that the folder for everything made knows of designs.

    Args:
        found: the designs.
        root: the folder for everything made.
        runs: so many regressions are looked at, the newest.
    """
    evidence = {design.name: Evidence() for design in found}
    if store_url() or (root / "regress" / "results.sqlite").is_file():
        with Store(read_only=True) as store:
            _of_regressions(store, [r for r in store.runs(last=runs) if r.ended], found, evidence)
    lint = _read(root / LINT_FILE) or {}
    for design in found:
        facts = evidence[design.name].facts
        _of_mutants(root / "mutate" / plain_name(design.name) / "mutants.json", facts)
        _of_verify(root / "verify" / plain_name(design.name) / VERIFIED, facts)
        _of_proof(root / "prove" / plain_name(design.name) / PROVEN, facts)
        _of_synthesis(root / "synth" / plain_name(design.name) / VERDICTS, facts)
        if (row := lint.get(design.name)) is not None:
            said = f"{row['found']} findings, {row['variants']} sets of parameters"
            facts["lint"] = Fact(row["found"], said, row["when"], row["git"])
        if count := _assertions(design):
            # The sources as they stand.
            facts["assertions"] = Fact(count, str(count), datetime.now(UTC).isoformat(timespec="seconds"))
    return evidence


def _read(path: Path) -> Any:
    return read_json(path, "figures that can be made again; remove it") if path.is_file() else None


def _written(path: Path) -> str:
    """When a file was written, in ISO 8601."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")


def _assertions(design: Design) -> int:
    texts = map(read_code, design.sources())
    return sum(len(_ASSERTION.findall(text)) for text in texts)


def _of_mutants(path: Path, facts: dict[str, Fact]) -> None:
    result = _read(path)
    if result is None or result["score"] is None:
        return
    if result["parts"] or result["mutants"] < min(result["of"], _LEAST_SAMPLE):
        # Some files, cases or single mutants say nothing of the whole, and neither does a handful.
        return
    counts = result["counts"]
    proven = counts.get("equivalent", 0)
    said = (
        f"{result['score']:.1%} of {result['mutants'] - counts['waived'] - proven} mutants, {counts['waived']} waived"
    )
    said += f", {proven} proven to be equivalent" if proven else ""
    said += f", drawn from {result['of']}" if result["mutants"] < result["of"] else ""
    facts["mutation"] = Fact(result["score"], said, _written(path), result.get("git", ""))


def _of_verify(path: Path, facts: dict[str, Fact]) -> None:
    result = _read(path)
    if result is None:
        return
    counts, failed = result["obligations"], result["status"] == "fail"
    said = f"{counts_text(counts).partition(': ')[2]}{'; it fails' if failed else ''}"
    facts["verify"] = Fact(max(counts["open"], failed), said, _written(path), result.get("git", ""))


def _of_proof(path: Path, facts: dict[str, Fact]) -> None:
    result = _read(path)
    if result is None or not result["properties"]:
        return
    counts = Counter(one["status"] for one in result["properties"])
    said = f"{counts['proven']} of {counts.total()} properties proven"
    said += f", {counts['bounded']} to some cycles" if counts["bounded"] else ""
    said += f", {counts['refuted']} refuted" if counts["refuted"] else ""
    facts["proof"] = Fact(counts["refuted"], said, _written(path), result.get("git", ""))


def _of_synthesis(path: Path, facts: dict[str, Fact]) -> None:
    result = _read(path)
    verdicts = [one for one in (result or {}).values() if one["checks"]]
    if not verdicts:
        return
    bad = sorted({name for one in verdicts for name, passed in one["checks"].items() if not passed})
    said = f"{len(verdicts)} sets of parameters" + (f"; not {', '.join(bad)}" if bad else "")
    oldest = min(verdicts, key=lambda one: str(one["when"]))
    facts["synthesis"] = Fact(len(bad), said, oldest["when"], oldest["git"])


# -- regressions ------------------------------------------------------------------------------------------------------


def _of_regressions(
    store: Store, runs: Sequence[Run], found: Sequence[Design], evidence: Mapping[str, Evidence]
) -> None:
    """Results, coverage and failures of the runs, which come the newest first."""
    seen: set[tuple[str, str]] = set()
    totals: dict[str, _Totals] = {}
    for run in runs:
        rows: dict[str, list[Brief]] = {}
        for row in store.briefs(run.id):
            if row.design in evidence:
                rows.setdefault(row.design, []).append(row)
        functional: Mapping[str, Any] | None = None
        tried = store.obligations(run.id)
        for name, mine in rows.items():
            one = evidence[name]
            _add_history(one, run, mine)
            total = totals.setdefault(name, _Totals())
            total.add(run, mine, store.passed_params(run.id, name))
            total.add_obligations(run, tried.only([name]))
            suite = Path(run.suite).stem
            # A part of a suite is not the suite.
            if (name, suite) not in seen and not _is_part(run):
                seen.add((name, suite))
                one.facts.setdefault(f"suite {suite}", _pass_rate(run, mine))
                one.buckets += _buckets(store, run, mine)
            if "functional" not in one.facts:
                functional = Gathered(store.measured(run.id)).functional if functional is None else functional
                hit, all_bins = bins_hit(functional.get(name, {}))
                if all_bins:
                    one.facts["functional"] = Fact(hit / all_bins, f"{hit} of {all_bins} bins", run.started, run.git)
        if run.settings.get("coverage"):
            _add_code(store, run, [d for d in found if d.name in rows], evidence)
    for design in found:
        if design.name in totals:
            totals[design.name].write(design, evidence[design.name].facts)


@dataclass
class _Totals:
    """What all runs of a design together amount to."""

    cases: int = 0
    cycles: int = 0
    params: dict[str, Run] = field(default_factory=dict)
    oldest: Run | None = None
    obligations: Obligations = field(default_factory=lambda: Obligations({}))
    tried_in: list[Run] = field(default_factory=list)

    def add(self, run: Run, rows: Iterable[Brief], params: Iterable[Mapping[str, Any]]) -> None:
        """A run that is older than those before it."""
        for row in rows:
            # What is the same as a recording was not compared with a model.
            if row.status is Status.PASS:
                self.cases += 1
                self.cycles += row.cycles
                self.oldest = run
        for one in params:
            self.params.setdefault(_set_name(one), run)

    def add_obligations(self, run: Run, found: Obligations) -> None:
        """What a run has tried, if it is of the revision of the newest run that has counted it."""
        known = {one.git for one in self.tried_in}
        if found.counts["all"] and (not known or (run.git in known and _is_one(run.git))):
            self.obligations = self.obligations.merged(found)
            self.tried_in.append(run)

    def write(self, design: Design, facts: dict[str, Fact]) -> None:
        """Facts are as old as the oldest run that they need."""
        if self.oldest is not None:
            said = f"{self.cycles:,} cycles in {self.cases:,} passing cases"
            facts["soak"] = Fact(self.cycles, said, self.oldest.started, self.oldest.git)
        if self.tried_in:
            oldest, counts = self.tried_in[-1], self.obligations.counts
            said = counts_text(counts).partition(": ")[2]
            facts["obligations"] = Fact(counts["open"], said, oldest.started, oldest.git)
        ran = [self.params[name] for name in map(_set_name, design.variants) if name in self.params]
        if ran:
            oldest = min(ran, key=lambda run: run.id)
            said = f"{len(ran)} of {len(design.variants)} sets"
            facts["parameters"] = Fact(len(ran), said, oldest.started, oldest.git)


def _is_one(git: str) -> bool:
    """Whether runs of this revision are of the same sources."""
    return bool(git) and git != "unknown" and not git.endswith("+")


def _set_name(params: Mapping[str, Any]) -> str:
    return json.dumps(params, sort_keys=True, default=list)


def _is_part(run: Run) -> bool:
    """The run has not run a whole suite."""
    return bool({"filters", "shard", "rerun"} & run.settings.keys()) or run.left_out > 0


def _pass_rate(run: Run, rows: Sequence[Brief]) -> Fact:
    passed = sum(row.passed for row in rows)
    recorded = sum(row.status is Status.RECORDED for row in rows)
    said = f"{passed - recorded} of {len(rows)} pass" + (f", {recorded} the same as recorded" if recorded else "")
    return Fact(passed / len(rows), f"{said} (run {run.id})", run.started, run.git, recorded)


def _add_history(one: Evidence, run: Run, rows: Iterable[Brief]) -> None:
    counts: dict[str, list[int]] = {}
    for row in rows:
        if row.status is None and run.left_out:
            continue
        count = counts.setdefault(row.case, [0, 0, 0])
        count[0] += row.passed
        count[1] += 1
        count[2] += row.status is Status.RECORDED
    for case, (passed, total, recorded) in counts.items():
        entry = CaseRun(run.id, passed, total, not _is_part(run), run.started, run.git, recorded)
        one.history.setdefault(case, CaseHistory(case)).runs.insert(0, entry)


def _buckets(store: Store, run: Run, rows: Sequence[Brief]) -> list[Bucket]:
    kinds: dict[str, list[Brief]] = {}
    for row in rows:
        if row.status is not None and not row.passed:
            kinds.setdefault(mismatch_kind(row.mismatch), []).append(row)
    found = []
    for members in kinds.values():
        first = members[0]
        result = store.find(run.id, first.key).result
        log = "" if result is None else "\n".join(result.log.splitlines()[-8:])
        keys = tuple(row.key for row in members)
        found.append(Bucket(run.id, first.design, first.case, first.mismatch, keys, run.repeat(first.key), log))
    return found


def _add_code(store: Store, run: Run, found: Sequence[Design], evidence: Mapping[str, Evidence]) -> None:
    """Code coverage of each design's own sources, by kind."""
    points = [(Point.of(text), hits) for text, hits in store.coverage(run.id).items()]
    for design in found:
        facts = evidence[design.name].facts
        files = {str(path) for path in design.sources()}
        mine = [(p, hits) for p, hits in points if p.file in files]
        for kind in KINDS:
            hits = [h for p, h in mine if p.kind == kind]
            if hits and f"code {kind}" not in facts:
                share = sum(1 for h in hits if h) / len(hits)
                said = f"{share:.1%} of {len(hits)}"
                facts[f"code {kind}"] = Fact(share, said, run.started, run.git)
