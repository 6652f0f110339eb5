# SPDX-License-Identifier: Apache-2.0
"""Model of the object FIFO DMA engine: data and every cycle.

Contract: objfifo-engine.md. The model goes from edge to edge and leaves out those at which nothing can change. A word's
way through an input's skid buffer or through an output is followed in one step, since both depend on earlier words only.
While it runs, memory holds numbers of words (of the inputs, the first contents, headers); the data follow at the end.
What stands at the ends of the channels is the caller's: traces (:mod:`.alone`), in objfifo-array.md other engines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import Take, sink
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import (
    LOCK_MAX,
    ChannelStatus,
    Code,
    Descriptor,
    EngineRegisters,
)
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock
from goldbeat.pymodels.trace import Trace

START_TO_POP = 1
"""Edges from the start trigger to the first pop: running stands after the trigger's edge (objfifo-engine.md, A channel)."""

EVENT_LATENCY = 1
"""Edges from the last word of a descriptor to its event (objfifo-engine.md, A channel, 6)."""

LOCK_LATENCY = 1
"""Edges from a change of a lock to the beat that shows it (objfifo-engine.md, Locks)."""

OUT_DEPTH = 8
"""Credits of an output (objfifo-engine.md, MM2S word)."""

MM2S_LATENCY = 3
"""Edges from the issue of a word to its earliest transfer (objfifo-engine.md, MM2S word)."""

EVENT_FINAL = 8
"""Bit of an event that marks the last descriptor of its task (objfifo-engine.md, A channel, 6)."""

EVENT_BITS = 16
"""Width of an event (objfifo-engine.md, Shape)."""

LOCK_BITS = 8
"""Bits of a lock in ``lock_tdata`` (objfifo-engine.md, Shape)."""

START_BITS = 8
"""Width of the start trigger (objfifo-engine.md, Shape)."""

DIMENSIONS = 3
"""Dimensions that wrap (objfifo-engine.md, Addresses)."""

PADDING = -1
"""In a walk: a padding word."""

OUTSIDE = -3
"""In a walk: an address that the memory does not have."""

AWAITED = -4
"""In place of an address: the word that comes is the header of a packet (objfifo-engine.md, Out of order)."""

OOO_LSB = 5
OOO_IDS = 0x3F
"""Lowest bit of the out-of-order id in a header, and its mask (objfifo-engine.md, Out of order)."""

NEVER = 1 << 60
"""An edge that does not come."""

_HEADER = -2
_MOST_EDGES = 1 << 24
_FREE = -1
_HEADER_ROW_COLUMN = 0xFFF << 16
_PARITY = 1 << 31
_LOW_BITS = (1 << 32) - 1


def descriptor_addresses(descriptor: Descriptor, iteration: int = 0, padded: bool = True) -> npt.NDArray[np.int64]:
    """The addresses of a descriptor's words in order, :data:`PADDING` for padding; nothing keeps them within a memory.

    Args:
        descriptor: what is walked.
        iteration: its iteration index.
        padded: with its padding (channels from memory) or without (channels to memory).
    """
    d = descriptor
    rest = np.arange(d.length, dtype=np.int64)
    addresses = np.full(d.length, d.base + iteration * d.iteration_step, np.int64)
    if d.wraps[0] == 0:
        return addresses + rest * d.steps[0]
    zero = np.zeros(d.length, np.bool_)
    for n in range(DIMENSIONS):
        wrap = max(1, d.wraps[n])
        before, after = (d.pad_before[n], d.pad_after[n]) if padded else (0, 0)
        rest, digit = np.divmod(rest, before + wrap + after)
        digit -= before
        zero |= (digit < 0) | (digit >= wrap)
        addresses += digit * d.steps[n]
    addresses += rest * d.steps[DIMENSIONS]
    addresses[zero] = PADDING
    return addresses


def header_word(packet_id: int, packet_type: int, ooo_id: int = 0) -> int:
    """The header of a packet, row and column all ones (designs.md, Packet header)."""
    fields = packet_id | ooo_id << OOO_LSB | packet_type << 12 | _HEADER_ROW_COLUMN
    return fields | (0 if fields.bit_count() % 2 else _PARITY)


# -- words and ends ---------------------------------------------------------------------------------------------------


class Words:
    """All words of a run by number: what was there from the start, and what is made on the way.

    Args:
        size: bytes of a word.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._data: list[npt.NDArray[np.uint8]] = []
        self._known: list[npt.NDArray[np.bool_]] = []
        self._fixed = 0
        self._made: list[tuple[int, int]] = []  # word that it is made of (or none), number
        self._table: tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]] | None = None

    def add(self, data: npt.NDArray[np.uint8], known: npt.NDArray[np.bool_] | None = None) -> int:
        """Words (n, bytes) of which some may be unknown; the number of the first. All before any is made."""
        first = self._fixed
        self._data.append(data)
        self._known.append(np.ones(len(data), np.bool_) if known is None else known)
        self._fixed += len(data)
        return first

    def address(self, row: int) -> int:
        """Where a word stood at the start, counted from the beginning of its memory."""
        while row >= self._fixed:
            row = self._made[row - self._fixed][0]
        for block in self._data:
            if row < len(block):
                break
            row -= len(block)
        return row

    def make(self, value: int, base: int = -1) -> int:
        """A word whose lowest 32 bits are ``value``, or word ``base`` with ``value`` added to each 32-bit part."""
        self._made.append((base, value))
        return self._fixed + len(self._made) - 1

    def low(self, row: int) -> int:
        """The lowest 32 bits of a word; a :class:`UsageError` where it is memory that nobody has written."""
        found, added = row, 0
        while found >= self._fixed:
            found, value = self._made[found - self._fixed]
            added += value
            if found < 0:
                return added & _LOW_BITS
        block = 0
        while found >= len(self._data[block]):
            found -= len(self._data[block])
            block += 1
        if not self._known[block][found]:
            raise UsageError(f"the header of a packet is word {found} of the memory, which nobody has written")
        return int(self._data[block][found, :4].view("<u4")[0]) + added & _LOW_BITS

    def table(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
        """Data (words, bytes) and whether they are known; asked for when the run is over."""
        if self._table is not None:
            return self._table
        made = np.zeros((len(self._made), self.size), np.uint8)
        data = np.concatenate([*self._data, made])
        known = np.concatenate([*self._known, np.ones(len(self._made), np.bool_)])
        parts = data.view("<u4")
        for n, (base, value) in enumerate(self._made, self._fixed):
            if base < 0:
                parts[n, 0] = value
            else:
                parts[n] = parts[base] + np.uint32(value)
                known[n] = known[base]
        self._table = data, known
        return self._table


class EngineEnd(Protocol):
    """What stands at the stream end of a channel."""

    def due(self) -> int:
        """The first edge at which a word can go, :data:`NEVER` if that is not known."""

    def word(self, edge: int, address: int) -> int:
        """A word goes between the end and this address of memory; from when on the next one can."""


class Sender(EngineEnd, Protocol):
    """The end of a channel from memory."""

    def put(self, edge: int, row: int) -> int:
        """A word that is not in memory goes; from when on the next one can."""

    def last(self) -> None:
        """The word that went last carries TLAST."""


def sink_of(pattern: Pattern) -> Take:
    """A sink that is ready as the pattern says, which may be never."""
    if pattern.kind == "none":
        return _at_once
    never = (pattern.kind == "array" and not any(pattern.values)) or (pattern.kind == "random" and pattern.p >= 1)
    return _too_late if never else sink(pattern, [])


def _at_once(offer: int) -> int:
    return offer


def _too_late(offer: int) -> int:
    return max(offer, NEVER)


# -- a channel -------------------------------------------------------------------------------------------------------


class BdSlot(NamedTuple):
    """A descriptor on its way: number, its table entry, its words, final, and whether its end is a token."""

    number: int
    descriptor: Descriptor
    words: list[int]
    final: bool
    token: bool


@dataclass
class EngineChannel:
    """What a channel holds between two edges (objfifo-engine.md, A channel)."""

    number: int
    to_memory: bool
    task: tuple[int, bool] | None = None  # start BD, token
    left: int = 0
    seq: int = _FREE
    fetch: BdSlot | None = None
    next: BdSlot | None = None
    waits: bool = False
    cur: BdSlot | None = None
    stopped: bool = False
    by_header: bool = False
    of_core: bool = False
    head: bool = False

    @property
    def busy(self) -> bool:
        """Anything but the queue not empty."""
        return not (self.task is None and self.seq == _FREE and self.fetch is self.next is self.cur is None)


@dataclass(frozen=True)
class Hang:
    """What a channel waits for at the end of a run.

    Attributes:
        channel: its number, S2MM first.
        state: ``lock``, ``input``, ``output``, or ``stopped`` after an error.
        descriptor: number of the one that waits; None for a stopped channel, and where a header is to name it.
        lock: the lock it wants, None in the other states.
        value: of that lock, -1 for one that is not there.
        wanted: what it would take.
    """

    channel: int
    state: str
    descriptor: int | None
    lock: int | None = None
    value: int | None = None
    wanted: int | None = None


@dataclass
class _Log:
    events: list[list[tuple[int, int]]]
    locks: list[tuple[int, bytes]] = field(default_factory=list)


class Engine:
    """One engine, edge by edge, from the one after its start trigger on.

    Args:
        registers: as programmed; left as they stand at the end.
        words: of the run.

    Attributes:
        memory: the word that stands at each address.
        ends: of the channels, to be set before the first edge.
    """

    def __init__(self, registers: EngineRegisters, words: Words) -> None:
        shape = registers.shape
        self.registers, self.shape, self.words = registers, shape, words
        self.channels = [EngineChannel(c, c < shape.ns) for c in range(shape.channels)]
        first = words.add(registers.memory, registers.known)
        # One more place than there is memory: for the header of a packet.
        self.memory = list(range(first, first + shape.mem_words + 1))
        for c, channel in enumerate(self.channels):
            channel.by_header = bool(registers.out_of_order >> c & 1)
            channel.of_core = bool(registers.cores >> c & 1)
        self._named: list[tuple[int, int]] = []  # channel, id in a header
        self.ends: list[Any] = []  # EngineEnd; of another profile what that asks of its ends
        self.log = _Log([[] for _ in self.channels])
        pads = np.repeat(np.array(registers.pad_values, "<u4"), shape.lanes)
        self._pads = words.add(pads.view(np.uint8).reshape(shape.nm, shape.word_bytes))
        self._table = registers.descriptors()
        self._words: dict[tuple[int, int, bool], list[int]] = {}
        self._due = [NEVER] * shape.channels
        self._at = [0] * shape.channels
        self._running: list[list[int]] = [[]] * shape.channels  # words of what is in CUR
        self._bank_mask = shape.nbank - 1
        self._turn = [0] * shape.nbank  # the channel that a bank looks at first, C standing for 0
        self._errors: list[tuple[int, Code, int]] = []
        self._moving: set[int] = set()
        self._releases: list[tuple[int, int]] = []
        self._check = False

    # -- edges

    def start(self) -> bool:
        """The start trigger; whether it means anything."""
        if self.registers.armed:
            self.registers.running = True
            self._moving = {c for c, queue in enumerate(self.registers.queues) if queue}
        return self.registers.armed

    def step(self, edge: int) -> None:
        """All that happens at one edge."""
        channels, moving = self.channels, self._moving
        finished = self._work(edge)
        granted = self._acquire() if self._check else []
        taken = [taken_of_lock(channels[c]) for c in granted]
        added, releases = self._releases, []
        for c in finished:
            releases += self._finish(edge, channels[c])
            moving.add(c)
        check = bool(granted)
        if moving:
            moving = {c for c in moving if self._advance(edge, channels[c])}
            check = check or any(channels[c].waits for c in moving)
        for c in granted:
            channels[c].waits = False
            moving.add(c)
        if granted or added:
            check = self._change_locks(edge, taken, added) or check
        moving |= self._take_names()
        if self._errors:
            moving -= self._fail()
        self._moving, self._releases, self._check = moving, releases, check

    def next_edge(self, edge: int) -> int:
        """The first edge after this one at which anything can change, as far as the ends know."""
        if self._releases or self._check or self._moving:
            return edge + 1
        # A channel that a bank has turned away stays due.
        return max(edge + 1, min(self._due))

    def wake(self, channel: int, edge: int) -> None:
        """The end of a channel knows more than it did."""
        if (
            self._due[channel] >= NEVER
            and (self.channels[channel].cur is not None or self.channels[channel].head)
            and not self.channels[channel].stopped
        ):
            self._due[channel] = max(edge + 1, self.ends[channel].due())

    def _work(self, edge: int) -> list[int]:
        """Rule 6: at most one word a channel; the channels that finish."""
        due, at, all_words = self._due, self._at, self._running
        claims: dict[int, int] = {}
        finished: list[int] = []
        for c, first in enumerate(due):
            if first <= edge:
                address = all_words[c][at[c]]
                if address >= 0:
                    bank = address & self._bank_mask
                    claims[bank] = self._first(bank, c, claims[bank]) if bank in claims else c
                elif address == OUTSIDE:
                    self._errors.append((c, Code.BAD_ADDRESS, self._current(c).number))
                elif address == AWAITED:
                    place = self.shape.mem_words
                    self.ends[c].word(edge, place)
                    self._name(c, self.memory[place])
                else:
                    due[c] = self._made(edge, c, address)
                    at[c] += 1
                    if at[c] == len(all_words[c]):
                        finished.append(c)
        for bank, c in claims.items():
            self._turn[bank] = c + 1
            n, words = at[c], all_words[c]
            due[c] = self.ends[c].word(edge, words[n])
            at[c] = n + 1
            if n + 1 == len(words):
                finished.append(c)
        for c in finished:
            due[c] = NEVER
        return finished

    def _name(self, c: int, row: int) -> None:
        """A header leaves the input; what it names is valid behind this edge."""
        self._named.append((c, self.words.low(row) >> OOO_LSB & OOO_IDS))
        self._due[c] = NEVER

    def _take_names(self) -> set[int]:
        """The channels that have got a name at this edge."""
        for c, number in self._named:
            self.channels[c].seq, self.channels[c].head = number, False
        found = {c for c, _ in self._named}
        self._named.clear()
        return found

    def _await(self, edge: int, c: EngineChannel) -> None:
        """The next word is a header."""
        c.head = True
        self._at[c.number], self._running[c.number] = 0, [AWAITED]
        self._due[c.number] = max(edge + 1, self.ends[c.number].due())

    def _first(self, bank: int, one: int, other: int) -> int:
        """Which of two channels the bank serves."""
        turn, count = self._turn[bank], len(self.channels)
        return one if (one - turn) % count < (other - turn) % count else other

    def _current(self, c: int) -> BdSlot:
        cur = self.channels[c].cur
        assert cur is not None
        return cur

    def _made(self, edge: int, c: int, code: int) -> int:
        """A word that does not come from memory is issued; from when on the next one can be."""
        return self._sender(c).put(edge, self._made_row(c, code))

    def _made_row(self, c: int, code: int) -> int:
        """The number of a header or of a padding word."""
        if code != _HEADER:
            return self._pads + c - self.shape.ns
        packet = self._current(c).descriptor.packet
        assert packet is not None
        return self.words.make(header_word(*packet, self._current(c).descriptor.ooo_id))

    def _sender(self, c: int) -> Sender:
        return cast(Sender, self.ends[c])

    def _finish(self, edge: int, channel: EngineChannel) -> list[tuple[int, int]]:
        """CUR becomes empty; what it releases."""
        slot = self._current(channel.number)
        channel.cur = None
        self.log.events[channel.number].append((edge + EVENT_LATENCY, slot.number | slot.final << EVENT_FINAL))
        if not channel.to_memory and slot.descriptor.tlast:
            self._sender(channel.number).last()
        if slot.final and slot.token:
            self.registers.count_token(channel.number)
        return [] if slot.descriptor.release is None else [slot.descriptor.release]

    def _acquire(self) -> list[int]:
        """Rule 4: the channels that get their locks."""
        taken: dict[int, int] = {}
        for channel in self.channels:
            if channel.waits:
                lock, value = wanted_lock(channel)
                held = self._held(lock)
                able = value == held if wants_equal(channel) else value <= held
                if able and lock not in taken:
                    taken[lock] = channel.number
        return sorted(taken.values())

    def _held(self, lock: int) -> int:
        """The value of a lock; one that is not there is never granted."""
        return self.registers.locks[lock] if lock < self.shape.nlock else -1

    def _change_locks(self, edge: int, taken: list[tuple[int, int]], added: list[tuple[int, int]]) -> bool:
        """Take and add; whether any value changes."""
        locks = self.registers.locks
        before = locks.copy()
        for lock, value in taken:
            locks[lock] -= value
        there = [(lock, value) for lock, value in added if lock < self.shape.nlock]
        for lock, value in there:
            locks[lock] += value
        for lock in sorted({lock for lock, _ in there}):
            if locks[lock] > LOCK_MAX:
                locks[lock] = LOCK_MAX
                self._errors.append((len(self.channels), Code.LOCK_OVERFLOW, lock))
        if locks == before:
            return False
        self.log.locks.append((edge + LOCK_LATENCY, bytes(locks)))
        return True

    def _advance(self, edge: int, c: EngineChannel) -> bool:
        """Rules 5, 3, 2 and 1, the slots from the last to the first; whether anything has moved."""
        queue = self.registers.queues[c.number]
        pops = bool(queue) and c.task is None and c.seq == _FREE
        moved = pops or awaits_header(c)
        if moved and not pops:
            self._await(edge, c)
        if c.next is not None and not c.waits and c.cur is None:
            c.cur, c.next, moved = c.next, None, True
            self._at[c.number], self._running[c.number] = 0, c.cur.words
            self._due[c.number] = max(edge + 1, self.ends[c.number].due())
        if c.fetch is not None and c.next is None:
            c.next, c.fetch, moved = c.fetch, None, True
            c.waits = c.next.descriptor.acquire is not None
        if c.seq != _FREE and c.fetch is None:
            moved = self._fetch(c) or moved
        if pops:
            start, c.left, token = queue.popleft()
            c.task, c.seq = (start, token), _FREE if c.by_header else start
        return moved

    def _fetch(self, c: EngineChannel) -> bool:
        """Rule 2; false where the descriptor is a bad one."""
        number = c.seq
        descriptor = self._table[number] if number < self.shape.nbd else Descriptor(valid=False)
        padded = descriptor.padded and not c.to_memory
        if not descriptor.valid or descriptor.length == 0 or (padded and descriptor.wraps[0] == 0):
            self._errors.append((c.number, Code.BAD_BD, number))
            return False
        assert c.task is not None
        start, token = c.task
        counters = self.registers.iterations[c.number]
        words = self._words_of(number, descriptor, counters[number], c.to_memory)
        counters[number] = (counters[number] + 1) % descriptor.iteration_size
        final = False
        if descriptor.next is not None and not c.by_header:
            c.seq = descriptor.next
        elif c.left or (c.by_header and c.of_core):
            c.seq, c.left = _FREE if c.by_header else start, c.left - 1
        else:
            c.seq, c.task, final = _FREE, None, True
        c.fetch = BdSlot(number, descriptor, words, final, token and not c.by_header)
        return True

    def _words_of(self, number: int, descriptor: Descriptor, iteration: int, to_memory: bool) -> list[int]:
        key = number, iteration, to_memory
        if key not in self._words:
            addresses = descriptor_addresses(descriptor, iteration, not to_memory)
            addresses[addresses >= self.shape.mem_words] = OUTSIDE
            header = [_HEADER] if descriptor.packet is not None and not to_memory else []
            self._words[key] = header + addresses.tolist()
        return self._words[key]

    def _fail(self) -> set[int]:
        """Note the errors of an edge, and stop the channels that made them: these."""
        stopped = set()
        for c, code, number in sorted(self._errors):
            if code is Code.LOCK_OVERFLOW:
                self.registers.fail(code, 0, number)
                continue
            self.registers.fail(code, c, number)
            self.channels[c].stopped, self.channels[c].waits = True, False
            self._due[c] = NEVER
            stopped.add(c)
        self._errors.clear()
        return stopped

    # -- the end

    def settle(self) -> None:
        """Leave memory and channels as they stand."""
        data, known = self.words.table()
        registers = self.registers
        rows = np.asarray(self.memory[: self.shape.mem_words], dtype=np.int64)
        registers.memory, registers.known = data[rows], known[rows]
        registers.status = [ChannelStatus(c.busy, c.stopped) for c in self.channels]

    def logs(self, clock: Clock) -> tuple[list[Trace], Trace]:
        """The events of each channel, and the locks."""
        events = []
        for log in self.log.events:
            values = np.array([value for _, value in log], "<u2").view(np.uint8).reshape(-1, EVENT_BITS // 8)
            events.append(beats(values, [edge for edge, _ in log], clock))
        values = np.frombuffer(b"".join(value for _, value in self.log.locks), np.uint8)
        values = values.reshape(-1, self.shape.nlock * LOCK_BITS // 8)
        return events, beats(values, [edge for edge, _ in self.log.locks], clock)

    def hanging(self) -> tuple[Hang, ...]:
        """What the channels wait for."""
        found = []
        for c in self.channels:
            if c.stopped:
                found.append(Hang(c.number, "stopped", None))
                continue
            if c.head:
                found.append(Hang(c.number, "input", None))
            elif c.cur is not None:
                found.append(Hang(c.number, "input" if c.to_memory else "output", c.cur.number))
            elif c.waits and c.next is not None:
                lock, wanted = wanted_lock(c)
                found.append(Hang(c.number, "lock", c.next.number, lock, self._held(lock), wanted))
        return tuple(found)


def awaits_header(c: EngineChannel) -> bool:
    """Whether an out-of-order channel, what finishes being gone, has all that it needs to wait for a header."""
    idle = c.fetch is None and c.next is None and c.cur is None
    return c.by_header and idle and c.task is not None and c.seq == _FREE and not c.head and not c.stopped


def wants_equal(channel: EngineChannel) -> bool:
    """Whether slot NEXT waits for the very value, and leaves it."""
    return channel.next is not None and channel.next.descriptor.acquire_equal


def taken_of_lock(channel: EngineChannel) -> tuple[int, int]:
    """Lock of slot NEXT, and what a grant takes from it."""
    lock, value = wanted_lock(channel)
    return lock, 0 if wants_equal(channel) else value


def wanted_lock(channel: EngineChannel) -> tuple[int, int]:
    """Lock and value that slot NEXT waits for."""
    assert channel.next is not None
    assert channel.next.descriptor.acquire is not None
    return channel.next.descriptor.acquire


def beats(data: npt.NDArray[np.uint8], cycles: npt.ArrayLike, clock: Clock, last: npt.ArrayLike | None = None) -> Trace:
    """Beats in these cycles."""
    return Trace.from_bytes(data, cycle=cycles, last=last, clock_ps=clock.period_ps, offset_ps=clock.offset_ps)


def sent(name: str, words: Words, rows: list[int], cycles: list[int], lasts: list[int], clock: Clock) -> Trace:
    """What went out of a port, as far as it did; a :class:`UsageError` where it is memory that nobody has written."""
    edges = np.asarray(cycles, dtype=np.int64)
    edges = edges[edges < NEVER]
    chosen = np.asarray(rows, dtype=np.int64)[: len(edges)]
    data, known = words.table()
    if not known[chosen].all():
        stale = chosen[~known[chosen]]
        raise UsageError(f"{name}: reads word {words.address(int(stale[0]))} of the memory, which nobody has written")
    last = np.zeros(len(rows), np.bool_)
    last[lasts] = True
    return beats(data[chosen], edges, clock, last[: len(edges)])


class Stepped(Protocol):
    """What goes from edge to edge."""

    def step(self, edge: int) -> None:
        """All that happens at one edge."""

    def next_edge(self, edge: int) -> int:
        """The first edge after this one at which anything can change, NEVER if none is known."""


def run_engines(engines: Sequence[Stepped], edge: int, between: Callable[[int], None] = lambda edge: None) -> None:
    """Go through all edges that matter, until nothing can change any more.

    Args:
        engines: all on one clock; with them, what else must be looked at in order of time.
        edge: the first.
        between: what passes between them; called after each edge.

    Raises:
        UsageError: they never come to rest.
    """
    due = [edge] * len(engines)
    for _ in range(_MOST_EDGES):
        for engine, at in zip(engines, due, strict=True):
            if at <= edge:
                engine.step(edge)
        between(edge)
        due = [engine.next_edge(edge) for engine in engines]
        edge = min(due, default=NEVER)
        if edge >= NEVER:
            return
    raise UsageError(f"the engine still runs at edge {edge}; its tasks have no end, and nothing holds them back")
