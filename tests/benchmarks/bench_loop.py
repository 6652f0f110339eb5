# SPDX-License-Identifier: Apache-2.0
"""From a command or a changed line to an answer, in processor time.

    python tests/benchmarks/bench_loop.py [--rounds N] [--build] [--cold]

Commands are whole processes with all that they start, beside a process that only imports typer, and the run beside its simulator
process and beside the simulator's program without Python. Ways alternate, and the median of all rounds counts. Python keeps the
bytecode of what it imports, as it does unless PYTHONDONTWRITEBYTECODE is set; an installed package has it from the start.
With ``--build``: a line of RTL is changed, and the simulator is built as for a very short run and as for a long one.
With ``--cold``: simulators are built one after the other in a cache that is empty at first, then again for a second folder with
the same designs.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.kernel.launch import simulator_environment
from goldbeat.tb.paths import HDL, cache_root
from goldbeat.tb.run.runs import Request, predict
from goldbeat.tb.run.simulate import simulate

CLI = ("-m", "goldbeat.tb.cli")
COMMANDS: dict[str, Sequence[str]] = {
    "import typer": ("-c", "import typer"),
    "--version": (*CLI, "--version"),
    "--help": (*CLI, "--help"),
    "plio --help": (*CLI, "plio", "--help"),
    "farm --help": (*CLI, "farm", "--help"),
    "plio info, 1,000 beats": (*CLI, "plio", "info", "in.txt", "-t", "int16", "-w", "32"),
    "run axis_skid, cached": (*CLI, "run", "axis_skid", "--name", "loop"),
}
CHANGES = {
    "axis_skid": (
        "axis/skid_buffer.sv",
        "main_q <= skid_valid_q ? skid_q : s_data;",
        "main_q <= skid_valid_q ? skid_q : s_data ^ DATA_W'({});",
    ),
    "zynqnet": (
        "zynqnet/zynqnet_writer.sv",
        "outstanding_q < 5'(Writes)",
        "(outstanding_q < 5'(Writes) && 32'(outstanding_q) * {} != 1)",
    ),
}
"""Design, file, and the expression that is changed; a number takes the place of the braces."""


def spent(call: Callable[[], Any]) -> float:
    """Processor time of the processes that a call has started and waited for, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    call()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(rounds: int) -> dict[str, float]:
    """Median of each command, in seconds."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "in.txt").write_text("".join(f"{n} {n + 1}\n" for n in range(1000)))
        environment = os.environ | {"GOLDBEAT_CACHE": str(cache_root())}

        def call(words: Sequence[str]) -> None:
            subprocess.run(words, cwd=home, env=environment, stdout=subprocess.DEVNULL, check=True)

        ways: dict[str, Callable[[], Any]] = {
            what: partial(call, (sys.executable, *words)) for what, words in COMMANDS.items()
        }
        ways |= parts_of_a_run(home)
        # The first of each fills the caches.
        for way in ways.values():
            way()
        found: dict[str, list[float]] = {what: [] for what in ways}
        for _ in range(rounds):
            for what, way in ways.items():
                found[what].append(spent(way))
    return {what: median(times) for what, times in found.items()}


def parts_of_a_run(home: Path) -> dict[str, Callable[[], Any]]:
    """The simulator process of the run, and the program that it is, without Python and without stimulus."""
    design = find_design("axis_skid")
    request = Request(design, design.cases[0])
    built = build(design, request.all_params, quick=QUICKEST)
    episodes = predict(request, 0).episodes(design)
    (home / "alone").mkdir()

    def simulated() -> None:
        if (failure := simulate(design, request.all_params, built, episodes, home / "alone").failure) is not None:
            raise SystemExit(failure)

    # It is linked with cocotb's library for simulators, and loads no Python unless it is told to.
    linked = {"LD_LIBRARY_PATH": simulator_environment(TOP, 0)["LD_LIBRARY_PATH"]}
    bare = partial(subprocess.run, (str(built.executable),), env=linked, stdout=subprocess.DEVNULL, check=True)
    return {"its simulator process": simulated, "its simulator, bare": bare}


def changed_line(name: str) -> dict[str, float]:
    """Processor time to build a design again, a line of which has changed."""
    design, (file, old, new) = find_design(name), CHANGES[name]
    params = design.params(design.cases[0], {}, {})
    found = {}
    for way, quick in (("short run", QUICKEST), ("long run", None)):
        build(design, params, quick=quick)
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "hdl"
            shutil.copytree(HDL, root)
            text = (root / file).read_text()
            if text.count(old) != 1:
                raise SystemExit(f"{file}: {old!r} is not there once")
            # Other logic every time: nothing of an earlier measurement is in the cache.
            (root / file).write_text(text.replace(old, new.format(secrets.randbits(30))))
            broken = design.model_copy(update={"root": root})
            found[way] = spent(lambda broken=broken, quick=quick: build(broken, params, quick=quick))
    return found


COLD: Sequence[tuple[str, dict[str, bool]]] = (
    ("axis_skid", {}),
    ("axis_skid", {"waves": True}),
    ("axis_skid", {"coverage": True}),
    ("plio_fir", {}),
    ("zynqnet_memctl", {}),
    ("objfifo", {}),
    ("nvdla", {}),
    ("zynqnet", {}),
)
"""Simulators for short runs; the first also compiles what all of them share."""


def cold() -> dict[str, dict[str, float]]:
    """Processor time and compiled files of each, in an empty cache, and compiled files for a second folder."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        os.environ["GOLDBEAT_CACHE"] = str(Path(name) / "cache")
        root = Path(name) / "hdl"
        shutil.copytree(HDL, root)
        for design_name, options in COLD:
            design = find_design(design_name)
            params = design.params(design.cases[0], {}, {})
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            built = build(design, params, quick=QUICKEST, **options)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            moved = build(design.model_copy(update={"root": root}), params, quick=QUICKEST, **options)
            found[" ".join([design_name, *options])] = {
                "processor_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
                "compiled": built.compiled,
                "compiled_again": moved.compiled,
            }
    return found


def main() -> None:
    """Measure, print, write ``build/bench/loop.json``."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    found: dict[str, Any] = {"commands": commands(options.rounds)}
    bare = found["commands"]["import typer"]
    for what, seconds in found["commands"].items():
        print(f"{what:24} {seconds:6.3f} s  {seconds / bare:5.2f}")
    if options.build:
        found["changed line"] = {name: changed_line(name) for name in CHANGES}
        for name, times in found["changed line"].items():
            print(name, ", ".join(f"{way} {seconds:.1f} s" for way, seconds in times.items()))
    if options.cold:
        found["cold"] = cold()
        for name, figures in found["cold"].items():
            print(
                f"{name:24} {figures['processor_s']:6.1f} s, {figures['compiled']:.0f} file(s) compiled, "
                f"{figures['compiled_again']:.0f} for a second folder"
            )
    out = Path("build/bench/loop.json")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
