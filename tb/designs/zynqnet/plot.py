# SPDX-License-Identifier: Apache-2.0
"""A layer's life as a picture: what is read, computed and written when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.zynqnet.timing import LayerTimes
from goldbeat.tb.run.plot import BLUE, GREEN, RED, label_axes, legend_above, new_figure, save_figure

_BINS = 400
_ISSUES = "#b8860b"
_COLOURS = {"pixels and weights read": BLUE, "issues": _ISSUES, "results written": RED}


def _share(spans: npt.NDArray[np.int64], busy: npt.NDArray[np.float64], edges: npt.NDArray[np.float64]) -> Any:
    """(bins,) how much of each bin is busy: each span (first, last) holds so many busy cycles, evenly."""
    first, last = spans[:, 0].astype(float), spans[:, 1].astype(float) + 1
    rate = busy / (last - first)
    # The integral over time of all spans, looked up at the edges.
    total = np.zeros(len(edges))
    for begin, end, r in zip(first, last, rate, strict=True):
        total += np.clip(edges - begin, 0, end - begin) * r
    return np.diff(total) / np.diff(edges)


def plot_layer(times: LayerTimes, path: Path, title: str) -> None:
    """Draw a layer: the use of read port, multipliers and write port over time, and its tiles one below the other."""
    edges = np.linspace(0, times.cycles, _BINS + 1)
    tiles, go = times.tiles, times.go
    per_tile = np.full(len(tiles.first_issue), times.issues / len(tiles.first_issue))
    issues = np.stack([tiles.first_issue, tiles.last_issue], axis=1) - go
    shares = {
        "pixels and weights read": _share(times.reads[:, 3:5] - go, times.reads[:, 1].astype(float), edges),
        "issues": _share(issues, per_tile, edges),
        "results written": _share(times.writes[:, 3:5] - go, times.writes[:, 1].astype(float), edges),
    }
    figure, (top, below) = new_figure(title, [["use"], ["tiles"]], (10.4, 6), [1, 1.3])
    middle = (edges[1:] + edges[:-1]) / 2
    for name, share in shares.items():
        top.fill_between(middle, 100 * share, step="mid", alpha=0.2, color=_COLOURS[name])
        top.plot(middle, 100 * share, drawstyle="steps-mid", linewidth=1, color=_COLOURS[name], label=name)
    label_axes(top, "Ports and multipliers", "", "use, % of cycles")
    top.set_ylim(0, 105)
    number = np.arange(len(tiles.first_issue))
    for left, right, colour, label in (
        (tiles.first_issue, tiles.last_issue, _ISSUES, "computed"),
        (tiles.first_step, tiles.last_step, GREEN, "drained"),
    ):
        below.barh(number, right - left + 1, left=left - go, height=0.8, color=colour, label=label)
    below.invert_yaxis()
    label_axes(below, "Tiles", "cycles since the start", "tile")
    for axes in (top, below):
        axes.set_xlim(0, times.cycles)
        legend_above(axes)
    save_figure(figure, path)
