# SPDX-License-Identifier: Apache-2.0
"""What the host's sequence of a text may rely on: queues, runs, resets, packets of allocations, storage of streams."""

from __future__ import annotations

import re

import numpy as np
import pytest

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError

X = np.arange(1, 65, dtype=np.int32)


def text_of(tmp_path, body, device="npu1"):
    path = tmp_path / "aie.mlir"
    path.write_text(f"module {{\n  aie.device({device}) {{\n{body}\n  }}\n}}\n")
    return path


def run(tmp_path, body, inputs=None, device="npu1", sequence=None, **options):
    return run_live(TextArray(text_of(tmp_path, body, device), sequence=sequence).build, inputs, **options)


MEMORY_TILE = """
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @a(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @b(%m, {%s}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo.link [@a] -> [@b] ([] [])
"""
WHOLE = "aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,{0}][0,0,0,1]) {{metadata = @b, id = 0 : i64}} : memref<64xi32>"
PIECE = """
    %t{0} = aiex.dma_configure_task_for @a {{
      aie.dma_bd(%i : memref<64xi32> offset = {1} len = 8)
      aie.end
    }}
    aiex.dma_start_task(%t{0})"""


def pieces(count):
    """A drain of all, a fill of each eight words, a wait."""
    tasks = "".join(PIECE.format(n, 8 * n) for n in range(count))
    head = "aie.runtime_sequence(%i : memref<64xi32>, %o : memref<64xi32>) {"
    return f"{MEMORY_TILE}{head}{WHOLE.format(8 * count)}{tasks}\naiex.npu.dma_wait {{symbol = @b}}\n}}"


def test_pushes_to_a_full_queue_wait_and_are_told(tmp_path):
    found = run(tmp_path, pieces(8), {"i": X})
    assert found.completes
    np.testing.assert_array_equal(found.hosts["o"], X)
    assert found.remarks[0].startswith("pushes to the full queue of MM2S 0 of shim tile (0, 0) wait; ")


def test_without_a_wait_they_are_lost(tmp_path):
    found = run(tmp_path, pieces(8), {"i": X}, lose_pushes=True)
    assert not found.completes
    assert (
        found.report[0] == "the host's sequence waits for a token of S2MM 0 of shim tile (0, 0), whose task never ends"
    )


def test_five_tasks_fit(tmp_path):
    found = run(tmp_path, pieces(5), {"i": X}, lose_pushes=True)
    assert found.completes
    assert not found.remarks


CORE = """
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    aie.objectfifo @a(%s, {%t}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @b(%t, {%s}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %big = arith.constant 4294967295 : index
      %two = arith.constant 2 : i32
      scf.for %turn = %c0 to %big step %c1 {
        %x = aie.objectfifo.acquire @a(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @b(Produce, 1) : memref<8xi32>
        scf.for %j = %c0 to %c8 step %c1 {
          %v = memref.load %x[%j] : memref<8xi32>
          %w = arith.muli %v, %two : i32
          memref.store %w, %y[%j] : memref<8xi32>
        }
        aie.objectfifo.release @a(Consume, 1)
        aie.objectfifo.release @b(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence @twice(%i : memref<64xi32>, %o : memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%i[0,0,0,0][1,1,1,64][0,0,0,1]) {metadata = @a, id = 1 : i64} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,64][0,0,0,1]) {metadata = @b, id = 0 : i64} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @b}
    }
    aie.runtime_sequence @first_half(%i : memref<64xi32>, %o : memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%i[0,0,0,0][1,1,1,32][0,0,0,1]) {metadata = @a, id = 1 : i64} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,64][0,0,0,1]) {metadata = @b, id = 0 : i64} : memref<64xi32>
    }"""


def test_an_acquire_that_names_its_object(tmp_path):
    np.testing.assert_array_equal(run(tmp_path, CORE, {"i": X}).hosts["o"], 2 * X)


def test_more_objects_than_names(tmp_path):
    with pytest.raises(MlirError, match="2 objects for 1 names"):
        run(tmp_path, CORE.replace("@a(Consume, 1) : memref", "@a(Consume, 2) : memref"))


def test_a_sequence_by_its_name(tmp_path):
    with pytest.raises(MlirError, match="missing sequence @third"):
        run(tmp_path, CORE, sequence="third")


def test_what_the_sequence_does_not_wait_for_is_told(tmp_path):
    found = run(tmp_path, CORE, {"i": X}, sequence="first_half")
    assert found.completes
    np.testing.assert_array_equal(found.hosts["o"][:32], 2 * X[:32])
    told = "S2MM 0 of shim tile (0, 0) has 32 words of its descriptor to move: the sequence waits for none of them"
    assert found.remarks == (told,)


def test_runs_on_one_array(tmp_path):
    found = run(tmp_path, CORE, {"i": X}, sequence="twice", runs=3)
    np.testing.assert_array_equal(found.hosts["o"], 2 * X)
    assert found.words["S2MM 0 of shim tile (0, 0)"] == 3 * 64


COUNTER = """
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %n = aie.buffer(%t) {sym_name = "n", address = 1024 : i32, initial_value = dense<5> : tensor<2xi32>} : memref<2xi32>
    %room = aie.lock(%t, 0) {init = 1 : i32}
    %full = aie.lock(%t, 1) {init = 0 : i32}
    aie.flow(%t, DMA : 0, %s, DMA : 0)
    aie.shim_dma_allocation @y (%s, S2MM, 0)
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      aie.use_lock(%room, AcquireGreaterEqual, 1)
      %v = memref.load %n[%c0] : memref<2xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %n[%c0] : memref<2xi32>
      aie.use_lock(%full, Release, 1)
      aie.end
    }
    aie.mem(%t) {
      %0 = aie.dma_start(MM2S, 0, ^bd, ^end)
    ^bd:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%n : memref<2xi32> offset = 0 len = 2)
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^bd
    ^end:
      aie.end
    }
    aie.runtime_sequence(%o : memref<4xi32>) {
      aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,2][0,0,0,1]) {metadata = @y, id = 0 : i64} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @y}
      BETWEEN
      aiex.npu.dma_memcpy_nd(%o[0,0,0,2][1,1,1,2][0,0,0,1]) {metadata = @y, id = 1 : i64} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @y}
    }"""
ENABLE = """%reg = arith.constant 204800 : i32
      %on = arith.constant 1 : i32
      aiex.npu.maskwrite32(%reg, %on, %on) {column = 0 : i32, row = 2 : i32} : i32, i32, i32"""


def test_a_core_runs_again_after_reset_and_enable(tmp_path):
    found = run(tmp_path, COUNTER.replace("BETWEEN", f"aiex.core_reset(%t)\n{ENABLE}"))
    assert found.hosts["o"].tolist() == [6, 5, 7, 5]


@pytest.mark.parametrize("between", ["aiex.core_reset(%t)", ENABLE])
def test_reset_or_enable_alone_does_not_restart_it(tmp_path, between):
    assert not run(tmp_path, COUNTER.replace("BETWEEN", between)).completes


def test_cleared_memory(tmp_path):
    between = "aiex.buffer_clear(%t, 1028, 1)\naiex.set_lock(%full, 1)"
    assert run(tmp_path, COUNTER.replace("BETWEEN", between)).hosts["o"].tolist() == [6, 5, 6, 0]


@pytest.mark.parametrize("where", ["1026, 1", "65532, 2"])
def test_words_that_are_not_there(tmp_path, where):
    with pytest.raises(UsageError, match="are not in its memory"):
        run(tmp_path, COUNTER.replace("BETWEEN", f"aiex.buffer_clear(%t, {where})"))


def test_another_kind_of_initial_value(tmp_path):
    with pytest.raises(MlirError, match="initial value of another kind"):
        run(tmp_path, COUNTER.replace("dense<5> : tensor<2xi32>", "dense_resource<big>"))


KEPT = """
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    aie.objectfifo @w(%m, {%t}, 1 : i32) : !aie.objectfifo<memref<8xi32>> = [dense<3> : memref<8xi32>]
    aie.objectfifo @o(%t, {%s}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %many = arith.constant 1024 : index
      scf.for %turn = %c0 to %many step %c1 {
        %x = aie.objectfifo.acquire @w(Consume, 1) : memref<8xi32>
        %y = aie.objectfifo.acquire @o(Produce, 1) : memref<8xi32>
        scf.for %j = %c0 to %c8 step %c1 {
          %v = memref.load %x[%j] : memref<8xi32>
          memref.store %v, %y[%j] : memref<8xi32>
        }
        aie.objectfifo.release @w(Consume, 1)
        aie.objectfifo.release @o(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%o : memref<8xi32>) {
      RESET
      aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,8][0,0,0,1]) {metadata = @o, id = 0 : i64} : memref<8xi32>
      aiex.npu.dma_wait {symbol = @o}
    }"""


@pytest.mark.parametrize("runs", [1, 4])
def test_a_fifo_begins_again_when_it_is_reset(tmp_path, runs):
    found = run(tmp_path, KEPT.replace("RESET", "aiex.dma_channel_reset_for(@w)"), runs=runs)
    assert found.completes
    assert found.hosts["o"].tolist() == [3] * 8


def test_each_run_begins_with_the_arrays_that_were_given(tmp_path):
    found = run(tmp_path, KEPT.replace("RESET", "").replace("constant 1024", "constant 1"), runs=2)
    assert not found.completes
    assert found.hosts["o"].tolist() == [0] * 8


def test_no_such_fifo_to_reset(tmp_path):
    with pytest.raises(UsageError, match="no fifo 'v'"):
        run(tmp_path, KEPT.replace("RESET", "aiex.dma_channel_reset_for(@v)"))


SHARED = """
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 3)
    %p = aie.buffer(%t) {sym_name = "p"} : memref<2xi32>
    %q = aie.buffer(%t) {sym_name = "q"} : memref<2xi32>
    %r = aie.buffer(%t) {sym_name = "r"} : memref<2xi32>
    %p0 = aie.lock(%t, 0) {init = 1 : i32}
    %p1 = aie.lock(%t, 1) {init = 0 : i32}
    %q1 = aie.lock(%t, 2) {init = 0 : i32}
    %r1 = aie.lock(%t, 3) {init = 0 : i32}
    aie.shim_dma_allocation @long (%s, MM2S, 1, <pkt_id = 4>)
    aie.shim_dma_allocation @short (%s, MM2S, 1, <pkt_id = 9>)
    aie.shim_dma_allocation @y (%s, S2MM, 0)
    aie.packet_flow(4) { aie.packet_source<%s, DMA : 1> aie.packet_dest<%t, DMA : 0> }
    aie.packet_flow(9) { aie.packet_source<%s, DMA : 1> aie.packet_dest<%t, DMA : 1> }
    aie.flow(%t, DMA : 0, %s, DMA : 0)
    aie.mem(%t) {
      %0 = aie.dma_start(S2MM, 0, ^p, ^more)
    ^p:
      aie.use_lock(%p0, AcquireGreaterEqual, 1)
      aie.dma_bd(%p : memref<2xi32> len = 2)
      aie.use_lock(%p1, Release, 1)
      aie.next_bd ^p
    ^more:
      %1 = aie.dma_start(S2MM, 1, ^q, ^last)
    ^q:
      aie.dma_bd(%q : memref<2xi32> len = 2)
      aie.use_lock(%q1, Release, 1)
      aie.next_bd ^end
    ^last:
      %2 = aie.dma_start(MM2S, 0, ^r, ^end)
    ^r:
      aie.use_lock(%r1, AcquireGreaterEqual, 1)
      aie.dma_bd(%r : memref<2xi32> len = 2)
      aie.next_bd ^end
    ^end:
      aie.end
    }
    aie.core(%t) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant PARTS : index
      aie.use_lock(%q1, AcquireGreaterEqual, 1)
      %v = memref.load %q[%c1] : memref<2xi32>
      memref.store %v, %r[%c0] : memref<2xi32>
      scf.for %turn = %c0 to %n step %c1 {
        aie.use_lock(%p1, AcquireGreaterEqual, 1)
        %w = memref.load %p[%c1] : memref<2xi32>
        memref.store %w, %r[%c1] : memref<2xi32>
        aie.use_lock(%p0, Release, 1)
      }
      aie.use_lock(%r1, Release, 1)
      aie.end
    }
    aie.runtime_sequence(%i : memref<64xi32>, %o : memref<2xi32>) {
      aiex.npu.dma_memcpy_nd(%o[0,0,0,0][1,1,1,2][0,0,0,1]) {metadata = @y, id = 0 : i64} : memref<2xi32>
      aiex.npu.dma_memcpy_nd(%i[0,0,0,0][1,1,1,WORDS][0,0,0,1]) {metadata = @long, id = 1 : i64} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%i[0,0,0,50][1,1,1,2][0,0,0,1]) {metadata = @short, id = 2 : i64} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @y}
    }"""


def shared(parts):
    return SHARED.replace("PARTS", str(parts)).replace("WORDS", str(2 * parts))


def test_packets_of_an_allocation(tmp_path):
    found = run(tmp_path, shared(5), {"i": X}, "npu2")
    assert found.completes
    assert found.hosts["o"].tolist() == [52, 10]


@pytest.mark.parametrize(("device", "completes"), [("npu2", False), ("npu1", True)])
def test_a_packet_that_waits_blocks_the_next_one(tmp_path, device, completes):
    found = run(tmp_path, shared(6), {"i": X}, device)
    assert found.completes is completes
    text = "hangs where a port holds 8 words of packets, as on npu2, and not 16: "
    assert [r for r in found.remarks if r.startswith(text)]
    waits = "the host's sequence waits for a token of S2MM 0 of shim tile (0, 0), whose task never ends"
    assert found.report[:1] == (() if completes else (waits,))


def test_a_packet_without_a_way(tmp_path):
    found = run(tmp_path, shared(5).replace("<pkt_id = 9>", "<pkt_id = 8>"), {"i": X})
    assert "DMA 1 of shim tile (0, 0) sends a packet of id 8, for which there is no way" in found.report


def test_a_channel_without_a_stream(tmp_path):
    text = shared(5).replace("@short (%s, MM2S, 1,", "@short (%s, MM2S, 0,")
    found = run(tmp_path, text, {"i": X})
    assert "MM2S 0 of shim tile (0, 0) sends into no stream" in found.report


def test_dimensions_beyond_a_walk_are_uses_of_the_descriptor(tmp_path):
    head = "aie.runtime_sequence(%i : memref<64xi32>, %o : memref<64xi32>) {"
    task = """
      %t = aiex.dma_configure_task_for @a {
        aie.dma_bd(%i : memref<64xi32> offset = 1 len = 8 sizes = [2, 3, 1, 2, 4] strides = [32, 8, 0, 4, 1])
        aie.end
      } {repeat_count = 6 : i32}
      aiex.dma_start_task(%t)
      aiex.npu.dma_wait {symbol = @b}
    }"""
    found = run(tmp_path, f"{MEMORY_TILE}{head}{WHOLE.format(56)}{task}", {"i": X})
    at = [1, 9, 17, 33, 41, 49, 1]
    np.testing.assert_array_equal(found.hosts["o"][:56], np.concatenate([X[n : n + 8] for n in at]))


ADDED = """
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @a(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @b(%m, {%s}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
    aie.objectfifo.link [@a] -> [@b] ([] [])
    aie.runtime_sequence(%i : memref<8xi32>) {
      aiex.npu.writebd {bd_id = 3 : i32, buffer_length = 8 : i32, buffer_offset = 0 : i32, column = 0 : i32, row = 0 : i32,
        d0_size = 0 : i32, d0_stride = 0 : i32, d1_size = 0 : i32, d1_stride = 0 : i32, d2_stride = 0 : i32,
        valid_bd = 1 : i32}
      aiex.npu.address_patch {addr = 118884 : ui32, arg_idx = 4 : i32, arg_plus = 8 : i32}
      aiex.npu.push_queue (0, 0, S2MM:0) {issue_token = true, bd_id = 3 : i32, repeat_count = 0 : i32}
      aiex.npu.dma_memcpy_nd(%i[0,0,0,0][1,1,1,8][0,0,0,1]) {metadata = @a, id = 0 : i64} : memref<8xi32>
      aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 0 : i32, channel = 0 : i32, column_num = 1 : i32,
        row_num = 1 : i32}
    }"""


def test_a_buffer_that_the_host_adds(tmp_path):
    found = run(tmp_path, ADDED, {"i": X[:8]})
    assert found.completes
    np.testing.assert_array_equal(found.hosts["argument 4"][2:10], X[:8])
    assert found.remarks == ("the sequence uses argument 4, which it does not declare: 65536 words",)


DRAINS = """
    aie.runtime_sequence(%i : memref<64xi32>, %o : memref<64xi32>) {{
      {0}
      {1}
      {2}
      {3}
    }}
"""


def move(end, start, size, number):
    array = {"a": "%i", "b": "%o"}[end]
    return (
        f"aiex.npu.dma_memcpy_nd({array}[0,0,0,{start}][1,1,1,{size}][0,0,0,1]) "
        f"{{metadata = @{end}, id = {number} : i64, issue_token = {str(end == 'b').lower()}}} : memref<64xi32>"
    )


WAIT = "aiex.npu.dma_wait {symbol = @b}"
FILL, HALVES = move("a", 0, 64, 0), [move("b", 0, 32, 1), move("b", 32, 32, 2)]


@pytest.mark.parametrize(
    ("waits", "said"),
    [
        (2, []),
        (1, ["nothing waits for the last 1 of 2 tasks of S2MM 0 of shim tile (0, 0): "]),
        (0, ["nothing waits for S2MM 0 of shim tile (0, 0): "]),
    ],
)
def test_each_task_into_a_host_array_needs_its_own_wait(waits, said, tmp_path):
    found = run(tmp_path, MEMORY_TILE + DRAINS.format(FILL, *HALVES, "\n".join([WAIT] * waits)), {"i": X})
    assert found.completes
    assert [one[: len(text)] for one, text in zip(found.remarks, said, strict=True)] == said


def test_a_receivers_descriptor_is_not_written_while_it_is_in_use(tmp_path):
    first, second = HALVES[0], move("b", 32, 32, 1)
    assert not run(tmp_path, MEMORY_TILE + DRAINS.format(FILL, first, WAIT, second + "\n" + WAIT), {"i": X}).remarks
    with pytest.raises(
        MlirError, match=r"aie.mlir:13:7: .* descriptor 1 of shim tile .* written while S2MM 0 .* uses it"
    ):
        run(tmp_path, MEMORY_TILE + DRAINS.format(FILL, first, second, WAIT + "\n" + WAIT), {"i": X})


def test_a_senders_descriptor_that_is_written_at_work_has_a_remark(tmp_path):
    drain, fills = move("b", 0, 64, 1), [move("a", 0, 32, 0), move("a", 32, 32, 0)]
    (remark,) = run(tmp_path, MEMORY_TILE + DRAINS.format(*fills, drain, WAIT), {"i": X}).remarks
    assert re.search(r"aie.mlir:12:7: descriptor 0 of .* is written while MM2S 0 .* missing: a wait before$", remark)


def test_nan_does_not_depend_on_the_order(tmp_path):
    body = (MEMORY_TILE + DRAINS.format(FILL, *HALVES, WAIT + "\n" + WAIT)).replace("xi32", "xf32")
    found = run(tmp_path, body, {"i": np.where(X == 7, np.nan, X).astype(np.float32)})
    assert np.isnan(found.hosts["o"][6])
    assert found.differing == ()
