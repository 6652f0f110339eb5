# SPDX-License-Identifier: Apache-2.0
"""Real PLIO files: stimulus, and what the vendor's simulator wrote."""

import numpy as np
import pytest

from goldbeat.pymodels.plio_file import format_csv, format_text, parse_csv, parse_text, read
from goldbeat.pymodels.plio_file.packets import file_to_packets, packets_to_trace

DATA = "plio"

# name, type, width, beats, frames
TEXT = [
    ("charm_int16_sgemm_input0.txt", "int32", 128, 2316, 12),
    ("harness_adder_DataOut0.txt", "int32", 32, 2048, 0),
    ("vidt_pkt_pktstream_aie_input.txt", "int32", 32, 72, 8),
    ("vidt_pkt_window_aie_input.txt", "int32", 32, 72, 8),
    ("vidt_pkt_window_aie_mix_int32_float_cint16_input.txt", "int32", 32, 72, 8),
    ("vt_fp_fir_inputcf.txt", "cfloat", 64, 4145, 0),
    ("vt_postlink_DataOut1_int32_plio32.txt", "int32", 32, 1024, 4),
    ("xup_fir_lowpass_input.txt", "cint16", 32, 1024, 0),
    ("xup_fir_lowpass_output_aie.txt", "cint16", 32, 1024, 4),
    ("xup_matmult_inputa_int8_64b.txt", "int8", 64, 16, 0),
    ("xup_matmult_ref_float_sci.txt", "float", 64, 64, 0),
]
CSV = [
    ("vt_norm_v2_input0.csv", "bfloat16", 128, 13 * 12288),
    ("vt_norm_v4_input2.csv", "bfloat16", 128, 4 * 98304),
]


@pytest.mark.parametrize(("name", "dtype", "width", "beats", "frames"), TEXT, ids=[c[0] for c in TEXT])
def test_text_comes_back_byte_for_byte(folder, name, dtype, width, beats, frames):
    raw = (folder / name).read_bytes()
    file = read(folder / name, dtype, width)
    assert (len(file.trace), int(file.trace.last.sum()), file.dropped) == (beats, frames, ())
    assert format_text(file.trace, dtype, file.style) == raw
    careful = parse_text(b"\r\n".join(raw.split(b"\n")), dtype, width)
    assert careful.trace == file.trace


@pytest.mark.parametrize(("name", "dtype", "width", "beats"), CSV, ids=[c[0] for c in CSV])
def test_csv(folder, name, dtype, width, beats):
    file = read(folder / name, dtype, width)
    assert len(file.trace) == beats
    assert file.trace.cycle[[0, -1]].tolist() == [1000, 1000 + beats - 1]
    assert not file.trace.last.any()
    again = parse_csv(format_csv(file.trace, dtype, file.style), dtype, width)
    assert again.trace == file.trace


def test_every_file_is_looked_at(folder):
    known = {c[0] for c in TEXT} | {c[0] for c in CSV}
    assert {p.name for p in folder.iterdir() if p.suffix in (".txt", ".csv")} == known


def test_lowpass_output(folder):
    trace = read(folder / "xup_fir_lowpass_output_aie.txt", "cint16", 32).trace
    assert (trace.clock_ps, trace.offset_ps) == (4000, 0)
    assert trace.time_ps[[0, -1]].tolist() == [1_672_000, 5_764_000]
    assert set(np.diff(trace.time_ps)) == {4000}
    assert np.diff(trace.frame_bounds(), axis=1).ravel().tolist() == [256] * 4
    assert trace.samples("cint16")[:2].tolist() == [[-15, -2], [-77, -8]]


def test_postlink_output(folder):
    trace = read(folder / "vt_postlink_DataOut1_int32_plio32.txt", "int32", 32).trace
    assert (trace.clock_ps, trace.offset_ps) == (5000, 0)
    assert trace.time_ps[[0, -1]].tolist() == [2_270_000, 8_575_000]
    step = np.diff(trace.time_ps)
    between = trace.last[:-1]
    assert set(step[~between]) == {5000}
    assert set(step[between]) <= {400_000, 405_000}
    assert set(trace.samples("int32").tolist()) == {0, 1, 2, 3}


def test_packet_streams(folder):
    for name, dtype, width, *_ in TEXT:
        if not name.startswith(("vidt_pkt", "charm")):
            continue
        file = read(folder / name, dtype, width)
        packets = file_to_packets(file, name=name)
        assert file.style.words == "packets"
        assert {p.packet_id for p in packets} == ({0, 1, 2} if width == 128 else {0, 1, 2, 3})
        assert {len(p.payload) for p in packets} == ({768} if width == 128 else {8})
        assert packets_to_trace(packets, width) == file.trace


def test_payload_of_other_types(folder):
    name = "vidt_pkt_window_aie_mix_int32_float_cint16_input.txt"
    packets = file_to_packets(read(folder / name, "int32", 32))
    floats = np.concatenate([p.samples("float") for p in packets if p.packet_id == 2])
    assert floats.tolist() == list(range(16))
    complex_ints = np.concatenate([p.samples("cint16") for p in packets if p.packet_id == 3])
    assert complex_ints[:, 0].tolist() == list(range(0, 64, 4))
    assert (complex_ints[:, 0] == complex_ints[:, 1]).all()
