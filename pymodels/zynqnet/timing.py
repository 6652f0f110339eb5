# SPDX-License-Identifier: Apache-2.0
"""When the accelerator does what: every layer exact to the cycle, from docs/zynqnet-hardware.md and the memory's timing alone.

Nothing is stepped cycle by cycle. The reader goes by bursts, the walker by tiles, drain and writer by bursts, each as the page's
recurrences say; they meet where one waits for the other: rows for the walker, the walker's row for the reader, drained tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.channels import ReadChannel, WriteChannel
from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.pymodels.zynqnet.hardware import (
    ACC,
    HAZARD_1X1,
    HAZARD_3X3,
    PE_LATENCY,
    POOL_WAIT,
    SETUP,
    ErrorCode,
    Hardware,
    configuration_error,
)
from goldbeat.pymodels.zynqnet.memory_map import Space
from goldbeat.pymodels.zynqnet.network import Layer
from goldbeat.pymodels.zynqnet.timing_reader import LayerReader
from goldbeat.pymodels.zynqnet.timing_writer import LayerWriter

Cycles = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Tiles:
    """(tiles,) what every tile did; all in cycles of the memory.

    Attributes:
        first_issue, last_issue: of its issues.
        first_step, last_step: of its drain.
    """

    first_issue: Cycles
    last_issue: Cycles
    first_step: Cycles
    last_step: Cycles


@dataclass(frozen=True, eq=False)
class LayerTimes:
    """A layer's life.

    Attributes:
        layer: which.
        go: cycle in which it began.
        done: the page's D.
        error: code, 0 where there is none.
        issues, wait_weights, wait_pixels, wait_write, bubbles, read_beats, write_beats, first_issue: the counters of these names.
        reads: (bursts, 5) address in beats, beats, address handshake, first and last data handshake of every read.
        writes: (bursts, 6) address in beats, beats, address handshake, first and last data handshake, response of every write.
        tiles: what every tile did.
        pixels: (pixels,) last data handshake of every output pixel.
    """

    layer: Layer
    go: int
    done: int
    error: ErrorCode = ErrorCode.NONE
    issues: int = 0
    wait_weights: int = 0
    wait_pixels: int = 0
    wait_write: int = 0
    bubbles: int = 0
    read_beats: int = 0
    write_beats: int = 0
    first_issue: int = 0
    reads: Cycles = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    writes: Cycles = field(default_factory=lambda: np.zeros((0, 6), np.int64))
    tiles: Tiles = field(default_factory=lambda: Tiles(*(np.zeros(0, np.int64) for _ in range(4))))
    pixels: Cycles = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def cycles(self) -> int:
        """The register CYCLES."""
        return self.done - self.go

    def counters(self) -> dict[str, int]:
        """The counters by the names of their registers."""
        return {
            "CYCLES": self.cycles,
            "ISSUES": self.issues,
            "WAIT_WEIGHTS": self.wait_weights,
            "WAIT_PIXELS": self.wait_pixels,
            "WAIT_WRITE": self.wait_write,
            "BUBBLES": self.bubbles,
            "READ_BEATS": self.read_beats,
            "WRITE_BEATS": self.write_beats,
            "FIRST_ISSUE": self.first_issue,
        }


class Accelerator:
    """The accelerator and the memory behind it, layer after layer.

    Args:
        hardware: its parameters.
        timing: of the memory; patterns, jitter and gaps go on from layer to layer.
    """

    def __init__(self, hardware: Hardware | None = None, timing: MemoryTiming | None = None) -> None:
        self.hardware = hardware or Hardware()
        timing = timing or MemoryTiming()
        self._read, self._write = ReadChannel(timing), WriteChannel(timing)

    @classmethod
    def of(cls, params: Mapping[str, Any], timing: MemoryTiming | None = None) -> Accelerator:
        """From the parameters of a build."""
        return cls(Hardware.of(params), timing)

    def run(self, layer: Layer, memory: Space, go: int = 0) -> LayerTimes:
        """Time one layer.

        Args:
            layer: which.
            memory: where weights and data begin.
            go: the page's go, as a cycle of the memory; after everything of the layer before.
        """
        error = configuration_error(layer, memory, self.hardware)
        if error is not ErrorCode.NONE:
            return self.refuse(layer, go, error)
        return _Run(self.hardware, layer, memory, go, self._read, self._write).run()

    @staticmethod
    def refuse(layer: Layer, go: int, error: ErrorCode) -> LayerTimes:
        """A layer that cannot run: nothing is read or written."""
        return LayerTimes(layer, go, go + SETUP, error)


class _Run:
    """One layer."""

    def __init__(
        self, hardware: Hardware, layer: Layer, memory: Space, go: int, read: ReadChannel, write: WriteChannel
    ) -> None:
        self.layer, self.go = layer, go
        self.start = go + SETUP
        self.groups = layer.ch_out // hardware.npe
        self.passes = layer.ch_in if layer.kernel == 3 else -(-layer.ch_in // 8)
        self.hazard = HAZARD_3X3 if layer.kernel == 3 else HAZARD_1X1
        self.tile = min(ACC // self.groups, layer.width_out)
        self.reader = LayerReader(hardware, layer, memory, self.start, read)
        self.writer = LayerWriter(hardware, layer, memory, write)
        self.issues = self.wait_weights = self.wait_pixels = self.wait_write = self.bubbles = 0

    def run(self) -> LayerTimes:
        layer = self.layer
        rows: list[tuple[int, int, int, int]] = []
        begins, before_last, last = self.start, self.start - 1, self.start - 1
        for y in range(layer.height_out):
            centre = layer.stride * y
            self.reader.release(max(centre - 1, 0) if layer.kernel == 3 else centre, begins)
            needed = min(centre + 1, layer.height - 1) if layer.kernel == 3 else centre
            for x in range(0, layer.width_out, self.tile):
                size = min(self.tile, layer.width_out - x)
                first, end, idle = self._walk(begins, needed, before_last, size)
                step = max(end + PE_LATENCY, last + 1, self.reader.all_weights()) + 1
                first_step, last_step = self.writer.pixels(step, size)
                rows.append((first, end, first_step, last_step))
                begins, before_last, last = end + idle + 2, last, last_step
        if layer.gpool:
            last = self.writer.sums(last + POOL_WAIT)
        finished = self.reader.finish()
        done = max(last + 1, self.writer.answered + 1, finished)
        columns = np.array(rows, np.int64).T
        return LayerTimes(
            layer,
            self.go,
            done,
            issues=self.issues,
            wait_weights=self.wait_weights,
            wait_pixels=self.wait_pixels,
            wait_write=self.wait_write,
            bubbles=self.bubbles,
            read_beats=self.reader.beats,
            write_beats=self.writer.beats,
            first_issue=rows[0][0] - self.go,
            reads=np.array(self.reader.log, np.int64),
            writes=np.array(self.writer.log, np.int64),
            tiles=Tiles(*columns),
            pixels=np.array(self.writer.pixel_ends, np.int64),
        )

    def _walk(self, begins: int, row: int, drained: int, size: int) -> tuple[int, int, int]:
        """WAIT and RUN of a tile: first issue, last issue, idle cycles after it."""
        there = self.reader.row_there(row)
        leaves = max(begins, there, drained + 1)
        self.wait_pixels += max(0, there - begins)
        self.wait_write += max(0, drained + 1 - max(begins, there))
        burst = self.groups * size
        idle = max(0, self.hazard - burst)
        total = self.passes * (burst + idle)
        self.issues += self.passes * burst
        self.bubbles += self.passes * idle
        first = leaves + 1
        if self.reader.all_weights_of_kernels() <= first:
            return first, first + total - idle - 1, idle
        there_by_group = self.reader.groups_there()
        number = np.arange(self.passes * self.groups, dtype=np.int64)
        planned = number // self.groups * (burst + idle) + number % self.groups * size
        late = int(np.maximum(there_by_group - planned, first).max()) - first
        self.wait_weights += late
        begun = max(first, int(there_by_group[0]))
        return begun, first + late + total - idle - 1, idle
