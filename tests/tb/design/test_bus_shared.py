# SPDX-License-Identifier: Apache-2.0
"""Slaves that share storage read what others have written, and nobody writes what is still read."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.tb.design.bus_shared import accesses_in_turn, bursts_in_turn

WORDS = [0x100, 0x104, 0x108, *range(0, 64, 4)]
NAMES = ["a", "b", "c"]


def played(programs, memory, blocked):
    """Play register programs, one step of each that can go on in turn; words are those of ``memory``."""
    at = dict.fromkeys(programs, 0)
    stuck = 0
    while stuck < len(at):
        stuck = 0
        for name, steps in programs.items():
            one = steps[at[name]] if at[name] < len(steps) else None
            if one is None or (one.op == "poll" and memory(name, one.address) != one.value) or name == blocked:
                stuck += 1
                continue
            if one.op == "read":
                assert memory(name, one.address) == one.value
            elif one.op == "write":
                memory(name, one.address, one.value)
            at[name] += 1
    return {name: at[name] == len(steps) for name, steps in programs.items()}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("slaves", [2, 3])
def test_accesses_of_slaves_in_turn(slaves, swapped):
    words: dict[int, int] = {}

    def memory(name, address, value=None):
        address ^= 4 * (swapped and name == "b" and address < 64)
        return words.get(address) if value is None else words.__setitem__(address, value)

    programs = accesses_in_turn(np.random.default_rng(1), NAMES[:slaves], [*WORDS[:slaves], *WORDS[3:]], 4)
    ended = played(programs, memory, "")
    assert all(ended.values()) is not swapped
    # Nobody goes on for long where another one does not.
    words.clear()
    assert not any(played(programs, memory, "a").values())


def test_bursts_of_slaves_in_turn():
    programs = bursts_in_turn(np.random.default_rng(1), NAMES, WORDS, 4)
    rows = [
        (int(b.not_before[n]), int(b.kind[n]), int(b.address[n]), made.data[n].tobytes(), bool(made.checked[n].all()))
        for made in programs.values()
        for b in [made.bursts]
        for n in range(len(b))
    ]
    held: dict[int, bytes] = {}
    reads = 0
    for _, kind, address, data, checked in sorted(rows, key=lambda row: row[0]):
        if kind == WRITE:
            held[address] = data
        else:
            assert (kind, checked, held[address]) == (READ, True, data)
            reads += 1
    assert reads == 2 * 3 * 2 * 16
