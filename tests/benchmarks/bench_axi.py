# SPDX-License-Identifier: Apache-2.0
"""How fast an AXI4 memory answers and an AXI4 master asks: the native ones against cocotbext-axi's AxiRam and AxiMaster.

Run as a script: prints a table and writes ``build/bench/axi.json``. Both memories take turns in one simulator build, behind the
same DMA in RTL, both masters in another, before the same slave in RTL; the medians are compared, and so are the data in
every run. Beats of both directions count; the checker of all AXI4 rules watches the native runs.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments

HERE = Path(__file__).resolve().parent
OUT = Path("build/bench/axi.json")
ROUNDS = 5
NATIVE_BEATS = 1 << 21
PEER_BEATS = 1 << 12
BYTES = 8


@dataclass(frozen=True)
class Race:
    """What is measured: its name, the RTL that takes part, and the module with the tests."""

    name: str
    top: str
    source: Path
    module: str
    parameters: dict[str, str] = field(default_factory=dict)


RACES = (
    Race("AXI4 memory", "axi_dma", HERE / "axi_dma.sv", "inside_axi"),
    Race(
        "AXI4 master",
        "burst_ram",
        HERE.parent / "tb" / "run" / "bus_rtl" / "burst_ram.sv",
        "inside_axi_master",
        {"DATA_WIDTH": "64"},
    ),
)


def _round(race: Race, executable: Path, number: int, folder: Path) -> dict[str, float]:
    results = folder / f"{race.module}-{number}.json"
    env = cocotb_environment(race.top, race.module, number, folder / "results.xml", (HERE,))
    env |= {"RESULTS": str(results), "ROUND": str(number)}
    env |= {"NATIVE_BEATS": str(NATIVE_BEATS), "PEER_BEATS": str(PEER_BEATS)}
    run = subprocess.run(
        [str(executable), *seed_arguments(number)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    rates = json.loads(results.read_text()) if results.is_file() else {}
    if run.returncode or set(rates) != {"native", "cocotbext"}:
        raise SystemExit(f"round {number} failed:\n{run.stdout[-4000:]}{run.stderr[-2000:]}")
    return {name: float(rate) for name, rate in rates.items()}


def measure(race: Race) -> list[dict[str, Any]]:
    """Rows of name, value, unit, peer (its value) and ratio."""
    public = f'`verilator_config\npublic_flat_rw -module "{race.top}" -var "*"\n'
    flags = ["--timescale", "1ps/1ps", *(f"-G{name}={value}" for name, value in race.parameters.items())]
    built = compile_model(Recipe(race.top, race.top, [race.source], {"public.vlt": public}, flags=flags))
    with tempfile.TemporaryDirectory() as folder:
        rounds = [_round(race, built.executable, i, Path(folder)) for i in range(ROUNDS)]
    native, peer = (statistics.median(r[name] for r in rounds) for name in ("native", "cocotbext"))
    return [
        {"name": race.name, "value": native * scale, "unit": unit, "peer": peer * scale, "ratio": native / peer}
        for unit, scale in (("beats/s", 1), ("bytes/s", BYTES))
    ]


def run() -> list[dict[str, Any]]:
    """Measure both."""
    return [row for race in RACES for row in measure(race)]


def main() -> None:
    """Print the figures and keep them."""
    rows = run()
    print(f"{'':<14}{'native':>14}{'cocotbext':>14}  {'unit':<8}{'ratio':>8}")
    for row in rows:
        print(f"{row['name']:<14}{row['value']:>14,.0f}{row['peer']:>14,.0f}  {row['unit']:<8}{row['ratio']:>7.0f}x")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(rows, indent=1) + os.linesep)
    if any(row["ratio"] < 50 for row in rows):
        sys.exit("the goal is a ratio of 50")


if __name__ == "__main__":
    main()
