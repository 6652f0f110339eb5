# SPDX-License-Identifier: Apache-2.0
"""sPorD: depthwise convolutions and poolings."""

from __future__ import annotations

from itertools import chain

import numpy as np

from goldbeat.pymodels.tpu.execute.numbers import (
    FP32,
    INT8,
    INT32,
    Array,
    Element,
    rounded_shift,
    to_stored,
)
from goldbeat.pymodels.tpu.execute.products import bias_of, padding, rotated, save_sum
from goldbeat.pymodels.tpu.execute.requantise import save_requantised
from goldbeat.pymodels.tpu.execute.step import TpuStep
from goldbeat.pymodels.tpu.execute.sums import two_chains
from goldbeat.pymodels.tpu.execute.windows import TpuWindow
from goldbeat.pymodels.tpu.hazards.memory import MEMORY

_NOWHERE = 0xFFFFFFFF
"""Where the chip that finds places of extremes is to leave them out."""
_DEPTHWISE, _AVERAGE, _RELU, _MIN, _MAX = range(5)


def pooling(step: TpuStep) -> None:
    """Execute one sPorD command."""
    if step.func > _MAX:
        raise step.stop("regions of interest")
    source = step.element("opd0")
    if step.flushes and step.func in (_MIN, _MAX) and step["opd2_addr"] != _NOWHERE:
        raise step.stop("the places of extremes")
    window = TpuWindow.of(step)
    values = step.numbers("opd0", source, plain=step.func in (_MIN, _MAX))
    fill = padding(step, source)
    if any(window.pads) and window.mode == 0 and not step["opd3_const"]:
        raise step.stop("padding values in local memory")
    padded = window.padded(values, fill)
    if not window.fits(*padded.shape[2:]):
        raise step.stop("a window beyond the input")
    if step.func in (_MIN, _MAX):
        _extreme(step, padded, window, source)
    else:
        _sum(step, padded, window, source)


def _extreme(step: TpuStep, padded: Array, window: TpuWindow, source: Element) -> None:
    choose = np.maximum if step.func == _MAX else np.minimum
    places = [(y, x) for y in range(window.kernel[0]) for x in range(window.kernel[1])]
    found = window.seen(padded, *places[0])
    for y, x in places[1:]:
        found = choose(found, window.seen(padded, y, x))
    target = step.element("res0", signed=source.signed)
    if target.code != source.code:
        raise step.stop(f"{source.name} to {target.name}")
    step.save("res0", to_stored(found, target), target)


def _bias_element(step: TpuStep, source: Element) -> Element:
    """The type of the bias is that of the operands, int32 for int8; compilers leave 0 in a field that names it."""
    own = Element(INT32) if source.code == INT8 else source
    named = Element(step["opd2_prec"])
    if named.code not in (INT8, own.code):
        raise step.stop(f"a bias of type {named.name} with {source.name}")
    return own


def _sum(step: TpuStep, padded: Array, window: TpuWindow, source: Element) -> None:
    """Weights of each channel, or one for all; one element of the kernel after the other, in fp32 or exactly."""
    kind = Element(source.code, bool(step["opd1_sign"]))
    c = padded.shape[1]
    weights = np.broadcast_to(step.numbers("opd1", kind), (1, c, *window.kernel))
    weights = rotated(step, weights)
    products = (window.seen(padded, y, x) * weights[:, :, y, x, None, None] for y, x in np.ndindex(*window.kernel))
    start = [] if step.func == _AVERAGE else bias_of(step, source, _bias_element)
    if source.floating:
        target = step.element("res0")
        if target.code != source.code:
            raise step.stop(f"{source.name} to {target.name}")
        if not start and step.func != _AVERAGE and step.memories.chip is MEMORY["BM1688"]:
            # This chip adds a bias in any case.
            start = [np.zeros((1, 1, 1, 1), np.float32)]
        zero = -0.0 if step.func == _AVERAGE else step.zero
        found = two_chains(chain(start, products), target, zero, flushes=step.flushes and target.code != FP32)
    else:
        found = np.sum(
            [np.broadcast_to(term, (len(padded), c, *window.out)) for term in chain(start, products)], axis=0
        )
        if step["rq"]:
            save_requantised(step, found)
            return
        if step.func == _AVERAGE:
            found = rounded_shift(found, step["opd2_addr"] & 0xFF, step["opd2_n_str"])
    if step.func == _RELU:
        found = np.maximum(found, 0)
    save_sum(step, found, source)
