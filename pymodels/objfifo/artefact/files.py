# SPDX-License-Identifier: Apache-2.0
"""Compiled files from disk."""

from __future__ import annotations

from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.artefact.listing import CompiledFile, decode_compiled

_CDO_ORDER = ("elfs", "init", "enable")
"""A compiler writes three configuration objects, which are loaded in this order."""


def read_bytes(path: Path, what: str) -> bytes:
    """A file's bytes.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    if not path.is_file():
        raise InputError("no file", what, file=path)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(error.strerror), f"{what} that can be read", file=path) from None


def read_compiled(path: Path) -> CompiledFile:
    """An instruction stream, CDO, PDI or xclbin.

    Raises:
        InputError: anything else, or damage, with the byte offset.
    """
    return decode_compiled(read_bytes(path, "a compiled file: insts.bin, CDO, PDI or xclbin"), path)


def read_cdo_folder(folder: Path) -> list[tuple[Path, CompiledFile]]:
    """The configuration objects that a compiler left in a folder (``*_elfs.bin``, ``*_init.bin``, ``*_enable.bin``).

    Raises:
        InputError: none are there, or one of them is damaged.
    """
    if not folder.is_dir():
        raise InputError("no folder", "a folder with *_cdo_init.bin", file=folder)
    found = []
    for part in _CDO_ORDER:
        for path in sorted(folder.glob(f"*cdo*_{part}.bin")):
            found.append((path, read_compiled(path)))
    if not found:
        raise InputError("no *cdo*_init.bin", "configuration objects of a compiler", file=folder)
    return found
