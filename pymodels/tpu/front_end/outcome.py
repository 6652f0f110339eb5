# SPDX-License-Identifier: Apache-2.0
"""What the command front end did: dispatched commands with their cycles, reads, registers at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.front_end.heads import ERRORS
from goldbeat.pymodels.tpu.front_end.kinds import BLOCK
from goldbeat.pymodels.trace import Trace


@dataclass(frozen=True, eq=False)
class Dispatched:
    """What one engine did; n commands, m reads.

    Attributes:
        id, kind, bytes: (n,) int64.
        last: (n,) bool, END.
        data: (n, 128) uint8, zeros behind the command's end.
        start: (n,) int64, edge of the transfer.
        end: (n,) int64, edge at which it ended; -1 if it has not.
        address, offered, handshake: (m,) int64, reads.
        done: edges at which the engine became DONE, one a group (the pop where it has nothing to do).
    """

    id: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int64]
    bytes: npt.NDArray[np.int64]
    last: npt.NDArray[np.bool_]
    data: npt.NDArray[np.uint8]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    address: npt.NDArray[np.int64]
    offered: npt.NDArray[np.int64]
    handshake: npt.NDArray[np.int64]
    done: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.id)

    def dispatch(self, clock_ps: int, offset_ps: int = 0) -> Trace:
        """The port ``m_axis``: one beat a command."""
        keep = np.arange(BLOCK)[None, :] < self.bytes[:, None]
        user = (self.id << 10 | self.kind).astype(np.uint64)
        return Trace(self.data, keep, self.last, self.start, clock_ps, offset_ps, tuser=user)

    def events(self, clock_ps: int, offset_ps: int = 0) -> Trace:
        """The port ``evt``: one beat a command that ended, in the cycle after its end."""
        over = self.end >= 0
        data = self.id[over].astype("<u4").view(np.uint8).reshape(-1, 4)
        return Trace.from_bytes(data, clock_ps=clock_ps, cycle=self.end[over] + 1, offset_ps=offset_ps)


@dataclass(frozen=True)
class Raised:
    """ERROR and ERROR_ID, and the edge at which they were raised."""

    code: int
    core: int
    engine: int
    id: int
    cycle: int

    @property
    def name(self) -> str:
        """As in the page's table."""
        return next(name for name, code in ERRORS.items() if code == self.code)


@dataclass(frozen=True, eq=False)
class FrontEndResult:
    """What happened.

    Attributes:
        engines: by engine number.
        error: the first error raised, None if there was none.
        irq_status: as the register reads at the end (nothing cleared).
        current, status: CURRENT and STATUS of each engine when all has come to rest.
        running: RUN of each core.
        messages: (sent, left) of each message.
        pending: groups of each core that were not popped.
        pops, handovers: edges, by core.
        last_cycle: the last edge at which anything happened.
    """

    engines: list[Dispatched]
    error: Raised | None
    irq_status: int
    current: list[int]
    status: list[int]
    running: list[bool]
    messages: list[tuple[int, int]]
    pending: list[int]
    pops: list[list[int]]
    handovers: list[list[int]]
    last_cycle: int

    @property
    def halted(self) -> bool:
        """Whether an error stopped the design."""
        return self.error is not None
