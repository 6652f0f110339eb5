# SPDX-License-Identifier: Apache-2.0
"""Mistakes of scripts that are found after the script's end name the line that made them."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.plan.lower import violations
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

SCRIPT = """
import numpy as np
from aie.iron import Bd, Buffer, DmaChannel, Flow, Lock, ObjectFifo, Program, Runtime, TileDma, Worker, kernels
from aie.iron.device import NPU2Col1, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y, m = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y"), Tile(0, 1)

def work(x, y):
    source, dest = x.acquire(1), y.acquire(1)
    {work}
    x.release(1)
    y.release(1)

def sequence(a, c, x, y):
    x.fill(a)
    y.drain(c, wait=True)

rt = Runtime(sequence, [ty, ty, x.prod(), y.cons()])
{body}
Program(NPU2Col1(), rt, workers=[Worker(work, [x.cons(), y.prod()])]).resolve_program()
"""
WORK, BODY = 11, 20
DMA = "rt.add_tile_dma(TileDma(m, [DmaChannel('S2MM', 1, [{}])]))"


def script(tmp_path, work="dest[:] = source", body=""):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT.format(work=work, body=body))
    return ScriptArray(path, (), {})


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("Lock(tile=None)", "found lock without a tile"),
        ("Lock(tile=None, lock_id=2)", "found lock 2 without a tile"),
        ("Lock(tile=m, lock_id=1), Lock(tile=m, lock_id=1)", "found lock 1 of mem tile (0, 1) twice"),
        ("Lock(tile=Tile(0, 9))", "found core tile (0, 9), expected one of npu2_1col, which has 1 columns and 6 rows"),
        ("Buffer(ty, name='lost')", "found buffer lost without a tile"),
        ("Buffer(ty, tile=Tile(3, 3))", "found core tile (3, 3), expected one of npu2_1col"),
        ("rt.add_flow(Flow(None, m))", "found None, which is no tile"),
        ("rt.add_flow(Flow(Tile(3, 0), m))", "found shim tile (3, 0), expected one of npu2_1col"),
        (DMA.format("Bd('x')"), "found a descriptor of 'x', expected a buffer"),
        (DMA.format("Bd(Buffer(ty, tile=m), next=5)"), "found next=5 of a Bd, expected None, 'self' or 0 to 0"),
        (DMA.format("Bd(Buffer(ty, tile=m), bd_id=77)"), "found descriptor 77 of S2MM 1 of mem tile (0, 1)"),
        (
            DMA.format("Bd(Buffer(ty, tile=m), bd_id=24), Bd(Buffer(ty, tile=m), bd_id=24)"),
            "found bd_id 24 of mem tile",
        ),
    ],
)
def test_declarations(tmp_path, body, text):
    assert script(tmp_path).execute()[-1].completes
    with pytest.raises(GoldbeatError) as error:
        script(tmp_path, body=body + "  # here").execute()
    assert str(error.value).startswith(f"script.py:{BODY}: {text}")


def test_the_function_of_a_worker(tmp_path):
    with pytest.raises(GoldbeatError) as error:
        script(tmp_path, work="x.release(2)").execute()
    assert f"worker work, line {WORK}: release of 2 object(s) of x" in str(error.value)
    found = [str(one) for one in violations(script(tmp_path, work="x.release(2)").planned())]
    assert f"worker work, line {WORK}: release of 2" in found[0]
    assert f"worker work, line {WORK + 1}: release of 1" in found[1]


def test_a_kernel_of_the_library(tmp_path):
    with pytest.raises(GoldbeatError) as error:
        script(tmp_path, work="kernels.mm(1, 2, 3)(source, dest)").execute()
    assert f"script.py:{WORK}: found TypeError" in str(error.value)
