# SPDX-License-Identifier: Apache-2.0
"""The AXI4 memory of docs/memory.md, one burst at a time: for masters whose next burst depends on the answers to the last ones.

:func:`goldbeat.pymodels.axi.memory.predict` does the same for a program that is known beforehand. One ID, so that all
answers come in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.pymodels.axi.memory import READ_JITTER, WRITE_JITTER, Gaps, Gate, Jitter, MemoryTiming, both
from goldbeat.pymodels.pattern import NextReady, Pattern


class ReadChannel:
    """AR and R.

    Args:
        timing: of the memory.

    Attributes:
        plain: nothing but latency: beats come one per cycle.
    """

    def __init__(self, timing: MemoryTiming) -> None:
        self._latency, self._most = timing.read_latency, timing.max_reads
        self._jitter = Jitter(timing, READ_JITTER)
        self._ready, self._gate, self._gaps = (
            NextReady(timing.ar_ready),
            Gate(timing.read_bandwidth),
            Gaps(timing.r_gaps),
        )
        self.plain = _plain(timing.r_gaps) and timing.read_bandwidth[0] == timing.read_bandwidth[1]
        self._done: list[int] = []
        self._offer = 0 if self.plain else self._gaps()
        self._taken = 0

    def burst(self, offer: int, beats: int, hold: int = 0) -> tuple[int, Sequence[int]]:
        """The next burst.

        Args:
            offer: first cycle of the address.
            beats: how many.
            hold: after each beat of this burst, the master is not ready for so many cycles.

        Returns:
            cycle of the address handshake, and (beats,) those of the data.
        """
        done = self._done
        number = len(done)
        address = self._ready(offer if number < self._most else max(offer, done[number - self._most] + 1))
        due = address + self._latency + self._jitter()
        if self.plain:
            first = max(due, self._offer, self._taken)
            moved: Sequence[int] = range(first, first + beats * (hold + 1), hold + 1)
            last = moved[-1]
            self._offer = last + 1
        else:
            moved = []
            for _ in range(beats):
                last = max(self._gate(max(due, self._offer)), self._taken)
                moved.append(last)
                self._offer, self._taken = last + 1 + self._gaps(), last + 1 + hold
        self._taken = last + 1 + hold
        done.append(last)
        return address, moved


class WriteChannel:
    """AW, W and B; the master offers data after the address has been taken, and is always ready for the response.

    Args:
        timing: of the memory.

    Attributes:
        plain: data are taken one per cycle.
    """

    def __init__(self, timing: MemoryTiming) -> None:
        self._latency, self._most = timing.write_latency, timing.max_writes
        self._jitter = Jitter(timing, WRITE_JITTER)
        self._address = NextReady(timing.aw_ready)
        self.plain = _plain(timing.w_ready) and timing.write_bandwidth[0] == timing.write_bandwidth[1]
        self._data = both(NextReady(timing.w_ready), Gate(timing.write_bandwidth))
        self._gaps = Gaps(timing.b_gaps)
        self._offer = self._gaps()
        self._done: list[int] = []

    def address(self, offer: int) -> int:
        """Handshake of the next address."""
        done = self._done
        number = len(done)
        return self._address(offer if number < self._most else max(offer, done[number - self._most] + 1))

    def data(self, offer: int) -> int:
        """Handshake of the next beat of data, whose address has been taken before ``offer``."""
        return offer if self.plain else self._data(offer)

    def response(self, address: int, last: int) -> int:
        """Handshake of the response to the burst with this address and this last data handshake."""
        done = max(max(address, last) + self._latency + self._jitter(), self._offer)
        self._offer = done + 1 + self._gaps()
        self._done.append(done)
        return done


def _plain(pattern: Pattern) -> bool:
    return pattern.kind == "none"
