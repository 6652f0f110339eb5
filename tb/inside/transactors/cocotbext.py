# SPDX-License-Identifier: Apache-2.0
"""The reference back end: cocotbext-axi's sources, sinks and masters, as the ports name them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import cocotb
import numpy as np
from cocotb.clock import Clock as CocotbClock
from cocotb.handle import Immediate
from cocotb.task import Task
from cocotb.triggers import FallingEdge, RisingEdge, Timer, with_timeout
from cocotb.utils import get_sim_time

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.payload import Payload
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.inside.job import AccessResult, Job
from goldbeat.tb.inside.transactors.base import (
    ALL_BITS,
    Channel,
    Transactors,
    load_agent,
    step_patience,
    stream_channels,
)
from goldbeat.tb.inside.transactors.idle import IdlePayload
from goldbeat.tb.inside.transactors.probe import RAISED_CYCLES
from goldbeat.tb.inside.transactors.reference_stream import GapSource, PatternSink, Timing
from goldbeat.tb.inside.transactors.rules import Rules


class ReferenceMaster(Protocol):
    """What the classes do that ports of registers name as their reference."""

    def behave(self, traffic: RegisterTraffic, period: int) -> None:
        """Make accesses like this from now on; ``period`` is the clock's, in picoseconds."""

    async def read(self, access: Access) -> AccessResult:
        """A read."""

    async def write(self, access: Access) -> AccessResult:
        """A write."""


class _Watch:
    """Records one stream port's transfers."""

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

    def sample(self, cycle: int) -> None:
        if not int(self.valid.value):
            self.stalled = None
            return
        payload = tuple([int(s.value) for s in self.signals])
        if self.ready is None or int(self.ready.value):
            self.cycles.append(cycle)
            self.beats.append(payload)
            self.stalled = None
        elif self.stalled is None:
            self.stalled, self.since = payload, cycle

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
    """cocotbext-axi behind the whole-trace interface. The rules are watched by the checkers in C++, as everywhere."""

    def __init__(self, dut: Any, job: Job) -> None:
        super().__init__(job.registers)
        self._rules = Rules(dut, job)
        self._idle = IdlePayload(dut, self._rules.kernel, job)
        self._late: list[str] = []
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
        self._sources: dict[str, GapSource] = {}
        self._sinks: dict[str, PatternSink] = {}
        for port in job.streams:
            made = load_agent(port.reference[port.direction], port)(dut, port, self._clock_signals[port.clock])
            if port.direction == "in":
                self._sources[port.name] = made
            else:
                self._sinks[port.name] = made
        self._masters: dict[str, ReferenceMaster] = {
            p.name: load_agent(p.reference[p.direction], p)(dut, p, self._clock_signals[p.clock], resets[p.clock])
            for p in job.registers
            if p.direction in p.reference and p.whole
        }
        self._tasks: list[Task[None]] = []

    def start_clocks(self, clocks: Mapping[str, Clock], origin_ps: int) -> None:
        """Start cocotb's clocks, each when its next edge is due."""
        self._rules.number(clocks, int(get_sim_time("step")) - origin_ps)
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

    def poke(self, port: str, value: int) -> None:
        """Write the model's own variable."""
        self._rules.kernel.poke(port, value)

    def flip(self) -> None:
        """Flip each input within this cycle, and note which outputs of its interface follow."""
        self._rules.flip()

    def channels(self) -> list[Channel]:
        """Outputs with an ``after-valid`` pattern."""
        assert self._stimulus is not None
        return stream_channels([w.port for w in self._watches.values()], self._stimulus)

    def rules(self) -> tuple[str, ...]:
        """What the checkers of register ports have seen."""
        return (*self._rules.register_violations(), *self._late)

    def waits(self) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """Counted by the checkers."""
        return self._rules.waits()

    def idle_payload(self, policies: Mapping[str, Payload], seed: int) -> None:
        """Driven beside cocotbext-axi's drivers."""
        self._idle.reset(policies, seed)

    def drop(self) -> None:
        """Kill the drivers' coroutines and empty their queues."""
        self._cancel()
        self._rules.drop()
        self._late = []
        for agent in self._agents():
            agent.assert_reset(True)
            agent.clear()
        for sink in self._sinks.values():
            sink.timing = None
        for source in self._sources.values():
            source.disarm()
        for watch in self._watches.values():
            watch.clear()

    def load(self, stimulus: Stimulus, *, long: bool = False) -> None:
        """Queue the frames; nothing moves before :meth:`start`."""
        if stimulus.memories:
            raise UsageError(f"memories need the native transactors: {', '.join(stimulus.memories)}")
        if any(trace.tstrb is not None for trace in stimulus.inputs.values()):
            raise UsageError("TSTRB needs the native transactors: cocotbext-axi's streams have none")
        self._stimulus = stimulus
        for name, source in self._sources.items():
            if name in stimulus.inputs:
                source.load(stimulus.inputs[name])
        for name, sink in self._sinks.items():
            sink.load(stimulus, name)
        for name, master in self._masters.items():
            master.behave(
                self._registers[name].fitting(stimulus.traffic_of(name)),
                stimulus.clocks[self._registers[name].clock].period_ps,
            )
        for agent in self._agents():
            agent.assert_reset(False)

    def start(self, origin_ps: int, *, settled: bool) -> None:
        """Arm sources, give sinks their time base, and begin to record."""
        assert self._stimulus is not None
        self._rules.start()
        timings = {name: Timing(self._stimulus.clocks[name], origin_ps) for name in self._clock_signals}
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

    async def _record(self, clock: Any, timing: Timing, ports: list[str]) -> None:
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
            raise UsageError(f"{port}: the reference transactors have no master for it")
        master = self._masters[port]
        period, usual = self._stimulus.clocks[self._registers[port].clock].period_ps, self.patience(port)
        results = []
        for access in accesses:
            if access.op == "wait":
                await Timer(step_patience(access, usual) * period, "step")
                results.append(AccessResult(None, False))
                continue
            call = self._step(master, access, self._clock_signals[self._registers[port].clock])
            try:
                results.append(await with_timeout(call, step_patience(access, usual) * period, "step"))
            except TimeoutError:
                await self._probe(self._registers[port], period)
                break
        # The answer is seen within its last cycle; the design is left idle for one more.
        await Timer(period, "step")
        return results

    async def _probe(self, port: RegisterPort, period: int) -> None:
        """Behind a time-out, raise a ready that has waited for its valid: a valid that rises then has waited for it."""
        assert self._stimulus is not None
        # The master writes its own level at every edge: between two edges it has done so.
        await Timer(period // 2, "step")
        for channel in port.responses:
            valid, ready = f"{channel}valid", f"{channel}ready"
            if not self._stimulus.traffic_of(port.name).pattern(channel).waits or self.peek(f"{port.name}_{valid}"):
                continue
            for _ in range(RAISED_CYCLES):
                self.poke(f"{port.name}_{ready}", 1)
                await Timer(1, "step")
                if self.peek(f"{port.name}_{valid}"):
                    self._late.append(
                        f"{port.spec.name}_valid_waits: {port.name}, cycle {self._rules.cycle(port.clock)}: {valid} came when "
                        f"{ready} rose, which waited for it"
                    )
                    break
                await Timer(period - 1, "step")
            self.poke(f"{port.name}_{ready}", 0)

    async def _step(self, master: ReferenceMaster, access: Access, clock: Any) -> AccessResult:
        mask = ALL_BITS if access.mask is None else access.mask
        match access.op:
            case "write":
                return await master.write(access)
            case "read":
                return await master.read(access)
            case "poll":
                while True:
                    result = await master.read(access)
                    if ((result.value or 0) ^ access.wanted) & mask == 0:
                        return result
            case "wait_for":
                edge = RisingEdge(clock)
                while (self.peek(access.port) ^ access.wanted) & mask:
                    await edge
                return AccessResult(None, False)
        raise UsageError(f"unknown access {access.op!r}; known: write, read, poll, wait, wait_for")

    def moved(self) -> Mapping[str, int]:
        """Counted by the watches."""
        return {name: len(watch.cycles) for name, watch in self._watches.items()}

    def stop(self, *, outputs_alone: bool = False) -> tuple[Outcome, tuple[str, ...], tuple[str, ...]]:
        """What was recorded."""
        assert self._stimulus is not None
        self._cancel()
        clocks = self._stimulus.clocks
        ports = {name: watch.trace(clocks[self._clock_of[name]]) for name, watch in self._watches.items()}
        waiting = tuple(w.port.waits(w.since, ports[n]) for n, w in self._watches.items() if w.stalled is not None)
        return Outcome(ports), self._rules.violations(), waiting

    def _agents(self) -> list[Any]:
        return [*self._sources.values(), *self._sinks.values()]

    def _cancel(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._tasks = []
