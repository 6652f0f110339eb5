# SPDX-License-Identifier: Apache-2.0
"""What the cases say of a slave's words: which hold what is written, what they give after a reset, which accesses fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.mapped_registers import ERROR, SKIP, ZERO, Elsewhere
from goldbeat.pymodels.stimulus import Access, Stimulus, strobed_bits
from goldbeat.tb.design.ports.register import RegisterPort

KINDS = {"read": READ, "write": WRITE, "post": WRITE}
"""The kind of an access by its step."""


@dataclass(frozen=True)
class RegisterFacts:
    """What the cases say of a slave's words, by byte address.

    Attributes:
        words: the bits that read as they were last written.
        first: value and known bits of a word between the reset and the first write of any word.
        fixed: value and bits of a word that never change: read-only, reserved.
        others: the bits that are none of these, of words that are read.
        refused: by kind of access, the words whose accesses all fail, whatever their strobes and protection.
        allowed: likewise, those of which none fails.
        size: bytes of a word.
        elsewhere: what is answered beside the register map; None: there is none.
    """

    words: Mapping[int, int]
    first: Mapping[int, tuple[int, int]]
    fixed: Mapping[int, tuple[int, int]]
    others: Mapping[int, int]
    refused: Mapping[int, frozenset[int]]
    allowed: Mapping[int, frozenset[int]]
    size: int
    elsewhere: Elsewhere | None = None

    def refuses(self, kind: int, address: int) -> bool:
        """Whether an access must fail."""
        return address in self.refused.get(kind, ()) or self._is(ERROR, address)

    def _is(self, rule: str, address: int) -> bool:
        """Whether a rule for addresses beside the map is about one."""
        mapped = self.elsewhere is None or any(address in one for one in self.elsewhere.mapped)
        return self.elsewhere is not None and self.elsewhere.rule == rule and not mapped

    def byte(self, address: int, written: int | None) -> tuple[int, int]:
        """What a byte reads as, and in which bits that is known.

        Args:
            address: of the byte.
            written: what was written there last; None: nothing since the reset.
        """
        if self._is(ZERO, address):
            return 0, 0xFF
        at = self._word(address)
        value, known = self.first.get(at, (0, 0)) if written is None else (0, self.words.get(at, 0))
        fixed, never = self.fixed.get(at, (0, 0))
        value, known, fixed, never = (self._byte(address, one) for one in (value, known, fixed, never))
        return (value if written is None else written) & known & ~never | fixed, known | never

    def _word(self, address: int) -> int:
        return address // self.size * self.size

    def _byte(self, address: int, word: int) -> int:
        return word >> 8 * (address % self.size) & 0xFF


def learn_registers(
    port: RegisterPort, stimuli: Sequence[Stimulus], elsewhere: Elsewhere | None = None
) -> RegisterFacts:
    """The facts that no case contradicts.

    Args:
        port: the slave.
        stimuli: of all cases.
        elsewhere: what is answered beside its register map; None: it has none.
    """
    words, size = _held_bits(port, stimuli), int(port.data_width) // 8
    accesses = [one for stimulus in stimuli for one in _accesses(port, stimulus)]
    if elsewhere is not None and elsewhere.rule != SKIP:
        # One rule is about all of them, those that the cases leave out too.
        accesses = [one for one in accesses if any(one.address in some for some in elsewhere.mapped)]
    fixed, others = _fixed_bits(accesses, size, words)
    refused, allowed = _outcomes(accesses, size)
    for span in () if elsewhere is None else elsewhere.memories:
        # Of memories, the cases try some words; all are alike.
        if all(words.get(a) == (1 << 8 * size) - 1 for a in {*words, *fixed, *others} if a in span):
            there = range(span.start // size * size, span.stop, size)
            words.update(dict.fromkeys(there, (1 << 8 * size) - 1))
            allowed = {kind: some.union(there) if some.intersection(there) else some for kind, some in allowed.items()}
    return RegisterFacts(words, _first_values(port, stimuli, words), fixed, others, refused, allowed, size, elsewhere)


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
                strobe = 0 if access.error else strobed_bits(access.strobe, size)
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


def _fixed_bits(
    accesses: Sequence[Access], size: int, words: Mapping[int, int]
) -> tuple[dict[int, tuple[int, int]], dict[int, int]]:
    """Bits that every read expects alike though the other value is written there, and those that are neither this nor held."""
    whole = (1 << 8 * size) - 1
    found: dict[int, tuple[int, int]] = {}
    written: dict[int, tuple[int, int]] = {}
    tried: dict[int, int] = {}
    for access in accesses:
        at = access.address // size * size
        zeros, ones = written.get(at, (0, 0))
        if access.op == "read" and not access.error:
            known = 0 if access.value is None else (whole if access.mask is None else access.mask) & ~access.unset
            value, alike = found.get(at, (access.value or 0, whole))
            found[at] = value, alike & known & ~(value ^ (access.value or 0))
            tried[at] = tried.get(at, 0) | zeros & value | ones & ~value
        elif access.op in ("write", "post"):
            lanes, data = strobed_bits(access.strobe, size), access.value or 0
            written[at] = zeros | lanes & ~data, ones | lanes & data
    fixed = {}
    for at, (value, alike) in found.items():
        # A word that no write changes in any bit is not written at all.
        unmoved = whole if tried.get(at) and alike == whole and at not in words else tried.get(at, 0)
        if bits := alike & unmoved & ~words.get(at, 0):
            fixed[at] = value & bits, bits
    others = {at: whole & ~words.get(at, 0) & ~fixed.get(at, (0, 0))[1] for at in found}
    return fixed, {at: bits for at, bits in sorted(others.items()) if bits}


def _outcomes(accesses: Sequence[Access], size: int) -> tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]]:
    """Words whose accesses all fail, and those of which none does, by kind of access."""
    failed: dict[int, set[int]] = {READ: set(), WRITE: set()}
    passed: dict[int, set[int]] = {READ: set(), WRITE: set()}
    for access in accesses:
        if access.op in KINDS:
            (failed if access.error else passed)[KINDS[access.op]].add(access.address // size * size)
    # Where all accesses are alike in these, an error may come from them.
    alike = {
        kind: len({(one.strobe, one.prot) for one in accesses if KINDS.get(one.op) == kind}) < 2 for kind in failed
    }
    refused = {kind: frozenset(some - passed[kind]) for kind, some in failed.items() if not alike[kind]}
    allowed = {kind: frozenset(some - failed[kind]) for kind, some in passed.items()}
    return {kind: some for kind, some in refused.items() if some}, allowed
