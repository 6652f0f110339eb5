# SPDX-License-Identifier: Apache-2.0
"""AXI4 bursts as numpy columns, and the arithmetic of their beats (IHI 0022, A3.4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

READ, WRITE = 0, 1
FIXED, INCR, WRAP = 0, 1, 2
OKAY, EXOKAY, SLVERR, DECERR = range(4)

_Column = Any
"""An array behind the constructor; before it, whatever numpy makes one of."""
_TYPES: dict[str, type[Any]] = {
    "kind": np.uint8,
    "address": np.uint64,
    "len": np.uint16,
    "size": np.uint8,
    "burst": np.uint8,
    "id": np.uint32,
    "not_before": np.int64,
    "phase": np.int64,
    "gap": np.int64,
    "barrier": np.bool_,
    "lock": np.uint8,
    "cache": np.uint8,
    "prot": np.uint8,
    "qos": np.uint8,
    "region": np.uint8,
    "lead": np.uint8,
    "user": np.uint64,
}


@dataclass(frozen=True, eq=False)
class Bursts:
    """n bursts; reads and writes, each in order on its own channels. Columns of one value stand for n of them.

    Attributes:
        kind: (n,) :data:`READ` or :data:`WRITE`.
        address: (n,) of the first byte.
        len: (n,) beats less one, 0..255.
        size: (n,) bytes per beat, as a power of two.
        burst: (n,) :data:`FIXED`, :data:`INCR` or :data:`WRAP`.
        id: (n,).
        not_before: (n,) cycle before which the address is not offered, counted from the program's start.
        phase: (n,) not before the bursts of lower phases are over, those of all masters that run; rises along the program.
        gap: (n,) idle cycles behind the address before it on the same channel.
        barrier: (n,) not before all bursts ahead of it, reads and writes, are over; none behind it goes before it.
        lock, cache, prot, qos, region: (n,) as they go onto the bus.
        lead: (n,) cycles from the first offer of a write's data to that of its address, taken or not; 0 of reads.
        user: (n,) AxUSER, repeated where that has more than 64 bits.
    """

    kind: _Column
    address: _Column
    len: _Column
    size: _Column
    burst: _Column = INCR
    id: _Column = 0
    not_before: _Column = 0
    phase: _Column = 0
    gap: _Column = 0
    barrier: _Column = False
    lock: _Column = 0
    cache: _Column = 3
    prot: _Column = 0
    qos: _Column = 0
    region: _Column = 0
    lead: _Column = 0
    user: _Column = 0

    def __post_init__(self) -> None:
        columns = [np.atleast_1d(np.asarray(getattr(self, name))) for name in _TYPES]
        try:
            wide = np.broadcast_arrays(*columns)
        except ValueError:
            shapes = ", ".join(f"{name} {c.shape}" for name, c in zip(_TYPES, columns, strict=True))
            raise UsageError(f"columns of bursts have different lengths: {shapes}") from None
        if wide[0].ndim != 1:
            raise UsageError(f"columns of bursts of shape {wide[0].shape}, expected (n,)")
        for (name, dtype), column in zip(_TYPES.items(), wide, strict=True):
            object.__setattr__(self, name, np.ascontiguousarray(column, dtype=dtype))
        for name, least, most in (("kind", 0, 1), ("len", 0, 255), ("size", 0, 7), ("burst", 0, 3)):
            column = getattr(self, name)
            if column.size and not least <= int(column.min()) <= int(column.max()) <= most:
                raise UsageError(f"{name} of a burst outside of {least}..{most}")

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def beats(self) -> int:
        """Data beats of all bursts."""
        return int(self.len.sum(dtype=np.int64)) + len(self)

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """(n,) the first beat of each burst, all beats being numbered in the order of the bursts."""
        lengths: npt.NDArray[np.int64] = self.len.astype(np.int64) + 1
        return np.cumsum(lengths) - lengths

    @property
    def of_beat(self) -> npt.NDArray[np.int64]:
        """(beats,) the burst of each beat."""
        return np.repeat(np.arange(len(self)), self.len.astype(np.int64) + 1)

    @property
    def total(self) -> npt.NDArray[np.uint64]:
        """(n,) bytes of a burst's beats, as wide as they are."""
        total: npt.NDArray[np.uint64] = (self.len.astype(np.uint64) + np.uint64(1)) << self.size.astype(np.uint64)
        return total

    @property
    def span(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """(n,) the lowest address of each burst, and (n,) the number of bytes to the end of its highest beat."""
        bytes_ = np.uint64(1) << self.size.astype(np.uint64)
        aligned = self.address & ~(bytes_ - np.uint64(1))
        wrap = self.burst == WRAP
        lowest = np.where(wrap, self.address - self.address % self.total, self.address)
        end = np.where(self.burst == FIXED, aligned + bytes_, aligned + self.total)
        return lowest, np.where(wrap, self.total, end - lowest)

    def addresses(self) -> npt.NDArray[np.uint64]:
        """(beats,) address of each beat."""
        of = self.of_beat
        number = (np.arange(len(of)) - self.rows[of]).astype(np.uint64)
        address, bytes_ = self.address[of], (np.uint64(1) << self.size.astype(np.uint64))[of]
        total, burst = self.total[of], self.burst[of]
        incr = np.where(number == 0, address, (address & ~(bytes_ - np.uint64(1))) + number * bytes_)
        base = address - address % total
        wrap = base + (address - base + number * bytes_) % total
        beats: npt.NDArray[np.uint64] = np.where(burst == FIXED, address, np.where(burst == WRAP, wrap, incr))
        return beats

    def lanes(self, width: int) -> npt.NDArray[np.bool_]:
        """(beats, width) the lanes of a bus of ``width`` bytes that each beat uses."""
        address = self.addresses()
        bytes_ = (1 << self.size.astype(np.int64))[self.of_beat]
        first = (address % np.uint64(width)).astype(np.int64)
        count = np.where(bytes_ < width, bytes_ - (address % bytes_.astype(np.uint64)).astype(np.int64), width - first)
        lane = np.arange(width)
        return (lane >= first[:, None]) & (lane < (first + count)[:, None])
