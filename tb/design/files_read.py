# SPDX-License-Identifier: Apache-2.0
"""Which files a user's code reads while it runs: tables and coefficients that a result depends on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

_read: dict[Path, None] = {}
_written: set[Path] = set()
_depth = 0


@contextmanager
def recording_reads() -> Iterator[None]:
    """Notice every file that is opened in this process, a library that is loaded included."""
    global _depth
    _install()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def files_read(folder: Path) -> list[Path]:
    """Files below a folder that were opened for reading and not written, in the order of their first use."""
    root = folder.resolve()
    return [path for path in _read if path not in _written and path.is_relative_to(root)]


@cache
def _install() -> None:
    # A hook stays until the process ends.
    sys.addaudithook(_notice)


def _notice(event: str, values: tuple[Any, ...]) -> None:
    if not _depth or event not in ("open", "ctypes.dlopen") or not isinstance(values[0], (str, bytes, os.PathLike)):
        return
    path = _source(Path(os.path.realpath(os.fsdecode(values[0]))))
    mode, flags = (values[1], values[2]) if event == "open" else ("r", 0)
    writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR))
    if writes and path not in _read:
        _written.add(path)
    else:
        _read.setdefault(path)


def _source(path: Path) -> Path:
    """The file that a compiled module was made of; any other file itself."""
    if path.suffix != ".pyc":
        return path
    try:
        return Path(source_from_cache(path))
    except ValueError:
        return path
