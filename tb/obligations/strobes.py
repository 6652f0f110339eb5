# SPDX-License-Identifier: Apache-2.0
"""Obligations of write strobes: the patterns that slaves must have been sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from goldbeat.pymodels.axi.burst import WRITE
from goldbeat.pymodels.stimulus import Access
from goldbeat.pymodels.telling import telling_strobes
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.map_case import MAP_CASE
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.obligations.obligation import Obligation
from goldbeat.tb.run.runs import EpisodeResult, RunResult

_NAMED = 8
"""Patterns that an obligation lists."""


def strobe_obligations(result: RunResult) -> Iterator[Obligation]:
    """That each slave was sent every pattern of strobes whose meaning the description gives.

    That is the case for slaves of bus models, for storage with strobes, and for registers of a map with an answer for them.
    """
    design, params = result.request.design, result.request.all_params
    spans = {} if design.address_spans is None else design.address_spans(params)
    for port in (*design.register_ports(params), *design.memory_ports(params)):
        role = port.strobes_of
        if port.direction != "in" or not role or not port.has(role):
            continue
        writes = [a for e in result.episodes for a in e.stimulus.program.get(port.name, ()) if a.kind == WRITE]
        case = _case_with_strobes(port, writes, bool(spans.get(port.name)))
        if not case:
            continue
        size = data_bytes(port)
        sent = {a.strobe for a in writes} | _of_bursts(port, result.episodes)
        never = [f"{pattern:0{size}b}" for pattern in telling_strobes(size) if pattern not in sent]
        more = f" and {len(never) - _NAMED} more" if len(never) > _NAMED else ""
        how = f"the case {case}; never sent: {', '.join(never[:_NAMED])}{more}"
        yield Obligation("sizes", port.place(role), "writes with every telling pattern of strobes", not never, how)


def _case_with_strobes(port: Bundle, writes: Sequence[Access], spans: bool) -> str:
    """The case that sends the patterns; empty: nobody knows what strobes do."""
    if spans:
        return "sweep"
    if isinstance(port, RegisterPort) and any(block.strobes for block in port.storage):
        return "sweep"
    whole = (1 << data_bytes(port)) - 1
    mapped = any(a.register and a.rule in ("", "strobes") and a.strobe != whole for a in writes)
    return MAP_CASE if mapped else ""


def _of_bursts(port: Bundle, episodes: Sequence[EpisodeResult]) -> set[int]:
    """The strobes of the beats of bursts that may write the whole word."""
    found: set[int] = set()
    for episode in episodes:
        program = episode.stimulus.bursts.get(port.name) if isinstance(port, MemoryPort) else None
        if program is not None:
            whole = program.bursts.lanes(data_bytes(port)).all(axis=1)
            write = (program.bursts.kind == WRITE)[program.bursts.of_beat]
            rows = np.unique(program.strobe[whole & write], axis=0)
            found |= {sum(1 << lane for lane in np.flatnonzero(row).tolist()) for row in rows}
    return found
