# SPDX-License-Identifier: Apache-2.0
"""Sums of products: convolutions and matrices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

import numpy as np

from goldbeat.pymodels.tpu.execute.numbers import BF16, FP16, FP32, INT8, INT32, Array, Element, to_numbers, to_stored
from goldbeat.pymodels.tpu.execute.requantise import KERNEL_ZERO, save_requantised
from goldbeat.pymodels.tpu.execute.step import TpuStep
from goldbeat.pymodels.tpu.execute.sums import fused_dot, two_chains
from goldbeat.pymodels.tpu.execute.windows import TpuWindow
from goldbeat.pymodels.tpu.hazards.memory import MEMORY
from goldbeat.pymodels.tpu.hazards.tiu import NO_ZERO_IN_MEMORY

_WORD_LIMIT = 1 << 31


def convolution(step: TpuStep) -> None:
    """SCONV."""
    window = TpuWindow.of(step)
    source = _source(step)
    kernels = step.element_like("opd1", source)
    if source.code == INT8 and not step.has("rq") and not step["opd2_const"]:
        raise step.stop("requantisation")
    if not source.floating and step.has("opd4_const") and _kernel_zero(step):
        raise step.stop("a zero point of the kernels")
    values = step.numbers("opd0", source)
    weights = _kernels(step, kernels, values.shape[1])
    if any(window.pads) and window.mode == 0 and not step["opd3_const"]:
        raise step.stop("padding values in local memory")
    padded = window.padded(values, padding(step, source))
    if not window.fits(*padded.shape[2:]):
        raise step.stop("a window beyond the input")
    start = _first_terms(step, source)
    found = _windowed(padded, weights, window, source, start, step)
    if step["rq"]:
        save_requantised(step, found)
    else:
        save_sum(step, found, source)


def padding(step: TpuStep, source: Element) -> Array:
    """The number around the input."""
    found = to_numbers(step.constant(step["opd3_addr"], source), source)
    if (step.settled("opd3", found, source) != found).any():
        raise step.stop("padding below the least normal number")
    return found


def _source(step: TpuStep) -> Element:
    """The type of the left operand of products that both have one type: int8 or a float."""
    found = step.element("opd0")
    if not found.floating and found.code != INT8:
        raise step.stop(f"products of {found.name}")
    return found


def bias_element(step: TpuStep, source: Element) -> Element:
    """The type of the bias: that of the field for 16-bit floats; otherwise fp32 or int32, where compilers leave 0 in the field."""
    own = Element(FP32 if source.floating else INT32)
    if not step.has("opd2_prec"):
        return own
    named = Element(step.named(step["opd2_prec"], bool(step["opd2_sign"])).code)
    # The functional model of BM1684X2 reads fp16 as something else.
    choice = named.floating and (named.code == FP32 or step.memories.chip is not MEMORY["BM1684X2"])
    if source.code in (FP16, BF16) and choice:
        return named
    if named.code == own.code or (named.code == INT8 and source.code in (FP32, INT8)):
        return own
    raise step.stop(f"a bias of type {named.name} with {source.name}")


def bias_of(step: TpuStep, source: Element, type_of: Callable[[TpuStep, Element], Element]) -> list[Array]:
    """The bias, if there is one: a tensor, or a constant in the command, whose type the command must name.

    Args:
        step: the command.
        source: type of the left operand.
        type_of: gives the type of the bias of this form.
    """
    if step["opd2_const"] and not step["opd2_addr"]:
        return []
    element = type_of(step, source)
    if step["opd2_const"] and not (step.has("opd2_prec") and step["opd2_prec"] == element.code):
        raise step.stop(f"a constant bias whose type the command does not name as {element.name}")
    return [step.numbers("opd2", element)]


def _kernel_zero(step: TpuStep) -> bool:
    """Whether something is taken from every weight; the newest chips do not look at where it lies."""
    elsewhere = not step["opd4_const"] and step.memories.chip not in NO_ZERO_IN_MEMORY
    return elsewhere or bool(step.registers.get(KERNEL_ZERO, 0))


def _kernels(step: TpuStep, element: Element, channels: int) -> Array:
    """(oc, ic, kh, kw): in a lane, input channels lie side by side in groups as wide as the cube."""
    high, wide = step["opd1_h"], step["opd1_w"]
    oc = step["res0_c"]
    if step["opd1_const"]:
        one = step.numbers("opd1", element)
        return np.broadcast_to(one.reshape(1, 1, 1, 1), (oc, channels, high, wide))
    raw = step.numbers("opd1", element)
    cube = {1: step.memories.chip.cube, 2: step.memories.chip.cube // 2}.get(element.stored.itemsize, 1)
    found: Array = raw.reshape(oc, -1, high, wide, cube).transpose(0, 1, 4, 2, 3)
    found = found.reshape(oc, -1, high, wide)[:, :channels]
    return rotated(step, found)


def rotated(step: TpuStep, weights: Array) -> Array:
    """(..., kh, kw) weights, turned by half a circle if asked for, which two chips do not do."""
    if not step["kernel_rotate"]:
        return weights
    if step.memories.chip in (MEMORY["CV184X"], MEMORY["SGTPUV8"]):
        raise step.stop("rotated kernels on this chip")
    return weights[:, :, ::-1, ::-1]


def _windowed(
    padded: Array, weights: Array, window: TpuWindow, element: Element, start: list[Array], step: TpuStep
) -> Array:
    """(n, oc, oh, ow) sums that begin with the bias, if there is one: integers exactly, floats in fp32."""
    n, c = padded.shape[:2]
    cube = step.memories.chip.cube // 2
    (oh, ow), places = window.out, list(np.ndindex(*window.kernel))
    if element.code == FP32:
        terms = (
            window.seen(padded, y, x)[:, i, None] * weights[None, :, i, y, x, None, None]
            for i in range(c)
            for y, x in places
        )
        return two_chains(chain(start, terms), element, step.zero)
    first: Array = start[0] if start else np.zeros((1, 1, 1, 1), np.float32 if element.floating else np.int64)
    sums: Array = np.broadcast_to(first, (n, len(weights), oh, ow)).reshape(n, len(weights), -1).copy()
    if not element.floating:
        for y, x in places:
            seen = window.seen(padded, y, x).reshape(n, c, -1).astype(np.float64)
            sums += np.matmul(weights[:, :, y, x].astype(np.float64), seen).astype(np.int64)
        return sums.reshape(n, -1, oh, ow)
    for image in range(n):
        for begin in range(0, c, cube):
            group = slice(begin, begin + cube)
            for y, x in places:
                inputs = window.seen(padded, y, x)[image, group].reshape(-1, oh * ow)
                sums[image] += fused_dot(weights[:, group, y, x], inputs)
    return sums.reshape(n, -1, oh, ow)


def _first_terms(step: TpuStep, source: Element) -> list[Array]:
    """What sums of floats begin with: the old result, if asked for, with the bias, if there is one."""
    start = bias_of(step, source, bias_element)
    if not (step["res_add"] and source.floating):
        return start
    target = result_of_sum(step, source)
    if target.code != FP32 or (start and source.code == FP32):
        raise step.stop(
            f"sums of {source.name} added to an old result of {target.name}{' with a bias' if start else ''}"
        )
    old = to_numbers(step.memories.read(step.whole("res0"), target.stored), target)
    return [old + start[0]] if start else [old]


def result_of_sum(step: TpuStep, source: Element) -> Element:
    """The type of a result of products.

    Raises:
        NotModelledError: the operands do not give this type.
    """
    signed = bool(step["opd0_sign"] or step["opd1_sign"] or step["opd2_sign"])
    if step.has("res0_sign"):
        signed = bool(step["res0_sign"])
    target = step.element("res0", signed=signed)
    if target.floating != source.floating or (target.floating and target.code not in (source.code, FP32)):
        raise step.stop(f"{source.name} to {target.name}")
    return target


def save_sum(step: TpuStep, found: Array, source: Element) -> None:
    """Add the old result to integers if asked for, cut off below 0 if asked for, and store."""
    target = result_of_sum(step, source)
    if step["res_add"] and not source.floating:
        found = found + to_numbers(step.memories.read(step.whole("res0"), target.stored), target)
        if np.abs(found).max() >= _WORD_LIMIT:
            raise step.stop("sums of more than 32 bits added to an old result")
    if step["relu"]:
        found = np.maximum(found, 0)
    if target.code == BF16:
        step.settled("res0", found, target)
    step.save("res0", to_stored(found, target), target)


def _cut(step: TpuStep, operand: str, element: Element) -> Array:
    """(rows, columns) a matrix whose columns are cut into channels, the last one perhaps apart."""
    parts = [to_numbers(step.memories.read(one, element.stored), element) for one in step.operands.get(operand, ())]
    if not parts:
        raise step.stop(f"{operand} has no elements")
    return np.concatenate([part.transpose(0, 2, 1, 3).reshape(part.shape[0], -1) for part in parts], axis=1)


def matrix_product(step: TpuStep) -> None:
    """SMM."""
    source = step.element("opd0")
    right_type = step.element_like("opd1", source)
    if source.code == INT32:
        raise step.stop(f"products of {source.name}")
    if source.code != FP32 and (source.floating or step["rq"] or not step.has("res0_sign") or not step["opd2_const"]):
        raise step.stop("16-bit floats, shifts, requantisation, and integers on BM1684X")
    if step["opd2_const"] and step["opd2_addr"]:
        raise step.stop("a constant shift or bias")
    left = step.numbers("opd0", source) if step["opd0_const"] else _cut(step, "opd0", source)
    right = to_numbers(step.load("opd1", right_type), right_type)
    right = right.transpose(0, 2, 1, 3).reshape(right.shape[0], -1)
    if step["opd0_const"]:
        left = np.broadcast_to(left.reshape(1, 1), (step["res0_n"], len(right)))
    elif step["left_tran"]:
        left = left.T
    shape = step.whole("res0").shape
    if source.code == FP32:
        terms = (left[:, k : k + 1] * right[k] for k in range(len(right)))
        with np.errstate(all="ignore"):
            found = two_chains(
                chain(_before_products(step, source, (len(left), right.shape[1])), terms), source, step.zero
            )
    else:
        found = _product(left, right, source)
    save_sum(step, found.reshape(shape[0], shape[1], 1, shape[3]), source)


def _before_products(step: TpuStep, source: Element, shape: tuple[int, int]) -> list[Array]:
    """What sums of fp32 begin with, as a matrix each: the bias, then the old result."""
    found = [] if step["opd2_const"] else [step.numbers("opd2", source).reshape(1, -1)]
    if step["res_add"]:
        target = result_of_sum(step, source)
        found.append(to_numbers(step.memories.read(step.whole("res0"), target.stored), target).reshape(shape))
    return found


def _product(left: Array, right: Array, element: Element, cube: int = 1, start: Array | int = 0) -> Array:
    """(rows, columns): integers exactly, 16-bit floats in groups as wide as the cube, whose sums are added to ``start`` in fp32."""
    if not element.floating:
        exact: Array = np.rint(np.matmul(left.astype(np.float64), right.astype(np.float64))).astype(np.int64)
        return exact + start
    found: Array = np.zeros((len(left), right.shape[1]), np.float32) + start
    for begin in range(0, len(right), cube):
        group = slice(begin, begin + cube)
        found += fused_dot(left[:, group], right[group])
    return found


def matrix_product_2(step: TpuStep) -> None:
    """sMM2: rows are channels; 5 turns the right operand, 6 both and the result; each lane has its own bias."""
    source = _source(step)
    right_type = step.element_like("opd1", source)
    if step["opd0_const"] or step["opd1_const"]:
        raise step.stop("a constant matrix")
    left, right = (step.numbers(name, kind)[0, :, 0, :] for name, kind in (("opd0", source), ("opd1", right_type)))
    if step.func == 5:
        right = right.T
    if step.func == 6:
        left, right = left.T, right.T
    if source.code == FP32 or (source.floating and step.func == 6):
        raise step.stop("fp32, and floats with both operands turned")
    if not source.floating and step.has("rq") and _kernel_zero(step):
        raise step.stop("a zero point of the right matrix")
    start: Array | int = 0
    # BM1684X has no bias for floats, whatever the field says.
    if step.has("rq") or not source.floating:
        for bias in bias_of(step, source, bias_element):
            start = bias[0, np.arange(len(left)) % bias.shape[1], 0]
    if step["res_add"] and source.floating:
        target = result_of_sum(step, source)
        if target.code != FP32:
            raise step.stop(f"sums of {source.name} added to an old result of {target.name}")
        start = start + to_numbers(step.memories.read(step.whole("res0"), target.stored), target)[0, :, 0]
    found = _product(left, right, source, step.memories.chip.cube // 2, start)
    found = found.reshape(1, len(found), 1, -1)
    if step["rq"]:
        save_requantised(step, found)
    else:
        save_sum(step, found, source)
