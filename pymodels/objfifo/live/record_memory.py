# SPDX-License-Identifier: Apache-2.0
"""The words of a tile that descriptors use, packed into an engine's memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable

from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import Descriptor

BLOCK_WORDS = 64
"""Blocks begin and end at multiples of it, so that every word keeps its bank (npu1.md, Memory: 16 banks of 4 words)."""


class PackedWords:
    """Where a tile's words are in the engine's memory.

    Args:
        descriptors: all that walk it.

    Attributes:
        words: how many the engine needs.
    """

    def __init__(self, descriptors: Iterable[Descriptor]) -> None:
        ranges = sorted({_reach(d) for d in descriptors})
        blocks: list[list[int]] = []
        for low, high in ranges:
            if blocks and low <= blocks[-1][1]:
                blocks[-1][1] = max(blocks[-1][1], high)
            else:
                blocks.append([low, high])
        self._firsts = [low for low, _ in blocks]
        self._shifts: list[int] = []
        self.words = 0
        for low, high in blocks:
            self._shifts.append(self.words - low)
            self.words += high - low

    def place(self, address: int) -> int:
        """Where a word is."""
        return address + self._shifts[bisect_right(self._firsts, address) - 1]


def _reach(one: Descriptor) -> tuple[int, int]:
    """First block and the one behind the last, in words."""
    at = descriptor_addresses(one)
    at = at[at >= 0]
    low, high = int(at.min()), int(at.max()) + (one.iteration_size - 1) * one.iteration_step
    return low // BLOCK_WORDS * BLOCK_WORDS, (high // BLOCK_WORDS + 1) * BLOCK_WORDS
