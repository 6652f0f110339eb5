# SPDX-License-Identifier: Apache-2.0
"""What the sources of a design are called while it is built: a simulator is the same wherever its sources are.

Verilator writes the names of the sources into the model, for messages of assertions and for coverage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

_FOLDER = "rtl"


def source_names(sources: Sequence[Path]) -> dict[str, Path]:
    """The sources by the name that each has in the folder of a build, in order."""
    found: dict[str, Path] = {}
    for number, path in enumerate(sources):
        name = f"{_FOLDER}/{path.name}"
        found[f"{_FOLDER}/{number}/{path.name}" if name in found else name] = path
    return found


def link_sources(names: Mapping[str, Path], folder: Path) -> None:
    """Put the sources into the folder of a build, by these names."""
    for name, path in names.items():
        link = folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(path.absolute())


def real_name(text: str, names: Mapping[str, Path]) -> str:
    """A message that begins with a name and a colon, or a name, with the source's own path in its place."""
    name, colon, rest = text.partition(":")
    return f"{names[name]}{colon}{rest}" if name in names else text


def short_place(place: str) -> str:
    """``file:line`` of a message of a simulator, without the folder of the build."""
    return place.removeprefix(f"{_FOLDER}/")
