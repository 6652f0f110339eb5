# SPDX-License-Identifier: Apache-2.0
"""The two directions of cocotbext-axi's AxiRam and AxiLiteRam, in C++."""

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

from cocotbext.axi import axi_ram, axil_ram
from cocotbext.axi.sparse_memory import SparseMemory

from goldbeat.tb.dropin.accesses import Served
from goldbeat.tb.dropin.channels import End
from goldbeat.tb.dropin.hub import Hub

_ACCESS_CALL = CFUNCTYPE(c_int, c_uint64, c_int, c_void_p, c_int64)
_PAGE_CALL = CFUNCTYPE(c_void_p, c_uint64, c_int)


class _Ram(Structure):
    """``GbRam`` in ram_agents.cpp."""

    _fields_ = (
        ("clock", c_char_p),
        ("address", End),
        ("data", End),
        ("answer", End),
        ("lanes", c_uint64),
        ("size", c_uint64),
        ("access", _ACCESS_CALL),
        ("page", _PAGE_CALL),
        ("changes", POINTER(c_int64)),
    )


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_ram_write": (c_void_p, [POINTER(_Ram)]),
    "gb_ram_read": (c_void_p, [POINTER(_Ram)]),
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


class _ServedRam(Served):
    """What both directions have in common."""

    _signatures = _SIGNATURES

    def _can_be_served(self: Any) -> bool:
        own = {"read", "write", "_read", "_write"}
        return super()._can_be_served() and self.size > 0 and not own & self.__dict__.keys()

    def _bind(self: Any, found: Hub) -> None:
        pages = type(self.mem) is SparseMemory
        if pages and not isinstance(self.mem.segs, _Pages):
            self.mem.segs = _Pages(self.mem.segs)
        changes = self.mem.segs.changes if pages else c_int64()
        # C++ has but their addresses.
        self._calls = (_ACCESS_CALL(self._access), _PAGE_CALL(self._page if pages else 0), changes)
        first, *ends = self._ends()
        ends = ends if self._direction == "write" else [*ends, End()]
        lanes = (self.byte_lanes, self.size)
        ram = _Ram(self.clock._path.encode(), first, *ends, *lanes, *self._calls[:2], POINTER(c_int64)(changes))
        agent = getattr(found.library, f"gb_ram_{self._direction}")(byref(ram))
        self._attach(found, agent)
        self._listen(1)

    def _look(self: Any) -> None:
        self._report(self._call("gb_ram_broken") or 0)

    def waiting(self) -> str:
        """Its channels say what it waits for."""
        return ""

    def _handle_reset(self: Any, state: bool) -> None:
        if state:
            self._call("gb_agent_stop")
        super()._handle_reset(state)  # type: ignore[misc]

    def _page(self: Any, address: int, write: int) -> int | None:
        page = self.mem.segs.get(address)
        if page is None and write:
            page = self.mem.segs[address] = bytearray(4096)
        return None if page is None else addressof(c_char.from_buffer(page))

    def _access(self: Any, address: int, write: int, data: int, count: int) -> int:
        try:
            if write:
                self.write(address, string_at(data, count))
            else:
                got = bytes(self.read(address, count))
                memmove(data, got, min(len(got), count))
        except Exception:
            self.log.warning("%s operation failed", "Write" if write else "Read")
            return 0
        return 1


def _write_of(base: Any) -> Any:
    class NativeRamWrite(_ServedRam, base):  # type: ignore[misc]
        """cocotbext-axi's, with its process in C++."""

        _replaced = ("_process_write", "_handle_reset", "_write", "write")

        async def _process_write(self) -> None:
            await self._stand_in(super()._process_write)

    NativeRamWrite._native = (NativeRamWrite,)
    return NativeRamWrite


def _read_of(base: Any) -> Any:
    class NativeRamRead(_ServedRam, base):  # type: ignore[misc]
        """cocotbext-axi's, with its process in C++."""

        _direction = "read"
        _replaced = ("_process_read", "_handle_reset", "_read", "read")

        async def _process_read(self) -> None:
            await self._stand_in(super()._process_read)

    NativeRamRead._native = (NativeRamRead,)
    return NativeRamRead


RAMS = {
    "AxiRamWrite": (axi_ram, _write_of(axi_ram.AxiRamWrite)),
    "AxiRamRead": (axi_ram, _read_of(axi_ram.AxiRamRead)),
    "AxiLiteRamWrite": (axil_ram, _write_of(axil_ram.AxiLiteRamWrite)),
    "AxiLiteRamRead": (axil_ram, _read_of(axil_ram.AxiLiteRamRead)),
}
"""By name: the module of cocotbext-axi, and the class in its place."""
