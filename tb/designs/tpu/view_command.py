# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu operands`` and ``goldbeat tpu diff``: views for compiler engineers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.tpu.execute.operand_view import CommandView, named_spans, operand_views
from goldbeat.pymodels.tpu.hazards.guess import chip_doubt
from goldbeat.pymodels.tpu.streams.bmodel import BModel
from goldbeat.pymodels.tpu.streams.container import commands, load_streams
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.differences import CommandChange, command_changes
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables
from goldbeat.tb.cli.common import FAILED, PARTIAL, Json, examples, print_json, say

ChipOption = Annotated[
    str | None, typer.Option("--chip", metavar="CHIP", help="Chip of a bare stream; see `goldbeat tpu chips`.")
]
EngineOption = Annotated[
    str | None, typer.Option("--engine", metavar="ENGINE", help="Only the streams of this engine.")
]
_SHOWN = 40


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    app.command(
        "operands",
        no_args_is_help=True,
        epilog=examples("goldbeat tpu operands net.bmodel", "goldbeat tpu operands tiu.bin --chip BM1688 --json"),
    )(show_operands)
    app.command(
        "diff",
        no_args_is_help=True,
        epilog=examples("goldbeat tpu diff old.bmodel new.bmodel", "goldbeat tpu diff old.bmodel new.bmodel --json"),
    )(diff_streams)


def show_operands(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="BModel, or the bare stream of one engine.")],
    chip: ChipOption = None,
    engine: EngineOption = None,
    as_json_: Json = False,
) -> None:
    """Print commands with operands: tensor, shape, strides."""
    known = Tables()
    of, streams, container = load_streams(file, chip, engine, known)
    if chip is not None:
        warn_of_chip(known, of, streams)
    names = named_spans(container) if isinstance(container, BModel) else []
    rows: list[dict[str, Any]] = []
    for stream in streams:
        for name, found in commands(of, stream, file).items():
            if not as_json_:
                say(f".stream {stream.name} {name}")
            for view in operand_views(of.name, stream, found, names):
                if as_json_:
                    rows.append({"stream": stream.name, **view.as_json()})
                else:
                    say(_line(view))
    if as_json_:
        print_json(rows)


def _line(view: CommandView) -> str:
    results, inputs = (", ".join(map(str, listed)) for listed in (view.results, view.operands))
    left = f"  ; not described: {', '.join(view.left)}" if view.left else ""
    return f"{view.number:>6} {view.op}({inputs}) -> ({results}) wait={view.dep}{left}"


def warn_of_chip(known: Tables, chip: Chip, streams: list[Any]) -> None:
    """Say on stderr that streams are probably those of another chip."""
    doubt = chip_doubt(known, chip, streams)
    if doubt:
        say(f"warning: {doubt}", err=True)


def diff_streams(
    first: Annotated[Path, typer.Argument(metavar="A", help="BModel, or the bare stream of one engine.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="The same, changed.")],
    chip: ChipOption = None,
    engine: EngineOption = None,
    as_json_: Json = False,
) -> None:
    """Compare two files command by command.

    Commands are aligned; fields that changed are listed.

    Exit code: 0 equal, 1 different, 2 bad input, 3 no commands to compare.
    """
    known = Tables()
    sides: list[tuple[Chip, dict[str, Commands]]] = []
    for path in (first, second):
        of, streams, container = load_streams(path, chip, engine, known)
        if chip is not None:
            warn_of_chip(known, of, streams)
        bare = container is None
        parts = {n if bare else f"{s.name}": c for s in streams for n, c in commands(of, s, path).items()}
        sides.append((of, parts))
    (of, one), (other, two) = sides
    if of.name != other.name:
        raise UsageError(f"{first} is of {of.name}, {second} of {other.name}; expected one chip")
    found: dict[str, list[CommandChange]] = {
        name: list(command_changes(one[name], two[name])) for name in one if name in two
    }
    missing = {"only_in_a": sorted(set(one) - set(two)), "only_in_b": sorted(set(two) - set(one))}
    differs = any(found.values()) or any(missing.values())
    if as_json_:
        listed = {name: [change.as_json() for change in made] for name, made in found.items()}
        print_json({"chip": of.name, "equal": not differs, "streams": listed, **missing})
    else:
        _show(found, missing)
    if differs:
        raise typer.Exit(FAILED)
    if not any(len(one[name]) for name in found):
        say(f"partial: {first} and {second} have no commands to compare", err=True)
        raise typer.Exit(PARTIAL)


def _show(found: dict[str, list[CommandChange]], missing: dict[str, list[str]]) -> None:
    for side, names in missing.items():
        for name in names:
            say(f"{name}: {side.replace('_', ' ')}")
    for name, made in found.items():
        say(f"{name}: {len(made)} differences" if made else f"{name}: equal")
        for change in made[:_SHOWN]:
            places = "/".join("-" if row is None else str(row + 1) for row in (change.first, change.second))
            fields = " ".join(f"{key}={a:#x}->{b:#x}" for key, (a, b) in change.fields.items())
            say(f"  {places:>9} {change.what} {change.op} {fields}".rstrip())
        if len(made) > _SHOWN:
            say(f"  {len(made) - _SHOWN} more; --json lists them")
