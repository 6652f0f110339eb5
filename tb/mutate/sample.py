# SPDX-License-Identifier: Apache-2.0
"""A few mutants of a design against its default case: whether the comparison would notice that the RTL is wrong."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.campaign import Campaign, Fate, plan_cases
from goldbeat.tb.mutate.points import draw_mutants, mutants_of_design


def sample_fates(
    name: str, design: Design, count: int, seed: int, tell: Callable[[str], None] = lambda text: None
) -> list[Fate]:
    """The fates of some mutants, drawn from a seed; none for RTL that has nothing to change.

    Args:
        name: of the design, or its description file.
        design: the same.
        count: how many mutants.
        seed: draws them, and is the case's.
        tell: is told each step.

    Raises:
        UnmutatedFailureError: the case fails without a mutant.
        GoldbeatError: the mutants cannot be made.
    """
    chosen = draw_mutants(mutants_of_design(design), count, seed)
    if not chosen:
        return []
    items = plan_cases(name, (design.cases[0].name,), 1, seed)
    with tempfile.TemporaryDirectory(prefix="goldbeat-") as place, Campaign(items, chosen, Path(place), tell) as some:
        some.check_original()
        return sorted(some.fates(chosen, len(os.sched_getaffinity(0))), key=lambda fate: fate.mutant.number)
