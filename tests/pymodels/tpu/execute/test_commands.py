# SPDX-License-Identifier: Apache-2.0
"""Every kind of command that is executed against a plain second implementation, on memories compared byte by byte."""

import zlib
from collections import Counter
from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest
from tpu_cases import Case, difference
from tpu_random import RandomCommand
from tpu_random_moves import COMMAND_KINDS, MoveMaker
from tpu_single import Single
from turns import in_turn

from goldbeat.pymodels.tpu.execute.machine import OPERATIONS
from goldbeat.pymodels.tpu.execute.memories import NotModelledError
from goldbeat.pymodels.tpu.execute.moves import MOVES
from goldbeat.pymodels.tpu.hazards.memory import MEMORY
from goldbeat.pymodels.tpu.streams.tables import chip

CHIPS = ("BM1684X", "BM1688", "BM1690", "CV184X")
TYPED = ("arithmetic", "lanes", "convolution", "pooling", "comparison", "picking", "rows", "cut")
TYPED += ("division", "special", "linear", "quantised", "requantised")
NOT_MODELLED = (6, 7)
"""int4 and fp8."""


def precision_fields(name: str, form: str) -> list[str]:
    """Those of a chip's form, without prefixes."""
    kinds = [kind for kind in chip(name).engines["tiu"].kinds if kind.name == form]
    return [field.removeprefix("opt_") for kind in kinds for field in kind.by_name if field.endswith("_prec")]


def compare(chip: str, kind: str, seed: int) -> str:
    rng = np.random.default_rng((zlib.crc32(f"{chip} {kind}".encode()), seed))
    case = Case(chip, getattr(MoveMaker(chip, rng), kind)(), rng)
    try:
        modelled = case.modelled()
    except NotModelledError as error:
        # What is known to be left out, and nothing else.
        wide = case.one.form == "sAR" and case.fields["res0_prec"] == 4 and "more than 62 bits" in str(error)
        if not wide and (chip, kind) != ("BM1684X", "cut"):
            raise
        return case.one.form
    found = difference(modelled, case.plain())
    assert not found, f"{case}: {found}"
    return case.one.form


@pytest.mark.parametrize("kind", COMMAND_KINDS)
def test_kind(kind: str):
    for seed in range(12):
        compare(CHIPS[seed % len(CHIPS)], kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", COMMAND_KINDS)
def test_kind_many(chip: str, kind: str):
    for seed in in_turn(range(1000, 1060)):
        compare(chip, kind, seed)


def test_every_form_is_compared():
    rng = np.random.default_rng(0)
    forms = {
        getattr(MoveMaker(chip, rng), kind)().form
        for chip in ("BM1684X", "CV184X")
        for kind in COMMAND_KINDS
        for _ in range(9)
    }
    system = {"SYS", "SYSID", "SYS_TR_ACC", "SYS_TR_WR", "sDMA_sys", "sDMA_matrix", "sBC&CWT", "sRQDQ"}
    assert set(OPERATIONS) | set(MOVES) == forms | system


@pytest.mark.parametrize(
    ("form", "func", "fields", "said"),
    [
        ("sSFU", 12, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "res0_prec": 1, "opd0_prec": 2}, "fp32 to fp16"),
        ("sAR", 12, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 2}, "integers"),
        ("sAR", 19, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 1, "res0_prec": 7}, "fp8"),
        ("sSG", 13, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "opd0_h": 2, "opd0_w": 1}, "more than one line"),
        ("sPorD", 6, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1}, "regions of interest"),
        ("sCW&sBC", 5, {"res0_n": 1, "res0_c": 3, "res0_h": 1, "res0_w": 1, "res0_prec": 1, "opd0_addr": 720}, "no formula"),
        ("sAR", 19, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1 << 15, "tsk_opd_num": 1, "res0_prec": 2,
                     "opd0_prec": 2, "opd0_addr": 0x100}, "end of a lane"),
    ],
)  # fmt: skip
def test_not_modelled_is_named(form: str, func: int, fields: dict[str, int], said: str):
    single = Single("CV184X", "tiu", form, func, fields)
    with pytest.raises(
        NotModelledError, match=rf"core0.sub0.g0.tiu: tiu command 1 \(.*{form}\) is not modelled.*{said}"
    ):
        single.run()


NOTHING = {"res0_c": 1, "res0_h": 1, "res0_w": 1, "opd0_h": 1, "opd0_w": 1, "opd1_w": 1, "opd2_const": 1}
SIZES = {f"{end}_{axis}size": 1 for end in ("src", "dst") for axis in "nchw"}
SIZES |= {"stride_enable": 1, "localmem_mask_l32": 0xFFFFFFFF}


@pytest.mark.parametrize(
    ("engine", "form", "func", "fields", "said"),
    [
        ("tiu", "sSG", 14, NOTHING | {"res0_n": 1, "res0_w": 0}, "res0 has no elements"),
        ("tiu", "sSG", 14, NOTHING | {"res0_n": 1, "opd0_w": 0}, "opd0 has no elements"),
        (
            "tiu",
            "sCONV",
            0,
            NOTHING | {"res0_n": 1, "opd0_c": 1, "opd1_h": 1, "opd1_const": 1},
            "res_op_y_str 0, expected",
        ),
        ("tiu", "sPorD", 3, NOTHING | {"res0_n": 1, "opd1_h": 1, "res_op_y_str": 1}, "res_op_x_str 0, expected"),
        ("gdma", "DMA_tensor", 0, SIZES | {"src_csize": 0}, "src has no elements"),
        ("gdma", "DMA_cw_transpose", 0, SIZES | {"src_csize": 0, "nchw_copy": 0}, ""),
        ("gdma", "DMA_matrix", 0, SIZES | {"dst_hsize": 0, "dst_wsize": 0}, ""),
    ],
)
def test_fields_of_0_are_named(engine: str, form: str, func: int, fields: dict[str, int], said: str):
    """Neither a size nor a stride of 0 ends in an error of Python's; a move of nothing is done."""
    single = Single("BM1688", engine, form, func, fields)
    with pytest.raises(NotModelledError, match=said) if said else nullcontext():
        single.run()


_CONST = {"res0_n": 1, "opd1_h": 1, "opd1_const": 1, "opd2_addr": 3, "opd3_const": 1}
_CONST |= {"res_op_y_str": 1, "res_op_x_str": 1, "opd0_prec": 5, "res0_prec": 5}
_THREE = {"res0_n": 1, "tsk_opd_num": 3, "opd1_const": 1, "opd0_prec": 1, "opd1_prec": 1, "res0_prec": 1}
_FILL = SIZES | {"fill_constant_en": 1, "constant_value": 5}

_SUM = {"reduce_enable": 1, "nchw_copy": 1, "default_lanemask1": 0xFFFFFFFF, "default_lanemask2": 0xFFFFFFFF}


@pytest.mark.parametrize(
    ("name", "engine", "form", "func", "fields", "said"),
    [
        ("BM1688", "tiu", "sCONV", 0, NOTHING | _CONST | {"opd0_c": 1, "opd1_prec": 5}, "does not name as fp32"),
        (
            "BM1690",
            "tiu",
            "sCONV",
            0,
            NOTHING | _CONST | {"opd0_c": 1, "opd1_prec": 5, "opd2_prec": 3},
            "of type int16",
        ),
        ("BM1688", "tiu", "sPorD", 0, NOTHING | _CONST, "does not name as bf16"),
        ("BM1690", "tiu", "sPorD", 0, NOTHING | _CONST, "does not name as bf16"),
        ("BM1690", "tiu", "sPorD", 0, NOTHING | _CONST | {"opd2_prec": 1}, "a bias of type fp16 with bf16"),
        ("BM1688", "tiu", "sMM2", 4, NOTHING | _CONST | {"opd1_const": 0, "opd1_prec": 5, "opd1_c": 1}, "as fp32"),
        ("BM1690", "tiu", "sMM", 1, NOTHING | {"opd0_n": 1, "opd0_c": 1, "opd2_addr": 1}, "a constant shift"),
        ("BM1690", "tiu", "sAR", 2, NOTHING | _THREE | {"opd2_addr": 1}, "a third operand"),
        ("BM1690", "tiu", "sAR", 19, NOTHING | _THREE | {"opd2_addr": 1}, "a third operand"),
        ("BM1690", "tiu", "sAR", 10, NOTHING | _THREE | {"res0_prec": 5, "opd2_prec": 3}, "int16 selected into bf16"),
        ("BM1690", "tiu", "sAR", 11, NOTHING | _THREE | {"opd2_prec": 5}, "bf16 selected into fp16"),
        ("BM1690", "gdma", "DMA_gather", 0, _FILL, "a constant in place of the source"),
        ("BM1690", "gdma", "DMA_scatter", 0, _FILL, "a constant in place of the source"),
        ("BM1684X2", "gdma", "DMA_tensor", 0, SIZES | _SUM, "adds to its target"),
    ],
)
def test_no_constant_is_dropped(name: str, engine: str, form: str, func: int, fields: dict[str, int], said: str):
    with pytest.raises(NotModelledError, match=said):
        Single(name, engine, form, func, fields).run()


@pytest.mark.parametrize(("form", "func", "bias"), [("sCONV", 0, 2), ("sMM2", 4, 2), ("sMM2", 6, 4), ("sPorD", 0, 1)])
def test_a_constant_bias_is_added(form: str, func: int, bias: int):
    """BM1690: everything else is 0, so all results are the bias of 3."""
    prec, raw = {1: (1, 0x4200), 2: (1, 0x40400000), 4: (0, 3)}[bias]
    fields = {f"opd{n}_const": 1 for n in (2, 3, 4, 5)} | {"opd2_addr": raw, "opd2_prec": bias, "res0_addr": 0x4000}
    fields |= {
        "res0_n": 1,
        "res0_c": 2,
        "res0_h": 1,
        "res0_w": 3,
        "opd0_c": 2,
        "opd0_h": 1,
        "opd0_w": 3,
        "opd0_addr": 64,
    }
    fields |= {"opd0_prec": prec, "opd1_prec": prec, "res0_prec": prec or 4, "res_op_y_str": 1, "res_op_x_str": 1}
    fields |= {"opd1_c": 3, "opd1_w": 2, "opd1_addr": 128} if func == 6 else {"opd1_c": 2, "opd1_h": 1, "opd1_w": 3}
    fields |= {"opd1_w": 1} if form != "sMM2" else {}
    single = Single("BM1690", "tiu", form, func, fields)
    single.run()
    kind = np.float16 if prec else np.int32
    for lane in range(2):
        at = lane * single.memories.chip.lane_bytes + 0x4000
        assert single.memories.local[0][at : at + 4 * 3].view(kind)[:3].tolist() == [3, 3, 3]


_ADDED = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "res_op_y_str": 1, "res_op_x_str": 1, "opd0_prec": 1}
_ADDED |= {"opd0_c": 33, "opd0_h": 1, "opd0_w": 1, "opd1_h": 1, "opd1_w": 1, "opd1_prec": 1, "opd1_const": 1}
_ADDED |= {"opd1_addr": 0x0C00, "opd2_const": 1, "opd3_const": 1, "opd4_const": 1, "res0_prec": 2, "res_add": 1}


def test_sums_of_floats_begin_with_the_old_result():
    """Two groups of channels give half of the last bit of 1 each: what begins with 1 stays 1."""
    single = Single("BM1690", "tiu", "sCONV", 0, _ADDED | {"res0_addr": 0x4000})
    lanes = single.memories.local[0].reshape(single.memories.chip.lanes, -1)
    lanes[[0, 32], :2] = np.array([2**-12], np.float16).view(np.uint8)
    lanes[0, 0x4000:0x4004] = np.array([1], np.float32).view(np.uint8)
    single.run()
    assert lanes[0, 0x4000:0x4004].view(np.float32).tolist() == [1]


@pytest.mark.parametrize(("mode", "expected"), [(1, [0, -2]), (9, [1, -2]), (17, [0, -1]), (0, [0, -2])])
def test_a_float_scale_has_its_rounding_mode_in_the_upper_bits(mode: int, expected: list[int]):
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 2, "opd0_prec": 3, "opd0_sign": 1, "opd2_sign": 1}
    fields |= {"opd1_const": 1, "opd1_addr": 0x3E800000, "opd2_n_str": mode, "res0_addr": 64}
    single = Single("BM1688", "tiu", "sRQ&sDQ", 0, fields)
    single.memories.local[0][:4] = np.array([2, -6], np.int16).view(np.uint8)
    single.run()
    assert single.memories.local[0][64:66].view(np.int8).tolist() == expected


def test_an_old_result_of_16_bits_is_refused():
    with pytest.raises(NotModelledError, match="added to an old result of fp16"):
        Single("BM1690", "tiu", "sCONV", 0, _ADDED | {"res0_prec": 1}).run()


def test_nothing_is_written_before_a_stop():
    single = Single("CV184X", "tiu", "sCONV", 0, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "rq": 1})
    with pytest.raises(NotModelledError):
        single.run()
    assert not single.memories.local[0].any()


@pytest.mark.parametrize("shift", [0, 0xFF])
def test_products_that_no_word_holds_stop(shift: int):
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 3, "res0_prec": 4, "opd0_prec": 4}
    fields |= {"opd1_prec": 4, "opd1_const": 1, "opd1_addr": 0xFFFFFFFF, "opd2_const": 1, "opd2_addr": shift}
    single = Single("CV184X", "tiu", "sAR", 20, fields)
    single.memories.local[0][:4] = 0xFF
    with pytest.raises(NotModelledError, match="more than 62 bits"):
        single.run()


@pytest.mark.parametrize("iterations", [0, 1, 2, 3])
def test_an_inverse_root_on_the_oldest_chip(iterations: int):
    """Of positive numbers the usual one, near enough to the real one; of negative ones nothing is known."""
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 8, "res0_prec": 2, "opd0_prec": 2, "res0_addr": 0x1000}
    single = Single("BM1684X", "tiu", "sSFU", 17, fields | {"opd2_n_str": iterations})
    values = np.array([0.25, 1, 2, 3, 1e-20, 1e20, 7, 0.1], np.float32)
    single.memories.local[0][:32] = values.view(np.uint8)
    single.run()
    found = single.memories.local[0][0x1000:0x1020].view(np.float32)
    assert np.allclose(found, 1 / np.sqrt(values), rtol=2e-3 / 300**iterations + 4e-7)
    values[3] = -3
    single.memories.local[0][:32] = values.view(np.uint8)
    with pytest.raises(NotModelledError, match="inverse root of negative numbers on this chip"):
        single.run()


def used_operands(one: RandomCommand) -> set[str]:
    """Operands of a random command that are not left out."""
    many = one.fields.get("tsk_opd_num", 3)
    absent = {"opd1"} if many < 2 else set()
    if many < 3 or (one.form != "sAR" and one.fields.get("opd2_const")):
        absent.add("opd2")
    return {"res0", "opd0", "opd1", "opd2"} - absent


@pytest.mark.parametrize("kind", TYPED)
def test_operands_follow_their_precision_fields(kind: str):
    """Types that are not modelled stop the command; other values stop it or, unless by chance, change what it does."""
    followed: Counter[tuple[str, bool]] = Counter()
    for seed, name in enumerate(CHIPS[kind == "cut" :]):
        rng = np.random.default_rng((zlib.crc32(f"{name} {kind}".encode()), seed))
        case = Case(name, getattr(MoveMaker(name, rng), kind)(), rng)
        base, fields = case.modelled(), dict(case.fields)
        for field in precision_fields(name, case.one.form):
            if field.removesuffix("_prec") not in used_operands(case.one):
                continue
            for value in set(range(8)) - {fields.get(field, 0)}:
                case.fields = fields | {field: value}
                try:
                    followed[field, bool(difference(base, case.modelled()))] += 1
                    assert value not in NOT_MODELLED, f"{case}: {field} = {value}"
                except NotModelledError:
                    followed[field, True] += 1
    assert followed
    for field, _ in followed:
        assert followed[field, True] > 2 * followed[field, False], field


def test_every_precision_field_is_tried():
    """Of all chips and all forms that are executed."""
    rng = np.random.default_rng(0)
    tried = set()
    for name, kind in product(CHIPS, TYPED):
        for _ in range(30):
            one = getattr(MoveMaker(name, rng), kind)()
            tried |= {
                (one.form, field) for field in precision_fields(name, one.form) if field[:-5] in used_operands(one)
            }
    same = {"sRQDQ": "sRQ&sDQ", "sBC&CWT": "sCW&sBC"}
    every = {
        (same.get(form.name, form.name), field)
        for name in MEMORY
        for form in chip(name).engines["tiu"].kinds
        if form.name in OPERATIONS
        for field in precision_fields(name, form.name)
    }
    assert every - tried == set()
    assert len(every) >= 20


@pytest.mark.parametrize(("bias", "prec"), [("<f2", 1), ("<f4", 2)])
def test_the_bias_of_a_product_has_the_type_of_its_field(bias: str, prec: int):
    """BM1690: x is 0, so y is the bias."""
    fields = {"opt_res0_prec": 1, "opt_opd0_prec": 1, "opt_opd1_prec": 1, "opt_opd2_prec": prec}
    fields |= {"res0_c": 1, "res0_w": 32, "opd1_c": 32, "opd1_w": 32}
    single = Single("BM1690", "tiu", "sMM2", 4, fields | {"res0_addr": 0x4000, "opd1_addr": 0x80, "opd2_addr": 0x140})
    values = np.arange(1, 33)
    for lane in range(64):
        at = lane * single.memories.chip.lane_bytes + 0x140
        raw = values.astype(bias).view(np.uint8)
        single.memories.local[0][at : at + len(raw)] = raw
    single.run()
    assert single.memories.local[0][0x4000:0x4040].view(np.float16).tolist() == values.tolist()


@pytest.mark.parametrize(("name", "small"), [("BM1688", 1), ("BM1690", 0)])
def test_an_exponent_is_that_of_the_next_power_above_four_thirds(name: str, small: int):
    shape = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 6, "opd0_addr": 64}
    one = Single(name, "tiu", "sSFU", 15, shape | {"res0_prec": 4, "opd0_prec": 2})
    source = np.array([0x3F800000, 0x3FAAAAAB, 0x3FAAAAAC, 0xBFFFFFFF, 0x7FC00000, 0x007FFFFF], np.uint32)
    one.memories.local[0][64:88] = source.view(np.uint8)
    one.run()
    assert one.memories.local[0][:24].view(np.int32).tolist() == [127, 127, 128, 127, 256, small]


@pytest.mark.parametrize(
    ("name", "word", "func", "prec", "bits"),
    [
        ("BM1684X", 432, 4, 2, [0x40C90FDB, 0xC2255DE7]),  # sine
        ("BM1688", 304, 4, 2, [0x40490FDB, 0x41255DE7]),  # tangent
        ("BM1688", 360, 4, 5, [0xBFA2, 0x3F80]),  # error function
        ("CV184X", 8, 4, 5, [0, 0x3F80, 0xBF00]),  # logarithm
        ("BM1684X2", 460, 4, 2, [0x3C1D955C]),  # powers of two
    ],
)
def test_static_tables_are_read(name: str, word: int, func: int, prec: int, bits: list[int]):
    form = "sTRANS&sBC" if name == "BM1684X" else "sCW&sBC"
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": len(bits), "opd0_w": len(bits), "opd0_c": 1}
    at = 4 * word + (150994944 if name == "BM1684X" else 0)
    one = Single(name, "tiu", form, func, fields | {"res0_prec": prec, "opd0_prec": prec, "opd0_addr": at})
    one.run()
    size = {2: 4, 5: 2}[prec]
    assert one.memories.local[0][: size * len(bits)].view(f"<u{size}").tolist() == bits


def test_fp32_matrices_begin_with_the_bias_and_the_old_result():
    """Terms go into two chains by turns: the first has the bias and every other product, the second has the old result."""
    fields = {"opd0_n": 1, "opd0_c": 1, "opd0_w": 2, "opd1_w": 2, "res0_c": 1, "res0_w": 1, "res_add": 1}
    fields |= {"opd0_prec": 2, "res0_prec": 2, "opd0_addr": 64, "opd1_addr": 128, "opd2_addr": 256}
    one = Single("BM1684X", "tiu", "sMM", 1, fields)
    for at, values in {0: [1.0], 64: [1.0, 1.0], 128: [-(2.0**30)], 192: [1.0], 256: [2.0**30]}.items():
        one.memories.local[0][at : at + 4 * len(values)] = np.array(values, np.float32).view(np.uint8)
    one.run()
    # In one chain the first 1 would be lost.
    assert one.memories.local[0][:4].view(np.float32) == 2


def test_a_product_is_rounded_before_it_is_added():
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 2, "res0_prec": 2, "opd0_prec": 2}
    one = Single("BM1688", "tiu", "sAR", 18, fields | {"opd1_prec": 2, "opd0_addr": 64, "opd1_addr": 64})
    one.memories.local[0][:4] = np.array([-1], np.float32).view(np.uint8)
    one.memories.local[0][64:68] = np.array([1 + 2.0**-12], np.float32).view(np.uint8)
    one.run()
    assert one.memories.local[0][:4].view(np.float32) == 2.0**-11


def test_without_strides_rows_lie_one_behind_the_other():
    """Of a gather, and of a channel that is repeated over the lanes; local channels are aligned."""
    far, mask = 0x100 << 32, {"localmem_mask_l32": 0xFFFFFFFF, "localmem_mask_h32": 0xFFFFFFFF}
    gather = {"src_csize": 2, "src_hsize": 3, "src_wsize": 2, "dst_hsize": 2, "index_csize": 1, "index_hsize": 2}
    gather |= {"src_data_format": 4, "src_start_addr_h13": 0x100, "dst_start_addr_h13": 31 << 8}
    one = Single(
        "BM1690", "gdma", "DMA_gather", 0, gather | mask | {"index_start_addr_h13": 0x100, "index_start_addr_l32": 48}
    )
    one.memories.far_bytes(far, 48)[:] = np.arange(12, dtype=np.int32).view(np.uint8)
    one.memories.far_bytes(far + 48, 8)[:] = np.array([2, 0], np.int32).view(np.uint8)
    one.run()
    lanes = one.memories.local[0].reshape(64, -1)
    assert lanes[:2, :16].copy().view(np.int32).tolist() == [[4, 5, 0, 1], [10, 11, 6, 7]]
    repeat = {
        f"{end}_{axis}size": size for end in ("src", "dst") for axis, size in zip("nchw", (1, 1, 3, 2), strict=True)
    }
    repeat |= {"dst_csize": 2, "src_data_format": 4, "src_start_addr_h13": 0x100, "dst_start_addr_h13": 31 << 8}
    one = Single("BM1690", "gdma", "DMA_tensor", 3, repeat | mask)
    one.memories.far_bytes(far, 24)[:] = np.arange(6, dtype=np.int32).view(np.uint8)
    one.run()
    lanes = one.memories.local[0].reshape(64, -1)
    assert lanes[:2, :24].copy().view(np.int32).tolist() == [list(range(6))] * 2


@pytest.mark.parametrize(
    ("prec", "bits", "expected"),
    [(1, [0x4400, 0, 0x8000, 0xBC00, 0x7C00], [0x3800, 0x7C00, 0xFC00, 0x7FFF, 0]), (5, [0x0001], [0x7F80])],
)
def test_inverse_roots_of_halves(prec: int, bits: list[int], expected: list[int]):
    shape = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": len(bits), "opd0_addr": 64, "opd2_n_str": 3}
    one = Single("BM1690", "tiu", "sSFU", 17, shape | {"res0_prec": prec, "opd0_prec": prec})
    one.memories.local[0][64 : 64 + 2 * len(bits)] = np.array(bits, np.uint16).view(np.uint8)
    one.run()
    assert one.memories.local[0][: 2 * len(bits)].view(np.uint16).tolist() == expected


@pytest.mark.parametrize(
    ("name", "expected"), [("BM1684X", 0), ("BM1688", 0), ("BM1690", 0x8000), ("BM1684X2", 0x8000)]
)
def test_depthwise_sums_of_negative_zeros(name: str, expected: int):
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "opd0_h": 1, "opd0_w": 1, "opd1_h": 1, "opd1_w": 1}
    fields |= {"res_op_x_str": 1, "res_op_y_str": 1, "opd0_prec": 1, "res0_prec": 1, "opd2_const": 1, "opd3_const": 1}
    one = Single(name, "tiu", "sPorD", 0, fields | {"opd1_const": 1, "opd1_addr": 0xBC00})
    one.run()
    assert one.memories.local[0][:2].view(np.uint16) == expected


@pytest.mark.parametrize(("func", "bits", "expected"), [(2, [0x0801, 0x8401], 0x0401), (4, [0x0001, 0x0002], 0x0002)])
def test_one_chip_calculates_without_small_numbers(func: int, bits: list[int], expected: int):
    """A difference within the normal numbers stays; choosing the greater one does not calculate."""
    fields = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 2, "res0_prec": 1, "opd0_prec": 1}
    fields |= {"opd1_prec": 1, "opd0_const": 1, "opd1_const": 1, "opd0_addr": bits[0], "opd1_addr": bits[1]}
    one = Single("BM1684X2", "tiu", "sAR", func, fields)
    one.run()
    assert one.memories.local[0][:2].view(np.uint16) == expected
    one = Single("BM1684X2", "tiu", "sAR", 3, fields | {"opd0_addr": 0x0402, "opd1_addr": 0x0401})
    one.run()
    assert one.memories.local[0][:2].view(np.uint16) == 0
