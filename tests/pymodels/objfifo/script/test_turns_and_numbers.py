# SPDX-License-Identifier: Apache-2.0
"""Fifos that take turns with whole objects, and numbers that a design is called with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.objfifo.live.execute import LiveResult, run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.lower import violations
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed

HEAD = """
import numpy as np
import aie.iron as iron
from aie.iron import Acquire, Bd, Buffer, DispatchTime, Flow, In, Lock, ObjectFifo, Out, Program, Release, Runtime, Worker
from aie.iron.controlflow import range_
from aie.iron.device import NPU1Col1, Tile
from aie.dialects._aie_enum_gen import AIETileType

def ty(n):
    return np.ndarray[(n,), np.dtype[np.int32]]
"""
# COUNT workers, each of which gets every COUNTth object and adds a number of its own; their results take turns.
FAN = (
    HEAD
    + """
source, result = ObjectFifo(ty(8), depth=DEPTH, name="source"), ObjectFifo(ty(8), depth=DEPTH, name="result")
given, made = source.cons().dispatch(COUNT), result.prod().merge(COUNT)

def add(x, y, k):
    a, b = x.acquire(1), y.acquire(1)
    for i in range_(8):
        b[i] = a[i] + k
    x.release(1)
    y.release(1)

workers = [Worker(add, [g.cons(), m.prod(), 100 * (n + 1)]) for n, (g, m) in enumerate(zip(given, made))]
rt = Runtime()
with rt.sequence(ty(96), ty(96)) as (a, b):
    rt.start(*workers)
    rt.fill(source.prod(), a)
    rt.drain(result.cons(), b, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""
)
X = np.arange(96, dtype=np.int32)


def executed(folder: Path, text: str, inputs: dict[str, np.ndarray] | None = None) -> list[LiveResult]:
    path = folder / "design.py"
    path.write_text(text)
    return ScriptArray(path, [], {}).execute(inputs)


@pytest.mark.parametrize(("count", "depth"), [(2, 2), (3, 2), (4, 1), (2, 5)])
def test_objects_take_turns(tmp_path: Path, count: int, depth: int) -> None:
    text = FAN.replace("COUNT", str(count)).replace("DEPTH", str(depth))
    (found,) = executed(tmp_path, text, {"arg0": X})
    assert found.completes
    assert not found.differing
    wanted = X + 100 * (np.repeat(np.arange(12), 8) % count + 1)
    assert found.hosts["arg1"].tolist() == wanted.tolist()
    design = open_fifo_design(tmp_path / "design.py")
    names = [f"source_dispatch{n}" for n in range(count)] + [f"result_merge{n}" for n in range(count)]
    assert {f.name for f in design.fifos} == {"source", "result", *names}
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    assert run_untimed(design, {"arg0": X}).hosts["arg1"].tolist() == wanted.tolist()
    pool = lower(design).pool("result")
    assert [(s.offset, s.length) for s in pool.segments] == [(8 * n, 8) for n in range(count)]
    assert len(pool.buffers) == -(-depth // count)


def test_a_worker_out_of_turn_hangs(tmp_path: Path) -> None:
    text = FAN.replace("COUNT", "2").replace("DEPTH", "2")
    # The second worker makes nothing before it has two objects; the first one cannot go on: its turn never comes.
    text = text.replace(
        "    a, b = x.acquire(1), y.acquire(1)\n",
        "    if k == 200:\n        x.acquire(2)\n    a, b = x.acquire(1), y.acquire(1)\n",
    )
    text = text.replace("dispatch(2)", "dispatch(2, depths=[1, 2])").replace(
        "x.release(1)\n", "x.release(1 if k == 100 else 2)\n"
    )
    (tmp_path / "design.py").write_text(text)
    assert analyse(open_fifo_design(tmp_path / "design.py")).verdict is not DesignVerdict.COMPLETES


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("source.cons().dispatch(COUNT)", "source.prod().dispatch(2)", "cannot dispatch a prod handle"),
        ("result.prod().merge(COUNT)", "result.cons().merge(2)", "cannot merge a cons handle"),
        ("merge(COUNT)", "merge(1)", "merge of 1 fifo"),
        ("merge(COUNT)", "merge(2, names=['a'])", "merge with 1 names for 2"),
    ],
)
def test_turns_that_are_no_turns(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in FAN
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, FAN.replace(old, new).replace("COUNT", "2").replace("DEPTH", "2"))


TEXT = """module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    aie.objectfifo @in(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @one(%m, {%t}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @two(%m, {%s}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @back(%t, {%s}, 1 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo.link [@in] -> [@one, @two] ([] []) {mode = #aie.link_mode<time>}
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      scf.for %n = %c0 to %c3 step %c1 {
        %x = aie.objectfifo.acquire @one(Consume, 1) : memref<4xi32>
        %y = aie.objectfifo.acquire @back(Produce, 1) : memref<4xi32>
        scf.for %j = %c0 to %c4 step %c1 {
          %v = memref.load %x[%j] : memref<4xi32>
          %w = arith.muli %v, %v : i32
          memref.store %w, %y[%j] : memref<4xi32>
        }
        aie.objectfifo.release @one(Consume, 1)
        aie.objectfifo.release @back(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%i : memref<24xi32>, %p : memref<12xi32>, %q : memref<12xi32>) {
      aiex.npu.dma_memcpy_nd(%p[0, 0, 0, 0][1, 1, 1, 12][0, 0, 0, 1]) {id = 1 : i64, metadata = @two} : memref<12xi32>
      aiex.npu.dma_memcpy_nd(%q[0, 0, 0, 0][1, 1, 1, 12][0, 0, 0, 1]) {id = 2 : i64, metadata = @back} : memref<12xi32>
      aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, 24][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<24xi32>
      aiex.npu.dma_wait {symbol = @two}
      aiex.npu.dma_wait {symbol = @back}
    }
  }
}
"""


def test_a_link_in_text_that_takes_turns(tmp_path: Path) -> None:
    path = tmp_path / "turns.mlir"
    path.write_text(TEXT)
    given = np.arange(24, dtype=np.int32)
    found = run_live(TextArray(path).build, {"i": given})
    rows = given.reshape(6, 4)
    assert found.hosts["p"].tolist() == rows[1::2].reshape(-1).tolist()
    assert found.hosts["q"].tolist() == (rows[0::2] ** 2).reshape(-1).tolist()
    assert analyse(text_design(path)).verdict is DesignVerdict.COMPLETES


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("@two(%m, {%s}, 1 : i32) : !aie.objectfifo<memref<4xi32>>", "@two(%m, {%s}, 1 : i32) : !aie.objectfifo<memref<8xi32>>",
         "leg-size"),
        ("([] [])", "([] [0, 0])", "link-offsets"),
        ("@two(%m, {%s}, 1 : i32)", "@two(%m, {%s}, 1 : i32) {repeat_count = 2 : i32}", "repeat-equal"),
    ],
)  # fmt: skip
def test_rules_of_turns(tmp_path: Path, old: str, new: str, rule: str) -> None:
    assert old in TEXT
    path = tmp_path / "turns.mlir"
    path.write_text(TEXT.replace(old, new))
    assert rule in {error.rule for error in violations(text_design(path))}


def test_another_mode_of_a_link(tmp_path: Path) -> None:
    path = tmp_path / "turns.mlir"
    path.write_text(TEXT.replace("<time>", "<magic>"))
    with pytest.raises(InputError, match=r"turns\.mlir:10:5: found mode magic, expected #aie\.link_mode<time>"):
        text_design(path)


# -- numbers of a call ----------------------------------------------------------------------------------------------------

REPLAY = (
    HEAD
    + """
@iron.jit
def design(a: In, c: Out, *, uses: DispatchTime[np.int32] = 2, first: DispatchTime[np.int8] = 0):
    shim = Tile(col=0, row=0, tile_type=AIETileType.ShimNOCTile)
    mem = Tile(col=0, row=1, tile_type=AIETileType.MemTile)
    buf = Buffer(type=ty(16), tile=mem, name="buf")
    empty, full = Lock(tile=mem, name="empty"), Lock(tile=mem, name="full")
    into = Flow(shim, mem, src_channel=0, dst_channel=0)
    out = Flow(mem, shim, src_channel=0, dst_channel=0)
    def seq(A, C, n, begin):
        empty.set(n)
        into.fill(A)
        into.endpoint(mem).task(Bd(buf, acquires=[Acquire(empty, value=n)], releases=[Release(full, value=n)])).start()
        out.endpoint(mem).task(Bd(buf, acquires=[Acquire(full)], releases=[Release(empty)]), runs=n).start()
        out.drain(C, offset=16 * begin, sizes=[1, 1, n, 16], strides=[0, 0, 16, 1], wait=True)
    rt = Runtime(seq, [ty(16), ty(64), uses, first])
    rt.add_lock(empty); rt.add_flow(into); rt.add_flow(out)
    return Program(NPU1Col1(), rt).resolve_program()

a = iron.arange(16, dtype=np.int32)

def call(made, **numbers):
    c = iron.zeros(64, dtype=np.int32, device="npu")
    made(a, c, **numbers)
    return c.numpy().reshape(4, 16)[:, 3].tolist()
"""
)


@pytest.mark.parametrize(
    "calls",
    [
        "assert call(design) == [3, 3, 0, 0]",
        "assert call(design, uses=3) == [3, 3, 3, 0]",
        "assert call(design, uses=2, first=2) == [0, 0, 3, 3]",
        "d = design.specialize()\nassert call(d, uses=3) == [3, 3, 3, 0]\nassert call(d, uses=1, first=1) == [0, 3, 0, 0]",
        "assert call(design.specialize(uses=4)) == [3, 3, 3, 3]",
        "assert call(design.specialize(uses=1), first=3) == [0, 0, 0, 3]",
    ],
)
def test_a_design_is_called_with_numbers(tmp_path: Path, calls: str) -> None:
    found = executed(tmp_path, REPLAY + calls)
    assert len(found) == calls.count("call(")
    assert all(one.completes for one in found)


def test_annotations_may_be_text(tmp_path: Path) -> None:
    executed(tmp_path, "from __future__ import annotations\n" + REPLAY + "assert call(design, uses=3) == [3, 3, 3, 0]")


def test_a_design_that_is_only_specialized_takes_its_numbers_from_outside(tmp_path: Path) -> None:
    text = REPLAY + "design.specialize()"
    (found,) = executed(
        tmp_path, text, {"arg0": np.arange(16, dtype=np.int32), "uses": np.array(3), "first": np.array(1)}
    )
    assert found.hosts["arg1"].reshape(4, 16)[:, 3].tolist() == [0, 3, 3, 3]


@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ("call(design, uses=1.5)", "uses = 1.5, expected a whole number of int32"),
        ("call(design, first=128)", "first = 128, expected a whole number of int8"),
        ("call(design, uses=64)", "lock empty is set to 64, expected 0 to 63"),
        ("call(design, uses=0)", r"task\(runs=0"),
        ("design.specialize(first=300)", "first = 300, expected a whole number of int8"),
        ("call(design, users=3)", "users"),
    ],
)
def test_numbers_that_do_not_fit(tmp_path: Path, calls: str, message: str) -> None:
    with pytest.raises(GoldbeatError, match=message):
        executed(tmp_path, REPLAY + calls)


def test_a_number_without_a_value(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="design: no value for uses"):
        executed(tmp_path, REPLAY.replace("DispatchTime[np.int32] = 2", "DispatchTime[np.int32]") + "call(design)")


def test_a_number_that_is_not_whole(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"DispatchTime\[float32\]"):
        executed(tmp_path, REPLAY.replace("DispatchTime[np.int32]", "DispatchTime[np.float32]"))
