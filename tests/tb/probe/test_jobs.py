# SPDX-License-Identifier: Apache-2.0
"""What plain ports start: ``start`` and ``done``, and the block-level protocol of HLS."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.design.description import Description, load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.bench import write_bench
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.find import Choices, Found
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.model_guess import guessed_model
from goldbeat.tb.probe.write import MODEL, describe
from goldbeat.tb.run.runs import Request, run

SUM = """
module sums(input clk, input rst, input start, input [7:0] a, input [7:0] b, output reg done, output reg [8:0] s);
  reg [1:0] n; reg [7:0] x, y; reg run;
  always @(posedge clk) if (rst) begin run <= 0; done <= 0; n <= 0; end else begin
    done <= 0;
    if (start) begin x <= a; y <= b; n <= 0; run <= 1; end
    else if (run) begin n <= n + 1; if (n == 2) begin s <= x + y; done <= 1; run <= 0; end end
  end
endmodule
"""
STAYS = SUM.replace("    done <= 0;\n", "").replace("if (start) begin", "if (start) begin done <= 0;")
RESTS = STAYS.replace("done <= 0; n <= 0; end", "done <= 1; n <= 0; end").replace("if (start)", "if (start && done)")
HELD = SUM.replace("x <= a; y <= b; ", "").replace("s <= x + y", "s <= a + b")
TOLD = SUM.replace("output reg done", "output busy, output reg done").replace("reg run;", "reg run; assign busy = run;")
TOLD = TOLD.replace("if (start)", "if (start && !run)")
SPURIOUS = STAYS.replace("else if (run)", "else if (!run) done <= ~done; else if (run)")
ANSWERED = SUM.replace("start", "valid").replace("done", "ready").replace("if (valid)", "if (valid && !run && !ready)")
HLS = """
module madd(input ap_clk, input ap_rst, input ap_start, output ap_done, output ap_idle, output ap_ready,
            input [15:0] a, input [15:0] b, output reg [15:0] ap_return);
  reg [2:0] s; assign ap_done = s[2], ap_ready = s[2], ap_idle = s[0] && !ap_start;
  always @(posedge ap_clk) if (ap_rst) s <= 1; else case (s) 1: if (ap_start) s <= 2; 2: s <= 4; default: s <= 1; endcase
  always @(posedge ap_clk) if (s[1]) ap_return <= a * b;
endmodule
"""
PREDICT = """
from goldbeat.pymodels.fields import pack_fields, unpack_fields
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.trace import Trace


def predict(params, stimulus):
    given = stimulus.inputs["in"]
    words = unpack_fields(given.data, {"a": 8, "b": 8})
    total = words["a"].astype("u8") + words["b"].astype("u8")
    sums = Trace.from_bytes(pack_fields({"s": total}, {"s": 9}), clock_ps=given.clock_ps)
    return Outcome({"in": given, "out": sums})
"""


def found_of(folder: Path, text: str) -> tuple[Found, Sources]:
    (folder / "dut.sv").write_text(text)
    sources = Sources(files=(folder / "dut.sv",))
    return discover(sources), sources


@pytest.mark.parametrize(
    ("text", "held"),
    [(SUM, False), (STAYS, False), (RESTS, False), (HELD, True)],
    ids=["pulse", "level", "rests", "held"],
)
def test_a_start_takes_its_operands_and_waits_for_done(text: str, held: bool, tmp_path: Path) -> None:
    found, _ = found_of(tmp_path, text)
    given, result = found.streams
    assert (given.pin("tvalid"), given.until, given.held, [*given.fields]) == ("start", "done", held, ["a", "b"])
    assert (result.pin("tvalid"), result.after, [*result.fields]) == ("done", "in", ["s"])
    # Only its name speaks for it, and no ready-made model adds.
    assert "done" in found.guesses
    assert guessed_model(found) is None


@pytest.mark.parametrize(
    ("old", "new", "guessed"),
    [
        ("", "", False),
        ("if (n == 2)", "if (start) x <= x + 1; if (n == 2)", True),
        ("else if (run)", "else if (start == 0) n <= n; else if (run)", True),
        ("if (start) begin", "if (start && !run) begin", False),
        ("begin n <= n + 1;", "begin if (start) n <= n + 1;", True),
    ],
)
def test_a_start_that_the_rtl_looks_at_while_it_runs_may_have_to_stay(
    old: str, new: str, guessed: bool, tmp_path: Path
) -> None:
    text = HELD.replace(old, new, 1) if old else HELD
    if guessed:
        text = text.replace("if (start) begin", "if (start && !run) begin")
    found, _ = found_of(tmp_path, text)
    assert ("--bundle 'in=tvalid:start,tready:done,a,b'" in found.guesses.get("start", "")) is guessed


def test_a_result_of_an_input_that_says_when_it_is_busy(tmp_path: Path) -> None:
    found, _ = found_of(tmp_path, TOLD)
    assert [(p.direction, p.until, p.after) for p in found.streams] == [("in", None, None), ("out", None, "in")]
    assert found.streams[0].signals["tready"] == "!busy"


def test_results_may_come_with_the_ready_of_their_operands(tmp_path: Path) -> None:
    found, _ = found_of(tmp_path, ANSWERED)
    assert [dict(p.signals) for p in found.streams] == [
        {"tvalid": "valid", "tready": "ready", "tdata": "in_tdata"},
        {"tvalid": "ready"},
    ]
    assert (found.streams[1].after, [*found.guesses]) == ("in", ["s"])
    # What is taken with the ready is no job.
    taken = (
        ANSWERED.replace("!run && !ready", "ready").replace("else if", "if").replace("ready <= 0;", "ready <= !run;")
    )
    assert [p.direction for p in found_of(tmp_path, taken)[0].streams] == ["in"]


CREDITS = """
module sends(input clk, input rst, input ld, input [7:0] word, output free, output reg go, output reg [7:0] sent, input back);
  reg [2:0] left; assign free = left != 0; wire moves = ld && free;
  always @(posedge clk) if (rst) begin left <= 4; go <= 0; end else begin
    GO; if (moves) sent <= word; left <= left - moves + back; end
endmodule
"""


@pytest.mark.parametrize(("moves", "found"), [("go <= moves", True), ("if (moves) go <= 1", False)])
def test_an_output_that_is_high_where_words_change_is_their_valid(moves: str, found: bool, tmp_path: Path) -> None:
    made, _ = found_of(tmp_path, CREDITS.replace("GO", moves))
    results = {p.pin("tvalid"): p.payload_pins("tdata") for p in made.streams if p.direction == "out"}
    assert results == ({"go": ("sent",)} if found else {})
    assert ("back, which is tied, may return credits" in made.guesses.get("go", "")) is found


def test_the_block_protocol_of_hls(tmp_path: Path) -> None:
    found, _ = found_of(tmp_path, HLS)
    assert [dict(p.signals) for p in found.streams] == [
        {"tvalid": "ap_start", "tready": "ap_ready"},
        {"tvalid": "ap_done"},
    ]
    assert not found.guesses
    # Without arguments and results it starts what streams do.
    plain = HLS.replace("input [15:0] a, input [15:0] b,", "input x,").replace("a * b", "0")
    assert found_of(tmp_path, plain)[0].streams[0].fields == {"x": 1}


def test_what_the_user_says_of_a_port_holds(tmp_path: Path) -> None:
    found, sources = found_of(tmp_path, SUM)
    kept = discover(sources, choices=Choices(ties={"start": 0}, ignored=("s",)))
    assert (kept.streams, kept.ties["start"], kept.unplaced["s"]) == ((), 0, "output: left open, as asked for")
    wrong = describe(found, sources, tmp_path, model=MODEL).model_dump(exclude_unset=True)
    wrong["streams"][1]["after"] = "inn"
    with pytest.raises(ValueError, match="out: after: found 'inn', expected an input with tready or until: in"):
        Description.model_validate(wrong)


def test_what_is_found_is_no_result_of_an_array_of_inputs(tmp_path: Path) -> None:
    """Its description would be refused."""
    text = """module lanes(input clk, input [1:0] in_valid, output [1:0] in_ready, input [15:0] in_word, output fin_rdy,
      output reg [15:0] y); reg [1:0] full; assign in_ready = ~full; assign fin_rdy = &full;
      always @(posedge clk) begin
        if (in_valid[0] & in_ready[0]) begin y[7:0] <= in_word[7:0]; full[0] <= 1; end
        if (in_valid[1] & in_ready[1]) begin y[15:8] <= in_word[15:8]; full[1] <= 1; end
      end endmodule"""
    found, sources = found_of(tmp_path, text)
    assert describe(found, sources, tmp_path, model=MODEL).streams


@pytest.mark.parametrize(
    ("ports", "body"),
    [
        ("input r_ready, output r_valid, output [7:0] r_data", "assign r_valid = run, r_data = x;"),
        ("output note_valid, output [7:0] note_code", "assign note_valid = done, note_code = x;"),
    ],
    ids=["stream", "strobe"],
)
def test_done_beside_an_output_stream_is_a_status(ports: str, body: str, tmp_path: Path) -> None:
    text = SUM.replace("output reg done", f"{ports}, output reg done").replace("reg run;", f"reg run; {body}")
    found = with_handshakes(found_of(tmp_path, text)[0])
    assert [port.name for port in found.streams if port.direction == "out"] == [
        ports.partition("_valid")[0].split()[-1]
    ]
    assert "done" in found.unplaced


@pytest.mark.parametrize(
    ("text", "passes"),
    [(SUM, True), (STAYS, True), (RESTS, True), (HELD, True), (TOLD, True), (ANSWERED, True), (SPURIOUS, False)],
    ids=["pulse", "level", "rests", "held", "busy", "answered", "spurious"],
)
def test_a_job_is_compared_with_a_model(text: str, passes: bool, tmp_path: Path) -> None:
    found, sources = found_of(tmp_path, text)
    (path, *_) = write_bench(tmp_path, found, describe(found, sources, tmp_path, model=MODEL), force=True)
    (tmp_path / "model.py").write_text(PREDICT)
    text = path.read_text()
    assert "compare_time = true" in text
    path.write_text(text.replace("compare_time = true", "compare_time = false"))
    design = load_description(path)
    results = [run(Request(design, design.case(case)), tmp_path / case)[0] for case in ("sweep", "reset")]
    assert all(not one.failures for one in results) is passes
