# SPDX-License-Identifier: Apache-2.0
"""Plans of memory tiles, run on the model of the engine; the data by numpy indexing alone."""

from dataclasses import replace

import numpy as np
import objfifo_numpy as want
import pytest
from engine_cases import cycles
from objfifo_designs import distribute, forward, join, make
from plan_runs import PARAMS, SHAPE, run_tile

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.engine.alone import hanging
from goldbeat.pymodels.objfifo.engine.engine import PADDING, descriptor_addresses
from goldbeat.pymodels.objfifo.engine.from_plan import descriptor_of, from_plan
from goldbeat.pymodels.objfifo.engine.registers import EngineShape
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.plan import (
    Bd,
    Dim,
    Direction,
    DmaChannel,
    Iteration,
    LockUse,
    PacketHeader,
    Pad,
    Task,
)
from goldbeat.pymodels.objfifo.plan.tile import TileKind


def memory_tile(build, *args, **kwargs):
    found = plan(make(lambda: build(*args, **kwargs)))
    return next(t for t in found.tiles if t.tile.kind is TileKind.MEM and t.channels)


def words(outcome, n):
    return outcome.ports[f"m_axis_{n}"].samples("uint32")


def test_forward():
    sent = np.arange(64) + 1
    _, out = run_tile(memory_tile(forward, 16), sent)
    assert words(out, 0).tolist() == sent.tolist()
    assert len(cycles(out, "s_axis_0")) == 64


def test_distribute():
    sent = np.arange(5 * 12)
    stimulus, out = run_tile(memory_tile(distribute, [4, 6, 2]), sent)
    for n, part in enumerate(want.distribute(sent.reshape(5, 12), [0, 4, 10])):
        assert words(out, n).tolist() == part.reshape(-1).tolist()
    # The outputs wait for parts that are full, the input for data.
    assert {h.channel: h.state for h in hanging(PARAMS, stimulus)} == {0: "input", 6: "lock", 7: "lock", 8: "lock"}


def test_join():
    legs = [100 * n + np.arange(4 * size).reshape(4, size) for n, size in enumerate((4, 6, 2))]
    _, out = run_tile(memory_tile(join, [4, 6, 2]), *(leg.reshape(-1) for leg in legs))
    assert words(out, 0).tolist() == want.join(legs).reshape(-1).tolist()


def test_a_layout_on_the_way_out():
    dims = [(4, 1), (8, 4)]
    _, out = run_tile(memory_tile(forward, 32, dimensionsToStream=dims), np.arange(96))
    assert words(out, 0).tolist() == want.gather(np.arange(96).reshape(3, 32), dims).reshape(-1).tolist()


def test_a_padding_value():
    kwargs = {"dimensionsToStream": [(8, 1)], "padDimensions": [(2, 1)], "padValue": -42}
    tile = memory_tile(forward, 8, 11, **kwargs)
    sent = np.arange(24)
    _, out = run_tile(tile, sent)
    assert from_plan(tile, SHAPE).pads == {0: 2**32 - 42}
    padded = want.pad(sent.astype(np.int32).reshape(3, -1), 1, 8, ((0, 0), (2, 1)), -42)
    assert words(out, 0).astype(np.int32).tolist() == padded.reshape(-1).tolist()


def test_every_field_of_a_descriptor():
    bd = Bd(
        id=3,
        buffer="b",
        base_bytes=400,
        length=12,
        dims=(Dim(2, 1), Dim(3, 4)),
        iteration=Iteration(4, 24, 1),
        acquire=LockUse(5, 1),
        release=LockUse(6, 2),
        next=7,
        packet=PacketHeader(8, 2),
        suppress_tlast=True,
    )
    d = descriptor_of(bd)
    assert (d.base, d.length, d.next, d.tlast, d.packet) == (100, 12, 7, False, (8, 2))
    assert (d.acquire, d.release) == ((5, 1), (6, 2))
    assert (d.iteration_size, d.iteration_step, d.iteration_start) == (4, 24, 1)


@pytest.mark.parametrize(
    ("dims", "length", "addresses"),
    [
        ((), 4, [0, 1, 2, 3]),
        ((Dim(4, 3),), 4, [0, 3, 6, 9]),
        # Longer than a wrap field holds, and longer than the dimension says: length ends the walk.
        ((Dim(5000, 1),), 5000, list(range(5000))),
        ((Dim(2, 1), Dim(2000, 4)), 4000, [4 * (n // 2) + n % 2 for n in range(4000)]),
        ((Dim(2, 1), Dim(2, 10)), 6, [0, 1, 10, 11, 20, 21]),
        ((Dim(2, 1), Dim(2, 10), Dim(2, 100)), 8, [0, 1, 10, 11, 100, 101, 110, 111]),
        ((Dim(1, 1), Dim(2, 3), Dim(2, 10), Dim(2, 100)), 8, [0, 3, 10, 13, 100, 103, 110, 113]),
    ],
)
def test_walks(dims, length, addresses):
    bd = Bd(0, "b", 0, length, dims)
    assert descriptor_addresses(descriptor_of(bd)).tolist() == addresses


def test_padded_walks():
    bd = Bd(0, "b", 0, 15, (Dim(2, 1), Dim(2, 10)), padding=(Pad(1, 2), Pad(1, 0)))
    zeros = [PADDING] * 5
    assert descriptor_addresses(descriptor_of(bd)).tolist() == [
        *zeros,
        PADDING,
        0,
        1,
        *zeros[:2],
        PADDING,
        10,
        11,
        *zeros[:2],
    ]
    plain = Bd(0, "b", 0, 5, padding=(Pad(1, 2),))
    assert descriptor_addresses(descriptor_of(plain)).tolist() == [PADDING, 0, 1, PADDING, PADDING]


def test_initial_values():
    tile = memory_tile(forward, 4)
    first = tuple(range(90, 94))
    buffers = (replace(tile.buffers[0], initial=first), *tile.buffers[1:])
    program = from_plan(replace(tile, buffers=buffers), SHAPE)
    assert {a: w.tolist() for a, w in program.memory.items()} == {tile.buffers[0].address // 4: list(first)}


def test_what_an_engine_is_too_small_for():
    tile = memory_tile(distribute, [4, 6, 2])
    for params, text in (
        ({"NM": 2}, "MM2S channel 2: the engine has 2"),
        ({"NBD": 1}, "descriptor"),
        ({"NLOCK": 2}, "lock 2: the engine has 2"),
        ({"WORD_W": 128}, "128 bits"),
        ({"MEM_WORDS": 1024}, "reaches word 16387: the engine has 1024"),
    ):
        with pytest.raises(UsageError, match=text):
            from_plan(tile, EngineShape.of(PARAMS | params))
    channel = DmaChannel(Direction.S2MM, 0, "f", (), (Task(0),) * 5)
    with pytest.raises(UsageError, match="starts 5 tasks"):
        from_plan(replace(tile, channels=(channel,)), SHAPE)
    far = replace(tile.buffers[0], address=4 << 17, initial=(1,))
    with pytest.raises(UsageError, match="131072"):
        from_plan(replace(tile, buffers=(far,)), SHAPE)
