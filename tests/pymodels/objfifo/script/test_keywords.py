# SPDX-License-Identifier: Apache-2.0
"""Keywords of scripts: those without effect are taken, all others are refused by name and line."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.errors import GoldbeatError, InputError
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

SCRIPT = """
import numpy as np
from aie.extras.context import mlir_mod_ctx
from aie.dialects.aie import *
from aie.dialects.aiex import *

ty = np.ndarray[(8,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_1col, sym_name="one")
    def body():
        s, t, m = tile(0, 0), tile(0, 2), tile(0, 1)
        {body}

        @runtime_sequence(ty, sym_name="sequence")
        def sequence(out):
            {sequence}
"""
IRON = """
from aie.iron import Buffer, Flow, ObjectFifo, PacketFlow, Worker
from aie.iron.device import Tile
import numpy as np
ty = np.ndarray[(8,), np.dtype[np.int32]]
{body}
"""
DMA = """l = lock(t, lock_id=0, init=1)
        b = buffer(t, ty, "b")
        @mem(t)
        def dma(block):
            dma_start("MM2S", 0, dest=block[1], chain=block[2]{start})
            with block[1]:
                use_lock(l, LockAction.AcquireGreaterEqual, value=1{use})
                dma_bd(b{bd})
                next_bd(block[1]{next})"""


def execute(tmp_path, text):
    path = tmp_path / "script.py"
    path.write_text(text)
    return ScriptArray(path, (), {}).execute()


@pytest.mark.parametrize(
    ("body", "call"),
    [
        ("lock(t, colour=1)", "lock(colour=...)"),
        ("buffer(t, ty, shared=True)", "buffer(shared=...)"),
        ("flow(s, WireBundle.DMA, 0, t, WireBundle.DMA, 0, width=64)", "flow(width=...)"),
        ("packetflow(1, s, WireBundle.DMA, 0, {'dest': t, 'port': WireBundle.DMA, 'channel': 0}, drop=1)",
         "packetflow(drop=...)"),
        ("shim_dma_allocation('x', s, DMAChannelDir.MM2S, 0, plio=True)", "shim_dma_allocation(plio=...)"),
        ("core(t, elf_file='core.elf')(lambda: None)", "core(elf_file=...)"),
        (DMA.format(start=", bursts=2", use="", bd="", next=""), "dma_start(bursts=...)"),
        (DMA.format(start="", use=", acq_en=False", bd="", next=""), "use_lock(acq_en=...)"),
        (DMA.format(start="", use="", bd=", next_bd_id=3", next=""), "dma_bd(next_bd_id=...)"),
    ],
)  # fmt: skip
def test_declarations(tmp_path, body, call):
    with pytest.raises(InputError) as error:
        execute(tmp_path, SCRIPT.format(body=body, sequence="pass"))
    assert call in str(error.value)
    text = SCRIPT.format(body=body, sequence="pass").splitlines()
    assert call.partition("(")[0] in text[error.value.line - 1]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("npu_write32(address=0, value=1, column=0, row=2, twice=True)", "npu_write32(twice=...)"),
        ("npu_push_queue(0, 0, 1, 0, False, 0, 0, urgent=1)", "npu_push_queue(urgent=...)"),
        ("dma_configure_task(s, DMAChannelDir.MM2S, 0, chain=1)", "dma_configure_task(chain=...)"),
        ("shim_dma_single_bd_task('x', out, zeros=1)", "shim_dma_single_bd_task(zeros=...)"),
        ("npu_dma_memcpy_nd('x', 0, out, d0_zero_before=1)", "npu_dma_memcpy_nd(d0_zero_before=...)"),
    ],
)
def test_the_sequence(tmp_path, call, name):
    with pytest.raises(InputError) as error:
        execute(tmp_path, SCRIPT.format(body="pass", sequence=call))
    assert name in str(error.value)
    assert error.value.line == 16


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("Worker(None, [], tile=Tile(0, 2), threads=2)", "Worker(threads=...)"),
        ("Flow(Tile(0, 0), Tile(0, 2), lanes=2)", "Flow(lanes=...)"),
        ("PacketFlow(1, Tile(0, 0), Tile(0, 2), mask=3)", "PacketFlow(mask=...)"),
        ("Tile(0, 2, rotated=True)", "Tile(rotated=...)"),
    ],
)
def test_the_level_without_tiles(tmp_path, body, name):
    with pytest.raises(InputError) as error:
        execute(tmp_path, IRON.format(body=body))
    assert name in str(error.value)
    assert error.value.line == 6


def test_keywords_without_effect_are_taken(tmp_path):
    body = DMA.format(start=", loc=None", use=", blocking=None", bd=", burst_length=64", next="")
    found = execute(tmp_path, SCRIPT.format(body=body + "\n        buffer(t, ty, use_write_rtp=True)", sequence="pass"))
    assert found[-1].completes
    body = "Worker(None, [], tile=Tile(0, 2, allocation_scheme='basic-sequential'), trace=1)"
    with pytest.raises(GoldbeatError, match="missing design"):
        execute(tmp_path, IRON.format(body=body))


def test_a_field_that_a_descriptor_has_not(tmp_path):
    call = "npu_writebd(bd_id=0, column=0, row=0, buffer_length=8, {field}=1)"
    execute(tmp_path, SCRIPT.format(body="pass", sequence=call.format(field="burst_length")))
    with pytest.raises(GoldbeatError, match="enable_compression = 1, which it has not"):
        execute(tmp_path, SCRIPT.format(body="pass", sequence=call.format(field="enable_compression")))
