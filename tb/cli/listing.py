# SPDX-License-Identifier: Apache-2.0
"""What the command line lists: the commands common to all designs, and a group per folder of designs that has commands."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from goldbeat.tb.cli.lazy_group import Listed
from goldbeat.tb.design.families import families

_HOME = "goldbeat.tb.cli"
_FARM = {
    "local": "Start a scheduler and workers on this machine, on loopback, until Ctrl-C.",
    "keys": "Make the keys of a farm.",
    "scheduler": "Run the scheduler of a farm until Ctrl-C.",
    "worker": "Run a worker of a farm until Ctrl-C: one case at a time, started again when it dies.",
}
_CACHE = {
    "list": "List the compiled simulators and shared objects, the largest first.",
    "size": "Show how large the cache is, and its limit.",
    "clear": "Remove compiled simulators and shared objects that no process uses: all, or by limits.",
}
# A test compares each with the first sentence of the command's own help.
COMMON = {
    "run": Listed(
        "Build, simulate and compare a design with its golden model, beat by beat and cycle by cycle.", f"{_HOME}.run"
    ),
    "list": Listed("What can be run: designs, their cases, parameters and options.", f"{_HOME}.list"),
    "report": Listed(
        "Make the page of a run: report.html beside its report, one file that needs no network.", f"{_HOME}.report"
    ),
    "signoff": Listed(
        "Check a file or a run against limits: every whole episode of every seed, each limit by its worst value.",
        f"{_HOME}.signoff",
    ),
    "backlog": Listed(
        "Show how much was under way between two ports of a run: what had gone in and had not come out yet.",
        f"{_HOME}.backlog",
    ),
    "probe": Listed(
        "Find clocks, resets and AXI bundles of a top module, and list what belongs to nothing known.", f"{_HOME}.probe"
    ),
    "new": Listed(
        "Write a bench that runs: description, golden-model stub (it fails until it is written), pytest file.",
        f"{_HOME}.probe",
    ),
    "regress": Listed("Run a suite: many cases and seeds, in parallel, with everything recorded.", f"{_HOME}.regress"),
    "history": Listed("The runs that are recorded, the newest first.", f"{_HOME}.regress"),
    "show": Listed("A run, or one case of it with everything that is known of it.", f"{_HOME}.regress"),
    "rerun": Listed("Run one case of a run again, by itself or after what ran before it.", f"{_HOME}.regress"),
    "compare": Listed(
        "What changed between two runs: new failures, fixed ones, slower and faster by cycles.", f"{_HOME}.regress"
    ),
    "mutate": Listed(
        "Change the RTL in one small place after the other, and tell which changes the bench notices.",
        f"{_HOME}.mutate",
    ),
    "synth": Listed(
        "Synthesize a design with Yosys: check its RTL, and tell what it costs on a device family.", f"{_HOME}.synth"
    ),
    "dashboard": Listed(
        "Show the stage that each design has reached, each criterion with what was measured, failures and history.",
        f"{_HOME}.dashboard",
    ),
    "shrink": Listed("Find the smallest stimulus that fails in the same way.", f"{_HOME}.shrink"),
    "timeline": Listed(
        "Write what a recorded case did as a trace for Perfetto, golden model and RTL side by side.",
        f"{_HOME}.timeline",
    ),
    "size": Listed(
        "Find the smallest parameter values with which a design keeps its limits, for FIFO depths and the like.",
        f"{_HOME}.size",
    ),
    "farm": Listed("Workers for `goldbeat regress --engine`.", f"{_HOME}.farm", _FARM),
    "clean": Listed(
        "Remove leftovers of killed processes, and by limits old runs, builds, blobs and reports of regressions.",
        f"{_HOME}.clean",
    ),
    "cache": Listed("Compiled simulators, shared by all projects.", f"{_HOME}.cache", _CACHE),
    "doctor": Listed("What of the needed tools is here, and how to get what is not.", f"{_HOME}.doctor"),
}
"""The commands that are no design's, in the order of the help."""


def listing() -> dict[str, Listed]:
    """All commands by name."""
    return {**_of_designs(), **COMMON}


def _of_designs() -> dict[str, Listed]:
    found = {}
    for name, package in families().items():
        module = f"{package}.commands"
        if find_spec(module) is None:
            continue
        said = vars(import_module(package))
        if "COMMANDS" in said:
            elsewhere = {key: f"{package}.{one}" for key, one in said.get("MODULES", {}).items()}
            found[name] = Listed(said["HELP"], module, said["COMMANDS"], elsewhere)
        else:
            found[name] = Listed(import_module(module).app.info.help or "", module, whole=True)
    return found
