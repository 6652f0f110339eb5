# SPDX-License-Identifier: Apache-2.0
"""Objects as a core's function gets them: an index is inside the object, for a core has no indices from the end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.order.watched_memory import WatchedArray

_PASSED = (str(Path(__file__).parents[2]), str(Path(np.__file__).parent))
"""This package and numpy: their own indices are not the user's."""
_ACCESSORS = ("__getitem__", "__setitem__", "_inside")


class CoreObject(np.ndarray[Any, np.dtype[Any]]):
    """An object that refuses indices outside."""

    def __getitem__(self, key: Any) -> Any:
        """Elements or a part of it."""
        _inside(self.shape, key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        """Elements or a part of it."""
        _inside(self.shape, key)
        super().__setitem__(key, value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: tuple[Any, ...] = (), **more: Any) -> Any:
        """What is computed of it is a plain array or number."""
        if out:
            more["out"] = tuple(map(unchecked, out))
        found = getattr(ufunc, method)(*map(unchecked, inputs), **{k: unchecked(v) for k, v in more.items()})
        return found if not out else out[0] if len(out) == 1 else out


class WatchedObject(CoreObject, WatchedArray):
    """The same, of a memory that reports."""

    __array_ufunc__ = WatchedArray.__array_ufunc__


def core_object(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An object for the function of a core."""
    return array.view(WatchedObject if isinstance(array, WatchedArray) else CoreObject)


def unchecked(value: Any) -> Any:
    """An object for a kernel's stand-in, which is Python: without these checks, also inside lists."""
    if isinstance(value, WatchedObject):
        return value.view(WatchedArray)
    if isinstance(value, CoreObject):
        return value.view(np.ndarray)
    return type(value)(map(unchecked, value)) if type(value) in (list, tuple) else value


def _inside(shape: Sequence[int], key: Any) -> None:
    keys = key if isinstance(key, tuple) else (key,)
    if Ellipsis in map(_kind, keys) or None in map(_kind, keys):
        return
    for one, size in zip(keys, shape, strict=False):
        if isinstance(one, slice):
            ends = [n for n in (one.start, one.stop) if n is not None]
            if any(not 0 <= int(n) <= size for n in ends):
                _refuse(f"elements {one.start or 0} to {size if one.stop is None else one.stop}", size)
        elif isinstance(one, int | np.integer) and one < 0:
            _refuse(f"element {one}", size)  # An index past the end is numpy's error: loops over an object end by it.


def _kind(one: Any) -> Any:
    """What changes which axis an index is for, itself."""
    return one if one is Ellipsis or one is None else 0


def _refuse(found: str, size: int) -> None:
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_name in _ACCESSORS:
        frame = frame.f_back
    name = frame.f_code.co_filename
    if not name.startswith(_PASSED):
        raise UsageError(f"{name}:{frame.f_lineno}: found {found} of an object, expected elements 0 to {size - 1}")
