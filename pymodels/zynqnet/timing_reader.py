# SPDX-License-Identifier: Apache-2.0
"""The reader: when rows and weights are there. Contract: docs/zynqnet-hardware.md, Reader."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.channels import ReadChannel
from goldbeat.pymodels.zynqnet.hardware import BURST, PACKED_1X1, READS, Hardware
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES, Space
from goldbeat.pymodels.zynqnet.network import Layer

_USABLE = 2
"""From a data handshake to the issue that can use its words."""


def cut(first: int, end: int) -> Iterator[tuple[int, int]]:
    """Bursts of the beats ``first`` to ``end`` - 1 (counted from address 0): first beat and number of beats of each."""
    while first < end:
        size = min(end - first, BURST - first % BURST)
        yield first, size
        first += size


class LayerReader:
    """The reader in one layer.

    Segments are worked off when somebody asks for what they bring; what a segment waits for is known by then.

    Args:
        hardware: parameters.
        layer: the layer.
        memory: where weights and data begin.
        start: first cycle of a decision.
        channel: the memory's.
    """

    def __init__(self, hardware: Hardware, layer: Layer, memory: Space, start: int, channel: ReadChannel) -> None:
        self._layer, self._lanes, self._channel, self._lines = layer, hardware.lanes, channel, hardware.lines
        self._npe = hardware.npe
        self._row_words = layer.width * layer.ch_in
        self._image = memory.byte(memory.layer_input(layer).first) // (WORD_BYTES * self._lanes)
        self._weights = memory.byte(memory.layer_weights(layer).first) // (WORD_BYTES * self._lanes)
        self._narrow = layer.ch_in % self._lanes != 0
        self._ahead = min(layer.height, 2 if layer.kernel == 3 else 1)
        self._next_decision = start
        self._ends: list[int] = []
        self._rows: list[int] = []
        self._weight_beats: list[int] = []
        self._groups: npt.NDArray[np.int64] | None = None
        self._released: list[int] = []
        self._last = 0
        self.beats = 0
        self.log: list[tuple[int, int, int, int, int]] = []

    def release(self, row: int, cycle: int) -> None:
        """From ``cycle`` on, ``row`` is the first one that the walker still needs."""
        self._released += [cycle] * (row + 1 - len(self._released))

    def row_there(self, row: int) -> int:
        """From which cycle on a row, and all above it, can be used."""
        while len(self._rows) <= row:
            self._read_row()
        return self._rows[row]

    def all_weights(self) -> int:
        """From which cycle on all weights and biases are there."""
        return self._beats_of_weights()[-1] + _USABLE

    def all_weights_of_kernels(self) -> int:
        """From which cycle on all weights without the biases are there."""
        words = self._layer.weights - self._layer.ch_out
        return self._beats_of_weights()[(words - 1) // self._lanes] + _USABLE

    def groups_there(self) -> npt.NDArray[np.int64]:
        """(passes * groups,) from which cycle on the weights of an issue are there."""
        if self._groups is None:
            layer, groups = self._layer, self._layer.ch_out // self._npe
            if layer.kernel == 3:
                number = np.arange(layer.ch_in * groups)
            else:
                last_channel = np.minimum(
                    np.arange(PACKED_1X1 - 1, layer.ch_in + PACKED_1X1 - 1, PACKED_1X1), layer.ch_in - 1
                )
                number = (last_channel[:, None] * groups + np.arange(groups)).reshape(-1)
            last_word = (number + 1) * self._npe * layer.taps - 1
            self._groups = np.array(self._beats_of_weights(), np.int64)[last_word // self._lanes] + _USABLE
        return self._groups

    def finish(self) -> int:
        """Read what is left; the cycle in which the reader has finished."""
        self._beats_of_weights()
        self.row_there(self._layer.height - 1)
        rows_last = self._ahead < self._layer.height
        return self._last + (self._lanes + 1 if self._narrow and rows_last else _USABLE)

    def _beats_of_weights(self) -> list[int]:
        if not self._weight_beats:
            self.row_there(self._ahead - 1)
            moved: list[int] = []
            self._segment(self._weights, self._layer.weights // self._lanes, 0, self._next_decision, moved)
            self._weight_beats = moved
        return self._weight_beats

    def _read_row(self) -> None:
        row = len(self._rows)
        if row == self._ahead:
            self._beats_of_weights()
        decision = self._next_decision
        if row >= self._ahead and (needed := row + 2 - self._lines) > 0:
            decision = max(decision, self._released[needed])
        words = self._row_words
        first, end = (-(-r * words // self._lanes) for r in (row, row + 1))
        self._segment(self._image + first, end - first, self._lanes - 1 if self._narrow else 0, decision)
        lane = ((row + 1) * words - 1) % self._lanes if self._narrow else 0
        self._rows.append(self._last + _USABLE + lane)

    def _segment(self, first: int, beats: int, hold: int, decision: int, moved: list[int] | None = None) -> None:
        """Read a segment; ``moved`` collects its data handshakes."""
        ends, burst = self._ends, self._channel.burst
        for beat, size in cut(first, first + beats):
            if len(ends) >= READS:
                decision = max(decision, ends[-READS] + 1)
            address, data = burst(decision + 1, size, hold)
            ends.append(data[-1])
            self.log.append((beat, size, address, data[0], data[-1]))
            if moved is not None:
                moved.extend(data)
            decision = address + 1
        self._next_decision = decision + 1
        self._last = ends[-1]
        self.beats += beats
