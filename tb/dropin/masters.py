# SPDX-License-Identifier: Apache-2.0
"""The two directions of cocotbext-axi's AxiMaster and AxiLiteMaster, in C++."""

from __future__ import annotations

from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint64,
    c_void_p,
    string_at,
)
from typing import Any

from cocotb.queue import Queue
from cocotbext.axi import AxiBurstType, AxiResp, axi_master, axil_master

from goldbeat.tb.dropin.accesses import Served
from goldbeat.tb.dropin.channels import ChannelEnd
from goldbeat.tb.dropin.hub import Hub

_MOST_IDS = 32
_RESPS = tuple(AxiResp)


class _Master(Structure):
    """``GbMaster`` in master_agents.cpp."""

    _fields_ = (
        ("clock", c_char_p),
        ("address", ChannelEnd),
        ("data", ChannelEnd),
        ("answer", ChannelEnd),
        ("lanes", c_uint64),
        ("ids", c_uint64),
        ("lite", c_int32),
    )


class _Command(Structure):
    """``GbMasterCommand`` in master_agents.cpp."""

    _fields_ = (
        ("number", c_int64),
        ("address", c_uint64),
        ("length", c_uint64),
        ("data", c_char_p),
        ("id", c_int64),
        *((name, c_uint64) for name in ("size", "burst", "prot", "lock", "cache", "qos", "region", "user")),
        ("beat_users", POINTER(c_uint64)),
        ("beat_user_count", c_int64),
        ("most", c_uint64),
    )


class _Result(Structure):
    """``GbMasterResult`` in master_agents.cpp."""

    _fields_ = (
        ("number", c_int64),
        ("resp", c_uint64),
        ("data", c_void_p),
        ("bytes", c_int64),
        ("users", POINTER(c_uint64)),
        ("user_count", c_int64),
    )


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_master": (c_void_p, [POINTER(_Master)]),
    "gb_master_dispatcher": (c_void_p, [c_void_p]),
    "gb_master_send": (None, [c_void_p, POINTER(_Command)]),
    "gb_master_broken": (c_int32, [c_void_p]),
    "gb_master_queued": (c_int64, [c_void_p]),
    "gb_master_current": (c_int64, [c_void_p]),
    "gb_master_flush": (None, [c_void_p, POINTER(c_int64), POINTER(c_int64)]),
    "gb_master_result": (c_int, [c_void_p, POINTER(_Result)]),
    "gb_master_pop": (None, [c_void_p]),
}


class _Commands(Queue[Any]):  # type: ignore[misc]
    """The queue in front of a master's process. Only what a reset drops comes back."""

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self._owner = owner
        self.queue_occupancy_limit = 2

    def _size(self) -> int:
        return len(self._queue) + int(self._owner._call("gb_master_queued") or 0)

    def _put(self, command: Any) -> None:
        self._owner._send(command)


class _Awaiting:
    """In place of AxiMaster's contexts: what a reset drops of them."""

    def __init__(self) -> None:
        self.commands: list[Any] = []

    def flush(self) -> list[Any]:
        """The commands that waited for answers."""
        commands, self.commands = self.commands, []
        return commands


class _ServedMaster(Served):
    """What all of them have in common."""

    _signatures = _SIGNATURES
    _lite = False
    _current: Any = None

    def _can_be_served(self: Any) -> bool:
        wide = not self._lite and self.id_width > _MOST_IDS
        return super()._can_be_served() and not wide and not self._waiting().qsize()

    def _waiting(self: Any) -> Any:
        """cocotbext-axi's queue of an AxiLiteMaster's accesses whose answers are to come."""
        return getattr(self, f"int_{self._direction}_resp_command_queue") if self._lite else Queue()

    def _bind(self: Any, found: Hub) -> None:
        first, *ends = self._ends()
        ends = ends if self._direction == "write" else [ChannelEnd(), *ends]
        ids = 1 if self._lite else 1 << self.id_width
        made = found.library.gb_master(
            byref(_Master(self.clock._path.encode(), first, *ends, self.byte_lanes, ids, self._lite))
        )
        self._attach(found, made)
        self._dispatcher = None if self._lite else found.library.gb_master_dispatcher(made)
        self._result = _Result()
        self._made = _Command(id=-1, size=self.byte_lanes.bit_length() - 1, burst=AxiBurstType.INCR, most=1)
        self._running: dict[int, Any] = {}
        self._number = 0
        self._limits = self._make_limits()
        self.tag_context_manager = _Awaiting()
        self._listen(1)
        name = f"{self._direction}_command_queue"
        early, commands = getattr(self, name), _Commands(self)
        setattr(self, name, commands)
        while not early.empty():
            commands.put_nowait(early.get_nowait())

    def _make_limits(self: Any) -> list[tuple[str, int]]:
        """Fields of commands that a user may choose too large, each with the first value that does not fit."""
        channel = self._names()[0]
        bus = getattr(self, f"{channel}_channel").bus
        names = ("prot",) if self._lite else ("prot", "cache", "qos", "region", "user")
        present = [(name, getattr(bus, f"{channel}{name}", None)) for name in names]
        limits = [(name, 1 << len(signal)) for name, signal in present if signal is not None]
        return limits if self._lite else [*limits, (f"{channel}id", self.id_count)]

    def _begin(self: Any, name: str) -> None:
        if not name.endswith("_resp"):
            self._call("gb_agent_start")
        elif self._dispatcher and self._hub.owned(self._agent, self):
            self._hub.library.gb_agent_start(self._dispatcher)
            self._hub.pump()

    # -- commands --------------------------------------------------------------------------------------------------------

    def _send(self: Any, command: Any) -> None:
        for field, limit in self._limits:
            if not 0 <= (value := getattr(command, field) or 0) < limit:
                raise OverflowError(f"{field}: {value} does not fit in {limit.bit_length() - 1} bits")
        self._number += 1
        self._running[self._number] = command
        made = self._made
        made.number, made.address, made.prot = self._number, command.address, command.prot
        if self._direction == "write":
            made.data, made.length = command.data, len(command.data)
        else:
            made.length = command.length
        if not self._lite:
            self._fill(made, command)
        self._call("gb_master_send", byref(made))

    def _fill(self: Any, made: _Command, command: Any) -> None:
        """Give it what AXI has and AXI-Lite has not."""
        number = getattr(command, f"{self._names()[0]}id")
        made.id = -1 if number is None else number
        made.most = min(max(self.max_burst_len, 1), 256)
        for field in ("size", "burst", "lock", "cache", "qos", "region", "user"):
            setattr(made, field, getattr(command, field))
        if self._direction == "write":
            self._fill_beat_users(made, command.wuser)

    def _fill_beat_users(self: Any, made: _Command, users: Any) -> None:
        constant = isinstance(users, int)
        values = [users] if constant else users
        limit = 1 << len(self.bus.w.wuser) if self.wuser_present else 1
        if any(not 0 <= value < limit for value in values):
            raise OverflowError(f"wuser: {values} does not fit in {limit.bit_length() - 1} bits")
        made.beat_users = (c_uint64 * max(len(values), 1))(*values)
        made.beat_user_count = -1 if constant else len(values)

    # -- answers ---------------------------------------------------------------------------------------------------------

    def _look(self: Any) -> None:
        if not self._hub.owned(self._agent, self):
            return
        library, result = self._hub.library, self._result
        while library.gb_master_result(self._agent, byref(result)):
            command, resp = self._running.pop(result.number), _RESPS[result.resp]
            data = string_at(result.data, result.bytes) if result.bytes else b""
            users = result.users[: result.user_count] if result.user_count else []
            library.gb_master_pop(self._agent)
            command.event.set(self._answer(command, resp, data, users))
            self.in_flight_operations -= 1
            if self.in_flight_operations == 0:
                self._idle.set()
        self._report(library.gb_master_broken(self._agent))

    def waiting(self: Any) -> str:
        """What it does, for reports of hangs."""
        if not self._running:
            return ""
        first = next(iter(self._running.values()))
        kind = type(self).__name__.removeprefix("Native")
        return f"{self.log.name} ({kind}): {len(self._running)} access(es), the first at 0x{first.address:x}"

    # -- resets ----------------------------------------------------------------------------------------------------------

    def _handle_reset(self: Any, state: bool) -> None:
        if state and self._hub_owns():
            self._abandon()
        super()._handle_reset(state)  # type: ignore[misc]

    def _hub_owns(self: Any) -> bool:
        return self._agent is not None and self._hub.owned(self._agent, self)

    def _abandon(self: Any) -> None:
        """Put all commands that have not ended where cocotbext-axi looks for them."""
        self._call("gb_agent_stop")
        if self._dispatcher:
            self._hub.library.gb_agent_stop(self._dispatcher)
        self._look()
        # One of an AXI-Lite master may both have begun and wait for answers.
        numbers, counts = (c_int64 * (len(self._running) + 1))(), (c_int64 * 3)()
        self._hub.library.gb_master_flush(self._agent, numbers, counts)
        commands = [self._running[number] for number in numbers[: sum(counts)]]
        self._running.clear()
        getattr(self, f"{self._direction}_command_queue")._queue.extend(commands[: counts[0]])
        if counts[1]:
            self._current = commands[counts[0]]
        later = commands[counts[0] + counts[1] :]
        if self._lite:
            self._waiting()._queue.extend(later)
        else:
            self.tag_context_manager.commands = later


def _current_command() -> Any:
    """The command that is being split into bursts."""

    def get(self: Any) -> Any:
        if self._current is None and self._agent is not None:
            return self._running.get(self._call("gb_master_current"))
        return self._current

    def put(self: Any, command: Any) -> None:
        self._current = command

    return property(get, put)


class _Writes(_ServedMaster):
    current_write_command = _current_command()
    _replaced = ("_process_write", "_process_write_resp", "_process_write_resp_id", "_handle_reset")

    async def _process_write(self) -> None:
        await self._stand_in(super()._process_write)  # type: ignore[misc]

    async def _process_write_resp(self) -> None:
        await self._stand_in(super()._process_write_resp)  # type: ignore[misc]


class _Reads(_ServedMaster):
    current_read_command = _current_command()
    _direction = "read"
    _replaced = ("_process_read", "_process_read_resp", "_process_read_resp_id", "_handle_reset")

    async def _process_read(self) -> None:
        await self._stand_in(super()._process_read)  # type: ignore[misc]

    async def _process_read_resp(self) -> None:
        await self._stand_in(super()._process_read_resp)  # type: ignore[misc]


class NativeAxiMasterWrite(_Writes, axi_master.AxiMasterWrite):  # type: ignore[misc]
    """cocotbext-axi's ``AxiMasterWrite``."""

    def _answer(self, command: Any, resp: AxiResp, _: bytes, users: list[int]) -> Any:
        return axi_master.AxiWriteResp(command.address, len(command.data), resp, users if self.buser_present else None)


class NativeAxiMasterRead(_Reads, axi_master.AxiMasterRead):  # type: ignore[misc]
    """cocotbext-axi's ``AxiMasterRead``."""

    def _answer(self, command: Any, resp: AxiResp, data: bytes, users: list[int]) -> Any:
        return axi_master.AxiReadResp(command.address, data, resp, users if self.ruser_present else None)


class NativeAxiLiteMasterWrite(_Writes, axil_master.AxiLiteMasterWrite):  # type: ignore[misc]
    """cocotbext-axi's ``AxiLiteMasterWrite``."""

    _lite = True

    def _answer(self, command: Any, resp: AxiResp, *_: Any) -> Any:
        return axil_master.AxiLiteWriteResp(command.address, len(command.data), resp)


class NativeAxiLiteMasterRead(_Reads, axil_master.AxiLiteMasterRead):  # type: ignore[misc]
    """cocotbext-axi's ``AxiLiteMasterRead``."""

    _lite = True

    def _answer(self, command: Any, resp: AxiResp, data: bytes, _: list[int]) -> Any:
        return axil_master.AxiLiteReadResp(command.address, data, resp)


MASTERS = {
    "AxiMasterWrite": (axi_master, NativeAxiMasterWrite),
    "AxiMasterRead": (axi_master, NativeAxiMasterRead),
    "AxiLiteMasterWrite": (axil_master, NativeAxiLiteMasterWrite),
    "AxiLiteMasterRead": (axil_master, NativeAxiLiteMasterRead),
}
"""By name: the module of cocotbext-axi, and the class in its place."""
for _, _native in MASTERS.values():
    _native._native = (_native,)
