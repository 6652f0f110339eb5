# SPDX-License-Identifier: Apache-2.0
"""What all port classes share: widths, signals, arrays of bundles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.errors import UsageError

Width = int | str

"""A number (of bits, of bundles), or how it follows from parameters: ``DATA_W``, ``8*NLOCK``, ``NS+NM``."""

Layout = Literal["packed", "unpacked", "unpacked_down"]

"""How an array of bundles stands in the design: one vector (``[N-1:0][W-1:0]`` or ``[N*W-1:0]``, bundle 0 lowest),
or an unpacked array ``x [0:N-1]`` or ``x [N-1:0]``."""

_SINGLE = (*("write", "nposted", "wr_complete"), "tvalid", "tready", "tlast", "wlast", "rlast", "awlock", "arlock")


class Frozen(BaseModel):
    """A value of a description: never changed, no keys that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


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


class Bundle(Frozen):
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
    return [one.model_copy(update={"lanes": None, "name": f"{port.name}_{i}"}) for i in range(count)]
