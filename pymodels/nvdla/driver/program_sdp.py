# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of an SDP operation. Source: nvdla/sw, ``kmd/firmware/sdp.c``."""

from __future__ import annotations

from typing import Any

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
from goldbeat.pymodels.nvdla.engines.configuration import FP16, INT8, INT16
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation

NONE, MUL, ADD, BOTH = range(4)
PER_LAYER, PER_KERNEL = 0, 1
RELU, LUT, PRELU = 1, 2, 3
WINOGRAD = 1

_DATA_USE = (0, 0, 1, 2)
_DATA_MODE = (1, 0, 1)
_UNITS = (("x1", "BRDMA", "BS"), ("x2", "NRDMA", "BN"), ("y", "ERDMA", "EW"))


def sdp_needs_rdma(operation: NetworkOperation) -> bool:
    """Whether the read DMA takes part."""
    desc = operation.desc
    reads = any(desc[f"{unit}_op"]["enable"] and desc[f"{unit}_op"]["mode"] != PER_LAYER for unit in ("x1", "x2", "y"))
    return not operation.cubes["src_data"].on_the_fly or bool(reads)


def program_sdp(context: Context, operation: NetworkOperation) -> Steps:
    """All writes before the enable."""
    _check(context, operation)
    yield from unmask("SDP")
    yield from _rdma(context, operation)
    desc, source, target = operation.desc, operation.cubes["src_data"], operation.cubes["dst_data"]
    if (index := int(desc["lut_index"])) >= 0:
        yield from load_lut(context, "SDP", index, int(desc["src_precision"]))
    width, height, channel = sizes(source)
    yield write_step("SDP", "D_DATA_CUBE_WIDTH", width - 1)
    yield write_step("SDP", "D_DATA_CUBE_HEIGHT", height - 1)
    yield write_step("SDP", "D_DATA_CUBE_CHANNEL", channel - 1)
    if not target.on_the_fly:
        line, surface = strides(target)
        address = context.address(target, _name(operation))
        yield from write_address("SDP", "D_DST_BASE_ADDR", address, high_first=True)
        yield write_step("SDP", "D_DST_LINE_STRIDE", line)
        yield write_step("SDP", "D_DST_SURFACE_STRIDE", surface)
    raw = desc["src_precision"] == FP16
    yield from _x_unit(desc["x1_op"], "BS", raw)
    yield from _x_unit(desc["x2_op"], "BN", raw)
    yield from _y_unit(desc["y_op"])
    yield write_fields(
        "SDP",
        "D_FEATURE_MODE_CFG",
        FLYING_MODE=source.on_the_fly,
        OUTPUT_DST=target.on_the_fly,
        WINOGRAD=int(desc["conv_mode"]) == WINOGRAD,
        BATCH_NUMBER=int(desc["batch_num"]) - 1,
    )
    yield write_step("SDP", "D_DST_DMA_CFG", ram_type(target))
    if desc["batch_num"] > 1:
        yield write_step("SDP", "D_DST_BATCH_STRIDE", int(desc["batch_stride"]))
    into, out = int(desc["src_precision"]), int(desc["dst_precision"])
    yield write_fields("SDP", "D_DATA_FORMAT", PROC_PRECISION=_processing(into, out), OUT_PRECISION=out)
    yield write_step("SDP", "D_CVT_OFFSET", int(desc["out_cvt"]["offset"]))
    yield write_step("SDP", "D_CVT_SCALE", int(desc["out_cvt"]["scale"]))
    yield write_step("SDP", "D_CVT_SHIFT", int(desc["out_cvt"]["truncate"]))


def _check(context: Context, operation: NetworkOperation) -> None:
    """Codes that choose what registers hold."""
    for unit, _, _ in _UNITS:
        for field, most in (("type", BOTH), ("mode", len(_DATA_MODE) - 1), ("act", PRELU), ("precision", FP16)):
            if (code := int(operation.desc[f"{unit}_op"][field])) > most:
                raise context.fail(f"{_name(operation)}: {unit}_op.{field} {code}", f"0 to {most}")


def _name(operation: NetworkOperation) -> str:
    return f"operation {operation.index} ({operation.type})"


def _processing(into: int, out: int) -> int:
    """What precision the pipeline has: int8 results are worked out in int8, half-precision input stays so."""
    return FP16 if into == FP16 else INT8 if out == INT8 or into == INT8 else INT16


def _reads(op: Any) -> bool:
    return bool(op["enable"] and op["type"] != NONE and op["mode"] != PER_LAYER)


def _rdma(context: Context, operation: NetworkOperation) -> Steps:
    desc, source = operation.desc, operation.cubes["src_data"]
    block = "SDP_RDMA"
    yield write_step(block, "D_FEATURE_MODE_CFG", 0)
    for _, dma, _ in _UNITS:
        yield write_step(block, f"D_{dma}_CFG", 0)
    into, out = int(desc["src_precision"]), int(desc["dst_precision"])
    yield write_fields(
        block,
        "D_FEATURE_MODE_CFG",
        FLYING_MODE=source.on_the_fly,
        WINOGRAD=int(desc["conv_mode"]) == WINOGRAD,
        IN_PRECISION=into,
        OUT_PRECISION=out,
        PROC_PRECISION=_processing(into, out),
        BATCH_NUMBER=int(desc["batch_num"]) - 1,
    )
    if not sdp_needs_rdma(operation):
        return
    width, height, channel = sizes(source)
    yield write_step(block, "D_DATA_CUBE_WIDTH", width - 1)
    yield write_step(block, "D_DATA_CUBE_HEIGHT", height - 1)
    yield write_step(block, "D_DATA_CUBE_CHANNEL", channel - 1)
    if not source.on_the_fly:
        line, surface = strides(source)
        yield from write_address(block, "D_SRC_BASE_ADDR", context.address(source, _name(operation)))
        yield write_step(block, "D_SRC_LINE_STRIDE", line)
        yield write_step(block, "D_SRC_SURFACE_STRIDE", surface)
        yield write_step(block, "D_SRC_DMA_CFG", ram_type(source))
    for unit, dma, registers in _UNITS:
        op, cube = desc[f"{unit}_op"], operation.cubes[f"{unit}_data"]
        if op["type"] > BOTH or op["precision"] > FP16 or op["mode"] > 2:
            raise context.fail(f"{_name(operation)}: {unit}_op of unknown type, precision or mode", "known ones")
        fields = {
            "DISABLE": not _reads(op),
            "DATA_USE": _DATA_USE[int(op["type"])],
            "DATA_SIZE": int(op["precision"] != INT8),
            "DATA_MODE": _DATA_MODE[int(op["mode"])],
            "RAM_TYPE": ram_type(cube),
        }
        yield write_fields(block, f"D_{dma}_CFG", **{f"{dma}_{k}": v for k, v in fields.items()})
        if _reads(op):
            line, surface = strides(cube)
            yield from write_address(block, f"D_{registers}_BASE_ADDR", context.address(cube, _name(operation)))
            yield write_step(block, f"D_{registers}_LINE_STRIDE", line)
            yield write_step(block, f"D_{registers}_SURFACE_STRIDE", surface)


def _config(op: Any, unit: str, last: str, last_on: bool) -> dict[str, int]:
    fields = {
        "BYPASS": not op["enable"],
        "ALU_BYPASS": op["type"] in (MUL, NONE),
        "ALU_ALGO": int(op["alu_type"]),
        "MUL_BYPASS": op["type"] in (ADD, NONE),
        "MUL_PRELU": op["act"] == PRELU,
        last: not last_on,
    }
    return {f"{unit}_{k}": int(v) for k, v in fields.items()}


def _x_unit(op: Any, unit: str, raw: bool) -> Steps:
    yield write_fields("SDP", f"D_DP_{unit}_CFG", **_config(op, unit, "RELU_BYPASS", op["act"] == RELU))
    if not op["enable"]:
        return
    memory = int(op["mode"] != PER_LAYER)
    if op["type"] in (ADD, BOTH):
        fields = {f"{unit}_ALU_SRC": memory, f"{unit}_ALU_SHIFT_VALUE": int(op["shift_value"])}
        yield write_fields("SDP", f"D_DP_{unit}_ALU_CFG", **fields)
    if not memory:
        yield write_step("SDP", f"D_DP_{unit}_ALU_SRC_VALUE", int(op["alu_operand"]), raw=raw)
        yield write_step("SDP", f"D_DP_{unit}_MUL_SRC_VALUE", int(op["mul_operand"]), raw=raw)
    # The shift behind the multiplier works even where the multiplier does not.
    fields = {f"{unit}_MUL_SRC": memory, f"{unit}_MUL_SHIFT_VALUE": int(op["truncate"])}
    yield write_fields("SDP", f"D_DP_{unit}_MUL_CFG", **fields)


def _y_unit(op: Any) -> Steps:
    yield write_fields("SDP", "D_DP_EW_CFG", **_config(op, "EW", "LUT_BYPASS", op["act"] == LUT))
    if not op["enable"]:
        return
    memory = int(op["mode"] != PER_LAYER)
    for part, types in (("ALU", (ADD, BOTH)), ("MUL", (MUL, BOTH))):
        if op["type"] not in types:
            continue
        converter = op["cvt"][f"{part.lower()}_cvt"]
        fields = {f"EW_{part}_SRC": memory, f"EW_{part}_CVT_BYPASS": int(not converter["enable"])}
        yield write_fields("SDP", f"D_DP_EW_{part}_CFG", **fields)
        if not memory:
            yield write_step("SDP", f"D_DP_EW_{part}_SRC_VALUE", int(op[f"{part.lower()}_operand"]))
        else:
            yield write_step("SDP", f"D_DP_EW_{part}_CVT_OFFSET_VALUE", int(converter["offset"]))
            yield write_step("SDP", f"D_DP_EW_{part}_CVT_SCALE_VALUE", int(converter["scale"]))
            yield write_step("SDP", f"D_DP_EW_{part}_CVT_TRUNCATE_VALUE", int(converter["truncate"]))
    yield write_step("SDP", "D_DP_EW_TRUNCATE_VALUE", int(op["truncate"]))
