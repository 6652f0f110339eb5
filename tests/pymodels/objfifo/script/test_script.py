# SPDX-License-Identifier: Apache-2.0
"""Scripts with mlir-aie's import lines: small ones for every part of the surface."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.open_design import open_fifo_design
from goldbeat.pymodels.objfifo.plan.strides import pad_word
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from goldbeat.pymodels.objfifo.untimed.deadlock import DesignVerdict, analyse

PLACED = """
import numpy as np
from aie.extras.context import mlir_mod_ctx
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.iron.controlflow import range_
from aie.helpers.dialects.scf import if_, else_

ty = np.ndarray[(32,), np.dtype[np.int32]]
part = np.ndarray[(8,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_1col)
    def body():
        shim, mem_tile, core_tile = tile(0, 0), tile(0, 1), tile(0, 2)
"""
FIFOS = """
        x = object_fifo("x", shim, core_tile, 2, part)
        y = object_fifo("y", core_tile, shim, 2, part)
        kernel = external_func("kernel", inputs=[part, part], link_with="kernel.o")

        @core(core_tile)
        def work():
            for turn in range_(4):
                a, b = x.acquire(ObjectFifoPort.Consume, 1), y.acquire(ObjectFifoPort.Produce, 1)
                {work}
                x.release(ObjectFifoPort.Consume, 1)
                y.release(ObjectFifoPort.Produce, 1)

        @runtime_sequence(ty, ty)
        def sequence(inp, out):
            {sequence}
print(ctx.module)
"""
MOVE = """npu_dma_memcpy_nd(metadata=x, bd_id=0, mem=inp, sizes=[1, 1, 1, 32])
            npu_dma_memcpy_nd(metadata=y, bd_id=1, mem=out, sizes=[1, 1, 1, 32])
            dma_wait(y)"""
LOOP = """for i in range_(8):
                    b[i] = a[i] + 7"""
ARGS = {"arg0": np.arange(32, dtype=np.int32)}


@pytest.fixture
def script(tmp_path):
    """Execute a script; the last result."""

    def run(text, inputs=None, kernels=None, arguments=()):
        path = tmp_path / "script.py"
        path.write_text(text)
        found = ScriptArray(path, arguments, kernels or {}).execute(inputs)[-1]
        assert "aie" not in sys.modules
        return found

    return run


def placed(work=LOOP, sequence=MOVE):
    return PLACED + FIFOS.format(work=work, sequence=sequence)


def test_a_placed_script(script):
    found = script(placed(), ARGS)
    assert found.completes
    assert found.hosts["arg1"].tolist() == list(range(7, 39))


def test_scripts_are_planned_too(tmp_path):
    path = tmp_path / "design.py"
    task = """t = shim_dma_single_bd_task(x, inp, sizes=[1, 1, 1, 32])
            dma_start_task(t)
            """
    synced = MOVE.replace("dma_wait(y)", "npu_sync(column=0, row=0, direction=0, channel=0)")
    tasked = task + MOVE.split("\n", 1)[1].strip()
    texts = (placed(), IRON.format(plus=6), placed(sequence=tasked), placed(sequence=synced))
    for text, names in zip(texts, ("xy", "xy", "xy", "xy"), strict=True):
        path.write_text(text)
        design = open_fifo_design(path)
        assert sorted(f.name for f in design.fifos) == list(names)
        assert len(design.transfers) == 2
        assert analyse(design).verdict is DesignVerdict.COMPLETES
    path.write_text(PLACED + "        buffer(core_tile, part, 'a')")
    with pytest.raises(UsageError, match="goldbeat objfifo exec"):
        open_fifo_design(path)
    assert "aie" not in sys.modules


def test_a_sequence_that_cannot_be_planned_has_no_plan_at_the_second_look_either(tmp_path):
    path = tmp_path / "design.py"
    path.write_text("""
import numpy as np
from aie.iron import ObjectFifo, Program, Runtime
from aie.iron.device import NPU1Col1
part = np.ndarray[(8,), np.dtype[np.int32]]
x = ObjectFifo(part, name="x")
y = x.cons().forward(name="y")
def sequence(a, b, first, last):
    first.fill(a)
    last.drain(b, wait=True).nothing()
Program(NPU1Col1(), Runtime(sequence, [part, part, x.prod(), y.cons()])).resolve_program()
""")
    array = ScriptArray(path, (), {})
    errors = []
    for _ in range(2):
        with pytest.raises(InputError) as caught:
            array.planned()
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_waits_and_descriptors_that_are_used_again(script):
    sequence = """for n in range(4):
                npu_dma_memcpy_nd(x, 0, inp, [0, 0, 0, 8 * n], [1, 1, 1, 8], [0, 0, 0, 1], issue_token=True)
                dma_wait(x)
                npu_dma_memcpy_nd("y", 1, out, [0, 0, 0, 8 * n], [1, 1, 1, 8])
                dma_wait("y")"""
    assert script(placed(sequence=sequence), ARGS).hosts["arg1"].tolist() == list(range(7, 39))


def test_a_descriptor_that_waits_to_run_is_not_written(script):
    sequence = "for n in range(3):\n                npu_dma_memcpy_nd(x, 0, inp, sizes=[1, 1, 1, 32])"
    with pytest.raises(UsageError, match=r"descriptor 0 of shim tile .* is written while MM2S 0"):
        script(placed(sequence=sequence), ARGS)


def test_tasks(script):
    sequence = """a = shim_dma_single_bd_task(x, inp, sizes=[2, 1, 1, 16], strides=[0, 0, 0, 1])
            b = dma_configure_task(shim, DMAChannelDir.S2MM, 0, issue_token=True)
            with bds(b) as bd:
                with bd[0]:
                    shim_dma_bd(out, offset=16, sizes=[1, 1, 1, 16], strides=[0, 0, 0, 1])
                    next_bd(bd[1])
                with bd[1]:
                    shim_dma_bd(out, offset=0, sizes=[1, 1, 1, 16], strides=[0, 0, 0, 1])
                    EndOp()
            dma_start_task(a, b)
            dma_await_task(b)
            dma_free_task(a)"""
    assert script(placed(sequence=sequence), ARGS).hosts["arg1"].tolist() == [*range(7, 23)] * 2


def test_branches_on_what_a_core_knows(script):
    work = """with if_(turn == 2) as op:
                    kernel(a, b)
                with else_(op):
                    b[0] = turn"""
    found = script(placed(work), ARGS, {"kernel.o": lambda a, b: b.__setitem__(slice(None), -a)})
    assert found.hosts["arg1"].reshape(4, 8)[:, 0].tolist() == [0, 1, -16, 3]


def test_a_kernel_without_a_stand_in(script):
    with pytest.raises(UsageError, match="kernel is compiled code; give a stand-in: --kernel kernel="):
        script(placed("kernel(a, b)"), ARGS)


def test_raw_descriptors(script):
    zeros = ", ".join(
        f"{n}=0"
        for n in [
            "enable_packet",
            "out_of_order_id",
            "packet_id",
            "packet_type",
            "d0_size",
            "d0_stride",
            "d1_size",
            "d1_stride",
            "d2_size",
            "d2_stride",
            "iteration_current",
            "iteration_size",
            "iteration_stride",
            "lock_acq_enable",
            "lock_acq_id",
            "lock_acq_val",
            "lock_rel_id",
            "lock_rel_val",
            "next_bd",
            "use_next_bd",
        ]
    )
    sequence = f"""npu_writebd(column=0, row=0, bd_id=3, buffer_length=32, buffer_offset=0, valid_bd=1, {zeros})
            npu_address_patch(addr=0x1D064, arg_idx=0, arg_plus=0)
            npu_push_queue(column=0, row=0, direction=1, channel=0, bd_id=3, issue_token=True, repeat_count=0)
            npu_sync(column=0, row=0, direction=1, channel=0)
            npu_dma_memcpy_nd(metadata=y, bd_id=1, mem=out, sizes=[1, 1, 1, 32])
            dma_wait(y)"""
    assert script(placed(sequence=sequence), ARGS).hosts["arg1"].tolist() == list(range(7, 39))


EXPLICIT = """
        a = buffer(core_tile, part, "a")
        b = buffer(tile=mem_tile, datatype=part, name="b", initial_value=np.arange(8, dtype=np.int32))
        free, full = lock(core_tile, lock_id=0, init=1), lock(core_tile, lock_id=1, init=0)
        gate = lock(mem_tile, init={gate})
        flow(mem_tile, WireBundle.DMA, 0, core_tile, WireBundle.DMA, 1)
        packetflow(3, core_tile, WireBundle.DMA, 0, {{"dest": shim, "port": WireBundle.DMA, "channel": 0}})
        shim_dma_allocation("out", shim, DMAChannelDir.S2MM, 0)

        @memtile_dma(mem_tile)
        def m(block):
            dma_start(DMAChannelDir.MM2S, 0, dest=block[1], chain=block[2])
            with block[1]:
                use_lock(gate, LockAction.AcquireGreaterEqual, value=1)
                dma_bd(b, offset=0, transfer_len=8, dimensions=[(2, 1), (4, 2)])
                next_bd(block[1])
            with block[2]:
                EndOp()

        @mem(core_tile)
        def m(block):
            dma_start(DMAChannelDir.S2MM, 1, dest=block[1], chain=block[2])
            with block[1]:
                use_lock(free, LockAction.AcquireGreaterEqual)
                dma_bd(a)
                use_lock(full, LockAction.Release)
                next_bd(block[1])
            with block[2]:
                dma_start(DMAChannelDir.MM2S, 0, dest=block[3], chain=block[4])
            with block[3]:
                use_lock(done, LockAction.AcquireGreaterEqual)
                dma_bd(a, packet=(0, 3))
                use_lock(free, LockAction.Release)
                next_bd(block[3])
            with block[4]:
                EndOp()

        @core(core_tile)
        def work():
            while True:
                use_lock(full, LockAction.AcquireGreaterEqual)
                for i in range_(8):
                    a[i] = a[i] * 2
                use_lock(done, LockAction.Release)

        @runtime_sequence(part)
        def sequence(out):
            {before}
            npu_dma_memcpy_nd("out", 0, out, sizes=[1, 1, 1, 8])
            npu_dma_wait("out")
"""


def test_buffers_locks_streams_and_dma_programs(script):
    text = PLACED + EXPLICIT.format(gate=1, before="pass").replace(
        "gate =", "done = lock(core_tile, init=0)\n        gate ="
    )
    wanted = [0, 4, 8, 12, 2, 6, 10, 14]
    assert script(text).hosts["arg0"].tolist() == wanted
    shut = text.replace("init=1)\n        flow", "init=0)\n        flow")
    assert not script(shut).completes
    opened = shut.replace("            pass\n", "            set_lock_value(gate, 1)\n")
    assert script(opened).hosts["arg0"].tolist() == wanted


IRON = """
import numpy as np
import aie.iron as iron
from aie.iron import CompileTime, In, ObjectFifo, Out, Program, Runtime, TaskGroup, Worker
from aie.iron.controlflow import range_
from aie.utils.verify import assert_pass


@iron.jit
def plus(a: In, c: Out, *, n: CompileTime[int] = 16):
    whole = np.ndarray[(4 * n,), np.dtype[np.int32]]
    part = np.ndarray[(n,), np.dtype[np.int32]]
    x, y = ObjectFifo(part, name="x"), ObjectFifo(part, name="y")

    def work(src, dst):
        a, b = src.acquire(1), dst.acquire(1)
        for i in range_(n):
            b[i] = a[i] + 5
        src.release(1)
        dst.release(1)

    def sequence(a, c, src, dst):
        group = TaskGroup()
        src.fill(a, group=group)
        dst.drain(c, wait=True, group=group)
        group.finish()

    worker = Worker(work, [x.cons(), y.prod()], stack_size=0x800)
    return Program(iron.get_current_device(), Runtime(sequence, [whole, whole, x.prod(), y.cons()]), [worker]).resolve_program()


a = iron.arange(64, dtype=np.int32)
c = iron.zeros_like(a)
plus(a, c)
assert_pass(c.numpy(), a.numpy() + {plus}, fail_msg="sums")
"""


def test_a_script_that_calls_its_design_and_checks_it(script):
    assert script(IRON.format(plus=5)).completes
    with pytest.raises(InputError, match="FAIL! sums"):
        script(IRON.format(plus=6))


TILE_DMA = """
import numpy as np
from aie.dialects._aie_enum_gen import AIETileType, DMAChannelDir
from aie.dialects.aie import EndOp
from aie.dialects.aiex import bds, dma_await_task, dma_configure_task, dma_start_task, shim_dma_bd
from aie.iron import Acquire, Bd, BdIteration, Buffer, DmaChannel, Flow, Lock, Program, Release, Runtime, TileDma
from aie.iron.device import NPU2Col1, Tile

kind = np.ndarray[(16,), np.dtype[np.int16]]
big = np.ndarray[(20,), np.dtype[np.int16]]
shim = Tile(col=0, row=0, tile_type=AIETileType.ShimNOCTile)
mem = Tile(col=0, row=1, tile_type=AIETileType.MemTile)
buf = Buffer(tile=mem, type=kind, name="buf")
free, full = Lock(tile=mem, init=4), Lock(tile=mem, init=0)
into = Bd(buffer=buf, length=4, iteration=BdIteration(size=4, stride=4, current=1), acquires=[Acquire(free)],
          releases=[Release(full)])
out = Bd(buffer=buf, length=20, sizes=[16], strides=[1], pad_dimensions=[(2, 2)], acquires=[Acquire(full, value=4)])
dma = TileDma(tile=mem, channels=[DmaChannel(DMAChannelDir.S2MM, 0, [into]), DmaChannel(DMAChannelDir.MM2S, 0, [out], pad_value=3)])


def sequence(a, c):
    tasks = []
    for data, way, size in ((a, DMAChannelDir.MM2S, 16), (c, DMAChannelDir.S2MM, 20)):
        tasks.append(dma_configure_task(shim.op, way, 0, issue_token=True))
        with bds(tasks[-1]) as bd:
            with bd[0]:
                shim_dma_bd(data.op, offset=0, sizes=[1, 1, 1, size], strides=[0, 0, 0, 1])
                EndOp()
    dma_start_task(*tasks)
    dma_await_task(*tasks)


rt = Runtime(sequence, [kind, big])
rt.add_flow(Flow(src=shim, dst=mem, src_channel=0, dst_channel=0))
rt.add_flow(Flow(src=mem, dst=shim, src_channel=0, dst_channel=0))
rt.add_tile_dma(dma)
Program(NPU2Col1(), rt).resolve_program()
"""


def test_dma_programs_as_objects_with_iteration_and_padding(script):
    data = np.arange(16, dtype=np.int16)
    found = script(TILE_DMA, {"arg0": data})
    assert found.completes
    assert found.hosts["arg1"].tolist() == [3, 3, *range(12, 16), *range(12), 3, 3]
    assert pad_word(8, 1) == 0x08080808
    assert pad_word(-1, 2) == 0xFFFFFFFF


def test_the_surface_is_only_there_while_a_script_is_read(script, tmp_path):
    with pytest.raises(InputError, match=r"nowhere of aie\.iron is not executed: see docs/objfifo-script\.md"):
        script("from aie.iron import nowhere")
    with pytest.raises(InputError, match="missing design"):
        script("from aie.iron import Worker")
    assert "aie" not in sys.modules
    sys.modules["aie"] = ModuleType("aie")
    try:
        with pytest.raises(InputError, match="fifos; the package aie is installed, and was imported"):
            script("import aie")
    finally:
        del sys.modules["aie"]


def test_a_planned_script_finds_the_modules_of_its_folder(tmp_path):
    (tmp_path / "sizes_of_mine.py").write_text("WORDS = 32\n")
    path = tmp_path / "design.py"
    path.write_text("from sizes_of_mine import WORDS\n" + placed().replace("(32,)", "(WORDS,)"))
    assert [host.obj.elements for host in open_fifo_design(path).hosts] == [32, 32]
    assert "sizes_of_mine" not in sys.modules
