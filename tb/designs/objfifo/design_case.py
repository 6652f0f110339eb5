# SPDX-License-Identifier: Apache-2.0
"""The case ``design``: every tile of a user's object FIFO design on the engine in RTL, with the words that the design moves.

The design is executed without time first, its Python functions included. Then each tile's plan runs on the engine, an episode per
tile: what the host, the tile's cores and other tiles give it comes in, and what leaves it is compared twice: every cycle with the
engine's model, and every word with the execution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.objfifo.engine.npu1_shim import fill_gaps, fills_by_fifo
from goldbeat.pymodels.objfifo.engine.registers import EngineShape, TimingProfile
from goldbeat.pymodels.objfifo.live.timings import ArrayOrder
from goldbeat.pymodels.objfifo.plan.design import Fifo
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, TileKind
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import ModuleTrace
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.designs.objfifo.live_design import case_of_options
from goldbeat.tb.designs.objfifo.payload import payload
from goldbeat.tb.designs.objfifo.scene import dressed_scene, engine_stimulus
from goldbeat.tb.designs.objfifo.tiles import ChannelStream, TileScene, cores_at, scene_of
from goldbeat.tb.designs.objfifo.trace_output import trace_files, traced_modules
from goldbeat.tb.designs.objfifo.user_design import (
    DESIGN_OPTIONS,
    ExecutedDesign,
    design_file,
    executed_design,
    opened_of,
    order_notes,
    planned_design,
)
from goldbeat.tb.designs.objfifo.wrong_word import wrong_word
from goldbeat.tb.extras import lacks_module
from goldbeat.tb.paths import plain_name

_STREAM_BITS = 8 * WORD_BYTES


def design_case(parameters: Mapping[str, Parameter], patterns: Mapping[str, Any]) -> Case:
    """The case for an engine with these parameters; ``patterns`` are the options of gaps and back-pressure."""
    least = {name: p.default for name, p in parameters.items()}
    return Case(
        name="design",
        summary="every tile of your design: --design FILE.py, with --input NAME=FILE for host arrays and PLIO ports",
        make=_stimuli,
        options={
            **DESIGN_OPTIONS,
            **patterns,
        },
        inputs=False,
        files=("design",),
        fit=partial(_fit, least),
        check=_check,
        answer=_answer,
        instead=case_of_options,
    )


@dataclass(frozen=True, eq=False)
class _Executed:
    """A design after its execution without time: each tile on its engine, with its words."""

    design: ExecutedDesign
    made: tuple[TileScene, ...]


def _fit(least: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, int]:
    """The engine that every tile fits; the usual one where it does."""
    planned = planned_design(options)
    channels = {Direction.S2MM: 0, Direction.MM2S: 0}
    words = 0
    for tile in planned.tiles:
        cores = cores_at(planned.plan, tile)
        extra = {Direction.MM2S: sum(p == "consume" for _, p, _ in cores)}
        extra[Direction.S2MM] = len(cores) - extra[Direction.MM2S]
        for way in channels:
            channels[way] = max(channels[way], extra[way] + sum(c.direction is way for c in tile.channels))
        words = max(words, sum(b.size for b in tile.buffers) // WORD_BYTES)
    wanted = {"NS": channels[Direction.S2MM], "NM": channels[Direction.MM2S]}
    wanted["MEM_WORDS"] = 1 << max(1, words - 1).bit_length()
    return {name: value for name, value in wanted.items() if value > least[name]}


def _executed(context: CaseContext) -> _Executed:
    return _on_engines(executed_design(context), EngineShape.of(context.params))


@lru_cache(maxsize=2)
def _on_engines(executed: ExecutedDesign, shape: EngineShape) -> _Executed:
    result = executed.result
    made = tuple(scene_of(executed.planned.plan, tile, shape) for tile in executed.planned.tiles)
    for one in made:
        for channel, stream in enumerate(one.sources):
            words = (result.produced if stream.core else result.streams).get(stream.fifo)
            if words is not None:
                one.scene.words[channel] = words
    return _Executed(executed, made)


def _stimuli(context: CaseContext) -> list[Stimulus]:
    executed = _executed(context)
    episodes = []
    for one in executed.made:
        stimulus = dressed_scene(engine_stimulus(one.scene, context), context)
        if EngineShape.of(context.params).profile is TimingProfile.NPU1:
            stimulus = _from_the_host(stimulus, one, executed.design.planned.plan, context.seed)
        episodes.append(replace(stimulus, label=one.tile.tile.name))
    return episodes


def _from_the_host(stimulus: Stimulus, one: TileScene, plan: Plan, seed: int) -> Stimulus:
    """What the shim sends comes when it would on silicon (npu1.md, Host side)."""
    sent = fills_by_fifo(plan)
    inputs = dict(stimulus.inputs)
    for number, stream in enumerate(one.sources):
        port = f"s_axis_{number}"
        # A broadcast is one stream: its gaps are the same everywhere.
        salt = list(sent).index(stream.fifo) if stream.fifo in sent else 0
        gaps = fill_gaps(sent.get(stream.fifo, ()), np.random.default_rng([seed, salt]))
        if stream.fifo in sent and not stream.core and len(gaps) == len(inputs[port]):
            inputs[port] = inputs[port].with_gaps(inputs[port].gaps + gaps)
    return replace(stimulus, inputs=inputs)


def _ports(one: TileScene) -> list[tuple[ChannelStream, str]]:
    """What stands behind each channel, and the stream port of that channel."""
    sources = [(s, f"s_axis_{n}") for n, s in enumerate(one.sources)]
    return [*sources, *((s, f"m_axis_{n}") for n, s in enumerate(one.sinks))]


def _check(context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """The words that left a tile against those of the design; a tile that moves nothing verifies nothing."""
    made = _executed(context)
    one = next(one for one in made.made if one.tile.tile.name == stimulus.label)
    ports = record.outcome.ports
    failures, compared = [], 0
    order = ArrayOrder()
    if one is made.made[0]:
        order, _ = opened_of(context.options).order
        failures, compared = [*order.wrong, *made.design.wrong], made.design.expected
    for stream, port in _ports(one)[len(one.sources) :]:
        wanted = made.design.result.streams.get(stream.fifo)
        if stream.core or wanted is None:
            continue
        index = int(port.rpartition("_")[2])
        got = payload(one.tile, index, ports[port]).data.view("<u4").reshape(-1)[: len(wanted)]
        compared += len(wanted)
        if not np.array_equal(got, wanted):
            at = f"the words of {stream.fifo} are not those of the design"
            failures.append(at + wrong_word(made.design.planned.plan, one, index, got, wanted, ports["lock"]))
    ways = [f"m_axis_{n}" for n in range(len(one.sinks))] or [f"s_axis_{n}" for n in range(len(one.sources))]
    if not any(len(ports[port]) for port in ways):
        failures.append("no word left it, so nothing of it was verified")
    return Check(tuple(failures), compared, order.unshown)


def _answer(context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """Every tile's streams, its locks as a picture, and the PLIO files of the design's ports."""
    if not (undrawn := lacks_module("the picture of a tile", "matplotlib")):
        # matplotlib takes a second to import.
        from goldbeat.tb.designs.objfifo.picture import locks_png

    made = _executed(context)
    files: dict[str, Any] = {}
    written: dict[str, str] = {}
    tiles: list[dict[str, Any]] = []
    traced: list[ModuleTrace] = []
    for one, (_, record) in zip(made.made, episodes, strict=False):
        ports = record.outcome.ports
        traced += traced_modules(one, ports, EngineShape.of(context.params))
        tiles.append(_tile_facts(one, ports))
        if not undrawn:
            name = f"{plain_name(tiles[-1]['tile'])}.png"
            tiles[-1]["picture"] = f"output/{name}"
            files[name] = locks_png(one.tile, one.sources, one.sinks, ports)
        for fifo, trace in _plio_ports(made, one, ports):
            name = f"{plain_name(fifo.name)}.txt"
            files[name] = plio_port_file(fifo, trace)
            written[fifo.name] = f"output/{name}"
    files |= trace_files(traced)
    streams = [(tile, stream) for tile in tiles for stream in tile["streams"]]
    idle = [f"{stream['fifo']} at {tile['tile']}" for tile, stream in streams if not stream["words"]]
    lines = [f"moved no word: {', '.join(idle)}"] if idle else []
    lines += [f"not drawn: {undrawn}"] if undrawn else []
    lines += [*order_notes(context.options), *(f"{name}: {{folder}}/{path}" for name, path in written.items())]
    rows = tuple((tile["tile"], _who(stream), str(stream["words"]), str(tile["cycles"])) for tile, stream in streams)
    table = MeasurementTable("tiles", ("tile", "fifo", "words", "cycles"), rows)
    facts = {"tiles": tiles, "files": written}
    return RunAnswer(design_file(context.options).name, facts=facts, tables=[table], lines=lines, files=files)


def _tile_facts(one: TileScene, ports: Mapping[str, Trace]) -> dict[str, Any]:
    name = one.tile.tile.name
    ends = [int(t.cycle[-1]) for t in ports.values() if len(t)]
    streams = [{"fifo": s.fifo, "core": s.core, "port": p, "words": len(ports[p])} for s, p in _ports(one)]
    cycles = max(ends, default=0) + 1
    return {"tile": name, "cycles": cycles, "streams": streams}


def _who(stream: Mapping[str, Any]) -> str:
    way = "in" if stream["port"].startswith("s_") else "out"
    return f"{way} {stream['fifo']}" + (" (the core)" if stream["core"] else "")


def _plio_ports(made: _Executed, one: TileScene, ports: Mapping[str, Trace]) -> Iterator[tuple[Fifo, Trace]]:
    """What leaves the array here by a PLIO port."""
    fifos = {f.name: f for f in made.design.planned.written.fifos}
    for index, (stream, port) in enumerate(_ports(one)[len(one.sources) :]):
        fifo, wanted = fifos[stream.fifo], made.design.result.streams.get(stream.fifo)
        leaves = fifo.plio and any(t.kind is TileKind.SHIM for t in fifo.consumers)
        if leaves and not stream.core and wanted is not None:
            yield fifo, payload(one.tile, index, ports[port])[: len(wanted)]


def plio_port_file(fifo: Fifo, trace: Trace) -> bytes:
    """What has left a PLIO port, as text with time stamps."""
    style = replace(plio_file.TextStyle(), time_lines=True)
    return plio_file.format_text(trace, fifo.obj.dtype.name, style=style)
