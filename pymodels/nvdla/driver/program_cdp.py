# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a CDP operation. Source: nvdla/sw, ``kmd/firmware/cdp.c``."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.driver.driver_steps import (
    Context,
    Steps,
    ram_type,
    sizes,
    strides,
    unmask,
    write_address,
    write_fields,
    write_step,
)
from goldbeat.pymodels.nvdla.driver.lut import load_lut
from goldbeat.pymodels.nvdla.engines.configuration import FP16
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation


def program_cdp(context: Context, operation: NetworkOperation) -> Steps:
    """All writes before the enable."""
    yield from unmask("CDP")
    desc, source, target = operation.desc, operation.cubes["src_data"], operation.cubes["dst_data"]
    name = f"operation {operation.index} (CDP)"
    if source.on_the_fly or target.on_the_fly:
        raise context.fail(f"{name} with a cube on the fly", "both in memory")
    if desc["in_precision"] != desc["out_precision"]:
        raise context.fail(f"{name} from precision {desc['in_precision']} to {desc['out_precision']}", "no conversion")
    width, height, channel = sizes(source)
    line, surface = strides(source)
    block = "CDP_RDMA"
    yield write_step(block, "D_DATA_CUBE_WIDTH", width - 1)
    yield write_step(block, "D_DATA_CUBE_HEIGHT", height - 1)
    yield write_step(block, "D_DATA_CUBE_CHANNEL", channel - 1)
    yield from write_address(block, "D_SRC_BASE_ADDR", context.address(source, name))
    yield write_step(block, "D_SRC_LINE_STRIDE", line)
    yield write_step(block, "D_SRC_SURFACE_STRIDE", surface)
    yield write_step(block, "D_SRC_DMA_CFG", ram_type(source))
    yield write_step(block, "D_DATA_FORMAT", int(desc["in_precision"]))
    block = "CDP"
    if (index := int(desc["lut_index"])) >= 0:
        yield from load_lut(context, block, index, int(desc["in_precision"]))
    yield from write_address(block, "D_DST_BASE_ADDR", context.address(target, name))
    line, surface = strides(target)
    yield write_step(block, "D_DST_LINE_STRIDE", line)
    yield write_step(block, "D_DST_SURFACE_STRIDE", surface)
    yield write_step(block, "D_DST_DMA_CFG", ram_type(target))
    yield write_step(block, "D_DATA_FORMAT", int(desc["in_precision"]))
    yield write_step(block, "D_LRN_CFG", (int(desc["local_size"]) - 1) // 2 - 1)
    for register, cvt in (("DATIN", desc["in_cvt"]), ("DATOUT", desc["out_cvt"])):
        yield write_step(block, f"D_{register}_OFFSET", int(cvt["offset"]), raw=desc["in_precision"] == FP16)
        yield write_step(block, f"D_{register}_SCALE", int(cvt["scale"]))
        yield write_step(block, f"D_{register}_SHIFTER", int(cvt["truncate"]))
    bypass = {"SQSUM_BYPASS": bool(desc["bypass_sqsum"]), "MUL_BYPASS": bool(desc["bypass_out_mul"])}
    yield write_fields(block, "D_FUNC_BYPASS", **bypass)
