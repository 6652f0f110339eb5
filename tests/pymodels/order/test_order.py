# SPDX-License-Identifier: Apache-2.0
"""Order of accesses against a plain search through all pairs, all paths and all bytes."""

import itertools

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.order.byte_walk import ByteWalk, byte_ranges, common_bytes
from goldbeat.pymodels.order.conflicts import OrderedAccess, find_conflicts
from goldbeat.pymodels.order.order_picture import order_picture
from goldbeat.pymodels.order.partial_order import PartialOrder


def _bytes(walk):
    sums = itertools.product(*(range(0, count * stride, stride) if stride else [0] for count, stride in walk.steps))
    empty = walk.run < 1 or any(count < 1 for count, _ in walk.steps)
    return set() if empty else {walk.first + sum(s) + b for s in sums for b in range(walk.run)}


def _listed(ranges):
    return [b for low, high in ranges.tolist() for b in range(low, high)]


def _random_walk(rng, memories=1):
    steps = tuple((int(rng.integers(0 if rng.random() < 0.05 else 1, 5)), int(rng.integers(-9, 10))) for _ in range(3))
    return ByteWalk(int(rng.integers(memories)), int(rng.integers(30)), int(rng.integers(1, 4)), steps)


def test_walks_are_their_bytes():
    rng = np.random.default_rng(1)
    touching = 0
    for _ in range(400):
        one, other = _random_walk(rng), _random_walk(rng)
        assert _listed(byte_ranges(one)) == sorted(_bytes(one))
        gaps = byte_ranges(one)
        assert (gaps[1:, 0] > gaps[:-1, 1]).all()
        assert _listed(common_bytes(one, other)) == sorted(_bytes(one) & _bytes(other))
        touching += bool(_bytes(one) & _bytes(other))
    assert 100 < touching < 390


def test_walks_that_interleave_do_not_touch():
    even, odd = (ByteWalk("m", first, 4, ((100, 8),)) for first in (0, 4))
    assert not len(common_bytes(even, odd))
    assert common_bytes(even, ByteWalk("m", 3, 2)).tolist() == [[3, 4]]
    assert not len(common_bytes(even, ByteWalk("n", 3, 2)))


def _drawn(rng):
    """Events of a few actors with random edges, accesses, and what happens before what by all paths."""
    order, actors = PartialOrder(), rng.integers(4, size=int(rng.integers(2, 14)))
    events = [order.event(int(actor)) for actor in actors]
    reach = np.eye(len(events), dtype=bool)
    for a, b in itertools.combinations(events, 2):
        if actors[a] == actors[b]:
            reach[a, b] = True
        elif rng.random() < 0.15:
            order.edge(a, b)
            reach[a, b] = True
    for k in events:
        reach |= reach[:, [k]] & reach[[k], :]
    accesses, walks = [], [_random_walk(rng, 2) for _ in range(int(rng.integers(1, 12)))]
    for number, begin in enumerate(events):
        end = next((e for e in events if actors[e] == actors[begin] and e > begin), begin)
        walk = walks[int(rng.integers(len(walks)))]
        accesses.append(OrderedAccess(number, walk, bool(rng.integers(2)), begin, end))
    return order, reach, accesses


def _racing(reach, one, other):
    if one.walk.memory != other.walk.memory or not (one.write or other.write):
        return set()
    ordered = reach[one.done, other.begin] or reach[other.done, one.begin]
    return set() if ordered else _bytes(one.walk) & _bytes(other.walk)


def test_order_and_conflicts_against_all_pairs():
    rng = np.random.default_rng(2)
    with_some = 0
    for _ in range(500):
        order, reach, accesses = _drawn(rng)
        events = range(len(order))
        assert all(order.before(a, b) == reach[a, b] for a in events for b in events)
        wanted = {(a.who, b.who): _racing(reach, a, b) for a, b in itertools.combinations(accesses, 2)}
        found = find_conflicts(order, accesses)
        for one in found:
            pair = tuple(sorted((one.first.who, one.second.who)))
            assert set(_listed(one.ranges)) == wanted[pair]
            assert one.count == len(wanted[pair])
        # Each conflict is real, and each access is reported with each walk that it conflicts with earlier.
        place = order.positions()
        earlier = sorted(accesses, key=lambda one: place[one.begin])
        racing = {(b.who, a.walk) for a, b in itertools.combinations(earlier, 2) if _racing(reach, a, b)}
        assert {(one.second.who, one.first.walk) for one in found} == racing
        with_some += bool(found)
    assert 100 < with_some < 490


def test_one_fault_is_reported_once_per_turn_of_one_side():
    order = PartialOrder()
    walk = ByteWalk("m", 0, 4)
    accesses = []
    for turn in range(50):
        for actor, write in (("writer", True), ("reader", False)):
            begin = order.event(actor)
            accesses.append(OrderedAccess((actor, turn), walk, write, begin, order.event(actor)))
    assert 0 < len(find_conflicts(order, accesses)) <= 100


def test_accesses_of_one_operation_do_not_conflict():
    order = PartialOrder()
    begin, end = order.event("engine"), order.event("engine")
    walk = ByteWalk("m", 0, 4)
    assert find_conflicts(order, [OrderedAccess("in place", walk, w, begin, end) for w in (False, True)]) == []


def test_candidates_leave_a_pair_undecided():
    def made(*, sure):
        order = PartialOrder()
        released = order.event("core")
        return order, released, order.event("channel", *((released,) if sure else ()))

    order, released, filled = made(sure=False)
    accesses = [OrderedAccess("core", ByteWalk("m", 0, 4), False, released)]
    accesses.append(OrderedAccess("channel", ByteWalk("m", 2, 4), True, filled))
    (one,) = find_conflicts(order, accesses)
    assert not one.undecided
    assert one.ranges.tolist() == [[2, 4]]
    (one,) = find_conflicts(order, accesses, made(sure=True)[0])
    assert one.undecided
    assert find_conflicts(made(sure=True)[0], accesses) == []


def test_events_that_wait_for_each_other_are_named():
    order = PartialOrder()
    a, b, c = order.event("a"), order.event("b"), order.event("b")
    order.edge(c, a)
    assert order.cycle() == ()
    assert order.before(b, a)
    order.edge(a, b)
    cycle = order.cycle()
    assert sorted(cycle) == [a, b, c]
    assert all(pair in {(a, b), (b, c), (c, a)} for pair in itertools.pairwise((*cycle, cycle[0])))
    with pytest.raises(UsageError, match="wait for each other"):
        order.before(a, b)


def test_comparisons_grow_with_accesses_not_with_pairs():
    """Two actors hand a buffer to and fro: four times the turns, four times the comparisons."""

    class Counted(PartialOrder):
        asked = 0

        def before(self, one, other):
            self.asked += 1
            return super().before(one, other)

    def asked(turns):
        order, accesses, last = Counted(), [], ()
        for turn in range(turns):
            for actor, write in (("producer", True), ("consumer", False)):
                begin = order.event(actor, *last)
                last = (order.event(actor),)
                accesses.append(OrderedAccess((actor, turn), ByteWalk("m", turn % 2 * 8, 8), write, begin, last[0]))
        assert find_conflicts(order, accesses) == []
        return order.asked

    assert asked(400) <= 4.1 * asked(100)


def test_a_picture_shows_both_accesses_what_is_ordered_and_what_is_missing():
    order = PartialOrder()
    made = [order.event("writer") for _ in range(9)]
    other = [order.event("reader", *(made[1:2] if n == 1 else ())) for n in range(9)]
    far = order.event("far", made[8])
    writes = OrderedAccess("w", ByteWalk(0, 16, 4), True, made[4], made[5])
    reads = OrderedAccess("r", ByteWalk(0, 16, 4), False, other[4])
    (conflict,) = find_conflicts(order, [writes, reads])
    found = order_picture(order, (conflict.first, conflict.second), "text", str, {made[4]: "begins"}.get)
    first, second = found.accesses
    assert found.rows == ("writer", "reader", "far")
    # Three events around each access, and what has an edge to them.
    shown = {row: sum(one == row for one, _, _ in found.events) for row in range(3)}
    assert shown == {0: 8, 1: 7, 2: 1}
    assert [text for *_, text in found.events].count("begins") == 1
    assert found.events[first.begin][2] == "begins"
    assert (first.row, first.write, second.row, second.write) == (0, True, 1, False)
    assert first.begin < first.end
    assert second.begin == second.end
    assert {(found.events[a][0], found.events[b][0]) for a, b in found.edges} == {(0, 1), (0, 2)}
    # Columns keep the order, and nothing is drawn between the accesses that would order them.
    assert all(a < b for a, b in found.edges)
    assert (first.end, second.begin) not in found.edges
    assert far == len(order) - 1
