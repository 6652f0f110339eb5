# SPDX-License-Identifier: Apache-2.0
"""Heads of the TPU's commands one after the other: every kind that is there, and heads that are wrong in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.tpu.front_end import front_map as reg
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, BM1688, DMA_LONG, DMA_SHORT, TIU
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.tpu.programs import (
    END,
    NOP,
    NUMBERS,
    SEND,
    WAIT,
    Command,
    CommandGroup,
    CommandKind,
    absent,
    kinds,
)
from goldbeat.tb.designs.tpu.scene import FrontEndScene, SceneShape, front_end_stimulus

_SHORT_WHILE = 60
"""Cycles in which a stream of two commands comes to its end or to its error."""
_MANY, _FEWER = 4, 4
"""Of more than so many engines, one of so many wrong heads is tried."""
_STRANGE = 2
"""Kinds per engine and form whose type no chip has."""
_COUNT_BITS = 7


@dataclass(frozen=True)
class WrongHead:
    """A command that must end in an error, the first one of an engine."""

    engine: int
    command: Command


def _episode(
    setting: CaseContext,
    rng: Rng,
    streams: list[list[Command]],
    extra: tuple[Access, ...] = (),
    *,
    everywhere: bool = False,
) -> Stimulus:
    """Streams of the last core, or of all; the other cores rest."""
    shape = SceneShape.of(setting.params)
    group = CommandGroup(streams + [[] for _ in range(shape.engines - len(streams))])
    others = [[group] if everywhere else [] for _ in range(shape.cores - 1)]
    scene = FrontEndScene([*others, [group]], extra=extra)
    stimulus = front_end_stimulus(scene, setting, rng)
    ready = {name: setting.pattern("ready", salt) for salt, name in enumerate(setting.outputs)}
    return replace(stimulus, ready=ready)


def _every_kind(setting: CaseContext) -> list[Stimulus]:
    """Every kind that the chip has, once for each engine, in any order."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 16])
    streams = []
    for engine in range(2):
        some = kinds(shape.chip, engine > 0)
        commands = [Command(some[i]) for i in rng.permutation(len(some)).tolist()]
        streams.append([*commands, Command(END[engine > 0])])
    # An interrupt that is cleared stays so, though the core still has its group.
    cleared = (Access("write", reg.IRQ_STATUS, (1 << 32) - 1), Access("read", reg.IRQ_STATUS))
    return [_episode(setting, rng, streams, cleared)]


def _neighbours(rng: Rng, chip: int, *, dma: bool) -> Iterator[CommandKind]:
    """Of each type and form the lowest sub-operation that is not there, and some of types that no chip has.

    Where 0 is the only one that is there, those that differ from it in one bit.
    """
    there = Counter((kind.short, kind.type) for kind in kinds(chip, dma))
    lowest: dict[tuple[bool, int], CommandKind] = {}
    for kind in absent(chip, dma):
        form = (kind.short, kind.type)
        if lowest.setdefault(form, kind) != kind and there[form] == 1 and kind.sub.bit_count() == 1:
            yield kind
    named = {*DMA_LONG, *DMA_SHORT} if dma else set(TIU)
    strange = [kind for kind in lowest.values() if kind.type not in named]
    yield from (kind for kind in lowest.values() if kind.type in named)
    yield from (strange[i] for i in rng.permutation(len(strange))[:_STRANGE].tolist())


def wrong_heads(rng: Rng, shape: SceneShape) -> Iterator[WrongHead]:
    """Heads with a kind that is not there, or with one wrong bit in the id, the dependency or the message.

    Each is followed by END, and the other engine has END alone.
    """
    chip = shape.chip
    for engine in (0, 1):
        dma = engine > 0
        yield from (WrongHead(engine, Command(kind)) for kind in _neighbours(rng, chip, dma=dma))
        if chip == BM1684X:
            yield from (WrongHead(engine, Command(NOP[dma], id=1 ^ 1 << bit)) for bit in range(20))
        wide = 24 if chip == BM1688 else 20
        yield from (WrongHead(engine, Command(NOP[dma], 1 << bit)) for bit in range(1, wide))
        beyond = shape.messages
        while beyond < NUMBERS[chip]:
            meet = (SEND, WAIT)[int(rng.integers(2))][dma]
            yield WrongHead(engine, Command(meet, 0, beyond, 1))
            beyond *= 2


def _wrong(setting: CaseContext) -> list[Stimulus]:
    """Each wrong head in an episode of its own, then one in each engine: an error ends it."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 17])
    episodes = []
    # Hardware of many engines has the heads of the small one, which goes through all of them.
    every = _FEWER if shape.number > _MANY else 1
    for one in list(wrong_heads(rng, shape))[setting.seed % every :: every]:
        streams = [[Command(END[False])], [Command(END[True])]]
        streams[one.engine].insert(0, one.command)
        episodes.append(_episode(setting, rng, streams))
    # All at the same edge: the lowest engine's error is the one that is kept.
    streams = [[Command(next(_neighbours(rng, shape.chip, dma=dma))), Command(END[dma])] for dma in (False, True)]
    episodes.append(_episode(setting, rng, streams, everywhere=True))
    told = {"s_axil": tuple(Access("read", at) for at in (reg.CTRL, reg.ERROR, reg.ERROR_ID))}
    least = setting.clocks["aclk"].time(_SHORT_WHILE)
    return [replace(episode, least_ps=least, after=told) for episode in episodes]


def _counts(setting: CaseContext) -> list[Stimulus]:
    """SENDs with a count of each bit, which the register of their message shows."""
    shape = SceneShape.of(setting.params)
    rng = np.random.default_rng([setting.seed, 18])
    if shape.chip == BM1684X:
        return []
    messages = rng.permutation(min(shape.messages, NUMBERS[shape.chip])).tolist()
    streams = []
    for engine in range(2):
        used = [messages[(engine * _COUNT_BITS + bit) % len(messages)] for bit in range(_COUNT_BITS)]
        commands = [Command(SEND[engine > 0], 0, message, 1 << bit) for bit, message in enumerate(used)]
        streams.append([*commands, Command(END[engine > 0])])
    seen = tuple(Access("read", reg.MESSAGE + 4 * message) for message in messages[: 2 * _COUNT_BITS])
    return [_episode(setting, rng, streams, seen)]


def _heads(setting: CaseContext) -> list[Stimulus]:
    return [*_every_kind(setting), *_counts(setting), *_wrong(setting)]


def heads_case(patterns: Mapping[str, str]) -> Case:
    """The case, with these patterns on the dispatch ports."""
    return Case(
        name="heads",
        summary="every kind of command, then heads that are wrong in one place",
        make=_heads,
        options=dict(patterns),
    )
