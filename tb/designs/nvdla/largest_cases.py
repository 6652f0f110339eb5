# SPDX-License-Identifier: Apache-2.0
"""Operations of the largest size that a register or the convolution buffer allows, so that counters reach their last bits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.stimulus import Stimulus
from goldbeat.tb.design.case import Case, CaseContext
from goldbeat.tb.design.traffic import Rng
from goldbeat.tb.designs.nvdla.convolution_mixes import alternate
from goldbeat.tb.designs.nvdla.convolutions import ConvolutionShape, draw_convolution
from goldbeat.tb.designs.nvdla.flying import flying_pdp, pooled
from goldbeat.tb.designs.nvdla.stimuli import program_stimulus
from goldbeat.tb.designs.nvdla.traffic import (
    ATOM,
    DrawnOperation,
    MemorySpace,
    Size,
    operations_program,
    random_pdp,
)

_MOST = 1 << 13
"""Of a width, a height and channels: one less has 13 bits in the registers."""
_HALF = _MOST // 2
_A8R8G8B8, _Y8_UV8 = 13, 28
"""Formats of pixels."""

_SHAPES = (
    # A slice that fills the largest ring of data; weights that fill the largest ring of their own, taken or left for nobody.
    ConvolutionShape((992, 1), 128, stride=(7, 1), banks=(31, 1)),
    ConvolutionShape((1, 1), _HALF, kernels=31, banks=(1, 31)),
    ConvolutionShape((1, 1), _HALF, kernels=31, skip=(False, True), banks=(1, 31)),
    ConvolutionShape((1, 1), _HALF - 5, kernels=31, skip=(False, True), banks=(1, 31)),
    ConvolutionShape((1, 1), _HALF - 11, kernels=31, skip=(False, True), banks=(1, 31)),
    ConvolutionShape((1, 1), _MOST),
    ConvolutionShape((1, 1), 1, kernels=_MOST),
    ConvolutionShape((_MOST, 1), 7, stride=(8, 1), pad=(31, 0, 0, 0)),
    # Slices that are left for nobody: all but one, and all.
    ConvolutionShape((1, _MOST), 1, (1, 8), stride=(1, 8), banks=(17, 1), release=1),
    ConvolutionShape((1, _MOST), 1, (1, 8), stride=(1, 8), banks=(17, 1), skip=(True, False)),
    ConvolutionShape((_HALF + 40, 1), 1),
    ConvolutionShape((1, _HALF + 40), 1),
    # Kernels that are as wide, or as high, as can be.
    ConvolutionShape((993, 1), 1, (32, 1), 16, dilation=(32, 1)),
    ConvolutionShape((1, 993), 1, (1, 32), 16, dilation=(1, 32)),
    ConvolutionShape((_MOST, 1), 3, stride=(8, 1), form=_Y8_UV8, first=7),
    ConvolutionShape((_MOST, 1), 3, stride=(8, 1), form=_Y8_UV8, first=3),
    ConvolutionShape((_MOST, 1), 4, stride=(8, 1), form=_A8R8G8B8, first=1, pad=(31, 0, 0, 0)),
    ConvolutionShape((6000, 1), 4, stride=(8, 1), form=_A8R8G8B8, pad=(21, 0, 0, 0)),
)


def _convolutions(setting: CaseContext) -> Sequence[Stimulus]:
    """All shapes, in random order, and a small one behind each that drops what it has left."""
    rng = np.random.default_rng(setting.seed)
    space = MemorySpace(rng)
    operations: list[DrawnOperation] = []
    for number in rng.permutation(len(_SHAPES)).tolist():
        banks = _SHAPES[number].banks
        small = ConvolutionShape((int(rng.integers(1, 9)), 1), int(rng.integers(1, 9)), banks=banks)
        for shape in (_SHAPES[number], small):
            drawn = draw_convolution(rng, space, shape)
            # Weights that end within a burst, as compilers do not pack them.
            for block in ("CDMA", "CSC"):
                drawn.conv.set(block, "D_WEIGHT_BYTES", WEIGHT_BYTES=shape.weight_bytes)
            _show(drawn.sdp, shape)
            operations += alternate([drawn], rng)
    return [program_stimulus(setting, operations_program(operations, rng), space, MemoryTiming())]


def _show(sdp: DrawnOperation, shape: ConvolutionShape) -> None:
    """Scale sums so that they fit, and do nothing else with them: each of them counts."""
    for unit in ("BS", "BN"):
        sdp.set("SDP", f"D_DP_{unit}_CFG", **{f"{unit}_BYPASS": 1})
    sdp.set("SDP", "D_CVT_OFFSET", CVT_OFFSET=0)
    sdp.set("SDP", "D_CVT_SCALE", CVT_SCALE=1)
    sdp.set("SDP", "D_CVT_SHIFT", CVT_SHIFT=6 + (shape.depth * shape.points).bit_length() // 2)


def _on_the_fly(setting: CaseContext) -> Sequence[Stimulus]:
    """Most surfaces, most lines, and lines that fill the ring."""
    rng = np.random.default_rng(setting.seed)
    line = int(setting.params["LINE_ATOMS"])
    episodes = []
    sizes: tuple[Size, ...] = ((1, 3, _MOST), (1, _HALF + int(rng.integers(1, 40)), 8), (line, 9, 8))
    for size in sizes:
        space = MemorySpace(rng)
        drawn = [flying_pdp(rng, space, size, windows=(1, 1)), flying_pdp(rng, space, (3, 2, 8))]
        operations = [op for pdp in drawn for op in pooled(rng, space, pdp)]
        episodes.append(program_stimulus(setting, operations_program(operations, rng), space, MemoryTiming()))
    return episodes


def widest_pdp(rng: Rng, space: MemorySpace, line: int) -> DrawnOperation:
    """A PDP operation whose output lines are longer than its input lines, which have this many atoms."""
    op = random_pdp(rng, space, size=(line, 1, ATOM), windows=(8, 1))
    op.set("PDP", "D_POOLING_PADDING_CFG", PAD_RIGHT=7)
    op.set("PDP", "D_DATA_CUBE_OUT_WIDTH", CUBE_OUT_WIDTH=line + 7 - 1)
    # Room for the end of the line.
    space.take(7 * ATOM)
    return op


LARGEST_CASES = (
    Case(name="conv_largest", summary="convolutions of the largest sizes, rings of 31 banks", make=_convolutions),
    Case(name="fly_largest", summary="on the fly: most surfaces, most lines, full rings", make=_on_the_fly),
)
