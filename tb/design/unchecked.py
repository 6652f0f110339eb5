# SPDX-License-Identifier: Apache-2.0
"""Signals of a design's bundles that a run leaves out, ties to a constant or never compares: a verdict says nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile

from goldbeat.pymodels.stock_models import READY_MODELS
from goldbeat.tb.design.design import Design
from goldbeat.tb.design.pin_names import SIDES, is_clock, is_reset, name_words
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.stream import StreamPort

STILL = "nothing moved"
"""Begins what is said of an episode in which nothing was taken or answered."""
_ROLE = re.compile(
    r"t?(?:data|keep|strb|last|id|dest|user|valid|vld|ready|rdy|wakeup)|sop|eop|empty|error|first|bits|payload|"
    r"(?:aw|ar)(?:addr|id|len|size|burst|lock|cache|prot|qos|region|user|valid|ready)|"
    r"[wrb](?:id|data|strb|last|user|resp|valid|ready)|p(?:addr|sel|enable|write|wdata|strb|prot|ready|rdata|slverr)",
    re.IGNORECASE,
)
_PASSED = ("tkeep", "tstrb", "tlast", "tid", "tdest", "tuser")
"""What goes along with TDATA."""
_SIDES = frozenset({"", "io", "s", "m", *SIDES})
"""What stands before or behind a name and is shared by signals that have nothing else in common."""
_CONTROL = re.compile(
    r"(?:(?:clk|clock|wr|rd|write|read)_?)?en|(?:.*_)?(?:ce|cen|ena|enable|irq|intr|interrupt)|(?:cfg|config)(?:_.*)?"
)
"""Names without their prefix of what goes along with no beat."""
_DATA = re.compile(r"(?:.*_)?[a-z]*(?:data|dout|payload)(?:_?\d+)?(?:_(?:o|out|no))?", re.IGNORECASE)
_OF_BEATS = re.compile("(?!in)[a-z]{0,2}(?:valid|vld)|[wr]?ack|acknowledge|[wr]?(?:full|empty)n?")
"""Words of an output beside streams that says of each word whether it is there, was taken, or may come."""
_AROUND = SIDES | {"fifo", "wr", "rd", "w", "r", "write", "read", "s", "m", "data", "din", "dout", "word", "flag"}
"""Words beside them; with another one (``pll_valid``, ``almost_full``, ``irq_ack``) it is said of something else."""
OF_MODEL = "model "
"""Begins the name of a guess that is about no port."""
OF_NULL_BYTES = "null bytes of "
"""Likewise, before an input whose null bytes a design may not be made for."""
_TELLS = "says of each word whether it is there, was taken or has room"
_VALID = re.compile(r"(?P<before>.*?)_?t?(?:valid|vld)(?P<behind>(?:_(?:i|o|in|out))?)", re.IGNORECASE)


@dataclass(frozen=True)
class NameFamily:
    """The names of a bundle's signals: all begin with ``before`` and end with ``behind``.

    Attributes:
        bundle: its name.
        before, behind: in lower case.
        telling: no other signal of the module has such a name; else the rest of the name must be a role.
    """

    bundle: str
    before: str
    behind: str
    telling: bool

    def stem(self, pin: str) -> str:
        """What such a name has beside; empty: the name is another, or that of a clock, reset, enable, interrupt or setting."""
        name = pin.lower()
        if not (name.startswith(self.before) and name.endswith(self.behind) and len(name) > len(self.before)):
            return ""
        middle = name[len(self.before) : len(name) - len(self.behind)].strip("_")
        return "" if is_clock(middle) or is_reset(middle) or _CONTROL.fullmatch(middle) else middle

    def has(self, pin: str) -> bool:
        """Whether a signal belongs to the bundle by its name."""
        stem = self.stem(pin)
        return bool(stem) and (self.telling or _ROLE.fullmatch(stem) is not None)


def unchecked_signals(design: Design) -> dict[str, str]:
    """Signals that are tied or left open although they belong to a bundle or carry data, and what each is.

    A signal belongs to a described bundle if its name begins as those of the bundle's signals do. Signals around a valid that
    is not described are a bundle as well. An output called data is one by itself, and so are an input and an output whose names
    differ in their side alone. So is an output beside streams that says of each word whether it is there or was taken
    (:func:`tells_of_words`). Other outputs that nothing reads are only listed (:attr:`Design.ignored`). Two signals of a bundle
    of which each has the other's name are listed too: nothing but the names shows whether they are crossed.
    """
    families = [family for port in design.ports for family in families_of(port)]
    left = [pin for pin in (*design.ties, *design.ignored) if not (is_clock(pin) or is_reset(pin))]
    families += _bundles_left_out(left)
    pairs = _pairs(design) if design.streams else {}
    found = {}
    for pin in left:
        owner = max((f for f in families if f.has(pin)), key=lambda f: len(f.before), default=None)
        tells = tells_of_words(pin, design.streams)
        if owner is not None or pin in pairs or (pin in design.ignored and (tells or _DATA.fullmatch(pin))):
            of = f"goes with {pairs[pin]}" if pin in pairs else _TELLS if tells else "carries data"
            found[pin] = f"{left_out(pin, design.ties)}; it {of if owner is None else f'belongs to {owner.bundle}'}"
    return found | {pin: what for port in design.ports for pin, what in _crossed(port)}


def tells_of_words(pin: str, streams: Sequence[StreamPort]) -> bool:
    """Whether an output says by its name that a word of streams is there or was taken, or that there is room for one."""
    words = name_words(pin)
    others = {word for word in words if _OF_BEATS.fullmatch(word) is None}
    known = _AROUND.union(word for port in streams for name in pins_of(port) for word in name_words(name))
    return bool(streams) and len(others) < len(words) and others <= known


def _crossed(port: Bundle) -> Iterator[tuple[str, str]]:
    """Signals of a bundle with each other's names."""
    ends = {role: (name_words(pin) or [""])[-1] for role, pin in (port.signals or {}).items()}
    for one, other in combinations(ends, 2):
        if ends[one] in (other, other.removeprefix("t")) and ends[other] in (one, one.removeprefix("t")):
            yield port.pin(one), f"is {one} of {port.name}, and {port.pin(other)} is {other}: each has the other's name"


def left_out(pin: str, ties: Mapping[str, int]) -> str:
    """What is done with a signal that no bundle has."""
    value = ties.get(pin)
    return "left open" if value is None else f"tied to {'all ones' if value == -1 else value}"


def undecided(guesses: Mapping[str, str]) -> str:
    """What is said where something differs while guesses are open: those about ports, and the model's."""
    said = "; ".join(f"{name} ({why})" for name, why in guesses.items())
    if all(name.startswith((OF_MODEL, OF_NULL_BYTES)) for name in guesses):
        return f"undecided: what differs may come of a guess: {said}"
    return (
        "undecided: what differs may come of a guess; correct the bundle, confirm the guess by removing its line from "
        f"[guesses], or tie the port yourself: {said}"
    )


def lost_signals(model: str | None, ports: Sequence[StreamPort]) -> dict[str, str]:
    """Signals of inputs that a ready-made model would pass on, for which an output has no signal, and what each is.

    Args:
        model: its name; another model passes on what it likes.
        ports: the streams.
    """
    if model not in READY_MODELS:
        return {}
    inputs, outputs = ([p for p in ports if p.direction == way] for way in ("in", "out"))
    paired = model == "identity" and len(inputs) == len(outputs)
    found: dict[str, str] = {}
    for number, port in enumerate(inputs):
        for role in port.roles():
            # A narrower port needs no keep: the model leaves out what is not kept.
            if role not in _PASSED or (model == "repack" and role in ("tkeep", "tstrb")):
                continue
            if model == "route" and role == "tdest":
                continue
            lacking = [o.name for o in (outputs[number : number + 1] if paired else outputs) if not o.has(role)]
            if lacking:
                said = f"lost, as {', '.join(lacking)} has no {role}; it belongs to {port.name}"
                found |= dict.fromkeys(port.payload_pins(role), said)
    return found


def unpredicted(names: Iterable[str], port: StreamPort) -> dict[str, str]:
    """Sidebands of an output that the golden model does not predict, by the design's name of the signal."""
    pins = (pin for name in names for pin in port.payload_pins(name) if pin not in port.judged)
    return dict.fromkeys(pins, f"not predicted by the golden model; it belongs to {port.name}")


def unknown_confirmations(design: Design) -> list[str]:
    """Names of :attr:`Design.unchecked` that are no signals which can be left out."""
    known = {*design.ties, *design.ignored, *(pin for port in design.ports for pin in pins_of(port))}
    return [name for name in design.unchecked if name not in known]


def pins_of(port: Bundle) -> list[str]:
    """The design's names of a bundle's signals."""
    if isinstance(port, StreamPort):
        return [pin for role in port.roles() for pin in port.payload_pins(role)]
    return [port.pin(role) for role in port.roles()]


def _pairs(design: Design) -> dict[str, str]:
    """Inputs that are tied and outputs that are left open whose names differ in their side alone: each with the other."""
    stems = {_without_side(pin): pin for pin in design.ties}
    found: dict[str, str] = {}
    for pin in design.ignored:
        other = stems.get(stem := _without_side(pin))
        if other is not None and stem not in (pin.lower(), other.lower()) and not _CONTROL.fullmatch(stem):
            found |= {pin: other, other: pin}
    return found


def _without_side(pin: str) -> str:
    """A name without the words that say no more than a direction."""
    words = name_words(pin)
    return "_".join([word for word in words if word not in _SIDES] or words)


def families_of(port: Bundle) -> Iterator[NameFamily]:
    """What the names of a bundle's signals share; else (``data_o valid_o ready_i``), those of each direction."""
    names = [pin.lower() for pin in pins_of(port)]
    answers = {port.pin(role).lower() for role in port.roles() if role in port.spec.from_slave}
    before, behind = _affixes(names)
    if before or behind:
        # What signals of both directions begin with is the bundle's, whatever it says.
        both = bool(answers) and not answers >= {*names}
        yield NameFamily(port.name, before, behind, before.endswith("_") and (both or before.strip("_") not in _SIDES))
        return
    for half in ([n for n in names if n not in answers], [n for n in names if n in answers]):
        before, behind = _affixes(half)
        if before or behind:
            yield NameFamily(port.name, before, behind, before.endswith("_") and before.strip("_") not in _SIDES)


def _affixes(names: Sequence[str]) -> tuple[str, str]:
    """What all names begin with, up to an underscore, or else end with."""
    before = _shared(names)
    before = before[: before.rfind("_") + 1]
    behind = "" if before else _shared([name[::-1] for name in names])[::-1]
    return before, behind[behind.find("_") :] if "_" in behind else ""


def _shared(names: Sequence[str]) -> str:
    """What all names begin with."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))
    return "".join(letters[0] for letters in same)


def _bundles_left_out(pins: Sequence[str]) -> Iterator[NameFamily]:
    """The names of bundles that no description has: a valid, and at least one more signal."""
    for pin in pins:
        match = _VALID.fullmatch(pin)
        if match is not None:
            before = match["before"].lower()
            names = (f"{before}_" if before else "", match["behind"].lower())
            family = NameFamily("a bundle that is not described", *names, before not in _SIDES)
            if sum(map(family.has, pins)) > 1:
                yield family
