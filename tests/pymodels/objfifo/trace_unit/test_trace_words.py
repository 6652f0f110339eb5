# SPDX-License-Identifier: Apache-2.0
"""Trace words: packets, frames, and times, byte by byte and there and back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.trace_unit.frames import (
    FrameKind,
    decode_frames,
    events_frame,
    frame_bytes,
    repeat_frames,
    start_frame,
)
from goldbeat.pymodels.objfifo.trace_unit.packets import (
    FILLER,
    TraceBytes,
    TraceKind,
    TraceSource,
    join_packets,
    read_header,
    read_trace_words,
    split_packets,
    trace_text,
)
from goldbeat.pymodels.objfifo.trace_unit.spans import frames_to_spans, merged_spans, spans_of_cycles, spans_to_frames

CORE = TraceSource(TraceKind.CORE, 2, 0, 1)


def decoded(data):
    return decode_frames(TraceBytes(bytes(data), tuple(range(4, 4 + len(data), 28))))


def spans(*data):
    return frames_to_spans(decoded([0xF0, 0, 0, 0, 0, 0, 0, 100, *data]))


@pytest.mark.parametrize(
    ("source", "word"),
    [
        (CORE, 0x80020001),
        (TraceSource(TraceKind.MEMTILE, 1, 0, 3), 0x00013003),
        (TraceSource(TraceKind.CORE, 2, 1, 2), 0x00220002),
        (TraceSource(TraceKind.MEMTILE, 1, 1, 1), 0x00213001),
    ],
)
def test_header(source, word):
    assert source.header == word
    assert read_header(word) == source
    assert read_header(word ^ 1) is None


@pytest.mark.parametrize("word", [0, 0xFEFEFEFE, 0xA5A5A5A5, 0x00024001, 0x80020001 | 3 << 28])
def test_no_header(word):
    assert read_header(word) is None


@pytest.mark.parametrize(
    ("data", "kind", "mask", "number"),
    [
        ([0xF0, 0, 0, 0, 0, 4, 0xF2, 0x7B], FrameKind.START, 0, 324219),
        ([0xF4, 0, 0, 0, 0, 0, 0, 1], FrameKind.START, 0, 1),
        ([0x70], FrameKind.EVENTS, 0x80, 0),
        ([0x3F], FrameKind.EVENTS, 0x08, 15),
        ([0x84, 0x42], FrameKind.EVENTS, 0x02, 66),
        ([0x9F, 0xFF], FrameKind.EVENTS, 0x80, 1023),
        ([0xA0, 0x1E, 0xC4], FrameKind.EVENTS, 0x01, 7876),
        ([0xA8, 0x28, 0x04], FrameKind.EVENTS, 0x04, 10244),
        ([0xC8, 0x80], FrameKind.EVENTS, 0x88, 0),
        ([0xC0, 0x50], FrameKind.EVENTS, 0x05, 0),
        ([0xD2, 0x20, 0x10], FrameKind.EVENTS, 0x88, 16),
        ([0xD6, 0x21, 0x00, 0x00], FrameKind.EVENTS, 0x88, 0x10000),
        ([0xE7], FrameKind.REPEAT, 0, 7),
        ([0xDB, 0xFF], FrameKind.REPEAT, 0, 1023),
        ([0xDC, 0x00, 0x27, 0xFC], FrameKind.SKIP, 0, 0),
        ([0xFE], FrameKind.PADDING, 0, 0),
        ([0xFF], FrameKind.OVERFLOW, 0, 0),
    ],
)
def test_frame_by_bytes(data, kind, mask, number):
    found = decoded([0xF0, 0, 0, 0, 0, 0, 0, 0, *data])[1]
    assert (found.kind, found.mask, found.number, found.raw) == (kind, mask, number, bytes(data))
    if kind is FrameKind.EVENTS:
        assert events_frame(mask, number) == bytes(data)
    if kind is FrameKind.REPEAT:
        assert repeat_frames(number) == bytes(data)


def test_times_of_frames():
    # One cycle; four cycles by a repeat; again after a gap; two slots, of which one goes on.
    assert spans(0x00) == {0: [(101, 102)]}
    assert spans(0x00, 0xE3) == {0: [(101, 105)]}
    assert spans(0x00, 0xE3, 0x02) == {0: [(101, 105), (107, 108)]}
    assert spans(0xC0, 0x30, 0x10) == {0: [(101, 102)], 1: [(101, 103)]}
    # A repeat of a frame with a gap repeats the gap; after an overflow nothing is open.
    assert spans(0x02, 0xE1) == {0: [(103, 104), (106, 107)]}
    assert spans(0x00, 0xFF, 0x01) == {0: [(101, 102), (101 + 0x3FFFF + 2, 101 + 0x3FFFF + 3)]}


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.integers(0, 7), st.lists(st.tuples(st.integers(1, 2000), st.integers(1, 1500)), max_size=12), max_size=8
    ),
    st.integers(0, 0x3FFFFF),
)
def test_spans_there_and_back(rows, far):
    wanted = {slot: merged_spans([(b, b + n) for b, n in row]) for slot, row in rows.items() if row}
    if wanted:
        slot = min(wanted)
        wanted[slot] = merged_spans([*wanted[slot], (far + 5000, far + 5003)])
    data = spans_to_frames(wanted, 0)
    frames = decoded(data)
    assert frame_bytes(frames) == data
    assert frames_to_spans(frames) == dict(sorted(wanted.items()))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.lists(st.integers(1, 400), min_size=1, max_size=60))
def test_packets_there_and_back(first, second):
    sources = {CORE: first, TraceSource(TraceKind.MEM, 2, 0, 2): second}
    data = {s: spans_to_frames({0: spans_of_cycles(np.array(c))}, 0) for s, c in sources.items()}
    words = join_packets(data)
    assert len(words) % 8 == 0
    # Packets of different sources come in any order, and the buffer is longer than what is in it.
    found = split_packets([*words, *[FILLER] * 8, *[0] * 40])
    for source, wanted in data.items():
        assert found[source].data.rstrip(b"\xfe") == wanted.rstrip(b"\xfe")
        assert frames_to_spans(decode_frames(found[source])) == {0: spans_of_cycles(np.array(sources[source]))}


def test_text_and_binary(tmp_path):
    words = join_packets({CORE: spans_to_frames({3: [(5, 9)]}, 0)})
    text, binary = tmp_path / "trace.txt", tmp_path / "trace.bin"
    text.write_text(trace_text(words))
    binary.write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    assert read_trace_words(text) == read_trace_words(binary) == words


@pytest.mark.parametrize(
    ("words", "offset", "text"),
    [
        ([CORE.header, *[FILLER] * 7, 0x12345678, *[1] * 7], 32, "12345678"),
        ([CORE.header ^ 2, *[1] * 7], 0, "odd parity"),
        ([CORE.header, 0xF0000000, 1, 0x00F10000, *[FILLER] * 4], None, "beginning of a frame"),
        ([CORE.header, 0x10101010, *[FILLER] * 6], 7, "missing start frame"),
    ],
)
def test_damage_has_an_offset(words, offset, text):
    def read():
        return [decode_frames(data) for data in split_packets(words).values()]

    with pytest.raises(InputError) as caught:
        read()
    assert text in str(caught.value)
    assert "byte" in str(caught.value)
    if offset is not None:
        assert f"byte {offset}" in str(caught.value)


def test_the_offset_is_that_of_the_byte_in_the_file(tmp_path):
    words = [CORE.header, 0xF0000000, 1, 0x00F10000, *[FILLER] * 4]
    file = tmp_path / "trace.bin"
    file.write_bytes(b"".join(w.to_bytes(4, "little") for w in words))
    with pytest.raises(InputError) as caught:
        decode_frames(split_packets(read_trace_words(file), file)[CORE], file)
    offset = int(str(caught.value).split("byte ")[1].split(":")[0])
    assert file.read_bytes()[offset] == 0xF1


def test_a_buffer_may_end_inside_a_frame():
    data = start_frame(7) + events_frame(1, 0) + events_frame(3, 5000)[:2]
    assert frames_to_spans(decoded(data)) == {0: [(8, 9)]}


@pytest.mark.parametrize("name", ["empty", "odd", "letters"])
def test_files_that_are_none(tmp_path, name):
    file = tmp_path / "trace.txt"
    file.write_bytes({"empty": b"", "odd": bytes(7), "letters": b"00000001\nxyz\n"}[name])
    with pytest.raises(InputError):
        read_trace_words(file)
    with pytest.raises(InputError):
        read_trace_words(tmp_path / "missing")


@pytest.mark.parametrize(
    "bad",
    [
        lambda: start_frame(1 << 56),
        lambda: events_frame(0, 1),
        lambda: events_frame(1, 1 << 18),
        lambda: spans_to_frames({8: [(1, 2)]}),
        lambda: spans_to_frames({0: [(1, 2)]}, 5),
        lambda: trace_text([1 << 32]),
    ],
)
def test_what_no_word_can_hold(bad):
    with pytest.raises(UsageError):
        bad()
