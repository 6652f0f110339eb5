# SPDX-License-Identifier: Apache-2.0
"""The lanes of a timeline hold every beat that they say they hold."""

import numpy as np
import pytest
from kept_runs import beats, keep_run, transactions

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.page.beat_lanes import lane_sources, make_timeline
from goldbeat.tb.page.kept_run import load_kept


def unpacked(lane):
    """As the script of the page reads a lane."""
    cycles = np.cumsum(lane["c"])
    last = np.zeros(len(cycles), bool)
    last[np.cumsum(lane["l"])] = True
    digits = len(lane["d"]) // len(cycles)
    return cycles, last, [lane["d"][i * digits : (i + 1) * digits] for i in range(len(cycles))]


def test_a_lane_is_its_trace(tmp_path):
    keep = np.ones((40, 4), bool)
    keep[7, 2:] = False
    got = beats(40, gaps=np.arange(40) % 3)
    got = Trace.from_bytes(got.data, keep=keep, last=got.last, cycle=got.cycle, clock_ps=4000, offset_ps=4000)
    run = load_kept(keep_run(tmp_path, {"s": ("in", got, got)}))
    timeline = make_timeline(lane_sources(run), 1000, None)
    (lane,) = timeline.lanes
    cycles, last, data = unpacked(lane)
    assert cycles.tolist() == got.cycle.tolist()
    assert last.tolist() == got.last.tolist()
    assert data[0] == got.data[0, ::-1].tobytes().hex()
    assert data[7] == "----" + got.data[7, 1::-1].tobytes().hex()
    assert (timeline.total, timeline.shown, timeline.is_thinned) == (40, 40, False)
    assert timeline.span == (4.0, 4.0 + 4 * (int(got.cycle[-1]) + 1))


def test_what_differs_is_marked_and_nothing_else(tmp_path):
    expected = beats(50)
    data, cycle = expected.data.copy(), expected.cycle.copy()
    data[[3, 4, 20]] ^= 1
    cycle[30:] += 1
    got = Trace.from_bytes(data, last=expected.last, cycle=cycle, clock_ps=4000, offset_ps=4000)
    run = load_kept(keep_run(tmp_path, {"s": ("in", expected, expected), "m": ("out", got, expected)}, status="fail"))
    lanes = {lane["n"]: lane for lane in make_timeline(lane_sources(run), 1000, None).lanes}
    assert list(lanes) == ["s", "m expected", "m got"]
    assert lanes["m got"]["bad"] == lanes["m expected"]["bad"] == [3, 5, 20, 21, 30, 50]
    assert "bad" not in lanes["s"]
    untimed = load_kept(keep_run(tmp_path / "u", {"m": ("out", got, expected)}, status="fail", time_compared=False))
    (lane,) = make_timeline(lane_sources(untimed), 1000, None).lanes
    assert (lane["n"], lane["bad"]) == ("m", [3, 5, 20, 21])


def test_a_beat_that_never_came_is_marked_where_it_was_expected(tmp_path):
    expected = beats(20)
    run = load_kept(keep_run(tmp_path, {"m": ("out", expected[:15], expected)}))
    lanes = {lane["n"]: lane for lane in make_timeline(lane_sources(run), 1000, None).lanes}
    assert lanes["m expected"]["bad"] == [15, 20]
    assert lanes["m got"]["bad"] == []


@pytest.mark.parametrize("around", [None, 0, 2_000_000, 10**12])
def test_of_many_beats_those_around_a_time_are_whole(tmp_path, around):
    got = beats(5000, gaps=np.arange(5000) % 4)
    few = beats(10, gaps=1000)
    run = load_kept(
        keep_run(tmp_path, {"s": ("in", got, None), "m": ("out", few, None)}, buses={"x": transactions(900)})
    )
    timeline = make_timeline(lane_sources(run), 600, around)
    assert timeline.is_thinned
    assert timeline.total == 5910
    assert 0 < timeline.shown <= 600
    low, high = (int(t * 1000) for t in timeline.window)
    for lane in timeline.lanes:
        assert sum(lane["density"]) == lane["total"]
    lane = next(lane for lane in timeline.lanes if lane["n"] == "s")
    inside = np.flatnonzero((got.time_ps >= low) & (got.time_ps < high))
    assert np.cumsum(lane["c"]).tolist() == got.cycle[inside].tolist()
    assert lane["start"] == (inside[0] if len(inside) else 0)


def test_times_alone_make_a_lane_without_data(tmp_path):
    run = load_kept(keep_run(tmp_path, {"s": ("in", beats(9), None)}, data=False))
    (lane,) = make_timeline(lane_sources(run), 100, None).lanes
    assert len(lane["c"]) == 9
    assert "d" not in lane


def test_what_ran_before_the_streams_is_drawn_before_them(tmp_path):
    ahead = {"lead_ps": 400_000, "transactions": {"x": 2}}
    folder = keep_run(tmp_path, {"s": ("in", beats(9), None)}, buses={"x": transactions(4)}, ahead_of_streams=ahead)
    _, reads, writes = make_timeline(lane_sources(load_kept(folder)), 100, None).lanes
    # Every second one is a read; two come before the streams, 100 cycles of 4 ns.
    assert np.cumsum(reads["c"]).tolist() == [-100, 20]
    assert np.cumsum(writes["c"]).tolist() == [-90, 30]
    # Without streams, cycles stay as they are.
    alone = load_kept(keep_run(tmp_path / "alone", {}, buses={"x": transactions(4)}, ahead_of_streams=ahead))
    assert np.cumsum(make_timeline(lane_sources(alone), 100, None).lanes[0]["c"]).tolist() == [0, 20]


def test_a_bus_has_a_lane_for_reads_and_one_for_writes(tmp_path):
    run = load_kept(keep_run(tmp_path, {}, buses={"x": transactions(6)}))
    reads, writes = make_timeline(lane_sources(run), 100, None).lanes
    assert (reads["n"], writes["n"]) == ("x reads", "x writes")
    assert np.cumsum(reads["c"]).tolist() == [0, 20, 40]
    assert (reads["f"], reads["e"], reads["b"]) == ([4] * 3, [20] * 3, [64] * 3)
