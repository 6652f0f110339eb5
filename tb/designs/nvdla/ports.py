# SPDX-License-Identifier: Apache-2.0
"""The ports of nv_small, as the vendor names them."""

from __future__ import annotations

from goldbeat.tb.design.parameter import ClockPort
from goldbeat.tb.design.ports.bundle import StatusPort
from goldbeat.tb.design.ports.csb import CsbPort
from goldbeat.tb.design.ports.memory import MemoryPort

CSB = CsbPort(
    name="csb",
    clock="dla_core_clk",
    signals={
        **{role: f"csb2nvdla_{role}" for role in ("valid", "ready", "addr", "wdat", "write", "nposted")},
        "response_valid": "nvdla2csb_valid",
        "response_data": "nvdla2csb_data",
        "wr_complete": "nvdla2csb_wr_complete",
    },
)
_CHANNELS = {
    "aw": ("valid", "ready", "id", "len", "addr"),
    "w": ("valid", "ready", "data", "strb", "last"),
    "b": ("valid", "ready", "id"),
    "ar": ("valid", "ready", "id", "len", "addr"),
    "r": ("valid", "ready", "id", "last", "data"),
}
DBB = MemoryPort(
    name="dbb",
    clock="dla_core_clk",
    direction="out",
    data_width=64,
    address_width=32,
    id_width=8,
    len_width=4,
    signals={f"{c}{s}": f"nvdla_core2dbb_{c}_{c}{s}" for c, names in _CHANNELS.items() for s in names},
)
INTERRUPT = StatusPort(name="dla_intr", width=1)
CLOCK = ClockPort(name="dla_core_clk", reset="dla_reset_rstn")
