# SPDX-License-Identifier: Apache-2.0
"""Golden model of butterfly: sum and difference of two streams of equal length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from goldbeat import CaseContext, Outcome, Stimulus, Trace
from goldbeat.pymodels.pattern import NextReady


def frames(setting: CaseContext, rng: np.random.Generator, beats: int) -> Stimulus:
    """Frames of 64 random samples on both inputs."""
    count, period = 64 * (1 + beats // 64), setting.clocks["aclk"].period_ps
    ends = np.arange(count) % 64 == 63
    made = {n: rng.integers(0, 256, (count, 4), dtype=np.uint8) for n in ("a", "b")}
    return Stimulus({name: Trace.from_bytes(data, last=ends, clock_ps=period) for name, data in made.items()})


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Real and imaginary parts wrap at 16 bits; each output has the TLAST of one input."""
    a, b = stimulus.inputs["a"], stimulus.inputs["b"]
    cycles = _cycles(a, b, {name: NextReady(stimulus.pattern(name)) for name in ("sum", "dif")})
    x, y = a.data.view("<i2"), b.data.view("<i2")
    values = {"sum": (x + y, a.last), "dif": (x - y, b.last)}
    sent = {
        name: Trace.from_bytes(parts.view(np.uint8), last=last, clock_ps=a.clock_ps, cycle=cycles[name])
        for name, (parts, last) in values.items()
    }
    return Outcome({"a": a.with_cycles(cycles["in"]), "b": b.with_cycles(cycles["in"]), **sent})


def _cycles(a: Trace, b: Trace, ready: Mapping[str, NextReady]) -> dict[str, list[int]]:
    """A pair of beats transfers when both are there and both output registers are empty or emptied."""
    found: dict[str, list[int]] = {"in": [], "sum": [], "dif": []}
    accept, outs = -1, [0, 0]
    for gaps in zip(a.gaps.tolist(), b.gaps.tolist(), strict=True):
        accept = max(1, accept + 1 + max(gaps), *outs)
        outs = [ready[name](accept + 1) for name in ("sum", "dif")]
        for name, cycle in zip(found, [accept, *outs], strict=True):
            found[name].append(cycle)
    return found
