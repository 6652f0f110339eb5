# SPDX-License-Identifier: Apache-2.0
"""The profile of a compiled model: cycles, multipliers, traffic and waits of every operation, from the timed model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable
from goldbeat.pymodels.nvdla.loadable.network import NetworkOperation, dla_tasks, network, operations_in_order
from goldbeat.pymodels.nvdla.timed.activity import ENGINES, WAITS, WORK

MULTIPLIERS = 64
"""Of nv_small: 8 channels times 8 kernels an edge."""


@dataclass(frozen=True)
class OperationProfile:
    """One operation.

    Attributes:
        task, index: as in the loadable.
        engine: ``CONV``, ``SDP``, ``PDP`` or ``CDP``.
        shape: output cube as width, height, channels.
        fetch, start, done: cycles from reset; ``fetch`` is the start of a convolution's fetch, of other engines ``start``.
        macs: multiplications that a convolution needs; 0 for others.
        read, weights_read, written: bytes on DBB.
        work: cycles in which the engine's core works.
        waits: cycles by what it waits for (:data:`~goldbeat.pymodels.nvdla.timed.activity.WAITS`), those with none left out.
    """

    task: int
    index: int
    engine: str
    shape: tuple[int, int, int]
    fetch: int
    start: int
    done: int
    macs: int
    read: int
    weights_read: int
    written: int
    work: int
    waits: dict[str, int]

    @property
    def cycles(self) -> int:
        """From start to done."""
        return self.done - self.start

    @property
    def mac_use(self) -> float | None:
        """Part of the multipliers that is used from start to done; None for operations without any."""
        return self.macs / (MULTIPLIERS * self.cycles) if self.macs else None


def profile_operations(loadable: Loadable, rows: npt.NDArray[Any]) -> list[OperationProfile]:
    """The operations in the order of their starts.

    Each engine works through its operations in the order of their chain (first operation of a type, then its consumer of the same
    type), task by task. Source: the kernel driver's scheduler.

    Args:
        loadable: the model.
        rows: as :func:`goldbeat.pymodels.nvdla.timed.activity.activity_rows` gives them.

    Raises:
        InputError: a run that did not do all operations, or others.
    """
    chains = {kind: list(operation_chain(loadable, kind)) for kind in ENGINES}
    found = []
    for row in rows:
        kind = ENGINES[int(row["engine"])]
        if not chains[kind]:
            more = f"one more operation of {kind} at cycle {row['start']}"
            raise InputError(more, "those of the loadable", file=loadable.file)
        found.append(_profile(*chains[kind].pop(0), row))
    left = [f"{task}.{op.index}" for chain in chains.values() for task, op in chain]
    if left:
        raise InputError(f"no operation {', '.join(left)} in the run", "all operations to be done", file=loadable.file)
    return found


def operation_chain(loadable: Loadable, kind: str) -> Iterator[tuple[int, NetworkOperation]]:
    """Task and operation, in the order in which the engine does them."""
    for task in dla_tasks(loadable):
        found = network(loadable, task)
        for operation in operations_in_order(found, kind):
            yield task.id, operation


def _profile(task: int, operation: NetworkOperation, row: Any) -> OperationProfile:
    target = operation.cubes["dst_data"].record
    shape = int(target["width"]), int(target["height"]), int(target["channel"])
    waits = {name: int(row[f"wait_{name}"]) for name in WAITS if row[f"wait_{name}"]}
    whole = {name: int(row[name]) for name in ("fetch", "start", "done", "read", "weights_read", "written", WORK)}
    return OperationProfile(
        task, operation.index, operation.type, shape, macs=operation_macs(operation, shape), waits=waits, **whole
    )


def operation_macs(operation: NetworkOperation, shape: tuple[int, int, int]) -> int:
    """Multiplications that an operation needs; ``shape`` is its output's width, height and channels."""
    if operation.type != "CONV":
        return 0
    kernel = [int(operation.desc[f"kernel_{side}_csc"]) for side in ("width", "height", "channel")]
    return int(np.prod([*shape, *kernel], dtype=object))
