# SPDX-License-Identifier: Apache-2.0
"""Clocks against all ways in which small programs can run."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tpu_messages import always_ended, engine, regular

from goldbeat.pymodels.tpu.hazards.order import Order
from goldbeat.pymodels.tpu.streams.schedule import OTHER, SEND, WAIT
from goldbeat.pymodels.tpu.streams.uses import MessageUses


def compare(lanes, exact, bounds=()):
    """Whether the order of a sound program is right; of others, that they are told."""
    sure, ends = always_ended(lanes, bounds)
    order = Order(lanes, bounds)
    if not regular(lanes):
        return False
    if not ends:
        # Dependencies that wait for each other are another check's.
        assert order.early or not order.complete or not any(one.role.any() for one in lanes)
        return False
    assert order.complete
    right = True
    for index, one in enumerate(lanes):
        for other in range(len(lanes)):
            if index == other:
                continue
            known = order.before(index, other)
            assert all(a <= b for a, b in pairwise(known.tolist()))
            for row in range(len(one)):
                right &= bool(known[row] <= sure[index, row][other])
                # A WAIT itself touches nothing: only what follows it has to know.
                if exact and one.role[row] != WAIT:
                    assert known[row] == sure[index, row][other], (index, row, other)
    assert right or order.early
    return not order.early


@pytest.mark.parametrize("seed", range(20))
def test_dependencies_say_exactly_what_always_holds(seed):
    rng = np.random.default_rng(seed)
    tried = 0
    while tried < 5:
        n = rng.integers(1, 6, 2)
        deps = [[(int(rng.integers(0, n[1 - k] + 1)),) for _ in range(n[k])] for k in range(2)]
        tried += compare([engine(0, "tiu", deps[0]), engine(0, "gdma", deps[1])], True)


def barrier(users, message=0):
    return [(SEND, message, users), (WAIT, message, users)]


@pytest.mark.parametrize("seed", range(20))
def test_a_core_goes_on_to_its_next_group_alone(seed):
    """Engines of two cores with up to three groups each, some of them empty, and messages within and over groups."""
    rng = np.random.default_rng(seed)
    names = [(0, "tiu"), (0, "gdma"), (0, "sdma"), (1, "gdma"), (1, "tiu")][: 3 + seed % 3]
    lanes, bounds = [], []
    for core, name in names:
        sizes = rng.integers(0, 3, 3)
        bounds.append([0, *np.cumsum(sizes).tolist()])
        segment = np.repeat(np.arange(3), sizes).astype(np.int32)
        ids = np.concatenate([np.arange(1, n + 1) for n in sizes])
        lanes.append(replace(engine(core, name, [(0,)] * int(sizes.sum())), id=ids, segment=segment))
    for index, one in enumerate(lanes):
        other = next((i for i, o in enumerate(lanes) if o.core == one.core and o.engine == OTHER.get(one.engine)), None)
        if other is not None and one.engine == ("tiu", "gdma")[seed % 2]:
            most = np.diff(bounds[other])[one.segment]
            lanes[index] = replace(one, dep=rng.integers(0, most + 1))
    for message in range(2):
        for role, index in ((SEND, 0), (WAIT, len(lanes) - 1)):
            one = lanes[index]
            free = np.flatnonzero(one.role == 0)
            if len(free):
                row = int(rng.choice(free))
                for column, value in ((one.role, role), (one.message, message), (one.count, 1)):
                    column[row] = value
    compare(lanes, True, bounds)


@pytest.mark.parametrize("seed", range(6))
def test_barriers_order_all_that_is_before_and_behind(seed):
    rng = np.random.default_rng(seed)
    lanes = []
    for core, name in ((0, "tiu"), (0, "gdma"), (1, "gdma")):
        commands = []
        for turn in range(3):
            commands += [(0,)] * int(rng.integers(0, 2)) + barrier(3, turn % (2 + seed % 2))
        lanes.append(engine(core, name, [*commands, (0,)]))
    assert compare(lanes, True)


def test_one_sends_and_one_waits():
    lanes = [engine(0, "gdma", [(0,), (SEND, 5, 1), (0,)]), engine(1, "gdma", [(0,), (WAIT, 5, 1), (0,)])]
    assert compare(lanes, True)
    order = Order(lanes)
    assert order.before(1, 0).tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("messages", "early"),
    [((5, 5), True), ((5, 6), False), ((5, 6, 5), False), ((5, 6, 6), True), ((5, 6, 5, 6, 5), False)],
)
def test_a_barrier_with_the_message_of_the_one_before_is_early(messages, early):
    places = ((0, "tiu"), (0, "gdma"), (1, "tiu"), (1, "gdma"))
    lanes = [engine(core, name, [one for m in messages for one in [(0,), *barrier(4, m)]]) for core, name in places]
    assert bool(Order(lanes).early) == early
    if early:
        (found,) = Order(lanes).early[:1]
        assert found.message == messages[-1]
        assert found.command[0] != found.waiter[0]


ONE_WAY, ANSWER = [(SEND, 1, 1), (WAIT, 1, 1)], [(WAIT, 2, 1), (SEND, 2, 1)]
TO_TWO, BY_TWO = [(SEND, 1, 2), *[(WAIT, 1, 1)] * 2], [(WAIT, 2, 2), *[(SEND, 2, 1)] * 2]


@pytest.mark.parametrize(
    ("parts", "early"),
    [
        ([ONE_WAY], False),
        ([ONE_WAY, ONE_WAY], True),
        ([ONE_WAY, ANSWER, ONE_WAY, ANSWER], False),
        ([TO_TWO], False),
        ([TO_TWO, BY_TWO], False),
        # The first of the two may take the second message's WAIT of the other.
        ([TO_TWO, BY_TWO, TO_TWO], True),
    ],
)
def test_one_way_messages_need_an_answer_before_they_are_used_again(parts, early):
    """One engine sends, one or two wait: the count of SEND is that of WAITs to come."""
    lanes = [engine(core, "gdma", [(0,), *(part[core] for part in parts), (0,)]) for core in range(len(parts[0]))]
    assert compare(lanes, False) != early
    assert bool(Order(lanes).early) == early


@pytest.mark.parametrize(("other", "early"), [((0, "tiu"), False), ((1, "gdma"), True)])
def test_the_message_of_a_segment_before(other, early):
    """TIU and GDMA of a core meet at END; cores do not."""
    segment = np.array([0, 0, 1, 1], np.int32)
    sends, waits = [(SEND, 1, 1), (0,)], [(WAIT, 1, 1), (0,)]
    lanes = [
        replace(engine(*place, 2 * part), segment=segment) for place, part in (((0, "gdma"), sends), (other, waits))
    ]
    order = Order(lanes)
    assert order.complete
    assert bool(order.early) == early


def test_what_a_partner_was_told_is_known_too():
    lanes = [
        engine(0, "gdma", [(0,), (SEND, 1, 1)]),
        engine(1, "gdma", [(WAIT, 1, 1), (0,)]),
        engine(1, "tiu", [(0,), (1,), (2,)]),
    ]
    assert compare(lanes, True)
    assert Order(lanes).before(2, 0).tolist() == [0, 2, 2]


def messages_anywhere(rng):
    """Whole rounds of SENDs and WAITs, on engines and at places by chance."""
    commands = [[(0,)] * int(rng.integers(0, 2)) for _ in range(3)]
    for message in range(int(rng.integers(1, 3))):
        counts = {SEND: int(rng.integers(1, 3)), WAIT: int(rng.integers(1, 3))}
        for role, other in ((SEND, WAIT), (WAIT, SEND)):
            for _ in range(counts[other] * int(rng.integers(1, 3)) if role == SEND else 0):
                target = commands[int(rng.integers(3))]
                target.insert(int(rng.integers(len(target) + 1)), (SEND, message, counts[SEND]))
        sends = sum(one[:2] == (SEND, message) for found in commands for one in found)
        for _ in range(sends // counts[WAIT] * counts[SEND]):
            target = commands[int(rng.integers(3))]
            target.insert(int(rng.integers(len(target) + 1)), (WAIT, message, counts[WAIT]))
    places = ((0, "tiu"), (0, "gdma"), (1, "gdma"))
    return [engine(core, name, [*found, (0,)]) for (core, name), found in zip(places, commands, strict=True)]


@pytest.mark.parametrize("seed", range(20))
def test_messages_anywhere_say_nothing_that_does_not_always_hold(seed):
    rng = np.random.default_rng(seed)
    assert sum(compare(messages_anywhere(rng), False) for _ in range(60)) > 5


def uses_with_other_counts(rng, acknowledged):
    """Message 0 is used three times by other engines; those of a use answer the sender of the next if acknowledged."""
    places = ((0, "tiu"), (0, "gdma"), (1, "gdma"))
    commands = [[] for _ in places]
    for turn in range(3):
        senders, waiters = (sorted(rng.permutation(3)[: int(rng.integers(1, 4))].tolist()) for _ in range(2))
        for index in senders:
            commands[index].append((SEND, 0, len(waiters)))
        for index in waiters:
            commands[index].append((WAIT, 0, len(senders)))
        if turn < 2 and acknowledged[turn]:
            for found in commands:
                found += barrier(3, 1 + turn)
    return [engine(core, name, [*found, (0,)]) for (core, name), found in zip(places, commands, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_another_use_may_have_other_counts(seed):
    """Sound uses have no finding, and what has none is sound: every run ends, and what is known has happened."""
    rng, silent = np.random.default_rng(seed), 0
    for acknowledged in ((True, True), *rng.integers(0, 2, (12, 2)).tolist()):
        lanes = uses_with_other_counts(rng, acknowledged)
        order, uses = Order(lanes), MessageUses(lanes, [[0, len(one)] for one in lanes])
        good = order.complete and not order.early and all(uses.agrees(use) for use in uses.uses.get(0, ()))
        assert good or not all(acknowledged)
        if good:
            sure, ends = always_ended(lanes)
            assert ends
            silent += 1
            for (index, row), known in sure.items():
                assert (order.clock(index, row) <= known).all()
    assert silent


def test_messages_that_never_arrive_are_told():
    assert not Order([engine(0, "gdma", [(WAIT, 1, 1)])]).complete
