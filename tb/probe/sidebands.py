# SPDX-License-Identifier: Apache-2.0
"""More ports that go along with the beats of every stream: parity, start of packet, channel, whatever they are called.

Those that every stream has by name become sidebands. Others are found by what the RTL does with them, and are reported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from goldbeat.tb.design.pin_names import is_clock, is_enable, is_ready, is_reset, name_words, rests
from goldbeat.tb.design.ports.bundle import number
from goldbeat.tb.design.ports.recognition import Pin, TopParameter, plain_width
from goldbeat.tb.design.ports.stream import WIDEST_SIDE, StreamPort
from goldbeat.tb.design.unchecked import NameFamily, families_of
from goldbeat.tb.probe.module import Branch, PortValues

_FIRST = frozenset({"first", "tfirst", "sop", "sof", "startofpacket", "start_of_packet", "startofframe"})
"""Words for the first beat of a frame."""
_CONTROL = re.compile(
    "(?:"
    "ack|active|afull|aempty|almost|arm|available|baud|bist|bound|busy|bypass|cal|cfg|cg|cke|clear|clr|cnt|conf|"
    "config|control|count|counter|credit|credits|ctl|ctrl|debug|default|delay|depth|dft|disable|done|drop|"
    "dummy|empty|fill|finish|flush|free|freeze|full|gate|gnt|go|grant|halt|hold|idle|init|int|interrupt|irq|"
    "latency|level|limit|load|lock|locked|max|min|mode|near|nearly|occupancy|open|overflow|pause|pointer|prio|"
    "priority|prog|ptr|pulse|pwr|rate|req|request|run|scale|scan|sel|select|shift|shutdown|sleep|space|stall|"
    "start|started|state|stat|status|step|stop|sw|sync|test|testmode|threshold|thr|thresh|tick|timeout|trigger|"
    "underflow|usage|watermark|wm"
    r")\d*"
)
"""Words of settings and of status: a port with one of them goes along with no beat."""
_FAULT = re.compile(r"(?:err|error|fault|bad|good|overrun|underrun)\d*")
"""Words that make an output a status, although an input with them may belong to a beat."""


def with_sidebands(
    streams: Sequence[StreamPort], left: Mapping[str, Pin], parameters: Sequence[TopParameter]
) -> list[StreamPort]:
    """The streams with sidebands of ports that belong to nothing else.

    A port is a sideband if its name begins and ends as the others of its stream do, and every other stream has one with the
    same rest of the name and the same width: what has no counterpart is no payload that a model could pass on.

    Args:
        streams: of the module, in both directions.
        left: the ports that are left.
        parameters: of the module.
    """
    ways = {port.direction for port in streams}
    families = [_family(port) for port in streams]
    if ways != {"in", "out"} or any(f is None for f in families) or any(p.lanes or p.fields for p in streams):
        return list(streams)
    stems = [dict(_stems(port, families, number, left.values())) for number, port in enumerate(streams)]
    own = {_own_bits(port, parameters) for port in streams}
    room = WIDEST_SIDE - own.pop() if len(own) == 1 else 0
    shared = []
    for stem, pin in stems[0].items():
        pins = [one.get(stem) for one in stems]
        if all(p is not None and p.width == pin.width for p in pins) and pin.width <= room:
            room -= pin.width
            shared.append(stem)
    if not shared:
        return list(streams)
    first = next((stem for stem in shared if stem in _FIRST), None)
    return [
        port.model_copy(
            update={
                "sidebands": {
                    **port.sidebands,
                    **{found[stem].name: plain_width(found[stem], parameters) for stem in shared},
                },
                "first": found[first].name
                if first is not None and found[first].width == 1 and port.has("tlast")
                else port.first,
            }
        )
        for port, found in zip(streams, stems, strict=True)
    ]


def payload_left_out(streams: Sequence[StreamPort], left: Iterable[Pin], carried: PortValues) -> dict[str, str]:
    """Ports that may go along with the beats although no stream has them, and why.

    An input is one if the RTL stores it in the branch, or in the register, in which it stores TDATA; if an output shows it;
    or if nothing reads it. What is made of it counts like its value, unless TDATA has a part in that, it is a sum, or only
    streams and status depend on it. An output is one if it shows such an input, or what is made of it, or payload of a
    stream; or if it has more than one bit and depends on nothing. Clocks, resets, enables, settings and status are none,
    by the words of their names, unless the RTL stores them whenever it stores TDATA. The ready that a stream lacks is one.

    Args:
        streams: of the module, which has no other bundles.
        left: the ports that are in none of them.
        carried: how values pass through the module.
    """
    payload = {pin for port in streams for role in port.roles() for pin in port.payload_pins(role)}
    payload -= {port.pin(role) for port in streams for role in ("tvalid", "tready") if port.has(role)}
    data = {p.payload_pins("tdata")[0] for p in streams if p.direction == "in"}
    stores = {branch: name for name in data for branch in carried.used.get(name, ())}
    found: dict[str, str] = {}
    pins = every = [p for p in left if p.refusal is None and not p.unpacked]
    found |= {pin.name: why for pin in pins if (why := _unused_ready(pin, streams, carried)) is not None}
    # Whatever it is called, what is stored unchanged whenever the data are goes along.
    pins = [
        p
        for p in pins
        if not is_control(p) or (p.way == "input" and _stored_with(carried.moved.get(p.name, ()), stores) is not None)
    ]
    for pin in pins:
        shown = next((out.name for out in pins if pin.name in carried.shown.get(out.name, ())), None)
        if pin.way != "input":
            continue
        if pin.name in carried.unread:
            found[pin.name] = "nothing in the RTL reads it"
        elif (name := _stored_with(carried.moved.get(pin.name, ()), stores)) is not None:
            found[pin.name] = f"the RTL stores it with {name}"
        elif shown is not None:
            found[pin.name] = f"{shown} shows it"
    outputs = {pin.name for pin in pins if pin.way == "output"}
    makers: dict[str, str] = {}
    for pin in pins:
        if pin.way != "input":
            continue
        made = carried.made(pin.name, data)
        stored = {branch: after & outputs for branch, after in made.stored.items() if not after or after & outputs}
        name = _stored_with(stored, stores)
        shown = min(made.shown & outputs, default=None)
        if pin.name not in found and name is not None:
            found[pin.name] = f"the RTL stores what it makes of it with {name}"
        elif pin.name not in found and shown is not None:
            found[pin.name] = f"{shown} is made of it"
        if pin.name in found:
            makers |= dict.fromkeys(made.shown.union(*stored.values() if name is not None else ()), pin.name)
    return {**_deciding(every, streams, carried), **_with_shown(found, makers, payload, pins, carried)}


def _deciding(pins: Iterable[Pin], streams: Sequence[StreamPort], carried: PortValues) -> dict[str, str]:
    """Inputs of any name that count only beside the valid of an input, and why they go along.

    They select the word in which something is stored, or have a setting's name, but begin as the valid does.
    """
    found: dict[str, str] = {}
    inputs = [pin for pin in pins if pin.way == "input" and not _named_apart(pin.name)]
    valids = {p.pin("tvalid"): not p.inverts("tvalid") for p in streams if p.direction == "in" and p.lanes is None}
    guarded = carried.gates.guarded
    for pin in inputs:
        for valid, high in valids.items():
            lets_in = any(guarded(valid, pin.name, level) for level in (True, False))
            named = name_words(pin.name)[:-1] == name_words(valid)[:-1] != []
            selects = pin.name in carried.indexed
            if (named or selects) and guarded(pin.name, valid, high) and not lets_in:
                what = "it selects the word that is stored" if selects else "the RTL looks at it"
                found.setdefault(pin.name, f"{what} beside {valid} alone")
    return found


def _named_apart(name: str) -> bool:
    """Whether a name is that of what moves with no word: a clock, a reset, an enable, a ready, or what rests."""
    return any(is_it(name) for is_it in (is_clock, is_reset, is_enable, is_ready, rests))


def _with_shown(
    found: dict[str, str], makers: Mapping[str, str], payload: Collection[str], pins: Sequence[Pin], carried: PortValues
) -> dict[str, str]:
    """The same with the outputs that show something of it, or that are constant."""
    widths = {pin.name: pin.width for pin in pins}
    for pin in pins:
        sources = [one for one in carried.shown.get(pin.name, ()) if one in found or one in payload]
        # All values of a concatenation may come out: the one of the same width is the likeliest.
        source = min(sources, key=lambda one: (widths.get(one) != pin.width, one), default=None)
        if source is not None:
            found[pin.name] = f"it shows {source}"
        elif pin.name in carried.constant and pin.width > 1:
            found[pin.name] = "nothing in the RTL drives it" if pin.name in carried.undriven else "it is constant"
        elif pin.name in makers:
            found[pin.name] = f"it is made of {makers[pin.name]}"
    return found


def _unused_ready(pin: Pin, streams: Sequence[StreamPort], carried: PortValues) -> str | None:
    """Why a port with the name of a ready may be that of a stream without one, which the RTL then ignores; None: it is none."""
    way = "out" if pin.way == "input" else "in"
    if not is_ready(pin.name) or (pin.way == "output" and pin.name in carried.constant):
        return None
    bare = [port.name for port in streams if port.direction == way and not port.has("tready")]
    return f"{bare[0]} has no ready" if bare else None


def _stored_with(branches: Iterable[Branch], stores: Mapping[Branch, str]) -> str | None:
    """The payload that is stored in the same register, or whenever all that this is stored under holds."""
    for target, needed in branches:
        for (other, condition), name in stores.items():
            if target == other or (condition and condition <= needed):
                return name
    return None


def is_control(pin: Pin) -> bool:
    """Whether the name is a clock's, a reset's, an enable's, a setting's or a status output's."""
    words = [] if "start_of" in (name := "_".join(name_words(pin.name))) else name.split("_")
    faults = words if pin.way == "output" else ()
    return (
        any(is_it(pin.name) for is_it in (is_clock, is_reset, is_enable, is_ready))
        or any(map(_CONTROL.fullmatch, words))
        or any(map(_FAULT.fullmatch, faults))
    )


def _own_bits(port: StreamPort, parameters: Sequence[TopParameter]) -> int:
    """Bits of TUSER, known sidebands included."""
    values = {p.name: p.value for p in parameters}
    return sum(number(width, values) for width in (port.tuser or 0, *port.sidebands.values()))


def _family(port: StreamPort) -> NameFamily | None:
    """How the names of the signals that go the way of TVALID begin and end; None: they have nothing in common."""
    return next((family for family in families_of(port) if family.stem(port.pin("tvalid"))), None)


def _stems(
    port: StreamPort, families: Sequence[NameFamily | None], number: int, left: Iterable[Pin]
) -> Iterator[tuple[str, Pin]]:
    """The ports that may be sidebands of a stream, by what their names say."""
    mine = families[number]
    assert mine is not None
    closer = [f for f in families if f is not None and len(f.before) > len(mine.before)]
    for pin in left:
        plain = pin.refusal is None and not pin.unpacked and (pin.way == "input") == (port.direction == "in")
        if plain and pin.way != "inout" and (stem := mine.stem(pin.name)) and not any(f.stem(pin.name) for f in closer):
            yield stem, pin
