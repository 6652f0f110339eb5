# SPDX-License-Identifier: Apache-2.0
"""Planted faults, sound modules and Goldbeat's own blocks through ``goldbeat prove`` with defaults.

A fault counts as refuted if the simulator confirms the counterexample. What ``goldbeat prove`` refuses (large memories with
initial values) and modules of more than 2,000 flip-flops are counted apart. ``--results FILE`` keeps what was found, and goes
on from there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from bench_planted import PLANTED, Planted, planted
from measured import ROOT, Row, benchmark

FILES = ("tb/prove/*.py", "tests/benchmarks/planted/**/*.*", "hdl/**/*.sv", "hdl/common/*.svh")
MOST_FLIP_FLOPS = 2000
_HDL = ROOT / "hdl"


def _rtl(model: str, top: str, *files: str) -> tuple[str, ...]:
    return (*(f"{_HDL}/{file}" for file in files), "--top", top, "-I", f"{_HDL}/common", "--model", model)


def _alone(folder: str, *tops: str) -> dict[str, tuple[str, ...]]:
    """Blocks whose own assertions are proven with free inputs."""
    libraries = [word for name in (folder, "axil", "axis") for word in ("-y", f"{_HDL}/{name}")]
    return {
        f"{top} alone": (f"{_HDL}/{folder}/{top}.sv", *libraries, "-I", f"{_HDL}/common", "--top", top, "--alone")
        for top in tops
    }


OWN: dict[str, tuple[str, ...]] = {
    "axis_skid": ("axis_skid", "--model", "identity"),
    "skid_buffer": _rtl("identity", "skid_buffer", "axis/skid_buffer.sv"),
    "fifo_sync": _rtl("identity", "fifo_sync", "axis/fifo_sync.sv"),
    "axis_fifo": ("axis_fifo", "--model", "identity"),
    "axis_downsizer": ("axis_downsizer", "--model", "repack"),
    "axis_upsizer": ("axis_upsizer", "--model", "repack"),
    "axil_regs": _rtl("rules", "axil_regs", "axil/axil_pkg.sv", "axil/axil_regs.sv"),
    "plio_pkt_merge": ("plio_pkt_merge",),
    "plio_pkt_split": ("plio_pkt_split",),
    "plio_fir_regs": _rtl(
        *("rules", "plio_fir_regs", "plio/plio_fir_regs_pkg.sv", "axil/axil_pkg.sv", "axil/axil_regs.sv"),
        "plio/plio_fir_regs.sv",
    ),
    "objfifo_shallow_fifo": _rtl("identity", "objfifo_shallow_fifo", "objfifo/objfifo_shallow_fifo.sv"),
    "objfifo_task_queue": _rtl(
        "rules", "objfifo_task_queue", "objfifo/objfifo_pkg.sv", "objfifo/objfifo_task_queue.sv"
    ),
    "objfifo_staging": _rtl("rules", "objfifo_staging", "objfifo/objfifo_pkg.sv", "objfifo/objfifo_staging.sv"),
    **_alone("axis", "axis_skid", "axis_fifo", "axis_downsizer", "axis_upsizer", "fifo_sync", "skid_buffer"),
    **_alone("axil", "axil_regs"),
    **_alone("plio", "plio_fir", "plio_fir_regs", "plio_fir_window", "plio_pkt_merge", "plio_pkt_split"),
    **_alone("objfifo", "objfifo_banks", "objfifo_counter_after", "objfifo_crossing", "objfifo_locks"),
    **_alone("objfifo", "objfifo_packet_arbiter", "objfifo_packet_switch", "objfifo_regs", "objfifo_round_robin"),
    **_alone("objfifo", "objfifo_s2mm", "objfifo_shallow_fifo", "objfifo_switch_regs", "objfifo_way", "objfifo_worker"),
    **_alone("nvdla", "nvdla_read_port"),
    **_alone("tpu", "tpu_errors", "tpu_groups", "tpu_messages", "tpu_regs"),
    **_alone("zynqnet", "zynqnet_image_cache", "zynqnet_regs"),
}
"""Arguments of ``goldbeat prove`` by name of the row."""


def run(words: Sequence[str], folder: Path, budget: str) -> dict[str, Any]:
    """What ``goldbeat prove`` says: its report, with the wall time."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "goldbeat", "prove", *words, "--json", "--budget", budget],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "GOLDBEAT_CACHE": os.environ.get("GOLDBEAT_CACHE", str(ROOT / "build"))},
    )
    seconds = round(time.monotonic() - began, 1)
    if done.returncode not in (0, 1, 3) or not done.stdout:
        status = "refused" if "a proof takes" in done.stderr else "error"
        return {"status": status, "said": done.stderr[-600:], "wall": seconds, "flip_flops": 0, "properties": []}
    return {**json.loads(done.stdout), "wall": seconds}


def prove_planted(one: Planted, budget: str) -> dict[str, Any]:
    """What is said of a module, sound or with a fault."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for other in (PLANTED / one.group).glob("*.rdl"):
            (folder / other.name).write_text(other.read_text())
        (folder / one.module["file"]).write_text(one.text())
        return run([one.module["file"], "--top", one.module["top"], *one.module["options"]], folder, budget)


def prove_own(name: str, budget: str) -> dict[str, Any]:
    """What is said of one of Goldbeat's own blocks."""
    with tempfile.TemporaryDirectory() as place:
        return run(OWN[name], Path(place), budget)


def measure(results: str, only: str, every: int, own: int, jobs: int, budget: str) -> Iterator[Row]:
    """Rows of planted faults, sound modules and own blocks.

    Args:
        results: file of what was found before; empty: none.
        only: a part of the keys to run; empty: all.
        every: every N-th planted module or fault alone.
        own: so many of the own blocks.
        jobs: at the same time.
        budget: of each, as ``goldbeat prove`` takes it.
    """
    kept = Path(results) if results else None
    found: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept and kept.is_file() else {}
    chosen = [one for one in planted() if only in one.key][::every]
    names = [name for name in list(OWN)[:own] if only in f"own/{name}"]
    work = [(one.key, partial(prove_planted, one, budget)) for one in chosen]
    work += [(f"own/{name}", partial(prove_own, name, budget)) for name in names]
    with ThreadPoolExecutor(jobs) as pool:
        left = [(key, call) for key, call in work if key not in found]
        for (key, _), result in zip(left, pool.map(lambda pair: pair[1](), left), strict=True):
            found[key] = result
            states = Counter(one["status"] for one in result["properties"])
            print(f"{result['status']:8} {key} {result['wall']} s {dict(states)}", file=sys.stderr, flush=True)
            if kept:
                kept.write_text(json.dumps(found, indent=1))
    yield from rows(chosen, names, found)


def rows(chosen: Sequence[Planted], names: Sequence[str], found: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """The tables of some results."""
    for title, some in (
        ("planted faults", [one for one in chosen if one.fault is not None]),
        ("sound modules", [one for one in chosen if one.fault is None]),
    ):
        fates = Counter(_fate(found[one.key]) for one in some)
        for column in ("refuted", "not refuted", "larger", "refused", "error"):
            yield Row(title, fates[column], column=column, table="Planted faults")
    for name in names:
        result = found[f"own/{name}"]
        states = Counter(one["status"] for one in result["properties"])
        for column in ("proven", "bounded", "refuted", "unconfirmed", "vacuous", "undecided"):
            yield Row(name, states[column], column=column, table="Own blocks")
        yield Row(name, result["wall"], "s", column="time", table="Own blocks")


def _fate(result: dict[str, Any]) -> str:
    if result["status"] in ("refused", "error"):
        return str(result["status"])
    if result["status"] == "fail":
        return "refuted"
    return "larger" if result["flip_flops"] > MOST_FLIP_FLOPS else "not refuted"


if __name__ == "__main__":
    benchmark(
        measure,
        FILES,
        {"results": "", "only": "", "every": 1, "own": 99, "jobs": 2, "budget": "40s"},
        {"every": 60, "own": 1, "budget": "5s"},
    )
