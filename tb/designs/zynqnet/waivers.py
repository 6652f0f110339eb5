# SPDX-License-Identifier: Apache-2.0
"""Obligations of the whole of ZynqNet that its short cases leave open, each with its reason."""

from __future__ import annotations

from goldbeat.tb.designs.zynqnet.blocks import COUNTED_LATE
from goldbeat.tb.obligations.obligation import high_bits

_FILES = "zynqnet*.sv"
_LARGE = (
    ("base_row", 5, 8),
    ("column", 6, 8),
    ("column_first_q", 6, 8),
    ("column_q", 6, 8),
    ("drained_q", 4, 15),
    ("group_q", 5, 7),
    ("groups", 12, 15),
    ("groups_q", 6, 15),
    ("last_row", 5, 9),
    ("left_q", 14, 15),
    ("line_entries_q", 10, 13),
    ("needed", 12, 15),
    ("needed_base_q", 12, 15),
    ("pass", 8, 9),
    ("pass_q", 8, 9),
    ("pixel_q", 6, 8),
    ("put_row_q", 9, 11),
    ("pre_beats_q", 13, 15),
    ("pre_words_q", 15, 15),
    ("quad_entry", 5, 6),
    ("quad_first_q", 5, 7),
    ("quad_q", 5, 6),
    ("quads_q", 5, 5),
    ("row", 5, 13),
    ("row_out_q", 4, 8),
    ("row_q", 4, 8),
    ("row_words_q", 15, 15),
    ("rows", 5, 8),
    ("rows_used_q", 12, 15),
    ("tile_q", 4, 15),
    ("tiles_computed", 4, 15),
    ("tiles_computed_q", 4, 15),
    ("tiles_drained", 4, 15),
    ("w_base_q", 9, 13),
    ("w_column_q", 6, 8),
    ("w_group_q", 5, 7),
    ("w_quad_q", 5, 6),
    ("w_row_q", 5, 8),
    ("weight_groups", 12, 15),
    ("weight_row", 9, 13),
    ("weight_row_q", 9, 13),
    ("work", 11, 15),
    ("write_row", 9, 11),
    ("gen_bank*.line", 3, 6),
    ("gen_bank*.quad", 5, 6),
)
_SPARE = (
    ("beat_q", 7, 7),
    ("gap_q", 3, 3),
    ("idle_q", 5, 5),
    ("idle_left_q", 5, 5),
    ("setup_q", 4, 4),
    ("wait_q", 3, 3),
)
WAIVED = {
    **high_bits(
        "layers of the short cases are small; of these bits, the case full reaches those that the network needs",
        *((_FILES, *one) for one in _LARGE),
    ),
    **high_bits("no constant of this configuration is so large", *((_FILES, *one) for one in _SPARE)),
    **high_bits("there are 13 errors", *((_FILES, name, 4, 7) for name in ("config_error", "error_q", "error"))),
    **high_bits("SLVERR is the only error", ("axil_regs.sv", "?resp_q", 0, 0)),
    **high_bits(
        "the bench zynqnet_memctl reaches those that can be reached",
        *((_FILES, *one) for one in (("outstanding_q", 4, 4), ("pending_q", 4, 6), ("ahead_q", 4, 5))),
    ),
    "values zynqnet_writer.sv:*: (outstanding_q < Writes*": "the bench zynqnet_memctl reaches the limit",
    "values zynqnet_*.sv:*left_q - pixels_q*": "the bench zynqnet_gpool has rows of three tiles",
    "values zynqnet_drain.sv:*: `if (row_last)` is false": "the case full has rows of two tiles",
    "values zynqnet_walker.sv:*: `if (left_q == pixels_q)` is false": "the case full has rows of two tiles",
    **COUNTED_LATE,
}
