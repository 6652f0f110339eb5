# SPDX-License-Identifier: Apache-2.0
"""A whole network, layer by layer, on one memory, as the host runs it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.validation import first_mistake
from goldbeat.pymodels.zynqnet import int8
from goldbeat.pymodels.zynqnet.classify import Class, top
from goldbeat.pymodels.zynqnet.layer_run import Number, run_layer, word_type
from goldbeat.pymodels.zynqnet.memory_map import MemoryMap
from goldbeat.pymodels.zynqnet.network import Layer, Network
from goldbeat.pymodels.zynqnet.padding import pad_weights, without_padding
from goldbeat.pymodels.zynqnet.shifts import Shifts

Floats = npt.NDArray[np.float32]


def sha256(values: npt.NDArray[Any]) -> str:
    """Of the values in little-endian order, as the memory holds them."""
    return hashlib.sha256(values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()).hexdigest()


@dataclass(frozen=True, eq=False)
class LayerOutput:
    """What one layer wrote.

    Attributes:
        layer: which.
        values: (height_out, width_out, used_out), a view of the memory.
        pool: (used_out,) pool sums, a view of the memory, or None.
        padding_spoiled: padded channels are not zero: zero times an infinity or NaN of the input is NaN.
    """

    layer: Layer
    values: npt.NDArray[Any]
    pool: npt.NDArray[Any] | None
    padding_spoiled: bool = False

    @property
    def sha256(self) -> str:
        """Of ``values``."""
        return sha256(self.values)


class Golden:
    """The accelerator's memory and what the layers make of it.

    Args:
        network: the network; for int8 its layers need shifts (:func:`quantised`).
        weights: (words,) all weights as they lie in memory (:func:`goldbeat.pymodels.zynqnet.padding.pad_weights`).
        image: (height, width, channels) as it lies in memory.
        number: format; int8 values may come in any integer type.
        words: size of the memory; None: as much as is needed.
        fraction: fraction length of the last layers' results, int8 only.

    Raises:
        InputError: weights or image of another shape.
    """

    def __init__(
        self,
        network: Network,
        weights: npt.NDArray[Any],
        image: npt.NDArray[Any],
        number: Number = "fp32",
        words: int | None = None,
        fraction: int = 0,
    ) -> None:
        self.network, self.number, self.memory, self.fraction = network, number, MemoryMap(network), fraction
        self.memory.check(words)
        check_weights(network, weights)
        check_image(network, image)
        self.dram: npt.NDArray[Any] = np.zeros(self.memory.words if words is None else words, word_type(number))
        self.dram[: network.weights] = weights
        self.load_image(image)

    def load_image(self, image: npt.NDArray[Any]) -> None:
        """Store an image, as the host does before every frame: the pool sums of the last one lie over it."""
        first = self.memory.layer_input(self.network.layers[0]).first
        self.dram[first : first + image.size] = image.reshape(-1)

    def run(self) -> Iterator[LayerOutput]:
        """Run all layers; each is given right after it is done."""
        for layer in self.network.layers:
            yield self.run_layer(layer)

    def run_layer(self, layer: Layer) -> LayerOutput:
        """Run one layer on the memory as it stands."""
        view = run_layer(self.dram, layer, self.memory, self.number)
        pool = without_padding(layer, view.pool()) if layer.gpool else None
        output = view.output()
        return LayerOutput(layer, without_padding(layer, output), pool, bool(output[..., layer.used_out :].any()))

    def sums(self) -> npt.NDArray[Any]:
        """(classes,) pool sums of the last layers, from the memory."""
        return pool_sums(self.network, self.dram)

    def scores(self) -> npt.NDArray[Any]:
        """(classes,) means over the pixels: what softmax works on."""
        return means(self.network, self.sums(), self.fraction)

    def top(self, count: int = 5) -> tuple[Class, ...]:
        """The likeliest classes after a run."""
        return top(self.scores(), count)


def pool_sums(network: Network, dram: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(classes,) pool sums of the last layers.

    Args:
        network: whose last layers they are.
        dram: (words,) the memory after a run.

    Raises:
        InputError: the network does not end with global pooling.
    """
    last = network.layers[-1]
    if not last.gpool:
        raise InputError("a network without global pooling at its end", "one with classes")
    first = MemoryMap(network).data_offset
    parts = dram[first : first + last.pixel_step].reshape(-1, last.ch_out)
    return without_padding(last, parts).reshape(-1).copy()


def means(network: Network, sums: npt.NDArray[Any], fraction: int = 0) -> npt.NDArray[Any]:
    """(classes,) means over the pixels from pool sums: float32, or integers with so many bits of fraction."""
    last = network.layers[-1]
    pixels = last.width_out * last.height_out
    if sums.dtype.kind == "f":
        found: npt.NDArray[Any] = sums / np.float32(pixels)
        return found
    return np.ldexp(sums / pixels, -fraction)


def check_weights(network: Network, weights: npt.NDArray[Any]) -> None:
    """Refuse weights of another size."""
    if weights.shape != (network.weights,):
        raise InputError(f"weights of shape {weights.shape}", f"({network.weights},) for {network.name}")


def check_image(network: Network, image: npt.NDArray[Any]) -> None:
    """Refuse an image of another size."""
    shape = (network.input.height, network.input.width, network.input.channels)
    if image.shape != shape:
        raise InputError(f"an image of shape {image.shape}", f"{shape} for {network.name}")


@dataclass(frozen=True, eq=False)
class Quantised:
    """A network in int8.

    Attributes:
        network: with shifts.
        weights: (words,) int32 that hold int8 values.
        image: (height, width, channels) likewise.
        fraction: fraction length of the last layers' results.
    """

    network: Network
    weights: npt.NDArray[np.int32]
    image: npt.NDArray[np.int32]
    fraction: int

    def golden(self) -> Golden:
        """Ready to run."""
        return Golden(self.network, self.weights, self.image, "int8", fraction=self.fraction)


def quantised(
    network: Network, weights: Floats, image: Floats, progress: Callable[[Layer], None] = lambda layer: None
) -> Quantised:
    """Choose fraction lengths and quantise, from what an fp32 run on this image shows.

    Every group of numbers gets the most fraction bits with which its largest still fits: a layer's weights and biases
    together, each layer's result, and the concatenation of a split pair. The image has fraction length 0.

    Args:
        network: the network.
        weights: (words,) float32.
        image: (height, width, channels) float32.
        progress: is told each layer that is done.

    Raises:
        InputError: numbers that are not finite, or of sizes that no shift of the hardware brings together.
    """
    # Files do not have the weights of padded channels: words are counted without them.
    _check_finite("weights", weights, pad_weights(network, np.arange(1, network.used_weights + 1)) - 1)
    _check_finite("the image", image, np.arange(image.size))
    golden = Golden(network, weights, image)
    largest: list[float] = []
    for out in golden.run():
        largest.append(float(np.abs(out.values).max()))
        if not np.isfinite(largest[-1]):
            raise InputError(f"layer {out.layer.name}: a result beyond float32", "finite results for int8")
        progress(out.layer)
    ints = np.empty(network.weights, np.int32)
    shifts: list[Shifts] = []
    data_in, concat = 0, 0
    for n, layer in enumerate(network.layers):
        part = weights[layer.mem_weights : layer.mem_weights + layer.weights]
        of_weights = int8.fraction_for(float(np.abs(part).max()))
        ints[layer.mem_weights : layer.mem_weights + layer.weights] = int8.quantise(part, of_weights)
        data_out = int8.fraction_for(largest[n])
        if layer.split == "first":
            concat = min(data_out, int8.fraction_for(largest[n + 1]))
        joined = None if layer.split == "none" else concat
        shifts.append(_shifts(layer, data_in, of_weights, data_out, joined))
        if layer.split != "first":
            data_in = data_out if joined is None else joined
    return Quantised(network.with_shifts(shifts), ints, int8.quantise(image, 0), data_in)


def _check_finite(name: str, values: Floats, words: npt.NDArray[np.int64]) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        first = int(wrong[0])
        raise InputError(f"{name}: {values.reshape(-1)[first]} at word {words[first]}", "finite numbers for int8")


def _shifts(layer: Layer, data_in: int, weights: int, data_out: int, concat: int | None) -> Shifts:
    """:meth:`Shifts.of_fractions`, refusing what the registers cannot hold."""
    try:
        return Shifts.of_fractions(data_in, weights, data_out, concat)
    except ValidationError as error:
        wrong = first_mistake(error)
        lengths = f"fraction lengths {data_in} (input), {weights} (weights), {data_out} (result)"
        raise InputError(
            f"layer {layer.name}: {lengths} make a shift {wrong.key} of {wrong.value}",
            f"{wrong.expected}: numbers of sizes that int8 brings together",
        ) from None
