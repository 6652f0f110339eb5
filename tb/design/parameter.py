# SPDX-License-Identifier: Apache-2.0
"""Parameters and clocks of a top module."""

from __future__ import annotations

from pydantic import Field

from goldbeat.tb.design.ports.bundle import Frozen


class Parameter(Frozen):
    """Set a parameter of the top module.

    Attributes:
        default: an integer, a text, or a tuple of integers for a packed array of ``bits``-wide elements, element 0 lowest.
        bits: element width of a packed array; None for anything else.
        enum: the enum that it is of, by the name that any module can use (``my_pkg::mode_e``); None: it is none.
    """

    default: int | str | tuple[int, ...]
    bits: int | None = None
    enum: str | None = Field(default=None, pattern=r"^[A-Za-z_$][\w$]*(::[A-Za-z_][\w$]*)*$")


class ClockPort(Frozen):
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
