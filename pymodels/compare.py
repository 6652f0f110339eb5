# SPDX-License-Identifier: Apache-2.0
"""Comparing two traces, and saying readably where they part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.samples import SampleType
from goldbeat.pymodels.tolerance import Tolerance
from goldbeat.pymodels.trace import Time, Trace

Cycles = Literal["both", "got", "none"]
"""Whose cycles mean something: those of both traces, of what came out alone, or of neither."""

_NEIGHBOURS = 3
_BLOCK = 1 << 18
"""Beats that are compared at once."""
_HEADER = 4
"""Bytes of a packet header."""


@dataclass(frozen=True)
class Mismatch:
    """The first beat in which two traces differ.

    Attributes:
        what: ``width``, ``data``, ``keep``, ``last``, ``time``, a sideband's name, ``missing`` (expected, never came)
            or ``extra``.
        beat: index of the beat.
        expected, got: that column's values, as text.
        cycle_expected, cycle_got: cycles, None where there is no such beat, or where its cycle means nothing.
    """

    what: str
    beat: int
    expected: str
    got: str
    cycle_expected: int | None
    cycle_got: int | None


@dataclass(frozen=True)
class Comparison:
    """What :func:`compare` found.

    Attributes:
        compared: beats that stand in both traces and were looked at.
        mismatches: how many beats differ, missing and extra ones included.
        first: the first difference, None when equal.
        context: the neighbourhood of the first difference, one line a beat.
        cycles: whose cycles are shown.
        tolerated: values that differ, but within the tolerance.
        worst: the largest difference among all values; None without a tolerance.
    """

    compared: int
    mismatches: int
    first: Mismatch | None
    context: str
    cycles: Cycles = "both"
    tolerated: int = 0
    worst: float | None = None

    @property
    def equal(self) -> bool:
        """True when nothing differs."""
        return self.first is None

    def text(self, port: str = "", unit: str = "beat") -> str:
        """The whole story for a person; empty when equal. ``unit``: what a beat of the traces is."""
        if self.first is None:
            return ""
        f = self.first
        name = f"port {port}, " if port else ""
        what = f"{f.what} {unit}" if f.what in ("missing", "extra") else f"{f.what} differs"
        head = f"{name}{unit} {f.beat}: {what}: expected {f.expected}, got {f.got}"
        cycles = _cycles_text(f, self.cycles)
        return f"{head}{cycles}; {self.mismatches} {unit}(s) differ in all\n{self.context}"


@dataclass(frozen=True)
class Near:
    """A tolerance for the values of a stream.

    Attributes:
        kind: sample type.
        tolerance: how far values may lie apart.
        packets: the first 32-bit word of each frame is a packet header, and compared bit by bit.
    """

    kind: SampleType
    tolerance: Tolerance
    packets: bool = False

    def weigh(self, expected: Trace, got: Trace) -> tuple[npt.NDArray[np.bool_], int, float]:
        """Of traces of equal shape: (n,) which beats are too far off; values that are off but tolerated; the worst one."""
        self.tolerance.check(self.kind)
        bits = (expected.data != got.data) & expected.data_bytes
        far = np.zeros(len(expected), np.bool_)
        rows = np.flatnonzero(bits.any(axis=1))
        if not len(rows):
            return far, 0, 0.0
        a, b = (self.kind.unpack(t.data[rows]).reshape(len(rows), -1) for t in (expected, got))
        step = max(1, self.kind.part_bits // 8)
        there = np.repeat(expected.data_bytes[rows][:, ::step], 2 if self.kind.part_bits < 8 else 1, axis=1)
        bad, off = self.tolerance.far(a, b, self.kind)
        bad, off = bad & there, np.where(there, off, 0.0)
        if self.packets:
            starts = np.concatenate([[True], expected.last[:-1]])[rows]
            header = max(1, 32 // self.kind.part_bits)
            bad[starts, 0] |= bits[rows][starts, :_HEADER].any(axis=1)
            off[starts, :header] = 0.0
        far[rows] = bad.any(axis=1)
        return far, int(np.count_nonzero((off > 0) & ~bad)), float(off.max())


def _cycles_text(first: Mismatch, cycles: Cycles) -> str:
    if cycles == "none":
        return ""
    if cycles == "got":
        return "" if first.cycle_got is None else f" (in cycle {first.cycle_got})"
    return f" (cycle expected {_or(first.cycle_expected)}, got {_or(first.cycle_got)})"


def _or(value: int | None) -> str:
    return "none" if value is None else str(value)


def beat_hex(trace: Trace, beat: int) -> str:
    """The data of a beat in hexadecimal, high byte first: ``--`` for bytes that are not kept, ``..`` for position bytes."""
    one = trace[beat : beat + 1]
    cells = zip(one.data[0, ::-1], one.keep[0, ::-1], one.data_bytes[0, ::-1], strict=True)
    return "".join(f"{b:02x}" if held else ".." if kept else "--" for b, kept, held in cells)


def _row(trace: Trace, beat: int, *, cycle: bool) -> str:
    if not 0 <= beat < len(trace):
        return "-"
    one = trace[beat : beat + 1]
    when = f" @{one.cycle[0]}" if cycle else ""
    side = "".join(f" {name}={getattr(one, name)[0]}" for name in trace.sides)
    return f"{beat_hex(one, 0)}{' TLAST' if one.last[0] else ''}{when}{side}"


def _context(expected: Trace, got: Trace, beat: int, cycles: Cycles) -> str:
    end = max(len(expected), len(got))
    rows = []
    for i in range(max(0, beat - _NEIGHBOURS), min(end, beat + _NEIGHBOURS + 1)):
        mark = ">" if i == beat else " "
        shown = _row(expected, i, cycle=cycles == "both"), _row(got, i, cycle=cycles != "none")
        rows.append((f"{mark} {i:>7}", *shown))
    wide = max([8, *(len(r[1]) for r in rows)])
    at = "" if cycles == "none" else ", @cycle"
    head = f"     beat  {'expected':<{wide}}  got   (data in hex, high byte first, -- = not kept{at})"
    return "\n".join([head, *(f"{a}  {b:<{wide}}  {c}" for a, b, c in rows)])


def compare(
    expected: Trace,
    got: Trace,
    *,
    time: Time = "exact",
    tlast: bool = True,
    cycles: Cycles = "both",
    near: Near | None = None,
) -> Comparison:
    """Compare two traces beat by beat.

    Data are compared where the expected keep is set; keep, last and the sidebands (that ``expected`` has) everywhere.
    Times are compared in picoseconds, so traces on different clocks are compared rightly.

    Args:
        expected: what the golden model (or the reference file) says.
        got: what came out.
        time: ``"exact"``, ``"ignore"``, or a tolerance in picoseconds.
        cycles: whose cycles a mismatch shows; without ``"both"`` there are no times to compare.
        tlast: compare TLAST.
        near: how far values may lie apart, and of which type they are; None: data are compared bit by bit.

    Raises:
        UsageError: a negative time tolerance, or a tolerance that the type does not have.
    """
    if isinstance(time, int) and time < 0:
        raise UsageError(f"a time tolerance of {time} ps is negative")
    if expected.width != got.width:
        first = Mismatch("width", 0, f"{expected.width} bit", f"{got.width} bit", None, None)
        return Comparison(0, max(len(expected), len(got), 1), first, "")
    n = min(len(expected), len(got))
    # In blocks, so that a long run takes no more memory than its traces; a tolerance looks at frames as a whole.
    block = _BLOCK if near is None else max(1, n)
    total, beat, what = abs(len(expected) - len(got)), n, ""
    tolerated, worst = 0, None
    for start in range(0, n, block):
        a, b = expected[start : min(n, start + block)], got[start : min(n, start + block)]
        columns = a.differences(b, time=time, tlast=tlast)
        if near is not None:
            far, tolerated, worst = near.weigh(a, b)
            columns[0] = ("data", far)
        bad = np.logical_or.reduce([rows for _, rows in columns])
        total += int(np.count_nonzero(bad))
        if beat == n and bad.any():
            at = int(np.argmax(bad))
            beat, what = start + at, next(name for name, rows in columns if rows[at])
    if near is not None and worst is None:
        worst = 0.0
    if total == 0:
        return Comparison(n, 0, None, "", cycles, tolerated, worst)
    if beat == n:
        what, values = _one_sided(expected, got, cycles)
    else:
        values = (_show(expected[beat : beat + 1], what), _show(got[beat : beat + 1], what))
    wanted = _cycle(expected, beat) if cycles == "both" else None
    found = _cycle(got, beat) if cycles != "none" else None
    first = Mismatch(what, beat, *values, wanted, found)
    return Comparison(n, total, first, _context(expected, got, beat, cycles), cycles, tolerated, worst)


def _one_sided(expected: Trace, got: Trace, cycles: Cycles) -> tuple[str, tuple[str, str]]:
    """The first beat that only one of two traces has: what is wrong, and what either says."""
    n, left = min(len(expected), len(got)), abs(len(expected) - len(got))
    if len(got) < len(expected):
        return "missing", (_row(expected, n, cycle=cycles == "both"), f"nothing ({left} beat(s) missing)")
    return "extra", (f"nothing ({left} beat(s) too many)", _row(got, n, cycle=cycles != "none"))


def _cycle(trace: Trace, beat: int) -> int | None:
    return int(trace[beat : beat + 1].cycle[0]) if beat < len(trace) else None


def _show(beat: Trace, what: str) -> str:
    """A column of one beat, as text."""
    if what == "data":
        return beat_hex(beat, 0)
    if what == "keep":
        return "".join("1" if k else "0" for k in beat.keep[0][::-1])
    if what == "time":
        return f"{beat.time_ps[0]} ps"
    column: Any = getattr(beat, what)
    return "none" if column is None else str(int(column[0]))


def assert_equal(got: Trace, expected: Trace, *, time: Time = "exact", tlast: bool = True, name: str = "") -> None:
    """Demand that two traces are equal.

    Args:
        got: what came out.
        expected: what it should be.
        time: ``"exact"``, ``"ignore"``, or a tolerance in picoseconds.
        tlast: compare TLAST.
        name: of the port, for the message.

    Raises:
        AssertionError: they are not, with the first difference and its neighbours; or there is no beat to compare.
    """
    found = compare(expected, got, time=time, tlast=tlast, cycles="none" if time == "ignore" else "both")
    if not found.equal:
        raise AssertionError(found.text(name))
    if not found.compared:
        raise AssertionError("no beat to compare")
