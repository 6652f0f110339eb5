# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a convolution. Source: nvdla/sw, ``kmd/firmware/conv.c``."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.nvdla.driver.driver_steps import (
    Context,
    DriverStep,
    Steps,
    ram_type,
    read_step,
    sizes,
    strides,
    write_fields,
    write_step,
)
from goldbeat.pymodels.nvdla.engines.configuration import FP16
from goldbeat.pymodels.nvdla.engines.pixels import FORMATS, format_name
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, NetworkOperation

BLOCKS = ("CACC", "CMAC_A", "CMAC_B", "CSC", "CDMA")
"""In the order in which the driver goes through them."""
DIRECT = 0


def program_conv(context: Context, operation: NetworkOperation, group: int) -> Steps:
    """All steps before the enable: the group must be idle, then the blocks' registers."""
    _check(context, operation)
    for block in BLOCKS:
        status = yield read_step(block, "S_STATUS")
        if status >> (16 * group) & 0b11:
            raise context.fail(f"{block} group {group} busy (S_STATUS 0x{status:x})", "an idle group")
    yield from _cacc(context, operation)
    mode, out = int(operation.desc["conv_mode"]), int(operation.desc["out_precision"])
    for block in ("CMAC_A", "CMAC_B"):
        yield write_fields(block, "D_MISC_CFG", CONV_MODE=mode, PROC_PRECISION=out)
    yield from _csc(operation)
    yield from _cdma(context, operation)


def _name(operation: NetworkOperation) -> str:
    return f"operation {operation.index} (CONV)"


def _check(context: Context, operation: NetworkOperation) -> None:
    desc, name = operation.desc, _name(operation)
    if desc["weight_format"]:
        expected = f"plain ones: {context.configuration.subject} has no decompression"
        raise context.fail(f"{name} with compressed weights", expected)
    if desc["data_format"] > FEATURE or desc["pixel_mapping"]:
        raise context.fail(
            f"{name} of data format {desc['data_format']}, mapping {desc['pixel_mapping']}", "known ones"
        )
    if desc["data_format"] != FEATURE and int(desc["data_format"]) not in FORMATS:
        expected = f"one of {context.configuration.subject}: {', '.join(form.name for form in FORMATS.values())}"
        raise context.fail(f"{name} of pixel format {format_name(int(desc['data_format']))}", expected)
    if desc["out_cvt"]["scale"] != 1 or desc["out_cvt"]["offset"] != 0:
        raise context.fail(f"{name} with an output converter", "scale 1 and offset 0")


def _cacc(context: Context, operation: NetworkOperation) -> Steps:
    desc, target = operation.desc, operation.cubes["dst_data"]
    width, height, channel = sizes(target)
    line, surface = strides(target)
    block = "CACC"
    yield write_fields(block, "D_MISC_CFG", CONV_MODE=int(desc["conv_mode"]), PROC_PRECISION=int(desc["out_precision"]))
    yield write_fields(block, "D_DATAOUT_SIZE_0", DATAOUT_WIDTH=width - 1, DATAOUT_HEIGHT=height - 1)
    yield write_step(block, "D_DATAOUT_SIZE_1", channel - 1)
    address = context.address(target, _name(operation)) if target.entry is not None else 0
    yield write_step(block, "D_DATAOUT_ADDR", address & 0xFFFFFFFF)
    yield write_step(block, "D_BATCH_NUMBER", int(desc["batch"]) - 1)
    yield write_step(block, "D_LINE_STRIDE", line)
    yield write_step(block, "D_SURF_STRIDE", surface)
    packed = width == 1 and height == 1
    if packed and line != (atom := context.configuration.atom):
        raise context.fail(f"{_name(operation)}: line stride {line} of a 1 x 1 output", str(atom))
    yield write_fields(block, "D_DATAOUT_MAP", LINE_PACKED=packed, SURF_PACKED=packed)
    yield write_step(block, "D_CLIP_CFG", int(desc["out_cvt"]["truncate"]))


def _misc(block: str, operation: NetworkOperation, into: int) -> DriverStep:
    desc = operation.desc
    return write_fields(
        block,
        "D_MISC_CFG",
        CONV_MODE=int(desc["conv_mode"]),
        IN_PRECISION=into,
        PROC_PRECISION=int(desc["out_precision"]),
        DATA_REUSE=int(desc["data_reuse"]),
        WEIGHT_REUSE=int(desc["weight_reuse"]),
        SKIP_DATA_RLS=int(desc["skip_data_rls"]),
        SKIP_WEIGHT_RLS=int(desc["skip_weight_rls"]),
    )


def _csc(operation: NetworkOperation) -> Steps:
    desc, target = operation.desc, operation.cubes["dst_data"]
    width, height, channel = sizes(target)
    block = "CSC"

    yield _misc(block, operation, int(desc["out_precision"]))
    yield write_step(block, "D_DATAIN_FORMAT", int(desc["data_format"] != FEATURE))
    yield write_fields(
        block,
        "D_DATAIN_SIZE_EXT_0",
        DATAIN_WIDTH_EXT=_less(desc, "input_width_csc"),
        DATAIN_HEIGHT_EXT=_less(desc, "input_height_csc"),
    )
    yield write_step(block, "D_DATAIN_SIZE_EXT_1", _less(desc, "input_channel_csc"))
    yield write_step(block, "D_BATCH_NUMBER", _less(desc, "batch"))
    yield write_step(block, "D_POST_Y_EXTENSION", int(desc["post_extension"]))
    yield write_step(block, "D_ENTRY_PER_SLICE", _less(desc, "entry_per_slice"))
    yield write_step(block, "D_WEIGHT_FORMAT", int(desc["weight_format"]))
    yield write_fields(
        block,
        "D_WEIGHT_SIZE_EXT_0",
        WEIGHT_WIDTH_EXT=_less(desc, "kernel_width_csc"),
        WEIGHT_HEIGHT_EXT=_less(desc, "kernel_height_csc"),
    )
    yield write_fields(
        block, "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=_less(desc, "kernel_channel_csc"), WEIGHT_KERNEL=channel - 1
    )
    yield write_step(block, "D_WEIGHT_BYTES", int(operation.cubes["weight_data"].record["size"]))
    yield write_step(block, "D_WMB_BYTES", int(operation.cubes["wmb_data"].record["size"]))
    yield write_fields(
        block,
        "D_DATAOUT_SIZE_0",
        DATAOUT_WIDTH=_less(desc, "input_width_cmac"),
        DATAOUT_HEIGHT=_less(desc, "input_height_cmac"),
    )
    yield write_step(block, "D_DATAOUT_SIZE_1", channel - 1)
    yield write_step(block, "D_ATOMICS", width * height - 1)
    yield write_step(block, "D_RELEASE", _less(desc, "release"))
    direct = desc["conv_mode"] == DIRECT
    yield write_fields(
        block,
        "D_CONV_STRIDE_EXT",
        CONV_X_STRIDE_EXT=_less(desc, "conv_stride_x") if direct else 0,
        CONV_Y_STRIDE_EXT=_less(desc, "conv_stride_y") if direct else 0,
    )
    yield write_fields(
        block, "D_DILATION_EXT", X_DILATION_EXT=_less(desc, "dilation_x"), Y_DILATION_EXT=_less(desc, "dilation_y")
    )
    yield write_fields(
        block,
        "D_ZERO_PADDING",
        PAD_LEFT=int(desc["pad_x_left"]) if direct else 0,
        PAD_TOP=int(desc["pad_y_top"]) if direct else 0,
    )
    yield write_step(block, "D_ZERO_PADDING_VALUE", int(desc["pad_val"]) & 0xFFFF, raw=True)
    yield write_fields(block, "D_BANK", DATA_BANK=_less(desc, "data_bank"), WEIGHT_BANK=_less(desc, "weight_bank"))
    yield write_step(block, "D_PRA_CFG", int(desc["pra_truncate"]))


def _cdma(context: Context, operation: NetworkOperation) -> Steps:
    desc = operation.desc
    yield from _cdma_data(context, operation)
    yield from _cdma_weights(context, operation)
    yield from _cdma_conversion(desc)
    yield write_fields(
        "CDMA", "D_CONV_STRIDE", CONV_X_STRIDE=_less(desc, "conv_stride_x"), CONV_Y_STRIDE=_less(desc, "conv_stride_y")
    )
    yield write_fields(
        "CDMA",
        "D_ZERO_PADDING",
        PAD_LEFT=int(desc["pad_x_left"]),
        PAD_RIGHT=int(desc["pad_x_right"]),
        PAD_TOP=int(desc["pad_y_top"]),
        PAD_BOTTOM=int(desc["pad_y_bottom"]),
    )
    yield write_step("CDMA", "D_ZERO_PADDING_VALUE", int(desc["pad_val"]) & 0xFFFF, raw=True)
    yield write_fields("CDMA", "D_BANK", WEIGHT_BANK=_less(desc, "weight_bank"), DATA_BANK=_less(desc, "data_bank"))


def _less(desc: Any, field: str) -> int:
    """A number as registers hold it: less 1."""
    return int(desc[field]) - 1


def _cdma_address(high: str, low: str, address: int) -> Steps:
    yield write_step("CDMA", high, address >> 32)
    yield write_step("CDMA", low, address & 0xFFFFFFFF)


def _cdma_data(context: Context, operation: NetworkOperation) -> Steps:
    """Where the input is, and what it looks like."""
    desc, source = operation.desc, operation.cubes["src_data"]
    block = "CDMA"
    pixel = desc["data_format"] != FEATURE
    yield _misc(block, operation, int(desc["in_precision"]))
    yield write_fields(
        block,
        "D_DATAIN_FORMAT",
        DATAIN_FORMAT=pixel,
        PIXEL_FORMAT=int(desc["data_format"]) if pixel else 0,
        PIXEL_MAPPING=0,
        PIXEL_SIGN_OVERRIDE=int(desc["pixel_override"]),
    )
    width, height, depth = sizes(source)
    line, surface = strides(source)
    yield write_fields(block, "D_DATAIN_SIZE_0", DATAIN_WIDTH=width - 1, DATAIN_HEIGHT=height - 1)
    yield write_step(block, "D_DATAIN_SIZE_1", depth - 1)
    yield write_fields(
        block,
        "D_DATAIN_SIZE_EXT_0",
        DATAIN_WIDTH_EXT=_less(desc, "input_width_csc"),
        DATAIN_HEIGHT_EXT=_less(desc, "input_height_csc"),
    )
    base = context.address(source, _name(operation))
    yield write_step(block, "D_DAIN_RAM_TYPE", ram_type(source))
    yield from _cdma_address("D_DAIN_ADDR_HIGH_0", "D_DAIN_ADDR_LOW_0", base)
    yield from _cdma_address("D_DAIN_ADDR_HIGH_1", "D_DAIN_ADDR_LOW_1", base + int(operation.surface["offset_u"]))
    yield write_step(block, "D_LINE_STRIDE", line)
    yield write_step(block, "D_SURF_STRIDE", surface)
    yield write_step(block, "D_LINE_UV_STRIDE", int(operation.surface["in_line_uv_stride"]))
    packed = width * context.configuration.atom
    yield write_fields(block, "D_DAIN_MAP", LINE_PACKED=line == packed, SURF_PACKED=surface == packed * height)
    yield write_step(block, "D_BATCH_NUMBER", _less(desc, "batch"))
    yield write_step(block, "D_BATCH_STRIDE", int(desc["batch_stride"]))
    yield write_step(block, "D_ENTRY_PER_SLICE", _less(desc, "entry_per_slice"))
    yield write_step(block, "D_FETCH_GRAIN", _less(desc, "fetch_grain"))


def _cdma_weights(context: Context, operation: NetworkOperation) -> Steps:
    desc, weights = operation.desc, operation.cubes["weight_data"]
    channel = sizes(operation.cubes["dst_data"])[2]
    yield write_step("CDMA", "D_WEIGHT_FORMAT", int(desc["weight_format"]))
    yield write_step("CDMA", "D_WEIGHT_SIZE_0", _less(desc, "bytes_per_kernel"))
    yield write_step("CDMA", "D_WEIGHT_SIZE_1", channel - 1)
    yield write_step("CDMA", "D_WEIGHT_RAM_TYPE", ram_type(weights))
    at = context.address(weights, _name(operation)) if weights.entry is not None else 0
    yield from _cdma_address("D_WEIGHT_ADDR_HIGH", "D_WEIGHT_ADDR_LOW", at)
    yield write_step("CDMA", "D_WEIGHT_BYTES", int(weights.record["size"]))


def _cdma_conversion(desc: Any) -> Steps:
    """What is taken from every value of the input, and how it becomes an operand."""
    block = "CDMA"
    yield write_step(block, "D_MEAN_FORMAT", int(desc["mean_format"]))
    if desc["mean_format"] == 1:
        ry, gu, bv, ax = (int(desc[f"mean_{c}"]) & 0xFFFF for c in ("ry", "gu", "bv", "ax"))
        yield write_fields(block, "D_MEAN_GLOBAL_0", MEAN_RY=ry, MEAN_GU=gu)
        yield write_fields(block, "D_MEAN_GLOBAL_1", MEAN_BV=bv, MEAN_AX=ax)
    convert = desc["in_cvt"]
    if convert["enable"]:
        yield write_fields(block, "D_CVT_CFG", CVT_EN=1, CVT_TRUNCATE=int(convert["truncate"]))
        yield write_step(block, "D_CVT_OFFSET", int(convert["offset"]), raw=desc["in_precision"] == FP16)
        yield write_step(block, "D_CVT_SCALE", int(convert["scale"]))
    else:
        yield write_step(block, "D_CVT_CFG", 0)
