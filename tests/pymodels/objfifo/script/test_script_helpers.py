# SPDX-License-Identifier: Apache-2.0
"""Names of helper modules in scripts: algorithms, loops that carry values, slices, pinned ends, kernels with locks."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern, TensorTiler2D
from goldbeat.pymodels.objfifo.iron.ops import ARITH
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.script import host_helpers
from goldbeat.pymodels.objfifo.script.helper_names import carried_range, carry_on
from goldbeat.pymodels.objfifo.script.kernel_library import KernelLibrary
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

HEAD = """
import numpy as np
import aie.iron as iron
from aie.iron import In, InOut, Kernel, ObjectFifo, Out, Program, Runtime, Worker
from aie.iron.device import NPU1Col1, Tile
from aie.utils.verify import assert_pass
ty = np.ndarray[(32,), np.dtype[np.int32]]
part = np.ndarray[(8,), np.dtype[np.int32]]
"""
X = np.arange(32, dtype=np.int32)


@pytest.fixture
def run(tmp_path):
    def execute(text, inputs=None, kernels=None, **options):
        path = tmp_path / "design.py"
        path.write_text(HEAD + text)
        return ScriptArray(path, [], kernels or {}).execute(inputs, **options)[-1]

    return execute


ALGORITHMS = """
from aie.iron.algorithms import for_each, reduce, transform_parallel, transform_parallel_binary
from aie.utils.benchmark import print_benchmark, run_iters

@iron.jit
def squares(a: In, b: Out):
    return transform_parallel(lambda x: x * x, ty, tile_size=4)

@iron.jit
def sums(a: In, b: In, c: Out):
    return transform_parallel_binary(lambda x, y: x + y, ty, tile_size=2, num_channels=2)

@iron.jit
def more(a: InOut):
    return for_each(lambda x: x + 1, ty, tile_size=8)

@iron.jit
def largest(a: In, b: Out):
    return reduce(Kernel("largest", "k.o", [ty, part]), ty, np.ndarray[(1,), np.dtype[np.int32]])

a, b = iron.arange(32, dtype=np.int32), iron.zeros(32, dtype=np.int32)
c, one = iron.full(32, 5, dtype=np.int32), iron.zeros(1, dtype=np.int32)
print_benchmark(run_iters(squares, a, b, warmup=2, iters=3))
assert_pass(b.numpy(), np.arange(32) ** 2)
sums(a, c, b)
assert_pass(b.numpy(), np.arange(32) + 5)
run_iters(more, c, warmup=1, iters=2)
assert_pass(c.numpy(), np.full(32, 8))
largest(a, one)
assert_pass(one.numpy(), [31])
iron.jit(is_placed=False)(transform_parallel)(lambda x: 3 * x, a, b, tile_size=4)
assert_pass(b.numpy(), 3 * np.arange(32))
"""


def test_algorithms(run):
    found = run(ALGORITHMS, kernels={"largest": lambda data, result, size: result.__setitem__(0, data[:size].max())})
    assert found.completes
    sent = [n for name, n in found.words.items() if name.startswith("MM2S") and "shim" in name]
    assert sent == [8, 8, 8, 8]


def test_an_array_that_does_not_divide(run):
    with pytest.raises(UsageError, match="32 elements for 4 workers: the number must be a multiple of tile size 3"):
        run(ALGORITHMS.replace("ty, tile_size=4)", "ty, tile_size=3)"))


CARRIED = """
from aie.iron.controlflow import range_, yield_
from aie.extras.dialects.arith import constant
from aie.helpers.dialects.scf import if_
from aie.helpers.dialects.func import func

@func
def halve(source, target, size: np.int32):
    for i in range_(size):
        target[i] = source[i] // constant(np.int32, 2)

x, y = ObjectFifo(part, name="x"), ObjectFifo(part, name="y")

def work(x, y):
    a, b = x.acquire(1), y.acquire(1)
    halve(a, b, 8)
    x.release(1)
    y.release(1)

def sequence(inp, out, fill, drain):
    with if_(constant(True)):
        whole = drain.drain(out, sizes=[1, 1, 4, 8], strides=[0, 0, 8, 1], wait=True, managed=False)
        first = fill.fill(inp[24:], wait=True, managed=False) if False else fill.fill(
            inp, sizes=[1, 1, 1, 8], strides=[0, 0, 0, 1], offset=24, wait=True, managed=False)
        last = first
        for n, before, last in range_(1, 4, iter_args=[first], insert_yield=False):
            now = fill.fill(inp, tap=inp[24 - 8 * n : 32 - 8 * n], wait=True, managed=False)
            before.await_()
            before.free()
            yield_([now])
        last.await_()
        whole.await_()

rt = Runtime(sequence, [ty, ty, x.prod(), y.cons()])
print(Program(NPU1Col1(), rt, workers=[Worker(work, [x.cons(), y.prod()])]).resolve_program())
"""


def test_loops_that_carry_tasks(run):
    found = run(CARRIED, {"arg0": X})
    assert found.completes
    np.testing.assert_array_equal(found.hosts["arg1"], X.reshape(4, 8)[::-1].reshape(-1) // 2)


def test_what_a_loop_carries():
    seen = []
    for number, (a, b), results in carried_range(3, iter_args=[[1], [2]]):
        seen.append((number, a, b))
        first, second = results
        carry_on([[*a, number], [*b, a[-1]]])
    assert seen == [(0, [1], [2]), (1, [1, 0], [2, 1]), (2, [1, 0, 1], [2, 1, 0])]
    assert first.value == [1, 0, 1, 2]
    assert second.value == [2, 1, 0, 1]
    assert list(carried_range(2, 8, 3)) == [2, 5]
    carry_on([])


def test_a_task_that_was_awaited_already(run):
    assert not run(CARRIED.replace("        whole.await_()", "        last.await_()"), {"arg0": X}).completes


KEPT = """
from aie.iron.controlflow import range_
from aie.iron.dataflow.endpoint import ObjectFifoEndpoint

w = ObjectFifo(part, depth=1, name="w", init_values=[np.arange(100, 108, dtype=np.int32)])
w.prod().endpoint = ObjectFifoEndpoint(Tile(0, 1))
y = ObjectFifo(part, name="y")

def work(w, y):
    a = w.acquire(1)
    for _ in range_(2):
        b = y.acquire(1)
        for i in range_(8):
            b[i] = a[i]
        y.release(1)
    w.release(1)

rt = Runtime(lambda out, drain: drain.drain(out, wait=True), [np.ndarray[(16,), np.dtype[np.int32]], y.cons()])
print(Program(NPU1Col1(), rt, workers=[Worker(work, [w.cons(), y.prod()])]).resolve_program())
"""


def test_initial_values_that_nobody_replaces_are_sent_for_each_run(run):
    found = run(KEPT, runs=3)
    assert found.completes
    np.testing.assert_array_equal(found.hosts["arg0"], np.tile(np.arange(100, 108), 2))
    assert found.remarks == ("the initial values of w are sent again; older compilers send them once",)


OWN_TURNS = """
from aie.extras.context import mlir_mod_ctx
from aie.dialects.aie import *
from aie.dialects.aiex import *
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_4col)
    def body():
        shim, core_tile = tile(3, 0), tile(3, 2)
        x = object_fifo("x", shim, core_tile, 3, part)
        y = object_fifo("y", core_tile, shim, 2, part)
        kernel = external_func("kernel", inputs=[part, part, part, part, part, T.index(), T.index(), T.index(), T.index()])

        @core(core_tile, "kernel.o")
        def work():
            kernel(*(x.get_buffer(n) for n in range(3)), *(y.get_buffer(n) for n in range(LAST)),
                   *x.get_lock(ObjectFifoPort.Consume), *y.get_lock(ObjectFifoPort.Produce))

        @runtime_sequence(ty, ty)
        def sequence(inp, out):
            npu_dma_memcpy_nd(metadata=x, bd_id=0, mem=inp, sizes=[1, 1, 1, 32])
            npu_dma_memcpy_nd(metadata=y, bd_id=1, mem=out, sizes=[1, 1, 1, 32])
            dma_wait(y)
print(ctx.module)
"""


def own_turns(x0, x1, x2, y0, y1, full, free, room, done):
    for turn in range(4):
        full.acquire()
        room.acquire(1)
        (y0, y1)[turn % 2][:] = (x0, x1, x2)[turn % 3] - 1
        free.release(1)
        done.release()


def test_a_kernel_that_uses_locks_and_buffers_by_itself(run):
    found = run(OWN_TURNS.replace("LAST", "2"), {"arg0": X}, {"kernel": own_turns})
    assert found.completes
    np.testing.assert_array_equal(found.hosts["arg1"], X - 1)


def test_an_object_that_is_not_there(run):
    with pytest.raises(UsageError, match="y: object 2, there are 2"):
        run(OWN_TURNS.replace("LAST", "3"), {"arg0": X}, {"kernel": own_turns})


def test_such_a_kernel_is_executed_and_not_planned(tmp_path):
    path = tmp_path / "design.py"
    path.write_text(HEAD + OWN_TURNS.replace("LAST", "2"))
    with pytest.raises((UsageError, InputError), match="get_buffer and get_lock are executed"):
        open_fifo_design(path, []).cores[0].body()


def test_patterns_of_slices():
    dims, data = (4, 6, 8), np.arange(4 * 6 * 8).reshape(4, 6, 8)
    for key in (np.s_[1::2, ::3, ...], np.s_[..., 2:6], np.s_[3], np.s_[1, 2, 3], np.s_[...]):
        one = TensorAccessPattern.from_slice(dims, key)
        at = one.offset + sum(i * s for i, s in zip(np.indices(one.sizes), one.strides, strict=True))
        np.testing.assert_array_equal(at.reshape(-1), data[key].reshape(-1))
        order = one.access_order()
        assert order.shape == dims
        np.testing.assert_array_equal(order[key].reshape(-1), np.arange(at.size))
        assert (order >= 0).sum() == at.size


@pytest.mark.parametrize("key", [np.s_[::-1], np.s_[2:2]])
def test_slices_that_are_no_walk(key):
    with pytest.raises(ValueError, match="is no walk forwards"):
        TensorAccessPattern.from_slice((4, 8), key)


def test_the_order_of_tiles():
    tiles = TensorTiler2D.simple_tiler((4, 4), (2, 2))
    wanted = [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    assert tiles.access_order().tolist() == wanted


def test_a_kernel_of_another_tile_size(run):
    text = """
from aie.iron.algorithms import transform
@iron.jit
def design(a: In, b: Out):
    return transform(Kernel("k", "k.o", [part, part, np.int32]), ty, tile_size=4)
design(iron.zeros(32, dtype=np.int32), iron.zeros(32, dtype=np.int32))
"""
    with pytest.raises(UsageError, match="tile_size 4 does not match the 8 elements of k"):
        run(text, kernels={"k": lambda *_: None})


def test_initial_values_that_nobody_makes(run):
    found = run("""
from aie.iron.dataflow.endpoint import ObjectFifoEndpoint
from aie.iron.device import AnyMemTile
from aie.iron.controlflow import range_
values = ObjectFifo(part, depth=1, name="values", init_values=[np.arange(1, 9, dtype=np.int32)])
values.prod().endpoint = ObjectFifoEndpoint(AnyMemTile)
out = ObjectFifo(part, name="out")
def copy(source, target):
    for _ in range_(1):
        target.acquire(1)[:] = source.acquire(1)
        source.release(1)
        target.release(1)
worker = Worker(copy, [values.cons(), out.prod()])
runtime = Runtime(lambda a, handle: handle.drain(a, wait=True), [part, out.cons()])
Program(NPU1Col1(), runtime, workers=[worker]).resolve_program()
""")
    np.testing.assert_array_equal(found.hosts["arg0"], np.arange(1, 9))


def test_a_length_that_sizes_do_not_have(run):
    text = """
f = ObjectFifo(part, name="f")
g = f.cons().forward(name="g")
def sequence(a, b, first, last):
    first.fill(a, sizes=[1, 4, 1, 8], strides=[0, 8, 0, 1], offset=0, transfer_len={length})
    last.drain(b, wait=True)
Program(NPU1Col1(), Runtime(sequence, [ty, ty, f.prod(), g.cons()])).resolve_program()
"""
    np.testing.assert_array_equal(run(text.format(length=32), {"arg0": X}).hosts["arg1"], X)
    with pytest.raises(UsageError, match="transfer_len=8, expected 32, as sizes say"):
        run(text.format(length=8), {"arg0": X})


def test_orders_of_convolutions():
    shaper, data = host_helpers.DataShaper(), np.arange(16 * 2 * 3).reshape(16, 2, 3)
    blocks = data.reshape(2, 8, 2, 3).transpose(2, 0, 3, 1)
    np.testing.assert_array_equal(shaper.reorder_mat(data, "YCXC8", "CYX"), blocks.reshape(-1))
    np.testing.assert_array_equal(shaper.reorder_mat(blocks, "CYX", "YCXC8"), data.reshape(-1))
    with pytest.raises(UsageError, match="found 16 elements of C, expected a multiple of 5"):
        shaper.reorder_mat(data, "YCXC5", "CYX")
    with pytest.raises(UsageError, match="expected letters and sizes"):
        shaper.reorder_mat(data, "YCXZ", "CYX")


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("divsi", (np.int32(-7), np.int32(2)), -3),
        ("divsi", (7, -2), -3),
        ("remsi", (np.int32(-7), np.int32(2)), -1),
        ("extsi", (np.int64, np.int8(-1)), -1),
        ("shrsi", (-8, 1), -4),
        ("maxsi", (-1, 2), 2),
    ],
)
def test_whole_numbers_of_mlir(name, given, wanted):
    found = ARITH[name](*given)
    assert found == wanted
    assert name != "extsi" or found.dtype == np.int64


def test_powers_of_two_with_a_floor():
    source, target = np.array([-500, -1, 3, 200], np.float32), np.zeros(4, np.float32)
    KernelLibrary().exp2f_vec(tile_size=16, min_x=-4.0).library_model(source, target, 4)
    np.testing.assert_array_equal(target, np.array([1 / 16, 0.5, 8, np.inf], np.float32))
