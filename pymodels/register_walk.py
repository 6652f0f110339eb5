# SPDX-License-Identifier: Apache-2.0
"""Walks over registers that are plain storage: programs whose accesses may overlap, and every value that they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.axi.attributes import AttributeDraw
from goldbeat.pymodels.stimulus import Access, strobed_bits
from goldbeat.pymodels.telling import StrobeDeck, neighbour_steps, telling_strobes, unlike

_WHOLE = 0.3
"""Share of the writes of whole words."""


@dataclass(frozen=True)
class Word:
    """A register that holds what was written, and does nothing else.

    Attributes:
        address: byte address.
        mask: bits that it holds; the others read 0.
        strobes: writes of some bytes, or of none, are made next to those of the whole word.
    """

    address: int
    mask: int
    strobes: bool = True


class _Walk:
    """A program on some words, as it is made.

    Args:
        words: the registers.
        size: bytes of the bus, those of a word.
    """

    def __init__(self, words: Sequence[Word], size: int) -> None:
        self.words, self.size, self.lanes = words, size, (1 << size) - 1
        self.held = [0] * len(words)
        self.program: list[Access] = []

    def write(self, at: int, value: int, strobe: int | None = None, op: str = "write") -> None:
        """Write a word, or the bytes of ``strobe``."""
        used = self.lanes if strobe is None else strobe
        bits = strobed_bits(used, self.size)
        self.held[at] = (self.held[at] & ~bits | value & bits) & self.words[at].mask
        self.program.append(Access(op, self.words[at].address, value, used))

    def write_some(self, at: int, value: int, strobe: int, op: str = "write") -> None:
        """Write the bytes of ``strobe``; no byte of the data is what the word holds."""
        self.write(at, unlike(value, self.held[at], self.words[at].mask, self.size), strobe, op)

    def read(self, at: int) -> None:
        """Read a word."""
        self.program.append(Access("read", self.words[at].address, self.held[at]))


def storage_walk(
    rng: np.random.Generator, words: Sequence[Word], size: int, accesses: int, *, posts: bool = False
) -> list[Access]:
    """Write every word, write and read at random, and read every word at the end.

    Neighbours follow one another often, and so do a write and reads of other words: what a slave mixes up is near by.

    Args:
        rng: randomness.
        words: the registers.
        size: bytes of the bus, those of a word.
        accesses: between the first writes and the last reads.
        posts: some writes are posted.
    """
    walk, deck = _Walk(words, size), StrobeDeck(rng, size)

    def drawn() -> tuple[int, str]:
        value = int.from_bytes(rng.bytes(size), "little")
        return value, "post" if posts and rng.random() < 0.5 else "write"

    for n in rng.permutation(len(words)).tolist():
        value, op = drawn()
        walk.write(n, value, op=op)
    at = 0
    for _ in range(accesses):
        at = (at + 1) % len(words) if rng.random() < 0.5 else int(rng.integers(len(words)))
        if rng.random() < 0.5:
            walk.read(at)
            continue
        value, op = drawn()
        if not words[at].strobes or rng.random() < _WHOLE:
            walk.write(at, value, op=op)
        else:
            walk.write_some(at, value, deck.draw(), op)
    for n in rng.permutation(len(words)).tolist():
        walk.read(n)
    return walk.program


def telling_walk(rng: np.random.Generator, words: Sequence[Word], size: int) -> list[Access]:
    """Write each word with telling values and read its neighbours behind each, then all byte values, then all strobes.

    For accesses one at a time.

    Args:
        rng: randomness.
        words: the registers.
        size: bytes of the bus, those of a word.
    """
    walk = _Walk(words, size)
    order = rng.permutation(len(words)).tolist()
    for n, value in neighbour_steps(rng, [word.address for word in words], order, size):
        if value is None:
            walk.read(n)
        else:
            walk.write(n, value)
    for n in rng.permutation(len(words)).tolist():
        for strobe in rng.permutation(telling_strobes(size)).tolist() if words[n].strobes else ():
            walk.write_some(n, int.from_bytes(rng.bytes(size), "little"), strobe)
            walk.read(n)
    return walk.program


def protected(program: Sequence[Access], draw: AttributeDraw) -> tuple[Access, ...]:
    """The accesses with the protection that is drawn for their addresses."""
    kinds = np.array([access.kind or 0 for access in program], np.uint8)
    drawn = draw.columns(kinds, np.array([access.address for access in program], np.uint64))["prot"].tolist()
    return tuple(
        access if access.kind is None else replace(access, prot=prot)
        for access, prot in zip(program, drawn, strict=True)
    )
