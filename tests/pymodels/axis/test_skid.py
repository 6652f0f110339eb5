# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import NO_RESET, Sink, Skid, Source, beats_of, run_stage
from stream_cases import ACLK, check_rules, check_same, patterns, stimulus, traces

from goldbeat.pymodels.axis import skid
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import Trace

PARAMS = {"DATA_W": 32}


def beats(n, **columns):
    return Trace.from_bytes(np.arange(4 * n).reshape(n, 4), clock_ps=1000, **columns)


def test_first_beat_waits_for_reset():
    out = skid.predict(PARAMS, stimulus(beats(3)))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3]
    assert out.ports["m_axis"].cycle.tolist() == [2, 3, 4]


def test_settled_design_takes_a_beat_at_once():
    out = skid.predict(PARAMS, stimulus(beats(2), settled=True))
    assert out.ports["s_axis"].cycle.tolist() == [0, 1]
    assert out.ports["m_axis"].cycle.tolist() == [1, 2]


def test_two_beats_fit():
    # Ready in cycles 5, 11, 17, ...: two are in at 1 and 2, each output makes room one cycle later.
    out = skid.predict(PARAMS, stimulus(beats(4), Pattern("array", values=(0, 0, 0, 0, 0, 1))))
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 6, 12]
    assert out.ports["m_axis"].cycle.tolist() == [5, 11, 17, 23]


def test_gaps_count_from_the_transfer():
    out = skid.predict(PARAMS, stimulus(beats(3).with_gaps([4, 0, 2])))
    assert out.ports["s_axis"].cycle.tolist() == [4, 5, 8]


def test_columns_pass_with_the_clock_of_the_design():
    source = beats(2, last=[False, True], keep=[[True] * 4, [True, False, True, False]], tid=[3, 4], tuser=[5, 6])
    out = skid.predict(PARAMS, Stimulus({"s_axis": source}, {}, {"aclk": Clock(800, 300)}))
    for trace in out.ports.values():
        assert beats_of(trace) == beats_of(source)
        assert (trace.clock_ps, trace.offset_ps) == (800, 300)
    assert out.ports["m_axis"].tdest is None


def test_no_beats():
    out = skid.predict(PARAMS, Stimulus({}, {}, {"aclk": ACLK}))
    assert [len(t) for t in out.ports.values()] == [0, 0]


def test_wrong_requests():
    with pytest.raises(UsageError, match="DATA_W"):
        skid.predict({}, stimulus(beats(1)))
    with pytest.raises(UsageError, match="32 bit"):
        skid.predict({"DATA_W": 64}, stimulus(beats(1)))
    with pytest.raises(UsageError, match="aclk"):
        skid.predict(PARAMS, Stimulus({}))
    with pytest.raises(UsageError, match="not ready"):
        skid.predict(PARAMS, stimulus(beats(1), Pattern("array", values=(0,))))


def test_long_runs_and_long_pauses():
    # Far beyond the first stretch of the pattern that is looked at; each beat leaves in the first ready cycle.
    pattern = Pattern("random", p=0.9, seed=3)
    out = skid.predict(PARAMS, stimulus(beats(9).with_gaps([0, 9000, 0, 0, 40000, 1, 100000, 0, 0]), pattern))
    ready = np.flatnonzero(pattern.ready(200000))
    earliest = np.maximum(out.ports["s_axis"].cycle + 1, np.append(0, out.ports["m_axis"].cycle[:-1] + 1))
    assert (out.ports["m_axis"].cycle == ready[np.searchsorted(ready, earliest)]).all()


@given(traces(32, sidebands=True), patterns, st.booleans())
def test_against_simulation(trace, pattern, settled):
    case = stimulus(trace, pattern, settled=settled)
    out = skid.predict(PARAMS, case)
    stage, source, sink = Skid(NO_RESET if settled else 0), Source(beats_of(trace), trace.gaps), Sink(pattern)
    run_stage(stage, source, sink)
    check_same(out, source, sink)
    check_rules(out, case)
    assert stage.most <= skid.SKID_DEPTH


@given(traces(32))
def test_shortcut_says_the_same(trace):
    always = Pattern("array", values=(1,))
    a, b = skid.predict(PARAMS, stimulus(trace)), skid.predict(PARAMS, stimulus(trace, always))
    assert all(a.ports[name] == b.ports[name] for name in ("s_axis", "m_axis"))
