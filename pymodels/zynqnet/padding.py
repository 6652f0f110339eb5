# SPDX-License-Identifier: Apache-2.0
"""Channels that the tool adds, so that every layer has a multiple of 16 of them, as the hardware wants it.

An added output channel has weights and a bias of zero, so that it holds zeros; those who read it have weights of zero for it. Sums
begin with +0 and adding a zero to them changes no bit, so the other channels are those of the network as it was described. Where
a pixel is infinite or NaN this ends: zero times infinity is NaN, and reaches all channels of the layers behind it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.zynqnet.network import Layer, Network


def pad_layer(layer: Layer, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A layer's weights and biases as they lie in memory.

    Args:
        layer: the layer.
        values: (``used_weights``,) in the order of the memory, without padded channels.

    Returns:
        (``weights``,) with zeros for padded channels.
    """
    if layer.used_weights == layer.weights:
        return values
    padded = np.zeros(layer.weights, values.dtype)
    kernels = padded[: -layer.ch_out].reshape(layer.parts_in, -1, layer.ch_out, layer.taps)
    part = layer.used_in // layer.parts_in
    used = values[: -layer.used_out].reshape(layer.parts_in, part, layer.used_out, layer.taps)
    kernels[:, :part, : layer.used_out] = used
    padded[-layer.ch_out :][: layer.used_out] = values[-layer.used_out :]
    return padded


def pad_weights(network: Network, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """All weights of a network as they lie in memory, from those that it has.

    Args:
        network: the network.
        values: (``used_weights``,) layer after layer.

    Raises:
        InputError: another number of them.
    """
    if values.shape != (network.used_weights,):
        raise InputError(f"weights of shape {values.shape}", f"({network.used_weights},) for {network.name}")
    ends = np.cumsum([layer.used_weights for layer in network.layers])
    parts = np.split(values, ends[:-1])
    return np.concatenate([pad_layer(layer, part) for layer, part in zip(network.layers, parts, strict=True)])


def without_padding(layer: Layer, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A layer's output (..., ch_out) without padded channels, as a view."""
    return values[..., : layer.used_out]
