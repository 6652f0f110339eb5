# SPDX-License-Identifier: Apache-2.0
"""Times and bytes of transactions, by hand."""

import numpy as np

from goldbeat.pymodels.axi.burst import FIXED, INCR, READ, WRAP, Bursts
from goldbeat.pymodels.transactions import Transactions, burst_bytes


def test_latencies_and_rates():
    found = Transactions.of(
        4000, write=[0, 1, 0, 1], begin=[0, 2, 10, 5], first=[3, 2, 14, -1], end=[5, 9, 20, -1], bytes=[64, 32, 16, 8]
    )
    assert len(found) == 3
    assert found.latencies(write=False).tolist() == [20, 40]
    assert found.latencies(write=False, first=True).tolist() == [12, 16]
    assert found.latencies(write=True).tolist() == [28]
    # 80 bytes from cycle 0 to cycle 20, 21 cycles of 4 ns.
    assert found.mb_per_s(write=False) == 80 * 1e3 / 84
    assert found.mb_per_s(write=True) == 32 * 1e3 / 32
    assert Transactions.of(4000, write=[0], begin=[1], first=[2], end=[3], bytes=[4]).mb_per_s(write=True) is None


def test_bytes_are_those_of_the_lanes_of_all_beats():
    bursts = Bursts(
        kind=READ, address=[0x10, 0x13, 0x13, 0x18, 0x2], len=[3, 3, 3, 3, 0], size=[2, 2, 2, 2, 2],
        burst=[INCR, INCR, FIXED, WRAP, INCR],
    )  # fmt: skip
    lanes = np.zeros(len(bursts), int)
    for of, address in zip(bursts.of_beat, bursts.addresses(), strict=True):
        lanes[of] += 4 - int(address) % 4
    assert burst_bytes(bursts.address, bursts.len, bursts.size, bursts.burst).tolist() == lanes.tolist()
    assert lanes.tolist() == [16, 13, 4, 16, 2]
