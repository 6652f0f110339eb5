# SPDX-License-Identifier: Apache-2.0
"""The memory behind the accelerator's port: what layers leave in it, which bursts it refuses, and its log.

Contract: docs/memory.md (What is answered), docs/zynqnet-hardware.md (Memory).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.memory import MemoryImage
from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.stimulus import MemoryContents
from goldbeat.pymodels.zynqnet.hardware import ErrorCode
from goldbeat.pymodels.zynqnet.layer_run import Number, run_layer, word_type
from goldbeat.pymodels.zynqnet.memory_map import WORD_BYTES, Space
from goldbeat.pymodels.zynqnet.timing import LayerTimes

LOG = np.dtype([(n, np.int64) for n in ("address", "cycle", "first", "last", "done", "len", "kind")])
"""Columns of the memory's log that are predicted."""


@dataclass(frozen=True)
class Refusal:
    """The first error response of a layer.

    Attributes:
        code: what it does to ERROR.
        cycle: its handshake.
    """

    code: ErrorCode
    cycle: int


class DeviceMemory:
    """The bytes of all regions, and who may touch them.

    Args:
        image: the memory; its arrays are copied.
        number: format of a word.
        beat: bytes of a beat.
    """

    def __init__(self, image: MemoryImage, number: Number, beat: int) -> None:
        self._image, self._number, self._beat = image, number, beat
        self._regions = sorted(image.regions, key=lambda region: region.base)
        self._base = self._regions[0].base
        self._bytes = np.zeros(self._regions[-1].end - self._base, np.uint8)
        for region in self._regions:
            self._bytes[region.base - self._base : region.end - self._base] = region.data

    def run(self, times: LayerTimes, space: Space) -> Refusal | None:
        """Run a layer on the memory; its first error response, if there is any.

        Refused reads give zeros, refused writes change nothing.
        """
        reads = self._refused(times.reads, write=False)
        writes = self._refused(times.writes, write=True)
        if not reads.any() and not writes.any():
            self._compute(self._bytes, times, space)
            return None
        after = self._bytes.copy()
        for at, end in self._spans(times.reads[reads]):
            after[at:end] = 0
        self._compute(after, times, space)
        for at, end in self._spans(times.writes[~writes]):
            self._bytes[at:end] = after[at:end]
        first_read = int(times.reads[reads, 3].min()) if reads.any() else None
        first_write = int(times.writes[writes, 5].min()) if writes.any() else None
        if first_write is None or (first_read is not None and first_read <= first_write):
            assert first_read is not None
            return Refusal(ErrorCode.READ_RESPONSE, first_read)
        return Refusal(ErrorCode.WRITE_RESPONSE, first_write)

    def _compute(self, memory: npt.NDArray[np.uint8], times: LayerTimes, space: Space) -> None:
        first = space.base - self._base
        if first < 0 or first % WORD_BYTES:
            raise UsageError(f"DRAM base {space.base:#x} lies before the memory")
        words = memory[first : first + (len(memory) - first) // WORD_BYTES * WORD_BYTES]
        run_layer(words.view(word_type(self._number)), times.layer, space, self._number)

    def _refused(self, bursts: npt.NDArray[np.int64], *, write: bool) -> npt.NDArray[np.bool_]:
        """(bursts,) those that no region holds, or whose region forbids it."""
        bases = np.array([region.base for region in self._regions])
        ends = np.array([region.end for region in self._regions])
        allowed = np.array([region.writable if write else region.readable for region in self._regions])
        first = bursts[:, 0] * self._beat
        at = np.searchsorted(bases, first, side="right") - 1
        inside = (at >= 0) & (first + bursts[:, 1] * self._beat <= ends[at])
        refused: npt.NDArray[np.bool_] = ~(inside & allowed[at])
        return refused

    def _spans(self, bursts: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
        """First byte and end of each burst, counted from the start of the bytes."""
        first = bursts[:, 0] * self._beat - self._base
        spans: list[tuple[int, int]] = np.stack([first, first + bursts[:, 1] * self._beat], axis=1).tolist()
        return spans

    def contents(self, layers: Sequence[LayerTimes]) -> MemoryContents:
        """What the memory holds, and the bursts of these layers that it has answered."""
        regions = {
            region.name: self._bytes[region.base - self._base : region.end - self._base]
            for region in self._image.regions
        }
        return MemoryContents(regions, self._log(layers))

    def _log(self, layers: Sequence[LayerTimes]) -> npt.NDArray[Any]:
        parts = []
        for times in layers:
            for kind, bursts in ((1, times.writes), (0, times.reads)):
                rows = np.zeros(len(bursts), LOG)
                columns = ("address", "len", "cycle", "first", "last") + (("done",) if kind else ())
                for name, column in zip(columns, bursts.T, strict=True):
                    rows[name] = column
                rows["address"] *= self._beat
                rows["len"] -= 1
                rows["kind"] = kind
                if not kind:
                    rows["done"] = rows["last"]
                parts.append(rows)
        log = np.concatenate(parts) if parts else np.zeros(0, LOG)
        # In one cycle, the memory looks at writes first.
        return log[np.lexsort((1 - log["kind"], log["cycle"]))]
