# SPDX-License-Identifier: Apache-2.0
"""What port names say: bundle and role, clock, reset and its polarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

from goldbeat.tb.probe.module import Port

_TAIL = r"(?:_?(?P<index>\d+))?(?:_(?:i|o|in|out|ni|no))?$"
_STREAM = "data|keep|strb|last|valid|ready|id|dest|user|wakeup"
_CHANNEL = "id|addr|len|size|burst|lock|cache|prot|qos|region|user|valid|ready"
_AXI = (
    f"aw(?:{_CHANNEL})|ar(?:{_CHANNEL})|w(?:id|data|strb|last|user|valid|ready)"
    "|b(?:id|resp|user|valid|ready)|r(?:id|data|resp|last|user|valid|ready)"
)
_PATTERNS = {
    "stream": re.compile(rf"^(?P<prefix>.*?)_?(?P<role>t(?:{_STREAM})){_TAIL}", re.IGNORECASE),
    "axi": re.compile(rf"^(?P<prefix>.*_|)(?P<role>{_AXI}){_TAIL}", re.IGNORECASE),
    "plain": re.compile(
        rf"^(?P<prefix>.+)_(?P<role>data|keep|last|valid|ready|vld|rdy|id|dest|user){_TAIL}", re.IGNORECASE
    ),
}
_PLAIN = {"vld": "tvalid", "rdy": "tready"}
_SIDES = frozenset({"i", "o", "in", "out", "ip", "op"})
_CLOCK = re.compile(r"(?:[a-z]*clk|clock|ck)\d*$")
_RESET = re.compile(r"(?:n|[aphgs]|sys|core|ap|por|glb)?(?:rst|reset)(?:n|b)?\d*$")
_ENABLE = re.compile(r"(?:clk_?en|clock_enable|ce|cen|en|ena|enable|aclken)$")


@dataclass(frozen=True)
class Group:
    """Ports whose names share everything but the role.

    Attributes:
        protocol: ``stream`` (``tdata``...), ``axi`` (``awaddr``...) or ``plain`` (``data``, ``valid``, ``ready``; a stream).
        name: what the bundle will be called, in lower case.
        ports: by role, in lower case; streams always with their ``t``.
    """

    protocol: str
    name: str
    ports: Mapping[str, Port] = field(default_factory=dict)


def _bundle_name(protocol: str, prefix: str, index: str) -> str:
    name = re.sub(r"[^a-z0-9_]", "_", prefix.lower()).strip("_") or ("axi" if protocol == "axi" else "axis")
    return f"{name}_{index}" if index else name


def groups(ports: Iterable[Port]) -> list[Group]:
    """The bundles that names speak of, most telling convention first; no port is in two of them."""
    left = {p.name: p for p in ports}
    taken: dict[str, int] = {}
    found = []
    for protocol, pattern in _PATTERNS.items():
        gathered: dict[tuple[str, str], dict[str, Port]] = {}
        for port in left.values():
            match = pattern.match(port.name)
            if match is None:
                continue
            role = match["role"].lower()
            if protocol == "plain":
                role = _PLAIN.get(role, f"t{role}")
            key = (match["prefix"].lower().strip("_"), match["index"] or "")
            gathered.setdefault(key, {}).setdefault(role, port)
        for (prefix, index), roles in gathered.items():
            if not _whole(protocol, roles):
                continue
            name = _bundle_name(protocol, prefix, index)
            taken[name] = taken.get(name, 0) + 1
            if taken[name] > 1:
                name = f"{name}_{taken[name]}"
            found.append(Group(protocol, name, roles))
            for port in roles.values():
                left.pop(port.name)
    return found


def _whole(protocol: str, roles: Mapping[str, Port]) -> bool:
    """Enough of a bundle that the name is no accident."""
    if protocol == "stream":
        return {"tdata", "tvalid"} <= roles.keys()
    if protocol == "plain":
        return {"tdata", "tvalid", "tready"} <= roles.keys()
    return {"awaddr", "awvalid"} <= roles.keys() or {"araddr", "arvalid"} <= roles.keys()


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


_GENERIC = frozenset({"clk", "clock", "aclk", "rst", "reset", "aresetn", "rstn", "n", "axis", "axi", "axil", *_SIDES})


def affinity(one: str, other: str) -> int:
    """How much two names have in common: shared words that mean something, and a shared beginning."""
    first, second = _tokens(one), _tokens(other)
    shared = len((set(first) & set(second)) - _GENERIC)
    # s_clk and s_axis share the side; saclk and s_axis share a letter; m_axi_clk is nearer to m_axi than m_axis_clk is.
    letter = bool(first and second and first[0][0] == second[0][0] and first[0] not in _GENERIC)
    start = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))))
    return 4 * shared + 2 * start + letter
