# SPDX-License-Identifier: Apache-2.0
"""The curve of a search: what each limit measured over the values that were run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from goldbeat.tb.run.plot import BLUE, GREEN, RED, label_axes, new_figure, save_figure
from goldbeat.tb.size.size_point import SizePoint
from goldbeat.tb.size.sized_parameter import SizedParameter

_PANELS = 4
"""Limits that are drawn, at most."""


def plot_sizes(
    parameters: Sequence[SizedParameter],
    points: Sequence[SizePoint],
    best: SizePoint | None,
    limits: Mapping[str, float],
    path: Path,
    title: str,
) -> None:
    """Draw it; of several parameters over the sum of their values.

    Args:
        parameters: what was sized.
        points: what was run.
        best: what was chosen.
        limits: by ``WHERE LIMIT``.
        path: overwritten.
        title: over the figure.
    """
    names = list(limits)[:_PANELS]
    rows = max(1, len(names))
    figure, panels = new_figure(title, [[f"p{n}"] for n in range(rows)], (9.6, 0.8 + 2.4 * rows), [1.0] * rows)
    over = parameters[0].name if len(parameters) == 1 else f"sum of {len(parameters)} parameters"
    for axes, name in zip(panels, names, strict=False):
        for keeps, colour, mark, said in ((True, GREEN, "o", "keeps all limits"), (False, RED, "x", "does not")):
            seen = [(p.total, p.measured[name]) for p in points if p.keeps is keeps and name in p.measured]
            if seen:
                axes.plot(*zip(*seen, strict=True), linestyle="", marker=mark, color=colour, markersize=5, label=said)
        if len(parameters) == 1:
            line = sorted((p.total, p.measured[name]) for p in points if name in p.measured)
            axes.plot(*zip(*line, strict=True), color=BLUE, linewidth=0.9, zorder=1)
        axes.axhline(limits[name], color=RED, linestyle="--", linewidth=1.0, label=f"limit {limits[name]:g}")
        if best is not None:
            axes.axvline(best.total, color=BLUE, linestyle=":", linewidth=1.2, label=f"chosen: {best.total}")
        label_axes(axes, name, over, name.rpartition(" ")[2])
        axes.legend(fontsize=8, frameon=False)
    save_figure(figure, path)
