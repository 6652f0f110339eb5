# SPDX-License-Identifier: Apache-2.0
"""What one operation of a compiled model leaves in memory, whatever later ones do there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.nvdla.engines.cubes import unpack_feature
from goldbeat.pymodels.nvdla.execute import execute
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation
from goldbeat.pymodels.nvdla.loadable.placement import Placement
from goldbeat.pymodels.nvdla.profile import operation_chain
from goldbeat.pymodels.nvdla.timed.activity import ENGINES


def layer_tensor(
    placement: Placement, inputs: Mapping[int, npt.NDArray[np.uint8]] | None, task: int, index: int
) -> npt.NDArray[np.int8]:
    """The output of an operation by the functional models: int8 (channels, height, width).

    Args:
        placement: the loadable in its place.
        inputs: bytes by id of the memory.
        task: id of the operation's task.
        index: of the operation.

    Raises:
        UsageError: no such operation, or one that hands its output on to another engine.
    """
    kind, number, operation = _find(placement, task, index)
    cube = operation.cubes["dst_data"]
    if cube.on_the_fly or cube.entry is None:
        raise UsageError(f"operation {task}.{index} ({kind}) hands its output on; nothing of it is in memory")
    memory, at = cube.entry.mem_id, cube.entry.offset + cube.offset
    done: Counter[str] = Counter()
    found: list[npt.NDArray[np.uint8]] = []

    def after(engines: Sequence[str], contents: Mapping[int, npt.NDArray[np.uint8]]) -> None:
        for engine in engines:
            if engine == kind and done[engine] == number:
                found.append(contents[memory][at:].copy())
            done[engine] += 1

    execute(placement, inputs, after=after)
    record = cube.record
    channel, height, width, line, surface = (
        int(record[name]) for name in ("channel", "height", "width", "line_stride", "surf_stride")
    )
    return unpack_feature(found[0], channel, height, width, line, surface)


def _find(placement: Placement, task: int, index: int) -> tuple[str, int, NetworkOperation]:
    known = []
    for kind in ENGINES:
        for number, (owner, operation) in enumerate(operation_chain(placement.loadable, kind)):
            if (owner, operation.index) == (task, index):
                return kind, number, operation
            known.append(f"{owner}.{operation.index}")
    raise UsageError(f"no operation {task}.{index}; there are: {', '.join(sorted(known))}")
