# SPDX-License-Identifier: Apache-2.0
"""Order of queues by induction: what is proven, and what must not be."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from pass_through import pass_through

from goldbeat.tb.build.yosys import find_yosys, yosys
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.prove.aiger import Circuit
from goldbeat.tb.prove.gates import AddedGates
from goldbeat.tb.prove.proof import prove

RTL = """module queue #(parameter int RARE = 0) (
  input  logic       aclk, aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tlast, s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tlast, m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic [8:0]  words [8];
  logic [3:0]  into, from;
  logic [11:0] count;
  logic        load;
  assign s_axis_tready = aresetn && into - from != 4'd8;
  assign load = into != from && (!m_axis_tvalid || m_axis_tready);
  always_ff @(posedge aclk) begin
    if (s_axis_tvalid && s_axis_tready) begin
      words[into[2:0]] <= {s_axis_tlast, s_axis_tdata};
      into <= into + 4'd1;
      count <= count + 12'd1;
    end
    if (load) begin
      {m_axis_tlast, m_axis_tdata} <= words[from[2:0] ^ 3'(RARE == 1 && count == 12'd4000)];
      from <= from + 4'd1;
    end
    m_axis_tvalid <= load || (m_axis_tvalid && !m_axis_tready);
    if (!aresetn) begin
      into <= '0;
      from <= '0;
      count <= '0;
      m_axis_tvalid <= 1'b0;
    end
  end
endmodule
"""


@pytest.mark.slow
@pytest.mark.skipif(find_yosys()[0] is None, reason="no Yosys (extra prove)")
@pytest.mark.parametrize("rare", [0, 1])
def test_a_queue_of_eight_words(tmp_path: Path, rare: int) -> None:
    """What goes wrong behind 4,000 beats is beyond any trace that is tried, and no induction."""
    (tmp_path / "rtl.sv").write_text(RTL)
    path = tmp_path / "queue.toml"
    path.write_text(pass_through("queue", "rtl.sv", last=True, more="parameters = { RARE = 0 }\n"))
    design = find_design(str(path))
    params = design.params(design.cases[0], {"RARE": rare})
    # What is proven is so in a quarter of the time; what is not spends all of it.
    budget_s = 10 if rare else 60
    proof = prove(yosys(), design, params, "identity", [], tmp_path, budget_s=budget_s, depth=8, within=16)
    found = {one.claim.name: one.status for one in proof.verdicts}
    assert (found["order m_axis"] == "proven") is (not rare), found
    assert rare or found["nothing_extra m_axis"] == "proven"


def test_arithmetic_of_gates() -> None:
    """All numbers of three bits, one pair a lane."""
    gates = AddedGates(6)
    one, other = [2, 4, 6], [8, 10, 12]
    outputs = [
        *gates.sum(one, other, 4),
        *gates.difference(one, other, 3),
        gates.exceeds(one, other),
        gates.equal(one, other),
        gates.choose(one[0], one[1], other[1]),
    ]
    circuit = Circuit((gates.variables, 6, 0, len(outputs), gates.count), (), tuple(outputs), gates.text, {}, {})
    pairs = list(product(range(8), repeat=2))
    rows = [sum((a >> n & 1) << lane for lane, (a, _) in enumerate(pairs)) for n in range(3)]
    rows += [sum((b >> n & 1) << lane for lane, (_, b) in enumerate(pairs)) for n in range(3)]
    (found,) = circuit.simulate(iter([rows]), len(pairs))
    for lane, (a, b) in enumerate(pairs):
        bits = [value >> lane & 1 for value in found]
        expected = [a + b >> n & 1 for n in range(4)] + [(a - b) >> n & 1 for n in range(3)]
        assert bits == [*expected, a > b, a == b, (b if a % 2 == 0 else a) >> 1 & 1]
