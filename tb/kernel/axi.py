# SPDX-License-Identifier: Apache-2.0
"""AXI4 memory, AXI4 master and the checker of AXI4 and AXI-Lite bundles, all in C++ on numpy arrays."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from cocotb.triggers import Timer

from goldbeat.pymodels.axi.burst import READ, Bursts
from goldbeat.pymodels.axi.memory import GAP_PERIOD, ORDERS, MasterTiming, MemoryTiming, Region
from goldbeat.pymodels.buses import AXI
from goldbeat.pymodels.errors import UsageError, WaitTimeoutError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.tb.kernel.axis import Transactor, ready_pattern
from goldbeat.tb.kernel.library import ReadyPattern, checked, declare, library
from goldbeat.tb.kernel.patience import Patience
from goldbeat.tb.kernel.regions import RegionRow, access_rows, region_rows
from goldbeat.tb.kernel.simulation import Kernel

CHANNELS = ("aw", "w", "b", "ar", "r")
"""In the order in which ``gb_axi_waits`` has them."""

_BURST = np.dtype(
    [
        ("address", np.uint64),
        ("not_before", np.int64),
        ("phase", np.int64),
        ("gap", np.int64),
        ("beat", np.int64),
        ("user", np.uint64),
        ("id", np.uint32),
        ("len", np.uint16),
        *((name, np.uint8) for name in ("kind", "size", "burst", "lock", "cache", "prot", "qos", "region", "barrier")),
        ("lead", np.uint8),
    ],
    align=True,
)
_RAISED_CYCLES = 16
"""Cycles that a master which has given up raises a ready for that has waited for its valid."""
_CYCLES = ("offered", "cycle", "first", "last", "done")
_RESULT = np.dtype([(name, np.int64) for name in (*_CYCLES, "response")])


class _Names(Structure):
    """``GbAxiNames`` in axi.h."""

    _fields_ = tuple((name, c_char_p) for name in AXI.roles)


class _Timing(Structure):
    """``GbAxiTiming`` in axi_memory.cpp."""

    _fields_ = (
        *((name, c_int64) for name in ("read_latency", "read_jitter", "slow_id", "slow_cycles")),
        *((name, c_int64) for name in ("write_latency", "write_jitter")),
        *((name, c_int64) for name in ("max_reads", "max_writes", "data_ahead")),
        *((name, c_uint64) for name in ("read_beats", "read_cycles", "write_beats", "write_cycles", "seed")),
        ("order", c_int),
        ("await_data", c_int),
        ("late_writes", c_int),
        *((name, ReadyPattern) for name in ("aw_ready", "w_ready", "ar_ready")),
        *((name, c_void_p) for name in ("r_gaps", "b_gaps")),
        *((name, c_int64) for name in ("r_gap_count", "b_gap_count")),
        ("users", c_int),
        ("user_seed", c_uint64),
    )


class _Program(Structure):
    """``GbAxiProgram`` in axi_master.cpp."""

    _fields_ = (
        ("bursts", c_void_p),
        ("count", c_int64),
        *(
            (name, c_void_p)
            for name in ("data", "strobes", "gaps", "responses", "users", "answer_users", "cycles", "results")
        ),
        *((name, c_int64) for name in ("max_reads", "max_writes", "data_ahead")),
        *((name, ReadyPattern) for name in ("r_ready", "b_ready")),
    )


class _Check(Structure):
    """``GbAxiCheck`` in axi_checker.cpp."""

    _fields_ = (
        ("reset", c_char_p),
        *((name, c_int) for name in ("reset_high", "lite", "narrow", "fixed", "interleaved")),
        ("lead", c_int64),
    )


class _Wait(Structure):
    """``GbAxiWait`` in axi_checker.cpp."""

    _fields_ = (("since", c_int64), ("cycles", c_int64))


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_axi_memory": (c_void_p, [c_char_p, c_char_p, POINTER(_Names)]),
    "gb_axi_memory_map": (c_int, [c_void_p, POINTER(RegionRow), c_int64]),
    "gb_axi_memory_start": (c_int, [c_void_p, POINTER(_Timing), c_int64]),
    "gb_axi_memory_idle": (c_int, [c_void_p]),
    "gb_axi_memory_log": (c_int64, [c_void_p, POINTER(c_void_p)]),
    "gb_axi_master": (c_void_p, [c_char_p, c_char_p, POINTER(_Names)]),
    "gb_axi_master_run": (c_int, [c_void_p, POINTER(_Program), c_int64]),
    "gb_axi_master_busy": (c_int, [c_void_p]),
    "gb_axi_master_done": (c_int64, [c_void_p]),
    "gb_axi_checker": (c_void_p, [c_char_p, c_char_p, POINTER(_Names), POINTER(_Check)]),
    "gb_axi_waits": (None, [c_void_p, POINTER(_Wait)]),
}


@functools.cache
def _library() -> Any:
    found = library()
    declare(found, _SIGNATURES)
    return found


class _AxiTransactor(Transactor):
    def __init__(self, kernel: Kernel, prefix: str, clock: str, signals: Mapping[str, str] | None) -> None:
        super().__init__(kernel, prefix, clock)
        self._library = _library()
        self.signals = kernel.signals(prefix, AXI.roles, signals, ())
        if "awvalid" not in self.signals and "arvalid" not in self.signals:
            raise UsageError(f"{prefix}: the top module has neither {prefix}_awvalid nor {prefix}_arvalid")
        data = self.signals.get("wdata", self.signals.get("rdata"))
        self.width = (0 if data is None else kernel.width(data) or 0) // 8
        self._names = _Names(*(self.signals[s].encode() if s in self.signals else None for s in AXI.roles))

    def _base(self, base: int | None) -> int:
        first = self.clock.cycle + 1
        if base is not None and base < first:
            raise UsageError(f"{self.name}: cycle {base} is too early to start in, the first one possible is {first}")
        return first if base is None else base


class _Patterns:
    """Patterns as C++ takes them, with the arrays that they point to."""

    def __init__(self) -> None:
        self.arrays: list[npt.NDArray[Any]] = []

    def ready(self, pattern: Pattern) -> ReadyPattern:
        values = np.asarray(pattern.values, np.int64).astype(np.bool_).view(np.uint8)
        self.arrays.append(values)
        return ready_pattern(pattern, values)

    def gaps(self, pattern: Pattern) -> npt.NDArray[np.int64]:
        values = pattern.gaps(0 if pattern.kind == "none" else GAP_PERIOD)
        self.arrays.append(values)
        return values


class AxiMemory(_AxiTransactor):
    """A memory behind an AXI4 master port of the top module. docs/memory.md says what it does when.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``m_axi`` for ``m_axi_awaddr``); all of the write or of the read channels may be absent.
        regions: the address space; their arrays are worked on in place, and several memories may share them.
        timing: how fast it is.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        held: be not ready for anything until :meth:`start`.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        regions: Sequence[Region] = (),
        timing: MemoryTiming | None = None,
        *,
        clock: str = "aclk",
        signals: Mapping[str, str] | None = None,
        held: bool = False,
    ) -> None:
        super().__init__(kernel, prefix, clock, signals)
        self._handle = checked(self._library.gb_axi_memory(prefix.encode(), clock.encode(), ctypes.byref(self._names)))
        self.map(regions)
        if not held:
            self.start(timing)

    def map(self, regions: Sequence[Region]) -> None:
        """Use another address space. Regions that are writable need arrays that are."""
        rows = region_rows(self.name, regions)
        checked(self._library.gb_axi_memory_map(self._handle, rows, len(regions)))
        # C++ works on their arrays.
        self.regions = tuple(regions)

    def start(
        self, timing: MemoryTiming | None = None, base: int | None = None, *, user_seed: int | None = None
    ) -> None:
        """Work from cycle ``base`` on, which is cycle 0 of all patterns; None: from the next but one.

        Args:
            timing: how fast it is.
            base: that cycle.
            user_seed: of RUSER, BUSER and WUSER (:class:`~goldbeat.pymodels.axi.memory.MemoryImage`).
        """
        timing = MemoryTiming() if timing is None else timing
        patterns = _Patterns()
        r_gaps, b_gaps = patterns.gaps(timing.r_gaps), patterns.gaps(timing.b_gaps)
        row = _Timing(
            *(timing.read_latency, timing.read_jitter, timing.slow_id, timing.slow_cycles),
            *(timing.write_latency, timing.write_jitter),
            *(timing.max_reads, timing.max_writes, timing.data_ahead),
            *(*timing.read_bandwidth, *timing.write_bandwidth, timing.seed & 0xFFFFFFFFFFFFFFFF),
            ORDERS.index(timing.order),
            timing.await_data,
            timing.late_writes,
            *(patterns.ready(p) for p in (timing.aw_ready, timing.w_ready, timing.ar_ready)),
            *(r_gaps.ctypes.data, b_gaps.ctypes.data, len(r_gaps), len(b_gaps)),
            *(user_seed is not None, (user_seed or 0) & 0xFFFFFFFFFFFFFFFF),
        )
        checked(self._library.gb_axi_memory_start(self._handle, ctypes.byref(row), self._base(base)))

    @property
    def idle(self) -> bool:
        """Nothing is outstanding."""
        return bool(self._library.gb_axi_memory_idle(self._handle))

    @property
    def log(self) -> npt.NDArray[Any]:
        """Every burst since the last reset, in the order of the address handshakes: rows of :data:`ACCESS`."""
        rows = c_void_p()
        return access_rows(self._library.gb_axi_memory_log(self._handle, ctypes.byref(rows)), rows)


@dataclass(frozen=True, eq=False)
class BurstResults:
    """What became of a program of bursts; cycles that have not come are -1.

    Attributes:
        offered: (n,) first cycle of the address.
        cycle: (n,) address handshake.
        first, last: (n,) first and last data handshake.
        done: (n,) handshake of the write response, or of the last read data.
        response: (n,) the largest of its responses.
        data: (beats, width) rows as wide as the bus: those written, and those read.
        beat: (beats,) data handshakes.
        beat_response: (beats,) responses of read data.
        answer_user: (beats,) the lowest 64 bits of RUSER of each beat of reads, and of BUSER in the first beat of writes.
    """

    offered: npt.NDArray[np.int64]
    cycle: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    done: npt.NDArray[np.int64]
    response: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]
    beat: npt.NDArray[np.int64]
    beat_response: npt.NDArray[np.uint8]
    answer_user: npt.NDArray[np.uint64]


class AxiMaster(_AxiTransactor):
    """Runs programs of bursts on an AXI4 slave port of the top module. docs/memory.md says when it offers what.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_axi`` for ``s_axi_awaddr``); all of the write or of the read channels may be absent.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
    """

    outstanding = "axi_outstanding"

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str = "aclk", signals: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kernel, prefix, clock, signals)
        self._handle = checked(self._library.gb_axi_master(prefix.encode(), clock.encode(), ctypes.byref(self._names)))
        self._running: tuple[object, ...] = ()
        self._waited: list[str] = []

    async def run(
        self,
        bursts: Bursts,
        data: npt.NDArray[np.uint8] | None = None,
        *,
        strobe: npt.NDArray[np.bool_] | None = None,
        write_gaps: npt.NDArray[np.int64] | None = None,
        user: npt.NDArray[np.uint64] | None = None,
        timing: MasterTiming | None = None,
        base: int | None = None,
        timeout: int | None = None,
    ) -> BurstResults:
        """Run a program to its end.

        Args:
            bursts: what to ask for; a cycle in ``not_before`` counts from ``base``.
            data: (beats, width) uint8, rows as wide as the bus in the order of the bursts. Those of reads are filled in, in place.
                None: zeros.
            strobe: (beats, width) byte strobes of write data; None: the lanes of each beat.
            write_gaps: (beats,) idle cycles before each beat of write data.
            user: (beats,) WUSER of write data; None: 0.
            timing: bursts outstanding, and when responses are taken.
            base: cycle from which it works, cycle 0 of the patterns; None: the next but one.
            timeout: cycles without a handshake, gaps not counted; 0: no limit; None: as the kernel has it.

        Raises:
            WaitTimeoutError: the time is up.
        """
        timing = MasterTiming() if timing is None else timing
        shape = (bursts.beats, self.width)
        rows = np.zeros(shape, np.uint8) if data is None else data
        if rows.shape != shape or rows.dtype != np.uint8 or not rows.flags.c_contiguous:
            raise UsageError(
                f"{self.name}: data of shape {rows.shape} and type {rows.dtype}, expected {shape} of uint8"
            )
        if not rows.flags.writeable and bool((bursts.kind == READ).any()):
            raise UsageError(f"{self.name}: data that are read need an array that is writable")
        bits = None
        if strobe is not None:
            if strobe.shape != shape:
                raise UsageError(f"{self.name}: strobe of shape {strobe.shape}, expected {shape}")
            bits = np.packbits(strobe, axis=1, bitorder="little")
        gaps = None
        if write_gaps is not None:
            gaps = np.ascontiguousarray(write_gaps, np.int64)
            if gaps.shape != shape[:1]:
                raise UsageError(f"{self.name}: write_gaps of shape {gaps.shape}, expected {shape[:1]}")
        first = self._base(base)
        table = np.zeros(len(bursts), _BURST)
        for name in _BURST.names or ():
            if name != "beat":
                table[name] = getattr(bursts, name)
        table["beat"] = bursts.rows
        table["not_before"] += first
        responses, cycles = np.zeros(shape[0], np.uint8), np.full(shape[0], -1, np.int64)
        users = np.zeros(shape[0], np.uint64) if user is None else np.ascontiguousarray(user, np.uint64)
        if users.shape != shape[:1]:
            raise UsageError(f"{self.name}: user of shape {users.shape}, expected {shape[:1]}")
        answer_users = np.zeros(shape[0], np.uint64)
        results = np.full(len(bursts), -1, _RESULT)
        results["response"] = 0
        patterns = _Patterns()
        program = _Program(
            table.ctypes.data,
            len(bursts),
            rows.ctypes.data,
            None if bits is None else bits.ctypes.data,
            None if gaps is None else gaps.ctypes.data,
            responses.ctypes.data,
            users.ctypes.data,
            answer_users.ctypes.data,
            cycles.ctypes.data,
            results.ctypes.data,
            timing.max_reads,
            timing.max_writes,
            timing.data_ahead,
            patterns.ready(timing.r_ready),
            patterns.ready(timing.b_ready),
        )
        # C++ works on these arrays even if this task is cancelled.
        self._running = (table, rows, bits, gaps, responses, users, answer_users, cycles, results)
        checked(self._library.gb_axi_master_run(self._handle, ctypes.byref(program), first))
        idle = int(bursts.gap.max(initial=0)) + (0 if gaps is None else int(gaps.max(initial=0)))
        latest = int(table["not_before"].max(initial=first))
        patience = Patience(
            self,
            timeout,
            progress=lambda: (
                library().gb_served(),
                sum(int(np.count_nonzero(column >= 0)) for column in (cycles, *map(results.__getitem__, _CYCLES))),
            ),
            expected=lambda: f"the end of {len(bursts)} bursts, {self.done} are over",
            own=lambda since: max(since, latest) + idle,
        )
        try:
            while self._library.gb_axi_master_busy(self._handle):
                await patience.woken(self._handle)
        except WaitTimeoutError:
            await self._probe("b", timing.b_ready)
            await self._probe("r", timing.r_ready)
            raise
        columns = {name: results[name].copy() for name in _RESULT.names or ()}
        return BurstResults(**columns, data=rows, beat=cycles, beat_response=responses, answer_user=answer_users)

    async def _probe(self, channel: str, pattern: Pattern) -> None:
        """Behind a time-out, raise a ready that has waited for its valid: a valid that rises then has waited for it."""
        valid, ready = (self.signals.get(f"{channel}{role}") for role in ("valid", "ready"))
        if not pattern.waits or valid is None or ready is None or self.kernel.peek(valid):
            return
        raised = self.clock.cycle
        for _ in range(_RAISED_CYCLES):
            # The transactor may drive its own level at an edge.
            self.kernel.poke(ready, 1)
            await Timer(1, "step")
            if self.kernel.peek(valid):
                self._waited.append(
                    f"axi_valid_waits: {self.name}, cycle {self.clock.cycle}: {channel}valid rose "
                    f"{self.clock.cycle - raised} cycle(s) after {channel}ready, which had waited for it"
                )
                break
            await Timer(self.clock.period_ps, "ps")
        self.kernel.poke(ready, 0)

    def reset(self) -> None:
        """Everything idle, nothing queued, nothing recorded."""
        super().reset()
        self._waited = []

    @property
    def violations(self) -> list[str]:
        """Broken protocol rules since the last reset: rule, port, cycle and what happened."""
        return [*super().violations, *self._waited]

    @property
    def done(self) -> int:
        """Bursts of the program that are over."""
        return int(self._library.gb_axi_master_done(self._handle))


class AxiChecker(_AxiTransactor):
    """Checks the protocol rules of an AXI4 or AXI-Lite bundle of the top module, and drives nothing.

    What breaks a rule is in :attr:`violations`; :meth:`Kernel.rule` switches rules off. docs/protocol-rules.md lists them.

    Args:
        kernel: of this simulation.
        prefix: of the ports.
        lite: AXI-Lite.
        clock: name of its clock input.
        reset: the reset input that belongs to it, None: there is none.
        reset_high: the reset's polarity.
        signals: the ports by role, where they are not called after the prefix.
        narrow: bursts narrower than the bus are supported.
        fixed: FIXED bursts are supported.
        interleaved: read data of different bursts may be interleaved.
        data_lead: beats of write data that may precede their address.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        lite: bool = False,
        clock: str = "aclk",
        reset: str | None = None,
        reset_high: bool = False,
        signals: Mapping[str, str] | None = None,
        narrow: bool = True,
        fixed: bool = True,
        interleaved: bool = True,
        data_lead: int = 256,
    ) -> None:
        super().__init__(kernel, prefix, clock, signals)
        name = None if reset is None else reset.encode()
        check = _Check(name, reset_high, lite, narrow, fixed, interleaved, data_lead)
        self._handle = checked(
            self._library.gb_axi_checker(
                prefix.encode(), clock.encode(), ctypes.byref(self._names), ctypes.byref(check)
            )
        )

    @property
    def waits(self) -> dict[str, tuple[int, int]]:
        """By channel the longest wait for ready since the last reset, of what has transferred: since which cycle, and how many."""
        rows = (_Wait * len(CHANNELS))()
        self._library.gb_axi_waits(self._handle, rows)
        return {name: (row.since, row.cycles) for name, row in zip(CHANNELS, rows, strict=True) if row.cycles}


class AxiLiteChecker(AxiChecker):
    """The same for an AXI-Lite bundle."""

    def __init__(self, kernel: Kernel, prefix: str, **options: Any) -> None:
        super().__init__(kernel, prefix, lite=True, **options)
