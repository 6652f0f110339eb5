# SPDX-License-Identifier: Apache-2.0
"""What a plan needs against what each tile has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from goldbeat.pymodels.objfifo.plan.memory import reserved
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Direction, DmaChannel, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import LIMITS, LOCK_MAX, WORD_BYTES, Tile, TileKind, TileLimits


def beyond_any_memory(depth: int | Sequence[int], size: int) -> tuple[str, str] | None:
    """Objects that no tile's memory holds, found and expected, before anything is made for each of them; None if they fit.

    Args:
        depth: of a fifo, or of each of its ends.
        size: of an object, in bytes.
    """
    most = 3 * (LIMITS[TileKind.MEM].memory or 0)  # A memory tile reaches into those beside it.
    deepest = max([depth] if isinstance(depth, int) else [1, *depth])
    if deepest == 1 or deepest * size <= most:
        return None
    return (
        f"a depth of {deepest} objects of {size} bytes",
        f"at most {max(1, most // size)}: no tile reaches more than {most} bytes",
    )


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
    if plan.tile.kind is TileKind.SHIM:
        return  # The host writes them again and again: its transfers are counted between waits.
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


def beyond_descriptor(
    tile: Tile, length: int, dims: Sequence[tuple[int, int]], item: int, *, padded: bool = False
) -> Iterator[tuple[str, str]]:
    """What of a walk the tile's descriptors have not, as it is written and in fewer dimensions; and what they have.

    Args:
        tile: whose descriptors.
        length: in words.
        dims: size and stride in elements, outermost first; without those of the iteration.
        item: bytes of an element.
        padded: the dimensions have padding, so that none can be left out.
    """
    if padded and tile.kind is not TileKind.MEM:
        yield f"padding in a descriptor of {tile}", "no padding: only memory tiles pad"
    written = _word_dims(dims, item)
    problems = list(beyond_fields(tile.limits, length, written if padded else fitting(tile.limits, length, written)))
    fewer = written if padded else _joined(written)
    count = len(fewer)
    if tile.kind is not TileKind.SHIM:
        # The compiler counts them before it joins any.
        count = max(count, sum(padded or size > 1 for size, _ in dims))
    if count > tile.limits.dims:
        yield f"{count} dimensions of a descriptor of {tile}", f"at most {tile.limits.dims}"
    for _, found, last in problems:
        yield f"{found} of a descriptor of {tile}", f"at most {last}"


def _word_dims(dims: Sequence[tuple[int, int]], item: int) -> list[Dim]:
    """Dimensions in words, innermost first; elements that are no whole words follow each other in the innermost one."""
    found = [Dim(size, stride * item // WORD_BYTES) for size, stride in reversed(dims)]
    if dims and item % WORD_BYTES:
        found[0] = Dim(max(1, dims[-1][0] * item // WORD_BYTES), 1)
    elif item > WORD_BYTES:
        found.insert(0, Dim(item // WORD_BYTES, 1))
    return found


def _joined(dims: Sequence[Dim]) -> list[Dim]:
    """The same words in the fewest dimensions; none for words that follow each other."""
    found: list[Dim] = []
    for dim in dims:
        if dim.size > 1 and found and dim.step == found[-1].size * found[-1].step:
            found[-1] = Dim(found[-1].size * dim.size, found[-1].step)
        elif dim.size > 1:
            found.append(dim)
    return [] if len(found) == 1 and found[0].step == 1 else found


def fitting(limits: TileLimits, length: int, dims: Sequence[Dim]) -> Sequence[Dim]:
    """The dimensions as they are written or, if only these fit the fields, in fewer: the compiler joins them.

    Args:
        limits: of the tile.
        length: of the descriptor, in words.
        dims: in words, innermost first; none of them padded.
    """
    fewer = _joined(dims)
    fits = any(beyond_fields(limits, length, dims)) and not any(beyond_fields(limits, length, fewer))
    return fewer if fits else dims


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
            # Only the innermost dimension counts words.
            unit = "" if number else " words"
            yield "wrap-bits", f"size {dim.size}{unit} of dim {number}", (1 << limits.wrap_bits) - 1
        if dim.step > 1 << limits.step_bits:
            yield "step-bits", f"step {dim.step} words of dim {number}", 1 << limits.step_bits
