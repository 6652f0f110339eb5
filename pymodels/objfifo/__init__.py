# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs of mlir-aie designs on AIE2: the surface, the checks, the plan, the golden model.

A design file changes its import lines to ``from goldbeat.pymodels.objfifo import *``. What declares programs, devices and
sequences is what scripts of mlir-aie get under its own names, so that both are read and executed alike; it brings the
executor with it, and is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern, TensorTiler2D
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifo, ObjectFifoHandle
from goldbeat.pymodels.objfifo.iron.ops import (
    T,
    arith,
    external_func,
    memref,
    np_dtype_to_mlir_type,
    np_ndarray_type_get_dtype,
    np_ndarray_type_get_shape,
    yield_,
)
from goldbeat.pymodels.objfifo.iron.ops import call_ as call
from goldbeat.pymodels.objfifo.iron.placed import (
    ObjectFifoPort,
    core,
    mlir_mod_ctx,
    object_fifo,
    object_fifo_link,
)
from goldbeat.pymodels.objfifo.iron.placement import SequentialPlacer, tile
from goldbeat.pymodels.objfifo.iron.runtime import Runtime, TaskGroup
from goldbeat.pymodels.objfifo.iron.worker import Kernel
from goldbeat.pymodels.objfifo.plan.access import range_
from goldbeat.pymodels.objfifo.plan.device import (
    NPU1,
    NPU2,
    AIEDevice,
    Device,
    NPU1Col1,
    NPU1Col2,
    NPU1Col3,
    NPU2Col1,
)
from goldbeat.pymodels.objfifo.plan.export import to_dot, to_json
from goldbeat.pymodels.objfifo.plan.lower import plan, violations
from goldbeat.pymodels.objfifo.plan.plan import Plan
from goldbeat.pymodels.objfifo.plan.rules import RULES, Rule, RuleError

if TYPE_CHECKING:
    from goldbeat.pymodels.objfifo.iron.endpoint import AnyComputeTile, AnyMemTile, AnyShimTile
    from goldbeat.pymodels.objfifo.script.declared import ScriptProgram as Program
    from goldbeat.pymodels.objfifo.script.declared import ScriptWorker as Worker
    from goldbeat.pymodels.objfifo.script.declared import script_device as device
    from goldbeat.pymodels.objfifo.script.declared import script_sequence as runtime_sequence
    from goldbeat.pymodels.objfifo.script.declared import tile_or_any as Tile  # noqa: N812 - upstream's name
    from goldbeat.pymodels.objfifo.script.host_calls import await_fifos as dma_wait
    from goldbeat.pymodels.objfifo.script.host_calls import npu_memcpy as npu_dma_memcpy_nd
    from goldbeat.pymodels.objfifo.script.host_calls import sync_tokens as npu_sync

_DECLARED = {
    "Program": "ScriptProgram", "Worker": "ScriptWorker", "Tile": "tile_or_any", "device": "script_device",
    "runtime_sequence": "script_sequence",
}  # fmt: skip
_CALLED = {"npu_dma_memcpy_nd": "npu_memcpy", "dma_wait": "await_fifos", "npu_sync": "sync_tokens"}
for_ = range_
"""Earlier name of ``range_``."""


def __getattr__(name: str) -> Any:
    """What scripts declare and call: see above."""
    for module, names in (("declared", _DECLARED), ("host_calls", _CALLED)):
        if name in names:
            return getattr(import_module(f"goldbeat.pymodels.objfifo.script.{module}"), names[name])
    if name.startswith("Any") and name in __all__:
        declared: Any = import_module("goldbeat.pymodels.objfifo.script.declared")
        return declared.ScriptAnyTile(declared.ANY_TILES[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "NPU1",
    "NPU2",
    "RULES",
    "AIEDevice",
    "AnyComputeTile",
    "AnyMemTile",
    "AnyShimTile",
    "Device",
    "Kernel",
    "NPU1Col1",
    "NPU1Col2",
    "NPU1Col3",
    "NPU2Col1",
    "ObjectFifo",
    "ObjectFifoHandle",
    "ObjectFifoPort",
    "Plan",
    "Program",
    "Rule",
    "RuleError",
    "Runtime",
    "SequentialPlacer",
    "T",
    "TaskGroup",
    "TensorAccessPattern",
    "TensorTiler2D",
    "Tile",
    "Worker",
    "arith",
    "call",
    "core",
    "device",
    "dma_wait",
    "external_func",
    "for_",
    "memref",
    "mlir_mod_ctx",
    "np_dtype_to_mlir_type",
    "np_ndarray_type_get_dtype",
    "np_ndarray_type_get_shape",
    "npu_dma_memcpy_nd",
    "npu_sync",
    "object_fifo",
    "object_fifo_link",
    "plan",
    "range_",
    "runtime_sequence",
    "tile",
    "to_dot",
    "to_json",
    "violations",
    "yield_",
]
