# SPDX-License-Identifier: Apache-2.0
"""Pixel input of convolutions (CDMA's image mode): formats, fetch, conversion, and the windows that CSC cuts out of lines.

A line of pixels becomes a line of int8 elements, padded left and right, the channels of a pixel side by side in the order
R, G, B, A (or Y, U, V, A). CSC takes a kernel's row as one run of elements ("pre-extension"): the kernel's width is 1, its
channels are width times channels. Source: public C model and RTL of nvdla/hw, branch nv_small (``cmod/cdma``, ``cmod/csc``,
``NV_NVDLA_CDMA_IMG_ctrl.v``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, check_address, check_alignment, check_apart
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed
from goldbeat.pymodels.nvdla.engines.configuration import INT8, NV_SMALL
from goldbeat.pymodels.nvdla.engines.elements import bits
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.rounding import saturate


@dataclass(frozen=True)
class PixelFormat:
    """How pixels lie in memory.

    Attributes:
        name: as the manual writes it.
        planes: by plane the byte of a pixel that holds each of its channels, channels in the order R, G, B, A or Y, U, V, A.
    """

    name: str
    planes: tuple[tuple[int, ...], ...]

    @property
    def channels(self) -> int:
        """Channels of a pixel."""
        return sum(len(plane) for plane in self.planes)


_NAMES = (
    "R8",
    "R10",
    "R12",
    "R16",
    "R16_I",
    "R16_F",
    "A16B16G16R16",
    "X16B16G16R16",
    "A16B16G16R16_F",
    "A16Y16U16V16",
    "V16U16Y16A16",
    "A16Y16U16V16_F",
    "A8B8G8R8",
    "A8R8G8B8",
    "B8G8R8A8",
    "R8G8B8A8",
    "X8B8G8R8",
    "X8R8G8B8",
    "B8G8R8X8",
    "R8G8B8X8",
    "A2B10G10R10",
    "A2R10G10B10",
    "B10G10R10A2",
    "R10G10B10A2",
    "A2Y10U10V10",
    "V10U10Y10A2",
    "A8Y8U8V8",
    "V8U8Y8A8",
    "Y8___U8V8_N444",
    "Y8___V8U8_N444",
    "Y10___U10V10_N444",
    "Y10___V10U10_N444",
    "Y12___U12V12_N444",
    "Y12___V12U12_N444",
    "Y16___U16V16_N444",
    "Y16___V16U16_N444",
)
"""By code of PIXEL_FORMAT."""
_FIRST, _SWAPPED, _LAST, _REVERSED = (0, 1, 2, 3), (2, 1, 0, 3), (1, 2, 3, 0), (3, 2, 1, 0)
_PLANES: dict[str, tuple[tuple[int, ...], ...]] = {
    "R8": ((0,),),
    "A8B8G8R8": (_FIRST,),
    "X8B8G8R8": (_FIRST,),
    "A8R8G8B8": (_SWAPPED,),
    "X8R8G8B8": (_SWAPPED,),
    "A8Y8U8V8": (_SWAPPED,),
    "B8G8R8A8": (_LAST,),
    "B8G8R8X8": (_LAST,),
    "V8U8Y8A8": (_LAST,),
    "R8G8B8A8": (_REVERSED,),
    "R8G8B8X8": (_REVERSED,),
    "Y8___U8V8_N444": ((0,), (1, 0)),
    "Y8___V8U8_N444": ((0,), (0, 1)),
}
FORMATS = {_NAMES.index(name): PixelFormat(name, planes) for name, planes in _PLANES.items()}
"""Formats by code, those of 8 bits a channel: all that nv_small has."""


def format_name(code: int) -> str:
    """Name and code of a format, nv_small's or not."""
    return f"{_NAMES[code]} ({code})" if code < len(_NAMES) else str(code)


def pixel_format(code: int, subject: str = NV_SMALL.subject) -> PixelFormat:
    """The format of a code.

    Raises:
        UsageError: ``subject``, the hardware or its model, does not have it.
    """
    if code not in FORMATS:
        names = ", ".join(f.name for f in FORMATS.values())
        raise UsageError(f"pixel format {format_name(code)}: {subject} has {names}")
    return FORMATS[code]


def pixel_lines(values: Values, memory: AddressSpace, precision: int = INT8) -> Ints:
    """(height, elements) of a precision: the lines that CDMA leaves in the convolution buffer, padded left and right.

    Raises:
        UsageError: the hardware, or this model, cannot do what the registers say.
        InputError: pixels outside of the memory.
    """
    subject = values.configuration.subject
    form = pixel_format(values.get("CDMA", "D_DATAIN_FORMAT", "PIXEL_FORMAT"), subject)
    for block, name, field in (
        ("CDMA", "D_DATAIN_SIZE_1", "DATAIN_CHANNEL"),
        ("CSC", "D_DATAIN_SIZE_EXT_1", "DATAIN_CHANNEL_EXT"),
    ):
        if (found := values.get(block, name, field) + 1) != form.channels:
            raise UsageError(f"{block}.{name}.{field}: {found} channels, pixels of {form.name} have {form.channels}")
    if values.get("CDMA", "D_DATAIN_FORMAT", "PIXEL_MAPPING"):
        raise UsageError(f"CDMA.D_DATAIN_FORMAT.PIXEL_MAPPING is 1: {subject} has pitch linear (0) only")
    pixels = _fetch(values, memory, form)
    left, right = (values.get("CDMA", "D_ZERO_PADDING", f"PAD_{side}") for side in ("LEFT", "RIGHT"))
    value = signed(values.get("CDMA", "D_ZERO_PADDING_VALUE", "PAD_VALUE"), bits(precision))
    padded = np.pad(_convert(values, pixels, precision), ((0, 0), (left, right), (0, 0)), constant_values=value)
    return padded.reshape(len(padded), -1)


def _fetch(values: Values, memory: AddressSpace, form: PixelFormat) -> npt.NDArray[np.uint8]:
    """(height, width, channels) bytes."""
    width = values.get("CDMA", "D_DATAIN_SIZE_0", "DATAIN_WIDTH") + 1
    height = values.get("CDMA", "D_DATAIN_SIZE_0", "DATAIN_HEIGHT") + 1
    first, atom = values.get("CDMA", "D_PIXEL_OFFSET", "PIXEL_X_OFFSET"), values.configuration.atom
    if first >= (largest := atom // len(form.planes[0])):
        raise UsageError(
            f"CDMA.D_PIXEL_OFFSET.PIXEL_X_OFFSET is {first}: pixels of {form.name} begin within the first "
            f"{atom} bytes, so at most {largest - 1}"
        )
    channels = []
    for number, places in enumerate(form.planes):
        base = values.get("CDMA", f"D_DAIN_ADDR_HIGH_{number}") << 32 | values.get("CDMA", f"D_DAIN_ADDR_LOW_{number}")
        check_address(base)
        line = "D_LINE_UV_STRIDE" if number else "D_LINE_STRIDE"
        check_alignment(values, "CDMA", f"D_DAIN_ADDR_LOW_{number}", *([line] if height > 1 else []))
        stride = values.get("CDMA", line)
        size = len(places)
        check_apart(values, "CDMA", (line, line), (width, height, 1), size)
        # The second plane's pixels are wider: its first atom holds fewer of them, and the offset counts from there.
        begin = first % (atom // size) * size
        lines = memory.read(base + begin + np.arange(height, dtype=np.int64) * stride, width * size)
        channels.append(lines.reshape(height, width, size)[..., list(places)])
    return np.concatenate(channels, axis=2)


def _convert(values: Values, pixels: npt.NDArray[np.uint8], precision: int) -> Ints:
    """CDMA's converter: (x - offset or mean) * scale, shifted right and saturated; bytes as they are where it is off."""
    if not values.get("CDMA", "D_CVT_CFG", "CVT_EN"):
        return pixels.view(np.int8).astype(np.int64)
    sign = values.get("CDMA", "D_DATAIN_FORMAT", "PIXEL_SIGN_OVERRIDE")
    numbers = (pixels.view(np.int8) if sign else pixels).astype(np.int64)
    offset = np.full(4, signed(values.get("CDMA", "D_CVT_OFFSET", "CVT_OFFSET"), 16))
    if values.get("CDMA", "D_MEAN_FORMAT", "MEAN_FORMAT"):
        means = (("0", "RY"), ("0", "GU"), ("1", "BV"), ("1", "AX"))
        offset = np.array([signed(values.get("CDMA", f"D_MEAN_GLOBAL_{n}", f"MEAN_{c}"), 16) for n, c in means])
    scale = signed(values.get("CDMA", "D_CVT_SCALE", "CVT_SCALE"), 16)
    shift = values.get("CDMA", "D_CVT_CFG", "CVT_TRUNCATE")
    return saturate(shift_right((numbers - offset[: pixels.shape[2]]) * scale, shift, 62, 17), bits(precision))


def windows(lines: Ints, channels: int, depth: int, out: int, stride: int) -> Ints:
    """The runs of elements that a kernel's row meets.

    Args:
        lines: (height, elements).
        channels: of a pixel.
        depth: elements of a kernel's row.
        out: width of the output.
        stride: in pixels.

    Returns:
        (depth, height, out) values: to be convolved with kernels of width 1.

    Raises:
        UsageError: windows reach beyond the padded lines.
    """
    last = (out - 1) * stride * channels + depth
    if last > lines.shape[1]:
        raise UsageError(
            f"CSC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH: {out} windows of {depth} elements end at element {last} of a line, "
            f"which has {lines.shape[1]} with its padding"
        )
    views = np.lib.stride_tricks.sliding_window_view(lines, depth, axis=1)
    return views[:, : last - depth + 1 : stride * channels].transpose(2, 0, 1)
