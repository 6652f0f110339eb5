# SPDX-License-Identifier: Apache-2.0
"""``GDMA SUMMARY`` of a profile, the bytes of each direction, against the bytes of the entries."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd
from os import PathLike

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError

MARK = "GDMA SUMMARY"
_STATES = 1 << 14
"""Ways to divide entries that are followed, before each direction is looked at alone."""
_WORK = 1 << 33
"""Bits that are moved to look at a direction alone; beyond, only sums count."""


def check_moved(
    moved: Sequence[tuple[int, int, int]],
    size: npt.NDArray[np.int64],
    direction: npt.NDArray[np.int64],
    file: str | PathLike[str] | None,
    *,
    whole: bool,
) -> None:
    """Whether the bytes of each direction are those of its entries and of some that name no direction.

    Args:
        moved: line, direction and bytes for each direction that the summary says.
        size: (n,) bytes of the entries; -1 where they say none.
        direction: (n,) of the entries; -1 where they say none.
        file: for messages.
        whole: whether all moves have an entry with its bytes; if not, there may be more.

    Raises:
        InputError: they are not.
    """
    free = size[(direction < 0) & (size > 0)].tolist()
    spare, needs = sum(free), []
    for line, way, said in moved:
        mine = (direction == way) & (size > 0)
        known = int(size[mine].sum())
        needs.append(said - known)
        if said < known or (whole and said - known > spare):
            left = "what is left of the entries without dr"
            told = f"the bytes of the entries with dr:{way}" if mine.any() or not free else ""
            expected = f"{known + spare}, {' and '.join(filter(None, (told, left if free else '')))}"
            if said < known:
                expected = f"{known}{' or more' if free else ''}, {told}"
            raise _wrong(f"dr[{way}] {said}", expected, line, file)
        spare -= said - known
    if moved and spare > 0:
        total = int(size[size > 0].sum())
        raise _wrong(
            f"{total - spare} bytes", f"{total}{'' if whole else ' or more'}, those of all entries", moved[0][0], file
        )
    if moved and whole and not _divisible(tuple(needs), free):
        pairs = list(zip(moved, needs, strict=True))
        (line, way, said), need = next((one for one in pairs if not _reachable(one[1], free)), pairs[0])
        wanted = f"a sum of whole entries: no choice of those without dr has the {need} bytes"
        raise _wrong(f"dr[{way}] {said}", f"{wanted} that entries with dr:{way} lack", line, file)


def _wrong(found: str, expected: str, line: int, file: str | PathLike[str] | None) -> InputError:
    return InputError(f"{MARK} with {found}", expected, file=file, line=line)


def _divisible(needs: tuple[int, ...], free: Sequence[int]) -> bool:
    """Whether entries can be divided so that each direction gets what it needs; their sum is that of all needs."""
    states = {needs}
    for size in sorted(free, reverse=True):
        states = {
            (*one[:way], one[way] - size, *one[way + 1 :])
            for one in states
            for way in range(len(one))
            if one[way] >= size
        }
        if len(states) > _STATES:
            return all(_reachable(need, free) for need in needs)
    return bool(states)


def _reachable(need: int, free: Sequence[int]) -> bool:
    """Whether some entries have so many bytes together; taken as true where that takes too long."""
    unit = gcd(*free) or 1
    if need % unit:
        return False
    if need // unit * len(free) > _WORK:
        return True
    mask, sums = (1 << need // unit + 1) - 1, 1
    for size in free:
        sums |= sums << size // unit & mask
    return bool(sums >> need // unit)
