# SPDX-License-Identifier: Apache-2.0
"""How fast an AXI4 memory answers and an AXI4 master asks: the native ones against cocotbext-axi's AxiRam and AxiMaster.

Both memories take turns in one simulator build, behind the same DMA in RTL, both masters in another, before the same
slave in RTL. The medians are compared, and so are the data in every run. Beats of both directions count. The checker of
all AXI4 rules watches the native runs.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from measured import Row, benchmark

from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments

HERE = Path(__file__).resolve().parent
FILES = (
    "tb/kernel/**/*.*",
    "tests/benchmarks/axi_dma.sv",
    "tests/benchmarks/inside_axi*.py",
    "tests/tb/run/bus_rtl/burst_ram.sv",
)


@dataclass(frozen=True)
class Race:
    """What is measured: its name, its peer, the RTL that takes part, and the module with the tests."""

    name: str
    peer: str
    top: str
    source: Path
    module: str
    parameters: dict[str, str] = field(default_factory=dict)


RACES = (
    Race("AXI4 memory", "AxiRam", "axi_dma", HERE / "axi_dma.sv", "inside_axi"),
    Race(
        "AXI4 master",
        "AxiMaster",
        "burst_ram",
        HERE.parent / "tb" / "run" / "bus_rtl" / "burst_ram.sv",
        "inside_axi_master",
        {"DATA_WIDTH": "64"},
    ),
)


def _round(race: Race, executable: Path, number: int, folder: Path, beats: tuple[int, int]) -> dict[str, float]:
    results = folder / f"{race.module}-{number}.json"
    env = cocotb_environment(race.top, race.module, number, folder / "results.xml", (HERE,))
    env |= {"RESULTS": str(results), "ROUND": str(number)}
    env |= {"NATIVE_BEATS": str(beats[0]), "PEER_BEATS": str(beats[1])}
    run = subprocess.run(
        [str(executable), *seed_arguments(number)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    rates = json.loads(results.read_text()) if results.is_file() else {}
    if run.returncode or set(rates) != {"native", "cocotbext"}:
        raise SystemExit(f"round {number} failed:\n{run.stdout[-4000:]}{run.stderr[-2000:]}")
    return {name: float(rate) for name, rate in rates.items()}


def measure(race: Race, rounds: int, beats: tuple[int, int]) -> Row:
    """Beats per second of both."""
    public = f'`verilator_config\npublic_flat_rw -module "{race.top}" -var "*"\n'
    flags = ["--timescale", "1ps/1ps", *(f"-G{name}={value}" for name, value in race.parameters.items())]
    built = compile_model(Recipe(race.top, race.top, [race.source], {"public.vlt": public}, flags=flags))
    with tempfile.TemporaryDirectory() as folder:
        found = [_round(race, built.executable, i, Path(folder), beats) for i in range(rounds)]
    native, peer = (statistics.median(r[name] for r in found) for name in ("native", "cocotbext"))
    return Row(race.name, native, "beats/s", race.peer, peer, goal="50 times")


def run(rounds: int, beats: int, peer_beats: int) -> Iterator[Row]:
    """Measure both."""
    yield from (measure(race, rounds, (beats, peer_beats)) for race in RACES)


if __name__ == "__main__":
    full = {"rounds": 5, "beats": 1 << 21, "peer_beats": 1 << 12}
    benchmark(run, FILES, full, {"rounds": 1, "beats": 1 << 19, "peer_beats": 1 << 11})
