# SPDX-License-Identifier: Apache-2.0
"""What the commands of one form have to do, as numbers that cycles follow from.

A TIU command works on all lanes at once: ``repeats`` times, it goes through a line of ``line`` elements per lane, and for each
of them through ``depth`` products that are added. A DMA command moves ``bytes`` in ``runs`` that lie one behind the other.

Source of the shapes: :mod:`goldbeat.pymodels.tpu.hazards.tiu` and :mod:`goldbeat.pymodels.tpu.hazards.dma`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.tpu.hazards.builder import STRIDED, Builder, Column, Flags
from goldbeat.pymodels.tpu.hazards.dma import dma_address
from goldbeat.pymodels.tpu.hazards.memory import GLOBAL, LOCAL

PRECISIONS = ("i8", "f16", "f32", "i16", "i32", "bf16", "i4", "f8")
"""Names of the codes of a precision."""


@dataclass(frozen=True, eq=False)
class Work:
    """(n,) work of the commands of one form; numbers of elements unless said otherwise.

    Attributes:
        rows: the commands' places in the stream.
        key: operation, types and what else decides how fast it goes, as text.
        repeats, line, depth: of TIU commands.
        bytes, runs: of DMA commands, 0 of others.
    """

    rows: Column
    key: list[str]
    repeats: Column
    line: Column
    depth: Column
    bytes: Column
    runs: Column


def _ceil(a: Column, b: Column | int) -> Column:
    found: Column = -(-a // b)
    return found


def _used(b: Builder, operand: str) -> Flags:
    found: Flags = b[f"{operand}_const"] == 0
    return found


def _in_place(b: Builder, operands: tuple[str, ...]) -> Flags:
    """Whether an operand begins where the result does: reading and writing one bank of memory take turns."""
    found = np.zeros(len(b), np.bool_)
    for order, operand in enumerate(operands, 1):
        if b.has(f"{operand}_addr"):
            there = (b["tsk_opd_num"] >= order) if b.has("tsk_opd_num") else True
            found |= _used(b, operand) & (b[f"{operand}_addr"] == b["res0_addr"]) & there
    return found


_Numbers = tuple[Column, Column, Column, Flags]


def _elements(b: Builder) -> _Numbers:
    """Element by element; with strides, line by line."""
    n, c, h, w = (np.maximum(one, 1) for one in b.shape("res0"))
    broken = b["res0_str"] == STRIDED
    lanes = _ceil(c, b.memory.lanes)
    repeats, line = n * lanes * np.where(broken, h, 1), np.where(broken, w, h * w)
    return repeats, line, np.ones(len(b), np.int64), _in_place(b, ("opd0", "opd1"))


def _series(b: Builder) -> _Numbers:
    repeats, line, _, same = _elements(b)
    return repeats, line, np.maximum(b["opd1_n"], 1), same


def _windows(b: Builder) -> _Numbers:
    repeats, line, _, same = _elements(b)
    return repeats * np.maximum(b["opd1_h"] * b["opd1_w"], 1), line, np.ones(len(b), np.int64), same


def _convolution(b: Builder) -> _Numbers:
    n, c, h, w = (np.maximum(one, 1) for one in b.shape("res0"))
    n = n if b.has("res0_n") else np.maximum(b["opd0_n"], 1)
    repeats = n * _ceil(c, b.memory.lanes) * np.maximum(b["opd1_h"] * b["opd1_w"], 1)
    return repeats, h * w, np.maximum(b["opd0_c"], 1), _in_place(b, ("opd0",))


def _product(b: Builder) -> _Numbers:
    """sMM2: rows of the result over lanes."""
    rows, columns = np.maximum(b["res0_c"], 1), np.maximum(b["res0_w"], 1)
    inner = np.where(b.func == 4, b["opd1_c"], b["opd1_w"])
    inner = np.where(b.func == 6, b["opd1_c"], inner)
    return _ceil(rows, b.memory.lanes), columns, np.maximum(inner, 1), _in_place(b, ("opd0", "opd1"))


def _matrix(b: Builder) -> _Numbers:
    """sMM: columns of the result over lanes, in pieces of ``res0_w``."""
    inner = b["opd0_w"] * (b["opd0_c"] - 1) + b["opd1_w"]
    rows = np.where(b["left_tran"] != 0, inner, b["opd0_n"])
    inner = np.where(b["left_tran"] != 0, b["opd0_n"], inner)
    repeats = np.maximum(rows, 1) * _ceil(np.maximum(b["res0_c"], 1), b.memory.lanes)
    return repeats, np.maximum(b["res0_w"], 1), np.maximum(inner, 1), _in_place(b, ("opd0", "opd1"))


def _whole(b: Builder) -> _Numbers:
    one = np.ones(len(b), np.int64)
    return one, one, one, np.zeros(len(b), np.bool_)


_TIU: dict[str, Callable[[Builder], _Numbers]] = {
    "sCONV": _convolution,
    "sMM": _matrix,
    "sMM2": _product,
    "sCMP": _elements,
    "sSFU": _series,
    "sLIN": _elements,
    "sVC": _elements,
    "sAR": _elements,
    "sPorD": _windows,
    "sCW&sBC": _elements,
    "sTRANS&sBC": _elements,
    "sBC&CWT": _elements,
    "sRQ&sDQ": _elements,
    "sRQDQ": _elements,
    "sSG": _elements,
    "sSGL": _elements,
    "sREDUCE": _elements,
}


def tiu_work(b: Builder, operations: list[str]) -> Work:
    """Of TIU commands; those of unknown form count as one line of one element."""
    repeats, line, depth, same = _TIU.get(b.kind.name, _whole)(b)
    types = [PRECISIONS[int(code) & 7] for code in b["opd0_prec"]]
    results = [PRECISIONS[int(code) & 7] for code in b["res0_prec"]]
    strided = b["res0_str"] == STRIDED
    flags = [(" in place" if c else "") + (" strided" if s else "") for c, s in zip(same, strided, strict=True)]
    parts = zip(operations, types, results, flags, strict=True)
    key = [f"{op} {a}>{r}{flag}" for op, a, r, flag in parts] if b.has("res0_addr") else operations
    nothing = np.zeros(len(b), np.int64)
    return Work(b.rows, key, repeats, line, depth, nothing, nothing)


def _moved(b: Builder) -> tuple[Column, Column]:
    """(n,) runs, which lie in one row of a lane each, and the elements of each."""
    n, c, h, w = (np.maximum(b[f"src_{axis}size"], 1) for axis in "nchw")
    one = np.ones(len(b), np.int64)
    if b.kind.name == "DMA_general":
        name = "src_cstride(move_length)"
        return one, np.maximum(b[name] if b.has(name) else b["src_cstride"], 1)
    if b.kind.name == "DMA_matrix":
        out = (b.memory.dma(dma_address(b, "src"))[0] == LOCAL) & (b["fill_constant_en"] == 0)
        rows = np.maximum(np.where(out, b["dst_hsize"], b["src_hsize"]), 1)
        wide = np.maximum(np.where(out, b["dst_wsize"], b["src_wsize"]), 1)
        piece = np.maximum(np.where(out, b["src_wsize"], b["dst_wsize"]), 1)
        pieces = _ceil(wide, np.minimum(piece, wide))
        return rows * pieces, _ceil(wide, pieces)
    return n * c, h * w


def dma_work(b: Builder, operations: list[str]) -> Work:
    """Of GDMA and SDMA commands; system commands move nothing."""
    one, nothing = np.ones(len(b), np.int64), np.zeros(len(b), np.int64)
    if not b.has("src_wsize") and not b.has("src_cstride(move_length)"):
        return Work(b.rows, operations, one, one, one, nothing, nothing)
    names = {GLOBAL: "far", LOCAL: "local"}
    src, dst = ([names.get(int(m), "static") for m in b.memory.dma(dma_address(b, end))[0]] for end in ("src", "dst"))
    src = ["constant" if filled else name for filled, name in zip(b["fill_constant_en"], src, strict=True)]
    runs, each = _moved(b)
    size = np.maximum(b.size(b["src_data_format"]), 1)
    key = [f"{op} {a}>{d}" for op, a, d in zip(operations, src, dst, strict=True)]
    return Work(b.rows, key, one, one, one, runs * each * size, runs)
