# SPDX-License-Identifier: Apache-2.0
"""What the shim and the controller cost under ``npu1``, and the gaps in what the host sends. Contract: npu1.md, Host side.

Cycles are those of the array. The side of the DDR memory has noise: gaps are drawn from a distribution, by a seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.plan.plan import Direction, DmaChannel, Plan
from goldbeat.pymodels.objfifo.plan.tile import Tile, TileKind

FILL_START, FILL_SLOPE = 747, 1.05
"""Cycles of an MM2S task of the shim beside its words, and per word (S2)."""

DRAIN_START, DRAIN_SLOPE = 171, 1.0
"""The same for S2MM (S1)."""

DRAIN_FLOOR = 700
"""Least cycles of the first S2MM task (S4)."""

LATER_DRAIN_FLOOR = 254
"""Least cycles of later ones (S7)."""

TASK_FLOOR, COLD, DECAY = 400, 1330, 0.31
"""Least cycles of a queued MM2S task, how much more the first one takes, and what of it is left for each one after (S6)."""

GAP_MEAN = 18.0
"""Mean of a gap in what comes from the DDR memory; with :data:`FILL_SLOPE` it gives the noise that was measured (1.1)."""

WRITE_CYCLES = 100.5
"""The controller's 32-bit write (S10)."""

BLOCK_START, BLOCK_WORD = 99, 13
"""The controller's block write: beside its words, and per word; 203 for the eight words of a descriptor (S11)."""

MASK_WRITE_CYCLES = 210
"""The controller's masked write (S11)."""

BD_WORDS_OF_SHIM = 8
"""Words of a descriptor of the shim."""


def fill_cycles(words: int, place: int = 0) -> float:
    """Mean cycles from the start of an MM2S task to its end.

    Args:
        words: of the task.
        place: how many tasks of the channel were queued before it, at once.
    """
    floor = TASK_FLOOR + COLD * DECAY**place
    start = FILL_START if place == 0 else TASK_FLOOR - FILL_SLOPE * 64
    return float(max(floor, start + FILL_SLOPE * words))


def drain_cycles(words: int, place: int = 0) -> float:
    """Mean cycles from the start of an S2MM task to its end, with a source that is always ready.

    Args:
        words: of the task.
        place: how many tasks of the channel were queued before it, at once.
    """
    floor = DRAIN_FLOOR if place == 0 else LATER_DRAIN_FLOOR
    return max(floor, DRAIN_START + DRAIN_SLOPE * words)


def fill_gaps(tasks: Sequence[int], rng: np.random.Generator | None) -> npt.NDArray[np.int64]:
    """Idle cycles before each word that the shim sends.

    Args:
        tasks: words of each task of the channel, all queued at once.
        rng: of the DDR memory's noise; None: its mean, spread evenly.

    Returns:
        (words,): the first one of a task waits for its start, the others for the memory.
    """
    found = []
    for place, words in enumerate(tasks):
        extra = FILL_SLOPE - 1
        if rng is None:
            gaps = np.diff(np.floor(np.arange(words + 1) * extra).astype(np.int64))
        else:
            waits = rng.random(words) < extra / GAP_MEAN
            gaps = np.where(waits, np.round(rng.exponential(GAP_MEAN, words)).astype(np.int64), 0)
        if words:
            gaps[0] += round(fill_cycles(words, place) - FILL_SLOPE * words)
        found.append(gaps)
    return np.concatenate([np.zeros(0, np.int64), *found])


def controller_cycles(writes: int = 0, blocks: Sequence[int] = (), masks: int = 0) -> float:
    """What the controller needs for register accesses, one after the other.

    Args:
        writes: 32-bit writes.
        blocks: words of each block write.
        masks: masked writes.
    """
    return WRITE_CYCLES * writes + sum(BLOCK_START + BLOCK_WORD * words for words in blocks) + MASK_WRITE_CYCLES * masks


@dataclass(frozen=True)
class HostCost:
    """What a channel of a shim costs.

    Attributes:
        tile, channel, fifo: which one.
        tasks: words of each task.
        cycles: of each task, the array and the other side always ready.
        controller: cycles for the descriptors, queue writes and token requests.
    """

    tile: Tile
    channel: str
    fifo: str
    tasks: tuple[int, ...]
    cycles: tuple[float, ...]
    controller: float


def shim_channels(plan: Plan) -> Iterator[tuple[Tile, DmaChannel]]:
    """Every channel of the shims with its tile, in the order of the plan."""
    for one in plan.tiles:
        if one.tile.kind is TileKind.SHIM:
            yield from ((one.tile, channel) for channel in one.channels)


def task_packets(channel: DmaChannel) -> tuple[tuple[int, ...], ...]:
    """Words of each descriptor's run in each task of a channel: where it sends packets, those of a packet."""
    by_id = {bd.id: bd for bd in channel.bds}
    found = []
    for task in channel.queue:
        words, number = [], task.bd
        seen: set[int] = set()
        while number not in seen:
            seen.add(number)
            words.append(by_id[number].length)
            following = by_id[number].next
            if following is None:
                break
            number = following
        found.append(tuple(words) * (task.repeat + 1))
    return tuple(found)


def task_words(channel: DmaChannel) -> tuple[int, ...]:
    """Words of each task of a channel."""
    return tuple(sum(words) for words in task_packets(channel))


def fills_by_fifo(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Words of each task with which the shims send, by fifo."""
    return {
        channel.fifo: task_words(channel) for _, channel in shim_channels(plan) if channel.direction is Direction.MM2S
    }


def packets_by_fifo(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Words of each descriptor's run with which the shims send, by fifo."""
    return {
        channel.fifo: tuple(words for task in task_packets(channel) for words in task)
        for _, channel in shim_channels(plan)
        if channel.direction is Direction.MM2S
    }


def host_costs(plan: Plan) -> list[HostCost]:
    """What every channel of the shims costs, in the order of the plan."""
    found = []
    for tile, channel in shim_channels(plan):
        tasks = task_words(channel)
        cost = fill_cycles if channel.direction is Direction.MM2S else drain_cycles
        controller = controller_cycles(
            writes=len(tasks),
            blocks=[BD_WORDS_OF_SHIM] * len(channel.bds),
            masks=int(any(task.token for task in channel.queue)),
        )
        cycles = tuple(cost(words, place) for place, words in enumerate(tasks))
        found.append(HostCost(tile, channel.name, channel.fifo, tasks, cycles, controller))
    return found
