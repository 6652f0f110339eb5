# SPDX-License-Identifier: Apache-2.0
"""A user's object FIFO design on the engine in RTL: every tile with a DMA, with the words that the design itself moves.

The design is executed without time first, its Python functions included. Then each tile's plan runs on the engine: what
the tile's streams brought it and what its core wrote comes in, and what leaves is compared with the timed model of
the engine, cycle by cycle, and with the words of the execution without time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.arrays import load_array
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import Shape
from goldbeat.pymodels.objfifo.plan.design import Design, Fifo
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, TileKind
from goldbeat.pymodels.objfifo.untimed.functional import Result, run
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.trace_file import SUFFIX
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.picture import draw_locks
from goldbeat.tb.designs.objfifo.scene import dressed, stimulus_of
from goldbeat.tb.designs.objfifo.tiles import TileScene, cores_at, scene_of
from goldbeat.tb.paths import plain_name
from goldbeat.tb.run.runs import EpisodeResult, Request, RunResult
from goldbeat.tb.run.runs import run as simulate

_LEAST = DESIGN.params(DESIGN.cases[0], {})
_STREAM_BITS = 8 * WORD_BYTES


@dataclass(frozen=True)
class TileResult:
    """One tile's run.

    Attributes:
        made: the tile on its engine.
        episode: what went in and came out.
        wrong: streams whose words differ from those of the design.
        words: how many passed each port.
    """

    made: TileScene
    episode: EpisodeResult
    wrong: tuple[str, ...]
    words: Mapping[str, int]

    @property
    def still(self) -> bool:
        """True if the tile gave nothing away, or took nothing where nothing can leave: nothing was verified."""
        ways = [f"m_axis_{n}" for n in range(len(self.made.sinks))] or [
            f"s_axis_{n}" for n in range(len(self.made.sources))
        ]
        return not any(self.words[port] for port in ways)


@dataclass(frozen=True)
class DesignRun:
    """A design's run.

    Attributes:
        plan: what it was lowered to.
        result: of the execution without time.
        tiles: those with a DMA.
        failures: everything that is wrong.
        compared: values of the RTL that were looked at.
        params: of the engine.
        files: PLIO files that were written, by fifo.
    """

    plan: Plan
    result: Result
    tiles: tuple[TileResult, ...]
    failures: tuple[str, ...]
    compared: int
    params: Mapping[str, Any]
    files: Mapping[str, Path]


def read_inputs(design: Design, files: Mapping[str, Path], rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
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


def run_design(
    design: Design,
    inputs: Mapping[str, npt.NDArray[Any]],
    folder: Path,
    *,
    iterations: int | None = None,
    seed: int = 0,
    patterns: tuple[str, str] = ("none", "none"),
    strict: bool = True,
    begin: Callable[[], None] = lambda: None,
) -> DesignRun:
    """Execute a design, then run each of its tiles on the RTL.

    Args:
        design: what was written.
        inputs: as for :func:`goldbeat.pymodels.objfifo.untimed.functional.run`.
        folder: for the simulator's files, ``output/`` and ``traces/``.
        iterations: passes of programs without end.
        seed: of gaps and patterns.
        patterns: gaps of what comes in, back-pressure on what leaves.
        strict: as for planning.
        begin: called when nothing is refused any more, before anything is written.

    Raises:
        RuleError: the design breaks a rule.
        UsageError: a tile has more than the engine, or the design moves no word.
    """
    plan = lower(design, strict=strict)
    result = run(design, inputs, iterations=iterations, strict=strict, plan=plan)
    tiles = [t for t in plan.tiles if t.tile.kind is not TileKind.SHIM and t.channels]
    if not tiles:
        raise UsageError("no tile of the design has a DMA; there is nothing to run on the engine")
    if not result.streams:
        raise UsageError(f"the design moves no word; {_what_is_missing(design)}")
    params = _params(plan, tiles)
    shape = Shape.of({**_LEAST, **params})
    made = [scene_of(plan, tile, shape) for tile in tiles]
    for one in made:
        for channel, stream in enumerate(one.sources):
            words = (result.produced if stream.core else result.streams).get(stream.fifo)
            if words is not None:
                one.scene.words[channel] = words

    def episodes(setting: CaseContext) -> list[Stimulus]:
        return [dressed(stimulus_of(one.scene, setting), setting) for one in made]

    case = Case(name="design", summary="", make=episodes, options={"gaps": patterns[0], "ready": patterns[1]})
    (ran,) = simulate(Request(DESIGN, case, (seed,), params), folder / "sim", begin=begin)
    return _result(design, plan, result, made, ran, params, folder)


def _what_is_missing(design: Design) -> str:
    """What would make a design move something."""
    fed = {t.fifo for t in design.transfers}
    idle = [f.name for f in design.fifos if f.producer.kind is TileKind.SHIM and f.name not in fed]
    if idle:
        return f"fill {', '.join(idle)} from the host, or give --input {idle[0]}=FILE"
    return "no transfer, no input and no program does"


def _params(plan: Plan, tiles: list[TilePlan]) -> dict[str, int]:
    """The engine that every tile fits; the usual one where it does."""
    channels = {Direction.S2MM: 0, Direction.MM2S: 0}
    words = 0
    for tile in tiles:
        cores = cores_at(plan, tile)
        extra = {Direction.MM2S: sum(p == "consume" for _, p, _ in cores)}
        extra[Direction.S2MM] = len(cores) - extra[Direction.MM2S]
        for way in channels:
            channels[way] = max(channels[way], extra[way] + sum(c.direction is way for c in tile.channels))
        words = max(words, sum(b.size for b in tile.buffers) // WORD_BYTES)
    wanted = {"NS": channels[Direction.S2MM], "NM": channels[Direction.MM2S]}
    wanted["MEM_WORDS"] = 1 << max(1, words - 1).bit_length()
    return {name: value for name, value in wanted.items() if value > _LEAST[name]}


def _result(
    design: Design,
    plan: Plan,
    result: Result,
    made: list[TileScene],
    ran: RunResult,
    params: Mapping[str, Any],
    folder: Path,
) -> DesignRun:
    failures = list(ran.failures)
    tiles, files = [], {}
    fifos = {f.name: f for f in design.fifos}
    for one, episode in zip(made, ran.episodes, strict=False):
        wrong = []
        ports = episode.record.outcome.ports
        for channel, stream in enumerate(one.sinks):
            wanted = result.streams.get(stream.fifo)
            got = ports[f"m_axis_{channel}"]
            if stream.core or wanted is None:
                continue
            if not np.array_equal(got.data.view("<u4").reshape(-1)[: len(wanted)], wanted):
                wrong.append(stream.fifo)
            fifo = fifos[stream.fifo]
            if fifo.plio and any(t.kind is TileKind.SHIM for t in fifo.consumers):
                files[fifo.name] = _write(fifo, got[: len(wanted)], folder / "output" / f"{plain_name(fifo.name)}.txt")
        failures += [f"{one.tile.tile}: the words of {name} are not those of the design" for name in wrong]
        tiles.append(TileResult(one, episode, tuple(wrong), {name: len(trace) for name, trace in ports.items()}))
        if tiles[-1].still:
            failures.append(f"{one.tile.tile}: no word left it, so nothing of it was verified")
        _keep(one, episode, folder)
    return DesignRun(plan, result, tuple(tiles), tuple(failures), ran.compared, {**_LEAST, **params}, files)


def _write(fifo: Fifo, trace: Trace, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    plio_file.write(path, trace, fifo.obj.dtype.name, style=replace(plio_file.TextStyle(), time_lines=True), force=True)
    return path


def _keep(one: TileScene, episode: EpisodeResult, folder: Path) -> None:
    name = plain_name(one.tile.tile.name)
    traces = folder / "traces" / name
    traces.mkdir(parents=True, exist_ok=True)
    for port, trace in episode.record.outcome.ports.items():
        trace.save(traces / f"{port}{SUFFIX}")
    (folder / "output").mkdir(exist_ok=True)
    draw_locks(one.tile, one.sources, one.sinks, episode.record.outcome.ports, folder / "output" / f"{name}.png")
