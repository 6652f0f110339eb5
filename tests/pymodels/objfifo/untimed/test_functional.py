# SPDX-License-Identifier: Apache-2.0
import numpy as np
import objfifo_numpy as plain
import pytest
from objfifo_designs import (
    CONSUME,
    FAR,
    MEM,
    PRODUCE,
    SHIM,
    C,
    distribute,
    forward,
    join,
    make,
    moves,
    one,
    program,
    ty,
)

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo
from goldbeat.pymodels.objfifo.iron.placed import core, object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.iron.program import open_design
from goldbeat.pymodels.objfifo.iron.scope import fresh
from goldbeat.pymodels.objfifo.iron.worker import Kernel, Worker
from goldbeat.pymodels.objfifo.plan.access import ProgramError, range_
from goldbeat.pymodels.objfifo.plan.lower import plan, violations
from goldbeat.pymodels.objfifo.plan.plan import Bd, Dim, Pad
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

RNG = np.random.default_rng(3)


def data(n, elements, dtype=np.int32):
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max, (n, elements), dtype, endpoint=True)


def test_forward():
    x = data(5, 16)
    result = run_untimed(make(forward), {"a": x})
    assert (result.outputs["b"] == x).all()
    assert result.finished


@pytest.mark.parametrize("lengths", [[16, 20, 12], [8, 8], [4, 8, 12, 16, 20]])
def test_distribute(lengths):
    x = data(7, sum(lengths))
    result = run_untimed(make(distribute, lengths), {"in": x})
    offsets = [sum(lengths[:i]) for i in range(len(lengths))]
    for i, wanted in enumerate(plain.distribute(x, offsets)):
        assert (result.outputs[f"in{i}"] == wanted).all()


@pytest.mark.parametrize("lengths", [[16, 20, 12], [8, 8], [4, 8, 12, 16, 20]])
def test_join(lengths):
    legs = [data(6, n) for n in lengths]
    result = run_untimed(make(join, lengths), {f"out{i}": leg for i, leg in enumerate(legs)})
    assert (result.outputs["out"] == plain.join(legs)).all()


def test_join_stops_with_its_shortest_leg():
    legs = [data(6, 8), data(4, 8)]
    result = run_untimed(make(join, [8, 8]), {"out0": legs[0], "out1": legs[1]})
    assert (result.outputs["out"] == plain.join([legs[0][:4], legs[1]])).all()


def test_broadcast():
    x = data(9, 8)
    result = run_untimed(make(lambda: object_fifo("x", FAR[0], FAR[1:4], [2, 2, 3, 4], ty(8))), {"x": x})
    assert all((result.outputs[name] == x).all() for name in ("x", "x[1]", "x[2]"))


@pytest.mark.parametrize("where", ["to", "from"])
def test_transpose(where):
    x = data(4, 24)
    dims = [(8, 1), (3, 8)]
    back = [(3, 8), (8, 1)]

    def build():
        target = FAR[0]
        kwargs = {"dimensionsToStream": dims} if where == "to" else {"dimensionsFromStreamPerConsumer": [dims]}
        forward(24, target=target, **kwargs)

    result = run_untimed(make(build), {"a": x}).outputs["b"]
    wanted = plain.gather(x, dims) if where == "to" else plain.scatter(x, dims)
    assert (result == wanted).all()
    assert (
        wanted == (x.reshape(-1, 3, 8) if where == "to" else x.reshape(-1, 8, 3)).transpose(0, 2, 1).reshape(-1, 24)
    ).all()
    assert (plain.gather(plain.scatter(x, dims), dims) == x).all()
    assert (plain.gather(x, back) == x).all()


def test_padding():
    x = data(3, 61 * 56, np.int8)
    kwargs = {"dimensionsToStream": [(61, 56), (56, 1)], "padDimensions": [(2, 1), (4, 4)]}
    design = make(lambda: forward((61, 56), (64, 64), dtype=np.int8, **kwargs))
    result = run_untimed(design, {"a": x}).outputs["b"]
    assert (result.reshape(3, -1) == plain.pad(x, 61, 56, ((2, 1), (4, 4)))).all()


def test_padding_with_a_value():
    x = np.arange(16, dtype=np.int16)
    kwargs = {"dimensionsToStream": [(4, 2), (2, 1)], "padDimensions": [(1, 2), (2, 4)], "padValue": -3}
    result = run_untimed(make(lambda: forward(8, 56, dtype=np.int16, **kwargs)), {"a": x}).outputs["b"]
    assert (result.reshape(2, -1) == plain.pad(x.reshape(2, -1), 4, 2, ((1, 2), (2, 4)), -3)).all()


def test_padding_of_the_middle_dim():
    x = data(2, 64)
    kwargs = {"dimensionsToStream": [(2, 32), (4, 8), (8, 1)], "padDimensions": [(0, 0), (1, 2), (3, 0)]}
    result = run_untimed(make(lambda: forward(64, 2 * 7 * 11, **kwargs)), {"a": x}).outputs["b"]
    wanted = np.pad(x.reshape(2, 2, 4, 8), ((0, 0), (0, 0), (1, 2), (3, 0)))
    assert (result == wanted.reshape(2, -1)).all()


@pytest.mark.parametrize("times", [1, 2, 5])
def test_repeat(times):
    x = data(5, 8)

    def build():
        _, b = forward(8)
        b.set_repeat_count(times)

    assert (run_untimed(make(build), {"a": x}).outputs["b"] == plain.repeat(x, times)).all()


def test_repeat_of_a_core():
    x = data(5, 8)

    def build():
        object_fifo("x", FAR[0], FAR[1], 2, ty(8)).set_repeat_count(3)

    assert (run_untimed(make(build), {"x": x}).outputs["x"] == plain.repeat(x, 3)).all()


def test_repeat_of_a_distribute():
    x = data(4, 16)

    def build():
        for leg in distribute([8, 8])[1]:
            leg.set_repeat_count(3)

    result = run_untimed(make(build), {"in": x})
    for i, wanted in enumerate(plain.distribute(x, [0, 8])):
        assert (result.outputs[f"in{i}"] == plain.repeat(wanted, 3)).all()


@pytest.mark.parametrize("times", [1, 2])
def test_init_values_of_a_link(times):
    first, x = data(2, 8), data(4, 8)

    def build():
        _, b = forward(8, initValues=list(first))
        b.set_repeat_count(times)

    wanted = plain.repeat(plain.start_with(first, x), times)
    assert (run_untimed(make(build), {"a": x}).outputs["b"] == wanted).all()


def test_init_values_of_a_core():
    first, x = data(3, 8), data(4, 8)
    design = make(lambda: object_fifo("x", FAR[0], FAR[1], 3, ty(8), initValues=list(first)))
    assert (run_untimed(design, {"x": x}).outputs["x"] == plain.start_with(first, x)).all()


@pytest.mark.parametrize("times", [None, 1, 3])
def test_init_values_that_a_memory_tile_sends_again(times):
    first = data(2, 8)
    design = make(lambda: object_fifo("x", MEM, FAR[0], 2, ty(8), initValues=list(first), iter_count=times))
    # Locks let a ring go round once; one that counts its rounds needs none (mlir-aie since May 2026).
    assert bool(plan(design).tile(MEM).locks) == (times != 3)
    assert (run_untimed(design).outputs["x"] == np.tile(first, (times or 1, 1))).all()


@pytest.mark.parametrize(("first", "last"), [(256, 64), (64, 256), (32, 96)])
def test_rechunk(first, last):
    x = data(9, first)
    result = run_untimed(make(forward, first, last), {"a": x}).outputs["b"]
    moved = x.reshape(-1)[: x.size // max(first, last) * max(first, last)]
    assert (result == plain.chunks(moved, last)).all()


def test_rechunk_of_a_leg():
    x = data(4, 32)

    def build():
        whole = object_fifo("in", SHIM, MEM, 2, ty(32))
        legs = [object_fifo("in0", MEM, FAR[0], 2, ty(8)), object_fifo("in1", MEM, FAR[1], 2, ty(16))]
        object_fifo_link(whole, legs, [], [0, 16], rechunk=True)

    result = run_untimed(make(build), {"in": x})
    parts = plain.distribute(x, [0, 16])
    assert (result.outputs["in0"] == plain.chunks(parts[0].reshape(-1), 8)).all()
    assert (result.outputs["in1"] == parts[1]).all()


def test_chain():
    x = data(6, 48)

    def build():
        a, b = object_fifo("a", SHIM, MEM, 2, ty(48)), object_fifo("b", MEM, C[0], 2, ty(48), [(6, 1), (8, 6)])
        object_fifo_link(a, b)
        c, d = object_fifo("c", C[0], FAR[1], 2, ty(48)), object_fifo("d", FAR[1], SHIM, 3, ty(48))

        @core(C[0])
        def negate():
            for _ in range(6):
                source, target = b.acquire(CONSUME, 1), c.acquire(PRODUCE, 1)
                target[:] = -source
                b.release(CONSUME, 1)
                c.release(PRODUCE, 1)

        @core(FAR[1])
        def add():
            for _ in range(6):
                source, target = c.acquire(CONSUME, 1), d.acquire(PRODUCE, 1)
                target[:] = source + 1
                c.release(CONSUME, 1)
                d.release(PRODUCE, 1)

    wanted = 1 - plain.gather(x, [(6, 1), (8, 6)])
    assert (run_untimed(make(build), {"a": x}).outputs["d"] == wanted).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.float32, np.float64, np.complex64])
def test_element_types(dtype):
    x = data(4, 48).astype(np.int8).astype(dtype).reshape(4, 6, 8)
    dims = [(2, 24), (3, 8), (8, 1)] if np.dtype(dtype).itemsize < 4 else [(2, 4), (4, 1), (6, 8)]
    result = run_untimed(make(lambda: forward((6, 8), dtype=dtype, dimensionsToStream=dims)), {"a": x}).outputs["b"]
    assert result.dtype == dtype
    assert (result.reshape(4, -1) == plain.gather(x.reshape(4, -1), dims)).all()


def test_sliding_window():
    x = data(6, 4)
    seen = []

    def build():
        a = object_fifo("a", FAR[0], FAR[1], 3, ty(4))

        @core(FAR[1])
        def slide():
            for _ in range(5):
                seen.append(np.array(a.acquire(CONSUME, 2)))
                a.release(CONSUME, 1)

    result = run_untimed(make(build), {"a": x})
    recorded = [s for s in seen if s.any()]
    assert (np.array(recorded) == np.stack([x[:-1], x[1:]], axis=1)).all()
    assert result.finished


def test_shared_memory():
    x = data(6, 4)

    def build():
        a, b = object_fifo("a", SHIM, C[0], 2, ty(4)), object_fifo("b", C[0], C[1], 2, ty(4))

        @core(C[0])
        def copy():
            for _ in range(6):
                b.acquire(PRODUCE, 1)[:] = a.acquire(CONSUME, 1) * 2
                a.release(CONSUME, 1)
                b.release(PRODUCE, 1)

        program(C[1], *one(b, CONSUME), times=6)

    design = make(build)
    assert plan(design).fifo("b").shared
    assert run_untimed(design, {"a": x}).finished


def test_worker_and_kernel():
    with fresh() as scope:
        scale = Kernel("scale", "scale.o", [ty(8), ty(8)])
        x, y = ObjectFifo(ty(8), name="x"), ObjectFifo(ty(8), name="y")

        def body(source, target, kernel):
            kernel(source.acquire(1), target.acquire(1))
            source.release(1)
            target.release(1)

        def feed(target):
            target.acquire(1)[:] = 7
            target.release(1)

        def take(source):
            found.append(source.acquire(1).copy())
            source.release(1)

        found = []
        Worker(feed, [x.prod()])
        Worker(body, [x.cons(), y.prod(), scale])
        Worker(take, [y.cons()])
        design = open_design(scope)
    scale.model = lambda source, target: np.multiply(source, 3, out=target)
    run_untimed(design, iterations=3)
    assert [f.tolist() for f in found if f.any()] == [[21] * 8] * 3


def test_errors_of_a_program_come_through():
    def build():
        x = object_fifo("x", C[0], C[1], 2, ty(8))

        @core(C[1])
        def bad():
            if x.acquire(CONSUME, 1).any():
                raise ZeroDivisionError("mine")
            x.release(CONSUME, 1)

        program(C[0], *one(x, PRODUCE))

    def loud():
        x = object_fifo("x", FAR[0], C[1], 2, ty(8))

        @core(C[1])
        def bad():
            if x.acquire(CONSUME, 1).any():
                raise ZeroDivisionError("mine")
            x.release(CONSUME, 1)

    assert run_untimed(make(build)).finished
    # Its own error is the cause of a typed one that says where.
    with pytest.raises(
        ProgramError, match=r"test_functional.py:\d+: found ZeroDivisionError: mine in core of"
    ) as caught:
        run_untimed(make(loud), {"x": np.ones(8, np.int32)})
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_loop_without_end_makes_the_passes_asked_for():
    """Nothing stops this core but the number of passes."""

    def build():
        x = object_fifo("x", C[0], C[0], 2, ty(8))

        @core(C[0])
        def own():
            for n in range_(2**31 - 1):
                for port in (PRODUCE, CONSUME):
                    x.acquire(port, 1)[:] = n
                    x.release(port, 1)

    assert len(run_untimed(make(build)).produced["x"]) == 8
    result = run_untimed(make(build), iterations=5)
    assert result.finished
    assert result.produced["x"].reshape(5, 8)[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_an_error_of_a_program_with_zeros_is_typed():
    def build():
        x = object_fifo("x", FAR[0], C[1], 2, ty(8))

        @core(C[1])
        def bad():
            x.acquire(CONSUME, 1)
            raise KeyError("mine")

    with pytest.raises(ProgramError, match="objects of zeros"):
        violations(make(build))


def test_inputs_that_do_not_fit():
    with pytest.raises(UsageError, match="nobody"):
        run_untimed(make(forward), {"nobody": np.zeros(16, np.int32)})
    with pytest.raises(InputError, match="float64"):
        run_untimed(make(forward), {"a": np.full(16, 0.5)})
    with pytest.raises(InputError, match="multiple of 8"):
        run_untimed(make(lambda: object_fifo("x", FAR[0], FAR[1], 2, ty(8))), {"x": np.zeros(9, np.int32)})

    def hosted():
        a, b = object_fifo("a", SHIM, MEM, 2, ty(8)), object_fifo("b", MEM, SHIM, 2, ty(8))
        object_fifo_link(a, b)
        moves((a, 16), (b, 16))

    with pytest.raises(InputError, match="expected 16"):
        run_untimed(make(hosted), {"arg0": np.zeros(8, np.int32)})
    x = data(1, 16)[0]
    result = run_untimed(make(hosted), {"arg0": x})
    assert (result.hosts["arg1"] == x).all()
    assert result.finished


def test_a_hang_is_reported():
    def build():
        x = object_fifo("x", C[0], SHIM, 2, ty(8))
        program(C[0], *one(x, PRODUCE), times=2)
        moves((x, 24))

    result = run_untimed(make(build))
    assert not result.finished
    assert result.locks["tile_0_2", "x_prod_lock_0"] == 2


def test_walk_of_a_descriptor():
    assert bd_addresses(Bd(0, "b", 16, 3)).tolist() == [4, 5, 6]
    dims = (Dim(2, 3), Dim(2, 10))
    assert bd_addresses(Bd(0, "b", 0, 4, dims)).tolist() == [0, 3, 10, 13]
    # The outermost dimension goes on until the length ends it.
    assert bd_addresses(Bd(0, "b", 0, 6, dims)).tolist() == [0, 3, 10, 13, 20, 23]
    padded = bd_addresses(Bd(0, "b", 40, 12, dims, padding=(Pad(1, 1), Pad(0, 1))))
    assert padded.tolist() == [-1, 10, 13, -1, -1, 20, 23, -1, -1, -1, -1, -1]
