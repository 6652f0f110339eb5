# SPDX-License-Identifier: Apache-2.0
"""The plots of a page as SVG: what is printed, what a page without the plot library has, and all histograms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.measure import measure
from goldbeat.pymodels.packet_payload import without_headers
from goldbeat.tb.page.beat_lanes import BeatTimeline
from goldbeat.tb.page.curves import Histogram, Numbers, StepCurve, TimeCurve
from goldbeat.tb.page.kept_run import KeptPort
from goldbeat.tb.run.counted import whole_samples
from goldbeat.tb.run.plot import draw_gaps, draw_throughput
from goldbeat.tb.run.svg_panel import SvgFigure, SvgPanel, escaped

_BLUE, _FILL, _RED, _INK, _SOFT = "#2166ac", "#c6dbef", "#b2182b", "#1f2933", "#616e7c"
_SIZE = (6.4, 2.3)
_SMALL = (4.2, 2.3)
_POINTS = 200
_ROW, _LEFT, _ACROSS, _BINS = 20, 150, 900, 300


def _panel(size: tuple[float, float]) -> tuple[SvgFigure, SvgPanel]:
    figure = SvgFigure("", 1, [1.0], size)
    return figure, figure.panels[0]


def port_drawings(port: KeptPort, span_ps: tuple[int, int]) -> tuple[str, str]:
    """Throughput over time and gaps of a port with at least one beat."""
    trace = without_headers(port.trace) if port.entry.packets else port.trace
    dtype = whole_samples(trace, port.entry.dtype)[0]
    result = measure(trace, dtype)
    rate, gaps = _panel(_SIZE), _panel(_SMALL)
    draw_throughput(rate[1], trace, result, dtype, span_ps)
    draw_gaps(gaps[1], result)
    return rate[0].text(), gaps[0].text()


def time_drawing(curves: Mapping[str, TimeCurve], title: str, unit: str) -> str:
    """Curves over time; each at its most where there are more points than can be seen."""
    figure, panel = _panel(_SIZE)
    colours = dict(zip(curves, (_BLUE, _RED), strict=False))
    panel.set_title(title)
    panel.set_ylabel(unit)
    panel.set_xlabel("time [ns]")
    top = 0.0
    for name, curve in curves.items():
        high, edges = _most(curve)
        top = max(top, float(high.max()))
        panel.stairs(high, edges, color=colours[name], linewidth=1.2)
    panel.set_ylim(0, top * 1.15 or 1.0)
    return figure.text()


def _most(curve: TimeCurve) -> tuple[Numbers, Numbers]:
    """At most :data:`_POINTS` values and the edges around them."""
    starts = np.unique(np.linspace(0, len(curve.x), min(_POINTS, len(curve.x)), endpoint=False).astype(np.int64))
    high = np.maximum.reduceat(curve.high, starts)
    return high, np.append(curve.x[starts], curve.x[-1] + 1)


def step_drawing(curves: Mapping[str, StepCurve], title: str, unit: str) -> str:
    """Rates in bins of time."""
    figure, panel = _panel(_SIZE)
    panel.set_title(title)
    panel.set_ylabel(unit)
    panel.set_xlabel("time [ns]")
    for curve, colour in zip(curves.values(), (_BLUE, _RED), strict=False):
        # As many bins as can be told from each other.
        every = max(1, len(curve.values) // _POINTS)
        count = len(curve.values) // every
        mean = curve.values[: count * every].reshape(count, every).mean(axis=1)
        panel.stairs(mean, curve.edges[: count * every + 1 : every], color=colour, linewidth=1.2)
    panel.set_ylim(0, max(float(c.values.max()) for c in curves.values()) * 1.15 or 1.0)
    return figure.text()


def histogram_drawing(found: Histogram, title: str) -> str:
    """How many values lie where."""
    figure, panel = _panel(_SMALL)
    panel.set_title(title)
    panel.set_xlabel("ns")
    panel.set_ylabel("how often")
    panel.stairs(found.counts, found.edges, color=_FILL, fill=True)
    panel.stairs(found.counts, found.edges, color=_BLUE, linewidth=1.2)
    panel.set_ylim(0, float(found.counts.max()) * 1.15)
    return figure.text()


def lanes_drawing(timeline: BeatTimeline) -> str:
    """The timeline as a whole: how dense the beats of each lane are over time, red where they differ."""
    if timeline.span is None:
        return ""
    first, last = timeline.span
    height = _ROW * len(timeline.lanes) + 30
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _ACROSS} {height}" width="{_LEFT + _ACROSS}" '
        f'height="{height}" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11">'
    ]
    size = (last - first) / _BINS or 1.0
    for row, lane in enumerate(timeline.lanes):
        y = row * _ROW
        lines.append(f'<text x="4" y="{y + 14}" fill="{_INK}">{escaped(lane["n"])}</text>')
        if "density" in lane:
            counts = np.array(lane["density"], float).reshape(_BINS, -1).sum(axis=1)
            bad = np.zeros(_BINS)
        else:
            counts, bad = _binned_lane(lane, first, size)
        lines += _bars(y + 4, counts, bad)
    y = _ROW * len(timeline.lanes) + 16
    lines.append(f'<text x="{_LEFT}" y="{y}" fill="{_SOFT}">{first:g} ns</text>')
    lines.append(f'<text x="{_LEFT + _ACROSS - 4}" y="{y}" fill="{_SOFT}" text-anchor="end">{last:g} ns</text></svg>')
    return "\n".join(lines)


def _bars(y: int, counts: Numbers, bad: Numbers) -> Iterator[str]:
    """Bins as bars, darker where there is more; neighbours that look alike are one."""
    level = np.ceil(counts / (counts.max() or 1.0) * 4).astype(np.int64)
    looks = np.where(bad > 0, level + 10, level)
    edges = np.flatnonzero(np.diff(looks, prepend=0, append=0))
    paths: dict[int, list[str]] = {}
    width = _ACROSS // _BINS
    for start, end in pairwise(edges.tolist()):
        if looks[start]:
            across = width * (end - start)
            paths.setdefault(int(looks[start]), []).append(f"M{_LEFT + width * start} {y}h{across}v13h-{across}z")
    for look, found in sorted(paths.items()):
        colour, share = (_RED, look - 10) if look > 10 else (_BLUE, look)
        yield f'<path d="{"".join(found)}" fill="{colour}" opacity="{0.2 + 0.2 * share:.1f}"/>'


def _binned_lane(lane: Mapping[str, Any], first: float, size: float) -> tuple[Numbers, Numbers]:
    """Beats, and those that differ, in each bin of the drawing."""
    times = lane["offset"] + np.cumsum(lane["c"]) * lane["clock"]
    at = np.clip(((times - first) / size).astype(np.int64), 0, _BINS - 1)
    flags = np.zeros(len(at), np.bool_)
    edges: Sequence[int] = lane.get("bad", [])
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        flags[start:end] = True
    counts, bad = (np.bincount(rows, minlength=_BINS).astype(float) for rows in (at, at[flags]))
    return counts, bad


def rounded(values: npt.NDArray[Any]) -> list[float]:
    """For JSON: four digits that count."""
    return [float(f"{v:.4g}") for v in values.tolist()]
