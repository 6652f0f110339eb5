# SPDX-License-Identifier: Apache-2.0
"""Parameters that the host leaves in the scratchpad: cores and transfers see them once the sequence has fetched them.

Source: mlir-aie's lowering of scratchpad parameters. A value has 30 bits: its two lowest bits are lost on the way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.live.agent import Blocked

_BITS = 30
KINDS = ("i8", "i16", "i32", "bf16")


class Scratchpad:
    """The parameters of an array.

    Attributes:
        kinds: types by name.
        ready: the sequence has fetched them.
        wanted: cores or transfers use them, so that a sequence fetches them at its start unless it does so itself.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}
        self.ready = self.wanted = False
        self.table: list[int] = []
        """Words of the state table, as the sequence has fetched them."""
        self._given: dict[str, float] = {}
        self._fetched: dict[str, float] = {}

    def declare(self, name: str, kind: str) -> None:
        """A parameter of type ``i8``, ``i16``, ``i32`` or ``bf16``; 0 as long as nothing is handed in."""
        self.kinds[name] = kind
        self._given[name] = 0

    def give(self, name: str, value: Any) -> None:
        """What the host writes.

        Raises:
            InputError: a value that the parameter cannot hold.
        """
        found = np.asarray(value)
        if found.size != 1 or found.dtype.kind not in "iuf":
            raise InputError(f"{found.size} elements of {found.dtype} for {name}", "one number")
        number = found.item()
        limit = {"i8": 8, "i16": 16}.get(self.kinds[name], _BITS)
        if self.kinds[name] != "bf16" and (number != int(number) or not -(1 << limit - 1) <= number < 1 << limit):
            raise InputError(f"{name} = {number}", f"a whole number of {limit} bits")
        self._given[name] = number

    def fetch(self) -> None:
        """The sequence takes over what the host has written."""
        self._fetched = dict(self._given)
        self.ready = True

    def added(self, index: int, words: tuple[int, int]) -> tuple[int, int]:
        """Two words after the firmware has added an entry of the table to them: 48 bits, the two lowest ones lost.

        Raises:
            UsageError: no such entry.
        """
        if not 0 <= index < len(self.table):
            raise UsageError(f"entry {index} of a scratchpad of {len(self.table)} words")
        total = (words[0] | (words[1] & 0xFFFF) << 32) + self.table[index]
        return total & 0xFFFFFFFC, words[1] & ~0xFFFF | total >> 32 & 0xFFFF

    def wait(self) -> Blocked:
        """What a core that reads parameters waits for at its start."""
        return Blocked("parameters of the scratchpad", lambda: self.ready)

    def value(self, name: str) -> float:
        """A parameter as a core reads it: 30 bits without a sign, or fewer with one.

        Raises:
            UsageError: no such parameter.
        """
        if name not in self.kinds:
            raise UsageError(f"no scratchpad parameter {name}; there are {', '.join(self.kinds) or 'none'}")
        found, kind = self._fetched.get(name, 0), self.kinds[name]
        if kind == "bf16":
            return found
        bits = int(found) & ((1 << _BITS) - 1)
        if kind == "i32":
            return bits
        size = int(kind[1:])
        low = bits & ((1 << size) - 1)
        return low - (1 << size) if low >> (size - 1) else low

    def offset(self, name: str) -> int:
        """A parameter as the number of elements that a transfer's start is moved by.

        Raises:
            UsageError: it was not fetched before.
        """
        if not self.ready:
            raise UsageError(f"a transfer moved by {name}, which the sequence has not fetched")
        return int(self.value(name))
