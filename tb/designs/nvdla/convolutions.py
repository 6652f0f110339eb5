# SPDX-License-Identifier: Apache-2.0
"""Random convolutions for the NVDLA hardware, each with the SDP operation that takes its sums (docs/nvdla-convolution.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from goldbeat.pymodels.nvdla.engines.pixels import FORMATS, PixelFormat
from goldbeat.pymodels.nvdla.engines.weights import ALIGNMENT, ATOM_C, ATOM_K
from goldbeat.pymodels.nvdla.timed.conv_settings import BANK_ENTRIES
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.traffic import ATOM, BASE, CONV_BLOCKS, DrawnOperation, MemorySpace, random_sdp

BANKS = 32
MOST_STEPS = 12_000
"""Steps of the multipliers that a drawn convolution takes at most."""

_MORE_LINES = 24

Pair = tuple[int, int]
"""Of x and y, or of columns and rows."""


@dataclass(frozen=True)
class ConvolutionShape:
    """A convolution without addresses.

    Attributes:
        size: width and height of the input, as compute sees it.
        channels: of the input; of a pixel.
        kernel, kernels: columns and rows, how many.
        pad: left, top, right and bottom.
        form: code of the pixel format; None for features.
        first: PIXEL_X_OFFSET.
        joined: Y_EXTENSION.
        banks: of data and weights; 0 where as many as are needed.
        reuse, skip: of data and weights.
        kept: slices at the beginning that the operation before left; they are not fetched.
        release: slices that are released at the end; 0 for all.
    """

    size: Pair
    channels: int
    kernel: Pair = (1, 1)
    kernels: int = 1
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    pad: tuple[int, int, int, int] = (0, 0, 0, 0)
    form: int | None = None
    first: int = 0
    joined: int = 0
    banks: Pair = (0, 0)
    reuse: tuple[bool, bool] = (False, False)
    skip: tuple[bool, bool] = (False, False)
    kept: int = 0
    release: int = 0

    @property
    def out(self) -> Pair:
        """Width and height of the output."""
        left, top, right, bottom = self.pad
        spans = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True)]
        wide, high = (
            (n + p - s) // t + 1
            for n, p, s, t in zip(self.size, (left + right, top + bottom), spans, self.stride, strict=True)
        )
        return wide, high

    @property
    def pixels(self) -> PixelFormat | None:
        """The pixel format."""
        return None if self.form is None else FORMATS[self.form]

    @property
    def depth(self) -> int:
        """D, channels of a kernel as the registers hold them: with pixels the columns are among them."""
        return self.channels if self.form is None else self.channels * self.kernel[0]

    @property
    def points(self) -> int:
        """R * S of the registers."""
        return self.kernel[1] * (self.kernel[0] if self.form is None else 1)

    @property
    def entries(self) -> int:
        """E, of a slice."""
        if self.form is None:
            return self.size[0] * -(-self.channels // ATOM_C)
        return -(-(self.pad[0] + self.size[0] + self.pad[2]) * self.channels // ATOM)

    @property
    def weight_bytes(self) -> int:
        """Of all kernels."""
        return self.kernels * self.depth * self.points

    @property
    def steps(self) -> int:
        """Of the multipliers."""
        return -(-self.kernels // ATOM_K) * self.out[0] * self.out[1] * -(-self.depth // ATOM_C) * self.points

    @property
    def least_banks(self) -> Pair:
        """That an operation needs which is alone in the buffer."""
        weights = self.weight_bytes if self.skip[1] else min(ATOM_K * self.depth * self.points, self.weight_bytes)
        return -(-self.entries * self.size[1] // BANK_ENTRIES), -(-(weights + ALIGNMENT) // (ATOM * BANK_ENTRIES))


@dataclass
class DrawnConvolution:
    """A convolution in memory.

    Attributes:
        conv, sdp: the operations of both engines.
        seen: registers of the convolution as the functional model must see them, which knows nothing of slices that are kept.
    """

    conv: DrawnOperation
    sdp: DrawnOperation
    seen: DrawnOperation


def _one_of(rng: Rng, *values: int) -> int:
    return values[int(rng.integers(len(values)))]


def _up_to(rng: Rng, *limits: int) -> int:
    """A number from 1 to one of the limits, the smaller ones as likely as the large."""
    return 1 + int(rng.integers(_one_of(rng, *limits)))


def random_convolution_shape(rng: Rng, *, pixels: bool | None = None) -> ConvolutionShape:
    """Any convolution that is not too large: features, or now and then pixels.

    Args:
        rng: random numbers.
        pixels: whether it is to be one of pixels; None for either.
    """
    if pixels is None:
        pixels = rng.integers(3) == 0
    while True:
        kernel = _up_to(rng, 3, 11), _up_to(rng, 3, 11)
        dilation = (1, 1) if pixels or rng.integers(3) else (_up_to(rng, 3, 9), _up_to(rng, 3, 9))
        stride = _up_to(rng, 1, 3, 8), _up_to(rng, 1, 3, 8)
        spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
        before = [int(rng.integers(min(_one_of(rng, 1, s), 32))) for s in spans]
        behind = [int(rng.integers(min(_one_of(rng, 1, s), 32))) for s in spans]
        size = [_up_to(rng, 6, 30), _up_to(rng, 4, 14)]
        wide, high = (max(n, s - b - e, 1) for n, s, b, e in zip(size, spans, before, behind, strict=True))
        shape = ConvolutionShape(
            (wide, high),
            _up_to(rng, 8, 40),
            kernel,
            _up_to(rng, 8, 40),
            stride,
            dilation,
            (before[0], before[1], behind[0], behind[1]),
        )
        if pixels:
            shape = _of_pixels(rng, shape)
        if _fits(shape):
            return shape


def _fits(shape: ConvolutionShape) -> bool:
    return min(shape.out) > 0 and shape.steps <= MOST_STEPS and sum(shape.least_banks) <= BANKS


def with_other_kernels(rng: Rng, shape: ConvolutionShape) -> ConvolutionShape:
    """Other kernels, strides and paddings on the same slices of input."""
    while True:
        other = random_convolution_shape(rng, pixels=shape.form is not None)
        pad = other.pad if shape.form is None else (shape.pad[0], other.pad[1], shape.pad[2], other.pad[3])
        made = replace(
            other,
            size=shape.size,
            channels=shape.channels,
            form=shape.form,
            first=shape.first,
            pad=pad,
            joined=0,
            kernel=(min(other.kernel[0], pad[0] + shape.size[0] + pad[2]), other.kernel[1]),
        )
        if _fits(made):
            return made


def with_other_data(rng: Rng, shape: ConvolutionShape) -> ConvolutionShape:
    """The same kernels on another input."""
    while True:
        other = random_convolution_shape(rng, pixels=shape.form is not None)
        made = replace(shape, size=other.size, stride=other.stride, pad=other.pad, first=0)
        if _fits(made):
            return made


def _of_pixels(rng: Rng, shape: ConvolutionShape) -> ConvolutionShape:
    codes = sorted(FORMATS)
    thin = rng.integers(4) == 0
    if thin:
        # Only narrow kernels on one channel may join four rows.
        codes = [code for code in codes if FORMATS[code].channels == 1]
    form = codes[int(rng.integers(len(codes)))]
    channels = FORMATS[form].channels
    kernel = shape.kernel
    if thin:
        kernel = (_up_to(rng, 2), kernel[1])
    elif rng.integers(3) == 0:
        kernel = (_up_to(rng, max(1, 4 // channels)), kernel[1])
    made = replace(shape, form=form, channels=channels, kernel=kernel, dilation=(1, 1))
    made = replace(made, first=int(rng.integers(ATOM // len(FORMATS[form].planes[0]))))
    fits = [code for code in (1, 2) if made.depth << code <= ATOM_C]
    return replace(made, joined=_one_of(rng, *fits)) if fits and rng.integers(2) else made


def draw_convolution(
    rng: Rng, space: MemorySpace, shape: ConvolutionShape, before: DrawnConvolution | None = None
) -> DrawnConvolution:
    """A convolution of a shape, with an SDP operation of any kind that takes its sums.

    Args:
        rng: random numbers.
        space: where its cubes go.
        shape: of the convolution.
        before: whose data or weights are used again, as the shape says.
    """
    op = DrawnOperation("CONV")
    banks = _banks(rng, shape)
    for block in CONV_BLOCKS:
        op.set(block, "D_MISC_CFG", CONV_MODE=0, PROC_PRECISION=0)
    flags = {"DATA_REUSE": shape.reuse[0], "WEIGHT_REUSE": shape.reuse[1]}
    flags |= {"SKIP_DATA_RLS": shape.skip[0], "SKIP_WEIGHT_RLS": shape.skip[1], "IN_PRECISION": False}
    for block in ("CDMA", "CSC"):
        op.set(block, "D_MISC_CFG", **{name: int(flag) for name, flag in flags.items()})
        op.set(block, "D_BANK", DATA_BANK=banks[0] - 1, WEIGHT_BANK=banks[1] - 1)
        op.set(block, "D_ENTRY_PER_SLICE", ENTRIES=shape.entries - 1)
        op.set(block, "D_DATAIN_FORMAT", DATAIN_FORMAT=int(shape.form is not None))
        wide, high = shape.size
        op.set(block, "D_DATAIN_SIZE_EXT_0", DATAIN_WIDTH_EXT=wide - 1, DATAIN_HEIGHT_EXT=high - 1)
        op.set(block, "D_ZERO_PADDING_VALUE", PAD_VALUE=int(rng.integers(1 << 16)))
    _compute(op, rng, shape)
    _input(op, rng, space, shape, before)
    _weights(op, space, shape, before)
    _conversion(op, rng)
    if before is not None and shape.reuse[0]:
        # What is in the buffer has been converted.
        op.fields.update({key: value for key, value in before.conv.fields.items() if key[1] in _CONVERSION})
    sdp = _taker(rng, space, shape)
    return DrawnConvolution(op, sdp, _seen(op, shape))


_CONVERSION = (
    *("D_CVT_CFG", "D_CVT_OFFSET", "D_CVT_SCALE", "D_MEAN_FORMAT", "D_MEAN_GLOBAL_0", "D_MEAN_GLOBAL_1"),
    "D_DATAIN_FORMAT",
)


def _banks(rng: Rng, shape: ConvolutionShape) -> Pair:
    least = shape.least_banks
    data = shape.banks[0] or least[0] + int(rng.integers(min(4, BANKS - sum(least) + 1)))
    weights = shape.banks[1] or least[1] + int(rng.integers(min(4, BANKS - data - least[1] + 1)))
    return data, weights


def _compute(op: DrawnOperation, rng: Rng, shape: ConvolutionShape) -> None:
    """What only CSC and CACC have."""
    wide, high = shape.out
    for block in ("CSC", "CACC"):
        op.set(block, "D_DATAOUT_SIZE_0", DATAOUT_WIDTH=wide - 1, DATAOUT_HEIGHT=high - 1)
        op.set(block, "D_DATAOUT_SIZE_1", DATAOUT_CHANNEL=shape.kernels - 1)
    op.set("CSC", "D_ATOMICS", ATOMICS=wide * high - 1)
    op.set("CSC", "D_DATAIN_SIZE_EXT_1", DATAIN_CHANNEL_EXT=shape.channels - 1)
    columns = shape.kernel[0] if shape.form is None else 1
    op.set("CSC", "D_WEIGHT_SIZE_EXT_0", WEIGHT_WIDTH_EXT=columns - 1, WEIGHT_HEIGHT_EXT=shape.kernel[1] - 1)
    op.set("CSC", "D_WEIGHT_SIZE_EXT_1", WEIGHT_CHANNEL_EXT=shape.depth - 1, WEIGHT_KERNEL=shape.kernels - 1)
    op.set("CSC", "D_POST_Y_EXTENSION", Y_EXTENSION=shape.joined)
    op.set("CSC", "D_RELEASE", RLS_SLICES=(shape.release or shape.size[1]) - 1)
    op.set("CSC", "D_CONV_STRIDE_EXT", CONV_X_STRIDE_EXT=shape.stride[0] - 1, CONV_Y_STRIDE_EXT=shape.stride[1] - 1)
    op.set("CSC", "D_DILATION_EXT", X_DILATION_EXT=shape.dilation[0] - 1, Y_DILATION_EXT=shape.dilation[1] - 1)
    left = shape.pad[0] if shape.form is None else 0
    op.set("CSC", "D_ZERO_PADDING", PAD_LEFT=left, PAD_TOP=shape.pad[1])
    op.set("CACC", "D_CLIP_CFG", CLIP_TRUNCATE=_one_of(rng, 0, 0, 1, 4, int(rng.integers(32))))


def _input(
    op: DrawnOperation, rng: Rng, space: MemorySpace, shape: ConvolutionShape, before: DrawnConvolution | None
) -> None:
    """What CDMA fetches, and from where."""
    wide, high = shape.size
    op.set("CDMA", "D_DATAIN_SIZE_0", DATAIN_WIDTH=wide - 1, DATAIN_HEIGHT=high - shape.kept - 1)
    op.set("CDMA", "D_DATAIN_SIZE_1", DATAIN_CHANNEL=shape.channels - 1)
    op.set("CDMA", "D_CONV_STRIDE", CONV_X_STRIDE=shape.stride[0] - 1, CONV_Y_STRIDE=shape.stride[1] - 1)
    left, top, right, bottom = shape.pad
    op.set("CDMA", "D_ZERO_PADDING", PAD_LEFT=left, PAD_TOP=top, PAD_RIGHT=right, PAD_BOTTOM=bottom)
    op.set("CDMA", "D_DATAIN_FORMAT", PIXEL_FORMAT=12 if shape.form is None else shape.form, PIXEL_MAPPING=0)
    op.set("CDMA", "D_PIXEL_OFFSET", PIXEL_X_OFFSET=shape.first)
    names = ("D_DAIN_ADDR_LOW_0", "DATAIN_ADDR_LOW_0"), ("D_DAIN_ADDR_LOW_1", "DATAIN_ADDR_LOW_1")
    strides = ("D_LINE_STRIDE", "LINE_STRIDE"), ("D_LINE_UV_STRIDE", "UV_LINE_STRIDE"), ("D_SURF_STRIDE", "SURF_STRIDE")
    if before is not None and shape.reuse[0]:
        keys = [("CDMA", *name) for name in (*names, *strides)]
        for key in keys:
            op.fields[key] = before.seen.fields[key]
        for (_, name), (_, stride) in zip(names, strides[:2], strict=True):
            skipped = before.seen.fields["CDMA", "D_DATAIN_SIZE_0", "DATAIN_HEIGHT"] + 1 if shape.kept else 0
            op.fields["CDMA", name.replace("DATAIN", "D_DAIN"), name] += skipped * op.fields[_stride_key(stride)]
        return
    planes = [ATOM] if shape.pixels is None else [len(plane) for plane in shape.pixels.planes]
    surfaces = -(-shape.channels // ATOM) if shape.form is None else 1
    # Room for slices that later operations add.
    lines = high + _MORE_LINES
    for number, size in enumerate([*planes, 1][:2]):
        line = -(-((wide + shape.first) * size) // ATOM) * ATOM if shape.form is not None else wide * ATOM
        line += ATOM * int(rng.integers(_one_of(rng, 1, 4)))
        surface = line * lines + ATOM * int(rng.integers(_one_of(rng, 1, 6)))
        used = number < len(planes)
        address = space.take(surface * surfaces) if used else BASE
        op.set("CDMA", names[number][0], **{names[number][1]: address})
        op.set("CDMA", strides[number][0], **{strides[number][1]: line})
        if number == 0:
            op.set("CDMA", strides[2][0], **{strides[2][1]: surface})


def _stride_key(field: str) -> tuple[str, str, str]:
    return "CDMA", "D_LINE_STRIDE" if field == "LINE_STRIDE" else "D_LINE_UV_STRIDE", field


def _weights(op: DrawnOperation, space: MemorySpace, shape: ConvolutionShape, before: DrawnConvolution | None) -> None:
    size = shape.weight_bytes + -shape.weight_bytes % ALIGNMENT
    key = ("CDMA", "D_WEIGHT_ADDR_LOW", "WEIGHT_ADDR_LOW")
    again = before is not None and shape.reuse[1]
    op.fields[key] = before.conv.fields[key] if before is not None and again else space.take(size)
    for block in ("CDMA", "CSC"):
        op.set(block, "D_WEIGHT_BYTES", WEIGHT_BYTES=size)
        op.set(block, "D_WEIGHT_FORMAT", WEIGHT_FORMAT=0)
        op.set(block, "D_BATCH_NUMBER", BATCHES=0)
    op.set("CDMA", "D_WEIGHT_SIZE_0", BYTE_PER_KERNEL=shape.depth * shape.points - 1)
    op.set("CDMA", "D_WEIGHT_SIZE_1", WEIGHT_KERNEL=shape.kernels - 1)


def _conversion(op: DrawnOperation, rng: Rng) -> None:
    on, mean, sign = (int(rng.integers(2)) for _ in range(3))
    op.set("CDMA", "D_CVT_CFG", CVT_EN=on, CVT_TRUNCATE=_one_of(rng, 0, 3, 8, int(rng.integers(64))))
    op.set("CDMA", "D_CVT_OFFSET", CVT_OFFSET=(_one_of(rng, 0, 128, int(rng.integers(1 << 16)))) & 0xFFFF)
    op.set("CDMA", "D_CVT_SCALE", CVT_SCALE=_one_of(rng, 1, 5, 0xFFFF, int(rng.integers(1 << 16))))
    op.set("CDMA", "D_MEAN_FORMAT", MEAN_FORMAT=mean)
    op.set("CDMA", "D_DATAIN_FORMAT", PIXEL_SIGN_OVERRIDE=sign)
    for number, names in (("0", ("RY", "GU")), ("1", ("BV", "AX"))):
        values = {f"MEAN_{n}": _one_of(rng, int(rng.integers(256)), int(rng.integers(1 << 16))) for n in names}
        op.set("CDMA", f"D_MEAN_GLOBAL_{number}", **values)


def _taker(rng: Rng, space: MemorySpace, shape: ConvolutionShape) -> DrawnOperation:
    """SDP on the fly; as often as not its converter scales the sums so that they fit."""
    sdp = random_sdp(rng, space, flying=True, size=(*shape.out, shape.kernels))
    if rng.integers(2):
        for unit in ("BS", "BN"):
            sdp.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
        sdp.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
        sdp.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
        sdp.set(
            "SDP", "D_CVT_SHIFT", CVT_SHIFT=int(rng.integers(4, 10)) + (shape.depth * shape.points).bit_length() // 2
        )
    return sdp


def _seen(op: DrawnOperation, shape: ConvolutionShape) -> DrawnOperation:
    """The registers with all slices in one cube, those that are kept among them."""
    seen = DrawnOperation("CONV", dict(op.fields))
    for number, stride in enumerate(("LINE_STRIDE", "UV_LINE_STRIDE")):
        key = ("CDMA", f"D_DAIN_ADDR_LOW_{number}", f"DATAIN_ADDR_LOW_{number}")
        seen.fields[key] -= shape.kept * op.fields[_stride_key(stride)]
    seen.set("CDMA", "D_DATAIN_SIZE_0", DATAIN_HEIGHT=shape.size[1] - 1)
    return seen


def same_banks(shapes: Sequence[ConvolutionShape]) -> list[ConvolutionShape]:
    """The shapes with banks that fit for all of them; as they are where there are not enough."""
    data, weights = (max(s.least_banks[i] for s in shapes) for i in (0, 1))
    return [replace(s, banks=(data, weights)) for s in shapes] if data + weights <= BANKS else list(shapes)
