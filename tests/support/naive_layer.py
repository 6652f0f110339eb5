# SPDX-License-Identifier: Apache-2.0
"""A layer as plain loops over single numbers, straight from the words of the specification."""

import numpy as np

ZERO = np.float32(0)


def pixel(image, y, x, ci):
    height, width, _ = image.shape
    return image[y, x, ci] if 0 <= y < height and 0 <= x < width else image.dtype.type(0)


def fp32(image, weights, biases, kernel, stride, relu, *, reverse=False):
    """(h, w, ci), (ci, co, taps), (co,) to (h_out, w_out, co); ``reverse`` adds the taps the other way round."""
    height, width, ch_in = image.shape
    out = np.empty((-(-height // stride), -(-width // stride), len(biases)), np.float32)
    order = range(9)[::-1] if reverse else range(9)
    with np.errstate(all="ignore"):
        for y in range(0, height, stride):
            for x in range(0, width, stride):
                for co in range(len(biases)):
                    total = ZERO
                    for ci in range(ch_in):
                        acc = ZERO
                        if kernel == 3:
                            for i in order:
                                acc = acc + pixel(image, y + i // 3 - 1, x + i % 3 - 1, ci) * weights[ci, co, i]
                        else:
                            acc = acc + image[y, x, ci] * weights[ci, co, 0]
                        total = acc if ci == 0 else total + acc
                    total = total + biases[co]
                    out[y // stride, x // stride, co] = ZERO if relu and total < 0 else total
    return out


def same_bits(one, other):
    """Equal bits; NaNs are a class of their own."""
    one, other = np.asarray(one, np.float32), np.asarray(other, np.float32)
    nans = np.isnan(one) & np.isnan(other)
    return one.shape == other.shape and bool((nans | (one.view(np.uint32) == other.view(np.uint32))).all())
