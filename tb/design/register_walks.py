# SPDX-License-Identifier: Apache-2.0
"""The register ports in ``sweep``: every traffic that a master can make, on whatever a design or its storage allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.register_traffic import ORDERS, RegisterTraffic
from goldbeat.pymodels.register_walk import Word, storage_walk, telling_walk
from goldbeat.pymodels.stimulus import Access, Outcome, Stimulus
from goldbeat.tb.design.bus_ports import varied
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.register import RegisterPort
from goldbeat.tb.design.ports.storage import check_storage
from goldbeat.tb.design.traffic import CUT_OFF, RESETS, stop_after

CASE = "sweep"
"""The case that goes through it."""
RESET_CASE = "reset"
"""The case of resets in mid-flight."""
WITHHELD = "after-valid"
"""The back-pressure that a slave which waits for ready cannot pass."""
_CUT = (2, 2, 1, 1, 1)
"""For each walk, how many like it a reset ends in mid-flight before."""
APART = 12
"""Most cycles between address and data of writes that a reset ends in mid-flight: it finds one without the other."""
_SPLIT = ORDERS[1:]
"""Orders in which the two are apart."""
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
    walker = _Walker(design, setting, like, np.random.default_rng([setting.seed, 77]))
    if not walker.ports:
        return []
    episodes = []
    for number, traffic in enumerate(traffics(walker.rng)):
        for _ in range(_CUT[number] if design.resettable else 1):
            if design.resettable:
                # What a reset leaves behind shows in the episode after it.
                episodes.append(walker.cut(replace(traffic, distance=APART)))
            episodes.append(walker.episode(walker.programs(), traffic))
    told = {
        p.name: tuple(telling_walk(walker.rng, storage_words(p, setting, walker.rng), int(p.data_width) // 8))
        for p in walker.ports
    }
    return [*episodes, walker.episode(told, RegisterTraffic())]


def reset_walks(design: Design, setting: CaseContext, like: Stimulus) -> list[Stimulus]:
    """Walks over storage that a reset ends in mid-flight, a whole one behind each; half of these begin with a read.

    Args:
        design: the design, with storage.
        setting: parameter values, seed and options: how many resets, and whether each lasts for one edge.
        like: an episode of the design: its clocks and memories.
    """
    walker = _Walker(design, setting, like, np.random.default_rng([setting.seed, 79]))
    episodes = []
    for number in range(int(setting.options["resets"])):
        traffic = RegisterTraffic.draw(walker.rng, overlap=True)
        cut = walker.cut(replace(traffic, order=_SPLIT[number % len(_SPLIT)], distance=APART))
        behind = walker.programs()
        if number % 2:
            # What a reset leaves of an answer is taken for the first one.
            behind = {name: (Access("read", program[0].address), *program) for name, program in behind.items()}
        whole = walker.episode(behind, RegisterTraffic())
        episodes += [replace(cut, one_edge=bool(setting.options["one_edge"])), whole]
    return episodes


class _Walker:
    """Makes the episodes of one seed."""

    def __init__(self, design: Design, setting: CaseContext, like: Stimulus, rng: np.random.Generator) -> None:
        self.ports = [p for p in design.register_ports(setting.params) if p.direction == "in" and p.storage]
        self.rng, self._setting, self._unchecked = rng, setting, design.unchecked
        self._quiet = replace(
            like,
            inputs={name: trace[:0] for name, trace in like.inputs.items()},
            program={},
            after={},
            drivers={},
            stop_ps=None,
            registers=True,
        )

    def programs(self) -> dict[str, tuple[Access, ...]]:
        """A random walk by port."""
        return {p.name: _program(p, self._setting, self.rng) for p in self.ports}

    def episode(self, programs: Mapping[str, tuple[Access, ...]], traffic: RegisterTraffic) -> Stimulus:
        """One with these programs."""
        varied_ones = {
            p.name: varied(programs[p.name], p, int(self.rng.integers(1 << 31)), self._unchecked) for p in self.ports
        }
        return replace(self._quiet, program=varied_ones, traffic={p.name: p.fitting(traffic) for p in self.ports})

    def cut(self, traffic: RegisterTraffic) -> Stimulus:
        """One that a reset ends in mid-flight."""
        made = replace(self.episode(self.programs(), traffic), label=CUT_OFF, cut=True)
        return stop_after(made, next(iter(made.clocks.values())), int(self.rng.integers(6, _LATEST_CUT)))


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


def reset_case(make: Callable[[CaseContext], Sequence[Stimulus]]) -> Case:
    """The case ``reset`` of a design that has no other one; its episodes are those of :func:`reset_walks`."""
    return Case(
        name=RESET_CASE,
        summary="resets in mid-flight while storage is accessed",
        make=make,
        options={"resets": RESETS, "one_edge": False},
        inputs=False,
        registers=True,
    )


def quiet_case(make: Callable[[CaseContext], Sequence[Stimulus]]) -> Case:
    """The case ``sweep`` of a design that has no other one: an episode in which to walk."""
    return Case(
        name=CASE,
        summary="all registers that are plain storage, under all traffic",
        make=make,
        inputs=False,
        registers=True,
    )
