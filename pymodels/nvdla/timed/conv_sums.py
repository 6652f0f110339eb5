# SPDX-License-Identifier: Apache-2.0
"""The sums of a convolution, worked out when SDP asks for them, from what has been fetched by then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.conv import Convolution
from goldbeat.pymodels.nvdla.engines.pixels import windows
from goldbeat.pymodels.nvdla.engines.weights import ATOM_K, unpack_weights
from goldbeat.pymodels.nvdla.timed.conv_settings import ComputeSettings

_MOST_GROUPS = 16
"""Groups of kernels that are worked out at once."""


class ConvolutionSums:
    """Sums by group of kernels, line and column.

    Args:
        settings: of CSC and CACC.
        padding: left padding of pixels, and its value.
        slices: the input's lines, which may still be growing: (surfaces, width, 8) values of features, bytes of pixels in a row.
        weights: bytes, which may still be growing.
    """

    def __init__(
        self, settings: ComputeSettings, padding: tuple[int, int], slices: Sequence[Ints], weights: bytearray
    ) -> None:
        self._settings = settings
        self._padding = padding
        self._slices = slices
        self._weights = weights
        self._group_bytes = ATOM_K * settings.depth * settings.kernel[0] * settings.kernel[1]
        self._groups = -(-settings.kernels // ATOM_K)
        self._lines = [0] * self._groups
        self._sums: dict[int, Ints] = {}

    def atom(self, group: int, number: int) -> Ints:
        """(8,) sums of an output atom, 0 for kernels that do not exist."""
        line, column = divmod(number, self._settings.out[0])
        if line >= self._lines[group]:
            self._work_out(group)
        return np.asarray(self._sums[group][:, line, column], np.int64)

    def _work_out(self, group: int) -> None:
        """All lines of this group, and of those behind it that are as far, for which there are data and weights."""
        settings = self._settings
        first = self._lines[group]
        last = first + 1
        while last < settings.out[1] and settings.lines_needed(last) <= len(self._slices):
            last += 1
        end = group + 1
        while (
            end < min(self._groups, group + _MOST_GROUPS)
            and self._lines[end] == first
            and len(self._weights) >= self._bytes_until(end + 1)
        ):
            end += 1
        kernels = min(end * ATOM_K, settings.kernels) - group * ATOM_K
        raw = np.frombuffer(bytes(self._weights[group * self._group_bytes : self._bytes_until(end)]), np.uint8)
        wide, high = settings.kernel
        weights = unpack_weights(raw, (kernels, settings.depth, high, wide), settings.joined).astype(np.int8)
        sums = self._convolve(weights, first, last)
        for number in range(group, end):
            mine = sums[(number - group) * ATOM_K :][:ATOM_K]
            if number not in self._sums:
                self._sums[number] = np.zeros((ATOM, settings.out[1], settings.out[0]), np.int64)
            self._sums[number][: len(mine), first:last] = mine
            self._lines[number] = last

    def _bytes_until(self, group: int) -> int:
        """Bytes of the weights of all groups before this one."""
        every = self._settings.kernels * self._group_bytes // ATOM_K
        return min(group * self._group_bytes, every)

    def _convolve(self, weights: np.ndarray[tuple[int, ...], np.dtype[np.int8]], first: int, last: int) -> Ints:
        """(K, lines, width) sums of output lines."""
        settings = self._settings
        top = settings.pad[1] - first * settings.stride[1]
        begin = max(0, -top)
        rows = self._rows(begin, max(begin, settings.lines_needed(last - 1)))
        size, stride, left, dilation = (
            (settings.out[0], last - first),
            settings.stride,
            settings.pad[0],
            settings.dilation,
        )
        if settings.pixels:
            data = windows(rows, settings.channels, settings.depth, size[0], settings.stride[0])
            stride, left = (1, stride[1]), 0
        else:
            data = rows
        pad = (left, max(0, top))
        return Convolution(stride, dilation, pad, settings.pad_value, size, settings.truncate)(data, weights)

    def _rows(self, begin: int, end: int) -> Ints:
        """Input lines: (channels, lines, width) features, (lines, elements) pixels with all of the padding that windows meet."""
        settings = self._settings
        lines = self._slices[begin:end]
        if not settings.pixels:
            if not lines:
                return np.zeros((settings.depth, 0, settings.size[0]), np.int64)
            cube = np.stack(lines)  # line, surface, column, channel
            flat = cube.transpose(1, 3, 0, 2).reshape(-1, cube.shape[0], cube.shape[2])
            return flat[: settings.depth]
        left, value = self._padding
        elements = (settings.out[0] - 1) * settings.stride[0] * settings.channels + settings.depth
        start = left * settings.channels
        wide = max(elements, start + settings.size[0] * settings.channels)
        rows = np.full((len(lines), wide), value, np.int64)
        for row, line in zip(rows, lines, strict=True):
            row[start : start + len(line)] = line
        return rows
