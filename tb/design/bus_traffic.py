# SPDX-License-Identifier: Apache-2.0
"""Traffic for slaves on memory-mapped buses, and memories behind masters: the cases of the ready-made bus models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryImage, Region
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.address_map import AddressStretch
from goldbeat.tb.design.bus_episodes import (
    ahead_episode,
    bus_episode,
    crowded_episodes,
    cut_episode,
    cut_in_each_cycle,
    few_accesses,
    filled_episodes,
    flowing_episode,
    kept_episodes,
    long_run,
    near_episode,
    refused_episode,
    slow_episode,
    withheld_episode,
)
from goldbeat.tb.design.bus_ports import BusPorts
from goldbeat.tb.design.bus_scene import Rng
from goldbeat.tb.design.bus_shared import shared_episodes
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.deep_traffic import LONG_RUN, pause_cycles
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.traffic import RESETS

OPTIONS = {
    "accesses": 150,
    "bytes": 2048,
    "kinds": "incr,wrap,fixed",
    "narrow": True,
    "exclusive": False,
    "interleaved": True,
    "unmapped": True,
    "errors": True,
    "attributes": True,
    "unaligned": False,
    "merged": "any",
}
"""Options of the cases: accesses between the first writes and the last reads; most bytes of the parts at the ends of the
addresses; kinds of bursts; beats narrower than the bus; exclusive pairs, which must then be answered EXOKAY; memories
interleave read data of different IDs; accesses to where the address map has nothing, which must be answered with an error;
memories refuse some accesses; AxCACHE, AxPROT and the like vary; addresses of AXI-Lite within words;
which of several errors a write is answered with."""

_LOAD = {
    "kinds": "incr",
    "narrow": False,
    "exclusive": False,
    "unmapped": False,
    "interleaved": False,
    "errors": False,
    "attributes": False,
    "unaligned": False,
    "merged": "any",
}
"""What ``load`` sets: every beat moves a whole word."""
_LOAD_OPTIONS = {"accesses": 150, "bytes": 1 << 14}

_ROUGH_EPISODES = 4
_SOME_BYTES = 1 << 16
_CUTS = (1, 2, 3, 4)
"""Before which episodes of ``sweep`` come those that resets end."""

RAM_OPTIONS = {**OPTIONS, "base": 0}
"""Those of the case ``ram`` of an AXI4 slave; ``bytes`` from ``base`` on are taken to be a memory."""

Look = Callable[[CaseContext], BusPorts]


def bus_cases(look: Look, options: Mapping[str, int | str | bool], *, cuts: bool = False) -> tuple[Case, ...]:
    """``random``, ``sweep`` and ``load`` of a module that is reached through buses.

    Args:
        look: gives the ports of a setting.
        options: defaults that differ from :data:`OPTIONS`.
        cuts: resets end some more episodes of ``sweep``, with accesses under way, and there is a case ``reset``.
    """

    def random(setting: CaseContext) -> list[Stimulus]:
        rng = np.random.default_rng([setting.seed, 21])
        return [bus_episode(look(setting), setting, rng, plain=False)]

    def sweep(setting: CaseContext) -> list[Stimulus]:
        return _swept(look(setting), setting, 22, cuts=cuts)

    def load(setting: CaseContext) -> list[Stimulus]:
        busy = replace(setting, options={**setting.options, **_LOAD})
        rng = np.random.default_rng([setting.seed, 24])
        return [bus_episode(look(setting), busy, rng, plain=True, places=False)]

    cases = (
        Case(
            name="random",
            summary="random bursts and accesses on every slave, memories behind every master, timing from the seed",
            make=random,
            options={**OPTIONS, **options},
            inputs=False,
        ),
        Case(
            name="sweep",
            summary="the same: at full speed, each ready held back until its valid, roughly, cut off by resets, long runs, stalls",
            make=sweep,
            options={**OPTIONS, **options},
            inputs=False,
        ),
        Case(
            name="load",
            summary="INCR bursts of whole words, as fast as it goes: what limits of throughput are held against",
            make=load,
            options={name: options.get(name, value) for name, value in _LOAD_OPTIONS.items()},
            inputs=False,
        ),
    )
    return (*cases, _reset_case(look, options)) if cuts else cases


def _reset_case(look: Look, options: Mapping[str, int | str | bool]) -> Case:
    """Many resets, each with an episode that shows what it has left."""

    def reset(setting: CaseContext) -> list[Stimulus]:
        numbers = range(int(setting.options["resets"]))
        return _cut_off(look(setting), setting, numbers, one_edge=bool(setting.options["one_edge"]))

    return Case(
        name="reset",
        summary="resets with accesses under way, and a few accesses after each",
        make=reset,
        options={**OPTIONS, **options, "resets": RESETS, "one_edge": False},
        inputs=False,
    )


def ram_episodes(port: MemoryPort, setting: CaseContext) -> list[Stimulus]:
    """Episodes of one slave that is taken to be a memory where the options say so; all else is silent.

    Args:
        port: widths as numbers.
        setting: with :data:`RAM_OPTIONS`.
    """
    base, size = int(setting.options["base"]), int(setting.options["bytes"])
    size = min(size, (1 << port.address_bits) - base)
    ports = BusPorts([port], [], [AddressStretch(base, size, (port.name,))])
    return _swept(ports, setting, 23)


def _swept(ports: BusPorts, setting: CaseContext, salt: int, *, cuts: bool = False) -> list[Stimulus]:
    """The episodes of ``sweep``: at full speed, without ready before valid, roughly, long, slow, and with small gaps."""
    rng = np.random.default_rng([setting.seed, salt])
    plain = bus_episode(ports, setting, rng, plain=True)
    held = withheld_episode(bus_episode(ports, setting, rng, plain=True), int(rng.integers(1 << 30)))
    rough_ones = [
        bus_episode(ports, replace(setting, relation=number), rng, plain=False) for number in range(_ROUGH_EPISODES)
    ]
    episodes = [plain, held, *rough_ones]
    for number in reversed(_CUTS) if cuts else ():
        # What a reset leaves behind shows in the episode after it.
        episodes.insert(number, cut_episode(ports, setting, number))
    resets = [*cut_in_each_cycle(ports, setting), *kept_episodes(ports, setting)] if cuts else []
    return [*episodes, *_deep(ports, setting), *resets]


def _deep(ports: BusPorts, setting: CaseContext) -> list[Stimulus]:
    """The long run, the slow episode, the one with small gaps, the one without any, and those of slaves that share storage."""
    return [
        long_run(ports, setting, LONG_RUN, pause_cycles(setting.numbers())),
        slow_episode(ports, setting),
        flowing_episode(ports, setting),
        *crowded_episodes(ports, setting),
        *filled_episodes(ports, setting),
        *ahead_episode(ports, setting),
        *near_episode(ports, setting),
        *refused_episode(ports, setting),
        *shared_episodes(ports, setting),
    ]


def beside_idle_streams(ports: BusPorts, setting: CaseContext, *, cuts: bool) -> list[Stimulus]:
    """What ``sweep`` adds for the buses of a design with streams, which are idle: long, slow, and cut off by resets."""
    return [*_cut_off(ports, setting, _CUTS if cuts else ()), *_deep(ports, setting)]


def _cut_off(
    ports: BusPorts, setting: CaseContext, numbers: Iterable[int], *, one_edge: bool = False
) -> list[Stimulus]:
    """Episodes that a reset cuts off, each with one that shows what the reset has left."""
    return [
        episode
        for number in numbers
        for episode in (
            replace(cut_episode(ports, setting, number), one_edge=one_edge),
            few_accesses(ports, setting, number),
        )
    ]


def some_memory(port: Bundle, rng: Rng) -> MemoryImage:
    """A memory of random bytes at the beginning of a master's addresses, up to 64 KiB."""
    size = min(1 << port.address_bits, _SOME_BYTES)
    return MemoryImage((Region("memory", 0, rng.integers(0, 256, size, dtype=np.uint8)),))
