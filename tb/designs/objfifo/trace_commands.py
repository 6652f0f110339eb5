# SPDX-License-Identifier: Apache-2.0
"""The commands of ``goldbeat objfifo`` for traces: ``read-trace`` and ``compare-trace``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.trace_unit.configuration import read_setups
from goldbeat.pymodels.objfifo.trace_unit.line_up import BOUND, LinedUp, TraceParting, line_up
from goldbeat.pymodels.objfifo.trace_unit.timeline_json import (
    ModuleTrace,
    read_raw_trace,
    read_trace_json,
    trace_json,
)
from goldbeat.tb.cli.common import FAILED, Force, Json, check_free, facts, print_json, say

Setup = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="Configuration of the trace units: insts.bin, CDO, xclbin or MLIR."),
]


def read_trace(
    raw: Annotated[Path, typer.Argument(metavar="RAW", help="Trace words: binary, or one hex word per line.")],
    config: Setup = None,
    output: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the trace as JSON for Perfetto.")
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Read raw words of the array's trace units.

    Without --config, events are named SLOT_0 to SLOT_7.
    """
    if output is not None:
        check_free(output, force)
    modules = _open_trace(raw, config)
    if output is not None:
        output.write_text(json.dumps(trace_json(modules)))
    if as_json:
        print_json({"format": 1, "file": str(raw), "modules": [_module(m) for m in modules]})
        return
    for module in modules:
        rows = [(name, _summary(spans)) for name, spans in module.events.items()]
        facts(str(module.source), rows or [("", "no event")])


def compare_trace(
    silicon: Annotated[Path, typer.Argument(metavar="SILICON", help="Raw words, JSON, or a run's folder.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder, JSON, or raw words.")],
    config: Setup = None,
    bound: Annotated[
        int, typer.Option("--bound", metavar="CYCLES", min=0, help="Accepted difference of two events in cycles.")
    ] = BOUND,
    as_json: Json = False,
) -> None:
    """Align two traces per event and list the differences.

    Exit code: 0 equal within --bound, 1 different, 2 bad input.
    """
    found = line_up(_open_trace(silicon, config), _open_trace(run, config), bound=bound)
    if as_json:
        print_json(found.json())
    else:
        _print_lined_up(found)
    if found.partings:
        raise typer.Exit(FAILED)


def _open_trace(path: Path, config: Path | None) -> list[ModuleTrace]:
    """A trace from a run's folder, a JSON file or raw words."""
    if path.is_dir():
        inside = path / "output" / "trace.json"
        if not inside.is_file():
            raise InputError("no output/trace.json", "the folder of a run of an object FIFO design", file=path)
        return read_trace_json(inside)
    if path.suffix == ".json":
        return read_trace_json(path)
    return read_raw_trace(path, None if config is None else read_setups(config))


def _module(module: ModuleTrace) -> dict[str, object]:
    return {
        "module": str(module.source),
        "packet": module.source.id,
        "events": {name: [list(s) for s in spans] for name, spans in module.events.items()},
    }


def _summary(spans: list[tuple[int, int]]) -> str:
    if not spans:
        return "never"
    return f"{len(spans)} times, {sum(e - s for s, e in spans)} cycles, from {spans[0][0]} to {spans[-1][1]}"


def _print_lined_up(found: LinedUp) -> None:
    for name in found.only:
        say(f"on one side only: {name}")
    for title, move in found.moves.items():
        rows = [
            (e.event, f"{e.paired} paired of {e.counts[0]} and {e.counts[1]}, at most {e.largest} cycles apart")
            for e in found.events
            if e.module == title
        ]
        facts(f"{title} (moved by {move} cycles)", rows or [("", "no event on both sides")])
    for one in found.partings:
        say(_parting_text(one))
    if not found.partings:
        say(f"no event is more than {found.bound} cycles apart")


def _parting_text(one: TraceParting) -> str:
    places = [str(at) for at in (one.cycle, one.other) if at is not None]
    at = f" (cycle {' / '.join(places)})" if places else ""
    return f"{one.kind}: {one.where}, occurrence {one.index}: {one.text}{at}"
