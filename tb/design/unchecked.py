# SPDX-License-Identifier: Apache-2.0
"""Signals of a design's bundles that a run leaves out, ties to a constant or never compares: a verdict says nothing of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from goldbeat.tb.design.design import Design
from goldbeat.tb.design.ports.bundle import Bundle

_ROLE = re.compile(
    r"t?(?:data|keep|strb|last|id|dest|user|valid|vld|ready|rdy|wakeup)|sop|eop|empty|error|first|bits|payload|"
    r"(?:aw|ar)(?:addr|id|len|size|burst|lock|cache|prot|qos|region|user|valid|ready)|"
    r"[wrb](?:id|data|strb|last|user|resp|valid|ready)|p(?:addr|sel|enable|write|wdata|strb|prot|ready|rdata|slverr)",
    re.IGNORECASE,
)
_SIDES = frozenset({"", "i", "o", "in", "out", "io", "s", "m"})
"""What stands before or behind a name and is shared by signals that have nothing else in common."""
_DATA = re.compile(r"(?:.*_)?[a-z]*(?:data|dout|payload)(?:_?\d+)?(?:_(?:o|out|no))?", re.IGNORECASE)
_VALID = re.compile(r"(?P<before>.*?)_?t?(?:valid|vld)(?P<behind>(?:_(?:i|o|in|out))?)", re.IGNORECASE)
_PLUMBING = re.compile(r"(?:.*_)?[a-z]*(?:clk|clock|rst|reset)_?(?:n|ni|i|en)?\d*", re.IGNORECASE)


@dataclass(frozen=True)
class _Family:
    """The names of a bundle's signals: all begin with ``before`` and end with ``behind``."""

    bundle: str
    before: str
    behind: str

    def has(self, pin: str) -> bool:
        """Whether a signal has such a name; where signals share no more than a side, its role counts as well."""
        name = pin.lower()
        if not (name.startswith(self.before) and name.endswith(self.behind) and len(name) > len(self.before)):
            return False
        middle = name[len(self.before) : len(name) - len(self.behind)].strip("_")
        telling = self.before.endswith("_") and self.before.strip("_") not in _SIDES
        return bool(middle) and (telling or _ROLE.fullmatch(middle) is not None)


def unchecked_signals(design: Design) -> dict[str, str]:
    """Signals that are tied or left open although they belong to a bundle or carry data, and what each is.

    A signal belongs to a described bundle if its name begins as those of the bundle's signals do. Signals around a valid that
    is not described are a bundle as well. An output called data is one by itself. Other outputs that nothing reads are only
    listed (:attr:`Design.ignored`).
    """
    families = [family for port in design.ports for family in _families(port)]
    left = [*design.ties, *design.ignored]
    families += [_Family("a bundle that is not described", *names) for names in _bundles_left_out(left)]
    found = {}
    for pin in left:
        if _PLUMBING.fullmatch(pin):
            continue
        owner = max((f for f in families if f.has(pin)), key=lambda f: len(f.before), default=None)
        if owner is not None or (pin in design.ignored and _DATA.fullmatch(pin)):
            value = design.ties.get(pin)
            what = "left open" if value is None else f"tied to {'all ones' if value == -1 else value}"
            of = "carries data" if owner is None else f"belongs to {owner.bundle}"
            found[pin] = f"{what}; it {of}"
    return found


def unpredicted(names: Iterable[str], port: Bundle) -> dict[str, str]:
    """Sidebands of an output that the golden model does not predict, by the design's name of the signal."""
    return {port.pin(name): f"not predicted by the golden model; it belongs to {port.name}" for name in names}


def unknown_confirmations(design: Design) -> list[str]:
    """Names of :attr:`Design.unchecked` that are no signals which can be left out."""
    known = {*design.ties, *design.ignored, *(pin for port in design.ports for pin in _pins(port))}
    return [name for name in design.unchecked if name not in known]


def _pins(port: Bundle) -> list[str]:
    """The design's names of a bundle's signals."""
    fields: Mapping[str, object] = getattr(port, "fields", {})
    return [*(port.pin(role) for role in port.roles() if not fields or role != "tdata"), *fields]


def _families(port: Bundle) -> Iterator[_Family]:
    """What the names of a bundle's signals share; else (``data_o valid_o ready_i``), those of each direction."""
    names = [pin.lower() for pin in _pins(port)]
    whole = _affixes(names)
    if any(whole):
        yield _Family(port.name, *whole)
        return
    answers = {port.pin(role).lower() for role in port.roles() if role in port.spec.from_slave}
    for half in ([n for n in names if n not in answers], [n for n in names if n in answers]):
        if any(affixes := _affixes(half)):
            yield _Family(port.name, *affixes)


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


def _bundles_left_out(pins: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What the names of bundles that no description has begin and end with: a valid, and at least one more signal."""
    for pin in pins:
        match = _VALID.fullmatch(pin)
        if match is not None:
            before = match["before"].lower()
            names = (f"{before}_" if before else "", match["behind"].lower())
            if sum(_Family("", *names).has(other) for other in pins) > 1:
                yield names
