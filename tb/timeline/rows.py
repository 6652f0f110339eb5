# SPDX-License-Identifier: Apache-2.0
"""What a timeline is made of: slices, counters and arrows, each many at once as numpy columns. All times are in picoseconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Named:
    """A column of texts out of a few.

    Attributes:
        table: the texts.
        index: (n,) which of them.
    """

    table: Sequence[str]
    index: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, rows: Any) -> Named:
        return replace(self, index=self.index[rows])


@dataclass(frozen=True, eq=False)
class HexNumbers:
    """A column of numbers that are shown as text in hexadecimal, such as addresses.

    Attributes:
        values: (n,) uint64.
    """

    values: npt.NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> HexNumbers:
        return replace(self, values=self.values[rows])


Column = npt.NDArray[Any] | Named | HexNumbers


@dataclass(frozen=True, eq=False)
class Slices:
    """n slices on one row.

    Attributes:
        row: its name.
        begin: (n,) when each begins, ascending.
        end: (n,) when it is over, the first moment that does not belong to it.
        name: of all of them, or of each.
        number: (n,) put behind the name; None: nothing is.
        args: what is shown of a slice, by name.
        summed: names in ``args`` whose values add up where slices are merged; of the others the first one stays.
    """

    row: str
    begin: Numbers
    end: Numbers
    name: str | Named
    number: npt.NDArray[Any] | None = None
    args: Mapping[str, Column] = field(default_factory=dict)
    summed: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, rows: Any) -> Slices:
        """Some of them."""
        return replace(
            self,
            begin=self.begin[rows],
            end=self.end[rows],
            name=self.name if isinstance(self.name, str) else self.name[rows],
            number=None if self.number is None else self.number[rows],
            args={name: column[rows] for name, column in self.args.items()},
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """A value over time, which holds from each moment until the next.

    Attributes:
        row: its name.
        unit: of the value, which names it in the trace.
        at: (n,) moments, ascending.
        value: (n,) integers.
    """

    row: str
    unit: str
    at: Numbers
    value: npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Arrows:
    """n arrows from a moment on one row to a moment on another, each within a slice there.

    Attributes:
        name: what they mean.
        from_row, to_row: the rows' names.
        from_at, to_at: (n,) moments.
    """

    name: str
    from_row: str
    from_at: Numbers
    to_row: str
    to_at: Numbers


Entry = Slices | Counts | Arrows


def side_by_side(slices: Slices) -> list[Slices]:
    """Slices that may overlap, on as many rows as it takes: the first keeps the name, the others are ``NAME #2`` and on."""
    order = np.argsort(slices.begin, kind="stable")
    some = slices[order]
    lane = _lane_of(some.begin, some.end)
    found = []
    for number in range(int(lane.max()) + 1 if len(lane) else 1):
        row = slices.row if number == 0 else f"{slices.row} #{number + 1}"
        found.append(replace(some[np.flatnonzero(lane == number)], row=row))
    return found


def _lane_of(begin: Numbers, end: Numbers) -> Numbers:
    """(n,) the lane of each interval; ``begin`` ascends."""
    if not len(begin):
        return np.zeros(0, np.int64)
    # What overlaps most says how many lanes there are; where intervals end in the order in which they began, they take turns.
    moments = np.concatenate([end, begin])
    step = np.concatenate([np.full(len(end), -1), np.ones(len(begin), np.int64)])
    most = int(np.cumsum(step[np.lexsort((step, moments))]).max())
    if (np.diff(end) >= 0).all():
        return np.arange(len(begin), dtype=np.int64) % most
    free = [0] * most
    lane = np.zeros(len(begin), np.int64)
    for number, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        chosen = next(k for k in range(most) if free[k] <= first or number == 0)
        lane[number], free[chosen] = chosen, last
    return lane
