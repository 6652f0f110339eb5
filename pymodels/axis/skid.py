# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_skid``: a register slice with full throughput."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.pymodels.axis.elastic import Passage, Take, clock_of, integer, offered, offers, ready_from, transferred
from goldbeat.pymodels.stimulus import Outcome, PartwiseModel, Stimulus

SKID_DEPTH = 2
"""Beats it holds (designs.md, axis_skid)."""

SKID_LATENCY = 1
"""Cycles from accept to the earliest output (designs.md, axis_skid)."""


def stage(take: Take, first_ready: int) -> Take:
    """The skid buffer before ``take``."""
    # Outputs of the last two items; SKID_DEPTH of them, as the one before the last must have left.
    older = newer = first_ready - 1

    def put(offer: int) -> int:
        nonlocal older, newer
        accept = offer if offer > older else older + 1
        due = accept + SKID_LATENCY
        older, newer = newer, take(due if due > newer else newer + 1)
        return accept

    return put


@PartwiseModel
def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Iterator[Outcome]:
    """Golden model; parameters ``DATA_W`` (``ID_W DEST_W USER_W`` play no part)."""
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", integer(params, "DATA_W"), clock)
    pattern, first = stimulus.pattern("m_axis"), ready_from(stimulus)
    passage = Passage(lambda take: stage(take, first), SKID_LATENCY, pattern, first)
    for part, gaps in offers(source):
        accepts, outs = passage(gaps)
        yield Outcome({"s_axis": transferred(part, clock, accepts), "m_axis": transferred(part, clock, outs)})
