# SPDX-License-Identifier: Apache-2.0
"""The table of docs/tpu.md: op tests of the vendor's compiler by chip and quantisation, and why some are refused.

``PYTHONPATH=tests/support python tests/benchmarks/table_tpu_ops.py FOLDER``, with what make_tpu_ops.py has put into FOLDER.
Each model runs in a process of its own, for at most 90 s; a second run goes on where the first one has ended.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections import Counter
from pathlib import Path

from tpu_ops import CHIPS, models, outcome, quantisation

SECONDS = 90
KINDS = ("equal", "wrong", "undecided", "refused", "no commands")


def run(folder: Path, kept: Path) -> None:
    """Run a model in a child, which appends a line to a file."""
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        line = json.dumps([str(folder), outcome(folder)])
        with kept.open("a") as file:
            file.write(line + "\n")
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        with kept.open("a") as file:
            file.write(json.dumps([str(folder), f"refused: more than {SECONDS} s, or an end by a signal"]) + "\n")


def table(found: dict[str, str]) -> None:
    """Print both tables."""
    counts: Counter[tuple[str, str, str]] = Counter()
    why: Counter[str] = Counter()
    for name, said in found.items():
        folder = Path(name)
        kind = said.partition(":")[0]
        counts[folder.parents[1].name, quantisation(folder), kind] += 1
        if kind in ("refused", "wrong"):
            why[re.sub(r"0x[0-9a-f]+|\d{3,}", "N", said)[:110]] += 1
    print("| chip | quantisation | " + " | ".join(KINDS) + " |\n|---|---|" + "---:|" * len(KINDS))
    for chip in CHIPS:
        modes = sorted({mode for one, mode, _ in counts if one == chip})
        for mode in (*modes, "all") if modes else ():
            cells = [
                sum(n for (c, m, k), n in counts.items() if c == chip and k == kind and mode in (m, "all"))
                for kind in KINDS
            ]
            print(f"| {chip.upper()} | {mode} | " + " | ".join(map(str, cells)) + " |")
    for said, many in why.most_common():
        print(many, said)


def main() -> None:
    """Run what has not run yet, and print."""
    folder = Path(sys.argv[1])
    kept = folder / "outcomes.jsonl"
    found = dict(json.loads(line) for line in kept.read_text().splitlines()) if kept.exists() else {}
    for chip in CHIPS:
        for one in models(folder, chip):
            if str(one) not in found:
                run(one, kept)
    table(dict(json.loads(line) for line in kept.read_text().splitlines()))


if __name__ == "__main__":
    main()
