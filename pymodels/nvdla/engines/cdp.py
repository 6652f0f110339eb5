# SPDX-License-Identifier: Apache-2.0
"""CDP of nv_small, int8: local response normalisation over channels, by two lookup tables.

Each value is converted, squared and summed with its neighbours along the channels; the sum goes through both tables, one
of the two results is taken, multiplied with the value and converted. Source: public C model of nvdla/hw, branch nv_small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import ATOM, AddressSpace, cube_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed, wrap
from goldbeat.pymodels.nvdla.engines.registers import Values

IN_BITS, LUT_BITS, PRODUCT_BITS = 9, 16, 25
"""Widths behind the input converter, of table entries and results, and in front of the output converter."""
FRACTION_BITS = 16
LE_ENTRIES, LO_ENTRIES = 65, 257


@dataclass(frozen=True, eq=False)
class Table:
    """A lookup table with what lies beyond its ends.

    Attributes:
        entries: (65,) or (257,) 16-bit numbers.
        start, end: of its range.
        select: the index is ``(x - start) / 2**select``; None for the exponential table, whose index is
            ``floor(log2(x - start)) - offset``.
        offset: of the exponential table.
        under, over: slopes outside of the range as (scale, shift): ``scale * distance / 2**shift``.
    """

    entries: Ints
    start: int
    end: int
    select: int | None
    offset: int
    under: tuple[int, int]
    over: tuple[int, int]

    def __call__(self, x: Ints) -> tuple[Ints, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """The 16-bit result for each number, and where it lies below and above the range."""
        last = len(self.entries) - 1
        distance = x - self.start
        positive = np.maximum(distance, 1)
        if self.select is None:
            log = np.frexp(positive.astype(np.float64))[1].astype(np.int64) - 1
            index = log - self.offset
            whole = np.int64(1) << log
            fraction = _to_fraction(positive - whole, log)
            base = self.start + (1 << self.offset if self.offset >= 0 else 0)
        else:
            base = self.start
            if self.select < 0:
                # What is moved up never falls off the top: from a few steps on it is above the table.
                index = np.clip(distance, -1, LO_ENTRIES) << np.int64(-self.select)
                fraction = np.zeros_like(x)
            else:
                index = distance >> np.int64(self.select)
                rest = positive & ((np.int64(1) << np.int64(self.select)) - 1)
                fraction = _to_fraction(rest, np.full_like(x, self.select))
        below = (index < 0) | (distance <= 0)
        above = ~below & (index >= last)
        at = np.clip(index, 0, last - 1)
        low, high = self.entries[at], self.entries[at + 1]
        inside = low + shift_right((high - low) * fraction, FRACTION_BITS, 62, 56)
        under = self.entries[0] + _slope(x - base, *self.under)
        over = self.entries[last] + _slope(x - self.end, *self.over)
        found = np.where(below, under, np.where(above, over, inside))
        return np.clip(found, -(1 << 15), (1 << 15) - 1), below, above


def _to_fraction(rest: Ints, bits: Ints) -> Ints:
    """The top 16 of ``bits`` bits behind the point."""
    return np.where(bits > FRACTION_BITS, rest >> np.maximum(bits - FRACTION_BITS, 0), rest << np.maximum(16 - bits, 0))


def _slope(distance: Ints, scale: int, shift: int) -> Ints:
    product = distance * scale
    if shift >= 0:
        return shift_right(product, shift, 62, 56)
    # What is larger saturates behind the addition, however far it is shifted.
    limit = np.int64(1) << 40
    return np.clip(product, -limit, limit) << np.int64(-shift)


@dataclass(frozen=True, eq=False)
class Cdp:
    """An operation without its DMA.

    Attributes:
        length: channels of the normalisation: 3, 5, 7 or 9.
        convert_in, convert_out: offset, scale and shift.
        le, lo: the tables.
        priorities: whether the LO table is taken where both lie below, where both lie above, and else where both or none hit.
        squares: the sum of squares is looked up, not the value itself.
        multiply: the result is multiplied with the value.
    """

    length: int
    convert_in: tuple[int, int, int]
    convert_out: tuple[int, int, int]
    le: Table
    lo: Table
    priorities: tuple[bool, bool, bool]
    squares: bool = True
    multiply: bool = True

    def __call__(self, data: Ints) -> Ints:
        """(channels, ...) int8 values to int8 values; channels that are not there count as 0."""
        offset, scale, shift = self.convert_in
        value = shift_right((data - signed(offset, 8)) * scale, shift, PRODUCT_BITS, IN_BITS)
        index = value
        if self.squares:
            reach = self.length // 2
            edge = np.zeros((reach, *value.shape[1:]), np.int64)
            squares = np.concatenate([edge, value * value, edge])
            index = sum((squares[i : i + len(value)] for i in range(self.length)), np.zeros_like(value))
        le, le_below, le_above = self.le(index)
        lo, lo_below, lo_above = self.lo(index)
        le_hit, lo_hit = ~le_below & ~le_above, ~lo_below & ~lo_above
        prefer = np.select(
            [le_below & lo_below, le_above & lo_above, le_hit != lo_hit],
            [np.bool_(self.priorities[0]), np.bool_(self.priorities[1]), lo_hit],
            default=np.bool_(self.priorities[2]),
        )
        found = np.where(prefer, lo, le)
        if self.multiply:
            found = wrap(found * value, PRODUCT_BITS)
        offset, scale, shift = self.convert_out
        return shift_right((found - signed(offset, PRODUCT_BITS)) * scale, shift, 42, 8)


def _table(values: Values, name: str, entries: Ints) -> Table:
    def limit(end: str) -> int:
        high = values.get("CDP", f"S_LUT_{name}_{end}_HIGH") & 0x3F
        return signed(high << 32 | values.get("CDP", f"S_LUT_{name}_{end}_LOW"), 38)

    def slope(way: str) -> tuple[int, int]:
        scale = values.get("CDP", f"S_LUT_{name}_SLOPE_SCALE", f"LUT_{name}_SLOPE_{way}_SCALE")
        return signed(scale, 16), signed(
            values.get("CDP", f"S_LUT_{name}_SLOPE_SHIFT", f"LUT_{name}_SLOPE_{way}_SHIFT"), 5
        )

    exponential = name == "LE" and not values.get("CDP", "S_LUT_CFG", "LUT_LE_FUNCTION")
    raw = values.get("CDP", "S_LUT_INFO", f"LUT_{name}_INDEX_SELECT")
    # The hardware looks at six of its eight bits (NV_NVDLA_CDP_DP_LUT_CTRL_unit.v).
    select = None if exponential else signed(raw, 6)
    offset = signed(values.get("CDP", "S_LUT_INFO", "LUT_LE_INDEX_OFFSET"), 8)
    if exponential and offset > 37:
        raise UsageError(f"CDP.S_LUT_INFO.LUT_LE_INDEX_OFFSET is {offset}, expected at most 37")
    return Table(entries, limit("START"), limit("END"), select, offset, slope("UFLOW"), slope("OFLOW"))


def cdp_from_registers(values: Values) -> Cdp:
    """The operation that a group of registers and the lookup tables describe.

    Raises:
        UsageError: nv_small cannot do it, or the tables are not known.
    """
    if found := values.get("CDP", "D_DATA_FORMAT", "INPUT_DATA_TYPE"):
        raise UsageError(f"CDP.D_DATA_FORMAT.INPUT_DATA_TYPE is {found}: nv_small knows int8 only")
    if values.luts is None:
        raise UsageError("CDP: its lookup tables are not known")
    le, lo = (np.asarray(t, np.int64) for t in values.luts)
    if (len(le), len(lo)) != (LE_ENTRIES, LO_ENTRIES):
        raise UsageError(f"CDP: tables of {len(le)} and {len(lo)} entries, expected {LE_ENTRIES} and {LO_ENTRIES}")

    def converter(prefix: str) -> tuple[int, int, int]:
        offset, scale, shift = (values.get("CDP", f"D_{prefix}_{part}") for part in ("OFFSET", "SCALE", "SHIFTER"))
        return offset, signed(scale, 16), shift

    priority = tuple(
        bool(values.get("CDP", "S_LUT_CFG", f"LUT_{way}_PRIORITY")) for way in ("UFLOW", "OFLOW", "HYBRID")
    )
    return Cdp(
        3 + 2 * values.get("CDP", "D_LRN_CFG", "NORMALZ_LEN"),
        converter("DATIN"),
        converter("DATOUT"),
        _table(values, "LE", le),
        _table(values, "LO", lo),
        (priority[0], priority[1], priority[2]),
        not values.get("CDP", "D_FUNC_BYPASS", "SQSUM_BYPASS"),
        not values.get("CDP", "D_FUNC_BYPASS", "MUL_BYPASS"),
    )


def run_cdp(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the operation.

    Args:
        values: the group's registers of CDP and CDP_RDMA, with lookup tables.
        memory: written to.
        incoming: None.

    Returns:
        (surfaces, height, width, 8) the int8 output; channels beyond the last one are worked out from the input offset.

    Raises:
        UsageError: nv_small cannot do it.
        InputError: a cube lies outside of the memory.
    """
    operation = cdp_from_registers(values)
    width, height, channel = (values.get("CDP_RDMA", f"D_DATA_CUBE_{d}", d) + 1 for d in ("WIDTH", "HEIGHT", "CHANNEL"))
    surfaces = -(-channel // ATOM)
    source = cube_addresses(values, "CDP_RDMA", "D_SRC", (width, height, surfaces))
    atoms = memory.read(source).view(np.int8).astype(np.int64)
    data = atoms.transpose(0, 3, 1, 2).reshape(surfaces * ATOM, height, width)
    data[channel:] = signed(operation.convert_in[0], 8)
    out = operation(data).reshape(surfaces, ATOM, height, width).transpose(0, 2, 3, 1)
    target = cube_addresses(values, "CDP", "D_DST", (width, height, surfaces))
    memory.write(target, np.ascontiguousarray(out.astype(np.int8)).view(np.uint8))
    return out
