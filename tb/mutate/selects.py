# SPDX-License-Identifier: Apache-2.0
"""Bit and part selects that are off by one, or one bit narrower, as far as what elaboration knows allows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from goldbeat.tb.mutate.operators import text_of

NAMES = ("IdentifierSelectName", "ScopedName", "MemberAccessExpression", "ElementSelectExpression")
"""Syntax whose outermost piece is what a select reads."""
_PASSED_ON = ("SimplePropertyExpr", "SimpleSequenceExpr", "ConcatenationExpression", "ParenthesizedExpression")
_CONNECTIONS = ("NamedPortConnection", "OrderedPortConnection")


@dataclass(frozen=True)
class _Known:
    """What elaboration says of a select in one instance.

    Attributes:
        low, high: of the range that it selects from.
        ends: the numbers in it; None for one that is known only while the design runs.
        whole: it gives a plain number, not an array.
    """

    low: int
    high: int
    ends: tuple[int | None, ...]
    whole: bool


class SelectTable:
    """The selects of elaborated RTL.

    Args:
        tree: of all files; what does not elaborate has no selects in the table.
    """

    def __init__(self, tree: Any) -> None:
        import pyslang

        self._known: dict[tuple[Any, int], list[_Known]] = {}
        compilation = pyslang.ast.Compilation()
        compilation.addSyntaxTree(tree)
        compilation.getRoot().visit(self._note)

    def _note(self, node: Any) -> None:
        kind = getattr(getattr(node, "kind", None), "name", "")
        if kind not in ("ElementSelect", "RangeSelect") or not node.value.type.hasFixedRange:
            return
        parts = (node.selector,) if kind == "ElementSelect" else (node.left, node.right)
        bounds = node.value.type.fixedRange
        end = node.sourceRange.end
        known = _Known(
            min(bounds.left, bounds.right),
            max(bounds.left, bounds.right),
            tuple(None if p.constant is None else int(p.constant.value) for p in parts),
            node.type.isIntegral,
        )
        self._known.setdefault((end.buffer, end.offset), []).append(known)

    def others(self, select: Any) -> Iterator[str]:
        """What may stand in place of a select, its brackets included.

        Args:
            select: an ``ElementSelect`` of the syntax.
        """
        end = select.sourceRange.end
        known = self._known.get((end.buffer, end.offset))
        if not known or select.selector is None:
            return
        kind = select.selector.kind.name
        if kind == "BitSelect":
            yield from _element(text_of(select.selector.expr), known)
        elif all(one.whole for one in known):
            yield from _range(kind, text_of(select.selector.left), text_of(select.selector.right), known)

    def is_variable(self, select: Any) -> bool:
        """Whether it selects an element that is known only while the design runs."""
        end = select.sourceRange.end
        known = self._known.get((end.buffer, end.offset), ())
        return bool(known) and all(one.ends == (None,) and one.high > one.low for one in known)


def _step(lows: list[int | None], highs: list[int | None], known: list[_Known]) -> str | None:
    """How far a select of these places can be shifted in every instance: one up, or else one down."""
    pairs = list(zip(lows, highs, known, strict=True))
    if all(high is None or high + 1 <= one.high for _, high, one in pairs):
        return "+ 1"
    if all(low is not None and low - 1 >= one.low for low, _, one in pairs):
        return "- 1"
    return None


def _element(text: str, known: list[_Known]) -> Iterator[str]:
    places = [one.ends[0] for one in known]
    if all(one.high > one.low for one in known) and (step := _step(places, places, known)):
        yield f"[({text}) {step}]"


def _range(kind: str, left: str, right: str, known: list[_Known]) -> Iterator[str]:
    firsts, seconds = ([one.ends[n] for one in known] for n in (0, 1))
    if kind == "SimpleRangeSelect":
        both = [(f, s) for f, s in zip(firsts, seconds, strict=True) if f is not None and s is not None]
        if len(both) < len(known):
            return
        if step := _step([min(b) for b in both], [max(b) for b in both], known):
            yield f"[({left}) {step}:({right}) {step}]"
        if all(f > s for f, s in both):
            yield f"[({left}) - 1:{right}]"
        return
    sign = "+:" if kind == "AscendingRangeSelect" else "-:"
    widths = [s for s in seconds if s is not None]
    if len(widths) < len(known):
        return
    spans = [(None, None) if f is None else _span(sign, f, w) for f, w in zip(firsts, widths, strict=True)]
    if step := _step([low for low, _ in spans], [high for _, high in spans], known):
        yield f"[({left}) {step} {sign} {right}]"
    if all(w > 1 for w in widths):
        yield f"[{left} {sign} ({right}) - 1]"


def _span(sign: str, base: int, width: int) -> tuple[int, int]:
    return (base, base + width - 1) if sign == "+:" else (base - width + 1, base)


def is_connected(node: Any) -> bool:
    """Whether it is, unchanged, what a port of an instance is connected to: that may be an output."""
    above = node.parent
    while above is not None and above.kind.name in _PASSED_ON:
        above = above.parent
    return above is not None and above.kind.name in _CONNECTIONS


def selects_of(node: Any) -> Iterator[Any]:
    """The selects in a name, those inside the index of another left out."""
    for child in node:
        if not hasattr(child, "sourceRange"):
            continue
        if child.kind.name == "ElementSelect":
            yield child
        elif child.kind.name in (*NAMES, "ConcatenationExpression"):
            yield from selects_of(child)
