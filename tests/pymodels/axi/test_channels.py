# SPDX-License-Identifier: Apache-2.0
"""The memory one burst at a time gives what the memory gives for a whole program."""

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.pymodels.axi.channels import ReadChannel, WriteChannel
from goldbeat.pymodels.axi.memory import MasterTiming, MemoryTiming, predict
from goldbeat.pymodels.pattern import Pattern

PLAIN = MemoryTiming(read_latency=20, write_latency=7, max_reads=3, max_writes=2)
BUSY = MemoryTiming(
    read_latency=5,
    read_jitter=12,
    write_latency=2,
    write_jitter=9,
    max_reads=4,
    max_writes=3,
    read_bandwidth=(3, 4),
    write_bandwidth=(2, 3),
    seed=5,
    aw_ready=Pattern("random", p=0.5, seed=1),
    w_ready=Pattern("bursty", burst=5, seed=2),
    ar_ready=Pattern("random", p=0.6, seed=3),
    r_gaps=Pattern("random", p=0.3, seed=4),
    b_gaps=Pattern("bursty", burst=6, seed=6),
)
WAITING = replace(
    BUSY,
    **{
        f"{channel}_ready": Pattern("after-valid", burst=4, seed=seed) for seed, channel in enumerate(("aw", "w", "ar"))
    },
)


@pytest.mark.parametrize("timing", [PLAIN, BUSY, WAITING], ids=["plain", "busy", "after-valid"])
def test_reads(timing):
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 17, 60)
    bursts = Bursts(kind=[READ] * 60, address=0, len=lengths - 1, size=2, gap=rng.integers(0, 5, 60))
    expected = predict(bursts, timing)
    channel, free = ReadChannel(timing), 0
    for n, beats in enumerate(lengths):
        address, moved = channel.burst(free + int(bursts.gap[n]), int(beats))
        # The master of predict has 16 reads outstanding at most, more than these memories take.
        assert (address, list(moved)) == (
            expected.cycle[n],
            expected.beat[bursts.rows[n] : bursts.rows[n] + beats].tolist(),
        )
        free = address + 1


@pytest.mark.parametrize("timing", [PLAIN, BUSY, WAITING], ids=["plain", "busy", "after-valid"])
def test_a_master_that_is_not_ready_for_some_cycles_after_each_beat(timing):
    # Ready in one cycle of three once a beat has moved: slower than the same without, by three cycles a beat at least.
    channel = ReadChannel(timing)
    _, moved = channel.burst(0, 8, 2)
    assert min(np.diff(list(moved))) >= 3
    _, after = channel.burst(0, 2)
    assert after[0] >= moved[-1] + 3
    _, plain = ReadChannel(timing).burst(0, 8)
    assert plain[0] == moved[0]
    assert plain[-1] <= moved[-1]


@pytest.mark.parametrize("timing", [PLAIN, BUSY, WAITING], ids=["plain", "busy", "after-valid"])
def test_writes(timing):
    # predict offers data with the address; a beat offered later is the same with a gap before it.
    rng = np.random.default_rng(2)
    lengths = rng.integers(1, 9, 40)
    bursts = Bursts(kind=[WRITE] * 40, address=0, len=lengths - 1, size=2)
    expected = predict(bursts, timing, MasterTiming())
    channel, free, last = WriteChannel(timing), 0, -1
    for n, beats in enumerate(lengths):
        address = channel.address(free)
        assert address == expected.cycle[n]
        free, moved = address + 1, []
        for _ in range(beats):
            last = channel.data(max(address, last) + 1)
            moved.append(last)
        assert moved == expected.beat[bursts.rows[n] : bursts.rows[n] + beats].tolist()
        assert channel.response(address, last) == expected.done[n]
