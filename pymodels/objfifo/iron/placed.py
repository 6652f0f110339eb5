# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs with tiles: ``object_fifo``, ``object_fifo_link``, core bodies and the host's sequence.

Source: mlir-aie's programming guide, sections 2a to 2g (names, defaults and order of arguments).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import Any

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import TensorAccessPattern
from goldbeat.pymodels.objfifo.iron.fifo import Pairs, fits_a_tile
from goldbeat.pymodels.objfifo.iron.keywords import only_harmless
from goldbeat.pymodels.objfifo.iron.program import initial, pairs
from goldbeat.pymodels.objfifo.iron.resolved import ResolvedModule
from goldbeat.pymodels.objfifo.iron.scope import Scope, fresh, scope
from goldbeat.pymodels.objfifo.iron.surroundings import frozen
from goldbeat.pymodels.objfifo.plan.access import LockAccess, backend_now, call, written_at
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, Host, Link, Transfer
from goldbeat.pymodels.objfifo.plan.device import device_of
from goldbeat.pymodels.objfifo.plan.object_type import object_type
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind


class ObjectFifoPort(Enum):
    """Which end of a fifo is meant."""

    Produce = FifoEnd.PRODUCE
    Consume = FifoEnd.CONSUME


class object_fifo:  # noqa: N801 - upstream's name
    """A fifo between tiles.

    Args:
        name: unique name.
        producerTile: where objects come from.
        consumerTiles: where they go, one tile or a list.
        depth: objects, or a list: the producer's and each consumer's.
        datatype: type of an object.
        dimensionsToStream: (size, stride) pairs in elements, outermost first.
        dimensionsFromStreamPerConsumer: a list of such lists.
        initValues: objects that are there at the start.
        via_DMA: use a DMA even where the cores share memory.
        plio: the shim end is a PLIO port.
        padDimensions: (before, after) pairs of zeros for each of ``dimensionsToStream``.
        disable_synchronization: no locks; whoever writes the design sees to it that nothing depends on timing.
        iter_count: how often a memory tile's ring runs.
        padValue: what the padding holds instead of zeros, per element; on devices that have it.
        repeat_count: how often every object is sent.

    Raises:
        RuleError: ``depth-positive``, ``depth-list``, ``object-type``, ``dims-form``, ``iter-range``...
    """

    def __init__(
        self,
        name: str,
        producerTile: Tile,  # noqa: N803 - upstream's name
        consumerTiles: Tile | Sequence[Tile],  # noqa: N803
        depth: int | Sequence[int],
        datatype: Any,
        dimensionsToStream: Pairs | None = None,  # noqa: N803
        dimensionsFromStreamPerConsumer: Sequence[Pairs] | None = None,  # noqa: N803
        initValues: Sequence[Any] | None = None,  # noqa: N803
        via_DMA: bool | None = None,  # noqa: N803
        plio: bool | None = None,
        padDimensions: Pairs | None = None,  # noqa: N803
        disable_synchronization: bool | None = None,
        iter_count: int | None = None,
        padValue: int | None = None,  # noqa: N803
        repeat_count: int | None = None,
    ) -> None:
        obj = object_type(datatype)
        consumers = (consumerTiles,) if isinstance(consumerTiles, Tile) else tuple(consumerTiles)
        self.sym_name = name
        fits_a_tile(name, depth, obj)
        self.fifo = Fifo(
            name=name,
            producer=producerTile,
            consumers=consumers,
            depth=depth if isinstance(depth, int) else tuple(int(d) for d in depth),
            obj=obj,
            to_stream=pairs(dimensionsToStream),
            from_stream=tuple(pairs(d) for d in dimensionsFromStreamPerConsumer or ()),
            init_values=initial(name, obj, initValues),
            via_dma=bool(via_DMA),
            plio=bool(plio),
            padding=pairs(padDimensions),
            iter_count=iter_count,
            repeat_count=repeat_count or 1,
            pad_value=int(padValue or 0),
            free_running=bool(disable_synchronization),
        )
        scope().fifos.append(self)

    @property
    def name(self) -> str:
        """Its name."""
        return self.sym_name

    def acquire(self, port: ObjectFifoPort, num_elem: int) -> Any:
        """Hold ``num_elem`` objects: one array, or a list of them, oldest first."""
        return call(self._access(True, port, num_elem))

    def release(self, port: ObjectFifoPort, num_elem: int) -> None:
        """Give the oldest ``num_elem`` objects to the other end."""
        call(self._access(False, port, num_elem))

    def get_buffer(self, index: int) -> Any:
        """An object of the core's end by its number, for kernels that take turns by themselves: only executed.

        Raises:
            RuleError: ``fifo-ends``, another core.
            UsageError: nothing is executed, or no such object.
        """
        at = _here.get()
        port = ObjectFifoPort.Produce if at == self.fifo.producer else ObjectFifoPort.Consume
        return held_directly(self._access(True, port, 1)).buffer(self._access(True, port, 1).key, int(index))

    def get_lock(self, port: ObjectFifoPort) -> Any:
        """The core's two locks of an end, (acquire, release), for kernels that use them by themselves: only executed."""
        access = self._access(True, port, 1)
        return held_directly(access).locks(access.key)

    def _access(self, acquire: bool, port: ObjectFifoPort, num_elem: int) -> LockAccess:
        if num_elem < 1:
            what = "acquire" if acquire else "release"
            raise RuleError("acquire-count", f"{self.name}: {what} of {num_elem} objects, expected at least 1")
        at = _here.get()
        ends = (self.fifo.producer,) if port is ObjectFifoPort.Produce else self.fifo.consumers
        if at is None or at not in ends:
            found = "no core" if at is None else str(at)
            raise RuleError("fifo-ends", f"{self.name}: {found} is not where it is to {port.name.lower()}")
        return LockAccess(acquire, self.name, port.value, ends.index(at), int(num_elem))

    def set_repeat_count(self, num: int) -> None:
        """Send every object so often."""
        if num < 1:
            raise RuleError("repeat-positive", f"{self.name}: repeat count {num}, expected at least 1")
        self.fifo.repeat_count = int(num)

    def set_aie_stream(self, stream_end: int, stream_port: int) -> None:
        """Make an end (0 the producer's, 1 the consumer's, 2 both) a core's stream port."""
        self.fifo.stream = (int(stream_end), int(stream_port))

    def set_iter_count(self, num: int) -> None:
        """Run a memory tile's ring so often and then stop."""
        self.fifo.iter_count = int(num)


class object_fifo_link:  # noqa: N801 - upstream's name
    """Copy objects from fifos to fifos on the tile they share.

    Args:
        fifoIns, fifoOuts: one fifo or a list, by name or object; one of them is a list at most.
        srcOffsets: where each input's part starts in a join's object, in elements.
        dstOffsets: where each output's part starts in a distribute's object.
        rechunk: a leg's objects may be smaller than its part.
    """

    def __init__(
        self,
        fifoIns: Any,  # noqa: N803 - upstream's name
        fifoOuts: Any,  # noqa: N803
        srcOffsets: Sequence[int] = (),  # noqa: N803
        dstOffsets: Sequence[int] = (),  # noqa: N803
        *,
        rechunk: bool = False,
    ) -> None:
        self.link = Link(
            _fifo_names(fifoIns),
            _fifo_names(fifoOuts),
            tuple(map(int, srcOffsets)),
            tuple(map(int, dstOffsets)),
            rechunk,
        )
        scope().links.append(self)


class NothingHeld:
    """Stands for objects and locks while a design that will be executed is lowered."""

    def buffer(self, *_: Any) -> None:
        """None."""

    def locks(self, *_: Any) -> tuple[None, None]:
        """None."""
        return None, None


lowered_for_execution: ContextVar[bool] = ContextVar("lowered_for_execution", default=False)
"""A design is lowered to be executed: what its cores acquire by themselves is found out then."""


def held_directly(access: LockAccess) -> Any:
    """Who hands out objects and locks by themselves.

    Raises:
        UsageError: nothing is executed.
    """
    found = backend_now()
    if not hasattr(found, "buffer"):
        if lowered_for_execution.get():
            return NothingHeld()
        raise UsageError(f"{access.fifo}: get_buffer and get_lock are executed (goldbeat objfifo exec), not planned")
    return found


def _fifo_names(value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(v if isinstance(v, str) else v.name for v in values)


_here: ContextVar[Tile | None] = ContextVar("here", default=None)
"""The tile whose core body is running."""


def core(tile: Tile, *_: Any, **more: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Make a function the program of a tile's core; it runs once, loops are its own.

    Raises:
        UsageError: a tile without a core.
    """
    only_harmless("core", more, ("link_with", "link_files", "stack_size", "dynamic_objfifo_lowering"))
    if tile.kind is not TileKind.CORE:
        raise UsageError(f"{tile} has no core")

    def take(body: Callable[[], Any]) -> Callable[[], Any]:
        now = frozen(body)

        def run() -> Any:
            token = _here.set(tile)
            try:
                return now()
            finally:
                _here.reset(token)

        scope().cores.append(Core(tile, f"core of {tile.name}", run, endless=False))
        return body

    return take


def device(which: Any = None) -> Callable[[Callable[[], Any]], ResolvedModule]:
    """Run a function that declares a device's fifos and cores; the name becomes the module."""

    def take(body: Callable[[], Any]) -> ResolvedModule:
        outer = scope()
        with fresh(device_of(which)) as inner:
            inner.silent, inner.live = outer.silent, outer.live
            body()
        design = close(inner)
        outer.bodies.append((design, inner))
        outer.designs.append(design)
        return ResolvedModule(design)

    return take


def close(where: Scope) -> FifoDesign:
    """The design of what a scope declared at the placed level."""
    return FifoDesign(
        where.device,
        [f.fifo for f in where.fifos],
        [one.link for one in where.links],
        list(where.cores),
        list(where.hosts),
        list(where.transfers),
    )


class ModuleContext:
    """What ``mlir_mod_ctx`` gives: ``module`` is the last device that was declared inside."""

    def __init__(self, where: Scope) -> None:
        self._where = where

    @property
    def module(self) -> ResolvedModule:
        """The device's module; of everything that was declared, where there was no device."""
        return ResolvedModule(self._where.designs[-1] if self._where.designs else close(self._where))


@contextmanager
def mlir_mod_ctx() -> Iterator[ModuleContext]:
    """The block in which a module is declared."""
    yield ModuleContext(scope())


# -- the host's sequence ----------------------------------------------------------------------------------------------


def runtime_sequence(*types: Any) -> Callable[[Callable[..., Any]], None]:
    """Run a function that declares the host's transfers; it gets one :class:`Host` for each type."""

    def take(body: Callable[..., Any]) -> None:
        hosts = [Host(f"arg{i}", object_type(kind)) for i, kind in enumerate(types)]
        scope().hosts += hosts
        body(*hosts)

    return take


def npu_dma_memcpy_nd(
    metadata: Any,
    bd_id: int | None = None,
    mem: Host | None = None,
    offsets: Sequence[int] | None = None,
    sizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    issue_token: bool | None = None,
    tap: TensorAccessPattern | None = None,
) -> None:
    """Move a host array to or from the shim end of a fifo.

    Args:
        metadata: the fifo, or its name.
        bd_id: the buffer descriptor to use.
        mem: the array.
        offsets: four, outermost first; each counts its stride.
        sizes: four, outermost first, in elements.
        strides: four, outermost first, in elements.
        issue_token: report the end; drains always do.
        tap: these three in one.

    Raises:
        RuleError: ``transfer-shim``, the fifo has no end on a shim.
        UsageError: no array.
    """
    name = metadata if isinstance(metadata, str) else metadata.name
    found = [f.fifo for f in scope().fifos if f.name == name]
    if not found:
        raise UsageError(f"there is no fifo {name!r}")
    if mem is None:
        raise UsageError(f"{name}: a transfer needs an array (mem)")
    fifo = found[0]
    if fifo.producer.kind is TileKind.SHIM:
        port = FifoEnd.PRODUCE
    elif any(t.kind is TileKind.SHIM for t in fifo.consumers):
        port = FifoEnd.CONSUME
    else:
        raise RuleError("transfer-shim", f"{name}: a transfer needs an end on a shim tile")
    if tap is not None:
        offset, sizes, strides = int(tap.offset), tap.sizes, tap.strides
    else:
        strides = (0, 0, 0, 1) if strides is None else strides if len(strides) == 4 else (*strides, 1)
        sizes = (1, 1, 1, mem.obj.elements) if sizes is None else sizes
        offset = sum(o * s for o, s in zip(offsets or (), strides, strict=False))
    dims = tuple((int(n), int(s)) for n, s in zip(sizes, strides, strict=True))
    token = bool(issue_token) or port is FifoEnd.CONSUME
    where, waited = str(written_at() or ""), scope().waited
    scope().transfers.append(Transfer(name, port, mem.name, offset, dims, token, bd_id, where, waited))
    scope().waited = False


def npu_sync(column: int, row: int, direction: int, channel: int, column_num: int = 1, row_num: int = 1) -> None:
    """Wait for a token; a plan's transfers report theirs in any case."""
    scope().waited = True


def dma_wait(*args: Any) -> None:
    """Wait for the transfers of fifos; a plan's transfers report theirs in any case."""
    scope().waited = True
