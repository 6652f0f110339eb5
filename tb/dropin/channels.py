# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's StreamSource, StreamSink and StreamMonitor with agents in C++ behind them: the channels of AXI and AXI-Lite.

Its masters, slaves and memories stay as they are, on these channels.
"""

from __future__ import annotations

import logging
import struct
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_void_p, create_string_buffer
from functools import cache
from typing import Any

from cocotb.queue import Queue, QueueFull
from cocotb.triggers import Event
from cocotbext import axi
from cocotbext.axi import axi_channels, axi_master, axi_slave, axil_channels, axil_master, axil_slave, stream

from goldbeat.tb.dropin.agents import AgentSignal, Backed, Rouser, SourceQueue, Told, signal_of
from goldbeat.tb.dropin.handles import number_to_value

_ITEM, _IDLE, _TAKEN = 1, 2, 4


class _ChannelSignals(Structure):
    """``GbChannel`` in channels.cpp."""

    _fields_ = (
        ("clock", c_char_p),
        ("valid", AgentSignal),
        ("ready", AgentSignal),
        ("fields", POINTER(AgentSignal)),
        ("count", c_int64),
    )


class ChannelEnd(Structure):
    """``GbEnd`` in access_agents.h."""

    _fields_ = (("channel", c_void_p), ("fields", POINTER(c_int32)))


_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_channel_source": (c_void_p, [POINTER(_ChannelSignals)]),
    "gb_channel_sink": (c_void_p, [POINTER(_ChannelSignals), c_int]),
    "gb_channel_bytes": (c_int64, [c_void_p]),
    "gb_channel_active": (c_int, [c_void_p]),
    "gb_channel_send": (None, [c_void_p, c_char_p]),
    "gb_channel_drop": (None, [c_void_p]),
    "gb_channel_queued": (c_int64, [c_void_p]),
    "gb_channel_taken": (c_int64, [c_void_p]),
    "gb_channel_sent": (c_int64, [c_void_p]),
    "gb_channel_idled": (c_int64, [c_void_p]),
    "gb_channel_limit": (None, [c_void_p, c_int64]),
    "gb_channel_took": (None, [c_void_p, c_int64]),
    "gb_channel_fetch": (c_int, [c_void_p, c_char_p]),
}


class _Items:
    """The fields of a channel, and items as bytes.

    Attributes:
        fields: name and handle of each.
    """

    def __init__(self, owner: Any) -> None:
        skipped = (owner._valid_signal, owner._ready_signal)
        self.fields = [(name, handle) for name, handle in owner.bus._signals.items() if name not in skipped]
        layout = "<"
        self._wide = []
        for name, handle in self.fields:
            bits = len(handle)
            wide = bits > 64
            if wide:
                self._wide.append(name)
            layout += f"{(bits + 31) // 32 * 4}s" if wide else "BHIQ"[(bits > 8) + (bits > 16) + (bits > 32)]
        self._packing = struct.Struct(layout)
        self._makers = [(name, name in self._wide, number_to_value(handle)) for name, handle in self.fields]
        self._limits = [(name, 1 << len(handle)) for name, handle in self.fields]
        self._sent = dict.fromkeys((name for name, _ in self.fields), 0)
        self.buffer = create_string_buffer(self._packing.size)

    def pack(self, item: Any) -> bytes:
        """An item. What it does not have stays as it is.

        Raises:
            OverflowError: a value does not fit in its signal.
        """
        sent = self._sent
        values: list[Any] = []
        for name, limit in self._limits:
            value = sent[name] = int(getattr(item, name, sent[name]))
            if not 0 <= value < limit:
                raise OverflowError(f"{name}: {value} does not fit in {limit.bit_length() - 1} bits")
            values.append(value.to_bytes((limit.bit_length() + 30) // 32 * 4, "little") if limit > 1 << 64 else value)
        return self._packing.pack(*values)

    def unpack_into(self, item: Any) -> None:
        """Give an item what is in the buffer."""
        for (name, wide, make), value in zip(self._makers, self._packing.unpack(self.buffer.raw), strict=True):
            setattr(item, name, make(int.from_bytes(value, "little") if wide else value))


class _Channel(Backed):
    """What source, sink and monitor have in common."""

    _passive: bool | None = None
    """Of a sink; None: a source."""
    _served = False
    _replaced = ("_run", "_handle_reset", "_recv")

    def _bind(self: Any) -> None:
        self._native = (_NativeSource, _NativeMonitor, _NativeSink)
        found = self._makes(_SIGNATURES)
        if found is None:
            return
        items = _Items(self)
        fields = (AgentSignal * len(items.fields))(*(signal_of(handle) for _, handle in items.fields))
        clock = self.clock._path.encode()
        signals = _ChannelSignals(clock, signal_of(self.valid), signal_of(self.ready), fields, len(fields))
        make = found.library.gb_channel_source if self._passive is None else found.library.gb_channel_sink
        agent = make(byref(signals)) if self._passive is None else make(byref(signals), self._passive)
        if not agent:
            return
        self._items = items
        self._attach(found, agent)
        self._bound()

    def serve(self: Any, roles: list[str]) -> Any:
        """Let a process in C++ send or take the items: what it needs to know of the channel.

        Args:
            roles: names of fields, in the order in which the process wants their indices.
        """
        self._served = True
        names = [name for name, _ in self._items.fields]
        return ChannelEnd(self._agent, (c_int32 * len(roles))(*(names.index(r) if r in names else -1 for r in roles)))

    def may_serve(self: Any) -> bool:
        """Whether a process in C++ can take the place of what sends or takes the items now."""
        name = "send" if self._passive is None else "recv"
        own = getattr(type(self), name) in _OWN_WAYS and name not in self.__dict__
        return self._agent is not None and own and not self._queue_in_python()

    def _fixed(self) -> tuple[str, ...]:
        return (*self._replaced, "send", "recv") if self._served else self._replaced

    def _handle_reset(self: Any, state: bool) -> None:
        if state:
            self._call("gb_agent_stop")
        super()._handle_reset(state)  # type: ignore[misc]

    @property
    def active(self: Any) -> bool:
        """An item is on its way."""
        return bool(self._call("gb_channel_active")) if self._agent is not None else self.__dict__["active"]

    @active.setter
    def active(self, value: bool) -> None:
        self.__dict__["active"] = value


class _Limited(_Channel):
    """What source and sink have in common."""

    @property
    def queue_occupancy_limit(self) -> int:
        """Items in the queue from which on it takes no more."""
        return int(self.__dict__["queue_occupancy_limit"])

    @queue_occupancy_limit.setter
    def queue_occupancy_limit(self, value: int) -> None:
        self.__dict__["queue_occupancy_limit"] = value
        self._call("gb_channel_limit", value)


class _NativeSource(_Limited, stream.StreamSource):  # type: ignore[misc]
    """cocotbext-axi's ``StreamSource``."""

    def _bound(self) -> None:
        self.queue = SourceQueue(self)
        self._taken = self._idled = self._sent = 0
        self.idle_event = Told(self, _IDLE)
        self.idle_event.set()
        self.dequeue_event = Told(self, _TAKEN)

    def _waits_for(self) -> str:
        return f"{self.count()} item(s) in its queue"

    def _look(self) -> None:
        taken, idled = self._call("gb_channel_taken"), self._call("gb_channel_idled")
        if self._served and self._sent != (sent := self._call("gb_channel_sent")):
            self._sent = sent
            self.idle_event.clear()
        if taken != self._taken:
            self._taken = taken
            Event.set(self.dequeue_event)
        if idled != self._idled:
            self._idled = idled
            if self.count() == 0:
                Event.set(self.idle_event)

    def _queue_in_python(self) -> bool:
        return False

    def _put(self, item: Any) -> None:
        self._call("gb_channel_send", self._items.pack(item))
        self._idled = self._call("gb_channel_idled")
        self.idle_event.clear()

    async def send(self, obj: Any) -> None:
        """Queue an item, once there is room."""
        if self._agent is None:
            await super().send(obj)
            return
        while self.full():
            self.dequeue_event.clear()
            await self.dequeue_event.wait()
        self._put(obj)

    def send_nowait(self, obj: Any) -> None:
        """Queue an item."""
        if self._agent is None:
            super().send_nowait(obj)
            return
        if self.full():
            raise QueueFull()
        self._put(obj)

    def count(self) -> int:
        """Items in the queue."""
        return int(self._call("gb_channel_queued") or 0) if self._agent is not None else super().count()

    def empty(self) -> bool:
        """No item is in the queue."""
        return self.count() == 0

    def clear(self) -> None:
        """Drop what is queued."""
        self._call("gb_channel_drop")
        super().clear()

    def _handle_reset(self, state: bool) -> None:
        super()._handle_reset(state)
        if self._agent is not None and state and self.empty():
            self.idle_event.set()


class _Untaken(Queue[Any]):  # type: ignore[misc]
    """The queue of a sink whose items a process in C++ takes."""

    def __init__(self, owner: Any) -> None:
        super().__init__()
        self._owner = owner

    def _size(self) -> int:
        return int(self._owner._call("gb_channel_queued") or 0)

    def _get(self) -> Any:
        return self._owner._fetch()


class _Receiver(_Channel):
    """What sink and monitor have in common."""

    _passive = True

    def _bound(self: Any) -> None:
        self.active_event = Told(self, _ITEM)
        self.wake_event = Rouser(self)
        self._call("gb_channel_limit", self.__dict__.get("queue_occupancy_limit", -1))

    def _waits_for(self: Any) -> str:
        return f"{self.count()} item(s) not taken"

    def _look(self: Any) -> None:
        if not self._hub.owned(self._agent, self):
            return
        if self._served:
            (self.active_event.clear if self._queue.empty() else self.active_event.set)()
            return
        while (item := self._fetch()) is not None:
            self._queue.put_nowait(item)
            self.active_event.set()

    def _fetch(self: Any) -> Any:
        if not self._hub.library.gb_channel_fetch(self._agent, self._items.buffer):
            return None
        item = self._transaction_obj()
        self._items.unpack_into(item)
        return item

    def noted(self: Any) -> None:
        """An item has come."""
        if self._served:
            self.active_event.set()
        self._look()

    def serve(self: Any, roles: list[str]) -> Any:
        """As of any channel."""
        self._queue = _Untaken(self)
        return super().serve(roles)

    def _queue_in_python(self: Any) -> bool:
        return bool(self._queue.qsize())

    async def _run_valid_monitor(self: Any) -> None:
        if self._agent is None:
            await super()._run_valid_monitor()  # type: ignore[misc]

    async def _run_ready_monitor(self: Any) -> None:
        if self._agent is None:
            await super()._run_ready_monitor()  # type: ignore[misc]

    async def recv(self: Any) -> Any:
        """The next item, once it has come."""
        self._listen(_ITEM)
        return await super().recv()  # type: ignore[misc]

    def _recv(self: Any, item: Any) -> Any:
        self._call("gb_channel_took", 1)
        return super()._recv(item)  # type: ignore[misc]

    def clear(self: Any) -> None:
        """Drop what has come."""
        if self._agent is not None:
            self._call("gb_channel_took", self.queue.qsize())
        super().clear()  # type: ignore[misc]

    @property
    def queue(self: Any) -> Any:
        """The items that have come."""
        if self._agent is not None:
            self._look()
        return self._queue

    @queue.setter
    def queue(self: Any, value: Any) -> None:
        self._queue = value


class _NativeMonitor(_Receiver, stream.StreamMonitor):  # type: ignore[misc]
    """cocotbext-axi's ``StreamMonitor``."""


class _NativeSink(_Receiver, _Limited, stream.StreamSink):  # type: ignore[misc]
    """cocotbext-axi's ``StreamSink``."""

    _passive = False


class _Quiet:
    """A logger that takes what is said per access for DEBUG: making the text takes longer than the access."""

    def __init__(self, logger: logging.Logger) -> None:
        self._logger = logger
        self.info = logger.debug

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802
        """As of a logger."""
        return self._logger.isEnabledFor(logging.DEBUG if level == logging.INFO else level)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._logger, name)


def quiet(owner: Any) -> None:
    """Let an object of cocotbext-axi, which has said what it is, log its accesses at level DEBUG."""
    owner.log = _Quiet(owner.log)


def _quiet_after_init(kind: type[Any]) -> None:
    begin = kind.__init__

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        begin(self, *args, **kwargs)
        quiet(self)

    kind.__init__ = init


_OWN_WAYS = (_NativeSource.send, _NativeSink.recv)
"""What a process in C++ does in the place of a test; a test may patch the classes."""
_PLAIN: dict[type, type] = {
    stream.StreamSource: _NativeSource,
    stream.StreamSink: _NativeSink,
    stream.StreamMonitor: _NativeMonitor,
}
_MODULES = (axi_channels, axil_channels, axi_master, axi_slave, axil_master, axil_slave)


@cache
def _native_of(kind: type) -> type:
    """The native class in place of a channel's."""
    base = next(base for base in kind.__mro__ if base in _PLAIN)
    return type(kind.__name__, (_PLAIN[base], kind), {"__module__": kind.__module__})


@cache
def install_channels() -> None:
    """Let all channels that cocotbext-axi has, and those that are defined from here on, be native."""
    for module in _MODULES:
        for name, kind in [*vars(module).items()]:
            if isinstance(kind, type) and issubclass(kind, stream.StreamBase):
                setattr(module, name, _native_of(kind))
    for plain, native in _PLAIN.items():
        setattr(stream, plain.__name__, native)
    for side in ("MasterWrite", "MasterRead", "SlaveWrite", "SlaveRead"):
        for bus in ("Axi", "AxiLite"):
            _quiet_after_init(getattr(axi, bus + side))
