# SPDX-License-Identifier: Apache-2.0
"""A layer in IEEE single precision, many pixels and output channels at once, each sum in the specified order.

For each output: ``out = 0``; for each input channel in turn, 3x3: ``acc = 0``, nine times ``acc += p * w``,
``out += acc``; 1x1: ``out += p * w``. Then the bias is added. numpy's element-wise float32 operations round to nearest
even like the hardware; nothing here lets a library choose an order.

Setting ``out`` to input channel 0's sum and adding that sum to zero are the same: no ``acc`` is ever -0, as it began at +0.
Likewise a 1x1 product may be added to ``out`` without passing through an ``acc`` of its own: ``out`` is never -0 either.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.zynqnet.taps import size_out, taps_by_rows

Floats = npt.NDArray[np.float32]

_BLOCK = 1 << 15
"""Elements worked on at a time: operands and result stay in the processor's cache."""


def _sum(pixels: Floats, weights: Floats, out: Floats) -> None:
    """Add everything to ``out``, which is zero.

    Args:
        pixels: (ch_in, taps, a, 1), or (ch_in, taps, 1, b).
        weights: the other of the two.
        out: (a, b).
    """
    product = np.empty_like(out)
    if pixels.shape[1] == 1:
        for p, w in zip(pixels, weights, strict=True):
            np.multiply(p[0], w[0], out=product)
            np.add(out, product, out=out)
        return
    acc = np.empty_like(out)
    for p, w in zip(pixels, weights, strict=True):
        np.multiply(p[0], w[0], out=acc)
        np.add(acc, np.float32(0), out=acc)
        for tap in range(1, len(p)):
            np.multiply(p[tap], w[tap], out=product)
            np.add(acc, product, out=acc)
        np.add(out, acc, out=out)


def convolve(image: Floats, weights: Floats, biases: Floats, kernel: int, stride: int, relu: bool) -> Floats:
    """A whole layer.

    Args:
        image: (height, width, ch_in).
        weights: (ch_in, ch_out, taps).
        biases: (ch_out,).
        kernel: 3 or 1.
        stride: 1 or 2.
        relu: ``v < 0 ? 0 : v``, which lets -0 and NaN pass.

    Returns:
        (height_out, width_out, ch_out).
    """
    rows, columns = size_out(image, stride)
    channels = len(biases)
    out = np.zeros((rows, columns, channels), np.float32)
    # The longer of the two runs along memory: numpy works best on long rows.
    deep = channels > rows * columns
    by_tap = np.ascontiguousarray(weights.transpose(0, 2, 1))
    with np.errstate(all="ignore"):
        for first, end, taps in taps_by_rows(image, kernel, stride, rows if deep else max(1, _BLOCK // columns)):
            count = taps.shape[2]
            target = out[first:end].reshape(count, channels)
            if deep:
                for part in _parts(count, channels):
                    _sum(taps[:, :, part, None], by_tap[:, :, None, :], target[part])
            else:
                for part in _parts(channels, count):
                    block = np.zeros((part.stop - part.start, count), np.float32)
                    _sum(taps[:, :, None, :], by_tap[:, :, part, None], block)
                    target[:, part] = block.T
        np.add(out, biases, out=out)
        if relu:
            out[out < 0] = 0
    return out


def _parts(count: int, long: int) -> Iterator[slice]:
    """Cut ``count`` rows of ``long`` elements so that each part fills a block."""
    step = max(1, _BLOCK // long)
    for first in range(0, count, step):
        yield slice(first, min(count, first + step))


def pool(image: Floats) -> Floats:
    """(ch_out,) sums over all pixels, row by row, of (height, width, ch_out)."""
    pixels = image.reshape(-1, image.shape[2])
    total: Floats = pixels[0].copy()
    with np.errstate(all="ignore"):
        for pixel in pixels[1:]:
            total += pixel
    return total
