# SPDX-License-Identifier: Apache-2.0
"""A layer on the memory, as the accelerator leaves it."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet import fp32, int8
from goldbeat.pymodels.zynqnet.hardware import check_layer
from goldbeat.pymodels.zynqnet.memory_controller import MemoryController
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.shifts import Shifts

Number = Literal["fp32", "int8"]
NUMBERS: tuple[Number, ...] = ("fp32", "int8")


def word_type(number: Number) -> npt.DTypeLike:
    """The numpy type of a memory word: float32, or int32 that holds an int8 value (a pool sum: 32 bits)."""
    if number not in NUMBERS:
        raise UsageError(f"unknown number format {number!r}; known: {', '.join(NUMBERS)}")
    return np.float32 if number == "fp32" else np.int32


def shifts_of(layer: Layer) -> Shifts:
    """The shifts that a layer uses: without a split, that of the concatenation is 0.

    Raises:
        UsageError: it has none.
    """
    if layer.shifts is None:
        raise UsageError(f"layer {layer.name} has no shifts: int8 needs them")
    return layer.shifts if layer.split != "none" else layer.shifts.model_copy(update={"concat": 0})


def split_weights(stream: npt.NDArray[Any], layer: Layer) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """(ch_in, ch_out, taps) weights and (ch_out,) biases of what lies in memory."""
    count = layer.weights - layer.ch_out
    return stream[:count].reshape(layer.ch_in, layer.ch_out, layer.taps), stream[count:]


def run_layer(dram: npt.NDArray[Any], layer: Layer, memory: Space, number: Number = "fp32") -> MemoryController:
    """Run a layer on a memory.

    Args:
        dram: (words,) the memory, of :func:`word_type`; output and pool sums are written to it.
        layer: the layer.
        memory: where weights and data begin.
        number: format.

    Returns:
        the layer's view of the memory, to read input, output and pool sums from.

    Raises:
        UsageError: the layer cannot run, or reaches out of the memory.
    """
    check_layer(layer, memory)
    if dram.dtype != word_type(number):
        raise UsageError(f"memory of {dram.dtype} for {number}")
    view = MemoryController(dram, layer, memory)
    weights, biases = split_weights(view.read_weights(), layer)
    shape = layer.kernel, layer.stride, layer.relu
    if number == "fp32":
        result: npt.NDArray[Any] = written_nans(fp32.convolve(view.input(), weights, biases, *shape))
    else:
        # Only the low byte of a word counts.
        image, weights, biases = (low_byte(v) for v in (view.input(), weights, biases))
        result = int8.convolve(image, weights, biases, *shape, shifts_of(layer))
    view.output()[:] = result
    if layer.gpool:
        view.pool()[:] = written_nans(fp32.pool(result)) if number == "fp32" else int8.pool(result)
    return view


def written_nans(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The same with every NaN as the accelerator writes it, 7fc00000; in place."""
    values[np.isnan(values)] = np.float32(np.nan)
    return values


def low_byte(words: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Bits 7:0 of each word as a signed number."""
    return words.astype(np.int8).astype(np.int32)
