# SPDX-License-Identifier: Apache-2.0
"""Clocks and transactors that run in C++ under cocotb, for anybody's ``@cocotb.test()``.

See docs/cocotb.md. ``tb.kernel.runner`` builds and runs the simulator that this needs; it is imported by the host process and by
nothing here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb.kernel import axil as axil
    from tb.kernel import registers as registers
    from tb.kernel.apb import ApbMaster as ApbMaster
    from tb.kernel.axil import AxiLiteMaster as AxiLiteMaster
    from tb.kernel.axis import AxiStreamMonitor as AxiStreamMonitor
    from tb.kernel.axis import AxiStreamSink as AxiStreamSink
    from tb.kernel.axis import AxiStreamSource as AxiStreamSource
    from tb.kernel.csb import CsbMaster as CsbMaster
    from tb.kernel.simulation import Kernel as Kernel
    from tb.kernel.simulation import NativeClock as NativeClock

_MODULES = {
    "simulation": ("Kernel", "NativeClock"),
    "axis": ("AxiStreamMonitor", "AxiStreamSink", "AxiStreamSource"),
    "axil": ("AxiLiteMaster",),
    "apb": ("ApbMaster",),
    "csb": ("CsbMaster",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # The host process builds simulators without cocotb's simulation side, which these need.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
