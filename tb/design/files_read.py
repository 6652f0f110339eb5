# SPDX-License-Identifier: Apache-2.0
"""Which files a user's code reads while it runs: modules, tables and coefficients that a result depends on."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.util import source_from_cache
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import unquote, urlsplit

_read: dict[Path, None] = {}
_written: set[Path] = set()
_asked: dict[str, Sequence[str]] = {}
"""Modules that were imported -> where they were looked for."""
_started: dict[str, set[str]] = {}
"""Programs that were started -> the files of the code that did it."""
_depth = 0
_SUFFIXES = (*EXTENSION_SUFFIXES, *SOURCE_SUFFIXES, *BYTECODE_SUFFIXES)
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


@dataclass(frozen=True)
class Reads:
    """What a user's code has used.

    Attributes:
        files: that it has opened, also what was not there.
        programs: that it has started; what these read is unknown.
    """

    files: Sequence[Path]
    programs: Sequence[str]


def reads_below(roots: Sequence[Path], made: Sequence[Path]) -> Reads:
    """What was opened for reading and not written, also what was not there, in the order of the first use; and what was started.

    A link counts where it or its target is below one of the folders, a program where code below them has started it.

    Args:
        roots: the folders.
        made: folders below them that do not count; those of Python and its packages do not either.
    """
    inside = list(dict.fromkeys(one for root in roots for one in (root.absolute(), root.resolve())))
    left_out = [one for one in (*made, *_environment()) if not any(root.is_relative_to(one) for root in inside)]

    def counts(path: Path) -> bool:
        return any(
            any(one.is_relative_to(root) for root in inside) and not any(one.is_relative_to(out) for out in left_out)
            for one in (path, path.resolve())
        )

    wanted = dict.fromkeys((*_read, *_hiding_modules(counts)))
    files = [p for p in wanted if p not in _written and counts(p) and (p.is_file() or not p.exists())]
    return Reads(files, [name for name, code in _started.items() if any(counts(Path(file)) for file in code)])


@cache
def _environment() -> list[Path]:
    """Folders of Python and of installed packages."""
    names = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")
    return [Path(p).resolve() for p in (sys.prefix, sys.base_prefix, *map(sysconfig.get_path, names))]


def _hiding_modules(counts: Callable[[Path], bool]) -> Iterator[Path]:
    """Files that would be read if they were there: of modules that were not found, and before those that count."""
    for name, folders in _asked.items():
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None)
        # A folder without an __init__ is what Python takes where it finds nothing else.
        used = _source(_named(file)) if file is not None else None
        if used is not None and not counts(used):
            continue
        for place in _places(name, [folder for folder in folders if counts(_named(folder))]):
            if place == used:
                break
            yield place


def _places(name: str, folders: Sequence[str]) -> Iterator[Path]:
    """Where Python looks for a module, in its order."""
    last = name.rpartition(".")[2]
    for folder in folders:
        for stem in (f"{last}/__init__", last):
            yield from (_named(folder, stem + suffix) for suffix in _SUFFIXES)


class _Finder:
    """Finds no module, but notices which are looked for, also those that ``importlib`` is asked for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: Any = None) -> None:
        if _depth and name not in sys.builtin_module_names:
            _asked[name] = tuple(sys.path if path is None else path)


@cache
def _install() -> None:
    # A hook stays until the process ends.
    sys.addaudithook(_notice)
    sys.meta_path.insert(0, _Finder)


def _notice(event: str, values: tuple[Any, ...]) -> None:
    if not _depth:
        return
    name = os.fsdecode(values[0]) if values and isinstance(values[0], (str, bytes, os.PathLike)) else None
    if event in _PROCESSES:
        _start(event, values)
    elif event == "import":
        _import(*values[:2])
    elif name is None:
        return
    elif event == "open":
        _add(name, values[1], values[2])
    elif event == "sqlite3.connect" and name != ":memory:":
        _add(unquote(urlsplit(name).path) if name.startswith("file:") else name)
    elif event == "ctypes.dlopen" and os.sep in name:
        _add(name)


def _import(name: str, file: str | None) -> None:
    """A library that is a module, or a module that starts processes."""
    if file is not None:
        _add(file)
    elif name.startswith("multiprocessing.popen_"):
        _note_start("multiprocessing")


def _start(event: str, values: tuple[Any, ...]) -> None:
    """A program, and the files that its command names."""
    command = values[1] if event == "subprocess.Popen" else values[:2]
    words = [command] if isinstance(command, (str, bytes, os.PathLike)) else list(command or ())
    texts = [os.fsdecode(word) for word in words if isinstance(word, (str, bytes, os.PathLike))]
    _note_start(next(iter(" ".join(texts).split()), event))
    folder = values[2] if event == "subprocess.Popen" and values[2] is not None else ""
    for word in (part for text in texts for part in (text, *text.split())):
        if (found := Path(os.fsdecode(folder), word)).is_file():
            _add(str(found))


def _note_start(name: str) -> None:
    """A program, with the files of the functions that are running, up to Goldbeat's own that has called the user's code."""
    frame: FrameType | None = sys._getframe()
    own = str(Path(__file__).parents[1])
    while frame is not None and (frame.f_code.co_filename == __file__ or not frame.f_code.co_filename.startswith(own)):
        _started.setdefault(name, set()).add(str(_named(frame.f_code.co_filename)))
        frame = frame.f_back


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
