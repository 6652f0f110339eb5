# SPDX-License-Identifier: Apache-2.0
"""Failures become small and stay the same failures; what is found can be run again, as a file and as a case."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import goldbeat
from pass_through import pass_through

from goldbeat.pymodels.axi.burst import READ, WRITE, Bursts
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.stimulus_file import read_stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.failure_kind import FailureKind, failing_episode, failure_kind
from goldbeat.tb.shrink import pieces
from goldbeat.tb.shrink.pieces import EpisodePiece, beats_of, first_part, frames, steps, thinned
from goldbeat.tb.shrink.plainer import plainer_ways, zeroed

RTL = """module broken (
  input  logic        aclk, aresetn,
  input  logic [15:0] s_axis_tdata,
  input  logic        s_axis_tlast, s_axis_tvalid,
  output logic        s_axis_tready,
  output logic [15:0] m_axis_tdata,
  output logic        m_axis_tlast, m_axis_tvalid,
  input  logic        m_axis_tready
);
  logic [2:0] beat;
  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge aclk) begin
    if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready && s_axis_tvalid) beat <= s_axis_tlast ? 0 : beat + 3'(beat != 7);
    if (!aresetn) begin m_axis_tvalid <= 0; beat <= 0; end
    if (s_axis_tready) begin
      // The fifth beat of a frame and those behind it lose bit 3.
      m_axis_tdata <= s_axis_tdata & (beat < 4 ? 16'hFFFF : 16'hFFF7);
      m_axis_tlast <= s_axis_tlast;
    end
  end
endmodule
"""
BENCH = pass_through("broken", "broken.sv", width=16, last=True)


def trace(*frames_of: int, gap: int = 2) -> Trace:
    beats = sum(frames_of)
    last = np.zeros(beats, np.bool_)
    last[np.cumsum(frames_of) - 1] = True
    data = np.arange(2 * beats, dtype=np.uint8).reshape(beats, 2)
    return Trace.from_bytes(data, clock_ps=4000, last=last, cycle=np.arange(beats) * (gap + 1) + gap)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with the broken module and its bench, and a run of it that has failed."""
    monkeypatch.chdir(tmp_path)
    Path("broken.sv").write_text(RTL)
    Path("broken.toml").write_text(BENCH)
    goldbeat("run", "broken.toml", "--case", "random", "--seed", "3", "--name", "whole", code=1)
    return tmp_path


SHRINK = ("shrink", "build/runs/whole", "--no-waves", "--json")


@pytest.mark.slow
@pytest.mark.sim
def test_a_failure_shrinks_to_what_it_needs_and_can_be_run_again(project):
    told = json.loads(goldbeat(*SHRINK).stdout)
    assert told["kind"] == "data, port m_axis"
    assert told["beats"] == [told["beats"][0], 5], "four beats of a frame before the one that is wrong"
    assert told["status"] == "fail"
    kept = read_stimulus(told["stimulus"])
    sent = kept.episodes[0].inputs["s_axis"]
    assert not sent.data[:4].any()
    assert sent.data[4, 0] & 8
    assert sent.last.tolist() == [False, False, False, False, True]
    # Nothing that is there is overwritten.
    assert "--force" in goldbeat(*SHRINK, code=2).stderr
    # By its command, and, the RTL mended, as a case of the description.
    assert f"--stimulus {told['stimulus']}" in told["command"]
    assert (
        "data differs" in goldbeat("run", "broken.toml", "--stimulus", told["stimulus"], "--name", "b", code=1).stdout
    )
    Path("broken.toml").write_text(f'{BENCH}\n[[cases]]\nname = "bit_3"\nmake = "stimulus:{told["stimulus"]}"\n')
    Path("broken.sv").write_text(RTL.replace("16'hFFF7", "16'hFFFF"))
    assert "PASS broken bit_3: 1 episode(s), 5 output" in goldbeat("run", "broken.toml", "--case", "bit_3").stdout
    # A file of another design is refused by name.
    Path("other.toml").write_text(Path("broken.toml").read_text().replace('"broken"', '"other"', 1))
    refused = goldbeat("run", "other.toml", "--case", "bit_3", code=2).stderr
    assert "the stimulus is for the design broken, not for other" in " ".join(refused.split())


@pytest.mark.sim
@pytest.mark.slow
def test_the_same_call_gives_the_same_and_waves_are_of_that_alone(project):
    told = json.loads(goldbeat(*SHRINK).stdout)
    again = json.loads(goldbeat("shrink", "broken.toml", "--case", "random", "--seed", "3", "--force", "--json").stdout)
    alike = ("kind", "beats", "episodes", "trials", "stimulus", "failure")
    assert [again[key] for key in alike] == [told[key] for key in alike]
    assert list(Path("build/shrink/broken-random-seed3/sim").glob("waves.*"))
    assert "there is nothing to shrink" in " ".join(goldbeat("shrink", "axis_skid", code=2).stderr.split())


def test_what_fails_alike():
    kind = failure_kind("episode 3 (worst): port m_axis, beat 4: data differs: expected 0x01, got 0x00")
    assert kind == FailureKind("data", "port m_axis")
    assert failing_episode("episode 3 (worst): port m_axis, beat 4: data differs") == 3
    assert failing_episode("port m_axis, beat 4: data differs") is None
    assert failure_kind("port m_axis, beat 4: cycle differs: expected 4, got 5").kind == "time"
    assert failure_kind("axis_valid_held: m_axis, cycle 3: ...") == FailureKind("protocol", "axis_valid_held: m_axis")
    assert failure_kind("rtl_assertion: top.u.has_room, cycle 4 of aclk: x").kind == "assertion"
    assert failure_kind("s_axil: access 3 (read 0x004): expected 0x1, got 0x0") == FailureKind("data", "s_axil")
    assert failure_kind("the simulator was still running after 30 s in episode 0 of 1").kind == "hang"


def test_frames_go_as_a_whole_and_beats_leave_an_end_behind():
    stimulus = Stimulus({"s": trace(2, 3, 1)})
    assert [p.items for p in frames(stimulus)] == [(0, 1), (2, 3, 4), (5,)]
    rest = thinned(stimulus, frames(stimulus)[:1]).inputs["s"]
    assert rest.last.tolist() == [False, False, True, True]
    assert rest.gaps.tolist() == [2, 2, 2, 2]
    rest = thinned(stimulus, [EpisodePiece(pieces.BEATS, "s", (4,))]).inputs["s"]
    assert rest.last.tolist() == [False, True, False, True, True]
    assert len(thinned(stimulus, frames(stimulus)).inputs["s"]) == 0
    begin = first_part(stimulus, (1, 2)).inputs["s"]
    assert (len(begin), begin.last.tolist()) == (3, [False, True, True])
    assert [p.items for p in frames(Stimulus({"s": trace(3)}))] == [(0,), (1,), (2,)]


def test_reads_that_know_their_value_keep_their_writes():
    program = (
        Access("write", 0, 1),
        Access("write", 8, 2),
        Access("read", 0, 1),
        Access("read", 16),
        Access("wait", cycles=3),
    )
    groups = [p.items for p in steps(Stimulus({}, program={"r": program}))]
    assert groups == [(0, 2), (1,), (2,), (3,), (4,)]
    bursts = Bursts(kind=[WRITE, READ, WRITE, READ], address=[0, 2, 64, 128], len=0, size=2, lock=[0, 0, 1, 0])
    data = np.arange(16, dtype=np.uint8).reshape(4, 4)
    burst_program = BurstProgram(bursts, data, data > 0, data > 0, np.arange(4))
    stimulus = Stimulus({}, bursts={"s_axi": burst_program})
    groups = [p.items for p in steps(stimulus)]
    assert groups == [(1,), (3,), (0, 1)], "the exclusive write stays"
    rest = thinned(stimulus, [EpisodePiece(pieces.BURSTS, "s_axi", (0, 1))]).bursts["s_axi"]
    assert rest.bursts.address.tolist() == [64, 128]
    assert rest.data.tolist() == data[2:].tolist()
    assert rest.response.tolist() == [2, 3]


def test_plainer_is_one_thing_at_a_time():
    stimulus = Stimulus({"s": trace(2, 2)})
    made = [change(stimulus) for change in plainer_ways(stimulus)]
    assert [one.inputs["s"].gaps.any() for one in made].count(False) == 1
    assert any(not one.inputs["s"].data.any() for one in made)
    assert zeroed(stimulus, "s", {1}).inputs["s"].data.tolist() == [[0, 1], [0, 0], [4, 5], [6, 7]]
    plain = Stimulus({"s": Trace.from_bytes(np.zeros((1, 2), np.uint8), clock_ps=4000)})
    assert [change(plain).inputs["s"].data.tolist() for change in plainer_ways(plain)] == [[[1, 0]]]


def test_bad_requests_are_refused(tmp_path):
    assert "no report.json" in goldbeat("shrink", tmp_path, code=2).stderr
    (tmp_path / "report.json").write_text("{}")
    assert "missing report of a run" in goldbeat("shrink", tmp_path, code=2).stderr
    assert "expected one seed" in goldbeat("shrink", "axis_skid", "--seeds", "3", code=2).stderr
    assert beats_of([Stimulus({"s": trace(2)}, program={"r": (Access("read"),)})]) == 3
