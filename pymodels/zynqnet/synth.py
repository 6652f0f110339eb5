# SPDX-License-Identifier: Apache-2.0
"""Weights and images by rule, for runs that need no files: everything follows from a seed.

Values are the top 24 bits of splitmix64. Weights of layer n (from 0) are uniform in [-1, 1) times sqrt(6 / inputs of a sum),
drawn with seed ``WEIGHT_SEED * seed + 2 n``; biases are uniform in [-0.1, 0.1), drawn with the next seed. Pixels are whole
numbers 0..255 less the mean colour.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.pattern import splitmix64
from goldbeat.pymodels.zynqnet.network import InputShape, Layer, Network
from goldbeat.pymodels.zynqnet.padding import pad_layer
from goldbeat.pymodels.zynqnet.picture import MEAN

WEIGHT_SEED = 1_000_003
"""``synth:1`` draws layer 0's weights with this seed; each further seed begins so many later."""
_ONE = np.float32(1 << 23)
_BIAS_SCALE = np.float32(0.1)


def _top24(count: int, seed: int) -> npt.NDArray[np.int32]:
    return (splitmix64(seed, np.arange(count, dtype=np.uint64)) >> np.uint64(40)).astype(np.int32)


def _uniform(count: int, seed: int) -> npt.NDArray[np.float32]:
    return (_top24(count, seed) - np.int32(1 << 23)).astype(np.float32) / _ONE


def layer_weights(layer: Layer, number: int, seed: int = 1) -> npt.NDArray[np.float32]:
    """(words,) weights and biases of layer ``number`` as they lie in memory."""
    first = WEIGHT_SEED * seed + 2 * number
    scale = np.float32(np.sqrt(6 / (layer.used_in * layer.taps)))
    weights = _uniform(layer.used_in * layer.used_out * layer.taps, first) * scale
    biases = _uniform(layer.used_out, first + 1) * _BIAS_SCALE
    return pad_layer(layer, np.concatenate([weights, biases]))


def weights(network: Network, seed: int = 1) -> npt.NDArray[np.float32]:
    """(words,) all weights of a network as they lie in memory."""
    return np.concatenate([layer_weights(layer, n, seed) for n, layer in enumerate(network.layers)])


def image(shape: InputShape, seed: int = 7) -> npt.NDArray[np.float32]:
    """(height, width, channels) an image as it lies in memory."""
    count = shape.height * shape.width * shape.channels
    pixels = (_top24(count, seed) & 255).astype(np.float32).reshape(shape.height, shape.width, shape.channels)
    mean = np.resize(np.array(MEAN, np.float32), shape.channels)
    return pixels - mean
