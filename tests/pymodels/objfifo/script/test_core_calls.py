# SPDX-License-Identifier: Apache-2.0
"""What core functions of scripts call beside fifos: streams, cascades, barriers."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut, StreamGet, StreamPut
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

HEAD = """
import numpy as np
from aie.extras.context import mlir_mod_ctx
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.iron.controlflow import range_

ty = np.ndarray[(8,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_2col)
    def body():
        shim, first, second, third = tile(0, 0), tile(0, 3), tile(1, 3), tile(1, 2)
        x = object_fifo("x", shim, first, 2, ty)
        y = object_fifo("y", third, shim, 2, ty)
        send = external_func("send", inputs=[ty], link_with="send.o")
        take = external_func("take", inputs=[ty], link_with="take.o")
        {links}

        @core(first)
        def one():
            a = x.acquire(ObjectFifoPort.Consume, 1)
            {one}
            x.release(ObjectFifoPort.Consume, 1)

        @core(second)
        def two():
            for i in range_(8):
                {two}

        @core(third)
        def three():
            b = y.acquire(ObjectFifoPort.Produce, 1)
            {three}
            y.release(ObjectFifoPort.Produce, 1)

        @runtime_sequence(ty, ty)
        def sequence(inp, out):
            npu_dma_memcpy_nd("x", 0, inp, sizes=[1, 1, 1, 8])
            npu_dma_memcpy_nd("y", 1, out, sizes=[1, 1, 1, 8])
            dma_wait("y")
print(ctx.module)
"""
CASCADES = {
    "links": "cascade_flow(first, second); cascade_flow(second, third)",
    "one": "for i in range_(8): put_cascade(a[i])",
    "two": "put_cascade(get_cascade(T.i32()) + 10)",
    "three": "for i in range_(8): b[i] = get_cascade(T.i32()) * 2",
}
STREAMS = {
    "links": """flow(first, WireBundle.Core, 0, second, WireBundle.Core, 1)
        flow(second, WireBundle.Core, 0, third, WireBundle.Core, 0)""",
    "one": "for i in range_(8): put_stream(0, a[i])",
    "two": "put_stream(0, get_stream(T.i32(), 1) + 10)",
    "three": "for i in range_(8): b[i] = get_stream(T.i32(), 0) * 2",
}
SENT = np.arange(8, dtype=np.int32) - 3
WANTED = (2 * (SENT + 10)).tolist()


def execute(tmp_path, text, kernels=None, inputs=None):
    path = tmp_path / "script.py"
    path.write_text(text)
    return ScriptArray(path, (), kernels or {}).execute({"arg0": SENT} if inputs is None else inputs)[-1]


@pytest.mark.parametrize("parts", [CASCADES, STREAMS], ids=["cascades", "streams"])
def test_values_go_from_core_to_core(tmp_path, parts):
    found = execute(tmp_path, HEAD.format(**parts))
    assert found.completes
    assert found.hosts["arg1"].tolist() == WANTED
    hung = execute(tmp_path, HEAD.format(**parts | {"links": "pass"}))
    assert not hung.completes
    assert any("waits for" in line and "core of" in line for line in hung.report)


def _sends(wish):
    def send(a):
        for value in a:
            yield wish(int(value))

    return send


def _takes(wish):
    def take(b):
        for n in range(len(b)):
            value = yield wish()
            b[n] = 2 * value

    return take


@pytest.mark.parametrize(
    ("parts", "put", "get"),
    [(CASCADES, CascadePut, CascadeGet), (STREAMS, StreamPut, StreamGet)],
    ids=["cascades", "streams"],
)
def test_stand_ins_of_kernels_use_ports(tmp_path, parts, put, get):
    text = HEAD.format(**parts | {"one": "send(a)", "three": "take(b)"})
    found = execute(tmp_path, text, {"send": _sends(put), "take": _takes(get)})
    assert found.hosts["arg1"].tolist() == WANTED


def test_floats_keep_their_bits(tmp_path):
    parts = {"one": "for i in range_(8): put_stream(0, np.float32(a[i]) / 4)",
             "two": "put_stream(0, get_stream(T.f32(), 1) * 4)",
             "three": "for i in range_(8): b[i] = int(get_stream(T.f32(), 0))"}  # fmt: skip
    assert execute(tmp_path, HEAD.format(**STREAMS | parts)).hosts["arg1"].tolist() == SENT.tolist()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"links": "cascade_flow(second, first)"}, "expected the core to the south or to the east"),
        ({"links": "cascade_flow(first, third)"}, "expected the core to the south or to the east"),
        ({"links": "cascade_flow(shim, third)"}, "expected two core tiles"),
        ({"links": "cascade_flow(first, second); cascade_flow(first, tile(0, 2))"}, "one cascade in and one out"),
        ({"two": "put_stream(0, get_stream(T.i16(), 1))"}, "get_stream of int16: expected a type of 32 bits"),
        ({"two": "put_stream(0, np.int16(1))"}, "put_stream of int16: expected one value of 32 bits"),
    ],
)
def test_what_no_core_has_is_refused(tmp_path, parts, message):
    with pytest.raises(GoldbeatError, match=message):
        execute(tmp_path, HEAD.format(**CASCADES | parts))


def test_plans_have_none_of_it(tmp_path):
    path = tmp_path / "script.py"
    for parts in (CASCADES, STREAMS):
        path.write_text(HEAD.format(**parts))
        with pytest.raises(UsageError, match="are executed"):
            open_fifo_design(path)


IRON = """
import numpy as np
import aie.iron as iron
from aie.iron import Buffer, CascadeFlow, ObjectFifo, Program, Runtime, TaskGroup, Worker, WorkerRuntimeBarrier
from aie.iron.device import NPU2, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")
plus = Buffer(type=np.ndarray[(1,), np.dtype[np.int32]], name="plus", use_write_rtp=True)
barrier = WorkerRuntimeBarrier({initial})

def work(a, b, plus, barrier):
    barrier.wait_for_value(1)
    value = plus[0]
    inp, out = a.acquire(1), b.acquire(1)
    for i in range(8):
        out[i] = inp[i] + value
    a.release(1)
    b.release(1)
    barrier.release_with_value({release})

worker = Worker(work, [x.cons(), y.prod(), plus, {barrier}])

def sequence(inp, out, a, b):
    for number in range(2):
        plus[0] = 10 * (number + 1)
        {set}
        group = TaskGroup()
        a.fill(inp, sizes=[8], strides=[1], offset=8 * number, group=group)
        b.drain(out, sizes=[8], strides=[1], offset=8 * number, wait=True, group=group)
        group.finish()

two = np.ndarray[(16,), np.dtype[np.int32]]
rt = Runtime(sequence, [two, two, x.prod(), y.cons()])
Program(NPU2(), rt, workers=[worker]).resolve_program()
"""
PARTS = {"initial": "", "release": 1, "barrier": "barrier", "set": "barrier.set(1)"}


def test_a_barrier_keeps_a_worker_from_parameters_that_are_not_set(tmp_path):
    data = {"arg0": np.zeros(16, np.int32)}
    found = execute(tmp_path, IRON.format(**PARTS), inputs=data)
    assert found.completes
    assert not found.differing
    assert found.hosts["arg1"].tolist() == [10] * 8 + [20] * 8
    once = PARTS | {"set": "barrier.set(1 if number == 0 else barrier.locks[0].live.value)"}
    assert execute(tmp_path, IRON.format(**once | {"release": 0}), inputs=data).completes  # waiting leaves it at 1
    hung = execute(tmp_path, IRON.format(**once), inputs=data)
    assert not hung.completes
    assert any("to equal 1" in line for line in hung.report)


def test_barriers_that_are_not_those_of_mlir_aie(tmp_path):
    with pytest.raises(GoldbeatError, match="begins with 0"):
        execute(tmp_path, IRON.format(**PARTS | {"initial": "initial_value=1"}))
    with pytest.raises(GoldbeatError, match="no argument of its worker"):
        execute(tmp_path, IRON.format(**PARTS | {"barrier": "WorkerRuntimeBarrier()"}).replace(
            "barrier.wait_for_value", "globals()['barrier'].wait_for_value"))  # fmt: skip


def test_locks_and_channels_of_a_script_are_not_those_of_fifos(tmp_path):
    one = "go.acquire(1); [put_cascade(v) for v in a]"
    parts = CASCADES | {"links": CASCADES["links"] + "; go = lock(first, lock_id=0, init={init})", "one": one}
    assert execute(tmp_path, HEAD.format(**parts | {"links": parts["links"].format(init=1)})).completes
    assert not execute(tmp_path, HEAD.format(**parts | {"links": parts["links"].format(init=0)})).completes
    twice = """pass
        spare = buffer(first, ty, "spare")
        @mem(first)
        def dma(block):
            dma_start("S2MM", 0, dest=block[1], chain=block[2])
            with block[1]:
                dma_bd(spare)
                next_bd(block[1])"""
    with pytest.raises(GoldbeatError, match=r"S2MM 0 of core tile \(0, 3\) is used by fifo x"):
        execute(tmp_path, HEAD.format(**CASCADES | {"links": twice}))


WORKERS = """
import numpy as np
from aie.iron import Buffer, CascadeFlow, ObjectFifo, Program, Runtime, Worker, WorkerRuntimeBarrier
from aie.dialects.aie import get_cascade, put_cascade
from aie.iron.device import NPU2, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")
plus = Buffer(np.ndarray[(1,), np.dtype[np.int32]], name="plus", use_write_rtp=True)
barrier = WorkerRuntimeBarrier()

def first(a, plus, barrier):
    barrier.wait_for_value(1)
    part = a.acquire(1)
    for i in range(8):
        put_cascade(part[i] + plus[0])
    a.release(1)

def second(b):
    part = b.acquire(1)
    for i in range(8):
        part[i] = get_cascade(np.int32)
    b.release(1)

def set_plus(where):
    where[0] = 30

workers = [Worker(first, [x.cons(), plus, barrier], tile=Tile(0, 3), while_true=False),
           Worker(second, [y.prod()], tile=Tile(0, 2), while_true=False)]
{cascade}
rt = Runtime()
with rt.sequence(ty, ty) as (inp, out):
    rt.start(*workers)
    rt.inline_ops(set_plus, [plus])
    rt.set_barrier(barrier, 1)
    rt.fill(x.prod(), inp)
    rt.drain(y.cons(), out, wait=True)
Program(NPU2(), rt).resolve_program()
"""


def test_workers_are_joined_by_cascades_and_the_older_sequence_sets_barriers(tmp_path):
    found = execute(tmp_path, WORKERS.format(cascade="CascadeFlow(workers[0], workers[1])"))
    assert found.completes
    assert not found.differing
    assert found.hosts["arg1"].tolist() == (SENT + 30).tolist()
    with pytest.raises(GoldbeatError, match="to the south or to the east"):
        execute(tmp_path, WORKERS.format(cascade="CascadeFlow(workers[1], workers[0])"))
    with pytest.raises(GoldbeatError, match=r"script.py:16: found element -1 of an object, expected elements 0 to 0"):
        execute(tmp_path, WORKERS.replace("+ plus[0]", "+ plus[-1]").format(cascade="CascadeFlow(*workers)"))
