# SPDX-License-Identifier: Apache-2.0
"""The masters in front of a design's AXI4 slave ports."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from goldbeat.pymodels.axi.burst import WRITE
from goldbeat.pymodels.axi.program import BurstProgram
from goldbeat.pymodels.errors import UsageError, WaitTimeoutError
from goldbeat.pymodels.stimulus import Clock
from goldbeat.tb.inside.job import BurstAnswers, Job
from goldbeat.tb.inside.transactors.base import load_agent, patience
from goldbeat.tb.kernel.axi import AxiMaster
from goldbeat.tb.kernel.simulation import Kernel


class BurstMasters:
    """One native master a port. A program that stands still is given up, and what it waits for is told."""

    def __init__(self, kernel: Kernel, job: Job) -> None:
        self._masters: dict[str, AxiMaster] = {
            port.name: load_agent(port.native["in"], port)(
                kernel, port.name, clock=port.clock, signals=port.harness(), **port.native_options()
            )
            for port in job.memories
            if port.direction == "in" and "in" in port.native
        }
        self._clocks = {port.name: port.clock for port in job.memories}
        self._given_up: list[str] = []

    def drop(self) -> None:
        """Forget the episode before."""
        for master in self._masters.values():
            master.reset()
        self._given_up = []

    async def run(self, port: str, program: BurstProgram, clocks: Mapping[str, Clock]) -> BurstAnswers:
        """Make all bursts, or those up to where nothing moves any more, with clocks of so long periods.

        Raises:
            UsageError: no such port.
        """
        if port not in self._masters:
            known = ", ".join(self._masters) or "none"
            raise UsageError(f"{port}: the design has no AXI4 slave port of that name; it has: {known}")
        master, bursts = self._masters[port], program.bursts
        limit = patience(self._clocks[port], clocks)
        rows = np.where((bursts.kind == WRITE)[bursts.of_beat][:, None], program.data, 0)
        try:
            result = await master.run(
                bursts,
                np.ascontiguousarray(rows, np.uint8),
                strobe=program.strobe,
                write_gaps=program.write_gaps,
                user=program.user,
                timing=program.timing,
                timeout=limit,
            )
        except WaitTimeoutError:
            self._given_up.append(f"axi_no_answer: {master.waiting} in {limit} cycles")
            none = np.full(len(bursts), -1, np.int64)
            nothing = np.zeros(len(rows), np.uint64)
            return BurstAnswers(none, none, none, none, rows, nothing.astype(np.uint8), nothing)
        answers = (result.response, result.offered, result.first, result.done, result.data)
        return BurstAnswers(*answers, result.beat_response, result.answer_user)

    def violations(self) -> list[str]:
        """Broken protocol rules, and programs that were given up."""
        seen = [text for master in self._masters.values() for text in master.violations]
        return [*seen, *self._given_up]
