# SPDX-License-Identifier: Apache-2.0
"""Scenes in which every field of descriptors, tasks and locks has any value, so that each of its bits is seen to count.

A field that is as large as it can be mostly leads out of the memory. So a channel's last descriptor may end in an error: with
any of the high bits left out, it would go on. Fields that mean nothing where they stand are random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.engine import PADDING, descriptor_addresses, header_word
from goldbeat.pymodels.objfifo.engine.registers import (
    BD_WORDS,
    LOCK_MAX,
    MOST_BDS,
    QUEUE_DEPTH,
    Descriptor,
    EngineShape,
    EngineTask,
    disarm,
    encode_descriptor,
    memory_reads,
)
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.objfifo.scene import EngineScene, engine_stimulus, random_halves

_MOST_WORDS = 24
"""Words of most descriptors."""
_LONG_WORDS = 150
"""Words of a few."""
_NEAR = 16
"""Words up to the end of the memory, at most, where a descriptor is to leave it."""
_BITS = {"wraps": 10, "steps": 17, "iteration_step": 17, "base": 20, "length": 18}
_PAD_BITS = (6, 5, 4)
_INDEX_BITS = 6
_DIMENSIONS = {"steps": 4, "wraps": 3}
_BAD = 8
"""Of about a hundred descriptors that stop their channels, those that are no good at all."""
_OVERFLOWS = {True: 0.25, False: 0.1}
"""Of the locks, those that a release makes overflow: of engines with few locks, whose scenes use few of them, and of others."""
_LOST = 0.3
"""Of the releases of engines with few locks, those to a lock that is not there."""


@dataclass
class _Use:
    """A descriptor of a channel: its number, itself, and how often it is used."""

    number: int
    descriptor: Descriptor
    times: int


@dataclass
class _Channel:
    """What one channel does, in the order of its descriptors."""

    number: int
    by_header: bool
    uses: list[_Use] = field(default_factory=list)
    tasks: list[EngineTask] = field(default_factory=list)


class _FieldScene:
    """Descriptors, tasks and locks of one episode, and the words that its channels need."""

    def __init__(self, shape: EngineShape, rng: Rng, number: int, turns: _Turns) -> None:
        self.shape, self.rng, self.turns = shape, rng, turns
        self.bds = iter(rng.permutation(shape.nbd).tolist())
        self.lock_ids = cycle(rng.permutation(shape.nlock).tolist())
        self.scene = EngineScene(core=bool(rng.integers(2)), pads={m: _any(rng, 32) for m in range(shape.nm)})
        self.scene.cores = tuple(np.flatnonzero(rng.random(shape.channels) < 0.3).tolist())
        by_header = np.flatnonzero(rng.random(shape.ns) < 0.3).tolist()
        self.scene.out_of_order = tuple(by_header)
        self.read: set[int] = set()
        self.written: set[int] = set()
        self.channels = [_Channel(c, c in by_header) for c in range(shape.channels)]
        for channel in self.channels:
            self._fill(channel)
        if number % 2:
            self._overflow(number // 2 % shape.channels)

    def _overflow(self, channel: int) -> None:
        """Push more tasks than a queue holds; they move three words."""
        use = _Use(next(self.bds), Descriptor(int(self.rng.integers(self.shape.mem_words - 4)), 3), QUEUE_DEPTH)
        self.channels[channel].uses.append(use)
        self._note(use, channel >= self.shape.ns)
        self.scene.tasks += [EngineTask(channel, use.number)] * (QUEUE_DEPTH + 1)

    def _fill(self, channel: _Channel) -> None:
        """Give a channel descriptors, tasks and words."""
        rng, shape = self.rng, self.shape
        from_memory = channel.number >= shape.ns
        repeat = int(rng.integers(0, 3))
        most = max(1, shape.nbd // shape.channels - 1)
        for _ in range(int(rng.integers(1, min(3, most) + 1))):
            good = self._locked(_far_walk(rng, shape, from_memory, repeat + 1, self.turns), repeat + 1)
            channel.uses.append(_Use(next(self.bds), good, repeat + 1))
        numbers = [use.number for use in channel.uses]
        if channel.by_header:
            self._packets(channel, repeat)
            return
        for use, after in zip(channel.uses, [*numbers[1:], None], strict=True):
            use.descriptor = replace(use.descriptor, next=after)
        token = bool(rng.integers(2))
        self.scene.tasks.append(EngineTask(channel.number, numbers[0], repeat, token))
        words = sum(u.descriptor.length * u.times for u in channel.uses)
        if rng.random() < 0.8:
            last = _Use(next(self.bds), _ending(rng, shape, from_memory, self.turns), 1)
            channel.uses.append(last)
            self.scene.tasks.append(EngineTask(channel.number, last.number, _any(rng, 8), True))
            words += min(last.descriptor.length, 2 * _MOST_WORDS)
        for use in channel.uses:
            self._note(use, from_memory)
        if not from_memory:
            self.scene.words[channel.number] = random_halves(shape, rng, words + int(rng.integers(0, 6)))

    def _packets(self, channel: _Channel, repeat: int) -> None:
        """Packets in any order for a channel's descriptors; the last one may name one that is not there."""
        rng, shape = self.rng, self.shape
        order = rng.permutation([u.number for u in channel.uses for _ in range(u.times)]).tolist()
        lengths = {u.number: u.descriptor.length for u in channel.uses}
        if shape.nbd < MOST_BDS and rng.random() < 0.5:
            order.append(int(rng.integers(shape.nbd, MOST_BDS)))
        parts: list[npt.NDArray[np.uint32]] = []
        for number in order:
            packet = random_halves(shape, rng, 1 + lengths.get(number, 0))
            packet[0] = header_word(_any(rng, 5), _any(rng, 3), number)
            parts.append(packet)
        for use in channel.uses:
            use.descriptor = replace(use.descriptor, next=int(rng.integers(MOST_BDS)))
            self._note(use, False)
        self.scene.words[channel.number] = np.concatenate(parts)
        self.scene.tasks.append(EngineTask(channel.number, _any(rng, 6), len(order) - 1, bool(rng.integers(2))))

    def _note(self, use: _Use, from_memory: bool) -> None:
        """Remember the addresses that a descriptor reads or writes."""
        for index in _indices(use.descriptor, use.times):
            found = descriptor_addresses(
                replace(use.descriptor, length=min(use.descriptor.length, 200)), index, from_memory
            )
            inside = found[(found != PADDING) & (found < self.shape.mem_words)].tolist()
            (self.read if from_memory else self.written).update(inside)

    def _locked(self, descriptor: Descriptor, times: int) -> Descriptor:
        """The same with an acquire and a release that so many uses can do, most of them."""
        rng, locks = self.rng, self.scene.locks
        mine = next(self.lock_ids)
        if mine in locks:
            return descriptor
        has, kind = _any(rng, 6), int(rng.integers(4))
        locks[mine] = has
        if kind == 0:
            # More than half of it, and the next use has to wait.
            amount = int(rng.integers(rng.choice((0, has // 2)), has + 1))
            return replace(descriptor, acquire=(mine, amount), release=(mine, amount))
        acquire = (mine, has) if kind == 1 else (mine, int(rng.integers(has // times + 1)))
        theirs = next(self.lock_ids)
        if theirs in locks:
            return replace(descriptor, acquire=acquire, acquire_equal=kind == 1)
        gives = int(rng.integers(1, LOCK_MAX // times + 1))
        few = self.shape.nlock < MOST_BDS
        if few and rng.random() < _LOST:
            nowhere = int(rng.integers(self.shape.nlock, MOST_BDS))
            return replace(descriptor, acquire=acquire, acquire_equal=kind == 1, release=(nowhere, gives))
        room = LOCK_MAX - gives * times
        locks[theirs] = LOCK_MAX if rng.random() < _OVERFLOWS[few] else int(rng.integers(room + 1))
        return replace(descriptor, acquire=acquire, acquire_equal=kind == 1, release=(theirs, gives))

    def table(self) -> tuple[Access, ...]:
        """Write every word of the table; of descriptors that no channel uses, anything."""
        rng = self.rng
        words = {n: rng.integers(0, 1 << 32, BD_WORDS).tolist() for n in range(self.shape.nbd)}
        for channel in self.channels:
            for use in channel.uses:
                words[use.number] = _loose_words(rng, use, channel.number >= self.shape.ns, channel.by_header)
        return tuple(
            Access("write", reg.BD + reg.BD_STRIDE * number + 4 * n, int(word))
            for number, each in words.items()
            for n, word in enumerate(each)
        )


def _any(rng: Rng, bits: int) -> int:
    return int(rng.integers(1 << bits))


def _scaled(rng: Rng, bits: int) -> int:
    """A number of up to so many bits, small ones as often as large ones."""
    return _any(rng, int(rng.integers(bits + 1)))


def _indices(descriptor: Descriptor, times: int) -> list[int]:
    """The iteration indices of so many uses."""
    found = [descriptor.iteration_start]
    while len(found) < times:
        found.append((found[-1] + 1) % descriptor.iteration_size)
    return found


def _reach(descriptor: Descriptor, from_memory: bool, times: int) -> int:
    """The highest address of so many uses; -1: all of it is padding."""
    return max(int(descriptor_addresses(descriptor, i, from_memory).max()) for i in _indices(descriptor, times))


def _far_walk(rng: Rng, shape: EngineShape, from_memory: bool, times: int, turns: _Turns) -> Descriptor:
    """A walk anywhere in memory, which so many uses do not leave."""
    bits = (shape.mem_words - 1).bit_length()
    while True:
        length = int(rng.integers(1, _MOST_WORDS if rng.random() < 0.9 else _LONG_WORDS))
        packed = rng.random() < 0.3
        steps = [1 if packed and n == 0 else _scaled(rng, bits) for n in range(4)]
        found = _walked(Descriptor(length=length), [_scaled(rng, 4) for _ in range(3)], steps)
        found = replace(
            found,
            iteration_size=1 + _any(rng, 6),
            iteration_step=_scaled(rng, bits),
            iteration_start=_any(rng, 6),
            tlast=bool(rng.integers(2)),
        )
        if from_memory:
            found = _dressed(rng, found, turns)
        reach = _reach(found, from_memory, times)
        if reach < shape.mem_words:
            # With padding alone, the base means nothing.
            base = int(rng.integers(shape.mem_words - reach)) if reach >= 0 else _any(rng, _BITS["base"])
            return replace(found, base=base)


def _dressed(rng: Rng, descriptor: Descriptor, turns: _Turns) -> Descriptor:
    """The same with a packet header, or with padding; large padding is that of one side and dimension."""
    if rng.random() < 0.5:
        descriptor = replace(descriptor, packet=(_any(rng, 5), _any(rng, 3)), ooo_id=_any(rng, 6))
    if descriptor.wraps[0] == 0 or rng.random() < 0.2:
        return descriptor
    if rng.random() < 0.3:
        return _padded(descriptor, rng.integers(0, 3, 3).tolist(), rng.integers(0, 3, 3).tolist())
    pads = [[0, 0, 0], [0, 0, 0]]
    side, d = next(turns.pads)
    pads[side][d] = _any(rng, _PAD_BITS[d]) | int(rng.integers(2)) << _PAD_BITS[d] - 1
    # Few words within it, so that the walk comes to its end.
    wraps = [min(wrap, 2) for wrap in descriptor.wraps]
    return _padded(_walked(replace(descriptor, length=int(rng.integers(1, 80))), wraps, descriptor.steps), *pads)


def _padded(descriptor: Descriptor, before: Sequence[int], after: Sequence[int]) -> Descriptor:
    """The same with this padding."""
    return replace(descriptor, pad_before=(before[0], before[1], before[2]), pad_after=(after[0], after[1], after[2]))


_Ending = tuple[str, int, int]
"""A field, its dimension, and the bit that counts."""


class _Turns:
    """What has its turn in all episodes of a case.

    Attributes:
        endings: every high bit with which a descriptor leaves the memory, or without which it is over too soon; and bad ones.
        lengths: high bits of lengths, to and from memory.
        pads: sides and dimensions of padding.
    """

    def __init__(self, rng: Rng, shape: EngineShape) -> None:
        low = (shape.mem_words - 1).bit_length()
        firsts = {"base": low, "steps": low - 1, "iteration_step": low - _INDEX_BITS + 1, "length": 4, "wraps": 4}
        endings: list[_Ending] = [
            (name, d, bit)
            for name, first in firsts.items()
            for d in range(_DIMENSIONS.get(name, 1))
            for bit in range(max(first, 0), _BITS[name])
        ]
        endings += [("bad", 0, 0)] * _BAD
        self.endings = cycle([endings[n] for n in rng.permutation(len(endings)).tolist()])
        self.lengths = [cycle(rng.permutation(range(5, _BITS["length"])).tolist()) for _ in range(2)]
        self.pads = cycle([(side, d) for side in range(2) for d in range(3)])


def _ending(rng: Rng, shape: EngineShape, from_memory: bool, turns: _Turns) -> Descriptor:
    """A descriptor that stops its channel; without the bit whose turn it is it would go on, or end."""
    name, d, bit = next(turns.endings)
    low = (shape.mem_words - 1).bit_length()
    length = int(rng.integers(2, _MOST_WORDS))
    high = 1 << bit
    inside = int(rng.integers(4, _NEAR))
    near = shape.mem_words - inside
    if name == "bad":
        return _bad(rng, from_memory)
    if name == "length":
        return Descriptor(near, high | int(rng.integers(1, inside)))
    longer = length | 1 << next(turns.lengths[from_memory])
    if name == "base":
        return Descriptor(high | _any(rng, low), longer)
    wraps, steps = [1, 1, 1], [0, 0, 0, 0]
    if name == "steps":
        steps[d] = high | _scaled(rng, low - 1)
        wraps[d:3] = [int(rng.integers(3, 6)), 1, 1][: 3 - d]
        return _walked(Descriptor(_any(rng, 4), longer), wraps, steps)
    if name == "wraps":
        wraps[d], steps[d] = high | 2, 1
        return _walked(Descriptor(near, longer), wraps, steps)
    # The index has one bit, so that the product has one, too.
    index = 1 << int(rng.integers(max(0, low - bit), _INDEX_BITS))
    found = Descriptor(_any(rng, 4), longer, iteration_start=index)
    return replace(found, iteration_size=MOST_BDS, iteration_step=high)


def _walked(descriptor: Descriptor, wraps: Sequence[int], steps: Sequence[int]) -> Descriptor:
    """The same with these wraps and steps."""
    return replace(descriptor, wraps=(wraps[0], wraps[1], wraps[2]), steps=(steps[0], steps[1], steps[2], steps[3]))


def _bad(rng: Rng, from_memory: bool) -> Descriptor:
    """A descriptor that is no good: not valid, without words, or padded without a first size."""
    length = int(rng.integers(1, _MOST_WORDS))
    kind = int(rng.integers(3 if from_memory else 2))
    if kind == 0:
        return Descriptor(0, length, valid=False)
    if kind == 1:
        return Descriptor(0, 0, (1, 1, 1))
    d, pads = int(rng.integers(3)), [[0, 0, 0], [0, 0, 0]]
    pads[int(rng.integers(2))][d] = 1 << int(rng.integers(_PAD_BITS[d]))
    return _padded(Descriptor(0, length), *pads)


def _loose_words(rng: Rng, use: _Use, from_memory: bool, by_header: bool) -> list[int]:
    """The words of a descriptor, with anything in fields that mean nothing where it is used."""
    words = [_any(rng, 32) for _ in range(BD_WORDS)]
    for n, (word, loose) in enumerate(
        zip(encode_descriptor(use.descriptor), _loose(use, from_memory, by_header), strict=True)
    ):
        words[n] = word & ~loose | words[n] & loose
    return words


def _loose(use: _Use, from_memory: bool, by_header: bool) -> list[int]:
    """Bits of each word of a descriptor that mean nothing."""
    d = use.descriptor
    loose = [~_HELD[n] for n in range(BD_WORDS)]
    loose[_at(reg.BD_LOCKS)] |= 0 if d.acquire else reg.BD_LOCKS_ACQUIRE_LOCK | reg.BD_LOCKS_ACQUIRE_VALUE
    loose[_at(reg.BD_LOCKS)] |= 0 if d.acquire else reg.BD_LOCKS_ACQUIRE_EQUAL
    loose[_at(reg.BD_LOCKS)] |= 0 if d.release and d.release[1] else reg.BD_LOCKS_RELEASE_LOCK
    control = _at(reg.BD_CONTROL)
    loose[control] |= 0 if d.packet and from_memory else _HEADER
    loose[control] |= 0 if d.next is not None else reg.BD_CONTROL_NEXT
    loose[control] |= reg.BD_CONTROL_NEXT | reg.BD_CONTROL_NEXT_ENABLE if by_header else 0
    if not from_memory:
        loose[control] |= reg.BD_CONTROL_SUPPRESS_TLAST | reg.BD_CONTROL_PACKET
        loose[_at(reg.BD_PAD_BEFORE)] = loose[_at(reg.BD_PAD_AFTER)] = -1
    if d.wraps[0] == 0:
        for word in (reg.BD_DIM1, reg.BD_DIM2, reg.BD_DIM3):
            loose[_at(word)] = -1
    if not any(_indices(d, use.times)):
        loose[_at(reg.BD_ITERATION)] |= reg.BD_ITERATION_ITERATION_STEP
    if use.times == 1:
        loose[_at(reg.BD_ITERATION)] |= reg.BD_ITERATION_ITERATION_SIZE
    return loose


def _at(address: int) -> int:
    return address // 4


_HELD = [register.held for name, register in reg.REGISTERS.items() if name.startswith("BD.")]
_HEADER = reg.BD_CONTROL_PACKET_ID | reg.BD_CONTROL_PACKET_TYPE | reg.BD_CONTROL_OOO_ID


# -- as stimulus -----------------------------------------------------------------------------------------------------


def field_stimuli(setting: CaseContext, rng: Rng, count: int) -> list[Stimulus]:
    """So many such scenes as episodes; every second one pushes too many tasks to one channel, each channel in turn."""
    shape = EngineShape.of(setting.params)
    turns = _Turns(rng, shape)
    return [_field_stimulus(setting, rng, _FieldScene(shape, rng, number, turns)) for number in range(count)]


def _field_stimulus(setting: CaseContext, rng: Rng, made: _FieldScene) -> Stimulus:
    """A scene as an episode: with TKEEP and TLAST, which the inputs ignore, and with more start triggers."""
    shape = made.shape
    scene = made.scene
    line = shape.line_words if shape.profile else 1
    lines = sorted({a // line for a in made.read | made.written})
    scene.memory = {n * line: random_halves(shape, rng, line) for n in lines}
    plain = engine_stimulus(scene, setting)
    status = tuple(Access("read", reg.CHANNEL + 4 * c) for c in range(shape.channels))
    mask = Access("write", reg.IRQ_MASK, _any(rng, 32))
    inputs = {}
    for name, trace in plain.inputs.items():
        if name == "start":
            stamps = {"clock_ps": trace.clock_ps, "offset_ps": trace.offset_ps}
            inputs[name] = Trace.from_bytes(rng.integers(0, 256, (3, 1)), cycle=[0, 1, 80], **stamps)
            continue
        kinds = ("none", "random:0.3", "bursty:80")
        gaps = Pattern.parse(str(rng.choice(kinds)), seed=_any(rng, 31)).gaps(len(trace))
        keep, last = rng.random(trace.keep.shape) < 0.9, rng.random(len(trace)) < float(rng.choice([0, 0.3, 0.9]))
        last[-1:] = True
        inputs[name] = replace(trace.with_gaps(gaps), keep=keep, last=last)
    ready = {
        name: Pattern.parse(str(rng.choice(("none", "random:0.5", "bursty:8", "worst"))), seed=_any(rng, 31))
        for name in setting.outputs
    }
    return replace(
        plain,
        inputs=inputs,
        ready=ready,
        program={"s_axil": (mask, *made.table(), *plain.program["s_axil"], *status)},
        after={"s_axil": (*plain.after["s_axil"], *_cleared(shape, rng), *_read_lines(made, line))},
    )


def _cleared(shape: EngineShape, rng: Rng) -> tuple[Access, ...]:
    """Clear interrupts, tokens and the error, and read what is left."""
    bits = (Access("write", reg.IRQ_STATUS, _any(rng, 32)), Access("read", reg.IRQ_STATUS))
    chosen = [int(c) for c in rng.permutation(shape.channels)[: int(rng.integers(1, shape.channels + 1))]]
    tokens = [Access("write", reg.TOKENS + 4 * c, _any(rng, 32)) for c in chosen]
    left = [Access("read", reg.TOKENS + 4 * c) for c in range(shape.channels)]
    return (*bits, *tokens, *left, Access("write", reg.ERROR, _any(rng, 32)), Access("read", reg.ERROR))


def _read_lines(made: _FieldScene, line: int) -> tuple[Access, ...]:
    """Stop, and read what was written."""
    lanes = made.shape.lanes
    lines = sorted({a // line for a in made.written})
    reads = (access for n in lines for access in memory_reads(n * line, line * lanes))
    channels = (Access("read", reg.CHANNEL + 4 * c) for c in range(made.shape.channels))
    return (*disarm(), *reads, *channels)
