# SPDX-License-Identifier: Apache-2.0
"""Finds outputs that follow an input of their own interface by wires alone, without a flip-flop between them.

IHI 0022 (A3.1.1) has none on AXI interfaces. IHI 0051 allows TREADY to follow TVALID, but TVALID must not follow TREADY
(2.2). In a few cycles of an episode, drawn from its length, each input is flipped and put back before the next edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.pattern import splitmix64
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.inside.job import Job

LOOKS = 8
"""Cycles of an episode in which the inputs are flipped."""

Follows = Callable[[str, Sequence[str]], str | None]
"""input, outputs -> the first output that follows it."""


@dataclass(frozen=True)
class Interface:
    """Inputs of the design, and outputs that none of them may reach.

    Attributes:
        rule: what a path breaks.
        port: the bundle.
        inputs, outputs: the harness's ports.
        clock: that it runs on.
    """

    rule: str
    port: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    clock: str


def interfaces(job: Job) -> list[Interface]:
    """Of all bundles."""

    def named(port: Bundle, roles: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{port.name}_{role}" for role in roles)

    return [
        Interface(rule, port.name, named(port, inputs), named(port, outputs), port.clock)
        for port in job.bundles
        for rule, inputs, outputs in port.paths()
    ]


def moments(clock: Clock, length_ps: int) -> list[int]:
    """Times in the middles of :data:`LOOKS` cycles of a clock, from the start of an episode of that length, in order."""
    cycles = max(1, (length_ps - clock.offset_ps) // clock.period_ps)
    drawn = splitmix64(length_ps, np.arange(LOOKS)) % np.uint64(cycles)
    return [clock.time(k) + clock.period_ps // 2 for k in sorted(set(drawn.tolist()))]


class WirePaths:
    """What was found in an episode, each pair once."""

    def __init__(self, found: Sequence[Interface], follows: Follows) -> None:
        self._interfaces, self._follows = found, follows
        self._seen: set[tuple[str, str]] = set()
        self.violations: list[str] = []

    def look(self, cycle: Callable[[str], int]) -> None:
        """Flip every input once; ``cycle`` gives the number of a clock's next edge."""
        for one in self._interfaces:
            for name in one.inputs:
                output = self._follows(name, one.outputs)
                if output is None or (name, output) in self._seen:
                    continue
                self._seen.add((name, output))
                start = len(one.port) + 1
                self.violations.append(
                    f"{one.rule}: {one.port}, cycle {cycle(one.clock)}: {output[start:]} follows {name[start:]} within the cycle"
                )
