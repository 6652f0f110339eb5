# SPDX-License-Identifier: Apache-2.0
"""Registers without reset: every case begins with initial values of its own seed, whatever its process ran before."""

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.stimulus import Outcome, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.build.described import describe_renewal
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.regress.fingerprint import trace_hash
from goldbeat.tb.run.runs import Request, run

SEEDS = range(12)


def _make(setting):
    data = np.random.default_rng(setting.seed).integers(0, 256, (6, 1), np.uint8)
    trace = Trace.from_bytes(data, cycle=np.arange(6), clock_ps=4000, offset_ps=4000)
    return [Stimulus({"s_axis": trace}, clocks=setting.clocks)] * 2


def _model(params, stimulus):
    given = stimulus.inputs["s_axis"]
    return Outcome({"s_axis": given, "m_axis": given})


def _design(*, delayed):
    plain = {role: f"{{}}_{role}" for role in ("tdata", "tvalid", "tready")}
    ports = (("s_axis", "in"), ("m_axis", "out"))
    return Design(
        name="unreset_delayed" if delayed else "unreset",
        summary="registers without reset",
        top="unreset",
        files=("unreset.sv",),
        root=Path(__file__).parent / "initial",
        defines={"DELAYED": ""} if delayed else {},
        flags=("--timing",) if delayed else (),
        streams=tuple(
            StreamPort(name=name, direction=way, width=8, signals={r: p.format(name) for r, p in plain.items()})
            for name, way in ports
        ),
        model=_model,
        timed=False,
        cases=(Case(name="random", summary="a few beats", make=_make),),
    )


def _facts(result):
    return result.passed, trace_hash(e.record for e in result.episodes)


@pytest.mark.sim
@pytest.mark.parametrize(
    "delayed", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["put_back", "process_each"]
)
def test_a_seed_gives_the_same_alone_and_behind_others(delayed, tmp_path):
    design = _design(delayed=delayed)
    together = run(Request(design, design.cases[0], tuple(SEEDS)), tmp_path / "together")
    verdicts = [r.passed for r in together]
    # About one seed in eight starts with the value that shows the fault.
    assert 0 < verdicts.count(False) < len(verdicts) // 2
    chosen = [verdicts.index(False), verdicts.index(True, verdicts.index(False) + 1)]
    for seed in chosen:
        (alone,) = run(Request(design, design.cases[0], (seed,)), tmp_path / f"alone-{seed}")
        assert _facts(alone) == _facts(together[seed])
    # What an episode leaves is there in the next one: only the first begins anew.
    wrong = together[chosen[0]]
    assert [bool(e.verdict.failures) for e in wrong.episodes] == [True, False]


def test_models_that_keep_something_are_not_put_back():
    source = "No delays in the design"
    symbols = "    bool __Vm_didInit = false;\n    Vtop___024root                 TOP;\n    Vtop_part TOP__a;\n"
    classes = (
        "    Vtop___024root___ctor_var_reset(this);\n    Vtop_part___ctor_var_reset(this);\n"
        "    Vtop_part___ctor_var_reset_1(this);\n"
    )
    text = describe_renewal(source, symbols, classes)
    assert "#define GOLDBEAT_RENEWABLE 1" in text
    for call in ("Vtop___024root___ctor_var_reset(&all.TOP)", "Vtop_part___ctor_var_reset_1(&all.TOP__a)"):
        assert call in text
    assert describe_renewal("", symbols, classes) == ""
    assert describe_renewal(source, "", classes) == ""
    for member in ("    VlQueue<IData> queue;\n", "    std::string text;\n", "    VlClassRef<Vtop_x> one;\n"):
        assert describe_renewal(source, symbols, classes + member) == ""
