# SPDX-License-Identifier: Apache-2.0
"""From an elaborated top module to a description: everything guessed, and every guess told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.parameter import ClockPort
from goldbeat.tb.design.pin_names import is_clock, is_enable, is_ready, is_reset, low_by_name
from goldbeat.tb.design.ports.avalon import AvalonPort
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.recognition import NotABundleError, Pin
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.unchecked import tells_of_words
from goldbeat.tb.probe.bundles import PlacedBundle, place_group
from goldbeat.tb.probe.chosen import ChosenBundle, resolved
from goldbeat.tb.probe.clearing import clears_by_name, may_reset
from goldbeat.tb.probe.fifos import FifoSide, fifo_sides
from goldbeat.tb.probe.halves import with_whole_slaves
from goldbeat.tb.probe.module import FifoUse, TopModule
from goldbeat.tb.probe.names import (
    PLAIN_VALID,
    PinGroup,
    affinity,
    groups,
    own_name,
)
from goldbeat.tb.probe.sidebands import payload_left_out, with_sidebands

_T = TypeVar("_T")
_PERIODS_PS = (4000, 3200, 5000, 2500, 8000)


@dataclass(frozen=True)
class Choices:
    """What the user says about ports that no rule knows.

    Attributes:
        ties: inputs held at a constant.
        ignored: outputs (and inout ports) that nobody looks at.
        bundles: ports that belong together.
    """

    ties: Mapping[str, int] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()
    bundles: tuple[ChosenBundle, ...] = ()


@dataclass(frozen=True)
class Found:
    """What was made of a top module.

    Attributes:
        module: the module.
        clocks, streams, registers, memories, ties, ignored, unchecked: as in a description.
        unplaced: ports that belong to nothing known, with what is done about each.
        refused: ports (or bundles) that stand in the way of a harness, with the reason.
        notes: every guess, each naming its port.
        beside: ports in no stream that may go along with the beats, and why.
        guesses: ports of streams that nothing proves to belong there, and what speaks for it.
        of_buses: ports whose names are those of a bus that they do not make.
        handshakes: the streams of them that have no data, which a model takes only where the ports suggest no other.
    """

    module: TopModule
    clocks: tuple[ClockPort, ...]
    streams: tuple[StreamPort, ...]
    registers: tuple[RegisterPort, ...]
    memories: tuple[MemoryPort, ...]
    ties: Mapping[str, int]
    ignored: tuple[str, ...]
    unplaced: Mapping[str, str]
    refused: Mapping[str, str]
    notes: tuple[str, ...]
    unchecked: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    guesses: Mapping[str, str] = field(default_factory=dict)
    of_buses: frozenset[str] = frozenset()
    handshakes: frozenset[str] = frozenset()

    @property
    def bundles(self) -> tuple[Bundle, ...]:
        """All bundles."""
        return (*self.streams, *self.registers, *self.memories)

    @property
    def all_guesses(self) -> dict[str, str]:
        """The guesses, and the ports of bundles whose widths are guessed."""
        widths = {} if self.module.flat is None else self.module.flat.guessed
        return {name: why for name, why in widths.items() if name not in self.unplaced} | dict(self.guesses)

    def plus(self, streams: Iterable[StreamPort]) -> Found:
        """The same with more streams, whose model nothing suggests, of ports that belong to nothing yet."""
        more = tuple(streams)
        taken = {one.pin(role) for one in more for role in one.signals or {}}
        taken |= {name for one in more for name in one.fields}

        def left(names: Mapping[str, _T]) -> dict[str, _T]:
            return {name: value for name, value in names.items() if name not in taken}

        streams, beside, unplaced = (*self.streams, *more), left(self.beside), left(self.unplaced)
        if not self.registers and not self.memories:
            pins = [port for port in self.module.ports if port.name in unplaced]
            found = payload_left_out(streams, pins, self.module.carried)
            fresh = {name: why for name, why in found.items() if name not in beside}
            beside |= fresh
            unplaced |= {name: f"{unplaced[name]}; {why}" for name, why in fresh.items()}
        return replace(
            self,
            streams=streams,
            ties=left(self.ties),
            ignored=tuple(name for name in self.ignored if name not in taken),
            unchecked=left(self.unchecked),
            beside=beside,
            unplaced=unplaced,
            handshakes=self.handshakes.union(one.name for one in more),
        )

    def doubted(self, guesses: Mapping[str, str]) -> Found:
        """The same with more guesses, told in the notes; what is one already stays as it is."""
        fresh = {name: why for name, why in guesses.items() if name not in self.guesses}
        notes = (f"{name}: a guess: {why}" for name, why in fresh.items())
        return replace(self, guesses={**self.guesses, **fresh}, notes=(*self.notes, *notes))


def find(module: TopModule, choices: Choices | None = None) -> Found:
    """Find clocks, resets and bundles."""
    return _Finder(module, choices or Choices()).run()


_AnyBundle = TypeVar("_AnyBundle", bound=Bundle)


_AHB = ("haddr", "htrans")


class _Finder:
    def __init__(self, module: TopModule, choices: Choices) -> None:
        self.module = module
        self.left = {p.name: p for p in module.ports}
        self.ties: dict[str, int] = {}
        self.ignored: list[str] = []
        self.unchecked: dict[str, str] = {}
        self.unplaced: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.notes: list[str] = [] if module.flat is None else list(module.flat.notes)
        self.bundles = choices.bundles
        self.of_buses: set[str] = set()
        self.readies: set[str] = set()
        self._choose(choices)

    def run(self) -> Found:
        placed = self._place()
        clocks = self._clocks()
        bundles = [self._clocked(p.port, clocks) for p in placed]
        ports = self._resets(clocks)
        streams = with_sidebands(
            [b for b in bundles if isinstance(b, StreamPort)], self.left, tuple(self.module.parameters)
        )
        for name in (pin for port in streams for pin in port.sidebands):
            # Those that a bus knows by their names are taken already.
            self.left.pop(name, None)
        self._rest(streams)
        alone = streams and len(streams) == len(bundles)
        beside = payload_left_out(streams, self.left.values(), self.module.carried) if alone else {}
        for name, why in beside.items():
            self.unplaced[name] += f"; {why}"
        return Found(
            self.module,
            ports,
            tuple(streams),
            tuple(b for b in bundles if isinstance(b, RegisterPort)),
            tuple(b for b in bundles if isinstance(b, MemoryPort)),
            self.ties,
            tuple(self.ignored),
            self.unplaced,
            self.refused,
            tuple(self.notes),
            self.unchecked,
            beside,
            of_buses=frozenset(self.of_buses),
        )

    def _choose(self, choices: Choices) -> None:
        for name in (*choices.ties, *choices.ignored):
            if name not in self.left:
                raise UsageError(f"{self.module.name} has no port {name!r}")
            port = self.left[name]
            if port.width == 0 or (port.unpacked and port.way == "input"):
                raise UsageError(f"port {name} is a {port.refusal or 'unpacked array'}: {_remedy(port)}")
            if (name in choices.ties) != (port.way == "input"):
                raise UsageError(f"port {name} is an {port.way}: inputs are tied, others are ignored")
            self.left.pop(name)
        self.ties.update(choices.ties)
        for name, value in choices.ties.items():
            self.unplaced[name] = f"input, {self._port(name).width} bit: tied to {value}, as asked for"
        for name in choices.ignored:
            self.unplaced[name] = f"{self._port(name).way}: left open, as asked for"
        self.ignored += choices.ignored

    def _port(self, name: str) -> Pin:
        """A port by its name."""
        return next(p for p in self.module.ports if p.name == name)

    # -- bundles ------------------------------------------------------------------------------------------------

    def _place(self) -> list[PlacedBundle]:
        placed = []
        packs = self.module.flat.packs if self.module.flat is not None else {}
        for chosen in self.bundles:
            try:
                placed.append(self._take(resolved(chosen, self.left, packs)))
                if chosen.name in packs and (padding := packs[chosen.name].padding):
                    placed[-1].port = placed[-1].port.model_copy(update={"padding": padding})
            except NotABundleError as reason:
                raise UsageError(f"--bundle {chosen.name}: {reason}") from None
        named, joined = with_whole_slaves(groups(self.left.values()), self.module)
        self.notes += joined
        for group in named:
            try:
                placed.append(self._take(self._named(group, {one.port.name for one in placed})))
            except NotABundleError as reason:
                self.notes.append(f"{group.name}: not a bundle: {reason}")
                if StreamPort not in group.buses:
                    self.of_buses |= {pin.name for pin in group.pins.values()}
                self.readies |= {
                    n.name for role, n in group.pins.items() if n.way == "input" and role.endswith("ready")
                }
        return [*placed, *self._fifos({one.port.name for one in placed})]

    def _named(self, group: PinGroup, taken: set[str]) -> PinGroup:
        """The group with a name of its own: two sides of one prefix are told apart by their valid."""
        side = "in" if any(role == "tvalid" and pin.way == "input" for role, pin in group.pins.items()) else "out"
        return replace(group, name=own_name(group.name, side, taken))

    def _fifos(self, taken: set[str]) -> Iterator[PlacedBundle]:
        sides = fifo_sides(self.left.values())
        for side in sides:
            use = self.module.fifos.get(side.enable.name)
            if use is None or (why := side.refusal(use)) is not None:
                self.notes += [] if use is None else [f"{side.name}: not a bundle: {why}"]
                continue
            name = side.name if side.name not in taken else f"{side.name}_fifo"
            taken.add(name)
            try:
                one = self._take(replace(side.group, name=name))
            except NotABundleError as reason:
                self.notes.append(f"{name}: not a bundle: {reason}")
                continue
            if side.writer:
                one.port = one.port.model_copy(update={"fifo": True})
            elif side.slave and (why := self._unguarded(side, use, sides)):
                when = "empty" if side.reads else "full"
                one.port = one.port.model_copy(update={"gated": True})
                self.notes.append(f"{side.enable.name}: never high while {when}, as {why}")
            yield one

    def _unguarded(self, side: FifoSide, use: FifoUse, sides: Iterable[FifoSide]) -> str:
        """Why a word may go in although a FIFO is full, or come out although it is empty; empty: it may not."""
        if not use.guarded:
            return "the RTL does not look at both, or asserts it"
        gates, enable, flag = self.module.carried.gates, side.enable.name, side.flag.name
        # The word is stored in a branch that asks for the other enable, too.
        stored = {name for name, _ in gates.stored.get(side.data.name, ()) if not side.reads}
        others = [one.enable.name for one in sides if one.reads and one.enable.name in stored]
        beside = [one for one in others if gates.guarded_beside(enable, flag, side.low, one)]
        shared = beside and not gates.guarded(enable, flag, side.low)
        return f"the RTL takes it then with {beside[0]}" if shared else ""

    def _late(self, port: Bundle) -> Bundle:
        """The same as a stream whose words come a cycle after they are taken, if the RTL says so."""
        if not isinstance(port, StreamPort) or port.direction == "in" or port.lanes or not port.has("tready"):
            return port
        valid, ready = port.pin("tvalid"), port.pin("tready")
        words = port.payload_pins("tdata")
        # What is called ready takes a word that is there, as that of a counter, which moves on with it, is from reset on.
        named = is_ready(ready) or ready.lower().endswith("ready")
        if named or not words or not all(self.module.late(word, ready, valid) for word in words):
            return port
        self._note(
            f"{port.name}: {', '.join(words)} {'is' if len(words) == 1 else 'are'} loaded only with {ready}, so each word comes "
            f"a cycle after {ready}: late = true"
        )
        return port.model_copy(update={"late": True})

    def _latency(self, port: Bundle, notes: list[str]) -> Bundle:
        """The same Avalon agent with the fixed latency of reads that its registers give it.

        Args:
            port: the bundle.
            notes: of it.
        """
        if not isinstance(port, AvalonPort) or port.direction == "out" or port.lanes or port.has("readdatavalid"):
            return port
        if not all(port.has(role) for role in ("address", "readdata", "writedata")):
            return port
        waits = port.has("waitrequest") and port.pin("waitrequest") not in self.module.carried.constant
        address, data, stored = (port.pin(role) for role in ("address", "readdata", "writedata"))
        edges = None if waits else self.module.carried.gates.edges(address, data, stored)
        if not edges:
            return port
        notes[:] = [note for note in notes if not note.endswith("if later, set read_latency")]
        self._note(f"{data}: {edges} cycle(s) behind {address} in the RTL: read_latency = {edges}")
        return port.model_copy(update={"read_latency": edges})

    def _take(self, group: PinGroup) -> PlacedBundle:
        one = place_group(group, tuple(self.module.parameters), self.module.carried)
        one.port = self._latency(self._late(one.port), one.wires.notes)
        if isinstance(one.port, StreamPort) and one.port.fields and self._has_more(one):
            raise NotABundleError(f"{', '.join(one.port.fields)}: not all of its payload")
        self.ties |= one.wires.ties
        self.ignored += one.wires.ignored
        self.unchecked |= one.wires.unchecked
        self.notes += one.wires.notes
        for name in one.wires.pins:
            self.left.pop(name)
        return one

    def _has_more(self, one: PlacedBundle) -> bool:
        """Whether ports of the prefix are left out of a handshake, all of whose payload is to be one stream."""
        match = PLAIN_VALID.match(one.port.pin("tvalid"))
        return match is not None and any(n.startswith(f"{match[1]}_") for n in self.left.keys() - set(one.wires.pins))

    def _clocked(self, port: _AnyBundle, clocks: list[str]) -> _AnyBundle:
        if not clocks:
            self.refused[port.name] = "no clock was found for it"
            return port
        wiring, evidence = self.module.wiring, Counter[str]()
        for one in port.spec.signals:
            if one.width == 1 and port.has(one.name):
                pin = port.pin(one.name)
                seen = wiring.driven.get(pin) or wiring.read.get(pin) or frozenset()
                if len(seen) == 1:
                    evidence.update(seen)
        if len(clocks) == 1:
            chosen = clocks[0]
        elif evidence:
            chosen = self._named_clock(port.name, evidence.most_common(1)[0][0], clocks)
        else:
            chosen = _closest(port.name, clocks)
            self.notes.append(f"{port.name}: clock {chosen} by its name")
        if chosen not in clocks:
            self.refused[port.name] = f"its clock {chosen} is not a port that can be driven"
        return port.model_copy(update={"clock": chosen})

    def _named_clock(self, name: str, found: str, clocks: list[str]) -> str:
        """The clock of a bundle whose registers run on ``found``.

        Where nothing runs on the clock that the bundle is named after, its registers probably have the wrong one.
        """
        named = _closest(name, clocks)
        if named in self.module.wiring.clocks or affinity(name, named) <= affinity(name, found):
            return found
        self.notes.append(
            f"{name}: clock {named} by its name, although its flip-flops use {found}: nothing uses {named}, which "
            f"looks like a bug in the RTL; if it is not, set clock = {found!r}"
        )
        return named

    # -- clocks and resets --------------------------------------------------------------------------------------

    def _clocks(self) -> list[str]:
        wiring = self.module.wiring
        found = []
        for port in list(self.left.values()):
            if port.way != "input" or port.width != 1 or port.unpacked or port.refusal is not None:
                continue
            named = is_clock(port.name) and not wiring.read.get(port.name)
            if port.name in wiring.clocks or named:
                found.append(port.name)
                self.left.pop(port.name)
                if port.name not in wiring.clocks:
                    self.notes.append(f"{port.name}: a clock by its name; no flip-flop of this build uses it")
        return found

    def _resets(self, clocks: list[str]) -> tuple[ClockPort, ...]:
        candidates = [
            p.name
            for p in self.left.values()
            if p.way == "input" and p.width == 1 and not p.unpacked and p.refusal is None and self._resets_something(p)
        ]
        candidates = candidates or self._clearing()
        ports, used = [], set()
        for index, clock in enumerate(clocks):
            reset = self._reset_of(clock, candidates, clocks)
            used |= {reset} if reset is not None else set()
            ports.append(
                ClockPort(
                    name=clock,
                    reset=reset,
                    active_high=reset is not None and self._active_high(reset),
                    period_ps=_PERIODS_PS[index % len(_PERIODS_PS)],
                )
            )
        for name in candidates:
            self.left.pop(name)
            if name not in used:
                self.ties[name] = 0 if self._active_high(name) else 1
                self.notes.append(f"{name}: a second reset; tied to {self.ties[name]}, its inactive level")
        for port in ports:
            if port.reset is None:
                self.notes.append(f"{port.name}: no reset was found for it")
        return tuple(ports)

    def _resets_something(self, port: Pin) -> bool:
        uses = [u for u in self.module.wiring.resets if u.reset == port.name]
        return is_reset(port.name) or any(u.edge for u in uses)

    def _clearing(self) -> list[str]:
        """Inputs that the RTL uses as resets although their names are others."""
        clears = self.module.wiring.clears
        found = [n for n, number in clears.items() if n in self.left and may_reset(self.left[n], number)]
        for name in found:
            self._note(
                f"{name}: taken as the reset: no other input is one, and it sets most registers to constants; "
                f"if it is none, give --tie {name}={0 if self._active_high(name) else 1}"
            )
        return found

    def _reset_of(self, clock: str, candidates: list[str], clocks: list[str]) -> str | None:
        wiring = self.module.wiring
        used = [c for c in candidates if any(u.clock == clock and u.reset == c for u in wiring.resets)]
        read = [c for c in candidates if clock in wiring.read.get(c, ())]
        for group in (used, read):
            if len(group) == 1:
                return group[0]
            if group:
                return _closest(clock, group)
        unused = [c for c in candidates if not wiring.read.get(c)]
        if unused:
            # A reset that this build does not use, or that goes through logic which hides it.
            closest = _closest(clock, unused)
            if len(clocks) == 1 or affinity(clock, closest) or len(candidates) == 1:
                return closest
        return candidates[0] if len(candidates) == 1 else None

    def _active_high(self, name: str) -> bool:
        levels = Counter(u.active_high for u in self.module.wiring.resets if u.reset == name)
        by_name = not low_by_name(name, (port.name for port in self.module.ports))
        if len(levels) == 1:
            (by_use,) = levels
            if by_use != by_name:
                self._note(f"{name}: active {'high' if by_use else 'low'} by its use, although its name says otherwise")
            return by_use
        if levels:
            self._note(f"{name}: used with both levels; active {'high' if by_name else 'low'} by its name")
        return by_name

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # -- the rest -----------------------------------------------------------------------------------------------

    def _rest(self, streams: Sequence[StreamPort]) -> None:
        if ahb := [name for name in self.left if name.lower().removeprefix("s_").removeprefix("m_") in _AHB]:
            self.notes.append(
                f"{', '.join(ahb)}: AHB, which is not driven; wrap the module with a bridge to APB or AXI-Lite"
            )
        for name, port in self.left.items():
            if port.refusal is not None:
                self.refused[name] = f"{port.refusal} ({port.where}): {_remedy(port)}"
            elif port.unpacked:
                self.refused[name] = f"unpacked array ({port.where}): {_remedy(port)}"
            elif port.way == "output":
                self.ignored.append(name)
                self.unplaced[name] = f"output, {port.width} bit: not checked"
                if name in self.module.carried.constant and tells_of_words(name, streams):
                    # What a setting has switched off says nothing.
                    self.unchecked[name] = "a constant of the RTL"
            else:
                kind = "an enable" if is_enable(name) else "a ready" if is_ready(name) else ""
                # An underscore behind it says active low.
                # A clear that is low by its name would last.
                clears = clears_by_name(port) and low_by_name(name, (one.name for one in self.module.ports))
                kind = "a clear that is not given" if clears else kind
                kind = "a ready of a bus that is none" if name in self.readies else "" if name.endswith("_") else kind
                self.ties[name] = -1 if kind else 0
                value = (
                    "0"
                    if not kind
                    else f"1, as {kind}"
                    if name in self.readies
                    else "1, its inactive level"
                    if clears
                    else f"1, as its name is {kind}'s"
                )
                self.unplaced[name] = f"input, {port.width} bit: tied to {value}"


def _remedy(port: Pin) -> str:
    if port.width == 0 or port.unpacked:
        return "wrap the module with flat ports"
    if port.way == "input":
        return f"wrap the module with flat ports, or tie it to a constant with --tie {port.name}=0"
    return f"wrap the module with flat ports, or leave it open with --ignore {port.name}"


def _closest(name: str, candidates: Iterable[str]) -> str:
    """The candidate whose name is nearest, the first one when none is nearer."""
    return max(candidates, key=lambda c: affinity(name, c))


def found_json(found: Found) -> dict[str, Any]:
    """For machines."""

    def bundle(port: Bundle) -> dict[str, Any]:
        return {"bus": port.bus, **port.model_dump(mode="json", exclude_none=True, exclude_defaults=True)}

    return {
        "top": found.module.title,
        "parameters": {p.name: p.value for p in found.module.parameters},
        "clocks": [c.model_dump(mode="json") for c in found.clocks],
        "streams": [bundle(p) for p in found.streams],
        "registers": [bundle(p) for p in found.registers],
        "memories": [bundle(p) for p in found.memories],
        "ties": dict(found.ties),
        "ignored": list(found.ignored),
        "unplaced": dict(found.unplaced),
        "refused": dict(found.refused),
        "guesses": found.all_guesses,
        "notes": list(found.notes),
        "warnings": list(found.module.warnings),
    }
