# SPDX-License-Identifier: Apache-2.0
"""Twenty designs that hang and twenty near misses, on engines in RTL: the same locks are held as the analysis names.

Each core is a channel that makes the program's acquires and releases; the tiles share two engines. All designs run in one
simulator process, and every lock value and descriptor is compared with the model of the engines as in any other run.
"""

from __future__ import annotations

import numpy as np
import pytest
from hangs import CASES, LAX, LOCKS, STORAGE

from goldbeat.pymodels.objfifo.engine.array import hanging
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.untimed.deadlock import analyse
from goldbeat.tb.design.case import Case
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.whole import place_plan
from goldbeat.tb.run.runs import Request, run

ENGINE_STORAGE = 10
"""Words that the engines hold of a stream: eight behind an output, two in front of an input."""
PARAMS = Request(DESIGN, DESIGN.cases[0]).all_params
CHANNELS = PARAMS["NS"] + PARAMS["NM"]


def put(name, hang):
    design = CASES[name](hang)
    made = plan(design, strict=not (hang and name in LAX))
    return design, made, place_plan(design, made, ArrayShape.of(PARAMS), "programs")


def episodes(hang):
    def make(setting):
        rng = np.random.default_rng(setting.seed)
        return [put(name, hang)[2].stimulus(rng, setting.clocks) for name in CASES]

    return Case(name="hangs" if hang else "misses", summary="", make=make)


def state(trace):
    """The locks of an engine after their last change; none if they never changed."""
    return [int(v) for v in trace.data[-1]] if len(trace) else None


def finished(outcome, at):
    """Whether a channel's only task came to its end."""
    engine, channel = at
    trace = outcome.ports[f"evt_{engine * CHANNELS + PARAMS['NS'] + channel}"]
    return len(trace) > 0 and bool(trace.data[-1, 1])


def drained(whole, made, outcome):
    """Whether the host got all that its transfers ask for."""
    wanted = {
        c.fifo: sum((t.repeat + 1) * next(b.length for b in c.bds if b.id == t.bd) for t in c.queue)
        for t in made.tiles
        for c in t.channels
        if c.fifo in whole.sinks and c.direction == "S2MM" and t.tile.kind == "shim"
    }
    return all(len(outcome.ports[f"m_axis_{whole.sinks[fifo]}"]) >= words for fifo, words in wanted.items())


def completes(name, whole, made, design, outcome):
    endless = {core.name for core in design.cores if core.endless}
    programs = {n: at for n, at in whole.cores.items() if n in {c.name for c in design.cores} - endless}
    return all(finished(outcome, at) for at in programs.values()) and drained(whole, made, outcome)


def model_says(name, hang):
    design, made, whole = put(name, hang)
    stimulus = whole.stimulus(np.random.default_rng(0), Request(DESIGN, DESIGN.cases[0]).setting(0).clocks)
    return design, made, whole, stimulus, DESIGN.model(PARAMS, stimulus)


def waiting(whole, made, stimulus):
    """The locks that channels wait for in the end, by name: value and what is wanted."""
    names = {(t.tile, lock.id): lock.name for t in made.tiles for lock in t.locks}
    by_number = {at: names[key] for key, at in whole.locks.items()}
    return {
        by_number[e, h.lock]: (h.value, h.wanted)
        for e, found in enumerate(hanging(PARAMS, stimulus))
        for h in found
        if h.state == "lock"
    }


@pytest.mark.parametrize("name", CASES)
def test_the_model_of_the_engines_hangs_where_the_analysis_says(name):
    design, made, whole, stimulus, outcome = model_says(name, True)
    assert not completes(name, whole, made, design, outcome)
    held = waiting(whole, made, stimulus)
    named = {b.lock: (b.value, b.needed) for b in analyse(design, strict=name not in LAX).blocked if b.lock}
    assert LOCKS[name] in held
    assert held[LOCKS[name]] == named[LOCKS[name]]


@pytest.mark.parametrize("name", CASES)
def test_the_model_of_the_engines_completes_near_misses(name):
    design, made, whole, _, outcome = model_says(name, False)
    assert completes(name, whole, made, design, outcome)


def test_streams_hold_less_than_the_hangs_that_depend_on_it_need():
    assert min(STORAGE.values()) > ENGINE_STORAGE


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("hang", [True, False], ids=["hangs", "near misses"])
def test_rtl(hang, tmp_path):
    (result,) = run(Request(DESIGN, episodes(hang)), tmp_path)
    assert result.passed, "\n".join(result.failures[:3])
    assert len(result.episodes) == len(CASES) == 20
    for name, episode in zip(CASES, result.episodes, strict=True):
        design, made, whole = put(name, hang)
        outcome = episode.record.outcome
        assert completes(name, whole, made, design, outcome) != hang, name
        if hang:
            blocked = next(
                b for b in analyse(design, strict=name not in LAX, search=False).blocked if b.lock == LOCKS[name]
            )
            engine, number = whole.locks[blocked.tile, blocked.lock_id]
            values = state(outcome.ports[f"lock_{engine}"])
            value = whole.engines[engine].scene.locks[number] if values is None else values[number]
            assert value == blocked.value < blocked.needed, name
