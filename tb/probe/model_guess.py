# SPDX-License-Identifier: Apache-2.0
"""The ready-made golden model that a module's ports suggest."""

from __future__ import annotations

from functools import partial

from goldbeat.tb.design.ports.recognition import Width
from goldbeat.tb.probe.find import Found


def guessed_model(found: Found) -> tuple[str, str] | None:
    """A model and why; None: the ports do not suggest one.

    A module that does something else with its data fails with it, and the verdict says that the model was guessed.
    """
    number = partial(_number, found=found)
    buses = (*found.registers, *found.memories)
    if found.handshakes:
        return None if buses or not _passes_on(found) else ("identity", "both sides have the same fields")
    if found.streams and buses:
        return None
    if buses:
        slaves, masters = (sum(number(port.lanes) for port in buses if port.direction == way) for way in ("in", "out"))
        if slaves and not masters:
            return "memory", f"{slaves} slave port(s) and no master"
        if slaves == masters == 1:
            return "adapter", "one slave and one master"
        return ("interconnect", f"{slaves} slaves and {masters} masters") if slaves else None
    inputs, outputs = (
        sum(number(port.lanes) for port in found.streams if port.direction == way) for way in ("in", "out")
    )
    # Padding is no payload.
    widths = {number(port.width) - port.padding for port in found.streams}
    # Words of a stream without frames cannot be told apart among frames.
    if not (inputs and outputs) or len({port.has("tlast") for port in found.streams}) > 1 or _apart(found):
        return None
    # A stream without payload says nothing about the values of another.
    if len({bool(port.fields) or port.padding < number(port.width) for port in found.streams}) > 1:
        return None
    if len(widths) > 1:
        bytewise = not any(port.padding for port in found.streams)
        return ("repack", "one input and one output of other width") if inputs == outputs == 1 and bytewise else None
    if inputs == outputs:
        return "identity", f"{inputs} input(s) and as many outputs of one width"
    if inputs == 1 and _chosen_by_dest(found):
        return "route", "one input with TDEST, and several outputs without"
    if inputs == 1:
        return "broadcast", "one input and several outputs of one width"
    return ("merge", "several inputs and one output of one width") if outputs == 1 else None


def no_model(found: Found) -> str:
    """Why the ports suggest no model that predicts values, for people."""
    ways = {way: [port for port in found.streams if port.direction == way] for way in ("in", "out")}
    framed = {port.has("tlast"): port.name for port in found.streams}
    if found.streams and (found.registers or found.memories):
        return "there are streams beside a bus"
    if lacks := [f"{way}put" for way, ports in ways.items() if not ports]:
        return f"no {' and no '.join(lacks)} stream was found"
    if len(framed) > 1:
        return f"{framed[True]} has frames and {framed[False]} has none"
    if _apart(found):
        return "an output is made of no input stream"
    if unheld := [port.name for port in ways["in"] if port.name in found.handshakes and not port.has("tready")]:
        return f"{unheld[0]} has no ready, so words may be lost"
    if found.handshakes and len(found.streams) == len(ways) == 2:
        return "an output's fields are not those of the input, one by one"
    return "inputs and outputs differ in width or number"


def reworked(found: Found) -> str:
    """What a module does with the words of streams beside storage and selection, for people; empty: nothing."""
    inputs, outputs = (
        [pin for one in found.streams if one.direction == way for pin in one.payload_pins("tdata")]
        for way in ("in", "out")
    )
    bits = min((_number(port.width, found) - port.padding for port in found.streams), default=0)
    ways = (("tvalid", "out"), ("tready", "in"))
    beside = [
        port.pin(role) for port in found.streams for role, way in ways if port.direction == way and port.has(role)
    ]
    return found.module.carried.reworked(inputs, outputs, beside, bits) if inputs and outputs else ""


def _number(width: Width | None, found: Found) -> int:
    """A width with the values of the module's parameters."""
    values = {parameter.name: parameter.value for parameter in found.module.parameters}
    value = 1 if width is None else values.get(width) if isinstance(width, str) else width
    return value if isinstance(value, int) else 1


def _passes_on(found: Found) -> bool:
    """Whether an output without data has fields of the same widths as the only input, each of which shows its counterpart."""
    sides = {port.direction: port for port in found.streams}
    if len(found.streams) != 2 or len(sides) != 2 or not all(port.fields for port in found.streams):
        return False
    given, result = sides["in"], sides["out"]
    carried, valid = found.module.carried, given.pin("tvalid")
    pairs = list(zip(given.fields.items(), result.fields.items(), strict=False))
    same = len(given.fields) == len(result.fields) and result.after is None and given.until is None
    # A bit may be masked by the valid that says whether it counts.
    masked = {name for name, bits in given.fields.items() if bits == 1}
    return same and all(
        one == other
        and (name in carried.shown.get(out, ()) or (name in masked and carried.values.get(out, set()) == {name, valid}))
        for (name, one), (out, other) in pairs
    )


def _chosen_by_dest(found: Found) -> bool:
    """Whether the only input of several outputs has TDEST, and none of these, so that it says where a beat goes."""
    inputs = [port for port in found.streams if port.direction == "in"]
    outputs = [port for port in found.streams if port.direction == "out"]
    several = len(outputs) > 1 or any(port.lanes is not None for port in outputs)
    return (
        several and [port.has("tdest") for port in inputs] == [True] and not any(port.has("tdest") for port in outputs)
    )


def _apart(found: Found) -> bool:
    """Whether the words of an output are made of other inputs than the streams, as those of a bridge to other pins."""
    values = found.module.carried.values
    given = {pin for port in found.streams if port.direction == "in" for pin in port.payload_pins("tdata")}
    for port in (one for one in found.streams if one.direction == "out"):
        makers = set[str]().union(*(values.get(pin, frozenset()) for pin in port.payload_pins("tdata")))
        if makers and not makers & given:
            return True
    return False
