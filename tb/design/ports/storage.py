# SPDX-License-Identifier: Apache-2.0
"""Registers that are plain storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.register_map import Register
from goldbeat.tb.design.ports.bundle import Frozen, number


class Storage(Frozen):
    """Registers one after the other that hold what was written, and do nothing else: writes and reads of them may overlap.

    Attributes:
        base: address of the first byte.
        words: how many.
        mask: bits of each that it holds; the others read 0. None: all.
        strobes: writes of some bytes are stored; else words are written whole.
    """

    base: int = Field(default=0, ge=0)
    words: Annotated[int, Field(ge=1)] | str
    mask: int | None = Field(default=None, ge=1)
    strobes: bool = True

    def count(self, params: Mapping[str, Any]) -> int:
        """How many words."""
        return number(self.words, params)


def check_storage(name: str, blocks: Sequence[Storage], size: int, space: int, params: Mapping[str, Any]) -> None:
    """Refuse storage that no bus of this width has.

    Args:
        name: of the port.
        blocks: all that it lists.
        size: bytes of a word of the bus.
        space: bytes that its addresses reach.
        params: parameter values.

    Raises:
        UsageError: a base within a word, a mask wider than a word, words beyond the addresses, or words that are listed twice.
    """
    ends: dict[int, int] = {}
    for n, block in sorted(enumerate(blocks), key=lambda one: one[1].base):
        end = block.base + size * block.count(params)
        before = max(ends, default=0)
        if block.base % size:
            found = f"base = 0x{block.base:x}, expected a multiple of {size}: a word of the bus has {size} bytes"
        elif block.mask is not None and block.mask >> 8 * size:
            found = f"mask = 0x{block.mask:x}, expected at most {8 * size} bits, those of a word of the bus"
        elif end > space:
            found = (
                f"words up to 0x{end - size:x}, expected addresses below 0x{space:x}, all that address_width reaches"
            )
        elif block.base < before:
            found = f"a word at 0x{block.base:x}, expected none that storage[{ends[before]}] lists as well"
        else:
            ends[end] = n
            continue
        raise UsageError(f"registers {name}: storage[{n}]: found {found}")


def storage_of(registers: Iterable[Register]) -> tuple[Storage, ...]:
    """The registers of a map whose fields all hold what was written and do nothing else, with the bits that they have."""
    return tuple(
        Storage(base=register.address + register.stride * n, words=1, mask=register.held)
        for register in registers
        if all(one.access == "rw" for one in register.fields)
        for n in range(register.entries)
    )
