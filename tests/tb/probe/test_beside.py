# SPDX-License-Identifier: Apache-2.0
"""Ports that go along with the beats by what the RTL does with them: named by ``new``, and a run is partial until they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.bench import write_bench
from goldbeat.tb.probe.discover import discover
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.probe.find import find
from goldbeat.tb.probe.handshakes import with_handshakes
from goldbeat.tb.probe.write import describe
from goldbeat.tb.run.open_points import open_signals

FIFO = """module fifo (input clk, input rst,
  input [31:0] s_axis_tdata, input s_axis_tvalid, output s_axis_tready,
  output [31:0] m_axis_tdata, output m_axis_tvalid, input m_axis_tready /*PORTS*/);
  reg [31:0] mem [0:15]; reg [4:0] wp, rp; wire [4:0] cnt = wp - rp; /*DECLARED*/
  assign s_axis_tready = cnt != 16; assign m_axis_tvalid = cnt != 0; assign m_axis_tdata = mem[rp[3:0]];
  wire push = s_axis_tvalid & s_axis_tready, pop = m_axis_tvalid & m_axis_tready;
  always @(posedge clk) begin
    if (push) begin mem[wp[3:0]] <= s_axis_tdata; wp <= wp + 1; /*PUSH*/ end
    if (pop) begin rp <= rp + 1; /*POP*/ end
    /*ALWAYS*/
    if (rst) begin wp <= 0; rp <= 0; end
  end
endmodule
"""
PAIR = "input [3:0] chan, output [3:0] m_chan"


def fifo(ports: str, **more: str) -> str:
    text = FIFO.replace("/*PORTS*/", f", {ports}")
    for place, what in more.items():
        text = text.replace(f"/*{place.upper()}*/", what)
    return text


def beside(folder: Path, text: str) -> dict[str, str]:
    (folder / "top.sv").write_text(text)
    return dict(find(elaborate(Sources((folder / "top.sv",)))).beside)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # In one register with the data, or stored whenever they are, whatever it is called; a setting that is not stored is none.
        (
            fifo(
                "input ack, input mode, input enable_odd, output bit_out",
                declared="reg [32:0] both; reg kept; assign bit_out = both[0] ^ kept;",
                push="both <= {s_axis_tdata, ack}; kept <= mode; if (enable_odd) kept <= 1;",
            ),
            {
                "ack": "the RTL stores it with s_axis_tdata",
                "mode": "the RTL stores it with s_axis_tdata",
                "bit_out": "it is made of mode",
            },
        ),
        # Lost or stuck: nothing reads the input, nothing drives the output.
        (fifo(PAIR), {"chan": "nothing in the RTL reads it", "m_chan": "nothing in the RTL drives it"}),
        *(
            (fifo(PAIR, declared=text), {"chan": "nothing in the RTL reads it", "m_chan": "it is constant"})
            for text in (
                "assign m_chan = 0;",
                "localparam [3:0] ONE = 1; assign m_chan = ONE;",
                "typedef enum logic [3:0] {SINGLE, MORE} burst_t; assign m_chan = SINGLE;",
                "reg [3:0] same; always @* same = 4'd3; assign m_chan = same;",
                "reg [3:0] same = 2; assign m_chan = same;",
                "wire [3:0] same = 2; assign m_chan = same;",
                "assign m_chan[3] = 1'b0;",
                "pulldown down [3:0] (m_chan);",
            )
        ),
        (fifo("input s_err"), {"s_err": "nothing in the RTL reads it"}),
        # In a memory of its own, deeper in the same branch, and as it is at once.
        (
            fifo(PAIR, declared="reg [3:0] side [0:15]; assign m_chan = side[rp[3:0]];", push="side[wp[3:0]] <= chan;"),
            {"chan": "the RTL stores it with s_axis_tdata", "m_chan": "it shows chan"},
        ),
        (
            fifo("input [3:0] meta", declared="reg [3:0] m; reg odd;", push="if (odd) m <= {meta[3:2], meta[1:0]};"),
            {"meta": "the RTL stores it with s_axis_tdata"},
        ),
        (fifo(PAIR, declared="assign m_chan = chan;"), {"chan": "m_chan shows it", "m_chan": "it shows chan"}),
        # All of a concatenation in one memory: widths tell which of them comes out.
        (
            fifo(
                "input [1:0] be, input tail, output [1:0] m_be, output m_tail",
                declared="reg [2:0] side [0:15]; assign {m_be, m_tail} = side[rp[3:0]];",
                push="side[wp[3:0]] <= {be, tail};",
            ),
            {
                "be": "the RTL stores it with s_axis_tdata",
                "tail": "the RTL stores it with s_axis_tdata",
                "m_be": "it shows be",
                "m_tail": "it shows tail",
            },
        ),
        (fifo("output [31:0] twin", declared="assign twin = mem[rp[3:0]];"), {"twin": "it shows s_axis_tdata"}),
        (
            fifo("input start_of_frame, input [7:0] address, output [7:0] m_length", declared="assign m_length = 0;"),
            {
                "start_of_frame": "nothing in the RTL reads it",
                "address": "nothing in the RTL reads it",
                "m_length": "it is constant",
            },
        ),
        (
            fifo("input [31:0] tag", always="if (cnt == 3) mem[0] <= tag;"),
            {"tag": "the RTL stores it with s_axis_tdata"},
        ),
        # Made of payload or sampled elsewhere: no beat's.
        (fifo("input [3:0] gain", push="mem[0] <= s_axis_tdata * gain;"), {}),
        (fifo("input [3:0] stamp, output reg [3:0] seen", always="seen <= seen + stamp;"), {}),
        # Settings and status, unless they are stored with each word.
        (
            fifo("input [4:0] threshold, input mode_i, input clk_en", declared="reg [4:0] t;", push="t <= threshold;"),
            {"threshold": "the RTL stores it with s_axis_tdata"},
        ),
        (fifo("input [4:0] threshold, output reg [4:0] t", always="t <= threshold + cnt;"), {}),
        (
            fifo("output full, output [4:0] level, output overflow, output busy, output [1:0] error_count",
                 declared="assign full = cnt == 16, level = cnt, overflow = 0, busy = 0, error_count = 0;"),
            {},
        ),
        (fifo("output frame_err, output spare", declared="assign frame_err = 0, spare = 0;"), {}),
    ],
)  # fmt: skip
def test_what_goes_along_with_the_beats(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    assert beside(tmp_path, text) == expected


MADE = {
    "chan": "the RTL stores what it makes of it with s_axis_tdata",
    "m_chan": "it is made of chan",
}


@pytest.mark.parametrize(
    ("value", "more"),
    [
        ("chan ^ 4'd1", ""),
        ("~chan", ""),
        ("chan + 4'd1", ""),
        ("{chan[0], 3'd0} | 4'd1", ""),
        ("chan == 4'd3 ? 4'd1 : 4'd2", ""),
        ("chan ^ lfsr & {4{s_axis_tvalid}}", "reg [3:0] lfsr; always @(posedge clk) lfsr <= {lfsr[2:0], lfsr[3]};"),
        ("made", "wire [3:0] made = -chan;"),
        ("made", "reg [3:0] made; always @* made = chan ^ 4'd5;"),
    ],
)
def test_expressions_go_along_with_the_beats(value: str, more: str, tmp_path: Path) -> None:
    declared = f"{more} reg [3:0] side [0:15]; assign m_chan = ~side[rp[3:0]];"
    assert beside(tmp_path, fifo(PAIR, declared=declared, push=f"side[wp[3:0]] <= {value};")) == MADE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # In one vector with TDATA, and at once.
        (
            fifo(PAIR, declared="reg [35:0] both; assign m_chan = both[35:32];", push="both <= {~chan, s_axis_tdata};"),
            MADE | {"m_chan": "it shows s_axis_tdata"},
        ),
        (
            fifo(PAIR, declared="assign m_chan = chan ^ 4'd1;"),
            {"chan": "m_chan is made of it", "m_chan": "it is made of chan"},
        ),
        # A part in TDATA, through wires and registers too, or in what only streams show; sums; status.
        (
            fifo("input [31:0] gain", declared="wire [31:0] y = s_axis_tdata * gain;", push="mem[0] <= y;"),
            {},
        ),
        (fifo("input [31:0] gain", declared="reg [31:0] d;", push="d <= s_axis_tdata; mem[0] <= d * gain;"), {}),
        (fifo("input invert", push="mem[0] <= invert ? ~s_axis_tdata : s_axis_tdata;"), {}),
        (fifo("input [31:0] base", push="mem[0] <= base + 1;"), {}),
        (fifo("input [3:0] stamp, output reg [3:0] seen", push="seen <= seen + stamp;"), {}),
        (
            fifo(
                "input [3:0] amount, output [3:0] level",
                declared="reg [3:0] n; assign level = n;",
                push="n <= ~amount;",
            ),
            {},
        ),
        (fifo("input [3:0] amount, output over", declared="assign over = cnt > amount;"), {}),
    ],
)
def test_what_is_made_of_more_than_an_input(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    assert beside(tmp_path, text) == expected


def test_values_are_followed_through_instances_and_conditions(tmp_path: Path) -> None:
    inner = fifo(PAIR, declared="reg [3:0] side [0:15]; assign m_chan = side[rp[3:0]];", push="side[wp[3:0]] <= chan;")
    ports = ("clk", "rst", "s_axis_tdata", "s_axis_tvalid", "s_axis_tready", "m_axis_tvalid")
    tied = ", ".join(f".{name}({name})" for name in (*ports, "m_axis_tready"))
    outer = f"""typedef struct packed {{ logic [3:0] a, b; }} pair_t;
module outer ({FIFO.partition("(")[2].partition("/*PORTS*/")[0]}, input [3:0] first, input [3:0] nothing, output [3:0] later);
  pair_t p; logic [3:0] q;
  assign p = '{{first, nothing}};
  fifo u ({tied}, .m_axis_tdata(m_axis_tdata), .chan(p.a), .m_chan(q));
  assign later = m_axis_tready ? q : 4'd0;
endmodule
"""
    found = beside(tmp_path, inner + outer)
    assert found["first"] == "the RTL stores it with s_axis_tdata"
    assert found["later"].startswith("it shows ")


def test_a_run_is_partial_until_they_are_confirmed(tmp_path: Path) -> None:
    (tmp_path / "top.sv").write_text(fifo(PAIR, declared="assign m_chan = 0;"))
    sources = Sources((tmp_path / "top.sv",))
    found = find(elaborate(sources))
    (path, *_) = write_bench(tmp_path / "b", found, describe(found, sources, tmp_path / "b", model="identity"))
    text = path.read_text()
    assert open_signals(load_description(path), {}, []) == [
        "chan: tied to 0; nothing in the RTL reads it",
        "m_chan: left open; it is constant",
    ]
    path.write_text(text + '\n[unchecked]\nchan = "not used"\n')
    assert open_signals(load_description(path), {}, []) == ["m_chan: left open; it is constant"]
    # Driven as a sideband, they are compared.
    kept = text.replace("chan = 0\n", "").replace('"m_chan"', "")
    driven = kept.replace('direction = "in"', 'direction = "in"\nsidebands = { chan = 4 }')
    path.write_text(driven.replace('direction = "out"', 'direction = "out"\nsidebands = { m_chan = 4 }'))
    assert open_signals(load_description(path), {}, []) == []


def test_a_ready_that_the_rtl_ignores_is_named(tmp_path: Path) -> None:
    path = tmp_path / "top.sv"
    path.write_text(
        """module top (input clk, input rst, input a_req_valid, input [7:0] a_req_d, output a_resp_ready,
          output reg b_req_valid, output reg [7:0] b_req_d, input b_resp_ready);
          assign a_resp_ready = 1'b1;
          always @(posedge clk) if (rst) b_req_valid <= 0; else begin b_req_valid <= a_req_valid; b_req_d <= a_req_d; end
        endmodule"""
    )
    found = with_handshakes(discover(Sources((path,))))
    assert found.beside == {"b_resp_ready": "b_req has no ready"}


def test_modules_with_a_bus_have_none(tmp_path: Path) -> None:
    bus = "input psel, input penable, input [7:0] paddr, input pwrite, input [31:0] pwdata, output [31:0] prdata, output pready"
    assert beside(tmp_path, fifo(f"input [3:0] chan, {bus}")) == {}
