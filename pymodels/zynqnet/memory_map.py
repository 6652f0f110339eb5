# SPDX-License-Identifier: Apache-2.0
"""Where everything lies in the accelerator's memory, in words of 32 bits.

All weights first, then the data: the image, then every layer's output. The pool sums overwrite the first words of the image.

The public host reserves too little. It takes the last layer's address and adds that layer's own output, but the last two
layers are a split pair whose outputs interleave: pixel n of the second one begins at ``mem_out + 2 n ch_out``. For ZynqNet,
3,403,776 data words are reserved and words up to 3,436,543 are written: 32,768 words (128 KiB) behind the end.
:meth:`MemoryMap.overrun` reports it for any network; :class:`MemoryMap` reserves what is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.zynqnet.network import ALIGNMENT, Layer, Network

DRAM_BASE = 0x3800_0000
"""Byte address of the memory on the public board, 96 MiB of it."""
WORD_BYTES = 4


@dataclass(frozen=True)
class Stretch:
    """Words that something occupies.

    Attributes:
        name: what it is.
        first: first word.
        end: the word behind the last one.
    """

    name: str
    first: int
    end: int

    @property
    def words(self) -> int:
        """How many."""
        return self.end - self.first


@dataclass(frozen=True)
class Overrun:
    """Words behind the end of what the public host reserves.

    Attributes:
        layer: who writes them.
        reserved: data words that the public host reserves.
        needed: data words that are needed.
    """

    layer: str
    reserved: int
    needed: int

    @property
    def bytes(self) -> int:
        """How far the layer writes behind the end."""
        return (self.needed - self.reserved) * WORD_BYTES

    def __str__(self) -> str:
        return (
            f"the public host reserves {self.reserved} data words, layer {self.layer} writes up to word {self.needed - 1}: "
            f"{self.bytes} bytes behind the end; reserved here: {self.needed}"
        )


@dataclass(frozen=True)
class Space:
    """Where weights and data begin, as the registers say it.

    Attributes:
        base: byte address of word 0.
        weights_offset: first word of all weights.
        data_offset: first word of the data.
        words: size of the memory.
    """

    base: int
    weights_offset: int
    data_offset: int
    words: int

    def byte(self, word: int) -> int:
        """Byte address of a word."""
        return self.base + WORD_BYTES * word

    def layer_weights(self, layer: Layer) -> Stretch:
        """Weights and biases of a layer."""
        first = self.weights_offset + layer.mem_weights
        return Stretch(f"weights of {layer.name}", first, first + layer.weights)

    def layer_input(self, layer: Layer) -> Stretch:
        """Input of a layer."""
        first = self.data_offset + layer.mem_in
        return Stretch(f"input of {layer.name}", first, first + layer.words_in)

    def layer_output(self, layer: Layer) -> Stretch:
        """From the first to the last word that a layer writes; a split layer leaves those of the other one alone."""
        first = self.data_offset + layer.mem_out
        return Stretch(f"output of {layer.name}", first, first + layer.span_out)

    def layer_pool(self, layer: Layer) -> Stretch | None:
        """Pool sums of a layer."""
        if not layer.gpool:
            return None
        first = self.data_offset + layer.pool_offset
        return Stretch(f"pool sums of {layer.name}", first, first + layer.ch_out)


class MemoryMap(Space):
    """The memory of a network: all weights, then the data.

    Args:
        network: whose.
        base: byte address of word 0.
    """

    def __init__(self, network: Network, base: int = DRAM_BASE) -> None:
        if base < 0 or base % WORD_BYTES:
            raise UsageError(f"memory base {base:#x}: expected a multiple of {WORD_BYTES}")
        self.network: Network
        self.data_words: int
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "data_words", _data_words(network))
        super().__init__(base, 0, network.weights, network.weights + self.data_words)

    def stretches(self) -> Iterator[Stretch]:
        """Everything that layers read or write."""
        for layer in self.network.layers:
            yield self.layer_weights(layer)
            yield self.layer_input(layer)
            yield self.layer_output(layer)
            if (pool := self.layer_pool(layer)) is not None:
                yield pool

    def check(self, words: int | None = None) -> None:
        """Everything lies inside a memory of so many words (None: as many as are needed).

        Raises:
            UsageError: it does not; the message names the first that reaches out.
        """
        size = self.words if words is None else words
        for one in self.stretches():
            if one.first < 0 or one.end > size:
                raise UsageError(
                    f"{one.name}: words {one.first}..{one.end - 1} are not inside a memory of {size} words"
                )

    def overrun(self) -> Overrun | None:
        """How far the public host's reservation falls short, None where it is enough."""
        last = self.network.layers[-1]
        before = last.mem_out - (last.ch_out if last.split == "second" else 0)
        reserved = before + last.width_out * last.height_out * last.ch_out
        return None if self.data_words <= _aligned(reserved) else Overrun(last.name, reserved, self.data_words)


def _data_words(network: Network) -> int:
    """Data words that are needed."""
    return max(
        max(_aligned(one.mem_out + one.span_out) for one in network.layers),
        max(_aligned(one.mem_in + one.words_in) for one in network.layers),
        max((one.pool_offset + one.ch_out for one in network.layers if one.gpool), default=0),
    )


def _aligned(words: int) -> int:
    return -(-words // ALIGNMENT) * ALIGNMENT
