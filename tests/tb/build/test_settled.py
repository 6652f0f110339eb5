# SPDX-License-Identifier: Apache-2.0
"""Conditions that widths and constants settle, and those that they do not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from goldbeat.tb.build.quiet_signals import quiet_signals
from goldbeat.tb.build.settled import Settled, settled_conditions
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.design.parameter import Parameter


def settled(folder: Path, *conditions: str, more: str = "", **given: str) -> dict[str, bool]:
    """The conditions of a small module that are settled; ``given``: texts of parameters."""
    path = folder / "m.sv"
    choices = "\n".join(f"  assign y[{n}] = ({text}) ? a[0] : b;" for n, text in enumerate(conditions))
    path.write_text(
        'module m #(parameter int MAX = 15, parameter bit SLOW = 0, parameter KIND = "soft") (input logic b,\n'
        "  input logic [3:0] a, c, input logic signed [3:0] s,\n"
        f"  output logic [{len(conditions)}:0] y);\n{choices}\n{more}\nendmodule\n"
    )
    text = path.read_text()
    return {text[one.begin : one.end]: one.value for one in found_in(path, "top" if more else "m", **given)}


def found_in(path: Path, top: str = "top", **given: str) -> list[Settled]:
    """Those of a file that are settled."""
    design = design_of(path, top)
    design.parameters = {name: Parameter(default="soft") for name in given}
    return settled_conditions(design, given)


def design_of(path: Path, top: str = "m") -> Any:
    """What stands for a design of one file."""
    listed = Sources((path,))
    return SimpleNamespace(
        sources=lambda: [path], listed=lambda: listed, macros=list, include_paths=list, top=top, parameters={}
    )


@pytest.mark.parametrize(
    "condition", ["a > MAX", "a < 0", "a + 5'd1 == 5'd31", "SLOW", "s > 7", "(a & 4'd3) > 3", "b && a > 15", "MAX > 20"]
)
def test_never_true(tmp_path: Path, condition: str) -> None:
    assert settled(tmp_path, condition).get(condition) is False


@pytest.mark.parametrize(
    "condition", ["a <= MAX", "s >= -8", "a != 5'd16", "!(a > 15)", "b || a >= 0", "a % 3 < 3", "MAX == 15"]
)
def test_always_true(tmp_path: Path, condition: str) -> None:
    assert settled(tmp_path, condition).get(condition) is True


@pytest.mark.parametrize(
    "condition",
    ["a >= MAX", "a > 0", "a + 4'd1 == 4'd0", "a - c > 4'd15 - 4'd1", "s < 0", "a + 5'd1 > 5'd15", "a > c", "b"],
)
def test_what_traffic_decides(tmp_path: Path, condition: str) -> None:
    assert condition not in settled(tmp_path, condition)


@pytest.mark.parametrize("condition", ["SLOW && a == 4'd3", "MAX == 15 || a == 4'd3"])
def test_what_is_never_asked(tmp_path: Path, condition: str) -> None:
    assert "a == 4'd3" in settled(tmp_path, condition)
    assert "a == 4'd3" not in settled(
        tmp_path, condition, more="endmodule\nmodule top;\nm #(.SLOW(1), .MAX(3)) u();\nm v();"
    )


@pytest.mark.parametrize(
    ("condition", "dead"), [("SLOW && b", "y[1] = 0;"), ("MAX == 15", "y[1] = 1;"), ("b", None), ("!SLOW", "y[1] = 1;")]
)
def test_the_arm_that_is_never_taken(tmp_path: Path, condition: str, dead: str | None) -> None:
    path = tmp_path / "m.sv"
    body = f"always_comb if ({condition}) y[1] = 0; else y[1] = 1;"
    settled(tmp_path, "b", more=f"{body}\nendmodule\nmodule top;\nm u();")
    text, found = path.read_text(), [one.dead for one in found_in(path) if one.dead]
    assert [text[slice(*place)] for place in found] == ([dead] if dead else [])


def test_texts_are_parameters_too(tmp_path: Path) -> None:
    condition = 'KIND == "hard"'
    assert settled(tmp_path, condition) == {condition: False}
    assert settled(tmp_path, condition, KIND="hard") == {condition: True}


def test_every_instance_must_agree(tmp_path: Path) -> None:
    top = "endmodule\nmodule top (input logic [3:0] a, output logic [1:0] y, z);\n  m {}one (.a, .c(a), .b(a[0]), .s(a), .y);\n"
    two = top + "  m #(.MAX(3)) two (.a, .c(a), .b(a[0]), .s(a), .y(z));"
    assert settled(tmp_path, "a > MAX", more=top.format("")) == {"a > MAX": False}
    assert settled(tmp_path, "a > MAX", more=two.format("")) == {}


def test_arms_that_a_constant_does_not_choose(tmp_path: Path) -> None:
    arms = "always_comb case ({}) 0, 7: y[1] = b; 15: y[1] = a[0]; default: y[1] = 1; endcase\nendmodule\n"
    top = "module top (input logic [3:0] a, output logic [1:0] y, z);\n  m one (.a, .c(a), .b(a[0]), .s(a), .y);\n"
    assert settled(tmp_path, "b", more=arms.format("MAX") + top) == {"0, 7": False}
    assert settled(tmp_path, "b", more=arms.format("a") + top) == {}
    two = "  m #(.MAX(7)) two (.a, .c(a), .b(a[0]), .s(a), .y(z));"
    assert settled(tmp_path, "b", more=arms.format("MAX") + top + two) == {}


def test_a_branch_that_is_not_taken_says_nothing(tmp_path: Path) -> None:
    """Where only one of two instances takes a branch, that one decides."""
    choice = "  if (MAX == 3) begin : gen_small assign y[1] = (a + MAX < 19) ? a[1] : b; end\n"
    top = "endmodule\nmodule top (input logic [3:0] a, output logic [1:0] y, z);\n  m {}one (.a, .c(a), .b(a[0]), .s(a), .y);\n"
    two = choice + top + "  m #(.MAX(3)) two (.a, .c(a), .b(a[0]), .s(a), .y(z));"
    assert settled(tmp_path, "a > MAX", more=two.format("")) == {"a + MAX < 19": True}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("wire x; assign y = {a[1:0], 2'd0};", {"x": False}),
        ("wire x; assign y = {a[2:0], x};", {"x": True}),
        ("reg x; assign y = {a[2:0], x};", {"x": True}),
        ("wire x; assign x = a[0]; assign y = {a[2:0], x};", {}),
        ("wire [1:0] x; assign x[1] = a[0]; assign y = {a[1:0], x};", {}),
        ("wire x = a[0]; assign y = {a[2:0], x};", {}),
        ("supply1 x; assign y = {a[2:0], x};", {}),
        ("reg [3:0] x; always @(*) x = a; assign y = x;", {}),
        ("reg [3:0] x; always @(posedge a[0]) begin x++; end assign y = x;", {}),
        ('reg [3:0] x [0:1]; initial $readmemh("x", x); assign y = x[0];', {}),
        ("reg x; task set(output o); o = a[0]; endtask always @(*) set(x); assign y = {a[2:0], x};", {}),
        ("wire x; not (x, a[0]); assign y = {a[2:0], x};", {}),
        ("wire x; inner one (.i(a[0]), .o(x)); assign y = {a[2:0], x};", {}),
        ("wire x; inner one (.i(x), .o(y[0])); assign y[3:1] = a[2:0];", {"x": True, "i": False}),
        ("inner one (.i(), .o(y[0])); assign y[3:1] = a[2:0];", {"i": False}),
        ("inner one (.i(), .o(y[0])), two (.i(a[0]), .o(y[1])); assign y[3:2] = a[1:0];", {}),
        ("", {"y": True}),
    ],
)
def test_what_nothing_drives(body: str, found: dict[str, bool], tmp_path: Path) -> None:
    """In any instance; with what is read."""
    path = tmp_path / "m.sv"
    inner = "module inner (input wire i, output wire o); assign o = !i; endmodule"
    path.write_text(f"{inner}\nmodule m (input wire [3:0] a, output wire [3:0] y);\n{body}\nendmodule\n")
    assert {one.name: one.read for one in quiet_signals(design_of(path), {}).undriven} == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("reg [1:0] x; always @(posedge a[0]) if (a[1]) x <= 0; else x <= 2'b00; assign y = {2'd0, x};", {"x": (0, 3)}),
        ("reg [1:0] x = 1; always @(posedge a[0]) if (a[1]) x <= 3;", {"x": (3, 2)}),
        ("reg [1:0] x; always @(posedge a[0]) if (a[1]) x <= 3; else x <= a[2];", {}),
        ("reg [1:0] x; always @(posedge a[0]) begin x <= 0; x[1] <= 0; end", {}),
        ("reg [1:0] x; always @(posedge a[0]) begin x <= 0; x++; end", {}),
        ("reg [2:1] x; always @(posedge a[0]) x <= 0;", {}),
        ("wire x = 0; inner one (.i(x), .o(y[0]));", {"x": (0, 3)}),
        ("reg x; always @(posedge a[0]) x <= 0; inner one (.i(a[0]), .o(x));", {}),
    ],
)
def test_what_gets_constants_alone(body: str, found: dict[str, tuple[int, int]], tmp_path: Path) -> None:
    """Bits that are 1 and that are 0 in some of them."""
    path = tmp_path / "m.sv"
    inner = "module inner (input wire i, output wire o); assign o = !i; endmodule"
    path.write_text(f"{inner}\nmodule m (input wire [3:0] a, output wire [3:0] y);\n{body}\nendmodule\n")
    assert {one.name: (one.ones, one.zeros & 3) for one in quiet_signals(design_of(path), {}).constant} == found
