# SPDX-License-Identifier: Apache-2.0
"""Which files a user's code reads while it runs: modules, tables and coefficients that a result depends on."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_read: dict[Path, None] = {}
_written: set[Path] = set()
_asked: dict[str, Sequence[str]] = {}
"""Modules that were imported -> where they were looked for."""
_started: dict[str, None] = {}
_depth = 0
_PROCESSES = {
    "subprocess.Popen",
    "os.system",
    "os.fork",
    "os.forkpty",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "pty.spawn",
}


@contextmanager
def recording_reads() -> Iterator[None]:
    """Notice every file that is opened in this process, libraries included, and every process that is started."""
    global _depth
    _install()
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1


def files_read(roots: Sequence[Path], made: Sequence[Path]) -> list[Path]:
    """Files that were opened for reading and not written, also those that were not there, in the order of their first use.

    A link counts where it or its target is below one of the folders.

    Args:
        roots: the folders.
        made: folders below them that do not count; those of Python and its packages do not either.
    """
    inside = list(dict.fromkeys(one for root in roots for one in (root.absolute(), root.resolve())))
    left_out = [one for one in (*made, *_environment()) if not any(root.is_relative_to(one) for root in inside)]

    def counts(path: Path) -> bool:
        below = any(path.is_relative_to(root) for root in inside)
        return below and not any(path.is_relative_to(one) for one in left_out)

    wanted = (*_read, *_modules_not_found())
    return [
        path
        for path in dict.fromkeys(wanted)
        if path not in _written and (counts(path) or counts(path.resolve())) and (path.is_file() or not path.exists())
    ]


def processes_started() -> list[str]:
    """Names of the programs that a user's code has started: nobody knows what they read."""
    return list(_started)


@cache
def _environment() -> list[Path]:
    """Folders of Python and of installed packages."""
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    return [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, *map(sysconfig.get_path, names))]


def _modules_not_found() -> Iterator[Path]:
    for name, folders in _asked.items():
        if name not in sys.modules:
            for folder in folders:
                yield from (_named(folder, file) for file in (f"{name}.py", f"{name}/__init__.py"))


@cache
def _install() -> None:
    # A hook stays until the process ends.
    sys.addaudithook(_notice)


def _notice(event: str, values: tuple[Any, ...]) -> None:
    if not _depth:
        return
    name = os.fsdecode(values[0]) if values and isinstance(values[0], (str, bytes, os.PathLike)) else None
    if event in _PROCESSES:
        _start(event, values)
    elif event == "import":
        _import(*values[:3])
    elif name is None:
        return
    elif event == "open":
        _add(name, values[1], values[2])
    elif event == "sqlite3.connect" and name != ":memory:":
        _add(unquote(urlsplit(name).path) if name.startswith("file:") else name)
    elif event == "ctypes.dlopen" and os.sep in name:
        _add(name)


def _import(name: str, file: str | None, folders: Sequence[str] | None) -> None:
    """A module that is looked for in folders, or a library that is one."""
    if file is not None:
        _add(file)
    elif name.startswith("multiprocessing.popen_"):
        _started.setdefault("multiprocessing")
    elif folders is not None and "." not in name:
        _asked.setdefault(name, tuple(folders))


def _start(event: str, values: tuple[Any, ...]) -> None:
    """A program, and the files that its command names."""
    command = values[1] if event == "subprocess.Popen" else values[:2]
    words = [command] if isinstance(command, (str, bytes, os.PathLike)) else list(command or ())
    texts = [os.fsdecode(word) for word in words if isinstance(word, (str, bytes, os.PathLike))]
    _started.setdefault(next(iter(" ".join(texts).split()), event))
    folder = values[2] if event == "subprocess.Popen" and values[2] is not None else ""
    for word in (part for text in texts for part in (text, *text.split())):
        if (found := Path(os.fsdecode(folder), word)).is_file():
            _add(str(found))


def _add(name: str, mode: Any = "r", flags: int = 0) -> None:
    path = _source(_named(name))
    writes = any(c in mode for c in "wax+") if isinstance(mode, str) else bool(flags & (os.O_WRONLY | os.O_RDWR))
    if writes and path not in _read:
        _written.add(path)
    else:
        _read.setdefault(path)


def _named(*parts: str) -> Path:
    """The absolute path; a link counts as it is named, as another target is another content."""
    path = Path(*parts).absolute()
    return path.parent.resolve() / path.name if ".." in path.parts else path


def _source(path: Path) -> Path:
    """The file that a compiled module was made of; any other file itself."""
    if path.suffix != ".pyc":
        return path
    try:
        return Path(source_from_cache(path))
    except ValueError:
        return path
