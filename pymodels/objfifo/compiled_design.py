# SPDX-License-Identifier: Apache-2.0
"""A design from compiled files or MLIR text, with Python functions that stand for the cores' programs."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.array_state import ArrayState
from goldbeat.pymodels.objfifo.artefact.files import read_cdo_folder, read_compiled
from goldbeat.pymodels.objfifo.artefact.lift import lift_design
from goldbeat.pymodels.objfifo.artefact.listing import CompiledFile
from goldbeat.pymodels.objfifo.artefact.raw_design import (
    RawChannel,
    RawDesign,
    RawTile,
    StandIn,
    copy_objects,
    fixed_design,
)
from goldbeat.pymodels.objfifo.artefact.transaction import TxnHeader
from goldbeat.pymodels.objfifo.function_file import function_from_file
from goldbeat.pymodels.objfifo.mlir_exec.text_design import lowered_file, text_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.device import AIEDevice, Device
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

TEXT = ".mlir"
SUFFIXES = (".bin", ".xclbin", ".pdi", ".cdo", TEXT)
"""Files that are no Python."""
_STAND_IN = re.compile(r"(\d+),(\d+)=(?:(copy)|(.+\.py):([A-Za-z_]\w*))")


@dataclass(frozen=True)
class CompiledFiles:
    """Compiled files of one design.

    Attributes:
        files: the configuration first.
        text: lowered MLIR text that stands for the configuration.
        state: what all writes leave in the registers.
        raw: the design that they hold.
    """

    files: list[tuple[Path, CompiledFile]]
    text: Path | None
    state: ArrayState
    raw: RawDesign


def load_compiled(path: Path, configuration: Sequence[Path] = ()) -> RawDesign:
    """What compiled files hold; arguments and errors as of :func:`compiled_files`."""
    return compiled_files(path, configuration).raw


def compiled_files(path: Path, configuration: Sequence[Path] = ()) -> CompiledFiles:
    """Read compiled files.

    Args:
        path: an instruction stream, or a configuration (CDO, PDI, xclbin).
        configuration: more files, or folders with a compiler's configuration objects; applied first. Lowered MLIR
            text (``.mlir``) stands for a whole configuration.

    Raises:
        InputError: a file is damaged, with the byte offset, or with line and column.
        UsageError: lowered text and another configuration.
    """
    texts = [more for more in configuration if more.suffix == TEXT]
    if texts and len(configuration) > 1:
        raise UsageError(f"{texts[0]} is a whole configuration; nothing else may be given with it")
    files: list[tuple[Path, CompiledFile]] = []
    for more in () if texts else configuration:
        files += read_cdo_folder(more) if more.is_dir() else [(more, read_compiled(more))]
    files.append((path, read_compiled(path)))
    for name, found in files:
        if found.transaction is not None and sum(not isinstance(p.content, bytes) for p in found.parts) > 1:
            raise UsageError(f"{name} holds several programs; list it with goldbeat objfifo dis, and load one of them")
    files.sort(key=lambda one: one[1].transaction is not None)
    headers = [found.transaction.header for _, found in files if found.transaction is not None]
    state = ArrayState(headers[0].mem_rows if headers else 1)
    for name, found in files:
        state.apply(found.ops, name.name, sequence=found.transaction is not None)
    raw = lift_design(state, _device(headers, state))
    if texts:
        return CompiledFiles(files, texts[0], state, _with_sequence(lowered_file(texts[0]), raw))
    if all(found.transaction is not None for _, found in files):
        raw.unsupported.insert(0, "no configuration (CDO, PDI or xclbin): rings, locks and streams are not known")
    return CompiledFiles(files, None, state, raw)


def _with_sequence(configured: RawDesign, sequence: RawDesign) -> RawDesign:
    """A configuration from text with the host's sequence of an instruction stream."""
    tiles = {tile: one for tile, one in configured.tiles.items() if tile.kind is not TileKind.SHIM}
    for tile, one in sequence.tiles.items():
        if tile.kind is TileKind.SHIM:
            tiles[tile] = one
        elif one.channels:
            sequence.unsupported.append(f"the instruction stream starts channels of {tile}, the configuration is text")
    for flow in configured.flows:
        for end, direction in ((flow.source, Direction.MM2S), *((d, Direction.S2MM) for d in flow.dests)):
            tiles.setdefault(end.tile, RawTile()).channels.setdefault((direction, end.channel), RawChannel())
    unsupported = [*configured.unsupported, *sequence.unsupported]
    executed = configured.executed | sequence.executed
    return replace(configured, tiles=tiles, hosts=sequence.hosts, unsupported=unsupported, executed=executed)


def _device(headers: list[TxnHeader], state: ArrayState) -> Device:
    columns = max((tile.col + 1 for tile in state.registers), default=1)
    generation = "npu1"
    if headers:
        columns, generation = max(columns, headers[0].columns), headers[0].device
    known = {one.value.name: one.value for one in AIEDevice}
    return known.get(f"{generation}_{columns}col", known[generation])


def stand_ins(items: Iterable[str]) -> dict[Tile, StandIn]:
    """Functions from ``COLUMN,ROW=FILE.py:FUNCTION`` or ``COLUMN,ROW=copy``.

    Raises:
        UsageError: another form, or a tile that is given twice.
        InputError: the file has no such function, or cannot be run.
    """
    found: dict[Tile, StandIn] = {}
    for item in items:
        match = _STAND_IN.fullmatch(item)
        if match is None:
            raise UsageError(f"--core {item}: expected COLUMN,ROW=FILE.py:FUNCTION or COLUMN,ROW=copy")
        column, row, plain, file, name = match.groups()
        tile = Tile(int(column), int(row), TileKind.CORE)
        if tile in found:
            raise UsageError(f"--core {item}: {tile} is given twice")
        found[tile] = copy_objects if plain else function_from_file(Path(file), name)
    return found


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"arguments after --: {message}")


def compiled_arguments(path: Path, arguments: Sequence[str]) -> tuple[list[Path], dict[Tile, StandIn]]:
    """The configuration and the cores' stand-ins that a command line gives.

    Args:
        path: the design's file. Text has no other configuration.
        arguments: ``--config PATH`` for each file or folder of the configuration, ``--core C,R=FILE.py:FUNCTION`` for
            each core's stand-in.

    Raises:
        UsageError: an argument that is none of these.
    """
    words = _Words(add_help=False, allow_abbrev=False)
    words.add_argument("--config", action="append", default=[], type=Path)
    words.add_argument("--core", action="append", default=[])
    given = words.parse_args(list(arguments))
    if path.suffix == TEXT and given.config:
        raise UsageError(f"{path} is text: --config is for compiled files")
    return given.config, stand_ins(given.core)


def compiled_design(path: Path, arguments: Sequence[str] = (), device: str | None = None) -> FifoDesign:
    """A design from an instruction stream, a configuration, or MLIR text.

    Args:
        path: the file.
        arguments: as of :func:`compiled_arguments`.
        device: name of the device of a text that has several.

    Raises:
        UsageError: an argument that is none of these.
        InputError: a file is damaged.
    """
    config, functions = compiled_arguments(path, arguments)
    if path.suffix == TEXT:
        return text_design(path, functions, device)
    if device:
        raise UsageError(f"{path} is compiled: --device is for text and scripts")
    return fixed_design(load_compiled(path, config), functions)
