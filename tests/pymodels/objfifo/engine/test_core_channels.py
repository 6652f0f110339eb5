# SPDX-License-Identifier: Apache-2.0
"""Cores as channels of an engine: programs as chains of one-word descriptors."""

import pytest
from objfifo_designs import FAR, make, ty

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.core_channels import channel_objects, core_program
from goldbeat.pymodels.objfifo.iron.placed import object_fifo
from goldbeat.pymodels.objfifo.plan.access import LockAccess
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.untimed.recorded_cores import core_ends


def ends(depth=4, repeat=1):
    def build():
        object_fifo("x", FAR[0], FAR[1], depth, ty(8)).set_repeat_count(repeat)

    return {key: end for key, (_, end) in core_ends(plan(make(build))).items()}


def take(n):
    return LockAccess(True, "x", FifoEnd.CONSUME, 0, n)


def give(n):
    return LockAccess(False, "x", FifoEnd.CONSUME, 0, n)


def locks(chain):
    return [(d.acquire, d.release) for d in chain]


def number(key):
    return key[1]


def test_a_program_that_repeats_itself_is_written_once():
    chain, more = core_program([take(1), give(1)] * 5, ends(), number)
    assert locks(chain) == [((1, 1), None), (None, (0, 1))]
    assert more == 4


def test_a_sliding_window_takes_only_what_it_does_not_hold():
    chain, more = core_program([take(3), give(1), take(3), give(1)], ends(), number)
    assert locks(chain) == [((1, 3), None), (None, (0, 1)), ((1, 1), None), (None, (0, 1))]
    assert more == 0


def test_what_is_held_already_needs_no_descriptor():
    chain, _ = core_program([take(2), take(1), give(2)], ends(), number)
    assert locks(chain) == [((1, 2), None), (None, (0, 2))]


def test_more_than_is_held_cannot_be_given():
    with pytest.raises(UsageError, match="are released, 1 are held"):
        core_program([take(1), give(2)], ends(), number)


def test_objects_in_the_order_of_their_buffers():
    found = channel_objects(
        ends(2, repeat=3)["x", FifoEnd.PRODUCE, 0], {"x_buff_0": (0, 8), "x_buff_1": (64, 8)}.get, number
    )
    assert [(d.base, d.length, d.acquire, d.release) for d in found] == [
        (0, 8, (0, 3), (1, 3)),
        (64, 8, (0, 3), (1, 3)),
    ]
