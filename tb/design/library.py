# SPDX-License-Identifier: Apache-2.0
"""Library folders (``-y``): the files in them that define what sources use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.includes import mentions
from goldbeat.tb.design.source_text import read_code
from goldbeat.tb.paths import HDL

VENDOR = HDL / "vendor"
"""Behavioural stand-ins for cells of FPGA vendors, used where nothing else defines what sources use."""
EXTENSIONS = (".sv", ".v")
"""Names of library files end so, unless ``+libext+`` says otherwise."""
_DEFINITION = re.compile(
    r"^[ \t]*(?:module|interface|package|program)\s+(?:automatic\s+|static\s+)?(\w+)", re.MULTILINE
)


def _index(folders: Sequence[Path], extensions: Sequence[str]) -> Mapping[str, Path]:
    """The file that defines each name; the first folder wins, and in it a file of that name."""
    found: dict[str, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"no such library folder: {folder}")
        for path in sorted(p for p in folder.iterdir() if p.suffix in extensions):
            for name in _DEFINITION.findall(read_code(path)):
                known = found.get(name)
                if known is None or (known.parent == folder and path.stem == name):
                    found[name] = path
    return found


def _words(path: Path, include_dirs: Sequence[Path]) -> frozenset[str]:
    """The words of a file, of what it includes, and of the macros that it uses."""
    words: set[str] = set()
    macros: dict[str, frozenset[str]] = {}
    waiting, seen = [path], {path}
    while waiting:
        file = waiting.pop()
        said = mentions(file)
        words |= said.outside
        macros |= said.macros
        for name in said.included:
            place = next((one for folder in (file.parent, *include_dirs) if (one := folder / name).is_file()), None)
            if place is not None and place not in seen:
                seen.add(place)
                waiting.append(place)
    while used := words & macros.keys():
        words = words.union(*(macros.pop(name) for name in used))
    return frozenset(words)


def with_library(
    files: Sequence[Path],
    folders: Sequence[Path],
    extensions: Sequence[str] = (),
    include_dirs: Sequence[Path] = (),
) -> tuple[Path, ...]:
    """Sources with the library files that they need, each before the file that needs it.

    Args:
        files: sources.
        folders: of the library; only the files right in them count.
        extensions: of library files; none: :data:`EXTENSIONS`.
        include_dirs: folders of included files, whose macros may use modules of the library.

    Raises:
        UsageError: no such folder.
    """
    if not folders:
        return tuple(files)
    index = _index(folders, extensions or EXTENSIONS)
    given = {path.resolve() for path in files if path.is_file()}
    own = {name for path in given for name in _DEFINITION.findall(read_code(path))}
    done: set[Path] = set()

    def walk(path: Path) -> Iterator[Path]:
        if path.resolve() in done or not path.is_file():
            return
        done.add(path.resolve())
        for word in sorted(_words(path, include_dirs) & index.keys()):
            needed = index[word]
            if word not in own and needed.resolve() not in given:
                yield from walk(needed)
        yield path

    return tuple(found for path in files for found in ([*walk(path)] or [path]))
