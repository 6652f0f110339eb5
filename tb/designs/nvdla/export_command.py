# SPDX-License-Identifier: Apache-2.0
"""``goldbeat nvdla export``: a compiled model as a trace test."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.loadable.loadable import read_loadable
from goldbeat.pymodels.nvdla.loadable.placement import place_memories
from goldbeat.pymodels.nvdla.traces.export import export_trace
from goldbeat.tb.cli.common import check_free, say
from goldbeat.tb.designs.nvdla.pictures import Convention
from goldbeat.tb.designs.nvdla.tensors import read_tensors


@dataclass(frozen=True)
class ExportRequest:
    """The options of the command."""

    file: Path
    folder: Path
    given: Path | None
    convention: Convention
    base: int
    force: bool


def export_command(request: ExportRequest) -> None:
    """Write the test and its data; all files are checked before the first one is written."""
    loadable = read_loadable(request.file)
    inputs, several = read_tensors(loadable, [request.given] if request.given else [], request.convention)
    if several:
        raise UsageError(f"{request.given} has several inputs; a trace test has one")
    made = export_trace(place_memories(loadable, request.base), inputs[0])
    if request.folder.exists() and not request.folder.is_dir():
        raise UsageError(f"{request.folder} is not a folder")
    texts = {f"{request.file.stem}.cfg": made.configuration, **made.data}
    for name in texts:
        if (request.folder / name).exists():
            check_free(request.folder / name, request.force)
    request.folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (request.folder / name).write_text(text, encoding="ascii")
    for task in made.left_out:
        say(f"left out: task {task.id} of the processor (EMU)")
    checks = made.configuration.count("check_crc(")
    say(f"{request.folder / request.file.stem}.cfg: {checks} memories checked, {len(made.data)} data files")
