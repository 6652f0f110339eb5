# SPDX-License-Identifier: Apache-2.0
"""A few mutants of a design against its default case: whether the comparison would notice that the RTL is wrong."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.campaign import Campaign, Fate, plan_cases
from goldbeat.tb.mutate.points import find_mutants


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
        UsageError: the case fails without a mutant.
    """
    macros = [flag.removeprefix("-D") for flag in design.compile_flags() if flag.startswith("-D")]
    mutants = find_mutants(design.sources(), include_dirs=design.include_paths(), defines=macros)
    if not mutants:
        return []
    chosen = random.Random(seed).sample(mutants, min(count, len(mutants)))
    items = plan_cases(name, (design.cases[0].name,), 1, seed)
    with tempfile.TemporaryDirectory(prefix="goldbeat-") as place, Campaign(items, chosen, Path(place), tell) as some:
        some.check_original()
        return sorted(some.fates(chosen, len(os.sched_getaffinity(0))), key=lambda fate: fate.mutant.number)
