# SPDX-License-Identifier: Apache-2.0
"""Arrays of files in every command that takes some: one rule of types, sizes and names."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.design.case import CaseContext
from goldbeat.tb.designs.objfifo.bench_engine import DESIGN
from goldbeat.tb.designs.objfifo.live_case import array_differences
from goldbeat.tb.designs.objfifo.live_design import recorded_design
from goldbeat.tb.designs.objfifo.user_design import executed_design
from tests.support.objfifo_cli import goldbeat

COPY = """
module {
  aie.device(npu1_1col) {
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    aie.objectfifo @x (%s, {%m}, 2 : i32) : !aie.objectfifo<memref<16xTYPE>>
    aie.objectfifo @y (%m, {%s}, 2 : i32) : !aie.objectfifo<memref<16xTYPE>>
    aie.objectfifo.link [@x] -> [@y] ([] [])
    aie.runtime_sequence(%arg0: memref<64xTYPE>, %arg1: memref<64xTYPE>) {
      aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<64xTYPE>
      aiex.npu.dma_memcpy_nd(%arg1[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1])
        {id = 1 : i64, metadata = @y, issue_token = true} : memref<64xTYPE>
      aiex.npu.dma_wait {symbol = @y}
    }
  }
}
"""
Verdict = tuple[int, str]
"""Exit code and what was said."""


def by_exec(given: str, wanted: str) -> Verdict:
    done = goldbeat("objfifo", "exec", "copy.mlir", "--input", f"arg0={given}", "--expect", f"arg1={wanted}")
    return done.code, done.stdout + done.stderr


def _of(wrong: Callable[[dict[str, Any]], list[str]], name: str, given: str, wanted: str) -> Verdict:
    """What a run of a case says before the simulator has its turn."""
    options = {**DESIGN.case(name).options, "design": "copy.mlir", "inputs": (f"arg0={given}",)}
    try:
        found = wrong({**options, "expect": f"arg1={wanted}"})
    except GoldbeatError as error:
        return 2, str(error)
    return int(bool(found)), "\n".join(found)


def by_plan(given: str, wanted: str) -> Verdict:
    return _of(lambda options: list(executed_design(CaseContext({}, options, 0)).wrong), "design", given, wanted)


def by_record(given: str, wanted: str) -> Verdict:
    def wrong(options: dict[str, Any]) -> list[str]:
        return array_differences(recorded_design(options, 0), str(options["expect"]))[0]

    return _of(wrong, "executed", given, wanted)


ROADS = pytest.mark.parametrize("road", [by_exec, by_plan, by_record])
NUMBERS = np.arange(-32, 32)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def design(element: str = "i32") -> None:
    Path("copy.mlir").write_text(COPY.replace("TYPE", element))


@ROADS
@pytest.mark.parametrize("kind", ["<i8", ">i4", "f8", "<i2"])
@pytest.mark.parametrize("element", ["i32", "i16", "f32", "bf16"])
def test_other_types_of_the_same_numbers(road: Callable[..., Verdict], kind: str, element: str) -> None:
    design(element)
    values = NUMBERS.astype("f4" if element == "bf16" else kind)
    np.save("in.npy", values)
    np.save("out.npy", np.asfortranarray(values.reshape(8, 8)))
    assert road("in.npy", "out.npy") == (0, "the design completes\n" if road is by_exec else "")
    values[5] += 1
    np.save("out.npy", values)
    code, text = road("in.npy", "out.npy")
    assert code == 1
    assert "arg1: 1 of 64 elements differ" in text


@ROADS
@pytest.mark.parametrize(
    ("element", "values", "expected"),
    [
        ("i32", NUMBERS + 2**33, "found int64 with 8589934560 at [0], which does not fit, expected int32 for arg"),
        ("i32", NUMBERS / 2, "found float64 with -15.5 at [1], which does not fit, expected int32 for arg"),
        ("i8", np.full(64, 200, np.uint8), "found uint8 with 200 at [0], which does not fit, expected int8 for arg"),
        ("ui8", NUMBERS.astype(np.int8), "found int8 with -32 at [0], which does not fit, expected uint8 for arg"),
        ("bf16", NUMBERS.astype(np.int16), "found int16, expected bfloat16 for arg"),
        ("i32", NUMBERS[:32], "found 32 elements (32 int64), expected 64 of int32 for arg"),
        ("i32", np.arange(128), "found 128 elements (128 int64), expected 64 of int32 for arg"),
        ("i32", np.zeros(64, [("a", "i4")]), "which are no plain numbers, expected int32 for arg"),
        ("i32", np.array([None] * 64), "found Python objects, which are never loaded"),
    ],
)
@pytest.mark.parametrize("side", ["in.npy", "out.npy"])
def test_what_does_not_fit(road: Any, element: str, values: Any, expected: str, side: str) -> None:
    design(element)
    for name in ("in.npy", "out.npy"):
        np.save(name, values if name == side else np.zeros(64, np.uint16 if element == "bf16" else np.int8))
    code, text = road("in.npy", "out.npy")
    assert code == 2
    assert expected in re.sub(r"\s+", " ", text)
    assert side in text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("arg0=5",), "found the number 5 for arg0, expected an array: 64 int32"),
        (("arg0=in.npy", "arg0=in.npy"), "arg0 is given twice"),
    ],
)
def test_other_mistakes(given: tuple[str, ...], expected: str) -> None:
    design()
    np.save("in.npy", NUMBERS)
    done = goldbeat("objfifo", "exec", "copy.mlir", *(word for one in given for word in ("--input", one)))
    assert done.code == 2
    assert expected in " ".join(done.stderr.split())
