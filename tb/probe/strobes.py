# SPDX-License-Identifier: Apache-2.0
"""Inputs of any name without which other inputs are not stored: each says when a word is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from goldbeat.tb.design.pin_names import holds_up, inner_words, is_enable, is_ready, name_words, rests, starts
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.probe.find import Found
from goldbeat.tb.probe.module import Gates

_SETTING = re.compile("mode|test|testmode|scan|bypass|sel|select|disable|dir|direction|sign|signed|cs|chip")
"""Words of inputs that choose what is done with others."""
_OFFERS = re.compile(
    "valid|vld|v|dv|stb|strobe|sample|put|push|write|wr|we|wren|w|load|ld|start|go|new|latch|capture|trig"
)
"""Words of an input that says when something is there."""


@dataclass(frozen=True)
class Strobe:
    """An input that says when others are there.

    Attributes:
        pin: the input.
        low: it says so by a low level.
        data: the others.
        later: the RTL looks at them a cycle later, or more.
        begins: it begins something that goes on by itself.
        held: it stores nothing of them: they stay until what it begins has ended.
        ready: the output without a level of which it changes nothing; None: there is not one.
        free: that level is the high one.
        around: inputs that have to have a level for it to count, and whether that is the high one.
        beside: strobes with words of their own that have to be there at the same time.
    """

    pin: Pin
    low: bool
    data: tuple[Pin, ...]
    later: bool
    begins: bool
    held: bool = False
    ready: str | None = None
    free: bool = True
    around: tuple[tuple[str, bool], ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether the next one may have to wait, and no output says so at once."""
        return (self.begins or self.later) and self.ready is None

    @property
    def signals(self) -> dict[str, str]:
        """Its ports by role."""
        ready = {} if self.ready is None else {"tready": f"{'!' * (not self.free)}{self.ready}"}
        return {"tvalid": f"{'!' * self.low}{self.pin.name}"} | ready

    @property
    def why(self) -> str:
        """What speaks for it."""
        names = ", ".join(pin.name for pin in self.data)
        when = "while" if not self.later else "behind a cycle in which"
        level = "low" if self.low else "high"
        return f"the RTL stores {names} only {when} {self.pin.name} is {level}"


def strobes(pins: Sequence[Pin], found: Found) -> list[Strobe]:
    """The strobes among ports that belong to nothing else, and what each stores.

    A setting that chooses between inputs, an input that stores a word which another one selects, as that of a register file, and
    what gates a strobe itself are none.

    Args:
        pins: the ports.
        found: what is there already.
    """
    return _Strobes(pins, found).run()


class _Strobes:
    def __init__(self, pins: Sequence[Pin], found: Found) -> None:
        self.gates: Gates = found.module.carried.gates
        self.prefix = f"{found.module.name}."
        unread = found.module.carried.unread
        self.inputs = [pin for pin in pins if pin.way == "input" and pin.name not in unread]
        self.outputs = [pin for pin in pins if pin.way == "output" and pin.width == 1]
        self.moved = found.module.carried.moved
        self.bits = [pin for pin in self.inputs if pin.width == 1 and not self._other(pin)]
        given = [one for one in found.streams if one.direction == "in"]
        self.beside = bool(given)
        self.payload = [pin for one in given for role in one.roles() for pin in one.payload_pins(role)]

    def run(self) -> list[Strobe]:
        """All of them, no port in two."""
        whole = self._apart([one for pin in self.bits if (one := self._of(pin)) is not None])
        inner = [one for one in whole if not any(self._inside(other, one) for other in whole)]
        made: list[Strobe] = []
        for one in sorted(inner, key=lambda one: (not _offers(one.pin), is_enable(one.pin.name))):
            used = {pin.name for other in made for pin in (other.pin, *other.data)}
            data = tuple(pin for pin in one.data if pin.name not in used)
            if one.pin.name in used or not any(self._stored(pin) for pin in data):
                continue
            around = [(other.pin.name, not other.low) for other in whole if self._inside(one, other)]
            made.append(replace(one, data=data, around=tuple(around)))
        return [one for one in made if not self.beside or self._own(one)]

    def _apart(self, whole: list[Strobe]) -> list[Strobe]:
        """The same where strobes that count only together have the words whose names are like their own."""
        found = []
        for one in whole:
            mine = {pin.name for pin in one.data}
            peers = [other for other in whole if other.pin.name in mine and one.pin in other.data]
            named = [[pin for pin in one.data if _of_one(pin.name, peer.pin.name)] for peer in (one, *peers)]
            if not peers or not all(any(map(self._stored, pins)) for pins in named):
                found.append(one)
                continue
            gone = {pin.name for pins in named[1:] for pin in pins} | {peer.pin.name for peer in peers}
            data = tuple(pin for pin in one.data if pin.name not in gone)
            found.append(replace(one, data=data, beside=tuple(peer.pin.name for peer in peers)))
        return found

    def _of(self, pin: Pin) -> Strobe | None:
        """The strobe that an input is; None: it is none."""
        for later in (False, True):
            for high in (True, False) if not _low(pin) else (False,):
                data = [one for one in self.inputs if one is not pin and self._gated(one, pin, high=high, later=later)]
                data = [one for one in data if not self.gates.indexed(one.name)]
                if not any(self._stored(one) for one in data) or self._chooses(pin, high=high):
                    continue
                if not high and not _low(pin) and not self._holds(pin, data):
                    continue
                begins = self.gates.begins(pin.name, [one.name for one in data])
                ready, free = self._ready(pin)
                return Strobe(pin, not high, tuple(data), later, begins, ready=ready, free=free)
        return None

    def _ready(self, pin: Pin) -> tuple[str | None, bool]:
        """The only output without a level of which an input changes nothing, and whether that is the high one."""
        pairs = [(one.name, high) for one in self.outputs for high in (True, False)]
        found = [(name, high) for name, high in pairs if self.gates.guarded(pin.name, name, high)]
        found = [(name, high) for name, high in found if self.gates.turns(pin.name, name)]
        return found[0] if len(found) == 1 else (None, True)

    def _holds(self, pin: Pin, data: Sequence[Pin]) -> bool:
        """Whether words are stored as they are while an input is low, and nothing is cleared while it is high."""
        return any(self.moved.get(one.name) for one in data) and not self.gates.clears(pin.name, True)

    def _gated(self, data: Pin, strobe: Pin, *, high: bool, later: bool) -> bool:
        """Whether an input changes nothing unless another one has a level, or has had it."""
        if data.width == 1 and (is_enable(data.name) or is_ready(data.name) or rests(data.name)):
            return False
        guards = self.gates.guarded_late if later else self.gates.guarded
        # What is made of it without the strobe, as a parity, may mean nothing.
        term = f"{'!' * (not high)}{self.prefix}{strobe.name}"
        branches = self.moved.get(data.name, frozenset())
        moved = bool(branches) and all(term in needed for _, needed in branches)
        return guards(data.name, strobe.name, high) or (moved and not later)

    def _stored(self, pin: Pin) -> bool:
        """Whether an input is a word, or a bit that is stored as it is and decides nothing."""
        targets = {target for target, _ in self.moved.get(pin.name, ())}
        if not self.gates.kept(pin.name):
            return False
        return pin.width > 1 or bool(targets and self.gates.only_stored(pin.name, targets) is True)

    def _chooses(self, pin: Pin, *, high: bool) -> bool:
        """Whether words are stored under one level of an input, and others under the other level alone."""
        others = [one for one in self.inputs if one.width > 1 and self.gates.guarded(one.name, pin.name, not high)]
        bits = [one for one in self.bits if one is not pin]
        return any(not any(self.gates.guarded(one.name, bit.name, True) for bit in bits) for one in others)

    def _inside(self, one: Strobe, other: Strobe) -> bool:
        """Whether a strobe counts only while another port has a level, which has a meaning beside it, too."""
        if one.pin is other.pin or not {pin.name for pin in one.data} <= {pin.name for pin in other.data} | {
            one.pin.name
        }:
            return False
        under = self.gates.guarded(one.pin.name, other.pin.name, not other.low)
        over = self.gates.guarded(other.pin.name, one.pin.name, not one.low)
        named = (is_enable(other.pin.name), _offers(one.pin)) > (is_enable(one.pin.name), _offers(other.pin))
        return under and (not over or named)

    def _own(self, one: Strobe) -> bool:
        """Whether an enable beside streams has data of its own, whose names begin like its own."""
        words = inner_words(one.pin.name)
        mine = all(inner_words(pin.name)[: len(words) - 1] == words[:-1] for pin in one.data)
        others = (self.gates.guarded(name, one.pin.name, not one.low) for name in self.payload)
        return is_enable(one.pin.name) and len(words) > 1 and mine and not any(others)

    def _other(self, pin: Pin) -> bool:
        """Whether a name says that an input does something else."""
        return rests(pin.name) or holds_up(pin.name) or any(map(_SETTING.fullmatch, name_words(pin.name)))


def _of_one(one: str, other: str) -> bool:
    """Whether two names have what tells ports apart in common: the words before the last, or the number behind."""
    heads = [inner_words(name)[:-1] for name in (one, other)]
    numbers = [re.search(r"\d+$|$", "_".join(inner_words(name))) for name in (one, other)]
    tails = [match[0] if match is not None else "" for match in numbers]
    return heads[0] == heads[1] and tails[0] == tails[1] and bool(heads[0] or tails[0])


def _offers(pin: Pin) -> bool:
    return starts(pin.name) or any(map(_OFFERS.fullmatch, inner_words(pin.name)))


def _low(pin: Pin) -> bool:
    """Whether a name says active low."""
    words = inner_words(pin.name)
    return pin.name.endswith("_") or (len(words) > 1 and words[-1] in ("n", "ni", "b"))


def stored_under(pins: Iterable[Pin], found: Found) -> dict[str, str]:
    """The inputs without which others are not stored that belong to nothing, and what is to be said of each."""
    gates = found.module.carried.gates
    inputs = [pin for pin in pins if pin.way == "input" and pin.name not in found.module.carried.unread]
    words = [pin for pin in inputs if pin.width > 1 and gates.kept(pin.name)]
    told: dict[str, str] = {}
    for bit in (pin for pin in inputs if pin.width == 1):
        data = [pin.name for pin in words if gates.guarded(pin.name, bit.name, not _low(bit))]
        if data:
            told[bit.name] = f"the RTL stores {', '.join(data)} with it"
    return told
