# SPDX-License-Identifier: Apache-2.0
"""Data cubes between numpy (channels, height, width) and memory: feature, planar and pixel layouts.

Source: the public description of NVDLA's in-memory data formats. Without another form elements are int8, in nv_small's atoms of 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.configuration import INT8, KINDS

PIXELS = {
    "R8": "R",
    "A8B8G8R8": "RGBA",
    "A8R8G8B8": "BGRA",
    "B8G8R8A8": "ARGB",
    "R8G8B8A8": "ABGR",
    "X8B8G8R8": "RGBX",
    "X8R8G8B8": "BGRX",
    "B8G8R8X8": "XRGB",
    "R8G8B8X8": "XBGR",
    "A8Y8U8V8": "VUYA",
    "V8U8Y8A8": "AYUV",
}
"""Pixel formats of 8 bits a channel: their channels from the lowest byte on."""
_PLACE = {"R": 0, "Y": 0, "G": 1, "U": 1, "B": 2, "V": 2, "A": 3, "X": 3}


@dataclass(frozen=True)
class ElementForm:
    """How elements lie in atoms.

    Attributes:
        atom: bytes of an atom.
        kind: numpy's name of an element's type, little-endian.
    """

    atom: int = ATOM
    kind: str = KINDS[INT8]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return np.dtype(self.kind)

    @property
    def lanes(self) -> int:
        """Elements of an atom."""
        return self.atom // self.dtype.itemsize


SMALL_FORM = ElementForm()


def feature_size(
    channels: int,
    height: int,
    width: int,
    line: int | None = None,
    surface: int | None = None,
    form: ElementForm = SMALL_FORM,
) -> tuple[int, int, int]:
    """Bytes, line stride and surface stride of a feature cube, packed unless strides are given."""
    atom = form.atom
    line = width * atom if line is None else line
    surface = line * height if surface is None else surface
    if line < width * atom or surface < line * height or line % atom or surface % atom:
        raise UsageError(
            f"strides {line} and {surface}: a cube of {width} x {height} needs more, in multiples of {atom}"
        )
    return surface * -(-channels // form.lanes), line, surface


def _places(
    channels: int, height: int, width: int, line: int, surface: int, form: ElementForm
) -> npt.NDArray[np.int64]:
    """(C, H, W, bytes of an element) offsets."""
    c, h, w, byte = np.ogrid[:channels, :height, :width, : form.dtype.itemsize]
    lanes = form.lanes
    return np.asarray(c // lanes * surface + h * line + w * form.atom + c % lanes * len(byte[0, 0, 0]) + byte, np.int64)


def pack_feature(
    cube: npt.ArrayLike, line: int | None = None, surface: int | None = None, form: ElementForm = SMALL_FORM
) -> npt.NDArray[np.uint8]:
    """(C, H, W) elements as a feature cube; channels that are not there are 0."""
    array = np.asarray(cube, form.dtype)
    if array.ndim != 3:
        raise InputError(f"a cube of shape {array.shape}", "(channels, height, width)")
    channels, height, width = array.shape
    size, line, surface = feature_size(channels, height, width, line, surface, form)
    out = np.zeros(size, np.uint8)
    raw = np.ascontiguousarray(array).view(np.uint8).reshape(*array.shape, form.dtype.itemsize)
    out[_places(channels, height, width, line, surface, form)] = raw
    return out


def unpack_feature(
    data: npt.NDArray[np.uint8],
    channels: int,
    height: int,
    width: int,
    line: int | None = None,
    surface: int | None = None,
    form: ElementForm = SMALL_FORM,
) -> npt.NDArray[Any]:
    """(C, H, W) elements from a feature cube."""
    _, line, surface = feature_size(channels, height, width, line, surface, form)
    raw = _take(data, _places(channels, height, width, line, surface, form))
    return np.ascontiguousarray(raw).view(form.dtype)[..., 0]


def pack_planar(cube: npt.ArrayLike, line: int | None = None) -> npt.NDArray[np.uint8]:
    """(C, H, W) int8 plane after plane, lines of ``line`` bytes."""
    array = np.asarray(cube, np.int8)
    channels, height, width = array.shape
    line = width if line is None else line
    if line < width:
        raise UsageError(f"line stride {line}: a line has {width} bytes")
    out = np.zeros((channels, height, line), np.uint8)
    out[..., :width] = array.view(np.uint8)
    return out.reshape(-1)


def unpack_planar(
    data: npt.NDArray[np.uint8], channels: int, height: int, width: int, line: int | None = None
) -> npt.NDArray[np.int8]:
    """(C, H, W) int8 from planes."""
    line = width if line is None else line
    c, h, w = np.ogrid[:channels, :height, :width]
    return _take(data, np.asarray((c * height + h) * line + w, np.int64)).view(np.int8)


def pack_pixels(image: npt.ArrayLike, form: str, line: int | None = None) -> npt.NDArray[np.uint8]:
    """(C, H, W) bytes as pixels, pitch linear.

    Args:
        image: channels R, G, B, A (or Y, U, V, A); one channel for ``R8``. A missing fourth channel is 0.
        form: one of :data:`PIXELS`.
        line: line stride in bytes; a multiple of the atom, packed up to it by default.
    """
    array = np.asarray(image, np.uint8)
    order, line = _pixels(form, array.shape[2], line)
    _, height, width = array.shape
    out = np.zeros((height, line), np.uint8)
    for i, letter in enumerate(order):
        if (channel := _PLACE[letter]) < len(array):
            out[:, i : i + width * len(order) : len(order)] = array[channel]
    return out.reshape(-1)


def unpack_pixels(
    data: npt.NDArray[np.uint8], form: str, height: int, width: int, line: int | None = None
) -> npt.NDArray[np.uint8]:
    """(C, H, W) bytes from pixels, channels in the order R, G, B, A."""
    order, line = _pixels(form, width, line)
    h, w = np.ogrid[:height, :width]
    out = np.zeros((len(order), height, width), np.uint8)
    for i, letter in enumerate(order):
        out[_PLACE[letter]] = _take(data, np.asarray(h * line + w * len(order) + i, np.int64))
    return out


def _pixels(form: str, width: int, line: int | None) -> tuple[str, int]:
    if form not in PIXELS:
        raise UsageError(f"unknown pixel format {form!r}; known: {', '.join(PIXELS)}")
    packed = width * len(PIXELS[form])
    line = packed + -packed % ATOM if line is None else line
    if line < packed:
        raise UsageError(f"line stride {line}: a line has {packed} bytes")
    return PIXELS[form], line


def _take(data: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    if places.size and int(places.max()) >= len(data):
        raise InputError(f"{len(data)} bytes", f"at least {int(places.max()) + 1}")
    return data[places]
