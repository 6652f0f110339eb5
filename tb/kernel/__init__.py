# SPDX-License-Identifier: Apache-2.0
"""Clocks and transactors that run in C++ under cocotb, for anybody's ``@cocotb.test()``.

See docs/cocotb.md. ``tb.kernel.runner`` builds and runs the simulator that this needs; it is imported by the host process and by
nothing here.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tb.kernel.axi import AxiChecker as AxiChecker
    from tb.kernel.axi import AxiMaster as AxiMaster
    from tb.kernel.axi import AxiMemory as AxiMemory
    from tb.kernel.axi import BurstResults as BurstResults
    from tb.kernel.axil import AxiLiteMaster as AxiLiteMaster
    from tb.kernel.axil import Check as Check
    from tb.kernel.axil import Poll as Poll
    from tb.kernel.axil import Read as Read
    from tb.kernel.axil import StepResult as StepResult
    from tb.kernel.axil import Wait as Wait
    from tb.kernel.axil import WaitFor as WaitFor
    from tb.kernel.axil import Write as Write
    from tb.kernel.axis import AxiStreamMonitor as AxiStreamMonitor
    from tb.kernel.axis import AxiStreamSink as AxiStreamSink
    from tb.kernel.axis import AxiStreamSource as AxiStreamSource
    from tb.kernel.simulation import Kernel as Kernel
    from tb.kernel.simulation import NativeClock as NativeClock

_MODULES = {
    "simulation": ("Kernel", "NativeClock"),
    "axis": ("AxiStreamMonitor", "AxiStreamSink", "AxiStreamSource"),
    "axi": ("AxiChecker", "AxiMaster", "AxiMemory", "BurstResults"),
    "axil": ("AxiLiteMaster", "Check", "Poll", "Read", "StepResult", "Wait", "WaitFor", "Write"),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # The host process builds simulators without cocotb's simulation side, which these need.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
