# SPDX-License-Identifier: Apache-2.0
"""A program of bursts for an AXI4 slave port, with what the slave must answer."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming
from goldbeat.pymodels.errors import UsageError


@dataclass(frozen=True, eq=False)
class BurstProgram:
    """Bursts, their data, and the answers to them.

    Attributes:
        bursts: n of them.
        data: (beats, width) uint8, rows as wide as the bus: what is written, and what reads must give.
        strobe: (beats, width) byte strobes of writes.
        checked: (beats, width) bytes of read data that are compared.
        response: (n,) int64, the response that each burst must get; -1: any.
        write_gaps: (beats,) idle cycles before each beat of write data; None: none.
        timing: bursts outstanding, and when responses are taken.
    """

    bursts: Bursts
    data: npt.NDArray[np.uint8]
    strobe: npt.NDArray[np.bool_]
    checked: npt.NDArray[np.bool_]
    response: npt.NDArray[np.int64]
    write_gaps: npt.NDArray[np.int64] | None = None
    timing: MasterTiming = field(default_factory=MasterTiming)

    def __post_init__(self) -> None:
        shape = (self.bursts.beats, self.data.shape[1])
        for name in ("data", "strobe", "checked"):
            if getattr(self, name).shape != shape:
                raise UsageError(f"{name} of a burst program: shape {getattr(self, name).shape}, expected {shape}")
        if self.response.shape != (len(self.bursts),):
            raise UsageError(f"response of a burst program: shape {self.response.shape}, expected {len(self.bursts)}")

    def stored(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
        """(k,) addresses of the bytes that it writes in order, and (k,) their values; those of refused bursts are left out."""
        of = self.bursts.of_beat
        taken = (self.bursts.kind == WRITE) & (self.response < 2) & ~self.lost
        rows, lanes = np.nonzero(self.strobe & taken[of][:, None])
        width = np.uint64(self.data.shape[1])
        start = self.bursts.addresses()[rows]
        return start - start % width + lanes.astype(np.uint64), self.data[rows, lanes]

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """(n,) exclusive writes that fail: they are answered OKAY, and write nothing."""
        lost: npt.NDArray[np.bool_] = (self.bursts.kind == WRITE) & (self.bursts.lock != 0) & (self.response == 0)
        return lost
