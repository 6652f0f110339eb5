# SPDX-License-Identifier: Apache-2.0
"""Mutants of whole statements: assignments that are left out or late, and arms of a case that exchange their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from goldbeat.tb.mutate.mutant import LateAssignment, MutantChange, MutatedPlace
from goldbeat.tb.mutate.operators import text_of

CLOCKED = "AlwaysFFBlock"
BLOCKS = (CLOCKED, "AlwaysBlock")
NONBLOCKING = "NonblockingAssignmentExpression"

Place = Callable[[Any], MutatedPlace | None]


def changed_statement(node: Any, block: str, *, reset: bool, place: Place) -> Iterator[MutantChange]:
    """What becomes of a statement.

    Args:
        node: a statement of ``pyslang``.
        block: kind of the block that it is in; empty: none.
        reset: it is in the branch of the reset.
        place: gives the place of a statement.
    """
    if node.kind.name != "ExpressionStatement" or not block:
        return
    assigns = node.expr.kind.name == NONBLOCKING
    if not assigns and not _is_arm(node):
        return
    reached = "1'b1"
    if assigns:
        target, value = text_of(node.expr.left), text_of(node.expr.right)
        if "'{" not in value and "{" not in target:
            reached = f"({value}) !== ({target})"
    yield MutantChange("dropped", "", reached=reached)
    # One cycle later the reset is still there.
    if assigns and not reset and (whole := _clocked_statement(node)) is not None:
        around = place(whole)
        plain = node.expr.left.kind.name in ("IdentifierName", "ScopedName") and "[" not in target
        if plain and around is not None and node.expr.right.kind.name != "TimingControlExpression":
            yield MutantChange("delayed", "", reached=reached, late=LateAssignment(target, value, around))


def _clocked_statement(node: Any) -> Any:
    """The statement of the clocked block around it; None: there is no such block."""
    above = node.parent
    while above is not None and above.kind.name not in BLOCKS:
        above = above.parent
    timed = None if above is None else above.statement
    if timed is None or timed.kind.name != "TimingControlStatement" or "edge" not in text_of(timed.timingControl):
        return None
    return timed.statement


def exchanged_arms(node: Any, place: Place) -> Iterator[tuple[MutatedPlace, MutantChange]]:
    """Arms of a case beside each other that take each other's first label.

    Args:
        node: a ``CaseStatement``.
        place: gives the place of an expression.
    """
    if node.kind.name != "CaseStatement" or text_of(node.matchesOrInside):
        return
    arms = [item for item in node.items if item.kind.name == "StandardCaseItem"]
    looked = text_of(node.expr)
    for one, other in pairwise(arms):
        first, second = (next(e for e in arm.expressions if hasattr(e, "sourceRange")) for arm in (one, other))
        # A wildcard must stand in a label itself, not in what chooses one.
        if text_of(one.clause) == text_of(other.clause) or any(_is_wild(node, e) for e in (first, second)):
            continue
        here, there = place(first), place(second)
        if here is not None and there is not None:
            reached = f"({looked}) === ({here.text}) || ({looked}) === ({there.text})"
            yield here, MutantChange("case arm", there.text, reached=reached, also=(there, here.text))


def _is_wild(node: Any, label: Any) -> bool:
    return text_of(node.caseKeyword) != "case" and any(c in text_of(label) for c in "?xXzZ")


def _is_arm(node: Any) -> bool:
    return node.parent is not None and node.parent.kind.name == "StandardCaseItem"
