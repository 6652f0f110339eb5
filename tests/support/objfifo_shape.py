# SPDX-License-Identifier: Apache-2.0
"""What must be equal in two plans of one design that was written down in different forms."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.objfifo.plan.plan import Plan
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.plan.tile import TileKind


def plan_shape(plan: Plan) -> dict[str, Any]:
    """Ids, locks, walks, starts and streams; not names, and not buffers that nothing walks."""
    found: dict[str, Any] = {}
    for one in plan.tiles:
        for channel in one.channels:
            found[f"{one.tile} {channel.name}"] = (
                [
                    (bd.id, bd_addresses(bd).tolist(), bd.iteration, bd.acquire, bd.release, bd.next, bd.packet)
                    for bd in channel.bds
                ],
                [(t.bd, t.repeat) for t in channel.queue],
                channel.pad_value,
            )
        if one.tile.kind is not TileKind.SHIM:
            found[f"{one.tile}"] = {lock.id: lock.initial for lock in one.locks}
    found["flows"] = sorted(str((f.source, f.dests, f.packet)) for f in plan.flows)
    found["hosts"] = [h.size for h in plan.hosts]
    return found
