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
from goldbeat.pymodels.objfifo.engine.registers import Descriptor
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk
from goldbeat.pymodels.objfifo.live.dma import LiveWords
from goldbeat.pymodels.objfifo.live.record_channels import ring_of
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
    """

    acquire: Lock | None = None
    release: Lock | None = None
    changed: list[npt.NDArray[np.int64]] = field(default_factory=list)
    at: int = 0
    walks: tuple[Descriptor, ...] = ()

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
        elif op.difference < 0:
            flush()
            step.acquire, step.at = (op.lock, -op.difference), op.at + 1
        else:
            step.release, step.at = (op.lock, op.difference), op.at + 1
            flush()
    flush()
    return found


def core_channel(
    segment: TileSegment, name: str, buffers: Ranges, scratch: int, most: int
) -> tuple[list[Descriptor], LiveWords]:
    """A core's descriptors (``next`` within the list, one task from the first on) and the words that they take.

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
        steps = core_steps(segment.cores[name])
        _walks(segment, name, steps, buffers, whole)
        loop = _loop(steps)
        kept = steps if loop is None else steps[: sum(loop)]
        descriptors: list[Descriptor] = []
        entry = 0
        for number, step in enumerate(kept):
            entry = len(descriptors) if loop is not None and number == loop[0] else entry
            descriptors += _descriptors(step, scratch)
        needed = len(descriptors)
        if needed <= most:
            descriptors = [replace(d, next=n + 1) for n, d in enumerate(descriptors)]
            descriptors[-1] = replace(descriptors[-1], next=entry if loop is not None else None)
            return descriptors, _words(segment, steps)
    raise UsageError(f"{needed} descriptors for what {name} does, of which the engine has {most} left")


def _descriptors(step: CoreStep, scratch: int) -> list[Descriptor]:
    found = list(step.walks) or [Descriptor(scratch, 1)]
    found[0] = replace(found[0], acquire=step.acquire)
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


def _loop(steps: list[CoreStep]) -> tuple[int, int] | None:
    """From which step on, and by how many, a core repeats its locks; its steps there write the same as their likes do."""
    base = ring_of([(s.acquire, s.release) for s in steps])
    if base is None:
        return None
    first, unit = base
    for period in range(unit, (len(steps) - first) // 2 + 1, unit):
        likes = [steps[first + n :: period] for n in range(period)]
        unions = [tuple(dict.fromkeys(w for s in like for w in s.walks)) for like in likes]
        if all(any(s.walks == u for s in like) for like, u in zip(likes, unions, strict=True)):
            for like, union in zip(likes, unions, strict=True):
                for step in like:
                    step.walks = union
            return first, period
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
