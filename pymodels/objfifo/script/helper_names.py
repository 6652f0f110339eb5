# SPDX-License-Identifier: Apache-2.0
"""Names of helper modules that scripts import: benchmarks, algorithms, older places of what exists elsewhere too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron import ops, worker
from goldbeat.pymodels.objfifo.iron.endpoint import PinnedPlace
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo
from goldbeat.pymodels.objfifo.iron.runtime import Runtime
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.device import ANY, AIEDevice
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.script import jit
from goldbeat.pymodels.objfifo.script.declared import ScriptProgram, ScriptWorker

# -- loops that carry values ----------------------------------------------------------------------------------------------

_carried: ContextVar[list[Any] | None] = ContextVar("carried", default=None)


class LoopValue:
    """What a loop carries on, as it stands: after the loop its result."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __getattr__(self, name: str) -> Any:
        return getattr(self.value, name)


def carried_range(
    start: int, stop: int | None = None, step: int | None = None, iter_args: Sequence[Any] | None = None,
    insert_yield: bool = True,
) -> Iterator[Any]:  # fmt: skip
    """``range_``; with ``iter_args`` it gives (number, carried values, results), and ``yield_`` sets the next values."""
    if not iter_args:
        return range_(start, stop, step)
    return _carrying(range_(start, stop, step), list(iter_args))


def _carrying(numbers: Iterator[int], values: list[Any]) -> Iterator[Any]:
    results = [LoopValue(one) for one in values]
    for number in numbers:
        token = _carried.set(values)
        try:
            yield (number, values[0], results[0]) if len(values) == 1 else (number, tuple(values), tuple(results))
        finally:
            _carried.reset(token)
        for result, value in zip(results, values, strict=True):
            result.value = value


def carry_on(values: Sequence[Any] = ()) -> None:
    """``yield_``: the next values that the loop carries, if it carries any."""
    held = _carried.get()
    if held is not None and values:
        held[:] = values


# -- benchmarks -----------------------------------------------------------------------------------------------------------


@dataclass
class NoTimes:
    """Times that were not taken: execution has none."""

    avg_us: float = math.nan
    min_us: float = math.nan
    max_us: float = math.nan


@dataclass
class Bench:
    """What ``run_iters`` gives."""

    e2e: NoTimes
    npu: NoTimes


def run_all(design: Callable[..., Any], *args: Any, warmup: int = 0, iters: int = 1, **more: Any) -> Bench:
    """``run_iters``: call a design; again and again only where a call changes what the next one is given."""
    names = getattr(getattr(design, "function", None), "__annotations__", {})
    changes = any("InOut" in str(getattr(kind, "__name__", kind)) for kind in names.values())
    for _ in range(warmup + iters if changes else 1):
        design(*args, **more)
    return Bench(NoTimes(), NoTimes())


class NoTrace:
    """``TraceConfig``: traces are not executed."""

    physical_mlir_path = None

    def __init__(self, trace_size: int = 0, **_: Any) -> None:
        self.trace_size = trace_size


def _nothing(*_: Any, **__: Any) -> None:
    """For what has no effect on data."""


# -- algorithms -----------------------------------------------------------------------------------------------------------


def _kinds(kind: Any, tile: int) -> tuple[ObjectType, Any, Any]:
    """The whole array, and the types of it and of a tile."""
    whole = ObjectType(kind.shape, kind.dtype) if isinstance(kind, jit.ScriptTensor) else object_type(kind)

    def of(size: int) -> Any:
        return np.ndarray.__class_getitem__(((size,), np.dtype.__class_getitem__(np.dtype(whole.dtype).type)))

    return whole, of(whole.elements), of(tile)


def _tile_body(func: Any, passes: int, tile: int, takes_size: bool) -> Callable[..., None]:
    def body(*handles: Any) -> None:
        for _ in range_(passes):
            found = [one.acquire(1) for one in handles[:-1]]
            made = handles[-1].acquire(1)
            if isinstance(func, worker.Kernel):
                func(*found, made, *([tile] if takes_size else []))
            else:
                for at in range_(tile):
                    made[at] = func(*[one[at] for one in found])
            for one in handles:
                one.release(1)

    return body


def parallel_tiles(
    func: Any, kind: Any, *, count: int = 1, tile_size: int = 16, num_channels: int = 1, pass_size_to_kernel: bool = True
) -> Any:  # fmt: skip
    """``transform_parallel``: a function of each element, one worker for each column and channel.

    Raises:
        UsageError: an array that does not divide among them.
    """
    device = jit.current_device()
    whole, array, tile = _kinds(kind, tile_size)
    columns = AIEDevice.npu1.value.columns if device is ANY else device.columns
    lanes = [(c, n) for c in range(columns) for n in range(num_channels)]
    part, rest = divmod(whole.elements, len(lanes))
    if rest or part % tile_size:
        raise UsageError(f"{whole.elements} elements for {len(lanes)} workers and tiles of {tile_size}")
    ins = [[ObjectFifo(tile, name=f"in{n}_{c}_{h}") for n in range(count)] for c, h in lanes]
    outs = [ObjectFifo(tile, name=f"out_{c}_{h}") for c, h in lanes]
    body = _tile_body(func, part // tile_size, tile_size, pass_size_to_kernel)
    workers = [ScriptWorker(body, [*(f.cons() for f in i), o.prod()]) for i, o in zip(ins, outs, strict=True)]

    def sequence(*args: Any) -> None:
        arrays, fills, drains = args[: count + 1], args[count + 1], args[count + 2]
        for lane, handles in enumerate(fills):
            for handle, one in zip(handles, arrays, strict=False):
                handle.fill(one, sizes=[1, 1, 1, part], strides=[0, 0, 0, 1], offset=lane * part)
        for lane, handle in enumerate(drains):
            handle.drain(arrays[-1], sizes=[1, 1, 1, part], strides=[0, 0, 0, 1], offset=lane * part, wait=True)

    ends = [[[f.prod() for f in i] for i in ins], [o.cons() for o in outs]]
    rt = Runtime(sequence, [*[array] * (count + 1), *ends])
    return ScriptProgram(device, rt, workers).resolve_program()


def parallel_pairs(func: Any, kind: Any, **more: Any) -> Any:
    """``transform_parallel_binary``: the same of two arrays."""
    return parallel_tiles(func, kind, count=2, **more)


def each_tile(func: Any, kind: Any, *, tile_size: int = 16) -> Any:
    """``for_each``: a function of each element, back into the array it came from."""
    whole, array, tile = _kinds(kind, tile_size)
    source, target = ObjectFifo(tile, name="in"), ObjectFifo(tile, name="out")
    body = _tile_body(func, whole.elements // tile_size, tile_size, True)
    one = ScriptWorker(body, [source.cons(), target.prod()])

    def sequence(data: Any, fill: Any, drain: Any) -> None:
        fill.fill(data)
        drain.drain(data, wait=True)

    rt = Runtime(sequence, [array, source.prod(), target.cons()])
    return ScriptProgram(jit.current_device(), rt, [one]).resolve_program()


def reduced(func: Any, kind: Any, result: Any, **_: Any) -> Any:
    """``reduce``: a kernel of the whole array, called once."""
    whole, answer = object_type(kind), object_type(result)
    source, target = ObjectFifo(kind, name="in"), ObjectFifo(result, name="out")

    def body(taken: Any, given: Any, kernel: Any) -> None:
        made, found = given.acquire(1), taken.acquire(1)
        kernel(found.reshape(whole.shape), made.reshape(answer.shape), whole.elements)
        taken.release(1)
        given.release(1)

    one = ScriptWorker(body, [source.cons(), target.prod(), func])

    def sequence(data: Any, out: Any, fill: Any, drain: Any) -> None:
        fill.fill(data)
        drain.drain(out, wait=True)

    rt = Runtime(sequence, [kind, result, source.prod(), target.cons()])
    return ScriptProgram(jit.current_device(), rt, [one]).resolve_program()


def as_it_is(body: Callable[..., Any]) -> Callable[..., Any]:
    """``@func``: a kernel that is written in Python."""
    return body


def element_type(name: str) -> Any:
    """``str_to_dtype``."""
    known = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32, "bf16": np.uint16}
    if name not in known:
        raise UsageError(f"no element type {name}; known: {', '.join(known)}")
    return known[name]


def helper_names() -> dict[str, dict[str, Any]]:
    """Every such module with its names."""
    loops = {"range_": carried_range, "_for": carried_range, "for_": carried_range, "yield_": carry_on}
    arith = {n: getattr(ops.arith, n) for n in ("addi", "addf", "subi", "muli", "constant", "index_cast")}
    util = {
        n: getattr(ops, n) for n in ("np_ndarray_type_get_shape", "np_ndarray_type_get_dtype", "np_dtype_to_mlir_type")
    }
    traces = ("configure_packet_tracing_flow", "configure_packet_tracing_aie2", "configure_shim_trace_start_aie2",
              "configure_shim_packet_tracing_aie2", "GenericEvent")  # fmt: skip
    return {
        "helpers.dialects.ext": {}, "helpers.dialects.ext.scf": loops, "helpers.dialects.scf": loops,
        "iron.controlflow": loops, "helpers.dialects.func": {"func": as_it_is},
        "extras.dialects": {}, "extras.dialects.arith": arith, "helpers.util": util,
        "utils.benchmark": {"run_iters": run_all, "print_benchmark": _nothing},
        "utils.trace": {"TraceConfig": NoTrace, **dict.fromkeys(traces, _nothing)},
        "utils.trace.utils": {"print_cycles_summary": _nothing},
        "iron.dataflow.endpoint": {"ObjectFifoEndpoint": PinnedPlace},
        "iron": {"full": jit.script_full, "str_to_dtype": element_type},
        "iron.algorithms": {"transform_parallel": parallel_tiles, "transform_parallel_binary": parallel_pairs,
                            "for_each": each_tile, "reduce": reduced},
    }  # fmt: skip
