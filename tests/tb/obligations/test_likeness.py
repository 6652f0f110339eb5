# SPDX-License-Identifier: Apache-2.0
"""How alike a prediction and what came are: whatever a fault does to order, lanes or the count of beats."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.obligations.likeness import likeness, locks_up

WANT = np.random.default_rng(1).integers(0, 256, (200, 2), dtype=np.uint8)

BUNDLES = [SimpleNamespace(name="m", direction="out", width=16), SimpleNamespace(name="s", direction="in", width=64)]


def found(came: np.ndarray, *, ordered: bool = True) -> tuple[int, int]:
    """The likeness of one output of one episode."""
    traces = [SimpleNamespace(ports={"m": Trace.from_bytes(data, clock_ps=1)}) for data in (WANT, came)]
    episode = SimpleNamespace(
        expected=traces[0], record=SimpleNamespace(outcome=traces[1]), stimulus=SimpleNamespace(program={}, bursts={})
    )
    ports = dict.fromkeys(("register_ports", "memory_ports"), lambda params: [])
    design = SimpleNamespace(bundles=lambda params: BUNDLES, ordered=ordered, **ports)
    result: Any = SimpleNamespace(request=SimpleNamespace(design=design, all_params={}), episodes=[episode])
    return likeness([result])


@pytest.mark.parametrize(
    ("came", "least", "most"),
    [
        (WANT, 1.0, 1.0),
        (WANT[1:], 0.99, 1.0),
        (WANT[:, ::-1], 1.0, 1.0),
        (np.repeat(WANT, 1 + (np.arange(200) == 0), axis=0), 0.99, 1.0),
        (np.vstack([WANT[100:], WANT[:100]]), 0.98, 1.0),
        (WANT[:0], 0.0, 0.0),
        (WANT ^ 0x5A, 0.0, 0.05),
    ],
)
def test_a_fault_leaves_most_words(came: np.ndarray, least: float, most: float) -> None:
    predicted, alike = found(came)
    assert predicted == 199
    assert least <= alike / predicted <= most


@pytest.mark.parametrize(("count", "alike"), [(12, 11), (7, 6)])
def test_a_port_that_stops_is_no_other_function(count: int, alike: int) -> None:
    """From eight beats on: fewer may be the first ones by chance."""
    assert found(WANT[:count]) == (11 if count == 12 else 199, alike)
    assert found(WANT[:count] ^ 0x5A)[0] == 199


def test_beats_of_one_wide_word_may_be_in_any_order() -> None:
    assert found(WANT.reshape(50, 4, 2)[:, [0, 2, 1, 3]].reshape(200, 2)) == (50, 50)
    assert found(WANT.reshape(50, 4, 2)[:, [0, 2, 1, 1]].reshape(200, 2))[1] < 60


@pytest.mark.parametrize(("change", "least"), [(0, 200), (0x80, 150)])
def test_words_that_come_in_any_order_count_one_by_one(change: int, least: int) -> None:
    """Of two inputs that are merged, other words follow each; a fault of some words leaves the others."""
    came = np.vstack([WANT[::2], WANT[1::2]])
    came[:40] ^= np.uint8(change)
    predicted, alike = found(came, ordered=False)
    assert predicted == 200
    assert least <= alike <= 200
    assert found(WANT ^ 0x5A, ordered=False)[1] < 10


@pytest.mark.parametrize(
    ("beats", "hanging", "locks"),
    [(1500, ("s: tvalid without tready",), True), (900, ("s: tvalid without tready",), False), (1500, (), False)],
)
def test_one_word_without_an_end_beside_an_input_that_waits_is_no_function(
    beats: int, hanging: tuple[str, ...], locks: bool
) -> None:
    ports = [{"m": Trace.from_bytes(data, clock_ps=1)} for data in (WANT, np.repeat(WANT[:1], beats, axis=0))]
    record = SimpleNamespace(outcome=SimpleNamespace(ports=ports[1]), hanging=hanging)
    stimulus = SimpleNamespace(inputs={"s": None}, stop_ps=None)
    episode = SimpleNamespace(expected=SimpleNamespace(ports=ports[0]), record=record, stimulus=stimulus)
    result: Any = SimpleNamespace(episodes=[episode])
    assert locks_up([result]) == locks
