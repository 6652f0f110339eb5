# SPDX-License-Identifier: Apache-2.0
"""Sources that slang rejects, parameters without defaults, and inputs that nothing drives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import Access
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.filelist import Sources
from goldbeat.tb.probe.elaborate import elaborate
from goldbeat.tb.run.runs import Request, check_request, predict

# An integer goes to an enum: Verilator warns.
LOOSE = """
module loose (
  input logic clk, input logic rst, input logic [3:0] mode, input logic enable,
  input logic [31:0] s_tdata, input logic s_tvalid, output logic s_tready,
  output logic [31:0] m_tdata, output logic m_tvalid, input logic m_tready
);
  typedef enum logic [1:0] {Idle, Busy} state_t;
  state_t state;
  always_ff @(posedge clk) state <= 1;
  assign m_tdata = s_tdata;
  assign m_tvalid = s_tvalid;
  assign s_tready = m_tready;
endmodule
"""
BARE = """
module bare #(parameter int W, parameter int D = 4, parameter int N) (
  input logic clk,
  input logic [W-1:0] s_tdata, input logic s_tvalid, output logic s_tready,
  output logic [W-1:0] m_tdata, output logic m_tvalid, input logic m_tready
);
  assign m_tdata = s_tdata;
  assign m_tvalid = s_tvalid;
  assign s_tready = m_tready;
endmodule
"""


def _goldbeat(*words: object) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def _said(result: Result) -> str:
    return result.output + str(result.exception)


@pytest.fixture
def loose(tmp_path: Path) -> Path:
    path = tmp_path / "loose.sv"
    path.write_text(LOOSE)
    return path


def test_a_header_that_is_missing_needs_a_folder(tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(
        '`include "not_here.vh"\nmodule m (input clk, input x_valid, input [7:0] x); endmodule\n'
    )
    with pytest.raises(UsageError, match=r"not_here.vh: name the folder with -I DIR"):
        elaborate(Sources((tmp_path / "m.v",)))


def test_errors_are_warnings_in_relaxed_mode(loose: Path) -> None:
    with pytest.raises(UsageError, match=r"no implicit conversion(.|\n)*--relaxed makes the errors warnings"):
        elaborate(Sources((loose,)))
    module = elaborate(Sources((loose,)), relaxed=True)
    assert [p.name for p in module.ports][:3] == ["clk", "rst", "mode"]
    assert any("loose.sv:9:" in text and "no implicit conversion" in text for text in module.warnings)
    (loose.parent / "broken.sv").write_text("module broken (input logic clk; endmodule\n")
    with pytest.raises(UsageError):
        elaborate(Sources((loose.parent / "absent.sv",)), relaxed=True)


def test_probe_and_new_show_the_warnings_and_every_input_that_is_held(loose: Path, tmp_path: Path) -> None:
    assert _goldbeat("probe", loose).exit_code != 0
    done = _goldbeat("probe", loose, "--relaxed", "--tie", "mode=3")
    assert done.exit_code == 0, done.output
    assert "warnings:" in done.output
    assert "loose.sv:9:" in done.output
    assert "mode: input, 4 bit: tied to 3, as asked for" in done.output
    assert "enable: input, 1 bit: tied to 1, as its name is an enable's" in done.output
    machine = json.loads(_goldbeat("probe", loose, "--relaxed", "--json").stdout)
    assert machine["warnings"]
    assert set(machine["unplaced"]) == {"mode", "enable"}
    bench = tmp_path / "bench"
    done = _goldbeat("new", bench, loose, "--relaxed", "--model", "identity")
    assert done.exit_code == 0, done.output
    assert "warning: " in done.output
    assert "check: mode: input, 4 bit: tied to 0" in done.output
    design = load_description(bench / "loose.toml")
    assert design.undriven() == {"mode": "tied to 0", "enable": "tied to all ones"}


def test_parameters_without_a_default_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bare.sv"
    path.write_text(BARE)
    said = "bare: no default for parameter W, N: give them with -G W=VALUE -G N=VALUE"
    for words in ((), ("--top", "bare")):
        assert said in _said(_goldbeat("probe", path, *words))
    assert "no default for parameter N: give it with -G N=VALUE" in _said(_goldbeat("probe", path, "-G", "W=8"))
    done = _goldbeat("probe", path, "-G", "W=8", "-G", "N=1")
    assert done.exit_code == 0, done.output
    assert "8 (W) bit" in done.output
    path.write_text(BARE.replace("parameter int N", "parameter type T"))
    # A type is filled by its name, and that is said.
    assert "types T: guessed from their names" in _said(_goldbeat("probe", path, "-G", "W=8"))


LITE = """
name = "lite"
top = "lite"
files = ["lite.sv"]
model = "identity"
compare_time = false
[ties]
mode = 5
[[clocks]]
name = "clk"
[[registers]]
name = "small"
clock = "clk"
address_width = 5
[[registers]]
name = "big"
clock = "clk"
address_width = 12
[[registers]]
name = "silent"
direction = "out"
clock = "clk"
[[cases]]
name = "small"
make = "ram:small"
[[cases]]
name = "big"
make = "ram:big"
"""


def _addresses(request: Request) -> set[int]:
    stimuli = [stimulus for stimulus, _ in predict(request, 0).steps]
    steps: list[Access] = [a for s in stimuli for program in s.program.values() for a in program]
    return {a.address for a in steps}


def test_ram_stays_within_the_address_bits_of_its_port(tmp_path: Path) -> None:
    path = tmp_path / "lite.toml"
    path.write_text(LITE)
    design = load_description(path)
    assert _addresses(Request(design, design.case("small"))) == set(range(0, 32, 4))
    assert _addresses(Request(design, design.case("big"))) == set(range(0, 256, 4))
    assert max(_addresses(Request(design, design.case("small"), options={"base": 16}))) == 28
    assert max(_addresses(Request(design, design.case("big"), options={"bytes": 4096}))) == 4092
    for case, options in (("small", {"bytes": 64}), ("small", {"base": 32}), ("big", {"base": 4000, "bytes": 256})):
        request = Request(design, design.case(case), options=options)
        check_request(request)
        with pytest.raises(UsageError, match="options base and bytes: found"):
            predict(request, 0)
    assert design.undriven() == {"mode": "tied to 5"}
