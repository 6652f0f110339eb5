# SPDX-License-Identifier: Apache-2.0
"""Routes that text writes out, switch by switch, as streams.

A stream is followed from a DMA channel or a core through ``aie.connect`` and ``aie.packet_rules`` to the ports where it ends.
It is noted which arbiters its packets pass: an arbiter serves one packet until its last word.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import Arbiter, FlowLine, StreamPort
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope, within
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

SWITCHES = ("aie.switchbox", "aie.shim_mux")
_Port = tuple[str, int]
_SIDES = {"North": (0, 1, "South"), "South": (0, -1, "North"), "East": (1, 0, "West"), "West": (-1, 0, "East")}
_ENDS = ("DMA", "Core", "TileControl")
_ARBITERS, _MSELS, _IDS = 8, 4, 32
_ALL = _IDS - 1


@dataclass
class _Switch:
    """One tile's switch.

    Attributes:
        op: where it is written.
        circuits: outputs of an input.
        rules: mask, id, and arbiter with msel, of an input, in order.
        masters: an output, what selects it, and whether it keeps headers.
        mux: of a shim, in both directions.
    """

    op: MlirOp
    circuits: dict[_Port, list[_Port]] = field(default_factory=dict)
    rules: dict[_Port, list[tuple[int, int, tuple[int, int]]]] = field(default_factory=dict)
    masters: list[tuple[_Port, set[tuple[int, int]], bool]] = field(default_factory=list)
    mux: dict[_Port, _Port] = field(default_factory=dict)


@dataclass
class _Way:
    """A stream that is followed: its packets' id and mask, and what was passed."""

    id: int | None
    mask: int
    ends: list[tuple[StreamPort, bool]] = field(default_factory=list)
    arbiters: list[Arbiter] = field(default_factory=list)


def add_routes(scope: DeviceScope, ops: list[MlirOp]) -> None:
    """Add the streams of all switches to what was read.

    Raises:
        MlirError: a switch that is not understood, or a route that ends at a switch, loops or keeps its header here and there.
    """
    switches: dict[Tile, _Switch] = {}
    for op in ops:
        cursor = op.cursor
        cursor.expect("(")
        tile = scope.tile(cursor)
        _read(switches.setdefault(tile, _Switch(op)), op)
    for tile, switch in switches.items():
        for port, channel in _sources(tile, switch):
            _follow(scope, switches, tile, port, channel)


def _sources(tile: Tile, switch: _Switch) -> list[tuple[_Port, _Port]]:
    """Inputs of a switch at which streams begin, with the channel or port of the tile behind each."""
    if tile.kind is TileKind.SHIM:
        return [(("South", out[1]), port) for port, out in switch.mux.items() if port[0] == "DMA"]
    return [(port, port) for port in (*switch.circuits, *switch.rules) if port[0] in _ENDS]


def _read(switch: _Switch, op: MlirOp) -> None:
    selects: dict[str, tuple[int, int]] = {}
    for one in op.ops:
        cursor = one.cursor
        if one.name == "aie.connect":
            cursor.expect("<")
            source = _bundle(cursor)
            cursor.expect(",")
            dest = _bundle(cursor)
            if op.name == "aie.shim_mux":
                switch.mux[source] = dest
            else:
                switch.circuits.setdefault(source, []).append(dest)
        elif one.name == "aie.amsel":
            numbers = [int(t.text, 0) for t in one.tokens if t.kind == "number"]
            within(one, "arbiter", numbers[0], _ARBITERS - 1)
            within(one, "msel", numbers[1], _MSELS - 1)
            selects[one.results[0]] = numbers[0], numbers[1]
        elif one.name == "aie.masterset":
            cursor.expect("(")
            keeps = bool(one.attributes.get("keep_pkt_header", False))
            switch.masters.append((_bundle(cursor), {selects[name] for name in one.operands}, keeps))
        elif one.name == "aie.packet_rules":
            cursor.expect("(")
            port = _bundle(cursor)
            for rule in (inner for inner in one.ops if inner.name == "aie.rule"):
                mask, number = (int(t.text, 0) for t in rule.tokens if t.kind == "number")
                switch.rules.setdefault(port, []).append((mask & _ALL, number & _ALL, selects[rule.operands[0]]))
        elif one.name != "aie.end":
            one.fail(repr(one.name), "what connects ports: see docs/objfifo-mlir.md")


def _bundle(cursor: TokenCursor) -> _Port:
    name = cursor.kind("word", "a port such as DMA").text
    cursor.expect(":")
    return name, cursor.integer("a channel")


def _follow(scope: DeviceScope, switches: dict[Tile, _Switch], tile: Tile, port: _Port, channel: _Port) -> None:
    """Add the streams that begin at an input of a switch: one for all words, or one for each id."""
    rules = switches[tile].rules.get(port, [])
    ways = [_Way(number, mask) for mask, number, _ in rules] if rules else [_Way(None, _ALL)]
    for way in ways:
        found = [(tile, port)]
        for _ in range(1000):
            if not found:
                break
            _pass(scope, switches, way, found)
        else:
            switches[tile].op.fail(f"a route that loops from {channel[0]} {channel[1]}", "one that ends")
        if not way.ends:
            continue
        keeps = {keep for _, keep in way.ends}
        if len(keeps) > 1:
            switches[tile].op.fail("a stream that keeps its header at some ends", "the same at all of them")
        dests, arbiters = tuple(end for end, _ in way.ends), tuple(dict.fromkeys(way.arbiters))
        line = FlowLine(switches[tile].op, (tile, *channel), dests, way.id, way.mask, keeps == {True}, arbiters)
        scope.lines.flows.append(line)


def _pass(scope: DeviceScope, switches: dict[Tile, _Switch], way: _Way, found: list[tuple[Tile, _Port]]) -> None:
    """Through one switch."""
    tile, port = found.pop()
    switch = switches.get(tile)
    if switch is None:
        return
    outputs = [(out, False) for out in switch.circuits.get(port, ())]
    for mask, number, select in switch.rules.get(port, ()):
        if way.id is not None and number & mask & way.mask == way.id & mask & way.mask:
            way.arbiters.append((tile, select[0]))
            outputs += [(out, keeps) for out, chosen, keeps in switch.masters if select in chosen]
            break
    for (name, number), keeps in outputs:
        if tile.kind is TileKind.SHIM and name == "South":
            end = switch.mux.get(("North", number))
            way.ends += [((tile, *end), keeps)] if end is not None else []
        elif name in _SIDES:
            across, up, side = _SIDES[name]
            found.append((scope.lines.device.tile(tile.col + across, tile.row + up), (side, number)))
        elif name in _ENDS:
            way.ends.append(((tile, name, number), keeps))
