# SPDX-License-Identifier: Apache-2.0
"""What is behind the first wrong or missing word that left a tile in RTL."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.diagnose.stream_word import word_of_channel
from goldbeat.pymodels.objfifo.plan.plan import Direction, Plan
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.tiles import TileScene

_NEAR = 64
"""Words around the wrong one among which the found value is looked for."""
Halves = npt.NDArray[np.uint32]


def wrong_word(plan: Plan, one: TileScene, index: int, got: Halves, wanted: Halves, locks: Trace) -> str:
    """The first difference of a channel's words: its object and element, the descriptor and walk that made it.

    Args:
        plan: of the design.
        one: the tile.
        index: of the MM2S channel.
        got: words that left it.
        wanted: words of the design, at least as many.
        locks: values of the tile's locks.
    """
    tile = one.tile.tile
    bad = np.flatnonzero(got != wanted[: len(got)])
    at = int(bad[0]) if len(bad) else len(got)
    place = word_of_channel(plan, tile, Direction.MM2S, index, at)
    if len(bad):
        text = f": {len(bad)} differ, first 0x{int(got[at]):08x}, expected 0x{int(wanted[at]):08x}"
        return f"{text}; {place}{_elsewhere(int(got[at]), wanted, at)}"
    text = f": {len(got)} of {len(wanted)} left; the next is {place}"
    if place is None or place.at:
        return text
    bd = next(b for b in plan.tile(tile).channel(Direction.MM2S, index).bds if b.id == place.bd)
    if bd.acquire is None:
        return text
    number = bd.acquire.lock
    value = int(locks.data[-1][number]) if len(locks) else one.scene.locks.get(number, 0)
    name = plan.tile(tile).lock(number).name
    return f"{text}, which waits for lock {name} ({number}): it is {value}, to reach {bd.acquire.value}"


def _elsewhere(value: int, wanted: Halves, at: int) -> str:
    """Whether the value belongs to another word nearby: the words are shifted."""
    first = max(0, at - _NEAR)
    near = first + np.flatnonzero(wanted[first : at + _NEAR] == value)
    if len(near) != 1:
        return ""
    return f"; the value found is that of word {int(near[0])}"
