# SPDX-License-Identifier: Apache-2.0
"""Slaves that share storage read what others have written, and nobody writes what is still read."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.tb.design.bus_shared import accesses_in_turn, bursts_in_turn, parts_by_accesses, parts_by_bursts

WORDS = [0x100, 0x104, 0x108, *range(0, 64, 4)]
FLAGS = [*range(0x100, 0x118, 4)]
NAMES = ["a", "b", "c"]


def played(programs, memory, blocked, seldom=""):
    """Play register programs, one step of each that can go on in turn; words are those of ``memory``.

    One of them may look at ``memory`` seldom.
    """
    at = dict.fromkeys(programs, 0)
    stuck = turn = 0
    while stuck < len(at) * (9 if seldom else 1):
        stuck *= bool(seldom and turn % 9)
        turn += 1
        for name, steps in programs.items():
            if name == seldom and turn % 9:
                stuck += 1
                continue
            one = steps[at[name]] if at[name] < len(steps) else None
            if one is None or (one.op == "poll" and memory(name, one.address) != one.value) or name == blocked:
                stuck += 1
                continue
            if one.op == "read":
                assert not (memory(name, one.address) ^ one.value) & (0xFFFFFFFF if one.mask is None else one.mask)
            elif one.op == "write":
                lanes = sum(0xFF << 8 * lane for lane in range(4) if one.strobe >> lane & 1)
                memory(name, one.address, one.value & lanes | (memory(name, one.address) or 0) & ~lanes)
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
        (int(b.phase[n]), int(b.kind[n]), int(b.address[n]), made.data[n].tobytes(), bool(made.checked[n].all()))
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


@pytest.mark.parametrize("slaves", [2, 3])
def test_slaves_write_different_bytes_of_a_word(slaves):
    words: dict[int, int] = {}

    def memory(name, address, value=None):
        return words.get(address) if value is None else words.__setitem__(address, value)

    programs = parts_by_accesses(np.random.default_rng(1), NAMES[:slaves], [*FLAGS[: 2 * slaves], *WORDS[3:]], 4)
    assert all(played(programs, memory, "").values())
    writes = {name: [(a.address, a.strobe) for a in steps if a.op == "write"] for name, steps in programs.items()}
    assert all({address for address, strobe in made} >= set(WORDS[3:]) for made in writes.values())
    words.clear()
    assert all(played(programs, memory, "", seldom="b").values())
    words.clear()
    assert not any(played(programs, memory, "a").values())


def test_bursts_of_different_bytes_of_a_word():
    made = list(parts_by_bursts(np.random.default_rng(1), NAMES, WORDS, 4).values())
    writes = made[0].bursts.kind == WRITE
    assert (sum(one.strobe.astype(int) for one in made) == writes[:, None]).all()
    assert all(one.strobe[writes].any(axis=1).all() for one in made)
    held = np.zeros((16, 4), np.uint8)
    for number, address in enumerate(made[0].bursts.address.tolist()):
        row = held[address // 4]
        for one in made:
            row[one.strobe[number]] = one.data[number][one.strobe[number]]
        for one in made:
            assert np.array_equal(row[one.checked[number]], one.data[number][one.checked[number]])
    assert all(one.checked[-16:].all() for one in made)
