# SPDX-License-Identifier: Apache-2.0
"""The case ``executed``: every tile of a design that is executed whole, on the engine in RTL.

Explicit buffers, locks, streams and DMA programs, cores and runtime sequences run without time first. What each tile's DMA, its
cores and the host did is recorded, and becomes episodes of the engine (:mod:`goldbeat.pymodels.objfifo.live.record_scene`). What
leaves a tile is compared with the execution in every word, the memory that is left as well, and all cycles with the engine's model.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UserCodeError
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.live.record_file import RecordedRun
from goldbeat.pymodels.objfifo.live.record_scene import LiveEpisode
from goldbeat.pymodels.objfifo.plan.host_array import array_file, difference, expected_array
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.measurements import Check, MeasurementTable, RunAnswer
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.designs.objfifo.live_design import recorded_design
from goldbeat.tb.designs.objfifo.live_scene import engine_for, live_stimulus, memory_left, words_sent
from goldbeat.tb.designs.objfifo.opened_design import unused_lines
from goldbeat.tb.designs.objfifo.scene import dressed_scene
from goldbeat.tb.designs.objfifo.user_design import named_files, opened_of


def executed_case(parameters: Mapping[str, Parameter], patterns: Mapping[str, Any]) -> Case:
    """The case for an engine with these parameters; ``patterns`` are the options of gaps and back-pressure."""
    least = {name: p.default for name, p in parameters.items()}
    return Case(
        name="executed",
        summary="every tile of a design that is executed whole: --design FILE, with --input NAME=FILE for host arrays",
        make=_stimuli,
        options={
            "design": "",
            "arguments": "",
            "expect": "",
            "inputs": (),
            "kernels": "",
            "device": "",
            "sequence": "",
            "partial": False,
            **patterns,
        },
        inputs=False,
        files=("design",),
        fit=partial(_fit, least),
        check=_check,
        answer=_answer,
    )


def _fit(least: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, int]:
    """The engine that every episode fits; the usual one where it does, or where the design fails."""
    try:
        wanted = engine_for(recorded_design(options, 0).episodes)
    except UserCodeError:
        return {}  # The run says why.
    return {name: value for name, value in wanted.items() if value > least[name]}


def _made(context: CaseContext) -> RecordedRun:
    return recorded_design(context.options, context.seed)


def _stimuli(context: CaseContext) -> list[Stimulus]:
    return [dressed_scene(live_stimulus(one, context), context) for one in _made(context).episodes]


def _check(context: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """Words that left a tile, and memory that is left, against the execution; host arrays once."""
    made = _made(context)
    one = next(e for e in made.episodes if e.label == stimulus.label)
    failures, compared = _streams(one, record)
    wrong, count = _memory(one, record, EngineShape.of(context.params))
    if one is made.episodes[0]:
        more, arrays = array_differences(made, str(context.options["expect"]))
        wrong, count = [*wrong, *more], count + arrays
    return Check(tuple(failures + wrong), compared + count, (*made.refused, *made.result.order.unshown))


def _streams(one: LiveEpisode, record: Any) -> tuple[list[str], int]:
    found, compared = [], 0
    for number, wanted in one.wanted.items():
        got = words_sent(one, number, record.outcome.ports)
        compared += len(wanted)
        if not np.array_equal(got, wanted):
            name = one.sinks[number].name
            found.append(f"the words of {name} are not those of the execution: {_first(got, wanted)}")
    return found, compared


def _memory(one: LiveEpisode, record: Any, shape: EngineShape) -> tuple[list[str], int]:
    got = memory_left(one, record.accesses["s_axil"], shape)
    wanted = np.concatenate([np.zeros(0, np.uint32), *one.final.values()])
    if np.array_equal(got, wanted):
        return [], len(wanted)
    return [f"the memory is not as the execution leaves it: {_first(got, wanted)}"], len(wanted)


def _first(got: npt.NDArray[np.uint32], wanted: npt.NDArray[np.uint32]) -> str:
    if len(got) < len(wanted) and np.array_equal(got, wanted[: len(got)]):
        return f"{len(got)} of {len(wanted)} words came"
    at = int(np.flatnonzero(got != wanted[: len(got)])[0])
    return f"word {at} is {int(got[at]):#x}, expected {int(wanted[at]):#x}"


def array_differences(made: RecordedRun, expect: str) -> tuple[list[str], int]:
    """What differs from the arrays that are expected, and how many elements were compared.

    Raises:
        UsageError: an array that the host has not.
    """
    found, count = [], 0
    hosts = made.result.hosts
    for name, path in named_files(shlex.split(expect), "--expect").items():
        got = expected_array(hosts, name)
        wanted = array_file(path).as_type(name, made.result.types[name], elements=got.size)
        count += wanted.size
        wrong = difference(name, got, wanted, bfloat=made.result.types[name].bfloat)
        found += [] if wrong is None else [wrong]
    return found, count


def _answer(context: CaseContext, episodes: Sequence[tuple[Stimulus, Any]]) -> RunAnswer:
    """Words and cycles of every stream, and the host's arrays."""
    made = _made(context)
    rows, facts = [], []
    for one, (_, record) in zip(made.episodes, episodes, strict=False):
        ports = record.outcome.ports
        cycles = max((int(t.cycle[-1]) for t in ports.values() if len(t)), default=0) + 1
        streams = []
        for ends, way, port in ((one.sources, "in", "s_axis"), (one.sinks, "out", "m_axis")):
            for number, end in enumerate(ends):
                words = len(ports[f"{port}_{number}"])
                rows.append((one.label, f"{way} {end.name}", str(words), str(cycles)))
                streams.append({"name": end.name, "core": end.core, "port": f"{port}_{number}", "words": words})
        facts.append({"tile": one.label, "cycles": cycles, "streams": streams})
    result = made.result
    late = [
        f"{n} would differ if the host were faster than the cores, which begin first on silicon"
        for n in result.differing
    ]
    said = [text for text in result.remarks if text not in result.order.left]
    lines = [text for e in made.episodes for text in e.notes] + [*said, *late]
    lines += unused_lines(opened_of(context.options, whole=True).functions)
    table = MeasurementTable("tiles", ("tile", "stream", "words", "cycles"), tuple(rows))
    name = Path(str(context.options["design"])).name
    return RunAnswer(name, facts={"tiles": facts}, tables=[table], lines=lines, outputs=dict(result.hosts))
