# SPDX-License-Identifier: Apache-2.0
"""Short cases of a design in as few builds and simulator processes as it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from goldbeat.tb.build.simulator import QUICKEST, build
from goldbeat.tb.design.design import Design
from goldbeat.tb.regress.item import Batch, Item, Status
from goldbeat.tb.regress.plan import make_batches
from goldbeat.tb.regress.worker import run_batch


def check_together(
    design: Design, wanted: Iterable[tuple[str, int, Mapping[str, Any]]], params: Mapping[str, Any] | None = None
) -> Counter[str]:
    """Run cases, all of which must pass.

    Args:
        design: one that comes with Goldbeat.
        wanted: cases by name, each with a seed and its options.
        params: parameter values that differ from the cases'.

    Returns:
        how much was compared, by case.
    """
    items = [
        Item(
            index=i,
            key=f"{design.name}/{case}/{options}#{seed}",
            design=design.name,
            case=case,
            seed=seed,
            params=params or {},
            options=options,
        )
        for i, (case, seed, options) in enumerate(wanted)
    ]
    compared: Counter[str] = Counter()
    seen = set()
    for batch in (batch for same_build in make_batches(items, jobs=1).values() for batch in same_build):
        first = batch[0]
        values = design.params(design.case(first.case), first.params, first.options)
        # Compiling takes longer than these cases.
        program = str(build(design, values, quick=QUICKEST).executable)
        for result, item in zip(run_batch(Batch(tuple(batch), program)).results, batch, strict=True):
            assert result.key == item.key
            assert result.status == Status.PASS, f"{result.key}: {result.status}: {result.failures[:2]}"
            compared[item.case] += result.compared
            seen.add(result.key)
    assert seen == {item.key for item in items}
    return compared
