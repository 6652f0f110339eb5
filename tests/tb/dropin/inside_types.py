# SPDX-License-Identifier: Apache-2.0
"""Everything that a test sees of cocotbext-axi, printed with its type, for a comparison of two runs."""

from enum import Enum

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge, ValueChange
from cocotb.types import LogicArray
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    ApbRam,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiMaster,
    AxiRam,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamMonitor,
    AxiStreamSink,
    AxiStreamSource,
)
from cocotbext.axi.axi_channels import AxiARMonitor, AxiAWMonitor, AxiBMonitor, AxiRMonitor, AxiWMonitor
from cocotbext.axi.axil_channels import AxiLiteAWMonitor, AxiLiteRMonitor, AxiLiteWMonitor
from cocotbext.axi.stream import define_stream

PLAIN = (int, float, str, bytes, bytearray, bool, type(None))
AddressBus, AddressTransaction, _, _, AddressMonitor = define_stream(
    "Address", signals=["awaddr", "awvalid"], optional_signals=["awready", "awprot"]
)
CountedBus, CountedTransaction, CountedSource, CountedSink, CountedMonitor = define_stream(
    "Counted", signals=["tdata", "tvalid", "tready"], optional_signals=["tkeep", "tid", "tlast"]
)


def kind_of(value):
    """Its type; of the drop-in's own classes, the one that they stand for."""
    kind = next(kind for kind in type(value).__mro__ if not kind.__module__.startswith("goldbeat"))
    return f"{kind.__module__}.{kind.__qualname__}"


def show(path, value):
    """A value, its type, and what can be reached from it."""
    print("SEEN", path, kind_of(value), value if isinstance(value, (*PLAIN, Enum)) else "", flush=True)
    if isinstance(value, LogicArray):
        parts = {"len": len(value), "range": value.range, "str": str(value), "int": int(value), "first": value[0]}
        parts |= {"part": value[0:0], "last": value[len(value) - 1], "unsigned": value.to_unsigned()}
        parts |= {"signed": value.to_signed(), "inverse": ~value, "resolved": value.is_resolvable, "bytes": None}
        for name, part in parts.items():
            print("SEEN", f"{path}.{name}", kind_of(part), part, flush=True)
    elif isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        print("SEEN", path, len(value), sorted({kind_of(one) for one in value}), *map(repr, value), flush=True)
    elif type(value).__module__.startswith(("cocotbext", "goldbeat")) and not isinstance(value, Enum):
        for name in sorted(name for name in dir(value) if not name.startswith("_")):
            if not callable(part := getattr(value, name)):
                show(f"{path}.{name}", part)


def show_handles(scope):
    """The value of each signal."""
    for handle in sorted(scope, key=lambda one: one._name):
        if hasattr(handle, "value"):
            show(f"{handle._path}.value", handle.value)


def show_queue(path, owner):
    """What a queue says of itself."""
    for name in ("count", "empty", "full", "idle"):
        if hasattr(owner, name):
            show(f"{path}.{name}()", getattr(owner, name)())
    for name in ("active", "queue_occupancy_bytes", "queue_occupancy_frames", "queue_occupancy_limit", "pause"):
        if hasattr(owner, name):
            show(f"{path}.{name}", getattr(owner, name))
    show(f"{path}.queue.qsize()", owner.queue.qsize())


async def show_triggers(dut):
    """Edges are of the classes that a test made them by."""
    for kind in (RisingEdge, FallingEdge, ValueChange):
        trigger = kind(dut.clk)
        fired = await trigger
        print("SEEN", type(trigger) is kind, trigger, fired is trigger, kind(dut.clk) is trigger, flush=True)
        print("SEEN", type(trigger).__mro__, flush=True)


async def begin(dut):
    Clock(dut.clk, 10, "ns").start()
    await show_triggers(dut)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 3)
    dut.rst.value = 0
    await ClockCycles(dut.clk, 2)


async def frames(dut):
    source = AxiStreamSource(AxiStreamBus.from_entity(dut.s_axis), dut.clk, dut.rst)
    sink = AxiStreamSink(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
    monitor = AxiStreamMonitor(AxiStreamBus.from_entity(dut.m_axis), dut.clk, dut.rst)
    counted = CountedMonitor(CountedBus.from_entity(dut.m_axis), dut.clk, dut.rst)
    await begin(dut)
    sent = AxiStreamFrame(b"abcdefg", tid=3, tuser=[1] * 7, tx_complete=lambda frame: show("complete", frame))
    await source.send(sent)
    await source.send(b"hij")
    await source.send(AxiStreamFrame([1, 2, 3, 4, 5], tid=[1, 1, 1, 1, 2]))
    show_queue("source", source)
    await source.wait()
    await ClockCycles(dut.clk, 4)
    for name, owner in (("source", source), ("sink", sink), ("monitor", monitor), ("counted", counted)):
        show_queue(name, owner)
    show("sent", sent)
    show("recv", await sink.recv())
    show("recv_nowait", sink.recv_nowait())
    show("whole", sink.recv_nowait(compact=False))
    show("seen", await monitor.recv())
    show("queued", monitor.queue.get_nowait())
    while not counted.empty():
        show("counted", counted.recv_nowait())
    await ReadOnly()
    show_handles([*dut.s_axis, *dut.m_axis, dut.clk, dut.rst])


async def buses(dut):
    kinds = {
        "apb": (ApbBus, ApbMaster, ApbRam),
        "axil": (AxiLiteBus, AxiLiteMaster, AxiLiteRam),
        "axi": (AxiBus, AxiMaster, AxiRam),
    }
    made = {}
    for name, (bus, master, ram) in kinds.items():
        made[name] = (
            master(bus.from_prefix(dut, name), dut.clk, dut.rst),
            ram(bus.from_prefix(dut, name), dut.clk, dut.rst, size=2**16),
        )
    monitors = {}
    for monitor, name in (
        *((one, "axi") for one in (AxiAWMonitor, AxiWMonitor, AxiBMonitor, AxiARMonitor, AxiRMonitor)),
        *((one, "axil") for one in (AxiLiteAWMonitor, AxiLiteWMonitor, AxiLiteRMonitor)),
        (AddressMonitor, "axil"),
    ):
        base = monitor._bus_obj.from_prefix(dut, name)
        monitors[f"{name}.{monitor.__name__}"] = monitor(base, dut.clk, dut.rst)
    await begin(dut)
    for name, (master, ram) in made.items():
        show(f"{name}.write", await master.write(0x104, b"0123456789abcdefghijk"))
        show(f"{name}.read", await master.read(0x105, 13))
        show(f"{name}.read_dword", await master.read_dword(0x104))
        show(f"{name}.read_words", await master.read_words(0x104, 2))
        show(f"{name}.ram.read", ram.read(0x104, 5))
        show(f"{name}.ram.read_dword", ram.read_dword(0x104))
        show(f"{name}.idle", master.idle())
    for name, monitor in monitors.items():
        show_queue(name, monitor)
        while not monitor.empty():
            show(name, monitor.recv_nowait())
    await ReadOnly()
    show_handles([one for one in dut if one._name.startswith(("apb", "axi", "clk", "rst"))])


@cocotb.test(timeout_time=50, timeout_unit="us")
async def types(dut):
    await (frames if dut._name == "bench" else buses)(dut)
