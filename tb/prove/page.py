# SPDX-License-Identifier: Apache-2.0
"""The page of a proof: every property, what it rests on, and the traces of those that are refuted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from goldbeat.tb.page.run_page import page_environment
from goldbeat.tb.prove.harness import ProofHarness
from goldbeat.tb.prove.witness import Witness
from goldbeat.tb.run.first_mismatch import PortSignal
from goldbeat.tb.run.timing_diagram import draw_signals

_SHOWN = 16
"""Cycles at the end of a trace that are drawn."""
_TEMPLATES = Path(__file__).parent / "templates"


def draw_trace(claim: str, witness: Witness, harness: ProofHarness) -> str:
    """The end of a trace as a timing diagram in SVG: the signals of the ports, first those of the ports that a property names.

    Args:
        claim: name of the property, which the last cycle breaks.
        witness: its trace.
        harness: of the proof: has the widths.
    """
    named = tuple(f"{word}_" for word in claim.split()[1:])
    ports = [name for name in harness.seen if name not in harness.sheet.counters]
    ports.sort(key=lambda name: not name.startswith(named) if named else False)
    cycles = range(max(0, witness.cycles - _SHOWN), witness.cycles)
    signals = [PortSignal(name, harness.seen[name], tuple(witness.signals[name][n] for n in cycles)) for name in ports]
    title = f"{claim}: broken in cycle {witness.cycles - 1}"
    return draw_signals(title, "cycle behind the reset", cycles, witness.cycles - 1, signals)


def write_proof_page(path: Path, report: Mapping[str, Any], summary: str, diagrams: Mapping[str, str]) -> None:
    """Write the page.

    Args:
        path: of the file.
        report: as in ``proof.json``.
        summary: its first line.
        diagrams: SVG by name of the property.
    """
    page = page_environment(_TEMPLATES).get_template("proof.html.j2")
    drawn = {name: Markup(text) for name, text in diagrams.items()}
    path.write_text(page.render(report=report, summary=summary, diagrams=drawn), encoding="utf-8")
