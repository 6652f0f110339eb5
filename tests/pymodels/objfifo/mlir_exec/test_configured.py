# SPDX-License-Identifier: Apache-2.0
"""A sequence that configures devices one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.mlir_exec.configured import execute_text
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray

DEVICE = """aie.device(npu2) @%(name)s {
  %%s = aie.tile(0, 0)
  %%m = aie.tile(0, 1)
  %%b = aie.buffer(%%m) {address = 64 : i32 %(initial)s} : memref<4xi32>
  %%l = aie.lock(%%m) {init = %(count)d : i32}
  aie.memtile_dma(%%m) {
    %%one = arith.constant 1 : i32
    %%0 = aie.dma_start(MM2S, 0, ^b, ^e)
  ^b:
    aie.use_lock(%%l, AcquireGreaterEqual, %%one)
    aie.dma_bd(%%b : memref<4xi32> offset = 0 len = 4)
    aie.next_bd ^b
  ^e:
    aie.end
  }
  aie.flow(%%m, DMA : 0, %%s, DMA : 0)
  aie.runtime_sequence (%%a : memref<4xi32>) {
    %%t = aiex.dma_configure_task (%%s, S2MM, 0) {
      aie.dma_bd(%%a : memref<4xi32> offset = 0 len = 4)
      aie.end
    } {issue_token = true}
    aiex.dma_start_task(%%t)
    aiex.dma_await_task(%%t)
  }
}
"""
INITIAL = ", initial_value = dense<[11, 22, 33, 44]> : tensor<4xi32>"
CALL = """%%v%(n)d = memref.subview %%arg[%(first)d] [4] [1] : memref<16xi32> to memref<4xi32, strided<[1], offset: %(first)d>>
aiex.run @sequence (%%v%(n)d) : (memref<4xi32>)
"""


def text_of(folder: Path, main: str) -> TextArray:
    one = DEVICE % {"name": "one", "initial": INITIAL, "count": 2}
    two = DEVICE % {"name": "two", "initial": "", "count": 1}
    head = "aie.device(npu2) @main { aie.runtime_sequence @sequence(%arg : memref<16xi32>) {\n"
    (folder / "x.mlir").write_text(f"module {{\n{head}{main}\n}} }}\n{one}{two}}}\n")
    return TextArray(folder / "x.mlir")


def calls(device: str, *places: int) -> str:
    body = "".join(CALL % {"n": first, "first": first} for first in places)
    return f"aiex.configure @{device} {{\n{body}}}\n"


def test_devices_run_in_turn_on_parts_of_an_array(tmp_path: Path) -> None:
    found = execute_text(
        text_of(tmp_path, calls("one", 0, 8) + calls("two", 12)), {"arg": np.arange(16, dtype=np.int32)}
    )
    kept = [11, 22, 33, 44]
    assert found.completes
    assert found.hosts.keys() == {"arg"}
    # The second device has no initial values: its memory is as the first one left it.
    np.testing.assert_array_equal(found.hosts["arg"], [*kept, 4, 5, 6, 7, *kept, *kept])
    assert found.words["S2MM 0 of shim tile (0, 0)"] == 12


def test_a_device_that_hangs_is_the_last_one(tmp_path: Path) -> None:
    found = execute_text(text_of(tmp_path, calls("two", 0, 4) + calls("one", 8)))
    assert not found.completes
    assert "waits for a token of S2MM 0" in found.report[0]
    assert not found.hosts["arg"].any()


@pytest.mark.parametrize(
    ("main", "error"),
    [
        (
            "aiex.npu.write32 {address = 0 : ui32, value = 0 : ui32}\n" + calls("one", 0),
            "'aiex.npu.write32', expected a",
        ),
        ("aiex.configure @one {\n}\n", "sequences of @one: 0, expected calls"),
        ("aiex.configure @one {\naiex.run @sequence (%arg, %arg) : (memref<16xi32>)\n}\n", "2 arguments, expected 1"),
        ((calls("one", 0)).replace("[4] [1]", "[4] [2]"), "not of consecutive elements"),
        (calls("three", 0), "missing aie.device @three"),
    ],
)
def test_what_else_a_sequence_does_is_refused(tmp_path: Path, main: str, error: str) -> None:
    with pytest.raises(InputError, match=error):
        execute_text(text_of(tmp_path, main))


def test_several_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is executed once: leave --runs out"):
        execute_text(text_of(tmp_path, calls("one", 0)), runs=2)
