# SPDX-License-Identifier: Apache-2.0
"""What is found in modules of many naming styles, and what is refused."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.harness import TOP, misfits
from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.pin_names import low_by_name
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import Choices, Found, find
from goldbeat.tb.probe.write import describe, wrapper

RTL = Path(__file__).parent / "rtl"


def probe(name: str, choices: Choices | None = None, **parameters: str) -> Found:
    (path,) = RTL.glob(f"{name}.*v")
    return find(elaborate(Sources((path,)), name, parameters), choices)


def shape(found: Found) -> dict[str, str]:
    """Each bundle as text: direction, lanes, width, roles."""
    texts = {}
    for port in found.bundles:
        wires = " ".join(f"{w.name}:{w.width}" for w in port.resolved(values(found)).wires())
        lanes = "" if port.lanes is None else f"{port.lanes} {port.layout} "
        texts[port.name] = f"{port.direction} {port.clock} {lanes}{wires}"
    return texts


def values(found: Found) -> dict[str, object]:
    return {p.name: p.value for p in found.module.parameters}


def clocks(found: Found) -> list[tuple[str, str | None, bool]]:
    return [(c.name, c.reset, c.active_high) for c in found.clocks]


def test_usual_names() -> None:
    found = probe("plain_slice")
    assert clocks(found) == [("aclk", "aresetn", False)]
    wires = "tdata:32 tkeep:4 tlast:1 tvalid:1 tready:1 tuser:3"
    assert shape(found) == {"s_axis": f"in aclk {wires}", "m_axis": f"out aclk {wires}"}
    assert [s.width for s in found.streams] == ["DATA_W", "DATA_W"]
    assert found.ties == {"flush": 0, "core_enable": -1}
    assert found.ignored == ("level",)
    assert list(found.unplaced) == ["flush", "core_enable", "level"]
    assert not found.refused


def test_parameters_from_outside() -> None:
    found = probe("plain_slice", DATA_W="64", USER_W="2")
    assert "tkeep:8" in shape(found)["s_axis"]
    assert "tuser:2" in shape(found)["s_axis"]
    with pytest.raises(UsageError, match="no parameter 'DEPTH'; it has: DATA_W, USER_W"):
        probe("plain_slice", DEPTH="4")


def test_strings_are_text_whatever_their_type_is(tmp_path: Path) -> None:
    parameters = {
        'A = "DEFAULT"': "DEFAULT",
        'string B = "typed"': "typed",
        '[31:0] C = "abcd"': "abcd",
        "D = A": "DEFAULT",
        'E = 1 ? "yes" : "no"': "yes",
        'F = ""': "",
        # No text, or cut off, or in control characters.
        '[7:0] G = "ab"': 98,
        "[7:0] H = 8'h41": 65,
        'I = "\\n"': 10,
        "J = 4": 4,
    }
    text = ", ".join(f"parameter {one}" for one in parameters)
    (tmp_path / "d.sv").write_text(f"module d #({text}) (input clk, input s_tvalid, input [7:0] s_tdata); endmodule")
    sources = Sources((tmp_path / "d.sv",))
    found = find(elaborate(sources))
    assert list(values(found).values()) == list(parameters.values())
    assert values(find(elaborate(sources, None, {"A": '"x y"'})))["D"] == "x y"
    assert '.A("DEFAULT")' in wrapper(found)


def test_upper_case_and_old_port_list() -> None:
    found = probe("upper_case")
    assert clocks(found) == [("S_AXIS_ACLK", "S_AXIS_ARESETN", False)]
    assert shape(found)["m_axis"] == "out S_AXIS_ACLK tdata:32 tkeep:4 tlast:1 tvalid:1 tready:1"
    stream = found.streams[0]
    assert (stream.pin("tdata"), stream.pin("tkeep")) == ("S_AXIS_TDATA", "S_AXIS_TSTRB")
    assert stream.width == "C_S_AXIS_TDATA_WIDTH"
    assert any("S_AXIS_TSTRB" in n for n in found.notes)


def test_flat_vectors() -> None:
    found = probe("flat_lanes")
    assert clocks(found) == [("clk", "rst", True)]
    assert shape(found)["m_axis"] == "out clk M_COUNT packed tdata:16 tkeep:2 tlast:1 tvalid:1 tready:1"
    assert found.streams[1].width == "DATA_WIDTH"
    assert found.ties == {"s_axis_tid": 0}
    assert found.ignored == ("m_axis_tid",)
    assert probe("flat_lanes", ID_ENABLE="1").streams[0].tid == "ID_WIDTH"
    assert probe("flat_lanes", M_COUNT="1").streams[1].lanes is None


@pytest.mark.parametrize(
    ("name", "layout"),
    [("packed_lanes", "packed"), ("unpacked_lanes", "unpacked"), ("unpacked_down", "unpacked_down")],
)
def test_arrays(name: str, layout: str) -> None:
    found = probe(name)
    assert clocks(found) == [("clk", "rst_n", False)]
    assert shape(found)["s_axis"] == f"in clk N {layout} tdata:24 tvalid:1 tready:1"


def test_a_clock_that_nothing_uses_is_the_one_of_the_bundle_named_after_it() -> None:
    found = probe("wrong_clock")
    assert {b.name: b.clock for b in found.streams} == {"s_a": "a_clk", "m_b": "b_clk"}
    assert any("m_b: clock b_clk by its name" in note and "looks like a bug" in note for note in found.notes)


def test_clock_of_each_bundle_by_its_flip_flops() -> None:
    found = probe("two_clocks")
    assert clocks(found) == [("ck_fast", "fast_reset", True), ("ck_slow", "rst_slow_n", False)]
    assert {s.name: s.clock for s in found.streams} == {"rx_axis": "ck_slow", "tx_axis": "ck_fast"}
    assert not any("by its name" in n for n in found.notes)


def test_a_reset_in_the_second_branch_is_low_while_it_resets(tmp_path: Path) -> None:
    text = (RTL / "handshake.sv").read_text()
    first, _, rest = text.partition("    if (reset_n) out_vld <= 1'b0;\n    else if (in0_ready) begin\n")
    path = tmp_path / "handshake.sv"
    turned = rest.replace("    end\n", "    end end else out_vld <= 1'b0;\n", 1)
    path.write_text(first + "    if (reset_n) begin if (in0_ready) begin\n" + turned)
    found = find(elaborate(Sources((path,)), "handshake", {}), None)
    assert clocks(found) == [("clock", "reset_n", False)]


def test_constants_under_conditions_are_work(tmp_path: Path) -> None:
    """A reset that leaves something as it is stands in the first branch all the same."""
    text = (RTL / "handshake.sv").read_text()
    path = tmp_path / "handshake.sv"
    first, _, rest = text.partition("    if (reset_n) out_vld <= 1'b0;\n    else if (in0_ready) begin\n")
    work = "if (in0_ready) out_vld <= 1'b1; else if (out_rdy) out_vld <= 1'b0; end\n"
    rest = rest.partition("    end\n")[2]
    path.write_text(f"{first}    if (!reset_n) out_vld <= out_vld & out_rdy; else begin {work}{rest}")
    found = find(elaborate(Sources((path,)), "handshake", {}), None)
    assert clocks(found) == [("clock", "reset_n", False)]


def test_direction_suffixes() -> None:
    found = probe("suffixed")
    assert clocks(found) == [("clk_i", "rst_ni", False)]
    assert shape(found)["axis_s"] == "in clk_i tdata:32 tvalid:1 tready:1"
    assert found.streams[1].pin("tready") == "axis_m_tready_i"


def test_plain_handshakes_and_a_lying_reset() -> None:
    found = probe("handshake")
    assert clocks(found) == [("clock", "reset_n", True)]
    assert any("although its name says otherwise" in n for n in found.notes)
    assert shape(found) == {
        "probe": "out clock tdata:8 tvalid:1",
        "in0": "in clock tdata:16 tvalid:1 tready:1",
        "out": "out clock tdata:16 tvalid:1 tready:1",
    }
    assert found.streams[2].pin("tready") == "out_rdy"


def test_buses() -> None:
    found = probe("buses")
    (lite,) = found.registers
    assert (lite.name, lite.direction, lite.data_width, lite.address_width) == ("s_axil", "in", 32, 12)
    assert not lite.has("awprot")
    master, slave = found.memories
    assert (master.name, master.direction, master.lanes, master.id_width) == ("m_axi", "out", "M", "ID")
    assert master.resolved(values(found)).users == {"awuser": 2}
    assert (master.data_width, master.address_width) == ("DATA", "ADDR")
    assert not master.has("arvalid")
    assert (slave.name, slave.direction, slave.id_width, slave.has("awvalid")) == ("s00_axi", "in", 0, False)
    assert found.ties["s00_axi_arlock"] == 0
    assert any("s00_axi_arlock: 2 bits, expected 1" in n for n in found.notes)


def test_a_stream_that_only_listens() -> None:
    found = probe("listener")
    assert shape(found) == {"tap_axis": "in clk tdata:32 tlast:1 tvalid:1"}
    assert found.ties == {"tap_axis_tready": 1}


def test_names_that_only_their_direction_tells_apart() -> None:
    found = probe("split_channels")
    streams = {name: text for name, text in shape(found).items() if "tvalid" in text}
    wires = "tdata:16 tvalid:1 tready:1"
    assert streams == {"axis_in": f"in clk_i {wires}", "axis_out": f"out clk_i {wires}"}
    assert [found.streams[1].pin(role) for role in ("tdata", "tready")] == ["data_o", "ready_i"]
    assert {(r.name, r.bus, r.direction) for r in found.registers} == {("reg", "axil", "in"), ("apb", "apb", "out")}


def test_strobes_of_apb_may_be_called_pwstrb() -> None:
    found = probe("apb_wstrb")
    (port,) = found.registers
    assert (port.bus, port.direction, port.pin("pstrb")) == ("apb", "out", "M_APB_PWSTRB")
    assert not found.unplaced


def test_no_reset() -> None:
    found = probe("no_reset")
    assert clocks(found) == [("clk", None, False)]
    assert shape(found) == {"a": "in clk tdata:8 tvalid:1", "b": "out clk tdata:8 tvalid:1"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("odd", "odd_tdata has 6 bits per bundle, not a multiple of 8"),
        ("mixed", "mixed_tdata is not an array like the rest of its bundle"),
        ("up", "up_tvalid counts its bundles upwards ([0:1])"),
        ("against", "against_tdata has the opposite direction of against_tvalid"),
        ("half", "its write channels lack wdata, wvalid, wready, bvalid, bready"),
        ("old", "old_arlen has 4 bits, expected 8 (AXI3?)"),
    ],
)
def test_what_is_no_bundle_is_told_why(name: str, why: str) -> None:
    found = probe("not_bundles")
    assert f"{name}: not a bundle: {why}" in found.notes
    assert not found.bundles


def test_refused_ports() -> None:
    found = probe("with_interface")
    assert {port: reason.partition(" (")[0] for port, reason in found.refused.items()} == {"pad": "inout"}
    with pytest.raises(UsageError, match=r"with_interface: no harness can be made(.|\n)*pad: inout"):
        wrapper(found)
    allowed = probe("with_interface", Choices({"request_data": 3}, ("pad",)))
    assert not allowed.refused
    assert shape(allowed) == {"port": "in clk tdata:32 tvalid:1 tready:1"}
    assert (allowed.ties, allowed.ignored) == ({"request_data": 3, "request_valid": 0}, ("pad", "table_o"))


def test_choices_are_checked() -> None:
    with pytest.raises(UsageError, match="no port 'nothing'"):
        probe("plain_slice", Choices({"nothing": 0}))
    with pytest.raises(UsageError, match="port level is an output"):
        probe("plain_slice", Choices({"level": 0}))
    assert probe("plain_slice", Choices({"flush": 1})).ties["flush"] == 1


def test_no_clock() -> None:
    found = probe("comb_only")
    assert set(found.refused) == {"s_axis", "m_axis"}


def test_nothing_to_drive(tmp_path: Path) -> None:
    found = probe("buses")
    sources = Sources((RTL / "buses.sv",))
    assert [case.make for case in describe(found, sources, tmp_path).cases] == ["ram:s_axil", "ram:s00_axi"]
    masters = replace(found, registers=(), memories=tuple(m for m in found.memories if m.direction == "out"))
    with pytest.raises(UsageError, match="no stream and no slave port found; there is nothing to drive"):
        describe(masters, sources, tmp_path)


def test_syntax_errors_carry_their_line() -> None:
    with pytest.raises(
        UsageError, match=r"slang finds 1 error\(s\):\n.*bad_syntax\.sv:5:10: error: expected expression"
    ):
        probe("bad_syntax")


def test_tops() -> None:
    both = Sources((RTL / "no_reset.sv", RTL / "suffixed.sv"))
    with pytest.raises(UsageError, match=r"choose one with --top: no_reset, suffixed"):
        elaborate(both)
    with pytest.raises(UsageError, match="nowhere"):
        elaborate(both, "nowhere")
    assert elaborate(both, "suffixed").name == "suffixed"
    with pytest.raises(UsageError, match="no such source file"):
        elaborate(Sources((RTL / "absent.sv",)))
    with pytest.raises(UsageError, match="no source files"):
        elaborate(Sources())


@pytest.mark.parametrize(
    "name",
    [
        *("plain_slice", "upper_case", "flat_lanes", "packed_lanes", "unpacked_lanes", "unpacked_down", "two_clocks"),
        *("suffixed", "handshake", "split_channels", "buses", "listener", "no_reset"),
    ],
)
def test_the_wrapper_fits(name: str, tmp_path: Path) -> None:
    """Verilator takes every generated harness, with no width or port that differs."""
    (source,) = RTL.glob(f"{name}.*v")
    harness = tmp_path / f"{TOP}.sv"
    harness.write_text(wrapper(probe(name)))
    tool = verilator()
    command = [str(tool.executable), "--lint-only", "-Wno-fatal", "--top-module", TOP, str(source), str(harness)]
    run = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert misfits(run.stderr) == []


def test_numbers_without_a_size_in_copied_defaults_are_no_misfit() -> None:
    wrong = "%Warning-WIDTHEXPAND: harness.sv:3:4: Input port connection 'd' expects 8 bits"
    unsized = "%Warning-WIDTHCONCAT: harness.sv:3:4: Unsized numbers/parameters not allowed in concatenations."
    assert misfits(f"{wrong}\n{unsized}\n") == ["Input port connection 'd' expects 8 bits"]


@pytest.mark.parametrize(
    ("condition", "high"), [("wr & presetn", False), ("!(presetn & wr)", False), ("presetn || wr", True)]
)
def test_an_enable_beside_the_inactive_level_of_a_reset_tells_nothing(
    tmp_path: Path, condition: str, high: bool
) -> None:
    (tmp_path / "d.sv").write_text(
        "module d (input logic clk, input logic presetn, input logic wr, input logic [7:0] s_tdata, input logic s_tvalid,"
        f" output logic [7:0] q); always_ff @(posedge clk) if ({condition}) q <= s_tdata; endmodule"
    )
    (clock,) = find(elaborate(Sources((tmp_path / "d.sv",)))).clocks
    assert (clock.reset, clock.active_high) == ("presetn", high)


GATED = """module gated (input clk, input en_, input RST, input s_tvalid, input [7:0] s_tdata, output reg [7:0] q);
  wire g, low, high; reg l, half; GATE
  always @(posedge g or SENSED) if (ON) q <= 0; else if (!en_ && s_tvalid) q <= s_tdata;
endmodule
module gate (input c, output q); reg l; always @(negedge c) l <= 1; assign q = c & l; endmodule"""


@pytest.mark.parametrize(
    "gate",
    [
        "assign g = clk;",
        "gate u (.c(clk), .q(g));",
        "always @* if (!clk) l = !en_; assign g = clk & l;",
        "and (g, clk, !en_);",
        "always @(posedge clk) half <= !half; assign g = half;",
    ],
)
def test_the_level_of_a_reset_counts_behind_gates_of_its_clock(gate: str, tmp_path: Path) -> None:
    wires = "not (high, reset_x); buf (low, reset_x);"
    for reset, sensed, on, more, high in (
        ("reset_", "negedge reset_", "!reset_", "", False),
        ("odd", "negedge odd", "!odd", "", False),
        ("reset_", "posedge reset_", "reset_", "", True),
        ("reset_x", "posedge high", "high", wires, False),
        ("reset_x", "negedge low", "!low", wires, False),
    ):
        text = GATED.replace("RST", reset).replace("SENSED", sensed).replace("ON", on).replace("GATE", gate + more)
        (tmp_path / "gated.v").write_text(text)
        found = find(elaborate(Sources((tmp_path / "gated.v",)), "gated"))
        assert [(c.name, c.reset, c.active_high) for c in found.clocks] == [("clk", reset, high)]
        assert found.ties["en_"] == 0
        told = [note for note in found.notes if note.startswith((f"{reset}: active", "clk:"))]
        assert len(told) == ((reset, high) != ("reset_", False))


@pytest.mark.parametrize("name", ["rst_", "reset_", "wr_reset_"])
def test_an_underscore_behind_the_name_of_a_reset_says_active_low(name: str) -> None:
    assert low_by_name(name)
    assert not low_by_name(name.rstrip("_"))


COUNTERS = """module counters (input logic clock, input logic CLEAR, input logic up, output logic [3:0] w, output logic [3:0] r);
  logic [3:0] m [16];
  always_ff @(posedge clock) begin
    FIRST
    if (CLEAR) begin w <= '0; REST end
    else begin w <= w + 4'(up); r <= r + 4'd1; end
  end
endmodule"""


@pytest.mark.parametrize(
    ("name", "rest", "reset"),
    [
        ("clear", "", True),
        ("mr_n", "r <= '0; /* behind a memory */", False),
        ("sclr_n", "", False),
        ("again", "r <= '0;", True),
        ("again", "", None),
        ("start", "r <= '0;", None),
        ("clear", "r <= 4'(up);", None),
    ],
)
def test_a_reset_of_another_name_where_there_is_none(name: str, rest: str, reset: bool | None, tmp_path: Path) -> None:
    low = "!" * (reset is False)
    first = "if (up) m[w] <= r;" if "memory" in rest else ""
    text = (
        COUNTERS.replace("FIRST", first)
        .replace("(CLEAR)", f"({low}{name})")
        .replace("CLEAR", name)
        .replace("REST", rest)
    )
    (tmp_path / "counters.sv").write_text(text)
    found = find(elaborate(Sources((tmp_path / "counters.sv",))))
    (clock,) = found.clocks
    assert (clock.reset, clock.active_high) == ((name, reset) if reset is not None else (None, False))
    assert any(note.startswith(f"{name}: taken as the reset") for note in found.notes) == (reset is not None)
    # Where a reset is, the input stays what it was.
    second = text.replace("input logic up", "input logic rst, input logic up").replace("4'(up)", "4'(up && !rst)")
    (tmp_path / "counters.sv").write_text(second)
    found = find(elaborate(Sources((tmp_path / "counters.sv",))))
    assert (found.clocks[0].reset, name in found.ties) == ("rst", True)


QUEUE = """module queue (input clk, input CLEAR, input put, input [7:0] d, output [7:0] q, output reg [3:0] w, output reg [3:0] r);
  reg [7:0] m [0:15], a, b, c;
  assign q = m[r] ^ c;
  always @(posedge clk) begin
    if (put && w != r) m[w] <= d;
    BODY
  end
endmodule"""
_STEPS = "if (put) w <= w + 1; if (w != r) r <= r + 1;"


@pytest.mark.parametrize(
    ("name", "body", "high"),
    [
        ("sclr", f"if (sclr) begin w <= 0; r <= 0; end else begin {_STEPS} end", True),
        ("sinit", f"{_STEPS} if (sinit) begin w <= 0; r <= 0; end", True),
        ("mr_n", f"{_STEPS} if (!mr_n) begin w <= 0; r <= 0; end", False),
        ("sclr", f"a <= d; b <= a; c <= b; if (sclr) begin w <= 0; r <= 0; end else begin {_STEPS} end", True),
        # What sets some of the registers, stores values, or begins something is no reset.
        ("again", f"a <= d; b <= a; c <= b; if (again) begin w <= 0; r <= 0; end else begin {_STEPS} end", None),
        ("again", f"{_STEPS} if (again) r <= 0;", None),
        ("again", f"{_STEPS} if (again) begin w <= 0; r <= w; end", None),
        ("start", f"{_STEPS} if (start) begin w <= 0; r <= 0; end", None),
    ],
)
def test_a_reset_behind_other_decisions(name: str, body: str, high: bool | None, tmp_path: Path) -> None:
    (tmp_path / "queue.v").write_text(QUEUE.replace("CLEAR", name).replace("BODY", body))
    found = find(elaborate(Sources((tmp_path / "queue.v",))))
    (clock,) = found.clocks
    assert (clock.reset, clock.active_high) == ((None, False) if high is None else (name, high))
    told = [note for note in found.notes if note.endswith(f"give --tie {name}={0 if high else 1}")]
    assert len(told) == (high is not None)


def test_what_overrides_a_clock_is_none_and_the_readies_of_half_a_bus_let_it_go_on(tmp_path: Path) -> None:
    (tmp_path / "gated.sv").write_text(
        "module gated (input wire clk_i, input wire clk_override, input wire [7:0] s_tdata, input wire s_tvalid,"
        " output wire s_tready, output reg [7:0] m_tdata, output reg m_tvalid, input wire m_tready,"
        " output wire [31:0] axi_awaddr, output wire axi_awvalid, input wire axi_awready, output wire [31:0] axi_wdata,"
        " output wire axi_wvalid, input wire axi_wready);\n"
        "  reg gate; assign s_tready = (!m_tvalid || m_tready) && axi_awready && axi_wready;\n"
        "  always_latch if (!clk_i) gate = clk_override | s_tvalid | m_tvalid;\n"
        "  wire clk = clk_i & gate; assign {axi_awaddr, axi_awvalid, axi_wdata, axi_wvalid} = '0;\n"
        "  always @(posedge clk) if (s_tready) {m_tvalid, m_tdata} <= {s_tvalid, s_tdata};\nendmodule\n"
    )
    found = find(elaborate(Sources((tmp_path / "gated.sv",))))
    assert [clock.name for clock in found.clocks] == ["clk_i"]
    assert found.module.wiring.clocks == ("clk_i",)
    assert found.ties == {"clk_override": 0, "axi_awready": -1, "axi_wready": -1}
    assert "tied to 1, as a ready of a bus that is none" in found.unplaced["axi_awready"]
