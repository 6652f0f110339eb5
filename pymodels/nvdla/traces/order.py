# SPDX-License-Identifier: Apache-2.0
"""Whether what a trace test waits for orders its operations' accesses to memory, under every legal timing.

Statements of a block follow each other; blocks run side by side and are ordered by events alone. An operation starts when all of
its blocks are enabled and the one before it on its engine is done. CDMA fetches as soon as it is enabled itself, and a fused
operation writes only after the one that feeds it has started. What the host waits for is done: an interrupt, or the fewest
operations with which a poll can end. Source: docs/nvdla-hardware.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.nvdla.engines.address_space import Transfer
from goldbeat.pymodels.nvdla.engines.hardware import OperationResult
from goldbeat.pymodels.nvdla.engines.registers import csb_register
from goldbeat.pymodels.nvdla.own_input import overwritten_input, shown_ranges
from goldbeat.pymodels.nvdla.traces.schedule import INTERRUPT_BITS
from goldbeat.pymodels.nvdla.traces.statements import NvdlaTrace, TraceStatement
from goldbeat.pymodels.order.byte_walk import ByteWalk
from goldbeat.pymodels.order.conflicts import OrderConflict, OrderedAccess, find_conflicts
from goldbeat.pymodels.order.partial_order import PartialOrder

_FETCHER = "CDMA"
_STATUS = csb_register("GLB", "S_INTR_STATUS")


@dataclass(frozen=True)
class _Enable:
    """A group that a statement enables."""

    block: str
    group: int
    line: int
    event: int


@dataclass(frozen=True)
class _Moments:
    """Events of an operation: reads begin, data and weights are read, results may be written, all is read, all is done."""

    fetches: int
    data: int
    weights: int
    starts: int
    drained: int
    done: int


@dataclass(frozen=True)
class _Accessor:
    """Who accesses memory: an operation by the groups that enable it, or a check of the host.

    Attributes:
        number: in the order in which they were done.
        name: in reports.
        line: of the statement from which on it may happen.
        block: whose wait would order it behind another one; empty: that of a check.
        interrupt: that which reports its end, and how many of the same came before.
    """

    number: int
    name: str
    line: int
    block: str = ""
    interrupt: tuple[str, int] = ("", 0)


class TraceOrder:
    """Events and accesses of a test while it is played.

    Args:
        trace: the test.
    """

    def __init__(self, trace: NvdlaTrace) -> None:
        self._trace = trace
        self._order = PartialOrder()
        self._accesses: list[OrderedAccess] = []
        self._enables: dict[str, list[_Enable]] = defaultdict(list)
        self._held: dict[tuple[str, int], deque[_Enable]] = defaultdict(deque)
        self._done: dict[str, list[int]] = defaultdict(list)
        self._last: dict[str, _Moments] = {}
        self._reported: dict[int, list[int]] = defaultdict(list)
        self._notified, self._cleared = Counter[int](), Counter[int]()
        self._thread_cleared = Counter[tuple[str, int]]()
        self._senders = Counter(one.sync for one in trace.statements if one.kind in ("notify", "interrupt"))
        self._syncs: dict[str, list[int]] = defaultdict(list)
        self._numbers = 0
        self._overwriting: list[str] = []

    # -- the host

    def statement(self, one: TraceStatement, unmasked: int, busy: bool) -> None:
        """A statement about events has its turn.

        Args:
            one: the statement.
            unmasked: status bits that give an interrupt.
            busy: an operation is at work that is not done.
        """
        if one.kind == "notify":
            self._syncs[one.sync].append(self._order.event(one.thread))
        elif one.kind == "wait":
            self._order.event(one.thread, *self._sure(one.sync))
        elif one.kind == "interrupt":
            if one.source:
                bit = INTERRUPT_BITS[one.source]
                after = self._reported[bit][self._notified[bit] :][:1]
                self._notified[bit] += 1
            else:
                after = [] if busy else self._first(self._pending(unmasked))
            self._syncs[one.sync].append(self._order.event(("interrupt", one.line), *after))

    def cleared(self, thread: str, bits: int) -> None:
        """Status bits that were set have been cleared; ``thread`` is empty where the player does it."""
        for bit in _bits(bits):
            self._cleared[bit] += 1
            self._thread_cleared[thread, bit] += 1

    def enable(self, one: TraceStatement, block: str, group: int) -> None:
        """A group is enabled."""
        found = _Enable(block, group, one.line, self._order.event(one.thread))
        self._enables[block].append(found)
        self._held[block, group].append(found)

    def poll(self, one: TraceStatement, producer: int) -> None:
        """A poll has ended; ``producer`` is the group of its block that is accessed."""
        register, mask = one.register, one.mask
        assert register is not None
        if register is _STATUS:
            found = [
                self._reported[bit][self._thread_cleared[one.thread, bit] :][:1]
                for bit in _bits((one.value or 0) & mask)
            ]
            self._order.event(one.thread, *(event for events in found for event in events))
        elif register.block in self._enables and register.name in _STATES:
            seen, relevant = _STATES[register.name]
            now = self._order.event(one.thread)
            known = [e.group for e in self._enables[register.block] if self._order.before(e.event, now)]
            if register.block != "BDMA":
                known = _in_turn(known)
            wanted, done = (one.value or 0) & mask & relevant, self._done[register.block]
            count = next((n for n in range(len(known) + 1) if seen(known, n, producer) & mask & relevant == wanted), 0)
            if 0 < count <= len(done):
                self._order.edge(done[count - 1], now)

    def check(self, one: TraceStatement) -> None:
        """A check has seen bytes that operations have written."""
        event = self._order.event(("check", one.line), *self._sure(one.sync))
        self._numbers += 1
        who = _Accessor(self._numbers, f"the check in line {one.line}", one.line)
        self._accesses.append(OrderedAccess(who, ByteWalk(0, one.base, one.size), write=False, begin=event))

    def _sure(self, sync: str) -> list[int]:
        """The statement that has notified an event first under every timing, if there is one."""
        found = self._syncs[sync]
        return self._first(found) if len(found) == self._senders[sync] or self._senders[sync] == 1 else found[:0]

    def _first(self, events: Sequence[int]) -> list[int]:
        return [one for one in events if all(self._order.before(one, other) for other in events)][:1]

    def _pending(self, unmasked: int) -> list[int]:
        """Ends of operations that give an interrupt and are not cleared."""
        return [e for bit in _bits(unmasked) for e in self._reported[bit][self._cleared[bit] :]]

    # -- operations

    def operations(self, chain: Sequence[tuple[str, Sequence[tuple[str, int]], Sequence[OperationResult]]]) -> None:
        """Operations that belong together are done: each one's engine, groups, and what it has done to memory."""
        feeder: _Moments | None = None
        for engine, groups, results in chain:
            mine = [self._held[pair].popleft() for pair in groups]
            at = self._moments(engine, mine, feeder)
            for enable in mine:
                self._done[enable.block].append(at.done)
            if feeder is not None:
                self._order.edge(at.starts, feeder.done)
            self._report(engine, mine, at)
            self._add(engine, mine, at, results)
            self._last[engine] = feeder = at

    def _moments(self, engine: str, mine: Sequence[_Enable], feeder: _Moments | None) -> _Moments:
        event, last = self._order.event, self._last.get(engine)
        self._numbers += 1
        fetch, weights, write = ((self._numbers, part) for part in ("fetch", "weights", "write"))
        enabled = [one.event for one in mine]
        done = [] if last is None else [last.done]
        if engine == "CONV":
            before = [] if last is None else [last.data, last.weights]
            fetches = event(fetch, *(e.event for e in mine if e.block == _FETCHER), *before)
        else:
            fetches = event(fetch, *enabled, *done)
        data = event(fetch)
        other = event(weights, fetches) if engine == "CONV" else data
        starts = event(write, fetches, *enabled, *done, *([feeder.starts] if feeder else []))
        drained = event(write, data, other, *([feeder.drained] if feeder else []))
        return _Moments(fetches, data, other, starts, drained, event(write))

    def _report(self, engine: str, mine: Sequence[_Enable], at: _Moments) -> None:
        groups = {one.block: one.group for one in mine}
        if engine == "CONV":
            self._reported[INTERRUPT_BITS[f"CDMA_DAT_{groups[_FETCHER]}"]].append(at.data)
            self._reported[INTERRUPT_BITS[f"CDMA_WT_{groups[_FETCHER]}"]].append(at.weights)
        self._reported[INTERRUPT_BITS[_source(mine)]].append(at.done)

    def _add(self, engine: str, mine: Sequence[_Enable], at: _Moments, results: Sequence[OperationResult]) -> None:
        source = _source(mine)
        gate = next((one for one in mine if one.block == _FETCHER), max(mine, key=lambda one: one.line))
        name = f"{engine} group {mine[0].group} (line {max(one.line for one in mine)})"
        ended = len(self._reported[INTERRUPT_BITS[source]]) - 1
        who = _Accessor(self._numbers, name, gate.line, gate.block, (source, ended))
        for result in results:
            reads, writes = ([_walk(one) for one in transfers] for transfers in (result.reads, result.writes))
            if text := overwritten_input(engine, reads, writes):
                what = f"unordered: {name} writes over what it still reads: bytes {text}"
                self._overwriting.append(f"{what}; missing: another place for its result")
            for transfers, write, begin, end in (
                (result.reads, False, at.fetches, at.data),
                (result.weights, False, at.fetches, at.weights),
                (result.writes, True, at.starts, at.done),
            ):
                for walk in dict.fromkeys(_walk(one) for one in transfers):
                    self._accesses.append(OrderedAccess(who, walk, write, begin, end))

    # -- the verdict

    def findings(self) -> list[str]:
        """Operations that write over their input, and each pair of accesses that nothing orders."""
        by_pair: dict[tuple[int, int], list[OrderConflict]] = defaultdict(list)
        for conflict in find_conflicts(self._order, self._accesses):
            pair = sorted((_who(conflict.first).number, _who(conflict.second).number))
            by_pair[pair[0], pair[1]].append(conflict)
        return [*self._overwriting, *(self._text(conflicts) for conflicts in by_pair.values())]

    def _text(self, conflicts: Sequence[OrderConflict]) -> str:
        ends = (conflicts[0].first, conflicts[0].second)
        first, second = sorted(ends, key=lambda one: (not _who(one).block, _who(one).line))
        shown = shown_ranges(one.ranges for one in conflicts)
        sides = [f"{_who(one).name} {'writes' if one.write else 'reads'}" for one in (first, second)]
        count = sum(one.count for one in conflicts)
        missing = self._missing(_who(first), _who(second))
        return f"unordered: {sides[0]}, {sides[1]}: {count} bytes ({shown}); missing: {missing}"

    def _missing(self, before: _Accessor, after: _Accessor) -> str:
        source, number = before.interrupt
        mine = [one for one in self._trace.statements if one.kind == "interrupt" and one.source == source]
        if any(one.kind == "interrupt" and not one.source for one in self._trace.statements):
            return f"line {after.line} waits until {source.replace('_', ' group ')} is done"
        event = mine[number].sync if number < len(mine) else "EVENT"
        notify = "" if number < len(mine) else f"intr_notify({source}, EVENT) and "
        if not after.block:
            return f"{notify}a check when {event} has happened"
        return f"{notify}sync_wait(NVDLA_{after.block}, {event}) before line {after.line}"


def _who(access: OrderedAccess) -> _Accessor:
    assert isinstance(access.who, _Accessor)
    return access.who


def _source(mine: Sequence[_Enable]) -> str:
    """The interrupt of an operation's end."""
    block = "RUBIK" if mine[0].block == "RBK" else mine[0].block
    return f"{block}_{mine[0].group}"


def _bits(value: int) -> list[int]:
    return [bit for bit in range(value.bit_length()) if value >> bit & 1]


def _in_turn(groups: Sequence[int]) -> list[int]:
    """Enabled groups in the order of the hardware: 0 first, then one after the other."""
    found: list[int] = []
    while found.count(len(found) & 1) < groups.count(len(found) & 1):
        found.append(len(found) & 1)
    return found


def _status(groups: Sequence[int], done: int, producer: int) -> int:
    left = groups[done:]
    return sum((0 if g not in left else 1 if left[0] == g else 2) << 16 * g for g in (0, 1))


def _pointer(groups: Sequence[int], done: int, producer: int) -> int:
    return (done & 1) << 16


def _enabled(groups: Sequence[int], done: int, producer: int) -> int:
    return int(producer in groups[done:])


def _bdma(groups: Sequence[int], done: int, producer: int) -> int:
    left, status = groups[done:], csb_register("BDMA", "STATUS")
    fields = {"IDLE": not left, "GRP0_BUSY": 0 in left, "GRP1_BUSY": 1 in left}
    return sum(int(value) << status.field(name).lsb for name, value in fields.items())


_STATES = {
    "S_STATUS": (_status, 0x0003_0003),
    "S_POINTER": (_pointer, 0x0001_0000),
    "D_OP_ENABLE": (_enabled, 1),
    "STATUS": (
        _bdma,
        sum(1 << csb_register("BDMA", "STATUS").field(n).lsb for n in ("IDLE", "GRP0_BUSY", "GRP1_BUSY")),
    ),
}
"""Registers that show how far a block is: their value when so many of its groups are done, and the bits that do."""


def _walk(transfer: Transfer) -> ByteWalk:
    """The bytes of a regular grid of addresses."""
    addresses, size = transfer
    first = int(addresses.reshape(-1)[0])
    steps: list[tuple[int, int]] = []
    for axis, count in enumerate(addresses.shape):
        if count > 1:
            steps.append((count, int(np.take(addresses, 1, axis).reshape(-1)[0]) - first))
    return ByteWalk(0, first, size, tuple(steps))
