# SPDX-License-Identifier: Apache-2.0
"""Obligations of Goldbeat's own designs, as ``goldbeat verify --prove`` counts them: the table of docs/verify.md.

Run as a script, with names of designs, or none for all. What has a report under ``--work`` is not run again.

    python tests/benchmarks/own_verify.py axis_fifo plio_fir
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from goldbeat.tb.design.catalog import designs

GOLDBEAT = str(Path(sys.executable).parent / "goldbeat")


def verified(name: str, work: Path, budget: str) -> dict[str, Any]:
    """The report on a design: an earlier one, or a new one within this budget of processor time."""
    path = work / f"{name}.json"
    if not path.is_file():
        env = {**os.environ, "GOLDBEAT_BUILD": str(work / "build" / name)}
        command = [GOLDBEAT, "verify", name, "--prove", "--json", "--budget", budget]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if not done.stdout.startswith("{"):
            sys.exit(f"{name}: {done.stderr}")
        path.write_text(done.stdout)
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("designs", nargs="*")
    parser.add_argument("--work", type=Path, default=Path("build/own"))
    parser.add_argument("--budget", default="20s", help="as of goldbeat verify")
    asked = parser.parse_args()
    asked.work.mkdir(parents=True, exist_ok=True)
    print("| design | obligations | met | waived | open | mutants noticed |\n|---|---|---|---|---|---|")
    for name in asked.designs or list(designs()):
        report = verified(name, asked.work.resolve(), asked.budget)
        counts, mutants = report["obligations"], report["mutants"]
        noticed = "-" if mutants is None else f"{mutants['score']:.0%} of {mutants['tried']}"
        row = [f"`{name}`", *(counts[key] for key in ("all", "met", "waived", "open")), noticed]
        print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    main()
