# SPDX-License-Identifier: Apache-2.0
"""Rows of a process of their own: where the RTL is not as the golden model says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.trace import Trace, in_step
from goldbeat.tb.timeline.rows import Column, Entry, Named, Numbers, Slices
from goldbeat.tb.timeline.side import TimelineSide

_WHAT = ("differs", "missing", "extra")
_DIFFERS, _MISSING, _EXTRA = range(3)


def stream_differences(
    model: TimelineSide, rtl: TimelineSide, port: str, earliest: Numbers | None, *, timed: bool
) -> Iterator[Entry]:
    """Beats that are other than expected, late, early, missing or too many; nothing where all are right.

    Args:
        model: one side.
        rtl: the other.
        port: stream port.
        earliest: (n,) cycle from which on each beat may come; None: in that of the model alone.
        timed: cycles are compared.
    """
    expected, got = model.outcome.ports.get(port), rtl.outcome.ports[port]
    if expected is None or expected.width != got.width:
        return
    bad, n = _differing(expected, got, earliest, timed=timed), min(len(expected), len(got))
    extra, missing = np.arange(n, len(got)), np.arange(n, len(expected))
    kind = np.repeat([_DIFFERS, _EXTRA, _MISSING], [len(bad), len(extra), len(missing)])
    if not len(kind):
        return
    beat = np.concatenate([bad, extra, missing]).astype(np.int64)
    here, there = got.cycle, expected.cycle
    cycle = np.concatenate([here[bad], here[extra], there[missing]])
    wanted = np.concatenate([there[bad], np.full(len(extra), -1), there[missing]])
    order = np.argsort(cycle, kind="stable")
    cycle, kind, beat, wanted = cycle[order], kind[order], beat[order], wanted[order]
    args: dict[str, Column] = {"beat": beat, "cycle": cycle, "expected_cycle": wanted, "beats": np.ones(len(beat), int)}
    begin = rtl.beats(got, cycle)
    wrong = Slices(port, begin, begin + got.clock_ps, Named(_WHAT, kind), None, args, ("beats",))
    # What did not come would have come while others did.
    for row, rows in ((port, kind != _MISSING), (f"{port} {_WHAT[_MISSING]}", kind == _MISSING)):
        if rows.any():
            yield replace(wrong[np.flatnonzero(rows)], row=row)


def _differing(expected: Trace, got: Trace, earliest: Numbers | None, *, timed: bool) -> npt.NDArray[np.int64]:
    found = [np.zeros(0, np.int64)]
    for start, one, other in in_step(expected, got):
        exact = timed and earliest is None
        columns = one.differences(other, time="exact" if exact else "ignore")
        bad = np.logical_or.reduce([rows for _, rows in columns])
        if timed and earliest is not None:
            bad |= (other.cycle > one.cycle) | (other.cycle < earliest[start : start + len(one)])
        found.append(start + np.flatnonzero(bad))
    return np.concatenate(found)


def burst_differences(
    model: TimelineSide, rtl: TimelineSide, port: str, columns: frozenset[str], *, timed: bool
) -> Iterator[Entry]:
    """Bursts that are other than expected, in the order of their addresses; nothing where all are right.

    Args:
        model: one side.
        rtl: the other.
        port: master of the design.
        columns: of the log, those that both sides have.
        timed: cycles are compared.
    """
    expected, got = model.rows(port), rtl.rows(port)
    if expected is None or got is None:
        return
    n = min(len(expected), len(got))
    compared = sorted(columns - (frozenset() if timed else {"cycle", "first", "last", "done"}))
    bad = np.zeros(n, np.bool_)
    for name in compared:
        bad |= expected[name][:n].astype(np.int64) != got[name][:n].astype(np.int64)
    for side, log, rows, kind in (
        (rtl, got, np.flatnonzero(bad), _DIFFERS),
        (rtl, got, np.arange(n, len(got)), _EXTRA),
        (model, expected, np.arange(n, len(expected)), _MISSING),
    ):
        if len(rows):
            begin = side.moments(port, log["cycle"][rows], side.behind(port)[rows])
            args: dict[str, Column] = {"burst": rows, "cycle": log["cycle"][rows].astype(np.int64)}
            end = begin + side.clock(port).period_ps
            yield Slices(f"{port} {_WHAT[kind]}", begin, end, _WHAT[kind], None, args)
