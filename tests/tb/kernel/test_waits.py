# SPDX-License-Identifier: Apache-2.0
"""What takes its time: answers behind an arbiter that prefers somebody, a reset that comes over from a slow clock."""

from __future__ import annotations

import pytest
from insim import run_inside

WAITS = """
module waits (
  input  logic       pclk,
  input  logic       slow_clk,
  input  logic       rst_n,
  input  logic       stuck,
  input  logic       a_psel, a_penable, a_pwrite,
  input  logic [7:0] a_paddr, a_pwdata,
  output logic       a_pready,
  output logic [7:0] a_prdata,
  input  logic       b_psel, b_penable, b_pwrite,
  input  logic [7:0] b_paddr, b_pwdata,
  output logic       b_pready,
  output logic [7:0] b_prdata
);
  logic [3:0] idle;
  always_ff @(posedge pclk) idle <= a_psel ? 0 : idle == '1 ? idle : idle + 1;
  assign a_pready = a_penable;
  assign b_pready = b_penable && idle == '1 && !stuck;
  assign {a_prdata, b_prdata} = '0;
endmodule
"""


@pytest.mark.sim
def test_what_takes_its_time(tmp_path):
    run_inside("inside_waits", "waits", tmp_path, texts={"waits.sv": WAITS})
