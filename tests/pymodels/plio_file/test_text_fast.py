# SPDX-License-Identifier: Apache-2.0
"""The quick reader and the careful one are the same reader: same beats, or the same error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plio_cases import PORTS, traces

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file import TextStyle, format_csv, format_text, lex
from goldbeat.pymodels.plio_file.csv_strict import read_rows
from goldbeat.pymodels.plio_file.text_strict import read_beats
from goldbeat.pymodels.trace import Trace

PIECES = [
    b"", b"\n", b"\r\n", b" ", b"\t", b"-", b"+", b"0", b"7", b"TLAST\n", b"tlast \n", b"T 3 ns\n", b"T 99999999999 us\n",
    b"TKEEP -1\n", b"TKEEP 0xF\n", b"1 2\n", b"x", b"\0", b"\xff", b"\r", b".", b"e5", b"_", b"inf ", b"nan", b",", b"9" * 19,
    b"DATA:3,", b"STALL:2\n", b"COMMENT\n", b"0x0F", b"-1,", b":",
]  # fmt: skip


def outcome(reader, raw, port, lenient, quick):
    try:
        columns, *rest = reader(raw, *port, lenient=lenient, name="f", quick=quick)
    except InputError as error:
        return str(error)
    values = {}
    for name, column in vars(columns).items():
        if name == "keep" and column is not None and (column < 0).all():
            column = None
        values[name] = None if column is None else (column.tobytes(), column.dtype)
    return values, rest


@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_same_outcome(data):
    """Valid files, then files with some bytes put in, taken out or moved."""
    port = data.draw(st.sampled_from(PORTS))
    csv, timed = data.draw(st.booleans()), data.draw(st.booleans())
    trace = data.draw(traces(port, max_beats=40, offset=False))
    raw = format_csv(trace, port[0]) if csv else format_text(trace, port[0], TextStyle(time_lines=timed))
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(raw)))
        if data.draw(st.booleans()):
            # Lines stay whole more often than not.
            at = raw.find(b"\n", at) + 1
        cut = data.draw(st.sampled_from([0, 0, 1, 2, 9]))
        raw = raw[:at] + data.draw(st.sampled_from(PIECES)) + raw[at + cut :]
    reader, lenient = (read_rows if csv else read_beats), data.draw(st.booleans())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lex, "BLOCK", data.draw(st.sampled_from([1, 50, 300, 1 << 18])))
        quick = outcome(reader, raw, port, lenient, True)
    assert quick == outcome(reader, raw, port, lenient, False)


def test_plain_files_are_read_quickly(monkeypatch):
    """None of the usual layouts falls back to the careful reader."""

    def careful(*_):
        raise AssertionError("the careful reader was asked")

    rng = np.random.default_rng(1)
    for kind, width in PORTS:
        n = 300
        # No NaNs: their fractions are for the careful reader.
        data = rng.integers(0, 120, (n, width // 8), dtype=np.uint8)
        keep = np.ones(data.shape, np.bool_)
        last = np.arange(n) % 10 == 9
        keep[last, max(4, kind.bytes) :] = False
        trace = Trace.from_bytes(data, keep=keep, last=last, cycle=np.arange(n) * 2, clock_ps=4000)
        style = TextStyle(lead=" ", separator="  ", newline="\r\n", final_newline=False)
        files = [
            format_text(trace, kind),
            format_text(trace, kind, style),
            format_text(trace, kind, TextStyle(time_lines=False)),
        ]
        with monkeypatch.context() as patch:
            patch.setattr("goldbeat.pymodels.plio_file.text_strict._Scan.feed", careful)
            for raw in files:
                assert len(read_beats(raw, kind, width, lenient=False, name=None)[0].counts) == n
