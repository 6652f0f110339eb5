# SPDX-License-Identifier: Apache-2.0
"""The first device of a text.

Only what moves data is read. What a core computes is not: operations of ``arith``, ``memref``, ``func`` and other dialects are
passed over; one of ``aie`` and ``aiex`` that is not known is an error.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from goldbeat.pymodels.objfifo.mlir_text import core_ops, fifo_ops, host_ops, lowered_ops
from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.lines import DeviceLines
from goldbeat.pymodels.objfifo.mlir_text.scope import DeviceScope
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice

_READERS = {
    "aie.tile": fifo_ops.read_tile,
    "aie.objectfifo": fifo_ops.read_fifo,
    "aie.objectfifo.link": fifo_ops.read_link,
    "aie.buffer": lowered_ops.read_buffer,
    "aie.external_buffer": lowered_ops.read_external,
    "aie.lock": lowered_ops.read_lock,
    "aie.flow": lowered_ops.read_flow,
    "aie.packet_flow": lowered_ops.read_packet_flow,
    "aie.mem": lowered_ops.read_dma,
    "aie.memtile_dma": lowered_ops.read_dma,
    "aie.shim_dma": lowered_ops.read_dma,
    "aie.shim_dma_allocation": lowered_ops.read_allocation,
    "aie.core": core_ops.read_core,
    "aiex.runtime_sequence": host_ops.read_sequence,
    "aie.runtime_sequence": host_ops.read_sequence,
}


def read_device(text: str, file: Path | None = None) -> DeviceLines:
    """The operations of the first device.

    Args:
        text: all of it.
        file: its name, for errors.

    Raises:
        MlirError: what is not understood, with line and column.
    """
    cursor = TokenCursor(text, file)
    while cursor.now.text != "aie.device":
        if cursor.now.kind == "end":
            cursor.fail("aie.device(...)")
        cursor.take()
    cursor.take()
    cursor.expect("(")
    name = cursor.kind("word", "the name of a device")
    known = {ANY.name: ANY, **{one.value.name: one.value for one in AIEDevice}}
    # mlir-aie's tests have a name there that their runner replaces with the machine's device.
    known["NPUDEVICE"] = AIEDevice.npu1.value
    if name.text not in known:
        cursor.fail(f"one of {', '.join(known)}", name)
    cursor.expect(")")
    if cursor.now.kind == "symbol":
        cursor.take()
    scope = DeviceScope(cursor, DeviceLines(known[name.text]))
    scope.region(partial(_operation, scope))
    return scope.lines


def _operation(scope: DeviceScope, results: list[str], name: Token) -> None:
    reader = _READERS.get(name.text)
    if reader is not None:
        reader(scope, results, name)
    elif name.text != "aie.end":
        scope.passed(name)
