# SPDX-License-Identifier: Apache-2.0
"""Compiled designs on the engine: each tile alone, and a whole chain on an array of engines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.objfifo.artefact.listing import decode_compiled, from_listing, to_listing
from goldbeat.pymodels.objfifo.artefact.raw_design import fixed_design
from goldbeat.pymodels.objfifo.compiled_design import load_compiled
from goldbeat.pymodels.objfifo.engine.array_shape import ArrayShape
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.design import FifoDesign
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.designs.objfifo.bench_array import DESIGN
from goldbeat.tb.designs.objfifo.live_design import case_of_design
from goldbeat.tb.designs.objfifo.whole import Whole, place_plan
from goldbeat.tb.run.runs import Request, run
from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_compiled import write_compiled

CHAIN = """
import numpy as np
from goldbeat.pymodels.objfifo import *

big, small = np.ndarray[(16,), np.dtype[np.int32]], np.ndarray[(8,), np.dtype[np.int32]]
source = ObjectFifo(big, name="in")
first = source.cons().forward(obj_type=small)
result = ObjectFifo(small, name="out")
last = result.cons().forward(obj_type=big)

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 1
    x.release(1)
    y.release(1)

worker = Worker(add, [first.cons(), result.prod()])
rt = Runtime()
arg = np.ndarray[(64,), np.dtype[np.int32]]
with rt.sequence(arg, arg) as (a, b):
    rt.start(worker)
    rt.fill(source.prod(), a)
    rt.drain(last.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""
STAND_IN = """
def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 1
    x.release(1)
    y.release(1)
"""
PARAMS = Request(DESIGN, DESIGN.cases[0]).all_params


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "design.py").write_text(CHAIN)
    design = open_fifo_design(tmp_path / "design.py")
    write_compiled(tmp_path, design, plan(design))
    (tmp_path / "fn.py").write_text(STAND_IN)
    return tmp_path


def _placed(folder: Path) -> tuple[FifoDesign, Whole]:
    design = fixed_design(load_compiled(folder / "insts.bin", [folder / "main.cdo"]))
    return design, place_plan(design, plan(design), ArrayShape.of(PARAMS), "workers", worker=(1, 5))


def test_a_compiled_chain_on_the_model_of_the_array(compiled: Path) -> None:
    _, whole = _placed(compiled)
    stimulus = whole.stimulus(np.random.default_rng(3), Request(DESIGN, DESIGN.cases[0]).setting(0).clocks)
    outcome = DESIGN.model(PARAMS, stimulus)
    into = stimulus.inputs["s_axis_0"].data.view("<u4").reshape(-1)
    assert len(into) == 64
    assert outcome.ports["m_axis_0"].data.view("<u4").reshape(-1).tolist() == (into + 1).tolist()


def test_load_as_json_and_what_needs_a_stand_in(compiled: Path) -> None:
    found = json.loads(goldbeat("objfifo", "load", "insts.bin", "--cdo", "main.cdo", "--json").stdout)
    assert found["no_stand-in"] == ["the core of core tile (0, 2) has a program of 128 bytes and no stand-in"]
    assert (found["unsupported"], found["left_out"]) == ([], [])
    assert [h["size"] for h in found["hosts"]] == [256, 256]
    done = goldbeat("objfifo", "load", "insts.bin", "--cdo", "main.cdo", "--core", "0,2=fn.py:add")
    assert done.code == 0
    assert "MM2S 0 of mem tile (0, 1) to S2MM 0 of core tile (0, 2)" in done.stdout
    assert "no stand-in" not in done.stdout


def test_check_of_compiled_files(compiled: Path) -> None:
    done = goldbeat("objfifo", "check", "insts.bin", "--", "--config", "main.cdo", "--core", "0,2=copy")
    assert (done.code, done.stdout.splitlines()[-1]) == (0, "the design completes")
    assert "rules hold" not in done.stdout
    alone = goldbeat("objfifo", "check", "insts.bin")
    assert alone.code == 3
    assert "undecided" in alone.stdout
    assert goldbeat("objfifo", "check", "insts.bin", "--", "--cdo", "main.cdo").code == 2


def test_text_on_the_command_line(compiled: Path) -> None:
    text = goldbeat("objfifo", "plan", "design.py", "--mlir").stdout
    (compiled / "low.mlir").write_text(text)
    assert goldbeat("objfifo", "check", "low.mlir").code == 0
    found = json.loads(goldbeat("objfifo", "load", "insts.bin", "--mlir", "low.mlir", "--json").stdout)
    assert found["unsupported"] == []
    assert len(found["flows"]) == 4
    (compiled / "low.mlir").write_text(text.replace("aie.lock(", "aie.lokc(", 1))
    wrong = goldbeat("objfifo", "check", "low.mlir")
    assert wrong.code == 2
    assert "'aie.lokc', expected an operation that is read" in " ".join(wrong.stderr.split())


def test_a_run_without_stand_ins_is_refused(compiled: Path) -> None:
    done = goldbeat("objfifo", "run", "insts.bin", "--", "--config", "main.cdo")
    assert done.code == 2
    assert "the core of core tile (0, 2) has a program of 128 bytes" in " ".join(done.stderr.split())


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize("packets", [False, True])
def test_each_tile_on_the_engine_in_rtl(packets: bool, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    design = open_fifo_design(compiled / "design.py")
    write_compiled(compiled, design, plan(design, packets=packets))
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: compiled / "build")
    words = ["insts.bin", "--json", "--", "--config", "main.cdo", "--core", "0,2=fn.py:add"]
    done = goldbeat("objfifo", "run", *words)
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["status"] == "pass"
    assert [t["tile"] for t in report["tiles"]] == ["mem_tile_0_1", "tile_0_2"]


@pytest.mark.sim
@pytest.mark.slow
def test_packets_of_a_compiled_design_on_the_array(compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("goldbeat.tb.cli.run.build_root", lambda: compiled / "build")
    design = open_fifo_design(compiled / "design.py")
    write_compiled(compiled, design, plan(design, packets=True))
    words = ["insts.bin", "--array", "--json", "--", "--config", "main.cdo", "--core", "0,2=fn.py:add"]
    done = goldbeat("objfifo", "run", *words)
    assert done.code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["status"] == "pass"
    # One header goes in; none comes out.
    assert [(h["way"], h["words"]) for h in report["host"]] == [("in", 65), ("out", 64)]


@pytest.mark.sim
@pytest.mark.slow
def test_a_compiled_chain_on_the_array_in_rtl(compiled: Path, tmp_path: Path) -> None:
    def make(setting: CaseContext) -> list:  # type: ignore[type-arg]
        return [_placed(compiled)[1].stimulus(np.random.default_rng(setting.seed), setting.clocks)]

    (result,) = run(Request(DESIGN, Case(name="compiled", summary="", make=make)), tmp_path)
    assert result.passed, "\n".join(result.failures[:3])
    assert len(result.episodes[0].record.outcome.ports["m_axis_0"]) == 64


def test_what_only_executions_have(compiled: Path) -> None:
    """The host lets a core's ring begin: it writes a lock while the array runs."""
    listing = [line.partition(" ;")[0] for line in to_listing(decode_compiled(Path("main.cdo").read_bytes()))]
    assert listing.count("write 0,2+1F000 2") == 1
    closed = "\n".join(listing).replace("write 0,2+1F000 2", "write 0,2+1F000 0")
    Path("main.cdo").write_bytes(from_listing(closed).encode())
    data = np.arange(64, dtype=np.int32)
    np.save("in.npy", data)
    np.save("out.npy", data + 1)
    given = (
        "--input",
        "arg0=in.npy",
        "--expect",
        "arg1=out.npy",
        "--",
        "--config",
        "main.cdo",
        "--core",
        "0,2=fn.py:add",
    )
    unkept = goldbeat("objfifo", "exec", "insts.bin", "--record", "run.npz", *given)
    assert (unkept.code, "the design hangs" in unkept.stdout + unkept.stderr, Path("run.npz").exists()) == (
        1,
        True,
        False,
    )
    hangs = goldbeat("objfifo", "exec", "insts.bin", *given)
    assert (hangs.code, "waits for lock 0 of core tile (0, 2) (0) to reach 1" in hangs.stdout) == (1, True)
    start = [line.partition(" ;")[0] for line in to_listing(decode_compiled(Path("insts.bin").read_bytes()))]
    place = next(n for n, line in enumerate(start) if line.startswith("wait"))
    opened = from_listing("\n".join([*start[:place], "write 0,2+1F000 2", *start[place:]]))
    Path("insts.bin").write_bytes(opened.encode())
    done = goldbeat("objfifo", "exec", "insts.bin", *given)
    assert done.code == 0, done.stdout + done.stderr
    checked = goldbeat("objfifo", "check", "insts.bin", *given[4:])
    assert (checked.code, "the design completes" in checked.stdout) == (0, True), checked.stdout
    assert case_of_design(Path("insts.bin"), given[5:], ()) == "executed"
    np.save("out.npy", data)
    assert goldbeat("objfifo", "exec", "insts.bin", *given).code == 1
    named = goldbeat("objfifo", "exec", "insts.bin", "--device", "npu1", *given[4:])
    assert (named.code, "--device and --sequence are for text" in " ".join(named.stderr.split())) == (2, True)


def test_a_wait_for_a_lock_and_what_is_not_executed(compiled: Path) -> None:
    start = [line.partition(" ;")[0] for line in to_listing(decode_compiled(Path("insts.bin").read_bytes()))]
    more = ("--", "--config", "main.cdo", "--core", "0,2=fn.py:add")
    # After the last transfer the ring's lock of free objects has its first value again.
    for value, code in ((2, 0), (3, 1)):
        text = "\n".join([*start, f"poll 0,2+1F000 {value} mask=FFFFFFFF"])
        Path("insts.bin").write_bytes(from_listing(text).encode())
        done = goldbeat("objfifo", "exec", "insts.bin", *more)
        assert done.code == code, done.stdout + done.stderr
    Path("insts.bin").write_bytes(from_listing("\n".join([*start, "pdi #1,2,3,4"])).encode())
    done = goldbeat("objfifo", "exec", "insts.bin", *more)
    assert (done.code, "operation pdi [1, 2, 3, 4]" in done.stderr) == (2, True)
