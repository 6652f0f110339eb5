# SPDX-License-Identifier: Apache-2.0
"""What the convolution core takes from its registers (docs/nvdla-convolution.md)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed
from goldbeat.pymodels.nvdla.engines.pixels import PixelFormat, pixel_format
from goldbeat.pymodels.nvdla.engines.registers import Values

BANK_ENTRIES = 512
"""Entries of a bank of the convolution buffer."""
ENTRY = 8
"""Bytes of an entry."""
_LARGEST_JOINED = 2


@dataclass(frozen=True)
class InputConverter:
    """CDMA's converter.

    Attributes:
        sign: bytes are signed.
        offset: by channel of a pixel; all the same for features.
        scale, shift: factor, and bits that the product is shifted to the right by.
    """

    sign: bool
    offset: tuple[int, int, int, int]
    scale: int
    shift: int

    def __call__(self, data: Ints) -> Ints:
        """(..., channels) bytes 0..255 of pixels, or of features, to int8 values."""
        numbers = np.where(data > 127, data - 256, data) if self.sign else data
        channels = data.shape[-1]
        offset = np.array(self.offset[:channels] if channels <= len(self.offset) else self.offset[0])
        return np.clip(shift_right((numbers - offset) * self.scale, self.shift, 62, 17), -128, 127)


@dataclass(frozen=True)
class FetchSettings:
    """CDMA's part of an operation.

    Attributes:
        form: of pixels; None for features.
        bases, lines: addresses and line strides of both planes.
        size: width, height and channels.
        first: PIXEL_X_OFFSET.
        entries: E, of a slice.
        weights: address, and entries (Wn).
        banks: of data and weights.
        reuse, skip: of data and weights.
        pad: left, and its value.
    """

    form: PixelFormat | None
    bases: tuple[int, int]
    lines: tuple[int, int]
    surface: int
    size: tuple[int, int, int]
    first: int
    entries: int
    weights: tuple[int, int]
    banks: tuple[int, int]
    reuse: tuple[bool, bool]
    skip: tuple[bool, bool]
    pad: tuple[int, int]
    converter: InputConverter | None


@dataclass(frozen=True)
class ComputeSettings:
    """The part of CSC and CACC. Sizes and strides are (x, y), kernels (columns, rows).

    Attributes:
        joined: J, rows that go through the multipliers together.
        depth, kernels: channels of a kernel, number of kernels.
        release: slices that are released at the end.
        skip: of data and weights.
    """

    pixels: bool
    size: tuple[int, int]
    channels: int
    joined: int
    kernel: tuple[int, int]
    depth: int
    kernels: int
    out: tuple[int, int]
    release: int
    stride: tuple[int, int]
    dilation: tuple[int, int]
    pad: tuple[int, int]
    pad_value: int
    entries: int
    skip: tuple[bool, bool]
    truncate: int

    @property
    def atoms(self) -> int:
        """N, output atoms of a group."""
        return self.out[0] * self.out[1]

    def lines_needed(self, line: int) -> int:
        """Slices that must be there for an output line and all before it."""
        last = line * self.stride[1] - self.pad[1] + (self.kernel[1] - 1) * self.dilation[1]
        return min(self.size[1], max(0, last + 1))


def fetch_settings(values: Values) -> FetchSettings:
    """CDMA's registers.

    Raises:
        UsageError: a pixel format that nv_small does not have.
    """

    def get(name: str, field: str | None = None) -> int:
        return values.get("CDMA", name, field)

    pixels = get("D_DATAIN_FORMAT", "DATAIN_FORMAT")
    return FetchSettings(
        pixel_format(get("D_DATAIN_FORMAT", "PIXEL_FORMAT")) if pixels else None,
        (get("D_DAIN_ADDR_LOW_0"), get("D_DAIN_ADDR_LOW_1")),
        (get("D_LINE_STRIDE"), get("D_LINE_UV_STRIDE")),
        get("D_SURF_STRIDE"),
        (
            get("D_DATAIN_SIZE_0", "DATAIN_WIDTH") + 1,
            get("D_DATAIN_SIZE_0", "DATAIN_HEIGHT") + 1,
            get("D_DATAIN_SIZE_1", "DATAIN_CHANNEL") + 1,
        ),
        get("D_PIXEL_OFFSET", "PIXEL_X_OFFSET"),
        get("D_ENTRY_PER_SLICE", "ENTRIES") + 1,
        (get("D_WEIGHT_ADDR_LOW"), -(-get("D_WEIGHT_BYTES") // ENTRY)),
        (get("D_BANK", "DATA_BANK") + 1, get("D_BANK", "WEIGHT_BANK") + 1),
        (bool(get("D_MISC_CFG", "DATA_REUSE")), bool(get("D_MISC_CFG", "WEIGHT_REUSE"))),
        _skips(values, "CDMA"),
        (get("D_ZERO_PADDING", "PAD_LEFT"), signed(get("D_ZERO_PADDING_VALUE", "PAD_VALUE"), 8)),
        _converter(values) if get("D_CVT_CFG", "CVT_EN") else None,
    )


def _converter(values: Values) -> InputConverter:
    def get(name: str, field: str) -> int:
        return values.get("CDMA", name, field)

    pixels = get("D_DATAIN_FORMAT", "DATAIN_FORMAT")
    offset = (signed(get("D_CVT_OFFSET", "CVT_OFFSET"), 16),) * 4
    if pixels and get("D_MEAN_FORMAT", "MEAN_FORMAT"):
        means = (("0", "RY"), ("0", "GU"), ("1", "BV"), ("1", "AX"))
        ry, gu, bv, ax = (signed(get(f"D_MEAN_GLOBAL_{n}", f"MEAN_{c}"), 16) for n, c in means)
        offset = (ry, gu, bv, ax)
    return InputConverter(
        not pixels or bool(get("D_DATAIN_FORMAT", "PIXEL_SIGN_OVERRIDE")),
        offset,
        signed(get("D_CVT_SCALE", "CVT_SCALE"), 16),
        get("D_CVT_CFG", "CVT_TRUNCATE"),
    )


def _skips(values: Values, block: str) -> tuple[bool, bool]:
    data, weights = (values.get(block, "D_MISC_CFG", f"SKIP_{part}_RLS") for part in ("DATA", "WEIGHT"))
    return bool(data), bool(weights)


def compute_settings(values: Values) -> ComputeSettings:
    """CSC's and CACC's registers."""

    def pair(register: str, x: str, y: str, less: int = 1) -> tuple[int, int]:
        return values.get("CSC", register, x) + less, values.get("CSC", register, y) + less

    def get(name: str, field: str) -> int:
        return values.get("CSC", name, field)

    pixels = bool(get("D_DATAIN_FORMAT", "DATAIN_FORMAT"))
    stride = pair("D_CONV_STRIDE_EXT", "CONV_X_STRIDE_EXT", "CONV_Y_STRIDE_EXT")
    dilation = pair("D_DILATION_EXT", "X_DILATION_EXT", "Y_DILATION_EXT")
    joined = min(get("D_POST_Y_EXTENSION", "Y_EXTENSION"), _LARGEST_JOINED) if pixels else 0
    return ComputeSettings(
        pixels,
        pair("D_DATAIN_SIZE_EXT_0", "DATAIN_WIDTH_EXT", "DATAIN_HEIGHT_EXT"),
        get("D_DATAIN_SIZE_EXT_1", "DATAIN_CHANNEL_EXT") + 1,
        1 << joined,
        pair("D_WEIGHT_SIZE_EXT_0", "WEIGHT_WIDTH_EXT", "WEIGHT_HEIGHT_EXT"),
        get("D_WEIGHT_SIZE_EXT_1", "WEIGHT_CHANNEL_EXT") + 1,
        get("D_WEIGHT_SIZE_EXT_1", "WEIGHT_KERNEL") + 1,
        pair("D_DATAOUT_SIZE_0", "DATAOUT_WIDTH", "DATAOUT_HEIGHT"),
        get("D_RELEASE", "RLS_SLICES") + 1,
        stride,
        (1, 1) if pixels else dilation,
        pair("D_ZERO_PADDING", "PAD_LEFT", "PAD_TOP", 0),
        signed(get("D_ZERO_PADDING_VALUE", "PAD_VALUE"), 8),
        get("D_ENTRY_PER_SLICE", "ENTRIES") + 1,
        _skips(values, "CSC"),
        values.get("CACC", "D_CLIP_CFG", "CLIP_TRUNCATE"),
    )
