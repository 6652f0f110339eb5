# SPDX-License-Identifier: Apache-2.0
"""The five channels that AXI4 and AXI-Lite share."""

from __future__ import annotations

from collections.abc import Mapping

WRITE_SIGNALS = ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready")

READ_SIGNALS = ("araddr", "arvalid", "arready", "rdata", "rvalid", "rready")

LITE_SLAVE_OUTPUTS = ("awready", "wready", "bresp", "bvalid", "arready", "rdata", "rresp", "rvalid")


def check_channels(signals: Mapping[str, str], extra_write: tuple[str, ...], extra_read: tuple[str, ...]) -> None:
    """Check that all or none of the write channels' signals are there, likewise of the read channels'.

    Raises:
        ValueError: some are missing, or all are.
    """
    groups = {"write": (*WRITE_SIGNALS, *extra_write), "read": (*READ_SIGNALS, *extra_read)}
    there = 0
    for name, group in groups.items():
        lacks = [r for r in group if r not in signals]
        if lacks and len(lacks) < len(group):
            raise ValueError(f"signals: the {name} channels lack {', '.join(lacks)}")
        there += not lacks
    if not there:
        raise ValueError("signals: neither the write nor the read channels are there")
