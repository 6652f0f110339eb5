# SPDX-License-Identifier: Apache-2.0
"""CDP at work (docs/nvdla-cdp.md)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.arithmetic import Ints, signed
from goldbeat.pymodels.nvdla.engines.cdp import cdp_from_registers
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.timed.dbb import CDP, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import CHUNK, Chunk, EngineOperation, ReadRequest, Unit

CDP_CONVERT, CDP_PIPELINE = 5, 20
STEPS = 8
"""Of an atom: one for each channel."""
CDP_HELD = 3
"""Chunks behind which a chunk's slot is free: its values are neighbours of the next one's."""


def _cube(values: Values, block: str, way: str) -> tuple[int, int, int]:
    names = (f"D_{way}_BASE_ADDR_LOW", f"D_{way}_LINE_STRIDE", f"D_{way}_SURFACE_STRIDE")
    base, line, surface = (values.get(block, name) for name in names)
    return base, line, surface


class CdpOperation(EngineOperation):
    """One operation, its registers and tables as they stood at its start.

    Args:
        port: to DBB.
        start: s.
        values: of CDP and CDP_RDMA, with the single registers of CDP and its tables.
    """

    held = CDP_HELD

    def __init__(self, port: DbbPort, start: int, values: Values) -> None:
        width, height, self._channels = (
            values.get("CDP_RDMA", f"D_DATA_CUBE_{side}") + 1 for side in ("WIDTH", "HEIGHT", "CHANNEL")
        )
        self._surfaces = -(-self._channels // ATOM)
        self._operation = cdp_from_registers(values)
        self._zero = signed(values.get("CDP", "D_DATIN_OFFSET"), ATOM)
        (source, *way), (target, *back) = _cube(values, "CDP_RDMA", "SRC"), _cube(values, "CDP", "DST")
        units: list[Unit] = []
        chunks: list[Chunk] = []
        for y in range(height):
            for x in range(0, width, CHUNK):
                for s in range(self._surfaces):
                    atoms = min(CHUNK, width - x)
                    units.append(Unit([ReadRequest(source + y * way[0] + s * way[1] + ATOM * x, atoms)]))
                    address = (target + y * back[0] + s * back[1] + ATOM * x) & 0xFFFF_FFFF
                    chunks.append(Chunk(len(chunks), x, atoms, address))
        super().__init__(CDP, port, start, units, chunks, STEPS, CDP_PIPELINE)

    def readable(self, chunk: Chunk) -> int:
        """The first edge at which the core may begin a chunk: it and its lower neighbour are converted."""
        last = (chunk.unit + 1) % self._surfaces == 0
        return max(unit.read for unit in self.units[chunk.unit : chunk.unit + 2 - last]) + CDP_CONVERT

    def compute(self, chunk: Chunk) -> npt.NDArray[np.uint8]:
        """The bytes of a chunk."""
        data = np.concatenate([self._values(chunk, step) for step in (-1, 0, 1)])
        out = self._operation(data)[ATOM : 2 * ATOM]
        return np.ascontiguousarray(out.T.astype(np.int8)).view(np.uint8).reshape(-1)

    def _values(self, chunk: Chunk, step: int) -> Ints:
        """(8, atoms) numbers of a chunk or of its neighbours, with those that become 0 where there is no channel."""
        data = np.full((ATOM, chunk.atoms), self._zero, np.int64)
        surface = chunk.unit % self._surfaces + step
        if 0 <= surface < self._surfaces:
            there = min(ATOM, self._channels - ATOM * surface)
            bytes_ = np.frombuffer(bytes(self.units[chunk.unit + step].data[0]), np.int8)
            data[:there] = bytes_.reshape(chunk.atoms, ATOM).T[:there]
        return data
