# SPDX-License-Identifier: Apache-2.0
"""Damage to command streams and programs, each kind with the errors of docs/tpu-engine.md that it may end in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.tpu.front_end.kinds import BLOCK, BM1684X, BM1690
from goldbeat.tb.designs.tpu.programs import (
    END,
    NOP,
    NUMBERS,
    SEND,
    WAIT,
    Command,
    CommandGroup,
    CommandKind,
    Program,
    absent,
    kinds,
    stream,
)

Rng = np.random.Generator

(BUS, BAD_KIND, OVERRUN, BAD_ID, END_EARLY, END_MISSING, BAD_DEPENDENCY, BAD_MESSAGE, DEADLOCK) = range(1, 10)
"""Error codes (docs/tpu-engine.md, Errors)."""

_MAX_COUNT = 1 << 20


@dataclass
class DamageTarget:
    """What is damaged.

    Attributes:
        rng: randomness.
        chip: value of CHIP.
        messages: how many the hardware has.
        program: what runs; damage changes it in place.
    """

    rng: Rng
    chip: int
    messages: int
    program: Program

    @property
    def group(self) -> CommandGroup:
        """The group that is damaged: the last one of the last core."""
        return self.program[-1][-1]

    def raw(self, engine: int) -> bytearray:
        """The bytes of a stream of that group, to be changed."""
        if engine not in self.group.raw:
            commands = self.group.streams[engine]
            self.group.raw[engine] = stream(self.chip, commands, self.rng)
        return bytearray(self.group.raw[engine])

    def start_of(self, engine: int, command: int) -> int:
        """The byte at which a command starts."""
        return 16 * sum(c.kind.beats for c in self.group.streams[engine][:command])


@dataclass(frozen=True)
class Damage:
    """A kind of damage.

    Attributes:
        name: for messages.
        errors: the codes that it may end in.
        apply: changes the target.
        chips: where it makes sense.
        beyond: whether it names a message that the hardware has not, so that the field must be able to.
    """

    name: str
    errors: frozenset[int]
    apply: Callable[[DamageTarget], None]
    chips: tuple[int, ...] = tuple(NUMBERS)
    beyond: bool = False


def _middle(target: DamageTarget, engine: int) -> int:
    return len(target.group.streams[engine]) // 2


def _kind(engine: int, pick: Callable[[CommandKind], bool]) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        some = [k for k in absent(target.chip, engine > 0) if pick(k)]
        kind = some[int(target.rng.integers(len(some)))]
        at = _middle(target, engine)
        raw, start = target.raw(engine), target.start_of(engine, at)
        raw[start : start + 16] = Command(kind).head(target.chip, at + 1, target.rng)
        target.group.raw[engine] = bytes(raw)

    return apply


def _wrong_id(target: DamageTarget) -> None:
    commands = target.group.streams[0]
    at = _middle(target, 0)
    commands[at] = Command(NOP[False], id=at + 2)


def _drop(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        commands = target.group.streams[engine]
        target.group.counts[engine] = len(commands)
        at = _middle(target, engine)
        raw = target.raw(engine)
        start, end = target.start_of(engine, at), target.start_of(engine, at + 1)
        del raw[start:end]
        target.group.raw[engine] = bytes(raw) + bytes(-len(raw) % BLOCK)

    return apply


def _repeat(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        at = _middle(target, engine)
        raw = target.raw(engine)
        start, end = target.start_of(engine, at), target.start_of(engine, at + 1)
        raw[start:start] = raw[start:end]
        target.group.raw[engine] = bytes(raw) + bytes(-len(raw) % BLOCK)

    return apply


def _cut_inside(target: DamageTarget) -> None:
    """The stream ends in the middle of a command."""
    commands = target.group.streams[0]
    long = next(k for k in kinds(target.chip, False) if k.beats == 8)
    # 7 single beats, then a long command over the end of the block.
    commands[:] = [*[Command(NOP[False])] * 7, Command(long), *commands]
    _clear_dependencies(target)
    target.group.raw[0] = stream(target.chip, commands, target.rng)[:BLOCK]
    target.group.counts[0] = len(commands)


def _cut_between(target: DamageTarget) -> None:
    """The stream ends behind a command that is not END."""
    commands = target.group.streams[0]
    commands[:] = [*[Command(NOP[False])] * 8, *commands]
    _clear_dependencies(target)
    target.group.raw[0] = stream(target.chip, commands, target.rng)[:BLOCK]
    target.group.counts[0] = len(commands)


def _clear_dependencies(target: DamageTarget) -> None:
    for commands in target.group.streams:
        commands[:] = [replace(c, dep=0) for c in commands]


def _no_end(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        raw = target.raw(engine)
        start = target.start_of(engine, len(target.group.streams[engine]) - 1)
        raw[start : start + 16] = bytes(16)
        target.group.raw[engine] = bytes(raw)

    return apply


def _end_to_nop(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        commands = target.group.streams[engine]
        commands[-1] = Command(NOP[engine > 0])

    return apply


def _early_end(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        commands = target.group.streams[engine]
        commands[_middle(target, engine)] = Command(END[engine > 0])

    return apply


def _count(engine: int, more: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        target.group.counts[engine] = len(target.group.streams[engine]) + more

    return apply


def _depend(engine: int, far: int | None) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        commands = target.group.streams[engine]
        other = len(target.group.streams[0 if engine else 1])
        at = _middle(target, engine)
        dep = other + far if far is not None else _MAX_COUNT - 1
        commands[at] = Command(NOP[engine > 0], dep)

    return apply


def _cross(target: DamageTarget) -> None:
    """Both engines wait for what the other one does next."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    a, b = _middle(target, 0), _middle(target, 1)
    tiu[a], dma[b] = Command(NOP[False], b + 1), Command(NOP[True], a + 1)


def _cross_ends(target: DamageTarget) -> None:
    """Both engines begin by waiting for the other one's END."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    tiu[0], dma[0] = Command(NOP[False], len(dma)), Command(NOP[True], len(tiu))


def _wait_for_end(target: DamageTarget) -> None:
    """The DMA needs a command of the TIU that waits for the DMA's END."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    tiu[-1] = replace(tiu[-1], dep=len(dma))
    dma[-1] = replace(dma[-1], dep=len(tiu))


def _insert(engine: int, command: Callable[[DamageTarget], Command]) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        commands = target.group.streams[engine]
        commands[_middle(target, engine)] = command(target)

    return apply


def _unanswered(engine: int) -> Callable[[DamageTarget], None]:
    return _insert(engine, lambda t: Command(WAIT[engine > 0], 0, min(t.messages, NUMBERS[t.chip]) - 1, 1))


def _left_alone(target: DamageTarget) -> None:
    """The last engine waits for ever, and no other one for it."""
    tiu, last = target.group.streams[0], target.group.streams[-1]
    last.insert(-1, Command(WAIT[True], 0, min(target.messages, NUMBERS[target.chip]) - 1, 1))
    tiu[:] = [replace(one, dep=min(one.dep, len(target.group.streams[1]) - 2)) for one in tiu]


def _short_count(target: DamageTarget) -> None:
    """One SEND of two that a WAIT needs."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    tiu[_middle(target, 0)] = Command(SEND[False], 0, 1, 1)
    dma[_middle(target, 1)] = Command(WAIT[True], 0, 1, 2)


def _wrong_message(target: DamageTarget) -> None:
    """A SEND on one message, its WAIT on another."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    tiu[_middle(target, 0)] = Command(SEND[False], 0, 0, 1)
    dma[_middle(target, 1)] = Command(WAIT[True], 0, 1, 1)


def _taken_twice(target: DamageTarget) -> None:
    """Two WAITs for a SEND that says that there is one."""
    tiu, dma = target.group.streams[0], target.group.streams[1]
    tiu[_middle(target, 0)] = Command(SEND[False], 0, 1, 1)
    at = _middle(target, 1)
    dma[at : at + 1] = [Command(WAIT[True], 0, 1, 1), Command(WAIT[True], 0, 1, 1)]


def _noise(engine: int) -> Callable[[DamageTarget], None]:
    def apply(target: DamageTarget) -> None:
        target.group.raw[engine] = target.rng.bytes(len(target.raw(engine)))

    return apply


def _zeros(target: DamageTarget) -> None:
    target.group.raw[0] = bytes(len(target.raw(0)))


def _ones(target: DamageTarget) -> None:
    target.group.raw[1] = b"\xff" * len(target.raw(1))


def _shifted(target: DamageTarget) -> None:
    """The stream begins one beat late."""
    raw = target.raw(0)
    target.group.raw[0] = bytes(raw[16:]) + bytes(16)


def _exchanged(target: DamageTarget) -> None:
    """Each engine gets the other one's stream."""
    tiu, dma = bytes(target.raw(0)), bytes(target.raw(1))
    target.group.raw |= {0: dma, 1: tiu}


def _other_chip(target: DamageTarget) -> None:
    """A stream for another chip, whose dependencies stand elsewhere."""
    chip = BM1690 if target.chip == BM1684X else BM1684X
    commands = [Command(NOP[True], 3) for _ in target.group.streams[1][:-1]]
    target.group.raw[1] = stream(chip, [*commands, Command(END[True])], target.rng)
    target.group.counts[1] = len(commands) + 1


def _end_alone(target: DamageTarget) -> None:
    commands = target.group.streams[1]
    target.group.counts[1] = len(commands)
    target.group.raw[1] = stream(target.chip, [Command(END[True])], target.rng)


def _codes(*codes: int) -> frozenset[int]:
    return frozenset(codes)


_ANY = frozenset(range(BAD_KIND, DEADLOCK + 1))
_IDS = (BM1684X,)
_COUNTED = _WITH_MESSAGES = tuple(chip for chip in NUMBERS if chip != BM1684X)
_ORDER = _codes(BAD_ID)

DAMAGES: tuple[Damage, ...] = (
    Damage("TIU type that is not there", _codes(BAD_KIND), _kind(0, lambda k: k.type == 11)),
    Damage("TIU sub-operation that is not there", _codes(BAD_KIND), _kind(0, lambda k: k.type == 14)),
    Damage("TIU system command that is not there", _codes(BAD_KIND), _kind(0, lambda k: k.type == 15)),
    Damage("TIU command without such a short form", _codes(BAD_KIND), _kind(0, lambda k: k.type == 8 and k.short)),
    Damage("DMA type that is not there", _codes(BAD_KIND), _kind(1, lambda k: k.type == 14)),
    Damage("DMA function that is not there", _codes(BAD_KIND), _kind(1, lambda k: k.type == 7 and not k.short)),
    Damage("DMA command without such a short form", _codes(BAD_KIND), _kind(1, lambda k: k.type == 0 and k.short)),
    Damage("DMA system command in long form", _codes(BAD_KIND), _kind(1, lambda k: k.type == 6 and not k.short)),
    Damage("stream cut inside a command", _codes(OVERRUN), _cut_inside),
    Damage("stream cut between commands", _codes(END_MISSING), _cut_between),
    Damage("zeros in place of END, TIU", _codes(BAD_ID, OVERRUN, END_MISSING), _no_end(0)),
    Damage("zeros in place of END, DMA", _codes(BAD_ID, OVERRUN, END_MISSING), _no_end(1)),
    Damage("NOP in place of END, TIU", _codes(END_MISSING), _end_to_nop(0)),
    Damage("NOP in place of END, DMA", _codes(END_MISSING), _end_to_nop(1)),
    Damage("END in the middle, TIU", _codes(END_EARLY), _early_end(0)),
    Damage("END in the middle, DMA", _codes(END_EARLY), _early_end(1)),
    Damage("count one too great", _codes(END_EARLY), _count(0, 1)),
    Damage("count one too small", _codes(END_MISSING), _count(1, -1)),
    Damage("count far too great", _codes(END_EARLY), _count(1, 1 << 20)),
    Damage("command lost, ids in the head", _ORDER, _drop(0), _IDS),
    Damage("command lost, ids implied", _codes(END_EARLY, END_MISSING), _drop(1), _COUNTED),
    Damage("command twice, ids in the head", _ORDER, _repeat(1), _IDS),
    Damage("command twice, ids implied", _codes(END_MISSING), _repeat(0), _COUNTED),
    Damage("wrong id in the head", _ORDER, _wrong_id, _IDS),
    Damage("TIU waits for one beyond the DMA's last", _codes(BAD_DEPENDENCY), _depend(0, 1)),
    Damage("DMA waits for one beyond the TIU's last", _codes(BAD_DEPENDENCY), _depend(1, 1)),
    Damage("waits for the greatest id", _codes(BAD_DEPENDENCY), _depend(1, None)),
    Damage("both wait for each other", _codes(DEADLOCK), _cross),
    Damage("both wait for the other's END at first", _codes(DEADLOCK), _cross_ends),
    Damage("ENDs wait for each other", _codes(DEADLOCK), _wait_for_end),
    Damage("WAIT without SEND, TIU", _codes(DEADLOCK), _unanswered(0), _WITH_MESSAGES),
    Damage("WAIT without SEND, DMA", _codes(DEADLOCK), _unanswered(1), _WITH_MESSAGES),
    Damage("WAIT for one SEND too many", _codes(DEADLOCK), _short_count, _WITH_MESSAGES),
    Damage("SEND and WAIT on two messages", _codes(DEADLOCK), _wrong_message, _WITH_MESSAGES),
    Damage("one WAIT too many", _codes(DEADLOCK, END_MISSING), _taken_twice, _WITH_MESSAGES),
    Damage(
        "message that is not there",
        _codes(BAD_MESSAGE),
        _insert(1, lambda t: Command(SEND[True], 0, t.messages, 1)),
        _WITH_MESSAGES,
        beyond=True,
    ),
    Damage(
        "greatest message",
        _codes(BAD_MESSAGE),
        _insert(0, lambda t: Command(WAIT[False], 0, NUMBERS[t.chip] - 1, 1)),
        _WITH_MESSAGES,
        beyond=True,
    ),
    Damage("SEND for nobody", _codes(BAD_MESSAGE), _insert(0, lambda t: Command(SEND[False], 0, 1, 0)), (1, 2)),
    Damage("WAIT for nobody", _codes(BAD_MESSAGE), _insert(1, lambda t: Command(WAIT[True], 0, 1, 0)), (1, 2)),
    Damage("noise in the TIU's stream", _ANY, _noise(0)),
    Damage("noise in the DMA's stream", _ANY, _noise(1)),
    Damage("zeros", _ANY, _zeros),
    Damage("ones", _ANY, _ones),
    Damage("stream from its second beat on", _ANY, _shifted),
    Damage("streams exchanged", _ANY, _exchanged),
    Damage("stream of another chip", _ANY, _other_chip),
    Damage("END alone", _codes(END_EARLY), _end_alone),
    Damage("WAIT without SEND, the last engine behind all others", _codes(DEADLOCK), _left_alone, _WITH_MESSAGES),
)
"""Every kind of damage."""
