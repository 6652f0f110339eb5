# SPDX-License-Identifier: Apache-2.0
"""``goldbeat predict``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from goldbeat.pymodels.curves.compose import Bounds, PipelineStage, Prediction
from goldbeat.tb.cli.common import Json, examples, print_json
from goldbeat.tb.cli.screen import Screen, literal, show_table
from goldbeat.tb.size.chain import predict_chain


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("predict", no_args_is_help=True, epilog=examples("goldbeat predict chain.toml"))(predict)


def predict(
    chain: Annotated[Path, typer.Argument(metavar="CHAIN.toml", help="Traffic and stages of a pipeline.")],
    as_json: Json = False,
) -> None:
    """Predict rate, delay and FIFO depths of a pipeline.

    No RTL is needed. The bounds hold for any alignment of bursts and pauses. With FIFOs of these depths, no stage ever
    holds back the one before it.

    Exit code: 0 predicted, 2 bad usage or bad input, such as a stage that is slower than its input.
    """
    stages, found = predict_chain(chain)
    if as_json:
        rows = [{"name": s.name, **_bounds(b)} for s, b in zip(stages, found.stages, strict=True)]
        print_json({"chain": str(chain), "stages": rows, "whole": _bounds(found.whole)})
        return
    show_table(_table(chain, stages, found))
    plain = Screen(highlight=False, markup=False, soft_wrap=True)
    whole = found.whole
    said = f"{whole.rate:.4f} beats per cycle, at most {whole.delay} cycles and {whole.backlog} beats"
    plain.print(f"from the first input to the last output: {said}; {whole.depth} places in all FIFOs")


def _bounds(bounds: Bounds) -> dict[str, Any]:
    names = {"delay": "max_delay_cycles", "backlog": "max_backlog_beats", "depth": "depth", "rate": "beats_per_cycle"}
    return {name: getattr(bounds, field) for field, name in names.items()}


def _table(chain: Path, stages: list[PipelineStage], found: Prediction) -> Table:
    table = Table(title=f"Prediction of {literal(chain.name)}", title_justify="left")
    for column in ("stage", "beats per cycle", "most cycles", "most beats", "FIFO places"):
        table.add_column(column, justify="left" if column == "stage" else "right")
    for stage, bounds in zip(stages, found.stages, strict=True):
        numbers = (f"{bounds.rate:.4f}", str(bounds.delay), str(bounds.backlog), str(bounds.depth))
        table.add_row(literal(stage.name), *numbers)
    return table
