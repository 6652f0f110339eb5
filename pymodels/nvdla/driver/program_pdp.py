# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a PDP operation. Source: nvdla/sw, ``kmd/firmware/pdp.c``."""

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
from goldbeat.pymodels.nvdla.engines.configuration import FP16
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation

MAX_SPLIT = 64
RECIPROCAL = (0x10000, 0x8000, 0x5555, 0x4000, 0x3333, 0x2AAA, 0x2492, 0x2000)
"""65536 / 1 to 65536 / 8, rounded down."""
RECIPROCAL_FP16 = (0x7C00, 0x7800, 0x7555, 0x7400, 0x7266, 0x7155, 0x7092, 0x7000)


def pdp_needs_rdma(operation: NetworkOperation) -> bool:
    """Whether the read DMA takes part."""
    return not operation.cubes["src_data"].on_the_fly


def program_pdp(context: Context, operation: NetworkOperation) -> Steps:
    """All writes before the enable."""
    yield from unmask("PDP")
    desc, source, target = operation.desc, operation.cubes["src_data"], operation.cubes["dst_data"]
    _check(context, operation)
    name = f"operation {operation.index} (PDP)"
    base = 0 if source.on_the_fly else context.address(source, name)
    precision, split = int(desc["precision"]), int(desc["split_num"])
    width, height, channel = sizes(source)
    line, surface = strides(source)
    if not source.on_the_fly:
        yield from _rdma(operation, base)
    block = "PDP"
    yield write_step(block, "D_DATA_CUBE_IN_WIDTH", width - 1)
    yield write_step(block, "D_DATA_CUBE_IN_HEIGHT", height - 1)
    yield write_step(block, "D_DATA_CUBE_IN_CHANNEL", channel - 1)
    out_width, out_height, out_channel = sizes(target)
    yield write_step(block, "D_DATA_CUBE_OUT_WIDTH", out_width - 1)
    yield write_step(block, "D_DATA_CUBE_OUT_HEIGHT", out_height - 1)
    yield write_step(block, "D_DATA_CUBE_OUT_CHANNEL", out_channel - 1)
    yield write_fields(
        block,
        "D_OPERATION_MODE_CFG",
        POOLING_METHOD=int(desc["pool_mode"]),
        FLYING_MODE=not source.on_the_fly,
        SPLIT_NUM=split - 1,
    )
    yield write_fields(block, "D_PARTIAL_WIDTH_IN", **_partial(operation, "IN"))
    yield write_fields(block, "D_PARTIAL_WIDTH_OUT", **_partial(operation, "OUT"))
    yield write_fields(
        block,
        "D_POOLING_KERNEL_CFG",
        KERNEL_WIDTH=int(desc["pool_width"]),
        KERNEL_HEIGHT=int(desc["pool_height"]),
        KERNEL_STRIDE_WIDTH=int(desc["stride_x"]) - 1,
        KERNEL_STRIDE_HEIGHT=int(desc["stride_y"]) - 1,
    )
    reciprocal = RECIPROCAL_FP16 if precision == FP16 else RECIPROCAL
    yield write_step(block, "D_RECIP_KERNEL_WIDTH", reciprocal[int(desc["pool_width"])])
    yield write_step(block, "D_RECIP_KERNEL_HEIGHT", reciprocal[int(desc["pool_height"])])
    pads = {f"PAD_{side}": int(desc[f"pad_{side.lower()}"]) for side in ("LEFT", "RIGHT", "TOP", "BOTTOM")}
    yield write_fields(block, "D_POOLING_PADDING_CFG", **pads)
    for i, value in enumerate(desc["padding_value"].tolist(), start=1):
        yield write_step(block, f"D_POOLING_PADDING_VALUE_{i}_CFG", value, raw=precision == FP16)
    if not source.on_the_fly:
        yield write_step(block, "D_SRC_LINE_STRIDE", line)
        yield write_step(block, "D_SRC_SURFACE_STRIDE", surface)
    # An absent destination is written as address 0, as the driver does.
    out = context.address(target, name) if target.entry is not None else 0
    yield from write_address(block, "D_DST_BASE_ADDR", out)
    out_line, out_surface = strides(target)
    yield write_step(block, "D_DST_LINE_STRIDE", out_line)
    yield write_step(block, "D_DST_SURFACE_STRIDE", out_surface)
    yield write_step(block, "D_DST_RAM_CFG", ram_type(target))
    yield write_step(block, "D_DATA_FORMAT", precision)


def _rdma(operation: NetworkOperation, base: int) -> Steps:
    """What the reader of the input is told."""
    desc, source = operation.desc, operation.cubes["src_data"]
    width, height, channel = sizes(source)
    line, surface = strides(source)
    block = "PDP_RDMA"
    yield write_step(block, "D_DATA_CUBE_IN_WIDTH", width - 1)
    yield write_step(block, "D_DATA_CUBE_IN_HEIGHT", height - 1)
    yield write_step(block, "D_DATA_CUBE_IN_CHANNEL", channel - 1)
    yield from write_address(block, "D_SRC_BASE_ADDR", base, high_first=True)
    yield write_step(block, "D_SRC_LINE_STRIDE", line)
    yield write_step(block, "D_SRC_SURFACE_STRIDE", surface)
    yield write_step(block, "D_DATA_FORMAT", int(desc["precision"]))
    yield write_step(block, "D_SRC_RAM_CFG", ram_type(source))
    yield write_step(block, "D_OPERATION_MODE_CFG", int(desc["split_num"]) - 1)
    yield write_fields(
        block,
        "D_POOLING_KERNEL_CFG",
        KERNEL_WIDTH=int(desc["pool_width"]),
        KERNEL_STRIDE_WIDTH=int(desc["stride_x"]) - 1,
    )
    yield write_step(block, "D_POOLING_PADDING_CFG", int(desc["pad_left"]))
    yield write_fields(block, "D_PARTIAL_WIDTH_IN", **_partial(operation, "IN"))


def _partial(operation: NetworkOperation, way: str) -> dict[str, int]:
    prefix = "partial_in_width" if way == "IN" else "partial_width"
    found = {}
    for part in ("FIRST", "MID", "LAST"):
        width = int(operation.desc[f"{prefix}_{part.lower()}"])
        found[f"PARTIAL_WIDTH_{way}_{part}"] = max(width - 1, 0)
    return found


def _check(context: Context, operation: NetworkOperation) -> None:
    desc = operation.desc
    what = f"operation {operation.index} (PDP)"
    if operation.cubes["dst_data"].on_the_fly:
        raise context.fail(f"{what} with a destination on the fly", "one in memory")
    for name in ("stride_x", "stride_y"):
        if not 1 <= desc[name] <= 8:
            raise context.fail(f"{what} with {name} {desc[name]}", "1..8")
    for name, most in (
        ("precision", 2),
        ("pool_width", 7),
        ("pool_height", 7),
        ("pool_mode", 2),
        ("split_num", MAX_SPLIT),
    ):
        if desc[name] > most:
            raise context.fail(f"{what} with {name} {desc[name]}", f"at most {most}")
    if operation.cubes["src_data"].on_the_fly and desc["split_num"] != 1:
        raise context.fail(f"{what} on the fly with split_num {desc['split_num']}", "1")
