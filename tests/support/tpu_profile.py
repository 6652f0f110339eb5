# SPDX-License-Identifier: Apache-2.0
"""Texts as the compiler's profiler writes them."""

from collections.abc import Sequence


def entry(own: int, other: int, took: int, *, dma: bool = False, start: int = 0) -> str:
    """One entry: its id, the id it waits for, its cycles."""
    tiu, gdma = (other, own) if dma else (own, other)
    tail = "|dr:0|sz:64|bw:1.00" if dma else ""
    name = f"Load_{own}|GDMA_TENSOR" if dma else f"Op_{own}|AR"
    return f"{name}|s:{start}|b:{tiu}|g:{gdma}|e:{start + took - 1}|t:{took}{tail}"


def section(tiu: Sequence[tuple[int, int, int]], gdma: Sequence[tuple[int, int, int]]) -> str:
    """A sub-net's section: TIU left, GDMA right, (id, id waited for, cycles) each, and the line that closes it."""
    lines = []
    for row in range(max(len(tiu), len(gdma))):
        left = entry(*tiu[row]) if row < len(tiu) else ""
        right = entry(*gdma[row], dma=True) if row < len(gdma) else ""
        lines.append(f"{left:<60}{right}\n")
    return "".join(lines) + "API_END total_cycle:0|b:0|g:0\n"
