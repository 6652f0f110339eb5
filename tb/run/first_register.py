# SPDX-License-Identifier: Apache-2.0
"""Which register makes two runs differ that began with other initial values: as far as their waves tell.

Every register without a reset differs at the release of reset; most of them hold data that nothing looks at. What is named first
is one that still differs where the ports begin to differ, and that has moved until then: a counter or a state.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.ports.bundle import Bundle

WAVES_READER = "pywellen"
"""The package that reads wave files; without it no register is named."""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_ASSIGNED = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*<=")
_HANDSHAKE = re.compile(r"valid|ready|psel|penable")


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
    one, other = ({n: _Steps(s, run.released_ps) for n, s in _signals(run.path).items()} for run in runs)
    known = [seen_ps + runs[0].origin_ps - runs[0].released_ps] if seen_ps > 0 else []
    outputs = {f"{TOP}.{port.name}_{w.name}" for port in ports for w in port.wires() if w.way == "output"}
    for name in outputs & one.keys() & other.keys():
        if _HANDSHAKE.search(name.rpartition("_")[2]):
            at = _parting(one[name], other[name])
            known += [] if at is None else [at]
    until = min(known, default=None)
    assigned = set(_ASSIGNED.findall("".join(_COMMENT.sub(" ", path.read_text(errors="replace")) for path in sources)))
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


class _Steps:
    """A signal's values, by time since the release of reset."""

    def __init__(self, signal: _Signal, released_ps: int) -> None:
        self.width = signal.width
        self.times = [time - released_ps for time, _ in signal.changes]
        self.values = [value for _, value in signal.changes]

    def at(self, time: int) -> Any:
        """Its value then; None before the first one."""
        index = bisect.bisect_right(self.times, time) - 1
        return self.values[index] if index >= 0 else None

    def moves(self, until: int | None) -> bool:
        """It changes after the release, before ``until``."""
        return any(time > 0 and (until is None or time < until) for time in self.times)


def _parting(one: _Steps, other: _Steps) -> int | None:
    """When two signals that are equal at the release of reset differ first."""
    times = sorted({0, *(t for steps in (one, other) for t in steps.times if t > 0)})
    return next((t for t in times if one.at(t) != other.at(t)), None)


@dataclass(frozen=True)
class _Signal:
    """Bits of a signal, and time and value of each of its changes, in order."""

    width: int
    changes: Sequence[tuple[int, Any]]


def _signals(path: Path) -> Mapping[str, _Signal]:
    """All signals of a wave file by their paths."""
    import pywellen

    return {var.full_name: _Signal(var.bitwidth or 1, var.tv) for var in pywellen.Waveform(str(path)).all_vars()}


def _shown(value: Any) -> str:
    return hex(value) if isinstance(value, int) else str(value)
