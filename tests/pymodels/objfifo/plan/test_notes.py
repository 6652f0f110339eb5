# SPDX-License-Identifier: Apache-2.0
"""Remarks on designs that break no rule."""

import pytest
from objfifo_designs import FAR, MEM, PRODUCE, SHIM, forward, make, one, program, ty

from goldbeat.pymodels.objfifo.iron.placed import object_fifo, object_fifo_link
from goldbeat.pymodels.objfifo.plan.lower import violations
from goldbeat.pymodels.objfifo.plan.notes import notes


def sender(times, repeats):
    def build():
        x = object_fifo("x", FAR[0], FAR[1], 2, ty(8))
        x.set_repeat_count(repeats)
        program(FAR[0], *one(x, PRODUCE, times))

    return build


def on_a_core(first, last):
    def build():
        a, b = object_fifo("a", SHIM, FAR[0], first, ty(8)), object_fifo("b", FAR[0], FAR[1], last, ty(8))
        object_fifo_link(a, b)

    return build


def on_a_memory_tile():
    a, b = object_fifo("a", SHIM, MEM, [2, 3], ty(8)), object_fifo("b", MEM, FAR[1], [2, 2], ty(8))
    object_fifo_link(a, b)


COLUMNS = [(10, 1), (4, 10)]


@pytest.mark.parametrize(
    ("build", "name", "texts"),
    [
        (sender(2, 3), "repeat-core-program", ["core of tile_2_2", "repeats 3 times", "waits for 0 units"]),
        (on_a_core([2, 3], [2, 2]), "core-link-depths", ["depth 3 of a and 2 of b", "have 3 buffer descriptors"]),
        (on_a_core(3, 2), "core-link-depths", ["depth 3 of a and 2 of b"]),
        (lambda: forward(60, 40, dimensionsToStream=COLUMNS), "dims-again", ["for 40 words", "have 60"]),
    ],
)
def test_note(build, name, texts):
    design = make(build)
    assert violations(design) == []
    (found,) = notes(design)
    assert found.name == name
    assert all(text in found.text for text in texts)


@pytest.mark.parametrize(
    "build",
    [
        sender(1, 3),  # One acquire is the first one.
        sender(2, 1),
        on_a_core(2, 2),
        on_a_memory_tile,
        lambda: forward(40, dimensionsToStream=COLUMNS),
        lambda: forward(60, 40, dimensionsToStream=[(4, 10), (10, 1)]),
    ],
)
def test_nothing_to_note(build):
    assert notes(make(build)) == []
