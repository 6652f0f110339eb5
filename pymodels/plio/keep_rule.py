# SPDX-License-Identifier: Apache-2.0
"""What the designs make of TKEEP: whole 32-bit words from the low end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.axis.elastic import WORD_BITS
from goldbeat.pymodels.trace import Trace

WORD_BYTES = WORD_BITS // 8
"""Bytes of a word (designs.md, Conventions)."""

WIDTHS = (32, 64, 128)
"""Legal values of ``W`` (designs.md, hdl/plio)."""


def valid_words(trace: Trace) -> npt.NDArray[np.int64]:
    """(n,) valid words of each beat: all of them, but on a TLAST beat the full lanes before the first other one."""
    full = trace.keep.reshape(len(trace), trace.width // WORD_BITS, WORD_BYTES).all(axis=2)
    leading = np.logical_and.accumulate(full, axis=1).sum(axis=1)
    words: npt.NDArray[np.int64] = np.where(trace.last, leading, full.shape[1]).astype(np.int64)
    return words


def keep_of(words: npt.NDArray[np.int64], width: int) -> npt.NDArray[np.bool_]:
    """(n, width / 8) keep of that many words from the low end."""
    kept: npt.NDArray[np.bool_] = np.arange(width // 8) < (words * WORD_BYTES)[:, None]
    return kept


def apply_keep_rule(trace: Trace) -> tuple[Trace, npt.NDArray[np.bool_]]:
    """The beats with the keep the hardware makes of them, and which broke the rule (designs.md, plio_port 1)."""
    ratio = trace.width // WORD_BITS
    some = trace.keep.reshape(len(trace), ratio, WORD_BYTES).any(axis=2)
    highest = np.where(some, np.arange(1, ratio + 1), 1).max(axis=1, initial=1)
    keep = keep_of(np.where(trace.last, highest, ratio).astype(np.int64), trace.width)
    return replace(trace, keep=keep), trace.last & (keep != trace.keep).any(axis=1)
