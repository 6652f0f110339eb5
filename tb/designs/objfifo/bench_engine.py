# SPDX-License-Identifier: Apache-2.0
"""The object FIFO DMA engine: buffer descriptors, locks and banked memory between streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.objfifo.engine import engine_map as reg
from goldbeat.pymodels.objfifo.engine.alone import predict
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses, header_word
from goldbeat.pymodels.objfifo.engine.from_plan import from_plan
from goldbeat.pymodels.objfifo.engine.registers import (
    BD_WORDS,
    MOST_BDS,
    Descriptor,
    EngineShape,
    EngineTask,
    descriptor_writes,
    disarm,
    memory_reads,
    memory_writes,
    order_writes,
    pad_writes,
)
from goldbeat.pymodels.objfifo.plan.design import Fifo, Link
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as ObjectFifos
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, registers_case, stream_cases
from goldbeat.tb.designs.objfifo.design_case import design_case
from goldbeat.tb.designs.objfifo.draw import draw
from goldbeat.tb.designs.objfifo.field_scenes import field_stimuli
from goldbeat.tb.designs.objfifo.live_case import executed_case
from goldbeat.tb.designs.objfifo.npu1_scenes import dressed_experiment, experiments
from goldbeat.tb.designs.objfifo.scene import EngineScene, dressed_scene, engine_stimulus, random_halves, rough_access
from goldbeat.tb.designs.objfifo.timeline import engine_timeline
from goldbeat.tb.designs.objfifo.waivers import engine_waivers
from goldbeat.tb.paths import HDL

LARGEST = {"NS": 6, "NM": 6, "NBD": 64, "NBANK": 8, "MEM_WORDS": 4096}
"""Everything at its limit but the memory; too long to build for every day."""

REGION = 128
"""Words of memory that cases without a layout of their own fill, use and read back."""
_HALF_LOCKS = 4
_CORE_SHARE = 0.3
"""Of the channels of random scenes, those that stand for a core."""

_OOO_SHARE = 0.2
"""Of the channels to memory of random scenes, those that are out of order."""

_PATTERNS = {"gaps": "none", "ready": "none"}


def _scene(setting: CaseContext, feeds: Mapping[int, int]) -> tuple[EngineShape, EngineScene]:
    """An empty scene with so many random words for these channels."""
    shape = EngineShape.of(setting.params)
    rng = np.random.default_rng(setting.seed)
    return shape, EngineScene(words={c: random_halves(shape, rng, count) for c, count in feeds.items()})


# -- cases with hand-made descriptors --------------------------------------------------------------------------------


def _forward(setting: CaseContext) -> list[Stimulus]:
    """One channel fills a ring of buffers, another empties it."""
    depth, words = int(setting.options["depth"]), int(setting.options["words"])
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * words})
    at = [n * words for n in range(depth)]
    fill = scene.ring(0, [Descriptor(a, words, acquire=(0, 1), release=(1, 1)) for a in at])
    drain = scene.ring(depth, [Descriptor(a, words, acquire=(1, 1), release=(0, 1)) for a in at])
    scene.locks = {0: depth}
    scene.tasks = [EngineTask(0, fill), EngineTask(shape.ns, drain)]
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _distribute(setting: CaseContext) -> list[Stimulus]:
    """Objects come in whole and leave in parts, one part to each output."""
    words = int(setting.options["words"])
    shape = EngineShape.of(setting.params)
    _, scene = _scene(setting, {0: int(setting.options["objects"]) * words * shape.nm})
    parts = range(shape.nm)
    place = [[(b * shape.nm + p) * words for p in parts] for b in range(2)]
    fill = [Descriptor(place[b][p], words, acquire=(2 * p, 1), release=(2 * p + 1, 1)) for b in range(2) for p in parts]
    scene.tasks = [EngineTask(0, scene.ring(0, fill))]
    for p in parts:
        drain = [Descriptor(place[b][p], words, acquire=(2 * p + 1, 1), release=(2 * p, 1)) for b in range(2)]
        scene.tasks.append(EngineTask(shape.ns + p, scene.ring(len(fill) + 2 * p, drain)))
        scene.locks[2 * p] = 2
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _join(setting: CaseContext) -> list[Stimulus]:
    """Parts come in on all inputs, and leave as whole objects that end with TLAST."""
    words = int(setting.options["words"])
    shape = EngineShape.of(setting.params)
    parts = range(shape.ns)
    _, scene = _scene(setting, dict.fromkeys(parts, int(setting.options["objects"]) * words))
    place = [[(b * shape.ns + p) * words for p in parts] for b in range(2)]
    drain = [
        Descriptor(place[b][p], words, acquire=(2 * p + 1, 1), release=(2 * p, 1), tlast=p == shape.ns - 1)
        for b in range(2)
        for p in parts
    ]
    scene.tasks = [EngineTask(shape.ns, scene.ring(0, drain))]
    for p in parts:
        fill = [Descriptor(place[b][p], words, acquire=(2 * p, 1), release=(2 * p + 1, 1)) for b in range(2)]
        scene.tasks.append(EngineTask(p, scene.ring(len(drain) + 2 * p, fill)))
        scene.locks[2 * p] = 2
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _broadcast(setting: CaseContext) -> list[Stimulus]:
    """Every object leaves by every output; a buffer is handed from one output's channel to the next, the last one frees it."""
    words = int(setting.options["words"])
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * words})
    place = [n * words for n in range(3)]
    stages = shape.nm + 1
    for stage, channel in enumerate([0, *range(shape.ns, shape.channels)]):
        descriptors = [Descriptor(a, words, acquire=(stage, 1), release=((stage + 1) % stages, 1)) for a in place]
        scene.tasks.append(EngineTask(channel, scene.ring(3 * stage, descriptors)))
    scene.locks = {0: 3}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _transpose(setting: CaseContext) -> list[Stimulus]:
    """Matrices come in by rows and leave by columns."""
    rows, columns = int(setting.options["rows"]), int(setting.options["columns"])
    size = rows * columns
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * size})
    fill = [Descriptor(b * size, size, acquire=(0, 1), release=(1, 1)) for b in range(2)]
    drain = [
        Descriptor(b * size, size, (rows, columns, 0), (columns, 1, 0, 0), acquire=(1, 1), release=(0, 1))
        for b in range(2)
    ]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(2, drain))]
    scene.locks = {0: 2}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


PADDED = (3, 4, 2)
"""Words, rows and planes of an object of the case ``padding``."""
PAD_BEFORE, PAD_AFTER = (2, 1, 1), (1, 0, 2)
"""Padding around them."""


def _padding(setting: CaseContext) -> list[Stimulus]:
    """Objects get a value around all their dimensions on the way out."""
    a, b, c = PADDED
    size = a * b * c
    full = int(np.prod([p + n + q for p, n, q in zip(PAD_BEFORE, PADDED, PAD_AFTER, strict=True)]))
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * size})
    fill = [Descriptor(n * size, size, acquire=(0, 1), release=(1, 1)) for n in range(2)]
    drain = [
        Descriptor(
            n * size,
            full,
            PADDED,
            (1, a, a * b, 0),
            pad_before=PAD_BEFORE,
            pad_after=PAD_AFTER,
            acquire=(1, 1),
            release=(0, 1),
        )
        for n in range(2)
    ]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(2, drain))]
    scene.locks = {0: 2}
    scene.pads = {m: int(setting.options["value"]) + m for m in range(shape.nm)}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _repeat(setting: CaseContext) -> list[Stimulus]:
    """Every object leaves several times."""
    words, times = int(setting.options["words"]), int(setting.options["times"])
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * words})
    fill = [Descriptor(b * words, words, acquire=(0, times), release=(1, times)) for b in range(2)]
    drain = [Descriptor(b * words, words, acquire=(1, 1), release=(0, 1)) for b in range(2) for _ in range(times)]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(2, drain))]
    scene.locks = {0: 2 * times}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _init_values(setting: CaseContext) -> list[Stimulus]:
    """Two of three buffers are full at the start."""
    words = int(setting.options["words"])
    shape, scene = _scene(setting, {0: int(setting.options["objects"]) * words})
    rng = np.random.default_rng([setting.seed, 1])
    place = [n * words for n in range(3)]
    scene.memory = {0: random_halves(shape, rng, 2 * words)}
    fill = [Descriptor(place[n], words, acquire=(0, 1), release=(1, 1)) for n in (2, 0, 1)]
    drain = [Descriptor(a, words, acquire=(1, 1), release=(0, 1)) for a in place]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(3, drain))]
    scene.locks = {0: 1, 1: 2}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


def _rechunk(setting: CaseContext) -> list[Stimulus]:
    """Objects of six words come in, objects of four leave; locks count pairs of words."""
    shape, scene = _scene(setting, {0: 12 * int(setting.options["objects"])})
    fill = [Descriptor(6 * n, 6, acquire=(0, 3), release=(1, 3)) for n in range(4)]
    drain = [Descriptor(4 * n, 4, acquire=(1, 2), release=(0, 2)) for n in range(6)]
    scene.tasks = [EngineTask(0, scene.ring(0, fill)), EngineTask(shape.ns, scene.ring(4, drain))]
    scene.locks = {0: 12}
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


CHAIN_SLOTS = 4
"""Objects of the case ``chain``, and their places in memory."""
CHAIN_PACKETS = ((5, 3), (6, 0))
"""Packet id and type of even and of odd objects."""


def _chain(setting: CaseContext) -> list[Stimulus]:
    """Chains with an end, repeated, with tokens, packet headers and iterations."""
    words = int(setting.options["words"])
    shape, scene = _scene(setting, {0: CHAIN_SLOTS * words})
    scene.chain(0, [Descriptor(0, words, iteration_size=CHAIN_SLOTS, iteration_step=words, release=(0, 1))])
    even = Descriptor(0, words, acquire=(0, 1), iteration_size=CHAIN_SLOTS // 2, iteration_step=2 * words)
    scene.chain(1, [replace(even, base=n * words, packet=packet) for n, packet in enumerate(CHAIN_PACKETS)])
    scene.tasks = [EngineTask(0, 0, repeat=1, token=True), EngineTask(0, 0), EngineTask(0, 0, token=True)]
    scene.tasks += [EngineTask(shape.ns, 1, repeat=1, token=True)]
    scene.read_back = (0, CHAIN_SLOTS * words)
    return [dressed_scene(engine_stimulus(scene, setting), setting)]


OOO_SLOTS = 3
"""Descriptors of the case ``out_of_order``, and their ids: those of its slots in rising order."""
OOO_IDS = (9, 3, 6)


def _out_of_order(setting: CaseContext) -> list[Stimulus]:
    """Packets come in any order and are placed by the ids in their headers; they leave together, and again with headers."""
    words, per = int(setting.options["words"]), int(setting.options["packets"])
    shape, scene = _scene(setting, {})
    rng = np.random.default_rng([setting.seed, 2])
    count, size = OOO_SLOTS * per, OOO_SLOTS * per * words
    packets = random_halves(shape, rng, count * (words + 1)).reshape(count, words + 1, shape.lanes)
    slots = rng.permutation(np.repeat(np.arange(OOO_SLOTS), per))
    packets[:, 0, 0] = [header_word(5, 2, OOO_IDS[slot]) for slot in slots]
    scene.words = {0: packets.reshape(-1)}
    for slot, number in enumerate(OOO_IDS):
        base = slot * per * words
        # The id of a next descriptor means nothing.
        scene.descriptors[number] = Descriptor(
            base, words, iteration_size=per, iteration_step=words, release=(0, 1), next=OOO_IDS[0]
        )
    scene.descriptors[0] = Descriptor(0, size, acquire=(0, count), next=1)
    scene.descriptors[1] = Descriptor(0, words, packet=(7, 1), ooo_id=45, release=(1, 1))
    scene.tasks = [EngineTask(0, 0, repeat=count - 1, token=True), EngineTask(shape.ns, 0, token=True)]
    scene.out_of_order = (0,)
    scene.read_back = (0, size)
    # The task of a core's channel takes as many packets as come.
    endless = replace(scene, tasks=[EngineTask(0, 0), *scene.tasks[1:]], cores=(0,))
    return [dressed_scene(engine_stimulus(one, setting), setting) for one in (scene, endless)]


def _planned(setting: CaseContext) -> list[Stimulus]:
    """What the planner makes of a memory tile: a link that distributes objects, and one that joins them."""
    shape = EngineShape.of(setting.params)
    rng = np.random.default_rng(setting.seed)
    words, count = int(setting.options["words"]), int(setting.options["objects"])
    episodes = []
    for split in (True, False):
        legs = shape.nm if split else shape.ns
        (tile,) = (t for t in plan(_link(split, legs, words)).tiles if t.tile.kind is TileKind.MEM)
        loaded = from_plan(tile, shape)
        feeds = {0: legs * words * count} if split else dict.fromkeys(range(legs), words * count)
        scene = EngineScene(loaded.descriptors, list(loaded.tasks), loaded.locks)
        scene.words = {c: random_halves(shape, rng, size) for c, size in feeds.items()}
        episodes.append(dressed_scene(engine_stimulus(scene, setting), setting))
    return episodes


def _link(split: bool, legs: int, words: int) -> ObjectFifos:
    """A memory tile between the shim and one core for each leg."""
    memory, shim = ANY.tile(0, 1), ANY.tile(0, 0)
    cores = [ANY.tile(2 * n, 2) for n in range(legs)]
    part, whole = (ObjectType((size,), np.dtype(np.int32)) for size in (words, legs * words))
    offsets = tuple(n * words for n in range(legs))
    names = tuple(f"part{n}" for n in range(legs))
    if split:
        fifos = [Fifo("whole", shim, (memory,), 2, whole)]
        fifos += [Fifo(name, memory, (tile,), 2, part) for name, tile in zip(names, cores, strict=True)]
        return ObjectFifos(ANY, fifos, [Link(("whole",), names, (), offsets)])
    fifos = [Fifo(name, tile, (memory,), 2, part) for name, tile in zip(names, cores, strict=True)]
    fifos.append(Fifo("whole", memory, (shim,), 2, whole))
    return ObjectFifos(ANY, fifos, [Link(names, ("whole",), offsets, ())])


def _measured(setting: CaseContext) -> list[Stimulus]:
    """What was measured on silicon (npu1.md), as far as the engine has what it takes."""
    shape = EngineShape.of(setting.params)
    found = {name: made() for name, made in experiments(shape).items()}
    return [dressed_experiment(name, one, setting) for name, one in found.items() if one.fits(shape)]


# -- errors and registers --------------------------------------------------------------------------------------------


def _errors(setting: CaseContext) -> list[Stimulus]:
    """Everything that stops a channel or is noted as an error, each beside a channel that must go on."""
    shape = EngineShape.of(setting.params)
    rng = np.random.default_rng(setting.seed)
    to_memory, from_memory, end = 0, shape.ns, shape.mem_words
    good = Descriptor(0, 8)
    broken: list[tuple[int, Descriptor]] = [
        (to_memory, replace(good, valid=False)),
        (from_memory, replace(good, valid=False)),
        (to_memory, replace(good, length=0)),
        (from_memory, replace(good, length=0)),
        (from_memory, replace(good, pad_before=(1, 0, 0))),
        (from_memory, replace(good, pad_after=(0, 2, 0))),
        (to_memory, Descriptor(end - 3, 8)),
        (from_memory, Descriptor(end - 5, 8)),
        (from_memory, Descriptor(end - 1, 12, (2, 3, 0), (1, 1, 0, 0), pad_before=(3, 1, 0))),
        (from_memory, Descriptor(0, 4, (1, 1, 1), (0, 0, 0, end))),
        (from_memory, Descriptor(0, 4, iteration_size=2, iteration_step=end, packet=(1, 1))),
        (to_memory, Descriptor(0, 8, release=(3, 40))),
    ]
    episodes = []
    for channel, descriptor in broken:
        scene = EngineScene(words={c: random_halves(shape, rng, 40) for c in range(shape.ns)})
        scene.memory = {0: random_halves(shape, rng, 8), end - 8: random_halves(shape, rng, 8)}
        scene.locks = {3: 30}
        scene.chain(0, [good, descriptor, good])
        scene.chain(3, [Descriptor(0, 5, release=(4, 1)), Descriptor(2, 6, acquire=(4, 1))])
        other = from_memory if channel == to_memory else to_memory
        scene.tasks = [EngineTask(channel, 0, repeat=2, token=True), EngineTask(other, 3, repeat=1, token=True)]
        scene.read_back = (0, 8)
        episodes.append(dressed_scene(engine_stimulus(scene, setting), setting))
    episodes.append(_queue_overflow(setting, shape, rng))
    for number, descriptor in ((5, replace(good, valid=False)), (shape.nbd % MOST_BDS, good), (MOST_BDS - 1, good)):
        scene = EngineScene(descriptors={2: good, number: descriptor}, out_of_order=(to_memory,))
        scene.words = {to_memory: random_halves(shape, rng, 30)}
        for at, named in ((0, 2), (9, number)):
            scene.words[to_memory][at * shape.lanes] = header_word(0, 0, named)
        scene.tasks = [EngineTask(to_memory, 0, repeat=2), EngineTask(to_memory, 0)]
        scene.read_back = (0, 8)
        episodes.append(dressed_scene(engine_stimulus(scene, setting), setting))
    return episodes


def _queue_overflow(setting: CaseContext, shape: EngineShape, rng: Rng) -> Stimulus:
    scene = EngineScene(words={0: random_halves(shape, rng, 64)})
    scene.memory = {0: random_halves(shape, rng, 8)}
    scene.chain(0, [Descriptor(0, 8)])
    scene.tasks = [EngineTask(shape.channels - 1, 0)] * 6 + [EngineTask(0, 0, token=True)] * 5
    stimulus = engine_stimulus(scene, setting)
    after = (
        *stimulus.after["s_axil"],
        Access("write", reg.IRQ_MASK, reg.IRQ_MASK_ERROR),
        Access("write", reg.IRQ_STATUS, reg.IRQ_STATUS_ERROR),
        Access("read", reg.IRQ_STATUS),
        Access("write", reg.ERROR, 0),
        Access("read", reg.ERROR),
        Access("write", reg.TOKENS, 0),
        Access("read", reg.TOKENS),
        *descriptor_writes(0, Descriptor(1, 8)),
        *pad_writes({0: 5}),
        Access("read", reg.PAD_VALUE),
        *order_writes((0,)),
        Access("read", reg.OUT_OF_ORDER),
        *memory_reads(3, 1),
        Access("read", reg.MEM_ADDRESS),
        *disarm(),
        *descriptor_writes(0, Descriptor(1, 8)),
        *memory_reads(0, shape.lanes),
        *(Access("read", reg.BD + 4 * n) for n in range(BD_WORDS)),
    )
    mask = (Access("write", reg.IRQ_MASK, 1),)
    return dressed_scene(
        replace(stimulus, program={"s_axil": mask + stimulus.program["s_axil"]}, after={"s_axil": after}), setting
    )


CornerScene = tuple[dict[int, Descriptor], list[EngineTask], dict[int, int]]
"""Descriptors, tasks and locks."""


def _corners(setting: CaseContext) -> list[Stimulus]:
    """Errors, grants and releases that fall on one edge, descriptors that are not there, fields that one direction ignores."""
    shape = EngineShape.of(setting.params)
    rng = np.random.default_rng(setting.seed)
    episodes = []
    for descriptors, tasks, locks in _corner_scenes(shape):
        scene = EngineScene(descriptors, tasks, locks, {c: random_halves(shape, rng, 20) for c in range(shape.ns)})
        scene.memory = {0: random_halves(shape, rng, 16), shape.mem_words - 8: random_halves(shape, rng, 8)}
        scene.read_back = (0, 16)
        episodes.append(dressed_scene(engine_stimulus(scene, setting), setting))
    return episodes


def _corner_scenes(shape: EngineShape) -> list[CornerScene]:
    m, beyond = shape.ns, shape.mem_words - 1
    bad = Descriptor(0, 4, valid=False)
    scenes: list[CornerScene] = [
        # A channel before a lock; BAD_BD and BAD_ADDRESS of one channel.
        (
            {0: Descriptor(0, 1, release=(5, 60)), 1: Descriptor(beyond, 2)},
            [EngineTask(0, 0), EngineTask(m, 1)],
            {5: 60},
        ),
        (
            {0: Descriptor(beyond, 2), 1: Descriptor(0, 1), 2: bad},
            [EngineTask(m, 0), EngineTask(m, 1), EngineTask(m, 2)],
            {},
        ),
        # The lowest of several channels.
        (dict.fromkeys(range(shape.channels), bad), [EngineTask(c, c) for c in range(shape.channels)], {}),
        # A start and a next descriptor that the table does not have, or that are not valid.
        ({0: Descriptor(0, 2)}, [EngineTask(m, shape.nbd % MOST_BDS)], {}),
        ({0: Descriptor(0, 8, next=MOST_BDS - 1)}, [EngineTask(0, 0)], {}),
        # Padding and headers mean nothing on the way to memory.
        ({0: Descriptor(0, 4, pad_before=(1, 0, 0))}, [EngineTask(0, 0)], {}),
        (
            {0: Descriptor(0, 4, (2, 2, 0), (1, 4, 0, 0), pad_before=(1, 1, 0), pad_after=(0, 2, 0), packet=(3, 3))},
            [EngineTask(0, 0)],
            {},
        ),
        # An iteration counter that begins beyond its size.
        ({0: Descriptor(0, 1, iteration_size=5, iteration_step=1, iteration_start=11)}, [EngineTask(m, 0, 9)], {}),
    ]
    scenes += _lock_scenes(m) + _padding_scenes(m)
    if shape.nlock < MOST_BDS:
        # A lock that is not there is never granted, and what is released to it is lost.
        lost = {0: Descriptor(0, 1, release=(shape.nlock, 1)), 1: Descriptor(0, 1, acquire=(shape.nlock, 0))}
        scenes.append((lost, [EngineTask(0, 0), EngineTask(m, 1)], {}))
    return scenes


def _lock_scenes(m: int) -> list[CornerScene]:
    """Takes and gives of one lock at one edge, equality, and values at their limit; ``m`` is the first channel from memory."""
    return [
        # A lock taken and given at one edge keeps its value.
        (
            {
                0: Descriptor(0, 1, release=(0, 1)),
                1: Descriptor(0, 1, acquire=(0, 1), next=2),
                2: Descriptor(0, 1, acquire=(0, 1)),
            },
            [EngineTask(0, 0), EngineTask(m, 1)],
            {0: 2},
        ),
        # A lock that is to equal a value, and does or has more; it keeps it.
        (
            {
                0: Descriptor(0, 1, acquire=(0, 2), acquire_equal=True),
                1: Descriptor(0, 1, acquire=(1, 2), acquire_equal=True),
            },
            [EngineTask(0, 0, 2), EngineTask(m, 1)],
            {0: 2, 1: 3},
        ),
        # The largest value that a lock holds, and one more.
        ({0: Descriptor(0, 1, release=(5, 3))}, [EngineTask(0, 0)], {5: 60}),
        ({0: Descriptor(0, 1, release=(5, 3))}, [EngineTask(0, 0)], {5: 61}),
        # Two releases of one lock, which only overflow together, and of two locks.
        (
            {0: Descriptor(0, 1, release=(0, 40)), 1: Descriptor(1, 1, release=(0, 40))},
            [EngineTask(0, 0), EngineTask(m, 1)],
            {},
        ),
        (
            {0: Descriptor(0, 1, release=(5, 60)), 1: Descriptor(1, 1, release=(4, 60))},
            [EngineTask(0, 0), EngineTask(m, 1)],
            {5: 60, 4: 60},
        ),
    ]


def _padding_scenes(channel: int) -> list[CornerScene]:
    """Padding of one side and dimension alone, of one word and of the highest bit; BAD_BD where the innermost size is 0."""
    scenes: list[CornerScene] = []
    for pad in ((1, 0, 0), (32, 0, 0), (0, 1, 0), (0, 16, 0), (0, 0, 1), (0, 0, 8)):
        scenes.append(({0: Descriptor(0, 4, pad_before=pad)}, [EngineTask(channel, 0)], {}))
        scenes.append(({0: Descriptor(0, 4, pad_after=pad)}, [EngineTask(channel, 0)], {}))
    middle = Descriptor(0, 4, (0, 2, 0), (1, 4, 0, 0), pad_before=(1, 0, 0))
    good = Descriptor(0, 36, (2, 2, 0), (1, 2, 0, 0), pad_after=(0, 16, 0))
    return [*scenes, *(({0: one}, [EngineTask(channel, 0)], {}) for one in (middle, good))]


def _registers(setting: CaseContext) -> list[Stimulus]:
    """The whole map: reset values, fields, holes, strobes, and accesses that must answer with an error."""
    rng = np.random.default_rng(setting.seed)
    shape = EngineShape.of(setting.params)
    plain = [reg.ID, reg.CONFIG, reg.CTRL, reg.IRQ_STATUS, reg.IRQ_MASK, reg.ERROR, reg.OUT_OF_ORDER]
    channels = [base + 4 * c for base in (reg.CHANNEL, reg.TOKENS, reg.TASK) for c in range(shape.channels)]
    bds = [reg.BD + reg.BD_STRIDE * b + 4 * n for b in range(shape.nbd) for n in range(16)]
    locks = [reg.LOCK + 4 * n for n in range(shape.nlock)]
    pads = [reg.PAD_VALUE + reg.PAD_VALUE_STRIDE * m for m in range(shape.nm)]
    holes = [0x001C, 0x00FC, reg.PAD_VALUE - 4, pads[-1] + 4, 0x03FC, 0x0408, 0x0FFC, 0x3000, 0xFFFC]
    holes += [base + 4 * shape.channels for base in (reg.CHANNEL, reg.TOKENS, reg.TASK)]
    holes += [reg.BD + reg.BD_STRIDE * shape.nbd] if shape.nbd < MOST_BDS else []
    holes += [reg.LOCK + 4 * shape.nlock]
    known = [*plain, *channels, *pads, *bds, *locks, *holes]
    # Behind a reset the window is at the first lane of word 0.
    accesses = [*memory_writes(0, random_halves(shape, rng, 2))[1:], *memory_reads(0, 2 * shape.lanes)]
    accesses += [Access("read", a) for a in known]
    for value in ((1 << 32) - 1, 0):
        accesses += [Access("write", reg.IRQ_MASK, value), Access("read", reg.IRQ_MASK)]
    for address in rng.permutation([a for a in known if a != reg.MEM_ADDRESS]).tolist():
        accesses += rough_access(rng, address)
    accesses += [Access("read", a) for a in known]
    top = shape.mem_words - 8
    # Behind the last word there is nothing, and the address stays where it is.
    window = (Access("read", reg.MEM_DATA), Access("write", reg.MEM_DATA, 1), Access("read", reg.MEM_ADDRESS))
    beyond = [
        1 << bit for bit in range(reg.REGISTERS["MEM_ADDRESS"].field("VALUE").width) if 1 << bit >= shape.mem_words
    ]
    for address in (shape.mem_words, *beyond):
        accesses += (Access("write", reg.MEM_ADDRESS, address), *window)
    for address in (0, top):
        accesses += memory_writes(address, random_halves(shape, rng, 8))
        accesses += memory_reads(address, 8 * shape.lanes)
    accesses += [*disarm(), *(Access("read", reg.CHANNEL + 4 * c) for c in range(shape.channels))]
    empty = engine_stimulus(EngineScene(), setting)
    return [replace(empty, inputs={}, program={"s_axil": tuple(accesses)}, after={})]


def _fields(setting: CaseContext) -> list[Stimulus]:
    """Every bit of the fields of descriptors, tasks and locks, where it counts."""
    return field_stimuli(setting, np.random.default_rng([setting.seed, 7]), int(setting.options["episodes"]))


# -- random scenes ---------------------------------------------------------------------------------------------------


def _random_walk(rng: Rng, from_memory: bool, most: int) -> Descriptor:
    """A walk that stays within :data:`REGION` words from address 0 on."""
    length = int(rng.integers(1, most + 1))
    descriptor = Descriptor(length=length)
    if rng.random() < 0.6:
        wraps = [int(w) for w in rng.choice([1, 1, 2, 2, 3, 4, 5, 7], 3)]
        steps = [int(s) for s in rng.choice([0, 1, 1, 2, 3, 4, 8, 16], 4)]
        if rng.random() < 0.2:
            wraps[int(rng.integers(1, 3))] = 0
        before = after = (0, 0, 0)
        if from_memory and rng.random() < 0.5:
            before, after = (
                (int(p[0]), int(p[1]), int(p[2])) for p in rng.integers(0, 3, (2, 3)) * rng.integers(0, 2, 3)
            )
        descriptor = replace(
            descriptor,
            wraps=(wraps[0], wraps[1], wraps[2]),
            steps=(steps[0], steps[1], steps[2], steps[3]),
            pad_before=before,
            pad_after=after,
        )
    else:
        descriptor = replace(descriptor, steps=(int(rng.choice([0, 1, 1, 1, 2, 16, 17])), 0, 0, 0))
    if rng.random() < 0.3:
        size = int(rng.integers(1, 6))
        descriptor = replace(
            descriptor,
            iteration_size=size,
            iteration_step=int(rng.integers(0, 9)),
            iteration_start=int(rng.integers(0, size)),
        )
    reach = max(int(descriptor_addresses(descriptor, i).max()) for i in (0, descriptor.iteration_size - 1))
    if reach >= REGION:
        return _random_walk(rng, from_memory, most)
    base = int(rng.integers(0, REGION - reach)) if reach >= 0 else 0
    return replace(descriptor, base=base)


def _random_descriptor(rng: Rng, from_memory: bool, endless: bool) -> Descriptor:
    """Channels to memory take from the first locks and give to the second, the others the other way round.

    What endless rings of channels from memory take is only given by channels to memory and by chains with an end, so they cannot
    go on for ever.
    """
    descriptor = _random_walk(rng, from_memory, int(rng.choice([1, 3, 10, 24])))
    mine, theirs = (_HALF_LOCKS, 0) if from_memory else (0, _HALF_LOCKS)
    if rng.random() < 0.6:
        lock = mine + int(rng.integers(_HALF_LOCKS))
        descriptor = replace(descriptor, acquire=(lock, int(rng.choice([0, 1, 1, 1, 2, 3]))))
        # In an endless ring every round is to take something.
        if not endless and rng.random() < 0.2:
            descriptor = replace(descriptor, acquire_equal=True)
    if rng.random() < 0.7:
        lock = int(rng.integers(2 * _HALF_LOCKS)) if not endless else theirs + int(rng.integers(_HALF_LOCKS))
        descriptor = replace(
            descriptor, release=(lock, int(rng.choice([1, 1, 1, 2, 3, 20], p=[0.3, 0.2, 0.2, 0.2, 0.08, 0.02])))
        )
    if from_memory:
        descriptor = replace(descriptor, tlast=bool(rng.random() < 0.7))
        if rng.random() < 0.3:
            packet = int(rng.integers(32)), int(rng.integers(8))
            descriptor = replace(descriptor, packet=packet, ooo_id=int(rng.integers(MOST_BDS)))
    return descriptor


def _broken(rng: Rng, shape: EngineShape, descriptor: Descriptor) -> Descriptor:
    kind = rng.integers(4)
    if kind == 0:
        return replace(descriptor, valid=False)
    if kind == 1:
        return replace(descriptor, length=0)
    return replace(descriptor, base=shape.mem_words - int(rng.integers(1, 12)))


def _random_scene(setting: CaseContext, rng: Rng, words: int) -> EngineScene:
    """Tasks on every channel, all over the same memory."""
    shape = EngineShape.of(setting.params)
    scene = EngineScene(words={c: random_halves(shape, rng, int(rng.integers(0, words + 1))) for c in range(shape.ns)})
    scene.memory = {0: random_halves(shape, rng, REGION), shape.mem_words - 12: random_halves(shape, rng, 12)}
    scene.read_back = (0, REGION)
    if rng.random() < 0.5:
        _add_pairs(scene, shape, rng)
    else:
        _add_anything(scene, shape, rng)
    scene.pads = {m: int(rng.integers(1 << 32)) for m in range(shape.nm)}
    for c in np.flatnonzero(rng.random(shape.ns) < _OOO_SHARE).tolist():
        _by_headers(scene, shape, rng, c)
    scene.core = bool(rng.integers(2))
    scene.cores = tuple(np.flatnonzero(rng.random(shape.channels) < _CORE_SHARE).tolist())
    return scene


def _by_headers(scene: EngineScene, shape: EngineShape, rng: Rng, channel: int) -> None:
    """Make a channel to memory out of order: its words become packets for its descriptors, a few for others."""
    budget = shape.nbd // shape.channels
    mine = [n for n in range(channel * budget, (channel + 1) * budget) if n in scene.descriptors]
    words = scene.words[channel].reshape(-1, shape.lanes)
    at = 0
    while at < len(words):
        number = int(rng.choice(mine)) if rng.random() < 0.98 else int(rng.integers(MOST_BDS))
        words[at, 0] = header_word(int(rng.integers(32)), int(rng.integers(8)), number)
        at += 1 + scene.descriptors.get(number, Descriptor()).length
    scene.words[channel] = words.reshape(-1)
    scene.tasks = [replace(t, repeat=int(rng.integers(12))) if t.channel == channel else t for t in scene.tasks]
    scene.out_of_order += (channel,)


def _add_pairs(scene: EngineScene, shape: EngineShape, rng: Rng) -> None:
    """Rings of a channel to memory and one from memory that wait for each other, so that much data passes."""
    budget = shape.nbd // shape.channels
    for c in range(min(shape.ns, shape.nm)):
        free, full, depth = 2 * c, 2 * c + 1, int(rng.integers(1, min(4, budget) + 1))
        scene.locks[free] = depth * int(rng.integers(1, 3))
        for channel, takes, gives in ((c, free, full), (shape.ns + c, full, free)):
            descriptors = [
                replace(
                    _random_descriptor(rng, channel >= shape.ns, endless=True), acquire=(takes, 1), release=(gives, 1)
                )
                for _ in range(depth)
            ]
            scene.tasks.append(EngineTask(channel, scene.ring(channel * budget, descriptors)))


def _add_anything(scene: EngineScene, shape: EngineShape, rng: Rng) -> None:
    """Rings and chains that all use the same locks; most such scenes end with some channel waiting."""
    scene.locks = {n: int(rng.integers(0, 16)) for n in range(2 * _HALF_LOCKS)}
    wrong = rng.random() < 0.2
    budget = shape.nbd // shape.channels
    for c in range(shape.channels):
        from_memory, first = c >= shape.ns, c * budget
        endless = bool(rng.random() < 0.5)
        count = int(rng.integers(1, min(5, budget) + 1))
        descriptors = [_random_descriptor(rng, from_memory, endless) for _ in range(count)]
        if endless and from_memory:
            taken = _HALF_LOCKS + int(rng.integers(_HALF_LOCKS)), int(rng.integers(1, 3))
            descriptors[0] = replace(descriptors[0], acquire=taken)
        if wrong and rng.random() < 0.5:
            descriptors[-1] = _broken(rng, shape, descriptors[-1])
        if endless:
            scene.ring(first, descriptors)
            scene.tasks.append(EngineTask(c, first, int(rng.integers(3)), bool(rng.integers(2))))
            continue
        scene.chain(first, descriptors)
        for _ in range(int(rng.integers(1, 5))):
            start = first + int(rng.integers(count))
            scene.tasks.append(EngineTask(c, start, int(rng.choice([0, 0, 1, 3])), bool(rng.integers(2))))


def _scenes(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    return engine_stimulus(_random_scene(setting, rng, beats), setting)


def _designs(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    """A tile of a random design, as the planner lowers it."""
    return engine_stimulus(draw(rng, EngineShape.of(setting.params), beats).scene, setting)


BD_TABLE = (Storage(base=reg.BD + reg.BD_STRIDE * 15, words=2, strobes=False),)
"""A buffer descriptor that no channel uses holds what was written; the case ``registers`` has all words of all of them."""

_PARAMETERS = {
    "NS": Parameter(default=3),
    "NM": Parameter(default=3),
    "NBD": Parameter(default=48),
    "NLOCK": Parameter(default=64),
    "NBANK": Parameter(default=16),
    "MEM_WORDS": Parameter(default=1024),
    "WORD_W": Parameter(default=32),
    "PROFILE": Parameter(default=0),
    "FINISH": Parameter(default=0),
}

_NPU1 = {"PROFILE": 1, "MEM_WORDS": 1 << 14}

_FIELDS = Case(
    name="fields",
    summary="every bit of the fields of descriptors, tasks and locks",
    make=_fields,
    options={"episodes": 12},
    inputs=False,
)

PROFILES = {
    "profile": {"ideal": {"PROFILE": 0}, "npu1": {"PROFILE": 1}},
    "finish": {"fetched": {"FINISH": 0}, "sent": {"FINISH": 1}},
}
"""Names of timing profiles, and of the two ends of a descriptor (npu1.md)."""

DESIGN = Design(
    name="objfifo",
    summary="object FIFO DMA engine: buffer descriptors, locks and banked memory between streams",
    top="objfifo_dma",
    files=("objfifo/objfifo.f",),
    root=HDL,
    parameters=_PARAMETERS,
    words=PROFILES,
    streams=(
        StreamPort(name="s_axis", direction="in", width="WORD_W", lanes="NS", dtype="int32"),
        StreamPort(name="start", direction="in", width=8, from_file=False, signals=silent("start")),
        StreamPort(name="m_axis", direction="out", width="WORD_W", lanes="NM", dtype="int32"),
        StreamPort(name="evt", direction="out", width=16, lanes="NS+NM", signals=silent("evt")),
        StreamPort(name="lock", direction="out", width="8*NLOCK", signals=silent("lock")),
    ),
    registers=(LitePort(name="s_axil", address_width=reg.ADDRESS_BITS, storage=BD_TABLE),),
    status=(StatusPort(name="irq", width=1),),
    model=predict,
    timeline=engine_timeline,
    slow_parameters=("WORD_W", "NBANK", "PROFILE"),
    variants=(
        {},
        {"NS": 1, "NM": 1, "NBANK": 1, "NBD": 16, "NLOCK": 16},
        {"NS": 3, "NM": 4, "NBANK": 4, "WORD_W": 128},
        {"PROFILE": 1, "FINISH": 1},
    ),
    obligations=engine_waivers(ns=3, nm=3),
    cases=(
        Case(
            name="forward",
            summary="one channel fills a ring of buffers, another empties it",
            make=_forward,
            options={"depth": 2, "words": 16, "objects": 8, **_PATTERNS},
        ),
        Case(
            name="distribute",
            summary="objects come in whole and leave in parts by all outputs",
            make=_distribute,
            options={"words": 8, "objects": 8, **_PATTERNS},
        ),
        Case(
            name="join",
            summary="parts come in on all inputs and leave as whole objects",
            make=_join,
            options={"words": 8, "objects": 8, **_PATTERNS},
        ),
        Case(
            name="broadcast",
            summary="every object leaves by every output",
            make=_broadcast,
            options={"words": 8, "objects": 8, **_PATTERNS},
        ),
        Case(
            name="transpose",
            summary="matrices come in by rows and leave by columns",
            make=_transpose,
            options={"rows": 6, "columns": 4, "objects": 5, **_PATTERNS},
        ),
        Case(
            name="padding",
            summary="objects get a value around three dimensions",
            make=_padding,
            options={"objects": 4, "value": 0x80FF7F01, **_PATTERNS},
        ),
        Case(
            name="repeat",
            summary="every object leaves several times",
            make=_repeat,
            options={"words": 8, "times": 3, "objects": 5, **_PATTERNS},
        ),
        Case(
            name="init_values",
            summary="buffers that are full at the start",
            make=_init_values,
            options={"words": 8, "objects": 6, **_PATTERNS},
        ),
        Case(
            name="rechunk",
            summary="objects of six words come in, objects of four leave",
            make=_rechunk,
            options={"objects": 4, **_PATTERNS},
        ),
        Case(
            name="chain",
            summary="chains with an end: repeats, tokens, packet headers, iterations",
            make=_chain,
            options={"words": 6, **_PATTERNS},
        ),
        Case(
            name="out_of_order",
            summary="packets are placed by the ids in their headers",
            make=_out_of_order,
            options={"words": 6, "packets": 3, **_PATTERNS},
        ),
        Case(
            name="planned",
            slow=True,
            summary="what the planner makes of a memory tile that distributes, and of one that joins",
            make=_planned,
            options={"words": 8, "objects": 6, **_PATTERNS},
            params={"MEM_WORDS": 1 << 17},
        ),
        *stream_cases(_designs),
        stream_cases(_scenes)[0].model_copy(
            update={"name": "scenes", "summary": "random descriptors, locks and tasks that no planner would write"}
        ),
        Case(
            name="errors",
            summary="everything that stops a channel or is noted as an error",
            make=_errors,
            options=_PATTERNS,
            inputs=False,
        ),
        Case(
            name="corners",
            summary="simultaneous events, missing resources, ignored fields",
            make=_corners,
            options=_PATTERNS,
            inputs=False,
        ),
        registers_case(_registers),
        _FIELDS,
        Case(
            name="measured",
            summary="what was measured on silicon, experiment by experiment (--profile npu1)",
            make=_measured,
            inputs=False,
            params=_NPU1,
        ),
        _FIELDS.model_copy(
            update={
                "name": "fields_npu1",
                "summary": "the same with the timing that was measured (--profile npu1)",
                "params": _NPU1,
            }
        ),
        design_case(_PARAMETERS, _PATTERNS),
        executed_case(_PARAMETERS, _PATTERNS),
    ),
)
