# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a RUBIK operation. Source: nvdla/sw, ``kmd/firmware/rubik.c``."""

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
from goldbeat.pymodels.nvdla.engines.configuration import BYTES
from goldbeat.pymodels.nvdla.engines.rubik import MODES
from goldbeat.pymodels.nvdla.loadable.network import Cube, NetworkOperation

_BLOCK = "RBK"
_UNIT = 32


def program_rubik(context: Context, operation: NetworkOperation) -> Steps:
    """All writes before the enable."""
    desc, source, target = operation.desc, operation.cubes["src_data"], operation.cubes["dst_data"]
    name = f"operation {operation.index} (RUBIK)"
    code, precision = int(desc["mode"]), int(desc["precision"])
    if code >= len(MODES) or precision >= len(BYTES):
        raise context.fail(f"{name} of mode {code} and precision {precision}", "known ones")
    if source.on_the_fly or target.on_the_fly:
        raise context.fail(f"{name} with a cube on the fly", "both in memory")
    mode = MODES[code]
    yield from unmask("RUBIK")
    yield write_fields(_BLOCK, "D_MISC_CFG", RUBIK_MODE=code, IN_PRECISION=precision)
    yield write_step(_BLOCK, "D_DAIN_RAM_TYPE", ram_type(source))
    width, height, channel = sizes(source)
    yield write_fields(_BLOCK, "D_DATAIN_SIZE_0", DATAIN_WIDTH=width - 1, DATAIN_HEIGHT=height - 1)
    yield write_step(_BLOCK, "D_DATAIN_SIZE_1", channel - 1)
    yield from write_address(_BLOCK, "D_DAIN_ADDR", context.address(source, name))
    line, surface = strides(source)
    if mode == "merge":
        yield write_step(_BLOCK, "D_DAIN_PLANAR_STRIDE", _plane_stride(context, name, source))
    else:
        yield write_step(_BLOCK, "D_DAIN_SURF_STRIDE", surface)
    yield write_step(_BLOCK, "D_DAIN_LINE_STRIDE", line)
    yield write_step(_BLOCK, "D_DAOUT_RAM_TYPE", ram_type(target))
    out_channel = sizes(target)[2]
    yield write_step(_BLOCK, "D_DATAOUT_SIZE_1", out_channel - 1)
    yield from write_address(_BLOCK, "D_DAOUT_ADDR", context.address(target, name))
    out_line, out_surface = strides(target)
    yield write_step(_BLOCK, "D_DAOUT_LINE_STRIDE", out_line)
    if mode == "split":
        yield write_step(_BLOCK, "D_DAOUT_PLANAR_STRIDE", _plane_stride(context, name, target))
        return
    yield write_step(_BLOCK, "D_DAOUT_SURF_STRIDE", out_surface)
    if mode == "contract":
        atoms = -(-out_channel * BYTES[precision] // _UNIT)
        yield write_step(_BLOCK, "D_CONTRACT_STRIDE_0", atoms * surface)
        yield write_step(_BLOCK, "D_CONTRACT_STRIDE_1", int(desc["stride_y"]) * out_line)
        steps = {f"DECONV_{axis}_STRIDE": int(desc[f"stride_{axis.lower()}"]) - 1 for axis in "XY"}
        yield write_fields(_BLOCK, "D_DECONV_STRIDE", **steps)


def _plane_stride(context: Context, name: str, cube: Cube) -> int:
    plane = int(cube.record["plane_stride"])
    if not plane or plane % _UNIT:
        raise context.fail(f"{name} with plane_stride {plane}", f"a multiple of {_UNIT}")
    return plane
