# SPDX-License-Identifier: Apache-2.0
"""SDP's element-wise stage, and SDP from one precision to another, against plain loops over single numbers."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from nvdla_groups import sdp

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.configuration import INT8, INT16, NV_FULL, NV_LARGE
from goldbeat.pymodels.nvdla.engines.element_wise import ElementWise
from goldbeat.pymodels.nvdla.engines.hardware import run_operation

OPERANDS, SOURCE, TARGET = 0x40000, 0x1000, 0x100000


def half_away(value):
    whole = int(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def clip(value, bits):
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))


def shifted(value, shift, bits):
    return clip(half_away(Fraction(value) / Fraction(2) ** shift), bits)


def number(data, at, size):
    return int.from_bytes(data[at : at + size].tobytes(), "little", signed=True)


class Settings:
    """One operation's numbers, drawn at random; ``wild`` ones are as large as registers let them be."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.configuration = (NV_LARGE, NV_FULL)[seed % 2]
        codes = [INT8] if seed % 2 == 0 else [INT8, INT16]
        self.read, self.write = (int(rng.choice(codes)) for _ in range(2))
        self.process = INT8 if INT8 in (self.read, self.write) else INT16
        self.width, self.height, self.channel = (int(v) for v in rng.integers(1, [4, 4, 70]))
        self.wild = seed % 3 == 0
        self.multiply, self.add, self.prelu, self.table = (bool(v) for v in rng.integers(0, 2, 4))
        self.algorithm = int(rng.integers(3))
        self.from_memory = [bool(v) for v in rng.integers(0, 2, 2)]
        self.per_element, self.wide = (bool(v) for v in rng.integers(0, 2, 2))
        self.bypass = [bool(v) for v in rng.integers(0, 2, 2)]
        most = 2**31 if self.wild else 2**9
        self.offsets = [int(v) for v in rng.integers(-most, most, 2)]
        self.scales = [int(v) for v in rng.integers(-(2**15), 2**15, 2)]
        self.truncates = [int(v) for v in rng.integers(0, 64 if self.wild else 20, 2)]
        self.numbers = [int(v) for v in rng.integers(-most, most, 2)]
        self.shift = int(rng.integers(0, 1024 if self.wild else 12))
        self.exponential = bool(rng.integers(2))
        self.tables = rng.integers(-(2**15), 2**15, 65).tolist(), rng.integers(-(2**15), 2**15, 257).tolist()
        self.select = [int(v) for v in rng.integers(-128 if self.wild else 0, 128 if self.wild else 12, 2)]
        self.index_offset = int(rng.integers(-128 if self.wild else -2, 32 if self.wild else 8))
        self.starts, self.ends = ([int(v) for v in rng.integers(-most, most, 2)] for _ in range(2))
        self.slopes = [(int(rng.integers(-(2**15), 2**15)), int(rng.integers(-16, 16))) for _ in range(4)]
        self.priority = [int(v) for v in rng.integers(0, 2, 3)]
        self.out = int(rng.integers(-100, 100)), int(rng.integers(-300, 300)), int(rng.integers(0, 30))


def registers(s):
    line = s.width * 32
    group = sdp(s.width, s.height, s.channel, line, line * s.height, BS_BYPASS=1)
    group.put("SDP", "D_DP_BN_CFG", BN_BYPASS=1)
    formats = {"PROC_PRECISION": s.process, "OUT_PRECISION": s.write}
    group.put("SDP", "D_DATA_FORMAT", **formats)
    group.put("SDP_RDMA", "D_FEATURE_MODE_CFG", IN_PRECISION=s.read, **formats)
    group.put(
        "SDP",
        "D_DP_EW_CFG",
        EW_BYPASS=0,
        EW_ALU_BYPASS=not s.add,
        EW_ALU_ALGO=s.algorithm,
        EW_MUL_BYPASS=not s.multiply,
        EW_MUL_PRELU=s.prelu,
        EW_LUT_BYPASS=not s.table,
    )
    for i, part in enumerate(("MUL", "ALU")):
        group.put(
            "SDP", f"D_DP_EW_{part}_CFG", **{f"EW_{part}_SRC": s.from_memory[i], f"EW_{part}_CVT_BYPASS": s.bypass[i]}
        )
        group.put("SDP", f"D_DP_EW_{part}_SRC_VALUE", s.numbers[i])
        group.put("SDP", f"D_DP_EW_{part}_CVT_OFFSET_VALUE", s.offsets[i])
        group.put("SDP", f"D_DP_EW_{part}_CVT_SCALE_VALUE", s.scales[i] & 0xFFFF)
        group.put("SDP", f"D_DP_EW_{part}_CVT_TRUNCATE_VALUE", s.truncates[i])
    group.put("SDP", "D_DP_EW_TRUNCATE_VALUE", s.shift)
    mul, alu = used(s)
    group.put(
        "SDP_RDMA",
        "D_ERDMA_CFG",
        ERDMA_DISABLE=not (mul or alu),
        ERDMA_DATA_USE=2 if mul and alu else int(alu),
        ERDMA_DATA_SIZE=s.wide,
        ERDMA_DATA_MODE=s.per_element,
    )
    point = operand_point(s)
    group.put("SDP_RDMA", "D_EW_BASE_ADDR_LOW", OPERANDS)
    group.put("SDP_RDMA", "D_EW_LINE_STRIDE", s.width * point)
    group.put("SDP_RDMA", "D_EW_SURFACE_STRIDE", s.width * s.height * point)
    for name, value in zip(("OFFSET", "SCALE", "SHIFT"), s.out, strict=True):
        group.put("SDP", f"D_CVT_{name}", value & (0xFFFF if name == "SCALE" else 0xFFFFFFFF))
    tables(s, group)
    return group.values


def tables(s, group):
    group.put(
        "SDP",
        "S_LUT_CFG",
        LUT_LE_FUNCTION=not s.exponential,
        LUT_UFLOW_PRIORITY=s.priority[0],
        LUT_OFLOW_PRIORITY=s.priority[1],
        LUT_HYBRID_PRIORITY=s.priority[2],
    )
    names = ("LUT_LE_INDEX_OFFSET", "LUT_LE_INDEX_SELECT", "LUT_LO_INDEX_SELECT")
    numbers = (s.index_offset, *s.select)
    group.put("SDP", "S_LUT_INFO", **{name: value & 0xFF for name, value in zip(names, numbers, strict=True)})
    for i, name in enumerate(("LE", "LO")):
        group.put("SDP", f"S_LUT_{name}_START", s.starts[i])
        group.put("SDP", f"S_LUT_{name}_END", s.ends[i])
        ways = list(zip(("UFLOW", "OFLOW"), s.slopes[2 * i : 2 * i + 2], strict=True))
        scale = {f"LUT_{name}_SLOPE_{way}_SCALE": one[0] & 0xFFFF for way, one in ways}
        shift = {f"LUT_{name}_SLOPE_{way}_SHIFT": one[1] & 31 for way, one in ways}
        group.put("SDP", f"S_LUT_{name}_SLOPE_SCALE", **scale)
        group.put("SDP", f"S_LUT_{name}_SLOPE_SHIFT", **shift)


def used(s):
    return s.multiply and s.from_memory[0], s.add and s.from_memory[1]


def operand_point(s):
    return s.configuration.lanes(s.process) * (1 + s.wide) * (2 if all(used(s)) else 1)


def operands(s, data, channel, y, x):
    """What the multiplier and the adder take."""
    lanes, size, point = s.configuration.lanes(s.process), 1 + s.wide, operand_point(s)
    at = channel // lanes * point
    if s.per_element:
        at = channel // lanes * s.width * s.height * point + y * s.width * point + x * point
    mul, alu = used(s)
    found = list(s.numbers)
    step = 2 if mul and alu else 1
    for i, fetched in enumerate((mul, alu)):
        if not fetched:
            continue
        # The adder's operand comes first.
        raw = number(data, at + (channel % lanes * step + (step == 2 and i == 0)) * size, size)
        found[i] = raw if s.bypass[i] else shifted((raw - s.offsets[i]) * s.scales[i], s.truncates[i], 32)
    return found


def looked_up(s, x, i):
    """Result, below, above."""
    entries, start, end = s.tables[i], s.starts[i], s.ends[i]
    last, distance = len(entries) - 1, x - start
    under, over = s.slopes[2 * i : 2 * i + 2]
    edge = start
    if i == 0 and s.exponential:
        log = distance.bit_length() - 1 if distance > 0 else 0
        index = log - s.index_offset
        fraction = floor(Fraction(distance - (1 << log), 1 << log) * 2**35) if distance > 0 else 0
        if s.index_offset > 0:
            edge += (2**s.index_offset + 2**31) % 2**32 - 2**31
    else:
        exact = Fraction(distance) / Fraction(2) ** s.select[i]
        index = floor(exact)
        fraction = floor((exact - index) * 2**35)
    if index < 0 or distance <= 0:
        return clip(entries[0] + shifted((x - edge) * under[0], under[1], 32), 32), True, False
    if index >= last:
        return clip(entries[last] + shifted((x - end) * over[0], over[1], 32), 32), False, True
    between = entries[index] * (2**35 - fraction) + entries[index + 1] * fraction
    return shifted(between, 35, 32), False, False


def stage(s, x, mul, alu):
    if s.multiply and not (s.prelu and x >= 0):
        x = shifted(x * mul, s.shift, 32)
    if s.add:
        x = clip([max(x, alu), min(x, alu), x + alu][s.algorithm], 32)
    if not s.table:
        return x
    le, lo = looked_up(s, x, 0), looked_up(s, x, 1)
    if le[1] and lo[1]:
        return (le, lo)[s.priority[0]][0]
    if le[2] and lo[2]:
        return (le, lo)[s.priority[1]][0]
    if any(le[1:]) != any(lo[1:]):
        return lo[0] if any(le[1:]) else le[0]
    return (le, lo)[s.priority[2]][0]


@pytest.mark.parametrize("seed", range(90))
def test_element_wise(seed):
    s = Settings(seed)
    source = s.rng.integers(0, 256, 8192).astype(np.uint8)
    numbers = s.rng.integers(0, 256, 32768).astype(np.uint8)
    memory = [Region("in", SOURCE, source), Region("operands", OPERANDS, numbers)]
    memory.append(Region("out", TARGET, np.full(8192, 0xA5, np.uint8)))
    got = run_operation("SDP", registers(s), memory, luts=s.tables, configuration=s.configuration).memory["out"]
    lanes, size = s.configuration.lanes(s.read), s.read + 1
    out_lanes, out_size = s.configuration.lanes(s.write), s.write + 1
    line = s.width * 32
    wrong = []
    for c in range(s.channel):
        for y in range(s.height):
            for x in range(s.width):
                value = number(source, c // lanes * line * s.height + y * line + x * 32 + c % lanes * size, size)
                value = stage(s, value, *operands(s, numbers, c, y, x))
                offset, scale, shift = s.out
                wanted = clip(shifted((value - offset) * scale, shift, 17), 8 * out_size)
                at = c // out_lanes * line * s.height + y * line + x * 32 + c % out_lanes * out_size
                if number(got, at, out_size) != wanted:
                    wrong.append((c, y, x, wanted, number(got, at, out_size)))
    assert wrong == []


def test_the_longest_product_is_rounded():
    least = -(2**31)
    ends = [ElementWise(multiply=True, mul_operand=least, shift=n)(np.array([least])).item() for n in (31, 62, 63, 64)]
    assert ends == [2**31 - 1, 1, 1, 0]


def test_a_comparison_is_refused():
    s = Settings(1)
    s.add, s.algorithm = True, 3
    with pytest.raises(UsageError, match="EW_ALU_ALGO is 3, which compares and writes nothing"):
        run_operation("SDP", registers(s), (), luts=s.tables, configuration=s.configuration)
