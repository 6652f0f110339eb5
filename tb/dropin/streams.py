# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's AXI-Stream source, sink and monitor with agents in C++ behind them.

They drive and sample in the same cycles, give the same frames at the same times, and have the same members. Where an agent
cannot reach a signal, or bytes are not of 8 bits, they are cocotbext-axi's own.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from ctypes import byref, c_int64, memmove
from typing import Any

import cocotb
from cocotb.queue import QueueFull
from cocotb.triggers import Event
from cocotbext import axi

from goldbeat.tb.dropin import frames
from goldbeat.tb.dropin.hub import hub
from goldbeat.tb.kernel.library import declare

_PLAIN: tuple[type[Any], ...] = (
    type(iter([])),
    type(iter(())),
    type(iter(range(0))),
    type(iter(range(1 << 65))),
    type(iter(b"")),
)
"""Iterators that change nothing but themselves."""


class _Told(Event):  # type: ignore[misc]
    """An event that an agent sets; it is told to speak up once somebody waits."""

    def __init__(self, owner: _Framed, event: int) -> None:
        super().__init__()
        self._owner = owner
        self._kind = event

    def wait(self) -> Any:
        self._owner._listen(self._kind)
        self._owner._look()
        return super().wait()

    def is_set(self) -> bool:
        self._owner._look()
        return bool(super().is_set())


class _Rouser(Event):  # type: ignore[misc]
    """The event that wakes a sink."""

    def __init__(self, owner: _Framed) -> None:
        super().__init__()
        self._owner = owner

    def set(self, data: object | None = None) -> None:
        super().set(data)
        self._owner._call("gb_agent_wake")


class _Framed:
    """What source, sink and monitor have in common. Without an agent, everything is as in cocotbext-axi."""

    _agent: int | None = None
    _passive: bool | None = None
    """Of a sink; None: a source."""

    def _init_reset(self, reset_signal: Any = None, active_level: bool = True) -> None:
        self._bind()
        super()._init_reset(reset_signal, active_level)  # type: ignore[misc]

    def _bind(self: Any) -> None:
        found = hub()
        own = all(
            getattr(type(self), name, None) is getattr(kind, name, None)
            for kind in _KINDS
            if isinstance(self, kind)
            for name in ("_run", "_handle_reset", "_recv")
        )
        if found is None or self.byte_size != 8 or not own:
            return
        declare(found.library, frames.SIGNATURES)
        signals = frames.bind(self.bus, self.clock)
        make = found.library.gb_frame_source if self._passive is None else found.library.gb_frame_sink
        agent = make(byref(signals)) if self._passive is None else make(byref(signals), self._passive)
        if not agent:
            return
        self._hub, self._agent = found, agent
        self._mask, self._waits = 0, 0
        self._state = (c_int64 * 9)()
        self._widths = {role: len(getattr(self.bus, role)) for role in frames.SIDES if hasattr(self.bus, role)}
        found.own(agent, self)
        self._bound()

    def _call(self: Any, name: str, *arguments: Any) -> Any:
        """Call a function on the agent, unless it has ended with its test."""
        if self._agent is None or not self._hub.owned(self._agent, self):
            return None
        result = getattr(self._hub.library, name)(self._agent, *arguments)
        self._hub.pump()
        return result

    def _listen(self: Any, event: int) -> None:
        if self._agent is not None and not self._mask & event:
            self._mask |= event
            self._call("gb_agent_listen", self._mask)

    def _look(self) -> None:
        """Take over what the agent has done."""

    def noted(self) -> None:
        """The agent has seen an event."""
        self._look()

    async def _run(self: Any) -> None:
        if self._agent is None:
            await super()._run()  # type: ignore[misc]
            return
        self._call("gb_agent_start")
        # Killed by a reset, which also stops the agent.
        await Event().wait()

    # -- pauses ----------------------------------------------------------------------------------------------------------

    @property
    def pause(self: Any) -> Any:
        """Whether it is paused."""
        if self._agent is None or self._pause_cr is None:
            return self._pause
        return bool(self._call("gb_frame_pause"))

    @pause.setter
    def pause(self: Any, val: Any) -> None:
        if self._agent is None:
            if self._pause != val:
                self._pause_update(val)
            self._pause = val
            return
        self._pause = val
        self._call("gb_frame_set_pause", bool(val))

    def set_pause_generator(self: Any, generator: Any = None) -> None:
        """Set the pause anew at every edge."""
        if self._agent is None:
            super().set_pause_generator(generator)  # type: ignore[misc]
            return
        if self._pause_cr is not None:
            self._pause = self.pause
            self._pause_cr.kill()
            self._pause_cr = None
        self._pause_generator = generator
        if generator is not None:
            self._pause_cr = _Pauses(self._hub, self._agent, generator)


class _Pauses:
    """A pause generator behind an agent."""

    def __init__(self, found: Any, target: int, generator: Any) -> None:
        self._hub = found
        self._generator = generator
        self._values: Iterator[Any] = iter(())
        self._ahead = _repeats(generator)
        # C++ has but its address.
        self._more = frames.MORE_CALL(self._give)
        self._agent = found.library.gb_frame_pauses(target, self._more)
        found.own(self._agent, self)
        self._begin = found.schedule(self._start)

    def noted(self) -> None:
        """It tells nothing."""

    def kill(self) -> None:
        """Set the pause no more."""
        self._begin.cancel()
        if self._hub.owned(self._agent, self):
            self._hub.library.gb_agent_stop(self._agent)

    def _start(self) -> None:
        if not self._hub.owned(self._agent, self):
            return
        self._values = iter(self._generator)
        self._hub.library.gb_agent_start(self._agent)
        self._hub.pump()

    def _give(self, _: int, values: Any, most: int) -> int:
        try:
            # Whatever else the generator does must happen at its edge.
            given = bytes(map(bool, itertools.islice(self._values, most if self._ahead else 1)))
        except Exception as error:
            cocotb.start_soon(_fail(error))
            return 0
        memmove(values, given, len(given))
        return len(given)


async def _fail(error: Exception) -> None:
    raise error


def _repeats(generator: Any) -> bool:
    """Whether values may be taken before they are due: nobody can tell."""
    if type(generator) in (itertools.repeat, list, tuple, bytes, bytearray, range):
        return True
    if type(generator) is not itertools.cycle:
        return False
    try:
        inner = generator.__reduce__()[1][0]
    except (AttributeError, TypeError, LookupError):
        return False
    return type(inner) in _PLAIN


class NativeSource(_Framed, axi.AxiStreamSource):  # type: ignore[misc]
    """cocotbext-axi's ``AxiStreamSource``."""

    def _bound(self) -> None:
        self._frames: deque[Any] = deque()
        self._gone = 0
        self._taken = 0
        self.idle_event = _Told(self, frames.IDLE)
        self.idle_event.set()
        self.dequeue_event = _Told(self, frames.TAKEN)
        self._listen(frames.FRAME)

    def _see(self) -> Any:
        """queued, taken, ended, bytes, frames, active, idle, start, end."""
        self._call("gb_frame_source_state", self._state)
        return self._state

    def _look(self) -> None:
        _, taken, ended, _, _, _, idle, start, end = self._see()
        if taken != self._taken:
            self._taken = taken
            Event.set(self.dequeue_event)
        while self._gone < ended and self._frames:
            self._gone += 1
            frame = self._frames.popleft()
            if len(frame) and frame.tx_complete is not None:
                frame.sim_time_start, frame.sim_time_end = start, end
                frame.handle_tx_complete()
        if idle and not self.idle_event._fired:
            self.active_event.clear()
            self.idle_event.set()

    def _put(self, frame: Any) -> None:
        frame = axi.AxiStreamFrame(frame)
        out = frames.outgoing(frame, self._widths)
        self.log.debug("TX frame: %s", frame)
        if frame.tx_complete is not None:
            frame.normalize()
        self._look()
        self._frames.append(frame)
        self.idle_event.clear()
        self.active_event.set()
        self._call("gb_frame_send", byref(out))

    async def send(self, frame: Any) -> None:
        """Queue a frame, or bytes; waits while the queue is full."""
        if self._agent is None:
            await super().send(frame)
            return
        while self.full():
            self.dequeue_event.clear()
            await self.dequeue_event.wait()
        self._put(frame)

    def send_nowait(self, frame: Any) -> None:
        """Queue a frame, or bytes."""
        if self._agent is None:
            super().send_nowait(frame)
            return
        if self.full():
            raise QueueFull()
        self._put(frame)

    def count(self) -> int:
        """Frames in the queue."""
        return int(self._see()[0]) if self._agent is not None else super().count()

    def empty(self) -> bool:
        """No frame is in the queue."""
        return self.count() == 0

    def clear(self) -> None:
        """Drop what is queued."""
        if self._agent is None:
            super().clear()
            return
        self._look()
        while len(self._frames) > self._see()[1] - self._gone:
            frame = self._frames[int(self._state[1]) - self._gone]
            del self._frames[int(self._state[1]) - self._gone]
            frame.sim_time_end = None
            frame.handle_tx_complete()
        self._call("gb_frame_source_drop")
        Event.set(self.dequeue_event)
        self.idle_event.set()
        self.active_event.clear()

    def _handle_reset(self, state: bool) -> None:
        if self._agent is None or not state:
            super()._handle_reset(state)
            return
        self._call("gb_agent_stop")
        self._look()
        sending = self._frames[0] if self._see()[1] > self._state[2] else None
        super()._handle_reset(state)
        if sending is not None:
            self._call("gb_frame_source_flush")
            self._frames.popleft()
            self._gone += 1
        self._call("gb_frame_source_idle")
        if self.empty():
            self.idle_event.set()

    @property
    def current_frame(self) -> Any:
        """The frame that is being sent."""
        if self._agent is None:
            return self.__dict__.get("current_frame")
        self._look()
        return self._frames[0] if self._frames and self._see()[1] > self._state[2] else None

    @current_frame.setter
    def current_frame(self, frame: Any) -> None:
        self.__dict__["current_frame"] = frame

    @property
    def active(self) -> bool:
        """A frame is being sent."""
        return bool(self._see()[5]) if self._agent is not None else self.__dict__["active"]

    @active.setter
    def active(self, value: bool) -> None:
        self.__dict__["active"] = value

    @property
    def queue_occupancy_bytes(self) -> int:
        """Bytes in the queue."""
        return int(self._see()[3]) if self._agent is not None else self.__dict__["queue_occupancy_bytes"]

    @queue_occupancy_bytes.setter
    def queue_occupancy_bytes(self, value: int) -> None:
        self.__dict__["queue_occupancy_bytes"] = value

    @property
    def queue_occupancy_frames(self) -> int:
        """Frames in the queue."""
        return int(self._see()[4]) if self._agent is not None else self.__dict__["queue_occupancy_frames"]

    @queue_occupancy_frames.setter
    def queue_occupancy_frames(self, value: int) -> None:
        self.__dict__["queue_occupancy_frames"] = value


class _Receiving(_Framed):
    """What sink and monitor have in common."""

    _passive = True

    def _bound(self: Any) -> None:
        self.active_event = _Told(self, frames.FRAME)
        self.wake_event = _Rouser(self)
        self._limit()

    def _limit(self: Any) -> None:
        self._call(
            "gb_frame_sink_limits", *(self.__dict__.get(f"queue_occupancy_limit_{u}", -1) for u in ("bytes", "frames"))
        )

    def _see(self: Any) -> Any:
        """Not yet fetched, bytes, frames, active."""
        self._call("gb_frame_sink_state", self._state)
        return self._state

    def _look(self: Any) -> None:
        while self._hub.owned(self._agent, self) and (frame := frames.fetch(self._hub.library, self._agent)):
            self.log.debug("RX frame: %s", frame)
            self._queue.put_nowait(frame)
            self.active_event.set()

    async def _run_tvalid_monitor(self: Any) -> None:
        if self._agent is None:
            await super()._run_tvalid_monitor()  # type: ignore[misc]

    async def _run_tready_monitor(self: Any) -> None:
        if self._agent is None:
            await super()._run_tready_monitor()  # type: ignore[misc]

    async def recv(self: Any, compact: bool = True) -> Any:
        """The next frame, once it has come."""
        if self._agent is None or not self.queue.empty():
            return await super().recv(compact)  # type: ignore[misc]
        self._waits += 1
        self._call("gb_agent_listen", self._mask | frames.FRAME)
        try:
            return await super().recv(compact)  # type: ignore[misc]
        finally:
            self._waits -= 1
            if not self._waits:
                self._call("gb_agent_listen", self._mask)

    def _recv(self: Any, frame: Any, compact: bool = True) -> Any:
        if self._agent is None:
            return super()._recv(frame, compact)  # type: ignore[misc]
        if self.queue.empty():
            self.active_event.clear()
        self._call("gb_frame_sink_taken", len(frame), 1)
        self._dequeue(frame)
        return frame.given(compact)

    def _handle_reset(self: Any, state: bool) -> None:
        if state:
            self._call("gb_agent_stop")
        super()._handle_reset(state)  # type: ignore[misc]
        if state:
            self._call("gb_frame_sink_idle")

    @property
    def queue(self: Any) -> Any:
        """The frames that have come."""
        if self._agent is not None:
            self._look()
        return self._queue

    @queue.setter
    def queue(self: Any, value: Any) -> None:
        self._queue = value

    @property
    def active(self: Any) -> bool:
        """A frame has begun."""
        return bool(self._see()[3]) if self._agent is not None else self.__dict__["active"]

    @active.setter
    def active(self, value: bool) -> None:
        self.__dict__["active"] = value

    @property
    def queue_occupancy_bytes(self: Any) -> int:
        """Bytes of the frames that have come and that the test has not taken."""
        return int(self._see()[1]) if self._agent is not None else self.__dict__["queue_occupancy_bytes"]

    @queue_occupancy_bytes.setter
    def queue_occupancy_bytes(self: Any, value: int) -> None:
        if self._agent is not None:
            self._call("gb_frame_sink_taken", self._see()[1] - value, 0)
        self.__dict__["queue_occupancy_bytes"] = value

    @property
    def queue_occupancy_frames(self: Any) -> int:
        """How many these are."""
        return int(self._see()[2]) if self._agent is not None else self.__dict__["queue_occupancy_frames"]

    @queue_occupancy_frames.setter
    def queue_occupancy_frames(self: Any, value: int) -> None:
        if self._agent is not None:
            self._call("gb_frame_sink_taken", 0, self._see()[2] - value)
        self.__dict__["queue_occupancy_frames"] = value


class NativeMonitor(_Receiving, axi.AxiStreamMonitor):  # type: ignore[misc]
    """cocotbext-axi's ``AxiStreamMonitor``."""


class NativeSink(_Receiving, axi.AxiStreamSink):  # type: ignore[misc]
    """cocotbext-axi's ``AxiStreamSink``."""

    _passive = False

    @property
    def queue_occupancy_limit_bytes(self) -> int:
        """Bytes in the queue above which it takes no more."""
        return int(self.__dict__["queue_occupancy_limit_bytes"])

    @queue_occupancy_limit_bytes.setter
    def queue_occupancy_limit_bytes(self, value: int) -> None:
        self.__dict__["queue_occupancy_limit_bytes"] = value
        if self._agent is not None:
            self._limit()

    @property
    def queue_occupancy_limit_frames(self) -> int:
        """Frames in the queue above which it takes no more."""
        return int(self.__dict__["queue_occupancy_limit_frames"])

    @queue_occupancy_limit_frames.setter
    def queue_occupancy_limit_frames(self, value: int) -> None:
        self.__dict__["queue_occupancy_limit_frames"] = value
        if self._agent is not None:
            self._limit()


_KINDS = (NativeSource, NativeMonitor, NativeSink)
