# SPDX-License-Identifier: Apache-2.0
"""What a whole run says of its stream ports: their slowest windows, and what they did in each cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldbeat.pymodels.curves.port import PortWindow, port_windows, windows_json, worst_windows
from goldbeat.pymodels.curves.shares import Shares, port_shares
from goldbeat.tb.run.counted import counted_payload
from goldbeat.tb.run.runs import EpisodeResult, RunResult


@dataclass(frozen=True)
class PortService:
    """A port in all whole episodes of a run.

    Attributes:
        windows: the worst of each length.
        shares: of the cycles from first to last beat, over all episodes; None: not recorded.
    """

    windows: Sequence[PortWindow]
    shares: Shares | None

    def as_dict(self) -> dict[str, Any]:
        """For the report."""
        return {
            "windows": windows_json(self.windows),
            "shares": None if self.shares is None else self.shares.as_dict(),
        }


def run_service(results: Sequence[RunResult], counted: Mapping[str, str | None]) -> dict[str, PortService]:
    """Every stream port over all whole episodes of all seeds.

    Args:
        results: one a seed.
        counted: sample type of each port.
    """
    windows: dict[str, list[list[PortWindow]]] = {name: [] for name in counted}
    shares: dict[str, list[Shares]] = {name: [] for name in counted}
    for result, number, episode in _measured(results):
        for name, dtype in counted.items():
            trace = episode.record.outcome.ports.get(name)
            if trace is None or len(trace) < 2:
                continue
            found = port_windows(*counted_payload(trace, dtype))
            windows[name].append([replace(one, seed=result.seed, episode=number) for one in found])
            if (share := port_shares(trace, episode.record.stalled.get(name))) is not None:
                shares[name].append(share)
    return {name: PortService(worst_windows(windows[name]), _sum(shares[name])) for name in counted}


def _measured(results: Sequence[RunResult]) -> Iterator[tuple[RunResult, int, EpisodeResult]]:
    """The episodes that limits of streams look at."""
    for result in results:
        for number, episode in enumerate(result.episodes):
            stimulus = episode.stimulus
            if stimulus.stop_ps is None and not (stimulus.registers or stimulus.aside):
                yield result, number, episode


def _sum(shares: Sequence[Shares]) -> Shares | None:
    if not shares:
        return None
    return Shares(*(sum(getattr(one, name) for one in shares) for name in ("busy", "stalled", "starved")))
