# SPDX-License-Identifier: Apache-2.0
"""CDP against plain loops over single numbers."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from types import SimpleNamespace

import numpy as np
import pytest
from nvdla_groups import Group

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.configuration import INT8, INT16, NV_FULL, NV_LARGE, NV_SMALL
from goldbeat.pymodels.nvdla.engines.hardware import check_operation, run_operation
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.compose import ComposedLayer, Data, compose
from goldbeat.pymodels.nvdla.loadable.placement import place_memories


def half_away(value):
    whole = int(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def clip(value, bits):
    return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))


def scaled(value, shift):
    return Fraction(value) / Fraction(2) ** shift


def looked_up(entries, x, start, end, select, offset, under, over):
    """Result, below, above."""
    last = len(entries) - 1
    distance = x - start
    if select is None:
        log = distance.bit_length() - 1 if distance > 0 else 0
        index = log - offset
        fraction = floor(scaled(distance - (1 << log), log - 16)) if distance > 0 else 0
        edge = start + (1 << offset if offset >= 0 else 0)
    else:
        index = floor(scaled(distance, select))
        fraction = 0 if select < 0 else floor(scaled(distance % (1 << select), select - 16))
        edge = start
    if index < 0 or distance <= 0:
        return clip(entries[0] + half_away(scaled((x - edge) * under[0], under[1])), 16), True, False
    if index >= last:
        return clip(entries[last] + half_away(scaled((x - end) * over[0], over[1])), 16), False, True
    step = half_away(scaled((entries[index + 1] - entries[index]) * fraction, 16))
    return clip(entries[index] + step, 16), False, False


def drawn(seed, configuration=NV_SMALL, precision=0):
    """Sizes, tables and settings of one operation."""
    rng = np.random.default_rng(seed)
    atom, lanes = configuration.atom, configuration.lanes(precision)
    width, height, channel = (int(v) for v in rng.integers(1, [5, 4, 25]))
    surfaces, line = -(-channel // lanes), width * atom + atom
    surface = line * height
    data = rng.integers(0, 256, 4096).astype(np.uint8)
    tables = (rng.integers(-(2**15), 2**15, 65).tolist(), rng.integers(-(2**15), 2**15, 257).tolist())
    exponential, squares, multiply = (bool(v) for v in rng.integers(0, 2, 3))
    length = int(rng.integers(4))
    offsets = int(rng.integers(-40, 40)) << 8 * precision, int(rng.integers(-5000, 5000))
    scales = int(rng.integers(-300, 300)), int(rng.integers(-300, 300))
    shifts = int(rng.integers(0, 8)), int(rng.integers(0, 24))
    # Squares of int16 have twice as many bits more than numbers of int8.
    up = 14 * precision
    select = int(rng.integers(-2, 12)) + up, int(rng.integers(-2, 10)) + up
    index_offset = int(rng.integers(-3, 10)) + up
    starts = [int(v) for v in rng.integers(-300, 3000, 2)]
    ends = [s + (64, 256)[i] * 2 ** max(select[i], 0) for i, s in enumerate(starts)]
    slopes = [(int(rng.integers(-500, 500)), int(rng.integers(-16, 16))) for _ in range(4)]
    priority = [int(v) for v in rng.integers(0, 2, 3)]
    return SimpleNamespace(
        configuration=configuration,
        precision=precision,
        atom=atom,
        lanes=lanes,
        width=width,
        height=height,
        channel=channel,
        surfaces=surfaces,
        line=line,
        surface=surface,
        data=data,
        tables=tables,
        exponential=exponential,
        squares=squares,
        multiply=multiply,
        length=length,
        offsets=offsets,
        scales=scales,
        shifts=shifts,
        select=select,
        index_offset=index_offset,
        starts=starts,
        ends=ends,
        slopes=slopes,
        priority=priority,
    )


def registers(s):
    """The operation as the group of registers says it."""
    group = Group()
    for name, value in (("WIDTH", s.width), ("HEIGHT", s.height), ("CHANNEL", s.channel)):
        group.put("CDP_RDMA", f"D_DATA_CUBE_{name}", value - 1)
    group.put("CDP_RDMA", "D_SRC_BASE_ADDR_LOW", 0x1000)
    group.put("CDP_RDMA", "D_SRC_LINE_STRIDE", s.line)
    group.put("CDP_RDMA", "D_SRC_SURFACE_STRIDE", s.surface)
    group.put("CDP", "D_DST_BASE_ADDR_LOW", 0x8000)
    group.put("CDP", "D_DST_LINE_STRIDE", s.line)
    group.put("CDP", "D_DST_SURFACE_STRIDE", s.surface)
    group.put("CDP", "D_DATA_FORMAT", s.precision)
    group.put("CDP", "D_LRN_CFG", s.length)
    group.put("CDP", "D_FUNC_BYPASS", SQSUM_BYPASS=not s.squares, MUL_BYPASS=not s.multiply)
    for i, prefix in enumerate(("DATIN", "DATOUT")):
        group.put("CDP", f"D_{prefix}_OFFSET", s.offsets[i])
        group.put("CDP", f"D_{prefix}_SCALE", s.scales[i] & 0xFFFF)
        group.put("CDP", f"D_{prefix}_SHIFTER", s.shifts[i])
    group.put(
        "CDP",
        "S_LUT_CFG",
        LUT_LE_FUNCTION=not s.exponential,
        LUT_UFLOW_PRIORITY=s.priority[0],
        LUT_OFLOW_PRIORITY=s.priority[1],
        LUT_HYBRID_PRIORITY=s.priority[2],
    )
    group.put(
        "CDP",
        "S_LUT_INFO",
        LUT_LE_INDEX_OFFSET=s.index_offset & 0xFF,
        LUT_LE_INDEX_SELECT=s.select[0] & 0xFF,
        LUT_LO_INDEX_SELECT=s.select[1] & 0xFF,
    )
    for i, name in enumerate(("LE", "LO")):
        for end, value in (("START", s.starts[i]), ("END", s.ends[i])):
            group.put("CDP", f"S_LUT_{name}_{end}_LOW", value)
            group.put("CDP", f"S_LUT_{name}_{end}_HIGH", value >> 32)
        both = s.slopes[2 * i : 2 * i + 2]
        scale = {
            f"LUT_{name}_SLOPE_{w}_SCALE": factor & 0xFFFF
            for w, (factor, _) in zip(("UFLOW", "OFLOW"), both, strict=True)
        }
        shift = {
            f"LUT_{name}_SLOPE_{w}_SHIFT": places & 31 for w, (_, places) in zip(("UFLOW", "OFLOW"), both, strict=True)
        }
        group.put("CDP", f"S_LUT_{name}_SLOPE_SCALE", **scale)
        group.put("CDP", f"S_LUT_{name}_SLOPE_SHIFT", **shift)
    return group


def computed(s):
    """The memory after the operation, value by value."""
    expected = np.full(4096, 0xA5, np.uint8)
    size = s.precision + 1
    for y in range(s.height):
        for x in range(s.width):
            lanes = range(s.surfaces * s.lanes)
            at = [c // s.lanes * s.surface + y * s.line + x * s.atom + c % s.lanes * size for c in lanes]
            raw = [number(s.data, a, size) if c < s.channel else s.offsets[0] for c, a in enumerate(at)]
            wide = 8 * size + 1
            values = [clip(half_away(scaled((v - s.offsets[0]) * s.scales[0], s.shifts[0])), wide) for v in raw]
            for c, value in enumerate(values):
                reach = s.length + 1
                near = values[max(c - reach, 0) : c + reach + 1]
                index = sum(v * v for v in near) if s.squares else value
                le = looked_up(
                    s.tables[0],
                    index,
                    s.starts[0],
                    s.ends[0],
                    None if s.exponential else s.select[0],
                    s.index_offset,
                    *s.slopes[:2],
                )
                lo = looked_up(s.tables[1], index, s.starts[1], s.ends[1], s.select[1], 0, *s.slopes[2:])
                if le[1] and lo[1]:
                    found = (le, lo)[s.priority[0]][0]
                elif le[2] and lo[2]:
                    found = (le, lo)[s.priority[1]][0]
                elif any(le[1:]) != any(lo[1:]):
                    found = lo[0] if any(le[1:]) else le[0]
                else:
                    found = (le, lo)[s.priority[2]][0]
                found = found * value if s.multiply else found
                out = clip(half_away(scaled((found - s.offsets[1]) * s.scales[1], s.shifts[1])), 8 * size)
                expected[at[c] : at[c] + size] = list(out.to_bytes(size, "little", signed=True))
    return expected


def number(data, at, size):
    return int.from_bytes(data[at : at + size].tobytes(), "little", signed=True)


FORMS = [(NV_SMALL, INT8)] * 24 + [(NV_LARGE, INT8)] * 4 + [(NV_FULL, INT16)] * 12


@pytest.mark.parametrize("seed", range(40))
def test_cdp(seed):
    configuration, precision = FORMS[seed]
    s = drawn(seed, configuration, precision)
    regions = (Region("in", 0x1000, s.data), Region("out", 0x8000, np.full(4096, 0xA5, np.uint8)))
    values = registers(s).values
    got = run_operation("CDP", values, regions, luts=s.tables, configuration=configuration).memory["out"]
    assert np.array_equal(got, computed(s))


@pytest.mark.parametrize("squares", [False, True])
def test_an_index_that_is_moved_out_of_64_bits_is_above(squares):
    s = drawn(7)
    s.exponential, s.squares, s.select, s.starts = False, squares, (-32, -31), [-(2**37), -(2**37) + 5]
    s.ends, s.offsets, s.multiply = [0, 40], (0, 0), False
    s.data[::2] = 0
    s.data[: s.line] = 0
    regions = (Region("in", 0x1000, s.data), Region("out", 0x8000, np.full(4096, 0xA5, np.uint8)))
    got = run_operation("CDP", registers(s).values, regions, luts=s.tables).memory["out"]
    assert np.array_equal(got, computed(s))


def test_six_bits_of_a_select_are_looked_at():
    s = drawn(8)
    s.exponential = False
    regions = (Region("in", 0x1000, s.data), Region("out", 0x8000, np.full(4096, 0xA5, np.uint8)))
    found = []
    for upper in (0, 0x40, 0x80):
        group = registers(s)
        select = {f"LUT_{n}_INDEX_SELECT": v & 0x3F | upper for n, v in zip(("LE", "LO"), s.select, strict=True)}
        group.put("CDP", "S_LUT_INFO", **select)
        found.append(run_operation("CDP", group.values, regions, luts=s.tables).memory["out"])
    assert np.array_equal(found[0], computed(s))
    assert all(np.array_equal(one, found[0]) for one in found)


def test_cdp_from_a_loadable_with_its_tables():
    lut = {
        "linear_only_table": np.full(257, 64),
        "linear_exp_table": np.full(65, 64),
        "linear_only_offset": {"frac_bits": 9},
        "linear_only_end": 256 << 9,
        "linear_exp_offset": {"frac_bits": 11},
        "linear_exp_end": 64 << 11,
        "method": 1,
    }
    cube = {"width": 2, "height": 1, "channel": 8, "size": 16, "line_stride": 16, "surf_stride": 16}
    desc = {"lut_index": 0, "local_size": 3, "in_cvt": {"scale": 1}, "out_cvt": {"scale": 1, "truncate": 7}}
    layer = ComposedLayer("CDP", desc, {"src_data": {"address": 0, **cube}, "dst_data": {"address": 1, **cube}})
    source = np.arange(-8, 8, dtype=np.int8) * 16
    made = compose([layer], [Data(contents=source.view(np.uint8)), Data(16)], luts=[lut])
    found = execute(place_memories(made))[6].view(np.int8)
    # A table of 64 everywhere, divided by 128: half of each value.
    assert found.tolist() == [v // 2 for v in source.tolist()]


def test_what_cdp_lacks_is_said():
    group = Group()
    with pytest.raises(UsageError, match="INPUT_DATA_TYPE is 1: nv_small knows int8 only"):
        run_operation("CDP", group.values, ())
    group.put("CDP", "D_DATA_FORMAT", 0)
    with pytest.raises(UsageError, match="lookup tables are not known"):
        run_operation("CDP", group.values, ())
    group.put("CDP_RDMA", "D_DATA_FORMAT", 1)
    with pytest.raises(UsageError, match=r"CDP_RDMA\.D_DATA_FORMAT\.INPUT_DATA is 1: CDP has 0"):
        check_operation("CDP", Values(group.values, ([0] * 65, [0] * 257)))
