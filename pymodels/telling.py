# SPDX-License-Identifier: Apache-2.0
"""Values, strobes and neighbours that show what a slave mixes up: what walks over registers and storage write and read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_ALL_STROBES, _ALL_PAIRS = 4, 8
"""Bytes of the widest bus of which every pattern of strobes is tried, and of the widest one with every pair and run."""
_ALL_OTHERS = 8
"""Most words of which all others are neighbours."""


def telling_strobes(size: int) -> list[int]:
    """Patterns of strobes for a bus of ``size`` bytes.

    Up to 4 bytes: all. Up to 8: none, each pair, each run of bytes, and their complements. Wider: single bytes, runs
    from either end, and their complements.
    """
    whole = (1 << size) - 1
    if size <= _ALL_STROBES:
        return list(range(whole + 1))
    some = {1 << lane for lane in range(size)} | {(1 << length) - 1 for length in range(size + 1)}
    if size <= _ALL_PAIRS:
        some |= {1 << one | 1 << other for one in range(size) for other in range(one)}
        some |= {(1 << end) - (1 << begin) for end in range(size + 1) for begin in range(end)}
    return sorted(some | {whole ^ pattern for pattern in some})


class StrobeDeck:
    """Draws the patterns of :func:`telling_strobes`: all of them, in random order, before any comes again.

    Args:
        rng: randomness.
        size: bytes of the bus.
    """

    def __init__(self, rng: np.random.Generator, size: int) -> None:
        self._rng, self._all, self._left = rng, telling_strobes(size), list[int]()

    def draw(self) -> int:
        """The next pattern."""
        if not self._left:
            self._left = [self._all[n] for n in self._rng.permutation(len(self._all))]
        return self._left.pop()


def telling_values(size: int) -> list[int]:
    """All zeros, all ones, ones in each nibble alone, and zeros in each alone."""
    ones = (1 << 8 * size) - 1
    nibbles = [0xF << shift for shift in range(0, 8 * size, 4)]
    return [0, ones, *nibbles, *(ones ^ nibble for nibble in nibbles)]


def unlike(value: int, held: int, mask: int, size: int) -> int:
    """A value, changed so that no byte is what a word holds in the bits of its mask."""
    for lane in range(size):
        bits = 0xFF << 8 * lane & mask
        if not (value ^ held) & bits:
            value ^= bits
    return value


def neighbours(addresses: Sequence[int], of: int) -> list[int]:
    """Which of some words are read behind a write of one: all others of a few, those one address bit away of many.

    Args:
        addresses: of the words.
        of: number of the one.

    Returns:
        Their numbers.
    """
    few = len(addresses) <= _ALL_OTHERS
    return [n for n, address in enumerate(addresses) if n != of and (few or (address ^ addresses[of]).bit_count() == 1)]
