# SPDX-License-Identifier: Apache-2.0
"""What the command line lists: the commands common to all designs, and a group per folder of designs that has commands."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from goldbeat.tb.cli.lazy_group import Listed
from goldbeat.tb.design.families import families

_HOME = "goldbeat.tb.cli"
_FARM = {
    "local": "Run a scheduler and workers on loopback until Ctrl-C.",
    "keys": "Make the keys of a farm.",
    "scheduler": "Run the scheduler of a farm until Ctrl-C.",
    "worker": "Run a worker of a farm until Ctrl-C, one case at a time.",
}
_CACHE = {
    "list": "List the compiled simulators and shared objects, the largest first.",
    "size": "Show how large the cache is, and its limit.",
    "clear": "Remove unused simulators and shared objects: all, or by limits.",
}
# A test compares each with the first sentence of the command's own help.
COMMON = {
    "run": Listed("Simulate a design and compare every beat with its golden model.", f"{_HOME}.run"),
    "verify": Listed(
        "Run all cases in rounds, and list what was not tried.",
        f"{_HOME}.verify",
    ),
    "prove": Listed(
        "Prove rules, order and assertions, or find what breaks them.",
        f"{_HOME}.prove",
    ),
    "list": Listed("List the designs with their cases, parameters and options.", f"{_HOME}.list"),
    "report": Listed("Make the page of a run: report.html, one file without network.", f"{_HOME}.report"),
    "signoff": Listed(
        "Check a file or a run against limits.",
        f"{_HOME}.signoff",
    ),
    "backlog": Listed(
        "Measure the backlog between two ports of a run.",
        f"{_HOME}.backlog",
    ),
    "probe": Listed("Find clocks, resets and bundles of a top module.", f"{_HOME}.probe"),
    "new": Listed(
        "Write a bench: description, golden model.",
        f"{_HOME}.probe",
    ),
    "regress": Listed("Run a suite of cases and seeds in parallel; record everything.", f"{_HOME}.regress"),
    "history": Listed("List the recorded runs, or what they say of every case.", f"{_HOME}.history"),
    "show": Listed("Show a recorded run, or one of its cases in full.", f"{_HOME}.regress"),
    "rerun": Listed("Run cases of a recorded run again.", f"{_HOME}.rerun"),
    "bisect": Listed("Find the first commit with which a recorded case fails.", f"{_HOME}.bisect"),
    "compare": Listed("Compare two runs: new and fixed failures, changes in cycles.", f"{_HOME}.regress"),
    "merge": Listed("Merge the shards of a regression into one run.", f"{_HOME}.merge"),
    "comment": Listed("Comment a run on the pull or merge request of a CI job.", f"{_HOME}.comment"),
    "mutate": Listed(
        "Count the small changes of the RTL that a bench notices.",
        f"{_HOME}.mutate",
    ),
    "synth": Listed("Synthesize a design with Yosys: checks and cost.", f"{_HOME}.synth"),
    "dashboard": Listed(
        "Show the stage of every design, its criteria and its history.",
        f"{_HOME}.dashboard",
    ),
    "shrink": Listed("Find the smallest stimulus that fails in the same way.", f"{_HOME}.shrink"),
    "timeline": Listed(
        "Write the timeline of a recorded case for Perfetto.",
        f"{_HOME}.timeline",
    ),
    "predict": Listed("Predict rate, delay and FIFO depths of a pipeline.", f"{_HOME}.predict"),
    "size": Listed(
        "Find the smallest parameters that keep limits.",
        f"{_HOME}.size",
    ),
    "farm": Listed("Run workers for `goldbeat regress --engine`.", f"{_HOME}.farm", _FARM),
    "clean": Listed(
        "Remove leftovers of killed processes, and old results.",
        f"{_HOME}.clean",
    ),
    "cache": Listed("Manage the compiled simulators that all projects share.", f"{_HOME}.cache", _CACHE),
    "doctor": Listed("Check that the required tools are installed.", f"{_HOME}.doctor"),
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
