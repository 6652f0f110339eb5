# SPDX-License-Identifier: Apache-2.0
"""Streams against changed copies of themselves: each change is found, and nothing else."""

import numpy as np
import pytest
from tpu_safe import SafeMaker

from goldbeat.pymodels.tpu.streams.decode import Commands, decode_stream
from goldbeat.pymodels.tpu.streams.differences import command_changes
from goldbeat.pymodels.tpu.streams.tables import chip


@pytest.fixture(scope="module")
def tiu() -> Commands:
    stream = next(one for one in SafeMaker("BM1690", 1).make(20).streams() if one.engine == "tiu")
    return decode_stream(chip("BM1690").engine("tiu"), stream.data)


def cut(found: Commands, rows: list[int]) -> Commands:
    raw = b"".join(found.raw(row) for row in rows)
    return decode_stream(found.engine, raw + bytes(-len(raw) % 128))


def test_equal(tiu):
    assert list(command_changes(tiu, tiu)) == []


@pytest.mark.parametrize("row", [0, 3])
def test_a_field(tiu, row):
    kind = tiu.engine.kinds[int(tiu.kind[row])]
    bit = kind.by_name["res0_addr"].bit + 4
    data = tiu.data.copy()
    at = int(tiu.offset[row]) + bit // 8
    data[at] ^= 1 << bit % 8
    (one,) = command_changes(tiu, decode_stream(tiu.engine, data))
    assert (one.what, one.first, one.second, list(one.fields)) == ("changed", row, row, ["res0_addr"])
    before, after = one.fields["res0_addr"]
    assert before ^ after == 16


def test_a_command_gone_and_one_doubled(tiu):
    rows = list(range(len(tiu)))
    (gone,) = command_changes(tiu, cut(tiu, rows[:4] + rows[5:]))
    assert (gone.what, gone.second, gone.op) == ("removed", None, gone.op)
    assert tiu.op(gone.first) == tiu.op(4)
    (more,) = command_changes(tiu, cut(tiu, [*rows[:5], *rows[4:]]))
    assert (more.what, more.first) == ("added", None)


def test_many_changes_are_compared_in_their_order(tiu):
    rng = np.random.default_rng(0)
    rows = list(range(len(tiu) - 1))
    some = cut(tiu, [*rng.choice(rows, 2100).tolist(), len(tiu) - 1])
    other = cut(tiu, [*rng.choice(rows, 2050).tolist(), len(tiu) - 1])
    found = list(command_changes(some, other))
    added, removed = (sum(one.what == what for one in found) for what in ("added", "removed"))
    assert added - removed == len(other) - len(some)
