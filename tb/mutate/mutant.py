# SPDX-License-Identifier: Apache-2.0
"""A mutant: one small change of one place of the RTL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
class Mutant:
    """One change.

    Attributes:
        number: from 1; what selects it in the simulator.
        place: where.
        operator: kind of the change: ``arithmetic``, ``relational``, ``logical``, ``bitwise``, ``shift``, ``unary``, ``condition``,
            ``constant``, ``stuck``, ``reset``, ``dropped``, ``case arm``.
        text: what stands there instead; empty: the statement is left out.
    """

    number: int
    place: MutatedPlace
    operator: str
    text: str

    @property
    def change(self) -> str:
        """For people, on one line."""
        return f"{shortened(self.place.text)} -> {shortened(self.text) or '(left out)'}"


def shortened(text: str, most: int = 60) -> str:
    """On one line, its end left out where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."
