# SPDX-License-Identifier: Apache-2.0
"""Files that code names as text: ``$readmemh("m.hex", ...)`` in RTL, ``open("table.txt")`` in a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from goldbeat.tb.design.file_stamp import file_stamp
from goldbeat.tb.design.source_text import read_code

_TEXT = re.compile(r"""(["'])([^"'\n\\]{1,255})\1""")


def files_named_in(code: Iterable[Path], folders: Sequence[Path], more: Iterable[str] = ()) -> list[Path]:
    """The files that texts in code name, as far as they are there.

    Names that are put together while the code runs are not found.

    Args:
        code: source files, of RTL or of Python.
        folders: where relative names are looked for, the first that has the file.
        more: texts that may be such names, as values of parameters.
    """
    names = dict.fromkeys([*(name for path in code for name in _texts(path, file_stamp(path))), *more])
    return list(dict.fromkeys(_there(names, folders)))


def _there(names: Iterable[str], folders: Sequence[Path]) -> Iterator[Path]:
    for name in names:
        places = (folder / name for folder in folders)
        try:
            found = next((place for place in places if place.is_file()), None)
        except (OSError, ValueError):
            # No name of a file, as one of 300 letters.
            continue
        if found is not None:
            yield found


@lru_cache(maxsize=4096)
def _texts(path: Path, stamp: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for _, text in _TEXT.findall(read_code(path)) if "." in text or "/" in text))
