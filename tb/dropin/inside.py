# SPDX-License-Identifier: Apache-2.0
"""What a simulator process does before its tests are loaded: what is native takes the place of what is not."""

from __future__ import annotations

import gc
from functools import cache

from goldbeat.tb.dropin.handles import install_handles
from goldbeat.tb.dropin.hub import hub
from goldbeat.tb.dropin.triggers import install_clocks, install_triggers
from goldbeat.tb.kernel.forces import refuse_ignored_forces


def install() -> None:
    """Replace cocotb's clocks and edge triggers, handles, and cocotbext-axi's classes where it is installed."""
    found = hub()
    if found is None:
        return
    install_triggers(found)
    install_clocks(found)
    install_handles(found)
    refuse_ignored_forces()
    # What is there now stays: collections need not look at it.
    gc.freeze()
    install_buses()


@cache
def install_buses() -> None:
    """Replace cocotbext-axi's classes, where it is installed."""
    try:
        from cocotbext import axi
        from cocotbext.axi import apb, axis
    except ImportError:
        return
    from goldbeat.tb.dropin.apb import NativeApbMaster, NativeApbRam
    from goldbeat.tb.dropin.channels import install_channels
    from goldbeat.tb.dropin.masters import MASTERS
    from goldbeat.tb.dropin.slaves import SLAVES
    from goldbeat.tb.dropin.streams import NativeMonitor, NativeSink, NativeSource

    install_channels()
    natives = {
        "AxiStreamSource": (axis, NativeSource),
        "AxiStreamSink": (axis, NativeSink),
        "AxiStreamMonitor": (axis, NativeMonitor),
        "ApbMaster": (apb, NativeApbMaster),
        "ApbRam": (apb, NativeApbRam),
        **MASTERS,
        **SLAVES,
    }
    for name, (module, native) in natives.items():
        setattr(module, name, native)
        setattr(axi, name, native)
