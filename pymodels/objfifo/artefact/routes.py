# SPDX-License-Identifier: Apache-2.0
"""The streams that the switches of an array make, from the DMA channels that send to those that receive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.artefact.array_state import ArrayState
from goldbeat.pymodels.objfifo.artefact.register_names import kind_of_row
from goldbeat.pymodels.objfifo.plan.plan import StreamEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

_SIDES = {"North": (0, 1, "South"), "South": (0, -1, "North"), "East": (1, 0, "West"), "West": (-1, 0, "East")}
_DMA = 1
"""The choice of a shim's South port that connects it to the DMA."""


@dataclass
class StreamRoute:
    """Where a channel's words go.

    Attributes:
        dests: the channels that receive them.
        others: ports at which they end that are no DMA channel, in words.
        headed: receivers that are given the packet header as a word.
    """

    dests: list[StreamEnd]
    others: list[str]
    headed: list[StreamEnd]


def trace_route(state: ArrayState, source: StreamEnd, packet: int | None) -> StreamRoute:
    """Follow the words of an MM2S channel.

    Args:
        state: of the switches.
        source: the channel.
        packet: the id in its headers, None without headers.
    """
    found = StreamRoute([], [], [])
    slave = _slave_of(state, source)
    if slave is None:
        return found
    stack, seen = [(source.tile, slave)], set()
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        tile, port = at
        for name, number, keeps in _masters(state, tile, port, packet):
            if name in _SIDES and not (tile.kind is TileKind.SHIM and name == "South"):
                dx, dy, side = _SIDES[name]
                column, row = tile.col + dx, tile.row + dy
                if column >= 0 and row >= 0:
                    stack.append((Tile(column, row, kind_of_row(row, state.mem_rows)), (side, number)))
            elif name == "FIFO":
                stack.append((tile, ("FIFO", number)))
            else:
                _arrive(state, found, tile, (name, number), keeps and packet is not None)
    found.dests.sort(key=lambda end: (end.tile, end.channel))
    return found


def _slave_of(state: ArrayState, source: StreamEnd) -> tuple[str, int] | None:
    if source.tile.kind is not TileKind.SHIM:
        return "DMA", source.channel
    mux = state.registers[source.tile].get(reg.SHIM_MUX, 0)
    for port, channel in reg.SHIM_MM2S.items():
        if channel == source.channel and mux >> reg.MUX_PORTS[port] & 3 == _DMA:
            return "South", port
    return None


def _arrive(state: ArrayState, found: StreamRoute, tile: Tile, port: tuple[str, int], headed: bool) -> None:
    name, number = port
    channel: int | None = number if name == "DMA" else None
    if tile.kind is TileKind.SHIM and name == "South" and number in reg.SHIM_S2MM:
        demux = state.registers[tile].get(reg.SHIM_DEMUX, 0)
        if demux >> reg.DEMUX_PORTS[number] & 3 == _DMA:
            channel = reg.SHIM_S2MM[number]
    if channel is None:
        found.others.append(f"port {name} {number} of {tile}")
        return
    end = StreamEnd(tile, channel)
    found.dests.append(end)
    if headed:
        found.headed.append(end)


def _masters(
    state: ArrayState, tile: Tile, slave: tuple[str, int], packet: int | None
) -> Iterator[tuple[str, int, bool]]:
    """The master ports that a slave port's words go to, and whether they keep the header."""
    layout, words = reg.TILE_MAPS[tile.kind], state.registers[tile]
    if slave not in layout.slaves:
        return
    index = layout.slaves.index(slave)
    entry = (words.get(layout.slave + 4 * index, 0),)
    if not reg.SLAVE_FIELDS["on"].of(entry):
        return
    by_packet = bool(reg.SLAVE_FIELDS["packet"].of(entry))
    ways = _slots(words, layout.slots + 16 * index, packet) if by_packet else []
    fields = reg.MASTER_FIELDS
    for number, port in enumerate(layout.masters):
        master = (words.get(layout.master + 4 * number, 0),)
        if not fields["on"].of(master) or bool(fields["packet"].of(master)) != by_packet:
            continue
        if by_packet:
            arbiter, msel = fields["arbiter"].of(master), fields["msel"].of(master)
            if any(arbiter == a and msel >> m & 1 for a, m in ways):
                yield *port, not fields["drop_header"].of(master)
        elif fields["configuration"].of(master) == index:
            yield *port, True


def _slots(words: dict[int, int], first: int, packet: int | None) -> list[tuple[int, int]]:
    """Arbiter and msel of the slots that take an id."""
    ways = []
    for slot in range(4):
        entry = (words.get(first + 4 * slot, 0),)
        found = {name: field.of(entry) for name, field in reg.SLOT_FIELDS.items()}
        if packet is not None and found["on"] and packet & found["mask"] == found["id"] & found["mask"]:
            ways.append((found["arbiter"], found["msel"]))
            break
    return ways
