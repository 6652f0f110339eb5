# SPDX-License-Identifier: Apache-2.0
"""What the front end is given in an episode, as a register program and memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage, MemoryTiming, Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.tpu.front_end import front_map as reg
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK, BM1684X, BM1688, BM1690, BM1690E, CV184X, SG2380
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.schedule import lane
from goldbeat.pymodels.tpu.streams.tables import chip as chip_tables
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.tpu.programs import CommandGroup, Program, stream

BY_KIND, BY_ID = 1, 2
"""Values of DUR_MODE (docs/tpu-engine.md, Duration)."""

_BLOCKS = (1 << 32) - (1 << 20)
"""Where a stream may begin: 32 bits name its first block, and what follows is no longer than the rest of them."""
_QUIET_CYCLES = 3000
"""How long an episode lasts whose end no stream shows: longer than any of them takes to come to rest."""


@dataclass
class FrontEndScene:
    """What an episode is made of.

    Attributes:
        program: groups of each core.
        timing: of the memories, by engine; one not named has the first one's.
        duration: of all commands.
        table: (mode, duration by index by engine) in place of it.
        timeout: quiet edges before a deadlock is one; None: as after reset.
        mask: value of IRQ_MASK.
        first: accesses before all others.
        extra: reads after all others.
        damaged: whether streams given as bytes may be broken, and name messages that the hardware has not.
    """

    program: Program
    timing: Sequence[MemoryTiming] = (MemoryTiming(),)
    duration: int = 1
    table: tuple[int, Mapping[int, Mapping[int, int]]] | None = None
    timeout: int | None = None
    mask: int = 0
    first: Sequence[Access] = ()
    extra: Sequence[Access] = ()
    damaged: bool = False


@dataclass(frozen=True)
class SceneShape:
    """The parameters of the front end."""

    chip: int
    cores: int
    engines: int
    depth: int
    messages: int

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> SceneShape:
        """Of parameter values."""
        return cls(*(int(params[name]) for name in ("CHIP", "CORES", "ENGINES", "DEPTH", "NMSG")))

    @property
    def number(self) -> int:
        """Engines of all cores."""
        return self.cores * self.engines


@dataclass
class StreamLayout:
    """Places streams in the memories, and makes the register accesses that say where they are."""

    shape: SceneShape
    rng: Rng
    damaged: bool = False
    regions: dict[int, list[Region]] = field(default_factory=dict)
    accesses: list[Access] = field(default_factory=list)

    def group(self, core: int, group: CommandGroup) -> None:
        """Place the streams of a group, and hand them over."""
        for engine, commands in enumerate(group.streams):
            n = core * self.shape.engines + engine
            if engine in group.raw and not self.damaged:
                _check_messages(self.shape, core, engine, group.raw[engine])
            raw = group.raw.get(engine, b"" if not commands else stream(self.shape.chip, commands, self.rng))
            count = group.counts.get(engine, len(commands))
            here = self.regions.setdefault(n, [])
            block = int(self.rng.integers(_BLOCKS)) if not here else here[-1].end // BLOCK + int(self.rng.integers(4))
            if raw:
                raw += self.rng.bytes(BLOCK * group.leftover)
                here.append(Region(f"stream{len(here)}", block * BLOCK, np.frombuffer(raw, np.uint8).copy()))
            at = reg.ENGINE + reg.ENGINE_STRIDE * n
            self.accesses += [
                Access("write", at + reg.ENGINE_BLOCK, block),
                Access("write", at + reg.ENGINE_SIZE, len(raw) // BLOCK),
                Access("write", at + reg.ENGINE_COUNT, count),
            ]
        self.accesses.append(Access("write", reg.PUSH + 4 * core, 0))


CHIP_TABLES = {
    BM1684X: "BM1684X",
    BM1688: "BM1688",
    BM1690: "BM1690",
    BM1690E: "BM1690E",
    CV184X: "CV184X",
    SG2380: "SG2380",
}
"""By CHIP, the tables that its commands are decoded by."""
ENGINES = ("tiu", "gdma", "sdma")
"""By number within a core."""


def _check_messages(shape: SceneShape, core: int, engine: int, raw: bytes) -> None:
    """Refuse a stream whose SENDs and WAITs name messages that the hardware has not: it would stop there in BAD_MESSAGE.

    Raises:
        UsageError: with the command, the message and the parameter.
    """
    found = lane(decode_stream(chip_tables(CHIP_TABLES[shape.chip]).engine(ENGINES[engine]), raw, strict=False), core)
    beyond = np.flatnonzero((found.role > 0) & (found.message >= shape.messages))
    if len(beyond):
        most = int(found.message[found.role > 0].max())
        what = f"{found.name} command {int(found.id[beyond[0]])} uses message {int(found.message[beyond[0]])}"
        raise UsageError(
            f"{what}, the front end has {shape.messages}; set NMSG to {1 << most.bit_length()} or more (messages to {most})"
        )


def _table_writes(mode: int, tables: Mapping[int, Mapping[int, int]]) -> list[Access]:
    accesses = [Access("write", reg.DUR_MODE, mode)]
    # Engines of the same table are written together.
    together: dict[tuple[tuple[int, int], ...], int] = {}
    for n, table in tables.items():
        entries = tuple(sorted(table.items()))
        together[entries] = together.get(entries, 0) | 1 << n
    for entries, mask in together.items():
        accesses.append(Access("write", reg.DUR_ENGINES, mask))
        ahead = -1
        for index, duration in entries:
            if index != ahead:
                accesses.append(Access("write", reg.DUR_INDEX, index))
            accesses.append(Access("write", reg.DUR_DATA, duration))
            ahead = index + 1
        # Back to an entry that counts: neither a write that is refused nor one elsewhere may change it.
        accesses.append(Access("write", reg.DUR_INDEX, entries[0][0]))
        accesses.append(Access("write", reg.DUR_DATA, entries[0][1] ^ 0x15, 0x7))
    return accesses


def end_reads(params: Mapping[str, Any]) -> tuple[Access, ...]:
    """Everything that tells how a run ended."""
    shape = SceneShape.of(params)
    at = [reg.CTRL, reg.IRQ_STATUS, reg.ERROR, reg.ERROR_ID, *(reg.PUSH + 4 * c for c in range(shape.cores))]
    at += [
        reg.ENGINE + reg.ENGINE_STRIDE * n + o
        for n in range(shape.number)
        for o in (reg.ENGINE_CURRENT, reg.ENGINE_STATUS)
    ]
    # The first ones are those that barriers use; the last one is where the map ends.
    at += [reg.MESSAGE + 4 * m for m in sorted({*range(min(4, shape.messages)), shape.messages - 1})]
    return tuple(Access("read", a) for a in at)


def front_end_stimulus(scene: FrontEndScene, setting: CaseContext, rng: Rng, *, start: int = 0) -> Stimulus:
    """An episode without patterns on the dispatch ports; the trigger comes at edge ``start``."""
    shape, clock = SceneShape.of(setting.params), setting.clocks["aclk"]
    layout = StreamLayout(shape, rng, scene.damaged)
    for core, groups in enumerate(scene.program):
        for group in groups:
            layout.group(core, group)
    accesses = [*scene.first, Access("write", reg.IRQ_MASK, scene.mask), Access("write", reg.DURATION, scene.duration)]
    if scene.timeout is not None:
        accesses.append(Access("write", reg.TIMEOUT, scene.timeout))
    if scene.table is not None:
        accesses += _table_writes(*scene.table)
    accesses += layout.accesses
    trigger = Trace.from_bytes(
        np.zeros((1, 1), np.uint8), cycle=[start], clock_ps=clock.period_ps, offset_ps=clock.offset_ps
    )
    memories = {
        f"m_axi_{n}": MemoryImage(tuple(layout.regions.get(n, ())), scene.timing[n % len(scene.timing)])
        for n in range(shape.number)
    }
    return Stimulus(
        {"start": trigger},
        {},
        setting.clocks,
        {"s_axil": tuple(accesses)},
        {"s_axil": (*end_reads(setting.params), *scene.extra)},
        memories=memories,
    )


def at_rest(stimulus: Stimulus, more: int = 0) -> Stimulus:
    """The same, long enough for everything to come to rest, with more cycles on top."""
    clock = stimulus.clocks["aclk"]
    return replace(stimulus, least_ps=clock.time(_QUIET_CYCLES + more))
