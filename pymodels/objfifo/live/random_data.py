# SPDX-License-Identifier: Apache-2.0
"""Small random numbers where nobody gives data: two elements are rarely alike, and a number of passes stays small."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType


def random_array(rng: np.random.Generator, kind: ObjectType) -> npt.NDArray[np.generic]:
    """Small random numbers of a type."""
    return rng.integers(0, 100, kind.shape).astype(kind.dtype)


def random_buffers(array: LiveArray) -> None:
    """Fill the buffers without initial values, the same in each array."""
    rng = np.random.default_rng(1)
    for buffer in array.buffers.values():
        if buffer.initial is None:
            array.view(buffer)[...] = random_array(rng, buffer.obj)
