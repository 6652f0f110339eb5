# SPDX-License-Identifier: Apache-2.0
"""A pipeline that is described by its stages, and what is predicted of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from goldbeat.pymodels.curves.compose import (
    EndlessBursts,
    PipelineStage,
    Prediction,
    arrival_curve,
    lowest_curve,
    predict_pipeline,
)
from goldbeat.pymodels.errors import InputError, naming
from goldbeat.pymodels.trace import Trace
from goldbeat.tb.run.signoff import load_run
from goldbeat.tb.size.sized_parameter import SizedParameter
from goldbeat.tb.toml import load_model

_MOST = 4096
"""Beats of a measured stream that are looked at."""
_MOST_CYCLES = 10**9
"""Of each number of a stage."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ChainTraffic(_Table):
    """What comes into the first stage; without this table, as many beats as it takes.

    Attributes:
        burst: beats in a row, one per cycle.
        every: least cycles from the start of a burst to the start of the next.
        run: folder of a run, whose traffic on ``port`` is taken.
        port: a stream port of that run.
    """

    burst: int | None = Field(default=None, ge=1)
    every: int | None = Field(default=None, ge=1)
    run: str | None = None
    port: str | None = None


class ChainStage(_Table):
    """A stage, as :class:`~goldbeat.pymodels.curves.compose.PipelineStage` has it."""

    name: str = ""
    work: int = Field(ge=1, le=_MOST_CYCLES)
    rest: int = Field(default=0, ge=0, le=_MOST_CYCLES)
    latency: int = Field(default=2, ge=1, le=_MOST_CYCLES)
    every: int = Field(default=1, ge=1, le=_MOST_CYCLES)
    depth: str = ""


class Chain(_Table):
    """A file: ``[traffic]`` and a ``[[stages]]`` table per stage, in the order of the beats."""

    traffic: ChainTraffic | None = None
    stages: Sequence[ChainStage] = Field(min_length=1)


def load_chain(path: Path) -> tuple[list[PipelineStage], Sequence[Trace] | EndlessBursts | None]:
    """The stages of a file, and the traffic of the first one: the episodes of a run, bursts, or all that it takes.

    Raises:
        InputError: not such a file, or traffic that is not known.
    """
    chain = load_model(Chain, path, "a pipeline (.toml)")
    if chain.traffic is not None and not chain.traffic.model_fields_set:
        raise InputError("[traffic] without a key", "burst and every, or run and port, or no [traffic]", file=path)
    stages = [PipelineStage(**s.model_dump()) for s in chain.stages]
    named = [replace(s, name=s.name or str(n), inside=min(1, s.latency - 1)) for n, s in enumerate(stages)]
    return named, _arrival(chain.traffic or ChainTraffic(), path)


def _arrival(traffic: ChainTraffic, path: Path) -> Sequence[Trace] | EndlessBursts | None:
    if (traffic.burst is None) != (traffic.every is None) or (traffic.run is None) != (traffic.port is None):
        raise InputError("[traffic] with one of two", "burst and every, or run and port", file=path)
    if traffic.run is not None and traffic.burst is not None:
        raise InputError("[traffic] with burst and run", "one of both", file=path)
    if traffic.burst is not None and traffic.every is not None:
        if traffic.every < traffic.burst:
            raise InputError(f"every = {traffic.every}", f"at least the {traffic.burst} cycles of a burst", file=path)
        return EndlessBursts(traffic.burst, traffic.every)
    if traffic.run is None:
        return None
    subject = load_run(path.parent / traffic.run)
    found = [at.ports[name].trace for at in subject.of_streams() for name in at.ports if name == traffic.port]
    if not any(len(trace) for trace in found):
        raise InputError(f"port = {traffic.port!r}", f"one with beats of {', '.join(subject.names)}", file=path)
    return [trace[:] for trace in found if len(trace)]


def predict_chain(path: Path) -> tuple[list[PipelineStage], Prediction]:
    """The stages of a file and what is predicted of them.

    Raises:
        InputError: as :func:`load_chain`; a stage that does not keep up with its input.
    """
    stages, arrival = load_chain(path)
    with naming(path):
        if arrival is None or isinstance(arrival, EndlessBursts):
            return stages, predict_pipeline(stages, arrival)
        # The curve of all is as long as the longest episode: each by itself shows whether the stages keep up with it.
        curves = [arrival_curve([trace], _MOST) for trace in arrival]
        alone = [predict_pipeline(stages, curve) for curve in curves]
        found = predict_pipeline(stages, lowest_curve(curves))
        return stages, replace(found, whole=replace(found.whole, rate=max(one.whole.rate for one in alone)))


def predicted_depths(path: Path) -> dict[str, int]:
    """The depth that is enough for each parameter that the stages of a file name; for several FIFOs, the deepest."""
    stages, found = predict_chain(path)
    depths: dict[str, int] = {}
    for stage, bounds in zip(stages, found.stages, strict=True):
        if stage.depth:
            depths[stage.depth] = max(bounds.depth, depths.get(stage.depth, 0))
    return depths


def within_prediction(
    parameters: Sequence[SizedParameter], depths: Mapping[str, int], given: Sequence[str]
) -> list[SizedParameter]:
    """Parameters with no values above the depth that is predicted to be enough.

    Args:
        parameters: what is sized.
        depths: predicted, by parameter.
        given: ``--param`` as the user gave it; one without values gets all up to the prediction.
    """
    found = []
    for one in parameters:
        depth = depths.get(one.name)
        if depth is None:
            found.append(one)
            continue
        ranged = any("=" in text and one.values for text in given)
        values = one.values if ranged else tuple(range(1, depth + 1))
        enough = [v for v in values if v >= depth][:1]
        found.append(replace(one, values=tuple(v for v in values if v < depth) + tuple(enough) or values))
    return found
