# SPDX-License-Identifier: Apache-2.0
"""Direct convolution, int8 and int16: CDMA's converter, CSC's windows, CMAC's products, CACC's sums and truncation.

The input is a feature cube or pixels (:mod:`~goldbeat.pymodels.nvdla.engines.pixels`).

Source: public C model and RTL of nvdla/hw, branches nv_small and nvdlav1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import (
    AddressSpace,
    atom_addresses,
    check_alignment,
    check_apart,
    used_strides,
)
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, shift_right, signed
from goldbeat.pymodels.nvdla.engines.configuration import BYTES, INT8, NV_SMALL
from goldbeat.pymodels.nvdla.engines.conv_rules import check_buffer
from goldbeat.pymodels.nvdla.engines.elements import bits, by_channel, by_surface, element_values, precision_of
from goldbeat.pymodels.nvdla.engines.limits import check_work
from goldbeat.pymodels.nvdla.engines.pixels import pixel_lines, windows
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.engines.weights import unpack_weights
from goldbeat.pymodels.rounding import saturate

PARTIAL_BITS, SUM_BITS = (34, 48), 32
"""Widths of CACC's partial sums, which saturate, by precision, and of its output."""


@dataclass(frozen=True)
class Convolution:
    """A direct convolution without its DMA.

    Attributes:
        stride, dilation: along x and y.
        pad: left and top; what windows cover to the right and below is padding, too.
        pad_value: what stands in the padding.
        out: width and height of the output.
        truncate: bits that CACC shifts its sums to the right, halves away from zero, saturated to 32 bits.
        block: channels that are multiplied at once.
        precision: of the multipliers.
    """

    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    pad: tuple[int, int] = (0, 0)
    pad_value: int = 0
    out: tuple[int, int] = (1, 1)
    truncate: int = 0
    block: int = NV_SMALL.depth
    precision: int = INT8

    def __call__(self, data: Ints, weights: npt.NDArray[np.number]) -> Ints:
        """(C, H, W) elements and (K, C, R, S) weights to (K, out height, out width) sums of 32 bits."""
        channels, height, width = data.shape
        kernels, depth, rows, columns = weights.shape
        if depth != channels:
            raise UsageError(f"weights of {depth} channels for data of {channels}")
        wide, high = self.out
        need_x = (wide - 1) * self.stride[0] + (columns - 1) * self.dilation[0] + 1
        need_y = (high - 1) * self.stride[1] + (rows - 1) * self.dilation[1] + 1
        left, top = self.pad
        shape = (channels, max(need_y, height + top), max(need_x, width + left))
        check_work(kernels, channels, rows * columns, self.out, shape)
        padded = np.full(shape, self.pad_value, np.int64)
        padded[:, top : top + height, left : left + width] = data
        sums = np.zeros((kernels, high, wide), np.int64)
        partial = PARTIAL_BITS[self.precision]
        # In the order of the hardware, as partial sums saturate.
        for c in range(0, channels, self.block):
            for r in range(rows):
                y = r * self.dilation[1]
                for s in range(columns):
                    x = s * self.dilation[0]
                    points = padded[
                        c : c + self.block,
                        y : y + (high - 1) * self.stride[1] + 1 : self.stride[1],
                        x : x + (wide - 1) * self.stride[0] + 1 : self.stride[0],
                    ]
                    block = weights[:, c : c + self.block, r, s].astype(np.int64)
                    sums = saturate(sums + np.tensordot(block, points, axes=1), partial)
        return shift_right(sums, self.truncate, partial, SUM_BITS)


def convolution_from_registers(values: Values) -> Convolution:
    """The operation that a group of registers describes.

    Raises:
        UsageError: the hardware, or this model, cannot do it.
    """
    for name, field, what in (
        ("D_MISC_CFG", "CONV_MODE", "Winograd mode"),
        ("D_WEIGHT_FORMAT", "WEIGHT_FORMAT", "weight decompression"),
        ("D_BATCH_NUMBER", "BATCHES", "batches"),
    ):
        if found := values.get("CSC", name, field):
            raise UsageError(f"CSC.{name}.{field} is {found}: {values.configuration.subject} has no {what}")
    precision = precision_of(values, "CSC", "D_MISC_CFG", "PROC_PRECISION")

    def pair(register: str, x: str, y: str) -> tuple[int, int]:
        return values.get("CSC", register, x), values.get("CSC", register, y)

    stride = pair("D_CONV_STRIDE_EXT", "CONV_X_STRIDE_EXT", "CONV_Y_STRIDE_EXT")
    dilation = pair("D_DILATION_EXT", "X_DILATION_EXT", "Y_DILATION_EXT")
    pad = pair("D_ZERO_PADDING", "PAD_LEFT", "PAD_TOP")
    out = pair("D_DATAOUT_SIZE_0", "DATAOUT_WIDTH", "DATAOUT_HEIGHT")
    if values.get("CSC", "D_DATAIN_FORMAT", "DATAIN_FORMAT"):
        # Windows in lines of pixels, padded by CDMA, are cut out before; CSC has no dilation there.
        stride, dilation, pad = (0, stride[1]), (0, 0), (0, pad[1])
    return Convolution(
        (stride[0] + 1, stride[1] + 1),
        (dilation[0] + 1, dilation[1] + 1),
        pad,
        signed(values.get("CSC", "D_ZERO_PADDING_VALUE", "PAD_VALUE"), bits(precision)),
        (out[0] + 1, out[1] + 1),
        values.get("CACC", "D_CLIP_CFG", "CLIP_TRUNCATE"),
        values.configuration.depth,
        precision,
    )


_MISC = ("CONV_MODE", "PROC_PRECISION")
_SHARED = {
    "CDMA": (
        *(("D_MISC_CFG", field) for field in (*_MISC, "IN_PRECISION", "DATA_REUSE", "WEIGHT_REUSE")),
        *(("D_MISC_CFG", field) for field in ("SKIP_DATA_RLS", "SKIP_WEIGHT_RLS")),
        *(("D_DATAIN_SIZE_EXT_0", field) for field in ("DATAIN_WIDTH_EXT", "DATAIN_HEIGHT_EXT")),
        *(("D_ZERO_PADDING", field) for field in ("PAD_LEFT", "PAD_TOP")),
        *(("D_BANK", field) for field in ("DATA_BANK", "WEIGHT_BANK")),
        *(("D_BATCH_NUMBER", "BATCHES"), ("D_ENTRY_PER_SLICE", "ENTRIES"), ("D_WEIGHT_FORMAT", "WEIGHT_FORMAT")),
        *(("D_WEIGHT_BYTES", "WEIGHT_BYTES"), ("D_WMB_BYTES", "WMB_BYTES")),
    ),
    **{block: tuple(("D_MISC_CFG", field) for field in _MISC) for block in ("CMAC_A", "CMAC_B")},
    "CACC": (
        *(("D_MISC_CFG", field) for field in _MISC),
        *(("D_DATAOUT_SIZE_0", "DATAOUT_WIDTH"), ("D_DATAOUT_SIZE_0", "DATAOUT_HEIGHT")),
        *(("D_DATAOUT_SIZE_1", "DATAOUT_CHANNEL"), ("D_BATCH_NUMBER", "BATCHES")),
    ),
}
"""Fields that each block has in common with CSC. Source: constraint ``c_ias_cc`` of the trace generator of nvdla/hw."""


def check_conv(values: Values) -> None:
    """Refuse modes that neither hardware nor model has, and blocks that contradict CSC.

    Raises:
        UsageError: the field, its value, and why.
    """
    convolution_from_registers(values)
    _is_pixel(values)
    for block, fields in _SHARED.items():
        for register, field in fields:
            found, wanted = values.get(block, register, field), values.get("CSC", register, field)
            if found != wanted:
                raise UsageError(f"{block}.{register}.{field} is {found}: CSC has {wanted}")
    found = values.get("CDMA", "D_WEIGHT_SIZE_1", "WEIGHT_KERNEL")
    wanted = values.get("CSC", "D_WEIGHT_SIZE_EXT_1", "WEIGHT_KERNEL")
    if found != wanted:
        raise UsageError(f"CDMA.D_WEIGHT_SIZE_1.WEIGHT_KERNEL is {found}: CSC has {wanted}")
    check_buffer(values)


def run_conv(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the convolution; its sums go on to SDP, memory stays as it is.

    Args:
        values: the group's registers of CDMA, CSC and CACC.
        memory: holds data and weights.
        incoming: None.

    Returns:
        (surfaces, height, width, lanes) sums of 32 bits, 0 for kernels that do not exist.

    Raises:
        UsageError: the hardware, or this model, cannot do it.
        InputError: a cube lies outside of the memory.
    """
    convolution = convolution_from_registers(values)
    size = values.get("CSC", "D_WEIGHT_SIZE_EXT_0", "WEIGHT_HEIGHT_EXT") + 1
    wide = values.get("CSC", "D_WEIGHT_SIZE_EXT_0", "WEIGHT_WIDTH_EXT") + 1
    kernels = values.get("CSC", "D_WEIGHT_SIZE_EXT_1", "WEIGHT_KERNEL") + 1
    depth = values.get("CSC", "D_WEIGHT_SIZE_EXT_1", "WEIGHT_CHANNEL_EXT") + 1
    pixels = _is_pixel(values)
    joined = _joined_rows(values, depth, wide) if pixels else 1
    at = values.get("CDMA", "D_WEIGHT_ADDR_HIGH") << 32 | values.get("CDMA", "D_WEIGHT_ADDR_LOW")
    configuration, precision = values.configuration, convolution.precision
    shape = (kernels, depth, size, wide)
    check_alignment(values, "CDMA", "D_WEIGHT_ADDR_LOW")
    raw = memory.run(at, kernels * depth * size * wide * BYTES[precision])
    weights = unpack_weights(raw, shape, joined, configuration, precision)
    if pixels:
        channels = values.get("CSC", "D_DATAIN_SIZE_EXT_1", "DATAIN_CHANNEL_EXT") + 1
        lines = pixel_lines(values, memory, precision)
        stride = values.get("CSC", "D_CONV_STRIDE_EXT", "CONV_X_STRIDE_EXT") + 1
        data = windows(lines, channels, depth, convolution.out[0], stride)
    else:
        data = _data(values, memory, precision)
    return by_surface(convolution(data, weights), configuration.lanes(precision))


def _is_pixel(values: Values) -> bool:
    csc, cdma = (values.get(block, "D_DATAIN_FORMAT", "DATAIN_FORMAT") for block in ("CSC", "CDMA"))
    if csc != cdma:
        raise UsageError(f"CSC.D_DATAIN_FORMAT is {csc}, CDMA.D_DATAIN_FORMAT {cdma}: both pixels (1) or both features")
    return bool(csc)


def _joined_rows(values: Values, depth: int, wide: int) -> int:
    """Rows of a kernel that go through the multipliers together ("post-extension")."""
    if wide != 1:
        raise UsageError(f"CSC.D_WEIGHT_SIZE_EXT_0.WEIGHT_WIDTH_EXT: {wide} columns, pixel input has 1")
    code, most = values.get("CSC", "D_POST_Y_EXTENSION", "Y_EXTENSION"), values.configuration.depth
    if code > 2 or (code and depth << code > most):
        raise UsageError(
            f"CSC.D_POST_Y_EXTENSION.Y_EXTENSION is {code} with {depth} elements in a kernel's row: "
            f"at most 2, rows together at most {most} elements"
        )
    return 1 << code


def _data(values: Values, memory: AddressSpace, precision: int) -> Ints:
    width = values.get("CDMA", "D_DATAIN_SIZE_0", "DATAIN_WIDTH") + 1
    height = values.get("CDMA", "D_DATAIN_SIZE_0", "DATAIN_HEIGHT") + 1
    channels = values.get("CDMA", "D_DATAIN_SIZE_1", "DATAIN_CHANNEL") + 1
    base = values.get("CDMA", "D_DAIN_ADDR_HIGH_0") << 32 | values.get("CDMA", "D_DAIN_ADDR_LOW_0")
    line, surface = values.get("CDMA", "D_LINE_STRIDE"), values.get("CDMA", "D_SURF_STRIDE")
    # Hardware with one precision does not look at the field.
    several = len(values.configuration.precisions) > 1
    read = precision_of(values, "CDMA", "D_MISC_CFG", "IN_PRECISION") if several else INT8
    atom, surfaces = values.configuration.atom, -(-channels // values.configuration.lanes(read))
    strides = used_strides((width, height, surfaces), "D_LINE_STRIDE", "D_SURF_STRIDE")
    check_alignment(values, "CDMA", "D_DAIN_ADDR_LOW_0", *strides)
    check_apart(values, "CDMA", ("D_LINE_STRIDE", "D_SURF_STRIDE"), (width, height, surfaces))
    atoms = memory.read(atom_addresses(base, width, height, surfaces, line, surface, atom), atom)
    data = by_channel(element_values(atoms, read))[:channels]
    if values.get("CDMA", "D_CVT_CFG", "CVT_EN"):
        offset = signed(values.get("CDMA", "D_CVT_OFFSET", "CVT_OFFSET"), 16)
        scale = signed(values.get("CDMA", "D_CVT_SCALE", "CVT_SCALE"), 16)
        shift = values.get("CDMA", "D_CVT_CFG", "CVT_TRUNCATE")
        data = shift_right((data - offset) * scale, shift, 62, 17)
    return saturate(data, bits(precision))
