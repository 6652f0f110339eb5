# SPDX-License-Identifier: Apache-2.0
"""cocotb's handles, looked up once and read from the simulator's memory instead of over VPI.

What they show is the same: Verilator's VPI reads the same memory, character by character.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from cocotb.handle import HierarchyObject, LogicArrayObject, LogicObject, ValueObjectBase
from cocotb.types import Logic, LogicArray, Range

from goldbeat.tb.dropin.hub import Hub

# From cocotb 2.1 on, packed vectors have a class of their own; both get their values from one base.
_ARRAY: Any = next(
    kind for kind in LogicArrayObject.__mro__ if issubclass(kind, ValueObjectBase) and "get" in vars(kind)
)
_LEVELS = (Logic(0), Logic(1))
_CELLS = ((8, ctypes.c_uint8), (16, ctypes.c_uint16), (32, ctypes.c_uint32), (64, ctypes.c_uint64))


def _cell(handle: Any, hub: Hub) -> Any:
    """The memory of a signal as an object of ctypes. None where it is out of reach, or wider than 64 bits."""
    bits = len(handle)
    if bits > 64 or handle.is_const or handle._path is None:
        return None
    kind = next(kind for most, kind in _CELLS if bits <= most)
    place = hub.library.gb_cell(handle._path.encode(), bits)
    return kind.from_address(place) if place else None


def _logic(cell: Any) -> Callable[[], Any]:
    return lambda: _LEVELS[cell.value & 1]


def logic_array(bits: int, warn_indexing: bool) -> Callable[[int], LogicArray]:
    """Makes values of an array, as a handle gives them, from numbers."""
    indexes = Range(bits - 1, "downto", 0)

    def make(number: int) -> LogicArray:
        value = LogicArray.__new__(LogicArray)
        value._value_as_array = value._value_as_str = None
        value._value_as_int = number
        value._range, value._warn_indexing = indexes, warn_indexing
        return value

    return make


def number_to_value(handle: Any) -> Callable[[int], Any]:
    """Makes what a handle's ``value`` is from a number."""
    if isinstance(handle, _ARRAY):
        return logic_array(len(handle), handle.value._warn_indexing)
    return _LEVELS.__getitem__ if isinstance(handle, LogicObject) else int


def _read_bits(hub: Hub) -> None:
    get = LogicObject.get

    def read(self: Any) -> Any:
        try:
            look = self._memory
        except AttributeError:
            cell = _cell(self, hub)
            look = self._memory = (lambda: get(self)) if cell is None else _logic(cell)
        return look()

    LogicObject.get = read


def _read_arrays(hub: Hub) -> None:
    get = _ARRAY.get

    def read(self: Any) -> Any:
        try:
            memory = self._memory
        except AttributeError:
            # The first value comes from cocotb.
            first = get(self)
            cell = _cell(self, hub)
            make = logic_array(len(self), first._warn_indexing)
            self._memory = None if cell is None else (cell, (1 << len(self)) - 1, make)
            return first
        if memory is None:
            return get(self)
        cell, mask, make = memory
        return make(cell.value & mask)

    _ARRAY.get = read


def _keep_children() -> None:
    find = HierarchyObject.__getattr__

    def keep(self: Any, name: str) -> Any:
        found = find(self, name)
        # Python looks here first.
        self.__dict__[name] = found
        return found

    HierarchyObject.__getattr__ = keep


def _keep_bus_names() -> None:
    """Looking up a signal of a bus by its name in any case makes a list of all names, each time."""
    try:
        from cocotb_bus.bus import Bus
    except ImportError:
        return
    find = Bus._caseInsensGetattr

    def look(self: Any, obj: Any, attr: str) -> Any:
        if not isinstance(obj, HierarchyObject):
            return find(self, obj, attr)
        names = obj.__dict__.get("_folded")
        if names is None:
            names = {}
            for name in dir(obj):
                names.setdefault(name.casefold(), name)
            obj._folded = names
        name = names.get(attr.casefold())
        return None if name is None else getattr(obj, name)

    Bus._caseInsensGetattr = look


def install_handles(hub: Hub) -> None:
    """Let handles read memory, and keep what they have looked up."""
    _read_bits(hub)
    _read_arrays(hub)
    _keep_children()
    _keep_bus_names()
