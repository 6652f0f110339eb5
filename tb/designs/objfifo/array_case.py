# SPDX-License-Identifier: Apache-2.0
"""The case ``design`` of the array: a user's whole object FIFO design in RTL, from the host's words to the host's words.

The design is executed without time first. Then every tile is on an engine, the streams between them go through the switch, and
each core is a channel that does what the core did, in its order. What reaches the host is compared with the execution, and
everything with the array's model in every cycle.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError, UserCodeError
from goldbeat.pymodels.objfifo.diagnose.stream_word import word_of_channel
from goldbeat.pymodels.objfifo.engine.array import ArrayRun
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.engine.core_stream import CALL_CYCLES
from goldbeat.pymodels.objfifo.engine.registers import EngineShape, TimingProfile
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import TileKind
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.designs.objfifo.array_fit import fitting_parameters, homes_of
from goldbeat.tb.designs.objfifo.design_case import plio_port_file
from goldbeat.tb.designs.objfifo.host_tasks import HostTasks
from goldbeat.tb.designs.objfifo.scene import dressed_scene
from goldbeat.tb.designs.objfifo.trace_output import array_modules, trace_files
from goldbeat.tb.designs.objfifo.user_design import (
    DESIGN_OPTIONS,
    ExecutedDesign,
    design_file,
    executed_design,
    opened_of,
    order_notes,
)
from goldbeat.tb.designs.objfifo.whole import ExecutedCores, Whole, place_at
from goldbeat.tb.paths import plain_name

_NUMBER = 0x3F
"""The descriptor's bits in an event."""


def array_case(parameters: Mapping[str, Parameter]) -> Case:
    """The case for an array with these parameters."""
    least = {name: int(p.default) for name, p in parameters.items() if isinstance(p.default, int)}
    return Case(
        name="design",
        summary="your whole design from host to host: --design FILE.py, with --input NAME=FILE for host arrays and ports",
        make=array_stimuli,
        options={**DESIGN_OPTIONS, "work": "", "gaps": "none", "ready": "none"},
        # As a memory tile has them.
        params={"NBANK": 16},
        inputs=False,
        files=("design",),
        fit=partial(_fit, least),
        check=_check,
        answer=_answer,
    )


def _cores(executed: ExecutedDesign, work: str, profile: TimingProfile) -> ExecutedCores:
    """The cores with what their requests and their work cost.

    Raises:
        UsageError: an item of ``work`` is neither ``CYCLES`` nor ``TILE=CYCLES``, or there is no such core.
    """
    runs = [run for run in executed.result.cores if run.deeds]
    cycles: dict[str, int] = {}
    for item in shlex.split(work):
        tile, equals, number = item.rpartition("=")
        if not number.isdigit():
            raise UsageError(f"--work {item}: expected CYCLES or TILE=CYCLES")
        named = [run for run in runs if not equals or run.tile.name == tile]
        if not named:
            there = ", ".join(sorted({run.tile.name for run in runs})) or "none"
            raise UsageError(f"--work {item}: no core there; cores: {there}")
        cycles |= {run.key: int(number) for run in named}
    return ExecutedCores(runs, CALL_CYCLES[profile], cycles)


def _fit(least: Mapping[str, int], options: Mapping[str, Any]) -> dict[str, int]:
    try:
        executed = executed_design(CaseContext({}, options, 0))
    except UserCodeError:
        return {}  # It hangs: the run says why.
    # Costs change no counts.
    return fitting_parameters(executed.planned, _cores(executed, str(options["work"]), TimingProfile.IDEAL), least)


def placed_design(context: CaseContext) -> tuple[ExecutedDesign, Whole]:
    """The design of a case, executed, and where it is on the array."""
    executed = executed_design(context)
    return executed, _on_array(executed, str(context.options["work"]), ArrayShape.of(context.params))


@lru_cache(maxsize=2)
def _on_array(executed: ExecutedDesign, work: str, shape: ArrayShape) -> Whole:
    planned = executed.planned
    cores = _cores(executed, work, shape.engine.profile)
    whole = place_at(planned.written, planned.plan, shape, cores, homes_of(planned))
    for fifo, x in whole.sources.items():
        whole.words[x] = executed.result.streams.get(fifo, np.zeros(0, np.uint32))
    return whole


def array_stimuli(context: CaseContext) -> list[Stimulus]:
    """The one episode of a design: what the host sends, and under ``npu1`` when."""
    return [timed_scene(context)[0]]


def timed_scene(context: CaseContext) -> tuple[Stimulus, ArrayRun | None]:
    """The episode, and the run of the array's model in which the host's tasks began as they do in it, if that is known."""
    executed, whole = placed_design(context)
    silicon = whole.shape.engine.profile is TimingProfile.NPU1
    made = whole.stimulus(np.random.default_rng(0), context.clocks, host_seed=context.seed if silicon else None)
    scene = dressed_scene(made, context)
    run = None
    if silicon and not (tasks := host_tasks(context, executed, whole)).unknown:
        scene, run = tasks.scene(scene, context.params)
    return replace(scene, label=_engines_label(whole)), run


def host_tasks(context: CaseContext, executed: ExecutedDesign, whole: Whole) -> HostTasks:
    """The host's tasks of a design on the array."""
    return HostTasks(whole, executed.planned.plan, opened_of(context.options).order[0].host_steps)


def _engines_label(whole: Whole) -> str:
    """``engine 0: mem_tile_0_1; engine 1: tile_0_2 tile_0_3``, for messages and the timeline."""
    tiles: dict[int, list[str]] = {}
    for tile, engine in whole.home.items():
        tiles.setdefault(engine, []).append(tile.name)
    return "; ".join(f"engine {engine}: {' '.join(names)}" for engine, names in sorted(tiles.items()))


def _check(context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """What has reached the host against the execution."""
    executed, whole = placed_design(context)
    ports = record.outcome.ports
    failures, compared = list(executed.wrong), executed.expected
    for fifo, x in whole.sinks.items():
        wanted = executed.result.streams.get(fifo, np.zeros(0, np.uint32))
        got = ports[f"m_axis_{x}"].data.view("<u4").reshape(-1)
        # Words that no task takes leave too; the array's model alone says which.
        got = got[: len(wanted)]
        compared += len(wanted)
        if not np.array_equal(got, wanted):
            failures.append(
                f"the words of {fifo} are not those of the design{_first_wrong(executed, fifo, got, wanted)}"
            )
    if not any(len(ports[f"m_axis_{x}"]) for x in whole.sinks.values()):
        failures.append("no word reached the host, so nothing of the data was verified")
    order, _ = opened_of(context.options).order
    return Check((*order.wrong, *failures), compared, order.unshown)


def _first_wrong(executed: ExecutedDesign, fifo: str, got: Any, wanted: Any) -> str:
    common = min(len(got), len(wanted))
    bad = np.flatnonzero(got[:common] != wanted[:common])
    at = int(bad[0]) if len(bad) else common
    flow = next(f for f in executed.planned.plan.flows if f.fifo == fifo)
    place = None
    if flow.source.tile.kind is not TileKind.SHIM:
        place = word_of_channel(executed.planned.plan, flow.source.tile, Direction.MM2S, flow.source.channel, at)
    if len(bad):
        return f": {len(bad)} differ, first 0x{int(got[at]):08x}, expected 0x{int(wanted[at]):08x}; {place}"
    return f": {len(got)} words instead of {len(wanted)}; the next is {place}"


def _answer(context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """Cycles from host to host, each stream of the host, each core, and PLIO files."""
    executed, whole = placed_design(context)
    ports = episodes[0][1].outcome.ports
    host = [*_host_rows(whole.sources, "in", "s_axis", ports), *_host_rows(whole.sinks, "out", "m_axis", ports)]
    cores = _core_rows(executed, whole, EngineShape.of(context.params), ports)
    cycles = max((row["last"] + 1 for row in host if row["way"] == "out" and row["words"]), default=0)
    files: dict[str, Any] = dict(trace_files(array_modules(whole, executed.planned.plan, ports)))
    fifos = {f.name: f for f in executed.planned.written.fifos}
    for fifo, x in whole.sinks.items():
        if fifos[fifo].plio:
            files[f"{plain_name(fifo)}.txt"] = plio_port_file(fifos[fifo], ports[f"m_axis_{x}"])
    tables = [
        MeasurementTable("the host's streams", ("stream", "words", "first", "last", "words/cycle"),
                         tuple(_cells(row) for row in host)),
        MeasurementTable("cores", ("core", "objects", "first", "last", "at work %"), tuple(_cells(row) for row in cores)),
    ][: 1 + bool(cores)]  # fmt: skip
    tasks, lines = [], [f"{cycles} cycles from the start to the host's last word"]
    if whole.shape.engine.profile is TimingProfile.NPU1:
        known = host_tasks(context, executed, whole)
        if known.unknown:
            lines.append(f"without the controller's writes and waits: {known.unknown}")
        else:
            tasks = known.rows(ports)
            tables.append(task_table(tasks))
    homes = {tile.name: engine for tile, engine in whole.home.items()}
    facts = {
        "cycles": cycles,
        "host": host,
        "cores": cores,
        "tasks": tasks,
        "engines": homes,
        "files": {fifo: f"output/{plain_name(fifo)}.txt" for fifo in whole.sinks if fifos[fifo].plio},
    }
    lines += [*order_notes(context.options), _engines_label(whole)]
    return RunAnswer(
        f"{design_file(context.options).name}, whole", facts=facts, tables=tables, lines=lines, files=files
    )


def task_table(rows: Sequence[Mapping[str, Any]]) -> MeasurementTable:
    """The rows of :meth:`.HostTasks.rows` for people."""
    names = ("stream", "channel", "tasks", "first start", "last end", "cycles", "end to start")
    cells = ((r["name"], r["channel"], str(r["tasks"]), str(r["started"][0]), str(r["ended"][-1]), str(r["span"]),
              str(r["between"])) for r in rows)  # fmt: skip
    return MeasurementTable("the host's tasks", names, tuple(cells))


def _host_rows(ends: Mapping[str, int], way: str, port: str, ports: Mapping[str, Trace]) -> list[dict[str, Any]]:
    found = []
    for fifo, x in ends.items():
        cycles = ports[f"{port}_{x}"].cycle
        span = int(cycles[-1] - cycles[0]) + 1 if len(cycles) else 0
        ends_ = (int(cycles[0]), int(cycles[-1])) if len(cycles) else (0, 0)
        rate = round(len(cycles) / span, 3) if span else 0.0
        found.append(
            {"name": fifo, "way": way, "words": len(cycles), "first": ends_[0], "last": ends_[1], "rate": rate}
        )
    return found


def _core_rows(
    executed: ExecutedDesign, whole: Whole, shape: EngineShape, ports: Mapping[str, Trace]
) -> list[dict[str, Any]]:
    """Each core: its objects, when it first and last ended something, and how much of that time it was not waiting."""
    found = []
    for run in executed.result.cores:
        if run.key not in whole.cores:
            continue
        engine, channel = whole.cores[run.key]
        events = ports[f"evt_{engine * shape.channels + channel}"]
        first, last = (int(events.cycle[0]), int(events.cycle[-1])) if len(events) else (0, 0)
        table = whole.engines[engine].scene.descriptors
        busy = sum(table[int(number)].length for number in events.data[1:, 0] & _NUMBER)
        share = round(100 * busy / (last - first)) if last > first else 0
        objects = sum(len(deed.objects) for deed in run.deeds)
        found.append({"name": run.name, "tile": run.tile.name, "objects": objects, "first": first, "last": last,
                      "work": share})  # fmt: skip
    return found


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    if "way" in row:
        return f"{row['way']} {row['name']}", str(row["words"]), str(row["first"]), str(row["last"]), str(row["rate"])
    return f"{row['tile']} {row['name']}", str(row["objects"]), str(row["first"]), str(row["last"]), str(row["work"])
