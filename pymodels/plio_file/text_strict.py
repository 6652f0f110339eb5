# SPDX-License-Identifier: Apache-2.0
"""The careful reader of PLIO text: line by line, slow, with a precise message for everything that can be wrong.

The quick reader does the blocks in which everything is plain and leaves the others to this one, whose rules define
the format.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.plio_file.beats import WORD_BYTES, Beats, join
from goldbeat.pymodels.plio_file.lex import Tape
from goldbeat.pymodels.plio_file.result import Dropped
from goldbeat.pymodels.plio_file.text_fast import quick_block
from goldbeat.pymodels.plio_file.words import TokenError, either_sign, is_big, parse_keep, parse_part, parse_time
from goldbeat.pymodels.samples import SampleType

_SHOWN = 60


def show(text: str) -> str:
    """A piece of a file for a message: quoted, not too long, nothing unprintable."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def decode_line(raw: bytes, name: str | None, line: int) -> str:
    """One line as text, without its line end.

    Raises:
        InputError: bytes that no text file has.
    """
    raw = raw.removesuffix(b"\r")
    for bad, what in ((b"\0", "a NUL byte"), (b"\r", "a carriage return inside the line")):
        if bad in raw:
            raise InputError(what, "text", file=name, line=line)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{raw[error.start]:02x}, which is not UTF-8"
        raise InputError(found, "text", file=name, line=line) from None


def tokens_of(text: str) -> list[str]:
    """Split at blanks and tabs, at nothing else."""
    return [t for t in text.replace("\t", " ").split(" ") if t]


def count_text(full: int, last: bool) -> str:
    """What a data line should hold."""
    return f"{full} numbers" + (" or fewer that fill whole 32-bit words" if last else "")


def count_ok(count: int, full: int, last: bool, kind: SampleType) -> bool:
    """Whether a data line may hold ``count`` parts."""
    if count == full:
        return True
    whole = count % kind.parts == 0 and count * kind.part_bits % (8 * WORD_BYTES) == 0
    return last and 0 < count < full and whole


class _Scan:
    """The state between two lines: which modifiers wait for their data line."""

    def __init__(self, kind: SampleType, width: int, lenient: bool, name: str | None) -> None:
        self.kind, self.width, self.lenient, self.name = kind, width, lenient, name
        self.full = kind.per_beat(width) * kind.parts
        self.dropped: list[Dropped] = []
        self.timed: bool | None = None
        self.latest = -1
        self.empty()
        self.clear()

    def empty(self) -> None:
        self.parts: list[int] = []
        self.big: list[bool] = []
        self.counts: list[int] = []
        self.last: list[bool] = []
        self.keep: list[int] = []
        self.time: list[int] = []
        self.line: list[int] = []
        self.time_line: list[int] = []

    def take(self) -> Beats:
        """The beats since the last call."""
        unsigned: np.dtype[Any] = np.dtype(f"<u{self.kind.part_dtype.itemsize}")
        beats = Beats(
            parts=np.array(self.parts, unsigned).view(self.kind.part_dtype),
            counts=np.array(self.counts, np.int8),
            last=np.array(self.last, np.bool_),
            keep=np.array(self.keep, np.int64) if any(k != -1 for k in self.keep) else None,
            time=np.array(self.time, np.int64) if self.timed else None,
            cycle=None,
            line=np.array(self.line, np.int32),
            time_line=np.array(self.time_line, np.int32) if self.timed else None,
            big=np.array(self.big, np.bool_) if either_sign(self.kind) else None,
        )
        self.empty()
        return beats

    @property
    def waiting(self) -> list[tuple[int, str]]:
        """Line and keyword of everything that still waits for its data line."""
        found = [(self.next_last, "TLAST")] if self.next_last else []
        if self.next_time is not None:
            found.append((self.next_time[1], "T"))
        if self.next_keep is not None:
            found.append((self.next_keep[1], "TKEEP"))
        return sorted(found)

    def clear(self) -> None:
        self.next_time: tuple[int, int] | None = None
        self.next_last = 0
        self.next_keep: tuple[str, int] | None = None

    def fail(self, found: str, expected: str, line: int) -> InputError:
        return InputError(found, expected, file=self.name, line=line)

    def feed(self, text: str, line: int) -> None:
        tokens = tokens_of(text)
        if not tokens:
            if not self.lenient:
                raise self.fail("an empty line", "T, TLAST or samples", line)
            self.dropped.append((line, "an empty line", "T, TLAST or samples"))
            return
        word = tokens[0].upper()
        if word == "T":
            self.feed_time(tokens, line)
        elif word == "TLAST":
            if len(tokens) != 1:
                raise self.fail(show(text), "TLAST on a line of its own", line)
            if self.next_last:
                raise self.fail("a second TLAST line", "one before each data line", line)
            self.next_last = line
        elif word == "TKEEP":
            if len(tokens) != 2:
                raise self.fail(show(text), "TKEEP and one value", line)
            if self.next_keep is not None:
                raise self.fail("a second TKEEP line", "one before each data line", line)
            self.next_keep = tokens[1], line
        else:
            self.feed_data(tokens, line)

    def feed_time(self, tokens: list[str], line: int) -> None:
        if len(tokens) != 3:
            raise self.fail(show(" ".join(tokens)), "T, a whole number and a unit", line)
        if self.next_time is not None:
            raise self.fail("a second T line", "one before each data line", line)
        if self.timed is False:
            raise self.fail("a T line", "none, as the beats before have none", line)
        try:
            time = parse_time(tokens[1], tokens[2])
        except TokenError as error:
            raise self.fail(show(" ".join(tokens)), str(error), line) from None
        if time <= self.latest:
            raise self.fail(f"{time} ps after {self.latest} ps", "increasing times", line)
        self.latest = time
        self.next_time = time, line

    def feed_data(self, tokens: list[str], line: int) -> None:
        last = self.next_last > 0
        count = len(tokens)
        bits = []
        for token in tokens:
            try:
                bits.append(parse_part(token, self.kind))
            except TokenError as error:
                raise self.fail(show(token), str(error), line) from None
        if self.timed is None:
            self.timed = self.next_time is not None
        elif self.timed and self.next_time is None:
            raise self.fail("a data line without a T line", "a T line before every beat, as before the first", line)
        if not count_ok(count, self.full, last, self.kind):
            found = f"{count} number{'s' * (count != 1)}"
            expected = f"{count_text(self.full, last)} ({self.kind.name} on {self.width} bits)"
            if not self.lenient:
                raise self.fail(found, expected, line)
            # The line's own T, TLAST and TKEEP go with it.
            self.dropped.append((line, found, expected))
            self.clear()
            return
        keep = -1
        if self.next_keep is not None:
            token, at = self.next_keep
            try:
                keep = parse_keep(token, self.width // 8, last)
            except TokenError as error:
                raise self.fail(f"TKEEP {show(token)}", str(error), at) from None
            there = count * self.kind.part_bits // 8
            if keep >= 0 and keep % self.kind.bytes:
                raise self.fail(f"TKEEP {show(token)}", f"whole {self.kind.name} samples", at)
            if count < self.full and keep != there:
                raise self.fail(f"TKEEP {show(token)} for a line of {there} bytes", f"0x{(1 << there) - 1:X}", at)
        self.parts += bits
        self.big += [is_big(t) for t in tokens] if either_sign(self.kind) else []
        self.counts.append(count)
        self.last.append(last)
        self.keep.append(keep)
        self.line.append(line)
        if self.next_time is not None:
            self.time.append(self.next_time[0])
            self.time_line.append(self.next_time[1])
        self.clear()

    def finish(self) -> None:
        for line, word in self.waiting:
            raise self.fail(f"{word} with nothing after it", "a data line", line)


def read_beats(
    raw: bytes, kind: SampleType, width: int, *, lenient: bool, name: str | None, quick: bool = True
) -> tuple[Beats, tuple[Dropped, ...]]:
    """Beats of a PLIO text file, and the lines left out.

    Args:
        raw: the file.
        kind: sample type.
        width: port width in bits.
        lenient: drop lines with a wrong number of samples, as the vendor's simulator does.
        name: file name for messages.
        quick: leave plain blocks to the quick reader.

    Raises:
        InputError: the first line that is not as it should be.
    """
    tape = Tape(raw)
    scan = _Scan(kind, width, lenient, name)
    chunks: list[Beats] = []
    at, line = tape.begin, 1
    while at < tape.end:
        end = tape.cut(at)
        block = None
        if quick and not scan.waiting:
            block = quick_block(tape, at, end, line, kind, width, scan.timed, scan.latest)
        if block is not None:
            beats, at = block
            line = int(beats.line[-1]) + 1
            scan.timed = beats.time is not None
            scan.latest = -1 if beats.time is None else int(beats.time[-1])
        else:
            for content in tape.lines(at, end):
                scan.feed(decode_line(content, name, line), line)
                line += 1
            beats, at = scan.take(), end
        chunks.append(beats)
    scan.finish()
    return join(chunks or [scan.take()]), tuple(scan.dropped)
