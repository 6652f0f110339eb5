# SPDX-License-Identifier: Apache-2.0
"""A layer's life as a picture: what is read, computed and written when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from goldbeat.pymodels.zynqnet.timing import LayerTimes

_BINS = 400
_DPI = 110
_COLOURS = {"pixels and weights read": "tab:blue", "issues": "tab:orange", "results written": "tab:green"}


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
    figure = Figure(figsize=(10, 6), layout="constrained")
    FigureCanvasAgg(figure)
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=(1, 1.3))
    middle = (edges[1:] + edges[:-1]) / 2
    for name, share in shares.items():
        top.fill_between(middle, 100 * share, step="mid", alpha=0.25, color=_COLOURS[name])
        top.plot(middle, 100 * share, drawstyle="steps-mid", linewidth=1, color=_COLOURS[name], label=name)
    top.set_ylabel("use, % of cycles")
    top.set_ylim(0, 105)
    top.legend(loc="center right", fontsize="small")
    top.set_title(title)
    number = np.arange(len(tiles.first_issue))
    height = 0.8
    for left, right, colour, label in (
        (tiles.first_issue, tiles.last_issue, "tab:orange", "computed"),
        (tiles.first_step, tiles.last_step, "tab:green", "drained"),
    ):
        below.barh(number, right - left + 1, left=left - go, height=height, color=colour, label=label)
    below.invert_yaxis()
    below.set_ylabel("tile")
    below.set_xlabel("cycles since the start")
    below.legend(loc="upper right", fontsize="small")
    figure.savefig(path, dpi=_DPI, format="png")
