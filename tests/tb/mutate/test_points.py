# SPDX-License-Identifier: Apache-2.0
"""Where mutants are found, what they change, and what is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.mutate.mutant import Mutant, MutantChange, shortened
from goldbeat.tb.mutate.points import find_mutants
from goldbeat.tb.mutate.rewrite import rewrite, rewrite_alone

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


def test_a_source_that_has_changed_is_not_rewritten(tmp_path):
    path, found = mutants(tmp_path)
    path.write_text("// One more line.\n" + MODULE)
    with pytest.raises(UsageError, match="has changed since its mutants were found"):
        rewrite(path, found)


def test_every_kind_of_change_is_found_and_elaboration_is_left_alone(tmp_path):
    _, found = mutants(tmp_path)
    said = [f"{m.place.line} {m.operator}: {m.change}" for m in found]
    assert said == [
        "8 bitwise: n ^ b -> (n) | (b)",
        "10 relational: a[W-1-:2] == b[1:0] -> (a[W-1-:2]) != (b[1:0])",
        "10 stuck: a[W-1-:2] == b[1:0] -> 1'b0",
        "10 stuck: a[W-1-:2] == b[1:0] -> 1'b1",
        "10 select: a[W-1-:2] -> a[(W-1) - 1 -: 2]",
        "10 select: a[W-1-:2] -> a[W-1 -: (2) - 1]",
        "10 select: b[1:0] -> b[(1) + 1:(0) + 1]",
        "10 select: b[1:0] -> b[(1) - 1:0]",
        "13 unary: !a[g + 0] -> (a[g + 0])",
        "13 stuck: !a[g + 0] -> 1'b0",
        "13 stuck: !a[g + 0] -> 1'b1",
        "13 select: a[g + 0] -> a[(g + 0) + 1]",
        "15 select: a[0] -> a[(0) + 1]",
        "15 constant: 0 -> 1",
        "18 condition: rst -> !(rst)",
        "18 dropped: q <= '0; -> (left out)",
        "18 reset: '0 -> '1",
        "19 relational: a < b -> (a) <= (b)",
        "19 relational: a < b -> (a) >= (b)",
        "19 condition: a < b -> !(a < b)",
        "19 dropped: q <= mix(a) + W'(1); -> (left out)",
        "19 delayed: q <= mix(a) + W'(1); -> (one cycle later)",
        "19 arithmetic: mix(a) + W'(1) -> (mix(a)) - (W'(1))",
        "19 constant: 1 -> 2",
        "19 constant: 1 -> 0",
        "20 dropped: q[i] <= a[i + 1] | b[i]; -> (left out)",
        "20 select: i -> (i) + 1",
        "20 bitwise: a[i + 1] | b[i] -> (a[i + 1]) & (b[i])",
        "20 bitwise: a[i + 1] | b[i] -> (a[i + 1]) ^ (b[i])",
        "20 select: a[i + 1] -> a[(i + 1) + 1]",
        "20 select: b[i] -> b[(i) + 1]",
        "22 dropped: q <= '1; -> (left out)",
        "22 delayed: q <= '1; -> (one cycle later)",
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
        choices = (f"((goldbeat_mutant::id == 32'd{mutant.number})", f"::id != 32'd{mutant.number})")
        choices += (f"::id != 32'd{mutant.number} &&",)
        assert sum(text.count(one) for one in choices) == 1
    # Every line without a mutant is the same, and none is added: messages name the lines of the original.
    blocks = {m.made.late.block for m in found if m.made.late}
    changed = {m.place.line for m in found} | {b.line for b in blocks}
    changed |= {1 + MODULE[: b.end].count("\n") for b in blocks}
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


def test_an_if_that_becomes_another_statement_leaves_no_else_behind(tmp_path):
    """Its own ``else`` would otherwise be the choice of the mutant."""
    body = "always_comb if (d) q = 1'b1;"
    path, found = mutants(tmp_path, f"module m(input logic d, output logic q); {body} endmodule\n")
    inner = next(m for m in found if m.place.text == "d")
    start = inner.place.start - len("if (")
    place = replace(
        inner.place, start=start, end=start + len("if (d) q = 1'b1;"), text="if (d) q = 1'b1;", statement=True
    )
    other = Mutant(7, place, MutantChange("dropped", "q = 1'b0;"))
    chosen = "goldbeat_mutant::id"
    want = (
        f"begin if ({chosen} != 32'd7) begin if (d) q = 1'b1; end else if ({chosen} == 32'd7) begin q = 1'b0; end end"
    )
    assert want in rewrite(path, [other])
    assert "always_comb q = 1'b0; endmodule" in rewrite_alone(other)


def test_files_that_do_not_parse_are_refused_with_their_line(tmp_path):
    with pytest.raises(InputError, match=r"box\.sv:2: found"):
        mutants(tmp_path, "module m;\nassign = 3;\nendmodule\n")
    with pytest.raises(InputError, match=r"box\.sv:2: found"):
        mutants(tmp_path, "module m;\n) assign a = 3;\nendmodule\n")


def test_an_error_that_leaves_nothing_of_the_text_out_is_none_for_mutants(tmp_path):
    """A bench made with ``--relaxed`` has RTL that Verilator accepts."""
    text = "module m(input logic d, output logic q); always_comb begin automatic type(d) x = d; q = !x; end endmodule\n"
    assert {one.place.text for one in mutants(tmp_path, text)[1]} >= {"!x"}


def test_texts_are_shown_on_one_line():
    assert shortened("a  +\n  b") == "a + b"
    assert len(shortened("x" * 100)) == 60


CASES = """module m #(parameter W = 4) (
  input clk, input [1:0] i, input [W-1:0] a, output logic [W-1:0] q, output logic [3:0] r, output z
);
  wire unused = &{1'b0, a[1], i};
  for (genvar g = 0; g < 2; g++) begin : gen_each
    wire x = a[g];
  end
  assign z = gen_each[0].x ^ gen_each[1].x;
  leaf leaf_i (.in(a[0]), .both({a[1], a[0]}));
  always_ff @(posedge clk) begin
    q[i] <= a[i];
    case (i)
      0: r <= 4'd9;
      1, 2: r[3:2] <= a[W-1:W-2];
      default: ;
    endcase
    casez (a)
      4'b1???: r <= '0;
      4'b01??: r <= '1;
    endcase
  end
endmodule
module leaf (input in, input [1:0] both); endmodule
"""


def test_selects_are_off_by_one_where_elaboration_allows_it(tmp_path):
    """Indices are shifted up, or down where up is out of range; a port of an instance may be an output, and stays."""
    _, found = mutants(tmp_path, CASES)
    assert [f"{m.place.line} {m.change}" for m in found if m.operator == "select"] == [
        "6 a[g] -> a[(g) + 1]",
        "11 i -> (i) + 1",
        "11 a[i] -> a[(i) + 1]",
        "14 a[W-1:W-2] -> a[(W-1) - 1:(W-2) - 1]",
        "14 a[W-1:W-2] -> a[(W-1) - 1:W-2]",
    ]


def test_what_has_no_room_is_not_selected_elsewhere(tmp_path):
    _, found = mutants(tmp_path, "module m(input [0:0] a, output z);\n  assign z = a[0];\nendmodule\n")
    assert [m.operator for m in found] == []


def test_arms_of_a_case_exchange_labels_and_wildcards_stay(tmp_path):
    path, found = mutants(tmp_path, CASES)
    arms = [m for m in found if m.operator == "case arm"]
    assert [f"{m.place.line} {m.change}" for m in arms] == ["13 0 -> 1, and the reverse"]
    text = rewrite(path, arms)
    one = arms[0].number
    assert f"((goldbeat_mutant::id == 32'd{one}) ? (1) : (0)): r <= 4'd9;" in text
    assert f"((goldbeat_mutant::id == 32'd{one}) ? (0) : (1)), 2:" in text


def test_assignments_come_one_cycle_later(tmp_path):
    """In front of all others of the block, which override it; not with selects, whose index would be another one by then."""
    path, found = mutants(tmp_path, CASES)
    late = [m for m in found if m.operator == "delayed"]
    assert [f"{m.place.line} {m.change}" for m in late] == [
        "13 r <= 4'd9; -> (one cycle later)",
        "18 r <= '0; -> (one cycle later)",
        "19 r <= '1; -> (one cycle later)",
    ]
    text = rewrite(path, late)
    n = late[0].number
    assert f"if (goldbeat_due{n}) r <= goldbeat_late{n};" in text.splitlines()[9]
    assert f"begin goldbeat_late{n} <= 4'd9; goldbeat_due{n} <= 1'b1; end" in text.splitlines()[12]


def test_the_sign_of_a_number_stays(tmp_path):
    """Otherwise the whole expression would be compared without signs, whichever mutant is chosen."""
    _, found = mutants(
        tmp_path, "module m(input signed [3:0] a, output z);\n  assign z = a > 4'sd7 + 4'd1;\nendmodule\n"
    )
    assert [m.text for m in found if m.operator == "constant"] == ["4'sd7 ^ 4'sd1", "4'd1 ^ 4'd1"]
