# SPDX-License-Identifier: Apache-2.0
"""What a port did in each cycle from its first beat to its last: busy, stalled or starved."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.pattern import Stalled
from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True)
class Shares:
    """Cycles from the first beat of a port to its last.

    Attributes:
        busy: a beat transferred.
        stalled: VALID without READY.
        starved: no VALID.
    """

    busy: int
    stalled: int
    starved: int

    @property
    def cycles(self) -> int:
        """All of them."""
        return self.busy + self.stalled + self.starved

    def as_dict(self) -> dict[str, float]:
        """For JSON: parts of the cycles."""
        return {name: count / self.cycles for name, count in vars(self).items()}


def port_shares(trace: Trace, stalled: Stalled | None) -> Shares | None:
    """The shares of a port; None with fewer than two beats, or where nobody counted: a file has no READY.

    Args:
        trace: every beat of the port, on its clock.
        stalled: of the same beats.
    """
    if len(trace) < 2 or stalled is None:
        return None
    first, last = (int(trace[end].cycle[0]) for end in (slice(0, 1), slice(-1, None)))
    waited = stalled.cycles - (stalled.first if stalled.first_at == first else 0)
    return Shares(len(trace), waited, last - first + 1 - len(trace) - waited)
