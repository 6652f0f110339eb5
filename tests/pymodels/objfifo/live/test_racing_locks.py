# SPDX-License-Identifier: Apache-2.0
"""Programs that acquire one lock at once: who gets it first is not decided by the order of execution."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

SCRIPT = """
import numpy as np
from aie.iron import Lock, ObjectFifo, Program, Runtime, Worker
from aie.iron.device import NPU2, Tile

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")
ticket = Lock(tile=Tile(0, 3), init={tickets}, name="ticket")

def work(out, ticket):
    ticket.acquire(1)
    o = out.acquire(1)
    o[0] = 1
    out.release(1)

cores = [Worker(work, [x.prod(), ticket], tile=Tile(0, {first})), Worker(work, [y.prod(), ticket], tile=Tile(0, {second}))]

def sequence(a, b, x, y):
    x.drain(a, wait=True)
    {more}

rt = Runtime(sequence, [ty, ty, x.cons(), y.cons()])
Program(NPU2(), rt, workers=cores{order}).resolve_program()
"""


def execute(tmp_path, tickets=1, order="", more=""):
    path = tmp_path / "design.py"
    path.write_text(SCRIPT.format(tickets=tickets, first=2, second=3, order=order, more=more), encoding="utf-8")
    return ScriptArray(path, [], {}).execute()[-1]


@pytest.mark.parametrize("order", ["", "[::-1]"])
def test_who_gets_a_lock_first_is_undecided_in_any_order_of_the_workers(tmp_path, order):
    found = execute(tmp_path, order=order)
    (text, *_) = found.order.lines
    assert text.startswith("undecided: ")
    assert "acquire lock ticket: the design" in text
    assert "hangs" in text
    assert found.completes


def test_a_lock_that_is_enough_for_all_is_no_race(tmp_path):
    found = execute(tmp_path, tickets=8, more="y.drain(b, wait=True)")
    assert found.completes
    assert not found.order.lines


def test_a_hang_in_every_order_is_a_hang(tmp_path):
    found = execute(tmp_path, tickets=1, more="y.drain(b, wait=True)")
    assert not found.completes
    assert any("lock ticket to reach 1" in line for line in found.report)
