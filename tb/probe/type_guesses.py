# SPDX-License-Identifier: Apache-2.0
"""Types for the type parameters of a top module, by the names that are usual for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

_ADDRESS = (
    "{id} id; {address} addr; logic [7:0] len; logic [2:0] size; logic [1:0] burst; logic lock; logic [3:0] cache; "
    "logic [2:0] prot; logic [3:0] qos; logic [3:0] region;"
)
_FULL = {
    "aw": f"{_ADDRESS} logic [5:0] atop; {{user}} user;",
    "w": "{data} data; {strobe} strb; logic last; {user} user;",
    "b": "{id} id; logic [1:0] resp; {user} user;",
    "ar": f"{_ADDRESS} {{user}} user;",
    "r": "{id} id; {data} data; logic [1:0] resp; logic last; {user} user;",
}
_LITE = {
    "aw": "{address} addr; logic [2:0] prot;",
    "w": "{data} data; {strobe} strb;",
    "b": "logic [1:0] resp;",
    "ar": "{address} addr; logic [2:0] prot;",
    "r": "{data} data; logic [1:0] resp;",
}
_APB = {
    "req": "{address} paddr; logic [2:0] pprot; logic psel; logic penable; logic pwrite; {data} pwdata; {strobe} pstrb;",
    "resp": "logic pready; {data} prdata; logic pslverr;",
}
_RULE = "int unsigned idx; {address} start_addr; {address} end_addr;"
_REQUEST = "{aw} aw; logic aw_valid; {w} w; logic w_valid; logic b_ready; {ar} ar; logic ar_valid; logic r_ready;"
_RESPONSE = "logic aw_ready; logic ar_ready; logic w_ready; logic b_valid; {b} b; logic r_valid; {r} r;"
_CHANNEL = re.compile(r"(?:^|_)(aw|w|b|ar|r)(?:_chan)?$")
_WIDTHS = {"address": 32, "data": 32, "id": 4, "user": 1}
_WIDTH_NAMES = {
    "address": r"(?:addr|address)(?:w|wd|width|bits)$",
    "data": r"data(?:w|wd|width|bits)$",
    "id": r"id(?:w|wd|width|bits)$",
    "user": r"user(?:w|wd|width|bits)$",
}
_STROBES = re.compile(r"(?:strb|strobe)(?:w|wd|width|bits)$")
_ONE_BIT = "logic [0:0]"
_SHORT = {"aw": "address", "dw": "data", "iw": "id", "uw": "user"}
_MEMBERS = (
    (r"addr$", "address"),
    (r"data$", "data"),
    (r"strb$|^be$", "strobe"),
    (r"^a?r?id$", "id"),
    (r"user$", "user"),
    (r"^len$", "logic [7:0]"),
    (r"^size$|prot$", "logic [2:0]"),
    (r"^burst$|^resp$", "logic [1:0]"),
)
"""What members of unknown structs are; others are single bits."""
_LACKS = re.compile(r"no member named '(\w+)' in '(?:(\w+)_gt'|[^']*' \(aka '(\w+)_gt'\))")
_SIDES = {
    "slv": "slv",
    "slave": "slv",
    "s": "slv",
    "sbr": "slv",
    "mst": "mst",
    "master": "mst",
    "m": "mst",
    "mgr": "mst",
}


@dataclass(frozen=True)
class Reading:
    """One way to read names that leave something open.

    Attributes:
        lite: whether requests and channels of a type parameter, by its name, are AXI-Lite's.
        address_channels: channels that are not named are address channels; else vectors.
        own: every request and response is a type of its own, whose name tells the parameter.
        members: type parameter, without its ``_t`` -> what the sources use of it, in place of a bus's channels.
        default: what becomes of a default ``logic`` whose name says a vector: ``kept``, ``indexed`` (as wide as the
            module's own parameters say, or one bit that has an index), ``guessed``.
    """

    lite: Callable[[str], bool]
    address_channels: bool = False
    own: bool = False
    members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    default: Literal["kept", "indexed", "guessed"] = "guessed"


@dataclass(frozen=True)
class TypeGuess:
    """What fills a module's type parameters.

    Attributes:
        types: parameter -> type, as SystemVerilog.
        typedefs: declarations that the types need, in order.
        parameters: widths that the module has no parameter for -> value.
        vectors: those of the types whose width only the name speaks for.
    """

    types: Mapping[str, str] = field(default_factory=dict)
    typedefs: tuple[str, ...] = ()
    parameters: Mapping[str, int] = field(default_factory=dict)
    vectors: tuple[str, ...] = ()


def _stem(name: str) -> str:
    return re.sub(r"_t$", "", name.lower())


def side_of(name: str) -> str:
    """Which side of the module a name speaks of: ``slv``, ``mst``; empty: none."""
    words = re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower().split("_")
    return next((_SIDES[w] for w in words if w in _SIDES), "")


def width_kind(name: str) -> str | None:
    """What a parameter is the width of: ``address``, ``data``, ``id``, ``user``; None: of nothing of a bus."""
    plain = re.sub(r"_", "", name).lower()
    *before, last = name.lower().split("_")
    # BYPASS_AW is of the channel, not of addresses.
    short = _SHORT.get(last) if all(word in _SIDES or word.startswith(("ax", "apb")) for word in before) else None
    return short or next((what for what, pattern in _WIDTH_NAMES.items() if re.search(pattern, plain)), None)


def nearest_width(names: Iterable[str], what: str, side: str) -> str | None:
    """The parameter that says a width of one side's ports, if there is one."""
    fits = [n for n in names if width_kind(n) == what and not re.search(r"(?i)look|max|mem", n)]
    sides = [n for n in fits if side_of(n) == side] or [n for n in fits if not side_of(n)] or fits
    return sides[0] if sides else None


class _Guess:
    def __init__(self, values: Iterable[str], reading: Reading) -> None:
        self.values = list(values)
        self.reading = reading
        self.address_channels = reading.address_channels
        self.lite = reading.lite
        self.slaves = next((v for v in self.values if re.fullmatch(r"(?i)(?:no|num)_?slv_?ports", v)), "")
        if not self.slaves and "Cfg" in self.values:
            self.slaves = "Cfg.NoSlvPorts"
        self.typedefs: dict[str, str] = {}
        self.parameters: dict[str, int] = {}

    def width(self, what: str, side: str) -> str:
        """The parameter that says a width, the nearest one of the module's or a new one."""
        name = nearest_width(self.values, what, side)
        if name is None:
            name = {"address": "ADDR_WIDTH", "data": "DATA_WIDTH", "id": "ID_WIDTH", "user": "USER_WIDTH"}[what]
            self.parameters[name] = _WIDTHS[what]
        if what == "id" and side == "mst" and side_of(name) != "mst" and self.slaves:
            # A multiplexer puts the number of the slave port before the ID.
            return f"{name}+$clog2({self.slaves})"
        return name

    def vectors(self, side: str) -> dict[str, str]:
        data = self.width("data", side)
        return {
            "address": f"logic [{self.width('address', side)}-1:0]",
            "data": f"logic [{data}-1:0]",
            "strobe": f"logic [{data}/8-1:0]",
        }

    def vector(self, kind: str, side: str) -> str:
        """One of them; strobes may have a parameter of their own."""
        own = next((v for v in self.values if kind == "strobe" and _STROBES.search(v.replace("_", "").lower())), None)
        if own is not None:
            return f"logic [{own}-1:0]"
        if kind == "strobe":
            return f"logic [{self.width('data', side)}/8-1:0]"
        return f"logic [{self.width(kind, side)}-1:0]"

    def struct(self, name: str, members: str) -> str:
        self.typedefs.setdefault(name, f"typedef struct packed {{ {members} }} {name};")
        return name

    def used(self, members: Iterable[str], side: str) -> str:
        """Members of a struct that is no bus's, their widths by their names."""
        found = []
        for name in members:
            if name in _FULL:
                found.append(f"{self.channel(name, side, self.lite(name))} {name};")
                continue
            what = next((kind for pattern, kind in _MEMBERS if re.search(pattern, name)), "")
            bits = self.vectors(side).get(what) or (
                f"logic [{self.width(what, side)}-1:0]" if what in _WIDTHS else what
            )
            found.append(f"{bits or 'logic'} {name};")
        return " ".join(found)

    def channel(self, which: str, side: str, lite: bool) -> str:
        kinds = self.vectors(side)
        if not lite:
            kinds |= {what: f"logic [{self.width(what, side)}-1:0]" for what in ("id", "user")}
        prefix = f"{side}_" * bool(side) + "lite_" * lite
        return self.struct(f"{prefix}{which}_chan_gt", (_LITE if lite else _FULL)[which].format(**kinds))

    def fill(self, name: str) -> str | None:
        """The type for one parameter; None: nothing is known of such a name."""
        stem, side = _stem(name), side_of(name)
        if stem in self.reading.members:
            return self.struct(f"{stem}_gt", self.used(self.reading.members[stem], side))
        lite = self.lite(stem)
        words = stem.split("_")
        asks, answers = "req" in words, bool({"resp", "rsp", "res"} & set(words))
        if "apb" in words and (asks or answers):
            way = "req" if asks else "resp"
            return self.struct(f"apb_{way}_gt", _APB[way].format(**self.vectors(side)))
        if asks or answers:
            channels = {c: self.channel(c, side, lite) for c in ("aw", "w", "b", "ar", "r")}
            prefix = f"{side}_" * bool(side) + "lite_" * lite
            members = (_REQUEST if asks else _RESPONSE).format(**channels)
            usual = f"{prefix}{'req' if asks else 'resp'}_gt"
            return self.struct(f"{stem}_gt" if self.reading.own else usual, members)
        match = _CHANNEL.search(stem)
        if match is not None and (stem == match[0] or "chan" in words or "lite" in words or "axi" in words):
            return self.channel(match[1], side, lite)
        if stem == "chan" and self.address_channels:
            return self.channel("aw", side, lite)
        if "rule" in words:
            return self.struct("rule_gt", _RULE.format(**self.vectors(side)))
        for what, kind in (("addr", "address"), ("data", "data"), ("strb", "strobe")):
            if what in words:
                return self.vector(kind, side)
        for what in ("id", "user"):
            if what in words:
                return f"logic [{self.width(what, side)}-1:0]"
        if "select" in words:
            return "logic [1:0]"
        return f"logic [{self.width('data', side)}-1:0]"


def lacking_members(errors: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What the sources use of guessed types and these do not have, by type without its ``_gt``."""
    found: dict[str, list[str]] = {}
    for text in errors:
        for member, plain, alias in _LACKS.findall(text):
            known = found.setdefault(plain or alias, [])
            known += [member] if member not in known else []
    return {name: tuple(members) for name, members in found.items()}


def guess_types(names: Mapping[str, str], values: Iterable[str], reading: Reading) -> TypeGuess:
    """Fill type parameters by their names.

    Args:
        names: the type parameters -> their defaults as written, empty or ``logic``.
        values: names of the value parameters, which may say widths.
        reading: what names leave open.
    """
    guess, types, vectors = _Guess(values, reading), dict[str, str](), list[str]()
    for name, default in names.items():
        alone = _Guess(values, reading)
        kind = alone.fill(name)
        if kind is None:
            continue
        if alone.typedefs or not default or reading.default == "guessed":
            kind = guess.fill(name) or kind
        elif reading.default == "kept":
            continue
        elif alone.parameters:
            kind = _ONE_BIT
        types[name] = kind
        vectors += [] if alone.typedefs else [name]
    return TypeGuess(types, tuple(guess.typedefs.values()), guess.parameters, tuple(vectors))


def only_vectors(names: Iterable[str], values: Iterable[str], reading: Reading) -> bool:
    """Whether the names say no struct: with one, vectors are parts of it, and must be as wide."""
    return not guess_types(dict.fromkeys(names, ""), values, reading).typedefs
