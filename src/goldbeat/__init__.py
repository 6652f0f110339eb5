# SPDX-License-Identifier: Apache-2.0
"""Golden models against RTL, beat by beat.

The names that a bench or a notebook needs come from here; everything else is below :mod:`goldbeat.pymodels` (golden models and
file formats, numpy only) and :mod:`goldbeat.tb` (everything that touches a simulator). They are imported on first use, so
``import goldbeat`` alone is quick and needs no simulator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldbeat.pymodels.compare import assert_equal
    from goldbeat.pymodels.pattern import Pattern
    from goldbeat.pymodels.stimulus import Access, Clock, MemoryContents, Outcome, Stimulus
    from goldbeat.pymodels.trace import Trace
    from goldbeat.tb.api.dut import Dut
    from goldbeat.tb.api.dut import load_dut as load
    from goldbeat.tb.api.dut_run import DutRun
    from goldbeat.tb.design.case import Case, CaseContext
    from goldbeat.tb.design.design import Design
    from goldbeat.tb.design.measurements import MeasurementTable, RunAnswer
    from goldbeat.tb.design.parameter import ClockPort, Parameter
    from goldbeat.tb.design.ports.bundle import StatusPort
    from goldbeat.tb.design.ports.lite import LitePort
    from goldbeat.tb.design.ports.memory import MemoryPort
    from goldbeat.tb.design.ports.stream import StreamPort
    from goldbeat.tb.run.runs import Request, run

_HOMES = {
    "Access": ("goldbeat.pymodels.stimulus", "Access"),
    "Case": ("goldbeat.tb.design.case", "Case"),
    "CaseContext": ("goldbeat.tb.design.case", "CaseContext"),
    "Clock": ("goldbeat.pymodels.stimulus", "Clock"),
    "ClockPort": ("goldbeat.tb.design.parameter", "ClockPort"),
    "Design": ("goldbeat.tb.design.design", "Design"),
    "Dut": ("goldbeat.tb.api.dut", "Dut"),
    "DutRun": ("goldbeat.tb.api.dut_run", "DutRun"),
    "LitePort": ("goldbeat.tb.design.ports.lite", "LitePort"),
    "MeasurementTable": ("goldbeat.tb.design.measurements", "MeasurementTable"),
    "MemoryContents": ("goldbeat.pymodels.stimulus", "MemoryContents"),
    "MemoryPort": ("goldbeat.tb.design.ports.memory", "MemoryPort"),
    "Outcome": ("goldbeat.pymodels.stimulus", "Outcome"),
    "Parameter": ("goldbeat.tb.design.parameter", "Parameter"),
    "Pattern": ("goldbeat.pymodels.pattern", "Pattern"),
    "Request": ("goldbeat.tb.run.runs", "Request"),
    "RunAnswer": ("goldbeat.tb.design.measurements", "RunAnswer"),
    "StatusPort": ("goldbeat.tb.design.ports.bundle", "StatusPort"),
    "Stimulus": ("goldbeat.pymodels.stimulus", "Stimulus"),
    "StreamPort": ("goldbeat.tb.design.ports.stream", "StreamPort"),
    "Trace": ("goldbeat.pymodels.trace", "Trace"),
    "assert_equal": ("goldbeat.pymodels.compare", "assert_equal"),
    "load": ("goldbeat.tb.api.dut", "load_dut"),
    "run": ("goldbeat.tb.run.runs", "run"),
}

__all__ = [
    "Access",
    "Case",
    "CaseContext",
    "Clock",
    "ClockPort",
    "Design",
    "Dut",
    "DutRun",
    "LitePort",
    "MeasurementTable",
    "MemoryContents",
    "MemoryPort",
    "Outcome",
    "Parameter",
    "Pattern",
    "Request",
    "RunAnswer",
    "StatusPort",
    "Stimulus",
    "StreamPort",
    "Trace",
    "assert_equal",
    "load",
    "run",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
