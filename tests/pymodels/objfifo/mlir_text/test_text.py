# SPDX-License-Identifier: Apache-2.0
"""MLIR text at the level of object FIFOs and lowered: read, read back, and errors with line and column."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.objfifo.artefact.emit import instructions
from goldbeat.pymodels.objfifo.compiled_design import compiled_design, load_compiled
from goldbeat.pymodels.objfifo.mlir_exec import scalars
from goldbeat.pymodels.objfifo.mlir_exec.text_design import text_design
from goldbeat.pymodels.objfifo.mlir_text.text_file import parsed
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.device import ANY
from goldbeat.pymodels.objfifo.plan.lower import plan as lower
from goldbeat.pymodels.objfifo.plan.mlir import to_mlir
from goldbeat.pymodels.objfifo.plan.plan import Direction, FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse
from goldbeat.pymodels.objfifo.untimed.functional import run_untimed
from tests.support.objfifo_shape import plan_shape
from tests.support.objfifo_texts import ADD, ADD_MLIR, HOST, LOWERED_MLIR, WALKS, plus_one

CORE = ANY.tile(0, 2)


def _file(folder: Path, text: str, name: str = "design.mlir") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_object_fifos_as_upstream_prints_them(tmp_path: Path) -> None:
    path = _file(tmp_path, ADD_MLIR)
    design = text_design(path, {CORE: plus_one})
    assert [(f.name, f.depth, f.obj.shape) for f in design.fifos] == [
        ("in0", 2, (16,)),
        ("in1", 2, (8,)),
        ("out1", (2, 2), (8,)),
        ("out0", 2, (16,)),
    ]
    assert [(t.fifo, t.port, t.host, t.bd, t.token) for t in design.transfers] == [
        ("in0", FifoEnd.PRODUCE, "arg0", 0, False),
        ("out0", FifoEnd.CONSUME, "arg2", 1, True),
    ]
    data = np.arange(64, dtype=np.int32)
    assert (run_untimed(design, {"arg0": data}).hosts["arg2"] == data + 1).all()
    assert analyse(design).verdict is DesignVerdict.COMPLETES
    plain = text_design(path)
    assert analyse(plain).verdict is DesignVerdict.COMPLETES
    assert lower(plain) == lower(design)
    with pytest.raises(UsageError, match="only declared"):
        run_untimed(plain, {"arg0": data})
    assert lower(open_fifo_design(path)) == lower(plain)


def test_a_core_that_takes_too_much_hangs(tmp_path: Path) -> None:
    wrong = ADD_MLIR.replace("aie.objectfifo.release @in1(Consume, 1)", "")
    assert analyse(text_design(_file(tmp_path, wrong)), search=False).verdict is not DesignVerdict.COMPLETES


def test_a_branch_with_an_acquire_needs_a_stand_in(tmp_path: Path) -> None:
    line = "aie.objectfifo.release @in1(Consume, 1)"
    inside = f"%t = arith.constant true\n scf.if %t {{\n {line}\n }} else {{\n {line}\n }}"
    path = _file(tmp_path, ADD_MLIR.replace(line, inside))
    assert text_design(path).unplanned == ("line 26: scf.if with an acquire or release of a core without a stand-in",)
    assert text_design(path, {CORE: plus_one}).unplanned == ()
    assert analyse(text_design(path, {CORE: plus_one})).verdict is DesignVerdict.COMPLETES


@pytest.mark.parametrize("text", [ADD, WALKS + HOST])
@pytest.mark.parametrize("packets", [False, True])
def test_what_is_exported_is_read_back(tmp_path: Path, text: str, packets: bool) -> None:
    made = lower(open_fifo_design(_file(tmp_path, text, "design.py")), packets=packets)
    again = lower(text_design(_file(tmp_path, to_mlir(made))))
    assert plan_shape(again) == plan_shape(made)
    places = [[(b.name, b.address, b.size) for b in t.buffers] for t in made.tiles]
    assert [[(b.name, b.address, b.size) for b in t.buffers] for t in again.tiles] == places


PADDED_MLIR = """module {
  aie.device(npu2_1col) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in0(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi16>>
    aie.objectfifo @out0(%mem dimensionsToStream [<size = 8, stride = 1>], {%shim}, 2 : i32)
      {padDimensions = #aie<bd_pad_layout_array[<const_pad_before = 2, const_pad_after = 4>]>, padValue = -5 : i32}
      : !aie.objectfifo<memref<14xi16>>
    aie.objectfifo.link [@in0] -> [@out0] ([] [])
    aie.runtime_sequence(%arg0: memref<8xi16>, %arg1: memref<14xi16>) {
      aiex.npu.dma_memcpy_nd (%arg0[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in0} : memref<8xi16>
      aiex.npu.dma_memcpy_nd (%arg1[0, 0, 0, 0][1, 1, 1, 14][0, 0, 0, 1]) {id = 1 : i64, metadata = @out0} : memref<14xi16>
      aiex.npu.dma_wait {symbol = @out0}
    }
  }
}
"""


def test_a_padding_value_is_read_planned_exported_and_executed(tmp_path: Path) -> None:
    design = text_design(_file(tmp_path, PADDED_MLIR))
    made = lower(design)
    assert made.tile(ANY.tile(0, 1)).channel(Direction.MM2S, 0).pad_value == 0xFFFBFFFB
    text = to_mlir(made)
    assert "{pad_value = -262149 : i32}" in text
    again = text_design(_file(tmp_path, text))
    assert plan_shape(lower(again)) == plan_shape(made)
    data = np.arange(8, dtype=np.int16)
    wanted = np.pad(data, (2, 4), constant_values=-5)
    assert (run_untimed(design, {"arg0": data}).hosts["arg1"] == wanted).all()
    assert (run_untimed(again, {"arg0": data.view(np.int32)}).hosts["arg1"].view(np.int16) == wanted).all()
    with pytest.raises(RuleError, match="on npu1_1col it is 0"):
        lower(text_design(_file(tmp_path, PADDED_MLIR.replace("npu2", "npu1"))))


def test_initial_values_are_exported(tmp_path: Path) -> None:
    text = (
        WALKS.replace(', "b", M', ', "b", M')
        .replace("b = object_fifo(", "c = object_fifo(")
        .replace("(a, b)", "(a, c)")
    )
    text += "\nd = object_fifo('d', tile(0, 3), tile(2, 2), 2, kind, initValues=[np.arange(24) - 3, np.arange(24)])\n"
    made = lower(open_fifo_design(_file(tmp_path, text, "design.py")))
    again = lower(text_design(_file(tmp_path, to_mlir(made))))
    assert [b.initial for t in again.tiles for b in t.buffers] == [b.initial for t in made.tiles for b in t.buffers]
    assert any(b.initial for t in again.tiles for b in t.buffers)


def test_lowered_text_as_upstream_prints_it(tmp_path: Path) -> None:
    design = text_design(_file(tmp_path, LOWERED_MLIR), {CORE: plus_one})
    assert design.fixed is not None
    assert (design.fixed.unsupported, design.fixed.waiting, design.fixed.remarks) == ((), (), ())
    mem = design.fixed.plan.tile(ANY.tile(0, 1))
    ring = mem.channel(Direction.S2MM, 0)
    assert [(bd.id, bd.buffer, bd.length, bd.next) for bd in ring.bds] == [(0, "m0", 16, 1), (1, "m1", 16, 0)]
    data = np.arange(64, dtype=np.int32)
    result = run_untimed(design, {"arg0": data})
    assert result.finished
    assert (result.hosts["arg1"] == data + 1).all()
    assert "has a program (" + str(tmp_path / "design.mlir:") in "".join(
        text_design(tmp_path / "design.mlir").fixed.waiting
    )  # type: ignore[union-attr]


def test_lowered_text_with_an_instruction_stream(tmp_path: Path) -> None:
    design = open_fifo_design(_file(tmp_path, ADD, "design.py"))
    made = lower(design)
    (tmp_path / "insts.bin").write_bytes(instructions(design, made))
    text = _file(tmp_path, to_mlir(made))
    found = compiled_design(tmp_path / "insts.bin", ["--config", str(text)])
    assert plan_shape(lower(found)) == plan_shape(made)
    with pytest.raises(UsageError, match="is a whole configuration"):
        load_compiled(tmp_path / "insts.bin", [text, text])
    with pytest.raises(UsageError, match="is text"):
        open_fifo_design(text, ["--config", "x"])


@pytest.mark.parametrize(
    ("old", "new", "place", "found"),
    [
        ("npu1_1col", "npu9", "2:14", "'npu9', expected one of npu"),
        ("aie.tile(0, 2)", "aie.tile(3, 2)", "5:17", "tile(3, 2), expected a tile of npu1_1col"),
        ("aie.tile(0, 2)", "aie.tile(0 2)", "5:28", "'2', expected ','"),
        (
            "{%mem_tile_0_1}, 2 : i32",
            "{%nothing}, 2 : i32",
            "6:46",
            "'%nothing', expected a value that is defined before",
        ),
        ("memref<16xi32>>", "memref<16xi33>>", "6:", "memref<16xi33>"),
        (
            "aie.objectfifo.link [@in0] -> [@in1]",
            "aie.objectfifo.link [@in9] -> [@in1]",
            "10:5",
            "@in9, expected a fifo",
        ),
        ("@in1(Consume, 1) :", "@in1(Produce, 1) :", "17:14", "@in1, expected a Produce end at core tile (0, 2)"),
        ("metadata = @in0", "metadata = @in7", "32:7", "@in7, expected metadata of a fifo"),
        (
            "aiex.npu.dma_wait",
            "aiex.npu.frobnicate",
            "34:7",
            "'aiex.npu.frobnicate', expected an operation that is read",
        ),
        ("aiex.npu.dma_wait", "é", "34:7", "'é', expected MLIR text"),
    ],
)
def test_a_mistake_is_named_by_line_and_column(tmp_path: Path, old: str, new: str, place: str, found: str) -> None:
    assert old in ADD_MLIR
    path = _file(tmp_path, ADD_MLIR.replace(old, new, 1))
    with pytest.raises(InputError) as error:
        text_design(path)
    assert str(error.value).startswith(f"{path}:{place}")
    assert found in str(error.value)


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    for text in (ADD_MLIR, LOWERED_MLIR):
        whole = text.rstrip().rstrip("}").rstrip()
        for length in range(0, len(whole) - 1, 7):
            with pytest.raises(InputError):
                text_design(_file(tmp_path, whole[:length]))


def test_random_changes_never_crash(tmp_path: Path) -> None:
    rng = random.Random(3)
    outcomes = set()
    for text in (ADD_MLIR, LOWERED_MLIR):
        words = text.split(" ")
        for _ in range(200):
            changed = list(words)
            for _ in range(rng.randint(1, 2)):
                a, b = rng.randrange(len(words)), rng.randrange(len(words))
                changed[a] = changed[b] if rng.random() < 0.7 else ""
            try:
                outcomes.add(type(lower(text_design(_file(tmp_path, " ".join(changed))))).__name__)
            except GoldbeatError as error:
                outcomes.add(type(error).__name__)
    assert {"Plan", "MlirError"} <= outcomes


def test_levels_are_not_mixed(tmp_path: Path) -> None:
    text = ADD_MLIR.replace(
        "    aie.objectfifo.link", "    %x = aie.mem(%tile_0_2) {\n aie.end\n }\n    aie.objectfifo.link", 1
    )
    mixed = text_design(_file(tmp_path, text))
    assert mixed.unplanned == ("line 10: aie.mem",)
    assert "only executed: line 10: aie.mem" in analyse(mixed).text()
    with pytest.raises(UsageError, match="only executed"):
        run_untimed(mixed, {})
    (tmp_path / "insts.bin").write_bytes(b"")
    with pytest.raises(InputError):
        load_compiled(tmp_path / "insts.bin", [_file(tmp_path, ADD_MLIR)])


TYPED = """
%c0 = arith.constant 0 : index
%i = arith.constant 3 : i32
%x = arith.constant 1.5 : f32
%v = arith.constant dense<0> : vector<4xi32>
%d = memref.alloc() : memref<2x4xi32>
%p = arith.cmpi slt, %i, %i : i32
%pf = arith.cmpf olt, %x, %x : f32
%b = arith.select %p, %pf, %p : i1
%va = arith.select %p, %v, %v : vector<4xi32>
%o = arith.addi %i, %i overflow<nsw, nuw> : i32
%e = "arith.addi"(%i, %o) : (i32, i32) -> i32
%w = arith.extsi %i : i32 to i64
%n = arith.trunci %w : i64 to i8
%k = arith.index_cast %i : i32 to index
%two:2 = scf.for %j = %c0 to %k step %k iter_args(%s = %i, %t = %x) -> (i32, f32) {
  %l = memref.load %d[%c0, %j] : memref<2x4xi32>
  %s1 = arith.addi %s, %l : i32
  scf.yield %s1, %t : i32, f32
}
%u = arith.addf %two#1, %x : f32
scf.for %j = %i to %i step %i : i32 {
  %l = arith.addi %j, %i : i32
}
%r = scf.while (%s = %i) : (i32) -> i32 {
  %l = arith.cmpi slt, %s, %i : i32
  scf.condition(%l) %s : i32
} do {
^bb0(%s: i32):
  scf.yield %s : i32
}
%sv = memref.subview %d[0, 0] [1, 4] [1, 1] : memref<2x4xi32> to memref<1x4xi32, strided<[4, 1], offset: ?>>
memref.store %r, %sv[%c0, %c0] : memref<1x4xi32, strided<[4, 1], offset: ?>>
"""


def test_types_that_go_together_are_taken() -> None:
    assert len(parsed(f"module {{\n{TYPED}\n}}")) > len(parsed("module {\n}"))
    with pytest.raises(InputError, match="%two#1 as i32, expected its type f32"):
        parsed(f"module {{\n{TYPED}%z = arith.addi %two#1, %i : i32\n}}")
    with pytest.raises(InputError, match="%sv as memref<4xi32>, expected its type memref<1x4xi32"):
        parsed(f"module {{\n{TYPED}memref.store %i, %sv[%c0] : memref<4xi32>\n}}")


RESULTS = {
    "%q = scf.if %p {\n}": "1 results of scf.if, expected 0",
    "%q:2 = scf.if %p -> (i32) {\n  scf.yield %i : i32\n} else {\n  scf.yield %i : i32\n}": "2 results of scf.if, expected 1",
    "scf.if %p {\n  scf.yield %i : i32\n}": "1 values of scf.yield, expected 0, as scf.if of line",
    "scf.if %p {\n  scf.yield\n  %l = arith.addi %i, %i : i32\n}": "scf.yield before the end of its block",
    "scf.if %p {\n  func.return\n}": "func.return at the end of scf.if, expected scf.yield",
    "%q = scf.for %j = %c0 to %k step %k -> (i32) {\n  scf.yield %i : i32\n}": "0 carried values, expected 1",
    "%q = scf.for %j = %c0 to %k step %k iter_args(%s = %i) -> (i32) {\n  scf.yield\n}": "0 values of scf.yield, expected 1",
    "%q = scf.while (%s = %i) : (i32) -> i32 {\n  scf.condition(%p)\n} do {\n^bb0(%s: i32):\n  scf.yield %s : i32\n}":
        "0 values of scf.condition, expected 1",
    "%q = scf.while (%s = %i) : (i32) -> i32 {\n  scf.condition(%p) %s : i32\n} do {\n^bb0(%s: i32):\n}":
        "block of scf.while, expected scf.yield of i32",
    "scf.while (%s = %i) : (i32) -> () {\n  scf.condition(%p)\n} do {\n  scf.yield %x : f32\n}": "%x as f32, expected its type i32",
    "scf.while (%s = %i) : (i32) -> () {\n  scf.condition(%p)\n} do {\n^bb0(%t: i32):\n  scf.yield %t : i32\n}":
        "1 arguments of the block, expected 0",
    "scf.while : () -> () {\n} do {\n  scf.yield\n}": "an empty block of scf.while, expected scf.condition",
    "%q = scf.execute_region -> i32 {\n  cf.br ^a\n^a:\n  scf.yield\n}": "0 values of scf.yield, expected 1",
    "%q = scf.index_switch %k -> i32\ncase 2 {\n  scf.yield %i : i32\n}\ndefault {\n  scf.yield %x : f32\n}":
        "%x as f32, expected its type i32",
    "%q = affine.for %j = 0 to 4 iter_args(%s = %i) -> (i32) {\n}": "empty block of affine.for, expected affine.yield of i32",
    "%q = affine.if affine_set<(d0) : (d0 >= 0)>(%k) -> i32 {\n  affine.yield %i : i32\n}": "affine.if of i32 without else",
    "func.func @f(%a: i32) -> i32 {\n  return\n}": "0 values of return, expected 1, as func.func of line",
    "func.func @f(%a: i32) -> i32 {\n  return %a : f32\n}": "%a as f32, expected its type i32",
    "func.func private @f(i32) -> i32\n%q = func.call @f(%i) : (i32) -> ()": "1 results of func.call, expected 0",
    "func.func private @f(i32) -> i32\nfunc.call @f(%i) : (i32) -> ()": "0 types of the results of @f, expected 1",
    "func.func private @f(i32) -> i32\n%q = func.call @f(%i) : (i32) -> i64": "result 0 of @f as i64, expected its type i32",
    "func.func @f(%a: i32, %b: i32) {\n  return\n}\nfunc.call @f(%i) : (i32) -> ()": "1 arguments of @f, expected 2",
    "func.func @f(%a: i1, %b: i32) {\n  cf.br ^a(%b : i32)\n^a(%c: i32, %d: i32):\n  return\n}": r"1 values for \^a, expected 2",
    "func.func @f(%a: i1, %b: i32) {\n  cf.br ^a(%b : i32)\n^a(%c: i1):\n  return\n}": "%b as i32, expected its type i1",
    "func.func @f(%a: i1) -> i1 {\n cf.cond_br %a, ^b, ^c\n^b:\n %l = arith.ori %a, %a : i1\n  cf.br ^c\n^c:\n  return %l : i1\n}":
        "'%l', expected a value that is defined before",
}  # fmt: skip


@pytest.mark.parametrize("text", RESULTS)
def test_results_that_are_not_made_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=RESULTS[text]):
        parsed(f"module {{\n{TYPED}{text}\n}}")


def test_results_of_every_form_are_taken() -> None:
    forms = """%f1 = scf.index_switch %k -> i32
case 2 {
  scf.yield %i : i32
}
default {
  scf.yield %o : i32
}
%f2 = scf.execute_region -> i32 {
  cf.br ^a(%i : i32)
^a(%q: i32):
  scf.yield %q : i32
}
func.func @f(%a: i1, %m: memref<2x4xi32>) -> (i1, i32) {
  %l = arith.constant 1 : i32
  cf.cond_br %a, ^b, ^c(%l : i32)
^b:
  cf.br ^c(%l : i32)
^c(%q: i32):
  return %a, %q : i1, i32
}
%f3:2 = func.call @f(%p, %d) : (i1, memref<2x4xi32>) -> (i1, i32)
"""
    assert parsed(f"module {{\n{TYPED}{forms}}}")


def test_floats_have_a_result_where_integers_have_none() -> None:
    assert scalars.SIGNED["divf"](1.0, 0.0) == np.inf
    assert np.isnan(scalars.SIGNED["remf"](1.0, 0.0))
    with pytest.raises(scalars.OperationError, match="inf as i32"):
        scalars.wrapped(np.inf, "i32")
