# SPDX-License-Identifier: Apache-2.0
"""Outputs of a design that its description drives: what Verilator says of the harness, in the words of the description."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from goldbeat.tb.build.harness import TOP
from goldbeat.tb.design.design import Design

_ERROR = re.compile(rf"^%Error\S*: (?:\S*/)?{TOP}\.sv:(\d+):\d+: (.*)", re.MULTILINE)
_CONNECTION = re.compile(r"\s*\.(\w+)\(")
_NET = re.compile(rf"'(?:{TOP}\.)?(\w+)'")
_SHORT = "Output port is connected to a constant"


def driven_outputs(design: Design, params: Mapping[str, Any], harness: str, log: str) -> list[str]:
    """One line per output of the design that the description has for an input.

    Args:
        design: what was not built.
        params: parameter values.
        harness: the text of its harness.
        log: what Verilator has printed.
    """
    lines, keys = harness.splitlines(), dict(_keys(design, params))
    nets = {net: pin for pin, net in re.findall(r"^ *\.(\w+)\((\w+)\)", harness, re.MULTILINE)}
    found: dict[str, str] = {}
    for number, said in _ERROR.findall(log):
        connection, net = _CONNECTION.match(lines[int(number) - 1]), _NET.search(said)
        pin = connection[1] if connection is not None else nets.get(net[1], "") if net is not None else ""
        wrong = said.startswith(("Assigning to input", _SHORT)) or (connection is None and pin)
        if wrong and pin in keys:
            found[pin] = f"{pin}: an output of {design.top}, but {keys[pin]} makes it an input"
    return list(found.values())


def _keys(design: Design, params: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The design's ports, each with the key of the description that names it."""
    for n, clock in enumerate(design.clocks):
        yield from ((pin, f"clocks[{n}]") for pin in (clock.name, *clock.also))
        if clock.reset is not None:
            yield clock.reset, f"clocks[{n}].reset"
    yield from ((pin, f"ties.{pin}") for pin in design.ties)
    for table, ports in (("streams", design.streams), ("registers", design.registers), ("memories", design.memories)):
        for n, port in enumerate(ports):
            way = f'with {table}[{n}].direction = "{port.direction}"'
            fixed = port if port.lanes is not None else port.resolved(params)
            named = [role for role in port.roles() if port.signals is None or role in port.signals]
            roles = {port.pin(role): f"signals.{role}" for role in named}
            roles = {pin: roles.get(pin, "fields or sidebands") for pin in fixed.pins()} | roles
            yield from ((pin, f"{table}[{n}].{key} {way}") for pin, key in roles.items())
