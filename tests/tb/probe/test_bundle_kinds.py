# SPDX-License-Identifier: Apache-2.0
"""Bundles whose names mix conventions, FIFO ports, and modules with streams of one direction: found, written and run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from port_boxes import probed

from goldbeat.pymodels.buses import AXIL
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.harness import make_harness
from goldbeat.tb.design.description import READY, load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.unchecked import unchecked_signals
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.probe.bench import write_bench
from goldbeat.tb.probe.chosen import read_bundle
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import Choices, Found, find
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.write import MODEL, describe, to_toml
from goldbeat.tb.run.runs import Request, predict, run

FIFO = """module fifo #(parameter W = 8) (input clk, input rst,
  input wr_en, input [W-1:0] din, output full, input rd_en, output [W-1:0] dout, output empty);
  reg [W-1:0] m [0:7]; reg [3:0] w, r;
  assign full = w - r == 4'd8; assign empty = w == r; assign dout = m[r[2:0]];
  wire put = wr_en && !full;
  always @(posedge clk) begin
    if (put) begin m[w[2:0]] <= din; w <= w + 1; end
    if (rd_en) if (!empty) r <= r + 1;
    if (rst) begin w <= 0; r <= 0; end
  end
endmodule
"""
UNGUARDED = FIFO.replace("wr_en && !full", "wr_en").replace("if (rd_en) if (!empty)", "if (rd_en)")
CLAIMED = FIFO.replace("wire put", "assert property (@(posedge clk) full |-> !wr_en);\n  wire put")
COMPLAINING = UNGUARDED.replace(
    "wire put",
    """always @(posedge clk) begin : complaints
    reg wrong; wrong = 0;
    if (!rst) begin
      if (wr_en && full) wrong = 1;
      if (rd_en && empty) $display("read when empty");
    end
  end
  wire put""",
)
LATE = FIFO.replace("output [W-1:0] dout", "output reg [W-1:0] dout").replace("assign dout = m[r[2:0]];", "")
LATE = LATE.replace("if (!empty) r <= r + 1;", "if (!empty) begin r <= r + 1; dout <= m[r[2:0]]; end")
NESTED = (
    FIFO
    + """module outer (input i_clk, input i_rst, input i_push, input [7:0] i_data, output o_full_n,
  input i_pop, output [7:0] o_data, output o_empty_n);
  wire f, e; assign o_full_n = !f; assign o_empty_n = !e;
  fifo u (.clk(i_clk), .rst(i_rst), .wr_en(i_push), .din(i_data), .full(f), .rd_en(i_pop), .dout(o_data), .empty(e));
endmodule
"""
)
STAGE = """`timescale 1ns/1ps
module stage #(parameter D = 1) (input clk, input rst,
  input [11:0] io_in_bits, input io_in_valid, output io_in_ready,
  output [11:0] io_out_bits, output io_out_valid, input io_out_ready);
  reg full; reg [11:0] d;
  initial begin #0 full = 1'b0; end
  initial begin #1; if (D > 5) $error("D"); end
  assign #2 io_in_ready = ~full | io_out_ready; assign io_out_valid = full; assign io_out_bits = d;
  always @(posedge clk) if (rst) full <= #(D) 0;
    else if (io_in_ready) begin full <= #0.5 io_in_valid; d <= #1 io_in_bits; end
  always @(negedge clk) begin #0; if (!rst && full && d == 12'hbad) $display("seen"); end
endmodule
"""
COUNT = """module count (input clk, input rst, output reg [31:0] m_axis_tdata, output reg m_axis_tvalid, input m_axis_tready);
  always @(posedge clk) if (rst) begin m_axis_tvalid <= 0; m_axis_tdata <= 0; end
    else begin m_axis_tvalid <= 1; if (m_axis_tvalid & m_axis_tready) m_axis_tdata <= m_axis_tdata + 1; end
endmodule
"""
COUNT_MODEL = """import numpy as np
from goldbeat.pymodels.pattern import NextReady
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.pymodels.trace import Trace


def predict(params, stimulus):
    beats = stimulus.take
    data = np.arange(beats, dtype="<u4").view(np.uint8).reshape(-1, 4)
    ready, cycles, at = NextReady(stimulus.pattern("m_axis")), [], 0
    for _ in range(beats):
        at = ready(at + 1)
        cycles.append(at)
    clock = stimulus.clocks["clk"]
    return Outcome({"m_axis": Trace.from_bytes(data, clock_ps=clock.period_ps, offset_ps=clock.offset_ps).with_cycles(cycles)})
"""


def stub(ports: str, name: str = "top") -> str:
    """A module that does nothing, from ``in:name:width`` and ``out:name:width``."""
    texts = []
    for word in ("in:clk in:rst " + ports).split():
        way, port, *width = word.split(":")
        vector = f"[{int(width[0]) - 1}:0] " if width and width[0] != "1" else ""
        texts.append(f"{way}put {vector}{port}")
    return f"module {name} ({', '.join(texts)}); always @(posedge clk) if (rst) ; endmodule\n"


def found_in(folder: Path, text: str, choices: Choices | None = None, top: str | None = None) -> tuple[Found, Sources]:
    path = folder / "top.v"
    path.write_text(text)
    sources = Sources((path,))
    return find(elaborate(sources, top), choices), sources


def shape(found: Found) -> dict[str, str]:
    """Each bundle's direction, and the design's port by role, with widths of data."""
    return {
        b.name: " ".join([b.direction, *(f"{role}={text}" for role, text in (b.signals or {}).items()), *b.fields])
        for b in found.streams
    }


MIXED = {
    "plain words beside t-words": (
        "in:s_data:32 in:s_valid out:s_ready in:s_tlast in:s_tkeep:4 in:s_tuser:2 in:s_tid:3 in:s_tdest:4 in:s_tstrb:4",
        {
            "s": "in tdata=s_data tvalid=s_valid tready=s_ready tlast=s_tlast tkeep=s_tkeep tuser=s_tuser tid=s_tid "
            "tdest=s_tdest tstrb=s_tstrb"
        },
    ),
    "t-words beside plain words": (
        "out:m0_tdata:64 out:m0_tvalid in:m0_ready out:m0_last out:m0_keep:8",
        {"m0": "out tdata=m0_tdata tvalid=m0_tvalid tready=m0_ready tlast=m0_last tkeep=m0_keep"},
    ),
    "upper case": (
        "in:S_DATA:16 in:S_TVALID out:S_TREADY in:S_LAST",
        {"s": "in tdata=S_DATA tvalid=S_TVALID tready=S_TREADY tlast=S_LAST"},
    ),
    "camel case": (
        "in:inData:8 in:inValid out:inReady in:inLast out:outData:8 out:outValid in:outReady out:outLast",
        {
            "in": "in tdata=inData tvalid=inValid tready=inReady tlast=inLast",
            "out": "out tdata=outData tvalid=outValid tready=outReady tlast=outLast",
        },
    ),
    "sides": (
        "in:a_data_i:8 in:a_valid_i out:a_ready_o in:a_tlast_i",
        {"a": "in tdata=a_data_i tvalid=a_valid_i tready=a_ready_o tlast=a_tlast_i"},
    ),
    "sides before": (
        "in:i_data:8 in:i_valid out:o_ready out:o_data:8 out:o_valid in:i_ready",
        {"i": "in tdata=i_data tvalid=i_valid tready=o_ready", "o": "out tdata=o_data tvalid=o_valid tready=i_ready"},
    ),
    "Chisel": (
        "in:io_enq_bits:24 in:io_enq_valid out:io_enq_ready out:io_deq_bits_data:8 out:io_deq_bits_last "
        "out:io_deq_bits_keep out:io_deq_valid in:io_deq_ready",
        {
            "io_enq": "in tdata=io_enq_bits tvalid=io_enq_valid tready=io_enq_ready",
            "io_deq": "out tdata=io_deq_bits_data tlast=io_deq_bits_last tkeep=io_deq_bits_keep tvalid=io_deq_valid "
            "tready=io_deq_ready",
        },
    ),
    "no underscore": (
        "in:wdata:16 in:wvalid out:wready out:rd_data:16 out:rd_valid in:rd_ready",
        {
            "w": "in tdata=wdata tvalid=wvalid tready=wready",
            "rd": "out tdata=rd_data tvalid=rd_valid tready=rd_ready",
        },
    ),
    "no whole bytes": (
        "in:a_bits:13 in:a_valid out:a_ready in:b_tdata:3 in:b_tvalid in:b_tlast",
        {"b": "in tvalid=b_tvalid b_tdata b_tlast", "a": "in tvalid=a_valid tready=a_ready a_bits"},
    ),
}


@pytest.mark.parametrize("kind", MIXED)
def test_mixed_names_form_one_bundle(kind: str, tmp_path: Path) -> None:
    ports, wanted = MIXED[kind]
    found, _ = found_in(tmp_path, stub(ports))
    assert {name: set(text.split()) for name, text in shape(found).items()} == {
        name: set(text.split()) for name, text in wanted.items()
    }
    assert not found.unplaced


@pytest.mark.parametrize(
    "ports",
    [
        "out:m_axi_wdata:32 out:m_axi_wvalid in:m_axi_wready",  # A channel of AXI without its addresses.
        "in:invalid in:data:8",
        "in:tap_data:8 in:tap_last",
        "in:we in:din:8 in:addr:4 out:dout:8",
        "in:wr_en in:din:8 out:almost_full out:count:4",
        "in:a_wr_en in:b_wr_en in:din:8 out:full",  # Which of the two?
        "in:oup_pop_i out:oup_data_o:8 out:oup_gnt_o out:empty_o",  # A queue with answers, which says when it is idle.
        "in:s_wr_en out:s_full in:wdata:8 in:rdata:8 in:data:8",
    ],
)
def test_what_only_resembles_a_bundle_is_none(ports: str, tmp_path: Path) -> None:
    found, _ = found_in(tmp_path, stub(ports))
    assert not found.bundles
    assert set(found.unplaced) == {word.split(":")[1] for word in ports.split()}


def test_what_a_prefix_leaves_over_is_listed_and_written(tmp_path: Path) -> None:
    found, sources = found_in(tmp_path, stub("in:s_tdata:8 in:s_tvalid out:s_tready in:s_magic out:s_level:4"))
    assert list(found.unplaced) == ["s_magic", "s_level"]
    description = describe(found, sources, tmp_path)
    assert (dict(description.ties), description.ignored) == ({"s_magic": 0}, ("s_level",))


AVALON = """module av (input clk, input reset_n,
  input [31:0] in_data, input in_valid, output in_ready, input in_startofpacket, input in_endofpacket,
  input [1:0] in_empty, input [3:0] in_channel, input in_irq,
  output reg [31:0] out_data, output reg out_valid, input out_ready, output reg out_startofpacket,
  output reg out_endofpacket, output reg [1:0] out_empty, output reg [3:0] out_channel, output out_irq, output out_level);
  assign in_ready = !out_valid | out_ready; assign out_irq = 0; assign out_level = 0;
  always @(posedge clk or negedge reset_n) if (!reset_n) out_valid <= 0;
    else if (in_ready) begin out_valid <= in_valid; out_data <= in_data;
      out_startofpacket <= in_startofpacket; out_endofpacket <= in_endofpacket;
      out_empty <= in_empty; out_channel <= CHANNEL; end
endmodule
"""
BESIDE = "in:{0}_data:8 in:{0}_valid out:{0}_ready in:{0}_parity:2 in:{0}_poison"


def test_what_goes_with_every_stream_is_a_sideband(tmp_path: Path) -> None:
    found, _ = found_in(tmp_path, AVALON.replace("CHANNEL", "0"))
    # The packets make them streams of Avalon-ST, which know EMPTY and CHANNEL.
    assert [(p.bus, dict(p.sidebands), p.first, p.pin("tlast"), p.pin("tkeep"), p.tid) for p in found.streams] == [
        ("avalonst", {f"{n}_startofpacket": 1}, f"{n}_startofpacket", f"{n}_endofpacket", f"{n}_empty", 4)
        for n in ("in", "out")
    ]
    assert set(found.unplaced) == {"in_irq", "out_irq", "out_level"}
    # Whatever the names; what has no counterpart, or another width, is left over.
    for more, wanted in (
        ("out:m_parity:2 out:m_poison", ["s_parity", "s_poison"]),
        ("out:m_parity:3 out:m_poison", ["s_poison"]),
        ("out:m_poison in:m_parity:2", ["s_poison"]),
        ("out:m_eccs", []),
    ):
        ports = f"{BESIDE.format('s')} out:m_data:8 out:m_valid in:m_ready {more}"
        source = found_in(tmp_path, stub(ports))[0].streams[0]
        assert list(source.sidebands) == wanted
        assert source.first is None
    # Beside TUSER, and in suffix style.
    ports = "in:data_i:8 in:valid_i out:ready_o in:user_i:2 in:sop_i out:data_o:8 out:valid_o in:ready_i out:user_o:2 out:sop_o"
    found, sources = found_in(tmp_path, stub(ports))
    assert [list(p.sidebands) for p in found.streams] == [["sop_i"], ["sop_o"]]
    text = make_harness(describe(found, sources, tmp_path, model="identity").design(tmp_path), {})
    assert ".user_i(axis_in_tuser[1:0])" in text
    assert ".sop_i(axis_in_tuser[2:2])" in text


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"fields": {"x": 1}, "signals": {"tvalid": "v"}}, "sidebands: such a stream has signals with tdata"),
        ({"first": "q"}, "first: q must be one of sidebands"),
        ({"first": "p"}, "and the stream must have tlast"),
    ],
)
def test_sidebands_that_make_no_sense_are_refused(more: dict[str, object], said: str) -> None:
    given = {"name": "s", "direction": "in", "signals": {"tdata": "d", "tvalid": "v"}, "sidebands": {"p": 1}}
    with pytest.raises(ValueError, match=said):
        StreamPort.model_validate(given | more)


@pytest.mark.sim
@pytest.mark.parametrize(("channel", "passes"), [("in_channel", True), ("in_channel & 4'h7", False)])
def test_sidebands_are_driven_and_compared(channel: str, passes: bool, tmp_path: Path) -> None:
    found, sources = found_in(tmp_path, AVALON.replace("CHANNEL", channel))
    bench = write_bench(tmp_path / "b", found, describe(found, sources, tmp_path / "b", model="identity"))
    design = load_description(bench[0])
    (result,) = run(Request(design, design.case("random")))
    assert (not result.failures) == passes
    assert passes or any("tid differs" in text for text in result.failures)
    sent = result.episodes[0].stimulus.inputs["in"]
    first = np.flatnonzero(np.asarray(sent.tuser) & 1)
    assert first.tolist() == [begin for begin, _ in sent.frame_bounds()]
    # The level that goes with no beat is named.
    assert [text.partition(":")[0] for text in result.open] == ["out_level"]


def test_probe_shows_the_width_of_fields(tmp_path: Path) -> None:
    found, _ = found_in(tmp_path, stub("in:a_bits:12 in:a_valid out:a_ready in:c_addr:20 in:c_len:4 in:c_valid"))
    assert [p.shape(str) for p in with_handshakes(found).streams] == ["12 bit", "20 + 4 bit"]


SIDES = {
    "plain": ("in:wr_en in:din:8 out:full in:rd_en out:dout:8 out:empty out:almost_full", "write", "read"),
    "Cummings": ("in:winc in:wdata:16 out:wfull in:rinc out:rdata:16 out:rempty", "write", "read"),
    "sides": ("in:i_wr in:i_data:8 out:o_full in:i_rd out:o_data:8 out:o_empty out:o_fill:4", "write", "read"),
    "pull": ("in:push in:data_in:8 out:full in:pull out:data_out:8 out:empty in:flush", "write", "read"),
    "push": ("in:push_i in:data_i:9 out:full_o in:pop_i out:data_o:9 out:empty_o in:flush_i", "write", "read"),
    "short": ("in:wr in:d:8 out:full in:rd out:q:8 out:empty", "write", "read"),
    "prefixed": ("in:a_wrEn in:a_dataIn:8 out:a_full in:b_rdEn out:b_dataOut:8 out:b_empty", "a", "b"),
}


@pytest.mark.parametrize("kind", SIDES)
def test_fifo_ports(kind: str, tmp_path: Path) -> None:
    ports, write, read = SIDES[kind]
    found, _ = found_in(tmp_path, stub(ports))
    words = [word.split(":")[1] for word in ports.split()]
    assert {name: set(text.split()) for name, text in shape(found).items()} == {
        write: {"in", f"tdata={words[1]}", f"tvalid={words[0]}", f"tready=!{words[2]}"} - {"tdata=data_i"}
        | ({"data_i"} if kind == "push" else set()),
        read: {"out", f"tdata={words[4]}", f"tvalid=!{words[5]}", f"tready={words[3]}"} - {"tdata=data_o"}
        | ({"data_o"} if kind == "push" else set()),
    }


def test_a_module_that_reads_a_fifo_and_one_that_writes_one(tmp_path: Path) -> None:
    ports = "in:in_r_dout:32 in:in_r_empty_n out:in_r_read out:out_r_din:32 in:out_r_full_n out:out_r_write"
    found, _ = found_in(tmp_path, stub(ports))
    assert shape(found) == {
        "in_r": "in tdata=in_r_dout tvalid=in_r_empty_n tready=in_r_read",
        "out_r": "out tdata=out_r_din tvalid=out_r_write tready=out_r_full_n",
    }
    assert {p.name: p.fifo for p in found.streams} == {"in_r": False, "out_r": True}
    with pytest.raises(ValueError, match="fifo: such a stream is an output"):
        StreamPort.model_validate({**found.streams[1].model_dump(), "direction": "in", "fifo": True})


def test_the_sides_of_a_fifo_have_names_of_their_own(tmp_path: Path) -> None:
    """Vitis HLS calls both sides of a FIFO ``if``."""
    ports = "in:if_din:8 out:if_full_n in:if_write in:if_write_ce out:if_dout:8 out:if_empty_n in:if_read in:if_read_ce"
    found, sources = found_in(tmp_path, stub(ports))
    assert shape(found) == {
        "if_in": "in tdata=if_din tvalid=if_write tready=if_full_n",
        "if_out": "out tdata=if_dout tvalid=if_empty_n tready=if_read",
    }
    design = describe(found, sources, tmp_path, model="identity").design(tmp_path)
    # Enables go along with no beat.
    assert (dict(design.ties), unchecked_signals(design)) == ({"if_write_ce": -1, "if_read_ce": -1}, {})


def test_an_enable_is_never_high_in_vain_where_the_fifo_does_not_look(tmp_path: Path) -> None:
    gated = {
        name: [p.gated for p in found_in(tmp_path, text)[0].streams] for name, text in (("y", UNGUARDED), ("n", FIFO))
    }
    assert gated == {"y": [True, True], "n": [False, False]}
    # A count that moves anyway is wrong for ever, although memory and pointers look at the flags.
    counted = FIFO.replace("w - r == 4'd8", "n == 4'd8").replace("empty = w == r", "empty = n == 4'd0")
    counted = counted.replace("[3:0] w, r;", "[3:0] w, r, n;").replace("w <= 0; r", "n <= 0; w <= 0; r")
    for step, blind in (
        ("if (wr_en ^ rd_en) n <= rd_en ? n - 1 : n + 1;", True),
        ("n <= n + (wr_en & ~full) - (rd_en & ~empty);", False),
        ("case ({put, rd_en & ~empty}) 1: n <= n - 1; 2: n <= n + 1; endcase", False),
    ):
        text = counted.replace("    if (rst) begin", f"    {step}\n    if (rst) begin")
        assert [p.gated for p in found_in(tmp_path, text)[0].streams] == [blind, blind]
    # What it asserts, it may rely on; a block that only complains is no look, and its level of the reset is none.
    assert [p.gated for p in found_in(tmp_path, CLAIMED)[0].streams] == [True, False]
    found, _ = found_in(tmp_path, COMPLAINING)
    assert [p.gated for p in found.streams] == [True, True]
    assert found.clocks[0].active_high
    found, sources = found_in(tmp_path, UNGUARDED)
    text = make_harness(describe(found, sources, tmp_path, model="identity").design(tmp_path), {"W": 8})
    assert "assign write_tvalid_inside = (write_tvalid & write_tready);" in text
    assert ".rd_en(read_tready_inside)" in text
    assert "assign read_tvalid = ~read_tvalid_inside;" in text


PIPELINE = """module p(input clk, input rst, input [7:0] s_data, input s_valid, output s_ready, output reg [7:0] m_data,
  output reg m_valid, input m_accept);
  assign s_ready = m_accept;
  always @(posedge clk) if (rst) m_valid <= 0; else if (m_accept) begin m_valid <= s_valid; m_data <= s_data; end
endmodule
"""
BEHIND_MUX = LATE.replace("dout <= m[r[2:0]];", "one <= m[r[2:0]]; two <= din; bypass <= wr_en && w == r;").replace(
    "output reg [W-1:0] dout", "output [W-1:0] dout"
)


def test_data_after_the_enable_are_read_ahead(tmp_path: Path) -> None:
    # A multiplexer of registers is no other case than a register.
    assert "one <=" in BEHIND_MUX
    muxed = BEHIND_MUX.replace(");", "); reg [W-1:0] one, two; reg bypass; assign dout = bypass ? two : one;", 1)
    for name, text in (("plain", LATE), ("mux", muxed)):
        (folder := tmp_path / name).mkdir()
        found, sources = found_in(folder, text)
        assert [(p.name, p.late) for p in found.streams] == [("write", False), ("read", True)]
        assert any("dout is loaded only with rd_en, so each word comes a cycle after rd_en" in n for n in found.notes)
        harness = make_harness(describe(found, sources, folder, model="identity").design(folder), {"W": 8})
        assert "assign read_tvalid = read_shown;" in harness
    chosen = Choices(bundles=(read_bundle("q=tdata:dout,tvalid:!empty,tready:rd_en"),))
    assert found_in(tmp_path, LATE, chosen)[0].streams[0].late
    # Data and valid that move with the ready alone are a pipeline, and come with it.
    taken = Choices(bundles=(read_bundle("m=tdata:m_data,tvalid:m_valid,tready:m_accept"),))
    assert [p.late for p in found_in(tmp_path, PIPELINE, taken)[0].streams] == [False, False]
    # A register that holds the next word by itself is one that the user has to name.
    ahead = LATE.replace("dout <= m[r[2:0]]; end", "end").replace(
        "    if (rst)", "    dout <= m[r[2:0]];\n    if (rst)"
    )
    found, _ = found_in(tmp_path, ahead)
    assert any("dout is a register" in note and "tvalid:!empty" in note for note in found.notes)
    assert len(found_in(tmp_path, ahead, chosen)[0].streams) == 2


@pytest.mark.parametrize(("wrong", "passes"), [("m[r[2:0]]", True), ("m[w[2:0]]", False)])
def test_a_fifo_whose_words_come_late_is_compared(wrong: str, passes: bool, tmp_path: Path) -> None:
    path = bench(tmp_path, LATE.replace("dout <= m[r[2:0]]", f"dout <= {wrong}"))
    assert (failed(path) == ()) is passes


UNTAKEN = {
    "generate": """generate if (AHEAD == "TRUE") begin : ahead assign dout = m[r[2:0]]; end
    else begin : late always @(posedge clk) if (rd_en) q <= m[r[2:0]]; assign dout = q; end endgenerate""",
    "statements": """assign dout = (AHEAD == "TRUE") ? m[r[2:0]] : q;
  always @(posedge clk) if (AHEAD != "TRUE") begin if (rd_en) q <= m[r[2:0]]; end""",
    "cases": """localparam A = AHEAD == "TRUE"; assign dout = A ? m[r[2:0]] : q;
  always @(posedge clk) case (A) 1: q <= 0; 0: if (rd_en) q <= m[r[2:0]]; endcase""",
}


@pytest.mark.parametrize("kind", UNTAKEN)
def test_only_branches_that_are_taken_count(kind: str, tmp_path: Path) -> None:
    text = FIFO.replace("W = 8)", 'W = 8, AHEAD = "TRUE")').replace(
        "assign dout = m[r[2:0]];", f"reg [W-1:0] q;\n  {UNTAKEN[kind]}"
    )
    assert [p.name for p in found_in(tmp_path, text)[0].streams] == ["write", "read"]
    late, _ = found_in(tmp_path, text.replace('AHEAD = "TRUE"', 'AHEAD = "FALSE"'))
    assert [p.late for p in late.streams] == [False, True]
    assert any("dout is loaded only with rd_en" in note for note in late.notes)


def test_ports_of_the_other_level_are_given_by_hand(tmp_path: Path) -> None:
    ports = "in:go_n in:word:8 out:busy"
    chosen = Choices(bundles=(read_bundle("s=tdata:word,tvalid:!go_n,tready:~busy"),))
    found, _ = found_in(tmp_path, stub(ports), chosen)
    assert found.streams[0].signals == {"tdata": "word", "tvalid": "!go_n", "tready": "!busy"}
    with pytest.raises(ValueError, match="tdata cannot be inverted"):
        replace_signals(found, tdata="!word")


def replace_signals(found: Found, **signals: str) -> None:
    port = found.streams[0]
    type(port).model_validate({**port.model_dump(), "signals": {**(port.signals or {}), **signals}})


# -- what new writes, run takes ---------------------------------------------------------------------------------------

_LITE = (
    "in:{0}_awaddr:12 in:{0}_awvalid out:{0}_awready in:{0}_wdata:32 in:{0}_wstrb:4 in:{0}_wvalid out:{0}_wready "
    "out:{0}_bresp:2 out:{0}_bvalid in:{0}_bready in:{0}_araddr:12 in:{0}_arvalid out:{0}_arready out:{0}_rdata:32 "
    "out:{0}_rresp:2 out:{0}_rvalid in:{0}_rready"
)
_APB = "in:psel in:penable in:paddr:8 in:pwrite in:pwdata:32 out:prdata:32 out:pready out:pslverr"
_BURSTS = _LITE.format("x").replace("out:x_awready", "out:x_awready in:x_awlen:8 in:x_wlast in:x_arlen:8 out:x_rlast")
_IN, _OUT = "in:s_tdata:8 in:s_tvalid out:s_tready in:s_tlast", "out:m_tdata:8 out:m_tvalid in:m_tready out:m_tlast"


def turned(ports: str) -> str:
    """A slave as a master."""
    return ports.replace("in:", "*:").replace("out:", "in:").replace("*:", "out:")


MODULES = {
    "through": f"{_IN} {_OUT}",
    "source": _OUT,
    "sink": _IN,
    "two in": f"{_IN} {_OUT} {_IN.replace('s_', 't_')}",
    "wider": f"{_IN} {_OUT.replace(':8', ':16')}",
    "odd": f"{_IN.replace(':8', ':9')} {_OUT.replace(':8', ':9')}",
    "lite": _LITE.format("x"),
    "reads": " ".join(word for word in _LITE.format("x").split() if "_ar" in word or ":x_r" in word),
    "apb": _APB,
    "bursts": _BURSTS,
    "bridge": f"{_APB} {turned(_LITE.format('y'))}",
    "master": turned(_BURSTS),
    "master with a stream": f"{turned(_BURSTS)} {_OUT}",
    "lite and streams": f"{_LITE.format('x')} {_IN} {_OUT}",
    "lite and a source": f"{_LITE.format('x')} {_OUT}",
    "nothing": "in:a:3 out:b:3",
}


@pytest.mark.parametrize("module", MODULES)
def test_what_new_writes_can_run(module: str, tmp_path: Path) -> None:
    """Each ready-made model: either new says why not, or every case has its stimulus and its prediction."""
    found, sources = found_in(tmp_path, stub(MODULES[module]))
    written = []
    for model in (MODEL, *READY):
        try:
            description = describe(found, sources, tmp_path, model=model)
        except UsageError:
            continue
        written.append(model)
        if model == MODEL or model == "interconnect":
            continue
        design = description.design(tmp_path)
        for case in design.cases:
            assert predict(Request(design, case), 0).steps
    fits = {
        "through": [MODEL, "identity", "broadcast", "merge", "repack", "repack_msb", "rules"],
        "source": [MODEL, "rules"],
        "two in": [MODEL, "merge", "rules"],
        "bridge": [MODEL, "adapter", "interconnect", "rules"],
        "nothing": [],
    }
    assert written == fits.get(module, written)
    assert MODEL in written or module in ("nothing", "master", "reads")


@pytest.mark.parametrize("model", ["identity", "broadcast", "merge", "repack"])
def test_models_of_streams_need_some(model: str, tmp_path: Path) -> None:
    found, sources = found_in(tmp_path, stub(MODULES["lite"]))
    with pytest.raises(UsageError, match=f"^top: model {model} needs streams; none was found"):
        describe(found, sources, tmp_path, model=model)


def test_register_file_needs_a_map(tmp_path: Path) -> None:
    found, sources = found_in(tmp_path, stub(MODULES["lite"]))
    with pytest.raises(UsageError, match=r"^top: model register_file needs a register map: give one with --rdl"):
        describe(found, sources, tmp_path, model="register_file")
    # What the message says to do makes a bench.
    text = to_toml(describe(found, sources, tmp_path, model="rules")).replace('"rules"', '"register_file"')
    text = text.replace("[[registers]]", "[[registers]]\nstorage = [{ base = 0, words = 4 }]")
    (tmp_path / "top.toml").write_text(text)
    assert "sweep" in {case.name for case in load_description(tmp_path / "top.toml").cases}


def bench(folder: Path, text: str, model: str = "identity", top: str | None = None) -> Path:
    found, sources = found_in(folder, text, top=top)
    (path, *_) = write_bench(folder, found, describe(found, sources, folder, model=model), force=True)
    return path


def failed(path: Path, case: str = "sweep", transactors: str = "native") -> tuple[str, ...]:
    design = load_description(path)
    (result,) = run(Request(design, design.case(case), transactors=transactors), path.parent / "run")
    return result.failures


def test_a_source_runs_for_as_many_beats_as_are_compared(tmp_path: Path) -> None:
    path = bench(tmp_path, COUNT, MODEL)
    (tmp_path / "model.py").write_text(COUNT_MODEL)
    for case in ("random", "sweep", "sizes", "reset"):
        assert failed(path, case) == ()
    # A beat too few, one that is wrong, all one cycle late.
    faults = {"stimulus.take": "stimulus.take - 1", "np.arange(beats,": "np.arange(1, beats + 1,", "[], 0": "[], 1"}
    for text, wrong in faults.items():
        assert text in COUNT_MODEL
        (tmp_path / "model.py").write_text(COUNT_MODEL.replace(text, wrong))
        assert failed(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "top", "fault", "wrong"),
    [
        (FIFO, None, "wr_en && !full", "wr_en && w - r != 9"),
        (UNGUARDED, None, "m[w[2:0]] <= din", "m[w[2:0]] <= din ^ (w == 9)"),
        (NESTED, "outer", "w - r == 4'd8", "w - r == 4'd9"),
        (STAGE, None, "d <= #1 io_in_bits", "d <= #1 io_in_bits & 12'h7ff"),
    ],
)
def test_a_new_bench_drives_it_and_finds_a_fault(
    text: str, top: str | None, fault: str, wrong: str, tmp_path: Path
) -> None:
    assert failed(bench(tmp_path, text, top=top)) == ()
    assert fault in text
    assert failed(bench(tmp_path, text.replace(fault, wrong), top=top))


AP_FIFO = """module ap_fifo (input ap_clk, input ap_rst_n, input ap_start, output ap_idle,
  input [31:0] in_r_dout, input in_r_empty_n, output in_r_read, output [31:0] out_r_din, input out_r_full_n, output out_r_write);
  reg v; reg [31:0] d;
  assign ap_idle = 0; assign in_r_read = in_r_empty_n & ap_start & (!v | out_r_full_n);
  assign out_r_write = v & out_r_full_n; assign out_r_din = d;
  always @(posedge ap_clk) if (!ap_rst_n) v <= 0;
    else if (in_r_read) begin v <= 1; d <= in_r_dout; end else if (out_r_full_n) v <= 0;
endmodule
"""


@pytest.mark.parametrize("transactors", ["native", pytest.param("cocotbext", marks=pytest.mark.slow)])
def test_a_block_whose_write_waits_for_room(transactors: str, tmp_path: Path) -> None:
    """It passes with a write that waits, and with one that is held; writes while full, and reads that lose, fail."""
    held = AP_FIFO.replace("= v & out_r_full_n;", "= v;")
    # A write that falls while there is no room, as a stream's valid must not.
    falls = AP_FIFO.replace("out_r_full_n)", "go)").replace("= v & out_r_full_n;", "= v & t;")
    falls = falls.replace(
        "reg v;", "reg v, t; wire go = out_r_full_n & t; always @(posedge ap_clk) t <= !t & ap_rst_n;"
    )
    room, empty = AP_FIFO.replace("(!v | out_r_full_n)", "1'b1"), AP_FIFO.replace("= in_r_empty_n &", "=")
    for text, wrong in ((AP_FIFO, False), (held, False), (falls, False), (room, True), (empty, True)):
        path = bench(tmp_path, text)
        assert bool(failed(path, "sweep", transactors)) == wrong
    design = load_description(path)
    with pytest.raises(UsageError, match="ready=after-valid:2: out_r writes a FIFO, whose room waits for no write"):
        predict(Request(design, design.case("random"), options={"ready": "after-valid:2"}), 0)


WAITS = "always @(posedge clk) begin odd <= 1; @(posedge clk); odd <= 0; end"


@pytest.mark.parametrize(
    ("block", "bench"),
    [
        ("initial begin #0; odd = 0; end", False),
        ("initial begin #1; if (0) $error; end", False),
        ("initial begin repeat (2) @(posedge clk); $display; end", False),
        ("always @(posedge clk) begin #0.5; odd <= #1 ~odd; end", False),
        ("always @(negedge clk) #0 odd = #0 1;", False),
        ("always @* #1 odd = clk;", False),
        (WAITS, False),
        ("initial begin odd = 0; #10 odd = 1; end", True),
        ("initial begin @(posedge clk); odd = 1; end", True),
        ("initial begin wait (clk); odd = 1; end", True),
        ("always #5 odd = ~odd;", True),
        ("always begin #5; odd = ~odd; end", True),
    ],
)
def test_delays_that_are_no_test_bench(block: str, bench: bool, tmp_path: Path) -> None:
    text = stub("in:s_tdata:8 in:s_tvalid").replace("endmodule", f"reg odd; {block} endmodule")
    if bench:
        with pytest.raises(UsageError, match="like a test bench"):
            found_in(tmp_path, text)
    else:
        assert found_in(tmp_path, text)[0].streams


@pytest.mark.slow
def test_a_block_that_waits_for_edges_is_simulated_with_time(tmp_path: Path) -> None:
    # Inputs change half a cycle before the edge, and delays are real now.
    text = STAGE.replace("assign #2", "assign #0.5").replace("reg full;", f"reg odd; {WAITS} reg full;")
    assert failed(bench(tmp_path, text)) == ()


def test_a_leading_i_or_o_is_the_direction_if_all_ports_agree(tmp_path):
    widths = {"data_width": 32, "bytes": 4, "address_width": 12}
    lite = " ".join(
        f"{'out:o' if one.from_slave else 'in:i'}_axi_{one.name}:{widths.get(one.width, one.width)}"
        for one in AXIL.signals
    )
    found = probed(tmp_path, lite)
    assert [(port["name"], len(port["signals"])) for port in found["registers"]] == [("axi", len(AXIL.signals))]
    found = probed(tmp_path, f"{lite} in:o_odd")
    assert found["registers"] == []
    streams = "in:i_tdata:8 in:i_tvalid out:o_tdata:8 out:o_tvalid"
    assert [port["name"] for port in probed(tmp_path, streams)["streams"]] == ["i", "o"]


_HALF = """module half (input logic CLOCKS input logic [7:0] wr_awaddr, input logic wr_awvalid, output logic wr_awready,
  input logic [31:0] wr_wdata, input logic wr_wvalid, output logic wr_wready, output logic wr_bvalid, input logic wr_bready,
  input logic [7:0] rd_araddr, input logic rd_arvalid, output logic rd_arready,
  output logic [31:0] rd_rdata, output logic rd_rvalid, input logic rd_rready);
  logic [31:0] mem [64];
  wire go = wr_awvalid && wr_wvalid && !wr_bvalid;
  assign {wr_awready, wr_wready} = {2{go}}, rd_arready = !rd_rvalid;
  always_ff @(posedge W) begin
    if (go) mem[wr_awaddr[7:2]] <= wr_wdata;
    wr_bvalid <= !rst && (go || (wr_bvalid && !wr_bready));
  end
  always_ff @(posedge R) begin
    if (rd_arready) rd_rdata <= VALUE;
    rd_rvalid <= !rst && (rd_arready ? rd_arvalid : !rd_rready);
  end
endmodule
"""


@pytest.mark.parametrize(
    ("clocks", "value", "names"),
    [
        (("clk", "clk"), "mem[rd_araddr[7:2]]", ["axi"]),
        (("clk", "clk"), "{24'd0, rd_araddr}", ["rd", "wr"]),
        (("wclk", "rclk"), "mem[rd_araddr[7:2]]", ["rd", "wr"]),
    ],
    ids=["one memory", "another source", "two clocks"],
)
def test_a_writer_and_a_reader_of_one_memory_are_one_slave(
    clocks: tuple[str, str], value: str, names: list[str], tmp_path: Path
) -> None:
    text = _HALF.replace("posedge W", f"posedge {clocks[0]}").replace("posedge R", f"posedge {clocks[1]}")
    text = text.replace("CLOCKS", f"{', '.join(dict.fromkeys(clocks))}, rst,").replace("VALUE", value)
    found, _ = found_in(tmp_path, text)
    assert sorted(one.name for one in found.registers) == names
    assert any("driven as one slave" in note for note in found.notes) == (names == ["axi"])


def test_a_parameter_switches_exclusive_accesses_off(tmp_path: Path) -> None:
    text = (REPOSITORY / "tests" / "benchmarks" / "planted" / "buses" / "axi_fifo.sv").read_text()
    for value in (0, 1):
        head = f"module axi_fifo #(parameter OPT_EXCLUSIVE = {value}) ("
        found, _ = found_in(tmp_path, text.replace("module axi_fifo (", head), top="axi_fifo")
        assert {name for name in found.ties if "lock" in name} == (
            {"s_axi_awlock", "s_axi_arlock"} if not value else set()
        )
        assert all(one.has("awlock") == bool(value) for one in found.memories)


_WRITES = "awid:4 awaddr:16 awlen:8 awlock awvalid >awready wid:4 wdata:32 wlast wvalid >wready >bid:4 >bresp:2 >bvalid bready"


@pytest.mark.parametrize("way", ["in", "out"])
@pytest.mark.parametrize(
    ("change", "bus"),
    [(("", ""), "axi"), (("awlen:8 awlock ", ""), "axil"), (("awlen:8", "awlen:4"), ""), (("awlock", "awlock:2"), "")],
    ids=["AXI4", "AXI-Lite", "lengths of AXI3", "locks of AXI3"],
)
def test_a_write_id_beside_lengths_of_axi4_is_left_out(
    tmp_path: Path, way: str, change: tuple[str, str], bus: str
) -> None:
    """An AXI-Lite bus has one beat for each address, so it needs none either."""
    words = _WRITES.replace(*change).replace("wlast " if bus == "axil" else "", "").split()
    back = {"in": "out", "out": "in"}[way]
    pins = " ".join(f"{back if word[0] == '>' else way}:s_{word.lstrip('>')}" for word in words)
    found, _ = found_in(tmp_path, stub(pins))
    if bus:
        (port,) = found.bundles
        assert (port.bus, port.direction, port.has("wid")) == (bus, way, False)
        assert ("s_wid" in found.ties) is (way == "in")
        assert ("s_wid" in found.ignored) is (way == "out")
    else:
        assert not found.bundles
        assert any("s: not a bundle: s_wid: write IDs beside " in note and "are AXI3" in note for note in found.notes)
