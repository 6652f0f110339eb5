# SPDX-License-Identifier: Apache-2.0
"""What :meth:`Dut.run` gives: verdict, traces and figures, as Python has them and as a notebook shows them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.backlog import Backlog, BacklogUnit, backlog
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.measure import Latency, LatencyBy, Throughput, latency, measure
from goldbeat.pymodels.trace import Trace
from goldbeat.pymodels.transactions import Transactions
from goldbeat.tb.api.dut_page import run_html, run_text
from goldbeat.tb.design.measurements import RunAnswer
from goldbeat.tb.run.counted import counted_payload
from goldbeat.tb.run.runs import EpisodeResult, RunResult
from goldbeat.tb.run.transactions import episode_transactions


class DutRun:
    """One run against the golden model.

    Attributes:
        result: everything that is known of it.
    """

    def __init__(self, result: RunResult) -> None:
        self.result = result

    @property
    def status(self) -> str:
        """``pass``, ``fail``, ``partial`` or ``recorded`` (docs/running.md)."""
        return self.result.status

    @property
    def passed(self) -> bool:
        """True where outputs were compared with the model and nothing differs."""
        return self.result.passed

    @property
    def failures(self) -> tuple[str, ...]:
        """Everything that is wrong."""
        return self.result.failures

    def __bool__(self) -> bool:
        return self.passed

    @property
    def _episode(self) -> EpisodeResult:
        episode = self.result.main_episode
        if episode is None:
            raise UsageError("no episode was completed, so there is nothing to show; see .failures")
        return episode

    @property
    def traces(self) -> Mapping[str, Trace]:
        """What transferred, by stream port, in the first episode that failed, else in the last whole one."""
        return self._episode.record.outcome.ports

    @property
    def expected(self) -> Mapping[str, Trace]:
        """What the golden model predicted, likewise."""
        return self._episode.expected.ports

    @property
    def figures(self) -> dict[str, Throughput]:
        """Throughput, gaps and frames, by stream port."""
        design, params = self.result.request.design, self.result.request.all_params
        dtypes = {port.name: port.dtype for port in design.bundles(params)}
        return {name: measure(*counted_payload(t, dtypes[name])) for name, t in self.traces.items()}

    @property
    def transactions(self) -> dict[str, Transactions]:
        """Bursts and register accesses, by bus port that had any."""
        request, episode = self.result.request, self._episode
        return episode_transactions(request.design, request.all_params, episode.stimulus, episode.record)

    @property
    def memories(self) -> dict[str, Mapping[str, npt.NDArray[np.uint8]]]:
        """What the memories hold at the end: (size,) uint8 by memory port and region."""
        return {port: held.regions for port, held in self._episode.record.outcome.memories.items()}

    @cached_property
    def _answer(self) -> RunAnswer:
        return self.result.answer or RunAnswer("")

    @property
    def outputs(self) -> dict[str, npt.NDArray[Any]]:
        """What the design has computed, as arrays by name: tensors of a network, memories of a compiled model.

        Empty for designs that do not say what their memories mean.
        """
        kept = {n.removesuffix(".npy"): a for n, a in self._answer.files.items() if isinstance(a, np.ndarray)}
        return {**kept, **self._answer.outputs}

    @property
    def facts(self) -> Mapping[str, Any]:
        """What ``report.json`` says of the whole run, such as cycles or classes; empty where the design says nothing."""
        return self._answer.facts

    def latency(self, source: str, sink: str, *, by: LatencyBy = "beat") -> Latency:
        """From one port to another; raises as :func:`goldbeat.pymodels.measure.latency` does."""
        return latency(self._trace(source), self._trace(sink), by=by)

    def backlog(self, source: str, sink: str, *, unit: BacklogUnit = "beats") -> Backlog:
        """What was under way between two ports; raises as :func:`goldbeat.pymodels.backlog.backlog` does."""
        return backlog(self._trace(source), self._trace(sink), unit=unit)

    def _trace(self, name: str) -> Trace:
        if name not in self.traces:
            raise UsageError(f"no stream port {name!r}; there are: {', '.join(self.traces)}")
        return self.traces[name]

    def __repr__(self) -> str:
        return run_text(self.result)

    def _repr_html_(self) -> str:
        return run_html(self.result, {} if self.result.main_episode is None else self._shown())

    def _shown(self) -> dict[str, Any]:
        return {name: (self.traces[name], figure) for name, figure in self.figures.items()}
