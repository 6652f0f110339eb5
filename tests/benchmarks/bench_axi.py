# SPDX-License-Identifier: Apache-2.0
"""How fast an AXI4 memory answers: the native one against cocotbext-axi's AxiRam, behind the same DMA in RTL.

Run as a script: prints a table and writes ``build/bench/axi.json``. Both memories take turns in one simulator build, the
medians are compared, and the copied data are compared in every run. Beats of both channels count; the checker of all
AXI4 rules watches the native run.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments

HERE = Path(__file__).resolve().parent
OUT = Path("build/bench/axi.json")
ROUNDS = 5
NATIVE_BEATS = 1 << 21
PEER_BEATS = 1 << 12
TOP = "axi_dma"
BYTES = 8


def _round(executable: Path, number: int, folder: Path) -> dict[str, float]:
    results = folder / f"round-{number}.json"
    env = cocotb_environment(TOP, "inside_axi", number, folder / "results.xml", (HERE,))
    env |= {"RESULTS": str(results), "ROUND": str(number)}
    env |= {"NATIVE_BEATS": str(NATIVE_BEATS), "PEER_BEATS": str(PEER_BEATS)}
    run = subprocess.run(
        [str(executable), *seed_arguments(number)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    rates = json.loads(results.read_text()) if results.is_file() else {}
    if run.returncode or set(rates) != {"native", "cocotbext"}:
        raise SystemExit(f"round {number} failed:\n{run.stdout[-4000:]}{run.stderr[-2000:]}")
    return {name: float(rate) for name, rate in rates.items()}


def run() -> list[dict[str, Any]]:
    """Measure; rows of name, value, unit, peer (its value) and ratio."""
    public = f'`verilator_config\npublic_flat_rw -module "{TOP}" -var "*"\n'
    recipe = Recipe(TOP, TOP, [HERE / "axi_dma.sv"], {"public.vlt": public}, flags=["--timescale", "1ps/1ps"])
    built = compile_model(recipe)
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_round(built.executable, i, Path(folder)) for i in range(ROUNDS)]
    native, peer = (statistics.median(r[name] for r in rounds) for name in ("native", "cocotbext"))
    return [
        {"name": "AXI4 memory", "value": native, "unit": "beats/s", "peer": peer, "ratio": native / peer},
        {
            "name": "AXI4 memory",
            "value": native * BYTES,
            "unit": "bytes/s",
            "peer": peer * BYTES,
            "ratio": native / peer,
        },
    ]


def main() -> None:
    """Print the figures and keep them."""
    rows = run()
    print(f"{'':<14}{'native':>14}{'AxiRam':>14}  {'unit':<8}{'ratio':>8}")
    for row in rows:
        print(f"{row['name']:<14}{row['value']:>14,.0f}{row['peer']:>14,.0f}  {row['unit']:<8}{row['ratio']:>7.0f}x")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)
    if any(row["ratio"] < 50 for row in rows):
        sys.exit("the goal is a ratio of 50")


if __name__ == "__main__":
    main()
