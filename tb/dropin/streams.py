# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's AXI-Stream source, sink and monitor with agents in C++ behind them.

They drive and sample in the same cycles, give the same frames at the same times, and have the same members. Where an agent
cannot reach a signal, or bytes are not of 8 bits, they are cocotbext-axi's own.
"""

from __future__ import annotations

from collections import deque
from ctypes import byref, c_int64
from typing import Any

import cocotb
from cocotb.queue import QueueFull
from cocotb.triggers import Event
from cocotbext import axi

from goldbeat.tb.dropin import frames
from goldbeat.tb.dropin.agents import Backed, Rouser, SourceQueue, Told
from goldbeat.tb.dropin.hub import fail


class _Framed(Backed):
    """What source, sink and monitor have in common."""

    _passive: bool | None = None
    """Of a sink; None: a source."""
    _replaced = ("_run", "_handle_reset", "_recv")

    def _bind(self: Any) -> None:
        self._native = _KINDS
        found = self._makes(frames.SIGNATURES)
        if found is None or self.byte_size != 8:
            return
        signals = frames.bind(self.bus, self.clock)
        make = found.library.gb_frame_source if self._passive is None else found.library.gb_frame_sink
        agent = make(byref(signals)) if self._passive is None else make(byref(signals), self._passive)
        if not agent:
            return
        self._attach(found, agent)
        self._waits = 0
        self._state = (c_int64 * 9)()
        self._widths = {role: len(getattr(self.bus, role)) for role in frames.SIDES if hasattr(self.bus, role)}
        self._bound()


class NativeSource(_Framed, axi.AxiStreamSource):  # type: ignore[misc]
    """cocotbext-axi's ``AxiStreamSource``."""

    def _bound(self) -> None:
        self.queue = SourceQueue(self)
        self._frames: deque[Any] = deque()
        self._gone = 0
        self._taken = 0
        self.idle_event = Told(self, frames.IDLE)
        self.idle_event.set()
        self.dequeue_event = Told(self, frames.TAKEN)
        self._listen(frames.FRAME)

    def _waits_for(self) -> str:
        return "has nothing to send" if self.idle() else f"{self.count()} frame(s) in its queue"

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
                try:
                    frame.handle_tx_complete()
                except Exception as error:
                    # Of the test, not of whoever has asked for the state of the source.
                    cocotb.start_soon(fail(error))
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
        if not self._frames or self._see()[1] <= self._state[2]:
            return None
        frame = self._frames[0]
        frame.sim_time_start = self._state[7]
        return frame

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
        self.active_event = Told(self, frames.FRAME)
        self.wake_event = Rouser(self)
        self._limit()

    def _waits_for(self: Any) -> str:
        return f"{'a frame has begun' if self.active else 'no frame has begun'}, {self.count()} not taken by the test"

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
