# SPDX-License-Identifier: Apache-2.0
"""Bundles that the user names: ``--bundle NAME=PORT,PORT,...``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from goldbeat.pymodels.errors import UsageError
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.fifos import fifo_sides
from goldbeat.tb.probe.flat import PackedFields
from goldbeat.tb.probe.names import PinGroup, groups

_SIDE = re.compile(r"_(?:i|o|in|out|ni|no)$")
_STREAM = {
    **{role: f"t{role}" for role in ("data", "valid", "ready", "last", "keep", "strb", "id", "dest", "user")},
    "vld": "tvalid",
    "rdy": "tready",
}
_BYTE = 8


@dataclass(frozen=True)
class ChosenBundle:
    """A bundle as the user names it.

    Attributes:
        name: of the bundle.
        roles: role -> port, where the text says the role.
        ports: ports whose roles follow from their names.
        inverted: roles whose ports have the other level.
    """

    name: str
    roles: Mapping[str, str]
    ports: tuple[str, ...]
    inverted: frozenset[str] = frozenset()

    def group(self, pins: Mapping[str, Pin]) -> PinGroup:
        """The ports by role.

        Args:
            pins: all ports of the module by name.

        Raises:
            UsageError: no such port, or no TVALID among a stream's.
        """
        for port in (*self.roles.values(), *self.ports):
            if port not in pins:
                raise UsageError(f"--bundle {self.name}: the module has no port {port!r}")
        if not self.roles:
            whole = groups(pins[port] for port in self.ports)
            whole = whole or [side.group for side in fifo_sides(pins[port] for port in self.ports)]
            if len(whole) == 1 and len(whole[0].pins) == len(self.ports):
                return replace(whole[0], name=self.name)
        roles = {role: pins[port] for role, port in self.roles.items()}
        for port in self.ports:
            roles.setdefault(_role(port) or self._glued(port, pins) or f"field {port}", pins[port])
        if "tvalid" not in roles:
            raise UsageError(f"--bundle {self.name}: no valid among its ports; name it with tvalid:PORT")
        return PinGroup(self.name, (StreamPort,), roles, self.inverted)

    def _glued(self, port: str, pins: Mapping[str, Pin]) -> str | None:
        """TLAST, if a name is the valid's with ``last`` in place of its role: ``olast`` beside ``ovld``."""
        valid = self.roles.get("tvalid", "")
        before, last, behind = _SIDE.sub("", port.lower()).rpartition("last")
        mine = bool(before and last) and not behind and valid.lower().startswith(before)
        same = mine and (pins[port].width, pins[port].way) == (pins[valid].width, pins[valid].way)
        return "tlast" if same else None

    def fields(self, pins: Mapping[str, Pin]) -> PackedFields | None:
        """The ports that have to be packed to make TDATA; None: there is one already.

        Raises:
            UsageError: as :meth:`group` does.
        """
        roles = self.group(pins).pins
        found = tuple(pin.name for role, pin in roles.items() if role == "tdata" or role.startswith("field "))
        count = max(1, roles["tvalid"].width) if "tvalid" in roles else 1
        if "tvalid" not in roles or (
            "tdata" in roles and len(found) == 1 and not roles["tdata"].width % (_BYTE * count)
        ):
            return None
        for port in found:
            if pins[port].way != roles["tvalid"].way:
                raise UsageError(f"--bundle {self.name}: {port} has the opposite direction of {roles['tvalid'].name}")
            if why := _no_lanes(pins[port], count):
                raise UsageError(f"--bundle {self.name}: {port} {why}")
        return PackedFields(found, roles["tvalid"].way, count)


def _no_lanes(pin: Pin, count: int) -> str:
    """Why a port is not the payload of so many streams."""
    if pin.width % count:
        return f"has {pin.width} bits, which do not divide among {count} streams, one for each bit of its valid"
    upwards = count > 1 and not pin.unpacked and pin.packed and pin.packed[0].left < pin.packed[0].right
    return "counts upwards, so stream 0 is highest" if upwards else ""


def _role(port: str) -> str | None:
    word = re.split(r"_", _SIDE.sub("", port.lower()))[-1]
    return _STREAM.get(word) or (word if word in _STREAM.values() else None)


def read_bundle(text: str) -> ChosenBundle:
    """Read ``NAME=PORT,ROLE:PORT,ROLE:!PORT,...``.

    Raises:
        UsageError: it has another form.
    """
    name, equals, rest = text.partition("=")
    items = [item.strip() for item in rest.split(",") if item.strip()]
    if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name) or not items:
        raise UsageError(f"--bundle {text}: expected NAME=PORT,PORT,... (a port may be ROLE:PORT)")
    said = dict(item.split(":", 1) for item in items if ":" in item)
    inverted = frozenset(role for role, port in said.items() if port.startswith(("!", "~")))
    roles = {role: port.lstrip("!~") for role, port in said.items()}
    return ChosenBundle(name, roles, tuple(item for item in items if ":" not in item), inverted)


def packed(chosen: Iterable[ChosenBundle], pins: Iterable[Pin]) -> dict[str, PackedFields]:
    """The bundles whose TDATA a wrapper has to make, and of what."""
    known = {pin.name: pin for pin in pins}
    return {one.name: fields for one in chosen if (fields := one.fields(known)) is not None}


def resolved(one: ChosenBundle, pins: Mapping[str, Pin], packs: Mapping[str, PackedFields]) -> PinGroup:
    """The ports of a bundle by role, once its TDATA is there.

    Args:
        one: the bundle.
        pins: ports of the module, or of its wrapper.
        packs: what the wrapper packs.

    Raises:
        UsageError: no such port.
    """
    if one.name not in packs:
        return one.group(pins)
    gone = set(packs[one.name].ports)
    left = {role: port for role, port in one.roles.items() if port not in gone and role != "tdata"}
    ports = tuple(port for port in one.ports if port not in gone)
    return ChosenBundle(one.name, left | {"tdata": packs[one.name].vector}, ports, one.inverted).group(pins)
