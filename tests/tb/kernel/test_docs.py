# SPDX-License-Identifier: Apache-2.0
"""The example in docs/cocotb.md, as it stands there; and the runner behind it."""

import os
import re
import subprocess
import sys

import pytest
from cocotb_page import cocotb_failures, write_example

from goldbeat.tb.paths import REPOSITORY

FILES = ("doubler.sv", "test_doubler.py", "run.py")

pytestmark = pytest.mark.sim


@pytest.fixture
def example(tmp_path):
    write_example(tmp_path, *FILES)
    return tmp_path


def _run(folder, script="run.py", **environment):
    env = dict(os.environ, PYTHONPATH=str(REPOSITORY / "src"), **environment)
    env.pop("PYTEST_CURRENT_TEST")
    done = subprocess.run([sys.executable, script], cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_example_runs_as_printed(example):
    code, output = _run(example)
    assert code == 0, output
    cases = cocotb_failures(example / "sim_build" / "results.xml")
    assert set(cases) == {"a_million_words", "beside_cocotb"}
    assert not any(cases.values())
    beats = re.search(r"1000000 beats, the last one in cycle (\d+)", output)
    assert int(beats[1]) > 1_400_000


@pytest.mark.slow
def test_by_name_with_waves_and_a_prefix(example):
    (example / "waves.py").write_text(
        "from cocotb_tools.runner import get_runner\n"
        "from goldbeat.tb.build.runner import register\n"
        "register()\n"
        "runner = get_runner('goldbeat-verilator')\n"
        "runner.build(sources=['doubler.sv'], hdl_toplevel='doubler', waves=True)\n"
        "runner.test(hdl_toplevel='doubler', test_module='test_doubler', waves=True, testcase='beside_cocotb')\n"
        "print('WAVES', runner.built.waves)\n"
    )
    command = example / "command.txt"
    (example / "prefix.sh").write_text(f'echo "$@" > {command}\nexec "$@"\n')
    code, output = _run(example, "waves.py", SIM_CMD_PREFIX=f"sh {example}/prefix.sh")
    assert code == 0, output
    assert "+verilator+seed+" in command.read_text()
    kind = re.search(r"WAVES (\w+)", output)[1]
    assert (example / "sim_build" / f"dump.{kind}").stat().st_size > 1000


def test_a_failing_test_fails_the_run(example):
    path = example / "test_doubler.py"
    path.write_text(path.read_text().replace("words * 2", "words * 3"))
    _, output = _run(example)
    cases = cocotb_failures(example / "sim_build" / "results.xml")
    assert cases["a_million_words"], output
    assert not cases["beside_cocotb"], output


def test_sources_that_verilator_does_not_take(example):
    from goldbeat.pymodels.errors import UsageError
    from goldbeat.tb.build.runner import GoldbeatVerilator

    (example / "other.vhd").write_text("")
    with pytest.raises(UsageError, match=r"other\.vhd"):
        GoldbeatVerilator().build(
            sources=[example / "other.vhd"], hdl_toplevel="other", build_dir=example / "sim_build"
        )
