# SPDX-License-Identifier: Apache-2.0
"""Routes that a script writes out, switch by switch, as streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.streams import TilePort
from goldbeat.pymodels.objfifo.plan.tile import Tile

Connections = Sequence[tuple[str, int, str, int]]
_STEPS = {"North": (0, 1, "South"), "South": (0, -1, "North"), "East": (1, 0, "West"), "West": (-1, 0, "East")}


def add_switches(array: LiveArray, switches: Sequence[tuple[Any, str, Connections]]) -> None:
    """Follow every connection from a DMA channel or a core to its ends.

    Args:
        array: gets the streams.
        switches: tile, ``switchbox`` or ``shim_mux``, and connections as (bundle, channel, bundle, channel).

    Raises:
        UsageError: a circle, or a way that ends at a switch that connects nothing further.
    """
    inside: dict[Tile, dict[tuple[str, int], list[tuple[str, int]]]] = {}
    muxes: dict[Tile, dict[tuple[str, int], tuple[str, int]]] = {}
    for tile, kind, connections in switches:
        where = getattr(tile, "op", tile)
        for bundle, number, out, port in connections:
            if kind == "switchbox":
                inside.setdefault(where, {}).setdefault((bundle, number), []).append((out, port))
            else:
                muxes.setdefault(where, {})[bundle, number] = (out, port)
    for tile, mux in muxes.items():
        for (bundle, number), (_, port) in mux.items():
            if bundle == "DMA":
                _follow(array, TilePort(tile, "DMA", number), tile, ("South", port), inside, muxes)
    for tile, routes in inside.items():
        for bundle, number in routes:
            if bundle in ("DMA", "Core"):
                _follow(array, TilePort(tile, bundle, number), tile, (bundle, number), inside, muxes)


def _follow(array: LiveArray, source: TilePort, tile: Tile, port: tuple[str, int], inside: Any, muxes: Any) -> None:
    ends: list[TilePort] = []
    open_ones = [(tile, port)]
    for _ in range(1000):
        if not open_ones:
            break
        at, entry = open_ones.pop()
        for bundle, number in inside.get(at, {}).get(entry, ()):
            if bundle in ("DMA", "Core"):
                ends.append(TilePort(at, bundle, number))
            elif at.row == 0 and bundle == "South":
                _, channel = muxes.get(at, {}).get(("North", number), ("", -1))
                if channel >= 0:
                    ends.append(TilePort(at, "DMA", channel))
            else:
                across, up, side = _STEPS[bundle]
                open_ones.append((array.device.tile(at.col + across, at.row + up), (side, number)))
    else:
        raise UsageError(f"the way from {source} is a circle")
    if not ends:
        raise UsageError(f"the way from {source} ends at a switch")
    array.flow(source, ends)
