# SPDX-License-Identifier: Apache-2.0
"""A plan for people."""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.pymodels.objfifo.engine.npu1_shim import HostCost
from goldbeat.pymodels.objfifo.plan.plan import Bd, Plan
from goldbeat.pymodels.objfifo.plan.tile import bd_number
from goldbeat.tb.cli.common import facts


def print_plan(found: Plan) -> None:
    """Print each tile's pools and channels."""
    for one in found.tiles:
        rows: list[tuple[str, str]] = []
        for pool in found.pools:
            if pool.tile != one.tile:
                continue
            first = one.buffer(pool.buffers[0])
            at = ", ".join(f"{one.buffer(n).address:#x}" for n in pool.buffers)
            rows.append((f"pool {pool.name}", f"{pool.depth} x {first.size} bytes at {at}"))
            for part in pool.segments:
                pair = [one.lock(number) for number in part.locks]
                locks = ", ".join(f"lock {k.id} {k.name} = {k.initial}" for k in pair) or "no locks"
                rows.append((f"  words {part.offset}..{part.offset + part.length - 1}", locks))
        for channel in one.channels:
            bds = ", ".join(
                f"{bd_number(one.tile, bd.id)} ({bd.buffer} +{_offset(found, one.tile.name, bd)}, {bd.length})"
                for bd in channel.bds
            )
            starts = ", ".join(
                f"start {bd_number(one.tile, t.bd)}" + (f" x {t.repeat + 1}" if t.repeat else "") for t in channel.queue
            )
            rows.append((channel.name, f"{channel.fifo}: {starts or 'not started'}; BDs {bds or 'none'}"))
        facts(str(one.tile), rows or [("", "nothing")])


def print_host_costs(costs: Sequence[HostCost]) -> None:
    """Print what the shims' channels and the controller need under ``npu1``."""
    rows = [
        (
            f"{one.tile} {one.channel}",
            f"{one.fifo}: {', '.join(map(str, one.tasks))} words in {', '.join(f'{c:.0f}' for c in one.cycles)} cycles; "
            f"controller {one.controller:.0f} cycles",
        )
        for one in costs
    ]
    rows.append(("controller, all", f"{sum(one.controller for one in costs):.0f} cycles"))
    facts("host side under npu1 (estimated)", rows)


def _offset(found: Plan, tile: str, bd: Bd) -> int:
    for one in found.tiles:
        if one.tile.name == tile:
            for buffer in one.buffers:
                if buffer.name == bd.buffer:
                    return int(bd.base_bytes - buffer.address) // 4
    for host in found.hosts:
        if host.name == bd.buffer:
            return int(bd.base_bytes - host.address) // 4
    return 0
