# SPDX-License-Identifier: Apache-2.0
"""Streams between the ports of an array: circuits, packets, broadcasts, merges.

A packet is what one descriptor sends. A receiver of several sources takes whole packets, one after the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.compression import ZeroExpander
from goldbeat.pymodels.objfifo.live.dma import LiveChannel, LiveWords
from goldbeat.pymodels.objfifo.live.placed_packets import PlacedPackets, StreamPiece
from goldbeat.pymodels.objfifo.plan.plan import Direction, PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

STORAGE = 16
"""Words that a port holds beside the descriptor at hand."""
PACKET_STORAGE = 8
"""The same of packets, as measured on npu2: eight words pass, nine hang."""
_SLOW_WORDS, _SLOW_PIECES = 8, 8
"""A channel that is held sends at least so many words at once, and a descriptor in at most so many pieces."""


@dataclass(frozen=True, order=True)
class TilePort:
    """A port of a tile: ``DMA``, ``Core``, ``TileControl``, ``South`` and the like, with its number."""

    tile: Tile
    bundle: str
    index: int

    def __str__(self) -> str:
        return f"{self.bundle} {self.index} of {self.tile}"


class PacketReceiver(Protocol):
    """What takes words that are in no memory."""

    def push(self, words: LiveWords) -> None:
        """Words arrive."""


class StreamWatch(Protocol):
    """Told of words on streams; an event is a number, -1 for none."""

    def words_sent(self, source: LiveSource, count: int) -> int:
        """Words leave; the event after which they do."""

    def control_words(self, cause: int) -> None:
        """Words of control packets arrive."""


class LiveSink:
    """What arrives at a port.

    Attributes:
        port: which one.
        channel: the S2MM channel behind it; None for a core's port or one that nobody reads.
        lost: words go nowhere.
    """

    def __init__(self, port: TilePort, channel: LiveChannel | None = None, *, lost: bool = False) -> None:
        self.port, self.channel, self.lost = port, channel, lost
        self.control: PacketReceiver | None = None
        """What executes the words of a control port."""
        self.owner: LiveSource | None = None
        self.storage = STORAGE
        self.stored = 0
        self.causes: list[int] = []
        """Events after which the words came that were pulled last."""
        self._words: deque[StreamPiece] = deque()
        self._placed: PlacedPackets | None = None

    def room(self) -> int:
        """Words that it takes now."""
        if self.lost or self.control is not None:
            return 1 << 30
        want = self.channel.left if self.channel is not None else 0
        if self.channel is not None and want and self.channel.expander is not None:
            want = self.channel.expander.wants
        return max(0, self.storage + want - self.stored)

    def begin(self, word: int, slot: int | None) -> None:
        """A packet's header arrives, with the descriptor that it names."""
        if self.control is not None or self.lost:
            self.push(np.array([word], np.uint32))
            return
        self._words.append(StreamPiece(np.array([word], np.uint32), True, slot))
        self.stored += 1

    def push(self, words: LiveWords, *, last: bool = False, cause: int = -1) -> None:
        """Words arrive after an event; ``last``: a packet ends with them."""
        if self.control is not None:
            self.control.push(words)
        elif not self.lost:
            self._words.append(StreamPiece(words, last=last, cause=cause))
            self.stored += len(words)

    def pull(self, count: int) -> LiveWords:
        """The oldest words.

        Raises:
            UsageError: a header that names a descriptor would be data.
        """
        found = []
        self.causes = []
        while count:
            first = self._words[0]
            self.causes.append(first.cause)
            if first.slot:
                what = f"a header with out-of-order id {first.slot} is kept as data"
                raise UsageError(f"{self.port}: {what}, expected a channel that is out of order")
            words, first.words = first.words[:count], first.words[count:]
            if not len(first.words):
                self._words.popleft()
            found.append(words)
            count -= len(words)
            self.stored -= len(words)
        return np.concatenate(found)

    @property
    def stuck(self) -> bool:
        """Its channel takes nothing, as far as that is known without a try."""
        channel = self.channel
        return channel is None or (not channel.left and channel.ordered and channel.stuck)

    def step(self) -> bool:
        """Give the channel what it takes."""
        channel = self.channel
        if channel is None or not self.stored:
            return False
        if not channel.ordered:
            if self._placed is None:
                self._placed = PlacedPackets(channel)
            used = self._placed.step(self._words)
            self.stored -= used
            return used > 0
        if not channel.left and not channel.advance():
            return False
        if channel.expander is not None:
            return self._expand(channel, channel.expander)
        # Each piece that comes to a host array counts by itself.
        most = len(self._words[0].words) if channel.tile.kind is TileKind.SHIM else self.stored
        words = self.pull(min(most, channel.left))
        channel.causes = self.causes
        channel.put(words)
        return True

    def _expand(self, channel: LiveChannel, expander: ZeroExpander) -> bool:
        """Give it compressed groups, as far as they have come and the descriptor at hand takes them."""
        while self._words and channel.expander is expander and channel.left:
            first = self._words[0]
            count = min(expander.wants, len(first.words))
            ends = first.last and count == len(first.words)
            words = expander.take(self.pull(count), ends)
            channel.causes = self.causes
            if words is not None:
                channel.put(words)
        return True


class LiveSource:
    """What leaves by a port: an MM2S channel, or words that a core puts there."""

    def __init__(self, port: TilePort, channel: LiveChannel | None = None) -> None:
        self.port, self.channel = port, channel
        self.words: deque[int] = deque()
        self.packets: deque[tuple[PacketHeader, list[int]]] = deque()
        """Whole packets of a control port that wait."""
        self.midway = False
        self.found: PacketHeader | None = None
        """A header that was the first word of the data."""
        self._header: PacketHeader | None = None

    @property
    def left(self) -> int:
        """Words of the packet at hand."""
        if self.channel is not None:
            return self.channel.left
        if not self.words and self.packets:
            self._header, words = self.packets.popleft()
            self.words.extend(words)
        return len(self.words)

    @property
    def header(self) -> PacketHeader | None:
        """Of the packet at hand."""
        if self.channel is None:
            return self._header
        return self.found if self.channel.bd is None else self.channel.bd.bd.packet or self.found

    @property
    def slot(self) -> int | None:
        """The descriptor that the header of the packet at hand names; None where the header was data."""
        if self.channel is None or self.channel.bd is None or self.channel.bd.bd.packet is None:
            return None
        return self.channel.bd.slot

    def take(self, count: int) -> LiveWords:
        """The next words."""
        if self.channel is not None:
            return self.channel.take(count)
        return np.array([self.words.popleft() for _ in range(count)], np.uint32)


@dataclass
class LiveRoute:
    """Where packets of an id (mask 31: that very id) or all words go; ``keep``: with their header.

    ``arbiters`` of switches serve one packet until its last word.
    """

    id: int | None
    mask: int
    sinks: list[LiveSink] = field(default_factory=list)
    keep: bool = False
    arbiters: Sequence[tuple[Tile, int]] = ()

    def fits(self, header: PacketHeader | None) -> bool:
        """True if words with this header go here."""
        if self.id is None:
            return True
        return header is not None and header.id & self.mask == self.id & self.mask


class LiveStreams:
    """All streams of an array."""

    def __init__(self) -> None:
        self.sources: dict[TilePort, LiveSource] = {}
        self.sinks: dict[TilePort, LiveSink] = {}
        self.routes: dict[TilePort, list[LiveRoute]] = {}
        self.watch: StreamWatch | None = None
        self._granted: dict[tuple[Tile, int], LiveSource] = {}
        self._ways: list[tuple[LiveSource, LiveChannel | None, list[LiveRoute]]] = []
        self._ports: dict[LiveChannel, TilePort] = {}
        self.pieces: Mapping[str, int] = {}
        """The most words that a channel sends at once, by its name."""

    @property
    def host_steers(self) -> bool:
        """Whether a stream leads from a shim to registers of tiles, as control packets."""
        found = (route for port, routes in self.routes.items() if port.tile.kind is TileKind.SHIM for route in routes)
        return any(sink.port.bundle == "TileControl" for route in found for sink in route.sinks)

    @property
    def packets_meet(self) -> bool:
        """Packets of several sources go to one port, or through one arbiter: the first to come is served first."""
        return any(len(ports) > 1 for ports in self._users().values())

    def meeting(self, channel: str) -> list[str]:
        """The sources whose packets meet where those of a channel come or go; empty if no others do."""
        found: dict[str, None] = {}
        for place, ports in self._users().items():
            here = isinstance(place, LiveSink) and place.channel is not None and place.channel.name == channel
            ends = {one.channel.name for port in ports if (one := self.sources[port]).channel is not None}
            if len(ports) > 1 and (here or channel in ends):
                found |= dict.fromkeys(map(str, sorted(ports)))
        return list(found)

    def _users(self) -> dict[Hashable, set[TilePort]]:
        """The sources of each port at which streams end, and of each arbiter."""
        users: dict[Hashable, set[TilePort]] = {}
        for port, routes in self.routes.items():
            for route in routes:
                for place in (*route.arbiters, *(sink for sink in route.sinks if not sink.lost)):
                    users.setdefault(place, set()).add(port)
        return users

    def from_host(self, tile: Tile) -> bool:
        """All words that come to the memory of a tile are the host's, by memory tiles or directly."""
        return self._only_host(tile, frozenset())

    def _only_host(self, tile: Tile, seen: frozenset[Tile]) -> bool:
        sources = {p.tile for p, ways in self.routes.items() for way in ways for s in way.sinks if s.port.tile == tile}
        inside = {one for one in sources if one.kind is not TileKind.SHIM}
        if any(one.kind is not TileKind.MEM or one in seen for one in inside):
            return False
        return all(self._only_host(one, seen | {tile}) for one in inside)

    def connect(
        self,
        source: LiveSource,
        sinks: list[LiveSink],
        number: int | None = None,
        *,
        mask: int = 31,
        keep: bool = False,
        arbiters: Sequence[tuple[Tile, int]] = (),
    ) -> None:
        """A circuit, or a way for packets of an id."""
        self.sources.setdefault(source.port, source)
        for sink in sinks:
            self.sinks.setdefault(sink.port, sink)
        routes = self.routes.setdefault(source.port, [])
        for route in routes:
            if (route.id, route.mask, route.keep) == (number, mask, keep):
                route.sinks += [s for s in sinks if s not in route.sinks]
                return
        routes.append(LiveRoute(number, mask, list(sinks), keep, arbiters))

    @property
    def has_packets(self) -> bool:
        """Some ways are for packets of an id."""
        return any(way.id is not None for ways in self.routes.values() for way in ways)

    def limit_packets(self) -> None:
        """Let ports hold as few words of packets as on npu2."""
        for way in (way for ways in self.routes.values() for way in ways if way.id is not None):
            for sink in way.sinks:
                sink.storage = PACKET_STORAGE

    def lost_packets(self) -> list[str]:
        """Packets at the head of a source that no way takes."""
        found = []
        for port, source in self.sources.items():
            header = source.header
            if header is not None and source.left and not any(r.fits(header) for r in self.routes[port]):
                found.append(f"{port} sends a packet of id {header.id}, for which there is no way")
        return found

    def at_arbiters(self) -> list[str]:
        """Packets that wait for an arbiter that another packet holds."""
        found = []
        for port, source in self.sources.items():
            route = next((r for r in self.routes[port] if r.fits(source.header)), None) if source.left else None
            for tile, number in route.arbiters if route is not None else ():
                holder = self._granted.get((tile, number), source)
                if holder is not source:
                    text = f"a packet of {port} waits for arbiter {number} of the switch of {tile}"
                    found.append(f"{text}: a packet of {holder.port} holds it until its last word")
        return found

    def step(self) -> bool:
        """Move what goes; True if anything went."""
        moved = False
        if len(self._ways) != len(self.sources):
            self._ways = [(one, one.channel, self.routes[port]) for port, one in self.sources.items()]
        for source, channel, routes in self._ways:
            if channel is None or channel.left or not channel.stuck:
                moved |= self._step_source(source, routes)
        for sink in self.sinks.values():
            while sink.stored and not sink.stuck and sink.step():
                moved = True
        return moved

    def step_channel(self, channel: LiveChannel) -> bool:
        """Move what one channel can move; True if anything went."""
        if channel not in self._ports:
            self._ports[channel] = TilePort(channel.tile, "DMA", channel.index)
        port = self._ports[channel]
        if channel.direction is Direction.MM2S:
            return port in self.sources and self._step_source(self.sources[port], self.routes[port])
        moved = False
        sink = self.sinks.get(port)
        while sink is not None and sink.stored and sink.step():
            moved = True
        return moved

    def _step_source(self, source: LiveSource, routes: list[LiveRoute]) -> bool:
        channel, moved = source.channel, False
        if channel is not None and not channel.left:
            moved = channel.advance()
        while source.left and _may_send(channel) and self._send(source, routes):
            moved = True
        return moved

    def _send(self, source: LiveSource, routes: list[LiveRoute]) -> bool:
        route = routes[0] if routes and routes[0].id is None else None
        if route is None:
            header = source.header
            route = next((r for r in routes if r.fits(header)), None)
        if route is None:
            return self._unknown(source, routes)
        for sink in route.sinks:
            if sink.owner is not None and sink.owner is not source:
                return False
            channel = sink.channel
            if channel is not None and not channel.left and channel.ordered and not channel.stuck:
                channel.advance()
        if not source.midway:
            if any(self._granted.get(one, source) is not source for one in route.arbiters):
                return False
            if not self._begin(source, route):
                return False
            self._granted.update(dict.fromkeys(route.arbiters, source))
            source.midway = True
        count = source.left
        for sink in route.sinks:
            count = min(count, sink.room())
            if count == 0:
                return False
        ends = source.channel is None or source.channel.bd is None or not source.channel.bd.bd.suppress_tlast
        if source.channel is not None:
            count = min(count, self.pieces.get(source.channel.name, count))
        if source.channel is not None and source.channel.held:
            piece = max(_SLOW_WORDS, source.channel.length // _SLOW_PIECES)
            count, source.channel.once = min(count, piece), False
        words = source.take(count)
        last = not source.words if source.channel is None else source.channel.left == 0
        cause = -1 if self.watch is None else self.watch.words_sent(source, count)
        for sink in route.sinks:
            if self.watch is not None and sink.control is not None:
                self.watch.control_words(cause)
            sink.push(words, last=last and ends, cause=cause)
            sink.owner = None if last else source
            if not sink.stuck:
                sink.step()
        source.midway = not last
        if last:
            source.found = None
            for one in route.arbiters:
                del self._granted[one]
        return True

    def _unknown(self, source: LiveSource, routes: list[LiveRoute]) -> bool:
        """No way for this header. Without one the first word of the data is it."""
        if source.header is not None or source.midway or source.channel is None or not routes:
            return False
        if source.channel.compresses:
            raise UsageError(f"{source.channel.name}: its packets' header would be its first compressed word")
        source.found = header_of(int(source.take(1)[0]))
        return True

    def _begin(self, source: LiveSource, route: LiveRoute) -> bool:
        """The packet's header, for receivers that keep it: circuits and those that ask for it."""
        if any(s.room() == 0 for s in route.sinks):
            return False
        header = source.header
        if header is not None and (route.keep or route.id is None):
            for sink in route.sinks:
                sink.begin(packet_word(source.port.tile, header), source.slot)
        return True


def _may_send(channel: LiveChannel | None) -> bool:
    """A channel that is held sends only what it is let."""
    return channel is None or not channel.held or channel.once


def packet_word(tile: Tile, header: PacketHeader) -> int:
    """A packet's header: id, type, row and column of the source, odd parity."""
    word = header.id | header.type << 12 | tile.row << 16 | tile.col << 21
    return word | (1 - bin(word).count("1") % 2) << 31


def header_of(word: int) -> PacketHeader:
    """Id and type of a header's word."""
    return PacketHeader(word & 31, word >> 12 & 7)
