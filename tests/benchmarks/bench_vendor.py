# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's nv_small in Goldbeat beside the model that Verilator makes of it: builds, a changed line, cycles a second.

``GOLDBEAT_NVDLA_RTL`` names a generated tree (docs/nvdla.md). Builds are counted in processor time, in a cache that has
the kernel and Verilator's runtime, but nothing of this design. Speed is that of a clocked design without traffic, where
Goldbeat's work per cycle weighs most. Both programs are compiled with the same switch, and run in turn.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from measured import Row, Skipped, benchmark, spent

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

FILES = ("tb/build/**/*.*", "tb/kernel/**/*.*", "tb/designs/nvdla/rtl.py")
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


def builds(rtl: Path, folder: Path) -> Iterator[Row]:
    """Processor time of a cold build and of one after a changed line, as for a short run and as its description asks."""
    os.environ["GOLDBEAT_CACHE"] = str(folder / "shared")
    shared = find_design("axis_skid")
    build(shared, shared.params(shared.cases[0], {}))
    for way, quick in (("-O0", QUICKEST), ("as described", None)):
        tree = folder / way.replace(" ", "-")
        shutil.copytree(rtl, tree)
        # Neither way takes anything from the other one.
        shutil.copytree(folder / "shared", folder / f"{tree.name}-cache")
        os.environ["GOLDBEAT_CACHE"] = str(folder / f"{tree.name}-cache")
        cold = spent(lambda tree=tree, quick=quick: build(find_rtl(tree), {}, quick=quick))
        yield Row("first build", cold, "s", column=way, table="builds")
        path, old, new = tree / CHANGE[0], *CHANGE[1:]
        text = path.read_text()
        if text.count(old) != 1:
            raise SystemExit(f"{path}: {old!r} is not there once")
        path.write_text(text.replace(old, new))
        again = spent(lambda tree=tree, quick=quick: build(find_rtl(tree), {}, quick=quick))
        yield Row("a changed line", again, "s", column=way, table="builds")


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


def speeds(design: Design, folder: Path, rounds: int) -> Row:
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
    ours_s, plain_s = (median(taken[name]) for name in ways)
    return Row("simulation", 1 / ours_s, "cycles/s", "plain model", 1 / plain_s, goal="0.95 times", table="speed")


def run(rounds: int) -> Iterator[Row | Skipped]:
    """Builds, then speed."""
    rtl = os.environ.get("GOLDBEAT_NVDLA_RTL")
    if not rtl:
        yield Skipped("set GOLDBEAT_NVDLA_RTL to a generated tree of the vendor's")
        return
    with tempfile.TemporaryDirectory() as name:
        yield from builds(Path(rtl), Path(name))
        yield speeds(find_rtl(Path(rtl)), Path(name), rounds)


if __name__ == "__main__":
    benchmark(run, FILES, {"rounds": 3}, {"rounds": 1})
