# SPDX-License-Identifier: Apache-2.0
"""What comes of several queues in any order must be in the order of each queue."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.queue_order import overtaken


def trace(values: list[int], last: list[int] | None = None, tid: list[int] | None = None) -> Trace:
    return Trace.from_bytes(
        np.array(values, np.uint8).reshape(-1, 1),
        last=np.array(last or [1] * len(values), np.bool_),
        clock_ps=10,
        tid=None if tid is None else np.array(tid, np.uint64),
    )


@pytest.mark.parametrize(
    ("came", "early"),
    [
        ([1, 2, 3, 4, 5, 6], None),
        ([4, 1, 5, 2, 6, 3], None),
        ([4, 2, 1, 5, 3, 6], 1),
        ([1, 2, 3, 4, 6, 5], 4),
    ],
)
def test_words_of_two_queues(came: list[int], early: int | None) -> None:
    assert overtaken(trace([1, 2, 3, 4, 5, 6]), trace(came), [3, 3], words=True) == early


@pytest.mark.parametrize(("came", "early"), [([7, 8, 7, 9, 7], None), ([7, 7, 8, 7, 9], None), ([7, 7, 9, 8, 7], 2)])
def test_equal_words_may_be_of_any_queue(came: list[int], early: int | None) -> None:
    assert overtaken(trace([7, 8, 9, 7, 7]), trace(came), [3, 2], words=True) == early


def test_frames_stay_whole() -> None:
    want = trace([1, 2, 3, 4, 5, 6], [0, 1, 1, 1, 0, 1])
    assert overtaken(want, trace([4, 1, 2, 5, 6, 3], [1, 0, 1, 0, 1, 1]), [3, 3], words=False) is None
    assert overtaken(want, trace([3, 1, 2, 4, 5, 6], [1, 0, 1, 1, 0, 1]), [3, 3], words=False) == 0


def test_frames_of_other_tids_may_overtake() -> None:
    want = trace([1, 2, 3], tid=[0, 0, 1])
    assert overtaken(want, trace([3, 1, 2], tid=[1, 0, 0]), [3], words=True) is None
    assert overtaken(want, trace([2, 3, 1], tid=[0, 1, 0]), [3], words=True) == 0
