# SPDX-License-Identifier: Apache-2.0
"""The coverage items of a description, counted in an episode."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from goldbeat.pymodels.errors import UserCodeError
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.design import Design
from goldbeat.tb.inside.job import Record
from goldbeat.tb.run.prediction import call_coverage, function_name

PREFIX = "coverpoint "
"""Before an item's name where ports have names too."""
_SHOWN = 8
Hits = Mapping[str, Mapping[str, int]]
"""By item and bin."""


def count_coverage(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record
) -> tuple[dict[str, dict[str, int]], list[str]]:
    """Hits of every bin of every item in an episode, and what is wrong: illegal values, items that cannot be counted."""
    hits: dict[str, dict[str, int]] = {}
    wrong: list[str] = []
    make = design.coverage
    if make is None:
        return hits, wrong
    # Most designs have none, and start sooner without this.
    from goldbeat.pymodels.coverpoints import Sampled

    sampled = Sampled(params, stimulus, record.outcome)
    try:
        for item in call_coverage(function_name(make), lambda: list(make(params))):
            if item.name in hits:
                raise UserCodeError(f"coverage: duplicate name {item.name!r}")
            hits[item.name] = call_coverage(item.name, partial(item.hits, sampled))
            illegal = call_coverage(item.name, partial(item.forbidden, sampled))
            wrong += [f"coverpoint {item.name}: illegal bin {name}: {n} hit(s)" for name, n in illegal.items()]
    except UserCodeError as error:
        wrong.append(str(error))
    return hits, wrong


def add_hits(episodes: Iterable[Hits]) -> dict[str, dict[str, int]]:
    """The hits of several episodes together."""
    total: dict[str, dict[str, int]] = {}
    for hits in episodes:
        for item, bins in hits.items():
            mine = total.setdefault(item, {})
            for name, count in bins.items():
                mine[name] = mine.get(name, 0) + count
    return total


def coverage_lines(hits: Hits) -> list[str]:
    """A line an item: how many of its bins were hit, and those that were not."""
    lines = []
    for item, bins in hits.items():
        missing = [name for name, count in bins.items() if not count]
        left = f"; not hit: {', '.join(missing[:_SHOWN])}" if missing else ""
        more = f" and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        lines.append(f"coverage: {item}: {len(bins) - len(missing)} of {len(bins)} bins hit{left}{more}")
    return lines
