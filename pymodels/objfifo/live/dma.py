# SPDX-License-Identifier: Apache-2.0
"""DMA channels of a whole array: descriptors that may be written again, queues, tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError
from goldbeat.pymodels.objfifo.live.compression import ZeroExpander, zero_format
from goldbeat.pymodels.objfifo.live.lock import LiveLock
from goldbeat.pymodels.objfifo.plan.plan import Bd, Direction
from goldbeat.pymodels.objfifo.plan.strides import bd_addresses
from goldbeat.pymodels.objfifo.plan.tile import Tile

LiveWords = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class QueueRoom:
    """How many tasks a channel takes.

    Attributes:
        places: of its queue.
        work_counts: the task at hand takes one of them.
    """

    places: int = 4
    work_counts: bool = False


TIGHT_QUEUE = QueueRoom(work_counts=True)
"""On npu2 six tasks were in flight at most, two of them in the buffers of a memory tile (mlir-air#1822)."""
ENDLESS_QUEUE = QueueRoom(1 << 30)
"""What no silicon has: shows that only the queue holds a design up."""
OUT_OF_ORDER_IDS = 0x3F
"""The largest id that a packet's header has for a descriptor."""


@dataclass
class LiveBd:
    """A descriptor.

    Attributes:
        bd: length, walk, iteration, packet; its lock fields and ``next`` are not used.
        memory: the words it walks, of a tile or of the host.
        takes, gives: lock and count; ``equal`` takes wait for that very value.
        next: key of the descriptor that follows in the tile, None for none.
        pad: what padding words hold.
        slot: the out-of-order id that it puts into its packets' headers.
        uses: how often it was started.
        walk: word addresses in order, -1 for padding; made of ``bd`` where it is not given.
        turns: words that each use moves the walk by, one after the other; empty for the iteration of ``bd``.
        compress: its compression bit.
        where: the place in the user's file, for messages; empty where it is not known.
    """

    bd: Bd
    memory: LiveWords
    takes: tuple[LiveLock, int, bool] | None = None
    gives: tuple[LiveLock, int] | None = None
    next: Hashable | None = None
    pad: int = 0
    slot: int = 0
    uses: int = 0
    walk: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    turns: tuple[int, ...] = ()
    compress: bool = False
    where: str = ""
    _shape: tuple[int, bool, bool] | None = field(default=None, repr=False)

    def shape(self) -> tuple[int, bool, bool]:
        """Of :attr:`walk`: its largest address, whether it has padding, and whether it has step 1 throughout."""
        if self.walk is None:
            self.walk = bd_addresses(self.bd)
        if self._shape is None:
            padded = bool((self.walk < 0).any())
            plain = not padded and bool((np.diff(self.walk) == 1).all())
            self._shape = int(self.walk.max(initial=-1)), padded, plain
        return self._shape

    def addresses(self) -> npt.NDArray[np.int64]:
        """Word addresses of this use, -1 for padding; counts the use."""
        self.uses += 1
        return self.addresses_of(self.uses - 1)

    def addresses_of(self, use: int) -> npt.NDArray[np.int64]:
        """Word addresses of a use, counted from 0, -1 for padding."""
        padded, step = self.shape()[1], self.moved(use)
        assert self.walk is not None
        if not step:
            return self.walk
        return np.where(self.walk < 0, -1, self.walk + step) if padded else self.walk + step

    def moved(self, use: int) -> int:
        """Words by which a use moves the walk."""
        turn = self.bd.iteration
        return self.turns[use % len(self.turns)] if self.turns else (turn.current + use) % turn.size * turn.step


@dataclass(frozen=True)
class LiveTask:
    """An entry of a channel's queue."""

    bd: Hashable
    repeat: int = 0
    token: bool = False


class ChannelWatch(Protocol):
    """Told of what a channel does."""

    def task_begins(self, channel: LiveChannel, task: LiveTask) -> None:
        """A task has left the queue."""

    def descriptor_begins(self, channel: LiveChannel, bd: LiveBd, use: int) -> None:
        """A descriptor has its lock; ``use`` counts its uses from 0."""

    def words_move(self, channel: LiveChannel, words: LiveWords) -> None:
        """Words have gone to or from the stream."""

    def descriptor_ends(self, channel: LiveChannel, run_ends: bool, following: LiveBd | None, runs: int) -> None:
        """The last word has moved and the lock is given; what follows, and runs of the chain that are left."""

    def forgotten(self, channel: LiveChannel) -> None:
        """A reset: queue and descriptor are gone."""


class LiveChannel:
    """A DMA channel.

    Args:
        tile, direction, index: which one.
        find: the descriptor of a key, as it is when it starts.
        token: called when a task that asked for a token has ended.
        device: its name, for the format of compressed words.
    """

    def __init__(
        self,
        tile: Tile,
        direction: Direction,
        index: int,
        find: Callable[[Hashable], LiveBd],
        token: Callable[[], None],
        device: str,
    ) -> None:
        self.tile, self.direction, self.index = tile, direction, index
        self.name = f"{direction} {index} of {tile}"
        """``MM2S 0 of core tile (0, 2)``."""
        self.queue: deque[LiveTask] = deque()
        self.fifo = ""
        """The object FIFO whose ring it runs."""
        self.ordered = True
        """False where the header of a packet names the descriptor."""
        self.compression = False
        """Descriptors with a compression bit compress; read when one is loaded, as the bit itself is."""
        self.held = self.once = False
        """It begins no descriptor; none but one."""
        self.expander: ZeroExpander | None = None
        """Takes the words of the descriptor at hand, if it decompresses."""
        self.compressed = False
        """It has compressed or decompressed."""
        self.left = 0
        self.tasks_done = 0
        self.words = 0
        self.filled: set[LiveLock] = set()
        """Locks that it has released as a receiver."""
        self.watch: ChannelWatch | None = None
        self.causes: list[int] = []
        """Events after which the words came that are put next, as their sink says."""
        self._device = device
        self._find, self._token = find, token
        self._task: LiveTask | None = None
        self._runs = 0
        self._bd: LiveBd | None = None
        self._at_hand: Hashable | None = None
        self._walk: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._at = 0
        self._marked = self._compresses = self._padded = self._plain = False
        self._sent: LiveWords | None = None

    @property
    def idle(self) -> bool:
        """Nothing to do and nothing queued."""
        return self._task is None and not self.queue

    def accepts(self, room: QueueRoom) -> bool:
        """There is a place in the queue."""
        if len(self.queue) >= room.places and self._task is None:
            self.advance()
        return (self.in_flight if room.work_counts else len(self.queue)) < room.places

    @property
    def in_flight(self) -> int:
        """Tasks in the queue and at work."""
        return len(self.queue) + (self._task is not None)

    @property
    def started(self) -> bool:
        """It has, or had, a task."""
        return bool(self.in_flight or self.tasks_done)

    @property
    def stuck(self) -> bool:
        """:meth:`advance` would be in vain, and has been tried: there is no task, or the lock is not free."""
        if self._task is None:
            return not self.queue
        bd = self._bd
        if bd is None or bd.takes is None:
            return False
        lock, count, equal = bd.takes
        return not lock.has(count, equal=equal) and self in lock.askers

    @property
    def bd(self) -> LiveBd | None:
        """The descriptor at hand."""
        return self._bd

    @property
    def length(self) -> int:
        """Words of the descriptor at hand."""
        return len(self._walk)

    @property
    def fresh(self) -> bool:
        """No word of the descriptor at hand has moved yet."""
        return self._at == 0

    def uses(self, key: Hashable) -> bool:
        """A task at hand or in the queue has still to start the descriptor; one at work was read when it started."""
        if not self.ordered:
            return any(t.bd == key for t in (*self.queue, self._task) if t is not None)
        if self._task is None and self.queue:
            self.advance()
        task = self._task
        begun = [] if self._bd is None or self._bd.next is None else [self._bd.next]
        starts = [*begun, *([task.bd] if task is not None and self._runs > 1 else []), *(one.bd for one in self.queue)]
        return any(key in self.chain(one) for one in starts)

    def works_with(self, key: Hashable) -> bool:
        """It has the descriptor at hand."""
        return self._at_hand == key

    def chain(self, start: Hashable) -> set[Hashable]:
        """The descriptors of a chain or ring."""
        seen: set[Hashable] = set()
        following: Hashable | None = start
        with suppress(UsageError):  # One that was never written is reported when the chain comes to it.
            while following is not None and following not in seen:
                seen.add(following)
                following = self._find(following).next
        return seen

    @property
    def compresses(self) -> bool:
        """The descriptor at hand compresses or decompresses."""
        return self._bd is not None and self._compresses

    def clear(self) -> None:
        """Reset: forget the queue and the descriptor at hand."""
        self.queue.clear()
        self._task, self._bd, self._at_hand, self.left = None, None, None, 0
        self.expander = self._sent = None
        if self.watch is not None:
            self.watch.forgotten(self)

    def set_compression(self, on: bool) -> None:
        """Write the channel's compression bit.

        Raises:
            UsageError: a descriptor with a compression bit is at hand: nothing says whether it changes.
        """
        if on == self.compression:
            return
        self.settle()
        if self._bd is not None and self._marked:
            raise UsageError(f"{self.name}: its compression bit is written while it has a descriptor with one at hand")
        self.compression = on

    def settle(self) -> None:
        """Load the first descriptor of the queue, as silicon does long before a word of it moves."""
        if self._task is None and self.ordered:
            self._next_task()

    def _load(self, key: Hashable) -> None:
        bd = self._find(key)
        self._bd, self._at_hand, self._marked = bd, key, bd.compress
        self._compresses = bd.compress and self.compression

    def advance(self) -> bool:
        """Start the next descriptor if there is one and its lock is free; True if it started."""
        if not self.ordered or self.left or (self._task is None and not self._next_task()):
            return False
        if self.held and not self.once:
            return False
        bd = self._bd
        assert bd is not None
        if bd.takes is not None and not bd.takes[0].take(bd.takes[1], equal=bd.takes[2], channel=self):
            return False
        self.once = False
        self.start(bd)
        return True

    def place(self, key: Hashable) -> bool:
        """Out of order: start the descriptor that a packet names if a task is there for it and its lock is free.

        A task takes as many packets as it has runs.
        """
        if self.left or (self._task is None and not self._next_task()):
            return False
        self._load(key)
        bd = self._bd
        assert bd is not None
        if bd.takes is not None and not bd.takes[0].take(bd.takes[1], equal=bd.takes[2], channel=self):
            return False
        self.start(bd)
        return True

    def start(self, bd: LiveBd) -> None:
        """Begin to move the words of a descriptor."""
        self._walk, self._at = bd.addresses(), 0
        self.left = len(self._walk)
        most, self._padded, self._plain = bd.shape()
        most += bd.moved(bd.uses - 1) if most >= 0 else 0
        if self.left and most >= len(bd.memory):
            self.left = 0
            raise UsageError(
                f"{bd.where and bd.where + ': '}{self.name}: a descriptor of {bd.bd.buffer} walks to word {most}, "
                f"its memory has {len(bd.memory)}"
            )
        self._sent = self.expander = None
        if self._compresses:
            self._begin_groups(bd)
        if self.watch is not None:
            self.watch.descriptor_begins(self, bd, bd.uses - 1)

    def _begin_groups(self, bd: LiveBd) -> None:
        """Compress all words at once, or get ready to decompress."""
        form = zero_format(self._device)
        self.compressed = True
        if bd.bd.packet is not None or not self.ordered:
            raise UsageError(f"{self.name}: a descriptor that compresses packets with a header is not executed")
        form.require_groups(self.left, f"{self.name}: a descriptor with a compression bit")
        groups = self._walk.reshape(-1, form.words)
        first = groups[:, :1]
        if (first % form.words).any() or (groups != first + np.arange(form.words)).any():
            raise UsageError(
                f"{self.name}: a descriptor with a compression bit that does not walk "
                f"aligned groups of {form.words} words: how it forms groups is not known"
            )
        if self.direction is Direction.MM2S:
            self._sent = form.compress(bd.memory[self._walk])
            self.left = len(self._sent)
        else:
            self.expander = ZeroExpander(form, self.name)

    def _next_task(self) -> bool:
        if not self.queue:
            return False
        self._task = self.queue.popleft()
        self._runs = self._task.repeat + 1
        if self.ordered:
            self._load(self._task.bd)
        if self.watch is not None:
            self.watch.task_begins(self, self._task)
        return True

    def take(self, count: int) -> LiveWords:
        """Words for the stream."""
        assert self._bd is not None
        if self._sent is not None:
            packed = self._sent[self._at : self._at + count]
            self._moved(packed)
            return packed
        memory = self._bd.memory
        if self._plain:
            first = int(self._walk[self._at])
            words = memory[first : first + count].copy()
        elif self._padded:
            walk = self.reached(count)
            words = np.where(walk < 0, np.uint32(self._bd.pad), memory[walk]).astype(np.uint32)
        else:
            words = memory[self.reached(count)]
        self._moved(words)
        return words

    def put(self, words: LiveWords) -> None:
        """Words from the stream."""
        assert self._bd is not None
        if self._plain:
            first = int(self._walk[self._at])
            self._bd.memory[first : first + len(words)] = words
        else:
            self._bd.memory[self.reached(len(words))] = words
        self._moved(words)

    def reached(self, count: int) -> npt.NDArray[np.int64]:
        """Addresses of the words that move now."""
        return self._walk[self._at : self._at + count]

    def _moved(self, words: LiveWords) -> None:
        if self.watch is not None:
            self.watch.words_move(self, words)
        count = len(words)
        self._at += count
        self.left -= count
        self.words += count
        if self.left:
            return
        bd = self._bd
        assert bd is not None
        if bd.gives is not None:
            receives = self.direction is Direction.S2MM and (bd.takes is None or bd.takes[0] is not bd.gives[0])
            bd.gives[0].give(bd.gives[1], self, len(self._walk) if receives else 0)
            if receives:
                self.filled.add(bd.gives[0])
        if self.ordered and bd.next is not None:
            self._load(bd.next)
        else:
            self._chain_ends()
        if self.watch is not None:
            self.watch.descriptor_ends(self, bd.next is None, self._bd, self._runs)

    def skip(self) -> None:
        """Leave the rest of the descriptor at hand, without words and releases, for the one after it."""
        bd = self._bd
        if self.left and self.ordered and bd is not None:
            self.left = 0
            if bd.next is None:
                self._task = self._bd = self._at_hand = None
            else:
                self._load(bd.next)

    def _chain_ends(self) -> None:
        assert self._task is not None
        self._runs -= 1
        if self._runs:
            if self.ordered:
                self._load(self._task.bd)
            else:
                self._bd = self._at_hand = None
            return
        if self._task.token:
            self._token()
        self.tasks_done += 1
        self._task = self._bd = self._at_hand = None

    @property
    def begun(self) -> bool:
        """It has moved a part of its descriptor."""
        return 0 < self.left < len(self._walk) and not self.compressed

    @property
    def state(self) -> str:
        """What it is doing, for reports."""
        if self.left:
            return f"has {self.left} words of its descriptor to move"
        if self._bd is not None and self._bd.takes is not None:
            lock, count, _ = self._bd.takes
            return f"waits for lock {lock.name} ({lock.value}) to reach {count}"
        if not self.ordered and not self.idle:
            return "waits for a packet"
        return "is idle" if self.idle else "is between two descriptors"
