# SPDX-License-Identifier: Apache-2.0
"""Cores at a DMA engine: what a core does with locks and objects, as descriptors of a spare channel of the engine.

An engine moves data and counts locks; a core is somebody who takes and gives locks and touches objects. So a channel can
stand for a core: one that moves each object to or from a stream of its own (:func:`channel_objects`), or one that goes through a
program's acquires and releases, with a word for each that nobody looks at (:func:`core_program`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.registers import Descriptor
from goldbeat.pymodels.objfifo.plan.access import LockAccess
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd, LockKey
from goldbeat.pymodels.objfifo.untimed.recorded_cores import EndName

Place = Callable[[str], tuple[int, int]]
"""A buffer's name -> its first word and its words in the engine's memory."""
LockOf = Callable[[LockKey], int]
"""A lock of a tile -> its number in the engine."""


def channel_objects(end: CoreEnd, place: Place, lock: LockOf) -> list[Descriptor]:
    """One object after the other: taken, moved, given on. A ring, its links left out."""
    take, give = (lock(end.take), end.units), (lock(end.give), end.units)
    found = []
    for name in end.pool.buffers:
        first, words = place(name)
        found.append(Descriptor(first, words, acquire=take, release=give))
    return found


def core_program(
    accesses: Iterable[LockAccess], ends: Mapping[EndName, CoreEnd], lock: LockOf, word: int = 0
) -> tuple[list[Descriptor], int]:
    """Acquires and releases, each a descriptor of one word.

    Args:
        accesses: in order, up to the program's end.
        ends: of the fifos that it uses.
        lock: numbers of locks.
        word: address of the word.

    Returns:
        a chain, its links left out, and how many times more it is run: a program that repeats itself is written once.

    Raises:
        UsageError: a release of more objects than are held.
    """
    held = dict.fromkeys(ends, 0)
    found: list[Descriptor] = []
    for access in accesses:
        end = ends[access.key]
        if access.acquire:
            need = max(0, access.count - held[access.key]) * end.units
            held[access.key] = max(held[access.key], access.count)
            if need:
                found.append(Descriptor(word, 1, acquire=(lock(end.take), need)))
            continue
        if access.count > held[access.key]:
            raise UsageError(f"{access.fifo}: {access.count} object(s) are released, {held[access.key]} are held")
        held[access.key] -= access.count
        found.append(Descriptor(word, 1, release=(lock(end.give), access.count * end.units)))
    for period in range(1, len(found) + 1):
        times, rest = divmod(len(found), period)
        if rest == 0 and found == found[:period] * times:
            return found[:period], times - 1
    return [], 0
