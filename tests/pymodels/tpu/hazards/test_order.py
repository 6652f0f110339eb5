# SPDX-License-Identifier: Apache-2.0
"""Clocks against all ways in which small programs can run."""

from itertools import pairwise

import numpy as np
import pytest

from goldbeat.pymodels.tpu.hazards.order import Order
from goldbeat.pymodels.tpu.streams.schedule import NONE, OTHER, SEND, WAIT, Lane


def engine(core, name, commands):
    """Commands are (dep,) or (role, message, count)."""
    n = len(commands)
    role, message, count, dep = (np.zeros(n, np.int64) for _ in range(4))
    for row, one in enumerate(commands):
        if len(one) == 1:
            dep[row] = one[0]
        else:
            role[row], message[row], count[row] = one
    return Lane(core, name, np.arange(1, n + 1), dep, role.astype(np.int8), message, count)


def always_ended(lanes):
    """Commands that have ended in every run when another one starts, by trying all runs; None if some run gets stuck."""
    place = {(one.core, one.engine): index for index, one in enumerate(lanes)}
    partner = [place.get((one.core, OTHER.get(one.engine, ""))) for one in lanes]
    sure: dict[tuple[int, int], np.ndarray] = {}
    seen, todo = set(), [(0,) * len(lanes)]
    finished = False
    while todo:
        state = todo.pop()
        if state in seen:
            continue
        seen.add(state)
        moved = False
        for index, one in enumerate(lanes):
            row = state[index]
            if row == len(one) or not ready(lanes, partner, state, index, row):
                continue
            moved = True
            known = np.array(state)
            sure[index, row] = np.minimum(sure.get((index, row), known), known)
            todo.append(tuple(at + (i == index) for i, at in enumerate(state)))
        finished |= all(at == len(one) for at, one in zip(state, lanes, strict=True))
        if not moved and not finished:
            return None
    return sure if finished else None


def ready(lanes, partner, state, index, row):
    one = lanes[index]
    if one.dep[row] > (0 if partner[index] is None else state[partner[index]]):
        return False
    if one.role[row] != WAIT:
        return True
    message = one.message[row]
    sent = sum(
        int(((o.role[:at] == SEND) & (o.message[:at] == message)).sum()) for o, at in zip(lanes, state, strict=True)
    )
    turn = int(((one.role[:row] == WAIT) & (one.message[:row] == message)).sum())
    return sent >= (turn + 1) * int(one.count[row])


def compare(lanes, exact):
    sure = always_ended(lanes)
    if sure is None:
        return False
    order = Order(lanes)
    assert order.complete
    for index, one in enumerate(lanes):
        for other in range(len(lanes)):
            if index == other:
                continue
            known = order.before(index, other)
            assert all(a <= b for a, b in pairwise(known.tolist()))
            for row in range(len(one)):
                assert known[row] <= sure[index, row][other], (index, row, other)
                # A WAIT itself touches nothing: only what follows it has to know.
                if exact and one.role[row] != WAIT:
                    assert known[row] == sure[index, row][other], (index, row, other)
    return True


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


@pytest.mark.parametrize("seed", range(6))
def test_barriers_order_all_that_is_before_and_behind(seed):
    rng = np.random.default_rng(seed)
    lanes = []
    for core, name in ((0, "tiu"), (0, "gdma"), (1, "gdma")):
        commands = []
        for turn in range(2):
            commands += [(0,)] * int(rng.integers(0, 3)) + barrier(3, turn if seed % 2 else 0)
        lanes.append(engine(core, name, [*commands, (0,)]))
    assert compare(lanes, True)


def test_one_sends_and_one_waits():
    lanes = [engine(0, "gdma", [(0,), (SEND, 5, 1), (0,)]), engine(1, "gdma", [(0,), (WAIT, 5, 1), (0,)])]
    assert compare(lanes, True)
    order = Order(lanes)
    assert order.before(1, 0).tolist() == [0, 0, 2]


def test_what_a_partner_was_told_is_known_too():
    lanes = [
        engine(0, "gdma", [(0,), (SEND, 1, 1)]),
        engine(1, "gdma", [(WAIT, 1, 1), (0,)]),
        engine(1, "tiu", [(0,), (1,), (2,)]),
    ]
    assert compare(lanes, True)
    assert Order(lanes).before(2, 0).tolist() == [0, 2, 2]


@pytest.mark.parametrize("seed", range(40))
def test_any_messages_say_nothing_that_does_not_always_hold(seed):
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(60):
        lanes = []
        for core, name in ((0, "tiu"), (0, "gdma"), (1, "gdma")):
            commands = []
            for _ in range(int(rng.integers(1, 5))):
                role = int(rng.choice([NONE, SEND, WAIT]))
                commands.append((role, int(rng.integers(2)), int(rng.integers(1, 3))) if role else (0,))
            lanes.append(engine(core, name, commands))
        tried += compare(lanes, False)
    assert tried > 5


def test_messages_that_never_arrive_are_told():
    assert not Order([engine(0, "gdma", [(WAIT, 1, 1)])]).complete
