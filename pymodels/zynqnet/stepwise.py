# SPDX-License-Identifier: Apache-2.0
"""A layer from its blocks, word by word in the original's order of work: slow, for small layers, and to check the fast model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.zynqnet import int8
from goldbeat.pymodels.zynqnet.hardware import check_layer
from goldbeat.pymodels.zynqnet.image_cache import ImageCache
from goldbeat.pymodels.zynqnet.layer_run import Number, low_byte, shifts_of, word_type
from goldbeat.pymodels.zynqnet.memory_controller import MemoryController
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.output_cache import OutputCache, PoolCache
from goldbeat.pymodels.zynqnet.pe import multiply_accumulate
from goldbeat.pymodels.zynqnet.weights_cache import WeightsCache


class Stepwise:
    """One layer in the making.

    Args:
        dram: (words,) the memory; changed by the run.
        layer: the layer.
        memory: where weights and data begin.
        number: format.
    """

    def __init__(self, dram: npt.NDArray[Any], layer: Layer, memory: Space, number: Number = "fp32") -> None:
        check_layer(layer, memory)
        kind = word_type(number)
        self.layer, self.number = layer, number
        self.controller = MemoryController(dram, layer, memory)
        self.image = ImageCache(layer.width, layer.height, layer.ch_in, kind)
        self.weights = WeightsCache(layer.ch_in, layer.ch_out, layer.kernel, kind)
        self.outputs, self.pool = OutputCache(kind), PoolCache(kind)

    def run(self) -> None:
        """Do all of it."""
        layer = self.layer
        words = self.controller.read_weights()
        self.weights.load(words if self.number == "fp32" else low_byte(words))
        self.controller.set_row(0)
        for _ in range(layer.width + (1 if layer.height > 1 else 0)):
            self._load_pixel()
        first = True
        for y in range(layer.height):
            for x in range(layer.width):
                # The cache keeps exactly up to pixel (y+1, x+1).
                if (y + 1) * layer.width + x + 1 < layer.height * layer.width:
                    self._load_pixel()
                if layer.stride == 2 and (x % 2 or y % 2):
                    continue
                self._pixel(y, x)
                self._finish(y // layer.stride, x // layer.stride, first)
                first = False
        if layer.gpool:
            for co in range(layer.ch_out):
                self.controller.write_pool(co, self.pool.get(co))

    def _load_pixel(self) -> None:
        for _ in range(self.layer.ch_in):
            word = self.controller.read_pixel_word()
            self.image.write(word if self.number == "fp32" else low_byte(np.array([word]))[0])

    def _pixel(self, y: int, x: int) -> None:
        for ci in range(self.layer.ch_in):
            window = self.image.window(y, x, ci)
            for co in range(self.layer.ch_out):
                value = multiply_accumulate(window, self.weights.kernel_of(ci, co))
                if ci == 0:
                    self.outputs.set(co, value)
                else:
                    self.outputs.add(co, value)

    def _finish(self, y: int, x: int, first: bool) -> None:
        for co in range(self.layer.ch_out):
            value = self._result(co)
            self.controller.write_output(y, x, co, value)
            if first:
                self.pool.set(co, value)
            else:
                self.pool.add(co, value)

    def _result(self, co: int) -> Any:
        total, bias = self.outputs.get(co), self.weights.bias(co)
        if self.number == "int8":
            acc, biases = np.array([total], np.int64), np.array([bias], np.int64)
            return int8.finish(acc, biases, shifts_of(self.layer), self.layer.relu)[0]
        with np.errstate(all="ignore"):
            value = total + bias
        return np.float32(0) if self.layer.relu and value < 0 else value
