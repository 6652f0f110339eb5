# SPDX-License-Identifier: Apache-2.0
"""What every back end of transactors does. The unit is a whole trace, never a beat."""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Stalled
from goldbeat.pymodels.payload import Payload
from goldbeat.pymodels.stimulus import Access, Clock, Driver, Outcome, Stimulus
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.user_code import load_class
from goldbeat.tb.inside.job import AccessResult, BurstAnswers, RawBeats

ACCESS_TIMEOUT_CYCLES = 10_000
"""Cycles after which a register access counts as not answered."""
ALL_BITS = (1 << 64) - 1


@dataclass(frozen=True)
class Channel:
    """A handshake whose valid the design drives.

    Attributes:
        rule: what is broken when valid waits for ready.
        port: the bundle.
        valid, ready: the harness's ports.
        clock: that it runs on.
    """

    rule: str
    port: str
    valid: str
    ready: str
    clock: str

    @property
    def roles(self) -> tuple[str, str]:
        """``awvalid``, ``awready``."""
        start = len(self.port) + 1
        return self.valid[start:], self.ready[start:]


def stream_channels(streams: Iterable[StreamPort], stimulus: Stimulus) -> list[Channel]:
    """Outputs with an ``after-valid`` pattern."""
    return [
        Channel(f"{p.spec.name}_valid_waits", p.name, f"{p.name}_tvalid", f"{p.name}_tready", p.clock)
        for p in streams
        if p.direction == "out" and stimulus.pattern(p.name).waits
    ]


class Transactors(ABC):
    """The clocks, sources, sinks and register masters of one design.

    An episode calls, in this order: :meth:`reset` (resets are asserted, clocks run), :meth:`load`,
    :meth:`program` (any number), :meth:`start`, and after the run :meth:`stop`. Clocks may be stopped and started anew in between.
    """

    def __init__(self, registers: Sequence[RegisterPort]) -> None:
        self._registers = {p.name: p for p in registers}
        self._unanswered: dict[str, tuple[str, str]] = {}
        self._stimulus: Stimulus | None = None

    @abstractmethod
    def start_clocks(self, clocks: Mapping[str, Clock], origin_ps: int) -> None:
        """Let the stopped clocks run from now on, edge k of a clock coming at ``origin_ps + clock.time(k)``."""

    @abstractmethod
    def stop_clocks(self) -> None:
        """Stop all clocks, low."""

    @abstractmethod
    def peek(self, port: str) -> int:
        """The value of one of the harness's ports."""

    @abstractmethod
    def poke(self, port: str, value: int) -> None:
        """Write one of the harness's inputs behind the transactors' back."""

    @abstractmethod
    def flip(self) -> None:
        """Look for outputs that follow inputs of their own interface within the cycle."""

    @abstractmethod
    def channels(self) -> list[Channel]:
        """The handshakes whose ready has waited for valid in this episode."""

    @abstractmethod
    def drop(self) -> None:
        """Drop everything: no valid, no ready, nothing recorded."""

    @abstractmethod
    def idle_payload(self, policies: Mapping[str, Payload], seed: int) -> None:
        """What ports carry while their valid is low, from the next :meth:`drop` on: by port, random values from ``seed`` else."""

    def reset(self, payload: Mapping[str, Payload] | None = None, seed: int = 0) -> None:
        """Forget the episode before; idle payload follows these policies, and random values come from that seed."""
        self._unanswered = {}
        self.idle_payload(payload or {}, seed)
        self.drop()

    @abstractmethod
    def load(self, stimulus: Stimulus, *, long: bool = False) -> None:
        """Take the traces and patterns of an episode; ``long``: too long to hold, where the back end knows how."""

    def load_raw(self, raw: Mapping[str, RawBeats], *, data_alone: bool) -> None:
        """Take inputs beside those of the stimulus, after :meth:`load`.

        Args:
            raw: by port.
            data_alone: of outputs, no more than their bytes is asked for (:class:`~goldbeat.tb.inside.job.Episode`).

        Raises:
            UsageError: this back end takes traces only.
        """
        if raw or data_alone:
            raise UsageError("these transactors take whole traces, not bytes alone")

    def bytes_alone(self) -> Mapping[str, npt.NDArray[np.uint8]]:
        """After :meth:`stop`, the (n, B) bytes of outputs that it has given no traces of; none but in episodes that ask for it."""
        return {}

    @abstractmethod
    def start(self, origin_ps: int, *, settled: bool) -> None:
        """Let the streams run.

        Args:
            origin_ps: simulation time of the start; edge k of a clock comes at ``origin_ps + clock.time(k)``.
            settled: the design has been out of reset for long, so sources may offer at edge 0 already.
        """

    @abstractmethod
    async def access(self, port: str, accesses: Sequence[Access]) -> list[AccessResult]:
        """Make register accesses one after the other, up to the first that gets no answer."""

    async def program(self, port: str, accesses: Sequence[Access]) -> list[AccessResult]:
        """Make register accesses; none on a port that has left one without an answer in this episode."""
        if port in self._unanswered:
            return []
        results = await self.access(port, accesses)
        number = len(results)
        if number < len(accesses):
            access = accesses[number]
            named = f"access {number} ({access.name})"
            waits = f"did not find 0x{access.wanted:x}" if access.op in ("poll", "wait_for") else "got no answer"
            limit = step_patience(access, self.patience(port))
            self._unanswered[port] = (
                f"{self._registers[port].spec.name}_no_answer: {port}: {named} {waits} in {limit} cycles",
                f"{port}: {named}: {self._access_waits(port, access)}",
            )
        return results

    def patience(self, port: str) -> int:
        """Cycles of a register port's clock without an answer after which an access has failed."""
        assert self._stimulus is not None
        return patience(self._registers[port].clock, self._stimulus.clocks)

    async def drive(self, port: str, driver: Driver) -> tuple[list[Access], list[AccessResult]]:
        """Run a driver: the steps that it made, as a program that repeats them to the cycle, and their results."""
        made: list[Access] = []
        results: list[AccessResult] = []
        steps = driver()
        access = next(steps, None)
        while access is not None:
            last = results[-1].cycle if results else None
            if access.op == "host":
                assert access.call is not None
                access.call(self.memory(access.port))
                got = [AccessResult(None, False, last)]
            else:
                got = await self.program(port, [access])
            if got and last is not None and got[0].first is not None and (gap := got[0].first - last - 1) > 0:
                made.append(Access("wait", cycles=gap))
                results.append(AccessResult(None, False, last + gap, last + 1))
            made.append(access)
            results += got
            if not got:
                break
            try:
                access = steps.send(got[0].value or 0)
            except StopIteration:
                break
        return made, results

    async def bursts(self, port: str, program: BurstProgram) -> BurstAnswers:
        """Make the bursts of a program on an AXI4 slave port.

        Raises:
            UsageError: this back end makes none.
        """
        raise UsageError(f"{port}: bursts on AXI4 slaves need the native transactors")

    def memory(self, port: str) -> Mapping[str, npt.NDArray[np.uint8]]:
        """The bytes behind a memory port by region: they may be changed.

        Raises:
            UsageError: this back end does not let them be changed while it runs.
        """
        raise UsageError(f"{port}: steps of the host on memory need the native transactors")

    def unanswered(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Register accesses without an answer: as violations, and what they wait for."""
        return tuple(v for v, _ in self._unanswered.values()), tuple(w for _, w in self._unanswered.values())

    def _access_waits(self, port: str, access: Access) -> str:
        if access.op == "wait_for":
            return f"{access.port} is 0x{self.peek(access.port):x}"
        reads = access.op in ("read", "poll")
        return self._registers[port].waits(reads=reads, level=lambda role: self.peek(f"{port}_{role}"))

    @abstractmethod
    def rules(self) -> tuple[str, ...]:
        """Broken rules of register ports, accesses behind the streams included."""

    def blur(self, seed: int, window_ps: int) -> None:
        """Draw from a seed what readers on other clocks see of changes up to ``window_ps`` before an edge; 0: nothing."""
        if window_ps:
            raise UsageError("blurred clock crossings (--metastability) need the native transactors")

    def late_bits(self) -> Mapping[str, int]:
        """How many bits were seen late since :meth:`blur`, by crossing."""
        return {}

    def torn_words(self) -> Mapping[str, int]:
        """How often a flip-flop took several bits that had changed together since :meth:`blur`, by crossing."""
        return {}

    def stalls(self) -> Mapping[str, tuple[int, ...]]:
        """Beats by port that waited 1, 2-3, 4-15, 16-63, 64 and more cycles; empty where the back end does not count them."""
        return {}

    def stalled(self) -> Mapping[str, Stalled]:
        """By port the cycles in which a beat waited for TREADY; empty where the back end does not count them."""
        return {}

    @abstractmethod
    def waits(self) -> Mapping[str, Mapping[str, tuple[int, int]]]:
        """By port and channel the longest wait for ready, where the port's checker counts them."""

    @abstractmethod
    def moved(self) -> Mapping[str, int]:
        """Beats that each stream has transferred."""

    def left_ps(self) -> int:
        """The picoseconds that what is left of the inputs takes at least."""
        raise NotImplementedError

    def taken(self) -> Mapping[str, int]:
        """Beats that each stream input has transferred."""
        raise NotImplementedError

    @abstractmethod
    def stop(self, *, outputs_alone: bool = False) -> tuple[Outcome, tuple[str, ...], tuple[str, ...]]:
        """End the run: transfers recorded since :meth:`start` (no status), protocol violations, what is still waiting.

        Args:
            outputs_alone: leave out the traces of stream inputs, where the back end can.
        """


def patience(name: str, clocks: Mapping[str, Clock]) -> int:
    """Cycles of a clock without an answer after which an access has failed: :data:`ACCESS_TIMEOUT_CYCLES` of the slowest one."""
    return ACCESS_TIMEOUT_CYCLES * -(-max(clock.period_ps for clock in clocks.values()) // clocks[name].period_ps)


def step_patience(access: Access, usual: int) -> int:
    """Cycles after which a step of a register program has failed; ``usual``: where it does not say so."""
    return usual if access.cycles is None else access.cycles


def load_agent(agent: str, port: Bundle) -> Any:
    """The class that drives or watches a bundle: ``package.module:Class``, or ``file.py:Class`` beside the file of a plug-in."""
    module, _, name = agent.partition(":")
    if port.plug_in is not None and module.endswith(".py"):
        return load_class(port.plug_in.parent / module, name)
    return getattr(importlib.import_module(module), name)
