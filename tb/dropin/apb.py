# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's ApbMaster and ApbRam with agents in C++ behind them.

They drive and sample in the same cycles. The memory of an ApbRam stays the object of Python that it is.
"""

from __future__ import annotations

from collections import deque
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int64,
    c_uint64,
    c_void_p,
    create_string_buffer,
)
from typing import Any

from cocotbext import axi
from cocotbext.axi import apb
from cocotbext.axi.memory import Memory
from cocotbext.axi.sparse_memory import SparseMemory

from goldbeat.tb.dropin.agents import AgentSignal, Backed, signal_of
from goldbeat.tb.dropin.channels import quiet

_DONE = 1
_ROLES = ("paddr", "psel", "penable", "pwrite", "pwdata", "pstrb", "pready", "prdata", "pprot", "pslverr")


class _ApbSignals(Structure):
    """``GbApbSignals`` in apb_agents.cpp."""

    _fields_ = (("clock", c_char_p), *((role, AgentSignal) for role in _ROLES))


class _ApbCommand(Structure):
    """``GbApbCommand`` in apb_agents.cpp."""

    _fields_ = (("address", c_uint64), ("data", c_char_p), ("bytes", c_int64), ("prot", c_uint64))


_ACCESS_CALL = CFUNCTYPE(c_int, c_uint64, c_int, c_uint64, POINTER(c_uint64), c_uint64)

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_apb_agent_master": (c_void_p, [POINTER(_ApbSignals)]),
    "gb_apb_agent_ram": (c_void_p, [POINTER(_ApbSignals), _ACCESS_CALL]),
    "gb_apb_agent_send": (None, [c_void_p, POINTER(_ApbCommand)]),
    "gb_apb_agent_drop": (None, [c_void_p]),
    "gb_apb_agent_begun": (c_int64, [c_void_p]),
    "gb_apb_agent_ended": (c_int64, [c_void_p]),
    "gb_apb_agent_result": (c_int, [c_void_p, c_char_p]),
}


class _ApbBacked(Backed):
    """What master and memory have in common."""

    def _signals(self: Any) -> _ApbSignals | None:
        """The signals, None where they are wider than agents take them."""
        if self.width > 64 or self.address_width > 64:
            return None
        return _ApbSignals(self.clock._path.encode(), *(signal_of(getattr(self.bus, role, None)) for role in _ROLES))

    def _handle_reset(self: Any, state: bool) -> None:
        if state:
            self._call("gb_agent_stop")
            self._look()
        super()._handle_reset(state)  # type: ignore[misc]


class _Commands:
    """The queue in front of a master's agent."""

    def __init__(self, owner: NativeApbMaster) -> None:
        self._owner = owner
        self._begun = 0
        self.running: deque[Any] = deque()
        self.queue_occupancy_limit = 2

    def fetch_begun(self) -> int:
        """How many accesses have begun."""
        begun = self._owner._call("gb_apb_agent_begun")
        self._begun = self._begun if begun is None else begun
        return self._begun

    def qsize(self) -> int:
        """Accesses that have not begun."""
        return len(self.running) - (self.fetch_begun() - self._owner._ended)

    def empty(self) -> bool:
        """All accesses have begun."""
        return self.qsize() == 0

    async def put(self, command: Any) -> None:
        """Queue an access."""
        self.put_nowait(command)

    def put_nowait(self, command: Any) -> None:
        """Queue an access."""
        write = isinstance(command, apb.ApbWriteCmd)
        count = len(command.data) if write else command.length
        self.running.append(command)
        made = _ApbCommand(command.address, command.data if write else None, count, int(command.prot))
        self._owner._call("gb_apb_agent_send", byref(made))

    def get_nowait(self) -> Any:
        """Take the oldest access that has not begun; those behind it must be taken too."""
        place = len(self.running) - self.qsize()
        self._owner._call("gb_apb_agent_drop")
        command = self.running[place]
        del self.running[place]
        return command


class NativeApbMaster(_ApbBacked, axi.ApbMaster):  # type: ignore[misc]
    """cocotbext-axi's ``ApbMaster``."""

    _replaced = ("_run", "_handle_reset", "write", "read")

    def _bind(self) -> None:
        self._native = (NativeApbMaster,)
        found, signals = self._makes(_SIGNATURES), self._signals()
        agent = signals and found and found.library.gb_apb_agent_master(byref(signals))
        if not found or not agent:
            return
        self._attach(found, agent)
        self._ended = 0
        self._last: Any = None
        self.command_queue = _Commands(self)
        quiet(self)
        self._listen(_DONE)

    def _look(self) -> None:
        while (count := self._call("gb_apb_agent_ended")) is not None and count >= 0:
            data = create_string_buffer(count)
            failed = self._call("gb_apb_agent_result", data)
            self._last = command = self.command_queue.running.popleft()
            self._ended += 1
            self._answer(command, data.raw, axi.AxiResp.SLVERR if failed else axi.AxiResp.OKAY)

    def _answer(self, command: Any, data: bytes, resp: Any) -> None:
        self.log.debug("%s, resp: %s", command, resp)
        if isinstance(command, apb.ApbWriteCmd):
            command.event.set(apb.ApbWriteResp(command.address, len(command.data), resp))
        else:
            command.event.set(apb.ApbReadResp(command.address, data, resp))
        self.in_flight_operations -= 1
        if self.in_flight_operations == 0:
            self._idle.set()

    def _waits_for(self) -> str:
        running = self.command_queue.running
        return f"access {running[0][:3]} and {len(running) - 1} behind it" if running else "nothing to do"

    @property
    def current_command(self) -> Any:
        """The access that is running, or was the last to."""
        if self._agent is None:
            return self.__dict__["current_command"]
        self._look()
        return self.command_queue.running[0] if self.command_queue.fetch_begun() > self._ended else self._last

    @current_command.setter
    def current_command(self, command: Any) -> None:
        self.__dict__["current_command"] = command
        if self._agent is None or command is not None:
            return
        self._last = None
        if self.command_queue.fetch_begun() > self._ended:
            self._ended += 1
            self.command_queue.running.popleft()


class NativeApbRam(_ApbBacked, axi.ApbRam):  # type: ignore[misc]
    """cocotbext-axi's ``ApbRam``."""

    _replaced = ("_run", "_handle_reset", "_write", "_read")

    def _bind(self) -> None:
        self._native = (NativeApbRam,)
        found, signals = self._makes(_SIGNATURES), self._signals()
        # C++ has but its address.
        self._accessed = _ACCESS_CALL(self._access)
        agent = signals and found and found.library.gb_apb_agent_ram(byref(signals), self._accessed)
        if not found or not agent:
            return
        self._attach(found, agent)
        quiet(self)
        if type(self.mem) is not SparseMemory or not {Memory.read, Memory.write} <= {type(self).read, type(self).write}:
            self._listen(_DONE)

    def _access(self, address: int, write: int, prot: int, data: Any, strobe: int) -> int:
        try:
            if write:
                self._store(address, data[0].to_bytes(self.byte_lanes, "little"), strobe)
            else:
                data[0] = int.from_bytes(self.read(address % self.size, self.byte_lanes), "little")
        except Exception:
            self.log.warning("%s operation failed", "Write" if write else "Read")
            return 0
        self.log.debug("%s paddr: 0x%08x pprot: %d data: 0x%x", "Write" if write else "Read", address, prot, data[0])
        return 1

    def _store(self, address: int, data: bytes, strobe: int) -> None:
        """Write each run of bytes whose strobe is set."""
        if strobe == self.strb_mask:
            self.write(address % self.size, data)
            return
        start = None
        for lane in range(self.byte_lanes + 1):
            if strobe >> lane & 1 and lane < self.byte_lanes:
                start = lane if start is None else start
            elif start is not None:
                self.write((address + start) % self.size, data[start:lane])
                start = None
