# SPDX-License-Identifier: Apache-2.0
"""Object FIFOs without tiles: ``ObjectFifo`` and its handles.

Source: mlir-aie's programming guide, section 2 (names, defaults and order of arguments).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.iron.element_pattern import ElementPattern
from goldbeat.pymodels.objfifo.iron.endpoint import LinkPlace, Place
from goldbeat.pymodels.objfifo.iron.renamed_arguments import either
from goldbeat.pymodels.objfifo.iron.scope import scope
from goldbeat.pymodels.objfifo.iron.transfers import start_transfer
from goldbeat.pymodels.objfifo.iron.transport import Port, Transport, stream_ends
from goldbeat.pymodels.objfifo.plan.access import LockAccess, call, written_at
from goldbeat.pymodels.objfifo.plan.limits import beyond_any_memory
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType, object_type
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.rules import RuleError

Pairs = Sequence[Sequence[int]]
"""Dims or padding: pairs, outermost first."""
Walk = Pairs | ElementPattern
"""Dims, or a pattern of one object, which may be padded."""
_numbers = count()


class ObjectFifo:
    """A fifo of objects between one producer and its consumers.

    Args:
        obj_type: of one object, such as ``np.ndarray[(16,), np.dtype[np.int32]]``.
        depth: objects at each end, unless a handle says otherwise; a list has the producer's and each consumer's.
        name: unique name; made up if not given.
        dims_to_stream: (size, stride) pairs in elements, outermost first: the order in which objects are sent.
        dims_from_stream_per_cons: the same for receiving, for consumers that give none of their own.
        plio: the shim end is a PLIO port.
        to_stream, from_stream, from_stream_per_cons: later names of the dims, which may be patterns of one object.
        init_values: objects that are there at the start.
        pad_dimensions: (before, after) pairs of padding for each of ``dims_to_stream``.
        via_DMA: use a DMA even where the cores share memory.
        iter_count, repeat_count: as :meth:`set_iter_count` and :meth:`set_repeat_count` set them.
        pad_value: what the padding holds instead of zeros, per element; on devices that have it.
        disable_synchronization: no locks; whoever writes the design sees to it that nothing depends on timing.
        aie_stream: which end is a core's stream port (0 the producer's, 1 the consumer's, 2 both), and the port.
        transport: ``dma`` as ``via_DMA``, ``shared_mem``, ``auto``; or a :class:`Transport`.

    Raises:
        RuleError: ``depth-positive`` or ``object-type``.
    """

    def __init__(
        self,
        obj_type: Any,
        depth: int | Sequence[int] | None = 2,
        name: str | None = None,
        dims_to_stream: Pairs | None = None,
        dims_from_stream_per_cons: Pairs | None = None,
        plio: bool = False,
        *,
        to_stream: Walk | None = None,
        from_stream: Walk | None = None,
        from_stream_per_cons: Walk | None = None,
        init_values: Sequence[Any] | None = None,
        pad_dimensions: Pairs | None = None,
        via_DMA: bool = False,  # noqa: N803 - upstream's name
        iter_count: int | None = None,
        repeat_count: int | None = None,
        pad_value: int = 0,
        disable_synchronization: bool = False,
        aie_stream: tuple[int, int] | None = None,
        transport: Transport | str | None = None,
    ) -> None:
        self.number = next(_numbers)
        unnamed = scope().unnamed
        self.name = f"of{next(unnamed)}" if name is None else name
        self._type = object_type(obj_type)
        self._obj_type = obj_type
        for one in [] if depth is None else [depth] if isinstance(depth, int) else depth:
            _written_depth(self.name, one, self._type)
        self.depth = depth if depth is None or isinstance(depth, int) else tuple(depth)
        sent = either("dims_to_stream", dims_to_stream, "to_stream", to_stream, [])
        self.dims_to_stream, pad_dimensions = _dims("to_stream", sent), _pads(sent, pad_dimensions)
        later = either("from_stream", from_stream, "from_stream_per_cons", from_stream_per_cons)
        self.dims_from_stream_per_cons = _dims(
            "from_stream", either("dims_from_stream_per_cons", dims_from_stream_per_cons, "from_stream", later, [])
        )
        self.plio = plio
        self.init_values = init_values
        self.pad_dimensions = pad_dimensions
        self.transport = Transport.coerce(transport)
        self.via_dma = via_DMA or self.transport.mode == "dma"
        self.pad_value = int(pad_value)
        self.free_running = bool(disable_synchronization)
        self.stream = None if aie_stream is None else (int(aie_stream[0]), int(aie_stream[1]))
        self.iter_count: int | None = None
        self.repeat_count = 1
        self.producer: ObjectFifoHandle | None = None
        self.consumers: list[ObjectFifoHandle] = []
        if iter_count is not None:
            self.set_iter_count(iter_count)
        if repeat_count is not None:
            self.set_repeat_count(repeat_count)
        scope().open_fifos.append(self)

    @property
    def obj_type(self) -> Any:
        """The type of an object, as it was given."""
        return self._obj_type

    @property
    def object(self) -> ObjectType:
        """Shape and type of an object."""
        return self._type

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an object."""
        return self._type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an element."""
        return self._type.dtype

    def set_iter_count(self, iter_count: int) -> None:
        """Run a memory tile's ring so often and then stop; ``iter-range`` if it is not 1 to 256."""
        if not 1 <= iter_count <= 256:
            raise RuleError("iter-range", f"{self.name}: iteration count {iter_count}, expected 1 to 256")
        self.iter_count = int(iter_count)

    def set_repeat_count(self, repeat_count: int) -> None:
        """Send every object so often; ``repeat-positive`` if it is below 1."""
        if repeat_count < 1:
            raise RuleError("repeat-positive", f"{self.name}: repeat count {repeat_count}, expected at least 1")
        self.repeat_count = int(repeat_count)

    def prod(
        self, depth: int | None = None, port: Port | None = None, *, channel: int | None = None, tile: Any = None
    ) -> ObjectFifoHandle:
        """The producer's handle: always the same one.

        Args:
            depth: objects at the producer's end.
            port: what drives this end, such as ``Port.stream(0)`` or ``Port.dma(1)``.
            channel: its DMA channel alone.
            tile: the shim tile, of a handle that a Runtime is given.

        Raises:
            RuleError: ``depth-positive``.
            UsageError: no depth is known, or another one than before.
        """
        if self.producer is None:
            self.producer = ObjectFifoHandle(self, FifoEnd.PRODUCE, self._depth(depth, 0))
        elif depth is not None and depth != self.producer.depth:
            raise UsageError(f"{self.name}: the producer's depth is {self.producer.depth} already, not {depth}")
        self.producer.drives(port, channel)
        if tile is not None:
            self.producer.shim = tile
        return self.producer

    def cons(
        self,
        depth: int | None = None,
        dims_from_stream: Pairs | None = None,
        *,
        from_stream: Walk | None = None,
        port: Port | None = None,
        channel: int | None = None,
        tile: Any = None,
    ) -> ObjectFifoHandle:
        """A new consumer's handle; several make a broadcast.

        Args:
            depth: objects at this consumer's end.
            dims_from_stream: how this consumer writes what arrives.
            from_stream: its later name.
            port: what drives this end, such as ``Port.stream(0)`` or ``Port.dma(1)``.
            channel: its DMA channel alone.
            tile: the shim tile, of a handle that a Runtime is given.

        Raises:
            RuleError: ``depth-positive``.
            UsageError: no depth is known.
        """
        walk = either("dims_from_stream", dims_from_stream, "from_stream", from_stream, self.dims_from_stream_per_cons)
        dims = _dims("from_stream", walk)
        handle = ObjectFifoHandle(self, FifoEnd.CONSUME, self._depth(depth, 1 + len(self.consumers)), dims)
        handle.drives(port, channel)
        self.consumers.append(handle)
        handle.shim = tile
        return handle

    def _depth(self, depth: int | None, end: int) -> int:
        if depth is not None:
            return _written_depth(self.name, depth, self._type)
        if self.depth is None:
            raise UsageError(f"{self.name}: made without a depth, so each handle needs one")
        if isinstance(self.depth, int):
            return self.depth
        return self.depth[min(end, len(self.depth) - 1)]

    def __str__(self) -> str:
        return f"ObjectFifo({self._type}, depth={self.depth}, name={self.name!r})"


def _dims(what: str, walk: Any) -> Any:
    """The pairs of a walk.

    Raises:
        UsageError: a pattern that does not begin with the object's first element, or is padded where nothing is sent.
    """
    if not isinstance(walk, ElementPattern):
        return walk
    if walk.offset or (walk.padding and what != "to_stream"):
        kind = f"offset {walk.offset}" if walk.offset else "padding"
        raise UsageError(f"found a {what} pattern with {kind}, expected a walk from an object's first element")
    return walk.transformation_dims


def _pads(walk: Any, given: Any) -> Any:
    """The padding of a sender's walk, which says it itself or beside it."""
    own = walk.padding if isinstance(walk, ElementPattern) else None
    if own and given:
        raise UsageError("found padding of a pattern and pad_dimensions, expected one of them")
    return own or given


def _written_depth(name: str, depth: int, obj: ObjectType) -> int:
    if depth < 1:
        raise RuleError("depth-positive", f"{name}: depth {depth}, expected at least 1")
    fits_a_tile(name, int(depth), obj)
    return int(depth)


def fits_a_tile(name: str, depth: int | Sequence[int], obj: ObjectType) -> None:
    """Refuse a depth before anything is made for each object.

    Args:
        name: of the fifo.
        depth: of it, or of each end.
        obj: its objects.

    Raises:
        UsageError: no tile's memory holds them.
    """
    if (wrong := beyond_any_memory(depth, obj.size)) is not None:
        raise UsageError(f"{written_at() or 'script'}: found {wrong[0]} of {name}, expected {wrong[1]}")


class ObjectFifoHandle:
    """One end of an object FIFO; made by :meth:`ObjectFifo.prod` and :meth:`ObjectFifo.cons`."""

    def __init__(self, fifo: ObjectFifo, port: FifoEnd, depth: int, dims_from_stream: Pairs = ()) -> None:
        self.fifo = fifo
        self.port = port
        self.depth = depth
        self.dims_from_stream = dims_from_stream
        self.shim: Any = None
        """The shim tile that was asked for."""
        self.channel: int | None = None
        """The DMA channel that was asked for."""
        self._port: Port | None = None
        self._endpoint: Place | None = None

    def drives(self, port: Port | None, channel: int | None = None) -> None:
        """What drives this end, or its DMA channel alone.

        Raises:
            RuleError: ``channel-pin``: another one than before.
        """
        found = port if channel is None else Port.dma(int(channel))
        if found is None:
            return
        if self._port not in (None, found) or port not in (None, found):
            raise RuleError("channel-pin", f"{self.name}: {found} for an end that has {self._port or port}")
        self._port = found
        if found.bundle == "DMA":
            self.channel = found.number
        else:
            end = 0 if self.port is FifoEnd.PRODUCE else 1
            self.fifo.stream = stream_ends(self.name, self.fifo.stream, end, found)

    @property
    def name(self) -> str:
        """The fifo's name."""
        return self.fifo.name

    @property
    def obj_type(self) -> Any:
        """The type of an object."""
        return self.fifo.obj_type

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an object."""
        return self.fifo.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of an element."""
        return self.fifo.dtype

    @property
    def handle_type(self) -> str:
        """``prod`` or ``cons``."""
        return "prod" if self.port is FifoEnd.PRODUCE else "cons"

    def far_ends(self) -> list[Place]:
        """Who uses the fifo's other handles; those that nobody uses are left out."""
        handles = [h for h in (self.fifo.producer, *self.fifo.consumers) if h is not None]
        return [h.endpoint for h in handles if h.endpoint is not None]

    @property
    def endpoint(self) -> Place | None:
        """Who uses it: a worker, a link or the host's sequence."""
        return self._endpoint

    @endpoint.setter
    def endpoint(self, place: Place) -> None:
        if self._endpoint is not None and self._endpoint is not place:
            raise UsageError(
                f"{self.name}: this {self.handle_type} handle is used by {self._endpoint.what} already, "
                f"{place.what} cannot have it too"
            )
        self._endpoint = place

    def set_repeat_count(self, repeat_count: int) -> None:
        """Send every object so often."""
        self.fifo.set_repeat_count(repeat_count)

    # -- in a sequence ------------------------------------------------------------------------------------------------

    def fill(
        self, source: Any, tap: Any = None, wait: bool = False, packet: Any = None, *, group: Any = None, **more: Any
    ) -> Any:
        """Send a host array into the fifo: inside the function of a Runtime.

        Raises:
            RuleError: ``handle-kind`` on a consumer.
        """
        if self.port is not FifoEnd.PRODUCE:
            raise RuleError("handle-kind", f"{self.name}: cannot fill a {self.handle_type} handle")
        return start_transfer("fill", self, source, tap, wait, packet, group, more)

    def drain(
        self, dest: Any, tap: Any = None, wait: bool = False, packet: Any = None, *, group: Any = None, **more: Any
    ) -> Any:
        """Receive a host array from the fifo; as :meth:`fill`."""
        if self.port is not FifoEnd.CONSUME:
            raise RuleError("handle-kind", f"{self.name}: cannot drain a {self.handle_type} handle")
        return start_transfer("drain", self, dest, tap, wait, packet, group, more)

    # -- in a worker --------------------------------------------------------------------------------------------------

    def acquire(self, num_elem: int) -> Any:
        """Hold ``num_elem`` objects, those held already among them; waits for the rest.

        Returns:
            the object if it is one, a list of them, oldest first, if they are more.

        Raises:
            RuleError: ``acquire-count`` or ``acquire-depth``.
        """
        return call(self._access(True, num_elem))

    def release(self, num_elem: int) -> None:
        """Give the oldest ``num_elem`` objects to the other end.

        Raises:
            RuleError: ``acquire-count``, ``release-depth`` or ``release-held``.
        """
        call(self._access(False, num_elem))

    def _access(self, acquire: bool, num_elem: int) -> LockAccess:
        what = "acquire" if acquire else "release"
        if num_elem < 1:
            raise RuleError("acquire-count", f"{self.name}: {what} of {num_elem} objects, expected at least 1")
        if num_elem > self.depth:
            raise RuleError(
                f"{what}-depth",
                f"{self.name}: {what} of {num_elem} objects at the {self.handle_type} end, which is {self.depth} deep",
            )
        consumer = 0 if self.port is FifoEnd.PRODUCE else self.fifo.consumers.index(self)
        return LockAccess(acquire, self.name, self.port, consumer, int(num_elem))

    # -- links --------------------------------------------------------------------------------------------------------

    def forward(
        self,
        placement: Any = None,
        obj_type: Any = None,
        depth: int | None = None,
        name: str | None = None,
        dims_to_stream: Pairs | None = None,
        dims_from_stream: Pairs | None = None,
        plio: bool = False,
        *,
        tile: Any = None,
        to_stream: Pairs | None = None,
        from_stream: Pairs | None = None,
        pad_dimensions: Pairs | None = None,
        pad_value: int = 0,
        repeat_count: int | None = None,
    ) -> ObjectFifo:
        """Copy what this consumer gets into a new fifo, on a memory tile unless ``placement`` says otherwise.

        Raises:
            RuleError: ``handle-kind`` on a producer.
        """

        def one(value: Any) -> Any:
            return None if value is None else [value]

        return self._legs(
            "forward",
            [0],
            either("placement", placement, "tile", tile),
            one(depth),
            one(obj_type),
            [f"{self.name}_fwd" if name is None else name],
            one(either("dims_to_stream", dims_to_stream, "to_stream", to_stream)),
            one(either("dims_from_stream", dims_from_stream, "from_stream", from_stream)),
            plio,
            False,
            {"pad_dimensions": one(pad_dimensions), "pad_value": [pad_value], "repeat_count": one(repeat_count)},
        )[0]

    def split(
        self,
        offsets: Sequence[int],
        placement: Any = None,
        depths: Sequence[int] | None = None,
        obj_types: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        dims_to_stream: Sequence[Pairs | None] | None = None,
        dims_from_stream: Sequence[Pairs | None] | None = None,
        plio: bool = False,
        *,
        tile: Any = None,
        to_stream: Sequence[Pairs | None] | None = None,
        from_stream: Sequence[Pairs | None] | None = None,
        rechunk: bool = False,
        pad_dimensions: Sequence[Pairs | None] | None = None,
        pad_value: Sequence[int] | None = None,
        repeat_counts: Sequence[int | None] | None = None,
    ) -> list[ObjectFifo]:
        """Distribute the parts of every object to new fifos.

        Args:
            offsets: where each part starts, in elements of the object.
            placement: the memory tile.
            depths: of the new fifos, one for each offset.
            obj_types: of the new fifos.
            names: of the new fifos.
            dims_to_stream: of the new fifos.
            dims_from_stream: of the new fifos.
            plio: of the new fifos.
            tile: later name of ``placement``.
            to_stream: later name of ``dims_to_stream``.
            from_stream: later name of ``dims_from_stream``.
            rechunk: the new fifos' objects may be smaller than their parts.
            pad_dimensions: of the new fifos.
            pad_value: of the new fifos.
            repeat_counts: of the new fifos.

        Raises:
            RuleError: ``handle-kind`` on a producer, ``leg-counts``.
        """
        return self._legs(
            "split",
            offsets,
            either("placement", placement, "tile", tile),
            depths,
            obj_types,
            names,
            either("dims_to_stream", dims_to_stream, "to_stream", to_stream),
            either("dims_from_stream", dims_from_stream, "from_stream", from_stream),
            plio,
            rechunk,
            {"pad_dimensions": pad_dimensions, "pad_value": pad_value, "repeat_count": repeat_counts},
        )

    def join(
        self,
        offsets: Sequence[int],
        placement: Any = None,
        depths: Sequence[int] | None = None,
        obj_types: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        dims_to_stream: Sequence[Pairs | None] | None = None,
        dims_from_stream: Sequence[Pairs | None] | None = None,
        plio: bool = False,
        *,
        tile: Any = None,
        to_stream: Sequence[Pairs | None] | None = None,
        from_stream: Sequence[Pairs | None] | None = None,
        rechunk: bool = False,
        pad_dimensions: Sequence[Pairs | None] | None = None,
        pad_value: Sequence[int] | None = None,
        repeat_counts: Sequence[int | None] | None = None,
    ) -> list[ObjectFifo]:
        """Put the parts of every object together from new fifos; arguments as for :meth:`split`.

        Raises:
            RuleError: ``handle-kind`` on a consumer, ``leg-counts``.
        """
        return self._legs(
            "join",
            offsets,
            either("placement", placement, "tile", tile),
            depths,
            obj_types,
            names,
            either("dims_to_stream", dims_to_stream, "to_stream", to_stream),
            either("dims_from_stream", dims_from_stream, "from_stream", from_stream),
            plio,
            rechunk,
            {"pad_dimensions": pad_dimensions, "pad_value": pad_value, "repeat_count": repeat_counts},
        )

    def merge(
        self,
        count: int,
        placement: Any = None,
        depths: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        *,
        tile: Any = None,
        transports: Sequence[Transport | str | None] | None = None,
    ) -> list[ObjectFifo]:
        """New fifos whose objects come here in turns: one of the first, one of the second, and so on.

        Args:
            count: how many.
            placement: the memory tile.
            depths: of the new fifos.
            names: of the new fifos.
            tile: later name of ``placement``.
            transports: of the new fifos; ids of their packets have no effect.

        Raises:
            RuleError: ``handle-kind`` on a consumer, ``leg-counts``.
        """
        return self._turns("merge", count, either("placement", placement, "tile", tile), depths, names, transports)

    def dispatch(
        self,
        count: int,
        placement: Any = None,
        depths: Sequence[int] | None = None,
        names: Sequence[str] | None = None,
        *,
        tile: Any = None,
        transports: Sequence[Transport | str | None] | None = None,
    ) -> list[ObjectFifo]:
        """New fifos that get this consumer's objects in turns; arguments as for :meth:`merge`.

        Raises:
            RuleError: ``handle-kind`` on a producer, ``leg-counts``.
        """
        return self._turns("dispatch", count, either("placement", placement, "tile", tile), depths, names, transports)

    def _turns(
        self, what: str, count: int, where: Any, depths: Sequence[int] | None, names: Sequence[str] | None, ways: Any
    ) -> list[ObjectFifo]:
        if int(count) < 2:
            raise RuleError("leg-counts", f"{self.name}: {what} of {count} fifo(s), expected at least 2")
        if len(found := [Transport.coerce(one) for one in ways or ()]) not in (0, int(count)):
            raise RuleError("leg-counts", f"{self.name}: {what} with {len(found)} transports for {count} fifos")
        return self._legs(what, [0] * int(count), where, depths, None, names, None, None, False, False, {})

    def _legs(
        self,
        what: str,
        offsets: Sequence[int],
        where: Any,
        depths: Sequence[int] | None,
        obj_types: Sequence[Any] | None,
        names: Sequence[str] | None,
        to_stream: Sequence[Pairs | None] | None,
        from_stream: Sequence[Pairs | None] | None,
        plio: bool,
        rechunk: bool,
        more: dict[str, Sequence[Any] | None],
    ) -> list[ObjectFifo]:
        inward = what in ("join", "merge")
        wanted = FifoEnd.PRODUCE if inward else FifoEnd.CONSUME
        if self.port is not wanted:
            raise RuleError("handle-kind", f"{self.name}: cannot {what} a {self.handle_type} handle")
        n = len(offsets)
        given = {
            "depths": depths,
            "obj_types": obj_types,
            "names": names,
            "dims_to_stream": to_stream,
            "dims_from_stream": from_stream,
        }
        for label, values in given.items():
            if values is not None and len(values) != n:
                raise RuleError("leg-counts", f"{self.name}: {what} with {len(values)} {label} for {n} offsets")
        legs = []
        for i in range(n):
            walk = None if from_stream is None else from_stream[i]
            leg = ObjectFifo(
                self.obj_type if obj_types is None else obj_types[i],
                self.depth if depths is None else depths[i],
                f"{self.name}_{what}{i}" if names is None else names[i],
                None if to_stream is None else to_stream[i],
                None if inward else walk,
                plio,
                **{name: values[i] for name, values in more.items() if values is not None},
            )
            if inward:
                leg.cons(dims_from_stream=walk)
            else:
                leg.prod()
            legs.append(leg)
        inner = [leg.consumers[0] if inward else leg.prod() for leg in legs]
        link = LinkPlace(
            inner if inward else [self],
            [self] if inward else inner,
            list(map(int, offsets)) if what == "join" else [],
            list(map(int, offsets)) if what == "split" else [],
            where,
            rechunk,
            what in ("merge", "dispatch"),
        )
        for handle in [self, *inner]:
            handle.endpoint = link
        return legs
