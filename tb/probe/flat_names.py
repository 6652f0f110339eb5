# SPDX-License-Identifier: Apache-2.0
"""What the pins of a flat wrapper are called."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count

from goldbeat.tb.build.compiling import is_reserved_word
from goldbeat.tb.probe.leaves import Compound

_SIDE = re.compile(r"_(?:i|o|in|out|ni|no)$")
_HALVES = frozenset({"req", "reqs", "request", "resp", "resps", "rsp", "rsps", "res", "response"})
_REQUESTS = frozenset({"req", "reqs", "request"})
_CHANNELS = frozenset({"aw", "w", "b", "ar", "r"})
_CHANNEL = re.compile(
    r"(?:(?P<prefix>\w*?)_)?(?P<channel>aw|w|b|ar|r)_(?P<what>chans?|channels?|valids?|ready|readys|readies)$"
)
_WHOLE = ({"aw", "w", "b"}, {"ar", "r"})


class FreeNames:
    """Names that nothing else in a wrapper has.

    Args:
        taken: names that are given.
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def __contains__(self, name: str) -> bool:
        return name not in self._taken and not is_reserved_word(name)

    def release(self, names: Iterable[str]) -> None:
        """Names that nothing has any more."""
        self._taken.difference_update(names)

    def claim(self, wish: str) -> str:
        """The name, with a number behind if it is taken or a reserved word; it is taken from now on."""
        name = next(one for one in chain([wish], (f"{wish}_{n}" for n in count(2))) if one in self)
        self._taken.add(name)
        return name


def _without(name: str, dropped: frozenset[str]) -> str:
    return "_".join(word for word in _SIDE.sub("", name).split("_") if word.lower() not in dropped)


def prefixes(ports: Iterable[Compound]) -> dict[str, str]:
    """The beginning of the pins of every port that has members, by port.

    A request and its response share one, and so do the write and the read half of an interface. ``req_i`` and ``rsp_o`` beside
    ``req_o`` and ``rsp_i`` are a slave's and a master's.
    """
    mine = [p for p in ports if p.joined]
    structs = [p.name for p in mine if p.kind != "interface"]
    asking = [name for name in structs if _HALVES & set(name.lower().split("_"))]
    plain = Counter(_SIDE.sub("", name) for name in asking)
    twins = {p.name: _twin(p) for p in mine if p.name in asking and plain[_SIDE.sub("", p.name)] > 1}
    halves = Counter(_without(name, _HALVES) for name in structs)
    found = {n: _without(n, _HALVES) if halves[_without(n, _HALVES)] > 1 else _SIDE.sub("", n) for n in structs}
    return found | twins | instances([p.name for p in mine if p.kind == "interface"])


def _twin(port: Compound) -> str:
    """The bundle of a request or a response that there is twice: by who asks."""
    asks = bool(_REQUESTS & set(port.name.lower().split("_")))
    inward = asks == (next(port.leaves).way == "input")
    return "_".join(filter(None, (_without(port.name, _HALVES), "slv" if inward else "mst")))


def instances(ports: Sequence[str], others: Collection[str] = ()) -> dict[str, str]:
    """What the interfaces that ports are connected to are called: ``s_axi`` for ``s_axi_wr`` and ``s_axi_rd``.

    Args:
        ports: those that are interfaces.
        others: names that ports and parameters beside them have.
    """
    short = {name: re.sub(r"_(?:wr|rd)$", "", name) for name in ports}
    return {name: one if one not in ports and one not in others else name for name, one in short.items()}


def channels(ports: Iterable[Compound]) -> dict[str, tuple[str, str]]:
    """Ports of single channels of an AXI bundle: ``slv_aw_chans_i``, ``slv_aw_valids_i``, ``slv_aw_readies_o``.

    Returns:
        what a bundle, which has its writes or its reads, is called and what follows, by port: ``slv``, ``awvalid``.
    """
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for port in ports:
        match = _CHANNEL.match(_SIDE.sub("", port.name.lower()))
        if match is None or port.kind != "plain" or port.joined != match["what"].startswith("chan"):
            continue
        what = "" if port.joined else "valid" if match["what"].startswith("valid") else "ready"
        found.setdefault(match["prefix"] or "", {})[port.name] = match["prefix"] or "", match["channel"] + what
    bundles = (one for one in found.values() if any(half <= {c for _, c in one.values()} for half in _WHOLE))
    return {port: names for one in bundles for port, names in one.items()}


def member(path: Sequence[str]) -> str:
    """A member's name as flat ports have it: ``aw.addr`` and ``aw_addr`` are ``awaddr``."""
    parts = "_".join(path).split("_")
    if len(parts) > 1 and parts[0].lower() in _CHANNELS:
        parts[:2] = [parts[0] + parts[1]]
    return "_".join(parts)


def shared_members(port: Compound) -> bool:
    """Whether an interface has two structs and nothing else, one of each direction, whose members have different names.

    They are the two halves of one bundle, as a request and its response are, and their own names part what belongs together.
    """
    ways: dict[str, set[str]] = {}
    inner: list[str] = []
    for leaf in port.leaves:
        ways.setdefault(leaf.path[0] if len(leaf.path) > 1 else "", set()).add(leaf.way)
        inner.append(member(leaf.path[1:]))
    both = sorted("".join(one) for one in ways.values()) == ["input", "output"]
    return port.kind == "interface" and "" not in ways and both and len({*inner}) == len(inner)


def pin_names(ports: Sequence[Compound], free: FreeNames) -> dict[tuple[str, tuple[str, ...]], str]:
    """Names of all pins, by port and path; each is there once.

    Args:
        ports: all of a module; those that are plain keep their names.
        free: the names that pins may have.
    """
    begin, joined = prefixes(ports), channels(ports)
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for port in ports:
        prefix, channel = joined.get(port.name, (begin.get(port.name, ""), ""))
        above = int(shared_members(port))
        for leaf in port.leaves:
            name = port.name
            if leaf.path or channel:
                short = "_".join(filter(None, (prefix, channel + member(leaf.path[above:]))))
                if short in free:
                    name = free.claim(short)
                elif leaf.path:
                    name = free.claim("_".join((port.name, *leaf.path)))
            found[port.name, leaf.path] = name
    return found
