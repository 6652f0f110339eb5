# SPDX-License-Identifier: Apache-2.0
import json
from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.backlog import backlog
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.measure import (
    LATENCY_BY,
    LatencyBy,
    UnmatchedError,
    UnmeasurableError,
    continuous_rate,
    frame_intervals,
    frame_rate,
    gap_histogram,
    latencies,
    latency,
    mean_rate,
    measure,
    measures_dict,
    raw_rate,
    steady_state,
)
from goldbeat.pymodels.trace import Trace


def stream(
    beats: int = 16,
    *,
    frame: int | None = None,
    pause: int = 0,
    dtype: str = "int32",
    width: int = 32,
    clock: int = 4000,
) -> Trace:
    """Back to back inside frames of so many samples, ``pause`` idle cycles between them."""
    columns = 2 if dtype.startswith("cint") else 1
    per_beat = {"int32": 32, "cint16": 32, "int16": 16}[dtype]
    samples = np.zeros((beats * width // per_beat, columns), np.int64)
    trace = Trace.from_samples(
        samples if columns == 2 else samples[:, 0], dtype, width, clock_ps=clock, frame=frame, offset_ps=1000
    )
    gaps = np.zeros(len(trace), np.int64)
    gaps[1:][trace.last[:-1]] = pause
    return trace.with_gaps(gaps)


def test_figures_of_the_public_file() -> None:
    # 1024 cint16 samples in 4 frames, a beat every 4 ns. N / (last - first) would give 500.489: more than the port carries.
    trace = stream(1024, frame=256, dtype="cint16")
    raw, frames = raw_rate(trace, "cint16"), frame_rate(trace, "cint16")
    assert (raw.mvalues_per_s, raw.msamples_per_s) == (500.0, 250.0)
    assert frames.mvalues_per_s == 500.0
    assert frames.msamples_per_s == 250.0
    assert frames.mb_per_s == 1000.0
    assert measure(trace, "cint16").share(frames) == 1.0


def test_pauses_between_frames_count_by_frames_and_not_inside() -> None:
    result = measure(stream(1024, frame=256, pause=79, clock=5000), "int32")
    assert result.by_frames is not None
    assert result.by_frames.span_ps == 3 * (256 + 79) * 5000
    assert result.by_frames.samples == 768
    assert result.continuous is not None
    assert result.continuous.msamples_per_s == 200.0
    assert result.share(result.continuous) == 1.0
    assert result.gaps == {0: 1020, 79: 3}
    assert (result.max_idle_cycles, result.max_gap_ps) == (79, 400_000)
    assert result.intervals is not None
    assert (result.intervals.min_ps, result.intervals.max_ps, result.intervals.count) == (1_675_000, 1_675_000, 3)


def test_sustained_is_the_lower_of_raw_and_by_frames() -> None:
    # Three frames at full rate with pauses; then a last frame, or a tail without TLAST, at a hundredth of it.
    for tail in (True, False):
        fast = stream(1024, frame=256, pause=79)
        assert measure(fast).sustained == measure(fast).by_frames
        gaps = fast.gaps
        gaps[769:] = 99
        last = fast.last.copy()
        last[-1] = tail
        slow = measure(replace(fast.with_gaps(gaps), last=last))
        assert slow.sustained == slow.raw
        assert slow.sustained is not None
        assert slow.sustained.mb_per_s < 50 < 700 < measure(fast).sustained.mb_per_s  # type: ignore[union-attr]
        assert mean_rate(replace(fast.with_gaps(gaps), last=last)).rate == slow.sustained


def test_a_frame_that_is_slow_at_either_end_is_the_longest() -> None:
    trace = stream(40, frame=10)
    assert measure(trace).longest_frame_ps == 40_000
    assert measure(stream(8, frame=8)).longest_frame_ps == 28_000
    for beat, cut in ((3, 40), (38, 39)):
        gaps = trace.gaps
        gaps[beat] += 100
        found = measure(trace.with_gaps(gaps)[:cut] if cut == 39 else trace.with_gaps(gaps))
        assert found.intervals is not None
        assert found.intervals.max_ps == 40_000
        assert found.longest_frame_ps > 400_000
        assert found.steady is not None
        assert found.steady.holds == (beat == 3)


@pytest.mark.parametrize("seed", range(40))
def test_the_rate_inside_frames_is_between_the_sustained_one_and_the_port(seed: int) -> None:
    rng = np.random.default_rng(seed)
    beats = int(rng.integers(2, 60))
    last = rng.random(beats) < rng.choice([0, 0.2, 0.5, 1])
    size = np.where(rng.random(beats) < 0.3, rng.integers(0, 5, beats), 4)
    gaps = np.where(rng.random(beats) < 0.3, rng.integers(0, 9, beats), 0)
    keep = np.arange(4) < size[:, None]
    trace = Trace.from_bytes(np.zeros((beats, 4)), keep=keep, last=last, clock_ps=4000).with_gaps(gaps)
    found = measure(trace)
    assert found.continuous is not None
    assert found.sustained is not None
    starts = np.flatnonzero(np.concatenate([[True], last[:-1]]))
    ends = np.append(starts[1:], beats) - 1
    cycles = int((trace.cycle[ends] - trace.cycle[starts] + 1).sum())
    assert (found.continuous.bytes, found.continuous.span_ps) == (int(size.sum()), cycles * 4000)
    assert found.sustained.mb_per_s <= found.continuous.mb_per_s <= found.limit_mb_per_s
    # On a finer grid, a beat still occupies a cycle of the port's clock.
    fine = Trace.from_bytes(trace.data, keep=keep, last=last, clock_ps=1000, cycle=trace.cycle * 4)
    assert measure(fine, clock_ps=4000).continuous == found.continuous
    assert mean_rate(trace).rate == found.sustained


def test_first_and_last_time_include_the_offset() -> None:
    result = measure(stream(4))
    assert (result.first_ps, result.last_ps) == (1000, 13000)


def test_an_open_frame_at_the_end_counts_as_the_last_frame() -> None:
    trace = stream(12, frame=4)
    last = trace.last.copy()
    last[-1] = False
    open_end = Trace.from_bytes(trace.data, clock_ps=4000, last=last)
    rate = frame_rate(open_end, "int32")
    assert (rate.samples, rate.span_ps) == (8, 8 * 4000)
    result = measure(open_end, "int32")
    assert (result.frames, result.open_beats) == (2, 4)


def test_short_beats_count_their_valid_samples() -> None:
    trace = Trace.from_samples(np.arange(10), "int16", 64, clock_ps=4000, frame=5)
    result = measure(trace, "int16")
    assert (result.beats, result.samples, result.bytes) == (4, 10, 20)
    assert result.by_frames is not None
    assert (result.by_frames.samples, result.by_frames.span_ps) == (5, 2 * 4000)
    # Inside the frames: five samples in the two cycles of each.
    assert result.continuous is not None
    assert (result.continuous.samples, result.continuous.span_ps) == (10, 4 * 4000)
    # By frames 5/8 of the port, raw 9/12: the last beat is not in it.
    assert result.sustained == result.by_frames


def test_without_a_type_there_are_only_bytes() -> None:
    result = measure(stream(8, frame=4))
    assert result.raw is not None
    assert result.raw.msamples_per_s is None
    assert result.raw.mvalues_per_s is None
    assert result.raw.mb_per_s == pytest.approx(28e6 / 28000)
    assert result.samples is None
    assert "not known" in result.reason("samples")


def test_beats_that_are_no_whole_samples_are_refused() -> None:
    trace = Trace.from_samples(np.arange(3), "int16", 32, clock_ps=4000, frame=3)
    with pytest.raises(InputError, match="2 valid bytes in beat 1"):
        measure(trace, "int32")
    with pytest.raises(UsageError, match="does not fit"):
        measure(trace, "cint32")


@pytest.mark.parametrize(
    ("trace", "missing"),
    [
        (
            Trace.empty(32, clock_ps=4000),
            {"raw", "by_frames", "continuous", "intervals", "longest_frame_ps", "steady", "first_ps", "last_ps"},
        ),
        (stream(1), {"raw", "by_frames", "continuous", "intervals", "longest_frame_ps", "steady"}),
        (stream(1, frame=1), {"raw", "by_frames", "continuous", "intervals", "steady"}),
        (stream(8), {"by_frames", "intervals", "longest_frame_ps", "steady"}),
        (stream(8, frame=8), {"by_frames", "intervals", "steady"}),
        (stream(8, frame=4), {"steady"}),
        (stream(8, frame=1), set()),
    ],
    ids=["no beats", "one beat", "one TLAST beat", "no TLAST", "one frame", "two frames", "frames of one beat"],
)
def test_what_cannot_be_measured_is_none_with_a_reason(trace: Trace, missing: set[str]) -> None:
    result = measure(trace, "int32")
    fields = ("raw", "by_frames", "continuous", "intervals", "longest_frame_ps", "steady", "first_ps", "last_ps")
    assert {f for f in fields if getattr(result, f) is None} == missing
    assert all(result.reason(f) for f in missing)
    assert not any(result.reason(f) for f in fields if f not in missing)
    as_json = json.loads(json.dumps(measures_dict(result), allow_nan=False))
    for name, why in as_json["reasons"].items():
        assert why
        assert as_json[name] is None


def test_the_single_functions_raise_instead() -> None:
    one = stream(1)
    for function in (raw_rate, frame_rate, continuous_rate, steady_state):
        with pytest.raises(UnmeasurableError):
            function(one, "int32")
    with pytest.raises(UnmeasurableError, match="no TLAST"):
        frame_intervals(one)
    with pytest.raises(UnmeasurableError, match="one TLAST"):
        frame_intervals(stream(4, frame=4))
    assert gap_histogram(one) == {}


def at_intervals(*intervals: int) -> Trace:
    """One-beat frames so many cycles apart."""
    cycle = np.cumsum([0, *intervals])
    return Trace.from_bytes(np.zeros((len(cycle), 4)), clock_ps=1000, last=np.ones(len(cycle)), cycle=cycle)


def test_steady_state_begins_where_all_later_intervals_agree() -> None:
    steady = steady_state(at_intervals(300, 180, 100, 105, 101, 104), "int32")
    assert steady.holds
    assert steady.since_frame == 2
    assert steady.rate is not None
    assert (steady.rate.samples, steady.rate.span_ps) == (4, 410_000)


@pytest.mark.parametrize(
    ("intervals", "holds"),
    [
        ((100, 105), True),
        ((100, 106), False),
        ((100, 100, 106), False),
        ((50, 100, 100), False),  # only two agree where three are asked for
        ((50, 100, 100, 100), True),
        ((100, 100, 100, 50), False),
    ],
)
def test_steady_state_needs_the_last_intervals_within_five_percent(intervals: tuple[int, ...], holds: bool) -> None:
    assert steady_state(at_intervals(*intervals)).holds is holds


def test_gaps_leave_out_the_time_before_the_first_beat() -> None:
    trace = stream(5).with_gaps([7, 0, 2, 0, 2])
    assert gap_histogram(trace) == {0: 2, 2: 2}


def test_latency_by_beat() -> None:
    source = stream(5)
    sink = source.with_cycles(source.cycle + np.array([3, 4, 8, 8, 8]))
    found = latency(source, sink)
    assert (found.count, found.first_ps, found.last_ps, found.min_ps, found.max_ps) == (5, 12000, 32000, 12000, 32000)
    assert found.mean_ps == 24800


def test_latency_by_frame_works_across_widths_and_clocks() -> None:
    source = Trace.from_samples(np.arange(16), "int32", 32, clock_ps=4000, frame=8)
    sink = Trace.from_samples(np.arange(16), "int32", 128, clock_ps=10_000, frame=8, offset_ps=50_000)
    with pytest.raises(UnmeasurableError, match=r"16 beats at the input and 4 at the output.*by frame"):
        latencies(source, sink)
    assert latencies(source, sink, by="frame").tolist() == [50_000, 70_000 - 32_000]
    assert latencies(source, sink, by="frame-end").tolist() == [60_000 - 28_000, 80_000 - 60_000]
    assert latencies(source, sink, by="frame-total").tolist() == [60_000, 80_000 - 32_000]


def _with_tail(tail: int, late: int = 0, frame: int = 4) -> Trace:
    """Two frames and beats behind the last TLAST, which come late."""
    count = 2 * frame + tail
    last = [n % frame == frame - 1 and n < 2 * frame for n in range(count)]
    cycle = np.arange(count) + late * (np.arange(count) >= 2 * frame)
    return Trace.from_bytes(np.zeros((count, 4), np.uint8), clock_ps=4000, last=last, cycle=cycle)


@pytest.mark.parametrize("by", ["frame", "frame-end", "frame-total"])
def test_beats_behind_the_last_tlast_are_a_frame(by: LatencyBy) -> None:
    source = _with_tail(3)
    for lost in (0, 2, 4):
        sink = _with_tail(lost)
        with pytest.raises(
            UnmatchedError, match=f"3 beats behind the last TLAST at the input and {lost} at the output"
        ):
            latencies(source, sink, by=by)
        if lost != 2:
            with pytest.raises(UnmatchedError, match="behind the last TLAST"):
                backlog(source, sink, unit="frames")
    with pytest.raises(UnmatchedError, match="0 beats behind the last TLAST at the input and 3"):
        latencies(_with_tail(0), source, by=by)
    took = latencies(source, _with_tail(3, late=100), by=by)
    assert (took[-1] - latencies(source, source, by=by)[-1], len(took)) == (400_000, 3)
    assert backlog(source, _with_tail(3, late=100), unit="frames").total == 2


def test_a_tail_that_a_golden_model_keeps_inside_has_no_latency() -> None:
    source, sink = _with_tail(3), _with_tail(0)
    assert latencies(source, sink, by="frame", kept_inside=True).tolist() == [0, 0]
    assert backlog(source, sink, unit="frames", kept_inside=True).total == 2
    with pytest.raises(UnmatchedError, match="behind the last TLAST"):
        latencies(sink, source, by="frame", kept_inside=True)


def test_latency_that_means_nothing_is_refused() -> None:
    source = stream(4)
    with pytest.raises(UsageError, match="before it enters"):
        latency(source.with_cycles(source.cycle + 1), source)
    with pytest.raises(UnmeasurableError, match="no TLAST at the input"):
        latency(source, source, by="frame")
    with pytest.raises(UnmeasurableError, match="2 frames at the input and 4"):
        latency(stream(4, frame=2), stream(4, frame=1), by="frame")
    with pytest.raises(UnmeasurableError, match="no beats"):
        latency(source[:0], source[:0])
    with pytest.raises(UsageError, match="known: beat, frame"):
        latency(source, source, by="sample")  # type: ignore[arg-type]
    assert len(LATENCY_BY) == 4
