# SPDX-License-Identifier: Apache-2.0
"""The bytes that a profile says for each direction, against its entries."""

from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.tpu.streams import moved
from goldbeat.pymodels.tpu.streams.moved import check_moved


def agrees(needs: list[int], entries: list[tuple[int, int]], *, whole: bool = True) -> bool:
    """Whether a summary is accepted; entries are size and direction."""
    size, direction = np.array(entries, np.int64).reshape(-1, 2).T
    try:
        check_moved([(1, way, need) for way, need in enumerate(needs)], size, direction, None, whole=whole)
    except InputError:
        return False
    return True


@pytest.mark.parametrize("most", [1 << 14, 4])
def test_a_summary_is_accepted_if_some_directions_of_the_entries_give_it(monkeypatch, most: int):
    """Against all directions; where only each direction alone is looked at, no right one is refused."""
    monkeypatch.setattr(moved, "_STATES", most)
    rng, seen = np.random.default_rng(1), set()
    for _ in range(150):
        entries = [(int(rng.choice([0, 3, 4, 6, 9])), int(rng.integers(-1, 3))) for _ in range(6)]
        sums = set()
        for ways in product(range(3), repeat=sum(way < 0 for _, way in entries)):
            free = iter(ways)
            given = [(size, next(free) if way < 0 else way) for size, way in entries]
            sums.add(tuple(sum(size for size, way in given if way == one) for one in range(3)))
        needs = list(sorted(sums)[int(rng.integers(len(sums)))])
        one, two = rng.permutation(3)[:2]
        moving = min(needs[one], int(rng.integers(0, 4)))
        needs[one], needs[two] = needs[one] - moving, needs[two] + moving
        right = tuple(needs) in sums
        assert agrees(needs, entries) == right or (most < 100 and not right)
        seen.add(right)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("needs", "entries", "whole", "said"),
    [
        ([60, 0], [(-1, 0), (-1, -1)], False, ""),
        ([60, 0], [(50, 0)], False, ""),
        ([40, 0], [(50, 0)], False, "dr[0] 40, expected 50, the bytes of the entries with dr:0"),
        ([40, 0], [(20, 0), (30, -1)], False, "with 40 bytes, expected 50 or more, those of all entries"),
        ([0, 61], [(60, -1)], True, "dr[1] 61, expected 60, what is left of the entries without dr"),
    ],
)
def test_what_a_summary_lacks_is_named(needs: list[int], entries: list[tuple[int, int]], whole: bool, said: str):
    size, direction = np.array(entries, np.int64).T
    listed = [(7, way, need) for way, need in enumerate(needs)]
    with pytest.raises(InputError) if said else nullcontext() as caught:
        check_moved(listed, size, direction, "p.txt", whole=whole)
    assert not said or said in str(caught.value)


def test_many_entries_take_no_long_time():
    sizes = [(3 * n + 1, -1) for n in range(1, 400)]
    total = sum(size for size, _ in sizes)
    assert agrees([total // 3, total - total // 3 - 7, 7, 0], sizes)
