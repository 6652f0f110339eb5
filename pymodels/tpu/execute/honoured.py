# SPDX-License-Identifier: Apache-2.0
"""What execution does with each field of a command: it honours the field, the field has no effect, or any value but 0 is refused.

Names are those of the bit tables without ``opt_`` and ``short_``. A field that is in no list is refused unless it is 0, and a
test fails until it is put into one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.execute.numbers import INT4, INT8, INT16, INT32
from goldbeat.pymodels.tpu.hazards.builder import Builder

_PREFIXES = ("opt_", "short_short_", "short_")
_SPARE = ("rsvd", "reser", "unn")
WITHOUT_EFFECT: Mapping[str, str] = {
    **dict.fromkeys(("cmd_short", "op_code", "tsk_typ", "tsk_eu_typ", "cmd_type", "cmd_special_function"), "the form"),
    **dict.fromkeys(("cmd_id", "cmd_id_dep", "cmd_id_en", "cmd_id_eng1", "cmd_id_eng2", "cmd_id_eng3"), "the order"),
    **dict.fromkeys(("pwr_step", "intr_en", "dbg_mode", "break_point"), "power, interrupts and debugging"),
    **dict.fromkeys(("cache_en", "cache_flush", "bid_in_order", "bw_lmt_rd", "bw_lmt_wr", "early_resp_dis"), "timing"),
}
"""Fields of all forms that change no data, and what they are for."""


def _words(text: str) -> frozenset[str]:
    """Names, where ``opd0_{n,c}`` stands for two of them."""
    found = set()
    for word in text.split():
        head, brace, rest = word.partition("{")
        inside, _, tail = rest.partition("}")
        found |= {f"{head}{one}{tail}" for one in inside.split(",")} if brace else {word}
    return frozenset(found)


_DMA = "src_data_format constant_value fill_constant_en {src,dst}_start_addr_l32 {src,dst}_start_addr_h8"
_DMA += " {src,dst}_start_addr_h13 {src,dst}_start_addr_h32 {src,dst}_start_addr_l8 localmem_mask_{l,h}32"
_DMA += " default_lanemask{1,2} decompress_enable"
_SIDES = " src_{n,c,h,w}size dst_{n,c,h,w}size src_{n,c,h,w}stride dst_{n,c,h,w}stride"
_INDEX = " index_{c,h}stride index_csize index_start_addr_{l32,h8,h13} src_{c,h}stride dst_{c,h}stride"
_INDEX += " src_{c,h,w}size dst_{c,h}size nchw_copy stride_enable"
_INDEX += " src_{csize_or_src_csize_l16,hstride_or_src_csize_h16} dst_{csize_or_dst_csize_l16,hstride_or_dst_csize_h16}"
_INDEX += " index_csize_l16"
_WINDOW = " opd0_{up,dn,lf,rt}_pad opd0_{x,y}_ins0 opd1_{x,y}_ins0 res_op_{x,y}_str pad_mode kernel_rotate"
_SHAPE = " res0_{n,c,h,w} res0_addr opd0_addr res0_prec opd0_prec"
HONOURED: Mapping[str, frozenset[str]] = {
    form: _words(text)
    for form, text in {
        "sAR": _SHAPE
        + " res0_sign opd{0,1,2}_const tsk_opd_num opd{1,2}_prec opd{0,1,2}_sign {res0,opd0,opd1}_str opd2_n_str"
        " opd{1,2}_addr res0_{n,c,h,w}_str opd0_{n,c,h,w}_str opd1_{n,c,h,w}_str"
        " res0_{n,c}_str_15_0 res0_{n,c}_str_17_16 opd0_{n,c}_str_15_0 opd0_{n,c}_str_17_16"
        " opd1_{n,c}_str_15_0 opd1_{n,c}_str_17_16",
        "sCMP": _SHAPE + " opd{0,1,2,3}_const opd2_prec opd{0,1}_str opd0_sign res1_addr opd{1,2,3}_addr",
        "sCONV": _SHAPE + _WINDOW + " opd{0,1,2}_sign res0_sign res_add opd{1,2}_prec opd{1,2,3,4,5}_const opd0_str"
        " opd0_{n,c,h,w}_str opd0_{n,c,h,w} opd1_{h,w} opd{1,2,3}_addr relu rq opd2_n_str",
        "sPorD": _SHAPE + _WINDOW + " opd{0,1,2}_sign res0_sign opd2_prec opd{1,2,3,5}_const opd0_{h,w} opd1_{h,w}"
        " opd{1,2,3}_addr relu rq opd2_n_str",
        "sMM": "res0_addr opd{0,1,2}_addr res0_{c,w} opd0_{n,c,w} opd1_w res0_prec opd0_prec opd{0,1,2}_sign res0_sign"
        " res_add left_tran opd{0,2}_const relu rq",
        "sMM2": "res0_addr opd{0,1,2}_addr res0_{c,w} opd1_{c,w} res0_prec opd{0,1,2}_prec opd{0,1,2}_sign res0_sign"
        " res_add opd{0,1,2,4,5}_const relu rq opd2_n_str",
        "sLIN": _SHAPE + " opd{1,2}_const opd{1,2}_addr opd1_str opd1_{n,c,h,w} opd{0,1,2}_sign res0_sign",
        "sRQ&sDQ": _SHAPE + " opd0_sign opd2_sign res0_sign opd1_const opd2_n_str opd{1,2}_addr",
        "sSFU": _SHAPE + " opd0_sign res0_sign opd1_n opd1_addr opd2_n_str opd1_const",
        "sSG": _SHAPE + " opd2_const opd0_str opd0_{h,w} opd1_{c,w} opd1_prec opd{1,2}_addr",
        "sTRANS&sBC": _SHAPE + " opd0_{c,w}",
        "sCW&sBC": _SHAPE + " opd0_{c,w}",
        "SYS": "",
        "SYSID": "",
        "SYS_TR_ACC": "imm{0,1} reg_idx{0,1,2}",
        "SYS_TR_WR": "imm{0,1} reg_idx{0,1,2}",
        "DMA_tensor": _DMA + _SIDES + " stride_enable nchw_copy reduce_enable",
        "DMA_cw_transpose": _DMA + _SIDES,
        "DMA_matrix": _DMA + _SIDES,
        "sDMA_matrix": _DMA,
        "DMA_general": _DMA + " src_cstride(move_length) src_cstride dst_csize",
        "DMA_gather": _DMA + _INDEX,
        "DMA_scatter": _DMA + _INDEX,
        "sDMA_sys": "",
    }.items()
}
"""Fields that execution reads, or that decide what it refuses, by form."""
SILENT: Mapping[str, frozenset[str]] = {
    form: _words(text)
    for form, text in {
        "sCMP": "opd2_sign",
        "sCONV": "res1_addr",
        "sMM": "opd2_n_str",
        "SYS": "reg_vld reg_idx imm",
        "DMA_general": "stride_enable nchw_copy",
        "DMA_cw_transpose": "nchw_copy",
        "DMA_gather": "index_hsize dst_wsize",
        "DMA_scatter": "index_hsize dst_wsize",
        "sDMA_sys": "stride_enable nchw_copy decompress_enable fill_constant_en src_data_format constant_value index",
    }.items()
}
"""Fields that change no data in this form: so say the functional models, and the message commands move nothing."""
NEEDED = dict.fromkeys(("DMA_cw_transpose", "DMA_matrix"), ("stride_enable",))
"""Flags that must be set: what a move without strides does is not modelled."""
_REFUSED_GATHER = "start_point start_pos index_csize_h16"
REFUSED: Mapping[str, frozenset[str]] = {
    form: _words(text)
    for form, text in {
        "sAR": "sym_range",
        "sCMP": "sym_range opd1_{n,c,h,w}_str",
        "sCONV": "sym_range",
        "sPorD": "sym_range res1_addr opd3_str",
        "sMM": "sym_range opd3_addr",
        "sMM2": "sym_range",
        "sRQ&sDQ": "sym_range opd0_str res1_addr",
        "sSFU": "sym_range opd1_str res1_addr opd2_addr opd1_{n,c,h,w}_str opd3_addr",
        "sLIN": "sym_range",
        "sSG": "opd3_const res1_addr opd3_addr",
        "DMA_tensor": "all_reduce_code reduce_opcode reduce_op_sum scale_const_val",
        "DMA_matrix": "nchw_copy",
        "sDMA_matrix": "stride_enable nchw_copy src_hstride/dst_hstride dst_nstride/src_nstride dst_cstride/src_cstride"
        " src_hsize/dst_hsize src_wsize/dst_wsize dst_nsize/src_nsize dst_csize/src_csize dst_wsize/src_wsize",
        "DMA_general": "src_nstride src_{h,w}stride dst_{n,c,h,w}stride src_{n,c,h,w}size dst_{n,h,w}size"
        " src_wsize_{l,h}16",
        "DMA_gather": _REFUSED_GATHER,
        "DMA_scatter": _REFUSED_GATHER + " inplace_add",
    }.items()
}
"""Fields that stop the run unless they are 0; the range of integers counts where the result is one."""
_INTEGERS = (INT8, INT16, INT32, INT4)
_PART = {"start_pos": 0xFFFF}
"""Bits of a field that count: compiled gathers of BM1690 have others, without effect."""


def bare_field(field: str) -> str:
    """A field without its prefix."""
    return next((field[len(p) :] for p in _PREFIXES if field.startswith(p)), field)


def checked_fields(builder: Builder) -> list[str]:
    """The fields of a form that are not reserved, by their names in the tables."""
    return [one.name for one in builder.kind.fields if not bare_field(one.name).lower().startswith(_SPARE)]


def not_honoured(builder: Builder) -> Iterator[tuple[str, npt.NDArray[np.int64]]]:
    """Fields that have a value that execution does not honour, each with the rows of its commands."""
    form = builder.kind.name
    if form not in HONOURED:
        return
    for flag in NEEDED.get(form, ()):
        if builder.has(flag) and (rows := builder.rows[builder[flag] == 0]).size:
            yield f"{flag}=0", rows
    known = HONOURED[form] | SILENT.get(form, frozenset()) | set(WITHOUT_EFFECT) | set(NEEDED.get(form, ()))
    for field in checked_fields(builder):
        name = bare_field(field)
        if name in known:
            continue
        values = builder[field] & _PART.get(name, -1)
        if name == "sym_range":
            values = values * np.isin(builder["res0_prec"], _INTEGERS)
        for value in np.unique(values[values != 0]).tolist():
            yield f"{name}={value}", builder.rows[values == value]
