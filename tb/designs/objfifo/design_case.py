# SPDX-License-Identifier: Apache-2.0
"""The case ``design``: every tile of a user's object FIFO design on the engine in RTL, with the words that the design moves.

The design is executed without time first, its Python functions included. Then each tile's plan runs on the engine, an episode per
tile: what the host, the tile's cores and other tiles give it comes in, and what leaves it is compared twice: every cycle with the
engine's model, and every word with the execution.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import UsageError, UserCodeError
from goldbeat.pymodels.objfifo.diagnose.hang import explain_hang
from goldbeat.pymodels.objfifo.diagnose.provenance import OriginMemory, wrong_element
from goldbeat.pymodels.objfifo.engine.npu1_shim import fill_gaps, fills_by_fifo
from goldbeat.pymodels.objfifo.engine.registers import EngineShape, TimingProfile
from goldbeat.pymodels.objfifo.iron.worker import kernels_stand_in
from goldbeat.pymodels.objfifo.live.open_live import kernel_functions
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import Fifo
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as Written
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, TileKind
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import ModuleTrace
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import FunctionalResult, run_untimed
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.designs.objfifo.scene import dressed_scene, engine_stimulus
from goldbeat.tb.designs.objfifo.tiles import ChannelStream, TileScene, cores_at, scene_of
from goldbeat.tb.designs.objfifo.trace_output import trace_files, traced_modules
from goldbeat.tb.designs.objfifo.wrong_word import wrong_word
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
            "design": "",
            "arguments": "",
            "iterations": 0,
            "lax": False,
            "expect": "",
            "inputs": (),
            "kernels": "",
            **patterns,
        },
        inputs=False,
        files=("design",),
        fit=partial(_fit, least),
        check=_check,
        answer=_answer,
    )


@dataclass(frozen=True, eq=False)
class _Planned:
    """A design as it was written, and its plan."""

    written: Written
    plan: Plan

    @property
    def tiles(self) -> list[TilePlan]:
        """Those with a DMA."""
        return [t for t in self.plan.tiles if t.tile.kind is not TileKind.SHIM and t.channels]


@dataclass(frozen=True, eq=False)
class _Executed:
    """A planned design after its execution without time: each tile on its engine, with its words.

    ``wrong`` says what differs from the host's arrays that are expected, of which ``expected`` elements were compared.
    """

    planned: _Planned
    result: FunctionalResult
    made: tuple[TileScene, ...]
    wrong: tuple[str, ...] = ()
    expected: int = 0


def _file(options: Mapping[str, Any]) -> Path:
    if not options["design"]:
        raise UsageError("case design needs an object FIFO design: --design FILE.py")
    return Path(str(options["design"]))


def _planned(options: Mapping[str, Any]) -> _Planned:
    file = _file(options)
    return _plan(file, str(options["arguments"]), bool(options["lax"]), str(options["kernels"]), file_stamp(file))


@lru_cache(maxsize=4)
def _plan(file: Path, arguments: str, lax: bool, kernels: str, stamp: object) -> _Planned:
    """Load and lower; every seed and every question about the parameters has the same answer."""
    with kernels_stand_in(kernel_functions(shlex.split(kernels))):
        written = open_fifo_design(file, shlex.split(arguments))
    return _Planned(written, lower(written, strict=not lax))


def _fit(least: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, int]:
    """The engine that every tile fits; the usual one where it does."""
    planned = _planned(options)
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
    options = context.options
    files = named_files(options["inputs"])
    wanted = named_files(shlex.split(str(options["expect"])), "--expect")
    stamps = tuple(file_stamp(path) for path in (*files.values(), *wanted.values()))
    planned = _planned(options)
    shape = EngineShape.of(context.params)
    given = tuple(files.items()), tuple(wanted.items())
    return _execute(planned, given, int(options["iterations"]), bool(options["lax"]), context.seed, shape, stamps)


@lru_cache(maxsize=2)
def _execute(
    planned: _Planned,
    files: tuple[tuple[tuple[str, Path], ...], tuple[tuple[str, Path], ...]],
    iterations: int,
    lax: bool,
    seed: int,
    shape: EngineShape,
    stamps: object,
) -> _Executed:
    fixed = planned.written.fixed
    if fixed is not None and (fixed.unsupported or fixed.waiting):
        raise UsageError("; ".join((*fixed.unsupported, *fixed.waiting)))
    report = analyse(planned.written, strict=not lax)
    if report.verdict is not DesignVerdict.COMPLETES:
        why = explain_hang(planned.written, report, strict=not lax)
        raise UserCodeError("\n".join([report.text(), *(why.lines() if why is not None else ())]))
    if not planned.tiles:
        raise UsageError("no tile of the design has a DMA; there is nothing to run on the engine")
    given = read_host_arrays(planned.written, dict(files[0]), np.random.default_rng(seed))
    memory = OriginMemory(planned.plan) if files[1] else None
    result = run_untimed(
        planned.written, given, iterations=iterations or None, strict=not lax, plan=planned.plan, memory=memory
    )
    if not result.streams:
        raise UsageError(f"the design moves no word; {_what_is_missing(planned.written)}")
    made = tuple(scene_of(planned.plan, tile, shape) for tile in planned.tiles)
    for one in made:
        for channel, stream in enumerate(one.sources):
            words = (result.produced if stream.core else result.streams).get(stream.fifo)
            if words is not None:
                one.scene.words[channel] = words
    if memory is None:
        return _Executed(planned, result, made)
    wrong, count = _differences(planned, result, memory, dict(files[1]))
    return _Executed(planned, result, made, wrong, count)


def _differences(
    planned: _Planned, result: FunctionalResult, memory: OriginMemory, expected: Mapping[str, Path]
) -> tuple[tuple[str, ...], int]:
    """What differs from the expected arrays, a text for each, and how many elements were compared.

    Raises:
        UsageError: an array that the host has not.
    """
    found, count = [], 0
    for name, path in expected.items():
        if name not in result.hosts:
            raise UsageError(f"--expect {name}: no such array; there are: {', '.join(result.hosts) or 'none'}")
        wanted = _read(path, result.hosts[name].dtype)
        lines = wrong_element(memory, name, result.hosts[name], wanted)
        count += wanted.size
        found += ["\n".join(lines)] if lines else []
    return tuple(found), count


def named_files(items: Sequence[str], option: str = "--input") -> dict[str, Path]:
    """``NAME=FILE`` as paths by name.

    Raises:
        UsageError: no such form, or a name that is given twice.
    """
    found = {}
    for item in items:
        name, equals, file = str(item).partition("=")
        if not equals:
            raise UsageError(f"{option} {item}: expected NAME=FILE")
        if name in found:
            raise UsageError(f"{option} {item}: {name} is given twice")
        found[name] = Path(file)
    return found


def read_host_arrays(
    design: Written, files: Mapping[str, Path], rng: np.random.Generator
) -> dict[str, npt.NDArray[Any]]:
    """The host's arrays and the words of PLIO ports: from files (PLIO text or CSV, or ``.npy``), else random small numbers.

    Raises:
        UsageError: a name that nothing has, or a PLIO port without a file.
    """
    fed = {t.fifo for t in design.transfers}
    found: dict[str, npt.NDArray[Any]] = {}
    kinds = {h.name: h.obj.dtype for h in design.hosts}
    ports = {f.name: f for f in design.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed}
    kinds |= {name: fifo.obj.dtype for name, fifo in ports.items()}
    for name, path in files.items():
        if name not in kinds:
            raise UsageError(f"--input {name}: no such input; there are: {', '.join(kinds) or 'none'}")
        found[name] = _read(path, kinds[name])
    for host in design.hosts:
        if host.name not in found:
            found[host.name] = rng.integers(0, 100, host.obj.shape).astype(host.obj.dtype)
    missing = [name for name, fifo in ports.items() if fifo.plio and name not in found]
    if missing:
        raise UsageError(f"the PLIO port {missing[0]} has no file; give --input {missing[0]}=FILE")
    return found


def _read(path: Path, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    if path.suffix == ".npy":
        return load_array(path)
    return plio_file.read(path, dtype.name, _STREAM_BITS).trace.samples(dtype.name)


def _what_is_missing(design: Written) -> str:
    """What would make a design move something."""
    fed = {t.fifo for t in design.transfers}
    idle = [f.name for f in design.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed]
    if idle:
        return f"fill {', '.join(idle)} from the host, or give --input {idle[0]}=FILE"
    return "no transfer, no input and no program does"


def _stimuli(context: CaseContext) -> list[Stimulus]:
    executed = _executed(context)
    episodes = []
    for one in executed.made:
        stimulus = dressed_scene(engine_stimulus(one.scene, context), context)
        if EngineShape.of(context.params).profile is TimingProfile.NPU1:
            stimulus = _from_the_host(stimulus, one, executed.planned.plan, context.seed)
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
    if one is made.made[0]:
        failures, compared = list(made.wrong), made.expected
    for stream, port in _ports(one)[len(one.sources) :]:
        wanted = made.result.streams.get(stream.fifo)
        if stream.core or wanted is None:
            continue
        got = ports[port].data.view("<u4").reshape(-1)[: len(wanted)]
        compared += len(wanted)
        if not np.array_equal(got, wanted):
            index = int(port.rpartition("_")[2])
            at = f"the words of {stream.fifo} are not those of the design"
            failures.append(at + wrong_word(made.planned.plan, one, index, got, wanted, ports["lock"]))
    ways = [f"m_axis_{n}" for n in range(len(one.sinks))] or [f"s_axis_{n}" for n in range(len(one.sources))]
    if not any(len(ports[port]) for port in ways):
        failures.append("no word left it, so nothing of it was verified")
    return Check(tuple(failures), compared)


def _answer(context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """Every tile's streams, its locks as a picture, and the PLIO files of the design's ports."""
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
        files[Path(tiles[-1]["picture"]).name] = locks_png(one.tile, one.sources, one.sinks, ports)
        for fifo, trace in _plio_ports(made, one, ports):
            name = f"{plain_name(fifo.name)}.txt"
            files[name] = _plio(fifo, trace)
            written[fifo.name] = f"output/{name}"
    files |= trace_files(traced)
    streams = [(tile, stream) for tile in tiles for stream in tile["streams"]]
    idle = [f"{stream['fifo']} at {tile['tile']}" for tile, stream in streams if not stream["words"]]
    lines = [f"moved no word: {', '.join(idle)}"] if idle else []
    lines += [f"{name}: {{folder}}/{path}" for name, path in written.items()]
    rows = tuple((tile["tile"], _who(stream), str(stream["words"]), str(tile["cycles"])) for tile, stream in streams)
    table = MeasurementTable("tiles", ("tile", "fifo", "words", "cycles"), rows)
    facts = {"tiles": tiles, "files": written}
    return RunAnswer(_file(context.options).name, facts=facts, tables=[table], lines=lines, files=files)


def _tile_facts(one: TileScene, ports: Mapping[str, Trace]) -> dict[str, Any]:
    name = one.tile.tile.name
    ends = [int(t.cycle[-1]) for t in ports.values() if len(t)]
    streams = [{"fifo": s.fifo, "core": s.core, "port": p, "words": len(ports[p])} for s, p in _ports(one)]
    cycles = max(ends, default=0) + 1
    return {"tile": name, "cycles": cycles, "streams": streams, "picture": f"output/{plain_name(name)}.png"}


def _who(stream: Mapping[str, Any]) -> str:
    way = "in" if stream["port"].startswith("s_") else "out"
    return f"{way} {stream['fifo']}" + (" (the core)" if stream["core"] else "")


def _plio_ports(made: _Executed, one: TileScene, ports: Mapping[str, Trace]) -> Iterator[tuple[Fifo, Trace]]:
    """What leaves the array here by a PLIO port."""
    fifos = {f.name: f for f in made.planned.written.fifos}
    for stream, port in _ports(one)[len(one.sources) :]:
        fifo, wanted = fifos[stream.fifo], made.result.streams.get(stream.fifo)
        leaves = fifo.plio and any(t.kind is TileKind.SHIM for t in fifo.consumers)
        if leaves and not stream.core and wanted is not None:
            yield fifo, ports[port][: len(wanted)]


def _plio(fifo: Fifo, trace: Trace) -> bytes:
    style = replace(plio_file.TextStyle(), time_lines=True)
    return plio_file.format_text(trace, fifo.obj.dtype.name, style=style)
