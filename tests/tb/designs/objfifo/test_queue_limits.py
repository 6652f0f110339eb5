# SPDX-License-Identifier: Apache-2.0
"""How many tasks may be in flight (mlir-air#1822): six of a channel completed on npu2, four in its queue and two in buffers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.objfifo_cli import goldbeat

FEEDS = """
import sys
import numpy as np
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.extras.context import mlir_mod_ctx
from aie.iron.controlflow import range_
COUNT, IN_TURN = int(sys.argv[1]), len(sys.argv) > 2
part = np.ndarray[(64,), np.dtype[np.int32]]
host = np.ndarray[(64 * COUNT,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.DEVICE)
    def body():
        left, right, near = tile(0, 0), tile(1, 0), tile(0, 2)
        a, b = object_fifo("a", left, near, 2, part), object_fifo("b", right, near, 2, part)
        o = object_fifo("o", near, left, 2, part)
        @core(near)
        def work():
            for _ in range_(COUNT):
                x, y = (one.acquire(ObjectFifoPort.Consume, 1) for one in (a, b))
                z = o.acquire(ObjectFifoPort.Produce, 1)
                for i in range_(64):
                    z[i] = x[i] + y[i]
                a.release(ObjectFifoPort.Consume, 1)
                b.release(ObjectFifoPort.Consume, 1)
                o.release(ObjectFifoPort.Produce, 1)
        @runtime_sequence(host, host, host)
        def seq(A, B, C):
            def feed(fifo, mem, k):
                at = dict(offsets=[0, 0, 0, 64 * k], sizes=[1, 1, 1, 64], strides=[0, 0, 0, 1])
                npu_dma_memcpy_nd(metadata=fifo, bd_id=k, mem=mem, **at)
            npu_dma_memcpy_nd(metadata=o, bd_id=15, mem=C, sizes=[1, 1, 1, 64 * COUNT], issue_token=True)
            feeds = [(a, A, k) for k in range(COUNT)] + [(b, B, k) for k in range(COUNT)]
            for one in sorted(feeds, key=lambda one: one[2]) if IN_TURN else feeds:
                feed(*one)
            dma_wait(o)
    print(ctx.module)
"""
TIGHT = "hangs where the task at work takes one of the 4 places of a queue, as on npu2 (mlir-air#1822)"
CURE = "no task of MM2S 0 of shim tile (1, 0) is started before: start tasks of all channels in turn"


def said(tmp_path: Path, command: str, device: str, *arguments: object) -> tuple[int, str]:
    path = tmp_path / "feeds.py"
    path.write_text(FEEDS.replace("DEVICE", device))
    done = goldbeat("objfifo", command, path, "--", *arguments)
    return done.code, done.stdout


@pytest.mark.parametrize("command", ["check", "exec"])
@pytest.mark.parametrize(("device", "most"), [("npu2", 6), ("npu1_2col", 7)])
def test_feeds_of_one_channel_before_those_of_another(tmp_path: Path, command: str, device: str, most: int) -> None:
    code, text = said(tmp_path, command, device, 6)
    assert (code, TIGHT in text) == (0, False)
    code, text = said(tmp_path, command, device, 7)
    assert (code, TIGHT in text) == (int(most < 7), True)
    # Whatever the queue counts: four in it, one at work, two in the buffers.
    code, text = said(tmp_path, command, device, 8)
    assert (code, CURE in text) == (1, True)
    assert "waits for a place in the queue of MM2S 0 of shim tile (0, 0)" in text


@pytest.mark.parametrize("command", ["check", "exec"])
def test_feeds_in_turn_have_no_limit(tmp_path: Path, command: str) -> None:
    code, text = said(tmp_path, command, "npu2", 12, "turn")
    assert (code, TIGHT in text) == (0, False)
