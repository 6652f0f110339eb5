# SPDX-License-Identifier: Apache-2.0
"""What goes into a run, and what a golden model says comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import update_wrapper
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.attributes import Carried
from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.clock import Clock as Clock
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.stored_trace import Shelf, Slot
from goldbeat.pymodels.trace import Trace

ANY_RESPONSE = -1
"""What is answered is not compared."""


def strobed_bits(strobe: int, size: int) -> int:
    """The bits of a word of ``size`` bytes whose bytes have a strobe."""
    return sum(0xFF << 8 * lane for lane in range(size) if strobe >> lane & 1)


@dataclass(frozen=True)
class Access:
    """One step of a register program.

    Attributes:
        op: ``write``; ``post``: a write that nothing answers; ``read``; ``poll``: read until ``value`` stands there;
            ``wait``: let ``cycles`` go by; ``wait_for``: wait until an output (a status port, an interrupt for instance) has
            ``value``; ``host``: ``call`` works on the memory behind ``port``, in no time.
        address: byte address.
        offset: of AXI-Lite, bytes from the beginning of the word to the address. Values and strobes are those of the whole word.
        value: value to write, to poll or to wait for, or value expected from a read (None: not checked).
        strobe: byte strobes of a write.
        error: the access must be answered with an error.
        response: the very response, as AXI numbers them; None: any that fits ``error``; :data:`ANY_RESPONSE`: any.
        prot: AxPROT or PPROT.
        mask: the bits that ``poll`` and ``wait_for`` look at, and in which a ``read`` is compared; None: all.
        cycles: how long to wait, or after how many cycles to give up; None: as for any access.
        port: the output that ``wait_for`` looks at, or the memory port of ``host``.
        call: what ``host`` does with the memory's bytes by region; it changes them in place. It goes to another process, so it
            must be a function of a module, or a :func:`functools.partial` of one.
        register: what stands at the address, for messages; of ``host``, what it does.
        fields: of the register, by which messages name the bits that differ: name, lowest bit, width.
        rule: the key of ``[[register_maps]]`` that says what is answered, for messages; empty: the map itself.
        unset: bits that neither a reset nor a write has set, by the map; what a ``read`` finds there differs between runs.
        lanes: the byte lanes that a ``read`` asks for, on buses that say so; 0: all of them.
        beside: a ``read`` that may be made while writes of bytes outside of ``mask`` are under way.
    """

    op: str
    address: int = 0
    value: int | None = None
    strobe: int = 0xF
    error: bool = False
    response: int | None = None
    prot: int = 0
    mask: int | None = None
    cycles: int | None = None
    port: str = ""
    call: Callable[[Mapping[str, npt.NDArray[np.uint8]]], None] | None = None
    register: str = ""
    fields: tuple[tuple[str, int, int], ...] = ()
    rule: str = ""
    offset: int = 0
    unset: int = 0
    lanes: int = 0
    beside: bool = False

    @property
    def wanted(self) -> int:
        """The value that a ``poll`` or ``wait_for`` ends at; 1 unless said otherwise."""
        return 1 if self.value is None else self.value

    @property
    def kind(self) -> int | None:
        """Whether it reads or writes, as bursts have it; None: neither."""
        return {"read": READ, "poll": READ, "write": WRITE, "post": WRITE}.get(self.op)

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.op == "wait":
            return f"wait {self.cycles}"
        if self.op == "host":
            return f"host on {self.port}"
        if self.op == "wait_for":
            return f"{self.op} {self.port}"
        part = f" lanes 0b{self.lanes:b}" if self.lanes else ""
        return f"{self.op} 0x{self.address:03x}{part}" + (f" {self.register}" if self.register else "")


Driver = Callable[[], Generator[Access, int, None]]
"""A register program that acts on what it reads: yields steps and is sent the value read, 0 where nothing is. It goes to
another process, so it must be a function of a module, or a :func:`functools.partial` of one."""


Reply = tuple[int | None, bool]
"""Value read, None where it is not compared, and whether the access is answered with an error."""


@dataclass(frozen=True)
class AccessAnswer:
    """What a golden model predicts of one step of a register program.

    Attributes:
        value: read; None where nothing is read, or where it is not compared.
        cycle: the step's last one, counted from reset release; None: not compared.
        error: answered with an error; None: as the access itself says.
    """

    value: int | None = None
    cycle: int | None = None
    error: bool | None = None


def answered(stimulus: Stimulus, before: Iterable[Reply], after: Iterable[Reply]) -> tuple[AccessAnswer, ...]:
    """The answers to a port's accesses in an outcome.

    Args:
        stimulus: the episode; one that ends in a reset makes no accesses behind its streams.
        before: value and error of each access before the streams; a value of None is not compared.
        after: the same behind the streams.
    """
    replies = (*before, *(after if stimulus.stop_ps is None else ()))
    return tuple(AccessAnswer(value, error=error) for value, error in replies)


@dataclass(frozen=True)
class Stimulus:
    """One episode: from reset release to the end, or to the next reset.

    Attributes:
        inputs: what each source offers (``cycle`` gives the gaps).
        ready: each sink's pattern; a sink not named is always ready.
        clocks: every clock of the design by name.
        program: register accesses made before the streams start, in order, by AXI-Lite port. With a program,
            cycle 0 is the first edge after its end, when the design is long out of reset.
        after: register accesses made after the last beat.
        stop_ps: reset is asserted at this time (measured from the start); None: run to the end.
        memories: what is behind each AXI4 master port; one not named is never ready. Their cycle 0 is that of reset release,
            before any program.
        least_ps: run at least so long; for designs whose work no stream shows the end of.
        take: beats of each output that are compared; what comes later is not. For designs that nothing drives and that never end.
            None: all.
        blur_ps: clock crossings (docs/crossings.md): a change so long before an edge of another clock, or sooner, is seen at the
            next one; -1: a change at the very edge is seen at it. 0: a change before the edge is seen, one at it is not.
        drivers: by register port, programs that act on what they read; they run behind ``program``, before the streams start.
        traffic: by register port, how its accesses are made; a port not named makes them one at a time, as fast as it can.
        bursts: by AXI4 slave port, bursts made before the streams start, behind ``program``; those of several ports run together.
        together: register programs of several ports, and the bursts, run together; else one program after the other.
        registers: the episode is about registers alone: limits pass over it, and reports show another one if there is any.
        aside: likewise, as the episode says nothing of speed: its sinks are away for as long as it takes.
        label: what the episode is about, for messages and checks.
        cut: with ``stop_ps``: measured from reset release, while register programs and bursts are under way. Of what they are
            answered and leave in memories nothing is compared.
        one_edge: with ``stop_ps``: the reset lasts for one edge of the slowest clock, and several cycles go by before the next
            episode.
    """

    inputs: Mapping[str, Trace]
    ready: Mapping[str, Pattern] = field(default_factory=dict)
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    program: Mapping[str, tuple[Access, ...]] = field(default_factory=dict)
    after: Mapping[str, tuple[Access, ...]] = field(default_factory=dict)
    stop_ps: int | None = None
    memories: Mapping[str, MemoryImage] = field(default_factory=dict)
    least_ps: int = 0
    take: int | None = None
    drivers: Mapping[str, Driver] = field(default_factory=dict)
    traffic: Mapping[str, RegisterTraffic] = field(default_factory=dict)
    bursts: Mapping[str, BurstProgram] = field(default_factory=dict)
    together: bool = False
    registers: bool = False
    aside: bool = False
    blur_ps: int = 0
    label: str = ""
    cut: bool = False
    one_edge: bool = False

    @property
    def settled(self) -> bool:
        """True when the streams start long after reset (a register program ran first)."""
        return any(self.program.values()) or bool(self.drivers) or bool(self.bursts)

    def traffic_of(self, port: str) -> RegisterTraffic:
        """How the accesses of register port ``port`` are made."""
        return self.traffic.get(port, RegisterTraffic())

    def pattern(self, port: str) -> Pattern:
        """The sink's ready pattern of ``port``."""
        return self.ready.get(port, Pattern())


@dataclass(frozen=True, eq=False)
class MemoryContents:
    """What a memory holds at the end.

    Attributes:
        regions: (size,) uint8 by region.
        log: the bursts that it answered, as rows with named columns in the order of their addresses. In a prediction the
            columns that are to be compared, or None.
        carried: in a prediction, the accesses whose attributes must arrive.
    """

    regions: Mapping[str, npt.NDArray[np.uint8]]
    log: npt.NDArray[Any] | None = None
    carried: Carried | None = None


@dataclass(frozen=True)
class Phase:
    """A named part of an episode: what progress bars show.

    Attributes:
        name: what goes on.
        first: its first cycle, counted from reset release, of the first clock.
        last: its last cycle.
    """

    name: str
    first: int
    last: int


@dataclass(frozen=True)
class Outcome:
    """What a golden model predicts, and what a run records.

    Attributes:
        ports: every stream port's transfers, inputs included, with exact cycles.
        status: status outputs by name, as they stand at the end.
        memories: contents by AXI4 port, as they stand at the end.
        accesses: by register port, one answer a step of its program, those made after the streams included. Only in predictions,
            of models that know when a program's steps end.
        phases: in order; only in predictions, of models that know them.
        pace: what an episode amounts to, for people (``44.7 frames/s at 200 MHz``); likewise.
        earliest: by stream port, the earliest cycle of each transfer, where ``ports`` has the latest one: clock crossings are
            blurred. Empty: all cycles are exact.
        bytewise: by output stream, the frames of which kept bytes and ends are compared, wherever the design puts null bytes.
            Only in predictions.
        queues: by output stream, beats of each input that its trace has one behind the other: in whatever order they come, those of
            one input keep theirs. Only in predictions.
        details: what else a model knows of the design's inside, as rows with named columns, for timelines; nothing is compared
            with it. Only in predictions.
        unknown: output streams, memories and slaves of which the model knows nothing; nothing of them is compared. Only in
            predictions.
    """

    ports: Mapping[str, Trace]
    status: Mapping[str, int] = field(default_factory=dict)
    memories: Mapping[str, MemoryContents] = field(default_factory=dict)
    accesses: Mapping[str, Sequence[AccessAnswer]] = field(default_factory=dict)
    phases: Sequence[Phase] = ()
    pace: str = ""
    earliest: Mapping[str, npt.NDArray[np.int64]] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    bytewise: Mapping[str, npt.NDArray[np.bool_]] = field(default_factory=dict)
    queues: Mapping[str, Sequence[int]] = field(default_factory=dict)
    details: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def first(self, beats: int | None) -> Outcome:
        """The same without what each stream transfers later; None: all of it."""
        if beats is None:
            return self
        ports = {name: trace[:beats] for name, trace in self.ports.items()}
        return replace(self, ports=ports, earliest={name: cycles[:beats] for name, cycles in self.earliest.items()})

    def until(self, stop_ps: int | None) -> Outcome:
        """What has transferred before ``stop_ps``; status outputs and memories are only defined for a run to the end."""
        if stop_ps is None:
            return self
        return Outcome({name: trace[: trace.beats_before(stop_ps)] for name, trace in self.ports.items()})


GoldenModel = Callable[[Mapping[str, Any], Stimulus], Outcome]
"""parameters, stimulus -> outcome. ``stop_ps`` is not the model's business: the caller cuts the outcome."""


class PartwiseModel:
    """A golden model that predicts one part after the other, so that no stimulus is too long for it.

    Made by putting it as a decorator before a function that takes parameters and stimulus and yields outcomes: their ports say
    what transfers next, all else counts in the last one. Inputs are read by :meth:`~goldbeat.pymodels.trace.Trace.parts`.
    """

    def __init__(self, function: Callable[[Mapping[str, Any], Stimulus], Iterator[Outcome]]) -> None:
        update_wrapper(self, function)
        self._function = function

    def __reduce__(self) -> str:
        return self._function.__qualname__

    def __call__(self, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
        """The whole prediction, in memory."""
        return self.kept(params, stimulus, Shelf())

    def kept(self, params: Mapping[str, Any], stimulus: Stimulus, shelf: Shelf) -> Outcome:
        """The prediction, its long traces on a shelf."""
        slots: dict[str, Slot] = {}
        outcome = Outcome({})
        with ExitStack() as stack:
            for outcome in self._function(params, stimulus):
                for name, trace in outcome.ports.items():
                    if name not in slots:
                        slots[name] = stack.enter_context(shelf.slot())
                    slots[name].add(trace)
        return replace(outcome, ports={name: slot.trace() for name, slot in slots.items()})
