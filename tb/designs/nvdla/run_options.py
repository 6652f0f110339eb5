# SPDX-License-Identifier: Apache-2.0
"""``goldbeat run nvdla --loadable``: a compiled model on our RTL or on the user's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.cli.common import FAILED, PARTIAL, Screen, literal, print_json, working
from goldbeat.tb.designs.nvdla.bench import DESIGN
from goldbeat.tb.designs.nvdla.execute_command import show_outputs
from goldbeat.tb.designs.nvdla.pictures import RUNTIME, Convention
from goldbeat.tb.designs.nvdla.result import LoadableResult, write_outputs
from goldbeat.tb.designs.nvdla.rtl import find_rtl
from goldbeat.tb.designs.nvdla.run import TIMING, run_loadable
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.run_folder import prepare, run_folder
from goldbeat.tb.run.simulate import TIMEOUT_S

OWN = "own"
_MARKS = {"pass": "[bold green]PASS[/]", "fail": "[bold red]FAIL[/]", "partial": "[bold yellow]PARTIAL[/]"}
_TIMING = ("read_latency", "write_latency", "read_jitter", "write_jitter", "max_reads", "max_writes", "seed")


@dataclass(frozen=True)
class LoadableRequest:
    """The options of the command."""

    file: Path
    rtl: str = OWN
    top: str | None = None
    description: Path | None = None
    inputs: Sequence[str] = ()
    sets: Sequence[str] = ()
    waves: bool = False
    label: str | None = None
    as_json: bool = False
    convention: Convention = RUNTIME
    unchecked: bool = False
    allow_partial: bool = False
    force: bool = False
    timeout_s: float | None = None


def _timing(sets: Sequence[str]) -> MemoryTiming:
    values: dict[str, Any] = {}
    for item in sets:
        key, equals, text = item.partition("=")
        if not equals or key not in _TIMING or not text.isdigit():
            raise UsageError(f"--set {item}: with --loadable expected NUMBERs for {', '.join(_TIMING)}")
        values[key] = int(text)
    return replace(TIMING, **values)


def run_command(request: LoadableRequest) -> int:
    """Run a loadable and report; the exit code."""
    own = request.rtl == OWN
    if own and (request.top is not None or request.description is not None):
        raise UsageError("--top and --description go with --rtl DIR")
    if len(request.inputs) > 1:
        raise UsageError("--input: with --loadable expected one picture or .npy file")
    design = DESIGN if own else find_rtl(Path(request.rtl), request.description, request.top)
    folder = run_folder(build_root(), request.label, f"nvdla-{request.file.name}")
    with working("nvdla"):
        result = run_loadable(
            request.file,
            design,
            folder / "sim",
            own=own,
            inputs=Path(request.inputs[0]) if request.inputs else None,
            convention=request.convention,
            timing=_timing(request.sets),
            unchecked=request.unchecked,
            waves=request.waves,
            timeout_s=request.timeout_s or TIMEOUT_S,
            # What is refused leaves an earlier run's folder as it is.
            begin=partial(prepare, folder, force=request.force),
        )
    report = _report(request, design.top, result)
    write_outputs(result, folder, report)
    if request.as_json:
        print_json({**report, "folder": str(folder)})
    else:
        _show(report, result, folder)
    if result.status == "partial":
        return 0 if request.allow_partial else PARTIAL
    return 0 if result.passed else FAILED


def _report(request: LoadableRequest, top: str, result: LoadableResult) -> dict[str, Any]:
    return {
        "design": top,
        "loadable": str(request.file),
        "status": result.status,
        "partial": list(result.partial),
        "compared": result.compared,
        "time_compared": result.timed,
        "stubs": list(result.stubs),
        "cycles": result.cycles,
        "seconds": round(result.seconds, 3),
        "build_s": round(result.build_s, 3),
        "outputs": {f"memory{ident}": output.facts() for ident, output in result.outputs.items()},
        "failures": list(result.failures),
    }


def _show(report: dict[str, Any], result: LoadableResult, folder: Path) -> None:
    out = Screen(highlight=False)
    for text in result.failures[:3]:
        out.print(text, markup=False, soft_wrap=True)
    if result.status == "fail":
        out.print(f"log: {result.log}", markup=False, soft_wrap=True)
    how = "with every burst's and access's cycle" if result.timed else "memory contents; cycles have no model"
    compared = "nothing compared" if result.unchecked else f"{result.compared} values compared ({how})"
    out.print(
        f"{_MARKS[result.status]} {literal(report['design'])} {literal(report['loadable'])}: {result.cycles} cycles, {compared}, "
        f"{result.seconds:.1f} s",
        soft_wrap=True,
    )
    for text in result.partial:
        out.print(text, markup=False, soft_wrap=True)
    show_outputs(out, list(result.outputs.values()), folder, raw=True)
