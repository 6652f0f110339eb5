# SPDX-License-Identifier: Apache-2.0
"""What cores have done in an execution: acquires and releases in order, with the objects that they gave."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.plan.access import LockAccess
from goldbeat.pymodels.objfifo.plan.tile import Tile


@dataclass(frozen=True)
class CoreDeed:
    """One acquire or release.

    Attributes:
        access: what was asked for; the last acquire may never have been granted.
        objects: the words of each object that a release of a producer's end gave, oldest first.
    """

    access: LockAccess
    objects: tuple[npt.NDArray[np.uint32], ...] = ()


@dataclass
class CoreRun:
    """A core's execution from its start to its end.

    Attributes:
        name: of the core, or of an end of a fifo that no program uses.
        tile: where it is.
        deeds: in order.
    """

    name: str
    tile: Tile
    deeds: list[CoreDeed] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Tile and name: workers of one function have the same name."""
        return f"{self.tile.name} {self.name}"
