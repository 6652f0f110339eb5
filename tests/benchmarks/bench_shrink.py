# SPDX-License-Identifier: Apache-2.0
"""How far failures shrink, and how long that takes: on mutants that a random case kills.

For each design some of its mutants, drawn from a seed, on the first case of ``goldbeat mutate`` that fails. A result counts as
right if the RTL without the mutant passes it: the stimulus is still one that the design may be given.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from measured import Row, benchmark

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import mutated
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.rewrite import PLUSARG
from goldbeat.tb.run.runs import Request
from goldbeat.tb.shrink.pieces import beats_of
from goldbeat.tb.shrink.search import Shrinker
from goldbeat.tb.shrink.trials import Trials

FILES = ("tb/shrink/*.py", "tb/run/*.py")
DESIGNS = ("axis_skid", "axis_fifo", "plio_fir", "plio_pkt_merge", "axis_downsizer")


def shrunk(name: str, count: int, limit: float, folder: Path) -> Iterator[dict[str, Any]]:
    """One row for each of some mutants of a design that its case ``sweep`` or ``random`` notices."""
    design = find_design(name)
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths())
    sources = folder / f"rtl-{name}"
    sources.mkdir()
    broken = mutated(design, mutants, sources)
    names = [case.name for case in design.cases]
    case = design.case(next((n for n in ("sweep", "random") if n in names), None))
    found = 0
    for mutant in random.Random(1).sample(mutants, len(mutants)):
        if found == count:
            return
        trials = Trials(Request(broken, case), folder, arguments=(f"+{PLUSARG}={mutant.number}",))
        original = trials.original()
        if original.kind is None:
            continue
        found += 1
        began = time.monotonic()
        over = began + limit
        best = Shrinker(trials, original.kind, lambda over=over: time.monotonic() > over).shrink(original)
        sound = replace(trials, arguments=()).run([best.episodes])[0]
        before, after = beats_of(original.episodes), beats_of(best.episodes)
        yield {
            "design": name,
            "before": before,
            "after": after,
            "seconds": time.monotonic() - began,
            "right": not sound.failures,
        }


def rows_of(name: str, found: list[dict[str, Any]]) -> Iterator[Row]:
    """Medians and extremes."""
    seconds = [one["seconds"] for one in found]
    shares = [100 * one["after"] / max(one["before"], 1) for one in found]
    yield Row(name, len(found), column="mutants")
    yield Row(name, statistics.median(shares), "%", column="left, median")
    yield Row(name, max(shares), "%", column="left, most")
    yield Row(name, statistics.median(seconds), "s", column="median")
    yield Row(name, max(seconds), "s", column="most")
    yield Row(name, sum(one["right"] for one in found), column="right")


def run(designs: tuple[str, ...], mutants: int, limit: float) -> Iterator[Row]:
    """Each design, then all of them."""
    every: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in designs:
            found = list(shrunk(name, mutants, limit, Path(folder)))
            yield from rows_of(name, found)
            every += found
    yield from rows_of("all", every)


if __name__ == "__main__":
    full = {"designs": DESIGNS, "mutants": 10, "limit": 120.0}
    benchmark(run, FILES, full, {"designs": DESIGNS[:1], "mutants": 2, "limit": 20.0})
