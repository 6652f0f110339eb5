# SPDX-License-Identifier: Apache-2.0
"""Fifos without locks (disable_synchronization): planned as mlir-aie lowers them, run where nothing depends on timing."""

from pathlib import Path

import numpy as np
import pytest
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, C, make, moves, one, program, ty

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.notes import notes
from goldbeat.pymodels.objfifo.plan.plan import Direction
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed
from goldbeat.tb.designs.objfifo.picture import draw_plan

TABLE = [np.arange(8) + 1, np.arange(8) * 10]


def table(drained=40, **kwargs):
    """A core's memory is sent again and again, as long as the host takes it."""
    x = object_fifo("x", C[0], SHIM, 2, ty(8), initValues=TABLE, disable_synchronization=True, **kwargs)
    moves((x, drained))


def test_rings_have_no_locks():
    found = plan(make(table))
    tile = found.tile(C[0])
    assert tile.locks == ()
    (channel,) = tile.channels
    assert [(bd.acquire, bd.release, bd.next) for bd in channel.bds] == [(None, None, 1), (None, None, 0)]
    assert [s.locks for p in found.pools for s in p.segments] == [()]
    assert "use_lock" not in to_mlir(found)
    assert "no locks" in to_dot(found)
    assert to_json(found)["pools"][0]["segments"][0]["producer_lock"] is None


def test_the_pool_of_a_link_has_the_locks_of_its_owner():
    def build(first, last):
        a = object_fifo("a", SHIM, MEM, 2, ty(8), disable_synchronization=first)
        b = object_fifo("b", MEM, FAR[0], 2, ty(8), disable_synchronization=last)
        object_fifo_link(a, b)

    assert [len(plan(make(build, *which)).tile(MEM).locks) for which in ((True, False), (False, True))] == [0, 2]
    assert len(plan(make(build, False, True)).tile(FAR[0]).locks) == 0
    with pytest.raises(UsageError, match=r"a has no locks .*S2MM 0 of mem tile .* writes objects that MM2S 0 of mem"):
        run_untimed(make(build, True, True), {"a": np.arange(32)})


def test_data_that_nobody_writes_is_sent_as_long_as_the_host_takes_it():
    design = make(table)
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    assert run_untimed(design).hosts["arg0"].tolist() == np.tile(np.concatenate(TABLE), 3)[:40].tolist()
    (note,) = notes(design)
    assert (note.name, "up to the design" in note.text) == ("no-locks", True)


def test_a_core_may_use_its_own_objects():
    def build():
        own = object_fifo("own", C[0], C[0], 1, ty(8), disable_synchronization=True)
        out = object_fifo("out", C[0], SHIM, 2, ty(8))
        program(C[0], *one(own, PRODUCE), *one(own, CONSUME), *one(out, PRODUCE), times=3)
        moves((out, 24))

    design = make(build)
    assert [lock.fifo for lock in plan(design).tile(C[0]).locks] == ["out", "out"]
    assert run_untimed(design).finished
    # With locks it holds the same.
    assert analyse(design).verdict is DesignVerdict.COMPLETES


@pytest.mark.parametrize("ends", [(C[0], C[1]), (FAR[0], FAR[1]), (SHIM, C[0])])
def test_what_depends_on_timing_is_refused(ends):
    def build():
        x = object_fifo("x", *ends, 2, ty(8), disable_synchronization=True)
        for tile, port in zip(ends, (PRODUCE, CONSUME), strict=True):
            if tile is not SHIM:
                program(tile, *one(x, port))

    with pytest.raises(UsageError, match=r"x has no locks .* nothing orders the two"):
        run_untimed(make(build))


def test_text(tmp_path: Path):
    path = tmp_path / "design.mlir"
    path.write_text("""module {
  aie.device(npu1_1col) {
    %shim = aie.tile(0, 0)
    %core = aie.tile(0, 2)
    aie.objectfifo @x(%core, {%shim}, 1 : i32) {disable_synchronization = true} : !aie.objectfifo<memref<4xi32>>
      = [dense<[1, 2, 3, 4]> : memref<4xi32>]
  }
}
""")
    made = plan(text_design(path))
    assert made.tile(C[0]).locks == ()
    assert made.tile(C[0]).channel(Direction.MM2S, 0).bds[0].acquire is None


def test_a_picture(tmp_path: Path):
    draw_plan(plan(make(table)), tmp_path / "plan.png")
    assert (tmp_path / "plan.png").stat().st_size > 1000
