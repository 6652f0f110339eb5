# SPDX-License-Identifier: Apache-2.0
"""APB master that runs whole register programs, and the checker of APB bundles, in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from goldbeat.pymodels.buses import APB
from goldbeat.tb.kernel.axis import Transactor
from goldbeat.tb.kernel.library import ApbCheck, ApbNames, checked
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
        names = _names(self.signals)
        self._handle = checked(self._library.gb_apb_master(prefix.encode(), clock.encode(), ctypes.byref(names)))


class ApbChecker(Transactor):
    """Checks the protocol rules of an APB bundle of the top module, and drives nothing.

    What breaks a rule is in :attr:`violations`; :meth:`Kernel.rule` switches rules off. docs/protocol-rules.md lists them.

    Args:
        kernel: of this simulation.
        prefix: of the ports.
        clock: name of its clock input.
        reset: the reset input that belongs to it, None: there is none.
        reset_high: the reset's polarity.
        signals: the ports by role, where they are not called after the prefix.
    """

    def __init__(
        self,
        kernel: Kernel,
        prefix: str,
        *,
        clock: str = "pclk",
        reset: str | None = None,
        reset_high: bool = False,
        signals: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(kernel, prefix, clock)
        self.signals = kernel.signals(prefix, APB.roles, signals, _NEEDED)
        names, check = _names(self.signals), ApbCheck(None if reset is None else reset.encode(), reset_high)
        self._handle = checked(
            self._library.gb_apb_checker(prefix.encode(), clock.encode(), ctypes.byref(names), ctypes.byref(check))
        )


def _names(signals: Mapping[str, str]) -> ApbNames:
    return ApbNames(*(signals[s].encode() if s in signals else None for s in APB.roles))
