# SPDX-License-Identifier: Apache-2.0
"""Two back ends, one truth: the native transactors and cocotbext-axi's give the same records, cycle by cycle."""

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.axis.async_fifo import predict as async_fifo
from goldbeat.pymodels.pattern import Pattern
from goldbeat.pymodels.stimulus import Access, Clock, Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.simulator import QUICK as QUICK_BUILD
from goldbeat.tb.build.simulator import build
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.catalog import designs
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.parameter import ClockPort, Parameter
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.design.traffic import random_trace
from goldbeat.tb.inside.job import BACKENDS, Episode
from goldbeat.tb.paths import HDL, REPOSITORY
from goldbeat.tb.run.runs import Request, SeedPlan, run
from goldbeat.tb.run.simulate import simulate

KERNEL = REPOSITORY / "tests" / "tb" / "kernel"
# cocotbext-axi knows no AXI4 memory of ours.
DESIGNS = {name: design for name, design in designs().items() if not design.memories}
NAMES = sorted(DESIGNS)
QUICK = ("plio_fir",)

pytestmark = pytest.mark.sim


def _records(design, params, episodes, folder, seed=0):
    built = build(design, params, quick=QUICK_BUILD)
    found = []
    for backend in BACKENDS:
        place = folder / backend
        place.mkdir(parents=True)
        result = simulate(design, params, built, episodes, place, seed=seed, transactors=backend)
        assert result.failure is None, result.failure
        found.append(result.records)
    return found


def _compare(name, case, seeds, folder, variant=None):
    design = DESIGNS[name]
    request = Request(design, design.case(case), seeds, variant or {})
    params = request.all_params
    stimuli = [s for seed in seeds for s in request.case.make(request.setting(seed))]
    episodes = SeedPlan(0, tuple((s, design.model(params, s)) for s in stimuli)).episodes(design)
    native, cocotbext = _records(design, params, episodes, folder)
    assert len(native) == len(episodes)
    beats = 0
    for i, (ours, theirs) in enumerate(zip(native, cocotbext, strict=True)):
        assert ours == theirs, f"episode {i}"
        for port, trace in ours.outcome.ports.items():
            # Bytes that TKEEP leaves out do not count as differences; here they do.
            assert np.array_equal(trace.data, theirs.outcome.ports[port].data), f"episode {i}, {port}"
            beats += len(trace)
    assert beats or any(r.accesses for r in native)


@pytest.mark.parametrize("name", QUICK)
def test_the_same_records(name, tmp_path):
    _compare(name, "random", [5, 6], tmp_path)


@pytest.mark.parametrize("case", ["sweep", "reset"])
def test_the_same_records_in_every_pattern(case, tmp_path):
    _compare("axis_async_fifo", case, [7], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_same_records_with_many_seeds_and_in_every_variant(name, tmp_path):
    for case in sorted({"random", "sweep", "reset"} & {case.name for case in DESIGNS[name].cases}):
        _compare(name, case, range(100, 140 if case == "random" else 104), tmp_path / case)
    for i, variant in enumerate(DESIGNS[name].variants):
        _compare(name, "random", range(200, 210), tmp_path / str(i), variant)


# -- three clocks -----------------------------------------------------------------------------------------------------


def _three_model(params, stimulus):
    """Two FIFOs side by side, each as its own model predicts it."""
    ports = {}
    for name, s_clock, m_clock in (("ab", "a_clk", "b_clk"), ("bc", "b_clk", "c_clk")):
        part = Stimulus(
            inputs={"s_axis": stimulus.inputs[f"{name}_in"]},
            ready={"m_axis": stimulus.pattern(f"{name}_out")},
            clocks={"s_aclk": stimulus.clocks[s_clock], "m_aclk": stimulus.clocks[m_clock]},
        )
        found = async_fifo({"DEPTH": params["DEPTH"], "DATA_W": params["W"]}, part)
        ports |= {f"{name}_in": found.ports["s_axis"], f"{name}_out": found.ports["m_axis"]}
    return Outcome(ports)


def _three_stimuli(setting):
    rng = np.random.default_rng(setting.seed)
    stimuli = []
    for _ in range(6):
        periods = 2 * rng.integers(400, 6000, 3)
        clocks = {n: Clock(int(p), int(rng.integers(1, p + 1))) for n, p in zip(setting.clocks, periods, strict=True)}
        inputs, ready = {}, {}
        for name, clock in (("ab", "a_clk"), ("bc", "b_clk")):
            kinds = ["none", "random:0.4", "bursty:9"]
            gaps, pattern = str(rng.choice(kinds)), str(rng.choice([*kinds, "after-valid", "after-valid:5"]))
            trace = random_trace(rng, 32, 150, clocks[clock])
            inputs[f"{name}_in"] = trace.with_gaps(Pattern.parse(gaps, seed=int(rng.integers(99))).gaps(150))
            ready[f"{name}_out"] = Pattern.parse(pattern, seed=int(rng.integers(99)))
        stimuli.append(Stimulus(inputs=inputs, ready=ready, clocks=clocks))
    return stimuli


THREE = Design(
    name="three_clocks",
    summary="",
    top="three_clocks",
    files=(
        str(HDL / "axis" / "axis_async_fifo.f"),
        "three_clocks.sv",
    ),
    root=KERNEL,
    parameters={"W": Parameter(default=32), "DEPTH": Parameter(default=8)},
    clocks=tuple(
        ClockPort(name=f"{c}_clk", reset=f"{c}_rstn", period_ps=p)
        for c, p in zip("abc", (4000, 3334, 1250), strict=True)
    ),
    streams=(
        StreamPort(name="ab_in", direction="in", clock="a_clk"),
        StreamPort(name="ab_out", direction="out", clock="b_clk"),
        StreamPort(name="bc_in", direction="in", clock="b_clk"),
        StreamPort(name="bc_out", direction="out", clock="c_clk"),
    ),
    model=_three_model,
    cases=(Case(name="random", summary="", make=_three_stimuli),),
)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["native", pytest.param("cocotbext", marks=pytest.mark.slow)])
def test_three_clocks_without_a_common_period(backend, tmp_path):
    request = Request(THREE, THREE.cases[0], range(4), transactors=backend)
    for result in run(request, tmp_path):
        assert result.passed, result.failures[:2]
        assert result.compared > 6 * 250


# -- hangs ------------------------------------------------------------------------------------------------------------


STUCK = Design(
    name="stuck",
    summary="",
    top="stuck",
    files=("stuck.sv",),
    root=KERNEL,
    streams=tuple(
        StreamPort(name=n, direction=d, signals={r: f"{n}_{r}" for r in ("tdata", "tvalid", "tready")})
        for n, d in (("s_axis", "in"), ("m_axis", "out"))
    ),
    registers=(LitePort(name="s_axil"),),
    model=lambda params, stimulus: Outcome({}),
    cases=(),
)


@pytest.mark.slow
def test_a_hang_ends_with_a_report(tmp_path):
    clocks = {"aclk": Clock(1000, 1000)}
    words = np.arange(40, dtype=np.uint8).reshape(10, 4)
    plain = Stimulus(inputs={"s_axis": Trace.from_bytes(words, clock_ps=1000)}, clocks=clocks)
    reads = (Access("read", 0, 0x57), Access("read", 8), Access("read", 0))
    stimuli = [
        plain,
        replace(plain, program={"s_axil": reads}),
        replace(plain, after={"s_axil": (Access("write", 4, 1), Access("read", 0))}),
        replace(plain, after={"s_axil": (Access("read", 0),)}),
    ]
    native, cocotbext = _records(STUCK, {}, [Episode(s, 60_500) for s in stimuli], tmp_path)
    assert native == cocotbext
    stream = (
        "s_axis: tvalid without tready since cycle 5, 4 beats transferred, the last ones "
        "0x07060504 in cycle 2, 0x0b0a0908 in cycle 3, 0x0f0e0d0c in cycle 4"
    )
    assert native[0].hanging == (stream,)
    assert native[0].violations == ()
    assert native[1].violations == ("axil_no_answer: s_axil: access 1 (read 0x008) got no answer in 10000 cycles",)
    assert native[1].hanging[1] == "s_axil: access 1 (read 0x008): arvalid without arready"
    assert [a.value for a in native[1].accesses["s_axil"]] == [0x57]
    assert native[2].hanging[1] == "s_axil: access 0 (write 0x004): awvalid without awready, wvalid without wready"
    assert native[2].accesses["s_axil"] == ()
    # The episodes after it run as if nothing had been.
    assert native[3].violations == ()
    assert [a.value for a in native[3].accesses["s_axil"]] == [0x57]
    assert native[3].accesses["s_axil"][0].cycle is not None
