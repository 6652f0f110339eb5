# SPDX-License-Identifier: Apache-2.0
"""Master of the configuration bus that runs whole register programs in C++ (csb.cpp)."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from ctypes import POINTER, Structure, c_char_p, c_void_p

from goldbeat.tb.designs.nvdla.csb import CSB_BUS, RESPONSES
from goldbeat.tb.kernel.library import checked
from goldbeat.tb.kernel.registers import RegisterMaster
from goldbeat.tb.kernel.rules import add_rules
from goldbeat.tb.kernel.simulation import Kernel

add_rules(CSB_BUS)


class _Names(Structure):
    """``GbCsbNames`` in csb.cpp."""

    _fields_ = tuple((name, c_char_p) for name in CSB_BUS.roles)


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
        signals: the ports by role (:data:`goldbeat.tb.designs.nvdla.csb.CSB_BUS`), where they are not called after
        the prefixes.
    """

    outstanding = f"{CSB_BUS.name}_outstanding"

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
        own = {role: f"{request}_{role}" for role in CSB_BUS.roles if role not in RESPONSES}
        own |= {role: f"{response}_{name}" for role, name in RESPONSES.items()}
        self.signals = kernel.signals(request, CSB_BUS.roles, own if signals is None else signals, CSB_BUS.roles)
        names = _Names(*(self.signals[s].encode() for s in CSB_BUS.roles))
        make = self._library.gb_csb_master
        make.restype, make.argtypes = c_void_p, [c_char_p, c_char_p, POINTER(_Names)]
        self._handle = checked(make(request.encode(), clock.encode(), ctypes.byref(names)))
