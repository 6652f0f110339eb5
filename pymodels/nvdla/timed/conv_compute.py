# SPDX-License-Identifier: Apache-2.0
"""CSC, CMAC and CACC at work: groups, stripes and blocks, and the edges at which they meet what they need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from goldbeat.pymodels.nvdla.engines.arithmetic import Ints
from goldbeat.pymodels.nvdla.engines.weights import ATOM_C, ATOM_K
from goldbeat.pymodels.nvdla.timed.activity import WORK
from goldbeat.pymodels.nvdla.timed.conv_buffer import NEVER, CbufRing, DeliveryFifo, FetchedOperation
from goldbeat.pymodels.nvdla.timed.conv_settings import ENTRY, ComputeSettings
from goldbeat.pymodels.nvdla.timed.conv_sums import ConvolutionSums

STRIPE = 16
"""Atoms of a stripe; the last one of a group has up to twice as many, less one."""
CONV_PIPELINE = 10


def stripes(atoms: int) -> list[int]:
    """Atoms of each stripe of a group."""
    found = []
    while atoms >= 2 * STRIPE:
        found.append(STRIPE)
        atoms -= STRIPE
    return [*found, atoms]


@dataclass(frozen=True)
class WeightBlock:
    """A block of weights in its group.

    Attributes:
        first: entry of the group that the first load step needs.
        entries: load steps that need an entry, one after the other.
        passes: rows of it that are gone through one after the other.
        end: entries of the group that lie before the byte behind it.
    """

    first: int
    entries: int
    passes: int
    end: int


@cache
def weight_blocks(kernels: int, depth: int, rows: int, columns: int, joined: int) -> tuple[WeightBlock, ...]:
    """The blocks of a group of so many kernels."""
    found = []
    at, had = 0, -1
    for c in range(0, depth, ATOM_C):
        for r in range(0, rows, joined):
            passes = min(joined, rows - r)
            size = kernels * min(ATOM_C, depth - c) * passes
            for _ in range(columns):
                last = (at + size - 1) // ENTRY
                found.append(WeightBlock(had + 1, last - had, passes, (at + size) // ENTRY))
                at, had = at + size, last
    return tuple(found)


@dataclass(frozen=True)
class _Turn:
    """A block in a stripe of a group.

    Attributes:
        base: first entry of the group in the operation's weights.
        needed: slices, for the first block of a stripe; 0 otherwise.
        final: the last block of its stripe.
        frees: its entries are not needed any more.
    """

    block: WeightBlock
    group: int
    base: int
    atom: int
    atoms: int
    needed: int
    final: bool
    frees: bool


class ConvolutionCompute:
    """One operation, its registers as they stood at its start ``start``.

    Attributes:
        operation: the fetch that it belongs to.
    """

    def __init__(
        self,
        settings: ComputeSettings,
        operation: FetchedOperation,
        rings: tuple[CbufRing, CbufRing],
        fifo: DeliveryFifo,
        start: int,
    ) -> None:
        self.settings, self.operation = settings, operation
        self._data, self._weights = rings
        self._fifo = fifo
        self._start = start
        self.sums = ConvolutionSums(settings, operation.settings.pad, operation.slices, operation.weights)
        self._turns = self._walk()
        self._loading = next(self._turns, None)
        self._loaded = 0  # load steps of it that are made
        self._shadow: _Turn | None = None
        self._active = start  # edge of the last step of the active block
        self._released = 0
        self._left = settings.atoms * -(-settings.kernels // ATOM_K)  # atoms that SDP has not taken
        self._taken = NEVER
        self._take = self._load = False

    def _walk(self) -> Iterator[_Turn]:
        s = self.settings
        columns, rows = s.kernel
        parts = stripes(s.atoms)
        for group in range(-(-s.kernels // ATOM_K)):
            base = group * ATOM_K * s.depth * rows * columns // ENTRY
            blocks = weight_blocks(min(ATOM_K, s.kernels - group * ATOM_K), s.depth, rows, columns, s.joined)
            atom = 0
            for number, atoms in enumerate(parts):
                needed = s.lines_needed((atom + atoms - 1) // s.out[0])
                frees = number == len(parts) - 1 and not s.skip[1]
                for index, block in enumerate(blocks):
                    final = index == len(blocks) - 1
                    yield _Turn(block, group, base, atom, atoms, 0 if index else needed, final, frees)
                atom += atoms

    def state(self, cycle: int) -> str:
        """What the multipliers do at this edge, from what stood before it: work, or what they wait for."""
        if self._start < cycle <= self._active:
            return WORK
        if (turn := self._shadow) is not None:
            if self._data.there < turn.needed:
                return "data"
            return "sdp" if turn.final and self._fifo.credit < turn.atoms else "load"
        if self._loading is None:
            return "sdp"
        return "load" if self._may_load(cycle) else "weights"

    def decide(self, cycle: int) -> None:
        """What happens at this edge, from what stood before it."""
        self._take = self._may_take(cycle)
        self._load = self._may_load(cycle) and (self._shadow is None or self._take)

    def _may_take(self, cycle: int) -> bool:
        turn = self._shadow
        if turn is None or cycle < self._active:
            return False
        return self._data.there >= turn.needed and (not turn.final or self._fifo.credit >= turn.atoms)

    def _may_load(self, cycle: int) -> bool:
        if self._loading is None or cycle <= self._start:
            return False
        block = self._loading.block
        if self._loaded >= block.entries:
            return True
        return self._loading.base + block.first + self._loaded < self._released + self._weights.there

    def commit(self, cycle: int) -> None:
        """Make it happen."""
        if self._take:
            assert self._shadow is not None
            self._begin(cycle, self._shadow)
            self._shadow = None
        if self._load:
            self._step(cycle)

    def _begin(self, cycle: int, turn: _Turn) -> None:
        """A block becomes active."""
        self._active = cycle + turn.block.passes * turn.atoms
        if turn.final:
            self._fifo.credit -= turn.atoms
            first = self._active - turn.atoms + 1 + CONV_PIPELINE
            self._fifo.push(self.sums, turn.group, turn.atom, first, turn.atoms)

    def _step(self, cycle: int) -> None:
        """A load step."""
        turn = self._loading
        assert turn is not None
        self._loaded += 1
        if self._loaded < turn.block.entries:
            return
        self._loaded = 0
        if turn.frees:
            free = turn.base + turn.block.end - self._released
            self._weights.release(free)
            self._released += free
        self._shadow = turn
        self._loading = next(self._turns, None)

    def taken(self, cycle: int) -> None:
        """SDP took an atom at this edge."""
        self._left -= 1
        if self._left == 0:
            self._taken = cycle

    @property
    def done(self) -> int:
        """D."""
        return max(self._taken, self.operation.ended) + 1

    def end(self) -> list[Ints]:
        """What is released at d; gives the slices that are kept."""
        settings = self.settings
        kept = settings.size[1]
        if not settings.skip[0]:
            self._data.release(settings.release, settings.entries)
            kept -= settings.release
        self._data.keep(kept, settings.entries)
        if settings.skip[1]:
            self._weights.keep(self.operation.weight_entries)
        else:
            self._weights.release(self.operation.weight_entries - self._released)
            self._weights.keep(0)
        return self.operation.slices[settings.size[1] - kept : settings.size[1]]

    def due(self, cycle: int) -> int:
        """The first edge from ``cycle`` on at which something happens here, if nothing else does."""
        found = self.done if self.done >= cycle else NEVER
        if self._shadow is not None and self._may_take(max(cycle, self._active)):
            found = min(found, max(cycle, self._active))
        if self._shadow is None and self._may_load(max(cycle, self._start + 1)):
            found = min(found, max(cycle, self._start + 1))
        return found
