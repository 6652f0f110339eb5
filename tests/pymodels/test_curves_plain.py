# SPDX-License-Identifier: Apache-2.0
"""Everything that is said of windows against a second, plain implementation of the definitions, to the last digit."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import naive_windows as naive
import numpy as np
import pytest

from goldbeat.pymodels.curves import service, service_curve
from goldbeat.pymodels.curves.port import port_windows
from goldbeat.pymodels.curves.shares import port_shares
from goldbeat.pymodels.curves.spans import WindowSpan, extreme_window
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import PERCENTILES, latency_figures, percentiles
from goldbeat.pymodels.pattern import Stalled
from goldbeat.pymodels.stored_trace import Shelf, StoredTrace
from goldbeat.pymodels.trace import Trace

CLOCK = 4000


def stream(rng: np.random.Generator, beats: int, gap: int, *, tails: bool) -> Trace:
    """Frames of eight beats, some of them with a short last beat, and idle cycles at random."""
    cycle = np.cumsum(rng.integers(1, gap + 1, beats)) + int(rng.integers(0, 9))
    last = np.arange(beats) % 8 == 7
    keep = np.ones((beats, 8), np.bool_)
    if tails:
        keep[last, 4:] = False
    return Trace.from_bytes(np.zeros((beats, 8)), keep=keep, last=last, cycle=cycle, clock_ps=CLOCK)


def beats_of(trace: Trace) -> list[naive.Beat]:
    return list(zip(trace.cycle.tolist(), trace.valid_bytes().tolist(), strict=True))


@pytest.mark.parametrize("tails", [False, True])
@pytest.mark.parametrize("block", [1, 7, 1 << 15])
@pytest.mark.parametrize("gap", [1, 3, 40])
def test_windows(monkeypatch: pytest.MonkeyPatch, gap: int, block: int, tails: bool) -> None:
    monkeypatch.setattr(service, "_BLOCK", block)
    rng = np.random.default_rng(gap)
    trace = stream(rng, 90, gap, tails=tails)
    beats = beats_of(trace)
    span = beats[-1][0] - beats[0][0] + 1
    lengths = sorted({1, 2, 3, 5, 16, 17, span // 3, span - 1, span})
    curve = service_curve(trace, lengths)
    rows = port_windows(trace, "int32", cycles=lengths)
    for n, least, most, row in zip(lengths, curve.least, curve.most, rows, strict=True):
        held, start = naive.slowest(beats, n)
        assert (least, most) == (held, naive.fastest(beats, n))
        assert (row.cycles, row.least.bytes, row.most.bytes, row.cycle) == (n, held, most, start)
        assert row.least.mb_per_s == held * 1e6 / (n * CLOCK)
        assert row.beat == sum(cycle < start for cycle, _ in beats) - 1
        for text in (f"{n} cycles", f"{4 * n} ns", f"{4000 * n} ps"):
            found = extreme_window(trace, WindowSpan.parse(text))
            assert found is not None
            assert (found.payload, found.length) == (held, 4000 * n)
            assert extreme_window(trace, WindowSpan.parse(text), most=True).payload == most
    assert extreme_window(trace, WindowSpan.parse(f"{span + 1} cycles")) is None


@pytest.mark.parametrize("clock_ps", [None, 8000])
def test_windows_of_a_trace_in_files(tmp_path: Path, clock_ps: int | None) -> None:
    for seed, (gap, part) in enumerate([(1, 10), (3, 7), (9, 64), (40, 1)]):
        trace = stream(np.random.default_rng(seed), 400, gap, tails=seed % 2 == 1)
        # On the finer clock, a beat takes two cycles.
        trace = trace if clock_ps is None else trace.with_cycles(2 * trace.cycle)
        stored = Shelf(tmp_path / f"{clock_ps}{seed}", part).long(trace)
        assert isinstance(stored, StoredTrace)
        for cycles in ((), (3, 16, 50, 200)):
            expected = port_windows(trace, "int32", clock_ps=clock_ps, cycles=cycles)
            assert port_windows(stored, "int32", clock_ps=clock_ps, cycles=cycles) == expected


@pytest.mark.parametrize(("kind", "counts"), [("beats", (1, 7, 64, 90)), ("frames", (1, 2, 5, 12))])
def test_windows_of_beats_and_frames(kind: str, counts: tuple[int, ...]) -> None:
    for seed in range(12):
        trace = stream(np.random.default_rng(seed), 90, 5, tails=True)
        beats = beats_of(trace)
        starts = range(91) if kind == "beats" else [*range(0, 90, 8), 90]
        for count in counts:
            found = extreme_window(trace, WindowSpan.parse(f"{count} {kind}"))
            assert found is not None
            assert Fraction(found.payload * CLOCK, found.length) == naive.slowest_of(beats, starts, count)
        assert extreme_window(trace, WindowSpan.parse(f"{len(starts)} {kind}")) is None


def test_shares() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        cycles: list[tuple[bool, bool]] = []
        waits: list[tuple[int, int]] = []
        waited = 0
        for n in range(80):
            # A beat that is offered stays until it is taken.
            valid = bool(waited) or bool(rng.random() < 0.6)
            ready = bool(rng.random() < 0.6)
            cycles.append((valid, ready))
            if valid and ready and waited:
                waits.append((n, waited))
            waited = waited + 1 if valid and not ready else 0
        beats = [n for n, (valid, ready) in enumerate(cycles) if valid and ready]
        trace = Trace.from_bytes(np.zeros((len(beats), 4)), cycle=beats, clock_ps=CLOCK)
        found = port_shares(trace, Stalled(sum(length for _, length in waits), *waits[0]))
        assert found is not None
        assert found.as_dict() == naive.shares(cycles)
    assert port_shares(trace, None) is None
    assert port_shares(trace[:1], Stalled(0, 0, 0)) is None


def test_percentiles() -> None:
    rng = np.random.default_rng(4)
    for size in (1, 2, 3, 10, 99, 100, 101, 999, 1000, 1001):
        values = rng.integers(0, 50, size)
        for name, thousandths in PERCENTILES.items():
            assert percentiles(values)[name] == naive.percentile(values.tolist(), thousandths)
            assert latency_figures(values)[f"max_{name}_ns"] == percentiles(values)[name]


@pytest.mark.parametrize("text", ["1", "us", "0 ns", "1.5 cycles", "0.0001 ps", "-3 beats", "4 packets", "1 1 us"])
def test_lengths_that_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected"):
        WindowSpan.parse(text)


def test_lengths() -> None:
    assert [(s.count, s.kind) for s in map(WindowSpan.parse, ("1 us", "2.5ns", "1 cycle", "7 beats", " 1 s "))] == [
        (10**6, "ps"),
        (2500, "ps"),
        (1, "cycle"),
        (7, "beat"),
        (10**12, "ps"),
    ]
