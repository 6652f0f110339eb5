# SPDX-License-Identifier: Apache-2.0
"""Where mutants are found, what they change, and what is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError
from goldbeat.tb.mutate.mutant import shortened
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.rewrite import rewrite

MODULE = """`define LESS(x) ((x) - 1)
module box #(parameter int W = 4 + 1) (
  input logic clk, rst, input logic [W-1:0] a, b, output logic [W-1:0] q, output logic ok, even, odd
);
  localparam int N = width(W) + 1;
  function automatic int width(int n); return twice(n + 1); endfunction
  function automatic int twice(int n); return 2 * n; endfunction
  function automatic logic [W-1:0] mix(logic [W-1:0] n); return n ^ b; endfunction
  if (W > 3) begin : gen_any
    assign ok = a[W-1-:2] == b[1:0];
  end
  for (genvar g = 0; g < 1; g = g + 1) begin : gen_each
    assign even = !a[g + 0];
  end
  assign odd = a[0] && `LESS(b) > 0;
  initial if (W < 2) $fatal(1, "W");
  always_ff @(posedge clk) begin
    if (rst) q <= '0;
    else if (a < b) q <= mix(a) + W'(1);
    for (int i = 0; i < 2; i++) q[i] <= a[i + 1] | b[i];
    case (a)
      3: q <= '1;
      default: ;
    endcase
  end
  always_comb assert (a + b >= a);
endmodule
"""


def mutants(tmp_path: Path, text: str = MODULE, **options: object):
    path = tmp_path / "box.sv"
    path.write_text(text)
    return path, find_mutants([path], **options)  # type: ignore[arg-type]


def test_every_kind_of_change_is_found_and_elaboration_is_left_alone(tmp_path):
    _, found = mutants(tmp_path)
    said = [f"{m.place.line} {m.operator}: {m.change}" for m in found]
    assert said == [
        "8 bitwise: n ^ b -> (n) | (b)",
        "10 relational: a[W-1-:2] == b[1:0] -> (a[W-1-:2]) != (b[1:0])",
        "10 stuck: a[W-1-:2] == b[1:0] -> 1'b0",
        "10 stuck: a[W-1-:2] == b[1:0] -> 1'b1",
        "13 unary: !a[g + 0] -> (a[g + 0])",
        "13 stuck: !a[g + 0] -> 1'b0",
        "13 stuck: !a[g + 0] -> 1'b1",
        "15 constant: 0 -> 1",
        "18 condition: rst -> !(rst)",
        "18 dropped: q <= '0; -> (left out)",
        "18 reset: '0 -> '1",
        "19 relational: a < b -> (a) <= (b)",
        "19 relational: a < b -> (a) >= (b)",
        "19 condition: a < b -> !(a < b)",
        "19 dropped: q <= mix(a) + W'(1); -> (left out)",
        "19 arithmetic: mix(a) + W'(1) -> (mix(a)) - (W'(1))",
        "19 constant: 1 -> 2",
        "19 constant: 1 -> 0",
        "20 dropped: q[i] <= a[i + 1] | b[i]; -> (left out)",
        "20 bitwise: a[i + 1] | b[i] -> (a[i + 1]) & (b[i])",
        "20 bitwise: a[i + 1] | b[i] -> (a[i + 1]) ^ (b[i])",
        "22 dropped: q <= '1; -> (left out)",
        "22 constant: '1 -> '0",
    ]
    assert [m.number for m in found] == list(range(1, len(found) + 1))


def test_dimensions_of_a_net_are_left_alone(tmp_path):
    text = "module m #(parameter W = 4) (input [W-1:0] a);\n  wire [W-1:0] b = a + a, c [W-1:0];\nendmodule\n"
    _, found = mutants(tmp_path, text)
    assert [m.place.text for m in found] == ["a + a"]


def test_all_of_a_file_are_in_it_and_the_rest_is_as_it_was(tmp_path):
    path, found = mutants(tmp_path)
    text = rewrite(path, found)
    for mutant in found:
        assert text.count(f"::id == 32'd{mutant.number})") + text.count(f"::id != 32'd{mutant.number})") == 1
    # Every line without a mutant is the same, and none is added: messages name the lines of the original.
    changed = {m.place.line for m in found}
    before, after = MODULE.splitlines(), text.splitlines()
    assert len(before) == len(after)
    assert [n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b] == sorted(changed)
    assert rewrite(path, []) == MODULE


def test_one_statement_stays_one_statement(tmp_path):
    path, found = mutants(
        tmp_path,
        "module m(input logic c, d, output logic q); always_ff @(posedge c)\n"
        "if (d) q <= 1'b1; else q <= 1'b0; endmodule\n",
    )
    text = rewrite(path, [m for m in found if m.operator == "dropped"])
    assert "if (d) begin if (goldbeat_mutant::id != 32'd" in text
    assert "end else begin if" in text


def test_files_that_do_not_parse_are_refused_with_their_line(tmp_path):
    with pytest.raises(InputError, match=r"box\.sv:2: found"):
        mutants(tmp_path, "module m;\nassign = 3;\nendmodule\n")


def test_texts_are_shown_on_one_line():
    assert shortened("a  +\n  b") == "a + b"
    assert len(shortened("x" * 100)) == 60
