# SPDX-License-Identifier: Apache-2.0
"""Which command has ended when another one starts: vector clocks over engines.

Each engine works in order, so what a command knows of another engine is a number: how many of its commands have ended. It grows
with dependencies, with the ends of segments, and with messages. A WAIT knows of a SEND only if it could not have been granted
without it: with a count of all engines of a barrier these are all of them, one turn after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.streams.schedule import OTHER, SEND, WAIT, Lane, needed_commands, segment_gates

Column = npt.NDArray[np.int64]


class Order:
    """The clocks of all commands of a group.

    Args:
        lanes: its engines.

    Attributes:
        complete: whether all messages arrive; if not, nothing is known behind the first that does not.
    """

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lanes = lanes
        place = {(one.core, one.engine): index for index, one in enumerate(lanes)}
        self.partner = [place.get((one.core, OTHER.get(one.engine, ""))) for one in lanes]
        self.met = [self._met(index) for index in range(len(lanes))]
        self.waits = [np.flatnonzero(one.role == WAIT) for one in lanes]
        # Rows: what is known behind the k-th WAIT of an engine.
        self.known = [np.zeros((len(rows) + 1, len(lanes)), np.int64) for rows in self.waits]
        self.complete = True
        if any((one.role != 0).any() for one in lanes):
            self.complete = _Messages(self).run()

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
        block = np.searchsorted(self.waits[index], np.arange(len(one)))
        found: Column = self.known[index][block, other]
        partner = self.partner[index]
        if partner == other:
            found = np.maximum(found, self.met[index])
        elif partner is not None:
            theirs = np.searchsorted(self.waits[partner], self.met[index])
            found = np.maximum(found, self.known[partner][theirs, other])
        return found

    def clock(self, index: int, row: int) -> Column:
        """(engines,) what one command knows when it starts."""
        found: Column = self.known[index][int(np.searchsorted(self.waits[index], row))].copy()
        partner = self.partner[index]
        if partner is not None:
            met = int(self.met[index][row])
            found = np.maximum(found, self.known[partner][int(np.searchsorted(self.waits[partner], met))])
            found[partner] = max(int(found[partner]), met)
        found[index] = row
        return found


class _Messages:
    """Passes what SENDs know to the WAITs that need them, in an order in which they can happen."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self.rows = [np.flatnonzero(one.role != 0).tolist() for one in order.lanes]
        self.at = [0] * len(order.lanes)
        self.passed = [0] * len(order.lanes)
        self.sent: dict[int, dict[int, list[Column]]] = {}
        self.turn: list[dict[int, int]] = [{} for _ in order.lanes]
        # By message and engine: how many SENDs there are before each WAIT, and in all.
        self.sends: dict[int, dict[int, list[int]]] = {}
        self.counts: dict[int, set[int]] = {}
        for index, one in enumerate(order.lanes):
            for message in np.unique(one.message[one.role != 0]).tolist():
                rows = np.flatnonzero((one.message == message) & (one.role != 0))
                many = np.cumsum(one.role[rows] == SEND)
                waits = one.role[rows] == WAIT
                self.sends.setdefault(message, {})[index] = [*many[waits].tolist(), int(many[-1])]
                self.counts.setdefault(message, set()).update(one.count[rows[waits]].tolist())

    def run(self) -> bool:
        """Whether all of them happen."""
        moved = True
        while moved:
            moved = False
            for index in range(len(self.rows)):
                while self.at[index] < len(self.rows[index]) and self._step(index, self.rows[index][self.at[index]]):
                    self.at[index] += 1
                    moved = True
        return all(at == len(rows) for at, rows in zip(self.at, self.rows, strict=True))

    def _step(self, index: int, row: int) -> bool:
        order, one = self.order, self.order.lanes[index]
        partner = order.partner[index]
        if partner is not None:
            ahead = int(np.searchsorted(order.waits[partner], order.met[index][row]))
            if ahead > self.passed[partner]:
                return False
        message = int(one.message[row])
        clock = order.clock(index, row)
        if one.role[row] == SEND:
            clock[index] = row + 1
            self.sent.setdefault(message, {}).setdefault(index, []).append(clock)
            return True
        turn, count = self.turn[index].get(message, 0), int(one.count[row])
        sent = self.sent.get(message, {})
        if sum(map(len, sent.values())) < (turn + 1) * count:
            return False
        for sender in sent:
            sure = self._sure(message, sender, turn, count)
            if 0 < sure <= len(sent[sender]):
                clock = np.maximum(clock, sent[sender][sure - 1])
            elif sure > len(sent[sender]):
                return False
        self.turn[index][message] = turn + 1
        self.passed[index] += 1
        clock[index] = row
        order.known[index][self.passed[index] :] = clock
        return True

    def _sure(self, message: int, sender: int, turn: int, count: int) -> int:
        """How many SENDs of an engine there must have been before the WAIT of a turn can be granted."""
        if len(self.counts[message]) > 1:
            return 0
        # Up to then nobody has passed the WAIT of this turn, so nobody has sent more than stands before it.
        others = (many[min(turn, len(many) - 1)] for other, many in self.sends[message].items() if other != sender)
        return (turn + 1) * count - sum(others)
