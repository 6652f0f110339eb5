# SPDX-License-Identifier: Apache-2.0
"""Frames of bytes as traces, and the assertion that shows where two traces part."""

from types import SimpleNamespace

import numpy as np
import pytest

from goldbeat import assert_equal
from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.frames import trace_of_frame

CLOCK = Clock(4000, 4000)


def frame(**more):
    return SimpleNamespace(tdata=b"\x01\x02\x03\x04\x05\x06", **more)


def test_a_frame_has_its_values_where_its_bytes_are():
    trace = trace_of_frame(
        frame(tkeep=[1, 0, 1, 1, 1, 1], tuser=[1, 2, 3, 4, 5, 6], tid=9), 32, CLOCK, ("tuser", "tid")
    )
    assert trace.data.tolist() == [[1, 2, 3, 4], [5, 6, 0, 0]]
    assert trace.keep.tolist() == [[True, False, True, True], [True, True, False, False]]
    assert trace.last.tolist() == [False, True]
    assert trace.tuser.tolist() == [4, 6]
    assert trace.tid.tolist() == [9, 9]
    assert trace.tdest is None


@pytest.mark.parametrize(
    ("more", "sides", "said"),
    [
        ({"tuser": [1, 2]}, ("tuser",), "tuser: found 2 values, expected one for all, or 6"),
        ({"tdest": 1}, ("tuser",), "the frame has a tdest, the port has none"),
        ({"tkeep": [1]}, (), "tkeep: found 1 values"),
    ],
)
def test_what_does_not_fit_is_refused(more, sides, said):
    with pytest.raises(UsageError, match=said):
        trace_of_frame(frame(**more), 32, CLOCK, sides)


def test_the_assertion_shows_the_first_difference():
    expected = trace_of_frame(frame(), 8, CLOCK, ())
    got = trace_of_frame(SimpleNamespace(tdata=b"\x01\x02\x03\x07\x05\x06"), 8, CLOCK, ())
    assert_equal(expected, expected)
    with pytest.raises(AssertionError, match=r"port m_axis, beat 3: data differs: expected 04, got 07") as error:
        assert_equal(got, expected, name="m_axis")
    assert "> " in str(error.value)
    late = expected.with_gaps(np.arange(6))
    with pytest.raises(AssertionError, match="time differs"):
        assert_equal(late, expected)
    assert_equal(late, expected, time="ignore")
    with pytest.raises(AssertionError, match="missing"):
        assert_equal(expected[:5], expected)
    with pytest.raises(AssertionError, match="no beat to compare"):
        assert_equal(expected[:0], expected[:0])
