# SPDX-License-Identifier: Apache-2.0
"""The functions of ``frames.cpp``, and frames on their way from and to C++."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_uint64, c_void_p
from typing import Any

from cocotbext.axi import AxiStreamFrame

from goldbeat.tb.dropin.agents import AgentSignal, signal_of

SIDES = ("tid", "tdest", "tuser")
FRAME, IDLE, TAKEN = 1, 2, 4
"""Events that an agent may be told to listen for."""


class FrameSignals(Structure):
    """``GbFrameSignals`` in frames.cpp."""

    _fields_ = (
        ("clock", c_char_p),
        *((name, AgentSignal) for name in ("tdata", "tvalid", "tready", "tlast", "tkeep", *SIDES)),
    )


class _Frame(Structure):
    _fields_ = (
        ("data", c_char_p),
        ("bytes", c_int64),
        ("keep", c_char_p),
        ("sides", POINTER(c_uint64) * len(SIDES)),
        ("counts", c_int64 * len(SIDES)),
        ("told", c_int),
    )


class _Received(Structure):
    _fields_ = (
        ("data", c_void_p),
        ("bytes", c_int64),
        ("whole", c_int64),
        ("all", c_void_p),
        ("keep", c_void_p),
        ("start", c_uint64),
        ("end", c_uint64),
        ("kinds", c_int * len(SIDES)),
        ("values", c_uint64 * len(SIDES)),
        ("beats", POINTER(c_uint64) * len(SIDES)),
        ("lanes", c_int64),
    )


SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "gb_frame_source": (c_void_p, [POINTER(FrameSignals)]),
    "gb_frame_sink": (c_void_p, [POINTER(FrameSignals), c_int]),
    "gb_frame_send": (None, [c_void_p, POINTER(_Frame)]),
    "gb_frame_source_state": (None, [c_void_p, c_void_p]),
    "gb_frame_source_drop": (None, [c_void_p]),
    "gb_frame_source_idle": (None, [c_void_p]),
    "gb_frame_source_flush": (None, [c_void_p]),
    "gb_frame_sink_state": (None, [c_void_p, c_void_p]),
    "gb_frame_sink_idle": (None, [c_void_p]),
    "gb_frame_sink_limits": (None, [c_void_p, c_int64, c_int64]),
    "gb_frame_sink_taken": (None, [c_void_p, c_int64, c_int64]),
    "gb_frame_sink_front": (c_int, [c_void_p, POINTER(_Received)]),
    "gb_frame_sink_pop": (None, [c_void_p]),
}


def bind(bus: Any, clock: Any) -> FrameSignals:
    """The signals of a bus."""
    roles = ("tdata", "tvalid", "tready", "tlast", "tkeep", *SIDES)
    return FrameSignals(clock._path.encode(), *(signal_of(getattr(bus, role, None)) for role in roles))


def outgoing(frame: Any, widths: dict[str, int]) -> _Frame:
    """A frame as C++ takes it; what it points to is copied there.

    Raises:
        OverflowError: a value does not fit in its signal.
    """
    data = bytes(frame.tdata) if isinstance(frame.tdata, bytearray) else bytes(int(b) & 0xFF for b in frame.tdata)
    made = _Frame(data=data, bytes=len(data), told=frame.tx_complete is not None)
    if frame.tkeep is not None and data:
        keep = bytes(int(k) & 1 for k in frame.tkeep[: len(data)])
        made.keep = keep + keep[-1:] * (len(data) - len(keep))
    for i, role in enumerate(SIDES):
        given = getattr(frame, role)
        if given is None or not data or role not in widths:
            continue
        values = [int(given)] if isinstance(given, int) else [int(v) for v in given[: len(data)]]
        if min(values) < 0 or max(values) >> widths[role]:
            raise OverflowError(f"{role}: {max(values)} does not fit in {widths[role]} bits")
        made.sides[i] = (c_uint64 * len(values))(*values)
        made.counts[i] = len(values)
    return made


class ReceivedFrame(AxiStreamFrame):  # type: ignore[misc]
    """A frame as it has come, with one entry per byte in every list; the lists are made when somebody looks at them."""

    def __init__(self, front: _Received) -> None:
        self.sim_time_start = front.start
        self.sim_time_end = front.end
        self.tx_complete = None
        self._whole = front.whole
        self._lanes = front.lanes
        self._kept = ctypes.string_at(front.data, front.bytes)
        self._keep = None if front.keep is None else ctypes.string_at(front.keep, front.whole)
        self._all = self._kept if self._keep is None else ctypes.string_at(front.all, front.whole)
        count = front.whole // front.lanes
        self._kinds = tuple(front.kinds)
        self._values = tuple(front.values)
        # Where all bytes have one value, it need not be kept per beat.
        uniform = self._keep is None
        self._beats = [
            None
            if not front.beats[i]
            else [front.values[i]] * count
            if uniform and front.kinds[i] == 1
            else front.beats[i][:count]
            for i in range(len(SIDES))
        ]

    def __getattr__(self, name: str) -> Any:
        if name == "tdata":
            self.tdata = bytearray(self._all)
        elif name == "tkeep":
            self.tkeep = [] if self._keep is None else list(self._keep)
        elif name in SIDES:
            beats = self._beats[SIDES.index(name)]
            setattr(self, name, [] if beats is None else [value for value in beats for _ in range(self._lanes)])
        else:
            raise AttributeError(name)
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        return [*object.__dir__(self), "tdata", "tkeep", *SIDES]

    def __len__(self) -> int:
        return int(self._whole)

    def given(self, compact: bool) -> AxiStreamFrame:
        """What a test receives."""
        frame = AxiStreamFrame()
        frame.sim_time_start, frame.sim_time_end = self.sim_time_start, self.sim_time_end
        if not compact:
            frame.tdata, frame.tkeep = self.tdata, self.tkeep
            frame.tid, frame.tdest, frame.tuser = self.tid, self.tdest, self.tuser
            return frame
        frame.tdata = bytearray(self._kept)
        for i, role in enumerate(SIDES):
            if self._kinds[i] == 1:
                setattr(frame, role, self._values[i])
            elif self._kinds[i] == 2:
                values = getattr(self, role)
                setattr(
                    frame,
                    role,
                    values if self._keep is None else [v for v, k in zip(values, self._keep, strict=True) if k],
                )
        return frame


def fetch(library: Any, sink: int) -> ReceivedFrame | None:
    """The oldest frame of a sink, None where there is none."""
    front = _Received()
    if not library.gb_frame_sink_front(sink, ctypes.byref(front)):
        return None
    frame = ReceivedFrame(front)
    library.gb_frame_sink_pop(sink)
    return frame
