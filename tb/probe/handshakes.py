# SPDX-License-Identifier: Apache-2.0
"""Handshakes without data among the ports that belong to nothing else: descriptors, commands, status."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from goldbeat.tb.design.pin_names import holds_up, is_fill_flag, name_words
from goldbeat.tb.design.ports.recognition import Pin, plain_width
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.credits import with_credits
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.names import PLAIN_VALID, own_name
from goldbeat.tb.probe.slack import slack

_WIDEST = 64 * 8
_FILL = re.compile("(?:items|slots|entries|level|occupancy|usage|fill|space|credits?|watermark)")
"""Words of numbers that say how full a queue is."""


def with_handshakes(found: Found) -> Found:
    """The same with a stream for every ``x_valid`` with fields ``x_...`` that go the same way; ``x_ready`` may be missing."""
    left = list(plain_pins(found).values())
    prefixes = {match[1]: pin for pin in left if pin.width == 1 and (match := PLAIN_VALID.match(pin.name)) is not None}
    made = [
        one for prefix, valid in prefixes.items() if (one := _stream(prefix, valid, left, prefixes, found)) is not None
    ]
    told = tuple(f"{one.name}: not a bundle" for one in made)
    more = replace(found.plus(made), notes=tuple(note for note in found.notes if not note.startswith(told)))
    return with_credits(more.doubted(_selects(made, found) | slack(made, found.module.carried.gates)))


def _tells_fill(pin: Pin, prefix: str) -> bool:
    """Whether an output says how full a queue is, which moves with no beat."""
    words = name_words(pin.name.removeprefix(f"{prefix}_"))
    return pin.way == "output" and (is_fill_flag(pin.name) or any(map(_FILL.fullmatch, words)))


def _selects(streams: Sequence[StreamPort], found: Found) -> dict[str, str]:
    """Inputs that the ready of their own stream follows at once, which no payload should do."""
    follows = found.module.carried.gates.follows
    return {
        name: f"{port.pin('tready')} follows it in the same cycle: it may select, or stay"
        for port in streams
        if port.direction == "in" and port.has("tready")
        for name in port.fields
        if follows(name, port.pin("tready"))
    }


def plain_pins(found: Found) -> dict[str, Pin]:
    """The ports that belong to nothing yet and could be part of a stream, by name."""
    pins = {pin.name: pin for pin in found.module.ports if pin.refusal is None and not pin.unpacked}
    return {name: pins[name] for name in found.unplaced if name in pins and pins[name].way in ("input", "output")}


def field_stream(found: Found, name: str, signals: Mapping[str, str], payload: Iterable[Pin]) -> StreamPort | None:
    """A handshake without TDATA; None: no clock moves its valid.

    Args:
        found: what it is added to.
        name: what it would be called if nothing else were; empty: by its direction.
        signals: its ports by role, with ``!`` those with the other level.
        payload: the ports that go along.
    """
    wiring, valid = found.module.wiring, signals["tvalid"].removeprefix("!")
    seen = wiring.driven.get(valid) or wiring.read.get(valid) or frozenset()
    clocks = [clock.name for clock in found.clocks]
    known = [clock for clock in clocks if clock in seen] or clocks
    if not known:
        return None
    way = next(pin.way for pin in found.module.ports if pin.name == valid)
    direction = {"input": "in", "output": "out"}[way]
    named = {
        "name": own_name(name or direction, direction, {one.name for one in found.bundles}),
        "direction": direction,
    }
    fields = {pin.name: plain_width(pin, found.module.parameters) for pin in payload}
    return StreamPort.model_validate(
        {**named, "clock": known[0], "from_file": False, "fields": fields, "signals": signals}
    )


def _stream(prefix: str, valid: Pin, left: Sequence[Pin], prefixes: dict[str, Pin], found: Found) -> StreamPort | None:
    """The handshake of a valid; None where nothing goes along with it."""
    names = {pin.name for pin in left}
    mine = [p for p in left if p is not valid and _owner(p.name, prefixes, names) == prefix]
    ready = next((p for p in mine if re.fullmatch(rf"{prefix}_ready(_[io])?", p.name) and p.way != valid.way), None)
    payload = [p for p in mine if p.way == valid.way and not (p.width == 1 and holds_up(p.name))]
    payload = [p for p in payload if not _tells_fill(p, prefix)]
    # Data that are all there is are found by what the RTL does with them, and what belongs to them.
    alone = [pin.name for pin in payload] == [prefix]
    if not payload or alone or sum(pin.width for pin in mine) > _WIDEST:
        return None
    signals = {"tvalid": valid.name} | ({} if ready is None else {"tready": ready.name})
    made = field_stream(found, prefix, signals, payload)
    return None if made is None else _with_data(made, prefix, payload, found)


def _owner(name: str, prefixes: Iterable[str], names: Container[str]) -> str | None:
    """The longest prefix that a name begins with.

    ``x_y`` is the data of ``x_y_valid`` unless ``x_valid`` has no data ``x``, but those of ``x_y``.
    """
    inside = [one for one in prefixes if name.startswith(f"{one}_") and not (name in prefixes and one in names)]
    return max(inside, key=len, default=name if name in prefixes else None)


def _with_data(made: StreamPort, prefix: str, payload: Sequence[Pin], found: Found) -> StreamPort:
    """The same with TDATA and TLAST where the fields are no more than ``x`` in whole bytes and ``x_last``."""
    data = next((p for p in payload if re.fullmatch(rf"{prefix}(_[io])?", p.name) and p.width % 8 == 0), None)
    last = [pin for pin in payload if re.fullmatch(rf"{prefix}_last(_[io])?", pin.name) and pin.width == 1]
    if data is None or len(last) != 1 or len(payload) > len(last) + 1:
        return made
    width = plain_width(data, found.module.parameters)
    signals = {**(made.signals or {}), "tdata": data.name, "tlast": last[0].name}
    return made.model_copy(update={"fields": {}, "from_file": True, "width": width, "signals": signals})
