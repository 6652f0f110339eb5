# SPDX-License-Identifier: Apache-2.0
"""What the commands of one form have to do, as numbers that cycles follow from.

A TIU command works on all lanes at once: ``repeats`` times, it goes through a line of ``line`` elements per lane, and for each
of them through ``depth`` products that are added. A DMA command moves ``bytes``, of which ``run`` lie side by side. Global memory
has four channels that take turns page by page: a command has the speed of those that it reaches in one turn.

Source of the shapes: :mod:`goldbeat.pymodels.tpu.hazards.tiu` and :mod:`goldbeat.pymodels.tpu.hazards.dma`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.hazards.builder import STRIDED, Builder, Column, Flags
from goldbeat.pymodels.tpu.hazards.dma import dma_address
from goldbeat.pymodels.tpu.hazards.memory import GLOBAL, LOCAL, ChipMemory

PRECISIONS = ("i8", "f16", "f32", "i16", "i32", "bf16", "i4", "f8")
"""Names of the codes of a precision."""
_TYPE_BYTES = dict(zip(PRECISIONS, (1, 2, 4, 2, 4, 2, 1, 1), strict=True))
_SIZES = np.array([*_TYPE_BYTES.values()], np.int64)
_OWN_LINES = ("conv", "mm", "sg.")
"""Operations whose lines are of other lengths."""
_PAGE = 4096
"""Bytes of global memory that one channel has, before the next one has as many."""
_CHANNELS = 4
"""Of global memory. By experiment: what the compiler counts for runs of many lengths and distances fits no other two numbers."""


Numbers = npt.NDArray[np.float64]
"""(n,) of the commands of one form."""


@dataclass(frozen=True, eq=False)
class Work:
    """(n,) work of the commands of one form; numbers of elements unless said otherwise.

    Attributes:
        rows: the commands' places in the stream.
        key: operation, types and what else decides how fast it goes, as text.
        repeats, line, depth: of TIU commands.
        bytes, run: of DMA commands, 0 of others.
        share: how many times as long a DMA command takes as if it used all channels of global memory; 1 of others.
    """

    rows: Column
    key: list[str]
    repeats: Column
    line: Column
    depth: Column
    bytes: Column
    run: Column
    share: Numbers


def natural_width(memory: ChipMemory, key: str) -> int:
    """Elements of the wider type of a key that a lane works on at once; 0 of sums of products, selections, keys without types."""
    op, _, rest = key.partition(" ")
    types = rest.split(" ")[0].split(">")
    if op.startswith(_OWN_LINES) or len(types) < 2 or not set(types) <= set(_TYPE_BYTES):
        return 0
    return memory.unit // max(_TYPE_BYTES[one] for one in types)


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


_LANE_COPY, _EACH_LANE = 2, 5
_Numbers = tuple[Column, Column, Column, Flags]


def _elements(b: Builder) -> _Numbers:
    """Element by element; elements of a line that lie apart cost as much as what is between them, at most one step each."""
    n, c, h, w = (np.maximum(one, 1) for one in b.shape("res0"))
    width = b.memory.unit // np.maximum(*(_SIZES[b[f"{operand}_prec"] & 7] for operand in ("res0", "opd0")))
    apart = np.ones(len(b), np.int64)
    for order, operand in enumerate(("res0", "opd0", "opd1")):
        if b.has(f"{operand}_w_str"):
            there = (b["tsk_opd_num"] >= order) if b.has("tsk_opd_num") else True
            given = (b[f"{operand}_str"] == STRIDED) & there & _used(b, operand)
            apart = np.maximum(apart, np.where(given, b[f"{operand}_w_str"], 1))
    repeats = n * _ceil(c, b.memory.lanes) * np.minimum(apart, width)
    return repeats, h * w, np.ones(len(b), np.int64), _in_place(b, ("opd0", "opd1"))


def _lanes(b: Builder) -> _Numbers:
    """Copies from lane to lane go channel by channel; what goes to all lanes is one channel."""
    repeats, line, depth, same = _elements(b)
    n, c = np.maximum(b["res0_n"], 1), np.maximum(b["res0_c"], 1)
    own = b.func == _EACH_LANE
    repeats = np.where(b.func == _LANE_COPY, n * c, np.where(own, 1, repeats))
    return repeats, np.where(own, c, line), depth, same


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
    "sCW&sBC": _lanes,
    "sTRANS&sBC": _lanes,
    "sBC&CWT": _lanes,
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
    stepped = b["res_op_x_str"] > 1 if b.kind.name == "sPorD" else np.zeros(len(b), np.bool_)
    parts = (
        np.where(one, text, "") for one, text in ((same, " in place"), (strided, " strided"), (stepped, " stepped"))
    )
    flags = ["".join(texts) for texts in zip(*parts, strict=True)]
    named = zip(operations, types, results, flags, strict=True)
    key = [f"{op} {a}>{r}{flag}" for op, a, r, flag in named] if b.has("res0_addr") else operations
    nothing = np.zeros(len(b), np.int64)
    return Work(b.rows, key, repeats, line, depth, nothing, nothing, np.ones(len(b), np.float64))


_Runs = tuple[Column, Column, Numbers]
"""(n,) each: elements, those of a run, and how many times as long it takes as with all channels."""


def _side(b: Builder, end: str, size: Column) -> _Runs:
    """Runs at one end of a move, as if it was in global memory."""
    sizes = np.stack([b[f"{end}_{axis}size"] for axis in "nchw"])
    shape = np.where((sizes == 0).all(axis=0), np.stack([b[f"src_{axis}size"] for axis in "nchw"]), sizes)
    n, c, h, w = (np.maximum(axis, 1) for axis in shape)
    own = (c * h * w, h * w, w, np.ones(len(b), np.int64))
    strided = b["stride_enable"] != 0 if b.has("stride_enable") else np.ones(len(b), np.bool_)
    # A move to all lanes has strides of the outer axes only.
    given = [b[f"{end}_{axis}stride"] for axis in "nchw"]
    steps = [np.where(strided & (step != 0), step, o) for step, o in zip(given, own, strict=True)]
    whole = (steps[3] == 1) | (w == 1)
    flat = whole & ((steps[2] == w) | (h == 1))
    each = np.where(flat, h * w, np.where(whole, w, 1))
    many = [n, c, np.where(flat, 1, h), np.where(whole, 1, w)]
    return n * c * h * w, each, _share(many, [step * size for step in steps], each * size)


def _share(many: list[Column], steps: list[Column], run: Column) -> Numbers:
    """All channels by those in whose pages runs begin or go on, within one turn of all channels; numbers of bytes."""
    near = [step <= _PAGE for step in steps]
    # Runs that are closer than a page leave no page out.
    last = [np.where(close, (count - 1) * step, 0) for count, step, close in zip(many, steps, near, strict=True)]
    span = np.add.reduce([*last, (run - 1) // _PAGE * _PAGE])
    reached = np.zeros((_CHANNELS, len(run)), np.bool_)
    for places in product(range(_CHANNELS), repeat=len(many)):
        there = np.ones(len(run), np.bool_)
        for place, count, close in zip(places, many, near, strict=True):
            there &= (place == 0) | (~close & (place < count))
        if there.any():
            begin = np.add.reduce([place * step for place, step in zip(places, steps, strict=True)])
            for page, row in enumerate(reached):
                row |= there & (begin // _PAGE <= page) & (page <= (begin + span) // _PAGE)
    share: Numbers = _CHANNELS / reached.sum(axis=0)
    return share


def _one_run(run: Column) -> Numbers:
    """As :func:`_share`, of one run of bytes."""
    return _CHANNELS / np.minimum((run - 1) // _PAGE + 1, _CHANNELS)


def _moved(b: Builder, size: Column) -> _Runs:
    """Runs of moves; in local memory they are what lies in one row of a lane."""
    filled = b["fill_constant_en"] != 0
    n, c, h, w = (np.maximum(b[f"src_{axis}size"], np.where(filled, b[f"dst_{axis}size"], 1)) for axis in "nchw")
    n, c, h, w = (np.maximum(axis, 1) for axis in (n, c, h, w))
    share = np.ones(len(b), np.float64)
    if b.kind.name == "DMA_general":
        name = "src_cstride(move_length)"
        each = np.maximum(b[name] if b.has(name) else b["src_cstride"], 1)
        return each, each, _one_run(each * size)
    if b.kind.name == "DMA_gather":
        # Rows of a table, as many as there are indices: not all of the table.
        rows = np.where(b["nchw_copy"] != 0, h, np.maximum(b["dst_hsize"], 1))
        channels = np.maximum(c, b["index_csize"] if b.has("index_csize") else 1)
        return channels * rows * w, w, share
    if b.kind.name == "DMA_matrix":
        out = (b.memory.dma(dma_address(b, "src"))[0] == LOCAL) & (b["fill_constant_en"] == 0)
        rows = np.maximum(np.where(out, b["dst_hsize"], b["src_hsize"]), 1)
        wide = np.maximum(np.where(out, b["dst_wsize"], b["src_wsize"]), 1)
        piece = np.maximum(np.where(out, b["src_wsize"], b["dst_wsize"]), 1)
        return rows * wide, np.minimum(piece, wide), _one_run(rows * wide * size)
    total, each = n * c * h * w, h * w
    shares = {}
    for end in ("dst", "src"):
        there = (end == "dst") | ~filled
        found = _side(b, end, size) if b.has(f"{end}_wstride") else (total, each, share)
        shorter = there & (found[1] <= each)
        total, each = np.where(shorter, found[0], total), np.where(shorter, found[1], each)
        far = there & (b.memory.dma(dma_address(b, end))[0] == GLOBAL)
        shares[end] = np.where(far, found[2], np.inf)
    # Between places of global memory, the compiler counts writing as at least as fast as reading; inf: not in it.
    writing = np.minimum(shares["dst"], shares["src"])
    share = np.where(np.isinf(shares["src"]), shares["dst"], shares["src"])
    share = share * np.where(np.isinf(shares["dst"]) | np.isinf(shares["src"]), 1.0, writing)
    return total, each, np.where(np.isinf(share), 1.0, share)


def dma_work(b: Builder, operations: list[str]) -> Work:
    """Of GDMA and SDMA commands; system commands move nothing."""
    one, nothing = np.ones(len(b), np.int64), np.zeros(len(b), np.int64)
    if not b.has("src_wsize") and not b.has("src_cstride(move_length)"):
        return Work(b.rows, operations, one, one, one, nothing, nothing, np.ones(len(b), np.float64))
    names = {GLOBAL: "far", LOCAL: "local"}
    src, dst = ([names.get(int(m), "static") for m in b.memory.dma(dma_address(b, end))[0]] for end in ("src", "dst"))
    src = ["constant" if filled else name for filled, name in zip(b["fill_constant_en"], src, strict=True)]
    size = np.maximum(b.size(b["src_data_format"]), 1)
    total, each, share = _moved(b, size)
    key = [f"{op} {a}>{d}" for op, a, d in zip(operations, src, dst, strict=True)]
    return Work(b.rows, key, one, one, one, total * size, each * size, share)
