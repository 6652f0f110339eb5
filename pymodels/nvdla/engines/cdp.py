# SPDX-License-Identifier: Apache-2.0
"""CDP, int8 and int16: local response normalisation over channels, by two lookup tables.

Each value is converted, squared and summed with its neighbours along the channels; the sum goes through both tables, one
of the two results is taken, multiplied with the value and converted. Source: public C model of nvdla/hw, branches nv_small and
nvdlav1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, cube_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed, wrap
from goldbeat.pymodels.nvdla.engines.configuration import INT8
from goldbeat.pymodels.nvdla.engines.elements import (
    bits,
    by_channel,
    by_surface,
    element_bytes,
    element_values,
    precision_of,
)
from goldbeat.pymodels.nvdla.engines.lookup import Lookup, Widths, lookup_from_registers
from goldbeat.pymodels.nvdla.engines.registers import Values

WIDTHS = Widths(result=16, fraction=16, slope=56, sum_rounded=False)
IN_EXTRA, PRODUCT_EXTRA, OUT_EXTRA = 1, 17, 34
"""Bits more than an element has: behind the input converter, in front of the output converter, and within it."""


@dataclass(frozen=True, eq=False)
class Cdp:
    """An operation without its DMA.

    Attributes:
        length: channels of the normalisation: 3, 5, 7 or 9.
        convert_in, convert_out: offset, scale and shift.
        lookup: the tables.
        squares: the sum of squares is looked up, not the value itself.
        multiply: the result is multiplied with the value.
        precision: of the elements.
    """

    length: int
    convert_in: tuple[int, int, int]
    convert_out: tuple[int, int, int]
    lookup: Lookup
    squares: bool = True
    multiply: bool = True
    precision: int = INT8

    def __call__(self, data: Ints) -> Ints:
        """(channels, ...) elements to elements; channels that are not there count as 0."""
        wide = bits(self.precision)
        offset, scale, shift = self.convert_in
        value = shift_right((data - signed(offset, wide)) * scale, shift, wide + PRODUCT_EXTRA, wide + IN_EXTRA)
        index = value
        if self.squares:
            reach = self.length // 2
            edge = np.zeros((reach, *value.shape[1:]), np.int64)
            squares = np.concatenate([edge, value * value, edge])
            index = sum((squares[i : i + len(value)] for i in range(self.length)), np.zeros_like(value))
        found = self.lookup(index)
        if self.multiply:
            found = wrap(found * value, wide + PRODUCT_EXTRA)
        offset, scale, shift = self.convert_out
        # int8 takes 25 bits of the offset's 32.
        away = signed(offset, 25 if self.precision == INT8 else 32)
        return shift_right((found - away) * scale, shift, wide + OUT_EXTRA, wide)


def cdp_from_registers(values: Values) -> Cdp:
    """The operation that a group of registers and the lookup tables describe.

    Raises:
        UsageError: the hardware, or this model, cannot do it, or the tables are not known.
    """
    precision = precision_of(values, "CDP", "D_DATA_FORMAT", "INPUT_DATA_TYPE")

    def converter(prefix: str) -> tuple[int, int, int]:
        offset, scale, shift = (values.get("CDP", f"D_{prefix}_{part}") for part in ("OFFSET", "SCALE", "SHIFTER"))
        return offset, signed(scale, 16), shift

    return Cdp(
        3 + 2 * values.get("CDP", "D_LRN_CFG", "NORMALZ_LEN"),
        converter("DATIN"),
        converter("DATOUT"),
        lookup_from_registers(values, "CDP", WIDTHS),
        not values.get("CDP", "D_FUNC_BYPASS", "SQSUM_BYPASS"),
        not values.get("CDP", "D_FUNC_BYPASS", "MUL_BYPASS"),
        precision,
    )


def check_cdp(values: Values) -> None:
    """Refuse modes that neither hardware nor model has, and a CDP_RDMA that reads other elements than CDP takes.

    Raises:
        UsageError: the field, its value, and why.
    """
    cdp_from_registers(values)
    found, wanted = (
        values.get(block, "D_DATA_FORMAT", field)
        for block, field in (("CDP_RDMA", "INPUT_DATA"), ("CDP", "INPUT_DATA_TYPE"))
    )
    if found != wanted:
        raise UsageError(f"CDP_RDMA.D_DATA_FORMAT.INPUT_DATA is {found}: CDP has {wanted}")


def run_cdp(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the operation.

    Args:
        values: the group's registers of CDP and CDP_RDMA, with lookup tables.
        memory: written to.
        incoming: None.

    Returns:
        (surfaces, height, width, lanes) the output; channels beyond the last one are worked out from the input offset.

    Raises:
        UsageError: the hardware, or this model, cannot do it.
        InputError: a cube lies outside of the memory.
    """
    operation = cdp_from_registers(values)
    width, height, channel = (values.get("CDP_RDMA", f"D_DATA_CUBE_{d}", d) + 1 for d in ("WIDTH", "HEIGHT", "CHANNEL"))
    wide = operation.precision
    lanes = values.configuration.lanes(wide)
    surfaces = -(-channel // lanes)
    source = cube_addresses(values, "CDP_RDMA", "D_SRC", (width, height, surfaces))
    data = by_channel(element_values(memory.read(source, values.configuration.atom), wide))
    data[channel:] = signed(operation.convert_in[0], bits(wide))
    out = by_surface(operation(data), lanes)
    target = cube_addresses(values, "CDP", "D_DST", (width, height, surfaces))
    memory.write(target, element_bytes(out, wide))
    return out
