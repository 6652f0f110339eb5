# SPDX-License-Identifier: Apache-2.0
"""Clocks, time and ports of a running simulation whose event loop is the kernel's."""

from __future__ import annotations

import ctypes
import logging
import os
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import cocotb
from cocotb.task import CancelledError
from cocotb.triggers import Event, First, GPITrigger, RisingEdge, Timer
from cocotb.utils import get_sim_steps, get_sim_time, get_time_from_sim_steps

from goldbeat.pymodels.errors import GoldbeatError, ProtocolError, UsageError, WaitTimeoutError
from goldbeat.pymodels.payload import HOSTILE, PAYLOADS, Payload
from goldbeat.tb.kernel.forces import refuse_ignored_forces
from goldbeat.tb.kernel.library import WAKE_CALL, checked, library
from goldbeat.tb.kernel.patience import UNKNOWN_PERIOD_PS, timeout_cycles
from goldbeat.tb.kernel.waivers import ENVIRONMENT, accepted_by, check_ports, parse_waivers, sift, split, waived

_SEED_MASK = (1 << 64) - 1
_SHOWN = 10
"""Violations in the message of a test that fails for them."""
_FAILED = -3
"""What ``gb_follows`` returns for an unknown port."""


class Wake(GPITrigger):  # type: ignore[misc]
    """Fires when a transactor asks for it, within the time step of the edge it has seen."""

    def _prime(self) -> None:
        pass

    def _unprime(self) -> None:
        pass

    def fire(self) -> None:
        """Called by the kernel."""
        if self._callbacks:
            self._react()


class NativeClock:
    """The clock on an input of the top module.

    After :meth:`start` the kernel runs it: edge k rises at ``first_ps + k * period_ps``, give or take its jitter. Until then
    whatever drives the input is the clock (cocotb's ``Clock``, a coroutine, :meth:`Kernel.poke`): each rising edge is a cycle,
    counted from 0.
    """

    def __init__(self, kernel: Kernel, name: str) -> None:
        self.kernel = kernel
        self.name = name
        self._native = False
        self._period_ps = 0
        self._first_ps = 0
        self._high_ps = 0
        self._address = checked(library().gb_clock(name.encode()))
        self.signal = getattr(kernel.dut, name)

    @property
    def _handle(self) -> int:
        # The object behind it ends with its test.
        self.kernel.check()
        return int(self._address)

    def start(
        self,
        period_ps: int,
        *,
        first_ps: int,
        high_ps: int | None = None,
        cycle: int = 0,
        jitter_ps: int = 0,
        seed: int = 0,
    ) -> None:
        """Begin to run.

        Args:
            period_ps: period.
            first_ps: simulation time of the first rising edge, still to come.
            high_ps: how long it is high; None: half of the period.
            cycle: the first edge's number; with jitter at most 0.
            jitter_ps: how far the rising edges behind number 0 may lie from where they belong, as
                :class:`~goldbeat.pymodels.clock.Clock` has it.
            seed: draws that.
        """
        high = period_ps // 2 if high_ps is None else high_ps
        if high <= 0 or high >= period_ps or (high_ps is None and period_ps % 2):
            raise UsageError(f"clock {self.name}: {high} of {period_ps} ps high is no clock")
        lengths = [get_sim_steps(t, "ps") for t in (high, period_ps - high, first_ps)]
        checked(library().gb_clock_start(self._handle, *lengths, cycle))
        if jitter_ps:
            checked(library().gb_clock_jitter(self._handle, get_sim_steps(jitter_ps, "ps"), seed))
        self._native = True
        self._period_ps, self._high_ps = period_ps, high
        self._first_ps = first_ps - cycle * period_ps

    def number(self, cycle: int) -> None:
        """Count a clock that something else drives from here on: its next rising edge has this number."""
        library().gb_clock_number(self._handle, cycle)

    def stop(self) -> None:
        """Stop it, low."""
        library().gb_clock_stop(self._handle)

    @property
    def cycle(self) -> int:
        """Number of the next rising edge."""
        return int(library().gb_clock_cycle(self._handle))

    @property
    def period_ps(self) -> int:
        """Period in picoseconds; of a clock that something else drives, the latest one (1 before its second edge)."""
        if self._native:
            return self._period_ps
        return max(1, self._in_ps(library().gb_clock_spacing(self._handle)))

    @property
    def first_ps(self) -> int:
        """Simulation time of edge 0; of a clock that something else drives, as its latest period has it."""
        if self._native:
            return self._first_ps
        edges = self.cycle
        return self._in_ps(library().gb_clock_rose(self._handle)) - (edges - 1) * self.period_ps if edges else 0

    @staticmethod
    def _in_ps(steps: int) -> int:
        return int(get_time_from_sim_steps(steps, "ps"))

    async def cycles(self, count: int) -> None:
        """Wait for so many rising edges; goes on when the last one has come and nothing has yet followed it.

        Raises:
            WaitTimeoutError: the clock, which something else drives, stands still for as long as the kernel's time-out allows.
        """
        if count < 1:
            return
        if not self._native:
            await self._foreign(count)
            return
        edge = self._first_ps + (self.cycle + count - 1) * self._period_ps
        # An edge with jitter is not a quarter of a period away from there.
        await Kernel.until(edge - min(self._high_ps, self._period_ps - self._high_ps))
        await RisingEdge(self.signal)

    async def _foreign(self, count: int) -> None:
        async def walk() -> None:
            for _ in range(count):
                await RisingEdge(self.signal)

        if not self.kernel.timeout:
            await walk()
            return
        edges = cocotb.start_soon(walk())
        while not edges.done():
            before = self.cycle
            limit_ps = self.kernel.timeout * (self.period_ps if self.period_ps > 1 else UNKNOWN_PERIOD_PS)
            try:
                await First(edges.complete, Timer(limit_ps, "ps"))
            finally:
                # Its waiter may be cancelled.
                if self.cycle == before and not edges.done():
                    edges.cancel()
            if edges.cancelled():
                raise WaitTimeoutError(
                    f"clock {self.name}: waited for {count} rising edges, the last one was number {before - 1}; nothing drives it"
                    if before
                    else f"clock {self.name}: waited for {count} rising edges, it never rose; nothing drives it"
                )


class KernelAgent(Protocol):
    """What the kernel knows of a transactor."""

    name: str
    clock: NativeClock

    @property
    def violations(self) -> list[str]:
        """Broken rules since the last reset."""


class Kernel:
    """The kernel of this simulation, for the length of one test: clocks and transactors end with the test that made it.

    cocotb's own triggers, clocks and writes work beside it as ever. While none of them is due, time runs in C++.

    A protocol rule that one of its transactors has seen broken fails the test when it ends, unless it is waived.

    Args:
        dut: cocotb's handle of the top module.
        waive: rules that may be broken, as ``RULE`` or ``RULE:PORT``, next to those of ``GOLDBEAT_WAIVE``.
        judge: false: broken rules fail nothing; whoever made the kernel reads ``violations`` of its transactors.
        timeout: cycles without progress after which a wait of a transactor fails; 0: no limit; None:
            ``GOLDBEAT_TIMEOUT_CYCLES``, or 100,000.
        payload: what transactors drive on payload while its valid is low, for all ports or by port: ``random``, ``hold``,
            ``zeros``, ``ones`` or ``next``. Random values come from cocotb's seed.

    Attributes:
        payload_seed: of random idle payload, from the next reset of a transactor on.
        resets: active-low resets by clock, for masters that drive idle control signals at random outside of reset only.

    Raises:
        UsageError: a waiver of an unknown rule, a time-out that is no number of cycles, an unknown payload.
    """

    _current: Kernel | None = None

    def __init__(
        self,
        dut: Any,
        *,
        waive: Sequence[str] = (),
        judge: bool = True,
        timeout: int | None = None,
        payload: Payload | Mapping[str, Payload] = HOSTILE,
    ) -> None:
        self.dut = dut
        self.payload = payload
        self.payload_seed = int(getattr(cocotb, "RANDOM_SEED", 0))
        self.resets: Mapping[str, str] = {}
        self._check_payload()
        self.timeout = timeout_cycles(timeout)
        self._judge = judge
        self._waivers = parse_waivers(waive)
        general = [text for text in os.environ.get(ENVIRONMENT, "").split(",") if text.strip()]
        self._general = tuple(w for w in parse_waivers(general) if w not in self._waivers)
        self._library = library()
        self._agents: list[KernelAgent] = []
        self._names: list[str] = []
        self._crossings: list[str] = []
        # What transactors have seen that are gone or were reset.
        self._past: list[str] = []
        if Kernel._current is not None:
            Kernel._current._retire()
        self._library.gb_clear()
        refuse_ignored_forces()
        Kernel._current = self
        self._clocks: dict[str, NativeClock] = {}
        self._wakes: dict[int, Wake] = {}
        # C++ has but its address.
        self._call = WAKE_CALL(self._woken)
        self._library.gb_on_wake(self._call)
        # Cancelled when the test ends; a `finally` inside would be lost when the test ends before the task has begun.
        self._keeper = cocotb.start_soon(self._keep())
        self._keeper._add_done_callback(self._end)

    async def _keep(self) -> None:
        """Wait for the end of the test, and fail it for broken rules."""
        try:
            await Event().wait()
        except CancelledError:
            if not self._judge:
                raise
            try:
                self._verdict()
            except GoldbeatError:
                # cocotb replaces what a cancelled task raises by an error of its own.
                self._keeper._uncancel()
                raise
            raise

    def _verdict(self) -> None:
        """Judge the test that ends.

        Raises:
            ProtocolError: a rule was broken that is not waived.
            UsageError: a waiver of a port that no transactor is on.
        """
        for name in dict.fromkeys(agent.clock.name for agent in self._agents):
            if not self._clocks[name].cycle:
                self.dut._log.warning("clock %s never rose: run it with kernel.clock() or with a Clock of cocotb", name)
        broken, counts = sift([*self.violations, *self._outstanding()], (*self._waivers, *self._general))
        own = {str(w) for w in self._waivers}
        for name, count in counts.items():
            # A waiver for every test of a simulation need not fit each of them.
            level = logging.WARNING if count or name in own else logging.INFO
            self.dut._log.log(level, waived(name, count))
        check_ports(self._waivers, self._names)
        broken, warnings = split(broken)
        for text in warnings:
            self.dut._log.warning(text)
        if broken:
            more = f"\n... and {len(broken) - _SHOWN} more" if len(broken) > _SHOWN else ""
            said = f"a rule that the design breaks on purpose is waived: Kernel(dut, waive=[...]) with {accepted_by(broken)}"
            raise ProtocolError(
                f"{len(broken)} broken protocol rule(s):\n" + "\n".join(broken[:_SHOWN]) + more + "\n" + said
            )

    def _outstanding(self) -> list[str]:
        """What masters have begun and not ended."""
        rules = ((getattr(agent, "outstanding", None), agent) for agent in self._agents)
        open_ends = ((rule, str(getattr(agent, "waiting", ""))) for rule, agent in rules if rule is not None)
        return [f"{rule}: {text}" for rule, text in open_ends if text]

    def _retire(self) -> None:
        """Keep what the transactors have reported, which end as the same test makes another kernel."""
        self._past = self.violations
        self._agents = []

    def _end(self, _: object) -> None:
        if Kernel._current is self:
            self._library.gb_clear()
            Kernel._current = None

    @property
    def violations(self) -> list[str]:
        """What all transactors of this test have reported, waived or not, those that were reset included."""
        return [*self._past, *(text for agent in self._agents for text in agent.violations)]

    def _check_payload(self) -> None:
        policies = [self.payload] if isinstance(self.payload, str) else self.payload.values()
        for policy in policies:
            if policy not in PAYLOADS:
                raise UsageError(f"payload {policy!r}: expected {', '.join(PAYLOADS)}")

    def idle_payload(self, port: str) -> tuple[Payload, int]:
        """What a port carries on its payload while valid is low, and the seed of random values."""
        policy = self.payload if isinstance(self.payload, str) else self.payload.get(port, HOSTILE)
        return policy, (self.payload_seed << 32 ^ zlib.crc32(port.encode())) & _SEED_MASK

    def add(self, agent: KernelAgent) -> None:
        """Take note of a transactor that has been made."""
        self._agents.append(agent)
        self._names.append(agent.name)

    def forget(self, agent: KernelAgent) -> None:
        """Keep what a transactor has reported, which is about to be reset."""
        if self._judge:
            self._past += agent.violations

    def check(self) -> None:
        """Refuse to go on with what an earlier test has left.

        Raises:
            UsageError: the test that made this kernel has ended, or has made another one.
        """
        if Kernel._current is not self:
            raise UsageError("this kernel has ended with its test; make a new one in every test")

    def clock(
        self, name: str, period_ps: int | None = None, *, offset_ps: int | None = None, high_ps: int | None = None
    ) -> NativeClock:
        """The clock on an input of the top module.

        Args:
            name: of the input.
            period_ps: start it with that period; None: as it is, whoever drives it.
            offset_ps: from now to its first rising edge; None: one period.
            high_ps: how long it is high; None: half of the period.
        """
        if name not in self._clocks:
            self._clocks[name] = NativeClock(self, name)
        clock = self._clocks[name]
        if period_ps is not None:
            first = self.now_ps + (period_ps if offset_ps is None else offset_ps)
            clock.start(period_ps, first_ps=first, high_ps=high_ps)
        return clock

    def crossing(self, signal: str, clock: str, copies: Sequence[str] = ()) -> None:
        """Take note of a signal that is read on another clock than its own, and of what copies it."""
        for copy in copies or ("",):
            checked(self._library.gb_crossing(signal.encode(), self.clock(clock)._handle, copy.encode()))
            self._crossings.append(f"{signal} at {clock}")

    def late_bits(self) -> dict[str, int]:
        """How many bits were seen late, by crossing (``SIGNAL at CLOCK``), since the crossings were armed."""
        return self._counted(self._library.gb_crossings_late)

    def torn_words(self) -> dict[str, int]:
        """How often a flip-flop took several bits that had changed together, by crossing, since the crossings were armed."""
        return self._counted(self._library.gb_crossings_torn)

    def _counted(self, count: Callable[[int], int]) -> dict[str, int]:
        found: Counter[str] = Counter()
        for index, name in enumerate(self._crossings):
            found[name] += int(count(index))
        return {name: times for name, times in found.items() if times}

    @property
    def now_ps(self) -> int:
        """Simulation time."""
        return int(get_sim_time("ps"))

    async def run(self, time_ps: int) -> None:
        """Let that much time go by."""
        await self.until(self.now_ps + time_ps)

    @staticmethod
    async def until(time_ps: int) -> None:
        """Let time go by until then."""
        wait = time_ps - int(get_sim_time("ps"))
        if wait > 0:
            await Timer(wait, "ps")

    def width(self, port: str) -> int | None:
        """Width of a port of the top module in bits, None where there is none of that name."""
        bits = abs(self._library.gb_port(port.encode()))
        return bits or None

    def peek(self, port: str) -> int:
        """Value of a port of the top module, visible over VPI or not; of a port that is forced, the forced one."""
        value = bytearray((self._need(port) + 7) // 8)
        forced = self._library.gb_forced_value(f"TOP.{port}".encode())
        if forced:
            return int.from_bytes(ctypes.string_at(forced, len(value)), "little")
        buffer = (ctypes.c_uint8 * len(value)).from_buffer(value)
        self._library.gb_peek(port.encode(), buffer)
        return int.from_bytes(value, "little")

    def poke(self, port: str, value: int) -> None:
        """Write an input of the top module at once; the design follows within this time step."""
        bits = self._need(port)
        if not 0 <= value < 1 << bits:
            raise UsageError(f"port {port}: {value} does not fit in {bits} bits")
        checked(self._library.gb_poke(port.encode(), value.to_bytes((bits + 7) // 8, "little")))

    def follows(self, port: str, outputs: Sequence[str]) -> str | None:
        """The first of some outputs of the top module that an input reaches without a flip-flop, as the design stands.

        The input's bits are flipped and put back within this time step. None: none of them moved. Builds with coverage say
        None, as they would count what is not traffic.
        """
        names = (ctypes.c_char_p * len(outputs))(*(name.encode() for name in outputs))
        found = int(self._library.gb_follows(port.encode(), names, len(outputs)))
        if found == _FAILED:
            raise UsageError(self._library.gb_error().decode())
        return outputs[found] if found >= 0 else None

    def rule(self, name: str, on: bool) -> None:
        """Switch a protocol rule on or off by name."""
        self._library.gb_rule(name.encode(), on)

    def signals(
        self, prefix: str, roles: Sequence[str], names: Mapping[str, str] | None, needed: Sequence[str]
    ) -> dict[str, str]:
        """The top module's ports of a bundle by role.

        Args:
            prefix: ``s_axis`` for ``s_axis_tdata``; upper and lower case ports are found.
            roles: what to look for.
            names: ports by role where they are not called after the prefix; then no others are taken.
            needed: roles that must be there.
        """
        if names is None:
            found = {r: n for r in roles for n in (f"{prefix}_{r}", f"{prefix}_{r}".upper()) if self.width(n)}
        else:
            found = dict(names)
            for role, port in found.items():
                if role not in roles:
                    raise UsageError(f"{prefix}: unknown signal {role!r}; known: {', '.join(roles)}")
                self._need(port)
        for role in needed:
            if role not in found:
                raise UsageError(f"{prefix}: the top module has no port {prefix}_{role}")
        return found

    def wake(self, handle: int) -> Wake:
        """The trigger that fires when a transactor asks for it."""
        return self._wakes.setdefault(handle, Wake())

    def _need(self, port: str) -> int:
        bits = self.width(port)
        if bits is None:
            raise UsageError(f"the top module has no port {port}")
        return bits

    def _woken(self, handle: int) -> None:
        if handle in self._wakes:
            self._wakes[handle].fire()
