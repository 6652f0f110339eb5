# SPDX-License-Identifier: Apache-2.0
"""What all port classes share: widths, signals, arrays of bundles, and how a class says who drives it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from goldbeat.pymodels.buses import Bus
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.payload import Payload
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, Width, Wires
from goldbeat.tb.design.user_code import load_class

_NOT = "!"

Layout = Literal["packed", "unpacked", "unpacked_down"]

"""How an array of bundles stands in the design: one vector (``[N-1:0][W-1:0]`` or ``[N*W-1:0]``, bundle 0 lowest),
or an unpacked array ``x [0:N-1]`` or ``x [N-1:0]``."""


class Frozen(BaseModel):
    """A value of a description: never changed, no keys that it does not know."""

    # Validators are made when the first value is: a process needs those of few buses.
    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)


@dataclass(frozen=True)
class Signal:
    """One signal of a bundle, seen from the design.

    Attributes:
        name: its role, in lower case without prefix (``tdata``, ``awaddr``).
        width: in bits.
        way: ``input`` or ``output``.
        scalar: a single bit on every such bus, as handshakes are; the others are vectors even when one bit wide.
    """

    name: str
    width: int
    way: Literal["input", "output"]
    scalar: bool = False


class Bundle(Frozen):
    """A bundle of a design's ports on one bus. Each bus is one class, and everything that is known of the bus is there.

    What drives a bundle inside the simulator is named by its import path (``package.module:Class``, or ``file.py:Class`` beside a
    plug-in's file), since a description must not import a simulator. docs/new-bus.md shows a bus from its signals to its verdict.

    Attributes:
        spec: the bus: its signals and its rules.
        native: what drives a bundle natively, by the bundle's direction; no entry: nothing does.
        monitor: what watches its rules natively; None: nothing beside what drives it.
        reference: what drives it in the reference back end, likewise by direction.
        withheld: requests of a master that a memory answers: valid, ready, and what the memory's timing calls the pattern of the
            ready.
        namings: how the signals of such a bundle are called, for ``goldbeat probe``.
        plug_in: the file that the class was loaded from, which no import path reaches; None: a module.
        name: name of the port, a Verilog identifier. Signals of the harness are ``name_role``, files ``name.trace``.
        bus: name of the bus, or ``file.py:Class``.
        clock: name of its clock.
        direction: ``in``: the design is sink or slave; ``out``: it is source or master.
        lanes: number of bundles of an array, or the parameter that gives it; they are named ``name_0``, ``name_1``...
        layout: layout of such an array.
        signals: the design's port by role; signals that are not listed are treated as absent. ``!port``: a port with the other
            level, as FULL is of TREADY. None: all usual roles, named ``name_role``.
        addresses_of: the signal of the addresses of reads, and of those of writes, on buses that have such.
        read_data: the signal of read data.
        strobes_of: the signal that says which bytes a write has.
        responses_of: the signal of the response to reads, and of that to writes, on buses that have such.
        refusals: the responses that refuse an access, as AXI numbers them.
        ends_at: the signal at which a master may end its bus cycle, and drop what is open; empty: it has to wait for all answers.
        payload: what the bench drives on its payload while valid is low; None: random values.
    """

    spec: ClassVar[Bus]
    native: ClassVar[Mapping[str, str]] = {}
    monitor: ClassVar[str | None] = None
    reference: ClassVar[Mapping[str, str]] = {}
    withheld: ClassVar[tuple[tuple[str, str, str], ...]] = ()
    namings: ClassVar[tuple[Naming, ...]] = ()
    plug_in: ClassVar[Path | None] = None
    addresses_of: ClassVar[tuple[str, ...]] = ()
    read_data: ClassVar[str] = ""
    strobes_of: ClassVar[str] = ""
    responses_of: ClassVar[tuple[str, ...]] = ()
    refusals: ClassVar[tuple[int, ...]] = ()
    ends_at: ClassVar[str] = ""

    name: str = Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    bus: str = ""
    clock: str = "aclk"
    direction: Literal["in", "out"] = "in"
    lanes: Width | None = None
    layout: Layout = "packed"
    signals: Mapping[str, str] | None = None
    payload: Payload | None = None
    _lane: int | None = PrivateAttr(default=None)
    """Of a bundle that was taken out of an array: its number."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        unknown = [r for r in self.signals or () if r not in self.spec.roles]
        if unknown:
            raise ValueError(f"signals: unknown role {unknown[0]!r}; known: {', '.join(self.spec.roles)}")
        single = [one.name for one in self.spec.signals if one.width == 1 and self.lanes is None]
        wide = [role for role in self.signals or () if self.inverts(role) and role not in single]
        if wide:
            raise ValueError(f"signals: {wide[0]} cannot be inverted: it is no single bit")
        return self

    def usual(self) -> Iterable[str]:
        """The roles that are there unless ``signals`` says otherwise."""
        return self.spec.roles

    def roles(self) -> tuple[str, ...]:
        """The signals that are there, in the order of the bus."""
        there = frozenset(self.usual() if self.signals is None else self.signals)
        return tuple(role for role in self.spec.roles if role in there)

    def has(self, role: str) -> bool:
        """Whether a signal is there."""
        return role in self.roles()

    def pin(self, role: str) -> str:
        """The design's name of a signal."""
        return f"{self.name}_{role}" if self.signals is None else self.signals[role].removeprefix(_NOT)

    def place(self, role: str) -> str:
        """The design's name of a signal, in an array with the number of the bundle."""
        return self.pin(role) if self._lane is None or self.signals is None else f"{self.pin(role)}[{self._lane}]"

    def inverts(self, role: str) -> bool:
        """Whether the design's signal has the other level."""
        return self.signals is not None and self.signals.get(role, "").startswith(_NOT)

    def harness(self) -> dict[str, str]:
        """The harness's ports by role."""
        return {role: f"{self.name}_{role}" for role in self.roles()}

    def pins(self) -> Mapping[str, str]:
        """The harness's nets by the design's ports; for a bundle whose widths are numbers already, or an array of them."""
        return {self.pin(role): self.net(role) for role in self.roles()}

    def net(self, role: str) -> str:
        """The harness's net that a signal of the design is connected to."""
        return f"{self.name}_{role}{'_inside' if self.level(role) != f'{self.name}_{role}' else ''}"

    def level(self, role: str) -> str:
        """What the design sees of an input, or the harness of an output, as SystemVerilog."""
        outward = self.inverts(role) and (role in self.spec.from_slave) == (self.direction == "in")
        return f"{'~' * self.inverts(role)}{self.name}_{role}{'_inside' * outward}"

    def glue(self) -> Iterator[tuple[str, str, str]]:
        """Nets that are neither the harness's ports nor the design's: the net, and which signal is assigned what because of it."""
        for role in self.roles():
            if (net := self.net(role)) != (port := f"{self.name}_{role}"):
                outward = (role in self.spec.from_slave) == (self.direction == "in")
                yield net, port if outward else net, self.level(role)

    def kept(self, others: Iterable[Bundle]) -> Iterator[tuple[str, str, str]]:
        """Registers that the harness has for it: the name of each, what sets it and what clears it.

        Args:
            others: all bundles of the design.
        """
        yield from ()

    def constants(self) -> Mapping[str, int]:
        """Nets of the harness that nothing of the design drives, and what they are."""
        return {}

    def widths(self) -> Mapping[str, int]:
        """Bits by what the bus's signals call their widths; for a bundle whose widths are numbers already."""
        return {}

    def wires(self) -> list[Signal]:
        """The signals that are there; for a bundle whose widths are numbers already (:meth:`Design.bundles`)."""
        there, widths, answers = self.roles(), self.widths(), self.direction == "in"
        return [
            Signal(
                one.name,
                one.width if isinstance(one.width, int) else widths[one.width],
                "output" if one.from_slave == answers else "input",
                one.width == 1,
            )
            for one in self.spec.signals
            if one.name in there
        ]

    @property
    def address_bits(self) -> int:
        """Bits of a byte address; for a bundle whose widths are numbers already."""
        return self.widths()["address_width"]

    def resolved(self, params: Mapping[str, Any]) -> Self:
        """The same with widths as numbers."""
        raise NotImplementedError

    def native_options(self) -> dict[str, Any]:
        """Arguments for what drives it natively, beyond kernel, name, clock and signals."""
        return {}

    def monitor_options(self) -> dict[str, Any]:
        """Likewise for what watches it."""
        return {}

    def paths(self) -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
        """Which outputs must not follow which inputs within a cycle: rule, inputs, outputs, by role."""
        return ()

    def attribute(self, kind: int, name: str) -> str:
        """The role of an attribute (``prot``, ``cache``...) of reads, 0, or writes, 1; empty: the bus has none."""
        return ""

    def answers(self, kind: int) -> bool:
        """Whether it says of reads, 0, or writes, 1, that they were refused."""
        return bool(self.responses_of) and self.has(self.responses_of[kind])

    @classmethod
    def recognise(cls, wires: Wires) -> Bundle | None:
        """The bundle that a top module's ports are; None: they are of another bus with such names.

        Raises:
            NotABundleError: they look like one and cannot be driven as one.
        """
        raise NotABundleError(f"{cls.spec.title} is not recognised")

    def shape(self, bits: Callable[[Width], str]) -> str:
        """Its widths for people, one bundle's; ``bits`` shows a width."""
        raise NotImplementedError

    @property
    def side(self) -> str:
        """What the design is on it, for people."""
        return "slave" if self.direction == "in" else "master"

    def __reduce__(self) -> Any:
        """Bundles go to the simulator, which knows no module of a plug-in: it loads the class by its file."""
        if self.plug_in is None:
            return super().__reduce__()
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        return _again, (self.plug_in, type(self).__name__, fields)


def _again(file: Path, name: str, fields: Mapping[str, Any]) -> Any:
    return load_class(file, name)(**fields)


def number(width: Width, params: Mapping[str, Any]) -> int:
    """A width as a number.

    Raises:
        UsageError: it names no parameter.
    """
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


def named(prefix: str, *roles: str) -> dict[str, str]:
    """The signals of a bundle that has just these roles, called after ``prefix``."""
    return {role: f"{prefix}_{role}" for role in roles}


class StatusPort(Frozen):
    """An output that holds a number, compared with the golden model's at the end of a run."""

    name: str
    width: Width = 32


_AnyBundle = TypeVar("_AnyBundle", bound=Bundle)


def lanes(port: _AnyBundle, params: Mapping[str, Any]) -> list[_AnyBundle]:
    """The bundles of a port, widths as numbers: itself, or those of its array."""
    one = port.resolved(params)
    if port.lanes is None:
        return [one]
    count = number(port.lanes, params)
    found = [one.model_copy(update={"lanes": None, "name": f"{port.name}_{i}"}) for i in range(count)]
    for i, lane in enumerate(found):
        lane._lane = i
    return found


_MOST_KNOWN = 256
_known: dict[Any, tuple[Any, list[Any]]] = {}


def all_lanes(ports: tuple[_AnyBundle, ...], params: Mapping[str, Any]) -> list[_AnyBundle]:
    """The lanes of all these ports. A run asks for the same a dozen times per seed, so they are kept."""
    key = id(ports), tuple(params.items())
    try:
        known = _known.get(key)
    except TypeError:
        # A value without a hash.
        return [lane for port in ports for lane in lanes(port, params)]
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        # The ports are kept as well: no others get their id.
        known = _known[key] = ports, [lane for port in ports for lane in lanes(port, params)]
    return list(known[1])
