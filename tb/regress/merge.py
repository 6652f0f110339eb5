# SPDX-License-Identifier: Apache-2.0
"""Shards of a regression, from files of other machines, as one run of this project (``goldbeat merge``).

The files may come from anywhere. Nothing of them is run; what does not fit is refused with both sides before anything is
kept. A merge is one transaction. The same shards merged again change nothing, and shards that come later complete the run.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import NonNegativeInt, StringConstraints, TypeAdapter, ValidationError

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.validation import first_mistake
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.regress.budget import limited_status
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.plan import MOST_PLANNED
from goldbeat.tb.regress.quarantine import quarantined
from goldbeat.tb.regress.quarantine_file import QUARANTINE, entries_of
from goldbeat.tb.regress.recorded import MergedSettings, MergedShard, ShardSettings
from goldbeat.tb.regress.run import status_of
from goldbeat.tb.regress.shard import PLACES, moved, plan_hash, roots, shard_of
from goldbeat.tb.regress.store import INCOMPLETE, Row, Run, Store
from goldbeat.tb.regress.tools import TOOLS
from goldbeat.tb.regress.worth import ORDER

RESULTS = "results.sqlite"
MERGED = "merged"
"""Under this name, a run's settings say what it was merged from."""
_AT_ONCE = 500
"""Rows that are held in memory."""
_SUMMED = ("built", "cached", "build_s", "lost", "sent_bytes", "resumed")
"""Facts of shards that add up."""
_COVERAGE = TypeAdapter(
    dict[Annotated[str, StringConstraints(pattern=r"^[^\t]+\t[^\t]+\t\d+\t\d+\t[^\t]*$")], NonNegativeInt]
)
_OBLIGATIONS = TypeAdapter(list[Obligation])


@dataclass(frozen=True)
class FoundShard:
    """A run of a shard in a file of results.

    Attributes:
        store: the file, open.
        run: its run.
        info: what it says of the whole.
        left: items without a result.
        digest: hash over its results.
    """

    store: Store
    run: Run
    info: ShardSettings
    left: int
    digest: str

    @property
    def file(self) -> Path:
        """Where it is."""
        return self.store.path

    @property
    def name(self) -> str:
        """Which one it is, for people."""
        return f"shard {self.info.number}/{self.info.count} of {self.run.host}, started {self.run.started}"

    @property
    def settled(self) -> bool:
        """Whether it lacks nothing but what its budget has left out."""
        return self.left == self.run.left_out

    @property
    def common(self) -> dict[str, Any]:
        """What all shards of one regression have in common, by what people call it."""
        return {
            "suite": self.run.suite,
            "first seed": self.run.seed,
            "number of shards": self.info.count,
            "number of cases": self.info.total,
            "plan": self.info.plan,
            "revision": self.run.git.rstrip("+"),
            "code coverage": "with" if self.run.settings.get("coverage") else "without",
            **{f"hash of {name}": value for name, value in sorted(self.info.revision.items())},
            "quarantine": "; ".join(one.text for one in entries_of(self.run.settings)) or "none",
            "required obligations": " ".join(self.info.required) or "none",
        }

    def as_merged(self) -> MergedShard:
        """What the merged run records of it."""
        run = self.run
        return MergedShard.model_validate(
            {
                "id": self.info.id,
                "host": run.host,
                "started": run.started,
                "ended": run.ended,
                "facts": dict(run.facts),
                "cases": run.total,
                "left": self.left,
                "mixed": run.settings.get("mixed", ()),
                "digest": self.digest,
            }
        )


@dataclass(frozen=True)
class Merge:
    """What became of a merge.

    Attributes:
        run: the merged one.
        added: shards that were new, or have more results than before.
        known: those that the run had before.
    """

    run: Run
    added: Sequence[FoundShard]
    known: Sequence[FoundShard]


# -- finding shards ---------------------------------------------------------------------------------------------------


def find_shards(paths: Iterable[Path], stack: ExitStack) -> tuple[list[FoundShard], list[str]]:
    """The shards in files and folders, each once, with notes on what was left out.

    Raises:
        UsageError: a path does not exist, or a folder has no file of results.
        InputError: a file is damaged, has no shard, or one that does not belong to the others.
    """
    found: dict[str, FoundShard] = {}
    notes: list[str] = []
    for file in dict.fromkeys(one for path in paths for one in _files(path)):
        store = stack.enter_context(Store(file, read_only=True))
        store.check_foreign()
        for one in _of_file(store, notes):
            first = next(iter(found.values()), None)
            if first is not None:
                _check_common(first, one)
            _add(found, one, notes)
    return sorted(found.values(), key=lambda one: one.info.number), notes


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path.resolve()]
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder")
    files = sorted(one.resolve() for one in path.rglob(RESULTS) if one.is_file())
    if not files:
        raise InputError(f"no {RESULTS}", "at least one, from `goldbeat regress --shard K/N`", file=path)
    return files


def _of_file(store: Store, notes: list[str]) -> Iterator[FoundShard]:
    """The newest regression's shards in a file, the newest run of each."""
    newest: ShardSettings | None = None
    seen: set[int] = set()
    for run in store.runs(last=-1):
        info = shard_of(run.settings)
        if info is None:
            continue
        newest = newest or info
        same = (info.plan, info.revision, info.count) == (newest.plan, newest.revision, newest.count)
        if not same or info.number in seen:
            notes.append(f"{store.path}: run {run.id} (shard {info.number}/{info.count}) is older: left out")
            continue
        seen.add(info.number)
        yield _checked(store, run, info)
    if newest is None:
        raise InputError("no shard", "a run of `goldbeat regress --shard K/N`", file=store.path)


def _checked(store: Store, run: Run, info: ShardSettings) -> FoundShard:
    """A shard whose columns make sense."""
    briefs = store.briefs(run.id)
    numbers = [brief.number for brief in briefs]
    if info.total > MOST_PLANNED or len(briefs) != run.total or any(not 0 <= n < info.total for n in numbers):
        raise InputError(
            f"{len(briefs)} cases, numbers {min(numbers, default=0)} to {max(numbers, default=0)}",
            f"{run.total} cases of the {info.total} of the whole plan",
            file=store.path,
        )
    counts = store.counts(run.id)
    return FoundShard(store, run, info, counts.get("open", 0) + counts.get("killed", 0), store.digest(run.id))


def _check_common(first: FoundShard, other: FoundShard) -> None:
    """Refuse a shard of another regression."""
    want, found = first.common, other.common
    for name in dict.fromkeys([*want, *found]):
        if want.get(name) != found.get(name):
            raise InputError(
                f"{name}: {found.get(name, 'none')}",
                f"{want.get(name, 'none')}, as in {first.file}",
                file=other.file,
            )


def _add(found: dict[str, FoundShard], one: FoundShard, notes: list[str]) -> None:
    """Keep a shard; of two copies of one run, the one with more results."""
    for other in found.values():
        if other.info.number == one.info.number and other.info.id != one.info.id:
            raise InputError(one.name, f"each shard once; {other.file} has {other.name}", file=one.file)
    before = found.get(one.info.id)
    if before is None:
        found[one.info.id] = one
        return
    if before.left == one.left and before.digest != one.digest:
        raise InputError(
            f"{one.name} with results {one.digest}", f"{before.digest}, as in {before.file}", file=one.file
        )
    fewer = one if one.left >= before.left else before
    notes.append(f"{fewer.file}: {fewer.name} is another copy: left out")
    if fewer is before:
        found[one.info.id] = one


# -- merging ----------------------------------------------------------------------------------------------------------


def merge_shards(store: Store, shards: Sequence[FoundShard], *, new: bool = False) -> Merge:
    """Merge shards into a run of this project's results.

    Args:
        store: this project's.
        shards: of one regression, from :func:`find_shards`.
        new: begin another run even if a merged one has these shards.

    Raises:
        InputError: a shard does not fit those that the run has; nothing was changed.
    """
    with ExitStack() as stack:
        with store.together():
            run = None if new else _target(store, shards)
            if run is None:
                run = _begin(store, shards[0])
            merged = MergedSettings.model_validate(run.settings[MERGED])
            stack.enter_context(store.held(run))
            added = [one for one in shards if _is_new(one, merged)]
            for one in added:
                _take(store, run, one, merged)
            if added:
                run = _restate(store, run, added, merged)
        known = [one for one in shards if one not in added]
        for one in shards:
            _copy_artefacts(store, run, one)
    return Merge(run, added, known)


def _family(shard: FoundShard) -> str:
    return hashlib.sha256(json.dumps(shard.common, sort_keys=True).encode()).hexdigest()[:16]


def _target(store: Store, shards: Sequence[FoundShard]) -> Run | None:
    """The merged run that has some of these shards, else the newest that still misses some; None: there is none."""
    family = _family(shards[0])
    waiting: tuple[Run, MergedSettings] | None = None
    for run in store.runs(suite=shards[0].run.suite, last=-1):
        if (said := run.settings.get(MERGED)) is None:
            continue
        merged = MergedSettings.model_validate(said)
        if merged.family != family:
            continue
        if any((have := merged.shards.get(one.info.number)) and have.id == one.info.id for one in shards):
            _check_once(run, merged, shards)
            return run
        if waiting is None and not merged.settled:
            waiting = run, merged
    if waiting is not None:
        _check_once(*waiting, shards)
        return waiting[0]
    return None


def _check_once(run: Run, merged: MergedSettings, shards: Sequence[FoundShard]) -> None:
    """Refuse a shard that a run has already, from another run of it."""
    for one in shards:
        have = merged.shards.get(one.info.number)
        if have is not None and have.id != one.info.id:
            raise InputError(
                one.name,
                f"the one of {have.host}, started {have.started}, which run {run.id} has (--new: another run)",
                file=one.file,
            )


def _begin(store: Store, first: FoundShard) -> Run:
    """Record a merged run without shards."""
    info, here = first.info, roots()
    said = {
        name: first.run.settings[name] for name in ("coverage", "filters", QUARANTINE) if name in first.run.settings
    }
    said |= {"engine": "merge", "files": moved(dict(info.revision), PLACES, here)}
    if info.required:
        said["obligations"] = list(info.required)
    if suite := first.run.settings.get("suite"):
        said["suite"] = moved(suite, info.roots, here)
    merged = MergedSettings(family=_family(first), count=info.count, total=info.total, plan=info.plan, shards={})
    said[MERGED] = merged.model_dump(mode="json")
    run = first.run
    return store.begin(run.suite, (), git=run.git, code=run.code, host=run.host, seed=run.seed, settings=said)


def _is_new(shard: FoundShard, merged: MergedSettings) -> bool:
    """Whether a shard has results that the run has not."""
    have = merged.shards.get(shard.info.number)
    if have is None:
        return True
    if have.digest == shard.digest:
        return False
    if have.left == 0:
        raise InputError(
            f"{shard.name} with results {shard.digest}", f"{have.digest}, as merged before", file=shard.file
        )
    # A copy from before is no news; what both have is compared row by row.
    return shard.left <= have.left


def _take(store: Store, run: Run, shard: FoundShard, merged: MergedSettings) -> None:
    """Record the items, results, coverage and obligations of a shard."""
    first = shard.info.number not in merged.shards
    if not first and merged.shards[shard.info.number].settled and shard.run.settings.get("coverage"):
        raise InputError(
            f"{shard.name} with more results",
            f"those that run {run.id} has, since hits of code coverage add up (--new)",
            file=shard.file,
        )
    taken = store.numbers(run.id) if first else set()
    for rows in _rows(shard):
        items = [_local(shard, row.item) for row in rows]
        if first:
            if both := [item.key for item in items if item.index in taken]:
                raise InputError(f"case {both[0]}", "one that no other shard has", file=shard.file)
            store.add_items(run.id, items)
        else:
            store.forget_killed(run.id, [item.index for item in items])
            _check_kept(store, run, shard, rows)
        store.record(run.id, [row.result for row in rows if row.result is not None])
    for design, some in shard.store.obligations(shard.run.id).by_design.items():
        store.add_obligations(run.id, design, _valid(_OBLIGATIONS, [vars(one) for one in some], shard))
    # Hits add up, so they are taken once, when there will be no more.
    if shard.settled:
        covered = _valid(_COVERAGE, shard.store.coverage(shard.run.id), shard)
        store.add_coverage(run.id, _moved_points(covered, shard.info.roots))


def _rows(shard: FoundShard) -> Iterator[list[Row]]:
    """The rows of a shard, some at a time, checked against each other."""
    after = -1
    while rows := shard.store.rows(shard.run.id, "AND idx > ?", after, most=_AT_ONCE):
        for row in rows:
            result = row.result
            if result is not None and (result.index, result.key) != (row.item.index, row.item.key):
                raise InputError(f"a result of {result.key}", f"one of {row.item.key}", file=shard.file)
        numbers = [row.item.index for row in rows]
        if numbers != sorted(set(numbers)) or numbers[0] <= after or numbers[-1] >= shard.info.total:
            raise InputError(
                f"cases {numbers[0]} to {numbers[-1]}",
                f"each of {shard.info.total} cases once, in the order of the plan",
                file=shard.file,
            )
        after = numbers[-1]
        yield rows


def _local(shard: FoundShard, item: Item) -> Item:
    """An item with the paths that its files have here."""
    here = roots()
    changes = {name: moved(getattr(item, name), shard.info.roots, here) for name in ("source", "inputs", "options")}
    return item.model_copy(update=changes)


def _check_kept(store: Store, run: Run, shard: FoundShard, rows: Sequence[Row]) -> None:
    """Refuse results that differ from those that the run has."""
    low, high = rows[0].item.index, rows[-1].item.index
    kept = {one.item.index: one for one in store.rows(run.id, "AND idx BETWEEN ? AND ?", low, high)}
    for row in rows:
        one = kept.get(row.item.index)
        if one is None or one.item.key != row.item.key or one.result not in (None, row.result):
            was = None if one is None else one.result
            raise InputError(
                f"{row.item.key}: {_verdict(row.result)}", f"{_verdict(was)}, as merged before", file=shard.file
            )


def _verdict(result: Any) -> str:
    return "no result" if result is None else f"{result.status.value}, trace {result.trace_hash}"


def _valid(kind: TypeAdapter[Any], value: Any, shard: FoundShard) -> Any:
    try:
        return kind.validate_python(value)
    except ValidationError as error:
        wrong = first_mistake(error)
        raise InputError(wrong.found, f"a file of results ({wrong.expected})", file=shard.file) from error


def _moved_points(covered: Mapping[str, int], before: Mapping[str, str]) -> dict[str, int]:
    """Hits by point, with the paths that the files have here."""
    here, found = roots(), {}
    for text, hits in covered.items():
        kind, file, rest = text.split("\t", 2)
        found["\t".join([kind, moved(file, before, here), rest])] = hits
    return found


def _restate(store: Store, run: Run, added: Sequence[FoundShard], before: MergedSettings) -> Run:
    """Record what the merged run is now."""
    shards = {**before.shards, **{one.info.number: one.as_merged() for one in added}}
    merged = before.model_copy(update={"shards": dict(sorted(shards.items()))})
    _check_whole(store, run, merged, added[0].file)
    settings = {**run.settings, MERGED: merged.model_dump(mode="json")}
    here = roots()
    for one in added:
        said = one.run.settings
        for name in ("code", "confirmed"):
            if name in said:
                settings[name] = {**settings.get(name, {}), **moved(said[name], one.info.roots, here)}
        # Machines with other tools: those of the merged run are not known.
        tools = said.get(TOOLS, {})
        settings[TOOLS] = tools if settings.get(TOOLS, tools) == tools else {}
    if mixed := [one.model_dump(mode="json") for shard in merged.shards.values() for one in shard.mixed]:
        settings["mixed"] = mixed
    started = min(shard.started for shard in merged.shards.values())
    judged = replace(run, started=started)
    counts = store.counts(run.id)
    required = store.obligations(run.id).only(settings.get("obligations", ()))
    ended = [shard.ended for shard in merged.shards.values() if shard.ended]
    run = replace(
        run,
        started=started,
        ended=max(ended, default=None),
        status=_status(merged, quarantined(store, judged).without(counts), required),
        total=merged.total,
        settings=settings,
        facts=_facts(merged, counts),
        # One that had changes is no state of the commit alone.
        git=next((one.run.git for one in added if one.run.git.endswith("+")), run.git),
    )
    store.restate(run)
    return store.run(run.id)


def _status(merged: MergedSettings, counts: Mapping[str, int], required: Obligations) -> str:
    """Of a merged run."""
    if merged.whole:
        return status_of(counts, required)
    return limited_status(counts) if merged.settled else INCOMPLETE


def _check_whole(store: Store, run: Run, merged: MergedSettings, file: Path) -> None:
    """Refuse shards that are not the whole plan together, though none is missing."""
    if merged.missing:
        return
    items = store.items(run.id)
    if len(items) != merged.total or (found := plan_hash(items)) != merged.plan:
        found = found if len(items) == merged.total else f"{len(items)} cases"
        raise InputError(
            f"{found} in all {merged.count} shards", f"{merged.total} cases of plan {merged.plan}", file=file
        )


def _facts(merged: MergedSettings, counts: Mapping[str, int]) -> dict[str, Any]:
    """Of a merged run: shards run at the same time, so the longest counts."""
    every = [one.facts.model_dump() for one in merged.shards.values()]
    found: dict[str, Any] = {"wall_s": max(one["wall_s"] for one in every), "interrupted": False, "signal": 0}
    found |= {name: round(sum(one[name] for one in every), 3) for name in _SUMMED}
    meanwhile = sorted({name for one in every for name in one["changed_meanwhile"]})
    if left_out := sum(one["left_out"] for one in every):
        orders = [one["order"] for one in every]
        reasons = [reason.value for reason in ORDER if any(reason.value in one for one in orders)]
        found |= {"left_out": left_out, "budget_s": max(one["budget_s"] or 0.0 for one in every)}
        found["order"] = {
            reason: [sum(one.get(reason, (0, 0))[n] for one in orders) for n in (0, 1)] for reason in reasons
        }
    return found | {"counts": dict(counts)} | ({"changed_meanwhile": meanwhile} if meanwhile else {})


def _copy_artefacts(store: Store, run: Run, shard: FoundShard) -> None:
    """Copy what reruns of failed cases have left, where it came with the results."""
    folder = shard.file.parent / f"run-{shard.run.id}"
    noted = {row.item.index for row in store.rows(run.id, "AND artefacts IS NOT NULL")}
    for row in shard.store.rows(shard.run.id, "AND artefacts IS NOT NULL"):
        if row.item.index in noted:
            continue
        copied = {}
        for name, path in row.artefacts.items():
            if name == "alone":
                copied[name] = path
            elif (place := _copied(folder, run.folder, path)) is not None:
                copied[name] = place
        # What is not here may come with another copy.
        if copied.keys() != {"alone"} or row.artefacts.keys() == {"alone"}:
            store.artefacts(run.id, row.item.index, copied)


def _copied(folder: Path, target: Path, path: str) -> str | None:
    """Copy a file of a run's failed cases; its new path, None for a link and for what is missing or somewhere else."""
    source, root = folder / path, (folder / "failures").resolve()
    real = source.resolve()
    if source.is_symlink() or not real.is_file() or not real.is_relative_to(root):
        return None
    place = Path("failures", real.relative_to(root))
    (target / place).parent.mkdir(parents=True, exist_ok=True)
    part = target / f"{place}.part"
    shutil.copyfile(real, part)
    part.replace(target / place)
    return str(place)
