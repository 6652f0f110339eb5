# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import NO_RESET, Fifo, Sink, Source, beats_of, run_stage
from stream_cases import check_rules, check_same, patterns, stimulus, traces

from goldbeat.pymodels.axis import fifo
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace


def beats(n):
    return Trace.from_bytes(np.arange(4 * n).reshape(n, 4), clock_ps=1000)


def test_latency():
    out = fifo.predict({"DATA_W": 32, "DEPTH": 2}, stimulus(beats(4)))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4]
    assert out.ports["m_axis"].cycle.tolist() == [3, 4, 5, 6]


def test_capacity_is_depth_and_one():
    # Ready in cycles 9, 19, ...: beat 0 sits in the register (load 2), 1 and 2 in the memory; beat 3 needs load[1].
    # load[1] = out[0] = 9, so it comes in at 10; load[2] = out[1] = 19, so beat 4 comes in at 20.
    out = fifo.predict({"DATA_W": 32, "DEPTH": 2}, stimulus(beats(5), Pattern("array", values=(0,) * 9 + (1,))))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 10, 20]
    assert out.ports["m_axis"].cycle.tolist() == [9, 19, 29, 39, 49]


@pytest.mark.parametrize("depth", [0, 1, 3, 12])
def test_depth_is_a_power_of_two(depth):
    with pytest.raises(UsageError, match="DEPTH"):
        fifo.predict({"DATA_W": 32, "DEPTH": depth}, stimulus(beats(1)))


@given(traces(32, sidebands=True), patterns, st.sampled_from([2, 4, 8]), st.booleans())
def test_against_simulation(trace, pattern, depth, settled):
    case = stimulus(trace, pattern, settled=settled)
    out = fifo.predict({"DATA_W": 32, "DEPTH": depth}, case)
    stage, source, sink = Fifo(depth, NO_RESET if settled else 0), Source(beats_of(trace), trace.gaps), Sink(pattern)
    run_stage(stage, source, sink)
    check_same(out, source, sink)
    check_rules(out, case)
    assert stage.most <= depth + 1


@given(traces(32), st.sampled_from([2, 16]))
def test_shortcut_says_the_same(trace, depth):
    params = {"DATA_W": 32, "DEPTH": depth}
    always = Pattern("array", values=(1,))
    a, b = fifo.predict(params, stimulus(trace)), fifo.predict(params, stimulus(trace, always))
    assert all(a.ports[name] == b.ports[name] for name in ("s_axis", "m_axis"))
