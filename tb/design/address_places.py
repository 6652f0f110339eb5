# SPDX-License-Identifier: Apache-2.0
"""Single words all over the addresses of a module, beside the parts at both ends: every address bit is tried, however many.

Each word is written and read back with data of its own, so that an address bit that is lost, or tied to another one, shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.axi.storage_traffic import PAGE
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.bus_ports import BusPorts

_MOST_PAGES = 64
"""Pages of a stretch that get a word of their own; of more, some are drawn."""
LINE_WORDS = 4
"""Words beside each other that a buffer may keep together."""
_WHOLE = 1 << 14
"""Words of the largest stretch that is tried from end to end."""
_MOST_NUMBERS = 64
"""Numbers of the RTL that are tried as addresses; of more, some are drawn."""


@dataclass(frozen=True)
class AddressPlace:
    """A word, or a larger part, that one slave alone uses.

    Attributes:
        slave: port that reaches it.
        stretch: that it is in.
        base: address of its first byte at the slave.
        size: bytes.
        alone: it is a word by itself.
    """

    slave: str
    stretch: AddressStretch
    base: int
    size: int
    alone: bool = True

    @property
    def target(self) -> int:
        """Address of its first byte at the master."""
        return self.base - self.stretch.base + self.stretch.target


def address_places(
    ports: BusPorts, most: int, rng: np.random.Generator, numbers: Sequence[int] = ()
) -> list[AddressPlace]:
    """Words of the widest bus outside of the parts at the ends of all stretches, each of one slave.

    For each slave and each bit of its addresses there is a pair that differs in that bit alone, of two words or of a word and an
    end, unless other slaves use all that could be one.

    Args:
        ports: the module's.
        most: bytes of the parts at most.
        rng: draws what is too much to try.
        numbers: of the RTL, which are tried as addresses of bytes and of words.
    """
    used = _parts_at_ends(ports, most)
    taken: dict[object, set[int]] = {memory: set() for memory in used}
    found = []
    for stretch in ports.stretches:
        memory = _memory(stretch)
        for slave in stretch.slaves:
            for at in _candidates(ports, stretch, slave, most, rng, numbers):
                place = AddressPlace(slave, stretch, at - at % ports.word, ports.word)
                inside = stretch.base <= place.base and place.base + ports.word <= stretch.base + stretch.size
                if not inside or place.target in taken[memory] or any(place.target in one for one in used[memory]):
                    continue
                taken[memory].add(place.target)
                found.append(place)
    return found


def address_lines(ports: BusPorts, most: int, rng: np.random.Generator) -> list[AddressPlace]:
    """For each slave :data:`LINE_WORDS` words from a multiple of as many on, and for each bit as many that differ in it alone.

    Args:
        ports: the module's.
        most: bytes of the parts at the ends of stretches, which these leave alone.
        rng: draws where the first ones are.
    """
    line = LINE_WORDS * ports.word
    used = _parts_at_ends(ports, most)
    found = []
    for stretch in ports.stretches:
        top = (stretch.base + stretch.size - 1).bit_length()
        taken = used[_memory(stretch)]
        for slave in stretch.slaves:
            home = stretch.base + int(rng.integers(stretch.size // line or 1, dtype=np.uint64)) * line
            home -= home % line
            for base in (home, *(home ^ 1 << bit for bit in range(line.bit_length() - 1, top))):
                place = AddressPlace(slave, stretch, base, line, alone=False)
                target = range(place.target, place.target + line)
                inside = stretch.base <= base and base + line <= stretch.base + stretch.size
                if inside and not any(one.start < target.stop and target.start < one.stop for one in taken):
                    taken.append(target)
                    found.append(place)
    return found


def address_blocks(ports: BusPorts, most: int) -> list[AddressPlace]:
    """All that is between the parts at the ends of stretches up to :data:`_WHOLE` words, in parts of the same size, in turn."""
    return [
        AddressPlace(stretch.slaves[number % len(stretch.slaves)], stretch, at, part, alone=False)
        for stretch in ports.stretches
        if stretch.size <= _WHOLE * ports.word
        for part in [ports.part(stretch, most)]
        for ends in [stretch.ends(part)]
        if len(ends) > 1
        for number, at in enumerate(range(sum(ends[0]), ends[1][0], part))
    ]


def _parts_at_ends(ports: BusPorts, most: int) -> dict[object, list[range]]:
    """By memory, the addresses there of the parts at the ends of all stretches."""
    used: dict[object, list[range]] = {}
    for stretch in ports.stretches:
        move = stretch.target - stretch.base
        ends = stretch.ends(ports.part(stretch, most))
        used.setdefault(_memory(stretch), []).extend(range(base + move, base + move + size) for base, size in ends)
    return used


def _memory(stretch: AddressStretch) -> object:
    """What holds the bytes of a stretch: those of one master are the same ones."""
    return stretch if stretch.master is None else stretch.master


def _candidates(
    ports: BusPorts,
    stretch: AddressStretch,
    slave: str,
    most: int,
    rng: np.random.Generator,
    numbers: Sequence[int],
) -> Iterator[int]:
    """Addresses worth a try; the most telling ones first."""
    part, word = ports.part(stretch, most), ports.word
    parts = stretch.parts(slave, part)
    drawn = stretch.base + int(rng.integers(stretch.size // word, dtype=np.uint64)) * word
    bits = [1 << n for n in range(word.bit_length() - 1, (stretch.base + stretch.size - 1).bit_length())]
    yield drawn
    for home in (parts[0], parts[-1] + part - word, drawn):
        yield from (home ^ bit for bit in bits)
    for bit in bits:
        # The first pair of a stretch that begins and ends in the midst of larger blocks.
        first = -(-stretch.base // (2 * bit)) * 2 * bit
        if first + bit < stretch.base + stretch.size:
            yield from (first, first + bit)
    first, pages = stretch.base // PAGE, -(-stretch.size // PAGE)
    for page in range(pages) if pages <= _MOST_PAGES else rng.integers(pages, size=_MOST_PAGES).tolist():
        yield (first + page) * PAGE + int(rng.integers(PAGE // word)) * word
    size = ports.bytes_of(slave)
    tried = numbers if len(numbers) <= _MOST_NUMBERS else rng.choice(np.array(numbers, object), _MOST_NUMBERS).tolist()
    for number in tried:
        yield from (number, number * size, stretch.base + number, stretch.base + number * size)
