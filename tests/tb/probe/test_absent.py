# SPDX-License-Identifier: Apache-2.0
"""Modules that nothing defines, in branches that the parameters switch off."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.run.runs import Request, run

TEXT = """module stage #(parameter int W = 8) (input logic clk, input logic in_valid, input logic [W-1:0] in_data,
  output logic out_valid, output logic [W-1:0] out_data);
  if (W > 64) begin : gen_bad
    width_is_wrong width_is_wrong ();
  end
  if (W == 16) begin : gen_vendor
    odd_cell #(.N(W)) cell_0 (.clk, .d(in_data[0] ^ 1'b1), .q(out_data[0]));
    odd_pair #(4) cell_1 (clk, in_data[1]);
  end else begin : gen_plain
    always_ff @(posedge clk) out_data <= in_data;
  end
  always_ff @(posedge clk) out_valid <= in_valid;
endmodule
module unused (input logic clk);
  other_cell #(.M(1), .K(2)) cell_2 [3:0] (.clk, .*);
endmodule
"""


@pytest.mark.sim
def test_an_untaken_branch_needs_no_modules(tmp_path: Path) -> None:
    (tmp_path / "stage.sv").write_text(TEXT)
    bench = tmp_path / "b"
    new = ["new", str(bench), str(tmp_path / "stage.sv"), "--top", "stage", "--model", "identity"]
    assert CliRunner().invoke(app, new).exit_code == 0
    text = (bench / "stage_absent.sv").read_text()
    assert [text.count(f"module {name} ") for name in ("width_is_wrong", "odd_cell", "odd_pair")] == [1, 1, 1]
    assert "module other_cell #(parameter M = 0, parameter K = 0) (input clk, input port_1);" in text
    assert "module odd_cell #(parameter N = 0) (input clk, input d, input q);" in text
    design = find_design(str(bench / "stage.toml"))
    (result,) = run(Request(design, design.case("random")), tmp_path / "run")
    assert not result.failures


def test_a_taken_branch_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "stage.sv").write_text(TEXT)
    new = ["new", str(tmp_path / "b"), str(tmp_path / "stage.sv"), "--top", "stage", "-G", "W=16"]
    done = CliRunner().invoke(app, new)
    assert done.exit_code == 2
    assert "unknown module 'odd_cell'" in done.output


def test_a_missing_module_of_a_taken_branch_is_named_with_its_place_even_when_relaxed(tmp_path: Path) -> None:
    (tmp_path / "stage.sv").write_text(TEXT)
    new = ["new", str(tmp_path / "b"), str(tmp_path / "stage.sv"), "--top", "stage", "-G", "W=16", "--relaxed"]
    done = CliRunner().invoke(app, new)
    assert (done.exit_code, (tmp_path / "b").exists()) == (2, False)
    assert "odd_cell: nothing defines it, and stage.gen_vendor.cell_0 is one" in done.output
    assert "width_is_wrong" not in done.output


def test_a_library_gives_what_macros_of_included_files_use(tmp_path: Path) -> None:
    for name, text in {
        "top.sv": '`include "macros.svh"\nmodule top (input logic clk);\n  `OUTER(clk)\nendmodule\n',
        "inc/macros.svh": '`include "more.svh"\n`define OTHER(x) never n (x);\n`define OUTER(x) \\\n  `INNER(x)\n',
        "inc/more.svh": "`define INNER(x) used u (.x);\n",
        "lib/cells.sv": "module used (input logic x); endmodule\n",
        "lib/never.sv": "module never (input logic x); endmodule\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    given = Sources((tmp_path / "top.sv",), (tmp_path / "inc",), libraries=(tmp_path / "lib",))
    assert [path.name for path in given.complete().files] == ["cells.sv", "top.sv"]


@pytest.mark.parametrize("words", [[], ["--relaxed"]])
def test_a_macro_that_nothing_defines_is_named_and_no_instance_is_called_a_module(
    tmp_path: Path, words: list[str]
) -> None:
    file = tmp_path / "top.sv"
    file.write_text("module top (input wire clk, input wire a, output wire b);\n`MY_CELL u_cell (.a, .b);\nendmodule\n")
    said = CliRunner().invoke(app, ["probe", str(file), *words])
    assert said.exit_code == 2
    assert "nothing defines the macros MY_CELL: give the file" in said.stderr
    assert "or -D MY_CELL (" in said.stderr
    assert "unknown module" not in said.stderr
    assert "u_cell: nothing defines it" not in said.stderr
