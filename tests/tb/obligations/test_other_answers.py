# SPDX-License-Identifier: Apache-2.0
"""What slaves and bridges do regularly in place of a guessed model is found, and what a fault does is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.axi.burst import Bursts
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.obligations.other_answers import ends_before, fixed_bits, refuses, repeats_every, writes_whole

RNG = np.random.default_rng(3)
ACCESSES = [
    Access(("read", "write")[int(n) & 1], 4 * int(at), int(n) + 1, prot=int(n) >> 1 & 7, strobe=(15, 15, 3)[int(n) % 3])
    for n, at in zip(RNG.integers(0, 1 << 20, 900), RNG.integers(0, 256, 900), strict=True)
]


def result_of(asked: Sequence[Access], came: Sequence[Any]) -> Any:
    """A run of one episode with one register port."""
    episode = SimpleNamespace(
        stimulus=SimpleNamespace(program={"s": asked}, bursts={}, stop_ps=None),
        expected=SimpleNamespace(accesses={}),
        record=SimpleNamespace(accesses={"s": came}),
    )
    design = SimpleNamespace(register_ports=lambda params: [SimpleNamespace(data_width=32)])
    return SimpleNamespace(request=SimpleNamespace(design=design, all_params={}), episodes=[episode])


def answers(
    refused: Callable[[int, Access], bool], cycles: Callable[[int, bool], int] = lambda n, error: 5
) -> list[Any]:
    """What comes of :data:`ACCESSES`, reads as expected, where these are refused."""
    found = []
    for n, access in enumerate(ACCESSES):
        error = refused(n, access)
        value = None if error or access.op == "write" else access.value
        found.append(SimpleNamespace(value=value, error=error, first=0, cycle=cycles(n, error)))
    return found


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (lambda n, one: one.address >= 768, "addresses from 0x300 on are refused, and an array"),
        (lambda n, one: one.address >= 512, ""),
        (lambda n, one: one.address >= 768 and n % 9, ""),
        (lambda n, one: one.prot & 2, "accesses that have bit 1 of PROT = 1 are refused"),
        (
            lambda n, one: one.prot & 1 == 0 and one.address >= 512,
            "accesses that have bit 0 of PROT = 0 and have bit 9 of",
        ),
        (
            lambda n, one: one.op == "write" and one.address < 128,
            "accesses that are writes and have bit 7 of the address = 0",
        ),
        (
            lambda n, one: one.op == "write" and one.strobe != 15,
            "accesses that are writes and write a part of a word are",
        ),
        # Faults: one place, some of the accesses, the middle of the addresses.
        (lambda n, one: one.op == "write" and one.address & ~12 == 0x80, ""),
        (lambda n, one: one.op == "write" and n % 50 == 7, ""),
        (lambda n, one: 256 <= one.address < 320, ""),
        (lambda n, one: False, ""),
        (lambda n, one: True, ""),
    ],
)
def test_accesses_of_one_kind_are_refused(refused: Callable[[int, Access], bool], said: str) -> None:
    found = refuses([result_of(ACCESSES, answers(lambda n, one: bool(refused(n, one))))], [768])
    assert found.startswith(said)
    assert bool(found) is bool(said)


def test_what_is_wrong_beside_refusals_is_a_fault() -> None:
    came = answers(lambda n, one: one.address >= 768)
    at = next(n for n, one in enumerate(ACCESSES) if one.op == "read" and one.address < 768)
    came[at].value ^= 1
    assert refuses([result_of(ACCESSES, came)], [768]) == ""


def test_a_write_that_was_refused_may_be_missing() -> None:
    """Until the next write of the word."""
    came = answers(lambda n, one: one.prot & 2 != 0)
    lost = next(n for n, one in enumerate(ACCESSES) if one.op == "write" and one.prot & 2 and one.strobe == 15)
    asked = [*ACCESSES, ACCESSES[lost], Access("read", ACCESSES[lost].address, 7)]
    wrong = SimpleNamespace(value=8, error=False, first=0, cycle=5)
    assert refuses([result_of(asked, [*came, came[lost], wrong])], ())
    again = Access("write", ACCESSES[lost].address, 9)
    asked = [*asked[:-1], again, asked[-1]]
    assert not refuses(
        [result_of(asked, [*came, came[lost], SimpleNamespace(value=None, error=False, first=0, cycle=5), wrong])], ()
    )


@pytest.mark.parametrize(("least", "found"), [(130, True), (6, False)])
def test_a_bridge_may_give_up(least: int, found: bool) -> None:
    came = answers(lambda n, one: n % 9 == 4, lambda n, error: least + n // 9 % 3 * 100 if error else 5)
    assert bool(refuses([result_of(ACCESSES, came)], ())) is found


def test_bursts_are_refused_as_accesses_are() -> None:
    address = RNG.integers(0, 1024, 200) * 4
    bursts = Bursts(kind=np.arange(200) % 2, address=address, len=0, size=2)
    data = RNG.integers(0, 256, (200, 4), dtype=np.uint8)
    ones = np.ones_like(data, dtype=np.bool_)
    program = BurstProgram(bursts, data, ones, ones, np.zeros(200, np.int64))
    for wrong in (0, 1):
        response = np.where(address >= 0xC00, 2, 0)
        response[int(np.argmax(address >= 0xC00))] *= 1 - wrong
        times = np.zeros(200, np.int64)
        episode = SimpleNamespace(
            stimulus=SimpleNamespace(program={}, bursts={"s": program}, stop_ps=None),
            record=SimpleNamespace(
                bursts={"s": SimpleNamespace(response=response, data=data, done=times, offered=times)}
            ),
        )
        result: Any = SimpleNamespace(episodes=[episode])
        assert bool(refuses([result], [0xC00])) is not wrong


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda at, value: 0x15 if at == 0 else value & 0xFF if at == 4 else value, "bits of 2 of 16 words are fixed"),
        (lambda at, value: value, ""),
        (lambda at, value: value ^ 1 if at == 8 else value, ""),
        (lambda at, value: value & 0xFF, ""),
    ],
)
def test_words_with_fixed_bits(change: Callable[[int, int], int], found: str) -> None:
    """As few of a register file have; not those of most words, and no bits that change otherwise."""
    values = [(4 * (n % 16), int(v)) for n, v in enumerate(RNG.integers(1, 1 << 32, 160))]
    asked = [Access("read", at, value) for at, value in values]
    came = [SimpleNamespace(value=change(at, value), error=False) for at, value in values]
    said = fixed_bits([result_of(asked, came)])
    assert said.startswith(found)
    assert bool(said) is bool(found)


@pytest.mark.parametrize(("size", "found"), [(64, 64), (256, 256), (96, 0), (1024, 0)])
def test_addresses_that_begin_again(size: int, found: int) -> None:
    asked, came, held = [], [], dict[int, int]()
    for n, value in enumerate(map(int, RNG.integers(1, 1 << 32, 800))):
        at = 4 * int(RNG.integers(0, 256))
        if n % 2:
            held[at % size] = value
        asked.append(Access("write" if n % 2 else "read", at, value))
        came.append(SimpleNamespace(value=None if n % 2 else held.get(at % size, 0), error=False))
    assert repeats_every([result_of(asked, came)]) == found


@pytest.mark.parametrize(
    ("first", "fixed", "found"), [(0x300, True, True), (0x304, True, False), (0x300, False, False)]
)
def test_a_memory_may_end_before_its_addresses(first: int, fixed: bool, found: bool) -> None:
    """At an array of the RTL; behind it comes one value."""
    reads = [Access("read", one.address, one.value) for one in ACCESSES]
    came = [
        SimpleNamespace(value=(9 << 40) * fixed or one.value ^ 1 if one.address >= first else one.value, error=False)
        for one in reads
    ]
    assert bool(ends_before([result_of(reads, came)], [0x300])) is found


@pytest.mark.parametrize("whole", [False, True])
def test_registers_may_ignore_strobes(whole: bool) -> None:
    held, came = dict[int, int](), []
    asked = [
        Access(one.op, one.address % 64, int(v), strobe=one.strobe)
        for one, v in zip(ACCESSES, RNG.integers(1, 1 << 32, 900), strict=True)
    ]
    for access in asked:
        if access.op == "write":
            mask = 0xFFFFFFFF if whole or access.strobe == 15 else 0xFFFF
            held[access.address] = held.get(access.address, 0) & ~mask | (access.value or 0) & mask
        came.append(SimpleNamespace(value=held.get(access.address, 0) if access.op == "read" else None, error=False))
    assert writes_whole([result_of(asked, came)]) is whole
