# SPDX-License-Identifier: Apache-2.0
"""The modules that scripts import, under their own names: only while a script is read, never beside the real package."""

from __future__ import annotations

import importlib.util
import operator
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from types import ModuleType
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron import (
    element_pattern,
    fifo,
    keywords,
    ops,
    placed,
    placement,
    runtime,
    transport,
    worker,
)
from goldbeat.pymodels.objfifo.live.core_ports import CascadeGet, CascadePut, StreamGet, StreamPut
from goldbeat.pymodels.objfifo.plan import device as devices
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.script import core_calls, declared, explicit, flow_ends, host_calls, jit, tile_dma
from goldbeat.pymodels.objfifo.script.helper_names import helper_names
from goldbeat.pymodels.objfifo.script.kernel_library import KernelLibrary, ScriptFunction

ROOT = "aie"
"""The package that scripts import."""


def _words(name: str, values: str) -> Any:
    return Enum(name, {value: value for value in values.split()})


def _branch(*_: Any, **__: Any) -> None:
    raise UsageError("if_ and else_ are written as `with if_(condition) as name:` in the script itself")


_COMPARISONS = {"eq": operator.eq, "ne": operator.ne, "slt": operator.lt, "sle": operator.le, "sgt": operator.gt,
                "sge": operator.ge, "ult": operator.lt, "ule": operator.le, "ugt": operator.gt, "uge": operator.ge}  # fmt: skip


def _compare(predicate: Any, a: Any, b: Any, **_: Any) -> bool:
    return bool(_COMPARISONS[explicit.enum_text(predicate)](a, b))


def _nothing(*_: Any, **__: Any) -> None:
    """For calls without effect here: traces, ends of blocks."""


def _plain(function: Any) -> Any:
    """``@func``: a core calls the function itself."""
    return function


class Marker:
    """``In``, ``Out`` and ``CompileTime[int]`` of a design's arguments."""

    def __class_getitem__(cls, _: Any) -> type[Marker]:
        return cls


class AnyNames:
    """Events of traces, which are not executed: any name is one."""

    def __getattr__(self, name: str) -> str:
        return name

    def __call__(self, *_: Any, **__: Any) -> AnyNames:
        """An event with options is one as well."""
        return self


_TRACES = ("configure_trace", "start_trace", "stop_trace", "gen_trace_done_aie2", "configure_packet_tracing_flow",
           "configure_packet_tracing_aie2", "configure_shim_trace_start_aie2", "GenericEvent")  # fmt: skip
_EVENTS = (
    "CoreEvent",
    "MemEvent",
    "MemTileEvent",
    "MemTilePortEvent",
    "PortEvent",
    "ShimTileEvent",
    "ShimTilePortEvent",
)


class IndexType:
    """``IndexType``: of loops' numbers."""

    @staticmethod
    def get() -> type[int]:
        """The type."""
        return int


class ScriptPart:
    """``Resolvable``: a user's own part; its ``resolve`` declares what it needs."""


def _link(ins: Any, outs: Any, src_offsets: Any = (), dst_offsets: Any = (), tile: Any = None, **more: Any) -> None:
    """``ObjectFifoLink``: handles that a memory tile joins."""
    keywords.only_harmless("ObjectFifoLink", more, ("name",))
    from goldbeat.pymodels.objfifo.iron.endpoint import LinkPlace

    first, second = (one if isinstance(one, list) else [one] for one in (ins, outs))
    place = LinkPlace(first, second, list(src_offsets), list(dst_offsets), tile, False)
    for handle in (*first, *second):
        handle.endpoint = place


DIRECTION = _words("DMAChannelDir", "S2MM MM2S")
ACTION = _words("LockAction", "Acquire AcquireGreaterEqual Release")
BUNDLE = _words("WireBundle", "Core DMA FIFO South West North East PLIO NOC Trace TileControl")
KIND = _words("AIETileType", "CoreTile MemTile ShimNOCTile ShimPLTile")


def _dialect() -> dict[str, Any]:
    """Names of the placed level."""
    return {
        "AIEDevice": devices.AIEDevice, "tile": placement.tile, "T": ops.T, "device": declared.script_device,
        "core": placed.core, "object_fifo": placed.object_fifo, "object_fifo_link": placed.object_fifo_link,
        "ObjectFifoPort": placed.ObjectFifoPort, "external_func": ops.external_func, "call": ops.call_,
        "buffer": explicit.ScriptBuffer, "lock": explicit.ScriptLock, "use_lock": explicit.use_lock,
        "get_stream": core_calls.get_stream, "put_stream": core_calls.put_stream,
        "get_cascade": core_calls.get_cascade, "put_cascade": core_calls.put_cascade,
        "flow": explicit.flow, "packetflow": explicit.packetflow, "cascade_flow": explicit.cascade_flow,
        "mem": explicit.dma_region, "memtile_dma": explicit.dma_region, "shim_mem": explicit.dma_region,
        "dma_start": explicit.dma_start, "dma_bd": explicit.dma_bd, "next_bd": explicit.next_bd, "EndOp": _nothing,
        "end": _nothing, "event": _nothing, "shim_dma_allocation": explicit.shim_dma_allocation, "DMAChannelDir": DIRECTION,
        "LockAction": ACTION, "WireBundle": BUNDLE, "AIETileType": KIND, "bds": host_calls.bds, "np": np,
        "runtime_sequence": declared.script_sequence, "connect": explicit.switch_connect,
        "switchbox": explicit.switch_region("switchbox"), "shim_mux": explicit.switch_region("shim_mux"),
    }  # fmt: skip


def _extension() -> dict[str, Any]:
    """Names of the runtime sequence."""
    return {
        "runtime_sequence": declared.script_sequence, "npu_dma_memcpy_nd": host_calls.npu_memcpy,
        "dma_wait": host_calls.await_fifos, "npu_dma_wait": host_calls.await_fifos, "npu_sync": host_calls.sync_tokens,
        "npu_writebd": host_calls.npu_bd, "npu_address_patch": host_calls.npu_patch,
        "npu_push_queue": host_calls.npu_push, "npu_write32": host_calls.npu_write,
        "npu_maskwrite32": host_calls.npu_mask_write, "npu_rtp_write": host_calls.npu_parameter,
        "npu_write_rtp": host_calls.npu_parameter, "set_lock_value": host_calls.set_lock,
        "shim_dma_bd": host_calls.shim_bd, "shim_dma_single_bd_task": host_calls.single_bd_task,
        "dma_configure_task": host_calls.configure_task, "dma_configure_task_for": host_calls.configure_task_for,
        "dma_start_task": host_calls.start_task, "dma_await_task": host_calls.await_task,
        "dma_channel_reset_for": host_calls.rearm_fifo, "dma_channel_reset": host_calls.reset_channel,
        "core_reset": host_calls.reset_core, "buffer_clear": host_calls.clear_memory,
        "dma_free_task": host_calls.free_task, "bds": host_calls.bds, "T": ops.T, "np": np,
    }  # fmt: skip


def _iron() -> dict[str, Any]:
    """Names of the level without tiles."""
    return {
        "Transport": transport.Transport, "Packet": transport.FifoPacket, "Port": transport.Port,
        "ObjectFifo": fifo.ObjectFifo, "ObjectFifoHandle": fifo.ObjectFifoHandle, "Worker": declared.ScriptWorker,
        "Program": declared.ScriptProgram, "Runtime": runtime.Runtime, "TaskGroup": runtime.TaskGroup,
        "Kernel": worker.Kernel, "ExternalFunction": ScriptFunction, "kernels": KernelLibrary(),
        "Buffer": explicit.IronBuffer, "GlobalBuffer": explicit.IronBuffer, "Lock": explicit.ScriptLock,
        "Flow": flow_ends.tile_flow, "PacketFlow": flow_ends.tile_packet_flow, "PacketDest": flow_ends.TilePacketDest,
        "TileDma": tile_dma.TileDmaProgram,
        "DmaChannel": tile_dma.TileDmaChannel, "Bd": tile_dma.TileBd, "BdIteration": tile_dma.TileBdIteration,
        "DmaEndpoint": tile_dma.DmaEnd, "FlowEndpoint": flow_ends.FlowEnd, "tile_dma_task": tile_dma.tile_dma_task,
        "tile_dma_chain": tile_dma.tile_dma_chain, "Acquire": tile_dma.LockAcquire, "Release": tile_dma.LockRelease,
        "jit": jit.jit, "In": Marker, "Out": Marker,
        "InOut": Marker, "CompileTime": Marker,
        "DispatchTime": jit.DispatchTime, "get_current_device": jit.current_device,
        "set_current_device": jit.set_device, "ensure_current_device": jit.current_device, "ObjectFifoLink": _link,
        "CascadeGet": CascadeGet, "CascadePut": CascadePut, "CascadeFlow": explicit.CascadeFlow,
        "StreamGet": StreamGet, "StreamPut": StreamPut, "WorkerRuntimeBarrier": core_calls.WorkerBarrier,
    }  # fmt: skip


def _first_generation() -> None:
    raise UsageError("XCVC1902 is an array of the first generation, which is not executed")


def _devices() -> dict[str, Any]:
    found: dict[str, Any] = {**devices.DEVICE_CLASSES}
    found |= {name: declared.ScriptAnyTile(kind) for name, kind in declared.ANY_TILES.items()}
    return {
        **found,
        "XCVC1902": _first_generation,
        "Tile": declared.tile_or_any,
        "Device": devices.Device,
        "from_name": jit.named_device,
    }


def _spaces() -> dict[str, dict[str, Any]]:
    """Every module with its names."""
    taps = {n: getattr(element_pattern, n) for n in ("TensorAccessPattern", "TensorAccessSequence", "TensorTiler2D")}
    loops = {"range_": range_, "_for": range_, "for_": range_, "yield_": ops.yield_, "if_": _branch, "else_": _branch}
    enums = {"DMAChannelDir": DIRECTION, "LockAction": ACTION, "WireBundle": BUNDLE, "AIETileType": KIND}
    enums["AIEDevice"] = devices.AIEDevice
    traces = dict.fromkeys(("configure_trace", "start_trace", "stop_trace", "gen_trace_done_aie2"), _nothing)
    arith = ops.ARITH | {
        "ConstantOp": ops.arith.constant,
        "cmpi": _compare,
        "CmpIPredicate": _words("CmpIPredicate", " ".join(_COMPARISONS)),
    }
    shapes = {n: getattr(ops, n) for n in dir(ops) if n.startswith("np_")}
    types = {n: getattr(ops.T, n) for n in dir(ops.T) if not n.startswith("_")}
    return {
        "": {}, "dialects": {}, "extras": {}, "helpers": {}, "helpers.dialects": {}, "utils.hostruntime": {},
        "dialects.aie": _dialect(), "dialects.aiex": _extension(), "dialects._aie_enum_gen": enums,
        "extras.dialects": {}, "extras.dialects.arith": arith, "helpers.util": shapes,
        "extras.dialects.ext": {}, "extras.dialects.ext.arith": arith,
        "dialects.arith": arith, "extras.context": {"mlir_mod_ctx": placed.mlir_mod_ctx},
        "ir": {"IndexType": IndexType, "IntegerAttr": _nothing},
        "extras.types": types, "iron": _iron(), "iron.controlflow": loops, "iron.device": _devices(),
        "iron.dataflow": _iron(), "iron.worker": _iron(), "iron.dataflow.cascadeflow": _iron(),
        "iron.kernel": _iron(), "iron.resolvable": {"Resolvable": ScriptPart},
        "iron.placers": {"SequentialPlacer": placement.SequentialPlacer},
        "helpers.dialects.func": {"func": _plain}, "helpers.dialects.scf": loops,
        "helpers.taplib": taps, "helpers.taplib.tap": taps,
        "helpers.taplib.tensortiler2d": taps, "utils.trace": traces, "utils.trace.events": dict.fromkeys(_EVENTS, AnyNames()),
        "utils.compile": {"resolve_target_arch": _nothing},
        "utils": {"NPUKernel": None, "DefaultNPURuntime": None, "get_current_device": jit.current_device,
                  "cleanup_npu_runtime": _nothing, "_get_default_npu_runtime": jit.script_runtime},
    }  # fmt: skip


class _Space(ModuleType):
    """A module; a name that it has not is an error that says so."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ImportError(f"{name} of {self.__name__} is not executed: see docs/objfifo-script.md")


def package_installed() -> str:
    """The real package, which scripts would import; empty where it is not installed."""
    found = sys.modules.get(ROOT)
    if found is None:
        return ROOT if importlib.util.find_spec(ROOT) is not None else ""
    return "" if isinstance(found, _Space) else ROOT


@contextmanager
def script_imports() -> Iterator[None]:
    """The modules are there inside the block, unless the real package is installed: nothing stands in its place."""
    if isinstance(sys.modules.get(ROOT), _Space) or package_installed():
        yield
        return
    made: dict[str, ModuleType] = {}
    spaces = _spaces()
    for path, names in helper_names().items():
        spaces.setdefault(path, {}).update(names)
    for path, names in spaces.items():
        name = f"{ROOT}.{path}" if path else ROOT
        made[name] = _Space(name)
        made[name].__dict__.update(names, __path__=[], __all__=list(names))
    for name, module in made.items():
        parent, _, last = name.rpartition(".")
        if parent:
            made[parent].__dict__.setdefault(last, module)
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:
            sys.modules.pop(name, None)
