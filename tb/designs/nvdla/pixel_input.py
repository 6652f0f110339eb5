# SPDX-License-Identifier: Apache-2.0
"""Pictures for a model whose first convolution reads pixels: bytes as they are, packed as the pixel format says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.engines.pixels import FORMATS, PixelFormat
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableMemory
from goldbeat.pymodels.nvdla.loadable.network import FEATURE, dla_tasks, network
from goldbeat.tb.designs.nvdla.pictures import RUNTIME, Convention, opened_picture


@dataclass(frozen=True)
class PixelTensor:
    """Pixels in a memory.

    Attributes:
        form: how they lie in their planes.
        height, width: of the picture.
        planes: offset in the memory and line stride of each plane, bytes.
    """

    form: PixelFormat
    height: int
    width: int
    planes: tuple[tuple[int, int], ...]

    @property
    def expected(self) -> str:
        """What an array should be."""
        channels, size = self.form.channels, (self.height, self.width)
        shapes = [(channels, *size), (*size, channels), *([size] if channels == 1 else [])]
        return f"int8 or uint8 of shape {' or '.join(map(str, shapes))} ({self.form.name})"

    def channels(self, array: npt.NDArray[Any]) -> npt.NDArray[np.uint8] | None:
        """(C, H, W) bytes of an array with channels first or last; a missing fourth channel is 0. None: another form."""
        if array.dtype not in (np.int8, np.uint8):
            return None
        size, wanted = (self.height, self.width), self.form.channels
        if array.ndim == 2 and wanted == 1:
            array = array[None]
        if array.ndim != 3:
            return None
        for planar in (array, array.transpose(2, 0, 1)):
            if planar.shape[1:] == size and (len(planar) == wanted or (len(planar), wanted) == (3, 4)):
                full = np.zeros((wanted, *size), np.uint8)
                full[: len(planar)] = np.ascontiguousarray(planar).view(np.uint8)
                return full
        return None

    def picture(self, file: Path, convention: Convention) -> npt.NDArray[np.uint8]:
        """(C, H, W) bytes of a picture: grey, colours or brightness and chroma as the format has them.

        Raises:
            InputError: no picture, or of another size.
            UsageError: a scale or an order is asked for, which the format decides.
        """
        if convention != RUNTIME:
            raise UsageError(
                f"{file}: the input is {self.form.name}: bytes of pixels; --image-scale and --image-order do not apply"
            )
        luma = "Y" in self.form.name
        with opened_picture(file) as picture:
            if (found := picture.size) != (self.width, self.height):
                raise InputError(f"{found[0]} x {found[1]} pixels", f"{self.width} x {self.height}", file=file)
            own = "A" in picture.getbands() and self.form.name.count("A")
            mode = "L" if self.form.channels == 1 else "YCbCr" if luma else "RGBA" if own else "RGB"
            pixels = np.asarray(picture.convert(mode), np.uint8)
        full = self.channels(pixels)
        assert full is not None
        return full

    def put(self, pixels: npt.NDArray[np.uint8], data: npt.NDArray[np.uint8]) -> None:
        """Write (C, H, W) bytes into those of the memory."""
        first = 0
        for places, (offset, line) in zip(self.form.planes, self.planes, strict=True):
            size = len(places)
            at = offset + np.arange(self.height)[:, None] * line + np.arange(self.width) * size
            for channel, place in enumerate(places, first):
                data[at + place] = pixels[channel]
            first += size


def pixel_tensor(loadable: Loadable, memory: LoadableMemory) -> PixelTensor | None:
    """The pixels that convolutions read from a memory; None if there are none, several of different form, or no room."""
    found = set()
    for task in dla_tasks(loadable):
        for op in network(loadable, task).operations:
            cube = op.cubes.get("src_data")
            if cube is None or cube.entry is None or cube.entry.mem_id != memory.id or not cube.used:
                continue
            form = FORMATS.get(int(op.desc["data_format"])) if op.type == "CONV" else None
            if form is None or int(op.desc["data_format"]) == FEATURE:
                return None
            base = cube.entry.offset + cube.offset
            planes: tuple[tuple[int, int], ...] = ((base, int(cube.record["line_stride"])),)
            if len(form.planes) > 1:
                planes += ((base + int(op.surface["offset_u"]), int(op.surface["in_line_uv_stride"])),)
            height, width = int(cube.record["height"]), int(cube.record["width"])
            found.add(PixelTensor(form, height, width, planes))
    one = found.pop() if len(found) == 1 else None
    if one is None:
        return None
    ends = [
        offset + (one.height - 1) * line + one.width * len(places)
        for places, (offset, line) in zip(one.form.planes, one.planes, strict=True)
    ]
    return one if max(ends) <= memory.size else None
