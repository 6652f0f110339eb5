# SPDX-License-Identifier: Apache-2.0
"""What every operation did on the timed machine: when it worked, what it moved, what it waited for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

OPERATIONS = "operations"
"""Name of the rows in :attr:`goldbeat.pymodels.stimulus.Outcome.details`."""
ENGINES = ("CONV", "SDP", "PDP", "CDP")
WORK = "work"
WAITS = ("read", "write", "sums", "data", "weights", "load", "sdp")
"""What an operation waits for, cycle by cycle:

``read``, ``write``: DBB; SDP on the fly also for PDP to take its atoms. ``sums``: what another engine hands over on the fly.
Convolutions: ``data``, ``weights``: not fetched yet; ``load``: weights on their way from the buffer to the multipliers; ``sdp``:
room behind the sums, or the last of them to be taken.
"""
_COLUMNS = ("fetch", "start", "done", "read", "weights_read", "written")


@dataclass(eq=False)
class OperationActivity:
    """An operation of an engine.

    Attributes:
        engine: one of :data:`ENGINES`.
        fetch: edge at which a convolution's fetch starts; of other engines ``start``.
        start: edge at which it starts.
        done: edge at which its status bit is set.
        read, weights_read, written: bytes on DBB; data, weights of a convolution, results.
        cycles: edges behind ``start`` until ``done``, by :data:`WORK` and :data:`WAITS`.
    """

    engine: str
    fetch: int
    start: int = -1
    done: int = -1
    read: int = 0
    weights_read: int = 0
    written: int = 0
    cycles: Counter[str] = field(default_factory=Counter)


def activity_rows(found: Sequence[OperationActivity]) -> npt.NDArray[Any]:
    """Rows of the operations that are done, in the order of their starts.

    Columns: ``engine`` (index in :data:`ENGINES`), edges, bytes, ``work`` and ``wait_NAME`` in cycles.
    """
    names = ["engine", *_COLUMNS, WORK, *(f"wait_{name}" for name in WAITS)]
    rows = np.zeros(len([one for one in found if one.done >= 0]), [(name, np.int64) for name in names])
    for row, one in zip(rows, sorted((o for o in found if o.done >= 0), key=lambda o: o.start), strict=True):
        row["engine"] = ENGINES.index(one.engine)
        for name in _COLUMNS:
            row[name] = getattr(one, name)
        row[WORK] = one.cycles[WORK]
        for name in WAITS:
            row[f"wait_{name}"] = one.cycles[name]
    return rows
