# SPDX-License-Identifier: Apache-2.0
"""The host's sequence: which workers start, which arrays fill and drain fifos at the shim.

Source: mlir-aie's programming guide, section 2 (runtime data movement).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import ElementPattern
from goldbeat.pymodels.objfifo.iron.endpoint import ShimPlace
from goldbeat.pymodels.objfifo.iron.fifo import ObjectFifoHandle
from goldbeat.pymodels.objfifo.iron.renamed_arguments import either
from goldbeat.pymodels.objfifo.iron.scope import scope
from goldbeat.pymodels.objfifo.iron.surroundings import frozen
from goldbeat.pymodels.objfifo.iron.transfers import transfer_taker, transfers_to
from goldbeat.pymodels.objfifo.iron.worker import Worker
from goldbeat.pymodels.objfifo.plan.access import written_at
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError


class RuntimeData:
    """An array that the host hands over.

    Args:
        name: for people.
        arr_type: its type.
    """

    def __init__(self, name: str, arr_type: Any) -> None:
        self.name = name
        self.arr_type = arr_type
        self.obj: ObjectType = object_type(arr_type)

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.obj.shape

    def __getitem__(self, key: Any) -> ElementPattern:
        return ElementPattern.from_slice(self.obj.shape, key)


@dataclass(frozen=True)
class RuntimeScalar:
    """A number that the host hands over with each call.

    Attributes:
        name: for people.
        dtype: its type.
    """

    name: str
    dtype: np.dtype[Any]


class TaskGroup:
    """Transfers that are waited for together.

    Args:
        id: accepted, without effect.
    """

    def __init__(self, id: int | None = None) -> None:  # noqa: A002 - upstream's name
        self.waited: list[Any] = []

    def finish(self) -> None:
        """Wait for them: inside the function of a Runtime."""
        transfer_taker().finish(self)


@dataclass(frozen=True)
class Move:
    """One fill or drain; ``waited``: the host waits before it, and after the one before it."""

    handle: ObjectFifoHandle
    data: RuntimeData
    tap: ElementPattern
    wait: bool
    group: TaskGroup | None = None
    where: str = ""
    waited: bool = False


class Runtime:
    """The host's sequence of transfers.

    Args:
        function: the sequence; called with ``fn_args``, types replaced by their arrays.
        fn_args: types of host arrays, handles of fifos at the shim, and lists of them.
        strict_task_groups: accepted, without effect.
    """

    def __init__(
        self,
        function: Callable[..., Any] | bool | None = None,
        fn_args: Sequence[Any] = (),
        strict_task_groups: bool = True,
    ) -> None:
        self.function = function if callable(function) else None
        self.flows: list[Any] = []
        self.locks: list[Any] = []
        self.tile_dmas: list[Any] = []
        self.data: list[RuntimeData] = []
        self.scalars: list[RuntimeScalar] = []
        self.moves: list[Move] = []
        self.events: list[Move | TaskGroup | Callable[[], Any]] = []
        self.workers: list[Worker] = []
        self.places: list[ShimPlace] = []
        self._groups: list[TaskGroup] = []
        self._waited = False
        self.arguments = [self._argument(one) for one in fn_args]
        scope().runtimes.append(self)

    def _argument(self, one: Any) -> Any:
        """An argument of the sequence: arrays and numbers for types; a handle is bound to a shim."""
        if isinstance(one, list | tuple):
            return [self._argument(inner) for inner in one]
        if isinstance(one, ObjectFifoHandle):
            self._bind(one, one.shim)
            return one
        if isinstance(one, type) and issubclass(one, np.generic):
            name = getattr(one, "parameter", f"value{len(self.scalars)}")
            self.scalars.append(RuntimeScalar(name, np.dtype(one.__mro__[1] if hasattr(one, "parameter") else one)))
            return self.scalars[-1]
        try:
            self.data.append(RuntimeData(f"arg{len(self.data)}", one))
        except RuleError:
            return one
        return self.data[-1]

    def declare(self) -> None:
        """Run the function once, to learn its transfers."""
        if self.function is not None and not self.moves:
            with transfers_to(self):
                frozen(self.function)(*self.arguments)

    def transfer(self, handle: Any, data: Any, tap: Any, wait: bool, group: Any, packet: Any = None) -> None:
        """A fill or drain while the sequence is declared.

        Raises:
            UsageError: with a packet's header, which a plan has not.
        """
        if packet is not None:
            raise UsageError(f"{handle.name}: a packet of its own is executed (goldbeat objfifo exec), not planned")
        self._move(handle, handle.port, data, tap, wait, handle.shim, group)

    def finish(self, group: Any) -> None:
        """Transfers that follow come after a wait, if one of the group's reports its end."""
        self._waited |= any(move.wait for move in self.moves if move.group is group)

    def inline_ops(self, function: Callable[..., Any], args: Sequence[Any] = ()) -> None:
        """Call a function where the sequence has come to; an execution does, a plan has no place for it."""
        self.events.append(lambda: function(*args))

    def enable_trace(self, *_: Any, **__: Any) -> None:
        """Traces are not executed."""

    def set_barrier(self, barrier: Any, value: int) -> None:
        """Set a barrier of workers where the sequence has come to."""
        self.inline_ops(barrier.set, [value])

    def add_flow(self, flow: Any) -> None:
        """A stream of its own."""
        self.flows.append(flow)

    def add_lock(self, lock: Any) -> None:
        """A lock that belongs to no fifo."""
        self.locks.append(lock)

    def add_buffer(self, buffer: Any) -> None:
        """A buffer that tasks name; every buffer of a script is there in any case."""

    def add_tile_dma(self, tile_dma: Any) -> None:
        """A tile's DMA program."""
        self.tile_dmas.append(tile_dma)

    @contextmanager
    def sequence(self, *input_types: Any) -> Iterator[Any]:
        """The block in which transfers are declared; gives one :class:`RuntimeData` for each type."""
        self.data = [RuntimeData(f"arg{i}", kind) for i, kind in enumerate(input_types)]
        yield self.data[0] if len(self.data) == 1 else tuple(self.data)
        if self._groups:
            raise UsageError(f"{len(self._groups)} task group(s) of the sequence are not finished")

    def start(self, *args: Worker) -> None:
        """Start workers."""
        for worker in args:
            if not isinstance(worker, Worker):
                raise UsageError(f"start takes workers, not {type(worker).__name__}")
            self.workers.append(worker)

    def fill(
        self,
        in_fifo: ObjectFifoHandle,
        source: RuntimeData,
        tap: ElementPattern | None = None,
        task_group: TaskGroup | None = None,
        wait: bool = False,
        placement: Any = None,
        *,
        tile: Any = None,
    ) -> None:
        """Send a host array into a fifo.

        Args:
            in_fifo: a producer's handle.
            source: what is sent.
            tap: which part, all of it if not given.
            task_group: what it belongs to.
            wait: report the end.
            placement: the shim tile.
            tile: its later name.

        Raises:
            RuleError: ``handle-kind`` on a consumer.
            UsageError: an array of another sequence.
        """
        self._move(
            in_fifo, FifoEnd.PRODUCE, source, tap, wait, either("placement", placement, "tile", tile), task_group
        )

    def drain(
        self,
        out_fifo: ObjectFifoHandle,
        dest: RuntimeData,
        tap: ElementPattern | None = None,
        task_group: TaskGroup | None = None,
        wait: bool = False,
        placement: Any = None,
        *,
        tile: Any = None,
    ) -> None:
        """Receive a host array from a fifo; arguments as for :meth:`fill`."""
        self._move(out_fifo, FifoEnd.CONSUME, dest, tap, wait, either("placement", placement, "tile", tile), task_group)

    def _move(
        self,
        handle: ObjectFifoHandle,
        port: FifoEnd,
        data: RuntimeData,
        tap: ElementPattern | None,
        wait: bool,
        where: Any,
        group: TaskGroup | None = None,
    ) -> None:
        what = "fill" if port is FifoEnd.PRODUCE else "drain"
        if handle.port is not port:
            raise RuleError("handle-kind", f"{handle.name}: cannot {what} a {handle.handle_type} handle")
        if data not in self.data:
            raise UsageError(f"{handle.name}: {what} with an array that is not this sequence's")
        if tap is None:
            tap = ElementPattern(data.shape, 0, [math.prod(data.shape)], [1])
        handle = self._same(handle)
        self._bind(handle, where)
        self.moves.append(Move(handle, data, tap, wait, group, str(written_at() or ""), self._waited))
        self._waited = False
        self.events.append(self.moves[-1])

    def _bind(self, handle: ObjectFifoHandle, where: Any) -> None:
        """The sequence uses this end of a fifo."""
        if handle.endpoint is None:
            shim = ShimPlace(handle, where)
            self.places.append(shim)
            handle.endpoint = shim
        elif not isinstance(handle.endpoint, ShimPlace):
            raise UsageError(
                f"{handle.name}: this {handle.handle_type} handle is used by {handle.endpoint.what} already"
            )

    def _same(self, handle: ObjectFifoHandle) -> ObjectFifoHandle:
        """Several ``cons()`` of one fifo for its drains are one consumer."""
        if handle.port is FifoEnd.CONSUME and handle.endpoint is None:
            for other in handle.fifo.consumers:
                alike = (other.depth, other.dims_from_stream) == (handle.depth, handle.dims_from_stream)
                if other is not handle and isinstance(other.endpoint, ShimPlace) and alike:
                    handle.fifo.consumers.remove(handle)
                    return other
        return handle

    def task_group(self) -> TaskGroup:
        """Open a group of transfers."""
        group = TaskGroup()
        self._groups.append(group)
        return group

    def finish_task_group(self, task_group: TaskGroup) -> None:
        """Wait for the transfers of a group."""
        if task_group not in self._groups:
            raise UsageError("this task group is finished already")
        self._groups.remove(task_group)
        self.finish(task_group)
        self.events.append(task_group)
