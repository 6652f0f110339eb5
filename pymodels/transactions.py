# SPDX-License-Identifier: Apache-2.0
"""When the transactions of a bus port began and ended, and what they say of its speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import FIXED, INCR

_COLUMNS = {"write": np.bool_, "begin": np.int64, "first": np.int64, "end": np.int64, "bytes": np.int64}


@dataclass(frozen=True, eq=False)
class Transactions:
    """The transactions of one port that have ended, in the order in which they were asked for.

    Attributes:
        write: (n,) writes; all others are reads.
        begin: (n,) cycle in which the address was first offered; of a master of the design, that of the address handshake.
        first: (n,) cycle of the first data handshake.
        end: (n,) cycle of the last read data, or of the write response.
        bytes: (n,) bytes that its beats cover, whatever the strobes say.
        period_ps: of the port's clock, in picoseconds.
    """

    write: npt.NDArray[np.bool_]
    begin: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]
    period_ps: int

    def __len__(self) -> int:
        return len(self.begin)

    @staticmethod
    def columns() -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(_COLUMNS)

    @classmethod
    def of(cls, period_ps: int, **columns: Any) -> Transactions:
        """From columns of any integer type; rows without an end (-1) are left out."""
        ended = np.asarray(columns["end"]) >= 0
        return cls(**{n: np.asarray(columns[n]).astype(t)[ended] for n, t in _COLUMNS.items()}, period_ps=period_ps)

    def latencies(self, *, write: bool, first: bool = False) -> npt.NDArray[np.float64]:
        """(k,) nanoseconds from the address to the end of each write or read, or to its first data."""
        mine = self.write == write
        until = self.first if first else self.end
        took: npt.NDArray[np.float64] = (until - self.begin)[mine] * (self.period_ps / 1000)
        return took

    def mb_per_s(self, *, write: bool) -> float | None:
        """Millions of bytes per second from the first address to the end of the last; None where there is none."""
        mine = self.write == write
        if not mine.any():
            return None
        cycles = int(self.end[mine].max()) - int(self.begin[mine].min()) + 1
        return int(self.bytes[mine].sum()) * 1e6 / (cycles * self.period_ps)


def burst_bytes(
    address: npt.NDArray[Any], length: npt.NDArray[Any], size: npt.NDArray[Any], burst: npt.NDArray[Any]
) -> npt.NDArray[np.int64]:
    """(n,) bytes that the beats of bursts cover: an unaligned first beat covers less, and so does every beat of a FIXED burst.

    Args:
        address: (n,) of the first byte.
        length: (n,) beats less one.
        size: (n,) bytes per beat, as a power of two.
        burst: (n,) kinds, as in :mod:`goldbeat.pymodels.axi.burst`.
    """
    width = np.int64(1) << size.astype(np.int64)
    beats = length.astype(np.int64) + 1
    skipped = (address.astype(np.uint64) % width.astype(np.uint64)).astype(np.int64)
    return beats * width - np.where(burst == FIXED, beats * skipped, np.where(burst == INCR, skipped, 0))
