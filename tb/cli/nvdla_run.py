# SPDX-License-Identifier: Apache-2.0
"""``goldbeat run nvdla --loadable``: a compiled model on our RTL or on the user's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from pymodels.axi.memory import MemoryTiming
from pymodels.errors import UsageError
from tb.benches.nvdla import DESIGN
from tb.cli.common import print_json, working
from tb.nvdla.rtl import find_rtl
from tb.nvdla.run import TIMING, LoadableResult, run_loadable, write_outputs
from tb.paths import build_root
from tb.report import prepare

OWN = "own"
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


def _timing(sets: Sequence[str]) -> MemoryTiming:
    values: dict[str, Any] = {}
    for item in sets:
        key, equals, text = item.partition("=")
        if not equals or key not in _TIMING or not text.isdigit():
            raise UsageError(f"--set {item}: with --loadable expected NUMBERs for {', '.join(_TIMING)}")
        values[key] = int(text)
    return replace(TIMING, **values)


def run_command(request: LoadableRequest) -> bool:
    """Run a loadable and report; True when everything is equal."""
    own = request.rtl == OWN
    if own and (request.top is not None or request.description is not None):
        raise UsageError("--top and --description go with --rtl DIR")
    if len(request.inputs) > 1:
        raise UsageError("--input: with --loadable expected one picture or .npy file")
    design = DESIGN if own else find_rtl(Path(request.rtl), request.description, request.top)
    folder = build_root() / "runs" / (request.label or f"nvdla-{request.file.name}")
    with working("nvdla"):
        result = run_loadable(
            request.file,
            design,
            folder / "sim",
            own=own,
            inputs=Path(request.inputs[0]) if request.inputs else None,
            timing=_timing(request.sets),
            waves=request.waves,
            # What is refused leaves an earlier run's folder as it is.
            begin=partial(prepare, folder),
        )
    report = _report(request, design.top, result)
    write_outputs(result, folder, report)
    if request.as_json:
        print_json({**report, "folder": str(folder)})
    else:
        _show(report, result, folder)
    return result.passed


def _report(request: LoadableRequest, top: str, result: LoadableResult) -> dict[str, Any]:
    return {
        "design": top,
        "loadable": str(request.file),
        "status": "pass" if result.passed else "fail",
        "compared": result.compared,
        "time_compared": result.timed,
        "stubs": list(result.stubs),
        "cycles": result.cycles,
        "seconds": round(result.seconds, 3),
        "build_s": round(result.build_s, 3),
        "outputs": {
            f"memory{ident}": {"bytes": len(data), "shape": list(result.arrays[ident].shape)}
            for ident, data in result.outputs.items()
        },
        "failures": list(result.failures),
    }


def _show(report: dict[str, Any], result: LoadableResult, folder: Path) -> None:
    out = Console(highlight=False)
    for text in result.failures[:3]:
        out.print(text, markup=False, soft_wrap=True)
    if not result.passed:
        out.print(f"log: {result.log}", markup=False, soft_wrap=True)
    mark = "[bold green]PASS[/]" if result.passed else "[bold red]FAIL[/]"
    how = "with every burst's and access's cycle" if result.timed else "memory contents; cycles have no model"
    out.print(
        f"{mark} {report['design']} {report['loadable']}: {result.cycles} cycles, {result.compared} values compared ({how}), "
        f"{result.seconds:.1f} s",
        soft_wrap=True,
    )
    if result.stubs:
        out.print(
            f"{', '.join(result.stubs)}: a stub in our hardware; what it leaves in memory means nothing", soft_wrap=True
        )
    for ident, data in result.outputs.items():
        array = result.arrays[ident]
        out.print(
            f"output memory {ident}: {array.dtype} {array.shape} in {folder}/output/memory{ident}.npy, "
            f"{len(data)} bytes in memory{ident}.bin",
            soft_wrap=True,
            markup=False,
        )
