# SPDX-License-Identifier: Apache-2.0
"""Descriptions as TOML files: the same :class:`~goldbeat.tb.design.design.Design` that a Python description gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

import numpy as np
import numpy.typing as npt
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    StrictBool,
    ValidationInfo,
    WrapValidator,
    model_validator,
)

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.bus_models import BUS_MODELS, Route, bus_outcome
from goldbeat.pymodels.code_trust import check_code_file
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.mapped_registers import Elsewhere
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.sidebands import MOST_LANES
from goldbeat.pymodels.stimulus import Access, Clock, GoldenModel, MemoryContents, Outcome, Stimulus
from goldbeat.pymodels.stimulus_file import read_stimulus
from goldbeat.pymodels.stock_models import READY_MODELS, StreamShape, outcome, taken_inputs
from goldbeat.pymodels.telling import StrobeDeck, unlike
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.address_map import AddressRange, stretches
from goldbeat.tb.design.beside_streams import beside_streams, with_deep_buses
from goldbeat.tb.design.bus_ports import BusPorts, varied
from goldbeat.tb.design.bus_traffic import OPTIONS, RAM_OPTIONS, bus_cases, ram_episodes, some_memory
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.clocks import draw_clocks
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.map_case import MAP_CASE, RegisterMapTable, check_tables, map_episodes
from goldbeat.tb.design.memory_contents import MemoryContentTable, filled
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.bundle import Bundle, StatusPort, lanes
from goldbeat.tb.design.ports.discovery import bus_class
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.register_walks import CASE, RESET_CASE, quiet_case, reset_case, traffics
from goldbeat.tb.design.rules_model import RULES, outputs_unknown, rules_cases, rules_outcome, without_reset
from goldbeat.tb.design.traffic import FILL, FRAME, LONGEST, Rng, random_trace, stream_cases
from goldbeat.tb.design.unchecked import left_out, lost_signals, unknown_confirmations
from goldbeat.tb.design.unmodelled import is_unwritten, unmodelled
from goldbeat.tb.design.user_code import load_function
from goldbeat.tb.toml import Reason, Refused, load_model

READY = (*READY_MODELS, *BUS_MODELS, RULES)
"""Models that need no line of Python."""
_TRAFFIC_MODELS = tuple(name for name in (*BUS_MODELS, RULES) if name != "register_file")
"""Models that have cases of their own."""
_REQUIRED = "required"
"""Of ``[obligations]``, beside patterns."""
BLESSED = ".blessed.json"
"""How the file with recordings ends, in place of the description's ``.toml``."""
_RAM, _STIMULUS, _SWEEP = "ram", "stimulus", "sweep"
_RAM_BYTES = 256
"""What the case ``ram`` writes and reads unless it is told, or the port's address bits reach less."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TrafficTable(_Table):
    """``[traffic]``: data of the standard stream cases.

    Attributes:
        kind: ``random`` or ``counting`` bytes, or ``file.py:function`` (a :data:`goldbeat.tb.design.traffic.Traffic`).
        keep: ``full``; ``bytes``: the last beat of a frame keeps a random number of low bytes; ``words``: the same in
            32-bit words; ``any``: random keep bits.
        frame: shortest and longest frame in beats. Default: 1 to 12, and in case ``sweep`` some of up to ``longest`` beats.
        longest: beats of the longest frame, where ``frame`` is not set.
        finish: every stream ends with TLAST.
        positions: make some of the kept bytes position bytes, on inputs with TSTRB.
        steady: TDEST and TID stay as they are through each frame. AXI4-Stream allows frames of several to take turns.
    """

    kind: str = "random"
    keep: Literal["full", "bytes", "words", "any"] = "full"
    frame: tuple[int, int] | None = None
    longest: Annotated[int, Field(ge=1)] = LONGEST
    finish: bool = True
    positions: bool = True
    steady: bool = False


class CaseTable(_Table):
    """``[[cases]]``: one more case.

    Attributes:
        name, summary: as in :class:`~goldbeat.tb.design.case.Case`.
        make: ``file.py:function``; ``ram:PORT``: random writes and checked reads of a memory behind registers;
            ``stimulus:FILE``: the episodes of a file.
        options, params, inputs, registers: as in :class:`~goldbeat.tb.design.case.Case`; ``ram`` takes no inputs and
            sends register traffic only.
    """

    name: str
    summary: str = ""
    make: str
    options: Mapping[str, int | float | str | bool] = {}
    params: Mapping[str, int | str] = {}
    inputs: bool = True
    registers: bool = False


def _kept_episodes(path: Path, design: str, setting: CaseContext) -> list[Stimulus]:
    """The episodes of a file; raises :class:`UsageError` where they were kept of another design."""
    kept = read_stimulus(path)
    if kept.design != design:
        raise UsageError(f"{path}: the stimulus is for the design {kept.design}, not for {design}")
    return list(kept.episodes)


def _of_bus(family: type[Bundle], usual: type[Bundle]) -> WrapValidator:
    """Makes a table an object of the class that its ``bus`` names."""

    def made(table: Any, _: Any, info: ValidationInfo) -> Bundle:
        if isinstance(table, Bundle):
            return table
        name = table.get("bus", "") if isinstance(table, dict) else ""
        try:
            chosen = bus_class(name, family, info.context) if isinstance(name, str) and name else usual
        except GoldbeatError as error:
            raise ValueError(str(error)) from None
        return chosen.model_validate(table)

    return WrapValidator(made)


_Stream = SerializeAsAny[Annotated[StreamPort, _of_bus(StreamPort, StreamPort)]]
_Registers = SerializeAsAny[Annotated[RegisterPort, _of_bus(RegisterPort, LitePort)]]
_Memory = SerializeAsAny[Annotated[MemoryPort, _of_bus(MemoryPort, MemoryPort)]]


class Description(_Table):
    """What a TOML description says; keys that are not listed mean what :class:`~goldbeat.tb.design.design.Design` says.

    File names are relative to the description's own folder.

    Attributes:
        model: ``file.py:function``, or the name of a ready-made model
            (:data:`goldbeat.pymodels.stock_models.READY_MODELS`, :data:`goldbeat.pymodels.bus_models.BUS_MODELS`).
        coverage: ``file.py:function`` that returns the coverage items.
        stream_model: golden model of the streams beside a model of buses: a ready-made model, or ``rules`` for none.
        unchecked: signals of bundles that are tied, left open or not predicted, each with the reason why that is right.
        beside: ports of ``ties`` and ``ignored`` that may go along with the beats, each with what the RTL does with it.
        guesses: signals whose part in a bundle is a guess, each with what spoke for it; without the line, it is confirmed.
        obligations: obligations that need not be met, as patterns, each with the reason; ``required = true``: runs with
            open ones do not pass.
        compare_time: compare cycles. False: compare values and order; the report says so.
        compare_order: compare beats in order. False: compare whole frames in any order, or words where no port has TLAST; the
            report says so.
        register_maps: check register slaves against SystemRDL register maps.
        contents: files with the initial contents of memories.
        address_map: routes of model ``interconnect``.
        accesses: options of the bus models' cases.
        traffic: adds the standard stream cases.
        cases: more cases.
    """

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")
    summary: str = ""
    top: str
    files: tuple[str, ...] = Field(min_length=1)
    include_dirs: tuple[str, ...] = ()
    library_dirs: tuple[str, ...] = ()
    optimize: Literal["-O0", "-O1", "-O2", "-O3"] = "-O3"
    model: str
    coverage: str | None = None
    stream_model: str | None = None
    blurred: bool = False
    compare_time: bool = True
    compare_order: bool = True
    cycles_per_beat: int = Field(default=8, ge=1)
    ignored: tuple[str, ...] = ()
    unchecked: Mapping[str, Reason] = {}
    beside: Mapping[str, str] = {}
    guesses: Mapping[str, str] = {}
    obligations: Mapping[str, Reason | StrictBool] = {}
    waive: tuple[str, ...] = ()
    ready_bound: int | None = Field(default=None, ge=0)
    defines: Mapping[str, str] = {}
    parameters: Mapping[str, int | str | Parameter] = {}
    words: Mapping[str, Mapping[str, Mapping[str, int | str]]] = {}
    ties: Mapping[str, int] = {}
    clocks: tuple[ClockPort, ...] = Field(min_length=1)
    streams: tuple[_Stream, ...] = ()
    registers: tuple[_Registers, ...] = ()
    memories: tuple[_Memory, ...] = ()
    register_maps: tuple[RegisterMapTable, ...] = ()
    contents: tuple[MemoryContentTable, ...] = ()
    address_map: tuple[AddressRange, ...] = ()
    accesses: Mapping[str, int | str | bool] = {}
    status: tuple[StatusPort, ...] = ()
    traffic: TrafficTable | None = None
    cases: tuple[CaseTable, ...] = ()
    variants: tuple[Mapping[str, int | str], ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        clocks = [c.name for c in self.clocks]
        for port in (*self.streams, *self.registers, *self.memories):
            if port.clock not in clocks:
                raise ValueError(f"{port.name}: clock {port.clock!r} is not one of the clocks: {', '.join(clocks)}")
        bundles = (*self.streams, *self.registers, *self.memories)
        names = [*clocks, *(b.name for b in bundles), *(s.name for s in self.status)]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"duplicate name {twice[0]!r}")
        self._check_pins()
        check_tables(self.register_maps, [r for r in self.registers if r.direction == "in"])
        described = bool(self.register_maps) or any(r.storage for r in self.registers)
        if self.model == "register_file" and not described:
            raise ValueError("model 'register_file' needs storage of [[registers]], or [[register_maps]]")
        on_buses = self.model in _TRAFFIC_MODELS
        if self.traffic is None and not self.cases and not on_buses and not described:
            raise ValueError("neither traffic nor cases are set, so there is nothing to run")
        if self.traffic is not None and not self.streams:
            raise ValueError("traffic needs a stream")
        self._check_stream_model()
        self._check_results()
        for key, value in self.obligations.items():
            if isinstance(value, bool) != (key == _REQUIRED):
                expected = "true or false" if key == _REQUIRED else "the reason why it need not be met"
                raise ValueError(f"obligations.{key}: found {value!r}, expected {expected}")
        if self.contents and self.model in BUS_MODELS:
            raise ValueError(f"contents: model {self.model!r} fills its memories itself")
        if self.address_map and self.model != "interconnect":
            raise ValueError("address_map is for model 'interconnect'")
        unknown = [name for name in self.accesses if name not in OPTIONS]
        if unknown or (self.accesses and self.model not in _TRAFFIC_MODELS):
            known = ", ".join(OPTIONS)
            what = (
                f"unknown option {unknown[0]!r}; known: {known}"
                if unknown
                else "for models " + ", ".join(_TRAFFIC_MODELS)
            )
            raise ValueError(f"accesses: {what}")
        if self.model in READY:
            if self.compare_time:
                raise ValueError(f"model {self.model!r} predicts no cycles; set compare_time = false")
            if "merge" in (self.model, self.stream_model) and self.compare_order:
                raise ValueError("model 'merge' predicts no order of frames; set compare_order = false")
        elif ":" not in self.model:
            known = ", ".join(READY)
            raise ValueError(f"model: found {self.model!r}, expected file.py:function or one of {known}")
        return self

    def _check_pins(self) -> None:
        """Each port of the module is one thing: one signal of one bundle, or tied, or a clock."""
        owners = dict.fromkeys(self.ignored, "listed in ignored") | dict.fromkeys(self.ties, "tied in ties")
        answers = {(f"tready of {one.after}", f"tvalid of {one.name}") for one in self.streams if one.after is not None}
        owners |= {one.name: "a status" for one in self.status} | {clock.name: "a clock" for clock in self.clocks}
        for port in (*self.streams, *self.registers, *self.memories):
            listed = {role: port.pin(role) for role in port.roles()} if port.signals is None else port.signals
            for role, pin in listed.items():
                before = owners.setdefault(name := pin.removeprefix("!"), mine := f"{role} of {port.name}")
                if before is not mine and (before, mine) not in answers:
                    raise ValueError(f"signals: {name} is {before} and {mine}, expected one of them")

    def _check_results(self) -> None:
        """Results are those of an input that says when it takes a start."""
        starts = [
            port.name for port in self.streams if port.direction == "in" and port.lanes is None and port.has("tready")
        ]
        for port in self.streams:
            if port.after is not None and port.after not in starts:
                known = ", ".join(starts) or "none"
                raise ValueError(
                    f"{port.name}: after: found {port.after!r}, expected an input with tready or until: {known}"
                )

    def _check_stream_model(self) -> None:
        """Designs with a bus model and streams say what they expect of these, others do not."""
        known = ", ".join((*READY_MODELS, RULES))
        fits = self.model in BUS_MODELS and bool(self.streams)
        if self.stream_model is None and fits:
            port = self.streams[0].name
            raise ValueError(
                f"model {self.model!r} knows no streams, {port} is one: set stream_model to one of {known}"
            )
        if self.stream_model is not None and not fits:
            raise ValueError("stream_model is for designs with streams and one of the models " + ", ".join(BUS_MODELS))
        if self.stream_model not in (None, *READY_MODELS, RULES):
            raise ValueError(f"stream_model: found {self.stream_model!r}, expected one of {known}")

    def design(self, folder: Path) -> Design:
        """The design; ``folder`` is where file names count from."""
        if any(not Path(one.file).is_absolute() for one in self.contents):
            return self.model_copy(update={"contents": tuple(one.placed(folder) for one in self.contents)}).design(
                folder
            )
        design = Design(
            name=self.name,
            summary=self.summary,
            top=self.top,
            files=self.files,
            root=folder,
            include_dirs=self.include_dirs,
            library_dirs=self.library_dirs,
            optimize=self.optimize,
            words=self.words,
            defines=self.defines,
            parameters={n: p if isinstance(p, Parameter) else Parameter(default=p) for n, p in self.parameters.items()},
            clocks=self.clocks,
            streams=self.streams,
            registers=self.registers,
            memories=self.memories,
            status=self.status,
            ties=self.ties,
            ignored=self.ignored,
            unchecked=self.unchecked,
            guesses=self.guesses,
            obligations={key: value for key, value in self.obligations.items() if isinstance(value, str)},
            obligations_required=bool(self.obligations.get(_REQUIRED)),
            address_spans=self._address_spans if self.model in _TRAFFIC_MODELS and self.model != RULES else None,
            routes=self._routes if self.model in ("memory", "adapter", "interconnect") else None,
            found_ranges=tuple(one for one in self.address_map if one.found),
            uncompared=self._open_signals,
            masked=partial(self.masked, folder) if self.register_maps else None,
            elsewhere=partial(self._elsewhere, folder) if self.register_maps else None,
            waive=self.waive,
            ready_bound=self.ready_bound,
            model=self._model(folder),
            ready_model=self.stream_model or (self.model if self.model in READY else ""),
            coverage=None if self.coverage is None else load_function(folder, self.coverage, "coverage"),
            blurred=self.blurred,
            timed=self.compare_time,
            ordered=self.compare_order,
            cycles_per_beat=self.cycles_per_beat,
            cases=self._cases(folder),
            variants=({}, *self.variants),
        )
        if unknown := unknown_confirmations(design):
            raise UsageError(
                f"unchecked: {unknown[0]!r} is no signal of a bundle, of ties or of ignored; remove it from [unchecked]"
            )
        return design

    # -- model ------------------------------------------------------------------------------------------------------

    def _shapes(self, params: Mapping[str, Any], direction: str) -> list[StreamShape]:
        return [
            StreamShape(lane.name, lane.clock, int(lane.width), frozenset(lane.roles()))
            for port in self.streams
            if port.direction == direction
            for lane in lanes(port, params)
        ]

    def sides(self, params: Mapping[str, Any]) -> tuple[list[Bundle], list[Bundle]]:
        """Slaves and masters, arrays taken apart and widths as numbers."""
        ports = [lane for port in (*self.registers, *self.memories) for lane in lanes(port, params)]
        slaves, masters = ([p for p in ports if p.direction == way] for way in ("in", "out"))
        return slaves, masters

    def _bus_ports(self, params: Mapping[str, Any]) -> BusPorts:
        slaves, masters = self.sides(params)
        found = stretches(self.model, slaves, masters, self.address_map, params)
        return BusPorts(slaves, masters, found, self.model == "interconnect", frozenset(self.unchecked))

    def _routes(self, params: Mapping[str, Any]) -> list[Route]:
        """Where addresses lead, and which attributes go along."""
        return self._bus_ports(params).routes()

    def _address_spans(self, params: Mapping[str, Any]) -> dict[str, list[tuple[int, int]]]:
        """Where the accesses of each slave go."""
        found: dict[str, list[tuple[int, int]]] = {}
        for stretch in self._bus_ports(params).stretches:
            for slave in stretch.slaves:
                found.setdefault(slave, []).append((stretch.base, stretch.size))
        return found

    def masked(self, folder: Path, params: Mapping[str, Any]) -> list[str]:
        """Fields of the register maps whose values are not compared, for people."""
        ports = {port.name: port.resolved(params) for port in self.registers}
        return [
            text
            for table in self.register_maps
            for text in table.masked(folder, params, int(ports[table.port].data_width) // 8)
        ]

    def _elsewhere(self, folder: Path, params: Mapping[str, Any]) -> dict[str, Elsewhere]:
        """What slaves answer beside their register maps."""
        ports = {port.name: list(lanes(port, params)) for port in self.registers}
        return {
            port.name: table.elsewhere(folder, params, port)
            for table in self.register_maps
            for port in ports[table.port]
        }

    def _open_signals(self, params: Mapping[str, Any]) -> dict[str, str]:
        """What the ready-made models do not compare, and ports that may go along with the beats."""
        lost = lost_signals(self.stream_model or self.model, self.streams)
        beside = {
            pin: f"{left_out(pin, self.ties)}; {why}"
            for pin, why in self.beside.items()
            if pin in self.ties or pin in self.ignored
        }
        guesses = {pin: f"in its bundle by a guess: {why}" for pin, why in self.guesses.items()}
        buses = self._bus_ports(params).open() if self.model in ("adapter", "interconnect") else {}
        return lost | beside | guesses | buses

    def _bus_outcome(self, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
        routes = self._bus_ports(params).routes() if stimulus.bursts or stimulus.program else []
        found = bus_outcome(stimulus, routes)
        if self.stream_model is None:
            return found
        sources, sinks = self._shapes(params, "in"), self._shapes(params, "out")
        if self.stream_model == RULES:
            return replace(found, ports=taken_inputs(sources, stimulus), unknown=frozenset(sink.name for sink in sinks))
        beats = outcome(READY_MODELS[self.stream_model], sources, sinks, stimulus)
        return replace(found, ports=beats.ports, bytewise=beats.bytewise, queues=beats.queues)

    def _ready(self, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
        found = outcome(READY_MODELS[self.model], self._shapes(params, "in"), self._shapes(params, "out"), stimulus)
        # What these models know of stays away from memories.
        untouched = {
            name: MemoryContents({region.name: region.data for region in image.regions})
            for name, image in stimulus.memories.items()
        }
        return replace(found, memories=untouched)

    def _rules(self, params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
        slaves = [lane.name for port in self.registers for lane in lanes(port, params)]
        slaves += [one.name for one in self.status]
        return rules_outcome(self._shapes(params, "in"), self._shapes(params, "out"), slaves, stimulus)

    def _model(self, folder: Path) -> GoldenModel:
        if self.model == RULES:
            return self._rules
        if self.model in BUS_MODELS:
            return self._bus_outcome
        if self.model in READY_MODELS:
            return self._ready
        own: GoldenModel = load_function(folder, self.model, "model")
        return own

    # -- cases ------------------------------------------------------------------------------------------------------

    def _cases(self, folder: Path) -> tuple[Case, ...]:
        cases: list[Case] = []
        if self.model == RULES:
            cases += rules_cases(
                lambda setting: self.sides(setting.params),
                None if self.traffic is None else self._inputs,
                self.accesses,
                self._longest(),
                self._extremes(),
                cuts=self._resettable,
                corners=self.traffic is not None and self.traffic.kind == "random",
                tied=tuple(self.ties),
            )
        elif self.model in _TRAFFIC_MODELS:
            cases += self._bus_cases()
        elif self.traffic is not None:
            if ":" in self.traffic.kind:
                traffic = load_function(folder, self.traffic.kind, "traffic.kind")
            elif self.traffic.kind in ("random", "counting"):
                traffic = self._traffic
            else:
                raise UsageError(
                    f"traffic.kind: found {self.traffic.kind!r}, expected random, counting or file.py:function"
                )
            drawn = traffic == self._traffic
            cases += stream_cases(
                traffic,
                FILL,
                self._longest(),
                extremes=self._extremes(),
                cuts=self._resettable,
                corners=self.traffic.kind == "random",
                # With other models, lanes may move in step.
                alone={"merge": ("in", "out")}.get(self.model, ("out",) if self.model in READY_MODELS else ()),
                keep=self.traffic.keep if drawn and any(map(_sparse, self.streams)) else "",
            )
            # A case of resets alone would compare nothing where the order is open.
            if not (self.compare_order and self._resettable):
                cases = [c for c in cases if c.name != "reset"]
        if self.register_maps:
            cases.append(self._map_case(folder))
        for table in self.cases:
            cases.append(self._case(table, folder))
        if any(r.storage for r in self.registers) and not any(c.name == CASE for c in cases):
            cases.append(quiet_case(self._quiet))
            if self._resettable and not any(c.name == RESET_CASE for c in cases):
                cases.append(reset_case(self._quiet))
        # What a run without a case sends: `random` alone is one draw of what `sweep` goes through.
        return tuple(sorted(cases, key=lambda case: case.name != _SWEEP))

    def _longest(self) -> int:
        """Beats of the longest frame that ``sweep`` sends unless it is told; 0: the description says how long frames are."""
        extremes = self._extremes()
        return extremes[-1] if extremes and self.traffic is not None and self.traffic.frame is None else 0

    def _extremes(self) -> tuple[int, ...]:
        """The shortest and the longest frame that ``sweep`` fills queues with; empty: frames have one length, or none."""
        drawn = self.traffic is not None and ":" not in self.traffic.kind
        framed = any(port.direction == "in" and port.has("tlast") for port in self.streams)
        least, most = (self.traffic and (self.traffic.frame or (1, self.traffic.longest))) or (1, LONGEST)
        return (least, most) if drawn and framed and least < most else ()

    def _bus_cases(self) -> tuple[Case, ...]:
        """Of a ready-made model of buses, beside streams where there are some to drive."""

        def look(setting: CaseContext) -> BusPorts:
            return self._bus_ports(setting.params)

        driven = self.traffic is not None
        cases = (
            without_reset(beside_streams(look, self._inputs, self.accesses), self._longest(), self._extremes())
            if driven
            else bus_cases(look, self.accesses, cuts=self._resettable)
        )
        if driven:
            cases = tuple(
                with_deep_buses(case, look, self.accesses, cuts=self._resettable) if case.name == _SWEEP else case
                for case in cases
            )
        check = outputs_unknown if self.stream_model == RULES and self._has_outputs() else None
        return tuple(case.model_copy(update={"check": check}) for case in cases)

    @property
    def _resettable(self) -> bool:
        return any(clock.reset for clock in self.clocks)

    def _has_outputs(self) -> bool:
        return any(port.direction == "out" for port in self.streams)

    def _check_contents(self, masters: Iterable[str]) -> None:
        names = list(masters)
        for one in self.contents:
            if one.port not in names:
                raise UsageError(f"contents: no master {one.port!r}; there are: {', '.join(names) or 'none'}")

    def _quiet(self, setting: CaseContext) -> list[Stimulus]:
        memories = self._memories(setting)
        return [Stimulus(inputs=self._silence(setting), clocks=setting.clocks, memories=memories, registers=True)]

    def _map_case(self, folder: Path) -> Case:
        def make(setting: CaseContext) -> list[Stimulus]:
            (quiet,) = self._quiet(setting)
            ports = {port.name: list(lanes(port, setting.params)) for port in self.registers}
            return [
                episode
                for table in self.register_maps
                for episode in map_episodes(
                    table, folder, ports[table.port], setting, quiet, self.unchecked, resets=self._resettable
                )
            ]

        return Case(
            name=MAP_CASE,
            summary="reset values, access types, aliases, side effects, reserved bits, error answers: by the register map",
            make=make,
            expect=self._silent_outcome,
            inputs=False,
            registers=True,
        )

    def _silent_outcome(self, setting: CaseContext, stimulus: Stimulus, record: Any) -> Outcome:
        """Of an episode about registers alone: nothing comes out, and the accesses themselves say what they answer."""
        ports = {
            s.name: Trace.empty(s.width, clock_ps=stimulus.clocks[s.clock].period_ps)
            for way in ("in", "out")
            for s in self._shapes(setting.params, way)
        }
        untouched = {
            name: MemoryContents({region.name: region.data for region in image.regions})
            for name, image in stimulus.memories.items()
        }
        return Outcome(ports, dict(record.outcome.status), memories=untouched)

    def _memories(self, setting: CaseContext) -> dict[str, MemoryImage]:
        """Some memory behind every master, so that none waits for ever."""
        masters = [p for p in (*self.registers, *self.memories) if p.direction == "out" and "out" in p.native]
        found = [lane for port in masters for lane in lanes(port, setting.params)]
        self._check_contents(lane.name for lane in found)
        return {
            lane.name: filled(some_memory(lane, np.random.default_rng([setting.seed, 24, salt])), lane, self.contents)
            for salt, lane in enumerate(found)
        }

    def _silence(self, setting: CaseContext) -> dict[str, Trace]:
        return {
            s.name: Trace.empty(s.width, clock_ps=setting.clocks[s.clock].period_ps)
            for s in self._shapes(setting.params, "in")
        }

    def _case(self, table: CaseTable, folder: Path) -> Case:
        make: Callable[[CaseContext], list[Stimulus]]
        options: dict[str, Any] = dict(table.options)
        kind, _, port = table.make.partition(":")
        if kind == _RAM:
            slaves = [p for p in (*self.registers, *self.memories) if p.direction == "in"]
            found = next((p for p in slaves if p.name == port), None)
            if found is None:
                known = ", ".join(p.name for p in slaves) or "none"
                raise UsageError(f"case {table.name}: no slave {port!r}; there are: {known}")
            if isinstance(found, MemoryPort):
                options = {**RAM_OPTIONS, **options}
                make = partial(self._burst_ram, found)
            else:
                options = {"accesses": 200, "base": 0, "bytes": 0, **options}
                make = partial(self._ram, cast(RegisterPort, found))
        elif kind == _STIMULUS:
            make = partial(_kept_episodes, folder / port, self.name)
        else:
            make = load_function(folder, table.make, f"case {table.name}")
        ram = kind == _RAM
        return Case(
            name=table.name,
            summary=table.summary,
            make=make,
            options=options,
            params=table.params,
            inputs=table.inputs and kind not in (_RAM, _STIMULUS),
            registers=table.registers or ram,
        )

    def _traffic(self, setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
        clocks = draw_clocks(setting, rng)
        inputs = self._inputs(setting, rng, beats, clocks)
        return Stimulus(inputs=inputs, clocks=clocks, memories=self._memories(setting))

    def _inputs(self, setting: CaseContext, rng: Rng, beats: int, clocks: Mapping[str, Clock]) -> dict[str, Trace]:
        assert self.traffic is not None
        inputs = {}
        routed = "route" in (self.model, self.stream_model)
        outputs = (port for port in self.streams if routed and port.direction == "out")
        dests = sum(len([*lanes(port, setting.params)]) for port in outputs)
        for port in self.streams:
            if port.direction != "in":
                continue
            for lane in lanes(port, setting.params):
                trace = random_trace(
                    rng,
                    int(lane.width),
                    beats,
                    clocks[lane.clock],
                    frame=self.traffic.frame or (1, min(FRAME[1], self.traffic.longest)),
                    frames=rng.permutation(setting.frames).tolist(),
                    keep=str(setting.options.get("keep", self.traffic.keep)) if _sparse(lane) else "full",
                    finish=self.traffic.finish,
                    sidebands={s: lane.widths()[s] for s in ("tid", "tdest", "tuser") if lane.has(s)},
                    positions=self.traffic.positions and lane.has("tstrb") and int(lane.width) // 8 <= MOST_LANES,
                    corners=setting.corners,
                    steady=self.traffic.steady or routed,
                    dests=dests,
                )
                inputs[lane.name] = _shown(trace, lane, counting=self.traffic.kind == "counting")
        return inputs

    def _burst_ram(self, port: MemoryPort, setting: CaseContext) -> list[Stimulus]:
        streams = self._silence(setting)
        memories = self._memories(setting)
        return [
            replace(one, inputs=streams, memories=memories)
            for one in ram_episodes(port.resolved(setting.params), setting)
        ]

    def _ram(self, port: RegisterPort, setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 5])
        fixed = port.resolved(setting.params)
        size, space = int(fixed.data_width) // 8, 1 << fixed.address_bits
        base = int(setting.options["base"])
        total = int(setting.options["bytes"]) or min(_RAM_BYTES, max(0, space - base))
        if base % size or total < size or total % size:
            raise UsageError(f"options base and bytes: found {base} and {total}, expected whole words of {size} bytes")
        if base < 0 or base + total > space:
            raise UsageError(
                f"options base and bytes: found {base} and {total}, but {port.name} has {fixed.address_bits} address "
                f"bits: {space} bytes"
            )
        streams = self._silence(setting)
        return [
            Stimulus(
                inputs=streams,
                clocks=setting.clocks,
                program={
                    port.name: varied(
                        _ram_program(rng, base, total, fixed, int(setting.options["accesses"])),
                        fixed,
                        int(rng.integers(1 << 31)),
                        self.unchecked,
                    )
                },
                traffic={port.name: port.fitting(traffic)},
                memories=self._memories(setting),
            )
            for traffic in (RegisterTraffic(), *traffics(rng))
        ]


def _ram_program(rng: Rng, base: int, total: int, port: RegisterPort, accesses: int) -> tuple[Access, ...]:
    """Write all of a memory, then write and read at random."""
    size = int(port.data_width) // 8
    memory = rng.integers(0, 256, total, dtype=np.uint8)
    words = [
        Access("write", base + a, int.from_bytes(memory[a : a + size].tobytes(), "little"), (1 << size) - 1)
        for a in range(0, total, size)
    ]
    program = [words[i] for i in rng.permutation(len(words))]
    deck, whole = StrobeDeck(rng, size), (1 << size) - 1
    for _ in range(accesses):
        at = int(rng.integers(total // size)) * size
        stored = int.from_bytes(memory[at : at + size].tobytes(), "little")
        if rng.integers(2):
            strobe = deck.draw() if port.strobes else whole
            value = unlike(int.from_bytes(rng.bytes(size), "little"), stored, (1 << 8 * size) - 1, size)
            lanes = [lane for lane in range(size) if strobe >> lane & 1]
            memory[[at + lane for lane in lanes]] = [value >> 8 * lane & 0xFF for lane in lanes]
            program.append(Access("write", base + at, value, strobe))
        else:
            program.append(Access("read", base + at, stored))
    return tuple(program)


def _sparse(port: StreamPort) -> bool:
    """Whether an input can leave bytes out."""
    return port.direction == "in" and port.has("tkeep")


def _shown(trace: Trace, port: StreamPort, *, counting: bool) -> Trace:
    """The trace as a port can carry it: without TLAST where there is none; with counting bytes where asked for."""
    data = np.arange(trace.data.size, dtype=np.uint64).astype(np.uint8).reshape(trace.data.shape)
    keep, tid = port.carried(trace.keep, trace.last, trace.tid)
    used = np.packbits(np.arange(int(port.width)) < port.used_bits, bitorder="little")
    return Trace.from_bytes(
        (data if counting else trace.data) & used,
        keep=keep,
        last=trace.last if port.has("tlast") else None,
        cycle=trace.cycle,
        clock_ps=trace.clock_ps,
        offset_ps=trace.offset_ps,
        tid=tid,
        tdest=trace.tdest,
        tuser=_marked(trace, port),
        tstrb=trace.tstrb,
    )


def _marked(trace: Trace, port: StreamPort) -> npt.NDArray[np.uint64] | None:
    """TUSER of a trace, with the bit that marks first beats as they are."""
    bit = port.first_bit()
    if bit is None or trace.tuser is None:
        return trace.tuser
    first = np.concatenate([[True], trace.last[:-1]])[: len(trace)].astype(np.uint64)
    return (trace.tuser & ~np.uint64(1 << bit)) | first << np.uint64(bit)


# -- files --------------------------------------------------------------------------------------------------------------


def load_description(path: Path) -> Design:
    """The design that a TOML file describes.

    Raises:
        InputError: no such file, no TOML, an unknown key, a wrong value: with the file and, where it can be told, the line.
    """
    description = read_description(path)
    design = description.design(path.parent.resolve()).model_copy(update={"file": path})
    open_end, unwritten = RULES in (description.model, description.stream_model), is_unwritten(design.model)
    if not (open_end or unwritten):
        return design
    recordings = path.resolve().with_suffix(BLESSED)
    design = design.model_copy(update={"blessed": recordings})
    # Without a recording, a run still says that the model has to be written.
    return unmodelled(design) if unwritten and recordings.is_file() else design


def read_description(path: Path) -> Description:
    """What a TOML file says; raises as :func:`load_description` does."""
    check_code_file(path)
    return load_model(Description, path, "a description (TOML)", _explain, numbered=True, context=path.parent.resolve())


def _explain(refused: Refused) -> GoldbeatError:
    path, text, kind = refused.path, refused.text, refused.kind
    # Alternatives of a union stand in the location under made-up names.
    place = [p for p in refused.place if isinstance(p, int) or re.fullmatch(r"[A-Za-z_][\w.-]*", p)]
    key = ".".join(f"[{p}]" if isinstance(p, int) else p for p in place).replace(".[", "[")
    if kind == "missing":
        line = _line(text, place[:-1])
        if len(place) > 1:
            return InputError(f"no key {key}", "one", file=path, line=line)
        needed = [name for name, one in refused.model.model_fields.items() if one.is_required()]
        return InputError(f"no key {key}", f"a description ({', '.join(needed)}; `goldbeat new` writes one)", file=path)
    line = _line(text, place)
    if kind == "extra_forbidden":
        return InputError(f"unknown key {key}", refused.known, file=path, line=line)
    if kind == "value_error":
        where = f"{path}:{line}" if line is not None else str(path)
        return UsageError(f"{where}: {key}: {refused.said}" if key else f"{where}: {refused.said}")
    return InputError(f"{key} = {refused.value!r:.60}", refused.said, file=path, line=line)


def _line(text: str, place: list[int | str]) -> int | None:
    """The line of a key (or of the innermost table around it)."""
    counts: dict[str, int] = {}
    table: list[int | str] = []
    best, depth = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([\w.\"-]+)\s*\]", line)
        if header is not None:
            name = header[2]
            table = [part.strip('"') for part in name.split(".")]
            if header[1] == "[[":
                counts[name] = counts.get(name, -1) + 1
                table.append(counts[name])
            here = table
        else:
            key = re.match(r"\s*(?:\"([^\"]*)\"|'([^']*)'|([\w-]+))\s*=", line)
            if key is None:
                continue
            here = [*table, key[key.lastindex or 0]]
        if len(here) > depth and place[: len(here)] == here:
            best, depth = number, len(here)
    return best
