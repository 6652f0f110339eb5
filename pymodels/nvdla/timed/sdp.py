# SPDX-License-Identifier: Apache-2.0
"""SDP at work."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.nvdla.engines.address_space import ATOM
from goldbeat.pymodels.nvdla.engines.arithmetic import signed
from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.engines.sdp import Converter, Sdp, Stage
from goldbeat.pymodels.nvdla.timed.conv_buffer import DeliveryFifo
from goldbeat.pymodels.nvdla.timed.dbb import SDP, DbbPort
from goldbeat.pymodels.nvdla.timed.engine import Chunk, EngineOperation, ReadRequest, Unit, line_chunks

SDP_PIPELINE = 10
_ALGORITHMS = ("max", "min", "sum", "sum")


@dataclass(frozen=True)
class Operands:
    """What an X unit reads from memory.

    Attributes:
        unit: ``BS`` or ``BN``.
        alu, mul: which operands come from memory.
        reads: whether anything is read.
        per_element: one group a point, not one a surface.
        use: 0 MUL, 1 ALU, 2 both.
        size: bytes of an operand.
    """

    unit: str
    alu: bool
    mul: bool
    reads: bool
    per_element: bool
    use: int
    size: int
    base: int
    line: int
    surface: int

    @property
    def group(self) -> int:
        """E, bytes of a group."""
        return 8 * self.size * (2 if self.use == 2 else 1)


def operands(values: Values, unit: str) -> Operands:
    """The operands of ``BS`` or ``BN``."""
    dma = {"BS": "BRDMA", "BN": "NRDMA"}[unit]

    def of(register: str, field: str) -> int:
        return values.get("SDP", f"D_DP_{unit}_{register}", f"{unit}_{field}")

    works = not of("CFG", "BYPASS")
    alu = works and not of("CFG", "ALU_BYPASS") and of("ALU_CFG", "ALU_SRC") == 1
    mul = works and not of("CFG", "MUL_BYPASS") and of("MUL_CFG", "MUL_SRC") == 1
    config = {f: values.get("SDP_RDMA", f"D_{dma}_CFG", f"{dma}_{f}") for f in ("DISABLE", "DATA_USE", "DATA_SIZE")}
    return Operands(
        unit,
        alu,
        mul,
        (alu or mul) and not config["DISABLE"],
        bool(values.get("SDP_RDMA", f"D_{dma}_CFG", f"{dma}_DATA_MODE")),
        config["DATA_USE"],
        config["DATA_SIZE"] + 1,
        values.get("SDP_RDMA", f"D_{unit}_BASE_ADDR_LOW"),
        values.get("SDP_RDMA", f"D_{unit}_LINE_STRIDE"),
        values.get("SDP_RDMA", f"D_{unit}_SURFACE_STRIDE"),
    )


def sdp_reads(values: Values) -> bool:
    """Whether SDP_RDMA takes part."""
    if not values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE"):
        return True
    return any(o.alu or o.mul for o in (operands(values, "BS"), operands(values, "BN")))


def sdp_flies_on(values: Values) -> bool:
    """Whether the operation hands its atoms to PDP in place of writing them."""
    return bool(values.get("SDP", "D_FEATURE_MODE_CFG", "OUTPUT_DST"))


class SdpOperation(EngineOperation):
    """One operation, its registers as they stood at its start; on the fly ``feed`` gives it sums."""

    def __init__(self, port: DbbPort, start: int, values: Values, feed: DeliveryFifo) -> None:
        self._units = [operands(values, "BS"), operands(values, "BN")]
        self._flying = bool(values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE"))
        width, height, channel = (values.get("SDP", f"D_DATA_CUBE_{d}", d) + 1 for d in ("WIDTH", "HEIGHT", "CHANNEL"))
        self._stages = {
            u: _stage(values, u) for u in ("BS", "BN") if not values.get("SDP", f"D_DP_{u}_CFG", f"{u}_BYPASS")
        }
        self._converter = Converter(
            signed(values.get("SDP", "D_CVT_OFFSET"), 32),
            signed(values.get("SDP", "D_CVT_SCALE"), 16),
            values.get("SDP", "D_CVT_SHIFT"),
        )
        chunks = line_chunks(
            values.get("SDP", "D_DST_BASE_ADDR_LOW"),
            -(-channel // ATOM),
            height,
            width,
            values.get("SDP", "D_DST_LINE_STRIDE"),
            values.get("SDP", "D_DST_SURFACE_STRIDE"),
        )
        units = []
        source = tuple(
            values.get("SDP_RDMA", n) for n in ("D_SRC_BASE_ADDR_LOW", "D_SRC_LINE_STRIDE", "D_SRC_SURFACE_STRIDE")
        )
        for number, chunk in enumerate(chunks):
            s, y = divmod(chunk.unit, height)
            requests = []
            if not self._flying:
                requests.append(ReadRequest(source[0] + s * source[2] + y * source[1] + 8 * chunk.column, chunk.atoms))
            for one in self._units:
                if one.reads and one.per_element:
                    at = one.base + s * one.surface + y * one.line + one.group * chunk.column
                    requests.append(ReadRequest(at, chunk.atoms * one.group // 8))
                elif one.reads:
                    requests.append(ReadRequest(one.base + s * one.group, one.group // 8))
            units.append(Unit(requests))
            # A chunk has read slots of its own.
            chunk.unit = number
        super().__init__(SDP, port, start, units, chunks, 1, SDP_PIPELINE, feed if self._flying else None)

    def compute(self, chunk: Chunk) -> npt.NDArray[np.uint8]:
        """The bytes of a chunk."""
        parts = iter(self.units[chunk.unit].data)
        if self._flying:
            data = np.stack([sums.atom(group, number) for sums, group, number in self.taken])
            self.taken.clear()
        else:
            data = np.frombuffer(bytes(next(parts)), np.int8).reshape(chunk.atoms, ATOM).astype(np.int64)
        stages = []
        for one in self._units:
            if one.unit not in self._stages:
                continue
            stage = self._stages[one.unit]
            alu = mul = np.zeros((1, ATOM), np.int64)
            if one.reads:
                raw = np.frombuffer(bytes(next(parts)), np.int8 if one.size == 1 else np.dtype("<i2"))
                pairs = raw.astype(np.int64).reshape(-1, ATOM, 2 if one.use == 2 else 1)
                alu = pairs[..., 0] if one.use != 0 else alu
                mul = pairs[..., -1] if one.use != 1 else mul
            if one.alu:
                stage = replace(stage, alu_operand=alu)
            if one.mul:
                stage = replace(stage, mul_operand=mul)
            stages.append(stage)
        out = Sdp(tuple(stages), self._converter)(data)
        return np.broadcast_to(out, data.shape).astype(np.int8).view(np.uint8).reshape(-1)


def _stage(values: Values, unit: str) -> Stage:
    def of(register: str, field: str) -> int:
        return values.get("SDP", f"D_DP_{unit}_{register}", f"{unit}_{field}")

    return Stage(
        None if of("CFG", "ALU_BYPASS") else _ALGORITHMS[of("CFG", "ALU_ALGO")],
        signed(of("ALU_SRC_VALUE", "ALU_OPERAND"), 16),
        of("ALU_CFG", "ALU_SHIFT_VALUE"),
        not of("CFG", "MUL_BYPASS"),
        signed(of("MUL_SRC_VALUE", "MUL_OPERAND"), 16),
        of("MUL_CFG", "MUL_SHIFT_VALUE") & 0x3F,
        bool(of("CFG", "MUL_PRELU")),
        not of("CFG", "RELU_BYPASS"),
    )
