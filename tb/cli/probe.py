# SPDX-License-Identifier: Apache-2.0
"""``goldbeat probe`` and ``goldbeat new``: benches for RTL that nobody has described yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.tb.cli.common import BAD_INPUT, Force, Json, check_free, examples, print_json, say
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.design.description import READY, Description
from goldbeat.tb.design.filelist import Sources, extensions, macros, read_filelist
from goldbeat.tb.design.map_case import MAP_CASE
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.recognition import Width
from goldbeat.tb.design.rules_model import RULES
from goldbeat.tb.probe.bench import comments, with_address_map, write_bench
from goldbeat.tb.probe.chosen import read_bundle
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Choices, Found, found_json
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.model_guess import guessed_model
from goldbeat.tb.probe.write import MODEL, describe, made_files, to_toml, undriven
from goldbeat.tb.probe.write import wrapper as harness

_FEW_SIGNALS = 10
"""A bundle with more signals is shown with their number alone."""

Files = Annotated[
    list[Path] | None, typer.Argument(metavar="FILES", help="Verilog or SystemVerilog sources; +libext+.")
]
FileLists = Annotated[
    list[Path] | None, typer.Option("-f", metavar="LIST", help="File list; its paths count from the current folder.")
]
NearLists = Annotated[
    list[Path] | None, typer.Option("-F", metavar="LIST", help="File list; its paths count from its own folder.")
]
Top = Annotated[str | None, typer.Option("--top", metavar="MODULE", help="Top module [the only one].")]
Includes = Annotated[list[Path] | None, typer.Option("-I", metavar="DIR", help="Folder for `include.")]
Libraries = Annotated[
    list[Path] | None, typer.Option("-y", metavar="DIR", help="Folder of sources, searched for missing modules.")
]
Defines = Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=V]", help="Macro.")]
Generics = Annotated[list[str] | None, typer.Option("-G", metavar="P=V", help="Value of a top-level parameter.")]
Ties = Annotated[
    list[str] | None, typer.Option("--tie", metavar="PORT=V", help="Tie an input to a constant (-1: all ones).")
]
Ignored = Annotated[list[str] | None, typer.Option("--ignore", metavar="PORT", help="Leave a port unconnected.")]
Bundles = Annotated[
    list[str] | None,
    typer.Option(
        "--bundle",
        metavar="NAME=PORT,...",
        help="Make a stream from these ports, by name or as ROLE:PORT; ports without a role become TDATA.",
    ),
]
Relaxed = Annotated[
    bool, typer.Option("--relaxed", help="Report slang's errors as warnings, for sources that Verilator accepts.")
]


_MODEL_HELP = (
    f"Ready-made golden model: {', '.join(READY)} [a stub]. register_file needs --rdl; without a map, take rules, then "
    "set model and storage in the description."
)


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    app.command(
        "probe",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat probe rtl/my_fifo.sv",
            "goldbeat probe -f rtl/files.f --top my_dma -G DATA_WIDTH=64 --json",
            "goldbeat probe rtl/my_fifo.sv --out my_fifo.toml --wrapper harness.sv",
        ),
    )(probe_command)
    app.command(
        "new",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat new bench/my_fifo rtl/my_fifo.sv --model identity",
            "goldbeat new bench/my_filter -f rtl/files.f --top my_filter -G TAPS=8",
            "goldbeat new bench/my_regs rtl/my_regs.sv --rdl rtl/my_regs.rdl",
        ),
    )(new_command)


def probe_command(
    files: Files = None,
    lists: FileLists = None,
    near: NearLists = None,
    top: Top = None,
    includes: Includes = None,
    libraries: Libraries = None,
    defines: Defines = None,
    generics: Generics = None,
    ties: Ties = None,
    ignored: Ignored = None,
    bundles: Bundles = None,
    relaxed: Relaxed = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the description.")] = None,
    wrapper: Annotated[Path | None, typer.Option("--wrapper", metavar="FILE", help="Write the harness.")] = None,
    model: Annotated[
        str, typer.Option("--model", metavar="M", help="Golden model to name in the description.")
    ] = MODEL,
    force: Force = False,
    as_machine: Json = False,
) -> None:
    """Find clocks, resets and bundles of a top module.

    Exit code: 0 a bench can be made, 2 it cannot: nothing can be driven, or the sources have errors.
    """
    sources, found = find_module(
        files, lists, near, top, includes, libraries, defines, generics, ties, ignored, bundles, relaxed
    )
    found = with_handshakes(found)
    for path in (out, wrapper):
        if path is not None:
            check_free(path, force)
    missing = undriven(found, model)
    if as_machine:
        print_json({**found_json(found), "undriven": missing})
    else:
        _show(found)
    if found.refused:
        say(f"{found.module.title}: no harness can be made: see refused", err=True)
        raise typer.Exit(BAD_INPUT)
    if out is not None and not missing:
        description = describe(found, sources, out.parent, model=model)
        out.write_text(to_toml(description, comments(found)), encoding="utf-8")
        for name, text in made_files(found, description).items():
            (out.parent / name).write_text(text, encoding="utf-8")
            say(f"wrote {out.parent / name}", err=as_machine)
    if wrapper is not None:
        wrapper.write_text(harness(found), encoding="utf-8")
    for path in (None if missing else out, wrapper):
        if path is not None:
            say(f"wrote {path}", err=as_machine)
    if missing:
        raise UsageError(missing)


def new_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder for the bench.")],
    files: Files = None,
    lists: FileLists = None,
    near: NearLists = None,
    top: Top = None,
    includes: Includes = None,
    libraries: Libraries = None,
    defines: Defines = None,
    generics: Generics = None,
    ties: Ties = None,
    ignored: Ignored = None,
    bundles: Bundles = None,
    relaxed: Relaxed = False,
    name: Annotated[
        str | None, typer.Option("--name", "-n", metavar="NAME", help="Name of the design [top module].")
    ] = None,
    model: Annotated[str, typer.Option("--model", metavar="M", help=_MODEL_HELP)] = MODEL,
    rdl: Annotated[
        Path | None,
        typer.Option("--rdl", metavar="MAP", help="Check the register slave against this SystemRDL register map."),
    ] = None,
    force: Force = False,
) -> None:
    """Write a bench: description, golden model.

    Without --model, the golden model is a stub that fails until you implement it.
    """
    if not (files or lists or near) and folder.suffix in (".v", ".sv"):
        raise UsageError(f"missing folder for the bench: use `goldbeat new bench/{folder.stem} {folder}`")
    if model != MODEL and model not in READY:
        raise UsageError(f"unknown model {model!r}; ready-made ones: {', '.join(READY)}")
    sources, found = find_module(
        files, lists, near, top, includes, libraries, defines, generics, ties, ignored, bundles, relaxed
    )
    written = make_bench(folder, sources, found, name=name, model=model, rdl=rdl, force=force)
    say(f"run it: goldbeat run {written}" + (f" --case {MAP_CASE}" if rdl is not None and found.streams else ""))


def make_bench(
    folder: Path,
    sources: Sources,
    found: Found,
    *,
    name: str | None = None,
    model: str = MODEL,
    rdl: Path | None = None,
    force: bool = False,
    err: bool = False,
) -> Path:
    """Write a bench, and say what was guessed; gives its description.

    Args:
        folder: of the bench.
        sources: the RTL.
        found: what its top module has.
        name: of the design; None: its top module's.
        model: golden model.
        rdl: register map.
        force: overwrite files of an earlier bench.
        err: say it on stderr.
    """
    if model in (MODEL, RULES) or not found.bundles:
        # The other ready-made models take them only where there is nothing else.
        found = with_handshakes(found)
    if rdl is not None and model == MODEL and not found.streams:
        model = "register_file"
    description = describe(found, sources, folder, name=name, model=model, register_map=rdl)
    masked = _masked(description, folder)
    written = write_bench(folder, found, description, force=force)
    map_said = _find_map(folder, found, description, partial(say, err=err)) if model == "interconnect" else []
    for path in written:
        say(f"wrote {path}", err=err)
    for text in found.module.warnings:
        say(f"warning: {text}", err=err)
    for text in (*found.notes, *(f"{port}: {what}" for port, what in found.unplaced.items())):
        say(f"check: {text}", err=err)
    for text in map_said:
        say(f"address map: {text}", err=err)
    for text in masked:
        say(f"not checked: {text}, changed by hardware or excluded by the map", err=err)
    return written[0]


def _find_map(folder: Path, found: Found, description: Description, tell: Callable[[str], None]) -> list[str]:
    """Write the bench again with the address map that is found by asking the design; what is to be said of it."""
    try:
        mapped = with_address_map(description, folder, tell)
    except GoldbeatError as error:
        return [f"not found; write [[address_map]]: {error}"]
    if not mapped.address_map:
        return ["not found: accesses arrive nowhere, or differ everywhere; write [[address_map]]"]
    write_bench(folder, found, mapped, force=True)
    values = {name: one.default for name, one in mapped.design(folder).parameters.items()}
    texts = [one.text(values) for one in mapped.address_map]
    return [*texts, "found by trial accesses: small isolated ranges may be missing"]


def _masked(description: Description, folder: Path) -> list[str]:
    """Fields of the register map that are not compared; reads the map, so that what is wrong with it is said now."""
    values = {n: p.default if isinstance(p, Parameter) else p for n, p in description.parameters.items()}
    return description.masked(folder, values)


def find_module(
    files: list[Path] | None,
    lists: list[Path] | None,
    near: list[Path] | None,
    top: str | None,
    includes: list[Path] | None,
    libraries: list[Path] | None,
    defines: list[str] | None,
    generics: list[str] | None,
    ties: list[str] | None,
    ignored: list[str] | None,
    bundles: list[str] | None,
    relaxed: bool,
    model: str | None = MODEL,
    rdl: Path | None = None,
) -> tuple[Sources, Found]:
    """The sources that a command line names, and what their top module has; parameters are the options of ``new``.

    Without a model and a map, and where the ports suggest none, handshakes without data are streams.
    """
    sources = Sources(
        include_dirs=tuple(includes or ()), defines=macros(defines or []), libraries=tuple(libraries or ())
    )
    for path in lists or ():
        sources += read_filelist(path)
    for path in near or ():
        sources += read_filelist(path, relative=True)
    for word in map(str, files or ()):
        # As simulators take it, among the sources.
        sources += Sources(extensions=extensions(word)) if word.startswith("+libext+") else Sources((Path(word),))
    sources = sources.complete()
    values = _pairs("-G", generics or [])
    chosen = tuple(read_bundle(text) for text in bundles or ())
    held = {}
    for port, value in _pairs("--tie", ties or []).items():
        try:
            held[port] = int(value, 0)
        except ValueError:
            raise UsageError(f"--tie {port}: found {value!r}, expected an integer") from None
    choices = Choices(held, tuple(ignored or ()), chosen)
    found = discover(sources, top, values, choices, relaxed=relaxed)
    alone = model is None and rdl is None and guessed_model(found) is None
    return sources, with_handshakes(found) if alone else found


def _pairs(option: str, items: list[str]) -> dict[str, str]:
    found = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"{option} {item}: expected NAME=VALUE")
        found[name] = value
    return found


# -- for people -----------------------------------------------------------------------------------------------------


def _show(found: Found) -> None:
    out = Screen(highlight=False)
    given = " ".join(f"{p.name}={p.value}" for p in found.module.parameters if p.value is not None)
    out.print(f"{found.module.title}  {given}".rstrip(), markup=False, soft_wrap=True)
    table = Table(show_edge=False)
    for column in ("what", "name", "way", "clock", "of what", "signals"):
        table.add_column(column)
    for clock in found.clocks:
        level = "" if clock.reset is None else f"reset {clock.reset}, active {'high' if clock.active_high else 'low'}"
        table.add_row("clock", literal(clock.name), "in", "", literal(level) or "no reset", "")
    values = {p.name: p.value for p in found.module.parameters}
    for port in found.bundles:
        roles = port.roles()
        table.add_row(
            port.spec.title,
            literal(port.name),
            port.side,
            literal(port.clock) if found.clocks else "none",
            literal(_size(port, values)),
            " ".join(roles) if len(roles) <= _FEW_SIGNALS else f"{len(roles)} signals",
        )
    show_table(table)
    _list(out, "not placed", (f"{name}: {what}" for name, what in found.unplaced.items()))
    _list(out, "refused", (f"{name}: {reason}" for name, reason in found.refused.items()))
    _list(out, "notes", found.notes)
    _list(out, "warnings", found.module.warnings)


def _list(out: Console, title: str, lines: Iterable[str]) -> None:
    texts = list(lines)
    if texts:
        out.print(f"{title}:", style="bold")
    for text in texts:
        out.print(f"  {text}", markup=False, soft_wrap=True)


def _size(port: Bundle, values: Mapping[str, object]) -> str:
    def bits(width: Width) -> str:
        return str(width) if isinstance(width, int) else f"{values[width]} ({width})"

    return port.shape(bits) if port.lanes is None else f"{bits(port.lanes)} x {port.shape(bits)}"
