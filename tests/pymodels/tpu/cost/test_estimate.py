# SPDX-License-Identifier: Apache-2.0
"""Durations from rates, and what waits for what."""

from __future__ import annotations

import itertools
import re
from contextlib import nullcontext
from math import ceil

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.cost.directions import check_directions
from goldbeat.pymodels.tpu.cost.estimate import Speed, estimate, parse_speed
from goldbeat.pymodels.tpu.cost.path import critical_path, stalls
from goldbeat.pymodels.tpu.cost.rates import (
    FLAGS,
    DmaRate,
    TiuRate,
    chip_rates,
    chips_with_rates,
    find_dma,
    find_tiu,
    rates_of,
)
from goldbeat.pymodels.tpu.streams.codegen import CodeGen
from goldbeat.pymodels.tpu.streams.decode import decode_stream
from goldbeat.pymodels.tpu.streams.profile import fit, parse_sections
from goldbeat.pymodels.tpu.streams.schedule import NONE, SEND, WAIT, Lane, schedule
from goldbeat.pymodels.tpu.streams.tables import chip

TABLE = {
    "profiles": 1,
    "commands": 2,
    "tiu": {
        "sAR": {"arith.add f16>f16": [8, 1, 2.0, 0.0], "arith.add *": [4, 1, 1.0, 0.0], "*": [1, 1, 3.0, 1.0]},
        "sCONV": {"*": [4, 16, 1.0, 10.0]},
    },
    "dma": {"DMA_tensor": {"dma.tensor far>local": [100.0, 64, 0.5], "*": [7.0, 0, 1.0]}},
}
RATES = rates_of("BM1688", "made up", TABLE)
F16 = {"tsk_opd_num": 2, "opt_opd0_prec": 1, "opt_opd1_prec": 1, "opt_res0_prec": 1}


def _tiu(form: str, fields: dict[str, int], func: int = 0) -> int:
    made = CodeGen(chip("BM1688"))
    made.emit("tiu", form, fields, func=func)
    found = decode_stream(chip("BM1688").engine("tiu"), made.lookup("tiu0")[0])
    return int(estimate(RATES, "BM1688", found).cycles[0])


def _shape(n: int, c: int, h: int, w: int) -> dict[str, int]:
    return {f"res0_{axis}": size for axis, size in zip("nchw", (n, c, h, w), strict=True)}


@pytest.mark.parametrize("shape", [(1, 32, 3, 5), (2, 33, 4, 4), (1, 100, 1, 1)])
def test_elements_go_over_lanes_in_lines(shape: tuple[int, int, int, int]):
    n, c, h, w = shape
    apart = F16 | {"res0_addr": 0, "opd0_addr": 0x4000, "opd1_addr": 0x8000}
    steps = n * ceil(c / 32) * ceil(h * w / 8)
    assert _tiu("sAR", _shape(*shape) | apart, func=2) == 2 * steps
    # In place: reading and writing take turns.
    assert _tiu("sAR", _shape(*shape) | apart | {"opd1_addr": 0}, func=2) == 4 * steps
    # A constant lies nowhere.
    constant = {"opd1_addr": 0, "opt_opd1_const": 1}
    assert _tiu("sAR", _shape(*shape) | apart | constant, func=2) == 2 * steps
    # Another type takes the rate of the operation, another operation that of the form.
    wide = apart | {"opt_opd0_prec": 2}
    assert _tiu("sAR", _shape(*shape) | wide, func=2) == n * ceil(c / 32) * ceil(h * w / 4)
    assert _tiu("sAR", _shape(*shape) | apart, func=3) == 3 * n * ceil(c / 32) * h * w + 1


def test_convolution_counts_products():
    fields = _shape(1, 40, 6, 6) | {"opd0_c": 20, "opd0_h": 6, "opd0_w": 6, "opd1_h": 3, "opd1_w": 3, "opd0_addr": 64}
    assert _tiu("sCONV", fields | {"opt_opd0_prec": 1, "opt_res0_prec": 1}) == 10 + 2 * 9 * (36 // 4) * 2


def test_moves_count_runs_and_memory_speed():
    made = CodeGen(chip("BM1688"))
    size = {"src_nsize": 1, "src_csize": 3, "src_hsize": 1, "src_wsize": 10, "nchw_copy": 1, "src_data_format": 1}
    made.emit("gdma", "DMA_tensor", size | {"src_start_addr_h8": 0x90, "dst_start_addr_l32": 0x4000})
    found = decode_stream(chip("BM1688").engine("gdma"), made.lookup("gdma0")[0])
    assert int(estimate(RATES, "BM1688", found).cycles[0]) == 100 + 3 * 64 // 2
    assert int(estimate(RATES, "BM1688", found, Speed(ddr=2)).cycles[0]) == 100 + 3 * 64 // 4
    assert int(estimate(RATES, "BM1688", found, Speed(latency=4, local=9)).cycles[0]) == 25 + 3 * 64 // 2


@pytest.mark.parametrize(
    ("fields", "runs", "pages"),
    [
        # One page has a quarter of the speed; runs in two pages have half of it.
        ({"src_csize": 3, "src_cstride": 10, "src_wsize": 10}, 3, 1),
        ({"src_csize": 3, "src_cstride": 2000, "src_wsize": 10}, 3, 2),
        # Pages count that runs reach before the channels begin again: the first and the third; the first alone.
        ({"src_csize": 3, "src_cstride": 5000, "src_wsize": 10}, 3, 2),
        ({"src_csize": 3, "src_cstride": 9000, "src_wsize": 10}, 3, 1),
        # A run of two pages and a half.
        ({"src_csize": 1, "src_cstride": 9000, "src_wsize": 5120}, 160, 3),
        # Lines apart in local memory are runs too.
        ({"src_csize": 1, "src_cstride": 40, "src_hsize": 4, "src_wsize": 10, "dst_hstride": 16}, 4, 1),
        # Lines with a hole behind them, and elements with holes, are runs of their own.
        ({"src_csize": 3, "src_cstride": 60, "src_hsize": 4, "src_hstride": 15, "src_wsize": 10}, 12, 1),
        (
            {"src_csize": 1, "src_cstride": 99, "src_hsize": 4, "src_hstride": 20, "src_wsize": 10, "src_wstride": 2},
            40,
            1,
        ),
    ],
)
def test_moves_have_the_channels_of_their_pages(fields: dict[str, int], runs: int, pages: int):
    table = TABLE | {"dma": {"DMA_tensor": {"*": [0.0, 64, 1.0, 4]}}}
    made = CodeGen(chip("BM1688"))
    size = {
        "src_nsize": 1,
        "src_hsize": 1,
        "src_hstride": 10,
        "src_wstride": 1,
        "stride_enable": 1,
        "src_data_format": 1,
    }
    made.emit("gdma", "DMA_tensor", size | {"src_start_addr_h8": 0x90, "dst_start_addr_l32": 0x4000} | fields)
    found = decode_stream(chip("BM1688").engine("gdma"), made.lookup("gdma0")[0])
    assert int(estimate(rates_of("BM1688", "", table), "BM1688", found).cycles[0]) == runs * 64 * 4 // pages


def _move(form: str, fields: dict[str, int], rate: list[float], func: int = 0) -> int:
    made = CodeGen(chip("BM1688"))
    made.emit("gdma", form, {"src_data_format": 1} | fields, func=func)
    found = decode_stream(chip("BM1688").engine("gdma"), made.lookup("gdma0")[0])
    rates = rates_of("BM1688", "", TABLE | {"dma": {form: {"*": rate}}})
    return int(estimate(rates, "BM1688", found).cycles[0])


def test_both_ends_in_global_memory_share_its_channels():
    far = {"src_start_addr_h8": 0x90, "dst_start_addr_h8": 0xA0, "src_nsize": 1, "src_hsize": 1, "src_wsize": 100}
    apart = {"stride_enable": 1, "src_csize": 2, "src_cstride": 2048, "dst_cstride": 100}
    # It writes to one channel of four, and reads from one, or from two: then writing is as fast.
    assert _move("DMA_tensor", far | apart | {"src_cstride": 100}, [0.0, 0, 1.0, 4]) == 2 * 200 * 4 * 4
    assert _move("DMA_tensor", far | apart, [0.0, 0, 1.0, 4]) == 2 * 200 * 2 * 2
    # It reads from one, and writes to two.
    turned = {"src_cstride": 100, "dst_cstride": 2048}
    assert _move("DMA_tensor", far | apart | turned, [0.0, 0, 1.0, 4]) == 2 * 200 * 4 * 2
    assert _move("DMA_tensor", far | apart, [0.0, 0, 1.0, 1]) == 2 * 200


def test_pieces_of_matrices_and_rows_that_are_gathered():
    """The last piece of a row costs its bytes; of a table only the rows that are looked up are moved, in whole cycles."""
    rows = {
        "src_hsize": 2,
        "src_wsize": 50,
        "dst_nsize": 2,
        "dst_csize": 4,
        "dst_wsize": 16,
        "src_start_addr_h32": 0x90000000,
    }
    assert _move("DMA_matrix", rows, [0.0, 64, 1.0]) == 2 * 100 * 64 // 32
    table = {
        "src_csize": 1,
        "src_hsize": 2000,
        "src_wsize": 12,
        "dst_hsize": 20,
        "index_csize": 3,
        "dst_start_addr_h8": 0xA0,
    }
    assert _move("DMA_gather", table | {"src_start_addr_h8": 0x90}, [7.5, 0, 1.0]) == 7 + 3 * 20 * 24


def test_types_without_a_rate_take_that_of_their_operands():
    found = rates_of(
        "BM1688", "", TABLE | {"tiu": {"sCONV": {"conv.normal i8>*": [4, 64, 1.0, 0.0], "*": [1, 1, 1.0, 0.0]}}}
    )
    rate = find_tiu(found.tiu["sCONV"], "conv.normal i8>i32 in place")
    assert rate == (TiuRate(4, 64, 1.0, 0.0), FLAGS[" in place"])
    assert find_tiu(found.tiu["sCONV"], "conv.normal f16>i32") == (TiuRate(1, 1, 1.0, 0.0), 1.0)


def test_lanes_windows_and_strides():
    """Copies from lane to lane go one by one; steps across cost three times as much; elements apart cost their distance."""
    shape = _shape(1, 3, 2, 20) | F16 | {"res0_addr": 0, "opd0_addr": 0x4000, "opd1_addr": 0x8000}
    strides = {"short_res0_str": 3, "res0_h_str": 20, "res0_w_str": 1}
    assert _tiu("sAR", shape | strides, func=2) == 2 * ceil(40 / 8)
    assert _tiu("sAR", shape | strides | {"res0_h_str": 32}, func=2) == 2 * ceil(40 / 8)
    assert _tiu("sAR", shape | strides | {"res0_w_str": 3}, func=2) == 2 * 3 * ceil(40 / 8)
    # At most one step for each: 16 bytes are 8 numbers.
    second = {"short_res0_str": 0, "short_opd1_str": 3, "opd1_w_str": 99}
    assert _tiu("sAR", shape | second, func=2) == 2 * 8 * ceil(40 / 8)
    assert _tiu("sAR", shape | second | {"opt_opd1_const": 1}, func=2) == 2 * ceil(40 / 8)
    table = {"sPorD": {"*": [1, 1, 1.0, 0.0], "pord.depthwise f16>f16": [8, 1, 1.0, 0.0]}}
    copies = {"sCW&sBC": {"*": [8, 1, 1.0, 0.0]}}
    for form, fields, func, took in (
        ("sCW&sBC", _shape(1, 3, 2, 20), 2, 3 * 5),
        ("sCW&sBC", _shape(1, 3, 2, 20), 3, 5),
        (
            "sPorD",
            _shape(1, 3, 2, 20)
            | {"opt_opd0_prec": 1, "opt_res0_prec": 1, "opd0_addr": 64, "res0_addr": 0x8000, "res_op_x_str": 1},
            0,
            5,
        ),
        (
            "sPorD",
            _shape(1, 3, 2, 20)
            | {"opt_opd0_prec": 1, "opt_res0_prec": 1, "opd0_addr": 64, "res0_addr": 0x8000, "res_op_x_str": 2},
            0,
            15,
        ),
    ):
        made = CodeGen(chip("BM1688"))
        made.emit("tiu", form, fields, func=func)
        found = decode_stream(chip("BM1688").engine("tiu"), made.lookup("tiu0")[0])
        rates = rates_of("BM1688", "", TABLE | {"tiu": table | copies})
        assert int(estimate(rates, "BM1688", found).cycles[0]) == took, (form, func)


@pytest.mark.parametrize(
    ("way", "said", "wrong"),
    [
        (0, "dr[0] S2L:60|dr[1] L2S:0", ""),
        (None, "dr[0] S2L:60|dr[1] L2S:0", ""),
        (None, "dr[0] S2L:0|dr[1] L2S:60", ""),
        (None, "dr[0] S2L:20|dr[1] L2S:40", "found GDMA SUMMARY with dr[0] 20, expected a sum of whole entries"),
        (None, "dr[0] S2L:20|dr[1] L2S:20", "line 3: found GDMA SUMMARY with 40 bytes, expected 60, those of all"),
        (None, "dr[0] S2L:60|dr[1] L2S:1", "line 3: found GDMA SUMMARY with dr[1] 1, expected 0"),
        (0, "dr[0] SNL:0.00", ""),
        (
            1,
            "dr[0] S2L:0|dr[1] L2S:60",
            "line 1: found gdma command 1 with dr:1, expected 0, from global to local memory",
        ),
        (
            0,
            "dr[0] S2L:61|dr[1] L2S:0",
            "line 3: found GDMA SUMMARY with dr[0] 61, expected 60, the bytes of the entries",
        ),
    ],
)
def test_a_profile_has_the_directions_and_bytes_of_its_moves(way: int | None, said: str, wrong: str):
    made = CodeGen(chip("BM1688"))
    size = {"src_nsize": 1, "src_csize": 3, "src_hsize": 1, "src_wsize": 10, "nchw_copy": 1, "src_data_format": 1}
    made.emit("gdma", "DMA_tensor", size | {"src_start_addr_h8": 0x90, "dst_start_addr_l32": 0x4000})
    moves = decode_stream(chip("BM1688").engine("gdma"), made.lookup("gdma0")[0])
    told = "" if way is None else f"dr:{way}|"
    text = (
        f"|GDMA_TENSOR|s:0|b:0|g:1|e:9|t:10|{told}sz:60|bw:5.6\nAPI_END total_cycle:10|b:0|g:1\nGDMA SUMMARY : |{said}"
    )
    with pytest.raises(InputError, match=re.escape(wrong)) if wrong else nullcontext():
        for found, durations in fit(parse_sections(text), [("core0.sub0", [moves])], alone=True):
            check_directions("BM1688", found, durations, None)


def test_lookup():
    tiu = {"a f16>f16": TiuRate(1, 1, 1, 0), "b f16>f16 in place": TiuRate(2, 1, 1, 0), "*": TiuRate(3, 1, 1, 0)}
    assert find_tiu(tiu, "a f16>f16 in place strided") == (tiu["a f16>f16"], 2.0)
    assert find_tiu(tiu, "b f16>f16 in place strided") == (tiu["b f16>f16 in place"], 1.0)
    assert find_tiu(tiu, "b f16>f16 in place stepped") == (tiu["b f16>f16 in place"], 3.0)
    assert find_tiu(tiu, "c f16>f16") == (tiu["*"], 1.0)
    assert find_tiu({}, "c") is None
    moves = {"m far>local": DmaRate(1, 0, 0), "*": DmaRate(2, 0, 0)}
    assert find_dma(moves, "m far>local") == moves["m far>local"]
    assert find_dma(moves, "m local>far") == moves["*"]


def test_chips():
    assert {"BM1684X", "BM1688", "CV184X", "BM1690"} <= set(chips_with_rates())
    for name in chips_with_rates():
        found = chip_rates(name)
        assert found is not None
        assert "fitted to" in found.source
        assert {"sAR", "sCONV"} <= set(found.tiu)
    borrowed = chip_rates("BM1690E")
    assert borrowed is not None
    assert borrowed.source.startswith("rates of BM1690; fitted to")
    assert chip_rates("BM1684") is None


def test_speed():
    assert parse_speed(["ddr=2x", "tiu=0.5"]) == Speed(ddr=2, tiu=0.5)
    for wrong in ("ddr", "ddr=0", "ddr=-1x", "ddr=x", "dram=2x", "ddr=nan"):
        with pytest.raises(UsageError, match="expected one of ddr=2x"):
            parse_speed([wrong])
    with pytest.raises(UsageError, match="given twice"):
        parse_speed(["ddr=2x", "ddr=3x"])


def _random_lanes(random: np.random.Generator) -> tuple[list[Lane], list[np.ndarray]]:
    """TIU and GDMA of two cores; dependencies that cannot lock; a barrier in the middle of each."""
    lanes, took = [], []
    for core in range(2):
        for engine in ("tiu", "gdma"):
            n = int(random.integers(6, 30))
            role, message, count = np.full(n, NONE, np.int8), np.zeros(n, np.int64), np.zeros(n, np.int64)
            half = n // 2
            role[half : half + 2] = SEND, WAIT
            count[half : half + 2] = 4
            # Nothing waits for what comes later than itself by place in its half.
            dep = np.zeros(n, np.int64)
            if engine == "gdma":
                dep = np.minimum(np.maximum(np.arange(n) - 2, 0), 2)
            else:
                dep[half + 2 :] = 3
            lanes.append(Lane(core, engine, np.arange(1, n + 1), dep, role, message, count))
            took.append(random.integers(0, 50, n))
    return lanes, took


@pytest.mark.parametrize("seed", range(20))
def test_the_critical_path_has_no_gap_and_reaches_the_end(seed: int):
    lanes, took = _random_lanes(np.random.default_rng(seed))
    plan = schedule(lanes, took)
    assert not plan.blocked
    found = stalls(lanes, plan, took)
    path = critical_path(plan, found)
    assert plan.start[path[0][0]][path[0][1]] == 0
    lane, row = path[-1]
    assert plan.end[lane][row] == plan.last
    for (a, i), (b, j) in itertools.pairwise(path):
        late = lanes[b].role[j] == WAIT and plan.end[b][j] - plan.start[b][j] + 1 > took[b][j]
        assert plan.end[a][i] == (plan.end[b][j] if late else plan.start[b][j] - 1)
    for index, one in enumerate(found):
        spent = took[index].sum() + one.stood.sum()
        assert spent == plan.end[index][-1] + 1
        assert ((one.blocker[:, 0] >= 0) == (one.stood > 0)).all()
