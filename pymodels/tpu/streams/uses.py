# SPDX-License-Identifier: Apache-2.0
"""Uses of a message whose counts change: which SENDs and WAITs belong together.

A use begins with a SEND and ends with the WAIT that clears the counter. If every use begins after all WAITs of the one before,
all runs have the same uses, so those of one run are enough; the check for early uses tells if one does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from goldbeat.pymodels.tpu.streams.schedule import NONE, OTHER, SEND, WAIT, Lane, command_gates, needed_commands

Place = tuple[int, int]
"""Lane and row of a command."""


@dataclass
class MessageUse:
    """SENDs and WAITs of one use.

    Attributes:
        sends, waits: their places.
        cleared: whether the counter was cleared.
    """

    sends: list[Place] = field(default_factory=list)
    waits: list[Place] = field(default_factory=list)
    cleared: bool = False


class MessageUses:
    """The uses of all messages whose counts change, in one run of the front end's counters.

    Args:
        lanes: the engines.
        bounds: for each lane the first command of every group, and how many commands there are.

    Attributes:
        changing: the messages.
        uses: by message, in their order.
        number: which use of its message a SEND or WAIT belongs to; those that never start are missing.
        stuck: messages whose WAITs are never granted.
        ended: whether all commands end.
    """

    def __init__(self, lanes: Sequence[Lane], bounds: Sequence[Sequence[int]]) -> None:
        self.lanes = lanes
        counts: dict[tuple[int, int], set[int]] = {}
        for one in lanes:
            for role, message, count in {
                *zip(one.role.tolist(), one.message.tolist(), one.count.tolist(), strict=True)
            }:
                counts.setdefault((role, message), set()).add(count)
        self.changing = {message for (role, message), said in counts.items() if role != NONE and len(said) > 1}
        self.uses: dict[int, list[MessageUse]] = {}
        self.number: dict[Place, int] = {}
        self.stuck: set[int] = set()
        self.ended = True
        if self.changing:
            self._start(bounds)
            self._run()

    def agrees(self, use: MessageUse) -> bool:
        """Whether the counts of a use are those of its SENDs and WAITs."""
        sent, awaited = ({int(self.lanes[i].count[row]) for i, row in one} for one in (use.sends, use.waits))
        return sent == {len(use.waits)} and awaited == {len(use.sends)}

    def _start(self, bounds: Sequence[Sequence[int]]) -> None:
        place = {(one.core, one.engine): index for index, one in enumerate(self.lanes)}
        self.partner = [place.get((one.core, OTHER.get(one.engine, ""))) for one in self.lanes]
        # What waits for an engine without a stream is another rule's.
        self.need = [
            [0] * len(one) if other is None else needed_commands(one, self.lanes[other])
            for one, other in zip(self.lanes, self.partner, strict=True)
        ]
        self.gates = command_gates(self.lanes, bounds)
        self.roles = [one.role.tolist() for one in self.lanes]
        self.at = [0] * len(self.lanes)
        self.sent: dict[int, int] = {}
        self.left: dict[int, int] = {}

    def _run(self) -> None:
        moved = True
        while moved:
            moved = False
            for index in range(len(self.lanes)):
                while self._free(index) and self._pass(index):
                    moved = True
            moved = moved or self._send()
        for index, one in enumerate(self.lanes):
            if self.at[index] < len(one):
                self.ended = False
                if self._free(index):
                    message = int(one.message[self.at[index]])
                    self.stuck.add(message)
                    self._use(message).waits.append((index, self.at[index]))

    def _free(self, index: int) -> bool:
        """Whether the next command of an engine may start."""
        row, partner = self.at[index], self.partner[index]
        if row == len(self.lanes[index]):
            return False
        if any(self.at[other] < many for other, many in self.gates[index].get(row, {}).items()):
            return False
        return partner is None or self.need[index][row] <= self.at[partner]

    def _pass(self, index: int) -> bool:
        """Go past a command that is no SEND, unless it is a WAIT that is not granted."""
        row, role = self.at[index], self.roles[index][self.at[index]]
        if role == SEND:
            return False
        if role == WAIT:
            message, count = int(self.lanes[index].message[row]), int(self.lanes[index].count[row])
            if self.sent.get(message, 0) < count:
                return False
            use = self._take(index, message)
            use.waits.append((index, row))
            self.left[message] = self.left.get(message, 0) - 1
            if self.left[message] <= 0:
                use.cleared = True
                self.sent[message] = 0
        self.at[index] += 1
        return True

    def _send(self) -> bool:
        """The next SEND, if nothing else can start: of the engine with the fewest in this use."""
        ready = [index for index in range(len(self.lanes)) if self._free(index) and self._role(index) == SEND]
        if not ready:
            return False
        index = min(ready, key=self._share)
        row, one = self.at[index], self.lanes[index]
        message = int(one.message[row])
        self._take(index, message).sends.append((index, row))
        self.sent[message] = self.sent.get(message, 0) + 1
        self.left[message] = int(one.count[row])
        self.at[index] += 1
        return True

    def _role(self, index: int) -> int:
        return int(self.roles[index][self.at[index]])

    def _share(self, index: int) -> int:
        """How many SENDs of the use at hand are of an engine."""
        found = self.uses.get(int(self.lanes[index].message[self.at[index]]), [])
        return sum(sender == index for sender, _ in found[-1].sends) if found and not found[-1].cleared else 0

    def _take(self, index: int, message: int) -> MessageUse:
        """The use that the next command of an engine takes part in."""
        use = self._use(message)
        self.number[index, self.at[index]] = len(self.uses[message]) - 1
        return use

    def _use(self, message: int) -> MessageUse:
        """The use at hand."""
        found = self.uses.setdefault(message, [])
        if not found or found[-1].cleared:
            found.append(MessageUse())
        return found[-1]
