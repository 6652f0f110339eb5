# SPDX-License-Identifier: Apache-2.0
"""Master of NVDLA's configuration bus that runs whole register programs in C++."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from goldbeat.tb.kernel.library import CSB_SIGNALS, CsbNames, checked
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.simulation import Kernel


class CsbMaster(RegisterMaster):
    """Makes accesses to a CSB slave port of the top module.

    Programs count addresses in bytes; the bus counts words of four. Words are written whole.
    :func:`goldbeat.tb.kernel.registers.post` makes posted writes, which end when they are taken; others end with
    ``wr_complete``.

    Args:
        kernel: of this simulation.
        request: prefix of the ports of requests (``csb2nvdla_valid``).
        response: prefix of the ports of responses (``nvdla2csb_valid``, ``nvdla2csb_wr_complete``).
        clock: name of its clock input.
        signals: the ports by role (:data:`goldbeat.tb.kernel.library.CSB_SIGNALS`), where they are not called after
        the prefixes.
    """

    outstanding = "csb_outstanding"

    def __init__(
        self,
        kernel: Kernel,
        request: str = "csb2nvdla",
        response: str = "nvdla2csb",
        *,
        clock: str,
        signals: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(kernel, request, clock)
        own = {role: f"{request}_{role}" for role in ("valid", "ready", "addr", "wdat", "write", "nposted")}
        own |= {f"response_{role}": f"{response}_{role}" for role in ("valid", "data")}
        own["wr_complete"] = f"{response}_wr_complete"
        self.signals = kernel.signals(request, CSB_SIGNALS, own if signals is None else signals, CSB_SIGNALS)
        names = CsbNames(*(self.signals[s].encode() for s in CSB_SIGNALS))
        self._handle = checked(self._library.gb_csb_master(request.encode(), clock.encode(), ctypes.byref(names)))
