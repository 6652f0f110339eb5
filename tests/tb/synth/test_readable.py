# SPDX-License-Identifier: Apache-2.0
"""RTL that simulators take and Yosys's reader does not: it gets copies, in which everything stands in its line."""

from __future__ import annotations

import pytest

from goldbeat.tb.build.comparisons import slang_design
from goldbeat.tb.build.yosys import find_yosys, run_yosys, yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.parameter import Parameter
from goldbeat.tb.synth.readable import readable_sources
from goldbeat.tb.synth.sources import command_file

RTL = """module narrower #(parameter IN = 8, OUT = 8, WIDER = OUT > IN) (
  input clk, input [7:0] addr, input valid, output reg [7:0] data, output reg seen);
  integer n;
  reg [7:0] table_of [3:0];
  initial begin
    for (n = 0; n < 4; n = n + 1) table_of[n] <= n <= 2;
  end
  always @* begin
    data = 0;
    if (valid) begin
      if (WIDER) begin
        data = addr[$clog2(OUT) - 1:$clog2(IN)];
        if (WIDER && valid) data = data + 1;
        else data = addr[$clog2(OUT) - 1:$clog2(IN)];
      end else if (OUT == IN) data = table_of[addr[1:0]];
      else data = addr[$clog2(IN) - 1:$clog2(OUT)];
    end
  end
  always @(posedge clk) seen <= valid;
endmodule
"""


RESETS = """module narrower #(parameter IN = 8, OUT = 8) (
  input clk, rst_n, input [7:0] addr, input valid, output reg [7:0] data, output reg seen);
  reg [7:0] mask, id;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) {mask, seen} <= 9'h1fe;
    else if (valid) begin mask[3:0] <= addr[3:0]; seen <= mask[7]; end
  always @(posedge clk, negedge rst_n) begin
    if (~rst_n) id <= 8'h5a;
  end
  always @(posedge clk) data <= id ^ mask;
endmodule
"""


def _design(folder, widths, text=RTL):
    (folder / "narrower.v").write_text(text)
    parameters = {name: Parameter(default=value) for name, value in widths.items()}
    skid = find_design("axis_skid")
    change = {"name": "narrower", "top": "narrower", "root": folder, "files": ("narrower.v",), "parameters": parameters}
    return skid.model_copy(update={**change, "include_dirs": ()})


@pytest.mark.parametrize(
    ("widths", "left"),
    [
        ({"IN": 8, "OUT": 8}, {"table_of[addr[1:0]]"}),
        ({"IN": 8, "OUT": 32}, {"addr[$clog2(OUT) - 1:$clog2(IN)]", "data + 1"}),
        ({"IN": 32, "OUT": 8}, {"addr[$clog2(IN) - 1:$clog2(OUT)]"}),
    ],
)
def test_arms_that_turn_a_range_round_are_left_out_in_their_lines(tmp_path, widths, left):
    design = _design(tmp_path, widths)
    (copy,) = readable_sources(design, widths, tmp_path / "made")
    first, *lines = copy.read_text().splitlines()
    assert first == f'`line 1 "{tmp_path / "narrower.v"}" 0'
    assert len(lines) == len(RTL.splitlines())
    body = "\n".join(lines)
    assert {text for text in ("table_of[addr[1:0]]", "data + 1", *left) if text in body} == left
    assert "table_of[n] =  n <= 2;" in body
    assert lines[-2] == RTL.splitlines()[-2]
    # What is built on slang sees the block too.
    assert slang_design(design, widths).edited


@pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra prove)")
def test_yosys_reads_the_copy(tmp_path):
    widths = {"IN": 8, "OUT": 8}
    (tmp_path / "sources.f").write_text(command_file(yosys(), _design(tmp_path, widths), widths, tmp_path))
    script = [f"read_slang -f {yosys().place(tmp_path / 'sources.f')}", "hierarchy -top narrower"]
    assert run_yosys(yosys(), script, tmp_path / "log") == 0


@pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra prove)")
def test_bits_that_a_reset_alone_writes_keep_its_value(tmp_path):
    widths = {"IN": 8, "OUT": 8}
    design = _design(tmp_path, widths, RESETS)
    (tmp_path / "sources.f").write_text(command_file(yosys(), design, widths, tmp_path))
    (copy,) = readable_sources(design, widths, tmp_path)
    kept = [line.strip() for line in copy.read_text().splitlines()[1:] if "mask <= mask" in line or "id <= id" in line]
    assert [one.partition(" begin ")[2][:12] for one in kept] == ["mask <= mask", "id <= id; en"]
    script = [
        f"read_slang -f {yosys().place(tmp_path / 'sources.f')}",
        "write_rtlil " + str(yosys().place(tmp_path / "il")),
    ]
    assert run_yosys(yosys(), script, tmp_path / "log") == 0
    assert "'x" not in (tmp_path / "il").read_text()
