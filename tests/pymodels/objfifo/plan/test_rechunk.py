# SPDX-License-Identifier: Apache-2.0
"""1:1 links between objects of different sizes or element types, on a memory tile: the table, the data, the engine."""

import numpy as np
import objfifo_numpy as want
import pytest
from objfifo_designs import FAR, MEM, SHIM, make, moves, ty
from plan_runs import run_tile

from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.plan.lower import plan, violations
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.untimed import functional
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse

RATIOS = [(60, 40), (40, 60), (256, 96), (96, 256), (7, 5), (5, 7), (1, 3), (12, 8)]


def link(first, last, depth=2, target=FAR[0], out=None, into=None):
    def build():
        a = object_fifo("a", SHIM, MEM, depth, first, None, [into or []])
        b = object_fifo("b", MEM, target, depth, last, out)
        object_fifo_link(a, b)
        return a, b

    return build


def rings(design):
    """Per side of the memory tile: the lengths of its ring; and the pool's fifo and depth."""
    made = plan(design)
    tile = made.tile(MEM)
    (pool,) = [p for p in made.pools if p.tile == MEM]
    lengths = [[bd.length for bd in tile.channel(d, 0).bds] for d in (Direction.S2MM, Direction.MM2S)]
    return lengths, (pool.fifo, pool.depth)


@pytest.mark.parametrize(("first", "last"), RATIOS)
def test_ragged_table_and_data(first, last):
    """Both sides move whole objects of the larger fifo, as mlir-aie's tables say; the receiver cuts them anew."""
    larger = max(first, last)
    design = make(link(ty(first), ty(last), 3))
    assert violations(design) == []
    assert rings(design) == ([[larger] * 3] * 2, ("a" if first >= last else "b", 3))
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    x = np.arange(2 * first * last, dtype=np.int32).reshape(-1, first)
    assert (functional.run_untimed(design, {"a": x}).outputs["b"] == want.chunks(x.reshape(-1), last)).all()


def test_ragged_with_the_host():
    def build():
        a, b = link(ty(60), ty(40), target=SHIM)()
        moves((a, 120), (b, 120))

    design = make(build)
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    x = np.arange(120, dtype=np.int32)
    assert (functional.run_untimed(design, {"arg0": x}).hosts["arg1"] == x).all()


@pytest.mark.parametrize(("filled", "drained"), [(60, 80), (120, 160)])
def test_ragged_that_wait_for_more(filled, drained):
    """Three objects of 40 need two of 60: a drain of more than was filled hangs."""

    def build():
        a, b = link(ty(60), ty(40), target=SHIM)()
        moves((a, filled), (b, drained))

    assert analyse(make(build)).verdict is DesignVerdict.HANGS


@pytest.mark.parametrize(("first", "last"), RATIOS[:4])
def test_ragged_on_the_timed_model(first, last):
    made = plan(make(link(ty(first), ty(last))))
    sent = np.arange(2 * max(first, last)) + 1
    _, out = run_tile(made.tile(MEM), sent)
    assert out.ports["m_axis_0"].samples("uint32").tolist() == sent.tolist()


@pytest.mark.parametrize(
    ("dims", "order"),
    [
        # Rows of 10: the 60 words of the pool have six.
        ([(4, 10), (10, 1)], np.arange(60)),
        # Columns of 4 words, 10 apart: 15 of them make 60 words.
        ([(10, 1), (4, 10)], (np.arange(15)[:, None] + 10 * np.arange(4)).reshape(-1)),
        # 40 words and the first 20 of the next run, which the length ends.
        ([(1, 20), (40, 1)], np.concatenate([np.arange(40), np.arange(20, 40)])),
    ],
)
def test_dims_of_a_ragged_output(dims, order):
    """The outermost dimension goes on until the pool's 60 words are sent."""
    design = make(link(ty(60), ty(40), out=dims))
    x = np.arange(120, dtype=np.int32).reshape(2, 60)
    assert violations(design) == []
    got = functional.run_untimed(design, {"a": x}).outputs["b"].reshape(-1)
    assert got.tolist() == x[:, order].reshape(-1).tolist()


I8, I16, I32 = np.int8, np.int16, np.int32


@pytest.mark.parametrize(
    ("first", "last", "owner", "words"),
    [
        # The pool is that of the fifo with more elements, and both sides move all of it.
        (ty(16, dtype=I16), ty(8), "a", 8),
        (ty(8), ty(16, dtype=I16), "b", 8),
        (ty(64, dtype=I8), ty(32), "a", 16),
        (ty(32), ty(64, dtype=I8), "b", 16),
        (ty(16), ty(16, dtype=I16), "a", 16),
        (ty(16, dtype=I16), ty(16), "a", 8),
        (ty(12, dtype=I16), ty(10), "a", 6),
    ],
)
def test_element_types(first, last, owner, words):
    """Bytes go through as they are, whatever the types: no word is lost."""
    design = make(link(first, last))
    assert violations(design) == []
    assert rings(design) == ([[words] * 2] * 2, (owner, 2))
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    a, b = design.fifos
    x = np.arange(a.obj.size * b.obj.size * 4, dtype=np.int32).view(np.uint8)
    got = functional.run_untimed(design, {"a": x.view(a.obj.dtype)}).outputs["b"]
    assert got.view(np.uint8).reshape(-1).tolist() == x.tolist()
