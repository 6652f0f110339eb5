# SPDX-License-Identifier: Apache-2.0
"""A plan as JSON and as a graph."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from goldbeat.pymodels.objfifo.plan.plan import Plan, StreamEnd
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind, bd_number

FORMAT = 1
"""Version of the JSON form; it grows when a field changes its meaning or goes away."""


def to_json(plan: Plan) -> dict[str, Any]:
    """The plan as plain values: every dataclass an object with its fields, every tile its column, row and kind.

    Buffer descriptors have ``base_words`` in addition to ``base_bytes``, and those of shims ``number``, which is ``id`` unless
    the host writes one again.
    """
    found: dict[str, Any] = _plain(plan)
    for one, tile in zip(found["tiles"], plan.tiles, strict=True):
        shims = one["channels"] if tile.tile.kind is TileKind.SHIM else []
        for bd in (bd for channel in shims for bd in channel["bds"]):
            bd["number"] = bd_number(tile.tile, bd["id"])
    return {"format": FORMAT, **found}


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    if is_dataclass(value):
        out = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        if "base_bytes" in out:
            out["base_words"] = out["base_bytes"] // 4
        return out
    return value


_COLOURS = {TileKind.CORE: "#e8f0fe", TileKind.MEM: "#e6f4ea", TileKind.SHIM: "#fef7e0"}


def to_dot(plan: Plan) -> str:
    """The plan for graphviz: tiles as clusters, pools and channels in them, streams between."""
    lines = ["digraph plan {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif", fontsize=10];']
    for one in plan.tiles:
        lines.append(f'  subgraph "cluster_{one.tile.name}" {{')
        lines.append(f'    label="{one.tile}"; style=filled; color="{_COLOURS[one.tile.kind]}";')
        locks = {lock.id: lock for lock in one.locks}
        for pool in plan.pools:
            if pool.tile != one.tile:
                continue
            rows = [f"{pool.name}: {pool.depth} x {sum(s.length for s in pool.segments)} words"]
            rows += [
                f"[{s.offset}, {s.offset + s.length}) "
                + ("locks " + ", ".join(f"{n}={locks[n].initial}" for n in s.locks) if s.locks else "no locks")
                for s in pool.segments
            ]
            label = "\\n".join(rows)
            lines.append(f'    "{pool.name}" [shape=cylinder, label="{label}"];')
        for channel in one.channels:
            name = _channel(one.tile, str(channel.direction), channel.index)
            numbers = dict.fromkeys(bd_number(one.tile, bd.id) for bd in channel.bds)
            bds = f"{min(numbers)}-{max(numbers)}" if numbers else "none"
            lines.append(f'    "{name}" [label="{channel.name}\\nBDs {bds}"];')
        lines.append("  }")
    for fifo in plan.fifos:
        for end in fifo.ends:
            if end.pool is None or end.channel is None:
                continue
            send = end.port.value == "produce"
            name = _channel(end.tile, "MM2S" if send else "S2MM", end.channel)
            first, second = (end.pool, name) if send else (name, end.pool)
            lines.append(f'  "{first}" -> "{second}";')
    for flow in plan.flows:
        for dest in flow.dests:
            first = _end(flow.source, "MM2S")
            second = _end(dest, "S2MM")
            lines.append(f'  "{first}" -> "{second}" [label="{flow.fifo}", style=bold];')
    return "\n".join([*lines, "}"])


def _end(end: StreamEnd, direction: str) -> str:
    return _channel(end.tile, direction if end.bundle == "DMA" else end.bundle, end.channel)


def _channel(tile: Tile, direction: str, index: int) -> str:
    return f"{tile.name} {direction} {index}"
