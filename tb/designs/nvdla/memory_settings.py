# SPDX-License-Identifier: Apache-2.0
"""The memory behind the DBB as cases that run users' files have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goldbeat.pymodels.axi.memory import MemoryTiming
from goldbeat.tb.design.case import CaseContext

TIMING = MemoryTiming(read_latency=32, max_reads=256, max_writes=256)
"""The memory of the recorded runs of the vendor's RTL: 32 cycles from a read's address to its first data, any number waiting."""
SETTLE_CYCLES = 10_000
"""Cycles between reset and the first access on the vendor's RTL: it comes out of reset slowly, loses what comes sooner, and clears
its convolution buffer for some 8,000 cycles, for which the driver would wait."""
_TIMED = (
    "read_latency",
    "write_latency",
    "read_jitter",
    "write_jitter",
    "max_reads",
    "max_writes",
    "slow_id",
    "slow_cycles",
    "late_writes",
)
MEMORY_OPTIONS: Mapping[str, Any] = {name: getattr(TIMING, name) for name in (*_TIMED, "order")}
"""Options of a case, with their defaults."""


def chosen_timing(context: CaseContext) -> MemoryTiming:
    """The memory as the case's options and the seed say."""
    chosen: dict[str, Any] = {name: int(context.options[name]) for name in _TIMED}
    return replace(TIMING, seed=context.seed, order=context.options["order"], **chosen)
