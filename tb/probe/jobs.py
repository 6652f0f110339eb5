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
from goldbeat.tb.probe.strobes import Strobe, stored_under, strobes

_DATA_READY = ("drdy", "rdy")
_BESIDE = re.compile("idle|busy|ready|error|err|running|active|state|status")
"""Words of outputs of one bit that are no result."""
_HLS = {"start": "ap_start", "ready": "ap_ready", "done": "ap_done", "idle": "ap_idle", "continue": "ap_continue"}


def with_jobs(found: Found, known: Collection[str] = ()) -> Found:
    """The same with streams for what is started: its operands go in with the start, its results come out when it is done.

    A module with an output stream hands its results over there: whatever says done beside it is a status. What stores a word
    whose name says nothing is a strobe.

    Args:
        found: what is there already.
        known: ports that the user has said something about, or that are part of a bus.
    """
    whole = with_handshakes(found)
    if not found.clocks or found.registers or found.memories:
        return found
    pins = [pin for name, pin in plain_pins(whole).items() if name not in known]
    outs = [one for one in whole.streams if one.direction == "out"]
    made = (
        []
        if outs
        else _of_hls(pins, found)
        if any(pin.name == _HLS["start"] for pin in pins)
        else _of_names(pins, found)
    )
    if not (made or outs):
        for look in (_of_answers, _of_loads):
            made, doubts = look(pins, whole)
            if made:
                return _opened(_with(whole, made, doubts), whole, [], pins)
    starting: list[Strobe] = []
    if not made:
        starting = strobes(pins, whole)
        made = [] if outs or starting else _of_delays(pins, found)
    if not made:
        return _opened(_with_strobes(found, whole, pins, starting), whole, starting, pins)
    doubts = {name: why for one, _ in made for name, why in (_guesses(one) | _levels(one, found)).items()}
    return _opened(_with(found, made, doubts), whole, [], pins)


_Made = list[tuple[StreamPort, str]]


def _add(made: _Made, found: Found, signals: Mapping[str, str], payload: Iterable[Pin], why: str, **more: Any) -> None:
    """Add a stream with fields, called by its direction."""
    port = field_stream(found.plus(one for one, _ in made), "", signals, payload)
    if port is not None:
        made.append((port.model_copy(update=more), why))


def _with(found: Found, made: _Made, doubts: Mapping[str, str]) -> Found:
    """The same with streams, what speaks for each, and what of them is a guess."""
    told = tuple(f"{port.name}: {why}" for port, why in made)
    return replace(found.plus(port for port, _ in made), notes=(*found.notes, *told)).doubted(doubts)


def _with_strobes(found: Found, whole: Found, pins: Sequence[Pin], starting: Sequence[Strobe]) -> Found:
    """The same with streams for what is stored under an input of any name, and for results that come out after it.

    Args:
        found: what is there already.
        whole: the same with handshakes without data.
        pins: the ports that belong to nothing.
        starting: the inputs.
    """
    given = any(one.direction == "in" for one in whole.streams)
    outs = [one for one in whole.streams if one.direction == "out"]
    starting = starting or ([] if given else _starting(pins, whole, outs))
    made: _Made = []
    doubts: dict[str, str] = {}
    done, says = _end_of(pins, outs) if len(starting) == 1 and starting[0].waits else ("", "")
    for one in starting:
        name = "_".join(inner_words(one.pin.name)) if len(starting) > 1 else ""
        port = field_stream(whole.plus(other for other, _ in made), name, one.signals, one.data)
        more = {"until": done, "held": one.later} if done else {}
        made += [] if port is None else [(port.model_copy(update=more), _why(one, done))]
        doubts |= ({done.removeprefix("!"): f"it {says}"} if done and not outs else {}) | _doubts(one, done)
        doubts |= {} if port is None or not done else _levels(made[-1][0], whole)
    joint = {*starting[0].beside, starting[0].pin.name} if starting else set()
    if {one.pin.name for one in starting} <= joint and made and not outs and not given:
        answers = {pin for one in starting for pin in one.signals.values()}
        free = [pin for pin in pins if not {pin.name, f"!{pin.name}"} & answers]
        valid, says = (done, says) if done else _offer(free)
        results = [
            pin for pin in free if pin.way == "output" and pin.name != valid.removeprefix("!") and not _status(pin)
        ]
        if valid and results:
            more = {"after": made[0][0].name} if done else {}
            _add(made, whole, {"tvalid": valid}, results, f"{valid.removeprefix('!')} {says}", **more)
            doubts |= {valid.removeprefix("!"): f"it {says}"}
    more_found = _with(found, made, doubts)
    # The valid of a handshake without data, which says when the next one may come, still belongs to that.
    kept = {pin: text for one in outs if (pin := one.pin("tvalid")) in found.unplaced for text in [found.unplaced[pin]]}
    return replace(more_found, unplaced={**more_found.unplaced, **kept})


def _why(one: Strobe, done: str) -> str:
    """What is said of a strobe."""
    ends = f"; it is high for one cycle, and not again before {done.replace('!', 'not ')}" if done else ""
    return f"{one.why}{ends}" if one.data and not one.held else f"{one.pin.name} begins something{ends}"


def _opened(found: Found, whole: Found, starting: Iterable[Strobe], pins: Sequence[Pin]) -> Found:
    """The same where inputs without which nothing goes in have their level, and where those that store others are told.

    Args:
        found: with all streams.
        whole: what was there before, with handshakes without data.
        starting: what stores words.
        pins: the ports that belonged to nothing then.
    """
    guarded = found.module.carried.gates.guarded
    free = [pin for pin in pins if pin.name in found.unplaced and pin.width == 1 and pin.way == "input"]
    valids = [(one.pin("tvalid")) for one in whole.streams if one.direction == "in" and one.lanes is None]
    gates = [pin.name for pin in free if not rests(pin.name) and any(guarded(one, pin.name, True) for one in valids)]
    levels = {name: True for name in gates if not any(guarded(one, name, False) for one in valids)}
    levels |= {name: high for one in starting for name, high in one.around if name in found.ties}
    levels = {name: high for name, high in levels.items() if bool(found.ties[name]) is not high}
    texts = {name: f"input, 1 bit: tied to {int(high)}: nothing goes in otherwise" for name, high in levels.items()}
    for name, why in stored_under(plain_pins(found).values(), found).items():
        texts.setdefault(name, f"{found.unplaced[name]}; {why}")
    ties = {**found.ties, **{name: -1 if high else 0 for name, high in levels.items()}}
    return replace(found, ties=ties, unplaced={**found.unplaced, **texts})


def _starting(pins: Sequence[Pin], found: Found, outs: Sequence[StreamPort]) -> list[Strobe]:
    """The only input that may begin something, where words go in that it does not store and an output says when it has ended."""
    bits = [pin for pin in pins if pin.way == "input" and pin.width == 1 and _operand(pin, found)]
    named = [pin for pin in bits if starts(pin.name)]
    asked = [pin for pin in bits if found.module.carried.gates.only_stored(pin.name, ()) is False]
    data = [pin for pin in pins if pin.way == "input" and _operand(pin, found)]
    for group in (named, asked):
        if len(group) == 1 and _end_of(pins, outs)[0] and any(pin.width > 1 for pin in data):
            return [
                Strobe(
                    group[0],
                    False,
                    tuple(pin for pin in data if pin is not group[0]),
                    later=True,
                    begins=True,
                    held=True,
                )
            ]
    return []


def _end_of(pins: Sequence[Pin], outs: Sequence[StreamPort]) -> tuple[str, str]:
    """The output that says that what was begun has ended, ``!`` with its low level, and what speaks for it; else empty."""
    free = [pin for pin in pins if pin.way == "output" and pin.width == 1]
    if outs:
        plain = len(outs) == 1 and outs[0].lanes is None and not outs[0].has("tready")
        valid = outs[0].pin("tvalid")
        return (f"{'!' * outs[0].inverts('tvalid')}{valid}", f"{valid} comes with a result") if plain else ("", "")
    says = "says by its name that what was begun has ended"
    for low, test in ((False, _is_done), (False, is_ready), (False, _idle), (True, _is_busy)):
        named = [pin for pin in free if test(pin.name)]
        if len(named) == 1:
            return f"{'!' * low}{named[0].name}", says
    return _offer(pins)


def _offer(pins: Sequence[Pin]) -> tuple[str, str]:
    """The only output that may say when others are there, and what speaks for it; else empty."""
    free = [pin for pin in pins if pin.way == "output" and pin.width == 1 and not _status(pin)]
    return (free[0].name, "is the only output that may say when others are there") if len(free) == 1 else ("", "")


def _idle(name: str) -> bool:
    return inner_words(name)[-1] == "idle"


def _is_busy(name: str) -> bool:
    return re.fullmatch("[a-z]?busy|running", inner_words(name)[-1]) is not None


def _doubts(one: Strobe, done: str) -> dict[str, str]:
    """What nothing but the structure of the RTL speaks for."""
    name = one.pin.name
    if one.held:
        return {name: "it may be a setting: the RTL only asks for it"} | dict.fromkeys(
            (pin.name for pin in one.data), f"the RTL does not store it with {name}"
        )
    doubts = {
        name: f"only that the RTL stores {', '.join(pin.name for pin in one.data)} with it says that it is a valid"
    }
    if one.beside:
        doubts[name] += f"; it counts only beside {', '.join(one.beside)}, which is not waited for"
    if one.begins and not done and one.ready is None:
        doubts[name] += "; no output says when the next one may come"
    return doubts


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


def _of_answers(pins: Sequence[Pin], found: Found) -> tuple[_Made, dict[str, str]]:
    """Results that are there with the ready of the only input, which the RTL stores while that is still low; and the guess."""
    carried, made = found.module.carried, list[tuple[StreamPort, str]]()
    taken = [one for one in found.streams if one.direction == "in" and one.lanes is None and one.has("tready")]
    for one in taken if len(taken) == len(found.streams) == 1 else ():
        ready, data = one.pin("tready"), [*one.payload_pins("tdata"), *one.fields]
        early = {ready: one.inverts("tready"), one.pin("tvalid"): not one.inverts("tvalid")}
        stored = [name for name in data if early.items() <= carried.gates.stored.get(name, frozenset())]
        free = [pin for pin in pins if pin.way == "output" and not _status(pin)]
        results = [pin for pin in free if carried.values.get(pin.name, frozenset()) & {*data}]
        if stored and any(pin.width > 1 for pin in results):
            why = f"the RTL stores {', '.join(stored)} while {ready} is still to come, which may say that results are there"
            signals = {"tvalid": f"{'!' * one.inverts('tready')}{ready}"}
            _add(made, found, signals, results, why, after=one.name)
            why = f"it may be there when {ready} says that values are taken"
            return made, dict.fromkeys((pin.name for pin in results), why)
    return made, {}


def _of_loads(pins: Sequence[Pin], found: Found) -> tuple[_Made, dict[str, str]]:
    """Words that change only where one output is set for a cycle, and the guess; an input may give credits for them."""
    carried, made = found.module.carried, list[tuple[StreamPort, str]]()
    given = [one for one in found.streams if one.direction == "in" and one.lanes is None]
    data = {name for one in given for name in (*one.payload_pins("tdata"), *one.fields)}
    free = [pin for pin in pins if pin.way == "output"]
    words = [pin for pin in free if pin.width > 1 and carried.values.get(pin.name, frozenset()) & data]
    # Of a ready that answers nothing, the RTL says what it is.
    bits = [pin for pin in free if pin.width == 1 and (not _status(pin) or is_ready(pin.name))]
    says = [pin for pin in bits if words and all(carried.gates.loads(pin.name, word.name) for word in words)]
    if len(given) != len(found.streams) or len(says) != 1:
        return made, {}
    (valid,) = says
    _add(made, found, {"tvalid": valid.name}, words, f"{valid.name} is high for a cycle whenever they change")
    readies = [one.pin("tready") for one in given if one.has("tready")]
    left = [pin.name for pin in pins if pin.way == "input" and pin.width == 1]
    left = [name for name in left if any(carried.gates.turns(name, ready) for ready in readies)]
    gives = f"; {left[0]}, which is tied, may return credits for it" if len(left) == 1 else ""
    return made, {valid.name: f"only that the words change with it says that it is a valid{gives}"}


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


def _levels(port: StreamPort, found: Found) -> dict[str, str]:
    """A start that may have to stay, as the RTL goes on only while it is high."""
    valid = port.pin("tvalid")
    if port.until is None or port.inverts("tvalid") or not found.module.carried.gates.lasts(valid):
        return {}
    done, words = port.until.replace("!", "not "), ",".join(port.fields)
    stays = f"--bundle '{port.name}=tvalid:{valid},tready:{port.until},{words}'"
    return {valid: f"the RTL goes on only while it is high: if it must stay until {done}, give {stays}"}


def _guesses(port: StreamPort) -> dict[str, str]:
    """What nothing but a name speaks for."""
    valid = port.pin("tvalid")
    if port.until is not None:
        doubts = dict.fromkeys(port.fields if port.held else (), f"{valid} stores not all of them")
        return {port.pin("tready"): f"its name says that what {valid} began has ended"} | doubts
    if port.after is not None:
        return {valid: "its name says that results are there"}
    return {valid: "its name is that of an enable"} if is_enable(valid) and valid not in _HLS.values() else {}
