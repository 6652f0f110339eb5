# SPDX-License-Identifier: Apache-2.0
"""Numbers of descriptors that a sequence draws while it runs.

Source: mlir-aie's run-time library (``TxnEncoding.h``): a stack per tile, the lowest number on top at first.
"""

from __future__ import annotations

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.plan.tile import Tile


class BdPools:
    """Free numbers, tile by tile; those that the array's own DMA programs use are not among them.

    Args:
        array: whose descriptors they are.
    """

    def __init__(self, array: LiveArray) -> None:
        self.array = array
        self._free: dict[tuple[Tile, range], list[int]] = {}

    def _stack(self, tile: Tile, part: range | None) -> list[int]:
        numbers = range(tile.limits.bds) if part is None else part
        if (tile, numbers) not in self._free:
            self._free[tile, numbers] = [n for n in reversed(numbers) if n not in self.array.bds[tile]]
        return self._free[tile, numbers]

    def pop(self, tile: Tile, part: range | None = None) -> int:
        """A free number.

        Args:
            tile: where.
            part: the numbers to draw from, all where there is none.

        Raises:
            UsageError: there is none left.
        """
        stack = self._stack(tile, part)
        if not stack:
            raise UsageError(f"{tile}: the pool of descriptors is empty")
        return stack.pop()

    def push(self, tile: Tile, number: int, part: range | None = None) -> None:
        """Give a number back."""
        self._stack(tile, part).append(number)
