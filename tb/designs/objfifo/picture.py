# SPDX-License-Identifier: Apache-2.0
"""Pictures of object FIFO designs: a plan on the array, and the locks and descriptors of a tile's run over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from goldbeat.pymodels.objfifo.plan.plan import FifoEnd, Plan, TilePlan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind, bd_number
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.designs.objfifo.tiles import ChannelStream

_INK, _SOFT, _GRID = "#1f2933", "#616e7c", "#e4e7eb"
_FREE, _FULL = "#2166ac", "#b2182b"
_FACE = {TileKind.SHIM: "#f1f3f5", TileKind.MEM: "#e3eefa", TileKind.CORE: "#e8f5e9"}
_DPI = 130
_LINE = 0.21
"""Height of a line of text, in inches."""
_GAP_X, _GAP_Y = 0.4, 1.1
"""Between tiles, in inches."""
_ROWS = (TileKind.SHIM, TileKind.MEM, TileKind.CORE)
"""From the bottom."""


def _save(figure: Figure, path: Path) -> None:
    FigureCanvasAgg(figure)
    figure.savefig(path, dpi=_DPI)


# -- a plan ----------------------------------------------------------------------------------------------------------


def draw_plan(plan: Plan, path: Path) -> None:
    """The tiles in use with their pools, locks and channels, and the streams between them.

    Args:
        plan: what to draw.
        path: PNG (or what matplotlib makes of the ending), overwritten.
    """
    texts = {t.tile: _text(plan, t) for t in plan.tiles}
    rows = [[t for t in sorted(texts) if t.kind is kind] for kind in _ROWS]
    wide = 0.085 * max((len(line) for lines in texts.values() for line in lines), default=20) + 0.5
    size = (0.6 + max(len(row) for row in rows) * (wide + _GAP_X) - _GAP_X, 0.0)
    boxes: dict[Tile, tuple[float, float, float, float]] = {}
    at = 0.3
    for row in filter(None, rows):
        high = _LINE * max(len(texts[t]) for t in row) + 0.3
        start = (size[0] - len(row) * (wide + _GAP_X) + _GAP_X) / 2
        boxes |= {t: (start + n * (wide + _GAP_X), at, wide, high) for n, t in enumerate(row)}
        at += high + _GAP_Y
    # Streams between cores run above them.
    size = (
        size[0],
        at - _GAP_Y + (0.9 if any(f.source.tile.kind is f.dests[0].tile.kind for f in plan.flows) else 0.3),
    )
    figure = Figure(figsize=size, facecolor="white")
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, size[0])
    axes.set_ylim(0, size[1])
    axes.axis("off")
    for tile, (x, y, w, h) in boxes.items():
        shape = FancyBboxPatch(
            (x, y), w, h, "round,pad=0.02", facecolor=_FACE[tile.kind], edgecolor=_SOFT, linewidth=0.8
        )
        axes.add_patch(shape)
        for n, line in enumerate(texts[tile]):
            axes.text(
                x + 0.12,
                y + h - 0.12 - _LINE * (n + 0.5),
                line,
                family="monospace",
                fontsize=8.5,
                color=_INK,
                weight="bold" if n == 0 else "normal",
                va="center",
            )
    _streams(axes, plan, boxes)
    _save(figure, path)


def _text(plan: Plan, tile: TilePlan) -> list[str]:
    lines = [str(tile.tile)]
    for pool in plan.pools:
        if pool.tile != tile.tile:
            continue
        size = tile.buffer(pool.buffers[0]).size
        lines.append(f"{pool.name}: {pool.depth} x {size} bytes")
        for part in pool.segments:
            pair = [tile.lock(number) for number in part.locks]
            span = f" [{part.offset}..{part.offset + part.length - 1}]" if len(pool.segments) > 1 else ""
            uses = zip(pair, ("free", "full"), strict=False)
            words = ", ".join(f"{lock.id} = {lock.initial} {what}" for lock, what in uses)
            lines.append(f" {span} lock {words}" if pair else f" {span} no locks")
    for channel in tile.channels:
        numbers = ",".join(str(bd_number(tile.tile, bd.id)) for bd in channel.bds)
        lines.append(f"{channel.name} {channel.fifo}: BD {numbers or '-'}")
    return lines


def _streams(axes: Axes, plan: Plan, boxes: Mapping[Tile, tuple[float, float, float, float]]) -> None:
    """An arrow for each stream, from and to places along the edges that no other arrow uses."""
    ends: dict[tuple[Tile, str], list[float]] = {}
    arrows: list[tuple[str, tuple[Tile, str, float], tuple[Tile, str, float], bool]] = []
    for flow in plan.flows:
        for dest in flow.dests:
            one, other = flow.source.tile, dest.tile
            climbs = _ROWS.index(other.kind) - _ROWS.index(one.kind)
            sides = ("top", "top") if climbs == 0 else ("top", "bottom") if climbs > 0 else ("bottom", "top")
            # Along an edge, arrows stand in the order of what is at their other end.
            keys = boxes[other][0] + 1e-3 * len(arrows), boxes[one][0] + 1e-3 * len(arrows)
            ends.setdefault((one, sides[0]), []).append(keys[0])
            ends.setdefault((other, sides[1]), []).append(keys[1])
            arrows.append((flow.fifo, (one, sides[0], keys[0]), (other, sides[1], keys[1]), climbs == 0))

    def point(tile: Tile, side: str, key: float) -> tuple[float, float]:
        x, y, w, h = boxes[tile]
        mine = sorted(ends[tile, side])
        return x + w * (mine.index(key) + 1) / (len(mine) + 1), y + (h + 0.03 if side == "top" else -0.03)

    for number, (fifo, source, target, level) in enumerate(arrows):
        start, stop = point(*source), point(*target)
        bend = "arc3,rad=-0.2" if level else "arc3"
        arrow = FancyArrowPatch(
            start, stop, arrowstyle="-|>", connectionstyle=bend, mutation_scale=10, color=_FREE, linewidth=1.1
        )
        axes.add_patch(arrow)
        # Names stand at different heights, so that they do not cover each other.
        part = 0.35 + 0.3 * (number % 2)
        place = start[0] + part * (stop[0] - start[0]), start[1] + part * (stop[1] - start[1]) + 0.3 * level
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
        axes.text(*place, f" {fifo}", fontsize=8.5, color=_FREE, va="center", bbox=box)


# -- a run -----------------------------------------------------------------------------------------------------------


def locks_png(
    tile: TilePlan, sources: Sequence[ChannelStream], sinks: Sequence[ChannelStream], ports: Mapping[str, Trace]
) -> bytes:
    """The values of a tile's locks and the descriptors of its channels over time.

    Args:
        tile: what was planned.
        sources: what stands behind each S2MM channel of the engine.
        sinks: the same for MM2S.
        ports: traces of the engine, from RTL or model: ``lock``, ``evt_N``, ``s_axis_N``, ``m_axis_N``.

    Returns:
        a PNG file's bytes.
    """
    count = len(sources) + len(sinks)
    figure = Figure(figsize=(10.4, 1.0 + 0.42 * len(tile.locks) + 0.3 * count), facecolor="white", layout="constrained")
    top, low = figure.subplots(2, 1, sharex=True, height_ratios=[0.42 * max(1, len(tile.locks)), 0.3 * count])
    end = max((int(t.cycle[-1]) for t in ports.values() if len(t)), default=1) + 2
    _values(top, tile, ports["lock"], end)
    _work(low, sources, sinks, ports, end)
    figure.suptitle(f"{tile.tile}: locks and descriptors", color=_INK, fontsize=11, x=0.01, ha="left")
    FigureCanvasAgg(figure)
    out = BytesIO()
    figure.savefig(out, dpi=_DPI, format="png")
    return out.getvalue()


def _quiet(axes: Axes) -> None:
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_SOFT)
    axes.tick_params(colors=_INK, labelsize=8, length=0)
    axes.grid(axis="x", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)


def _values(axes: Axes, tile: TilePlan, trace: Trace, end: int) -> None:
    _quiet(axes)
    rows = len(tile.locks)
    for n, lock in enumerate(tile.locks):
        values = np.concatenate([[lock.initial], trace.data[:, lock.id]]).astype(float)
        cycles = np.concatenate([[0], trace.cycle])
        most = max(1.0, float(values.max()))
        base = rows - 1 - n
        color = _FREE if lock.port is FifoEnd.PRODUCE else _FULL
        edges = np.append(cycles, end)
        axes.stairs(base + 0.75 * values / most, edges, baseline=base, fill=True, color=color, alpha=0.35)
        axes.stairs(base + 0.75 * values / most, edges, baseline=None, color=color, linewidth=1.0)
        axes.text(end * 1.005, base + 0.35, f"0..{int(most)}", fontsize=7.5, color=_SOFT, va="center")
    axes.set_ylim(-0.1, rows)
    axes.set_yticks([rows - 1 - n + 0.35 for n in range(rows)], [f"{k.name} ({k.id})" for k in tile.locks])
    axes.set_title("lock values: blue counts free objects, red filled ones", fontsize=8.5, color=_SOFT, loc="left")


def _work(
    axes: Axes, sources: Sequence[ChannelStream], sinks: Sequence[ChannelStream], ports: Mapping[str, Trace], end: int
) -> None:
    """A bar from each descriptor's first word to its end; words are counted where they pass the port."""
    _quiet(axes)
    channels = [("S2MM", n, s, f"s_axis_{n}") for n, s in enumerate(sources)]
    channels += [("MM2S", n, s, f"m_axis_{n}") for n, s in enumerate(sinks)]
    names = []
    first_mm2s = sum(name.startswith("s_axis_") for name in ports)
    for row, (way, n, stream, port) in enumerate(channels):
        base = len(channels) - 1 - row
        moved = ports[port].cycle
        axes.vlines(moved, base + 0.12, base + 0.72, color=_SOFT, linewidth=0.5, alpha=0.6)
        events = ports[f"evt_{n if way == 'S2MM' else first_mm2s + n}"]
        for cycle, data in zip(events.cycle.tolist(), events.data, strict=True):
            axes.plot([cycle], [base + 0.42], marker="|", color=_FULL, markersize=10, markeredgewidth=1.6)
            axes.text(cycle, base + 0.78, str(int(data[0]) & 0x3F), fontsize=6.5, color=_FULL, ha="center", va="center")
        names.append(f"{'core' if stream.core else way} {stream.fifo}")
    axes.set_ylim(-0.1, len(channels))
    axes.set_yticks([len(channels) - 1 - n + 0.4 for n in range(len(channels))], names)
    axes.set_xlim(0, end)
    axes.set_xlabel("cycle", fontsize=8.5, color=_INK)
    axes.set_title(
        "words at the ports (grey) and descriptors that end (red, with their number)",
        fontsize=8.5,
        color=_SOFT,
        loc="left",
    )
