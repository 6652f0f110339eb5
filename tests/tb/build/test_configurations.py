# SPDX-License-Identifier: Apache-2.0
"""Parameter values that switch on other code of a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.build.compiling import compile_sources
from goldbeat.tb.build.configurations import OtherValues, other_configurations
from goldbeat.tb.design.filelist import Sources

HEAD = "module m #(parameter {}) (input logic clk, input logic [7:0] a, output logic [7:0] y);\n{}\nendmodule\n"


def searched(folder: Path, parameters: str, body: str, most: int = 9) -> OtherValues:
    """What is found for a small module."""
    path = folder / "m.sv"
    path.write_text(HEAD.format(parameters, body))
    sources = Sources((path,))
    return other_configurations(
        lambda values: compile_sources(sources, "m", {name: str(value) for name, value in values.items()}), most
    )


def configurations(folder: Path, parameters: str, body: str, most: int = 9) -> list[dict[str, int | str]]:
    """The values that switch on other code."""
    switching = [one for one in searched(folder, parameters, body, most).sets if one.places]
    assert all(one.first.startswith("m.sv:") for one in switching)
    return [one.values for one in switching]


@pytest.mark.parametrize(
    ("parameters", "body", "found"),
    [
        ("A = 0", "always_ff @(posedge clk) if (A) y <= a; else y <= ~a;", [{"A": 1}]),
        ("bit A = 1", "assign y = A ? a : 8'd1;", [{"A": 0}]),
        ("A = 0", "assign y = {8{A && a[0]}};", [{"A": 1}]),
        ("A = 8", "if (A > 8) begin : wide assign y = a; end else assign y = 1;", [{"A": 16}]),
        ("A = 3", "localparam bit B = A == 0; assign y = B ? a : 8'd0;", [{"A": 0}]),
        # What the RTL compares a parameter with says which values there are.
        (
            "A = 1",
            "localparam LAST = 7; case (A) 0: assign y = 0; 5: assign y = 5; LAST: assign y = a; endcase",
            [{"A": 0}, {"A": 5}, {"A": 7}],
        ),
        ("A = 5", "if (20 <= A) begin : big assign y = a; end else begin assign y = 1; end", [{"A": 20}]),
        (
            'A = "LOW"',
            'if (A == "LOW") begin assign y = a; end else if (A == "HIGH") begin assign y = 1; end',
            [{"A": '"HIGH"'}],
        ),
        # A width or a delay that chooses no other code is no other configuration.
        ("A = 8", "assign y = a + A;", []),
        # What an arm asks that is not taken is asked with another value alone.
        ("A = 4", "always_comb if (A == 4) y = a; else if (A > 4) y = 1; else y = 2;", [{"A": 8}, {"A": 2}]),
        # An arm that is not taken may be wrong there.
        (
            "A = 4",
            "always_comb if (A == 4) y = a; else if (A < 4) y = {a[0:A-4], 7'd0}; else y = 8'(a[A-5:0]);",
            [{"A": 8}, {"A": 2}],
        ),
    ],
)
def test_other_code(tmp_path: Path, parameters: str, body: str, found: list[dict[str, int]]) -> None:
    assert configurations(tmp_path, parameters, body) == found


@pytest.mark.parametrize(
    "check",
    [
        'initial if (A && !B) begin $error("no"); $finish; end',
        'initial assert (!A || B) else $fatal(1, "no");',
        'if (A && !B) $error("no");',
    ],
)
def test_what_the_module_refuses(tmp_path: Path, check: str) -> None:
    body = f"{check}\nassign y = A ? a : 8'd0;"
    assert {"A": 1} not in configurations(tmp_path, "A = 0, B = 0", body)
    assert {"A": 1, "B": 1} in configurations(tmp_path, "A = 0, B = 0", body)


def test_as_many_as_asked(tmp_path: Path) -> None:
    body = "assign y = A ? a : B ? 8'd1 : C ? 8'd2 : 8'd3;\nassign z = C ? 8'd4 : 8'd5;"
    assert configurations(tmp_path, "A = 0, B = 0, C = 0", f"logic [7:0] z;\n{body}", 1) == [{"C": 1}]


def test_a_guard_says_with_which_size_a_mode_goes(tmp_path: Path) -> None:
    body = 'if (A && B < 64) begin $error("large ones alone"); end\nassign y = A ? a : 8\'d0;'
    found = searched(tmp_path, "A = 0, B = 16", body)
    assert {"A": 1, "B": 64} in [one.values for one in found.sets]
    assert not found.refused


def test_what_is_in_no_set_is_told(tmp_path: Path) -> None:
    body = "if (A) begin : fast missing u (.*); end else begin : slow assign y = a; end\nlogic [B:0] queue;"
    found = searched(tmp_path, "A = 0, B = 16", body)
    assert [(values, "unknown module" in why) for values, why in found.refused] == [({"A": 1}, True)]
    assert found.left_out == ["m.sv:2"]
    # What is left of the sets goes to sizes.
    assert [(one.values, one.places) for one in found.sets] == [({"B": 32}, 0)]
