# SPDX-License-Identifier: Apache-2.0
"""Where a word of memory came from: every stream that it passed, back to the core or the host that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.diagnose.stream_word import StreamWord, word_of_channel
from goldbeat.pymodels.objfifo.plan.host_array import unequal
from goldbeat.pymodels.objfifo.plan.plan import Direction, Flow, Plan
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, TileKind
from goldbeat.pymodels.objfifo.untimed.functional import TileMemory, Words

Codes = npt.NDArray[np.int64]
_NOWHERE = -1
_CORE = -2
"""Codes of words: -1 was there from the start, -2 - n is the core's object n, others are number of the hop and word of it."""
_SHIFT = 24


@dataclass(frozen=True)
class _Hop:
    """Words that went over a stream at once."""

    flow: Flow
    first: int
    before: Codes


@dataclass(frozen=True)
class WordOrigin:
    """The way of one word.

    Attributes:
        hops: for each stream, the last one first: the word as it was received and as it was sent.
        made: who made it: a core with object and element, the host, or the start.
    """

    hops: tuple[tuple[StreamWord | None, StreamWord | None], ...]
    made: str

    def lines(self) -> list[str]:
        """For people."""
        found = []
        for received, sent in self.hops:
            found += [f"received: {received}"] if received is not None else []
            found += [f"sent: {sent}"] if sent is not None else []
        return [*found, f"made: {self.made}"]


class OriginMemory(TileMemory):
    """Memory that knows where each of its words came from. It takes a few times the memory and time of a plain one."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.plan = plan
        self._codes: dict[Tile | None, Codes] = {
            tile: np.full(len(words), _NOWHERE, np.int64) for tile, words in self.tiles.items()
        }
        self._codes[None] = np.full(len(self.host_words), _NOWHERE, np.int64)
        self._hops: list[_Hop] = []
        self._objects: list[tuple[Tile, str, int, int]] = []
        self._sent: dict[str, int] = {}
        self._made: dict[str, int] = {}

    def _of(self, tile: Tile) -> Codes:
        return self._codes[None if tile.kind is TileKind.SHIM else tile]

    def move(self, flow: Flow, words: int) -> None:
        """Words go from the source to every receiver; their codes follow."""
        first = self._sent.get(flow.fifo, 0)
        self._sent[flow.fifo] = first + words
        taken = self.ahead(flow.source.tile, Direction.MM2S, flow.source.channel, words)
        codes = np.full(words, _NOWHERE, np.int64)
        if taken is not None:
            codes = np.where(taken < 0, _NOWHERE, self._of(flow.source.tile)[taken])
        number = len(self._hops)
        self._hops.append(_Hop(flow, first, codes))
        new = (number << _SHIFT) + np.arange(words, dtype=np.int64)
        for dest in flow.dests:
            put = self.ahead(dest.tile, Direction.S2MM, dest.channel, words)
            if put is not None:
                self._of(dest.tile)[put] = new
        super().move(flow, words)

    def note(self, fifo: str, produced: npt.NDArray[Any]) -> Words:
        """A core gives an object to a fifo; its words."""
        given = super().note(fifo, produced)
        number = self._made.get(fifo, 0)
        self._made[fifo] = number + 1
        start = produced.__array_interface__["data"][0]
        for tile, words in self.tiles.items():
            at = start - words.__array_interface__["data"][0]
            if 0 <= at < words.nbytes:
                first = at // WORD_BYTES
                self._objects.append((tile, fifo, number, first))
                code = _CORE - (len(self._objects) - 1)
                self._codes[tile][first : first + produced.nbytes // WORD_BYTES] = code
        return given

    def origin(self, host: str, word: int) -> WordOrigin:
        """Where a word of a host's array came from."""
        array = next(h for h in self.plan.hosts if h.name == host)
        at, tile = array.address // WORD_BYTES + word, None
        hops: list[tuple[StreamWord | None, StreamWord | None]] = []
        code = int(self._codes[tile][at])
        while code >= 0:
            hop, index = self._hops[code >> _SHIFT], code & (1 << _SHIFT) - 1
            number = hop.first + index
            source = hop.flow.source
            dest = hop.flow.dests[0]
            if len(hops) == 0:
                dest = next((d for d in hop.flow.dests if d.tile.kind is TileKind.SHIM), dest)
            received = word_of_channel(self.plan, dest.tile, Direction.S2MM, dest.channel, number)
            sent = word_of_channel(self.plan, source.tile, Direction.MM2S, source.channel, number)
            hops.append((received, sent))
            code = int(hop.before[index])
        return WordOrigin(tuple(hops), self._made_by(code, hops))

    def _made_by(self, code: int, hops: list[tuple[StreamWord | None, StreamWord | None]]) -> str:
        if code <= _CORE:
            tile, fifo, number, first = self._objects[_CORE - code]
            sent = hops[-1][1] if hops else None
            element = "" if sent is None or sent.place is None else self._element(tile, fifo, sent, first)
            return f"the program of {tile}, object {number} of {fifo}{element}"
        last = hops[-1][1] if hops else None
        if last is None:
            return "nobody wrote it"
        if last.place is None:
            return "padding"
        hosts = {h.name for h in self.plan.hosts}
        if last.buffer in hosts:
            return f"the host, word {last.place} of {last.buffer}"
        return f"what buffer {last.buffer} held at the start (nobody wrote it)"

    def _element(self, tile: Tile, fifo: str, sent: StreamWord, first: int) -> str:
        base = self.plan.tile(tile).buffer(sent.buffer).address // WORD_BYTES
        one = next((f for f in self.plan.fifos if f.name == fifo), None)
        if one is None or sent.place is None:
            return ""
        return f", element {(base + sent.place - first) * WORD_BYTES // np.dtype(one.dtype).itemsize}"


def wrong_element(
    memory: OriginMemory, host: str, found: npt.NDArray[Any], expected: npt.NDArray[Any], *, bfloat: bool = False
) -> list[str]:
    """What differs in a host's array, and where its first wrong element came from; empty if nothing does.

    Args:
        memory: of the run.
        host: name of the array.
        found: its elements after the run.
        expected: what they should be, any shape of as many elements of its type.
        bfloat: 16-bit elements are those of bfloat16.
    """
    got, wanted = found.reshape(-1), expected.reshape(-1)
    if got.size != wanted.size:
        return [f"{host}: expected {wanted.size} elements, found {got.size}"]
    bad = unequal(got, wanted, bfloat=bfloat)
    if not len(bad):
        return []
    first = int(bad[0])
    head = (
        f"{host}: {len(bad)} of {got.size} elements differ; element {first} is {got[first]}, expected {wanted[first]}"
    )
    way = memory.origin(host, first * got.itemsize // WORD_BYTES)
    return [head, *(f"  {line}" for line in way.lines())]
