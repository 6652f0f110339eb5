# SPDX-License-Identifier: Apache-2.0
"""Moves, gathers and matrices of TPU commands, the plain way."""

from __future__ import annotations

from itertools import product

import numpy as np
from naive_tpu import FLOATS, SIZE, NaiveTpu, Shape, bits_to_number, cells
from naive_tpu_forms import F32, convolution, depthwise, finish, group_sum, lanes, linear, quantising, select, special
from naive_tpu_forms import arithmetic as arithmetic

Place = tuple[np.ndarray, int]


def _address(tpu: NaiveTpu, end: str) -> int:
    return tpu.f(f"{end}_start_addr")


def _element(tpu: NaiveTpu, end: str, index: Shape, strides: Shape, size: int) -> Place:
    """An element of a move: global memory with strides, or lanes."""
    address = _address(tpu, end)
    if tpu.f(f"{end}_far"):
        elements = sum(i * s for i, s in zip(index, strides, strict=True))
        return tpu.far, address - tpu.start + elements * size
    return tpu.lane(address, index, strides, size)


def _steps(tpu: NaiveTpu, end: str, width: bool = True) -> Shape:
    n, c, h = (tpu.f(f"{end}_{axis}stride") for axis in "nch")
    return n, c, h, tpu.f(f"{end}_wstride") if width else 1


def tensor(tpu: NaiveTpu) -> None:
    f, func = tpu.f, tpu.func
    size = SIZE[f("src_data_format")]
    src: Shape = tuple(f(f"src_{axis}size") for axis in "nchw")  # type: ignore[assignment]
    turned = f("cw_transpose")
    plain = func == 0 and not turned
    order = {1: (1, 0, 2, 3), 2: (0, 3, 2, 1), 4: (0, 3, 2, 1)}.get(func, (0, 3, 2, 1) if turned else (0, 1, 2, 3))
    source = list(cells((src[0], 1, *src[2:]) if func == 3 else src))
    bits = []
    for index in source:
        if f("fill_constant_en"):
            bits.append(f("constant_value") & (1 << 8 * size) - 1)
        else:
            bits.append(tpu.load(_element(tpu, "src", index, _steps(tpu, "src", plain), size), size))
    if plain and not f("nchw_copy"):
        dst: Shape = tuple(f(f"dst_{axis}size") for axis in "nchw")  # type: ignore[assignment]
        moved = list(zip(cells(dst), bits, strict=True))
    elif func == 3:
        moved = [((n, c, h, w), b) for (n, _, h, w), b in zip(source, bits, strict=True) for c in range(f("dst_csize"))]
    else:
        moved = [(tuple(i[axis] for axis in order), b) for i, b in zip(source, bits, strict=True)]  # type: ignore[misc]
    for index, b in moved:
        tpu.put(_element(tpu, "dst", index, _steps(tpu, "dst", plain), size), size, b)


def matrix(tpu: NaiveTpu) -> None:
    """Global rows and columns; in local memory columns are cut into channels of ``wsize``."""
    f, size = tpu.f, SIZE[tpu.f("src_data_format")]
    far, near = ("src", "dst") if f("src_far") or f("fill_constant_en") else ("dst", "src")
    high, wide, cut = f(f"{far}_hsize"), f(f"{far}_wsize"), f(f"{near}_wsize")
    moved = []
    for row, column in product(range(high), range(wide)):
        here = (column, row) if tpu.func == 1 else (row, column)
        local = (here[0], here[1] // cut, 0, here[1] % cut)
        places = {
            far: ((0, 0, row, column), (0, 0, f(f"{far}_hstride"), 1)),
            near: (local, (f(f"{near}_nstride"), f(f"{near}_cstride"), 0, 1)),
        }
        bits = f("constant_value") & (1 << 8 * size) - 1
        if not f("fill_constant_en"):
            bits = tpu.load(_element(tpu, "src", *places["src"], size), size)
        moved.append((places["dst"], bits))
    for place, bits in moved:
        tpu.put(_element(tpu, "dst", *place, size), size, bits)


def general(tpu: NaiveTpu) -> None:
    f, size = tpu.f, SIZE[tpu.f("src_data_format")]
    many = f("src_cstride")
    bits = []
    for i in range(many):
        if f("fill_constant_en"):
            bits.append(f("constant_value") & (1 << 8 * size) - 1)
        else:
            bits.append(tpu.load(_element(tpu, "src", (0, 0, 0, i), (0, 0, 0, 1), size), size))
    for c in range(f("dst_csize") if tpu.func == 1 else 1):
        for i in range(many):
            tpu.put(_element(tpu, "dst", (0, c, 0, i), (0, 0, 0, 1), size), size, bits[i])


def gather(tpu: NaiveTpu) -> None:
    """Rows by their index: gather reads them, scatter (``scatter`` set) writes them."""
    f, size = tpu.f, SIZE[tpu.f("src_data_format")]
    scatter = f("scatter")
    rows = f("src_hsize") if scatter or f("nchw_copy") else f("dst_hsize")
    limit = f("dst_hsize") if scatter else f("src_hsize")
    channels = max(f("src_csize"), f("index_csize"))
    index_steps = (0, f("index_cstride"), f("index_hstride"), 1)
    steps = {end: (0, f(f"{end}_cstride"), f(f"{end}_hstride"), 1) for end in ("src", "dst")}
    moved = []
    for c, i, w in product(range(channels), range(rows), range(f("src_wsize"))):
        own = min(c, f("index_csize") - 1)
        row = tpu.load(_element(tpu, "index", (0, own, i, 0), index_steps, 4), 4)
        from_row, to_row = (i, row) if scatter else (row, i)
        if row >= limit:
            if not scatter:
                moved.append(((0, c, to_row, w), f("constant_value") & (1 << 8 * size) - 1))
            continue
        at = (0, min(c, f("src_csize") - 1), from_row, w)
        moved.append(((0, c, to_row, w), tpu.load(_element(tpu, "src", at, steps["src"], size), size)))
    for index, bits in moved:
        tpu.put(_element(tpu, "dst", index, steps["dst"], size), size, bits)


def pick(tpu: NaiveTpu) -> None:
    """sSG: gather and scatter of elements in their own lane."""
    f, func = tpu.f, tpu.func
    n, c, h, w = shape = tpu.shape
    size, index_size = SIZE[f("opd0_prec")], SIZE[f("opd1_prec")]
    table = (n, c, f("opd0_h"), f("opd0_w"))
    many = f("opd1_w")
    index_steps = tpu.own_strides(f("opd1_addr"), (n, c, 1, many), index_size)
    steps = tpu.own_strides(f("opd0_addr"), (1, *table[1:]), size)
    out = tpu.own_strides(f("res0_addr"), shape, size)
    moved = []
    for i, ch, k in product(range(n), range(c), range(many)):
        at = tpu.load(tpu.lane(f("opd1_addr"), (i, ch, 0, k), index_steps, index_size), index_size)
        if func in (5, 13):
            bits = f("opd2_addr") & (1 << 8 * size) - 1
            if at < table[2] * table[3]:
                place = (0, ch, at // table[3], at % table[3])
                bits = tpu.load(tpu.lane(f("opd0_addr"), place, steps, size), size)
            moved.append(((i, ch, k // w, k % w), bits))
        elif at < h * w:
            place = (0, ch, k // table[3], k % table[3])
            bits = tpu.load(tpu.lane(f("opd0_addr"), place, steps, size), size)
            moved.append(((i, ch, at // w, at % w), bits))
    for index, bits in moved:
        tpu.put(tpu.lane(f("res0_addr"), index, out, size), size, bits)


def matrix_rows(tpu: NaiveTpu) -> None:
    """sMM2: rows are channels; 5 turns the right operand, 6 both."""
    f, func = tpu.f, tpu.func
    rows, columns = f("res0_c"), f("res0_w")
    right = (f("opd1_c"), f("opd1_w"))
    inner = {4: right[0], 5: right[1], 6: right[1]}[func]
    left = (inner, rows) if func == 6 else (rows, inner)
    prec = f("opd0_prec")
    a = tpu.number("opd0", (1, left[0], 1, left[1]))
    b = tpu.number("opd1", (1, right[0], 1, right[1]))
    bias = None if f("opd2_const") else tpu.number("opd2", (1, tpu.memory.lanes, 1, columns))
    found = {}
    width = tpu.memory.cube // 2 if SIZE[prec] == 2 else 1
    for y, x in product(range(rows), range(columns)):
        pairs = []
        for k in range(inner):
            at = (0, k, 0, y) if func == 6 else (0, y, 0, k)
            to = (0, k, 0, x) if func == 4 else (0, x, 0, k)
            pairs.append((a(at), b(to)))
        if prec in FLOATS:
            total = F32(0 if bias is None else bias((0, y % tpu.memory.lanes, 0, x)))
            for begin in range(0, inner, width):
                total = F32(total + group_sum(pairs[begin : begin + width]))
        else:
            total = sum(p * q for p, q in pairs)
        found[0, y, 0, x] = total
    finish(tpu, (1, rows, 1, columns), found, f("res0_prec"))


def matrix_cut(tpu: NaiveTpu) -> None:
    """sMM: the left operand's columns are cut into channels, the last one shorter."""
    f = tpu.f
    prec = f("opd0_prec")
    rows, wide = f("opd0_n"), f("opd0_w")
    columns = wide * (f("opd0_c") - 1) + f("opd1_w")
    size = SIZE[prec]
    address = f("opd0_addr")
    strides = tpu.own_strides(address, (rows, f("opd0_c"), 1, wide), size)
    out = (columns if f("left_tran") else rows, f("res0_c"), 1, f("res0_w"))
    inner = rows if f("left_tran") else columns
    right = tpu.number("opd1", (inner, f("res0_c"), 1, f("res0_w")))
    found = {}
    for y, c, _, w in cells(out):
        total = 0
        for k in range(inner):
            row, column = (k, y) if f("left_tran") else (y, k)
            place = tpu.lane(address, (row, column // wide, 0, column % wide), strides, size)
            total += bits_to_number(tpu.load(place, size), prec, bool(f("opd0_sign"))) * right((k, c, 0, w))
        found[y, c, 0, w] = total
    finish(tpu, out, found, f("res0_prec"))


FORMS = {
    "sAR": arithmetic,
    "sCONV": convolution,
    "sPorD": depthwise,
    "sRQ&sDQ": quantising,
    "sCMP": select,
    "sSG": pick,
    "sSFU": special,
    "sLIN": linear,
    "sMM": matrix_cut,
    "sMM2": matrix_rows,
    "sTRANS&sBC": lanes,
    "sCW&sBC": lanes,
    "DMA_tensor": tensor,
    "DMA_cw_transpose": tensor,
    "DMA_matrix": matrix,
    "DMA_general": general,
    "DMA_gather": gather,
    "DMA_scatter": gather,
}
"""By the form's name."""
