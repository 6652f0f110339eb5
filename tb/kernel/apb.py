# SPDX-License-Identifier: Apache-2.0
"""APB master that runs whole register programs in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from goldbeat.pymodels.buses import APB
from goldbeat.tb.kernel.library import ApbNames, checked
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.simulation import Kernel

_NEEDED = ("psel", "penable", "paddr", "pwrite", "pwdata", "prdata")


class ApbMaster(RegisterMaster):
    """Makes accesses to an APB3 or APB4 slave port of the top module, one at a time.

    Args:
        kernel: of this simulation.
        prefix: of the ports (``s_apb`` for ``s_apb_psel``); PSTRB, PPROT, PREADY and PSLVERR may be absent.
        clock: name of its clock input.
        signals: the ports by role, where they are not called after the prefix.
    """

    outstanding = "apb_outstanding"

    def __init__(
        self, kernel: Kernel, prefix: str, *, clock: str = "pclk", signals: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, APB.roles, signals, _NEEDED)
        names = ApbNames(*(self.signals[s].encode() if s in self.signals else None for s in APB.roles))
        self._handle = checked(self._library.gb_apb_master(prefix.encode(), clock.encode(), ctypes.byref(names)))
