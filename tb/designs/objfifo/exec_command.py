# SPDX-License-Identifier: Apache-2.0
"""``goldbeat objfifo exec``: a whole design without time, its runtime sequence included."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from goldbeat.pymodels.errors import UsageError, line_in
from goldbeat.pymodels.objfifo.compiled_array import execute_file, open_file_array
from goldbeat.pymodels.objfifo.compiled_design import SUFFIXES
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.live.open_live import StandIns, kernel_functions
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_events import RunRecord
from goldbeat.pymodels.objfifo.live.record_file import save_record
from goldbeat.pymodels.objfifo.live.timings import joined_order
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.host_array import ArrayFile, array_file, difference, expected_array
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.tb.cli.common import FAILED, PARTIAL, Force, Json, check_free, print_json, say
from goldbeat.tb.designs.objfifo.opened_design import by_its_plan, recorded_results, refuse_broken, unused_lines
from goldbeat.tb.designs.objfifo.run_command import Kernels, OneDevice, OneSequence

Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=FILE", help="A host array (.npy), or NAME=NUMBER."),
]


def execute(
    design: Annotated[Path, typer.Argument(metavar="DESIGN", help="MLIR text, compiled files, or a Python script.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- ARG...]", help="Command line of the script, or --config and --core."),
    ] = None,
    inputs: Inputs = None,
    outputs: Annotated[
        list[str] | None, typer.Option("--save", metavar="NAME=FILE.npy", help="Save a host array afterwards.")
    ] = None,
    expected: Annotated[
        list[str] | None,
        typer.Option("--expect", metavar="NAME=FILE.npy", help="Expected host array after the execution."),
    ] = None,
    kernel: Kernels = None,
    device: OneDevice = None,
    sequence: OneSequence = None,
    record: Annotated[
        Path | None, typer.Option("--record", metavar="FILE.npz", help="Record the execution, for run FILE.npz.")
    ] = None,
    runs: Annotated[int, typer.Option("--runs", min=1, help="Runs of the sequence on one array.")] = 1,
    packets: Annotated[bool, typer.Option("--packets", help="Send every fifo of a script as packets.")] = False,
    lose_pushes: Annotated[
        bool, typer.Option("--lose-pushes", help="Lose tasks that are pushed to a full queue, as silicon does.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Execute a whole design without time.

    Exit code: 0 done, 1 it hangs, an array differs, or a result depends on the timing.
    2: bad input or a script's own check fails. 3: nothing moves, unordered accesses, or words left over.
    """
    targets = _targets(outputs, force)
    if record is not None:
        check_free(record, force)
    kernels, given = kernel_functions(kernel or ()), host_values(inputs)
    wanted = {name: array_file(Path(file)) for name, file in _pairs(expected, "--expect").items()}
    recorded: AbstractContextManager[list[RunRecord]] = nullcontext([]) if record is None else recorded_runs()
    how: dict[str, Any] = {"runs": runs, "lose_pushes": lose_pushes}
    with recorded as records:
        if design.suffix in SUFFIXES:
            file = open_file_array(design, arguments or (), kernels, device, sequence)
            planned: Callable[[], FifoDesign] = cache(partial(open_fifo_design, design, arguments or (), device))
            refuse_broken(planned, kernels)
            results = [execute_file(file, given, **how)]
        else:
            results, planned = _script_results(
                ScriptArray(design, arguments or (), kernels, device, packets=packets), given, how
            )
            refuse_broken(planned, kernels)
    results[-1] = by_its_plan(results[-1], planned, kernels)
    _save(results[-1], targets)
    if record is not None and all(one.good and not one.order.wrong for one in results):
        save_record(record, recorded_results(design.name, results, records))
    say_unused(kernels)
    _end(results[-1], list(_differences(results[-1], wanted)), results, as_json)


def _script_results(
    script: ScriptArray, given: dict[str, Any], how: dict[str, Any]
) -> tuple[list[LiveResult], Callable[[], FifoDesign]]:
    """Results of a script, whose rules name its lines, and its design for planning."""
    with _rules_of(script.path):
        return script.execute(given, **how), script.planned


def say_unused(kernels: StandIns) -> None:
    """Name the functions that stand for no kernel of a design."""
    for line in unused_lines(kernels):
        say(line, err=True)


@contextmanager
def _rules_of(design: Path) -> Iterator[None]:
    """A rule that a script breaks, with its file and line."""
    try:
        yield
    except RuleError as error:
        line = line_in(error, design)
        place = "" if error.text.startswith(f"{design}:") else f"{design}{f':{line}' if line else ''}: "
        raise UsageError(f"{place}{error}") from error


def _targets(outputs: list[str] | None, force: bool) -> dict[str, Path]:
    found = {name: Path(file) for name, file in _pairs(outputs, "--save").items()}
    for path in found.values():
        check_free(path, force)
    return found


def _pairs(items: list[str] | None, option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in items or ():
        name, mark, value = item.partition("=")
        if not mark or not name or not value:
            raise UsageError(f"{option} {item}: expected NAME=FILE")
        if name in found:
            raise UsageError(f"{option} {item}: {name} is given twice")
        found[name] = value
    return found


def host_values(inputs: list[str] | None) -> dict[str, Any]:
    """Arrays and numbers that ``--input`` gives, by name."""
    return {name: _value(item) for name, item in _pairs(inputs, "--input").items()}


def _value(item: str) -> Any:
    if item.lstrip("-").isdecimal():
        return int(item)
    if re.fullmatch(r"-?\d+\.\d*(e-?\d+)?", item):
        return float(item)
    return array_file(Path(item))


def _save(found: LiveResult, targets: dict[str, Path]) -> None:
    for name, path in targets.items():
        np.save(path, _array(found, name), allow_pickle=False)


def _array(found: LiveResult, name: str) -> Any:
    if name not in found.hosts:
        raise UsageError(f"no host array {name}; there are {', '.join(found.hosts) or 'none'}")
    return found.hosts[name]


def _differences(found: LiveResult, expected: dict[str, ArrayFile]) -> Iterator[str]:
    for name, file in expected.items():
        got = expected_array(found.hosts, name)
        wanted = file.as_type(name, found.types[name], elements=got.size)
        wrong = difference(name, got, wanted, bfloat=found.types[name].bfloat)
        if wrong is not None:
            yield wrong


def _end(found: LiveResult, wrong: list[str], results: list[LiveResult], as_json: bool) -> None:
    """Report, and end with an exit code."""
    idle = [n for n, one in enumerate(results, 1) if one.completes and not one.active]
    cut = tuple(line for one in results for line in one.unfinished)
    found = replace(found, order=joined_order(one.order for one in results), unfinished=cut)
    _report(found, wrong, len(results), idle, as_json)
    if wrong or found.order.wrong or not found.good:
        raise typer.Exit(FAILED)
    if idle or found.order.unshown:
        raise typer.Exit(PARTIAL)


def _report(found: LiveResult, wrong: list[str], runs: int, idle: list[int], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "runs": runs,
                "completes": found.completes,
                "differing": list(found.differing),
                "unordered": list(found.order.unordered),
                "pairs": list(found.order.pairs),
                "waits": list(found.report),
                "unfinished": list(found.unfinished),
                "remarks": list(found.remarks),
                "left": list(found.order.left),
                "words": found.words,
                "wrong": wrong,
                "idle": idle,
            }
        )
        return
    say("the design completes" if found.completes else "the design hangs")
    if runs > 1:
        say(f"the script ran {runs} designs; this is the last one")
    for line in (*found.report, *found.unfinished):
        say(f"  {line}")
    for name in found.differing:
        say(f"note: {name} would differ if the host were faster than the cores, which begin first on silicon")
    for line in (*found.remarks, *found.order.lines, *wrong):
        say(line)
    if idle:
        which = f" in design {', '.join(map(str, idle))}" if runs > 1 else ""
        say(f"nothing moves{which}: no word and no object moves, so nothing is checked")
