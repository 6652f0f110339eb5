# SPDX-License-Identifier: Apache-2.0
import pytest
from hangs import CASES, LAX, LOCKS, STORAGE
from objfifo_designs import CONSUME, FAR, MEM, PRODUCE, SHIM, C, make, moves, one, program, ty

from goldbeat.pymodels.objfifo.iron.placed import core, object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse


@pytest.mark.parametrize("name", CASES)
def test_hang_is_found(name):
    report = analyse(CASES[name](True), strict=name not in LAX)
    assert report.verdict is (DesignVerdict.DEPENDS if name in STORAGE else DesignVerdict.HANGS), report.text()
    assert report.storage == STORAGE.get(name)
    found = [b for b in report.blocked if b.lock == LOCKS[name]]
    assert found, report.text()
    assert found[0].value < found[0].needed
    assert LOCKS[name] in report.text()


@pytest.mark.parametrize("name", CASES)
def test_near_miss_completes(name):
    report = analyse(CASES[name](False))
    assert report.verdict is DesignVerdict.COMPLETES, report.text()


@pytest.mark.parametrize("name", sorted(LAX))
def test_refused_unless_lax(name):
    with pytest.raises(RuleError) as caught:
        analyse(CASES[name](True))
    assert caught.value.rule == "acquire-depth"


def test_twenty():
    assert len(CASES) == 20


def test_cycle_is_named():
    report = analyse(CASES["crossed"](True))
    assert report.cycle == ("core of tile_0_2", "core of tile_0_3")
    assert report.help is None
    assert "circle: core of tile_0_2 -> core of tile_0_3 -> core of tile_0_2" in report.text()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("diamond", (("both", 2, 1, 2),)),
        ("deep_acquire", (("x", 1, 2, 3),)),
        ("deep_produce", (("x", 0, 1, 2),)),
        ("own_fifo", (("x", 0, 1, 2),)),
        ("never_released", (("x", 0, 2, 3),)),
        ("too_many", (("x", 0, 2, 3),)),
        ("batches", (("x", 0, 2, 3),)),
    ],
)
def test_smallest_depth_that_helps(name, wanted):
    report = analyse(CASES[name](True), strict=name not in LAX)
    assert report.help is not None, report.text()
    assert report.help.depths == wanted
    fifo, _, now, then = wanted[0]
    assert f"depth {then} at the" in report.text()
    assert f"of {fifo} (now {now})" in report.text()


def test_report_names_lock_holder_and_waiter():
    text = analyse(CASES["own_fifo"](True)).text()
    assert (
        "core of tile_0_2 (holds nothing) waits for lock x_prod_lock_0 (0) of core tile (0, 2), which is 0, to reach 1"
        in text
    )
    assert "held by: core of tile_0_2" in text


def test_storage_of_the_stream_may_decide():
    def build():
        # The producer's only object is on its way while the consumer waits for something else first.
        x, y = object_fifo("x", FAR[0], FAR[1], 1, ty(8)), object_fifo("y", FAR[0], FAR[1], 1, ty(8))
        program(FAR[0], *one(x, PRODUCE, 3), *one(y, PRODUCE))
        program(FAR[1], *one(y, CONSUME), *one(x, CONSUME, 3))

    report = analyse(make(build))
    assert report.verdict is DesignVerdict.DEPENDS
    assert report.hangs
    assert report.storage == 8
    assert "unless every stream holds 8 words under way" in report.text()


def test_programs_without_end_are_asked_for_passes():
    def build(n):
        x = object_fifo("x", C[0], C[1], 2, ty(8))
        program(C[0], *one(x, PRODUCE), times=n)

        @core(C[1])
        def consume():
            for _ in range_(2**63 - 1):
                x.acquire(CONSUME, 1)
                x.release(CONSUME, 1)

    assert analyse(make(build, 10), iterations=10).verdict is DesignVerdict.COMPLETES
    assert analyse(make(build, 10), iterations=11).verdict is DesignVerdict.HANGS


def test_an_island_that_never_ends_hides_nothing():
    def build():
        # Both ends of this one are open: it runs for ever.
        object_fifo("free", FAR[0], FAR[1], 2, ty(8))
        x = object_fifo("x", C[0], C[0], 1, ty(8))
        program(C[0], *one(x, PRODUCE, 2))

    assert analyse(make(build)).verdict is DesignVerdict.HANGS


def test_sliding_window():
    def build(depth):
        x = object_fifo("x", FAR[0], FAR[1], depth, ty(8))
        program(FAR[0], *one(x, PRODUCE), times=9)
        program(FAR[1], (x, CONSUME, 2), (x, CONSUME, -1), times=8)

    assert analyse(make(build, 2)).verdict is DesignVerdict.COMPLETES


def test_mem_tile_chain_with_transfers():
    def build(n):
        a, b = object_fifo("a", SHIM, MEM, 2, ty(16)), object_fifo("b", MEM, SHIM, 2, ty(16))
        object_fifo_link(a, b)
        moves((a, 64), (b, n))

    assert analyse(make(build, 64)).verdict is DesignVerdict.COMPLETES
    report = analyse(make(build, 80))
    assert report.verdict is DesignVerdict.HANGS
    assert report.help is None
