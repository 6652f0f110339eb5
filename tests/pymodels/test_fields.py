# SPDX-License-Identifier: Apache-2.0
"""Fields of handshakes without data, and traces of frames."""

import numpy as np
import pytest

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.fields import pack_fields, unpack_fields
from goldbeat.pymodels.frames import trace_of_frames

WIDTHS = {"addr": 12, "tag": 5, "wide": 70}


def test_fields_come_back():
    values = {"addr": [1, 0xFFF], "tag": [0x15, 0], "wide": [1 << 69, 3]}
    rows = pack_fields(values, WIDTHS)
    assert rows.shape == (2, 11)
    assert int.from_bytes(rows[0].tobytes(), "little") == 1 | 0x15 << 12 | 1 << 86
    found = unpack_fields(rows, WIDTHS)
    assert {name: column.tolist() for name, column in found.items()} == values
    assert unpack_fields(pack_fields({"tag": [3]}, WIDTHS), WIDTHS)["addr"].tolist() == [0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tag": [32]}, "field tag, beat 0: found 32, expected a number of 5 bits"),
        ({"name": [1]}, "no field 'name'; there are: addr, tag, wide"),
        ({"tag": [1], "addr": [1, 2]}, "fields of 1, 2 beats"),
    ],
)
def test_what_does_not_fit_is_refused(values, message):
    with pytest.raises(UsageError, match=message):
        pack_fields(values, WIDTHS)


def test_frames_are_packed_from_lane_0():
    trace = trace_of_frames([np.arange(5, dtype=np.uint8), np.uint8([9])], 32, Clock(4000, 4000), tuser=1)
    assert trace.keep.sum(axis=1).tolist() == [4, 1, 1]
    assert trace.last.tolist() == [False, True, True]
    assert [frame.data[frame.keep].tolist() for frame in trace.frames()] == [[0, 1, 2, 3, 4], [9]]
    assert trace.tuser.tolist() == [1, 1, 1]
    each = trace_of_frames([b"abcde", b"f"], 32, Clock(4000, 4000), tuser=[3, 4])
    assert each.tuser.tolist() == [3, 3, 4]
    with pytest.raises(UsageError, match="a frame without bytes"):
        trace_of_frames([np.zeros(0, np.uint8)], 32, Clock(4000, 4000))
