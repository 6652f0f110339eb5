# SPDX-License-Identifier: Apache-2.0
"""What a script finds around it while it is read: its command line, modules of its folder, names of its functions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import CellType, FunctionType
from typing import Any


@contextmanager
def script_surroundings(path: Path, arguments: Sequence[str]) -> Iterator[None]:
    """The script's command line and folder; what it imports from there is forgotten again."""
    before, paths, modules = sys.argv, list(sys.path), set(sys.modules)
    folder = path.resolve().parent
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(folder))
    if package := package_of(path):
        sys.path.insert(1, str(folder.parents[package.count(".")]))
        folder = folder.parents[package.count(".")] / package.partition(".")[0]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before, paths
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if (
                file is not None
                and folder in (home := Path(file).resolve()).parents
                and (package or home.parent == folder)
            ):
                del sys.modules[name]


def package_of(path: Path) -> str:
    """The package that a script belongs to, by the ``__init__.py`` beside it; empty for none."""
    names, folder = list[str](), path.resolve().parent
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    return ".".join(names)


def frozen(body: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the names it uses as they are now; what it assigns to them is forgotten.

    mlir-aie runs a core's body and a sequence once, where they are declared.
    """
    if not isinstance(body, FunctionType):
        return body
    cells = []
    for cell in body.__closure__ or ():
        try:
            cells.append(CellType(cell.cell_contents))
        except ValueError:  # a name without a value yet
            cells.append(cell)
    return FunctionType(body.__code__, dict(body.__globals__), body.__name__, body.__defaults__, tuple(cells) or None)
