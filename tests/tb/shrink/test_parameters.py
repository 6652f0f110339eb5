# SPDX-License-Identifier: Apache-2.0
"""Failures become small in their parameters too, where the description and the RTL allow it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import goldbeat

from goldbeat.pymodels.axi.burst import READ, Bursts
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.stimulus_file import read_stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.run.runs import Request
from goldbeat.tb.shrink.parameter_search import ParameterSearch
from goldbeat.tb.shrink.parameter_sets import fitted_stimulus, smaller_sets
from goldbeat.tb.shrink.search import Shrinker
from goldbeat.tb.shrink.trials import Trials

RTL = """module broken #(
  parameter int W = 64,
  parameter int GOOD = 5
) (
  input  logic         aclk, aresetn,
  input  logic [W-1:0] s_axis_tdata,
  input  logic         s_axis_tlast, s_axis_tvalid,
  output logic         s_axis_tready,
  output logic [W-1:0] m_axis_tdata,
  output logic         m_axis_tlast, m_axis_tvalid,
  input  logic         m_axis_tready
);
  if (W < 16 || W % 8 != 0 || GOOD < 1) begin : gen_bad $error("bad parameters"); end
  logic [7:0] beat;
  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge aclk) begin
    if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready && s_axis_tvalid) beat <= s_axis_tlast ? 0 : beat + 8'(beat != 255);
    if (!aresetn) begin m_axis_tvalid <= 0; beat <= 0; end
    if (s_axis_tready) begin
      // Beats of a frame behind the first GOOD ones lose bit 9.
      m_axis_tdata <= s_axis_tdata & ~(beat < GOOD ? W'(0) : W'(512));
      m_axis_tlast <= s_axis_tlast;
    end
  end
endmodule
"""
_PORT = """[[streams]]
name = "{name}"
direction = "{way}"
clock = "aclk"
width = "W"
signals = {{ tdata = "{name}_tdata", tlast = "{name}_tlast", tvalid = "{name}_tvalid", tready = "{name}_tready" }}
"""
BENCH = f"""name = "broken"
top = "broken"
files = ["broken.sv"]
model = "identity"
compare_time = false
variants = [{{ GOOD = 8 }}, {{ W = 32, GOOD = 4 }}]
[parameters]
W = 64
GOOD = 5
[[clocks]]
name = "aclk"
reset = "aresetn"
{_PORT.format(name="s_axis", way="in")}{_PORT.format(name="m_axis", way="out")}[traffic]
frame = [1, 12]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a broken module that has parameters, and its bench."""
    monkeypatch.chdir(tmp_path)
    Path("broken.sv").write_text(RTL)
    Path("broken.toml").write_text(BENCH)
    return find_design("broken.toml")


SHRINK = ("shrink", "broken.toml", "--case", "random", "--no-waves", "--json")


@pytest.mark.sim
@pytest.mark.slow
def test_parameters_shrink_as_far_as_the_rtl_takes_them_and_the_result_runs_again(project):
    plain = json.loads(goldbeat(*SHRINK, "--out", "plain").stdout)
    assert (plain["parameters"], plain["builds"], plain["beats"][1]) == ({}, 0, 6)
    told = json.loads(goldbeat(*SHRINK, "--out", "small", "--parameters").stdout)
    # W = 8 does not elaborate, GOOD = 0 is never tried.
    assert told["parameters"] == {"W": [64, 16], "GOOD": [5, 1]}
    assert told["kind"] == plain["kind"] == "data, port m_axis"
    assert told["beats"] == [plain["beats"][0], 2]
    assert told["trials"] > plain["trials"]
    kept = read_stimulus(told["stimulus"])
    assert kept.params == {"W": 16, "GOOD": 1}
    assert kept.episodes[0].inputs["s_axis"].data.shape == (2, 2)
    assert "--set W=16 --set GOOD=1" in told["command"]
    words = ("run", "broken.toml", "--stimulus", told["stimulus"])
    assert "data differs" in goldbeat(*words, "--name", "b", code=1).stdout
    Path("broken.sv").write_text(RTL.replace("W'(512)", "W'(0)"))
    assert "PASS" in goldbeat(*words, "--name", "c").stdout


@pytest.mark.sim
@pytest.mark.slow
def test_builds_are_counted(project, tmp_path):
    trials = Trials(Request(project, project.case("random")), tmp_path)
    original = trials.original()
    assert original.kind is not None
    best = Shrinker(trials, original.kind).shrink(original)
    none = ParameterSearch(trials, original.kind, 0)
    assert none.shrink(best) is best
    one = ParameterSearch(trials, original.kind, 1)
    found = one.shrink(best)
    assert (one.builds, one.trials.request.params) == (1, {"W": 32, "GOOD": 4})
    assert found.kind == original.kind
    # What is repaired on smaller parameters stays on those of now.
    Path("broken.sv").write_text(RTL.replace("W'(512)", "W'(W == 64 ? 512 : 0)"))
    mended = ParameterSearch(trials, original.kind, 2)
    assert mended.shrink(best).episodes == best.episodes
    assert (mended.builds, mended.trials.request.params) == (2, {})


def test_sets_of_values_get_smaller_and_never_greater(project):
    found = list(smaller_sets(project, {"W": 64, "GOOD": 5}))
    assert found == [{"W": 32, "GOOD": 4}, {"W": 32, "GOOD": 5}, {"W": 64, "GOOD": 2}, {"W": 64, "GOOD": 4}]
    assert list(smaller_sets(project, {"W": 1, "GOOD": 1})) == []
    flagged = find_design("zynqnet_pe")
    values = flagged.params(flagged.cases[0], {"INT8": 1})
    assert {**values, "INT8": 0} in list(smaller_sets(flagged, values)), "a zero that the description names"


def test_beats_become_narrower_never_wider(project):
    data = np.arange(24, dtype=np.uint8).reshape(3, 8)
    trace = Trace.from_bytes(data, clock_ps=4000, last=np.array([False, False, True]))
    stimulus = Stimulus({"s_axis": trace, "s1_axis": trace}, ready={"m_axis": Pattern(), "m1_axis": Pattern()})
    made = fitted_stimulus(project, {"W": 16, "GOOD": 5}, stimulus)
    assert made is not None
    assert made.inputs["s_axis"].data.tolist() == [[0, 1], [8, 9], [16, 17]]
    assert made.inputs["s_axis"].last.tolist() == [False, False, True]
    assert list(made.inputs) == ["s_axis"], "a port that is no more"
    assert list(made.ready) == ["m_axis"]
    assert fitted_stimulus(project, {"W": 128, "GOOD": 5}, stimulus) is None
    bursts = BurstProgram(Bursts(kind=[READ], address=[0], len=0, size=2), *np.zeros((3, 1, 4), np.uint8), np.zeros(1))
    assert fitted_stimulus(project, {"W": 16, "GOOD": 5}, replace(stimulus, bursts={"s_axi": bursts})) is None


def test_sidebands_keep_the_bits_that_are_left():
    design = find_design("axis_fifo")
    values = design.params(design.cases[0], {"ID_W": 2})
    tid = np.array([5, 14], np.uint64)
    zeros = np.zeros(2, np.uint64)
    trace = Trace.from_bytes(np.zeros((2, 4), np.uint8), clock_ps=4000, tid=tid, tdest=zeros, tuser=zeros)
    made = fitted_stimulus(design, values, Stimulus({"s_axis": trace}))
    assert made is not None
    assert made.inputs["s_axis"].tid.tolist() == [1, 2]
