# SPDX-License-Identifier: Apache-2.0
"""A design as it was written, with every tile known: what the checks read and what is lowered to a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from goldbeat.pymodels.objfifo.plan.access import LockAccess, Steps
from goldbeat.pymodels.objfifo.plan.device import Device
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd, Plan
from goldbeat.pymodels.objfifo.plan.tile import Tile

Dims = tuple[tuple[int, int], ...]
"""Pairs of size and stride in elements, outermost first."""


@dataclass
class Fifo:
    """One object FIFO.

    Attributes:
        name: unique in the design.
        producer, consumers: where its ends are.
        depth: one number, or one for the producer and each consumer.
        obj: what its objects are.
        to_stream: the order in which objects are read to the stream, empty for their own.
        from_stream: for each consumer, the order in which arriving words are written.
        init_values: objects that are there at the start, or None.
        via_dma: use a DMA even where the cores share memory.
        plio: its shim end is a PLIO port.
        padding: words before and after each dim of ``to_stream``, outermost first.
        iter_count: how often a memory tile's ring is run, None for endlessly.
        repeat_count: how often each object is sent.
        pad_value: what padding holds, per element.
        free_running: its rings use no locks.
        stream: which end is a core's stream port (0 the producer's, 1 the consumer's, 2 both) and the port; or None.
        shared_only: its ends share a memory, else it is refused.
        packet: it is sent as packets of an id, None for a free one, and a type; or None for a circuit.
        channels: DMA channels that are named, the producer's and each consumer's; None for the first free one.
    """

    name: str
    producer: Tile
    consumers: tuple[Tile, ...]
    depth: int | tuple[int, ...]
    obj: ObjectType
    to_stream: Dims = ()
    from_stream: tuple[Dims, ...] = ()
    init_values: tuple[npt.NDArray[Any], ...] | None = None
    via_dma: bool = False
    plio: bool = False
    padding: tuple[tuple[int, int], ...] = ()
    iter_count: int | None = None
    repeat_count: int = 1
    pad_value: int = 0
    free_running: bool = False
    stream: tuple[int, int] | None = None
    shared_only: bool = False
    packet: tuple[int | None, int] | None = None
    channels: tuple[int | None, ...] = ()

    @property
    def resends_values(self) -> bool:
        """A tile that nobody else writes to sends its initial values so many times: without links its ring needs no locks.

        Source: mlir-aie of August 2026 (760932a4), init_values_no_link_skips_source_locks.mlir. Before May 2026 it had locks that
        nobody gave again.
        """
        return self.init_values is not None and (self.iter_count or 1) > 1

    def channel(self, end: int) -> int | None:
        """The channel that is named for the producer (0) or for consumer ``end - 1``."""
        return self.channels[end] if end < len(self.channels) else None

    def streams(self, end: int) -> bool:
        """The producer's end (0) or a consumer's is a core's stream port."""
        return self.stream is not None and self.stream[0] in (min(end, 1), 2)

    def end_depth(self, end: int) -> int:
        """The depth written for the producer (0) or for consumer ``end - 1``."""
        return self.depth if isinstance(self.depth, int) else self.depth[end]

    def dims_from(self, consumer: int) -> Dims:
        """The walk of one consumer."""
        return self.from_stream[consumer] if self.from_stream else ()


@dataclass
class Link:
    """Fifos joined, distributed or forwarded on one tile.

    Attributes:
        ins, outs: names of fifos.
        src_offsets: a join's offsets, in elements.
        dst_offsets: a distribute's offsets, in elements.
        rechunk: a leg's object may be a part of its segment.
        turns: whole objects of the legs take turns: a merge or a dispatch.
    """

    ins: tuple[str, ...]
    outs: tuple[str, ...]
    src_offsets: tuple[int, ...] = ()
    dst_offsets: tuple[int, ...] = ()
    rechunk: bool = False
    turns: bool = False

    @property
    def kind(self) -> str:
        """``join``, ``distribute`` or ``forward``."""
        return "join" if len(self.ins) > 1 else "distribute" if len(self.outs) > 1 else "forward"

    @property
    def legs(self) -> tuple[str, ...]:
        """The fifos on the side that has several."""
        return self.ins if self.kind == "join" else self.outs

    @property
    def offsets(self) -> tuple[int, ...]:
        """Where each leg's part starts in the object, in elements."""
        return self.src_offsets if self.kind == "join" else self.dst_offsets

    def __str__(self) -> str:
        return f"link {', '.join(self.ins)} -> {', '.join(self.outs)}"


@dataclass
class Core:
    """A core's program.

    Attributes:
        tile: where it runs.
        name: for reports.
        body: the Python function, arguments bound; None where only ``declared`` is known.
        endless: run the function again and again.
        declared: the order of acquires and releases of one run, where it is told instead of recorded.
        recorded: the same as it was found, loops and all; None as long as nobody asked.
    """

    tile: Tile
    name: str
    body: Callable[[], Any] | None
    endless: bool = True
    declared: tuple[LockAccess, ...] | None = None
    recorded: Steps | None = None


@dataclass(frozen=True)
class Host:
    """An array in the host's memory.

    Attributes:
        name: unique in the design.
        obj: its shape and type.
    """

    name: str
    obj: ObjectType


@dataclass(frozen=True)
class Transfer:
    """A fill or drain from the shim.

    Attributes:
        fifo, port: which end it feeds or empties; ``produce`` is a fill.
        host: name of the host array.
        offset: first element.
        dims: walk in elements, outermost first, at most four.
        token: report its end.
        bd: the descriptor asked for, None for any.
        where: the place in the user's file, for messages; empty where it is not known.
        waited: the host waits for a token before it, and after the transfer before it.
    """

    fifo: str
    port: FifoEnd
    host: str
    offset: int
    dims: Dims
    token: bool = False
    bd: int | None = None
    where: str = field(default="", compare=False)
    waited: bool = field(default=False, compare=False)


@dataclass(frozen=True)
class FixedPlan:
    """The plan of a design that was read in lowered form.

    Attributes:
        plan: what was read.
        remarks: what was left out without harm.
        unsupported: what keeps it from being decided and run.
        waiting: cores whose programs nothing stands for.
    """

    plan: Plan
    remarks: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass
class FifoDesign:
    """Everything that was written.

    Attributes:
        device: what it is for.
        fifos, links: in the order of declaration.
        cores: programs.
        hosts: the arrays that the host hands over, in order.
        transfers: in the order of the host's sequence.
        fixed: the plan of a design that was read in lowered form; None for one that is to be lowered.
        unplanned: parts that no plan has, which only an execution of the whole does.
        places: in the user's file, by fifo and by link as text; the file itself by the empty name. Empty if not known.
    """

    device: Device
    fifos: list[Fifo] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    cores: list[Core] = field(default_factory=list)
    hosts: list[Host] = field(default_factory=list)
    transfers: list[Transfer] = field(default_factory=list)
    fixed: FixedPlan | None = None
    unplanned: tuple[str, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)

    def place_of(self, text: str) -> str:
        """The place of what a message begins with; the file where it is neither a fifo nor a link, or has its place."""
        found = [name for name in self.places if name and text.startswith((f"{name}:", f"{name} "))]
        whole = self.places.get("", "")
        return self.places[max(found, key=len)] if found else "" if whole and text.startswith(f"{whole}:") else whole

    def fifo(self, name: str) -> Fifo:
        """The fifo of this name; KeyError if there is none."""
        for fifo in self.fifos:
            if fifo.name == name:
                return fifo
        raise KeyError(f"no fifo {name}")
