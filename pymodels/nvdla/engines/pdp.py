# SPDX-License-Identifier: Apache-2.0
"""PDP, int8 and int16: max, min and average pooling with padding, whole or split along the width.

Source: public C model and RTL of nvdla/hw, branches nv_small and nvdlav1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import AddressSpace, cube_addresses
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, signed, wrap
from goldbeat.pymodels.nvdla.engines.configuration import INT8
from goldbeat.pymodels.nvdla.engines.elements import bits, element_bytes, element_values, precision_of
from goldbeat.pymodels.nvdla.engines.registers import Values

LINE_EXTRA, WINDOW_EXTRA = 3, 6
"""Bits more than an element has of the sum over a window's row and of that over the whole window; larger sums wrap."""
MAX_KERNEL = 8
METHODS = ("average", "max", "min")
"""By the code of POOLING_METHOD."""


@dataclass(frozen=True)
class Pooling:
    """A pooling operation without its DMA.

    Attributes:
        method: one of :data:`METHODS`.
        kernel: width and height, 1..8.
        stride: along width and height, 1..16.
        pad: left and top padding, 0..7. What a window covers to the right and below counts as padding, too.
        out: width and height of the output.
        pad_values: what 1 to 7 padded elements of a row add to an average, 19-bit numbers.
        reciprocal: of the kernel's width and height, 65536 times.
        precision: of the elements.
    """

    method: str
    kernel: tuple[int, int]
    stride: tuple[int, int]
    pad: tuple[int, int]
    out: tuple[int, int]
    pad_values: tuple[int, ...] = (0,) * 7
    reciprocal: tuple[int, int] = (0x10000, 0x10000)
    precision: int = INT8

    def __call__(self, data: Ints) -> Ints:
        """(surfaces, height, width, lanes) elements to (surfaces, out height, out width, lanes).

        Raises:
            UsageError: a window lies in the padding as a whole.
        """
        _, height, width, _ = data.shape
        columns = _windows(width, self.kernel[0], self.stride[0], self.pad[0], self.out[0], "width")
        rows = _windows(height, self.kernel[1], self.stride[1], self.pad[1], self.out[1], "height")
        if self.method == "average":
            return self._average(data, rows, columns)
        reduce = np.maximum if self.method == "max" else np.minimum
        lines = np.stack([reduce.reduce(data[:, :, a:b], axis=2) for a, b in columns], axis=2)
        return np.stack([reduce.reduce(lines[:, a:b], axis=1) for a, b in rows], axis=1)

    def _average(self, data: Ints, rows: list[tuple[int, int]], columns: list[tuple[int, int]]) -> Ints:
        wide = bits(self.precision)
        lines = []
        for a, b in columns:
            total = wrap(data[:, :, a:b].sum(axis=2), wide + LINE_EXTRA)
            lines.append(wrap(total + self._padding(self.kernel[0] - (b - a)), wide + LINE_EXTRA))
        line = np.stack(lines, axis=2)
        sums = []
        for a, b in rows:
            total = wrap(line[:, a:b].sum(axis=1), wide + WINDOW_EXTRA)
            padding = self._padding(self.kernel[1] - (b - a)) * self.kernel[0]
            sums.append(wrap(total + padding, wide + WINDOW_EXTRA))
        window = np.stack(sums, axis=1)
        narrower = reciprocal(window, self.reciprocal[0], wide + LINE_EXTRA)
        return reciprocal(narrower, self.reciprocal[1], wide)

    def _padding(self, count: int) -> int:
        return self.pad_values[count - 1] if count else 0


def _windows(size: int, kernel: int, stride: int, pad: int, out: int, what: str) -> list[tuple[int, int]]:
    found = []
    for i in range(out):
        first = i * stride - pad
        a, b = max(first, 0), min(first + kernel, size)
        if a >= b:
            raise UsageError(
                f"PDP: window {i} along the {what} holds no data (kernel {kernel}, pad {pad}, size {size})"
            )
        found.append((a, b))
    return found


def reciprocal(values: Ints, factor: int, bits: int) -> Ints:
    """``values * factor / 65536``, halves away from zero, cut to ``bits`` as the hardware cuts it.

    Args:
        values: signed numbers, any shape.
        factor: 17 bits.
        bits: of the result; a quotient that does not fit loses its upper bits, a positive one its sign bit as well.
    """
    product = values * factor
    low = product & 0xFFFF
    below = wrap((product >> 16) + (low > 0x8000), bits)
    # A number that is not negative loses its sign bit before the rounding bit is added.
    above = wrap(((product >> 16) & ((1 << (bits - 1)) - 1)) + (low >> 15), bits)
    return np.where(product < 0, below, above)


@dataclass(frozen=True)
class StripPart:
    """A vertical strip of a split operation: input columns [first, first + width), ``out`` columns of output."""

    first: int
    width: int
    out: int
    pad_left: int


def parts_from_registers(values: Values) -> tuple[StripPart, ...]:
    """The strips; one where the operation is not split."""
    count = values.get("PDP", "D_OPERATION_MODE_CFG", "SPLIT_NUM") + 1
    pad = values.get("PDP", "D_POOLING_PADDING_CFG", "PAD_LEFT")
    if count == 1:
        width = values.get("PDP", "D_DATA_CUBE_IN_WIDTH", "CUBE_IN_WIDTH") + 1
        out = values.get("PDP", "D_DATA_CUBE_OUT_WIDTH", "CUBE_OUT_WIDTH") + 1
        return (StripPart(0, width, out, pad),)
    kernel = values.get("PDP", "D_POOLING_KERNEL_CFG", "KERNEL_WIDTH")
    stride = values.get("PDP", "D_POOLING_KERNEL_CFG", "KERNEL_STRIDE_WIDTH")
    overlap = kernel - stride
    first, last, mid = (
        values.get("PDP", "D_PARTIAL_WIDTH_IN", f"PARTIAL_WIDTH_IN_{p}") + 1 for p in ("FIRST", "LAST", "MID")
    )
    outs = [values.get("PDP", "D_PARTIAL_WIDTH_OUT", f"PARTIAL_WIDTH_OUT_{p}") + 1 for p in ("FIRST", "LAST", "MID")]
    parts = [StripPart(0, first, outs[0], pad)]
    for i in range(1, count):
        wide, out = (last, outs[1]) if i == count - 1 else (mid, outs[2])
        parts.append(StripPart(first + (i - 1) * mid - overlap, wide + overlap, out, 0))
    return tuple(parts)


def pooling_from_registers(values: Values) -> Pooling:
    """The operation that a group of registers describes, without the split.

    Raises:
        UsageError: the hardware, or this model, cannot do it.
    """
    precision = precision_of(values, "PDP", "D_DATA_FORMAT", "INPUT_DATA")
    code = values.get("PDP", "D_OPERATION_MODE_CFG", "POOLING_METHOD")
    if code >= len(METHODS):
        raise UsageError(f"PDP.D_OPERATION_MODE_CFG.POOLING_METHOD is {code}, expected 0, 1 or 2")

    def of(register: str, *fields: str) -> tuple[int, int]:
        a, b = (values.get("PDP", register, f) for f in fields)
        return a, b

    kernel = of("D_POOLING_KERNEL_CFG", "KERNEL_WIDTH", "KERNEL_HEIGHT")
    if max(kernel) >= MAX_KERNEL:
        raise UsageError(f"PDP: a kernel of {kernel[0] + 1} x {kernel[1] + 1}, expected at most 8 x 8")
    stride = of("D_POOLING_KERNEL_CFG", "KERNEL_STRIDE_WIDTH", "KERNEL_STRIDE_HEIGHT")
    return Pooling(
        METHODS[code],
        (kernel[0] + 1, kernel[1] + 1),
        (stride[0] + 1, stride[1] + 1),
        of("D_POOLING_PADDING_CFG", "PAD_LEFT", "PAD_TOP"),
        (
            values.get("PDP", "D_DATA_CUBE_OUT_WIDTH", "CUBE_OUT_WIDTH") + 1,
            values.get("PDP", "D_DATA_CUBE_OUT_HEIGHT", "CUBE_OUT_HEIGHT") + 1,
        ),
        tuple(signed(values.get("PDP", f"D_POOLING_PADDING_VALUE_{i}_CFG"), 19) for i in range(1, 8)),
        (values.get("PDP", "D_RECIP_KERNEL_WIDTH"), values.get("PDP", "D_RECIP_KERNEL_HEIGHT")),
        precision,
    )


def check_pdp(values: Values) -> None:
    """Refuse modes that neither hardware nor model has, sizes of no whole number of windows, and blocks that contradict.

    Source: constraints ``c_ias_kernel_size`` and ``sce_pdprdma_pdp_ias_constraint`` of the trace generator of nvdla/hw.

    Raises:
        UsageError: the field, its value, and why.
    """
    pooling = pooling_from_registers(values)
    for axis, number, sides in (("WIDTH", 0, ("LEFT", "RIGHT")), ("HEIGHT", 1, ("TOP", "BOTTOM"))):
        size = values.get("PDP", f"D_DATA_CUBE_IN_{axis}", f"CUBE_IN_{axis}") + 1
        pads = [values.get("PDP", "D_POOLING_PADDING_CFG", f"PAD_{side}") for side in sides]
        kernel, stride = pooling.kernel[number], pooling.stride[number]
        windows, rest = divmod(size + sum(pads) - kernel, stride)
        what = f"an input of {size} with padding {pads[0]} and {pads[1]}, kernel {kernel} and stride {stride}"
        if windows < 0:
            raise UsageError(f"PDP: {what} along the {axis.lower()} has no window")
        if rest:
            raise UsageError(
                f"PDP: {what} along the {axis.lower()} leaves {rest} over: the public hardware is defined without a rest"
            )
        if pooling.out[number] != windows + 1:
            name = f"PDP.D_DATA_CUBE_OUT_{axis}.CUBE_OUT_{axis}"
            raise UsageError(f"{name} is {pooling.out[number] - 1}, expected {windows}: {what}")
    channels = [values.get("PDP", f"D_DATA_CUBE_{way}_CHANNEL", f"CUBE_{way}_CHANNEL") for way in ("OUT", "IN")]
    if channels[0] != channels[1]:
        raise UsageError(f"PDP.D_DATA_CUBE_OUT_CHANNEL.CUBE_OUT_CHANNEL is {channels[0]}: the input has {channels[1]}")
    if values.get("PDP", "D_OPERATION_MODE_CFG", "FLYING_MODE"):
        _check_reader(values)


def _check_reader(values: Values) -> None:
    """Refuse a PDP_RDMA that reads another cube than PDP works on; strides within atoms are refused by who reads."""
    split = values.get("PDP", "D_OPERATION_MODE_CFG", "SPLIT_NUM")
    parts = ("FIRST", "LAST", "MID")[: 0 if not split else 2 if split == 1 else 3]
    for register, field in (
        *((f"D_DATA_CUBE_IN_{axis}", f"CUBE_IN_{axis}") for axis in ("WIDTH", "HEIGHT", "CHANNEL")),
        ("D_DATA_FORMAT", "INPUT_DATA"),
        ("D_SRC_LINE_STRIDE", "SRC_LINE_STRIDE"),
        ("D_SRC_SURFACE_STRIDE", "SRC_SURFACE_STRIDE"),
        ("D_OPERATION_MODE_CFG", "SPLIT_NUM"),
        ("D_POOLING_KERNEL_CFG", "KERNEL_WIDTH"),
        ("D_POOLING_KERNEL_CFG", "KERNEL_STRIDE_WIDTH"),
        *(("D_PARTIAL_WIDTH_IN", f"PARTIAL_WIDTH_IN_{part}") for part in parts),
    ):
        found, wanted = values.get("PDP_RDMA", register, field), values.get("PDP", register, field)
        if found != wanted and not ("STRIDE" in register and found % values.configuration.atom):
            raise UsageError(f"PDP_RDMA.{register}.{field} is {found}: PDP has {wanted}")


_UNUSED = (
    ("D_FLYING_MODE", "FLYING_MODE", "D_OPERATION_MODE_CFG", "FLYING_MODE"),
    ("D_POOLING_PADDING_CFG", "PAD_WIDTH", "D_POOLING_PADDING_CFG", "PAD_LEFT"),
)
"""Fields of PDP_RDMA without a use in the RTL of nvdla/hw, with PDP's counterpart. The vendor's tests disagree in PAD_WIDTH."""


def unused_differences(values: Values) -> list[str]:
    """Fields of PDP_RDMA that were written, differ from PDP's and have no effect.

    Args:
        values: the group's registers of an operation that reads from memory.
    """
    found = []
    for register, field, other, name in _UNUSED:
        mine, wanted = values.get("PDP_RDMA", register, field), values.get("PDP", other, name)
        if values.has("PDP_RDMA", register) and mine != wanted:
            found.append(
                f"PDP_RDMA.{register}.{field} is {mine}, PDP.{other}.{name} is {wanted}: the hardware ignores the former"
            )
    return found


def run_pdp(values: Values, memory: AddressSpace, incoming: Ints | None = None) -> Ints:
    """Carry out the operation; all lanes of every atom are worked on, whatever the channel count.

    Args:
        values: the group's registers of PDP and PDP_RDMA.
        memory: written to.
        incoming: (surfaces, height, width, lanes) elements from SDP, flying mode only.

    Returns:
        (surfaces, out height, out width, lanes) the output.

    Raises:
        UsageError: the hardware, or this model, cannot do it, or ``incoming`` does not fit the mode.
        InputError: a cube lies outside of the memory.
    """
    pooling = pooling_from_registers(values)
    parts = parts_from_registers(values)
    width, height, channel = (
        values.get("PDP", f"D_DATA_CUBE_IN_{d}", f"CUBE_IN_{d}") + 1 for d in ("WIDTH", "HEIGHT", "CHANNEL")
    )
    lanes = values.configuration.lanes(pooling.precision)
    surfaces = -(-channel // lanes)
    flying = values.get("PDP", "D_OPERATION_MODE_CFG", "FLYING_MODE") == 0
    outputs = []
    for part in parts:
        if flying:
            if incoming is None or len(parts) > 1 or incoming.shape != (surfaces, height, width, lanes):
                raise UsageError(f"PDP on the fly expects data from SDP of {(surfaces, height, width, lanes)}, unsplit")
            data = incoming
        else:
            addresses = cube_addresses(values, "PDP_RDMA", "D_SRC", (part.width, height, surfaces), first=part.first)
            data = element_values(memory.read(addresses, values.configuration.atom), pooling.precision)
        strip = replace(pooling, pad=(part.pad_left, pooling.pad[1]), out=(part.out, pooling.out[1]))
        outputs.append(strip(data))
    out = np.concatenate(outputs, axis=2)
    addresses = cube_addresses(values, "PDP", "D_DST", (out.shape[2], out.shape[1], surfaces))
    memory.write(addresses, element_bytes(out, pooling.precision))
    return out
