# SPDX-License-Identifier: Apache-2.0
"""Avalon-ST: sound FIFOs of each ready latency pass, each wrong one fails by port and by what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from port_boxes import probed

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.ports.avalon_stream import AvalonStreamPort
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

RTL = REPOSITORY / "tests" / "tb" / "design" / "avalon_stream_rtl" / "st_fifo.sv"
SIGNALS = {"data": 32, "valid": 1, "startofpacket": 1, "endofpacket": 1, "empty": 2, "channel": 3, "error": 1}
# Ready latency, what is wrong, and how a failure begins; None: nothing is.
LANES = (
    (0, 0, None),
    (1, 0, None),
    (3, 0, None),
    (1, 1, "avalonst_valid_unready: o3, cycle "),
    (0, 2, "avalonst_packet: o4, cycle "),
    (0, 3, "port o5, beat "),
    (1, 4, "port o6, beat "),
    (1, 5, "port o7, beat "),
    (0, 6, "port o8, beat "),
    (0, 7, "avalonst_empty: o9, cycle "),
    (0, 8, "avalonst_valid_waits: o10"),
)
HEAD = """\
name = "fifos"
top = "fifos"
files = ["{rtl}", "fifos.sv"]
model = "identity"
compare_time = false
ready_bound = 20
[[clocks]]
name = "clk"
reset = "reset_n"
[traffic]
kind = "random"
keep = "bytes"
"""
STREAM = """\
[[streams]]
bus = "avalonst"
name = "{name}"
direction = "{way}"
clock = "clk"
tid = 3
tuser = 1
ready_latency = {latency}
first_symbol_high = {high}
symbol_bits = {symbol}
empty_bits = 2
[streams.signals]
ready = "{name}_ready"
"""


def _fifos(folder):
    ports, cells, text = ["input logic clk", "input logic reset_n"], [], HEAD.format(rtl=RTL)
    for number, (latency, fault, _) in enumerate(LANES):
        pins = [".clk(clk)", ".reset_n(reset_n)"]
        for way, side in (("in", "asi_in0"), ("out", "aso_out0")):
            name = f"{way[0]}{number}"
            text += STREAM.format(
                name=name, way=way, latency=latency, high=str(number != 1).lower(), symbol=16 if fault == 7 else 8
            )
            text += "".join(f'{role} = "{name}_{role}"\n' for role in SIGNALS)
            other = {"in": "output", "out": "input"}[way]
            ports += [f"{way}put logic [{bits - 1}:0] {name}_{role}" for role, bits in SIGNALS.items()]
            ports.append(f"{other} logic {name}_ready")
            pins += [f".{side}_{role}({name}_{role})" for role in (*SIGNALS, "ready")]
        cells.append(f"  st_fifo #(.L({latency}), .FAULT({fault})) f{number} ({', '.join(pins)});")
    (folder / "fifos.sv").write_text(f"module fifos ({', '.join(ports)});\n" + "\n".join(cells) + "\nendmodule\n")
    (folder / "fifos.toml").write_text(text)
    return load_description(folder / "fifos.toml")


@pytest.mark.slow
@pytest.mark.sim
def test_each_fault_of_an_avalon_stream_is_found_by_name(tmp_path):
    design = _fifos(tmp_path)
    (result,) = run(Request(design, design.case("sweep")), tmp_path / "run")
    texts = [text.partition(": ")[2] for text in result.failures]
    # What hangs holds back all of its episode.
    texts = [text for text in texts if not text.startswith("at the end of the run: ")]
    for number, (_, _, begin) in enumerate(LANES):
        mine = [t for t in texts if f"o{number}:" in t or f"o{number}," in t]
        assert bool(mine) == (begin is not None), (number, mine[:5])
        assert begin is None or any(t.startswith(begin) for t in mine), (number, mine[:5])
    assert any(text.startswith("avalonst_ready_late: i0, ") for text in result.warnings)


PINS = "in:{p}data:{w} in:{p}valid out:{p}ready in:{p}{s} in:{p}{e}"


@pytest.mark.parametrize(
    ("ports", "name", "more"),
    [
        (PINS.format(p="asi_in0_", w=32, s="startofpacket", e="endofpacket") + " in:asi_in0_empty:2", "asi_in0", 8),
        (PINS.format(p="avalon_st_rx_", w=64, s="sop", e="eop") + " in:avalon_st_rx_empty:2", "avalon_st_rx", 16),
        (PINS.format(p="in_", w=16, s="startofpacket", e="endofpacket"), "in", 8),
    ],
)
def test_avalon_streams_are_recognised_by_their_packets(tmp_path, ports, name, more):
    found = probed(tmp_path, ports)
    (port,) = found["streams"]
    assert (port["bus"], port["name"], port.get("symbol_bits", 8)) == ("avalonst", name, more)
    assert port["first"] in port["sidebands"]
    assert any("ready_latency 0 is taken" in note for note in found["notes"])


def test_data_of_no_whole_bytes_are_fields(tmp_path):
    ports = PINS.format(p="in_", w=20, s="startofpacket", e="endofpacket")
    (port,) = probed(tmp_path, ports)["streams"]
    assert port["bus"] == "axis"
    assert set(port["fields"]) == {"in_data", "in_startofpacket", "in_endofpacket"}


def test_what_avalon_streams_can_carry():
    signals = {"data": "d", "valid": "v", "endofpacket": "e", "empty": "m"}
    port = AvalonStreamPort(name="s", direction="in", signals=signals, symbol_bits=16, tid=None).resolved({})
    keep = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]], np.bool_)
    kept, tid = port.carried(keep, np.array([0, 1, 1, 1], np.bool_), np.array([1, 2, 3, 4], np.uint64))
    assert kept.astype(int).tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]
    assert tid.tolist() == [1, 1, 3, 4]
    assert (port.pin("tkeep"), port.roles(), port.empty_bits) == ("m", ("tdata", "tkeep", "tlast", "tvalid"), 1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ready_latency = 2\nready_allowance = 1", "ready_allowance: found 1, expected ready_latency or more"),
        ("symbol_bits = 24", "symbol_bits: found 24, which do not divide 32 bits of data"),
        ("gated = true", "names its signals, and is no array, fields, gated or fifo"),
    ],
)
def test_mistakes_in_a_description_of_avalon_streams(tmp_path, line, message):
    names = 'signals = { data = "d", valid = "v", ready = "r" }'
    stream = f'[[streams]]\nbus = "avalonst"\nname = "s"\nclock = "clk"\ndirection = "in"\n{names}\n{line}\n'
    (tmp_path / "d.toml").write_text(HEAD.format(rtl=RTL) + stream)
    with pytest.raises(GoldbeatError, match=message):
        load_description(tmp_path / "d.toml")


HEADS = {
    name: f"""module stage (input logic clk, rst,
  input logic [7:0] a_data, input logic a_valid, a_startofpacket, a_endofpacket, output logic a_ready,
  output logic [{bits - 1}:0] y_data, output logic y_valid, y_startofpacket, y_endofpacket{empty}, input logic y_ready);
"""
    for name, bits, empty in (("late", 8, ""), ("repack", 16, ", y_empty"))
}
SMALL = {
    # After READY has fallen, three more beats go.
    "late": """
  logic [3:0] spent;
  assign a_ready = y_ready || spent < 3;
  always_ff @(posedge clk) begin
    spent <= y_ready ? '0 : spent + 4'(a_valid && a_ready);
    {y_valid, y_data} <= {a_valid && a_ready && !rst, a_data};
    {y_startofpacket, y_endofpacket} <= {a_startofpacket, a_endofpacket};
    if (rst) spent <= '1;
  end
endmodule
""",
    "repack": """
  logic half, first;
  assign a_ready = !y_valid || y_ready;
  always_ff @(posedge clk) begin
    if (y_ready) y_valid <= 1'b0;
    if (a_valid && a_ready) begin
      half <= !half && !a_endofpacket;
      y_data <= half ? {y_data[15:8], a_data} : {a_data, 8'h5a};
      first <= a_startofpacket;
      y_valid <= half || a_endofpacket;
      {y_startofpacket, y_endofpacket, y_empty} <= {half ? first : a_startofpacket, a_endofpacket, !half};
    end
    if (rst) {y_valid, half} <= '0;
  end
endmodule
""",
}


@pytest.mark.sim
@pytest.mark.parametrize(
    ("name", "change", "options", "wrong"),
    [
        ("late", ("", ""), "ready_latency = 1\nready_allowance = 4\n", None),
        ("late", ("", ""), "ready_latency = 1\nready_allowance = 3\n", "avalonst_valid_unready: y, cycle "),
        ("repack", ("", ""), "", None),
        ("repack", ("half ? first :", "!half &&"), "", "avalonst_packet: y, cycle "),
    ],
)
def test_an_allowance_and_the_start_of_a_packet_are_judged(name, change, options, wrong, tmp_path):
    (tmp_path / "stage.sv").write_text(HEADS[name] + SMALL[name].replace(*change))
    text = HEAD.format(rtl="stage.sv").replace(', "fifos.sv"', "").replace("fifos", "stage").replace("reset_n", "rst")
    text = text.replace('"rst"', '"rst"\nactive_high = true').replace(
        "identity", "repack" if name == "repack" else "identity"
    )
    for port, width, more in (("a", 8, ""), ("y", 16 if name == "repack" else 8, options)):
        roles = ("data", "valid", "ready", "startofpacket", "endofpacket", *(["empty"] if width == 16 else []))
        signals = ", ".join(f'{role} = "{port}_{role}"' for role in roles)
        way = "in" if port == "a" else "out"
        text += f'[[streams]]\nbus = "avalonst"\nname = "{port}"\nclock = "clk"\ndirection = "{way}"\nwidth = {width}\n'
        text += f"{more}signals = {{ {signals} }}\n"
    (tmp_path / "stage.toml").write_text(text)
    design = load_description(tmp_path / "stage.toml")
    (result,) = run(Request(design, design.case("sweep"), (0,)), tmp_path / "run")
    if wrong is None:
        assert (result.failures, result.partial) == ((), ())
    else:
        assert any(text.partition(": ")[2].startswith(wrong) for text in result.failures), result.failures[:5]
