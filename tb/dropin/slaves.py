# SPDX-License-Identifier: Apache-2.0
"""The two directions of cocotbext-axi's AxiSlave, AxiRam, AxiLiteSlave and AxiLiteRam, in C++."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    addressof,
    byref,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint64,
    c_void_p,
    memmove,
    string_at,
)
from typing import Any

import cocotb
import cocotb.task
from cocotbext.axi import MemoryRegion, SparseMemoryRegion, axi_ram, axi_slave, axil_ram, axil_slave
from cocotbext.axi.memory import Memory
from cocotbext.axi.sparse_memory import SparseMemory

from goldbeat.tb.dropin.accesses import Served
from goldbeat.tb.dropin.channels import ChannelEnd
from goldbeat.tb.dropin.hub import Hub

_ACCESS_CALL = CFUNCTYPE(c_int32, c_uint64, c_int, c_void_p, c_int64)
_PAGE_CALL = CFUNCTYPE(c_void_p, c_uint64, c_int)


class _Ram(Structure):
    """``GbRam`` in ram_agents.cpp."""

    _fields_ = (
        ("clock", c_char_p),
        ("address", ChannelEnd),
        ("data", ChannelEnd),
        ("answer", ChannelEnd),
        ("lanes", c_uint64),
        ("size", c_uint64),
        ("access", _ACCESS_CALL),
        ("page", _PAGE_CALL),
        ("changes", POINTER(c_int64)),
    )


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_ram_write": (c_void_p, [POINTER(_Ram)]),
    "gb_ram_read": (c_void_p, [POINTER(_Ram)]),
    "gb_ram_answered": (None, [c_void_p, c_int]),
    "gb_ram_ask": (None, [c_void_p]),
    "gb_ram_broken": (c_int32, [c_void_p]),
}


class _Pages(dict[int, bytearray]):
    """The pages of a SparseMemory. C++ knows their addresses until they change."""

    def __init__(self, pages: dict[int, bytearray]) -> None:
        super().__init__(pages)
        self.changes = c_int64(1)


def _counted(name: str) -> Any:
    plain = getattr(dict, name)

    def change(self: _Pages, *args: Any, **kwargs: Any) -> Any:
        self.changes.value += 1
        return plain(self, *args, **kwargs)

    return change


for _name in ("__setitem__", "__delitem__", "__ior__", "clear", "pop", "popitem", "setdefault", "update"):
    setattr(_Pages, _name, _counted(_name))


_FAILED, _DONE, _PENDING = range(3)
"""``Access`` in ram_agents.cpp."""
_AT_ONCE = (MemoryRegion, SparseMemoryRegion)
"""Targets that never wait."""


class _ServedSlave(Served):
    """What all of them have in common."""

    _signatures = _SIGNATURES
    _task: Any = None

    def _bind(self: Any, found: Hub) -> None:
        pages = self._pages()
        changes = c_int64() if pages is None else pages.changes
        # C++ has but their addresses.
        self._calls = (_ACCESS_CALL(self._access), _PAGE_CALL(0 if pages is None else self._page), changes)
        first, *ends = self._ends()
        ends = ends if self._direction == "write" else [*ends, ChannelEnd()]
        sizes = (self.byte_lanes, 0 if pages is None else self.size)
        ram = _Ram(self.clock._path.encode(), first, *ends, *sizes, *self._calls[:2], POINTER(c_int64)(changes))
        agent = getattr(found.library, f"gb_ram_{self._direction}")(byref(ram))
        self._attach(found, agent)
        self._listen(1)

    def _pages(self) -> _Pages | None:
        """The pages of the memory, None where Python is asked for every access."""
        return None

    def _look(self: Any) -> None:
        self._report(self._call("gb_ram_broken") or 0)

    def waiting(self) -> str:
        """Its channels say what it waits for."""
        return ""

    def _handle_reset(self: Any, state: bool) -> None:
        if state:
            self._call("gb_agent_stop")
            if self._task is not None:
                self._task.kill()
        super()._handle_reset(state)  # type: ignore[misc]

    # -- accesses that Python is asked for -------------------------------------------------------------------------------

    def _at_once(self: Any) -> bool:
        """Accesses never wait."""
        return type(self.target) in _AT_ONCE

    def _access(self: Any, address: int, write: int, data: int, count: int) -> int:
        access = self._serve(address, write, data, count)
        if self._at_once():
            try:
                access.send(None)
            except StopIteration as end:
                return int(end.value)
        task, outer = cocotb.create_task(access), cocotb.task._current_task
        # As if awaited by the coroutine that this takes the place of: at once, not when its turn has come.
        task._resume()
        cocotb.task._current_task = outer
        if task.done():
            return int(task.result())
        self._task = task
        task._add_done_callback(self._ended)
        return _PENDING

    async def _serve(self: Any, address: int, write: int, data: int, count: int) -> int:
        try:
            if write:
                await self._write(address, string_at(data, count))
            else:
                got = bytes(await self._read(address, count))
                memmove(data, got, min(len(got), count))
        except Exception:
            self.log.warning("%s operation failed", "Write" if write else "Read")
            return _FAILED
        return _DONE

    def _ended(self: Any, task: Any) -> None:
        self._task = None
        # Killed by a reset, it has no result.
        if not task.cancelled() and task.exception() is None and task.result() is not None:
            self._call("gb_ram_answered", task.result())


_PLAIN_ACCESS = {name: getattr(Memory, name) for name in ("read", "write")}
"""What pages take the place of; a test may patch the class."""


class _ServedRam(_ServedSlave):
    """What memories have in common."""

    _own_access: Any = None
    """cocotbext-axi's ``_read`` or ``_write``."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in ("mem", "size", self._direction, f"_{self._direction}") and self._agent is not None:
            # The pages are no longer all that an access is.
            self._call("gb_ram_ask")

    def _at_once(self: Any) -> bool:
        name = f"_{self._direction}"
        return getattr(type(self), name) is type(self)._own_access and name not in self.__dict__

    def _pages(self: Any) -> _Pages | None:
        own = getattr(type(self), self._direction) is _PLAIN_ACCESS[self._direction]
        overridden = self._direction in self.__dict__ or not self._at_once()
        if type(self.mem) is not SparseMemory or not own or overridden or self.size == 0:
            return None
        if not isinstance(self.mem.segs, _Pages):
            self.mem.segs = _Pages(self.mem.segs)
        return self.mem.segs

    def _page(self: Any, address: int, write: int) -> int | None:
        page = self.mem.segs.get(address)
        if page is None and write:
            page = self.mem.segs[address] = bytearray(4096)
        return None if page is None else addressof(c_char.from_buffer(page))


class _Writes(Served):
    _replaced = ("_process_write", "_handle_reset")

    async def _process_write(self) -> None:
        await self._stand_in(super()._process_write)  # type: ignore[misc]


class _Reads(Served):
    _direction = "read"
    _replaced = ("_process_read", "_handle_reset")

    async def _process_read(self) -> None:
        await self._stand_in(super()._process_read)  # type: ignore[misc]


def _native(module: Any, name: str) -> tuple[Any, type]:
    """The module of cocotbext-axi, and the class in the place of one of its classes."""
    base = getattr(module, name)
    side = _Writes if name.endswith("Write") else _Reads
    kind = _ServedRam if "Ram" in name else _ServedSlave
    own = getattr(base, f"_{side._direction}")
    made = type(f"Native{name}", (side, kind, base), {"__doc__": f"cocotbext-axi's ``{name}``.", "_own_access": own})
    made._native = (made,)  # type: ignore[attr-defined]
    return module, made


_MODULES = {"AxiSlave": axi_slave, "AxiRam": axi_ram, "AxiLiteSlave": axil_slave, "AxiLiteRam": axil_ram}
SLAVES = {f"{of}{side}": _native(module, of + side) for of, module in _MODULES.items() for side in ("Write", "Read")}
"""By name: the module of cocotbext-axi, and the class in its place."""
