# SPDX-License-Identifier: Apache-2.0
"""Handshakes whose names no bus has, by what their words mean and what the RTL does with them.

A valid and a ready belong together if their names differ in the role alone, or if the RTL looks at both together and no other
pair is possible. Their payload are the ports of the same prefix, those that are stored under the valid, and, where a module has
one handshake in a direction, all that is left.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from goldbeat.tb.design.pin_names import (
    SIDES,
    ends,
    holds_up,
    inner_words,
    is_clock,
    is_counted,
    is_enable,
    is_fill_flag,
    is_reset,
    name_words,
    starts,
)
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.probe.chosen import ChosenBundle
from goldbeat.tb.probe.credit_names import is_credit
from goldbeat.tb.probe.module import TopModule
from goldbeat.tb.probe.names import own_name
from goldbeat.tb.probe.sidebands import is_control

_VALID = "valid|vld|val|v|srdy|src_rdy|src_ready|req|request|stb|strobe|put|push|enq|avail|dv|wr|write|wr_en|we|wren|winc|load_en"
_ENABLES = "en|ena|enable|ce|cen"
"""Words of an input that may be a valid beside a ready."""
_READY = "ready|rdy|ready_and|ready_then|ready_param|gnt|grant|ack|accept|accepted|yumi|take|taken|consumed"
_TAKES = "pop|pull|deq|get|rd|read|rd_en|re|rden|rinc|next"
"""Words of an input that takes a value."""
_TAKES_ALONE = re.compile(_TAKES)
_POP = "pop"
"""In place of the word of a ready that only what the RTL does has found: it is high only beside its valid."""
_NOT_READY = "full|wfull|busy|stall|wait|waitrequest|halt|hold|hld|almost_full|afull|prog_full|nearly_full|near_full"
_HELD = re.compile("valid|vld|val|v|srdy|src_rdy|src_ready|method|req|request")
"""Words of a valid that stays until its ready is high."""
_STALLS = re.compile("busy|stall|wait|waitrequest|halt|hold|hld")
"""Words of an output that holds an input back, or tells that something goes on."""
_UNCHECKED = "the RTL looks at {valid} without it, too: it may be a status"
_MAY_HOLD = re.compile("hold|hld")
"""Words that may ask for values to stay, too."""
_ANSWERS = re.compile("ready|rdy|accept|accepted|yumi")
"""Words of a ready that is never payload."""
_SLACK = re.compile("almost_full|afull|prog_full|nearly_full|near_full")
"""Words of a flag that is high before nothing more can be taken."""
_NOT_VALID = "empty|rempty"
_ASKS_FIRST = re.compile(
    "yumi|ack|accept|accepted|take|taken|consumed|pop|pull|deq|get|rd|read|rd_en|re|rden|rinc|next"
)
"""Words of a ready that is high only beside a valid."""
_LATE = re.compile("ack|accepted|taken|consumed")
"""Words of an output that may say afterwards that a value was taken."""
_SURE = re.compile("valid|vld|val|v|srdy|src_rdy|src_ready|stb|strobe|dv")
"""Words of a valid that is never the payload of another."""
_STAYS = re.compile("valid|vld|val|v|srdy|src_rdy|src_ready|dv|method")
"""Words of a valid that stays until it is taken: others may fall."""
_VALUE = re.compile("val|v")
"""Words of a valid that mean value where there are several bits and no ready of as many."""
_MAY = re.compile("can|may|(?:can|may)_.*|.*_(?:can|may)")
"""What is before the word of an input that an output says is taken: ``can_put``."""
_WRITES = re.compile("wr|write|wr_en|we|wren|winc")
_FILLS = re.compile("put|push|enq|wr|write|wr_en|we|wren|winc|load_en")
"""Words of an input that writes a FIFO."""
_READS = re.compile("rd|read|rd_en|re|rden|rinc")
"""Words of two requests that share ports."""
_PAIRS = {"r": "v", "drdy": "srdy", "dst_rdy": "src_rdy", "dst_ready": "src_ready"}
"""Words of readies that are one only beside such a valid of the same key: a letter, and ready of destination and of source."""
_SOURCES = frozenset({"srdy", "src_rdy", "src_ready"})
"""Those of these valids that are another port's ready, as that of ``svld``, without the other half."""
_GUESSED = "guessed"
"""In place of the word of a valid that its ready has found."""
_KILL = re.compile("kill|killed|cancel|abort|flush|squash|clear|clr|discard")
"""Words of an input that ends what is under way, which no word brings along."""
_METHOD = "method"
"""The word of Bluespec's ``EN_x`` and ``RDY_x``."""
_JOINED = re.compile(
    r"(?P<key>(?:.+_)?(?:[a-z]|aw|ar|wr|rd|in|out|src|dst|enq|deq|push|pop|tx|rx|up|down|req|rsp|resp|cmd))"
    r"(?P<role>valid|vld|ready|rdy|req|ack|gnt|stb)"
)
_COUNTED = "valid|vld|val|req|request|ready|rdy|gnt|grant|ack"
"""Words of a role before the letter or the number that tells one port from others."""
_NEVER = re.compile(
    "clr|clear|flush|reset|rst|active|init|test|mode|irq|int|debug|idle|done|error|err|overflow|en|ena|enable|ce|hresp"
)
"""Words of ports that are no valid, whatever is stored under them."""
_SETTING = re.compile("en|ena|enable|enables|disable|ce|mode|test|testmode|scan|bypass")
"""Those of a setting: a valid has a ready of the same name beside them, or a name that says valid."""
_STATUS = re.compile(
    "stat|status|state|count|counter|cnt|level|first|last|tlast|sop|eop|sof|eof|start|end|good|bad|fault|miss|hit|match|sel|"
    "sent|complete|completed|finish|finished|cs|locked"
)
"""Those of a status or of payload: whatever the RTL does, such a ready is a guess."""
_BEHIND_LETTER = re.compile(
    "(?:data?|addr|id|strb|be|mask|last|user|word|payload|bits|len|size|err|resp|dest|keep|tag|info|op|cmd|msg).*"
)
"""What may follow a letter that is the whole prefix, as in ``wdata``."""
_WIDEST = 64 * 8


@dataclass(frozen=True)
class Handshake:
    """Ports that hand values over.

    Attributes:
        bundle: as ``--bundle`` gives it.
        gated: its ready must not be high without its valid.
        why: what speaks for it.
        doubts: ports that may have another meaning, and why they were taken.
        left: ports that are none of its payload, and why.
    """

    bundle: ChosenBundle
    gated: bool
    why: str
    doubts: dict[str, str] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """As ``--bundle`` takes it."""
        roles = (f"{role}:{'!' * (role in self.bundle.inverted)}{port}" for role, port in self.bundle.roles.items())
        return f"{self.bundle.name}={','.join([*roles, *self.bundle.ports])}"

    @property
    def valid(self) -> str:
        """The port that offers a value."""
        return self.bundle.roles["tvalid"]

    def like(self, other: Handshake) -> Handshake:
        """The same with the payload of another, and with its doubts."""
        return replace(self, bundle=replace(self.bundle, ports=other.bundle.ports), doubts=other.doubts)

    def with_payload(self, ports: Iterable[str]) -> Handshake:
        """The same with ports that belong to its payload without a doubt, where they are not in it yet."""
        sure = dict.fromkeys(ports)
        bundle = replace(self.bundle, ports=tuple(dict.fromkeys([*self.bundle.ports, *sure])))
        return replace(self, bundle=bundle, doubts={port: why for port, why in self.doubts.items() if port not in sure})


@dataclass(frozen=True)
class _Word:
    """A port and its role.

    Attributes:
        pin: the port.
        key: what its name has beside the word of the role.
        word: of the role.
        inverted: it means the opposite.
        dash: what parts word and key.
        last: the last word of the key comes behind, as in ``req_a``.
    """

    pin: Pin
    key: str
    word: str
    inverted: bool = False
    dash: str = "_"
    last: bool = False

    @property
    def sets(self) -> bool:
        """Whether the rest of the name is a setting's, as in ``enable_pipe_req``."""
        words = self.key.split("_")
        return not _SURE.fullmatch(self.word) and any(map(_SETTING.fullmatch, words))

    @property
    def subject(self) -> _Word:
        """The same without a last word that says header: ``s_eth_hdr`` has ``s_eth_type``."""
        return replace(self, key=re.sub("_(?:hdr|header|meta|info)$", "", self.key))

    def begins(self, name: str) -> bool:
        """Whether another name has the same beside its role."""
        if self.last:
            head, _, last = self.key.rpartition("_")
            return name.startswith(head) and name.endswith(f"_{last}")
        if not self.dash:
            return name.startswith(self.key) and _BEHIND_LETTER.fullmatch(name[len(self.key) :]) is not None
        return bool(self.key) and (name == self.key or name.startswith(f"{self.key}_"))


def handshakes(module: TopModule, left: Iterable[str], taken: Iterable[str] = ()) -> list[Handshake]:
    """The handshakes among ports that belong to nothing else.

    Args:
        module: the module.
        left: names of these ports.
        taken: names that bundles have already.
    """
    return _Roles(module, frozenset(left), set(taken)).run()


class _Roles:
    def __init__(self, module: TopModule, left: frozenset[str], taken: set[str]) -> None:
        self.gates, self.taken = module.carried.gates, taken
        pins = [pin for pin in module.ports if pin.name in left and pin.refusal is None and not pin.unpacked]
        self.pins = [pin for pin in pins if pin.way != "inout" and not (is_clock(pin.name) or is_reset(pin.name))]
        self.inputs = [pin for pin in module.ports if pin.way == "input"]
        self.counted = {pin.name for pin in pins if is_counted(pin.name, (port.name for port in module.ports))}
        halves = ((pin, self._word(pin, "|".join([*_PAIRS, *_PAIRS.values()]))) for pin in self.pins)
        self.halves = {(word.word, word.key, pin.way) for pin, word in halves if word is not None}
        self.spelled = [("_".join(inner_words(pin.name)), pin.way) for pin in module.ports]
        self.values, self.late = module.carried.values, module.late
        self.unread, self.constant = module.carried.unread, module.carried.constant
        self.shown, self.moved = module.carried.shown, module.carried.moved
        self.used, self.prefix = module.carried.used, f"{module.name}."
        words = [(pin, self._valid(pin)) for pin in module.ports if pin.width == 1]
        self.valids = [word for _, word in words if word is not None and word.key and _SURE.fullmatch(word.word)]
        self.answers: set[str] = set()
        self.acting: dict[str, str] = {}

    def run(self) -> list[Handshake]:
        """All of them, each port in one."""
        methods = list(self._methods())
        self.answers |= {pin.name for pair in methods for pin in _both(pair)}
        pairs = [*methods, *self._pairs()]
        known = {one.pin.name for one in self.valids}
        self.valids += [one for one, ready in pairs if ready is not None and one.key and one.pin.name not in known]
        sure = [pair for pair in pairs if pair[1] is not None or _SURE.fullmatch(pair[0].word)]
        used = {pin.name for pair in sure for pin in _both(pair)}
        found: list[tuple[Handshake, str]] = []
        for valid, ready in sorted(pairs, key=lambda pair: (pair not in sure, pair[0].pin.way == "output")):
            if (valid, ready) not in sure and valid.pin.name in used:
                # A write enable beside a request is its payload.
                continue
            used.add(valid.pin.name)
            way = valid.pin.way
            # A write enable beside the valid of the same name is no handshake of its own.
            rivals = [pair for pair in pairs if (valid, ready) not in sure or pair in sure or pair[0].key != valid.key]
            alone = sum(other.pin.way == way for other, answer in rivals if not _flag(other, answer)) == 1
            longer = [one for one, _ in pairs if len(one.key) > len(valid.key) and one.key.startswith(valid.key)]
            late = f"nothing tells when its word is there: it comes later than {valid.pin.name} says"
            untold = {p.name: late for p in self.pins if ready is not None and self._lags(p, valid.pin, ready.pin)}
            apart = used | untold.keys() | self._levels(valid)
            payload, guessed = self._payload(valid, apart, alone=alone, ready=ready is not None, longer=longer)
            if _flag(valid, ready):
                continue
            if not payload and (ready is None or valid.pin.width > 1 or self._switched_off(valid, ready)):
                continue
            untold |= self.acting
            used |= {pin.name for pin in payload} | untold.keys()
            made = replace(self._made(valid, ready, payload, guessed | self._shared(valid, ready, pairs)), left=untold)
            found.append((made, valid.key))
        return _mirrored(found)

    def _switched_off(self, valid: _Word, ready: _Word) -> bool:
        """Whether nothing reads the input of a pair, and its output is a constant: a setting leaves out what they are for."""
        pair = (valid.pin, ready.pin)
        return any(pin.name in self.unread for pin in pair) and any(pin.name in self.constant for pin in pair)

    def _shared(self, valid: _Word, ready: _Word | None, pairs: Sequence[tuple[_Word, _Word | None]]) -> dict[str, str]:
        """What speaks against an input without a ready: it counts only beside that of another one, which they share."""
        if ready is not None or valid.pin.way != "input":
            return {}
        for other, answer in pairs:
            if answer is not None and self.gates.guarded(valid.pin.name, answer.pin.name, not answer.inverted):
                level = f"{'not ' * answer.inverted}{answer.pin.name}"
                why = f"it counts only beside {level}, which answers {other.pin.name}: it is not waited for"
                return {valid.pin.name: f"{why}; --tie {other.pin.name}=0 leaves that ready to it"}
        return {}

    # -- valid and ready ----------------------------------------------------------------------------------------

    def _methods(self) -> Iterator[tuple[_Word, _Word]]:
        """Methods of Bluespec: ``EN_x`` must be high only beside ``RDY_x``; one that has no argument but a result gives it.

        An argument is called ``x_name``, or ``x`` alone as that of a ``Put``.
        """
        ports = {pin.name: pin for pin in self.pins}
        for name, enable in ports.items():
            ready = ports.get(f"RDY_{name[3:]}") if name.startswith("EN_") else None
            if ready is None or (enable.way, ready.way, enable.width, ready.width) != ("input", "output", 1, 1):
                continue
            key = "_".join(name_words(name[3:]))
            takes = any(other.way == "input" and other.name.startswith(f"{name[3:]}_") for other in self.pins)
            result = ports.get(name[3:])
            gives = result is not None and result.way == "output" and not takes
            valid, answer = (ready, enable) if gives else (enable, ready)
            yield _Word(valid, key, _METHOD), _Word(answer, key, _METHOD)

    def _pairs(self) -> Iterator[tuple[_Word, _Word | None]]:
        """Each valid and its ready: by name, then by what the RTL looks at together with the one whose name is known."""
        for way, other in (("input", "output"), ("output", "input")):
            pins = [pin for pin in self.pins if pin.name not in self.answers]
            valids = [word for pin in pins if pin.way == way and (word := self._valid(pin)) is not None]
            free = [word for pin in pins if pin.way == other and (word := self._ready(pin)) is not None]
            late = []
            for valid in valids:
                same = [one for one in free if one.key == valid.key and one.pin.width == valid.pin.width]
                # Beside a ready, a flag that says full is a status.
                same = [one for one in same if not is_fill_flag(one.pin.name)] if len(same) > 1 else same
                same = self._fitting(valid, same) if len(same) > 1 else same
                if len(same) == 1:
                    free.remove(same[0])
                    self.answers.add(same[0].pin.name)
                    yield valid, same[0]
                elif not valid.sets and not self._is_data(valid):
                    late.append(valid)
            for valid in late:
                mine = self._of_prefix(valid, valids)
                near = [one for one in free if one.pin.name not in self.answers and self._together(valid.pin, one.pin)]
                near = [one for one in near if one.pin.width == valid.pin.width]
                mine = self._reader(valid, valids) if mine is None and way == "input" else mine
                if mine is not None:
                    yield valid, mine
                elif len(near) == 1 and sum(self._together(o.pin, near[0].pin) for o in late) == 1:
                    free.remove(near[0])
                    self.answers.add(near[0].pin.name)
                    yield valid, near[0]
                elif not valid.last:
                    yield valid, self._answer(valid.pin, low=valid.inverted) if way == "input" else self._taker(valid)
            if way == "input":
                yield from self._unnamed_valids(free, valids)
            yield from self._by_ready(way, free, {word.pin.name for word in valids})
            if way == "input":
                yield from self._guarded_valids(free, valids)
                yield from self._unnamed_puts() if not (valids or self.answers) else ()
            else:
                yield from self._unnamed_offers()

    def _fitting(self, valid: _Word, readies: Sequence[_Word]) -> list[_Word]:
        """The readies whose level, as their names have it, is the one that what an input stores with a valid needs."""
        told = {
            pair
            for pairs in self.gates.stored.values()
            if (valid.pin.name, not valid.inverted) in pairs
            for pair in pairs
            if valid.pin.way == "input"
        }
        fit = [one for one in readies if (one.pin.name, not one.inverted) in told]
        return [one for one in fit if (one.pin.name, one.inverted) not in told] or list(readies)

    def _is_data(self, valid: _Word) -> bool:
        """Whether the RTL stores an input as it is where another one says so, and asks nowhere what it is."""
        return not _SURE.fullmatch(valid.word) and self._only_stored(valid.pin) is True

    def _only_stored(self, pin: Pin) -> bool | None:
        """As :attr:`Gates.only_stored`, of inputs that no output that may be a valid shows."""
        branches = self.moved.get(pin.name, frozenset())
        shown = [one for one in self.pins if pin.name in self.shown.get(one.name, ()) and self._valid(one) is not None]
        if shown or not branches or not all(needed for _, needed in branches):
            return False
        return self.gates.only_stored(pin.name, {target for target, _ in branches})

    def _of_prefix(self, valid: _Word, valids: Sequence[_Word]) -> _Word | None:
        """The ready of any name that the RTL shows among the ports of a valid's prefix.

        Args:
            valid: the valid.
            valids: those of its direction; ports of a longer prefix are another's.
        """
        own = self._own(valid, valids)
        if valid.pin.way == "output":
            return self._taker(valid, own)
        return self._answer(valid.pin, low=valid.inverted, among=own)

    def _own(self, valid: _Word, valids: Sequence[_Word]) -> set[str]:
        """The ports of a valid's prefix; those of a longer prefix are another's."""
        longer = [one for one in valids if len(one.key) > len(valid.key) and one.key.startswith(valid.key)]
        names = {pin.name: "_".join(inner_words(pin.name)) for pin in self.pins}
        return {
            pin for pin, name in names.items() if valid.begins(name) and not any(one.begins(name) for one in longer)
        }

    def _reader(self, valid: _Word, valids: Sequence[_Word]) -> _Word | None:
        """The only output of a valid's prefix that is high only beside it, or says by its name that it takes, at once or after it.

        Args:
            valid: an input.
            valids: the others of its direction.
        """
        own = self._own(valid, valids)
        pins = [p for p in self.pins if p.name in own - self.answers and p.way == "output" and p.width == 1]
        pins = [p for p in pins if self._valid(p) is None and not _never(p) and valid.pin.width == 1]
        named = [word for p in pins if (word := self._word(p, _TAKES)) is not None and word.key == valid.key]
        named = [
            word for word in named if self.gates.follows(valid.pin.name, word.pin.name) or self._after(valid, word)
        ]
        beside = [p for p in pins if self.gates.only_with(p.name, valid.pin.name, not valid.inverted)]
        found = named or [_Word(p, "", "") for p in beside]
        if len(found) != 1:
            return None
        self.answers.add(found[0].pin.name)
        return found[0]

    def _after(self, valid: _Word, ready: _Word) -> bool:
        """Whether an output says some cycles later that a word was taken, as its name and the way from the valid tell."""
        takes = valid.pin.way == "input" and _TAKES_ALONE.fullmatch(ready.word) is not None
        return takes and (self.gates.edges(valid.pin.name, ready.pin.name, "") or 0) > 0

    def _answer(self, valid: Pin, *, low: bool, among: Container[str] | None = None) -> _Word | None:
        """The only output that has to have a level for an input, or what is stored with it, to be stored.

        Args:
            valid: the input.
            low: it offers something when it is low.
            among: only these outputs count; None: all do.
        """
        told = {pair for stored in self.gates.stored.values() if (valid.name, not low) in stored for pair in stored}
        told |= self.gates.stored.get(valid.name, frozenset())
        levels = {name: high for name, high in told if (name, not high) not in told}
        outputs = [pin for pin in self.pins if pin.way == "output" and pin.name in levels.keys() - self.answers]
        outputs = [
            pin for pin in outputs if pin.width == valid.width == 1 and self._valid(pin) is None and not _never(pin)
        ]
        outputs = [pin for pin in outputs if among is None or pin.name in among]
        # What starts something waits for its end, which comes with results.
        outputs = [pin for pin in outputs if not (starts(valid.name) and ends(pin.name))]
        if len(outputs) > 1:
            outputs = self._one_of_place(outputs, levels) or [
                pin for pin in outputs if self._gives_room(valid, pin, high=levels[pin.name])
            ]
        granted = [] if outputs else self._grants(valid, low=low, among=among)
        if len(outputs or granted) != 1:
            return None
        (found,) = outputs or granted
        self.answers.add(found.name)
        return _Word(found, "", "", not levels.get(found.name, True))

    def _one_of_place(self, outputs: Sequence[Pin], levels: Mapping[str, bool]) -> list[Pin]:
        """The output that is high while a single place is free, where the other one says the opposite: that a word is there."""
        high = [pin for pin in outputs if levels[pin.name]]
        both = len(outputs) == 2 and len(high) == 1
        return high if both and self.gates.opposite(outputs[0].name, outputs[1].name) else []

    def _grants(self, valid: Pin, *, low: bool, among: Container[str] | None) -> list[Pin]:
        """The outputs that are high only beside an input, and whenever something is stored with it; for the others as `_answer`."""
        data = [name for name, pairs in self.gates.stored.items() if (valid.name, not low) in pairs]
        free = [
            p for p in self.pins if p.way == "output" and p.width == valid.width == 1 and p.name not in self.answers
        ]
        free = [p for p in free if self._valid(p) is None and not _never(p) and (among is None or p.name in among)]
        free = [p for p in free if self.gates.only_with(p.name, valid.name, not low)]
        return [p for p in free if any(self.gates.taken(p.name, one) for one in data)]

    def _gives_room(self, valid: Pin, ready: Pin, *, high: bool) -> bool:
        """Whether an input changes nothing without a level of an output, or while a word leaves, which another output guards."""
        words = [pairs for pairs in self.gates.stored.values() if valid.name in {name for name, _ in pairs}]
        asked = {name for pairs in words for name, _ in pairs}
        takes = [p for p in self.pins if p.way == "input" and p.width == 1 and p is not valid and p.name in asked]
        takes = [p for p in takes if self.gates.guarded_beside(valid.name, ready.name, high, p.name)]
        offers = [p.name for p in self.pins if p.way == "output" and p.width == 1 and p is not ready]
        return any(self.gates.guarded(t.name, one, level) for t in takes for one in offers for level in (True, False))

    def _taker(self, valid: _Word, among: Container[str] | None = None) -> _Word | None:
        """The only input of no known meaning that is looked at together with an output's valid.

        Args:
            valid: the output.
            among: only these inputs count; None: all do.
        """
        free = [p for p in self.pins if p.way == "input" and p.width == 1 and p.name not in self.answers]
        free = [p for p in free if self._valid(p) is None and not _never(p)]
        free = [p for p in free if among is None or p.name in among]
        found = [
            (p, level)
            for p in free
            if (level := self.gates.level(valid.pin.name, p.name, not valid.inverted)) is not None
        ]
        if not found and valid.pin.width == 1:
            return self._popper(valid, among)
        if len(found) != 1 or valid.pin.width != 1:
            return None
        ((pin, level),) = found
        self.answers.add(pin.name)
        return _Word(pin, "", "", not level)

    def _popper(self, valid: _Word, among: Container[str] | None) -> _Word | None:
        """The only input that moves a queue on to its next word without a look at the output that says that one is there.

        Args:
            valid: the output.
            among: only these inputs count; None: all do.
        """
        words = [p.name for p in self.pins if p.way == "output" and p.width > 1 and self.values.get(p.name)]
        free = [p for p in self.pins if p.way == "input" and p.width == 1 and p.name not in self.answers]
        free = [p for p in free if self._valid(p) is None and not _never(p) and (among is None or p.name in among)]
        # What goes along with words that come in moves nothing on.
        asks = [word for p in self.inputs if p.width == 1 and (word := self._valid(p)) is not None]
        free = [p for p in free if not any(one.begins("_".join(inner_words(p.name))) for one in asks)]
        # What begins or clears something takes no word.
        free = [p for p in free if self._word(p, _TAKES) or not (starts(p.name) or self.gates.clears(p.name, True))]
        puts = [one.pin.name for one in asks]
        found = [p for p in free if any(self.gates.pops(p.name, valid.pin.name, word, puts) for word in words)]
        if len(found) != 1:
            return None
        self.answers.add(found[0].name)
        return _Word(found[0], "", _POP, self._low_named(found[0]))

    def _by_ready(self, way: str, free: list[_Word], named: set[str]) -> Iterator[tuple[_Word, _Word | None]]:
        """Valids of no known meaning, with the named ready of the same prefix, or that they alone are looked at with."""
        pins = [p for p in self.pins if p.way == way and p.width == 1 and p.name not in named | self.answers]
        pins = [p for p in pins if not (_never(p) or is_enable(p.name)) and self._ready(p) is None]
        for ready in free:
            if ready.pin.name in self.answers:
                continue
            near = [p for p in pins if ready.key and ready.begins("_".join(inner_words(p.name)))]
            near = near or [p for p in pins if not ready.key and self._together(p, ready.pin)]
            near = [p for p in near if not self._is_taker(p, ready)]
            if len(near) == 1:
                self.answers.add(ready.pin.name)
                pins.remove(near[0])
                yield _Word(near[0], ready.key, _GUESSED, self._low(near[0], ready)), ready

    def _is_taker(self, pin: Pin, ready: _Word) -> bool:
        """Whether an input stores nothing, and takes what an output offers whose name is a ready's."""
        stores = any(pin.name == name for pairs in self.gates.stored.values() for name, _ in pairs)
        alone = pin.way == "input" and not stores and bool(self.answers) and not ready.key and self._passes_words()
        return alone and self._takes(ready.pin, pin, high=not ready.inverted)

    def _low(self, valid: Pin, ready: _Word) -> bool:
        """Whether a guessed valid offers something when it is low: by what the RTL does, or else by its name."""
        told = (pair for stored in self.gates.stored.values() for pair in stored)
        levels: set[bool | None] = {high for name, high in told if name == valid.name}
        if valid.way == "output":
            levels = {self.gates.level(ready.pin.name, valid.name, not ready.inverted)} - {None}
        return not levels.pop() if len(levels) == 1 else self._low_named(valid)

    def _low_named(self, pin: Pin) -> bool:
        return pin.name not in self.counted and _ends_low(pin)

    def _unnamed_valids(self, free: list[_Word], named: list[_Word]) -> Iterator[tuple[_Word, _Word | None]]:
        """Inputs of any name under which payload is stored, with the output that gates it."""
        mine = {word.pin.name for word in named}
        inputs = [pin for pin in self.pins if pin.way == "input"]
        for pin in inputs:
            other = self._ready(pin) is not None or any(word.begins("_".join(inner_words(pin.name))) for word in named)
            if pin.width != 1 or pin.name in mine or other or _never(pin):
                continue
            # What is stored under another input anyway is stored while a word leaves, too.
            words = [
                p for p in inputs if p is not pin and (not self._always.get(p.name) or pin.name in self._always[p.name])
            ]
            pairs = {pair for p in words for pair in self.gates.stored.get(p.name, ())}
            low = self._low_named(pin) and (pin.name, False) in pairs
            stores = (pin.name, not low) in pairs
            if stores and (ready := self._answer(pin, low=low)) is not None:
                yield _Word(pin, "", "", low), next((one for one in free if one.pin is ready.pin), ready)

    def _guarded_valids(self, free: list[_Word], named: list[_Word]) -> Iterator[tuple[_Word, _Word]]:
        """The only inputs that change nothing unless an output, whose name says ready or its opposite, has the level.

        That decides, even where the name of the input is a ready's: no output may ask for it.
        """
        mine = {word.pin.name for word in named}
        inputs = [p for p in self.pins if p.way == "input" and p.width == 1 and p.name not in mine | self.answers]
        inputs = [p for p in inputs if not (_never(p) or is_enable(p.name) or self.moved.get(p.name) or self._asked(p))]
        for ready in (one for one in free if one.pin.width == 1 and one.pin.name not in self.answers):
            near = [p for p in inputs if self.gates.guarded(p.name, ready.pin.name, not ready.inverted)]
            near = [p for p in near if not self._is_taker(p, ready)]
            if len(near) == 1 and self.gates.turns(near[0].name, ready.pin.name):
                self.answers |= {near[0].name, ready.pin.name}
                yield _Word(near[0], "", "", self._low_beside(near[0], ready.pin, high=not ready.inverted)), ready

    def _asked(self, pin: Pin) -> bool:
        """Whether an output of a known valid waits for an input, by its name or by what the RTL does."""
        ready = self._ready(pin)
        valids = [word for one in self.pins if one.way == "output" and (word := self._valid(one)) is not None]
        return any(
            self.gates.guarded(pin.name, valid.pin.name, not valid.inverted)
            or (ready is not None and _beside(ready) == _beside(valid))
            for valid in valids
        )

    def _unnamed_offers(self) -> Iterator[tuple[_Word, _Word]]:
        """The only output of any name, without which an input of any name changes nothing, where an output is made of data."""
        pins = [p for p in self.pins if p.width == 1 and p.name not in self.answers and not _never(p)]
        pins = [p for p in pins if self._valid(p) is None and not is_enable(p.name)]
        told = set[str]().union(*self._always.values())
        takes = [p for p in pins if p.way == "input" and p.name not in told and not self.moved.get(p.name)]
        offers = [p for p in pins if p.way == "output" and not is_fill_flag(p.name)]
        offers = [p for p in offers if self.answers or self._ready(p) is None]
        if not self._passes_words():
            return
        found = [(o, t, high) for o in offers for t in takes for high in (True, False) if self._takes(o, t, high=high)]
        if len(found) == 1:
            ((offer, take, high),) = found
            self.answers |= {offer.name, take.name}
            yield _Word(offer, "", "", not high), _Word(take, "", "", self._low_beside(take, offer, high=high))

    def _passes_words(self) -> bool:
        """Whether an output word is made of an input word that is stored, under a condition unless others are."""
        told = self.used if self.answers else self.gates.stored
        wide = {pin.name for pin in self.inputs if pin.width > 1 and told.get(pin.name)}
        return any(p.way == "output" and p.width > 1 and wide & self.values.get(p.name, frozenset()) for p in self.pins)

    def _unnamed_puts(self) -> Iterator[tuple[_Word, _Word]]:
        """The only input that changes nothing without a level of an output, which it turns, both of any name.

        That is where words are stored by equations, and no condition tells what stores them.
        """
        pins = [p for p in self.pins if p.width == 1 and p.name not in self.answers and not _never(p)]
        puts = [p for p in pins if p.way == "input" and not is_enable(p.name) and self._ready(p) is None]
        words = [self.gates.stored.get(pin.name, frozenset()) for pin in self.inputs if pin.width > 1]
        levels = set().union(*words)
        rooms = [(p, high) for p in pins for high in (True, False) if p.way == "output" and (p.name, high) in levels]
        found = [(p, room, high) for p in puts for room, high in rooms if self._takes(room, p, high=high)]
        if len(found) != 1 or not self._passes_words():
            return
        ((put, room, high),) = found
        self.answers |= {put.name, room.name}
        yield _Word(put, "", "", self._low_beside(put, room, high=high)), _Word(room, "", "", not high)

    @cached_property
    def _always(self) -> dict[str, set[str]]:
        """By input, those that must have a level wherever the RTL stores it."""
        branches = {name: [needed for _, needed in one] for name, one in self.used.items() if one}
        bits = {f"{self.prefix}{pin.name}": pin.name for pin in self.inputs if pin.width == 1}
        return {
            name: {bits[path] for term in frozenset.intersection(*needed) if (path := term.lstrip("!")) in bits}
            for name, needed in branches.items()
        }

    def _low_beside(self, pin: Pin, other: Pin, *, high: bool) -> bool:
        """Whether an input means something when it is low: by the level that it needs beside an output, or by its name."""
        level = self.gates.level(other.name, pin.name, high)
        return self._low_named(pin) if level is None else not level

    def _takes(self, offer: Pin, take: Pin, *, high: bool) -> bool:
        """Whether an input changes something, the output among it, only where the output has a level."""
        return self.gates.guarded(take.name, offer.name, high) and self.gates.turns(take.name, offer.name)

    def _together(self, one: Pin, other: Pin) -> bool:
        return self.gates.joined(one.name, other.name)

    def _handed(self, valid: Pin, ready: Pin) -> bool:
        """Whether both are looked at together, or the valid is stored where its ready has a level."""
        stored = any(name == ready.name for name, _ in self.gates.stored.get(valid.name, ()))
        return stored or self._together(valid, ready)

    def _word(self, pin: Pin, words: str, opposite: str = "") -> _Word | None:
        return _word(pin, words, opposite, counted=pin.name in self.counted)

    def _valid(self, pin: Pin) -> _Word | None:
        found = self._word(pin, _VALID, _NOT_VALID if pin.way == "output" else "") or self._enabling(pin)
        if found is not None and pin.way == "output" and _MAY.fullmatch(found.key):
            return None
        if found is not None and pin.width > 1 and _VALUE.fullmatch(found.word) and not self._has_lanes(pin):
            return None
        return None if found is not None and found.word in _SOURCES and not self._other_half(found) else found

    def _has_lanes(self, pin: Pin) -> bool:
        """Whether a vector may be one valid for each bit: a ready of as many bits goes the other way."""
        return any(one.way != pin.way and one.width == pin.width and self._ready(one) is not None for one in self.pins)

    def _enabling(self, pin: Pin) -> _Word | None:
        """An enable that has a ready of the same name and stores a word of that name: it is that ready's valid."""
        found = self._word(pin, _ENABLES) if pin.way == "input" and pin.width == 1 else None
        if found is None or not found.key or self._word(pin, _TAKES) is not None:
            return None
        answers = (one for one in self.pins if one.way == "output" and one.width == 1)
        words = [one for one in self.inputs if one is not pin and found.begins("_".join(inner_words(one.name)))]
        asked = any((word := self._ready(one)) is not None and word.key == found.key for one in answers)
        stored = any((pin.name, True) in self.gates.stored.get(one.name, ()) for one in words)
        return found if asked and stored else None

    def _ready(self, pin: Pin) -> _Word | None:
        half = self._word(pin, "|".join([*_PAIRS, *sorted(_SOURCES)]))
        if half is not None and self._other_half(half):
            return None if half.word in _SOURCES else half
        # What takes a value that is offered, and what says that one is taken.
        return self._word(pin, f"{_READY}|{_TAKES}" if pin.way == "input" else _READY, _NOT_READY)

    def _other_half(self, one: _Word) -> bool:
        """Whether the other one of two words that go together is there with the same key and the other direction."""
        other = "output" if one.pin.way == "input" else "input"
        words = [_PAIRS.get(one.word), *(ready for ready, valid in _PAIRS.items() if valid == one.word)]
        return any((word, one.key, other) in self.halves for word in words) and not self._of_sides(one)

    def _of_sides(self, one: _Word) -> bool:
        """Whether ``src`` and ``dst`` are two handshakes: what else is of ``src`` goes the other way than its ready."""
        head = "_".join(filter(None, (one.key, "src_")))
        way = one.pin.way if one.word in _SOURCES else "output" if one.pin.way == "input" else "input"
        others = (other for name, other in self.spelled if name.startswith(head))
        return "_" in one.word and any(other != way for other in others)

    # -- payload ------------------------------------------------------------------------------------------------

    def _payload(
        self, valid: _Word, used: set[str], *, alone: bool, ready: bool, longer: Sequence[_Word]
    ) -> tuple[list[Pin], dict[str, str]]:
        """The ports that go along, and those of them that nothing but their place speaks for.

        Args:
            valid: of the handshake.
            used: ports of other handshakes.
            alone: no other handshake has its direction.
            ready: it has a ready.
            longer: valids whose prefixes begin with its own.
        """
        found, serial, rest, named, acting = list[Pin](), list[Pin](), list[Pin](), False, list[Pin]()
        for pin in self.pins:
            if pin.way != valid.pin.way or pin.name in used or is_enable(pin.name):
                continue
            if pin.width == valid.pin.width and (holds_up(pin.name) or (not ready and is_fill_flag(pin.name))):
                # A status beside the data, or an input that holds something up.
                continue
            if self._answers_other(pin) or self._asks_beside(valid, pin) or self._returns(pin):
                continue
            name = "_".join(inner_words(pin.name))
            near = any(word.begins(name) for word in (valid, valid.subject)) and not any(o.begins(name) for o in longer)
            stored = pin.way == "input" and (valid.pin.name, not valid.inverted) in self.gates.stored.get(pin.name, ())
            # An output that shows what an input has carried away.
            shows = alone and pin.way == "output" and self.shown.get(pin.name, frozenset()) & used
            if not near and (self._of_other(pin, valid) or not self._moves_with(pin, valid)):
                continue
            if alone and self._acts_alone(pin, valid):
                acting.append(pin)
            elif near or ((stored or shows) and not is_control(pin)):
                (serial if not near and self._is_serial(pin, used) else found).append(pin)
                named |= near
            elif alone and not is_control(pin) and pin.name not in self.unread:
                rest.append(pin)
        rest = self._without_levels(rest, valid)
        # Beside whole words, a bit at a time goes to other pins, as those of SPI.
        serial = [] if found or any(pin.width > 1 for pin in rest) else serial
        found += serial
        none = not found
        # A tag that is stored as it is says nothing of wide operands that are not; a result seldom comes alone.
        widest = max((pin.width for pin in found), default=0)
        more = () if named or (widest > 1 and valid.pin.way == "input") else (p for p in rest if p.width > 1)
        rest = rest if not found else [pin for pin in more if pin.width >= widest]
        found += rest
        free = [pin for pin in self.pins if alone and pin.name not in used and pin not in acting]
        looked = [pin for pin in free if self._looked_at(pin, valid, found)]
        self._set_apart([p for p in acting if none or ends_words(p.name) or self._looked_at(p, valid, found)], valid)
        found += looked
        guessed = self._beside(looked, valid)
        guessed |= {pin.name: "it shows bits of wider words: it may be a serial line" for pin in serial}
        guessed |= {pin.name: f"the only handshake of this direction is {valid.pin.name}'s" for pin in rest}
        if sum(pin.width for pin in found) > _WIDEST:
            return [], {}
        if valid.pin.width > 1 and (not found or any(pin.width % valid.pin.width for pin in found)):
            # A vector of valids is an array of streams, each with its share of every port.
            return [], {}
        return found, guessed

    def _set_apart(self, pins: Iterable[Pin], valid: _Word) -> None:
        """Note ports that act without a valid; where a name or the RTL speaks for others, most would be none anyway."""
        why = f"the RTL looks at it without {valid.pin.name}: no payload of it"
        self.acting = {pin.name: f"{why}; --tie {pin.name}=0 keeps it low" for pin in pins}

    def _beside(self, pins: Iterable[Pin], valid: _Word) -> dict[str, str]:
        """The doubts about ports that the RTL does not store as they are, but looks at."""
        why = f"the RTL looks at it beside {valid.pin.name} alone"
        return {pin.name: why for pin in pins if pin.width == 1 or not self.moved.get(pin.name)}

    def _acts_alone(self, pin: Pin, valid: _Word) -> bool:
        """Whether an input of one bit decides something where a valid is low: those of its prefix only if they end something."""
        if (pin.way, valid.pin.way, pin.width) != ("input", "input", 1) or pin is valid.pin or is_control(pin):
            return False
        if valid.begins("_".join(inner_words(pin.name))) and not ends_words(pin.name):
            return False
        asked = self.gates.only_stored(pin.name, ()) is False and not self.moved.get(pin.name)
        return asked and self._valid(pin) is None and self._ready(pin) is None and not self._guarded(pin, valid)

    def _lags(self, pin: Pin, valid: Pin, ready: Pin) -> bool:
        """Whether an output shows a word of a queue later than its flag says that one is there.

        Args:
            pin: the output.
            valid: the flag.
            ready: what takes a word; an output that only this loads stays until the next one.
        """
        if pin.way != "output" or not is_fill_flag(valid.name) or valid.way != "output":
            return False
        inputs = {one.name for one in self.inputs}
        for data in self.values.get(pin.name, ()):
            writes = {name for name, _ in self.gates.stored.get(data, ()) if name in inputs}
            shown, told = self.gates.edges(data, pin.name, ""), [self.gates.edges(w, valid.name, "") for w in writes]
            first = min((one for one in told if one is not None), default=None)
            if shown is not None and first is not None and shown > first:
                return not self.late(pin.name, ready.name, valid.name)
        return False

    def _levels(self, valid: _Word) -> set[str]:
        """Outputs that count the words of a queue, where others show what it stores, or that its flag is made of."""
        if not is_fill_flag(valid.pin.name) or valid.pin.way != "output":
            return set()
        words = {pin.name for pin in self.inputs if pin.width > 1}
        outputs = {pin.name for pin in self.pins if pin.way == "output" and pin is not valid.pin}
        shown = {name for name in outputs if words & self.values.get(name, frozenset())}
        return {name for name in outputs - shown if shown or self.gates.follows(name, valid.pin.name)}

    def _without_levels(self, pins: list[Pin], valid: _Word) -> list[Pin]:
        """Outputs without flags of one bit that the registers of a valid alone make, where others have a value of inputs."""
        made = [p for p in pins if self.values.get(p.name)]
        flags = [p for p in pins if p.way == "output" and p.width == 1 and p not in made]
        flags = [p for p in flags if self.gates.tells_of(p.name, valid.pin.name)] if made else []
        return [pin for pin in pins if pin not in flags]

    def _looked_at(self, pin: Pin, valid: _Word, found: Sequence[Pin]) -> bool:
        """Whether an input of one bit counts beside a valid alone, or another is stored, and looked at together with it.

        Args:
            pin: the input.
            valid: that of a handshake.
            found: its payload.
        """
        inward = pin.way == valid.pin.way == "input" and pin is not valid.pin and pin not in found
        if not (inward and found) or is_enable(pin.name) or _never(pin) or holds_up(pin.name):
            return False
        # A setting by its name goes along where the rest of its name is the valid's.
        if is_control(pin) and not (_head(pin) == _head(valid.pin) != [] and self._guarded(pin, valid)):
            return False
        if self._valid(pin) is not None or self._ready(pin) is not None or not self._together(valid.pin, pin):
            return False
        if pin.width == 1:
            return self.gates.beside(pin.name, valid.pin.name)
        return bool(self.moved.get(pin.name)) or is_control(pin)

    def _guarded(self, pin: Pin, valid: _Word) -> bool:
        """Whether an input changes nothing without a valid."""
        return self.gates.guarded(pin.name, valid.pin.name, not valid.inverted)

    def _is_serial(self, pin: Pin, used: Container[str]) -> bool:
        """Whether an output of one bit shows bits of wider words that inputs have carried away."""
        shown = [one for one in self.inputs if one.name in used and one.name in self.shown.get(pin.name, ())]
        return pin.way == "output" and pin.width == 1 and bool(shown) and all(one.width > 1 for one in shown)

    def _answers_other(self, pin: Pin) -> bool:
        """Whether a port says by its name that it is the ready of a valid."""
        found = self._ready(pin) if pin.width == 1 else None
        if found is None:
            return False
        asked = any(one.key == found.key and one.pin.way != pin.way for one in self.valids)
        return asked or _ANSWERS.fullmatch(found.word) is not None

    def _returns(self, pin: Pin) -> bool:
        """Whether an output of one bit says that room is free again: by its name, or as it shows what has taken a word."""
        told = self.shown.get(pin.name, frozenset()) & self.answers
        return (pin.way, pin.width) == ("output", 1) and (is_credit(pin.name) or bool(told))

    def _asks_beside(self, valid: _Word, pin: Pin) -> bool:
        """Whether a port asks for a read where the valid asks for a write, or the other way round."""
        other = {_WRITES: _READS, _READS: _WRITES}
        words = next((opposite for mine, opposite in other.items() if mine.fullmatch(valid.word)), None)
        found = self._word(pin, words.pattern) if words is not None and pin.width == valid.pin.width else None
        return found is not None and found.key == valid.key

    def _of_other(self, pin: Pin, valid: _Word) -> bool:
        """Whether a name has the prefix of another valid; of one of the other direction, more than its prefix."""
        name = "_".join(inner_words(pin.name))
        return any(
            one.pin.name != valid.pin.name
            and one.begins(name)
            and (one.pin.way == valid.pin.way or (name != one.key and one.key != valid.key))
            for one in self.valids
        )

    def _moves_with(self, pin: Pin, valid: _Word) -> bool:
        """Whether an output may go along with a valid: something makes both of them, or it stays while it is offered."""
        if pin.way == "input" or self.gates.related(pin.name, valid.pin.name):
            return True
        return pin.width > 1 and self.gates.held(pin.name, valid.pin.name, valid.inverted)

    def _made(self, valid: _Word, ready: _Word | None, payload: Sequence[Pin], guessed: dict[str, str]) -> Handshake:
        roles = {"tvalid": valid.pin.name} | ({} if ready is None else {"tready": ready.pin.name})
        inverted = {role for role, word in (("tvalid", valid), ("tready", ready)) if word is not None and word.inverted}
        joined = ready is not None and not _SLACK.fullmatch(ready.word) and self._handed(valid.pin, ready.pin)
        doubts = dict(guessed)
        if (
            valid.word == _GUESSED
            and ready is not None
            and not self._takes(valid.pin, ready.pin, high=not valid.inverted)
        ):
            doubts[valid.pin.name] = f"{ready.pin.name} answers no other port"
        asks = ready is not None and bool(_ASKS_FIRST.fullmatch(ready.word)) and valid.pin.way == "output"
        slack = ready is not None and _SLACK.fullmatch(ready.word) is not None
        loose = ready is not None and self._loose(valid, ready, payload)
        # Who writes a FIFO looks at its flag, so the FIFO need not.
        fills = ready is not None and is_fill_flag(ready.pin.name) and _FILLS.fullmatch(valid.word) is not None
        gated = valid.word == _METHOD or asks or loose or ((slack or fills) and valid.pin.way == "input")
        # A word that goes in while another one leaves goes into a full FIFO, too.
        shares = (
            ready is not None
            and valid.pin.way == "input"
            and not self._checks(valid, ready)
            and self._shares(valid, ready)
        )
        gated |= shares
        if ready is not None and slack:
            doubts[ready.pin.name] = f"what {valid.pin.name} may hand over behind it is not tried"
        if gated and ready is not None and valid.pin.width > 1:
            doubts[ready.pin.name] = (
                f"it may have to be high only beside {valid.pin.name}, which an array of streams cannot"
            )
            gated = False
        if ready is not None and not ready.word:
            doubts |= _odd_ready(valid, ready.pin, inverted=ready.inverted) or (
                {} if shares else self._status(valid, ready)
            )
        elif ready is not None and loose:
            doubts[ready.pin.name] = _UNCHECKED.format(valid=valid.pin.name)
        doubts |= {} if ready is None else self._takes_alone(valid, ready)
        doubts |= self._odd_valid(valid, ready)
        said = [] if ready is None else [f"{ready.pin.name} answers {valid.pin.name}"]
        if ready is not None and not joined and valid.key != ready.key:
            doubts[ready.pin.name] = f"{valid.pin.name} has no other answer"
        elif ready is not None and not joined and self._may_be_other(valid, ready):
            doubts[ready.pin.name] = f"nothing looks at it together with {valid.pin.name}: it may be a status"
        elif ready is not None and not joined and _LATE.fullmatch(ready.word) and valid.pin.way == "input":
            doubts[ready.pin.name] = f"it may come after {valid.pin.name}, which need not wait for it"
        elif ready is not None and self._may_have_phases(valid, ready):
            doubts[ready.pin.name] = (
                f"in four phases it would stay until {valid.pin.name} falls: one word, however long both last"
            )
        said += ["the RTL looks at both together"] if joined else []
        said += self._stored(valid, payload)
        side = "in" if valid.pin.way == "input" else "out"
        name = own_name(valid.key or side, side, self.taken)
        self.taken.add(name)
        bundle = ChosenBundle(name, roles, tuple(pin.name for pin in payload), frozenset(inverted))
        return Handshake(bundle, gated, "; ".join(said), doubts)

    def _stored(self, valid: _Word, payload: Sequence[Pin]) -> list[str]:
        """What the RTL stores with a valid, in words."""
        level = (valid.pin.name, not valid.inverted)
        stored = [pin.name for pin in payload if level in self.gates.stored.get(pin.name, ())]
        return [f"it stores {', '.join(stored)} with {valid.pin.name}"] if stored else []

    def _may_have_phases(self, valid: _Word, ready: _Word) -> bool:
        """Whether an acknowledge may stay until its request falls: the RTL then looks at one while the other is low."""
        if ready.word != "ack" or valid.word not in ("req", "request"):
            return False
        if valid.pin.way == "input":
            return not self._checks(valid, ready)
        return not self.gates.guarded(ready.pin.name, valid.pin.name, not valid.inverted)

    def _takes_alone(self, valid: _Word, ready: _Word) -> dict[str, str]:
        """What speaks against an output that takes words by its name, but may be high where none is there."""
        takes = valid.pin.way == "input" and _TAKES_ALONE.fullmatch(ready.word) is not None
        if not takes or self.gates.only_with(ready.pin.name, valid.pin.name, not valid.inverted):
            return {}
        if self._after(valid, ready):
            return {ready.pin.name: f"it comes after {valid.pin.name}, and the word must stay until then"}
        return {ready.pin.name: f"it may be high without {valid.pin.name}, as an answer to something else"}

    def _may_be_other(self, valid: _Word, ready: _Word) -> bool:
        """Whether a ready that nothing looks at beside its valid may be something else by its name."""
        full = is_fill_flag(ready.pin.name) and _SURE.fullmatch(valid.word) is not None
        return full or _MAY_HOLD.fullmatch(ready.word) is not None

    def _status(self, valid: _Word, ready: _Word) -> dict[str, str]:
        """What speaks against an output of no known word as the ready of an input."""
        if valid.pin.way == "output":
            return {}
        if not self.gates.turns(valid.pin.name, ready.pin.name):
            return {ready.pin.name: f"{valid.pin.name} has no part in it: it may be a status"}
        if not self._checks(valid, ready):
            return {ready.pin.name: _UNCHECKED.format(valid=valid.pin.name)}
        return {}

    def _loose(self, valid: _Word, ready: _Word, payload: Sequence[Pin]) -> bool:
        """Whether an input may be a pulse, or its ready a status: their names do not say otherwise, and neither does the RTL."""
        other = _STALLS.fullmatch(ready.word) is not None or _HELD.fullmatch(valid.word) is None
        # What is high only beside the valid, or after it, must not be waited for.
        other = other and not self._after(valid, ready)
        other = other and not self.gates.only_with(ready.pin.name, valid.pin.name, not valid.inverted)
        return other and not is_fill_flag(ready.pin.name) and self._stored_anyway(valid, ready, payload)

    def _stored_anyway(self, valid: _Word, ready: _Word, payload: Sequence[Pin]) -> bool:
        """Whether something that is stored with an input, or beside it, changes whatever its ready is."""
        stored = any(self.gates.stored.get(pin.name) for pin in payload)
        return valid.pin.way == "input" and stored and not self._checks(valid, ready)

    def _shares(self, valid: _Word, ready: _Word) -> bool:
        """Whether an input counts without its ready only while a word leaves."""
        return self._gives_room(valid.pin, ready.pin, high=not ready.inverted)

    def _checks(self, valid: _Word, ready: _Word) -> bool:
        """Whether an input changes nothing while its ready is low."""
        return self.gates.guarded(valid.pin.name, ready.pin.name, not ready.inverted)

    def _odd_valid(self, valid: _Word, ready: _Word | None) -> dict[str, str]:
        """What speaks against a valid whose word does not say enough."""
        name, beside = valid.pin.name, [pin.name for pin in self.pins if pin.way == valid.pin.way]
        # One that takes what an output offers is tried at the same time.
        beside = [p.name for p in self.pins if p.name in {*beside} - self.answers and self._asks_beside(valid, p)]
        if beside:
            return {name: f"{beside[0]} beside it asks for something else: neither is tried with the other"}
        if valid.pin.way == "input" and not _SURE.fullmatch(valid.word) and self._only_stored(valid.pin) is None:
            return {} if ready is not None and ready.key == valid.key else {name: "the RTL stores it as it does data"}
        if valid.pin.way == "input" or ready is None or _STAYS.fullmatch(valid.word):
            return {}
        if self.gates.falls_alone(name, ready.pin.name, low=valid.inverted):
            return {name: f"the RTL clears it without a look at {ready.pin.name}: it may be no valid"}
        return {}


def _mirrored(found: Sequence[tuple[Handshake, str]]) -> list[Handshake]:
    """Without doubt about the payload where the only input and the only output have ports of the same names.

    Args:
        found: handshakes, each with what the name of its valid has beside the role.
    """
    stems = [sorted(_stem(port, key) for port in one.bundle.ports) for one, key in found]
    if len(found) != 2 or stems[0] != stems[1]:
        return [one for one, _ in found]
    return [
        replace(one, doubts={p: why for p, why in one.doubts.items() if p not in one.bundle.ports}) for one, _ in found
    ]


def _stem(port: str, key: str) -> str:
    """A name without its direction and without the key of its handshake: that of ``idat`` and ``odat`` is ``dat``."""
    name = "_".join(inner_words(port))
    return name.removeprefix(key).lstrip("_") or name


def _odd_ready(valid: _Word, ready: Pin, *, inverted: bool) -> dict[str, str]:
    """What speaks against a ready that only the RTL has found.

    Args:
        valid: what it answers.
        ready: the port.
        inverted: the port is low when the ready is high.
    """
    if any(map(_STATUS.fullmatch, name_words(ready.name))):
        return {ready.name: "its name is another's, although the RTL uses it as a ready"}
    if valid.pin.way == "output" and inverted and not (_ends_low(ready) or holds_up(ready.name)):
        return {ready.name: f"it may have the other level: the RTL may wait for it with {valid.pin.name}"}
    return {}


def _flag(valid: _Word, ready: _Word | None) -> bool:
    """Whether a valid is a status: an empty flag alone."""
    return ready is None and valid.inverted and not _SURE.fullmatch(valid.word)


def ends_words(name: str) -> bool:
    """Whether an input ends what is under way, by its name."""
    return any(map(_KILL.fullmatch, name_words(name)))


def _head(pin: Pin) -> list[str]:
    """The words of a name before the last one that is no direction; a direction alone is one."""
    words = name_words(pin.name)
    while len(words) > 2 and words[-1] in SIDES:
        words.pop()
    return words[:-1]


def _beside(word: _Word) -> list[str]:
    """The words of a name without that of its role, and without a direction behind it."""
    words = name_words(word.pin.name)
    words = words[:-1] if words[-1] in SIDES else words
    return [one for one in words if one != word.word]


def _both(pair: tuple[_Word, _Word | None]) -> Iterator[Pin]:
    return (word.pin for word in pair if word is not None)


def _never(pin: Pin) -> bool:
    """Whether a name is that of a setting or a status."""
    return any(map(_NEVER.fullmatch, name_words(pin.name)))


def _ends_low(pin: Pin) -> bool:
    """Whether a name ends as that of a port that is active low."""
    return pin.name.endswith("_") or _low_word(inner_words(pin.name))


def _low_word(parts: Sequence[str]) -> bool:
    """Whether the last word of a name says active low."""
    return len(parts) > 1 and parts[-1] in ("n", "ni", "no", "b")


def _word(pin: Pin, words: str, opposite: str = "", *, counted: bool = False) -> _Word | None:
    """The role that a name ends or begins with.

    Args:
        pin: the port.
        words: of the role.
        opposite: words of ports that are high when the role is not.
        counted: its last word tells it from other ports.
    """
    parts = inner_words(pin.name)
    low = _ends_low(pin) and not counted
    # A direction may stand before what says low: ``src_rdy_in_n``.
    text = "_".join(inner_words("_".join(parts[:-1])) if low and _low_word(parts) else parts)
    for pattern, turned in ((words, False), (opposite, True)):
        if not pattern:
            continue
        match = re.fullmatch(rf"(?:(?P<key>.+?)_)??(?P<role>{pattern})(?P<index>\d*)", text) or re.fullmatch(
            r"(?P<role>valid|vld|ready|rdy)_(?P<key>.+)(?P<index>)", text
        )
        if match is not None and re.fullmatch(pattern, match["role"]):
            key = "_".join(filter(None, (match["key"], match["index"])))
            return _Word(pin, key, match["role"], turned != low)
    match = re.fullmatch(rf"(?P<head>(?:.+_)?)(?P<role>{_COUNTED})_(?P<last>[a-z]|\d+)", text) if counted else None
    if match is not None and re.fullmatch(words, match["role"]):
        return _Word(pin, match["head"] + match["last"], match["role"], last=True)
    match = _JOINED.fullmatch(text)
    if match is not None and re.fullmatch(words, match["role"]):
        return _Word(pin, match["key"], match["role"], low, "")
    return None
