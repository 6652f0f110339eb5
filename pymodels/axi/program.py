# SPDX-License-Identifier: Apache-2.0
"""A program of bursts for an AXI4 slave port, with what the slave must answer."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import SLVERR, WRITE, Bursts
from goldbeat.pymodels.axi.memory import MasterTiming
from goldbeat.pymodels.errors import UsageError

ANY_ERROR = -2
"""A response to a write whose beats meet several errors: AXI leaves open which of them it is."""


@dataclass(frozen=True, eq=False)
class BurstProgram:
    """Bursts, their data, and the answers to them.

    Attributes:
        bursts: n of them.
        data: (beats, width) uint8, rows as wide as the bus: what is written, and what reads must give.
        strobe: (beats, width) byte strobes of writes.
        checked: (beats, width) bytes of read data that are compared.
        response: (n,) int64, the response that each burst must get, of reads the largest; -1: any; or :data:`ANY_ERROR`.
        write_gaps: (beats,) idle cycles before each beat of write data; None: none.
        timing: bursts outstanding, and when responses are taken.
        beat_response: (beats,) int64, the response that each beat of a read must get, and what a beat of a write adds to its
            burst's: one that is refused stores nothing. None: that of the burst.
        user: (beats,) uint64, WUSER of write data; None: 0.
        answer_user: (beats,) uint64, RUSER of read data, and BUSER in the first beat of writes.
        answer_mask: (beats,) uint64, the bits of these that are compared; None: none.
    """

    bursts: Bursts
    data: npt.NDArray[np.uint8]
    strobe: npt.NDArray[np.bool_]
    checked: npt.NDArray[np.bool_]
    response: npt.NDArray[np.int64]
    write_gaps: npt.NDArray[np.int64] | None = None
    timing: MasterTiming = field(default_factory=MasterTiming)
    beat_response: npt.NDArray[np.int64] | None = None
    user: npt.NDArray[np.uint64] | None = None
    answer_user: npt.NDArray[np.uint64] | None = None
    answer_mask: npt.NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        shape = (self.bursts.beats, self.data.shape[1])
        for name in ("data", "strobe", "checked"):
            if getattr(self, name).shape != shape:
                raise UsageError(f"{name} of a burst program: shape {getattr(self, name).shape}, expected {shape}")
        if self.response.shape != (len(self.bursts),):
            raise UsageError(f"response of a burst program: shape {self.response.shape}, expected {len(self.bursts)}")
        if self.beat_response is not None and self.beat_response.shape != shape[:1]:
            raise UsageError(
                f"beat_response of a burst program: shape {self.beat_response.shape}, expected {shape[:1]}"
            )

    @property
    def beat_answers(self) -> npt.NDArray[np.int64]:
        """(beats,) the response of each beat."""
        return self.response[self.bursts.of_beat] if self.beat_response is None else self.beat_response

    def stored(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint8]]:
        """(k,) addresses of the bytes that it writes in order, and (k,) their values; those that are refused are left out."""
        of = self.bursts.of_beat
        taken = ((self.bursts.kind == WRITE) & ~self.lost)[of] & (self.beat_answers < SLVERR)
        rows, lanes = np.nonzero(self.strobe & taken[:, None])
        width = np.uint64(self.data.shape[1])
        start = self.bursts.addresses()[rows]
        return start - start % width + lanes.astype(np.uint64), self.data[rows, lanes]

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """(n,) exclusive writes that fail: they are answered OKAY, and write nothing."""
        lost: npt.NDArray[np.bool_] = (self.bursts.kind == WRITE) & (self.bursts.lock != 0) & (self.response == 0)
        return lost
