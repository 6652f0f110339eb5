# SPDX-License-Identifier: Apache-2.0
"""Avalon-ST source, sink and monitor: those of AXI-Stream with ready cycles and other rules."""

from __future__ import annotations

import ctypes
from typing import Any

from goldbeat.tb.kernel.axis import AxiStreamMonitor, AxiStreamSink, AxiStreamSource
from goldbeat.tb.kernel.library import AxisLate, checked
from goldbeat.tb.kernel.simulation import Kernel


class AvalonStreamSource(AxiStreamSource):
    """Drives an Avalon-ST input of the top module. Signals have the roles that they have in AXI-Stream.

    Args:
        kernel, prefix, more: as an AXI-Stream source has them.
        latency: readyLatency.
        allowance: readyAllowance.
    """

    def __init__(self, kernel: Kernel, prefix: str, *, latency: int = 0, allowance: int = 0, **more: Any) -> None:
        super().__init__(kernel, prefix, **more)
        late = AxisLate(latency, allowance - latency)
        checked(self._library.gb_axis_late(self._handle, ctypes.byref(late)))


class _AvalonStreamRules(AxiStreamMonitor):
    """What sinks and monitors have in common.

    Args:
        kernel, prefix, more: as those of AXI-Stream have them.
        latency: readyLatency.
        allowance: readyAllowance.
        first: bit of TUSER that is STARTOFPACKET; None: there is none.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        latency: int = 0,
        allowance: int = 0,
        first: int | None = None,
        **more: Any,
    ) -> None:
        self._avalon = (True, -1 if first is None else first, AxisLate(latency, allowance - latency))
        super().__init__(kernel, prefix, **more)

    def _avalon_rules(self) -> tuple[bool, int, AxisLate]:
        return self._avalon


class AvalonStreamMonitor(_AvalonStreamRules):
    """Records the transfers of an Avalon-ST port of the top module, and drives nothing."""


class AvalonStreamSink(_AvalonStreamRules, AxiStreamSink):
    """Takes from an Avalon-ST output of the top module and records what it takes."""
