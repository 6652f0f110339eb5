# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive_streams import AsyncFifo, Downsizer, Sink, Source, Upsizer, beats_of, run_crossing
from stream_cases import check_rules, check_same, clocks, patterns, stimulus, traces

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.plio import port
from goldbeat.pymodels.plio.keep_rule import apply_keep_rule, valid_words
from goldbeat.pymodels.stimulus import Clock
from goldbeat.pymodels.trace import Trace

EQUAL = {"s_aclk": Clock(1000, 1000), "m_aclk": Clock(1000, 1000)}


def words(width, *values, last=None, keep=None):
    data = np.array(values, "<u4").reshape(-1, width // 32).view(np.uint8)
    return Trace.from_bytes(data, last=last, keep=keep, clock_ps=1000)


def as_words(trace):
    return trace.data.view("<u4").ravel().tolist()


def test_32_bit_through_three_stages():
    # Accepts at 3, 4, 5; the pair is complete at 4, wide out at 5 (FIFO accept), seen at 6, load 8, out 9 into the
    # downsizer, words at 10 and 11. The third word waits for a fourth.
    out = port.predict({"W": 32, "DEPTH": 4}, stimulus(words(32, 1, 2, 3), None, EQUAL))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4, 5]
    assert as_words(out.ports["m_axis"]) == [1, 2]
    assert out.ports["m_axis"].cycle.tolist() == [10, 11]
    assert out.status == {"keep_error_count": 0}


def test_64_bit_has_no_upsizer():
    # Accept at 3, seen at 4, load 6, out 7 into the downsizer, words at 8 and 9.
    out = port.predict({"W": 64, "DEPTH": 4}, stimulus(words(64, 1, 2, 3, 4, last=[0, 1]), None, EQUAL))
    assert out.ports["s_axis"].cycle.tolist() == [3, 4]
    assert as_words(out.ports["m_axis"]) == [1, 2, 3, 4]
    assert out.ports["m_axis"].last.astype(int).tolist() == [0, 0, 0, 1]
    assert out.ports["m_axis"].cycle.tolist() == [8, 9, 10, 11]


@pytest.mark.parametrize(
    ("keep", "last", "becomes", "error"),
    [
        (0xFFFF, 1, 0xFFFF, 0),
        (0x00FF, 1, 0x00FF, 0),
        (0x000F, 1, 0x000F, 0),
        (0x0000, 1, 0x000F, 1),
        (0x0001, 1, 0x000F, 1),
        (0x0FF0, 1, 0x0FFF, 1),
        (0x8000, 1, 0xFFFF, 1),
        (0x007F, 1, 0x00FF, 1),
        (0x0000, 0, 0xFFFF, 0),
        (0x0013, 0, 0xFFFF, 0),
    ],
)
def test_keep_rule(keep, last, becomes, error):
    bits = [[keep >> b & 1 for b in range(16)]]
    trace, broken = apply_keep_rule(words(128, 1, 2, 3, 4, last=[last], keep=bits))
    assert sum(1 << b for b in range(16) if trace.keep[0, b]) == becomes
    assert broken.tolist() == [bool(error)]


def test_errors_are_counted_and_repaired():
    keep = [[1] * 4 + [0] * 4, [0, 0, 0, 0, 0, 1, 0, 0], [0] * 8, [1, 1, 1, 0] + [0] * 4]
    source = words(64, 1, 2, 3, 4, 5, 6, 7, 8, last=[1, 1, 1, 1], keep=keep)
    out = port.predict({"W": 64, "DEPTH": 4}, stimulus(source, None, EQUAL))
    assert as_words(out.ports["m_axis"]) == [1, 3, 4, 5, 7]
    assert out.ports["m_axis"].keep.all()
    assert out.ports["m_axis"].last.astype(int).tolist() == [1, 0, 1, 1, 1]
    assert out.status == {"keep_error_count": 3}
    assert (out.ports["s_axis"].keep == np.array(keep)).all()


def test_valid_words():
    keep = np.array([[1] * 16, [1] * 4 + [0] * 4 + [1] * 8, [1] * 7 + [0] * 9, [0] * 16, [0] * 16])
    assert valid_words(words(128, *range(20), last=[1, 1, 1, 1, 0], keep=keep)).tolist() == [4, 1, 1, 0, 4]


def test_width():
    with pytest.raises(UsageError, match="W = 256"):
        port.predict({"W": 256, "DEPTH": 4}, stimulus(words(32, 1), None, EQUAL))


def repaired(beats, ratio):
    """The keep rule from its prose; the beats, and how many broke it."""
    done, errors = [], 0
    for data, keep, last in beats:
        lanes = [keep[4 * w : 4 * w + 4] for w in range(ratio)]
        count = ratio
        if last:
            count = max([1, *(w + 1 for w in range(ratio) if any(lanes[w]))])
            errors += keep != (True,) * 4 * count + (False,) * 4 * (ratio - count)
        done.append((data, (True,) * 4 * count + (False,) * 4 * (ratio - count), last))
    return done, errors


@given(st.sampled_from([32, 64, 128]), st.data(), patterns, clocks, clocks, st.sampled_from([4, 16]), st.booleans())
def test_against_simulation(width, data, pattern, s_clock, m_clock, depth, settled):
    trace = data.draw(traces(width, most=25))
    case = stimulus(trace, pattern, {"s_aclk": s_clock, "m_aclk": m_clock}, settled)
    out = port.predict({"W": width, "DEPTH": depth}, case)
    beats, errors = repaired(beats_of(trace), width // 32)
    edges = -1 if settled else 2  # on the synchronised resets of the FIFO
    before = Upsizer(2, edges) if width == 32 else None
    after = Downsizer(max(width, 64) // 32, edges)
    fifo, source, sink = AsyncFifo(depth, settled), Source(beats, trace.gaps), Sink(pattern)
    run_crossing(before, fifo, after, source, sink, s_clock, m_clock)
    check_same(out, source, sink)
    check_rules(out, case)
    assert out.status["keep_error_count"] == errors
    assert fifo.most <= depth + 1


def test_back_pressure_reaches_the_source():
    # The sink never takes more than one word in 50 cycles: 4 words in the downsizer, 2 in the output register, 8 in the
    # memory, 4 in the upsizer's skid buffer; further words only as fast as the sink takes them.
    case = stimulus(words(32, *range(40)), Pattern("array", values=(0,) * 49 + (1,)), EQUAL)
    out = port.predict({"W": 32, "DEPTH": 4}, case)
    assert (out.ports["s_axis"].cycle < 49).sum() == 18
    assert out.ports["m_axis"].cycle.tolist() == [49 + 50 * i for i in range(40)]
