# SPDX-License-Identifier: Apache-2.0
"""RTL that is wrong on purpose: rows of what is broken, and the run that must notice."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.paths import HDL
from goldbeat.tb.run.runs import Request, RunResult, run


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


def breaks(design: str, file: str, *rows: tuple[str, ...]) -> list[Break]:
    """Breaks of one file; a row is ``(old, new, case)`` or ``(old, new, case, report)``."""
    return [Break(design, file, *row) for row in rows]


def each_break(quick: Sequence[Break], slow: Sequence[Break]) -> pytest.MarkDecorator:
    """A test of every row as ``row``; those of ``slow`` are slow tests."""
    rows = [pytest.param(row, id=f"{row.design}-{Path(row.file).stem}-{n}") for n, row in enumerate(quick)]
    rows += [
        pytest.param(row, id=f"{row.design}-{Path(row.file).stem}-slow{n}", marks=pytest.mark.slow)
        for n, row in enumerate(slow)
    ]
    return pytest.mark.parametrize("row", rows)


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


def run_broken(
    row: Break,
    folder: Path,
    seeds: int = 1,
    params: Mapping[str, int] | None = None,
    cases: Mapping[str, Case] | None = None,
) -> list[RunResult]:
    """Runs of the row's case on the broken design; ``cases`` are cases of the tests' own, by name."""
    design = broken(find_design(row.design), folder, row.file, (row.old, row.new))
    case = (cases or {}).get(row.case) or design.case(row.case)
    return run(Request(design, case, range(seeds), params or {}), folder / "run")


def assert_seen(row: Break, results: Sequence[RunResult]) -> None:
    """The break was noticed, and reported as the row says."""
    missed = [result for result in results if not result.passed]
    assert missed, "every seed passes"
    assert all(result.failures for result in missed)
    failures = [failure for result in missed for failure in result.failures]
    assert any(row.report in failure for failure in failures), failures[:4]
