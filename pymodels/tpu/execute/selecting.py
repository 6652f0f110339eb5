# SPDX-License-Identifier: Apache-2.0
"""Comparisons that select, and gathers and scatters within lanes."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.tpu.execute.numbers import INT16
from goldbeat.pymodels.tpu.execute.step import TpuStep

_GREATER_AND, _GREATER, _EQUAL, _LESS_AND, _LESS = range(22, 27)
_GATHER_ALIKE, _GATHER, _SCATTER, _GATHER_TABLE, _SCATTER_TABLE = 0, 5, 6, 13, 14


def comparison(step: TpuStep) -> None:
    """sCMP: the greater or the less of two, and which of two others goes with it; 23, 24 and 26 give only that."""
    first = step.element("opd0")
    second = step.element("opd2", signed=True)
    raw = [step.load(name, first) for name in ("opd0", "opd1")]
    a, b = (step.numbers(name, first, plain=True) for name in ("opd0", "opd1"))
    chosen = [step.load(name, second) for name in ("opd2", "opd3")]
    tests = {_GREATER_AND: a > b, _GREATER: a > b, _EQUAL: a == b, _LESS_AND: a < b, _LESS: a < b}
    if step.func not in tests:
        raise step.stop("operation")
    true = tests[step.func]
    if step.func in (_GREATER_AND, _LESS_AND):
        step.save("res0", np.where(true, raw[0], raw[1]), first)
        step.save("res1", np.where(true, chosen[0], chosen[1]), second)
    else:
        step.save("res0", np.where(true, chosen[0], chosen[1]), second)


def _gather_alike(step: TpuStep) -> None:
    """All channels take the same places of their rows; the indices lie one in each lane."""
    element, index_type = step.element("opd0"), step.element("opd1", signed=False)
    step.element_like("res0", element)
    target = step.whole("res0")
    if index_type.code != INT16 or target.n != 1 or target.h != 1 or step["opd0_h"] > 1 or step["opd1_c"] != target.w:
        raise step.stop("images, lines, or indices that are not of 16 bits and one for each result")
    source, index = step.load("opd0", element), step.numbers("opd1", index_type)[0, :, 0, 0]
    if step["opd2_const"] or (index >= source.shape[3]).any():
        raise step.stop("an index beyond the table")
    step.save("res0", source[..., index], element)


def gather_elements(step: TpuStep) -> None:
    """sSG: each lane has its own indices, except with 0; 13 and 14 have one table for all n."""
    if step.func == _GATHER_ALIKE:
        _gather_alike(step)
        return
    if step.func not in (_GATHER, _SCATTER, _GATHER_TABLE, _SCATTER_TABLE):
        raise step.stop("operation")
    if step["opd0_h"] != 1 or step["res0_h"] != 1:
        raise step.stop("tables and results of more than one line")
    element, index_type = step.element("opd0"), step.element("opd1", signed=False)
    step.element_like("res0", element)
    if index_type.floating:
        raise step.stop(f"indices of type {index_type.name}")
    source = step.load("opd0", element)
    index = step.numbers("opd1", index_type)[:, :, 0, :]
    target = step.whole("res0")
    n, c, h, w = target.shape
    flat = np.broadcast_to(source, (n, *source.shape[1:])).reshape(n, c, -1)
    channels = np.arange(c)[None, :, None], np.arange(n)[:, None, None]
    if step.func in (_GATHER, _GATHER_TABLE):
        inside = index < flat.shape[2]
        found = flat[channels[1], channels[0], np.minimum(index, flat.shape[2] - 1)]
        fill = step.constant(step["opd2_addr"], element)[0, 0, 0, 0]
        if not step["opd2_const"] and not inside.all():
            raise step.stop("an index beyond the table")
        step.save("res0", np.where(inside, found, fill).reshape(n, c, h, w), element)
        return
    old = step.memories.read(target, element.stored).reshape(n, c, -1)
    for i in range(index.shape[2]):
        at = index[:, :, i]
        image, channel = np.nonzero(at < old.shape[2])
        old[image, channel, at[image, channel]] = flat[image, channel, min(i, flat.shape[2] - 1)]
    step.save("res0", old.reshape(n, c, h, w), element)
