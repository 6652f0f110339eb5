# SPDX-License-Identifier: Apache-2.0
"""Where things go: what users may ask for, who holds a handle, and tiles for those that asked for none.

Placement is in the order of declaration: workers on cores column by column, links on the memory tile of the column that
their fifos' other ends have on average, host transfers on the shim of that column; a full tile hands on to the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from goldbeat.pymodels.objfifo.iron.endpoint import Place
from goldbeat.pymodels.objfifo.iron.scope import scope
from goldbeat.pymodels.objfifo.plan.device import ANY, Device
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


class SequentialPlacer:
    """Names the only way of placement there is."""


def tile(col: int, row: int) -> Tile:
    """The tile at a place of the device at hand."""
    device = scope().device
    found = device.tile(col, row)
    if device is not ANY:
        device.require(found)
    return found


def place_tiles(device: Device, places: Sequence[Place]) -> None:
    """Give every place a tile.

    Args:
        device: where there are tiles.
        places: all of them, in order.

    Raises:
        RuleError: ``tile-exists`` for a tile outside or no core left, ``channels`` where no tile has one left.
    """
    for one in places:
        one.tile = one.asked
        if one.asked is not None:
            device.require(one.asked)
    for kind in (TileKind.CORE, TileKind.MEM, TileKind.SHIM):
        waiting = [p for p in places if p.tile is None and p.kind is kind]
        if kind is TileKind.CORE:
            _cores(device, waiting, places)
        else:
            _near(device, waiting, places, kind)


def _cores(device: Device, waiting: Sequence[Place], places: Sequence[Place]) -> None:
    taken = {p.tile for p in places}
    rows = range(1 + device.mem_rows, device.rows)
    free = (t for col in range(device.columns) for row in rows if (t := device.tile(col, row)) not in taken)
    for number, one in enumerate(waiting):
        found = next(free, None)
        if found is None:
            raise RuleError(
                "tile-exists",
                f"{len(waiting)} workers want a core, {device.name} has {number} left: {one.what} has none",
            )
        one.tile = found


def _near(device: Device, waiting: Sequence[Place], places: Sequence[Place], kind: TileKind) -> None:
    """The nearest tile with channels left for each, in order; if one finds none, those that need most come first."""
    rows = [0] if kind is TileKind.SHIM else list(range(1, 1 + device.mem_rows))
    last = max((p.tile.col for p in places if p.tile is not None), default=0)
    columns = min(device.columns, last + 1 + len(waiting))
    tiles = [device.tile(col, row) for col in range(columns) for row in rows]
    lost = _placed_in_order(waiting, places, kind, tiles)
    if lost is not None and _placed_in_order(sorted(waiting, key=lambda p: -len(_needs(p))), places, kind, tiles):
        text = " and ".join(f"{n} {d}" for d, n in Counter(_needs(lost)).items())
        raise RuleError("channels", f"{lost.what} needs {text} channels; no {kind} tile has them left")


def _placed_in_order(
    waiting: Sequence[Place], places: Sequence[Place], kind: TileKind, tiles: Sequence[Tile]
) -> Place | None:
    """The first place that finds no tile; None if all do."""
    for one in waiting:
        one.tile = None
    used: Counter[tuple[Tile, Direction]] = Counter()
    for one in places:
        if one.tile is not None and one.tile.kind is kind:
            used.update((one.tile, d) for d in _needs(one))
    for one in waiting:
        needs = Counter(_needs(one))
        for spot in sorted(tiles, key=_nearness(_column(one))):
            if all(used[spot, d] + n <= spot.limits.channels for d, n in needs.items()):
                one.tile = spot
                used.update({(spot, d): n for d, n in needs.items()})
                break
        else:
            return one
    return None


def _nearness(wish: float) -> Callable[[Tile], tuple[float, int, int]]:
    return lambda t: (abs(t.col - wish), t.col, t.row)


def _needs(one: Place) -> list[Direction]:
    return [Direction.MM2S if h.port is FifoEnd.PRODUCE else Direction.S2MM for h in one.handles()]


def _column(one: Place) -> float:
    """The mean column of what stands at the other ends."""
    ends = [end for handle in one.handles() for end in handle.far_ends() if end is not one]
    columns = [end.tile.col for end in ends if end.tile is not None]
    return sum(columns) / len(columns) if columns else 0.0
