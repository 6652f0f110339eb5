# SPDX-License-Identifier: Apache-2.0
"""What tables and pages need of a result: its columns in the results, and the figures of its ports.

A run may have 100,000 results. Item and result as a whole take 40 times as long to read and ten times the memory; they are for the
cases that are shown in full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, NamedTuple

from pydantic import Field, FiniteFloat, TypeAdapter, with_config
from typing_extensions import TypedDict

from goldbeat.tb.regress.item import Status

MOST_TEXT = 300
"""Characters of a mismatch."""


class Brief(NamedTuple):
    """An item and its result in short.

    Attributes:
        number, key, design, case, seed: the item's; ``number`` is its index in the plan.
        status: how it ended; None: there is no result yet, and what follows means nothing.
        cycles, sim_ps, wall_s, compared, trace_hash: the result's.
        mismatch: the first line of the first failure, or the beginning of it.
    """

    number: int
    key: str
    design: str
    case: str
    seed: int
    status: Status | None
    cycles: int
    sim_ps: int
    wall_s: FiniteFloat
    compared: int
    trace_hash: str | None
    mismatch: str

    @property
    def passed(self) -> bool:
        """True for a pass, and for what is the same as recorded."""
        return self.status is not None and self.status.good

    @property
    def group(self) -> str:
        """The key without the seed."""
        return self.key.rpartition("#")[0]


COLUMNS = (
    "idx, key, design, case_name, seed, status, coalesce(cycles, 0), coalesce(sim_ps, 0), coalesce(wall_s, 0),"
    f" coalesce(compared, 0), trace_hash, coalesce(substr(mismatch, 1, {MOST_TEXT}), '')"
)
"""Of the results, in the order of :class:`Brief`."""

_ROW = TypeAdapter(tuple[int, str, str, str, int, Status | None, int, int, FiniteFloat, int, str | None, str])


def read_brief(row: tuple[Any, ...]) -> Brief:
    """A row of :data:`COLUMNS`. Raises :class:`ValueError` for what no run has written."""
    values = _ROW.validate_python(row)
    return Brief(*values[:-1], values[-1].partition("\n")[0])


_Finite = Annotated[float, Field(allow_inf_nan=False)]


class PortFigures(TypedDict):
    """Of a port: see :mod:`goldbeat.tb.regress.figures`."""

    direction: str
    beats: int
    mb_per_s: _Finite | None
    share: _Finite | None


class LatencyFigures(TypedDict):
    """From a port to another."""

    by: str
    mean: _Finite
    max: _Finite


@with_config(extra="ignore")
class Figures(TypedDict, total=False):
    """What a result says beside its columns."""

    ports: dict[str, PortFigures]
    latency: dict[str, LatencyFigures]
    coverage: dict[str, dict[str, int]]
    waived: dict[str, int]
    traffic: str | None


class PassedItem(NamedTuple):
    """What passed, and what is held against other runs.

    Attributes:
        key, design, case, cycles: the item's.
        traffic: hash of what the testbench did; None for results of versions that did not keep it.
        figures: of its ports.
    """

    key: str
    design: str
    case: str
    cycles: int
    traffic: str | None
    figures: Figures


class ItemFigures(NamedTuple):
    """The figures of one result, and whose they are."""

    number: int
    design: str
    passed: bool
    figures: Figures


_FIGURES = TypeAdapter(Figures)


def read_measured(rows: Iterable[tuple[int, str, str, str]]) -> Iterator[ItemFigures]:
    """Rows of index, design, status and result as JSON. Raises :class:`ValueError` for what no run has written."""
    for number, design, status, result in rows:
        yield ItemFigures(number, design, Status(status).good, _FIGURES.validate_json(result))


def read_passed(rows: Iterable[tuple[str, str, str, int, str]]) -> Iterator[PassedItem]:
    """Rows of key, design, case, cycles and result as JSON. Raises as :func:`read_measured`."""
    for key, design, case, cycles, result in rows:
        figures = _FIGURES.validate_json(result)
        yield PassedItem(key, design, case, int(cycles), figures.get("traffic"), figures)
