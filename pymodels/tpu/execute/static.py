# SPDX-License-Identifier: Apache-2.0
"""Tables that the firmware puts into the static memory before a model runs, as far as they are formulas.

Where they lie: ``gen_lookup_table`` of the debugger of TPU-MLIR 1.30.2 (python/debugger/target_*/cmodel.py, BSD-2-Clause).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_WORD = 4
_EXP, _LOG, _COUNT = 32, 64, 64
"""Entries: coefficients of exp and log, and 0, 1, 2, ..."""
_BEFORE = {"BM1684X": 256}
"""Entries of the table before them: powers of e."""
_ERF = {"BM1690": 32, "BM1690E": 32}
"""Entries for the coefficients of erf, 16 unless listed."""


def static_tables(chip: str) -> list[tuple[int, npt.NDArray[np.uint8]]]:
    """Offset and bytes of the tables of 32-bit words that are known: Taylor series of exp and log, and the numbers from 0."""
    exp = np.array([1 / math.factorial(n) for n in range(_EXP)], np.float32)
    log = np.array([0.0, *((-1) ** (n + 1) / n for n in range(1, _LOG))], np.float32)
    count = np.arange(_COUNT, dtype=np.uint32)
    at = _BEFORE.get(chip, 0)
    places = [(at, exp), (at + _EXP, log), (at + _EXP + _LOG + _ERF.get(chip, 16), count)]
    return [(_WORD * word, table.view(np.uint8)) for word, table in places]
