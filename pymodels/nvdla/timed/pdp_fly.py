# SPDX-License-Identifier: Apache-2.0
"""PDP at work on what SDP hands over, without memory between them (docs/nvdla-fly.md)."""

from __future__ import annotations

from goldbeat.pymodels.nvdla.engines.registers import Values
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER
from goldbeat.pymodels.nvdla.timed.dbb import DbbPort
from goldbeat.pymodels.nvdla.timed.engine import Decision, Unit
from goldbeat.pymodels.nvdla.timed.pdp import PdpOperation

FLY_ROWS = 8
"""The ring holds so many rows of LINE_ATOMS atoms."""


class PdpFlyOperation(PdpOperation):
    """One operation, its registers as they stood at its start.

    Input rows are numbered g over all surfaces, atoms n = g W + x; output rows r.
    """

    def __init__(self, port: DbbPort, start: int, values: Values, line_atoms: int) -> None:
        self._rows: list[list[int]] = []
        super().__init__(port, start, values)
        self._room = FLY_ROWS * line_atoms
        self._atoms = self._width * self._height * self._surfaces  # N
        self._came: list[int] = []  # a
        self._ring: list[bytes] = []
        self._free = 0  # G
        self._needs = 0  # the output row behind which none needs the next row to be freed
        self._freed = start  # edge of the last one
        self._played_rows: list[int] = []  # p
        self._place = 0  # of the next atom to play, in its output row
        self._play = self._frees = False
        self._answered = NEVER  # b
        # Nothing is read from DBB.
        self._unit = len(self.units)

    def _units(self, values: Values) -> list[Unit]:
        units = []
        for s in range(self._surfaces):
            for oy in range(self._out_height):
                rows = [s * self._height + iy for iy in self._span(oy, 1, self._height)]
                unit = Unit([])
                unit.data = [bytearray() for _ in rows]
                units.append(unit)
                self._rows.append(rows)
        return units

    # -- taking ---------------------------------------------------------------------------------------------------

    def takes(self, cycle: int) -> bool:
        """Whether an atom that SDP offers at this edge is taken."""
        number = len(self._came)
        room = number < self._width * self._free + self._room
        return cycle >= self._start + 1 and number < self._atoms and room

    def take(self, cycle: int, atom: bytes) -> None:
        """An atom is handed over at this edge."""
        self._came.append(cycle)
        self._ring.append(atom)
        if len(self._came) == self._atoms:
            self._finish()

    # -- playing and freeing --------------------------------------------------------------------------------------

    def _play_edge(self) -> int:
        """From when on the next atom may be played."""
        row = len(self._played_rows)
        if row >= len(self._rows):
            return NEVER
        edge = self._start + 1
        if self._place == 0 and row >= 2:
            edge = max(edge, self.units[row - 2].fed + 1)
        number = self._number()
        return max(edge, self._came[number] + 1) if number < len(self._came) else NEVER

    def _number(self) -> int:
        """N of the next atom to play."""
        line, column = divmod(self._place, self._width)
        return self._rows[len(self._played_rows)][line] * self._width + column

    def _free_edge(self) -> int:
        """From when on the next row is free."""
        row = self._free
        if row >= self._height * self._surfaces:
            return NEVER
        if row < self._rows[0][0]:
            return max(self._freed, self._start) + 1
        while self._first(self._needs + 1) <= row:
            self._needs += 1
        played = self._played_rows[self._needs] if self._needs < len(self._played_rows) else NEVER
        return max(self._freed, played) + 1

    def _first(self, row: int) -> int:
        return self._rows[row][0] if row < len(self._rows) else self._height * self._surfaces

    def decide(self, cycle: int) -> Decision:
        """What happens at this edge, from what stood before it."""
        self._play = cycle >= self._play_edge()
        self._frees = cycle >= self._free_edge()
        return super().decide(cycle)

    def commit(self, cycle: int, decision: Decision) -> None:
        """Make it happen."""
        super().commit(cycle, decision)
        if self._play:
            row = len(self._played_rows)
            self.units[row].data[self._place // self._width] += self._ring[self._number()]
            self._place += 1
            if self._place == len(self._rows[row]) * self._width:
                self._place = 0
                self._played_rows.append(cycle)
                # The ring's memory answers an edge later.
                self.units[row].read = cycle + 1
        if self._frees:
            self._free += 1
            self._freed = cycle

    def due(self, cycle: int) -> int:
        """As :meth:`goldbeat.pymodels.nvdla.timed.engine.EngineOperation.due`; SDP says when it hands over."""
        return max(cycle, min(super().due(cycle), self._play_edge(), self._free_edge()))

    def state(self, cycle: int) -> str:
        """As for other operations; what it waits for does not come from memory."""
        found = super().state(cycle)
        return "sums" if found == "read" else found

    def answered(self, cycle: int) -> None:
        """A write was answered."""
        super().answered(cycle)
        if self.done != NEVER:
            self._answered, self.done = cycle, NEVER
            self._finish()

    def _finish(self) -> None:
        """Both the last answer and the last atom have come."""
        if self._answered != NEVER and len(self._came) == self._atoms:
            self.done = max(self._answered, self._came[-1]) + 1
