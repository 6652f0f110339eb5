# SPDX-License-Identifier: Apache-2.0
"""The compiler's own timeline, ``compiler_profile_N.txt``: start, end and duration of every command.

Two columns of entries ``NAME|OPERATION|s:START|b:TIU id|g:GDMA id|e:END|t:DURATION``, TIU left, GDMA right; of b and g one
is the command's own id and the other the id that it waits for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pymodels.errors import InputError

_ENTRY = re.compile(r"([^|\s]*)\|(\w+)\|s:(\d+)\|b:(\d+)\|g:(\d+)\|e:(\d+)\|t:(\d+)(\|dr:)?")


@dataclass(frozen=True, eq=False)
class Timeline:
    """One engine's entries, in order of their ids.

    Attributes:
        id, dep, start, end, duration: (n,) int64.
        name: the operation of each.
    """

    id: npt.NDArray[np.int64]
    dep: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    duration: npt.NDArray[np.int64]
    name: list[str]

    def __len__(self) -> int:
        return len(self.id)


def parse_profile(text: str) -> dict[str, Timeline]:
    """Read a timeline: by engine, ``tiu`` and ``gdma``.

    Raises:
        InputError: there is no entry, or an entry contradicts itself.
    """
    found: dict[str, list[tuple[int, ...]]] = {"tiu": [], "gdma": []}
    names: dict[str, list[str]] = {"tiu": [], "gdma": []}
    for number, line in enumerate(text.splitlines(), 1):
        for name, op, *numbers, dma in _ENTRY.findall(line):
            start, tiu, gdma, end, took = (int(n) for n in numbers)
            if end != start + took - 1:
                raise InputError(f"{name}: {start} to {end} in {took} cycles", "e = s + t - 1", line=number)
            engine = "gdma" if dma else "tiu"
            found[engine].append((gdma, tiu, start, end, took) if dma else (tiu, gdma, start, end, took))
            names[engine].append(op)
    if not any(found.values()):
        raise InputError("no entry", "NAME|OPERATION|s:..|b:..|g:..|e:..|t:..")
    made = {}
    for engine, rows in found.items():
        columns = np.array(rows, np.int64).reshape(len(rows), 5)
        order = np.argsort(columns[:, 0], kind="stable")
        made[engine] = Timeline(
            columns[order, 0],
            columns[order, 1],
            columns[order, 2],
            columns[order, 3],
            columns[order, 4],
            [names[engine][i] for i in order],
        )
    return made
