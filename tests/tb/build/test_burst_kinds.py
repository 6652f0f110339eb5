# SPDX-License-Identifier: Apache-2.0
"""Kinds of bursts that RTL tells apart, by whatever name copies of AxBURST go."""

from __future__ import annotations

import pytest

from goldbeat.tb.build.burst_kinds import kinds_asked_for
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

FUNCTIONS = """
  function automatic logic wraps(logic [1:0] how); return how == 2; endfunction
  function automatic logic wide(logic [2:0] all); return all[2]; endfunction
"""


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("assign o = i;", set()),
        ("assign o = s_awburst == 0;", {"fixed"}),
        ("logic [1:0] b; assign b = s_awburst; assign o = b == 2;", {"wrap"}),
        ("logic [1:0] b; logic x; always_ff @(posedge c) {b, x} <= {s_awburst, i}; assign o = b == 2;", {"wrap"}),
        ("assign o = wraps(s_awburst);", {"wrap"}),
        ("inner u (.k(s_awburst), .o(o));", {"fixed"}),
        ("logic [1:0] b; assign b = {i, i}; assign o = b == 2;", set()),
        # In another form, it may be looked at in any way.
        ("assign o = wide({i, s_awburst});", set()),
        ("assign o = wide(s_awburst);", {"fixed", "incr", "wrap"}),
        ("assign o = $countones(s_awburst) == 1;", {"fixed", "incr", "wrap"}),
        ("assign o = s_awburst[1];", {"fixed", "incr", "wrap"}),
    ],
)
def test_copies_are_compared(tmp_path, body, kinds):
    (tmp_path / "m.sv").write_text(
        f"module m (input c, i, input [1:0] s_awburst, output logic o);{FUNCTIONS}{body}\nendmodule\n"
        "module inner (input [1:0] k, output logic o); assign o = k == 0; endmodule\n"
    )
    case = Case(name="none", summary="no stimulus", make=print)
    port = StreamPort(name="s", direction="in", width=8)
    design = Design(
        name="m",
        summary="bursts",
        top="m",
        files=("m.sv",),
        root=tmp_path,
        streams=[port],
        model=print,
        timed=False,
        cases=[case],
    )
    assert kinds_asked_for(design, {}) == kinds
