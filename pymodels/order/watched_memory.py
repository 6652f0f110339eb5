# SPDX-License-Identifier: Apache-2.0
"""Views of memory that report which bytes a program reads and writes through them.

What an operation of numpy may read counts as read. ``np.asarray`` of such a view gives a plain array, which reports nothing:
see :func:`watched_call`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import numpy.typing as npt

Steps = tuple[tuple[int, int], ...]
MemoryReport = Callable[[Hashable, int, int, Steps, bool], None]
"""Memory, first byte, bytes of a run, count and stride of each loop, whether they are written."""
_READERS = (
    *("copy", "astype", "tolist", "tobytes", "item", "take", "dot", "argmax", "argmin", "cumsum", "cumprod", "nonzero"),
    *("searchsorted", "repeat", "argsort", "choose", "compress", "diagonal", "trace", "flatten", "round", "tofile"),
    *("__float__", "__int__", "__index__", "__bool__", "__complex__", "__copy__", "__deepcopy__", "__contains__"),
)
_WRITERS = ("fill", "sort", "put", "partition", "byteswap", "setfield", "resize")
_CHANGES_FIRST = (np.copyto, np.put, np.place, np.putmask, np.fill_diagonal, np.put_along_axis)


class WatchedMemory:
    """A memory whose views report.

    Args:
        key: names it in reports.
        words: its contents.
        report: told of every access.
    """

    def __init__(self, key: Hashable, words: npt.NDArray[Any], report: MemoryReport) -> None:
        self.key, self.report = key, report
        self.first = _address(words)
        self.size = words.nbytes

    def view(self, part: npt.NDArray[Any]) -> WatchedArray:
        """A part of it as a view that reports."""
        found = part.view(WatchedArray)
        found.home = self
        return found

    def holds(self, part: npt.NDArray[Any]) -> bool:
        """Whether an array is a part of it, rather than a copy."""
        return 0 <= _address(part) - self.first < self.size

    def touch(self, part: npt.NDArray[Any], *, write: bool) -> None:
        """All of a part is accessed."""
        first = _address(part) - self.first
        if not (part.size and 0 <= first < self.size):
            return
        if part.flags.c_contiguous:
            self.report(self.key, first, part.nbytes, (), write)
        else:
            self.report(self.key, first, part.itemsize, tuple(zip(part.shape, part.strides, strict=True)), write)


class WatchedArray(np.ndarray[Any, np.dtype[Any]]):
    """A view of a watched memory."""

    home: WatchedMemory | None
    used: list[bool]
    _first: int | None = None
    """Its first byte in the memory, once it was asked for."""

    def __array_finalize__(self, obj: Any) -> None:
        """Parts of a view have its memory."""
        self.home, self.used = getattr(obj, "home", None), getattr(obj, "used", [])

    def touch(self, *, write: bool) -> None:
        """All of it is accessed."""
        if self.home is not None:
            self.home.touch(self, write=write)
            self._note_use()

    def _note_use(self) -> None:
        if not self.used:
            self.used.append(True)

    def plain(self) -> npt.NDArray[Any]:
        """The same view without reports."""
        return self.view(np.ndarray)

    def __getitem__(self, key: Any) -> Any:
        """A part, which reports when it is used; or elements, which are read now."""
        found = super().__getitem__(key)
        if self.home is None:
            return found
        if isinstance(found, WatchedArray):
            if self.home.holds(found):
                return found
            found = found.plain()
        self._touch_elements(key, write=False)
        return found

    def __setitem__(self, key: Any, value: Any) -> None:
        """Elements are written."""
        if isinstance(value, WatchedArray):
            value.touch(write=False)
        if self.home is not None:
            self._touch_elements(key, write=True)
        super().__setitem__(key, value)

    def _touch_elements(self, key: Any, *, write: bool) -> None:
        assert self.home is not None
        self._note_use()
        if (place := self._element(key if isinstance(key, tuple) else (key,))) is not None:
            self.home.report(self.home.key, place, self.itemsize, (), write)
            return
        part = super().__getitem__(key)
        if isinstance(part, np.ndarray) and self.home.holds(part):
            self.home.touch(part, write=write)
            return
        places = np.zeros((), np.int64)
        for axis, (size, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            shape = [size if n == axis else 1 for n in range(self.ndim)]
            places = places + (np.arange(size, dtype=np.int64) * stride).reshape(shape)
        first = _address(self) - self.home.first
        for at in np.unique(places[key]).tolist():
            self.home.report(self.home.key, first + at, self.itemsize, (), write)

    def _element(self, where: tuple[Any, ...]) -> int | None:
        """The first byte of a single element in the memory; None for any other key. Programs in text ask for each element."""
        assert self.home is not None
        if len(where) != self.ndim:
            return None
        if self._first is None:
            self._first = _address(self) - self.home.first
        at = self._first
        for n, size, stride in zip(where, self.shape, self.strides, strict=True):
            if type(n) is not int and not isinstance(n, np.integer):
                return None
            at += int(n if n >= 0 else n + size) * stride
        return at

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: tuple[Any, ...] = (), **more: Any) -> Any:
        """Inputs are read, outputs are written."""
        _touch((inputs, more), write=False)
        _touch(out, write=True)
        if method == "at":
            _touch(inputs[:1], write=True)
        if out:
            more["out"] = tuple(_plain(one) for one in out)
        found = getattr(ufunc, method)(*(_plain(one) for one in inputs), **{k: _plain(v) for k, v in more.items()})
        if not out:
            return found
        return out[0] if len(out) == 1 else out

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Arguments are read; what is changed in place is written."""
        _touch((args, kwargs), write=False)
        _touch((kwargs.get("out"), args[:1] if func in _CHANGES_FIRST else ()), write=True)
        found = func(*_plain(args), **_plain(kwargs))
        homes = [one.home for one in _watched((args, kwargs)) if one.home is not None]
        return _views(found, homes)


def _reader(name: str, *, write: bool) -> Callable[..., Any]:
    inner = getattr(np.ndarray, name)

    def call(self: WatchedArray, *args: Any, **more: Any) -> Any:
        self.touch(write=write)
        found = inner(self, *args, **more)
        return found.plain() if isinstance(found, WatchedArray) else found

    return call


for _name in (*_READERS, *_WRITERS):
    setattr(WatchedArray, _name, _reader(_name, write=_name in _WRITERS))


def _address(array: npt.NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _watched(value: Any) -> Iterator[WatchedArray]:
    """The views in nested arguments."""
    if isinstance(value, WatchedArray):
        yield value
    elif isinstance(value, tuple | list):
        for one in value:
            yield from _watched(one)
    elif isinstance(value, dict):
        yield from _watched(list(value.values()))


def _touch(value: Any, *, write: bool) -> None:
    for one in _watched(value):
        one.touch(write=write)


def _plain(value: Any) -> Any:
    if isinstance(value, WatchedArray):
        return value.plain()
    if isinstance(value, tuple | list):
        return type(value)(_plain(one) for one in value)
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _views(found: Any, homes: Sequence[WatchedMemory]) -> Any:
    """Results that are parts of a watched memory report again."""
    if isinstance(found, tuple | list):
        return type(found)(_views(one, homes) for one in found)
    if isinstance(found, np.ndarray):
        return next((home.view(found) for home in homes if home.holds(found)), found)
    return found


def watched_call(function: Callable[..., Any], args: Sequence[Any]) -> Any:
    """Call a function. An array whose use does not show counts as read, and as written where it has changed."""
    arrays = [one for one in args if isinstance(one, WatchedArray)]
    before = [one.plain().copy() for one in arrays]
    for one in arrays:
        one.used = []
    found = function(*args)
    for one, old in zip(arrays, before, strict=True):
        if not one.used:
            one.touch(write=False)
            _touch_changed(one, one.plain() != old)
    return found


def _touch_changed(array: WatchedArray, changed: npt.NDArray[np.bool_]) -> None:
    at = np.flatnonzero(changed.reshape(-1))
    if len(at) and not array.flags.c_contiguous:
        array.touch(write=True)
    elif len(at):
        part, ends = array.reshape(-1), np.flatnonzero(np.diff(at) > 1)
        for low, high in zip(at[np.r_[0, ends + 1]].tolist(), at[np.r_[ends, -1]].tolist(), strict=True):
            _touch(part[low : high + 1], write=True)


_watching: ContextVar[bool] = ContextVar("watching_memory", default=False)


@contextmanager
def watched_memories() -> Iterator[None]:
    """Arrays that are set up inside the block give views that report."""
    token = _watching.set(True)
    try:
        yield
    finally:
        _watching.reset(token)


def watching_memories() -> bool:
    """Whether an array that is set up now gives views that report."""
    return _watching.get()
