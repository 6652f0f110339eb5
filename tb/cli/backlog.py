# SPDX-License-Identifier: Apache-2.0
"""``goldbeat backlog``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from goldbeat.pymodels.backlog import BACKLOG_UNITS, Backlog, BacklogUnit, backlog
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import UnmeasurableError
from goldbeat.tb.cli.common import FAILED, Force, Json, check_drawing, examples, print_json, working
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.run.signoff import ARROW, Measured, Subject, check_sink, load_run, shown, split_path


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples("goldbeat backlog build/runs/my_fifo-sweep 's_axis->m_axis'", *design_examples("backlog"))
    app.command("backlog", no_args_is_help=True, epilog=below)(backlog_command)


@dataclass(frozen=True)
class _Found:
    """The backlog of an episode."""

    at: Measured
    value: Backlog


def backlog_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    path: Annotated[str, typer.Argument(metavar="IN->OUT", help="Two stream ports, in quotes.")],
    unit: Annotated[str, typer.Option("--unit", metavar="UNIT", help="Unit: beats, bytes or frames.")] = "beats",
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the worst episode over time (PNG, SVG).")
    ] = None,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Measure the backlog between two ports of a run.

    For a FIFO this is its fill level. Every complete episode of every seed is measured. To limit it, set
    [backlog."IN->OUT"] in the limits of `goldbeat signoff`.

    Exit code: 0 measured, 1 nothing could be measured, 2 bad usage or bad input.
    """
    counted: BacklogUnit | None = next((one for one in BACKLOG_UNITS if one == unit), None)
    if counted is None:
        raise UsageError(f"--unit {unit}: expected {', '.join(BACKLOG_UNITS)}")
    if plot is not None:
        check_drawing("--plot", plot, force, [run])
    with working(f"reading {run}"):
        subject = load_run(run)
    source, sink = _ports(subject, path)
    check_sink(subject, source, sink)
    found, reasons = list[_Found](), list[str]()
    for at in subject.of_streams():
        try:
            ends = (at.ports[source].trace, at.ports[sink].trace)
            value = backlog(*ends, unit=counted, kept_inside=subject.modelled)
        except UnmeasurableError as why:
            reasons.append(f"{why} ({at.place})")
        else:
            found.append(_Found(at, value))
    worst = max(found, key=lambda one: one.value.most, default=None)
    if as_json:
        print_json(_as_json(subject, (source, sink), counted, found, reasons))
    else:
        _show(subject, f"{source}{ARROW}{sink}", found, reasons)
    if worst is None:
        raise typer.Exit(FAILED)
    if plot is not None:
        from goldbeat.tb.run.backlog_plot import plot_backlog

        title = f"{subject.name}: backlog {source}{ARROW}{sink}, {worst.at.place}"
        plot_backlog(worst.at.ports[source].trace, worst.at.ports[sink].trace, plot, title=title, unit=counted)


def _ports(subject: Subject, path: str) -> tuple[str, str]:
    """The two ports of a path, which the run has."""
    source, sink = split_path(path)
    if not (source and sink):
        raise UsageError(f"{path}: expected IN->OUT, in quotes, because > is special in the shell")
    for name in (source, sink):
        if name not in subject.names:
            raise UsageError(f"{path}: no stream port {name!r}; {subject.name} has: {', '.join(subject.names)}")
    return source, sink


def _order(found: list[_Found]) -> list[_Found]:
    return sorted(found, key=lambda one: -one.value.most)


def _as_json(
    subject: Subject, ports: tuple[str, str], unit: str, found: list[_Found], reasons: list[str]
) -> dict[str, Any]:
    episodes = [
        {
            "seed": one.at.seed,
            "episode": one.at.episode,
            "most": one.value.most,
            "mean": one.value.mean,
            "total": one.value.total,
            "at_ns": one.value.at_ps / 1000,
            "beat": one.value.beat,
        }
        for one in found
    ]
    worst = max(episodes, key=lambda one: one["most"] or 0, default=None)
    facts = {"subject": subject.name, "from": ports[0], "to": ports[1], "unit": unit, "status": subject.status}
    return {**facts, "worst": worst, "episodes": episodes, "not_measured": reasons, "cut": subject.cut}


_SHOWN = 8


def _show(subject: Subject, path: str, found: list[_Found], reasons: list[str]) -> None:
    if found:
        table = Table(title=f"{literal(subject.name)}: backlog {literal(path)}", title_justify="left")
        unit = found[0].value.unit
        for column in ("episode", f"most {unit}", "on average", "first at ns", "input beat", f"{unit} in all"):
            table.add_column(column, justify="left" if column == "episode" else "right")
        for one in _order(found)[:_SHOWN]:
            value = one.value
            row = (value.most, round(value.mean, 2), value.at_ps / 1000, value.beat, value.total)
            table.add_row(one.at.place, *(shown(cell) for cell in row))
        show_table(table)
    plain = Screen(highlight=False, markup=False, soft_wrap=True)
    for text in _notes(subject, found, reasons):
        plain.print(text)


def _notes(subject: Subject, found: list[_Found], reasons: list[str]) -> Iterator[str]:
    if len(found) > _SHOWN:
        yield f"the {_SHOWN} fullest of {len(found)} episodes; --json has all"
    if reasons:
        yield f"not measured: {len(reasons)} episode(s); the first: {reasons[0]}"
    if subject.cut:
        yield f"not measured: {subject.cut} episode(s) cut off by a reset"
    if not found:
        yield "nothing could be measured"
    if subject.status not in ("pass", "passed"):
        yield f"note: the run's own verdict is {subject.status}"
