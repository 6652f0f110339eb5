# SPDX-License-Identifier: Apache-2.0
"""Cycles per beat are told from the latency before the first beat."""

from __future__ import annotations

from types import SimpleNamespace as Parts
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.obligations import pace


def result(**cycles: list[int]) -> Any:
    """A run of one episode with beats in these cycles, by port."""
    ports = {
        name: Trace.from_bytes(np.zeros((len(at), 1), "u1"), clock_ps=1000).with_cycles(np.array(at))
        for name, at in cycles.items()
    }
    return Parts(episodes=[Parts(record=Parts(outcome=Parts(ports=ports)))])


@pytest.mark.parametrize(
    ("beats", "cycles", "between", "usual"),
    [
        # A latency is shared out over the beats of the shortest run, and long runs are made.
        ({"s": [3, 4, 5], "m": [903, 904, 905]}, 376, 1, True),
        ({"s": [900, 901, 902]}, 562, 1, True),
        ({"s": [3, 903, 1803], "m": [903, 1803, 2703]}, 1125, 1125, False),
        ({"s": [3], "m": [2703]}, 1126, 0, True),
        ({"s": [3, 203, 403], "m": []}, 250, 250, True),
    ],
)
def test_a_latency_is_no_slow_pace(beats: dict[str, list[int]], cycles: int, between: int, usual: bool) -> None:
    found = pace.pace_of(result(**beats))
    assert (found, found.between, pace.fills_queues(found)) == (cycles, between, usual)


def test_nothing_measured_is_no_slow_pace() -> None:
    assert pace.fills_queues(0)
