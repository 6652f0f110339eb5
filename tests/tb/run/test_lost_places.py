# SPDX-License-Identifier: Apache-2.0
"""Designs that hold fewer beats and requests at the end of a long run than at its beginning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.design.deep_traffic import HALT
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import KEPT
from goldbeat.tb.designs.axis.bench_fifo import DESIGN as FIFO
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.lost_places import full_twice, lost_places, open_twice

PORTS = tuple(StreamPort(name=name, direction=way, width=8) for name, way in (("s_axis", "in"), ("m_axis", "out")))


def _trace(cycles):
    return Trace.from_bytes(
        np.zeros((len(cycles), 1), np.uint8), cycle=np.asarray(cycles), clock_ps=1000, offset_ps=1000
    )


@pytest.mark.parametrize(
    ("taken", "held"),
    [
        # Four beats wait at first; behind the pause of the sink four, two, or the input still takes some.
        ([1, 2, 3, 4, 204, 205, 206, 207, 400, 401], (4, 4)),
        ([1, 2, 3, 4, 204, 205, 400, 401, 402, 403], (4, 2)),
        ([1, 2, 3, 4, 204, 205, 206, 380, 400, 401], None),
        # One was there before the pause.
        ([1, 2, 3, 4, 203, 205, 206, 207, 400, 401], None),
    ],
)
def test_what_is_held_at_the_end_is_compared_with_what_was_held_at_first(taken, held):
    given = [200, 201, 202, 203, 400, 401, 402, 403, 404, 405]
    assert full_twice(PORTS, Outcome({"s_axis": _trace(taken), "m_axis": _trace(given)})) == held
    # Words that are made of several say nothing.
    assert full_twice(PORTS, Outcome({"s_axis": _trace(taken), "m_axis": _trace(given[:-1])})) is None


@pytest.mark.parametrize(("held", "said"), [(6, True), (9, False)])
def test_a_stream_that_holds_half_of_its_beats_in_the_end_fails(held, said):
    """Twelve beats wait at first; 6 or 9 behind the second pause of the sink."""
    given = [*range(300, 312), *range(600, 612)]
    taken = [*range(12), *range(400, 400 + held), *range(600, 612 - held)]
    ports = {"s_axis": _trace(taken), "m_axis": _trace(given)}
    stimulus = Stimulus({"s_axis": ports["s_axis"]}, clocks={"aclk": Clock(1000, 1000)}, label=KEPT)
    texts = list(lost_places(FIFO, FIFO.params(FIFO.case(None), {}), stimulus, Record(Outcome(ports))))
    assert texts == ["axis_places_lost: s_axis: held 12 beats before the first output, 6 in the end"] * said
    assert not list(
        lost_places(FIFO, FIFO.params(FIFO.case(None), {}), replace(stimulus, label=""), Record(Outcome(ports)))
    )


@pytest.mark.parametrize(("places", "found"), [((4, 4), (4, 4)), ((4, 1), (4, 1)), ((4,), None)])
def test_requests_that_wait_are_counted_behind_each_halt(places, found):
    """A design that takes so many requests in each halt, then one in each cycle in which it has a place."""
    begin, end, now = [], [], 0
    for most in places:
        begin += range(now, now + most)
        end += range(now + HALT, now + HALT + most)
        now += HALT + most + 1
    # More comes behind the last of them.
    begin, end = np.array([*begin, now]), np.array([*end, now + 1])
    columns = {"begin": begin, "first": end, "end": end, "bytes": np.ones(len(end))}
    times = Transactions.of(1000, write=np.zeros(len(end)), **columns)
    assert open_twice(times, write=False) == found
    assert open_twice(times, write=True) is None
