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
