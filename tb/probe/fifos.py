# SPDX-License-Identifier: Apache-2.0
"""FIFO ports: an enable, data, and a flag that says full or empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from goldbeat.tb.design.pin_names import inner_words, name_words
from goldbeat.tb.design.ports.recognition import Pin
from goldbeat.tb.design.ports.stream import StreamPort
from goldbeat.tb.probe.module import FifoUse
from goldbeat.tb.probe.names import PinGroup

_WRITE, _READ = "write", "read"
_OTHER_LEVELS = frozenset({"almost", "near", "nearly", "half", "prog", "next"})
"""Words before full and empty that make another flag of them."""
_EN = "en(?:able)?|req|inc"
_WORDS = {
    _WRITE: {
        "enable": f"w(?:r(?:ite)?)?_?(?:{_EN})|we|wr|write|push(?:_en)?|enq(?:ueue)?(?:_en)?|put",
        "data": "din|w(?:r(?:ite)?)?_?(?:data|din)|(?:push|enq|put)_data|data|d",
        "flag": "(?:w|wr|write|push|enq)?_?full",
    },
    _READ: {
        "enable": f"r(?:d|ead)?_?(?:{_EN})|re|rd|read|(?:pop|pull)(?:_en)?|deq(?:ueue)?(?:_en)?|get",
        "data": "dout|r(?:d|ead)?_?(?:data|dout)|(?:pop|pull|deq|get)_data|data|q|d",
        "flag": "(?:r|rd|read|pop|pull|deq)?_?empty",
    },
}


@dataclass(frozen=True)
class FifoSide:
    """The ports through which a FIFO is written or read.

    Attributes:
        name: of the bundle.
        reads: its data come out of the FIFO.
        enable, data, flag: the ports.
        low: the flag is FULL_N or EMPTY_N.
        slave: the module is the FIFO; else it writes or reads one.
    """

    name: str
    reads: bool
    enable: Pin
    data: Pin
    flag: Pin
    low: bool
    slave: bool

    @property
    def inward(self) -> bool:
        """Data go into the module."""
        return self.slave != self.reads

    @property
    def group(self) -> PinGroup:
        """The same as a stream."""
        valid, ready = ("flag", "enable") if self.reads else ("enable", "flag")
        roles = {"tdata": self.data, "tvalid": getattr(self, valid), "tready": getattr(self, ready)}
        inverted = {"tvalid" if self.reads else "tready"} if not self.low else set()
        return PinGroup(self.name, (StreamPort,), roles, frozenset(inverted))

    def refusal(self, use: FifoUse) -> str | None:
        """Why it is no stream; None: it is one."""
        enable, data, flag = (pin.name for pin in self.ports)
        if self.reads and self.slave and use.register and not use.late:
            invert = "" if self.low else "!"
            ports = f"--bundle '{self.name}=tdata:{data},tvalid:{invert}{flag},tready:{enable}'"
            return f"{data} is a register: if it holds the next word before {enable}, give {ports}"
        return None

    @property
    def writer(self) -> bool:
        """The module writes a FIFO, so its enable may wait for the flag."""
        return not self.reads and not self.slave

    @property
    def ports(self) -> tuple[Pin, Pin, Pin]:
        """Its ports."""
        return self.enable, self.data, self.flag


def fifo_sides(pins: Iterable[Pin]) -> list[FifoSide]:
    """The sides of FIFOs among ports that belong to nothing else; only where no name is ambiguous."""
    plain = [p for p in pins if p.refusal is None and not p.unpacked and p.way in ("input", "output")]
    found: list[FifoSide] = []
    for kind, words in _WORDS.items():
        named = {what: list(_named(plain, pattern, flag=what == "flag")) for what, pattern in words.items()}
        for key, enable, _ in named["enable"]:
            side = _side(kind, key, enable, named, plain)
            if side is not None and not {p.name for one in found for p in one.ports} & {p.name for p in side.ports}:
                found.append(side)
    names = [side.name for side in found]
    return [
        replace(side, name=f"{side.name}_{'in' if side.inward else 'out'}") if names.count(side.name) > 1 else side
        for side in found
    ]


_Named = tuple[str, Pin, bool]


def _named(pins: Sequence[Pin], words: str, *, flag: bool) -> Iterable[_Named]:
    """Prefix, port and whether it is active low, of the ports with such names."""
    low = "(?P<low>_?n)?" if flag else "(?P<low>)"
    pattern = re.compile(rf"(?:(?P<key>.+?)_)??(?:{words}){low}")
    for pin in pins:
        parts = inner_words(pin.name)
        match = pattern.fullmatch("_".join(parts))
        if match is not None and not (flag and _OTHER_LEVELS & {*parts}):
            # The word of a side belongs to the role: ``a_r_empty`` and ``a_r_read`` are both of ``a``.
            yield re.sub(r"(?:^|_)(?:r|w|rd|wr)$", "", match["key"] or ""), pin, bool(match["low"])


def _side(
    kind: str, key: str, enable: Pin, named: Mapping[str, Sequence[_Named]], pins: Sequence[Pin]
) -> FifoSide | None:
    """The side of an enable, with the flag and the data of its prefix, or else with the only ones.

    Args:
        kind: it is written, or read.
        key: the prefix.
        enable: the enable.
        named: prefix and port by what the names say.
        pins: all ports, of which one may be called as the prefix alone: its data.
    """
    reads, slave = kind == _READ, enable.way == "input"
    inward = slave != reads
    if enable.width != 1:
        return None
    flags = [one for one in named["flag"] if one[1].width == 1 and one[1].way != enable.way]
    data = [one for one in named["data"] if one[1] is not enable and (one[1].way == "input") == inward]
    same = [e for e in named["enable"] if e[0] == key]
    # Another prefix is no contradiction for the only enable, if that has none.
    alone = not key and len(named["enable"]) == 1
    own = [p for p in pins if key and p.width > 1 and "_".join(name_words(p.name)) == key]
    data += [(key, p, False) for p in own if (p.way == "input") == inward]
    (flag, low), (payload, _) = _of(key, flags, alone=alone), _of(key, data, alone=alone)
    if flag is None or payload is None or len(same) != 1:
        return None
    return FifoSide(_name(kind, enable, payload, flag), reads, enable, payload, flag, low, slave)


def _of(key: str, found: Sequence[_Named], *, alone: bool) -> tuple[Pin | None, bool]:
    same = [one for one in found if one[0] == key] or (found if alone else ())
    return (same[0][1], same[0][2]) if len(same) == 1 else (None, False)


def _name(kind: str, *pins: Pin) -> str:
    """What the names of its ports begin with, or ``write`` or ``read``."""
    lists = [name_words(pin.name) for pin in pins]
    shared = [words[0] for words in zip(*lists, strict=False) if len(set(words)) == 1]
    same = len(shared) and all(parts[: len(shared)] == shared for parts in lists)
    return "_".join(shared) if same and shared[0] not in ("i", "o") else kind
