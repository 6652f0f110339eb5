# SPDX-License-Identifier: Apache-2.0
"""What a core did with a tile's locks and memory as descriptors of one channel into that memory.

A step "acquire A, change words, release B" is a descriptor: it acquires A, the words come by the channel's stream, it releases B.
A step without words writes a word that nobody looks at.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import MOST_BDS, Descriptor
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk
from goldbeat.pymodels.objfifo.live.dma import LiveWords
from goldbeat.pymodels.objfifo.live.record_channels import MOST_RUNS, middle_of, ring_of
from goldbeat.pymodels.objfifo.live.record_events import BdBegun, WordsChanged, WordsMoved
from goldbeat.pymodels.objfifo.live.record_segments import CoreOp, TileSegment
from goldbeat.pymodels.objfifo.plan.plan import Direction

Lock = tuple[int, int]
Ranges = Sequence[tuple[int, int]]


@dataclass
class CoreStep:
    """A step of a core.

    Attributes:
        acquire, release: lock and count.
        changed: addresses of words.
        at: index of the event behind its last change.
        walks: what is written, as descriptors without locks.
        equal: it acquires at this very value, and leaves it.
    """

    acquire: Lock | None = None
    release: Lock | None = None
    changed: list[npt.NDArray[np.int64]] = field(default_factory=list)
    at: int = 0
    walks: tuple[Descriptor, ...] = ()
    equal: bool = False

    @property
    def addresses(self) -> npt.NDArray[np.int64]:
        """All that it changes, in order."""
        return np.unique(np.concatenate([np.zeros(0, np.int64), *self.changed]))


def core_steps(ops: Sequence[CoreOp]) -> list[CoreStep]:
    """Operations as steps."""
    found: list[CoreStep] = []
    step = CoreStep()

    def flush() -> None:
        nonlocal step
        if step.acquire or step.release or step.changed:
            found.append(step)
        step = CoreStep()

    for op in ops:
        if op.addresses is not None:
            step.changed.append(op.addresses)
            step.at = op.at + 1
        elif op.difference < 0 or op.equal is not None:
            flush()
            step.equal = op.equal is not None
            step.acquire, step.at = (op.lock, -op.difference if op.equal is None else op.equal), op.at + 1
        else:
            step.release, step.at = (op.lock, op.difference), op.at + 1
            flush()
    flush()
    return found


@dataclass
class CoreChannel:
    """A core as a channel: descriptors (``next`` within the list), tasks (start, repeats), and the words that they take."""

    descriptors: list[Descriptor]
    tasks: list[tuple[int, int]]
    words: LiveWords


def core_channel(segment: TileSegment, name: str, buffers: Ranges, scratch: int, most: int) -> CoreChannel:
    """What a core does. A loop is written once: a ring if it goes on to the end, else a chain that is run many times.

    Args:
        segment: the part of the run.
        name: of the core.
        buffers: first word and words of the tile's buffers.
        scratch: address of the word that nobody looks at.
        most: descriptors that are left.

    Raises:
        UsageError: more descriptors than there are.
    """
    needed = 0
    for whole in (False, True):
        for shape in (_ring, _counted):
            steps = core_steps(segment.cores[name])
            _walks(segment, name, steps, buffers, whole)
            descriptors, tasks = shape(steps, scratch)
            needed = min(needed or len(descriptors), len(descriptors))
            if len(descriptors) <= most:
                return CoreChannel(descriptors, tasks, _words(segment, steps))
    raise UsageError(f"{needed} descriptors for what {name} does, of which the engine has {most} left")


Tasks = list[tuple[int, int]]


def _ring(steps: list[CoreStep], scratch: int) -> tuple[list[Descriptor], Tasks]:
    """All steps in a chain, what repeats to the end as a ring behind it."""
    base = ring_of(_locks_of(steps))
    loop = None if base is None else _loop(steps[base[0] :], base[1])
    first = len(steps) if base is None or loop is None else base[0]
    found = _chain(steps[:first], scratch)
    if loop is not None:
        entry = len(found)
        found = _chain(steps[: first + loop], scratch)
        found[-1] = replace(found[-1], next=entry)
    return found, [(0, 0)]


def _counted(steps: list[CoreStep], scratch: int) -> tuple[list[Descriptor], Tasks]:
    """Steps before a loop, the loop as often as it goes, steps behind it."""
    middle = middle_of(_locks_of(steps))
    period = None if middle is None else _loop(steps[middle[0] : middle[0] + middle[1] * middle[2]], middle[1])
    if middle is None or period is None:
        return _ring(steps, scratch)
    first, turns = middle[0], middle[1] * middle[2] // period
    copies = -(-turns // MOST_RUNS)
    runs, rest = divmod(turns, copies)
    found = _chain(steps[:first], scratch)
    tasks: Tasks = [(0, 0)] if found else []
    entry = len(found)
    body = _chain(steps[first : first + period], scratch)
    found += _moved(_chain(steps[first : first + period] * copies, scratch), entry)
    tasks.append((entry, runs - 1))
    if rest:
        # The last copies of the chain are one more task.
        tasks.append((entry + (copies - rest) * len(body), 0))
    tail = steps[first + period * turns :]
    if tail:
        tasks.append((len(found), 0))
        found += _moved(_chain(tail, scratch), len(found))
    return found, tasks


def _chain(steps: Sequence[CoreStep], scratch: int) -> list[Descriptor]:
    found = [d for step in steps for d in _descriptors(step, scratch)]
    return [replace(d, next=n + 1 if n + 1 < len(found) else None) for n, d in enumerate(found)]


def _moved(chain: list[Descriptor], by: int) -> list[Descriptor]:
    return [replace(d, next=None if d.next is None else d.next + by) for d in chain]


def _locks_of(steps: Sequence[CoreStep]) -> list[tuple[Lock | None, Lock | None, bool]]:
    return [(s.acquire, s.release, s.equal) for s in steps]


def _descriptors(step: CoreStep, scratch: int) -> list[Descriptor]:
    found = list(step.walks) or [Descriptor(scratch, 1)]
    found[0] = replace(found[0], acquire=step.acquire, acquire_equal=step.equal)
    found[-1] = replace(found[-1], release=step.release)
    return found


def _walks(segment: TileSegment, name: str, steps: Sequence[CoreStep], buffers: Ranges, whole: bool) -> None:
    """What each step writes: of a buffer that only this core changes, always the same part; else the words that changed."""
    others = np.concatenate([np.zeros(0, np.int64), *_others(segment, name)])
    ordered = sorted(set(buffers))
    firsts = [first for first, _ in ordered]
    parts: dict[int, list[npt.NDArray[np.int64]]] = {}
    for step in steps:
        for place, at in _by_buffer(step.addresses, ordered, firsts):
            parts.setdefault(place, []).append(at)
    hulls = {place: (min(int(a[0]) for a in all_), max(int(a[-1]) for a in all_)) for place, all_ in parts.items()}
    for step in steps:
        walks: list[Descriptor] = []
        for place, at in _by_buffer(step.addresses, ordered, firsts):
            low, high = hulls[place]
            shared = bool(((others >= low) & (others <= high)).any())
            if place >= 0 and (whole or not shared):
                walks.append(Descriptor(low, high - low + 1))
            else:
                walks += _exact(at)
        step.walks = tuple(walks)


def _others(segment: TileSegment, name: str) -> list[npt.NDArray[np.int64]]:
    """Addresses that channels, other cores and the host write."""
    found: list[npt.NDArray[np.int64]] = []
    for event in segment.events:
        if isinstance(event, WordsChanged) and event.by != name:
            found.append(event.addresses)
        elif isinstance(event, BdBegun) and event.channel.direction is Direction.S2MM:
            found.append(event.bd.addresses_of(event.use))
    return found


def _by_buffer(
    addresses: npt.NDArray[np.int64], buffers: Ranges, firsts: Sequence[int]
) -> list[tuple[int, npt.NDArray[np.int64]]]:
    """Addresses in order, by the number of their buffer; -1 for none."""
    found: dict[int, list[int]] = {}
    for address in addresses.tolist():
        place = bisect_right(firsts, address) - 1
        inside = place >= 0 and address < buffers[place][0] + buffers[place][1]
        found.setdefault(place if inside else -1, []).append(address)
    return [(place, np.array(at, np.int64)) for place, at in found.items()]


def _exact(addresses: npt.NDArray[np.int64]) -> list[Descriptor]:
    """One walk where there is one, else runs of words."""
    try:
        return [fit_walk(addresses)]
    except UsageError:
        breaks = np.flatnonzero(np.diff(addresses) != 1) + 1
        return [Descriptor(int(run[0]), len(run)) for run in np.split(addresses, breaks)]


def _loop(steps: list[CoreStep], unit: int) -> int | None:
    """The period of a loop whose locks repeat after ``unit`` steps; its steps write the same as their likes do."""
    for period in range(unit, min(len(steps) // 2, MOST_BDS) + 1, unit):
        likes = [steps[n::period] for n in range(period)]
        unions = [tuple(dict.fromkeys(w for s in like for w in s.walks)) for like in likes]
        if all(any(s.walks == u for s in like) for like, u in zip(likes, unions, strict=True)):
            for like, union in zip(likes, unions, strict=True):
                for step in like:
                    step.walks = union
            return period
    return None


def _words(segment: TileSegment, steps: Sequence[CoreStep]) -> LiveWords:
    """What a core writes, step by step: memory as it is behind each step's last change."""
    memory = segment.memory.copy()
    found: list[LiveWords] = []
    left = iter(sorted(steps, key=lambda s: s.at))
    step = next(left, None)
    at: dict[object, tuple[BdBegun, int]] = {}
    for number in range(len(segment.events) + 1):
        while step is not None and step.at == number:
            found += [memory[descriptor_addresses(w)] for w in step.walks] or [np.zeros(1, np.uint32)]
            step = next(left, None)
        if number == len(segment.events):
            break
        event = segment.events[number]
        if isinstance(event, WordsChanged):
            memory[event.addresses] = event.values
        elif isinstance(event, BdBegun):
            at[event.channel] = event, 0
        elif isinstance(event, WordsMoved) and event.channel.direction is Direction.S2MM:
            begun, done = at[event.channel]
            memory[begun.bd.addresses_of(begun.use)[done : done + len(event.words)]] = event.words
            at[event.channel] = begun, done + len(event.words)
    return np.concatenate(found).astype(np.uint32)
