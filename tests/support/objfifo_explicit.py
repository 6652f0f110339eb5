# SPDX-License-Identifier: Apache-2.0
"""A small design with explicit buffers, locks, streams and DMA programs, as MLIR text."""

from __future__ import annotations

EXPLICIT = """
module {{
  aie.device(npu1_1col) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    %a0 = aie.buffer(%t) {{sym_name = "a0"}} : memref<8xi32>
    %a1 = aie.buffer(%t) {{sym_name = "a1"}} : memref<8xi32>
    %b0 = aie.buffer(%t) {{sym_name = "b0"}} : memref<8xi32>
    %b1 = aie.buffer(%t) {{sym_name = "b1"}} : memref<8xi32>
    %all = aie.buffer(%m) {{sym_name = "all"}} : memref<{all}xi32>
    %free = aie.lock(%t, 0) {{init = 2 : i32}}
    %full = aie.lock(%t, 1) {{init = 0 : i32}}
    %room = aie.lock(%t, 2) {{init = 2 : i32}}
    %done = aie.lock(%t, 3) {{init = 0 : i32}}
    aie.flow(%s, DMA : 0, %t, DMA : 0)
    aie.flow(%t, DMA : 0, %m, DMA : 1)
    aie.flow(%m, DMA : 0, %s, DMA : 0)
    aie.shim_dma_allocation @x (%s, MM2S, 0)
    aie.shim_dma_allocation @y (%s, S2MM, 0)
    %core = aie.core(%t) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %many = arith.constant 4096 : index
      %three = arith.constant 3 : i32
      %c2 = arith.constant 2 : index
      scf.for %n = %c0 to %many step %c2 {{
        {first}
        {second}
      }}
      aie.end
    }}
    %mem = aie.mem(%t) {{
      %0 = aie.dma_start(S2MM, 0, ^in0, ^next)
    ^in0:
      aie.use_lock(%free, {acquire}, 1)
      aie.dma_bd(%a0 : memref<8xi32> offset = 0 len = 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in1
    ^in1:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%a1 : memref<8xi32> offset = 0 len = 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in0
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out0, ^end)
    ^out0:
      aie.use_lock(%done, AcquireGreaterEqual, 1)
      aie.dma_bd(%b0 : memref<8xi32> sizes = [2, 4] strides = [1, 2])
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^out1
    ^out1:
      aie.use_lock(%done, AcquireGreaterEqual, 1)
      aie.dma_bd(%b1 : memref<8xi32> sizes = [2, 4] strides = [1, 2])
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^out0
    ^end:
      aie.end
    }}
    aie.runtime_sequence(%i : memref<{all}xi32>, %o : memref<{all}xi32>) {{
      %g = aiex.dma_configure_task(%m, S2MM, 1) {{
        aie.dma_bd(%all : memref<{all}xi32> offset = 0 len = {all})
        aie.end
      }} {{issue_token = true}}
      aiex.dma_start_task(%g)
      aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, {all}][0, 0, 0, 1])
          {{id = 0 : i64, metadata = @x}} : memref<{all}xi32>
      aiex.dma_await_task(%g)
      %p = aiex.dma_configure_task(%m, MM2S, 0) {{
        aie.dma_bd(%all : memref<{all}xi32> offset = 0 len = {all}){more}
        aie.end
      }}
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, {all}][0, 0, 0, 1])
          {{id = 1 : i64, metadata = @y, issue_token = true}} : memref<{all}xi32>
      aiex.dma_start_task(%p)
      aiex.npu.dma_wait {{symbol = @y}}
    }}
  }}
}}
"""
_OBJECT = """
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.use_lock(%room, AcquireGreaterEqual, 1)
        scf.for %k{n} = %c0 to %c8 step %c1 {{
          %v{n} = memref.load %a{n}[%k{n}] : memref<8xi32>
          %w{n} = arith.muli %v{n}, %three : i32
          memref.store %w{n}, %b{n}[%k{n}] : memref<8xi32>
        }}
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%done, Release, 1)
"""


def explicit_text(objects: int = 4, *, acquire: str = "AcquireGreaterEqual", more: str = "") -> str:
    """Objects of eight words go to a core, which makes them three times as large, and leave by a walk of their own.

    The memory tile collects them by a task of the host, which waits for it and starts the task that sends them on.

    Args:
        objects: how many.
        acquire: of the core tile's first descriptor.
        more: behind the descriptor that sends them on.
    """
    first, second = (_OBJECT.format(n=n) for n in range(2))
    return EXPLICIT.format(all=8 * objects, first=first, second=second, acquire=acquire, more=more)
