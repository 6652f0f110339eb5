# SPDX-License-Identifier: Apache-2.0
"""Arrays that a script hands to the designs that it calls: ``iron.tensor``, ``iron.zeros`` and others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

GRANULE = 64
"""Bytes that host and NPU bring to agreement at once: a view begins with such a piece."""


class HoldsArray:
    """What scripts index, and numpy reads, as the array that it holds.

    Attributes:
        array: it.
    """

    array: npt.NDArray[Any]

    def __getitem__(self, index: Any) -> Any:
        return self.array[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value

    def __array__(self, dtype: Any = None, copy: Any = None) -> npt.NDArray[Any]:
        return self.array if dtype is None else self.array.astype(dtype)


class ScriptTensor(HoldsArray):
    """An array of fixed shape and type; host and NPU see the same contents.

    Args:
        shape_or_data: a tuple is the shape of zeros, everything else the contents.
        dtype: element type; that of the contents, or ``np.uint32``.
        device: accepted, without effect.

    Raises:
        TypeError: an array of another type than ``dtype``.
    """

    def __init__(self, shape_or_data: Any, dtype: Any = None, device: str = "npu", **_: Any) -> None:
        self.device = device
        if isinstance(shape_or_data, tuple):
            self.array = np.zeros(shape_or_data, np.uint32 if dtype is None else dtype)
            return
        given = np.asarray(shape_or_data)
        if isinstance(shape_or_data, np.ndarray) and dtype is not None and given.dtype != np.dtype(dtype):
            raise TypeError(f"found an array of {given.dtype}, expected {np.dtype(dtype)}")
        self.array = np.array(given, dtype=dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return tuple(self.array.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Its element's type."""
        found: np.dtype[Any] = self.array.dtype
        return found

    @property
    def size(self) -> int:
        """How many elements."""
        return int(self.array.size)

    @property
    def nbytes(self) -> int:
        """How many bytes."""
        return int(self.array.nbytes)

    @property
    def data(self) -> npt.NDArray[Any]:
        """Its contents."""
        return self.array

    def take(self, words: npt.NDArray[Any]) -> None:
        """Take over what an execution left, in place: views of a part see it."""
        self.array[...] = words.reshape(-1).view(self.array.dtype).reshape(self.array.shape)

    def numpy(self) -> npt.NDArray[Any]:
        """Its contents."""
        return self.array

    def numel(self) -> int:
        """How many elements."""
        return self.size

    def element_size(self) -> int:
        """Bytes of an element."""
        return int(self.array.itemsize)

    def to(self, device: str) -> ScriptTensor:
        """Itself: there is one memory."""
        self.device = device
        return self

    def fill_(self, value: Any) -> None:
        """Set every element."""
        self.array[...] = value

    @contextmanager
    def overwrite(self) -> Iterator[npt.NDArray[Any]]:
        """The contents, to be written inside the block."""
        yield self.array

    mutate = overwrite

    def subview(self, offset: int, shape: Any, dtype: Any = None) -> ScriptTensor:
        """A part that begins at a byte and shares the contents.

        Raises:
            ValueError: outside the array, or not in whole pieces of 64 bytes.
        """
        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        kind = self.array.dtype if dtype is None else np.dtype(dtype)
        end = offset + math.prod(dims) * kind.itemsize
        if offset < 0 or end > self.nbytes:
            raise ValueError(f"found bytes {offset} to {end}, out of bounds of an array of {self.nbytes} bytes")
        if offset % GRANULE or (end % GRANULE and end != self.nbytes):
            raise ValueError(f"found bytes {offset} to {end}, not aligned to {GRANULE} bytes")
        made = ScriptTensor((), kind)
        made.array = self.array.reshape(-1).view(np.uint8)[offset:end].view(kind).reshape(dims)
        return made

    def __len__(self) -> int:
        return len(self.array)


def _shape(size: Sequence[Any]) -> Any:
    return size[0] if len(size) == 1 else size


def script_zeros(*size: Any, dtype: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of zeros."""
    return ScriptTensor(np.zeros(_shape(size), dtype or np.float32))


def script_zeros_like(other: ScriptTensor, dtype: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of zeros, as another one."""
    return ScriptTensor(np.zeros_like(other.array, dtype))


def script_ones(*size: Any, dtype: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of ones."""
    return ScriptTensor(np.ones(_shape(size), dtype or np.float32))


def script_full(size: Any, fill_value: Any, dtype: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of one value."""
    return ScriptTensor(np.full(size, fill_value, dtype or np.float32))


def script_arange(*bounds: Any, dtype: Any = None, shape: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of numbers in a row."""
    found = np.arange(*bounds)
    found = found.astype(dtype or (np.float32 if found.dtype.kind == "f" else np.int64))
    return ScriptTensor(found if shape is None else found.reshape(shape))


def script_randint(
    low: int, high: int, size: Any, *, dtype: Any = None, generator: Any = None, **_: Any
) -> ScriptTensor:
    """A tensor of random numbers, always the same ones."""
    random = np.random.default_rng(0) if generator is None else generator
    return ScriptTensor(np.asarray(random.integers(low, high, size)).astype(dtype or np.int64))


def script_rand(*size: Any, dtype: Any = None, generator: Any = None, **_: Any) -> ScriptTensor:
    """A tensor of random numbers from 0 up to 1, always the same ones."""
    random = np.random.default_rng(0) if generator is None else generator
    kind = np.dtype(dtype or np.float32)
    made = np.asarray(random.uniform(0, 1, _shape(size)).astype(kind))
    if kind.kind not in "iu":
        made = np.minimum(made, np.nextafter(kind.type(1), kind.type(0)))
    return ScriptTensor(made)


TENSORS = {"tensor": ScriptTensor, "zeros": script_zeros, "zeros_like": script_zeros_like, "ones": script_ones,
           "full": script_full, "arange": script_arange, "randint": script_randint, "rand": script_rand}  # fmt: skip
