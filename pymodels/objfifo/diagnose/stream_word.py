# SPDX-License-Identifier: Apache-2.0
"""Which descriptor, and which step of its walk, a word of a stream belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, DmaChannel, Plan
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, Tile, bd_number


@dataclass(frozen=True)
class StreamWord:
    """A word that a channel moves.

    Attributes:
        channel: name of the channel with its tile.
        fifo: whose word it is.
        word: its number on the channel, from 0.
        item: number of the object on the stream, None where objects are not known.
        element: number of its first element in that object.
        bd: the descriptor; at: the word's number within it; length: of the descriptor.
        use: which run of this descriptor, from 0.
        walk: position in each dimension, innermost first; empty for a plain run.
        buffer: what is walked.
        place: word of the buffer, None for a zero of the padding.
    """

    channel: str
    fifo: str
    word: int
    item: int | None
    element: int
    bd: int
    at: int
    length: int
    use: int
    walk: tuple[int, ...]
    buffer: str
    place: int | None

    def __str__(self) -> str:
        item = "" if self.item is None else f" (object {self.item}, element {self.element})"
        walk = f", walk {list(self.walk)}" if self.walk else ""
        place = "padding" if self.place is None else f"word {self.place} of buffer {self.buffer}"
        return (
            f"word {self.word} of {self.fifo}{item}: {self.channel}, BD {self.bd} (run {self.use}), "
            f"word {self.at} of {self.length}{walk}, {place}"
        )


def word_of_channel(plan: Plan, tile: Tile, direction: Direction, index: int, word: int) -> StreamWord | None:
    """A channel's word by its number; None where the channel's tasks end before it."""
    channel = plan.tile(tile).channel(direction, index)
    found = _descriptor(channel, word)
    if found is None:
        return None
    bd, at, use = found
    address = int(bd_addresses(bd)[at])
    if address >= 0:
        address += (bd.iteration.current + use) % bd.iteration.size * bd.iteration.step
    bases = {b.name: b.address // WORD_BYTES for b in (*plan.tile(tile).buffers, *plan.hosts)}
    place = None if address < 0 else address - bases.get(bd.buffer, 0)
    item, element = object_place(plan, channel.fifo, word)
    name, number = f"{channel.name} of {tile}", bd_number(tile, bd.id)
    return StreamWord(
        name, channel.fifo, word, item, element, number, at, bd.length, use, _walk(bd, at), bd.buffer, place
    )


def object_place(plan: Plan, fifo: str, word: int) -> tuple[int | None, int]:
    """Object and first element of a word of a fifo's stream."""
    for one in plan.fifos:
        if one.name == fifo:
            size = np.dtype(one.dtype).itemsize
            words = max(1, int(np.prod(one.shape)) * size // WORD_BYTES)
            return word // words, word % words * WORD_BYTES // size
    return None, 0


def _descriptor(channel: DmaChannel, word: int) -> tuple[Bd, int, int] | None:
    """The descriptor that a word falls in, the word's number in it, and its run."""
    table = {bd.id: bd for bd in channel.bds}
    left, runs = word, dict.fromkeys(table, 0)
    for task in channel.queue:
        chain: list[int] = []
        number: int | None = task.bd
        while number is not None and number not in chain:
            chain.append(number)
            number = table[number].next
        length = sum(table[n].length for n in chain)
        # A chain that comes back to itself never ends; one that does, starts again as often as it is repeated.
        endless = number is not None
        rounds = left // max(1, length) if endless else min(task.repeat + 1, left // max(1, length))
        if endless and number != chain[0]:
            rounds = 0
        left -= rounds * length
        for one in chain:
            runs[one] += rounds
        if not endless and rounds == task.repeat + 1:
            continue
        for one in chain:
            if left < table[one].length:
                return table[one], left, runs[one]
            left -= table[one].length
            runs[one] += 1
    return None


def _walk(bd: Bd, at: int) -> tuple[int, ...]:
    """Position in each dimension, zeros of the padding counted."""
    found = []
    for number, dim in enumerate(bd.dims):
        pad = bd.padding[number] if number < len(bd.padding) else None
        size = dim.size + (pad.before + pad.after if pad is not None else 0)
        last = number == len(bd.dims) - 1
        found.append(at if last else at % size)
        at = 0 if last else at // size
    return tuple(found)
