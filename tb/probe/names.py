# SPDX-License-Identifier: Apache-2.0
"""What port names say: bundle and role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count, takewhile

from goldbeat.tb.design.pin_names import SIDES, name_words
from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.discovery import common_buses
from goldbeat.tb.design.ports.recognition import Naming, Pin

_TAIL = r"(?:_?(?P<index>\d+))?(?:_(?:i|o|in|out|ni|no))?$"
_SIDED = "^[io]_"
PLAIN_VALID = re.compile(r"^(\w+)_valid(_[io])?$", re.IGNORECASE)
"""The valid of a handshake whose other signals are anything with its prefix."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class PinGroup:
    """Ports whose names share everything but the role.

    Attributes:
        name: what the bundle will be called, in lower case.
        buses: those whose signals have such names.
        pins: the ports by role, as the bus has it.
        inverted: roles whose ports have the other level.
    """

    name: str
    buses: tuple[type[Bundle], ...]
    pins: Mapping[str, Pin]
    inverted: frozenset[str] = frozenset()


def _namings() -> dict[Naming, list[type[Bundle]]]:
    """The ways in which signals are called and the buses that they may be of, most telling ways first."""
    found: dict[Naming, list[type[Bundle]]] = {}
    for bus in common_buses().values():
        for naming in bus.namings:
            found.setdefault(naming, []).append(bus)
    return dict(sorted(found.items(), key=lambda item: item[0].loose))


def _bundle_name(naming: Naming, prefix: str, index: str, side: str) -> str:
    name = re.sub(r"[^a-z0-9_]", "_", prefix.lower()).strip("_") or naming.default
    return "_".join(filter(None, (name, index, side)))


def _role(word: str, naming: Naming, bus: type[Bundle]) -> str:
    """The bus's name of a role: ``aw_addr`` is ``awaddr``."""
    role = naming.aliases.get(word, word)
    return role if role in bus.spec.roles else role.replace("_", "")


_Key = tuple[str, str]


def _sides(
    gathered: Mapping[_Key, Mapping[str, list[Pin]]], naming: Naming, bus: type[Bundle]
) -> Iterator[tuple[_Key, str, dict[str, Pin]]]:
    """The groups that are bundles; ``valid_i`` and ``valid_o`` are one's and another's, told apart by direction."""
    for key, roles in gathered.items():
        first = {role: pins[0] for role, pins in roles.items() if role not in naming.both}
        halves: dict[str, dict[str, Pin]] = {"in": {}, "out": {}}
        for role, pin in ((role, pin) for role, pins in roles.items() if role not in naming.both for pin in pins):
            inward = (pin.way == "input") != (role in bus.spec.from_slave)
            halves["in" if inward else "out"].setdefault(role, pin)
        for (asked, answered), pin in (
            (pair, pin) for word, pair in naming.both.items() for pin in roles.get(word, ())
        ):
            halves["in"].setdefault(asked if pin.way == "input" else answered, pin)
            halves["out"].setdefault(answered if pin.way == "input" else asked, pin)
        whole = {side: half for side, half in halves.items() if any(e <= half.keys() for e in naming.enough)}
        if len(whole) == len(halves):
            yield from ((key, side, half) for side, half in whole.items())
        elif any(enough <= first.keys() for enough in naming.enough):
            yield key, "", {**first, **next(iter(whole.values()), {})}


def own_name(name: str, side: str, taken: Container[str]) -> str:
    """The name of a bundle; where another one has it, with its side, and with a number behind."""
    more = (f"{name}_{side}{number}" for number in count(1))
    return next(one for one in chain([name, f"{name}_{side}"], more) if one not in taken)


def groups(pins: Iterable[Pin]) -> list[PinGroup]:
    """The bundles that names speak of, most telling convention first; no port is in two of them."""
    left = {p.name: p for p in pins}
    taken: Counter[str] = Counter()
    found: list[tuple[_Key, PinGroup]] = []
    for naming, buses in _namings().items():
        gathered: dict[_Key, dict[str, list[Pin]]] = {}
        for key, role, pin in _parsed(left.values(), naming, buses[0]):
            gathered.setdefault(key, {}).setdefault(role, []).append(pin)
        if naming.loose:
            _uncross(gathered)
        for key, side, roles in _sides(gathered, naming, buses[0]):
            name = _bundle_name(naming, *key, side)
            taken[name] += 1
            found.append((key, PinGroup(name if taken[name] == 1 else f"{name}_{taken[name]}", tuple(buses), roles)))
            for pin in roles.values():
                left.pop(pin.name)
    return _joined(found, left)


def _goes(pin: Pin) -> str:
    """Which way a port goes by how its name begins; empty: that says nothing."""
    return {"i": "input", "o": "output"}.get(pin.name.lower().partition("_")[0], "") if "_" in pin.name else ""


def _parsed(pins: Iterable[Pin], naming: Naming, bus: type[Bundle]) -> Iterator[tuple[_Key, str, Pin]]:
    """Prefix and index, role and port, of the ports that a naming fits."""
    rest = rf"(?P<role>{naming.roles}){_TAIL}"
    pattern = re.compile(rf"^(?P<prefix>{naming.prefix}){rest}", re.IGNORECASE)
    # Other readings: with a letter more in the prefix.
    letter = re.compile(rf"^(?P<prefix>{naming.prefix.replace('??', '')}){rest}", re.IGNORECASE)
    pins = list(pins)
    lead = _SIDED if naming.sided and all(_goes(p) == p.way for p in pins if _goes(p)) else ""

    def readings(name: str) -> Iterator[tuple[_Key, str]]:
        for match in filter(None, (one.match(name) for one in dict.fromkeys((pattern, letter)))):
            key = (re.sub(lead, "", match["prefix"].lower()).strip("_"), match["index"] or "")
            yield key, _role(match["role"].lower(), naming, bus)

    read = {pin.name: list(readings(_CAMEL.sub("_", pin.name) if naming.loose else pin.name)) for pin in pins}
    # Most others have the prefix, too: `i_wdata` beside `i_wcyc` is the data of `w`.
    common = Counter(key for found in read.values() for key in {key for key, _ in found})
    for pin in pins:
        if read[pin.name]:
            key, role = max(read[pin.name], key=lambda one: common[one[0]])
            yield key, role, pin


def _uncross(gathered: Mapping[_Key, dict[str, list[Pin]]]) -> None:
    """Give the readies of ``i_valid``, ``o_ready`` and ``o_valid``, ``i_ready`` to the valids that they answer."""
    wrong: dict[str, list[dict[str, list[Pin]]]] = {"input": [], "output": []}
    for roles in gathered.values():
        pair = [*roles.get("tvalid", ()), *roles.get("tready", ())]
        if len(pair) == 2 and pair[0].way == pair[1].way and pair[0].way in wrong and "tdata" in roles:
            wrong[pair[0].way].append(roles)
    if len(wrong["input"]) == len(wrong["output"]) == 1:
        (one,), (other,) = wrong.values()
        one["tready"], other["tready"] = other["tready"], one["tready"]


def _joined(found: Iterable[tuple[_Key, PinGroup]], left: dict[str, Pin]) -> list[PinGroup]:
    """The groups with ports of the same prefix that another naming of the same bus calls, as ``s_last`` beside ``s_tdata``."""
    loose = [(naming, buses) for naming, buses in _namings().items() if naming.loose]
    whole = []
    for key, group in found:
        roles = dict(group.pins)
        mine = [(naming, bus) for naming, buses in loose for bus in buses if bus in group.buses and key[0]]
        for naming, bus in mine:
            inward = _inward(roles, bus)
            for (prefix, index), role, pin in _parsed(list(left.values()), naming, bus):
                same = prefix.replace("_", "") == key[0].replace("_", "") and index == key[1]
                fits = (pin.way == "input") == (inward != (role in bus.spec.from_slave))
                if same and fits and role not in roles and role in bus.spec.roles:
                    roles[role] = left.pop(pin.name)
        whole.append(PinGroup(group.name, group.buses, roles))
    return whole


def _inward(roles: Mapping[str, Pin], bus: type[Bundle]) -> bool:
    """Whether the asking side of a group is outside."""
    return any(pin.way == "input" and role not in bus.spec.from_slave for role, pin in roles.items())


_GENERIC = frozenset({"clk", "clock", "aclk", "rst", "reset", "aresetn", "rstn", "n", "axis", "axi", "axil", *SIDES})


def affinity(one: str, other: str) -> int:
    """How much two names have in common: shared words that mean something, and a shared beginning."""
    first, second = name_words(one), name_words(other)
    shared = len((set(first) & set(second)) - _GENERIC)
    # s_clk and s_axis share the side; saclk and s_axis share a letter; m_axi_clk is nearer to m_axi than m_axis_clk is.
    letter = bool(first and second and first[0][0] == second[0][0] and first[0] not in _GENERIC)
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))))
    return 4 * shared + 2 * start + letter
