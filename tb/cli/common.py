# SPDX-License-Identifier: Apache-2.0
"""What the commands share: errors to exit codes, options, units, plain output. Nothing here is slow to import."""

from __future__ import annotations

import json
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goldbeat.pymodels.errors import GoldbeatError, InputError, NothingMovesError, UsageError
from goldbeat.pymodels.usual_clocks import period_of
from goldbeat.tb.cli import starting
from goldbeat.tb.cli.lazy_group import LazyGroup
from goldbeat.tb.extras import need_module
from goldbeat.tb.visible import visible

if TYPE_CHECKING:
    from goldbeat.pymodels.order.order_picture import OrderPicture

FAILED = 1
"""Exit code: a comparison or a limit failed."""
BAD_INPUT = 2
"""Exit code: bad usage or bad input."""
PARTIAL = 3
"""Exit code: nothing failed, but the outputs were not compared, or nothing moved."""
_COLOURS = {"pass": "green", "fail": "red", "partial": "yellow"}

BY_SIGNAL = 128
"""Exit code: this plus the number of the signal that stopped it, as shells have it."""


_words: list[str] = []
"""Of the command line."""


class GoldbeatGroup(LazyGroup):
    """The top command: turns errors that the user can put right into one line on stderr and exit code 2."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Note the words of the command line: no command may write over a file that it was given."""
        _words[:] = args
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            starting.end()
            return super().invoke(ctx)
        except NothingMovesError as error:
            say(str(error), err=True)
            raise typer.Exit(PARTIAL) from None
        except GoldbeatError as error:
            message = str(error)
        except BrokenPipeError:
            raise
        except KeyboardInterrupt:
            typer.echo("stopped", err=True)
            raise typer.Exit(BY_SIGNAL + signal.SIGINT) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            message = f"{where}{error.strerror or error}"
        except SystemExit as stop:
            # Of a user's code that a command runs: no verdict has been given.
            at = traceback.extract_tb(stop.__traceback__)[-1]
            found = f"a call that ends the process with {stop.code!r}"
            message = str(InputError(found, "code that returns", file=at.filename, line=at.lineno))
        say(f"error: {message}", err=True)
        raise typer.Exit(BAD_INPUT)


# -- options that several commands take -----------------------------------------------------------------------------

Dtype = Annotated[str, typer.Option("--dtype", "-t", metavar="TYPE", help="Sample type: int8..64, cint16, float, ...")]
Width = Annotated[int, typer.Option("--width", "-w", metavar="BITS", help="PLIO width: 32, 64 or 128.")]
ClockMhz = Annotated[float | None, typer.Option("--clock", metavar="MHZ", help="Clock of the port in MHz.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Drop and count malformed lines, as AMD's simulator does.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
ReplaceFolder = Annotated[
    bool, typer.Option("--force", help="Use a folder that no run has made; replaces files in it.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing output files.")]


# -- units ----------------------------------------------------------------------------------------------------------

_TIMES = {"min": 60.0, "m": 60.0, "s": 1.0, "h": 3600.0}


def budget_seconds(text: str) -> float:
    """``90s``, ``30m``, ``5min`` or ``2h`` of ``--budget`` in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?|\.\d+)(min|[smh])", text, re.ASCII)
    value = float(match[1]) * _TIMES[match[2]] if match else 0.0
    if not 0 < value < 1e7:
        raise UsageError(f"--budget {text}: expected a time above 0, as 90s, 30m or 2h")
    return value


_UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}


def exact_clock(mhz: float | None) -> Fraction | None:
    """A clock in MHz as its period in picoseconds, exact."""
    if mhz is None:
        return None
    if not 1e-3 <= mhz <= 1e5:
        raise UsageError(f"a clock of {mhz:g} MHz is not between 0.001 and 100000 MHz")
    return period_of(mhz)


def clock_period(mhz: float | None) -> int | None:
    """A clock in MHz as a period in whole picoseconds, rounded to the nearest."""
    exact = exact_clock(mhz)
    return None if exact is None else round(exact)


def duration(text: str) -> int:
    """``5ns``, ``2.5 us`` as picoseconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    if match is None or match[2] not in _UNITS:
        raise UsageError(f"{text!r} is not a time; expected a number and a unit, such as 5ns, 400ps or 1.5us")
    return round(float(match[1]) * _UNITS[match[2]])


def ns(value_ps: float | Fraction | None) -> str:
    """A time for people, in nanoseconds."""
    return "-" if value_ps is None else f"{float(value_ps) / 1000:.10g} ns"


# -- help -----------------------------------------------------------------------------------------------------------


def examples(*lines: str) -> str:
    """The end of a help text, its lines kept as they are."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


# -- completion -----------------------------------------------------------------------------------------------------


def complete_design(incomplete: str) -> list[str]:
    """Names of designs that begin like this, for a shell that completes a line; files are the shell's own."""
    from goldbeat.tb.design.catalog import designs

    return [name for name in designs() if name.startswith(incomplete)]


# -- output ---------------------------------------------------------------------------------------------------------


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text that may hold anything."""
    typer.echo(visible(text), err=err, nl=nl)


def status_word(status: str) -> str:
    """``PASS``, ``FAIL`` or ``PARTIAL`` in its colour, as the first word of a verdict."""
    return typer.style(status.upper(), fg=_COLOURS[status], bold=True)


def say_build(step: str) -> None:
    """Off a terminal, builds alone are named: they take long, and happen once."""
    if step.endswith(" once") or " once: " in step:
        say(step, err=True)


def say_nothing(step: str) -> None:
    """In place of :func:`say_build`, for machines."""


def print_json(value: Any) -> None:
    """Print for machines."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def facts(title: str, rows: list[tuple[str, str]]) -> None:
    """A titled list of names and values."""
    typer.secho(visible(title), bold=True)
    wide = max(len(name) for name, _ in rows)
    for name, value in rows:
        say(f"  {name:<{wide}}  {value}")


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Progress on stderr while the block runs, on a terminal only; the function it gives counts a step of ``total``."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import MofNCompleteColumn, TimeElapsedColumn

    from goldbeat.tb.cli.screen import Screen, literal, progress

    steps = () if total is None else (MofNCompleteColumn(),)
    with progress(Screen(stderr=True), *steps, TimeElapsedColumn()) as bar:
        task = bar.add_task(literal(what), total=total)
        yield lambda: bar.advance(task)


_PICTURES = (".png", ".svg", ".pdf")
"""What matplotlib draws."""

_DRAWN = (".xml", ".svg", ".png", ".html", ".gz")
"""Files that commands write beside a run's own, and never read."""


def check_free(path: Path, force: bool, read: Sequence[Path] = ()) -> None:
    """Refuse an output that is there already, cannot be made or is an input, before long work is done for it.

    Args:
        path: of the output.
        force: it may be there.
        read: files and folders that are read, next to those that the command line names.
    """
    from goldbeat.pymodels.plio_file.store import check_target

    named = list(_named_paths())
    again = sum(_one_file(path, other) for other in named) > (path in named)
    if again and path.suffix and not path.exists():
        raise UsageError(f"{path} is named twice; expected a file of its own for each")
    if path.is_file() and not force:
        raise UsageError(f"{path} exists; --force overwrites it")
    check_target(path, force)
    if not path.is_file():
        return
    inside = any(d.is_dir() and path.resolve().is_relative_to(d.resolve()) for d in read) and path.suffix not in _DRAWN
    if again or inside or any(_one_file(path, other) for other in read):
        raise UsageError(
            f"{path} is also an input of this command, or another output, and would be lost; write to another file"
        )


def check_drawing(option: str, path: Path, force: bool, read: Sequence[Path] = ()) -> None:
    """As :func:`check_free`, of a drawing; what draws it has to be installed, and know the format.

    Args:
        option: that names the file.
        path: of the file; its ending says the format.
        force: it may be there.
        read: files and folders that are read.
    """
    need_module(option, "matplotlib")
    if path.suffix.lower() not in _PICTURES:
        raise UsageError(f"{option} {path}: expected a name that ends in {', '.join(_PICTURES)}")
    check_free(path, force, read)


def _named_paths() -> Iterator[Path]:
    """What may be a path on the command line, also as ``NAME=FILE``."""
    for word in _words:
        yield from (Path(text) for text in (word, word.partition("=")[2]) if text)


def _one_file(path: Path, other: Path) -> bool:
    """Whether two paths are one file, by links too."""
    try:
        return path.resolve() == other.resolve() or path.samefile(other)
    except OSError:
        return False


def draw_order(path: Path, title: str, pictures: Sequence[Callable[[], OrderPicture]], *, quiet: bool) -> None:
    """Write the page of accesses that nothing orders, if there are some, and say so.

    Args:
        path: of the HTML file.
        title: what was checked.
        pictures: make the picture of a finding each.
        quiet: say it on stderr, because stdout is for machines.
    """
    if not pictures:
        say("no page: there is nothing to draw", err=quiet)
        return
    # Templates take time to import.
    from goldbeat.tb.page.order_page import write_order_page

    write_order_page(path, title, pictures)
    say(f"page: {path}", err=quiet)
