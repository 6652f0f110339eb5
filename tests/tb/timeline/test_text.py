# SPDX-License-Identifier: Apache-2.0
"""Lines out of columns are those that Python's json would write."""

from __future__ import annotations

import json

import numpy as np
import pytest

from goldbeat.tb.timeline.rows import HexNumbers, Named
from goldbeat.tb.timeline.text import Microseconds, json_lines


def test_columns_of_every_kind():
    rng = np.random.default_rng(1)
    n = 70_000
    numbers = rng.integers(-(1 << 62), 1 << 62, n) >> rng.integers(0, 62, n)
    small = rng.integers(0, 12, n)
    times = rng.integers(0, 1 << 50, n) >> rng.integers(0, 50, n)
    addresses = rng.integers(0, 1 << 63, n).astype(np.uint64) >> rng.integers(0, 63, n).astype(np.uint64)
    table = ["plain", 'quote " and \\', "tab\t", "é"]
    texts = Named(table, small % 4)
    parts = [b'{"a":', numbers, b',"n":"frame ', small, b'","t":', Microseconds(times), b',"h":', HexNumbers(addresses)]
    lines = b"".join(json_lines([*parts, b',"x":', texts, b"}\n"])).decode().splitlines()
    assert len(lines) == n
    for k in (*range(200), *range(32_760, 32_780), n - 1):
        assert json.loads(lines[k]) == {
            "a": int(numbers[k]),
            "n": f"frame {small[k]}",
            "t": pytest.approx(int(times[k]) / 1000, rel=1e-15),
            "h": hex(addresses[k]),
            "x": table[small[k] % 4],
        }


def test_times_are_exact():
    ns = np.array([0, 1, 999, 1000, 1001, 123_456_789, 10**15 + 1])
    text = b"".join(json_lines([Microseconds(ns), b"\n"])).decode().split()
    assert text == ["0.000", "0.001", "0.999", "1.000", "1.001", "123456.789", "1000000000000.001"]
    assert b"".join(json_lines([Microseconds(ns[:1] * 1000), b"\n"])) == b"0\n"


def test_one_line_and_none():
    assert list(json_lines([np.zeros(0, np.int64), b"\n"])) == []
    assert b"".join(json_lines([np.array([-7]), b",", np.array([0], np.uint8), b"\n"])) == b"-7,0\n"
