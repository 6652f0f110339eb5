# SPDX-License-Identifier: Apache-2.0
"""Every kind of command that is executed against a plain second implementation, on memories compared byte by byte."""

import zlib

import numpy as np
import pytest
from tpu_cases import Case, difference
from tpu_random_moves import MoveMaker
from tpu_single import Single

from goldbeat.pymodels.tpu.execute.machine import OPERATIONS
from goldbeat.pymodels.tpu.execute.memories import NotModelledError
from goldbeat.pymodels.tpu.execute.moves import MOVES

CHIPS = ("BM1684X", "BM1688", "BM1690", "CV184X")
KINDS = ("arithmetic", "lanes", "convolution", "pooling", "comparison", "picking", "rows", "cut")
KINDS += ("tensor", "turned", "matrix", "general", "gather", "division", "special", "quantised", "requantised")


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


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind: str):
    for seed in range(12):
        compare(CHIPS[seed % len(CHIPS)], kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", KINDS)
def test_kind_many(chip: str, kind: str):
    for seed in range(60):
        compare(chip, kind, 1000 + seed)


def test_every_form_is_compared():
    rng = np.random.default_rng(0)
    forms = {
        getattr(MoveMaker(chip, rng), kind)().form for chip in ("BM1684X", "CV184X") for kind in KINDS for _ in range(9)
    }
    system = {"SYS", "SYSID", "SYS_TR_ACC", "SYS_TR_WR", "sDMA_sys", "sDMA_matrix", "sBC&CWT", "sRQDQ"}
    assert set(OPERATIONS) | set(MOVES) == forms | system


@pytest.mark.parametrize(
    ("form", "func", "fields", "said"),
    [
        ("sSFU", 15, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "res0_prec": 2, "opd0_prec": 2}, "function 15"),
        ("sSFU", 17, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "res0_prec": 1, "opd0_prec": 1}, "of fp16"),
        ("sSFU", 12, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "res0_prec": 1, "opd0_prec": 2}, "fp32 to fp16"),
        ("sAR", 12, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 2}, "integers"),
        ("sAR", 19, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 1, "res0_prec": 7}, "fp8"),
        ("sSG", 13, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "opd0_h": 2, "opd0_w": 1}, "more than one line"),
        ("sPorD", 6, {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1}, "regions of interest"),
        ("sCW&sBC", 5, {"res0_n": 1, "res0_c": 3, "res0_h": 1, "res0_w": 1, "res0_prec": 1}, "no formula"),
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
