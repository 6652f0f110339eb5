# SPDX-License-Identifier: Apache-2.0
"""Accesses that nothing orders, by the record of one run: locks, streams, tokens, waits, and what programs touch."""

import re

import numpy as np
import pytest
from order_designs import order_faults, sound_designs
from typer.testing import CliRunner

from goldbeat.pymodels.objfifo.live.execute import array_order, run_live
from goldbeat.pymodels.objfifo.live.order_check import array_findings
from goldbeat.pymodels.objfifo.live.order_record import OrderRecorder
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.order.watched_memory import watched_memories
from goldbeat.tb.cli import app

SOUND = sound_designs()


def built(tmp_path, text, kernels=None):
    path = tmp_path / "design.mlir"
    path.write_text(text)
    return TextArray(path, kernels or {}, None, None).build


def findings(build):
    with watched_memories():
        array = build()
    recorder = OrderRecorder(array, lambda: "")
    array.hand_in({})
    array.restart()
    assert array.run()
    found = array_findings(recorder)
    array.close()
    return found


@pytest.mark.parametrize("name", SOUND)
def test_sound_designs_have_no_finding(tmp_path, name):
    order = array_order(built(tmp_path, SOUND[name]))
    assert (order.unordered, order.pairs) == ((), ())


def faulty(kind, design="neighbours", number=0):
    return [one for one in order_faults(design, SOUND[design]) if one.kind == kind][number]


@pytest.mark.parametrize(
    ("kind", "number", "said"),
    [
        ("initial value changed", 0, "S2MM 0 of core tile (0, 2)"),
        ("buffer shared", 0, "bytes 0 to 31 of x1"),
        ("acquire removed", 0, "bytes 0 to 31 of x1"),
        ("release with another amount", 0, "bytes 0 to 31 of x0"),
    ],
)
def test_a_fault_names_both_accesses_and_the_missing_edge(tmp_path, kind, number, said):
    found = findings(built(tmp_path, faulty(kind, number=number).text))
    assert found
    assert all(one.text.startswith("unordered: ") and "; missing: " in one.text for one in found)
    assert any(said in one.text for one in found)


def test_a_host_array_that_is_used_again_before_the_wait(tmp_path):
    waits = "aiex.npu.dma_wait {symbol = @out}\n"
    text = SOUND["neighbours"]
    at = text.index(waits)
    found = findings(built(tmp_path, text[:at] + text[at + len(waits) :]))
    assert [one.text for one in found if " of B; " in one.text] == [
        "unordered: S2MM 0 of shim tile (0, 0) writes, MM2S 0 of shim tile (0, 0) reads: bytes 0 to 255 of B; "
        "missing: MM2S 0 of shim tile (0, 0) waits until S2MM 0 of shim tile (0, 0) is done"
    ]


IN_PLACE = """module {
  aie.device(npu1) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @x(%s, {%m}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo @y(%m, {%s}, 2 : i32) : !aie.objectfifo<memref<4xi32>>
    aie.objectfifo.link [@x] -> [@y] ([] [])
    aie.runtime_sequence(%A: memref<16xi32>) {
      aiex.npu.dma_memcpy_nd(%A[0, 0, 0, READ][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @x, id = 0 : i64} : memref<16xi32>
      aiex.npu.dma_memcpy_nd(%A[0, 0, 0, 4][WRITE]) {metadata = @y, id = 1 : i64} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @y}
    }
  }
}"""


@pytest.mark.parametrize(
    ("read", "write", "pairs"),
    [(4, "1, 1, 1, 8][0, 0, 0, 1", 0), (8, "1, 1, 1, 8][0, 0, 0, 1", 0), (0, "1, 1, 1, 8][0, 0, 0, 1", 1),
     (4, "1, 1, 4, 2][0, 0, 1, 2", 1)],
)  # fmt: skip
def test_a_drain_into_what_the_fill_still_reads(tmp_path, read, write, pairs):
    """The same words in place, behind the fill, ahead of it, in another order; all of them fit the streams."""
    order = array_order(built(tmp_path, IN_PLACE.replace("READ", str(read)).replace("WRITE", write)))
    assert len(order.pairs) == pairs
    assert all("MM2S 0 of shim tile (0, 0) reads, S2MM 0 of shim tile (0, 0) writes" in one for one in order.pairs)


def shared_lock():
    """Two channels fill halves of a buffer: each may have taken both places of one lock, and given both of another."""
    half = """%{n} = aie.dma_start(S2MM, {n}, ^b{n}, ^n{n})
    ^b{n}:
      aie.use_lock(%room, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xi32>, {at}, 8)
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^b{n}
    ^n{n}:
      """
    walk = "%{host}[0, 0, 0, {at}][1, 1, 2, {size}][0, 0, 16, 1]"
    move = f"aiex.npu.dma_memcpy_nd({walk}) {{{{metadata = @{{name}}, id = {{id}} : i64}}}} : memref<32xi32>\n"
    moves = (("A", 0, 8, "in0"), ("A", 8, 8, "in1"), ("B", 0, 16, "out"))
    return f"""module {{ aie.device(npu1) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %b = aie.buffer(%m) {{sym_name = "b"}} : memref<16xi32>
    %room = aie.lock(%m, 0) {{init = 2 : i32, sym_name = "room"}}
    %full = aie.lock(%m, 1) {{init = 0 : i32, sym_name = "full"}}
    aie.flow(%s, DMA : 0, %m, DMA : 0)
    aie.flow(%s, DMA : 1, %m, DMA : 1)
    aie.flow(%m, DMA : 0, %s, DMA : 0)
    aie.shim_dma_allocation @in0(MM2S, 0, 0)
    aie.shim_dma_allocation @in1(MM2S, 1, 0)
    aie.shim_dma_allocation @out(S2MM, 0, 0)
    %d = aie.memtile_dma(%m) {{
      {half.format(n=0, at=0)}{half.format(n=1, at=8)}%2 = aie.dma_start(MM2S, 0, ^c, ^e)
    ^c:
      aie.use_lock(%full, AcquireGreaterEqual, 2)
      aie.dma_bd(%b : memref<16xi32>, 0, 16)
      aie.use_lock(%room, Release, 2)
      aie.next_bd ^c
    ^e:
      aie.end
    }}
    aie.runtime_sequence(%A: memref<32xi32>, %B: memref<32xi32>) {{
      {"".join(move.format(host=h, at=a, size=n, name=name, id=i) for i, (h, a, n, name) in enumerate(moves))}
      aiex.npu.dma_wait {{symbol = @out}}
    }}
  }} }}"""


def test_an_undecided_pair_names_the_locks(tmp_path):
    pairs = array_order(built(tmp_path, shared_lock())).pairs
    assert [re.search(r"of b; one of several releases of lock (\w+) may", one)[1] for one in pairs] == [
        *("full", "full", "room", "room")
    ]


def test_a_pair_is_decided_where_another_timing_gives_other_data(tmp_path):
    order = array_order(built(tmp_path, shared_lock()))
    shown = [one for one in order.pairs if "becomes" in one]
    assert len(shown) == 2
    assert all(one.startswith("unordered: ") for one in shown)
    assert set(shown) <= set(order.wrong)
    assert all(one.startswith("undecided: ") for one in order.pairs if one.endswith("no difference shown"))


@pytest.mark.parametrize(("number", "reported"), [(5, False), (6, True)])
def test_two_programs_that_write_the_same_value_are_no_finding(tmp_path, number, reported):
    """A parameter that the host sets while the core sets it too, which the core reads when data have come."""
    text = SOUND["fifos"].replace(
        "%core = aie.core(%t) {",
        """%p = aie.buffer(%t) {sym_name = "p"} : memref<1xi32>
    %core = aie.core(%t) {
      %i = arith.constant 0 : index
      %five = arith.constant 5 : i32
      memref.store %five, %p[%i] : memref<1xi32>""",
    )
    first = text.index("aiex.npu.dma_memcpy_nd")
    text = f"{text[:first]}aiex.npu.rtp_write(@p, 0, {number}) : i32\n    {text[first:]}"
    build = built(tmp_path, text)
    assert ["of p; " in one.text for one in findings(build)] == [True]
    order = array_order(build)
    assert len(order.pairs) == reported
    assert all("the host's sequence writes: bytes 0 to 3 of p" in pair for pair in order.pairs)


@pytest.mark.parametrize(("number", "found"), [(2, True), (1, False)])
def test_two_cores_that_write_other_values_are_found_though_other_timings_agree(tmp_path, number, found):
    """One core waits for a third one: neither timing that is tried turns the two writes round."""
    text = f"""module {{ aie.device(npu1_1col) {{
    %t2 = aie.tile(0, 2)
    %t3 = aie.tile(0, 3)
    %t4 = aie.tile(0, 4)
    %s = aie.buffer(%t3) {{sym_name = "s"}} : memref<4xi32>
    %go = aie.lock(%t3, 0) {{init = 0 : i32, sym_name = "go"}}
    %core2 = aie.core(%t2) {{
      aie.use_lock(%go, Release, 1)
      aie.end
    }}
    %core3 = aie.core(%t3) {{
      %i = arith.constant 0 : index
      %v = arith.constant 1 : i32
      aie.use_lock(%go, AcquireGreaterEqual, 1)
      memref.store %v, %s[%i] : memref<4xi32>
      aie.end
    }}
    %core4 = aie.core(%t4) {{
      %i = arith.constant 0 : index
      %v = arith.constant {number} : i32
      memref.store %v, %s[%i] : memref<4xi32>
      aie.end
    }}
    aiex.runtime_sequence @seq(%a: memref<4xi32>) {{
    }}
  }} }}"""
    pairs = array_order(built(tmp_path, text)).pairs
    assert ["writes: bytes 0 to 3 of s" in pair for pair in pairs] == [True] * found


def test_a_pair_without_a_difference_is_no_pass(tmp_path):
    """What is given back early is read late, but no object comes that would be put there."""
    release = "aie.objectfifo.release @x(Consume, 1)\n"
    text = SOUND["fifos"].replace(release, "").replace("scf.for %x =", f"{release}scf.for %x =")
    text = text.replace("%n = %c0 to %c4", "%n = %c0 to %c1").replace("1, 1, 40]", "1, 1, 24]")
    path = tmp_path / "design.mlir"
    path.write_text(text.replace("1, 1, 32]", "1, 1, 8]"))
    done = CliRunner().invoke(app, ["objfifo", "exec", str(path)])
    assert (
        "S2MM 0 of core tile (0, 2) waits until the core of core tile (0, 2) is done; no difference shown"
        in done.output
    )
    assert done.exit_code == 3
    drawn = CliRunner().invoke(app, ["objfifo", "check", str(path), "--page", str(tmp_path / "order.html")])
    assert (drawn.exit_code, drawn.output.splitlines()[-1]) == (3, f"page: {tmp_path / 'order.html'}")
    page = (tmp_path / "order.html").read_text()
    assert page.count('class="missing"') == 1
    assert "the core of core tile (0, 2): has released lock x_cons_prod_lock" in page


@pytest.mark.parametrize("order", ["tracked", "hidden"])
def test_kernels_count_for_what_they_touch(tmp_path, order):
    """An early release is found whether the stand-in of a kernel uses its arrays in sight or not."""
    text = SOUND["fifos"]
    loop = text[text.index("scf.for %x = ") : text.index("aie.objectfifo.release @x")]
    call = "func.call @add(%a, %b, %o) : (memref<8xi32>, memref<8xi32>, memref<8xi32>) -> ()\n"
    declared = "func.func private @add(memref<8xi32>, memref<8xi32>, memref<8xi32>)\n%core ="
    text = text.replace(loop, call).replace("%core =", declared)

    def add(a, b, o):
        if order == "hidden":
            a, b, o = (np.asarray(one) for one in (a, b, o))
        o[:] = a + b

    release = "aie.objectfifo.release @x(Consume, 1)\n"
    early = text.replace(release, "").replace(call, release + call)
    assert findings(built(tmp_path, text, {"add": add})) == []
    (one, *_) = findings(built(tmp_path, early, {"add": add}))
    assert "reads after it has released lock x_cons_prod_lock_0" in one.text


def test_words_on_streams_and_cascades_order_cores(tmp_path):
    """A core writes into its neighbour's memory and says so by a word: sound. Without the word it is not."""
    text = """module {
    aie.device(npu1_1col) {
    %t = aie.tile(0, 3)
    %u = aie.tile(0, 2)
    %m = aie.buffer(%u) {sym_name = "m"} : memref<8xi32>
    aie.flow(%t, Core : 0, %u, Core : 0)
    %one = aie.core(%t) {
      %c0 = arith.constant 0 : i32
      %i = arith.constant 0 : index
      memref.store %c0, %m[%i] : memref<8xi32>
      aie.put_stream(%c0 : i32, %c0 : i32)
      aie.end
    }
    %two = aie.core(%u) {
      %c0 = arith.constant 0 : i32
      %i = arith.constant 0 : index
      %w = aie.get_stream(%c0 : i32) : i32
      %v = memref.load %m[%i] : memref<8xi32>
      aie.end
    }
    aie.runtime_sequence(%A: memref<8xi32>) {
    }
    }
    }
    """
    assert findings(built(tmp_path, text)) == []
    early = text.replace("%v = memref.load %m[%i] : memref<8xi32>\n", "").replace(
        "%w = aie", "%v = memref.load %m[%i] : memref<8xi32>\n%w = aie"
    )
    (found,) = findings(built(tmp_path, early))
    assert "bytes 0 to 3 of m; missing" in found.text
    assert found.actors == ("the core of core tile (0, 3)", "the core of core tile (0, 2)")


SCRIPT = """
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime, Worker
from aie.iron.device import NPU1Col1

ty, all_ty = np.ndarray[(8,), np.dtype[np.int32]], np.ndarray[(64,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")

def work(a, b):
    inp, out = a.acquire(1), b.acquire(1)
    a.release(1)
    out[:] = inp[::-1] + 1
    b.release(1)

worker = Worker(work, [x.cons(), y.prod()])
rt = Runtime()
with rt.sequence(all_ty, all_ty) as (i, o):
    rt.start(worker)
    rt.fill(x.prod(), i)
    rt.drain(y.cons(), o, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""


def test_check_of_a_planned_script_reports_order(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    done = CliRunner().invoke(app, ["objfifo", "check", str(path)])
    assert done.exit_code == 1
    assert (
        "script.py:12: worker work reads after it has released lock x_cons_prod_lock_0 in script.py:11" in done.output
    )
    moved = SCRIPT.replace("    a.release(1)\n", "").replace(
        "    b.release(1)\n", "    a.release(1)\n    b.release(1)\n"
    )
    path.write_text(moved)
    assert CliRunner().invoke(app, ["objfifo", "check", str(path)]).exit_code == 0


def test_execution_with_the_record_costs_at_most_what_the_others_cost(tmp_path):
    """The record, and a run to the very end: two more, whatever is found."""
    built_arrays = []

    def counted():
        built_arrays.append(built(tmp_path, SOUND["fifos"])())
        return built_arrays[-1]

    run_live(counted)
    thorough = len(built_arrays)
    array_order(counted)
    assert len(built_arrays) - thorough == 3


def test_a_transfer_without_an_end_counts_as_the_hosts_next(tmp_path):
    """A second fill of which nothing is taken: its channel still holds a descriptor when the sequence has ended."""
    found = run_live(built(tmp_path, faulty("task doubled", "fifos").text))
    assert found.completes
    assert found.order.lines == ()
