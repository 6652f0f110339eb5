# SPDX-License-Identifier: Apache-2.0
"""PLIO text: what is written comes back, for every type, width, frame layout, time and style."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plio_cases import PORTS, traces, zeroed

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file import (
    DEFAULT_CLOCK_PS,
    TextStyle,
    format_csv,
    format_text,
    parse_csv,
    parse_text,
    read,
)
from goldbeat.pymodels.samples import SAMPLE_TYPES, sample_type
from goldbeat.pymodels.trace import Trace

FEW = settings(max_examples=8, deadline=None)
BLANKS = st.text(" \t", max_size=3)

styles = st.builds(
    TextStyle,
    lead=BLANKS,
    separator=st.text(" \t", min_size=1, max_size=3),
    trail=BLANKS,
    final_newline=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
    tlast=st.sampled_from(["TLAST", "tlast", "Tlast"]),
    tlast_first=st.booleans(),
    floats=st.sampled_from(["scientific", "shortest"]),
    words=st.sampled_from(["natural", "signed", "unsigned", "packets"]),
)


@pytest.mark.parametrize("port", PORTS, ids=lambda p: f"{p[0].name}_{p[1]}")
@given(data=st.data())
@FEW
def test_round_trip_timed(port, data):
    kind, width = port
    trace, style = data.draw(traces(port)), data.draw(styles)
    raw = format_text(trace, kind, style)
    file = parse_text(raw, kind, width, clock_ps=trace.clock_ps)
    assert zeroed(file.trace) == zeroed(trace)
    assert (file.trace.clock_ps, file.trace.offset_ps) == (trace.clock_ps, trace.offset_ps)
    assert (file.timed, file.width, file.dtype, file.dropped) == (True, width, kind, ())
    # Without the clock the grid is a multiple of it, and the times are the same.
    free = parse_text(raw, kind, width).trace
    assert free.time_ps.tolist() == trace.time_ps.tolist()
    assert 0 <= free.offset_ps < free.clock_ps
    assert len(trace) == 1 or free.clock_ps % trace.clock_ps == 0
    # The style found says the same, and writes the same bytes.
    assert format_text(file.trace, kind, file.style) == raw


@pytest.mark.parametrize("port", PORTS, ids=lambda p: f"{p[0].name}_{p[1]}")
@given(data=st.data())
@FEW
def test_round_trip_untimed(port, data):
    kind, width = port
    trace, style = data.draw(traces(port)), replace(data.draw(styles), time_lines=False)
    raw = format_text(trace, kind, style)
    file = parse_text(raw, kind, width)
    back_to_back = replace(trace, cycle=np.arange(len(trace)), clock_ps=DEFAULT_CLOCK_PS, offset_ps=0)
    assert zeroed(file.trace) == zeroed(back_to_back)
    assert not file.timed
    assert format_text(file.trace, kind, file.style) == raw
    assert parse_text(raw, kind, width, clock_ps=3200).trace.clock_ps == 3200


def test_first_sample_in_the_lowest_bits():
    trace = parse_text(b"0 1 2 3\nTLAST\n4 5\n", "int16", 64).trace
    assert trace.data[0].tobytes() == (0x0003000200010000).to_bytes(8, "little")
    assert trace.data[1].tobytes() == (0x00050004).to_bytes(8, "little")
    assert trace.keep[1].tolist() == [True] * 4 + [False] * 4
    assert trace.last.tolist() == [False, True]


def test_units_and_keywords_in_any_case_and_order():
    raw = b"t 15996 NS\n1 2\nT 16 us\ntlast\n3 4\nTLAST\nT 16004000 Ps\n  5 \t 6  \nT 1 mS\n7 8\nT 2 S\n9 10\n"
    file = parse_text(raw, "int16", 32)
    assert file.trace.time_ps.tolist() == [15_996_000, 16_000_000, 16_004_000, 10**9, 2 * 10**12]
    assert file.trace.last.tolist() == [False, True, True, False, False]
    assert file.lines.tolist() == [2, 5, 8, 10, 12]
    assert file.trace.clock_ps == 4000


def test_largest_whole_unit():
    times = [0, 999, 1000, 1001, 2_707_200, 16_000_000, 10**9, 10**12, 10**12 + 1, 10**15]
    trace = Trace.from_bytes(np.zeros((10, 4), np.uint8), cycle=times, clock_ps=1)
    lines = format_text(trace, "int32").decode().split("\n")[0:-1:2]
    units = ["0 s", "999 ps", "1 ns", "1001 ps", "2707200 ps", "16 us", "1 ms", "1 s", "1000000000001 ps", "1000 s"]
    assert lines == [f"T {unit}" for unit in units]


def test_grid():
    def grid(*times, clock=None):
        raw = "".join(f"T {t} ps\n0\n" for t in times).encode()
        trace = parse_text(raw, "int32", 32, clock_ps=clock).trace
        return trace.clock_ps, trace.offset_ps, trace.cycle.tolist()

    assert grid(2_270_000, 2_275_000, 2_680_000) == (5000, 0, [454, 455, 536])
    assert grid(1100, 7500, 10_700) == (3200, 1100, [0, 2, 3])
    assert grid(9_000) == (DEFAULT_CLOCK_PS, 1000, [2])
    assert grid(9_000, clock=2500) == (2500, 1500, [3])
    assert grid(10, 16, 26) == (2, 0, [5, 8, 13])
    # A clock that the user gives is taken; no time is lost.
    assert grid(1100, 7500, 10_700, clock=6400) == (3200, 1100, [0, 2, 3])


def test_tkeep_lines():
    raw = b"TKEEP -1\n1 2 3 4\nTKEEP 0x0\n1 2 3 4\nTLAST\nTKEEP 0x0F\n5 6 7 8\nTKEEP 0xf\nTLAST\n9 10\nTLAST\nTKEEP 0xFF\n1 2 3 4\n"
    trace = parse_text(raw, "int16", 64).trace
    assert trace.keep.sum(axis=1).tolist() == [8, 8, 4, 4, 8]
    assert trace.last.tolist() == [False, False, True, True, True]
    assert b"TKEEP" not in format_text(trace, "int16")


def test_either_sign_for_32_bit_words():
    for name in ("int32", "uint32"):
        signed = parse_text(b"-1\n-2147483648\n5\n", name, 32)
        unsigned = parse_text(b"4294967295\n2147483648\n5\n", name, 32)
        assert signed.trace == unsigned.trace
        assert format_text(signed.trace, name, signed.style) == b"-1\n-2147483648\n5\n"
        assert format_text(unsigned.trace, name, unsigned.style) == b"4294967295\n2147483648\n5\n"


def test_headers_unsigned_payload_signed():
    raw = b"2415853568 -1\n3 -2147483648\nTLAST\n-5\n268369921 7\nTLAST\n-1 2\n"
    file = parse_text(raw, "int32", 64)
    assert file.style.words == "packets"
    assert format_text(file.trace, "int32", file.style) == raw


def test_extremes_of_integers():
    for kind in SAMPLE_TYPES.values():
        if not kind.is_integer or kind.parts == 2:
            continue
        low, high = kind.part_range
        values = np.array([low, high, 0, 1, high - 1, low + 1, high // 10, high // 3], kind.part_dtype)
        values = np.concatenate([values] * kind.group)
        trace = Trace.from_samples(values, kind, 64, clock_ps=4000)
        raw = format_text(trace, kind, TextStyle(time_lines=False, trail=""))
        assert [int(x) for x in raw.split()] == values.tolist()
        assert parse_text(raw, kind, 64).trace == trace
    wide = b"+1 -0\n00000000000000000000000000000007 0000000000000000000012\n"
    assert parse_text(wide, "int16", 32).trace.samples("int16").tolist() == [1, 0, 7, 12]


@pytest.mark.parametrize("floats", ["scientific", "shortest"])
def test_every_sort_of_float(floats):
    rng = np.random.default_rng(5)
    bits = rng.integers(0, 2**32, 20_000, dtype=np.uint32)
    special = [0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7FFFFFFF, 0x3F800000]
    bits = np.concatenate([bits, special, np.array(special, np.uint32) | 0x80000000]).astype(np.uint32)
    trace = Trace.from_bytes(bits.view(np.uint8).reshape(-1, 4), clock_ps=4000)
    raw = format_text(trace, "float", TextStyle(floats=floats, time_lines=False))
    file = parse_text(raw, "float", 32)
    assert (file.trace.data == trace.data).all()
    assert file.style.floats == floats
    if floats == "scientific":
        values = bits.view(np.float32)
        finite = np.isfinite(values).tolist()
        pairs = zip(raw.split(), values.tolist(), finite, strict=True)
        assert all(token == b"%.9e" % value for token, value, real in pairs if real)


def test_scientific_is_what_printf_prints():
    """Powers of two and ten and their neighbours, ties in the tenth digit among them."""
    rng = np.random.default_rng(6)
    tens = np.float32(10.0) ** np.arange(-45, 39, dtype=np.float32)
    twos = np.float32(2.0) ** np.arange(-149, 128, dtype=np.float32)
    odd = rng.integers(1, 1 << 24, 20_000) * 2.0 ** rng.integers(-40, 20, 20_000)
    ends = np.concatenate([tens, twos, odd, [0.0, 9999999.5, 99999999.0]]).astype(np.float32)
    values = np.concatenate([ends, np.nextafter(ends, np.float32(0)), np.nextafter(ends, np.float32(np.inf)), -ends])
    trace = Trace.from_samples(values, "float", 32, clock_ps=4000)
    tokens = format_text(trace, "float", TextStyle(time_lines=False)).split()
    assert tokens == [b"%.9e" % v for v in values.tolist()]


@pytest.mark.slow
def test_every_bfloat16():
    bits = np.arange(1 << 16, dtype=np.uint16)
    trace = Trace.from_bytes(bits.view(np.uint8).reshape(-1, 16), clock_ps=4000)
    for floats in ("scientific", "shortest"):
        raw = format_text(trace, "bfloat16", TextStyle(floats=floats))
        assert (parse_text(raw, "bfloat16", 128).trace.data == trace.data).all()


def test_forms_of_floats():
    raw = b"1 -2. .5 +1e3\n1E-2 inf -Infinity NAN\n-nan 0.1 1e-50 3.4028235e38\n"
    values = parse_text(raw, "float", 128).trace.samples("float")
    wanted = [1, -2, 0.5, 1000, 0.01, math.inf, -math.inf, math.nan, math.nan, 0.1, 0, 3.4028235e38]
    assert np.array_equal(values, np.array(wanted, np.float32), equal_nan=True)
    assert np.signbit(values[7:9]).tolist() == [False, True]


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=20), st.integers(6, 12))
@settings(max_examples=30, deadline=None)
def test_scientific_numbers_are_rounded_rightly(values, digits):
    """Also those a reader of ten digits could get wrong: other lengths, other exponents."""
    values = [v for v in values if math.isinf(v) or abs(v) < 3.4e38] or [0.0]
    raw = "".join(f"{v:.{digits}e}\n" for v in values).encode()
    wanted = np.array([float(t) for t in raw.split()]).astype(np.float32)
    got = parse_text(raw, "float", 32).trace.samples("float")
    assert got.tobytes() == wanted.tobytes()


def test_crlf_and_blank_lines_at_the_end():
    trace = parse_text(b"1 2\r\nTLAST\r\n3 4\r\n\r\n  \r\n", "int16", 32)
    assert len(trace.trace) == 2
    assert trace.style.newline == "\r\n"


def test_defaults_look_like_the_simulator():
    trace = Trace.from_samples([[1, -2], [3, 4]], "cint16", 32, clock_ps=4000, last=True, offset_ps=16_000_000)
    assert format_text(trace, "cint16") == b"T 16 us\n1 -2 \nT 16004 ns\nTLAST\n3 4 \n"


def test_nothing_is_not_a_file_but_can_be_written():
    assert format_text(Trace.empty(64, clock_ps=4000), "int16") == b""
    with pytest.raises(InputError, match="missing data line"):
        parse_text(b"", "int16", 64)


def test_what_a_file_cannot_say():
    ones = np.ones((2, 8), np.uint8)
    keep = np.ones((2, 8), np.bool_)
    keep[0, 4:] = False

    def write(kind="int32", **columns):
        return format_text(Trace.from_bytes(ones, clock_ps=4000, **columns), kind)

    with pytest.raises(InputError, match="keep 00001111 in beat 0, expected all bytes kept without TLAST"):
        write(keep=keep)
    assert write(keep=keep, last=[True, False]).count(b"TLAST") == 1
    with pytest.raises(InputError, match="multiples of 8 bytes"):
        write("cint32", keep=keep, last=[True, False])
    with pytest.raises(InputError, match="keep 11110000 in beat 0"):
        write(keep=keep[:, ::-1], last=[True, False])
    with pytest.raises(InputError, match="keep 00000000 in beat 0"):
        write(keep=keep & False, last=[True, True])
    with pytest.raises(InputError, match="tid 7 in beat 1"):
        write(tid=[0, 7])
    assert write(tid=[0, 0]) == write()
    with pytest.raises(InputError, match="time -8000 ps in beat 0"):
        write(cycle=[-2, 0])
    with pytest.raises(InputError, match="in beat 1, expected a time from 0"):
        write(cycle=[0, 2**62])
    with pytest.raises(UsageError, match="does not fit"):
        format_text(Trace.empty(32, clock_ps=4000), "cfloat")
    with pytest.raises(UsageError, match="32, 64 or 128"):
        format_text(Trace.empty(16, clock_ps=4000), "int16")


@pytest.mark.parametrize(
    "field",
    [
        {"lead": "x"},
        {"separator": ""},
        {"trail": "\n"},
        {"newline": "\r"},
        {"tlast": "LAST"},
        {"floats": "%f"},
        {"words": "hex"},
        {"radix": "octal"},
    ],
    ids=str,
)
def test_bad_styles(field):
    with pytest.raises(UsageError, match=next(iter(field))):
        TextStyle(**field)


def test_types_by_name_or_object():
    raw = b"1 2\n"
    assert parse_text(raw, "int16", 32).trace == parse_text(raw, sample_type("int16"), 32).trace


def test_hexadecimal_numbers_are_bit_patterns_of_any_type():
    raw = b"0x7FFF 0x8000\nTLAST\n0x0001 0xFFFF\n"
    file = parse_text(raw, "int16", 32)
    assert file.trace.samples("int16").tolist() == [32767, -32768, 1, -1]
    assert format_text(file.trace, "int16", file.style) == raw
    assert parse_text(b"0x3f800000\n-2\n", "float", 32).trace.samples("float").tolist() == [1, -2]
    assert parse_text(b"0x3c00 1\n", "float16", 32).trace.samples("float16").tolist() == [1, 1]
    assert parse_text(b"0x8 0xF 0x7 0 0 0 -1 1\n", "int4", 32).trace.samples("int4").tolist() == [
        -8,
        -1,
        7,
        0,
        0,
        0,
        -1,
        1,
    ]
    assert parse_text(b"0xFFFFFFFF\n7\n", "int32", 32).trace.samples("int32").tolist() == [-1, 7]
    with pytest.raises(
        InputError, match="'deadbeef', expected a whole number for int32 \\(hexadecimal ones begin with 0x"
    ):
        parse_text(b"deadbeef\n", "int32", 32)
    with pytest.raises(InputError, match="'1,2', expected a whole number for int16, with blanks between numbers"):
        parse_text(b"1,2\n", "int16", 32)


@pytest.mark.parametrize(("kind", "width"), PORTS, ids=[f"{k.name}-{w}" for k, w in PORTS])
@pytest.mark.parametrize("radix", ["decimal", "hex"])
def test_every_pattern_of_every_type_on_every_width(kind, width, radix):
    """Text and CSV, all bytes in every place, and a short last beat of one word or sample."""
    rng = np.random.default_rng(7)
    data = np.concatenate(
        [np.repeat(np.arange(256), width // 8).reshape(-1, width // 8), rng.integers(0, 256, (64, width // 8))]
    )
    last = np.arange(len(data)) == len(data) - 1
    keep = np.ones(data.shape, np.bool_)
    keep[-1, max(4, kind.bytes) :] = False
    trace = Trace.from_bytes(data.astype(np.uint8), keep=keep, last=last, clock_ps=4000)
    style = TextStyle(radix=radix)
    for write, parse in ((format_text, parse_text), (format_csv, parse_csv)):
        file = parse(write(trace, kind, style), kind, width)
        assert np.array_equal(file.trace.data[keep], trace.data[keep])
        assert np.array_equal(file.trace.keep, keep)
        assert file.style.radix == radix
        assert write(file.trace, kind, file.style) == write(trace, kind, style)


def test_a_byte_order_mark_is_no_part_of_the_text():
    assert parse_text(b"\xef\xbb\xbf1 2\n", "int16", 32).trace.samples("int16").tolist() == [1, 2]
    csv = parse_csv(b"\xef\xbb\xbfCMD,D,D\nDATA,1,2\n", "int16", 32)
    assert csv.trace.samples("int16").tolist() == [1, 2]


def test_csv_in_a_text_file_is_read_as_csv(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfcmd,D,D,TLAST\nSTALL:2\nDATA,1,2,1\n")
    file = read(tmp_path / "a.txt", "int16", 32)
    assert file.csv
    assert file.trace.cycle.tolist() == [2]
