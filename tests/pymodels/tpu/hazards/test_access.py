# SPDX-License-Identifier: Apache-2.0
"""Sets of bytes against plain enumeration."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_hazards import operand_bytes

from goldbeat.pymodels.order.byte_walk import ByteWalk, first_common_byte, packed_walk
from goldbeat.pymodels.tpu.hazards.access import Accesses, boxes, join_accesses
from goldbeat.pymodels.tpu.hazards.coverage import unwritten_bytes
from goldbeat.pymodels.tpu.hazards.latest import NOTHING, greatest_overlap

LANE = 256
"""Bytes of a lane, enough for all tensors below."""


@st.composite
def operand(draw, lanes):
    """One operand with small strides: overlapping elements, gaps and rows in all mixtures."""
    number = st.integers
    shape = [draw(number(1, most)) for most in (2, 9, 3, 4)]
    strides = [draw(number(0, most)) for most in (24, 24, 12, 7)]
    lane, offset, size = draw(number(0, lanes - 1)), draw(number(0, 40)), draw(st.sampled_from([1, 2, 4]))
    fixed = [0, 0, 0, draw(number(0, 1)), 0, lanes, lane, offset]
    return Accesses(*(np.array([value], np.int64) for value in (*fixed, *shape, *strides, size, 0)))


def spelt(one: ByteWalk) -> set[int]:
    found = {one.first}
    for count, stride in one.steps:
        found = {at + index * stride for at in found for index in range(count)}
    return {at + byte for at in found for byte in range(one.run)}


@given(st.sampled_from([1, 2, 4]).flatmap(operand))
@settings(max_examples=300, deadline=None)
def test_boxes_are_all_bytes_of_a_tensor_over_lanes(table):
    found = set().union(*(spelt(one) for one in boxes(table, 0, LANE)))
    assert found == {lane * LANE + byte for lane, byte in operand_bytes(table, 0)}
    plain = operand_bytes(table, 0)
    assert int(table.end[0]) == max(byte for _, byte in plain) + 1
    assert (int(table.first_lane[0]), int(table.last_lane[0])) == (min(plain)[0], max(plain)[0])


@given(
    st.sampled_from([1, 2, 4]).flatmap(
        lambda lanes: st.lists(st.tuples(operand(lanes), st.integers(0, 4)), max_size=8)
    ),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
@settings(max_examples=300, deadline=None)
def test_bytes_that_nothing_has_written_are_those_of_a_walk(operands, given_span):
    """The first read of each walk: what neither what is given nor a write that started before has covered."""
    table = join_accesses(one for one, _ in operands)
    near = bool(len(table)) and table.lanes[0] > 1
    table = replace(table, memory=table.memory * 0 + near)
    time = np.array([at for _, at in operands], np.int64)
    expected: dict[frozenset[tuple[int, int]], set[tuple[int, int]]] = {}
    for place in sorted(np.flatnonzero(table.write == 0).tolist(), key=lambda place: time[place]):
        done = set() if near else {(0, byte) for byte in range(*given_span)}
        done = done.union(*(operand_bytes(table, w) for w in np.flatnonzero((table.write > 0) & (time < time[place]))))
        if missing := operand_bytes(table, place) - done:
            expected.setdefault(frozenset(operand_bytes(table, place)), missing)
    found = unwritten_bytes(table, time, 1 << 10, [given_span])
    spelt_out = [{(lane, byte) for lane, a, b in one.spans for byte in range(a, b)} for one in found]
    walks = [frozenset(operand_bytes(table, one.place)) for one in found]
    assert [one.count for one in found] == list(map(len, spelt_out))
    assert {walk: expected[walk] for walk in walks} == expected
    assert all(missing <= expected[walk] for walk, missing in zip(walks, spelt_out, strict=True))
    assert near or unwritten_bytes(table, time, 1 << 10) == []


def test_a_command_reads_before_it_writes():
    """The same bytes, read and written at one time: nothing has written them before."""
    columns = [0, 0, 0, 0, 1, 2, 0, 0, 1, 1, 1, 4, 0, 0, 0, 2, 2, 0]
    read, write = (
        Accesses(*(np.array([value], np.int64) for value in (*columns[:3], way, *columns[4:]))) for way in (0, 1)
    )
    for both in ((read, write), (write, read)):
        (found,) = unwritten_bytes(join_accesses(both), np.array([3, 3]), 1 << 10)
        assert (found.spans, str(found)) == (((0, 0, 8),), "lane 0 0x0 to 0x7")
    assert unwritten_bytes(join_accesses((write, read)), np.array([2, 3]), 1 << 10) == []


@given(st.sampled_from([1, 2, 4]).flatmap(lambda lanes: st.tuples(operand(lanes), operand(lanes))))
@settings(max_examples=500, deadline=None)
def test_two_tensors_meet_where_their_bytes_do(pair):
    table = join_accesses(pair)
    both = operand_bytes(table, 0) & operand_bytes(table, 1)
    found = [first_common_byte(a, b) for a in boxes(table, 0, LANE) for b in boxes(table, 1, LANE)]
    hits = [at for at in found if at is not None]
    assert bool(hits) == bool(both)
    assert all(divmod(at, LANE) in both for at in hits)


def test_interleaved_rows_do_not_meet():
    even, odd = packed_walk(0, 0, 32, [(1000, 64)]), packed_walk(0, 32, 32, [(1000, 64)])
    assert first_common_byte(even, odd) is None
    assert first_common_byte(even, packed_walk(0, 31, 32, [(1000, 64)])) == 31


def test_runs_that_touch_are_one():
    assert packed_walk(0, 8, 4, [(4, 16), (4, 4), (1, 99), (5, 0)]) == ByteWalk(0, 8, 64)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_greatest_overlap_is_what_a_loop_finds(data):
    spans = st.tuples(st.integers(0, 40), st.integers(1, 12), st.integers(-50, 50))
    items, asked = data.draw(st.lists(spans, max_size=20)), data.draw(st.lists(spans, max_size=20))
    start, length, value = (np.array([one[k] for one in items], np.int64) for k in range(3))
    low, many = (np.array([one[k] for one in asked], np.int64) for k in range(2))
    found = greatest_overlap(start, start + length, value, low, low + many)
    for a, n, best in zip(low, many, found, strict=True):
        mine = [v for s, m, v in items if s < a + n and a < s + m]
        assert best == max(mine, default=NOTHING)
