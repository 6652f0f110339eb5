# SPDX-License-Identifier: Apache-2.0
"""A mutant: one small change of one place of the RTL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

OPERATORS = (
    *("arithmetic", "relational", "logical", "bitwise", "shift", "unary", "condition", "constant", "stuck", "reset"),
    *("dropped", "delayed", "select", "case arm"),
)
"""Kinds of change."""


@dataclass(frozen=True)
class MutatedPlace:
    """A piece of a source file.

    Attributes:
        file: which.
        start, end: bytes from, and up to.
        line, column: of its first character, counted from 1.
        text: what stands there.
        depth: of its syntax; what holds another place has less.
        statement: it is a whole statement, not an expression.
    """

    file: Path
    start: int
    end: int
    line: int
    column: int
    text: str
    depth: int
    statement: bool = False


@dataclass(frozen=True)
class LateAssignment:
    """What a non-blocking assignment does that comes one clock cycle late.

    Attributes:
        target: what it assigns to.
        value: what it assigns.
        block: the statement that the clocked block consists of.
    """

    target: str
    value: str
    block: MutatedPlace


@dataclass(frozen=True)
class MutantChange:
    """What one mutant makes of a place.

    Attributes:
        operator: kind of the change, one of :data:`OPERATORS`.
        text: what stands there instead; empty: the statement is left out.
        reached: an expression that is true where the change makes a difference; empty: where the values differ.
        also: another place that changes with it, and what stands there instead.
        late: how a statement is late.
    """

    operator: str
    text: str
    reached: str = ""
    also: tuple[MutatedPlace, str] | None = None
    late: LateAssignment | None = None


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes:
        number: from 1; what selects it in the simulator.
        place: where.
        made: what becomes of it.
    """

    number: int
    place: MutatedPlace
    made: MutantChange

    @property
    def operator(self) -> str:
        """Kind of the change."""
        return self.made.operator

    @property
    def text(self) -> str:
        """What stands there instead; empty: the statement is left out, or late."""
        return self.made.text

    @property
    def change(self) -> str:
        """For people, on one line."""
        other = "(one cycle later)" if self.made.late is not None else shortened(self.text) or "(left out)"
        return f"{shortened(self.place.text)} -> {other}" + (", and the reverse" if self.made.also else "")


def shortened(text: str, most: int = 60) -> str:
    """On one line, its end left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
