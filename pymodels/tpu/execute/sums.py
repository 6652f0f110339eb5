# SPDX-License-Identifier: Apache-2.0
"""Sums of floating-point products as the execution units make them, bit by bit.

Measured on the vendor's functional models (tpu_mlir 1.30.2), from outside: products of 16-bit floats of one group of input
channels, as wide as the cube, are exact, lose what lies more than 24 bits below the greatest one (towards zero), and are added
exactly; the sum is rounded to fp32 and added to the bias and the sums before it in fp32. Convolutions of fp32, depthwise ones and
poolings round every product and every sum to the type of the result. Ties go to even.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from goldbeat.pymodels.tpu.execute.memories import Array
from goldbeat.pymodels.tpu.execute.numbers import FP32, Element, least_normal, to_numbers, to_stored

_KEPT = 24
"""Bits below the leading one of the greatest product that a smaller one keeps."""
_CHUNK = 1 << 21
"""Products that are made at a time."""


def fused_dot(left: Array, right: Array) -> Array:
    """(rows, k) with (k, columns): sums over k of products of 16-bit floats, given as float32, in one go.

    Returns:
        (rows, columns) float32.
    """
    rows, k = left.shape
    columns = right.shape[1]
    found = np.empty((rows, columns), np.float32)
    step = max(1, _CHUNK // max(1, k * columns))
    b = right.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        for at in range(0, rows, step):
            products = left[at : at + step, :, None].astype(np.float64) * b[None]
            # The exponent of the leading one of the greatest product of each sum.
            top = np.frexp(np.abs(products).max(axis=1))[1] - 1
            scaled = np.trunc(np.ldexp(products, (_KEPT - top)[:, None]))
            found[at : at + step] = np.ldexp(scaled.sum(axis=1), top - _KEPT)
    return found


def two_chains(terms: Iterable[Array], element: Element, zero: float, *, flushes: bool = False) -> Array:
    """Terms added in two chains, those of even and those of odd place, and then the chains; all rounded to the type.

    Args:
        terms: in their order.
        element: the type.
        zero: what chains begin with: 0.0 or -0.0.
        flushes: numbers below the least normal one become zeros.

    Returns:
        float32 with values of the type.
    """

    def settled(values: Array) -> Array:
        found = rounded_to(np.asarray(values, np.float32), element)
        return flushed(found, element) if flushes else found

    chains: list[Array | np.float32] = [np.float32(zero), np.float32(zero)]
    for place, term in enumerate(terms):
        chains[place & 1] = settled(np.asarray(chains[place & 1] + settled(term)))
    return settled(np.asarray(chains[0] + chains[1]))


def flushed(values: Array, element: Element) -> Array:
    """Floats whose magnitude is below the least normal one of the type become zeros of their sign."""
    return np.where(np.abs(values) < least_normal(element), np.copysign(np.float32(0), values), values)


def rounded_to(values: Array, element: Element) -> Array:
    """float32 with the values that a type can hold."""
    return values if element.code == FP32 else to_numbers(to_stored(values, element), element)
