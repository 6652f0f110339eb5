# SPDX-License-Identifier: Apache-2.0
"""Loops of a program in text without an end: in one it may wait for ever when the host has all that it asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.plan.access import MANY


def while_is_endless(op: MlirOp, env: Mapping[str, Any]) -> bool:
    """``scf.while`` whose condition counts to no end."""
    inside = [o for block in op.regions[0] for o in block.ops]
    condition = next((o.operands[0] for o in inside if o.name == "scf.condition"), None)
    carried = {*op.operands[::2], *(name for block in op.regions[0] for name in block.arguments)}
    return condition is None or not _counts(condition, inside, carried, env)


def branches_endlessly(blocks: Sequence[MlirBlock], first: MlirBlock, env: Mapping[str, Any]) -> bool:
    """Blocks from ``first`` on, to which a program has come back: none of their branches counts to an end."""
    loop = [b for b in _reached(blocks, first) if first in _reached(blocks, b)]
    ops = [o for block in loop for o in block.ops]
    carried = {name for block in loop for name in block.arguments}
    labels = {block.label for block in loop}
    leaving = [b.ops[-1] for b in loop if not _targets(b) <= labels or not _targets(b)]
    return not any(o.name != "cf.cond_br" or _counts(o.operands[0], ops, carried, env) for o in leaving)


def _targets(block: MlirBlock) -> set[str]:
    return {t.text for t in block.ops[-1].tokens if t.kind == "block"} if block.ops else set()


def _reached(blocks: Sequence[MlirBlock], start: MlirBlock) -> list[MlirBlock]:
    """The blocks that follow one, in any number of steps."""
    found: list[MlirBlock] = []
    todo = [start]
    while todo:
        labels = _targets(todo.pop())
        new = [b for b in blocks if b.label in labels and b not in found]
        found += new
        todo += new
    return found


def _counts(condition: str, ops: Iterable[MlirOp], carried: set[str], env: Mapping[str, Any]) -> bool:
    """A condition that arithmetic on the loop's own numbers makes false some day; one on data in memory may never be."""
    made = {name: op for op in ops for name in op.results}
    todo, changes = [condition], False
    while todo:
        name = todo.pop()
        value = env.get(name)
        if isinstance(value, int) and value >= MANY:
            return False
        if name in carried:
            changes = True
        elif (op := made.get(name)) is not None:
            if not op.name.startswith("arith."):
                return False
            todo += op.operands
    return changes
