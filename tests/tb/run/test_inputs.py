# SPDX-License-Identifier: Apache-2.0
"""Stimulus from files: for every case of every design the file's beats reach the port, or the run is refused."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels import plio_file
from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.description import load_description
from goldbeat.tb.regress.plan import make_plan
from goldbeat.tb.regress.suite import load_suite
from goldbeat.tb.run.inputs import file_ports, read_input
from goldbeat.tb.run.runs import Request, check_request, predict, run

DESIGNS = designs()
CASES = [
    pytest.param(d, c.name, id=f"{d.name}-{c.name}") for d in DESIGNS.values() for c in d.cases if c.lacks({}) is None
]
BEATS = 48


def _file(folder, port, beats=BEATS):
    path = folder / f"{port.name}.txt"
    data = np.random.default_rng(beats).integers(0, 256, (beats, int(port.width) // 8))
    last = np.arange(beats) == beats - 1
    # As a user has it: with gaps in its times.
    trace = Trace.from_bytes(data, last=last, cycle=np.arange(beats) * 13 // 10, clock_ps=4000)
    plio_file.write(path, trace, port.dtype or "int32")
    return path


def _inputs(design, params, folder, only=None):
    ports = file_ports(design, params)
    return {
        name: read_input(design, params, name, _file(folder, port), None).trace
        for name, port in ports.items()
        if only is None or name in only
    }


@pytest.mark.parametrize(("design", "name"), CASES)
def test_the_files_beats_reach_the_port_or_the_run_is_refused(design, name, tmp_path):
    case = design.case(name)
    params = design.params(case, {})
    inputs = _inputs(design, params, tmp_path)
    if not inputs:
        inputs = {b.name: Trace.empty(int(b.width), clock_ps=4000) for b in design.bundles(params)}
        inputs = inputs or {"s_axis": Trace.empty(32, clock_ps=4000)}
    request = Request(design, case, (1,), inputs=inputs)
    if not file_ports(design, params) or not case.inputs:
        with pytest.raises(UsageError) as refused:
            check_request(request)
        takers = [c.name for c in design.cases if c.inputs]
        assert not file_ports(design, params) or ", ".join(takers) in str(refused.value)
        return
    check_request(request)
    steps = predict(request, 1).steps
    assert any(stimulus.stop_ps is None for stimulus, _ in steps)
    for stimulus, expected in steps:
        # Walks over registers leave the streams alone.
        for port, given in () if stimulus.registers else inputs.items():
            offered, moved = stimulus.inputs[port], expected.ports[port]
            assert np.array_equal(offered.data, given.data)
            assert np.array_equal(offered.last, given.last)
            assert (offered.gaps >= given.gaps).all()
            assert np.array_equal(moved.data, given.data[: len(moved)])


@pytest.mark.sim
@pytest.mark.parametrize(
    ("name", "case"),
    [("axis_fifo", "sweep"), ("plio_port", "reset"), ("plio_pkt_merge", "random"), ("plio_fir", "sizes")],
)
def test_what_is_driven_is_the_file(name, case, tmp_path):
    design = DESIGNS[name]
    params = design.params(design.case(case), {})
    first = next(iter(file_ports(design, params)))
    inputs = _inputs(design, params, tmp_path, only=(first,))
    (result,) = run(Request(design, design.case(case), (2,), inputs=inputs), tmp_path / "sim")
    assert result.passed, result.failures[:2]
    whole = [e for e in result.episodes if e.stimulus.stop_ps is None]
    assert whole
    for episode in whole:
        driven = episode.record.outcome.ports[first]
        assert np.array_equal(driven.data, inputs[first].data)
        assert driven.clock_ps == inputs[first].clock_ps


DESCRIPTION = """
name = "fifo"
top = "fifo"
files = ["fifo.sv"]
model = "identity"
compare_time = false
[[clocks]]
name = "clk"
period_ps = 5000
[[streams]]
name = "din"
direction = "in"
clock = "clk"
width = 32
signals = { tdata = "d", tvalid = "v", tready = "r" }
[[streams]]
name = "dout"
direction = "out"
clock = "clk"
width = 32
[[registers]]
name = "ctl"
direction = "in"
clock = "clk"
[traffic]
kind = "random"
[[cases]]
name = "ctl_ram"
make = "ram:ctl"
[[cases]]
name = "fixed"
make = "cases.py:own"
inputs = false
[[cases]]
name = "mine"
make = "cases.py:own"
"""
OWN_CASES = """
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.trace import Trace
def own(setting):
    trace = Trace.from_bytes([[1, 2, 3, 4]], clock_ps=5000)
    return [Stimulus(inputs={"din": trace}, clocks=setting.clocks)] * 2
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "d.toml").write_text(DESCRIPTION)
    (tmp_path / "cases.py").write_text(OWN_CASES)
    return load_description(tmp_path / "d.toml")


def _untimed(folder, words=60):
    file = folder / "data.txt"
    file.write_text("".join(f"{i}\n" for i in range(words)))
    return file


def test_a_toml_description_takes_the_file_in_every_case_that_does_not_say_otherwise(own, tmp_path):
    given = {"din": read_input(own, {}, "din", _untimed(tmp_path), None).trace}
    # A file without times runs at the design's own clock.
    assert given["din"].clock_ps == 5000
    for case in ("random", "sweep", "sizes", "mine"):
        steps = predict(Request(own, own.case(case), inputs=given), 0).steps
        assert {len(s.inputs["din"]) for s, _ in steps} == {60}
        assert all(np.array_equal(s.inputs["din"].data, given["din"].data) for s, _ in steps)
    for case in ("ctl_ram", "fixed"):
        with pytest.raises(
            UsageError, match=r"cannot be driven from files; cases that can: sweep, random, sizes, mine"
        ):
            check_request(Request(own, own.case(case), inputs=given))


def test_the_files_clock_is_that_of_the_port(own, tmp_path):
    given = {"din": read_input(own, {}, "din", _untimed(tmp_path), 3000).trace}
    steps = predict(Request(own, own.case("random"), inputs=given), 0).steps
    assert steps[0][0].clocks["clk"].period_ps == 3000
    merge = DESIGNS["plio_pkt_merge"]
    both = {f"s_axis_{i}": Trace.from_bytes([[0] * 4], last=[True], clock_ps=4000 + 1000 * i) for i in range(2)}
    with pytest.raises(UsageError, match="share clock aclk"):
        check_request(Request(merge, merge.case("random"), inputs=both))


def test_a_file_that_the_port_cannot_carry_is_refused(own):
    beats = Trace.from_bytes([[0] * 4] * 2, clock_ps=5000, last=[False, True])
    with pytest.raises(UsageError, match="din has no TLAST, but beat 1"):
        check_request(Request(own, own.case("random"), inputs={"din": beats}))
    beats = Trace.from_bytes([[0] * 4] * 2, clock_ps=5000, keep=[[True] * 4, [True, True, False, False]])
    with pytest.raises(UsageError, match="din has no TKEEP, but beat 1"):
        check_request(Request(own, own.case("random"), inputs={"din": beats}))
    with pytest.raises(UsageError, match="port start of objfifo carries control"):
        check_request(Request(DESIGNS["objfifo"], DESIGNS["objfifo"].cases[0], inputs={"start": beats}))


def test_a_suite_leaves_out_what_a_pattern_finds_and_refuses_what_is_named(tmp_path):
    _untimed(tmp_path)
    suite = tmp_path / "s.toml"
    suite.write_text('[[run]]\ndesigns = ["plio_fir"]\ninputs = { s_axis = "data.txt" }\n')
    items = make_plan(load_suite(suite), tmp_path)
    assert {i.case for i in items} == {"filter", "random", "sweep", "sizes", "reset"}
    suite.write_text('[[run]]\ndesigns = ["plio_fir"]\ncases = ["rounding"]\ninputs = { s_axis = "data.txt" }\n')
    with pytest.raises(GoldbeatError, match="plio_fir/rounding takes no inputs; cases that do: filter, random"):
        make_plan(load_suite(suite), tmp_path)


def test_a_python_case_that_places_the_file_itself_keeps_its_gaps(tmp_path):
    design = DESIGNS["axis_fifo"]

    def make(setting):
        return [Stimulus({"s_axis": setting.inputs["s_axis"].with_gaps([7])}, clocks=setting.clocks)]

    own = design.model_copy(update={"cases": (Case(name="own", summary="", make=make),)})
    given = {"s_axis": Trace.from_bytes([[1, 2, 3, 4]], clock_ps=4000)}
    ((stimulus, expected),) = predict(Request(own, own.cases[0], inputs=given), 0).steps
    assert isinstance(expected, Outcome)
    assert stimulus.inputs["s_axis"].gaps.tolist() == [7]


def test_a_port_without_a_sample_type_says_so(tmp_path):
    design = DESIGNS["axis_fifo"]
    params = design.params(design.case("random"), {})
    port = file_ports(design, params)["s_axis"]
    path = tmp_path / "pairs.txt"
    path.write_text("1 2\n")
    assert port.dtype is None
    assert port.width == 32
    with pytest.raises(InputError) as refused:
        read_input(design, params, "s_axis", path, None)
    assert (refused.value.file, refused.value.line) == (path, 1)
    assert "int32 was assumed: set dtype" in str(refused.value)
