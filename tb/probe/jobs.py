# SPDX-License-Identifier: Apache-2.0
"""Designs that plain ports start: ``start`` with operands, ``done`` with results, the block-level protocol of HLS, or enables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from goldbeat.tb.design.pin_names import holds_up, inner_words, is_enable, is_ready, rests
from goldbeat.tb.design.ports.recognition import Pin, plain_width
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.names import own_name

_START = re.compile("start|go|begin|launch|trigger|trig|kick|run|load|ld|init|next|exec|execute|calc|compute|fire")
_DONE = re.compile("done|finish|finished|complete|completed|eoc|drdy|rdy")
_BESIDE = re.compile("idle|busy|ready|error|err|running|active|state|status")
"""Words of outputs of one bit that are no result."""
_HLS = {"start": "ap_start", "ready": "ap_ready", "done": "ap_done", "idle": "ap_idle", "continue": "ap_continue"}


def with_jobs(found: Found) -> Found:
    """The same with streams for what is started: its operands go in with the start, its results come out when it is done."""
    pins = [pin for pin in found.module.ports if pin.name in found.unplaced and _plain(pin)]
    if not found.clocks or found.registers or found.memories:
        return found
    made = _of_hls(pins, found) if _HLS["start"] in found.unplaced else _of_names(pins, found)
    made = made or _of_enables(pins, found)
    streams = [one for one, _ in made]
    taken = {name for one in streams for role in one.roles() for name in one.payload_pins(role)}
    taken |= {pin.removeprefix("!") for one in streams if one.until is not None for pin in (one.until,)}
    told = [f"{one.name}: {why}" for one, why in made]
    return replace(
        found,
        streams=(*found.streams, *streams),
        ties={name: value for name, value in found.ties.items() if name not in taken},
        ignored=tuple(name for name in found.ignored if name not in taken),
        unplaced={name: what for name, what in found.unplaced.items() if name not in taken},
        beside={name: why for name, why in found.beside.items() if name not in taken},
        handshakes=found.handshakes.union(one.name for one in streams),
        guesses={**found.guesses, **_guesses(streams, found)},
        notes=(*found.notes, *told, *(f"{name}: a guess: {why}" for name, why in _guesses(streams, found).items())),
    )


def _plain(pin: Pin) -> bool:
    return pin.refusal is None and not pin.unpacked and pin.way in ("input", "output")


_Made = list[tuple[StreamPort, str]]


def _of_hls(pins: Sequence[Pin], found: Found) -> _Made:
    """The block-level protocol: arguments stay until ``ap_ready``, results are there with ``ap_done``."""
    ports = {pin.name: pin for pin in pins}
    if not {_HLS["ready"], _HLS["done"]} <= ports.keys():
        return []
    rest = [pin for pin in pins if pin.name not in _HLS.values()]
    inputs, outputs = ([p for p in rest if p.way == way and not is_enable(p.name)] for way in ("input", "output"))
    why = "the block-level protocol of HLS"
    made: _Made = []
    if inputs:
        signals = {"tvalid": _HLS["start"], "tready": _HLS["ready"]}
        made.append((_stream("in", "in", inputs, signals, found), why))
    if inputs and outputs:
        signals = {"tvalid": _HLS["done"]} | ({"tready": _HLS["continue"]} if _HLS["continue"] in ports else {})
        made.append((_stream("out", "out", outputs, signals, found), why))
    return made


def _of_names(pins: Sequence[Pin], found: Found) -> _Made:
    """One start and one done, where no other port could be either."""
    done = _only(pins, "output", _DONE)
    if done is None:
        return []
    results = [p for p in pins if p.way == "output" and p is not done and not _status(p)]
    start = _only(pins, "input", _START)
    started = [one for one in found.streams if one.direction == "in" and _busy(one)]
    made: _Made = []
    if start is not None and not started:
        operands = [p for p in pins if p.way == "input" and p is not start and _operand(p, found)]
        stored = [p for p in operands if (start.name, True) in found.module.carried.gates.stored.get(p.name, ())]
        if not operands:
            return []
        port = _stream("in", "in", operands, {"tvalid": start.name}, found)
        port = port.model_copy(update={"until": done.name, "held": len(stored) < len(operands)})
        what = f"operands stay until {done.name}" if port.held else f"operands change after {start.name}"
        started = [port]
        made.append((port, f"{start.name} is high for one cycle, and not again before {done.name}; {what}"))
    if len(started) == 1 and results:
        port = _stream("out", "out", results, {"tvalid": done.name}, found, {made[0][0].name} if made else set())
        port = port.model_copy(update={"after": started[0].name})
        made.append((port, f"one beat for each start: where {done.name} is high after it, or rises"))
    return made


def _of_enables(pins: Sequence[Pin], found: Found) -> _Made:
    """An enable under which inputs are stored that belong to nothing else: then it says when they are there."""
    stored = found.module.carried.gates.stored
    made: _Made = []
    for enable in (pin for pin in pins if pin.way == "input" and pin.width == 1 and is_enable(pin.name)):
        rest = [p for p in pins if p.way == "input" and p.width > 1 and _operand(p, found)]
        data = [p for p in rest if {name for name, _ in stored.get(p.name, ())} == {enable.name}]
        if data and not made:
            port = _stream("in", "in", data, {"tvalid": enable.name}, found)
            made.append((port, f"it stores {', '.join(p.name for p in data)} with {enable.name}"))
    strobes = [pin for pin in pins if pin.way == "output" and pin.width == 1 and is_enable(pin.name)]
    results = [pin for pin in pins if pin.way == "output" and pin.width > 1]
    if made and len(strobes) == 1 and results:
        port = _stream("out", "out", results, {"tvalid": strobes[0].name}, found, {made[0][0].name})
        made.append((port, f"{strobes[0].name} is the only output that may say when others are there"))
    return made


def _busy(port: StreamPort) -> bool:
    """Whether an input takes nothing before it has done what it was given last."""
    return port.has("tready") and bool(re.search("busy|idle|ready|rdy", port.pin("tready")))


def _only(pins: Iterable[Pin], way: str, words: re.Pattern[str]) -> Pin | None:
    named = [pin for pin in pins if pin.way == way and pin.width == 1 and words.fullmatch(inner_words(pin.name)[-1])]
    return named[0] if len(named) == 1 else None


def _status(pin: Pin) -> bool:
    return pin.width == 1 and (bool(_BESIDE.fullmatch(inner_words(pin.name)[-1])) or holds_up(pin.name))


def _operand(pin: Pin, found: Found) -> bool:
    """Whether an input may go along with a start: it is used, and no setting of one bit."""
    unread = pin.name in found.module.carried.unread
    setting = is_enable(pin.name) or is_ready(pin.name) or rests(pin.name)
    return not unread and not setting


def _stream(
    key: str,
    direction: str,
    payload: Sequence[Pin],
    signals: dict[str, str],
    found: Found,
    taken: Iterable[str] = (),
) -> StreamPort:
    wiring = found.module.wiring
    seen = wiring.driven.get(signals["tvalid"]) or wiring.read.get(signals["tvalid"]) or frozenset()
    clocks = [clock.name for clock in found.clocks]
    values: dict[str, Any] = {
        "name": own_name(key, direction, {*(one.name for one in found.bundles), *taken}),
        "direction": direction,
        "clock": next((name for name in clocks if name in seen), clocks[0]),
        "from_file": False,
        "fields": {pin.name: plain_width(pin, found.module.parameters) for pin in payload},
        "signals": signals,
    }
    return StreamPort.model_validate(values)


def _guesses(streams: Iterable[StreamPort], found: Found) -> dict[str, str]:
    """What nothing but a name speaks for."""
    guessed: dict[str, str] = {}
    for one in streams:
        if one.until is not None:
            guessed[one.pin("tready")] = f"its name says that what {one.pin('tvalid')} began has ended"
            guessed |= dict.fromkeys(one.fields if one.held else (), f"{one.pin('tvalid')} stores not all of them")
        elif one.after is not None:
            guessed[one.pin("tvalid")] = "its name says that results are there"
        elif is_enable(one.pin("tvalid")) and one.pin("tvalid") not in _HLS.values():
            guessed[one.pin("tvalid")] = "its name is that of an enable"
    return {name: why for name, why in guessed.items() if name not in found.guesses}
