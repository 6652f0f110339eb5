# SPDX-License-Identifier: Apache-2.0
"""The reference back end: cocotbext-axi's sources, sinks and AXI-Lite master, with cycle-exact gaps and back-pressure.

cocotbext-axi pauses by a generator that runs beside its driver; the order of the two within an edge is open. Here ``pause`` is
a property that is computed when the driver asks, from the gap list (sources) or from the cycle number (sinks), so every
transfer falls into a known cycle.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import cocotb
import numpy as np
import numpy.typing as npt
from cocotb.clock import Clock as CocotbClock
from cocotb.handle import Immediate
from cocotb.task import Task
from cocotb.triggers import FallingEdge, RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Distances
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import AccessResult, Job
from goldbeat.tb.inside.transactors.base import ALL_BITS, Transactors, beat_waiting, most, patience
from goldbeat.tb.inside.transactors.cocotbext_traffic import TrafficHost

_NEVER = 1 << 62
_READY_BLOCK = 4096


class _GapSource(AxiStreamSource):  # type: ignore[misc]
    """A source that waits ``gaps[i]`` edges, on which it could have driven, before beat i."""

    def load(self, trace: Trace) -> None:
        self._gap_list = trace.gaps.tolist()
        self._beat = 0
        self._wait = _NEVER
        for frame in _frames(trace):
            self.send_nowait(frame)

    def arm(self, timing: _Timing, *, settled: bool) -> None:
        self._wait = self._gap_list[0] if self._gap_list else _NEVER
        self._timing, self._settled = timing, settled

    def disarm(self) -> None:
        self._timing = None

    @property
    def pause(self) -> bool:
        """Asked exactly once on every edge on which a beat could be driven; driven there, it is seen one edge later."""
        edge = -2 if self._timing is None else self._timing.last_edge()
        if edge < -1:
            return True
        if edge == -1 and not self._settled:
            # Reset is released at this edge: a master may not drive yet, and the edge counts as one of the gap's.
            self._wait = max(0, self._wait - 1)
            return True
        if self._wait:
            self._wait -= 1
            return True
        self._beat += 1
        # The beat that ends an unfinished frame is only there because a frame must end; it is never driven.
        self._wait = self._gap_list[self._beat] if self._beat < len(self._gap_list) else _NEVER
        return False

    @pause.setter
    def pause(self, value: bool) -> None:
        raise AssertionError("pauses come from the gap list")

    _timing: _Timing | None = None
    _settled = False
    _wait = _NEVER


class _PatternSink(AxiStreamSink):  # type: ignore[misc]
    """A sink whose ``tready`` at edge k is the k-th value of a pattern, or follows ``tvalid``."""

    timing: _Timing | None = None
    _pattern_ready: npt.NDArray[np.bool_]
    _distance: Distances | None = None

    def load(self, stimulus: Stimulus, name: str) -> None:
        self._pattern = stimulus.pattern(name)
        self._distance = Distances(self._pattern) if self._pattern.waits else None
        self._left: int | None = None
        if self._distance is None:
            self._pattern_ready = self._pattern.ready(_READY_BLOCK)

    def look(self) -> None:
        """In the middle of each cycle: count how long ``tvalid`` has stood, for a pattern that waits for it."""
        if self._distance is None or self.timing is None or self.timing.last_edge() < -1:
            return
        if not int(self.bus.tvalid.value) or int(self.bus.tready.value):
            self._left = None
            return
        self._left = (self._distance() if self._left is None else self._left) - 1

    async def _run_tvalid_monitor(self) -> None:
        """Nothing: who is woken right behind an edge cannot follow ``tvalid``. The middle of the cycle wakes it."""

    async def _run_tready_monitor(self) -> None:
        """Nothing, likewise."""

    def _ready_at(self, cycle: int) -> bool:
        if cycle >= len(self._pattern_ready):
            self._pattern_ready = self._pattern.ready(2 * cycle)
        return bool(self._pattern_ready[cycle])

    @property
    def pause(self) -> bool:
        """Asked between edge j-1 and edge j, driven at edge j, so seen by the design at edge j+1."""
        if self.timing is None:
            return True
        if self._distance is not None:
            return self._left != 0 or self.timing.at_edge()
        cycle = self.timing.last_edge() + 2
        return cycle < 0 or not self._ready_at(cycle)

    @pause.setter
    def pause(self, value: bool) -> None:
        raise AssertionError("pauses come from the pattern")


class _Timing:
    """Edge numbers of one clock."""

    def __init__(self, clock: Clock, origin_ps: int) -> None:
        self.clock = clock
        self.origin_ps = origin_ps

    def last_edge(self) -> int:
        """Number of the latest edge (now included); negative before edge 0."""
        return self.clock.first_edge_after(int(get_sim_time("step")) - self.origin_ps) - 1

    def at_edge(self) -> bool:
        """An edge comes at this very time."""
        now = int(get_sim_time("step")) - self.origin_ps
        return self.clock.time(self.clock.first_edge_after(now) - 1) == now


def _frames(trace: Trace) -> list[AxiStreamFrame]:
    """A trace as cocotbext-axi's frames; beats after the last TLAST get one more beat that is never driven."""
    frames = []
    lanes = trace.data.shape[1]
    for part in trace.frames():
        data, keep = part.data.reshape(-1), part.keep.reshape(-1)
        open_end = not part.last[-1]
        sides: dict[str, Any] = {}
        for name in SIDEBANDS:
            column = getattr(part, name)
            if column is not None:
                sides[name] = np.repeat(column, lanes).tolist() + [0] * (lanes * open_end)
        frames.append(
            AxiStreamFrame(
                data.tobytes() + bytes(lanes * open_end), keep.astype(int).tolist() + [0] * (lanes * open_end), **sides
            )
        )
    return frames


class _Watch:
    """Records one stream port's transfers, and checks that what is offered stays."""

    def __init__(self, dut: Any, port: StreamPort) -> None:
        self.port = port
        self.roles = [s for s in ("tdata", "tkeep", "tlast", *SIDEBANDS) if port.has(s)]
        self.signals = [getattr(dut, f"{port.name}_{s}") for s in self.roles]
        self.valid = getattr(dut, f"{port.name}_tvalid")
        self.ready = getattr(dut, f"{port.name}_tready") if port.has("tready") else None
        self.clear()

    def clear(self) -> None:
        self.cycles: list[int] = []
        self.beats: list[tuple[int, ...]] = []
        self.stalled: tuple[int, ...] | None = None
        self.since = 0
        self.violations: list[str] = []

    def sample(self, cycle: int) -> None:
        valid = bool(int(self.valid.value))
        if self.stalled is not None:
            self._check_stable(cycle, valid)
        if not valid:
            self.stalled = None
            return
        payload = tuple([int(s.value) for s in self.signals])
        if self.ready is None or int(self.ready.value):
            self.cycles.append(cycle)
            self.beats.append(payload)
            self.stalled = None
        elif self.stalled is None:
            self.stalled, self.since = payload, cycle

    def _check_stable(self, cycle: int, valid: bool) -> None:
        where = f"{self.port.name}, cycle {cycle}"
        if not valid:
            self.violations.append(f"axis_valid_held: {where}: tvalid fell without a transfer")
        elif tuple([int(s.value) for s in self.signals]) != self.stalled:
            self.violations.append(f"axis_payload_stable: {where}: payload changed while tvalid waited for tready")

    def trace(self, clock: Clock) -> Trace:
        n, width = len(self.beats), self.port.width
        assert isinstance(width, int)
        lanes = width // 8
        rows = list(zip(*self.beats, strict=True)) if n else [()] * len(self.signals)
        columns = dict(zip(self.roles, rows, strict=True))
        data = np.frombuffer(b"".join(v.to_bytes(lanes, "little") for v in columns["tdata"]), np.uint8)
        keep = None
        if "tkeep" in columns:
            bits = np.frombuffer(b"".join(v.to_bytes((lanes + 7) // 8, "little") for v in columns["tkeep"]), np.uint8)
            keep = np.unpackbits(bits.reshape(n, -1), axis=1, count=lanes, bitorder="little") if n else bits
            keep = keep.reshape(n, lanes)
        sides = {s: columns.get(s) for s in SIDEBANDS}
        return Trace.from_bytes(
            data.reshape(n, lanes),
            keep=keep,
            last=columns.get("tlast"),
            cycle=self.cycles,
            clock_ps=clock.period_ps,
            offset_ps=clock.offset_ps,
            **sides,
        )


class CocotbextTransactors(Transactors):
    """cocotbext-axi behind the whole-trace interface."""

    def __init__(self, dut: Any, job: Job) -> None:
        super().__init__(job.registers)
        self._dut = dut
        self._running: list[CocotbClock] = []
        self._played: list[Task[None]] = []
        # cocotbext-axi logs every frame's payload at INFO, and warns of each that a reset drops.
        names = [*(p.name for p in job.streams), *(p.name for p in job.registers)]
        for child in ("cocotb.harness", *(f"cocotb.harness.{name}" for name in names)):
            logging.getLogger(child).setLevel(logging.ERROR)
        self._clock_of = {p.name: p.clock for p in job.streams}
        self._watches = {p.name: _Watch(dut, p) for p in job.streams}
        self._clock_signals = {c.name: getattr(dut, c.name) for c in job.clocks}
        resets = {c.name: None if c.resetn is None else getattr(dut, c.resetn) for c in job.clocks}
        self._sources: dict[str, _GapSource] = {}
        self._sinks: dict[str, _PatternSink] = {}
        for port in job.streams:
            bus, clock = AxiStreamBus.from_prefix(dut, port.name), self._clock_signals[port.clock]
            if port.direction == "in":
                self._sources[port.name] = _GapSource(bus, clock)
            else:
                self._sinks[port.name] = _PatternSink(bus, clock)
        self._masters = {
            p.name: AxiLiteMaster(
                AxiLiteBus.from_prefix(dut, p.name),
                self._clock_signals[p.clock],
                resets[p.clock],
                reset_active_level=False,
            )
            for p in job.registers
            if p.direction == "in" and p.has("awvalid") and p.has("arvalid")
        }
        self._bytes = {p.name: int(p.data_width) // 8 for p in job.registers}
        self._hosts: dict[str, TrafficHost] = {}
        self._tasks: list[Task[None]] = []
        self._stimulus: Stimulus | None = None

    def start_clocks(self, clocks: Mapping[str, Clock], origin_ps: int) -> None:
        """Start cocotb's clocks, each when its next edge is due."""
        for name, clock in clocks.items():
            cocotb.start_soon(self._begin(name, clock, origin_ps))

    async def _begin(self, name: str, clock: Clock, origin: int) -> None:
        if clock.jitter_ps:
            self._played.append(cocotb.start_soon(self._play(name, clock, origin)))
            return
        delay = (origin + clock.offset_ps - int(get_sim_time("step"))) % clock.period_ps
        if delay:
            await Timer(delay, "step")
        driver = CocotbClock(self._clock_signals[name], clock.period_ps, "step", impl="gpi")
        driver.start(start_high=True)
        self._running.append(driver)

    async def _play(self, name: str, clock: Clock, origin: int) -> None:
        """A clock with jitter, which cocotb's own does not have."""
        signal = self._clock_signals[name]
        cycle = clock.first_edge_after(int(get_sim_time("step")) - origin)
        while True:
            for time_ps, level in ((clock.time(cycle), 1), (clock.nominal(cycle) + clock.period_ps // 2, 0)):
                await Timer(origin + time_ps - int(get_sim_time("step")), "step")
                signal.value = Immediate(level)
            cycle += 1

    def stop_clocks(self) -> None:
        """Stop cocotb's clocks."""
        for clock in self._running:
            clock.stop()
        for task in self._played:
            task.cancel()
        self._running, self._played = [], []
        for signal in self._clock_signals.values():
            signal.value = 0

    def peek(self, port: str) -> int:
        """Read over VPI."""
        return int(getattr(self._dut, port).value)

    def drop(self) -> None:
        """Kill the drivers' coroutines and empty their queues."""
        self._cancel()
        for agent in self._agents():
            agent.assert_reset(True)
            agent.clear()
        for sink in self._sinks.values():
            sink.timing = None
        for source in self._sources.values():
            source.disarm()
        for watch in self._watches.values():
            watch.clear()

    def load(self, stimulus: Stimulus) -> None:
        """Queue the frames; nothing moves before :meth:`start`."""
        if stimulus.memories:
            raise UsageError("memories behind AXI4 ports need the native transactors")
        self._stimulus = stimulus
        for name, source in self._sources.items():
            if name in stimulus.inputs:
                source.load(stimulus.inputs[name])
        for name, sink in self._sinks.items():
            sink.load(stimulus, name)
        for host in self._hosts.values():
            host.stop()
        self._hosts = {
            name: TrafficHost(master, stimulus.traffic_of(name), self._bytes[name])
            for name, master in self._masters.items()
            if not stimulus.traffic_of(name).plain
        }
        for agent in self._agents():
            agent.assert_reset(False)

    def start(self, origin_ps: int, *, settled: bool) -> None:
        """Arm sources, give sinks their time base, and begin to record."""
        assert self._stimulus is not None
        timings = {name: _Timing(self._stimulus.clocks[name], origin_ps) for name in self._clock_signals}
        for name, source in self._sources.items():
            if name in self._stimulus.inputs:
                source.arm(timings[self._clock_of[name]], settled=settled)
        for name, sink in self._sinks.items():
            sink.timing = timings[self._clock_of[name]]
            sink.wake_event.set()
        for name, signal in self._clock_signals.items():
            ports = [p for p, clock in self._clock_of.items() if clock == name]
            self._tasks.append(cocotb.start_soon(self._record(signal, timings[name], ports)))
            self._tasks.append(cocotb.start_soon(self._wake(signal, ports)))

    async def _record(self, clock: Any, timing: _Timing, ports: list[str]) -> None:
        watches = [self._watches[p] for p in ports]
        edge = RisingEdge(clock)
        while True:
            await edge
            cycle = timing.last_edge()
            if cycle >= 0:
                for watch in watches:
                    watch.sample(cycle)

    async def _wake(self, clock: Any, ports: list[str]) -> None:
        # A sink sleeps while nothing is offered; woken in mid-cycle it sees each cycle's ready in time.
        sinks = [self._sinks[p] for p in ports if p in self._sinks]
        edge = FallingEdge(clock)
        while sinks:
            await edge
            for sink in sinks:
                sink.look()
                sink.wake_event.set()

    async def access(self, port: str, accesses: Sequence[Access]) -> list[AccessResult]:
        """Run the accesses one at a time."""
        assert self._stimulus is not None
        if port not in self._masters:
            raise UsageError(f"{port}: register programs need an AXI-Lite slave with write and read channels")
        master, size = self._masters[port], self._bytes[port]
        period = self._stimulus.clocks[self._registers[port].clock].period_ps
        results = []
        for access in accesses:
            if access.op == "wait":
                await Timer(patience(access) * period, "step")
                results.append(AccessResult(None, False))
                continue
            if port in self._hosts and access.op in ("write", "read"):
                call = self._hosts[port].make(access, period)
            else:
                call = self._step(master, access, size, self._clock_signals[self._registers[port].clock])
            try:
                results.append(await with_timeout(call, patience(access) * period, "step"))
            except TimeoutError:
                break
        # The answer is seen within its last cycle; the design is left idle for one more.
        await Timer(period, "step")
        return results

    async def _step(self, master: AxiLiteMaster, access: Access, size: int, clock: Any) -> AccessResult:
        mask = ALL_BITS if access.mask is None else access.mask
        match access.op:
            case "write":
                return await self._write(master, access, size)
            case "read":
                return await self._read(master, access, size)
            case "poll":
                while True:
                    result = await self._read(master, access, size)
                    if ((result.value or 0) ^ access.wanted) & mask == 0:
                        return result
            case "wait_for":
                edge = RisingEdge(clock)
                while (self.peek(access.port) ^ access.wanted) & mask:
                    await edge
                return AccessResult(None, False)
        raise UsageError(f"unknown access {access.op!r}; known: write, read, poll, wait, wait_for")

    @staticmethod
    async def _read(master: AxiLiteMaster, access: Access, size: int) -> AccessResult:
        answer = await master.read(access.address, size)
        return AccessResult(int.from_bytes(answer.data, "little"), int(answer.resp) != 0)

    @staticmethod
    async def _write(master: AxiLiteMaster, access: Access, size: int) -> AccessResult:
        lanes = [i for i in range(size) if access.strobe >> i & 1]
        if not lanes or lanes != list(range(lanes[0], lanes[-1] + 1)):
            raise UsageError(f"strobe {access.strobe:04b}: cocotbext-axi only writes bytes next to each other")
        value = (access.value or 0).to_bytes(size, "little")[lanes[0] : lanes[-1] + 1]
        answer = await master.write(access.address + lanes[0], value)
        return AccessResult(None, int(answer.resp) != 0)

    def stop(self) -> tuple[Outcome, tuple[str, ...], tuple[str, ...]]:
        """What was recorded."""
        assert self._stimulus is not None
        self._cancel()
        clocks = self._stimulus.clocks
        ports = {name: watch.trace(clocks[self._clock_of[name]]) for name, watch in self._watches.items()}
        violations = tuple(v for watch in self._watches.values() for v in most(watch.violations))
        waiting = tuple(beat_waiting(n, w.since, ports[n]) for n, w in self._watches.items() if w.stalled is not None)
        return Outcome(ports), violations, waiting

    def _agents(self) -> list[Any]:
        return [*self._sources.values(), *self._sinks.values()]

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []
