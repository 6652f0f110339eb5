# SPDX-License-Identifier: Apache-2.0
"""What the cases say of a slave's words: which hold what is written, what they give after a reset, which accesses fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.ports.register import RegisterPort

_KINDS = {"read": READ, "write": WRITE, "post": WRITE}


@dataclass(frozen=True)
class RegisterFacts:
    """What the cases say of a slave's words, by byte address.

    Attributes:
        words: the bits that read as they were last written.
        first: value and known bits of a word between the reset and the first write of any word.
        refused: by kind of access, the words whose accesses all fail, whatever their strobes and protection.
        erring: some accesses of :attr:`words` fail.
        size: bytes of a word.
    """

    words: Mapping[int, int]
    first: Mapping[int, tuple[int, int]]
    refused: Mapping[int, frozenset[int]]
    erring: bool
    size: int

    def refuses(self, kind: int, address: int) -> bool:
        """Whether an access must fail."""
        return address in self.refused.get(kind, ())

    def first_byte(self, address: int) -> tuple[int, int]:
        """What a byte is after a reset, and in which bits that is known."""
        value, known = (self._byte(address, one) for one in self.first.get(self._word(address), (0, 0)))
        return value, known

    def held_byte(self, address: int) -> int:
        """The bits of a byte that read as they were last written."""
        return self._byte(address, self.words.get(self._word(address), 0))

    def _word(self, address: int) -> int:
        return address // self.size * self.size

    def _byte(self, address: int, word: int) -> int:
        return word >> 8 * (address % self.size) & 0xFF


def learn_registers(port: RegisterPort, stimuli: Sequence[Stimulus]) -> RegisterFacts:
    """The facts that no case contradicts."""
    words, size = _held_bits(port, stimuli), int(port.data_width) // 8
    accesses = [one for stimulus in stimuli for one in _accesses(port, stimulus)]
    return RegisterFacts(
        words,
        _first_values(port, stimuli, words),
        _refused(port, accesses),
        any(one.error and one.address // size * size in words for one in accesses),
        size,
    )


def _accesses(port: RegisterPort, stimulus: Stimulus) -> Iterator[Access]:
    yield from stimulus.program.get(port.name, ())
    yield from stimulus.after.get(port.name, ())


def _held_bits(port: RegisterPort, stimuli: Sequence[Stimulus]) -> dict[int, int]:
    """By byte address, the bits that read as they were last written, in all that the cases expect."""
    size = int(port.data_width) // 8
    seen: dict[int, int] = {}
    wrong: dict[int, int] = {}
    for stimulus in stimuli:
        held: dict[int, tuple[int, int]] = {}
        for access in _accesses(port, stimulus):
            at = access.address // size * size
            value, known = held.get(at, (0, 0))
            if access.op in ("write", "post"):
                strobe = sum(0xFF << 8 * n for n in range(size) if access.strobe >> n & 1)
                strobe = 0 if access.error else strobe
                held[at] = (value & ~strobe | (access.value or 0) & strobe, known | strobe)
            elif access.op == "read" and access.value is not None and not access.error:
                mask = known & ((1 << 8 * size) - 1 if access.mask is None else access.mask) & ~access.unset
                differs = (access.value ^ value) & mask
                wrong[at] = wrong.get(at, 0) | differs
                seen[at] = seen.get(at, 0) | mask
    return {at: bits for at, mask in sorted(seen.items()) if (bits := mask & ~wrong[at])}


def _first_values(
    port: RegisterPort, stimuli: Sequence[Stimulus], words: Mapping[int, int]
) -> dict[int, tuple[int, int]]:
    size = int(port.data_width) // 8
    found: dict[int, tuple[int, int]] = {}
    for stimulus in stimuli:
        # Words that traffic changes are not as the reset left them.
        for access in stimulus.program.get(port.name, ()):
            if access.op != "read":
                break
            at = access.address // size * size
            if access.value is None or access.error or at not in words:
                continue
            mask = words[at] & ((1 << 8 * size) - 1 if access.mask is None else access.mask) & ~access.unset
            value, known = found.get(at, (access.value, mask))
            found[at] = value, known & mask & ~(value ^ access.value)
    return {at: (value & known, known) for at, (value, known) in sorted(found.items()) if known}


def _refused(port: RegisterPort, accesses: Sequence[Access]) -> dict[int, frozenset[int]]:
    size = int(port.data_width) // 8
    failed: dict[int, set[int]] = {READ: set(), WRITE: set()}
    passed: dict[int, set[int]] = {READ: set(), WRITE: set()}
    for access in accesses:
        if access.op in _KINDS:
            (failed if access.error else passed)[_KINDS[access.op]].add(access.address // size * size)
    # Where all accesses are alike in these, an error may come from them.
    alike = {
        kind: len({(one.strobe, one.prot) for one in accesses if _KINDS.get(one.op) == kind}) < 2 for kind in failed
    }
    return {
        kind: frozenset(some - passed[kind]) for kind, some in failed.items() if some - passed[kind] and not alike[kind]
    }
