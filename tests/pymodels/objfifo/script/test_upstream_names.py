# SPDX-License-Identifier: Apache-2.0
"""Names of mlir-aie that scripts import: kernels, tilers, element types, parameters, devices."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern, TensorAccessSequence, TensorTiler2D
from goldbeat.pymodels.objfifo.iron.ops import MEMREF
from goldbeat.pymodels.objfifo.live.walk import element_walk
from goldbeat.pymodels.objfifo.plan.object_type import BlockFloat8, object_type
from goldbeat.pymodels.objfifo.plan.strides import in_words
from goldbeat.pymodels.objfifo.script import kernel_library
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

HEAD = """
import numpy as np
import aie.iron as iron
from aie.iron import In, ObjectFifo, Out, Program, Runtime, Worker
from aie.iron.device import NPU1, NPU2, NPU2Col1
from aie.utils.verify import assert_pass
"""


def execute(tmp_path, text, inputs=None, kernels=None):
    path = tmp_path / "design.py"
    path.write_text(HEAD + text, encoding="utf-8")
    return ScriptArray(path, [], kernels or {}, "npu2").execute(inputs)[-1]


@pytest.mark.parametrize(
    ("repeats", "steps", "starts"), [((1, 2), (1, 2), [0, 2, 8, 10]), ((2, 1), None, [0, 2, 4, 6])]
)
def test_a_step_tiler_visits_each_element_once(repeats, steps, starts):
    tiles = TensorTiler2D.step_tiler((2, 8), (1, 2), repeats, steps)
    order = tiles.access_order()
    assert sorted(order.reshape(-1).tolist()) == list(range(16))
    assert [one.offset for one in tiles] == starts
    assert (tiles.access_count() == 1).all()


def test_edges_cut_groups_only_if_they_may():
    with pytest.raises(ValueError, match="do not cover 6 in dimension 1"):
        TensorTiler2D.step_tiler((2, 6), (1, 2), (1, 2))
    tiles = TensorTiler2D.step_tiler((2, 6), (1, 2), (1, 2), allow_partial=True)
    assert [sum(1 for _ in one.access_generator()) for one in tiles] == [4, 2, 4, 2]


def test_dialects_as_scripts_before_2025_import_them(tmp_path):
    same = "from aie.extras.dialects.ext import {0} as old\nfrom aie.extras.dialects import {0} as new\nassert old.{1} is new.{1}"
    text = "\n".join(same.format(*names) for names in (("arith", "constant"), ("memref", "load"), ("scf", "for_")))
    with pytest.raises(GoldbeatError, match="missing design"):
        execute(tmp_path, text)


def test_sequences_have_values_or_functions_for_each_step():
    made = TensorAccessSequence((4, 4), 2, sizes=[1, 4], strides=[9, 1], offset_fn=lambda step, _: 4 * step)
    assert made == TensorAccessSequence.from_taps([TensorAccessPattern((4, 4), at, [1, 4], [0, 1]) for at in (0, 4)])
    with pytest.raises(ValueError, match="neither offset nor offset_fn"):
        TensorAccessSequence((4, 4), 2, sizes=[1, 4], strides=[0, 1])
    with pytest.raises(ValueError, match="found element 16"):
        TensorAccessPattern((4, 4), 16, [1], [1])


def test_block_floats_are_moved_in_whole_words():
    kind = object_type(np.ndarray.__class_getitem__(((8,), np.dtype.__class_getitem__(BlockFloat8))))
    assert (kind.words, kind.type_name) == (18, "V9")
    assert element_walk(4, [(4, 1)], 9, "x").tolist() == list(range(9, 18))
    assert [(d.size, d.step) for d in in_words([(2, 8), (4, 1)], 9, "x")] == [(9, 1), (2, 18)]
    with pytest.raises(
        GoldbeatError, match="whole 32-bit words: word 0 is bytes 9, 10, 11, 12, expected four in a row"
    ):
        element_walk(1, [(4, 1)], 9, "x")


def test_inner_dimensions_of_one_element_are_left_out():
    assert [(d.size, d.step) for d in in_words([(2, 8), (8, 1), (1, 8)], 2, "x")] == [(4, 1), (2, 4)]
    assert in_words([(1, 2), (1, 1)], 2, "x") == ()
    with pytest.raises(GoldbeatError, match="dims-words"):
        in_words([(2, 8), (8, 1), (1, 8)], 2, "x", padded=True)


def test_a_view_of_memory_stays_inside():
    words = np.arange(8, dtype=np.int32)
    part = MEMREF["view"](words, [2, 2], shift=4)
    part[:] = 0
    assert words.tolist() == [0, 1, 2, 3, 0, 0, 0, 0]
    with pytest.raises(UsageError, match="expected bytes 0 to 31"):
        MEMREF["view"](words, [5], shift=4)


@pytest.mark.parametrize("turned", [False, True])
def test_a_matrix_product_has_its_matrices_in_blocks(turned):
    m, k, n = 4, 8, 16
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-9, 9, shape).astype(np.int16) for shape in ((m, k), (k, n), (m, n)))
    kernel = kernel_library.mm(m, k, n, b_col_maj=turned)
    r, s, t = kernel.mac_dims
    left = a.reshape(m // r, r, k // s, s).transpose(0, 2, 1, 3).reshape(-1).copy()
    right = b.T if turned else b
    shape = (n // t, t, k // s, s) if turned else (k // s, s, n // t, t)
    right = right.reshape(shape).transpose(0, 2, 1, 3).reshape(-1).copy()
    result = c.reshape(m // r, r, n // t, t).transpose(0, 2, 1, 3).reshape(-1).copy()
    kernel(left, right, result)
    made = result.reshape(m // r, n // t, r, t).transpose(0, 2, 1, 3).reshape(m, n)
    assert (made == c + a @ b).all()
    kernel.zero(result)
    assert not result.any()


LIBRARY = """
from aie.iron import kernels

@iron.jit
def scaled(a: In, factor: In, c: Out):
    fn = kernels.scale(tile_size=16, dtype=np.int32)
    whole, tile, one = fn.arg_types()[0], fn.arg_types()[0], fn.arg_types()[2]
    x, f, y = ObjectFifo(tile, name="x"), ObjectFifo(one, name="f"), ObjectFifo(tile, name="y")

    def work(x, f, y, fn):
        factor, source, target = f.acquire(1), x.acquire(1), y.acquire(1)
        fn(source, target, factor, 16)
        x.release(1)
        f.release(1)
        y.release(1)

    count = 0

    def sequence(a, b, c, x, f, y):
        nonlocal count
        assert count == 0, "a sequence is run once"
        count += 1
        x.fill(a)
        f.fill(b)
        y.drain(c, wait=True)

    assert isinstance(iron.get_current_device(), NPU2) and not isinstance(iron.get_current_device(), (NPU1, NPU2Col1))
    rows = Worker.grid(1, 1, lambda r, c: Worker(work, [x.cons(), f.cons(), y.prod(), fn]))
    rt = Runtime(sequence, [whole, one, whole, x.prod(), f.prod(), y.cons()])
    return Program(iron.get_current_device(), rt, workers=rows[0]).resolve_program()

a, b, c = iron.arange(16, dtype=np.int32), iron.tensor([3], dtype=np.int32), iron.tensor((16,), dtype=np.int32)
scaled(a, b, c)
assert_pass(c.numpy(), {factor} * np.arange(16))
"""


def test_a_kernel_of_the_library_needs_no_stand_in(tmp_path):
    assert execute(tmp_path, LIBRARY.replace("{factor}", "3")).completes


def test_a_given_stand_in_comes_before_the_library(tmp_path):
    given = {"scale": lambda a, c, f, count: c.__setitem__(slice(None), 5 * a)}
    assert execute(tmp_path, LIBRARY.replace("{factor}", "5"), kernels=given).completes


def test_tensors_are_handed_over_as_bytes(tmp_path):
    wrong = LIBRARY.replace("{factor}", "3").replace("iron.arange(16, dtype=np.int32)", "iron.arange(16)")
    with pytest.raises(UsageError, match="argument 0: found 16 elements of int64, expected 16 int32"):
        execute(tmp_path, wrong)


PARAMETERS = """
from aie.dialects.aiex import npu_load_pdi
from aie.iron import ScratchpadParameter, sync_parameters

ty = np.ndarray[(8,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")
gain, first = ScratchpadParameter("gain", np.int32), ScratchpadParameter("first", np.int32)

def work(x, y, gain):
    source, target = x.acquire(1), y.acquire(1)
    for i in range(8):
        target[i] = source[i] * gain.read()
    x.release(1)
    y.release(1)

def sequence(a, b, x, y):
    npu_load_pdi(device_ref="empty")
    npu_load_pdi(device_ref="{device}")
    sync_parameters()
    x.fill(a, sizes=[8], strides=[1], offset=0, offset_parameter=first)
    y.drain(b, wait=True)

rt = Runtime(sequence, [np.ndarray[(32,), np.dtype[np.int32]], ty, x.prod(), y.cons()])
worker = Worker(work, [x.cons(), y.prod(), gain])
Program(NPU2(), rt, workers=[worker]).resolve_program(device_name="mine")
"""


def test_parameters_reach_cores_and_transfers(tmp_path):
    data = {"arg0": np.arange(32, dtype=np.int32), "gain": 3, "first": 8}
    found = execute(tmp_path, PARAMETERS.replace("{device}", "mine"), data)
    assert found.hosts["arg1"].tolist() == [3 * n for n in range(8, 16)]


def test_the_configuration_of_another_device_is_refused_with_its_line(tmp_path):
    with pytest.raises(UsageError, match=r"design.py:\d+: found the configuration of other, expected .* mine"):
        execute(tmp_path, PARAMETERS.replace("{device}", "other"), {"gain": 3})


TRACED = """
from aie.dialects.aie import event
from aie.iron import Kernel
from aie.utils.trace.events import CoreEvent

ty = np.ndarray[(4,), np.dtype[np.int32]]
x, y = ObjectFifo(ty, name="x"), ObjectFifo(ty, name="y")

def work(x, y, mark):
    mark()
    source, target = x.acquire(1), y.acquire(1)
    event(0)
    for i in range(4):
        target[i] = source[i] + 1
    x.release(1)
    y.release(1)

worker = Worker(work, [x.cons(), y.prod(), Kernel("event_0", "kernel.o", [])], trace=1)
rt = Runtime()
with rt.sequence(ty, ty) as (a, b):
    rt.enable_trace(8192, workers=[worker], coretile_events=[CoreEvent.INSTR_EVENT_0], ddr_id=2)
    rt.start(worker)
    rt.fill(x.prod(), a)
    rt.drain(y.cons(), b, wait=True)
Program(NPU2(), rt).resolve_program()
"""


def test_traces_have_no_effect(tmp_path):
    found = execute(tmp_path, TRACED, {"arg0": np.arange(4, dtype=np.int32)})
    assert found.hosts["arg1"].tolist() == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="event_2 is compiled code"):
        execute(tmp_path, TRACED.replace("event_0", "event_2"))
