# SPDX-License-Identifier: Apache-2.0
"""Where the time of a design goes on the array under ``npu1``: its critical chain, and what each part needs at least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil
from typing import Any

from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.array import ArrayRun
from goldbeat.pymodels.objfifo.engine.critical_chain import (
    ArrayNames,
    ChainSegment,
    CriticalChain,
    HostStream,
    TimePart,
)
from goldbeat.pymodels.objfifo.engine.npu1_controller import ControllerStart
from goldbeat.pymodels.objfifo.engine.npu1_engine import DescriptorEdges, Npu1Engine
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan, Pool, Segment
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.measurements import MeasurementTable
from goldbeat.tb.designs.objfifo.array_case import host_tasks, placed_design, task_table, timed_scene
from goldbeat.tb.designs.objfifo.whole import Whole

_MOST_ROWS = 40
"""Rows of the chain and of the bounds that people are shown."""

_MOST_REPEATED = 12
"""Segments of a part of the chain that is looked for again behind itself."""


@dataclass(frozen=True)
class TimeBound:
    """What a part of a design needs at least, everything else being ready at once.

    Attributes:
        part, what: who needs it.
        cycles: how long.
    """

    part: TimePart
    what: str
    cycles: float


@dataclass(frozen=True)
class ChainRow:
    """Segments of a chain that come again and again.

    Attributes:
        segment: the first one; ``end`` is that of the last.
        times, cycles: how many there are, and how long all of them take.
    """

    segment: ChainSegment
    times: int
    end: float
    cycles: float


@dataclass(frozen=True)
class TimeReport:
    """Where the time goes.

    Attributes:
        chain: from the start to the end of the last task of the host.
        bounds: of all parts, the largest first.
        tasks: of the host, as :meth:`.HostTasks.rows` has them.
        unknown: why the controller's time is missing; empty if it is known.
    """

    chain: tuple[ChainSegment, ...]
    bounds: tuple[TimeBound, ...]
    tasks: tuple[dict[str, Any], ...]
    unknown: str

    @property
    def cycles(self) -> float:
        """From the start to the end of the last task."""
        return self.chain[-1].end if self.chain else 0.0

    def part(self, part: TimePart) -> float:
        """Cycles of a part on the chain."""
        return sum(one.cycles for one in self.chain if one.part is part)

    def on_chain(self, bound: TimeBound) -> float:
        """Cycles on the chain of that for which a bound is."""
        controller = bound.part is TimePart.CONTROLLER
        same = (one for one in self.chain if one.part is bound.part)
        return sum(one.cycles for one in same if controller or one.what.partition(":")[0] == bound.what)

    def tables(self) -> list[MeasurementTable]:
        """For people."""
        tasks = [task_table(self.tasks)] if self.tasks else []
        return [_parts(self), _bounds(self), _chain(self), *tasks]

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "cycles": self.cycles,
            "parts": {part.value: round(self.part(part), 1) for part in TimePart},
            "bounds": [
                {"part": one.part.value, "what": one.what, "cycles": round(one.cycles, 1),
                 "on_chain": round(self.on_chain(one), 1)}
                for one in self.bounds
            ],
            "chain": [
                {"begin": one.begin, "end": one.end, "part": one.part.value, "what": one.what} for one in self.chain
            ],
            "tasks": list(self.tasks),
            "unknown": self.unknown,
        }  # fmt: skip


def time_report(context: CaseContext) -> TimeReport:
    """Where the time of a design goes, by a run of the array's model.

    Args:
        context: of the case ``design`` of the array under ``npu1``.
    """
    executed, whole = placed_design(context)
    stimulus, run = timed_scene(context)
    run = run or ArrayRun(context.params, stimulus)
    ports = run.outcome().ports
    known = host_tasks(context, executed, whole)
    host, starts = known.side(ports)
    plan = executed.planned.plan
    names = array_names(plan, whole)
    chain = CriticalChain(run, names, host, starts).segments()
    bounds = [*_host_bounds([*host.values()], starts), *_array_bounds(run, names, plan, whole)]
    bounds.sort(key=lambda one: -one.cycles)
    rows = [] if known.unknown else known.rows(ports)
    return TimeReport(tuple(chain), tuple(bounds), tuple(rows), known.unknown)


def folded(chain: Sequence[ChainSegment]) -> Iterator[ChainRow]:
    """The chain with parts that repeat written once, the longest first."""
    keys = [(one.part, one.what) for one in chain]
    at = 0
    while at < len(chain):
        period, times = max(((p, _repeats(keys, at, p)) for p in range(1, _MOST_REPEATED + 1)), key=_saved)
        for n in range(at, at + period):
            same = chain[n : at + period * times : period]
            yield ChainRow(chain[n], times, same[-1].end, sum(one.cycles for one in same))
        at += period * times


def _repeats(keys: Sequence[object], at: int, period: int) -> int:
    """How often the next ``period`` keys come in a row."""
    times = 1
    while keys[at : at + period] == keys[at + period * times : at + period * (times + 1)]:
        times += 1
    return times


def _saved(found: tuple[int, int]) -> tuple[int, int]:
    """How many rows a repeat saves; the shorter of two."""
    period, times = found
    return period * (times - 1), -period


def _channel_key(whole: Whole, direction: Direction, at: tuple[int, int]) -> tuple[int, int]:
    """Engine and channel, MM2S channels behind the others."""
    return at[0], at[1] + (whole.shape.engine.ns if direction is Direction.MM2S else 0)


def array_names(plan: Plan, whole: Whole) -> ArrayNames:
    """Fifos of channels, cores, and the pools of locks."""
    fifos = {(t.tile, c.direction, c.index): c.fifo for t in plan.tiles for c in t.channels}
    channels = {_channel_key(whole, key[1], at): fifos[key] for key, at in whole.channels.items()}
    channels |= {at: name for name, at in whole.cores.items()}
    locks = {
        whole.locks[pool.tile, lock]: _pool_name(pool, segment)
        for pool in plan.pools
        for segment in pool.segments
        for lock in segment.locks
    }
    return ArrayNames(channels, locks)


def _pool_name(pool: Pool, segment: Segment) -> str:
    return pool.name if len(pool.segments) == 1 else f"{pool.name} of {segment.leg}"


# -- bounds


def _host_bounds(host: Sequence[HostStream], starts: Sequence[ControllerStart]) -> Iterator[TimeBound]:
    if starts:
        yield TimeBound(TimePart.CONTROLLER, "writes and waits", sum(one.end - one.begin for one in starts))
    for one in host:
        yield TimeBound(TimePart.SHIM, one.fifo, sum(one.least))


def _array_bounds(run: ArrayRun, names: ArrayNames, plan: Plan, whole: Whole) -> Iterator[TimeBound]:
    channels = {(e, c): edges for e, one in enumerate(_engines(run)) for c, edges in enumerate(one.edges)}
    busy: Counter[tuple[TimePart, str]] = Counter()
    cores = set(whole.cores.values())
    for at, edges in channels.items():
        if not edges.words:
            continue
        if at in cores:
            stalls = npu1.CORE_STALL * sum(one.acquire is not None for one in edges.descriptors)
            busy[TimePart.CORES, names.channels[at]] = sum(edges.words) + stalls
        else:
            # Of both ends of a stream the slower one.
            key = (TimePart.STREAMS, names.channels[at])
            busy[key] = max(busy[key], sum(edges.words) + (len(edges.words) - 1) * npu1.OUT_BUBBLE)
    for (part, what), cycles in busy.items():
        yield TimeBound(part, what, cycles)
    for pool in plan.pools:
        for segment in pool.segments:
            if len(segment.locks) == 2:
                free, filled = (whole.locks[pool.tile, lock] for lock in segment.locks)
                least = _pool_cycles(_engines(run)[free[0]], free[1], filled[1], pool)
                yield TimeBound(TimePart.LOCKS, _pool_name(pool, segment), least)


def _engines(run: ArrayRun) -> list[Npu1Engine]:
    return [one for one in run.engines if isinstance(one, Npu1Engine)]


def _pool_cycles(engine: Npu1Engine, free: int, filled: int, pool: Pool) -> float:
    """What the objects of a pool need, if its buffers are all that they wait for."""
    fills = [_held(engine, c, free, filled) for c in range(engine.shape.channels)]
    drains = [_held(engine, c, filled, free) for c in range(engine.shape.channels)]
    first = [cycles for one in fills for cycles in one]
    # With several who empty an object, each waits for its own.
    second = [sum(one) / len(one) for one in drains if one]
    if not first or not second:
        return 0.0
    object_cycles = sum(first) / len(first) + pool.units * min(second)
    return len(first) * object_cycles / pool.depth


def _held(engine: Npu1Engine, channel: int, taken: int, given: int) -> list[float]:
    """The least cycles from each acquire of a lock to the new value of the other lock, by a channel that gives that."""
    edges = engine.edges[channel]
    found = []
    for d, one in enumerate(edges.descriptors[: len(edges.finished)]):
        if one.acquire is None or one.acquire[0] != taken:
            continue
        last = next((n for n in range(d, len(edges.finished)) if _gives(edges, n, given)), None)
        if last is not None:
            words = sum(_least(engine, channel, edges.words[n]) for n in range(d, last + 1))
            found.append(float(words + edges.released[last] - edges.finished[last]))
    return found


def _gives(edges: DescriptorEdges, n: int, lock: int) -> bool:
    release = edges.descriptors[n].release
    return release is not None and release[0] == lock


def _least(engine: Npu1Engine, channel: int, words: int) -> int:
    """Cycles of a descriptor: words are fetched ahead as far as the staging goes."""
    if channel < engine.shape.ns:
        return words
    return max(ceil(words / engine.shape.line_words), words - engine.tile.out_depth, 1)


# -- for people


def _parts(found: TimeReport) -> MeasurementTable:
    """Each part's cycles on the chain, and the largest bound of its kind."""
    rows = []
    for part in TimePart:
        bound = next((one for one in found.bounds if one.part is part), None)
        cycles = found.part(part)
        if cycles or bound is not None:
            largest = ("", "") if bound is None else (f"{bound.cycles:.0f}", bound.what)
            rows.append((part.value, f"{cycles:.0f}", f"{100 * cycles / found.cycles:.1f}", *largest))
    return MeasurementTable(
        "where the time goes", ("part", "cycles on the chain", "%", "largest bound", "of"), tuple(rows)
    )


def _bounds(found: TimeReport) -> MeasurementTable:
    rows = [
        (
            f"{one.part} {one.what}",
            f"{one.cycles:.0f}",
            f"{100 * one.cycles / found.cycles:.1f}",
            f"{found.on_chain(one):.0f}",
        )
        for one in found.bounds[:_MOST_ROWS]
    ]
    more = len(found.bounds) - len(rows)
    notes = (f"{more} smaller bounds are in --json",) if more else ()
    return MeasurementTable("bounds", ("who", "cycles", "% of all", "on the chain"), tuple(rows), notes)


def _chain(found: TimeReport) -> MeasurementTable:
    """The chain; what repeats is one row, with how often it comes."""
    folds = folded(found.chain)
    rows = [
        (
            f"{row.segment.part} {row.segment.what}",
            f"{row.segment.begin:.0f}",
            f"{row.end:.0f}",
            str(row.times),
            f"{row.cycles:.0f}",
        )
        for row in islice(folds, _MOST_ROWS)
    ]
    more = sum(1 for _ in folds)
    notes = (f"{more} more rows are in --json",) if more else ()
    return MeasurementTable("the critical chain", ("what", "from", "to", "times", "cycles"), tuple(rows), notes)
