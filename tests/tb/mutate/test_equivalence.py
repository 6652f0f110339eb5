# SPDX-License-Identifier: Apache-2.0
"""Mutants that Yosys proves to be equivalent: only those, and none where it cannot know."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from commands import goldbeat
from pass_through import pass_through

from goldbeat.tb.build.yosys import find_yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate.asserted import asserted_names
from goldbeat.tb.mutate.campaign import Fate, plan_cases
from goldbeat.tb.mutate.equivalence import EquivalenceProver, parameter_sets
from goldbeat.tb.mutate.journal import Journal
from goldbeat.tb.mutate.points import find_mutants, parse_sources
from goldbeat.tb.mutate.report import score

needs_yosys = pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra synth)")

RTL = """module pipe #(
  parameter int LIMIT = 9
) (
  input  logic       aclk, aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast, s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast, m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic [7:0] beats, checked;
  logic [3:0] step;
  assign s_axis_tready = aresetn && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge aclk) begin
    if (s_axis_tready) m_axis_tvalid <= s_axis_tvalid;
    if (s_axis_tready && s_axis_tvalid) beats <= beats + 8'd1;
    if (s_axis_tready && s_axis_tvalid) checked <= 8'd2;
    if (s_axis_tready) begin
      m_axis_tdata <= s_axis_tdata ^ {7'd0, step > LIMIT};
      m_axis_tlast <= s_axis_tlast;
    end
    step <= step == 4'd9 ? 4'd0 : step + 4'd1;
    if (!aresetn) begin
      m_axis_tvalid <= 1'b0;
      beats <= 8'd0;
      checked <= 8'd2;
      step <= 4'd0;
    end
  end
`ifndef SYNTHESIS
  always_ff @(posedge aclk) if (aresetn && checked > 8'd5) $error("too many");
`endif
endmodule
"""
BENCH = pass_through("pipe", "rtl.sv", last=True, more="parameters = { LIMIT = 9 }\n")


@pytest.fixture
def pipe(tmp_path, monkeypatch):
    """A pipe with a counter that nobody reads, and one that only an assertion reads."""
    monkeypatch.chdir(tmp_path)
    return _pipe(tmp_path, RTL)


def _pipe(folder: Path, rtl: str):
    (folder / "rtl.sv").write_text(rtl)
    (folder / "pipe.toml").write_text(BENCH)
    return find_design(str(folder / "pipe.toml"))


def mutant(design, line: str, change: str):
    """The mutant of a line whose change has this in it."""
    (path,) = design.sources()
    lines = path.read_text().splitlines()
    found = [
        m for m in find_mutants([path]) if line in lines[m.place.line - 1] and change in f"{m.operator}: {m.change}"
    ]
    assert found, f"{line}: {change}"
    return found[0]


def prover(design, folder, *params, **more):
    sets = [design.params(design.cases[0], dict(one)) for one in params or ({},)]
    tool, _ = find_yosys()
    return EquivalenceProver(tool, design, sets, folder, **more)


@needs_yosys
@pytest.mark.slow
def test_what_nobody_sees_is_proven_and_nothing_else(pipe, tmp_path):
    judge = prover(pipe, tmp_path)
    assert judge.proves(mutant(pipe, "beats <= beats + 8'd1", "beats + 8'd1 -> (beats) - (8'd1)")), "dead logic"
    assert judge.proves(mutant(pipe, "beats <= 8'd0", "reset: 8'd0")), "a dead reset value"
    for line, change in (
        ("m_axis_tlast <= s_axis_tlast", "dropped"),
        ("m_axis_tvalid <= 1'b0", "reset: 1'b0"),
        ("m_axis_tvalid <= 1'b0", "dropped"),
        ("step <= step ==", "step == 4'd9 -> (step) != (4'd9)"),
        # Only the assertion sees it.
        ("checked <= 8'd2;", "constant: 8'd2"),
    ):
        assert not judge.proves(mutant(pipe, line, change)), (line, change)


@needs_yosys
@pytest.mark.slow
def test_every_set_of_parameter_values_counts(tmp_path):
    # Four bits are never 16, and never below 0.
    pipe = _pipe(tmp_path, RTL.replace("step == 4'd9 ? 4'd0 : step + 4'd1", "4'(step > LIMIT)"))
    one = mutant(pipe, "step <= 4'(", "step > LIMIT -> (step) >= (LIMIT)")
    assert prover(pipe, tmp_path, {"LIMIT": 16}).proves(one)
    assert not prover(pipe, tmp_path, {"LIMIT": 16}, {"LIMIT": 0}).proves(one)


SIDE = "logic [3:0] side; always_ff @(posedge aclk{}) if (!aresetn) side <= 0; else side <= side + 1;"


@needs_yosys
@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (SIDE.format(""), True),
        (SIDE.format(" or negedge aresetn"), False),
        ("logic [3:0] side; always_latch if (aclk) side = {4{aresetn}};", False),
        ("logic [3:0] side; initial $readmemh(none, beats);", False),
    ],
    ids=["flip-flops", "asynchronous", "latch", "unreadable"],
)
def test_what_yosys_does_not_model_is_never_proven(tmp_path, more, expected):
    text = RTL.replace("assign s_axis_tready = aresetn", f"{more}\n  assign s_axis_tready = aresetn && side < 12")
    design = _pipe(tmp_path, text)
    assert prover(design, tmp_path).proves(mutant(design, "beats <= beats + 8'd1", "(beats) - (8'd1)")) == expected


@needs_yosys
@pytest.mark.slow
def test_a_proof_that_takes_too_long_is_none(tmp_path):
    # 140737488355213 is a prime: nothing ever sees `found`, but who would show it?
    more = "logic [23:0] one, other; logic found; assign found = 48'(one) * 48'(other) == 48'd140737488355213;"
    more += " always_ff @(posedge aclk) if (s_axis_tvalid) {one, other} <= {one[15:0], other, s_axis_tdata};"
    text = RTL.replace("logic [3:0] step;", f"logic [3:0] step;\n  {more}").replace("step > LIMIT", "found")
    design = _pipe(tmp_path, text)
    began = time.monotonic()
    assert not prover(design, tmp_path, limit_s=2).proves(mutant(design, "assign found", "stuck"))
    assert time.monotonic() - began < 120


@needs_yosys
@pytest.mark.sim
@pytest.mark.slow
def test_proven_mutants_are_no_survivors_and_do_not_count(pipe, tmp_path):
    dead = mutant(pipe, "beats <= beats + 8'd1", "(beats) - (8'd1)")
    wrong = mutant(pipe, "m_axis_tlast <= s_axis_tlast", "dropped")
    words = ["mutate", "pipe.toml", "--seeds", "1", "--json", "--goal", "0"]
    words += [w for m in (dead, wrong) for w in ("--mutant", str(m.number))]
    told = json.loads(goldbeat(*words, "--prove").stdout)
    fates = {f["mutant"]: f for f in told["fates"]}
    assert fates[dead.number]["status"] == "equivalent"
    assert fates[dead.number]["reason"] == "proven by Yosys"
    assert fates[wrong.number]["status"] == "killed"
    assert told["counts"]["equivalent"] == 1
    # What was proven stays so, and is not tried again.
    again = json.loads(goldbeat(*words, "--resume").stdout)
    assert again["fates"] == told["fates"]


def test_proven_mutants_do_not_count(pipe, tmp_path):
    mutants = find_mutants(pipe.sources())
    fates = [Fate(mutants[0], "killed", "time"), Fate(mutants[1], "equivalent", reason="proven by Yosys")]
    assert score(fates).share == 1.0
    journal = Journal(tmp_path, "a", resume=False)
    journal.add(Fate(mutants[1], "survived"))
    journal.add(fates[1])
    assert Journal(tmp_path, "a", resume=True).known(mutants) == {2: fates[1]}


def test_what_assertions_look_at_is_found(pipe):
    tree, _, _ = parse_sources(pipe.sources())
    assert asserted_names(tree.root) == {"aclk", "aresetn", "checked"}
    design = find_design("axis_skid")
    tree, _, _ = parse_sources(design.sources(), include_dirs=design.include_paths())
    assert {"main_valid_q", "skid_valid_q"} <= asserted_names(tree.root)
    sets = parameter_sets(plan_cases("axis_skid"), design)
    assert [one["DATA_W"] for one in sets] == [32, 8, 1024]
