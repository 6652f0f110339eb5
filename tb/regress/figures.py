# SPDX-License-Identifier: Apache-2.0
"""What a result says about speed: cycles, simulated time, throughput of every port, latency."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import UnmeasurableError, latency, mean_rate
from goldbeat.pymodels.stimulus import Outcome
from goldbeat.tb.inside.job import Episode
from goldbeat.tb.run.counted import counted_payload
from goldbeat.tb.run.runs import RunResult


def cycles(outcome: Outcome) -> int:
    """The last cycle in which a stream transferred or a memory answered, plus one."""
    last = [int(t.cycle[-1]) for t in outcome.ports.values() if len(t)]
    for memory in outcome.memories.values():
        if memory.log is not None and len(memory.log):
            last += [int(memory.log[n].max()) for n in memory.log.dtype.names or () if n in ("last", "done")]
    return max(last, default=-1) + 1


def all_cycles(result: RunResult) -> int:
    """Summed over the episodes; what register accesses took counts where no stream moved."""
    total = 0
    for episode in result.episodes:
        streamed = cycles(episode.record.outcome)
        answers = [a.cycle for accesses in episode.record.accesses.values() for a in accesses if a.cycle is not None]
        total += streamed or max(answers, default=-1) + 1
    return total


def simulated_ps(episodes: Iterable[Episode]) -> int:
    """How long the streams ran, summed over the episodes."""
    return sum(e.run_ps if (stop := e.stimulus.stop_ps) is None else min(e.run_ps, stop) for e in episodes)


def port_figures(result: RunResult) -> dict[str, dict[str, Any]]:
    """Of every stream port in the main episode: direction, beats, frames, MB/s, share of what the port can carry."""
    episode = result.main_episode
    if episode is None:
        return {}
    figures: dict[str, dict[str, Any]] = {}
    for port in result.request.design.bundles(result.request.all_params):
        trace = episode.record.outcome.ports[port.name]
        # Stimulus of any bytes has rates in bytes alone.
        found = mean_rate(*counted_payload(trace, port.dtype))
        rate = found.rate
        figures[port.name] = {
            "direction": port.direction,
            "beats": found.beats,
            "frames": found.frames,
            "mb_per_s": None if rate is None else round(rate.mb_per_s, 3),
            "msamples_per_s": None if rate is None or rate.msamples_per_s is None else round(rate.msamples_per_s, 3),
            "share": None if found.share is None else round(found.share, 5),
        }
    return figures


def pair_latencies(result: RunResult) -> dict[str, Mapping[str, Any]]:
    """From every input to every output whose beats, or else frames, pair off; in picoseconds."""
    episode = result.main_episode
    if episode is None:
        return {}
    found: dict[str, Mapping[str, Any]] = {}
    ports = result.request.design.bundles(result.request.all_params)
    traces = episode.record.outcome.ports
    for source in (p.name for p in ports if p.direction == "in"):
        for sink in (p.name for p in ports if p.direction == "out"):
            for by in ("beat", "frame"):
                try:
                    got = latency(traces[source], traces[sink], by=by)
                except (UnmeasurableError, UsageError):
                    continue
                found[f"{source}->{sink}"] = {"by": by, "mean": round(got.mean_ps), "max": got.max_ps}
                break
    return found
