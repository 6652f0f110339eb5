# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla execute``: a compiled model on the functional models alone, input after input."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.target import configuration_of
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.order_check import order_findings
from goldbeat.pymodels.nvdla.sound_check import refuse_unsound
from goldbeat.tb.cli.common import print_json, working
from goldbeat.tb.cli.screen import Screen
from goldbeat.tb.designs.nvdla.order_report import end_with_order, order_rows
from goldbeat.tb.designs.nvdla.output_batches import batch_arrays, batch_lines
from goldbeat.tb.designs.nvdla.pictures import Convention
from goldbeat.tb.designs.nvdla.tensors import Output, output_lines, read_outputs, read_tensors
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import REPORT, check_ours, prepare, run_folder


@dataclass(frozen=True)
class ExecuteRequest:
    """The options of the command."""

    file: Path
    inputs: Sequence[Path]
    convention: Convention
    label: str | None
    as_json: bool
    force: bool = False
    configuration: str | None = None


def execute_command(request: ExecuteRequest) -> None:
    """Run the functional models for every input, keep and show what they leave in memory."""
    folder = run_folder(build_root(), request.label, f"nvdla-execute-{request.file.name}")
    check_ours(folder, force=request.force)
    loadable = read_loadable(request.file)
    configuration = configuration_of(loadable, request.configuration)
    placement = place_memories(loadable)
    given, several = read_tensors(loadable, request.inputs, request.convention, configuration)
    refuse_unsound(loadable)
    runs: list[dict[int, Output]] = []
    with working("nvdla", len(given)) as step:
        for contents in given:
            try:
                left = execute(placement, contents, configuration=configuration)
            except UsageError as error:
                raise UsageError(f"{request.file}: {error}") from error
            runs.append(read_outputs(loadable, left, configuration))
            step()
    order = order_findings(loadable)
    prepare(folder, force=request.force)
    report = {
        "loadable": str(request.file),
        "configuration": configuration.name,
        "inputs": [str(file) for file in request.inputs],
        "runs": [{f"memory{ident}": one.facts() for ident, one in outputs.items()} for outputs in runs],
        "order": order_rows(order),
    }
    _write(runs, several, folder)
    (folder / REPORT).write_text(json.dumps(report, indent=2) + "\n")
    if request.as_json:
        print_json({**report, "folder": str(folder)})
    else:
        _show(runs, several, folder)
    end_with_order(order, err=request.as_json)


def _write(runs: Sequence[dict[int, Output]], several: bool, folder: Path) -> None:
    target = folder / "output"
    target.mkdir(parents=True, exist_ok=True)
    for name, array in batch_arrays(runs, several=several):
        np.save(target / name, array)


def _show(runs: Sequence[dict[int, Output]], several: bool, folder: Path) -> None:
    out = Screen(highlight=False)
    for line in batch_lines(runs) if several else output_lines(list(runs[0].values())):
        out.print(line.replace("{folder}", str(folder)), markup=False, soft_wrap=True)
