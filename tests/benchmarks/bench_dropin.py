# SPDX-License-Identifier: Apache-2.0
"""Long tests written for cocotbext-axi: stock, and with ``-p goldbeat.dropin``.

Both kinds run the same files with pytest and cocotb's runner in turn; the seconds are those that cocotb counts per test, so builds
and starts of processes are not in them. The medians of the rounds are compared; a test that does not pass ends the benchmark.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from compare_dropin import KINDS, cases, environment
from measured import Row, benchmark

HERE = Path(__file__).resolve().parent
FILES = ("tb/dropin/**/*.py", "tb/kernel/**/*.*", "tests/benchmarks/long_*.py")
RTL = HERE.parent / "tb"
SITES = (
    ("long_streams", "bench", RTL / "dropin" / "bench.sv"),
    ("long_bursts", "burst_ram", RTL / "run" / "bus_rtl" / "burst_ram.sv"),
    ("long_accesses", "buses", RTL / "dropin" / "buses.sv"),
)
"""The module with the tests, the top module, its source."""
FILE = """
from cocotb_tools.runner import get_runner

def test_it():
    runner = get_runner("verilator")
    runner.build(sources=[{source!r}], hdl_toplevel={top!r}, timescale=("1ns", "1ps"), build_args={arguments!r})
    runner.test(hdl_toplevel={top!r}, test_module={module!r}, results_xml={results!r})
"""


def seconds(kind: str, module: str, top: str, source: Path, folder: Path) -> dict[str, float]:
    """Seconds of each test of a module, which all pass."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = ["--public-flat-rw", "-Wno-fatal"] if kind == "stock" else ["-Wno-fatal"]
    (folder / "test_long.py").write_text(
        FILE.format(
            source=str(source), top=top, module=module, arguments=arguments, results=str(folder / "results.xml")
        )
    )
    (folder / f"{module}.py").write_text((HERE / f"{module}.py").read_text())
    plugin = ["-p", "goldbeat.dropin"] if kind == "dropin" else []
    since = time.time()
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir=.", "-p", "no:cacheprovider", *plugin, "test_long.py"]
    run = subprocess.run(command, cwd=folder, env=environment(kind), capture_output=True, text=True, check=False)
    found = cases(folder, since)
    if run.returncode or not found or any(verdict != "pass" for verdict, _ in found.values()):
        raise SystemExit(f"{kind} {module}: {found}\n{run.stdout[-3000:]}{run.stderr[-2000:]}")
    return {name: spent for name, (_, spent) in found.items()}


def run(rounds: int, modules: int) -> Iterator[Row]:
    """Seconds of each test, stock and with the drop-in."""
    with tempfile.TemporaryDirectory() as name:
        for module, top, source in SITES[:modules]:
            taken: dict[str, list[dict[str, float]]] = {kind: [] for kind in KINDS}
            for _ in range(rounds):
                for kind in KINDS:
                    taken[kind].append(seconds(kind, module, top, source, Path(name) / kind / module))
            for test in taken["stock"][0]:
                stock, dropin = (statistics.median(one[test] for one in taken[kind]) for kind in ("stock", "dropin"))
                yield Row(test, dropin, "s", "stock", stock)


if __name__ == "__main__":
    benchmark(run, FILES, {"rounds": 3, "modules": len(SITES)}, {"rounds": 1, "modules": 1})
