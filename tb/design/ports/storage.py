# SPDX-License-Identifier: Apache-2.0
"""Registers that are plain storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from goldbeat.pymodels.register_map import Register
from goldbeat.tb.design.ports.bundle import Frozen, number


class Storage(Frozen):
    """Registers one after the other that hold what was written, and do nothing else: writes and reads of them may overlap.

    Attributes:
        base: address of the first byte.
        words: how many.
        mask: bits of each that it holds; the others read 0.
        strobes: writes of some bytes are stored; else words are written whole.
    """

    base: int = Field(default=0, ge=0)
    words: Annotated[int, Field(ge=1)] | str
    mask: int = Field(default=(1 << 64) - 1, ge=0)
    strobes: bool = True

    def count(self, params: Mapping[str, Any]) -> int:
        """How many words."""
        return number(self.words, params)


def storage_of(registers: Iterable[Register]) -> tuple[Storage, ...]:
    """The registers of a map whose fields all hold what was written and do nothing else, with the bits that they have."""
    return tuple(
        Storage(base=register.address + register.stride * n, words=1, mask=register.held)
        for register in registers
        if all(one.access == "rw" for one in register.fields)
        for n in range(register.entries)
    )
