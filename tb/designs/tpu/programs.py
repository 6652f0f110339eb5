# SPDX-License-Identifier: Apache-2.0
"""Command programs for the bench of the TPU front end: heads by docs/tpu-engine.md, everything else random.

Programs are legal by construction: they are made in one global order in which all could run one after the other, and a command
waits only for what comes earlier in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.front_end.kinds import (
    BLOCK,
    BM1684X,
    BM1688,
    BM1690,
    DMA_COUNT,
    DMA_LONG,
    DMA_SHORT,
    DMA_SYSTEM,
    LONG_ONLY,
    MESSAGE_BITS,
    NO_DEPENDENCY,
    ONE_FORM,
    TIU,
    TIU_SYSTEM,
    dma_bytes,
    tiu_bytes,
)

Rng = np.random.Generator

_UNIT = 16


@dataclass(frozen=True)
class CommandKind:
    """A kind of command: of which engine type, its short flag, its type and its sub-operation; on which chip, for its length."""

    dma: bool
    short: bool
    type: int
    sub: int
    chip: int = field(default=BM1684X, compare=False)

    @property
    def code(self) -> int:
        """The kind as the dispatch port shows it."""
        if self.dma:
            return self.short << 8 | self.type << 3 | self.sub
        return self.short << 9 | self.type << 5 | self.sub

    @property
    def beats(self) -> int:
        """Length in units of 16 bytes."""
        size = dma_bytes(self.type) if self.dma else tiu_bytes(self.chip, self.short, self.type, self.sub)
        return size // _UNIT


END = {False: CommandKind(False, False, TIU_SYSTEM, 31), True: CommandKind(True, True, DMA_SYSTEM, 0)}
SEND = {False: CommandKind(False, False, TIU_SYSTEM, 8), True: CommandKind(True, True, DMA_SYSTEM, 3)}
WAIT = {False: CommandKind(False, False, TIU_SYSTEM, 9), True: CommandKind(True, True, DMA_SYSTEM, 4)}
NOP = {False: CommandKind(False, False, TIU_SYSTEM, 30), True: CommandKind(True, True, DMA_SYSTEM, 1)}
"""System commands, for the TIU (False) and the DMAs (True)."""


NUMBERS = {chip: 1 << bits if bits else 0 for chip, bits in enumerate(MESSAGE_BITS)}
"""How many messages the field of a SEND or WAIT can name: 7 bits on BM1688 and CV184X, 9 on the others that have some."""


_POOL = 14
"""Messages that a random program uses beside the two of full barriers."""


def _subs(mask: int) -> Iterator[int]:
    return (sub for sub in range(32) if mask >> sub & 1)


def kinds(chip: int, dma: bool) -> list[CommandKind]:
    """Every kind of a chip's engine but END, SEND and WAIT."""
    found = []
    for short, table in ((False, DMA_LONG), (True, DMA_SHORT)) if dma else ((False, TIU), (True, TIU)):
        for typ, masks in table.items():
            if not dma and short and typ in (*ONE_FORM, *LONG_ONLY):
                continue
            found += [CommandKind(dma, short, typ, sub, chip) for sub in _subs(masks[chip])]
    return [k for k in found if k not in (END[dma], SEND[dma], WAIT[dma])]


def absent(chip: int, dma: bool) -> list[CommandKind]:
    """Kinds that a chip does not have, as far as a head can say them."""
    known = {*kinds(chip, dma), END[dma]} | ({SEND[dma], WAIT[dma]} if chip != BM1684X else set())
    if dma:
        types, subs = (32, 8) if chip >= BM1690 else (16, 8)
    else:
        types, subs = 16, 32
    every = (CommandKind(dma, short, t, s, chip) for short in (False, True) for t in range(types) for s in range(subs))
    return [
        k
        for k in every
        if k not in known and not (not dma and ((k.short and k.type in ONE_FORM) or (k.type == 12 and k.sub > 7)))
    ]


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        kind: what it is.
        dep: id that it waits for, 0 for none.
        message, count: of a SEND or WAIT.
        id: in the head of a BM1684X command; None: the right one.
    """

    kind: CommandKind
    dep: int = 0
    message: int | None = None
    count: int = 0
    id: int | None = None

    def encode(self, chip: int, number: int, rng: Rng) -> bytes:
        """Its bytes; arguments as for :meth:`head`."""
        return self.head(chip, number, rng) + rng.bytes(_UNIT * (self.kind.beats - 1))

    def head(self, chip: int, number: int, rng: Rng) -> bytes:
        """Its first 16 bytes; what is no head field is random.

        Args:
            chip: value of CHIP.
            number: its id.
            rng: for the rest.
        """
        word = int.from_bytes(rng.bytes(_UNIT), "little")

        def put(low: int, width: int, value: int) -> None:
            nonlocal word
            if value >> width:
                raise UsageError(f"{value} does not fit into {width} bits of {self.kind}")
            word = word & ~(((1 << width) - 1) << low) | value << low

        kind = self.kind
        name = number if self.id is None else self.id
        if kind.dma:
            wide = chip >= BM1690
            put(3, 1, kind.short)
            put(32, 5 if wide else 4, kind.type)
            put(37 if wide else 36, 3, kind.sub)
            if chip == BM1684X:
                put(9, 20, name)
            if wide:
                put(84, 1, self.dep > 0)
            # Where a bit says that there is no dependency, its field may hold anything.
            if self.dep or not wide:
                put(64, 24 if chip == BM1688 else 20, self.dep)
            if self.message is not None:
                put(96, MESSAGE_BITS[chip], self.message)
                put(DMA_COUNT[chip], 7, self.count)
        else:
            put(41, 4, kind.type)
            put(45, 3 if kind.type == 12 else 5, kind.sub)
            if kind.type not in ONE_FORM:
                put(0, 1, kind.short)
            if chip == BM1684X and kind.type != 7:
                put(1, 20, name)
            if kind.type not in NO_DEPENDENCY:
                low, width = {BM1684X: (21, 20), BM1688: (17, 24)}.get(chip, (17, 20))
                if chip >= BM1690:
                    put(37, 1, self.dep > 0)
                if self.dep or chip < BM1690:
                    put(low, width, self.dep)
            if self.message is not None:
                put(64, MESSAGE_BITS[chip], self.message)
                put(80, 7, self.count)
        return word.to_bytes(_UNIT, "little")


def stream(chip: int, commands: Sequence[Command], rng: Rng) -> bytes:
    """A stream: the commands one after the other, zeros up to a whole block."""
    raw = b"".join(command.encode(chip, i, rng) for i, command in enumerate(commands, 1))
    return raw + bytes(-len(raw) % BLOCK)


@dataclass
class CommandGroup:
    """What the engines of a core do between two hand-overs.

    Attributes:
        streams: commands by engine.
        raw: bytes by engine where they are not made from ``streams``.
        counts: count by engine where it is not the number of commands.
        leftover: blocks of noise behind each stream.
    """

    streams: list[list[Command]]
    raw: dict[int, bytes] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    leftover: int = 0


Program = list[list[CommandGroup]]
"""The groups of each core."""


class _Maker:
    """Makes a program command by command, in the global order."""

    def __init__(self, rng: Rng, chip: int, cores: int, engines: int, messages: int) -> None:
        self.rng = rng
        self.chip = chip
        self.engines = engines
        self.kinds = {dma: kinds(chip, dma) for dma in (False, True)}
        self.short = {dma: [k for k in self.kinds[dma] if k.beats == 1] for dma in (False, True)}
        self.program: Program = [[self._group()] for _ in range(cores)]
        self._full = 0
        self._pool = list(range(2, messages))
        if len(self._pool) > _POOL:
            # Few enough that they are used again, of all sizes, with the greatest one among them.
            self._pool = [*rng.choice(self._pool[:-1], _POOL - 1, replace=False).tolist(), messages - 1]
        self._fresh = list(self._pool)

    def _group(self) -> CommandGroup:
        return CommandGroup([[] for _ in range(self.engines)])

    def dependency(self, group: CommandGroup, engine: int) -> int:
        """Some command of the engine that is waited for, most often the newest."""
        made = len(group.streams[1 if engine == 0 else 0])
        draw = self.rng.random()
        if made == 0 or draw < 0.4:
            return 0
        return made if draw < 0.7 else int(self.rng.integers(1, made + 1))

    def add(self, core: int, engine: int, command: Command) -> None:
        self.program[core][-1].streams[engine].append(command)

    def random(self, core: int, short: float) -> None:
        """A command of any kind for any engine of a core."""
        engine = int(self.rng.integers(self.engines))
        dma = engine > 0
        some = self.short[dma] if self.rng.random() < short else self.kinds[dma]
        kind = some[int(self.rng.integers(len(some)))]
        dep = 0
        if dma or kind.type not in NO_DEPENDENCY:
            dep = self.dependency(self.program[core][-1], engine)
        self.add(core, engine, Command(kind, dep))

    def barrier(self, senders: Sequence[tuple[int, int]], waiters: Sequence[tuple[int, int]], message: int) -> None:
        """All senders send, then all waiters wait for all of them."""
        for core, engine in senders:
            dep = self.dependency(self.program[core][-1], engine)
            self.add(core, engine, Command(SEND[engine > 0], dep, message, len(waiters)))
        for core, engine in waiters:
            self.add(core, engine, Command(WAIT[engine > 0], 0, message, len(senders)))

    def full_barrier(self) -> None:
        """Everybody; the two messages for it alternate, as the vendor's library does, and all others are free again."""
        everyone = [(c, e) for c in range(len(self.program)) for e in range(self.engines)]
        self.barrier(everyone, everyone, self._full)
        self._full ^= 1

    def some_barrier(self) -> None:
        """Some send and some wait, on a message that was not used since the last full barrier."""
        if not self._fresh:
            self.full_barrier()
            self._fresh = list(self._pool)
            return
        everyone = [(c, e) for c in range(len(self.program)) for e in range(self.engines)]
        pick = [everyone[i] for i in self.rng.permutation(len(everyone))]
        cut = int(self.rng.integers(1, len(pick) + 1))
        start = int(self.rng.integers(0, len(pick)))
        self.barrier(pick[:cut], pick[start:], self._fresh.pop())

    def end(self, core: int) -> None:
        """END for every engine of a core's group."""
        group = self.program[core][-1]
        for engine, commands in enumerate(group.streams):
            commands.append(Command(END[engine > 0], self.dependency(group, engine)))

    def next_group(self, core: int) -> None:
        self.end(core)
        self.program[core].append(self._group())


def random_program(
    rng: Rng,
    chip: int,
    cores: int,
    engines: int,
    messages: int,
    commands: int,
    *,
    short: float = 0.3,
    barriers: float = 0.1,
    groups: int = 4,
) -> Program:
    """A legal program of all kinds, dependencies, barriers and groups.

    Args:
        rng: randomness.
        chip: value of CHIP.
        cores: CORES.
        engines: ENGINES.
        messages: NMSG.
        commands: about how many.
        short: chance of a command of 16 bytes.
        barriers: chance that a step is a barrier.
        groups: most groups of a core.
    """
    messages = min(messages, NUMBERS[chip])
    maker = _Maker(rng, chip, cores, engines, messages)
    made = 0
    while made < commands:
        core = int(rng.integers(cores))
        draw = rng.random()
        if draw < barriers and chip != BM1684X:
            if rng.random() < 0.3:
                maker.full_barrier()
            else:
                maker.some_barrier()
            made += cores * engines
        elif draw > 0.97 and len(maker.program[core]) < groups:
            maker.next_group(core)
        else:
            maker.random(core, short)
            made += 1
    for core in range(cores):
        maker.end(core)
    return maker.program
