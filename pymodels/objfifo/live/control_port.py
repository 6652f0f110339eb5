# SPDX-License-Identifier: Apache-2.0
"""A tile's control port: packets that read and write its registers."""

from __future__ import annotations

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.artefact.tile_registers import PROCESSOR_BUS
from goldbeat.pymodels.objfifo.live.dma import LiveWords
from goldbeat.pymodels.objfifo.live.registers import LiveRegisters
from goldbeat.pymodels.objfifo.live.streams import LiveSource
from goldbeat.pymodels.objfifo.plan.plan import PacketHeader
from goldbeat.pymodels.objfifo.plan.tile import Tile


class ControlPort:
    """Executes control packets.

    Args:
        tile: whose port it is.
        registers: what it writes.
        answers: where answers to reads leave.
    """

    def __init__(self, tile: Tile, registers: LiveRegisters, answers: LiveSource) -> None:
        self.tile, self.registers, self.answers = tile, registers, answers
        self._words: list[int] = []

    def push(self, words: LiveWords) -> None:
        """Words arrive; a packet is executed when it is whole."""
        self._words += [int(w) for w in words]
        while self._words:
            header = self._words[0]
            count, operation = (header >> 20 & 3) + 1, header >> 22 & 3
            size = 1 if operation == 1 else 1 + count
            if len(self._words) < size:
                return
            self._execute(header, self._words[1:size], count, operation)
            del self._words[:size]

    def _execute(self, header: int, data: list[int], count: int, operation: int) -> None:
        offset = header & 0xFFFFF
        if operation == 1:
            words = [self.registers.value(self.tile, offset + 4 * n) for n in range(count)]
            self.answers.packets.append((PacketHeader(header >> 24 & 31), words))
            return
        if operation in (0, 2, 3):
            for number, value in enumerate(data):
                where = offset + 4 * number
                for wait in self.registers.write(self.tile, where, value):
                    # A packet does not wait until the core that it lets go on has gone on.
                    if not wait.attempt() and where != PROCESSOR_BUS:
                        raise UsageError(f"{self.tile}: a control packet writes to a full queue ({wait.text})")
