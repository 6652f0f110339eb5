# SPDX-License-Identifier: Apache-2.0
"""Fifos without locks: whether anything depends on timing, and how many words an endless ring of them sends."""

from __future__ import annotations

from collections.abc import Collection

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.access import each
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.layout import DesignLayout
from goldbeat.pymodels.objfifo.plan.plan import Direction, DmaChannel, FifoEnd, Plan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.recorded_cores import core_ends


def check_free_running(design: FifoDesign, plan: Plan, given: Collection[str] = ()) -> None:
    """Whether every pool without locks has one user, or nobody who writes.

    Args:
        design: for the programs.
        plan: of it.
        given: fifos whose objects are given in place of a program.

    Raises:
        UsageError: the objects of a pool depend on timing: one writes them, another uses them, and nothing orders both.
    """
    users = _core_users(design, plan, given)
    for pool in plan.pools:
        if pool.segments[0].locks:
            continue
        writers, readers = (set(users.get((pool.name, port), ())) for port in (FifoEnd.PRODUCE, FifoEnd.CONSUME))
        for channel in plan.tile(pool.tile).channels:
            if any(bd.buffer in pool.buffers for bd in channel.bds):
                (writers if channel.direction is Direction.S2MM else readers).add(f"{channel.name} of {pool.tile}")
        others = sorted((writers | readers) - {min(writers)}) if writers else []
        if others:
            raise UsageError(
                f"{pool.fifo} has no locks (disable_synchronization): {min(writers)} writes objects that {others[0]} "
                "uses, and nothing orders the two; expected one user, or none that writes"
            )


def _core_users(design: FifoDesign, plan: Plan, given: Collection[str]) -> dict[tuple[str, FifoEnd], list[str]]:
    """The cores that use each end of a pool."""
    programs = DesignLayout(design).programs.values()
    used = {core.tile: {a.key for a in each(steps)} for core, steps in zip(design.cores, programs, strict=True)}
    found: dict[tuple[str, FifoEnd], list[str]] = {}
    for key, (tile, end) in core_ends(plan).items():
        # A core without a program takes what comes, and makes what is given for it.
        makes = key[1] is FifoEnd.CONSUME or key[0] in given
        if key in used.get(tile, {key} if makes else set()):
            found.setdefault((end.pool.name, key[1]), []).append(f"the core of {tile}")
    return found


def is_endless(channel: DmaChannel) -> bool:
    """Whether a channel sends for ever: a ring that no lock holds back."""
    free = channel.direction is Direction.MM2S and all(bd.acquire is None for bd in channel.bds)
    return free and bool(channel.bds) and all(bd.next is not None for bd in channel.bds)


def words_taken(plan: Plan, tile: Tile, channel: DmaChannel) -> int:
    """Words that the host takes of an endless ring.

    Raises:
        UsageError: somebody takes them who never stops.
    """
    flow = next((f for f in plan.flows if (f.source.tile, f.source.channel) == (tile, channel.index)), None)
    counts = []
    for dest in flow.dests if flow is not None else ():
        end = plan.tile(dest.tile).channel(Direction.S2MM, dest.channel)
        lengths = {bd.id: bd.length for bd in end.bds}
        if dest.tile.kind is not TileKind.SHIM or not end.queue:
            raise UsageError(
                f"{tile}: {channel.name} sends {channel.fifo} for ever, and {dest.tile} takes it; expected a drain of the host"
            )
        counts.append(sum(lengths[task.bd] * (task.repeat + 1) for task in end.queue))
    return min(counts, default=0)
