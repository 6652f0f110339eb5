# SPDX-License-Identifier: Apache-2.0
"""``goldbeat tpu time`` and ``goldbeat tpu rates``: when commands start and end, and what a chip's commands cost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.tpu.cost.directions import check_directions
from goldbeat.pymodels.tpu.cost.estimate import Speed, estimate, parse_speed
from goldbeat.pymodels.tpu.cost.path import critical_path, stalls
from goldbeat.pymodels.tpu.cost.rates import ChipRates, chip_rates, chips_with_rates
from goldbeat.pymodels.tpu.streams.bmodel import CommandStream
from goldbeat.pymodels.tpu.streams.checks import stream_place
from goldbeat.pymodels.tpu.streams.container import commands
from goldbeat.pymodels.tpu.streams.decode import Commands
from goldbeat.pymodels.tpu.streams.profile import (
    Durations,
    Section,
    choose_section,
    core_of,
    fit,
    missing_commands,
    read_sections,
    unclosed,
    unsized_moves,
    untimed_moves,
)
from goldbeat.pymodels.tpu.streams.schedule import MAX_CYCLES, NONE, Cost, costs, lane, schedule
from goldbeat.pymodels.tpu.streams.tables import Chip, Tables
from goldbeat.tb.cli.common import FAILED, PARTIAL, Json, examples, facts, print_json, say
from goldbeat.tb.designs.tpu.together import TpuChipName, TpuTables, streams_together

TimedMember = tuple[CommandStream, Commands]
_SHOWN = 8


def register(app: typer.Typer) -> None:
    """Mount the commands."""
    app.command(
        "time",
        no_args_is_help=True,
        epilog=examples(
            "goldbeat tpu time net.bmodel",
            "goldbeat tpu time net.bmodel --summary --set ddr=2x",
            "goldbeat tpu time net.bmodel --profile compiler_profile_0.txt",
            "goldbeat tpu time net.bmodel --cost sCONV=20+0.5 --default 10",
            "goldbeat tpu time tiu.bin dma.bin --chip BM1688 --json",
        ),
    )(time_streams)
    app.command("rates", epilog=examples("goldbeat tpu rates", "goldbeat tpu rates BM1688 --json"))(show_rates)


@dataclass
class _Chosen:
    """Where durations come from."""

    chip: str
    model: dict[str, Cost]
    default: float | None
    rates: ChipRates | None
    speed: Speed
    said: dict[int, list[Durations]]
    guessed: Counter[str] = field(default_factory=Counter)
    estimated: bool = False

    def durations(self, found: Commands, speed: Speed) -> npt.NDArray[np.int64]:
        """(n,) cycles: of the profile, else by --cost, else by --default or the chip's rates."""
        if self.default is not None or self.rates is None:
            took = costs(found, self.model, Cost(1.0 if self.default is None else self.default))
        elif not missing_commands(found, self.said.get(id(found), ())):
            took = np.zeros(len(found), np.int64)
        else:
            made = estimate(self.rates, self.chip, found, speed)
            took, self.estimated = made.cycles, True
            self.guessed.update(made.guessed)
            given = costs(found, self.model, Cost(0))
            names = np.array([kind.name in self.model for kind in found.engine.kinds], np.bool_)
            took = np.where(names[found.kind], given, took)
        for durations in self.said.get(id(found), ()):
            took[durations.rows] = durations.cycles
        return took


@dataclass
class _Timed:
    """All groups, one after the other."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    critical: list[dict[str, Any]] = field(default_factory=list)
    busy: Counter[tuple[int, str]] = field(default_factory=Counter)
    held: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    blocked: list[str] = field(default_factory=list)
    cycles: int = 0


def time_streams(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="A container, or bare streams that belong together.")
    ],
    chip: TpuChipName = None,
    cost: Annotated[
        list[str] | None,
        typer.Option("--cost", metavar="FORM=BASE[+PER]", help="Cycles of a form: BASE, and PER for each element."),
    ] = None,
    default: Annotated[
        float | None, typer.Option("--default", metavar="CYCLES", help="Cycles of all other forms [the chip's rates].")
    ] = None,
    profile: Annotated[
        list[Path] | None,
        typer.Option("--profile", metavar="FILE", help="Durations from compiler_profile_N.txt of core N; repeatable."),
    ] = None,
    section: Annotated[
        int | None,
        typer.Option("--section", metavar="N", help="Section of the profile, from 0 [by stream name, or what fits]."),
    ] = None,
    faster: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PART=FACTORx", help="Speed of ddr, local, latency or tiu, as in ddr=2x."),
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Leave out the list of commands.")] = False,
    as_json_: Json = False,
    table: TpuTables = None,
) -> None:
    """Print start, end and waits of each command.

    The critical chain of commands is listed too.

    Durations come from profiles, --cost, --default, or else from the chip's rates.

    Exit code: 0 done, 1 some commands never end, 2 bad input, 3 commands have no entry in the profiles.
    """
    of, streams, _ = streams_together(files, chip, None, Tables(table))
    speed = parse_speed(faster or [])
    if default is not None and not 0 <= default <= MAX_CYCLES:
        raise UsageError(f"--default {default:g}: expected 0 to {MAX_CYCLES} cycles")
    rates = chip_rates(of.name)
    if faster and (default is not None or rates is None):
        raise UsageError(
            "--set changes the chip's rates: " + ("leave out --default" if rates else f"{of.name} has none")
        )
    groups = _groups(of, streams, files[0])
    everything = [member for members in groups.values() for member in members]
    said, cut = said_by_profiles(of.name, profile or [], section, everything)
    missing = sum(missing_commands(one, said.get(id(one), ())) for _, one in everything) if profile else 0
    chosen = _Chosen(of.name, _costs(cost or [], of), default, rates, speed, said)
    timed = _timed(groups, chosen, speed)
    report = {**_report(of.name, timed, chosen), "without_entry": missing, "cut_profiles": [str(file) for file in cut]}
    if faster:
        report["cycles_without_set"] = _timed(groups, chosen, Speed()).cycles
        report["set"] = {name: value for name, value in vars(speed).items() if value != 1}
    _end(report, timed, _partial(missing, cut), None if as_json_ else summary)


def _groups(of: Chip, streams: Sequence[CommandStream], file: Path) -> dict[tuple[int, ...], list[TimedMember]]:
    """Streams with their commands, by group; ``file`` is the container."""
    groups: dict[tuple[int, ...], list[TimedMember]] = {}
    for stream in streams:
        key = (stream.net, stream.stage, stream.subnet, stream.group)
        for one in commands(of, stream, file).values():
            _check_messages(stream, one, file)
            groups.setdefault(key, []).append((stream, one))
    return groups


def _check_messages(stream: CommandStream, found: Commands, file: Path) -> None:
    """Refuse a SEND for no WAIT and a WAIT for no SEND."""
    mine = lane(found, stream.core)
    for row in np.flatnonzero((mine.role != NONE) & (mine.count == 0)).tolist():
        raise InputError(
            f"command {int(found.id[row])} ({found.op(row)}) of {stream.name} with count 0",
            "1 or more",
            file=stream.file or file,
            offset=stream.offset + int(found.offset[row]),
        )


def _partial(missing: int, cut: Sequence[Path]) -> list[str]:
    """Why the cycles are not all the compiler's."""
    text = f"{missing} commands have no entry in the profile; their cycles are not the compiler's"
    return [*([text] if missing else []), *(f"{file} ends without API_END; entries may be missing" for file in cut)]


def _end(report: dict[str, Any], timed: _Timed, partial: Sequence[str], summary: bool | None) -> None:
    """What is printed (``summary`` None: JSON), and the exit code with its reason."""
    if summary is None:
        print_json(report)
    else:
        _print(report, timed, summary)
    blocked = timed.blocked
    for text in blocked:
        say(f"FAIL deadlock: {text}", err=True)
    if blocked:
        raise typer.Exit(FAILED)
    for text in partial:
        say(f"partial: {text}", err=True)
    if partial:
        raise typer.Exit(PARTIAL)


def _timed(groups: dict[tuple[int, ...], list[TimedMember]], chosen: _Chosen, speed: Speed) -> _Timed:
    made = _Timed()
    chosen.guessed.clear()
    for members in groups.values():
        took = [chosen.durations(one, speed) for _, one in members]
        lanes = [lane(one, stream.core) for stream, one in members]
        found = schedule(lanes, took)
        stood = [] if found.blocked else stalls(lanes, found, took)
        for index, (stream, one) in enumerate(members):
            made.busy[stream.core, one.engine.name] += int(took[index][found.start[index] >= 0].sum())
            for row in range(len(one)):
                made.rows.append(_row(stream, one, row, found.start[index][row], found.end[index][row], made.cycles))
        first = len(made.rows) - sum(len(one) for _, one in members)
        places = np.concatenate([[0], np.cumsum([len(one) for _, one in members])]) + first
        for index, halts in enumerate(stood):
            for row in np.flatnonzero(halts.stood > 0).tolist():
                other, there = halts.blocker[row].tolist()
                behind = made.rows[places[other] + there] if other >= 0 else None
                _hold(made, made.rows[places[index] + row], int(halts.stood[row]), behind)
        if found.blocked:
            made.blocked = [str(one) for one in found.blocked]
            break
        for index, row in critical_path(found, stood):
            made.rows[places[index] + row]["critical"] = True
            made.critical.append(made.rows[places[index] + row])
        made.cycles += found.last + 1
    made.rows.sort(key=lambda row: (row["start"] is None, row["start"] or 0))
    return made


def _row(stream: CommandStream, found: Commands, row: int, start: int, end: int, begin: int) -> dict[str, Any]:
    """A row of the table; start and end are None where the command never starts."""
    return {
        "stream": stream.name,
        "engine": found.engine.name,
        "segment": int(found.segment[row]),
        "id": int(found.id[row]),
        "name": found.op(row),
        "start": int(start) + begin if start >= 0 else None,
        "end": int(end) + begin if start >= 0 else None,
        "waited": 0,
        "for": None,
        "critical": False,
    }


def _hold(made: _Timed, row: dict[str, Any], cycles: int, behind: dict[str, Any] | None) -> None:
    row["waited"] = cycles
    if behind is not None:
        row["for"] = f"{behind['engine']} {behind['id']}"
        made.held[row["engine"], behind["engine"], behind["name"]] += cycles


def _report(chip: str, timed: _Timed, chosen: _Chosen) -> dict[str, Any]:
    share = max(timed.cycles, 1)
    path: Counter[tuple[str, str]] = Counter()
    for row in timed.critical:
        path[row["engine"], row["name"]] += row["end"] - row["start"] + 1
    return {
        "chip": chip,
        "cycles": timed.cycles,
        "rates": chosen.rates.source if chosen.estimated and chosen.rates is not None else None,
        "guessed": dict(chosen.guessed),
        "engines": [
            {"core": core, "engine": engine, "busy": busy, "utilisation": round(busy / share, 4)}
            for (core, engine), busy in sorted(timed.busy.items())
        ],
        "waits": [{"engine": e, "for": f"{o} {name}", "cycles": n} for (e, o, name), n in timed.held.most_common()],
        "path": [{"engine": e, "name": name, "cycles": n} for (e, name), n in path.most_common()],
        "commands": timed.rows,
    }


def _print(report: dict[str, Any], timed: _Timed, summary: bool) -> None:
    if not summary:
        say(f"{'start':>10} {'end':>10} {'waited':>8}  {'id':>6} command")
        for row in timed.rows:
            first, final = ("-" if row[k] is None else str(row[k]) for k in ("start", "end"))
            behind = f" for {row['for']}" if row["for"] else ""
            mark = "*" if row["critical"] else " "
            waited = row["waited"] or ""
            text = f"{first:>10} {final:>10} {waited:>8}{mark} {row['id']:>6} {row['name']:<24} {row['stream']}{behind}"
            say(text.rstrip())
    if timed.blocked:
        return
    lines = [("cycles", f"{report['cycles']}")]
    if "set" in report:
        lines.append(("without --set", str(report["cycles_without_set"])))
    for one in report["engines"]:
        lines.append((f"core {one['core']} {one['engine']}", f"{one['busy']} busy, {one['utilisation']:.1%}"))
    facts(f"{report['chip']}: time", lines)
    path, waits = report["path"][:_SHOWN], report["waits"][:_SHOWN]
    facts("critical path (*)", [(f"{one['engine']} {one['name']}", f"{one['cycles']} cycles") for one in path])
    if waits:
        facts("waits", [(f"{one['engine']} for {one['for']}", f"{one['cycles']} cycles") for one in waits])
    if report["rates"]:
        say(f"durations: {report['rates']}")
    for name, many in sorted(report["guessed"].items()):
        say(f"note: no rate for {name}: {many} commands take those of a similar form", err=True)


def show_rates(
    chip: Annotated[str | None, typer.Argument(metavar="CHIP", help="Chip [all].")] = None, as_json_: Json = False
) -> None:
    """Print what commands cost: cycles per step, DMA rates.

    Lists elements, products and cycles per step, and start, burst and bytes per cycle of the DMA.
    """
    names = chips_with_rates()
    if chip is not None and chip not in names:
        raise UsageError(f"{chip}: expected one of {', '.join(names)}")
    made = {}
    for name in [chip] if chip is not None else names:
        found = chip_rates(name)
        assert found is not None
        made[name] = found
    if as_json_:
        print_json({name: _rates_json(found) for name, found in made.items()})
        return
    for name, found in made.items():
        facts(name, [("profiles", str(found.profiles)), ("commands", str(found.commands)), ("source", found.source)])
        if chip is None:
            continue
        for form, tiu in found.tiu.items():
            for key, one in tiu.items():
                start = f" + {one.start:g}" if one.start else ""
                say(f"  {form:<12} {key:<40} {one.line or 'width':>5} x {one.depth:<4} in {one.step:g}{start} cycles")
        for form, moves in found.dma.items():
            for key, move in moves.items():
                speed = f"{1 / move.per_byte:.2f} bytes per cycle" if move.per_byte else "no bytes"
                channels = f", {move.channels} channels" if move.channels > 1 else ""
                say(f"  {form:<12} {key:<40} {speed}, bursts of {move.burst}, {move.start:g} cycles before{channels}")


def _rates_json(found: ChipRates) -> dict[str, Any]:
    parts = {"tiu": found.tiu, "dma": found.dma}
    rates = {e: {f: {k: vars(one) for k, one in keys.items()} for f, keys in p.items()} for e, p in parts.items()}
    return {"source": found.source, "profiles": found.profiles, "commands": found.commands, **rates}


def _costs(given: list[str], chip: Chip) -> dict[str, Cost]:
    forms = {kind.name for engine in chip.engines.values() for kind in engine.kinds}
    made = {}
    for text in given:
        found = re.fullmatch(r"(.+)=(\d+(?:[.]\d+)?)(?:[+](\d+(?:[.]\d+)?))?", text, flags=re.ASCII)
        if found is None:
            raise UsageError(f"--cost {text}: expected FORM=BASE or FORM=BASE+PER")
        if found[1] not in forms:
            near = get_close_matches(found[1], sorted(forms), n=3) or sorted(forms)[:3]
            told = f"{chip.name} has no form {found[1]}, but {', '.join(near)}"
            raise UsageError(f"--cost {text}: {told}; see `goldbeat tpu chips --json`")
        made[found[1]] = Cost(float(found[2]), float(found[3] or 0))
        if max(made[found[1]].base, made[found[1]].per_element) > MAX_CYCLES:
            raise UsageError(f"--cost {found[1]}: expected at most {MAX_CYCLES} cycles")
    return made


def _say_gaps(sections: Sequence[Section], file: Path, *, alone: bool) -> None:
    """Moves without bytes or without a time; ``alone``: there are no other cores."""
    for part in sections:
        if alone and (many := unsized_moves(part)):
            told = f"{many} moves have no sz; GDMA SUMMARY is not compared with them"
            say(f"note: {file}:{part.moved[0][0]}: {told}", err=True)
        if many := untimed_moves(part):
            told = f"{many} moves take 0 cycles; the compiler has no time for them"
            say(f"note: {file}:{part.line}: {told}", err=True)


def said_by_profiles(
    chip: str, files: list[Path], section: int | None, members: Sequence[TimedMember]
) -> tuple[dict[int, list[Durations]], list[Path]]:
    """What profiles say of streams, by the identity of their commands, and those that end early; each is of one core."""
    cores = sorted({stream.core for stream, _ in members})
    said: dict[int, list[Durations]] = {}
    taken: dict[int, Path] = {}
    cut: list[Path] = []
    for file in files:
        core = core_of(file)
        if len(files) == len(cores) == 1:
            core = cores[0]
        if core is None:
            raise UsageError(f"{file}: the name does not tell the core; expected compiler_profile_N.txt")
        if core not in cores:
            raise UsageError(f"{file}: there is no stream of core {core}, but of {', '.join(map(str, cores))}")
        if core in taken:
            raise UsageError(f"{file}: core {core} has the profile {taken[core]} already")
        taken[core] = file
        subnets: dict[str, list[Commands]] = {}
        named = any(stream.file is None or stream_place(stream.name) for stream, _ in members if stream.core == core)
        for stream, one in members:
            if stream.core == core:
                # Nets and stages are numbered where there are several.
                parts = (
                    f"net{stream.net}.stage{stream.stage}." if stream.net or stream.stage else "",
                    core,
                    stream.subnet,
                )
                label = "{}core{}.sub{}" if named else "core{1}"
                subnets.setdefault(label.format(*parts), []).append(one)
        listed, sections = list(subnets.items()), read_sections(file)
        cut += [file] if unclosed(sections) else []
        if len(listed) == 1 and len(sections) > 1:
            place = choose_section(sections, listed, file, section)
            say(f"note: {file}: section {place} (line {sections[place].line}) is that of {listed[0][0]}", err=True)
            sections = [sections[place]]
        elif section is not None:
            choose_section(sections, listed, file, section)
        _say_gaps(sections, file, alone=len(cores) == 1)
        for one, durations in fit(sections, listed, file, alone=len(cores) == 1):
            check_directions(chip, one, durations, file)
            said.setdefault(id(one), []).append(durations)
    if files and len(taken) < len(cores):
        missing = ", ".join(str(core) for core in cores if core not in taken)
        say(f"note: no profile of core {missing}; its commands take what --cost and --default say", err=True)
    return said, cut
