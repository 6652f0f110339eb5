# SPDX-License-Identifier: Apache-2.0
"""Arrays of jobs and records in memory that two processes share: each is copied once, and no file holds it.

Pickles have the arrays out of band (PEP 574). The memory has no name in any file system, so nothing is left behind when both
processes have ended, however they end.
"""

from __future__ import annotations

import mmap
import os
import pickle
from collections.abc import Sequence

import numpy as np

_LEAST_BYTES = 1 << 16
"""Smaller arrays stay in the pickle."""
_ALIGN = 64

Span = tuple[int, int]
"""Offset and length in bytes."""


class SharedBytes:
    """A stretch of memory that one process fills and another reads; it grows as needed.

    Args:
        descriptor: of the memory, from :func:`new_memory`.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._map: mmap.mmap | None = None

    def leaves(self, buffer: pickle.PickleBuffer, apart: list[pickle.PickleBuffer]) -> bool:
        """A pickle's callback: True for a buffer that stays in the pickle, all others are added to ``apart``."""
        small = buffer.raw().nbytes < _LEAST_BYTES
        if not small:
            apart.append(buffer)
        return small

    def put(self, buffers: Sequence[pickle.PickleBuffer]) -> list[Span]:
        """Copy buffers in, from the beginning on; what was there before is gone.

        Raises:
            OSError: there is not enough memory.
        """
        spans, end = list[Span](), 0
        for buffer in buffers:
            spans.append((end, buffer.raw().nbytes))
            end += -(-spans[-1][1] // _ALIGN) * _ALIGN
        if end > os.fstat(self.descriptor).st_size:
            os.posix_fallocate(self.descriptor, 0, end)
        whole = self._bytes() if end else None
        for buffer, (start, length) in zip(buffers, spans, strict=True):
            assert whole is not None
            whole[start : start + length] = np.frombuffer(buffer.raw(), np.uint8)
        return spans

    def get(self, spans: Sequence[Span], *, copy: bool) -> list[np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]:
        """What is there; without ``copy`` it changes with the next :meth:`put`."""
        if not spans:
            return []
        whole = self._bytes()
        views = [whole[start : start + length] for start, length in spans]
        return [view.copy() for view in views] if copy else views

    def _bytes(self) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        size = os.fstat(self.descriptor).st_size
        if self._map is None or len(self._map) != size:
            # Arrays of before keep the old map alive as long as they need it.
            self._map = mmap.mmap(self.descriptor, size)
        return np.frombuffer(self._map, np.uint8)

    def close(self) -> None:
        """Give the descriptor back."""
        self._map = None
        os.close(self.descriptor)


def new_memory() -> SharedBytes | None:
    """Memory of no size yet; None where the system has none of this kind (it is Linux's)."""
    make = getattr(os, "memfd_create", None)
    return None if make is None else SharedBytes(make("goldbeat"))
