# SPDX-License-Identifier: Apache-2.0
"""The weights cache: all weights of a layer, nine a row, a third of the rows in each of three blocks, for each of 16 PEs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.errors import UsageError

PES = 16
BLOCKS = 3
BLOCK_ROWS = 1024
ROWS = BLOCKS * BLOCK_ROWS
ROW_WORDS = 9
PACKED = 8
"""1x1 weights in a row; the ninth word stays unused."""
CENTRE = 4
"""The tap that a 1x1 weight is multiplied in."""


@dataclass(frozen=True)
class WeightPlace:
    """Where a weight lies.

    Attributes:
        pe: which PE's part.
        block, row: row 0..1023 of block 0..2.
        slot: first word of the row that it takes: 0 for the nine of a 3x3 kernel.
    """

    pe: int
    block: int
    row: int
    slot: int


def place_of(ch_out: int, kernel: int, ci: int, co: int) -> WeightPlace:
    """Where the weight (3x3: all nine) of an input and an output channel lies; ``ci`` = ``ch_in`` gives the bias."""
    q = (ci * ch_out + co) // PES
    row, slot = (q, 0) if kernel == 3 else divmod(q, PACKED)
    return WeightPlace(co % PES, row // BLOCK_ROWS, row % BLOCK_ROWS, slot)


def rows_used(ch_in: int, ch_out: int, kernel: int) -> int:
    """Rows that weights and biases of a layer take, of :data:`ROWS`."""
    q = (ch_in + 1) * ch_out // PES
    return q if kernel == 3 else -(-q // PACKED)


class WeightsCache:
    """The weights and biases of one layer.

    Args:
        ch_in, ch_out: channels.
        kernel: 3 or 1.
        dtype: of a word.

    Raises:
        UsageError: ``ch_out`` is no multiple of 16, or there are too many rows.
    """

    def __init__(self, ch_in: int, ch_out: int, kernel: int, dtype: npt.DTypeLike = np.float32) -> None:
        if ch_out % PES:
            raise UsageError(f"ch_out: found {ch_out}, expected a multiple of {PES}")
        if (rows := rows_used(ch_in, ch_out, kernel)) > ROWS:
            raise UsageError(f"the weights of {ch_in} x {ch_out} channels take {rows} rows, the cache has {ROWS}")
        self.ch_in, self.ch_out, self.kernel = ch_in, ch_out, kernel
        self.words: npt.NDArray[Any] = np.zeros((PES, BLOCKS, BLOCK_ROWS, ROW_WORDS), dtype)

    def load(self, stream: npt.NDArray[Any]) -> None:
        """Store weights and biases that come in the order of the memory.

        Args:
            stream: (words,) for each input channel, for each output channel nine words or one; then one bias for each
                output channel.

        Raises:
            UsageError: another number of words.
        """
        taps = self.kernel * self.kernel
        expected = (self.ch_in * taps + 1) * self.ch_out
        if len(stream) != expected:
            raise UsageError(f"found {len(stream)} words of weights, expected {expected}")
        at = 0
        for ci in range(self.ch_in + 1):
            count = taps if ci < self.ch_in else 1
            for co in range(self.ch_out):
                p = place_of(self.ch_out, self.kernel, ci, co)
                self.words[p.pe, p.block, p.row, p.slot : p.slot + count] = stream[at : at + count]
                at += count

    def kernel_of(self, ci: int, co: int) -> npt.NDArray[Any]:
        """(9,) what the multipliers see: a 1x1 weight stands in the middle of zeros."""
        p = place_of(self.ch_out, self.kernel, ci, co)
        row: npt.NDArray[Any] = self.words[p.pe, p.block, p.row]
        if self.kernel == 3:
            return row.copy()
        out = np.zeros(ROW_WORDS, self.words.dtype)
        out[CENTRE] = row[p.slot]
        return out

    def bias(self, co: int) -> Any:
        """The bias of an output channel."""
        p = place_of(self.ch_out, self.kernel, self.ch_in, co)
        return self.words[p.pe, p.block, p.row, p.slot]
