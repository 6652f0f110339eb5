# SPDX-License-Identifier: Apache-2.0
"""How many bytes of commands a cycle an engine of the TPU front end dispatches, against the 16 of its memory port.

Run as a script: prints a table and writes ``build/bench/tpu_front.json``. Counted in simulated cycles, so the figures are exact and
the same on every machine; every beat and cycle is compared with the golden model in the same run.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from goldbeat.tb.designs.tpu.bench import DESIGN
from goldbeat.tb.run.runs import Request, run

OUT = Path("build/bench/tpu_front.json")
PORT = 16
"""Bytes a cycle of the AXI4 port."""
COMMANDS = 2000
LATENCIES = (1, 20, 53, 54, 100, 200)
STREAMS = ("system commands, 16 bytes", "all kinds")
ENGINES = ("TIU", "GDMA")


def measure() -> list[dict[str, Any]]:
    """Rows of name, value, unit, peer and ratio."""
    rows = []
    for latency in LATENCIES:
        options = {"commands": COMMANDS, "latency": latency}
        (result,) = run(Request(DESIGN, DESIGN.case("rate"), [0], {}, options))
        if not result.passed:
            raise SystemExit("\n".join(result.failures[:3]))
        for stream, episode in zip(STREAMS, result.episodes, strict=True):
            for n, engine in enumerate(ENGINES):
                trace = episode.record.outcome.ports[f"m_axis_{n}"]
                # From the first dispatch on: what comes before it is the latency of the first read.
                value = int(trace.keep[1:].sum()) / int(trace.cycle[-1] - trace.cycle[0])
                name = f"{engine}, {stream}, read latency {latency}"
                rows.append({"name": name, "value": value, "unit": "B/cycle", "peer": PORT, "ratio": value / PORT})
    return rows


def main() -> None:
    """Print the figures and keep them."""
    rows = measure()
    for row in rows:
        print(f"{row['name']:<64}{row['value']:>8.2f} of {row['peer']} {row['unit']}{row['ratio']:>9.1%}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)
    if any(row["ratio"] < 0.999 for row in rows if row["name"].endswith("latency 20")):
        sys.exit("the goal is the port's rate at a read latency of 20")


if __name__ == "__main__":
    main()
