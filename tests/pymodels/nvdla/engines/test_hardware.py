# SPDX-License-Identifier: Apache-2.0
"""Operations as registers program them, against plain loops over single numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from nvdla_groups import ATOM, pdp, sdp

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.configuration import INT8, INT16, NV_FULL, NV_LARGE
from goldbeat.pymodels.nvdla.engines.hardware import run_operation


def memory(data, size=4096):
    target = np.full(size, 0xA5, np.uint8)
    return (Region("in", 0x1000, data, writable=False), Region("out", 0x100000, target))


def half_away(value):
    """A Fraction rounded to a whole number, halves away from zero."""
    whole = int(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def clip(value, bits):
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))


def x_stage(x, alu, operand, alu_shift, mul, mul_shift, prelu, relu):
    if alu is not None:
        operand = clip(operand << alu_shift, 32)
        x = max(x, operand) if alu == 0 else min(x, operand) if alu == 1 else x + operand
    if mul is not None and prelu and x >= 0:
        x = (x + 2**31) % 2**32 - 2**31
    else:
        x = x * mul if mul is not None else x
        x = 0 if mul_shift >= 49 else clip(half_away(Fraction(x, 1 << mul_shift)), 32)
    return max(x, 0) if relu else x


def converted(x, offset, scale, shift):
    x = (x - offset) * scale
    return clip(0 if shift >= 49 else clip(half_away(Fraction(x, 1 << shift)), 17), 8)


@pytest.mark.parametrize("seed", range(40))
def test_sdp_with_numbers_from_registers(seed):
    rng = np.random.default_rng(seed)
    width, height, channel = (int(v) for v in rng.integers(1, [6, 5, 25]))
    surfaces = -(-channel // ATOM)
    line = width * ATOM + 8 * int(rng.integers(3))
    surface = line * height + 8 * int(rng.integers(3))
    data = rng.integers(0, 256, 4096).astype(np.uint8)
    alu = [None, 0, 1, 2, 3][rng.integers(5)]
    has_mul, prelu, relu = (bool(v) for v in rng.integers(0, 2, 3))
    operand, mul = (int(v) for v in rng.integers(-(2**15), 2**15, 2))
    alu_shift, mul_shift, shift = (int(v) for v in rng.integers(0, [20, 24, 24]))
    if seed % 5 == 0:
        alu_shift, mul_shift, shift = 63, int(rng.integers(44, 64)), int(rng.integers(64))
    offset, scale = int(rng.integers(-1000, 1000)), int(rng.integers(-(2**15), 2**15))
    group = sdp(
        width,
        height,
        channel,
        line,
        surface,
        BS_ALU_BYPASS=alu is None,
        BS_ALU_ALGO=alu or 0,
        BS_MUL_BYPASS=not has_mul,
        BS_MUL_PRELU=prelu,
        BS_RELU_BYPASS=not relu,
    )
    group.put("SDP", "D_DP_BS_ALU_CFG", BS_ALU_SHIFT_VALUE=alu_shift)
    group.put("SDP", "D_DP_BS_ALU_SRC_VALUE", operand & 0xFFFF)
    group.put("SDP", "D_DP_BS_MUL_CFG", BS_MUL_SHIFT_VALUE=mul_shift)
    group.put("SDP", "D_DP_BS_MUL_SRC_VALUE", mul & 0xFFFF)
    group.put("SDP", "D_CVT_OFFSET", offset)
    group.put("SDP", "D_CVT_SCALE", scale & 0xFFFF)
    group.put("SDP", "D_CVT_SHIFT", shift)
    got = run_operation("SDP", group.values, memory(data)).memory["out"]
    expected = np.full(4096, 0xA5, np.uint8)
    for s in range(surfaces):
        for y in range(height):
            for x in range(width):
                for c in range(ATOM):
                    at = s * surface + y * line + x * ATOM + c
                    value = int(data[at].astype(np.int8))
                    value = x_stage(value, alu, operand, alu_shift, mul if has_mul else None, mul_shift, prelu, relu)
                    expected[at] = converted(value, offset, scale, shift) & 0xFF
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("per_element", [False, True])
@pytest.mark.parametrize("use", ["mul", "alu", "both"])
def test_sdp_operands_from_memory(size, per_element, use):
    rng = np.random.default_rng(size + 2 * per_element)
    width, height, channel = 3, 2, 13
    line, surface = 32, 80
    point = ATOM * size * (2 if use == "both" else 1)
    b_line, b_surface = (width * point + 8, (width * point + 8) * height) if per_element else (7, 9)
    data = rng.integers(0, 256, 4096).astype(np.uint8)
    group = sdp(
        width, height, channel, line, surface, BS_ALU_BYPASS=use == "mul", BS_ALU_ALGO=2, BS_MUL_BYPASS=use == "alu"
    )
    group.put("SDP", "D_DP_BS_ALU_CFG", BS_ALU_SRC=1)
    group.put("SDP", "D_DP_BS_MUL_CFG", BS_MUL_SRC=1, BS_MUL_SHIFT_VALUE=3)
    group.put("SDP", "D_DP_BS_ALU_SRC_VALUE", 77)
    group.put("SDP", "D_CVT_SHIFT", 1)
    group.put(
        "SDP_RDMA",
        "D_BRDMA_CFG",
        BRDMA_DATA_USE={"mul": 0, "alu": 1, "both": 2}[use],
        BRDMA_DATA_SIZE=size - 1,
        BRDMA_DATA_MODE=per_element,
    )
    group.put("SDP_RDMA", "D_BS_BASE_ADDR_LOW", 0x1000 + 512)
    group.put("SDP_RDMA", "D_BS_LINE_STRIDE", b_line)
    group.put("SDP_RDMA", "D_BS_SURFACE_STRIDE", b_surface)
    got = run_operation("SDP", group.values, memory(data)).memory["out"]
    expected = np.full(4096, 0xA5, np.uint8)
    for s in range(2):
        for y in range(height):
            for x in range(width):
                at = 512 + (s * b_surface + y * b_line + x * point if per_element else s * point)
                numbers = np.frombuffer(data[at : at + point].tobytes(), np.int8 if size == 1 else np.int16)
                for c in range(ATOM):
                    alu = numbers[2 * c] if use == "both" else numbers[c]
                    mul = numbers[2 * c + 1] if use == "both" else numbers[c]
                    byte = s * surface + y * line + x * ATOM + c
                    value = int(data[byte].astype(np.int8))
                    value = x_stage(
                        value,
                        None if use == "mul" else 2,
                        int(alu),
                        0,
                        None if use == "alu" else int(mul),
                        3,
                        False,
                        True,
                    )
                    expected[byte] = converted(value, 0, 1, 1) & 0xFF
    assert np.array_equal(got, expected)


def test_sdp_stages_follow_each_other():
    data = np.arange(-64, 64, dtype=np.int8).view(np.uint8)
    group = sdp(16, 1, 8, 128, 128, BS_ALU_ALGO=2, BS_MUL_BYPASS=1, BS_RELU_BYPASS=1)
    group.put("SDP", "D_DP_BS_ALU_SRC_VALUE", 10)
    group.put("SDP", "D_DP_BN_CFG", BN_ALU_BYPASS=1)
    group.put("SDP", "D_DP_BN_MUL_SRC_VALUE", 3)
    group.put("SDP", "D_CVT_OFFSET", 5)
    got = run_operation("SDP", group.values, memory(data)).memory["out"][:128].view(np.int8)
    assert np.array_equal(got, np.clip(np.maximum((np.arange(-64, 64) + 10) * 3, 0) - 5, -128, 127))


def test_sdp_takes_accumulators_and_hands_on_to_pdp():
    group = sdp(2, 1, 8, 16, 16, BS_BYPASS=1)
    group.put("SDP", "D_FEATURE_MODE_CFG", FLYING_MODE=1, OUTPUT_DST=1)
    group.put("SDP", "D_CVT_SHIFT", 8)
    incoming = np.arange(16).reshape(1, 1, 2, 8) * 2560
    result = run_operation("SDP", group.values, memory(np.zeros(8, np.uint8)), incoming)
    assert np.array_equal(result.output, np.minimum(incoming // 256, 127))
    assert (result.memory["out"] == 0xA5).all()


def pooled(data, line, surface, size, channel, method, kernel, stride, pad, out, pad_value, form=(ATOM, 1)):
    atom, wide = form
    lanes = atom // wide
    surfaces = -(-channel // lanes)
    result = np.full(len(data), 0xA5, np.uint8)
    for s in range(surfaces):
        for oy in range(out[1]):
            for ox in range(out[0]):
                for c in range(lanes):
                    window, missing = [], 0
                    for y in range(oy * stride[1] - pad[1], oy * stride[1] - pad[1] + kernel[1]):
                        for x in range(ox * stride[0] - pad[0], ox * stride[0] - pad[0] + kernel[0]):
                            if 0 <= y < size[1] and 0 <= x < size[0]:
                                at = s * surface + y * line + x * atom + c * wide
                                window.append(int.from_bytes(data[at : at + wide].tobytes(), "little", signed=True))
                            else:
                                missing += 1
                    if method == 0:
                        value = sum(window) + missing * pad_value
                        value = half_away(Fraction(value * (65536 // kernel[0]), 65536))
                        value = half_away(Fraction(value * (65536 // kernel[1]), 65536))
                    else:
                        value = max(window) if method == 1 else min(window)
                    at = ((s * out[1] + oy) * out[0] + ox) * atom + c * wide
                    result[at : at + wide] = list(value.to_bytes(wide, "little", signed=True))
    return result


@pytest.mark.parametrize("seed", range(30))
def test_pdp(seed):
    rng = np.random.default_rng(seed)
    kernel = tuple(int(v) for v in rng.integers(1, 9, 2))
    size = tuple(int(v) for v in rng.integers(kernel, 11))
    stride = tuple(int(v) for v in rng.integers(1, 5, 2))
    pad = tuple(int(v) for v in rng.integers(0, kernel))
    far = tuple(int(v) for v in rng.integers(0, kernel))
    out = tuple((size[i] + pad[i] + far[i] - kernel[i]) // stride[i] + 1 for i in range(2))
    channel = int(rng.integers(1, 17))
    line = size[0] * ATOM + 8
    surface = line * size[1]
    data = rng.integers(0, 256, 4096).astype(np.uint8)
    method = seed % 3
    group = pdp(size, channel, method, kernel, stride, pad, out, line, surface)
    value = int(rng.integers(-20, 20))
    for i in range(1, 8):
        group.put("PDP", f"D_POOLING_PADDING_VALUE_{i}_CFG", i * value & 0x7FFFF)
    got = run_operation("PDP", group.values, memory(data, 4096)).memory["out"]
    expected = pooled(data, line, surface, size, channel, method, kernel, stride, pad, out, value)
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("seed", range(9))
def test_pdp_of_other_configurations(seed):
    rng = np.random.default_rng(seed)
    configuration, precision = [(NV_LARGE, INT8), (NV_FULL, INT16), (NV_FULL, INT8)][seed % 3]
    form = atom, _ = configuration.atom, precision + 1
    kernel, size = tuple(int(v) for v in rng.integers(1, 9, 2)), tuple(int(v) for v in rng.integers(8, 11, 2))
    out = tuple(size[i] - kernel[i] + 2 for i in range(2))
    pad = tuple(int(k > 1) for k in kernel)
    channel = int(rng.integers(1, 40))
    line, method = size[0] * atom, seed // 3
    group = pdp(size, channel, method, kernel, (1, 1), pad, out, line, line * size[1])
    if kernel[0] == 1 or kernel[1] == 1:
        out = tuple(o - (k == 1) for o, k in zip(out, kernel, strict=True))
        group = pdp(size, channel, method, kernel, (1, 1), pad, out, line, line * size[1])
    for block, register in (("PDP", "D_DATA_FORMAT"), ("PDP_RDMA", "D_DATA_FORMAT")):
        group.put(block, register, precision)
    value = int(rng.integers(-20, 20)) << 8 * precision
    for i in range(1, 8):
        group.put("PDP", f"D_POOLING_PADDING_VALUE_{i}_CFG", i * value & 0x7FFFF)
    group.put("PDP", "D_DST_LINE_STRIDE", out[0] * atom)
    group.put("PDP", "D_DST_SURFACE_STRIDE", out[0] * out[1] * atom)
    data = rng.integers(0, 256, 16384).astype(np.uint8)
    got = run_operation("PDP", group.values, memory(data, len(data)), configuration=configuration).memory["out"]
    expected = pooled(data, line, line * size[1], size, channel, method, kernel, (1, 1), pad, out, value, form)
    assert np.array_equal(got, expected)


def test_pdp_in_strips_gives_what_the_whole_gives():
    rng = np.random.default_rng(5)
    data = rng.integers(0, 256, 4096).astype(np.uint8)
    args = ((17, 5), 16, 0, (3, 3), (2, 2), (1, 1), (9, 3), 17 * ATOM, 17 * 5 * ATOM)
    whole = pdp(*args)
    expected = run_operation("PDP", whole.values, memory(data)).memory["out"]
    split = pdp(*args)
    split.put("PDP", "D_OPERATION_MODE_CFG", POOLING_METHOD=0, FLYING_MODE=1, SPLIT_NUM=2)
    # Outputs 4, 3, 2: the first strip ends at column 8, the second adds 6, the third the rest.
    first, mid, last = 8, 6, 3
    for name, numbers in (("IN", (first, mid, last)), ("OUT", (4, 3, 2))):
        fields = zip(("FIRST", "MID", "LAST"), numbers, strict=True)
        split.put("PDP", f"D_PARTIAL_WIDTH_{name}", **{f"PARTIAL_WIDTH_{name}_{f}": n - 1 for f, n in fields})
    assert np.array_equal(run_operation("PDP", split.values, memory(data)).memory["out"], expected)


def test_what_nv_small_cannot_do_is_said():
    group = sdp(1, 1, 8, 8, 8, BS_BYPASS=1)
    group.put("SDP", "D_DP_EW_CFG", EW_BYPASS=0)
    with pytest.raises(UsageError, match="EW_BYPASS is 0: nv_small has no EW"):
        run_operation("SDP", group.values, memory(np.zeros(8, np.uint8)))
    with pytest.raises(UsageError, match="unknown engine 'DMA'"):
        run_operation("DMA", {}, ())


def test_a_cube_outside_of_memory_is_refused():
    group = sdp(2, 1, 8, 16, 16, BS_BYPASS=1)
    with pytest.raises(InputError, match="DMA address 0x1008"):
        run_operation("SDP", group.values, memory(np.zeros(8, np.uint8)))
