# SPDX-License-Identifier: Apache-2.0
"""From ports that belong together by name to bundles of a description, or to the reason why not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from goldbeat.tb.design.ports.bundle import Width
from goldbeat.tb.design.ports.lite import LitePort
from goldbeat.tb.design.ports.memory import MemoryPort
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.module import Port, TopParameter
from goldbeat.tb.probe.names import Group

_PLAIN_RANGE = re.compile(r"^(\w+)-1:0$")
_COUNT = re.compile(r"^(?:0:)?(\w+?)(?:-1)?(?::0)?$")
_FLAT_RANGE = re.compile(r"^\(?(\w+)\*(\w+)\)?-1:0$")
_SIDES = ("tid", "tdest", "tuser")
_IDS = ("awid", "bid", "arid", "rid")
_WIDEST_SIDE = 64
_LITE_ROLES = frozenset(
    {"awaddr", "awprot", "awvalid", "awready", "wdata", "wstrb", "wvalid", "wready", "bresp", "bvalid", "bready"}
    | {"araddr", "arprot", "arvalid", "arready", "rdata", "rresp", "rvalid", "rready"}
)
_FIXED = {
    **{f"{w}{r}": n for w in ("aw", "ar") for r, n in (("len", 8), ("size", 3), ("burst", 2), ("lock", 1))},
    **{f"{w}{r}": n for w in ("aw", "ar") for r, n in (("cache", 4), ("prot", 3), ("qos", 4), ("region", 4))},
    "bresp": 2,
    "rresp": 2,
    "wlast": 1,
    "rlast": 1,
    **{f"{c}{h}": 1 for c in ("aw", "w", "b", "ar", "r") for h in ("valid", "ready")},
}
_ANSWERS = frozenset(
    {"awready", "wready", "bid", "bresp", "buser", "bvalid", "arready"}
    | {"rid", "rdata", "rresp", "rlast", "ruser", "rvalid"}
)
_WRITE = ("awaddr", "awvalid", "awready", "wdata", "wvalid", "wready", "bvalid", "bready")
_READ = ("araddr", "arvalid", "arready", "rdata", "rvalid", "rready")


class NotABundle(Exception):  # noqa: N818 - it is an answer, not an error
    """The ports look like a bundle and are not one that can be driven; the text says why."""


@dataclass
class Placed:
    """A bundle and what happened to the signals of it that are left out.

    Attributes:
        port: the bundle, still without its clock.
        ports: the top's ports that it takes up.
        ties, ignored: of the signals left out.
        notes: what was left out or guessed, and why.
    """

    port: StreamPort | LitePort | MemoryPort
    ports: list[str]
    ties: dict[str, int] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class _Array:
    """How the bundles of a group are laid out, from the port that leads it."""

    def __init__(self, lead: Port, parameters: Mapping[str, int]) -> None:
        self._parameters = parameters
        self.layout = "packed"
        self.count: int | None = None
        self.lanes: Width | None = None
        self._range = lead.unpacked[:1]
        if len(lead.unpacked) > 1:
            raise NotABundle(f"{lead.name} is an array of arrays")
        if lead.unpacked:
            outer = lead.unpacked[0]
            self.layout = "unpacked" if outer.left <= outer.right else "unpacked_down"
            self.count = outer.size
            if lead.width != self.count:
                raise NotABundle(f"{lead.name} is an array of vectors")
            match = _COUNT.match(outer.text)
            self.lanes = match[1] if match is not None and parameters.get(match[1]) == outer.size else outer.size
        elif lead.width > 1:
            outer = lead.packed[0]
            if outer.left < outer.right:
                raise NotABundle(f"{lead.name} counts its bundles upwards ([{outer.left}:{outer.right}])")
            self.count = lead.width
            self.lanes = self._named(outer.text, lead.width)

    def _named(self, text: str, value: int) -> Width:
        match = _PLAIN_RANGE.match(text)
        return match[1] if match is not None and self._parameters.get(match[1]) == value else value

    def width(self, port: Port) -> Width:
        """Bits of a signal in one bundle, by the name of the parameter that says so where there is one."""
        if bool(port.unpacked) != bool(self._range) or any(
            (a.left, a.right) != (b.left, b.right) for a, b in zip(port.unpacked, self._range, strict=False)
        ):
            raise NotABundle(f"{port.name} is not an array like the rest of its bundle")
        if len(port.unpacked) > 1:
            raise NotABundle(f"{port.name} is an array of arrays")
        count = self.count or 1
        if port.width % count:
            raise NotABundle(f"{port.name} has {port.width} bits, which do not divide among {count} bundles")
        bits = port.width // count
        if not port.packed:
            return bits
        text = port.packed[-1].text
        if self.count is not None and not self._range and len(port.packed) == 1:
            if port.packed[0].left < port.packed[0].right:
                raise NotABundle(f"{port.name} counts its bits upwards, so bundle 0 is highest")
            match = _FLAT_RANGE.match(text)
            if match is None:
                return bits
            return next((n for n in match.groups() if n != self.lanes and self._parameters.get(n) == bits), bits)
        return self._named(text, bits) if port.packed[-1].size == bits else bits

    def bits(self, port: Port) -> int:
        """Bits of a signal in one bundle."""
        self.width(port)
        return port.width // (self.count or 1)


class _Bundle:
    """One group on its way to a bundle."""

    def __init__(self, group: Group, parameters: tuple[TopParameter, ...]) -> None:
        self.name = group.name
        self.roles = dict(group.ports)
        self.ties: dict[str, int] = {}
        self.ignored: list[str] = []
        self.notes: list[str] = []
        self._all = parameters
        self.free = {p.name: p.value for p in parameters if p.free and isinstance(p.value, int)}
        for port in self.roles.values():
            if port.refusal is not None:
                raise NotABundle(f"{port.name} is a {port.refusal}")

    def drop(self, role: str, why: str, tie: int = 0) -> None:
        """Leave an optional signal out."""
        port = self.roles.pop(role)
        if port.way == "input":
            self.ties[port.name] = tie
            done = "tied to all ones" if tie == -1 else f"tied to {tie}"
        else:
            self.ignored.append(port.name)
            done = "not looked at"
        self.notes.append(f"{port.name}: {why}; {done}")

    def drop_disabled(self, side: str) -> None:
        """Leave out the signals that a parameter such as ``ID_ENABLE`` switches off."""
        for parameter in self._all:
            match = re.fullmatch(r"(?:(S|M)_)?(?:AXIS?_)?([A-Z]+)_?EN(?:ABLE)?", parameter.name.upper())
            if match is None or parameter.value != 0 or match[1] not in (None, side):
                continue
            for role in (match[2].lower(), f"t{match[2].lower()}"):
                if role in self.roles and role not in ("tdata", "tvalid"):
                    self.drop(role, f"parameter {parameter.name} is 0", tie=-1 if role == "tkeep" else 0)

    def placed(self, port: StreamPort | LitePort | MemoryPort) -> Placed:
        taken = [*(p.name for p in self.roles.values()), *self.ties, *self.ignored]
        return Placed(port, taken, self.ties, self.ignored, self.notes)


def place(group: Group, parameters: tuple[TopParameter, ...]) -> Placed:
    """Make a bundle of a group.

    Raises:
        NotABundle: with the reason.
    """
    bundle = _Bundle(group, parameters)
    return _stream(bundle) if group.protocol in ("stream", "plain") else _axi(bundle)


def _stream(bundle: _Bundle) -> Placed:
    roles = bundle.roles
    way = roles["tvalid"].way
    direction = "in" if way == "input" else "out"
    if "tready" in roles and roles["tready"].way == way:
        bundle.drop("tready", "runs the same way as tvalid, so this side only listens", tie=1)
    for role, port in roles.items():
        if (port.way == way) == (role == "tready"):
            raise NotABundle(f"{port.name} runs against {roles['tvalid'].name}")
    if "tstrb" in roles and "tkeep" not in roles:
        roles["tkeep"] = roles.pop("tstrb")
        bundle.notes.append(f"{roles['tkeep'].name}: there is no tkeep; it is used as tkeep")
    for role, tie in (("tstrb", -1), ("twakeup", 1)):
        if role in roles:
            bundle.drop(role, f"{role} is not modelled", tie=tie)
    bundle.drop_disabled("S" if direction == "in" else "M")
    array = _Array(roles["tvalid"], bundle.free)
    width, bits = array.width(roles["tdata"]), array.bits(roles["tdata"])
    if bits % 8:
        raise NotABundle(f"{roles['tdata'].name} has {bits} bits a bundle, which are no whole bytes")
    if "tkeep" in roles and array.bits(roles["tkeep"]) != bits // 8:
        bundle.drop("tkeep", f"{array.bits(roles['tkeep'])} bits for {bits // 8} bytes", tie=-1)
    for role in ("tready", "tlast"):
        if role in roles and array.bits(roles[role]) != 1:
            raise NotABundle(f"{roles[role].name} has {array.bits(roles[role])} bits a bundle, expected 1")
    sides: dict[str, Width] = {}
    for side in _SIDES:
        if side in roles and array.bits(roles[side]) > _WIDEST_SIDE:
            bundle.drop(side, f"{array.bits(roles[side])} bits, more than {_WIDEST_SIDE}")
        elif side in roles:
            sides[side] = array.width(roles[side])
    return bundle.placed(
        StreamPort(
            name=bundle.name,
            direction=direction,
            width=width,
            lanes=array.lanes,
            layout=array.layout,
            signals=_ordered(roles),
            **sides,
        )
    )


def _ordered(roles: Mapping[str, Port]) -> dict[str, str]:
    return {role: port.name for role, port in roles.items()}


def _axi(bundle: _Bundle) -> Placed:
    roles = bundle.roles
    full = any(r in roles for r in ("awlen", "arlen", "wlast", "rlast"))
    lead = roles["awvalid"] if "awvalid" in roles else roles["arvalid"]
    direction = "in" if lead.way == "input" else "out"
    for role, port in roles.items():
        if (port.way == "output") != ((role in _ANSWERS) == (direction == "in")):
            raise NotABundle(f"{port.name} runs against {lead.name}")
    bundle.drop_disabled("S" if direction == "in" else "M")
    array = _Array(lead, bundle.free)
    if "wid" in roles:
        raise NotABundle(f"{roles['wid'].name}: write IDs are AXI3")
    _check_channels(roles, full)
    for role in list(roles):
        bits, expected = array.bits(roles[role]), _FIXED.get(role)
        if expected is None or bits == expected:
            continue
        if role in ("awlen", "arlen") or (expected == 1 and not role.endswith("lock")):
            raise NotABundle(f"{roles[role].name} has {bits} bits, expected {expected}" + " (AXI3?)" * (bits == 4))
        bundle.drop(role, f"{bits} bits, expected {expected}")
    if not full:
        for role in [r for r in roles if r not in _LITE_ROLES]:
            bundle.drop(role, "not an AXI-Lite signal")
    widths: dict[str, Any] = {
        "data_width": _common(array, roles, ("wdata", "rdata")),
        "address_width": _common(array, roles, ("awaddr", "araddr")),
    }
    data = array.bits(roles.get("wdata") or roles["rdata"])
    if "wstrb" in roles and array.bits(roles["wstrb"]) * 8 != data:
        raise NotABundle(f"{roles['wstrb'].name} has {array.bits(roles['wstrb'])} bits for {data} bits of data")
    common: dict[str, Any] = {"name": bundle.name, "direction": direction, "lanes": array.lanes, "layout": array.layout}
    if not full:
        if data not in (32, 64):
            raise NotABundle(f"{bundle.name} is AXI-Lite of {data} bits, expected 32 or 64")
        return bundle.placed(LitePort(signals=_ordered(roles), **common, **widths))
    if data not in (8, 16, 32, 64, 128, 256, 512, 1024):
        raise NotABundle(f"{bundle.name} is AXI4 of {data} bits, expected a power of two from 8 to 1024")
    ids = [r for r in _IDS if r in roles]
    if ids:
        widths["id_width"] = _common(array, roles, tuple(ids))
    users = {r: array.width(roles[r]) for r in ("awuser", "wuser", "buser", "aruser", "ruser") if r in roles}
    return bundle.placed(MemoryPort(signals=_ordered(roles), users=users, **common, **widths))


def _check_channels(roles: Mapping[str, Port], full: bool) -> None:
    for name, needed, extra in (("write", _WRITE, ("awlen", "wlast")), ("read", _READ, ("arlen", "rlast"))):
        group = (*needed, *(extra if full else ()))
        lacks = [r for r in group if r not in roles]
        if lacks and len(lacks) < len(group):
            raise NotABundle(f"its {name} channels lack {', '.join(lacks)}")


def _common(array: _Array, roles: Mapping[str, Port], names: tuple[str, ...]) -> Width:
    there = [roles[n] for n in names if n in roles]
    bits = {array.bits(p) for p in there}
    if len(bits) != 1:
        raise NotABundle(f"{', '.join(p.name for p in there)} differ in width: {', '.join(map(str, sorted(bits)))}")
    return array.width(there[0])
