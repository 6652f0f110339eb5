# SPDX-License-Identifier: Apache-2.0
"""Several object FIFO engines and the streams between them: a whole chain from the shim over a memory tile to a core and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.engine import switch_map as reg
from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.engine_map import ADDRESS_BITS
from goldbeat.pymodels.objfifo.engine.registers import TimingProfile
from goldbeat.pymodels.objfifo.engine.switch_registers import SLOTS, route_writes, worker_address
from goldbeat.pymodels.objfifo.plan.design import Dims, Fifo, Link
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as ObjectFifos
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.storage import Storage
from goldbeat.tb.design.ports.stream import StreamPort, silent
from goldbeat.tb.design.traffic import Rng, registers_case, stream_cases
from goldbeat.tb.designs.objfifo.array_case import array_case
from goldbeat.tb.designs.objfifo.bench_engine import BD_TABLE, PROFILES
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN as ENGINE
from goldbeat.tb.designs.objfifo.draw import dims_of
from goldbeat.tb.designs.objfifo.npu1_scenes import array_experiments, dressed_experiment
from goldbeat.tb.designs.objfifo.packet_scenes import head_of_line, meetings, packet_traffic
from goldbeat.tb.designs.objfifo.scene import dressed_scene, rough_access
from goldbeat.tb.designs.objfifo.timeline import array_timeline
from goldbeat.tb.designs.objfifo.waivers import array_waivers
from goldbeat.tb.designs.objfifo.whole import Whole, place_plan
from goldbeat.tb.paths import HDL

BLOCKING = (8, 9)
"""Words of X13 for the closed engine: what its way holds, and one more (npu1.md, Experiments)."""

SHIM, MEMORY, CORE = ANY.tile(0, 0), ANY.tile(0, 1), ANY.tile(0, 2)


def chain(
    words: int,
    *,
    depths: Sequence[int] = (2,) * 6,
    order: Sequence[Dims] = ((),) * 4,
    repeat: int = 1,
    pieces: tuple[int, int] = (1, 1),
) -> ObjectFifos:
    """Shim to memory tile to core, and back the same way.

    Args:
        words: of an object at the core.
        depths: of the memory tile's two pools, the core's two, and two more that the links ignore.
        order: dims to the core from the memory tile, at the core's input, from the core, at the memory tile's second input.
        repeat: how often each object is sent to the core.
        pieces: how many of the core's objects make one of the shim's, on the way there and back.
    """

    def obj(size: int) -> ObjectType:
        return ObjectType((size,), np.dtype(np.int32))

    there, back = words * pieces[0], words * pieces[1]
    fifos = [
        Fifo("in", SHIM, (MEMORY,), (2, depths[0]), obj(there)),
        Fifo("to", MEMORY, (CORE,), (depths[4], depths[2]), obj(words), order[0], (order[1],), repeat_count=repeat),
        Fifo("from", CORE, (MEMORY,), (depths[3], depths[5]), obj(words), order[2], (order[3],)),
        Fifo("out", MEMORY, (SHIM,), (depths[1], 2), obj(back)),
    ]
    return ObjectFifos(ANY, fifos, [Link(("in",), ("to",)), Link(("from",), ("out",))])


def placed_pair(design: ObjectFifos, params: Mapping[str, Any], worker: tuple[int, int]) -> Whole:
    """The memory tile on engine 0, the core on engine 1."""
    return place_plan(design, plan(design), ArrayShape.of(params), "workers", worker=worker, homes=[MEMORY])


def _chain(setting: CaseContext) -> list[Stimulus]:
    """Objects go to a core, which adds to them, and come back."""
    words, count = int(setting.options["words"]), int(setting.options["objects"])
    whole = placed_pair(chain(words), setting.params, (int(setting.options["add"]), int(setting.options["work"])))
    rng = np.random.default_rng(setting.seed)
    silicon = whole.shape.engine.profile is TimingProfile.NPU1
    host_seed = setting.seed if silicon else None
    return [dressed_scene(whole.stimulus(rng, setting.clocks, {"in": words * count}, host_seed), setting)]


def drawn(rng: Rng, params: Mapping[str, Any], beats: int) -> tuple[ObjectFifos, Whole, int]:
    """A random chain, put on engines, and the words that it is given."""
    words = int(rng.integers(1, 25))
    pieces = (int(rng.choice([1, 1, 2, 3])), int(rng.choice([1, 1, 2, 3])))
    kind = np.dtype(np.int32)
    # Where objects are cut or put together, the memory tile's order stays as it is.
    order = [dims_of(rng, words, kind, 3) for _ in range(4)]
    order[0] = () if pieces[0] > 1 else order[0]
    order[3] = () if pieces[1] > 1 else order[3]
    depths = rng.integers(1, 4, 6).tolist()
    design = chain(words, depths=depths, order=order, repeat=int(rng.integers(1, 4)), pieces=pieces)
    worker = (int(rng.integers(1 << 32)), int(rng.choice([0, 0, 1, 7, 40])))
    # Whole objects on both sides of the core.
    unit = words * pieces[0] * pieces[1]
    return design, placed_pair(design, params, worker), unit * max(1, beats // unit)


def _traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
    _, whole, words = drawn(rng, setting.params, beats)
    return whole.stimulus(rng, setting.clocks, {"in": words})


def _registers(setting: CaseContext) -> list[Stimulus]:
    """The switch's map: reset values, fields, holes, strobes, and accesses that must answer with an error."""
    shape, rng = ArrayShape.of(setting.params), np.random.default_rng(setting.seed)
    known = [reg.ID, *(reg.ROUTE + reg.ROUTE_STRIDE * t for t in range(shape.targets))]
    known += [worker_address(w) + at for w in range(shape.workers) for at in (reg.WORKER_ADD, reg.WORKER_WORK)]
    known += [reg.SOURCE + reg.SOURCE_STRIDE * s for s in range(shape.sources)]
    known += [reg.SLOT + reg.SLOT_STRIDE * k for k in range(SLOTS * shape.sources)]
    known += [
        0x004,
        reg.ROUTE + reg.ROUTE_STRIDE * shape.targets,
        worker_address(shape.workers),
        (1 << reg.ADDRESS_BITS) - 4,
    ]
    known += [reg.SOURCE + reg.SOURCE_STRIDE * shape.sources, reg.SLOT + reg.SLOT_STRIDE * SLOTS * shape.sources]
    accesses = [Access("read", a) for a in known]
    for address in rng.permutation(known).tolist():
        accesses += rough_access(rng, address)
    accesses += [Access("read", a) for a in known]
    return [Stimulus({}, {}, setting.clocks, {"sw_axil": tuple(accesses)})]


def _on_array(episode: Stimulus, shape: ArrayShape, engine: int, turn: int = 0) -> Stimulus:
    """What one engine is given, given to it in the array: channels from this one on lead outside as far as there are streams."""
    into = {x: (x + turn) % shape.engine.ns for x in range(min(shape.outside, shape.engine.ns))}
    out = {x: (x + turn) % shape.engine.nm for x in range(min(shape.outside, shape.engine.nm))}
    routes = {shape.target("engine", c, engine): shape.source("outside", x) for x, c in into.items()}
    routes |= {shape.target("outside", x): shape.source("engine", c, engine) for x, c in out.items()}
    inputs = {}
    if episode.inputs:
        inputs = {"start": episode.inputs["start"]} | {
            f"s_axis_{x}": episode.inputs[f"s_axis_{c}"] for x, c in into.items()
        }
    program = {"sw_axil": route_writes(routes), f"s_axil_{engine}": episode.program["s_axil"]}
    after = {f"s_axil_{engine}": accesses for accesses in episode.after.values()}
    return replace(episode, inputs=inputs, program=program, after=after)


def _measured(setting: CaseContext) -> list[Stimulus]:
    """What was measured on silicon between tiles (npu1.md)."""
    shape = ArrayShape.of(setting.params)
    found = array_experiments(shape.engine)
    circuits = [_on_array(dressed_experiment(name, made(), setting), shape, 0) for name, made in found.items()]
    return [*circuits, *(head_of_line(shape, setting.clocks, words) for words in BLOCKING)]


def _of_an_engine(name: str, summary: str, seeds: int = 1) -> Case:
    """A case of the engine alone, so many seeds of it, on the engines of the array in turn."""
    case = ENGINE.case(name)

    def make(setting: CaseContext) -> list[Stimulus]:
        shape = ArrayShape.of(setting.params)
        settings = (replace(setting, seed=seeds * setting.seed + n) for n in range(seeds))
        episodes = [episode for one in settings for episode in case.make(one)]
        return [_on_array(one, shape, n % shape.engines, n // shape.engines) for n, one in enumerate(episodes)]

    return case.model_copy(update={"name": f"engine_{name}", "summary": summary, "make": make})


def _packet_cases() -> list[Case]:
    """The cases of streams with packets in place of chains; ``sizes`` also with the ways between tiles."""
    cases = [
        case.model_copy(update={"name": f"packets_{case.name}", "summary": f"packets and circuits: {case.summary}"})
        for case in stream_cases(packet_traffic)
    ]
    sizes = next(case for case in cases if case.name == "packets_sizes")
    summary = f"{sizes.summary} (--profile npu1)"
    meet = Case(name="packets_meet", summary="every source at each arbiter, every target behind each", make=meetings)
    measured = {"name": f"{meet.name}_npu1", "summary": f"{meet.summary} (--profile npu1)", "params": {"PROFILE": 1}}
    return [
        *cases,
        sizes.model_copy(update={"name": "packets_npu1", "summary": summary, "params": {"PROFILE": 1}}),
        meet,
        meet.model_copy(update=measured),
    ]


_PARAMETERS = {
    "NE": Parameter(default=2),
    "NX": Parameter(default=2),
    "NW": Parameter(default=1),
    "NS": Parameter(default=3),
    "NM": Parameter(default=4),
    "NBD": Parameter(default=32),
    "NLOCK": Parameter(default=16),
    "NBANK": Parameter(default=4),
    "MEM_WORDS": Parameter(default=2048),
    "WORD_W": Parameter(default=32),
    "PROFILE": Parameter(default=0),
    "FINISH": Parameter(default=0),
}

DESIGN = Design(
    name="objfifo_array",
    summary="object FIFO engines, the streams between them, and workers for cores",
    top="objfifo_array",
    files=("objfifo/objfifo_array.f",),
    root=HDL,
    parameters=_PARAMETERS,
    words=PROFILES,
    streams=(
        StreamPort(name="s_axis", direction="in", width="WORD_W", lanes="NX", dtype="int32"),
        StreamPort(name="start", direction="in", width=8, from_file=False, signals=silent("start")),
        StreamPort(name="m_axis", direction="out", width="WORD_W", lanes="NX", dtype="int32"),
        StreamPort(name="evt", direction="out", width=16, lanes="NE*NS+NE*NM", signals=silent("evt")),
        StreamPort(name="lock", direction="out", width="8*NLOCK", lanes="NE", signals=silent("lock")),
    ),
    registers=(
        LitePort(name="s_axil", lanes="NE", address_width=ADDRESS_BITS, storage=BD_TABLE),
        LitePort(
            name="sw_axil",
            address_width=reg.ADDRESS_BITS,
            storage=(Storage(base=reg.WORKER + reg.WORKER_ADD, words=2, strobes=False),),
        ),
    ),
    status=(StatusPort(name="irq", width="NE"),),
    model=predict,
    timeline=array_timeline,
    slow=True,
    cases=(
        Case(
            name="chain",
            summary="shim, memory tile, core, memory tile, shim: two engines and a worker",
            make=_chain,
            options={"words": 16, "objects": 8, "add": 1, "work": 20, "gaps": "none", "ready": "none"},
        ),
        Case(
            name="measured",
            summary="what was measured on silicon between tiles (--profile npu1)",
            make=_measured,
            inputs=False,
            params={"PROFILE": 1},
        ),
        array_case(_PARAMETERS),
        *stream_cases(_traffic),
        *_packet_cases(),
        registers_case(_registers, "the switch's register map, strobes and error answers"),
        _of_an_engine("random", "random designs of one engine", 8),
        _of_an_engine("scenes", "an engine's random descriptors, locks and tasks that no planner would write", 8),
        _of_an_engine("errors", "everything that stops a channel of an engine or is noted as an error"),
        _of_an_engine("corners", "simultaneous events in an engine, missing resources, ignored fields"),
        _of_an_engine("registers", "an engine's whole register map, strobes and error answers"),
        _of_an_engine("fields", "every bit of the fields of an engine's descriptors, tasks and locks", 3),
        _of_an_engine("fields", "the same with the timing that was measured (--profile npu1)", 3).model_copy(
            update={"name": "engine_fields_npu1", "params": {"PROFILE": 1}}
        ),
    ),
    variants=({}, {"NX": 4, "NW": 2}, {"PROFILE": 1}),
    obligations=array_waivers(),
)
