# SPDX-License-Identifier: Apache-2.0
"""Designs that can be written in every form: as scripts."""

from __future__ import annotations

from tests.support.objfifo_scripts import ADD_ONE, ADD_THREE
from tests.support.objfifo_texts import ADD, HOST, WALKS

_HEAD = """
import numpy as np
from goldbeat.pymodels.objfifo import *
from goldbeat.pymodels.objfifo.iron.transport import FifoPacket, Transport

def ty(*shape, dtype=np.int32):
    return np.ndarray[shape, np.dtype[dtype]]

rt = Runtime()
"""
_TAIL = "\nProgram({}, rt).resolve_program()\n"
BROADCAST = f"""{_HEAD}
kind = ty(4, 8, dtype=np.int16)
source = ObjectFifo(kind, name="source", depth=[2, 3, 1])
legs = [ObjectFifo(ty(32, dtype=np.int16), name=f"leg{{n}}") for n in range(2)]
out = ObjectFifo(ty(64, dtype=np.int16), name="out")
joined = out.prod().join([0, 32], obj_types=[ty(32, dtype=np.int16)] * 2)

def scale(by, x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = by * a.reshape(-1)
    x.release(1)
    y.release(1)

workers = [Worker(scale, [n + 2, source.cons(), leg.prod()]) for n, leg in enumerate(joined)]
with rt.sequence(ty(128, dtype=np.int16), ty(256, dtype=np.int16)) as (a, b):
    rt.start(*workers)
    rt.fill(source.prod(), a)
    rt.drain(out.cons(), b, wait=True)
{_TAIL.format("NPU1Col1()")}"""
WINDOW = f"""{_HEAD}
line = ty(8)
source, out = ObjectFifo(line, name="source", depth=4), ObjectFifo(line, name="out")

def add_two(x, y):
    for n in range_(7):
        a, b = x.acquire(2), y.acquire(1)
        b[:] = a[0] + a[1]
        x.release(1)
        y.release(1)
    x.release(1)

with rt.sequence(ty(64), ty(56)) as (a, b):
    rt.start(Worker(add_two, [source.cons(), out.prod()], while_true=False))
    rt.fill(source.prod(), a)
    rt.drain(out.cons(), b, wait=True)
{_TAIL.format("NPU1Col1()")}"""
TURNS = f"""{_HEAD}
from goldbeat.pymodels.objfifo import TensorAccessPattern
line = ty(16, dtype=np.uint8)
source = ObjectFifo(line, name="source")
near = source.cons().forward(name="near", dims_to_stream=[(2, 4), (2, 8), (4, 1)])
far = ObjectFifo(line, name="far")
out = far.cons().forward(name="out")

def less(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = 255 - a
    x.release(1)
    y.release(1)

taps = [TensorAccessPattern((4, 32), 32 * n, [1, 1, 2, 16], [0, 0, 16, 1]) for n in range(4)]
with rt.sequence(ty(4, 32, dtype=np.uint8), ty(4, 32, dtype=np.uint8)) as (a, b):
    rt.start(Worker(less, [near.cons(), far.prod()]))
    for tap in taps:
        rt.fill(source.prod(), a, tap)
        rt.drain(out.cons(), b, tap, wait=True)
{_TAIL.format("NPU1Col1()")}"""
PACKETS = f"""{_HEAD}
line = ty(8)
pairs = []
for n in range(2):
    way = Transport.dma(FifoPacket(n + 3))
    pairs.append((ObjectFifo(line, name=f"to{{n}}", transport=way), ObjectFifo(line, name=f"from{{n}}", transport=way)))

def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    b[:] = a + 5
    x.release(1)
    y.release(1)

with rt.sequence(*[ty(32)] * 4) as hosts:
    rt.start(*(Worker(add, [x.cons(), y.prod()]) for x, y in pairs))
    for (x, y), a, b in zip(pairs, hosts[:2], hosts[2:]):
        rt.fill(x.prod(), a)
        rt.drain(y.cons(), b, wait=True)
{_TAIL.format("NPU1Col1()")}"""
COLUMNS = """
import numpy as np
from goldbeat.pymodels.objfifo import *

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int32]]

with mlir_mod_ctx():
    @device(AIEDevice.npu1_2col)
    def body():
        s0, m1, c1, c0, s1 = tile(0, 0), tile(1, 1), tile(1, 2), tile(0, 3), tile(1, 0)
        into, near = object_fifo("into", s0, m1, 2, ty(16)), object_fifo("near", m1, c1, 2, ty(16))
        object_fifo_link(into, near)
        over = object_fifo("over", c1, c0, 2, ty(16))
        out = object_fifo("out", c0, s1, 2, ty(16))

        def steps(x, y, by):
            for _ in range_(4):
                a, b = x.acquire(ObjectFifoPort.Consume, 1), y.acquire(ObjectFifoPort.Produce, 1)
                for i in range_(16):
                    b[i] = a[i] * by
                x.release(ObjectFifoPort.Consume, 1)
                y.release(ObjectFifoPort.Produce, 1)

        @core(c1)
        def first():
            steps(near, over, 3)

        @core(c0)
        def second():
            steps(over, out, 5)

        @runtime_sequence(ty(64), ty(64))
        def sequence(a, b):
            npu_dma_memcpy_nd("out", 1, b, sizes=[1, 1, 1, 64], issue_token=True)
            npu_dma_memcpy_nd("into", 0, a, sizes=[1, 1, 1, 64])
            dma_wait("out")
"""
REPEATED = f"""{_HEAD}
line = ty(8)
source = ObjectFifo(line, name="source")
near = source.cons().forward(name="near")
near.set_repeat_count(3)
out = ObjectFifo(line, name="out")

def add(x, y):
    for n in range_(3):
        a, b = x.acquire(1), y.acquire(1)
        b[:] = a + 1
        x.release(1)
        y.release(1)

with rt.sequence(ty(32), ty(96)) as (a, b):
    rt.start(Worker(add, [near.cons(), out.prod()]))
    rt.fill(source.prod(), a)
    rt.drain(out.cons(), b, wait=True)
{_TAIL.format("NPU1Col1()")}"""
AGAIN = f"""{_HEAD}
from goldbeat.pymodels.objfifo import TensorAccessPattern
source = ObjectFifo(ty(16), name="source")
out = source.cons().forward(name="out")
with rt.sequence(ty(2, 4, 8), ty(3, 64)) as (a, b):
    rt.fill(source.prod(), a, TensorAccessPattern((2, 4, 8), 0, [3, 2, 4, 8], [0, 32, 8, 1]))
    rt.drain(out.cons(), b, wait=True)
{_TAIL.format("NPU1Col1()")}"""
CONSTANT = """
import numpy as np
from goldbeat.pymodels.objfifo import *

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int32]]

with mlir_mod_ctx():
    @device(AIEDevice.npu1_1col)
    def body():
        shim, mem, near = tile(0, 0), tile(0, 1), tile(0, 2)
        first = [np.arange(8, dtype=np.int32), np.arange(8, 16, dtype=np.int32)]
        k = object_fifo("k", mem, near, 2, ty(8), initValues=first)
        k.set_repeat_count(2)
        a, c = object_fifo("a", shim, near, 2, ty(8)), object_fifo("c", near, shim, 2, ty(8))

        @core(near)
        def add():
            for _ in range_(4):
                w, x = k.acquire(ObjectFifoPort.Consume, 1), a.acquire(ObjectFifoPort.Consume, 1)
                y = c.acquire(ObjectFifoPort.Produce, 1)
                for i in range_(8):
                    y[i] = x[i] + w[i]
                for fifo in (k, a):
                    fifo.release(ObjectFifoPort.Consume, 1)
                c.release(ObjectFifoPort.Produce, 1)

        @runtime_sequence(ty(32), ty(32))
        def sequence(x, y):
            npu_dma_memcpy_nd("c", 1, y, sizes=[1, 1, 1, 32], issue_token=True)
            npu_dma_memcpy_nd("a", 0, x, sizes=[1, 1, 1, 32])
            dma_wait("c")
"""
PADDED = """
import numpy as np
from goldbeat.pymodels.objfifo import *

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int16]]

with mlir_mod_ctx():
    @device(AIEDevice.npu2_1col)
    def body():
        shim, mem, near = tile(0, 0), tile(0, 1), tile(0, 2)
        a = object_fifo("a", shim, mem, 2, ty(32))
        b = object_fifo(
            "b", mem, near, 2, ty(48), dimensionsToStream=[(4, 8), (8, 1)], padDimensions=[(1, 1), (0, 0)], padValue=-5
        )
        c = object_fifo("c", near, shim, 2, ty(48))
        object_fifo_link(a, b)

        @core(near)
        def add():
            for _ in range_(3):
                x, y = b.acquire(ObjectFifoPort.Consume, 1), c.acquire(ObjectFifoPort.Produce, 1)
                for i in range_(48):
                    y[i] = x[i] + 1
                b.release(ObjectFifoPort.Consume, 1)
                c.release(ObjectFifoPort.Produce, 1)

        @runtime_sequence(ty(96), ty(144))
        def sequence(x, y):
            npu_dma_memcpy_nd("c", 1, y, sizes=[1, 1, 1, 144], issue_token=True)
            npu_dma_memcpy_nd("a", 0, x, sizes=[1, 1, 1, 96])
            dma_wait("c")
"""
DOOR_SCRIPTS = {
    "add": ADD, "add_one": ADD_ONE, "add_three": ADD_THREE, "walks": WALKS + HOST, "broadcast": BROADCAST,
    "window": WINDOW, "turns": TURNS, "packets": PACKETS, "columns": COLUMNS, "repeated": REPEATED, "again": AGAIN,
    "constant": CONSTANT, "padded": PADDED,
}  # fmt: skip
"""By name."""
