# SPDX-License-Identifier: Apache-2.0
"""AXI-Stream source, sink and monitor that run in C++, on whole traces."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.buses import AXIS
from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import KINDS, WORST_PERIOD, WORST_STALL, Pattern, Stalled
from goldbeat.pymodels.payload import PAYLOADS
from goldbeat.pymodels.sidebands import MOST_LANES, SIDEBANDS, strobe_bits
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.kernel.library import (
    AxisBeats,
    AxisCheck,
    AxisColumns,
    AxisLate,
    AxisNames,
    ReadyPattern,
    checked,
    library,
)
from goldbeat.tb.kernel.patience import Patience
from goldbeat.tb.kernel.simulation import Kernel

if TYPE_CHECKING:
    from goldbeat.pymodels.frames import Framed

_STALL_BINS = 5
"""``Stalls`` in axis.cpp."""


class Transactor:
    """What the transactors have in common."""

    outstanding: str | None = None
    """The rule that is broken when a test ends while it waits for an answer; None: it makes no accesses."""

    def __init__(self, kernel: Kernel, prefix: str, clock: str) -> None:
        self.name = prefix
        self.kernel = kernel
        self.clock = kernel.clock(clock)
        self._library = library()

    @property
    def _handle(self) -> int:
        # The object behind it ends with its test.
        self.kernel.check()
        return self._address

    @_handle.setter
    def _handle(self, address: int) -> None:
        self._address = address
        self.kernel.add(self)
        self._drop()

    def reset(self) -> None:
        """Everything idle, nothing queued, nothing recorded."""
        self.kernel.forget(self)
        self._drop()
        self._library.gb_clear_violations(self._handle)

    def _drop(self) -> None:
        policy, seed = self.kernel.idle_payload(self.name)
        resetn = self.kernel.resets.get(self.clock.name)
        name = None if resetn is None else resetn.encode()
        checked(self._library.gb_reset(self._handle, PAYLOADS.index(policy), seed, name))

    @property
    def violations(self) -> list[str]:
        """Broken protocol rules since the last reset: rule, port, cycle and what happened."""
        count = self._library.gb_violations(self._handle)
        return [self._library.gb_violation(self._handle, i).decode() for i in range(count)]

    @property
    def waiting(self) -> str:
        """What it waits for and since when; empty where it waits for nothing."""
        return str(self._library.gb_waiting(self._handle).decode())

    @property
    def waits(self) -> dict[str, tuple[int, int]]:
        """By channel the longest wait for ready: since which cycle, and how many; empty where it does not count them."""
        return {}

    @property
    def stalls(self) -> tuple[int, ...]:
        """Beats since the last reset that waited 1, 2-3, 4-15, 16-63, 64 and more cycles for TREADY."""
        counts = self._library.gb_stalls(self._handle)
        return tuple(counts[:_STALL_BINS]) if counts else ()

    @property
    def stalled(self) -> Stalled | None:
        """Cycles since the last reset in which a beat waited for TREADY; None where nobody counts them."""
        counts = self._library.gb_stalls(self._handle)
        return Stalled(*counts[_STALL_BINS : _STALL_BINS + 3]) if counts else None

    @property
    def stalled_since(self) -> int | None:
        """Cycle since which a beat is offered and not taken, None where none is."""
        since = self._library.gb_stalled(self._handle)
        return None if since < 0 else int(since)


def _sides(kernel: Kernel, signals: Mapping[str, str]) -> tuple[str, ...]:
    """The sidebands that traces of a bundle have."""
    wide = (kernel.width(signals["tdata"]) or 0) // 8 > MOST_LANES
    return tuple(s for s in SIDEBANDS if s in signals and not (s == "tstrb" and wide))


def _names(signals: Mapping[str, str], sides: Sequence[str]) -> AxisNames:
    def text(role: str) -> bytes | None:
        return signals[role].encode() if role in signals else None

    columns = (ctypes.c_char_p * len(SIDEBANDS))(*(text(s) if s in sides else None for s in SIDEBANDS))
    return AxisNames(*(text(r) for r in ("tdata", "tvalid", "tready", "tkeep", "tlast", "tstrb")), columns)


def _address(array: npt.NDArray[Any] | None) -> int | None:
    return None if array is None else array.ctypes.data


class _Block:
    """A trace on its way, with the arrays that C++ reads and fills."""

    def __init__(self, trace: Trace, signals: Mapping[str, str], widths: Mapping[str, int]) -> None:
        self.trace = trace
        self.beats = len(trace)
        self.cycles = np.empty(len(trace), np.int64)
        gaps = trace.gaps
        self.gaps = gaps if gaps.any() else None
        self.keep = None
        if "tkeep" in signals and not trace.keep.all():
            self.keep = np.packbits(trace.keep, axis=1, bitorder="little")
        self.last = trace.last.view(np.uint8) if "tlast" in signals and trace.last.any() else None
        sides = [self._side(name, signals, widths) for name in SIDEBANDS]
        self.columns = AxisBeats(
            len(trace),
            _address(trace.data),
            _address(self.keep),
            _address(self.last),
            (ctypes.c_void_p * len(sides))(*(_address(s) for s in sides)),
            _address(self.gaps),
            _address(self.cycles),
        )

    def _side(self, name: str, signals: Mapping[str, str], widths: Mapping[str, int]) -> npt.NDArray[np.uint64] | None:
        column: npt.NDArray[np.uint64] | None = getattr(self.trace, name)
        if name not in signals or column is None:
            return None
        if len(column) and int(column.max()) >> widths[name]:
            raise UsageError(f"{signals[name]}: {int(column.max())} does not fit in {widths[name]} bits")
        return column


class _BytesBlock:
    """Whole beats back to back on their way: nothing is made of them that C++ does not read.

    Args:
        data: (n, B) bytes.
        ends: beats with TLAST.
        cycles: (n,) that C++ fills.
        has_last: whether the port has TLAST.
    """

    gaps = None

    def __init__(
        self, data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64], cycles: npt.NDArray[np.int64], *, has_last: bool
    ) -> None:
        self.beats, self.cycles = len(data), cycles
        self._data, self._last = data, None
        if has_last and len(ends):
            self._last = np.zeros(self.beats, np.uint8)
            self._last[ends] = 1
        sides = (ctypes.c_void_p * len(SIDEBANDS))()
        self.columns = AxisBeats(
            self.beats, _address(data), None, _address(self._last), sides, None, _address(self.cycles)
        )

    @cached_property
    def trace(self) -> Trace:
        """The beats."""
        last = None if self._last is None else self._last.view(np.bool_)
        return Trace.from_bytes(self._data, last=last, clock_ps=2)


class AxiStreamSource(Transactor):
    """Drives an AXI-Stream input of the top module.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_axis`` for ``s_axis_tdata``); TVALID and TDATA are needed, all others optional.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        held: queue only, until :meth:`start`.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        clock: str = "aclk",
        signals: Mapping[str, str] | None = None,
        held: bool = False,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, AXIS.roles, signals, ("tdata", "tvalid"))
        self._widths = {role: kernel.width(port) or 0 for role, port in self.signals.items()}
        self._sides = _sides(kernel, self.signals)
        names = _names(self.signals, self._sides)
        self._handle = checked(self._library.gb_axis_source(prefix.encode(), clock.encode(), ctypes.byref(names)))
        self._blocks: list[_Block | _BytesBlock] = []
        self._scratch = np.zeros(0, np.int64)
        self._given = 0
        self._base = 0
        if not held:
            self.start()

    def reset(self) -> None:
        """Offer nothing, drop what is queued."""
        super().reset()
        self._blocks = []
        self._given = 0

    def start(self, base: int | None = None, *, earliest: int | None = None) -> None:
        """Let it run.

        Args:
            base: cycle from which the first beat's gap counts; None: the next but one (the first it can be seen in).
            earliest: nothing is offered before this cycle; None: ``base``.
        """
        first = self.clock.cycle + 1 if base is None else base
        self._base = first
        self._library.gb_axis_source_start(self._handle, first, first if earliest is None else earliest)

    def send(self, what: Trace | Framed | bytes | bytearray | memoryview) -> None:
        """Queue beats.

        Args:
            what: a trace, whose ``gaps`` are the idle cycles before each beat, counted from the beat before or from now; or bytes,
                or a frame, which end with TLAST.

        Raises:
            UsageError: another width than the port's, or what :func:`~goldbeat.pymodels.frames.trace_of_frame` refuses.
        """
        trace = what if isinstance(what, Trace) else self._framed(what)
        if trace.width != self._widths["tdata"]:
            raise UsageError(f"{self.name} is {self._widths['tdata']} bit wide, the trace {trace.width} bit")
        block = _Block(trace, self.signals, self._widths)
        self._blocks.append(block)
        self._library.gb_axis_send(self._handle, ctypes.byref(block.columns))

    def send_bytes(self, data: npt.NDArray[np.uint8], ends: npt.NDArray[np.int64]) -> None:
        """Queue whole beats back to back, with no sidebands; nothing else may be queued.

        Args:
            data: (n, B) bytes, contiguous; read in place while it runs.
            ends: beats with TLAST.

        Raises:
            UsageError: another width than the port's, or beats are queued.
        """
        if data.shape[1] * 8 != self._widths["tdata"] or self._blocks:
            raise UsageError(
                f"{self.name} is {self._widths['tdata']} bit wide and takes bytes once, got {data.shape[1]} byte(s)"
            )
        # Fresh pages cost more than what is written into them, so those of the last call serve again.
        if len(self._scratch) < len(data):
            self._scratch = np.empty(len(data), np.int64)
        block = _BytesBlock(data, ends, self._scratch[: len(data)], has_last="tlast" in self.signals)
        self._blocks.append(block)
        self._library.gb_axis_send(self._handle, ctypes.byref(block.columns))

    def _framed(self, what: Framed | bytes | bytearray | memoryview) -> Trace:
        """Its cycles do not matter: it goes back to back."""
        from goldbeat.pymodels.frames import trace_of_frame, trace_of_frames

        width, clock = self._widths["tdata"], Clock(2, 2)
        if isinstance(what, bytes | bytearray | memoryview):
            return trace_of_frames([bytes(what)], width, clock)
        return trace_of_frame(what, width, clock, self._sides)

    async def wait(self, *, timeout: int | None = None) -> None:
        """Wait until everything has transferred.

        Args:
            timeout: cycles without a transfer, gaps not counted; 0: no limit; None: as the kernel has it.

        Raises:
            WaitTimeoutError: the time is up.
        """
        patience = Patience(self, timeout, progress=lambda: self.sent, expected=self._expected, own=self._due)
        self._library.gb_axis_wake_when_idle(self._handle, True)
        while not self._library.gb_axis_idle(self._handle):
            await patience.woken(self._handle)
        self._library.gb_axis_wake_when_idle(self._handle, False)

    async def low(self, traces: int) -> None:
        """Wait until at most so many of the queued traces, at least one, have not been sent to their ends."""
        self._library.gb_axis_wake_when_low(self._handle, traces)
        while self._library.gb_axis_left(self._handle) > traces:
            await self.kernel.wake(self._handle)
        self._library.gb_axis_wake_when_low(self._handle, 0)

    def _due(self, since: int) -> int:
        """Cycle in which the next beat is offered."""
        sent, gap = self.sent - self._given, 0
        for block in self._blocks:
            if sent < block.beats:
                gap = 0 if block.gaps is None else int(block.gaps[sent])
                break
            sent -= block.beats
        return max(since, self._base) + gap

    def _expected(self) -> str:
        beats = self._given + sum(block.beats for block in self._blocks)
        return f"all {beats} beats to be taken, {self.sent} were ({_levels(self)})"

    @property
    def sent(self) -> int:
        """Beats transferred since the last reset."""
        return int(self._library.gb_axis_sent(self._handle))

    @property
    def left(self) -> int:
        """Beats queued that have not transferred."""
        return self._given + sum(block.beats for block in self._blocks) - self.sent

    def taken(self) -> Iterator[Trace]:
        """The queued traces that have been sent to their ends, as :meth:`transferred` has them; they are given out once."""
        while self._blocks and self._blocks[0].beats <= self.sent - self._given:
            block = self._blocks.pop(0)
            self._given += block.beats
            yield self._result(block, block.beats)

    def transferred(self) -> Trace:
        """The beats transferred since the last reset, with the cycles in which they did; without those given out before."""
        if not self._blocks:
            return self._empty()
        left, parts = self.sent - self._given, []
        for block in self._blocks:
            count = min(left, block.beats)
            left -= count
            parts.append(self._result(block, count))
        return Trace.concat(parts)

    def _clocked(self) -> dict[str, Any]:
        return {"clock_ps": self.clock.period_ps, "offset_ps": self.clock.first_ps}

    def _empty(self) -> Trace:
        sides: dict[str, Any] = {s: np.zeros(0, np.uint64) for s in self._sides if self._given}
        return Trace.from_bytes(np.zeros((0, self._widths["tdata"] // 8), np.uint8), **self._clocked(), **sides)

    def _result(self, block: _Block | _BytesBlock, count: int) -> Trace:
        """The first beats of a block, in the cycles in which they transferred."""
        beats = block.trace[:count]
        sides: dict[str, Any] = {s: self._sideband(beats, s) for s in self._sides}
        return Trace.from_bytes(
            beats.data,
            keep=beats.keep if "tkeep" in self.signals else None,
            last=beats.last if "tlast" in self.signals else None,
            cycle=block.cycles[:count].copy(),
            **self._clocked(),
            **sides,
        )

    @staticmethod
    def _sideband(beats: Trace, name: str) -> npt.NDArray[np.uint64]:
        column: npt.NDArray[np.uint64] | None = getattr(beats, name)
        if column is None and name == "tstrb":
            return strobe_bits(beats.keep)
        return np.zeros(len(beats), np.uint64) if column is None else column


def _levels(agent: AxiStreamSource | AxiStreamMonitor) -> str:
    """The handshake of a stream port now, for people."""
    ports = [agent.signals[role] for role in ("tvalid", "tready") if role in agent.signals]
    return ", ".join(f"{port} is {agent.kernel.peek(port)}" for port in ports)


def ready_pattern(pattern: Pattern, values: npt.NDArray[np.uint8]) -> ReadyPattern:
    """A pattern as C++ takes it; ``values`` must outlive the result."""
    return ReadyPattern(
        KINDS.index(pattern.kind),
        pattern.seed & 0xFFFFFFFFFFFFFFFF,
        int(pattern.p * 2**64),
        pattern.burst,
        WORST_STALL,
        WORST_PERIOD,
        values.ctypes.data,
        len(values),
    )


class AxiStreamMonitor(Transactor):
    """Records the transfers of an AXI-Stream port of the top module, and drives nothing.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``m_axis`` for ``m_axis_tdata``); TVALID and TDATA are needed, all others optional.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        held: record nothing until :meth:`start`.
        reset: the reset input that belongs to the clock, None: there is none.
        reset_high: the reset's polarity.
        interleaved: beats of other TID or TDEST may come within a packet.
        fifo: the port writes a FIFO: TVALID may fall without a transfer, and a beat without TREADY is lost.
    """

    _passive = True

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        clock: str = "aclk",
        signals: Mapping[str, str] | None = None,
        held: bool = False,
        reset: str | None = None,
        reset_high: bool = False,
        interleaved: bool = True,
        fifo: bool = False,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, AXIS.roles, signals, ("tdata", "tvalid"))
        self._lanes = (kernel.width(self.signals["tdata"]) or 0) // 8
        self._sides = _sides(kernel, self.signals)
        names = _names(self.signals, self._sides)
        self._handle = checked(
            self._library.gb_axis_sink(prefix.encode(), clock.encode(), ctypes.byref(names), self._passive)
        )
        check = AxisCheck(
            None if reset is None else reset.encode(), reset_high, not interleaved, fifo, *self._avalon_rules()
        )
        checked(self._library.gb_axis_check(self._handle, ctypes.byref(check)))
        self._held: Trace | None = None
        self._base = 0
        if not held:
            self.start()

    def _avalon_rules(self) -> tuple[bool, int, AxisLate]:
        """Whether the rules are those of Avalon-ST, the bit of TUSER that marks first beats, and when a ready counts."""
        return False, -1, AxisLate(0, 0)

    def reset(self) -> None:
        """Drop what was recorded, and record no more."""
        super().reset()
        self._held = None

    def start(self, base: int | None = None) -> None:
        """Record from cycle ``base`` on; None: from the next one."""
        self._begin(Pattern(), base)

    def _begin(self, pattern: Pattern, base: int | None) -> None:
        values = np.asarray(pattern.values, np.int64).astype(np.bool_).view(np.uint8)
        first = self.clock.cycle + 1 if base is None else base
        self._base = first
        checked(self._library.gb_axis_sink_start(self._handle, ctypes.byref(ready_pattern(pattern, values)), first))

    def stop(self) -> None:
        """Record no more."""
        self._library.gb_axis_sink_stop(self._handle)

    def expect(self, beats: int, *, bytes_alone: bool = False) -> None:
        """Make room for so many beats, so that nothing is moved while they come; more may come.

        Args:
            beats: so many.
            bytes_alone: until the next reset no cycles, no TLAST and no sidebands but TSTRB are recorded; for :meth:`take_bytes`.
        """
        self._library.gb_axis_expect(self._handle, beats, bytes_alone)

    def take_bytes(self) -> npt.NDArray[np.uint8] | Trace:
        """What was recorded after :meth:`expect` with ``bytes_alone``.

        Returns:
            (n, B) bytes where all of them are data, else a trace whose cycles count beats.
        """
        columns = AxisColumns()
        self._library.gb_axis_take(self._handle, ctypes.byref(columns))
        if columns.sides[SIDEBANDS.index("tstrb")]:
            return self._trace(columns)
        if columns.keep:
            full = np.packbits(np.ones(self._lanes, np.bool_), bitorder="little")
            # Not a column yet, which would free it: the trace takes it too.
            bits = ctypes.string_at(columns.keep, int(columns.beats) * len(full))
            if bits != bytes(full) * int(columns.beats):
                return self._trace(columns)
            self._library.gb_free(columns.keep)
        return self._column(columns.data, np.uint8, int(columns.beats), self._lanes)

    @property
    def beats(self) -> int:
        """Beats recorded that no call has given out yet."""
        held = 0 if self._held is None else len(self._held)
        return held + int(self._library.gb_axis_beats(self._handle))

    def take(self) -> Trace:
        """What was recorded since the last call."""
        columns = AxisColumns()
        self._library.gb_axis_take(self._handle, ctypes.byref(columns))
        fresh = self._trace(columns)
        if self._held is not None:
            fresh = Trace.concat([self._held, fresh])
            self._held = None
        return fresh

    async def wait(self, *, beats: int | None = None, frames: int | None = None, timeout: int | None = None) -> None:
        """Wait until so many beats and whole frames are there to :meth:`take`; they are counted since the last call of it.

        Args:
            beats: to wait for.
            frames: to wait for.
            timeout: cycles without a beat; 0: no limit; None: as the kernel has it.

        Raises:
            WaitTimeoutError: the time is up.
        """
        if frames is not None and "tlast" not in self.signals:
            raise UsageError(f"{self.name}: no TLAST, so no frames; say how many beats")
        held = (0, 0) if self._held is None else (len(self._held), int(self._held.last.sum()))
        want = [-1 if n is None else n - h for n, h in zip((beats, frames), held, strict=True)]
        patience = Patience(
            self,
            timeout,
            progress=lambda: self._library.gb_axis_beats(self._handle),
            expected=lambda: self._expected(beats, frames, held),
            own=lambda since: max(since, self._base),
        )
        while True:
            have = (self._library.gb_axis_beats(self._handle), self._library.gb_axis_frames(self._handle))
            lacking = [w if w > h else -1 for w, h in zip(want, have, strict=True)]
            if max(lacking) < 0:
                return
            self._library.gb_axis_wake_at(self._handle, *lacking)
            await patience.woken(self._handle)

    def _expected(self, beats: int | None, frames: int | None, held: tuple[int, int]) -> str:
        have = (self._library.gb_axis_beats(self._handle), self._library.gb_axis_frames(self._handle))
        counts = [
            f"{count + before} of {wanted} {what}"
            for what, wanted, count, before in zip(("beats", "frames"), (beats, frames), have, held, strict=True)
            if wanted is not None
        ]
        return f"{' and '.join(counts)} ({_levels(self)})"

    async def recv(self, *, beats: int | None = None, frames: int | None = None, timeout: int | None = None) -> Trace:
        """Wait for so many beats or whole frames, one frame if nothing is said, and give just them out.

        Args:
            beats: to wait for.
            frames: to wait for.
            timeout: cycles without a beat; 0: no limit; None: as the kernel has it.

        Raises:
            WaitTimeoutError: the time is up.
        """
        if beats is None and frames is None:
            frames = 1
        await self.wait(beats=beats, frames=frames, timeout=timeout)
        trace = self.take()
        count = max(beats or 0, int(np.flatnonzero(trace.last)[frames - 1]) + 1 if frames else 0)
        if count < len(trace):
            self._held = trace[count:]
        return trace[:count]

    def _trace(self, columns: AxisColumns) -> Trace:
        n, lanes = int(columns.beats), self._lanes
        data = self._column(columns.data, np.uint8, n, lanes)
        bits = self._column(columns.keep, np.uint8, n, (lanes + 7) // 8)
        last = self._column(columns.last, np.uint8, n)
        sides = {s: self._column(columns.sides[i], np.uint64, n) for i, s in enumerate(SIDEBANDS) if s in self._sides}
        keep = None
        if "tkeep" in self.signals:
            keep = np.unpackbits(bits, axis=1, count=lanes, bitorder="little").view(np.bool_)
        return Trace.from_bytes(
            data,
            keep=keep,
            last=last.view(np.bool_) if "tlast" in self.signals else None,
            cycle=self._column(columns.cycles, np.int64, n) if columns.cycles else None,
            clock_ps=self.clock.period_ps,
            offset_ps=self.clock.first_ps,
            **sides,
        )

    def _column(self, address: int | None, dtype: Any, *shape: int) -> npt.NDArray[Any]:
        """An array that C++ has allocated, as it is; freed with the array."""
        if not address:
            return np.zeros(shape, dtype)
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        memory = (ctypes.c_uint8 * size).from_address(address)
        weakref.finalize(memory, self._library.gb_free, address)
        return np.frombuffer(memory, dtype).reshape(shape)


class AxiStreamSink(AxiStreamMonitor):
    """Takes from an AXI-Stream output of the top module and records what it takes.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``m_axis`` for ``m_axis_tdata``); TVALID and TDATA are needed, all others optional.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
        ready: when it is ready, counted from the first cycle that is recorded.
        held: not ready until :meth:`start`.
        reset, reset_high, interleaved, fifo: as a monitor has them.
    """

    _passive = False

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        clock: str = "aclk",
        signals: Mapping[str, str] | None = None,
        ready: Pattern | None = None,
        held: bool = False,
        reset: str | None = None,
        reset_high: bool = False,
        interleaved: bool = True,
        fifo: bool = False,
    ) -> None:
        self.ready = ready or Pattern()
        rules: dict[str, Any] = {"reset": reset, "reset_high": reset_high, "interleaved": interleaved, "fifo": fifo}
        super().__init__(kernel, prefix, clock=clock, signals=signals, held=held, **rules)

    def start(self, base: int | None = None) -> None:
        """Be ready by the pattern and record, from cycle ``base`` on; None: from the first that a ready set now is seen in."""
        self._begin(self.ready, base)
