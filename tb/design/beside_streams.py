# SPDX-License-Identifier: Apache-2.0
"""Traffic of designs that have buses and streams: the accesses of all slaves, then beats on every input stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import takewhile

from goldbeat.pymodels.stimulus import Access, Clock, Stimulus
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.design.bus_episodes import bus_episode
from goldbeat.tb.design.bus_ports import BusPorts
from goldbeat.tb.design.bus_traffic import OPTIONS, beside_idle_streams
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import Rng, Traffic

_BYTES = 256
"""Of a part of the addresses: the streams' patterns make many episodes."""
_MOST_ACCESSES, _ACCESSES = 1000, 100
"""Beside any number of beats, and without any."""

Sources = Callable[[CaseContext, Rng, int, Mapping[str, Clock]], dict[str, Trace]]
"""setting, random generator, beats, clocks -> what the input streams get."""


def beside_streams(
    look: Callable[[CaseContext], BusPorts], sources: Sources, accesses: Mapping[str, int | str | bool]
) -> Traffic:
    """For :func:`~goldbeat.tb.design.traffic.stream_cases`.

    What registers hold in the end is read once more behind the beats, so that a stream which changes them is found.

    Args:
        look: gives the buses of a setting.
        sources: makes the inputs' traces.
        accesses: options of the accesses that differ from their defaults; there are as many as beats, at most
            :data:`_MOST_ACCESSES`, unless they say it.
    """

    def traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
        made = bus_episode(look(setting), _with_accesses(setting, beats, accesses), rng, plain=bool(rng.integers(2)))
        after = {port: last_reads(program) for port, program in made.program.items()}
        return replace(made, inputs=sources(setting, rng, beats, made.clocks), after=after)

    return traffic


def with_deep_buses(
    case: Case, look: Callable[[CaseContext], BusPorts], accesses: Mapping[str, int | str | bool], *, cuts: bool
) -> Case:
    """The case with long and slow episodes of the buses alone, and with ``cuts`` some that a reset cuts off."""

    def make(setting: CaseContext) -> list[Stimulus]:
        own = _with_accesses(setting, _ACCESSES, accesses)
        return [*case.make(setting), *beside_idle_streams(look(setting), own, cuts=cuts)]

    return case.model_copy(update={"make": make})


def _with_accesses(setting: CaseContext, count: int, accesses: Mapping[str, int | str | bool]) -> CaseContext:
    """The same with options of accesses."""
    return replace(setting, options={**OPTIONS, "accesses": min(count, _MOST_ACCESSES), "bytes": _BYTES, **accesses})


def last_reads(program: tuple[Access, ...]) -> tuple[Access, ...]:
    """The reads behind the last write, which must give the same again."""
    return tuple(takewhile(lambda access: access.op == "read", reversed(program)))[::-1]
