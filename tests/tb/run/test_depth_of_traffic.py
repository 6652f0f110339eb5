# SPDX-License-Identifier: Apache-2.0
"""How deep the default sweep goes: frames of every length, queues until they are full, resets in mid-flight."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import invoke

from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.description import Description
from goldbeat.tb.design.source_numbers import source_numbers
from goldbeat.tb.design.traffic import FILL, FILLING, FILLS, KEPT, LONGEST, SLOW_SINKS, SLOW_SOURCES, frame_lengths
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.open_points import untried_ready
from goldbeat.tb.run.runs import Request

PIN = ("tdata", "tlast", "tvalid", "tready")


def description(traffic: str = "", reset: str = "rst", model: str = "identity", last: bool = True) -> Description:
    pins = [p for p in PIN if last or p != "tlast"]
    streams = [
        {"name": n, "direction": way, "clock": "clk", "signals": {p: f"{n}_{p}" for p in pins}}
        for n, way in (("s", "in"), ("m", "out"))
    ]
    head = {"name": "d", "top": "d", "files": ["d.v"], "model": model, "compare_time": False, "streams": streams}
    clock = {"name": "clk"} | ({"reset": reset} if reset else {})
    more = {"compare_order": model != "merge", "clocks": [clock], "traffic": {"frame": [2, 3]} if traffic else {}}
    return Description.model_validate(head | more)


# -- frames -------------------------------------------------------------------------------------------------------------


def test_frames_are_around_powers_of_two_and_numbers_of_the_rtl() -> None:
    plain, more = frame_lengths(LONGEST), frame_lengths(LONGEST, [301, 8192, 200_000])
    assert {1, 2, 3, 4, 5, 63, 64, 65, 1023, 1024, 1025, 2049, LONGEST} <= {*plain}
    assert {*more} - {*plain} == {*range(300, 304), *range(8191, 8195)}
    # What a sweep costs is bounded, whatever the RTL holds.
    assert sum(frame_lengths(LONGEST, range(2, 1 << 12))) <= 1 << 16


def test_numbers_of_the_rtl(tmp_path: Path) -> None:
    path = tmp_path / "d.v"
    path.write_text(
        "module d #(parameter AW = 4) (); localparam MOST = 3 * (1 << AW) + 'h10, HALF = MOST / 2;\n"
        "reg [7:0] mem [0:(1<<AW)-1]; reg [$clog2(HALF):0] c; // 777\n"
        "/* 888 */ wire x = c >= 10'd300 || c == 1_000 || c == 4'b1x0z || c == name9 || c == 1.5;\nendmodule\n"
    )
    found = {*source_numbers([path, tmp_path / "absent.v"], {"AW": 13, "KIND": "fast"})}
    assert {13, 8192, 3 * 8192 + 16, (3 * 8192 + 16) // 2, 300, 1000, 8, 15} <= found
    assert not found & {777, 888, 9}


@pytest.mark.parametrize(
    ("one", "longest"),
    [(description(), LONGEST), (description(traffic="frame"), None), (description(last=False), None)],
)
def test_the_sweep_sends_long_frames_unless_the_description_says_how_long_they_are(
    one: Description, longest: int | None, tmp_path: Path
) -> None:
    (tmp_path / "d.v").write_text("module d; wire x = c == 300; endmodule")
    design = one.design(tmp_path)
    request = Request(design, design.case("sweep"))
    assert request.case.options.get("longest") == longest
    episodes = request.case.make(request.setting(1))
    lengths = {b - a for e in episodes for a, b in e.inputs["s"].frame_bounds()}
    if longest is None:
        assert max(lengths, default=0) <= (3 if one.traffic and one.traffic.frame else 2 * FILL)
        return
    (framing,) = [e for e in episodes if e.label.startswith("frames of up to 4098 beats")]
    assert {1, 299, 300, 301, 302, LONGEST} <= {b - a for a, b in framing.inputs["s"].frame_bounds()}
    assert framing.aside
    shorter = replace(request.setting(1), options={"beats": 60, "fill": 0, "longest": 0})
    assert max(b - a for e in request.case.make(shorter) for a, b in e.inputs["s"].frame_bounds()) <= 12


@pytest.mark.parametrize(
    ("one", "cuts"), [(description(), 4), (description(reset=""), 0), (description(model="merge"), 4)]
)
def test_the_sweep_has_resets_where_they_leave_something_to_compare(
    one: Description, cuts: int, tmp_path: Path
) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    design = one.design(tmp_path)
    episodes = design.case("sweep").make(Request(design, design.case("sweep")).setting(2))
    cut = [n for n, e in enumerate(episodes) if e.stop_ps is not None]
    assert len(cut) == cuts
    # The episode after each shows what the reset has left.
    assert all(n + 1 < len(episodes) and episodes[n + 1].stop_ps is None for n in cut)
    # While sinks are away, whatever can hold a beat does.
    assert not cuts or not episodes[cut[0]].pattern("m").ready(70).any()


def test_queues_are_filled_with_the_shortest_and_the_longest_frames_too(tmp_path: Path) -> None:
    """A ready that counts bytes or frames hides that beats overflow, and the other way round."""
    (tmp_path / "d.v").write_text("module d; endmodule")
    table = description().model_dump(exclude_unset=True)
    table["streams"] = [
        {**one, "width": 32, "signals": {**one["signals"], "tkeep": f"{one['name']}_tkeep"}} for one in table["streams"]
    ]
    design = Description.model_validate({**table, "traffic": {"keep": "bytes"}}).design(tmp_path)
    episodes = design.case("sweep").make(Request(design, design.case("sweep")).setting(1))
    usual, short, long = (one for one in episodes if one.label.startswith(FILLING))
    lengths = [{b - a for a, b in one.inputs["s"].frame_bounds()} for one in (usual, short, long)]
    assert [len(one.inputs["s"]) for one in (usual, short, long)] == [FILL] * 3
    assert (len(lengths[0]) > 2, lengths[1], LONGEST in lengths[2]) == (True, {1}, True)
    assert short.inputs["s"].keep.tolist() == [[True, False, False, False]] * FILL
    # The sink is away for longer, as a design may take long for each frame.
    assert not short.pattern("m").ready(8 * FILL).any()
    assert usual.pattern("m").ready(FILL + 1)[-1]
    # Before each place of a queue there is a cycle without valid once, also where no frames differ.
    gaps = [set(one.inputs["s"].gaps_after(-1).tolist()) for one in (usual, short, long)]
    assert gaps == [{0}, {0}, {1}]
    plain = description(last=False).design(tmp_path)
    (one,) = [e for e in plain.case("sweep").make(Request(plain, plain.case("sweep")).setting(1)) if "gap" in e.label]
    assert (len(one.inputs["s"]), set(one.inputs["s"].gaps_after(-1).tolist())) == (FILL, {1})


def test_long_runs_are_slow_on_either_side_and_end_full(tmp_path: Path) -> None:
    """What happens after every thousandth beat, or loses a place of a queue at times, needs many beats."""
    (tmp_path / "d.v").write_text("module d; endmodule")
    design = description().design(tmp_path)
    request = Request(design, design.case("sweep"))
    episodes = {e.label: e for e in request.case.make(request.setting(1))}
    sinks, sources, kept = (episodes[label] for label in (SLOW_SINKS, SLOW_SOURCES, KEPT))
    assert min(len(e.inputs["s"]) for e in (sinks, sources, kept)) >= 4000
    assert sinks.pattern("m").ready(9000).mean() < 0.2
    assert sources.inputs["s"].gaps_after(-1).mean() > 4
    ready = kept.pattern("m").ready(37_000)
    assert not ready[:700].any()
    assert not ready[21_700:35_700].any()
    assert ready[14_700:21_700].all()
    assert ready[35_700:].all()
    # All that is in queues leaves before they are filled again, from a frame's begin on.
    one = kept.inputs["s"]
    (again,) = np.flatnonzero(one.gaps_after(-1) > 1000)
    assert one.last[again - 1]
    assert len(one) - again >= 700
    rest = replace(request.setting(1), options={"beats": 60, "fill": 0, "longest": 0})
    assert not {SLOW_SINKS, KEPT} & {e.label for e in request.case.make(rest)}


def test_other_lanes_rest_while_one_sink_is_still_away(tmp_path: Path) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    table = description().model_dump(exclude_unset=True)
    table["streams"] = [
        {**one, "name": f"{one['name']}{n}", "signals": {p: f"{one['name']}{n}_{p}" for p in PIN}}
        for one in table["streams"]
        for n in range(2)
    ]
    design = Description.model_validate(table).design(tmp_path)
    request = Request(design, design.case("sweep"))
    alone = [e for e in request.case.make(request.setting(1)) if e.label.endswith("away alone")]
    assert [e.label.partition(" ")[0] for e in alone] == ["m0", "m1"]
    for lane, one in enumerate(alone):
        assert not one.inputs[f"s{lane}"].gaps_after(-1).any()
        (rest,) = np.flatnonzero(one.inputs[f"s{1 - lane}"].gaps_after(-1) >= 2 * FILL)
        assert 0 < rest < FILL // 2
        assert one.inputs[f"s{1 - lane}"].last[rest - 1]
    # What a user gives is sent whole.
    given = replace(request.setting(1), inputs=alone[0].inputs)
    own = [e for e in request.case.make(given) if e.label.endswith("away alone")]
    assert [len(e.inputs["s1"]) for e in own] == [len(alone[0].inputs["s1"])] * 2
    assert [len(e.inputs["s0"]) for e in own] == [FILL] * 2


# -- queues -------------------------------------------------------------------------------------------------------------

CLOCK = {"clk": Clock(4000, 4000)}


def filled(waits: dict[int, int], beats: int = 400, away: int = 400) -> tuple[Stimulus, Outcome, Record]:
    """An episode that fills queues: the sink is away, beats are offered back to back, and some of them wait."""
    offered = Trace.from_bytes(np.zeros((beats, 4), np.uint8), clock_ps=4000, offset_ps=4000)
    taken = offered.with_cycles(1 + np.cumsum([1 + waits.get(n, 0) for n in range(beats)]))
    given = offered.with_cycles(away + np.arange(beats))
    stimulus = Stimulus({"s": offered}, clocks=CLOCK, ready={"m": Pattern.parse("random:0.5")}, label=FILLING)
    outcome = Outcome({"s": taken, "m": given})
    return stimulus, outcome, Record(outcome)


@pytest.mark.parametrize(
    ("waits", "more", "said"),
    [
        ({}, {}, "s_tready never fell although sinks held outputs back for 400 beats; send more beats"),
        # A fall that has nothing to do with a full queue, however often or long, is none.
        (
            dict.fromkeys(range(16, 400, 16), 1),
            {},
            "s_tready never stayed low although sinks held outputs back for 400",
        ),
        ({16: 90}, {}, "s_tready never stayed low"),
        ({370: 40}, {}, "s_tready never stayed low"),
        # Pauses as long as the last one come by themselves, such as those of a memory that is refreshed.
        ({40: 70, 80: 70, 120: 70, 160: 70}, {}, "s_tready never stayed low"),
        ({64: 350}, {}, None),
        ({16: 1}, {"unchecked": {"s_tready": "drops what it cannot hold"}}, None),
    ],
)
def test_a_ready_must_stay_low_while_outputs_are_blocked(
    waits: dict[int, int], more: dict[str, object], said: str | None, tmp_path: Path
) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    design = description().model_copy(update=more).design(tmp_path)
    steps, case = [filled(waits)], design.case("sweep")
    found = untried_ready(design, {}, case, steps)
    assert found == [] if said is None else found[0].startswith(said)


def test_a_ready_that_never_rose_is_no_ready_that_never_fell(tmp_path: Path) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    design = description().design(tmp_path)
    stimulus, outcome, _ = filled({})
    stuck = Record(Outcome({"s": outcome.ports["s"][:0], "m": outcome.ports["m"]}))
    step, free = (stimulus, outcome, stuck), filled({64: 350})
    found = untried_ready(design, {}, design.case("sweep"), [step])
    assert found == ["s_tready never rose: no beat of s transferred"]
    other = (replace(free[0], label=""), free[1], free[2])
    found = untried_ready(design, {}, design.case("sweep"), [step, other])
    assert found == ["s_tready never rose in episodes that fill queues: no beat of s transferred in them"]
    assert untried_ready(design, {}, design.case("sweep"), [(stimulus, outcome, stuck), free])[0].startswith(
        "s_tready never stayed low"
    )


def test_a_case_that_does_not_fill_still_takes_any_fall(tmp_path: Path) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    design = description().design(tmp_path)
    stimulus, outcome, record = filled({16: 1})
    step = (replace(stimulus, label=""), outcome, record)
    assert untried_ready(design, {}, Case(name="one", summary="", make=list), [step]) == []


# -- whole benches ------------------------------------------------------------------------------------------------------

BLOCK = """module block #(parameter AW = 13) (input clk, input rst,
  input [7:0] s_tdata, input s_tlast, input s_tvalid, output s_tready,
  output [7:0] m_tdata, output m_tlast, output m_tvalid, input m_tready);
  reg [8:0] mem [0:(1<<AW)-1]; reg [AW:0] w = 0, r = 0; reg [7:0] c = 0; reg [15:0] n = 0, f = 0; reg held = 0, met = 0;
  reg [7:0] d = 0; reg v = 0; always @(posedge clk) begin d <= s_tdata; v <= s_tvalid; end
  wire [AW:0] level = w - r; wire full = level[AW];
  assign s_tready = READY;
  assign m_tvalid = w != r; assign {m_tlast, m_tdata} = mem[r[AW-1:0]];
  always @(posedge clk) begin
    c <= c + 1; held <= full; f <= f + (s_tvalid & s_tready & s_tlast) - (m_tvalid & m_tready & m_tlast);
    if (s_tvalid & s_tready) begin
      mem[w[AW-1:0]] <= {s_tlast | LAST, DATA}; w <= w + 1; n <= s_tlast ? 0 : n + 1; met <= 0; end
    if (m_tvalid & m_tready) r <= r + 1;
    if (rst) begin RESET n <= 0; f <= 0; end end
endmodule
"""
SOUND = {"DATA": "s_tdata", "READY": "!full", "LAST": "1'b0", "RESET": "w <= 0; r <= 0;"}
BLOCKS: dict[str, tuple[dict[str, str], int, str]] = {
    # Deeper than what is sent at first: more is, and then it is full.
    "sound": ({}, 0, "PASS block sweep: 38 episode(s)"),
    "no full": ({"READY": "c[3:0] != 15"}, 1, "s_tready never stayed low"),
    "no full, pauses": ({"READY": "c[7:6] != 1"}, 1, "s_tready never stayed low"),
    "full of frames": ({"READY": "f < 300"}, 1, "with frames of 4098 beat(s); send more"),
    "frames of 300": ({"LAST": "n == 299"}, 1, "TLAST"),
    "before valid at a place": ({"DATA": "w[12:0] == 5000 & !v ? d : s_tdata"}, 1, "data differs"),
    "kept over reset": ({"RESET": "r <= 0;"}, 1, "data differs"),
    # A source that still offers something in the reset flushes it.
    "a word that a reset met": (
        {"RESET": "w <= 0; r <= 0; if (m_tvalid & !m_tready) met <= 1;", "DATA": "met ? ~s_tdata : s_tdata"},
        1,
        "data differs",
    ),
}


COPIES = """module copies (input clk, input rst, input [7:0] s_tdata, input s_tvalid, output s_tready,
  output [7:0] a_tdata, output a_tvalid, input a_tready, output [7:0] b_tdata, output b_tvalid, input b_tready);
  reg [7:0] p [0:63], q [0:511]; reg [6:0] w = 0, r = 0; reg [9:0] x = 0, y = 0;
  wire [6:0] n = w - r; wire [9:0] k = x - y; wire full = READY; assign s_tready = !full;
  assign a_tvalid = w != r; assign a_tdata = p[r[5:0]]; assign b_tvalid = x != y; assign b_tdata = q[y[8:0]];
  always @(posedge clk) begin
    if (s_tvalid & s_tready) begin p[w[5:0]] <= s_tdata; w <= w + 1; q[x[8:0]] <= s_tdata; x <= x + 1; end
    if (a_tvalid & a_tready) r <= r + 1; if (b_tvalid & b_tready) y <= y + 1;
    if (rst) begin w <= 0; r <= 0; x <= 0; y <= 0; end end
endmodule
"""


@pytest.mark.sim
@pytest.mark.parametrize(("full", "code"), [("n == 64 || k == 512", 0), ("n == 64", 1)])
def test_each_output_is_held_back_alone(full: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shorter queue hides that the longer one overflows while all sinks are away together."""
    (tmp_path / "copies.v").write_text(COPIES.replace("READY", full))
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    assert invoke("new", tmp_path / "b", tmp_path / "copies.v", "--model", "broadcast").exit_code == 0
    ran = invoke("run", tmp_path / "b" / "copies.toml")
    assert (ran.exit_code, "(b away alone): axis_payload_stable: b" in ran.stdout) == (code, code == 1), ran.output


@pytest.mark.parametrize(("model", "alone"), [("merge", ["s sends alone", "t sends alone"]), ("identity", [])])
def test_lanes_that_may_move_in_step_do_not_send_alone(model: str, alone: list[str], tmp_path: Path) -> None:
    (tmp_path / "d.v").write_text("module d; endmodule")
    table = description(model=model).model_dump(exclude_unset=True)
    other = {"name": "t", "direction": "in", "clock": "clk", "signals": {p: f"t_{p}" for p in PIN}}
    design = Description.model_validate({**table, "streams": [*table["streams"], other]}).design(tmp_path)
    episodes = design.case("sweep").make(Request(design, design.case("sweep")).setting(1))
    assert [one.label for one in episodes if "sends alone" in one.label] == alone


JOIN = """module join2 (input clk, input rst, input [7:0] a_tdata, input a_tlast, input a_tvalid, output a_tready,
  input [7:0] b_tdata, input b_tlast, input b_tvalid, output b_tready,
  output [7:0] m_tdata, output m_tlast, output m_tvalid, input m_tready);
  reg busy = 0, two = 0; wire go = busy & !rst;
  assign a_tready = go & !two & m_tready; assign b_tready = go & two & m_tready;
  assign m_tvalid = go & (two ? b_tvalid : a_tvalid); assign {m_tlast, m_tdata} = two ? {b_tlast, b_tdata} : {a_tlast, a_tdata};
  always @(posedge clk) if (rst) begin two <= 0; RESET end else if (!busy) begin busy <= a_tvalid | b_tvalid; two <= !a_tvalid; end
    else if (m_tvalid & m_tready & m_tlast) busy <= 0;
endmodule
"""


@pytest.mark.sim
@pytest.mark.parametrize(("kept", "code"), [("busy <= 0;", 0), ("", 1)])
def test_each_input_sends_alone_after_a_reset(
    kept: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A choice that a reset leaves made is hidden as long as the input that was chosen sends."""
    (tmp_path / "join2.v").write_text(JOIN.replace("RESET", kept))
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    assert invoke("new", tmp_path / "b", tmp_path / "join2.v", "--model", "merge").exit_code == 0
    ran = invoke("run", tmp_path / "b" / "join2.toml")
    assert (ran.exit_code, "(b sends alone)" in ran.stdout) == (code, code == 1), ran.output


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize("block", BLOCKS)
def test_a_new_bench_sees_what_needs_depth(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed, code, said = BLOCKS[block]
    text = BLOCK
    for word, value in (SOUND | changed).items():
        text = text.replace(word, value)
    (tmp_path / "block.v").write_text(text)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "build"))
    assert invoke("new", tmp_path / "b", tmp_path / "block.v", "--model", "identity").exit_code == 0
    ran = invoke("run", tmp_path / "b" / "block.toml", "--name", "a")
    assert (ran.exit_code, said in ran.stdout) == (code, True), ran.output
    if block == "sound":
        # A number of beats that the user gives is not raised, and in a regression it is as in a run.
        few = invoke("run", tmp_path / "b" / "block.toml", "--name", "b", "--fill", "100")
        assert (few.exit_code, "for 100 beats; send more beats" in few.stdout) == (3, True), few.output
        suite = invoke("regress", tmp_path / "b" / "block.toml", "--filter", "*sweep*", "--seeds", "1", "--jobs", "1")
        assert suite.exit_code == 0, suite.output
        assert FILLS[0] == FILL < 1 << 13 < FILLS[1]
