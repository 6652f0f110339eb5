# SPDX-License-Identifier: Apache-2.0
"""Wishbone slaves and masters of a user: right ones pass under every traffic, each wrong one fails by port and by what is wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from bus_bridges import bench, bridges
from port_boxes import probed
from typer.testing import CliRunner

from goldbeat.pymodels.buses import WISHBONE
from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.obligations.buses import bus_obligations
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

RTL = REPOSITORY / "tests" / "tb" / "kernel" / "registers_rtl"
RIGHT = ("s_0", "s_1", "s_2", "s_3", "s_4", "s_12", "p_0", "p_1", "p_2")
# What a failure of each wrong slave must begin with.
NAMES = {
    "s_5": "wishbone_no_answer: s_5: access ",
    "s_6": "s_6: access ",
    "s_7": "wishbone_answer_without_request: s_7, cycle ",
    "s_8": "wishbone_answers_exclusive: s_8, cycle ",
    "s_9": "s_9: access ",
    "s_11": "s_11: access ",
    "s_13": "wishbone_answer_without_cyc: s_13, cycle ",
    "p_3": "wishbone_answer_without_request: p_3, cycle ",
    "p_4": "wishbone_answer_without_request: p_4, cycle ",
    "p_5": "wishbone_no_answer: p_5: access ",
    "p_6": "p_6: access ",
}
PINS = {"we": "we_i", "adr": "adr_i", "wdat": "dat_i", "sel": "sel_i", "rdat": "dat_o", "err": "err_o"}
PINS |= {"cyc": "cyc_i", "stb": "stb_i", "ack": "ack_o"}
CLASSIC = PINS | {"cti": "cti_i", "bte": "bte_i", "rty": "rty_o"}
MODES = """\
name = "wishbone_modes"
top = "wishbone_modes"
files = ["{rtl}/wishbone_modes.sv"]
model = "identity"
compare_time = false
parameters = {{ N = 14, P = 7 }}
ready_bound = 20
[[clocks]]
name = "clk"
reset = "rst"
active_high = true
[[registers]]
bus = "wishbone"
name = "s"
clock = "clk"
lanes = "N"
address_width = 8
storage = [{{ words = 16 }}]
signals = {{ {classic} }}
[[registers]]
bus = "wishbone"
name = "p"
clock = "clk"
lanes = "P"
address_width = 6
address_unit = "words"
storage = [{{ words = 16 }}]
signals = {{ {pipelined} }}
"""
# In place of the signal of the other side of a bridge of wires, one in each lane from 1 on.
FAULTS = {
    "{m}_sel": "4'b1111",
    "{m}_wdat": "{s}_wdat & 32'hfeffffff",
    "{s}_rdat": "{m}_rdat | 32'h00000100",
    "{s}_ack": "{m}_ack | {m}_rty",
    "{s}_err": "1'b0",
    "{m}_cyc": "{s}_cyc & ~{m}_ack",
    "{m}_cti": "{s}_stb ? 3'd2 : 3'd0",
    "{s}_rdat ": "{m}_rdat ^ {{31'd0, {s}_sel == 4'd1 & ~{s}_we}}",
}
WHOLE = {"{m}_sel ": "{s}_sel | {{4{{~{s}_we}}}}"}
"""A bridge that reads whole words: what nobody has asked for is not compared."""


def _pins(port, pins):
    return ", ".join(f'{role} = "{port}_{pin}"' for role, pin in pins.items())


def _design(folder):
    pipelined = _pins("p", PINS | {"stall": "stall_o"})
    (folder / "modes.toml").write_text(MODES.format(rtl=RTL, classic=_pins("s", CLASSIC), pipelined=pipelined))
    return load_description(folder / "modes.toml")


@pytest.mark.slow
@pytest.mark.sim
def test_sweep_names_what_is_wrong_with_a_slave(tmp_path):
    design = _design(tmp_path)
    (result,) = run(Request(design, design.case("sweep")), tmp_path / "run")
    texts = [f.partition(": ")[2] for f in result.failures]
    for name in RIGHT:
        assert not [t for t in texts if f"{name}:" in t or f"{name}," in t], texts
    for name, begin in NAMES.items():
        assert any(t.startswith(begin) for t in texts), (name, texts[:20])
    hangs = [text for e in result.episodes for text in e.record.hanging]
    assert any(text.startswith("s_5: access ") and text.endswith(": stb without ack") for text in hangs)
    (late,) = result.warnings
    assert late.startswith("wishbone_ready_late: s_10, cycle ")
    assert ": 30 wait states, access " in late


@pytest.mark.slow
@pytest.mark.sim
def test_a_memory_answers_masters_and_each_fault_of_a_bridge_is_found(tmp_path):
    """With wait states, errors and retries; bursts and their tags pass as they are."""
    classic = replace(WISHBONE, signals=tuple(one for one in WISHBONE.signals if one.name != "stall"))
    design = load_description(bench(tmp_path, bridges(classic, FAULTS | WHOLE, 12)))
    (result,) = run(Request(design, design.case("sweep"), (0,)))
    for lane, name in enumerate(FAULTS, 1):
        assert any(f"s_{lane}" in text or f"m_{lane}" in text for text in result.failures), name
    right = [f"{side}_{lane}" for side in "sm" for lane in (0, len(FAULTS) + 1)]
    assert not [text for text in result.failures if any(name in text for name in right)]
    assert any(text.startswith("wishbone_request_held: m_6") for text in _rules(result))
    assert any(text.startswith("wishbone_burst: m_7") for text in _rules(result))


@pytest.mark.sim
def test_a_bridge_of_writes_alone_needs_no_we(tmp_path):
    left = [one for one in WISHBONE.signals if one.name not in ("stall", "we", "rdat", "rty", "cti", "bte")]
    design = load_description(bench(tmp_path, bridges(replace(WISHBONE, signals=tuple(left)), {}, 12)))
    (result,) = run(Request(design, design.case("sweep"), (0,)))
    assert not result.failures
    assert any(log.log["kind"].all() for e in result.episodes for log in e.record.outcome.memories.values())


def _rules(result):
    return [text[text.index("wishbone_") :] for text in result.failures if "wishbone_" in text]


def test_the_bus_does_what_it_can_of_a_traffic():
    asked = RegisterTraffic("any", gap=3, outstanding=4, b_ready="random:0.5", seed=9, rest=5)
    port = WishbonePort(name="s", data_width=32, address_width=10, address_unit="words")
    assert port.fitting(asked) == RegisterTraffic(gap=3, seed=9, rest=5)
    assert (port.address_bits, port.strobes, port.has("cti")) == (12, True, False)
    signals = {role: role for role in WISHBONE.roles if role not in ("rty", "sel")}
    port = WishbonePort(name="p", signals=signals)
    assert port.fitting(asked) == RegisterTraffic(gap=3, outstanding=4, seed=9, rest=5)
    levels = {"cyc": 1, "stb": 1, "stall": 1}
    assert port.waits(reads=True, level=levels.__getitem__) == "stb with stall"
    assert port.waits(reads=True, level={**levels, "stall": 0}.__getitem__) == "stb without ack"
    assert port.waits(reads=True, level={**levels, "stb": 0}.__getitem__) == "no ack"
    assert port.waits(reads=True, level={"cyc": 0}.__getitem__) == "no cycle has begun"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("data_width = 24", "data_width: found 24, expected 8, 16, 32 or 64"),
        ('signals = { cyc = "s" }', "signals: Wishbone lacks stb, ack"),
        ('signals = { cyc = "c", stb = "s", ack = "a" }', "signals: rdat and wdat are missing"),
        ('address_unit = "bits"', "found registers.0..address_unit = .bits., expected .bytes. or .words."),
    ],
)
def test_mistakes_in_a_description(tmp_path, line, message):
    text = MODES.format(rtl=RTL, classic="", pipelined="").partition("[[registers]]")[0]
    (tmp_path / "d.toml").write_text(f'{text}[[registers]]\nbus = "wishbone"\nname = "s"\n{line}\n')
    with pytest.raises(GoldbeatError, match=message):
        load_description(tmp_path / "d.toml")


PREFIXED = (
    "in:{p}cyc{i} in:{p}stb{i} in:{p}we{i} in:{p}adr{i}:8 in:{p}dat{i}:32 out:{q}dat{o}:32 out:{q}ack{o} out:{q}err{o}"
)


@pytest.mark.parametrize(
    ("ports", "name", "signals"),
    [
        (PREFIXED.format(p="wb_", q="wb_", i="_i", o="_o"), "wb", ("wb_dat_i", "wb_dat_o")),
        (PREFIXED.format(p="i_wb_", q="o_wb_", i="", o=""), "wb", ("i_wb_dat", "o_wb_dat")),
        (PREFIXED.format(p="s_wb_", q="s_wb_", i="_i", o="_o"), "s_wb", ("s_wb_dat_i", "s_wb_dat_o")),
        (PREFIXED.format(p="", q="", i="_i", o="_o"), "wishbone", ("dat_i", "dat_o")),
        (PREFIXED.format(p="i_s", q="o_s", i="", o=""), "s", ("i_sdat", "o_sdat")),
        (
            "in:wb_cyc in:wb_stb in:wb_we in:wb_addr:8 in:wb_dat_w:32 out:wb_dat_r:32 out:wb_ack",
            "wb",
            ("wb_dat_w", "wb_dat_r"),
        ),
    ],
)
def test_names_of_all_kinds_are_recognised(tmp_path, ports, name, signals):
    (port,) = probed(tmp_path, ports)["registers"]
    assert (port["bus"], port["name"], port.get("direction", "in")) == ("wishbone", name, "in")
    assert (port["signals"]["wdat"], port["signals"]["rdat"]) == signals


def test_both_sides_of_a_guard_are_told_apart_by_direction(tmp_path):
    """As a slave ``i_wb_data`` and ``o_wb_idata``, as a master ``o_wb_data`` and ``i_wb_idata``."""
    slave = "in:i_wb_cyc in:i_wb_stb in:i_wb_we in:i_wb_addr:8 in:i_wb_data:32 out:o_wb_idata:32 out:o_wb_ack"
    turned = slave.replace("in:i_", "out#o_").replace("out:o_", "in:i_").replace("#", ":")
    one, other = sorted(probed(tmp_path, f"{slave} {turned}")["registers"], key=lambda p: p["name"])
    assert (one["name"], one["signals"]["wdat"], one["signals"]["rdat"]) == ("wb_in", "i_wb_data", "o_wb_idata")
    assert (other["name"], other["signals"]["wdat"], other["signals"]["rdat"]) == ("wb_out", "o_wb_data", "i_wb_idata")
    assert one["address_unit"] == other["address_unit"] == "words"


def test_the_data_of_a_wide_side_are_no_write_data_of_another(tmp_path):
    wide = "in:i_wcyc in:i_wstb in:i_wwe in:i_waddr:8 in:i_wdata:64 out:o_wdata:64 out:o_wack"
    (port,) = probed(tmp_path, wide)["registers"]
    assert (port["name"], port["signals"]["wdat"], port["signals"]["rdat"]) == ("w", "i_wdata", "o_wdata")


@pytest.mark.parametrize(("bits", "unit"), [("7:0", "bytes"), ("31:0", "bytes"), ("29:0", "words"), ("9:2", "words")])
def test_the_range_of_an_address_tells_what_it_counts(tmp_path, bits, unit):
    ports = PREFIXED.format(p="wb_", q="wb_", i="_i", o="_o").replace("adr_i:8", f"adr_i:[{bits}]")
    found = probed(tmp_path, ports)
    (port,) = found["registers"]
    assert port.get("address_unit", "bytes") == unit
    assert any("taken to count bytes" in note for note in found["notes"]) == (bits == "7:0")


SCRATCH = """module store (input clk, input [5:0] at, input [31:0] d, input w, output reg [31:0] q);
  reg [31:0] m [0:63];
  wire [5:0] word = INDEX;
  always @(posedge clk) begin if (w) m[word] <= d; q <= m[word]; end
endmodule
module scratch (input clk, rst, wb_cyc_i, wb_stb_i, wb_we_i, input [7:0] wb_adr_i, input [31:0] wb_dat_i,
  output [31:0] wb_dat_o, output reg wb_ack_o);
  store ram (clk, wb_adr_i[5:0], wb_dat_i, wb_stb_i & wb_we_i, wb_dat_o);
  always @(posedge clk) wb_ack_o <= wb_cyc_i & wb_stb_i & !wb_ack_o & !rst;
endmodule
"""


@pytest.mark.parametrize(
    ("index", "unit", "guessed"),
    [
        ("at", "words", False),
        ("{at[0], at[5:1]} + 1", "words", False),
        ("at >> 2", "bytes", False),
        ("{2'b0, at[5:2]}", "bytes", False),
        # Halves of words: a bench that counts bytes would never change bit 1.
        ("{1'b0, at[5:1]}", "words", True),
        ("{at[5:3], 3'b0}", "bytes", True),
    ],
)
def test_the_words_that_an_address_selects_tell_what_it_counts(tmp_path, index, unit, guessed):
    (tmp_path / "scratch.v").write_text(SCRATCH.replace("INDEX", index))
    result = CliRunner().invoke(app, ["probe", str(tmp_path / "scratch.v"), "--json"])
    found = json.loads(result.stdout)
    (port,) = found["registers"]
    assert port.get("address_unit", "bytes") == unit
    assert any(f"taken to count {unit}" in note for note in found["notes"]) == guessed


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ("in:wb_we_i ", "wb has no we"),
        ("out:wb_ack_o", "wb_ack_o has the opposite direction of wb_cyc_i"),
        ("in:wb_cyc_i", "wb_stb_i has 1 bits, wb_cyc_i has 2: slaves that share signals need a wrapper"),
        ("in:wb_dat_i:32", "wb_dat_i has 24 bits, expected 8, 16, 32 or 64"),
    ],
)
def test_what_is_no_slave_is_explained(tmp_path, change, note):
    others = {"in:wb_we_i ": "", "out:wb_ack_o": "in:wb_ack_o", "in:wb_cyc_i": "in:wb_cyc_i:2"}
    ports = PREFIXED.format(p="wb_", q="wb_", i="_i", o="_o").replace(change, others.get(change, "in:wb_dat_i:24"))
    found = probed(tmp_path, ports)
    assert found["registers"] == []
    assert any(note in one for one in found["notes"]), found["notes"]


WRAPS = """module wraps (input logic clk, rst, cyc, stb, we, input logic [7:0] adr, input logic [31:0] dat_i, input logic [3:0] sel,
  input logic [2:0] cti, input logic [1:0] bte, output logic [31:0] dat_o, output logic ack);
  logic [31:0] words [64];
  logic [5:0] next, mask;
  assign mask = bte == 0 ? '1 : bte == 1 ? 6'd3 : bte == 2 ? 6'd7 : MASK;
  assign next = (adr[7:2] & ~mask) | ((adr[7:2] + 6'd1) & mask);
  always_ff @(posedge clk) begin
    // Behind a cycle of a burst, the next one is answered at once.
    ack <= !rst && cyc && stb && (!ack || cti == 3'd2);
    dat_o <= words[ack && cti == 3'd2 ? next : adr[7:2]];
    for (int b = 0; b < 4; b++) if (cyc && stb && ack && we && sel[b]) words[adr[7:2]][8*b +: 8] <= dat_i[8*b +: 8];
  end
endmodule
"""
FORMS = ("classic cycle", "burst at a constant address", "incrementing burst")
FORMS += tuple(f"burst that wraps at {words} words" for words in (4, 8, 16))
WRAPPED = """name = "wraps"
top = "wraps"
files = ["wraps.sv"]
model = "memory"
compare_time = false
[[clocks]]
name = "clk"
reset = "rst"
active_high = true
[[registers]]
bus = "wishbone"
name = "wb"
clock = "clk"
address_width = 8
signals = { PINS }
"""


PIPED = """module wraps (input logic clk, rst, cyc, stb, we, input logic [7:0] adr, input logic [31:0] dat_i, input logic [3:0] sel,
  input logic [2:0] cti, input logic [1:0] bte, output logic [31:0] dat_o, output logic ack, output logic stall);
  logic [31:0] words [64];
  logic [5:0] next, mask, at;
  logic burst, odd;
  assign mask = bte == 0 ? '1 : bte == 1 ? 6'd3 : bte == 2 ? 6'd7 : MASK;
  // Behind the first request of a burst, it counts the words itself.
  assign at = burst ? next : adr[7:2];
  assign stall = odd;
  always_ff @(posedge clk) begin
    odd <= !rst && !odd;
    ack <= !rst && cyc && stb && !stall;
    dat_o <= words[at];
    if (cyc && stb && !stall) begin
      burst <= cti == 3'd1 || cti == 3'd2;
      next <= cti == 3'd1 ? at : (at & ~mask) | ((at + 6'd1) & mask);
      for (int b = 0; b < 4; b++) if (we && sel[b]) words[at][8*b +: 8] <= dat_i[8*b +: 8];
    end
    if (rst || !cyc) burst <= 1'b0;
  end
endmodule
"""


@pytest.mark.sim
@pytest.mark.parametrize(
    ("source", "mask", "right"), [(WRAPS, "6'd15", True), (WRAPS, "6'd31", False), (PIPED, "6'd31", False)]
)
def test_bursts_wrap_in_every_order(source, mask, right, tmp_path):
    roles = {role: role for role in ("cyc", "stb", "we", "adr", "sel", "cti", "bte", "ack")} | {
        "wdat": "dat_i",
        "rdat": "dat_o",
    }
    roles |= {"stall": "stall"} if source is PIPED else {}
    pins = ", ".join(f'{role} = "{pin}"' for role, pin in roles.items())
    (tmp_path / "wraps.sv").write_text(source.replace("MASK", mask))
    (tmp_path / "wraps.toml").write_text(WRAPPED.replace("PINS", pins))
    design = load_description(tmp_path / "wraps.toml")
    (result,) = run(Request(design, design.case("sweep"), (0,)), tmp_path / "run")
    assert (result.failures == ()) is right, result.failures[:3]
    tried = {one.what: one.met for one in bus_obligations(result) if one.kind == "sizes"}
    assert set(tried) == {f"a {way} in a {form}" for way in ("read", "write") for form in FORMS}
    assert not right or all(tried.values()), tried


DEAF = """module deaf (input logic clk, rst, cyc, stb, we, input logic [7:0] adr, input logic [31:0] dat_i,
  output logic [31:0] dat_o, output logic ack);
  logic [31:0] words [64];
  wire unused = &{cyc, 1'b0};
  always_ff @(posedge clk) begin
    ack <= !rst && CYC stb && !ack;
    dat_o <= words[adr[7:2]];
    if (stb && we) words[adr[7:2]] <= dat_i;
  end
endmodule
"""


@pytest.mark.parametrize(("gate", "lone"), [("", False), ("cyc &&", True)])
def test_a_slave_that_never_looks_at_cyc_gets_no_stb_without_it(gate, lone, tmp_path):
    (tmp_path / "deaf.sv").write_text(DEAF.replace("CYC", gate))
    found = json.loads(CliRunner().invoke(app, ["probe", str(tmp_path / "deaf.sv"), "--json"]).stdout)
    (port,) = found["registers"]
    assert port.get("lone_strobe", True) is lone
    assert any("STB is never high without it" in note for note in found["notes"]) is not lone


@pytest.mark.sim
def test_a_read_that_is_asked_for_again_sees_no_later_write(tmp_path):
    """Behind an error all that is open is asked for again, and its writes are done already."""
    left = [one for one in WISHBONE.signals if one.name not in ("rty", "cti", "bte")]
    design = load_description(bench(tmp_path, bridges(replace(WISHBONE, signals=tuple(left)), {}, 12)))
    assert not [result.failures for result in run(Request(design, design.case("sweep"), (1, 3))) if result.failures]
