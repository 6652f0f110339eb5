# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 - lines as upstream prints them
"""Small designs as Python and as MLIR text."""

from __future__ import annotations

from goldbeat.pymodels.objfifo.artefact.raw_design import CoreHandle

ADD = """
import numpy as np
from goldbeat.pymodels.objfifo import *

big, small = np.ndarray[(48,), np.dtype[np.int32]], np.ndarray[(16,), np.dtype[np.int32]]
source = ObjectFifo(big, name="in")
ins = source.cons().split([0, 16, 32], obj_types=[small] * 3)
result = ObjectFifo(big, name="out")
outs = result.prod().join([0, 16, 32], obj_types=[small] * 3)

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 1
    x.release(1)
    y.release(1)

workers = [Worker(add, [x.cons(), y.prod()]) for x, y in zip(ins, outs)]
rt = Runtime()
arg = np.ndarray[(96,), np.dtype[np.int32]]
with rt.sequence(arg, arg) as (a, b):
    rt.start(*workers)
    rt.fill(source.prod(), a)
    rt.drain(result.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""
WALKS = """
import numpy as np
from goldbeat.pymodels.objfifo import *

S, M = tile(0, 0), tile(0, 1)
kind = np.ndarray[(24,), np.dtype[np.int32]]
longer = np.ndarray[(40,), np.dtype[np.int32]]
a = object_fifo("a", S, M, 3, kind)
b = object_fifo("b", M, S, 2, kind, [(3, 2), (4, 6), (2, 1)])
object_fifo_link(a, b)
"""
HOST = """
A = np.ndarray[(144,), np.dtype[np.int32]]

@runtime_sequence(A, A)
def sequence(x, y):
    npu_dma_memcpy_nd(metadata=b, bd_id=1, mem=y, sizes=[1, 1, 1, 144], strides=[0, 0, 0, 1], issue_token=True)
    npu_dma_memcpy_nd(metadata=a, bd_id=0, mem=x, sizes=[2, 3, 4, 6], strides=[72, 24, 6, 1])
    dma_wait(b)
"""
ADD_MLIR = """module @add_one {
  aie.device(npu1_1col) {
    %shim_noc_tile_0_0 = aie.tile(0, 0)
    %mem_tile_0_1 = aie.tile(0, 1)
    %tile_0_2 = aie.tile(0, 2)
    aie.objectfifo @in0(%shim_noc_tile_0_0, {%mem_tile_0_1}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in1(%mem_tile_0_1 dimensionsToStream [<size = 2, stride = 4>, <size = 4, stride = 1>], {%tile_0_2}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out1(%tile_0_2, {%mem_tile_0_1 dimensionsFromStream [<size = 8, stride = 1>]}, [2 : i32, 2 : i32]) {via_DMA = false} : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @out0(%mem_tile_0_1, {%shim_noc_tile_0_0}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in0] -> [@in1]([] [])
    aie.objectfifo.link [@out1] -> [@out0]([] [])
    %core_0_2 = aie.core(%tile_0_2) {
      %c0 = arith.constant 0 : index
      %c9223372036854775807 = arith.constant 9223372036854775807 : index
      %c1 = arith.constant 1 : index
      scf.for %arg0 = %c0 to %c9223372036854775807 step %c1 {
        %0 = aie.objectfifo.acquire @in1(Consume, 1) : !aie.objectfifosubview<memref<8xi32>>
        %1 = aie.objectfifo.subview.access %0[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        %2 = aie.objectfifo.acquire @out1(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
        %3 = aie.objectfifo.subview.access %2[0] : !aie.objectfifosubview<memref<8xi32>> -> memref<8xi32>
        scf.for %arg1 = %c0 to %c1 step %c1 {
          %4 = memref.load %1[%arg1] : memref<8xi32>
          memref.store %4, %3[%arg1] : memref<8xi32>
        }
        aie.objectfifo.release @in1(Consume, 1)
        aie.objectfifo.release @out1(Produce, 1)
      }
      aie.end
    }
    aiex.runtime_sequence(%arg0: memref<64xi32>, %arg1: memref<32xi32>, %arg2: memref<64xi32>) {
      // The fill, then the drain.
      aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%arg2[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, issue_token = true, metadata = @out0} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out0}
    }
  }
}
"""
LOWERED_MLIR = """module @add_one {
  aie.device(npu1_1col) {
    %tile_0_0 = aie.tile(0, 0)
    %tile_0_1 = aie.tile(0, 1)
    %tile_0_2 = aie.tile(0, 2)
    %m0 = aie.buffer(%tile_0_1) {sym_name = "m0"} : memref<16xi32>
    %m1 = aie.buffer(%tile_0_1) {sym_name = "m1"} : memref<16xi32>
    %m_prod = aie.lock(%tile_0_1, 0) {init = 2 : i32, sym_name = "m_prod"}
    %m_cons = aie.lock(%tile_0_1, 1) {init = 0 : i32, sym_name = "m_cons"}
    %a = aie.buffer(%tile_0_2) {address = 1024 : i32, sym_name = "a"} : memref<8xi32>
    %b = aie.buffer(%tile_0_2) {address = 2048 : i32, sym_name = "b"} : memref<8xi32> = dense<0>
    %a_prod = aie.lock(%tile_0_2, 0) {init = 1 : i32}
    %a_cons = aie.lock(%tile_0_2, 1) {init = 0 : i32}
    %b_prod = aie.lock(%tile_0_2, 2) {init = 1 : i32}
    %b_cons = aie.lock(%tile_0_2, 3) {init = 0 : i32}
    aie.flow(%tile_0_0, DMA : 0, %tile_0_1, DMA : 0)
    aie.packet_flow(0x1) {
      aie.packet_source<%tile_0_1, DMA : 0>
      aie.packet_dest<%tile_0_2, DMA : 0>
    }
    aie.flow(%tile_0_2, DMA : 0, %tile_0_0, DMA : 0)
    %core_0_2 = aie.core(%tile_0_2) {
      %c0 = arith.constant 0 : index
      aie.use_lock(%a_cons, AcquireGreaterEqual, 1)
      %0 = memref.load %a[%c0] : memref<8xi32>
      aie.use_lock(%a_prod, Release, 1)
      aie.end
    } {link_with = "kernel.o"}
    aie.shim_dma_allocation @in0(MM2S, 0, 0)
    aie.shim_dma_allocation @out0(%tile_0_0, S2MM, 0)
    %memtile_dma_0_1 = aie.memtile_dma(%tile_0_1) {
      %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb3)
    ^bb1:  // 2 preds: ^bb0, ^bb2
      aie.use_lock(%m_prod, AcquireGreaterEqual, 1)
      aie.dma_bd(%m0 : memref<16xi32>, 0, 16) {bd_id = 0 : i32, next_bd_id = 1 : i32}
      aie.use_lock(%m_cons, Release, 1)
      aie.next_bd ^bb2
    ^bb2:  // pred: ^bb1
      aie.use_lock(%m_prod, AcquireGreaterEqual, 1)
      aie.dma_bd(%m1 : memref<16xi32>, 0, 16) {bd_id = 1 : i32, next_bd_id = 0 : i32}
      aie.use_lock(%m_cons, Release, 1)
      aie.next_bd ^bb1
    ^bb3:  // pred: ^bb0
      %1 = aie.dma_start(MM2S, 0, ^bb4, ^bb6)
    ^bb4:
      aie.use_lock(%m_cons, AcquireGreaterEqual, 1)
      aie.dma_bd(%m0 : memref<16xi32>, 0, 16, [<size = 16, stride = 1>]) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.use_lock(%m_prod, Release, 1)
      aie.next_bd ^bb5
    ^bb5:
      aie.use_lock(%m_cons, AcquireGreaterEqual, 1)
      aie.dma_bd(%m1 : memref<16xi32>) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 1>}
      aie.use_lock(%m_prod, Release, 1)
      aie.next_bd ^bb4
    ^bb6:
      aie.end
    }
    %mem_0_2 = aie.mem(%tile_0_2) {
      %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
    ^bb1:
      aie.use_lock(%a_prod, AcquireGreaterEqual)
      aie.dma_bd(%a : memref<8xi32>, 0, 8)
      aie.use_lock(%a_cons, Release)
      aie.next_bd ^bb1
    ^bb2:
      %c1_i32 = arith.constant 1 : i32
      %c0_i32 = arith.constant 0 : i32
      %c8_i32 = arith.constant 8 : i32
      %1 = aie.dma_start(MM2S, 0, ^bb3, ^bb4)
    ^bb3:
      aie.use_lock(%b_cons, AcquireGreaterEqual, %c1_i32)
      aie.dma_bd(%b : memref<8xi32> offset = %c0_i32 len = %c8_i32)
      aie.use_lock(%b_prod, Release, 1)
      aie.next_bd ^bb3
    ^bb4:
      aie.end
    }
    aiex.runtime_sequence @sequence(%arg0: memref<64xi32>, %arg1: memref<64xi32>) {
      %c0_i64 = arith.constant 0 : i64
      %c64_i64 = arith.constant 64 : i64
      aiex.npu.dma_memcpy_nd(0, 0, %arg0[%c0_i64, 0, 0, 0][1, 1, 1, %c64_i64][0, 0, 0]) {id = 0 : i64, metadata = @in0} : memref<64xi32>
      %0 = aiex.dma_configure_task_for @out0 {
        aie.dma_bd(%arg1 : memref<64xi32>, 0, 64, [<size = 1, stride = 0>, <size = 64, stride = 1>]) {burst_length = 0 : i32}
        aie.end
      } {issue_token = true}
      aiex.dma_start_task(%0)
      aiex.dma_await_task(%0)
    }
  }
}
"""
"""As upstream prints them, at the level of object FIFOs and lowered."""


def plus_one(x: CoreHandle, y: CoreHandle) -> None:
    """A stand-in for a core that adds one."""
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 1
    x.release(1)
    y.release(1)
