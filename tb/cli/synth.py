# SPDX-License-Identifier: Apache-2.0
"""``goldbeat synth``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.yosys import Yosys, yosys
from goldbeat.tb.cli.common import FAILED, Json, complete_design, examples, print_json
from goldbeat.tb.cli.options import as_pairs, split_sets
from goldbeat.tb.cli.screen import Screen, literal, progress
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.git import git_revision
from goldbeat.tb.paths import build_root
from goldbeat.tb.synth.checks import SUMMARIES, SynthCheck, check_rtl
from goldbeat.tb.synth.cost import SynthCost, measure_cost
from goldbeat.tb.synth.families import FAMILIES, RESOURCES, Family, find_family
from goldbeat.tb.synth.history import add_run, record_path, trend, write_verdicts

_SHOWN = 10
"""Findings of a check that are printed."""

Name = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN|FILE.toml", autocompletion=complete_design, help="A design's name, or a description file."
    ),
]
Sets = Annotated[
    list[str] | None, typer.Option("--set", "-P", metavar="NAME=VALUE", help="Set a parameter of the top module.")
]
CaseName = Annotated[
    str | None, typer.Option("--case", "-c", metavar="NAME", help="Use the parameters of this case [the first].")
]
FamilyName = Annotated[
    str, typer.Option("--family", metavar="NAME", help=f"Device family for the cost: {', '.join(FAMILIES)}.")
]
ChecksOnly = Annotated[bool, typer.Option("--checks-only", help="Check the RTL without measuring its cost (faster).")]


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command(
        "synth",
        epilog=examples(
            "goldbeat synth my_fifo                       checks, and cost on UltraScale+",
            "goldbeat synth my_fir --set W=128 --family ice40",
            "goldbeat synth bench/fir.toml --checks-only  latches, loops, drivers in your RTL",
            "goldbeat run my_fir --netlist                the same cases on the netlist",
        ),
    )(synth_command)


def synth_command(
    name: Name,
    sets: Sets = None,
    case: CaseName = None,
    family: FamilyName = "xcup",
    checks_only: ChecksOnly = False,
    as_json: Json = False,
) -> None:
    """Synthesize a design with Yosys: checks and cost.

    Checks: it elaborates; no latch, no combinational loop, one driver per signal. If a check fails, no
    cost is measured. Results are cached by content and kept in build/synth/DESIGN.

    Exit code: 0 all checks pass, 1 one fails, 2 bad usage, bad input, no Yosys, or a Yosys that failed.
    """
    design, mapped = find_design(name), find_family(family)
    chosen = design.case(case)
    values, options = split_sets(design, chosen, as_pairs(sets or []))
    if options:
        raise UsageError(
            f"--set {min(options)}: an option of case {chosen.name}, expected a parameter of {design.name}"
        )
    params = design.params(chosen, values)
    tool = yosys()
    started = time.monotonic()
    with _progress(quiet=as_json) as tell:
        checks = check_rtl(tool, design, params, tell)
        passed = all(check.passed for check in checks)
        cost = measure_cost(tool, design, params, mapped, tell) if passed and not checks_only else None
    found = _result(design, params, mapped, tool, checks, cost)
    found["seconds"] = round(time.monotonic() - started, 3)
    write_verdicts(build_root(), design.name, params, git_revision(), {c.name: c.passed for c in checks})
    if cost is not None:
        _record(found, cost)
    if as_json:
        print_json(found)
    else:
        _show(design, checks, found)
    if not passed:
        raise typer.Exit(FAILED)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """What is done now, on a terminal; where there is none, each new phase as a line on stderr."""
    err = Screen(stderr=True, highlight=False)
    if quiet or not sys.stderr.isatty():
        phases: set[str] = set()

        def say(text: str) -> None:
            phase = text.partition(":")[0]
            if phase not in phases and not quiet:
                phases.add(phase)
                err.print(phase, markup=False, soft_wrap=True)

        yield say
        return
    from rich.progress import TimeElapsedColumn

    with progress(err, TimeElapsedColumn()) as bar:
        task = bar.add_task("synthesis", total=None)
        yield lambda text: bar.update(task, description=literal(text))


def _result(
    design: Design,
    params: Mapping[str, Any],
    family: Family,
    tool: Yosys,
    checks: Sequence[SynthCheck],
    cost: SynthCost | None,
) -> dict[str, Any]:
    return {
        "design": design.name,
        "params": dict(params),
        "family": family.name,
        "yosys": tool.version,
        "status": "pass" if all(check.passed for check in checks) else "fail",
        "checks": [check.as_dict() for check in checks],
        "resources": None if cost is None else dict(cost.resources),
        "cells": None if cost is None else dict(cost.cells),
        "cached": cost is not None and cost.cached,
        "change": {},
        "before": None,
        "file": None,
    }


def _record(found: dict[str, Any], cost: SynthCost) -> None:
    """Write the cost down, and note what it was before."""
    file = record_path(build_root(), found["design"], found["family"], found["params"])
    head = {name: found[name] for name in ("design", "params", "family")}
    run = {"key": cost.key, **{name: found[name] for name in ("yosys", "resources", "cells")}}
    before = add_run(file, head, run)
    found["change"] = trend(before, cost.resources)
    found["before"] = None if before is None else {name: before[name] for name in ("when", "yosys", "resources")}
    found["file"] = str(file)


def _show(design: Design, checks: Sequence[SynthCheck], found: Mapping[str, Any]) -> None:
    out = Screen(highlight=False)
    for check in checks:
        mark = "[bold green]PASS[/]" if check.passed else "[bold red]FAIL[/]"
        out.print(f"{mark} {check.name}: {literal(SUMMARIES[check.name])}", soft_wrap=True)
        for one in check.findings[:_SHOWN]:
            out.print(f"     {one}", markup=False, soft_wrap=True)
        if len(check.findings) > _SHOWN:
            out.print(f"     and {len(check.findings) - _SHOWN} more; --json lists them", markup=False)
    params = ", ".join(f"{name}={value}" for name, value in found["params"].items())
    head = f"{design.name} ({params})" if params else design.name
    resources = found["resources"]
    if resources is None:
        out.print(f"{head}: cost not measured", markup=False, soft_wrap=True)
        return
    costs = ", ".join(f"{resources[r]:g} {r}{_signed(found['change'].get(r, 0))}" for r in RESOURCES)
    out.print(f"{head} on {found['family']}: {costs}", markup=False, soft_wrap=True)
    if found["before"] is not None:
        out.print(f"changes since {found['before']['when']} ({found['before']['yosys']})", markup=False, soft_wrap=True)
    out.print(f"in {Path(found['file'])}", markup=False, soft_wrap=True)


def _signed(change: float) -> str:
    return f" ({change:+g})" if change else ""
