# SPDX-License-Identifier: Apache-2.0
"""Waivers of protocol rules in descriptions, on the command line and in suites, and in what they report."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from commands import invoke
from typer.testing import CliRunner

from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.runs import Request, run

# All data come through in order, but a valid that waits falls every other cycle.
RTL = """
module blinker (
  input wire clk, input wire rst,
  input wire [31:0] s_tdata, input wire s_tlast, input wire s_tvalid, output wire s_tready,
  output reg [31:0] m_tdata, output reg m_tlast, output wire m_tvalid, input wire m_tready
);
  reg full, hide;
  assign m_tvalid = full && !hide;
  assign s_tready = !full || (m_tvalid && m_tready);
  always @(posedge clk) begin
    hide <= m_tvalid && !m_tready;
    if (s_tready) begin
      full <= s_tvalid;
      m_tdata <= s_tdata;
      m_tlast <= s_tlast;
    end
    if (rst) begin
      full <= 0;
      hide <= 0;
    end
  end
endmodule
"""
DESCRIPTION = """
name = "blinker"
top = "blinker"
files = ["blinker.sv"]
model = "identity"
compare_time = false
{waive}
[[clocks]]
name = "clk"
reset = "rst"
active_high = true
[[streams]]
name = "s"
direction = "in"
clock = "clk"
signals = {{ tdata = "s_tdata", tlast = "s_tlast", tvalid = "s_tvalid", tready = "s_tready" }}
[[streams]]
name = "m"
direction = "out"
clock = "clk"
signals = {{ tdata = "m_tdata", tlast = "m_tlast", tvalid = "m_tvalid", tready = "m_tready" }}
[traffic]
kind = "random"
"""
READY = ("--set", "ready=random:0.3")


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Runs go to a folder of the test's own; simulators stay in the common cache."""
    common, own = build_root(), tmp_path / "build"
    own.mkdir()
    for shared in ("sim", "runtime"):
        (common / shared).mkdir(parents=True, exist_ok=True)
        (own / shared).symlink_to((common / shared).resolve())
    monkeypatch.setenv("GOLDBEAT_BUILD", str(own))
    return own


def _description(folder, waive=""):
    (folder / "blinker.sv").write_text(RTL)
    path = folder / f"d{len(waive)}.toml"
    path.write_text(DESCRIPTION.format(waive=waive))
    return path


@pytest.mark.sim
def test_on_the_command_line(build, tmp_path):
    path = _description(tmp_path)
    done = invoke("run", path, *READY)
    assert done.exit_code == 1
    assert "axis_valid_held: m, cycle" in done.output
    assert (
        "a rule that the design breaks on purpose is waived with --waive RULE:PORT: axis_valid_held:m\n" in done.output
    )
    done = invoke("run", path, *READY, "--waive", "axis_valid_held:m", "--waive", "axi_cache", "--seeds", 2)
    assert done.exit_code == 0, done.output
    report = json.loads((build / "runs" / "blinker-random" / "report.json").read_text())
    assert report["status"] == "pass"
    assert report["waived"]["axis_valid_held:m"] > 10
    assert f"waived: axis_valid_held:m, {report['waived']['axis_valid_held:m']} violation(s)" in done.output
    assert report["waived"]["axi_cache"] == 0
    assert "waived: axi_cache, but nothing broke it: remove the waiver" in done.output
    assert "--waive axis_valid_held:m --waive axi_cache" in report["repeat"]
    done = invoke("run", path, *READY, "--waive", "axis_payload_stable", "--waive", "axis_valid_held:s")
    assert done.exit_code == 1
    assert "waived: axis_valid_held:s, but nothing broke it" in done.output


@pytest.mark.parametrize(
    ("waiver", "said"),
    [
        ("axis_valid_hold", "unknown rule 'axis_valid_hold'; close: axis_valid_held"),
        ("axis_valid_held:mm", "unknown port 'mm'; known: s, m"),
    ],
)
def test_unknown_names_are_refused(build, tmp_path, waiver, said):
    for waive, words in (("", ("--waive", waiver)), (f'waive = ["{waiver}"]', ())):
        done = CliRunner().invoke(app, ["run", str(_description(tmp_path, waive)), *words])
        assert said in (done.output + str(done.exception))
        assert done.exit_code != 0


@pytest.mark.sim
@pytest.mark.parametrize("transactors", ["native", "cocotbext"])
def test_in_a_description(tmp_path, transactors):
    design = load_description(_description(tmp_path, 'waive = ["axis_valid_held:m"]'))
    options = {"ready": "random:0.3"}
    (result,) = run(Request(design, design.case("random"), options=options, transactors=transactors), tmp_path / "run")
    assert result.passed, result.failures
    assert result.waived["axis_valid_held:m"] > 5


@pytest.mark.sim
def test_in_a_suite(build, tmp_path):
    path, suite = _description(tmp_path), tmp_path / "s.toml"
    entry = f'[[run]]\ndesigns = ["{path.name}"]\ncases = ["random"]\noptions = {{ ready = "random:0.3" }}\n'
    suite.write_text(entry + 'waive = ["axis_valid_held:m", "axis_payload_stable"]\n')
    done = invoke("regress", suite, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert "blinker: waived: axis_payload_stable, but nothing broke it: remove the waiver" in done.output
    (junit,) = build.rglob("junit.xml")
    properties = {p.get("name"): p.get("value") for p in ET.parse(junit).getroot().iter("property")}
    count = int(properties["waived axis_valid_held:m"])
    assert count > 0
    assert f"blinker: waived: axis_valid_held:m, {count} violation(s)" in done.output
    report = json.loads(junit.with_name("report.json").read_text())
    assert report["waived"] == {"blinker: axis_valid_held:m": count, "blinker: axis_payload_stable": 0}
    assert report["cases"][0]["waived"]["axis_valid_held:m"] == count
    assert f"axis_valid_held:m, {count} violation(s)" in junit.with_name("index.html").read_text()
    suite.write_text(entry + 'waive = ["axis_held"]\n')
    done = CliRunner().invoke(app, ["regress", str(suite)])
    assert "unknown rule 'axis_held'" in (done.output + str(done.exception))
