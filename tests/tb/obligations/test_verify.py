# SPDX-License-Identifier: Apache-2.0
"""``goldbeat verify``: what it lists, what closes it, and the bench that it makes."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from commands import goldbeat, invoke, refused

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.cli.configured import search_configurations, verify_configurations
from goldbeat.tb.cli.subject import VerifySubject, find_subject
from goldbeat.tb.design import traffic
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.mutate.campaign import UnmutatedFailureError
from goldbeat.tb.mutate.points import mutants_of_design
from goldbeat.tb.obligations import rounds
from goldbeat.tb.obligations.conditions import SettledConditions
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import find
from goldbeat.tb.probe.model_guess import guessed_model

RTL = Path(__file__).parent / "rtl" / "odd_fifo.sv"
PLANTED = REPOSITORY / "tests" / "benchmarks" / "planted" / "streams"
RARE = "`if (count == LIMIT)` is true"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the module, which is the current one."""
    shutil.copy(RTL, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verified(*words: str, code: int) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(
        goldbeat("verify", *words, "--budget", "1s", "--mutants", 0, "--json", code=code).stdout
    )
    return report


def opened(report: dict[str, Any]) -> list[str]:
    return [f"{one['kind']} {one['place']}: {one['what']}" for one in report["list"] if not one["met"]]


def test_a_rare_place_of_the_rtl_is_open_until_it_is_waived(folder: Path) -> None:
    text = invoke("verify", "odd_fifo.sv", "--budget", "1s", "--mutants", 4).stdout
    assert text.startswith("PARTIAL odd_fifo\n")
    assert f"not tried: values odd_fifo.sv:29: {RARE}" in text
    assert re.search(r"obligations: \d+ of \d+ met; mutants: (100|75|50|25|0)% of 4 noticed", text)
    report = json.loads((folder / "build/verify/odd_fifo/verify.json").read_text())
    # The value is met: traffic takes it from the RTL. No run has so many beats.
    assert (report["status"], opened(report)) == ("partial", [f"values odd_fifo.sv:29: {RARE}"])
    assert "guessed" in report["notes"][0]
    page = (folder / "build/verify/odd_fifo/index.html").read_text()
    assert "<summary>Not tried: 1</summary>" in page
    assert "count == LIMIT" in page

    # An edited bench is never written over.
    bench = folder / "build/verify/odd_fifo/bench/odd_fifo.toml"
    bench.write_text(bench.read_text() + '\n[obligations]\n"values odd_fifo.sv:29: *" = "no run is so long"\n')
    assert "was edited" in refused("verify", "odd_fifo.sv", folder=folder)
    report = verified(str(bench), code=0)
    assert (report["status"], opened(report)) == (
        "pass",
        [f"values odd_fifo.sv:29: {RARE}"],
    )
    assert [one["waived"] for one in report["list"] if "waived" in one] == ["no run is so long"] * 2

    bench.write_text(bench.read_text().replace("odd_fifo.sv:29:", "odd_fifo.sv:99:"))
    assert "matches no obligation" in goldbeat("verify", bench, "--budget", "1s", "--mutants", 0, code=2).stderr


SWITCH = """module switch #(parameter bit TWICE = 0) (
  input logic clk, rst_n, s_valid, m_ready, input logic [7:0] s_data,
  output logic s_ready, m_valid, output logic [7:0] m_data);
  assign s_ready = !m_valid || m_ready;
  always_ff @(posedge clk) begin
    if (!rst_n) m_valid <= 1'b0;
    else if (s_ready) m_valid <= s_valid;
    if (s_ready && s_valid) m_data <= (TWICE && s_data == 8'd7) ? 8'd8 : s_data;
  end
endmodule
"""


@pytest.mark.slow
def test_other_values_of_parameters(folder: Path) -> None:
    """A fault that the default of a parameter leaves out."""
    (folder / "switch.sv").write_text(SWITCH)
    report = verified("switch.sv", "--configurations", "2", "--model", "identity", code=1)
    (other,) = report["configurations"]
    assert (other["values"], other["status"]) == ({"TWICE": 1}, "fail")
    assert any("port m, beat" in text for text in other["failures"])
    assert not report["failures"]
    assert "1 other set(s) of values tried, of at most 2" in report["notes"][-1]
    assert "TWICE = 1" in (folder / "build/verify/switch/index.html").read_text()
    assert json.loads((folder / "build/verify/switch/TWICE_1/verify.json").read_text())["failures"]
    bench = folder / "build/verify/switch/TWICE_1/bench/switch.toml"
    assert "is for RTL" in refused("verify", bench, "--configurations", 1, folder=folder)


MASKED = SWITCH.replace("switch #(parameter bit TWICE = 0)", "masked").replace(
    "input logic [7:0] s_data,", "input logic [7:0] s_data, input logic [7:0] msk,"
)


@pytest.mark.slow
def test_an_input_that_makes_words_and_never_moves(folder: Path) -> None:
    """Nobody has asked to hold it, so a PASS would hold for one of its values alone."""
    text = MASKED.replace("(TWICE && s_data == 8'd7) ? 8'd8 : s_data", "s_data & ~msk")
    (folder / "masked.sv").write_text(text)
    report = verified("masked.sv", code=3)
    assert (report["not_driven"], report["status"], opened(report)) == ({"msk": 0}, "partial", [])
    assert "m: signals of it are made of msk" in report["partial"][0]


@pytest.mark.parametrize(
    ("model", "failure", "status"),
    [
        (None, "episode 0: port m, beat 2: data differs: expected 07, got 08", "partial"),
        ("identity", "episode 0: port m, beat 2: data differs: expected 07, got 08", "fail"),
        (None, "episode 0: axis_payload_stable: m, cycle 4: tdata changed", "fail"),
    ],
)
def test_a_guessed_model_may_not_hold_for_other_values(
    folder: Path, model: str | None, failure: str, status: str
) -> None:
    (folder / "switch.sv").write_text(SWITCH)
    names = ("lists", "near", "top", "includes", "libraries", "defines", "generics", "ties", "ignored", "bundles")
    given: dict[str, Any] = {**dict.fromkeys(names), "relaxed": False, "rdl": None, "bench": None, "model": model}
    given["subject"] = ["switch.sv"]

    def fail(subject: VerifySubject, place: Path) -> dict[str, Any]:
        assert place == folder / "build/verify/switch/TWICE_1"
        if folder.joinpath("broken").exists():
            raise UsageError("it does not build")
        return {"status": "fail", "failures": [failure], "partial": []}

    def again() -> dict[str, Any]:
        subject = find_subject(given)
        sets = search_configurations(subject, given, 1).sets
        (report,) = verify_configurations(subject, given, fail, sets, lambda text: None)
        return report

    assert again()["status"] == status
    folder.joinpath("broken").touch()
    assert (again()["status"], again()["partial"]) == ("partial", ["not verified: it does not build"])
    folder.joinpath("broken").unlink()
    bench = folder / "build/verify/switch/TWICE_1/bench/switch.toml"
    bench.write_text(bench.read_text() + "\n# mine\n")
    report = again()
    assert report["status"] == "partial"
    assert "was edited" in report["partial"][0]


OF_INTERFACES = """interface words #(parameter W = 8); logic [W-1:0] tdata; logic tvalid, tready;
  modport from(input tdata, tvalid, output tready); modport to(output tdata, tvalid, input tready);
endinterface
module passes (input logic clk, input logic rst, words.from s_axis, words.to m_axis);
  if (m_axis.W > 8) begin : gen_wide assign m_axis.tdata = 16'(s_axis.tdata); end
  else begin : gen_narrow assign m_axis.tdata = s_axis.tdata; end
  assign m_axis.tvalid = s_axis.tvalid; assign s_axis.tready = m_axis.tready;
endmodule
"""


def test_parameters_of_interfaces_have_other_values(folder: Path) -> None:
    (folder / "passes.sv").write_text(OF_INTERFACES)
    names = ("lists", "near", "top", "includes", "libraries", "defines", "generics", "ties", "ignored", "bundles")
    given: dict[str, Any] = {**dict.fromkeys(names), "relaxed": False, "rdl": None, "bench": None, "model": "identity"}
    given["subject"] = ["passes.sv"]
    found = search_configurations(find_subject(given), given, 4)
    assert [one.values for one in found.sets] == [{"M_AXIS_W": 16}, {"S_AXIS_W": 16}]
    assert not found.left_out


@pytest.mark.slow
def test_a_reset_of_one_edge(folder: Path) -> None:
    """A register that only the second edge of a reset clears is named; one that a long reset leaves as it is fails."""
    rtl = folder / "odd_fifo.sv"
    text = rtl.read_text().replace("  logic        odd;", "  logic odd, ran;")
    text = text.replace("  always_ff", "  always_ff @(posedge clk) ran <= rst_n;\n  always_ff")
    rtl.write_text(text.replace("m_axis_tvalid <= 1'b0;", "m_axis_tvalid <= m_axis_tvalid && ran;"))
    named = "reset rst_n: lasted for one edge of the clock, with work in flight"
    assert named in opened(verified("odd_fifo.sv", code=3))


@pytest.mark.slow
def test_an_answer_that_survives_a_reset_of_one_edge_fails(folder: Path) -> None:
    text, fault = (BUSES / "axil_slice.sv").read_text(), "spare_survives_reset"
    (one,) = [one for one in tomllib.loads((BUSES / "faults.toml").read_text())["fault"] if one["name"] == fault]
    (folder / "m.sv").write_text(text.replace(one["old"], one["new"]))
    found = verified("m.sv", "--top", "axil_slice", code=1)
    assert "axil_b_without_request: " in found["failures"][0]
    assert any("one_edge" in text for text in found["failures"])


@pytest.mark.parametrize("reset", [32, 31, 0])
def test_a_reset_does_the_same_to_all_words(reset: int, folder: Path) -> None:
    """Registers of which all are reset, all but the last, and none, as in a memory."""
    text = (PLANTED.parent / "buses" / "axil_regs.sv").read_text()
    (folder / "axil_regs.sv").write_text(text.replace("i < 32; i++) regs[i]", f"i < {reset}; i++) regs[i]"))
    goldbeat("new", "bench", "axil_regs.sv", "--model", "memory")
    said = invoke("run", "bench/axil_regs.toml", "--obligations").stdout
    odd = "reset s_axil_rdata: a reset does the same to all words of 0x0 to 0x7f"
    assert ((odd in said), ("RTL that resets 0x7c as" in said)) == (reset == 31, reset == 31), said


_SERVED = "served before 48 others"
_BARE = "a refused write without a byte"
_LATER = "? !w_last : s1_axil_awvalid"
_BRESP = "s_axil_bresp  <= {m_apb_pslverr"


@pytest.mark.parametrize(
    ("module", "model", "right", "wrong", "place", "what"),
    [
        ("axil_mux2", "interconnect", _LATER, "? 1'b0 : s1_axil_awvalid", "s1_axil_awvalid", _SERVED),
        pytest.param(
            *("axil_to_apb", "adapter", "can_write && (!ar_full || !last_was_write)", "can_write"),
            *("s_axil_arvalid", _SERVED),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("axil_to_axi", "adapter", "ars <= ars + {2'd0, ar_move} - {2'd0, r_move};"),
            *("ars <= ar_move ? ars + 3'd1 : ars - {2'd0, r_move};", "m_axi_araddr", "as many reads open"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("axil_to_apb", "adapter", _BRESP, f"{_BRESP} && |m_apb_pstrb", "s_axil_bresp", _BARE),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_no_comparison_shows_is_named(
    module: str, model: str, right: str, wrong: str, place: str, what: str, folder: Path
) -> None:
    text = (PLANTED.parent / "buses" / f"{module}.sv").read_text()
    goldbeat("new", "bench", PLANTED.parent / "buses" / f"{module}.sv", "--model", model)
    description = folder / "bench" / f"{module}.toml"
    description.write_text(re.sub(r"files = .*", f'files = ["../{module}.sv"]', description.read_text()))
    assert right in text
    for design, open_ones in ((text, []), (text.replace(right, wrong), [place])):
        (folder / f"{module}.sv").write_text(design)
        said = invoke("run", description, "--obligations", "--json").stdout
        found = [one for one in json.loads(said)["obligations"]["list"] if what in one["what"]]
        assert found
        assert [one["place"] for one in found if not one["met"]] == open_ones


@pytest.mark.slow
def test_a_reset_finds_what_is_held(folder: Path) -> None:
    text = (PLANTED / "axis_null_drop.sv").read_text()
    text = text.replace("      held          <= 1'b0;", "      held          <= held && held_last;")
    (folder / "axis_null_drop.sv").write_text(text)
    report = verified("axis_null_drop.sv", "--model", "repack", code=1)
    assert "--case reset" in report["failures"][-1]


@pytest.mark.slow
def test_what_widths_rule_out_is_no_obligation(folder: Path) -> None:
    rtl = folder / "odd_fifo.sv"
    rtl.write_text(rtl.read_text().replace("count == LIMIT", "s_axis_tdata + 33'd1 > 33'h1_0000_0000"))
    report = verified("odd_fifo.sv", code=0)
    waived = {one["waived"] for one in report["list"] if "waived" in one}
    assert waived == {"by widths and constants, `s_axis_tdata + 33'd1 > 33'h1_0000_0000` is always false"}


SIZES = """
module slice #(parameter int W = 1) (input logic clk, input logic [W-1:0] d, output logic [W-1:0] q);
  logic [W-1:0] mem [2];
  logic turn;
  always_ff @(posedge clk) begin turn <= !turn; mem[turn] <= d; q <= mem[!turn]; end
endmodule
"""
"""A stage of any width."""
COPIES = """
  typedef struct packed {logic [7:0] len; logic [2:0] size;} held_t;
  held_t held;
  logic [2:0] plain, gated, two [2], pair, mixed, late, lost, sum, other;
  logic [1:0][2:0] packs;
  slice #(.W(11)) stage (.clk, .d({s_axi_awlen, s_axi_awsize}), .q(held));
  slice #(.W(6)) pairs (.clk, .d({s_axi_arsize, s_axi_awsize}), .q({two[1], pair}));
  slice #(.W(3)) shifted (.clk, .d({s_axi_awsize[1:0], 1'b0}), .q(lost));
  always_ff @(posedge clk) begin
    plain <= s_axi_awlen[0] ? held.size : two[0];
    two[0] <= plain;
    gated <= {3{s_axi_awlen[1]}} & plain | pair;
    packs[s_axi_awlen[0]] <= gated;
    mixed <= s_axi_awlen[0] ? packs[1] : s_axi_awlen[2:0];
    sum <= plain + pair;
    late <= s_axi_awsize;
    if (s_axi_awlen <= 8'd9) late <= 3'd7;
    other <= s_axi_awsize ^ s_axi_arsize;
  end
endmodule
"""


def test_sizes_of_bursts_end_with_those_of_the_bus(folder: Path) -> None:
    """What takes AxSIZE and nothing else never has the bit that would be more bytes than the bus has."""
    text = (PLANTED.parent / "buses" / "axi_ram_burst.sv").read_text().replace("endmodule", COPIES)
    (folder / "m.sv").write_text(text + SIZES)
    goldbeat("new", "bench", "m.sv", "--model", "memory")
    never = ("w_size[2]", "r_size[2]", "held.size[2]", "plain[2]", "gated[2]", "two[0][2]", "packs[1][2]", "pair[2]")
    asked = (
        "w_size[1]",
        "w_burst[1]",
        "held.len[2]",
        "plain[1]",
        "mixed[2]",
        "sum[2]",
        "late[2]",
        "lost[2]",
        "other[2]",
    )
    lines = text.splitlines()
    found = []
    for name in (*never, *asked):
        word = re.compile(rf"\s(logic|held_t|reg) .*\b{name.partition('[')[0].partition('.')[0]}\b")
        line = next(n for n, one in enumerate(lines, 1) if word.search(one))
        found.append(Obligation("values", f"m.sv:{line}", f"{name} rises", met=False))
    waived = SettledConditions(load_description(folder / "bench" / "axi_ram_burst.toml"))(found)
    assert [one.what for one in waived if one.waived] == [f"{name} rises" for name in never]


@pytest.mark.slow
def test_a_signal_that_nothing_drives_never_changes(folder: Path) -> None:
    rtl = folder / "odd_fifo.sv"
    text = rtl.read_text().replace("endmodule", "wire idle; wire [1:0] open; wire seen = open[0];\nendmodule")
    rtl.write_text(text)
    report = verified("odd_fifo.sv", code=3)
    waived = {one["what"]: one["waived"] for one in report["list"] if "waived" in one}
    names = ("idle", "open[0]", "open[1]")
    assert (
        waived.items() >= {f"{name} {way}": "nothing drives it" for name in names for way in ("rises", "falls")}.items()
    )
    line = text.count("\n", 0, text.index("wire idle")) + 1
    assert report["warnings"] == [f"odd_fifo.sv:{line}: nothing drives open, which is used"]


HALVES = """module halves (input wire clk, input wire rst, input wire [31:0] s_tdata, input wire [3:0] s_tkeep, input wire s_tvalid,
  output wire s_tready, input wire s_tlast, output wire [15:0] m_tdata, output wire [1:0] m_tkeep, output wire m_tvalid,
  input wire m_tready, output wire m_tlast);
  reg [31:0] d; reg [3:0] k; reg l; reg [1:0] left;
  assign m_tvalid = left != 0; assign m_tdata = d[15:0]; assign m_tkeep = k[1:0]; assign m_tlast = l && left == 1;
  assign s_tready = left == 0 || (left == 1 && m_tready);
  always @(posedge clk)
    if (rst) left <= 0;
    else if (s_tready) begin
      left <= s_tvalid ? (s_tkeep[2] ? 2'd2 : 2'd1) : 2'd0; if (s_tvalid) begin d <= s_tdata; k <= s_tkeep; l <= s_tlast; end
    end else if (m_tready) begin left <= left - 1; d <= d >> 16; k <= k >> 2; end
endmodule
"""


@pytest.mark.slow
def test_null_bytes_that_often_fail_are_undecided_until_they_are_waived(folder: Path) -> None:
    """It looks at the lower bit of TKEEP of each half alone."""
    (folder / "halves.v").write_text(HALVES)
    report = verified("halves.v", "--bench", "bench", code=3)
    assert re.match(r"\d+ of \d+ frames that have some come out wrong", report["guesses"]["null bytes of s_tkeep"])
    assert "keep=hole" in report["failures"][-1]
    bench = folder / "bench" / "halves.toml"
    waiver = '"sizes s_tkeep: null bytes in front of kept ones" = "all its sources pack"'
    bench.write_text(f"{bench.read_text()}\n[obligations]\n{waiver}\n")
    report = verified(bench, code=0)
    assert not report["guesses"]


def test_a_fault_behind_a_value_fails(folder: Path) -> None:
    rtl = folder / "odd_fifo.sv"
    rtl.write_text(rtl.read_text().replace("if (count == LIMIT) m_axis", "if (s_axis_tdata == MAGIC) m_axis"))
    report = verified("odd_fifo.sv", code=1)
    assert any("data differs: expected 5eedcafe, got 00000000" in text for text in report["failures"])
    assert any(text.startswith("repeat: goldbeat run ") for text in report["failures"])


@pytest.mark.slow
def test_bytes_in_the_middle_of_a_frame_may_be_left_out(folder: Path) -> None:
    shutil.copy(PLANTED / "axis_reg_fwd.sv", folder)
    rtl = folder / "axis_reg_fwd.sv"
    text = rtl.read_text()
    highest = "s_axis_tkeep[3] ? 4'hF : s_axis_tkeep[2] ? 4'h7 : s_axis_tkeep[1] ? 4'h3 : s_axis_tkeep"
    rtl.write_text(text.replace("m_axis_tkeep <= s_axis_tkeep;", f"m_axis_tkeep <= {highest};"))
    assert rtl.read_text() != text
    report = verified("axis_reg_fwd.sv", code=3)
    # All episodes differ: it takes low bytes alone, and nobody has said that it should take others.
    assert any("sizes s_axis_tkeep: null bytes in front of kept ones" in text for text in opened(report))
    rtl.write_text(
        text.replace("m_axis_tkeep <= s_axis_tkeep;", "m_axis_tkeep <= s_axis_tkeep | {3'd0, s_axis_tkeep == 4'd6};")
    )
    report = verified("axis_reg_fwd.sv", code=1)
    assert any("--set keep=hole" in text for text in report["failures"])


@pytest.mark.slow
def test_a_crossing_without_a_synchroniser_fails(folder: Path) -> None:
    """Late bits are tried even if everything else is met before."""
    table = tomllib.loads((PLANTED / "faults.toml").read_text())
    (fault,) = [
        f for f in table["fault"] if (f["module"], f["name"]) == ("axis_cdc_toggle.sv", "valid_after_one_stage")
    ]
    text = (PLANTED / "axis_cdc_toggle.sv").read_text()
    (folder / "axis_cdc_toggle.sv").write_text(text.replace(fault["old"], fault["new"]))
    report = verified("axis_cdc_toggle.sv", code=1)
    assert "--metastability auto" in report["failures"][-1]


def test_paths_between_pins_are_looked_for(folder: Path) -> None:
    """A simulator that counts conditions flips no inputs, so another one runs before."""
    text = (PLANTED.parent / "buses" / "axil_ram.sv").read_text()
    found = re.search(r"assign s_axil_awready\s*= (.*);", text)
    assert found is not None
    (folder / "axil_ram.sv").write_text(text.replace(found[1], f"({found[1]}) && s_axil_awvalid"))
    assert "axil_combinational" in verified("axil_ram.sv", code=1)["failures"][0]


@pytest.mark.slow
def test_what_initial_values_do_is_no_traffic(folder: Path) -> None:
    """A bit that only a value before reset has set is open."""
    rtl = folder / "odd_fifo.sv"
    text = (
        rtl.read_text()
        .replace("logic [31:0] count;", "logic [15:0] count;")
        .replace("count + 1", "count + 16'(count == 16'd9)")
    )
    rtl.write_text(text.replace("500_000", "7").replace("count         <= '0;", ""))
    report = verified("odd_fifo.sv", code=3)
    assert "values odd_fifo.sv:16: count[15] rises" in opened(report)


BUSES = PLANTED.parent / "buses"


@pytest.mark.parametrize("refused", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_addresses_within_words(folder: Path, refused: bool) -> None:
    """A slave that keeps all address bits is sent them all; one that refuses such addresses need not take them."""
    text = (BUSES / "axil_ram.sv").read_text()
    text = text.replace("aw_word <= s_axil_awaddr[ADDR_WIDTH-1:LSB];", "aw <= s_axil_awaddr;")
    text = text.replace(
        "] aw_word;", "] aw_word;\n  logic [ADDR_WIDTH-1:0] aw;\n  assign aw_word = aw[ADDR_WIDTH-1:LSB];"
    )
    if refused:
        text = text.replace("assign s_axil_rresp   = 2'b00;", "logic odd;\n  assign s_axil_rresp = {odd, 1'b0};")
        text = text.replace("s_axil_rvalid <= 1'b1;", "s_axil_rvalid <= 1'b1;\n      odd <= s_axil_araddr[1:0] != '0;")
    (folder / "axil_ram.sv").write_text(text)
    report = verified("axil_ram.sv", code=0)
    (one,) = [one for one in report["list"] if one["what"] == "addresses within a word"]
    assert (one["met"], "waived" in one) == (not refused, refused)


@pytest.mark.slow
def test_an_interconnect_without_a_map_gets_a_verdict(folder: Path) -> None:
    """A fault that leads accesses nowhere is found by protocol rules."""
    text = (BUSES / "apb_decoder.sv").read_text()
    (folder / "apb_decoder.sv").write_text(
        text.replace("      enable <= 1'b0;\n      done   <= 1'b0;", "      done   <= 1'b0;", 1).replace(
            "{busy && port == ", "{busy && port != "
        )
    )
    report = verified("apb_decoder.sv", "--model", "interconnect", code=1)
    assert any("penable is high" in one for one in report["failures"])
    assert "address map: not found by trial accesses, so model rules in place" in report["notes"][0]


def test_a_window_that_is_seen_twice_is_named(folder: Path) -> None:
    """What the bench has found by asking is never refused."""
    text = (BUSES / "apb_decoder.sv").read_text()
    (folder / "apb_decoder.sv").write_text(text.replace("s_apb_paddr[15:14] != 2'd0", "s_apb_paddr[15]"))
    report = verified("apb_decoder.sv", "--model", "interconnect", code=3)
    assert any("(also reached from 0x" in one for one in opened(report))


def test_a_bench_of_other_rtl_is_refused(folder: Path) -> None:
    goldbeat("new", "mine", "odd_fifo.sv", "--model", "identity")
    (folder / "other.sv").write_text(RTL.read_text().replace("odd_fifo", "other"))
    assert "is a bench of odd_fifo" in refused("verify", "other.sv", "--bench", "mine", folder=folder)
    # A module that the bench's own top uses is not its top.
    goldbeat("new", "both", "odd_fifo.sv", "other.sv", "--top", "odd_fifo", "--model", "identity")
    assert "is a bench of odd_fifo, not of other" in refused("verify", "other.sv", "--bench", "both", folder=folder)


def test_what_is_refused(folder: Path) -> None:
    assert "expected a time above 0" in refused("verify", "odd_fifo.sv", "--budget", "fast", folder=folder)
    assert "for RTL" in refused("verify", "axis_skid", "--model", "identity", folder=folder)


def test_rtl_that_no_model_fits_is_driven_under_the_rules_alone(folder: Path) -> None:
    (folder / "two.sv").write_text(
        "module two (input wire clk, input wire [7:0] s_axis_tdata, input wire s_axis_tvalid, output wire s_axis_tready,"
        " output wire [7:0] a_axis_tdata, output wire a_axis_tvalid, input wire a_axis_tready,"
        " output wire [31:0] b_axis_tdata, output wire b_axis_tvalid, input wire b_axis_tready);"
        " assign {s_axis_tready, a_axis_tvalid, b_axis_tvalid} = 3'b100; endmodule"
    )
    report = verified("two.sv", code=3)
    assert any(note.startswith("model rules, guessed: the ports suggest none") for note in report["notes"])
    (folder / "two.sv").write_text((folder / "two.sv").read_text().replace("3'b100", "3'b010"))
    assert verified("two.sv", code=1)["status"] == "fail"


def _ports(*ports: str) -> str:
    """A module with streams and AXI-Lite ports, as ``NAME:WAY:WIDTH``, ``NAME:WAY:WIDTH+dest`` or ``NAME:WAY:axil``."""
    lines = ["input wire clk", "input wire rst_n"]
    for port in ports:
        name, way, width = port.split(":")
        to, back = ("input", "output") if way == "in" else ("output", "input")
        if width == "axil":
            for role, size in (("awaddr", 12), ("awvalid", 1), ("wdata", 32), ("wstrb", 4), ("wvalid", 1), ("bready", 1), ("araddr", 12), ("arvalid", 1), ("rready", 1)):  # fmt: skip  # noqa: E501
                lines.append(f"{to} wire [{size - 1}:0] {name}_{role}" if size > 1 else f"{to} wire {name}_{role}")
            for role, size in (("awready", 1), ("wready", 1), ("bresp", 2), ("bvalid", 1), ("arready", 1), ("rdata", 32), ("rresp", 2), ("rvalid", 1)):  # fmt: skip  # noqa: E501
                lines.append(f"{back} wire [{size - 1}:0] {name}_{role}" if size > 1 else f"{back} wire {name}_{role}")
        else:
            width, _, dest = width.partition("+")
            lines += [f"{to} wire [1:0] {name}_tdest"] if dest else []
            lines += [
                f"{to} wire [{int(width) - 1}:0] {name}_tdata",
                f"{to} wire {name}_tvalid",
                f"{back} wire {name}_tready",
            ]
    return f"module top ({', '.join(lines)}); endmodule"


@pytest.mark.parametrize(
    ("ports", "model"),
    [
        (("s_axis:in:8", "m_axis:out:8"), "identity"),
        (("s_axis:in:8", "a_axis:out:8", "b_axis:out:8"), "broadcast"),
        (("s_axis:in:8+dest", "a_axis:out:8", "b_axis:out:8"), "route"),
        (("s_axis:in:8+dest", "a_axis:out:8+dest", "b_axis:out:8"), "broadcast"),
        (("a_axis:in:8", "b_axis:in:8", "m_axis:out:8"), "merge"),
        (("s_axis:in:8", "m_axis:out:32"), "repack"),
        (("s_axil:in:axil",), "memory"),
        (("s_axil:in:axil", "m_axil:out:axil"), "adapter"),
        (("s_axil:in:axil", "a_axil:out:axil", "b_axil:out:axil"), "interconnect"),
        (("m_axil:out:axil",), None),
        (("s_axil:in:axil", "s_axis:in:8", "m_axis:out:8"), None),
        (("s_axis:in:8",), None),
    ],
)
def test_the_ports_suggest_a_model(tmp_path: Path, ports: tuple[str, ...], model: str | None) -> None:
    file = tmp_path / "top.sv"
    file.write_text(_ports(*ports))
    guess = guessed_model(find(elaborate(Sources((file,)), "top", {})))
    assert (guess and guess[0]) == model


SLOW = """module slow (input wire clk, input wire rst, input wire [7:0] s_tdata, input wire s_tvalid, output wire s_tready,
  output reg [7:0] m_tdata, output reg m_tvalid, input wire m_tready);
  reg [8:0] left = 0; reg busy = 0; assign s_tready = !busy && !m_tvalid;
  always @(posedge clk) begin
    if (m_tready) m_tvalid <= 0;
    if (s_tvalid & s_tready) begin busy <= 1; left <= 90; m_tdata <= s_tdata; end
    else if (busy) begin left <= left - 1; if (left == 0) begin busy <= 0; m_tvalid <= 1; end end
    if (rst) begin busy <= 0; m_tvalid <= 0; end end
endmodule
"""


def test_a_slow_module_is_waited_for_while_its_beats_move(folder: Path) -> None:
    (folder / "slow.v").write_text(SLOW)
    goldbeat("new", "b", "slow.v", "--model", "identity")
    goldbeat("run", "b/slow.toml", "--case", "random")
    # Output that nothing predicts stands for no input that is still to be taken.
    description = folder / "b" / "slow.toml"
    description.write_text(description.read_text().replace('model = "identity"', 'model = "rules"'))
    goldbeat("run", description, "--case", "random", code=3)


@pytest.mark.slow
def test_what_differs_may_come_of_a_guess(folder: Path) -> None:
    names = {"s_tvalid": "req", "s_tready": "ack", "s_tdata": "word"}
    text = SLOW.replace("left <= 90", "left <= 1").replace("m_tdata <= s_tdata", "m_tdata <= s_tdata ^ 1")
    # A request beside an acknowledge that the RTL does not look at may be one of four phases.
    text = text.replace("s_tvalid & s_tready", "s_tvalid & !busy & !m_tvalid")
    for old, new in names.items():
        text = text.replace(old, new)
    (folder / "slow.v").write_text(text)
    goldbeat("new", "b", "slow.v", "--model", "identity")
    said = invoke("run", "b/slow.toml")
    assert (said.exit_code, "undecided: what differs may come of a guess" in said.stdout) == (3, True), said.output
    assert verified("slow.v", code=3)["status"] == "partial"
    description = folder / "b" / "slow.toml"
    description.write_text(re.sub(r"\[guesses\]\n(\w+ = .*\n)+", "", description.read_text()))
    assert invoke("run", "b/slow.toml").exit_code == 1


@pytest.mark.slow
def test_a_queue_that_is_never_written_when_full_leaves_that_open(folder: Path) -> None:
    (folder / "queue.v").write_text(
        "module queue (input wire clk, input wire rst, input wire push, input wire [7:0] din, output wire full,"
        " input wire pop, output wire [7:0] dout, output wire empty); reg [7:0] mem [0:7]; reg [3:0] w = 0, r = 0;"
        " wire [3:0] n = w - r;"
        " assign full = n == 8, empty = w == r, dout = mem[r[2:0]]; always @(posedge clk) begin"
        " if (push) begin mem[w[2:0]] <= din; w <= w + 1; end if (pop & !empty) r <= r + 1;"
        " if (rst) begin w <= 0; r <= 0; end end endmodule"
    )
    report = verified("queue.v", "--model", "identity", code=3)
    assert [one for one in opened(report) if one.startswith("handshake")] == [
        "handshake push: high while the queue is full"
    ]


@pytest.mark.slow
def test_an_acknowledge_that_comes_only_beside_its_valid_leaves_that_open(folder: Path) -> None:
    """RTL that dropped its own check for the valid; with the check, nothing is gated."""
    text = """module queue (input wire clk, input wire rst, input wire push_i, output wire accept_o, input wire [7:0] x_i,
      input wire pop_i, output wire valid_o, output wire [7:0] x_o);
      reg [7:0] mem [0:3]; reg [1:0] w, r; reg [2:0] n;
      assign accept_o = n != 4, valid_o = n != 0, x_o = mem[r];
      wire put = push_i & accept_o, get = pop_i & valid_o;
      always @(posedge clk) if (rst) begin w <= 0; r <= 0; n <= 0; end else begin
        if (put) begin mem[w] <= x_i; w <= w + 1; end
        if (get) r <= r + 1;
        if (put & ~get) n <= n + 1; else if (~put & get) n <= n - 1;
      end
    endmodule"""
    (folder / "queue.v").write_text(text.replace("get = pop_i & valid_o", "get = pop_i"))
    report = verified("queue.v", code=3)
    assert "handshake pop_i: high while valid_o is low" in opened(report)
    (folder / "queue.v").write_text(text)
    assert not [one for one in verified("queue.v", code=0)["list"] if one["place"] == "pop_i"]


@pytest.mark.slow
def test_mutants_that_cannot_be_made_are_said_beside_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a case that fails without a mutant is a failure of the design."""
    asked = ("verify", "odd_fifo.sv", "--budget", "1s", "--mutants", 2)
    for error, code, said in (
        (
            InputError("x", "y", file="odd_fifo.sv", line=3),
            3,
            "warning: mutants could not be made, so none were tried: ",
        ),
        (UsageError("no such case"), 3, "warning: mutants could not be made, so none were tried: no such case"),
        (UnmutatedFailureError("random fails without a mutant: x"), 1, "random fails without a mutant: x"),
    ):

        def fail(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("goldbeat.tb.cli.verify.sample_fates", fail)
        found = invoke(*asked)
        assert (found.exit_code, said in found.stdout) == (code, True), found.output


def test_files_that_new_makes_are_not_mutated(folder: Path) -> None:
    text = SLOW.replace("s_tvalid", "go").replace("s_tready", "done").replace("s_tdata", "word")
    (folder / "slow.v").write_text(text)
    goldbeat("new", "b", "slow.v", "--bundle", "in=tvalid:go,tready:done,word", "--model", "identity")
    assert (folder / "b" / "slow_flat.sv").is_file()
    found = mutants_of_design(load_description(folder / "b" / "slow.toml"))
    assert {one.place.file.name for one in found} == {"slow.v"}


ADDER = """module adder (input wire clk, input wire rst, input wire [15:0] a_tdata, input wire a_tvalid, output wire a_tready,
  input wire [15:0] b_tdata, input wire b_tvalid, output wire b_tready,
  output reg [15:0] y_tdata, output reg y_tvalid, input wire y_tready);
  wire go = a_tvalid & b_tvalid & (!y_tvalid | y_tready); assign {a_tready, b_tready} = {2{go & !rst}};
  always @(posedge clk) begin
    if (y_tready) y_tvalid <= 0;
    if (go) begin y_tvalid <= 1; y_tdata <= (a_tdata + b_tdata) ^ 16'h5a3c; end
    if (rst) y_tvalid <= 0; end
endmodule
"""


@pytest.mark.slow
def test_a_guessed_model_of_something_else_is_no_failure(folder: Path) -> None:
    (folder / "adder.v").write_text(ADDER)
    report = verified("adder.v", code=3)
    note = report["notes"][0]
    assert (report["status"], report["compared"]) == ("partial", 0)
    assert re.search(r"model merge, guessed, is not what this RTL does: of \d+ words that it predicts \d+ came", note)
    assert "the first failure: episode 0: " in note
    # A model that is asked for is none of ours to doubt.
    assert verified("adder.v", "--model", "merge", code=1)["status"] == "fail"


ESCAPES = """module escapes (input wire clk, input wire rst, input wire [7:0] in_data, input wire in_valid, output wire in_ready,
  output reg [7:0] out_data, output reg out_valid, input wire out_ready);
  reg more; wire go = !out_valid | out_ready; assign in_ready = go & !more;
  always @(posedge clk)
    if (rst) begin out_valid <= 0; more <= 0; end
    else if (go) begin
      out_valid <= in_valid | more; out_data <= more ? 8'hdd : in_data; more <= !more & in_valid & in_data == 8'hdb;
    end
endmodule
"""
LOSES = """module escapes (input wire clk, input wire rst, input wire [7:0] in_data, input wire in_valid, output wire in_ready,
  output reg [7:0] out_data, output reg out_valid, input wire out_ready);
  reg [5:0] n; assign in_ready = !out_valid | out_ready;
  always @(posedge clk)
    if (rst) begin out_valid <= 0; n <= 0; end
    else if (in_ready) begin out_valid <= in_valid & n != 63; out_data <= in_data; n <= n + {5'd0, in_valid}; end
endmodule
"""


@pytest.mark.parametrize(
    ("text", "options", "code"), [(ESCAPES, (), 3), (ESCAPES, ("--model", "identity"), 1), (LOSES, (), 1)]
)
def test_words_that_differ_are_undecided_where_the_rtl_looks_at_them(
    folder: Path, text: str, options: tuple[str, ...], code: int
) -> None:
    """A filter or an escape is no fault of a guessed model; RTL that only stores words has none."""
    (folder / "escapes.v").write_text(text)
    report = verified("escapes.v", *options, code=code)
    assert report["failures"][0].startswith("episode ")
    told = {name: why.partition(" did not come")[0] for name, why in report["guesses"].items()}
    undecided = {"model identity": r"in_data is looked at or changed for \w+, and not only stored; \d+ of \d+ words"}
    assert [*told] == [*(undecided if code == 3 else ())]
    assert all(re.match(undecided[name], why) for name, why in told.items())


EXPANDER = """module expander (input logic clk, rst, input logic [7:0] cmd_base, cmd_count,
  input logic cmd_val, output logic cmd_rdy, output logic [15:0] o_addr,
  output logic [7:0] o_len, output logic o_val, input logic o_rdy);
  logic [7:0] left; assign cmd_rdy = left == 0; assign o_val = left != 0; assign o_len = left;
  always_ff @(posedge clk) if (rst) left <= 0;
    else if (cmd_rdy) begin if (cmd_val) begin left <= cmd_count; o_addr <= {8'd0, cmd_base}; end end
    else if (o_rdy) begin left <= left - 8'd1; o_addr <= o_addr + 16'd256; end
endmodule
"""


@pytest.mark.slow
def test_one_command_that_makes_several_beats_is_no_failure(folder: Path) -> None:
    """Outputs go on behind what a guessed model predicts, so that they wait for a sink that is gone."""
    (folder / "expander.sv").write_text(EXPANDER)
    report = verified("expander.sv", code=3)
    assert report["status"] == "partial"
    assert "guessed, is not what this RTL does" in report["notes"][0]


SELECT = """module lanes (input wire clk, input wire rst, input wire SEL, input wire [7:0] s_tdata, input wire s_tvalid,
  output wire s_tready, output wire [7:0] a_tdata, output wire a_tvalid, input wire a_tready,
  output wire [7:0] b_tdata, output wire b_tvalid, input wire b_tready);
  assign {a_tdata, b_tdata} = {2{s_tdata}}; assign a_tvalid = s_tvalid & !SEL & !rst; assign b_tvalid = s_tvalid & SEL & !rst;
  assign s_tready = !rst & (SEL ? b_tready : a_tready);
endmodule
"""


UNHELD = """module unheld (
  input logic clk, rst_n, in_valid, input logic [7:0] in_data,
  output logic out_valid, [7:0] out_data, input logic out_ready
);
  logic [7:0] mem [4];
  logic [2:0] w, r;
  assign out_valid = w != r;
  assign out_data = mem[r[1:0]];
  always_ff @(posedge clk) begin
    if (in_valid) begin
      mem[w[1:0]] <= in_data;
      w <= w + 1;
    end
    if (out_valid && out_ready) r <= r + 1;
    if (!rst_n) {w, r} <= 0;
  end
endmodule
"""


@pytest.mark.slow
def test_what_cannot_be_held_back_may_overflow(folder: Path) -> None:
    (folder / "unheld.sv").write_text(UNHELD)
    said = invoke("verify", "unheld.sv", "--budget", "1s", "--mutants", 0)
    assert (said.exit_code, "undecided: " in said.stdout, "has no ready: " in said.stdout) == (3, True, True)


@pytest.mark.slow
def test_an_input_that_is_tied_may_be_why_a_guessed_model_differs(folder: Path) -> None:
    (folder / "lanes.v").write_text(SELECT.replace("SEL", "pick"))
    said = invoke("verify", "lanes.v", "--budget", "1s", "--mutants", 0)
    assert (said.exit_code, "undecided: " in said.stdout, "pick (tied to 0)" in said.stdout) == (3, True, True)
    # Nothing depends on what is at rest.
    text = SELECT.replace("SEL", "flush").replace("s_tvalid & flush", "1'b0 & flush")
    (folder / "lanes.v").write_text(text)
    assert verified("lanes.v", code=1)["status"] == "fail"


TURNS = """module turns (input wire clk, input wire rst, input wire [31:0] a_tdata, input wire a_tvalid, output wire a_tready,
  input wire [31:0] b_tdata, input wire b_tvalid, output wire b_tready,
  output wire [31:0] y_tdata, output wire y_tvalid, input wire y_tready);
  reg second;
  assign y_tvalid = !rst & (second ? b_tvalid : a_tvalid), y_tdata = second ? b_tdata : a_tdata;
  assign a_tready = !rst & !second & y_tready, b_tready = !rst & second & y_tready;
  always @(posedge clk) second <= !rst & (second ^ (y_tvalid & y_tready));
endmodule
"""
UNUSED = """module unused (input wire clk, input wire rst, input wire [7:0] s_tdata, input wire s_tvalid, output wire s_tready,
  output wire [31:0] a_tdata, output wire a_tvalid, input wire a_tready,
  output wire [7:0] b_tdata, output wire b_tvalid, input wire b_tready);
  reg [31:0] held; reg [1:0] at; reg full;
  assign s_tready = !rst & !full, a_tvalid = full, a_tdata = held, b_tvalid = 1'b0, b_tdata = 0;
  always @(posedge clk) begin
    if (s_tvalid & s_tready) begin held[8 * at +: 8] <= s_tdata; at <= at + 1; full <= 1; end
    if (a_tvalid & a_tready) full <= 0;
    if (rst) begin at <= 0; full <= 0; end
  end
endmodule
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [(TURNS, "the module may take its inputs in turn"), (UNUSED, "no model says which bits count")],
    ids=["turns", "lanes"],
)
def test_what_nobody_has_told_may_be_why_it_fails(text: str, said: str, folder: Path) -> None:
    (folder / "m.v").write_text(text)
    found = invoke("verify", "m.v", "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, "undecided: " in found.stdout, said in found.stdout) == (3, True, True), found.stdout
    # What is lost, or comes without a reason, is no matter of lanes and turns.
    wrong = text.replace("b_tdata : a_tdata", "b_tdata : a_tdata | (a_tdata[3:0] == 0)").replace(
        "full <= 1; end", "full <= held[0]; end"
    )
    (folder / "m.v").write_text(wrong)
    assert invoke("verify", "m.v", "--budget", "1s", "--mutants", 0).exit_code == 1


BRIDGE = """module bridge (input logic clk, rst, input logic [9:0] s_address, input logic s_read, s_write,
  input logic [31:0] s_writedata, output logic s_waitrequest, s_readdatavalid, output logic [31:0] s_readdata,
  output logic [9:0] m_address, output logic m_read, m_write, output logic [31:0] m_writedata,
  input logic m_waitrequest, m_readdatavalid, input logic [31:0] m_readdata);
  logic seen;
  always_ff @(posedge clk) seen <= !rst;
  assign m_read = seen && s_read, m_write = seen && s_write, m_address = s_address, m_writedata = DATA;
  assign s_waitrequest = !seen || m_waitrequest, s_readdatavalid = m_readdatavalid, s_readdata = m_readdata;
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(("data", "code"), [("s_writedata", 3), ("s_writedata | 32'h100", 1)])
def test_what_an_address_counts_may_be_why_it_fails(data: str, code: int, folder: Path) -> None:
    (folder / "bridge.sv").write_text(BRIDGE.replace("DATA", data))
    said = invoke("verify", "bridge.sv", "--budget", "1s", "--mutants", 0)
    named = 's (nothing differs with address_unit = "bytes" for it)' in said.stdout
    assert (said.exit_code, "undecided: " in said.stdout, named) == (code, code == 3, code == 3)


LATE = """module late (input logic clk, reset, input logic [15:0] asi_data, input logic asi_valid, output logic asi_ready,
  input logic asi_startofpacket, asi_endofpacket, output logic aso_startofpacket, aso_endofpacket,
  output logic [15:0] aso_data, output logic aso_valid, input logic aso_ready);
  logic [17:0] held [4];
  logic [1:0] first, next;
  logic [2:0] count;
  wire pop = aso_valid && aso_ready;
  assign aso_valid = count != 0, {aso_data, aso_startofpacket, aso_endofpacket} = held[first];
  always_ff @(posedge clk) begin
    if (asi_valid) begin held[next] <= {asi_data, asi_startofpacket, asi_endofpacket}; next <= next + 1; end
    if (pop) first <= first + 1;
    count <= count + asi_valid - pop;
    asi_ready <= count + asi_valid <= LEFT;
    if (reset) begin count <= 0; first <= 0; next <= 0; asi_ready <= 0; end
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(("left", "code"), [("1", 3), ("3", 1)])
def test_a_ready_that_counts_later_may_be_why_it_fails(left: str, code: int, folder: Path) -> None:
    (folder / "late.sv").write_text(LATE.replace("LEFT", left))
    said = invoke("verify", "late.sv", "--budget", "1s", "--mutants", 0)
    assert (said.exit_code, "ready_latency = 1 for it" in said.stdout) == (code, code == 3), said.stdout


HOLDS = """module holds (input logic clk, rst_n, input logic [15:0] s_tdata, input logic s_tlast, s_tvalid, output logic s_tready,
  output logic [15:0] m_tdata, output logic m_tlast, m_tvalid, input logic m_tready);
  logic [16:0] mem [32];
  logic [5:0] next, first, frames;
  wire push = s_tvalid && s_tready, pop = m_tvalid && m_tready;
  assign s_tready = !(next[5] != first[5] && next[4:0] == first[4:0]), m_tvalid = frames != 0;
  assign {m_tlast, m_tdata} = mem[first[4:0]];
  always_ff @(posedge clk) begin
    if (push) begin mem[next[4:0]] <= {s_tlast, s_tdata}; next <= next + 1; end
    if (pop) first <= first + 1;
    frames <= frames + (push && s_tlast) - (pop && m_tlast);
    if (!rst_n) begin next <= 0; first <= 0; frames <= 0; end
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("held", "code"), [("m_tvalid = frames != 0", 3), ("m_tvalid = frames != 0 && frames != 5", 1)]
)
def test_frames_that_have_no_room_are_left_out(held: str, code: int, folder: Path) -> None:
    """What fails with shorter ones as well is a fault."""
    (folder / "holds.sv").write_text(HOLDS.replace("m_tvalid = frames != 0", held))
    said = invoke("verify", "holds.sv", "--budget", "1s", "--mutants", 0)
    assert (said.exit_code, "frames of more than 32 beats" in said.stdout) == (code, code == 3), said.stdout


_WRAP = "else if (burst == 2'b10) next_beat = (addr & ~span) | (sum & span);"
_LOST = {"wr": "{m_axil_awaddr, m_axil_awprot}), .out_v", "rd": "{m_axil_araddr, m_axil_arprot}), .out_v"}
_ENDS = "output logic        m_axil_rready\n);"


def _lost(*ways: str) -> list[tuple[str, str]]:
    """What makes protections constants."""
    edits = [(_LOST[way], _LOST[way].replace(f"m_axil_a{way[0]}prot", f"{way}_lost")) for way in ways]
    lines = [f"logic [2:0] {way}_lost; assign m_axil_a{way[0]}prot = 3'd0;" for way in ways]
    return [*edits, (_ENDS, "\n".join([_ENDS, *lines]))]


@pytest.mark.parametrize(
    ("module", "edits", "code", "said"),
    [
        (
            "axi_split_ram",
            [(_WRAP, "")],
            3,
            "s_axi_wr_awburst: WRAP bursts: no comparison of the RTL tells them from INCR",
        ),
        pytest.param(
            *("axi_split_ram", [(_WRAP, _WRAP.replace("sum &", "(sum + 4) &"))], 1, "bytes read differ"),
            marks=pytest.mark.slow,
        ),
        ("axi_split_ram", [("mem[r_addr[14:4]]", "mem[{1'b0, r_addr[13:4]}]")], 1, "bytes read differ"),
        pytest.param(
            *("axil_slice", _lost("wr", "rd"), 3, "m_axil_arprot: the RTL has a constant there"), marks=pytest.mark.slow
        ),
        ("axil_slice", _lost("wr"), 1, "m_axil_awprot of "),
    ],
    ids=["wrap", "wrong wrap", "halves", "attributes", "attribute"],
)
def test_what_a_slave_need_not_do_is_no_failure(
    module: str, edits: list[tuple[str, str]], code: int, said: str, folder: Path
) -> None:
    text = (PLANTED.parent / "buses" / f"{module}.sv").read_text()
    for right, wrong in edits:
        assert text.count(right) == 1
        text = text.replace(right, wrong)
    # What copies of AxBURST are called says nothing.
    text = re.sub(r"\b([wr]_)?burst\b", r"\1how", text)
    (folder / "m.sv").write_text(text)
    found = invoke("verify", "m.sv", "--top", module, "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, said in found.stdout) == (code, True), found.stdout


ABORTS = """module aborts (input logic clk, rst, input logic awvalid, output logic awready, input logic [9:0] awaddr,
  input logic wvalid, output logic wready, input logic [31:0] wdata, input logic [3:0] wstrb, output logic bvalid,
  input logic bready, output logic [1:0] bresp, output logic wb_cyc, wb_stb, output logic [9:0] wb_adr,
  output logic [31:0] wb_dat_o, output logic [3:0] wb_sel, output logic wb_we, input logic wb_stall, wb_ack, wb_err);
  logic aw_full, w_full, failed; logic [2:0] open, owed, first, last; logic [7:0] wrong;
  wire answered = wb_cyc && (wb_ack || wb_err), ended = answered && wb_err, done = answered || failed;
  wire go = aw_full && w_full && !failed && !ended && (!wb_stb || !wb_stall) && {1'b0, open} + owed < 7;
  assign awready = !aw_full, wready = !w_full, wb_we = 1'b1, wb_cyc = open != 0 && !failed;
  assign owed = last - first, bvalid = owed != 0, bresp = {wrong[first], 1'b0};
  always_ff @(posedge clk) begin
    aw_full <= go ? 1'b0 : aw_full || awvalid; w_full <= go ? 1'b0 : w_full || wvalid;
    if (awready) addr <= awaddr; if (wready) {data, strb} <= {wdata, wstrb};
    if (go) {wb_adr, wb_dat_o, wb_sel} <= {addr, data, strb};
    if (go || ended || !wb_stall) wb_stb <= go;
    open <= open + go - done; failed <= (failed || ended) && open != 1;
    if (done) begin wrong[last] <= failed || wb_err; last <= last + 1; end
    if (bvalid && bready) first <= first + 1;
    if (rst) {aw_full, w_full, failed, open, first, last, wb_stb} <= '0;
  end
  logic [9:0] addr; logic [31:0] data; logic [3:0] strb;
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("swallowed", "code", "said"),
    [(False, 3, "wb_err: errors: what is open beside the access"), (True, 1, "expected SLVERR, got OKAY")],
)
def test_a_master_that_ends_its_cycle_at_an_error(swallowed: bool, code: int, said: str, folder: Path) -> None:
    text = ABORTS.replace("<= failed || wb_err;", "<= failed;") if swallowed else ABORTS
    (folder / "m.sv").write_text(text)
    found = invoke("verify", "m.sv", "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, said in found.stdout) == (code, True), found.stdout


GIVES_UP = """module gives_up #(parameter TIMEOUT = 20) (input wire clk, rst, input wire [7:0] s_tdata, input wire s_tvalid,
  output wire s_tready, output reg [7:0] m_tdata, output reg m_tvalid, input wire m_tready);
  reg [5:0] waited; assign s_tready = !rst & (!m_tvalid | m_tready);
  always @(posedge clk) begin
    waited <= m_tvalid & !m_tready ? waited + 1 : 0;
    if (s_tready) m_tvalid <= s_tvalid; else if (waited == TIMEOUT) m_tvalid <= 0;
    if (s_tready) m_tdata <= s_tdata;
    if (rst) begin m_tvalid <= 0; waited <= 0; end
  end
endmodule
"""


@pytest.mark.parametrize(("name", "code"), [("TIMEOUT", 3), ("DEPTH", 1)])
def test_a_parameter_may_say_when_a_module_gives_up(name: str, code: int, folder: Path) -> None:
    (folder / "m.v").write_text(GIVES_UP.replace("TIMEOUT", name))
    found = invoke("verify", "m.v", "--budget", "1s", "--mutants", 0)
    said = "m (with TIMEOUT = 20 it may give up what takes longer here"
    assert (found.exit_code, said in found.stdout) == (code, code == 3), found.stdout


DOWN = """module down (input logic clk, rst, input logic [31:0] s_tdata, input logic s_tvalid, s_tlast, output logic s_tready,
  output logic [7:0] m_tdata, output logic m_tvalid, m_tlast, input logic m_tready);
  logic [31:0] word; logic last, full; logic [1:0] lane;
  assign s_tready = !full || (m_tready && lane == 3), m_tvalid = full, m_tdata = word[8*LANE +: 8], m_tlast = last && lane == 3;
  always_ff @(posedge clk) begin
    if (full && m_tready) begin lane <= lane + 1; if (lane == 3) full <= 0; end
    if (s_tvalid && s_tready) begin full <= 1; word <= s_tdata; last <= s_tlast; end
    if (rst) {full, lane} <= 0;
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(("lane", "model", "code"), [("lane", ["--model", "rules"], 3), ("{lane[0], lane[1]}", [], 1)])
def test_lanes_in_the_wrong_order_are_a_fault_of_the_guessed_model(
    lane: str, model: list[str], code: int, folder: Path
) -> None:
    (folder / "m.sv").write_text(DOWN.replace("LANE", lane))
    found = invoke("verify", "m.sv", *model, "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, "port m, beat 1: data differs" in found.stdout) == (code, code == 1), found.stdout


SENDS = """module sends (input wire clk, rst, input wire [7:0] word, input wire go, output wire busy, output reg line);
  reg [9:0] waited; reg [3:0] left; localparam PERIOD = 999; reg [8:0] held; reg [2:0] sent; assign busy = left != 0;
  always @(posedge clk) begin
    waited <= busy && waited != PERIOD ? waited + 1 : 0;
    if (!busy && go) begin held <= {word, 1'b0}; left <= 9; end
    else if (busy && waited == PERIOD && FREE) begin {held, line} <= {1'b1, held}; left <= left - 1; sent <= sent + (left == 1); end
    if (rst) begin waited <= 0; left <= 0; line <= 1; sent <= 0; end
  end
endmodule
"""


@pytest.mark.parametrize(
    ("free", "pace", "code"),
    [("1'b1", 11251, 3), ("left != 1", 0, 1), pytest.param("sent != 7", 11251, 1, marks=pytest.mark.slow)],
    ids=["slow", "never", "ends"],
)
def test_a_module_that_takes_long_for_each_beat(
    free: str, pace: int, code: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "m.v").write_text(SENDS.replace("FREE", free))
    monkeypatch.setattr(rounds, "_FIXED", 0)
    monkeypatch.setattr(traffic, "_CORNERS", 4)
    found = invoke("verify", "m.v", "--budget", ".001s", "--mutants", 0)
    said = f"cycles_per_beat = {pace}: measured" in found.stdout
    assert (found.exit_code, said, "missing beat" in found.stdout) == (code, pace > 0, code == 1), found.stdout
    # One run is made in any case.
    assert ("not compared: sweep beats=4 fill=0, random beats=4" in found.stdout) is (code == 3)


def test_a_waiver_may_be_for_what_was_left_out_for_time() -> None:
    design = designs()["axis_fifo"].model_copy(update={"obligations": {"values other.sv:*": "never"}})
    tried = rounds.Tried()
    with pytest.raises(UsageError, match="matches no obligation"):
        rounds.reasons_of_description([], [], tried, design)
    tried.unrun.append("measured")
    assert rounds.reasons_of_description([], [], tried, design) == []


BARE = """module bare (input logic clk, rst, cyc, stb, we, input logic [7:2] adr, input logic [31:0] dat_i,
  output logic [31:0] dat_o, output logic ack);
  logic [31:0] words [64];
  always_ff @(posedge clk) begin
    ack <= !rst && stb && cyc && !ack; dat_o <= words[adr]; if (stb && we) words[adr] <= dat_i;
  end
endmodule
"""
LANES = """module lanes (input logic pclk, presetn, psel, penable, pwrite, input logic [9:0] paddr, input logic [15:0] pwdata,
  input logic [1:0] pstrb, output logic pready, pslverr, output logic [15:0] prdata);
  logic [7:0] low [128], high [128];
  assign {pready, pslverr, prdata} = {1'b1, psel && penable && paddr[9:8] != 0, high[paddr[7:1]], low[paddr[7:1]]};
  always_ff @(posedge pclk) if (presetn && psel && penable && pwrite && paddr[9:8] == 0) begin
    if (pstrb[0]) low[paddr[7:1]] <= pwdata[7:0];
    if (pstrb[1]) high[paddr[7:1]] <= pwdata[15:8];
  end
endmodule
"""
NARROWED = """module narrowed (input logic clk, rst, input logic s_tvalid, output logic s_tready, input logic [7:0] s_tdata,
  input logic s_tlast, input logic [1:0] s_tuser, output logic m_tvalid, input logic m_tready, output logic [7:0] m_tdata,
  output logic m_tlast, output logic m_tuser);
  assign s_tready = m_tready || !m_tvalid;
  always_ff @(posedge clk) begin
    if (s_tready) {m_tvalid, m_tdata, m_tlast, m_tuser} <= {s_tvalid, s_tdata, LAST, s_tuser[1]};
    if (rst) m_tvalid <= 1'b0;
  end
endmodule
"""

# It answers what it has taken, whatever becomes of CYC.
DELAYED = """module delayed (input logic clk, rst, s_cyc, s_stb, s_we, input logic [9:2] s_adr, input logic [31:0] s_dat_i,
  input logic [3:0] s_sel, output logic [31:0] s_dat_o, output logic s_ack, s_err, s_stall, output logic m_cyc, m_stb, m_we,
  output logic [9:2] m_adr, output logic [31:0] m_dat_o, output logic [3:0] m_sel, input logic [31:0] m_dat_i,
  input logic m_ack, m_err, m_stall);
  logic [2:0] open;
  wire take = s_cyc && s_stb && !s_stall;
  assign s_stall = (m_stb && m_stall) || open == 3'd4;
  assign m_cyc = open != 0;
  always_ff @(posedge clk) begin
    {s_ack, s_err, s_dat_o} <= {m_cyc && m_ack, m_cyc && m_err, m_dat_i};
    if (!m_stb || !m_stall) begin
      m_stb <= take;
      {m_we, m_adr, m_dat_o, m_sel} <= {s_we, s_adr, s_dat_i, s_sel};
    end
    open <= open + 3'(take) - 3'(m_cyc && (m_ack || m_err));
    if (rst) {open, m_stb, s_ack, s_err} <= '0;
  end
endmodule
"""
ODD = """module odd (input logic clk, rst, mode, input logic s_valid, output logic s_ready, input logic [8:0] s_word,
  output logic m_valid, input logic m_ready, output logic [8:0] m_word);
  assign s_ready = m_ready || !m_valid;
  always_ff @(posedge clk) begin
    if (s_ready) {m_valid, m_word} <= {s_valid, mode ? s_word : ~s_word};
    if (rst) m_valid <= 1'b0;
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (BARE, 3, "nothing fails with lone_strobe = false"),
        (BARE.replace("&& cyc &&", "&&"), 3, "STB without CYC is no access"),
        (LANES, 3, "addresses from 0x100 on are refused, and an array of the RTL has as many bytes"),
        (DELAYED, 3, "nothing fails with aborts = false"),
        (BARE.replace("&& cyc &&", "&& (cyc || !we) &&"), 1, "wishbone_answer_without_cyc"),
        (NARROWED.replace("LAST", "s_tlast"), 3, "its TUSER has 1 bit(s), that of inputs 2"),
        (NARROWED.replace("LAST", "1'b1"), 1, "last differs"),
        # A word of nine bits beside a tied input.
        (ODD, 3, "that it predicts"),
    ],
)
def test_what_a_guess_may_have_wrong_is_undecided(text: str, code: int, said: str, folder: Path) -> None:
    (folder / "m.sv").write_text(text)
    found = invoke("verify", "m.sv", "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, said in found.stdout) == (code, True), found.stdout


LOCKING = """module m (input logic clk, rst,
  input logic [1:0][7:0] s_tdata, input logic [1:0] s_tlast, s_tdest, s_tvalid, output logic [1:0] s_tready,
  output logic [1:0][7:0] m_tdata, output logic [1:0] m_tlast, m_tdest, m_tvalid, input logic [1:0] m_tready);
  logic [1:0] open, owner; logic [1:0][1:0] take;
  assign s_tready = take[0] | take[1];
  for (genvar o = 0; o < 2; o++) begin : g_out
    wire [1:0] asks = {s_tvalid[1] && s_tdest[1] == o, s_tvalid[0] && s_tdest[0] == o};
    wire from = open[o] ? owner[o] : &asks ? !owner[o] : asks[1];
    wire room = !m_tvalid[o] || m_tready[o], go = room && asks[from];
    assign take[o] = go ? 2'b01 << from : 2'b00;
    always_ff @(posedge clk) begin
      if (HELD) m_tvalid[o] <= go;
      if (go) begin
        {m_tdata[o], m_tlast[o], m_tdest[o]} <= {s_tdata[from], s_tlast[from], s_tdest[from]};
        {open[o], owner[o]} <= {!s_tlast[from], from};
      end
      if (rst) {open[o], owner[o], m_tvalid[o]} <= '0;
    end
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.parametrize(("held", "code"), [("room", 3), ("1'b1", 1)])
def test_a_switch_may_hold_a_way_until_tlast(held: str, code: int, folder: Path) -> None:
    """A frame whose TDEST changes never ends there. A valid that falls is wrong in any case."""
    (folder / "m.sv").write_text(LOCKING.replace("HELD", held))
    found = invoke("verify", "m.sv", "--model", "rules", "--budget", "1s", "--mutants", 0)
    assert (found.exit_code, "frames keep their TDEST and TID" in found.stdout) == (code, code == 3), found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["2'b11", "2'b00"])
def test_a_slave_that_refuses_writes_alone_is_asked_for(answer: str, folder: Path) -> None:
    text = (BUSES / "axi_err_slave.sv").read_text()
    (folder / "m.sv").write_text(text.replace("s_axi_rresp   = 2'b11", f"s_axi_rresp   = {answer}"))
    said = "answers s_axi_awaddr: all reads are answered OKAY and all writes refused, as the specification says"
    assert (said in opened(verified("m.sv", code=3))) == (answer == "2'b00")
