# SPDX-License-Identifier: Apache-2.0
"""Programs of register accesses on storage, however it is reached: every value that they read is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axi.burst import EXOKAY, READ, WRITE
from goldbeat.pymodels.axi.storage_traffic import CROWDS, Window, telling_data
from goldbeat.pymodels.stimulus import ANY_RESPONSE, Access, strobed_bits
from goldbeat.pymodels.telling import StrobeDeck
from goldbeat.tb.design.bus_ports import data_bytes
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.register import RegisterPort

_DRAWN = 256
"""Words that are drawn at once."""
_UNALIGNED = 1 / 2
"""Share of the accesses whose address is not that of their word, where they are asked for."""
_STILL = 3
"""Accesses to one word after the other, for bursts at one address."""
_BESIDE = 1 / 2
"""Share of the writes of some bytes behind which the others are read at once."""
_PARTS = 0.3
"""Share of the reads that may ask for a part of a word and do."""
_AGAIN, _MOST_AGAIN = 1 / 32, 5
"""Share of the accesses that are made again at once, read or written, and how often at most."""


class AccessWalk:
    """A register program on windows, as it is made.

    Args:
        rng: randomness.
        port: the slave.
        compared: responses to reads, and to writes, are compared.
        numbers: of the RTL, which are tried as data.
        unaligned: some addresses are not those of words; of AXI-Lite alone.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        port: RegisterPort,
        compared: tuple[bool, bool],
        numbers: Sequence[int],
        *,
        unaligned: bool = False,
    ) -> None:
        self.rng, self.port, self._compared, self._numbers = rng, port, compared, numbers
        self._unaligned = unaligned and isinstance(port, LitePort)
        self._data: list[npt.NDArray[np.uint8]] = []
        self.size = data_bytes(port)
        self._strobes = StrobeDeck(rng, self.size)
        self.lanes = (1 << self.size) - 1
        self.program: list[Access] = []

    def wait(self, cycles: int) -> None:
        """Ask for nothing; what is under way ends."""
        self.program.append(Access("wait", cycles=cycles))

    def write(self, window: Window, at: int, strobe: int) -> None:
        """Write random bytes of a word; where some are left out, none is what the word holds.

        A write without a byte may be left out on the way, so a part that is refused gets one, or no answer is compared. The other
        part keeps what it holds: nobody knows whether it is written.
        """
        if not self._data:
            self._data = list(telling_data(self.rng, _DRAWN, self.size, self._numbers))
        value = self._data.pop()
        answers = window.refused(WRITE, at, self.size)
        refused = int(answers.max())
        if refused:
            where = np.flatnonzero(answers)
            if strobe and not any(strobe >> int(lane) & 1 for lane in where):
                strobe |= 1 << int(self.rng.choice(where))
            value = np.where(answers > 0, value, window.data[at : at + self.size])
        elif strobe != self.lanes:
            value = np.where(value == window.data[at : at + self.size], ~value, value)
        offset = self._offset((strobe & -strobe).bit_length() - 1)
        for lane in range(self.size):
            if strobe >> lane & 1 and not refused:
                window.data[at + lane] = value[lane]
                window.known[at + lane] = True
        word = int.from_bytes(value.tobytes(), "little")
        answered = self._answered(WRITE, refused)
        if refused and not strobe:
            answered = {"error": True, "response": ANY_RESPONSE}
        self.program.append(Access("write", window.base + at + offset, word, strobe, offset=offset, **answered))

    def write_some(self, window: Window, at: int) -> None:
        """Write a word with the next pattern of strobes, and sometimes read its other bytes at once."""
        self.write(window, at, self._strobes.draw())
        refused = any(window.refused(kind, at, self.size).any() for kind in (READ, WRITE))
        if self.port.readable and not refused and self.rng.random() < _BESIDE:
            strobe, stored = self.program[-1].strobe, window.data[at : at + self.size]
            if strobe != self.lanes and window.known[at : at + self.size].all():
                value = int.from_bytes(stored.tobytes(), "little")
                mask = strobed_bits(~strobe, self.size)
                beside = {"mask": mask, "beside": True, **self._answered(READ, 0)}
                self.program.append(Access("read", window.base + at, value, **beside))

    def read(self, window: Window, at: int, *, parts: bool = False) -> None:
        """Read a word, and compare it if it is known; ``parts``: some of its bytes at times, where the bus can ask for them."""
        stored = int.from_bytes(window.data[at : at + self.size].tobytes(), "little")
        answers = window.refused(READ, at, self.size)
        refused = int(answers.max())
        lanes = self._part() if parts and answers.min() == refused else 0
        asked = [at + lane for lane in range(self.size) if not lanes or lanes >> lane & 1]
        known = bool(window.known[asked].all()) and not refused
        # What is in front of the address may not be read, which refuses or does not.
        value, offset = stored if known else None, self._offset(self.size - 1) if answers.min() == refused else 0
        # Bytes in front of the address may be anything.
        mask = (1 << 8 * self.size) - (1 << 8 * offset) if offset else None
        if lanes:
            mask = strobed_bits(lanes, self.size)
        answered = self._answered(READ, refused) | {"lanes": lanes}
        self.program.append(Access("read", window.base + at + offset, value, mask=mask, offset=offset, **answered))

    def _part(self) -> int:
        """Lanes of a part of a word, as wide as a power of two and at a multiple of its width; 0: all."""
        if not self.port.part_reads or self.size == 1 or self.rng.random() >= _PARTS:
            return 0
        width = 1 << int(self.rng.integers(self.size.bit_length() - 1))
        return (1 << width) - 1 << int(self.rng.integers(self.size // width)) * width

    def _offset(self, most: int) -> int:
        """Bytes from the beginning of a word to the address of an access; ``most``: to the first byte that it needs."""
        asked = self._unaligned and most > 0 and self.rng.random() < _UNALIGNED
        return int(self.rng.integers(most + 1)) if asked else 0

    def outside(self, addresses: Sequence[int]) -> None:
        """An access to where nothing is."""
        op = str(self.rng.choice(["read"] * self.port.readable + ["write"] * self.port.writable))
        value = int.from_bytes(self.rng.bytes(self.size), "little") if op == "write" else None
        strobe = int(self.rng.integers(1, self.lanes + 1)) if self.port.strobes else self.lanes
        self.program.append(Access(op, int(self.rng.choice(addresses)), value, strobe, error=True))

    def _answered(self, kind: int, response: int) -> dict[str, Any]:
        """What the far side answers, and whether that is compared."""
        exact = response if len(self.port.refusals) > 1 else None
        return {"error": response > EXOKAY, "response": exact if self._compared[kind] else ANY_RESPONSE}


def near_accesses(walk: AccessWalk, pairs: Sequence[tuple[Window, Window]], count: int) -> tuple[Access, ...]:
    """Reads and writes of few words in turn, whole and in part: what keeps a word, or a line of them, must know when it is old.

    Args:
        walk: makes the accesses.
        pairs: lines of words that differ in one address bit.
        count: accesses of each pair.
    """
    rng, reads, writes = walk.rng, walk.port.readable, walk.port.writable
    for pair in pairs:
        words = [(window, at) for window in pair for at in range(0, len(window.data), walk.size)]
        for window, at in words if writes else ():
            if not window.known[at : at + walk.size].all():
                walk.write(window, at, walk.lanes)
        for _ in range(count):
            window, at = words[int(rng.integers(len(words)))]
            kind = rng.random()
            if reads and (kind < 0.6 or not writes):
                walk.read(window, at, parts=True)
            elif walk.port.strobes and kind < 0.8:
                walk.write_some(window, at)
            else:
                walk.write(window, at, walk.lanes)
    return tuple(walk.program)


def crowded_accesses(walk: AccessWalk, windows: Sequence[Window], count: int) -> tuple[Access, ...]:
    """Some words are written while others are read, in turn, without a pause; none where there is one word or one way.

    Args:
        walk: makes the accesses.
        windows: the storage.
        count: accesses of each phase, half of them reads.
    """
    words = [(window, at) for window in windows for at in range(0, len(window.data), walk.size)]
    words = [words[number] for number in walk.rng.permutation(len(words))[:count].tolist()]
    halves = words[::2], words[1::2]
    if not (halves[1] and walk.port.readable and walk.port.writable):
        return ()

    def alone() -> None:
        # On buses with one way for both, many are open where one kind follows itself: at the end as at the beginning.
        for window, at in halves[0]:
            walk.write(window, at, walk.lanes)
        walk.wait(1)
        for window, at in halves[0]:
            walk.read(window, at)

    alone()
    for written, read in (halves[::-1], halves) * CROWDS:
        walk.wait(1)
        for number in range(count // 2):
            walk.write(*written[number % len(written)], walk.lanes)
            walk.read(*read[number % len(read)])
    walk.wait(1)
    alone()
    return tuple(walk.program)


def single_accesses(walk: AccessWalk, windows: Sequence[Window], count: int) -> tuple[Access, ...]:
    """Writes and then reads of whole words, all alike.

    Args:
        walk: makes the accesses.
        windows: the storage.
        count: accesses of each kind.
    """
    words = [(window, at) for window in windows for at in range(0, len(window.data), walk.size)]
    some = [words[number % len(words)] for number in range(count)]
    for window, at in some if walk.port.writable else ():
        walk.write(window, at, walk.lanes)
    walk.wait(1)
    for window, at in some if walk.port.readable else ():
        walk.read(window, at)
    return tuple(walk.program)


def storage_accesses(
    walk: AccessWalk, windows: Sequence[Window], count: int, outside: Sequence[int]
) -> tuple[Access, ...]:
    """Write the ends and what is not known, then write and read at random, often what was written before, then read the ends."""
    rng, port = walk.rng, walk.port
    size, lanes, reads, writes = walk.size, walk.lanes, port.readable, port.writable
    words = [(window, at) for window in windows if window.alone for at in range(0, len(window.data), size)]
    words += [(window, at) for window in windows if not window.alone for at in (0, len(window.data) - size)]
    for window in windows:
        for at in np.flatnonzero(~window.known[::size]).tolist() if writes else ():
            walk.write(window, at * size, lanes)
    for window, at in words if writes else ():
        walk.write(window, at, lanes)

    def access(window: Window, at: int) -> None:
        if rng.random() < 0.5 * (reads + (not writes)):
            walk.read(window, at, parts=True)
        elif port.strobes and rng.random() < 0.6:
            walk.write_some(window, at)
        else:
            walk.write(window, at, lanes)

    for _ in range(count):
        if rng.random() < 0.5:
            window, at = words[int(rng.integers(max(0, len(words) - 8), len(words)))]
        else:
            window = Window.draw(rng, windows)
            at = int(rng.integers(len(window.data) // size)) * size
            words.append((window, at))
        if outside and rng.random() < 0.03:
            walk.outside(outside)
            continue
        for _ in range(1 + int(rng.integers(1, _MOST_AGAIN + 1)) * bool(rng.random() < _AGAIN)):
            access(window, at)
    for window, at in words if reads else ():
        walk.read(window, at)
    for block, wraps in sorted({(form.words, form.wraps) for form in port.forms() if form is not None}):
        _around(walk, windows, block, wraps=wraps)
    return tuple(walk.program)


def _around(walk: AccessWalk, windows: Sequence[Window], count: int, *, wraps: bool) -> None:
    """Blocks of words, written and read in order: bursts, some at one address; if they wrap, from the middle on from the first.

    Those that do not wrap begin at the last word of a block as well, and at any; some bytes of these are left out.
    """
    block, turns = count * walk.size, _STILL if count == 1 else 1
    for window in (one for one in windows if len(one.data) >= block + -one.base % block):
        first = -window.base % block
        start = first + int(walk.rng.integers((len(window.data) - first) // block)) * block
        for middle in (count - 1, int(walk.rng.integers(count))) if wraps else (0,):
            turned = [start + (middle + number) % count * walk.size for number in range(count * turns)]
            for at in turned if walk.port.writable else ():
                walk.write(window, at, walk.lanes)
            for at in turned if walk.port.readable else ():
                walk.read(window, at)
        if not wraps and count > 1:
            room = len(window.data) - block
            last = range(first + block - walk.size, room + 1, block)
            _from_anywhere(walk, window, count, [*last[:1], int(walk.rng.integers(room // walk.size + 1)) * walk.size])


def _from_anywhere(walk: AccessWalk, window: Window, count: int, starts: Sequence[int]) -> None:
    """So many words from these places on, written in part and read."""
    for start in starts:
        places = [start + number * walk.size for number in range(count)]
        for at in places if walk.port.writable else ():
            walk.write(window, at, int(walk.rng.integers(1, walk.lanes + 1)) if walk.port.strobes else walk.lanes)
        for at in places if walk.port.readable else ():
            walk.read(window, at)


def queued_accesses(walk: AccessWalk, windows: Sequence[Window], count: int, pause: int) -> tuple[Access, ...]:
    """Runs of accesses of which none meets another: all words in random order, written, then read; a pause before each run.

    Half of the runs end with one window before they begin with the next.
    """
    over = windows
    while len(walk.program) < count:
        words = [(window, at) for window in over for at in range(0, len(window.data), walk.size)]
        places = [place for place, window in enumerate(over) for _ in range(0, len(window.data), walk.size)]
        together = walk.rng.random() < 0.5
        for writes in [True] * walk.port.writable + [False] * walk.port.readable:
            if pause:
                walk.wait(pause)
            order = walk.rng.permutation(len(words)).tolist()
            for number in sorted(order, key=places.__getitem__) if together else order:
                window, at = words[number]
                if writes:
                    walk.write(window, at, walk.lanes)
                else:
                    walk.read(window, at)
        over = [window for window in windows if not window.whole]
    return tuple(walk.program)
