# SPDX-License-Identifier: Apache-2.0
"""What is shown of a failed build."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.build.build_errors import failure, first_errors
from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.description import load_description

VERILATOR = """%Warning-WIDTH: a.sv:1:2: something
%Error: /hdl/a.sv:2:18: Can't find definition of variable: 'nothing'
    2 |   assign q = a + nothing;
      |                  ^~~~~~~
        ... See the manual
%Error-UNSUPPORTED: /hdl/b.sv:7:1: Unsupported: this
%Error: /hdl/a.sv:2:18: Can't find definition of variable: 'nothing'
%Error: Exiting due to 3 error(s)
"""
COMPILER = """c++ -O1 -c -o unit_0.o unit_0.cpp
In file included from unit_0.cpp:2:
Vtop__Dpi.cpp:12:3: error: 'foo' was not declared in this scope
   12 |   foo();
      |   ^~~
make: *** [simulator.mk:5: unit_0.o] Error 1
"""
LINKER = """/usr/bin/ld: unit_0.o: in function `f': undefined reference to `my_dpi'
collect2: error: ld returned 1 exit status
make: *** [simulator.mk:9: sim] Error 1
"""


def test_errors_of_all_tools_with_their_lines_and_each_once():
    assert first_errors(VERILATOR) == [
        [
            "/hdl/a.sv:2:18: Can't find definition of variable: 'nothing'",
            "    2 |   assign q = a + nothing;",
            "      |                  ^~~~~~~",
        ],
        ["/hdl/b.sv:7:1: Unsupported: this"],
    ]
    assert first_errors(COMPILER) == [
        ["Vtop__Dpi.cpp:12:3: error: 'foo' was not declared in this scope", "   12 |   foo();", "      |   ^~~"]
    ]
    assert [error[0] for error in first_errors(LINKER)] == [LINKER.splitlines()[0]]
    assert first_errors("all is well") == []


def test_the_first_error_is_in_the_first_line_and_the_log_in_the_last():
    said = failure("x", ["verilator"], 1, VERILATOR, "/cache/x.log").splitlines()
    assert said[0] == "building x failed: /hdl/a.sv:2:18: Can't find definition of variable: 'nothing'"
    assert said[-1] == "log in /cache/x.log"
    many = "".join(f"%Error: a.sv:{n}:1: wrong\n" for n in range(1, 9))
    said = failure("x", ["verilator"], 1, many, "/cache/x.log").splitlines()
    assert said[0] == "building x failed: a.sv:1:1: wrong"
    assert said[1:5] == [f"a.sv:{n}:1: wrong" for n in range(2, 6)]
    assert said[-1] == "3 more error(s); log in /cache/x.log"


def test_without_an_error_the_end_of_the_log_is_shown():
    said = failure("x", ["make"], 137, "one\ntwo\n", "/cache/x.log")
    assert said == "building x failed (make ended with 137), log in /cache/x.log:\none\ntwo"


_FLIP = """name = "flip"
summary = ""
top = "flip"
files = ["flip.sv"]
model = "rules"
compare_time = false
ties = { mode = 0 }
clocks = [{ name = "clk", reset = "rst", active_high = true, period_ps = 4000 }]
streams = [
  { name = "s", direction = "in", clock = "clk", width = 8, signals = { tdata = "a", tvalid = "av", tready = "ar" } },
  { name = "m", direction = "out", clock = "clk", width = 8, signals = { tdata = "b", tvalid = "bv", tready = "br" } },
]
traffic = { kind = "random" }
"""
_BV = "bv: an output of flip, but streams[1].signals.{} with streams[1].direction = "


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"out"', '"in"', _BV.format("tvalid")),
        ('tvalid = "bv", tready = "br"', 'tvalid = "br", tready = "bv"', _BV.format("tready")),
        ('tvalid = "bv", tready = "br"', 'tvalid = "!br", tready = "!bv"', _BV.format("tready")),
        ("mode = 0", "spare = 0", "spare: an output of flip, but ties.spare makes it an input"),
        ('reset = "rst"', 'reset = "spare"', "spare: an output of flip, but clocks[0].reset makes it an input"),
    ],
)
def test_outputs_that_the_description_drives(before: str, after: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "flip.sv").write_text(
        "module flip(input clk, rst, mode, av, br, input [7:0] a, output ar, output reg bv, output spare,\n"
        "  output [7:0] b);\n  assign ar = br, b = a, spare = mode;\n  always @(posedge clk) bv <= av & !rst;\nendmodule\n"
    )
    (tmp_path / "flip.toml").write_text(_FLIP.replace(before, after))
    design = load_description(tmp_path / "flip.toml")
    with pytest.raises(UsageError, match=r"flip.toml: the description of flip does not match its RTL:\n") as refused:
        build(design, {})
    assert said in str(refused.value)
