# SPDX-License-Identifier: Apache-2.0
"""Position bytes are sent from the seed, stay in the stream, and their data do not count."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.compare import compare
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.sidebands import strobe_bits, strobe_lanes
from goldbeat.pymodels.stimulus import Clock, Stimulus
from goldbeat.pymodels.stock_models import StreamShape, repack
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.description import load_description
from goldbeat.tb.design.traffic import random_trace
from goldbeat.tb.run.runs import Request, run

RTL = Path(__file__).resolve().parent / "positions_rtl" / "strobes.sv"
CLOCK = Clock(1000, 1000)
KEEP, STROBE, DATA = (
    f"assign m_axis_{role}  = {name};"
    for role, name in (("tkeep", "keep_q"), ("tstrb", "strobe_q"), ("tdata", "data_q"))
)
WRONG = {
    "taken out": (KEEP, "assign m_axis_tkeep = keep_q & strobe_q;"),
    "made data": (STROBE, "assign m_axis_tstrb = keep_q;"),
}
DESCRIPTION = """\
name = "strobes"
top = "strobes"
files = ["strobes.sv"]
model = "identity"
compare_time = false
[[clocks]]
name = "aclk"
reset = "aresetn"
[[streams]]
name = "s_axis"
direction = "in"
signals = {in_}
[[streams]]
name = "m_axis"
direction = "out"
signals = {out}
[traffic]
keep = "any"
"""


def _design(folder, old="", new=""):
    text = RTL.read_text()
    assert old in text
    (folder / "strobes.sv").write_text(text.replace(old, new) if old else text)
    roles = ("tdata", "tkeep", "tstrb", "tlast", "tvalid", "tready")
    ports = ["{ " + ", ".join(f'{r} = "{p}_{r}"' for r in roles) + " }" for p in ("s_axis", "m_axis")]
    (folder / "strobes.toml").write_text(DESCRIPTION.format(in_=ports[0], out=ports[1]))
    return load_description(folder / "strobes.toml")


def _run(design, folder, seed=1, **options):
    (result,) = run(Request(design, design.case("random"), (seed,), **options), folder / "sim")
    return result


@pytest.mark.sim
def test_position_bytes_pass_through(tmp_path):
    design = _design(tmp_path)
    result = _run(design, tmp_path)
    assert result.passed, result.failures
    sent, got = (result.episodes[0].record.outcome.ports[name] for name in ("s_axis", "m_axis"))
    positions = sent.keep & ~sent.data_bytes
    assert 0.05 < positions.sum() / sent.keep.sum() < 0.25
    assert not (strobe_lanes(sent.tstrb, 4) & ~sent.keep).any()
    assert np.array_equal(sent.tstrb, got.tstrb)


@pytest.mark.sim
@pytest.mark.parametrize("name", WRONG)
def test_position_bytes_that_are_lost_are_found(name, tmp_path):
    result = _run(_design(tmp_path, *WRONG[name]), tmp_path)
    column = {"taken out": "keep", "made data": "tstrb"}[name]
    assert any(f"port m_axis, beat 0: {column} differs" in text for text in result.failures), result.failures


@pytest.mark.sim
def test_data_of_position_bytes_do_not_count(tmp_path):
    mask = "{{8{strobe_q[3]}}, {8{strobe_q[2]}}, {8{strobe_q[1]}}, {8{strobe_q[0]}}}"
    result = _run(_design(tmp_path, DATA, f"assign m_axis_tdata = data_q & {mask};"), tmp_path)
    assert result.passed, result.failures


def test_the_reference_back_end_refuses_strobes(tmp_path):
    with pytest.raises(UsageError, match="stream s_axis: TSTRB needs the native transactors"):
        _run(_design(tmp_path), tmp_path, transactors="cocotbext")


def _trace(positions=True):
    return random_trace(np.random.default_rng(3), 32, 50, CLOCK, keep="any", positions=positions)


def test_draws_of_ports_without_strobes_stay_as_they_were():
    plain, marked = _trace(positions=False), _trace()
    assert plain.tstrb is None
    for column in ("data", "keep", "last"):
        assert np.array_equal(getattr(plain, column), getattr(marked, column))


def test_strobes_as_numbers():
    mask = np.random.default_rng(1).integers(0, 2, (20, 37)).astype(np.bool_)
    assert np.array_equal(strobe_lanes(strobe_bits(mask), 37), mask)


def test_samples_and_comparisons_leave_position_bytes_out():
    trace = Trace.from_bytes([[1, 2, 3, 4]], keep=[[1, 1, 1, 0]], tstrb=[0b101], clock_ps=1000)
    other = Trace.from_bytes([[1, 9, 3, 4]], keep=[[1, 1, 1, 0]], tstrb=[0b101], clock_ps=1000)
    assert trace.samples("uint8").tolist() == [1, 3]
    assert trace.valid_bytes().tolist() == [2]
    assert trace.masked().data.tolist() == [[1, 0, 3, 0]]
    assert trace == other
    assert compare(trace, other).equal
    assert trace != Trace.from_bytes(trace.data, keep=trace.keep, tstrb=[0b111], clock_ps=1000)


def test_repacked_position_bytes_stay_what_they_are():
    trace = Trace.from_bytes([[1, 2, 3, 4]], keep=[[1, 1, 0, 1]], tstrb=[0b1001], last=[True], clock_ps=1000)
    roles = frozenset({"tdata", "tkeep", "tstrb", "tlast"})
    shapes = [StreamShape("s", "aclk", 32, roles)], [StreamShape("m", "aclk", 16, roles)]
    found = repack(*shapes, Stimulus({"s": trace}, clocks={"aclk": CLOCK}))["m"]
    assert found.data.tolist() == [[1, 2], [4, 0]]
    assert found.data_bytes.tolist() == [[True, False], [True, False]]
    assert found.keep.tolist() == [[True, True], [True, False]]
