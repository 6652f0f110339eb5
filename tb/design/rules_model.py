# SPDX-License-Identifier: Apache-2.0
"""The ready-made model ``rules``: random traffic on everything, of which nothing is compared.

What it finds: beats, bursts and accesses that are not taken or not answered, and broken protocol rules. What comes out, read data,
error answers and memories may be anything, so a run of it is partial at best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.pymodels.stock_models import StreamShape, taken_inputs
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.beside_streams import Sources, beside_streams
from goldbeat.tb.design.bus_ports import BusPorts
from goldbeat.tb.design.bus_traffic import bus_cases, some_memory
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.measurements import Check
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.traffic import FILL, Rng, Traffic, stream_cases
from goldbeat.tb.design.unchecked import STILL

RULES = "rules"
NOT_COMPARED = "outputs, read data and memories: model 'rules' does not predict them"
OUTPUTS_NOT_COMPARED = "output streams: stream_model 'rules' does not predict them"
_MOST = 1 << 16
"""Bytes of a slave's addresses that are used, and of the memory behind a master."""

Look = Callable[[CaseContext], tuple[Sequence[Bundle], Sequence[Bundle]]]
"""setting -> slaves and masters, widths as numbers."""


def rules_outcome(
    sources: Sequence[StreamShape], sinks: Sequence[StreamShape], slaves: Iterable[str], stimulus: Stimulus
) -> Outcome:
    """Every beat of the inputs is taken; all else is unknown."""
    unknown = {*(sink.name for sink in sinks), *stimulus.memories, *slaves}
    return Outcome(taken_inputs(sources, stimulus), unknown=frozenset(unknown))


def rules_cases(
    look: Look,
    sources: Sources | None,
    accesses: Mapping[str, int | str | bool],
    longest: int,
    extremes: Sequence[int],
    *,
    cuts: bool,
    corners: bool = False,
    tied: Sequence[str] = (),
) -> tuple[Case, ...]:
    """The cases: those of streams with accesses of all slaves beside them, or those of buses alone.

    Args:
        look: gives the ports of a setting.
        sources: makes the inputs' traces; None: there are none.
        accesses: options of the accesses that differ from their defaults.
        longest: beats of the longest frame that ``sweep`` sends.
        extremes: lengths of frames that it fills queues with.
        cuts: resets end some episodes of ``sweep``; streams have the case ``reset``.
        corners: the sources make the payload of :attr:`CaseContext.corners`.
        tied: inputs that nothing drives: if nothing moves, one of them may be why.
    """
    check = partial(_check, tied)
    if sources is None:
        cases: tuple[Case, ...] = bus_cases(lambda setting: _ports(*look(setting)), accesses, cuts=cuts)
        return tuple(case.model_copy(update={"make": _all_open(case.make, look), "check": check}) for case in cases)
    both = beside_streams(lambda setting: _ports(*look(setting)), sources, accesses)

    def traffic(setting: CaseContext, rng: Rng, beats: int) -> Stimulus:
        return replace(opened(both(setting, rng, beats), look(setting)[1], rng), after={})

    cases = stream_cases(
        traffic, FILL, longest, extremes=extremes, cuts=cuts, corners=corners, pauses=True, alone=("out",)
    )
    # Nothing of what accesses leave behind is compared, so resets may cut them off.
    return tuple(
        case.model_copy(update={"check": check, "inputs": False}) for case in cases if cuts or case.name != "reset"
    )


def without_reset(traffic: Traffic, longest: int, extremes: Sequence[int]) -> tuple[Case, ...]:
    """The cases of streams, but the one whose resets leave of accesses what nobody knows; no input of a user's fits them."""
    return tuple(
        case.model_copy(update={"inputs": False})
        for case in stream_cases(traffic, FILL, longest, extremes=extremes)
        if case.name != "reset"
    )


def outputs_unknown(setting: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """That the output streams were not compared."""
    return Check(partial=(OUTPUTS_NOT_COMPARED,))


def _ports(slaves: Sequence[Bundle], masters: Sequence[Bundle]) -> BusPorts:
    """Each slave has addresses of its own, from 0 on."""
    return BusPorts(
        slaves, masters, [AddressStretch(0, min(1 << one.address_bits, _MOST), (one.name,)) for one in slaves]
    )


def _all_open(make: Callable[[CaseContext], Sequence[Stimulus]], look: Look) -> Callable[[CaseContext], list[Stimulus]]:
    def made(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 25])
        return [opened(one, look(setting)[1], rng) for one in make(setting)]

    return made


def opened(stimulus: Stimulus, masters: Sequence[Bundle], rng: Rng) -> Stimulus:
    """The same of which no answer is compared, and with some memory behind every master."""
    return replace(
        stimulus,
        program={port: tuple(map(_open_access, program)) for port, program in stimulus.program.items()},
        bursts={port: _open_bursts(program) for port, program in stimulus.bursts.items()},
        memories={
            one.name: replace(some_memory(one, rng), timing=stimulus.memories[one.name].timing) for one in masters
        },
    )


def _open_access(access: Access) -> Access:
    return replace(access, value=None) if access.op == "read" else access


def _open_bursts(program: BurstProgram) -> BurstProgram:
    return replace(program, checked=np.zeros_like(program.checked), response=np.full_like(program.response, -1))


def _check(tied: Sequence[str], setting: CaseContext, stimulus: Stimulus, record: Any) -> Check:
    """That something was taken, and that nothing more is known."""
    beats = sum(len(record.outcome.ports[name]) for name in stimulus.inputs or record.outcome.ports)
    answers = sum(len(found) for found in record.accesses.values())
    bursts = sum(int((found.done >= 0).sum()) for found in record.bursts.values())
    moved = beats + answers + bursts or stimulus.stop_ps is not None
    if moved:
        return Check(partial=(NOT_COMPARED,))
    still = f"{STILL}: no beat was accepted, no access and no burst was answered"
    if tied:
        return Check(partial=(NOT_COMPARED, f"{still}; inputs are tied: {', '.join(tied)}"))
    return Check(failures=(still,), partial=(NOT_COMPARED,))
