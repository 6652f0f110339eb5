# SPDX-License-Identifier: Apache-2.0
"""Streams that commands work on together, and the options that name their chip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.streams import checks
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.container import Container, load_streams
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables

TpuChipName = Annotated[
    str | None,
    typer.Option("--chip", metavar="CHIP", help="Chip; a container names its own. `goldbeat tpu chips`."),
]
TpuTables = Annotated[
    Path | None, typer.Option("--tables", metavar="FILE.json", help="Command tables of further chips.")
]


def streams_together(
    files: list[Path], chip: str | None, engine: str | None, known: Tables
) -> tuple[Chip, list[CommandStream], Container | None]:
    """A container, or bare streams with their places from their names."""
    streams: list[CommandStream] = []
    container: Container | None = None
    of: Chip | None = None
    for file in files:
        of, here, container = load_streams(file, chip, engine, known)
        if len(files) > 1 and container is not None:
            raise UsageError(f"{file}: a container is worked on alone")
        streams += here if container is not None else [checks.bare(one) for one in here]
    if of is None:
        raise UsageError("no file")
    return of, streams, container
