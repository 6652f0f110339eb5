# SPDX-License-Identifier: Apache-2.0
"""A memory tile in text that is read in every form of its parts."""

from __future__ import annotations

FORMS = """module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %b = aie.buffer(%m) {sym_name = "b"} : memref<16xKIND>
    %free = aie.lock(%m, 0) {init = 1 : i32}
    %full = aie.lock(%m, 1) {init = 0 : i32}
    FLOWS
    ALLOCATIONS
    %p = aie.memtile_dma(%m) {
      %z = arith.constant 0 : i32
      %e = arith.constant 16 : i32
      PROGRAM
    }
    aie.runtime_sequence(%i : memref<16xKIND>, %o : memref<16xKIND>) {
      %n = arith.constant 16 : i64
      MOVES
    }
  }
}
"""
PARTS = {
    "KIND": "i32",
    "FLOWS": "aie.flow(%s, DMA : 0, %m, DMA : 0)\n    aie.flow(%m, DMA : 0, %s, DMA : 0)",
    "ALLOCATIONS": "aie.shim_dma_allocation @x (%s, MM2S, 0)\n    aie.shim_dma_allocation @y (%s, S2MM, 0)",
    "PROGRAM": """%0 = aie.dma_start(S2MM, 0, ^in, ^next)
    ^in:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xKIND> offset = 0 len = 16)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      OUT
      aie.use_lock(%free, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end""",
    "OUT": "aie.dma_bd(%b : memref<16xKIND> offset = 0 len = 16)",
    "MOVES": """aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<16xKIND>
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @y, issue_token = true}
        : memref<16xKIND>
      aiex.npu.dma_wait {symbol = @y}""",
}


def forms_text(**changed: str) -> str:
    """The text with parts of it replaced."""
    text = FORMS
    for name, part in {**PARTS, **changed}.items():
        text = text.replace(name, part)
    return text.replace("KIND", changed.get("KIND", "i32"))


WALK = "sizes = [4, 4] strides = [1, 4]"
OUTS = {
    "old": "aie.dma_bd(%b : memref<16xKIND>, 0, 16)",
    "names": "aie.dma_bd(%b : memref<16xKIND> offset = 0 len = 16)",
    "nothing": "aie.dma_bd(%b : memref<16xKIND>)",
    "len only": "aie.dma_bd(%b : memref<16xKIND> len = 16)",
    "values": "aie.dma_bd(%b : memref<16xKIND> offset = %z len = %e)",
    "empty lists": "aie.dma_bd(%b : memref<16xKIND> offset = 0 len = 16 sizes = [] strides = [])",
    "lists": f"aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16 {WALK})",
    "lists without length": f"aie.dma_bd(%b : memref<16xi32> {WALK})",
    "an extra dimension": "aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16 sizes = [1, 4, 4] strides = [0, 1, 4])",
    "old lists": "aie.dma_bd(%b : memref<16xi32>, 0, 16, [<size = 4, stride = 1>, <size = 4, stride = 4>])",
    "attributes": "aie.dma_bd(%b : memref<16xi32>) {offset = 0 : i32, len = 16 : i32}",
    "a number": "aie.dma_bd(%b : memref<16xi32>, 0, 16) {bd_id = 5 : i32, next_bd_id = 5 : i32}",
    "in the middle": "aie.dma_bd(%b : memref<16xi32> offset = 4 len = 8)",
    "padding": "aie.dma_bd(%b : memref<16xi32>, 0, 16, [<size = 3, stride = 4>, <size = 4, stride = 1>], "
    "[<const_pad_before = 1, const_pad_after = 0>, <const_pad_before = 0, const_pad_after = 0>])",
    "named padding": "aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16 sizes = [3, 4] strides = [4, 1] "
    "pad [<const_pad_before = 1, const_pad_after = 0>, <const_pad_before = 0, const_pad_after = 0>])",
    "iteration": "aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16) "
    "{iteration = #aie.bd_iteration<size = 1, stride = 0, current = 0>}",
}
"""Forms of a descriptor."""
MOVES = {
    "values": PARTS["MOVES"].replace("[1, 1, 1, 16]", "[1, 1, 1, %n]"),
    "column and row": PARTS["MOVES"].replace("nd(%", "nd(0, 0, %").replace("[0, 0, 0, 1])", "[0, 0, 0])"),
    "tasks": """%t = aiex.dma_configure_task_for @y {
        aie.dma_bd(%o : memref<16xKIND>, 0, 16)
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%t)
      %u = aiex.dma_configure_task(%s, MM2S, 0) {
        aie.dma_bd(%i : memref<16xKIND> offset = 0 len = 16 sizes = [1, 16] strides = [0, 1])
        aie.end
      }
      aiex.dma_start_task(%u)
      aiex.dma_await_task(%t)""",
    "a loop": """%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %k = %c0 to %c1 step %c1 {
        MOVES
      }""".replace("MOVES", PARTS["MOVES"]),
    "wide": PARTS["MOVES"].replace("[1, 1, 1, 16][0, 0, 0, 1]", "[1, 2, 2, 4][0, 8, 4, 1]"),
}
"""Forms of the host's transfers."""
OTHERS = {
    "ring": {"PROGRAM": """aie.dma(S2MM, 0) [{
        aie.use_lock(%free, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<16xKIND>, 0, 16)
        aie.use_lock(%full, Release, 1)
      }]
      aie.dma(MM2S, 0) [{
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.dma_bd(%b : memref<16xKIND>, 0, 16)
        aie.use_lock(%free, Release, 1)
      }]
      aie.end"""},
    "quoted": {"FLOWS": 'aie.flow(%s, "DMA" : 0, %m, "DMA" : 0)\n    aie.flow(%m, DMA : 0, %s, DMA : 0)'},
    "column": {"ALLOCATIONS": "aie.shim_dma_allocation @x(MM2S, 0, 0)\n    aie.shim_dma_allocation @y(S2MM, 0, 0) {plio = false}"},
    "packets": {"FLOWS": """aie.packet_flow(0x1) { aie.packet_source<%s, DMA : 0> aie.packet_dest<%m, DMA : 0> }
    aie.packet_flow(2) {
      aie.packet_source<%m, DMA : 0>
      aie.packet_dest<%s, DMA : 0>
    } {keep_pkt_header = false}""",
      "OUT": "aie.dma_bd(%b : memref<16xi32>, 0, 16) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>}",
      "ALLOCATIONS": "aie.shim_dma_allocation @x (%s, MM2S, 0, <pkt_id = 1>)\n    aie.shim_dma_allocation @y (%s, S2MM, 0)"},
    "bytes": {"KIND": "i8"},
    "halves": {"KIND": "bf16"},
    "doubles": {"KIND": "i64"},
}  # fmt: skip
"""Forms of other parts."""
