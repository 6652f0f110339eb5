# SPDX-License-Identifier: Apache-2.0
"""Recordings of RTL without a golden model: what changed is said, and "same" is never called "equal"."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.stimulus import Clock, MemoryContents, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.cli import app
from goldbeat.tb.inside.job import AccessResult, Record
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.blessed_file import BlessedFile, BlessedRun, read_blessed, write_blessed
from goldbeat.tb.run.blessing import EpisodeMark, mark_changes, mark_episode
from goldbeat.tb.run.signoff import LimitCheck, Subject, check_subject, limits_junit, load_limits

RTL = REPOSITORY / "tests" / "support" / "rtl"
CLOCK_PS = 4000


def beats(number=40, late=0, wrong=None):
    data = np.arange(number * 4, dtype=np.uint8).reshape(number, 4)
    if wrong is not None:
        data[wrong] ^= 0x80
    last = np.arange(number) % 8 == 7
    return Trace.from_bytes(data, last=last, cycle=np.arange(number) + late, clock_ps=CLOCK_PS)


STIMULUS = Stimulus({"s_axis": beats()}, clocks={"aclk": Clock(CLOCK_PS, CLOCK_PS)})


def episode(out, stimulus=STIMULUS, status=3, read=7, cycle=5, stored=0):
    memory = MemoryContents({"ram": np.full(16, stored, np.uint8)})
    outcome = Outcome({"s_axis": stimulus.inputs["s_axis"], "m_axis": out}, {"count": status}, {"m_axi": memory})
    record = Record(outcome, accesses={"s_axil": (AccessResult(read, error=False, cycle=cycle),)})
    return mark_episode(stimulus, record)


def changed(out=None, **other):
    return mark_changes(episode(beats()), episode(beats() if out is None else out, **other))


def test_what_is_the_same_has_not_changed():
    assert changed() == []


@pytest.mark.parametrize(
    ("out", "said"),
    [
        (beats(wrong=20), "port m_axis: data changed, first in beats 16 to 31"),
        (beats(wrong=1), "port m_axis: data changed, first in beats 0 to 15; beat 1 was 07060504, is 87868584"),
        (
            beats(late=2),
            "port m_axis: time changed, first in beats 0 to 15; beat 0 was in cycle 0, is in cycle 2; "
            "the last beat was in cycle 39, is in 41",
        ),
    ],
)
def test_the_port_the_kind_and_the_place_of_a_change_are_said(out, said):
    (text,) = changed(out)
    assert text.startswith(said)


def test_a_pause_in_the_middle_is_a_change_of_time_behind_it():
    cycle = np.arange(40) + (np.arange(40) >= 32)
    (text,) = changed(beats().with_cycles(cycle))
    assert text == (
        "port m_axis: time changed, first in beats 32 to 39; beat 32 was in cycle 32, is in 33; "
        "the last beat was in cycle 39, is in 40"
    )


def test_beats_that_are_missing_are_counted():
    texts = changed(beats(30))
    assert "40 beats were recorded, there are 30" in texts[0]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"status": 4}, "status count: was 3, is 4"),
        ({"read": 8}, "accesses of s_axil: data changed"),
        ({"cycle": 6}, "accesses of s_axil: time changed"),
        ({"stored": 1}, "memory m_axi: data changed"),
    ],
)
def test_what_is_no_stream_is_compared_too(other, said):
    assert changed(**other) == [said]


def test_another_stimulus_is_said_and_nothing_else():
    other = replace(STIMULUS, inputs={"s_axis": beats(wrong=3)})
    assert changed(stimulus=other) == ["the stimulus differs from the recorded one, so nothing can be compared"]


def test_bytes_that_are_not_kept_do_not_count():
    keep = np.ones((40, 4), np.bool_)
    keep[39, 3] = False
    one, other = replace(beats(), keep=keep), replace(beats(), keep=keep)
    other.data[39, 3] ^= 0xFF
    assert mark_changes(episode(one), episode(other)) == []


def recording(seed=0, **settings) -> BlessedRun:
    return BlessedRun(case="random", seed=seed, settings=settings, episodes=[episode(beats()), episode(beats(3))])


def test_a_file_gives_back_what_was_recorded(tmp_path):
    path = tmp_path / "d.blessed.json"
    content = BlessedFile(design="d").with_runs([recording(1), recording(0, W=8)])
    write_blessed(path, content)
    assert read_blessed(path, "d") == content
    assert read_blessed(path, "d").find(recording(0, W=8)) is not None
    assert read_blessed(path, "d").find(recording(0, W=9)) is None
    again = content.with_runs([recording(1).model_copy(update={"episodes": [EpisodeMark(stimulus="00", ports={})]})])
    assert [len(run.episodes) for run in again.runs] == [2, 1]


def test_a_damaged_file_and_one_of_another_design_are_refused(tmp_path):
    path = tmp_path / "d.blessed.json"
    write_blessed(path, BlessedFile(design="d").with_runs([recording()]))
    with pytest.raises(InputError, match="recordings of d, expected those of e"):
        read_blessed(path, "e")
    text = path.read_text()
    for damaged in (
        text[:-20],
        text.replace('"version": 1', '"version": 2'),
        text.replace('"beats": 40', '"beats": -1'),
    ):
        assert damaged != text
        path.write_text(damaged)
        with pytest.raises(InputError, match="expected a file that `goldbeat run --bless` has written"):
            read_blessed(path, "d")


def test_sign_off_takes_no_recording_for_a_model(tmp_path):
    path = tmp_path / "limits.toml"
    path.write_text("[port.m_axis]\nmax_gap_ns = 10\n")
    subject = Subject("d random", ["m_axis"], [], "recorded")
    verdict = check_subject(subject, load_limits(path))[0]
    assert (verdict.verdict, verdict.measured) == ("fail", "same as recorded")
    assert "not checked by a golden model; --allow-recorded" in verdict.reason
    allowed = check_subject(subject, load_limits(path), allow_recorded=True)[0]
    assert allowed == LimitCheck("run", "status", "same as recorded", "same as recorded", "", "pass")
    assert "measured same as recorded" in limits_junit(subject, [allowed])
    failed = check_subject(replace(subject, status="fail"), load_limits(path), allow_recorded=True)[0]
    assert failed.verdict == "fail"


# -- with a simulator -------------------------------------------------------------------------------------------------


ONE = ("--case", "random")


def goldbeat(*words):
    said = CliRunner().invoke(app, [str(word) for word in words])
    return said.exit_code, said.output


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A bench as ``goldbeat new`` leaves it, its model not written."""
    monkeypatch.setenv("GOLDBEAT_CACHE", str(Path("build").resolve()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    shutil.copy(RTL / "add_three.sv", tmp_path)
    code, said = goldbeat("new", "bench", "add_three.sv", "--top", "add_three")
    assert code == 0, said
    return tmp_path / "bench" / "add_three.toml"


def report(tmp_path, case="random"):
    return json.loads((tmp_path / "build" / "runs" / f"add_three-{case}" / "report.json").read_text())


@pytest.mark.slow
@pytest.mark.sim
def test_a_recording_is_made_kept_and_only_replaced_when_asked(bench, tmp_path):
    file = bench.with_suffix(".blessed.json")
    assert goldbeat("run", bench, *ONE)[0] == 1
    code, said = goldbeat("run", bench, *ONE, "--bless", "--seeds", 2)
    assert (code, "PARTIAL" in said) == (0, True)
    assert f"in {file}; commit it" in said
    before = file.read_bytes()
    code, said = goldbeat("run", bench, *ONE)
    assert code == 0, said
    assert "SAME AS RECORDED add_three random" in said
    assert "PASS" not in said
    assert "not checked by a golden model" in said
    assert (report(tmp_path)["status"], report(tmp_path)["recording"]["state"]) == ("recorded", "same")
    code, said = goldbeat("run", bench, *ONE, "--seed", 2)
    assert code == 3
    assert "has no recording of this case with seed 2" in said
    code, said = goldbeat("run", bench, *ONE, "--set", "ADD=4")
    assert code == 3
    assert "has no recording" in said
    source = tmp_path / "add_three.sv"
    source.write_text(source.read_text().replace("ADD);", "ADD + 1);"))
    code, said = goldbeat("run", bench, *ONE)
    assert code == 1
    assert "changed since it was recorded in add_three.blessed.json: port m: data changed" in said, said
    code, said = goldbeat("run", bench, *ONE, "--bless")
    assert code == 1
    assert "nothing was recorded because the run failed" in said
    assert "--rebless" in said
    assert file.read_bytes() == before
    code, said = goldbeat("run", bench, *ONE, "--rebless")
    assert (code, "recorded again" in said, "port m: data changed" in said) == (0, True, True), said
    assert goldbeat("run", bench, *ONE)[0] == 0
    assert goldbeat("run", bench, *ONE, "--seed", 1)[0] == 1


@pytest.mark.sim
def test_a_recorded_run_is_signed_off_only_when_that_is_said(bench, tmp_path):
    assert goldbeat("run", bench, *ONE, "--bless")[0] == 0
    code, said = goldbeat("run", bench, *ONE, "--json")
    assert code == 0
    assert json.loads(said)["recording"]["meaning"].startswith("same as recorded; not checked")
    (tmp_path / "limits.toml").write_text('[latency."s->m"]\nmax_ns = 10000\n')
    words = ("signoff", tmp_path / "build" / "runs" / "add_three-random", "--limits", tmp_path / "limits.toml")
    code, said = goldbeat(*words)
    assert code == 1
    assert "not checked by a golden model" in said
    code, said = goldbeat(*words, "--allow-recorded", "--junit", tmp_path / "out.xml")
    assert code == 0
    assert "not checked by a golden model" in said
    assert "same as recorded" in (tmp_path / "out.xml").read_text()


@pytest.mark.sim
def test_a_run_that_breaks_a_rule_is_not_recorded(bench, tmp_path):
    source = tmp_path / "add_three.sv"
    source.write_text(source.read_text().replace("if (rst)", "if (rst || (m_tvalid && !m_tready))"))
    code, said = goldbeat("run", bench, "--bless", "--case", "sweep")
    assert code == 1
    assert "nothing was recorded" in said
    assert not bench.with_suffix(".blessed.json").exists()


@pytest.mark.sim
def test_a_design_with_a_model_cannot_be_blessed(bench):
    code, said = goldbeat("run", "axis_skid", "--bless")
    assert code == 2
    assert "has a golden model; --bless is for descriptions" in said
