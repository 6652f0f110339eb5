# SPDX-License-Identifier: Apache-2.0
"""What the command front end is given: its parameters, and what its registers say before the trigger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.front_end.front_map import DURATION_RESET, TIMEOUT_RESET
from goldbeat.pymodels.tpu.front_end.kinds import BM1684X, SG2380

GROUPS = 4
"""Groups that wait in a core's queue."""


@dataclass(frozen=True)
class Front:
    """The design's parameters: chip 0 BM1684X, 1 BM1688, 2 BM1690, 3 BM1690E, 4 CV184X, 5 SG2380."""

    chip: int = 0
    cores: int = 1
    engines: int = 2
    depth: int = 8
    nmsg: int = 512

    def __post_init__(self) -> None:
        limits = {"chip": (BM1684X, SG2380), "cores": (1, 8), "engines": (2, 3), "depth": (2, 64), "nmsg": (2, 512)}
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                raise UsageError(f"{name}: found {getattr(self, name)}, expected {low} to {high}")
        for name in ("depth", "nmsg"):
            if getattr(self, name) & (getattr(self, name) - 1):
                raise UsageError(f"{name}: found {getattr(self, name)}, expected a power of two")

    @property
    def total(self) -> int:
        """Engines of all cores."""
        return self.cores * self.engines


@dataclass(frozen=True)
class StreamSettings:
    """What the registers BLOCK, SIZE and COUNT of an engine say: address / 128, blocks, commands."""

    block: int
    size: int
    count: int


@dataclass(frozen=True)
class GroupSettings:
    """A group of a core: a stream for each engine that has something to do."""

    streams: Mapping[int, StreamSettings]


@dataclass(frozen=True)
class FrontEndSettings:
    """Everything the registers say before the trigger.

    Attributes:
        groups: of each core, in the order in which they are pushed, at most :data:`GROUPS`.
        duration_mode, duration: DUR_MODE and DURATION.
        tables: by engine number, (1024,) durations.
        timeout: TIMEOUT.
    """

    groups: Sequence[Sequence[GroupSettings]]
    duration_mode: int = 0
    duration: int = DURATION_RESET
    tables: Mapping[int, npt.ArrayLike] = field(default_factory=dict)
    timeout: int = TIMEOUT_RESET


def check_program(front: Front, program: FrontEndSettings) -> None:
    """What PUSH and the widths of the registers refuse."""
    if len(program.groups) != front.cores:
        raise UsageError(f"groups of {len(program.groups)} cores, expected {front.cores}")
    for core, groups in enumerate(program.groups):
        if len(groups) > GROUPS:
            raise UsageError(f"core {core}: {len(groups)} groups, expected at most {GROUPS}")
        for group in groups:
            streams = group.streams
            if not any(stream.count for stream in streams.values()):
                raise UsageError(f"core {core}: a group in which all counts are 0")
            for index, stream in streams.items():
                if not 0 <= index < front.engines:
                    raise UsageError(f"core {core}: engine {index}, expected 0 to {front.engines - 1}")
                if stream.count and not stream.size:
                    raise UsageError(f"core {core} engine {index}: {stream.count} commands in no blocks")
                if stream.block >> 32 or stream.size >> 24 or stream.count >> 24:
                    raise UsageError(f"core {core} engine {index}: {stream}: BLOCK has 32 bits, SIZE and COUNT have 24")
