# SPDX-License-Identifier: Apache-2.0
"""Which command has ended when another one starts: vector clocks over engines.

Each engine works in order, so what a command knows of another engine is a number: how many of its commands have ended. It grows
with dependencies, with the ends of segments and groups, and with messages. A core goes on to its next group when all of its own
engines are done with the one before; it does not wait for other cores.

A message is a counter, not a turn. A SEND adds one to it and says how many WAITs are to come; a WAIT says how many SENDs it needs;
the last WAIT sets the counter back to 0. These SENDs and WAITs are a round. A round works under every timing if it begins after
all WAITs of the round before it: then a WAIT knows of all SENDs of its round. Otherwise the message is used again too early.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.schedule import OTHER, SEND, WAIT, Lane, needed_commands, segment_gates
from goldbeat.pymodels.tpu.streams.uses import MessageUses

Column = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EarlyUse:
    """A SEND or WAIT that nothing orders behind a WAIT of the round before; (engine, row) each."""

    message: int
    command: tuple[int, int]
    waiter: tuple[int, int]


class Order:
    """The clocks of all commands of a group, or of several that follow each other on every core.

    Args:
        lanes: its engines.
        bounds: for each engine the first command of every group, and how many commands there are; empty: one group.

    Attributes:
        complete: whether all messages arrive; if not, nothing is known behind the first that does not.
        early: messages that are used again before all WAITs have been granted, one of each round.
        stuck: (engine, row) of WAITs that are never granted.
    """

    def __init__(self, lanes: Sequence[Lane], bounds: Sequence[Sequence[int]] = ()) -> None:
        self.lanes = lanes
        self.bounds = bounds or [[0, len(one)] for one in lanes]
        place = {(one.core, one.engine): index for index, one in enumerate(lanes)}
        self.partner = [place.get((one.core, OTHER.get(one.engine, ""))) for one in lanes]
        self.met = [self._met(index) for index in range(len(lanes))]
        # The groups behind the first that an engine has commands of, and where its last command before them is.
        self.borders = [[(b[g] - 1, g) for g in range(1, len(b) - 1) if b[g] < b[g + 1]] for b in self.bounds]
        # Twice the rows of WAITs, and a place behind the last command before each further group.
        self.places = [
            np.sort(np.array([*(2 * np.flatnonzero(one.role == WAIT)), *(2 * row + 1 for row, _ in ends)], np.int64))
            for one, ends in zip(lanes, self.borders, strict=True)
        ]
        # Rows: what is known behind the k-th of them.
        self.known = [np.zeros((len(places) + 1, len(lanes)), np.int64) for places in self.places]
        self.complete = True
        self.early: list[EarlyUse] = []
        self.stuck: list[tuple[int, int]] = []
        if any((one.role != 0).any() for one in lanes) or any(self.borders):
            self.uses = MessageUses(lanes, self.bounds)
            # An engine waits once in a round, as in a barrier, unless its WAITs are granted only if they share one.
            for once in (True, False):
                messages = _Messages(self, once)
                self.complete = messages.run()
                self.early, self.stuck = list(messages.early()), messages.stuck()
                if self.complete or self.early:
                    break

    def _met(self, index: int) -> Column:
        """(n,) how many commands of TIU or GDMA of the same core have ended, by dependencies and segments alone."""
        one, other = self.lanes[index], self.partner[index]
        if other is None:
            return np.zeros(len(one), np.int64)
        theirs = self.lanes[other]
        need = np.minimum(np.array(needed_commands(one, theirs), np.int64), len(theirs))
        for row, ended in segment_gates(one, theirs).items():
            need[row] = max(int(need[row]), ended)
        met: Column = np.maximum.accumulate(need) if len(need) else need
        return met

    def before(self, index: int, other: int) -> Column:
        """(n,) for each command of an engine, how many of another engine's have ended when it starts."""
        one = self.lanes[index]
        if len(self.known[index]) == 1 and all(len(k) == 1 for k in self.known):
            return self.met[index] if self.partner[index] == other else np.zeros(len(one), np.int64)
        block = self.blocks(index, np.arange(len(one)))
        found: Column = self.known[index][block, other]
        partner = self.partner[index]
        if partner == other:
            found = np.maximum(found, self.met[index])
        elif partner is not None:
            theirs = self.blocks_ended(partner, self.met[index])
            found = np.maximum(found, self.known[partner][theirs, other])
        return found

    def blocks(self, index: int, rows: Column | int) -> Column:
        """How many WAITs and ends of groups of an engine come before commands that start."""
        return np.searchsorted(self.places[index], 2 * np.asarray(rows))

    def blocks_ended(self, index: int, counts: Column | int) -> Column:
        """How many of them have been passed when so many commands of the engine have ended."""
        return np.searchsorted(self.places[index], 2 * np.asarray(counts) - 1)

    def clock(self, index: int, row: int) -> Column:
        """(engines,) what one command knows when it starts."""
        found: Column = self.known[index][int(self.blocks(index, row))].copy()
        partner = self.partner[index]
        if partner is not None:
            met = int(self.met[index][row])
            found = np.maximum(found, self.known[partner][int(self.blocks_ended(partner, met))])
            found[partner] = max(int(found[partner]), met)
        found[index] = row
        return found


_Use = tuple[tuple[int, int], Column]
"""A SEND or WAIT: engine and row, and what it knows when it starts."""


@dataclass
class _Round:
    """SENDs of a message and the WAITs that they are for.

    Attributes:
        sends, waits: in an order in which they can happen.
        sure: whether their counts agree, so that a WAIT needs all SENDs.
    """

    sends: list[_Use] = field(default_factory=list)
    waits: list[_Use] = field(default_factory=list)
    sure: bool = True
    _sent: Column | None = None

    def sent(self) -> Column:
        """(engines,) what a WAIT knows that has needed all SENDs; there are no more of them."""
        if self._sent is None:
            self._sent = np.max([known for _, known in self.sends], axis=0)
            for (sender, row), _ in self.sends:
                self._sent[sender] = max(int(self._sent[sender]), row + 1)
        return self._sent


class _Messages:
    """Passes what SENDs know to the WAITs of their round, in an order in which they can happen."""

    def __init__(self, order: Order, once: bool) -> None:
        self.order, self.once = order, once
        for known in order.known:
            known[:] = 0
        # Rows of SENDs and WAITs with group 0, and the last command before each further group.
        self.rows = [
            sorted([*((row, 0) for row in np.flatnonzero(one.role != 0).tolist()), *ends])
            for one, ends in zip(order.lanes, order.borders, strict=True)
        ]
        self.at = [0] * len(order.lanes)
        self.passed = [0] * len(order.lanes)
        self.rounds: dict[int, list[_Round]] = {}
        self.turn: dict[tuple[int, int, int], int] = {}
        # By message: what WAITs say of SENDs, and SENDs of WAITs.
        self.counts: dict[int, dict[int, set[int]]] = {}
        for one in order.lanes:
            for message, role, count in {
                *zip(one.message.tolist(), one.role.tolist(), one.count.tolist(), strict=True)
            }:
                self.counts.setdefault(message, {SEND: set(), WAIT: set()}).setdefault(role, set()).add(count)

    def run(self) -> bool:
        """Whether all of them happen."""
        moved = True
        while moved:
            moved = False
            for index in range(len(self.rows)):
                while self.at[index] < len(self.rows[index]) and self._step(index, *self.rows[index][self.at[index]]):
                    self.at[index] += 1
                    moved = True
        return all(at == len(rows) for at, rows in zip(self.at, self.rows, strict=True))

    def stuck(self) -> list[tuple[int, int]]:
        """WAITs at which engines stop; what waits for their engines stops too."""
        ends = (
            (index, rows[at]) for index, (at, rows) in enumerate(zip(self.at, self.rows, strict=True)) if at < len(rows)
        )
        return [
            (index, row)
            for index, (row, group) in ends
            if not group and self.order.lanes[index].role[row] == WAIT and self._ready(index, row)
        ]

    def early(self) -> Iterator[EarlyUse]:
        """For each round, the first SEND or WAIT that does not know of all WAITs of the round before."""
        for message, rounds in self.rounds.items():
            for before, one in pairwise(rounds):
                engines, rows = np.array([place for place, _ in before.waits], np.int64).reshape(-1, 2).T
                for place, clock in (*one.sends, *one.waits):
                    unknown = np.flatnonzero(clock[engines] <= rows)
                    if len(unknown):
                        yield EarlyUse(message, place, before.waits[int(unknown[0])][0])
                        break

    def _ready(self, index: int, row: int) -> bool:
        """Whether all that a command knows of the other engine of its core is known here."""
        partner = self.order.partner[index]
        return partner is None or bool(
            self.order.blocks_ended(partner, self.order.met[index][row]) <= self.passed[partner]
        )

    def _border(self, index: int, row: int, group: int) -> bool:
        """Pass on what the engines of a core know at the end of their last command before a group."""
        order = self.order
        clock = order.known[index][self.passed[index]].copy()
        clock[index] = row + 1
        for other, lane in enumerate(order.lanes):
            ended = order.bounds[other][group]
            if other == index or lane.core != order.lanes[index].core or not ended:
                continue
            block = int(order.blocks_ended(other, ended))
            if block > self.passed[other] or not self._ready(other, ended - 1):
                return False
            clock = np.maximum(clock, np.maximum(order.clock(other, ended - 1), order.known[other][block]))
            clock[other] = max(int(clock[other]), ended)
        self.passed[index] += 1
        order.known[index][self.passed[index] :] = clock
        return True

    def _step(self, index: int, row: int, group: int) -> bool:
        if group:
            return self._border(index, row, group)
        order, one = self.order, self.order.lanes[index]
        if not self._ready(index, row):
            return False
        message, role = int(one.message[row]), int(one.role[row])
        clock = order.clock(index, row)
        found = self._round(index, row, message, role)
        if found is None:
            return False
        use = (index, row), clock
        if role == SEND:
            found.sends.append(use)
            return True
        if len(found.sends) < int(one.count[row]):
            return False
        found.waits.append(use)
        self.turn[index, message, role] = self.turn.get((index, message, role), 0) + int(self.once)
        # Where the counts of a use differ, nobody can say which SENDs a WAIT has needed.
        if found.sends and found.sure:
            clock = np.maximum(clock, found.sent())
        self.passed[index] += 1
        clock[index] = row
        order.known[index][self.passed[index] :] = clock
        return True

    def _round(self, index: int, row: int, message: int, role: int) -> _Round | None:
        """That of its use if counts change, None if it never starts; else the first from the engine's next on with room."""
        rounds, uses = self.rounds.setdefault(message, []), self.order.uses
        if message in uses.changing:
            if not rounds:
                rounds += [_Round(sure=uses.agrees(one)) for one in uses.uses.get(message, ())]
            number = uses.number.get((index, row))
            return None if number is None else rounds[number]
        most = max(self.counts[message][WAIT if role == SEND else SEND], default=1)
        at = self.turn.setdefault((index, message, role), 0)
        while True:
            if at == len(rounds):
                rounds.append(_Round())
            if len(rounds[at].sends if role == SEND else rounds[at].waits) < max(most, 1):
                self.turn[index, message, role] = at
                return rounds[at]
            at += 1
