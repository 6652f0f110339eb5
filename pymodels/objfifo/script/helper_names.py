# SPDX-License-Identifier: Apache-2.0
"""Names of helper modules that scripts import: benchmarks, algorithms, older places of what exists elsewhere too."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.iron import ops
from goldbeat.pymodels.objfifo.iron.endpoint import PinnedPlace
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.object_type import BlockFloat8, BlockFloat16
from goldbeat.pymodels.objfifo.script import algorithms, host_helpers, jit, parameters, tensor

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


def as_it_is(body: Callable[..., Any]) -> Callable[..., Any]:
    """``@func``: a kernel that is written in Python."""
    return body


def _nothing(*_: Any, **__: Any) -> None:
    """For what has no effect on data."""


def helper_names() -> dict[str, dict[str, Any]]:
    """Every such module with its names."""
    loops = {"range_": carried_range, "_for": carried_range, "for_": carried_range, "yield_": carry_on}
    util = {
        n: getattr(ops, n) for n in ("np_ndarray_type_get_shape", "np_ndarray_type_get_dtype", "np_dtype_to_mlir_type")
    }
    traces = ("configure_packet_tracing_flow", "configure_packet_tracing_aie2", "configure_shim_trace_start_aie2",
              "configure_shim_packet_tracing_aie2", "GenericEvent")  # fmt: skip
    blocks = {"v8bfp16ebs8": BlockFloat8, "v16bfp16ebs16": BlockFloat16}
    dtypes = {"str_to_dtype": host_helpers.str_to_dtype, "dtype_to_str": host_helpers.dtype_to_str}
    numbers = {**tensor.TENSORS, "ceildiv": host_helpers.ceildiv}
    scratchpad = {"ScratchpadParameter": parameters.ScratchpadParameter, "sync_parameters": parameters.sync_parameters}
    hosts = {"get_current_device": jit.current_device, "set_current_device": jit.set_device}
    return {
        "helpers.dialects.ext": {}, "helpers.dialects.ext.scf": loops, "helpers.dialects.scf": loops,
        "dialects.scf": loops, "extras.dialects.scf": loops,
        "iron.controlflow": loops, "helpers.dialects.func": {"func": as_it_is},
        "extras.dialects": {}, "helpers.util": util | blocks,
        "extras.dialects.memref": ops.MEMREF, "dialects.memref": ops.MEMREF,
        # As scripts before 2025 have them.
        "extras.dialects.ext": {}, "extras.dialects.ext.memref": ops.MEMREF, "extras.dialects.ext.scf": loops,
        "dialects.aiex": blocks | {"npu_load_pdi": parameters.load_configuration},
        "iron.scratchpad_parameter": scratchpad, "helpers.taplib.utils": {"ceildiv": host_helpers.ceildiv},
        "utils.benchmark": {"run_iters": host_helpers.run_all, "print_benchmark": _nothing},
        "utils.verify": host_helpers.VERIFY, "utils.config": host_helpers.CONFIG,
        "utils.ml": {"DataShaper": host_helpers.DataShaper},
        "utils.hostruntime.argparse": host_helpers.ARGUMENTS,
        "utils.hostruntime.cli": {"run_design_cli": host_helpers.run_design_cli},
        "utils.hostruntime.hostruntime": {"HostRuntimeError": GoldbeatError}, "utils.hostruntime": hosts,
        "utils": {**numbers, **hosts},
        "utils.trace": {"TraceConfig": host_helpers.NoTrace, **dict.fromkeys(traces, _nothing)},
        "utils.trace.config": {"TraceConfig": host_helpers.NoTrace},
        "utils.trace.utils": {"print_cycles_summary": _nothing},
        "iron.dataflow.endpoint": {"ObjectFifoEndpoint": PinnedPlace},
        "iron.dtype": dtypes, "iron": {**numbers, **dtypes, **scratchpad, "StreamDims": list, "PadDims": list},
        "iron.dataflow": {"StreamDims": list, "PadDims": list}, "iron.algorithms": algorithms.NAMES,
    }  # fmt: skip
