# SPDX-License-Identifier: Apache-2.0
"""The driver's register writes of a BDMA operation. Source: nvdla/sw, ``kmd/firmware/bdma.c``."""

from __future__ import annotations

from typing import Any

from goldbeat.pymodels.nvdla.driver.driver_steps import (
    Context,
    Steps,
    memory_code,
    read_step,
    unmask,
    write_address,
    write_fields,
    write_step,
)
from goldbeat.pymodels.nvdla.engines.bdma import UNIT
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation
from goldbeat.pymodels.nvdla.loadable.placement import address_id

LONGEST_REPEAT = 8192
_BLOCK = "BDMA"


def transfers(operation: NetworkOperation) -> int:
    """How many transfers an operation has."""
    return int(operation.surface["num_transfers"])


def program_bdma(context: Context, operation: NetworkOperation) -> Steps:
    """All steps before the launch: each transfer waits for a free place in the queue and is queued."""
    if not (count := transfers(operation)):
        return
    name, records = f"operation {operation.index} (BDMA)", operation.surface["transfers"]
    if count > len(records):
        raise context.fail(f"{name} of {count} transfers", f"at most {len(records)}")
    free = csb_register(_BLOCK, "STATUS").field("FREE_SLOT")
    for number in range(count):
        while not free.of((yield read_step(_BLOCK, "STATUS"))):
            pass
        yield from _queue(context, operation, f"{name} transfer {number}", records[number])
    yield from unmask("BDMA")


def _queue(context: Context, operation: NetworkOperation, name: str, record: Any) -> Steps:
    _check(context, name, record)
    for end, prefix in (("source", "CFG_SRC_ADDR"), ("destination", "CFG_DST_ADDR")):
        entry = address_id(context.network.loadable, context.network.task, int(record[f"{end}_address"]))
        address = context.placement.address_of(entry)
        if address % UNIT:
            raise context.fail(f"{name} with {end}_address 0x{address:x}", f"a multiple of {UNIT}")
        yield from write_address(_BLOCK, prefix, address)
    yield write_step(_BLOCK, "CFG_LINE", int(record["line_size"]) // UNIT - 1)
    surface = operation.surface
    yield write_fields(
        _BLOCK,
        "CFG_CMD",
        SRC_RAM_TYPE=memory_code(int(surface["source_type"])),
        DST_RAM_TYPE=memory_code(int(surface["destination_type"])),
    )
    yield write_step(_BLOCK, "CFG_LINE_REPEAT", int(record["line_repeat"]) - 1)
    yield write_step(_BLOCK, "CFG_SRC_LINE", int(record["source_line"]))
    yield write_step(_BLOCK, "CFG_DST_LINE", int(record["destination_line"]))
    yield write_step(_BLOCK, "CFG_SURF_REPEAT", int(record["surface_repeat"]) - 1)
    yield write_step(_BLOCK, "CFG_SRC_SURF", int(record["source_surface"]))
    yield write_step(_BLOCK, "CFG_DST_SURF", int(record["destination_surface"]))
    yield write_step(_BLOCK, "CFG_OP", 1)


def _check(context: Context, name: str, record: Any) -> None:
    size = int(record["line_size"])
    if not size or size % UNIT:
        raise context.fail(f"{name} with line_size {size}", f"a multiple of {UNIT}")
    for field in ("line_repeat", "surface_repeat"):
        if not 1 <= int(record[field]) <= LONGEST_REPEAT:
            raise context.fail(f"{name} with {field} {int(record[field])}", f"1..{LONGEST_REPEAT}")
    for end in ("source", "destination"):
        line, surface = int(record[f"{end}_line"]), int(record[f"{end}_surface"])
        for side, stride, count in (("line", line, "line_repeat"), ("surface", surface, "surface_repeat")):
            if int(record[count]) > 1 and stride % UNIT:
                raise context.fail(f"{name} with {end}_{side} {stride}", f"a multiple of {UNIT}")
        if line < size:
            raise context.fail(f"{name} with {end}_line {line}", f"at least {size}, the line's size")
        if surface < (least := line * int(record["line_repeat"])):
            raise context.fail(f"{name} with {end}_surface {surface}", f"at least {least}, its lines")
