# SPDX-License-Identifier: Apache-2.0
"""Packet headers in files of floats keep their bits."""

import numpy as np
import pytest

from goldbeat.pymodels.packet_header import make_header
from goldbeat.pymodels.plio_file import TextStyle, format_csv, format_text, parse_csv, parse_text
from goldbeat.pymodels.plio_file.packets import Packet, file_to_packets, packets_to_trace

HEADERS = [int(h) for h in make_header(np.arange(4))]


def text_of(headers: list[int]) -> bytes:
    return b"".join(b"%d\n1.500000000e+00\nTLAST\n-2.500000000e-01\n" % h for h in headers)


def test_headers_come_back_and_are_written_as_integers() -> None:
    raw = text_of(HEADERS)
    file = parse_text(raw, "float", 32)
    packets = file_to_packets(file)
    assert [p.packet_id for p in packets] == [0, 1, 2, 3]
    assert all(p.samples("float").tolist() == [1.5, -0.25] for p in packets)
    assert file.style.words == "packets"
    assert format_text(file.trace, "float", TextStyle(time_lines=False, trail="", words="packets")) == raw
    csv = format_csv(file.trace, "float", file.style)
    assert b"DATA,%d," % HEADERS[1] in csv
    assert parse_csv(csv, "float", 32).trace == file.trace


@pytest.mark.parametrize("width", [32, 64, 128])
@pytest.mark.parametrize("name", ["float", "cfloat"])
def test_every_id_and_width(name: str, width: int) -> None:
    if name == "cfloat" and width == 32:
        pytest.skip("cfloat does not fit 32 bits")
    lanes = width // 32
    payload = np.arange(8 * lanes - 1, dtype=np.float32) / 4
    trace = packets_to_trace([Packet.of(i, payload, "float") for i in range(32)], width)
    style = TextStyle(words="packets")
    for write, parse in ((format_text, parse_text), (format_csv, parse_csv)):
        back = parse(write(trace, name, style), name, width)
        assert np.array_equal(back.trace.data, trace.data)
        assert [p.packet_id for p in file_to_packets(back)] == list(range(32))


def test_floats_stay_floats() -> None:
    """Integers that a float holds, and large numbers written as floats, are no headers."""
    for raw in (
        b"16\nTLAST\n3\n",
        b"2415853569.0\n",
        b"2.415853568e+09\nTLAST\n1\n",
        b"-268369921\n",
        b"99999999999\n",
    ):
        file = parse_text(raw, "float", 32)
        values = [float(line) for line in raw.split() if line != b"TLAST"]
        assert file.trace.samples("float").tolist() == np.array(values, np.float32).tolist()
        assert file.style.words == "natural"


def test_headers_from_elsewhere() -> None:
    """From inside the array rows and columns differ: certain where a float cannot hold the word, else by request."""
    near, far = (int(make_header(1, 0, row, col)) for row, col in ((1, 4), (3, 25)))
    assert float(np.float32(near)) == near
    assert float(np.float32(far)) != far
    raw = text_of([near])
    assert parse_text(raw, "float", 32).style.words == "natural"
    [packet] = file_to_packets(parse_text(raw, "float", 32, packets=True))
    assert (packet.packet_id, packet.row, packet.col) == (1, 1, 4)
    both = parse_text(text_of([near, far]), "float", 32)
    assert [(p.row, p.col) for p in file_to_packets(both)] == [(1, 4), (3, 25)]


def test_even_parity_is_kept() -> None:
    word = HEADERS[1] ^ (1 << 31)
    assert word == 0x8FFF0001
    file = parse_text(text_of([word]), "float", 32)
    [packet] = file_to_packets(file)
    assert (packet.parity_ok, packet.header) == (False, word)
    assert packets_to_trace([packet], 32) == file.trace
