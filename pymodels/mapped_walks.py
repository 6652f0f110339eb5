# SPDX-License-Identifier: Apache-2.0
"""Register programs that check a register file against its map, one concern each; every one begins after a reset."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from goldbeat.pymodels.mapped_registers import MappedFile, MappedWord
from goldbeat.pymodels.stimulus import Access
from goldbeat.pymodels.telling import neighbour_steps, telling_strobes, unlike

_LOOKED_AT = 16
"""Most other registers that are read behind the writes of one."""
_MOST_UNMAPPED = 192
_MOST_TOLD_APART = 64
"""Most registers that are written with telling values."""

Walk = Callable[[MappedFile, np.random.Generator, int], Iterator[Access]]
"""registers after reset, randomness, address bits -> a program."""


def mapped_program(file: MappedFile, walk: Walk, rng: np.random.Generator, address_bits: int) -> tuple[Access, ...]:
    """The accesses of a walk, with what must come of each."""
    return tuple(walk(file, rng, address_bits))


def reset_values(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Every register read, twice: values after reset, reserved bits, effects of reads; in another order the second time."""
    words = _plain(file)
    yield from _reads(file, words)
    yield from _reads(file, [words[n] for n in rng.permutation(len(words))])


def bit_bash(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Walking ones and zeros through every register, and others read behind: what its accesses do, and what they must not."""
    words = _plain(file)
    bits, top = 8 * file.size, (1 << 8 * file.size) - 1
    for word in words:
        for value in chain((0, top), *((1 << n, top ^ 1 << n) for n in range(bits)), (top, 0)):
            yield from (*file.write(word.address, value), *file.read(word.address))
            if value == top and not word.writable:
                break
        yield from file.write(word.address, int.from_bytes(rng.bytes(file.size), "little"))
        yield from _reads(file, _others(words, word, rng))
    yield from _reads(file, words)


def own_values(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Every register written with a value of its own, then all read, three times: two that share storage are found."""
    words = _plain(file)
    for _ in range(3):
        for n in rng.permutation(len(words)).tolist():
            yield from file.write(words[n].address, int.from_bytes(rng.bytes(file.size), "little"))
        yield from _reads(file, words)


def neighbour_values(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Registers written with all zeros, all ones and such nibbles, their neighbours read behind each; then with all byte values."""
    words = _plain(file)
    written = [n for n in rng.permutation(len(words)).tolist() if words[n].writable][:_MOST_TOLD_APART]
    for n, value in neighbour_steps(rng, [word.address for word in words], written, file.size):
        at = words[n].address
        yield from file.read(at) if value is None else file.write(at, value)


def byte_strobes(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Writes of some bytes, and of none: each register with every telling pattern."""
    whole = (1 << file.size) - 1
    words = [
        word
        for word in _plain(file)
        # Whether a write of one byte clears, sets or pulses all is not the map's to say.
        if not any(one.pulse or one.on_write in ("wclr", "wset") for one in word.bits if one.writable)
    ]
    for word in words:
        partial = [strobe for strobe in telling_strobes(file.size) if strobe != whole]
        for strobe in partial if word.writable else [int(rng.integers(1, whole))]:
            value = int.from_bytes(rng.bytes(file.size), "little")
            stored = sum(one.mask for one in word.bits if one.writable)
            made = file.write(word.address, unlike(value, file.held(word.address), stored, file.size), strobe)
            yield from (*made, *(file.read(word.address) if made else ()))


def no_registers(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Addresses without a register, all if they are few, else beside each one and with one or two address bits turned.

    Then all registers are read.
    """
    there = {word.address for word in file.words}
    space = 1 << address_bits
    near = {a + d for a in there for d in (-file.size, file.size)}
    bits = range(2, address_bits)
    turned = {1 << one | 1 << other for one in bits for other in bits}
    far = {a ^ turn for a in list(there)[:: max(1, len(there) // 8)] for turn in turned}
    gaps = sorted(
        a for a in near | far | {space - file.size} if 0 <= a < space and a % file.size == 0 and a not in there
    )
    if space // file.size - len(there) <= _MOST_UNMAPPED:
        gaps = [a for a in range(0, space, file.size) if a not in there]
    if len(gaps) > _MOST_UNMAPPED:
        kept = set(rng.choice(len(gaps) - 2, _MOST_UNMAPPED - 2, replace=False).tolist())
        gaps = [gaps[0], *(a for n, a in enumerate(gaps[1:-1]) if n in kept), gaps[-1]]
    for address in gaps:
        strobe = int(rng.integers(1, 1 << file.size))
        value = int.from_bytes(rng.bytes(file.size), "little")
        yield from (*file.write(address, value, strobe), *file.read(address))
    yield from _reads(file, _plain(file))


def mixed_answers(file: MappedFile, rng: np.random.Generator, address_bits: int) -> Iterator[Access]:
    """Writes of all registers and beside them in random order, then reads: good answers and errors follow each other."""
    there = {word.address for word in file.words}
    beside = [a for a in sorted({a ^ file.size for a in there} - there) if a < 1 << address_bits][:_LOOKED_AT]
    where = [word.address for word in _plain(file)] + beside
    for _ in range(2):
        for n in rng.permutation(len(where)).tolist():
            yield from file.write(where[n], int.from_bytes(rng.bytes(file.size), "little"))
        for n in rng.permutation(len(where)).tolist():
            yield from file.read(where[n])


WALKS: dict[str, Walk] = {
    "reset": reset_values,
    "bits": bit_bash,
    "aliases": own_values,
    "values": neighbour_values,
    "strobes": byte_strobes,
    "unmapped": no_registers,
}
"""What is checked, in this order."""


def _plain(file: MappedFile) -> list[MappedWord]:
    return [word for word in file.words if word.plain]


def _reads(file: MappedFile, words: list[MappedWord]) -> Iterator[Access]:
    for word in words:
        yield from file.read(word.address)


def _others(words: list[MappedWord], of: MappedWord, rng: np.random.Generator) -> list[MappedWord]:
    """Some of the other registers, among them those whose address differs in one bit."""
    near = [w for w in words if (w.address ^ of.address).bit_count() == 1]
    rest = [w for w in words if w is not of and w not in near]
    drawn = rng.permutation(len(rest))[: max(0, _LOOKED_AT - len(near))].tolist()
    return [*near, *(rest[n] for n in drawn)]
