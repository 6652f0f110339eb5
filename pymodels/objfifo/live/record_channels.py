# SPDX-License-Identifier: Apache-2.0
"""What a channel did in a part of a run as descriptors and tasks of the engine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses, header_word
from goldbeat.pymodels.objfifo.engine.registers import MOST_BDS, QUEUE_DEPTH, Descriptor
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk
from goldbeat.pymodels.objfifo.live.dma import LiveBd
from goldbeat.pymodels.objfifo.live.record_segments import ChannelPart
from goldbeat.pymodels.objfifo.plan.plan import Direction, Iteration

MOST_RUNS = 256
"""Most runs of a task's chain (objfifo-engine.md, Registers)."""
_MOST_ITERATIONS = 64
LockNumber = Callable[[LiveBd], tuple[tuple[int, int] | None, tuple[int, int] | None]]
"""A descriptor -> (lock, value) of its acquire and of its release."""


@dataclass
class ChannelProgram:
    """Descriptors and tasks of a channel; ``next`` and starts count within the list.

    Attributes:
        descriptors: in order.
        tasks: start, repeats, token.
        linked: tasks of the host that stand in one chain, since they do not fit the queue or their descriptors were rewritten.
        packets: of an out-of-order channel, the descriptor of each packet.
    """

    descriptors: list[Descriptor] = field(default_factory=list)
    tasks: list[tuple[int, int, bool]] = field(default_factory=list)
    linked: bool = False
    packets: list[int] = field(default_factory=list)


def ring_of(keys: Sequence[Hashable]) -> tuple[int, int] | None:
    """The shortest beginning and period of a sequence that repeats to its end; None where it does not."""
    numbers: dict[Hashable, int] = {}
    seq = np.array([numbers.setdefault(k, len(numbers)) for k in keys])
    best: tuple[int, int] | None = None
    for period in range(1, len(seq) // 2 + 1):
        if best is not None and period >= sum(best):
            break
        other = np.flatnonzero(seq[period:] != seq[:-period])
        first = int(other[-1]) + 1 if len(other) else 0
        if first + 2 * period <= len(seq) and (best is None or first + period < sum(best)):
            best = (first, period)
    return best


def middle_of(keys: Sequence[Hashable]) -> tuple[int, int, int] | None:
    """What repeats longest inside a sequence: its beginning, period and turns; None where nothing does."""
    numbers: dict[Hashable, int] = {}
    seq = np.array([numbers.setdefault(k, len(numbers)) for k in keys])
    best: tuple[int, int, int] | None = None
    for period in range(1, min(MOST_BDS, len(seq) // 2 + 1)):
        same = np.concatenate([[False], seq[period:] == seq[:-period], [False]])
        edges = np.flatnonzero(same[1:] != same[:-1]).reshape(-1, 2)
        if not len(edges):
            continue
        first, end = (int(n) for n in edges[np.argmax(edges[:, 1] - edges[:, 0])])
        turns = (end - first) // period + 1
        if turns > 1 and (best is None or period * turns > best[1] * best[2]):
            best = (first, period, turns)
    return best


def live_descriptor(bd: LiveBd, use: int, direction: Direction, locks: LockNumber) -> Descriptor:
    """A recorded descriptor with its iteration from this use on.

    Raises:
        UsageError: the engine has no such walk or value.
    """
    turn = live_iteration(bd)
    first = use if turn is None else 0
    walk = bd.addresses_of(first)
    turn = turn or Iteration()
    start = turn.current % turn.size * turn.step
    walk = np.where(walk < 0, -1, walk - start)
    padded = bool((walk < 0).any())
    if padded and direction is Direction.S2MM:
        raise UsageError("padding of a channel to memory")
    made = fit_walk(walk)
    if not _same(made, walk):
        raise UsageError("a walk that no descriptor of the engine has")
    takes, gives = locks(bd)
    header = None if bd.bd.packet is None or direction is Direction.S2MM else (bd.bd.packet.id, bd.bd.packet.type)
    return replace(
        made,
        iteration_size=turn.size,
        iteration_step=turn.step if turn.size > 1 else 0,
        iteration_start=(turn.current + use) % turn.size,
        acquire=takes,
        acquire_equal=bd.takes is not None and bd.takes[2],
        release=gives,
        next=None,
        packet=header,
        ooo_id=0 if header is None else bd.slot,
    )


def live_iteration(bd: LiveBd) -> Iteration | None:
    """A descriptor's iteration; None where the engine cannot count it, so that every use is a descriptor by itself."""
    turn = bd.bd.iteration
    if bd.turns:
        step = bd.turns[1] if len(bd.turns) > 1 else 0
        if bd.turns != tuple(step * n for n in range(len(bd.turns))):
            return None
        turn = Iteration(len(bd.turns), step)
    return turn if turn.size <= _MOST_ITERATIONS else None


def _same(made: Descriptor, walk: npt.NDArray[np.int64]) -> bool:
    found = descriptor_addresses(replace(made, iteration_step=0), 0, True)
    return len(found) == len(walk) and np.array_equal(found, walk)


def channel_program(part: ChannelPart, locks: LockNumber, most: int) -> ChannelProgram:
    """A channel's descriptors and tasks: chains and rings as they are, or what they came to one after the other.

    Args:
        part: what it did.
        locks: numbers of locks.
        most: descriptors that are left.

    Raises:
        UsageError: the engine has too little of something.
    """
    direction = part.channel.direction
    runs = [(bd, use) for task in part.tasks for run in task.runs for bd, use in run]
    if not runs:
        return ChannelProgram()
    if not part.channel.ordered:
        return _by_headers(runs, locks, most)
    bounded = direction is Direction.S2MM or _gated([bd for bd, _ in runs])
    made = _as_written(part, locks, bounded)
    if made is not None and len(made.descriptors) <= most:
        return made
    flat = [_folded(live_descriptor(bd, use, direction, locks)) for bd, use in runs]
    made = unrolled_program(flat, bounded)
    if len(made.descriptors) > most:
        raise UsageError(f"{len(made.descriptors)} descriptors, of which the engine has {most} left")
    return made


def _by_headers(runs: Sequence[tuple[LiveBd, int]], locks: LockNumber, most: int) -> ChannelProgram:
    """An out-of-order channel: each descriptor once, and tasks of as many packets as came."""
    found = ChannelProgram()
    known: dict[Hashable, int] = {}
    uses: dict[int, int] = {}
    for bd, use in runs:
        key: Hashable = id(bd)
        follows = use == uses.get(id(bd), use - 1) + 1
        uses[id(bd)] = use
        if live_iteration(bd) is None or not follows:
            key = (id(bd), use)
        if key not in known:
            made = live_descriptor(bd, use, Direction.S2MM, locks)
            known[key] = len(known)
            found.descriptors.append(made if key == id(bd) else _folded(made))
        found.packets.append(known[key])
    if len(found.descriptors) > most:
        raise UsageError(f"{len(found.descriptors)} descriptors, of which the engine has {most} left")
    for start in range(0, len(runs), MOST_RUNS):
        found.tasks.append((0, min(MOST_RUNS, len(runs) - start) - 1, False))
    if len(found.tasks) > QUEUE_DEPTH:
        raise UsageError(f"{len(runs)} packets of an out-of-order channel; {QUEUE_DEPTH * MOST_RUNS} can come")
    return found


def _gated(bds: Sequence[LiveBd]) -> bool:
    """Somebody else holds the channel back: a lock that it takes and does not give itself."""
    given = {id(bd.gives[0]) for bd in bds if bd.gives is not None}
    takes = [bd.takes for bd in bds if bd.takes is not None and not bd.takes[2]]
    return any(count > 0 and id(lock) not in given for lock, count, _ in takes)


def _folded(one: Descriptor) -> Descriptor:
    """The use at hand without an iteration."""
    base = one.base + one.iteration_start * one.iteration_step
    return replace(one, base=base, iteration_size=1, iteration_step=0, iteration_start=0)


def unrolled_program(flat: Sequence[Descriptor], bounded: bool) -> ChannelProgram:
    """Descriptors one after the other; what repeats is written once.

    Args:
        flat: all of them.
        bounded: something stops it (its words or locks); else it must end by itself.
    """
    found = ChannelProgram(linked=True)
    ring = ring_of(flat)
    if ring is None:
        found.descriptors = [replace(d, next=n + 1) for n, d in enumerate(flat)]
        found.descriptors[-1] = replace(flat[-1], next=None)
        found.tasks = [(0, 0, False)]
        return found
    first, period = ring
    chain = list(flat[: first + period])
    found.descriptors = [replace(d, next=n + 1) for n, d in enumerate(chain)]
    if bounded:
        found.descriptors[-1] = replace(chain[-1], next=first)
        found.tasks = [(0, 0, False)]
        return found
    if first:
        found.descriptors[first - 1] = replace(chain[first - 1], next=None)
        found.tasks.append((0, 0, False))
    found.descriptors[-1] = replace(chain[-1], next=None)
    turns, rest = divmod(len(flat) - first, period)
    for start in range(0, turns, MOST_RUNS):
        found.tasks.append((first, min(MOST_RUNS, turns - start) - 1, False))
    if rest:
        found.tasks.append((len(found.descriptors), 0, False))
        tail = [replace(d, next=len(found.descriptors) + n + 1) for n, d in enumerate(flat[-rest:])]
        tail[-1] = replace(tail[-1], next=None)
        found.descriptors += tail
    if len(found.tasks) > QUEUE_DEPTH:
        raise UsageError(f"{len(flat)} descriptors without locks in {len(found.tasks)} tasks; {QUEUE_DEPTH} can wait")
    return found


def _as_written(part: ChannelPart, locks: LockNumber, bounded: bool) -> ChannelProgram | None:
    """Each descriptor once, linked as they ran; None where one was followed by different ones, or tasks are too many."""
    following: dict[int, int | None] = {}
    first: dict[int, tuple[LiveBd, int]] = {}
    uses: dict[int, int] = {}
    groups: list[tuple[int, int, bool]] = []
    for task in part.tasks:
        starts: list[int] = []
        for number, run in enumerate(task.runs):
            done = number < len(task.runs) - 1 or task.open or task.ends
            for at, (bd, use) in enumerate(run):
                key = id(bd)
                if use != uses.get(key, use - 1) + 1 or (key in uses and live_iteration(bd) is None):
                    return None
                uses[key] = use
                first.setdefault(key, (bd, use))
                if at == len(run) - 1 and not done:
                    if not bounded:
                        return None
                    continue
                after = id(run[at + 1][0]) if at + 1 < len(run) else None
                if following.setdefault(key, after) != after:
                    return None
            if run:
                starts.append(id(run[0][0]))
        groups += _groups(starts, task.task.token and task.ends)
    if len(groups) > QUEUE_DEPTH:
        groups = _joined(groups)
    if len(groups) > QUEUE_DEPTH or any(repeat >= MOST_RUNS for _, repeat, _ in groups):
        return None
    numbers = {key: n for n, key in enumerate(first)}
    found = ChannelProgram()
    for key, (bd, use) in first.items():
        after = following.get(key)
        made = live_descriptor(bd, use, part.channel.direction, locks)
        found.descriptors.append(replace(made, next=None if after is None else numbers[after]))
    found.tasks = [(numbers[key], repeat, token) for key, repeat, token in groups]
    return found


def _groups(starts: list[int], token: bool) -> list[tuple[int, int, bool]]:
    """Runs of a task: the first one may begin in the middle of its chain."""
    found: list[tuple[int, int, bool]] = []
    for key in starts:
        if found and found[-1][0] == key:
            found[-1] = (key, found[-1][1] + 1, False)
        else:
            found.append((key, 0, False))
    if found:
        found[-1] = (*found[-1][:2], token)
    return found


def _joined(groups: list[tuple[int, int, bool]]) -> list[tuple[int, int, bool]]:
    """Equal tasks behind each other as one that repeats."""
    found: list[tuple[int, int, bool]] = []
    for key, repeat, token in groups:
        if found and found[-1][0] == key:
            found[-1] = (key, found[-1][1] + repeat + 1, token)
        else:
            found.append((key, repeat, token))
    return found


def padding_value(part: ChannelPart) -> int:
    """What the padding of a channel holds, one value of a channel.

    Raises:
        UsageError: several values.
    """
    bds = {id(bd): bd for task in part.tasks for run in task.runs for bd, _ in run}
    found = {bd.pad for bd in bds.values() if (bd.addresses_of(0) < 0).any()}
    if len(found) > 1:
        raise UsageError(
            f"padding with {' and '.join(f'{n:#x}' for n in sorted(found))}; an engine's channel has one value"
        )
    return found.pop() if found else 0


def words_on_stream(part: ChannelPart, names: Sequence[int] = ()) -> npt.NDArray[np.uint32]:
    """What goes over a channel's stream, headers of packets included.

    Args:
        part: what it did.
        names: of an out-of-order channel, the number of the descriptor that each packet's header names.
    """
    moved = np.concatenate([np.zeros(0, np.uint32), *part.words])
    if part.channel.direction is Direction.S2MM:
        return _named_packets(part, moved, names) if names else moved
    found: list[npt.NDArray[np.uint32]] = []
    at = 0
    for bd, use in ((bd, use) for task in part.tasks for run in task.runs for bd, use in run):
        words = moved[at : at + len(bd.addresses_of(use))]
        at += len(words)
        if bd.bd.packet is not None and len(words):
            found.append(np.array([header_word(bd.bd.packet.id, bd.bd.packet.type, bd.slot)], np.uint32))
        found.append(words)
    return np.concatenate([np.zeros(0, np.uint32), *found])


def _named_packets(part: ChannelPart, moved: npt.NDArray[np.uint32], names: Sequence[int]) -> npt.NDArray[np.uint32]:
    """Packets into an out-of-order channel, with headers that name descriptors of the engine."""
    found: list[npt.NDArray[np.uint32]] = []
    at = 0
    runs = [(bd, use) for task in part.tasks for run in task.runs for bd, use in run]
    for (bd, use), name in zip(runs, names, strict=True):
        words = moved[at : at + len(bd.addresses_of(use))]
        at += len(words)
        found += [np.array([header_word(0, 0, name)], np.uint32), words]
    return np.concatenate(found)
