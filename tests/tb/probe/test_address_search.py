# SPDX-License-Identifier: Apache-2.0
"""Address maps are found by asking where addresses arrive."""

from __future__ import annotations

import pytest

from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.probe.address_search import Span, common_ranges, search

KIB, MIB = 1 << 10, 1 << 20


def decoder(*ranges: tuple[str, int, int, int]):
    """What a slave's accesses do: master, base, bytes, address at the master."""
    asked = []

    def ask(pairs):
        asked.extend(address for _, address in pairs)
        return [
            next(((m, target - base) for m, base, size, target in ranges if base <= at < base + size), None)
            for _, at in pairs
        ]

    return ask, asked


def found(*ranges, bits=32, values=()):
    ask, asked = decoder(*ranges)
    spans = search(ApbPort(name="s", address_width=bits), ask, 4, values)
    assert len(asked) == len(set(asked))
    assert all(0 <= at < 1 << bits and at % 4 == 0 for at in asked)
    return [(s.arrival[0], s.base, s.end - s.base, s.base + s.arrival[1]) for s in spans]


@pytest.mark.parametrize(
    "ranges",
    [
        [("m", 0, 1 << 32, 0)],
        [(f"m{n}", n * 16 * MIB, 16 * MIB, n * 16 * MIB) for n in range(8)],
        # One behind the other, of any size.
        [("a", 0x4000_0000, 0x1000, 0), ("b", 0x4000_1000, 0x100, 0x80), ("c", 0x4000_1100, 4, 0)],
        # With holes, as far apart as they are large.
        [(f"m{n}", 0x1000_0000 + n * 0x2_0000, 0x1_0000, 0) for n in range(4)],
        [("low", 0, 0x1004, 0), ("high", (1 << 32) - 64, 64, 0)],
        [],
    ],
)
def test_ranges_are_found_to_the_word(ranges):
    assert found(*ranges) == ranges


def test_a_small_range_far_from_all_others_is_found_where_a_parameter_names_it():
    ranges = [("m", 0x8123_40C0, 64, 0)]
    assert found(*ranges) == []
    assert found(*ranges, values=[0x8123_40C0]) == ranges
    # As one of several in a wide one.
    assert found(*ranges, values=[0x8123_40C0 << 32 | 0x100]) == ranges


def test_slaves_share_ranges_where_they_can():
    whole, half = Span(0, 4 * KIB, ("m", 0)), Span(4 * KIB, 8 * KIB, ("n", -4 * KIB))
    one, other = common_ranges({"s0": [whole, half], "s1": [whole]}, {"m": 1 << 20, "n": 1 << 20})
    assert (one.port, one.base, one.bytes, one.target, one.slaves) == ("m", 0, 4 * KIB, None, ())
    assert (other.port, other.base, other.bytes, other.target, other.slaves) == ("n", 4 * KIB, 4 * KIB, 0, ("s0",))
    # What repeats behind the master's addresses is one of them.
    (short,) = common_ranges({"s": [whole]}, {"m": KIB})
    assert short.bytes == KIB
