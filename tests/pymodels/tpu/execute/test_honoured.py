# SPDX-License-Identifier: Apache-2.0
"""Every field of every command form that is executed: honoured, without effect, or refused."""

import pytest
from tpu_single import Single

from goldbeat.pymodels.tpu.execute.honoured import (
    HONOURED,
    NEEDED,
    REFUSED,
    SILENT,
    WITHOUT_EFFECT,
    bare_field,
    checked_fields,
)
from goldbeat.pymodels.tpu.execute.machine import OPERATIONS
from goldbeat.pymodels.tpu.execute.memories import NotModelledError
from goldbeat.pymodels.tpu.execute.moves import MOVES
from goldbeat.pymodels.tpu.hazards.memory import MEMORY
from goldbeat.pymodels.tpu.streams.tables import chip

FORMS = [
    (name, engine, kind)
    for name in MEMORY
    for engine, table in chip(name).engines.items()
    if engine in ("tiu", "gdma", "sdma")
    for kind in table.kinds
    if kind.name in (OPERATIONS if engine == "tiu" else MOVES)
]


class _Form:
    """A form as ``checked_fields`` takes it."""

    def __init__(self, kind) -> None:
        self.kind = kind


@pytest.mark.parametrize(("name", "engine", "kind"), FORMS, ids=[f"{n}-{e}-{k.name}" for n, e, k in FORMS])
def test_every_field_is_honoured_or_silent_or_refused(name: str, engine: str, kind):
    lists = [HONOURED[kind.name], SILENT.get(kind.name, ()), REFUSED.get(kind.name, ()), WITHOUT_EFFECT]
    lists.append(NEEDED.get(kind.name, ()))
    for field in map(bare_field, checked_fields(_Form(kind))):
        assert sum(field in listed for listed in lists) == 1, field


SAR = {"res0_n": 1, "res0_c": 1, "res0_h": 1, "res0_w": 1, "tsk_opd_num": 1, "res0_addr": 64}


@pytest.mark.parametrize(
    ("name", "engine", "form", "fields", "said"),
    [
        ("BM1690", "tiu", "sAR", SAR | {"sym_range": 1}, "field sym_range=1"),
        ("BM1690", "gdma", "DMA_tensor", {"all_reduce_code": 2}, "field all_reduce_code=2"),
        ("BM1690", "gdma", "DMA_cw_transpose", {"src_nsize": 1}, "field stride_enable=0"),
        ("BM1690", "gdma", "DMA_gather", {"stride_enable": 1, "start_pos": 1}, "field start_pos=1"),
        ("BM1684X2", "tiu", "sRQ&sDQ", SAR | {"opd0_str": 3}, "field opd0_str=3"),
    ],
)
def test_a_field_that_is_not_honoured_is_named(name: str, engine: str, form: str, fields: dict[str, int], said: str):
    with pytest.raises(NotModelledError, match=said):
        Single(name, engine, form, 14 if form == "sAR" else 0, fields).run()


def test_the_range_of_integers_does_not_matter_to_floats():
    Single("BM1690", "tiu", "sAR", 14, SAR | {"sym_range": 1, "res0_prec": 1, "opd0_prec": 2}).run()


def test_the_sign_tells_fp16_from_bf16():
    """BM1684X2 has one code for both; 1 is 0x3C00 or 0x3F80."""
    for sign, bits in ((0, 0x3C00), (1, 0x3F80)):
        fields = SAR | {"opd0_prec": 2, "opd0_sign": 1, "res0_prec": 1, "res0_sign": sign, "opd2_n_str": 1}
        single = Single("BM1684X2", "tiu", "sAR", 14, fields)
        single.memories.local[0][2:4] = (0x80, 0x3F)
        single.run()
        assert single.memories.local[0][64:66].tolist() == [bits & 0xFF, bits >> 8]


def test_one_type_of_16_bits_is_not_taken_for_the_other():
    with pytest.raises(NotModelledError, match="bf16 to fp16"):
        Single("BM1684X2", "tiu", "sSFU", 12, SAR | {"opd0_prec": 1, "opd0_sign": 1, "res0_prec": 1}).run()
