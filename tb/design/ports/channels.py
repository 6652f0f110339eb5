# SPDX-License-Identifier: Apache-2.0
"""The five channels that AXI4 and AXI-Lite share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from goldbeat.pymodels.buses import Bus
from goldbeat.tb.design.ports.recognition import Naming, NotABundleError, PinArray, Wires

WRITE = ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready")
"""What the write channels cannot do without."""
READ = ("araddr", "arvalid", "arready", "rdata", "rvalid", "rready")
"""Likewise the read channels."""
BURSTS = frozenset({"awlen", "arlen", "wlast", "rlast"})
"""Signals that tell AXI4 from AXI-Lite."""

WITHHELD = tuple((f"{channel}valid", f"{channel}ready", f"{channel}_ready") for channel in ("aw", "w", "ar"))
"""Requests of a master: valid, ready, and what the memory's timing calls the pattern of the ready."""

_ADDRESS = "id|addr|len|size|burst|lock|cache|prot|qos|region|user|valid|ready"
NAMING = Naming(
    f"aw_?(?:{_ADDRESS})|ar_?(?:{_ADDRESS})|w_?(?:id|data|strb|last|user|valid|ready)"
    "|b_?(?:id|resp|user|valid|ready)|r_?(?:id|data|resp|last|user|valid|ready)",
    (frozenset({"awaddr", "awvalid"}), frozenset({"araddr", "arvalid"})),
    "axi",
)


def incomplete(there: Collection[str], extra_write: tuple[str, ...] = (), extra_read: tuple[str, ...] = ()) -> str:
    """What is wrong with these signals unless all or none of each direction's channels are there; empty: nothing."""
    groups = {"write": (*WRITE, *extra_write), "read": (*READ, *extra_read)}
    whole = 0
    for name, group in groups.items():
        lacks = [r for r in group if r not in there]
        if lacks and len(lacks) < len(group):
            return f"the {name} channels lack {', '.join(lacks)}"
        whole += not lacks
    return "" if whole else "the write channels or the read channels are missing"


def _drop_write_ids(wires: Wires, array: PinArray) -> None:
    """Leave WID out where the rest is no AXI3: nothing interleaves writes, so WLAST alone ends one.

    Raises:
        NotABundleError: it is AXI3.
    """
    roles = wires.roles
    if "wid" not in roles:
        return
    ids = roles["wid"].name
    for role, bits, what in (("awlen", 4, "lengths"), ("awlock", 2, "locks")):
        if role in roles and array.bits(roles[role]) == bits:
            raise NotABundleError(f"{ids}: write IDs beside {what} of {bits} bits ({roles[role].name}) are AXI3")
    wrap = "; if the module needs it, wrap it and drive the ID of the write" if roles["wid"].way == "input" else ""
    wires.drop("wid", f"a write ID, although lengths and locks are not those of AXI3{wrap}")


def recognise_channels(wires: Wires, bus: Bus, fixed: Mapping[str, int]) -> tuple[PinArray, dict[str, Any]]:
    """The bundles' layout and what both classes say of them.

    Args:
        wires: signals that have no place are dropped.
        bus: which of the two.
        fixed: bits of the signals that have no width of their own.

    Raises:
        NotABundleError: with the reason.
    """
    roles = wires.roles
    lead = roles["awvalid"] if "awvalid" in roles else roles["arvalid"]
    direction = wires.direction(lead, bus)
    wires.drop_disabled(direction)
    array = wires.array(lead)
    _drop_write_ids(wires, array)
    bursts = (("awlen", "wlast"), ("arlen", "rlast")) if BURSTS & frozenset(bus.roles) else ((), ())
    if wrong := incomplete(roles, *bursts):
        raise NotABundleError(wrong.replace("the write", "its write").replace("the read", "its read"))
    for role in list(roles):
        bits, expected = array.bits(roles[role]), fixed.get(role)
        if expected is None or bits == expected:
            continue
        if role in ("awlen", "arlen") or (expected == 1 and not role.endswith("lock")):
            raise NotABundleError(f"{roles[role].name} has {bits} bits, expected {expected}" + " (AXI3?)" * (bits == 4))
        wires.drop(role, f"{bits} bits, expected {expected}")
    for role in [r for r in roles if r not in bus.roles]:
        wires.drop(role, f"not a signal of {bus.title}")
    data = array.bits(roles.get("wdata") or roles["rdata"])
    if "wstrb" in roles and array.bits(roles["wstrb"]) * 8 != data:
        raise NotABundleError(f"{roles['wstrb'].name} has {array.bits(roles['wstrb'])} bits for {data} bits of data")
    return array, {
        "name": wires.name,
        "direction": direction,
        "lanes": array.lanes,
        "layout": array.layout,
        "data_width": wires.common(array, ("wdata", "rdata")),
        "address_width": wires.common(array, ("awaddr", "araddr")),
    }
