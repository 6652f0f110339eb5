# SPDX-License-Identifier: Apache-2.0
import re

import pytest

from goldbeat.tb.build.comparisons import comparison_watch, watched_place
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort

MODULE = """module m (
    input logic clk, k, l, bvalid, input logic [9:0] a, b,
    output logic o, output logic [1:0] p
);
  logic [1:0] n;
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
        ("assign p = {k, (a == 3) & (b == 7)};", ["(a == 3) & (b == 7)"]),
        ("assign p = '{x: k & ~|a[3:0], y: a == 7};", ["a == 7", "~|a[3:0]"]),
        ("always_ff @(posedge clk) if (k && !(&a)) o <= l;", ["&a"]),
        # Fewer bits are flags, parity compares nothing, and constants have decided.
        ("assign o = &a[2:0];", []),
        ("assign o = ^a;", []),
        ("assign o = &{1'b0, a};", []),
        # Verilator counts this itself, but not whether the input lets it count.
        ("assign o = k && a == 7;", ["false: a == 7", "true: a == 7"]),
        ("assign o = bvalid && a == 7;", []),
        ("assign o = a >= b && l;", ["equal: a >= b", "false: a >= b", "true: a >= b"]),
        ("always_ff @(posedge clk) n <= n + {1'b0, k} - {1'b0, l};", ["full: n"]),
        ("always_ff @(posedge clk) if (n != 3) n <= n + {1'b0, k} - {1'b0, l};", []),
        ("always_ff @(posedge clk) n <= n + {1'b0, k};", []),
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
    names = re.findall(r"  input logic (\w+)", comparison_watch(design, {}))
    found = file.read_text()
    parts = [(kind, found[place[1] : place[2]]) for kind, place in filter(None, map(watched_place, names))]
    assert sorted(text if kind == "at" else f"{kind}: {text}" for kind, text in parts) == sorted(watched)
