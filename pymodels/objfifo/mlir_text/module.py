# SPDX-License-Identifier: Apache-2.0
"""A device in text as plain data: one reader for every command.

Only what moves data is looked at. Operations of cores and sequences are kept; plans and executions read them.
"""

from __future__ import annotations

from goldbeat.pymodels.objfifo.mlir_text import fifo_ops, memory_ops
from goldbeat.pymodels.objfifo.mlir_text.dma_ops import whole_constants
from goldbeat.pymodels.objfifo.mlir_text.lexer import TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import (
    BufferLine,
    CoreLine,
    DeviceLines,
    HostLine,
    LockLine,
    RegionLine,
    StreamPort,
)
from goldbeat.pymodels.objfifo.mlir_text.places import PROGRAM_KINDS, check_places
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.mlir_text.switches import SWITCHES, add_routes
from goldbeat.pymodels.objfifo.mlir_text.text_file import SEQUENCES
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.values import dense, read_memref
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice, Device

_READERS = {
    "aie.tile": fifo_ops.read_tile,
    "aie.logical_tile": fifo_ops.read_tile,
    "aie.objectfifo": fifo_ops.read_fifo,
    "aie.objectfifo.link": fifo_ops.read_link,
    "aie.buffer": memory_ops.read_buffer,
    "aie.external_buffer": memory_ops.read_external,
    "aie.lock": memory_ops.read_lock,
    "aie.flow": memory_ops.read_flow,
    "aie.packet_flow": memory_ops.read_packet_flow,
    "aie.shim_dma_allocation": memory_ops.read_allocation,
    "aie.cascade_flow": memory_ops.read_cascade,
}
_UNNAMED = "sequence"
"""A sequence without a name has this one."""


def read_device(op: MlirOp, sequence: str | None = None) -> DeviceLines:
    """The operations of a device.

    Args:
        op: ``aie.device``.
        sequence: name of the runtime sequence; the first one if there is none.

    Raises:
        MlirError: what is not understood, with line and column.
    """
    lines = DeviceLines(_device(op))
    scope = DeviceScope(lines)
    for one in op.ops:
        _operation(scope, one)
        if one.name in PROGRAM_KINDS:
            for inner in one.everything:
                if inner.name in ("aie.buffer", "aie.lock"):
                    _READERS[inner.name](scope, inner)
    add_routes(scope, [one for one in op.ops if one.name in SWITCHES])
    if sequence is not None:
        lines.sequences = [one for one in lines.sequences if (one.symbols or [_UNNAMED])[0] == sequence]
        if not lines.sequences:
            op.fail(f"no sequence @{sequence}", "one of the device's")
    for one in lines.sequences[:1]:
        _arguments(lines, one)
    lines.values |= whole_constants(op.ops)
    _check_unique(lines)
    check_places(lines)
    return lines


def _check_unique(lines: DeviceLines) -> None:
    """Refuse what a device has once: a name of its memory, a circuit into a port."""
    names: set[str] = set()
    memory: list[BufferLine | LockLine] = [*lines.buffers.values(), *lines.locks.values()]
    for declared in memory:
        if "sym_name" in declared.op.attributes and declared.name in names:
            declared.op.fail(f"a second {declared.name!r}", "names that are used once")
        names.add(declared.name)
    circuits: dict[StreamPort, StreamPort] = {}
    for flow in lines.flows:
        for dest in flow.dests if flow.packet is None else ():
            if circuits.setdefault(dest, flow.source) != flow.source:
                tile, bundle, number = dest
                flow.op.fail(f"a second circuit into {bundle} {number} of {tile}", "one source per port")


def _device(op: MlirOp) -> Device:
    cursor = op.cursor
    cursor.expect("(")
    name = cursor.kind("word", "the name of a device")
    known = {ANY.name: ANY, **{one.value.name: one.value for one in AIEDevice}}
    # mlir-aie's tests have a name there that their runner replaces with the machine's device.
    known["NPUDEVICE"] = AIEDevice.npu1.value
    if name.text not in known:
        cursor.fail(f"one of {', '.join(known)}", name)
    cursor.expect(")")
    return known[name.text]


def _operation(scope: DeviceScope, op: MlirOp) -> None:
    lines = scope.lines
    if op.name in _READERS:
        _READERS[op.name](scope, op)
    elif op.name in PROGRAM_KINDS:
        cursor = op.cursor
        cursor.expect("(")
        tile = scope.tile(cursor)
        cursor.expect(")")
        (
            lines.cores.append(CoreLine(op, tile))
            if op.name == "aie.core"
            else lines.regions.append(RegionLine(op, tile))
        )
    elif op.name in SEQUENCES:
        lines.sequences.append(op)
    elif op.name in ("func.func", "func"):
        lines.functions[op.symbols[0] if op.symbols else ""] = op
    elif op.name == "memref.global" and op.symbols:
        at = next((n for n, t in enumerate(op.tokens) if t.text == "dense"), None)
        kind = next((n for n, t in enumerate(op.tokens) if t.text == "memref"), None)
        if at is not None and kind is not None:
            obj = read_memref(TokenCursor.on(op.tokens[kind:], op.token, op.file))
            lines.values[f"@{op.symbols[0]}"] = dense(TokenCursor.on(op.tokens[at:], op.token, op.file), obj)
    elif op.name == "aie.configure_cascade":
        op.fail(repr(op.name), "aie.cascade_flow: cascades that are written out are not read")
    elif op.name not in (*SWITCHES, "aie.wire", "aiex.scratchpad_parameter"):
        scope.passed(op)


def _arguments(lines: DeviceLines, op: MlirOp) -> None:
    """The arguments of the sequence."""
    cursor = op.cursor
    if cursor.now.kind == "symbol":
        cursor.take()
    cursor.expect("(")
    while not cursor.accept(")"):
        value = cursor.kind("ssa", "an argument").text
        cursor.expect(":")
        if cursor.now.text in ("memref", "tensor"):
            lines.hosts[value] = HostLine(value[1:], read_memref(cursor))
        else:
            cursor.take()
            lines.hosts[value] = HostLine(value[1:], None)
        if not cursor.accept(",") and cursor.now.text != ")":
            cursor.fail("',' or ')'")
