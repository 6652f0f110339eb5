# SPDX-License-Identifier: Apache-2.0
"""How far failures shrink, and how long that takes: on mutants that a random case kills.

    python tests/benchmarks/bench_shrink.py [--designs NAMES] [--mutants N] [--limit S]

For each design so many of its mutants, drawn from a seed, on the first case of ``goldbeat mutate`` that fails. A result counts as
right if the RTL without the mutant passes it: the stimulus is still one that the design may be given.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.campaign import mutated
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.rewrite import PLUSARG
from goldbeat.tb.run.runs import Request
from goldbeat.tb.shrink.pieces import beats_of
from goldbeat.tb.shrink.search import Shrinker
from goldbeat.tb.shrink.trials import Trials

OUT = Path("build/bench/shrink.json").resolve()
DESIGNS = "axis_fifo,axis_async_fifo,plio_fir,plio_pkt_merge,objfifo"


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
        started = time.monotonic()
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
            "mutant": mutant.number,
            "change": f"{mutant.place.file.name}:{mutant.place.line} {mutant.change}",
            "kind": str(original.kind),
            "before": before,
            "after": after,
            "episodes": [len(original.episodes), len(best.episodes)],
            "trials": trials.count,
            "seconds": round(time.monotonic() - began, 2),
            "right": not sound.failures,
            "started": round(began - started, 2),
        }


def main() -> None:
    """Print a line for each mutant, and keep all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--designs", default=DESIGNS)
    parser.add_argument("--mutants", type=int, default=10)
    parser.add_argument("--limit", type=float, default=120.0)
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.designs.split(","):
            for row in shrunk(name, asked.mutants, asked.limit, Path(folder)):
                rows.append(row)
                share = row["after"] / max(row["before"], 1)
                text = f"{row['design']:16} {row['before']:6} -> {row['after']:4} {share:6.1%} {row['seconds']:6.1f} s"
                print(f"{text} {'right' if row['right'] else 'WRONG'} {row['kind']}; {row['change']}", flush=True)
    shares = [row["after"] / max(row["before"], 1) for row in rows]
    seconds = [row["seconds"] for row in rows]
    print(f"load average {os.getloadavg()[0]:.1f}; {len(rows)} mutants")
    print(f"beats left: median {statistics.median(shares):.1%}; at most 5 %: {sum(s <= 0.05 for s in shares)}")
    print(f"seconds: median {statistics.median(seconds):.1f}; at most 30: {sum(s <= 30 for s in seconds)}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)


if __name__ == "__main__":
    main()
