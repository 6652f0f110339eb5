# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from goldbeat.tb.build.comparisons import comparison_watch, watched_place
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

MODULE = """module m (
    input logic clk, k, l, input logic [9:0] a,
    output logic o, output logic [1:0] p
);
  typedef struct packed {{logic x; logic y;}} pair_t;
  {0}
endmodule
"""


@pytest.mark.parametrize(
    ("text", "watched"),
    [
        ("assign o = k && &a;", ["&a"]),
        ("assign o = k & ~&{a[9:4], ~a[3:0]};", ["~&{a[9:4], ~a[3:0]}"]),
        ("assign o = |a;", ["|a"]),
        ("assign p = '{x: k & ~|a[3:0], y: a == 7};", ["a == 7", "~|a[3:0]"]),
        ("always_ff @(posedge clk) if (k && !(&a)) o <= l;", ["&a"]),
        # Fewer bits are flags, parity compares nothing, and constants have decided.
        ("assign o = &a[2:0];", []),
        ("assign o = ^a;", []),
        ("assign o = &{1'b0, a};", []),
        # Verilator counts these itself.
        ("assign o = k && a == 7;", []),
    ],
)
def test_what_is_watched(tmp_path, text, watched):
    file = tmp_path / "m.sv"
    text = text.replace("p = '{", "p = pair_t'{")
    file.write_text(MODULE.format(text))
    design = Design(
        name="m",
        summary="expressions",
        top="m",
        files=("m.sv",),
        root=tmp_path,
        streams=[StreamPort(name="s", direction="in", width=8)],
        model=print,
        timed=False,
        cases=[Case(name="none", summary="no stimulus", make=print)],
    )
    places = [watched_place(name) for name in re.findall(r"\.(at_\w+)\(", comparison_watch(design, {}))]
    found = file.read_text()
    assert sorted(found[place[1] : place[2]] for place in places if place) == sorted(watched)
