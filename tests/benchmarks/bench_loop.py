# SPDX-License-Identifier: Apache-2.0
"""From a command or a changed line to an answer, in processor time.

Commands are whole processes with all that they start, beside a process that only imports typer, and the run beside its simulator
process and beside the simulator's program without Python. Ways alternate, and the median of all rounds counts. Python keeps the
bytecode of what it imports, as it does unless PYTHONDONTWRITEBYTECODE is set; an installed package has it from the start.
Changed lines: a line of RTL is changed, and the simulator is built as for a very short run and as for a long one.
Cold builds: simulators are built one after the other in a cache that is empty at first, then again for a second folder with
the same designs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from measured import Row, benchmark, spent

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.kernel.launch import simulator_environment
from goldbeat.tb.paths import HDL, cache_root
from goldbeat.tb.run.runs import Request, predict
from goldbeat.tb.run.simulate import simulate

FILES = ("tb/build/**/*.*", "tb/kernel/**/*.*", "tb/cli/*.py", "tb/run/*.py", "tb/inside/*.py")
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


def commands(rounds: int) -> Iterator[Row]:
    """Median of each command."""
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
    bare = median(found.pop("import typer"))
    for what, times in found.items():
        goal = "0.15 s" if "help" in what or "version" in what else ""
        yield Row(what, median(times), "s", "import typer", bare, goal=goal, table="commands")


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


def changed_line(name: str) -> Iterator[Row]:
    """Processor time to build a design again, a line of which has changed."""
    design, (file, old, new) = find_design(name), CHANGES[name]
    params = design.params(design.cases[0], {}, {})
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
            seconds = spent(lambda broken=broken, quick=quick: build(broken, params, quick=quick))
        yield Row(name, seconds, "s", column=f"for a {way}", table="changed line")


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


def cold(count: int) -> Iterator[Row]:
    """Processor time and compiled files of each, in an empty cache, and compiled files for a second folder."""
    with tempfile.TemporaryDirectory() as name:
        os.environ["GOLDBEAT_CACHE"] = str(Path(name) / "cache")
        root = Path(name) / "hdl"
        shutil.copytree(HDL, root)
        for design_name, options in COLD[:count]:
            design = find_design(design_name)
            params = design.params(design.cases[0], {}, {})
            built = []
            seconds = spent(lambda d=design, p=params, o=options, b=built: b.append(build(d, p, quick=QUICKEST, **o)))
            moved = build(design.model_copy(update={"root": root}), params, quick=QUICKEST, **options)
            title = " with ".join([design_name, *options])
            yield Row(title, seconds, "s", column="processor time", table="cold builds")
            yield Row(title, built[0].compiled, column="files compiled", table="cold builds")
            yield Row(title, moved.compiled, column="for a second folder", table="cold builds")


def run(rounds: int, changes: tuple[str, ...], builds: int) -> Iterator[Row]:
    """All three tables."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    yield from commands(rounds)
    for name in changes:
        yield from changed_line(name)
    yield from cold(builds)


if __name__ == "__main__":
    full = {"rounds": 7, "changes": tuple(CHANGES), "builds": len(COLD)}
    benchmark(run, FILES, full, {"rounds": 1, "changes": ("axis_skid",), "builds": 1})
