# SPDX-License-Identifier: Apache-2.0
"""The second run of ``--x-check``: the same episodes with other initial values, and in what they differ."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.design import Design
from goldbeat.tb.extras import module_hint
from goldbeat.tb.inside.job import Episode, Record
from goldbeat.tb.run.first_register import RunWaves, Suspect, suspects
from goldbeat.tb.run.initial_values import OTHER_SEED, Difference, first_difference, in_episode, with_other_values
from goldbeat.tb.run.simulate import SimulatorResult
from goldbeat.tb.run.waves import WAVES_READER, waves_readable

FOLDER = "x-check"
"""The folder of the second run's files, in that of the first."""
_KEPT = 20


@dataclass(frozen=True)
class Differing:
    """An episode that differs.

    Attributes:
        episode: its number.
        text: in what, and which register was found for it.
        registers: those found, likeliest first, at most 20; none without waves, nor behind the first episode that differs.
        count: how many were found.
    """

    episode: int
    text: str
    registers: tuple[Suspect, ...] = ()
    count: int = 0


def second_run(
    simulated: Callable[..., SimulatorResult], episodes: Sequence[Episode], folder: Path, seed: int
) -> SimulatorResult:
    """Run the same episodes once more with other initial values, in a folder of their own."""
    (folder / FOLDER).mkdir(exist_ok=True)
    return simulated(with_other_values(episodes), folder / FOLDER, seed=seed + OTHER_SEED)


def differing(
    design: Design,
    params: Mapping[str, Any],
    stimuli: Mapping[int, Sequence[Stimulus]],
    one: SimulatorResult,
    other: SimulatorResult,
) -> dict[int, tuple[Differing, ...]]:
    """By seed, what differs between two runs of its episodes with different initial values.

    Args:
        design: what was simulated.
        params: its parameters.
        stimuli: of all episodes, by seed.
        one: the run with the initial values of the seed.
        other: with others.
    """
    found: dict[int, tuple[Differing, ...]] = {}
    pairs = iter(zip(one.records, other.records, strict=False))
    for seed, steps in stimuli.items():
        episodes = []
        for number, stimulus in enumerate(steps):
            pair = next(pairs, None)
            if pair is None:
                text = other.failure or "x_check: the second run stopped"
                episodes.append(Differing(number, in_episode(number, steps, text)))
                break
            difference = first_difference(stimulus, *pair)
            if difference is not None:
                # The register that has broken the first episode is most likely that of all others.
                registers = [] if episodes else _registers(design, params, difference, one, other, pair)
                text = in_episode(number, steps, difference.text + _said(registers, one, first=not episodes))
                episodes.append(Differing(number, text, tuple(registers[:_KEPT]), len(registers)))
        found[seed] = tuple(episodes)
    return found


def _registers(
    design: Design,
    params: Mapping[str, Any],
    difference: Difference,
    one: SimulatorResult,
    other: SimulatorResult,
    pair: tuple[Record, Record],
) -> list[Suspect]:
    """Those that the waves show, where there are some of the whole run."""
    several = [path for run in (one, other) if run.waves is not None for path in run.waves.parent.glob("waves-*")]
    if one.waves is None or other.waves is None or several or not waves_readable():
        return []
    files = [RunWaves(w, r.released_ps, r.origin_ps) for w, r in zip((one.waves, other.waves), pair, strict=True)]
    ports = (*design.bundles(params), *design.register_ports(params), *design.memory_ports(params))
    return suspects((files[0], files[1]), design.top, ports, design.sources(), difference.seen_ps)


def _said(registers: Sequence[Suspect], one: SimulatorResult, *, first: bool) -> str:
    """The likeliest register, or how to see one."""
    if not registers:
        if one.waves is not None and first and not waves_readable():
            return f"; to see which register differs, {module_hint(WAVES_READER)}"
        return ""
    suspect, others = registers[0], len(registers) - 1
    more = f"; {others} more in report.json" if others else ""
    return f"; first register that differs: {suspect.name}, {suspect.one} and {suspect.other} out of reset{more}"
