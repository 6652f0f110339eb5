# SPDX-License-Identifier: Apache-2.0
"""Access patterns of host arrays, and tilers that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


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

    @classmethod
    def from_slice(cls, tensor_dims: Sequence[int], key: Any) -> TensorAccessPattern:
        """The pattern of ``array[key]``: slices with steps, numbers and ``...``.

        Raises:
            ValueError: nothing is left, or a step goes backwards.
        """
        shape = tuple(int(n) for n in tensor_dims)
        strides = tuple(int(np.prod(shape[n + 1 :])) for n in range(len(shape)))
        plain = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), shape, strides, writeable=False)
        view = plain[(np.newaxis, *(key if isinstance(key, tuple) else (key,)))]  # a view even of one element
        if not view.size or any(step < 0 for step in view.strides):
            raise ValueError(f"{key} of an array of {shape} is no walk forwards")
        offset = view.__array_interface__["data"][0] - plain.__array_interface__["data"][0]
        return cls(list(shape), int(offset), list(view.shape[1:]) or [1], list(view.strides[1:]) or [1])

    def access_order(self) -> npt.NDArray[np.int32]:
        """For each element of the array when it is moved, counted from 0; -1 if it is not."""
        return _order_of([self])

    def visualize(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn."""

    @property
    def transformation_dims(self) -> list[tuple[int, int]]:
        """(size, stride) pairs."""
        return list(zip(self.sizes, self.strides, strict=True))


def _order_of(patterns: Sequence[TensorAccessPattern]) -> npt.NDArray[np.int32]:
    dims = tuple(patterns[0].tensor_dims)
    found = np.full(int(np.prod(dims)), -1, np.int32)
    count = 0
    for one in patterns:
        at = np.array([one.offset])
        for size, stride in zip(one.sizes, one.strides, strict=True):
            at = (at[:, None] + np.arange(size) * stride).reshape(-1)
        found[at] = np.arange(count, count + len(at))
        count += len(at)
    return found.reshape(dims)


class PatternSequence(list[TensorAccessPattern]):
    """Patterns one after the other."""

    def access_order(self) -> npt.NDArray[np.int32]:
        """As of a pattern, counted over all of them."""
        return _order_of(self)

    def visualize(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn."""


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
    ) -> PatternSequence:
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
    ) -> PatternSequence:
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
        return PatternSequence(TensorAccessPattern([rows, columns], r * columns + c, sizes, strides) for r, c in spots)
