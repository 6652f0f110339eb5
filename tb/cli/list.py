# SPDX-License-Identifier: Apache-2.0
"""``goldbeat list``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from goldbeat.tb.cli.common import Json, complete_design, examples, print_json
from goldbeat.tb.cli.screen import Screen, literal
from goldbeat.tb.design.catalog import designs, find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.families import design_examples
from goldbeat.tb.visible import visible


def register(app: typer.Typer) -> None:
    """Mount the command."""
    app.command("list", epilog=examples("goldbeat list", *design_examples("list")))(list_command)


def list_command(
    name: Annotated[
        str | None, typer.Argument(metavar="DESIGN", autocompletion=complete_design, help="Show this design in full.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the designs with their cases, parameters and options."""
    known = designs() if name is None else {name: find_design(name)}
    if as_json:
        print_json({d.name: _facts(d) for d in known.values()})
        return
    out = Screen(highlight=False)
    for design in known.values():
        out.print(f"[bold]{literal(design.name)}[/]  {literal(design.summary)}", soft_wrap=True)
        for case in design.cases:
            out.print(
                f"    {visible(case.name, line=True):<10} {visible(case.summary, line=True)}",
                markup=False,
                soft_wrap=True,
            )
            if name is not None and case.options:
                out.print(f"               --set {_defaults(case.options)}", markup=False, soft_wrap=True)
        if name is not None:
            values = {n: p.default for n, p in design.parameters.items()}
            out.print(f"    parameters --set {_defaults(values)}", markup=False, soft_wrap=True)
            for key, known_words in design.words.items():
                out.print(f"               --set {key}={'|'.join(known_words)}", markup=False, soft_wrap=True)


def _defaults(values: Mapping[str, Any]) -> str:
    return " ".join(f"{k}={','.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in values.items())


def _facts(design: Design) -> dict[str, Any]:
    return {
        "summary": design.summary,
        "top": design.top,
        "parameters": {n: p.default for n, p in design.parameters.items()},
        "words": {key: sorted(words) for key, words in design.words.items()},
        "cases": {c.name: {"summary": c.summary, "options": dict(c.options), "inputs": c.inputs} for c in design.cases},
        "ports": [
            b.model_dump(exclude_none=True, exclude={"lanes"})
            for b in design.bundles(design.params(design.cases[0], {}))
        ],
    }
