# SPDX-License-Identifier: Apache-2.0
"""Access patterns of host arrays, and tilers that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TensorAccessPattern:
    """Which elements of a host array are moved, and in which order.

    Attributes:
        tensor_dims: shape of the array.
        offset: first element.
        sizes, strides: up to four of each, outermost first, in elements.
    """

    tensor_dims: Sequence[int]
    offset: int
    sizes: Sequence[int]
    strides: Sequence[int]


ElementPattern = TensorAccessPattern
"""The same by a short name."""


class TensorTiler2D:
    """Patterns of the tiles of a matrix."""

    @classmethod
    def simple_tiler(
        cls,
        tensor_dims: Sequence[int],
        tile_dims: Sequence[int] | None = None,
        tile_col_major: bool = False,
        iter_col_major: bool = False,
        pattern_repeat: int = 1,
        prune_step: bool = True,
    ) -> list[TensorAccessPattern]:
        """A pattern for each tile.

        Args:
            tensor_dims: rows and columns of the matrix.
            tile_dims: of a tile; the whole matrix if there is none.
            tile_col_major: go down the columns of a tile.
            iter_col_major: tiles in the order of columns.
            pattern_repeat: move every tile so often.
            prune_step: accepted, without effect.

        Raises:
            ValueError: tiles that do not cover the matrix.
        """
        return cls.group_tiler(
            tensor_dims,
            tensor_dims if tile_dims is None else tile_dims,
            tile_col_major=tile_col_major,
            iter_col_major=iter_col_major,
            pattern_repeat=pattern_repeat,
        )

    @classmethod
    def group_tiler(
        cls,
        tensor_dims: Sequence[int],
        tile_dims: Sequence[int],
        tile_group_dims: Sequence[int] | None = None,
        tile_col_major: bool = False,
        tile_group_col_major: bool = False,
        iter_col_major: bool = False,
        pattern_repeat: int = 1,
        allow_partial: bool = False,
        prune_step: bool = True,
    ) -> list[TensorAccessPattern]:
        """A pattern for each group of tiles that are side by side; arguments as of :meth:`simple_tiler`.

        Raises:
            ValueError: groups that do not cover the matrix.
        """
        rows, columns = (int(n) for n in tensor_dims)
        height, width = (int(n) for n in tile_dims)
        down, right = (1, 1) if tile_group_dims is None else (int(n) for n in tile_group_dims)
        if rows % (height * down) or columns % (width * right):
            raise ValueError(f"groups of {down} x {right} tiles of {height} x {width} do not cover {rows} x {columns}")
        inner = [(height, columns), (width, 1)]
        outer = [(down, height * columns), (right, width)]
        walk = (outer[::-1] if tile_group_col_major else outer) + (inner[::-1] if tile_col_major else inner)
        if pattern_repeat > 1:
            walk = [(pattern_repeat, 0), *(p for p in walk if p[0] > 1)]
            if len(walk) > 4:
                raise ValueError("a repeated pattern of more than four dimensions")
            walk = [(1, 0)] * (4 - len(walk)) + walk
        spots = [(r, c) for r in range(0, rows, height * down) for c in range(0, columns, width * right)]
        if iter_col_major:
            spots.sort(key=lambda spot: (spot[1], spot[0]))
        sizes, strides = [n for n, _ in walk], [s if n > 1 else 0 for n, s in walk]
        strides[-1] = walk[-1][1]
        return [TensorAccessPattern([rows, columns], r * columns + c, sizes, strides) for r, c in spots]
