# SPDX-License-Identifier: Apache-2.0
"""Accesses that no lock orders are found, in designs whose usual schedule gives the right result."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.order_check import ArrayFinding
from goldbeat.pymodels.objfifo.live.timings import unordered_accesses
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.tb.cli import app

ROUND = """
        aie.use_lock(%if, AcquireGreaterEqual, 1)
        aie.use_lock(%oe, AcquireGreaterEqual, 1)
        scf.for %x = %c0 to %c8 step %c1 {
          %v = memref.load %iN[%x] : memref<8xi32>
          %w = arith.addi %v, %k : i32
          memref.store %w, %oN[%x] : memref<8xi32>
        }
        aie.use_lock(%ie, Release, 1)
        aie.use_lock(%of, Release, 1)
""".strip("\n")
TEXT = """
module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %c = aie.tile(0, 2)
    %i0 = aie.buffer(%c) {sym_name = "i0"} : memref<8xi32>
    %i1 = aie.buffer(%c) {sym_name = "i1"} : memref<8xi32>
    %o0 = aie.buffer(%c) {sym_name = "o0"} : memref<8xi32>
    %o1 = aie.buffer(%c) {sym_name = "o1"} : memref<8xi32>
    %ie = aie.lock(%c, 0) {init = 2 : i32, sym_name = "ie"}
    %if = aie.lock(%c, 1) {init = 0 : i32, sym_name = "if"}
    %oe = aie.lock(%c, 2) {init = 2 : i32, sym_name = "oe"}
    %of = aie.lock(%c, 3) {init = 0 : i32, sym_name = "of"}
    aie.flow(%s, DMA : 0, %c, DMA : 0)
    aie.flow(%c, DMA : 0, %s, DMA : 0)
    %mem = aie.mem(%c) {
      %0 = aie.dma_start(S2MM, 0, ^a, ^n)
    ^a:
      aie.use_lock(%ie, AcquireGreaterEqual, 1)
      aie.dma_bd(%i0 : memref<8xi32>, 0, 8)
      aie.use_lock(%if, Release, 1)
      aie.next_bd ^b
    ^b:
      aie.use_lock(%ie, AcquireGreaterEqual, 1)
      aie.dma_bd(%i1 : memref<8xi32>, 0, 8)
      aie.use_lock(%if, Release, 1)
      aie.next_bd ^a
    ^n:
      %1 = aie.dma_start(MM2S, 0, ^d, ^e)
    ^d:
      aie.use_lock(%of, AcquireGreaterEqual, 1)
      aie.dma_bd(%o0 : memref<8xi32>, 0, 8)
      aie.use_lock(%oe, Release, 1)
      aie.next_bd ^f
    ^f:
      aie.use_lock(%of, AcquireGreaterEqual, 1)
      aie.dma_bd(%o1 : memref<8xi32>, 0, 8)
      aie.use_lock(%oe, Release, 1)
      aie.next_bd ^d
    ^e:
      aie.end
    }
    %core = aie.core(%c) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %k = arith.constant 1 : i32
      %n = arith.constant 4 : index
      scf.for %t = %c0 to %n step %c1 {
ROUNDS
      }
      aie.end
    }
    aie.shim_dma_allocation @in (%s, MM2S, 0)
    aie.shim_dma_allocation @out (%s, S2MM, 0)
    aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%A[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%B[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out,
        issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
"""
SENT = np.arange(1, 65, dtype=np.int32)


def design(second=ROUND, edit=("", "")):
    """The design with another second round, and one edit of the whole."""
    rounds = (
        ROUND.replace("N", "0")
        + "\n"
        + second.replace("N", "1").replace("%x", "%y").replace("%v", "%p").replace("%w", "%q")
    )
    return TEXT.replace("ROUNDS", rounds).replace(*edit, 1)


def moved(line, to):
    """A round whose line is elsewhere."""
    lines = ROUND.split("\n")
    one = lines.pop(line)
    lines.insert(to, one)
    return "\n".join(lines)


def without(line):
    return "\n".join(text for n, text in enumerate(ROUND.split("\n")) if n != line)


FAULTS = {
    "input released early": design(moved(7, 2)),
    "input released inside the loop": design(moved(7, 3)),
    "output released early": design(moved(8, 2)),
    "input acquired late": design(moved(0, 6)),
    "output acquired late": design(moved(1, 6)),
    "input not acquired": design(without(0)),
    "output not acquired": design(without(1)),
    "input free too often": design(edit=("init = 2 : i32, sym_name = \"ie\"", "init = 3 : i32, sym_name = \"ie\"")),
    "output free too often": design(edit=("init = 2 : i32, sym_name = \"oe\"", "init = 3 : i32, sym_name = \"oe\"")),
    "two inputs for one": design(ROUND.replace("%ie, Release, 1", "%ie, Release, 2")),
    "two outputs for one": design(ROUND.replace("%of, Release, 1", "%of, Release, 2")),
    "channel gives two inputs": design(edit=("aie.use_lock(%if, Release, 1)", "aie.use_lock(%if, Release, 2)")),
    "channel takes no input": design(edit=("aie.use_lock(%ie, AcquireGreaterEqual, 1)", "")),
    "channel waits for no output": design(edit=("aie.use_lock(%of, AcquireGreaterEqual, 1)", "")),
}  # fmt: skip


INTO_INPUT = (
    "%B[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out,",
    "%A[0, 0, 0, 16][1, 1, 1, 48][0, 0, 0, 1]) {id = 1 : i64, metadata = @out,",
)
FAULTS["output over input that is still to be read"] = design(edit=INTO_INPUT)
REFUSED = {
    "a second 'o1'": design(edit=('%o0 = aie.buffer(%c) {sym_name = "o0"}', '%o0 = aie.buffer(%c) {sym_name = "o1"}')),
    "a second circuit into DMA 0 of core tile (0, 2)": design(
        edit=(
            "aie.flow(%s, DMA : 0, %c, DMA : 0)",
            "aie.flow(%s, DMA : 0, %c, DMA : 0)\naie.flow(%s, DMA : 1, %c, DMA : 0)",
        )
    ),
    "a second core of core tile (0, 2)": design(
        edit=("%core = aie.core", "%other = aie.core(%c) { aie.end }\n%core = aie.core")
    ),
}


@pytest.mark.parametrize("said", REFUSED)
def test_what_a_device_has_once_is_refused_twice(tmp_path, said):
    with pytest.raises(InputError, match=re.escape(said)):
        executed(tmp_path, REFUSED[said])


def _more(text):
    return ("scf.for %t", f"{text}\nscf.for %t")


INVALID = {
    "descriptor 16, expected 0 to 15": ("id = 0 : i64", "id = 16 : i64"),
    "descriptor -1, expected 0 to 15": ("id = 1 : i64", "id = -1 : i64"),
    "a first size of 65, expected 1 to 64": ("[1, 1, 1, 64]", "[65, 1, 1, 64]"),
    "an initial value of -1, expected 0 to 63": ("init = 2", "init = -1"),
    "an initial value of 64, expected 0 to 63": ("init = 2", "init = 64"),
    "units of a lock: 64, expected 0 to 63": ("Release, 1", "Release, 64"),
    "packet id 32, expected 0 to 31": ("0, 8)", "0, 8) {packet = #aie.packet_info<pkt_type = 0, pkt_id = 32>}"),
    "packet type 8, expected 0 to 7": ("0, 8)", "0, 8) {packet = #aie.packet_info<pkt_type = 8, pkt_id = 1>}"),
    "a repeat count of 256, expected 0 to 255": ("^a, ^n)", "^a, ^n, repeat_count = 256)"),
    "bd_id 16 for channel 0": ("0, 8)", "0, 8) {bd_id = 16 : i32}"),
    "4294967296 : i32, expected -2147483648 to 4294967295": ("constant 1 : i32", "constant 4294967296 : i32"),
    "300 : i8, expected -128 to 255": ("%k = ", "%k8 = arith.constant 300 : i8\n%k = "),
    "%k as i16, expected its type i32": ("%v, %k : i32", "%k, %k : i16"),
    "%i0 as memref<8xi16>": ("%i0 : memref<8xi32>, 0", "%i0 : memref<8xi16>, 0"),
    "%i1 as memref<16xi32>": ("%i1 : memref<8xi32>, 0", "%i1 : memref<16xi32>, 0"),
    "%i0 as memref<8xf32>": ("%i0[%x] : memref<8xi32>", "%i0[%x] : memref<8xf32>"),
    "%o0 as memref<8xf32>": ("%o0[%x] : memref<8xi32>", "%o0[%x] : memref<8xf32>"),
    "%c1 as i32, expected its type index": ("store %w,", "store %c1,"),
    "%A as memref<64xi16>": ("metadata = @in} : memref<64xi32>", "metadata = @in} : memref<64xi16>"),
    "the end of ^b after aie.use_lock": ("aie.next_bd ^a", ""),
    "the end of ^e after aie.mem": ("aie.end", ""),
    "the end of the block after scf.for": ("      }\n      aie.end", "      }"),
    "aie.core on shim tile (0, 0), expected a core tile": ("core(%c)", "core(%s)"),
    "aie.mem on shim tile (0, 0), expected a core tile": ("aie.mem(%c)", "aie.mem(%s)"),
    "aie.memtile_dma on core tile (0, 2), expected a mem tile": ("aie.mem(%c)", "aie.memtile_dma(%c)"),
    "aie.shim_dma on core tile (0, 2), expected a shim tile": ("aie.mem(%c)", "aie.shim_dma(%c)"),
    "aie.core on mem tile (0, 1), expected a core tile": ("%c = aie.tile(0, 2)", "%c = aie.tile(0, 1)"),
    "a second mem of core tile (0, 2), expected one mem per tile": ("%core =", "%o = aie.mem(%c) { aie.end }\n%core ="),
    "a buffer of shim tile (0, 0), expected a tile with memory": ("%i1 = aie.buffer(%c)", "%i1 = aie.buffer(%s)"),
    "%ie, a lock of shim tile (0, 0), in the core of": ("%ie = aie.lock(%c, 0)", "%ie = aie.lock(%s, 0)"),
    "%i1, a buffer of core tile (0, 5), in the core of": (
        "%i1 = aie.buffer(%c)", "%f = aie.tile(0, 5)\n%i1 = aie.buffer(%f)"),
    "%i1, a buffer of core tile (0, 3), in a DMA of core tile (0, 2), expected one of core tile (0, 2)": (
        "%i1 = aie.buffer(%c)", "%f = aie.tile(0, 3)\n%i1 = aie.buffer(%f)"),
    "%x, a buffer of core tile (0, 2), in a DMA of mem tile (0, 1), expected one of mem tile (0, 1) or of": (
        "aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {",
        "%x = aie.buffer(%c) : memref<8xi32>\n%m = aie.tile(0, 1)\n"
        "aie.runtime_sequence(%A: memref<64xi32>, %B: memref<64xi32>) {\n"
        "%y = aiex.dma_configure_task(%m, S2MM, 0) {\naie.dma_bd(%x : memref<8xi32>, 0, 8)\naie.end\n}"),
    "%k9 as i32, expected its type i1": ("%w = arith.addi %v, %k", "%k9 = arith.constant true\n%w = arith.addi %v, %k9"),
    "arith.trunci from i32 to i64, expected a narrower type than i32": _more("%z = arith.trunci %k : i32 to i64"),
    "arith.extsi from i32 to i16, expected a wider type than i32": _more("%z = arith.extsi %k : i32 to i16"),
    "arith.extui from i32 to i32, expected a wider type": _more("%z = arith.extui %k : i32 to i32"),
    "arith.sitofp of f32, expected a type of the sort integer": _more(
        "%z0 = arith.constant 1.0 : f32\n%z = arith.sitofp %z0 : f32 to f32"),
    "arith.addf of i32, expected a type of the sort float": _more("%z = arith.addf %k, %k : i32"),
    "arith.muli of f32, expected a type of the sort integer or index": _more(
        "%z0 = arith.constant 1.0 : f32\n%z = arith.muli %z0, %z0 : f32"),
    "arith.addi without a type": _more("%z = arith.addi %k, %k"),
    "1 operands of arith.addi, expected 2": _more("%z = arith.addi %k : i32"),
    "index_cast from i32 to i32, expected index on one side": _more("%z = arith.index_cast %k : i32 to i32"),
    "%k of type i32 as a condition, expected a value of type i1": _more("%z = arith.select %k, %k, %k : i32"),
    "%n of type i32 as a bound or step, expected a value of type index": ("4 : index", "4 : i32"),
    "%n of type index as a condition": ("scf.for %t", "scf.if %n {\n}\nscf.for %t"),
    "%k of type i32 as an index": ("%i0[%x]", "%i0[%k]"),
    "2 indices of memref<8xi32>, expected 1": ("%i0[%x]", "%i0[%x, %x]"),
    "%r as i32, expected its type index": _more(
        "%r = scf.for %r0 = %c0 to %c8 step %c1 iter_args(%r1 = %c0) -> (index) {\nscf.yield %r1 : index\n}\n"
        "%z = arith.addi %r, %k : i32"),
    "%z1 as i16, expected its type i32": (
        "%core =", "func.func @f(%z1: i32) {\n%z2 = arith.addi %z1, %z1 : i16\nreturn\n}\n%core ="),
    "init = 2 : i1, expected an initial value of type i32": ("init = 2 : i32", "init = 2 : i1"),
    "id = 300 : i8, expected -128 to 255": ("id = 0 : i64", "id = 300 : i8"),
    "%v a second time, expected a new name": ("%w = ", "%v = arith.addi %k, %k : i32\n%w = "),
    "%k a second time, expected a new name": ("scf.for %t", "scf.for %k"),
    "the constant 1.0 : i32, expected a whole number for i32": ("constant 1 : i32", "constant 1.0 : i32"),
    "the constant 1 : f32, expected a number with a point": _more("%z = arith.constant 1 : f32"),
    "scf.for with a step of 0, expected a step of at least 1": ("%c8 step %c1", "%c8 step %c0"),
    "arith.divsi: a division by zero": _more("%z0 = arith.constant 0 : i32\n%z = arith.divsi %k, %z0 : i32"),
    "arith.remui: a division by zero": _more("%z0 = arith.constant 0 : i32\n%z = arith.remui %k, %z0 : i32"),
    "arith.shli: a shift by -1": _more("%z0 = arith.constant -1 : i32\n%z = arith.shli %k, %z0 : i32"),
    "bd_id 3 of core tile (0, 2) a second time, expected another": (
        "0, 8)\n      aie.use_lock(%if, Release, 1)\n      aie.next_bd ^b\n    ^b:\n"
        "      aie.use_lock(%ie, AcquireGreaterEqual, 1)\n      aie.dma_bd(%i1 : memref<8xi32>, 0, 8)",
        "0, 8) {bd_id = 3 : i32}\n      aie.next_bd ^b\n    ^b:\n      aie.dma_bd(%i1 : memref<8xi32>, 0, 8) {bd_id = 3 : i32}"),
    "a walk up to element 11 of %i0, expected at most element 7": (
        "0, 8)", "0, 8, [<size = 2, stride = 8>, <size = 4, stride = 1>])"),
    "a length of 8, expected at most 6, the product of the sizes": (
        "0, 8)", "0, 8, [<size = 2, stride = 4>, <size = 3, stride = 1>])"),
}  # fmt: skip


@pytest.mark.parametrize("said", INVALID)
@pytest.mark.parametrize("command", ["check", "exec", "run"])
def test_text_that_a_verifier_refuses_is_bad_input(tmp_path, said, command):
    (tmp_path / "x.mlir").write_text(design(edit=INVALID[said]))
    done = CliRunner().invoke(app, ["objfifo", command, str(tmp_path / "x.mlir")])
    assert done.exit_code == 2
    assert re.search(r"x\.mlir:\d+:\d+: found ", done.output.replace("\n", ""))
    assert said.replace(" ", "") in re.sub(r"\s", "", done.output)


def executed(tmp_path, text, inputs=(("A", SENT),)):
    (tmp_path / "x.mlir").write_text(text)
    return run_live(TextArray(tmp_path / "x.mlir", {}, None, None).build, dict(inputs))


def test_exec_fails_with_the_finding(tmp_path):
    (tmp_path / "x.mlir").write_text(FAULTS["input released early"])
    np.save(tmp_path / "a.npy", SENT)
    words = ["objfifo", "exec", str(tmp_path / "x.mlir"), "--input", f"A={tmp_path / 'a.npy'}"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "unordered: line " in done.output


def test_a_sound_design_has_no_finding(tmp_path):
    found = executed(tmp_path, design())
    assert found.completes
    assert found.unordered == ()
    assert found.hosts["B"].tolist() == (SENT + 1).tolist()


@pytest.mark.parametrize(("recorded", "alone"), [(False, 0), (True, 2)])
def test_channels_of_shims_are_slow_alone_only_behind_a_finding(tmp_path, recorded, alone):
    (tmp_path / "x.mlir").write_text(design())
    text = TextArray(tmp_path / "x.mlir", {}, None, None)
    held = []

    def run(prepare):
        array = text.build()
        prepare(array)
        held.append([channel.name for channel in array.channels.values() if channel.held])
        array.close()
        return True, {}

    pair = ArrayFinding("", ("", ""), undecided=False, in_tile=False, written=None, picture=lambda: None)
    assert unordered_accesses(run, (True, {}), [pair] * recorded) == ()
    shims = [names for names in held if len(names) == 1 and "shim" in names[0]]
    assert len(shims) == alone


@pytest.mark.parametrize("kind", FAULTS)
def test_each_access_without_order_is_found(tmp_path, kind):
    assert any("unordered: " in text for text in executed(tmp_path, FAULTS[kind]).unordered)


@pytest.mark.parametrize("kind", FAULTS)
def test_each_access_without_order_is_found_without_input(tmp_path, kind):
    (tmp_path / "x.mlir").write_text(FAULTS[kind])
    done = CliRunner().invoke(app, ["objfifo", "check", str(tmp_path / "x.mlir")])
    assert done.exit_code == 1
    assert "unordered: " in done.output


def test_without_input_a_sound_design_sends_zeros_and_has_no_finding(tmp_path):
    found = executed(tmp_path, design(), {})
    assert found.unordered == ()
    assert set(found.hosts["B"].tolist()) == {1}


def test_random_data_that_mislead_a_design_are_left_out(tmp_path):
    waits = "%z = memref.load %i0[%c0] : memref<8xi32>\n%z0 = arith.index_cast %z : i32 to index\n"
    text = design(edit=("      scf.for %t", waits + "%u = memref.load %i0[%z0] : memref<8xi32>\n      scf.for %t"))
    found = executed(tmp_path, text, {})
    assert found.completes
    assert found.unordered == ()


def test_remarks_name_a_missing_wait_and_buffers_that_overlap(tmp_path):
    assert executed(tmp_path, design()).remarks == ()
    (remark,) = executed(tmp_path, design(edit=("aiex.npu.dma_wait {symbol = @out}", ""))).remarks
    assert remark.startswith("nothing waits for S2MM 0 of shim tile (0, 0)")
    text = design(edit=('{sym_name = "o0"}', '{address = 2048 : i32, sym_name = "o0"}'))
    text = text.replace('{sym_name = "o1"}', '{address = 2064 : i32, sym_name = "o1"}')
    assert "buffers o0 and o1 of core tile (0, 2) overlap" in executed(tmp_path, text).remarks


def test_a_finding_names_place_bytes_and_next_owner(tmp_path):
    text = FAULTS["input released early"]
    line = (
        text.split("\n").index(
            "        aie.use_lock(%ie, Release, 1)", text.split("\n").index("        aie.use_lock(%of, Release, 1)")
        )
        + 1
    )
    (found,) = executed(tmp_path, text).unordered
    assert f"line {line}: lock ie is released before the last access: B element 8 becomes " in found
    assert "S2MM 0 of core tile (0, 2)" in found
    assert "bytes 0 to 31 of i1" in found


SCRIPT = """
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime, Worker
from aie.iron.device import NPU1Col1

ty, all_ty = np.ndarray[(8,), np.dtype[np.int32]], np.ndarray[(64,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x", depth={depth}), ObjectFifo(ty, name="y", depth={depth})

def work(a, b):
    inp = a.acquire(1)
    out = b.acquire(1)
    {early}
    for i in range(8):
        out[i] = inp[i] + 1
    {late}
    b.release(1)

worker = Worker(work, [x.cons(), y.prod()])
rt = Runtime()
with rt.sequence(all_ty, all_ty) as (i, o):
    rt.start(worker)
    rt.fill(x.prod(), i)
    rt.drain(y.cons(), o, wait=True)
Program(NPU1Col1(), rt).resolve_program()
"""


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_scripts_are_checked_too(tmp_path, depth):
    path = tmp_path / "script.py"
    for early in (False, True):
        release = ("a.release(1)", "pass")
        path.write_text(SCRIPT.format(depth=depth, early=release[not early], late=release[early]))
        found = ScriptArray(path, (), {}).execute({"arg0": SENT})[-1]
        assert found.completes
        assert bool(found.unordered) == early
        if early:
            assert "script.py:12: lock " in found.unordered[0]
