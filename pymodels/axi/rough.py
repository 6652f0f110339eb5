# SPDX-License-Identifier: Apache-2.0
"""Rough traffic of an AXI4 master: the same bursts, with order, distances and back-pressure drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming
from goldbeat.pymodels.pattern import Pattern

_DISTANCES = (0, 1, 3, 12)
_BACK_PRESSURE = ("after-valid:1", "after-valid:4", "none", "random:0.5", "random:0.8", "bursty:6")


@dataclass(frozen=True, eq=False)
class Rough:
    """How :meth:`goldbeat.tb.kernel.axi.AxiMaster.run` makes bursts.

    Attributes:
        bursts: with gaps, and write data ahead of their address.
        write_gaps: (beats,) idle cycles before each beat of write data; those of a first beat put the address ahead.
        timing: bursts outstanding, and when responses are taken.
    """

    bursts: Bursts
    write_gaps: npt.NDArray[np.int64]
    timing: MasterTiming


def rough(bursts: Bursts, seed: int) -> Rough:
    """Draw how bursts are made: what is asked for, and its order on each channel, stays.

    Of every third of the writes the data come first, of another third the address. Reads and writes overlap as ever; where that
    matters, ``barrier`` says so.
    """
    rng = np.random.default_rng([seed, 79])
    n = len(bursts)
    write, order = bursts.kind == WRITE, rng.integers(3, size=n)
    most = int(rng.choice(_DISTANCES[1:]))
    lead = np.where(write & (order == 1), rng.integers(1, most + 1, n), 0)
    gaps = np.where(rng.random(bursts.beats) < 0.2, rng.integers(1, 6, bursts.beats), 0) * int(rng.integers(2))
    late = write & (order == 2)
    gaps[bursts.rows[late]] = rng.integers(1, most + 1, int(late.sum()))
    patterns = [Pattern.parse(str(rng.choice(_BACK_PRESSURE)), seed=int(rng.integers(1 << 31))) for _ in range(2)]
    timing = MasterTiming(int(rng.integers(1, 9)), int(rng.integers(1, 9)), patterns[0], patterns[1])
    gap = bursts.gap + rng.integers(0, int(rng.choice(_DISTANCES)) + 1, n)
    return Rough(replace(bursts, lead=lead, gap=gap), gaps, timing)
