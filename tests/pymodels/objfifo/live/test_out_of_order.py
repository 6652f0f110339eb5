# SPDX-License-Identifier: Apache-2.0
"""Packets whose headers name the descriptors that they fill, in text and in scripts."""

from __future__ import annotations

import numpy as np
import pytest

from goldbeat.pymodels.errors import GoldbeatError, InputError, UsageError
from goldbeat.pymodels.objfifo.live.dma import LiveBd
from goldbeat.pymodels.objfifo.live.execute import run_live
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_channels import live_descriptor
from goldbeat.pymodels.objfifo.live.record_events import LockChanged
from goldbeat.pymodels.objfifo.live.record_scene import recorded_scenes
from goldbeat.pymodels.objfifo.mlir_exec.device_build import TextArray
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, PacketHeader
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray
from tests.support.objfifo_played import right

# Four packets of 8 words leave the shim; ids 5 and 3 name the second and the first half of the memory tile's buffer.
TEXT = """
module {{
  aie.device(npu1_1col) {{
    %s = aie.tile(0, 0)
    %m = aie.tile(0, 1)
    %b = aie.buffer(%m) {{sym_name = "b"}} : memref<16xi32>
    %room = aie.lock(%m, 0) {{init = {room} : i32}}
    %full = aie.lock(%m, 1) {{init = 0 : i32}}
    aie.packet_flow(2) {{
      aie.packet_source<%s, DMA : 0>
      aie.packet_dest<%m, DMA : 0>
    }} {{keep_pkt_header = {keep}}}
    aie.flow(%m, DMA : 0, %s, DMA : 0)
    %dma = aie.memtile_dma(%m) {{
      %0 = aie.dma_start({way}, 0, ^in, ^next, repeat_count = {repeat}) {{{order}}}
    ^in:
      {take}
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = {length}) {{bd_id = 3 : i32}}
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^other
    ^other:
      aie.use_lock(%room, AcquireGreaterEqual, 1)
      aie.dma_bd(%b : memref<16xi32> offset = 8 len = 8) {{bd_id = 5 : i32}}
      aie.use_lock(%full, Release, 1)
      aie.next_bd ^in
    ^next:
      %1 = aie.dma_start(MM2S, 0, ^out, ^end)
    ^out:
      aie.use_lock(%full, AcquireGreaterEqual, 2)
      aie.dma_bd(%b : memref<16xi32> offset = 0 len = 16) {{bd_id = 0 : i32}}
      aie.use_lock(%room, Release, 2)
      aie.next_bd ^out
    ^end:
      aie.end
    }}
    aie.runtime_sequence(%i : memref<32xi32>, %o : memref<32xi32>) {{
      %r = aiex.dma_configure_task(%s, S2MM, 0) {{
        aie.dma_bd(%o : memref<32xi32> offset = 0 len = 32)
        aie.end
      }} {{issue_token = true}}
      aiex.dma_start_task(%r)
      {sends}
      aiex.dma_await_task(%r)
    }}
  }}
}}
"""
SEND = """%t{n} = aiex.dma_configure_task(%s, MM2S, 0{packet}) {{
        aie.dma_bd(%i : memref<32xi32> offset = {offset} len = 8) {{{inside}out_of_order_id = {id} : i32}}
        aie.end
      }}
      aiex.dma_start_task(%t{n})
      """
HEADER = "packet = #aie.packet_info<pkt_type = 0, pkt_id = 2>, "
TAKE = "aie.use_lock(%room, AcquireGreaterEqual, 1)"


@pytest.fixture
def merge(tmp_path):
    """Execute the text with parts of it replaced; the output in rows of 8."""

    def run(ids=(5, 3, 3, 5), header=HEADER, packet="", **parts):
        fields = {
            "room": 2,
            "keep": "true",
            "way": "S2MM",
            "repeat": 3,
            "order": "out_of_order",
            "length": 8,
            "take": TAKE,
        }
        sends = [SEND.format(n=n, offset=8 * n, id=i, inside=header, packet=packet) for n, i in enumerate(ids)]
        path = tmp_path / "merge.mlir"
        path.write_text(TEXT.format(**fields | parts, sends="".join(sends)))
        return run_live(TextArray(path).build, {"i": np.arange(32, dtype=np.int32)})

    return run


def rows(found):
    return (found.hosts["o"].reshape(4, 8)[:, 0] // 8).tolist()


def test_headers_name_the_descriptors(merge):
    found = merge()
    assert found.completes
    assert not found.differing
    assert rows(found) == [1, 0, 2, 3]
    assert rows(merge((3, 5, 5, 3))) == [0, 1, 3, 2]


def test_the_packet_of_a_task_is_that_of_its_descriptors(merge):
    found = merge(header="", packet=", <pkt_type = 0, pkt_id = 2>")
    assert rows(found) == [1, 0, 2, 3]


def test_a_packet_waits_for_the_lock_of_its_descriptor(merge):
    found = merge(room=1)
    assert not found.completes
    assert any("S2MM 0 of mem tile (0, 1)" in line and "room" in line for line in found.report)


def test_a_task_takes_as_many_packets_as_it_has_runs(merge):
    found = merge(repeat=2)
    assert not found.completes
    assert any("S2MM 0 of shim tile (0, 0)" in line for line in found.report)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"keep": "false"}, "packet has no header: expected a packet flow with keep_pkt_header"),
        ({"ids": (5, 4, 3, 5)}, r"mem tile \(0, 1\): descriptor 4 was never written"),
        ({"length": 16}, "a packet is shorter than descriptor 3"),
        ({"length": 4}, "a packet is longer than descriptor 3"),
        ({"order": ""}, "a header with out-of-order id 5 is kept as data"),
        ({"way": "MM2S"}, "a second start of MM2S 0 of mem tile"),
        ({"header": ""}, "out_of_order_id without a packet"),
    ],
)
def test_what_cannot_be_placed_is_refused(merge, parts, message):
    with pytest.raises(GoldbeatError, match=message):
        merge(**parts)


SCRIPT = """
import numpy as np
import aie.iron as iron
from aie.dialects.aie import DMAChannelDir
from aie.dialects.aiex import dma_await_task, dma_start_task, shim_dma_single_bd_task, dma_configure_task, bds, shim_dma_bd
from aie.iron import (Acquire, Bd, BdIteration, Buffer, DmaChannel, Flow, Lock, PacketFlow, Program, Release, Runtime,
                      TileDma, Worker)
from aie.iron.device import NPU2, Tile

shim, merge, first, second = Tile(0, 0), Tile(0, 1), Tile(0, 2), Tile(0, 3)
part = np.ndarray[(16,), np.dtype[np.int32]]
buffer = Buffer(tile=merge, type=np.ndarray[(32,), np.dtype[np.int32]], name="merged")
full = Lock(merge, init=0)
channels = [
    DmaChannel(DMAChannelDir.S2MM, 0, [
        Bd(buffer, 16 * n, 8, [], [Release(full)], packet=(0, 0), iteration=BdIteration(2, 8), bd_id=7 - 4 * n)
        for n in range(2)], out_of_order={order}, repeat_count={repeat}),
    DmaChannel(DMAChannelDir.MM2S, 0, [Bd(buffer, acquires=[Acquire(full, 4)], next=0)]),
]
programs, workers, flows = [TileDma(merge, channels)], [], [Flow(merge, shim, shim_symbol="out")]
for number, tile in enumerate((first, second)):
    data = Buffer(tile=tile, initial_value=np.arange(16, dtype=np.int32) + 100 * number, name=f"data{{number}}")
    go = Lock(tile, init=0)
    bd = Bd(data, 0, 8, [Acquire(go)], iteration=BdIteration(2, 8), packet=(0, number), {names})
    programs.append(TileDma(tile, [DmaChannel(DMAChannelDir.MM2S, 0, [bd])]))
    flows.append(PacketFlow(number, tile, merge, keep_pkt_header=True))
    workers.append(Worker(lambda lock: lock.release(2), [go], tile=tile, while_true=False))

def sequence(out):
    task = shim_dma_single_bd_task("out", out, sizes=[1, 1, 1, 32], issue_token=True)
    dma_start_task(task)
    dma_await_task(task)

rt = Runtime(sequence, [np.ndarray[(32,), np.dtype[np.int32]]])
for flow in flows:
    rt.add_flow(flow)
for program in programs:
    rt.add_tile_dma(program)
Program(NPU2(), rt, workers=workers).resolve_program()
"""


@pytest.fixture
def script(tmp_path):
    """Execute the script with parts of it replaced; the first words of the parts."""

    def run(order=True, repeat=0, names="out_of_order_id=(3, 7)[number]"):
        path = tmp_path / "merge.py"
        path.write_text(SCRIPT.format(order=order, repeat=repeat, names=names))
        found = ScriptArray(path, (), {}).execute()[-1]
        assert found.completes
        return found.hosts["arg0"].reshape(4, 8)[:, 0].tolist()

    return run


def test_a_script_places_packets(script):
    assert script() == [100, 108, 0, 8]
    assert script(names="out_of_order_id=(7, 3)[number]", repeat=1) == [0, 8, 100, 108]


def test_ids_that_are_lost_are_refused(script):
    with pytest.raises(UsageError, match="is kept as data"):
        script(order=False)
    with pytest.raises(UsageError, match="out_of_order_id=64"):
        script(names="out_of_order_id=64")
    with pytest.raises(InputError, match="unexpected keyword"):
        script(names="out_of_order=3")


POOLED = """%n{n} = aiex.dma_bd_pool_pop(0, 0) {part}: i32
      %more{n} = arith.constant 1 : i32
      %p{n} = aiex.dma_configure_task(%s, MM2S, 0) repeat %more{n} : i32 {{
        aie.dma_bd(%i : memref<32xi32> offset = {offset} len = 8) bd_id_val %n{n} : i32 {{{header}out_of_order_id = {id} : i32}}
        aie.end
      }}
      aiex.dma_start_task(%p{n})
      """


def test_numbers_from_the_pool_and_repeats_from_values(merge, tmp_path):
    path = tmp_path / "merge.mlir"
    merge()
    text = path.read_text()
    begin, end = text.index("%t0 ="), text.index("aiex.dma_await_task(%r)")

    def pooled(*parts):
        sends = [
            POOLED.format(n=n, offset=8 * n, id=5 - 2 * n, header=HEADER, part=part) for n, part in enumerate(parts)
        ]
        path.write_text(text[:begin] + "".join(sends) + text[end:])
        return run_live(TextArray(path).build, {"i": np.arange(32, dtype=np.int32)})

    found = pooled("", "")  # both packets are sent twice
    assert found.completes
    assert rows(found) == [0, 0, 1, 0]
    with pytest.raises(UsageError, match=r"shim tile \(0, 0\): the pool of descriptors is empty"):
        pooled("partition [3, 4) ", "partition [3, 4) ")


def test_the_engine_sends_such_ids():
    bd = LiveBd(Bd(-1, "b", 0, 8, packet=PacketHeader(2)), np.zeros(8, np.uint32), slot=3)
    made = live_descriptor(bd, 0, Direction.MM2S, lambda _: (None, None))
    assert (made.packet, made.ooo_id) == ((2, 0), 3)
    assert live_descriptor(bd, 0, Direction.S2MM, lambda _: (None, None)).ooo_id == 0


@pytest.mark.parametrize("profile", [0, 1])
@pytest.mark.parametrize("ids", [(5, 3, 3, 5), (3, 5, 5, 3), (3, 5, 3, 5)])
def test_the_engine_takes_them_in_the_order_of_the_execution(merge, ids, profile):
    with recorded_runs() as records:
        assert merge(ids).completes
    found = recorded_scenes(records[0])
    assert found.refused == ()
    (one,) = found.episodes
    assert one.out_of_order == (0,)
    assert len(one.words[0]) == 4 * 9
    assert right(one, profile)
    headers = one.words[0][::9].copy()
    one.words[0][::9] = headers[::-1] if headers[0] != headers[-1] else headers[[1, 0, 3, 2]]
    assert not right(one, profile)


def test_a_packet_that_waits_is_not_a_write_of_the_host(merge):
    with recorded_runs() as records:
        merge()
    locks = [e for e in records[0].events if isinstance(e, LockChanged) and e.tile.row == 1]
    assert locks
    assert all(one.by is not None for one in locks)
