# SPDX-License-Identifier: Apache-2.0
"""Circuits as AIGER files: read with their names, written with some of their outputs, and simulated.

Armin Biere, "The AIGER And-Inverter Graph (AIG) Format Version 20071012". Yosys writes the file of names (``write_aiger -map``).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import InputError


@dataclass(frozen=True)
class Circuit:
    """A circuit whose flip-flops start at 0, or as :attr:`starts` says.

    Attributes:
        head: numbers of variables, inputs, latches, outputs and gates.
        latches: the literal that each takes next.
        outputs: their literals.
        gates: the binary text of the gates.
        input_names, output_names: by number, signal and bit.
        latch_names: numbers of the latches that hold each bit of a register, by name.
        starts: the value that each latch starts with (None: any); empty: all start at 0.
    """

    head: tuple[int, int, int, int, int]
    latches: tuple[int, ...]
    outputs: tuple[int, ...]
    gates: bytes
    input_names: Mapping[int, tuple[str, int]]
    output_names: Mapping[int, tuple[str, int]]
    starts: tuple[int | None, ...] = ()
    latch_names: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    @property
    def input_count(self) -> int:
        """Bits of the inputs, with those of flip-flops that start at any value."""
        return self.head[1]

    @property
    def state(self) -> list[int]:
        """The literal that shows what each latch holds."""
        return [2 * (self.head[1] + n + 1) for n in range(self.head[2])]

    def numbers(self, prefix: str) -> dict[str, list[int]]:
        """Outputs by name, of the names that begin so, lowest bit first."""
        found: dict[str, dict[int, int]] = {}
        for number, (name, bit) in self.output_names.items():
            if name.startswith(prefix):
                found.setdefault(name, {})[bit] = number
        return {name: [bits[n] for n in sorted(bits)] for name, bits in found.items()}

    def chosen(self, outputs: Sequence[int]) -> bytes:
        """The file with these outputs alone."""
        variables, inputs, latches, _, gates = self.head
        lines = [f"aig {variables} {inputs} {latches} {len(outputs)} {gates}"]
        starts = self.starts or (0,) * len(self.latches)
        lines += [
            f"{after} {it if start is None else start}" if start != 0 else str(after)
            for after, start, it in zip(self.latches, starts, self.state, strict=True)
        ]
        lines += [str(self.outputs[number]) for number in outputs]
        return "\n".join([*lines, ""]).encode() + self.gates

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The two literals of each gate."""
        found, at = [], 0
        first = self.head[1] + self.head[2] + 1
        for number in range(self.head[4]):
            deltas = []
            for _ in range(2):
                value = shift = 0
                while True:
                    byte = self.gates[at]
                    at += 1
                    value |= (byte & 0x7F) << shift
                    shift += 7
                    if byte < 0x80:
                        break
                deltas.append(value)
            one = 2 * (first + number) - deltas[0]
            found.append((one, one - deltas[1]))
        return found

    def settled(self, held: int, cycles: Sequence[int]) -> tuple[int | None, ...]:
        """What latches hold after some cycles in which one of them is held at 0, whatever the inputs are; None: that depends.

        Args:
            held: number of the latch.
            cycles: the first and the last number of cycles; what differs between them depends.
        """

        def literal(values: list[tuple[bool, bool]], one: int) -> tuple[bool, bool]:
            zero, high = values[one >> 1]
            return (high, zero) if one & 1 else (zero, high)

        # Of each variable, whether it can be 0 and can be 1.
        state = [(True, False)] * len(self.latches)
        found: list[tuple[bool, bool]] = []
        for cycle in range(cycles[1]):
            values = [(True, False), *[(True, True)] * self.head[1], *state]
            for one, other in self.pairs:
                zero, high = literal(values, one)
                low, up = literal(values, other)
                values.append((zero or low, high and up))
            state = [literal(values, one) for one in self.latches]
            state[held] = (True, False)
            if cycle + 1 >= cycles[0]:
                found = [(a or c, b or d) for (a, b), (c, d) in zip(found, state, strict=True)] if found else state
        return tuple(None if zero and high else int(high) for zero, high in found)

    def simulate(self, inputs: Iterator[Sequence[int]], lanes: int = 1) -> Iterator[list[int]]:
        """The outputs in each cycle.

        Args:
            inputs: the inputs in each cycle; bit k of a value is lane k's.
            lanes: simulations side by side.
        """
        ones = (1 << lanes) - 1
        pairs = self.pairs
        starts = self.starts or (0,) * len(self.latches)
        draw = random.Random(0)
        state = [draw.getrandbits(lanes) if start is None else ones * start for start in starts]

        def literal(values: list[int], one: int) -> int:
            return values[one >> 1] ^ (ones if one & 1 else 0)

        for given in inputs:
            values = [0, *given, *state]
            for one, other in pairs:
                a = values[one >> 1] ^ ones if one & 1 else values[one >> 1]
                values.append(a & (values[other >> 1] ^ ones if other & 1 else values[other >> 1]))
            state = [literal(values, one) for one in self.latches]
            yield [literal(values, one) for one in self.outputs]

    def support(self, output: int) -> set[int]:
        """The inputs that an output follows within a cycle."""
        first, inputs = self.head[1] + self.head[2] + 1, self.head[1]
        pairs, found, seen = self.pairs, set[int](), set[int]()
        waiting = [self.outputs[output] >> 1]
        while waiting:
            variable = waiting.pop()
            if variable in seen:
                continue
            seen.add(variable)
            if variable >= first:
                waiting += [one >> 1 for one in pairs[variable - first]]
            elif 0 < variable <= inputs:
                found.add(variable - 1)
        return found


def read_aiger(file: Path, names: Path) -> Circuit:
    """A circuit.

    Raises:
        InputError: it is no such file.
    """
    data = file.read_bytes()
    line, _, rest = data.partition(b"\n")
    words = line.split()
    if words[:1] != [b"aig"] or len(words) < 6 or any(int(word) for word in words[6:]):
        raise InputError(f"head {line[:40]!r}", "aig M I L O A", file=file)
    head = tuple(int(word) for word in words[1:6])
    latches: list[int] = []
    outputs: list[int] = []
    for count, found in ((head[2], latches), (head[3], outputs)):
        for _ in range(count):
            line, _, rest = rest.partition(b"\n")
            found.append(int(line.split()[0]))
    # Names and comments stand behind the gates, each of which is two numbers, each of which ends with a byte below 128.
    ends = np.flatnonzero(np.frombuffer(rest, np.uint8) < 0x80)[: 2 * head[4]]
    rest = rest[: int(ends[-1]) + 1 if len(ends) else 0]
    named: dict[str, dict[int, tuple[str, int]]] = {"input": {}, "output": {}}
    held: dict[str, dict[int, int]] = {}
    for text in names.read_text().splitlines():
        words_of = text.split()
        if len(words_of) == 4 and words_of[0] in named:
            kind, number, bit, name = words_of
            named[kind][int(number)] = (name, int(bit))
        elif len(words_of) == 4 and words_of[0] == "latch":
            held.setdefault(words_of[3], {})[int(words_of[2])] = int(words_of[1])
    return Circuit(
        (head[0], head[1], head[2], head[3], head[4]),
        tuple(latches),
        tuple(outputs),
        rest,
        named["input"],
        named["output"],
        latch_names=held,
    )
