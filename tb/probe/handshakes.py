# SPDX-License-Identifier: Apache-2.0
"""Handshakes without data among the ports that belong to nothing else: descriptors, commands, status."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from goldbeat.tb.design.pin_names import holds_up, is_fill_flag, name_words
from goldbeat.tb.design.ports.recognition import Pin, plain_width
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.credits import with_credits
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.names import PLAIN_VALID, own_name

_WIDEST = 64 * 8
_FILL = re.compile("(?:items|slots|entries|level|occupancy|usage|fill|space|credits?|watermark)")
"""Words of numbers that say how full a queue is."""


def with_handshakes(found: Found) -> Found:
    """The same with a stream for every ``x_valid`` with fields ``x_...`` that go the same way; ``x_ready`` may be missing."""
    pins = {pin.name: pin for pin in found.module.ports}
    left = [pins[name] for name in found.unplaced if name in pins and _plain(pins[name])]
    prefixes = {match[1]: pin for pin in left if pin.width == 1 and (match := PLAIN_VALID.match(pin.name)) is not None}
    made = [
        one for prefix, valid in prefixes.items() if (one := _stream(prefix, valid, left, prefixes, found)) is not None
    ]
    taken = {name for one in made for name in (*one.fields, *(one.signals or {}).values())}
    more = replace(
        found,
        streams=(*found.streams, *made),
        ties={name: value for name, value in found.ties.items() if name not in taken},
        ignored=tuple(name for name in found.ignored if name not in taken),
        unchecked={name: why for name, why in found.unchecked.items() if name not in taken},
        beside={name: why for name, why in found.beside.items() if name not in taken},
        unplaced={name: what for name, what in found.unplaced.items() if name not in taken},
        handshakes=found.handshakes.union(one.name for one in made),
        notes=tuple(n for n in found.notes if not n.startswith(tuple(f"{one.name}: not a bundle" for one in made))),
    )
    doubts = {name: why for name, why in _selects(made, found).items() if name not in more.guesses}
    told = (f"{name}: a guess: {why}" for name, why in doubts.items())
    return with_credits(replace(more, guesses={**more.guesses, **doubts}, notes=(*more.notes, *told)))


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


def _plain(pin: Pin) -> bool:
    return pin.refusal is None and not pin.unpacked and pin.way in ("input", "output")


def _stream(prefix: str, valid: Pin, left: Sequence[Pin], prefixes: dict[str, Pin], found: Found) -> StreamPort | None:
    """The handshake of a valid; None where nothing goes along with it."""
    longer = [f"{other}_" for other in prefixes if other.startswith(f"{prefix}_")]
    mine = [
        p for p in left if p.name.startswith(f"{prefix}_") and not p.name.startswith(tuple(longer)) and p is not valid
    ]
    ready = next((p for p in mine if re.fullmatch(rf"{prefix}_ready(_[io])?", p.name) and p.way != valid.way), None)
    payload = [p for p in mine if p.way == valid.way and not (p.width == 1 and holds_up(p.name))]
    payload = [p for p in payload if not _tells_fill(p, prefix)]
    fields = {p.name: plain_width(p, found.module.parameters) for p in payload}
    if not fields or sum(pin.width for pin in mine) > _WIDEST:
        return None
    wiring = found.module.wiring
    seen = wiring.driven.get(valid.name) or wiring.read.get(valid.name) or frozenset()
    clocks = [clock.name for clock in found.clocks]
    known = [name for name in clocks if name in seen] or clocks
    if not known:
        return None
    signals = {"tvalid": valid.name} | ({} if ready is None else {"tready": ready.name})
    direction = {"input": "in", "output": "out"}[valid.way]
    name = own_name(prefix, direction, {one.name for one in found.bundles})
    named = {"name": name, "direction": direction, "clock": known[0], "from_file": False}
    return StreamPort.model_validate({**named, "fields": fields, "signals": signals})
