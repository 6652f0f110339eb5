# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs of mlir-aie designs on AIE2: the surface, the checks, the plan, the golden model.

A design file changes its import lines to ``from goldbeat.pymodels.objfifo import *``.
"""

from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern, TensorTiler2D
from goldbeat.pymodels.objfifo.iron.endpoint import AnyComputeTile, AnyMemTile, AnyShimTile
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
    device,
    dma_wait,
    mlir_mod_ctx,
    npu_dma_memcpy_nd,
    npu_sync,
    object_fifo,
    object_fifo_link,
    runtime_sequence,
)
from goldbeat.pymodels.objfifo.iron.placement import SequentialPlacer, tile
from goldbeat.pymodels.objfifo.iron.program import Program
from goldbeat.pymodels.objfifo.iron.runtime import Runtime, TaskGroup
from goldbeat.pymodels.objfifo.iron.worker import Kernel, Worker
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

Tile = tile
"""The tile at a place, by the name of the level without tiles."""
for_ = range_
"""Earlier name of ``range_``."""

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
