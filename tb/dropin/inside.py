# SPDX-License-Identifier: Apache-2.0
"""What a simulator process does before its tests are loaded: what is native takes the place of what is not."""

from __future__ import annotations

from goldbeat.tb.dropin.hub import hub
from goldbeat.tb.dropin.triggers import install_clocks, install_triggers


def install() -> None:
    """Replace cocotb's clocks and edge triggers, and cocotbext-axi's streams where it is installed."""
    found = hub()
    if found is None:
        return
    install_triggers(found)
    install_clocks(found)
    try:
        from cocotbext import axi
        from cocotbext.axi import axis
    except ImportError:
        return
    from goldbeat.tb.dropin import streams

    natives = {
        "AxiStreamSource": streams.NativeSource,
        "AxiStreamSink": streams.NativeSink,
        "AxiStreamMonitor": streams.NativeMonitor,
    }
    for module in (axi, axis):
        for name, native in natives.items():
            setattr(module, name, native)
