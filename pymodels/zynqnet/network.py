# SPDX-License-Identifier: Apache-2.0
"""Networks: what a user describes, and the same with every layer at its place in memory.

A description is short (TOML or JSON); sizes and word addresses follow from it:

    name = "mini"
    input = {width = 8, height = 8, channels = 3}

    [[layer]]
    name = "c1"
    ch_out = 16
    kernel = 3
    stride = 2
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.json_file import read_json
from goldbeat.pymodels.validation import first_mistake
from goldbeat.pymodels.zynqnet.shifts import Shifts

Split = Literal["none", "first", "second"]

ALIGNMENT = 1024
"""Activations begin at multiples of so many words (the public host's rule)."""
CH_OUT_STEP = 16
"""Output channels in memory are a multiple of so many; a network with others is padded
(:mod:`goldbeat.pymodels.zynqnet.padding`).
"""
NAME_BYTES = 8
"""Bytes of the layer name in the registers."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class InputShape(_Frozen):
    """Size of the image."""

    width: StrictInt = Field(ge=1, le=256)
    height: StrictInt = Field(ge=1, le=256)
    channels: StrictInt = Field(ge=1, le=1024)


class LayerSpec(_Frozen):
    """A layer as a user writes it; its input is what the layers before it make.

    Attributes:
        name: at most eight ASCII characters.
        ch_out: output channels; in memory, channels of zeros make them a multiple of 16.
        kernel: 3 (3x3, centred, zeros outside the image) or 1.
        stride: 1 or 2.
        relu: negative results become 0.
        split: ``first`` and ``second`` are a pair: both read the same input, their outputs are concatenated.
        gpool: sum every channel over all pixels as well.
        shifts: of the int8 format; needed for int8 alone.
    """

    name: str
    ch_out: StrictInt = Field(ge=1, le=512)
    kernel: Literal[1, 3] = 3
    stride: Literal[1, 2] = 1
    relu: StrictBool = True
    split: Split = "none"
    gpool: StrictBool = False
    shifts: Shifts | None = None

    @field_validator("kernel", "stride", mode="before")
    @classmethod
    def _whole(cls, value: object) -> object:
        """``true`` and 1.0 equal 1, and are no whole numbers."""
        if type(value) is not int:
            raise PydanticCustomError("int_type", "no whole number")
        return value

    @field_validator("name")
    @classmethod
    def _short(cls, name: str) -> str:
        if not name.isascii() or not 1 <= len(name) <= NAME_BYTES:
            raise ValueError(f"{name!r}, expected 1 to {NAME_BYTES} ASCII characters")
        return name


class NetworkSpec(_Frozen):
    """A network as a user writes it; in a file, each layer is one ``[[layer]]``."""

    name: str = "network"
    input: InputShape
    layer: tuple[LayerSpec, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _pairs(self) -> Self:
        names = [one.name for one in self.layer]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"layer: two layers are called {name!r}, expected different names")
        before: LayerSpec | None = None
        for one in self.layer:
            if (before is not None and before.split == "first") != (one.split == "second"):
                after = "no layer" if before is None else f"{before.name} with split = {before.split!r}"
                raise ValueError(
                    f"layer {one.name}: split = {one.split!r} after {after}, "
                    "expected a second split layer right after a first one, and only there"
                )
            if (
                before is not None
                and one.split == "second"
                and (before.ch_out, before.stride) != (one.ch_out, one.stride)
            ):
                raise ValueError(
                    f"layer {one.name}: ch_out {one.ch_out}, stride {one.stride}, expected the same ch_out and stride as "
                    f"{before.name}, the other half of the split pair: {before.ch_out}, {before.stride}"
                )
            before = one
        if self.layer[-1].split == "first":
            raise ValueError(
                f"layer {names[-1]}: the last one, expected another: a first split layer needs its second one"
            )
        return self


class Layer(_Frozen):
    """A layer with its sizes and its place in memory.

    Attributes:
        name: see :class:`LayerSpec`.
        width, height: of the input.
        ch_in, ch_out: channels as they lie in memory.
        kernel, stride, relu, split, gpool, shifts: see :class:`LayerSpec`.
        mem_in, mem_out: first word of input and output, counted from the start of the data.
        mem_weights: first word of the weights, counted from the start of all weights.
        padding: how many of the output channels, the last ones, the tool has added.
        parts_in: how many outputs the input is a concatenation of, 1 or 2.
        padding_in: how many channels of each of these parts, the last ones, the tool has added.
    """

    name: str
    width: int
    height: int
    ch_in: int
    ch_out: int
    kernel: int
    stride: int
    relu: bool
    split: Split = "none"
    gpool: bool = False
    mem_in: int
    mem_out: int
    mem_weights: int
    shifts: Shifts | None = None
    padding: int = 0
    parts_in: int = 1
    padding_in: int = 0

    @property
    def used_out(self) -> int:
        """Output channels that the network has: all but the padding."""
        return self.ch_out - self.padding

    @property
    def used_in(self) -> int:
        """Input channels that the network has."""
        return self.ch_in - self.parts_in * self.padding_in

    @property
    def used_weights(self) -> int:
        """Weights and biases that the network has."""
        return (self.used_in * self.taps + 1) * self.used_out

    @property
    def width_out(self) -> int:
        """Pixels in a row of the output."""
        return -(-self.width // self.stride)

    @property
    def height_out(self) -> int:
        """Rows of the output."""
        return -(-self.height // self.stride)

    @property
    def pad(self) -> int:
        """The original's register of that name; nothing looks at it."""
        return self.kernel // 2

    @property
    def taps(self) -> int:
        """Weights of one input and one output channel: 9 or 1."""
        return self.kernel * self.kernel

    @property
    def weights(self) -> int:
        """Words of weights and biases."""
        return (self.ch_in * self.taps + 1) * self.ch_out

    @property
    def pixel_step(self) -> int:
        """Words from one output pixel to the next."""
        return self.ch_out * (1 if self.split == "none" else 2)

    @property
    def words_in(self) -> int:
        """Words of input."""
        return self.width * self.height * self.ch_in

    @property
    def span_out(self) -> int:
        """Words from the first to the last word of output, both counted."""
        return (self.width_out * self.height_out - 1) * self.pixel_step + self.ch_out

    @property
    def macs(self) -> int:
        """Multiply-accumulates."""
        return self.width_out * self.height_out * self.ch_in * self.ch_out * self.taps

    @property
    def pool_offset(self) -> int:
        """First data word of the pool sums."""
        return self.ch_out if self.split == "second" else 0


class Network(_Frozen):
    """Layers in their order, each at its place in memory.

    Attributes:
        name: of the network.
        layers: at least one.
    """

    name: str
    layers: tuple[Layer, ...]

    @property
    def input(self) -> InputShape:
        """Size of the image."""
        first = self.layers[0]
        return InputShape(width=first.width, height=first.height, channels=first.ch_in)

    @property
    def weights(self) -> int:
        """Words of all weights and biases."""
        return sum(layer.weights for layer in self.layers)

    @property
    def used_weights(self) -> int:
        """Weights and biases without those of padded channels."""
        return sum(layer.used_weights for layer in self.layers)

    @property
    def macs(self) -> int:
        """Multiply-accumulates of a frame."""
        return sum(layer.macs for layer in self.layers)

    def layer(self, name: str) -> Layer:
        """A layer by name; an unknown one is an :class:`InputError`."""
        for one in self.layers:
            if one.name == name:
                return one
        raise InputError(f"layer {name!r}", f"one of {', '.join(one.name for one in self.layers)}")

    def with_shifts(self, shifts: Sequence[Shifts]) -> Network:
        """The same network with the shifts of the int8 format, one for each layer."""
        layers = tuple(one.model_copy(update={"shifts": s}) for one, s in zip(self.layers, shifts, strict=True))
        return Network(name=self.name, layers=layers)


def place_layers(spec: NetworkSpec) -> Network:
    """Give every layer its sizes and addresses.

    The public host's rules: activations one after the other, aligned to :data:`ALIGNMENT` words, nothing reused; a first split
    layer reserves the output of both, the second one begins ``ch_out`` words after it. Output channels are padded to a multiple of
    :data:`CH_OUT_STEP`.
    """
    width, height, channels = spec.input.width, spec.input.height, spec.input.channels
    at_in, free, at_weights = 0, _aligned(width * height * channels), 0
    layers: list[Layer] = []
    parts, padding_in = 1, 0
    for one in spec.layer:
        padding = -one.ch_out % CH_OUT_STEP
        ch_out = one.ch_out + padding
        at_out = layers[-1].mem_out + ch_out if one.split == "second" else free
        placed = Layer(
            **(dict(one) | {"ch_out": ch_out}),
            padding=padding,
            parts_in=parts,
            padding_in=padding_in,
            width=width,
            height=height,
            ch_in=channels,
            mem_in=at_in,
            mem_out=at_out,
            mem_weights=at_weights,
        )
        layers.append(placed)
        at_weights += placed.weights
        if one.split != "second":
            free += _aligned(placed.width_out * placed.height_out * placed.pixel_step)
        if one.split != "first":
            at_in = layers[-2].mem_out if one.split == "second" else at_out
            width, height, channels = placed.width_out, placed.height_out, placed.pixel_step
            parts, padding_in = 1 if one.split == "none" else 2, padding
    return Network(name=spec.name, layers=tuple(layers))


def _aligned(words: int) -> int:
    return -(-words // ALIGNMENT) * ALIGNMENT


def parse_network(values: Any, *, file: str | PathLike[str] | None = None) -> Network:
    """A network from what a TOML or JSON file holds.

    Raises:
        InputError: something is missing, unknown or out of range; the message says which entry.
    """
    try:
        return place_layers(NetworkSpec.model_validate(values))
    except UsageError as error:
        raise (error if file is None else UsageError(f"{file}: {error}")) from None
    except ValidationError as error:
        wrong = first_mistake(error)
        if wrong.kind == "value_error":
            # The sentence of a check says what was found, too.
            found, _, expected = wrong.expected.partition(", expected ")
            raise InputError(f"{wrong.key}: {found}" if wrong.key else found, expected, file=file) from None
        found = "nothing" if wrong.kind == "missing" else f"{wrong.value!r:.60}"
        raise InputError(f"{wrong.key or 'network'}: {found}", wrong.expected, file=file) from None


def load_network(path: str | PathLike[str]) -> Network:
    """Read a network from a ``.toml`` or ``.json`` file.

    Raises:
        InputError: not such a file, or :func:`parse_network` refuses what it holds.
    """
    file = Path(path)
    if file.suffix.lower() == ".json":
        return parse_network(read_json(file, "a network (.toml or .json)"), file=file)
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", "a network (.toml or .json)", file=file) from None
    except UnicodeDecodeError as error:
        raise InputError(
            "bytes that are not UTF-8", "a network (.toml or .json)", file=file, offset=error.start
        ) from None
    except (ValueError, OSError, RecursionError) as error:
        raise InputError(str(error), "a network (.toml or .json)", file=file) from None
    return parse_network(values, file=file)
