# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for vendors' cells: clean under -Wall, and what their data sheets say."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from goldbeat.tb.build.toolchain import verilator
from goldbeat.tb.cli import app
from goldbeat.tb.design.catalog import find_design
from goldbeat.tb.design.library import VENDOR
from goldbeat.tb.run.runs import Request, run

CELLS = Path(__file__).with_name("cells.sv")


@pytest.mark.sim
def test_cells_are_clean() -> None:
    tool = verilator()
    command = [str(tool.executable), "--lint-only", "-Wall", "-Wno-MULTITOP", *map(str, sorted(VENDOR.glob("*.sv")))]
    done = subprocess.run(command, env=tool.environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.sim
def test_a_module_of_cells_goes_in_as_it_is(tmp_path: Path) -> None:
    """The bench has copies of the cells; one that is wrong is found."""
    bench = tmp_path / "b"
    assert CliRunner().invoke(app, ["new", str(bench), str(CELLS), "--model", "identity"]).exit_code == 0
    design = find_design(str(bench / "cells.toml"))
    assert design.clocks[0].name == "clk_pad"
    (result,) = run(Request(design, design.case("random")), tmp_path / "sound")
    assert result.passed, result.failures
    copy = bench / "vendor_CARRY4.sv"
    copy.write_text(copy.read_text().replace("S[i] ? carry[i] : DI[i]", "S[i] ? carry[i] : 1'b0"))
    design = find_design(str(bench / "cells.toml"))
    (result,) = run(Request(design, design.case("random")), tmp_path / "broken")
    assert result.failures


@pytest.mark.sim
def test_cells_of_the_user_come_first(tmp_path: Path) -> None:
    (tmp_path / "BUFG.v").write_text("module BUFG (output O, input I); assign O = I; endmodule\n")
    text = CELLS.read_text().replace("IBUFG pad", "BUFG pad")
    (tmp_path / "cells.sv").write_text(text)
    files = [str(tmp_path / "cells.sv"), str(tmp_path / "BUFG.v")]
    assert CliRunner().invoke(app, ["new", str(tmp_path / "b"), *files, "--top", "cells"]).exit_code == 0
    assert not (tmp_path / "b" / "vendor_BUFG.sv").exists()
    assert (tmp_path / "b" / "vendor_BUFGCE.sv").is_file()
