# SPDX-License-Identifier: Apache-2.0
"""However cocotb's tests build their simulator, they get Goldbeat's."""

import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from cocotb_page import cocotb_failures, write_example

from goldbeat.tb.dropin import verilator
from goldbeat.tb.dropin.pytest_entry import pytest_begin_if_asked

HERE = Path(__file__).resolve().parent
RUNNER = """
from pathlib import Path
from cocotb_tools.runner import get_runner

def test_bench():
    here = Path(__file__).parent
    runner = get_runner("verilator")
    switches = ["--timescale", "1ns/1ps", "-Wno-fatal"]
    runner.build(sources=[here / "bench.sv"], hdl_toplevel="bench", build_args=switches, build_dir=here / "build")
    runner.test(hdl_toplevel="bench", test_module="inside_frames", build_dir=here / "build")
"""
MAKEFILE = """
TOPLEVEL_LANG = verilog
VERILOG_SOURCES = $(CURDIR)/bench.sv
COCOTB_TOPLEVEL = bench
COCOTB_TEST_MODULES = inside_frames
EXTRA_ARGS += --timescale 1ns/1ps -Wno-fatal
include $(shell cocotb-config --makefiles)/Makefile.sim
"""

pytestmark = pytest.mark.sim


def native_tests(folder: Path, *words: str, **more: str) -> int:
    """How many tests of the bench ran on native agents."""
    for name in ("bench.sv", "inside_frames.py"):
        shutil.copy(HERE / name, folder)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | more
    run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "TESTS=12 PASS=12 FAIL=0" in run.stdout, run.stdout[-4000:]
    return run.stdout.count("SEEN NativeSource")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "more"),
    [(("-p", "goldbeat.dropin"), {}), pytest.param((), {"GOLDBEAT_DROPIN": "1"}, marks=pytest.mark.slow)],
)
def test_the_runner(words, more, tmp_path):
    (tmp_path / "test_it.py").write_text(RUNNER)
    command = (sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", *words, "test_it.py")
    assert native_tests(tmp_path, *command, **more) == 12


@pytest.mark.parametrize(("value", "asked"), [(None, False), ("", False), ("0", False), ("1", True)])
def test_the_variable_asks_for_it(value, asked, monkeypatch):
    for name in ("PATH", "SIM", "GOLDBEAT_DROPIN_PYTHON", "GOLDBEAT_DROPIN_PATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setenv("GOLDBEAT_DROPIN", value or "")
    if value is None:
        monkeypatch.delenv("GOLDBEAT_DROPIN")
    before = os.environ["PATH"]
    pytest_begin_if_asked(object())
    assert (os.environ["PATH"] != before) == asked


CALL = "--cc --exe --vpi --prefix Vtop -Mdir obj verilator.cpp bench.sv"


@pytest.mark.parametrize(("version", "native"), [("2.1.0", True), ("2.0.1", False)])
def test_an_older_cocotb_gets_the_simulator_of_verilator(version, native, tmp_path, monkeypatch, capsys):
    """The words in a file are read, as edalize writes them."""
    (tmp_path / "words.vc").write_text("// edalize\n--top-module bench\n--timescale 1ns/1ps\n")
    built, plain = [], []
    monkeypatch.setattr(verilator, "version_of", lambda name: version)
    monkeypatch.setattr(verilator, "build_call", built.append)

    def leave(*call):
        plain.append(call[1])
        raise SystemExit

    monkeypatch.setattr(os, "execvpe", leave)
    monkeypatch.chdir(tmp_path)
    with suppress(SystemExit):
        verilator.program([*CALL.split(), "-f", "words.vc"])
    assert ([call.top for call in built] == ["bench"]) == native
    assert built or not native
    assert [words[1:] for words in plain] == ([] if native else [[*CALL.split(), "-f", "words.vc"]])
    assert ("older than 2.1: this simulator is Verilator's" in capsys.readouterr().out) != native


@pytest.mark.slow
def test_the_makefiles(tmp_path):
    (tmp_path / "Makefile").write_text(MAKEFILE)
    shell = f'eval "$({sys.executable} -m goldbeat.dropin)" && make'
    assert native_tests(tmp_path, "bash", "-c", shell) == 12


COCOTB_PLUGIN = """
import sys
from pathlib import Path
import pytest

@pytest.mark.cocotb_runner
def test_bench(hdl):
    hdl.sources, hdl.toplevel = (Path(__file__).parent / "bench.sv",), "bench"
    hdl.build()
    hdl.test()

async def test_inside(dut):
    assert "goldbeat.tb.dropin.inside" in sys.modules
"""


@pytest.mark.slow
def test_the_plugin_of_cocotb(tmp_path):
    shutil.copy(HERE / "bench.sv", tmp_path)
    (tmp_path / "test_it.py").write_text(COCOTB_PLUGIN)
    plugins = ("-p", "cocotb_tools._pytest.plugin", "-p", "goldbeat.dropin", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *plugins, "--cocotb-build-args=-Wno-fatal", "test_it.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    assert "test_inside PASSED" in run.stdout or "1 passed" in run.stdout


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["fusesoc", "edalize"])
def test_the_flows_of_the_page(tool, tmp_path):
    if find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed (pip install {tool})")
    write_example(tmp_path, "doubler.sv", "test_doubler.py", "doubler.core", "flow.py")
    fusesoc = "import sys; from fusesoc.main import main; sys.exit(main())"
    words = (
        ["-c", fusesoc, "--cores-root", ".", "run", "--target", "sim", "doubler"] if tool == "fusesoc" else ["flow.py"]
    )
    shell = f'eval "$({sys.executable} -m goldbeat.dropin)" && {shlex.join([sys.executable, *words])}'
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": paths}
    run = subprocess.run(
        ["bash", "-c", shell], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    (results,) = tmp_path.rglob("results.xml")
    assert cocotb_failures(results) == {"a_million_words": False, "beside_cocotb": False}, run.stdout + run.stderr
