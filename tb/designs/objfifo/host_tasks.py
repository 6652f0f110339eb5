# SPDX-License-Identifier: Apache-2.0
"""The host's tasks on an array under ``npu1``: started by the controller, which waits for others to end (npu1.md, Host side)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from math import ceil
from typing import Any

import numpy as np

from goldbeat.pymodels.objfifo.engine.array import ArrayRun
from goldbeat.pymodels.objfifo.engine.critical_chain import HostStream
from goldbeat.pymodels.objfifo.engine.engine import NEVER
from goldbeat.pymodels.objfifo.engine.npu1_controller import ControllerStart, controller_starts, start_times
from goldbeat.pymodels.objfifo.engine.npu1_shim import drain_cycles, fill_cycles, shim_channels, task_packets
from goldbeat.pymodels.objfifo.plan.plan import ChannelKey, Direction, HostStep, Plan
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.whole import Whole

HostBeats = Mapping[ChannelKey, Sequence[int]]
"""The cycles at which beats of the host's channels have passed."""


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

    @property
    def stream(self) -> int:
        """The number of the array's stream."""
        return int(self.port.rpartition("_")[2])

    def beats_ended(self, cycles: Sequence[int]) -> int:
        """How many tasks have had all their beats."""
        return bisect_right(self.last_beats, len(cycles) - 1)

    @cached_property
    def last_beats(self) -> list[int]:
        """The number of each task's last beat."""
        return [end - 1 for end in accumulate(self.beats)]

    def first_beats(self) -> list[int]:
        """The number of each task's first beat."""
        return [0, *(last + 1 for last in self.last_beats[:-1])]

    def ended(self, cycles: Sequence[int], started: Sequence[float]) -> list[float]:
        """The cycle after each task's last beat; a drain takes its own time too. Only tasks all of whose beats have passed.

        Args:
            cycles: of the beats that have passed.
            started: when the tasks were in their queue, as far as it is known.
        """
        found: list[float] = []
        for place, last in enumerate(self.last_beats):
            if last >= len(cycles):
                break
            end = float(cycles[last] + 1)
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
        self, beats: HostBeats, *, known: bool = False
    ) -> tuple[dict[ChannelKey, list[float]], dict[ChannelKey, list[float]]]:
        """When tasks are in their queues and when they have ended, in cycles.

        Args:
            beats: the cycles of those that have passed, by channel.
            known: tasks that have not ended hold the controller up, as in :func:`.controller_starts`.
        """
        starts: dict[ChannelKey, list[float]] = {}
        # Waits in front of a task need ends of earlier ones, and ends of drains their starts.
        while True:
            ends = self._ended(beats, starts)
            found = start_times(self._steps, ends, known=known)
            if found == starts:
                return starts, ends
            starts = found

    def side(self, ports: Mapping[str, Trace]) -> tuple[dict[ChannelKey, HostStream], list[ControllerStart]]:
        """The tasks of each channel that have ended, and what the controller started; all at once where that is not known."""
        beats = self._beats(ports)
        starts, ends = ({}, self._ended(beats, {})) if self.unknown else self.started(beats)
        found = {}
        for one in self.channels:
            count = len(ends[one.key])
            first = tuple(one.first_beats()[:count])
            found[one.key] = HostStream(
                one.fifo,
                one.stream,
                one.fills,
                first,
                tuple(one.last_beats[:count]),
                tuple(starts.get(one.key, [0.0] * count)),
                tuple(ends[one.key]),
                tuple((fill_cycles if one.fills else drain_cycles)(words, n) for n, words in enumerate(one.words)),
            )
        return found, [] if self.unknown else controller_starts(self._steps, ends)

    def _beats(self, ports: Mapping[str, Trace]) -> HostBeats:
        return {one.key: ports[one.port].cycle.tolist() for one in self.channels}

    def _ended(self, beats: HostBeats, starts: Mapping[ChannelKey, Sequence[float]]) -> dict[ChannelKey, list[float]]:
        return {one.key: one.ended(beats[one.key], starts.get(one.key, [])) for one in self.channels}

    def scene(self, made: Stimulus, params: Mapping[str, Any]) -> tuple[Stimulus, ArrayRun]:
        """The stimulus with every fill at its time, and the run of the array's model that says when that is.

        Args:
            made: with fills one after the other, each as soon as the one before has ended.
            params: of the array.
        """
        run = ArrayRun(params, made, _Controller(self))
        fills = {one.port: run.inside[one.stream].gaps for one in self.channels if one.fills and one.beats}
        later = {port: made.inputs[port].with_gaps(np.array(gaps, np.int64)) for port, gaps in fills.items()}
        return replace(made, inputs={**made.inputs, **later}), run

    def rows(self, ports: Mapping[str, Trace]) -> list[dict[str, Any]]:
        """Each channel: its tasks, the first start, the last end, and the mean from an end to the next start."""
        starts, ends = self.started(self._beats(ports))
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


def _passed(run: ArrayRun, one: HostChannel) -> Sequence[int]:
    """The cycles of a channel's beats, without those that wait for ever."""
    if one.fills:
        return run.inside[one.stream].cycles
    left = run.outside[one.stream].left
    return left if not left or left[-1] < NEVER else left[: bisect_left(left, NEVER)]


class _Controller:
    """Starts the tasks of a run as the tasks that the sequence waits for end."""

    def __init__(self, tasks: HostTasks) -> None:
        self._tasks = tasks
        self._begun = {one.key: 0 for one in tasks.channels}
        self._ended = -1

    def begin(self, run: ArrayRun) -> None:
        """Hold back every fill."""
        for one in self._tasks.channels:
            if one.fills and one.beats:
                run.inside[one.stream].held = 0
        self.goes_on(run)

    def goes_on(self, run: ArrayRun) -> bool:
        """Offer the fills whose starts are known by now."""
        beats = {one.key: _passed(run, one) for one in self._tasks.channels}
        ended = sum(one.beats_ended(beats[one.key]) for one in self._tasks.channels)
        if ended == self._ended:
            return False
        self._ended = ended
        starts, ends = self._tasks.started(beats, known=True)
        offered = [self._offer(run, one, starts.get(one.key, []), ends[one.key]) for one in self._tasks.channels]
        return any(offered)

    def _offer(self, run: ArrayRun, one: HostChannel, starts: Sequence[float], ends: Sequence[float]) -> bool:
        if not (one.fills and one.beats):
            return False
        stream, first = run.inside[one.stream], one.first_beats()
        before = self._begun[one.key]
        for task in range(before, len(starts)):
            # The fill before it must have ended: its end counts as well.
            if task > len(ends):
                break
            late = ceil(starts[task] - (ends[task - 1] if task else 0.0))
            stream.gaps[first[task]] += max(late, 0)
            self._begun[one.key] = task + 1
            stream.held = first[task + 1] if task + 1 < len(first) else len(stream.gaps)
        return self._begun[one.key] > before
