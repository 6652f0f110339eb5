# SPDX-License-Identifier: Apache-2.0
"""The register ports in ``sweep``: every traffic that a master can make, on whatever a design or its storage allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.register_traffic import RegisterTraffic
from goldbeat.pymodels.register_walk import Word, storage_walk, telling_walk
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.tb.design.bus_ports import varied
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.storage import check_storage
from goldbeat.tb.design.traffic import CUT_OFF, stop_after

CASE = "sweep"
"""The case that goes through it."""
WITHHELD = "after-valid"
"""The back-pressure that a slave which waits for ready cannot pass."""
_CUT = (2, 2, 1, 1, 1)
"""For each walk, how many like it a reset ends in mid-flight before."""
_APART = 12
"""Most cycles between address and data of writes in these: a reset finds one without the other."""
_LATEST_CUT = 120
"""Cycles from the end of a reset to that one, at most."""
_ACCESSES = 120
"""Of a walk, at least."""
_PER_WORD = 24
"""Accesses of a walk for each word that it goes over."""
_MOST_WORDS = 24
"""Words of a port that a walk goes over; with more, some are drawn, beside those that tell address bits apart."""


def traffics(rng: np.random.Generator) -> list[RegisterTraffic]:
    """What each walk is done with: each order with each kind of back-pressure in turn, then many at once, then anything."""
    seeds = rng.integers(1, 1 << 31, 4).tolist()
    return [
        RegisterTraffic("data-first", b_ready=WITHHELD, r_ready="after-valid:5", seed=seeds[0]),
        RegisterTraffic("address-first", gap=3, b_ready="random:0.7", r_ready="random:0.7", seed=seeds[1]),
        RegisterTraffic("any", outstanding=4, seed=seeds[2]),
        RegisterTraffic("any", outstanding=4, b_ready="bursty:6", r_ready="after-valid", seed=seeds[3]),
        RegisterTraffic.draw(rng, overlap=True),
    ]


def storage_words(port: RegisterPort, setting: CaseContext, rng: np.random.Generator) -> list[Word]:
    """The words of a port that a walk goes over.

    Raises:
        UsageError: its bus cannot have that storage.
    """
    size = int(port.data_width) // 8
    check_storage(port.name, port.storage, size, 1 << port.address_bits, setting.params)
    whole = (1 << 8 * size) - 1
    found = [
        Word(block.base + size * n, whole if block.mask is None else block.mask, port.strobes and block.strobes)
        for block in port.storage
        for n in range(block.count(setting.params))
    ]
    if len(found) <= _MOST_WORDS:
        return found
    drawn = set(rng.choice(len(found), _MOST_WORDS, replace=False).tolist())
    return [found[n] for n in sorted(drawn | _telling([word.address for word in found]))]


def _telling(addresses: Sequence[int]) -> set[int]:
    """The first and the last of many words, and those that differ from one of them in one address bit."""
    number = {address: n for n, address in enumerate(addresses)}
    ends = (addresses[0], addresses[-1])
    pairs = {number.get(end ^ 1 << bit) for end in ends for bit in range(max(addresses).bit_length())}
    return {number[end] for end in ends} | {n for n in pairs if n is not None}


def _program(port: RegisterPort, setting: CaseContext, rng: np.random.Generator) -> tuple[Access, ...]:
    words = storage_words(port, setting, rng)
    count = max(_ACCESSES, _PER_WORD * len(words))
    return tuple(storage_walk(rng, words, int(port.data_width) // 8, count, posts=port.posts))


def walks(design: Design, setting: CaseContext, like: Stimulus) -> list[Stimulus]:
    """An episode for each traffic, some behind a reset in mid-flight: streams are silent, storage of slaves is walked over.

    In the last one, telling values and every pattern of strobes are written, one access at a time.

    Args:
        design: the design; without storage there are no episodes.
        setting: parameter values and seed.
        like: an episode of the design: its clocks and memories.
    """
    ports = [p for p in design.register_ports(setting.params) if p.direction == "in" and p.storage]
    if not ports:
        return []
    rng = np.random.default_rng([setting.seed, 77])
    quiet = replace(
        like,
        inputs={name: trace[:0] for name, trace in like.inputs.items()},
        program={},
        after={},
        drivers={},
        stop_ps=None,
        registers=True,
    )
    episodes = []
    for number, traffic in enumerate(traffics(rng)):
        program = {
            p.name: varied(_program(p, setting, rng), p, int(rng.integers(1 << 31)), design.unchecked) for p in ports
        }
        made = replace(quiet, program=program, traffic={p.name: p.fitting(traffic) for p in ports})
        for _ in range(_CUT[number] if design.resettable else 0):
            # What a reset leaves behind shows in the episode after it.
            apart = {p.name: p.fitting(replace(traffic, distance=_APART)) for p in ports}
            cut = replace(made, traffic=apart, label=CUT_OFF, cut=True)
            clock = next(iter(made.clocks.values()))
            episodes += [stop_after(cut, clock, int(rng.integers(6, _LATEST_CUT))), made]
        if not design.resettable:
            episodes.append(made)
    told = {
        p.name: varied(
            tuple(telling_walk(rng, storage_words(p, setting, rng), int(p.data_width) // 8)),
            p,
            int(rng.integers(1 << 31)),
            design.unchecked,
        )
        for p in ports
    }
    return [*episodes, replace(quiet, program=told, traffic={p.name: RegisterTraffic() for p in ports})]


def dressed_sweep(steps: Sequence[tuple[Stimulus, Outcome | None]], seed: int) -> list[tuple[Stimulus, Outcome | None]]:
    """The episodes of ``sweep``, whose own register programs are made with other traffic, one access at a time.

    Ports with traffic of their own keep it, and so do those whose answers the model predicts to the cycle. In the first of the
    other episodes of a port, no response is taken before it is there: a slave that waits for that stands still in every seed.

    Args:
        steps: stimulus and prediction of every episode.
        seed: draws the traffic.
    """
    withheld: set[str] = set()
    found = []
    for episode, (stimulus, expected) in enumerate(steps):
        rng = np.random.default_rng([seed, 78, episode])
        programs = dict.fromkeys([*stimulus.program, *stimulus.after])
        drawn = {name: RegisterTraffic.draw(rng, overlap=False) for name in programs}
        known = {} if expected is None else expected.accesses
        kept = {name: RegisterTraffic() for name, answers in known.items() if any(a.cycle is not None for a in answers)}
        kept |= stimulus.traffic
        for name in drawn.keys() - kept.keys() - withheld:
            drawn[name] = replace(drawn[name], b_ready=WITHHELD, r_ready=WITHHELD)
        withheld |= drawn.keys() - kept.keys()
        found.append((replace(stimulus, traffic={**drawn, **kept}), expected))
    return found


def quiet_case(make: Callable[[CaseContext], Sequence[Stimulus]]) -> Case:
    """The case ``sweep`` of a design that has no other one: an episode in which to walk."""
    return Case(
        name=CASE,
        summary="all registers that are plain storage, under all traffic",
        make=make,
        inputs=False,
        registers=True,
    )
