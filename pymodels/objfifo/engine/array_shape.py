# SPDX-License-Identifier: Apache-2.0
"""The parameters of an array of engines, and the numbers of its sources and targets. Contract: objfifo-array.md, Shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from goldbeat.pymodels.axis.elastic import choice
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import EngineShape

MOST_ENGINES, MOST_OUTSIDE, MOST_WORKERS = 32, 64, 8
"""Largest NE, NX, NW (objfifo-array.md, Shape)."""

MOST_ENDS = 256
"""Most sources, and most targets (objfifo-array.md, Shape)."""


@dataclass(frozen=True)
class ArrayShape:
    """The parameters of an array.

    Attributes:
        engines, outside, workers: how many (streams each way for ``outside``).
        engine: the shape of each engine.
    """

    engines: int
    outside: int
    workers: int
    engine: EngineShape

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> ArrayShape:
        """From ``NE NX NW`` and an engine's parameters.

        Raises:
            UsageError: a value is out of its range, or there are too many sources or targets.
        """
        shape = cls(
            choice(params, "NE", range(1, MOST_ENGINES + 1)),
            choice(params, "NX", range(1, MOST_OUTSIDE + 1)),
            choice(params, "NW", range(1, MOST_WORKERS + 1)),
            EngineShape.of(params),
        )
        if max(shape.sources, shape.targets) > MOST_ENDS:
            raise UsageError(
                f"an array has {MOST_ENDS} sources and {MOST_ENDS} targets at most, {shape.sources} and {shape.targets} are needed"
            )
        return shape

    @property
    def targets(self) -> int:
        """How many there are."""
        return self.engines * self.engine.ns + self.outside + self.workers

    @property
    def sources(self) -> int:
        """How many there are."""
        return self.engines * self.engine.nm + self.outside + self.workers

    def source(self, kind: str, number: int, engine: int = 0) -> int:
        """The number of a source: ``engine`` (an MM2S channel), ``outside`` or ``worker``."""
        first = self.engines * self.engine.nm
        return {
            "engine": engine * self.engine.nm + number,
            "outside": first + number,
            "worker": first + self.outside + number,
        }[kind]

    def target(self, kind: str, number: int, engine: int = 0) -> int:
        """The number of a target: ``engine`` (an S2MM channel), ``outside`` or ``worker``."""
        first = self.engines * self.engine.ns
        return {
            "engine": engine * self.engine.ns + number,
            "outside": first + number,
            "worker": first + self.outside + number,
        }[kind]
