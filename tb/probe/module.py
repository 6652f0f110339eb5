# SPDX-License-Identifier: Apache-2.0
"""A top module as the elaborator saw it, without any of the elaborator's own objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Dimension:
    """One range of a declaration.

    Attributes:
        left, right: its bounds.
        text: as it stands in the source (``DATA_WIDTH-1:0``), empty where it comes from a named type.
    """

    left: int
    right: int
    text: str = ""

    @property
    def size(self) -> int:
        """Number of elements."""
        return abs(self.left - self.right) + 1


@dataclass(frozen=True)
class Port:
    """A port of the top module.

    Attributes:
        name: as the source writes it.
        way: direction.
        width: all its bits.
        packed, unpacked: its dimensions, outermost first.
        refusal: why it cannot be connected as plain bits, None when it can.
        where: ``file:line``.
    """

    name: str
    way: Literal["input", "output", "inout"]
    width: int
    packed: tuple[Dimension, ...] = ()
    unpacked: tuple[Dimension, ...] = ()
    refusal: str | None = None
    where: str = ""


@dataclass(frozen=True)
class TopParameter:
    """A parameter that can be set from outside.

    Attributes:
        name: as the source writes it.
        value: an integer or a text; None for any other kind.
        free: its default depends on no other parameter, or its value was given.
        kind: for people: what it is when it has no value.
    """

    name: str
    value: int | str | None
    free: bool
    kind: str = ""


@dataclass(frozen=True)
class ResetUse:
    """An input found in a clocked block's first decision: which clock, and at which level it resets."""

    clock: str
    reset: str
    active_high: bool
    edge: bool


@dataclass(frozen=True)
class Wiring:
    """Who clocks whom, seen from the top's ports.

    Attributes:
        clocks: inputs whose edges flip-flops follow, most flip-flop blocks first.
        resets: how inputs reset clocked blocks, each use once.
        driven: for every output, the clocks of the flip-flops that it comes from.
        read: for every input, the clocks of the flip-flops that it goes to.
    """

    clocks: tuple[str, ...] = ()
    resets: tuple[ResetUse, ...] = ()
    driven: Mapping[str, frozenset[str]] = field(default_factory=dict)
    read: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Module:
    """A top module.

    Attributes:
        name, ports, parameters, wiring: what the source says.
        warnings: errors of the elaborator that were let pass, with file and line.
    """

    name: str
    ports: Sequence[Port]
    parameters: Sequence[TopParameter]
    wiring: Wiring
    warnings: tuple[str, ...] = ()
