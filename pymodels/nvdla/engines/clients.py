# SPDX-License-Identifier: Apache-2.0
"""DMA clients of an operation: operand readers of SDP that must be on or off, and the memory that each client is set to.

Source: RTL of nvdla/hw, branch nv_small (``NV_NVDLA_DMAIF_rdreq.v``, ``NV_NVDLA_SDP_rdma.v``), and the constraints of its trace
generator (``sce_sdprdma_sdp_ias_constraint``).
"""

from __future__ import annotations

from collections.abc import Iterator

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.registers import Values

RAM_DRAM, RAM_SRAM = 1, 0
"""Codes of the RAM_TYPE fields."""
READERS = {"BS": "BRDMA", "BN": "NRDMA", "EW": "ERDMA"}
"""The reader of each stage's operands."""
Client = tuple[str, str, str]
"""Block, register and field that choose a client's memory."""


def memory_operands(values: Values, stage: str) -> tuple[bool, bool]:
    """Whether adder and multiplier of a stage of SDP take operands from memory."""

    def of(register: str, field: str) -> int:
        return values.get("SDP", f"D_DP_{stage}_{register}", f"{stage}_{field}")

    if of("CFG", "BYPASS"):
        return False, False
    alu, mul = (not of("CFG", f"{part}_BYPASS") and bool(of(f"{part}_CFG", f"{part}_SRC")) for part in ("ALU", "MUL"))
    return alu, mul


def operands_fetched(values: Values) -> bool:
    """Whether an SDP operation takes operands from memory."""
    return any(any(memory_operands(values, stage)) for stage in READERS)


def reader_on(values: Values, reader: str) -> bool:
    """Whether an operand reader of SDP_RDMA fetches once its group is enabled."""
    return not values.get("SDP_RDMA", f"D_{reader}_CFG", f"{reader}_DISABLE")


def sdp_rdma_reads(values: Values) -> bool:
    """Whether SDP_RDMA fetches anything once its group is enabled."""
    flying = values.get("SDP_RDMA", "D_FEATURE_MODE_CFG", "FLYING_MODE")
    return not flying or any(reader_on(values, reader) for reader in READERS.values())


def check_readers(values: Values) -> None:
    """Refuse an operand reader that is off although SDP takes its data, and one that fetches what nobody takes.

    Raises:
        UsageError: the field, its value, and why.
    """
    for stage, reader in READERS.items():
        wanted = any(memory_operands(values, stage))
        if wanted and not reader_on(values, reader):
            raise UsageError(
                f"SDP.{stage} wants operands from memory, but {reader} is disabled: "
                f"SDP_RDMA.D_{reader}_CFG.{reader}_DISABLE is 1, expected 0"
            )
        if reader_on(values, reader) and not wanted:
            raise UsageError(
                f"SDP_RDMA.D_{reader}_CFG.{reader}_DISABLE is 0, expected 1: "
                f"SDP.{stage} takes no operands from memory, so {reader} waits forever"
            )


def check_memories(engine: str, values: Values) -> None:
    """Refuse a client that is set to the second memory of a configuration without one: its requests are never taken.

    BDMA and RUBIK exist only where there is a second memory.

    Raises:
        UsageError: the field, its value, and why.
    """
    if values.configuration.second_memory:
        return
    for block, register, field in _clients(engine, values):
        if (found := values.get(block, register, field)) == RAM_SRAM:
            raise UsageError(
                f"{block}.{register}.{field} is {found}, expected {RAM_DRAM}: "
                f"{values.configuration.name} has no second memory"
            )


def _clients(engine: str, values: Values) -> Iterator[Client]:
    """The clients of an operation that move data; those that rest may be set to any memory."""
    if engine == "CONV":
        yield "CDMA", "D_DAIN_RAM_TYPE", "DATAIN_RAM_TYPE"
        yield "CDMA", "D_WEIGHT_RAM_TYPE", "WEIGHT_RAM_TYPE"
    elif engine == "SDP":
        if not values.get("SDP", "D_FEATURE_MODE_CFG", "FLYING_MODE"):
            yield "SDP_RDMA", "D_SRC_DMA_CFG", "SRC_RAM_TYPE"
        for stage, reader in READERS.items():
            if any(memory_operands(values, stage)):
                yield "SDP_RDMA", f"D_{reader}_CFG", f"{reader}_RAM_TYPE"
        if not values.get("SDP", "D_FEATURE_MODE_CFG", "OUTPUT_DST"):
            yield "SDP", "D_DST_DMA_CFG", "DST_RAM_TYPE"
    elif engine == "PDP":
        if values.get("PDP", "D_OPERATION_MODE_CFG", "FLYING_MODE"):
            yield "PDP_RDMA", "D_SRC_RAM_CFG", "SRC_RAM_TYPE"
        yield "PDP", "D_DST_RAM_CFG", "DST_RAM_TYPE"
    elif engine == "CDP":
        yield "CDP_RDMA", "D_SRC_DMA_CFG", "SRC_RAM_TYPE"
        yield "CDP", "D_DST_DMA_CFG", "DST_RAM_TYPE"
