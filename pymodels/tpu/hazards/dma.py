# SPDX-License-Identifier: Apache-2.0
"""Operands of GDMA and SDMA commands.

Source: as of :mod:`goldbeat.pymodels.tpu.hazards.tiu`. Which elements a gather or scatter touches is data, so all of them count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldbeat.pymodels.tpu.hazards.builder import STRIDED, Builder, Column, Flags, Tensor
from goldbeat.pymodels.tpu.hazards.memory import GLOBAL, LOCAL

_TURN, _COLLECT, _REPEAT, _DEAL = 1, 2, 3, 4


def dma_address(b: Builder, end: str) -> Column:
    """(n,) ``src``, ``dst`` or ``index`` address: the field of 32 bits is the low part, whatever the fields are called."""
    parts = [f for f in b.kind.fields if f.name.startswith(f"{end}_start_addr")]
    low = sum((b[f.name] for f in parts if f.width == 32), np.zeros(len(b), np.int64))
    high = sum((b[f.name] for f in parts if f.width < 32), np.zeros(len(b), np.int64))
    return low | high << 32


def dma_masked(b: Builder) -> Flags:
    """(n,) whether only some lanes take part."""
    lanes = b.memory.lanes
    low, high = ("localmem_mask_l32", "localmem_mask_h32") if b.has("localmem_mask_l32") else ("default_lanemask1",) * 2
    if not b.has(low):
        return np.zeros(len(b), np.bool_)
    if low == high:
        some: Flags = (b["default_lanemask1"] != 0xFFFFFFFF) | (b["default_lanemask2"] != 0xFFFFFFFF)
        return some
    whole = 0xFFFFFFFF
    low_all = (b[low] & min(whole, (1 << lanes) - 1)) == min(whole, (1 << lanes) - 1)
    high_all = (b[high] == whole) if lanes > 32 and b.has(high) else np.ones(len(b), np.bool_)
    partly: Flags = ~(low_all & high_all)
    return partly


def _sizes(b: Builder, end: str) -> list[Column]:
    return [b[f"{end}_{axis}size"] for axis in "nchw"]


def _filled_shape(shape: list[Column]) -> Flags:
    found: Flags = np.logical_and.reduce([axis > 0 for axis in shape])
    return found


def _steps(b: Builder, end: str, plain: Flags | bool = True) -> tuple[Column, Column, Column, Column]:
    n, c, h = (b[f"{end}_{axis}stride"] for axis in "nch")
    w = np.where(plain, b[f"{end}_wstride"], 1) if b.has(f"{end}_wstride") else np.ones(len(b), np.int64)
    return n, c, h, w


def _put(b: Builder, end: str, shape: list[Column], steps: tuple[Column, Column, Column, Column], use: Flags) -> None:
    memory, at = b.memory.dma(dma_address(b, end))
    odd = use & (memory == LOCAL) & dma_masked(b)
    if odd.any():
        b.omit(end, "lane mask", odd)
    tensor = Tensor((shape[0], shape[1], shape[2], shape[3]), STRIDED, steps)
    b.place(end, memory, at, tensor, b.size(b["src_data_format"]), use & ~odd)


def _unknown(b: Builder, reason: str, use: Flags | None = None, ends: tuple[str, ...] = ("src", "dst")) -> None:
    for end in ends:
        some = np.ones(len(b), np.bool_) if use is None else use
        if end == "src":
            some = some & (b["fill_constant_en"] == 0)
        if some.any():
            memory, at = b.memory.dma(dma_address(b, end))
            b.omit(end, reason, some, memory=memory, address=at)


def dma_tensor(b: Builder) -> None:
    """DMA_tensor: strided on both sides; func 1 turns n and c, 2 and 4 turn c and w, 3 repeats one channel."""
    odd = (b["decompress_enable"] != 0) | ~np.isin(b.func, (0, _TURN, _COLLECT, _REPEAT, _DEAL))
    src, dst = _sizes(b, "src"), _sizes(b, "dst")
    # Without strides the fields do not count. What lies in one row does not depend on them.
    row = np.logical_and.reduce([one <= 1 for one in (src[0], src[2], dst[0], dst[2])])
    row &= (src[1] <= 1) & (dst[1] <= b.memory.lanes)
    unspoken = (b["stride_enable"] == 0) if b.has("stride_enable") else np.zeros(len(b), np.bool_)
    # What is repeated over the lanes is packed, too.
    packed = unspoken & ~row & _packed(b, src, dst)
    odd = (odd | (unspoken & ~row & ~packed)) & (_filled_shape(src) | _filled_shape(dst))
    if odd.any():
        _unknown(b, "compressed, four banks or without strides", odd)
    same = b["nchw_copy"] != 0
    dst = [np.where(same, s, d) for s, d in zip(src, dst, strict=True)]
    n, c, h, w = src
    repeat, turn, across = b.func == _REPEAT, b.func == _TURN, np.isin(b.func, (_COLLECT, _DEAL))
    src[1] = np.where(repeat, 1, c)
    dst[1] = np.where(repeat, b["dst_csize"], dst[1])
    dst = [np.where(turn, o, d) for o, d in zip((c, n, h, w), dst, strict=True)]
    dst = [np.where(across, o, d) for o, d in zip((n, w, h, c), dst, strict=True)]
    plain = (b.func == 0) & ~unspoken
    for end, shape, use in (("src", src, b["fill_constant_en"] == 0), ("dst", dst, True)):
        steps = _steps(b, end, plain)
        _put(b, end, shape, (*steps[:2], np.where(packed, w, steps[2]), steps[3]), ~odd & use)


def _packed(b: Builder, src: list[Column], dst: list[Column]) -> Flags:
    """(n,) whether one channel of one image comes from global memory and is repeated over the lanes."""
    (come, _), (go, _) = (b.memory.dma(dma_address(b, end)) for end in ("src", "dst"))
    one = (src[0] == 1) & (src[1] == 1) & (dst[0] == 1) & (dst[1] <= b.memory.lanes) & (b.func == _REPEAT)
    found: Flags = one & (come == GLOBAL) & (go == LOCAL)
    return found


def dma_turned(b: Builder) -> None:
    """DMA_cw_transpose: c and w change places."""
    odd = b["decompress_enable"] != 0
    if odd.any():
        _unknown(b, "compressed", odd)
    n, c, h, w = _sizes(b, "src")
    never = np.zeros(len(b), np.bool_)
    _put(b, "src", [n, c, h, w], _steps(b, "src", never), ~odd & (b["fill_constant_en"] == 0))
    _put(b, "dst", [n, w, h, c], _steps(b, "dst", never), ~odd)


def dma_matrix(b: Builder) -> None:
    """DMA_matrix: h x w in memory; in local memory h rows (n) of channels of ``wsize`` columns, the last one shorter."""
    odd = b["decompress_enable"] != 0
    if odd.any():
        _unknown(b, "compressed", odd)
    memory, _ = b.memory.dma(dma_address(b, "src"))
    out = (memory == LOCAL) & (b["fill_constant_en"] == 0)
    for far, near, use in (("dst", "src", out), ("src", "dst", ~out)):
        use = use & ~odd
        height, width = b[f"{far}_hsize"], b[f"{far}_wsize"]
        one = np.ones(len(b), np.int64)
        _put(b, far, [one, one, height, width], (0 * one, 0 * one, b[f"{far}_hstride"], one), use & _filled(b, far))
        rows, columns = np.where(b.func == 1, width, height), np.where(b.func == 1, height, width)
        _channels(b, near, rows, columns, use & _filled(b, near))


def _filled(b: Builder, end: str) -> Flags:
    return (b["fill_constant_en"] == 0) if end == "src" else np.ones(len(b), np.bool_)


def _channels(b: Builder, end: str, rows: Column, columns: Column, use: Flags) -> None:
    wide = np.maximum(b[f"{end}_wsize"], 1)
    many = -(-columns // wide)
    last = columns - (many - 1) * wide
    size = b.size(b["src_data_format"])
    n_step, c_step = b[f"{end}_nstride"], b[f"{end}_cstride"]
    memory, at = b.memory.dma(dma_address(b, end))
    odd = use & dma_masked(b)
    if odd.any():
        b.omit(end, "lane mask", odd)
    use = use & ~odd
    one = np.ones(len(b), np.int64)
    steps = (n_step, c_step, 0 * one, one)
    b.place(end, memory, at, Tensor((rows, many - 1, 1, wide), STRIDED, steps), size, use & (many > 1))
    lanes, lane_bytes = b.memory.lanes, b.memory.lane_bytes
    behind = at // lane_bytes + many - 1
    tail = behind % lanes * lane_bytes + at % lane_bytes + behind // lanes * c_step * size
    b.place(end, memory, tail, Tensor((rows, 1, 1, last), STRIDED, steps), size, use)


def dma_general(b: Builder) -> None:
    """DMA_general: bytes in a row; func 1 writes them to several lanes."""
    odd = (b["decompress_enable"] != 0) | ~np.isin(b.func, (0, 1))
    many = b["src_cstride(move_length)"] if b.has("src_cstride(move_length)") else b["src_cstride"]
    size = b.size(b["src_data_format"])
    one = np.ones(len(b), np.int64)
    for end in ("src", "dst"):
        memory, at = b.memory.dma(dma_address(b, end))
        # What runs over the end of a lane is not documented.
        odd = (
            odd
            | ((memory == LOCAL) & dma_masked(b))
            | ((memory == LOCAL) & (at % b.memory.lane_bytes + many * size > b.memory.lane_bytes))
        )
    odd = odd & (many > 0)
    if odd.any():
        _unknown(b, "lanes, or compressed", odd)
    steps = (0 * one, 0 * one, 0 * one, one)
    _put(b, "src", [one, one, one, many], steps, ~odd & (b["fill_constant_en"] == 0))
    _put(b, "dst", [one, np.where(b.func == 1, b["dst_csize"], 1), one, many], steps, ~odd)


def dma_gather(b: Builder) -> None:
    """DMA_gather and DMA_scatter: rows by their index; a gather has one for each row it writes, a scatter for each it reads."""
    one = np.ones(len(b), np.int64)
    c = _field(b, "src_csize", "src_csize_or_src_csize_l16")
    own = _field(b, "index_csize", "index_csize_l16")
    h, w = b["src_hsize"], b["src_wsize"]
    every = np.ones(len(b), np.bool_)
    rows = np.where(b["nchw_copy"] != 0, h, b["dst_hsize"])
    channels = np.maximum(c, own)
    _put(b, "src", [one, c, h, w], _row_steps(b, "src", h, w), every)
    _put(b, "dst", [one, channels, rows, w], _row_steps(b, "dst", rows, w), every)
    memory, at = b.memory.dma(dma_address(b, "index"))
    many = h if b.kind.name.startswith("DMA_scatter") else rows
    # Forms without a stride of rows have their indices one behind the other.
    strided = b["stride_enable"] != 0
    row = np.where(strided, b["index_hstride"], 1) if b.has("index_hstride") else one
    local = -(-many * 4 // b.memory.unit) * b.memory.unit // 4
    channel = np.where(strided, b["index_cstride"], np.where(memory == LOCAL, local, many))
    b.place("index", memory, at, Tensor((one, own, many, one), STRIDED, (0 * one, channel, row, one)), 4 * one)


def _field(b: Builder, *names: str) -> Column:
    """The field that the form has under one of these names."""
    return b[next((name for name in names if b.has(name)), names[0])]


def _row_steps(b: Builder, end: str, h: Column, w: Column) -> tuple[Column, Column, Column, Column]:
    """Strides of a gather or scatter; without any, rows lie one behind the other, and local channels are aligned."""
    memory, _ = b.memory.dma(dma_address(b, end))
    size, unit = np.maximum(b.size(b["src_data_format"]), 1), b.memory.unit
    packed = np.where(memory == LOCAL, -(-h * w * size // unit) * unit // size, h * w)
    other = f"{end}_hstride_or_{end}_csize_h16"
    strided = b["stride_enable"] != 0
    if b.has(other) and (many := ~strided & (b[other] != 0)).any():
        b.omit(end, "more than 65535 channels", many)
    row = np.where(strided, _field(b, f"{end}_hstride", other), w)
    return 0 * h, np.where(strided, b[f"{end}_cstride"], packed), row, np.ones(len(b), np.int64)


def dma_system(b: Builder) -> None:
    """Messages, END, registers: no memory."""


def dma_tensor_1684(b: Builder) -> None:
    """BM1684: 32-bit, 16-bit or 8-bit elements with strides; func 4 writes a constant."""
    plain = np.isin(b.func, (0, 4)) & (b["stride_enable"] != 0) & (b["sys_mem_type"] == 0)
    plain &= b["src_data_format"] <= 3
    size = np.array([4, 2, 1, 1], np.int64)[np.minimum(b["src_data_format"], 3)]
    for end in ("src", "dst"):
        use = plain & ((b.func == 0) if end == "src" else True)
        shape, steps = _sizes(b, end), _steps(b, end)
        memory, at = b.memory.dma(dma_address(b, end))
        b.place(end, memory, at, Tensor((shape[0], shape[1], shape[2], shape[3]), STRIDED, steps), size, use)
    if (~plain).any():
        _unknown(b, "matrices and special functions", ~plain)


FORMS: dict[str, Callable[[Builder], None]] = {
    "DMA_tensor": dma_tensor,
    "DMA_matrix": dma_matrix,
    "DMA_general": dma_general,
    "DMA_cw_transpose": dma_turned,
    "DMA_gather": dma_gather,
    "DMA_scatter": dma_gather,
    "sDMA_sys": dma_system,
    "dma_tensor": dma_tensor_1684,
}
"""What a move covers, by the form's name."""


def dma_operands(b: Builder) -> None:
    """Fill the builder with the operands of its form."""
    known = FORMS.get(b.kind.name)
    if known is None:
        _unknown(b, "form", ends=("src", "dst", "index") if b.has("index_csize") else ("src", "dst"))
        return
    known(b)
