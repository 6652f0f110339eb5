# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_skid``: a register slice with full throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from goldbeat.pymodels.axis.elastic import Take, clock_of, integer, offered, ready_from, through, transferred
from goldbeat.pymodels.stimulus import Outcome, Stimulus

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


def predict(params: Mapping[str, Any], stimulus: Stimulus) -> Outcome:
    """Golden model; parameters ``DATA_W`` (``ID_W DEST_W USER_W`` play no part)."""
    clock = clock_of(stimulus, "aclk")
    source = offered(stimulus, "s_axis", integer(params, "DATA_W"), clock)
    pattern, first = stimulus.pattern("m_axis"), ready_from(stimulus)
    accepts, outs = through(source.gaps, lambda take: stage(take, first), SKID_LATENCY, pattern, first)
    return Outcome({"s_axis": transferred(source, clock, accepts), "m_axis": transferred(source, clock, outs)})
