# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's nv_small in Goldbeat beside the model that Verilator makes of it: builds, a changed line, cycles a second.

    GOLDBEAT_NVDLA_RTL=DIR python tests/benchmarks/bench_vendor.py [--rounds N]

DIR is a generated tree (docs/nvdla.md). Builds are counted in processor time, in a cache that has the kernel and Verilator's
runtime, but nothing of this design. Speed is that of a clocked design without traffic, where whatever Goldbeat does in a cycle
weighs most; both programs are compiled with the same switch, and run as often as asked for, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench_loop import spent

from goldbeat.pymodels.clock import Clock
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.designs.nvdla.ports import CLOCK
from goldbeat.tb.designs.nvdla.rtl import find_rtl
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.run.simulate import simulate

HERE = Path(__file__).resolve().parent
PERIOD_PS = 4000
FEW, MANY = 2_000, 42_000
"""Cycles; the difference leaves out what a process takes to start and to end."""
CHANGE = (
    "vmod/nvdla/csb_master/NV_NVDLA_csb_master.v",
    "assign nvdla2csb_rresp_rdat[31:0] = nvdla2csb_resp_pd[31:0];",
    "assign nvdla2csb_rresp_rdat[31:0] = nvdla2csb_resp_pd[31:0] | (nvdla2csb_resp_pd[31:0] & {32{core_req_pvld}});",
)
"""File, a line, and another one that does the same."""
PINS = (
    'CLOCKS="top->dla_core_clk = top->dla_csb_clk = level"',
    'RESETS="top->dla_reset_rstn = top->direct_reset_ = level; top->tmc2slcg_disable_clock_gating = 1"',
)


def builds(rtl: Path, folder: Path) -> dict[str, float]:
    """Processor time of a cold build and of one after a changed line, as for a short run and as its description asks."""
    found = {}
    os.environ["GOLDBEAT_CACHE"] = str(folder / "shared")
    shared = find_design("axis_skid")
    build(shared, shared.params(shared.cases[0], {}))
    for way, quick in (("-O0", QUICKEST), ("as described", None)):
        tree = folder / way.replace(" ", "-")
        shutil.copytree(rtl, tree)
        # Neither way takes anything from the other one.
        shutil.copytree(folder / "shared", folder / f"{tree.name}-cache")
        os.environ["GOLDBEAT_CACHE"] = str(folder / f"{tree.name}-cache")
        found[f"cold, {way}"] = spent(lambda tree=tree, quick=quick: build(find_rtl(tree), {}, quick=quick))
        path, old, new = tree / CHANGE[0], *CHANGE[1:]
        text = path.read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{path}: {old!r} is not there once")
        path.write_text(text.replace(old, new))
        found[f"a changed line, {way}"] = spent(lambda tree=tree, quick=quick: build(find_rtl(tree), {}, quick=quick))
    return found


def plain_model(design: Design, folder: Path) -> Path:
    """The program that Verilator makes by itself, with the same switch of the compiler."""
    folder.mkdir()
    tool = verilator()
    command = [
        str(tool.executable),
        "--cc",
        "--exe",
        "--prefix",
        "Vplain",
        "--top-module",
        design.top,
        "-Mdir",
        str(folder),
    ]
    command += ["-Wno-fatal", *design.compile_flags(), *map(str, design.sources()), str(HERE / "plain_clock.cpp")]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True, "cwd": folder}
    subprocess.run(command, env=tool.environment(), **quiet)
    words = [f"OPT_FAST={design.optimize}", "OPT_SLOW=-O0", f"OPT_GLOBAL={design.optimize}"]
    words += ["VM_USER_CFLAGS=" + " ".join(f"-D{pin}" for pin in (p.replace('"', "'") for p in PINS))]
    subprocess.run(["make", "-f", "Vplain.mk", "-j2", *tool.make_variables, *words, "Vplain"], **quiet)
    return folder / "Vplain"


def speeds(design: Design, folder: Path, rounds: int) -> dict[str, float]:
    """Cycles a second of processor time, of Goldbeat's simulator and of the plain one."""
    built, plain = build(design, {}), plain_model(design, folder / "plain")
    stimulus = Stimulus({}, clocks={CLOCK.name: Clock(PERIOD_PS, PERIOD_PS)})
    (folder / "run").mkdir()

    def ours(cycles: int) -> None:
        said = simulate(design, {}, built, [Episode(stimulus, cycles * PERIOD_PS, 1)], folder / "run")
        if said.failure is not None:
            raise SystemExit(said.failure)

    ways = {"goldbeat": ours, "plain": lambda cycles: subprocess.run([str(plain), str(cycles)], check=True)}
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            few, many = (spent(lambda way=way, cycles=cycles: way(cycles)) for cycles in (FEW, MANY))
            taken[name].append((many - few) / (MANY - FEW))
    return {f"{name}: cycles/s": 1 / median(seconds) for name, seconds in taken.items()}


def _print(found: dict[str, float]) -> None:
    for what, value in found.items():
        print(f"{what:36} {value:12.2f}", flush=True)


def main() -> int:
    """Measure, print, write ``build/bench/vendor.json``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rtl = os.environ.get("GOLDBEAT_NVDLA_RTL")
    if not rtl:
        print("GOLDBEAT_NVDLA_RTL is not set: no RTL of the vendor's")
        return 0
    with tempfile.TemporaryDirectory() as name:
        found = builds(Path(rtl), Path(name))
        _print(found)
        rates = speeds(find_rtl(Path(rtl)), Path(name), options.rounds)
    rates["goldbeat beside plain"] = rates["goldbeat: cycles/s"] / rates["plain: cycles/s"]
    _print(rates)
    found |= rates
    out = Path("build/bench/vendor.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
