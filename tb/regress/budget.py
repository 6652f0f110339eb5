# SPDX-License-Identifier: Apache-2.0
"""A run that ends after some time (``goldbeat regress --budget``): its batches, its status, and what it left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from goldbeat.tb.regress.brief import Brief
from goldbeat.tb.regress.item import Item, Status
from goldbeat.tb.regress.plan import BuildKey, build_key
from goldbeat.tb.regress.recorded import ranges_text
from goldbeat.tb.regress.store import LIMITED
from goldbeat.tb.regress.worth import ORDER, Ranked, Reason

_MOST_ITEMS = 64
_BATCH_S = 2.0
"""Simulation that a batch should not go above: what runs when the time is over comes to its end."""
_SHARE = 100
"""Nor this part of the budget."""
_LEAST_S = 0.25
_UNKNOWN_ITEMS = 4
"""In a batch, where nobody knows how long they take."""


class RankedChunk(NamedTuple):
    """Items of one simulator that run one after the other."""

    key: BuildKey
    items: list[Item]


def ranked_chunks(order: Sequence[Ranked], budget_s: float) -> list[RankedChunk]:
    """Batches in the order of their first items.

    An item runs with the last batch of the same simulator and reason, if that has room: simulators change seldom.

    Args:
        order: items, those first that find most.
        budget_s: of the run.
    """
    most_s = max(_LEAST_S, min(_BATCH_S, budget_s / _SHARE))
    keys: dict[tuple[str | None, str], BuildKey] = {}
    last: dict[tuple[Any, ...], tuple[RankedChunk, float]] = {}
    found: list[RankedChunk] = []
    for item, reason, seconds in order:
        short = (item.source, item.group)
        if short not in keys:
            keys[short] = build_key(item)
        cost = most_s / _UNKNOWN_ITEMS if seconds is None else seconds
        place = (keys[short], item.transactors, item.resources, reason)
        chunk, used = last.get(place, (None, 0.0))
        if chunk is None or used + cost > most_s or len(chunk.items) >= _MOST_ITEMS:
            chunk, used = RankedChunk(keys[short], []), 0.0
            found.append(chunk)
        chunk.items.append(item)
        last[place] = chunk, used + cost
    return found


@dataclass(frozen=True)
class Budget:
    """The order of a run with a budget.

    Attributes:
        seconds: of wall time, builds included.
        order: items, those first that find most.
    """

    seconds: float
    order: Sequence[Ranked]

    def facts(self, left: Iterable[int]) -> dict[str, Any]:
        """What the run records at its end.

        Args:
            left: items, by number, that have no result.
        """
        missing = set(left)
        planned = Counter(one.reason for one in self.order)
        ran = Counter(one.reason for one in self.order if one.item.index not in missing)
        return {
            "budget_s": self.seconds,
            "left_out": len(missing),
            "order": {reason.value: [ran[reason], planned[reason]] for reason in ORDER if planned[reason]},
        }


def order_text(order: Mapping[str, Sequence[int]]) -> str:
    """How many cases ran for which reason, for people."""
    found = ((reason.value, *order[reason.value]) for reason in ORDER if reason.value in order)
    return ", ".join(f"{ran} of {planned} {reason}" for reason, ran, planned in found)


def planned_text(order: Iterable[Ranked]) -> str:
    """How many cases there are for which reason, the first first."""
    counts: Counter[Reason] = Counter(one.reason for one in order)
    return ", ".join(f"{counts[reason]} {reason.value}" for reason in ORDER if counts[reason])


def left_out_names(rows: Iterable[Brief]) -> list[str]:
    """The cases without a result, in the plan's order: ``design/case#0..9``."""
    seeds: dict[str, list[int]] = {}
    for row in rows:
        if row.status is None:
            seeds.setdefault(row.group, []).append(row.seed)
    return [f"{group}#{ranges_text(sorted(numbers), ',', '..')}" for group, numbers in seeds.items()]


def limited_status(counts: Mapping[str, int]) -> str:
    """Of a run that has left cases out, by how many results have which status."""
    return LIMITED if all(Status(name).good for name in counts if name != "open") else Status.FAIL.value
