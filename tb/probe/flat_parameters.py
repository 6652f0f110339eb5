# SPDX-License-Identifier: Apache-2.0
"""The parameters of a flat wrapper: those of the module, and those of its interfaces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from goldbeat.tb.build.compiling import is_reserved_word
from goldbeat.tb.design.source_text import without_comments
from goldbeat.tb.probe.leaves import reachable_name
from goldbeat.tb.probe.type_guesses import nearest_width, side_of, width_kind
from goldbeat.tb.probe.value_guesses import WORD_BITS, guess_struct, guess_value

_WORD = re.compile(r"(?<![\w$'.:])(?!\d)[A-Za-z_]\w*(?!\w*::)(?![\w]*')")
_QUALIFIED = re.compile(r"\b[A-Za-z_]\w*::[A-Za-z_]\w*")


def plain(syntax: Any) -> str:
    """Source text without comments and line breaks."""
    return " ".join(without_comments(str(syntax)).split()) if syntax is not None else ""


def words(text: str) -> set[str]:
    """The names that an expression needs from where it stands."""
    bare = re.sub(
        r'"[^"]*"|\'[sS]?[bodhBODH]?[0-9a-fA-FxXzZ_]+|\'\{|\.\w+|\b\w+\s*:(?!:)', " ", _QUALIFIED.sub(" ", text)
    )
    return {w for w in _WORD.findall(bare) if not is_reserved_word(w)}


def renamed(text: str, names: Mapping[str, str]) -> str:
    """An expression with names replaced."""
    return re.sub(r"(?<![\w$'.:])[A-Za-z_]\w*(?!\w*::)", lambda m: names.get(m[0], m[0]), text)


@dataclass
class FlatParameters:
    """What the wrapper declares, in order.

    Attributes:
        declared: name -> type and default.
        of_module: the module's parameters that the wrapper passes on -> the wrapper's.
        of_interface: interface port -> its parameters -> the wrapper's.
        notes: values that were guessed.
        used: overrides that had a place.
    """

    overrides: Mapping[str, str]
    declared: dict[str, tuple[str, str]] = field(default_factory=dict)
    of_module: dict[str, str] = field(default_factory=dict)
    of_interface: dict[str, dict[str, str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    _slaves: str = ""

    def declare(self, name: str, kind: str, value: str) -> None:
        """One more, unless it is there."""
        self.declared.setdefault(name, (kind, value))

    def text(self) -> str:
        """The parameter list, empty where there are none."""
        lines = [
            f"  parameter {kind} {name} = {value}".replace("  ", " ") for name, (kind, value) in self.declared.items()
        ]
        return f" #(\n  {(',' + chr(10) + '  ').join(line.strip() for line in lines)}\n)" if lines else ""

    def add_module(self, parameters: Iterable[Any]) -> None:
        """The module's own."""
        for one in parameters:
            if one.isLocalParam or not hasattr(one, "value"):
                continue
            given = self.overrides.get(one.name)
            if given is not None:
                self.used.add(one.name)
            entry = self._entry(one, {n: n for n in self.declared}, given)
            if entry is not None:
                self.declare(one.name, *entry)
                self.of_module[one.name] = one.name

    def add_interface(self, port: str, prefix: str, instance: Any, count: str) -> None:
        """Those of the interface that a port is connected to; ``count``: how many there are, where a parameter says it."""
        names: dict[str, str] = {}
        for one in instance.body.parameters:
            if one.isLocalParam or not hasattr(one, "value"):
                continue
            name = f"{prefix}_{one.name}" if prefix else one.name
            same = self._same(one, prefix)
            if same is not None and name not in self.overrides:
                names[one.name] = same
                continue
            given = self.overrides.get(name, self.overrides.get(one.name))
            self.used |= {name, one.name} & self.overrides.keys()
            entry = self._entry(one, names, given if given is not None else self._wider(one, prefix, count))
            if entry is not None:
                self.declare(name, *entry)
                names[one.name] = name
        self.of_interface[port] = names

    def _same(self, one: Any, prefix: str) -> str | None:
        """The module's parameter that an interface's must agree with: one of the same name, or that side's width."""
        what = width_kind(one.name)
        if one.name in self.of_module or what is None or _unset(_written(one)) is None:
            return one.name if one.name in self.of_module else None
        return nearest_width(self.of_module, what, side_of(prefix))

    def _wider(self, one: Any, prefix: str, count: str) -> str | None:
        """The ID width of a master that several slaves share: theirs, and the number of the slave."""
        if width_kind(one.name) != "id":
            return None
        if side_of(prefix) == "slv" and count:
            self._slaves = f"{prefix}_{one.name} + $clog2({count})"
        return self._slaves if side_of(prefix) == "mst" and self._slaves else None

    def _entry(self, one: Any, names: Mapping[str, str], given: str | None) -> tuple[str, str] | None:
        """Type and default of a parameter; None: it cannot be passed on."""
        if getattr(one.syntax, "dimensions", None):
            return None
        kind = plain(one.declaredType.typeSyntax)
        # A range that depends on a member of another parameter is beyond Verilator.
        if words(kind) - names.keys() or "." in kind:
            return None
        text = given if given is not None else self._default(one, names)
        return None if text is None else (renamed(kind, names), text)

    def _default(self, one: Any, names: Mapping[str, str]) -> str | None:
        written = _written(one)
        guess = self._guess(one, written)
        if guess is not None:
            return guess
        if written and not words(written) - names.keys():
            return renamed(written, names)
        return constant(one)

    def _guess(self, one: Any, written: str) -> str | None:
        unset = _unset(written)
        if unset is None:
            return None
        if type(one.type.canonicalType).__name__ == "PackedStructType":
            guess = guess_struct(one.type)
        else:
            value = guess_value(one.name) if one.type.isIntegral and one.type.bitWidth >= WORD_BITS else None
            # A count may be 1, a vector of data hardly.
            known = value is not None and (unset != "1" or value == WORD_BITS)
            guess = str(value) if known else None
        if guess is not None:
            why = f"its default is {written}" if written else "it has no default"
            note = f"parameter {one.name}: {guess}, guessed from its name, as {why}"
            if note not in self.notes:
                self.notes.append(note)
        return guess


def _written(one: Any) -> str:
    """The default of a parameter as it stands."""
    return plain(getattr(one.syntax.initializer, "expr", None)) if one.syntax.initializer is not None else ""


def _unset(written: str) -> str | None:
    """Zeroes, ``1`` or nothing, if that is all that a default says."""
    match = re.fullmatch(r"(?:(?:\d*'[sS]?[bdhoBDHO]?)?(0+|1))?", re.sub(r"[\s_]", "", written))
    return None if match is None else (match[1] or "")


def constant(one: Any) -> str | None:
    """The value of a parameter as a literal; None: it has none."""
    value = one.value.value
    if isinstance(value, str):
        return f'"{value}"'
    if type(value).__name__ != "SVInt" or value.hasUnknown:
        return None
    number, bits = int(value), one.type.bitWidth
    if type(one.type.canonicalType).__name__ == "EnumType":
        # Names of its values may be out of reach where its own name is not.
        name = reachable_name(one.type)
        return f"{name}'({number})" if name else None
    if bits == WORD_BITS and one.type.isSigned:
        return str(number)
    return f"{bits}'h{number & ((1 << bits) - 1):x}"
