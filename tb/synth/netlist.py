# SPDX-License-Identifier: Apache-2.0
"""Netlists that run in place of the RTL: what a generic synthesis makes of a design, as Verilog."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from goldbeat.tb.build.harness import NETLIST, TOP, make_harness
from goldbeat.tb.build.yosys import broken, run_yosys, yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.synth.families import GATES, WORDS
from goldbeat.tb.synth.kept import LOG, content_key, kept
from goldbeat.tb.synth.sources import command_file, content_settings

Cells = Literal["words", "gates"]
CELLS: tuple[Cells, ...] = ("words", "gates")
NOT_IN_NETLIST = "assertions of the RTL"
"""What a run of a netlist does not check."""
_COMMANDS, _HARNESS, _NETLIST = "sources.f", f"{TOP}.sv", f"{NETLIST}.v"
# A bit of a gate is a wire of its own: Verilator takes a vector with one bit from each of many gates for a loop.
_PASSES = {
    # Verilog has no operator for these two.
    "words": (*WORDS, "simplemap t:$bwmux t:$bweqx", "opt_clean"),
    "gates": (*WORDS, *GATES, "splitnets", "opt_clean"),
}


@dataclass(frozen=True)
class Netlist:
    """A netlist.

    Attributes:
        file: Verilog, with the ports of the harness.
        cells: ``words`` or ``gates``.
        tool: the version of Yosys.
    """

    file: Path
    cells: Cells
    tool: str

    def as_dict(self) -> dict[str, str]:
        """For reports."""
        return {"cells": self.cells, "yosys": self.tool, "file": str(self.file)}


def make_netlist(
    design: Design, params: Mapping[str, Any], cells: Cells, tell: Callable[[str], None] = lambda text: None
) -> Netlist:
    """The netlist of a design inside its harness, from the cache where it is there.

    Args:
        design: whose.
        params: of its top module.
        cells: adders, multiplexers and flip-flops of whole words; or gates and flip-flops of one bit. Memories stay memories.
        tell: is told of the passes.

    Raises:
        ToolError: there is no Yosys, or it failed: the message has its errors with file and line.
        UsageError: a source is not there, or its path cannot be given to Yosys.
    """
    tool = yosys()
    harness = make_harness(design, params)

    def make(folder: Path) -> None:
        tell(f"synthesizing {design.name} once")
        (folder / _HARNESS).write_text(harness)
        text = command_file(tool, design, params, folder, top=TOP, more=[folder / _HARNESS])
        (folder / _COMMANDS).write_text(text)
        script = [
            f"read_slang -f {tool.place(folder / _COMMANDS)}",
            *_PASSES[cells],
            f"rename -top {NETLIST}",
            f"write_verilog -noattr {tool.place(folder / _NETLIST)}",
        ]
        log = folder / LOG
        code = run_yosys(tool, script, log, lambda step: tell(f"synthesizing: {step}"))
        if code:
            raise broken(design.name, log, code)

    key = content_key(tool, design, [cells, *_PASSES[cells], harness, *content_settings(design, params)])
    folder, _ = kept(f"{design.name}-{cells}", key, make)
    return Netlist(folder / _NETLIST, cells, tool.version)
