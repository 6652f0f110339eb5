# SPDX-License-Identifier: Apache-2.0
"""Fifos that begin or end at a core's stream port (``aie_stream``)."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.core_ports import StreamGet, StreamPut
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.lower import plan
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.pymodels.objfifo.untimed.deadlock import analyse

TEXT = """
module {{
  aie.device(npu1) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    %c = aie.tile(3, 3)
    {fifos}
  }}
}}
"""
OBJECTS = " : !aie.objectfifo<memref<16xi32>>"


def fifo(ends, extra="", depth=2):
    return f"aie.objectfifo @f ({ends}, {depth} : i32) {{aie_stream = {extra}}}{OBJECTS}"


@pytest.fixture
def planned(tmp_path):
    """The plan of some fifos in text."""

    def make(*fifos):
        path = tmp_path / "fifos.mlir"
        path.write_text(TEXT.format(fifos="\n    ".join(fifos)))
        return plan(open_fifo_design(path), strict=False)

    return make


def test_a_producer_s_port_has_no_buffer_lock_or_channel(planned):
    found = planned(fifo("%a, {%b}", "0 : i32, aie_stream_port = 0 : i32", 3))
    text = to_mlir(found)
    assert "aie.flow(%tile_0_2, Core : 0, %tile_0_3, DMA : 0)" in text
    assert [len(t.buffers) for t in found.tiles if t.channels] == [3]
    assert [(t.tile.name, len(t.buffers), len(t.locks), len(t.channels)) for t in found.tiles if t.tile.row == 2] in (
        [],
        [("tile_0_2", 0, 0, 0)],
    )
    assert to_json(found)["flows"][0]["source"]["bundle"] == "Core"
    assert '"tile_0_2 Core 0" -> "tile_0_3 S2MM 0"' in to_dot(found)


def test_both_ends(planned):
    found = planned(fifo("%a, {%c}", "2 : i32, aie_stream_port = 1 : i32"))
    assert "aie.flow(%tile_0_2, Core : 1, %tile_3_3, Core : 1)" in to_mlir(found)
    assert not any(t.buffers or t.locks or t.channels for t in found.tiles)


def test_a_link_sends_to_a_consumer_s_port(planned):
    found = planned(
        f"aie.objectfifo @in (%s, {{%m}}, 2 : i32){OBJECTS}",
        fifo("%m, {%c}", "1 : i32, aie_stream_port = 0 : i32"),
        "aie.objectfifo.link [@in] -> [@f] ([] [])",
    )
    assert "aie.flow(%mem_tile_0_1, DMA : 0, %tile_3_3, Core : 0)" in to_mlir(found)
    assert [t.tile.name for t in found.tiles if t.buffers] == ["mem_tile_0_1"]


@pytest.mark.parametrize(
    ("fifos", "rule"),
    [
        (fifo("%m, {%b}", "0 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%s, {%b}", "0 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%a, {%m}", "1 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%a, {%s}", "2 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%a, {%b, %c}", "0 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%a, {%b}", "3 : i32, aie_stream_port = 0 : i32"), "stream-end"),
        (fifo("%a, {%b}", "0 : i32, aie_stream_port = 2 : i32"), "stream-end"),
        (fifo("%a dimensionsToStream [<size = 16, stride = 1>], {%b}", "0 : i32, aie_stream_port = 0 : i32"),
         "stream-plain"),
        (fifo("%a, {%b dimensionsFromStream [<size = 16, stride = 1>]}", "1 : i32, aie_stream_port = 0 : i32"),
         "stream-plain"),
        (fifo("%a, {%b dimensionsFromStream [<size = 16, stride = 1>]}", "0 : i32, aie_stream_port = 0 : i32"),
         "stream-plain"),
        (fifo("%a, {%b}", "0 : i32, aie_stream_port = 0 : i32, repeat_count = 2 : i32"), "stream-plain"),
        (fifo("%a, {%m}", "0 : i32, aie_stream_port = 0 : i32, iter_count = 2 : i32"), "stream-plain"),
        (fifo("%a, {%b}", "0 : i32, aie_stream_port = 0 : i32", 1) + " = [dense<1> : memref<16xi32>]", "stream-plain"),
    ],
)  # fmt: skip
def test_what_a_port_has_not(planned, fifos, rule):
    with pytest.raises(RuleError) as error:
        planned(fifos)
    assert error.value.rule == rule


def test_one_attribute_without_the_other(planned):
    with pytest.raises(MlirError, match="aie_stream and aie_stream_port together"):
        planned(fifo("%a, {%b}", "0 : i32"))


SCRIPT = """
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime, Worker, Kernel
from aie.iron.device import NPU2, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"{x}), ObjectFifo(ty, name="y"{y})
send, take = Kernel("send", "k.o", [ty]), Kernel("take", "k.o", [ty])

def first(a, out, send):
    for _ in range(2):
        part = a.acquire(1)
        {first}
        a.release(1)

def second(inp, b, take):
    for _ in range(2):
        part = b.acquire(1)
        take(part)
        b.release(1)

out, middle = ObjectFifo(ty, name="out"), ObjectFifo(ty, name="middle"{middle})
workers = [Worker(first, [x.cons(), middle.prod(), send], tile=Tile(0, 2), while_true=False),
           Worker(second, [middle.cons(), out.prod(), take], tile=Tile(1, 4), while_true=False)]

def sequence(inp, res, a, b):
    a.fill(inp)
    b.drain(res, wait=True)

two = np.ndarray[(16,), np.dtype[np.int32]]
rt = Runtime(sequence, [two, two, x.prod(), out.cons()])
Program(NPU2(), rt, workers=workers).resolve_program()
"""


def _send(part):
    for value in part:
        yield StreamPut(int(value) + 1, 1)


def _take(part):
    for n in range(len(part)):
        word = yield StreamGet(1)
        part[n] = word * 2


def script(tmp_path, middle=", aie_stream=(2, 1)", first="send(part)"):
    path = tmp_path / "script.py"
    path.write_text(
        SCRIPT.format(x="", y="", middle=middle, first=first).replace(', ObjectFifo(ty, name="y")', ", None")
    )
    return path


def test_kernels_write_and_read_the_ports(tmp_path):
    kernels = {"send": _send, "take": _take}
    data = {"arg0": np.arange(16, dtype=np.int32)}
    found = ScriptArray(script(tmp_path), (), kernels).execute(data)[-1]
    assert found.completes
    assert found.hosts["arg1"].tolist() == [2 * (n + 1) for n in range(16)]
    other = ScriptArray(script(tmp_path, ", aie_stream=(2, 0)"), (), kernels).execute(data)[-1]
    assert not other.completes
    assert any("a word at Core 1" in line for line in other.report)


def test_a_core_does_not_acquire_at_its_port(tmp_path):
    path = script(tmp_path, first="out.acquire(1)")
    with pytest.raises(RuleError, match="stream-access"):
        ScriptArray(path, (), {"take": _take}).execute()


def test_it_is_planned_but_neither_decided_nor_run(tmp_path):
    design = open_fifo_design(script(tmp_path))
    assert "Core : 1" in to_mlir(plan(design))
    with pytest.raises(UsageError, match=r"middle: a fifo at port 1 of the core of core tile .* is executed"):
        analyse(design)


CORES = """
    aie.objectfifo @x (%s, {%a}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f (%a, {%s}, 2 : i32) {aie_stream = 0 : i32, aie_stream_port = 0 : i32} : !aie.objectfifo<memref<16xi32>>
    %k = aie.core(%a) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %p = arith.constant 0 : i32
      %e = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %d = aie.objectfifo.subview.access %e[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      scf.for %i = %c0 to %c16 step %c1 {
        %v = memref.load %d[%i] : memref<16xi32>
        %w = arith.addi %v, %v : i32
        aie.put_stream(%p : i32, %w : i32)
      }
      aie.objectfifo.release @x(Consume, 1)
      aie.end
    }
    aie.runtime_sequence(%i : memref<16xi32>, %o : memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @f} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @f}
    }
"""


def test_text_is_executed(tmp_path):
    path = tmp_path / "stream.mlir"
    path.write_text(TEXT.format(fifos=CORES))
    found = run_live(TextArray(path).build, {"i": np.arange(16, dtype=np.int32)})
    assert found.completes
    assert found.hosts["o"].tolist() == [2 * n for n in range(16)]


def test_a_port_sends_no_packets(tmp_path):
    design = open_fifo_design(script(tmp_path))
    with pytest.raises(UsageError, match="middle: a core's stream port sends no packet headers"):
        plan(design, packets=True)
