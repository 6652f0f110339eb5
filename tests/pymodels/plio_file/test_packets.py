# SPDX-License-Identifier: Apache-2.0
"""Packet headers and packet streams."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.plio_file import parse_text
from goldbeat.pymodels.plio_file.packets import (
    Packet,
    file_to_packets,
    headers_ok,
    make_header,
    packets_to_trace,
    parse_header,
    trace_to_packets,
)
from goldbeat.pymodels.trace import Trace


def test_known_headers():
    assert make_header([0, 1, 2, 3]).tolist() == [2415853568, 268369921, 268369922, 2415853571]
    assert int(make_header(0)) == 0x8FFF0000
    assert make_header(0).dtype == np.uint32


def test_every_id_and_type():
    packet_id, kind = np.meshgrid(np.arange(32), np.arange(8))
    words = make_header(packet_id.ravel(), kind.ravel(), row=5, col=99)
    fields = parse_header(words)
    assert fields.packet_id.tolist() == packet_id.ravel().tolist()
    assert fields.packet_type.tolist() == kind.ravel().tolist()
    assert set(fields.row) == {5}
    assert set(fields.col) == {99}
    assert headers_ok(words).all()
    assert all(int(w).bit_count() % 2 == 1 for w in words)


def test_any_flipped_bit_is_noticed():
    words = make_header(9) ^ (np.uint32(1) << np.arange(32, dtype=np.uint32))
    assert not parse_header(words).parity_ok.any()
    reserved = [5, 6, 7, 8, 9, 10, 11, 15, 28, 29, 30]
    assert np.flatnonzero(~parse_header(words).reserved_ok).tolist() == reserved


@pytest.mark.parametrize(
    "fields",
    [
        {"packet_id": 32},
        {"packet_id": -1},
        {"packet_id": 0.5},
        {"packet_id": 0, "packet_type": 8},
        {"packet_id": 0, "row": 32},
        {"packet_id": 0, "col": 128},
    ],
    ids=str,
)
def test_fields_out_of_range(fields):
    with pytest.raises(UsageError, match=list(fields)[-1]):
        make_header(**fields)


packets = st.lists(
    st.builds(
        Packet,
        st.integers(0, 31),
        st.lists(st.integers(0, 2**32 - 1), max_size=9).map(lambda x: np.array(x, np.uint32)),
        st.integers(0, 7),
        st.integers(0, 31),
        st.integers(0, 127),
    ),
    max_size=6,
)


@given(packets, st.sampled_from([32, 64, 128]), st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_round_trip(given_packets, width, gap):
    trace = packets_to_trace(given_packets, width, clock_ps=3200, gap=gap)
    found = trace_to_packets(trace)
    assert found == given_packets
    lanes = width // 32
    beats = [-(-(1 + len(p.payload)) // lanes) for p in given_packets]
    assert [p.beats for p in found] == beats
    assert [p.first_beat for p in found] == np.cumsum([0, *beats])[:-1].tolist()[: len(found)]
    assert int(trace.last.sum()) == len(given_packets)
    assert trace.keep.sum() == 4 * sum(1 + len(p.payload) for p in given_packets)
    if given_packets:
        assert trace.cycle[-1] == len(trace) - 1 + gap * (len(given_packets) - 1)


def test_pairs_of_id_and_payload():
    trace = packets_to_trace([(0, [0, -1, -2])], 64)
    assert trace == parse_text(b"2415853568 0\ntlast\n-1 -2\n", "int32", 64).trace
    assert trace_to_packets(trace)[0].payload.tolist() == [0, 0xFFFFFFFF, 0xFFFFFFFE]


def test_payload_as_samples():
    packet = Packet(2, np.array([0x3F800000, 0x40000000], np.uint32))
    assert packet.samples("float").tolist() == [1.0, 2.0]
    assert Packet(3, np.array([262148, 524296], np.uint32)).samples("cint16").tolist() == [[4, 4], [8, 8]]
    assert Packet.of(3, [[4, 4], [8, 8]], "cint16").payload.tolist() == [262148, 524296]
    assert Packet.of(2, [1.0, 2.0], "float", packet_type=1) == Packet(2, packet.payload, 1)
    with pytest.raises(InputError, match="whole 32-bit words"):
        Packet.of(0, [1, 2, 3], "int16")
    with pytest.raises(InputError, match="multiple of 8"):
        Packet(0, np.array([1], np.uint32)).samples("cint32")


def test_wrong_requests():
    with pytest.raises(UsageError, match="negative"):
        packets_to_trace([], 32, gap=-1)
    with pytest.raises(UsageError, match="32, 64 or 128"):
        packets_to_trace([], 16)
    with pytest.raises(InputError, match="payload word 4294967296"):
        packets_to_trace([(0, [1, 1 << 32])], 32)
    with pytest.raises(InputError, match="float64"):
        packets_to_trace([(0, [1.5])], 32)
    with pytest.raises(UsageError, match="32, 64 or 128"):
        trace_to_packets(Trace.empty(256, clock_ps=1))
    assert trace_to_packets(Trace.empty(32, clock_ps=1)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.data.__setitem__((2, 0), t.data[2, 0] ^ 1), "of even parity in beat 2, expected odd parity"),
        (lambda t: t.data.__setitem__((2, 0), t.data[2, 0] ^ 0x60), "in beat 2, expected bits 11:5, 15 and 30:28 zero"),
        (lambda t: t.last.__setitem__(-1, False), "end of the stream inside a packet in beat 3"),
        (lambda t: t.keep.__setitem__((1, 7), False), "keep 01111111 in beat 1"),
        (lambda t: t.keep.__setitem__((0, slice(4, 8)), False), "keep 00001111 in beat 0"),
        (lambda t: t.keep.__setitem__((3, slice(None)), False), "keep 00000000 in beat 3"),
    ],
    ids=["parity", "reserved", "unended", "ragged", "inside", "nothing"],
)
def test_broken_streams(change, message):
    trace = packets_to_trace([(1, [1, 2, 3]), (2, [4, 5, 6])], 64)
    change(trace)
    with pytest.raises(InputError, match=message):
        trace_to_packets(trace, strict=True)


def test_even_parity_is_told_and_kept_unless_strict():
    """Such headers are in files that the vendor publishes."""
    file = parse_text(b"2415853569\nTLAST\n1\n268369921\nTLAST\n2\n", "int32", 32)
    packets = file_to_packets(file)
    assert [(p.packet_id, p.parity_ok, p.header) for p in packets] == [(1, False, 0x8FFF0001), (1, True, 0x0FFF0001)]
    assert packets_to_trace(packets, 32) == file.trace
    with pytest.raises(InputError, match="0x8FFF0001 of even parity in beat 0"):
        file_to_packets(file, strict=True)


def test_messages_name_the_line():
    file = parse_text(b"2415853568\nTLAST\n1\n7\nTLAST\n2\n", "int32", 32)
    with pytest.raises(InputError, match=r"^x\.txt:6: .*stream inside") as caught:
        file_to_packets(parse_text(b"2415853568\nTLAST\n1\n268369921\n1\n2\n", "int32", 32), name="x.txt")
    assert caught.value.line == 6
    # 7 has an odd number of ones and no reserved bit: it is a header.
    assert [p.packet_id for p in file_to_packets(file)] == [0, 7]
