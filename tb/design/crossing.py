# SPDX-License-Identifier: Apache-2.0
"""Clock domain crossings of a design, as they are found in it (docs/crossings.md)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Crossing:
    """A signal and a clock that is not its own.

    Attributes:
        signal: a register's path from the top module on, or the name of an input.
        clock: the clock on which it is read, an input of the top module.
        copies: registers on that clock that take it as it is: the first flip-flops of synchronisers.
        first: the same, with those that are bits of vectors, as ``sync[0]``.
        used: of these, those that take it in each cycle and whose output goes elsewhere than into one more flip-flop.
        beside: of the first, those that take one value in each cycle beside another one: they may see it in different cycles.
        behind_logic: registers that take it through logic in each cycle, and whose output goes into one more flip-flop alone.
    """

    signal: str
    clock: str
    copies: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    behind_logic: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
