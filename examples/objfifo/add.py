# SPDX-License-Identifier: Apache-2.0
"""Three cores add one to a third of a vector each; written as for mlir-aie, but for the import."""

import numpy as np

from goldbeat.pymodels.objfifo import NPU1Col1, ObjectFifo, Program, Runtime, Worker, range_

vector = np.ndarray[(48,), np.dtype[np.int32]]
part = np.ndarray[(16,), np.dtype[np.int32]]
offsets = [0, 16, 32]

source = ObjectFifo(vector, name="in")
ins = source.cons().split(offsets, obj_types=[part] * 3)
result = ObjectFifo(vector, name="out")
outs = result.prod().join(offsets, obj_types=[part] * 3)


def add(x, y):
    a, b = x.acquire(1), y.acquire(1)
    for i in range_(16):
        b[i] = a[i] + 1
    x.release(1)
    y.release(1)


workers = [Worker(add, [x.cons(), y.prod()]) for x, y in zip(ins, outs, strict=True)]
rt = Runtime()
with rt.sequence(vector, vector) as (a, b):
    rt.start(*workers)
    rt.fill(source.prod(), a)
    rt.drain(result.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
