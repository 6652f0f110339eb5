# SPDX-License-Identifier: Apache-2.0
"""Signals that no simulator has driven, to be added to its wave file."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass


@dataclass(frozen=True)
class LaneSignal:
    """A signal and its changes.

    Attributes:
        name: in its scope.
        width: bits.
        times: of its changes in ps from the start of the file, rising.
        values: after each change: ``width`` characters ``0``, ``1`` or ``x``, the high bit first.
    """

    name: str
    width: int
    times: tuple[int, ...]
    values: tuple[str, ...]

    @property
    def declared(self) -> str:
        """Its name as files declare it, with its range."""
        return self.name if self.width == 1 else f"{self.name} [{self.width - 1}:0]"

    def value_before(self, time: int) -> str:
        """Its value just before a time; unknown before the first change."""
        index = bisect_left(self.times, time) - 1
        return self.values[index] if index >= 0 else "x" * self.width


@dataclass(frozen=True)
class WaveNames:
    """What a wave file has.

    Attributes:
        names: paths of its signals with their ranges: ``top.data[7:0]``.
        end_ps: time of the last change.
    """

    names: tuple[str, ...]
    end_ps: int
