# SPDX-License-Identifier: Apache-2.0
"""Texts as the compiler's profiler writes them."""

from collections.abc import Sequence


def entry(own: int, other: int, took: int, *, dma: bool = False, start: int = 0) -> str:
    """One entry: its id, the id it waits for, its cycles."""
    tiu, gdma = (other, own) if dma else (own, other)
    tail = "|dr:0|sz:64|bw:1.00" if dma else ""
    name = f"Load_{own}|GDMA_NOP" if dma else f"Op_{own}|NOP"
    return f"{name}|s:{start}|b:{tiu}|g:{gdma}|e:{start + took - 1}|t:{took}{tail}"


def section(tiu: Sequence[tuple[int, int, int]], gdma: Sequence[tuple[int, int, int]]) -> str:
    """A sub-net's section: TIU left, GDMA right, (id, id waited for, cycles) each, and the line that closes it."""
    lines, ends = [], [0, 0]
    for row in range(max(len(tiu), len(gdma))):
        cells = ["", ""]
        for side, given in enumerate((tiu, gdma)):
            if row < len(given):
                cells[side] = entry(*given[row], dma=bool(side), start=ends[side])
                ends[side] += given[row][2]
        lines.append(f"{cells[0]:<60}{cells[1]}\n")
    return "".join(lines) + f"API_END total_cycle:{max(ends)}|b:{len(tiu)}|g:{len(gdma)}\n"
