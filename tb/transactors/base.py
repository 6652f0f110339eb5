# SPDX-License-Identifier: Apache-2.0
"""What every back end of transactors does. The unit is a whole trace, never a beat."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from pymodels.stimulus import Access, Outcome, Stimulus
from tb.job import AccessResult


class Transactors(ABC):
    """The sources, sinks and register masters of one design.

    An episode calls, in this order: :meth:`reset` (resets are asserted, clocks run), :meth:`load`,
    :meth:`program` (any number), :meth:`start`, and after the run :meth:`stop`.
    """

    @abstractmethod
    def reset(self) -> None:
        """Drop everything: no valid, no ready, nothing recorded."""

    @abstractmethod
    def load(self, stimulus: Stimulus) -> None:
        """Take the traces and patterns of an episode."""

    @abstractmethod
    def start(self, origin_ps: int, *, settled: bool) -> None:
        """Let the streams run.

        Args:
            origin_ps: simulation time of the start; edge k of a clock comes at ``origin_ps + clock.time(k)``.
            settled: the design has been out of reset for long, so sources may offer at edge 0 already.
        """

    @abstractmethod
    async def program(self, port: str, accesses: Sequence[Access]) -> list[AccessResult]:
        """Make register accesses one after the other."""

    @abstractmethod
    def stop(self) -> tuple[Outcome, tuple[str, ...], tuple[str, ...]]:
        """End the run: transfers recorded since :meth:`start` (no status), protocol violations, what is still waiting."""
