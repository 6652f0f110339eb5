# SPDX-License-Identifier: Apache-2.0
"""RTL that is wrong on purpose: rows of what is broken, and the run that must notice.

All rows of a design that need no elaboration of their own are in one simulator (:mod:`one_build`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest
from one_build import BreaksBench, placed

from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, run

PART = 32
"""Rows of a test; tests of one build take it from the cache."""


class Break(NamedTuple):
    """One place of a design's RTL that is wrong.

    ``file`` is below ``hdl``; ``old`` occurs once in it and becomes ``new``. ``case`` must notice, with a failure that
    contains ``report`` (empty: any failure).
    """

    design: str
    file: str
    old: str
    new: str
    case: str
    report: str = ""


@dataclass(frozen=True)
class BrokenBuild:
    """Breaks of a design that one test looks at.

    Attributes:
        rows: the breaks.
        others: all breaks of the simulator, these included.
        params: parameter values that differ from the cases'.
    """

    rows: Sequence[Break]
    others: Sequence[Break]
    params: Mapping[str, int]


def breaks(design: str, file: str, *rows: tuple[str, ...]) -> list[Break]:
    """Breaks of one file; a row is ``(old, new, case)`` or ``(old, new, case, report)``."""
    return [Break(design, file, *row) for row in rows]


def each_build(
    quick: Sequence[Break],
    slow: Sequence[Break],
    params: Callable[[Break], Mapping[str, int]] = lambda row: {},
) -> pytest.MarkDecorator:
    """A test for ``PART`` rows of one build, as ``broken_build``; those of ``slow`` are slow tests."""
    tests = []
    for of, marks in ((quick, ()), (slow, (pytest.mark.slow,))):
        builds: dict[str, list[Break]] = {}
        # Rows of one case are together: a test makes stimulus and prediction of a case once.
        for row in sorted(of, key=lambda row: row.case):
            name = "-".join((row.design, *(f"{name}{value}" for name, value in params(row).items())))
            builds.setdefault(name, []).append(row)
        for name, rows in builds.items():
            for first in range(0, len(rows), PART):
                part = BrokenBuild(rows[first : first + PART], rows, params(rows[0]))
                tests.append(pytest.param(part, id=f"{name}-{first}", marks=marks))
    return pytest.mark.parametrize("broken_build", tests)


def assert_places(rows: Sequence[Break]) -> None:
    """Every row is another one, and finds its text once in its file; needs no simulator."""
    assert rows
    assert len(set(rows)) == len(rows)
    for row in rows:
        changed((HDL / row.file).read_text(), row.old, row.new, row.file)


def changed(text: str, old: str, new: str, where: str = "") -> str:
    """The text with ``new`` for ``old``, which must be in it exactly once."""
    assert text.count(old) == 1, f"{where}: {old!r} is there {text.count(old)} times"
    return text.replace(old, new)


def broken(design: Design, folder: Path, file: str, *edits: tuple[str, str]) -> Design:
    """The design on a copy of ``hdl`` in the folder, one file of which is edited."""
    root = folder / "hdl"
    shutil.copytree(HDL, root)
    path = root / file
    for old, new in edits:
        path.write_text(changed(path.read_text(), old, new, file))
    return design.model_copy(update={"root": root})


def assert_seen(
    build: BrokenBuild,
    folder: Path,
    seeds: Callable[[Break], int],
    cases: Mapping[str, Case] | None = None,
) -> None:
    """Every break is noticed by one of the seeds of its case, and reported as its row says.

    Args:
        build: the breaks.
        folder: an empty one.
        seeds: how many a break may need; the first that notices it is the last that runs.
        cases: of the tests' own, by name.
    """
    design = find_design(build.rows[0].design)
    mutants = dict(zip(build.others, placed(design, [row[1:4] for row in build.others]), strict=True))
    together = [mutant for mutant in mutants.values() if mutant is not None]
    missed = []
    with BreaksBench(design, together, build.params, folder) as bench:
        for number, row in enumerate(build.rows):
            case = (cases or {}).get(row.case) or design.case(row.case)
            mutant = mutants[row]
            if mutant is None:
                wrong = broken(design, folder / f"alone{number}", row.file, (row.old, row.new))
                failures = (_failure(Request(wrong, case, (seed,), build.params), folder) for seed in range(seeds(row)))
            else:
                failures = (bench.failure(mutant, case, seed) for seed in range(seeds(row)))
            if not any(text and row.report in text for text in failures):
                missed.append(row)
    assert not missed, "\n".join(map(str, missed))


def _failure(request: Request, folder: Path) -> str:
    """What a run says of a design; empty: nothing is wrong."""
    return "\n".join(failure for result in run(request, folder / "run") for failure in result.failures)
