# SPDX-License-Identifier: Apache-2.0
"""The beat timeline of a notebook: every box is under the column of its time."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from kept_runs import beats

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.beat_strip import BEATS, COLUMNS, StripLane, draw_strip
from goldbeat.tb.run.first_mismatch import FirstMismatch
from goldbeat.tb.run.timing_diagram import CELL, DIFFERS, LANE, TOP

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg):
    """Columns as (left end, time in ns; None where cycles are left out), boxes as (left end, lane, beat, cycle, colour)."""
    root = ElementTree.fromstring(svg)
    group = root.find(f"{SVG}g")
    heads = []
    for text in group.iter(f"{SVG}text"):
        if float(text.get("y")) == TOP - 5:
            heads.append((float(text.get("x")) - CELL / 2, None if text.text[0] == "+" else float(text.text)))
    boxes = []
    for one in group.iter(f"{SVG}g"):
        found = re.match(r"beat (\d+), cycle (-?\d+): ", one.findtext(f"{SVG}title", ""))
        box, label = one.find(f"{SVG}rect"), one.find(f"{SVG}text")
        if found is not None:
            left = float(box.get("x")) - 1
            assert float(box.get("width")) == CELL - 2
            assert float(label.get("x")) == left + CELL / 2
            lane = (float(box.get("y")) - TOP) // LANE
            boxes.append((left, int(lane), int(found[1]), int(found[2]), box.get("stroke")))
    return heads, boxes


def check_columns(svg, lanes):
    """Each box is under the time of its beat, and each column is one cell behind the other."""
    heads, boxes = drawn(svg)
    lefts = [left for left, _ in heads]
    assert lefts == [lefts[0] + CELL * n for n in range(len(heads))]
    times = [time for _, time in heads if time is not None]
    assert times == sorted(set(times))
    for left, lane, beat, cycle, _ in boxes:
        assert int(lanes[lane].beats.cycle[beat]) == cycle
        assert dict(heads)[left] * 1000 == int(lanes[lane].beats[beat : beat + 1].time_ps[0])
    return heads, boxes


@pytest.mark.parametrize("gaps", [0, 1, np.arange(50) % 3, np.arange(50) % 11, 100])
def test_boxes_are_under_the_columns_of_their_times(gaps):
    lanes = [StripLane("s", beats(50, gaps=gaps)), StripLane("m RTL", beats(50, gaps=gaps, first=3))]
    heads, boxes = check_columns(draw_strip(lanes, None), lanes)
    assert 0 < len(heads) <= COLUMNS
    first = [beat for _, lane, beat, _, _ in boxes if lane == 0]
    assert first == list(range(len(first)))
    assert 0 < len(first) <= BEATS


def test_two_clocks_share_one_axis():
    fast, slow = beats(30), beats(30, gaps=1)
    slow = Trace.from_bytes(slow.data, last=slow.last, cycle=slow.cycle, clock_ps=6000, offset_ps=3000)
    lanes = [StripLane("fast", fast), StripLane("slow", slow)]
    _, boxes = check_columns(draw_strip(lanes, None), lanes)
    assert {lane for _, lane, *_ in boxes} == {0, 1}


def test_around_a_difference_the_column_is_marked_and_the_box_is_red():
    want = beats(200)
    cycle = want.cycle.copy()
    cycle[100:] += 2
    got = Trace.from_bytes(want.data, last=want.last, cycle=cycle, clock_ps=4000, offset_ps=4000)
    lanes = [StripLane("m model", want, got), StripLane("m RTL", got, want)]
    svg = draw_strip(lanes, FirstMismatch(0, 0, "m", "cycle", 100, 102, "clk", 96, True, ()))
    heads, boxes = check_columns(svg, lanes)
    assert {beat >= 100 for *_, beat, _, colour in boxes if colour == DIFFERS[0]} == {True}
    assert {beat < 100 for *_, beat, _, colour in boxes if colour != DIFFERS[0]} == {True}
    mark = next(
        r for r in ElementTree.fromstring(svg).iter(f"{SVG}rect") if r.get("fill") == DIFFERS[1] and r.get("opacity")
    )
    (left,) = {left for left, lane, beat, *_ in boxes if (lane, beat) == (1, 100)}
    assert float(mark.get("x")) == left
    assert dict(heads)[left] == 4.0 * 103
