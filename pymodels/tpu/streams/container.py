# SPDX-License-Identifier: Apache-2.0
"""Any file with commands in it: a BModel, a CviModel, or the bare stream of one engine."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path

import numpy as np

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.streams.bmodel import MAGIC, BModel, CommandStream
from goldbeat.pymodels.tpu.streams.cvimodel import MAGIC as CVI_MAGIC
from goldbeat.pymodels.tpu.streams.cvimodel import CviModel
from goldbeat.pymodels.tpu.streams.decode import Commands, decode_any
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables, tables

Container = BModel | CviModel


def is_container(head: bytes) -> bool:
    """Whether a file that begins so is a BModel or a CviModel."""
    return head[:4] == MAGIC.to_bytes(4, "little") or head[:8] == CVI_MAGIC


def parse_container(data: bytes, file: str | PathLike[str] | None = None) -> Container:
    """Read a container out of bytes."""
    return CviModel.parse(data, file) if data[:8] == CVI_MAGIC else BModel.parse(data, file)


def read_container(path: str | PathLike[str]) -> Container:
    """Read a container."""
    return parse_container(Path(path).read_bytes(), path)


def load_streams(
    path: str | PathLike[str],
    chip: str | None = None,
    engine: str | None = None,
    known: Tables | None = None,
) -> tuple[Chip, list[CommandStream], Container | None]:
    """The streams of a file.

    Args:
        path: container or bare stream.
        chip: needed for a bare stream; overrides what a container says.
        engine: needed for a bare stream unless its name tells (``.tiu.bin``, ``.dma.bin``, ``.sdma0.bin``); chooses
            among the streams of a container.
        known: the tables to look in.

    Raises:
        UsageError: chip or engine are neither given nor told.
    """
    known = known or tables()
    raw = Path(path).read_bytes()
    if is_container(raw):
        container = parse_container(raw, path)
        of = known.chip(chip or container.chip)
        wanted = None if engine is None else of.engine(engine).name
        streams = [s for s in container.streams() if wanted is None or of.magic is not None or s.engine == wanted]
        return of, streams, container
    if chip is None:
        raise UsageError(f"{path} is no container, so the chip must be given: one of {', '.join(known.names())}")
    of = known.chip(chip)
    if engine is None and of.magic is None:
        told = re.search(r"(?:^|[.])(tiu|bdc|gdma|dma|sdma|hau|cdma)\d*(?:[.][^.]*)?$", Path(path).name)
        if told is None:
            raise UsageError(f"the name of {path} does not tell the engine: one of {', '.join(of.engines)}")
        engine = told[1]
    name = of.engine(engine or "tiu").name
    return of, [CommandStream(Path(path).stem, name, np.frombuffer(raw, np.uint8), 0, file=Path(path))], None


def commands(
    chip: Chip, stream: CommandStream, file: str | PathLike[str] | None = None, *, strict: bool = True
) -> dict[str, Commands]:
    """The commands of a stream, by engine; byte offsets in errors are those of the file.

    Args:
        chip: whose commands they are.
        stream: in its own file, or in a container.
        file: the container, for errors.
        strict: raise an :class:`InputError` at the first problem.
    """
    try:
        return decode_any(chip, stream.engine, stream.data, strict=strict)
    except InputError as error:
        at = None if error.offset is None else error.offset + stream.offset
        raise InputError(
            f"{error.found} in {stream.name}", error.expected, file=stream.file or file, offset=at
        ) from None
