# SPDX-License-Identifier: Apache-2.0
"""Slow spots of at least 64 cycles at half rate: each is found and named, and streams without one keep their limits."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from slow_spots import spotted_stream

from goldbeat.pymodels.plio_file import read
from goldbeat.pymodels.usual_clocks import period_of
from goldbeat.tb.cli.trace_files import check_clock, too_slow
from goldbeat.tb.run.signoff import LimitCheck, MeasuredPort, check_subject, file_subject, load_limits


def checked(folder: Path, seed: int, *, slow: bool) -> LimitCheck:
    stream = spotted_stream(seed, slow=slow)
    file = folder / "limits.toml"
    file.write_text(f'[port.p]\nleast_rate = {stream.rate}\nwindow = "64 cycles"\n')
    (found,) = check_subject(file_subject("p", {"p": MeasuredPort(stream.trace, "int32")}), load_limits(file))
    if stream.spot is not None:
        assert found.cycle is not None
        first, last = stream.spot
        assert first - 64 < found.cycle <= last, (seed, stream.spot, found.cycle)
    return found


def test_each_slow_spot_is_found_and_named(tmp_path: Path) -> None:
    assert [seed for seed in range(200) if checked(tmp_path, seed, slow=True).verdict != "fail"] == []


def test_streams_without_one_keep_their_limit(tmp_path: Path) -> None:
    assert [seed for seed in range(200) if not checked(tmp_path, seed, slow=False).passed] == []


@pytest.mark.parametrize(("late", "said"), [(0, None), (1999, None), (2000, 4), (3000, 4)])
def test_a_stamp_is_late_by_less_than_half_a_cycle(tmp_path: Path, late: int, said: int | None) -> None:
    path = tmp_path / "p.txt"
    path.write_text(f"T 4000 ps\n1\nT {8000 + late} ps\n2\nT 12000 ps\n3\nT 16000 ps\n4\n")
    error = too_slow(read(path, "int32", 32, clock_ps=4000), path)
    assert (error and error.line) == (said and said + 2)


@pytest.mark.parametrize("rounded", [np.round, np.floor, np.ceil], ids=lambda one: one.__name__)
@pytest.mark.parametrize("unit", ["ns", "ps"])
@pytest.mark.parametrize("mhz", [300, 322.265625, 307.2, 491.52, 161.1328125, 333.33, 166.667, 250, 312.5])
def test_a_full_stream_keeps_the_rate_of_any_clock_and_one_late_beat_breaks_it(
    tmp_path: Path, mhz: float, unit: str, rounded: np.ufunc
) -> None:
    period = period_of(mhz)
    rate = float(10**6 / period)
    limits, path = tmp_path / "limits.toml", tmp_path / "p.txt"
    windows = "".join(f'"{text}" = {rate}\n' for text in ("64 cycles", "640 cycles", "64 beats", "2 frames"))
    shares = windows.replace(f"= {rate}", "= 1")
    limits.write_text(
        f"[port.p]\nmin_msamples_per_s = {rate}\nmax_idle_cycles = 0\n[port.p.least_rate]\n{windows}"
        f"[port.p.least_share]\n{shares}[port.p.most_rate]\n{windows}"
    )
    for late in (False, True):
        cycle = np.arange(640) + late * (np.arange(640) >= 300)
        step = float(period) / (1000 if unit == "ns" else 1)
        time = rounded(cycle * step + 7.3).astype(np.int64)
        lines = [f"T {t} {unit}\n" + ("TLAST\n1\n" if n % 32 == 31 else "1\n") for n, t in enumerate(time)]
        path.write_text("".join(lines))
        file = read(path, "int32", 32, clock_ps=period)
        check_clock(file, path)
        subject = file_subject("p", {"p": MeasuredPort(file.measured(), "int32", file.clock.exact_ps)})
        found = check_subject(subject, load_limits(limits))
        broken = {f"{c.name} {c.measured} {c.limit}" for c in found if not c.passed}
        assert bool(broken) == late, broken
        if late:
            (slow,) = (c for c in found if c.name == "least_rate in 64 cycles")
            assert slow.cycle is not None
            assert 300 - 64 < slow.cycle <= 300
            assert not slow.passed


@pytest.mark.parametrize("mhz", [300, 322.265625, 122.88, 491.52, 250])
@pytest.mark.parametrize("form", ["ps", "ns", "csv"])
def test_the_fastest_window_of_any_clock_is_the_fullest(tmp_path: Path, mhz: float, form: str) -> None:
    period, path, limits = period_of(mhz), tmp_path / f"p.{'csv' if form == 'csv' else 'txt'}", tmp_path / "limits.toml"
    # Bursts of 40 beats with pauses of 23 cycles between them.
    cycle = np.arange(400) + 23 * (np.arange(400) // 40)
    if form == "csv":
        path.write_text("CMD,D\n" + "".join("STALL:23,0\n" * (n % 40 == 0 and n > 0) + "DATA,1\n" for n in range(400)))
    else:
        time = np.round(cycle * float(period) / (1000 if form == "ns" else 1)).astype(np.int64)
        path.write_text("".join(f"T {t} {form}\n1\n" for t in time))
    file = read(path, "int32", 32, clock_ps=period)
    subject = file_subject("p", {"p": MeasuredPort(file.measured(), "int32", file.clock.exact_ps)})
    rate = float(10**6 / period)
    for cycles in (5, 16, 23, 40, 41, 63, 100):
        held = cycle[:, None] + cycles > cycle[None, :]
        most = int((held & (cycle[:, None] <= cycle[None, :])).sum(axis=1).max())
        for limit, passed in ((rate * most / cycles * (1 + 1e-9), True), (rate * most / cycles * (1 - 1e-9), False)):
            limits.write_text(f'[port.p]\nmost_rate = {limit!r}\nwindow = "{cycles} cycles"\n')
            (found,) = check_subject(subject, load_limits(limits))
            assert (found.passed, found.measured) == (passed, pytest.approx(rate * most / cycles, rel=1e-12))
    limits.write_text(f"[port.p]\nmax_gap_ns = {float(24 * period) / 1000 + 1e-7}\n")
    (found,) = check_subject(subject, load_limits(limits))
    assert found.passed, found


def test_a_late_stamp_does_not_make_a_clock_too_slow(tmp_path: Path) -> None:
    path = tmp_path / "p.txt"
    for late, slow in ((500, False), (1900, False), (2500, True)):
        time = 4000 * np.arange(64)
        time[20] += late
        path.write_text("".join(f"T {t} ps\n1\n" for t in time))
        file = read(path, "int32", 32, clock_ps=4000)
        assert (too_slow(file, path) is not None) == slow
    path.write_text("".join(f"T {4 * n} ns\n1\n" for n in range(400)))
    # A distance of 4 ns may be 4.016 ns in whole ones; 150 of them are not.
    for mhz, line in ((249, 302), (200, 4), (100, 4)):
        error = too_slow(read(path, "int32", 32, clock_ps=period_of(mhz)), path)
        assert error is not None
        assert error.line == line


def test_a_frequency_is_kept_as_it_is_written() -> None:
    assert period_of(322.265625) == Fraction(102400, 33)
    assert [period_of(f) for f in (333.33, 166.667, 300)] == [3000, 6000, Fraction(10000, 3)]
