# SPDX-License-Identifier: Apache-2.0
"""The accesses that reached a memory against those that led there: their attributes, and how often they came."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.attributes import Carried
from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts

_COLUMNS = {"region": "space"}
"""What the log of a memory calls an attribute."""
_KINDS = {READ: "read", WRITE: "write"}
_AT_ONCE = 256
"""Accesses that are compared with all that may have led to them in one step."""
_MOST_WRONG = 2048
"""Accesses that are wrong and looked at closely."""


def check_attributes(port: str, carried: Carried, log: npt.NDArray[Any]) -> tuple[list[str], int]:
    """Compare what arrived with what was asked for.

    An access at the memory has the attributes of one that asked for some of its bytes. In which order several arrive is not
    known here, so any of them will do.

    Returns:
        failures, each a text that stands alone; accesses compared.
    """
    lowest, count = _bursts(log).span
    failures: list[str] = []
    compared = 0
    for kind, asked_words in sorted(carried.words.items()):
        if kind in carried.once or asked_words.fixed.any():
            failures += _arrivals(port, carried, log[log["kind"] == kind], kind)
    for kind in _KINDS:
        names = [name for one, name in carried.signals if one == kind]
        mine, asked = np.flatnonzero(log["kind"] == kind), np.flatnonzero(carried.kind == kind)
        if not (names and len(mine) and len(asked)):
            continue
        total, wrong_ones = len(mine), list[int]()
        near_by = mine[np.argsort(lowest[mine], kind="stable")]
        for start in range(0, total, _AT_ONCE):
            some = near_by[start : start + _AT_ONCE]
            first, end = lowest[some].min(), (lowest + count)[some].max()
            led = asked[(carried.begin[asked] < end) & (carried.end[asked] > first)]
            meets, equal = _met(carried, led, names, log, some, lowest, count)
            known = meets.any(axis=1)
            compared += int(known.sum())
            wrong_ones += some[known & ~np.logical_and.reduce([meets, *equal.values()]).any(axis=1)].tolist()
        if not wrong_ones:
            continue
        mine = np.sort(np.array(wrong_ones))[:_MOST_WRONG]
        least = "" if len(mine) == len(wrong_ones) else "at least "
        meets, equal = _met(carried, asked, names, log, mine, lowest, count)
        known = wrong = np.ones(len(mine), np.bool_)
        alone = {name: known & ~(meets & one).any(axis=1) for name, one in equal.items()}
        found = {name: rows for name, rows in alone.items() if rows.any()}
        if not found:
            # Each value is that of some access, but not all of the same one: the nearest one tells what is wrong.
            at = int(np.argmax(wrong))
            near = int(np.argmax(np.where(meets[at], sum(one[at].astype(int) for one in equal.values()), -1)))
            found = {name: wrong for name, one in equal.items() if not one[at, near]}
        for name, rows in found.items():
            at = int(np.argmax(rows))
            wanted = dict.fromkeys(carried.values[name][asked[meets[at] & ~equal[name][at]]].tolist())
            failures.append(
                f"memory {port}: {carried.signals[kind, name]} of {least}{int(rows.sum())} of {total} {_KINDS[kind]}s differs, "
                f"the first at 0x{int(log['address'][mine[at]]):x}: expected {' or '.join(map(str, wanted))}, got "
                f"{int(log[_COLUMNS.get(name, name)][mine[at]])}; if the design may change it, confirm it in [unchecked]"
            )
    if carried.write_user and (writes := log[log["kind"] == WRITE]).size:
        compared += len(writes)
        if (wrong_rows := np.flatnonzero(writes["wrong_users"])).size:
            failures.append(
                f"memory {port}: {carried.write_user} of {len(wrong_rows)} of {len(writes)} writes differs, the first at "
                f"0x{int(writes['address'][wrong_rows[0]]):x}; if the design may change it, confirm it in [unchecked]"
            )
    return failures, compared


def _bursts(log: npt.NDArray[Any]) -> Bursts:
    return Bursts(**{name: log[name] for name in ("kind", "address", "len", "size", "burst")})


def _arrivals(port: str, carried: Carried, log: npt.NDArray[Any], kind: int) -> Iterator[str]:
    """Words that were accessed more often than that was asked for, or, in FIXED bursts, less often; else the order."""
    asked = carried.words[kind]
    unit = np.uint64(asked.unit)
    came, count = np.unique(_bursts(log).addresses() // unit * unit, return_counts=True)
    if kind in carried.once:
        wanted, most = np.unique(asked.address, return_counts=True)
        # Who writes whole lines reaches words that nobody has asked for.
        if np.isin(came, wanted).all() and (text := _differ(came, count, wanted, most, more=True)):
            yield f"memory {port}: {_KINDS[kind]}s of {text}"
            return
    wanted, least = np.unique(asked.address[asked.fixed], return_counts=True)
    if text := _differ(came, count, wanted, least, more=False):
        yield f"memory {port}: {_KINDS[kind]}s of FIXED bursts of {text}"
    elif kind in carried.ordered:
        yield from _overtaken(port, carried, log["address"], kind)


def _differ(
    came: npt.NDArray[np.uint64],
    count: npt.NDArray[np.int64],
    wanted: npt.NDArray[np.uint64],
    asked: npt.NDArray[np.int64],
    *,
    more: bool,
) -> str:
    """How many words arrive more often than asked for, or less often, with the first one; empty: none."""
    got = np.zeros(len(wanted), np.int64)
    _, left, right = np.intersect1d(wanted, came, assume_unique=True, return_indices=True)
    got[left] = count[right]
    wrong = np.flatnonzero(got > asked if more else got < asked)
    if not len(wrong):
        return ""
    first = wrong[0]
    return (
        f"{len(wrong)} of {len(wanted)} words arrive {'more' if more else 'less'} often than they were made, the first at "
        f"0x{int(wanted[first]):x}: expected {asked[first]}, got {got[first]}"
    )


def _overtaken(port: str, carried: Carried, address: npt.NDArray[np.uint64], kind: int) -> Iterator[str]:
    """The first access that arrives in another order."""
    mine = np.flatnonzero(carried.kind == kind)
    word = np.uint64(max(1, int((carried.end - carried.begin)[mine].min(initial=1 << 62))))
    words = address // word * word
    for slave in np.unique(carried.slave[mine]):
        own = mine[carried.slave[mine] == slave]
        own = own[np.argsort(carried.place[own], kind="stable")]
        others = set(carried.begin[mine[carried.slave[mine] != slave]].tolist())
        places: dict[int, list[int]] = defaultdict(list)
        for place, begin in enumerate(carried.begin[own].tolist()):
            places[begin].append(place)
        after = 0
        for begin in words.tolist():
            if begin in others or begin not in places:
                continue
            at = bisect_left(places[begin], after)
            if at == len(places[begin]):
                made = int(carried.begin[own[after - 1]])
                yield (
                    f"memory {port}: the {_KINDS[kind]} of 0x{begin:x} arrives behind that of 0x{made:x}, expected in front of it"
                )
                return
            after = places[begin][at] + 1


def _met(
    carried: Carried,
    asked: npt.NDArray[np.int64],
    names: Sequence[str],
    log: npt.NDArray[Any],
    mine: npt.NDArray[np.int64],
    lowest: npt.NDArray[np.uint64],
    count: npt.NDArray[np.uint64],
) -> tuple[npt.NDArray[np.bool_], dict[str, npt.NDArray[np.bool_]]]:
    """(mine, asked) where accesses that arrived touch bytes that were asked for, and by name where their attributes are equal."""
    meets = carried.begin[asked] < (lowest + count)[mine, None]
    meets &= carried.end[asked] > lowest[mine, None]
    return meets, {name: _equal(carried.values[name][asked], log[_COLUMNS.get(name, name)][mine]) for name in names}


def _equal(wanted: npt.NDArray[np.int64], got: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """(rows, accesses) where an attribute is that of the access, or where the access has none."""
    equal: npt.NDArray[np.bool_] = (wanted == got.astype(np.int64)[:, None]) | (wanted == -1)
    return equal
