# SPDX-License-Identifier: Apache-2.0
"""A core as a channel: its requests and objects as descriptors, and long sequences as tasks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.core_stream import core_stream
from goldbeat.pymodels.objfifo.engine.registers import Descriptor
from goldbeat.pymodels.objfifo.engine.rolled import rolled
from goldbeat.pymodels.objfifo.plan.access import LockAccess
from goldbeat.pymodels.objfifo.plan.design import Fifo
from goldbeat.pymodels.objfifo.plan.design import FifoDesign as ObjectFifos
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.untimed.core_deeds import CoreDeed
from goldbeat.pymodels.objfifo.untimed.recorded_cores import core_ends

SHIM, CORE = ANY.tile(0, 0), ANY.tile(0, 2)
IN, OUT = ("in", FifoEnd.CONSUME, 0), ("out", FifoEnd.PRODUCE, 0)
PLACES = {"in_cons_buff_0": (0, 4), "in_cons_buff_1": (4, 4), "out_buff_0": (8, 4), "out_buff_1": (12, 4)}


def ends():
    four = ObjectType((4,), np.dtype(np.int32))
    made = plan(ObjectFifos(ANY, [Fifo("in", SHIM, (CORE,), (2, 2), four), Fifo("out", CORE, (SHIM,), (2, 2), four)]))
    return {key: end for key, (_, end) in core_ends(made).items()}


def deed(take, key, *objects, count=1):
    return CoreDeed(LockAccess(take, *key, count), tuple(np.array(one, np.uint32) for one in objects))


def stream(deeds, **costs):
    return core_stream(
        deeds, ends(), PLACES.__getitem__, lambda key: key[1], scratch=100, **{"call": 1, "work": 0, **costs}
    )


def test_requests_in_order_and_objects_before_their_release():
    one, two = [1, 2, 3, 4], [5, 6, 7, 8]
    deeds = [deed(True, IN), deed(True, OUT), deed(False, IN), deed(False, OUT, one)]
    deeds += [deed(True, OUT), deed(False, OUT, two)]
    found = stream(deeds, call=2, work=20)
    take_in, give_in = ends()[IN].take[1], ends()[IN].give[1]
    take_out, give_out = ends()[OUT].take[1], ends()[OUT].give[1]
    assert found.chain == (
        Descriptor(100, 2, acquire=(take_in, 1)),
        Descriptor(100, 2, acquire=(take_out, 1)),
        Descriptor(8, 4),
        # 20 cycles of work go round in 16 words; then the core gives its input back.
        Descriptor(100, 20, (16, 0, 0), release=(give_in, 1)),
        Descriptor(100, 2, release=(give_out, 1)),
        Descriptor(100, 2),
        Descriptor(100, 2, acquire=(take_out, 1)),
        Descriptor(12, 4),
        Descriptor(100, 20, (16, 0, 0), release=(give_out, 1)),
        Descriptor(100, 2),
    )
    assert found.words.tolist() == [0] * 4 + one + [0] * 26 + two + [0] * 22


def test_what_is_held_already_needs_no_request():
    deeds = [deed(True, IN, count=2), deed(False, IN), deed(True, IN, count=2), deed(True, IN, count=1)]
    found = stream(deeds)
    take, give = ends()[IN].take[1], ends()[IN].give[1]
    assert [(d.acquire, d.release) for d in found.chain] == [((take, 2), (give, 1)), (None, None), ((take, 1), None)]


def test_an_object_is_written_before_the_first_release_behind_its_acquire():
    words = [[n] * 4 for n in range(3)]
    deeds = [deed(True, OUT, count=2), deed(True, IN), deed(False, IN), deed(False, OUT, words[0], words[1], count=2)]
    deeds += [deed(True, OUT), deed(True, IN), deed(False, IN)]
    # The last object is never given, so that nobody knows its words.
    found = stream([*deeds, deed(True, IN)])
    assert [d.base for d in found.chain] == [100, 100, 8, 12, 100, 100, 100, 100, 100, 100]
    assert found.chain[3].release == (ends()[IN].give[1], 1)


def test_headers_say_which_descriptor_comes_next():
    deeds = [deed(True, IN), deed(True, OUT), deed(False, OUT, [1, 2, 3, 4]), deed(False, IN), deed(True, IN)]
    plain, found = stream(deeds, call=14, work=20), stream(deeds, call=14, work=20, header=6)
    # A header takes 6 cycles, and 7 in front of an acquire: of 14 cycles as many less are left to spend, of 20 of work 6 and
    # those in front of the object.
    assert [d.length for d in plain.chain] == [14, 14, 4, 20, 14, 14, 14]
    assert [d.length for d in found.chain] == [7, 7, 4, 8, 8, 8, 7]
    table, words = found.with_headers(5)
    numbers = {one: 5 + n for n, one in enumerate(table)}
    assert len(set(table)) == len(table) == 6
    at = 0
    for descriptor in found.chain:
        assert words[at] == numbers[descriptor] << 5
        at += 1 + descriptor.length
    assert at == len(words)
    assert np.delete(words, np.cumsum([0, *(1 + d.length for d in found.chain[:-1])])).tolist() == found.words.tolist()


def test_impossible_cores_are_refused():
    with pytest.raises(UsageError, match=r"in: 2 object\(s\) are released, 1 are held"):
        stream([deed(True, IN), deed(False, IN, count=2)])
    with pytest.raises(UsageError, match="262144 cycles of work: expected 0 to 262143"):
        stream([], work=1 << 18)


def unrolled(parts):
    return [item for part in parts for _ in range(part.times) for item in part.items]


@given(st.lists(st.tuples(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(1, 300)), max_size=3))
def test_repeated_sequences_come_back_whole(parts):
    sequence = [item for items, times in parts for item in items * times]
    found = rolled(sequence, 64)
    assert found is None or unrolled(found) == sequence
    assert found is None or sum(len(part.items) for part in found) <= 64
    # One task runs a part 256 times at most, so that each of these needs two tasks.
    if sum(-(-times // 256) for _, times in parts) <= 4 and sum(len(items) for items, _ in parts) <= 64:
        assert found is not None


def test_a_loop_between_other_requests_is_written_once():
    found = rolled([*"A", *"io" * 8, *"RA"], 60)
    assert [("".join(part.items), part.times) for part in found] == [("A", 1), ("io", 8), ("RA", 1)]
    assert rolled(list(range(61)), 60) is None
    assert rolled([], 60) == ()
    # More than one task can count: more is written down.
    assert [("".join(part.items), part.times) for part in rolled(list("ab" * 500), 60)] == [("abab", 250)]
    many = rolled(list("abc" * 3000), 60)
    assert unrolled(many) == list("abc" * 3000)
    assert len(many) <= 4
