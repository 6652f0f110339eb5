# SPDX-License-Identifier: Apache-2.0
"""The clock of a file: inferred with a confidence, or given."""

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.measure import measure
from goldbeat.pymodels.plio_file import PlioFile, format_text, parse_text
from goldbeat.pymodels.plio_file.clock import given_clock, infer_clock


def infer(*gaps_ns: float):
    return infer_clock(np.array([round(g * 1000) for g in gaps_ns], np.int64))


def file_of(gaps_ns: list[int], **options: int) -> PlioFile:
    times = np.cumsum([100, *gaps_ns])
    return parse_text("".join(f"T {t} ns\n1 2 3 4\n" for t in times).encode(), "int16", 64, **options)


# The gaps of a simulator's output of a 64-bit port at 500 MHz: most beats back to back, some stamps off the grid.
JITTER = ([2] * 60 + [3, 2, 2, 7, 4, 2, 10] + [2] * 30 + [29, 2, 2]) * 4


def test_stamps_off_the_grid_do_not_double_the_clock() -> None:
    file = file_of(JITTER)
    clock = file.clock
    assert (clock.period_ps, clock.confidence, clock.gaps) == (2000, "medium", len(JITTER))
    assert clock.off_grid == 4 * 3
    # No time is lost: the trace counts in nanoseconds.
    assert file.trace.time_ps.tolist() == (1000 * np.cumsum([100, *JITTER])).tolist()
    result = measure(file.trace, "int16", clock_ps=clock.period_ps)
    assert result.limit_mb_per_s == 4000
    assert result.raw is not None
    assert 0.8 < result.share(result.raw) < 0.9
    assert dict(result.gaps)[0] == JITTER.count(2)
    assert (result.max_idle_cycles, result.max_gap_ps) == (13.5, 29_000)
    assert format_text(file.trace, "int16", file.style) == format_text(
        file_of(JITTER, clock_ps=2000).trace, "int16", file.style
    )


def test_a_given_clock_is_always_taken() -> None:
    for period, off in ((2000, 12), (1000, 0), (4000, None), (3333, None), (7, None)):
        clock = file_of(JITTER, clock_ps=period).clock
        assert (clock.period_ps, clock.confidence) == (period, "given")
        assert off is None or clock.off_grid == off
    assert file_of([], clock_ps=2500).clock.confidence == "given"


@pytest.mark.parametrize("period", [10, 8, 6.4, 5, 4, 3.2, 2.5, 2, 1.6])
def test_usual_clocks_are_sure_unless_a_faster_one_fits(period: float) -> None:
    clock = infer(*[period] * 40, *[20 * period, 3 * period] * 4)
    assert (clock.period_ps, clock.off_grid) == (round(1000 * period), 0)
    # A port of 250 MHz that idles every second cycle has beats 8 ns apart.
    faster = {10: 5, 8: 4, 6.4: 3.2, 5: 2.5, 4: 2, 3.2: 1.6}.get(period)
    assert clock.confidence == ("high" if faster is None else "medium")
    assert (round(1000 * (faster or 0)), 1.0) in clock.others or faster is None


def test_a_clock_between_two_picoseconds() -> None:
    stamps = np.round(np.cumsum([1, *[1] * 50, 10, *[1] * 50]) * 10_000 / 3).astype(np.int64)
    assert set(np.diff(stamps)) == {3333, 3334, 33_333}
    clock = infer_clock(np.diff(stamps))
    assert (clock.period_ps, clock.off_grid) == (3333, 0)
    assert clock.cycles(stamps).tolist() == (np.cumsum([1, *[1] * 50, 10, *[1] * 50])).tolist()


@pytest.mark.parametrize("mhz", [300, 312.5, 350, 375, 400, 450, 600, 625, 1000 / 3])
@pytest.mark.parametrize("seed", range(4))
def test_stamps_in_whole_nanoseconds_are_on_the_grid_of_the_given_clock(mhz: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cycles = np.cumsum(rng.choice([1, 1, 1, 2, 40], 300))
    stamps = np.round((cycles + rng.random()) * 1000 / mhz).astype(np.int64) + 7
    text = "".join(f"T {t} ns\n1\n" for t in stamps).encode()
    file = parse_text(text, "int32", 32, clock_ps=round(1e6 / mhz))
    assert (file.clock.off_grid, len(file.beats_off_grid())) == (0, 0)
    assert np.diff(file.on_clock().cycle).tolist() == np.diff(cycles).tolist()
    assert abs(np.diff(file.measured().time_ps) - np.diff(cycles) * 1e6 / mhz).max() <= 1
    found = measure(file.measured(), "int32", clock_ps=file.clock.period_ps)
    assert set(found.gaps) == set((np.diff(cycles) - 1).tolist())
    assert sum(found.gaps.values()) == 299
    # What back to back would be is never more than the port.
    full = "".join(f"T {round(n * 1000 / mhz)} ns\n1\n" for n in range(int(rng.integers(2, 60)))).encode()
    file = parse_text(full, "int32", 32, clock_ps=round(1e6 / mhz))
    found = measure(file.measured(), "int32", clock_ps=file.clock.period_ps)
    for rate in (found.raw, found.continuous, found.sustained):
        assert rate is not None
        assert 0.999 < found.share(rate) <= 1


def test_what_rounding_does_not_explain_is_off_the_grid() -> None:
    for gaps, period, off in (([3, 3, 4] * 9 + [5, 3, 3, 4], 3333, 4), ([4] * 20, 5000, 20), ([4] * 20, 3333, 12)):
        file = file_of(gaps, clock_ps=period)
        assert file.clock.off_grid == off
        assert (np.diff(file.measured().time_ps) > 0).all()


def test_what_is_unsure_says_so_and_names_what_else_fits() -> None:
    # Never back to back: it may be 125, 250 or 500 MHz.
    slow = infer(*[8, 16, 24, 16] * 10)
    assert (slow.period_ps, slow.confidence, slow.off_grid) == (8000, "low", 0)
    assert slow.others == ((4000, 1.0), (2667, 1.0), (2000, 1.0))
    assert infer(4).confidence == "low"
    assert infer(4).period_ps == 4000
    # On no grid that a port can have.
    noise = np.random.default_rng(1).integers(5_000, 50_000, 500)
    assert infer_clock(noise).confidence == "low"
    assert (infer_clock(np.zeros(0, np.int64)).confidence, infer_clock(np.zeros(0, np.int64)).known) == (
        "assumed",
        False,
    )


def test_cycles_of_a_file_are_those_of_its_clock() -> None:
    file = file_of([2, 2, 3, 7, 2], clock_ps=2000)
    assert (file.trace.clock_ps, file.on_clock().clock_ps) == (1000, 2000)
    # 100, 102, 104, 107, 114, 116 ns; half a cycle rounds up.
    assert file.on_clock().cycle.tolist() == [50, 51, 52, 54, 57, 58]
    assert file_of([4, 8], clock_ps=4000).on_clock() is not None
    with pytest.raises(
        InputError, match="line 4: found 102000 ps, 2000 ps after the beat before, expected at most one beat"
    ):
        file_of([2, 2], clock_ps=8000).on_clock()


def test_the_share_that_is_off_is_counted_in_gaps() -> None:
    steps = np.array([4000, 4000, 6000, 4001, 8000], np.int64)
    assert given_clock(4000, steps).off_grid == 2
