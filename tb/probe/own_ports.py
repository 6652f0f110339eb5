# SPDX-License-Identifier: Apache-2.0
"""What a wrapper connects to the ports that an interface itself has: ``interface flow_if (input logic clk)``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from goldbeat.tb.build.compiling import direction_of, symbol_kind
from goldbeat.tb.design.pin_names import is_clock, is_reset, low_by_name
from goldbeat.tb.probe.flat_names import FreeNames
from goldbeat.tb.probe.leaves import WAYS
from goldbeat.tb.probe.names import affinity


class OwnPorts:
    """Connections of the interfaces' own ports.

    Args:
        ports: slang's, of the module.
        free: the names that more pins may have.

    Attributes:
        connected: interface port of the module -> own port of that interface -> expression; empty: it is left open.
        pins: inputs that only the interfaces need -> bits.
        notes: connections that were guessed.
    """

    def __init__(self, ports: Iterable[Any], free: FreeNames) -> None:
        plain = [port for port in ports if symbol_kind(port) == "Port" and not port.isNullPort]
        self._names = {port.name for port in plain}
        self._single = [port.name for port in plain if _way(port) == "input" and port.type.bitstreamWidth == 1]
        self._free = free
        self._made: dict[tuple[str, int], str] = {}
        self.connected: dict[str, dict[str, str]] = {}
        self.pins: dict[str, int] = {}
        self.notes: list[str] = []

    def add(self, port: str, instance: Any) -> None:
        """Connect the own ports of the interface behind one port.

        Args:
            port: of the module.
            instance: slang's, of the interface.
        """
        mine = [own for own in instance.body.portList if symbol_kind(own) == "Port" and not own.isNullPort]
        self.connected[port] = {own.name: self._value(port, own) for own in mine}

    def _value(self, port: str, own: Any) -> str:
        if own.name in self._names:
            return str(own.name)
        if _way(own) != "input":
            return ""
        bits = own.type.bitstreamWidth
        for kind in (is_clock, is_reset) if bits == 1 else ():
            found = [name for name in self._single if kind(name)]
            if kind(own.name) and found:
                return self._nearest(port, own.name, found)
        if (own.name, bits) not in self._made:
            self._made[own.name, bits] = self._free.claim(own.name)
            self.pins[self._made[own.name, bits]] = bits
        return self._made[own.name, bits]

    def _nearest(self, port: str, name: str, found: list[str]) -> str:
        best = max(found, key=lambda one: affinity(f"{port}_{name}", one))
        if len(found) > 1:
            self.notes.append(f"{port}: {name} of its interface is connected to {best}, by its name")
        return "~" * (is_reset(best) and low_by_name(best) != low_by_name(name)) + best


def _way(port: Any) -> str | None:
    return WAYS.get(direction_of(port))
