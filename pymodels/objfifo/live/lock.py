# SPDX-License-Identifier: Apache-2.0
"""A lock's value."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.objfifo.live.agent import Blocked


@dataclass
class LiveLock:
    """A counting semaphore.

    An acquire that waits for one value leaves it as it is; one that waits until a value is reached subtracts it. Source:
    mlir-aie's ``aie.use_lock``; its barriers rely on that.

    Attributes:
        name: for reports.
        value: as it stands.
        initial: as it was configured.
    """

    name: str
    value: int = 0
    initial: int = 0

    def take(self, count: int, *, equal: bool = False) -> bool:
        """Subtract ``count`` if the value has reached it, or see that it equals ``count``; True if so."""
        if equal:
            return self.value == count
        if self.value < count:
            return False
        self.value -= count
        return True

    def blocked(self, count: int, *, equal: bool = False) -> Blocked:
        """What a program that acquires it waits for."""
        what = "to equal" if equal else "to reach"
        return Blocked(f"lock {self.name} {what} {count}", lambda: self.take(count, equal=equal))
