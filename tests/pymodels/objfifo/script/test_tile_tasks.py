# SPDX-License-Identifier: Apache-2.0
"""Tasks that a sequence starts on channels of tiles, rings of descriptors, transfers whose length is a parameter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.live.execute import LiveResult
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

HEAD = """
import numpy as np
import aie.iron as iron
from aie.dialects import arith
from aie.dialects._aie_enum_gen import AIETileType, DMAChannelDir, WireBundle
from aie.iron import (Acquire, Bd, Buffer, DispatchTime, DmaChannel, DmaEndpoint, Flow, In, Lock, ObjectFifo, Out, Program,
                      Release, Runtime, ScratchpadParameter, TileDma, Worker, tile_dma_chain, tile_dma_task)
from aie.iron.controlflow import range_
from aie.iron.device import NPU2Col1, Tile
from aie.helpers.taplib import TensorAccessPattern
from aie.ir import IndexType

DOWN, UP = (WireBundle.DMA, 0), (WireBundle.North, 0)
IN, OUT = DMAChannelDir.S2MM, DMAChannelDir.MM2S
shim, mem = Tile(0, 0, tile_type=AIETileType.ShimNOCTile), Tile(0, 1, tile_type=AIETileType.MemTile)

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int32]]
"""
# A memory tile holds 16 elements; the host gets WHAT of them.
HELD = (
    HEAD
    + """
@iron.jit
def design(a: In, c: Out, n: DispatchTime[np.int32] = 2, *, at: DispatchTime[np.int32] = 0):
    held = Buffer(type=ty(16), tile=mem, name="held")
    empty, full = Lock(tile=mem, init=1), Lock(tile=mem)
    into, out = Flow(shim, mem), Flow(mem, shim, src_channel=0)

    def seq(A, C, n, at):
        into.fill(A)
        FIRST
        THEN
        out.drain(C, sizes=[1, 1, n, 4], strides=[0, 0, 4, 1], transfer_len=4 * n, wait=True)

    rt = Runtime(seq, [ty(16), ty(16), n, at])
    rt.add_flow(into)
    rt.add_flow(out)
    rt.add_buffer(held)
    return Program(NPU2Col1(), rt).resolve_program()

a = iron.arange(16, dtype=np.int32)

def call(made, *given, **more):
    c = iron.zeros(16, dtype=np.int32)
    made(a, c, *given, **more)
    return c.numpy().reshape(4, 4)[:, 0].tolist()
"""
)
TAKEN = "into.endpoint(mem).task(held, wait=True).start().await_()"
SENT = "out.endpoint(mem).task(Bd(held, offset=4 * at, sizes=[n, 4], strides=[4, 1])).start()"


def executed(folder: Path, text: str, inputs: dict[str, object] | None = None) -> list[LiveResult]:
    path = folder / "design.py"
    path.write_text(text)
    return ScriptArray(path, [], {}).execute(inputs)  # type: ignore[arg-type]


def held(first: str = TAKEN, then: str = SENT) -> str:
    return HELD.replace("FIRST", first).replace("THEN", then)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (TAKEN, SENT),
        ("tile_dma_task(mem, IN, into.endpoint(mem), held, wait=True).await_()",
         "tile_dma_task(mem, OUT, 0, held, sizes=[1, 1, n, 4], strides=[0, 0, 4, 1], offset=4 * at)"),
        ("tile_dma_task(mem, IN, 0, held, acquire=Acquire(empty), release=Release(full))",
         "tile_dma_chain(mem, OUT, out.endpoint(mem), [Bd(held, offset=4 * at, length=4 * n, acquires=[Acquire(full)], "
         "releases=[Release(empty)])])"),
        ("DmaEndpoint(mem, IN, 0).task(held, wait=True).start().await_()",
         "t = DmaEndpoint(mem, OUT, 0).task(Bd(held, offset=4 * at, length=4), Bd(held, offset=4 * at + 4, length=4 * n - 4))"
         "; t.start().free()"),
        (TAKEN, "out.endpoint(mem).task(Bd(held, tap=TensorAccessPattern((16,), 4 * at, [1, 1, n, 4], [0, 0, 4, 1]))).start()"),
        (TAKEN, "out.endpoint(mem).task(Bd(held, tap=TensorAccessPattern.full((4, 4))[at : at + n])).start()"),
    ],
)  # fmt: skip
def test_descriptors_are_made_from_numbers_of_a_call(tmp_path: Path, first: str, then: str) -> None:
    text = held(first, then) + "assert call(design) == [0, 4, 0, 0]\nassert call(design, 3, at=1) == [4, 8, 12, 0]"
    assert all(one.completes for one in executed(tmp_path, text))


@pytest.mark.parametrize(
    ("then", "wanted"),
    [
        ("out.endpoint(mem).task(Bd(held, length=4), runs=n).start()", [0, 0, 0, 0]),
        ("out.endpoint(mem).task(Bd(held, offset=4, length=4)).start(repeat_count=n - 1).free()", [4, 4, 4, 0]),
        (
            "t = out.endpoint(mem).task(Bd(held, offset=8, length=4), runs=2); t.start(); t.start(repeat_count=0)",
            [8, 8, 8, 0],
        ),
        ("tile_dma_task(mem, OUT, 0, held, sizes=[n, 1, 1, 4], strides=[0, 0, 0, 1], offset=12)", [12, 12, 12, 0]),
    ],
)
def test_a_task_is_run_several_times(tmp_path: Path, then: str, wanted: list[int]) -> None:
    executed(tmp_path, held(then=then) + f"found = call(design, 3)\nassert found == {wanted}, found")


@pytest.mark.parametrize(
    ("then", "message"),
    [
        ("t = out.endpoint(mem).task(held); t.free(); t.free()", r"design.py:29: found a second free\(\)"),
        ("t = out.endpoint(mem).task(held); t.free(); t.start()", r"a start of a task after free\(\)"),
        ("out.endpoint(mem).task(held).start().await_()", "a wait for a task without a token"),
        ("out.endpoint(mem).task(held, wait=True).await_()", "a task that was not started"),
        ("out.endpoint(mem).task(held).start(repeat_count=256)", "repeat_count=256 of a start, expected 0 to 255"),
        ("out.endpoint(mem).task(Bd(held, next='self'))", "next='self' in a task"),
        ("out.endpoint(mem).task()", "0 descriptors"),
        ("out.endpoint(shim).task(held)", "expected fill or drain of its flow"),
        ("tile_dma_task(mem, IN, out.endpoint(mem), held)", "found S2MM of .*, expected MM2S"),
        ("tile_dma_task(mem, OUT, 0, held, acquire=Acquire(full))", "expected both or neither"),
        ("tile_dma_task(mem, OUT, 0, held, sizes=[2, 1, 1, 4], strides=[4, 0, 0, 1])", "stride 0 of the outermost"),
        ("out.drain(C, tap=C[:4], sizes=[4])", r"a pattern \(tap\) and sizes"),
        ("out.drain(C, sizes=[2, 4], strides=[4, 1], transfer_len=4)", "transfer_len=4, expected 8"),
    ],
)
def test_tasks_that_are_none(tmp_path: Path, then: str, message: str) -> None:
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, held(then=then) + "call(design)")


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("call(design, 2, n=3)", "n by its place and by its name"),
        ("call(design.specialize(n=2), n=3)", "n is specialized to 2"),
    ],
)
def test_numbers_that_are_given_twice(tmp_path: Path, calls: str, message: str) -> None:
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, held() + calls)


def test_a_way_of_switches_changes_no_data(tmp_path: Path) -> None:
    text = held().replace("src_channel=0)", "src_channel=0, dst_channel=0, vias=[(mem, DOWN, UP), (shim, UP, DOWN)])")
    assert "vias" in text
    assert all(one.completes for one in executed(tmp_path, text + "assert call(design) == [0, 4, 0, 0]"))


def test_a_specialized_design_says_what_is_left_open(tmp_path: Path) -> None:
    text = held() + "d = design.specialize(n=1)\nassert d.compilable.dispatch_params == ['at']\n"
    executed(tmp_path, text + "assert call(d, at=3) == [12, 0, 0, 0]\nassert len(d._kernel_cache) == 1")


RING = (
    HEAD
    + """
@iron.jit
def design(a: In, c: Out):
    parts = [Buffer(type=ty(4), tile=mem, name=f"part{n}") for n in range(2)]
    free, full = [Lock(tile=mem, init=1) for _ in parts], [Lock(tile=mem) for _ in parts]
    into, out, other = Flow(shim, mem), Flow(mem, shim), Flow(shim, mem)

    def chain(take, give):
        bds = [Bd(p, acquires=[Acquire(take[n])], releases=[Release(give[n])]) for n, p in enumerate(parts)]
        if take is full:
            bds[0].next, bds[1].next = 1, 0
        CHANGE
        return bds

    program = TileDma(mem, [DmaChannel(IN, into.endpoint(mem), chain(free, full))])
    program.add_channel(DmaChannel(OUT, out.endpoint(mem), chain(full, free)))

    def seq(A, C):
        into.fill(A)
        out.drain(C, wait=True)

    rt = Runtime(seq, [ty(16), ty(16)])
    for one in (into, out):
        rt.add_flow(one)
    rt.add_tile_dma(program)
    return Program(NPU2Col1(), rt).resolve_program()

c = iron.zeros(16, dtype=np.int32)
design(iron.arange(16, dtype=np.int32), c)
assert c.numpy().tolist() == [*range(16)]
"""
)


@pytest.mark.parametrize("change", ["pass", "bds[0].next, bds[1].next = 1, 0"])
def test_descriptors_of_a_channel_are_a_ring(tmp_path: Path, change: str) -> None:
    (found,) = executed(tmp_path, RING.replace("CHANGE", change))
    assert found.words["S2MM 0 of mem tile (0, 1)"] == 16


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("bds[0].next = 2", "next=2 of a Bd"),
        ("Bd(parts[0], offset=2, tap=TensorAccessPattern.full((2,)))", "found tap beside offset, length, sizes"),
        ("Flow(shim, mem, vias=[(shim, DOWN, UP)])", "found vias of a Flow, expected one destination, src_channel"),
        ("Flow(shim, [mem, mem], src_channel=0, dst_channel=0, vias=[(shim, DOWN, UP)])", "found vias of a Flow"),
        ("program = TileDma(mem, [DmaChannel(IN, 0, bds)] * 2)", "second program of S2MM 0"),
    ],
)
def test_chains_and_flows_that_are_none(tmp_path: Path, change: str, message: str) -> None:
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, RING.replace("CHANGE", change))


def test_ends_that_only_the_sequence_names_have_channels_of_their_own(tmp_path: Path) -> None:
    text = held(then="other.fill(A); other.endpoint(mem).task(held, wait=True).start().await_(); " + SENT)
    text = text.replace("into, out = Flow(shim, mem),", "into, other, out = Flow(shim, mem), Flow(shim, mem),")
    with pytest.raises(GoldbeatError, match=r"a flow that the Runtime does not have"):
        executed(tmp_path, text + "call(design)")
    text = text.replace("rt.add_flow(out)", "rt.add_flow(out); rt.add_flow(other)")
    (found,) = executed(tmp_path, text + "assert call(design, 1) == [0, 0, 0, 0]")
    assert found.words["S2MM 0 of mem tile (0, 1)"] == found.words["S2MM 1 of mem tile (0, 1)"] == 16


# -- lengths --------------------------------------------------------------------------------------------------------------

LENGTH = (
    HEAD
    + """
tiles = ScratchpadParameter("tiles", np.int32)
x, y = ObjectFifo(ty(4), name="x"), ObjectFifo(ty(4), name="y")

def work(x, y, tiles):
    for _ in range_(arith.index_cast(IndexType.get(), tiles.read())):
        a, b = x.acquire(1), y.acquire(1)
        for i in range_(4):
            b[i] = a[i] + 1
        x.release(1)
        y.release(1)

def seq(A, C, x, y):
    part = dict(sizes=[1, 1, 1, 4], strides=[0, 0, 0, 1], transfer_len=0, length_parameter=tiles, length_unit=4)
    x.fill(A, offset=4, **part)
    y.drain(C, offset=0, wait=True, **part)

rt = Runtime(seq, [ty(16), ty(16), x.prod(), y.cons()])
Program(NPU2Col1(), rt, workers=[Worker(work, [x.cons(), y.prod(), tiles], while_true=False)]).resolve_program()
"""
)


@pytest.mark.parametrize("tiles", [0, 1, 3])
def test_a_parameter_is_the_length_of_transfers(tmp_path: Path, tiles: int) -> None:
    (found,) = executed(tmp_path, LENGTH, {"arg0": np.arange(16, dtype=np.int32), "tiles": tiles})
    assert found.completes
    assert found.hosts["arg1"].tolist() == [*range(5, 5 + 4 * tiles), *[0] * (16 - 4 * tiles)]


def test_a_core_that_reads_parameters_is_not_planned(tmp_path: Path) -> None:
    (tmp_path / "design.py").write_text(LENGTH)
    with pytest.raises(GoldbeatError, match=r"scratchpad parameters \(tiles\) are executed"):
        ScriptArray(tmp_path / "design.py", [], {}).planned()


@pytest.mark.parametrize(
    ("old", "new", "tiles", "message"),
    [
        ("offset=4", "offset=4", 4, r"design.py:33: fill of elements 4 to 19, expected some of \(16,\)"),
        ("length_unit=4", "length_unit=6", 1, "length_unit=6 of 4 bytes, expected a multiple of 16 bytes"),
        ("sizes=[1, 1, 1, 4], strides=[0, 0, 0, 1]", "sizes=[1, 1, 2, 2], strides=[0, 0, 4, 1]", 1, "expected a row"),
    ],
)  # fmt: skip
def test_lengths_that_do_not_fit(tmp_path: Path, old: str, new: str, tiles: int, message: str) -> None:
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, LENGTH.replace(old, new), {"tiles": tiles})
