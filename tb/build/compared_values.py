# SPDX-License-Identifier: Apache-2.0
"""Values that RTL compares its parameters with: what a mode or a limit may be, its text says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from goldbeat.tb.build.compiling import Compiled
from goldbeat.tb.design.source_text import without_comments

Value = int | str
"""Of a parameter; a text has its quotes."""

_TURNS: Mapping[str, Callable[[int, int], int | None]] = {
    "EqualityExpression": lambda now, other: other,
    "InequalityExpression": lambda now, other: other,
    "LessThanExpression": lambda now, other: other if now < other else other - 1,
    "GreaterThanEqualExpression": lambda now, other: other if now < other else other - 1,
    "LessThanEqualExpression": lambda now, other: other + 1 if now <= other else other,
    "GreaterThanExpression": lambda now, other: other + 1 if now <= other else other,
}
"""Of a parameter and a number, the nearest value of the parameter with which the comparison is otherwise."""
_MIRRORED = {
    "LessThanExpression": "GreaterThanExpression",
    "GreaterThanExpression": "LessThanExpression",
    "LessThanEqualExpression": "GreaterThanEqualExpression",
    "GreaterThanEqualExpression": "LessThanEqualExpression",
}


def compared_values(compiled: Compiled, now: Mapping[str, Value]) -> dict[str, list[Value]]:
    """Other values of parameters with which a comparison of the RTL, or a choice by ``case``, is otherwise.

    A parameter of a module below counts as that of the top if it has its name.

    Args:
        compiled: the sources.
        now: parameters that may be set, and their values.
    """
    found: dict[str, list[Value]] = defaultdict(list)
    numbers = {str(one.name): getattr(one, "value", None) for one in compiled.tops()[0].body.parameters}

    def value_of(text: str) -> Value | None:
        if text.startswith('"'):
            return text
        return constant_of(numbers.get(text)) if text in numbers else _literal(text)

    def look(node: Any) -> None:
        for name, kind, other in _comparisons(node):
            value = value_of(other) if name in now else None
            if isinstance(value, int) and isinstance(now[name], int):
                value = _TURNS[kind](int(now[name]), value)
            if value is not None and type(value) is type(now[name]) and value != now[name] and value not in found[name]:
                found[name].append(value)

    for tree in compiled.compilation.getSyntaxTrees():
        tree.root.visit(look)
    return found


def constant_of(value: Any) -> Value | None:
    """A constant of slang's as an integer, or a text with its quotes; None: it is neither, or bits of it are X."""
    plain = getattr(value, "value", value)
    if isinstance(plain, str):
        return f'"{plain}"'
    try:
        return int(plain)
    except (TypeError, ValueError):
        return None


def _literal(text: str) -> int | None:
    from pyslang.ast import ScriptSession

    value = constant_of(ScriptSession().eval(text)) if text[:1].isdigit() or text[:1] == "'" else None
    return value if isinstance(value, int) else None


def _comparisons(node: Any) -> Iterator[tuple[str, str, str]]:
    """A name, the comparison, and the text of what the name is compared with."""
    kind = str(node.kind).rpartition(".")[2]
    if kind in _TURNS:
        left, right = _text(node.left), _text(node.right)
        yield left, kind, right
        yield right, _MIRRORED.get(kind, kind), left
    elif kind in ("CaseGenerate", "CaseStatement"):
        chooser = _text(node.condition if kind == "CaseGenerate" else node.expr)
        for item in node.items:
            for label in getattr(item, "expressions", ()):
                yield chooser, "EqualityExpression", _text(label)


def _text(node: Any) -> str:
    return without_comments(str(node)).strip()
