# SPDX-License-Identifier: Apache-2.0
"""Groups of a sub-net, and which of them are checked together.

A core goes on to its next group when all of its own engines are done with the one before; it does not wait for other cores, and
messages stay as they are. So groups of several cores, or with messages, belong together; groups of one core without messages only
follow each other. Sub-nets follow each other, since the host starts them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.schedule import NONE, Lane, lane

Member = tuple[CommandStream, Commands]
_COLUMNS = ("id", "dep", "role", "message", "count", "segment")


def groups_together(members: Iterable[Member]) -> list[list[list[Member]]]:
    """Groups that are checked together, each with its streams; of two streams of one engine of a group the first counts."""
    subnets: dict[tuple[int, int, int], dict[int, dict[tuple[int, str], Member]]] = {}
    for stream, found in members:
        groups = subnets.setdefault((stream.net, stream.stage, stream.subnet), {})
        groups.setdefault(stream.group, {}).setdefault((stream.core, found.engine.name), (stream, found))
    together: list[list[list[Member]]] = []
    for groups in subnets.values():
        ordered = [list(groups[number].values()) for number in sorted(groups)]
        together += [ordered] if len(ordered) > 1 and _meet(ordered) else [[one] for one in ordered]
    return together


def _meet(groups: Sequence[Sequence[Member]]) -> bool:
    """Whether commands of one group may run beside those of another, or wait for its messages."""
    members = [one for group in groups for one in group]
    several = len({stream.core for stream, _ in members}) > 1
    return several or any((lane(found).role != NONE).any() for _, found in members)


class JoinedGroups:
    """Groups that are checked together.

    Args:
        groups: their streams.

    Attributes:
        lanes: a lane for each engine of each core, with its commands of all groups; segments are counted through.
        bounds: for each lane the first command of every group, and how many commands there are.
        members: streams by lane and group, in the order of groups.
    """

    def __init__(self, groups: Sequence[Sequence[Member]]) -> None:
        places: dict[tuple[int, str], int] = {}
        parts: list[list[Lane]] = []
        self.bounds: list[list[int]] = []
        self.members: dict[tuple[int, int], Member] = {}
        segments = 0
        for number, group in enumerate(groups):
            most = 1
            for stream, found in group:
                index = places.setdefault((stream.core, found.engine.name), len(places))
                if index == len(parts):
                    parts.append([])
                    self.bounds.append([0] * (number + 1))
                one = lane(found, stream.core)
                if one.segment is not None and len(one):
                    most = max(most, int(one.segment[-1]) + 1)
                self.members[index, number] = stream, found
                parts[index].append(_moved(one, segments))
                self.bounds[index].append(self.bounds[index][-1] + len(one))
            segments += most
            for bounds in self.bounds:
                bounds += bounds[-1:] * (number + 2 - len(bounds))
        self.lanes = [_joined(one) for one in parts]

    def at(self, index: int, row: int) -> tuple[CommandStream, Commands, int]:
        """The stream of a lane's command, decoded, and the command's row there."""
        group = bisect_right(self.bounds[index], row) - 1
        return *self.members[index, group], row - self.bounds[index][group]

    def command(self, index: int, row: int) -> str:
        """``command 3``, its segment if it is not the only one, and its group likewise."""
        stream, found, row = self.at(index, row)
        segment = f" of segment {int(found.segment[row]) + 1}" if int(found.segment[-1]) else ""
        group = f" of group {stream.group}" if len(self.bounds[index]) > 2 else ""
        return f"command {int(found.id[row])}{segment}{group}"


def _moved(one: Lane, segments: int) -> Lane:
    segment = np.zeros(len(one), np.int32) if one.segment is None else one.segment
    return replace(one, segment=(segment + segments).astype(np.int32))


def _joined(parts: Sequence[Lane]) -> Lane:
    if len(parts) == 1:
        return parts[0]
    columns: dict[str, Any] = {name: np.concatenate([getattr(one, name) for one in parts]) for name in _COLUMNS}
    return replace(parts[0], **columns)
