# SPDX-License-Identifier: Apache-2.0
"""A broken protocol rule fails a user's cocotb test unless it is waived, and waivers are refused or reported."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.kernel.rules import RULES
from goldbeat.tb.kernel.waivers import Waiver, accepted_by, check_ports, parse_waivers, sift, split, waived
from goldbeat.tb.paths import REPOSITORY, build_root

HERE = Path(__file__).resolve().parent

RUN = """
import sys
from goldbeat.tb.build.runner import GoldbeatVerilator
runner = GoldbeatVerilator(waive=sys.argv[1:])
runner.build(sources=[{source!r}], hdl_toplevel="slice")
runner.test(hdl_toplevel="slice", test_module="inside_verdict", seed=1)
"""


def _run(folder, *waive):
    """Run inside_verdict.py with cocotb's own runner; the failures by test, and everything printed."""
    (folder / "run.py").write_text(RUN.format(source=str(HERE / "slice.sv")))
    path = os.pathsep.join([str(REPOSITORY), str(HERE)])
    environment = {**os.environ, "PYTHONPATH": path, "COCOTB_ANSI_OUTPUT": "0", "GOLDBEAT_BUILD": str(build_root())}
    del environment["PYTEST_CURRENT_TEST"]
    done = subprocess.run(
        [sys.executable, "run.py", *waive],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    results = folder / "sim_build" / "results.xml"
    if not results.is_file():
        return {}, done.stdout + done.stderr
    found = {}
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        failure = case.find("failure") if case.find("failure") is not None else case.find("error")
        found[case.get("name")] = None if failure is None else failure.get("message") or failure.get("error_msg") or ""
    return found, done.stdout + done.stderr


@pytest.mark.sim
def test_a_broken_rule_fails_the_test_unless_it_is_waived(tmp_path):
    found, output = _run(tmp_path)
    passed = {name for name, failure in found.items() if failure is None}
    assert passed == {
        "broken_and_waived",
        "broken_and_waived_on_every_port",
        "broken_but_not_judged",
        "broken_as_expected",
        "sound",
    }, output[-4000:]
    for name in ("broken", "broken_on_cocotbs_clock", "broken_before_a_reset", "broken_before_another_kernel"):
        assert re.search(r"^1\d broken protocol rule\(s\)", found[name]), found[name]
        assert "axis_valid_held: m_axis, cycle" in found[name]
        assert "is waived: Kernel(dut, waive=[...]) with axis_valid_held:m_axis" in found[name]
    assert "unknown port 'maxis'; known: s_axis, m_axis" in found["a_waiver_of_no_port"]
    assert "unknown rule 'axis_held'" in found["a_waiver_of_no_rule"]
    assert re.search(r"waived: axis_valid_held:m_axis, 1\d violation\(s\)", output)
    assert "waived: axis_payload_stable, but nothing broke it: remove the waiver" in output


@pytest.mark.sim
def test_the_runner_waives_for_every_test(tmp_path):
    found, output = _run(tmp_path, "axis_valid_held:m_axis")
    failed = {name for name, failure in found.items() if failure is not None}
    # A test that expects to fail does not.
    assert failed == {"a_waiver_of_no_port", "a_waiver_of_no_rule", "broken_as_expected"}, output[-4000:]


@pytest.mark.sim
def test_the_runner_refuses_an_unknown_rule(tmp_path):
    _, output = _run(tmp_path, "axis_held")
    assert "unknown rule 'axis_held'; close: axis_valid_held" in output


def test_waivers_are_of_a_rule_and_a_port():
    held, all_ports, lane = parse_waivers(["axis_valid_held:m_axis", "axi_cache", "axis_valid_held:s_axis"])
    assert (held, all_ports) == (Waiver("axis_valid_held", "m_axis"), Waiver("axi_cache"))
    assert held.fits("axis_valid_held: m_axis, cycle 4: tvalid fell without a transfer")
    assert not held.fits("axis_valid_held: m_axis2, cycle 4: tvalid fell without a transfer")
    assert not held.fits("axis_payload_stable: m_axis, cycle 4: payload changed")
    assert lane.fits("axis_valid_held: s_axis_2, cycle 4: tvalid fell without a transfer")
    assert parse_waivers(["axi_cache", "axi_cache"]) == (all_ports,)
    violations = ("axi_cache: mem, cycle 1: x", "axi_cache: mem, cycle 2: x", "axi_size: mem, cycle 2: x")
    kept, counts = sift(violations, (all_ports, held))
    assert kept == violations[2:]
    assert counts == {"axi_cache": 2, "axis_valid_held:m_axis": 0}
    assert [waived(*item) for item in counts.items()] == [
        "waived: axi_cache, 2 violation(s)",
        "waived: axis_valid_held:m_axis, but nothing broke it: remove the waiver",
    ]


def test_a_failing_run_names_what_would_accept_it():
    """Every rule by its own port, with the episode before it or not; nothing of what is no rule."""
    told = [
        f"episode 3 (cut off by a reset): {rule}: s_axi_{n % 2}, cycle 8: text: more" for n, rule in enumerate(RULES)
    ]
    assert all(
        accepted_by([text]) == f"{rule}:s_axi_{n % 2}" for n, (text, rule) in enumerate(zip(told, RULES, strict=True))
    )
    assert accepted_by([*told[:1], "axi_cache: m, cycle 1: x", "axi_cache: m, cycle 2: x"]).endswith(", axi_cache:m")
    assert accepted_by(told).endswith(f"and {len(RULES) - 4} more")
    assert accepted_by(["axil_no_answer: s: access 1", "episode 0: port m: beat 3: data differ"]) == ""


@pytest.mark.parametrize("text", ["axi_cash", "", ":m_axis", "axi_cache:"])
def test_a_waiver_that_says_nothing_is_refused(text):
    with pytest.raises(UsageError, match="waiver"):
        parse_waivers([text])
    with pytest.raises(UsageError, match="unknown port 'x'; known: a, b"):
        check_ports(parse_waivers(["axi_cache:x"]), ["a", "b", "a"])


def test_a_valid_in_reset_is_a_warning_where_no_standard_names_it() -> None:
    found = [f"axis_valid_in_reset: {name}, cycle -4: tvalid is high after 4 edges in reset" for name in ("out", "m")]
    other = "axis_valid_held: out, cycle 3: tvalid fell"
    assert split([*found, other], {"out"}) == ((found[1], other), (found[0],))
    pins = {"tvalid": "out_valid", "tdata": "out_data"}
    named = [
        StreamPort(name="out", direction="out", clock="clk", width=8, signals=pins | more)
        for more in ({}, {"tvalid": "out_TVALID"})
    ]
    assert [port.standard for port in named] == [False, True]
