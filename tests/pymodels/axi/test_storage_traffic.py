# SPDX-License-Identifier: Apache-2.0
"""Random bursts on storage: legal, of every kind, and with one outcome whatever the timing is."""

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import DECERR, EXOKAY, FIXED, INCR, OKAY, READ, SLVERR, WRAP, WRITE
from goldbeat.pymodels.axi.program import ANY_ERROR
from goldbeat.pymodels.axi.storage_traffic import MERGED, BurstShape, Window, storage_bursts

WINDOWS = ((0x1000, 1024), (0xF000, 4096))


def drawn(seed, count=150, **shape):
    windows = [Window.unknown(*window) for window in WINDOWS]
    return storage_bursts(np.random.default_rng(seed), windows, BurstShape(8, 4, **shape), count), windows


@pytest.mark.parametrize("seed", range(4))
def test_bursts_are_legal_and_stay_on_their_storage(seed):
    program, _ = drawn(seed, exclusive=True)
    bursts = program.bursts
    lowest, span = bursts.span
    last = lowest + span - np.uint64(1)
    assert (lowest >> np.uint64(12) == last >> np.uint64(12)).all()
    assert all(
        any(base <= low and high < base + size for base, size in WINDOWS)
        for low, high in zip(lowest, last, strict=True)
    )
    assert set(bursts.burst) == {FIXED, INCR, WRAP}
    assert set(bursts.size) == {0, 1, 2, 3}
    assert bursts.len.max() > 100
    assert (bursts.len[bursts.burst == FIXED] < 16).all()
    assert set(bursts.len[bursts.burst == WRAP]) <= {1, 3, 7, 15}
    lock = bursts.lock != 0
    assert {OKAY, EXOKAY} == set(program.response[lock])
    assert not (bursts.address[lock] % bursts.total[lock]).any()
    assert not (program.strobe & ~bursts.lanes(8)).any()


@pytest.mark.parametrize("seed", range(4))
def test_what_touches_the_same_bytes_is_kept_apart(seed):
    bursts = drawn(seed)[0].bursts
    lowest, span = (column.astype(int).tolist() for column in bursts.span)
    write, barrier = bursts.kind == WRITE, np.cumsum(bursts.barrier)
    for later in range(len(bursts)):
        for sooner in range(later):
            meets = lowest[later] < lowest[sooner] + span[sooner] and lowest[sooner] < lowest[later] + span[later]
            assert not meets or not (write[later] or write[sooner]) or barrier[later] > barrier[sooner]


def test_reads_give_what_a_plain_array_holds():
    program, windows = drawn(7, exclusive=True)
    held = {}
    bursts, address, lanes = program.bursts, program.bursts.addresses().astype(int), program.bursts.lanes(8)
    for row, at in enumerate(bursts.of_beat):
        for lane in range(8):
            where = address[row] // 8 * 8 + lane
            if bursts.kind[at] == WRITE:
                if program.strobe[row, lane] and not (bursts.lock[at] and program.response[at] == OKAY):
                    held[where] = program.data[row, lane]
            elif lanes[row, lane]:
                assert program.checked[row, lane]
                assert program.data[row, lane] == held[where]
    assert all(held[w.base + at] == byte for w in windows for at, byte in enumerate(w.data))
    stored = dict(zip(*(column.tolist() for column in program.stored()), strict=True))
    assert stored == held


def test_bursts_to_nowhere_are_answered_so_whatever_their_length_and_kind():
    windows = [Window.unknown(0, 256)]
    rng = np.random.default_rng(1)
    program = storage_bursts(rng, windows, BurstShape(4), 1500, outside=[(0x8000, 0x2000), (0xF00, 0x40)])
    b = program.bursts
    lost = b.address >= 0x100
    assert (program.response[lost] == DECERR).all()
    assert (program.response[~lost] == OKAY).all()
    far = b.address >= 0x8000
    # None leaves its page, or reaches what comes behind.
    near = lost & ~far & (b.burst == INCR)
    first = b.address[near].astype(int) >> b.size[near] << b.size[near]
    assert (first + ((b.len[near].astype(int) + 1) << b.size[near]) <= 0xF40).all()
    seen = {(int(k), int(n) + 1, int(w)) for k, n, w in zip(b.kind[far], b.len[far], b.burst[far], strict=True)}
    assert {(READ, 256), (WRITE, 256)} <= {one[:2] for one in seen}
    assert {one[2] for one in seen} == {FIXED, INCR, WRAP}


@pytest.mark.parametrize("seed", range(5))
def test_halves_of_an_exclusive_pair_are_alike(seed):
    program, _ = drawn(seed, exclusive=True)
    b = program.bursts
    locked = np.flatnonzero(b.lock)
    reads, writes = locked[::2], locked[1::2]
    assert len(locked) >= 6
    assert (b.kind[reads] == READ).all()
    assert (b.kind[writes] == WRITE).all()
    for name in ("address", "len", "size", "burst", "id", "cache", "prot", "region"):
        column = getattr(b, name)
        assert (column[reads] == column[writes]).all(), name
    assert len(set(b.prot.tolist())) == 8


@pytest.mark.parametrize("merged", MERGED)
def test_a_write_that_meets_several_errors(merged):
    """It is answered with any of them, or with the one that is asked for."""
    window = Window.unknown(0, 256)
    window.answers = np.zeros((2, 256), np.uint8)
    window.answers[WRITE] = np.repeat(np.random.default_rng(0).choice([OKAY, SLVERR, DECERR], 64), 4)
    program = storage_bursts(np.random.default_rng(1), [window], BurstShape(4, longest=16, merged=merged), 150)
    found = set()
    for at in np.flatnonzero(program.bursts.kind == WRITE):
        begin = program.bursts.rows[at]
        errors = [one for one in program.beat_answers[begin : begin + program.bursts.len[at] + 1].tolist() if one]
        if len(set(errors)) == 2:
            want = {"any": ANY_ERROR, "first": errors[0], "last": errors[-1], "worst": DECERR}[merged]
            assert program.response[at] == want
            found.add((errors[0], errors[-1]))
    assert {(SLVERR, DECERR), (DECERR, SLVERR)} <= found
