# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, C, distribute, forward, join, make, one, program, ty

from goldbeat.pymodels.objfifo.iron.placed import object_fifo
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.plan import Dim, Direction, LockUse, Pad, Task
from goldbeat.pymodels.objfifo.plan.rules import RuleError


def ring(found, tile, direction, index=0):
    """(buffer, offset in words, length) of each descriptor of a channel."""
    one_tile = found.tile(tile)
    channel = one_tile.channel(direction, index)
    ids = [bd.id for bd in channel.bds]
    assert [bd.next for bd in channel.bds] == ids[1:] + ids[:1]
    assert channel.queue == (Task(ids[0]),)
    return [(bd.buffer, bd.base_words - one_tile.buffer(bd.buffer).address // 4, bd.length) for bd in channel.bds]


def test_1_distribute():
    found = plan(make(distribute, [16, 20, 12], [0, 16, 36]))
    mem = found.tile(MEM)
    assert [k.initial for k in mem.locks] == [2, 0] * 3
    pool = found.pool("in_cons")
    assert [(s.offset, s.length, s.leg) for s in pool.segments] == [(0, 16, "in0"), (16, 20, "in1"), (36, 12, "in2")]
    parts = [(0, 16), (16, 20), (36, 12)]
    b = ["in_cons_buff_0", "in_cons_buff_1"]
    assert ring(found, MEM, Direction.S2MM) == [(n, *p) for n in b for p in parts]
    fill = mem.channel(Direction.S2MM, 0).bds
    assert [(bd.acquire, bd.release) for bd in fill] == [
        (LockUse(2 * s, 1), LockUse(2 * s + 1, 1)) for s in (0, 1, 2)
    ] * 2
    for i, part in enumerate(parts):
        assert ring(found, MEM, Direction.MM2S, i) == [(n, *part) for n in b]
        for bd in mem.channel(Direction.MM2S, i).bds:
            assert (bd.acquire, bd.release) == (LockUse(2 * i + 1, 1), LockUse(2 * i, 1))


def test_2_join():
    found = plan(make(join, [16, 20, 12], [0, 16, 36]))
    mem = found.tile(MEM)
    assert [k.initial for k in mem.locks] == [2, 0] * 3
    parts = [(0, 16), (16, 20), (36, 12)]
    b = ["out_buff_0", "out_buff_1"]
    assert ring(found, MEM, Direction.MM2S) == [(n, *p) for n in b for p in parts]
    for i, part in enumerate(parts):
        assert ring(found, MEM, Direction.S2MM, i) == [(n, *part) for n in b]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_3_plain(depth):
    found = plan(make(lambda: object_fifo("x", FAR[0], FAR[1], depth, ty(8))))
    for tile, direction, name in ((FAR[0], Direction.MM2S, "x"), (FAR[1], Direction.S2MM, "x_cons")):
        assert [k.initial for k in found.tile(tile).locks] == [depth, 0]
        assert ring(found, tile, direction) == [(f"{name}_buff_{i}", 0, 8) for i in range(depth)]


def test_4_broadcast():
    found = plan(make(lambda: object_fifo("x", FAR[0], FAR[1:4], [2, 2, 3, 4], ty(8))))
    assert len(found.flows) == 1
    assert [d.tile for d in found.flows[0].dests] == FAR[1:4]
    assert [c.name for c in found.tile(FAR[0]).channels] == ["MM2S 0"]
    assert len(ring(found, FAR[0], Direction.MM2S)) == 2
    for tile, depth in zip(FAR[1:4], (2, 3, 4), strict=True):
        assert len(ring(found, tile, Direction.S2MM)) == depth
        assert found.tile(tile).locks[0].initial == depth


@pytest.mark.parametrize("r", [2, 3, 8])
def test_5_repeat(r):
    def build():
        forward(8)[1].set_repeat_count(r)

    found = plan(make(build))
    mem = found.tile(MEM)
    assert [k.initial for k in mem.locks] == [2 * r, 0]
    fill, drain = mem.channel(Direction.S2MM, 0).bds, mem.channel(Direction.MM2S, 0).bds
    assert [(bd.acquire, bd.release) for bd in fill] == [(LockUse(0, r), LockUse(1, r))] * 2
    assert len(drain) == 2 * r
    assert [bd.buffer for bd in drain] == ["a_cons_buff_0"] * r + ["a_cons_buff_1"] * r
    assert {(bd.acquire, bd.release) for bd in drain} == {(LockUse(1, 1), LockUse(0, 1))}


def test_6_padding():
    kwargs = {"dimensionsToStream": [(61, 56), (56, 1)], "padDimensions": [(2, 1), (4, 4)]}
    found = plan(make(lambda: forward((61, 56), (64, 64), dtype=np.int8, **kwargs)))
    bds = found.tile(MEM).channel(Direction.MM2S, 0).bds
    assert [bd.length * 4 for bd in bds] == [4096, 4096]
    assert all(bd.dims == (Dim(14, 1), Dim(61, 14)) and bd.padding == (Pad(1, 1), Pad(2, 1)) for bd in bds)
    assert [bd.length for bd in found.tile(MEM).channel(Direction.S2MM, 0).bds] == [61 * 56 // 4] * 2
    assert found.links[0].pool == "a_cons"


@pytest.mark.parametrize(("depth", "r"), [(1, 1), (2, 1), (3, 4)])
def test_7_init_values(depth, r):
    values = [np.full(8, i) for i in range(depth)]

    def build():
        forward(8, depth=depth, initValues=values)[1].set_repeat_count(r)

    found = plan(make(build))
    mem = found.tile(MEM)
    assert [k.initial for k in mem.locks] == [0, depth * r]
    assert [b.initial for b in mem.buffers] == [(i,) * 8 for i in range(depth)]
    assert found.links[0].pool == "b"
    assert mem.channel(Direction.MM2S, 0).bds[0].buffer == "b_buff_0"


def test_8_offsets_that_fall():
    design = make(distribute, [128, 128], [128, 0])
    with pytest.raises(RuleError, match="-128") as caught:
        plan(design)
    assert caught.value.rule == "offsets-sorted"
    lax = plan(design, strict=False)
    assert [s.length for s in lax.pool("in_cons").segments] == [-128, 256]


def test_timing_free_facts_of_depth():
    """One number: a core with a program gets its largest acquire and one more; a list is literal."""

    def build(depth, most):
        x = object_fifo("x", FAR[0], FAR[1], depth, ty(8))
        program(FAR[1], (x, CONSUME, most), (x, CONSUME, -most))

    def sizes(depth, most):
        found = plan(make(build, depth, most))
        return found.pool("x").depth, found.pool("x_cons").depth

    assert sizes(4, 1) == (4, 2)
    assert sizes(4, 3) == (4, 4)
    assert sizes(4, 4) == (4, 5)
    assert sizes(1, 1) == (1, 1)
    assert sizes([4, 4], 1) == (4, 4)


def test_shared_memory_and_its_side():
    def build(producer, consumer, **kwargs):
        object_fifo("x", producer, consumer, 3, ty(8), **kwargs)

    north, south, west, east = C[1], C[0], FAR[0], FAR[1]
    assert north.reaches(south)
    assert south.reaches(north)
    for producer, consumer, home in ((north, south, north), (south, south, south)):
        found = plan(make(build, producer, consumer))
        assert found.fifo("x").shared
        assert found.pool("x").tile == home
        assert found.flows == ()
        assert [k.initial for k in found.tile(home).locks] == [3, 0]
    neighbours = (type(west)(3, 2, west.kind), type(west)(4, 2, west.kind))
    # Only the core to the east reaches the other one's memory.
    assert plan(make(build, *neighbours)).pool("x").tile == neighbours[0]
    assert plan(make(build, *reversed(neighbours))).pool("x").tile == neighbours[0]
    assert not plan(make(build, west, east)).fifo("x").shared
    assert not plan(make(lambda: build(north, south, via_DMA=True))).fifo("x").shared
    assert not plan(make(lambda: build(north, south, dimensionsToStream=[(8, 1)]))).fifo("x").shared


def test_allocation_follows_the_order_of_declaration():
    found = plan(make(lambda: (distribute([8, 8, 8]), join([8, 8, 8]))))
    mem = found.tile(MEM)
    assert [(c.name, c.fifo, [bd.id for bd in c.bds]) for c in mem.channels] == [
        ("S2MM 0", "in", [0, 1, 2, 3, 4, 5]),
        ("MM2S 0", "in0", [6, 7]),
        ("MM2S 1", "in1", [24, 25]),
        ("MM2S 2", "in2", [8, 9]),
        ("MM2S 3", "out", [26, 27, 28, 29, 30, 31]),
        ("S2MM 1", "out0", [32, 33]),
        ("S2MM 2", "out1", [10, 11]),
        ("S2MM 3", "out2", [34, 35]),
    ]
    assert [k.id for k in mem.locks] == list(range(12))
    assert [k.name for k in mem.locks[:3]] == ["in_cons_prod_lock_0", "in_cons_cons_lock_0", "in_cons_prod_lock_1"]


def test_iterations_end_the_chain():
    found = plan(make(lambda: forward(8, iter_count=5)))
    channel = found.tile(MEM).channel(Direction.MM2S, 0)
    assert channel.bds[-1].next is None
    assert channel.queue == (Task(0 + channel.bds[0].id, 4),)
    assert found.tile(FAR[0]).channel(Direction.S2MM, 0).bds[-1].next is not None


@pytest.mark.parametrize(
    ("dtype", "value", "word"), [(np.int8, 8, 0x08080808), (np.int16, -2, 0xFFFEFFFE), (np.int32, 1000, 1000)]
)
def test_a_padding_value_fills_words(dtype, value, word):
    kwargs = {"dimensionsToStream": [(8, 1)], "padDimensions": [(4, 4)], "dtype": dtype}
    mem = plan(make(lambda: forward(8, 16, padValue=value, **kwargs))).tile(MEM)
    assert [(c.name, c.pad_value) for c in mem.channels] == [("S2MM 0", 0), ("MM2S 0", word)]


def test_core_takes_units_for_repeat():
    def build():
        x = object_fifo("x", FAR[0], FAR[1], 2, ty(8))
        x.set_repeat_count(4)
        program(FAR[0], *one(x, PRODUCE))

    found = plan(make(build))
    assert found.pool("x").units == 4
    assert [k.initial for k in found.tile(FAR[0]).locks] == [8, 0]
    assert len(found.tile(FAR[0]).channel(Direction.MM2S, 0).bds) == 8


def test_shim_has_no_pool():
    found = plan(make(forward))
    shim = found.tile(SHIM)
    assert (shim.buffers, shim.locks) == ((), ())
    assert [(c.name, c.bds, c.queue) for c in shim.channels] == [("MM2S 0", (), ())]


def test_packets():
    found = plan(make(distribute, [8, 8]), packets=True)
    assert [f.packet.id for f in found.flows] == [0, 1, 2]
    mem = found.tile(MEM)
    assert all(bd.packet.id == 1 for bd in mem.channel(Direction.MM2S, 0).bds)
    assert all(bd.packet is None for bd in mem.channel(Direction.S2MM, 0).bds)
