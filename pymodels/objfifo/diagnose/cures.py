# SPDX-License-Identifier: Apache-2.0
"""Changes that end a hang: each one was tried on the design, and it completed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice

from goldbeat.pymodels.objfifo.diagnose.reorder import orders, releases
from goldbeat.pymodels.objfifo.diagnose.trial import HangTrial, smallest_enough
from goldbeat.pymodels.objfifo.plan.access import LockAccess, Steps, each
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, Pool
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.objfifo.untimed.machine import ChannelAgent, CoreAgent, LockAgent, LockKey, Machine

_PROGRAMS = 96
"""Changed programs that are tried for each kind of change."""
_OBJECTS = 16
"""Objects more than now that a core is tried with."""
_ITERATIONS = 64
"""Iterations more than now that are tried at most."""
_REPEATS = 32
"""The largest repeat count that is tried."""


@dataclass(frozen=True)
class HangCure:
    """A change that ends a hang.

    Attributes:
        kind: ``depth``, ``order``, ``release``, ``initial``, ``objects``, ``fill``, ``drain``, ``iterations``,
            ``repeat``.
        where: the fifo or core that is changed.
        text: what to do.
    """

    kind: str
    where: str
    text: str


def cures(
    trial: HangTrial, machine: Machine, waiting: Sequence[LockAgent], pools: Sequence[Pool], *, circle: bool
) -> list[HangCure]:
    """The first change of each kind that ends the hang.

    Args:
        trial: the design.
        machine: where it stands still.
        waiting: those who wait.
        pools: whose locks they take and give.
        circle: some of them wait for each other; only then objects to begin with are tried.
    """
    kinds = (
        _releases(trial, waiting),
        _orders(trial, waiting),
        _initial(trial, pools if circle else ()),
        _objects(trial, machine),
        _transfers(trial, machine),
        _iterations(trial, machine),
        _repeats(trial, waiting),
    )
    found: dict[str, HangCure] = {}
    for cure in chain(*(islice(kind, 2) for kind in kinds)):
        found.setdefault(cure.kind, cure)
    return list(found.values())


def _cores(trial: HangTrial, waiting: Sequence[LockAgent]) -> list[Core]:
    names = {a.name for a in waiting if isinstance(a, CoreAgent)}
    return [c for c in trial.design.cores if c.name in names]


def _releases(trial: HangTrial, waiting: Sequence[LockAgent]) -> Iterator[HangCure]:
    # A core that has ended may have kept objects too.
    for core in trial.design.cores:
        for change in islice(releases(trial.steps(core)), _PROGRAMS):
            if trial.with_program(core, change.steps).completes():
                yield HangCure("release", core.name, f"in {core.name}: {change.text}")


def _orders(trial: HangTrial, waiting: Sequence[LockAgent]) -> Iterator[HangCure]:
    for core in _cores(trial, waiting):
        for change in islice(orders(trial.steps(core)), _PROGRAMS):
            if trial.with_program(core, change.steps).completes():
                yield HangCure("order", core.name, f"in {core.name}: {change.text}, if the data allow it")


def _initial(trial: HangTrial, pools: Sequence[Pool]) -> Iterator[HangCure]:
    # Initial values belong to a fifo's producer, which must be a core's.
    made = {f.name: f.ends[0] for f in trial.plan.fifos if f.ends}
    for pool in pools:
        end = made.get(pool.fifo)
        if end is None or end.pool != pool.name or end.tile.kind is not TileKind.CORE or len(pool.segments) > 1:
            continue
        if not pool.segments[0].locks:
            continue
        free, filled = ((pool.tile, lock) for lock in pool.segments[0].locks)
        for count in range(1, pool.depth + 1):
            change = partial(_add_to_locks, ((filled, count), (free, -count * pool.units)))
            if trial.machine().locks[free] >= count * pool.units and trial.completes(change):
                text = f"{count} object(s) in {pool.fifo} at the start (init_values)"
                yield HangCure("initial", pool.fifo, text)
                break


def _objects(trial: HangTrial, machine: Machine) -> Iterator[HangCure]:
    """Programs with an end that give or take some objects more."""
    ended = {a.name for a in machine.cores if a.done}
    for core in trial.design.cores:
        if core.name not in ended:
            continue
        steps = trial.steps(core)
        for key in dict.fromkeys(a.key for a in each(steps)):
            pair = (LockAccess(True, *key, 1), LockAccess(False, *key, 1))
            more = _more_objects(trial, core, steps, pair)
            if more is not None:
                does = "give" if key[1] == "produce" else "take"
                text = f"{core.name} has ended: let it {does} {more} more object(s) of {key[0]}"
                yield HangCure("objects", core.name, text)


def _add_to_locks(values: Sequence[tuple[LockKey, int]], machine: Machine) -> None:
    for key, value in values:
        machine.locks[key] += value


def _more_objects(trial: HangTrial, core: Core, steps: Steps, pair: tuple[LockAccess, LockAccess]) -> int | None:
    """How many more objects a core must give or take; with too many it would wait itself."""
    for count in range(1, _OBJECTS + 1):
        if trial.with_program(core, (*steps, *chain(*[pair] * count))).completes():
            return count
    return None


def _transfers(trial: HangTrial, machine: Machine) -> Iterator[HangCure]:
    """Fills that are too short, drains that are too long, and transfers that the other side never asks for."""
    for key, channel in machine.channels.items():
        if channel.tile.kind is not TileKind.SHIM:
            continue
        sends = channel.channel.direction is Direction.MM2S
        name = f"{'fill' if sends else 'drain'} of {channel.channel.fifo}"
        if channel.done:
            found = _longer(trial, key, channel)
            if found is not None:
                does = "moves" if channel.passed else "is never started: it moves"
                text = f"the {name} {does} {channel.passed} words, {found} are needed"
                yield HangCure("fill" if sends else "drain", channel.channel.fifo, text)
        elif not channel.free and not channel.met:
            moved = channel.passed
            if trial.completes(lambda m, key=key, n=moved: m.channels[key].supply(n)):  # type: ignore[misc]
                other = "are taken" if sends else "arrive"
                text = f"the {name} asks for more than the {moved} words that {other}"
                yield HangCure("fill" if sends else "drain", channel.channel.fifo, text)


def _longer(trial: HangTrial, key: ChannelKey, channel: ChannelAgent) -> int | None:
    """The fewest words with which the design completes, more than a channel that has ended moved; None if no number does."""
    open_ended = trial.machine(lambda m: m.channels[key].unbound())
    if not trial.ends(open_ended):
        return None
    # Of as many words as it took at most, fewer may do; more than that would not be taken.
    most = open_ended.channels[key].passed - channel.passed
    more = smallest_enough(lambda n: trial.completes(lambda m: m.channels[key].supply(channel.passed + n)), most)
    return None if more is None else channel.passed + more


def _completes(trial: HangTrial, fifos: list[Fifo]) -> bool | None:
    """Whether the design ends with other fifos; None: they break a rule."""
    design = replace(trial.design, fifos=fifos)
    try:
        return replace(trial, design=design, plan=lower(design)).completes()
    except RuleError:
        return None


def _iterations(trial: HangTrial, machine: Machine) -> Iterator[HangCure]:
    """Rings of memory tiles that end too early."""
    design = trial.design
    if design.fixed is not None:
        return
    ended = {c.channel.fifo for c in machine.channels.values() if c.done and c.tile.kind is TileKind.MEM}
    for fifo in design.fifos:
        if fifo.name not in ended or fifo.iter_count is None:
            continue
        for count in range(fifo.iter_count + 1, min(256, fifo.iter_count + _ITERATIONS) + 1):
            fifos = [replace(f, iter_count=count) if f is fifo else f for f in design.fifos]
            completes = _completes(trial, fifos)
            if completes is None:
                break
            if completes:
                yield HangCure("iterations", fifo.name, f"iter_count {count} of {fifo.name} (now {fifo.iter_count})")
                break


def _repeats(trial: HangTrial, waiting: Sequence[LockAgent]) -> Iterator[HangCure]:
    """Objects that a memory tile gets once, and that a core takes again and again."""
    design = trial.design
    if design.fixed is not None:
        return
    tiles = {core.tile for core in _cores(trial, waiting)}
    for link in design.links:
        legs = [fifo for fifo in design.fifos if fifo.name in link.outs]
        if not any(fifo.producer.kind is TileKind.MEM and tiles.intersection(fifo.consumers) for fifo in legs):
            continue
        for count in range(legs[0].repeat_count + 1, _REPEATS + 1):
            fifos = [replace(f, repeat_count=count) if f in legs else f for f in design.fifos]
            completes = _completes(trial, fifos)
            if completes is None:
                break
            if completes:
                names = " and ".join(fifo.name for fifo in legs)
                text = f"repeat_count {count} of {names} (now {legs[0].repeat_count}), if the same objects are wanted again"
                yield HangCure("repeat", legs[0].name, text)
                break
