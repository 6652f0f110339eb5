# SPDX-License-Identifier: Apache-2.0
"""One set of parameter values: built, run with all traffic, and held against the limits. This runs in a worker process."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.in_use import job_folder
from goldbeat.tb.paths import build_root
from goldbeat.tb.run.report import worst_status
from goldbeat.tb.run.runs import Request, RunResult, run
from goldbeat.tb.run.signoff import LimitCheck, Limits, Subject, check_subject, load_limits, measured_episodes
from goldbeat.tb.run.transactions import bus_directions

_REASONS = 4
"""Kept of a set of values."""


@dataclass(frozen=True)
class SizeJob:
    """What every set of values is run with.

    Attributes:
        request_of: makes a request of the arguments of ``goldbeat run``; a function of a module, as it goes to other processes.
        traffic: arguments of ``goldbeat run``, one list per traffic.
        limits: file of the limits.
        timeout_s: wall time of each run.
    """

    request_of: Callable[[Sequence[str]], Request]
    traffic: tuple[tuple[str, ...], ...]
    limits: Path
    timeout_s: float


@dataclass(frozen=True)
class SizePoint:
    """A set of values, and what came of it.

    Attributes:
        values: of the parameters, in order.
        keeps: all limits are kept, and all runs passed.
        refused: the design cannot be built or run with these values.
        reasons: why it does not keep them.
        measured: the worst value of each limit, by ``WHERE LIMIT``; the traffic behind the first that broke one is not run.
        unmodelled: outputs were not compared with a golden model.
        seconds: wall time.
    """

    values: tuple[int, ...]
    keeps: bool
    refused: bool = False
    reasons: tuple[str, ...] = ()
    measured: Mapping[str, float] = field(default_factory=dict)
    unmodelled: bool = False
    seconds: float = 0.0

    @property
    def total(self) -> int:
        """The sum of the values: what is made small."""
        return sum(self.values)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in vars(self).items()}

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> SizePoint:
        """What :meth:`as_dict` gave."""
        return cls(**{**said, "values": tuple(said["values"]), "reasons": tuple(said["reasons"])})


def measure_point(job: SizeJob, values: Mapping[str, int]) -> SizePoint:
    """Build and run one set of values.

    Args:
        job: what to run.
        values: by parameter.
    """
    began = time.monotonic()
    limits = load_limits(job.limits)
    point = SizePoint(tuple(values.values()), keeps=True)
    with job_folder(build_root()) as place:
        for words in job.traffic:
            try:
                request = job.request_of(words)
                request = replace(request, params={**request.params, **values})
                folder = Path(tempfile.mkdtemp(dir=place))
                results = run(request, folder, timeout_s=job.timeout_s)
                checks = _checks(results, limits)
                shutil.rmtree(folder, ignore_errors=True)
            except GoldbeatError as error:
                text = str(error).strip().splitlines()
                point = replace(point, keeps=False, refused=True, reasons=tuple(text[:_REASONS]))
                break
            point = _with(point, results, checks)
            if not point.keeps:
                break
    return replace(point, seconds=round(time.monotonic() - began, 3))


def _checks(results: Sequence[RunResult], limits: Limits) -> list[LimitCheck]:
    """The limits against a run that has not been written."""
    request = results[0].request
    design, params = request.design, request.all_params
    dtypes = {port.name: port.dtype for port in design.bundles(params)}
    guessed = request.guessed_ports()
    episodes = measured_episodes([e for r in results for e in r.whole_episodes], dtypes, guessed=guessed)
    status = worst_status(results)
    # Without a model, what comes out is not compared; sizes are about time.
    said = "pass" if status != "fail" and design.blessed is not None else status
    buses = bus_directions(design, params)
    return check_subject(Subject(request.label, list(dtypes), episodes, said, buses=buses), limits)


def _with(point: SizePoint, results: Sequence[RunResult], checks: Sequence[LimitCheck]) -> SizePoint:
    """The point with what one more traffic has shown."""
    measured = dict(point.measured)
    for check in checks:
        if isinstance(check.measured, (int, float)):
            name = f"{check.where} {check.name}"
            worse = min if check.name.startswith("min_") else max
            measured[name] = worse(measured.get(name, check.measured), check.measured)
    reasons = [*point.reasons, *_reasons(results, checks)][:_REASONS]
    unmodelled = point.unmodelled or any(r.unmodelled for r in results)
    keeps = point.keeps and all(check.passed for check in checks)
    return replace(point, keeps=keeps, reasons=tuple(reasons), measured=measured, unmodelled=unmodelled)


def _reasons(results: Sequence[RunResult], checks: Sequence[LimitCheck]) -> Iterable[str]:
    for result in results:
        for text in result.failures[:1]:
            yield f"seed {result.seed}: {text.splitlines()[0]}"
    for check in checks:
        if not check.passed and check.where != "run":
            yield f"{check.where} {check.name}: {check.reason}"
