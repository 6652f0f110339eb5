# SPDX-License-Identifier: Apache-2.0
"""The timeline of a run: which episode, and what the trace says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.run.runs import EpisodeResult, RunResult
from goldbeat.tb.timeline.compose import TimelineEpisode, compose_timeline
from goldbeat.tb.timeline.write import MOST_SLICES, Unit, write_timeline


def save_timeline(
    result: RunResult,
    path: Path,
    *,
    number: int | None = None,
    unit: Unit = "ns",
    most: int = MOST_SLICES,
    beside: Sequence[Any] = (),
) -> dict[str, Any]:
    """Write the trace of an episode, and give its metadata.

    Args:
        result: of one seed.
        path: overwritten.
        number: of the episode; None: the one that reports show, else the last.
        unit: of the times.
        most: slices of a row.
        beside: events of another trace, for the same file.

    Raises:
        UsageError: there is no such episode.
    """
    request = result.request
    chosen, episode = _episode(result, number)
    design = request.design
    made = TimelineEpisode(
        design, request.all_params, episode.stimulus, episode.expected, episode.record, request.transactors == "native"
    )
    facts = {
        "design": design.name,
        "case": request.case.name,
        "params": {name: _plain(value) for name, value in request.all_params.items()},
        "seed": result.seed,
        "episode": chosen,
        "label": episode.stimulus.label,
        "status": result.status,
        # Cycles of a model that knows none are those of its beats' order.
        "model_has_cycles": design.timed,
        "order_compared": design.ordered,
        "repeat": request.command(result.seed),
    }
    return write_timeline(compose_timeline(made, facts), path, unit, most, beside)


def _episode(result: RunResult, number: int | None) -> tuple[int, EpisodeResult]:
    if not result.episodes:
        raise UsageError(f"{result.request.label}, seed {result.seed}: no episode ended; there is no timeline")
    if number is None:
        main = result.main_episode
        return (
            (result.episodes.index(main), main) if main is not None else (len(result.episodes) - 1, result.episodes[-1])
        )
    if not 0 <= number < len(result.episodes):
        raise UsageError(f"--episode {number}: expected 0 to {len(result.episodes) - 1}")
    return number, result.episodes[number]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
