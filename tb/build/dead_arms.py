# SPDX-License-Identifier: Apache-2.0
"""Arms that constants never take, where slang stops at them: in one, these parameter values may turn a range round.

Simulators take such a block. slang and what is built on it read nothing of it, so the arms are emptied and it is read again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_NAME = re.compile(r"(?<![\w'$.])[A-Za-z_]\w*")

Place = tuple[str, int, int]
"""A file, and where in it the text begins and ends, in bytes."""


def without_dead_arms(tops: list[Any], manager: Any) -> dict[str, bytes]:
    """The text of files with blocks that slang does not read to their end, without the arms that are never taken.

    Args:
        tops: instances, with what is below them.
        manager: slang's, of the sources.

    Returns:
        by file; as many bytes and lines as before. Empty where slang reads everything.
    """
    blocks = [(body, block) for top in tops for body, block in _blocks(top.body)]
    stopped = {_place(block.syntax, manager) for _, block in blocks if _is_stopped(block)}
    dead: dict[Place, bool] = {}
    for body, block in blocks if stopped else ():
        if _place(block.syntax, manager) in stopped:
            for arm, never in _arms(block.syntax, _Constants(body)):
                if (place := _place(arm, manager)) is not None:
                    dead[place] = never and dead.get(place, True)
    texts: dict[str, bytearray] = {}
    for file, begin, end in _outermost(place for place, never in dead.items() if never):
        with open(file, "rb") as source:
            text = texts.setdefault(file, bytearray(source.read()))
        lines = text.count(b"\n", begin, end)
        text[begin:end] = b";" + b" " * (end - begin - 1 - lines) + b"\n" * lines
    return {file: bytes(text) for file, text in texts.items()}


def _outermost(places: Iterable[Place]) -> Iterator[Place]:
    """Those within no other."""
    before = ("", 0, 0)
    for place in sorted(places, key=lambda one: (one[0], one[1], -one[2])):
        if place[0] != before[0] or place[1] >= before[2]:
            before = place
            yield place


def _kind(node: Any) -> str:
    return str(node.kind).rpartition(".")[2]


def _blocks(scope: Any, body: Any = None) -> Iterator[tuple[Any, Any]]:
    """The procedural blocks of a module and of those below it, each with the instance that it is in."""
    body = scope if body is None else body
    for member in scope:
        kind = _kind(member)
        if kind in ("GenerateBlock", "GenerateBlockArray", "InstanceArray"):
            if not getattr(member, "isUninstantiated", False):
                yield from _blocks(member, body)
        elif kind == "Instance":
            yield from _blocks(member.body)
        elif kind == "ProceduralBlock":
            yield body, member


def _is_stopped(block: Any) -> bool:
    inside = block.body
    while _kind(inside) == "Timed":
        inside = inside.stmt
    return _kind(inside) == "Invalid"


def _place(node: Any, manager: Any) -> Place | None:
    start, end = node.sourceRange.start, node.sourceRange.end
    if start.buffer != end.buffer or manager.isMacroLoc(start) or manager.isMacroLoc(end):
        return None
    return manager.getFileName(start), start.offset, end.offset


def _arms(block: Any, constants: _Constants) -> Iterator[tuple[Any, bool]]:
    """The arms of each ``if`` in a block's text, and whether constants never take each."""
    from pyslang.syntax import ConditionalStatementSyntax

    found: list[tuple[Any, bool]] = []

    def look(node: Any) -> None:
        if isinstance(node, ConditionalStatementSyntax):
            truth = constants.truth(str(node.predicate))
            found.append((node.statement, truth is False))
            if node.elseClause is not None:
                found.append((node.elseClause.clause, truth is True))

    block.visit(look)
    yield from found


class _Constants:
    """Conditions as they are written, with the values of a module's parameters.

    Args:
        body: of the module.
    """

    def __init__(self, body: Any) -> None:
        values: Mapping[str, Any] = {str(one.name): getattr(one, "value", None) for one in body.parameters}
        self._values = {name: number for name, value in values.items() if (number := _integer(value)) is not None}

    def truth(self, text: str) -> bool | None:
        """What a condition is; None: it names more than parameters."""
        from pyslang.ast import ScriptSession

        if not self._values.keys() >= set(_NAME.findall(text)):
            return None
        value = _integer(ScriptSession().eval(_NAME.sub(lambda match: str(self._values[match[0]]), text)))
        return None if value is None else bool(value)


def _integer(value: Any) -> int | None:
    """A constant as an integer; None: it is none, or bits of it are X."""
    try:
        return int(getattr(value, "value", value))
    except (TypeError, ValueError):
        return None
