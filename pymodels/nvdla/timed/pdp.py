# SPDX-License-Identifier: Apache-2.0
"""PDP at work."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, signed, wrap
from goldbeat.pymodels.nvdla.engines.pdp import reciprocal
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.timed.dbb import PDP, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import Chunk, EngineOperation, ReadRequest, Unit, line_chunks

PDP_PIPELINE = 6
WINDOW_BITS, ROW_BITS = 14, 11
AVERAGE, MAXIMUM = 0, 1


def may_start(values: Values, line_atoms: int) -> bool:
    """Whether the operation is one that this PDP begins."""
    return values.get("PDP", "D_DATA_CUBE_IN_WIDTH", "CUBE_IN_WIDTH") + 1 <= line_atoms


def pdp_flies(values: Values) -> bool:
    """Whether the operation takes its atoms from SDP."""
    return values.get("PDP", "D_OPERATION_MODE_CFG", "FLYING_MODE") == 0


class PdpOperation(EngineOperation):
    """One operation, its registers as they stood at its start."""

    def __init__(self, port: DbbPort, start: int, values: Values) -> None:
        def size(way: str) -> tuple[int, int, int]:
            w, h, c = (
                values.get("PDP", f"D_DATA_CUBE_{way}_{d}", f"CUBE_{way}_{d}") + 1
                for d in ("WIDTH", "HEIGHT", "CHANNEL")
            )
            return w, h, c

        def kernel(field: str) -> int:
            return values.get("PDP", "D_POOLING_KERNEL_CFG", f"KERNEL_{field}") + 1

        self._width, self._height, channel = size("IN")
        out_width, self._out_height, _ = size("OUT")
        self._kernel = kernel("WIDTH"), kernel("HEIGHT")
        self._stride = kernel("STRIDE_WIDTH"), kernel("STRIDE_HEIGHT")
        self._pad = tuple(values.get("PDP", "D_POOLING_PADDING_CFG", f"PAD_{p}") for p in ("LEFT", "TOP"))
        self._method = values.get("PDP", "D_OPERATION_MODE_CFG", "POOLING_METHOD")
        self._pads = [0, *(signed(values.get("PDP", f"D_POOLING_PADDING_VALUE_{i}_CFG"), 19) for i in range(1, 8))]
        self._recip = values.get("PDP", "D_RECIP_KERNEL_WIDTH"), values.get("PDP", "D_RECIP_KERNEL_HEIGHT")
        self._surfaces = -(-channel // ATOM)
        units = self._units(values)
        chunks = line_chunks(
            values.get("PDP", "D_DST_BASE_ADDR_LOW"),
            self._surfaces,
            self._out_height,
            out_width,
            values.get("PDP", "D_DST_LINE_STRIDE"),
            values.get("PDP", "D_DST_SURFACE_STRIDE"),
        )
        super().__init__(PDP, port, start, units, chunks, self._kernel[0], PDP_PIPELINE)

    def _units(self, values: Values) -> list[Unit]:
        """By output row what is read for it."""
        base, line, surface = (
            values.get("PDP_RDMA", n) for n in ("D_SRC_BASE_ADDR_LOW", "D_SRC_LINE_STRIDE", "D_SRC_SURFACE_STRIDE")
        )
        return [
            Unit([ReadRequest(base + s * surface + iy * line, self._width) for iy in self._span(oy, 1, self._height)])
            for s in range(self._surfaces)
            for oy in range(self._out_height)
        ]

    def _span(self, out: int, axis: int, size: int) -> range:
        """The rows or columns of a window that are there."""
        first = out * self._stride[axis] - self._pad[axis]
        span = range(max(first, 0), min(first + self._kernel[axis], size))
        if not span:
            raise UsageError(f"PDP: window {out} along the {('width', 'height')[axis]} holds no data")
        return span

    def compute(self, chunk: Chunk) -> npt.NDArray[np.uint8]:
        """The bytes of a chunk."""
        lines = [np.frombuffer(bytes(d), np.int8).reshape(self._width, ATOM) for d in self.units[chunk.unit].data]
        data = np.stack(lines).astype(np.int64)
        atoms = [self._window(data, self._span(chunk.column + i, 0, self._width)) for i in range(chunk.atoms)]
        return np.concatenate(atoms).astype(np.uint8)

    def _window(self, data: Ints, columns: range) -> Ints:
        inside = data[:, columns.start : columns.stop]
        if self._method != AVERAGE:
            reduce = np.maximum if self._method == MAXIMUM else np.minimum
            return np.asarray(reduce.reduce(inside, axis=(0, 1)), np.int64)
        kw, kh = self._kernel
        rows = len(data)
        pads = rows * self._pads[kw - len(columns)] + kw * self._pads[kh - rows]
        total = wrap(inside.sum(axis=(0, 1)) + pads, WINDOW_BITS)
        return reciprocal(reciprocal(total, self._recip[0], ROW_BITS), self._recip[1], 8)
