# SPDX-License-Identifier: Apache-2.0
"""Device families: how Yosys maps to them, and which of their cells count as what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError

WORDS = (
    *("opt_expr", "opt_clean", "opt -nodffe -nosdff", "fsm", "opt", "wreduce", "peepopt", "opt_clean", "opt"),
    *("memory -nomap", "opt_clean"),
)
"""Passes of a generic synthesis down to adders, multiplexers, flip-flops and memories of whole words."""
GATES = ("opt -fast -full", "techmap", "opt -fast", "opt_clean")
"""And from there to gates and flip-flops of one bit; memories stay."""
RESOURCES = ("LUT", "FF", "DSP", "RAM")


@dataclass(frozen=True)
class Family:
    """A device family.

    Attributes:
        name: as users give it.
        summary: what it is.
        passes: of Yosys, behind elaboration.
        counts: resource -> (cells as a regular expression, how many of the resource each is), the first that fits counts.
    """

    name: str
    summary: str
    passes: Sequence[str]
    counts: Mapping[str, Sequence[tuple[str, float]]]

    def count(self, cells: Mapping[str, int]) -> dict[str, float]:
        """Cells by type as resources."""
        return {name: sum(n * _weight(cell, rules) for cell, n in cells.items()) for name, rules in self.counts.items()}


def _weight(cell: str, rules: Sequence[tuple[str, float]]) -> float:
    return next((weight for pattern, weight in rules if re.fullmatch(pattern, cell)), 0)


_XILINX_LUT = (
    ("LUT[1-6]|SRL16E|SRLC16E|SRLC32E|RAM(16|32|64)X1S", 1),
    ("RAM(16|32|64)X1D|RAM128X1S", 2),
    ("RAM32M|RAM64M|RAM128X1D|RAM256X1S", 4),
    ("RAM32M16|RAM64M8|RAM256X1D|RAM512X1S", 8),
)
_XILINX = {
    "LUT": _XILINX_LUT,
    "FF": (("FD[RSCP]E(_1)?", 1),),
    "DSP": (("DSP48E[12]", 1),),
    # In block RAMs of 36 Kibit; one of UltraRAM has eight times as many bits.
    "RAM": (("RAMB36.*|FIFO36.*", 1), ("RAMB18.*|FIFO18.*", 0.5), ("URAM288.*", 8)),
}
_XCUP = "synth_xilinx -family xcup -noiopad -flatten -run"
_BY_ABC = (
    *("opt_expr -mux_undef -noclkinv", "abc -luts 2:2,3,6:5,10,20", "clean", "xilinx_srl -fixed -minlen 3"),
    "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6",
    *("xilinx_dffopt", "opt_lut_ins -tech xilinx", "clean"),
)
"""What ``synth_xilinx`` does from its step ``map_luts`` on, by ``abc`` for ``abc9``, which takes far longer for large designs."""
_CHOICES = (
    Family("xc7", "Xilinx 7 series", ("synth_xilinx -family xc7 -noiopad -flatten -run begin:check",), _XILINX),
    Family("xcup", "Xilinx UltraScale+", (f"{_XCUP} begin:check",), _XILINX),
    Family("xcup-quick", "the same, mapped to LUTs by a quicker pass", (f"{_XCUP} begin:map_luts", *_BY_ABC), _XILINX),
    Family(
        "ice40",
        "Lattice iCE40 UltraPlus",
        ("synth_ice40 -device u -dsp -run begin:check",),
        {
            "LUT": (("SB_LUT4", 1),),
            "FF": (("SB_DFF.*", 1),),
            "DSP": (("SB_MAC16", 1),),
            "RAM": (("SB_RAM40_4K.*", 1), ("SB_SPRAM256KA", 64)),
        },
    ),
    Family(
        "ecp5",
        "Lattice ECP5",
        ("synth_ecp5 -run begin:check",),
        {
            "LUT": (("LUT4", 1), ("CCU2C", 2), ("TRELLIS_DPR16X4", 4)),
            "FF": (("TRELLIS_FF", 1),),
            "DSP": (("MULT18X18D", 1),),
            "RAM": (("DP16KD", 1),),
        },
    ),
    Family(
        "generic",
        "no device: LUTs of six inputs, memories as they are",
        (*WORDS, *GATES, "abc -lut 6", "opt_clean"),
        {"LUT": (("\\$lut", 1),), "FF": (("\\$_\\w*DFF\\w*", 1),), "DSP": (), "RAM": (("\\$mem_v2", 1),)},
    ),
)
FAMILIES = {one.name: one for one in _CHOICES}


def find_family(name: str) -> Family:
    """A family by name.

    Raises:
        UsageError: there is none.
    """
    if name not in FAMILIES:
        raise UsageError(f"--family {name}: expected {', '.join(FAMILIES)}")
    return FAMILIES[name]
