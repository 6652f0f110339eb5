# SPDX-License-Identifier: Apache-2.0
"""What a fifo's objects are: shapes and element types, written as numpy's generic aliases or as memrefs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES


@dataclass(frozen=True)
class ObjectType:
    """Shape and element type of one object.

    Attributes:
        shape: of the array.
        dtype: of an element.
        bits: its elements are the bits of bfloat16 numbers.
        untyped: its elements are 32-bit words of unknown type, as in compiled files.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    bits: bool = False
    untyped: bool = False

    @property
    def elements(self) -> int:
        """Elements of one object."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes of one object."""
        return self.elements * self.dtype.itemsize

    @property
    def words(self) -> int:
        """32-bit words of one object."""
        return self.size // WORD_BYTES

    @property
    def bfloat(self) -> bool:
        """Its elements are bfloat16: their bits, since numpy has no such type, or the type of another package."""
        return self.bits or self.dtype.name == "bfloat16"

    @property
    def type_name(self) -> str:
        """The type of an element by a name that numpy reads."""
        return f"V{self.dtype.itemsize}" if self.dtype.kind == "V" and not self.bfloat else self.dtype.name

    @property
    def element(self) -> str:
        """The type of an element, for people."""
        return "bfloat16" if self.bfloat else str(self.dtype)

    def zeros(self) -> npt.NDArray[Any]:
        """An object of zeros."""
        return np.zeros(self.shape, self.dtype)

    def __str__(self) -> str:
        return "x".join(map(str, self.shape)) + f" {self.element}"


def bfloat16_type(what: str = "this script") -> Any:
    """The type of bfloat16 numbers, which numpy does not have.

    Raises:
        UsageError: the package that has it is not installed.
    """
    try:
        import ml_dtypes
    except ImportError as error:
        raise UsageError(
            f"{what} uses bfloat16, which numpy does not have; install ml_dtypes: pip install 'goldbeat[bfloat16]'"
        ) from error
    return ml_dtypes.bfloat16


class BlockFloat8:
    """``v8bfp16ebs8``: eight numbers of 8 bits and the exponent that they share, as 9 bytes that are moved as they are."""

    dtype = np.dtype("V9")


class BlockFloat16:
    """``v16bfp16ebs16``: sixteen numbers of 8 bits and the exponent that they share."""

    dtype = np.dtype("V17")


def object_type(value: Any) -> ObjectType:
    """An object type from ``np.ndarray[(16,), np.dtype[np.int32]]``, a memref, or an :class:`ObjectType`.

    Raises:
        RuleError: ``object-type``, it is none of these.
    """
    if isinstance(value, ObjectType):
        return value
    args = get_args(value)
    if len(args) == 2:
        shape, kind = args
        inner = get_args(kind)
        try:
            numbers = tuple(int(n) for n in (get_args(shape) or (shape if isinstance(shape, tuple) else (shape,))))
            dtype = np.dtype(inner[0] if inner else kind)
        except (TypeError, ValueError):
            numbers, dtype = (), np.dtype(np.void)
        if numbers and min(numbers) >= 1 and dtype.kind in "iufbcV" and dtype.itemsize:
            return ObjectType(numbers, dtype)
    raise RuleError("object-type", f"{value!r} is no object type such as np.ndarray[(16,), np.dtype[np.int32]]")
