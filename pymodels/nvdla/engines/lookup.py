# SPDX-License-Identifier: Apache-2.0
"""Lookup tables of CDP and of SDP's element-wise stage: index, interpolation, what lies beyond their ends, and which one counts.

Source: public C model of nvdla/hw, branches nv_small and nvdlav1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.rounding import saturate

LE_ENTRIES, LO_ENTRIES = 65, 257
_FAR = 40
"""A fraction that is moved this far to the right is 0: distances have 38 bits at most."""


@dataclass(frozen=True)
class Widths:
    """How an engine's lookup tables work.

    Attributes:
        result: bits of a result.
        fraction: bits of the fraction between two entries.
        slope: bits of what is added beyond the ends.
        sum_rounded: the interpolated number is rounded as a whole, not just what is added to the lower entry.
    """

    result: int
    fraction: int
    slope: int
    sum_rounded: bool


@dataclass(frozen=True, eq=False)
class Table:
    """A lookup table with what lies beyond its ends.

    Attributes:
        widths: of the engine.
        entries: (65,) or (257,) 16-bit numbers.
        start, end: of its range.
        select: the index is ``(x - start) / 2**select``; None for the exponential table, whose index is
            ``floor(log2(x - start)) - offset``.
        offset: of the exponential table.
        bias: added to ``start`` where a number lies below the range.
        under, over: slopes outside of the range as (scale, shift): ``scale * distance / 2**shift``.
    """

    widths: Widths
    entries: Ints
    start: int
    end: int
    select: int | None
    offset: int
    bias: int
    under: tuple[int, int]
    over: tuple[int, int]

    def __call__(self, x: Ints) -> tuple[Ints, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """The result for each number, and where it lies below and above the range."""
        last = len(self.entries) - 1
        distance = x - self.start
        positive = np.maximum(distance, 1)
        if self.select is None:
            log = np.frexp(positive.astype(np.float64))[1].astype(np.int64) - 1
            index = log - self.offset
            whole = np.int64(1) << log
            fraction = self._fraction(positive - whole, log)
        else:
            if self.select < 0:
                # What is moved up never falls off the top: from a few steps on it is above the table.
                index = np.clip(distance, -1, LO_ENTRIES) << np.int64(min(-self.select, 40))
                fraction = np.zeros_like(x)
            else:
                near = min(self.select, 62)
                index = distance >> np.int64(near)
                rest = positive & ((np.int64(1) << np.int64(near)) - 1)
                fraction = self._fraction(rest, np.full_like(x, self.select))
        below = (index < 0) | (distance <= 0)
        above = ~below & (index >= last)
        at = np.clip(index, 0, last - 1)
        low, high = self.entries[at], self.entries[at + 1]
        added = (high - low) * fraction
        if self.widths.sum_rounded:
            inside = shift_right((low << np.int64(self.widths.fraction)) + added, self.widths.fraction, 62, 56)
        else:
            inside = low + shift_right(added, self.widths.fraction, 62, 56)
        under = self.entries[0] + self._slope(x - (self.start + self.bias), *self.under)
        over = self.entries[last] + self._slope(x - self.end, *self.over)
        found = np.where(below, under, np.where(above, over, inside))
        return saturate(found, self.widths.result), below, above

    def _fraction(self, rest: Ints, bits: Ints) -> Ints:
        """The top bits of ``bits`` bits behind the point."""
        wide = self.widths.fraction
        return np.where(bits > wide, rest >> np.clip(bits - wide, 0, _FAR), rest << np.maximum(wide - bits, 0))

    def _slope(self, distance: Ints, scale: int, shift: int) -> Ints:
        product = distance * scale
        if shift >= 0:
            return shift_right(product, shift, 62, self.widths.slope)
        # What is larger saturates behind the addition, however far it is shifted.
        limit = np.int64(1) << 40
        return saturate(np.clip(product, -limit, limit) << np.int64(-shift), self.widths.slope)


@dataclass(frozen=True, eq=False)
class Lookup:
    """Both tables and which one counts.

    Attributes:
        le, lo: the tables.
        priorities: whether the LO table is taken where both lie below, where both lie above, and else where both or none hit.
    """

    le: Table
    lo: Table
    priorities: tuple[bool, bool, bool]

    def __call__(self, x: Ints) -> Ints:
        """The result for each number."""
        le, le_below, le_above = self.le(x)
        lo, lo_below, lo_above = self.lo(x)
        le_hit, lo_hit = ~le_below & ~le_above, ~lo_below & ~lo_above
        prefer = np.select(
            [le_below & lo_below, le_above & lo_above, le_hit != lo_hit],
            [np.bool_(self.priorities[0]), np.bool_(self.priorities[1]), lo_hit],
            default=np.bool_(self.priorities[2]),
        )
        return np.where(prefer, lo, le)


def lookup_from_registers(values: Values, engine: str, widths: Widths) -> Lookup:
    """The tables of an engine, ``CDP`` or ``SDP``.

    Raises:
        UsageError: the tables are not known, or the hardware cannot use them so.
    """
    if values.luts is None:
        raise UsageError(f"{engine}: its lookup tables are not known")
    le, lo = (np.asarray(t, np.int64) for t in values.luts)
    if (len(le), len(lo)) != (LE_ENTRIES, LO_ENTRIES):
        raise UsageError(f"{engine}: tables of {len(le)} and {len(lo)} entries, expected {LE_ENTRIES} and {LO_ENTRIES}")
    ways = ("UFLOW", "OFLOW", "HYBRID")
    under, over, hybrid = (bool(values.get(engine, "S_LUT_CFG", f"LUT_{way}_PRIORITY")) for way in ways)
    tables = [_table(values, engine, name, widths, entries) for name, entries in (("LE", le), ("LO", lo))]
    return Lookup(tables[0], tables[1], (under, over, hybrid))


def _limit(values: Values, engine: str, name: str, end: str) -> int:
    if engine == "SDP":
        return signed(values.get(engine, f"S_LUT_{name}_{end}"), 32)
    high = values.get(engine, f"S_LUT_{name}_{end}_HIGH") & 0x3F
    return signed(high << 32 | values.get(engine, f"S_LUT_{name}_{end}_LOW"), 38)


def _table(values: Values, engine: str, name: str, widths: Widths, entries: Ints) -> Table:
    def slope(way: str) -> tuple[int, int]:
        scale = values.get(engine, f"S_LUT_{name}_SLOPE_SCALE", f"LUT_{name}_SLOPE_{way}_SCALE")
        shift = values.get(engine, f"S_LUT_{name}_SLOPE_SHIFT", f"LUT_{name}_SLOPE_{way}_SHIFT")
        return signed(scale, 16), signed(shift, 5)

    exponential = name == "LE" and not values.get(engine, "S_LUT_CFG", "LUT_LE_FUNCTION")
    raw = values.get(engine, "S_LUT_INFO", f"LUT_{name}_INDEX_SELECT")
    # CDP looks at six of its eight bits (NV_NVDLA_CDP_DP_LUT_CTRL_unit.v).
    select = None if exponential else signed(raw, 8 if engine == "SDP" else 6)
    offset = signed(values.get(engine, "S_LUT_INFO", "LUT_LE_INDEX_OFFSET"), 8)
    most = 31 if engine == "SDP" else 37
    if exponential and offset > most:
        raise UsageError(f"{engine}.S_LUT_INFO.LUT_LE_INDEX_OFFSET is {offset}, expected at most {most}")
    bias = 0
    if exponential:
        # SDP holds it in 32 bits, and has none for an offset of 0.
        bias = (signed(1 << offset, 32) if offset > 0 else 0) if engine == "SDP" else 1 << offset if offset >= 0 else 0
    start, end = (_limit(values, engine, name, one) for one in ("START", "END"))
    return Table(widths, entries, start, end, select, offset, bias, slope("UFLOW"), slope("OFLOW"))
