# SPDX-License-Identifier: Apache-2.0
"""What a text must not say is refused by every command, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.objfifo_cli import goldbeat
from tests.support.objfifo_explicit import explicit_text
from tests.support.objfifo_forms import forms_text
from tests.support.objfifo_texts import ADD_MLIR

TEXT = Path("aie.mlir")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(text: str, line: int, found: str, *commands: str) -> None:
    TEXT.write_text(text)
    for command in commands or ("check", "plan", "exec", "run"):
        done = goldbeat("objfifo", command, TEXT)
        said = " ".join(done.stderr.split())
        assert (done.code, f"aie.mlir:{line}:" in said, found in said) == (2, True, True), (command, done)


def changed(old: str, new: str, text: str = "") -> tuple[str, int]:
    """A text with a change, and the line of the change."""
    text = text or explicit_text()
    assert old in text
    return text.replace(old, new, 1), text[: text.index(old)].count("\n") + 1


def test_a_call_of_a_function_that_is_not_declared() -> None:
    text, line = changed("%v0 = memref", "func.call @nope(%a0) : (memref<8xi32>) -> ()\n          %v0 = memref")
    refused(text, line, "found a call of @nope, which is not declared, expected a function of the text")


VIEW = "!aie.objectfifosubview<memref<{}>>"
ONE = VIEW.format("8xi32")
OBJECTS = {
    "%0[0] :": ("%0[-1] :", "object -1 of the 1 that are acquired"),
    "%2[0] :": ("%2[1] :", "object 1 of the 1 that are acquired"),
    f"%0 = aie.objectfifo.acquire @in1(Consume, 1) : {ONE}": (
        f"%0 = aie.objectfifo.acquire @in1(Consume, 1) : {VIEW.format('8xi16')}",
        "found @in1 as memref<8xi16>, expected its type memref<8xi32>",
    ),
    f"subview.access %0[0] : {ONE}": (
        f"subview.access %0[0] : {VIEW.format('16xi32')}",
        "%0 as !aie.objectfifosubview<memref<16xi32>>, expected its type !aie.objectfifosubview<memref<8xi32>>",
    ),
    f"%2[0] : {ONE} -> memref<8xi32>": (f"%2[0] : {ONE} -> memref<4xi32>", "an object as memref<4xi32>, expected"),
}


@pytest.mark.parametrize("old", OBJECTS)
def test_objects_that_are_not_acquired_or_have_another_type(old: str) -> None:
    new, found = OBJECTS[old]
    text, line = changed(old, new, ADD_MLIR)
    commands = ("check", "exec", "run") if "of the 1" in found else ()
    refused(text, line, found, *commands)


SYNC = "aiex.npu.sync {{column = 0 : i32, row = 0 : i32, direction = {} : i32, channel = 0 : i32{}}}"
HOST = {
    "aiex.npu.rtp_write(@a0, -1, 1)": "element -1 of a0, expected 0 to 7",
    "aiex.npu.rtp_write(@a0, 8, 1)": "element 8 of a0, expected 0 to 7",
    "aiex.npu.rtp_write(@a0, 0, 4294967296)": "4294967296 for a0 of int32",
    "aiex.npu.rtp_write(@none, 0, 1)": "the buffer none, expected one of a0,",
    "aiex.npu.write32 {address = -4 : i32, value = 1 : i32, column = 0 : i32, row = 2 : i32}": "the address -4",
    "aiex.npu.write32 {address = -1 : i32, value = 1 : i32, buffer = @a0}": "word -1 of a0, expected 0 to 7",
    "aiex.npu.write32 {address = 8 : i32, value = 1 : i32, buffer = @a0}": "word 8 of a0, expected 0 to 7",
    "aiex.npu.write32 {address = 4096 : i64, value = 4294967296 : i64, column = 0 : i32, row = 2 : i32}": "4294967296",
    "aiex.npu.address_patch {addr = 118788 : ui32, arg_idx = -1 : i32, arg_plus = 0 : i32}": "argument -1",
    SYNC.format(2, ""): "direction 2, expected 0 to 1",
    SYNC.format(0, ", column_num = 0 : i32, row_num = 1 : i32"): "a number of columns of 0",
    SYNC.format(0, ", column_num = 1 : i32, row_num = 0 : i32"): "a number of rows of 0",
}


@pytest.mark.parametrize("operation", HOST)
def test_numbers_of_the_sequence_outside_their_range(operation: str) -> None:
    text, line = changed("aiex.dma_await_task", f"{operation}\n      aiex.dma_await_task")
    refused(text, line, HOST[operation], "check", "exec", "run")


@pytest.mark.parametrize(
    ("view", "found"),
    [
        ("subview %a0[-2] [8] [1] : memref<8xi32> to memref<8xi32>", "elements -2 to 5"),
        ("subview %a0[4] [8] [1] : memref<8xi32> to memref<8xi32>", "elements 4 to 11"),
        ("reinterpret_cast %a0 to offset: [4], sizes: [8], strides: [1] : memref<8xi32> to memref<8xi32>", "elements 4 to"),
    ],
)  # fmt: skip
def test_a_view_outside_its_array(view: str, found: str) -> None:
    text, line = changed("%v0 = memref", f"%view = memref.{view}\n          %v0 = memref")
    refused(text, line, found, "check", "exec", "run")


VALUES = {
    "dense<99999999999>": "'99999999999', expected a whole number of 32 bits",
    "dense<1.5>": "'1.5', expected a whole number of 32 bits",
    "dense<1> : tensor<4xi32>": "elements of 4 int32, expected the type of what it fills: 8 int32",
    "dense<1> : tensor<8xi16>": "elements of 8 int16, expected the type",
    "initial_value = dense<1> : tensor<4xi32>": "initial values of 4 int32, expected values of 8 int32",
}


@pytest.mark.parametrize("values", VALUES)
def test_first_contents_outside_their_type(values: str) -> None:
    old = '%a0 = aie.buffer(%t) {sym_name = "a0"} : memref<8xi32>'
    new = f"{old} = {values}"
    if values.startswith("initial"):
        new = old.replace('"a0"', f'"a0", {values}')
    text, line = changed(old, new)
    refused(text, line, VALUES[values])


def test_a_channel_of_a_memory_tile_reaches_half_of_its_descriptors() -> None:
    text = explicit_text(more=" {bd_id = 24 : i32}")
    line = text[: text.index("aiex.dma_start_task(%p)")].count("\n") + 1
    found = "descriptor 24 for MM2S 0 of mem tile (0, 1), expected one of 0 to 23"
    refused(text, line, found, "check", "exec", "run")
    part = "aie.dma_bd(%b : memref<16xi32>, 0, 16) {bd_id = 24 : i32}"
    text = forms_text(OUT=part)
    refused(
        text, text[: text.index(part)].count("\n") + 1, "bd_id 24 for channel 0 of mem tile (0, 1), expected 0 to 23"
    )
    text = explicit_text(more=" {bd_id = 23 : i32}")
    TEXT.write_text(text)
    assert goldbeat("objfifo", "exec", TEXT).code == 0


NUMBERS = {
    '{sym_name = "a0"}': ('{sym_name = "a0", address = -4 : i32}', "address -4, expected a multiple of 4 from 0 on"),
    '{sym_name = "a1"}': ('{sym_name = "a1", mem_bank = 4 : i32}', "mem_bank 4, expected 0 to 3"),
    '{sym_name = "b0"}': ('{sym_name = "b0", mem_bank = -1 : i32}', "mem_bank -1, expected 0 to 3"),
    "sizes = [2, 4] strides = [1, 2])": (
        ", 0, 8, [<size = 2, stride = -4>])",
        "stride = -4, expected a whole number from",
    ),
    "aie.next_bd ^out1": (
        "aie.next_bd ^x\n ^x:\n aie.next_bd ^out1",
        "in ^x without a descriptor, expected aie.dma_bd",
    ),
}


@pytest.mark.parametrize("old", NUMBERS)
def test_places_and_chains_that_no_tile_has(old: str) -> None:
    new, found = NUMBERS[old]
    text, line = changed(old, new)
    refused(text, line + 2 * (" ^x:" in new), found)


@pytest.mark.parametrize("name", ["shli", "shrsi", "shrui"])
def test_shifts_by_the_width_or_more(name: str) -> None:
    shift = f"%far = arith.constant 32 : i32\n %far1 = arith.{name} %three, %far : i32\n"
    text, line = changed("scf.for %n", f"{shift} scf.for %n")
    refused(text, line + 1, f"arith.{name}: a shift by 32 of i32, expected 0 to 31", "check", "exec", "run")
    TEXT.write_text(text.replace("constant 32", "constant 31"))
    assert goldbeat("objfifo", "exec", TEXT).code == 0


@pytest.mark.parametrize("count", [0, -1])
def test_a_release_of_nothing_breaks_a_rule(count: int) -> None:
    text, line = changed("release @in1(Consume, 1)", f"release @in1(Consume, {count})", ADD_MLIR)
    TEXT.write_text(text)
    found = [goldbeat("objfifo", command, TEXT) for command in ("check", "plan", "exec", "run")]
    assert [one.code for one in found] == [1, 2, 2, 2]
    said = f"aie.mlir:{line}:9: in1: release of {count} objects, expected at least 1"
    assert all(said in " ".join((one.stdout + one.stderr).split()) for one in found)


def test_two_senders_may_share_a_descriptor() -> None:
    text = explicit_text().replace(
        "aie.flow(%s, DMA : 0", "aie.flow(%s, DMA : 1, %m, DMA : 2)\n    aie.flow(%s, DMA : 0"
    )
    more = """aie.shim_dma_allocation @z (%s, MM2S, 1)
    aie.shim_dma_allocation @x"""
    move = (
        "aiex.npu.dma_memcpy_nd(%i[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @z} : memref<32xi32>"
    )
    text = text.replace("aie.shim_dma_allocation @x", more).replace(
        "aiex.dma_await_task", f"{move}\n aiex.dma_await_task"
    )
    TEXT.write_text(text)
    done = goldbeat("objfifo", "exec", TEXT)
    assert (done.code, "descriptor 0 of shim tile (0, 0) is written while MM2S 0" in done.stdout) == (3, True), done


def test_an_order_that_leaves_memory_unwritten_fails_in_run_too() -> None:
    text = explicit_text().replace("aiex.dma_await_task(%g)", "", 1)
    TEXT.write_text(text)
    assert [goldbeat("objfifo", command, TEXT).code for command in ("check", "exec", "run")] == [1, 1, 1]


def test_a_lowered_text_with_an_empty_sequence_moves_nothing() -> None:
    text = forms_text(MOVES="")
    TEXT.write_text(text)
    assert [goldbeat("objfifo", command, TEXT).code for command in ("check", "exec", "run")] == [3, 3, 3]


@pytest.mark.parametrize("step", [0, -1])
def test_a_loop_whose_step_is_not_positive(step: int) -> None:
    text = ADD_MLIR.replace("%c1 = arith", f"%none = arith.constant {step} : index\n      %c1 = arith")
    text, line = changed("36854775807 step %c1", "36854775807 step %none", text)
    refused(text, line, f"scf.for with a step of {step}, expected a step of at least 1")


@pytest.mark.parametrize(
    ("region", "line", "found"),
    [
        ("%r = scf.if %go -> (i32) {\n scf.yield %three : i32\n }", 1, "scf.if of i32 without else, expected else with"),
        ("%r = scf.if %go -> (i32) {\n } else {\n scf.yield %three : i32\n }", 1, "an empty block of scf.if, expected"),
        ("%r = scf.if %go -> (i32) {\n scf.yield %c1 : index\n } else {\n scf.yield %three : i32\n }", 2,
         "%c1 as index, expected its type i32"),
        ("%r = scf.for %q = %c0 to %c1 step %c1 iter_args(%old = %three) -> (i32) {\n %u = arith.addi %old, %old : i32\n }", 2,
         "the end of a block of scf.for after arith.addi, expected scf.yield of i32"),
    ],
)  # fmt: skip
def test_results_of_regions_that_nothing_makes(region: str, line: int, found: str) -> None:
    text, start = changed("scf.for %n", f"%go = arith.cmpi eq, %c0, %c1 : index\n {region}\n scf.for %n")
    refused(text, start + line, found)
