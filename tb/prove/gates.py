# SPDX-License-Identifier: Apache-2.0
"""Gates that are added to a circuit, in the form of AIGER: a literal is twice the variable, plus one if it is inverted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from goldbeat.tb.prove.aiger import Circuit

LOW, HIGH = 0, 1
Word = Sequence[int]
"""Literals of a number, lowest bit first."""


class AddedGates:
    """Gates behind those of a circuit.

    Args:
        variables: of the circuit.
        gates: their text.
        count: of gates.
    """

    def __init__(self, variables: int, gates: bytes = b"", count: int = 0) -> None:
        self.variables, self.count, self._text = variables, count, bytearray(gates)

    @classmethod
    def behind(cls, circuit: Circuit) -> AddedGates:
        """None so far, behind those of a circuit."""
        return cls(circuit.head[0], circuit.gates, circuit.head[4])

    def circuit(self, of: Circuit, outputs: Sequence[int]) -> Circuit:
        """The circuit that they are behind, with them, and with other outputs."""
        _, inputs, latches, _, _ = of.head
        head = (self.variables, inputs, latches, len(outputs), self.count)
        return replace(of, head=head, outputs=tuple(outputs), gates=self.text)

    @property
    def text(self) -> bytes:
        """Of all gates, as the file has it."""
        return bytes(self._text)

    def both(self, one: int, other: int) -> int:
        """Whether two literals are high."""
        high, low = max(one, other), min(one, other)
        if low == LOW or high == low ^ 1:
            return LOW
        if low == HIGH or high == low:
            return high
        self.variables += 1
        self.count += 1
        for delta in (2 * self.variables - high, high - low):
            while delta >= 0x80:
                self._text.append(delta & 0x7F | 0x80)
                delta >>= 7
            self._text.append(delta)
        return 2 * self.variables

    def any_of(self, literals: Word) -> int:
        """Whether one of some literals is high."""
        found = HIGH
        for one in literals:
            found = self.both(found, one ^ 1)
        return found ^ 1

    def differ(self, one: int, other: int) -> int:
        """Whether two literals are different."""
        return self.any_of((self.both(one, other ^ 1), self.both(one ^ 1, other)))

    def choose(self, select: int, one: int, other: int) -> int:
        """One literal where ``select`` is high, else the other."""
        return self.any_of((self.both(select, one), self.both(select ^ 1, other)))

    def equal(self, one: Word, other: Word) -> int:
        """Whether two numbers are equal."""
        return self.any_of([self.differ(a, b) for a, b in zip_longest(one, other, fillvalue=LOW)]) ^ 1

    def sum(self, one: Word, other: Word, bits: int, carry: int = LOW) -> list[int]:
        """The lowest bits of a sum."""
        found = []
        for n in range(bits):
            a, b = (word[n] if n < len(word) else LOW for word in (one, other))
            half = self.differ(a, b)
            found.append(self.differ(half, carry))
            carry = self.any_of((self.both(a, b), self.both(half, carry)))
        return found

    def difference(self, one: Word, other: Word, bits: int) -> list[int]:
        """The lowest bits of a difference."""
        return self.sum(one, [a ^ 1 for a in (*other, *[LOW] * (bits - len(other)))], bits, HIGH)

    def exceeds(self, one: Word, other: Word) -> int:
        """Whether a number is larger than another."""
        bits = max(len(one), len(other)) + 1
        return self.difference(other, one, bits)[-1]


def constant_bits(value: int) -> list[int]:
    """The literals of a constant."""
    return [value >> n & 1 for n in range(max(1, value.bit_length()))]


def masked_outputs(circuit: Circuit, by: int) -> Circuit:
    """The same circuit with each output low while a literal is."""
    gates = AddedGates.behind(circuit)
    return gates.circuit(circuit, [gates.both(one, by) for one in circuit.outputs])


def from_any_state(circuit: Circuit) -> tuple[AddedGates, list[int], list[int], int]:
    """The circuit, begun in any state: in the first cycle, inputs behind its own say what its latches hold.

    Returns:
        The gates, the literals of the state, the literal of each variable of the circuit, and that of a latch which is low in the
        first cycle. One more latch stands behind it, for the caller.
    """
    inputs, latches = circuit.head[1], circuit.head[2]
    before = inputs + latches
    gates = AddedGates(before + latches + 2)
    started = 2 * (before + latches + 1)
    state = [gates.choose(started, 2 * (before + n + 1), 2 * (inputs + n + 1)) for n in range(latches)]
    place = [LOW, *(2 * (n + 1) for n in range(inputs)), *state]
    for one, other in circuit.pairs:
        place.append(gates.both(place[one >> 1] ^ one & 1, place[other >> 1] ^ other & 1))
    return gates, state, place, started
