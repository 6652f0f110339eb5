# SPDX-License-Identifier: Apache-2.0
"""What a design costs on a device family."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.tb.build.yosys import Yosys, broken, run_yosys
from goldbeat.tb.design.design import Design
from goldbeat.tb.synth.families import Family
from goldbeat.tb.synth.kept import LOG, content_key, kept
from goldbeat.tb.synth.sources import command_file, content_settings

_COMMANDS, _CELLS = "sources.f", "cells.json"


@dataclass(frozen=True)
class SynthCost:
    """What synthesis needs for a design.

    Attributes:
        resources: LUT, FF, DSP and RAM; see docs/synth.md for what counts as one.
        cells: the family's cells by type.
        key: of the content that it was measured on.
        cached: it was known.
    """

    resources: Mapping[str, float]
    cells: Mapping[str, int]
    key: str
    cached: bool


def measure_cost(
    tool: Yosys,
    design: Design,
    params: Mapping[str, Any],
    family: Family,
    tell: Callable[[str], None] = lambda text: None,
) -> SynthCost:
    """Synthesize a design for a family and count.

    Raises:
        ToolError: Yosys failed.
        UsageError: as :func:`command_file`.
    """

    def make(folder: Path) -> None:
        (folder / _COMMANDS).write_text(command_file(tool, design, params, folder))
        cells = tool.place(folder / _CELLS)
        script = [f"read_slang -f {tool.place(folder / _COMMANDS)}", *family.passes, f"tee -q -o {cells} stat -json"]
        log = folder / LOG
        code = run_yosys(tool, script, log, lambda step: tell(f"synthesizing {design.name} for {family.name}: {step}"))
        if code:
            raise broken(design.name, log, code)

    key = content_key(tool, design, [family.name, *family.passes, *content_settings(design, params)])
    folder, cached = kept(f"{design.name}-{family.name}", key, make)
    cells = json.loads((folder / _CELLS).read_text())["design"]["num_cells_by_type"]
    return SynthCost(family.count(cells), cells, key, cached)
