# SPDX-License-Identifier: Apache-2.0
"""Every design in RTL against its golden model: data, keep, last, sidebands, status and every cycle."""

from __future__ import annotations

import pytest
from together import check_together
from turns import TURNS, in_turn

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.run.runs import Request, run

DESIGNS = designs()


STREAMED = {
    name: design
    for name, design in sorted(DESIGNS.items())
    # Designs without streams have cases of their own.
    if any(case.name == "random" and "beats" in case.options for case in design.cases)
}
VARIANTS = [
    pytest.param(name, variant, id="-".join([name, *(f"{k}{v}" for k, v in variant.items())]))
    for name, design in STREAMED.items()
    for variant in design.variants
]
# What a case is about, if a file, is a test's own.
CASES = [
    (name, c.name, d.slow or c.slow) for name, d in sorted(DESIGNS.items()) for c in d.cases if c.lacks({}) is None
]
# A network in RTL has all of these in it.
PARTS = {"zynqnet_pe", "zynqnet_wcache", "zynqnet_icache", "zynqnet_ocache", "zynqnet_gpool"}
QUICK = [
    pytest.param(name, marks=[pytest.mark.slow] * (name in PARTS))
    for name in sorted({name for name, _, slow in CASES if not slow})
]
SLOW_CASES = [pytest.param(name, case, id=f"{name}-{case}") for name, case, slow in CASES if slow]
SEEDS = range(1000, 1200)
CORNERS = ("sweep", "sizes", "reset")


def _quick_cases(name):
    """Every case that is not slow, and random traffic of ten seeds."""
    wanted = [(case, 3, {}) for design, case, slow in CASES if design == name and not slow]
    if name in STREAMED:
        beats = {"beats": 50} if "beats" in STREAMED[name].case("random").options else {}
        wanted += [("random", seed, beats) for seed in range(10)]
    return wanted


def _run(name, case, seeds, params, tmp_path, **options):
    design = DESIGNS[name]
    results = run(Request(design, design.case(case), seeds, params, options), tmp_path)
    assert len(results) == len(seeds)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _, slow in CASES if not slow}))
def test_every_variant_has_episodes_of_every_quick_case(name):
    """As ``mutate`` and suites with variants ask for them."""
    for variant in DESIGNS[name].variants:
        for case in [case for design, case, slow in CASES if design == name and not slow]:
            request = Request(DESIGNS[name], DESIGNS[name].case(case), (0,), variant)
            assert list(request.case.make(request.setting(0))), (variant, case)


@pytest.mark.sim
@pytest.mark.parametrize("name", QUICK)
def test_quick_cases_in_as_few_simulators_as_it_takes(name):
    assert min(check_together(DESIGNS[name], _quick_cases(name)).values()) > 0


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), SLOW_CASES)
def test_slow_case(name, case, tmp_path):
    assert _run(name, case, [3], {}, tmp_path) > 0


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_every_variant_on_many_seeds_and_its_corners(name, variant, tmp_path):
    """In one test: the shorter runs take the simulator of the longest."""
    assert _run(name, "random", in_turn(SEEDS), variant, tmp_path) > len(SEEDS) // TURNS
    for case in CORNERS:
        # A queue that is never full would be partial.
        full = {"fill": 256} if "DEPTH" in variant and case == "sweep" else {}
        assert _run(name, case, [11, 12], variant, tmp_path, **full) > 0
