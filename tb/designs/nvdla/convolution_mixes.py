# SPDX-License-Identifier: Apache-2.0
"""Convolutions that follow one another: data and weights used again, the buffer's limits, sums that saturate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from goldbeat.pymodels.nvdla.engines.pixels import FORMATS
from goldbeat.pymodels.nvdla.engines.registers import all_registers
from goldbeat.pymodels.nvdla.timed.conv_settings import BANK_ENTRIES
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.convolutions import (
    BANKS,
    MOST_STEPS,
    ConvolutionShape,
    DrawnConvolution,
    draw_convolution,
    random_convolution_shape,
    same_banks,
    with_other_data,
    with_other_kernels,
)
from goldbeat.tb.designs.nvdla.traffic import CONV_BLOCKS, DrawnOperation, MemorySpace, Size, random_sdp

_MOST_NEW = 4
"""Slices that an operation adds to those that are kept, at most."""


def some_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Any shapes; as often as not with the same banks, so that the next one is fetched while one is at work."""
    shapes = [random_convolution_shape(rng) for _ in range(count)]
    if rng.integers(2):
        shapes = same_banks(shapes)
    return [draw_convolution(rng, space, shape) for shape in shapes]


_CORNERS = (
    ConvolutionShape((1, 1), 8, kernels=4100),
    ConvolutionShape((1, 1), 4104),
    ConvolutionShape((4200, 1), 1, stride=(8, 1)),
    ConvolutionShape((1, 4098), 1, stride=(1, 8), release=4096),
    ConvolutionShape((13, 9), 3, (3, 3), dilation=(4, 2)),
    ConvolutionShape((33, 3), 1, (2, 2), dilation=(32, 2)),
    ConvolutionShape((3, 33), 1, (2, 2), dilation=(2, 32)),
    ConvolutionShape((33, 2), 9, (32, 1)),
    ConvolutionShape((2, 33), 2, (1, 32)),
    ConvolutionShape((20, 21), 2, (3, 2), stride=(8, 5)),
    ConvolutionShape((21, 20), 2, (2, 3), stride=(3, 8)),
    ConvolutionShape((3, 4), 2, (32, 3), pad=(31, 2, 0, 1)),
    ConvolutionShape((4, 3), 2, (3, 32), pad=(0, 31, 2, 0)),
    # Two and four rows that are joined, each with as many bytes as fit.
    ConvolutionShape((7, 9), 4, (1, 5), 9, form=12, joined=1),
    ConvolutionShape((9, 7), 1, (4, 6), 3, form=0, joined=1),
    ConvolutionShape((9, 7), 1, (2, 7), 3, form=0, joined=2),
    ConvolutionShape((9, 7), 1, (3, 6), 5, form=0, joined=1),
    ConvolutionShape((9, 6), 1, (1, 6), 5, form=0, joined=2),
    ConvolutionShape((8, 9), 1, (2, 8), 9, form=0, joined=2),
    # A full bank of lines whose last beat goes on beyond them, and that are read once more for the second group.
    ConvolutionShape((64, 64), 1, (1, 1), 16, stride=(1, 9), form=0, first=1, banks=(1, 1)),
)
"""Shapes that need the highest bits of one field each."""


def corner_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Shapes at the ends of the registers' fields, in random order; all of them if ``count`` is large enough."""
    chosen = rng.permutation(len(_CORNERS))[:count].tolist()
    return [draw_convolution(rng, space, _CORNERS[number]) for number in chosen]


def small_convolution(rng: Rng, space: MemorySpace, size: Size | None = None) -> DrawnConvolution:
    """A convolution of some hundred cycles at most; ``size`` of its output may be given."""
    wide, high, kernels = size or (int(rng.integers(1, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 13)))
    kernel = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    shape = ConvolutionShape((wide + kernel[0] - 1, high + kernel[1] - 1), int(rng.integers(1, 13)), kernel, kernels)
    return draw_convolution(rng, space, shape)


def convolutions_of_pixels(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Every other one at most is of features."""
    shapes = [random_convolution_shape(rng, pixels=bool(n % 2 == 0 or rng.integers(2))) for n in range(count)]
    return [draw_convolution(rng, space, shape) for shape in same_banks(shapes)]


def chained_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Each uses data or weights of the one before again, or might and does not."""
    while True:
        shapes = [random_convolution_shape(rng)]
        linked = [False]
        while len(shapes) < count:
            linked.append(_add_link(rng, shapes))
        made = same_banks(shapes)
        fits = all(s.steps <= MOST_STEPS for s in made)
        if fits and sum(made[0].banks) <= BANKS and made[0].banks != (0, 0):
            break
    drawn: list[DrawnConvolution] = []
    more, form = 0, made[0].form
    for shape, link in zip(made, linked, strict=True):
        # What was kept is dropped where the banks change, or the format, whatever is asked for.
        if not link and drawn and rng.integers(3) == 0 and sum(made[0].banks) < BANKS:
            more = 1 - more
            shape = replace(shape, reuse=(True, True))
        elif not link and (shape.form is None) != (form is None):
            shape = replace(shape, reuse=(True, shape.reuse[1]))
        form = shape.form
        shape = replace(shape, banks=(made[0].banks[0] + more, made[0].banks[1]))
        drawn.append(draw_convolution(rng, space, shape, drawn[-1] if link else None))
    return drawn


def _add_link(rng: Rng, shapes: list[ConvolutionShape]) -> bool:
    """Add a shape to a chain; whether it uses something of the last one again."""
    last = shapes[-1]
    last_data, last_weights = last.skip
    match int(rng.integers(6)):
        case 0:  # all data
            shapes[-1] = replace(last, skip=(True, last_weights))
            shapes.append(replace(with_other_kernels(rng, last), reuse=(True, False)))
        case 1 if last.size[1] > 1:  # the last slices, and more behind them
            release = int(rng.integers(1, last.size[1]))
            shapes[-1] = replace(last, release=release)
            kept = last.size[1] - release
            size = (last.size[0], kept + int(rng.integers(1, _MOST_NEW)))
            follows = with_other_kernels(rng, replace(last, size=size))
            shapes.append(replace(follows, reuse=(True, False), kept=kept))
        case 2:  # all weights
            shapes[-1] = replace(last, skip=(last_data, True))
            shapes.append(_again(with_other_data(rng, last), (False, True)))
        case 3:  # both
            shapes[-1] = replace(last, skip=(True, True))
            shapes.append(_again(last, (True, True)))
        case 4:  # kept for nobody
            skip = bool(rng.integers(2)), bool(rng.integers(2))
            shapes[-1] = replace(last, skip=skip)
            shapes.append(random_convolution_shape(rng))
            return False
        case _:  # nothing is kept
            reuse = not last_data and bool(rng.integers(2)), not last_weights and bool(rng.integers(2))
            shapes.append(replace(random_convolution_shape(rng), reuse=reuse))
            return False
    return True


def _again(shape: ConvolutionShape, reuse: tuple[bool, bool]) -> ConvolutionShape:
    return replace(shape, reuse=reuse, skip=(False, False), kept=0, release=0)


def stripe_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Outputs around the limits of stripes, kernels around those of groups, blocks of every number of bytes."""
    drawn = []
    for _ in range(count):
        atoms = int(rng.choice([1, 2, 3, 7, 8, 9, 15, 16, 17, 30, 31, 32, 33, 47, 48, 49, 63, 64]))
        lines = int(rng.choice([n for n in range(1, atoms + 1) if atoms % n == 0]))
        kernel = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        size = atoms // lines + kernel[0] - 1, lines + kernel[1] - 1
        channels = int(rng.integers(1, 25))
        kernels = int(rng.choice([1, 2, 3, 5, 7, 8, 9, 15, 16, 17]))
        drawn.append(draw_convolution(rng, space, ConvolutionShape(size, channels, kernel, kernels)))
    return drawn


def buffer_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Data that fill their banks to the last entry, weights that go round in one bank, banks that change."""
    shapes = []
    for _ in range(count):
        if rng.integers(2):
            width, channels = int(rng.choice([8, 16, 32])), int(rng.choice([8, 16, 32]))
            entries = width * channels // 8
            height = 512 * int(rng.integers(1, 3)) // entries
            shape = ConvolutionShape((width, height), channels, (1, min(3, height)), 8, (8, 8))
            shapes.append(replace(shape, banks=(entries * height // 512, int(rng.integers(1, 3)))))
        else:
            channels, kernels = int(rng.integers(100, 400)), int(rng.integers(20, 60))
            shape = ConvolutionShape((1, 1), channels, (1, 1), kernels)
            shapes.append(replace(shape, banks=(int(rng.integers(1, 3)), 1)))
    return [draw_convolution(rng, space, shape) for shape in shapes]


def ring_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Images that go round in one bank of data: slices of pixels that begin at its end and end at its start."""
    shapes: list[ConvolutionShape] = []
    while len(shapes) < count:
        shape = random_convolution_shape(rng, pixels=True)
        size = int(rng.integers(30, 70)), int(rng.integers(6, 14))
        shape = replace(shape, size=size, kernels=int(rng.integers(1, 9)), first=0, joined=0, stride=(4, 4))
        if min(shape.out) < 1:
            continue
        if shape.entries * size[1] <= BANK_ENTRIES < 2 * shape.entries * size[1] and shape.steps <= MOST_STEPS:
            shapes.append(shape)
    weights = max(shape.least_banks[1] for shape in shapes)
    return [draw_convolution(rng, space, replace(shape, banks=(1, weights))) for shape in shapes]


def two_plane_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Images of two planes, with lines around a multiple of the 64 pixels that CDMA joins at a time, from any first pixel."""
    forms = [code for code, one in FORMATS.items() if len(one.planes) > 1]
    shapes = []
    for _ in range(count):
        width = 64 * int(rng.integers(1, 3)) + int(rng.integers(-8, 4))
        shape = ConvolutionShape(
            (width, int(rng.integers(1, 4))),
            3,
            (int(rng.integers(1, 4)), 1),
            int(rng.integers(1, 9)),
            stride=(int(rng.integers(1, 4)), 1),
            form=int(rng.choice(forms)),
            first=int(rng.integers(8)),
        )
        shapes.append(shape)
    return [draw_convolution(rng, space, shape) for shape in same_banks(shapes)]


def saturating_convolutions(rng: Rng, space: MemorySpace, count: int) -> list[DrawnConvolution]:
    """Sums of 32, then of 34 bits that saturate to either side: kernels of which all but one point lies in padding."""
    drawn = []
    for channels in (136, 600)[:count]:
        shape = ConvolutionShape((1, 1), channels, (32, 32), 2, pad=(31, 31, 0, 0), banks=(1, 2))
        made = draw_convolution(rng, space, shape)
        blocks = shape.weight_bytes // 16
        # The last ones go the other way, so that it counts when a sum saturates.
        back = blocks // 16
        data = (b"\x80" * 8 + b"\x7f" * 8) * (blocks - back) + (b"\x7f" * 8 + b"\x80" * 8) * back
        space.fill(made.conv.fields["CDMA", "D_WEIGHT_ADDR_LOW", "WEIGHT_ADDR_LOW"], data)
        truncate = int(rng.integers(4))
        for op in (made.conv, made.seen):
            op.set("CSC", "D_ZERO_PADDING_VALUE", PAD_VALUE=0x80)
            op.set("CACC", "D_CLIP_CFG", CLIP_TRUNCATE=truncate)
        for unit in ("BS", "BN"):
            made.sdp.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
        made.sdp.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
        made.sdp.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
        made.sdp.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=int(rng.integers(23, 26)))
        drawn.append(made)
    return drawn


def shared_out(rng: Rng, space: MemorySpace, shape: ConvolutionShape) -> list[DrawnOperation]:
    """A convolution whose sums two SDP operations take: the first groups of kernels, then the others."""
    made = draw_convolution(rng, space, shape)
    first = 8 * int(rng.integers(1, max(2, -(-shape.kernels // 8))))
    parts = [first, shape.kernels - first] if shape.kernels > first else [shape.kernels]
    takers = [random_sdp(rng, space, flying=True, size=(*shape.out, part)) for part in parts]
    return [made.conv, *takers]


_LOOKED_AT = {
    "CDMA": (
        *("D_MISC_CFG", "D_DATAIN_FORMAT", "D_DATAIN_SIZE_0", "D_DATAIN_SIZE_1", "D_PIXEL_OFFSET"),
        *("D_DAIN_ADDR_LOW_0", "D_DAIN_ADDR_LOW_1", "D_LINE_STRIDE", "D_LINE_UV_STRIDE", "D_SURF_STRIDE"),
        *("D_ENTRY_PER_SLICE", "D_WEIGHT_ADDR_LOW", "D_WEIGHT_BYTES", "D_MEAN_FORMAT", "D_MEAN_GLOBAL_0"),
        *("D_MEAN_GLOBAL_1", "D_CVT_CFG", "D_CVT_OFFSET", "D_CVT_SCALE", "D_ZERO_PADDING", "D_ZERO_PADDING_VALUE"),
        "D_BANK",
    ),
    "CSC": (
        *("D_MISC_CFG", "D_DATAIN_FORMAT", "D_DATAIN_SIZE_EXT_0", "D_DATAIN_SIZE_EXT_1", "D_POST_Y_EXTENSION"),
        *("D_WEIGHT_SIZE_EXT_0", "D_WEIGHT_SIZE_EXT_1", "D_DATAOUT_SIZE_0", "D_RELEASE", "D_CONV_STRIDE_EXT"),
        *("D_DILATION_EXT", "D_ZERO_PADDING", "D_ZERO_PADDING_VALUE", "D_ENTRY_PER_SLICE"),
    ),
    "CMAC_A": (),
    "CMAC_B": (),
    "CACC": ("D_CLIP_CFG",),
}
_ANYTHING = (
    ("CDMA", "D_MISC_CFG", ("CONV_MODE", "IN_PRECISION", "PROC_PRECISION")),
    ("CSC", "D_MISC_CFG", ("CONV_MODE", "IN_PRECISION", "PROC_PRECISION", "DATA_REUSE", "WEIGHT_REUSE")),
    ("CDMA", "D_PIXEL_OFFSET", ("PIXEL_Y_OFFSET",)),
    ("CDMA", "D_ZERO_PADDING", ("PAD_RIGHT", "PAD_TOP", "PAD_BOTTOM")),
)
"""Fields that do not count of registers of which others do."""


def fill_ignored_convolution(op: DrawnOperation, rng: Rng) -> DrawnOperation:
    """Random values in every field that docs/nvdla-convolution.md does not name; gives the operation."""
    for one in all_registers():
        if one.block in CONV_BLOCKS and one.name.startswith("D_") and one.name != "D_OP_ENABLE":
            if one.name in _LOOKED_AT[one.block]:
                continue
            for part in one.fields:
                op.set(one.block, one.name, **{part.name: int(rng.integers(1 << 32)) & (part.mask >> part.lsb)})
    for block, name, fields in _ANYTHING:
        op.set(block, name, **{field: int(rng.integers(64)) for field in fields})
    return op


def alternate(drawn: Sequence[DrawnConvolution], rng: Rng) -> list[DrawnOperation]:
    """The operations in an order in which a program may run them: SDP now before, now behind its convolution."""
    return [op for one in drawn for op in ((one.conv, one.sdp) if rng.integers(2) else (one.sdp, one.conv))]
