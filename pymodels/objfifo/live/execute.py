# SPDX-License-Identifier: Apache-2.0
"""Run an array twice, the cores before the host and after it: what depends on who is faster shows.

On silicon cores run from configuration on, long before the first transfer: the first order is the one that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.live.array import LiveArray


@dataclass(frozen=True)
class LiveResult:
    """What a run came to.

    Attributes:
        completes: the host's sequence and its transfers end, in both orders.
        hosts: the host's arrays afterwards, where the cores began before the host.
        differing: host arrays that differ if the host is faster; empty for a result that can be relied on.
        report: who waits for what, where it hangs.
        remarks: what a user should know.
        words: words that each channel moved.
    """

    completes: bool
    hosts: dict[str, npt.NDArray[Any]]
    differing: tuple[str, ...]
    report: tuple[str, ...]
    remarks: tuple[str, ...]
    words: dict[str, int]


def run_live(build: Callable[[], LiveArray], inputs: Mapping[str, npt.ArrayLike] | None = None) -> LiveResult:
    """Execute an array without time.

    Args:
        build: sets up a fresh array; called twice.
        inputs: the host's arrays; zeros where there is none.
    """
    results = []
    for host_first in (False, True):
        array = build()
        try:
            array.hand_in(dict(inputs or {}))
            good = array.run(host_first=host_first)
            hosts = {name: array.host_view(name).copy() for name in array.hosts}
            words = {c.name: c.words for c in array.channels.values()}
            results.append((good, hosts, array.report() if not good else [], array.remarks, words))
        finally:
            array.close()
    first, second = results
    differing = tuple(n for n in first[1] if not np.array_equal(first[1][n], second[1][n]))
    if first[0] != second[0]:
        differing += ("the end: one order hangs",)
    bad = first if not first[0] else second
    remarks = tuple(dict.fromkeys(first[3] + second[3]))
    return LiveResult(first[0] and second[0], first[1], differing, tuple(bad[2]), remarks, first[4])
