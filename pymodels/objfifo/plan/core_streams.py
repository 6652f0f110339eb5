# SPDX-License-Identifier: Apache-2.0
"""Fifos that begin or end at a core's stream port: planned and executed, but neither timed nor decided."""

from __future__ import annotations

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.plan.plan import Plan


def only_channels(plan: Plan) -> None:
    """Every stream leads from DMA channel to DMA channel.

    Raises:
        UsageError: one begins or ends at a core's port, of which the cores' programs say nothing.
    """
    for flow in plan.flows:
        for end in (flow.source, *flow.dests):
            if end.bundle != "DMA":
                where = f"port {end.channel} of the core of {end.tile}"
                raise UsageError(
                    f"{flow.fifo}: a fifo at {where} is executed (goldbeat objfifo exec), not run or checked"
                )
