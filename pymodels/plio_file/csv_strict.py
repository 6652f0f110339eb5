# SPDX-License-Identifier: Apache-2.0
"""The careful reader of PLIO CSV files: row by row, with a precise message for everything that can be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.beats import MAX_BEATS, MAX_STALL, Rows, join_rows
from goldbeat.pymodels.plio_file.csv_fast import quick_rows
from goldbeat.pymodels.plio_file.lex import Tape
from goldbeat.pymodels.plio_file.result import Dropped
from goldbeat.pymodels.plio_file.text_strict import decode_line, show
from goldbeat.pymodels.plio_file.words import TokenError, either_sign, is_big, parse_integer, parse_keep, parse_part
from goldbeat.pymodels.samples import SampleType

_TRUTH = {"TRUE": "1", "FALSE": "0"}
"""TLAST as spreadsheets write it."""


def cells_of(text: str) -> list[str]:
    """The cells of a row without the blanks around them."""
    return [cell.strip(" \t") for cell in text.split(",")]


def parse_head(cells: list[str], full: int, kind: SampleType, width: int) -> dict[str, int]:
    """Columns of TLAST and TKEEP by name, from the header row.

    Raises:
        TokenError: not a header for this type and width.
    """
    upper = [c.upper() for c in cells]
    tail = upper[1 + full :]
    right = upper[:1] == ["CMD"] and upper[1 : 1 + full] == ["D"] * full
    if not right or len(set(tail)) != len(tail) or not set(tail) <= {"TLAST", "TKEEP"}:
        raise TokenError(f"CMD, {full} times D, TLAST and TKEEP ({kind.name} on {width} bits)")
    return {name: 1 + full + at for at, name in enumerate(tail)}


class _Scan:
    """Everything the rows say; DATA rows are taken away in chunks."""

    def __init__(self, kind: SampleType, width: int, lenient: bool, name: str | None) -> None:
        self.kind, self.width, self.lenient, self.name = kind, width, lenient, name
        self.full = kind.per_beat(width) * kind.parts
        self.tail: dict[str, int] | None = None
        self.dropped: list[Dropped] = []
        self.stall = 0
        self.beats = 0
        self.idle = 0
        self.empty()

    def empty(self) -> None:
        self.parts: list[int] = []
        self.big: list[bool] = []
        self.last: list[bool] = []
        self.keep: list[int] = []
        self.gap: list[int] = []
        self.repeat: list[int] = []
        self.line: list[int] = []

    def take(self) -> Rows:
        """The DATA rows since the last call."""
        unsigned: np.dtype[Any] = np.dtype(f"<u{self.kind.part_dtype.itemsize}")
        rows = Rows(
            parts=np.array(self.parts, unsigned).view(self.kind.part_dtype),
            big=np.array(self.big, np.bool_) if either_sign(self.kind) else None,
            last=np.array(self.last, np.bool_),
            keep=np.array(self.keep, np.int64) if any(k != -1 for k in self.keep) else None,
            gap=np.array(self.gap, np.int64),
            repeat=np.array(self.repeat, np.int64),
            line=np.array(self.line, np.int32),
        )
        self.empty()
        return rows

    def fail(self, found: str, expected: str, line: int) -> InputError:
        return InputError(found, expected, file=self.name, line=line)

    def fits(self, block: tuple[Rows, int]) -> bool:
        """Take over the sums of a block that was read quickly, unless they grow too large."""
        rows, rest = block
        beats = self.beats + int(rows.repeat.sum())
        idle = self.idle + int(rows.gap.sum()) + rest
        if beats > MAX_BEATS or idle > MAX_STALL:
            return False
        rows.gap[0] += self.stall
        self.beats, self.idle = beats, idle
        return True

    def feed(self, text: str, line: int) -> None:
        cells = cells_of(text)
        try:
            if self.tail is None:
                self.tail = parse_head(cells, self.full, self.kind, self.width)
                return
        except TokenError as error:
            raise self.fail(show(text), str(error), line) from None
        if not any(cells):
            found = "an empty line" if cells == [""] else "a row of empty cells"
            if not self.lenient:
                raise self.fail(found, "a DATA, STALL or COMMENT row", line)
            self.dropped.append((line, found, "a DATA, STALL or COMMENT row"))
            return
        word, colon, number = cells[0].partition(":")
        word = word.upper()
        if word == "COMMENT" and not colon:
            return
        if word not in ("DATA", "STALL"):
            raise self.fail(show(cells[0]), "DATA, DATA:n, STALL, STALL:n or COMMENT", line)
        try:
            limit = MAX_BEATS if word == "DATA" else MAX_STALL
            times = parse_integer(number, 1, limit, f"{word}:n with n") if colon else 1
        except TokenError as error:
            raise self.fail(show(cells[0]), str(error), line) from None
        if word == "STALL":
            self.feed_stall(cells, times, line)
        else:
            self.feed_data(cells, times, line)

    def feed_stall(self, cells: list[str], times: int, line: int) -> None:
        assert self.tail is not None
        full = 1 + self.full + len(self.tail)
        while len(cells) > full and not cells[-1]:
            cells.pop()
        if len(cells) not in (1, full):
            raise self.fail(f"{len(cells)} cells", f"STALL alone, or {full} cells", line)
        said = [cell for cell in cells[1:] if cell]
        alone = cells[0].upper() == "STALL" and cells[1:2] != ["0"] and len(said) == 1
        if said and (alone or len(said) != full - 1):
            # A spreadsheet may have split STALL:n; data that the port holds fill the row.
            raise self.fail(f"{cells[0]} and {show(said[0])}", "STALL:n alone, or a whole row", line)
        self.stall += times
        self.idle += times
        if self.idle > MAX_STALL:
            raise self.fail(f"{self.idle} idle cycles in all", f"at most {MAX_STALL}", line)

    def feed_data(self, cells: list[str], times: int, line: int) -> None:
        assert self.tail is not None
        least, most = 1 + self.full, 1 + self.full + len(self.tail)
        while len(cells) > most and not cells[-1]:
            # Spreadsheets fill all rows up to the longest.
            cells.pop()
        bits = []
        for token in cells[1:least]:
            try:
                bits.append(parse_part(token, self.kind))
            except TokenError as error:
                raise self.fail(show(token), str(error), line) from None
        if not least <= len(cells) <= most:
            found = f"{len(cells)} cells"
            span = f"{least}" if least == most else f"{least} to {most}"
            expected = f"{span} cells ({self.kind.name} on {self.width} bits)"
            if not self.lenient:
                raise self.fail(found, expected, line)
            self.dropped.append((line, found, expected))
            return
        values = {name: cells[at] for name, at in self.tail.items() if at < len(cells) and cells[at]}
        mark = _TRUTH.get(values.get("TLAST", "0").upper(), values.get("TLAST", "0"))
        if mark not in ("0", "1"):
            raise self.fail(f"TLAST {show(mark)}", "0 or 1, or TRUE or FALSE", line)
        last = mark == "1"
        token = values.get("TKEEP", "-1")
        try:
            keep = parse_keep(token, self.width // 8, last)
        except TokenError as error:
            raise self.fail(f"TKEEP {show(token)}", str(error), line) from None
        if keep >= 0 and keep % self.kind.bytes:
            raise self.fail(f"TKEEP {show(token)}", f"whole {self.kind.name} samples", line)
        self.beats += times
        if self.beats > MAX_BEATS:
            raise self.fail(f"{self.beats} beats in all", f"at most {MAX_BEATS}", line)
        self.parts += bits
        self.big += [is_big(t) for t in cells[1:least]] if either_sign(self.kind) else []
        self.last.append(last)
        self.keep.append(keep)
        self.gap.append(self.stall)
        self.repeat.append(times)
        self.line.append(line)
        self.stall = 0


def read_rows(
    raw: bytes, kind: SampleType, width: int, *, lenient: bool, name: str | None, quick: bool = True
) -> tuple[Rows, bool, tuple[Dropped, ...]]:
    """DATA rows of a CSV file, not yet repeated.

    Args:
        raw: the file.
        kind: sample type.
        width: port width in bits.
        lenient: drop DATA rows with a wrong number of cells.
        name: file name for messages.
        quick: leave plain blocks to the quick reader.

    Returns:
        The rows, whether TKEEP stands before TLAST, and what was dropped.

    Raises:
        InputError: the first line that is not as it should be.
    """
    tape = Tape(raw)
    scan = _Scan(kind, width, lenient, name)
    chunks: list[Rows] = []
    at, line = tape.begin, 1
    while at < tape.end:
        # The header alone, then blocks.
        end = tape.cut(at) if scan.tail is not None else tape.raw.index(b"\n", at) + 1
        block = quick_rows(tape, at, end, line, kind, width, scan.tail) if quick and scan.tail is not None else None
        if block is not None and scan.fits(block):
            rows, scan.stall = block
            line += tape.raw.count(b"\n", at, end)
        else:
            for content in tape.lines(at, end):
                scan.feed(decode_line(content, name, line), line)
                line += 1
            rows = scan.take()
        chunks.append(rows)
        at = end
    tail = list(scan.tail or {})
    return join_rows(chunks or [scan.take()]), tail[:1] != ["TLAST"], tuple(scan.dropped)
