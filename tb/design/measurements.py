# SPDX-License-Identifier: Apache-2.0
"""What a run has measured and computed beside its ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt


@dataclass(frozen=True)
class MeasurementTable:
    """A table of what a run has measured beside its ports, for people and for the report.

    Attributes:
        title: what it is.
        columns: names; the first one's cells are names, all others numbers.
        rows: cells as text.
        notes: lines below the table.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunAnswer:
    """What a run has computed, as a user wants to have it.

    Attributes:
        subject: what it ran, in a few words: ``network tiny``.
        outputs: arrays that the run keeps, by name.
        facts: further entries of the report, which JSON can hold.
        tables: for people.
        lines: for people, below the tables; ``{folder}`` is the run's folder.
        files: what the run keeps below ``output/`` by name, arrays as ``.npy``.
    """

    subject: str
    outputs: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[MeasurementTable] = ()
    lines: Sequence[str] = ()
    files: Mapping[str, bytes | npt.NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """What a case compares of an episode beside what the golden model predicts.

    Attributes:
        failures: everything that is wrong.
        compared: values compared.
        partial: why the outputs, or some of them, were not compared; a run with such reasons is no pass.
        void: the prediction was taken from the record, so that what agrees with it does not count as compared.
    """

    failures: tuple[str, ...] = ()
    compared: int = 0
    partial: tuple[str, ...] = ()
    void: bool = False
