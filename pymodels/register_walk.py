# SPDX-License-Identifier: Apache-2.0
"""Walks over registers that are plain storage: programs whose accesses may overlap, and every value that they read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.axi.attributes import AttributeDraw
from goldbeat.pymodels.stimulus import Access

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
    lanes = (1 << size) - 1
    held: dict[int, int] = {}
    program: list[Access] = []

    def write(word: Word, strobe: int) -> None:
        value = int.from_bytes(rng.bytes(size), "little")
        bits = sum(0xFF << 8 * lane for lane in range(size) if strobe >> lane & 1)
        held[word.address] = (held.get(word.address, 0) & ~bits | value & bits) & word.mask
        posted = posts and rng.random() < 0.5
        program.append(Access("post" if posted else "write", word.address, value, strobe))

    for n in rng.permutation(len(words)).tolist():
        write(words[n], lanes)
    at = 0
    for _ in range(accesses):
        at = (at + 1) % len(words) if rng.random() < 0.5 else int(rng.integers(len(words)))
        if rng.random() < 0.5:
            program.append(Access("read", words[at].address, held[words[at].address]))
        else:
            whole = not words[at].strobes or rng.random() < _WHOLE
            write(words[at], lanes if whole else int(rng.integers(lanes + 1)))
    return program + [Access("read", words[n].address, held[words[n].address]) for n in rng.permutation(len(words))]


def protected(program: Sequence[Access], draw: AttributeDraw) -> tuple[Access, ...]:
    """The accesses with the protection that is drawn for their addresses."""
    kinds = np.array([access.kind or 0 for access in program], np.uint8)
    drawn = draw.columns(kinds, np.array([access.address for access in program], np.uint64))["prot"].tolist()
    return tuple(
        access if access.kind is None else replace(access, prot=prot)
        for access, prot in zip(program, drawn, strict=True)
    )
