# SPDX-License-Identifier: Apache-2.0
"""Which register makes two runs differ that began with other initial values: as far as their waves tell.

Every register without a reset differs at the release of reset; most of them hold data that nothing looks at. What is named first
is one that still differs where the ports begin to differ, and that has moved until then: a counter or a state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.source_text import read_code
from goldbeat.tb.run.waves import WaveSignal, wave_signals

_ASSIGNED = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*<=")


@dataclass(frozen=True)
class Suspect:
    """A signal of the design that differs.

    Attributes:
        name: its path, from the design's top module on.
        one, other: what it holds in the two runs at the release of reset.
    """

    name: str
    one: str
    other: str


@dataclass(frozen=True)
class RunWaves:
    """The waves of a run, and where in them an episode is.

    Attributes:
        path: of the file.
        released_ps: the episode's release of reset.
        origin_ps: the instant from which cycles are counted.
    """

    path: Path
    released_ps: int
    origin_ps: int


def suspects(
    runs: tuple[RunWaves, RunWaves], top: str, ports: Iterable[Bundle], sources: Iterable[Path], seen_ps: int
) -> list[Suspect]:
    """Registers that differ at the release of reset and until the ports differ, likeliest first.

    Args:
        runs: the two.
        top: the design's top module.
        ports: its bundles, widths as numbers.
        sources: its files, which tell registers (``name <=``) from wires.
        seen_ps: when the first port was seen to differ, counted from the origin; 0: not known.
    """
    one, other = (wave_signals(run.path, run.released_ps) for run in runs)
    known = [seen_ps + runs[0].origin_ps - runs[0].released_ps] if seen_ps > 0 else []
    outputs = {
        f"{TOP}.{port.name}_{w.name}"
        for port in ports
        for w in port.wires()
        if w.way == "output" and w.name in port.spec.always
    }
    for name in outputs & one.keys() & other.keys():
        at = _parting(one[name], other[name])
        known += [] if at is None else [at]
    until = min(known, default=None)
    assigned = set(_ASSIGNED.findall("".join(read_code(path) for path in sources)))
    found = []
    for name in one.keys() & other.keys():
        held = one[name].at(0), other[name].at(0)
        if not name.startswith(f"{TOP}.dut.") or held[0] == held[1]:
            continue
        if until is not None and one[name].at(until - 1) == other[name].at(until - 1):
            continue
        wire = name.rpartition(".")[2].partition("[")[0] not in assigned
        still = not (one[name].moves(until) or other[name].moves(until))
        suspect = Suspect(f"{top}{name.removeprefix(f'{TOP}.dut')}", _shown(held[0]), _shown(held[1]))
        found.append(((wire, still, one[name].width, name), suspect))
    return [suspect for _, suspect in sorted(found, key=lambda pair: pair[0])]


def _parting(one: WaveSignal, other: WaveSignal) -> int | None:
    """When two signals that are equal at the release of reset differ first."""
    times = sorted({0, *(t for steps in (one, other) for t in steps.times if t > 0)})
    return next((t for t in times if one.at(t) != other.at(t)), None)


def _shown(value: Any) -> str:
    return hex(value) if isinstance(value, int) else str(value)
