# SPDX-License-Identifier: Apache-2.0
"""What a plan needs against what each tile has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldbeat.pymodels.objfifo.plan.memory import reserved
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Direction, DmaChannel, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import LOCK_MAX, Tile, TileKind, TileLimits


def check_limits(plan: Plan) -> Iterator[RuleError]:
    """Every tile that is asked for more than it has, and by how much."""
    for tile in plan.tiles:
        yield from _channels(tile)
        yield from _bds(tile)
        yield from _locks(tile)
        for channel in tile.channels:
            for bd in channel.bds:
                yield from _fields(tile.tile, channel, bd)
        yield from _memory(tile)


def _over(tile: Tile, need: int, have: int, what: str) -> str:
    return f"{tile} needs {need} {what} and has {have}: {need - have} too many"


def _channels(plan: TilePlan) -> Iterator[RuleError]:
    have = plan.tile.limits.channels
    for direction in Direction:
        fifos = [c.fifo for c in plan.channels if c.direction is direction]
        if len(fifos) > have:
            over = _over(plan.tile, len(fifos), have, f"{direction} channels")
            yield RuleError("channels", f"{over} (for {', '.join(fifos)})")


def _bds(plan: TilePlan) -> Iterator[RuleError]:
    have = plan.tile.limits.bds
    groups = {"": list(plan.channels)}
    if plan.tile.kind is TileKind.MEM:
        have //= 2
        groups = {
            " of even channels": [c for c in plan.channels if c.index % 2 == 0],
            " of odd channels": [c for c in plan.channels if c.index % 2],
        }
    for which, channels in groups.items():
        need = sum(len(c.bds) for c in channels)
        if need > have:
            parts = ", ".join(f"{c.name} {len(c.bds)} for {c.fifo}" for c in channels)
            yield RuleError("bds", f"{_over(plan.tile, need, have, f'buffer descriptors{which}')} ({parts})")


def _locks(plan: TilePlan) -> Iterator[RuleError]:
    need, have = len(plan.locks), plan.tile.limits.locks
    if need > have:
        yield RuleError("locks", _over(plan.tile, need, have, "locks"))
    for lock in plan.locks:
        if lock.initial > LOCK_MAX:
            yield RuleError(
                "lock-range",
                f"{plan.tile}: lock {lock.name} starts at {lock.initial}, {LOCK_MAX} is the most it can count",
            )


def _memory(plan: TilePlan) -> Iterator[RuleError]:
    have = plan.tile.limits.memory
    if have is None:
        return
    kept = reserved(plan.tile)
    end = max((b.address + b.size for b in plan.buffers), default=0)
    if end > have:
        total = sum(b.size for b in plan.buffers) + kept
        stack = f", {kept} of them for the stack" if kept else ""
        yield RuleError(
            "memory",
            f"{plan.tile} needs {total} bytes{stack}, laid out to {end}, and has {have}: {end - have} too many",
        )


def _fields(tile: Tile, channel: DmaChannel, bd: Bd) -> Iterator[RuleError]:
    what = f"{tile}, {channel.name} of {channel.fifo}, buffer descriptor {bd.id}"
    for rule, found, last in beyond_fields(tile.limits, bd.length, bd.dims):
        yield RuleError(rule, f"{what}: {found}, its field ends at {last}")


def beyond_fields(limits: TileLimits, length: int, dims: Sequence[Dim]) -> Iterator[tuple[str, str, int]]:
    """Rule, what does not fit its field of a descriptor, and what that ends at.

    Args:
        limits: of the tile.
        length: of the descriptor, in words.
        dims: in words, innermost first.
    """
    if length >= 1 << limits.length_bits:
        yield "length-bits", f"length {length} words", (1 << limits.length_bits) - 1
    for number, dim in enumerate(dims):
        if number < limits.dims - 1 and dim.size >= 1 << limits.wrap_bits:
            yield "wrap-bits", f"size {dim.size} words of dim {number}", (1 << limits.wrap_bits) - 1
        if dim.step > 1 << limits.step_bits:
            yield "step-bits", f"step {dim.step} words of dim {number}", 1 << limits.step_bits
