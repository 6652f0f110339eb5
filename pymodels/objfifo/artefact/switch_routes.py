# SPDX-License-Identifier: Apache-2.0
"""The switches' registers for a plan's streams: ways from switch to switch, each by the first free port.

A compiler finds other ways: only where a stream begins and ends is the design's.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact import tile_registers as reg
from goldbeat.pymodels.objfifo.plan.device import AIEDevice, Device
from goldbeat.pymodels.objfifo.plan.plan import Flow, Plan, StreamEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

Port = tuple[str, int]
_SIDES = {"North": (0, 1, "South"), "South": (0, -1, "North"), "East": (1, 0, "West"), "West": (-1, 0, "East")}
_ARBITERS, _MSELS, _SLOTS = 8, 4, 4


@dataclass
class _Switch:
    """Connections of one switch: masters by slave port and packet id (None for a circuit)."""

    ways: defaultdict[tuple[Port, int | None], list[Port]] = field(default_factory=lambda: defaultdict(list))
    used: set[Port] = field(default_factory=set)


def switch_writes(plan: Plan) -> Iterator[tuple[Tile, int, int]]:
    """Tile, offset and value of each register that the streams need.

    Raises:
        UsageError: a stream for which no ports are left, or that no packet slot or arbiter is left for.
    """
    device = AIEDevice[plan.device].value if plan.device in AIEDevice.__members__ else None
    columns = max(tile.tile.col for tile in plan.tiles) + 1 if plan.tiles else 1
    router = _Router(device or Device(plan.device, columns))
    for flow in plan.flows:
        router.route(flow)
    for tile, switch in sorted(router.switches.items()):
        yield from _registers(tile, switch)
    for tile, (mux, demux) in sorted(router.shims.items()):
        yield tile, reg.SHIM_MUX, mux
        yield tile, reg.SHIM_DEMUX, demux


class _Router:
    def __init__(self, device: Device) -> None:
        self.device = device
        self.switches: defaultdict[Tile, _Switch] = defaultdict(_Switch)
        self.shims: defaultdict[Tile, list[int]] = defaultdict(lambda: [0, 0])

    def route(self, flow: Flow) -> None:
        """All connections of a stream; its receivers share as much of the way as there is."""
        packet = None if flow.packet is None else flow.packet.id
        reached: dict[Tile, Port] = {flow.source.tile: self._end(flow.source, sends=True)}
        for dest in flow.dests:
            for at, side in self._way(flow, reached, dest.tile):
                dx, dy, back = _SIDES[side]
                after = self.device.tile(at.col + dx, at.row + dy)
                lane = self._free(at, side, after, back)
                assert lane is not None
                self._connect(at, reached[at], (side, lane), packet)
                reached[after] = (back, lane)
            self._connect(dest.tile, reached[dest.tile], self._end(dest, sends=False), packet)

    def _connect(self, tile: Tile, slave: Port, master: Port, packet: int | None) -> None:
        switch = self.switches[tile]
        switch.used.add(master)
        switch.ways[slave, packet].append(master)

    def _end(self, end: StreamEnd, *, sends: bool) -> Port:
        """The switch's port of a channel that sends or receives; a shim's is chosen by its multiplexer."""
        if end.tile.kind is not TileKind.SHIM:
            return end.bundle, end.channel
        channels, bits = (reg.SHIM_MM2S, reg.MUX_PORTS) if sends else (reg.SHIM_S2MM, reg.DEMUX_PORTS)
        port = next(p for p, channel in channels.items() if channel == end.channel)
        self.shims[end.tile][not sends] |= 1 << bits[port]
        return "South", port

    def _free(self, at: Tile, side: str, after: Tile, back: str) -> int | None:
        masters, slaves = reg.TILE_MAPS[at.kind].masters, reg.TILE_MAPS[after.kind].slaves
        used = self.switches[at].used
        return next((n for name, n in masters if name == side and (back, n) in slaves and (side, n) not in used), None)

    def _way(self, flow: Flow, reached: dict[Tile, Port], goal: Tile) -> list[tuple[Tile, str]]:
        """The shortest way from any switch that the stream has reached."""
        found: dict[Tile, tuple[Tile, str] | None] = dict.fromkeys(reached)
        left = deque(reached)
        while left and goal not in found:
            at = left.popleft()
            for side, (dx, dy, back) in _SIDES.items():
                column, row = at.col + dx, at.row + dy
                if not (0 <= column < self.device.columns and 0 <= row < self.device.rows):
                    continue
                after = self.device.tile(column, row)
                if after not in found and self._free(at, side, after, back) is not None:
                    found[after] = (at, side)
                    left.append(after)
        if goal not in found:
            raise UsageError(f"{flow.fifo}: no ports of switches are left from {flow.source.tile} to {goal}")
        way: list[tuple[Tile, str]] = []
        step = found[goal]
        while step is not None:
            way.append(step)
            step = found[step[0]]
        return way[::-1]


def _registers(tile: Tile, switch: _Switch) -> Iterator[tuple[Tile, int, int]]:
    layout = reg.TILE_MAPS[tile.kind]
    packets: dict[tuple[Port, int], frozenset[Port]] = {}
    for (slave, packet), masters in switch.ways.items():
        if packet is not None:
            packets[slave, packet] = frozenset(masters)
            continue
        source = layout.slaves.index(slave)
        yield tile, layout.slave + 4 * source, _packed(reg.SLAVE_FIELDS, on=1)
        for master in masters:
            value = _packed(reg.MASTER_FIELDS, on=1, configuration=source)
            yield tile, layout.master + 4 * layout.masters.index(master), value
    yield from _packet_registers(tile, packets)


def _packet_registers(tile: Tile, packets: dict[tuple[Port, int], frozenset[Port]]) -> Iterator[tuple[Tile, int, int]]:
    """Streams with a target in common share an arbiter, with a number for each set of targets."""
    layout = reg.TILE_MAPS[tile.kind]
    groups = _groups(list(packets.values()))
    slots: defaultdict[Port, int] = defaultdict(int)
    if len(groups) > _ARBITERS or any(len(sets) > _MSELS for sets in groups):
        raise UsageError(f"{tile}: packets need more than {_ARBITERS} arbiters, or {_MSELS} sets of targets at one")
    for (slave, packet), masters in packets.items():
        arbiter = next(n for n, sets in enumerate(groups) if masters in sets)
        source, slot = layout.slaves.index(slave), slots[slave]
        slots[slave] += 1
        if slot == _SLOTS:
            raise UsageError(f"{tile}: more than {_SLOTS} packet ids at port {slave[0]} {slave[1]}")
        yield tile, layout.slave + 4 * source, _packed(reg.SLAVE_FIELDS, on=1, packet=1)
        number = groups[arbiter].index(masters)
        value = _packed(reg.SLOT_FIELDS, id=packet, mask=0x1F, on=1, msel=number, arbiter=arbiter)
        yield tile, layout.slots + 16 * source + 4 * slot, value
    for arbiter, sets in enumerate(groups):
        for master in sorted(frozenset().union(*sets)):
            mask = sum(1 << n for n, one in enumerate(sets) if master in one)
            drop = master[0] == "DMA" or (tile.kind is TileKind.SHIM and master[0] == "South")
            value = _packed(reg.MASTER_FIELDS, on=1, packet=1, drop_header=int(drop), arbiter=arbiter, msel=mask)
            yield tile, layout.master + 4 * layout.masters.index(master), value


def _groups(sets: list[frozenset[Port]]) -> list[list[frozenset[Port]]]:
    """Sets of targets that meet, each once."""
    found: list[list[frozenset[Port]]] = []
    for one in dict.fromkeys(sets):
        met = [group for group in found if any(one & other for other in group)]
        found = [group for group in found if group not in met] + [[*(s for group in met for s in group), one]]
    return found


def _packed(fields: dict[str, reg.BitField], **values: int) -> int:
    words = [0]
    for name, value in values.items():
        fields[name].put(words, value)
    return words[0]
