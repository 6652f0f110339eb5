# SPDX-License-Identifier: Apache-2.0
"""GDMA and SDMA: what moves, and in which order. The elements are bits; nothing is converted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from goldbeat.pymodels.tpu.execute.memories import Array, Extent
from goldbeat.pymodels.tpu.execute.step import TpuStep

_TURN, _COLLECT, _REPEAT, _DEAL = 1, 2, 3, 4
_INDEX = np.dtype("<u4")


def _kind(x: Extent) -> np.dtype[np.unsignedinteger]:
    return np.dtype(f"<u{x.size}")


def _parts(step: TpuStep, name: str) -> list[Extent]:
    found = step.operands.get(name, [])
    if any(one.part for one in found):
        raise step.stop(f"the bytes of {name}")
    return found


def _whole(step: TpuStep, name: str) -> Extent:
    _parts(step, name)
    return step.whole(name)


def _source(step: TpuStep, size: int) -> Array:
    """(n, c, h, w) what is moved: an operand, or a constant."""
    if step["fill_constant_en"]:
        return np.array([step["constant_value"]], np.uint32).view(f"<u{size}")[:1].reshape(1, 1, 1, 1)
    one = _whole(step, "src")
    return step.memories.read(one, _kind(one))


def _store(step: TpuStep, one: Extent, values: Array) -> None:
    step.memories.write(one, values, _kind(one))


def _tensor(step: TpuStep) -> None:
    if not _parts(step, "dst"):
        return
    if step["reduce_enable"]:
        raise step.stop("a move that adds to its target")
    target = step.whole("dst")
    values = _source(step, target.size)
    if step["fill_constant_en"]:
        _store(step, target, values)
        return
    if step.batch.form == "DMA_cw_transpose" or step.func in (_COLLECT, _DEAL):
        values = values.transpose(0, 3, 2, 1)
    elif step.func == _TURN:
        values = values.transpose(1, 0, 2, 3)
    elif step.func != _REPEAT:
        if values.size != target.n * target.c * target.h * target.w:
            raise step.stop(f"{values.size} elements into {target.n * target.c * target.h * target.w}")
        values = values.reshape(target.shape)
    _store(step, target, values)


def _matrix(step: TpuStep) -> None:
    sources, targets = _parts(step, "src"), _parts(step, "dst")
    if not targets:
        return
    if step["fill_constant_en"]:
        for one in targets:
            _store(step, one, _source(step, one.size))
        return
    if not sources:
        raise step.stop("src has no elements")
    # In local memory the columns are cut into channels, the last one apart; they lie in the order of their lanes.
    parts = [step.memories.read(one, _kind(one)) for one in sources]
    rows = [part.reshape(part.shape[0] * part.shape[2], -1) for part in parts]
    to_local = targets[0].lanes > 1 and sources[0].lanes == 1
    if not to_local:
        whole = np.concatenate([p.transpose(0, 2, 1, 3).reshape(p.shape[0] * p.shape[2], -1) for p in parts], axis=1)
    else:
        whole = rows[0]
    if step.func == 1:
        whole = whole.T
    done = 0
    for one in targets:
        high, wide = one.n * one.h, one.c * one.w
        piece = whole[:high, done : done + wide]
        _store(step, one, piece.reshape(one.n, one.h, one.c, one.w).transpose(0, 2, 1, 3))
        done += wide


def _general(step: TpuStep) -> None:
    for target in _parts(step, "dst"):
        _store(step, target, _source(step, target.size))


def _refuse_constant(step: TpuStep) -> None:
    if step["fill_constant_en"]:
        raise step.stop("a constant in place of the source")


def _indices(step: TpuStep) -> Array:
    index = _whole(step, "index")
    return step.memories.read(index, _INDEX)[0, :, :, 0].astype(np.int64)


def _gather(step: TpuStep) -> None:
    """Row ``index[c, i]`` of the source becomes row i; an index beyond the source gives the constant."""
    _refuse_constant(step)
    target = _whole(step, "dst")
    one = _whole(step, "src")
    source, index = step.memories.read(one, _kind(one)), _indices(step)
    inside = index < source.shape[2]
    channel = np.arange(target.c)[:, None]
    which = np.broadcast_to(index, (target.c, index.shape[1]))
    rows = source[0, np.minimum(channel, source.shape[1] - 1), np.minimum(which, source.shape[2] - 1)]
    constant = np.array([step["constant_value"]], np.uint32).view(_kind(one))[0]
    _store(step, target, np.where(np.broadcast_to(inside, which.shape)[..., None], rows, constant)[None])


def _scatter(step: TpuStep) -> None:
    """Row i of the source becomes row ``index[c, i]``; one beyond the target is dropped, the last of equal ones stays."""
    _refuse_constant(step)
    if step.func:
        raise step.stop("adding scatter")
    target = _whole(step, "dst")
    one = _whole(step, "src")
    source, index = step.memories.read(one, _kind(one)), _indices(step)
    found = step.memories.read(target, _kind(target))
    for c in range(target.c):
        rows = index[min(c, len(index) - 1)]
        for i in np.flatnonzero(rows < target.h):
            found[0, c, rows[i]] = source[0, min(c, source.shape[1] - 1), i]
    _store(step, target, found)


def _nothing(_: TpuStep) -> None:
    """Messages, registers and END move nothing."""


MOVES: dict[str, Callable[[TpuStep], None]] = {
    "DMA_tensor": _tensor,
    "DMA_cw_transpose": _tensor,
    "DMA_matrix": _matrix,
    "sDMA_matrix": _matrix,
    "DMA_general": _general,
    "DMA_gather": _gather,
    "DMA_scatter": _scatter,
    "sDMA_sys": _nothing,
}
"""By the form's name."""
