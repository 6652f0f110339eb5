# SPDX-License-Identifier: Apache-2.0
"""``--x-check``: RTL that depends on initial values passes its model by luck, and is found by running it twice."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.stimulus import MemoryContents, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.initial_values import first_difference
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).parent / "initial_rtl" / "lucky.sv"


def checked(path, *, reset, case="random", x_check=True):
    design = load_description(path)
    params = {"RESET": int(reset)}
    (result,) = run(Request(design, design.case(case), params=params, x_check=x_check))
    return result.failures


@pytest.mark.sim
def test_a_register_without_reset_is_found(tmp_path):
    said = CliRunner().invoke(app, ["new", str(tmp_path), str(RTL), "--model", "identity"], catch_exceptions=False)
    assert said.exit_code == 0, said.output
    path = tmp_path / "lucky.toml"
    # The model compares data and order: it sees nothing wrong.
    assert checked(path, reset=False, x_check=False) == ()
    (text,) = checked(path, reset=False)
    assert text.startswith(
        "x_check: with other initial values of registers and memories, s_axis differs: beat 0 in cycle "
    )
    assert checked(path, reset=True) == ()
    assert checked(path, reset=True, case="reset") == ()


@pytest.mark.sim
def test_the_command_fails_and_is_repeated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    runner.invoke(app, ["new", "bench", str(RTL), "--model", "identity"], catch_exceptions=False)
    words = ["run", "bench/lucky.toml", "--set", "RESET=0", "--x-check", "--json", "--name", "x-check-test", "--force"]
    said = runner.invoke(app, words, catch_exceptions=False)
    assert said.exit_code == 1
    report = json.loads(said.stdout)
    assert report["status"] == "fail"
    assert "x_check: with other initial values" in said.stdout
    assert "--x-check" in said.stdout
    ((found,),) = [report["x_check"]]
    assert (found["episode"], found["registers"], found["count"]) == (0, [], 0)


@pytest.mark.slow
@pytest.mark.sim
def test_waves_tell_the_register(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    runner.invoke(app, ["new", "bench", str(RTL), "--model", "identity"], catch_exceptions=False)
    # Of a later episode as well, and beside a data register without reset that differs without harm.
    words = ["run", "bench/lucky.toml", "--set", "RESET=0", "--case", "sweep", "--x-check", "--waves", "--json"]
    said = runner.invoke(app, [*words, "--name", "x-waves", "--force"], catch_exceptions=False)
    assert said.exit_code == 1
    report = json.loads(said.stdout)
    first, *others = report["x_check"]
    likeliest, *more = [one["name"] for one in first["registers"]]
    assert likeliest == "lucky.away"
    assert "lucky.m_axis_tdata" in more
    assert first["count"] == len(more) + 1
    assert "; first register that differs: lucky.away, 0x" in first["text"]
    assert first["text"] in report["failures"]
    assert not any(one["registers"] for one in others)
    sound = [*words[:2], "--x-check", "--waves", "--json", "--name", "x-sound", "--force"]
    assert json.loads(runner.invoke(app, sound, catch_exceptions=False).stdout)["x_check"] == []


def record(**parts):
    trace = Trace.from_bytes(np.arange(8, dtype=np.uint8).reshape(4, 2), cycle=np.arange(4) + 3, clock_ps=4000)
    outcome = Outcome({"m_axis": trace}, {"count": 3}, {"m_axi": MemoryContents({"all": np.zeros(4, np.uint8)})})
    return Record(replace(outcome, **parts))


def test_the_first_difference_is_told():
    one = record()
    trace = one.outcome.ports["m_axis"]
    assert first_difference(Stimulus({}), one, record()) is None
    late = replace(trace, cycle=trace.cycle + np.array([0, 0, 1, 1]))
    found = first_difference(Stimulus({}), one, record(ports={"m_axis": late}))
    assert "m_axis differs: beat 2 in cycle 5: cycle 5 and 6" in found.text
    assert found.seen_ps == 5 * 4000
    short = record(ports={"m_axis": trace[:3]})
    assert "beat 3 in cycle 6 comes in one run alone" in first_difference(Stimulus({}), one, short).text
    other = replace(trace, data=trace.data ^ np.uint8([[0, 0], [0, 1], [0, 0], [0, 0]]))
    both = record(ports={"m_axis": other}, status={"count": 4})
    text = first_difference(Stimulus({}), one, both).text
    assert "beat 1 in cycle 4: data 0x0302 and 0x0202; 2 ports and values differ in all" in text
    # Bytes that do not count may hold anything.
    kept = replace(trace, keep=np.array([[1, 1], [1, 0], [1, 1], [1, 1]], np.bool_))
    assert (
        first_difference(
            Stimulus({}), record(ports={"m_axis": kept}), record(ports={"m_axis": replace(kept, data=other.data)})
        )
        is None
    )
    changed = record(memories={"m_axi": MemoryContents({"all": np.uint8([0, 7, 0, 0])})})
    found = first_difference(Stimulus({}), one, changed)
    assert "memory m_axi, region all differs in 1 bytes, the first at offset 0x1: 0x00 and 0x07" in found.text
    assert found.seen_ps == 0
