# SPDX-License-Identifier: Apache-2.0
"""Channels that compress and decompress in a whole array: when a setting counts, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.objfifo.live.array import LiveArray
from goldbeat.pymodels.objfifo.live.compression import zero_format
from goldbeat.pymodels.objfifo.live.control_port import ControlPort
from goldbeat.pymodels.objfifo.live.core_registers import RegisterRead, RegisterWrite
from goldbeat.pymodels.objfifo.live.dma import LiveBd, LiveChannel, LiveTask
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.live.record import recorded_runs
from goldbeat.pymodels.objfifo.live.record_scene import recorded_scenes
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.streams import STORAGE, LiveSink, LiveSource, LiveStreams, TilePort
from goldbeat.pymodels.objfifo.plan.device import NPU1
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, PacketHeader
from goldbeat.pymodels.objfifo.script.load_script import ScriptArray

SCRIPT = """
import numpy as np
from aie.dialects.aiex import npu_maskwrite32, npu_write32
from aie.helpers.taplib import TensorAccessPattern
from aie.iron import ExternalFunction, ObjectFifo, Program, Runtime, TaskGroup, Worker, get_current_device
from aie.iron.controlflow import range_
from aie.iron.device import Tile

line = np.ndarray[({line},), np.dtype[np.int32]]
whole = np.ndarray[(256,), np.dtype[np.int32]]
first = ObjectFifo(line, name="first")
second = first.cons().forward(tile=Tile(0, {row}), name="second")
kernel = ExternalFunction("kernel", "kernel.o", arg_types=[])

def part(start, count):
    return TensorAccessPattern((1, 256), start, [1, 1, 1, count], [0, 0, 0, 1])

def bit(address, place, value=1):
    npu_maskwrite32(column=0, row={row}, address=address, value=value << place, mask=1 << place)

def sequence(a, b, head, tail):
    for n in {bds}:
        bit({base} + 32 * n, 31)
    for control in {controls}:
        bit(control, 4)
    {body}

def work(function):
    function()
    for n in range_(1 << 40):
        pass

workers = [Worker(work, [kernel], tile=Tile(0, 2))] if {core} else []
rt = Runtime(sequence, [whole, whole, first.prod(), second.cons()])
Program(get_current_device(), rt, workers).resolve_program()
"""
MOVE = "head.fill(a, tap=part(0, {})); tail.drain(b, tap=part(0, {}), wait=True)"
CORE_TILE = {"row": 2, "base": 0x1D004}
S2MM, MM2S = (0, 1, 0x1DE00), (2, 3, 0x1DE10)
MEM_TILE = {"row": 1, "base": 0xA0010}
MEM_S2MM, MEM_MM2S = (0, 1, 0xA0600), (2, 3, 0xA0630)
PLACES = [(CORE_TILE, S2MM, MM2S), (MEM_TILE, MEM_S2MM, MEM_MM2S)]


def sparse(seed, size=256):
    """Words of which most bytes are zero."""
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, 256, 4 * size) * (rng.random(4 * size) < 0.3)
    return raw.astype(np.uint8).view("<u4").astype(np.uint32)


@pytest.fixture
def execute(tmp_path):
    """Run a forwarding tile; its result."""

    def run(place, ends, body, data, device="npu1", kernel=None, line=64):
        found = {
            "bds": [n for end in ends for n in end[:2]],
            "controls": [end[2] for end in ends],
            "body": body,
            "core": kernel is not None,
            "line": line,
        }
        path = tmp_path / "script.py"
        path.write_text(SCRIPT.format(**place, **found))
        kernels = {} if kernel is None else {"kernel": kernel}
        result = ScriptArray(path, (), kernels, device).execute({"arg0": data.view(np.int32)})[-1]
        assert result.differing == ()
        return result

    return run


def after_the_first_line(data, device):
    return np.concatenate([data[:64], zero_format(device).compress(data[64:])])


def padded(words):
    return np.concatenate([words, np.full(256 - len(words), 0x5A5A5A5A, np.uint32)])


@pytest.mark.parametrize(("place", "s2mm", "mm2s"), PLACES)
@pytest.mark.parametrize("device", ["npu1", "npu2_1col"])
def test_the_descriptor_that_is_loaded_already_does_not_compress(execute, place, s2mm, mm2s, device):
    data = sparse(1)
    wanted = after_the_first_line(data, device)
    assert len(wanted) % 64
    found = execute(place, [mm2s], MOVE.format(256, len(wanted)), data, device)
    # Words that were compressed do not say where an object ends.
    assert found.good
    assert found.hosts["arg1"][: len(wanted)].view(np.uint32).tolist() == wanted.tolist()
    assert not found.hosts["arg1"][len(wanted) :].any()


@pytest.mark.parametrize(("place", "s2mm", "mm2s"), PLACES)
@pytest.mark.parametrize("device", ["npu1", "npu2_1col"])
def test_decompressed_and_compressed_again(execute, place, s2mm, mm2s, device):
    data = sparse(2)
    sent = after_the_first_line(data, device)
    found = execute(place, [s2mm], MOVE.format(len(sent), 256), padded(sent), device)
    assert found.hosts["arg1"].view(np.uint32).tolist() == data.tolist()
    found = execute(place, [s2mm, mm2s], MOVE.format(len(sent), len(sent)), padded(sent), device)
    assert found.completes
    assert found.hosts["arg1"][: len(sent)].view(np.uint32).tolist() == sent.tolist()


@pytest.mark.parametrize("on", [False, True])
def test_tiles_that_compress_are_not_for_the_engine(execute, on):
    data = sparse(11)
    count = len(after_the_first_line(data, "npu1")) if on else 256
    with recorded_runs() as records:
        execute(CORE_TILE, [MM2S] if on else [], MOVE.format(256, count), data)
    wanted = ("MM2S 0 of core tile (0, 2): compression, which the engine has not",) if on else ()
    assert recorded_scenes(records[0]).refused == wanted


def test_a_shim_that_expects_more_than_is_sent_hangs(execute):
    data = sparse(3)
    wanted = after_the_first_line(data, "npu1")
    found = execute(CORE_TILE, [MM2S], MOVE.format(256, 256), data)
    assert not found.completes
    assert f"S2MM 0 of shim tile (0, 0) has {256 - len(wanted)} words of its descriptor to move" in found.report


def test_both_bits_are_needed_and_can_be_taken_back(execute):
    data = sparse(4)
    for ends in ([], [(2, 3, 0x1DE00)]):
        found = execute(CORE_TILE, ends, MOVE.format(256, 256), data)
        assert found.hosts["arg1"].view(np.uint32).tolist() == data.tolist()
    back = "bit(0x1D044, 31, 0); bit(0x1D064, 31, 0); "
    found = execute(CORE_TILE, [MM2S], back + MOVE.format(256, 256), data)
    assert found.hosts["arg1"].view(np.uint32).tolist() == data.tolist()
    only_bd_3 = np.concatenate([data[:64], *(
        zero_format("npu1").compress(data[n : n + 64]) if n != 128 else data[128:192] for n in (64, 128, 192)
    )])  # fmt: skip
    found = execute(CORE_TILE, [MM2S], "bit(0x1D044, 31, 0); " + MOVE.format(256, len(only_bd_3)), data)
    assert found.hosts["arg1"][: len(only_bd_3)].view(np.uint32).tolist() == only_bd_3.tolist()


@pytest.mark.parametrize(
    ("place", "body", "message"),
    [
        (CORE_TILE, "npu_write32(column=0, row=2, address=0x1D044, value=1 << 30)", "only its compression bit"),
        (CORE_TILE, "npu_maskwrite32(column=0, row=2, address=0x1D044, value=3 << 30, mask=3 << 30)",
         "only its compression bit"),
        (CORE_TILE, "npu_write32(column=0, row=2, address=0x1D040, value=1)", "a single word of descriptor 2"),
        (MEM_TILE, "npu_write32(column=0, row=1, address=0xA0050, value=1 << 31)", "a single word of descriptor 2"),
        (CORE_TILE, "one = TaskGroup(); head.fill(a, tap=part(0, 64), group=one); "
         "tail.drain(b, tap=part(0, 64), wait=True, group=one); one.finish(); bit(0x1DE10, 4, 0)",
         "its compression bit is written while it has a descriptor with one at hand"),
    ],
)  # fmt: skip
def test_writes_that_are_refused(execute, place, body, message):
    with pytest.raises(UsageError, match=message):
        execute(place, [MM2S if place is CORE_TILE else MEM_MM2S], body, sparse(5))


def test_a_full_write_that_sets_no_more_than_the_bit(execute):
    data = sparse(6)
    wanted = after_the_first_line(data, "npu1")
    writes = "".join(f"npu_write32(column=0, row=2, address={a}, value=1 << 31); " for a in (0x1D044, 0x1D064))
    found = execute(CORE_TILE, [], f"{writes}bit(0x1DE10, 4); " + MOVE.format(256, len(wanted)), data)
    assert found.hosts["arg1"][: len(wanted)].view(np.uint32).tolist() == wanted.tolist()


def test_lines_of_parts_of_groups_are_refused(execute):
    with pytest.raises(UsageError, match="a descriptor with a compression bit: 60 words, expected a multiple of 8"):
        execute(CORE_TILE, [MM2S], MOVE.format(240, 240), sparse(7), line=60)


def test_a_device_without_a_name_is_refused(execute):
    with pytest.raises(UsageError, match="compression on npu: bytes differ between devices"):
        execute(CORE_TILE, [MM2S], MOVE.format(256, 256), sparse(8), device=None)


def test_a_packet_that_ends_inside_a_group_is_refused(execute):
    data = np.full(256, 0xFFFF, np.uint32)
    body = "head.fill(a, tap=part(0, 66)); head.fill(a, tap=part(0, 66)); tail.drain(b, wait=True)"
    with pytest.raises(UsageError, match="a packet ends inside a compressed group; missing words: 3"):
        execute(CORE_TILE, [S2MM], body, data)


def enable(descriptors, control):
    for number in descriptors:
        yield RegisterWrite(0x1D004 + 32 * number, 1 << 31)
    yield RegisterWrite(control, 1 << 4)
    assert (yield RegisterRead(0x1D004 + 32 * descriptors[0])) == 1 << 31
    assert (yield RegisterRead(control)) == 1 << 4


def test_a_core_sets_the_bits(execute):
    data = sparse(9)
    wanted = after_the_first_line(data, "npu1")
    bus = "npu_maskwrite32(column=0, row=2, address=0x32038, value=1, mask=1); "
    found = execute(CORE_TILE, [], bus + MOVE.format(256, len(wanted)), data, kernel=lambda: enable((2, 3), 0x1DE10))
    assert found.completes
    assert found.hosts["arg1"][: len(wanted)].view(np.uint32).tolist() == wanted.tolist()
    found = execute(
        CORE_TILE, [], bus + MOVE.format(len(wanted), 256), padded(wanted), kernel=lambda: enable((0, 1), 0x1DE00)
    )
    assert found.hosts["arg1"].view(np.uint32).tolist() == data.tolist()


def test_a_core_waits_for_its_processor_bus(execute):
    body = "head.fill(a); tail.drain(b, wait=True); tail.drain(b, wait=True)"
    found = execute(CORE_TILE, [], body, sparse(10), kernel=lambda: enable((2, 3), 0x1DE10))
    assert not found.completes
    assert any("waits for the processor bus of core tile (0, 2) to be enabled" in line for line in found.report)


# -- a channel by itself


def channel(bd, *, direction=Direction.MM2S, ordered=True):
    tile = NPU1().tile(0, 2)
    found = LiveChannel(tile, direction, 0, lambda key: bd, lambda: None, "npu1")
    found.compression, found.ordered = True, ordered
    found.queue.append(LiveTask(0))
    return found


def plain(**more):
    return Bd(0, "x", 0, 16, **more)


def test_walks_that_do_not_keep_groups_together_are_refused():
    memory = np.arange(64, dtype=np.uint32)
    for walk in (np.arange(1, 17), np.arange(0, 32, 2), np.full(16, -1)):
        with pytest.raises(UsageError, match="does not walk aligned groups of 8 words"):
            channel(LiveBd(plain(), memory, walk=walk, compress=True)).advance()
    groups = np.concatenate([np.arange(24, 32), np.arange(8)])
    one = channel(LiveBd(plain(), memory, walk=groups, compress=True))
    assert one.advance()
    wanted = zero_format("npu1").compress(memory[groups])
    assert one.left == len(wanted)
    assert one.take(one.left).tolist() == wanted.tolist()


def test_packets_with_a_header_are_refused():
    bd = LiveBd(plain(packet=PacketHeader(3)), np.zeros(16, np.uint32), compress=True)
    with pytest.raises(UsageError, match="compresses packets with a header"):
        channel(bd).advance()
    bd = replace(bd, bd=plain())
    with pytest.raises(UsageError, match="compresses packets with a header"):
        channel(bd, direction=Direction.S2MM, ordered=False).place(0)
    assert channel(bd).advance()


def decompressing_sink():
    bd = LiveBd(plain(), np.zeros(16, np.uint32), compress=True)
    one = channel(bd, direction=Direction.S2MM)
    return LiveSink(TilePort(one.tile, "DMA", 0), one), bd


def test_a_port_takes_no_more_than_belongs_to_a_group():
    sink, _ = decompressing_sink()
    assert sink.room() == STORAGE
    assert sink.channel.advance()
    assert sink.room() == STORAGE + 1
    sink.push(np.array([0x1F], np.uint32))
    assert sink.step()
    assert sink.room() == STORAGE + 2


def test_packets_that_wait_are_told_apart():
    sink, bd = decompressing_sink()
    bd.takes = (LiveLock("full"), 1, False)
    sink.push(np.array([0x1F, 1], np.uint32), last=True)
    sink.push(np.array([2], np.uint32))
    assert not sink.step()
    bd.takes[0].value = 1
    with pytest.raises(UsageError, match="a packet ends inside a compressed group; missing words: 1"):
        sink.step()


@pytest.mark.parametrize("suppress", [False, True])
def test_without_tlast_a_group_goes_on(suppress):
    sink, _ = decompressing_sink()
    bd = LiveBd(plain(suppress_tlast=suppress), np.full(16, 0xFFFFFFFF, np.uint32))
    source = LiveSource(TilePort(NPU1().tile(0, 3), "DMA", 0), channel(bd))
    streams = LiveStreams()
    streams.connect(source, [sink])
    if suppress:
        assert streams.step()
        assert sink.channel.left == 8
    else:
        with pytest.raises(UsageError, match="a packet ends inside a compressed group; missing words: 2"):
            streams.step()


def test_a_compressed_word_is_no_header():
    bd = LiveBd(plain(), np.ones(16, np.uint32), compress=True)
    source = LiveSource(TilePort(NPU1().tile(0, 3), "DMA", 0), channel(bd))
    streams = LiveStreams()
    streams.connect(source, [decompressing_sink()[0]], 3)
    with pytest.raises(UsageError, match="header would be its first compressed word"):
        streams.step()


# -- descriptors by their words


def by_words(registers, tile):
    words = [16, 1 << 31, 0, 0, 0, 1 << 25]
    for number, word in enumerate(words):
        assert list(registers.write(tile, 0x1D000 + 4 * number, word)) == []
    for wait in registers.write(tile, 0x1DE14, 0):
        assert wait.attempt()


def test_a_descriptor_that_is_written_by_words():
    array = LiveArray(NPU1())
    tile, registers = array.device.tile(0, 2), LiveRegisters(array)
    list(registers.write_masked(tile, 0x1DE10, 1 << 4, 1 << 4))
    by_words(registers, tile)
    one = array.bds[tile][0]
    assert one.compress
    assert registers.value(tile, 0x1D004) == 1 << 31
    for value in (0, 1 << 31):
        list(registers.write_masked(tile, 0x1D004, value, 1 << 31))
        assert array.bds[tile][0] is one
        assert (one.compress, registers.value(tile, 0x1D004)) == (bool(value), value)
    list(registers.write_masked(tile, 0x1D004, 0, 1 << 31))
    assert array.channel(tile, Direction.MM2S, 0).advance()
    assert array.channel(tile, Direction.MM2S, 0).left == 2
    list(registers.write(tile, 0x1D004, 0))
    assert 0 not in array.bds[tile]


def test_a_masked_write_leaves_an_order_alone():
    array = LiveArray(NPU1())
    tile, registers = array.device.tile(0, 2), LiveRegisters(array)
    one = array.channel(tile, Direction.S2MM, 0)
    one.ordered = False
    list(registers.write_masked(tile, 0x1DE00, 1 << 4, 1 << 4))
    assert (one.ordered, one.compression) == (False, True)
    list(registers.write_masked(tile, 0x1DE00, 0, 1 << 3))
    assert (one.ordered, one.compression) == (True, True)


def test_a_control_packet_enables_the_processor_bus():
    array = LiveArray(NPU1())
    tile, registers = array.device.tile(0, 2), LiveRegisters(array)
    wait = registers.await_bus(tile)
    assert not wait.attempt()
    port = ControlPort(tile, registers, array.source(TilePort(tile, "TileControl", 0)))
    port.push(np.array([0x32038, 1], np.uint32))
    assert wait.attempt()


def test_scripts_that_ask_for_the_npu(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(
        "from aie.utils import _get_default_npu_runtime as runtime\n"
        "from aie.iron import get_current_device\n"
        "from aie.dialects._aie_enum_gen import AIEDevice\n"
        "assert runtime().npu_str == 'npu2'\n"
        "assert get_current_device().resolve() == AIEDevice.npu2\n"
    )
    with pytest.raises(UsageError, match="name it with --device"):
        ScriptArray(path, (), {}).execute()
    with pytest.raises(InputError, match="missing design"):
        ScriptArray(path, (), {}, "npu2").execute()
