# SPDX-License-Identifier: Apache-2.0
"""Text executed as a whole: cores, DMA programs and the host's sequence of small designs."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError
from goldbeat.pymodels.objfifo.plan.rules import RuleError

RING = """
module {{
  aie.device(npu1_1col) {{
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {{sym_name = "a"}} : memref<{words}xi32>
    %b = aie.buffer(%t) {{sym_name = "b"}} : memref<{words}xi32>
    %free = aie.lock(%t, 0) {{init = {free} : i32}}
    %full = aie.lock(%t, 1) {{init = 0 : i32}}
    %room = aie.lock(%t, 2) {{init = 1 : i32}}
    %done = aie.lock(%t, 3) {{init = 0 : i32}}
    {flows}
    aie.shim_dma_allocation @x (%s, MM2S, 0)
    aie.shim_dma_allocation @y (%s, S2MM, 0)
    %core = aie.core(%t) {{
      {core}
      aie.end
    }}
    %mem = aie.mem(%t) {{
      %0 = aie.dma_start(S2MM, 0, ^in, ^next)
    ^in:
      %c1 = arith.constant 1 : i32
      aie.use_lock(%free, AcquireGreaterEqual, %c1)
      aie.dma_bd(%a : memref<{words}xi32> offset = 0 len = {words})
      aie.use_lock(%full, Release, %c1)
      aie.next_bd ^in
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%done, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<{words}xi32> {out}){packet}
      aie.use_lock(%room, Release, 1)
      aie.next_bd ^out
    ^end:
      aie.end
    }}
    {globals}
    aie.runtime_sequence(%i : memref<{all}xi32>, %o : memref<{all}xi32>) {{
      {sequence}
    }}
  }}
}}
"""
CIRCUITS = """aie.flow(%s, DMA : 0, %t, DMA : 0)
    aie.flow(%t, DMA : 0, %s, DMA : 0)"""
ADD = """
      %c0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %n = arith.constant {words} : index
      %big = arith.constant 4294967295 : index
      %three = arith.constant 3 : i32
      scf.for %turn = %c0 to %big step %k1 {{
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.use_lock(%room, AcquireGreaterEqual, 1)
        scf.for %j = %c0 to %n step %k1 {{
          %v = memref.load %a[%j] : memref<{words}xi32>
          %w = arith.addi %v, %three : i32
          memref.store %w, %b[%j] : memref<{words}xi32>
        }}
        aie.use_lock(%free, Release, 1)
        aie.use_lock(%done, Release, 1)
      }}"""
MOVES = """aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, {all}][0, 0, 0, 1]) {{id = 0 : i64, metadata = @x}} : memref<{all}xi32>
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, {all}][0, 0, 0, 1]) {{id = 1 : i64, metadata = @y}} : memref<{all}xi32>
      aiex.npu.dma_wait {{symbol = @y}}"""


@pytest.fixture
def ring(tmp_path):
    """Execute the ring above with parts of it replaced."""

    def run(inputs=None, kernels=None, words=8, turns=4, **parts):
        fields = {"words": words, "all": words * turns, "free": 1, "flows": CIRCUITS, "core": ADD, "globals": "",
                  "sequence": MOVES, "out": f"offset = 0 len = {words}", "packet": ""}  # fmt: skip
        fields |= parts
        for name in ("core", "sequence"):
            fields[name] = fields[name].format(**fields)
        path = tmp_path / "ring.mlir"
        path.write_text(RING.format(**fields))
        data = {"i": np.arange(words * turns, dtype=np.int32)} if inputs is None else inputs
        return run_live(TextArray(path, kernels).build, data)

    return run


def test_a_core_in_text_is_executed(ring):
    found = ring()
    assert found.completes
    assert not found.differing
    assert found.hosts["o"].tolist() == list(range(3, 35))


def test_a_lock_that_is_never_given_is_named(ring):
    found = ring(free=0)
    assert not found.completes
    assert any("lock full" in line for line in found.report)
    assert any("S2MM 0 of core tile (0, 2)" in line and "free" in line for line in found.report)


def test_packets_go_by_their_ids(ring):
    flows = """aie.packet_flow(5) {
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%t, DMA : 0>
    }
    aie.packet_flow(7) {
      aie.packet_source<%t, DMA : 0>
      aie.packet_dest<%s, DMA : 0>
    }"""
    sequence = MOVES.replace("[0, 0, 0, 1])", "[0, 0, 0, 1], packet = <pkt_id = 5, pkt_type = 0>)", 1)
    packet = " {packet = #aie.packet_info<pkt_type = 0, pkt_id = 7>}"
    assert ring(flows=flows, sequence=sequence, packet=packet).hosts["o"].tolist() == list(range(3, 35))
    wrong = ring(flows=flows, sequence=sequence.replace("pkt_id = 5", "pkt_id = 6"), packet=packet)
    assert not wrong.completes


def test_descriptors_may_be_used_again_after_a_wait(ring):
    parts = []
    for turn in range(4):
        text = MOVES.replace("[0, 0, 0, 0][1, 1, 1, {all}]", f"[0, 0, 0, {8 * turn}][1, 1, 1, 8]")
        parts.append(text)
    assert ring(sequence="\n".join(parts)).hosts["o"].tolist() == list(range(3, 35))


def test_a_descriptor_that_waits_in_the_queue_is_not_written_again(ring):
    moves = MOVES.split("\n")
    with pytest.raises(MlirError, match=r"descriptor 0 of shim tile .* is written while MM2S 0"):
        ring(sequence="\n".join([moves[0], moves[0], moves[0]]))


def test_a_descriptor_is_not_given_to_two_channels_at_once(ring):
    moves = MOVES.replace("id = 1", "id = 0")
    with pytest.raises(MlirError, match=r"descriptor 0 for S2MM 0 of shim tile .*, which MM2S 0 .* has since line \d+"):
        ring(sequence=moves)
    first, second, wait = MOVES.split("\n")
    swapped = [second.replace("id = 1", "id = 0"), first.replace("id = 0", "id = 1"), wait]
    # What was waited for has given its descriptor back.
    assert ring(sequence="\n".join([first, second, wait, *swapped])).completes


@pytest.mark.parametrize(
    ("walk", "found"),
    [
        ("[1, 1, 2, 16][0, 0, 1048577, 1]", "step 1048577 words of dim 1 .*, expected at most 1048576"),
        ("[1, 2, 2, 8][0, 1048577, 8, 1]", "step 1048577 words of dim 2 .*, expected at most 1048576"),
        ("[2, 1, 1, 16][1048577, 0, 0, 1]", "a first stride of 1048577 words, expected at most 1048576"),
        ("[1, 1, 1, 32][0, 0, 0, 1048577]", "step 1048577 words of dim 0 .*, expected at most 1048576"),
        ("[1, 1, 1024, 1][0, 0, 2, 1]", "size 1024 of dim 1 .*, expected at most 1023"),
        ("[1, 2, 1024, 2][0, 8, 4, 1]", "size 1024 of dim 1 .*, expected at most 1023"),
        # As fewer dimensions they fit: words that follow each other, and a last dimension, which the length ends.
        ("[1, 1, 2, 16][0, 0, 16, 1]", None),
        ("[1, 1, 32, 1][0, 0, 1, 1]", None),
        ("[1, 1, 1, 33][0, 0, 0, 1]", "elements 0 to 32 of i, expected elements 0 to 31"),
        ("[1, 1, 2, 16][0, 0, 1048576, 1]", "elements 0 to 1048591 of i, expected elements 0 to 31"),
    ],
)
def test_walks_of_the_host_fit_the_fields(ring, walk, found):
    moves = MOVES.replace("[1, 1, 1, {all}][0, 0, 0, 1]", walk, 1)
    if found is None:
        assert ring(sequence=moves).completes
        return
    with pytest.raises((MlirError, UsageError), match=found):
        ring(sequence=moves)


@pytest.mark.parametrize(
    ("out", "found"),
    [
        ("offset = 0 len = 16384", "length 16384 words of a descriptor of core tile .*, expected at most 16383"),
        (
            "offset = 0 len = 8 sizes = [2, 4] strides = [8193, 1]",
            "step 8193 words of dim 1 of a descriptor of core tile .*, expected at most 8192",
        ),
        (
            "offset = 0 len = 512 sizes = [2, 256] strides = [512, 2]",
            "size 256 words of dim 0 of a descriptor of core tile .*, expected at most 255",
        ),
        (
            "offset = 0 len = 16 sizes = [2, 2, 2, 2] strides = [16, 7, 5, 2]",
            "4 dimensions of a descriptor of core tile .*, expected at most 3",
        ),
        ("offset = 0 len = 8 len = 4", "len twice, expected it once"),
        (", 0, 8 offset = 0", "offset twice, by its place and by its name, expected it once"),
        # The compiler counts dimensions before it joins any.
        (
            "offset = 0 len = 16 sizes = [2, 2, 2, 2] strides = [1, 4, 2, 8]",
            "4 dimensions of a descriptor of core tile .*, expected at most 3",
        ),
        (
            "offset = 0 len = 8 pad = [<const_pad_before = 1, const_pad_after = 1>] sizes = [6] strides = [1]",
            "padding in a descriptor of core tile .*, expected no padding: only memory tiles pad",
        ),
        ("offset = 0 len = 8 sizes = [2, 1, 2, 2] strides = [4, 99999, 2, 1]", None),
    ],
)
def test_walks_of_a_tile_fit_the_fields(ring, tmp_path, out, found):
    if found is None:
        assert ring(out=out).completes
        return
    with pytest.raises(MlirError, match=rf"ring.mlir:\d+:\d+: found {found}"):
        ring(out=out)
    with pytest.raises(MlirError, match=rf"ring.mlir:\d+:\d+: found {found}"):
        text_design(tmp_path / "ring.mlir")


@pytest.mark.parametrize(
    ("start", "error", "found"),
    [
        (-1, MlirError, "an offset of -1"),
        (-1000, MlirError, "an offset of -1000"),
        (1, RuleError, "elements 1 to 32 of i"),
    ],
)
def test_a_transfer_that_leaves_its_array_is_refused_by_all(ring, tmp_path, start, error, found):
    moves = MOVES.replace("%i[0, 0, 0, 0]", f"%i[0, 0, 0, {start}]")
    with pytest.raises(MlirError, match=rf"ring.mlir:\d+:7: found {found}"):
        ring(sequence=moves)
    with pytest.raises(error, match=rf"ring.mlir:\d+:7: found {found}"):
        text_design(tmp_path / "ring.mlir")


@pytest.mark.parametrize(("action", "lock"), [("AcquireGreaterEqual", "%done"), ("Release", "%free")])
@pytest.mark.parametrize("units", [0, 1])
def test_a_second_lock_of_a_descriptor_is_refused_by_all(ring, tmp_path, action, lock, units):
    line = f"aie.use_lock({lock}, {action}, {units})"
    what = "release" if action == "Release" else "acquire"
    found = rf"ring.mlir:\d+:7: found a second {what}, of {lock}, expected at most one {what} per buffer descriptor"
    with pytest.raises(MlirError, match=found):
        ring(packet=f"\n      aie.use_lock(%room, Release, 1)\n      {line}")
    with pytest.raises(MlirError, match=found):
        text_design(tmp_path / "ring.mlir")


def test_tasks_with_chains_and_awaits(ring):
    sequence = """%t0 = aiex.dma_configure_task(%s, MM2S, 0) {{
        aie.dma_bd(%i : memref<{all}xi32> offset = 16 len = 16) {{bd_id = 2 : i32}}
        aie.next_bd ^more
      ^more:
        aie.dma_bd(%i : memref<{all}xi32> offset = 0 len = 16) {{bd_id = 3 : i32}}
        aie.end
      }}
      %t1 = aiex.dma_configure_task_for @y {{
        aie.dma_bd(%o : memref<{all}xi32> offset = 0 len = 8 sizes = [4, 1, 2, 4] strides = [8, 0, 4, 1]) {{bd_id = 4 : i32}}
        aie.end
      }} {{issue_token = true, repeat_count = 3 : i32}}
      aiex.dma_start_task(%t0)
      aiex.dma_start_task(%t1)
      aiex.dma_await_task(%t1)
      aiex.dma_free_task(%t0)"""
    assert ring(sequence=sequence).hosts["o"].tolist() == [*range(19, 35), *range(3, 19)]


def test_raw_writes_locks_and_parameters(ring):
    first = "aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0]"
    extra = """%addr = arith.constant 0x1F000 : i32
      %one = arith.constant 1 : i32
      aiex.npu.write32(%addr, %one) {{column = 0 : i32, row = 2 : i32}} : i32, i32
      """
    sequence = MOVES.replace(first, extra + first)
    assert ring(free=0, sequence=sequence).hosts["o"].tolist() == list(range(3, 35))
    lock = MOVES.replace(first, "aiex.set_lock(%free, 1)\n      " + first)
    assert ring(free=0, sequence=lock).hosts["o"].tolist() == list(range(3, 35))


def test_descriptors_by_their_registers(ring):
    sequence = """%words = memref.get_global @bd : memref<8xi32>
      aiex.npu.blockwrite(%words) {{address = 0x1d000 : ui32, column = 0 : i32, row = 0 : i32}} : memref<8xi32>
      %zero = arith.constant 0 : i32
      aiex.npu.address_patch(%zero : i32) {{addr = 0x1d004 : ui32, arg_idx = 0 : i32}}
      %queue = arith.constant 0x1d214 : i32
      aiex.npu.write32(%queue, %zero) {{column = 0 : i32, row = 0 : i32}} : i32, i32
      """ + MOVES.split("\n", 1)[1]
    made = 'memref.global "private" @bd : memref<8xi32> = dense<[32, 0, 0, 0, 0x80000000, 0, 0, 0x2000000]>'
    assert ring(sequence=sequence, globals=made).hosts["o"].tolist() == list(range(3, 35))


def test_kernels_need_a_stand_in(ring):
    core = """aie.use_lock(%full, AcquireGreaterEqual, 1)
      func.call @twice(%a, %b) : (memref<8xi32>, memref<8xi32>) -> ()
      aie.use_lock(%done, Release, 1)"""
    made = 'func.func private @twice(memref<8xi32>, memref<8xi32>) attributes {link_with = "twice.o"}'
    with pytest.raises(MlirError, match="--kernel twice=") as error:
        ring(core=core, globals=made, turns=1)
    assert error.value.line
    assert error.value.column == 7

    def twice(a, b):
        b[:] = 2 * a

    for name in ("twice", "twice.o"):
        found = ring(core=core, globals=made, turns=1, kernels={name: twice})
        assert found.hosts["o"].tolist() == list(range(0, 16, 2))


def test_marks_of_a_trace_need_no_stand_in(ring):
    marks = 'func.func private @event_0() attributes {link_with = "mm.o"}'
    core = ADD.replace("%c0 =", "func.call @event_0() : () -> ()\n      aie.event(1)\n      %c0 =", 1)
    assert ring(core=core, globals=marks).hosts["o"].tolist() == list(range(3, 35))
    core = core.replace("@event_0() : () -> ()", "@event_0(%a) : (memref<8xi32>) -> ()")
    with pytest.raises(MlirError, match="--kernel event_0="):
        ring(core=core, globals=marks.replace("()", "(memref<8xi32>)"))


def test_control_flow_and_arithmetic(ring):
    core = """%c0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %n = arith.constant 8 : index
      %z = arith.constant 0 : i32
      %five = arith.constant 5 : i32
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      %sum = scf.for %j = %c0 to %n step %k1 iter_args(%s0 = %z) -> (i32) {{
        %v = memref.load %a[%j] : memref<8xi32>
        %s1 = arith.addi %s0, %v : i32
        %small = arith.cmpi slt, %v, %five : i32
        scf.if %small {{
          memref.store %s1, %b[%j] : memref<8xi32>
        }} else {{
          %m = arith.subi %z, %v : i32
          %q = arith.shrui %m, %five : i32
          memref.store %q, %b[%j] : memref<8xi32>
        }}
        scf.yield %s1 : i32
      }}
      cf.br ^last
    ^last:
      memref.store %sum, %b[%c0] : memref<8xi32>
      aie.use_lock(%done, Release, 1)"""
    wanted = [28, 1, 3, 6, 10, *((-v & 0xFFFFFFFF) >> 5 for v in (5, 6, 7))]
    assert ring(core=core, turns=1).hosts["o"].tolist() == wanted


def test_an_element_outside_and_unknown_operations_are_errors(ring):
    with pytest.raises(MlirError, match=r"'vector\.load'"):
        ring(core="%c0 = arith.constant 0 : index\n %v = vector.load %a[%c0] : memref<8xi32>, vector<8xi32>")


def test_what_depends_on_the_faster_one_shows(tmp_path):
    text = """aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %t = aie.tile(0, 2)
    %p = aie.buffer(%t) {sym_name = "p"} : memref<4xi32>
    %full = aie.lock(%t, 0) {init = 0 : i32}
    aie.flow(%t, DMA : 0, %s, DMA : 0)
    aie.shim_dma_allocation @y (%s, S2MM, 0)
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %k1 = arith.constant 1 : index
      %v = memref.load %p[%c0] : memref<4xi32>
      memref.store %v, %p[%k1] : memref<4xi32>
      aie.use_lock(%full, Release, 1)
      aie.end
    }
    %mem = aie.mem(%t) {
      %0 = aie.dma(MM2S, 0) [{
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        aie.dma_bd(%p : memref<4xi32>)
      }]
      aie.end
    }
    aie.runtime_sequence(%o : memref<4xi32>) {
      %nine = arith.constant 9 : i32
      aiex.npu.rtp_write(@p, 0, %nine) : i32
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @y} : memref<4xi32>
      aiex.npu.dma_wait {symbol = @y}
    }
    }
    """
    path = tmp_path / "race.mlir"
    path.write_text(text)
    found = run_live(TextArray(path).build)
    assert found.completes
    assert found.differing == ("o",)


FIFOS = """aie.device(npu1_2col) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %t = aie.tile(0, 2)
    %u = aie.tile(1, 2)
    aie.objectfifo @x(%s, {{%m}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @xm(%m, {{%t}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@x] -> [@xm] ([] [])
    aie.objectfifo @y(%u, {{%s}}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    {links}
    %c0 = aie.core(%t) {{
      %e = aie.objectfifo.acquire @xm(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
      %a = aie.objectfifo.subview.access %e[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      func.call @first(%a) : (memref<16xi32>) -> ()
      aie.objectfifo.release @xm(Consume, 1)
      aie.end
    }}
    %c1 = aie.core(%u) {{
      %e = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %a = aie.objectfifo.subview.access %e[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      func.call @second(%a) : (memref<16xi32>) -> ()
      aie.objectfifo.release @y(Produce, 1)
      aie.end
    }}
    func.func private @first(memref<16xi32>)
    func.func private @second(memref<16xi32>)
    aie.runtime_sequence(%i : memref<16xi32>, %o : memref<16xi32>, %n : i32) {{
      aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {{id = 0 : i64, metadata = @x}} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%o[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {{id = 1 : i64, metadata = @y}} : memref<16xi32>
      aiex.npu.dma_wait {{symbol = @y}}
    }}
}}
"""


def _sends(a):
    for value in a:
        yield CascadePut(int(value))


def _takes(a):
    for n in range(len(a)):
        value = yield CascadeGet()
        a[n] = value + 100


def test_fifos_and_a_cascade(tmp_path):
    path = tmp_path / "cascade.mlir"
    path.write_text(FIFOS.format(links="aie.cascade_flow(%t, %u)"))
    kernels = {"first": _sends, "second": _takes}
    found = run_live(TextArray(path, kernels).build, {"i": np.arange(16, dtype=np.int32), "n": 3})
    assert found.completes
    assert found.hosts["o"].tolist() == list(range(100, 116))
    path.write_text(FIFOS.format(links=""))
    hung = run_live(TextArray(path, kernels).build)
    assert not hung.completes
    assert any("a cascade, which it has not" in line for line in hung.report)


def test_inputs_that_do_not_fit(ring):
    with pytest.raises(UsageError, match="no host array q"):
        ring(inputs={"q": np.zeros(4)})
    with pytest.raises(MlirError, match=r"ring.mlir:\d+:7: found elements 0 to 31 of i, expected elements 0 to 3"):
        ring(inputs={"i": np.zeros(4, np.int32)})
    with pytest.raises(InputError, match="i of 3 bytes"):
        ring(inputs={"i": np.zeros(3, np.int8)})
