# SPDX-License-Identifier: Apache-2.0
"""Values, strobes and neighbours that show what a slave mixes up: what walks over registers and storage write and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

_ALL_STROBES = 8
"""Bytes of the widest bus of which every pattern of strobes is tried."""
_ALL_OTHERS = 8
"""Most words of which all others are neighbours."""


def telling_strobes(size: int) -> list[int]:
    """Patterns of strobes for a bus of ``size`` bytes.

    Up to 8 bytes: all. Wider: none, single bytes, runs from either end, and their complements.
    """
    whole = (1 << size) - 1
    if size <= _ALL_STROBES:
        return list(range(whole + 1))
    some = {1 << lane for lane in range(size)} | {(1 << length) - 1 for length in range(size + 1)}
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


def byte_values(rng: np.random.Generator, size: int) -> list[int]:
    """256 words in which each byte has each value once, in an order of its own: no byte is what it was in the word before."""
    columns = np.stack([rng.permutation(256) for _ in range(size)], axis=1).astype(np.uint8)
    return [int.from_bytes(row.tobytes(), "little") for row in columns]


def neighbour_steps(
    rng: np.random.Generator, addresses: Sequence[int], written: Sequence[int], size: int
) -> Iterator[tuple[int, int | None]]:
    """Telling values into some words, their neighbours read behind each; then every value of every byte.

    The neighbours hold random values, then their inverse, so that each of their bits shows a change. A word gets what each of them
    holds, too.

    Args:
        rng: randomness.
        addresses: of all words.
        written: numbers of those that get telling values.
        size: bytes of a word.

    Yields:
        the number of a word, and what is written into it; None: it is read.
    """
    held = [int.from_bytes(rng.bytes(size), "little") for _ in addresses]
    for inverted in (0, (1 << 8 * size) - 1):
        yield from enumerate(value ^ inverted for value in held)
        for n in written:
            read = (n, *neighbours(addresses, n))
            for value in (*telling_values(size), *(held[other] ^ inverted for other in (*read[1:], n))):
                yield n, value
                yield from ((other, None) for other in read)
        yield from ((n, None) for n in range(len(addresses)))
    for n in written:
        for value in byte_values(rng, size):
            yield from ((n, value), (n, None))
        yield from ((other, None) for other in neighbours(addresses, n))


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
