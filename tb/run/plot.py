# SPDX-License-Identifier: Apache-2.0
"""Pictures of traces: throughput over time, gaps, frame intervals; and of what a memory has answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.measure import Throughput, UnmeasurableError, frame_intervals, measure
from goldbeat.pymodels.samples import SampleType, sample_type
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.svg_panel import SvgFigure

_INK, _SOFT, _GRID = "#1f2933", "#616e7c", "#e4e7eb"
BLUE, FILL, RED, GREEN = "#2166ac", "#c6dbef", "#b2182b", "#1b7837"
_BINS = 160
_DPI = 130
_WIDTHS = [2.2, 1.0]
_MOST_POINTS = 1 << 12

_Format = str | SampleType | None
_Target = str | PathLike[str] | IO[bytes]
Axes = Any
"""Matplotlib's axes, or an :class:`~goldbeat.tb.run.svg_panel.SvgPanel`."""


def plot_trace(trace: Trace, path: _Target, *, title: str, dtype: _Format = None) -> None:
    """One port: throughput over time on top, gaps and frame intervals below.

    Args:
        trace: what to draw; a trace too short for a panel gets the reason in its place.
        path: PNG (or what matplotlib makes of the ending), overwritten; or a stream, which gets a PNG.
        title: over the figure.
        dtype: sample type; without it throughput is in MB/s.
    """
    figure, (top, left, right) = new_figure(title, [["rate", "rate"], ["gaps", "frames"]], (9.6, 6.4), [1.15, 1.0])
    result = measure(trace, dtype)
    draw_throughput(top, trace, result, dtype)
    draw_gaps(left, result)
    _frames(right, trace, result)
    save_figure(figure, path)


def plot_run(
    ports: Mapping[str, Trace], path: _Target, title: str, dtypes: Mapping[str, str | None] | None = None
) -> None:
    """All ports of a run: a row each with throughput over one common time axis, and gaps.

    Args:
        ports: traces by name.
        path: overwritten; an SVG is drawn without matplotlib, what else it is is matplotlib's; or a stream, which gets a PNG.
        title: over the figure.
        dtypes: sample types by port; a port without one is drawn in MB/s.
    """
    names = list(ports)
    rows = max(1, len(names))
    size = (10.4, 0.9 + 2.25 * rows)
    drawn = SvgFigure(title, rows, _WIDTHS, size) if str(path).endswith(".svg") else None
    if drawn is not None:
        axes: list[Axes] = list(drawn.panels)
    else:
        mosaic = [[f"rate{i}", f"gaps{i}"] for i in range(rows)]
        figure, axes = new_figure(title, mosaic, size, [1.0] * rows, _WIDTHS)
    times = [int(end.time_ps[0]) for t in ports.values() if len(t) for end in (t[:1], t[-1:])]
    span = (min(times), max(times)) if times else None
    for i, name in enumerate(names):
        trace, dtype = ports[name], (dtypes or {}).get(name)
        rate, gaps = axes[2 * i], axes[2 * i + 1]
        result = measure(trace, dtype)
        draw_throughput(rate, trace, result, dtype, span)
        draw_gaps(gaps, result)
        rate.set_title(f"{name}: throughput", loc="left", fontsize=10, color=_INK)
    if not names:
        _say(axes[0], "no ports")
        _say(axes[1], "")
    if drawn is not None:
        drawn.save(Path(str(path)))
    else:
        save_figure(figure, path)


def plot_memory(log: npt.NDArray[Any], regions: Sequence[Region], path: _Target, title: str) -> None:
    """What went through an AXI4 port: the use of its read and write data channels over time, and the addresses of all bursts.

    Args:
        log: the bursts that the memory has answered (:class:`goldbeat.pymodels.stimulus.MemoryContents`).
        regions: the memory's; each one that was touched gets a band, from the lowest address touched to the highest.
        path: PNG, overwritten; or a stream.
        title: over the figure.
    """
    from matplotlib.collections import LineCollection

    # A refused burst belongs to no region.
    moved = log[(log["last"] >= 0) & (log["region"] >= 0)]
    touched = np.unique(moved["region"]).tolist()
    height = 0.45 * max(2, len(touched))
    figure, (top, below) = new_figure(title, [["use"], ["where"]], (10.4, 3.2 + height), [1.9, height])
    label_axes(top, "Data channels", "", "use, % of cycles")
    label_axes(below, "Bursts: addresses, from the lowest to the highest in each region", "cycle", "")
    if not len(moved):
        _say(top, "no burst was completed")
        _say(below, "")
        save_figure(figure, path)
        return
    end = int(moved["last"].max()) + 1
    edges = np.linspace(0, end, min(_BINS, end) + 1)
    for kind, name, colour in ((READ, "read", BLUE), (WRITE, "written", RED)):
        some = moved[moved["kind"] == kind]
        top.stairs(100 * busy(some, edges), edges, color=colour, fill=True, alpha=0.25)
        top.stairs(100 * busy(some, edges), edges, color=colour, linewidth=1.1, label=name)
        lines = []
        for band, n in enumerate(touched):
            here = some[some["region"] == n]
            low, high = _span(moved[moved["region"] == n])
            at = band + 0.1 + 0.8 * (here["address"] - low) / max(1, high - low)
            lines.append(np.stack([np.stack([here["first"], at], 1), np.stack([here["last"] + 1, at], 1)], 1))
        below.add_collection(LineCollection(np.concatenate(lines).tolist(), colors=colour, linewidths=1.6))
    top.set_ylim(0, 105)
    top.set_xlim(0, end)
    legend_above(top)
    below.set_xlim(0, end)
    below.set_ylim(0, len(touched))
    below.set_yticks(np.arange(len(touched)) + 0.5, [regions[n].name for n in touched])
    below.grid(False, axis="y")
    for border in range(1, len(touched)):
        below.axhline(border, color=_GRID, linewidth=1)
    save_figure(figure, path)


def _span(bursts: npt.NDArray[Any]) -> tuple[np.uint64, np.uint64]:
    address = bursts["address"]
    return address.min(), address.max()


def busy(bursts: npt.NDArray[Any], edges: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(bins,) share of cycles with a beat, a burst's beats being spread evenly from its first to its last."""
    first, end = bursts["first"].astype(float), bursts["last"].astype(float) + 1
    rate = (bursts["len"] + 1.0) / (end - first)

    def since(start: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Beats up to each edge if no burst ended: the integral of all rates from their starts on."""
        order = np.argsort(start)
        rates = np.concatenate([[0.0], np.cumsum(rate[order])])
        offsets = np.concatenate([[0.0], np.cumsum((rate * start)[order])])
        begun = np.searchsorted(start[order], edges)
        total: npt.NDArray[np.float64] = rates[begun] * edges - offsets[begun]
        return total

    share: npt.NDArray[np.float64] = np.diff(since(first) - since(end)) / np.diff(edges)
    return share


def new_figure(
    title: str,
    mosaic: list[list[str]],
    size: tuple[float, float],
    heights: list[float],
    widths: list[float] | None = None,
) -> tuple[Any, list[Any]]:
    """A figure of panels in the style of all plots; the panels in the order of the mosaic."""
    # It takes longer to import than a short run.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # The object-oriented way: no pyplot state, no windows, safe in threads and tests.
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    grid: dict[str, Any] = figure.subplot_mosaic(mosaic, height_ratios=heights, width_ratios=widths)
    # A title is text, also where it has dollar signs.
    figure.suptitle(title, parse_math=False, x=0.01, ha="left", fontsize=12, fontweight="bold", color=_INK)
    for axes in grid.values():
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set_color(_SOFT)
        axes.tick_params(colors=_SOFT, labelsize=8)
        axes.grid(True, color=_GRID, linewidth=0.8)
        axes.set_axisbelow(True)
    return figure, list(grid.values())


def save_figure(figure: Any, path: _Target) -> None:
    """Write a figure to a file, or as a PNG to a stream."""
    # A stream has no ending that says what to write.
    figure.savefig(path, dpi=_DPI, facecolor="white", format=None if isinstance(path, (str, PathLike)) else "png")


def legend_above(axes: Axes) -> None:
    """Say what the lines of a panel are, in one line over its right end: within, it would cover data."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1, 1),
        borderaxespad=0,
        ncols=len(axes.get_legend_handles_labels()[0]),
        fontsize=8,
        frameon=False,
        labelcolor=_INK,
    )


def label_axes(axes: Axes, title: str, x: str, y: str) -> None:
    """Title and axes of a panel."""
    axes.set_title(title, loc="left", fontsize=10, color=_INK)
    axes.set_xlabel(x, fontsize=9, color=_SOFT)
    axes.set_ylabel(y, fontsize=9, color=_SOFT)


def _say(axes: Axes, reason: str) -> None:
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.text(0.5, 0.5, reason, transform=axes.transAxes, ha="center", va="center", color=_SOFT, fontsize=9, wrap=True)


def binned(trace: Trace, bins: int = _BINS) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Throughput over time.

    Bins are whole clock cycles long, all alike but the last, which ends one cycle after the last beat.

    Returns:
        (b + 1,) bin edges in picoseconds and (b,) MB/s in each bin; both empty without beats.
    """
    if len(trace) == 0:
        return np.zeros(0), np.zeros(0)
    first, last = trace[:1], trace[-1:]
    total = int(last.cycle[0] - first.cycle[0]) + 1
    size = max(1, -(-total // bins))
    count = -(-total // size)
    moved = np.zeros(count)
    for part in trace.parts():
        moved += np.bincount((part.cycle - first.cycle[0]) // size, weights=part.valid_bytes(), minlength=count)
    edges = np.minimum(np.arange(count + 1) * size, total)
    rate = moved * 1e6 / (np.diff(edges) * trace.clock_ps)
    return edges * float(trace.clock_ps) + float(first.time_ps[0]), rate


def time_unit(span_ps: float) -> tuple[float, str]:
    """Picoseconds of the unit that suits a span of time, and its name."""
    for scale, unit in ((1e12, "s"), (1e9, "ms"), (1e6, "us")):
        if span_ps >= 2 * scale:
            return scale, unit
    return 1e3, "ns"


def draw_throughput(
    axes: Axes, trace: Trace, result: Throughput, dtype: _Format, span: tuple[int, int] | None = None
) -> None:
    """Throughput over time in a panel, with what the port can carry and the average.

    Args:
        axes: the panel.
        trace: of the port.
        result: what was measured in it.
        dtype: sample type; without it throughput is in MB/s.
        span: first and last time of the axis in picoseconds; None: the trace's own.
    """
    kind = None if dtype is None else sample_type(dtype)
    unit, per_byte = ("MB/s", 1.0) if kind is None else ("Msamples/s", 8.0 / kind.bits)
    label_axes(axes, "Throughput", "time", unit)
    edges, rate = binned(trace)
    if not len(rate):
        _say(axes, "no beats")
        return
    scale, name = time_unit(float(edges[-1]))
    axes.set_xlabel(f"time [{name}]", fontsize=9, color=_SOFT)
    axes.stairs(rate * per_byte, edges / scale, fill=True, color=FILL)
    axes.stairs(rate * per_byte, edges / scale, color=BLUE, linewidth=1.1)
    limit = result.limit_mb_per_s * per_byte
    axes.axhline(limit, color=RED, linewidth=1.2, linestyle="--", label=f"port limit {limit:.2f}")
    average = result.sustained
    if average is not None:
        value = average.mb_per_s * per_byte
        label = f"sustained {value:.2f} ({result.share(average):.1%})"
        axes.axhline(value, color=GREEN, linewidth=1.2, linestyle=":", label=label)
    axes.set_ylim(0, limit * 1.32)
    if span is not None:
        axes.set_xlim(span[0] / scale, (span[1] + trace.clock_ps) / scale)
    axes.legend(loc="upper right", ncols=2, fontsize=8, frameon=False, labelcolor=_INK)


def draw_gaps(axes: Axes, result: Throughput) -> None:
    """Histogram of the time between beats, in a panel."""
    label_axes(axes, "Gaps (time from beat to beat)", "gap [ns]", "how often")
    if not result.gaps:
        _say(axes, result.reason("max_gap_ps"))
        return
    count = np.fromiter(result.gap_ps.values(), np.int64)
    gap_ns = np.fromiter(result.gap_ps, np.float64) / 1000
    axes.set_yscale("log")
    axes.set_ylim(0.6, float(count.max()) * 6)
    if len(gap_ns) <= 8:
        at = np.arange(len(gap_ns))
        bars = axes.bar(at, count, width=0.55, color=FILL, edgecolor=BLUE)
        axes.bar_label(bars, [f"{n:,}" for n in count], fontsize=8, color=_INK, padding=2)
        axes.set_xticks(at, [f"{g:g}" for g in gap_ns])
        side = 1.5 if len(gap_ns) == 1 else 0.8
        axes.set_xlim(-side, len(gap_ns) - 1 + side)
        axes.grid(False, axis="x")
        return
    axes.vlines(gap_ns, 0.6, count, color=BLUE, linewidth=1.4)
    axes.plot(gap_ns, count, "o", color=BLUE, markersize=3)
    if gap_ns[-1] > 50 * gap_ns[0]:
        axes.set_xscale("log")


def _frames(axes: Axes, trace: Trace, result: Throughput) -> None:
    label_axes(axes, "Frame intervals (TLAST to TLAST)", "frame", "ns")
    try:
        intervals = frame_intervals(trace) / 1000
    except UnmeasurableError as why:
        _say(axes, str(why))
        return
    frame = np.arange(1, len(intervals) + 1)
    high = float(intervals.max())
    if len(frame) <= 12:
        bars = axes.bar(frame, intervals, width=0.55, color=FILL, edgecolor=BLUE)
        if len(frame) <= 8:
            axes.bar_label(bars, [f"{v:g}" for v in intervals], fontsize=8, color=_INK, padding=2)
        axes.set_xticks(frame)
        axes.set_xlim(0.2, max(len(frame) + 0.8, 2.8))
        axes.grid(False, axis="x")
    elif len(frame) <= _MOST_POINTS:
        axes.plot(frame, intervals, color=BLUE, linewidth=1, marker="o", markersize=2.5)
    else:
        # More than there are pixels: from the shortest to the longest of so many neighbours.
        starts = np.linspace(0, len(frame), _MOST_POINTS // 2, endpoint=False).astype(np.int64)
        low, top = (limit.reduceat(intervals, starts) for limit in (np.minimum, np.maximum))
        axes.fill_between(frame[starts], low, top, color=FILL, edgecolor=BLUE, linewidth=1)
    axes.set_ylim(0, high * 1.2)
    steady = result.steady
    if steady is not None:
        text = f"steady from frame {steady.since_frame}" if steady.holds else "not steady"
        axes.text(1, 1.02, text, transform=axes.transAxes, ha="right", color=GREEN if steady.holds else RED, fontsize=8)
