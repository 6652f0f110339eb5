# SPDX-License-Identifier: Apache-2.0
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.compare import compare
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.trace import Trace


def trace(**columns: Any) -> Trace:
    data = np.arange(40, dtype=np.uint8).reshape(10, 4)
    return Trace.from_bytes(columns.pop("data", data), clock_ps=columns.pop("clock_ps", 4000), **columns)


def changed(column: str, beat: int, value: Any) -> Trace:
    base = trace(tid=np.arange(10))
    values = getattr(base, column).copy()
    values[beat] = value
    return trace(**({"tid": np.arange(10)} | {column: values}))


def test_equal_traces() -> None:
    result = compare(trace(), trace())
    assert result.equal
    assert (result.compared, result.mismatches, result.first, result.text()) == (10, 0, None, "")


@pytest.mark.parametrize(
    ("column", "value", "expected", "got"),
    [
        ("data", [9, 9, 9, 9], "0f0e0d0c", "09090909"),
        ("keep", [True, True, False, False], "1111", "0011"),
        ("last", True, "0", "1"),
        ("tid", 77, "3", "77"),
    ],
)
def test_the_first_difference_is_named_and_shown(column: str, value: Any, expected: str, got: str) -> None:
    result = compare(trace(tid=np.arange(10)), changed(column, 3, value))
    assert result.first is not None
    assert (result.first.what, result.first.beat) == (column, 3)
    assert (result.first.expected, result.first.got) == (expected, got)
    assert result.mismatches == 1
    text = result.text("m_axis")
    assert text.startswith(f"port m_axis, beat 3: {column} differs: expected {expected}, got {got}")
    marked = [line for line in text.splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert marked[0].split()[1] == "3"
    # Three beats of context on either side.
    assert len(text.splitlines()) == 1 + 1 + 7


def test_time_exact_within_and_ignored() -> None:
    late = trace(cycle=[0, 1, 2, 3, 5, 6, 7, 8, 9, 10])
    result = compare(trace(), late)
    assert result.first is not None
    assert (result.first.what, result.first.beat, result.mismatches) == ("time", 4, 6)
    assert (result.first.expected, result.first.got) == ("16000 ps", "20000 ps")
    assert (result.first.cycle_expected, result.first.cycle_got) == (4, 5)
    assert compare(trace(), late, time="ignore").equal
    assert compare(trace(), late, time=4000).equal
    assert not compare(trace(), late, time=3999).equal
    with pytest.raises(UsageError, match="negative"):
        compare(trace(), late, time=-1)


def test_time_is_compared_across_clocks() -> None:
    fast = trace(clock_ps=2000, cycle=np.arange(10) * 2 + 1)
    assert compare(trace(offset_ps=2000), fast).equal
    assert not compare(trace(), fast).equal


def test_missing_and_extra_beats() -> None:
    short = compare(trace(), trace()[:7])
    assert short.first is not None
    assert (short.first.what, short.first.beat, short.mismatches, short.compared) == ("missing", 7, 3, 7)
    assert short.first.cycle_got is None
    assert "missing beat" in short.text()
    long = compare(trace()[:7], trace())
    assert long.first is not None
    assert (long.first.what, long.first.beat, long.mismatches) == ("extra", 7, 3)
    # A beat that differs comes before the end.
    both = compare(trace(), changed("last", 2, True)[:7])
    assert both.first is not None
    assert (both.first.what, both.first.beat, both.mismatches) == ("last", 2, 4)
    none = compare(trace(), trace()[:0])
    assert none.first is not None
    assert (none.first.what, none.mismatches) == ("missing", 10)


def test_data_that_are_not_kept_are_not_compared() -> None:
    keep = np.ones((10, 4), bool)
    keep[4, 2:] = False
    other = trace().data.copy()
    other[4, 3] = 255
    assert compare(trace(keep=keep), trace(keep=keep, data=other)).equal
    other[4, 1] = 255
    result = compare(trace(keep=keep), trace(keep=keep, data=other))
    assert result.first is not None
    assert (result.first.expected, result.first.got) == ("----1110", "----ff10")


def test_sidebands_only_count_where_they_are_expected() -> None:
    with_id = trace(tid=np.zeros(10))
    assert compare(trace(), with_id).equal
    result = compare(with_id, trace())
    assert result.first is not None
    assert (result.first.what, result.first.got, result.mismatches) == ("tid", "none", 10)


def test_other_widths_never_match() -> None:
    wide = Trace.from_bytes(np.zeros((10, 8)), clock_ps=4000)
    result = compare(trace(), wide)
    assert result.first is not None
    assert (result.first.what, result.first.expected, result.first.got) == ("width", "32 bit", "64 bit")
    assert "width" in result.text()
    assert not compare(trace()[:0], wide[:0]).equal


@pytest.mark.parametrize("seed", range(40))
def test_blocks_find_what_the_whole_finds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    one = Trace.from_bytes(
        rng.integers(0, 3, (n, 4)), clock_ps=1000, last=rng.integers(0, 2, n), tid=rng.integers(0, 3, n)
    )
    other = one[: int(rng.integers(n // 2, n + 1))]
    for _ in range(int(rng.integers(3))):
        if len(other):
            column = str(rng.choice(["data", "keep", "last", "tid"]))
            values = getattr(other, column).copy()
            at = rng.integers(len(other))
            values[at] = ~values[at] if values.dtype == bool else values[at] + 1
            other = replace(other, **{column: values})
    if seed % 3 == 0:
        other = other.with_cycles(other.cycle + (np.arange(len(other)) > rng.integers(n)))
    for pair in (one, other), (other, one):
        whole = compare(*pair)
        for block in (1, 3, 7):
            monkeypatch.setattr("goldbeat.pymodels.compare._BLOCK", block)
            assert compare(*pair) == whole
        monkeypatch.undo()


def test_comparing_takes_little_memory() -> None:
    trace = Trace.from_bytes(np.zeros((1 << 20, 4), np.uint8), clock_ps=1000)
    other = trace.with_cycles(trace.cycle + (np.arange(1 << 20) == (1 << 20) - 1))
    tracemalloc.start()
    try:
        assert compare(trace, trace).equal
        assert compare(trace, other).first.beat == (1 << 20) - 1
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 17 bytes per beat are the trace itself.
    assert peak < 16 << 20
