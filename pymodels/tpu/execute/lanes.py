# SPDX-License-Identifier: Apache-2.0
"""Copies between lanes, transposes of channels and width, and reads of the static memory."""

from __future__ import annotations

import numpy as np

from goldbeat.pymodels.tpu.execute.step import TpuStep

_ROW, _EACH = 4, 5


def lane_move(step: TpuStep) -> None:
    """sTRANS&sBC, sCW&sBC: 0 and 1 transpose, 2 copies, 3 repeats a channel, 4 and 5 read the static memory."""
    element = step.element("res0", signed=True)
    if step.func > _EACH:
        raise step.stop("operation")
    if not step.operands.get("opd0"):
        return
    source = step.whole("opd0")
    if step.func in (_ROW, _EACH):
        first, last = source.offset, source.offset + (source.w - 1) * source.w_stride + source.size
        fits = [at <= first and last <= at + t.nbytes for at, t in step.memories.tables if t.itemsize == source.size]
        if not any(fits):
            raise step.stop(f"the static memory at {first:#x} to {last - 1:#x}, which no formula describes")
    values = step.memories.read(source, element.stored)
    if step.func in (0, 1):
        values = values.transpose(0, 3, 2, 1)
    elif step.func == _EACH:
        values = values.reshape(1, -1, 1, 1)
    step.save("res0", np.ascontiguousarray(values), element)
