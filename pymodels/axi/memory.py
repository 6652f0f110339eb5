# SPDX-License-Identifier: Apache-2.0
"""Golden model of the AXI4 memory: when it takes and answers what, and with which data. The contract is docs/memory.md.

Cycles are counted from the start of the memory and of the master, which is cycle 0 of all patterns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import DECERR, OKAY, READ, SLVERR, WRITE, Bursts
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import NextReady, Pattern, splitmix64

Order = Literal["in_order", "by_id", "interleaved"]
ORDERS: tuple[Order, ...] = ("in_order", "by_id", "interleaved")

GAP_PERIOD = 1 << 16
"""A gap pattern's first values, so many of them, are repeated for ever."""
READ_JITTER, WRITE_JITTER, READ_ORDER, WRITE_ORDER = range(4)
"""Numbers of the random sequences, for :meth:`MemoryTiming.stream_seed`."""
_JITTERS = 1024


@dataclass(frozen=True)
class MemoryTiming:
    """The named parameters of docs/memory.md.

    Attributes:
        read_latency: cycles from the address handshake to the first cycle in which data may be offered, at least 1.
        read_jitter: up to so many more, drawn for each burst.
        write_latency: cycles from the last of address and data handshakes to the response, at least 1.
        write_jitter: up to so many more, drawn for each burst.
        max_reads, max_writes: bursts that may be outstanding.
        data_ahead: beats of write data taken before their address.
        read_bandwidth, write_bandwidth: (beats, cycles) of the R and the W channel.
        order: ``in_order``, ``by_id`` (bursts of different IDs in any order), ``interleaved`` (read beats of different IDs too).
        seed: of the jitter and of the order.
        aw_ready, w_ready, ar_ready: when the channels are ready.
        r_gaps, b_gaps: idle cycles before each beat.
        await_data: with an ``after-valid`` ``aw_ready``, hold the first addresses until their data are offered, or for long: it
            finds masters whose data wait for AWREADY. :func:`predict` knows nothing of it.
        slow_id, slow_cycles: reads of this ID take so many cycles more; others pass them unless ``order`` is ``in_order``.
        late_writes: write data take effect with the response, which is as late as AXI allows; False: at once.
    """

    read_latency: int = 8
    read_jitter: int = 0
    write_latency: int = 4
    write_jitter: int = 0
    max_reads: int = 16
    max_writes: int = 16
    data_ahead: int = 0
    read_bandwidth: tuple[int, int] = (1, 1)
    write_bandwidth: tuple[int, int] = (1, 1)
    order: Order = "in_order"
    seed: int = 0
    aw_ready: Pattern = field(default_factory=Pattern)
    w_ready: Pattern = field(default_factory=Pattern)
    ar_ready: Pattern = field(default_factory=Pattern)
    r_gaps: Pattern = field(default_factory=Pattern)
    b_gaps: Pattern = field(default_factory=Pattern)
    await_data: bool = False
    slow_id: int = 0
    slow_cycles: int = 0
    late_writes: bool = False

    def __post_init__(self) -> None:
        least = {"read_latency": 1, "read_jitter": 0, "write_latency": 1, "write_jitter": 0}
        least |= {"slow_id": 0, "slow_cycles": 0, "max_reads": 1, "max_writes": 1, "data_ahead": 0}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise UsageError(f"{name}: found {getattr(self, name)}, expected at least {value}")
        for name in ("read_bandwidth", "write_bandwidth"):
            beats, cycles = getattr(self, name)
            if not 0 < beats <= cycles:
                raise UsageError(f"{name}: found {beats} beats in {cycles} cycles, expected at most one per cycle")
        if self.order not in ORDERS:
            raise UsageError(f"order: found {self.order!r}, expected one of {', '.join(ORDERS)}")

    def latency_of(self, ident: int) -> int:
        """Cycles from a read's address to its data, without jitter."""
        return self.read_latency + (self.slow_cycles if ident == self.slow_id else 0)

    def stream_seed(self, stream: int) -> int:
        """The splitmix64 seed of one of the four random sequences."""
        return (4 * self.seed + stream) & 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True, eq=False)
class Region:
    """A stretch of the address space.

    Attributes:
        name: for messages and results.
        base: address of its first byte.
        data: (size,) uint8, what it holds; a simulation works on this very array.
        readable, writable: rights.
        answers: (2, size) uint8, the response to reads (row :data:`READ`) and to writes (row :data:`WRITE`) of each byte; None:
            OKAY. A beat gets that of its first byte, a write burst the largest of its beats'. Beats that are refused store
            nothing, and read 0.
        exclusive: exclusive accesses succeed; else they are answered OKAY.
    """

    name: str
    base: int
    data: npt.NDArray[np.uint8]
    readable: bool = True
    writable: bool = True
    answers: npt.NDArray[np.uint8] | None = None
    exclusive: bool = False

    def __post_init__(self) -> None:
        if self.data.dtype != np.uint8 or self.data.ndim != 1 or not self.data.flags.c_contiguous:
            raise UsageError(f"region {self.name}: expected a plain array of bytes")
        if self.base < 0 or self.end > 1 << 64:
            raise UsageError(f"region {self.name}: outside of 64 address bits")
        if self.answers is not None and self.answers.shape != (2, len(self.data)):
            raise UsageError(
                f"region {self.name}: answers of shape {self.answers.shape}, expected (2, {len(self.data)})"
            )

    @property
    def end(self) -> int:
        """Address behind its last byte."""
        return self.base + len(self.data)


def check_regions(regions: Sequence[Region]) -> None:
    """Names differ and stretches do not overlap."""
    if len({r.name for r in regions}) < len(regions):
        raise UsageError(f"regions of the same name: {', '.join(r.name for r in regions)}")
    ordered = sorted(regions, key=lambda r: r.base)
    for one, other in pairwise(ordered):
        if one.end > other.base:
            raise UsageError(f"regions {one.name} and {other.name} overlap at 0x{other.base:x}")


@dataclass(frozen=True)
class MemoryImage:
    """A memory at an AXI4 port: what it holds and how fast it is.

    Attributes:
        regions: what it holds.
        timing: how fast it is.
        refusals: bursts against the rights of a region, or outside of all regions, are part of the test: they are answered with
            SLVERR or DECERR and not reported.
        user_seed: RUSER, BUSER and WUSER are those of :func:`~goldbeat.pymodels.axi.attributes.user_of`; None: the first two are 0,
            and the last is not looked at.
    """

    regions: tuple[Region, ...]
    timing: MemoryTiming = field(default_factory=MemoryTiming)
    refusals: bool = False
    user_seed: int | None = None

    def __post_init__(self) -> None:
        check_regions(self.regions)


@dataclass(frozen=True)
class MasterTiming:
    """How the master behaves.

    Attributes:
        max_reads, max_writes: bursts that it has outstanding at most.
        r_ready, b_ready: when it takes responses.
        data_ahead: beats of write data that it offers while their addresses wait.
    """

    max_reads: int = 16
    max_writes: int = 16
    r_ready: Pattern = field(default_factory=Pattern)
    b_ready: Pattern = field(default_factory=Pattern)
    data_ahead: int = 0


@dataclass(frozen=True, eq=False)
class Times:
    """When everything happens; -1 where it does not.

    Attributes:
        offered: (n,) first cycle of the address.
        cycle: (n,) address handshake.
        first, last: (n,) first and last data handshake.
        done: (n,) handshake of the write response, or of the last read data.
        answered: (n,) first cycle of the write response.
        beat: (beats,) data handshakes.
        beat_offered: (beats,) first cycle of the data.
    """

    offered: npt.NDArray[np.int64]
    cycle: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    done: npt.NDArray[np.int64]
    answered: npt.NDArray[np.int64]
    beat: npt.NDArray[np.int64]
    beat_offered: npt.NDArray[np.int64]


def predict(
    bursts: Bursts,
    timing: MemoryTiming,
    master: MasterTiming | None = None,
    write_gaps: npt.NDArray[np.int64] | None = None,
) -> Times:
    """All handshakes of a program of bursts between the AXI4 master and the memory, wired together.

    Args:
        bursts: what the master asks for; barriers, and data ahead of their address, are beyond this model.
        timing: of the memory.
        master: how the master behaves.
        write_gaps: (beats,) idle cycles before each beat of write data.
    """
    if bursts.barrier.any():
        raise UsageError("bursts that wait for others are beyond the golden model")
    if bursts.lead.any() or (master is not None and master.data_ahead):
        raise UsageError("write data ahead of their address are beyond the golden model")
    n, beats = len(bursts), bursts.beats
    times = Times(*(np.full(n, -1, np.int64) for _ in range(6)), *(np.full(beats, -1, np.int64) for _ in range(2)))
    master = master or MasterTiming()
    _reads(bursts, timing, master, times)
    _writes(bursts, timing, master, times, np.zeros(beats, np.int64) if write_gaps is None else write_gaps)
    return times


def respond(bursts: Bursts, regions: Sequence[Region]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(n,) the response to each burst and (n,) the index of its region, -1 outside of all."""
    answers, region = respond_to_beats(bursts, regions)
    return np.maximum.reduceat(answers, bursts.rows) if len(bursts) else answers, region


def respond_to_beats(bursts: Bursts, regions: Sequence[Region]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(beats,) the response to each beat and (n,) the index of each burst's region, -1 outside of all."""
    lowest, span = bursts.span
    region = np.full(len(bursts), -1, np.int64)
    response = np.full(len(bursts), DECERR, np.int64)
    for index, one in enumerate(regions):
        begins = lowest >= np.uint64(one.base)
        inside = begins & (lowest - np.uint64(one.base) + span <= np.uint64(len(one.data)))
        region[inside] = index
        allowed = np.where(bursts.kind == WRITE, one.writable, one.readable)
        response[inside] = np.where(allowed, OKAY, SLVERR)[inside]
    of, address = bursts.of_beat, bursts.addresses()
    answers = response[of]
    for index, one in enumerate(regions):
        if one.answers is not None:
            mine = np.flatnonzero((region[of] == index) & (answers == OKAY))
            answers[mine] = one.answers[bursts.kind[of][mine], (address[mine] - np.uint64(one.base)).astype(np.int64)]
    return answers, region


def replay(
    bursts: Bursts,
    times: Times,
    regions: Sequence[Region],
    data: npt.NDArray[np.uint8],
    strobe: npt.NDArray[np.bool_] | None = None,
    *,
    late_writes: bool = False,
) -> npt.NDArray[np.uint8]:
    """Carry the bursts out on the regions' arrays.

    Args:
        bursts: what was asked for.
        times: when it happened.
        regions: the address space; writes change the arrays.
        data: (beats, width) rows of write data, as wide as the bus.
        strobe: (beats, width) byte strobes of writes; None: all lanes of each beat.
        late_writes: as in :class:`MemoryTiming`.

    Returns:
        (beats, width) ``data`` with the rows of reads filled in, 0 in lanes that a beat does not use.
    """
    out = data.copy()
    width = data.shape[1]
    response, region = respond_to_beats(bursts, regions)
    of, address, lanes = bursts.of_beat, bursts.addresses(), bursts.lanes(width)
    write = bursts.kind[of] == WRITE
    # Data written in a cycle are seen by what is offered in the next one.
    written = times.answered[of] if late_writes else np.maximum(times.beat, times.cycle[of])
    when = np.where(write, written, times.beat_offered)
    for row in np.lexsort((write, when)).tolist():
        burst = of[row]
        used = np.flatnonzero(lanes[row])
        if not write[row]:
            out[row] = 0
        if response[row] != OKAY:
            continue
        at = int(address[row]) - regions[region[burst]].base - int(used[0])
        array = regions[region[burst]].data
        if not write[row]:
            out[row, used] = array[at + used]
            continue
        if strobe is not None:
            used = used[strobe[row, used]]
        array[at + used] = data[row, used]
    return out


class Gate:
    """``gate(k)``: the first cycle from k on in which a bandwidth of ``beats`` in ``cycles`` has room for a beat."""

    def __init__(self, bandwidth: tuple[int, int]) -> None:
        beats, cycles = bandwidth
        k = np.arange(cycles)
        self._cycles = cycles
        self._open = np.flatnonzero((k + 1) * beats // cycles > k * beats // cycles).tolist()

    def __call__(self, cycle: int) -> int:
        """That cycle."""
        turn, phase = divmod(cycle, self._cycles)
        at = bisect_left(self._open, phase)
        if at == len(self._open):
            return (turn + 1) * self._cycles + int(self._open[0])
        return turn * self._cycles + int(self._open[at])


_LONGEST_WAIT = 1 << 17


def both(first: NextReady, second: Callable[[int], int]) -> Callable[[int], int]:
    """The first cycle from k on in which both are ready; a ready that has come after its valid stays until the other is."""
    if first.waits:
        return lambda cycle: second(first(cycle))

    def next_of_both(cycle: int) -> int:
        start = cycle
        while (later := second(first(cycle))) != cycle:
            cycle = later
            if cycle - start > _LONGEST_WAIT:
                raise UsageError(f"w_ready and write_bandwidth have no cycle in common from {start} on")
        return cycle

    return next_of_both


class Gaps:
    """Each call gives the next value of a gap pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self._values = [0] if pattern.kind == "none" else pattern.gaps(GAP_PERIOD).tolist()
        self._at = -1

    def __call__(self) -> int:
        """The next value."""
        self._at = (self._at + 1) % len(self._values)
        return int(self._values[self._at])


class Jitter:
    """Each call gives the extra cycles of the next burst.

    Args:
        timing: of the memory.
        stream: :data:`READ_JITTER` or :data:`WRITE_JITTER`.
    """

    def __init__(self, timing: MemoryTiming, stream: int) -> None:
        self._most = timing.read_jitter if stream == READ_JITTER else timing.write_jitter
        self._seed, self._at = timing.stream_seed(stream), 0
        self._values: list[int] = []

    def __call__(self) -> int:
        """The next value."""
        if self._most == 0:
            return 0
        at = self._at % _JITTERS
        if at == 0:
            numbers = np.arange(self._at, self._at + _JITTERS)
            self._values = (splitmix64(self._seed, numbers) % np.uint64(self._most + 1)).astype(int).tolist()
        self._at += 1
        return self._values[at]


class BurstChoice:
    """Each call draws one of the bursts that could be answered next.

    Args:
        timing: of the memory.
        stream: :data:`READ_ORDER` or :data:`WRITE_ORDER`.
    """

    def __init__(self, timing: MemoryTiming, stream: int) -> None:
        self._seed, self._at = timing.stream_seed(stream), 0

    def __call__(self, count: int) -> int:
        """0..count-1."""
        drawn = int(splitmix64(self._seed, np.array([self._at]))[0])
        self._at += 1
        return drawn % count


class _Answers:
    """The bursts that wait for R or B, and which of them comes next."""

    def __init__(self, bursts: Bursts, timing: MemoryTiming, stream: int) -> None:
        self._ids = bursts.id
        self._order = timing.order
        self._choice = BurstChoice(timing, stream)
        self.open: list[tuple[int, int]] = []  # burst, first cycle in which its answer may be offered

    def next(self, free: int, gate: Callable[[int], int]) -> tuple[int, int]:
        """The burst that is answered next, and the cycle in which the answer is offered, from ``free`` on."""
        heads = self.open[:1]
        if self._order != "in_order":
            seen: set[int] = set()
            heads = []
            for burst, due in self.open:
                if (name := int(self._ids[burst])) not in seen:
                    seen.add(name)
                    heads.append((burst, due))
        cycle = gate(max(free, min(due for _, due in heads)))
        ready = [burst for burst, due in heads if due <= cycle]
        if self._order == "in_order":
            return ready[0], cycle
        return ready[self._choice(len(ready))], cycle

    def close(self, burst: int) -> None:
        self.open = [one for one in self.open if one[0] != burst]


def _address(
    index: int,
    number: int,
    bursts: Bursts,
    times: Times,
    free: int,
    done: list[int],
    limits: tuple[int, int],
    ready: NextReady,
) -> int | None:
    """Offer and handshake of the ``number``-th address of its kind; None while what it waits for is not known."""
    mine, other = limits
    if number - min(limits) >= len(done):
        return None
    offer = max(int(bursts.not_before[index]), free + int(bursts.gap[index]))
    if number >= mine:
        offer = max(offer, done[number - mine] + 1)
    cycle = offer if number < other else max(offer, done[number - other] + 1)
    times.offered[index] = offer
    times.cycle[index] = ready(cycle)
    return int(times.cycle[index])


def _reads(bursts: Bursts, timing: MemoryTiming, master: MasterTiming, times: Times) -> None:
    numbers = np.flatnonzero(bursts.kind == READ).tolist()
    jitter = Jitter(timing, READ_JITTER)
    ar_ready, r_ready = NextReady(timing.ar_ready), NextReady(master.r_ready)
    gate, gaps = Gate(timing.read_bandwidth), Gaps(timing.r_gaps)
    answers = _Answers(bursts, timing, READ_ORDER)
    beat = dict.fromkeys(numbers, 0)
    rows = bursts.rows
    done: list[int] = []
    at, ar_free, r_free = 0, 0, gaps()
    current: int | None = None
    while len(done) < len(numbers):
        while at < len(numbers):
            limits = (master.max_reads, timing.max_reads)
            cycle = _address(numbers[at], at, bursts, times, ar_free, done, limits, ar_ready)
            if cycle is None:
                break
            answers.open.append((numbers[at], cycle + timing.latency_of(int(bursts.id[numbers[at]])) + jitter()))
            ar_free, at = cycle + 1, at + 1
        if current is None:
            burst, offer = answers.next(r_free, gate)
        else:
            burst, offer = current, gate(r_free)
        moved = r_ready(offer)
        row = rows[burst] + beat[burst]
        times.beat_offered[row], times.beat[row] = offer, moved
        if beat[burst] == 0:
            times.first[burst] = moved
        r_free = moved + 1 + gaps()
        beat[burst] += 1
        ends = beat[burst] > bursts.len[burst]
        current = None if ends or timing.order == "interleaved" else burst
        if ends:
            times.last[burst] = times.done[burst] = moved
            answers.close(burst)
            done.append(moved)


def _writes(
    bursts: Bursts, timing: MemoryTiming, master: MasterTiming, times: Times, write_gaps: npt.NDArray[np.int64]
) -> None:
    numbers = np.flatnonzero(bursts.kind == WRITE).tolist()
    jitter = Jitter(timing, WRITE_JITTER)
    aw_ready, b_ready = NextReady(timing.aw_ready), NextReady(master.b_ready)
    w_ready = both(NextReady(timing.w_ready), Gate(timing.write_bandwidth))
    gaps = Gaps(timing.b_gaps)
    answers = _Answers(bursts, timing, WRITE_ORDER)
    rows = bursts.rows
    owner: list[int] = []  # the burst of each beat of write data
    done: list[int] = []
    at, aw_free, w_free, b_free = 0, 0, 0, gaps()
    while len(done) < len(numbers):
        while at < len(numbers):
            burst = numbers[at]
            limits = (master.max_writes, timing.max_writes)
            cycle = _address(burst, at, bursts, times, aw_free, done, limits, aw_ready)
            if cycle is None:
                break
            moved = -1
            for row in range(rows[burst], rows[burst] + int(bursts.len[burst]) + 1):
                owner.append(burst)
                offer = max(int(times.offered[burst]), w_free + int(write_gaps[row]))
                known = len(owner) - 1 - timing.data_ahead
                moved = w_ready(offer if known < 0 else max(offer, int(times.cycle[owner[known]]) + 1))
                times.beat_offered[row], times.beat[row] = offer, moved
                if row == rows[burst]:
                    times.first[burst] = moved
                w_free = moved + 1
            times.last[burst] = moved
            answers.open.append((burst, max(cycle, moved) + timing.write_latency + jitter()))
            aw_free, at = cycle + 1, at + 1
        burst, offer = answers.next(b_free, lambda k: k)
        moved = b_ready(offer)
        times.answered[burst], times.done[burst] = offer, moved
        answers.close(burst)
        done.append(moved)
        b_free = moved + 1 + gaps()
