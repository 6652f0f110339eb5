# SPDX-License-Identifier: Apache-2.0
"""Walks as descriptors: the addresses come out again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.engine import descriptor_addresses
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, decode_descriptor, encode_descriptor
from goldbeat.pymodels.objfifo.engine.walk_fit import fit_walk


def test_random_walks_come_out_again() -> None:
    rng = np.random.default_rng(5)
    padded = 0
    for _ in range(400):
        before, after = ([int(n) for n in rng.integers(0, 3, 3) * rng.integers(0, 2, 3)] for _ in range(2))
        wraps = [int(n) for n in rng.integers(1, 6, 3)]
        whole = int(np.prod([b + w + a for b, w, a in zip(before, wraps, after, strict=True)]))
        made = Descriptor(
            base=int(rng.integers(0, 100)),
            length=whole * int(rng.integers(1, 4)),
            wraps=(wraps[0], wraps[1], wraps[2]),
            steps=tuple(int(n) for n in rng.choice([0, 1, 2, 5, 9, 40], 4)),  # type: ignore[arg-type]
            pad_before=(before[0], before[1], before[2]),
            pad_after=(after[0], after[1], after[2]),
        )
        walk = descriptor_addresses(made)
        padded += made.padded
        found = fit_walk(walk)
        assert np.array_equal(descriptor_addresses(found), walk)
        assert decode_descriptor(encode_descriptor(found)) == replace(found)
    assert padded > 100


def test_the_fewest_dimensions_are_taken() -> None:
    assert fit_walk(np.arange(20, 5020)) == Descriptor(20, 5000)
    rows = (np.arange(4)[:, None] * 10 + np.arange(6)).reshape(-1)
    assert fit_walk(rows) == Descriptor(0, 24, (6, 1, 1), (1, 0, 0, 10))
    long = np.concatenate([np.arange(2048), np.arange(4096, 6144)])
    assert np.array_equal(descriptor_addresses(fit_walk(long)), long)
    ends = rows[:-1]
    assert np.array_equal(descriptor_addresses(fit_walk(ends)), ends)


@pytest.mark.parametrize("walk", [[0, 1, 5, 6, 9, 10, 11], [-1, -1], [5, 4, 3], [0, -1, 1, 2]])
def test_other_walks_are_refused(walk: list[int]) -> None:
    with pytest.raises(UsageError, match="walk"):
        fit_walk(np.array(walk))
