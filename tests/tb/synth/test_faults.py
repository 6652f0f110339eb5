# SPDX-License-Identifier: Apache-2.0
"""RTL with one fault on purpose: the check of that name fails, with the file and the line, and no other check does."""

from __future__ import annotations

import json

import pytest
from commands import goldbeat
from pass_through import pass_through

pytestmark = pytest.mark.slow

RTL = """module passes (
  input  logic       aclk, aresetn,
  input  logic [7:0] s_axis_tdata,
  input  logic       s_axis_tvalid,
  output logic       s_axis_tready,
  output logic [7:0] m_axis_tdata,
  output logic       m_axis_tvalid,
  input  logic       m_axis_tready
);
  logic [7:0] d;
  logic       dead;
@
  assign m_axis_tdata  = d;
  assign m_axis_tvalid = s_axis_tvalid;
  assign s_axis_tready = m_axis_tready;
endmodule
"""
FIRST = RTL[: RTL.index("@")].count("\n") + 1
DESCRIPTION = pass_through("passes", "passes.sv")
SOUND = "  assign d = s_axis_tdata;"
FAULTS = {
    "sound": (SOUND, "", 0, ""),
    "kept value": ("  always_comb\n    if (s_axis_tvalid) d = s_axis_tdata;", "latches", 1, "latch for d"),
    "old style": ("  always @* if (s_axis_tvalid) d = s_axis_tdata;", "latches", 0, "latch for d"),
    "wanted": ("  always_latch if (s_axis_tvalid) d = s_axis_tdata;", "latches", 0, "latch for d"),
    "loop": (
        "  logic [7:0] e;\n  assign e = d ^ s_axis_tdata;\n  assign d = e & {8{aresetn}};",
        "loops",
        1,
        "loop through",
    ),
    "two assigns": (
        "  wire [7:0] w;\n  assign w = s_axis_tdata;\n  assign w = 8'd3;\n  assign d = w;",
        "drivers",
        0,
        "w",
    ),
    "two flip-flops": (
        "  reg [7:0] w;\n  always @(posedge aclk) w <= s_axis_tdata;\n  always @(posedge aclk) w <= d + 1;\n  assign d = w;",
        "drivers",
        0,
        "two drivers for w",
    ),
    "no driver": ("  assign d[5:0] = s_axis_tdata[5:0];", "undriven", 10 - FIRST, "nothing drives d[7], d[6]"),
    "a word missing": ("  assign d = s_axis_tdata\n", "elaboration", 0, "expected ';'"),
    "a delay": (SOUND + "\n  initial #5 $display(dead);", "elaboration", 1, "timing control"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_check_of_that_name_fails(fault, tmp_path, monkeypatch):
    text, check, offset, words = FAULTS[fault]
    folder = tmp_path / "with space #1"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (folder / "passes.sv").write_text(RTL.replace("@", text))
    (folder / "passes.toml").write_text(DESCRIPTION)
    found = json.loads(goldbeat("synth", "passes.toml", "--checks-only", "--json", code=1 if check else 0).stdout)
    failed = {one["name"]: one["findings"] for one in found["checks"] if one["status"] == "fail"}
    assert list(failed) == ([check] if check else [])
    if check:
        assert words in failed[check][0]["text"]
        assert failed[check][0]["file"] == str(folder / "passes.sv")
        assert failed[check][0]["line"] == FIRST + offset
    assert found["status"] == ("fail" if check else "pass")


def test_the_cost_is_measured_once_and_kept_with_its_trend(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GOLDBEAT_BUILD", str(tmp_path / "out"))
    monkeypatch.setenv("GOLDBEAT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "passes.toml").write_text(DESCRIPTION)

    def cost(text):
        (tmp_path / "passes.sv").write_text(RTL.replace("@", text))
        return json.loads(goldbeat("synth", "passes.toml", "--family", "generic", "--json").stdout)

    plain = cost(SOUND)
    assert (plain["resources"]["FF"], plain["cached"], plain["before"]) == (0, False, None)
    assert cost(SOUND)["cached"]
    larger = cost("  always_ff @(posedge aclk) d <= s_axis_tdata;")
    assert larger["resources"]["FF"] == 8
    assert larger["change"]["FF"] == 8
    assert larger["before"]["resources"] == plain["resources"]
    kept = json.loads(next((tmp_path / "out" / "synth" / "passes").glob("generic-*.json")).read_text())
    assert [run["resources"]["FF"] for run in kept["runs"]] == [0, 8]


@pytest.mark.parametrize("family", ["xc7", "xcup", "xcup-quick", "ice40", "ecp5", "generic"])
def test_every_family_counts_flip_flops(family, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "passes.toml").write_text(DESCRIPTION)
    text = "  always_ff @(posedge aclk) d <= s_axis_tdata * s_axis_tdata;"
    (tmp_path / "passes.sv").write_text(RTL.replace("@", text))
    found = json.loads(goldbeat("synth", "passes.toml", "--family", family, "--json").stdout)["resources"]
    # The lowest two bits of a square are known: bit 0 is that of the number, bit 1 is 0.
    assert found["FF"] in (7, 8) or found["DSP"] == 1
    assert found["LUT"] > 0 or found["DSP"] > 0
