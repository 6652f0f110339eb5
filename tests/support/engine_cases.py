# SPDX-License-Identifier: Apache-2.0
"""Small episodes of the DMA engine, its outcome as plain lists, and the model against the naive engine."""

import numpy as np
from naive_engine import NaiveEngine

from goldbeat.pymodels.objfifo.engine import alone, engine
from goldbeat.pymodels.objfifo.engine import registers as reg
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace

PARAMS = {"NS": 1, "NM": 1, "NBD": 16, "NLOCK": 8, "NBANK": 4, "MEM_WORDS": 64, "WORD_W": 32}
CLOCK = Clock(1000, 1000)


def episode(descriptors, tasks, *, words=(), gaps=None, start=0, ready=None, locks=None, memory=None, after=()):
    """`words`: one list of 32-bit words an input."""
    inputs = {}
    for n, values in enumerate(words):
        data = np.array(values, "<u4").view(np.uint8).reshape(-1, 4)
        trace = Trace.from_bytes(data, clock_ps=1000, offset_ps=1000)
        inputs[f"s_axis_{n}"] = trace if gaps is None else trace.with_gaps(gaps)
    inputs["start"] = Trace.from_bytes(np.zeros((1, 1)), cycle=[start], clock_ps=1000, offset_ps=1000)
    program = reg.engine_program(descriptors, tasks, locks=locks, memory=memory)
    return Stimulus(inputs, ready or {}, {"aclk": CLOCK}, {"s_axil": program}, {"s_axil": tuple(after)})


def ints(trace):
    return [int.from_bytes(bytes(row), "little") for row in trace.data]


def cycles(outcome, port):
    return outcome.ports[port].cycle.tolist()


class _AfterValid:
    """A sink that is ready some cycles after a beat is offered; it is asked once in each of the beat's cycles."""

    def __init__(self, pattern, edges):
        self._distances, self._edges, self._due = iter(pattern.distances(edges).tolist()), edges, None

    def __len__(self):
        return self._edges

    def __getitem__(self, cycle):
        if self._due is None:
            self._due = cycle + next(self._distances)
        if cycle < self._due:
            return False
        self._due = None
        return True


def _ready(pattern, edges):
    return _AfterValid(pattern, edges) if pattern.waits else pattern.ready(edges).tolist()


def naive(params, stimulus, edges):
    """The naive engine after so many edges, programmed with the same accesses."""
    shape = reg.EngineShape.of(params)
    file = reg.EngineRegisters(shape)
    file.apply(stimulus.program["s_axil"])
    inputs = []
    for n in range(shape.ns):
        trace = stimulus.inputs.get(f"s_axis_{n}")
        inputs.append(([], []) if trace is None else (ints(trace), trace.gaps.tolist()))
    simulation = NaiveEngine(
        shape,
        dict(enumerate(file.descriptors())),
        [reg.EngineTask(c, start, repeat, token) for c, q in enumerate(file.queues) for start, repeat, token in q],
        file.locks,
        [int.from_bytes(bytes(row), "little") for row in file.memory],
        inputs,
        [_ready(stimulus.pattern(f"m_axis_{n}"), edges) for n in range(shape.nm)],
        int(stimulus.inputs["start"].cycle[0]),
        pads=[sum(v << 32 * lane for lane in range(shape.lanes)) for v in file.pad_values],
        ooo=file.out_of_order,
        cores=file.cores,
    )
    simulation.run(edges)
    return simulation


def check_against_naive(params, stimulus):
    """Every port in every cycle, and what is left behind; how many transfers there were."""
    outcome = alone.predict(params, stimulus)
    end = max(int(t.cycle[-1]) for t in outcome.ports.values() if len(t))
    simulation = naive(params, stimulus, end + 60)
    shape = reg.EngineShape.of(params)
    for n in range(shape.ns):
        assert cycles(outcome, f"s_axis_{n}") == simulation.accepts[n]
    for c in range(shape.channels):
        trace = outcome.ports[f"evt_{c}"]
        assert list(zip(trace.cycle.tolist(), ints(trace), strict=True)) == simulation.events[c]
    lock = outcome.ports["lock"]
    assert [(k, list(bytes(row))) for k, row in zip(lock.cycle.tolist(), lock.data, strict=True)] == (
        simulation.lock_beats
    )
    for n in range(shape.nm):
        trace = outcome.ports[f"m_axis_{n}"]
        got = list(zip(trace.cycle.tolist(), ints(trace), trace.last.tolist(), strict=True))
        assert got == [
            (k, engine.header_word(*word[1]) if isinstance(word, tuple) else word, last)
            for k, word, last in simulation.outs[n]
        ]
    left = alone.final_state(params, stimulus)
    assert [int.from_bytes(bytes(row), "little") for row in left.memory] == simulation.memory
    assert (left.tokens, left.locks) == (simulation.tokens, simulation.locks)
    code, channel, number = simulation.error or (0, 0, 0)
    assert left.error == code | channel << 8 | number << 16
    assert [s.stopped for s in left.status] == [c.stopped for c in simulation.channels]
    return sum(len(t) for t in outcome.ports.values())
