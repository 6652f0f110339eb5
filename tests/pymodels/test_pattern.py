# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import WORST_PERIOD, WORST_STALL, NextReady, Pattern, splitmix64

PATTERNS = [
    Pattern(),
    Pattern("random", p=0.3, seed=5),
    Pattern("random", p=0.0, seed=5),
    Pattern("random", p=0.95, seed=5),
    Pattern("bursty", burst=16, seed=5),
    Pattern("bursty", burst=1, seed=5),
    Pattern("worst"),
    Pattern("array", values=(0, 1, 1)),
]
BY_KIND = pytest.mark.parametrize("pattern", PATTERNS, ids=lambda p: f"{p.kind}-{p.p}-{p.burst}")


def test_splitmix64_is_the_published_sequence() -> None:
    # The reference generator started at 1234567.
    expected = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert splitmix64(1234567, np.arange(5)).tolist() == expected
    assert splitmix64(-1, np.arange(2)).tolist() == splitmix64(2**64 - 1, np.arange(2)).tolist()


@BY_KIND
def test_a_longer_stretch_begins_like_a_shorter_one(pattern: Pattern) -> None:
    assert pattern.ready(100).tolist() == pattern.ready(5000)[:100].tolist()
    assert pattern.gaps(100).tolist() == pattern.gaps(5000)[:100].tolist()
    assert pattern.ready(0).tolist() == []
    assert pattern.gaps(0).tolist() == []


@BY_KIND
def test_gaps_are_never_negative_and_ready_is_never_for_ever_off(pattern: Pattern) -> None:
    gaps = pattern.gaps(5000)
    assert gaps.dtype == np.int64
    assert gaps.min() >= 0
    assert pattern.ready(5000).any()


def test_how_often_a_random_sink_is_busy() -> None:
    for p in (0.1, 0.3, 0.7):
        pattern = Pattern("random", p=p, seed=1)
        assert 1 - pattern.ready(100_000).mean() == pytest.approx(p, abs=0.01)
        # The mean run of busy cycles is p / (1 - p).
        assert pattern.gaps(100_000).mean() == pytest.approx(p / (1 - p), rel=0.03)


def test_seeds_differ_and_repeat() -> None:
    a, b = Pattern("random", seed=1), Pattern("random", seed=2)
    assert a.ready(200).tolist() == Pattern("random", seed=1).ready(200).tolist()
    assert a.ready(200).tolist() != b.ready(200).tolist()
    assert a.gaps(200).tolist() != b.gaps(200).tolist()


def test_bursts_have_the_length_asked_for() -> None:
    ready = Pattern("bursty", burst=4, seed=3).ready(4000)
    edges = np.flatnonzero(np.diff(ready.astype(int))) + 1
    runs = np.diff(edges)
    assert ready[0]
    assert set(runs.tolist()) == {1, 2, 3, 4}
    gaps = Pattern("bursty", burst=4, seed=3).gaps(4000)
    assert set(gaps.tolist()) == {0, 1, 2, 3, 4}


def test_worst() -> None:
    ready = np.flatnonzero(Pattern("worst").ready(300))
    assert ready[0] >= WORST_STALL
    assert set(np.diff(ready).tolist()) == {WORST_PERIOD}
    assert Pattern("worst").gaps(3).tolist() == [WORST_STALL, WORST_PERIOD - 1, WORST_PERIOD - 1]


def test_array_repeats() -> None:
    pattern = Pattern("array", values=(0, 1, 3))
    assert pattern.ready(5).tolist() == [False, True, True, False, True]
    assert pattern.gaps(5).tolist() == [0, 1, 3, 0, 1]


@BY_KIND
def test_next_ready_agrees_with_ready(pattern: Pattern) -> None:
    following = NextReady(pattern)
    ready = np.flatnonzero(pattern.ready(40_000))
    for cycle in [0, 1, 95, 96, 97, 500, 4095, 4096, 9999]:
        assert following(cycle) == ready[np.searchsorted(ready, cycle)]


def test_a_sink_that_is_never_ready_is_an_error_and_not_an_endless_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NextReady, "_LONGEST", 1 << 16)
    with pytest.raises(UsageError, match="not ready in any cycle from 3"):
        NextReady(Pattern("array", values=(0,)))(3)


def test_a_ready_that_waits_for_valid_counts_from_each_offer() -> None:
    pattern = Pattern("after-valid", burst=6, seed=8)
    distances = pattern.distances(3000)
    assert set(distances.tolist()) == {1, 2, 3, 4, 5, 6}
    assert np.array_equal(pattern.distances(10), distances[:10])
    following = NextReady(pattern)
    assert [following(100 * i) - 100 * i for i in range(3000)] == distances.tolist()
    for impossible in (pattern.ready, pattern.gaps):
        with pytest.raises(UsageError, match="after-valid"):
            impossible(5)
    with pytest.raises(UsageError, match="only after-valid has distances"):
        Pattern().distances(1)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("none", Pattern(seed=4)),
        ("worst", Pattern("worst", seed=4)),
        ("random", Pattern("random", p=0.3, seed=4)),
        ("random:0.75", Pattern("random", p=0.75, seed=4)),
        ("bursty:8", Pattern("bursty", burst=8, seed=4)),
        ("array:1,0,2", Pattern("array", values=(1, 0, 2), seed=4)),
        ("after-valid", Pattern("after-valid", burst=1, seed=4)),
        ("after-valid:5", Pattern("after-valid", burst=5, seed=4)),
    ],
)
def test_patterns_as_text(text: str, pattern: Pattern) -> None:
    assert Pattern.parse(text, seed=4) == pattern


NO_PATTERNS = (
    "|sometimes|random:x|random:1|random:-0.1|random:nan|bursty:0|bursty:1.5|array:|array:-1|none:3|worst:3"
    "|after-valid:0|after-valid:x"
)


@pytest.mark.parametrize("text", NO_PATTERNS.split("|"))
def test_what_is_no_pattern(text: str) -> None:
    with pytest.raises(UsageError):
        Pattern.parse(text)


@pytest.mark.parametrize("wrong", [{"kind": "odd"}, {"p": 1.0}, {"burst": 0}, {"kind": "array"}])
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Pattern(**wrong)
