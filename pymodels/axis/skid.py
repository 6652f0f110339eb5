# SPDX-License-Identifier: Apache-2.0
"""Model of ``axis_skid``: a register slice with full throughput."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymodels.axis.elastic import (
    Cycles,
    Take,
    clock_of,
    drive,
    integer,
    offered,
    ready_from,
    sink,
    transferred,
    unhindered,
)
from pymodels.stimulus import Outcome, Stimulus

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
    pattern = stimulus.pattern("m_axis")
    first = ready_from(stimulus)
    accepts: Cycles
    outs: Cycles
    if pattern.kind == "none":
        accepts = unhindered(source.gaps, first)
        outs = accepts + SKID_LATENCY
    else:
        log: list[int] = []
        accepts = drive(source.gaps, stage(sink(pattern, log), first))
        outs = log
    return Outcome({"s_axis": transferred(source, clock, accepts), "m_axis": transferred(source, clock, outs)})
