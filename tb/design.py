# SPDX-License-Identifier: Apache-2.0
"""One description a design: everything that run, regress, signoff, the tests and the docs need to know of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, model_validator

from pymodels.errors import UsageError
from pymodels.pattern import Pattern
from pymodels.stimulus import Clock, GoldenModel, Stimulus
from pymodels.trace import Trace
from tb.filelist import Sources, read_filelist

if TYPE_CHECKING:
    from tb.clocks import ClockWish

Width = int | str
"""A number (of bits, of bundles), or how it follows from parameters: ``DATA_W``, ``8*NLOCK``, ``NS+NM``."""

Layout = Literal["packed", "unpacked", "unpacked_down"]
"""How an array of bundles stands in the design: one vector (``[N-1:0][W-1:0]`` or ``[N*W-1:0]``, bundle 0 lowest),
or an unpacked array ``x [0:N-1]`` or ``x [N-1:0]``."""

_STREAM_PLAIN = ("tdata", "tkeep", "tlast", "tvalid", "tready")
_STREAM_SIDES = ("tid", "tdest", "tuser")
_STROBE = "tstrb"
_WRITE = ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready")
_READ = ("araddr", "arvalid", "arready", "rdata", "rvalid", "rready")
_LITE_SLAVE_OUTPUTS = ("awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid")
_MEMORY_SLAVE_OUTPUTS = (*_LITE_SLAVE_OUTPUTS, "bid", "buser", "rid", "ruser", "rlast")
_MEMORY_FIXED = {"len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4}
_LITE_OPTIONAL = ("awprot", "wstrb", "bresp", "arprot", "rresp")
_MEMORY_USERS = ("awuser", "wuser", "buser", "aruser", "ruser")
_MEMORY_IDS = ("awid", "bid", "arid", "rid")
_MEMORY_ROLES = (
    *(f"aw{s}" for s in ("id", "addr", *_MEMORY_FIXED, "user", "valid", "ready")),
    *("wdata", "wstrb", "wlast", "wuser", "wvalid", "wready", "bid", "bresp", "buser", "bvalid", "bready"),
    *(f"ar{s}" for s in ("id", "addr", *_MEMORY_FIXED, "user", "valid", "ready")),
    *("rid", "rdata", "rresp", "rlast", "ruser", "rvalid", "rready"),
)
CSB_ROLES = (
    *("valid", "ready", "addr", "wdat", "write", "nposted"),
    *("response_valid", "response_data", "wr_complete"),
)
"""The signals of NVDLA's configuration bus, as :data:`tb.kernel.library.CSB_SIGNALS` has them."""
_CSB_OUTPUTS = ("ready", "response_valid", "response_data", "wr_complete")
_SINGLE = (*("write", "nposted", "wr_complete"), "tvalid", "tready", "tlast", "wlast", "rlast", "awlock", "arlock")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Parameter(_Frozen):
    """A parameter of the top module.

    Attributes:
        default: an integer, a text, or a tuple of integers for a packed array of ``bits``-wide elements, element 0 lowest.
        bits: element width of a packed array; None for anything else.
    """

    default: int | str | tuple[int, ...]
    bits: int | None = None


class ClockPort(_Frozen):
    """A clock input, its reset and its usual period.

    Attributes:
        name: the design's input.
        reset: the design's reset input that belongs to it, None where there is none; clocks may share one.
        active_high: the reset's polarity.
        period_ps: usual period.
        also: other inputs of the design that get the same clock.
    """

    name: str
    reset: str | None = None
    active_high: bool = False
    period_ps: int = 4000
    also: tuple[str, ...] = ()

    @property
    def resetn(self) -> str | None:
        """The harness's reset port: always active low, the harness turns it round where the design wants it high."""
        return f"{self.reset}_n" if self.reset is not None and self.active_high else self.reset


@dataclass(frozen=True)
class Signal:
    """One signal of a bundle, seen from the design.

    Attributes:
        name: its role, in lower case without prefix (``tdata``, ``awaddr``).
        width: in bits.
        way: ``input`` or ``output``.
    """

    name: str
    width: int
    way: Literal["input", "output"]

    @property
    def scalar(self) -> bool:
        """Handshakes and LAST are single bits; the others are vectors even when one bit wide."""
        return self.name in _SINGLE or self.name.endswith(("valid", "ready"))


class Bundle(_Frozen):
    """What all bundles have in common.

    Attributes:
        name: what Goldbeat calls it, a Verilog identifier: the harness's ports are ``name_role``, its files ``name.trace``.
        clock: the clock it runs on.
        lanes: number of bundles (or the parameter that gives it) where the design has an array of them; they are
            then called ``name_0`` and so on.
        layout: of such an array.
        signals: the design's port by role; a role that is not here is not in the design. None: every usual role, called
            ``name_role``.
    """

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    clock: str = "aclk"
    lanes: Width | None = None
    layout: Layout = "packed"
    signals: Mapping[str, str] | None = None

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        raise NotImplementedError

    def has(self, role: str) -> bool:
        """Whether a signal is there."""
        return role in self.roles()

    def pin(self, role: str) -> str:
        """The design's name of a signal."""
        return f"{self.name}_{role}" if self.signals is None else self.signals[role]

    def wires(self) -> list[Signal]:
        """The signals that are there; for a bundle whose widths are numbers already (:meth:`Design.bundles`)."""
        raise NotImplementedError

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        raise NotImplementedError

    def _check_roles(self, allowed: tuple[str, ...]) -> None:
        unknown = [r for r in self.signals or () if r not in allowed]
        if unknown:
            raise ValueError(f"signals: unknown role {unknown[0]!r}; known: {', '.join(allowed)}")


def _number(width: Width, params: Mapping[str, Any]) -> int:
    if isinstance(width, int):
        return width
    total = 0
    for term in width.split("+"):
        product = 1
        for factor in (f.strip() for f in term.split("*")):
            if not factor.isdigit() and factor not in params:
                raise UsageError(
                    f"width {width!r} is neither a number nor a parameter; parameters: {', '.join(params)}"
                )
            product *= int(factor) if factor.isdigit() else int(params[factor])
        total += product
    return total


class Storage(_Frozen):
    """Registers one after the other that hold what was written, and do nothing else: writes and reads of them may overlap.

    Attributes:
        base: byte address of the first one.
        words: how many.
        mask: bits of each that it holds; the others read 0.
        strobes: writes of some bytes are stored; else words are written whole.
    """

    base: int = Field(default=0, ge=0)
    words: Width
    mask: int = Field(default=(1 << 64) - 1, ge=0)
    strobes: bool = True

    def count(self, params: Mapping[str, Any]) -> int:
        """How many words."""
        return _number(self.words, params)


class StreamPort(Bundle):
    """An AXI-Stream bundle of the design.

    Without TREADY a stream is never stalled, without TKEEP all bytes are valid, without TLAST there are no frames.

    Attributes:
        direction: seen from the design.
        width: of TDATA.
        tid, tdest, tuser: widths of the sideband signals that are there.
        dtype: sample type, for PLIO files and throughput in samples; None where the port carries no samples.
        from_file: an input whose stimulus may come from a file; false for ports that carry control, not data.
        interleaved: beats of other TID or TDEST may come within a packet of an output.

    TSTRB is there where :attr:`signals` names it. Inputs get TSTRB = TKEEP, outputs are checked.
    """

    direction: Literal["in", "out"]
    width: Width = 32
    interleaved: bool = True
    tid: Width | None = None
    tdest: Width | None = None
    tuser: Width | None = None
    dtype: str | None = None
    from_file: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles((*_STREAM_PLAIN, _STROBE, *_STREAM_SIDES))
        if self.signals is not None:
            for role in ("tdata", "tvalid"):
                if role not in self.signals:
                    raise ValueError(f"signals: a stream needs {role}")
            for side in _STREAM_SIDES:
                if (getattr(self, side) is None) != (side not in self.signals):
                    raise ValueError(f"{side}: a sideband needs both its width and its entry in signals")
        if isinstance(self.width, int) and (self.width < 8 or self.width % 8):
            raise ValueError(f"width: found {self.width}, expected whole bytes")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is not None:
            return tuple(r for r in (*_STREAM_PLAIN, _STROBE, *_STREAM_SIDES) if r in self.signals)
        return (*_STREAM_PLAIN, *(s for s in _STREAM_SIDES if getattr(self, s) is not None))

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        widths = {"tdata": self.width, "tkeep": int(self.width) // 8, "tlast": 1, "tvalid": 1, "tready": 1}
        widths |= {_STROBE: widths["tkeep"], **{side: getattr(self, side) for side in _STREAM_SIDES}}
        return [
            Signal(r, int(widths[r]), "input" if (self.direction == "in") != (r == "tready") else "output")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {"width": _number(self.width, params)}
        for side in _STREAM_SIDES:
            value = getattr(self, side)
            fixed[side] = None if value is None else _number(value, params)
        return self.model_copy(update=fixed)


def _check_channels(signals: Mapping[str, str], extra_write: tuple[str, ...], extra_read: tuple[str, ...]) -> None:
    groups = {"write": (*_WRITE, *extra_write), "read": (*_READ, *extra_read)}
    there = 0
    for name, group in groups.items():
        lacks = [r for r in group if r not in signals]
        if lacks and len(lacks) < len(group):
            raise ValueError(f"signals: the {name} channels lack {', '.join(lacks)}")
        there += not lacks
    if not there:
        raise ValueError("signals: neither the write nor the read channels are there")


class LitePort(Bundle):
    """An AXI-Lite bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    Attributes:
        direction: ``in`` where the design answers accesses (slave), ``out`` where it makes them (master).
        data_width: 32 or 64.
        address_width: in bits.
        storage: registers of a slave that are plain storage; ``sweep`` writes and reads them in every way.
    """

    direction: Literal["in", "out"] = "in"
    data_width: Width = 32
    address_width: Width = 12
    storage: tuple[Storage, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles((*_WRITE, *_READ, *_LITE_OPTIONAL))
        if self.signals is not None:
            _check_channels(self.signals, (), ())
        if isinstance(self.data_width, int) and self.data_width not in (32, 64):
            raise ValueError(f"data_width: found {self.data_width}, expected 32 or 64")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is None:
            return (*_WRITE, *_READ, "wstrb", "bresp", "rresp")
        return tuple(r for r in (*_WRITE, *_READ, *_LITE_OPTIONAL) if r in self.signals)

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        data, address = int(self.data_width), int(self.address_width)
        widths = {"awaddr": address, "araddr": address, "wdata": data, "rdata": data, "wstrb": data // 8}
        widths |= {"bresp": 2, "rresp": 2, "awprot": 3, "arprot": 3}
        return [
            Signal(r, widths.get(r, 1), "output" if (r in _LITE_SLAVE_OUTPUTS) == (self.direction == "in") else "input")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed = {name: _number(getattr(self, name), params) for name in ("data_width", "address_width")}
        return self.model_copy(update=fixed)


class CsbPort(Bundle):
    """A slave of NVDLA's configuration bus: requests, and answers without handshake. All of its signals must be there.

    Attributes:
        direction: ``in``; masters are not simulated.
        address_width: bits of the word address.
        storage: as of :class:`LitePort`.
    """

    direction: Literal["in"] = "in"
    data_width: Literal[32] = 32
    address_width: Width = 16
    storage: tuple[Storage, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles(CSB_ROLES)
        lacks = [] if self.signals is None else [r for r in CSB_ROLES if r not in self.signals]
        if lacks:
            raise ValueError(f"signals: the configuration bus lacks {', '.join(lacks)}")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        return CSB_ROLES

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        widths = {"addr": int(self.address_width), "wdat": 32, "response_data": 32}
        return [Signal(r, widths.get(r, 1), "output" if r in _CSB_OUTPUTS else "input") for r in CSB_ROLES]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        return self.model_copy(update={"address_width": _number(self.address_width, params)})


class MemoryPort(Bundle):
    """An AXI4 bundle of the design; with ``signals``, all of the write or of the read channels may be absent.

    Attributes:
        direction: ``in`` where the design answers accesses (slave), ``out`` where it makes them (master).
        data_width, address_width, id_width: in bits; ``id_width`` 0: no IDs.
        len_width: bits of AWLEN and ARLEN; 4 on AXI3 and on NVDLA's data backbone.
        users: widths of the user signals that are there, by role (``awuser``, ``wuser``, ``buser``, ``aruser``, ``ruser``).
    """

    direction: Literal["in", "out"]
    data_width: Width = 32
    address_width: Width = 32
    id_width: Width = 0
    len_width: int = Field(default=_MEMORY_FIXED["len"], ge=1, le=8)
    users: Mapping[str, Width] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_roles(_MEMORY_ROLES)
        unknown = [u for u in self.users if u not in _MEMORY_USERS]
        if unknown:
            raise ValueError(f"users: unknown role {unknown[0]!r}; known: {', '.join(_MEMORY_USERS)}")
        if self.signals is not None:
            _check_channels(self.signals, ("awlen", "wlast"), ("arlen", "rlast"))
            for user in _MEMORY_USERS:
                if (user in self.users) != (user in self.signals):
                    raise ValueError(f"{user}: a user signal needs both its width and its entry in signals")
            if self.id_width == 0 and any(r in self.signals for r in _MEMORY_IDS):
                raise ValueError("id_width: found 0, expected the width of the ID signals")
        return self

    def roles(self) -> tuple[str, ...]:
        """The signals that are there."""
        if self.signals is not None:
            return tuple(r for r in _MEMORY_ROLES if r in self.signals)
        absent = {r for r in _MEMORY_USERS if r not in self.users} | {"awqos", "arqos", "awregion", "arregion"}
        if self.id_width == 0:
            absent |= set(_MEMORY_IDS)
        return tuple(r for r in _MEMORY_ROLES if r not in absent)

    def wires(self) -> list[Signal]:
        """The signals that are there."""
        data, address = int(self.data_width), int(self.address_width)
        widths = {"awaddr": address, "araddr": address, "wdata": data, "rdata": data, "wstrb": data // 8}
        widths |= {"bresp": 2, "rresp": 2, **dict.fromkeys(_MEMORY_IDS, int(self.id_width))}
        widths |= {f"{way}{name}": bits for way in ("aw", "ar") for name, bits in _MEMORY_FIXED.items()}
        widths |= dict.fromkeys(("awlen", "arlen"), self.len_width)
        widths |= {user: int(width) for user, width in self.users.items()}
        slave = self.direction == "in"
        return [
            Signal(r, widths.get(r, 1), "output" if (r in _MEMORY_SLAVE_OUTPUTS) == slave else "input")
            for r in self.roles()
        ]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        fixed: dict[str, Any] = {
            name: _number(getattr(self, name), params) for name in ("data_width", "address_width", "id_width")
        }
        fixed["users"] = {user: _number(width, params) for user, width in self.users.items()}
        return self.model_copy(update=fixed)


class StatusPort(_Frozen):
    """An output that holds a number, compared with the golden model's at the end of a run."""

    name: str
    width: Width = 32


@dataclass(frozen=True)
class Setting:
    """What a stimulus maker works from.

    Attributes:
        params: parameter values of this build.
        options: the case's options, defaults overridden by the user.
        seed: the only source of randomness.
        inputs: stimulus that the user gave as files, by port.
        clocks: the design's clocks at their usual periods.
        outputs: names of the output stream ports that can be held back.
        wishes: what the user says of the clocks, by name; ``clocks`` has it already.
        relation: number of the :data:`~tb.clocks.RELATIONS` that two clocks are to have; None: drawn.
    """

    params: Mapping[str, Any]
    options: Mapping[str, Any]
    seed: int
    inputs: Mapping[str, Trace] = field(default_factory=dict)
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    wishes: Mapping[str, ClockWish] = field(default_factory=dict)
    relation: int | None = None

    def pattern(self, option: str, salt: int = 0) -> Pattern:
        """The pattern an option names (``random:0.3``), on this run's seed; ``salt`` tells several ports apart."""
        return Pattern.parse(str(self.options[option]), seed=self.seed * 1009 + salt)


StimulusMaker = Callable[[Setting], Sequence[Stimulus]]


@dataclass(frozen=True)
class Findings:
    """A table of what a run has measured beside its ports, for people and for the report.

    Attributes:
        title: what it is.
        columns: names; the first one's cells are names, all others numbers.
        rows: cells as text.
        notes: lines below the table.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a run has computed, as a user wants to have it.

    Attributes:
        subject: what it ran, in a few words: ``network tiny``.
        outputs: arrays that the run keeps, by name.
        facts: further entries of the report, which JSON can hold.
        tables: for people.
    """

    subject: str
    outputs: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[Findings] = ()


class Case(_Frozen):
    """A named way to exercise a design.

    Attributes:
        name: what the user calls it.
        summary: one line.
        make: gives the episodes (each begins with a reset).
        options: what ``--set`` may change, with defaults.
        params: parameter values this case wants in place of the defaults.
        inputs: stimulus from files may replace what the case sends; false where the case's point is its own data.
        registers: the case is about registers alone: a run of it may pass although no stream and no memory moves.
    """

    name: str
    summary: str
    make: StimulusMaker
    options: Mapping[str, Any] = {}
    params: Mapping[str, Any] = {}
    inputs: bool = True
    registers: bool = False


class Design(_Frozen):
    """The one description of a design.

    Attributes:
        name: what the user calls it.
        summary: one line.
        top: top module.
        files: source files relative to ``root``; a file list (``.f``) stands for what it names, relative to itself (``-F``).
        root: folder of the sources.
        include_dirs: folders for ```include``, relative to ``root``.
        library_dirs: folders, relative to ``root``, in which modules that no source file has are looked for by their names.
        defines: macros by name; an empty text defines without a value.
        cxx_flags: switches for the C++ compiler; ``-march=native`` lets loops over lanes become vector instructions.
        flags: further switches for Verilator.
        optimize: the C++ compiler's switch for what Verilator makes; large designs compile long with ``-O3``.
        parameters: of the top module.
        words: names that users know for parameter values: option -> word -> parameters, as ``number`` -> ``int8``.
        clocks: at least one; the first is the one that reset release follows.
        streams, registers, memories, status: the ports.
        waive: protocol rules that the ports may break, as ``RULE`` or ``RULE:PORT``; reports count them.
        ready_bound: cycles that a beat of a stream input may wait for TREADY without a warning; None: any number.
        ties: inputs held at a constant; -1 means all ones.
        ignored: outputs that nobody looks at.
        model: the golden model.
        blurred: the model knows ``Stimulus.blur_ps``: where clock crossings are blurred, cycles are compared with the earliest and
            the latest ones that it predicts; else data and order alone, and the report says so.
        timed: the model predicts cycles and they are compared; else values and order alone, and the report says so.
        ordered: beats are compared in order; else whole frames in any order, and the report says so.
        cycles_per_beat: without ``timed``, how many cycles a beat the design may take on average before what is missing
            counts as lost.
        cases: by name, the first is the default.
        variants: sets of parameter values that lint and tests go through, as differences from the defaults.
        register_model: predicts the answers to the register programs; None where accesses say themselves what to expect.
        findings: parameters, stimulus and record of an episode -> tables of what it has measured beside its ports.
        answer: setting, stimulus and record of an episode -> what it has computed; None where that is of no use to anybody.
    """

    name: str
    summary: str
    top: str
    files: tuple[str, ...]
    root: Path
    include_dirs: tuple[str, ...] = ()
    library_dirs: tuple[str, ...] = ()
    defines: Mapping[str, str] = {}
    cxx_flags: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    optimize: str = "-O3"
    parameters: Mapping[str, Parameter] = {}
    words: Mapping[str, Mapping[str, Mapping[str, Any]]] = {}
    clocks: tuple[ClockPort, ...] = (ClockPort(name="aclk", reset="aresetn"),)
    streams: tuple[StreamPort, ...] = ()
    registers: tuple[LitePort | CsbPort, ...] = ()
    memories: tuple[MemoryPort, ...] = ()
    status: tuple[StatusPort, ...] = ()
    waive: tuple[str, ...] = ()
    ready_bound: int | None = Field(default=None, ge=0)
    ties: Mapping[str, int] = {}
    ignored: tuple[str, ...] = ()
    model: GoldenModel
    blurred: bool = False
    timed: bool = True
    ordered: bool = True
    cycles_per_beat: int = 8
    cases: tuple[Case, ...]
    variants: tuple[Mapping[str, Any], ...] = ({},)
    register_model: Callable[[Mapping[str, Any], Stimulus], Mapping[str, Sequence[tuple[int | None, bool]]]] | None = (
        None
    )
    findings: Callable[[Mapping[str, Any], Stimulus, Any], Sequence[Findings]] | None = None
    answer: Callable[[Setting, Stimulus, Any], Answer | None] | None = None

    def case(self, name: str | None) -> Case:
        """A case by name; None gives the first one."""
        if name is None:
            return self.cases[0]
        for case in self.cases:
            if case.name == name:
                return case
        raise UsageError(f"{self.name} has no case {name!r}; it has: {', '.join(c.name for c in self.cases)}")

    def params(self, case: Case, overrides: Mapping[str, Any]) -> dict[str, Any]:
        """All parameter values of a run: the defaults, the case's and the user's."""
        for name in overrides:
            if name not in self.parameters:
                raise UsageError(f"{self.name} has no parameter {name!r}; it has: {', '.join(self.parameters)}")
        values: dict[str, Any] = {name: p.default for name, p in self.parameters.items()}
        return values | dict(case.params) | dict(overrides)

    def bundles(self, params: Mapping[str, Any]) -> list[StreamPort]:
        """The stream ports with arrays taken apart and widths as numbers."""
        return [lane for port in self.streams for lane in lanes(port, params)]

    def register_ports(self, params: Mapping[str, Any]) -> list[LitePort | CsbPort]:
        """The register ports with arrays taken apart and widths as numbers."""
        return [lane for port in self.registers for lane in lanes(port, params)]

    def memory_ports(self, params: Mapping[str, Any]) -> list[MemoryPort]:
        """The AXI4 ports with arrays taken apart and widths as numbers."""
        return [lane for port in self.memories for lane in lanes(port, params)]

    def status_ports(self, params: Mapping[str, Any]) -> list[StatusPort]:
        """The status outputs with widths as numbers."""
        return [s.model_copy(update={"width": _number(s.width, params)}) for s in self.status]

    def undriven(self) -> dict[str, str]:
        """Inputs that nothing drives in a run, and what holds them; bundles that nothing answers, likewise."""
        found = {name: f"tied to {'all ones' if value == -1 else value}" for name, value in self.ties.items()}
        for register in self.registers:
            if register.direction == "out":
                found[register.name] = "a master that nothing answers"
        for memory in self.memories:
            if memory.direction == "in":
                found[memory.name] = "a slave that nothing drives"
        return found

    @property
    def resettable(self) -> bool:
        """True when some clock has a reset."""
        return any(c.reset is not None for c in self.clocks)

    def _listed(self) -> Sources:
        """What ``files`` names, with what file lists name: paths, include folders and macros."""
        found = Sources()
        for path in (self.root / f for f in self.files):
            found += read_filelist(path, relative=True) if path.suffix == ".f" else Sources((path,))
        # Lists may reach one file by several ways.
        files, folders = ([Path(os.path.normpath(p)) for p in paths] for paths in (found.files, found.include_dirs))
        return Sources(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(folders)), found.defines)

    def sources(self) -> list[Path]:
        """The source files, checked to be there."""
        paths = list(self._listed().files)
        for path in paths:
            if not path.is_file():
                raise UsageError(f"{self.name}: no such source file: {path}")
        return paths

    def include_paths(self) -> list[Path]:
        """The folders for ```include``, checked to be there."""
        return list(dict.fromkeys((*self._folders(self.include_dirs, "include"), *self._listed().include_dirs)))

    def library_paths(self) -> list[Path]:
        """The folders of modules, checked to be there."""
        return self._folders(self.library_dirs, "library")

    def _folders(self, names: Sequence[str], kind: str) -> list[Path]:
        paths = [self.root / d for d in names]
        for path in paths:
            if not path.is_dir():
                raise UsageError(f"{self.name}: no such {kind} folder: {path}")
        return paths

    def included_files(self) -> list[Path]:
        """Every file that an ```include`` or the name of a module may reach, to tell whether anything has changed."""
        return sorted(
            f for path in (*self.include_paths(), *self.library_paths()) for f in path.iterdir() if f.is_file()
        )

    def build_flags(self) -> list[str]:
        """The C++ compiler's switches as Verilator hands them on."""
        return [word for flag in self.cxx_flags for word in ("-CFLAGS", flag)]

    def compile_flags(self) -> list[str]:
        """Include folders, libraries, macros and further switches as Verilator takes them."""
        defines = {**self._listed().defines, **self.defines}
        macros = [f"-D{name}={value}" if value else f"-D{name}" for name, value in defines.items()]
        libraries = [switch for path in self.library_paths() for switch in ("-y", str(path))]
        return [*(f"-I{path}" for path in self.include_paths()), *libraries, *macros, *self.flags]


_AnyBundle = TypeVar("_AnyBundle", bound=Bundle)


def lanes(port: _AnyBundle, params: Mapping[str, Any]) -> list[_AnyBundle]:
    """The bundles of a port, widths as numbers: itself, or those of its array."""
    one = port.resolved(params)
    if port.lanes is None:
        return [one]
    count = _number(port.lanes, params)
    return [one.model_copy(update={"lanes": None, "name": f"{port.name}_{i}"}) for i in range(count)]
