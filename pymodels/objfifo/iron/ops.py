# SPDX-License-Identifier: Apache-2.0
"""Operations that core bodies of the placed level write, on numpy values."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.worker import run_kernel, stand_in_of
from goldbeat.pymodels.objfifo.plan.object_type import bfloat16_type, object_type


def _scalar(name: str) -> Callable[[], type[np.generic]]:
    return lambda: np.dtype(name).type


class T:
    """Element and array types by MLIR's names: ``T.memref(16, T.i32())``."""

    i8 = staticmethod(_scalar("int8"))
    i16 = staticmethod(_scalar("int16"))
    i32 = staticmethod(_scalar("int32"))
    i64 = staticmethod(_scalar("int64"))
    ui8 = staticmethod(_scalar("uint8"))
    ui16 = staticmethod(_scalar("uint16"))
    ui32 = staticmethod(_scalar("uint32"))
    f32 = staticmethod(_scalar("float32"))
    index = staticmethod(_scalar("int64"))
    bf16 = staticmethod(bfloat16_type)

    @staticmethod
    def memref(*args: Any) -> Any:
        """An array's type: its shape, then its element's type."""
        return np.ndarray.__class_getitem__((tuple(int(n) for n in args[:-1]), np.dtype.__class_getitem__(args[-1])))


class memref:  # noqa: N801 - upstream's name
    """Loads and stores."""

    @staticmethod
    def load(array: npt.NDArray[Any], index: Sequence[int]) -> Any:
        """One element."""
        return array[tuple(index)]

    @staticmethod
    def store(value: Any, array: npt.NDArray[Any], index: Sequence[int]) -> None:
        """Set one element."""
        array[tuple(index)] = value

    @staticmethod
    def view(
        source: Any, shape: Sequence[int], dtype: Any = None, shift: int = 0, memory_space: Any = None
    ) -> npt.NDArray[Any]:
        """A part of an array from an element on, perhaps as another type; ``shift`` counts elements of that type.

        Raises:
            UsageError: past the end of the array.
        """
        array = np.asarray(source).reshape(-1)
        kind = array.dtype if dtype is None else np.dtype(dtype)
        count = math.prod(int(n) for n in shape)
        first, end = int(shift) * kind.itemsize, (int(shift) + count) * kind.itemsize
        if first < 0 or end > array.nbytes:
            raise UsageError(f"found a view of bytes {first} to {end - 1}, expected bytes 0 to {array.nbytes - 1}")
        return array.view(np.uint8)[first:end].view(kind).reshape(tuple(int(n) for n in shape))


MEMREF = {"load": memref.load, "store": memref.store, "view": memref.view}


class arith:  # noqa: N801 - upstream's name
    """Arithmetic."""

    addi = addf = staticmethod(operator.add)
    subi = subf = staticmethod(operator.sub)
    muli = mulf = staticmethod(operator.mul)
    divf = staticmethod(operator.truediv)
    andi, ori, xori = staticmethod(operator.and_), staticmethod(operator.or_), staticmethod(operator.xor)
    shli, shrsi = staticmethod(operator.lshift), staticmethod(operator.rshift)
    minsi = minimumf = staticmethod(min)
    maxsi = maximumf = staticmethod(max)

    @staticmethod
    def divsi(value: Any, by: Any) -> Any:
        """A quotient without its fraction: -7 by 2 is -3."""
        quotient = abs(int(value)) // abs(int(by))
        return type(value)(quotient if (value < 0) == (by < 0) else -quotient)

    @staticmethod
    def divui(value: Any, by: Any) -> Any:
        """A quotient of numbers without a sign: -1 is the largest one."""
        return type(value)(arith._unsigned(value) // arith._unsigned(by))

    @staticmethod
    def remui(value: Any, by: Any) -> Any:
        """What :meth:`divui` leaves."""
        return type(value)(arith._unsigned(value) % arith._unsigned(by))

    @staticmethod
    def _unsigned(value: Any) -> int:
        """The bits of a whole number; those of a Python int are 64."""
        return int(value) % (1 << 8 * getattr(value, "itemsize", 8))

    @staticmethod
    def remsi(value: Any, by: Any) -> Any:
        """What :meth:`divsi` leaves, with the sign of the value."""
        return type(value)(int(value) - int(arith.divsi(value, by)) * int(by))

    @staticmethod
    def extsi(to: Any, value: Any) -> Any:
        """A whole number in a larger type."""
        return np.dtype(to).type(value)

    @staticmethod
    def constant(value: Any, kind: Callable[[Any], Any] | None = None, index: bool = False) -> Any:
        """A number of a type; older scripts give the type first."""
        if isinstance(value, type):
            assert kind is not None
            value, kind = kind, value
        return value if kind is None or index else kind(value)

    @staticmethod
    def trunci(to: Any, value: Any) -> Any:
        """The low bits of a whole number, in a smaller type."""
        return np.asarray(value).astype(np.dtype(to)).reshape(())[()]

    @staticmethod
    def index_cast(value: Any, to: Any = None) -> Any:
        """A loop's number as a number of a type; MLIR's own dialect has the type first."""
        if isinstance(value, type):
            value, to = to, value
        return value if to is None else to(value)


ARITH = {name: getattr(arith, name) for name in vars(arith) if not name.startswith("_")}


def np_ndarray_type_get_shape(kind: Any) -> tuple[int, ...]:
    """The shape of an object's type."""
    return object_type(kind).shape


def np_ndarray_type_get_dtype(kind: Any) -> np.dtype[Any]:
    """The element type of an object's type."""
    return object_type(kind).dtype


def np_dtype_to_mlir_type(kind: Any) -> Any:
    """An element type as it is: there is one kind of them here."""
    return np.dtype(kind).type


class external_func:  # noqa: N801 - upstream's name
    """A function compiled for the core; ``model`` is the Python function that stands for it."""

    def __init__(
        self,
        name: str,
        inputs: Sequence[Any] = (),
        outputs: Sequence[Any] | None = None,
        link_with: str = "",
        **more: Any,
    ) -> None:
        only_harmless("external_func", more, ("visibility", "link_with_mode"))
        self.name, self.file = name, link_with
        self.model: Callable[..., Any] | None = stand_in_of(name, link_with)

    def __call__(self, *args: Any) -> Any:
        """Run the Python function that stands for it, if there is one."""
        return run_kernel(self.name, self.file, self.model, args)


def call_(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call a function with a list of arguments."""
    return function(*args)


def yield_(values: Sequence[Any]) -> None:
    """The end of a loop's body; nothing to do."""
