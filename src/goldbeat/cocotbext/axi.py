# SPDX-License-Identifier: Apache-2.0
"""Everything of ``cocotbext.axi``; source, sink and monitor of AXI-Stream run in C++ in a simulator of Goldbeat.

In any other simulator, and on signals that C++ does not reach, they are cocotbext-axi's own.
"""

from cocotbext.axi import *  # noqa: F403
from cocotbext.axi import AxiStreamBus as AxiStreamBus
from cocotbext.axi import AxiStreamFrame as AxiStreamFrame

from goldbeat.tb.dropin.streams import NativeMonitor as AxiStreamMonitor
from goldbeat.tb.dropin.streams import NativeSink as AxiStreamSink
from goldbeat.tb.dropin.streams import NativeSource as AxiStreamSource

__all__ = ["AxiStreamBus", "AxiStreamFrame", "AxiStreamMonitor", "AxiStreamSink", "AxiStreamSource"]
