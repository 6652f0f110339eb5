# SPDX-License-Identifier: Apache-2.0
"""A core that was executed, as one channel into memory: its lock requests in order, and the words of the objects it made.

Every request takes cycles, and what the core computes takes cycles: words that nobody looks at go to a scratch place
meanwhile, one in each cycle. A channel has the descriptors in its tasks, or, where these cannot hold them, is told of each
by a header in front of its words (objfifo-array.md, Cores of a design).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.core_channels import LockOf, Place
from goldbeat.pymodels.objfifo.engine.engine import OOO_LSB
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, TimingProfile
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.untimed.core_deeds import CoreDeed
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd
from goldbeat.pymodels.objfifo.untimed.recorded_cores import EndName

CALL_CYCLES = {TimingProfile.IDEAL: 1, TimingProfile.NPU1: 14}
"""Cycles of an acquire or release (npu1.md, Origin of the numbers)."""

HEADER_CYCLES = {TimingProfile.IDEAL: 4, TimingProfile.NPU1: 6}
"""Cycles that a header takes, from the last word of a descriptor to the first one of the next (objfifo-engine.md, Out of order)."""

ACQUIRE_CYCLES = 1
"""Cycles more of a descriptor behind a header, if it acquires a lock."""

SCRATCH_WORDS = 16
"""Words of the scratch place."""

MOST_CYCLES = (1 << 18) - 1
"""A descriptor has no more words."""


@dataclass(frozen=True)
class CoreStream:
    """What a channel does for a core.

    Attributes:
        chain: descriptors in the order of execution, their links left out.
        words: that come in, for all of them.
    """

    chain: tuple[Descriptor, ...]
    words: npt.NDArray[np.uint32]

    def with_headers(self, first: int) -> tuple[list[Descriptor], npt.NDArray[np.uint32]]:
        """The same for an out-of-order channel: each descriptor once, and the words with a header in front of each use.

        Args:
            first: number of the first descriptor in the table.
        """
        numbers: dict[Descriptor, int] = {}
        headers = [numbers.setdefault(one, first + len(numbers)) << OOO_LSB for one in self.chain]
        begins = np.cumsum([0, *(one.length for one in self.chain[:-1])])
        return [*numbers], np.insert(self.words, begins, np.array(headers, np.uint32))


class _Chain:
    """Descriptors as they are written: the last one is open for the release that ends it.

    Cycles that headers take are left out where time is spent next.
    """

    def __init__(self, scratch: int, header: int) -> None:
        self.descriptors: list[Descriptor] = []
        self.words: list[npt.NDArray[np.uint32]] = []
        self._scratch, self._header = scratch, header
        self._owed = 0
        self._open = False

    def add(self, descriptor: Descriptor, words: npt.NDArray[np.uint32]) -> None:
        self._owed += self._cost(descriptor.acquire)
        self._put(descriptor, words)

    def _cost(self, acquire: tuple[int, int] | None) -> int:
        if not self._header:
            return 0
        return self._header + (0 if acquire is None else ACQUIRE_CYCLES)

    def _put(self, descriptor: Descriptor, words: npt.NDArray[np.uint32]) -> None:
        self.descriptors.append(descriptor)
        self.words.append(words)
        self._open = True

    def spend(self, cycles: int, acquire: tuple[int, int] | None = None) -> None:
        """Let cycles go by, behind an acquire if there is one."""
        owed = self._owed + self._cost(acquire)
        words = max(1, cycles - owed)
        self._owed = owed - (cycles - words)
        # In steps of 1 within the scratch place: as few accesses to memory as can be.
        wraps = (SCRATCH_WORDS, 0, 0) if words > SCRATCH_WORDS else (0, 0, 0)
        self._put(Descriptor(self._scratch, words, wraps, acquire=acquire), np.zeros(words, np.uint32))

    def release(self, lock: int, count: int) -> None:
        """Give a lock at the end of what was written last."""
        if not self._open:
            self.spend(1)
        self.descriptors[-1] = replace(self.descriptors[-1], release=(lock, count))
        self._open = False


def core_stream(
    deeds: Sequence[CoreDeed],
    ends: Mapping[EndName, CoreEnd],
    place: Place,
    lock: LockOf,
    *,
    scratch: int,
    call: int,
    work: int,
    header: int = 0,
) -> CoreStream:
    """A core's deeds as descriptors.

    Args:
        deeds: in order.
        ends: of the fifos that it uses.
        place: where a buffer is.
        lock: numbers of locks.
        scratch: first word of :data:`SCRATCH_WORDS` that nothing else uses.
        call: cycles from each request to the next one.
        work: cycles between the last acquire and the first release behind it.
        header: cycles of the header in front of each descriptor; 0: there is none.

    Raises:
        UsageError: a release of more objects than are held, or more cycles than a descriptor can have.
    """
    if not 0 <= work <= MOST_CYCLES:
        raise UsageError(f"{work} cycles of work: expected 0 to {MOST_CYCLES}")
    chain = _Chain(scratch, header)
    held, made = dict.fromkeys(ends, 0), dict.fromkeys(ends, 0)
    computed = _computed(deeds)
    idle = False
    for number, access in enumerate(deed.access for deed in deeds):
        key, end = access.key, ends[access.key]
        if access.acquire:
            need = max(0, access.count - held[key]) * end.units
            held[key] = max(held[key], access.count)
            if need:
                chain.spend(call, (lock(end.take), need))
            idle = True
            continue
        if access.count > held[key]:
            raise UsageError(f"{access.fifo}: {access.count} object(s) are released, {held[key]} are held")
        for whose, one in computed.get(number, ()):
            pool = ends[whose].pool
            chain.add(Descriptor(place(pool.buffers[made[whose] % pool.depth])[0], len(one)), one)
            made[whose] += 1
        if idle and work:
            chain.spend(work)
        idle = False
        held[key] -= access.count
        chain.release(lock(end.give), access.count * end.units)
        chain.spend(call)
    words = np.concatenate(chain.words) if chain.words else np.zeros(0, np.uint32)
    return CoreStream(tuple(chain.descriptors), words)


def _computed(deeds: Sequence[CoreDeed]) -> dict[int, list[tuple[EndName, npt.NDArray[np.uint32]]]]:
    """The objects that are made in front of each release, by its number: those acquired since the release before."""
    objects: defaultdict[EndName, list[npt.NDArray[np.uint32]]] = defaultdict(list)
    for deed in deeds:
        objects[deed.access.key] += deed.objects
    given: Counter[EndName] = Counter()
    acquired: Counter[EndName] = Counter()
    fresh: list[tuple[EndName, npt.NDArray[np.uint32]]] = []
    found = {}
    for number, access in enumerate(deed.access for deed in deeds):
        if not access.acquire:
            given[access.key] += access.count
            found[number], fresh = fresh, []
        elif access.port is FifoEnd.PRODUCE:
            total = max(acquired[access.key], given[access.key] + access.count)
            fresh += [(access.key, one) for one in objects[access.key][acquired[access.key] : total]]
            acquired[access.key] = total
    return found
