# SPDX-License-Identifier: Apache-2.0
"""What a run could not have seen is no PASS: bundle signals left out, back-pressure never tried; and a failure shows itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import invoke

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.api.dut_run import DutRun
from goldbeat.tb.cli.run_result import show_results
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import KEPT, SLOW_SINKS, SLOW_SOURCES, stream_cases
from goldbeat.tb.design.unchecked import lost_signals, unchecked_signals
from goldbeat.tb.inside.job import Record
from goldbeat.tb.obligations.summary import Obligations
from goldbeat.tb.page.run_page import write_page
from goldbeat.tb.run.late_ready import first_wait
from goldbeat.tb.run.open_points import open_signals, untried_ready
from goldbeat.tb.run.report import write_report
from goldbeat.tb.run.runs import Request, RunResult, SeedPlan, judge
from goldbeat.tb.run.timeline import save_timeline

CLOCKS = {"clk": Clock(4000, 4000)}


def port(direction: str, *pins: str, **more: object) -> StreamPort:
    roles = {re.sub("[^a-z]", "", p.lower()): p for p in pins}
    found = {
        role: pin for word, pin in roles.items() for role in ("tdata", "tvalid", "tready", "tlast") if role[1:] in word
    }
    return StreamPort(name=direction, direction=direction, clock="clk", signals=found, **more)


def design(*ports: StreamPort, **more: object) -> Design:
    def copied(params: object, stimulus: Stimulus) -> Outcome:
        return Outcome({p.name: stimulus.inputs["in"] for p in ports})

    cases = (Case(name="sweep", summary="", make=lambda _: (), fills=True), Case(name="one", summary="", make=list))
    facts = {"name": "d", "summary": "", "top": "d", "files": (), "root": Path(), "timed": False, "cases": cases}
    return Design(**facts, streams=ports, model=copied, **more)


AXIS = (
    port("in", "s_axis_tdata", "s_axis_tvalid", "s_axis_tready"),
    port("out", "m_axis_tdata", "m_axis_tvalid", "m_axis_tready"),
)

# -- signals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pins", "ties", "ignored", "found"),
    [
        (("m_axis_data", "m_axis_valid", "m_axis_ready"), [], ["m_axis_tlast", "m_axis_tkeep", "busy"], [0, 1]),
        (("M_AXIS_TDATA", "M_AXIS_TVALID"), [], ["M_AXIS_TUSER", "m_axis_parity", "frame_count"], [0, 1]),
        (("data_o", "valid_o", "ready_i"), [], ["last_o", "count_o", "locked_o"], [0]),
        (("o_data", "o_valid", "i_ready"), [], ["o_last", "o_busy"], [0]),
        (("out_data", "out_valid"), ["out_aresetn", "out_clk", "out_ready"], ["out_level"], [2]),
        # An output called data, and what is around a valid, are bundles that nothing looks at.
        (
            ("m_axis_tdata", "m_axis_tvalid"),
            ["ctl_ready"],
            ["debug_data", "done", "ctl_valid", "ctl_word"],
            [1, 3, 4, 0],
        ),
        (("m_axis_tdata", "m_axis_tvalid"), ["enable"], ["pll_valid", "data_count", "state"], []),
        # What both directions begin with is the bundle's: `first` and `burst` are no resets, `byte_en` is no enable.
        (
            ("out_data", "out_valid", "out_ready"),
            ["out_clk", "out_rst_n", "out_en", "out_cfg_mode", "out_irq", "out_wr_en", "out_write_ce"],
            ["out_first", "out_burst", "out_byte_en", "out_parity", "out_level"],
            [7, 8, 9, 10, 11],
        ),
        (("s_data", "s_valid", "s_ready"), ["s_magic", "s_enable"], ["m_level"], [0]),
        # Of a prefix that is a direction alone, roles count, and what an input and an output share.
        (("o_data", "o_valid", "i_ready"), ["i_tag", "i_irq", "i_mode"], ["o_tag", "o_irq", "o_eop"], [0, 3, 5]),
        (("data_o", "valid_o", "ready_i"), ["poison_i", "cfg_i"], ["poison_o", "cfg_o", "tag_count"], [0, 2]),
        (("m_axis_tdata", "m_axis_tvalid"), ["meta_in"], ["meta_out", "other_out"], [0, 1]),
        # What says of each word whether it is there or was taken; a level, or what is valid elsewhere, does not.
        (
            ("m_axis_tdata", "m_axis_tvalid"),
            [],
            ["valid", "wr_ack", "fifo_full", "prog_full", "full_count", "pll_valid", "irq_ack", "invalid", "overflow"],
            [0, 1, 2],
        ),
    ],
)
def test_bundle_signals_left_out_are_found(
    pins: tuple[str, ...], ties: list[str], ignored: list[str], found: list[int]
) -> None:
    made = design(port("out", *pins), ties=dict.fromkeys(ties, 0), ignored=tuple(ignored))
    assert set(unchecked_signals(made)) == {[*ties, *ignored][n] for n in found}


SIDES = {"s_axis": {"tlast", "tkeep", "tid"}, "m_axis": {"tlast", "tkeep", "tid"}, "n_axis": {"tlast", "tkeep", "tid"}}


def test_signals_with_each_others_names_are_found() -> None:
    names = {"tdata": "s_data", "tvalid": "s_last", "tlast": "s_valid", "tready": "s_tready"}
    crossed = StreamPort(name="s", direction="in", clock="clk", signals=names)
    said = "is tvalid of s, and s_valid is tlast: each has the other's name"
    assert unchecked_signals(design(crossed, AXIS[1])) == {"s_last": said}
    assert open_signals(design(crossed, unchecked={"s_last": "so it is"}), {}, []) == []
    right = StreamPort(name="s", direction="in", clock="clk", signals={**names, "tvalid": "s_go"})
    assert unchecked_signals(design(right, AXIS[1])) == {}


@pytest.mark.parametrize(
    ("model", "less", "found"),
    [
        ("identity", {"m_axis": "tlast"}, {"s_axis_tlast": "lost, as m_axis has no tlast; it belongs to s_axis"}),
        ("broadcast", {"n_axis": "tid"}, {"s_axis_tid": "lost, as n_axis has no tid; it belongs to s_axis"}),
        ("broadcast", {"s_axis": "tid"}, {}),
        ("repack", {"m_axis": "tkeep", "n_axis": "tkeep"}, {}),
        ("repack", {"m_axis": "tlast"}, {"s_axis_tlast": "lost, as m_axis has no tlast; it belongs to s_axis"}),
    ],
)
def test_a_sideband_that_only_the_input_has_is_found(model: str, less: dict[str, str], found: dict[str, str]) -> None:
    names = ["s_axis", "m_axis"] + ["n_axis"] * (model == "broadcast")
    ports = [
        StreamPort(
            name=name,
            direction="in" if name == "s_axis" else "out",
            tid=3 if "tid" in roles else None,
            signals={role: f"{name}_{role}" for role in ("tdata", "tvalid", *roles)},
        )
        for name in names
        for roles in (SIDES[name] - {less.get(name)},)
    ]
    assert lost_signals(model, ports) == found
    made = design(*AXIS, uncompared=lambda params: found, unchecked=dict.fromkeys(found, "no frames behind it"))
    # It is a reason not to pass, unless somebody has confirmed it.
    result = judged(made.model_copy(update={"unchecked": {}}), "one", [step([1, 2, 4, 5])])
    assert (result.status, len(result.open)) == ("partial" if found else "pass", len(found))
    assert judged(made, "one", [step([1, 2, 4, 5])]).status == "pass"


def test_a_confirmation_needs_a_signal_and_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    text = (
        'name = "x"\ntop = "x"\nfiles = ["x.v"]\nmodel = "identity"\ncompare_time = false\nignored = ["m_axis_tid"]\n'
        '[unchecked]\n{}\n[[clocks]]\nname = "clk"\n[[streams]]\nname = "s_axis"\ndirection = "in"\nclock = "clk"\n'
        "[traffic]\n"
    )
    path.write_text(text.format('m_axis_tid = "one source only"\ns_axis_tlast = "no frames"'))
    assert load_description(path).unchecked == {"m_axis_tid": "one source only", "s_axis_tlast": "no frames"}
    for wrong, said in (
        ('m_axis_id = "no"', "'m_axis_id' is no signal of a bundle"),
        ('m_axis_tid = ""', "m_axis_tid"),
    ):
        path.write_text(text.format(wrong))
        with pytest.raises(GoldbeatError, match=said):
            load_description(path)


# -- ready --------------------------------------------------------------------------------------------------------------


def beats(cycles: list[int]) -> Trace:
    data = np.arange(4 * len(cycles), dtype=np.uint8).reshape(-1, 4)
    return Trace.from_bytes(data, cycle=cycles, clock_ps=4000, offset_ps=4000)


def step(taken: list[int], ready: str = "random:0.5", out: int = 4) -> tuple[Stimulus, Outcome, Record]:
    """An input whose beats are offered back to back and taken in these cycles."""
    stimulus = Stimulus({"in": beats([0, 1, 2, 3])}, clocks=CLOCKS, ready={"out": Pattern.parse(ready)})
    outcome = Outcome({"in": beats(taken), "out": beats([9, 11, 12, 14][:out])})
    return stimulus, outcome, Record(outcome)


@pytest.mark.parametrize(
    ("steps", "more", "found"),
    [
        ([step([1, 2, 3, 4])], {}, ["s_axis_tready"]),
        ([step([1, 2, 3, 4]), step([1, 2, 5, 6])], {}, []),
        # The reset may delay the first beat: that is no back-pressure.
        ([step([7, 8, 9, 10])], {}, ["s_axis_tready"]),
        ([step([7, 9, 10, 11])], {}, []),
        # Without a stall at an output with beats there is nothing to say.
        ([step([1, 2, 3, 4], "none")], {}, []),
        ([step([1, 2, 3, 4], out=0)], {}, []),
        ([step([1, 2, 3, 4])], {"always_ready": True}, []),
    ],
)
def test_an_input_that_was_never_held_back_is_found(
    steps: list[tuple[Stimulus, Outcome, Record]], more: dict[str, bool], found: list[str]
) -> None:
    made = design(AXIS[0].model_copy(update=more), AXIS[1])
    assert [text.split()[0] for text in untried_ready(made, {}, made.cases[0], steps)] == found
    # What is described as always ready is held to it.
    for stimulus, outcome, record in steps:
        result = judged(made, "one", [(stimulus, outcome, record)])
        waited = first_wait(made.streams[0], stimulus, record.outcome) is not None
        assert any("always_ready is set, but beat" in t for t in result.failures) == (waited and bool(more))


def judged(made: Design, case: str, steps: list[tuple[Stimulus, Outcome, Record]], seed: int = 0) -> RunResult:
    plan = SeedPlan(seed, tuple((s, e) for s, e, _ in steps))
    return judge(Request(made, made.case(case)), plan, [record for _, _, record in steps], "stopped")


def test_the_verdict_of_a_case_that_fills_is_partial_and_that_of_another_says_so() -> None:
    made = design(*AXIS)
    wide = judged(made, "sweep", [step([1, 2, 3, 4])])
    assert (wide.status, len(wide.partial)) == ("partial", 1)
    assert "s_axis_tready never fell although sinks held outputs back; send more beats" in wide.partial[0]
    one = judged(made, "one", [step([1, 2, 3, 4])])
    assert (one.status, one.partial, len(one.untried)) == ("pass", (), 1)
    left = judged(design(*AXIS, ignored=("m_axis_tlast",)), "one", [step([1, 2, 4, 5])])
    assert (left.status, left.partial) == ("partial", ("m_axis_tlast: left open; it belongs to out",))
    said = design(*AXIS, ignored=("m_axis_tlast",), unchecked={"m_axis_tlast": "no frames"})
    assert judged(said, "one", [step([1, 2, 4, 5])]).status == "pass"


def test_always_ready_is_for_inputs_with_ready() -> None:
    for direction, pins in (("out", ("m_data", "m_valid", "m_ready")), ("in", ("s_data", "s_valid"))):
        with pytest.raises(ValueError, match="always_ready is for inputs with tready"):
            port(direction, *pins, always_ready=True)


def test_the_sweep_of_a_bench_fills_its_queues() -> None:
    made = design(*AXIS)

    def traffic(setting: object, rng: object, count: int) -> Stimulus:
        return Stimulus({"in": beats(list(range(count)))}, clocks=CLOCKS)

    sweep = next(c for c in stream_cases(traffic, 500) if c.name == "sweep")
    setting = Request(made, sweep).setting(3)
    episodes = sweep.make(setting)
    long = [e for e in episodes if len(e.inputs["in"]) == 500]
    longest, gapped = long
    assert longest.pattern("out").ready(1000).tolist() == [False] * 500 + [True] * 500
    assert set(gapped.inputs["in"].gaps_after(-1).tolist()) == {1}
    # Neither limits nor the report of a run that passes look at it.
    runs = [e for e in episodes if e.label in (SLOW_SINKS, SLOW_SOURCES, KEPT)]
    assert [e.aside for e in episodes] == [any(e is one for one in (*long, *runs)) for e in episodes]
    none = sweep.make(replace(setting, options={"beats": 60, "fill": 0}))
    assert len(none) == len(episodes) - 2 - len(runs) == len(episodes) - 5
    # The episodes of before are the same, whatever fills the queues.
    assert [e.inputs["in"] for e in none] == [e.inputs["in"] for e in episodes if not e.aside]


# -- what is shown of a failure ------------------------------------------------------------------------------------------


def failing(right: str = "") -> list[RunResult]:
    """Two seeds of four episodes; the first wrong one is episode 1 of seed 8, and no last episode is wrong."""
    good, results = step([1, 2, 4, 5]), []
    bad = replace(good[2], outcome=Outcome({**good[2].outcome.ports, "out": beats([9, 11, 12])}))
    worse = replace(bad, outcome=Outcome({"in": beats([1, 2, 4]), "out": good[2].outcome.ports["out"]}))
    for seed, records in ((7, [good[2]] * 4), (8, [good[2], bad, worse, good[2]])):
        results.append(judged(design(*AXIS), "one", [(good[0], good[1], record) for record in records], seed))
    return results


def test_every_view_of_a_failing_run_shows_the_first_failing_episode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = failing()
    found = Obligations.of_runs(results)
    report = write_report(results, tmp_path, obligations={**found.as_dict(), "required": False})
    assert (report["status"], report["seed"], report["main_episode"]) == ("fail", 8, 1)
    assert len(Trace.load(tmp_path / report["ports"]["out"]["trace"])) == 3
    # An input that is right in the episode shown, and wrong in a later one, is not equal.
    assert {name: one["model"] for name, one in report["ports"].items()} == {"in": "differs", "out": "differs"}
    assert report["ports"]["in"]["differs_in"] == {"seed": 8, "episode": 2}
    show_results(report, results, [results[1]], tmp_path, found)
    said = capsys.readouterr().out
    assert "d one, seed 8, episode 1" in said
    assert "equal" not in said
    assert save_timeline(results[1], tmp_path / "t.json.gz")["episode"] == 1
    shown = DutRun(results[1])
    assert len(shown.traces["out"]) == 3
    html = shown._repr_html_()
    assert "seed 8, episode 1" in html
    assert ">equal<" not in html
    page = write_page(tmp_path).path.read_text()
    assert ">equal<" not in page
    assert "episode 2 of seed 8" in page
    # The first difference is the first thing behind the verdict.
    places = [page.index(text) for text in ("<h1>", 'id="difference"', "repeat:", 'id="failures"', 'id="timeline"')]
    assert places == sorted(places)


def test_a_run_that_passes_still_shows_its_last_whole_episode(tmp_path: Path) -> None:
    report = write_report(failing()[:1], tmp_path)
    assert (report["status"], report["main_episode"]) == ("pass", 0)
    assert {one["model"] for one in report["ports"].values()} == {"equal"}


# -- whole benches -------------------------------------------------------------------------------------------------------

FIFO = """module fifo #(parameter AW = 8) (input clk, input rst,
  input [31:0] s_axis_tdata, input s_axis_tvalid, output s_axis_tready,
  output [31:0] m_axis_tdata, output m_axis_tvalid, input m_axis_tready);
  reg [31:0] mem [0:(1<<AW)-1]; reg [AW:0] w, r;
  assign s_axis_tready = READY;
  assign m_axis_tvalid = w != r; assign m_axis_tdata = mem[r[AW-1:0]];
  always @(posedge clk) if (rst) begin w <= 0; r <= 0; end else begin
    if (s_axis_tvalid & s_axis_tready) begin mem[w[AW-1:0]] <= s_axis_tdata; w <= w + 1; end
    if (m_axis_tvalid & m_axis_tready) r <= r + 1; end
endmodule
"""


@pytest.mark.sim
def test_the_default_run_of_a_new_bench_fills_a_deep_fifo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("GOLDBEAT_CACHE", str(Path("build").resolve()))
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    source, bench = tmp_path / "fifo.v", tmp_path / "b" / "fifo.toml"
    for ready, code in (("1'b1", 1), ("w - r < (1 << AW) + 1", 1), ("w - r < (1 << AW)", 0)):
        source.write_text(FIFO.replace("READY", ready))
        assert invoke("new", bench.parent, source, "--model", "identity", "--force").exit_code == 0
        ran = invoke("run", bench, "--name", "a")
        assert ran.exit_code == code, (ready, ran.output)
    # Deeper than what is sent: not a pass, and the port is named.
    ran = invoke("run", bench, "--fill", "100", "--name", "a")
    assert ran.exit_code == 3, ran.output
    assert re.search("not tried: s_axis_tready never (fell|stayed low)", ran.stdout)
    assert json.loads((tmp_path / "build/runs/a/report.json").read_text())["status"] == "partial"
    every = invoke("run", bench, "--case", "all", "--beats", "30")
    assert every.exit_code == 0, every.output
    *cases, obligations = every.stdout.splitlines()[-5:]
    assert [line.split() for line in cases] == [["pass", name] for name in ("sweep", "random", "sizes", "reset")]
    assert re.match(r"obligations: \d+ of \d+ met", obligations)
    planned = json.loads(invoke("regress", bench, "--dry-run", "--json").stdout)["cases"]
    assert len(planned) == 12
    assert {one["case"] for one in planned} == {"sweep", "random", "sizes", "reset"}


def test_an_output_that_the_model_never_predicts_is_open():
    trace = Trace.from_bytes(np.zeros((4, 1), np.uint8), clock_ps=4000)
    two = design(
        *AXIS, port("out", "n_axis_tdata", "n_axis_tvalid", "n_axis_tready").model_copy(update={"name": "other"})
    )
    came = Record(Outcome({"in": trace, "out": trace, "other": trace}), ())
    stimulus = Stimulus({"in": trace}, {}, CLOCKS)

    def said(*predictions: Outcome) -> list[str]:
        return open_signals(two, {}, [(stimulus, one, came) for one in predictions])

    whole = Outcome({"in": trace, "out": trace, "other": trace})
    without = Outcome({"in": trace, "out": trace}, unknown=frozenset({"other"}))
    before = said(whole)
    assert [one for one in said(without) if one not in before] == [
        "other: the golden model predicts nothing of it (unknown)"
    ]
    # One episode that compares it is enough.
    assert said(without, whole) == before
