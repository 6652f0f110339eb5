# SPDX-License-Identifier: Apache-2.0
"""What port names say: bundle and role, clock, reset and its polarity."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from goldbeat.tb.design.ports.bundle import Bundle
from goldbeat.tb.design.ports.discovery import common_buses
from goldbeat.tb.design.ports.recognition import Naming, Pin

_TAIL = r"(?:_?(?P<index>\d+))?(?:_(?:i|o|in|out|ni|no))?$"
_SIDES = frozenset({"i", "o", "in", "out", "ip", "op"})
_CLOCK = re.compile(r"(?:[a-z]*clk|clock|ck)\d*$")
_RESET = re.compile(r"(?:n|[aphgs]|sys|core|ap|por|glb)?(?:rst|reset)(?:n|b)?\d*$")
_ENABLE = re.compile(r"(?:clk_?en|clock_enable|ce|cen|en|ena|enable|aclken)$")


@dataclass(frozen=True)
class PinGroup:
    """Ports whose names share everything but the role.

    Attributes:
        name: what the bundle will be called, in lower case.
        buses: those whose signals have such names.
        pins: the ports by role, as the bus has it.
    """

    name: str
    buses: tuple[type[Bundle], ...]
    pins: Mapping[str, Pin]


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
        first = {role: pins[0] for role, pins in roles.items()}
        halves: dict[str, dict[str, Pin]] = {"in": {}, "out": {}}
        for role, pins in roles.items():
            for pin in pins:
                inward = (pin.way == "input") != (role in bus.spec.from_slave)
                halves["in" if inward else "out"].setdefault(role, pin)
        whole = {side: half for side, half in halves.items() if any(e <= half.keys() for e in naming.enough)}
        if len(whole) == len(halves):
            yield from ((key, side, half) for side, half in whole.items())
        elif any(enough <= first.keys() for enough in naming.enough):
            yield key, "", first


def groups(pins: Iterable[Pin]) -> list[PinGroup]:
    """The bundles that names speak of, most telling convention first; no port is in two of them."""
    left = {p.name: p for p in pins}
    taken: Counter[str] = Counter()
    found = []
    for naming, buses in _namings().items():
        pattern = re.compile(rf"^(?P<prefix>{naming.prefix})(?P<role>{naming.roles}){_TAIL}", re.IGNORECASE)
        gathered: dict[tuple[str, str], dict[str, list[Pin]]] = {}
        for pin in left.values():
            match = pattern.match(pin.name)
            if match is None:
                continue
            key = (match["prefix"].lower().strip("_"), match["index"] or "")
            role = _role(match["role"].lower(), naming, buses[0])
            gathered.setdefault(key, {}).setdefault(role, []).append(pin)
        for (prefix, index), side, roles in _sides(gathered, naming, buses[0]):
            name = _bundle_name(naming, prefix, index, side)
            taken[name] += 1
            found.append(PinGroup(name if taken[name] == 1 else f"{name}_{taken[name]}", tuple(buses), roles))
            for pin in roles.values():
                left.pop(pin.name)
    return found


def _tokens(name: str) -> list[str]:
    return [t for t in re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_") if t]


def is_clock(name: str) -> bool:
    """Whether a name is a clock's."""
    tokens = [t for t in _tokens(name) if t not in _SIDES]
    return bool(tokens) and (bool(_CLOCK.match(tokens[-1])) or (tokens[0] in ("clk", "clock") and len(tokens) == 2))


def is_reset(name: str) -> bool:
    """Whether a name is a reset's."""
    tokens = _tokens(name)
    while tokens and (tokens[-1] in _SIDES or tokens[-1] in ("n", "ni", "nin", "b", "l", "neg")):
        tokens.pop()
    return bool(tokens) and bool(_RESET.match(tokens[-1]) or _RESET.match(tokens[0]))


def low_by_name(name: str) -> bool:
    """Whether a reset's name says that it is active low."""
    tokens = _tokens(name)
    while tokens and tokens[-1] in _SIDES:
        tokens.pop()
    if not tokens:
        return False
    if tokens[-1] in ("n", "ni", "nin", "b", "l", "neg"):
        return True
    word = next((t for t in tokens if _RESET.match(t)), tokens[-1]).rstrip("0123456789")
    return word.endswith(("rstn", "resetn", "rstb", "resetb")) or word in ("nrst", "nreset")


def is_enable(name: str) -> bool:
    """Whether a name is an enable's, which does nothing useful at 0."""
    tokens = [t for t in _tokens(name) if t not in _SIDES]
    return bool(tokens) and bool(_ENABLE.match(tokens[-1]) or _ENABLE.match("_".join(tokens[-2:])))


def is_ready(name: str) -> bool:
    """Whether a name is a ready's, without which whoever offers something waits for ever."""
    tokens = [t for t in _tokens(name) if t not in _SIDES]
    return bool(tokens) and tokens[-1] in ("ready", "rdy")


_GENERIC = frozenset({"clk", "clock", "aclk", "rst", "reset", "aresetn", "rstn", "n", "axis", "axi", "axil", *_SIDES})


def affinity(one: str, other: str) -> int:
    """How much two names have in common: shared words that mean something, and a shared beginning."""
    first, second = _tokens(one), _tokens(other)
    shared = len((set(first) & set(second)) - _GENERIC)
    # s_clk and s_axis share the side; saclk and s_axis share a letter; m_axi_clk is nearer to m_axi than m_axis_clk is.
    letter = bool(first and second and first[0][0] == second[0][0] and first[0] not in _GENERIC)
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))))
    return 4 * shared + 2 * start + letter
