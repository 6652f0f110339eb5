# SPDX-License-Identifier: Apache-2.0
"""A compiled model on NVDLA hardware by the road of every run, and what it left, tensor by tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.tb.design.design import Design
from goldbeat.tb.designs.nvdla.loadable_answer import driver_trace
from goldbeat.tb.designs.nvdla.loadable_case import memories_left
from goldbeat.tb.designs.nvdla.tensors import Output, read_outputs
from goldbeat.tb.run.runs import Request, run


@dataclass(frozen=True)
class LoadableRun:
    """What became of it."""

    status: str
    failures: tuple[str, ...]
    partial: tuple[str, ...]
    compared: int
    cycles: int
    outputs: Mapping[int, Output]
    trace: tuple[str, ...]


def run_loadable(file: Path, design: Design, folder: Path, inputs: Path | None = None, **options: Any) -> LoadableRun:
    """Run one file; ``options`` are those of the case."""
    given = {"loadable": str(file), "input": () if inputs is None else (str(inputs),), **options}
    (result,) = run(Request(design, design.case("loadable"), options=given), folder)
    record = result.episodes[0].record if result.episodes else None
    if record is None:
        return LoadableRun(result.status, result.failures, result.partial, result.compared, 0, {}, ())
    loadable = read_loadable(file)
    return LoadableRun(
        result.status,
        result.failures,
        result.partial,
        result.compared,
        result.answer.facts["cycles"],
        read_outputs(loadable, memories_left(place_memories(loadable), record)),
        tuple(driver_trace(record)),
    )
