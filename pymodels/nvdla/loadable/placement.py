# SPDX-License-Identifier: Apache-2.0
"""Where the memories of a loadable lie for the hardware, and what they hold before a run."""

from __future__ import annotations

from dataclasses import dataclass

from goldbeat.pymodels.axi.memory import Region
from goldbeat.pymodels.errors import InputError, UsageError
from goldbeat.pymodels.nvdla.loadable.loadable import Loadable, LoadableTask

BASE = 0x8000_0000
"""Where the first memory lies; the hardware harness of the recorded runs puts it there."""
ALIGNMENT = 4096
LARGEST_TOTAL = 1 << 28
"""Bytes of all memories together that models and runs take on: they keep several copies."""


@dataclass(frozen=True)
class Placement:
    """Memories one after the other, each at a multiple of the alignment.

    Attributes:
        loadable: whose memories.
        bases: address of each memory by id.
        end: address behind the last one.
    """

    loadable: Loadable
    bases: dict[int, int]
    end: int

    def address_of(self, ident: int) -> int:
        """The hardware address of an entry of the address list.

        Raises:
            InputError: no such entry, or it lies outside of its memory.
        """
        entry = self.loadable.address(ident)
        memory = self.loadable.memory(entry.mem_id)
        if entry.offset > memory.size:
            raise InputError(
                f"address {ident} at offset {entry.offset} of memory {memory.id}",
                f"at most {memory.size}",
                file=self.loadable.file,
            )
        return self.bases[memory.id] + entry.offset

    def address(self, task: LoadableTask, position: int) -> int:
        """The hardware address at a position of a task's address list.

        Raises:
            InputError: no such position.
        """
        return self.address_of(address_id(self.loadable, task, position))

    def regions(self) -> tuple[Region, ...]:
        """Every memory that is not empty as a region ``memory<id>``, in new arrays, with its contents set.

        Raises:
            InputError: memories of more than :data:`LARGEST_TOTAL` bytes in all, or contents that do not fit.
        """
        memories = self.loadable.memories
        if (total := sum(m.size for m in memories)) > LARGEST_TOTAL:
            largest = max(memories, key=lambda m: m.size)
            raise InputError(
                f"memory {largest.id} of {largest.size} bytes, {total} with the others",
                f"at most {LARGEST_TOTAL} in all",
                file=self.loadable.file,
            )
        return tuple(
            Region(f"memory{m.id}", self.bases[m.id], self.loadable.image(m)) for m in self.loadable.memories if m.size
        )

    def by_id(self) -> dict[int, Region]:
        """The :meth:`regions` by the memory's id."""
        ids = (m.id for m in self.loadable.memories if m.size)
        return dict(zip(ids, self.regions(), strict=True))


def address_id(loadable: Loadable, task: LoadableTask, position: int) -> int:
    """The id at a position of a task's address list; an :class:`InputError` if there is none."""
    if not 0 <= position < len(task.address_list):
        raise InputError(
            f"position {position} in the address list of task {task.id}",
            f"0..{len(task.address_list) - 1}",
            file=loadable.file,
        )
    return task.address_list[position]


def place_memories(loadable: Loadable, base: int = BASE, alignment: int = ALIGNMENT) -> Placement:
    """Place the memories in the order of the file's list.

    Args:
        loadable: whose memories.
        base: address of the first one, a multiple of ``alignment``.
        alignment: a power of two.

    Raises:
        UsageError: no such alignment, or the memories do not fit below 2**40.
        InputError: two memories of one id.
    """
    if alignment < 1 or alignment & (alignment - 1) or base % alignment or base < 0:
        raise UsageError(f"base 0x{base:x} and alignment {alignment}: expected a power of two and a multiple of it")
    bases: dict[int, int] = {}
    at = base
    for memory in loadable.memories:
        if memory.id in bases:
            raise InputError(f"two memories of id {memory.id}", "different ids", file=loadable.file)
        at += -at % alignment
        bases[memory.id] = at
        at += memory.size
    if at > 1 << 40:
        raise UsageError(f"memories up to 0x{at:x}: the hardware has 40 address bits")
    return Placement(loadable, bases, at)
