# SPDX-License-Identifier: Apache-2.0
"""What the accelerator cannot do: layers that do not fit its caches, its registers, or the memory."""

from __future__ import annotations

from collections.abc import Iterator

from pymodels.errors import UsageError
from pymodels.zynqnet.image_cache import IMAGE_CACHE_LINES, IMAGE_CACHE_WORDS
from pymodels.zynqnet.network import Layer, Network
from pymodels.zynqnet.weights_cache import ROWS, rows_used

MAX_WEIGHTS = (1 << 19) - 1
"""The register that counts them has 19 bits."""
MAX_ADDRESS = 1 << 23
"""Word addresses in the registers have 23 bits."""


def problems(layer: Layer) -> Iterator[str]:
    """Everything that keeps a layer from running, in words."""
    if layer.stride == 2 and (layer.width % 2 or layer.height % 2):
        yield f"stride 2 needs even sizes, found {layer.width} x {layer.height}"
    if not 1 <= layer.width <= 256 or not 1 <= layer.height <= 256:
        yield f"{layer.width} x {layer.height} pixels, expected 1..256"
    if not 1 <= layer.ch_in <= 1023:
        yield f"{layer.ch_in} input channels, expected 1..1023"
    if (words := IMAGE_CACHE_LINES * layer.width * layer.ch_in) > IMAGE_CACHE_WORDS:
        yield f"{IMAGE_CACHE_LINES} lines of {layer.width} x {layer.ch_in} words: {words}, the image cache has {IMAGE_CACHE_WORDS}"
    if (rows := rows_used(layer.ch_in, layer.ch_out, layer.kernel)) > ROWS:
        yield f"weights in {rows} rows, the weights cache has {ROWS}"
    if layer.weights > MAX_WEIGHTS:
        yield f"{layer.weights} words of weights, expected at most {MAX_WEIGHTS}"
    if max(layer.mem_in, layer.mem_out, layer.mem_weights) >= MAX_ADDRESS:
        yield f"an address of more than {MAX_ADDRESS.bit_length() - 1} bits"


def check_network(network: Network) -> None:
    """Refuse a network with a layer that cannot run; a :class:`UsageError` with the first reason."""
    for layer in network.layers:
        check_layer(layer)


def check_layer(layer: Layer) -> None:
    """Refuse a layer that cannot run; a :class:`UsageError` with the first reason."""
    for problem in problems(layer):
        raise UsageError(f"layer {layer.name}: {problem}")
