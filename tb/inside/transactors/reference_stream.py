# SPDX-License-Identifier: Apache-2.0
"""cocotbext-axi's AXI-Stream source and sink, with cycle-exact gaps and back-pressure.

cocotbext-axi pauses by a generator that runs beside its driver; the order of the two within an edge is open. Here ``pause`` is
a property that is computed when the driver asks, from the gap list (sources) or from the cycle number (sinks), so every
transfer falls into a known cycle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from goldbeat.pymodels.pattern import Distances
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.trace import SIDEBANDS, Trace
from goldbeat.tb.design.ports.stream import StreamPort

_NEVER = 1 << 62
_READY_BLOCK = 4096


class GapSource(AxiStreamSource):  # type: ignore[misc]
    """A source that waits ``gaps[i]`` edges, on which it could have driven, before beat i."""

    def __init__(self, dut: Any, port: StreamPort, clock: Any) -> None:
        super().__init__(AxiStreamBus.from_prefix(dut, port.name), clock)

    def load(self, trace: Trace) -> None:
        """Take the frames; nothing moves before :meth:`arm`."""
        self._gap_list = trace.gaps.tolist()
        self._beat = 0
        self._wait = _NEVER
        for frame in _frames(trace):
            self.send_nowait(frame)

    def arm(self, timing: Timing, *, settled: bool) -> None:
        """Begin; ``settled``: reset is released, so edge 0 may have a beat."""
        self._wait = self._gap_list[0] if self._gap_list else _NEVER
        self._timing, self._settled = timing, settled

    def disarm(self) -> None:
        """Stop."""
        self._timing = None

    @property
    def pause(self) -> bool:
        """Asked exactly once on every edge on which a beat could be driven; driven there, it is seen one edge later."""
        edge = -2 if self._timing is None else self._timing.last_edge()
        if edge < -1:
            return True
        if edge == -1 and not self._settled:
            # Reset is released at this edge: a master may not drive yet, and the edge counts as one of the gap's.
            self._wait = max(0, self._wait - 1)
            return True
        if self._wait:
            self._wait -= 1
            return True
        self._beat += 1
        # The beat that ends an unfinished frame is only there because a frame must end; it is never driven.
        self._wait = self._gap_list[self._beat] if self._beat < len(self._gap_list) else _NEVER
        return False

    @pause.setter
    def pause(self, value: bool) -> None:
        raise AssertionError("pauses come from the gap list")

    _timing: Timing | None = None
    _settled = False
    _wait = _NEVER


class PatternSink(AxiStreamSink):  # type: ignore[misc]
    """A sink whose ``tready`` at edge k is the k-th value of a pattern, or follows ``tvalid``."""

    timing: Timing | None = None
    _pattern_ready: npt.NDArray[np.bool_]
    _distance: Distances | None = None

    def __init__(self, dut: Any, port: StreamPort, clock: Any) -> None:
        super().__init__(AxiStreamBus.from_prefix(dut, port.name), clock)

    def load(self, stimulus: Stimulus, name: str) -> None:
        """Take the pattern."""
        self._pattern = stimulus.pattern(name)
        self._distance = Distances(self._pattern) if self._pattern.waits else None
        self._left: int | None = None
        if self._distance is None:
            self._pattern_ready = self._pattern.ready(_READY_BLOCK)

    def look(self) -> None:
        """In the middle of each cycle: count how long ``tvalid`` has stood, for a pattern that waits for it."""
        if self._distance is None or self.timing is None or self.timing.last_edge() < -1:
            return
        if not int(self.bus.tvalid.value) or int(self.bus.tready.value):
            self._left = None
            return
        self._left = (self._distance() if self._left is None else self._left) - 1

    async def _run_tvalid_monitor(self) -> None:
        """Nothing: who is woken right behind an edge cannot follow ``tvalid``. The middle of the cycle wakes it."""

    async def _run_tready_monitor(self) -> None:
        """Nothing, likewise."""

    def _ready_at(self, cycle: int) -> bool:
        if cycle >= len(self._pattern_ready):
            self._pattern_ready = self._pattern.ready(2 * cycle)
        return bool(self._pattern_ready[cycle])

    @property
    def pause(self) -> bool:
        """Asked between edge j-1 and edge j, driven at edge j, so seen by the design at edge j+1."""
        if self.timing is None:
            return True
        if self._distance is not None:
            return self._left != 0 or self.timing.at_edge()
        cycle = self.timing.last_edge() + 2
        return cycle < 0 or not self._ready_at(cycle)

    @pause.setter
    def pause(self, value: bool) -> None:
        raise AssertionError("pauses come from the pattern")


class Timing:
    """Edge numbers of one clock."""

    def __init__(self, clock: Clock, origin_ps: int) -> None:
        self.clock = clock
        self.origin_ps = origin_ps

    def last_edge(self) -> int:
        """Number of the latest edge (now included); negative before edge 0."""
        return self.clock.first_edge_after(int(get_sim_time("step")) - self.origin_ps) - 1

    def at_edge(self) -> bool:
        """An edge comes at this very time."""
        now = int(get_sim_time("step")) - self.origin_ps
        return self.clock.time(self.clock.first_edge_after(now) - 1) == now


def _frames(trace: Trace) -> list[AxiStreamFrame]:
    """A trace as cocotbext-axi's frames; beats after the last TLAST get one more beat that is never driven."""
    frames = []
    lanes = trace.data.shape[1]
    for part in trace.frames():
        data, keep = part.data.reshape(-1), part.keep.reshape(-1)
        open_end = not part.last[-1]
        sides: dict[str, Any] = {}
        for name in SIDEBANDS:
            column = getattr(part, name)
            if column is not None:
                sides[name] = np.repeat(column, lanes).tolist() + [0] * (lanes * open_end)
        frames.append(
            AxiStreamFrame(
                data.tobytes() + bytes(lanes * open_end), keep.astype(int).tolist() + [0] * (lanes * open_end), **sides
            )
        )
    return frames
