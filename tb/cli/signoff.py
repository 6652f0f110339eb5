# SPDX-License-Identifier: Apache-2.0
"""``goldbeat signoff``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.packet_payload import unsure_headers
from goldbeat.pymodels.plio_file import PlioFile
from goldbeat.pymodels.plio_file.store import store
from goldbeat.tb.cli.common import FAILED, ClockMhz, Force, Json, check_free, examples, print_json, working
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.cli.trace_files import Packets, check_clock, check_different, check_ports, counted, of_port, read_timed
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.obligations.summary import counts_text
from goldbeat.tb.run.signoff import (
    LimitCheck,
    Limits,
    MeasuredPort,
    Subject,
    by_port,
    check_subject,
    file_subject,
    limits_junit,
    load_limits,
    load_run,
    packet_ports,
    port_notes,
    ports_without_limits,
    shown,
)

Subjects = Annotated[
    list[Path], typer.Argument(metavar="FILE...|RUN", help="PLIO files, one per port, or the folder of a run.")
]
FileTypes = Annotated[
    list[str] | None,
    typer.Option("--dtype", "-t", metavar="[PORT=]TYPE", help="Sample type of FILEs, or of one port; repeatable."),
]
FileWidths = Annotated[
    list[str] | None,
    typer.Option("--width", "-w", metavar="[PORT=]BITS", help="PLIO width of FILEs, or of one port; repeatable."),
]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    below = examples(
        "goldbeat signoff out.txt -t cint16 -w 32 --limits limits.toml",
        *design_examples("signoff"),
    )
    limits_file = (
        "[port.m_axis]",
        "min_msamples_per_s = 240",
        "max_gap_ns = 100",
        '[latency."s_axis->m_axis"]',
        "max_ns = 60",
    )
    below += "\n\n" + "\n".join(["\b", "A limits file:", *(f"  {line}" for line in limits_file)])
    app.command("signoff", no_args_is_help=True, epilog=below)(signoff)


def signoff(
    subject: Subjects,
    limits: Annotated[Path, typer.Option("--limits", "-l", metavar="TOML", help="The limits.")],
    dtype: FileTypes = None,
    width: FileWidths = None,
    clock: ClockMhz = None,
    port: Annotated[
        list[str] | None,
        typer.Option(
            "--port",
            metavar="NAME",
            help="Name of a FILE's port in the limits [file name without suffix]; one per FILE.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option("--junit", metavar="XML", help="Write JUnit XML for a CI server.")] = None,
    packets: Packets = None,
    stale: Annotated[
        bool, typer.Option("--stale", help="Accept a run whose sources have changed since, or are missing.")
    ] = False,
    allow_recorded: Annotated[
        bool,
        typer.Option("--allow-recorded", help="Accept a run without a golden model that is the same as recorded."),
    ] = False,
    as_json: Json = False,
    force: Force = False,
) -> None:
    """Check a file or a run against limits.

    Every complete episode of every seed is measured; the worst value counts.

    Exit code: 0 all limits are kept, 1 a limit is broken or cannot be measured, 2 bad usage or bad
    input, such as a limit for an unknown port or a file without limits.
    """
    if out is not None:
        check_free(out, force, subject)
    rules = load_limits(limits)
    if len(subject) == 1 and subject[0].is_dir():
        if dtype or width or clock or port:
            raise UsageError("--dtype, --width, --clock and --port are for a FILE; a run has them in its report")
        if packets is not None:
            raise UsageError("--packets is for a FILE; for a port of a run, set packets = true in its [port.NAME]")
        with working(f"reading {subject[0]}"):
            what = load_run(subject[0])
    else:
        for given, option in ((stale, "--stale"), (allow_recorded, "--allow-recorded")):
            if given:
                raise UsageError(f"{option} is for a run; a FILE has no sources")
        ports = _names(subject, port or [])
        _check_packets(limits, rules, ports, packets)
        what = _files(subject, ports, dtype or [], width or [], clock, packets)
    judge(
        what, rules, out, force=force, allow_recorded=allow_recorded, stale=stale, tell=print_json if as_json else None
    )


def _check_packets(path: Path, rules: Limits, ports: Sequence[str], packets: bool | None) -> None:
    """Refuse limits that contradict the command line."""
    for name, one in by_port(rules, ports).port.items():
        if packets is not None and one.packets is (not packets):
            found = f"packets = {str(one.packets).lower()} in [port.{name}]"
            raise InputError(found, f"what --{'' if packets else 'no-'}packets says, or no such option", file=path)


def judge(
    what: Subject,
    rules: Limits,
    out: Path | None,
    *,
    force: bool,
    allow_recorded: bool = False,
    stale: bool = False,
    tell: Callable[[Any], None] | None = None,
) -> None:
    """Check limits, write JUnit XML to ``out`` and show the checks, or ``tell`` them; :class:`typer.Exit` unless all are kept."""
    if not rules.transactions:
        # Episodes of register accesses alone have nothing that the limits look at.
        aside = len(what.episodes) - len(what.of_streams())
        what = replace(what, episodes=what.of_streams(), aside=aside)
    checks = check_subject(what, rules, allow_recorded=allow_recorded, allow_stale=stale)
    good = all(c.passed for c in checks)
    if out is not None:
        check_free(out, force, [Path(path) for files in (what.sources or {}).values() for path in files])
        store(out, limits_junit(what, checks).encode(), force=force)
    if tell is not None:
        found = {"passed": good, **_facts(what, rules), "checks": [asdict(c) for c in checks]}
        tell({"subject": what.name, **found})
    else:
        _show(what, rules, checks)
    if not good:
        raise typer.Exit(FAILED)


def _names(files: Sequence[Path], given: Sequence[str]) -> list[str]:
    """The port of each file."""
    if given and len(given) != len(files):
        raise UsageError(f"{len(given)} --port for {len(files)} files; expected one per file")
    names = list(given) or [path.stem for path in files]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two files for port {name!r}; --port names them")
    check_different(files)
    return names


def _files(
    paths: Sequence[Path],
    names: Sequence[str],
    dtype: Sequence[str],
    width: Sequence[str],
    clock: float | None,
    packets: bool | None,
) -> Subject:
    """Files of one run, a port each."""
    ports = {}
    check_ports(names, dtype, "--dtype")
    check_ports(names, width, "--width")
    for path, name in zip(paths, names, strict=True):
        if path.is_dir() or not path.exists():
            what = "a folder among files" if path.is_dir() else "no such file or folder"
            raise InputError(what, "a PLIO file or the folder of a run", file=path)
        if not dtype or not width:
            raise UsageError("to sign off a FILE, give --dtype and --width")
        kind, bits = of_port(name, dtype, "--dtype"), int(of_port(name, width, "--width"))
        file = read_timed(path, kind, bits, clock, packets=bool(packets))
        check_clock(file, path)
        ports[name] = _file(path, file, packets)
    return file_subject(", ".join(map(str, paths)), ports)


def _file(path: Path, file: PlioFile, packets: bool | None) -> MeasuredPort:
    """A file as a port."""
    clock = file.clock
    headed = counted(file, path, packets)[1]
    known = clock.confidence == "given"
    doubt, notes = "", []
    if packets is None and not headed and (said := unsure_headers(file.trace)):
        doubt = f"{said}; --packets leaves headers out, --no-packets confirms that there are none"
    if file.idle_after:
        notes.append(f"{file.idle_after} idle cycles after the last beat are not measured")
    if file.ignored_keeps:
        notes.append(
            f"{file.ignored_keeps} beats without TLAST have TKEEP 0x0, which counts on TLAST only: all bytes count"
        )
    return MeasuredPort(
        file.measured(),
        file.dtype.name,
        clock.exact_ps,
        clock_known=known,
        packets=headed,
        notes=tuple(notes),
        lines=file.lines.tolist(),
        doubt=doubt,
    )


def _facts(what: Subject, rules: Limits) -> dict[str, Any]:
    counts = {"episodes": len(what.episodes), "seeds": len(_seeds(what)), "cut": what.cut, "aside": what.aside}
    made = {
        "packets": packet_ports(what, rules),
        "notes": [*_run_notes(what), *port_notes(what, rules)],
        "without_limits": ports_without_limits(what, rules),
        "sources": what.sources,
        "obligations": None if what.obligations is None else what.obligations.model_dump(),
        "versions": what.versions,
    }
    return {"time_compared": what.time_compared, "recorded": what.recorded, **counts, **made}


_COLOUR = {"pass": "green", "fail": "red", "unmeasured": "red"}


def _show(what: Subject, rules: Limits, checks: list[LimitCheck]) -> None:
    table = Table(title=f"Sign-off of {literal(what.name)}", title_justify="left")
    table.add_column("where", no_wrap=True)
    table.add_column("limit", no_wrap=True)
    for name in ("allowed", "measured"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("result", no_wrap=True)
    several = len(what.episodes) > 1
    if several:
        table.add_column("worst in", no_wrap=True)
    for c in checks:
        verdict = Text("PASS" if c.passed else "FAIL", style=_COLOUR[c.verdict])
        place = "" if c.seed is None else f"seed {c.seed}, episode {c.episode}"
        table.add_row(
            literal(c.where),
            literal(c.name),
            shown(c.limit),
            shown(c.measured),
            c.unit,
            verdict,
            *([place] if several else []),
        )
    show_table(table, piped=100)
    plain = Screen(highlight=False, markup=False, soft_wrap=True)
    for c in checks:
        if not c.passed:
            plain.print(f"FAIL {c.where} {c.name}: {c.reason}")
    if what.status is not None and what.sources is None:
        plain.print("note: this run kept no hashes of its sources; whether they have changed since cannot be told")
    if what.status is not None and not what.sealed:
        plain.print("note: this run kept no seal; whether its files have been edited or mixed cannot be told")
    for text in _extent(what, checks):
        plain.print(text)
    for text in (*_run_notes(what), *port_notes(what, rules)):
        plain.print(f"note: {text}")
    if without := ports_without_limits(what, rules):
        plain.print(f"note: no limit on {', '.join(without)}")
    if headed := packet_ports(what, rules):
        plain.print(f"note: headers of packets are not counted on {', '.join(headed)}")
    if what.obligations is not None and what.obligations.all:
        plain.print(f"note: {counts_text(what.obligations.model_dump())}")
    if what.recorded:
        plain.print("note: this run did the same as recorded; its values and times were not checked by a golden model")
    elif not what.time_compared:
        plain.print(
            "note: this run compared values, not cycles; its times are measured, but no model has predicted them"
        )
    kept = sum(c.passed for c in checks)
    plain.print(f"{kept} of {len(checks)} limits kept: {'PASS' if kept == len(checks) else 'FAIL'}")


def _run_notes(what: Subject) -> list[str]:
    """What the run has warned of, and what its hashes do not cover."""
    return [*dict.fromkeys(what.warnings), *([what.unrecorded] if what.unrecorded else [])]


def _seeds(what: Subject) -> set[int]:
    return {e.seed for e in what.episodes if e.seed is not None}


def _extent(what: Subject, checks: list[LimitCheck]) -> Iterator[str]:
    """How much was measured, and what was left out."""
    total = len(what.episodes)
    if total > 1:
        yield f"measured: {total} whole episodes of {len(_seeds(what))} seed(s), each limit by its worst value"
    if what.cut:
        yield f"not measured: {what.cut} episode(s) cut off by a reset"
    if what.aside:
        yield f"not measured: {what.aside} episode(s) that fill queues while sinks are away, or are about registers alone"
    for where, note in dict.fromkeys((c.where, c.note) for c in checks if c.note and c.measured is not None):
        yield f"note: {where}: {note}"
    for c in checks:
        if c.left_out:
            yield f"note: {c.where} {c.name}: measured in {c.measured_in} of {total} episodes; others: {c.left_out}"
