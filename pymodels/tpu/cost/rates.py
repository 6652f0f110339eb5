# SPDX-License-Identifier: Apache-2.0
"""Cycles for work, by chip: the table ``rates.json``, and how to look up a command's rate.

A TIU rate is four numbers: elements of a line per step, products per step, cycles per step, cycles before the first. A DMA rate is
three or four: cycles before the first byte, the least bytes that a run costs, cycles per byte, channels of global memory, 4 or
[1].
``tests/benchmarks/bench_tpu_time.py`` fits them to profiles of the vendor's compiler; the table names its source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("rates.json")
FLAGS = {" stepped": 3.0, " strided": 1.0, " in place": 2.0}
"""What a key may end with, and how often the cycles count where no rate has it."""
BORROWED = {"CV186X": "BM1688", "BM1690E": "BM1690"}
"""Chips with the rates of another one: CV186X is BM1688 with one core; profiles of BM1690E are as those of BM1690."""
ANY = "*"


@dataclass(frozen=True)
class TiuRate:
    """``start + step * ceil(elements / line) * ceil(products / depth) * repeats`` cycles; line 0: the width of the types."""

    line: int
    depth: int
    step: float
    start: float


@dataclass(frozen=True)
class DmaRate:
    """``start + per_byte * bytes * max(1, burst / run)`` cycles; with channels, the bytes take as long as those reached need."""

    start: float
    burst: int
    per_byte: float
    channels: int = 1


@dataclass(frozen=True)
class ChipRates:
    """What a chip's commands cost.

    Attributes:
        chip: whose rates they are.
        source: where they come from.
        profiles, commands: how much they were fitted to.
        tiu, dma: by form, rates by key.
    """

    chip: str
    source: str
    profiles: int
    commands: int
    tiu: Mapping[str, Mapping[str, TiuRate]]
    dma: Mapping[str, Mapping[str, DmaRate]]


@cache
def _table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def chips_with_rates() -> list[str]:
    """Names of the chips that :func:`chip_rates` knows."""
    return sorted({*_table()["chips"], *BORROWED})


@cache
def chip_rates(chip: str) -> ChipRates | None:
    """The rates of a chip, None if there are none."""
    row = _table()["chips"].get(BORROWED.get(chip, chip))
    if row is None:
        return None
    source = _table()["source"]
    if chip in BORROWED:
        source = f"rates of {BORROWED[chip]}; {source}"
    return rates_of(BORROWED.get(chip, chip), source, row)


def rates_of(chip: str, source: str, row: Mapping[str, Any]) -> ChipRates:
    """Rates from a chip's entry in the table."""
    tiu = {form: {key: TiuRate(*numbers) for key, numbers in found.items()} for form, found in row["tiu"].items()}
    dma = {form: {key: DmaRate(*numbers) for key, numbers in found.items()} for form, found in row["dma"].items()}
    return ChipRates(chip, source, row["profiles"], row["commands"], tiu, dma)


def find_tiu(found: Mapping[str, TiuRate], key: str) -> tuple[TiuRate, float] | None:
    """A rate and a factor for a key of :class:`goldbeat.pymodels.tpu.cost.work.Work`; None if the form has no rate."""
    factor = 1.0
    if key in found:
        return found[key], factor
    for flag, times in FLAGS.items():
        if key.endswith(flag):
            key, factor = key.removesuffix(flag), factor * times
        if key in found:
            return found[key], factor
    if (name := of_operand(key)) in found:
        return found[name], factor
    for name in (f"{key.split(' ')[0]} {ANY}", ANY):
        if name in found:
            return found[name], 1.0
    return None


def of_operand(key: str) -> str:
    """What stands for all results of an operation on operands of a key's type: ``conv.normal i8>*``."""
    operation, _, types = key.partition(" ")
    return f"{operation} {types.partition('>')[0]}>{ANY}"


def find_dma(found: Mapping[str, DmaRate], key: str) -> DmaRate | None:
    """As :func:`find_tiu`, of moves."""
    for name in (key, f"{key.split(' ')[0]} {ANY}", f"{ANY} {key.split(' ')[-1]}", ANY):
        if name in found:
            return found[name]
    return None
