# SPDX-License-Identifier: Apache-2.0
"""The processing element: nine products, added in their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def multiply_accumulate(pixels: npt.NDArray[Any], weights: npt.NDArray[Any]) -> Any:
    """``acc = 0; for i in 0..8: acc += p[i] * w[i]``, each operation rounded by itself (fp32) or exact (integers).

    The order is part of the specification: any other changes bits. Adding the first product to zero counts as well:
    it turns -0 into +0.

    Args:
        pixels: (..., 9) float32, or int32 that hold int8 values.
        weights: likewise.

    Returns:
        (...) of the same type.
    """
    with np.errstate(all="ignore"):
        products = pixels * weights
        acc = np.zeros(products.shape[:-1], products.dtype)
        for tap in range(products.shape[-1]):
            acc = acc + products[..., tap]
    return acc
