# SPDX-License-Identifier: Apache-2.0
"""How a register master makes the accesses of a program: when it offers what, and when it takes the answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.pattern import Pattern

ORDERS = ("together", "address-first", "data-first", "any")
"""When the address and the data of a write are first offered."""
MOST_OUTSTANDING = 8
"""Accesses without an answer that :meth:`RegisterTraffic.draw` allows at most."""

_BACK_PRESSURE = ("after-valid", "after-valid:5", "none", "random:0.5", "random:0.8", "bursty:6")


@dataclass(frozen=True)
class RegisterTraffic:
    """How a register master makes the accesses of a program.

    The default is one access at a time, address and data of a write together, every answer taken at once, no pauses. Golden
    models predict the cycles of that, and of nothing else; values are the same whatever the traffic is.

    Attributes:
        order: of the address and the data of a write: ``together``, ``address-first``, ``data-first``, or ``any``: drawn for
            each write. The second is offered 1 to ``distance`` cycles after the first, taken or not.
        distance: at least 1.
        gap: most idle cycles before an access; 0 to ``gap`` are drawn.
        outstanding: most accesses that have begun and not been answered. Above 1 the program must not mind: writes, reads, and
            reads beside writes overlap unless a read needs a byte that a write changes. Polls and waits stand alone.
        b_ready, r_ready: when write and read responses are taken: a pattern as
        :meth:`~goldbeat.pymodels.pattern.Pattern.parse` has it.
        seed: of all that is drawn.
        rest: cycles from the answer to a poll to its next access: whoever changes the word may need the way to it.
    """

    order: str = "together"
    distance: int = 4
    gap: int = 0
    outstanding: int = 1
    b_ready: str = "none"
    r_ready: str = "none"
    seed: int = 0
    rest: int = 0

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise UsageError(f"order: found {self.order!r}, expected one of {', '.join(ORDERS)}")
        for name, least in (("distance", 1), ("gap", 0), ("outstanding", 1), ("rest", 0)):
            if getattr(self, name) < least:
                raise UsageError(f"{name}: found {getattr(self, name)}, expected at least {least}")
        for text in (self.b_ready, self.r_ready):
            Pattern.parse(text)

    def __str__(self) -> str:
        """Its settings, long patterns as the number of their cycles."""
        return re.sub(r"array:[\d,]{40,}", lambda found: f"array of {found[0].count(',') + 1} cycles", repr(self))

    @property
    def plain(self) -> bool:
        """True for the behaviour of the default."""
        still = self.order == "together" and self.gap == self.rest == 0 and self.outstanding == 1
        return still and self.b_ready == self.r_ready == "none"

    def pattern(self, channel: str) -> Pattern:
        """The ready pattern of channel ``b`` or ``r``."""
        return Pattern.parse(self.b_ready if channel == "b" else self.r_ready, seed=2 * self.seed + (channel == "r"))

    @classmethod
    def draw(cls, rng: np.random.Generator, *, overlap: bool) -> RegisterTraffic:
        """Some traffic that is not plain.

        Args:
            rng: randomness.
            overlap: several accesses may be outstanding.
        """
        drawn = cls(
            order=str(rng.choice(ORDERS)),
            distance=int(rng.choice([1, 2, 4, 12])),
            gap=int(rng.choice([0, 0, 3, 10])),
            outstanding=int(rng.integers(2, MOST_OUTSTANDING + 1)) if overlap else 1,
            b_ready=str(rng.choice(_BACK_PRESSURE)),
            r_ready=str(rng.choice(_BACK_PRESSURE)),
            seed=int(rng.integers(1, 1 << 31)),
        )
        return replace(drawn, order="any") if drawn.plain else drawn
