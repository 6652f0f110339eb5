# SPDX-License-Identifier: Apache-2.0
"""Packets between engines: sources, arbiters and targets, edge by edge. Contract: objfifo-array.md, Packets.

Who gets an arbiter depends on what every source has at that edge, so packets cannot be settled ahead as circuits are. The
switch is stepped with the engines, in order of time. What it asks of its sources and targets is known by then: a word that
is there, or a place that is free, at an edge was so because of something at an edge before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from goldbeat.pymodels.objfifo.engine.engine import NEVER
from goldbeat.pymodels.objfifo.engine.hop import HopSource, HopTarget
from goldbeat.pymodels.objfifo.engine.switch_registers import ARBITERS, SwitchSlot, SwitchTaker

ARBITRATION = 1
"""Edges from a grant to the earliest move of a header (objfifo-array.md, Packets)."""


@dataclass
class PacketSender:
    """A source of packets.

    Attributes:
        words: where they come from.
        slots: those that are enabled, in their order.
        granted: the slot of the packet that moves, None while the source is idle or dropping.
        dropping: the packet at hand is lost.
        header: the next word of the packet is its header.
        ready: the first edge at which it may move.
        edges: at which its words have gone or were lost, in order.
    """

    words: HopSource
    slots: Sequence[SwitchSlot]
    granted: SwitchSlot | None = None
    dropping: bool = False
    header: bool = False
    ready: int = 0
    edges: list[int] = field(default_factory=list)

    def there(self) -> int:
        """The edge from which its next word counts, NEVER if that is not known."""
        return max(self.words.there(), self.ready)


class PacketSwitch:
    """All sources and targets of packets.

    Args:
        sources: by number, where words come from and the enabled slots.
        targets: how each takes packets, and where they go to.
        value: the lowest 32 bits of a word, by its number.

    Attributes:
        senders: by number.
        arrivals: for each target, the sender of each of its words, and which of the sender's it was.
    """

    def __init__(
        self,
        sources: Mapping[int, tuple[HopSource, Sequence[SwitchSlot]]],
        targets: Sequence[tuple[SwitchTaker, HopTarget]],
        value: Callable[[int], int],
    ) -> None:
        self.senders = {number: PacketSender(*found) for number, found in sorted(sources.items())}
        self.targets = targets
        self.arrivals: dict[HopTarget, list[tuple[PacketSender, int]]] = {target: [] for _, target in targets}
        self._value = value
        self._owners: dict[int, int] = {}  # source by arbiter
        self._first = [0] * ARBITERS  # the source that an arbiter looks at first

    def step(self, edge: int) -> None:
        """All that happens at one edge; every rule sees the states before it."""
        senders = {n: s for n, s in self.senders.items() if s.there() <= edge}
        idle = {n: self._slot(s) for n, s in senders.items() if s.granted is None and not s.dropping}
        requests: dict[int, list[int]] = {}
        for number, slot in idle.items():
            if slot is not None and slot.arbiter not in self._owners:
                requests.setdefault(slot.arbiter, []).append(number)
        for number, sender in senders.items():
            if number not in idle:
                self._move(edge, sender)
        for number, slot in idle.items():
            senders[number].dropping = slot is None
        for arbiter, numbers in requests.items():
            behind = [n for n in numbers if n >= self._first[arbiter]]
            chosen = min(behind or numbers)
            self._grant(edge, arbiter, chosen, idle[chosen])

    def next_edge(self, edge: int) -> int:
        """The first edge after this one at which anything can change, as far as sources and targets are known."""
        return max(edge + 1, min((self._due(s) for s in self.senders.values()), default=NEVER))

    def _due(self, sender: PacketSender) -> int:
        there = sender.there()
        if there >= NEVER or sender.dropping:
            return there
        if sender.granted is not None:
            return max([there, *(t.room() for t in self._receivers(sender))])
        slot = self._slot(sender)
        return NEVER if slot is not None and slot.arbiter in self._owners else there

    def _slot(self, sender: PacketSender) -> SwitchSlot | None:
        """The slot that the packet at hand takes."""
        header = self._value(sender.words.peek()[0])
        return next((slot for slot in sender.slots if slot.matches(header)), None)

    def _receivers(self, sender: PacketSender) -> list[HopTarget]:
        """Where the next word of a granted source goes to."""
        slot = sender.granted
        assert slot is not None
        return [
            target
            for taker, target in self.targets
            if taker.arbiter == slot.arbiter
            and taker.msels >> slot.msel & 1
            and not (taker.drop_header and sender.header)
        ]

    def _move(self, edge: int, sender: PacketSender) -> None:
        """The next word of a packet goes to its targets, if they have room, or is lost."""
        receivers = [] if sender.dropping else self._receivers(sender)
        if any(target.room() > edge for target in receivers):
            return
        word = sender.words.take(edge)
        for target in receivers:
            self.arrivals[target].append((sender, len(sender.edges)))
            target.put(edge, word)
        sender.edges.append(edge)
        sender.header = False
        if word[1]:
            if sender.granted is not None:
                del self._owners[sender.granted.arbiter]
            sender.granted, sender.dropping = None, False

    def _grant(self, edge: int, arbiter: int, number: int, slot: SwitchSlot | None) -> None:
        self._owners[arbiter] = number
        self._first[arbiter] = number + 1
        sender = self.senders[number]
        sender.granted, sender.header, sender.ready = slot, True, edge + ARBITRATION
