# SPDX-License-Identifier: Apache-2.0
"""Tables that the firmware puts into the static memory before a model runs, as formulas.

Where they lie, and that all bits of the formulas are right: compared with what the functional models of TPU-MLIR 1.30.2 load.
``gen_lookup_table`` of its debugger (python/debugger/target_*/cmodel.py, BSD-2-Clause) has other places on some chips.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.tpu.execute.numbers import BF16, FP16, FP32, Element, to_stored

Table = npt.NDArray[Any]
_WORD = 4
_ERF = (
    *(-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806),
    *(0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277),
)
"""Polynomial of the complementary error function in Numerical Recipes, section 6.2."""
_COUNT = np.arange(64, dtype=np.uint32)
_BFLOATS = ("CV184X", "SGTPUV8")
"""Chips whose tables are bf16."""


def _tangent(many: int) -> list[float]:
    """Coefficients of tan(pi x): those of tan follow from its derivative, 1 + tan(x)**2."""
    series = [Fraction(1)]
    for n in range(1, many):
        series.append(sum((series[k] * series[n - 1 - k] for k in range(n)), Fraction(0)) / (2 * n + 1))
    return [float(one) * math.pi ** (2 * n + 1) for n, one in enumerate(series)]


def _series(name: str, many: int) -> list[float]:
    """The first coefficients of a function's series; sine and cosine are those of 2 pi x."""
    turn = 2 * math.pi
    known: dict[str, Callable[[], list[float]]] = {
        "exp": lambda: [1 / math.factorial(n) for n in range(many)],
        "log": lambda: [0.0, *((-1) ** (n + 1) / n for n in range(1, many))],
        "erf": lambda: list(_ERF),
        "sin": lambda: [(-1) ** n * turn ** (2 * n + 1) / math.factorial(2 * n + 1) for n in range(many)],
        "cos": lambda: [(-1) ** n * turn ** (2 * n) / math.factorial(2 * n) for n in range(many)],
        "arcsin": lambda: [math.comb(2 * n, n) / (4**n * (2 * n + 1)) for n in range(many)],
        "tan": lambda: _tangent(many),
        "arctan": lambda: [(-1) ** n / (2 * n + 1) for n in range(many)],
        "exp2": lambda: [float(np.float32(math.log(2))) ** n / math.factorial(n) for n in range(many)],
        "steps": lambda: [2 ** (n / many) for n in range(many)],
        "inverse": lambda: [1 / (1 + n / many) for n in range(many)],
    }
    return known[name]()


def _stored(name: str, code: int, many: int) -> Table:
    return to_stored(np.array(_series(name, many), np.float64), Element(code))


def _after(at: int, words: int, *names: str, many: int = 16) -> Iterator[tuple[int, Table]]:
    """Coefficients of functions, each first in fp16 and then in bf16, with as many words of room."""
    for name in names:
        for code in (FP16, BF16):
            yield at, _stored(name, code, many)
            at += words


def _singles(at: int, erf: int) -> Iterator[tuple[int, Table]]:
    """The tables of whole words, with as many words of room for erf."""
    yield at, _stored("exp", FP32, 32)
    yield at + 32, _stored("log", FP32, 64)
    yield at + 96, _stored("erf", FP32, 10)
    at += 96 + erf
    yield at, _COUNT
    for place, name, many in ((64, "sin", 32), (96, "cos", 32), (128, "arcsin", 64), (192, "tan", 32)):
        yield at + place, _stored(name, FP32, many)


def _words(chip: str) -> Iterator[tuple[int, Table]]:
    """Place in words and contents of each table of a chip that has fp32."""
    if chip == "BM1684X":
        yield 0, np.exp(np.arange(192) - 103.0).astype(np.float32)
        yield from _singles(256, 16)
        yield from _after(592, 16, "exp", "log", "sin", "cos")
        yield 720, _stored("arctan", FP32, 32)
        return
    wide = chip in ("BM1690", "BM1690E")
    yield from _singles(0, 32 if wide else 16)
    at, room = (352, 32) if wide else (336, 8)
    yield from _after(at, room, "exp", "erf", "log")
    at = 528 if wide else 392
    yield from _after(at, 16, "sin", "cos")
    at += 64
    if chip == "BM1684X2":
        for name, many in (("exp2", 8), ("steps", 16)):
            yield at, _stored(name, FP32, many)
            yield from _after(at + many, 8, name, many=many)
            at += many + 16
    yield at, _stored("arctan", FP32, 32)


def _small(chip: str) -> Iterator[tuple[int, Table]]:
    """The same of a chip that has bf16."""
    for at, name, many in ((0, "exp", 16), (8, "log", 16), (16, "erf", 10)):
        yield at, _stored(name, BF16, many)
    yield 24, _COUNT
    yield 88, _COUNT.astype(np.uint16)
    for at, name, many in ((120, "sin", 16), (136, "cos", 16), (152, "arcsin", 52), (184, "inverse", 128)):
        yield at, _stored(name, BF16, many)
    if chip == "CV184X":
        yield 248, _stored("exp", FP32, 10)


def static_tables(chip: str) -> list[tuple[int, Table]]:
    """Offset in bytes and elements of the tables that are known."""
    found = _small(chip) if chip in _BFLOATS else _words(chip)
    return [(_WORD * word, table) for word, table in found]
