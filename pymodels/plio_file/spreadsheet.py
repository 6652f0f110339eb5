# SPDX-License-Identifier: Apache-2.0
"""PLIO CSV files as spreadsheets write them, brought into the form that simulators write, line by line.

Cells may be quoted, columns parted by semicolons or tabs, ``D`` columns numbered, and empty columns at the end. With
semicolons, numbers may have a decimal comma.
"""

from __future__ import annotations

import csv
import re
from itertools import pairwise

from goldbeat.pymodels.errors import InputError

_NUMBERED = re.compile(r"D[_\[(]?(\d+)[\])]?", re.IGNORECASE)
_DECIMAL = re.compile(r"\s*[-+]?\d+,\d+(e[-+]?\d+)?\s*", re.IGNORECASE)
_SEPARATORS = ";\t"


def plain_rows(raw: bytes, name: str | None) -> bytes:
    """The same file with commas, without quotes, and with columns called ``D``; as it is if a simulator could have written it.

    Args:
        raw: the file's bytes.
        name: of the file, for messages.

    Raises:
        InputError: what cannot be told apart, with what to do.
    """
    head = raw.split(b"\n", 1)[0].decode("utf-8", "replace").strip("\r")
    if head.lower().startswith("sep="):
        raise InputError(head, "the header row; delete this line, which only spreadsheets know", file=name, line=1)
    separator = next((one for one in _SEPARATORS if one in head and "," not in head), ",")
    if separator == "," and b'"' not in raw and not head.endswith(",") and not _NUMBERED.search(head):
        return raw
    rows = raw.decode("utf-8", "surrogateescape").split("\n")
    width = 0
    for at, row in enumerate(rows):
        carriage = "\r" if row.endswith("\r") else ""
        cells = _cells(row.removesuffix("\r"), separator, name, at + 1)
        if at == 0:
            cells = _head(cells, name)
            width = len(cells)
        while len(cells) > width and not cells[-1].strip():
            cells.pop()
        rows[at] = ",".join(cells) + carriage
    return "\n".join(rows).encode("utf-8", "surrogateescape")


def _cells(row: str, separator: str, name: str | None, line: int) -> list[str]:
    if row.count('"') % 2:
        raise InputError("a quoted cell that does not end in its line", "one row per line", file=name, line=line)
    try:
        cells = next(csv.reader([row], delimiter=separator, skipinitialspace=True), [""])
    except csv.Error as error:
        raise InputError(f"a row that is no CSV: {error}", "cells without line ends", file=name, line=line) from error
    if cells[:1] and cells[0].strip().upper() == "COMMENT":
        return [cell.replace(",", " ") for cell in cells]
    if separator != ",":
        cells = [cell.replace(",", ".") if _DECIMAL.fullmatch(cell) else cell for cell in cells]
    for cell in cells:
        if "," in cell:
            expected = "a number without commas; set the decimal point of the spreadsheet, or save with semicolons"
            raise InputError(f"cell {cell!r}", expected, file=name, line=line)
    return cells


def _head(cells: list[str], name: str | None) -> list[str]:
    """The header's names; numbered ``D`` columns have to be in order."""
    while len(cells) > 1 and not cells[-1].strip():
        cells.pop()
    numbers = [int(found[1]) for cell in cells if (found := _NUMBERED.fullmatch(cell.strip()))]
    if any(b != a + 1 for a, b in pairwise(numbers)):
        said = ", ".join(f"D{n}" for n in numbers)
        expected = "D columns in ascending order: the first sample is in the lowest bits"
        raise InputError(f"columns {said}", expected, file=name, line=1)
    return ["D" if _NUMBERED.fullmatch(cell.strip()) else cell for cell in cells]
