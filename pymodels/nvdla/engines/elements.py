# SPDX-License-Identifier: Apache-2.0
"""Elements of a cube by their precision: from bytes and back, and grouped by atoms of another precision."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, FP16, INT8, INT16, KINDS, PRECISIONS
from goldbeat.pymodels.nvdla.engines.registers import Values

_KINDS = KINDS[:FP16]


def precision_of(values: Values, block: str, name: str, field: str) -> int:
    """The integer precision in a register's field.

    Raises:
        UsageError: one that the configuration, or its model, does not have.
    """
    found, known = values.get(block, name, field), values.configuration
    if found in known.precisions and found in (INT8, INT16):
        return found
    where = f"{block}.{name}.{field} is {found}"
    if found in known.precisions:
        raise UsageError(f"{where}: the model of {known.name} works with integers only, not with {PRECISIONS[found]}")
    names = ", ".join(PRECISIONS[one] for one in known.precisions)
    raise UsageError(f"{where}: {known.name} knows {names} only")


def element_values(raw: npt.NDArray[np.uint8], precision: int) -> Ints:
    """(..., n bytes) to (..., n / element size) numbers."""
    return np.ascontiguousarray(raw).view(_KINDS[precision]).astype(np.int64)


def element_bytes(numbers: Ints, precision: int) -> npt.NDArray[np.uint8]:
    """The other way round, for numbers that fit."""
    return np.ascontiguousarray(numbers.astype(_KINDS[precision])).view(np.uint8)


def bits(precision: int) -> int:
    """Of an element."""
    return 8 * BYTES[precision]


def by_channel(cube: Ints) -> Ints:
    """(surfaces, height, width, lanes) to (channels, height, width)."""
    surfaces, height, width, lanes = cube.shape
    return cube.transpose(0, 3, 1, 2).reshape(surfaces * lanes, height, width)


def by_surface(channels: Ints, lanes: int) -> Ints:
    """(channels, height, width) to (surfaces, height, width, lanes), 0 in lanes without a channel."""
    count, height, width = channels.shape
    surfaces = -(-count // lanes)
    full = np.zeros((surfaces * lanes, height, width), np.int64)
    full[:count] = channels
    return full.reshape(surfaces, lanes, height, width).transpose(0, 2, 3, 1)


def regrouped(cube: Ints, lanes: int, surfaces: int) -> Ints:
    """A cube in atoms of another number of lanes: ``surfaces`` of them, what is missing is 0."""
    if cube.shape[3] == lanes and len(cube) == surfaces:
        return cube
    channels = by_channel(cube)[: surfaces * lanes]
    missing = surfaces * lanes - len(channels)
    return by_surface(np.pad(channels, ((0, missing), (0, 0), (0, 0))), lanes)
