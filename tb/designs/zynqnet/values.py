# SPDX-License-Identifier: Apache-2.0
"""Layers whose numbers, not whose sizes, are the difficulty: subnormals, exact sums, weights that are just in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.pymodels.zynqnet.golden import Floats
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import Network, parse_network
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.zynqnet.traffic import random_memory, stimulus

_FRACTION_BITS = 23
_LARGEST = 103
"""Exponent of two up to which a number times a subnormal one stays below 2**127."""
_JUST_IN_TIME = (38, 41, 44)
"""Widths of 3x3 layers that need about as long for a group of weights as the memory for the next one."""


def values(setting: CaseContext) -> Sequence[Stimulus]:
    """Subnormals times large numbers, sums of small integers through ReLU, weights that come just in time."""
    rng = np.random.default_rng(setting.seed)
    int8 = bool(setting.params["INT8"])
    made = []
    for small_weights in (False, True):
        network = _one_layer(int8, 32, {"width": 32, "height": 2, "channels": 1}, kernel=1, relu=False)
        made.append((network, _products(rng, network, small_weights)))
    network = _one_layer(int8, 16, {"width": 16, "height": 4, "channels": 3}, kernel=1, relu=True)
    made.append((network, _integers(rng, network)))
    for width in _JUST_IN_TIME:
        network = _one_layer(int8, 32, {"width": width, "height": 1, "channels": 3}, kernel=3, relu=False)
        made.append((network, random_memory(rng, network, int8)))
    timing = MemoryTiming()
    return [
        stimulus(network, _as_words(words, int8), network.layers, timing, setting.clocks) for network, words in made
    ]


def _one_layer(int8: bool, ch_out: int, size: dict[str, int], *, kernel: int, relu: bool) -> Network:
    layer: dict[str, Any] = {"name": "a", "ch_out": ch_out, "kernel": kernel, "relu": relu}
    if int8:
        layer["shifts"] = {"bias": 0, "out": 0}
    return parse_network({"name": "values", "input": size, "layer": [layer]})


def _as_words(values: npt.NDArray[Any], int8: bool) -> npt.NDArray[Any]:
    """Numbers as the memory holds them; int8 takes the low bits of whatever they are."""
    return values.view(np.int32) if int8 else values


def _products(rng: Rng, network: Network, small_weights: bool) -> Floats:
    """Every product has one subnormal factor, and the bias is 0: each is seen as it is."""
    memory = MemoryMap(network)
    (layer,) = network.layers
    words = _large(rng, memory.words)
    small = slice(0, network.weights) if small_weights else slice(memory.data_offset, None)
    words[small] = _subnormal(rng, len(words[small]))
    words[network.weights - layer.ch_out : network.weights] = 0
    return words


def _subnormal(rng: Rng, count: int) -> Floats:
    """Subnormal numbers of both signs, with the leading one in every bit alike often."""
    leading = 1 << rng.integers(0, _FRACTION_BITS, count)
    bits = leading | rng.integers(0, leading)
    return _signed(rng, bits.astype(np.uint32).view(np.float32))


def _large(rng: Rng, count: int) -> Floats:
    """Numbers that bring a subnormal factor to every size, from subnormal again up to large."""
    return _signed(rng, np.ldexp(rng.uniform(1, 2, count), rng.integers(-4, _LARGEST, count)).astype(np.float32))


def _signed(rng: Rng, numbers: Floats) -> Floats:
    return np.where(rng.random(len(numbers)) < 0.5, numbers, -numbers).astype(np.float32)


def _integers(rng: Rng, network: Network) -> Floats:
    """Pixels and weights of -1, 0 and 1, biases of -2 to 2: the sums meet small powers of two exactly."""
    (layer,) = network.layers
    words = rng.integers(-1, 2, MemoryMap(network).words).astype(np.float32)
    words[network.weights - layer.ch_out : network.weights] = rng.integers(-2, 3, layer.ch_out)
    return words
