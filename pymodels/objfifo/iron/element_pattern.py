# SPDX-License-Identifier: Apache-2.0
"""Access patterns of host arrays, and tilers that make them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import EllipsisType
from typing import Any, overload

import numpy as np
import numpy.typing as npt


def _row_strides(sizes: Sequence[int]) -> list[int]:
    """Strides of an array that is stored row by row."""
    return [math.prod(sizes[n + 1 :]) for n in range(len(sizes))]


def _divided(size: int, by: int, what: str) -> int:
    if int(by) < 1 or size % int(by):
        raise ValueError(f"found {what} of {size} elements, expected a multiple of {by}")
    return size // int(by)


@dataclass(frozen=True, eq=False)
class TensorAccessPattern:
    """Which elements of an array are moved, and in which order.

    Patterns are made by their numbers, or from that of a whole array: sliced like an array, permuted, tiled, padded.
    Those with the same elements in the same order, by their numbers, are equal.

    Source: mlir-aie ``python/helpers/taplib/tap.py``, autumn 2026.

    Attributes:
        tensor_dims: shape of the array, at least rows and columns.
        offset: first element.
        sizes, strides: outermost first, in elements; strides of outer sizes of 1 are 0.
        padding: elements of a constant before and after each pass of a dimension; None if there are none.

    Raises:
        ValueError: an offset outside the array, a size below 1, a stride below 0, or not one stride per size.
    """

    tensor_dims: Sequence[int]
    offset: int
    sizes: Sequence[int]
    strides: Sequence[int]
    padding: tuple[tuple[int, int], ...] | None = None

    def __post_init__(self) -> None:
        shape = [int(n) for n in self.tensor_dims]
        if not shape or min(shape) < 1 or not 0 <= self.offset < math.prod(shape):
            raise ValueError(f"found element {self.offset} of an array of {shape}, expected one of its elements")
        if not self.sizes or len(self.sizes) != len(self.strides) or min(self.sizes) < 1 or min(self.strides) < 0:
            raise ValueError(
                f"found sizes {list(self.sizes)} and strides {list(self.strides)}, expected sizes of at least 1 and a "
                "stride of at least 0 for each"
            )
        outer = next((n for n, size in enumerate(self.sizes[:-1]) if size != 1), len(self.sizes) - 1)
        object.__setattr__(self, "tensor_dims", shape if len(shape) > 1 else [1, *shape])
        object.__setattr__(self, "sizes", list(self.sizes))
        object.__setattr__(self, "strides", [0] * outer + list(self.strides[outer:]))

    @classmethod
    def full(cls, tensor_dims: Sequence[int]) -> TensorAccessPattern:
        """All elements of an array, row by row."""
        shape = [int(n) for n in tensor_dims]
        return cls(shape, 0, shape, _row_strides(shape))

    @classmethod
    def from_slice(cls, tensor_dims: Sequence[int], key: Any) -> TensorAccessPattern:
        """The pattern of ``array[key]``: slices with steps, numbers and ``...``.

        Raises:
            ValueError: nothing is left, or a step goes backwards.
        """
        return cls.full(tensor_dims)[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorAccessPattern) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        short = self if self.padding else self.coalesce()
        return tuple(self.tensor_dims), self.offset, tuple(short.sizes), tuple(short.strides), self.padding

    def _with(self, sizes: Sequence[int], strides: Sequence[int], offset: int | None = None) -> TensorAccessPattern:
        if self.padding is not None:
            raise ValueError("found a change of a padded pattern, expected pad() at the end")
        return TensorAccessPattern(self.tensor_dims, self.offset if offset is None else offset, sizes, strides)

    @property
    def rank(self) -> int:
        """Dimensions of the walk."""
        return len(self.sizes)

    @property
    def numel(self) -> int:
        """Elements that are moved, padding not counted."""
        return math.prod(self.sizes)

    @property
    def padded_sizes(self) -> tuple[int, ...]:
        """Sizes with the padding."""
        return tuple(n + sum(p) for n, p in zip(self.sizes, self.padding or [(0, 0)] * self.rank, strict=True))

    # -- other walks of the same array --------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> TensorAccessPattern:
        """The part of the walk that numpy's ``[key]`` takes: numbers, slices with steps, ``None`` and ``...``.

        Raises:
            ValueError: nothing is left, a step goes backwards, or another key.
        """
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, bool) or not isinstance(k, int | np.integer | slice | None | EllipsisType) for k in keys):
            raise ValueError(f"{key}: expected numbers, slices, None and ...")
        plain = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), self.sizes, self.strides, writeable=False)
        view = plain[(np.newaxis, *keys)]  # a view even of one element
        if not view.size or any(step < 0 for step in view.strides):
            raise ValueError(f"{key} of an array of {tuple(self.sizes)} is no walk forwards")
        moved = view.__array_interface__["data"][0] - plain.__array_interface__["data"][0]
        return self._with(list(view.shape[1:]) or [1], list(view.strides[1:]) or [1], self.offset + int(moved))

    def __iter__(self) -> Iterator[TensorAccessPattern]:
        return (self[n] for n in range(self.sizes[0]))

    def permute(self, axes: Sequence[int]) -> TensorAccessPattern:
        """The dimensions in another order."""
        order = [int(n) for n in axes]
        if sorted(order) != [*range(self.rank)]:
            raise ValueError(f"found axes {order}, expected each of {[*range(self.rank)]} once")
        return self._with([self.sizes[n] for n in order], [self.strides[n] for n in order])

    @property
    def T(self) -> TensorAccessPattern:  # noqa: N802 - upstream's name
        """The dimensions in reverse order."""
        return self.permute([*range(self.rank)][::-1])

    def split(self, dim: int, inner: int) -> TensorAccessPattern:
        """A dimension as two, of which the inner one has this size."""
        dim = range(self.rank)[dim]
        size, stride = self.sizes[dim], self.strides[dim]
        outer = _divided(size, inner, f"dimension {dim}")
        sizes = [*self.sizes[:dim], outer, int(inner), *self.sizes[dim + 1 :]]
        return self._with(sizes, [*self.strides[:dim], stride * int(inner), stride, *self.strides[dim + 1 :]])

    def merge(self, dim: int) -> TensorAccessPattern:
        """A dimension and the next one as one, if it goes on where that ends."""
        dim = range(self.rank - 1)[dim]
        (outer, step), (inner, stride) = self.transformation_dims[dim : dim + 2]
        if outer != 1 and step != inner * stride:
            raise ValueError(
                f"found stride {step} of dimension {dim}, expected {inner * stride} to merge it with the next"
            )
        sizes = [*self.sizes[:dim], outer * inner, *self.sizes[dim + 2 :]]
        return self._with(sizes, [*self.strides[:dim], stride, *self.strides[dim + 2 :]])

    def coalesce(self) -> TensorAccessPattern:
        """The same walk in as few dimensions as possible."""
        found: list[tuple[int, int]] = []
        for size, stride in self.transformation_dims:
            if size == 1:
                continue
            if found and found[-1][1] == size * stride:
                size *= found.pop()[0]
            found.append((size, stride))
        found = found or [(1, self.strides[-1])]
        return self._with([n for n, _ in found], [s for _, s in found])

    def repeat(self, count: int) -> TensorAccessPattern:
        """The whole walk so often."""
        return self._with([int(count), *self.sizes], [0, *self.strides])

    def tile(self, tile_dims: Sequence[int]) -> TensorAccessPattern:
        """The walk in tiles: first the dimensions of the grid of tiles, then those of a tile."""
        if len(tile_dims) != self.rank:
            raise ValueError(f"found {len(tile_dims)} sizes of a tile, expected {self.rank}")
        grid = [_divided(n, t, f"dimension {d}") for d, (n, t) in enumerate(zip(self.sizes, tile_dims, strict=True))]
        steps = [int(t) * s for t, s in zip(tile_dims, self.strides, strict=True)]
        return self._with([*grid, *map(int, tile_dims)], [*steps, *self.strides])

    def partition(self, parts: int, dim: int = 0) -> TensorAccessPattern:
        """Equal pieces of a dimension, as a new outermost one."""
        dim = range(self.rank)[dim]
        piece = _divided(self.sizes[dim], parts, f"dimension {dim}")
        sizes = [*self.sizes[:dim], piece, *self.sizes[dim + 1 :]]
        return self._with([int(parts), *sizes], [piece * self.strides[dim], *self.strides])

    def inverse(self) -> TensorAccessPattern:
        """The walk that brings what this one has sent back into the order of rows.

        Raises:
            ValueError: an element is not moved exactly once.
        """
        order = sorted((n for n in range(self.rank) if self.sizes[n] != 1), key=lambda n: -self.strides[n])
        runs = _row_strides([self.sizes[n] for n in order])
        whole = self.offset == 0 and self.numel == math.prod(self.tensor_dims)
        if not whole or [self.strides[n] for n in order] != runs:
            raise ValueError("found a pattern that does not move each element once, which has no inverse")
        back = _row_strides(self.sizes)
        return self._with([self.sizes[n] for n in order] or [1], [back[n] for n in order] or [1])

    def pad(self, padding: Sequence[Sequence[int]]) -> TensorAccessPattern:
        """The walk with elements of a constant around each dimension, as a memory tile sends them.

        Args:
            padding: numbers of elements before and after, for each dimension.

        Raises:
            ValueError: padded before, or not a pair per dimension.
        """
        pairs = tuple((int(a), int(b)) for a, b in padding)
        if self.padding is not None or len(pairs) != self.rank or min(n for pair in pairs for n in pair) < 0:
            raise ValueError(f"found padding {pairs}, expected a pair from 0 for each of {self.rank} dimensions, once")
        return replace(self, padding=pairs) if any(map(any, pairs)) else self

    # -- what it moves ------------------------------------------------------------------------------------------------

    def _walk(self) -> npt.NDArray[np.int64]:
        at = np.array([self.offset])
        for size, stride in zip(self.sizes, self.strides, strict=True):
            at = (at[:, None] + np.arange(size) * stride).reshape(-1)
        return at

    def gather(self, tensor: npt.ArrayLike, pad_value: Any = 0) -> npt.NDArray[Any]:
        """The elements of an array as they are sent."""
        flat = np.asarray(tensor).reshape(-1)
        sent = flat[self._walk()].reshape(self.sizes)
        if self.padding is not None:
            sent = np.pad(sent, self.padding, constant_values=pad_value)
        return sent.reshape(-1)

    def scatter(self, stream: npt.ArrayLike, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """An array into which elements are written as they come; zeros elsewhere, or what ``out`` has."""
        if self.padding is not None:
            raise ValueError("found a padded pattern, expected one without padding: only a sender pads")
        values = np.asarray(stream).reshape(-1)
        made = np.zeros(tuple(self.tensor_dims), values.dtype) if out is None else out
        made.flat[self._walk()] = values
        return made

    def access_generator(self) -> Iterator[int]:
        """The elements in the order in which they are moved."""
        return iter(self._walk().tolist())

    def access_order(self) -> npt.NDArray[np.int32]:
        """For each element of the array when it is moved last, counted from 0; -1 if it is not."""
        return TensorAccessSequence.from_taps([self]).access_order()

    def access_count(self) -> npt.NDArray[np.int32]:
        """How often each element of the array is moved."""
        found = np.zeros(math.prod(self.tensor_dims), np.int32)
        np.add.at(found, self._walk(), 1)
        return found.reshape(self.tensor_dims)

    def accesses(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """:meth:`access_order` and :meth:`access_count`."""
        return self.access_order(), self.access_count()

    def compare_access_orders(self, other: TensorAccessPattern) -> bool:
        """The same elements are moved in the same order."""
        return np.array_equal(self._walk(), other._walk())

    def visualize(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn."""

    @property
    def transformation_dims(self) -> list[tuple[int, int]]:
        """(size, stride) pairs."""
        return list(zip(self.sizes, self.strides, strict=True))


ElementPattern = TensorAccessPattern
"""The same by a short name."""


class TensorAccessSequence(MutableSequence[TensorAccessPattern]):
    """Patterns of one array, one after the other.

    Args:
        tensor_dims: shape of the array.
        num_steps: number of patterns.
        offset, sizes, strides: of each pattern; where a function is given, what its first call gets.
        offset_fn, sizes_fn, strides_fn: from the number of a pattern and the value before it to its value.

    Raises:
        ValueError: neither a value nor a function for one of them.
    """

    def __init__(
        self,
        tensor_dims: Sequence[int],
        num_steps: int,
        offset: int | None = None,
        sizes: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
        offset_fn: Callable[[int, Any], int] | None = None,
        sizes_fn: Callable[[int, Any], Sequence[int]] | None = None,
        strides_fn: Callable[[int, Any], Sequence[int]] | None = None,
    ) -> None:
        self._dims = list(tensor_dims) if len(tensor_dims) > 1 else [1, *tensor_dims]
        self._taps: list[TensorAccessPattern] = []
        now: dict[str, Any] = {"offset": offset, "sizes": sizes, "strides": strides}
        steps = {"offset": offset_fn, "sizes": sizes_fn, "strides": strides_fn}
        known = [name for name, value in (*now.items(), *steps.items()) if value is not None]
        if num_steps < 0 or (num_steps == 0 and known):
            raise ValueError(f"found {num_steps} patterns with {', '.join(known) or 'no values'}, expected at least 1")
        for name in now if num_steps else ():
            if now[name] is None and steps[name] is None:
                raise ValueError(f"found neither {name} nor {name}_fn, expected one of them")
        for number in range(num_steps):
            now |= {name: step(number, now[name]) for name, step in steps.items() if step is not None}
            self.append(TensorAccessPattern(self._dims, **now))

    @classmethod
    def from_taps(cls, taps: Sequence[TensorAccessPattern]) -> TensorAccessSequence:
        """The sequence of given patterns.

        Raises:
            ValueError: none, or patterns of different arrays.
        """
        if not taps:
            raise ValueError("found no pattern, expected at least one")
        made = cls(taps[0].tensor_dims, 0)
        made.extend(taps)
        return made

    def insert(self, index: int, value: TensorAccessPattern) -> None:
        """Put a pattern before another one.

        Raises:
            ValueError: a pattern of another array.
        """
        self._taps.insert(index, self._fitting(value))

    def _fitting(self, tap: TensorAccessPattern) -> TensorAccessPattern:
        if list(tap.tensor_dims) != self._dims:
            raise ValueError(f"found a pattern of an array of {list(tap.tensor_dims)}, expected {self._dims}")
        return tap

    @overload
    def __getitem__(self, index: int) -> TensorAccessPattern: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[TensorAccessPattern]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._taps[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._taps[index] = self._fitting(value)

    def __delitem__(self, index: Any) -> None:
        del self._taps[index]

    def __len__(self) -> int:
        return len(self._taps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorAccessSequence) and (self._dims, self._taps) == (other._dims, other._taps)

    __hash__ = None  # type: ignore[assignment]

    def access_order(self) -> npt.NDArray[np.int32]:
        """As of a pattern, counted over all of them."""
        found = np.full(math.prod(self._dims), -1, np.int32)
        count = 0
        for one in self._taps:
            walk = one._walk()
            found[walk] = np.arange(count, count + len(walk))
            count += len(walk)
        return found.reshape(self._dims)

    def access_count(self) -> npt.NDArray[np.int32]:
        """How often each element of the array is moved."""
        return sum((one.access_count() for one in self._taps), np.zeros(self._dims, np.int32))

    def accesses(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """:meth:`access_order` and :meth:`access_count`."""
        return self.access_order(), self.access_count()

    def compare_access_orders(self, other: TensorAccessSequence) -> bool:
        """As many patterns, each with the same elements in the same order."""
        return len(self) == len(other) and all(a.compare_access_orders(b) for a, b in zip(self, other, strict=True))

    def visualize(self, *_: Any, **__: Any) -> None:
        """Nothing is drawn."""

    animate = visualize


def _starts(tiles: int, step: int, repeat: int) -> list[int]:
    """First tiles of the groups in one direction: ``step`` interleaved groups side by side cover step * repeat tiles."""
    return [at + n for at in range(0, tiles, step * repeat) for n in range(step) if at + n < tiles]


@dataclass(frozen=True)
class _Tiling:
    """How a matrix is tiled; pairs count rows and columns.

    Attributes:
        matrix: its elements.
        tile: elements of a tile.
        repeats, steps: tiles of a group, and the distance between them in tiles.
        tile_down, group_down: go down the columns of a tile, of the tiles of a group.
        merge: write tiles of a group that are moved like one larger tile as one.
    """

    matrix: tuple[int, int]
    tile: tuple[int, int]
    repeats: tuple[int, int]
    steps: tuple[int, int]
    tile_down: bool
    group_down: bool
    merge: bool

    def loops(self, start: tuple[int, int]) -> list[tuple[int, int]]:
        """Four (size, stride) pairs of the group that begins with a tile; the edge of the matrix cuts it."""
        width = self.matrix[1]
        left = [self.matrix[n] // self.tile[n] - start[n] for n in (0, 1)]
        count = [min(self.repeats[n], -(-left[n] // self.steps[n])) for n in (0, 1)]
        step = [self.steps[n] if self.steps[n] <= left[n] else 1 for n in (0, 1)]
        tile = list(self.tile)
        along = 0 if self.group_down else 1
        if self.merge and self.group_down != self.tile_down and step[along] == 1:
            tile[along] *= count[along]
            count[along] = 1
        groups = [(count[0], width * tile[0] * step[0]), (count[1], tile[1] * step[1])]
        inner = [(tile[0], width), (tile[1], 1)]
        found = [one for one in (groups[::-1] if self.group_down else groups) if one[0] > 1]
        found += inner[::-1] if self.tile_down else inner
        return [(1, 0)] * (4 - len(found)) + found


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
    ) -> TensorAccessSequence:
        """A pattern for each tile; arguments as of :meth:`step_tiler`, the whole matrix where no tile is given."""
        tile = tensor_dims if tile_dims is None else tile_dims
        return cls.step_tiler(
            tensor_dims, tile, (1, 1), None, tile_col_major, False, iter_col_major, False, pattern_repeat, prune_step
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
    ) -> TensorAccessSequence:
        """A pattern for each group of tiles that are side by side; arguments as of :meth:`step_tiler`."""
        group = (1, 1) if tile_group_dims is None else tile_group_dims
        return cls.step_tiler(
            tensor_dims, tile_dims, group, None, tile_col_major, tile_group_col_major, iter_col_major, allow_partial,
            pattern_repeat, prune_step,
        )  # fmt: skip

    @classmethod
    def step_tiler(
        cls,
        tensor_dims: Sequence[int],
        tile_dims: Sequence[int],
        tile_group_repeats: Sequence[int],
        tile_group_steps: Sequence[int] | None = None,
        tile_col_major: bool = False,
        tile_group_col_major: bool = False,
        iter_col_major: bool = False,
        allow_partial: bool = False,
        pattern_repeat: int = 1,
        prune_step: bool = True,
    ) -> TensorAccessSequence:
        """A pattern for each group of tiles, which may have a distance.

        Args:
            tensor_dims: rows and columns of the matrix.
            tile_dims: of a tile.
            tile_group_repeats: tiles of a group, down and to the right.
            tile_group_steps: their distance in tiles, 1 if there is none.
            tile_col_major: go down the columns of a tile.
            tile_group_col_major: go down the columns of a group.
            iter_col_major: groups in the order of columns.
            allow_partial: the edge of the matrix may cut groups.
            pattern_repeat: move every group so often.
            prune_step: write groups that are moved like a larger tile as one.

        Raises:
            ValueError: tiles or groups that do not cover the matrix, or more than four dimensions.
        """
        matrix, tile, repeats = (cls._pair(one) for one in (tensor_dims, tile_dims, tile_group_repeats))
        steps = (1, 1) if tile_group_steps is None else cls._pair(tile_group_steps)
        if pattern_repeat < 1:
            raise ValueError(f"found pattern_repeat {pattern_repeat}, expected at least 1")
        count = [matrix[n] // tile[n] for n in (0, 1)]
        for n in (0, 1):
            whole = tile[n] * (1 if allow_partial else repeats[n] * steps[n])
            if matrix[n] % whole:
                raise ValueError(f"tiles or groups of {whole} elements do not cover {matrix[n]} in dimension {n}")
        repeats = (min(repeats[0], -(-count[0] // steps[0])), min(repeats[1], -(-count[1] // steps[1])))
        steps = (steps[0] if steps[0] <= count[0] else 1, steps[1] if steps[1] <= count[1] else 1)
        how = _Tiling(matrix, tile, repeats, steps, tile_col_major, tile_group_col_major, prune_step)
        down, right = (_starts(count[n], steps[n], repeats[n]) for n in (0, 1))
        spots = [(r, c) for c, r in product(right, down)] if iter_col_major else list(product(down, right))
        made = TensorAccessSequence(matrix, 0)
        for spot in spots:
            walk = how.loops(spot)
            if pattern_repeat > 1:
                if walk[0] != (1, 0):
                    raise ValueError(f"a repeated pattern of more than four dimensions: {walk}")
                walk[0] = (pattern_repeat, 0)
            first = spot[0] * tile[0] * matrix[1] + spot[1] * tile[1]
            made.append(TensorAccessPattern(matrix, first, [n for n, _ in walk], [s for _, s in walk]))
        return made

    @staticmethod
    def _pair(dims: Sequence[int]) -> tuple[int, int]:
        numbers = [int(n) for n in dims]
        if len(numbers) == 1:
            numbers = [1, *numbers]
        if len(numbers) != 2 or min(numbers) < 1:
            raise ValueError(f"found {list(dims)}, expected a number of rows and of columns")
        return numbers[0], numbers[1]
