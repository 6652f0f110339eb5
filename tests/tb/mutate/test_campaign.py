# SPDX-License-Identifier: Apache-2.0
"""Campaigns: fates, scores, pages, waivers, going on after a stop, and the same verdicts as a build for each mutant."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from commands import goldbeat
from one_mutant import verdict_alone

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.mutate import kept
from goldbeat.tb.mutate.campaign import Campaign, Fate, plan_cases
from goldbeat.tb.mutate.journal import Journal
from goldbeat.tb.mutate.kept import ChoosingSimulator
from goldbeat.tb.mutate.mutant import OPERATORS, Mutant
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.report import score
from goldbeat.tb.mutate.waivers import MutantWaiver, match


def skid():
    design = find_design("axis_skid")
    return design, find_mutants(design.sources(), include_dirs=design.include_paths())


@pytest.mark.sim
def test_mutants_are_killed_survive_or_are_not_reached(tmp_path, monkeypatch):
    """One file of waivers, one mutant that a case cannot see, one that it sees."""
    _, mutants = skid()
    reset = next(m for m in mutants if m.operator == "dropped" and "s_ready_q <= 1'b0" in m.change)
    wrong = next(m for m in mutants if m.operator == "stuck")
    waivers = tmp_path / "mutants.toml"
    waivers.write_text(
        '[[waive]]\nfile = "skid_buffer.sv"\nline = "s_ready_q <= 1\'b0;"\nchange = "dropped"\nreason = "ready in reset is free"\n'
        '[[waive]]\nfile = "skid_buffer.sv"\nline = "no such line"\nreason = "it was removed"\n'
    )
    monkeypatch.chdir(tmp_path.parent)
    words = ["mutate", "axis_skid", "--out", tmp_path.name, "--case", "random", "--seeds", "1", "--json"]
    words += ["--mutant", str(reset.number), "--mutant", str(wrong.number)]
    told = json.loads(goldbeat(*words, "--waive", waivers).stdout)
    assert told["counts"] == {"survived": 0, "not reached": 0, "killed": 1, "equivalent": 0, "waived": 1}
    assert [w["reason"] for w in told["stale_waivers"]] == ["it was removed"]
    assert told["score"] == 1.0
    kept = json.loads((tmp_path / "mutants.json").read_text())
    assert kept == told
    page = (tmp_path / "index.html").read_text()
    assert "ready in reset is free" in page
    assert "This waiver matches no mutant" in page
    # Without the waiver the score is too low.
    told = json.loads(goldbeat(*words, code=1).stdout)
    assert told["counts"]["killed"] == 1
    assert told["score"] == 0.5


def test_what_is_known_is_not_run_again(tmp_path):
    _, mutants = skid()
    journal = Journal(tmp_path, "a", resume=False)
    journal.add(Fate(mutants[0], "killed", "data", "axis_skid/random#0", "beat 1\nand more"))
    with (tmp_path / "fates.jsonl").open("a") as file:
        file.write('{"mutant": 2, "sta')
    known = Journal(tmp_path, "a", resume=True).known(mutants)
    assert known == {1: Fate(mutants[0], "killed", "data", "axis_skid/random#0", "beat 1")}
    with pytest.raises(UsageError, match="have changed since"):
        Journal(tmp_path, "b", resume=True)
    with pytest.raises(UsageError, match="no campaign to resume"):
        Journal(tmp_path / "none", "a", resume=True)


def test_scores_leave_out_what_is_waived():
    _, mutants = skid()
    fates = [Fate(mutants[0], "killed", "time"), Fate(mutants[1], "survived"), Fate(mutants[2], "waived")]
    assert score(fates).share == 0.5
    assert score(fates[2:]).share is None


def test_a_waiver_may_name_the_change():
    _, mutants = skid()
    mutant = next(m for m in mutants if m.operator == "stuck")
    line = mutant.place.file.read_text().splitlines()[mutant.place.line - 1].strip()
    fits = MutantWaiver(file=mutant.place.file.name, line=line, change="stuck", reason="x")
    other = fits.model_copy(update={"change": "arithmetic"})
    reasons, stale = match([fits, other], mutants)
    assert mutant.number in reasons
    assert stale == (other,)


def test_bad_requests_are_refused():
    for words, message in (
        (("axis_skid", "--files", "none_*.sv"), "--files none_*.sv: matches none of"),
        (("axis_skid", "--mutant", "9999"), "--mutant 9999: expected a number from 1 to"),
        (("axis_skid", "--case", "none"), "matches no case"),
    ):
        assert message in goldbeat("mutate", *words, code=2).stderr


SAMPLES = (
    *(("axis_skid", 39), ("axis_fifo", 15), ("axis_async_fifo", 15), ("axis_upsizer", 10)),
    *(("plio_pkt_split", 12), ("zynqnet_icache", 10)),
)
"""A hundred mutants of several designs."""


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), SAMPLES)
def test_verdicts_are_those_of_a_build_for_each_mutant(tmp_path, name: str, count: int):
    """Both ways on mutants of a design: the RTL with the one change written into it."""
    design = find_design(name)
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths())
    chosen = random.Random(1).sample(mutants, min(count, len(mutants)))
    items = plan_cases(name, ["random", "sweep"], 1)
    with Campaign(items, chosen, tmp_path / "all") as campaign:
        campaign.check_original()
        fates = {f.mutant.number: f.status for f in campaign.fates(chosen, 1)}
    for mutant in chosen:
        assert verdict_alone(design, mutant, items, tmp_path / "alone") == fates[mutant.number], mutant


@pytest.mark.sim
@pytest.mark.slow
def test_a_mutant_of_every_operator_is_killed(tmp_path):
    design = find_design("plio_fir")
    found = find_mutants(design.sources(), include_dirs=design.include_paths())
    by_operator: dict[str, list[Mutant]] = {}
    for mutant in found:
        by_operator.setdefault(mutant.operator, []).append(mutant)
    assert sorted(by_operator) == sorted(OPERATORS)
    # Some of each: one may be another way to say the same.
    chosen = [mutant for mutants in by_operator.values() for mutant in mutants[:: max(1, len(mutants) // 4)][:4]]
    with Campaign(plan_cases("plio_fir", ["random", "registers", "rounding"], 1), chosen, tmp_path / "all") as campaign:
        campaign.check_original()
        killed = {fate.mutant.operator for fate in campaign.fates(chosen, 2) if fate.status == "killed"}
    assert killed == set(OPERATORS)


@pytest.mark.sim
def test_a_process_that_a_mutant_has_spoilt_is_replaced(tmp_path, monkeypatch):
    """The clean episode behind each mutant fails here, as if something were left behind: no verdict changes."""
    _, mutants = skid()
    some = mutants[::6]
    with Campaign(plan_cases("axis_skid", ["random"], 1), mutants, tmp_path / "one") as campaign:
        campaign.check_original()
        before = {f.mutant.number: f.status for f in campaign.fates(some, 1)}
        assert campaign.replaced == 0
    real = ChoosingSimulator.choose

    def spoil(process: ChoosingSimulator, number: int) -> None:
        real(process, number or mutants[0].number)

    with Campaign(plan_cases("axis_skid", ["random"], 1), mutants, tmp_path / "two") as campaign:
        campaign.check_original()
        monkeypatch.setattr(ChoosingSimulator, "choose", spoil)
        after = {f.mutant.number: f.status for f in campaign.fates(some, 1)}
        assert campaign.replaced == len(some)
    assert before == after


ENDLESS = """
module endless (
  input  logic aclk, aresetn, input logic [31:0] s_axis_tdata, input logic s_axis_tlast, s_axis_tvalid,
  output logic s_axis_tready, output logic [31:0] m_axis_tdata, output logic m_axis_tlast, m_axis_tvalid,
  input  logic m_axis_tready
);
  logic [1:0] turned;
  assign turned[0] = s_axis_tdata[0];
  assign turned[1] = !turned[0];
  function automatic logic [31:0] ones(input logic [31:0] data);
    ones = '0;
    while (data != 0) begin
      ones = ones + 32'd1;
      data = data & (data - 1);
    end
  endfunction
  assign m_axis_tdata = s_axis_tdata ^ {31'b0, turned[1] == turned[0]} ^ {31'b0, ones(s_axis_tdata) > 32};
  assign {m_axis_tlast, m_axis_tvalid, s_axis_tready} = {s_axis_tlast, s_axis_tvalid, m_axis_tready};
endmodule
"""
LOOPS = ("turned[0] -> turned[(0) + 1]", "data - 1 -> (data) + (1)", "1 -> 0")
"""A combinational loop, and loops that never end."""


@pytest.mark.slow
@pytest.mark.sim
def test_loops_without_progress_are_killed_within_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "_LEAST_S", 1.0)
    monkeypatch.setenv("GOLDBEAT_OPTIMIZE", "-O0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "endless.sv").write_text(ENDLESS)
    goldbeat("new", "bench", "endless.sv", "--model", "identity")
    mutants = [m for m in find_mutants([tmp_path / "endless.sv"]) if m.change in LOOPS]
    numbers = [word for m in mutants for word in ("--mutant", str(m.number))]
    words = ["mutate", "bench/endless.toml", "--case", "random", "--json", *numbers]
    told = json.loads(goldbeat(*words).stdout)
    # The first change stands in two places, and closes a loop in one of them.
    assert told["killed_by"] == {"data": 1, "hang": len(LOOPS)}


def test_pages_are_one_file(tmp_path):
    template = Path(__file__).resolve().parents[3] / "tb" / "mutate" / "templates" / "mutants.html.j2"
    assert "http" not in template.read_text()
    assert "<script" not in template.read_text()
