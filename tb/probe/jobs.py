# SPDX-License-Identifier: Apache-2.0
"""Designs that plain ports start: ``start`` with operands, ``done`` with results, the block-level protocol of HLS, or enables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from goldbeat.tb.design.pin_names import ends, holds_up, inner_words, is_enable, is_ready, rests, starts
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.handshakes import field_stream, plain_pins, with_handshakes

_DATA_READY = ("drdy", "rdy")
_BESIDE = re.compile("idle|busy|ready|error|err|running|active|state|status")
"""Words of outputs of one bit that are no result."""
_HLS = {"start": "ap_start", "ready": "ap_ready", "done": "ap_done", "idle": "ap_idle", "continue": "ap_continue"}


def with_jobs(found: Found, known: Collection[str] = ()) -> Found:
    """The same with streams for what is started: its operands go in with the start, its results come out when it is done.

    A module with an output stream hands its results over there: whatever says done beside it is a status.

    Args:
        found: what is there already.
        known: ports that the user has said something about, or that are part of a bus.
    """
    whole = with_handshakes(found)
    if not found.clocks or found.registers or found.memories or any(one.direction == "out" for one in whole.streams):
        return found
    pins = [pin for name, pin in plain_pins(whole).items() if name not in known]
    made = _of_hls(pins, found) if any(pin.name == _HLS["start"] for pin in pins) else _of_names(pins, found)
    made = made or _of_enables(pins, found) or _of_delays(pins, found)
    told = tuple(f"{one.name}: {why}" for one, why in made)
    more = replace(found.plus(one for one, _ in made), notes=(*found.notes, *told))
    return more.doubted({name: why for one, _ in made for name, why in _guesses(one).items()})


_Made = list[tuple[StreamPort, str]]


def _add(made: _Made, found: Found, signals: Mapping[str, str], payload: Iterable[Pin], why: str, **more: Any) -> None:
    """Add a stream with fields, called by its direction."""
    port = field_stream(found.plus(one for one, _ in made), "", signals, payload)
    if port is not None:
        made.append((port.model_copy(update=more), why))


def _of_hls(pins: Sequence[Pin], found: Found) -> _Made:
    """The block-level protocol: arguments stay until ``ap_ready``, results are there with ``ap_done``."""
    names = {pin.name for pin in pins}
    rest = [pin for pin in pins if pin.name not in _HLS.values() and not is_enable(pin.name)]
    inputs, outputs = ([pin for pin in rest if pin.way == way] for way in ("input", "output"))
    if not ({_HLS["ready"], _HLS["done"]} <= names and inputs):
        return []
    why = "the block-level protocol of HLS"
    made: _Made = []
    _add(made, found, {"tvalid": _HLS["start"], "tready": _HLS["ready"]}, inputs, why)
    if outputs:
        goes_on = {"tready": _HLS["continue"]} if _HLS["continue"] in names else {}
        _add(made, found, {"tvalid": _HLS["done"]} | goes_on, outputs, why)
    return made


def _of_names(pins: Sequence[Pin], found: Found) -> _Made:
    """One start and one done, where no other port could be either."""
    start, done = _only(pins, "input", starts), _only(pins, "output", _is_done)
    started = [one for one in found.streams if one.direction == "in" and _busy(one)]
    made: _Made = []
    if done is not None and start is not None and not started:
        operands = [pin for pin in pins if pin.way == "input" and pin is not start and _operand(pin, found)]
        stored = [p for p in operands if (start.name, True) in found.module.carried.gates.stored.get(p.name, ())]
        if not operands:
            return []
        held = len(stored) < len(operands)
        what = f"operands stay until {done.name}" if held else f"operands change after {start.name}"
        why = f"{start.name} is high for one cycle, and not again before {done.name}; {what}"
        _add(made, found, {"tvalid": start.name}, operands, why, until=done.name, held=held)
        started = [one for one, _ in made]
    results = [pin for pin in pins if pin.way == "output" and pin is not done and not _status(pin)]
    if done is not None and len(started) == 1 and results:
        why = f"one beat for each start: where {done.name} is high after it, or rises"
        _add(made, found, {"tvalid": done.name}, results, why, after=started[0].name)
    return made


def _of_enables(pins: Sequence[Pin], found: Found) -> _Made:
    """An enable under which inputs are stored that belong to nothing else: then it says when they are there."""
    stored = found.module.carried.gates.stored
    wide = [pin for pin in pins if pin.way == "input" and pin.width > 1 and _operand(pin, found)]
    enables = [pin for pin in pins if pin.width == 1 and is_enable(pin.name)]
    under = {pin.name: [p for p in wide if {n for n, _ in stored.get(p.name, ())} == {pin.name}] for pin in enables}
    made: _Made = []
    if enable := next((name for name, data in under.items() if data), ""):
        data = under[enable]
        _add(made, found, {"tvalid": enable}, data, f"it stores {', '.join(pin.name for pin in data)} with {enable}")
    strobes = [pin.name for pin in enables if pin.way == "output"]
    results = [pin for pin in pins if pin.way == "output" and pin.width > 1]
    if made and len(strobes) == 1 and results:
        why = f"{strobes[0]} is the only output that may say when others are there"
        _add(made, found, {"tvalid": strobes[0]}, results, why)
    return made


def _of_delays(pins: Sequence[Pin], found: Found) -> _Made:
    """An enable that comes out as many cycles later as the data beside it."""
    carried = found.module.carried
    enables = [pin for pin in pins if pin.way == "input" and pin.width == 1 and is_enable(pin.name)]
    words = [pin for pin in pins if pin.way == "input" and pin.width > 1 and _operand(pin, found)]
    outputs = [(pin, carried.shown.get(pin.name, frozenset())) for pin in pins if pin.way == "output"]
    made: _Made = []
    for enable in enables if len(enables) == 1 else ():
        strobes = [pin.name for pin, shown in outputs if pin.width == 1 and shown == {enable.name}]
        pairs = [(one, pin) for one in words for pin, shown in outputs if shown == {one.name}]
        delays = {carried.gates.edges(one.name, pin.name, enable.name) for one, pin in pairs}
        if not pairs or len(strobes) != 1 or delays != {carried.gates.edges(enable.name, strobes[0], pairs[0][0].name)}:
            continue
        why = f"{strobes[0]} is {enable.name} as many cycles later as the data are"
        _add(made, found, {"tvalid": enable.name}, dict.fromkeys(one for one, _ in pairs), why)
        _add(made, found, {"tvalid": strobes[0]}, [pin for _, pin in pairs], why)
    return made


def _busy(port: StreamPort) -> bool:
    """Whether an input takes nothing before it has done what it was given last."""
    one = port.lanes is None and port.has("tready")
    return one and bool(re.search("busy|idle|ready|rdy", port.pin("tready")))


def _only(pins: Iterable[Pin], way: str, says: Callable[[str], bool]) -> Pin | None:
    named = [pin for pin in pins if pin.way == way and pin.width == 1 and says(pin.name)]
    return named[0] if len(named) == 1 else None


def _is_done(name: str) -> bool:
    """Whether a name says that results are there."""
    return ends(name) or inner_words(name)[-1] in _DATA_READY


def _status(pin: Pin) -> bool:
    return pin.width == 1 and (bool(_BESIDE.fullmatch(inner_words(pin.name)[-1])) or holds_up(pin.name))


def _operand(pin: Pin, found: Found) -> bool:
    """Whether an input may go along with a start: it is used, and no setting of one bit."""
    unread = pin.name in found.module.carried.unread
    setting = is_enable(pin.name) or is_ready(pin.name) or rests(pin.name)
    return not unread and not setting


def _guesses(port: StreamPort) -> dict[str, str]:
    """What nothing but a name speaks for."""
    valid = port.pin("tvalid")
    if port.until is not None:
        doubts = dict.fromkeys(port.fields if port.held else (), f"{valid} stores not all of them")
        return {port.pin("tready"): f"its name says that what {valid} began has ended"} | doubts
    if port.after is not None:
        return {valid: "its name says that results are there"}
    return {valid: "its name is that of an enable"} if is_enable(valid) and valid not in _HLS.values() else {}
