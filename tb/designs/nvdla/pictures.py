# SPDX-License-Identifier: Apache-2.0
"""How a picture becomes the numbers of an input tensor: there is no single convention, so the user chooses.

Source of the default: nvdla/sw, ``umd/apps/runtime``: pictures are unpacked as BGR, ``createImageCopy`` brings 0..255 to 0..127.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.tb.extras import module_hint

_MODES = {1: "L", 3: "RGB"}
"""Pictures by their number of channels."""
_WORDS = {"L": "a grey picture", "RGB": "a picture of three colours"}
ORDERS = ("bgr", "rgb")
SCALES: dict[str, tuple[str, Callable[[npt.NDArray[Any]], npt.NDArray[Any]]]] = {
    "runtime": ("floor(x * 127 / 255 + 0.5), as the vendor's runtime", lambda x: np.floor(x * 127.0 / 255.0 + 0.5)),
    "half": ("min(127, rint(x / 2)), as the public LeNet digits", lambda x: np.minimum(127, np.rint(x / 2))),
    "offset": ("x - 128", lambda x: x - 128),
}
"""What becomes of a value of 0..255: in words, and in numbers."""


@dataclass(frozen=True)
class Convention:
    """How a picture becomes numbers.

    Attributes:
        scale: one of :data:`SCALES`.
        order: of colours, one of :data:`ORDERS`.

    Raises:
        UsageError: no such scale or order.
    """

    scale: str = "runtime"
    order: str = "bgr"

    def __post_init__(self) -> None:
        for option, value, known in (("scale", self.scale, SCALES), ("order", self.order, ORDERS)):
            if value not in known:
                raise UsageError(f"--image-{option} {value}: expected {', '.join(known)}")

    def __call__(self, pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.int8]:
        """(H, W, C) bytes, RGB or grey, as (C, H, W) int8."""
        channels = pixels.transpose(2, 0, 1)
        if self.order == "bgr":
            channels = channels[::-1]
        return SCALES[self.scale][1](channels.astype(np.float64)).astype(np.int8)


RUNTIME = Convention()


def chosen(scale: str | None, order: str | None) -> Convention:
    """A convention by its names; the runtime's way where nothing is said."""
    return Convention(scale or RUNTIME.scale, order or RUNTIME.order)


@contextmanager
def opened_picture(file: Path) -> Iterator[Any]:
    """A picture, closed in the end; whatever is wrong with the file is said of it.

    Raises:
        InputError: no picture.
        UsageError: the package pillow is missing.
    """
    try:
        from PIL import Image, UnidentifiedImageError
    except ModuleNotFoundError as error:
        raise UsageError(f"{file}: pictures need the Python package pillow: {module_hint('PIL')}") from error
    try:
        with Image.open(file) as picture:
            # Pillow would cut values above 255 off.
            if picture.mode.startswith(("I", "F")):
                raise InputError(f"a picture of mode {picture.mode}", "8 bits per channel; convert it first", file=file)
            yield picture
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError("no such file", "a picture or a .npy file", file=file) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise InputError(reason or "a damaged picture, or none", "a picture or a .npy file", file=file) from error


def _colours(picture: Any) -> str:
    """``L`` for grey, ``RGB`` for colours, else the mode: black and white is grey, a palette is what its entries are."""
    if "transparency" in picture.info:
        return f"{picture.mode} with transparency"
    if picture.mode == "P":
        entries = np.asarray(picture.convert("RGB"), np.uint8)
        return "L" if (entries == entries[..., :1]).all() else "RGB"
    return {"1": "L"}.get(picture.mode, str(picture.mode))


def read_picture(
    file: Path, shape: tuple[int, int, int] | None, convention: Convention = RUNTIME
) -> npt.NDArray[np.int8]:
    """A picture as (C, H, W) int8.

    Args:
        file: whatever the package pillow reads.
        shape: of the tensor that it is for, whose number of channels it gets; None is taken for three.
        convention: how values become numbers.

    Raises:
        InputError: no picture, one of other channels than the tensor's, or a tensor of neither 1 nor 3 channels.
        UsageError: the package pillow is missing.
    """
    mode = _MODES.get(shape[0] if shape else 3)
    if mode is None:
        raise InputError("a picture", f"int8 of shape {shape} as .npy: pictures have 1 or 3 channels", file=file)
    with opened_picture(file) as picture:
        if (found := _colours(picture)) != mode:
            raise InputError(
                _WORDS.get(found, f"a picture of mode {found}"), f"{_WORDS[mode]}; convert it first", file=file
            )
        pixels = np.asarray(picture.convert(mode), np.uint8)
    return convention(pixels.reshape(*pixels.shape[:2], -1))
