# SPDX-License-Identifier: Apache-2.0
"""The first word that each waiting side misses: what of a fifo has come so far, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from goldbeat.pymodels.objfifo.diagnose.stream_word import object_place
from goldbeat.pymodels.objfifo.plan.access import CodeLine
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction, FifoEnd
from goldbeat.pymodels.objfifo.plan.tile import WORD_BYTES, bd_number
from goldbeat.pymodels.objfifo.untimed.machine import ChannelAgent, CoreAgent, LockAgent, Machine


@dataclass(frozen=True)
class MissingWord:
    """What a waiting side stands before.

    Attributes:
        waiter: the channel or core.
        what: what it wants to do with the word.
        fifo: whose word it is.
        word: its number in what this side has moved or held so far, from 0.
        item: number of the object that it belongs to, None where objects are not known.
        element: number of its first element within the object.
        bd: the descriptor, None for a core.
        buffer: what the descriptor walks.
        line: where a core's program waits.
    """

    waiter: str
    what: str
    fifo: str
    word: int
    item: int | None
    element: int
    bd: int | None = None
    buffer: str = ""
    line: CodeLine | None = None

    def __str__(self) -> str:
        place = "" if self.item is None else f" (object {self.item}, element {self.element})"
        by = "" if self.bd is None else f", BD {self.bd}" + (f" of buffer {self.buffer}" if self.buffer else "")
        at = "" if self.line is None else f" at {self.line}"
        return f"{self.waiter}{at} {self.what} word {self.word} of {self.fifo}{place}{by}"


def missing_word(machine: Machine, agent: LockAgent) -> MissingWord | None:
    """What a waiting agent of a machine stands before; None for one that does not wait."""
    plan = machine.plan
    if agent.wait is None:
        return None
    if isinstance(agent, ChannelAgent):
        sends = agent.channel.direction is Direction.MM2S
        if agent.wait.lock is None:
            what = "cannot send" if sends else "misses"
        else:
            what = "was not given" if sends else "has no room for"
        bd: Bd | None = agent.bd
        fifo, word = agent.channel.fifo, agent.passed
        return MissingWord(
            agent.name,
            what,
            fifo,
            word,
            *object_place(plan, fifo, word),
            bd_number(agent.tile, bd.id) if bd else None,
            bd.buffer if bd else "",
        )
    if isinstance(agent, CoreAgent) and agent.access is not None:
        access = agent.access
        end = agent.ends[access.key]
        # What is there already, though not enough of it.
        there = machine.locks[agent.wait.lock] // end.units if agent.wait.lock is not None else 0
        first = end.oldest + end.held + there
        what = "has no room for" if access.port is FifoEnd.PRODUCE else "misses"
        one = next((f for f in plan.fifos if f.name == access.fifo), None)
        words = 0 if one is None else int(np.prod(one.shape)) * np.dtype(one.dtype).itemsize // WORD_BYTES
        word = first * words
        return MissingWord(agent.name, what, access.fifo, word, first, 0, line=access.line)
    return None
