# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import NO_RESET, Downsizer, Sink, Source, Upsizer, beats_of, run_stage
from stream_cases import check_rules, check_same, patterns, stimulus, traces

from goldbeat.pymodels.axis import downsizer, upsizer
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace

UP = {"S_W": 32, "M_W": 64}
DOWN = {"S_W": 64, "M_W": 32}


def words(*values, last=None, keep=None):
    data = np.array(values, "<u4").reshape(len(values), -1).view(np.uint8)
    return Trace.from_bytes(data, last=last, keep=keep, clock_ps=1000)


def as_words(trace):
    return trace.data.view("<u4").tolist()


def test_upsizer_pairs_and_an_early_end():
    out = upsizer.predict(UP, stimulus(words(1, 2, 3, 4, 5, last=[0, 0, 1, 0, 0])))
    wide = out.ports["m_axis"]
    assert as_words(wide) == [[1, 2], [3, 0], [4, 5]]
    assert wide.keep.tolist() == [[True] * 8, [True] * 4 + [False] * 4, [True] * 8]
    assert wide.last.tolist() == [False, True, False]
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4, 5]
    assert wide.cycle.tolist() == [3, 4, 6]


def test_upsizer_holds_a_lone_word():
    out = upsizer.predict(UP, stimulus(words(1, 2, 3)))
    assert as_words(out.ports["m_axis"]) == [[1, 2]]
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3]


def test_upsizer_copies_keep():
    keep = [[1, 0, 0, 1], [0, 0, 0, 0]]
    out = upsizer.predict(UP, stimulus(words(1, 2, last=[0, 1], keep=keep)))
    assert out.ports["m_axis"].keep.astype(int).tolist() == [[1, 0, 0, 1, 0, 0, 0, 0]]


def test_upsizer_under_back_pressure():
    # Wide beats complete at 2 and 4 and fill the skid buffer. No narrow beat, not even the first of a pair, gets in
    # before out[0] + 1 = 10; then 11 completes, full again until out[1] + 1 = 20.
    out = upsizer.predict(UP, stimulus(words(*range(8)), Pattern("array", values=(0,) * 9 + (1,))))
    assert out.ports["m_axis"].cycle.tolist() == [9, 19, 29, 39]
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 3, 4, 10, 11, 20, 21]


def test_downsizer():
    keep = [[1] * 8, [1] * 4 + [0] * 4, [0] * 8, [0] * 4 + [0, 1, 0, 0], [0] * 8]
    source = words((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), last=[0, 1, 1, 1, 0], keep=keep)
    out = downsizer.predict(DOWN, stimulus(source))
    narrow = out.ports["m_axis"]
    assert as_words(narrow) == [[1], [2], [3], [5], [7], [8], [9], [10]]
    assert narrow.keep.astype(int).sum(axis=1).tolist() == [4, 4, 4, 0, 0, 1, 0, 0]
    assert narrow.last.astype(int).tolist() == [0, 0, 1, 1, 0, 1, 0, 0]
    assert narrow.cycle.tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
    # Beat 2 needs the first one's last word gone: 3 + 1; beat 3 the second one's: 4 + 1, and so on.
    assert out.ports["s_axis"].cycle.tolist() == [1, 2, 4, 5, 6]


def test_illegal_ratios():
    for wide, narrow in ((64, 64), (256, 32), (96, 32), (64, 128), (80, 32)):
        with pytest.raises(UsageError, match="times"):
            upsizer.predict({"S_W": narrow, "M_W": wide}, stimulus(words(1)))
        with pytest.raises(UsageError, match="times"):
            downsizer.predict({"S_W": wide, "M_W": narrow}, stimulus(words(1)))


@given(st.sampled_from([(32, 2), (32, 4), (64, 2), (8, 4)]), st.data(), patterns, st.booleans())
def test_upsizer_against_simulation(sizes, data, pattern, settled):
    narrow, ratio = sizes
    trace = data.draw(traces(narrow))
    case = stimulus(trace, pattern, settled=settled)
    out = upsizer.predict({"S_W": narrow, "M_W": narrow * ratio}, case)
    stage, source, sink = Upsizer(ratio, NO_RESET if settled else 0), Source(beats_of(trace), trace.gaps), Sink(pattern)
    run_stage(stage, source, sink)
    check_same(out, source, sink)
    check_rules(out, case)


@given(traces(32))
def test_upsizer_shortcut_says_the_same(trace):
    always = Pattern("array", values=(1,))
    a, b = upsizer.predict(UP, stimulus(trace)), upsizer.predict(UP, stimulus(trace, always))
    assert all(a.ports[name] == b.ports[name] for name in ("s_axis", "m_axis"))


@given(st.sampled_from([(32, 2), (32, 4), (64, 2), (8, 4)]), st.data(), patterns, st.booleans())
def test_downsizer_against_simulation(sizes, data, pattern, settled):
    narrow, ratio = sizes
    trace = data.draw(traces(narrow * ratio, most=20))
    case = stimulus(trace, pattern, settled=settled)
    out = downsizer.predict({"S_W": narrow * ratio, "M_W": narrow}, case)
    stage, source, sink = (
        Downsizer(ratio, NO_RESET if settled else 0),
        Source(beats_of(trace), trace.gaps),
        Sink(pattern),
    )
    run_stage(stage, source, sink)
    check_same(out, source, sink)
    check_rules(out, case)


@given(traces(32))
def test_up_and_down_again(trace):
    """Whole words come back as they were, whatever the packets."""
    whole = Trace.from_bytes(trace.data, last=trace.last, clock_ps=1000)
    wide = upsizer.predict(UP, stimulus(whole)).ports["m_axis"]
    narrow = downsizer.predict(DOWN, stimulus(wide)).ports["m_axis"]
    n = len(narrow)
    assert n >= len(trace) - 1
    assert beats_of(narrow) == beats_of(whole)[:n]
