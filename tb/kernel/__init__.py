# SPDX-License-Identifier: Apache-2.0
"""Clocks and transactors that run in C++ under cocotb, for anybody's ``@cocotb.test()``.

See docs/cocotb.md. ``goldbeat.tb.build.runner`` builds and runs the simulator that this needs; it is imported by the
host process and by nothing here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goldbeat.tb.kernel import axil as axil
    from goldbeat.tb.kernel import registers as registers
    from goldbeat.tb.kernel.apb import ApbChecker as ApbChecker
    from goldbeat.tb.kernel.apb import ApbMaster as ApbMaster
    from goldbeat.tb.kernel.axil import AxiLiteMaster as AxiLiteMaster
    from goldbeat.tb.kernel.axis import AxiStreamMonitor as AxiStreamMonitor
    from goldbeat.tb.kernel.axis import AxiStreamSink as AxiStreamSink
    from goldbeat.tb.kernel.axis import AxiStreamSource as AxiStreamSource
    from goldbeat.tb.kernel.simulation import Kernel as Kernel
    from goldbeat.tb.kernel.simulation import NativeClock as NativeClock

_MODULES = {
    "simulation": ("Kernel", "NativeClock"),
    "axis": ("AxiStreamMonitor", "AxiStreamSink", "AxiStreamSource"),
    "axil": ("AxiLiteMaster",),
    "apb": ("ApbChecker", "ApbMaster"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # The host process builds simulators without cocotb's simulation side, which these need.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
