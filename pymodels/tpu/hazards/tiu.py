# SPDX-License-Identifier: Apache-2.0
"""Operands of TIU commands.

Source: the operand converters of the debugger of TPU-MLIR 1.30.2 (python/debugger/target_*/opparam.py, BSD-2-Clause), which name
address, shape, type and layout of the operands of every short form. The facts are used here, no code. Where they contradict each
other, or the addresses of a stream, the operand is counted as not modelled.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldbeat.pymodels.tpu.hazards.builder import (
    ALIGNED,
    COMPACT,
    LINES,
    STRIDED,
    TABLE,
    Builder,
    Column,
    Flags,
    Tensor,
    Value,
)
from goldbeat.pymodels.tpu.hazards.memory import MEMORY, NOWHERE, STATIC, STATIC_BYTES

_INT8, _FP16, _FP32, _INT32, _BF16 = 0, 1, 2, 4, 5


def _used(b: Builder, operand: str) -> Flags:
    found: Flags = b[f"{operand}_const"] == 0
    return found


NO_ZERO_IN_MEMORY = tuple(MEMORY[name] for name in ("CV184X", "SGTPUV8", "BM1684X2"))
"""Chips whose zero point of kernels is in a register alone."""


def _is(b: Builder, *funcs: int) -> Flags:
    return np.isin(b.func, funcs)


def _any(flags: Flags) -> bool:
    return bool(flags.any())


def _indirect(b: Builder, operand: str, use: Flags) -> None:
    if _any(use):
        b.omit(operand, "address in a register", use)


def tiu_conv(b: Builder) -> None:
    """sCONV: weights are ``output channels`` over the lanes, input channels rounded up to the width of the cube."""
    n = b["res0_n"] if b.has("res0_n") else b["opd0_n"]
    _, oc, oh, ow = b.shape("res0")
    ic = b["opd0_c"]
    precision = b["opd0_prec"]
    b.tiu("res0", Tensor((n, oc, oh, ow)), b["res0_prec"])
    b.tiu("opd0", Tensor((n, ic, b["opd0_h"], b["opd0_w"]), b["opd0_str"], b.strides("opd0")), precision)
    size = b.size(precision)
    cube = np.where(size == 1, b.memory.cube, np.where(size == 2, b.memory.cube // 2, 1))
    weights = -(-ic // cube) * cube * b["opd1_h"] * b["opd1_w"]
    b.tiu("opd1", Tensor((1, oc, 1, weights), COMPACT), precision)
    old = not b.has("rq")
    points = _used(b, "opd2") & (b.size(precision) == 1) & old
    own = np.where(b.size(precision) == 1, _INT32, _FP32)
    b.tiu("opd2", Tensor((1, oc, 1, 1), COMPACT), _bias_precision(b, precision, own), ~points)
    if _any(points):
        b.omit("opd2", "shape of zero points", points)
    pads = _used(b, "opd3")
    if _any(pads):
        b.omit("opd3", "shape of padding values", pads)
    if not old:
        # The functional models of some chips do not look at it.
        if b.memory not in NO_ZERO_IN_MEMORY:
            _indirect(b, "opd4", (b["rq"] != 0) & _used(b, "opd4"))
        _scales(b, oc, (b["rq"] != 0) & _used(b, "opd5"))


def _bias_precision(b: Builder, precision: Column, own: Value) -> Value:
    """That of the field for 16-bit floats, where the form has it; otherwise the operands decide."""
    return np.where(np.isin(precision, (_FP16, _BF16)), b["opd2_prec"], own) if b.has("opd2_prec") else own


def _scales(b: Builder, channels: Column, use: Flags) -> None:
    """Multiplier and shift of each channel, at the address in register 6."""
    memory, address = b.memory.tiu(b.register)
    b.place("opd5", memory, address, Tensor((1, channels, 1, 2), COMPACT), b.size(_INT32), use)


def tiu_matrix(b: Builder) -> None:
    """sMM: rows are n, columns are cut into channels of w; the last channel of the left operand is shorter."""
    rows, c, w, last = b["opd0_n"], b["opd0_c"], b["opd0_w"], b["opd1_w"]
    use = _used(b, "opd0")
    precision = b["opd0_prec"]
    # The last channel begins where a whole one would; its row stride is that of a whole one.
    if _any(use):
        _split(b, "opd0", (rows, c, w, last), precision, use)
    columns = w * (c - 1) + last
    turned = b["left_tran"] != 0
    high, inner = np.where(turned, columns, rows), np.where(turned, rows, columns)
    b.tiu("res0", Tensor((high, b["res0_c"], 1, b["res0_w"])), b["res0_prec"])
    b.tiu("opd1", Tensor((inner, b["res0_c"], 1, b["res0_w"])), precision)
    bias = _used(b, "opd2")
    float32 = bias & (precision == _FP32)
    b.tiu("opd2", Tensor((1, b["res0_c"], 1, b["res0_w"])), precision, float32)
    if _any(bias & ~float32):
        b.omit("opd2", "type of shift or bias", bias & ~float32)


def _split(
    b: Builder, operand: str, shape: tuple[Column, Column, Column, Column], precision: Column, use: Flags
) -> None:
    """``n`` rows of ``c`` channels of ``w`` elements, of which the last channel has ``last`` only."""
    n, c, w, last = shape
    size = b.size(precision)
    memory, address = b.memory.tiu(b[f"{operand}_addr"])
    step = -(-w * size // b.memory.unit) * b.memory.unit
    lane = address // b.memory.lane_bytes
    n_step = (lane + c + b.memory.lanes - 1) // b.memory.lanes * step
    safe = np.maximum(size, 1)
    strides = (n_step // safe, step // safe, 0 * w, 0 * w + 1)
    b.place(operand, memory, address, Tensor((n, c - 1, 1, w), STRIDED, strides), size, use & (c > 1))
    lane_bytes, lanes = b.memory.lane_bytes, b.memory.lanes
    behind = lane + c - 1
    at = behind % lanes * lane_bytes + address % lane_bytes + behind // lanes * step
    b.place(operand, memory, at, Tensor((n, 1, 1, last), STRIDED, strides), size, use)


def tiu_matrix2(b: Builder) -> None:
    """sMM2: rows are channels; func 4 is as it stands, 5 turns the right operand, 6 both."""
    precision = b["opd0_prec"]
    rows, columns = b["res0_c"], b["res0_w"]
    right = (b["opd1_c"], b["opd1_w"])
    left_rows = np.where(b.func == 6, right[1], rows)
    left_columns = np.where(b.func == 5, right[1], np.where(b.func == 6, rows, right[0]))
    b.tiu("res0", Tensor((1, rows, 1, columns)), b["res0_prec"])
    b.tiu("opd0", Tensor((1, left_rows, 1, left_columns)), precision)
    b.tiu("opd1", Tensor((1, right[0], 1, right[1])), precision)
    old = not b.has("rq")
    extra = (precision == _INT8) if old else np.ones(len(b), np.bool_)
    wide = np.where(precision == _INT8, _INT8 if old else _INT32, _FP32)
    turned = (b.func == 6) & _used(b, "opd2")
    bias = _bias_precision(b, precision, wide)
    # Only the lanes in which rows of the result are take part.
    b.tiu("opd2", Tensor((1, np.minimum(rows, b.memory.lanes), 1, columns)), bias, extra & ~turned)
    if _any(extra & turned):
        b.omit("opd2", "shape of the bias of turned operands", extra & turned)
    if not old:
        for operand in ("opd4", "opd5"):
            _indirect(b, operand, (b["rq"] != 0) & _used(b, operand))


def tiu_compare(b: Builder) -> None:
    """sCMP: a maximum or minimum and what goes with it; funcs 23, 24 and 26 have one result."""
    shape = b.shape("res0")
    first, second = b["opd0_prec"], b["opd2_prec"]
    single = _is(b, 23, 24, 26)
    b.tiu("res0", Tensor(shape), np.where(single, second, first))
    b.tiu("res1", Tensor(shape), second, ~single)
    for operand, precision in (("opd0", first), ("opd1", first)):
        b.tiu(operand, Tensor(shape, b[f"{operand}_str"]), precision)
    for operand in ("opd2", "opd3"):
        b.tiu(operand, Tensor(shape), second)


def tiu_special(b: Builder) -> None:
    """sSFU: funcs 12 and 13 read a table of coefficients in every lane that is used."""
    shape = b.shape("res0")
    b.tiu("res0", Tensor(shape), b["res0_prec"])
    b.tiu("opd0", Tensor(shape), b["opd0_prec"])
    taylor = _is(b, 12, 13)
    many = np.minimum(shape[1], b.memory.lanes)
    table = Tensor((1, many, 1, b["opd1_n"]), STRIDED, (0, 0, 0, 1))
    b.tiu("opd1", table, b["opd0_prec"], taylor)


def tiu_linear(b: Builder) -> None:
    """sLIN: a value, or two, for each channel."""
    shape, precision = b.shape("res0"), b["res0_prec"]
    b.tiu("res0", Tensor(shape), precision)
    b.tiu("opd0", Tensor(shape), precision)
    each = Tensor((1, shape[1], 1, 1), COMPACT)
    b.tiu("opd1", each, precision)
    b.tiu("opd2", each, precision, b.func == 1)


def tiu_vectors(b: Builder) -> None:
    """sVC: every element of one vector with every element of another."""
    c, w, last = b["opd0_c"], b["opd0_w"], b["opd1_w"]
    many = (c - 1) * w + last
    b.tiu("res0", Tensor((many, b["res0_c"], 1, b["res0_w"])), b["res0_prec"])
    _split(b, "opd0", (0 * c + 1, c, w, last), b["opd0_prec"], np.ones(len(b), np.bool_))
    b.tiu("opd1", Tensor((1, b["res0_c"], 1, b["res0_w"])), b["opd1_prec"])


def tiu_arithmetic(b: Builder) -> None:
    """sAR: element by element; a stride of 0 repeats."""
    shape, many = b.shape("res0"), b["tsk_opd_num"]
    b.tiu("res0", Tensor(shape, b["res0_str"], b.strides("res0")), b["res0_prec"])
    one = np.where(b.func == 28, 1, shape[0])
    copies = (one, *shape[1:]) if not b.has("op_code") else shape
    layout = Tensor(copies, b["opd0_str"], b.strides("opd0"))
    b.tiu("opd0", layout, b["opd0_prec"], many >= 1)
    layout = Tensor(shape, b["opd1_str"], b.strides("opd1"))
    b.tiu("opd1", layout, b["opd1_prec"], many >= 2)
    pair = np.where((b.func == 17) & (not b.has("op_code")), 2, 1)
    b.tiu("opd2", Tensor((1, shape[1], 1, pair), COMPACT), b["opd2_prec"], many >= 3)


def tiu_pooling(b: Builder) -> None:
    """sPorD: depthwise convolution (0), average (1), minimum and maximum (3, 4) over windows."""
    n, c, h, w = b.shape("res0")
    precision = b["opd0_prec"]
    b.tiu("res0", Tensor((n, c, h, w)), b["res0_prec"])
    b.tiu("opd0", Tensor((n, c, b["opd0_h"], b["opd0_w"])), precision)
    old = not b.has("rq")
    depthwise = _is(b, 0, 2) if old else _is(b, 0)
    kernel = Tensor((1, c, b["opd1_h"], b["opd1_w"]), COMPACT)
    averaged = _is(b, 1) & (not old)
    b.tiu("opd1", kernel, precision, depthwise | averaged)
    narrow = b.size(precision) == 1
    # Compilers leave 0 in the field that names the type of the bias.
    untyped = _used(b, "opd2") & depthwise & narrow & (not old) & (b["opd2_prec"] != 0) & (b["opd2_prec"] != _INT32)
    b.tiu("opd2", Tensor((1, c, 1, 1), COMPACT), np.where(narrow, _INT32, precision), depthwise & ~untyped)
    if _any(untyped):
        b.omit("opd2", "type of the bias", untyped)
    plain = _is(b, 0, 1, 2, 3, 4)
    b.tiu("opd3", Tensor((1, c, 1, 2), COMPACT), precision, plain)
    if _any(~plain):
        for operand in ("opd1", "opd2", "opd3"):
            b.omit(operand, "regions of interest", ~plain & _used(b, operand))
    if not old:
        _scales(b, c, (b["rq"] != 0) & _used(b, "opd5"))


def tiu_lanes(b: Builder) -> None:
    """sCW&sBC, sTRANS&sBC: 0, 1 turn channels and width; 2 copies, 3 repeats a channel, 4 and 5 read the static memory."""
    n, c, h, w = b.shape("res0")
    precision = b["res0_prec"]
    row, each = b.func == 4, b.func == 5
    shape = (np.where(row | each, 1, n), c, np.where(row | each, 1, h), np.where(each, 1, w))
    # Of func 0 the debugger has lines in the operand, the functional models in the result; the latter execute it.
    layout = np.where(each, COMPACT, np.where(b.func == 0, LINES, ALIGNED))
    b.tiu("res0", Tensor(shape, layout), precision)
    b.tiu("opd0", Tensor((n, w, h, c)), precision, _is(b, 0, 1))
    b.tiu("opd0", Tensor((n, np.where(b.func == 3, 1, c), h, w)), precision, _is(b, 2, 3))
    # Addresses of the static memory may lack its bit.
    given = b["opd0_addr"]
    memory, fixed = b.memory.tiu(given)
    short = given < STATIC_BYTES
    static = np.where((memory == STATIC) | short, STATIC, NOWHERE)
    source = Tensor((1, 1, 1, np.where(each, c, w)), COMPACT)
    b.place("opd0", static, np.where(short, given, fixed), source, b.size(precision), row | each)


def tiu_quantise(b: Builder) -> None:
    """sRQ&sDQ: two numbers of 4 bytes, on BM1684X three of integers, for each channel, side by side, in the channel's lane."""
    shape = b.shape("res0")
    b.tiu("res0", Tensor(shape), b["res0_prec"])
    b.tiu("opd0", Tensor(shape), b["opd0_prec"])
    # The functional models of the newer chips hold shift and zero point in one word, and rows of them side by side.
    old = b.memory is MEMORY["BM1684X"]
    words = np.where(_is(b, 1, 4), 3 if old else 2, 2)
    row = np.full(len(b), b.memory.unit // 4) if old else words
    use = _used(b, "opd1") & _is(b, 0, 1, 3, 4)
    b.tiu("opd1", Tensor((1, shape[1], 1, words), STRIDED, (0, row, 0, 1)), _FP32, use)


def tiu_gather(b: Builder) -> None:
    """sSG: elements by their index; which ones is data, so all of the table counts."""
    n, c, h, w = b.shape("res0")
    flat, deep, own = _is(b, 0, 3), _is(b, 1, 4), _is(b, 5, 6, 13, 14)
    known = flat | deep | own
    b.tiu("res0", Tensor((n, c, h, w)), b["res0_prec"], known)
    precision, index = b["opd0_prec"], b["opd1_prec"]
    b.tiu("opd0", Tensor((n, c, 1, b["opd0_w"]), b["opd0_str"]), precision, flat & (b["opd0_str"] < STRIDED))
    b.tiu("opd0", Tensor((n, c, b["opd0_h"], b["opd0_w"]), b["opd0_str"]), precision, deep & (b["opd0_str"] < STRIDED))
    layout = np.where(b["opd0_str"] != 0, TABLE, ALIGNED)
    b.tiu("opd0", Tensor((1, c, b["opd0_h"], b["opd0_w"]), layout), precision, own)
    b.tiu("opd1", Tensor((1, b["opd1_c"], 1, 1), COMPACT), index, flat | deep)
    b.tiu("opd1", Tensor((n, c, 1, b["opd1_w"])), index, own)
    strided = (flat | deep) & (b["opd0_str"] >= STRIDED)
    if _any(strided):
        b.omit("opd0", "strides", strided)
    if _any(~known):
        for operand in ("res0", "res1", "opd0", "opd1"):
            b.omit(operand, "selections", ~known)


def tiu_gather_lines(b: Builder) -> None:
    """sSGL: whole lines by their index."""
    n, c, h, w = b.shape("res0")
    known = _is(b, 17, 18)
    precision = b["res0_prec"]
    b.tiu("res0", Tensor((n, c, h, w), LINES), precision, known)
    layout = np.where(b["opd0_str"] == STRIDED, LINES, TABLE)
    b.tiu("opd0", Tensor((1, c, b["opd0_h"], w), layout), precision, known)
    many = np.where(b.func == 17, h, b["opd0_h"])
    b.tiu("opd1", Tensor((n, c, many, 1), COMPACT), b["opd1_prec"], known)
    if _any(~known):
        for operand in ("res0", "res1", "opd0", "opd1"):
            b.omit(operand, "selections", ~known)


def tiu_nothing(b: Builder) -> None:
    """System commands; 3 and 4 of SYS move local memory into the static one."""
    moved = _is(b, 3, 4)
    if b.kind.name in ("SYS", "SYSID") and _any(moved):
        b.omit("opd0", "software-defined registers", moved)


def tiu_undocumented(b: Builder) -> None:
    """A form of which no source says what its operands cover."""
    for operand in ("res0", "res1", "opd0", "opd1", "opd2", "opd3"):
        if b.has(f"{operand}_addr"):
            b.omit(operand, "form", None if operand.startswith("res") else _used(b, operand))


def tiu_arithmetic_1684(b: Builder) -> None:
    """BM1684: 32-bit elements with the strides of the command; narrower ones are packed and not documented."""
    many = b["tsk_opd_num"]
    for order, operand in ((0, "res0"), (1, "opd0"), (2, "opd1"), (3, "opd2")):
        use = (many >= order) & (_used(b, operand) if order else True)
        wide = use & np.isin(b[f"{operand}_prec"], (_FP32, _INT32)) & np.isin(b[f"{operand}_str"], (0, 3))
        layout = Tensor(b.shape("res0"), b[f"{operand}_str"], b.strides(operand))
        b.tiu(operand, layout, b[f"{operand}_prec"], wide)
        if _any(use & ~wide):
            b.omit(operand, "packed elements", use & ~wide)


def tiu_undocumented_1684(b: Builder) -> None:
    """BM1684: its other operations."""
    many = b["tsk_opd_num"]
    b.omit("res0", "form")
    for order, operand in enumerate(("opd0", "opd1", "opd2"), 1):
        b.omit(operand, "form", (many >= order) & _used(b, operand))


FORMS: dict[str, Callable[[Builder], None]] = {
    "sCONV": tiu_conv,
    "sMM": tiu_matrix,
    "sMM2": tiu_matrix2,
    "sCMP": tiu_compare,
    "sSFU": tiu_special,
    "sLIN": tiu_linear,
    "sVC": tiu_vectors,
    "sAR": tiu_arithmetic,
    "sPorD": tiu_pooling,
    "sCW&sBC": tiu_lanes,
    "sTRANS&sBC": tiu_lanes,
    "sBC&CWT": tiu_lanes,
    "sRQ&sDQ": tiu_quantise,
    "sRQDQ": tiu_quantise,
    "sSG": tiu_gather,
    "sSGL": tiu_gather_lines,
    "SYS": tiu_nothing,
    "SYSID": tiu_nothing,
    "SYS_TR_ACC": tiu_nothing,
    "SYS_TR_WR": tiu_nothing,
    "ar_op": tiu_arithmetic_1684,
}
"""What an operation covers, by the form's name."""


def tiu_operands(b: Builder) -> None:
    """Fill the builder with the operands of its form."""
    other = tiu_undocumented_1684 if b.kind.name.endswith("_op") else tiu_undocumented
    FORMS.get(b.kind.name, other)(b)
