# SPDX-License-Identifier: Apache-2.0
"""Handshakes whose names no bus has are found by what the RTL does with them, and guesses are no PASS."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.cli.probe import find_module
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.model_guess import guessed_model
from goldbeat.tb.run.runs import Request, run

GENERATED = Path(__file__).parent / "rtl" / "generated"
STAGE = """module stage (input logic clk, input logic rst_n, input logic VALID, output logic READY,
  input logic [10:0] DATA, output logic OFFER, input logic TAKE, output logic [10:0] RESULT MORE);
  logic full;
  assign READY = READY_IS;
  assign OFFER = OFFER_IS;
  always_ff @(posedge clk) begin
    if (VALID && TAKES) begin RESULT <= DATA; full <= 1'b1; end
    else if (TAKE && full) full <= 1'b0;
    if (!rst_n) full <= 1'b0;
  end
endmodule
"""
PLAIN = {"READY_IS": "!full", "OFFER_IS": "full", "TAKES": "!full", "MORE": ""}
SOME = {
    "logic full;": "logic full, some;",
    "full <= 1'b1;": "{full, some} <= 3;",
    "full <= 1'b0;": "{full, some} <= 0;",
}
NAMES = {
    "basejump": ("v_i ready_and_o data_i v_o yumi_i data_o", {}),
    "requests": ("inp_req_i inp_gnt_o inp_word_i oup_req_o oup_gnt_i oup_word_o", {}),
    "letters": ("wvalid_i wready_o wword_i rvalid_o rready_i rword_o", {}),
    "no_words": ("go busy x y_stb y_take y", {"READY_IS": "full", "TAKES": "!busy"}),
    "both_ready": ("c_srdy c_drdy c_data p_srdy p_drdy p_data", {}),
    "misnamed": ("in_ready buffer_full x o_valid o_take y", {"READY_IS": "full", "TAKES": "!buffer_full"}),
    "unknown": (
        "w_n ff_n d ef_n r_n q",
        {"OFFER_IS": "some", "(VALID": "(!VALID", "(TAKE && full": "(!TAKE && some"} | SOME,
    ),
    "made": (
        "w_n ff_n d ef_n r_n q",
        {"<= DATA": "<= ~DATA", "OFFER_IS": "some", "(VALID": "(!VALID", "(TAKE && full": "(!TAKE && some"} | SOME,
    ),
    "payload": ("valid_i ready_o payload_i valid_o ready_i payload_o", {}),
    "local_link": ("rx_src_rdy rx_dst_rdy rx_data tx_src_rdy_o tx_dst_rdy_i tx_data", {}),
    "local_link_low": (
        "src_rdy_n dst_rdy_n data tx_src_rdy_out_n tx_dst_rdy_in_n tx_data",
        {"READY_IS": "full", "OFFER_IS": "!full", "(VALID": "(!VALID", "(TAKE": "(!TAKE"},
    ),
    # Source and destination are two handshakes here.
    "two_sides": ("src_stb src_ready src_x dst_stb dst_ready dst_x", {}),
}
LOW = {
    "no_words": {"busy"},
    "misnamed": {"buffer_full"},
    "unknown": {"w_n", "r_n"},
    "made": {"w_n", "r_n"},
    "local_link_low": {"src_rdy_n", "dst_rdy_n", "tx_src_rdy_out_n", "tx_dst_rdy_in_n"},
}
"""Ports of them that mean something when they are low."""


def source(names: str, more: dict[str, str]) -> str:
    """The stage with other names."""
    roles = dict(zip(("VALID", "READY", "DATA", "OFFER", "TAKE", "RESULT"), names.split(), strict=True))
    text = STAGE
    for word, value in (PLAIN | more).items():
        text = text.replace(word, value)
    for word, value in roles.items():
        text = text.replace(word, value)
    return text


def found_in(folder: Path, text: str):
    """What is found in a module."""
    (folder / "stage.sv").write_text(text)
    return discover(Sources((folder / "stage.sv",)))


@pytest.mark.parametrize("kind", NAMES)
def test_roles_are_found_whatever_the_names_are(kind: str, tmp_path: Path) -> None:
    names, more = NAMES[kind]
    valid, ready, _, offer, take, _ = names.split()
    found = found_in(tmp_path, source(names, more))
    sides = {p.direction: p for p in found.streams}
    assert len(found.streams) == 2
    assert {p.direction: (p.pin("tvalid"), p.pin("tready")) for p in found.streams} == {
        "in": (valid, ready),
        "out": (offer, take),
    }
    low = {p.pin(role) for p in found.streams for role in ("tvalid", "tready") if p.inverts(role)}
    assert low == LOW.get(kind, set())
    assert [int(p.width) - p.padding for p in sides.values()] == [11, 11]
    assert not found.unplaced
    # Nothing shows that a word which is not passed on as it is belongs there.
    assert set(found.guesses) == ({"q"} if kind == "made" else set())


def test_a_ready_that_is_high_only_beside_its_valid_is_driven_so(tmp_path: Path) -> None:
    """Its word says so: ``yumi`` without a valid is an error in its library."""
    for kind, gated in (("basejump", True), ("payload", False)):
        text = source(*NAMES[kind]).replace(" && full) full", ") full")
        assert {p.direction: p.gated for p in found_in(tmp_path, text).streams} == {"in": False, "out": gated}


UNLOOKED = """module unlooked(input logic CLK, RST, ENQ, DEQ, output logic FULL_N, EMPTY_N);
  always_ff @(posedge CLK) if (RST) {EMPTY_N, FULL_N} <= 2'b01; else if (ENQ && !DEQ) {EMPTY_N, FULL_N} <= {1'b1, !EMPTY_N};
    else if (!ENQ && DEQ) {EMPTY_N, FULL_N} <= {!FULL_N, 1'b1};
endmodule
"""


def test_a_fifo_that_does_not_look_at_its_flags_is_never_pushed_while_full(tmp_path: Path) -> None:
    assert {p.direction: p.gated for p in found_in(tmp_path, UNLOOKED).streams} == {"in": True, "out": True}


SHARED = """module shared(input logic clk, rst, PUT, GET, input logic [6:0] d, output logic ROOM, WORD, output logic [6:0] q);
  logic [6:0] mem [4]; logic [1:0] w, r; logic [2:0] n;
  assign ROOM = NO_1(n == 4), WORD = NO_2(n == 0);
  always_ff @(posedge clk) if (rst) {w, r, n} <= 0;
    else if (PUT & GET & HAS) begin q <= mem[r]; mem[w] <= d; r <= r + 1; w <= w + 1; end
    else if (PUT & FREE) begin mem[w] <= d; w <= w + 1; n <= n + 1; end
    else if (GET & HAS) begin q <= mem[r]; r <= r + 1; n <= n - 1; end
endmodule
"""
HIGH = {"NO_1": "!", "NO_2": "!", "FREE": "ROOM", "HAS": "WORD"}
LEVELS = {"NO_1": "", "NO_2": "", "FREE": "!ROOM", "HAS": "!WORD"}


@pytest.mark.parametrize(
    ("names", "more"),
    [
        ("put get has_room has_word", HIGH),
        ("a b c e", HIGH),
        ("put get crowded vacant", LEVELS),
        ("put get full empty", LEVELS),
        ("push pop full_n empty_n", HIGH),
    ],
    ids=["words", "letters", "low", "flags", "flags_n"],
)
def test_a_word_goes_into_a_full_fifo_while_another_one_leaves(
    names: str, more: dict[str, str], tmp_path: Path
) -> None:
    text = SHARED
    for word, value in (more | dict(zip(("PUT", "GET", "ROOM", "WORD"), names.split(), strict=True))).items():
        text = text.replace(word, value)
    put, get, room, word = names.split()
    found = found_in(tmp_path, text)
    low = {p.pin(role) for p in found.streams for role in ("tvalid", "tready") if p.inverts(role)}
    assert {p.direction: (p.pin("tvalid"), p.pin("tready"), p.gated, p.late) for p in found.streams} == {
        "in": (put, room, True, False),
        "out": (word, get, False, True),
    }
    assert low == ({room, word} if more is LEVELS else set())
    assert not found.unplaced
    assert not found.guesses


GUARDED = {
    "plain": ("", ""),
    "wire": ("(TAKE && full)", "(go)"),
    "nested": ("(TAKE && full) full", "(full) if (TAKE) full"),
    "hidden": ("(TAKE && full)", "(1'b1 == TAKE & 1'b1 == OFFER)"),
    "or": ("(TAKE && full)", "(~(~TAKE | ~full))"),
    "state": ("(TAKE && full)", "(TAKE && full == 1'd1)"),
    "choice": ("else if (TAKE && full) full <= 1'b0;", "else full <= full ? !TAKE : full;"),
}
BLIND = {
    "dropped": ("TAKE && full", "TAKE"),
    "either": ("TAKE && full", "TAKE || full"),
    "other": ("TAKE && full", "TAKE && !full"),
    "count": ("TAKE && full) full <= 1'b0;", "TAKE && full) full <= 1'b0; if (TAKE) count <= count + 1;"),
    "task": ("TAKE && full) full <= 1'b0;", "TAKE && full) full <= 1'b0; add(TAKE);"),
    "local": (
        "TAKE && full) full <= 1'b0;",
        "TAKE && full) full <= 1'b0; begin automatic logic x = TAKE; own <= x; end",
    ),
    "stored": ("TAKE && full) full <= 1'b0;", "TAKE && full) full <= 1'b0; count <= TAKE;"),
}


@pytest.mark.parametrize("kind", [*GUARDED, *BLIND])
def test_a_ready_that_the_rtl_looks_at_beside_its_valid_alone_is_not_gated(kind: str, tmp_path: Path) -> None:
    """One use without the valid is enough to be gated."""
    old, new = (GUARDED | BLIND)[kind]
    text = STAGE.replace(
        "logic full;",
        "logic full, go, own; logic [3:0] count; assign go = full & TAKE; "
        "task automatic add(input logic one); count <= count + one; endtask",
    )
    names, more = NAMES["basejump"]
    roles = dict(zip(("VALID", "READY", "DATA", "OFFER", "TAKE", "RESULT"), names.split(), strict=True))
    text = text.replace(old, new) if old else text
    for word, value in (PLAIN | more | roles).items():
        text = text.replace(word, value)
    assert {p.direction: p.gated for p in found_in(tmp_path, text).streams} == {"in": False, "out": kind in BLIND}


def test_a_state_that_says_valid_guards_its_acknowledge(tmp_path: Path) -> None:
    """As Vitis HLS writes a register slice: the state is compared, and its bit is the valid."""
    text = """module slice (input logic clk, input logic rst, input logic [8:0] x_in, input logic vld_in, output logic ack_in,
      output logic [8:0] x_out, output logic vld_out, input logic ack_out);
      logic [1:0] state; logic wr, rd; logic [8:0] a, b;
      assign vld_out = state[0], ack_in = state[1], x_out = rd ? b : a;
      always_ff @(posedge clk) begin
        if (vld_out & ack_out) rd <= ~rd;
        if (vld_in & ack_in) begin wr <= ~wr; if (wr) b <= x_in; else a <= x_in; end
        case (state)
          2'd1: if (ack_out) state <= 2'd3;
          2'd3: if (vld_in & ~ack_out) state <= 2'd1; else if (ack_out & ~vld_in) state <= 2'd2;
          default: state <= vld_in ? 2'd3 : 2'd2;
        endcase
        if (rst) begin state <= 2'd2; {wr, rd} <= 2'd0; end
      end
    endmodule"""
    for old, new, gated in (("vld_out & ack_out", "vld_out & ack_out", False), ("vld_out & ack_out", "ack_out", True)):
        found = found_in(tmp_path, text.replace(old, new))
        assert {p.direction: p.gated for p in found.streams} == {"in": False, "out": gated}


def test_request_and_acknowledge_may_have_four_phases(tmp_path: Path) -> None:
    four = {"READY_IS": "full", "OFFER_IS": "full", "TAKES": "!full"}
    text = source("in_req in_ack in_word out_req out_ack out_word", four)
    for waits, guesses in ((" && !out_ack", {"in_ack": True, "out_ack": True}), ("", {"in_ack": True})):
        # Without a look at it between two words, an acknowledge takes each in one cycle.
        found = found_in(tmp_path, text.replace("in_req && !full", f"in_req && !full{waits}"))
        assert {port: "four phases" in why for port, why in found.guesses.items()} == guesses
    found = found_in(tmp_path, source("in_req in_ack in_word out_req out_ack out_word", {}))
    assert not found.guesses


def test_roles_that_one_name_or_the_rtl_alone_gives(tmp_path: Path) -> None:
    """A ready finds its valid, an output's valid the input that gates it; a flag with slack is a guess."""
    text = source("cmd_go cmd_stall cmd_x rsp_v choke rsp_x", {"READY_IS": "full", "TAKES": "!full"})
    found = found_in(tmp_path, text.replace("choke && full", "!choke && rsp_v"))
    sides = {p.direction: p for p in found.streams}
    assert {way: (p.pin("tvalid"), p.pin("tready"), p.inverts("tready")) for way, p in sides.items()} == {
        "in": ("cmd_go", "cmd_stall", True),
        "out": ("rsp_v", "choke", True),
    }
    text = source("wr_stb nearly_full wr_x out_req out_gnt out_x", {"READY_IS": "full", "TAKES": "1"})
    found = found_in(tmp_path, text)
    assert {p.direction: p.gated for p in found.streams} == {"in": True, "out": False}
    assert list(found.guesses) == ["nearly_full"]


def test_credits_that_nothing_counts_are_a_guess(tmp_path: Path) -> None:
    code = """module pass (input logic clk, input logic rst_n, input logic in_valid, input logic [9:0] in_word,
      output logic in_credit, output logic to_valid, output logic [9:0] to_word, input logic yummy);
      always_ff @(posedge clk) {in_credit, to_valid, to_word} <= {yummy, in_valid && rst_n, in_word};
    endmodule"""
    found = with_handshakes(found_in(tmp_path, code))
    assert {port: why.split()[3] for port, why in found.guesses.items()} == {
        "in_valid": "in_credit",
        "to_valid": "yummy",
    }
    assert not with_handshakes(found_in(tmp_path, code.replace("in_credit", "in_ready"))).guesses.keys() & {"in_valid"}
    # Those that belong to no word are named, too.
    apart = code.replace("to_valid", "kept").replace("output logic [9:0] to_word", "output logic [9:0] seen")
    apart = (
        apart.replace("to_word", "seen")
        .replace("logic yummy", "logic [1:0] lane_tokens")
        .replace("yummy", "|lane_tokens")
    )
    assert "of which none comes" in with_handshakes(found_in(tmp_path, apart)).beside["lane_tokens"]


def test_handshakes_without_data(tmp_path: Path) -> None:
    text = """module fork2 (input logic clk, input logic rst_n, input logic valid_i, output logic ready_o,
      output logic a_valid_o, input logic a_ready_i, output logic b_valid_o, input logic b_ready_i);
      assign ready_o = a_ready_i && b_ready_i;
      assign a_valid_o = valid_i && b_ready_i;
      assign b_valid_o = valid_i && a_ready_i;
    endmodule"""
    found = found_in(tmp_path, text)
    assert {p.name: (p.direction, p.width, p.padding) for p in found.streams} == {
        "in": ("in", 8, 8),
        "a": ("out", 8, 8),
        "b": ("out", 8, 8),
    }


def test_what_a_setting_switches_off_is_no_handshake(tmp_path: Path) -> None:
    text = """module halting #(parameter PAUSE = 0) (input logic clk, rst_n, pause_req, s_valid, m_ready,
      output logic pause_ack, s_ready, m_valid, input logic [7:0] s_data, output logic [7:0] m_data);
      if (PAUSE) begin : gen_pause
        always_ff @(posedge clk) pause_ack <= pause_req;
      end else begin : gen_none
        assign pause_ack = 1'b0;
      end
      assign s_ready = !m_valid || m_ready;
      always_ff @(posedge clk) begin
        if (!rst_n) m_valid <= 0;
        else if (s_ready) begin m_valid <= s_valid; m_data <= s_data; end
      end
    endmodule"""
    found = with_handshakes(found_in(tmp_path, text))
    assert ({one.name for one in found.streams}, found.ties["pause_req"]) == ({"s", "m"}, 0)
    on = with_handshakes(found_in(tmp_path, text.replace("PAUSE = 0", "PAUSE = 1")))
    assert {one.name for one in on.streams} == {"s", "m", "pause"}


SLICES = """module slices #(parameter N = 3) (input logic clk, input logic rst_n, input logic [N-1:0] vi,
  output logic [N-1:0] ri, input logic [N-1:0][10:0] wi, input logic [2*N-1:0] ti,
  output logic [N-1:0] vo, input logic [N-1:0] ro, output logic [11*N-1:0] wo, output logic [1:0] to [N]);
  assign ri = ~vo | ro;
  for (genvar g = 0; g < N; g++)
    always_ff @(posedge clk)
      if (!rst_n) vo[g] <= 0;
      else if (ri[g]) begin vo[g] <= vi[g]; wo[11*g +: 11] <= wi[g]; to[g] <= ti[2*g +: 2]; end
endmodule
"""


@pytest.mark.sim
def test_streams_of_an_array_have_whole_bytes_each(tmp_path: Path) -> None:
    (tmp_path / "slices.sv").write_text(SLICES)
    new = ["new", str(tmp_path / "b"), str(tmp_path / "slices.sv"), "--model", "identity"]
    bundles = ["--bundle", "i=tvalid:vi,tready:ri,ti,wi", "--bundle", "o=tvalid:vo,tready:ro,to,wo"]
    made = CliRunner().invoke(app, [*new, *bundles])
    assert made.exit_code == 0, made.output
    design = find_design(str(tmp_path / "b" / "slices.toml"))
    assert [(p.lanes, p.width, p.padding) for p in design.streams] == [("N", 16, 3)] * 2
    (result,) = run(Request(design, design.case("random")), tmp_path / "run")
    assert not result.failures
    said = CliRunner().invoke(app, [*new, "--ignore", "to"]).output
    assert "if vi or ro says when wi,ti is valid, give --bundle in=wi,ti,tvalid:vi" in " ".join(said.split())
    text = SLICES.replace("[2*N-1:0] ti", "[2*N:0] ti")
    (tmp_path / "slices.sv").write_text(text)
    said = " ".join(CliRunner().invoke(app, [*new, *bundles]).output.split())
    assert "--bundle i: ti has 7 bits, which do not divide among 3 streams, one for each bit of its valid" in said


def test_an_array_of_streams_is_found_by_its_names(tmp_path: Path) -> None:
    text = SLICES.replace(", input logic [2*N-1:0] ti", "").replace(", output logic [1:0] to [N]", "")
    text = text.replace("to[g] <= ti[2*g +: 2]; ", "")
    for old, new in {
        "vi": "valid_i",
        "ri": "ready_o",
        "wi": "data_i",
        "vo": "valid_o",
        "ro": "ready_i",
        "wo": "data_o",
    }.items():
        text = re.sub(rf"\b{old}\b", new, text)
    found = found_in(tmp_path, text)
    assert [(p.direction, p.lanes, p.width, p.padding) for p in found.streams] == [
        ("in", "N", 16, 5),
        ("out", "N", 16, 5),
    ]


def test_what_is_stored_under_an_enable_comes_without_ready(tmp_path: Path) -> None:
    text = """module pair (input logic clk, input logic rst_n, input logic sample_stb, input logic [11:0] re,
      input logic [11:0] im, input logic [3:0] mode, output logic out_stb, output logic [12:0] total);
      always_ff @(posedge clk) begin
        out_stb <= sample_stb && rst_n;
        if (sample_stb) total <= re + im + 13'(mode);
      end
    endmodule"""
    found = found_in(tmp_path, text)
    assert {p.name: (p.direction, p.has("tready"), int(p.width)) for p in found.streams} == {
        "sample": ("in", False, 24),
        "out": ("out", False, 16),
    }
    assert "mode" in found.unplaced
    assert found.guesses == {"total": "the only handshake of this direction is out_stb's"}


@pytest.mark.sim
def test_operands_that_are_looked_at_together_go_in_together(tmp_path: Path) -> None:
    """One of them is loaded whenever nothing goes on; what is compared, and a bit with another use, are no operands."""
    text = """module ratio (input logic clk, input logic rst, input logic wr, input logic twos, input logic odd,
      input logic [7:0] over, input logic [7:0] under, input logic [7:0] base, output logic busy, output logic [3:0] seen);
      logic [7:0] n, d; logic neg, hit, other;
      always_ff @(posedge clk) begin
        if (wr) d <= under;
        if (!busy) n <= over;
        other <= odd;
        neg <= wr & twos & (over[7] | under[7]);
        hit <= wr & odd & (under == base);
        busy <= !rst & (wr | (busy & n != d));
        seen <= {neg, hit, other, n == d};
      end
    endmodule"""
    found = found_in(tmp_path, text)
    assert {"odd", "base"} <= found.unplaced.keys()
    assert not {"twos", "over", "under"} & found.unplaced.keys()
    assert found.guesses["twos"] == "the RTL looks at it beside wr alone"


def test_a_guess_is_no_pass_until_it_is_confirmed(tmp_path: Path) -> None:
    names, more = NAMES["basejump"]
    text = source(names.replace("data_o", "word_o"), more).replace("<= data_i", "<= data_i ^ 11'h000")
    (tmp_path / "stage.sv").write_text(text)
    new = ["new", str(tmp_path / "b"), str(tmp_path / "stage.sv"), "--model", "identity"]
    assert CliRunner().invoke(app, new).exit_code == 0
    toml = tmp_path / "b" / "stage.toml"
    seen = {}
    for state in ("guess", "confirmed"):
        text_now = toml.read_text()
        toml.write_text(text_now if state == "guess" else re.sub(r"\[guesses\]\n(\w+ = .*\n)+", "", text_now))
        design = find_design(str(toml))
        (seen[state],) = run(Request(design, design.case("random")), tmp_path / state)
    assert [text.partition(":")[0] for text in seen["guess"].open] == ["word_o"]
    assert [seen[state].passed for state in ("guess", "confirmed")] == [False, True]
    # A wrong bit fails, whatever the names are.
    (tmp_path / "stage.sv").write_text(text.replace("11'h000", "11'h400"))
    (broken,) = run(Request(find_design(str(toml)), design.case("random")), tmp_path / "broken")
    assert broken.failures


@pytest.mark.sim
@pytest.mark.parametrize(
    ("file", "right", "wrong"),
    [
        ("hls.v", "assign dst_TDATA = data_reg_80", "assign dst_TDATA = data_reg_80 | 16'd1"),
        ("bluespec.v", "data$D_IN = put_x", "data$D_IN = put_x & ~32'd1"),
        ("chisel.sv", "_ram_ext_R0_data[12]", "1'h0"),
        ("spinal.v", "assign io_pop_payload_last = io_push_m2sPipe_payload_last", "assign io_pop_payload_last = 1'b1"),
        ("amaranth.v", r"\o__payload$next  = i__payload", r"\o__payload$next  = i__payload >> 1"),
    ],
)
def test_what_other_generators_write_is_driven_without_an_option(
    file: str, right: str, wrong: str, tmp_path: Path
) -> None:
    text = (GENERATED / file).read_text()
    assert text.count(right) == 1
    for state, code in (("sound", text), ("broken", text.replace(right, wrong))):
        source = tmp_path / state / file
        source.parent.mkdir()
        source.write_text(code)
        new = ["new", str(tmp_path / state / "b"), str(source), "--top", source.stem, "--model", "identity"]
        assert CliRunner().invoke(app, new).exit_code == 0
        design = find_design(str(tmp_path / state / "b" / f"{source.stem}.toml"))
        (result,) = run(Request(design, design.case("random")), tmp_path / state)
        assert bool(result.failures) == (state == "broken"), result.failures
        assert not result.open


def test_a_refusal_has_the_option_that_helps(tmp_path: Path) -> None:
    (
        tmp_path / "sum.sv"
    ).write_text("""module sum (input logic clk, input logic rst, input logic enable, input logic [7:0] a,
      output logic [7:0] total);
      always_ff @(posedge clk) total <= rst ? 8'd0 : total + a + 8'(enable);
    endmodule""")
    new = ["new", str(tmp_path / "b"), str(tmp_path / "sum.sv")]
    done = CliRunner().invoke(app, new)
    assert done.exit_code == 2
    option = "in=a,tvalid:enable"
    assert f"--bundle {option}" in " ".join(done.output.split())
    assert CliRunner().invoke(app, [*new, "--bundle", option]).exit_code == 0


def test_a_refusal_names_a_handshake_of_two_phases(tmp_path: Path) -> None:
    (
        tmp_path / "two.sv"
    ).write_text("""module two (input clk, rst, flip, input [7:0] x, output reg echo, flop, output reg [7:0] y,
      input seen);
      always @(posedge clk) if (rst) {echo, flop} <= 0;
        else if (flip != echo && flop == seen) begin echo <= flip; y <= x; flop <= !flop; end
    endmodule""")
    done = CliRunner().invoke(app, ["new", str(tmp_path / "b"), str(tmp_path / "two.sv")])
    said = " ".join(done.output.split())
    assert (done.exit_code, "flip and echo change level once per word" in said, "--bundle" in said) == (2, True, False)


def test_two_sides_of_one_prefix_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "half.sv").write_text(
        "module half (input logic dst_clk_i, input logic dst_rst_ni, output logic [7:0] dst_data_o, output logic dst_valid_o,"
        " input logic dst_ready_i, input logic dst_valid_i, output logic dst_ready_o, input logic [2:0] dst_ridx_i);"
        " assign {dst_valid_o, dst_ready_o, dst_data_o} = {dst_valid_i, dst_ready_i, 5'd0, dst_ridx_i}; endmodule"
    )
    found = with_handshakes(discover(Sources((tmp_path / "half.sv",))))
    assert {(p.name, p.direction) for p in found.streams} == {("dst", "out"), ("dst_in", "in")}


def test_a_letter_that_counts_ports_is_no_sign_of_a_low_level(tmp_path: Path) -> None:
    """``req_b`` beside ``req_a``; alone it is low."""
    code = """module two (input logic clk, input logic rst_a, input logic rst_b,
      input logic req_a, input logic [15:0] wr_a, output logic gnt_a,
      input logic req_b, input logic [15:0] wr_b, output logic gnt_b, output logic [15:0] q);
      assign {gnt_a, gnt_b} = {req_a, req_b && !req_a};
      always_ff @(posedge clk) if (gnt_a || gnt_b) q <= gnt_a ? wr_a : wr_b;
    endmodule"""
    found = found_in(tmp_path, code)
    pairs = {p.pin("tvalid"): (p.pin("tready"), p.inverts("tvalid"), p.inverts("tready")) for p in found.streams}
    assert pairs == {"req_a": ("gnt_a", False, False), "req_b": ("gnt_b", False, False)}
    assert (found.ties | {c.reset: int(not c.active_high) for c in found.clocks})["rst_b"] == 0
    code = re.sub("(req|wr|gnt)_([ab])", r"s_\1_\2", code)
    assert {p.pin("tvalid"): p.pin("tready") for p in found_in(tmp_path, code).streams} == {
        "s_req_a": "s_gnt_a",
        "s_req_b": "s_gnt_b",
    }
    alone = found_in(tmp_path, source("req_b gnt_b x y_req_b y_gnt_b y", {"TAKES": "1", "READY_IS": "full"}))
    assert all(p.inverts("tvalid") and p.inverts("tready") for p in alone.streams)


def test_ports_of_a_handshake_are_tied_only_beside_a_model(tmp_path: Path) -> None:
    bus = "input logic psel, penable, pwrite, input logic [7:0] paddr, input logic [31:0] pwdata, output logic [31:0] prdata"
    text = f"module stage (input logic clk, PORTS, input logic cmd_valid, input logic [3:0] cmd_op, {bus}, output logic pready);"
    for ports, model in (("input logic s_tvalid, input logic [7:0] s_tdata", None), ("input logic rst", "memory")):
        (tmp_path / "stage.sv").write_text(text.replace("PORTS", ports) + " endmodule")
        options = dict.fromkeys(signature(find_module).parameters) | {"relaxed": False}
        _, found = find_module(**options | {"files": [tmp_path / "stage.sv"]})
        assert (guessed_model(found) or [None])[0] == model
        tied = found.ties.keys() & {"cmd_valid", "cmd_op"}
        assert tied == ({"cmd_valid", "cmd_op"} if model else set())
        assert with_handshakes(found).handshakes == {"cmd"}


@pytest.mark.parametrize(
    ("more", "padding", "model"),
    [
        ("", 5, "identity"),
        (", output logic olast", 5, None),
        (", output logic olast, input logic ilast", 5, "identity"),
        # As many bytes, but other bits.
        (", output logic [1:0] oid", 3, None),
        (", output logic [9:0] oid", 3, None),
    ],
)
def test_payload_is_what_is_no_last_and_no_padding(more: str, padding: int, model: str | None, tmp_path: Path) -> None:
    found = found_in(tmp_path, source("ivld irdy idat ovld ordy odat", {"MORE": more}))
    ports = {port.name: port for port in found.streams}
    assert (ports["o"].signals or {}).get("tlast") == ("olast" if "olast" in more else None)
    assert (ports["i"].padding, ports["o"].padding) == (5, padding)
    assert (guessed_model(found) or [None])[0] == model


def test_r_answers_v(tmp_path: Path) -> None:
    found = found_in(tmp_path, source("flit_v_i flit_r_o flit_i flit_v_o flit_r_i flit_o", {}))
    assert {p.pin("tvalid"): p.pin("tready") for p in found.streams} == {"flit_v_i": "flit_r_o", "flit_v_o": "flit_r_i"}
    assert not found.guesses
    assert not found.unplaced


def test_settings_and_flow_control_are_no_handshake_and_no_payload(tmp_path: Path) -> None:
    code = """module pipe (input logic clk, input logic rst_n, input logic enable_pipe_req_i, input logic enable_pipe_resp_i,
      input logic job_valid, input logic [7:0] job_word, output logic mul_wr, output logic [7:0] mul_rd,
      output logic mul_wait);
      always_ff @(posedge clk) begin
        mul_wr <= job_valid && rst_n && enable_pipe_req_i && enable_pipe_resp_i;
        mul_wait <= job_valid;
        if (job_valid) mul_rd <= job_word;
      end
    endmodule"""
    for more in ("_wr mul_rd", "_valid_o mul_op mul_tag"):
        valid, *data = (f"mul{word.removeprefix('mul')}" for word in more.split())
        text = code.replace("mul_wr", valid).replace("mul_rd,", ", output logic [7:0] ".join(data) + ",")
        found = with_handshakes(found_in(tmp_path, text.replace("mul_rd <=", f"{data[0]} <=")))
        assert {p.pin("tvalid") for p in found.streams} == {"job_valid", valid}
        assert set(found.unplaced) == {"enable_pipe_req_i", "enable_pipe_resp_i", "mul_wait"}


def test_a_guessed_valid_has_the_level_that_the_rtl_asks_for(tmp_path: Path) -> None:
    names, low = "{} stall_out x {} stall_in y", {"READY_IS": "full", "TAKES": "!stall_out"}
    for name, more, inverted in (("present_n", {}, True), ("present", {"!stall_in && ": "!stall_in || "}, False)):
        text = source(names.format(name, "shown"), low)
        text = text.replace(f"if ({name}", f"if ({'!' * inverted}{name}").replace(
            "stall_in && full", "!stall_in && shown"
        )
        for old, new in more.items():
            text = text.replace(old, new)
        sides = {p.direction: p for p in found_in(tmp_path, text).streams}
        assert (sides["in"].pin("tvalid"), sides["in"].inverts("tvalid")) == (name, inverted)
        assert sides["out"].inverts("tvalid") is False


def test_a_connection_that_inverts_leaves_one_level(tmp_path: Path) -> None:
    """The answer is the same however often it is asked for."""
    code = """module skid (input logic k, input logic rst, input logic [12:0] a, input logic b, output logic c,
      output logic [12:0] x, output logic y, input logic z);
      logic [12:0] h; logic f;
      assign c = !f;
      always_ff @(posedge k)
        if (rst) {f, y} <= 0;
        else if (!y || z) begin if (f) {x, y, f} <= {h, 2'b10}; else {x, y} <= {a, b}; end
        else if (b && c) {h, f} <= {a, 1'b1};
    endmodule"""
    found = found_in(tmp_path, code)
    assert [(clock.name, clock.reset) for clock in found.clocks] == [("k", "rst")]
    assert found.module.carried.gates.stored["in_tdata"] == {("b", True), ("c", True)}
    assert [(p.pin("tready"), p.inverts("tready")) for p in found.streams] == [("c", False), ("z", False)]


SLICE = """module slice (input logic clk, input logic rst_n, input logic in_valid, output logic in_WORD,
  input logic [10:0] in_word, output logic out_valid, input logic out_WORD, output logic [10:0] out_word);
  assign in_WORD = FREE;
  always_ff @(posedge clk) begin
    if (in_WORD) {out_valid, out_word} <= {in_valid, in_word};
    if (!rst_n) out_valid <= 1'b0;
  end
endmodule
"""


@pytest.mark.parametrize("free", ["!out_valid || out_WORD", "!(out_valid & ~out_WORD)"])
@pytest.mark.parametrize("word", ["accept", "ack", "ok", "take", "rd", "next", "wait_n", "last"])
def test_the_ready_of_a_prefix_may_have_any_name(word: str, free: str, tmp_path: Path) -> None:
    """A name that is clearly another's makes it a guess."""
    found = with_handshakes(found_in(tmp_path, SLICE.replace("FREE", free).replace("WORD", word)))
    assert {p.direction: (p.pin("tvalid"), p.pin("tready"), p.inverts("tready")) for p in found.streams} == {
        "in": ("in_valid", f"in_{word}", False),
        "out": ("out_valid", f"out_{word}", False),
    }
    assert set(found.guesses) == ({"in_last", "out_last"} if word == "last" else set())
    assert not found.unplaced


def test_a_port_of_the_prefix_that_gates_nothing_is_no_ready(tmp_path: Path) -> None:
    code = SLICE.replace("FREE", "in_valid && in_word[0]").replace("if (in_WORD) ", "").replace("WORD", "odd")
    found = with_handshakes(found_in(tmp_path, code))
    assert not any(p.has("tready") for p in found.streams)
    assert set(found.unplaced) == {"in_odd", "out_odd"}
    text = SLICE.replace("FREE", "!out_valid || out_WORD").replace("WORD", "full")
    counted = text.replace("output logic in_full", "output logic in_full, output logic in_credit")
    found = with_handshakes(found_in(tmp_path, counted))
    assert not any(p.has("tready") for p in found.streams if p.direction == "in"), "a flag beside credits is a status"


def test_prefixes_are_compared_without_the_direction_in_front(tmp_path: Path) -> None:
    text = SLICE.replace("FREE", "!out_valid || out_WORD").replace("WORD", "ready").replace("slice", "sided")
    ports = {"in_": ("i_bus_", "o_bus_"), "out_": ("o_x_", "i_x_")}
    for prefix, (mine, other) in ports.items():
        text = re.sub(rf"\b{prefix}(ready)\b", rf"{other}\1", text)
        text = re.sub(rf"\b{prefix}(\w+)\b", rf"{mine}\1", text)
    found = with_handshakes(found_in(tmp_path, text))
    assert {p.name: (p.pin("tvalid"), p.pin("tready")) for p in found.streams} == {
        "bus": ("i_bus_valid", "o_bus_ready"),
        "x": ("o_x_valid", "i_x_ready"),
    }
    assert not found.guesses


def test_ports_of_one_letter_and_one_scheme_are_equally_sure(tmp_path: Path) -> None:
    for word in ("dat", "zed"):
        names = f"ivld irdy i{word} ovld ordy o{word}"
        found = found_in(tmp_path, source(names, {}).replace(f"o{word} <= i{word}", f"o{word} <= i{word} ^ 11'd1"))
        assert [p.width for p in found.streams] == [16, 16]
        assert not found.guesses


FLAGGED = """module flagged (input logic clk, input logic rst_n, input logic valid_in, input logic [15:0] packet_in,
  output logic ready_out, output logic valid_out, output logic [15:0] packet_out, input logic ready_in,
  output logic full, output logic empty);
  logic [15:0] word;
  assign {full, ready_out} = {!empty, empty};
  always_ff @(posedge clk) begin
    if (ready_in) begin valid_out <= !empty; packet_out <= MADE; end
    if (valid_in && empty) begin word <= packet_in; empty <= 1'b0; end
    else if (ready_in) empty <= 1'b1;
    if (!rst_n) {valid_out, empty} <= 2'b01;
  end
endmodule
"""


@pytest.mark.parametrize("made", ["word", "word ^ 16'd1"])
def test_a_flag_does_not_keep_the_only_payload_from_the_only_output(made: str, tmp_path: Path) -> None:
    found = found_in(tmp_path, FLAGGED.replace("MADE", made))
    assert [(p.direction, p.width, p.padding) for p in found.streams] == [("in", 16, 0), ("out", 16, 0)]
    assert not found.guesses
    assert {"full", "empty"} == set(found.unplaced)


def test_no_model_is_guessed_where_only_one_side_has_data(tmp_path: Path) -> None:
    bare = FLAGGED.replace("output logic [15:0] packet_out, ", "").replace("packet_out <= MADE; ", "")
    for code, padding, model in ((bare, [0, 8], None), (FLAGGED.replace("MADE", "word"), [0, 0], "identity")):
        found = found_in(tmp_path, code)
        assert sorted(p.padding for p in found.streams) == padding
        assert (guessed_model(found) or (None,))[0] == model


TWO_FIELDS = """module box (input logic clk, input logic rst, input logic a_valid, output logic a_ready,
  input logic [6:0] a_head, input logic [2:0] a_tail, output logic b_valid, input logic b_ready,
  output logic [6:0] b_head, output logic [2:0] b_tail);
  assign a_ready = !b_valid | b_ready;
  always_ff @(posedge clk) begin
    if (a_ready) begin b_valid <= a_valid; b_head <= a_head; b_tail <= MADE; end
    if (rst) b_valid <= 0;
  end
endmodule
"""
MASKED_BIT = TWO_FIELDS.replace("[2:0] ", "")
DELAY = """module echo (input logic clk, input logic rst, input logic smp_ce, input logic [15:0] smp, output logic out_ce,
  output logic [15:0] out_smp);
  logic c; logic [15:0] t;
  always_ff @(posedge clk) begin t <= smp; c <= smp_ce; out_ce <= rst ? 0 : c; out_smp <= LAST; end
endmodule
"""


@pytest.mark.parametrize(
    ("text", "inputs", "model"),
    [
        (TWO_FIELDS.replace("MADE", "a_tail"), {"a_head", "a_tail"}, "identity"),
        (TWO_FIELDS.replace("MADE", "3'd1"), {"a_head", "a_tail"}, None),
        (MASKED_BIT.replace("MADE", "a_valid & a_tail"), {"a_head", "a_tail"}, "identity"),
        (MASKED_BIT.replace("MADE", "a_head[0] & a_tail"), {"a_head", "a_tail"}, None),
        (DELAY.replace("LAST", "t"), {"smp"}, "identity"),
        (DELAY.replace("LAST", "smp"), set(), None),
    ],
    ids=["fields", "constant", "masked", "mixed", "delay", "other_delay"],
)
def test_fields_that_pass_through_are_compared(text: str, inputs: set[str], model: str | None, tmp_path: Path) -> None:
    found = with_handshakes(found_in(tmp_path, text))
    assert {name for port in found.streams if port.direction == "in" for name in port.fields} == inputs
    assert (guessed_model(found) or (None,))[0] == model
