# SPDX-License-Identifier: Apache-2.0
"""The CSV variant: what is written comes back, and every freedom of the format is taken."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plio_cases import PORTS, traces, zeroed

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file import TextStyle, format_csv, lex, parse_csv
from goldbeat.pymodels.trace import Trace

styles = st.builds(
    TextStyle,
    final_newline=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    floats=st.sampled_from(["scientific", "shortest"]),
    words=st.sampled_from(["natural", "signed", "unsigned", "packets"]),
    tkeep_first=st.booleans(),
)


@pytest.mark.parametrize("port", PORTS, ids=lambda p: f"{p[0].name}_{p[1]}")
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_round_trip(port, data):
    kind, width = port
    trace, style = data.draw(traces(port, offset=False)), data.draw(styles)
    raw = format_csv(trace, kind, style)
    file = parse_csv(raw, kind, width, clock_ps=trace.clock_ps)
    assert zeroed(file.trace) == zeroed(trace)
    assert (file.trace.clock_ps, file.timed, file.dropped) == (trace.clock_ps, False, ())
    # Bytes that are not kept stand in the file all the same.
    assert (file.trace.data == trace.data).all()
    # Whether frames begin with headers cannot always be told, and runs are cut there.
    assert style.words == "packets" or format_csv(file.trace, kind, file.style) == raw


def test_rows():
    raw = (
        b"CMD, D, D, TLAST, TKEEP\n"
        b"COMMENT, anything, at, all, 1, 2, 3\n"
        b"STALL:3\n"
        b"stall, 0, 0, 0, -1\n"
        b"DATA:2, 1, 2, 0, 0x0\n"
        b"COMMENT\n"
        b"data, 3, -4, 1, 0xF\n"
        b"DATA,5,6\n"
        b"DATA,7,8,1\n"
        b"STALL\n"
        b"DATA,9,10,,\n"
        b"STALL:7\n"
    )
    file = parse_csv(raw, "int16", 32)
    assert file.trace.samples("int16").tolist() == [1, 2, 1, 2, 3, -4, 5, 6, 7, 8, 9, 10]
    assert file.trace.cycle.tolist() == [4, 5, 6, 7, 8, 10]
    assert file.trace.last.tolist() == [False, False, True, False, True, False]
    assert file.lines.tolist() == [5, 5, 7, 8, 9, 11]
    assert not file.style.tkeep_first


def test_header_without_tlast_and_tkeep():
    trace = parse_csv(b"cmd,d,d\nDATA,1,2\n", "int16", 32).trace
    assert trace.keep.all()
    assert not trace.last.any()


def test_runs_become_one_row():
    data = np.repeat(np.array([[1], [2], [2]], np.uint8), [1000, 3, 2], axis=0) * np.uint8([1, 0, 0, 0])
    cycle = np.arange(1005)
    cycle[1003:] += 10
    trace = Trace.from_bytes(data, cycle=cycle, clock_ps=4000)
    rows = format_csv(trace, "int32").decode().splitlines()
    assert rows == ["CMD,D,TKEEP,TLAST", "DATA:1000,1,-1,0", "DATA:3,2,-1,0", "STALL:10", "DATA:2,2,-1,0"]
    assert parse_csv(format_csv(trace, "int32"), "int32", 32).trace == trace


def test_short_beats():
    keep = np.ones((3, 16), np.bool_)
    keep[1, 4:] = keep[2, 12:] = False
    trace = Trace.from_bytes(np.ones((3, 16), np.uint8), keep=keep, last=[True] * 3, clock_ps=4000)
    rows = format_csv(trace, "int32").decode().splitlines()[1:]
    assert [r.split(",")[5:] for r in rows] == [["-1", "1"], ["0x000F", "1"], ["0x0FFF", "1"]]


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_quick_reader_agrees_on_large_files(data):
    """Many blocks, some with a comment or an odd blank in them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lex, "BLOCK", 64)
        port = data.draw(st.sampled_from(PORTS))
        trace = data.draw(traces(port, max_beats=60, offset=False))
        rows = format_csv(trace, port[0]).split(b"\n")
        for _ in range(data.draw(st.integers(0, 2))):
            at = data.draw(st.integers(1, len(rows) - 1))
            rows[at:at] = [data.draw(st.sampled_from([b"COMMENT,1", b"COMMENT"]))]
        for _ in range(data.draw(st.integers(0, 2))):
            at = data.draw(st.integers(0, len(rows) - 1))
            rows[at] = rows[at].replace(b",", data.draw(st.sampled_from([b", ", b" ,", b",\t"])))
        raw = b"\n".join(rows)
        assert zeroed(parse_csv(raw, *port, clock_ps=trace.clock_ps).trace) == zeroed(trace)


def test_lenient():
    raw = b"CMD,D,D,TKEEP,TLAST\nDATA,1,2,-1,0\nDATA,3\n\nDATA,5,6,-1,0,0\nDATA,7,8,-1,0\n"
    file = parse_csv(raw, "int16", 32, lenient=True)
    assert file.trace.samples("int16").tolist() == [1, 2, 7, 8]
    assert [d[0] for d in file.dropped] == [3, 4, 5]
    with pytest.raises(InputError, match="'x'"):
        parse_csv(raw.replace(b"7", b"x"), "int16", 32, lenient=True)


def test_empty_and_impossible():
    assert format_csv(Trace.empty(32, clock_ps=1), "int16") == b"CMD,D,D,TKEEP,TLAST\n"
    trace = Trace.from_bytes(np.zeros((1, 4), np.uint8), cycle=[-1], clock_ps=1)
    with pytest.raises(InputError, match="cycle -1 in beat 0"):
        format_csv(trace, "int16")
    assert parse_csv(format_csv(replace(trace, cycle=np.array([9])), "int16"), "int16", 32).trace.cycle.tolist() == [9]
