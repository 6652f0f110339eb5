# SPDX-License-Identifier: Apache-2.0
"""Walks, locks and transfers of scripts that no hardware has: refused with the script's line."""

from __future__ import annotations

import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

RING = """
import numpy as np
from aie.dialects.aie import *
from aie.dialects.aiex import *
from aie.extras.context import mlir_mod_ctx

K = 64
t = np.ndarray[(16,), np.dtype[np.int32]]
host = np.ndarray[(K,), np.dtype[np.int32]]
with mlir_mod_ctx() as ctx:
    @device(AIEDevice.npu1_1col)
    def body():
        s, m = tile(0, 0), tile(0, 1)
        x, y = object_fifo("x", s, m, 2, t), object_fifo("y", m, s, 2, t)
        object_fifo_link(x, y)
        c = tile(0, 2)
        held = buffer(c, t, name="held")
        free, full = lock(c, init=1), lock(c, init=0){more}
        @mem(c)
        def dma(block):
            start = dma_start(DMAChannelDir.MM2S, {channel}, dest=block[1])
            with block[1]:
                use_lock(free, LockAction.AcquireGreaterEqual)
                dma_bd(held, {bd})
                {lock}
                next_bd(block[1])
        @runtime_sequence(host, host)
        def seq(A, B):
            npu_dma_memcpy_nd(metadata=x, bd_id=0, mem=A, {move})
            npu_dma_memcpy_nd(metadata=y, bd_id=8, mem=B, sizes=[1,1,1,{drain}], strides=[0,0,0,1], issue_token=True)
            dma_wait(y)
    print(ctx.module)
"""
PARTS = {
    "more": "", "channel": "0", "bd": "offset=0, len=16", "lock": "use_lock(full, LockAction.Release)", "drain": "64",
    "move": "offsets=[0,0,0,0], sizes=[1,1,1,64], strides=[0,0,0,1]",
}  # fmt: skip


@pytest.fixture
def script(tmp_path):
    """Execute the ring above with parts of it replaced."""

    def run(**parts):
        path = tmp_path / "ring.py"
        text = RING
        for name, value in (PARTS | parts).items():
            text = text.replace("{" + name + "}", value)
        path.write_text(text)
        return ScriptArray(path, (), {}).execute()[-1]

    return run


def test_it_runs_as_it_is(script):
    found = script()
    assert found.good
    assert found.words["MM2S 0 of shim tile (0, 0)"] == 64


REFUSED = {
    "before the array": ({"move": "offsets=[0,0,0,-1], sizes=[1,1,1,64], strides=[0,0,0,1]"}, "29: arg0: ", "element -1"),
    "behind the array": ({"move": "offsets=[0,0,0,1], sizes=[1,1,1,64], strides=[0,0,0,1]"}, "29: ", "elements 1 to 64 of arg0"),
    "a negative stride": ({"move": "offsets=[0,0,1,0], sizes=[1,1,2,32], strides=[0,0,-32,1]"}, "29: ", "element -64"),
    "backwards inside": ({"move": "offsets=[0,0,-1,0], sizes=[1,1,2,32], strides=[0,0,-32,1]"}, "29: ", "stride -32"),
    "four dimensions": ({"bd": "0, 16, sizes=[2,2,2,2], strides=[1,4,2,8]"}, "24: ", "4 dimensions .*at most 3"),
    "past the end": ({"bd": "offset=1, len=16"}, "24: ", "element 16 of held, expected at most element 15"),
    "too long": ({"bd": "offset=0, len=17"}, "24: ", "element 16 of held"),
    "sizes past the end": ({"bd": "0, 16, sizes=[2,8], strides=[9,1]"}, "24: ", "element 16 of held"),
    "uses past the end": ({"bd": "offset=0, len=8, iteration=(3, 8)"}, "24: ", "element 23 of held"),
    "before the buffer": ({"bd": "offset=-1, len=16"}, "24: ", "element -1"),
    "a far channel": ({"channel": "2"}, "21: ", "channel MM2S 2 of core tile .*expected MM2S 0 to 1"),
    "a stream from one": ({"more": "; flow(c, 'DMA', 5, m, 'DMA', 0)"}, "18: ", "channel MM2S 5 of core tile"),
    "a stream to one": ({"more": "; flow(c, 'DMA', 0, m, 'DMA', 6)"}, "18: ", "channel S2MM 6 of mem tile"),
    "a wait for one": ({"move": "offsets=[0,0,0,0], sizes=[1,1,1,64]); npu_sync(0, 0, 0, 7"}, "29: ", "channel S2MM 7 of shim"),
    "a wait for direction 2": ({"move": "offsets=[0,0,0,0], sizes=[1,1,1,64]); npu_sync(0, 0, 2, 0"}, "29: ", "direction 2"),
    "a wait for no tile": ({"move": "offsets=[0,0,0,0], sizes=[1,1,1,64]); npu_sync(0, 0, 0, 0, 0"}, "29: ", "0 columns"),
    "a word before": ({"move": "offsets=[0,0,0,0], sizes=[1,1,1,64]); npu_rtp_write('held', -1, 1"}, "29: ", "element -1 of held"),
    "a word behind": ({"move": "offsets=[0,0,0,0], sizes=[1,1,1,64]); npu_write32(16, 1, 'held'"}, "29: ", "word 16 of held"),
    "a descriptor of two channels": (
        {"move": "sizes=[1,1,1,64]); npu_dma_memcpy_nd(metadata=y, bd_id=0, mem=B, sizes=[1,1,1,64]"},
        "29: ", "descriptor 0 for S2MM 0 of shim tile .*, which MM2S 0 of shim tile .* has since ring.py:29"),
    "padding": ({"bd": "0, 18, sizes=[16], strides=[1], pad_dimensions=[(1, 1)]"}, "24: ", "padding"),
    "a second acquire": ({"lock": "use_lock(full, LockAction.AcquireGreaterEqual)"}, "25: ", "a second acquire"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_descriptor_has_is_refused(script, name):
    parts, line, found = REFUSED[name]
    with pytest.raises(UsageError, match=f"ring.py:{line}.*{found}"):
        script(**parts)


def test_a_fill_that_ends_inside_an_object_is_wrong(script):
    found = script(move="offsets=[0,0,0,0], sizes=[1,1,1,63], strides=[0,0,0,1]", drain="48")
    assert found.completes
    assert not found.good
    assert found.unfinished == ("x: the host moves 63 words, objects have 16: the last stays unfinished",)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ("[1.5] * 16", "float64 with 1.5 at"),
        ("[2**40] * 16", "int64 with 1099511627776"),
        ("[1] * 4", "4 initial values"),
    ],
)
def test_first_contents_outside_their_type(script, values, found):
    with pytest.raises(InputError, match=f"ring.py:18: found {found}"):
        script(more=f"; buffer(c, t, initial_value={values})")
