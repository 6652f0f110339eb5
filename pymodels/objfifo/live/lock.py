# SPDX-License-Identifier: Apache-2.0
"""A lock's value."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.objfifo.live.agent import Blocked


@dataclass
class LiveLock:
    """A counting semaphore.

    Attributes:
        name: for reports.
        value: as it stands.
        initial: as it was configured.
    """

    name: str
    value: int = 0
    initial: int = 0

    def take(self, count: int, *, equal: bool = False) -> bool:
        """Subtract ``count`` if the value has reached it (or equals it); True if so."""
        if self.value == count if equal else self.value >= count:
            self.value -= count
            return True
        return False

    def blocked(self, count: int, *, equal: bool = False) -> Blocked:
        """What a program that acquires it waits for."""
        what = "to equal" if equal else "to reach"
        return Blocked(f"lock {self.name} {what} {count}", lambda: self.take(count, equal=equal))
