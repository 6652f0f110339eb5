# SPDX-License-Identifier: Apache-2.0
"""Texts as the compiler's profiler writes them."""

from collections.abc import Sequence


def entry(own: int, other: int, took: int, *, dma: bool = False, start: int = 0) -> str:
    """One entry: its id, the id it waits for, its cycles."""
    tiu, gdma = (other, own) if dma else (own, other)
    tail = "|dr:3|bw:1.00" if dma else ""
    name = f"Load_{own}|GDMA_NOP" if dma else f"Op_{own}|BD_NOP"
    return f"{name}|s:{start}|b:{tiu}|g:{gdma}|e:{start + took - 1}|t:{took}{tail}"


def section(tiu: Sequence[tuple[int, int, int]], gdma: Sequence[tuple[int, int, int]]) -> str:
    """A sub-net's section: TIU left, GDMA right, (id, id waited for, cycles) each, and the line that closes it."""
    starts, ends = _starts((tiu, gdma))
    lines = []
    for row in range(max(len(tiu), len(gdma))):
        cells = ["", ""]
        for side, given in enumerate((tiu, gdma)):
            if row < len(given):
                cells[side] = entry(*given[row], dma=bool(side), start=starts[side][row])
        lines.append(f"{cells[0]:<60}{cells[1]}\n")
    return "".join(lines) + f"API_END total_cycle:{max(ends)}|b:{len(tiu)}|g:{len(gdma)}\n"


def _starts(both: Sequence[Sequence[tuple[int, int, int]]]) -> tuple[list[list[int]], list[int]]:
    """When entries start, behind all that they wait for in their group, which begins with id 1; and the ends of both sides."""
    starts: list[list[int]] = [[], []]
    ends, groups, done = [0, 0], [0, 0], {}
    turns = sum(map(len, both))
    for turn in range(2 * turns):
        for side, given in enumerate(both):
            if (row := len(starts[side])) == len(given):
                continue
            own, waits, took = given[row]
            group = groups[side] + (own == 1)
            # What waits for no entry starts at last.
            if waits and turn < turns and (1 - side, group, waits) not in done:
                continue
            groups[side] = group
            starts[side].append(max(ends[side], done.get((1 - side, group, waits), 0)))
            ends[side] = done[side, group, own] = starts[side][row] + took
    return starts, ends
