# SPDX-License-Identifier: Apache-2.0
"""Bursts and the memory's golden model by hand-made examples; the simulated memory is compared in tests/tb."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import DECERR, FIXED, INCR, OKAY, READ, SLVERR, WRAP, WRITE, Bursts
from goldbeat.pymodels.axi.memory import (
    MasterTiming,
    MemoryImage,
    MemoryTiming,
    Region,
    predict,
    replay,
    respond,
    respond_to_beats,
)
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern


def _bytes(size, value=0):
    return np.full(size, value, np.uint8)


def test_addresses_and_lanes_of_each_type():
    bursts = Bursts(kind=READ, address=[0x102, 0x108, 0x10C], len=[2, 3, 1], size=2, burst=[INCR, WRAP, FIXED])
    assert bursts.beats == 9
    assert bursts.rows.tolist() == [0, 3, 7]
    assert bursts.addresses().tolist() == [0x102, 0x104, 0x108, 0x108, 0x10C, 0x100, 0x104, 0x10C, 0x10C]
    lanes = bursts.lanes(8)
    assert np.flatnonzero(lanes[0]).tolist() == [2, 3]
    assert np.flatnonzero(lanes[1]).tolist() == [4, 5, 6, 7]
    assert np.flatnonzero(lanes[5]).tolist() == [0, 1, 2, 3]
    lowest, span = bursts.span
    assert lowest.tolist() == [0x102, 0x100, 0x10C]
    assert span.tolist() == [10, 16, 4]


def test_columns_must_fit():
    with pytest.raises(UsageError, match="have different lengths"):
        Bursts(kind=[0, 1], address=[0, 1, 2], len=0, size=0)
    with pytest.raises(UsageError, match="len of a burst"):
        Bursts(kind=0, address=0, len=256, size=0)


def test_one_read_and_one_write_by_hand():
    bursts = Bursts(kind=[READ, WRITE], address=0, len=1, size=2)
    times = predict(bursts, MemoryTiming(read_latency=5, write_latency=3))
    # Address in cycle 0, data due in 5; write data wait for the address that transfers in 0, so 1 and 2, response 3 later.
    assert times.cycle.tolist() == [0, 0]
    assert times.beat.tolist() == [5, 6, 1, 2]
    assert times.done.tolist() == [6, 5]


def test_limits_and_bandwidth_by_hand():
    bursts = Bursts(kind=READ, address=0, len=[1, 0], size=2)
    timing = MemoryTiming(read_latency=1, max_reads=1, read_bandwidth=(1, 4))
    times = predict(bursts, timing, MasterTiming(max_reads=4))
    # Room in cycles 3, 7, 11; the second address is taken once the first burst is over.
    assert times.beat.tolist() == [3, 7, 11]
    assert times.cycle.tolist() == [0, 8]
    assert times.offered.tolist() == [0, 1]


def test_a_read_sees_what_was_written_in_the_cycles_before():
    bursts = Bursts(kind=[WRITE, READ], address=0, len=0, size=0, not_before=[0, 0])
    data = np.array([[7], [0]], np.uint8)
    for latency, seen in ((1, 0), (2, 7)):
        region = Region("one", 0, _bytes(1))
        times = predict(bursts, MemoryTiming(read_latency=latency))
        assert times.beat.tolist() == [1, latency]
        assert replay(bursts, times, (region,), data)[1, 0] == seen
        assert region.data[0] == 7


def test_late_writes_take_effect_with_their_response():
    bursts = Bursts(kind=[WRITE, READ], address=0, len=0, size=0, not_before=[0, 0])
    for latency, seen in ((9, 0), (10, 0), (11, 7)):
        region = Region("one", 0, _bytes(1))
        times = predict(bursts, MemoryTiming(read_latency=latency, write_latency=9))
        assert times.answered.tolist() == [10, -1]
        assert replay(bursts, times, (region,), np.array([[7], [0]], np.uint8), late_writes=True)[1, 0] == seen
        assert region.data[0] == 7


def test_responses():
    regions = (Region("rom", 0x100, _bytes(16), writable=False), Region("ram", 0x110, _bytes(16)))
    bursts = Bursts(
        kind=[READ, WRITE, WRITE, READ, READ], address=[0x100, 0x100, 0x110, 0x10C, 0x11C], len=[3, 0, 0, 1, 1], size=2
    )
    response, region = respond(bursts, regions)
    assert response.tolist() == [0, 2, 0, 3, 3]
    assert region.tolist() == [0, 0, 1, -1, -1]


def test_words_that_are_refused():
    answers = np.zeros((2, 16), np.uint8)
    answers[READ, 4:8], answers[WRITE, 8:12] = DECERR, SLVERR
    region = Region("some", 0x100, _bytes(16), answers=answers)
    bursts = Bursts(kind=[READ, WRITE, READ], address=0x100, len=[3, 3, 0], size=2)
    response, _ = respond(bursts, (region,))
    beats, _ = respond_to_beats(bursts, (region,))
    assert response.tolist() == [DECERR, SLVERR, OKAY]
    assert beats.tolist() == [OKAY, DECERR, OKAY, OKAY, OKAY, OKAY, SLVERR, OKAY, OKAY]
    before, data = region.data.copy(), np.arange(36, dtype=np.uint8).reshape(9, 4) + np.uint8(100)
    replay(bursts, predict(bursts, MemoryTiming(read_latency=1)), (region,), data)
    assert (region.data[8:12] == before[8:12]).all()
    assert region.data[12:16].tolist() == data[7].tolist()
    with pytest.raises(UsageError, match="answers of shape"):
        Region("wrong", 0, _bytes(16), answers=answers[:, :8])


def test_what_cannot_be():
    with pytest.raises(UsageError, match="overlap at 0x8"):
        MemoryImage((Region("a", 0, _bytes(16)), Region("b", 8, _bytes(16))))
    with pytest.raises(UsageError, match="read_latency"):
        MemoryTiming(read_latency=0)
    with pytest.raises(UsageError, match="write_bandwidth"):
        MemoryTiming(write_bandwidth=(2, 1))
    never = MemoryTiming(w_ready=Pattern("array", values=(1, 0, 0, 0)), write_bandwidth=(1, 4))
    with pytest.raises(UsageError, match="no cycle in common"):
        predict(Bursts(kind=WRITE, address=0, len=0, size=0), never)
    with pytest.raises(UsageError, match="beyond the golden model"):
        predict(Bursts(kind=WRITE, address=0, len=0, size=0, barrier=True), MemoryTiming())
