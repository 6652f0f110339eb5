# SPDX-License-Identifier: Apache-2.0
"""Where the followed beat of a queue is: statements about registers that hold by induction, and from which its order follows.

Candidates come from forms, and stay if a random simulation never breaks them: a word of a memory holds the followed beat, at the
place that a pointer and the beats ahead give; a register holds it while so many are ahead; what is in flight is a difference of
pointers; and how large both get. Then those are left out that do not follow from all others one cycle later, until the rest
holds by induction. Nothing is taken from names but which registers are one word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goldbeat.tb.build.yosys import Yosys
from goldbeat.tb.prove.aiger import Circuit
from goldbeat.tb.prove.engine import Answer, Stopwatch, ask_abc
from goldbeat.tb.prove.gates import HIGH, AddedGates, Word, constant_bits, from_any_state
from goldbeat.tb.prove.sheet import RESET_CYCLES, Followed

Samples = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint8]
State = Callable[[str], Word]
_WORD = re.compile(r"(.*)\[(\d+)\]")
_FLAGS, _POINTERS = 24, 8
"""Most registers of one bit, and of few, that are looked at."""
_POINTER_BITS = 12
Pairs = tuple[tuple[int, int], ...]
"""Bits of a word, and the bits of the followed beat that they are."""
_SEEN = 16
_FEW, _MANY = 100, 4000
"""Samples that are compared at first, and then."""
"""Samples in which a statement has to say something."""
LANES = 64
"""Of the random simulation."""
_ROUNDS = 60
_COUNTERS = {"prover_quiet", "prover_still"}
"""Registers that count cycles in which nothing moves."""
CYCLE = "prover_cycle"
"""The register that counts cycles, up to its largest value: the reset has ended from a number on."""


@dataclass(frozen=True)
class Lemma:
    """A statement about a state.

    Attributes:
        text: what it says.
        broken: the literal that is high where it is wrong, of a state.
    """

    text: str
    broken: Callable[[AddedGates, State], int]


class _Registers:
    """The registers of a circuit by name, and what they hold in a random simulation."""

    def __init__(self, circuit: Circuit, names: Mapping[str, str], inputs: Iterator[Sequence[int]]) -> None:
        own = {names.get(name, name): bits for name, bits in circuit.latch_names.items()}
        self.latches = {
            name: tuple(bits[n] for n in sorted(bits))
            for name, bits in own.items()
            if sorted(bits) == [*range(len(bits))]
        }
        shown = AddedGates.behind(circuit).circuit(circuit, circuit.state)
        rows = [
            [np.frombuffer(value.to_bytes(LANES // 8, "little"), np.uint8) for value in row]
            for row in shown.simulate(inputs, LANES)
        ]
        bits = np.unpackbits(np.array(rows), axis=2, bitorder="little")
        self._bits = bits.transpose(1, 0, 2).reshape(bits.shape[1], -1)
        if CYCLE in self.latches:
            self._bits = self._bits[:, self.value(CYCLE) >= RESET_CYCLES]

    def value(self, name: str, bits: int | None = None) -> Samples:
        """What a register holds in each sample."""
        found = np.zeros(self._bits.shape[1], np.int64)
        for n, latch in enumerate(self.latches[name][:bits]):
            found |= self._bits[latch].astype(np.int64) << n
        return found

    def bits(self, name: str) -> Bits:
        """The bits of a register, lowest first, in each sample."""
        return self._bits[list(self.latches[name])]


class _Search:
    """Candidates for the statements about a followed beat."""

    def __init__(self, registers: _Registers, followed: Followed, watch: Stopwatch) -> None:
        self._all, self._of, self._watch = registers, followed, watch
        hidden = ("prover_", "hit_", "own", "bad_", followed.marked, followed.ahead, followed.kept, followed.flight)
        mine = {name: bits for name, bits in registers.latches.items() if not name.startswith(hidden)}
        unique = {bits: name for name, bits in reversed(mine.items())}
        self._plain = {name: bits for bits, name in unique.items() if not _WORD.fullmatch(name)}
        self._flags = ["", *[name for name, bits in self._plain.items() if len(bits) == 1][:_FLAGS]]
        self._pointers = [name for name, bits in self._plain.items() if 1 < len(bits) <= _POINTER_BITS][:_POINTERS]
        self._memories: dict[str, dict[int, str]] = {}
        for name in mine:
            if match := _WORD.fullmatch(name):
                self._memories.setdefault(match[1], {})[int(match[2])] = name
        self._marked = registers.value(followed.marked) == 1
        self._ahead, self._flight = registers.value(followed.ahead), registers.value(followed.flight)
        self._last = self._ahead + 1 == self._flight
        self._kept = registers.bits(followed.kept)
        self._inside = self._marked & ~(self._last & (registers.value(followed.waits) == 1))

    def found(self) -> Iterator[Lemma]:
        """All."""
        counts = list(self._counts())
        for one, other, flags in counts:
            yield Lemma(f"in flight: {one} - {other} + {flags}", partial(self._no_count, one, other, flags))
        yield from self._ranges(self._of.flight, partial(_register, self._of.flight), self._flight)
        for name in sorted(_COUNTERS & self._all.latches.keys()):
            word = partial(_register, name)
            yield from self._ranges(name, word, self._all.value(name), busy=True)
        for one, other in dict.fromkeys((one, other) for one, other, _ in counts):
            apart = partial(self._difference, one, other)
            for busy in (False, True):
                yield from self._ranges(f"{one} - {other}", apart, self._apart(one, other), busy=busy)
        if bool((~self._marked | (self._ahead < self._flight)).all()):
            yield Lemma("the followed beat is in flight", self._not_in_flight)
        for memory, words in self._memories.items():
            yield from self._placed(memory, words)
        for name in self._plain:
            yield from self._held(name)

    # -- what is in flight

    def _flag(self, name: str) -> Samples:
        return self._all.value(name) if name else np.zeros_like(self._flight)

    def _apart(self, one: str, other: str) -> Samples:
        found: Samples = (self._all.value(one) - self._all.value(other)) % (1 << len(self._plain[one]))
        return found

    def _counts(self) -> Iterator[tuple[str, str, tuple[str, str]]]:
        for one, other in permutations(self._pointers, 2):
            if len(self._plain[one]) != len(self._plain[other]):
                continue
            rest = self._flight - self._apart(one, other)
            if rest.min() < 0 or rest.max() > 2:
                continue
            for flags in combinations_with_replacement(self._flags, 2):
                if not self._watch.left:
                    return
                if bool((rest == self._flag(flags[0]) + self._flag(flags[1])).all()):
                    yield one, other, flags

    def _difference(self, one: str, other: str, gates: AddedGates, state: State) -> Word:
        return gates.difference(state(one), state(other), len(self._plain[one]))

    def _no_count(self, one: str, other: str, flags: Sequence[str], gates: AddedGates, state: State) -> int:
        flight = state(self._of.flight)
        total: Word = self._difference(one, other, gates, state)
        bits = max(len(total), len(flight)) + 2
        for flag in flags:
            total = gates.sum(total, state(flag) if flag else (), bits)
        return gates.equal(total, flight) ^ 1

    def _not_in_flight(self, gates: AddedGates, state: State) -> int:
        inside = gates.exceeds(state(self._of.flight), state(self._of.ahead))
        return gates.both(state(self._of.marked)[0], inside ^ 1)

    def _ranges(
        self, text: str, word: Callable[[AddedGates, State], Word], values: Samples, *, busy: bool = False
    ) -> Iterator[Lemma]:
        """How small and large a number is, at all and while a flag has a value; ``busy``: while something is in flight."""
        asked = self._flight > 0 if busy else np.ones_like(self._marked)
        if not asked.any():
            return
        whole = int(values[asked].min()), int(values[asked].max())
        flight = self._of.flight if busy else ""
        text += ", with something in flight," if busy else ""
        yield Lemma(f"{text} is from {whole[0]} to {whole[1]}", partial(_outside, word, "", 1, whole, flight))
        for flag in self._flags[1:]:
            for level in (0, 1):
                some = values[asked & (self._all.value(flag) == level)]
                if len(some) >= _SEEN and (ends := (int(some.min()), int(some.max()))) != whole:
                    said = f"{text} is from {ends[0]} to {ends[1]} while {flag} is {level}"
                    yield Lemma(said, partial(_outside, word, flag, level, ends, flight))

    # -- where the followed beat is

    def _same(self, word: Bits, asked: npt.NDArray[np.bool_]) -> Pairs:
        """Bits of a word that are always those of the followed beat, where something is asked, and which those are."""
        places = np.flatnonzero(asked)
        for most in (_FEW, _MANY):
            some = places[:: max(1, len(places) // most)]
            ours, kept = word[:, some].astype(np.float32), self._kept[:, some].astype(np.float32)
            alike = ours @ kept.T + (1 - ours) @ (1 - kept).T
            # A bit that never changes says nothing.
            changes = (kept.min(axis=1) != kept.max(axis=1))[None, :]
            found = np.argwhere((alike == len(some)) & changes)
            if not len(found):
                return ()
        first = {int(kept): int(bit) for bit, kept in reversed(found.tolist())}
        return tuple((bit, kept) for kept, bit in sorted(first.items()))

    def _placed(self, memory: str, words: Mapping[int, str]) -> Iterator[Lemma]:
        count = len(words)
        bits = (count - 1).bit_length()
        if sorted(words) != [*range(count)] or count != 1 << bits or not bits:
            return
        held = np.array([self._all.bits(words[n]) for n in range(count)])
        every = np.arange(held.shape[2])
        for pointer in self._pointers:
            if len(self._plain[pointer]) < bits:
                continue
            reads = self._all.value(pointer, bits)
            for flags in combinations_with_replacement(self._flags, 2):
                if not self._watch.left:
                    return
                behind = self._ahead - self._flag(flags[0]) - self._flag(flags[1])
                asked = self._inside & (behind >= 0) & (behind < count)
                if asked.sum() < _SEEN:
                    continue
                word = held[(reads + behind) % count, :, every].T
                if same := self._same(word, asked):
                    said = f"{memory} holds it, {pointer} + what is ahead - {flags}"
                    yield Lemma(said, partial(self._misplaced, words, pointer, flags, same))

    def _misplaced(
        self, words: Mapping[int, str], pointer: str, flags: Sequence[str], same: Pairs, gates: AddedGates, state: State
    ) -> int:
        bits = (len(words) - 1).bit_length()
        waits = gates.both(state(self._of.waits)[0], self._is_last(gates, state))
        inside = gates.both(state(self._of.marked)[0], waits ^ 1)
        found = []
        for n, word in words.items():
            place: Word = gates.difference(constant_bits(n), state(pointer)[:bits], bits)
            for flag in flags:
                place = gates.sum(place, state(flag) if flag else (), bits + 2)
            here = gates.both(inside, gates.equal(place, state(self._of.ahead)))
            found.append(gates.both(here, self._unequal(word, same, gates, state)))
        return gates.any_of(found)

    def _is_last(self, gates: AddedGates, state: State) -> int:
        flight = state(self._of.flight)
        return gates.equal(gates.sum(state(self._of.ahead), (HIGH,), len(flight) + 1), flight)

    def _held(self, name: str) -> Iterator[Lemma]:
        """A register that holds it in the front, behind one more, or at the end, while a flag has a value."""
        word = self._all.bits(name)
        for place, there in (("0", self._ahead == 0), ("1", self._ahead == 1), ("last", self._last)):
            for flag in self._flags:
                if not self._watch.left:
                    return
                for level in (0, 1) if flag else (0,):
                    asked = self._marked & there & (self._flag(flag) == level)
                    if asked.sum() >= _SEEN and (same := self._same(word, asked)):
                        said = f"{name} holds it: ahead {place}, {flag} {level}"
                        yield Lemma(said, partial(self._not_held, name, place, flag, level, same))

    def _not_held(
        self, name: str, place: str, flag: str, level: int, same: Pairs, gates: AddedGates, state: State
    ) -> int:
        there = self._is_last(gates, state)
        if place != "last":
            there = gates.equal(state(self._of.ahead), constant_bits(int(place)))
        here = gates.both(gates.both(state(self._of.marked)[0], there), _is(flag, level, state))
        return gates.both(here, self._unequal(name, same, gates, state))

    def _unequal(self, name: str, same: Pairs, gates: AddedGates, state: State) -> int:
        word, kept = state(name), state(self._of.kept)
        return gates.any_of([gates.differ(word[bit], kept[other]) for bit, other in same])


def _is(flag: str, level: int, state: State) -> int:
    return state(flag)[0] ^ level ^ 1 if flag else HIGH


def _register(name: str, gates: AddedGates, state: State) -> Word:
    return state(name)


def _outside(
    word: Callable[[AddedGates, State], Word],
    flag: str,
    level: int,
    ends: tuple[int, int],
    flight: str,
    gates: AddedGates,
    state: State,
) -> int:
    value = word(gates, state)
    wrong = gates.any_of((gates.exceeds(value, constant_bits(ends[1])), gates.exceeds(constant_bits(ends[0]), value)))
    asked = gates.both(_is(flag, level, state), gates.any_of(state(flight)) if flight else HIGH)
    return gates.both(asked, wrong)


def proven_by_lemmas(
    tool: Yosys,
    circuit: Circuit,
    names: Mapping[str, str],
    followed: Followed,
    outputs: Sequence[int],
    inputs: Iterator[Sequence[int]],
    folder: Path,
    watch: Stopwatch,
) -> set[int]:
    """Outputs that are never high, as statements about the followed beat show.

    Args:
        tool: has ABC.
        circuit: begins with its reset.
        names: of registers that another name hides, by that one.
        followed: the registers that follow a beat.
        outputs: numbers of those that are asked for.
        inputs: random ones, of :data:`LANES` simulations side by side.
        folder: for files.
        watch: the time that is left.
    """
    registers = _Registers(circuit, names, inputs)
    if any(name not in registers.latches for name in vars(followed).values()):
        return set()
    # What follows from them needs as long as they do.
    lemmas = list(_Search(registers, followed, Stopwatch(watch.left / 2)).found())
    for _ in range(_ROUNDS):
        if not lemmas or watch.left < 1:
            return set()
        step = _Step(circuit, registers.latches, lemmas, outputs)
        broken = step.broken(tool, folder, watch)
        if broken is None:
            return set()
        if not broken:
            break
        lemmas = [one for n, one in enumerate(lemmas) if n not in broken]
    else:
        return set()
    if not _at_first(tool, circuit, registers.latches, lemmas, outputs, folder, watch):
        return set()
    return step.never(tool, folder, watch)


class _Step:
    """One cycle from any state: in its first cycle all statements hold; which are broken in the next?"""

    def __init__(
        self, circuit: Circuit, latches: Mapping[str, Sequence[int]], lemmas: Sequence[Lemma], outputs: Sequence[int]
    ) -> None:
        gates, state, place, started = from_any_state(circuit)
        inputs, count = circuit.head[1], circuit.head[2]
        held = started + 2
        words = {name: [state[n] for n in bits] for name, bits in latches.items()}
        wrong = [one.broken(gates, words.__getitem__) for one in lemmas]
        holds = gates.both(_live(circuit, gates, state, words), gates.any_of(wrong) ^ 1)
        after = gates.both(started, held)
        asked = [gates.both(after, one) for one in wrong]

        def literal(one: int) -> int:
            return place[one >> 1] ^ one & 1

        asked += [gates.both(holds, literal(circuit.outputs[n])) for n in outputs]
        self._lemmas, self._outputs = len(lemmas), tuple(outputs)
        self._circuit = Circuit(
            (gates.variables, inputs + count, count + 2, len(asked), gates.count),
            (*(literal(one) for one in circuit.latches), HIGH, holds),
            tuple(asked),
            gates.text,
            {},
            {},
        )

    def broken(self, tool: Yosys, folder: Path, watch: Stopwatch) -> set[int] | None:
        """Numbers of statements that do not follow; empty: all do; None: there was no time to know."""
        (answer,) = _within(2, tool, self._circuit, [range(self._lemmas)], folder, watch)
        if not answer.found:
            return set() if answer.proven else None
        rows = [[int(bit) for bit in row] for row in answer.inputs]
        final = list(self._circuit.simulate(iter(rows)))[answer.cycle]
        return {n for n in range(self._lemmas) if final[n]}

    def never(self, tool: Yosys, folder: Path, watch: Stopwatch) -> set[int]:
        """The outputs that no state has high in which the statements hold."""
        groups = [[self._lemmas + n] for n in range(len(self._outputs))]
        answers = _within(2, tool, self._circuit, groups, folder, watch)
        return {output for output, answer in zip(self._outputs, answers, strict=True) if answer.proven}


def _within(
    frames: int, tool: Yosys, circuit: Circuit, groups: Sequence[Sequence[int]], folder: Path, watch: Stopwatch
) -> list[Answer]:
    """For groups of outputs, whether one is high in some of the first cycles, 2 at least; ``proven``: none is."""
    answers = ask_abc(tool, circuit, groups, f"bmc3 -F {frames} -T {int(watch.left) + 1}", folder, watch.left)
    # ABC tells the number of the last cycle that it has looked at to its end, from 0 on.
    return [
        replace(one, proven=not one.found and one != Answer() and one.frames >= frames - 1) if not one.proven else one
        for one in answers
    ]


def _at_first(
    tool: Yosys,
    circuit: Circuit,
    latches: Mapping[str, Sequence[int]],
    lemmas: Sequence[Lemma],
    outputs: Sequence[int],
    folder: Path,
    watch: Stopwatch,
) -> bool:
    """Whether all statements hold when the reset ends, and outputs are low until then."""
    gates, state = AddedGates.behind(circuit), circuit.state
    words = {name: [state[n] for n in bits] for name, bits in latches.items()}
    wrong = gates.any_of([one.broken(gates, words.__getitem__) for one in lemmas])
    wrong = gates.any_of(
        [gates.both(_live(circuit, gates, state, words), wrong), *(circuit.outputs[n] for n in outputs)]
    )
    first = gates.circuit(circuit, [wrong])
    return _within(RESET_CYCLES + 1, tool, first, [[0]], folder, watch)[0].proven


def _live(circuit: Circuit, gates: AddedGates, state: Word, words: Mapping[str, Word]) -> int:
    """Whether the reset has ended; latches that always take 1, as those of Yosys do that tell the first cycle, are 1 then."""
    ended = gates.exceeds(words[CYCLE], constant_bits(RESET_CYCLES - 1)) if CYCLE in words else HIGH
    for n, after in enumerate(circuit.latches):
        if after == HIGH:
            ended = gates.both(ended, state[n])
    return ended
