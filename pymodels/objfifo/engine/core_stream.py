# SPDX-License-Identifier: Apache-2.0
"""A core that was executed, as one channel into memory: its lock requests in order, and the words of the objects it made.

Every request takes cycles, and what the core computes takes cycles: words that nobody looks at go to a scratch place
meanwhile, one in each cycle.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.core_channels import LockOf, Place
from goldbeat.pymodels.objfifo.engine.registers import Descriptor, TimingProfile
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.untimed.core_deeds import CoreDeed
from goldbeat.pymodels.objfifo.untimed.machine import CoreEnd
from goldbeat.pymodels.objfifo.untimed.recorded_cores import EndName

CALL_CYCLES = {TimingProfile.IDEAL: 1, TimingProfile.NPU1: 13}
"""Cycles of an acquire or release (npu1.md, Origin of the numbers)."""

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


def core_stream(
    deeds: Sequence[CoreDeed],
    ends: Mapping[EndName, CoreEnd],
    place: Place,
    lock: LockOf,
    *,
    scratch: int,
    call: int,
    work: int,
) -> CoreStream:
    """A core's deeds as descriptors.

    Args:
        deeds: in order.
        ends: of the fifos that it uses.
        place: where a buffer is.
        lock: numbers of locks.
        scratch: first word of :data:`SCRATCH_WORDS` that nothing else uses.
        call: cycles of each request.
        work: cycles between the last acquire and the first release behind it.

    Raises:
        UsageError: a release of more objects than are held, or more cycles than a descriptor can have.
    """
    if not 0 <= work <= MOST_CYCLES:
        raise UsageError(f"{work} cycles of work: expected 0 to {MOST_CYCLES}")
    chain: list[Descriptor] = []
    words: list[npt.NDArray[np.uint32]] = []

    def spend(cycles: int, acquire: tuple[int, int] | None = None, release: tuple[int, int] | None = None) -> None:
        # In steps of 1 within the scratch place: as few accesses to memory as can be.
        wraps = (SCRATCH_WORDS, 0, 0) if cycles > SCRATCH_WORDS else (0, 0, 0)
        chain.append(Descriptor(scratch, cycles, wraps, acquire=acquire, release=release))
        words.append(np.zeros(cycles, np.uint32))

    held, made = dict.fromkeys(ends, 0), dict.fromkeys(ends, 0)
    idle = False
    for access, objects in ((deed.access, deed.objects) for deed in deeds):
        key, end = access.key, ends[access.key]
        if access.acquire:
            need = max(0, access.count - held[key]) * end.units
            held[key] = max(held[key], access.count)
            if need:
                spend(call, acquire=(lock(end.take), need))
            idle = True
            continue
        if access.count > held[key]:
            raise UsageError(f"{access.fifo}: {access.count} object(s) are released, {held[key]} are held")
        if idle and work:
            spend(work)
        idle = False
        held[key] -= access.count
        for one in objects if access.port is FifoEnd.PRODUCE else ():
            first, _ = place(end.pool.buffers[made[key] % end.pool.depth])
            made[key] += 1
            chain.append(Descriptor(first, len(one)))
            words.append(one)
        spend(call, release=(lock(end.give), access.count * end.units))
    return CoreStream(tuple(chain), np.concatenate(words) if words else np.zeros(0, np.uint32))
