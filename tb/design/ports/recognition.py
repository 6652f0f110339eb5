# SPDX-License-Identifier: Apache-2.0
"""What port classes recognise bundles by: the ports of a top module that belong together by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from goldbeat.pymodels.buses import Bus

Width = int | str

"""A number (of bits, of bundles), or how it follows from parameters: ``DATA_W``, ``8*NLOCK``, ``NS+NM``."""

_PLAIN_RANGE = re.compile(r"^(\w+)-1:0$")
_ENABLE = re.compile(r"(?:(S|M)_)?(?:AXIS?_)?([A-Z]+)_?EN(?:ABLE)?")
_EXCLUSIVE = re.compile(
    r"(?:(?:OPT|EN|ENABLE|SUPPORT|HAS|USE|ALLOW)_?)?(?:EXCLUSIVE|LOCK)S?(?:_?(?:ACCESS|ACCESSES|EN|ENABLE))?"
)
_COUNT = re.compile(r"^(?:0:)?(\w+?)(?:-1)?(?::0)?$")
_FLAT_RANGE = re.compile(r"^\(?(\w+)\*(\w+)\)?-1:0$")


class NotABundleError(Exception):
    """The ports look like a bundle and are not one that can be driven; the text says why. It never reaches a user as an error."""


@dataclass(frozen=True)
class Naming:
    """How the signals of a bundle are called.

    Attributes:
        roles: a regular expression of roles.
        prefix: one of what stands before them.
        enough: sets of roles; with all of one, the names are no accident.
        default: what a bundle is called whose names are roles alone.
        aliases: roles as names have them -> as the bus has them.
        loose: the words are everybody's: only what is left by all other namings is looked at.
        both: words that both sides drive a signal of -> the asking side's role, and the answering side's.
        sided: a leading ``i_`` or ``o_`` says which way a port goes, where that holds for all ports that have one.
    """

    roles: str
    enough: tuple[frozenset[str], ...]
    default: str
    prefix: str = ".*_|"
    aliases: Mapping[str, str] = field(default_factory=dict, hash=False)
    loose: bool = False
    both: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)
    sided: bool = True


@dataclass(frozen=True)
class Dimension:
    """One range of a declaration.

    Attributes:
        left, right: its bounds.
        text: as it stands in the source (``DATA_WIDTH-1:0``), empty where it comes from a named type.
    """

    left: int
    right: int
    text: str = ""

    @property
    def size(self) -> int:
        """Number of elements."""
        return abs(self.left - self.right) + 1


@dataclass(frozen=True)
class Pin:
    """A port of the top module.

    Attributes:
        name: as the source writes it.
        way: direction.
        width: all its bits.
        packed, unpacked: its dimensions, outermost first.
        refusal: why it cannot be connected as plain bits, None when it can.
        where: ``file:line``.
    """

    name: str
    way: Literal["input", "output", "inout"]
    width: int
    packed: tuple[Dimension, ...] = ()
    unpacked: tuple[Dimension, ...] = ()
    refusal: str | None = None
    where: str = ""


@dataclass(frozen=True)
class TopParameter:
    """A parameter that can be set from outside.

    Attributes:
        name: as the source writes it.
        value: an integer or a text; None for any other kind.
        free: its default depends on no other parameter, or its value was given.
        kind: for people: what it is when it has no value.
        enum: the enum that it is of; empty: it is none.
    """

    name: str
    value: int | str | None
    free: bool
    kind: str = ""
    enum: str = ""


def plain_width(pin: Pin, parameters: Sequence[TopParameter]) -> Width:
    """The parameter that gives a field's width, or the width."""
    text = re.fullmatch(r"(\w+)-1:0", pin.packed[0].text.replace(" ", "")) if pin.packed else None
    known = {p.name: p.value for p in parameters if p.free}
    return text[1] if text is not None and known.get(text[1]) == pin.width else pin.width


class PinArray:
    """How the bundles of a group are laid out, from the port that leads it."""

    def __init__(self, lead: Pin, parameters: Mapping[str, int]) -> None:
        self._parameters = parameters
        self.layout = "packed"
        self.count: int | None = None
        self.lanes: Width | None = None
        self._range = lead.unpacked[:1]
        if len(lead.unpacked) > 1:
            raise NotABundleError(f"{lead.name} is an array of arrays")
        if lead.unpacked:
            outer = lead.unpacked[0]
            self.layout = "unpacked" if outer.left <= outer.right else "unpacked_down"
            self.count = outer.size
            if lead.width != self.count:
                raise NotABundleError(f"{lead.name} is an array of vectors")
            match = _COUNT.match(outer.text)
            self.lanes = match[1] if match is not None and parameters.get(match[1]) == outer.size else outer.size
        elif lead.width > 1:
            outer = lead.packed[0]
            if outer.left < outer.right:
                raise NotABundleError(f"{lead.name} counts its bundles upwards ([{outer.left}:{outer.right}])")
            self.count = lead.width
            self.lanes = self._named(outer.text, lead.width)

    def _named(self, text: str, value: int) -> Width:
        match = _PLAIN_RANGE.match(text)
        return match[1] if match is not None and self._parameters.get(match[1]) == value else value

    def width(self, port: Pin) -> Width:
        """Bits of a signal in one bundle, by the name of the parameter that says so where there is one."""
        if bool(port.unpacked) != bool(self._range) or any(
            (a.left, a.right) != (b.left, b.right) for a, b in zip(port.unpacked, self._range, strict=False)
        ):
            raise NotABundleError(f"{port.name} is not an array like the rest of its bundle")
        if len(port.unpacked) > 1:
            raise NotABundleError(f"{port.name} is an array of arrays")
        count = self.count or 1
        if port.width % count:
            raise NotABundleError(f"{port.name} has {port.width} bits, which do not divide among {count} bundles")
        bits = port.width // count
        if not port.packed:
            return bits
        text = port.packed[-1].text
        if self.count is not None and not self._range and len(port.packed) == 1:
            if port.packed[0].left < port.packed[0].right:
                raise NotABundleError(f"{port.name} counts its bits upwards, so bundle 0 is highest")
            match = _FLAT_RANGE.match(text)
            if match is None:
                return bits
            return next((n for n in match.groups() if n != self.lanes and self._parameters.get(n) == bits), bits)
        return self._named(text, bits) if port.packed[-1].size == bits else bits

    def bits(self, port: Pin) -> int:
        """Bits of a signal in one bundle."""
        self.width(port)
        return port.width // (self.count or 1)


class Wires:
    """One group of ports on its way to a bundle.

    Args:
        name: of the bundle.
        pins: the ports by role.
        parameters: parameters of the top module with their defaults.
        inverted: roles whose ports have the other level.
        unread: inputs of the module that nothing in it reads.
        indexed: the lowest bit of an input that selects one of the words that the module stores, by the bits of these words.

    Attributes:
        name: as given.
        roles: the ports by role that are not left out.
        ties, ignored: of those that are.
        unchecked: those of them that the module itself does not use, and why.
        notes: what was left out or guessed, and why.
        unread, indexed: as given.
    """

    def __init__(
        self,
        name: str,
        pins: Mapping[str, Pin],
        parameters: Sequence[TopParameter],
        inverted: frozenset[str] = frozenset(),
        unread: frozenset[str] = frozenset(),
        indexed: Mapping[str, Mapping[int, int]] | None = None,
    ) -> None:
        self.name = name
        self.roles = dict(pins)
        self.ties: dict[str, int] = {}
        self.ignored: list[str] = []
        self.unchecked: dict[str, str] = {}
        self.notes: list[str] = []
        self._parameters = parameters
        self._inverted = inverted
        self.unread = unread
        self.indexed = indexed or {}
        for pin in pins.values():
            if pin.refusal is not None:
                raise NotABundleError(f"{pin.name} is a {pin.refusal}")

    @property
    def pins(self) -> list[str]:
        """The names of all its ports, those that are left out included."""
        return [*(p.name for p in self.roles.values()), *self.ties, *self.ignored]

    @property
    def signals(self) -> dict[str, str]:
        """The design's names by role, as a bundle has them."""
        return {role: "!" * (role in self._inverted) + pin.name for role, pin in self.roles.items()}

    def direction(self, lead: Pin, bus: Bus) -> Literal["in", "out"]:
        """The bundle's direction by the signal that leads it, which the asking side drives.

        Raises:
            NotABundleError: a signal of the bus goes the other way.
        """
        inward = lead.way == "input"
        for role, pin in self.roles.items():
            if role in bus.roles and (pin.way == "output") != ((role in bus.from_slave) == inward):
                raise NotABundleError(f"{pin.name} has the opposite direction of {lead.name}")
        return "in" if inward else "out"

    def array(self, lead: Pin) -> PinArray:
        """How the bundles are laid out, from the port that leads them."""
        free = {p.name: p.value for p in self._parameters if p.free and isinstance(p.value, int)}
        return PinArray(lead, free)

    def setting(self, word: str) -> int:
        """The value of the parameter whose name, without underscores, ends with a word in capitals; 0: there is none."""
        named = (p for p in self._parameters if p.name.upper().replace("_", "").endswith(word))
        return next((p.value for p in named if isinstance(p.value, int)), 0)

    def drop(self, role: str, why: str, tie: int = 0) -> None:
        """Leave an optional signal out."""
        pin = self.roles.pop(role)
        if pin.way == "input":
            self.ties[pin.name] = tie
            done = "tied to all ones" if tie == -1 else f"tied to {tie}"
        else:
            self.ignored.append(pin.name)
            done = "not checked"
        self.notes.append(f"{pin.name}: {why}; {done}")

    def drop_disabled(self, direction: str) -> None:
        """Leave out the signals that a parameter such as ``ID_ENABLE`` switches off."""
        side = "S" if direction == "in" else "M"
        for parameter in self._parameters:
            for role in _switched_by(parameter.name.upper(), side) if parameter.value == 0 else ():
                if role in self.roles and role not in ("tdata", "tvalid"):
                    self.unchecked[self.roles[role].name] = why = f"parameter {parameter.name} is 0"
                    self.drop(role, why, tie=-1 if role == "tkeep" else 0)

    def common(self, array: PinArray, roles: Sequence[str]) -> Width:
        """The width that signals share.

        Raises:
            NotABundleError: they differ.
        """
        there = [self.roles[role] for role in roles if role in self.roles]
        bits = {array.bits(pin) for pin in there}
        if len(bits) != 1:
            names, numbers = ", ".join(p.name for p in there), ", ".join(map(str, sorted(bits)))
            raise NotABundleError(f"{names} differ in width: {numbers}")
        return array.width(there[0])


def _switched_by(parameter: str, side: str) -> tuple[str, ...]:
    """The signals on a side, ``S`` or ``M``, that a parameter switches off by a name such as ``ID_ENABLE`` or ``OPT_EXCLUSIVE``."""
    if _EXCLUSIVE.fullmatch(parameter):
        return "awlock", "arlock"
    match = _ENABLE.fullmatch(parameter)
    if match is None or match[1] not in (None, side):
        return ()
    return match[2].lower(), f"t{match[2].lower()}"
