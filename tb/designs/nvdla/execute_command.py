# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla execute``: a compiled model on the functional models alone, input after input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from goldbeat.pymodels.nvdla.engines.target import check_small
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.tb.cli.common import print_json, working
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.designs.nvdla.pictures import Convention
from goldbeat.tb.designs.nvdla.tensors import Output, output_lines, rank_text, read_outputs, read_tensors
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import REPORT, check_ours, prepare, run_folder

_SHOWN_RUNS = 20


@dataclass(frozen=True)
class ExecuteRequest:
    """The options of the command."""

    file: Path
    inputs: Sequence[Path]
    convention: Convention
    label: str | None
    as_json: bool
    force: bool = False


def execute_command(request: ExecuteRequest) -> None:
    """Run the functional models for every input, keep and show what they leave in memory."""
    folder = run_folder(build_root(), request.label, f"nvdla-execute-{request.file.name}")
    check_ours(folder, force=request.force)
    loadable = read_loadable(request.file)
    check_small(loadable)
    placement = place_memories(loadable)
    given, several = read_tensors(loadable, request.inputs, request.convention)
    runs: list[dict[int, Output]] = []
    with working("nvdla", len(given)) as step:
        for contents in given:
            runs.append(read_outputs(loadable, execute(placement, contents)))
            step()
    prepare(folder, force=request.force)
    report = {
        "loadable": str(request.file),
        "inputs": [str(file) for file in request.inputs],
        "runs": [{f"memory{ident}": one.facts() for ident, one in outputs.items()} for outputs in runs],
    }
    _write(runs, several, folder)
    (folder / REPORT).write_text(json.dumps(report, indent=2) + "\n")
    if request.as_json:
        print_json({**report, "folder": str(folder)})
    else:
        _show(runs, several, folder)


def _write(runs: Sequence[dict[int, Output]], several: bool, folder: Path) -> None:
    """Each memory as an array; of several runs one behind the other in a leading axis."""
    target = folder / "output"
    target.mkdir(parents=True, exist_ok=True)

    def save(name: str, arrays: list[Any]) -> None:
        np.save(target / f"{name}.npy", np.stack(arrays) if several else arrays[0])

    for ident, first in runs[0].items():
        save(f"memory{ident}", [outputs[ident].array for outputs in runs])
        for who in first.cubes:
            save(f"memory{ident}.{who}", [outputs[ident].cubes[who] for outputs in runs])


def _show(runs: Sequence[dict[int, Output]], several: bool, folder: Path) -> None:
    out = Screen(highlight=False)
    if not several:
        for line in output_lines(list(runs[0].values())):
            out.print(line.replace("{folder}", str(folder)), markup=False, soft_wrap=True)
        return
    for number, outputs in enumerate(runs[:_SHOWN_RUNS]):
        for one in outputs.values():
            if one.ranking():
                out.print(f"input {number}: {one.title}: classes {rank_text(one)}", markup=False, soft_wrap=True)
    if len(runs) > _SHOWN_RUNS:
        out.print(
            f"... and {len(runs) - _SHOWN_RUNS} more inputs; all in {folder / REPORT}", markup=False, soft_wrap=True
        )
    out.print(f"{len(runs)} inputs, {len(runs[0])} memories each in {folder}/output", markup=False, soft_wrap=True)
