# SPDX-License-Identifier: Apache-2.0
"""From a suite to items, and from items to batches. Both depend on nothing but what they are given."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nearest import known_names
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import designs, find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.extras import need_module
from goldbeat.tb.inside.job import Backend
from goldbeat.tb.regress.item import Item
from goldbeat.tb.regress.suite import Entry, Suite
from goldbeat.tb.run.runs import waivers_of

MOST_ITEMS = 256
"""In a batch: enough that the time which a simulator takes to start does not count, few enough that results keep coming."""
MOST_PLANNED = 100_000
"""In a plan: more take longer to list than anybody waits, and a wrong digit in a suite asks for millions."""
_FEWEST_ITEMS = 4
"""A batch is not cut into smaller ones, unless its items take long."""
_BATCH_S = 6.0
"""Simulation that a batch should not go above, by what earlier runs took."""
_LEAST_S = 0.25
"""A batch of less is not cut: from one batch to the next a simulator waits."""
_SHARE = 3
"""A batch is so small a part of what is left for each worker: the last ones are short, and workers end together."""


def make_plan(
    suite: Suite,
    folder: Path,
    *,
    seed: int = 0,
    seeds: int | None = None,
    filters: Sequence[str] = (),
) -> list[Item]:
    """Every item of a suite, in a fixed order, none twice.

    Args:
        suite: what to run.
        folder: of the suite file, for the files that it names.
        seed: the first seed.
        seeds: number of seeds in place of the suite's.
        filters: patterns or parts of keys; an item stays when one fits.

    Raises:
        UsageError: an entry that matches nothing, nothing is left, more than :data:`MOST_PLANNED` items, or two entries that want
            the same case in different ways.
    """
    found: dict[str, Item] = {}
    for number, entry in enumerate(suite.run):
        matched = False
        for item in _entry_items(suite, entry, folder, seed, seeds):
            matched = True
            if (first := found.setdefault(item.key, item)) is not item:
                _check_same(first, item, number)
            if len(found) > MOST_PLANNED:
                raise UsageError(f"run.{number} of the suite: more than {MOST_PLANNED} cases; use fewer seeds")
        if not matched:
            raise UsageError(f"run.{number} of the suite matches no case: {_describe(entry)}")
    kept = [item for key, item in found.items() if not filters or any(_fits(key, f) for f in filters)]
    if not kept:
        raise UsageError(f"none of {len(found)} cases matches --filter {' '.join(filters)}")
    return [item.model_copy(update={"index": i}) for i, item in enumerate(kept)]


def _check_same(first: Item, second: Item, entry: int) -> None:
    """Refuse a case that an earlier entry has with other settings: one of the two would be lost."""
    differing = [name for name in Item.model_fields if getattr(first, name) != getattr(second, name)]
    if differing:
        raise UsageError(
            f"run.{entry} of the suite: case {second.key} already exists with another {', '.join(differing)}; "
            "give one of them another seed, option or name"
        )


def _describe(entry: Entry) -> str:
    words = [f"designs {', '.join(entry.designs)}", f"cases {', '.join(entry.cases)}"]
    words += [f"{name} = {value!r}" for name, value in (*entry.params.items(), *entry.options.items())]
    return "; ".join(words)


def _fits(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern) if any(c in pattern for c in "*?[") else pattern in text


def _designs(entry: Entry, folder: Path) -> Iterator[tuple[Design, str | None]]:
    """The designs of an entry, each with its description file."""
    known = designs()
    seen: set[str] = set()
    for pattern in entry.designs:
        if pattern.endswith((".py", ".toml")):
            path = (folder / pattern).resolve()
            yield find_design(str(path)), str(path)
            continue
        names = [n for n in sorted(known) if fnmatchcase(n, pattern)]
        if not names and not any(c in pattern for c in "*?["):
            raise UsageError(f"unknown design {pattern!r}{known_names(pattern, sorted(known))}")
        for name in names:
            if name not in seen:
                seen.add(name)
                yield known[name], None


def _entry_items(suite: Suite, entry: Entry, folder: Path, seed: int, seeds: int | None) -> Iterator[Item]:
    count = entry.seeds or seeds or suite.seeds
    if count > MOST_PLANNED:
        raise UsageError(f"{count} seeds: more than {MOST_PLANNED} cases; use fewer seeds")
    inputs = {port: str((folder / file).resolve()) for port, file in entry.inputs.items()}
    files = {port: Path(file).name for port, file in inputs.items()}
    if entry.transactors == "cocotbext":
        need_module('transactors = "cocotbext"', "cocotbext")
    chosen = list(_designs(entry, folder))
    waivers_of([design for design, _ in chosen], entry.waive)
    for design, source in chosen:
        for case in design.cases:
            name = f"{design.name}/{case.name}"
            if not any(fnmatchcase(case.name, c) for c in entry.cases) or any(fnmatchcase(name, s) for s in entry.skip):
                continue
            if case.slow and not entry.slow:
                continue
            # A sweep over all designs goes through those that have what is swept.
            if not set(entry.params) <= set(design.parameters) or not set(entry.options) <= set(case.options):
                continue
            # So does one without the files that a case is about; a case that is named says itself what it lacks.
            if case.lacks(entry.options) and case.name not in entry.cases:
                continue
            if inputs and not case.inputs:
                # A pattern stands for the cases that take the files; a case that is named must take them.
                if case.name not in entry.cases:
                    continue
                known = ", ".join(c.name for c in design.cases if c.inputs) or "none"
                raise UsageError(f"case {name} takes no inputs; cases that do: {known}")
            blur: dict[str, Any] = {} if entry.metastability is None else {"metastability": entry.metastability}
            blur |= {"x_check": True} if entry.x_check else {}
            blur |= {"payload": entry.payload} if entry.payload else {}
            for params, options in _sweep(design, case, entry):
                given = {name: options[name] for name in case.files if options.get(name)}
                named = {name: _each(file, lambda one: Path(one).name) for name, file in given.items()}
                options |= {
                    name: _each(file, lambda one: str((folder / one).resolve())) for name, file in given.items()
                }
                for number in range(seed, seed + count):
                    yield Item(
                        index=0,
                        key=f"{name}{_suffix({**params, **options, **named, **files, **blur}, entry.transactors)}#{number}",
                        design=design.name,
                        source=source,
                        case=case.name,
                        params=params,
                        options=options,
                        seed=number,
                        transactors=entry.transactors,
                        timeout_s=entry.timeout_s or suite.timeout_s,
                        limits=entry.limits,
                        inputs=inputs,
                        clock_mhz=entry.clock_mhz,
                        waive=entry.waive,
                        metastability=entry.metastability,
                        x_check=entry.x_check,
                        payload=entry.payload,
                        resources=entry.resources,
                    )


def _sweep(design: Design, case: Case, entry: Entry) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    arrays = {n for n, p in design.parameters.items() if p.bits is not None}
    arrays |= {n for n, default in case.options.items() if isinstance(default, tuple)}
    for variant in design.variants if entry.variants else ({},):
        for params in _combinations(entry.params, arrays):
            for options in _combinations(entry.options, arrays):
                yield {**variant, **params}, options


def _combinations(values: Mapping[str, Any], arrays: set[str]) -> Iterator[dict[str, Any]]:
    choices = []
    for name, value in values.items():
        # A list sweeps; for something that is a list itself, a list of lists does.
        several = isinstance(value, list) and (name not in arrays or any(isinstance(v, list) for v in value))
        choices.append([tuple(v) if isinstance(v, list) else v for v in value] if several else [_one(value)])
    for chosen in product(*choices):
        yield dict(zip(values, chosen, strict=True))


def _one(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _each(files: Any, change: Callable[[str], str]) -> Any:
    """A file's name changed, or each one's of several."""
    return tuple(map(change, map(str, files))) if isinstance(files, tuple) else change(str(files))


def _suffix(values: Mapping[str, Any], transactors: Backend) -> str:
    words = [f"{k}={','.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in values.items()]
    words += [] if transactors == "native" else [transactors]
    return f"/{'+'.join(words)}" if words else ""


# -- batches ----------------------------------------------------------------------------------------------------------

BuildKey = tuple[str, str | None, str]
"""Design, description file, and all parameter values as text: items with the same share a simulator."""


def build_key(item: Item) -> BuildKey:
    """What an item's simulator depends on."""
    design = item_design(item)
    params = design.params(design.case(item.case), item.params, item.options)
    text = json.dumps(params, sort_keys=True, default=list)
    return item.design, item.source, text if item.metastability is None else f"{text} with blurred crossings"


_known: dict[str, Design] = {}


def item_design(item: Item) -> Design:
    """The design of an item."""
    name = item.source or item.design
    if name not in _known:
        _known[name] = find_design(name)
    return _known[name]


def confirmed_signals(items: Iterable[Item]) -> dict[str, Mapping[str, str]]:
    """Signals that designs of these items leave unchecked for a reason, by design."""
    return {name: design.unchecked for name, design in designs_of(items).items() if design.unchecked}


def required_of(items: Iterable[Item], *, all_of_them: bool) -> list[str]:
    """The designs of these items whose obligations have to be met: those that say so, or all."""
    return [name for name, design in designs_of(items).items() if all_of_them or design.obligations_required]


def designs_of(items: Iterable[Item]) -> dict[str, Design]:
    """The designs of items, by name."""
    return {item.design: item_design(item) for item in {(i.design, i.source): i for i in items}.values()}


def make_batches(
    items: Iterable[Item],
    jobs: int,
    seconds: Callable[[Item], float | None] = lambda item: None,
) -> dict[BuildKey, list[list[Item]]]:
    """Put items that share a simulator together.

    Args:
        items: of a plan.
        jobs: how many workers there are: no batch is so large that some would have nothing to do.
        seconds: what an item took in an earlier run, None when that is not known.
    """
    keys: dict[tuple[Any, ...], BuildKey] = {}
    groups: dict[tuple[BuildKey, Backend, str], list[Item]] = {}
    for item in items:
        # Whatever the seed, the build is the same: 10,000 seeds need not be looked at one by one.
        short = (item.source, item.group)
        if short not in keys:
            keys[short] = build_key(item)
        groups.setdefault((keys[short], item.transactors, item.resources), []).append(item)
    took = {group: [seconds(item) for item in members] for group, members in groups.items()}
    known = [t for times in took.values() for t in times if t is not None]
    usual = sum(known) / len(known) if known else 0.0
    batches: dict[BuildKey, list[list[Item]]] = {}
    costs = {group: [usual if t is None else t for t in times] for group, times in took.items()}
    left_s = sum(map(sum, costs.values()))
    left = sum(map(len, groups.values()))
    # What takes the longest is built and begun first.
    for group in sorted(groups, key=lambda g: (-sum(costs[g]), -len(groups[g]))):
        for chunk in _chunks(groups[group], costs[group], _SHARE * jobs, left, left_s):
            batches.setdefault(group[0], []).append(chunk)
        left -= len(groups[group])
        left_s -= sum(costs[group])
    return batches


def _chunks(
    items: Sequence[Item], costs: Sequence[float], parts: int, left: int, left_s: float
) -> Iterator[list[Item]]:
    """Cut items into batches of ever fewer ones.

    Args:
        items: of one simulator.
        costs: seconds of each.
        parts: how many batches what is left should give.
        left: items of this simulator and all later ones.
        left_s: seconds of those.
    """
    chunk: list[Item] = []
    sum_s = 0.0
    most, most_s = _limits(parts, left, left_s)
    for item, cost in zip(items, costs, strict=True):
        if chunk and (len(chunk) >= most or sum_s + cost > most_s):
            yield chunk
            left, left_s = left - len(chunk), left_s - sum_s
            most, most_s = _limits(parts, left, left_s)
            chunk, sum_s = [], 0.0
        chunk.append(item)
        sum_s += cost
    if chunk:
        yield chunk


def _limits(parts: int, left: int, left_s: float) -> tuple[int, float]:
    """Items and seconds of simulation that a batch should not go above: a model may take longer than its simulation."""
    most = max(_FEWEST_ITEMS, min(MOST_ITEMS, -(-left // parts)))
    return most, max(_LEAST_S, min(_BATCH_S, left_s / parts)) if left_s > 0 else math.inf
