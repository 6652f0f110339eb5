# SPDX-License-Identifier: Apache-2.0
"""Random legal designs: the plan stays within every limit, and the golden model equals plain indexing."""

import itertools
import math

import numpy as np
import objfifo_numpy as plain
from hypothesis import given, settings
from hypothesis import strategies as st
from objfifo_designs import FAR, MEM, SHIM, make, ty

from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

LIMITS = {"core": (16, 16, 2, 65536), "mem": (48, 64, 6, 524288), "shim": (16, 16, 2, 0)}
MOST = settings(max_examples=40, deadline=None)

depths = st.integers(1, 4)


@st.composite
def permuted(draw, elements):
    """Dims that visit every element once: the factors of the size in any order."""
    factors = []
    rest = elements
    for prime in (2, 3, 5, 7):
        while rest % prime == 0 and len(factors) < 2:
            take = prime ** draw(st.integers(1, 3))
            while rest % take:
                take //= prime
            factors.append(take)
            rest //= take
    factors.append(rest)
    strides = [math.prod(factors[i + 1 :]) for i in range(len(factors))]
    order = draw(st.permutations(range(len(factors))))
    return [(factors[i], strides[i]) for i in order]


def within_limits(found):
    for one in found.tiles:
        bds, locks, channels, memory = LIMITS[one.tile.kind]
        used = [bd.id for c in one.channels for bd in c.bds]
        assert len(used) == len(set(used))
        assert all(0 <= n < bds for n in used)
        assert [k.id for k in one.locks] == list(range(len(one.locks)))
        assert len(one.locks) <= locks
        assert all(0 <= k.initial <= 63 for k in one.locks)
        for direction in ("S2MM", "MM2S"):
            numbers = [c.index for c in one.channels if c.direction == direction]
            assert numbers == list(range(len(numbers)))
            assert len(numbers) <= channels
        spans = sorted((b.address, b.address + b.size) for b in one.buffers)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
        assert not spans or spans[-1][1] <= memory
        for channel in one.channels:
            for bd in channel.bds:
                if one.tile.kind == "mem":
                    assert (bd.id < 24) == (channel.index % 2 == 0)
                place = one.buffer(bd.buffer)
                reach = sum((d.size - 1) * d.step for d in bd.dims) if bd.dims else bd.length - 1
                assert place.address <= bd.base_bytes
                assert bd.base_bytes + 4 * reach < place.address + place.size


@MOST
@given(st.data())
def test_distribute(data):
    lengths = data.draw(st.lists(st.integers(1, 12).map(lambda n: 4 * n), min_size=2, max_size=4))
    times = data.draw(st.integers(1, 3))
    depth = data.draw(st.integers(1, 2))
    dims = [data.draw(st.none() | permuted(n)) for n in lengths]
    walks = [data.draw(st.none() | permuted(n)) for n in lengths]
    legs_depths = [data.draw(st.integers(1, 4)) for _ in lengths]
    offsets = [sum(lengths[:i]) for i in range(len(lengths))]

    def build():
        whole = object_fifo("in", SHIM, MEM, depth, ty(sum(lengths)))
        legs = [
            object_fifo(f"in{i}", MEM, FAR[i], legs_depths[i], ty(n), dims[i], [walks[i] or []])
            for i, n in enumerate(lengths)
        ]
        for leg in legs:
            leg.set_repeat_count(times)
        object_fifo_link(whole, legs, [], offsets)

    x = np.random.default_rng(len(lengths)).integers(-1000, 1000, (4, sum(lengths)), np.int32)
    design = make(build)
    within_limits(plan(design))
    result = run_untimed(design, {"in": x})
    for i, part in enumerate(plain.distribute(x, offsets)):
        wanted = plain.gather(part, dims[i]) if dims[i] else part
        wanted = plain.repeat(wanted, times)
        wanted = plain.scatter(wanted, walks[i]) if walks[i] else wanted
        assert (result.outputs[f"in{i}"] == wanted).all()


@MOST
@given(st.data())
def test_join(data):
    lengths = data.draw(st.lists(st.integers(1, 12).map(lambda n: 4 * n), min_size=2, max_size=4))
    sends = [data.draw(st.none() | permuted(n)) for n in lengths]
    takes = [data.draw(st.none() | permuted(n)) for n in lengths]
    times = data.draw(st.integers(1, 2))
    offsets = [sum(lengths[:i]) for i in range(len(lengths))]
    depth = data.draw(st.integers(1, 2))

    def build():
        whole = object_fifo("out", MEM, SHIM, depth, ty(sum(lengths)))
        whole.set_repeat_count(times)
        legs = [
            object_fifo(f"out{i}", FAR[i], MEM, 2, ty(n), sends[i], [takes[i] or []]) for i, n in enumerate(lengths)
        ]
        object_fifo_link(legs, whole, offsets, [])

    rng = np.random.default_rng(1)
    parts = [rng.integers(-1000, 1000, (3, n), np.int32) for n in lengths]
    design = make(build)
    within_limits(plan(design))
    result = run_untimed(design, {f"out{i}": part for i, part in enumerate(parts)})
    moved = [plain.gather(p, s) if s else p for p, s in zip(parts, sends, strict=True)]
    moved = [plain.scatter(p, t) if t else p for p, t in zip(moved, takes, strict=True)]
    assert (result.outputs["out"] == plain.repeat(plain.join(moved), times)).all()


@MOST
@given(st.data())
def test_forward_chain(data):
    dtype = data.draw(st.sampled_from([np.int8, np.int16, np.int32, np.int64]))
    small = 8 * data.draw(st.integers(1, 8))
    ratio = data.draw(st.integers(1, 4))
    shrink = data.draw(st.booleans())
    first, last = (small * ratio, small) if shrink else (small, small * ratio)
    times = data.draw(st.integers(1, 3))
    inits = data.draw(st.booleans()) and (ratio == 1)
    depth = data.draw(st.integers(1, 3))
    target_depth = data.draw(depths)
    rng = np.random.default_rng(2)
    start = rng.integers(-100, 100, (depth, last)).astype(dtype) if inits else None

    def build():
        a = object_fifo("a", SHIM, MEM, depth, ty(first, dtype=dtype))
        values = None if start is None else list(start)
        b = object_fifo("b", MEM, FAR[0], [depth, target_depth], ty(last, dtype=dtype), initValues=values)
        b.set_repeat_count(times)
        object_fifo_link(a, b)

    x = rng.integers(-100, 100, (2 * ratio, first)).astype(dtype)
    design = make(build)
    within_limits(plan(design))
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    whole = x.reshape(-1, max(first, last))
    whole = whole if start is None else plain.start_with(start, whole)
    wanted = plain.chunks(plain.repeat(whole, times).reshape(-1), last)
    assert (run_untimed(design, {"a": x}).outputs["b"] == wanted).all()


@MOST
@given(st.data())
def test_padding(data):
    rows, cols = data.draw(st.integers(1, 8)), 4 * data.draw(st.integers(1, 6))
    up, down = data.draw(st.integers(0, 31)), data.draw(st.integers(0, 31))
    left, right = (4 * data.draw(st.integers(0, 15)) for _ in range(2))
    size = (rows + up + down, cols + left + right)

    def build():
        a = object_fifo("a", SHIM, MEM, 2, ty(rows, cols, dtype=np.int8))
        kwargs = {"dimensionsToStream": [(rows, cols), (cols, 1)], "padDimensions": [(up, down), (left, right)]}
        b = object_fifo("b", MEM, FAR[0], 2, ty(*size, dtype=np.int8), **kwargs)
        object_fifo_link(a, b)

    x = np.random.default_rng(5).integers(-100, 100, (3, rows * cols)).astype(np.int8)
    design = make(build)
    within_limits(plan(design))
    result = run_untimed(design, {"a": x}).outputs["b"].reshape(3, -1)
    assert (result == plain.pad(x, rows, cols, ((up, down), (left, right)))).all()


@MOST
@given(st.lists(depths, min_size=3, max_size=6), st.integers(1, 3))
def test_broadcast(each, times):
    def build():
        x = object_fifo("x", FAR[0], FAR[1 : len(each)], each, ty(8))
        x.set_repeat_count(times)

    x = np.arange(48, dtype=np.int32).reshape(6, 8)
    design = make(build)
    within_limits(plan(design))
    result = run_untimed(design, {"x": x})
    for i in range(len(each) - 1):
        assert (result.outputs["x" if i == 0 else f"x[{i}]"] == plain.repeat(x, times)).all()
