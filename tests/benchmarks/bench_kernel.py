# SPDX-License-Identifier: Apache-2.0
"""How fast ports are driven: the native transactors under cocotb, cocotbext-axi, and a plain C++ harness.

All ways of driving a design take turns. Seconds are processor seconds of the simulating thread, and the best of several
rounds counts. All that is moved is compared in every run: data with numpy's, cycles with those of the plain C++ harness.
The harness is built from the same sources with the same compiler flags, without VPI and with nothing public. Time ends
when the last beat is in arrays, with its cycle; to make a Trace of them takes some 10 ns per beat more.
"""

from __future__ import annotations

import hashlib
import pickle
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from measured import Row, benchmark

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.harness import TOP, make_harness
from goldbeat.tb.build.simulator import build
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments
from goldbeat.tb.paths import HDL, build_root

HERE = Path(__file__).resolve().parent
FILES = (
    "tb/kernel/**/*.*",
    "hdl/axis/axis_skid.sv",
    "hdl/axis/skid_buffer.sv",
    "tests/benchmarks/kernel_session.py",
    "tests/benchmarks/plain_axis.cpp",
    "tests/benchmarks/systolic.sv",
)
REPEATS = 3
BEATS = {"axis_skid": 1_000_000, "systolic": 200_000}
SLOW_BEATS = {"axis_skid": 20_000, "systolic": 4_000}
ACCESSES, SLOW_ACCESSES = 100_000, 1_000
FRAME = 1000
CLOCK_PS = 4000
BACK_PRESSURE = Pattern("random", p=0.3, seed=1)


def _unused(params: Mapping[str, Any], stimulus: Any) -> Any:
    raise NotImplementedError


def _designs() -> dict[str, Design]:
    plain = ("tdata", "tkeep", "tlast", "tvalid", "tready")
    slice_ports = [
        StreamPort(name=n, direction=d, width=64, signals={r: f"{n}_{r}" for r in plain})
        for n, d in (("s_axis", "in"), ("m_axis", "out"))
    ]
    array_ports = [
        StreamPort(name=n, direction=d, width=w, signals={r: f"{n}_{r}" for r in plain if r != "tkeep"})
        for n, d, w in (("s_axis", "in", 128), ("m_axis", "out", 512))
    ]
    skid = find_design("axis_skid")
    common: dict[str, Any] = {"summary": "", "model": _unused, "cases": ()}
    return {
        "axis_skid": Design(
            name="bench_skid",
            top="axis_skid",
            files=skid.files,
            root=HDL,
            parameters={"DATA_W": skid.parameters["DATA_W"]},
            streams=tuple(slice_ports),
            ties={f"s_axis_{s}": 0 for s in ("tid", "tdest", "tuser")},
            ignored=tuple(f"m_axis_{s}" for s in ("tid", "tdest", "tuser")),
            unchecked={f"m_axis_{s}": "not used" for s in ("tid", "tdest", "tuser")}
            | {f"s_axis_{s}": "not used" for s in ("tid", "tdest", "tuser")},
            **common,
        ),
        "systolic": Design(
            name="bench_systolic",
            top="systolic",
            files=("../hdl/axis/skid_buffer.sv", "benchmarks/systolic.sv"),
            include_dirs=("../hdl/common",),
            root=HERE.parent,
            streams=tuple(array_ports),
            **common,
        ),
    }


def _params(name: str) -> dict[str, Any]:
    return {"DATA_W": 64} if name == "axis_skid" else {}


def make(name: str, beats: int) -> tuple[Trace, np.ndarray[Any, Any]]:
    """Stimulus, and the output's bytes as numpy computes them."""
    rng = np.random.default_rng(beats)
    if name == "axis_skid":
        last = np.arange(beats) % FRAME == FRAME - 1
        last[-1] = True
        trace = Trace.from_bytes(rng.integers(0, 256, (beats, 8), dtype=np.uint8), last=last, clock_ps=CLOCK_PS)
        return trace, trace.data
    weights, vectors = (rng.integers(-128, 128, (n, 16), dtype=np.int8) for n in (16, beats))
    last = np.arange(16 + beats) == 15 + beats
    trace = Trace.from_bytes(np.concatenate([weights, vectors]).view(np.uint8), last=last, clock_ps=CLOCK_PS)
    sums = vectors.astype(np.int32) @ weights.astype(np.int32)
    return trace, np.ascontiguousarray(sums, "<i4").view(np.uint8)


def build_plain(name: str, design: Design) -> Path:
    """The plain C++ harness, cached like every build."""
    tool = verilator()
    harness = make_harness(design, _params(name))
    source = HERE / "plain_axis.cpp"
    files = [*design.sources(), source, Path(__file__)]
    key = hashlib.sha256(b"\0".join([harness.encode(), tool.version.encode(), *(f.read_bytes() for f in files)]))
    folder = build_root() / "sim" / f"plain-{name}-{key.hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if (folder / "sim").is_file():
            return folder / "sim"
        (folder / f"{TOP}.sv").write_text(harness)
        sizes = {p.direction: int(p.width) // 8 for p in design.bundles(_params(name))}
        macros = f"-DS_BYTES={sizes['in']} -DM_BYTES={sizes['out']} -DHAS_KEEP={int(name == 'axis_skid')}"
        command = [str(tool.executable), "-cc", "--exe", "--prefix", "Vtop", "--top-module", TOP, "-Mdir", "."]
        command += ["-o", "sim", "--x-initial", "unique", "--timescale", "1ps/1ps", "-Wno-fatal", "-CFLAGS", macros]
        command += [*design.compile_flags(), *map(str, design.sources()), f"{TOP}.sv", str(source)]
        make_all = ["make", "-f", "Vtop.mk", "OPT_FAST=-O3", *tool.make_variables]
        for step in (command, make_all):
            subprocess.run(step, cwd=folder, env=tool.environment(), check=True, capture_output=True)
    return folder / "sim"


def run_plain(program: Path, trace: Trace, expected: np.ndarray[Any, Any], ready: Pattern, keep: bool) -> Any:
    """Seconds, cycles of the input and of the output; the data are compared here."""
    beats, outputs = len(trace), len(expected)
    pattern = np.zeros(0, np.uint8)
    if ready.kind != "none":
        pattern = ready.ready(2 * beats + 4096).view(np.uint8)
    with tempfile.TemporaryDirectory() as scratch:
        stimulus, result = Path(scratch) / "stimulus", Path(scratch) / "result"
        with stimulus.open("wb") as stream:
            stream.write(np.array([beats, outputs, len(pattern)], np.int64).tobytes())
            stream.write(trace.data.tobytes())
            if keep:
                stream.write(np.packbits(trace.keep, axis=1, bitorder="little").tobytes())
            stream.write(trace.last.tobytes())
            stream.write(pattern.tobytes())
        seconds = float(
            subprocess.run(
                [str(program), str(stimulus), str(result), str(REPEATS)], check=True, capture_output=True, text=True
            ).stdout
        )
        raw = result.read_bytes()
    in_cycle = np.frombuffer(raw, np.int64, beats)
    data = np.frombuffer(raw, np.uint8, expected.size, 8 * beats).reshape(expected.shape)
    assert np.array_equal(data, expected), "plain C++: data differ"
    return seconds, in_cycle, np.frombuffer(raw[-8 * outputs :], np.int64)


def run_session(executable: Path, job: dict[str, Any]) -> dict[str, Any]:
    """One measurement under cocotb."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "job.pickle").write_bytes(pickle.dumps(job))
        env = cocotb_environment(TOP, "kernel_session", 1, folder / "results.xml", [HERE])
        done = subprocess.run(
            [str(executable), *seed_arguments(1)],
            cwd=folder,
            env=env | {"KERNEL_BENCH": scratch, "OPENBLAS_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if not (folder / "result.pickle").is_file():
            raise RuntimeError(done.stdout + done.stderr)
        found: dict[str, Any] = pickle.loads((folder / "result.pickle").read_bytes())
        return found


def _streams(name: str, rounds: int, scale: float) -> Iterator[Row]:
    design = _designs()[name]
    native, plain = build(design, _params(name)).executable, build_plain(name, design)
    trace, expected = make(name, int(BEATS[name] * scale))
    slow_trace, slow_expected = make(name, int(SLOW_BEATS[name] * scale))
    keep = name == "axis_skid"
    best: dict[str, float] = {}

    def note(way: str, seconds: float, beats: int) -> None:
        best[way] = max(best.get(way, 0.0), beats / seconds)

    for _ in range(rounds):
        for label, ready in (("", Pattern()), (", 30 % back-pressure", BACK_PRESSURE)):
            seconds, in_cycle, out_cycle = run_plain(plain, trace, expected, ready, keep)
            note(f"plain{label}", seconds, len(trace))
            job = {"way": "native", "stimulus": trace, "ready": ready, "beats_out": len(expected), "rounds": REPEATS}
            found = run_session(native, job)
            note(f"native{label}", found["seconds"], len(trace))
            assert np.array_equal(found["out"].data, expected), "native: data differ"
            assert np.array_equal(found["out"].cycle, out_cycle), "native: output cycles differ from plain C++"
            assert np.array_equal(found["in_cycle"], in_cycle), "native: input cycles differ from plain C++"
        job = {"way": "cocotbext", "stimulus": slow_trace, "beats_out": len(slow_expected)}
        found = run_session(native, job | {"width_out": slow_expected.shape[1] * 8})
        note("cocotbext", found["seconds"], len(slow_trace))
        assert np.array_equal(found["data"], slow_expected), "cocotbext-axi: data differ"
    what, goals = ("register slice", (200, 0.8)) if keep else ("systolic array", (100, 0.9))
    slowed = ", 30 % back-pressure"
    for goal, peer, way in zip(goals, ("cocotbext-axi", "plain C++"), ("cocotbext", "plain"), strict=True):
        yield Row(what, best["native"], "beats/s", peer, best[way], goal=f"{goal} times")
    other = best[f"plain{slowed}"]
    yield Row(f"{what}{slowed}", best[f"native{slowed}"], "beats/s", "plain C++", other, goal="0.7 times")


def _registers(rounds: int, scale: float) -> Iterator[Row]:
    design = find_design("plio_fir")
    executable = build(design, design.params(design.cases[0], {})).executable
    rng = np.random.default_rng(1)
    fast, slow = (
        [(0x040 + 4 * int(k), int(v)) for k, v in zip(rng.integers(0, 8, n), rng.integers(0, 1 << 15, n), strict=True)]
        for n in (int(ACCESSES * scale) // 2, int(SLOW_ACCESSES * scale) // 2)
    )
    best: dict[str, float] = {}
    for _ in range(rounds):
        for way, accesses in (("native_lite", fast), ("cocotbext_lite", slow)):
            found = run_session(executable, {"way": way, "accesses": accesses})
            assert found["values"] == [v for _, v in accesses], f"{way}: data differ"
            assert found["passed"]
            best[way] = max(best.get(way, 0.0), 2 * len(accesses) / found["seconds"])
    native, peer = best["native_lite"], best["cocotbext_lite"]
    yield Row("AXI-Lite accesses", native, "accesses/s", "cocotbext-axi", peer, goal="50 times")


def run(rounds: int, scale: float) -> Iterator[Row]:
    """Rates of streams and registers."""
    yield from _streams("axis_skid", rounds, scale)
    yield from _streams("systolic", rounds, scale)
    yield from _registers(rounds, scale)


if __name__ == "__main__":
    benchmark(run, FILES, {"rounds": 5, "scale": 1.0}, {"rounds": 1, "scale": 0.2})
