# SPDX-License-Identifier: Apache-2.0
"""The array of engines that a user's design fits on, and which tile is on which engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from goldbeat.pymodels.objfifo.engine.array_shape import MOST_ENGINES, ArrayShape
from goldbeat.pymodels.objfifo.engine.core_stream import SCRATCH_WORDS
from goldbeat.pymodels.objfifo.engine.registers import MOST_BDS, EngineShape
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind
from goldbeat.tb.designs.objfifo.user_design import PlannedDesign
from goldbeat.tb.designs.objfifo.whole import ExecutedCores, Whole, core_groups, place_at

_ROOMY = ArrayShape(MOST_ENGINES, 64, 1, EngineShape(64, 64, MOST_BDS, 1 << 16, 16, 1 << 20, 32))
"""As large as a count may become; descriptors are what a core's program has to be folded into."""

_SIZES: Mapping[str, Sequence[int]] = {
    "NX": (2, 4, 8, 16, 32, 64),
    "NS": (3, 6),
    "NM": (4, 6),
    "NBD": (32, 64),
    "NLOCK": (16, 64),
}
"""Parameters are rounded up to these, so that designs share simulators."""


def homes_of(planned: PlannedDesign) -> dict[Tile, int]:
    """The engine of each tile.

    Tiles whose locks one core uses share an engine. Memory tiles and core tiles do not, as their timing differs; as long
    as there are engines each tile or group has one of its own.
    """
    groups = core_groups(planned.written, planned.plan, [tile.tile for tile in planned.tiles])
    kinds = [[g for g in groups if (g[0].kind is TileKind.MEM) is memory] for memory in (True, False)]
    if len(groups) <= MOST_ENGINES:
        return {tile: n for n, group in enumerate(kinds[0] + kinds[1]) for tile in group}
    weights = [sum(_channels(planned, tile) for g in kind for tile in g) for kind in kinds]
    share = max(1, round(MOST_ENGINES * weights[0] / sum(weights))) if kinds[0] else 0
    share = min(share, len(kinds[0]), MOST_ENGINES - bool(kinds[1]))
    found: dict[Tile, int] = {}
    load = [0] * MOST_ENGINES
    for kind, engines in zip(kinds, (range(share), range(share, MOST_ENGINES)), strict=True):
        for group in sorted(kind, key=lambda g: -sum(_channels(planned, tile) for tile in g)):
            engine = min(engines, key=lambda e: load[e])
            load[engine] += sum(_channels(planned, tile) for tile in group)
            found |= dict.fromkeys(group, engine)
    return found


def _channels(planned: PlannedDesign, tile: Tile) -> int:
    return len(planned.plan.tile(tile).channels)


def fitting_parameters(planned: PlannedDesign, cores: ExecutedCores, least: Mapping[str, int]) -> dict[str, int]:
    """Parameters of the smallest array of :data:`_SIZES` that a design fits on, where they are not those of ``least``.

    What no array has enough of keeps its largest value: putting the design there says what is missing.
    """
    home = homes_of(planned)
    whole = place_at(planned.written, planned.plan, _ROOMY, cores, home)
    wanted = _needs(whole)
    for name, sizes in _SIZES.items():
        wanted[name] = next((size for size in sizes if size >= wanted[name]), sizes[-1])
    wanted["NE"] = max(home.values()) + 1
    wanted["NW"] = 1
    return {name: value for name, value in wanted.items() if name in ("NE", "NW") or value > least[name]}


def _needs(whole: Whole) -> dict[str, int]:
    words = max(one.words + SCRATCH_WORDS * (1 + len(one.scene.cores)) for one in whole.engines)
    return {
        "NX": max(len(whole.sources) + len(whole.words), len(whole.sinks)),
        "NS": max(one.channels[Direction.S2MM] for one in whole.engines),
        "NM": max(one.channels[Direction.MM2S] for one in whole.engines),
        "NBD": max(one.bds for one in whole.engines),
        "NLOCK": max(len(one.scene.locks) for one in whole.engines),
        "MEM_WORDS": 1 << (words - 1).bit_length(),
    }
