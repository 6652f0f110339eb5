# SPDX-License-Identifier: Apache-2.0
"""The configuration bus: requests with a handshake, and answers without one."""

from __future__ import annotations

from goldbeat.pymodels.buses import Bus, BusSignal

RESPONSES = {"response_valid": "valid", "response_data": "data", "wr_complete": "wr_complete"}
"""Signals of answers, and what the vendor calls them behind their prefix."""

CSB_BUS = Bus(
    "csb",
    "CSB",
    (
        BusSignal("valid"),
        BusSignal("ready", from_slave=True),
        BusSignal("addr", "address_width"),
        BusSignal("wdat", "data_width"),
        BusSignal("write"),
        BusSignal("nposted"),
        BusSignal("response_valid", from_slave=True),
        BusSignal("response_data", "data_width", from_slave=True),
        BusSignal("wr_complete", from_slave=True),
    ),
    {
        "outstanding": "At the end of a cocotb test, every access of a master has its answer.",
        "response_without_request": "A response comes only while a read is outstanding.",
        "complete_without_request": "A completion comes only while a write that is not posted is outstanding.",
    },
)
