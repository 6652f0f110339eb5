# SPDX-License-Identifier: Apache-2.0
"""A small design as a script."""

ADD_THREE = """
import numpy as np
from goldbeat.pymodels.objfifo import NPU1Col1, ObjectFifo, Program, Runtime, Worker

words = np.ndarray[(96,), np.dtype[np.int32]]
line = np.ndarray[(8,), np.dtype[np.int32]]

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 3
    x.release(1)
    y.release(1)

source, result = ObjectFifo(line, name="source"), ObjectFifo(line, name="result")
far, near = source.cons().forward(name="far"), ObjectFifo(line, name="near")
sink = near.cons().forward(name="sink")
worker = Worker(add, [far.cons(), near.prod()])
rt = Runtime()
with rt.sequence(words, words) as (a, b):
    rt.start(worker)
    rt.fill(source.prod(), a)
    rt.drain(sink.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""
"""Shim, memory tile, a core that adds 3 to 12 objects of 8 words, memory tile, shim."""

ADD_ONE = """
import numpy as np
from goldbeat.pymodels.objfifo import (
    AIEDevice, ObjectFifoPort, core, device, mlir_mod_ctx, npu_dma_memcpy_nd, object_fifo, object_fifo_link, range_,
    runtime_sequence, tile,
)

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int32]]

with mlir_mod_ctx():
    @device(AIEDevice.npu1_1col)
    def body():
        shim, mem, near = tile(0, 0), tile(0, 1), tile(0, 2)
        there, to = object_fifo("there", shim, mem, 2, ty(16)), object_fifo("to", mem, near, 2, ty(8))
        object_fifo_link(there, to)
        back, out = object_fifo("back", near, mem, 2, ty(8)), object_fifo("out", mem, shim, 2, ty(16))
        object_fifo_link(back, out)

        @core(near)
        def add_one():
            for _ in range_(8):
                a, b = to.acquire(ObjectFifoPort.Consume, 1), back.acquire(ObjectFifoPort.Produce, 1)
                for i in range_(8):
                    b[i] = a[i] + 1
                to.release(ObjectFifoPort.Consume, 1)
                back.release(ObjectFifoPort.Produce, 1)

        @runtime_sequence(ty(64), ty(64))
        def sequence(a, b):
            npu_dma_memcpy_nd("out", 1, b, sizes=[1, 1, 1, 64])
            npu_dma_memcpy_nd("there", 0, a, sizes=[1, 1, 1, 64])
"""
"""64 words in objects of 16 by the memory tile, and of 8 by the core: the shape that was traced on silicon (npu1.md)."""


IRREGULAR = """
import numpy as np
from goldbeat.pymodels.objfifo import NPU1Col1, ObjectFifo, Program, Runtime, Worker

words = np.ndarray[(192,), np.dtype[np.int32]]
line = np.ndarray[(8,), np.dtype[np.int32]]

def add(x, y):
    for bit in "101100111000110101011110":
        a, b = x.acquire(1), y.acquire(1)
        b[:] = a + 3
        for one in (x, y) if bit == "1" else (y, x):
            one.release(1)

there, back = ObjectFifo(line, name="there"), ObjectFifo(line, name="back")
worker = Worker(add, [there.cons(), back.prod()], while_true=False)
rt = Runtime()
with rt.sequence(words, words) as (a, b):
    rt.start(worker)
    rt.fill(there.prod(), a)
    rt.drain(back.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""
"""A core whose requests repeat in no form that an engine's descriptors hold."""
