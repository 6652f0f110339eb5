# SPDX-License-Identifier: Apache-2.0
"""Model of the DMA engine under the timing profile ``npu1``. Contract: npu1.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol, cast

import numpy as np

from goldbeat.pymodels.objfifo.engine import npu1
from goldbeat.pymodels.objfifo.engine.engine import (
    AWAITED,
    EVENT_FINAL,
    EVENT_LATENCY,
    NEVER,
    OUTSIDE,
    BdSlot,
    Engine,
    EngineChannel,
    Words,
    awaits_header,
    descriptor_addresses,
    taken_of_lock,
)
from goldbeat.pymodels.objfifo.engine.registers import Code, Descriptor, EngineRegisters

_FREE = -1


class FifoReceiver(Protocol):
    """What stands at the stream end of a channel to memory."""

    def hand(self, edge: int, words: int, bubble: int) -> None:
        """A descriptor of so many words comes in hand; so many cycles are in front of its first one."""

    def ready(self) -> int:
        """The first edge at which a word can leave the FIFO, :data:`NEVER` if that is not known."""

    def take(self, edge: int) -> int:
        """A word leaves the FIFO; its number."""


class StagedSender(Protocol):
    """What stands at the stream end of a channel from memory."""

    def room(self, count: int) -> int:
        """The first edge at which so many words can be fetched, :data:`NEVER` if that is not known."""

    def fetched(self, edge: int, rows: list[int], end: BdSlot | None) -> None:
        """Words are fetched at this edge; ``end``: the last one ends this descriptor."""


class GroupedWords(list[int]):
    """The words of a descriptor as the engine has them, with the words from each to the end of its group.

    Attributes:
        runs: by word.
    """

    def __init__(self, words: list[int], runs: list[int]) -> None:
        super().__init__(words)
        self.runs = runs


def group_runs(descriptor: Descriptor, words: list[int], line: int, to_memory: bool) -> list[int]:
    """For each word, how many follow to the end of its group, itself included (npu1.md, Memory).

    Args:
        descriptor: whose words they are.
        words: addresses; negative ones are padding. No header.
        line: words of an access.
        to_memory: without padding.
    """
    runs = [1] * len(words)
    if line == 1 or descriptor.steps[0] != 1:
        return runs
    row = 0
    if descriptor.wraps[0]:
        row = descriptor.wraps[0] + (0 if to_memory else descriptor.pad_before[0] + descriptor.pad_after[0])
    address = np.asarray(words, dtype=np.int64)
    inside = address >= 0
    number = np.arange(len(words))
    joined = inside[:-1] & inside[1:] & (address[1:] == address[:-1] + 1) & (address[1:] % line != 0)
    if row:
        joined &= number[1:] % row != 0
    for n in range(len(words) - 2, -1, -1):
        if joined[n]:
            runs[n] = runs[n + 1] + 1
    return runs


@dataclass
class DescriptorEdges:
    """When the descriptors of a channel went through its slots, in the order in which they ran.

    Attributes:
        descriptors: which ones.
        words: of each, headers included.
        fetched, entered, started, finished: into FETCH, NEXT and CUR, and out of CUR.
        granted: its lock; -1 without one.
        ready: the first edge at which CUR could take it.
        released: when its lock has the new value; -1 without one.
    """

    descriptors: list[Descriptor] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    fetched: list[int] = field(default_factory=list)
    entered: list[int] = field(default_factory=list)
    granted: list[int] = field(default_factory=list)
    ready: list[int] = field(default_factory=list)
    started: list[int] = field(default_factory=list)
    finished: list[int] = field(default_factory=list)
    released: list[int] = field(default_factory=list)


class Npu1Engine(Engine):
    """One engine with the timing of ``npu1``.

    Attributes:
        tile: numbers of its kind of tile.
        edges: of the descriptors, by channel.
    """

    def __init__(self, registers: EngineRegisters, words: Words) -> None:
        super().__init__(registers, words)
        self.tile = npu1.CORE_TILE if registers.core else npu1.MEMORY_TILE
        count = self.shape.channels
        self.edges = [DescriptorEdges() for _ in range(count)]
        self._gathered: list[list[int]] = [[] for _ in range(count)]
        self._entered = [0] * count  # the edge at which NEXT was filled
        self._ready = [0] * count  # the first at which it may be handed over
        self._late: list[tuple[int, int, int]] = []  # edge, lock, value
        self._sent: list[tuple[int, int, BdSlot]] = []  # edge, channel

    # -- edges

    def step(self, edge: int) -> None:
        """All that happens at one edge."""
        channels = self.channels
        while self._sent and self._sent[0][0] <= edge:
            _, c, slot = heappop(self._sent)
            self._ended(edge, channels[c], slot)
        finished = self._work(edge)
        granted = self._acquire() if self._check else []
        taken = [taken_of_lock(channels[c]) for c in granted]
        for c in granted:
            self._grant(edge, channels[c])
        for c in finished:
            slot, channels[c].cur = self._current(c), None
            self.edges[c].finished.append(edge)
            if channels[c].to_memory or not self.shape.finish:
                self._ended(edge, channels[c], slot)
        moving = {c for c in self._moving.union(granted, finished) if self._advance(edge, channels[c])}
        check = bool(granted) or any(channels[c].waits for c in moving)
        added = []
        while self._late and self._late[0][0] <= edge:
            added.append(heappop(self._late)[1:])
        if granted or added:
            check = self._change_locks(edge, taken, added) or check
        moving |= self._take_names()
        if self._errors:
            moving -= self._fail()
        self._moving, self._check = moving, check

    def next_edge(self, edge: int) -> int:
        """The first edge after this one at which anything can change, as far as the ends know."""
        late = min(self._late[0][0] if self._late else NEVER, self._sent[0][0] if self._sent else NEVER)
        return min(super().next_edge(edge), late)

    def wake(self, channel: int, edge: int) -> None:
        """The end of a channel knows more than it did."""
        c = self.channels[channel]
        if self._due[channel] >= NEVER and (c.cur is not None or c.head) and not c.stopped:
            self._due[channel] = self._next_due(channel, edge)

    def sent(self, channel: int, slot: BdSlot, edge: int) -> None:
        """The last word of a descriptor transfers at this edge."""
        if self.shape.finish and edge < NEVER:
            heappush(self._sent, (edge, channel, slot))

    # -- rules

    def _words_of(self, number: int, descriptor: Descriptor, iteration: int, to_memory: bool) -> list[int]:
        key = number, iteration, to_memory
        if key not in self._words:
            words = super()._words_of(number, descriptor, iteration, to_memory)
            headers = len(words) - descriptor.length
            # Words outside make groups as others do: the first one would have been fetched with its group.
            addresses = descriptor_addresses(descriptor, iteration, not to_memory).tolist()
            runs = group_runs(descriptor, addresses, self.shape.line_words, to_memory)
            self._words[key] = GroupedWords(words, [1] * headers + runs)
        return self._words[key]

    def _run(self, c: int) -> int:
        return cast(GroupedWords, self._running[c]).runs[self._at[c]]

    def _next_due(self, c: int, edge: int) -> int:
        """When the next word or group of CUR can go, after this edge."""
        if self.channels[c].to_memory:
            return max(edge + 1, self._receiver(c).ready())
        return max(edge + 1, self._stager(c).room(self._run(c)))

    def _work(self, edge: int) -> list[int]:
        """Words leave the input FIFOs, groups are written or fetched; the channels that finish."""
        claims: dict[int, int] = {}
        moved: list[tuple[int, int]] = []  # channel, words
        for c, first in enumerate(self._due):
            if first > edge:
                continue
            address = self._running[c][self._at[c]]
            if address == OUTSIDE:
                self._errors.append((c, Code.BAD_ADDRESS, self._current(c).number))
            elif address == AWAITED:
                self._name(c, self._receiver(c).take(edge))
            elif address < 0:
                self._fetch_words(edge, c, [self._made_row(c, address)])
                moved.append((c, 1))
            elif self.channels[c].to_memory and self._run(c) > 1:
                self._gathered[c].append(self._receiver(c).take(edge))
                moved.append((c, 1))
            else:
                bank = address // self.shape.line_words & self._bank_mask
                claims[bank] = self._first(bank, c, claims[bank]) if bank in claims else c
        for bank, c in claims.items():
            self._turn[bank] = c + 1
            moved.append((c, self._access(edge, c)))
        finished = []
        for c, count in moved:
            self._at[c] += count
            over = self._at[c] == len(self._running[c])
            self._due[c] = NEVER if over else self._next_due(c, edge)
            if over:
                finished.append(c)
        return finished

    def _access(self, edge: int, c: int) -> int:
        """A group is written or fetched; the words by which CUR moves on."""
        at = self._at[c]
        address = self._running[c][at]
        if not self.channels[c].to_memory:
            count = self._run(c)
            self._fetch_words(edge, c, self.memory[address : address + count])
            return count
        rows = [*self._gathered[c], self._receiver(c).take(edge)]
        self._gathered[c].clear()
        self.memory[address - len(rows) + 1 : address + 1] = rows
        return 1

    def _fetch_words(self, edge: int, c: int, rows: list[int]) -> None:
        over = self._at[c] + len(rows) == len(self._running[c])
        self._stager(c).fetched(edge, rows, self._current(c) if over else None)

    def _receiver(self, c: int) -> FifoReceiver:
        return cast(FifoReceiver, self.ends[c])

    def _stager(self, c: int) -> StagedSender:
        return cast(StagedSender, self.ends[c])

    def _ended(self, edge: int, channel: EngineChannel, slot: BdSlot) -> None:
        """The finish of a descriptor: event, token, release."""
        c = channel.number
        self.log.events[c].append((edge + EVENT_LATENCY, slot.number | slot.final << EVENT_FINAL))
        if slot.final and slot.token:
            self.registers.count_token(c)
        given = -1 if slot.descriptor.release is None else edge + self._release_latency(channel)
        self.edges[c].released.append(given)
        if slot.descriptor.release is not None:
            heappush(self._late, (given, *slot.descriptor.release))

    def _bubble(self, channel: int) -> int:
        return 0 if self.channels[channel].of_core else npu1.IN_BUBBLE

    def _release_latency(self, channel: EngineChannel) -> int:
        if channel.of_core:
            return npu1.CORE_RELEASE
        return self.tile.s2mm_release if channel.to_memory else npu1.MM2S_RELEASE

    def _grant(self, edge: int, channel: EngineChannel) -> None:
        c = channel.number
        channel.waits = False
        self.edges[c].granted[-1] = edge
        if channel.of_core:
            waited = edge > self._entered[c] + 1
            self._ready[c] = edge + npu1.CORE_STALL + (npu1.CORE_WAKE if waited else 0)
        else:
            self._ready[c] = edge + (npu1.S2MM_GRANT_TO_RUN if channel.to_memory else self.tile.grant_to_run)

    def _await(self, edge: int, c: EngineChannel) -> None:
        """The next word is a header, in hand like a descriptor of one word."""
        c.head = True
        self._at[c.number], self._running[c.number] = 0, GroupedWords([AWAITED], [1])
        self._receiver(c.number).hand(edge, 1, self._bubble(c.number))
        self._due[c.number] = self._next_due(c.number, edge)

    def _advance(self, edge: int, c: EngineChannel) -> bool:
        """Hand over, queue for the lock, fetch, pop; whether to look again at the next edge."""
        n = c.number
        queue = self.registers.queues[n]
        pops = bool(queue) and c.task is None and c.seq == _FREE
        moved = pops or awaits_header(c)
        if moved and not pops:
            self._await(edge, c)
        if c.next is not None and not c.waits and c.cur is None:
            moved = True
            if edge >= self._ready[n]:
                c.cur, c.next = c.next, None
                self._at[n], self._running[n] = 0, c.cur.words
                self._gathered[n].clear()
                self._due[n] = self._next_due(n, edge)
                self.edges[n].started.append(edge)
                self.edges[n].ready.append(self._ready[n])
        if c.fetch is not None and c.next is None:
            c.next, c.fetch, moved = c.fetch, None, True
            c.waits = c.next.descriptor.acquire is not None
            self._entered[n], self._ready[n] = edge, edge + 1
            self.edges[n].entered.append(edge)
            self.edges[n].granted.append(-1)
        if c.seq != _FREE and c.fetch is None:
            moved = self._fetch(c) or moved
            if c.fetch is not None:
                self.edges[n].fetched.append(edge)
                self.edges[n].descriptors.append(c.fetch.descriptor)
                self.edges[n].words.append(len(c.fetch.words))
            if c.fetch is not None and c.to_memory:
                self._receiver(n).hand(edge, c.fetch.descriptor.length, self._bubble(n))
        if pops:
            start, c.left, token = queue.popleft()
            c.task, c.seq = (start, token), _FREE if c.by_header else start
        return moved
