# SPDX-License-Identifier: Apache-2.0
"""Tables that the firmware puts into the static memory before a model runs, as far as they are formulas.

Where they lie: ``gen_lookup_table`` of the debugger of TPU-MLIR 1.30.2 (python/debugger/target_*/cmodel.py, BSD-2-Clause).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.execute.numbers import to_bf16

_WORD = 4
_EXP, _LOG, _COUNT = 32, 64, 64
"""Entries: coefficients of exp and log, and 0, 1, 2, ..."""
_BEFORE = {"BM1684X": 256}
"""Entries of the table before them: powers of e."""
_ERF = {"BM1690": 32, "BM1690E": 32}
"""Entries for the coefficients of erf, 16 unless listed."""
_BETWEEN = 32 + 32 + 64 + 32
"""Entries for sine, cosine, arcsine and tangent, between the numbers from 0 and the halves of exp."""
_HALVES = {"BM1690": 32, "BM1690E": 32}
"""Words for the coefficients of exp in fp16, then in bf16; 16 unless listed."""
_SINGLY = ("BM1684X",)
"""Chips with one half in each word instead of two."""
_SINGLE, _PAIRED = 10, 16
"""Entries of these tables, one or two in a word."""


def static_tables(chip: str) -> list[tuple[int, npt.NDArray[Any]]]:
    """Offset and elements of the tables that are known: series of exp and log in fp32, the numbers from 0, exp in fp16 and bf16."""
    series = np.array([1 / math.factorial(n) for n in range(_EXP)], np.float32)
    log = np.array([0.0, *((-1) ** (n + 1) / n for n in range(1, _LOG))], np.float32)
    count = np.arange(_COUNT, dtype=np.uint32)
    at = _BEFORE.get(chip, 0)
    numbers = at + _EXP + _LOG + _ERF.get(chip, 16)
    halves = numbers + _COUNT + _BETWEEN
    width = _HALVES.get(chip, 16)
    few = series[: _SINGLE if chip in _SINGLY else _PAIRED]
    small = [_packed(chip, few.astype(np.float16).view(np.uint16)), _packed(chip, to_bf16(few))]
    places: list[tuple[int, npt.NDArray[Any]]] = [(at, series), (at + _EXP, log), (numbers, count)]
    places += [(halves + n * width, table) for n, table in enumerate(small)]
    return [(_WORD * word, table) for word, table in places]


def _packed(chip: str, halves: npt.NDArray[np.uint16]) -> npt.NDArray[Any]:
    """The first entries as they lie there: one behind the other, or one in each word."""
    return halves.astype(np.uint32) if chip in _SINGLY else halves
