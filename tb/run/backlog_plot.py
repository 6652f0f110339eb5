# SPDX-License-Identifier: Apache-2.0
"""A picture of the backlog between two ports over time."""

from __future__ import annotations

from pathlib import Path

from goldbeat.pymodels.backlog import BacklogUnit, backlog, backlog_curve
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.plot import BLUE, FILL, RED, label_axes, new_figure, save_figure, time_unit


def plot_backlog(source: Trace, sink: Trace, path: Path, *, title: str, unit: BacklogUnit = "beats") -> None:
    """Draw it.

    Args:
        source: transfers into the design.
        sink: transfers out of it.
        unit: what to count.
        path: overwritten; its ending says the format.
        title: over the figure.

    Raises:
        GoldbeatError: as :func:`~goldbeat.pymodels.backlog.backlog`.
    """
    found = backlog(source, sink, unit=unit, kept_inside=True)
    time, level = backlog_curve(source, sink, unit=unit)
    scale, name = time_unit(float(time[-1] - time[0]))
    figure, (axes,) = new_figure(title, [["level"]], (9.6, 3.2), [1.0])
    axes.fill_between(time / scale, level, step="post", color=FILL)
    axes.step(time / scale, level, where="post", color=BLUE, linewidth=1.0)
    axes.axhline(found.most, color=RED, linestyle="--", linewidth=1.0)
    said = f"at most {found.most} {unit}, {found.mean:.1f} on average"
    label_axes(axes, said, f"time in {name}", unit)
    axes.set_ylim(0, found.most * 1.08 + 1)
    save_figure(figure, path)
