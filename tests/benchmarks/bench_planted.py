# SPDX-License-Identifier: Apache-2.0
"""Planted faults: small modules, each sound and with one fault after the other, through ``goldbeat verify`` with defaults.

The faults are in ``planted/GROUP/faults.toml``; whoever wrote them did not know what is tried. A fault is seen if the verdict is
``fail``; a fault that is missed and leaves an obligation open which the sound module does not leave open is named.
``--results FILE`` keeps what was found, and goes on from there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from measured import ROOT, Row, benchmark

FILES = ("tb/obligations/*.py", "tb/design/*.py", "tb/kernel/**/*.*", "tests/benchmarks/planted/**/*.*")
PLANTED = ROOT / "tests" / "benchmarks" / "planted"
FREE_S = 20.0
"""Processor seconds that ``verify`` may take in any case; ``sweep`` of modules that take more is timed as well."""


@dataclass(frozen=True)
class Planted:
    """A module, sound (no fault) or with one."""

    group: str
    module: dict[str, Any]
    fault: dict[str, Any] | None

    @property
    def key(self) -> str:
        """What it is called in results."""
        return f"{self.group}/{self.module['file']}/{self.fault['name'] if self.fault else 'sound'}"

    def text(self) -> str:
        """The RTL."""
        text = (PLANTED / self.group / self.module["file"]).read_text()
        if self.fault is None:
            return text
        if text.count(self.fault["old"]) != 1:
            sys.exit(f"{self.key}: `old` occurs {text.count(self.fault['old'])} times")
        return text.replace(self.fault["old"], self.fault["new"])


def planted() -> Iterator[Planted]:
    """All modules and faults, in the order of their files."""
    for file in sorted(PLANTED.glob("*/faults.toml")):
        table = tomllib.loads(file.read_text())
        for module in table["module"]:
            yield Planted(file.parent.name, module, None)
            for fault in table["fault"]:
                if fault["module"] == module["file"]:
                    yield Planted(file.parent.name, module, fault)


def verify(one: Planted, budget: str) -> dict[str, Any]:
    """What ``goldbeat verify`` says of it: status, open obligations, processor seconds."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for other in (PLANTED / one.group).glob("*.rdl"):
            (folder / other.name).write_text(other.read_text())
        (folder / one.module["file"]).write_text(one.text())
        words = [
            "verify",
            one.module["file"],
            "--top",
            one.module["top"],
            *one.module["options"],
            "--json",
            "--budget",
            budget,
            "--mutants",
            "0",
        ]
        command = [sys.executable, "-m", "goldbeat", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
        if done.returncode not in (0, 1, 3) or not done.stdout:
            return {"status": "error", "said": done.stderr[-600:], "open": [], "seconds": 0.0}
        report = json.loads(done.stdout)
        dear = one.fault is None and report["processor_s"] > FREE_S
        sweep_s = swept(folder, one.module["top"]) if dear else 0.0
    opened = [f"{o['kind']} {o['place']}: {o['what']}" for o in report["list"] if not o["met"]]
    return {
        "status": report["status"],
        "said": (report["failures"] or report["partial"] or [""])[0][:300],
        "open": opened,
        "seconds": report["processor_s"],
        "sweep_s": sweep_s,
    }


def environment() -> dict[str, str]:
    """The environment of commands."""
    return {**os.environ, "GOLDBEAT_CACHE": os.environ.get("GOLDBEAT_CACHE", str(ROOT / "build"))}


def swept(folder: Path, top: str) -> float:
    """Processor seconds of ``goldbeat run --case sweep`` of the bench that ``verify`` has made, with the simulator built."""
    bench = folder / "build" / "verify" / top / "bench" / f"{top}.toml"
    command = [sys.executable, "-m", "goldbeat", "run", str(bench), "--case", "sweep"]
    for _ in range(2):
        child = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment()
        )
        used = os.wait4(child.pid, 0)[2]
    return used.ru_utime + used.ru_stime


def measure(results: str, only: str, every: int, jobs: int, budget: str) -> Iterator[Row]:
    """Rows by kind and group.

    Args:
        results: file of what was found before; empty: none.
        only: a part of the keys of faults to run, each beside its sound module; empty: all.
        every: every so many faults alone.
        jobs: at the same time.
        budget: of each, as ``goldbeat verify`` takes it.
    """
    sound = [p for p in planted() if p.fault is None]
    faulty = [p for p in planted() if p.fault is not None and only in p.key][::every]
    modules = {(p.group, p.module["file"]) for p in faulty}
    chosen = [p for p in sound if (p.group, p.module["file"]) in modules] + faulty
    kept = Path(results) if results else None
    found: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept and kept.is_file() else {}
    with ThreadPoolExecutor(jobs) as pool:
        left = [p for p in chosen if p.key not in found]
        for one, result in zip(left, pool.map(partial(verify, budget=budget), left), strict=True):
            found[one.key] = result
            print(f"{result['status']:8} {one.key} {result['seconds']} s", file=sys.stderr, flush=True)
            if kept:
                kept.write_text(json.dumps(found, indent=1))
    yield from rows(chosen, found)


def rows(chosen: list[Planted], found: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """The table of some results."""
    by: dict[str, list[str]] = defaultdict(list)
    for one in chosen:
        result = found[one.key]
        if one.fault is None:
            by["sound modules"].append(result["status"])
            continue
        sound = found[Planted(one.group, one.module, None).key]
        more = [text for text in result["open"] if text not in sound["open"]]
        fate = "seen" if result["status"] == "fail" else "named" if more else result["status"]
        if fate != "seen":
            print(f"missed, {fate}: {one.key}: {one.fault['effect']}", *more[:3], sep="\n    ")
        for key in (f"{one.group}, {one.fault['kind']}", "all"):
            by[key].append(fate)
    for key, fates in sorted(by.items()):
        columns = ("pass", "partial", "fail", "error") if key == "sound modules" else ("seen", "named")
        yield Row(
            key, len(fates), column="modules" if key == "sound modules" else "faults", table=key.partition(",")[0]
        )
        for column in columns:
            yield Row(key, fates.count(column), column=column, table=key.partition(",")[0])
    for one in chosen:
        result = found[one.key]
        if one.fault is None:
            name = f"{one.group}/{one.module['file']}"
            yield Row(name, result["seconds"], "s", column="verify", table="cost")
            if result["sweep_s"]:
                yield Row(name, result["sweep_s"], "s", column="sweep", table="cost")


if __name__ == "__main__":
    benchmark(
        measure,
        FILES,
        {"results": "", "only": "", "every": 1, "jobs": 2, "budget": "20s"},
        {"every": 150, "budget": "3s"},
    )
