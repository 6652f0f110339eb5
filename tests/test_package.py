# SPDX-License-Identifier: Apache-2.0
"""What an installation brings along, and that a user's own folders called tb and hdl live beside it."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from cocotb_page import cocotb_failures, write_example

from goldbeat.tb.paths import REPOSITORY, build_root

PACKAGES = ("hdl", "pymodels", "tb")


def _copy(tree: Path) -> None:
    """The sources by themselves: setuptools leaves its own folders where it builds."""
    tree.mkdir()
    for package in (*PACKAGES, "src"):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info")
        shutil.copytree(REPOSITORY / package, tree / package, symlinks=True, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, tree)


def _pip(*words):
    command = [sys.executable, "-m", "pip", *map(str, words), "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run(command, check=True, capture_output=True, text=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    _copy(folder / "tree")
    _pip("wheel", "-w", folder, folder / "tree")
    (found,) = folder.glob("*.whl")
    return found


def test_a_wheel_holds_every_file_of_the_packages(wheel):
    there = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    kept = {
        f"goldbeat/{f.relative_to(REPOSITORY)}" for p in PACKAGES for f in (REPOSITORY / p).rglob("*") if f.is_file()
    }
    own = REPOSITORY / "src" / "goldbeat"
    kept |= {
        f"goldbeat/{f.relative_to(own)}" for where in (own, own / "cocotbext") for f in where.iterdir() if f.is_file()
    }
    assert there == {name for name in kept if "__pycache__" not in name}
    assert any(name.endswith(".sv") for name in there)


def test_a_wheel_puts_one_name_on_the_path(wheel):
    assert {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()} == {
        "goldbeat",
        "goldbeat-0.1.0.dist-info",
    }


_CHECK = """
import goldbeat, hdl, tb
assert tb.__file__ == {tb!r}, tb.__file__
assert goldbeat.__file__.startswith({home!r}), goldbeat.__file__
assert goldbeat.load("axis_skid").design.sources()
assert goldbeat.Trace and goldbeat.Stimulus and goldbeat.Outcome and goldbeat.Pattern and goldbeat.run
assert sorted(goldbeat.__all__) == sorted(goldbeat._HOMES)
assert all(getattr(goldbeat, name) for name in goldbeat.__all__)
"""


@pytest.fixture(scope="module", params=["wheel", pytest.param("editable", marks=pytest.mark.slow)])
def home(request, tmp_path_factory):
    """Goldbeat installed from a wheel and editable: the folder on Python's path that holds the package."""
    folder = tmp_path_factory.mktemp(request.param)
    site = folder / "site"
    if request.param == "wheel":
        _pip("install", "--target", site, request.getfixturevalue("wheel"))
        return site
    _copy(folder / "tree")
    _pip("install", "--target", site, "-e", folder / "tree")
    (link,) = site.glob("*.pth")
    home = folder / "tree" / "src"
    assert link.read_text().strip() == str(home)
    return home


@pytest.fixture
def project(tmp_path):
    """A user's project with folders named as ours."""
    for package in ("tb", "hdl", "tests"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    return tmp_path


def _run(project, home, *words):
    """Run Python in the project: it finds its own folders first, the installation behind them, and nothing of ours."""
    environment = dict(os.environ, PYTHONPATH=str(home), GOLDBEAT_BUILD=str(build_root()))
    environment.pop("PYTEST_CURRENT_TEST")
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_project_with_its_own_tb_and_hdl_works(home, project):
    code = _CHECK.format(tb=str(project / "tb" / "__init__.py"), home=str(home))
    (project / "tests" / "test_own.py").write_text(
        f"def test_own():\n    {code.strip().replace(chr(10), chr(10) + '    ')}\n"
    )
    for words in (("-c", code), ("-m", "pytest", "-q", "-p", "no:cacheprovider"), ("-m", "goldbeat", "list")):
        _run(project, home, *words)


_COCOTB = """
import cocotb
import hdl
import numpy as np

import goldbeat
import tb
from goldbeat import Trace
from goldbeat.tb.kernel import AxiStreamSink, AxiStreamSource, Kernel
from tb.reference import doubled


@cocotb.test()
async def doubles(dut):
    assert hdl.__file__ == {hdl!r}, hdl.__file__
    assert tb.__file__ == {tb!r}, tb.__file__
    assert __file__ == {own!r}, __file__
    assert goldbeat.__file__.startswith({home!r}), goldbeat.__file__
    dut.aresetn.value = 0
    kernel = Kernel(dut)
    clock = kernel.clock("aclk", 4000)
    source = AxiStreamSource(kernel, "s_axis", clock="aclk")
    sink = AxiStreamSink(kernel, "m_axis", clock="aclk")
    await clock.cycles(4)
    dut.aresetn.value = 1
    words = np.arange(8, dtype=np.uint32)
    source.send(Trace.from_samples(words, "uint32", 32, clock_ps=4000, frame=8))
    got = await sink.recv(frames=1)
    assert got.samples("uint32").tolist() == doubled(words).tolist()
"""
_RUN = """
from goldbeat.tb.build.runner import GoldbeatVerilator

runner = GoldbeatVerilator()
runner.build(sources=["hdl/doubler.sv"], hdl_toplevel="doubler")
runner.test(hdl_toplevel="doubler", test_module="tests.test_doubler")
"""


@pytest.mark.sim
def test_a_cocotb_run_of_a_project_with_its_own_tb_and_hdl_works(home, project):
    # The design of docs/cocotb.md: builds are kept by content, so the simulator is the one that the page's test builds.
    write_example(project / "hdl", "doubler.sv")
    (project / "tb" / "reference.py").write_text("def doubled(words):\n    return words * 2\n")
    own = project / "tests" / "test_doubler.py"
    packages = {name: str(project / name / "__init__.py") for name in ("hdl", "tb")}
    own.write_text(_COCOTB.format(**packages, own=str(own), home=str(home)))
    (project / "run.py").write_text(_RUN)
    output = _run(project, home, "run.py")
    results = project / "sim_build" / "results.xml"
    assert results.is_file(), output
    assert cocotb_failures(results) == {"doubles": False}, output
