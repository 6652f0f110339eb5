# SPDX-License-Identifier: Apache-2.0
"""PLIO files of either sort, told apart by their suffix: ``.csv``, or anything else for text."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from pymodels.plio.csv import read_csv, write_csv
from pymodels.plio.result import PlioFile
from pymodels.plio.style import TextStyle
from pymodels.plio.text import read_text, write_text
from pymodels.samples import SampleType
from pymodels.trace import Trace

__all__ = ["PlioFile", "is_csv", "read", "write"]


def is_csv(path: str | PathLike[str]) -> bool:
    """Whether a path names a CSV file."""
    return Path(path).suffix.lower() == ".csv"


def read(
    path: str | PathLike[str],
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: int | None = None,
    lenient: bool = False,
) -> PlioFile:
    """Read a PLIO file; see :func:`~pymodels.plio.text.parse_text` and :func:`~pymodels.plio.csv.parse_csv`."""
    reader = read_csv if is_csv(path) else read_text
    return reader(path, dtype, width, clock_ps=clock_ps, lenient=lenient)


def write(
    path: str | PathLike[str],
    trace: Trace,
    dtype: str | SampleType,
    *,
    style: TextStyle | None = None,
    force: bool = False,
) -> None:
    """Write a PLIO file; see :func:`~pymodels.plio.text.format_text` and :func:`~pymodels.plio.csv.format_csv`.

    Raises:
        UsageError: the file exists and ``force`` is not set.
    """
    writer = write_csv if is_csv(path) else write_text
    writer(path, trace, dtype, style=style, force=force)
