# SPDX-License-Identifier: Apache-2.0
"""Null bytes of streams: where they are, what is left without them, and how a repacking design is compared."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.null_bytes import has_null_bytes, without_null_bytes
from goldbeat.pymodels.stimulus import Clock
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.traffic import KEEPS, random_trace


def trace(beats: list[tuple[str, bool]]) -> Trace:
    """Beats as text, ``-`` for a byte that is left out, and whether each is the last of a frame."""
    data = [[ord(letter) for letter in text] for text, _ in beats]
    keep = [[letter != "-" for letter in text] for text, _ in beats]
    return Trace.from_bytes(data, keep=keep, last=[last for _, last in beats], clock_ps=1000)


def texts(made: Trace) -> list[tuple[str, bool]]:
    rows = zip(made.data.tolist(), made.keep.tolist(), made.last.tolist(), strict=True)
    return [("".join(chr(b) if k else "-" for b, k in zip(data, keep, strict=True)), last) for data, keep, last in rows]


@pytest.mark.parametrize(
    ("beats", "holes"),
    [
        ([("ab", False), ("c-", True)], False),
        ([("ab", False), ("-c", True)], True),
        ([("a-", False), ("bc", True)], True),
        ([("ab", False), ("--", True)], True),
        ([], False),
    ],
)
def test_what_a_null_byte_is(beats: list[tuple[str, bool]], holes: bool) -> None:
    made = trace(beats) if beats else Trace.empty(16, clock_ps=1000)
    assert has_null_bytes(made) is holes


def test_frames_without_null_bytes() -> None:
    made = trace(
        [
            ("-a", False),
            ("--", False),
            ("b-", False),
            ("-c", True),
            ("--", True),
            ("de", True),
            ("--", False),
            ("f-", False),
        ]
    )
    assert texts(without_null_bytes(made)) == [("ab", False), ("c-", True), ("--", True), ("de", True), ("f-", False)]
    assert texts(without_null_bytes(made, 32)) == [("abc-", True), ("----", True), ("de--", True), ("f---", False)]
    assert without_null_bytes(without_null_bytes(made)) == without_null_bytes(made)


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("width", [8, 16, 64])
def test_traffic_leaves_out_what_it_says(keep: str, width: int) -> None:
    seen = False
    for seed in range(20):
        made = random_trace(np.random.default_rng(seed), width, 30, Clock(1000, 1000), keep=keep)
        rows = [frame.keep for frame in made.frames()]
        if keep == "full":
            assert made.keep.all()
        if keep == "hole":
            assert sum(not frame.all() for frame in rows) <= 1
        if keep in ("hole", "holes"):
            assert all(frame.any() for frame in rows)
        if keep == "empty":
            assert [frame.any() for frame in rows].count(False) == 1
            assert all(frame.all() or not frame.any() for frame in rows)
        seen |= has_null_bytes(made)
    assert seen is (keep in ("any", "holes", "hole", "empty"))


def test_unknown_traffic_is_refused() -> None:
    with pytest.raises(
        UsageError, match="option keep: found 'some', expected full, words, bytes, least, any, holes, hole, empty"
    ):
        random_trace(np.random.default_rng(0), 16, 4, Clock(1000, 1000), keep="some")
