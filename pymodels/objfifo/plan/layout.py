# SPDX-License-Identifier: Apache-2.0
"""What follows from a design before anything is allocated: shared memory, links' pools and segments, depths, lengths.

Source: mlir-aie's lowering of object FIFOs, as far as its results can be observed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.pymodels.objfifo.plan.access import ProgramError, Steps, each, record_core
from goldbeat.pymodels.objfifo.plan.design import Core, Fifo, FifoDesign, Link
from goldbeat.pymodels.objfifo.plan.plan import FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind


@dataclass(frozen=True)
class LinkPart:
    """One segment of a link's objects.

    Attributes:
        leg: the fifo it belongs to.
        offset, length: in words.
    """

    leg: str
    offset: int
    length: int


@dataclass(frozen=True)
class Joint:
    """A link that was understood.

    Attributes:
        link: as written.
        tile: where it is.
        owner: the fifo that the pool belongs to.
        end: which end of it: 0 the producer, then the consumers.
        parts: of the objects; one for a plain forward.
    """

    link: Link
    tile: Tile
    owner: str
    end: int
    parts: tuple[LinkPart, ...]


EndKey = tuple[str, int]
"""A fifo's name, and 0 for its producer or 1 and more for its consumers."""


class DesignLayout:
    """Answers about one design.

    Args:
        design: names and links must be sound.
        depths: depths that replace those of the design, by end.
    """

    def __init__(self, design: FifoDesign, depths: Mapping[EndKey, int] | None = None) -> None:
        self.design = design
        self.depths = dict(depths or {})
        self.fifos: dict[str, Fifo] = {f.name: f for f in design.fifos}

    @cached_property
    def joints(self) -> dict[EndKey, Joint]:
        """The link at each linked end."""
        found: dict[EndKey, Joint] = {}
        for link in self.design.links:
            tile = shared_tile(link, self.fifos)
            if tile is None:
                continue
            joint = self._joint(link, tile)
            for name in link.ins:
                found[name, 1 + self.fifos[name].consumers.index(tile)] = joint
            for name in link.outs:
                found[name, 0] = joint
        return found

    def _joint(self, link: Link, tile: Tile) -> Joint:
        owner = pool_owner(link, tile, self.fifos)
        end = 0 if owner.name in link.outs else 1 + owner.consumers.index(tile)
        if link.kind == "forward":
            return Joint(link, tile, owner.name, end, (LinkPart(link.outs[0], 0, owner.obj.words),))
        if link.turns:
            # As many objects as legs are one object of the pool: each leg has its own.
            words = owner.obj.words
            turns = tuple(LinkPart(leg, n * words, words) for n, leg in enumerate(link.legs))
            return Joint(link, tile, owner.name, end, turns)
        starts = [_words(o, owner) for o in link.offsets]
        ends = [*starts[1:], owner.obj.words]
        parts = tuple(LinkPart(leg, a, b - a) for leg, a, b in zip(link.legs, starts, ends, strict=True))
        return Joint(link, tile, owner.name, end, parts)

    def shared(self, fifo: Fifo) -> Tile | None:
        """The tile whose memory both ends use, None if a DMA moves the data."""
        if len(fifo.consumers) != 1 or fifo.to_stream or any(fifo.from_stream) or fifo.repeat_count > 1 or fifo.via_dma:
            return None
        if fifo.stream is not None or any((fifo.name, end) in self.joints for end in (0, 1)):
            return None
        producer, consumer = fifo.producer, fifo.consumers[0]
        if consumer.reaches(producer):
            return producer
        return consumer if producer.reaches(consumer) else None

    @cached_property
    def programs(self) -> dict[str, Steps]:
        """What each core acquires and releases, by the core's name and number."""
        return {core_key(i): self._record(core) for i, core in enumerate(self.design.cores)}

    def _record(self, core: Core) -> Steps:
        if core.recorded is None:
            if core.declared is not None:
                core.recorded = core.declared
            elif core.body is None:
                core.recorded = ()
            else:
                try:
                    core.recorded = record_core(core.body, {f.name: f.obj.zeros() for f in self.design.fifos})
                except GoldbeatError:
                    raise
                except Exception as error:
                    expected = "a function that can be run with objects of zeros (or declare its accesses)"
                    raise ProgramError(core.name, error, expected) from error
        return core.recorded

    @cached_property
    def acquires(self) -> dict[EndKey, int]:
        """The largest acquire at each end that a program uses."""
        found: dict[EndKey, int] = {}
        for steps in self.programs.values():
            for access in each(steps):
                if access.acquire:
                    key = end_key(access.fifo, access.port, access.consumer)
                    found[key] = max(found.get(key, 0), access.count)
        return found

    def depth(self, fifo: Fifo, end: int) -> int:
        """How many objects the pool at an end has."""
        key = (fifo.name, end)
        if key in self.depths:
            return self.depths[key]
        written = fifo.end_depth(end)
        if not isinstance(fifo.depth, int) or (end == 0 and fifo.init_values is not None):
            return written
        tile = fifo.producer if end == 0 else fifo.consumers[end - 1]
        most = self.acquires.get(key, 0)
        if tile.kind is not TileKind.CORE or self.shared(fifo) is not None or most == 0:
            return written
        return 1 if written == 1 and most == 1 else most + 1

    def repeat(self, joint: Joint) -> int:
        """How often a link sends each object."""
        return self.fifos[joint.link.outs[0]].repeat_count

    def length(self, fifo: Fifo, end: int) -> int:
        """Words that one descriptor moves at an end, of a join's output or distribute's input the first segment's."""
        joint = self.joints.get((fifo.name, end))
        if joint is None:
            return fifo.obj.words
        if joint.link.kind == "forward":
            owner = self.fifos[joint.owner]
            # Bytes rounded up: what is not whole words is refused before it is planned.
            return -(-moved_elements(fifo, owner, joint.tile) * owner.obj.dtype.itemsize // WORD_BYTES)
        for part in joint.parts:
            if part.leg == fifo.name:
                return part.length
        return joint.parts[0].length

    def itemsize(self, fifo: Fifo, end: int) -> int:
        """Bytes of an element that dims count at an end: an element of the pool there."""
        joint = self.joints.get((fifo.name, end))
        return (fifo if joint is None else self.fifos[joint.owner]).obj.dtype.itemsize

    def parts(self, fifo: Fifo, end: int) -> tuple[tuple[int, LinkPart], ...]:
        """The segments that an end's descriptors move, with their numbers."""
        joint = self.joints.get((fifo.name, end))
        if joint is None:
            return ((0, LinkPart(fifo.name, 0, fifo.obj.words)),)
        if joint.link.kind == "forward":
            return ((0, joint.parts[0]),)
        mine = tuple((i, p) for i, p in enumerate(joint.parts) if p.leg == fifo.name)
        return mine or tuple(enumerate(joint.parts))


def _words(elements: int, fifo: Fifo) -> int:
    return elements * fifo.obj.dtype.itemsize // WORD_BYTES


def core_key(number: int) -> str:
    """The name of a core in :attr:`DesignLayout.programs`."""
    return f"core {number}"


def end_key(fifo: str, port: FifoEnd, consumer: int) -> EndKey:
    """An end by its port."""
    return fifo, 0 if port is FifoEnd.PRODUCE else 1 + consumer


def pool_owner(link: Link, tile: Tile, fifos: Mapping[str, Fifo]) -> Fifo:
    """The fifo that a link's pool belongs to, and whose elements its buffers have."""
    first, last = fifos[link.ins[0]], fifos[link.outs[0]]
    if link.kind == "join":
        return last
    if link.kind == "distribute":
        return first
    if last.init_values is not None:
        return last
    if last.padding and tile.kind is TileKind.MEM:
        return first
    return last if last.obj.elements > first.obj.elements else first


def moved_elements(fifo: Fifo, owner: Fifo, tile: Tile) -> int:
    """Elements of the pool that one descriptor of a 1:1 link's side moves.

    A memory tile moves whole objects of the pool, unless the side's own objects are larger. A core's DMA moves as many
    elements as the side's own object has.
    """
    own = fifo.obj.elements
    return own if tile.kind is TileKind.CORE else max(owner.obj.elements, own)


def shared_tile(link: Link, fifos: Mapping[str, Fifo]) -> Tile | None:
    """The tile that consumes every input and produces every output; None if there is none."""
    tile = fifos[link.outs[0]].producer
    if any(fifos[name].producer != tile for name in link.outs):
        return None
    return tile if all(tile in fifos[name].consumers for name in link.ins) else None
