# SPDX-License-Identifier: Apache-2.0
"""What a whole run says of its stream ports: their slowest windows, what they did in each cycle, and their latencies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from goldbeat.pymodels.curves.port import PortWindow, port_windows, windows_json, worst_windows
from goldbeat.pymodels.curves.shares import Shares, port_shares
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import LatencyBy, UnmatchedError, UnmeasurableError, latencies, latency_figures
from goldbeat.tb.run.counted import counted_payload
from goldbeat.tb.run.runs import EpisodeResult, RunResult

MOST_PAIRED = 2_000_000
"""Beats of a pair of ports up to which latencies are computed without being asked for."""
MOST_PAIRS = 8
"""Pairs of ports that are shown."""


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


def run_latencies(results: Sequence[RunResult], directions: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """For the report: from each input to each output whose beats, or else frames, are equal in number in every whole episode.

    Each figure is the worst of all episodes, as limits look at it.

    Args:
        results: one a seed.
        directions: ``in`` or ``out`` by port.
    """
    inputs, outputs = ([n for n, way in directions.items() if way == end] for end in ("in", "out"))
    found: dict[str, dict[str, Any]] = {}
    for source, sink in ((a, b) for a in inputs for b in outputs):
        if len(found) == MOST_PAIRS:
            break
        for by in _KINDS:
            took = _worst_latencies(results, source, sink, by)
            if took is not None:
                found[f"{source}->{sink}"] = took
                break
    return found


_KINDS: tuple[LatencyBy, ...] = ("beat", "frame")


def _worst_latencies(results: Sequence[RunResult], source: str, sink: str, by: LatencyBy) -> dict[str, Any] | None:
    """The worst figures of one path; None where an episode does not match, or none has it."""
    worst: dict[str, float] = {}
    place: dict[str, Any] = {}
    measured = 0
    for result, number, episode in _measured(results):
        ports = episode.record.outcome.ports
        if source not in ports or sink not in ports:
            continue
        if max(len(ports[source]), len(ports[sink])) > MOST_PAIRED:
            return None
        try:
            took = latencies(ports[source], ports[sink], by=by, kept_inside=True)
        except (UnmatchedError, UsageError):
            return None
        except UnmeasurableError:
            continue
        measured += 1
        figures = latency_figures(took)
        if figures["max_ns"] > worst.get("max_ns", -1):
            place = {"seed": result.seed, "episode": number}
        for name, value in figures.items():
            worst[name] = max(value, worst.get(name, 0.0))
    if not measured:
        return None
    return {"by": by, "episodes": measured, **{name: value / 1000 for name, value in worst.items()}, "worst": place}
