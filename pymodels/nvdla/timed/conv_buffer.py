# SPDX-License-Identifier: Apache-2.0
"""The convolution buffer between fetch and compute, and the FIFO between compute and SDP."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.timed.activity import OperationActivity
from goldbeat.pymodels.nvdla.timed.conv_settings import BANK_ENTRIES, FetchSettings
from goldbeat.pymodels.nvdla.timed.conv_sums import ConvolutionSums

NEVER = 1 << 62
DELIVERY = 64
"""Atoms that the delivery FIFO holds."""


@dataclass
class CbufRing:
    """A ring of the convolution buffer. What is there counts in slices of data, or in entries of weights.

    Attributes:
        used: entries that are taken.
        there: what has come and has not been released.
        kept: what the last compute left, of ``step`` entries each.
    """

    used: int = 0
    there: int = 0
    kept: int = 0
    step: int = 1

    def has_room(self, entries: int, banks: int) -> bool:
        """Whether so many more entries fit."""
        return self.used + entries <= banks * BANK_ENTRIES

    def release(self, count: int, entries: int = 1) -> None:
        """Give back the oldest ones, of so many entries each."""
        self.there -= count
        self.used -= count * entries
        assert min(self.there, self.used) >= 0, "more is released than is there"

    def keep(self, count: int, entries: int = 1) -> None:
        """Leave the oldest ones for the next operation."""
        self.kept, self.step = count, entries

    def drop(self) -> None:
        """Release what was kept."""
        self.release(self.kept, self.step)
        self.kept = 0


@dataclass(eq=False)
class FetchedOperation:
    """What compute must know of a fetch.

    Attributes:
        settings: CDMA's.
        data_kept: the kept slices are the first ones of this operation.
        weights_reused: its weights are those of the operation before.
        weight_entries: Wn.
        slices: those that were fetched, in order; int8 values.
        weights: bytes, as far as they have come.
        ended: the edge at which the fetch ends; later than any other before.
        activity: what the operation does, fetch and compute together.
    """

    settings: FetchSettings
    data_kept: bool
    weights_reused: bool
    weight_entries: int
    slices: list[Ints] = field(default_factory=list)
    weights: bytearray = field(default_factory=bytearray)
    ended: int = NEVER
    activity: OperationActivity = field(default_factory=lambda: OperationActivity("CONV", 0))


@dataclass
class _Delivered:
    """Sums of atoms in a row that enter one per edge."""

    sums: ConvolutionSums
    group: int
    atom: int
    edge: int
    count: int


class DeliveryFifo:
    """Sums on their way to SDP.

    Attributes:
        credit: atoms for which there is room.
        last_taken: edge of the last take.
    """

    def __init__(self) -> None:
        self.credit = DELIVERY
        self.last_taken = -1
        self._runs: deque[_Delivered] = deque()

    @property
    def empty(self) -> bool:
        """Nothing is in it or about to enter."""
        return not self._runs

    def push(self, sums: ConvolutionSums, group: int, atom: int, edge: int, count: int) -> None:
        """Atoms of a group from ``atom`` on, the first of which enters at ``edge``. Credit has been given for them."""
        self._runs.append(_Delivered(sums, group, atom, edge, count))

    def next_edge(self) -> int | None:
        """The first edge at which the next atom may be taken."""
        return self._runs[0].edge + 1 if self._runs else None

    def take(self, cycle: int) -> tuple[ConvolutionSums, int, int]:
        """Take an atom: whose sums, group and number."""
        run = self._runs[0]
        found = run.sums, run.group, run.atom
        run.atom += 1
        run.edge += 1
        run.count -= 1
        if run.count == 0:
            self._runs.popleft()
        self.credit += 1
        self.last_taken = cycle
        return found
