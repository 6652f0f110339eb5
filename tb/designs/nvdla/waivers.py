# SPDX-License-Identifier: Apache-2.0
"""Obligations of the NVDLA hardware that nothing can meet with the default parameters, each with its reason."""

from __future__ import annotations

from goldbeat.tb.obligations.obligation import bits_of, high_bits

_CONV = "nvdla_c*.sv"
"""The convolution core: CDMA, CBUF, CSC."""
_RINGS = ("data_size", "weight_size", "ring_size", "ring_base")
_IN_RINGS = (
    *("*used", "*used_q", "*weights", "slices", "slices_q", "load_from", "entry_q", "group_q"),
    *("weights_q", "weights_kept_q", "weights_gone", "kept_slice_q", "gone_entries"),
)
"""Entries of a ring, or slices of at least one entry each."""


def _values(reason: str, *patterns: str) -> dict[str, str]:
    return {f"values {pattern}": reason for pattern in patterns}


def _buffer() -> dict[str, str]:
    """Of the convolution buffer: 32 banks of 512 entries for both rings, at least one each, data in front."""
    first, last = "data have at least one bank, the first", "weights have at least one bank, the last"
    return {
        **_values(
            first,
            "nvdla_cbuf.sv:*: gen_bank[0].gen_memory[?].of_weights *",
            "nvdla_cbuf.sv:*: gen_bank[0].gen_memory[?].read_of_weights *",
            "nvdla_cbuf.sv:*: (weight_*_place[13:9] == 5'h0) is true",
        ),
        **_values(
            last,
            "nvdla_cbuf.sv:*: gen_bank[31].gen_memory[?].read *",
            "nvdla_cbuf.sv:*: (read_bank*== 5'h1f) is true",
        ),
        **high_bits("a bank has 512 entries", *bits_of(_CONV, _RINGS, (0, 8))),
        **high_bits(
            "a ring has 31 banks at most, 15872 entries",
            *bits_of(_CONV, (*_RINGS, *_IN_RINGS), (14, 14)),
            ("nvdla_csc_blocks.sv", "behind", 14, 14),
        ),
        **high_bits(
            "a ring has 31 banks at most", *bits_of("nvdla_cdma.sv", ("banks_q.data", "banks_q.weights"), (5, 5))
        ),
        **high_bits(
            "a computation has 8192 slices at most", *bits_of("nvdla_cbuf_rings.sv", ("kept_q", "gone"), (14, 14))
        ),
        **high_bits(
            "eight bytes, moved by seven at most",
            *bits_of(_CONV, ("data_write_enable[1]",), (7, 7)),
            ("nvdla_cdma_data.sv", "write_enable[1]", 7, 7),
        ),
    }


def _fetches() -> dict[str, str]:
    return {
        **high_bits("pieces begin at multiples of 64 pixels", *bits_of("nvdla_cdma_data.sv", ("from_0",), (3, 5))),
        **high_bits(
            "a line has 8192 pixels, the last of number 8191",
            *bits_of("nvdla_cdma_data.sv", ("first_q", "last_pixel"), (13, 13)),
        ),
        **high_bits(
            "two planes have 3 bytes a pixel, 24576 a line",
            *bits_of("nvdla_cdma_pixels.sv", ("pixel_byte_q",), (15, 15)),
        ),
        **high_bits("a slice has 15872 entries at most", *bits_of("nvdla_cdma_pixels.sv", ("beat_q",), (14, 14))),
        **high_bits("pixels have one byte or four in plane 0", *bits_of("nvdla_cdma_*.sv", ("log_pixel",), (0, 0))),
    }


def _computations() -> dict[str, str]:
    return {
        **high_bits(
            "the last row or column of a kernel is 31 * 32",
            *bits_of("nvdla_csc_blocks.sv", ("row_q", "column_q"), (10, 10)),
        ),
        **high_bits(
            "a block that begins within an entry has fewer than eight kernels and so eight entries at most",
            *bits_of("nvdla_csc_*.sv", ("load_at", "step_q"), (3, 3)),
        ),
        **high_bits("it is a column of a line, 8191 at most", *bits_of("nvdla_csc_stripe.sv", ("rest",), (13, 15))),
        **high_bits("it is a line of a cube, 8191 at most", *bits_of("nvdla_csc_stripe.sv", ("last_y",), (13, 13))),
        **_values(
            "sums of 34 bits saturate in the case conv_limits, which is slow",
            "nvdla_cacc.sv:*: *sum[SumW-1] ? * is false",
            "nvdla_cacc.sv:*: (sum[SumW*]) is false",
        ),
    }


def _registers() -> dict[str, str]:
    return {
        **high_bits("GLB has no such status bits", *bits_of("nvdla_glb.sv", ("mask_q", "status_q", "set"), (10, 15))),
        **high_bits("no engine sets them: BDMA and RUBIK are not built", *bits_of("nvdla_*.sv", ("done",), (6, 15))),
        **high_bits(
            "CFGROM, GLB and MCIF have no groups",
            *bits_of("nvdla_top.sv", ("block_done", "enabled", "consumer"), (0, 2)),
        ),
        **high_bits(
            "only CFGROM has more than 64 words; there are 104, each once",
            *bits_of("nvdla_regfile.sv", ("at", "index"), (7, 7)),
        ),
        "values nvdla_regfile.sv:*: (Write[(32'h20 * index)[11:0]+:32] != 32'h0) is true": "CFGROM is read only",
    }


def _others() -> dict[str, str]:
    """Of SDP, PDP, CDP and the memory ports."""
    return {
        **high_bits(
            "chunks begin at multiples of 16 atoms",
            *bits_of("nvdla_chunks.sv", ("column",), (0, 3)),
            *bits_of("nvdla_sdp_reader.sv", ("column",), (0, 3)),
            *bits_of("nvdla_writer.sv", ("gen_lines.column",), (0, 3)),
        ),
        **_values(
            "SDP's data have one word an atom",
            "nvdla_sdp_reader.sv:*: log_words[0][?] *",
            "nvdla_sdp_reader.sv:*: point[0] *",
        ),
        **high_bits("the last source of a chunk ends it", *bits_of("nvdla_sdp_reader.sv", ("asked_q",), (2, 2))),
        **high_bits(
            "a window has eight rows and columns at most, one of them with data; models refuse others",
            *bits_of("nvdla_pdp_*e*.sv", ("missing_rows_q", "missing_q", "missing_d", "missing_q[?]"), (3, 3)),
            *((f"nvdla_pdp{part}.sv", "missing", 3, 3) for part in ("", "_core", "_reader")),
        ),
        **high_bits(
            "lines have LINE_ATOMS atoms at most, output lines seven more",
            *bits_of("nvdla_pdp_core.sv", ("out_q",), (11, 12)),
            *bits_of("nvdla_pdp_ring.sv", ("column_q", "take_column_q"), (10, 12)),
        ),
        **high_bits("channel 0 of an atom is always there", *bits_of("nvdla_cdp*.sv", ("*_lanes",), (0, 0))),
        **high_bits(
            "three chunks are asked for at most",
            ("nvdla_cdp_reader.sv", "used_q", 2, 2),
            ("nvdla_cdp_core.sv", "whole_q", 2, 2),
        ),
        **high_bits("it is 16 or less", *bits_of("nvdla_cdp_lookup.sv", ("right_by",), (5, 5))),
        **high_bits("a window has three values at least", *bits_of("nvdla_cdp_sum.sv", ("taken",), (3, 5))),
        **high_bits("it is 64 or 256", *((("nvdla_cdp_tables.sv", "last", a, b)) for a, b in ((0, 5), (7, 7), (9, 9)))),
        "values nvdla_cdp_sum.sv:*: (i > CdpReach) is *": "a loop of constants, evaluated while the RTL is built",
        "values nvdla_*dp.sv:*: handed_unused *": "PDP and CDP hand over nothing",
        **high_bits("SDP, PDP and CDP write, with IDs 0, 1 and 4", *bits_of("nvdla_write_port.sv", ("id",), (1, 1))),
        **high_bits("whole beats are written", *bits_of("nvdla_write_port.sv", ("wstrb",), (0, 7))),
        **_values(
            "it is 0: the RTL names there what it does not look at",
            "nvdla_*.sv:*: unused *",
            "nvdla_writer.sv:*: gen_*.unused *",
        ),
    }


def waivers() -> dict[str, str]:
    """Patterns of obligations, each with the reason why it need not be met."""
    return {**_others(), **_buffer(), **_fetches(), **_computations(), **_registers()}
