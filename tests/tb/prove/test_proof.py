# SPDX-License-Identifier: Apache-2.0
"""Proofs of small modules: sound ones are proven, each broken one is refuted by the property that it breaks."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import goldbeat
from pass_through import pass_through

from goldbeat.pymodels.axi.burst import READ, WRITE
from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.bus_models import Route
from goldbeat.pymodels.buses import APB, AXI, AXIL, AXIS, WISHBONE
from goldbeat.pymodels.mapped_registers import Elsewhere
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.tb.build.yosys import find_yosys, yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.ports.wishbone import WishbonePort
from goldbeat.tb.prove.aiger import read_aiger
from goldbeat.tb.prove.confirm import telling_failures
from goldbeat.tb.prove.engine import dropped_assertions, unseen_places
from goldbeat.tb.prove.far_side import FarSide
from goldbeat.tb.prove.harness import make_proof
from goldbeat.tb.prove.proof import Proof, prove
from goldbeat.tb.prove.register_facts import learn_registers
from goldbeat.tb.prove.witness import Witness, burst_program

needs_yosys = pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra prove)")

RTL = """module one_deep #(
  parameter int BUG = 0
) (
  input  logic       aclk, aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast, s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast, m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic       full;
  logic [7:0] data;
  logic [3:0] count;
  logic       last, gone;
  assign s_axis_tready = aresetn && (!full || m_axis_tready);
  assign m_axis_tvalid = BUG == 1 ? full && !gone : BUG == 3 ? full || !aresetn : full;
  assign m_axis_tdata  = BUG == 2 && gone ? ~data : data;
  assign m_axis_tlast  = last;
  always_ff @(posedge aclk) begin
    gone <= full && !m_axis_tready;
    if (s_axis_tready && s_axis_tvalid) begin
      data  <= BUG == 4 && count == 4'd3 ? 8'd0 : s_axis_tdata;
      last  <= s_axis_tlast;
      count <= count + 4'd1;
    end
    full <= (s_axis_tready && s_axis_tvalid && !(BUG == 5 && count == 4'd2)) || (full && !m_axis_tready) || (BUG == 6 && &count);
    if (!aresetn) begin
      full  <= 1'b0;
      count <= 4'd0;
    end
    if (aresetn) bounded : assert (!(BUG == 7 && count > 4'd2));
  end
endmodule
"""
BENCH = pass_through("one_deep", "rtl.sv", last=True, more="parameters = { BUG = 0 }\n")
BROKEN = {
    1: "axis_valid_held m_axis",
    2: "axis_payload_stable m_axis",
    3: "axis_valid_in_reset m_axis",
    4: "order m_axis",
    5: "delivered m_axis",
    6: "nothing_extra m_axis",
    7: "rtl_assertion",
}


def _described(folder: Path) -> Path:
    (folder / "rtl.sv").write_text(RTL)
    path = folder / "one_deep.toml"
    path.write_text(BENCH)
    return path


def _proof(folder: Path, bug: int, budget_s: float = 20) -> Proof:
    design = find_design(str(_described(folder)))
    params = design.params(design.cases[0], {"BUG": bug})
    return prove(yosys(), design, params, "identity", [], folder, budget_s=budget_s, depth=20, within=6)


def _statuses(proof: Proof) -> dict[str, str]:
    return {one.claim.name: one.status for one in proof.verdicts}


@needs_yosys
def test_a_sound_module_is_proven(tmp_path):
    found = _statuses(_proof(tmp_path, 0, 60))
    assert set(found.values()) == {"proven"}
    assert {name.partition(" (")[0] for name in BROKEN.values()} <= {n.partition(" bounded")[0] for n in found}


@needs_yosys
@pytest.mark.parametrize("bug", [one if one in (1, 4) else pytest.param(one, marks=pytest.mark.slow) for one in BROKEN])
def test_a_broken_module_is_refuted(tmp_path, bug):
    found = _statuses(_proof(tmp_path, bug))
    assert any(name.startswith(BROKEN[bug]) and status == "refuted" for name, status in found.items()), found


@needs_yosys
def test_what_the_rtl_says_of_itself_is_no_proof_by_its_name(tmp_path):
    """An assertion that is never judged says nothing; an ``assume`` is an assertion, as in the simulator."""
    turn = "step <= !aresetn || step == 2'd2 ? 2'd0 : step + 2'd1;"
    claims = "if (aresetn && step == 2'd3) never : assert (0); hope : assume (count < 4'd2);"
    text = RTL.replace("  logic       full;", "  logic full; logic [1:0] step;")
    (tmp_path / "rtl.sv").write_text(text.replace("if (aresetn) bounded", f"{turn} {claims} if (aresetn) bounded"))
    path = tmp_path / "one_deep.toml"
    path.write_text(BENCH)
    design = find_design(str(path))
    params = design.params(design.cases[0], {})
    found = prove(yosys(), design, params, "", [], tmp_path, budget_s=20, depth=20, within=6)
    told = {
        name.partition("never")[1] or name.partition("hope")[1]: status for name, status in _statuses(found).items()
    }
    assert (told["never"], told["hope"]) == ("vacuous", "refuted")


def test_rtl_of_synthesis_alone_is_named(tmp_path):
    _described(tmp_path)
    text = "`ifndef SYNTHESIS\n`endif\n// synthesis translate_off\n// translate off\n`ifdef FORMAL\n`endif\n"
    (tmp_path / "rtl.sv").write_text(text + RTL)
    assert unseen_places(find_design(str(tmp_path / "one_deep.toml"))) == ["rtl.sv:1", "rtl.sv:3"]


SLAVE = """module words (input logic aclk, aresetn, psel, penable, pwrite, input logic [3:0] paddr, input logic [31:0] pwdata,
  output logic [31:0] prdata, output logic pready, pslverr);
  logic [31:0] held [4];
  assign pready = 1'b1, prdata = held[paddr[3:2]], pslverr = ERROR;
  always_ff @(posedge aclk) if (psel && penable && pwrite) held[paddr[3:2]] <= pwdata;
endmodule
"""
WORDS = """name = "words"
top = "words"
files = ["words.sv"]
model = "memory"
compare_time = false
[[clocks]]
name = "aclk"
reset = "aresetn"
[[registers]]
bus = "apb"
name = "s"
clock = "aclk"
address_width = 4
storage = [{ words = 4 }]
"""


@needs_yosys
@pytest.mark.parametrize(
    ("error", "status", "most"),
    [
        ("psel && penable && prdata[5] && paddr[3:2] == 1", "refuted", 8192),
        ("psel && penable && prdata[5] && paddr[3:2] == 1", "refuted", 64),
        ("1'b0", "proven", 64),
        pytest.param("1'b0", "proven", 8192, marks=pytest.mark.slow),
    ],
)
def test_an_error_answer_of_a_word_is_no_way_around_its_value(tmp_path, monkeypatch, error, status, most):
    """Also with a memory that is taken to be too large for flip-flops."""
    monkeypatch.setattr("goldbeat.tb.prove.engine.MOST_BITS", most)
    pins = ("psel", "penable", "pwrite", "paddr", "pwdata", "prdata", "pready", "pslverr")
    signals = ", ".join(f'{pin} = "{pin}"' for pin in pins)
    (tmp_path / "words.sv").write_text(SLAVE.replace("ERROR", error))
    (tmp_path / "words.toml").write_text(f"{WORDS}signals = {{ {signals} }}\n")
    design = find_design(str(tmp_path / "words.toml"))
    used = [Access(op, 4 * n, 7) for n in range(4) for op in ("write", "read")]
    template = Stimulus({}, program={"s": tuple(used)})
    found = prove(
        yosys(), design, design.params(design.cases[0], {}), "", [template], tmp_path, budget_s=20, depth=20, within=6
    )
    assert _statuses(found)["no_error s"] == status
    assert ("memories" in found.harness.sheet.unproven) == (most == 64)
    assert "s: addresses of whole words" in found.harness.sheet.assumed


BRIDGE = """module bridge (input logic pclk, presetn,
  input logic s_psel, s_penable, s_pwrite, input logic [7:0] s_paddr, input logic [15:0] s_pwdata, input logic [1:0] s_pstrb,
  input logic [2:0] s_pprot, output logic [15:0] s_prdata, output logic s_pready, s_pslverr,
  output logic m_psel, m_penable, m_pwrite, output logic [7:0] m_paddr, output logic [15:0] m_pwdata, output logic [1:0] m_pstrb,
  output logic [2:0] m_pprot, input logic [15:0] m_prdata, input logic m_pready, m_pslverr);
  logic [2:0] gone;
  wire goes = COUNTED;
  always_ff @(posedge pclk) gone <= presetn ? gone + 3'(m_penable & m_pready & ~&gone) : 3'd0;
  assign {m_psel, m_penable, m_pwrite, m_paddr, m_pwdata, m_pstrb, m_pprot} =
    {s_psel & goes, s_penable & goes, s_pwrite, s_paddr, s_pwdata, s_pstrb, s_pprot};
  assign {s_prdata, s_pready, s_pslverr} = {m_prdata, m_pready & goes, m_pslverr};
endmodule
"""
BRIDGE_BENCH = """name = "bridge"
top = "bridge"
files = ["bridge.sv"]
model = "adapter"
compare_time = false
[[clocks]]
name = "pclk"
reset = "presetn"
"""
_APB_PINS = ("psel", "penable", "pwrite", "paddr", "pwdata", "pstrb", "pprot", "prdata", "pready", "pslverr")


@needs_yosys
@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        ("", "", ""),
        ("s_pwrite, s_paddr,", "s_pwrite, s_paddr & {1'b1, ~{s_pwrite, 1'b0}, 5'h1f},", "memory_bit s"),
        (
            "s_pwrite, s_paddr, s_pwdata, s_pstrb,",
            "s_pwrite, s_paddr, s_pwdata, {2{s_pwrite}},",
            "memory_write s",
        ),
        ("m_pready & goes, m_pslverr};", "m_pready & goes, m_pslverr | (s_pwrite & s_paddr[7])};", "no_error s"),
        ("s_pstrb, s_pprot};", "s_pstrb, s_pprot & {1'b1, s_pwrite, 1'b1}};", "attributes m read"),
        (
            "  assign {s_prdata, s_pready, s_pslverr} = {m_prdata,",
            "  logic wrote;\n  always_ff @(posedge pclk) wrote <= presetn & (wrote | (s_psel & s_pwrite));\n"
            "  assign {s_prdata, s_pready, s_pslverr} = {m_prdata ^ {16{~wrote}},",
            "memory_bit s",
        ),
        ("COUNTED", "~&gone", "answered s"),
    ],
    ids=["sound", "address", "strobe", "error", "attribute", "before-a-write", "stops-at-seven"],
)
def test_a_bit_is_followed_through_a_bridge(tmp_path, old, new, broken):
    assert old in BRIDGE
    (tmp_path / "bridge.sv").write_text(BRIDGE.replace(old, new).replace("COUNTED", "1'b1"))
    ports = ""
    for name, way in (("s", "in"), ("m", "out")):
        pins = ", ".join(f'{pin} = "{name}_{pin}"' for pin in _APB_PINS)
        ports += f'[[registers]]\nbus = "apb"\nname = "{name}"\nclock = "pclk"\ndirection = "{way}"\n'
        ports += f"address_width = 8\ndata_width = 16\nsignals = {{ {pins} }}\n"
    (tmp_path / "bridge.toml").write_text(BRIDGE_BENCH + ports)
    design = find_design(str(tmp_path / "bridge.toml"))
    found = prove(yosys(), design, {}, "adapter", [], tmp_path, budget_s=10, depth=12, within=6)
    refuted = [name for name, status in _statuses(found).items() if status == "refuted"]
    assert broken in refuted if broken else not refuted
    assert "vacuous" not in _statuses(found).values()


def test_what_a_read_must_give_is_known_unless_another_port_writes_it():
    far = FarSide([Route(slave, 0x1000, 0x2000, "m", 0x8000) for slave in ("a", "b")])
    there = far.images({"m": MemoryImage(())}, {"a": [Access("read", 0x1004)]}, {})["m"].regions[0]
    assert far.byte("a", 0x1004, None) == (there.data[4], 0xFF)
    assert far.byte("a", 0x3000, None) == (0, 0)
    far.write("b", 0x1004, 2)
    assert far.byte("a", 0x1005, None) == far.byte("a", 0x1005, 7) == (0, 0)
    assert (far.byte("b", 0x1005, 7), far.byte("a", 0x1006, 9)) == ((7, 0xFF), (9, 0xFF))


def test_what_the_cases_say_of_registers():
    """Word 0 holds 6 bits that a reset sets to 0x15, word 4 is read-only, nothing is at 8; word 0xC is never written."""
    port = LitePort(name="s", clock="clk", address_width=8, data_width=32)
    steps = [Access("read", 0, 0x15), Access("read", 0xC, 3), Access("read", 8, error=True, prot=1)]
    for value in (0xFFFF_FFFF, 0x2A):
        steps += [Access("write", 0, value), Access("read", 0, value & 0x3F), Access("read", 0xC, value & 1)]
        steps += [Access("write", 4, value, strobe=value & 0xF, error=True), Access("read", 4, 0x47)]
    facts = learn_registers(port, [Stimulus({}, program={"s": (*steps, Access("read", 8, error=True))})])
    assert (facts.words, facts.first) == ({0: 0x3F}, {0: (0x15, 0x3F)})
    assert facts.fixed == {0: (0, 0xFFFF_FFC0), 4: (0x47, 0xFFFF_FFFF)}
    assert facts.others == {0xC: 0xFFFF_FFFF}
    assert facts.refused == {READ: {8}, WRITE: {4}}
    assert facts.allowed == {READ: {0, 4, 0xC}, WRITE: {0}}
    assert (facts.byte(0, None), facts.byte(0, 0xFF), facts.byte(0xC, 0xFF)) == ((0x15, 0xFF), (0x3F, 0xFF), (0, 0))
    beside = learn_registers(port, [], Elsewhere("zero", (range(8), range(0xC, 0x10))))
    assert (beside.byte(8, 0xFF), beside.byte(0xC, None)) == ((0, 0xFF), (0, 0))


def test_a_write_waits_for_a_read_that_only_its_later_beats_meet():
    port = MemoryPort(name="s", clock="clk", direction="in", address_width=12, data_width=32)
    far = FarSide([Route("s", 0, 0x1000, "m", 0)])
    signals = {f"s_{way}{role}": [value] for way in ("aw", "ar") for role, value in (("size", 2), ("burst", 1))}
    signals |= {"s_arvalid": [1], "s_araddr": [0x10], "s_arlen": [3], "s_rvalid": [0]}
    signals |= {"s_awvalid": [0], "s_wvalid": [0], "s_awlen": [1]}
    read = {name: [*values, 0] for name, values in signals.items()}
    for start, waits in ((0xC, True), (0x20, False)):
        write = {
            **read,
            "s_awvalid": [0, 1],
            "s_awaddr": [0, start],
            "s_awlen": [0, 1],
            "s_awsize": [0, 2],
            "s_awburst": [0, 1],
        }
        program = burst_program(port, Witness(write, 2, True), 0, far)
        assert program.bursts.barrier.tolist() == [False, waits]


@needs_yosys
@pytest.mark.slow
@pytest.mark.sim
def test_rules_of_another_standard_are_claims_that_fail_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = """module late (input logic clk, rst, in_valid, out_ready, input logic [7:0] in_data,
      output logic in_ready, out_valid, output logic [7:0] out_data);
      logic full;
      assign in_ready = !full || out_ready, out_valid = full && (VALID);
      always_ff @(posedge clk) if (rst) full <= 0; else if (in_ready) {full, out_data} <= {in_valid, in_data};
    endmodule"""
    for valid, code, said in (
        ("out_ready", 3, "a rule of AXI-Stream alone"),
        ("1'b1", 0, "axis_valid_waits out     proven"),
    ):
        (tmp_path / "late.sv").write_text(text.replace("VALID", valid))
        assert said in goldbeat("prove", "late.sv", "--model", "identity", "--budget", "20s", code=code).stdout


@needs_yosys
@pytest.mark.sim
def test_assertions_are_proven_without_a_bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = """module grant (input logic clk, rst_n, input logic [2:0] asks, output logic [2:0] gets);
      assign gets = asks & (~asks + 3'd1);
      always_ff @(posedge clk) if (rst_n) CLAIM
    endmodule"""
    for claim, code, said in (("$onehot0(gets)", 0, "proven"), ("gets != 3'd4", 3, "not confirmed")):
        (tmp_path / "grant.sv").write_text(text.replace("CLAIM", f"claim : assert ({claim});"))
        done = goldbeat("prove", "grant.sv", "--budget", "5s", code=code)
        assert f")  {said}" in done.stdout
        assert "its assertions alone are proven" in done.stderr


@needs_yosys
@pytest.mark.slow
@pytest.mark.sim
def test_what_contradicts_a_model_that_does_not_fit_is_not_confirmed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rtl.sv").write_text(RTL.replace(": data;", ": data ^ 8'h5a;"))
    for more, code, said in ((), 3, "is not what this RTL does"), (("--model", "identity"), 1, "differs"):
        assert said in goldbeat("prove", "rtl.sv", "--top", "one_deep", "--budget", "10s", *more, code=code).stdout


@needs_yosys
@pytest.mark.slow
@pytest.mark.sim
def test_a_counterexample_is_confirmed_and_can_be_repeated(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    described = _described(tmp_path)
    done = goldbeat("prove", described, "--set", "BUG=4", "--json", "--budget", "20s", code=1)
    report = json.loads(done.stdout)
    refuted = next(one for one in report["properties"] if one["name"] == "order m_axis")
    assert report["status"] == "fail"
    assert "differs" in refuted["note"]
    page = (Path(report["folder"]) / "index.html").read_text()
    assert f"order m_axis: broken in cycle {refuted['cycles']}</title>" in page
    words = refuted["command"].split()[1:]
    assert "differs" in goldbeat(*words, code=1).stdout


STROBES = """module strobes (
  input logic clk, rst, mode,
  input logic [15:0] s_axis_tdata, input logic [1:0] s_axis_tkeep, s_axis_tstrb,
  input logic s_axis_tlast, s_axis_tvalid, output logic s_axis_tready,
  output logic [15:0] m_axis_tdata, output logic [1:0] m_axis_tkeep, m_axis_tstrb,
  output logic m_axis_tlast, m_axis_tvalid, input logic m_axis_tready
);
  assign s_axis_tready = !m_axis_tvalid || m_axis_tready;
  always_ff @(posedge clk) begin
    if (s_axis_tready) begin
      m_axis_tvalid <= s_axis_tvalid;
      {m_axis_tdata, m_axis_tkeep, m_axis_tlast} <= {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
      m_axis_tstrb <= s_axis_tstrb;
    end
    if (rst) m_axis_tvalid <= 1'b0;
  end
endmodule
"""


@needs_yosys
@pytest.mark.slow
@pytest.mark.sim
def test_position_bytes_and_inputs_that_are_held_count(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "strobes.sv"

    def proven(text, code, *more):
        path.write_text(text)
        done = goldbeat("prove", path, "--json", "--budget", "20s", "--bench", tmp_path / "bench", *more, code=code)
        report = json.loads(done.stdout)
        return {one["name"]: one["status"] for one in report["properties"]}, report

    found, report = proven(STROBES, 0, "--tie", "mode=0")
    assert set(found.values()) == {"proven"}
    assert not any("position" in text for text in report["assumed"])
    found, _ = proven(STROBES.replace("<= s_axis_tstrb", "<= s_axis_tkeep"), 1, "--tie", "mode=0")
    assert found["order m_axis"] == "refuted"
    # With the other value of an input that nobody has asked to hold, words are others.
    found, report = proven(STROBES.replace("{s_axis_tdata", "{s_axis_tdata ^ {16{mode}}"), 3)
    assert set(found.values()) == {"proven"}
    assert "mode" in report["without_property"]["m_axis"]
    assert "mode is 0; --tie says that this is meant" in report["assumed"]


def test_a_run_in_which_nothing_moves_confirms_only_that():
    trial = SimpleNamespace(failures=["nothing moved: no beat was accepted", "nothing was compared: no output beat"])
    confirmed = {
        name: telling_failures(trial, SimpleNamespace(claim=SimpleNamespace(name=name)))
        for name in ("axi_rlast_late s", "answered s")
    }
    assert confirmed == {"axi_rlast_late s": [], "answered s": trial.failures[:1]}


def _both_ways(kind: type, **more: object) -> tuple[object, object]:
    return kind(name="s", direction="in", **more), kind(name="m", direction="out", **more)


@pytest.mark.parametrize(
    ("bus", "key", "ports"),
    [
        (AXIS, "streams", _both_ways(StreamPort, interleaved=False, tid=2)),
        (AXIL, "registers", _both_ways(LitePort)),
        (AXI, "memories", _both_ways(MemoryPort, id_width=2)),
        (APB, "registers", _both_ways(ApbPort)),
        (WISHBONE, "registers", _both_ways(WishbonePort)),
    ],
)
def test_every_rule_has_a_property_or_a_reason(bus, key, ports):
    design = find_design("axis_skid").model_copy(update={"streams": (), "status": (), key: ports})
    sheet = make_proof(design, design.params(design.cases[0], {}), "", [], 16, {}).sheet
    told = [one.name for one in sheet.properties] + [*sheet.unproven, *sheet.excused]
    told += [rule for port in ports for rule, _, _ in port.paths()]
    rules = {name.partition(" ")[0] for name in told if name.startswith(f"{bus.name}_")}
    assert rules == set(bus.full_rules) - _only_if_there(bus, rules)


def _only_if_there(bus: object, rules: set[str]) -> set[str]:
    """TSTRB is not there unless it is named."""
    return {"axis_strobe_reserved"} - rules if bus is AXIS else set()


CROSSING = """module crossing (
  input  logic aclk, aresetn, bclk, bresetn,
  input  logic [7:0] s_axis_tdata, input logic s_axis_tvalid, output logic s_axis_tready,
  output logic [7:0] m_axis_tdata, output logic m_axis_tvalid, input logic m_axis_tready
);
  logic       put, got;
  logic [1:0] seen_put, seen_got;
  assign s_axis_tready = (put == FREE) && aresetn;
  assign m_axis_tvalid = seen_put[1] != got;
  always_ff @(posedge aclk) begin
    if (s_axis_tvalid && s_axis_tready) {put, m_axis_tdata} <= {~put, s_axis_tdata};
    seen_got <= {seen_got[0], got};
    if (!aresetn) {put, seen_got} <= 3'd0;
  end
  always_ff @(posedge bclk) begin
    if (m_axis_tvalid && m_axis_tready) got <= ~got;
    seen_put <= {seen_put[0], put};
    if (!bresetn) {got, seen_put} <= 3'd0;
  end
endmodule
"""


@pytest.mark.slow
@needs_yosys
@pytest.mark.parametrize(("free", "status"), [("seen_got[1]", "proven"), ("seen_put[1]", "refuted")])
def test_several_clocks_rise_together(tmp_path, free, status):
    (tmp_path / "rtl.sv").write_text(CROSSING.replace("FREE", free))
    text = pass_through("crossing", "rtl.sv")
    second = '[[clocks]]\nname = "bclk"\nreset = "bresetn"\n[[streams]]\nname = "s_axis"\nclock = "aclk"'
    text = text.replace('[[streams]]\nname = "s_axis"', second).replace(
        'name = "m_axis"', 'name = "m_axis"\nclock = "bclk"'
    )
    (tmp_path / "crossing.toml").write_text(text)
    design = find_design(str(tmp_path / "crossing.toml"))
    found = prove(yosys(), design, {}, "identity", [], tmp_path, budget_s=60, depth=20, within=6)
    assert _statuses(found)["order m_axis"] == status
    assert "clocks aclk, bclk" in found.harness.sheet.unproven


def test_assertions_that_are_not_read_are_named(tmp_path):
    design = find_design(str(_described(tmp_path)))
    line = next(n for n, text in enumerate(RTL.splitlines(), 1) if "bounded :" in text)
    assert dropped_assertions(design, {}) == [f"rtl.sv:{line}"]
    assert dropped_assertions(design, {"own_0": f"u_x.bounded (rtl.sv:{line}.1-{line}.9)"}) == []


def test_a_circuit_is_simulated_and_knows_what_follows_what(tmp_path):
    """A flip-flop that is set unless it is set and enabled; the output is its inverse."""
    (tmp_path / "c.aig").write_bytes(b"aig 3 1 1 1 1\n7\n5\n" + bytes([6 - 4, 4 - 2]))
    (tmp_path / "c.map").write_text("input 0 0 enable\nlatch 0 0 state\noutput 0 0 shown\nninitff 3\n")
    circuit = read_aiger(tmp_path / "c.aig", tmp_path / "c.map")
    assert circuit.numbers("sh") == {"shown": [0]}
    enables = iter([[0b01], [0b01], [0b00]])
    assert [row[0] for row in circuit.simulate(enables, 2)] == [0b11, 0b00, 0b01]
    assert circuit.support(0) == set()
