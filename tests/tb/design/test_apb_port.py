# SPDX-License-Identifier: Apache-2.0
"""APB slaves of a user: right ones pass under every traffic, each wrong one fails by port and by the name of what is wrong."""

from __future__ import annotations

import json
import re

import pytest
from insim import run_inside
from typer.testing import CliRunner

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.tb.cli import app
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.ports.apb import ApbPort
from goldbeat.tb.paths import REPOSITORY
from goldbeat.tb.run.runs import Request, run

KERNEL = REPOSITORY / "tests" / "tb" / "kernel"
RTL = KERNEL / "registers_rtl"
RIGHT = (0, 1, 2, 8, 9)
# What a failure of each wrong slave must begin with, behind the number of its episode; {} is the port.
NAMES = {
    3: "apb_no_answer: {}: access ",
    4: "apb_no_answer: {}: access ",
    5: "{}: access ",
    6: "{}: access ",
    7: "{}: access ",
    10: "{}: access ",
}
MODES = """\
name = "apb_modes"
top = "apb_modes"
files = ["{rtl}/apb_modes.sv"]
model = "identity"
compare_time = false
parameters = {{ N = 11 }}
ready_bound = {bound}
[[clocks]]
name = "pclk"
reset = "presetn"
[[registers]]
bus = "apb"
name = "s_apb"
clock = "pclk"
lanes = "N"
address_width = 8
storage = [{{ words = 16 }}]
"""


def _design(folder, bound=100):
    (folder / "modes.toml").write_text(MODES.format(rtl=RTL, bound=bound))
    return load_description(folder / "modes.toml")


def goldbeat(*words):
    return CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False, env={"COLUMNS": "150"})


@pytest.mark.slow
@pytest.mark.sim
def test_sweep_names_what_is_wrong_with_a_slave(tmp_path):
    design = _design(tmp_path, bound=20)
    (result,) = run(Request(design, design.case("sweep")), tmp_path / "run")
    texts = [f.partition(": ")[2] for f in result.failures]
    for number in RIGHT:
        assert not [t for t in texts if f"s_apb_{number}:" in t or f"s_apb_{number}," in t], texts
    for number, begin in NAMES.items():
        assert any(t.startswith(begin.format(f"s_apb_{number}")) for t in texts), (number, texts)
    assert any("s_apb_7: access " in t and t.endswith("expected OKAY, got an error response") for t in texts)
    hangs = [text for e in result.episodes for text in e.record.hanging]
    assert any(text.startswith("s_apb_3: access ") and text.endswith(": penable without pready") for text in hangs)
    # What is allowed and may still be wrong.
    late, early = sorted(result.warnings, reverse=True)
    assert late.startswith("apb_slverr_early: s_apb_8, cycle ")
    assert early.startswith("apb_ready_late: s_apb_9, cycle ")
    assert ": 30 wait states, access " in early


@pytest.mark.sim
def test_a_warning_can_be_waived(tmp_path):
    design = replace_waive(_design(tmp_path), ("apb_slverr_early:s_apb",))
    (result,) = run(Request(design, design.case("sweep"), params={"N": 3}), tmp_path / "run")
    assert result.passed, result.failures
    assert result.warnings == ()
    assert result.waived == {"apb_slverr_early:s_apb": 0}
    assert result.compared > 100


def replace_waive(design, waive):
    return design.model_copy(update={"waive": waive})


@pytest.mark.slow
@pytest.mark.sim
def test_the_reference_back_end_makes_the_accesses_too(tmp_path):
    design = _design(tmp_path)
    request = Request(design, design.case("sweep"), params={"N": 3}, transactors="cocotbext")
    (result,) = run(request, tmp_path / "run")
    assert result.passed, result.failures
    for number in range(3):
        programs = [e.stimulus.program.get(f"s_apb_{number}", ()) for e in result.episodes]
        strobes = {access.strobe for program in programs for access in program if access.op == "write"}
        assert strobes == set(range(16))


def test_the_bus_does_what_it_can_of_a_traffic():
    port = ApbPort(name="s_apb")
    asked = RegisterTraffic("any", gap=3, outstanding=4, b_ready="random:0.5", seed=9, rest=5)
    assert port.fitting(asked) == RegisterTraffic(gap=3, seed=9, rest=5)
    assert (port.strobes, port.has("pprot")) == (True, False)
    levels = {"psel": 1, "penable": 1}
    assert port.waits(reads=True, level=levels.__getitem__) == "penable without pready"
    assert port.waits(reads=True, level={**levels, "penable": 0}.__getitem__) == "psel without penable"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("data_width = 64", "data_width: found 64, expected 8, 16 or 32"),
        ('signals = { psel = "s" }', "signals: APB lacks penable, paddr, pwrite, pwdata, prdata"),
        ('signals = { tdata = "s" }', "signals: unknown role 'tdata'; known: psel, penable"),
    ],
)
def test_mistakes_in_a_description(tmp_path, line, message):
    (tmp_path / "d.toml").write_text(MODES.format(rtl=RTL, bound=1) + f"{line}\n")
    with pytest.raises(UsageError, match=message):
        load_description(tmp_path / "d.toml")


@pytest.mark.parametrize("bus", ["ahb", "axis"])
def test_an_unknown_bus_is_refused_with_its_line(tmp_path, bus):
    (tmp_path / "d.toml").write_text(MODES.format(rtl=RTL, bound=1).replace('bus = "apb"', f'bus = "{bus}"'))
    known = rf"found '{bus}', expected file.py:Class or one of apb, avalon, axil"
    with pytest.raises(UsageError, match=rf"d.toml:\d+: registers\[0\]: bus: {known}"):
        load_description(tmp_path / "d.toml")


def test_probe_recognises_it():
    said = goldbeat("probe", RTL / "apb_modes.sv", "-G", "N=3", "--json")
    (port,) = json.loads(said.stdout)["registers"]
    assert (port["bus"], port["name"], port["lanes"], port["address_width"]) == ("apb", "s_apb", "N", 8)
    said = goldbeat("probe", RTL / "apb_bare.sv")
    assert "APB" in said.stdout
    assert "16 bit, address 8" in said.stdout
    assert "psel penable paddr pwrite pwdata prdata" in said.stdout


def test_slaves_that_share_their_signals_are_not_guessed(tmp_path):
    text = (RTL / "apb_bare.sv").read_text().replace("logic        PSEL,", "logic [3:0]  PSEL,")
    (tmp_path / "apb_bare.sv").write_text(text)
    said = goldbeat("probe", tmp_path / "apb_bare.sv", "--json")
    found = json.loads(said.stdout)
    assert found["registers"] == []
    assert "PSEL has 4 bits, pwrite has 1: slaves that share signals need a wrapper that decodes them" in "".join(
        found["notes"]
    )


@pytest.mark.sim
def test_a_new_bench_of_an_apb_slave_runs(tmp_path):
    said = goldbeat("new", tmp_path / "bench", RTL / "apb_bare.sv")
    assert said.exit_code == 0, said.output
    # Register programs check themselves: no port is left for a model.
    model = tmp_path / "bench" / "model.py"
    model.write_text(re.sub(r"raise UnwrittenModelError\(.*\)", "return Outcome({})", model.read_text()))
    text = (tmp_path / "bench" / "apb_bare.toml").read_text()
    assert 'bus = "apb"' in text
    # Eight words; APB3 has no strobes.
    design = load_description(tmp_path / "bench" / "apb_bare.toml")
    options = {"bytes": 16, "accesses": 60}
    (result,) = run(Request(design, design.case("ram"), options=options), tmp_path / "run")
    assert result.passed, result.failures
    assert {a.strobe for e in result.episodes for a in e.stimulus.program["apb"] if a.op == "write"} == {3}


@pytest.mark.sim
def test_every_rule_of_a_master_is_caught_by_name(tmp_path):
    run_inside("inside_apb_rules", "apb", tmp_path, sources=[KERNEL / "apb.sv"])
