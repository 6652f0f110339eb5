# SPDX-License-Identifier: Apache-2.0
"""PLIO files of either sort: CSV where the name ends in ``.csv`` or the content begins with ``CMD``, else text."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from goldbeat.pymodels.plio_file.beats import check_port
from goldbeat.pymodels.plio_file.csv import parse_csv, write_csv
from goldbeat.pymodels.plio_file.encoding import begins_as_csv
from goldbeat.pymodels.plio_file.result import PlioFile
from goldbeat.pymodels.plio_file.store import load_bytes
from goldbeat.pymodels.plio_file.style import TextStyle
from goldbeat.pymodels.plio_file.text import parse_text, write_text
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.usual_clocks import Period

__all__ = ["PlioFile", "is_csv", "read", "write"]


def is_csv(path: str | PathLike[str]) -> bool:
    """Whether a path is that of a CSV file, by its suffix. What was read says it by :attr:`PlioFile.csv`."""
    return Path(path).suffix.lower() == ".csv"


def read(
    path: str | PathLike[str],
    dtype: str | SampleType,
    width: int,
    *,
    clock_ps: Period | None = None,
    lenient: bool = False,
    packets: bool = False,
) -> PlioFile:
    """Read a PLIO file.

    See :func:`~goldbeat.pymodels.plio_file.text.parse_text` and :func:`~goldbeat.pymodels.plio_file.csv.parse_csv`.
    """
    kind = sample_type(dtype)
    check_port(kind, width, clock_ps)
    raw = load_bytes(path)
    parse = parse_csv if is_csv(path) or begins_as_csv(raw) else parse_text
    return parse(raw, kind, width, clock_ps=clock_ps, lenient=lenient, packets=packets, name=str(path))


def write(
    path: str | PathLike[str],
    trace: Trace,
    dtype: str | SampleType,
    *,
    style: TextStyle | None = None,
    force: bool = False,
) -> None:
    """Write a PLIO file.

    See :func:`~goldbeat.pymodels.plio_file.text.format_text` and :func:`~goldbeat.pymodels.plio_file.csv.format_csv`.

    Raises:
        UsageError: the file exists and ``force`` is not set.
    """
    writer = write_csv if is_csv(path) else write_text
    writer(path, trace, dtype, style=style, force=force)
