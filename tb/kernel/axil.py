# SPDX-License-Identifier: Apache-2.0
"""AXI-Lite master that runs whole register programs in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from goldbeat.pymodels.buses import AXIL
from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.kernel.library import AxilNames, checked
from goldbeat.tb.kernel.registers import TIMEOUT_CYCLES as TIMEOUT_CYCLES
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.registers import Results as Results
from goldbeat.tb.kernel.registers import Step as Step
from goldbeat.tb.kernel.registers import StepResult as StepResult
from goldbeat.tb.kernel.registers import check as check
from goldbeat.tb.kernel.registers import poll as poll
from goldbeat.tb.kernel.registers import read as read
from goldbeat.tb.kernel.registers import wait as wait
from goldbeat.tb.kernel.registers import wait_for as wait_for
from goldbeat.tb.kernel.registers import write as write
from goldbeat.tb.kernel.simulation import Kernel


class AxiLiteMaster(RegisterMaster):
    """Makes accesses to an AXI-Lite slave port of the top module.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_axil`` for ``s_axil_awaddr``); all of the write or of the read channels may be absent.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
    """

    outstanding = "axil_outstanding"

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str = "aclk", signals: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, AXIL.roles, signals, ())
        channels = {
            "awaddr": ("awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready"),
            "araddr": ("arvalid", "arready", "rdata", "rvalid", "rready"),
        }
        for first, others in channels.items():
            lacks = [s for s in others if first in self.signals and s not in self.signals]
            if lacks:
                raise UsageError(f"{prefix}: the top module has no port {prefix}_{lacks[0]}")
        if "awaddr" not in self.signals and "araddr" not in self.signals:
            raise UsageError(f"{prefix}: the top module has neither {prefix}_awaddr nor {prefix}_araddr")
        names = AxilNames(*(self.signals[s].encode() if s in self.signals else None for s in AXIL.roles))
        self._handle = checked(self._library.gb_axil_master(prefix.encode(), clock.encode(), ctypes.byref(names)))
