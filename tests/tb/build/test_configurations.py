# SPDX-License-Identifier: Apache-2.0
"""Parameter values that switch on other code of a module."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.tb.build.compiling import compile_sources
from goldbeat.tb.build.configurations import other_configurations
from goldbeat.tb.design.filelist import Sources

HEAD = "module m #(parameter {}) (input logic clk, input logic [7:0] a, output logic [7:0] y);\n{}\nendmodule\n"


def configurations(folder: Path, parameters: str, body: str, most: int = 9) -> list[dict[str, int]]:
    """The values that are found for a small module."""
    path = folder / "m.sv"
    path.write_text(HEAD.format(parameters, body))
    sources = Sources((path,))
    found = other_configurations(
        lambda values: compile_sources(sources, "m", {name: str(value) for name, value in values.items()}), most
    )
    assert all(one.places and one.first.startswith("m.sv:") for one in found)
    return [one.values for one in found]


@pytest.mark.parametrize(
    ("parameters", "body", "found"),
    [
        ("A = 0", "always_ff @(posedge clk) if (A) y <= a; else y <= ~a;", [{"A": 1}]),
        ("bit A = 1", "assign y = A ? a : 8'd1;", [{"A": 0}]),
        ("A = 0", "assign y = {8{A && a[0]}};", [{"A": 1}]),
        ("A = 8", "if (A > 8) begin : wide assign y = a; end else assign y = 1;", [{"A": 16}]),
        ("A = 3", "localparam bit B = A == 0; assign y = B ? a : 8'd0;", [{"A": 0}]),
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
