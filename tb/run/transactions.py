# SPDX-License-Identifier: Apache-2.0
"""The transactions of every bus port in an episode, from what was recorded of bursts, accesses and memories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.burst import WRITE
from goldbeat.pymodels.stimulus import Access, Stimulus
from goldbeat.pymodels.transactions import Transactions, burst_bytes
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.inside.job import AccessResult, Record

_ANSWERED = ("read", "write")
"""Steps of a register program that are one access, answered once."""


def episode_transactions(
    design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record
) -> dict[str, Transactions]:
    """By port what has ended; a port whose back end counts no cycles, or that had no traffic, is left out.

    Args:
        design: and
        params: give the bus ports.
        stimulus: as it was driven, with the steps that drivers have made.
        record: of the episode.
    """
    found: dict[str, Transactions | None] = {}
    for port in design.memory_ports(params):
        period = stimulus.clocks[port.clock].period_ps
        asked = _bursts(port.name, period, stimulus, record)
        found[port.name] = _memory(port.name, period, record) if asked is None else asked
    for lane in design.register_ports(params):
        period = stimulus.clocks[lane.clock].period_ps
        answered = _memory(lane.name, period, record)
        found[lane.name] = _accesses(lane, period, stimulus, record) if answered is None else answered
    return {name: made for name, made in found.items() if made is not None}


def ahead_of_streams(design: Design, params: Mapping[str, Any], stimulus: Stimulus, record: Record) -> dict[str, Any]:
    """What ran before the streams started, whose cycles are counted from the release of reset.

    Args:
        design: and
        params: give the bus ports.
        stimulus: as it was driven.
        record: of the episode.

    Returns:
        ``lead_ps``: from the release of reset to the start of the streams; ``transactions``: by port how many of the first, as
        :func:`episode_transactions` has them, were before it.
    """
    if not stimulus.settled:
        return {"lead_ps": 0, "transactions": {}}
    found = {port.name: _ahead_at_memory(port.name, stimulus, record) for port in design.memory_ports(params)}
    for lane in design.register_ports(params):
        program = stimulus.program.get(lane.name, ())
        found[lane.name] = sum(1 for _ in _timed(program, record.accesses.get(lane.name, ())))
    lead = record.origin_ps - record.released_ps
    return {"lead_ps": lead, "transactions": {name: count for name, count in found.items() if count}}


def _ahead_at_memory(name: str, stimulus: Stimulus, record: Record) -> int:
    """Bursts of a program are; of those that a memory has answered, in their order, those before cycles begin anew."""
    if name in stimulus.bursts:
        return len(stimulus.bursts[name].bursts.address)
    held = record.outcome.memories.get(name)
    if held is None or held.log is None or "done" not in (held.log.dtype.names or ()):
        return 0
    again = np.flatnonzero(np.diff(held.log["cycle"].astype(np.int64)) < 0)
    first = int(again[0]) + 1 if len(again) else 0 if record.outcome.ports else len(held.log)
    return int(np.count_nonzero(held.log["done"][:first] >= 0))


def bus_directions(design: Design, params: Mapping[str, Any]) -> dict[str, str]:
    """By bus port ``in`` (the design answers) or ``out`` (it asks)."""
    return {p.name: p.direction for p in (*design.memory_ports(params), *design.register_ports(params))}


def _bursts(name: str, period: int, stimulus: Stimulus, record: Record) -> Transactions | None:
    """Of an AXI4 slave: what the program has asked for."""
    program, got = stimulus.bursts.get(name), record.bursts.get(name)
    if program is None or got is None:
        return None
    b = program.bursts
    size = burst_bytes(b.address, b.len, b.size, b.burst)
    return Transactions.of(period, write=b.kind == WRITE, begin=got.offered, first=got.first, end=got.done, bytes=size)


def _memory(name: str, period: int, record: Record) -> Transactions | None:
    """Of a master: what the memory behind it has answered."""
    held = record.outcome.memories.get(name)
    if held is None or held.log is None or "done" not in (held.log.dtype.names or ()):
        return None
    log = held.log
    size = burst_bytes(log["address"], log["len"], log["size"], log["burst"])
    columns = {"begin": log["cycle"], "first": log["first"], "end": log["done"], "bytes": size}
    return Transactions.of(period, write=log["kind"] == WRITE, **columns)


def _accesses(port: RegisterPort, period: int, stimulus: Stimulus, record: Record) -> Transactions | None:
    """Of a slave that is not AXI4: reads and writes of its programs; polls are several reads, and not counted."""
    steps = (*stimulus.program.get(port.name, ()), *stimulus.after.get(port.name, ()))
    rows = [(a.op == "write", r.first, r.cycle) for a, r in _timed(steps, record.accesses.get(port.name, ()))]
    if not rows:
        return None
    write, begin, end = (np.array(column) for column in zip(*rows, strict=True))
    return Transactions.of(
        period, write=write, begin=begin, first=end, end=end, bytes=np.full(len(rows), int(port.data_width) // 8)
    )


def _timed(steps: Sequence[Access], results: Sequence[AccessResult]) -> Iterator[tuple[Access, AccessResult]]:
    """Accesses with both cycles; those that were not made any more have no result."""
    for access, result in zip(steps, results, strict=False):
        if access.op in _ANSWERED and result.first is not None and result.cycle is not None:
            yield access, result
