# SPDX-License-Identifier: Apache-2.0
"""The terminal: tables, progress, and text from outside that reads as it was written."""

from __future__ import annotations

import errno
import os
import re
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from goldbeat.tb.design.measurements import MeasurementTable
from goldbeat.tb.visible import visible

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

# What rich takes for a tag, with backslashes before it; and a backslash before any other bracket, which rich drops.
_TAGS = re.compile(r"(\\*)\[([a-z#/@][^[]*?)]|\\(?=\[)")


class Screen(Console):
    """The terminal: what cannot be seen in a text is escaped before rich adds its own control characters.

    Text from outside with markup switched on goes through :func:`literal` too.
    """

    def __init__(self, *, stderr: bool = False, highlight: bool = True, markup: bool = True, soft_wrap: bool = False):
        # Names such as :x: are names.
        super().__init__(stderr=stderr, highlight=highlight, markup=markup, soft_wrap=soft_wrap, emoji=False)

    def on_broken_pipe(self) -> None:
        """Nobody reads on: as when a command prints without rich, :class:`GoldbeatGroup` ends it without a word."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    def render_str(self, text: str, **options: Any) -> Text:
        """A text as rich prints it: of lines, table cells and titles alike."""
        return super().render_str(visible(text), **options)


def literal(text: str) -> str:
    """One line of text from outside, for a place where rich takes markup: it reads as it was written."""
    shown = _TAGS.sub(lambda m: m[0] + "\\" if m[2] is None else f"{m[1]}{m[1]}\\[{m[2]}]", visible(text, line=True))
    ends = len(shown) - len(shown.rstrip("\\"))
    # What follows may be a tag, which a backslash before it would escape.
    return shown + "\\" * ends + "[none][/none]" if ends else shown


def progress(err: Console, *columns: ProgressColumn | str) -> Progress:
    """A line of progress that goes away at the end, on a terminal only: what is done, a bar, and the columns.

    Args:
        err: where it is shown.
        columns: columns of rich, and names of fields that the task gives as text.
    """
    # Most output needs none of it.
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    more = (TextColumn(f"{{task.fields[{column}]}}") if isinstance(column, str) else column for column in columns)
    head = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(24))
    return Progress(*head, *more, console=err, transient=True, disable=not err.is_terminal)


def show_table(table: Table, *, piped: int | None = None) -> None:
    """Print a table so that no word in it is cut.

    One that is too wide loses its columns without values. If that does not help, each row becomes a list.

    Args:
        table: rows of texts, which may have markup.
        piped: width into a pipe, which has none of its own.
    """
    out = Screen(highlight=False)
    if piped is not None and not out.is_terminal:
        out.width = piped
    if _cut(out, table):
        table = _with_values(table)
    if not _cut(out, table):
        out.print(table)
        return
    if table.title:
        out.print(table.title)
    names = [str(column.header) for column in table.columns]
    wide = max(map(len, names[1:]))
    for first, *others in zip(*(column.cells for column in table.columns), strict=True):
        out.print(first, soft_wrap=True)
        for name, cell in zip(names[1:], others, strict=True):
            out.print(f"  {name:<{wide}} ", cell, soft_wrap=True)


def _with_values(table: Table) -> Table:
    """The same without columns that are empty in every row."""
    kept = [column for column in table.columns if any(cell not in ("", "-") for cell in column.cells)]
    made = Table(title=table.title, title_justify=table.title_justify, show_edge=table.show_edge)
    for column in kept:
        made.add_column(column.header, justify=column.justify, no_wrap=column.no_wrap)
    for row in zip(*(column.cells for column in kept), strict=True):
        made.add_row(*row)
    return made


def _cut(out: Console, table: Table) -> bool:
    """Words of it would be cut."""
    with out.capture() as shown:
        out.print(table)
    own = "".join(str(cell) for column in table.columns for cell in (column.header, *column.cells))
    return "\u2026" in shown.get() and "\u2026" not in own


def show_findings(findings: MeasurementTable) -> None:
    """Print a table for people."""
    table = Table(title=literal(findings.title), title_justify="left")
    for n, name in enumerate(findings.columns):
        table.add_column(literal(name), justify="right" if n else "left", no_wrap=True)
    for row in findings.rows:
        table.add_row(*map(literal, row))
    show_table(table, piped=110)
    for note in findings.notes:
        typer.echo(visible(note))
