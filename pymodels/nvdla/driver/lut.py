# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a lookup table. Source: nvdla/sw, ``kmd/firmware/common.c``."""

from __future__ import annotations

from typing import Any

import numpy as np

from goldbeat.pymodels.nvdla.driver.driver_steps import Context, Steps, write_fields, write_step
from goldbeat.pymodels.nvdla.engines.configuration import FP16

EXPONENTIAL, LINEAR = 0, 1


def load_lut(context: Context, engine: str, index: int, precision: int) -> Steps:
    """65 entries of the LE table, 257 of the LO table, then how they are indexed and continued.

    Args:
        context: of the network.
        engine: ``SDP`` or ``CDP``; CDP's table limits have more bits.
        index: of the lookup table.
        precision: of the engine's input.
    """
    luts = context.network.luts
    if not 0 <= index < len(luts):
        there = f"0 to {len(luts) - 1}, those of the network" if len(luts) else "none: the network has no lookup tables"
        raise context.fail(f"lookup table {index}", there)
    lut = luts[index]
    for table, entries in ((0, lut["linear_exp_table"]), (1, lut["linear_only_table"])):
        yield write_fields(engine, "S_LUT_ACCESS_CFG", LUT_TABLE_ID=table, LUT_ACCESS_TYPE=1)
        for entry in entries.tolist():
            # The driver hands the entry over as a signed number.
            yield write_step(engine, "S_LUT_ACCESS_DATA", entry)
    yield write_fields(
        engine,
        "S_LUT_CFG",
        LUT_LE_FUNCTION=int(lut["method"]),
        LUT_HYBRID_PRIORITY=int(lut["hybrid_priority"]),
        LUT_UFLOW_PRIORITY=int(lut["underflow_priority"]),
        LUT_OFLOW_PRIORITY=int(lut["overflow_priority"]),
    )
    select = {"LUT_LO_INDEX_SELECT": int(lut["linear_only_offset"]["frac_bits"]) & 0xFF}
    if lut["method"] == EXPONENTIAL:
        select["LUT_LE_INDEX_OFFSET"] = int(lut["linear_exp_offset"]["exp_offset"]) & 0xFF
    else:
        select["LUT_LE_INDEX_SELECT"] = int(lut["linear_exp_offset"]["frac_bits"]) & 0xFF
    yield write_fields(engine, "S_LUT_INFO", **select)
    for name, field in (("LE", "linear_exp"), ("LO", "linear_only")):
        for end in ("start", "end"):
            value = int(lut[f"{field}_{end}"].astype(np.int64))
            register = f"S_LUT_{name}_{end.upper()}"
            if engine == "CDP":
                yield write_step(engine, f"{register}_LOW", value & 0xFFFFFFFF)
                yield write_step(engine, f"{register}_HIGH", value >> 32)
            else:
                yield write_step(engine, register, value)
    for name, field in (("LE", "linear_exp"), ("LO", "linear_only")):
        under, over = lut[f"{field}_underflow_slope"], lut[f"{field}_overflow_slope"]
        yield _slope(engine, name, "SCALE", under["scale"], over["scale"])
        if precision != FP16:
            yield _slope(engine, name, "SHIFT", under["shifter"], over["shifter"])


def _slope(engine: str, name: str, part: str, under: Any, over: Any) -> Any:
    fields = {
        f"LUT_{name}_SLOPE_UFLOW_{part}": int(under),
        f"LUT_{name}_SLOPE_OFLOW_{part}": int(over),
    }
    return write_fields(engine, f"S_LUT_{name}_SLOPE_{part}", **fields)
