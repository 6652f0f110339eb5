# SPDX-License-Identifier: Apache-2.0
"""The memory controller: which word every transfer goes to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer


class MemoryController:
    """Reads and writes of one layer.

    Args:
        dram: (words,) the whole memory, float32 or int32; changed by writes.
        layer: the layer.
        memory: where weights and data begin.

    Raises:
        UsageError: the layer reaches out of the memory.
    """

    def __init__(self, dram: npt.NDArray[Any], layer: Layer, memory: Space) -> None:
        self.dram, self.layer, self.memory = dram, layer, memory
        pool = memory.layer_pool(layer)
        for one in (memory.layer_weights(layer), memory.layer_input(layer), memory.layer_output(layer), pool):
            if one is not None and one.end > len(dram):
                raise UsageError(
                    f"{one.name}: words {one.first}..{one.end - 1} are not inside {len(dram)} words of memory"
                )
        self._next_pixel = memory.layer_input(layer).first

    # -- addresses

    def row_address(self, y: int) -> int:
        """First word of a row of the input."""
        return self.memory.data_offset + self.layer.mem_in + self.layer.width * self.layer.ch_in * y

    def output_address(self, y: int, x: int, co: int) -> int:
        """Word of one output channel of an output pixel."""
        pixel = y * self.layer.width_out + x
        return self.memory.data_offset + self.layer.mem_out + pixel * self.layer.pixel_step + co

    def pool_address(self, co: int) -> int:
        """Word of the pool sum of an output channel."""
        return self.memory.data_offset + self.layer.pool_offset + co

    # -- transfers

    def read_weights(self) -> npt.NDArray[Any]:
        """(words,) weights and biases of the layer."""
        at = self.memory.layer_weights(self.layer)
        return self.dram[at.first : at.end]

    def set_row(self, y: int) -> None:
        """The next pixel word is the first one of this row."""
        self._next_pixel = self.row_address(y)

    def read_pixel_word(self) -> Any:
        """The next word of the input."""
        value = self.dram[self._next_pixel]
        self._next_pixel += 1
        return value

    def write_output(self, y: int, x: int, co: int, value: Any) -> None:
        """Store a result."""
        self.dram[self.output_address(y, x, co)] = value

    def write_pool(self, co: int, value: Any) -> None:
        """Store a pool sum."""
        self.dram[self.pool_address(co)] = value

    # -- whole layers

    def input(self) -> npt.NDArray[Any]:
        """(height, width, ch_in) the input, as a view of the memory."""
        at = self.memory.layer_input(self.layer)
        return self.dram[at.first : at.end].reshape(self.layer.height, self.layer.width, self.layer.ch_in)

    def output(self) -> npt.NDArray[Any]:
        """(height_out, width_out, ch_out) the output, as a view of the memory."""
        layer, first = self.layer, self.memory.layer_output(self.layer).first
        size = self.dram.itemsize
        # A split layer's last pixel ends before its step does: a plain slice of whole steps could reach out of the memory.
        strides = (layer.width_out * layer.pixel_step * size, layer.pixel_step * size, size)
        shape = (layer.height_out, layer.width_out, layer.ch_out)
        return np.lib.stride_tricks.as_strided(self.dram[first:], shape, strides)

    def pool(self) -> npt.NDArray[Any]:
        """(ch_out,) the pool sums, as a view of the memory."""
        first = self.pool_address(0)
        return self.dram[first : first + self.layer.ch_out]
