# SPDX-License-Identifier: Apache-2.0
"""The options of ``goldbeat run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from goldbeat.tb.cli.common import complete_design
from goldbeat.tb.run.simulate import TIMEOUT_S

DesignName = Annotated[
    str,
    typer.Argument(
        metavar="DESIGN", autocompletion=complete_design, help="A design's name, or a description file (.toml, .py)."
    ),
]
CaseName = Annotated[
    str | None, typer.Option("--case", "-c", metavar="NAME", help="Case, or all [the design's first].")
]
Seed = Annotated[int, typer.Option("--seed", "-s", metavar="N", min=0, help="Seed; the same one repeats a run.")]
Seeds = Annotated[int, typer.Option("--seeds", metavar="N", min=1, help="Number of seeds to run, starting at --seed.")]
Waves = Annotated[bool, typer.Option("--waves", help="Write waves (a second build; slower).")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="K=V", help="Set a parameter of the design or an option of the case."),
]
Inputs = Annotated[
    list[str] | None, typer.Option("--input", "-i", metavar="PORT=FILE", help="Drive a port with a PLIO file.")
]
Clocks = Annotated[
    list[str] | None,
    typer.Option(
        "--clock",
        metavar="[NAME=]MHZ",
        help="Clock of --input files [as described]. With NAME: a clock of the design as [MHZ][@PHASE_PS][~JITTER_PS].",
    ),
]
Metastability = Annotated[
    str | None,
    typer.Option(
        "--metastability",
        metavar="auto|PS",
        help="Delay signals that change up to PS before an edge of another clock by a cycle, at random per bit.",
    ),
]
Label = Annotated[
    str | None, typer.Option("--name", "-n", metavar="NAME", help="Folder under build/runs [DESIGN-CASE].")
]
TransactorsName = Annotated[
    str, typer.Option("--transactors", metavar="NAME", help="Transactors that drive the ports: native or cocotbext.")
]
Waive = Annotated[
    list[str] | None, typer.Option("--waive", metavar="RULE[:PORT]", help="Accept violations of this protocol rule.")
]
PayloadWishes = Annotated[
    list[str] | None,
    typer.Option(
        "--payload",
        metavar="[PORT=]POLICY",
        help="Drive payload while valid is low with: random, hold, zeros, ones, next [random].",
    ),
]
ReadyBound = Annotated[
    int | None,
    typer.Option(min=0, metavar="CYCLES", help="Warn if an input waits longer for the design's ready."),
]
XCheck = Annotated[
    bool, typer.Option("--x-check", help="Run again with other initial register values and require the same result.")
]
OnNetlist = Annotated[
    bool, typer.Option("--netlist", help="Run the netlist that Yosys makes from the RTL (docs/synth.md).")
]
NetlistCells = Annotated[
    str, typer.Option("--netlist-cells", metavar="CELLS", help="Cells of the netlist: words or gates.")
]
StimulusFile = Annotated[
    Path | None,
    typer.Option(
        "--stimulus", metavar="FILE", help="Run these episodes instead of the case's own (from `goldbeat shrink`)."
    ),
]
Traces = Annotated[
    str,
    typer.Option(
        "--traces", metavar="WHICH", help="Ports whose traces and PLIO files to keep: all, failed, none or names."
    ),
]
WithTimeline = Annotated[
    bool, typer.Option("--timeline", help="Write trace.json.gz for Perfetto, with model and RTL side by side.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="S",
        min=0.1,
        help=f"Seconds for the simulation, and for each call of the golden model [{TIMEOUT_S:g}].",
    ),
]
Rtl = Annotated[
    Path | None,
    typer.Option("--rtl", metavar="DIR", help="Run your own RTL of the design (designs that allow it)."),
]
DescriptionFile = Annotated[
    Path | None, typer.Option("--description", metavar="FILE", help="Description of that RTL [DIR/goldbeat.toml].")
]
Top = Annotated[str | None, typer.Option("--top", metavar="MODULE", help="Top module of that RTL.")]
AllowPartial = Annotated[
    bool, typer.Option("--allow-partial", help="Exit with 0 if some outputs could not be compared.")
]
NeedObligations = Annotated[
    bool, typer.Option("--obligations", help="List what the ports did not try; open obligations make the run partial.")
]
Bless = Annotated[
    bool, typer.Option("--bless", help="Record the output of RTL without a golden model; later runs compare with it.")
]
Rebless = Annotated[bool, typer.Option("--rebless", help="As --bless, and replace recordings that have changed.")]
PageWish = Annotated[bool, typer.Option("--page", help="Make the page of the run, report.html.")]
