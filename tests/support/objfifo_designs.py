# SPDX-License-Identifier: Apache-2.0
"""Short ways to write designs in tests."""

import numpy as np

from goldbeat.pymodels.objfifo.iron.placed import (
    ObjectFifoPort,
    close,
    core,
    npu_dma_memcpy_nd,
    object_fifo,
    object_fifo_link,
    runtime_sequence,
)
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.plan.device import ANY

PRODUCE, CONSUME = ObjectFifoPort.Produce, ObjectFifoPort.Consume
SHIM, MEM = ANY.tile(0, 0), ANY.tile(0, 1)
C = [ANY.tile(0, 2 + i) for i in range(4)]
FAR = [ANY.tile(2 + 2 * i, 2) for i in range(6)]
"""Cores that share no memory with each other."""


def ty(*shape, dtype=np.int32):
    return np.ndarray[tuple(shape), np.dtype[dtype]]


def make(build, *args):
    """The design that a function declares."""
    with fresh() as scope:
        build(*args)
    return close(scope)


def program(tile, *steps, times=None):
    """A core's program from steps ``(fifo, port, n)``: n > 0 acquires, n < 0 releases."""

    def body():
        for _ in range(1 if times is None else times):
            for fifo, port, n in steps:
                (fifo.acquire if n >= 0 else fifo.release)(port, abs(n))

    core(tile)(body)


def one(fifo, port, times=1):
    """Steps that take and give one object, so many times."""
    return [(fifo, port, 1), (fifo, port, -1)] * times


def moves(*transfers, dtype=np.int32):
    """The host's transfers: fifo and elements of each."""

    def body(*hosts):
        for (fifo, n), host in zip(transfers, hosts, strict=True):
            npu_dma_memcpy_nd(fifo, None, host, sizes=[1, 1, 1, n])

    runtime_sequence(*(ty(n, dtype=dtype) for _, n in transfers))(body)


def distribute(lengths, offsets=None, depth=2, dtype=np.int32, **kwargs):
    """Shim to memory tile to one open core for each length."""
    total = sum(lengths)
    offsets = [sum(lengths[:i]) for i in range(len(lengths))] if offsets is None else offsets
    whole = object_fifo("in", SHIM, MEM, depth, ty(total, dtype=dtype))
    legs = [object_fifo(f"in{i}", MEM, FAR[i], depth, ty(n, dtype=dtype), **kwargs) for i, n in enumerate(lengths)]
    object_fifo_link(whole, legs, [], offsets)
    return whole, legs


def join(lengths, offsets=None, depth=2, dtype=np.int32, **kwargs):
    """One open core for each length to memory tile to shim."""
    total = sum(lengths)
    offsets = [sum(lengths[:i]) for i in range(len(lengths))] if offsets is None else offsets
    whole = object_fifo("out", MEM, SHIM, depth, ty(total, dtype=dtype), **kwargs)
    legs = [object_fifo(f"out{i}", FAR[i], MEM, depth, ty(n, dtype=dtype)) for i, n in enumerate(lengths)]
    object_fifo_link(legs, whole, offsets, [])
    return whole, legs


def forward(first=16, last=None, depth=2, dtype=np.int32, target=None, **kwargs):
    """Shim to memory tile to an open core."""
    first = first if isinstance(first, tuple) else (first,)
    last = first if last is None else last if isinstance(last, tuple) else (last,)
    a = object_fifo("a", SHIM, MEM, depth, ty(*first, dtype=dtype))
    b = object_fifo("b", MEM, FAR[0] if target is None else target, depth, ty(*last, dtype=dtype), **kwargs)
    object_fifo_link(a, b)
    return a, b
