# SPDX-License-Identifier: Apache-2.0
"""Every design in RTL against its golden model: data, keep, last, sidebands, status and every cycle."""

from __future__ import annotations

import pytest

from goldbeat.tb.design.catalog import designs
from goldbeat.tb.run.runs import Request, run

DESIGNS = designs()


def _marks(heavy):
    return [pytest.mark.slow] if heavy else []


VARIANTS = [
    pytest.param(
        name,
        variant,
        id="-".join([name, *(f"{k}{v}" for k, v in variant.items())]),
        marks=_marks(design.slow or any(k in design.slow_parameters for k in variant)),
    )
    for name, design in sorted(DESIGNS.items())
    # Designs without streams have cases of their own.
    if any(case.name == "random" and "beats" in case.options for case in design.cases)
    for variant in design.variants
]
CASES = [
    pytest.param(n, c.name, id=f"{n}-{c.name}", marks=_marks(d.slow or c.slow))
    for n, d in sorted(DESIGNS.items())
    for c in d.cases
    # What a case is about, if a file, is a test's own.
    if c.lacks({}) is None
]
SEEDS = 200


def _run(name, case, seeds, params, tmp_path, **options):
    design = DESIGNS[name]
    results = run(Request(design, design.case(case), seeds, params, options), tmp_path)
    assert len(results) == len(seeds)
    broken = [r for r in results if not r.passed]
    assert not broken, "\n".join([*broken[0].failures[:2], "repeat: " + broken[0].request.command(broken[0].seed)])
    return sum(r.compared for r in results)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_random_traffic(name, variant, tmp_path):
    beats = {"beats": 50} if "beats" in DESIGNS[name].case("random").options else {}
    assert _run(name, "random", range(10), variant, tmp_path, **beats) > 20


@pytest.mark.sim
@pytest.mark.parametrize(("name", "case"), CASES)
def test_every_case(name, case, tmp_path):
    assert _run(name, case, [3], {}, tmp_path) > 0


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
def test_200_seeds_in_one_run(name, variant, tmp_path):
    assert _run(name, "random", range(1000, 1000 + SEEDS), variant, tmp_path) > SEEDS


@pytest.mark.sim
@pytest.mark.slow
@pytest.mark.parametrize(("name", "variant"), VARIANTS)
@pytest.mark.parametrize("case", ["sweep", "sizes", "reset"])
def test_every_variant(name, variant, case, tmp_path):
    assert _run(name, case, [11, 12], variant, tmp_path) > 0
