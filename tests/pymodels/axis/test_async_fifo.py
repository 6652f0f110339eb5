# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import AsyncFifo, Sink, Source, beats_of, run_crossing
from stream_cases import check_rules, check_same, clocks, patterns, stimulus, traces

from goldbeat.pymodels.axis import async_fifo
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock
from goldbeat.pymodels.trace import Trace

PARAMS = {"DATA_W": 32, "DEPTH": 4}


def beats(n):
    return Trace.from_bytes(np.arange(4 * n).reshape(n, 4), clock_ps=1000)


def predict(trace, s_clock, m_clock, pattern=None, settled=False):
    return async_fifo.predict(PARAMS, stimulus(trace, pattern, {"s_aclk": s_clock, "m_aclk": m_clock}, settled))


def test_equal_clocks_sample_the_value_before_the_edge():
    # Accept at 3; captured at 4 (not at the same picosecond), second flop 5, load 6, out 7.
    out = predict(beats(3), Clock(1000, 1000), Clock(1000, 1000))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4, 5]
    assert out.ports["m_axis"].cycle.tolist() == [7, 8, 9]


def test_an_edge_a_picosecond_later_samples_the_new_value():
    out = predict(beats(3), Clock(1000, 999), Clock(1000, 1000))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4, 5]
    assert out.ports["m_axis"].cycle.tolist() == [6, 7, 8]


def test_full_until_the_read_pointer_comes_back():
    # Equal clocks, DEPTH 4: beats 0..3 in at 3..6, loads 6..; beat 4 needs the slot of beat 0: load 6, sampled at 7,
    # free at 9. Sink ready in cycles 19, 39, ...: load[1] = out[0] = 19, slot free at 20 + 2 = 22.
    out = predict(beats(6), Clock(1000, 1000), Clock(1000, 1000), Pattern("array", values=(0,) * 19 + (1,)))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4, 5, 6, 9, 22]
    assert out.ports["m_axis"].cycle.tolist() == [19, 39, 59, 79, 99, 119]


def test_no_sample_before_the_second_edge_of_a_slow_clock():
    # s-edges 100, 200, ..., m-edges 1000, 2000, 3000: the write at 400 is seen at m-edge 2, not 0. load 4, out 5.
    # Slots: beat 4 waits for load[0] at 5000 ps: s-edge 50 (5100 ps) samples, free at 52.
    out = predict(beats(5), Clock(100, 100), Clock(1000, 1000))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4, 5, 6, 52]
    assert out.ports["m_axis"].cycle.tolist() == [5, 6, 7, 8, 9]


def test_settled():
    # Accept at s-edge 0 (100 ps), m-edge 0 (1000 ps) samples, load 2, out 3; beat 4 waits for 3000 ps: s-edge 30, 32.
    out = predict(beats(5), Clock(100, 100), Clock(1000, 1000), settled=True)
    assert out.ports["s_axis"].cycle.tolist() == [0, 1, 2, 3, 32]
    assert out.ports["m_axis"].cycle.tolist() == [3, 4, 5, 6, 7]


def test_clocks_of_the_outcome():
    out = predict(beats(1), Clock(100, 7), Clock(1000, 11))
    assert (out.ports["s_axis"].clock_ps, out.ports["s_axis"].offset_ps) == (100, 7)
    assert (out.ports["m_axis"].clock_ps, out.ports["m_axis"].offset_ps) == (1000, 11)


def test_depth():
    with pytest.raises(UsageError, match="DEPTH"):
        async_fifo.predict({"DATA_W": 32, "DEPTH": 2}, stimulus(beats(1), None, {"s_aclk": None, "m_aclk": None}))


@given(traces(32, sidebands=True), patterns, clocks, clocks, st.sampled_from([4, 8, 16]), st.booleans())
def test_against_simulation(trace, pattern, s_clock, m_clock, depth, settled):
    case = stimulus(trace, pattern, {"s_aclk": s_clock, "m_aclk": m_clock}, settled)
    out = async_fifo.predict({"DATA_W": 32, "DEPTH": depth}, case)
    fifo, source, sink = AsyncFifo(depth, settled), Source(beats_of(trace), trace.gaps), Sink(pattern)
    run_crossing(None, fifo, None, source, sink, s_clock, m_clock)
    check_same(out, source, sink)
    check_rules(out, case)
    assert fifo.most <= depth + 1
