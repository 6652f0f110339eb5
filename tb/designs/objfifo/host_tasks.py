# SPDX-License-Identifier: Apache-2.0
"""The host's tasks on an array under ``npu1``: started by the controller, which waits for others to end (npu1.md, Host side)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.engine.array import predict
from goldbeat.pymodels.objfifo.engine.critical_chain import HostStream
from goldbeat.pymodels.objfifo.engine.npu1_controller import ControllerStart, controller_starts, start_times
from goldbeat.pymodels.objfifo.engine.npu1_shim import drain_cycles, fill_cycles, shim_channels, task_packets
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, HostStep, Plan
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.whole import Whole


@dataclass(frozen=True)
class HostChannel:
    """A channel of a shim in an array.

    Attributes:
        key, fifo: which one.
        port: the array's stream.
        words, beats: of each task; a beat is a word or the header of a packet.
    """

    key: ChannelKey
    fifo: str
    port: str
    words: tuple[int, ...]
    beats: tuple[int, ...]

    @property
    def fills(self) -> bool:
        """It sends to the array."""
        return self.key[1] is Direction.MM2S

    def first_beats(self) -> npt.NDArray[np.int64]:
        """The number of each task's first beat."""
        return np.cumsum((0, *self.beats[:-1]))

    def ended(self, trace: Trace, started: list[float]) -> list[float]:
        """The cycle after each task's last beat; a drain takes its own time too. Only tasks all of whose beats have passed."""
        found: list[float] = []
        for place, last in enumerate(np.cumsum(self.beats) - 1):
            if last >= len(trace):
                break
            end = float(trace.cycle[last] + 1)
            if not self.fills and place < len(started):
                begin = max(started[place], found[-1] if found else 0.0)
                end = max(end, begin + drain_cycles(self.words[place], place))
            found.append(end)
        return found


class HostTasks:
    """Tasks of the host's channels, and when they start.

    Args:
        whole: a plan on an array.
        plan: it.
        steps: of the runtime sequence, as executed.

    Attributes:
        unknown: why their starts are not known; empty if they are.
    """

    def __init__(self, whole: Whole, plan: Plan, steps: tuple[HostStep, ...]) -> None:
        self.channels: list[HostChannel] = []
        for tile, channel in shim_channels(plan):
            fills = channel.direction is Direction.MM2S
            place = (whole.sources if fills else whole.sinks).get(channel.fifo)
            if place is None:
                continue
            runs = task_packets(channel)
            header = fills and whole.packets[channel.fifo].header is not None
            self.channels.append(
                HostChannel(
                    (tile, channel.direction, channel.index),
                    channel.fifo,
                    f"{'s' if fills else 'm'}_axis_{place}",
                    tuple(sum(run) for run in runs),
                    tuple(sum(run) + header * len(run) for run in runs),
                )
            )
        self._steps = steps
        started = Counter(step.channel for step in steps if step.descriptors)
        planned = {one.key: len(one.words) for one in self.channels}
        self.unknown = ""
        if not steps and any(planned.values()):
            self.unknown = "the runtime sequence was not recorded"
        elif wrong := [one.fifo for one in self.channels if started[one.key] != planned[one.key]]:
            self.unknown = f"the runtime sequence starts other tasks of {wrong[0]} than the plan"

    def started(
        self, ports: Mapping[str, Trace]
    ) -> tuple[dict[ChannelKey, list[float]], dict[ChannelKey, list[float]]]:
        """When tasks are in their queues and when they have ended, in cycles, with what has passed."""
        starts: dict[ChannelKey, list[float]] = {}
        # Waits in front of a task need ends of earlier ones, and ends of drains their starts.
        while True:
            ends = self._ended(ports, starts)
            found = start_times(self._steps, ends)
            if found == starts:
                return starts, ends
            starts = found

    def side(self, ports: Mapping[str, Trace]) -> tuple[dict[ChannelKey, HostStream], list[ControllerStart]]:
        """The tasks of each channel that have ended, and what the controller started; all at once where that is not known."""
        starts, ends = ({}, self._ended(ports, {})) if self.unknown else self.started(ports)
        found = {}
        for one in self.channels:
            count = len(ends[one.key])
            first = tuple(one.first_beats()[:count].tolist())
            found[one.key] = HostStream(
                one.fifo,
                int(one.port.rpartition("_")[2]),
                one.fills,
                first,
                tuple(begin + beats - 1 for begin, beats in zip(first, one.beats, strict=False)),
                tuple(starts.get(one.key, [0.0] * count)),
                tuple(ends[one.key]),
                tuple((fill_cycles if one.fills else drain_cycles)(words, n) for n, words in enumerate(one.words)),
            )
        return found, [] if self.unknown else controller_starts(self._steps, ends)

    def _ended(
        self, ports: Mapping[str, Trace], starts: Mapping[ChannelKey, list[float]]
    ) -> dict[ChannelKey, list[float]]:
        return {one.key: one.ended(ports[one.port], starts.get(one.key, [])) for one in self.channels}

    def scene(self, made: Stimulus, params: Mapping[str, Any]) -> Stimulus:
        """The stimulus with every fill at its time, by what the array's model predicts.

        Args:
            made: with fills one after the other, each as soon as the one before has ended.
            params: of the array.
        """
        fills = [one for one in self.channels if one.fills and one.beats]
        gaps = {one.port: made.inputs[one.port].gaps for one in fills}
        found = made
        # Each prediction settles at least the tasks behind one more wait.
        while True:
            starts, ends = self.started(predict(params, found).ports)
            inputs = dict(made.inputs)
            for one in fills:
                before = np.array([0.0, *ends[one.key]])[: len(one.beats)]
                first = one.first_beats()[: len(before)]
                late = np.ceil(np.array(starts[one.key])[: len(before)] - before).astype(np.int64)
                later = gaps[one.port].copy()
                later[first] += np.maximum(late, 0)
                inputs[one.port] = made.inputs[one.port].with_gaps(later)
            if all(np.array_equal(inputs[one.port].cycle, found.inputs[one.port].cycle) for one in fills):
                return found
            found = replace(found, inputs=inputs)

    def rows(self, ports: Mapping[str, Trace]) -> list[dict[str, Any]]:
        """Each channel: its tasks, the first start, the last end, and the mean from an end to the next start."""
        starts, ends = self.started(ports)
        found = []
        for one in self.channels:
            begun, done = starts[one.key][: len(ends[one.key])], ends[one.key]
            if not done:
                continue
            idle = [max(0.0, begin - end) for begin, end in zip(begun[1:], done, strict=False)]
            found.append(
                {
                    "name": one.fifo,
                    "channel": f"{one.key[0].name} {one.key[1]} {one.key[2]}",
                    "tasks": len(done),
                    "started": [round(t) for t in begun],
                    "ended": [round(t) for t in done],
                    "span": round(done[-1] - begun[0]),
                    "between": round(sum(idle) / len(idle)) if idle else 0,
                }
            )
        return found
