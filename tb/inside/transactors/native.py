# SPDX-License-Identifier: Apache-2.0
"""The fast back end: clocks, streams and registers run in C++ (``goldbeat.tb.kernel``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from cocotb.triggers import Timer
from cocotb.utils import get_sim_steps

from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Stalled
from goldbeat.pymodels.payload import Payload
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.inside.job import AccessResult, BurstAnswers, Job, RawBeats
from goldbeat.tb.inside.transactors.base import (
    ALL_BITS,
    Channel,
    Transactors,
    load_agent,
    step_patience,
    stream_channels,
)
from goldbeat.tb.inside.transactors.burst_masters import BurstMasters
from goldbeat.tb.inside.transactors.long_streams import LongSink, LongSource
from goldbeat.tb.inside.transactors.memories import Memories
from goldbeat.tb.inside.transactors.wires import WirePaths, interfaces
from goldbeat.tb.kernel import registers
from goldbeat.tb.kernel.axis import AxiStreamSink, AxiStreamSource
from goldbeat.tb.kernel.library import library
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.simulation import Kernel

_LOOK_ON = 24
"""Cycles that a design is watched for after an access that got no answer."""


class NativeTransactors(Transactors):
    """The kernel's transactors behind the whole-trace interface."""

    def __init__(self, dut: Any, job: Job) -> None:
        super().__init__(job.registers)
        # The host limits every episode and knows what to blame.
        self._kernel = Kernel(dut, judge=False, timeout=0)
        self._kernel.resets = {c.name: c.resetn for c in job.clocks if c.resetn is not None}
        self._clocks = {c.name: self._kernel.clock(c.name) for c in job.clocks}
        self._streams = {p.name: p for p in job.streams}
        self._sources: dict[str, AxiStreamSource] = {}
        self._sinks: dict[str, AxiStreamSink] = {}
        resets = {c.name: c.resetn for c in job.clocks}
        for port in job.streams:
            made = load_agent(port.native[port.direction], port)
            options = {"clock": port.clock, "signals": port.harness(), **port.native_options()}
            if port.direction == "in":
                self._sources[port.name] = made(self._kernel, port.name, **options)
            else:
                self._sinks[port.name] = made(self._kernel, port.name, reset=resets[port.clock], **options)
        self._masters: dict[str, RegisterMaster] = {
            one.name: load_agent(one.native[one.direction], one)(
                self._kernel, one.name, clock=one.clock, signals=one.harness(), **one.native_options()
            )
            for one in job.registers
            if one.direction == "in" and "in" in one.native
        }
        self._burst_masters = BurstMasters(self._kernel, job)
        self._memories = Memories(self._kernel, job)
        for crossing in job.crossings:
            self._kernel.crossing(crossing.signal, crossing.clock, crossing.copies)
        self._shelf = job.shelf
        self._long: dict[str, LongSource | LongSink] = {}
        self._data_alone = False
        self._bytes: dict[str, npt.NDArray[np.uint8]] = {}
        self._interfaces = interfaces(job)
        self._wires = WirePaths(self._interfaces, self._kernel.follows)

    def start_clocks(self, clocks: Mapping[str, Clock], origin_ps: int) -> None:
        """Start the native clocks, edges before the origin numbered downwards from -1."""
        now = self._kernel.now_ps
        for name, clock in clocks.items():
            cycle = clock.first_edge_after(now - origin_ps)
            first = origin_ps + clock.time(cycle)
            options = {"cycle": cycle, "jitter_ps": clock.jitter_ps, "seed": clock.seed}
            self._clocks[name].start(clock.period_ps, first_ps=first, **options)

    def stop_clocks(self) -> None:
        """Stop the native clocks."""
        for clock in self._clocks.values():
            clock.stop()

    def blur(self, seed: int, window_ps: int) -> None:
        """Arm the kernel's crossings."""
        library().gb_crossings_arm(seed, get_sim_steps(window_ps, "ps"))

    def late_bits(self) -> Mapping[str, int]:
        """Counted by the kernel."""
        return self._kernel.late_bits()

    def torn_words(self) -> Mapping[str, int]:
        """Counted by the kernel."""
        return self._kernel.torn_words()

    def peek(self, port: str) -> int:
        """Read the model's own variable, visible over VPI or not."""
        return self._kernel.peek(port)

    def poke(self, port: str, value: int) -> None:
        """Write the model's own variable."""
        self._kernel.poke(port, value)

    def flip(self) -> None:
        """Flip each input within this cycle, and note which outputs of its interface follow."""
        self._wires.look(lambda name: self._clocks[name].cycle)

    def channels(self) -> list[Channel]:
        """Outputs and memory channels with an ``after-valid`` pattern."""
        assert self._stimulus is not None
        return [*stream_channels(self._streams.values(), self._stimulus), *self._memories.channels(self._stimulus)]

    def idle_payload(self, policies: Mapping[str, Payload], seed: int) -> None:
        """The kernel's transactors ask for it when they are reset."""
        self._kernel.payload, self._kernel.payload_seed = policies, seed

    def drop(self) -> None:
        """Reset all transactors."""
        for stream in self._long.values():
            stream.drop()
        self._long = {}
        for agent in (*self._sources.values(), *self._sinks.values(), *self._masters.values()):
            agent.reset()
        self._burst_masters.drop()
        self._memories.drop()
        self._wires = WirePaths(self._interfaces, self._kernel.follows)

    def load(self, stimulus: Stimulus, *, long: bool = False) -> None:
        """Hand the arrays over; nothing moves before :meth:`start`."""
        self._stimulus = stimulus
        self._memories.load(stimulus)
        for name, master in self._masters.items():
            master.behave(self._registers[name].fitting(stimulus.traffic_of(name)))
        for name, source in self._sources.items():
            if name not in stimulus.inputs:
                continue
            if long:
                self._long[name] = LongSource(source, stimulus.inputs[name], self._shelf, self._offset(name))
            else:
                source.send(stimulus.inputs[name])
        for name, sink in self._sinks.items():
            sink.ready = stimulus.pattern(name)
            if long:
                self._long[name] = LongSink(sink, self._shelf, self._offset(name))

    def load_raw(self, raw: Mapping[str, RawBeats], *, data_alone: bool) -> None:
        """Hand the bytes over as they are."""
        for name, beats in raw.items():
            self._sources[name].send_bytes(beats.data, beats.ends)
        self._bytes, self._data_alone = {}, data_alone
        if data_alone:
            room = max((len(beats.data) for beats in raw.values()), default=0)
            for sink in self._sinks.values():
                sink.expect(room, bytes_alone=True)

    def bytes_alone(self) -> Mapping[str, npt.NDArray[np.uint8]]:
        """The columns of the sinks."""
        return self._bytes

    def _offset(self, port: str) -> int:
        """Time of edge 0 of a port's clock, from the origin."""
        assert self._stimulus is not None
        return self._stimulus.clocks[self._streams[port].clock].offset_ps

    def start(self, origin_ps: int, *, settled: bool) -> None:
        """Start sources and sinks at cycle 0 of their clocks."""
        for source in self._sources.values():
            # Reset is released after edge -1: a master may not drive before edge 0, so it is seen at edge 1.
            source.start(0, earliest=0 if settled else 1)
        for sink in self._sinks.values():
            sink.start(0)

    async def access(self, port: str, accesses: Sequence[Access]) -> list[AccessResult]:
        """Run the accesses as one program."""
        assert self._stimulus is not None
        if port not in self._masters:
            raise UsageError(f"{port}: register programs need a slave")
        usual = self.patience(port)
        steps = [register_step(a, usual) for a in accesses]
        results = await self._masters[port].run(steps)
        # The answer is seen within its last cycle; the design is left idle for one more. A master that has given up looks on:
        # what comes now tells why.
        late = bool(len(results)) and results[-1].status == "timeout"
        cycles = _LOOK_ON if late else 1
        await Timer(cycles * self._stimulus.clocks[self._registers[port].clock].period_ps, "ps")
        return [
            AccessResult(
                r.value if a.op in ("read", "poll") else None,
                r.response != 0,
                r.last_cycle,
                r.first_cycle,
                r.response,
                r.forms,
            )
            for a, r in zip(accesses, results, strict=False)
            if r.status == "done"
        ]

    async def bursts(self, port: str, program: BurstProgram) -> BurstAnswers:
        """Run it on the master in C++."""
        assert self._stimulus is not None
        return await self._burst_masters.run(port, program, self._stimulus.clocks)

    def memory(self, port: str) -> Mapping[str, npt.NDArray[np.uint8]]:
        """The bytes that the memory in C++ works on."""
        return self._memories.bytes_of(port)

    def stalls(self) -> Mapping[str, tuple[int, ...]]:
        """Counted by the sources and sinks."""
        return {n: agent.stalls for n in self._streams for agent in [self._sources.get(n) or self._sinks[n]]}

    def stalled(self) -> Mapping[str, Stalled]:
        """Counted by the sources and sinks."""
        agents = {n: self._sources.get(n) or self._sinks[n] for n in self._streams}
        return {n: found for n, agent in agents.items() if (found := agent.stalled) is not None}

    def waits(self) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """Counted by the checkers."""
        return self._memories.waits()

    def moved(self) -> Mapping[str, int]:
        """Counted in C++."""
        return {**self.taken(), **{name: sink.beats for name, sink in self._sinks.items()}}

    def left_ps(self) -> int:
        """Counted in C++."""
        assert self._stimulus is not None
        periods = {name: self._stimulus.clocks[self._streams[name].clock].period_ps for name in self._sources}
        return max((source.left * periods[name] for name, source in self._sources.items()), default=0)

    def taken(self) -> Mapping[str, int]:
        """Counted in C++."""
        return {name: source.sent for name, source in self._sources.items()}

    def stop(self, *, outputs_alone: bool = False) -> tuple[Outcome, tuple[str, ...], tuple[str, ...]]:
        """What was recorded."""
        assert self._stimulus is not None
        ports: dict[str, Trace] = {}
        violations: list[str] = []
        waiting: list[str] = []
        for name, port in self._streams.items():
            agent: AxiStreamSource | AxiStreamSink = self._sources.get(name) or self._sinks[name]
            violations += agent.violations
            since = agent.stalled_since
            if outputs_alone and name in self._sources and since is None:
                continue
            if self._data_alone and name in self._sinks:
                self._keep_bytes(name, ports)
                if since is not None:
                    waiting.append(agent.waiting)
                continue
            trace = self._long[name].trace() if name in self._long else self._recorded(name)
            ports[name] = trace
            if since is not None:
                waiting.append(port.waits(since, trace))
        outcome = Outcome(ports, memories=self._memories.contents())
        seen = (*violations, *self._memories.violations(), *self._wires.violations)
        return outcome, seen, (*waiting, *self._memories.waiting())

    def _keep_bytes(self, name: str, ports: dict[str, Trace]) -> None:
        """What an output has transferred, of an episode that asked for data alone; a trace where some bytes are no data."""
        self._sinks[name].stop()
        found = self._sinks[name].take_bytes()
        if isinstance(found, Trace):
            ports[name] = replace(found, offset_ps=self._offset(name))
        else:
            self._bytes[name] = found

    def _recorded(self, name: str) -> Trace:
        """What a stream port has transferred, whole."""
        if name in self._sources:
            trace = self._sources[name].transferred()
        else:
            self._sinks[name].stop()
            trace = self._sinks[name].take()
        return replace(trace, offset_ps=self._offset(name))

    def rules(self) -> tuple[str, ...]:
        """What register masters and the monitors of register ports have seen."""
        seen = [text for master in self._masters.values() for text in master.violations]
        return (*self._memories.register_violations(), *seen, *self._burst_masters.violations())

    def _access_waits(self, port: str, access: Access) -> str:
        assert self._stimulus is not None
        if self._stimulus.traffic_of(port).plain:
            return super()._access_waits(port, access)
        # Of several accesses, the master knows which wait for what.
        return self._masters[port].waiting.removeprefix(f"{port}: ") or super()._access_waits(port, access)


def register_step(access: Access, usual: int) -> registers.Step:
    """The step of a native register master that does the access, within ``usual`` cycles where it does not say how many.

    Raises:
        UsageError: there is no such access.
    """
    return _step(access, step_patience(access, usual))._replace(
        prot=access.prot, alone=int(access.error or access.lanes > 0)
    )


def _step(access: Access, timeout: int) -> registers.Step:
    mask = ALL_BITS if access.mask is None else access.mask
    match access.op:
        case "write":
            return registers.write(access.address, access.value or 0, access.strobe, timeout=timeout)
        case "post":
            return registers.post(access.address, access.value or 0, timeout=timeout)
        case "read":
            needed = mask if access.beside else ALL_BITS
            return registers.read(access.address, needed, lanes=access.lanes, timeout=timeout)
        case "poll":
            return registers.poll(access.address, access.wanted, mask, timeout=timeout)
        case "wait":
            return registers.wait(timeout)
        case "wait_for":
            return registers.wait_for(access.port, access.wanted, mask, timeout=timeout)
    raise UsageError(f"unknown access {access.op!r}; known: write, read, poll, wait, wait_for")
