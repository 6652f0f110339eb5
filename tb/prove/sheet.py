# SPDX-License-Identifier: Apache-2.0
"""The sheet that the SystemVerilog of a proof is written on: free inputs, registers, properties and what they need to occur."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

RESET_CYCLES = 6
"""Cycles of the reset at the start: more than the checkers' bound for a valid that must be low (4 edges)."""
TOP = "prover"
BEYOND = "prover_beyond"
"""An input that is high where a trace is not looked at because of a large memory."""
CAPACITY = "capacity"
"""Begin of the names of properties that others rely on: counters of what is in flight do not reach their ends."""

OF_MODEL = frozenset(
    {
        "order",
        "nothing_extra",
        "delivered",
        "whole_frames",
        "packed",
        "axis_valid_waits",
        "storage",
        "no_error",
        "errors",
        "memory_bit",
        "memory_write",
        "attributes",
        "errors_pass",
        "error_code",
    }
)
"""First words of the names of properties that a ready-made model asks for, and no rule or assertion."""


def any_of(parts: Iterable[str]) -> str:
    """An expression that is high where one of some is; low of none."""
    return "(" + (" | ".join(parts) or "1'b0") + ")"


@dataclass(frozen=True)
class Property:
    """Something that must hold in every cycle.

    Attributes:
        name: rule and port (``axis_valid_held m_axis``), or what holds (``order m_axis``).
        text: what is claimed, for people.
        violated: SystemVerilog expression that is high in a cycle that breaks it.
        occurs: expression that is high where it is put to the test; empty: in every cycle.
        counted: it rests on counters of what is in flight.
        width: bits of :attr:`violated`, each of which is proven by itself.
    """

    name: str
    text: str
    violated: str
    occurs: str = ""
    counted: bool = False
    width: int = 1


@dataclass(frozen=True)
class Followed:
    """Names of the registers that follow a beat: whether there is one, how many are ahead, its value, how many are in flight.

    Attributes:
        marked, ahead, kept, flight: their names.
        waits: of the flag that the source still offers the last one in flight.
    """

    marked: str
    ahead: str
    kept: str
    flight: str
    waits: str


@dataclass
class Sheet:
    """What is written so far.

    Attributes:
        clock: name of the clock.
        inputs: free inputs: name and width.
        lines: declarations and statements.
        properties: in order.
        limits: expressions that are high in cycles that are not considered, and what is assumed by that.
        assumed: what else the bench's side does, for people.
        unproven: rule and port -> why there is no property.
        excused: likewise, of rules that ask nothing of the design here.
        fitted: widths of counters of what is in flight, by name, as a simulation has found them to be enough.
        counters: those that there are, and their widths.
        followed: registers that follow a beat.
        guessed: names of properties that a sound design may break: the module may turn requests into others.
        memory: the bench answers reads of one bit as it was written, so that it can be followed.
    """

    clock: str
    fitted: Mapping[str, int] = field(default_factory=dict)
    inputs: dict[str, int] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    limits: dict[str, str] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    unproven: dict[str, str] = field(default_factory=dict)
    excused: dict[str, str] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    followed: list[Followed] = field(default_factory=list)
    guessed: set[str] = field(default_factory=set)
    memory: bool = False

    def free(self, name: str, width: int = 1) -> str:
        """An input that may have any value in every cycle."""
        self.inputs[name] = width
        return name

    def remembered(self, data: str, free: str) -> str:
        """Read data of the bench's memory: the bit that is followed is as it was written, all else is any."""
        mask = f"{data}_mask"
        return f"({free} & ~{mask}) | (tracked_memory ? {mask} : '0)" if self.memory else free

    def wire(self, name: str, expression: str, width: int = 1) -> str:
        """A wire with an expression."""
        self.lines.append(f"  wire {vector(width)}{name} = {expression};")
        return name

    def net(self, name: str, width: int = 1) -> str:
        """A wire that something else drives."""
        self.lines.append(f"  wire {vector(width)}{name};")
        return name

    def register(self, name: str, following: str, width: int = 1) -> str:
        """A register that is 0 at the start and takes the expression at every clock edge."""
        self.lines.append(f"  logic {vector(width)}{name} = '0;")
        self.lines.append(f"  always_ff @(posedge {self.clock}) {name} <= {following};")
        return name

    def constant(self, name: str, width: int = 1) -> str:
        """A value that is any, and the same in all cycles."""
        self.free(f"{name}_any", width)
        self.register(name, f"prover_cycle == 0 ? {name}_any : {name}", width)
        return name

    def check(
        self, name: str, text: str, violated: str, occurs: str = "", *, counted: bool = False, width: int = 1
    ) -> None:
        """Add a property."""
        self.properties.append(Property(name, text, violated, occurs, counted, width))

    def flight(self, name: str, up: str, down: str, width: int, what: str) -> int:
        """A counter of what is in flight, and the property that it is wide enough; its width."""
        width = self.counters[name] = self.fitted.get(name, width)
        self.register(name, f"prover_live ? {name} + ({up}) - ({down}) : '0", width)
        self.check(
            f"{CAPACITY} {name.removesuffix('_flight')}",
            f"at most {(1 << width) - 2} {what} are in flight",
            f"&{name}",
        )
        return width

    def leave(
        self, bus: str, port: str, rules: Iterable[str], reasons: Mapping[str, str], excused: Mapping[str, str]
    ) -> None:
        """Say why rules of a bus have no property, or need none."""
        for rule in rules:
            if rule in excused:
                self.excused[f"{bus}_{rule} {port}"] = excused[rule]
            elif rule in reasons:
                self.unproven[f"{bus}_{rule} {port}"] = reasons[rule]

    def limit(self, excluded: str, assumed: str) -> None:
        """Consider only traces in which an expression is low up to now."""
        self.limits[excluded] = assumed


def vector(width: int) -> str:
    """The range of a vector, as its declaration has it."""
    return f"[{width - 1}:0] "
