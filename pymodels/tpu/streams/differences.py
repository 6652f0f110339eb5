# SPDX-License-Identifier: Apache-2.0
"""What changed between two streams: commands aligned by operation, then field by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from goldbeat.pymodels.tpu.streams.decode import Commands

_WINDOW = 2_000
"""Commands between two equal ends that are aligned in one go; more are compared in their order."""


@dataclass(frozen=True)
class CommandChange:
    """One difference.

    Attributes:
        what: ``changed``, ``added`` or ``removed``.
        first, second: row in either stream, None where it has none.
        op: the operation; of a changed one that of the second stream.
        fields: name to (value before, value after).
    """

    what: str
    first: int | None
    second: int | None
    op: str
    fields: dict[str, tuple[int, int]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """For machines; rows count from 1."""
        rows = {"first": self.first, "second": self.second}
        places = {name: None if row is None else row + 1 for name, row in rows.items()}
        return {"change": self.what, **places, "operation": self.op, "fields": self.fields}


def _keys(found: Commands) -> list[tuple[int, int]]:
    return list(zip(found.kind.tolist(), found.func.tolist(), strict=True))


def _values(found: Commands, row: int) -> dict[str, int]:
    kind = found.engine.kinds[int(found.kind[row])]
    columns = found.fields(kind, found.rows(kind)[found.rows(kind) == row])
    return {name: int(column[0]) for name, column in columns.items()} | {"id": int(found.id[row])}


def _aligned(one: list[Any], two: list[Any]) -> Iterator[tuple[str, int, int, int, int]]:
    """Runs of two sequences that are equal, or one of which stands for the other."""
    low = 0
    while low < min(len(one), len(two)) and one[low] == two[low]:
        low += 1
    high = 0
    while high < min(len(one), len(two)) - low and one[-1 - high] == two[-1 - high]:
        high += 1
    yield "equal", 0, low, 0, low
    inner = one[low : len(one) - high], two[low : len(two) - high]
    if max(map(len, inner)) > _WINDOW:
        same = min(map(len, inner))
        yield "replace", low, low + same, low, low + same
        yield "delete", low + same, low + len(inner[0]), low + same, low + same
        yield "insert", low + len(inner[0]), low + len(inner[0]), low + same, low + len(inner[1])
    else:
        for tag, a, b, c, d in SequenceMatcher(None, *inner, autojunk=False).get_opcodes():
            yield tag, low + a, low + b, low + c, low + d
    yield "equal", len(one) - high, len(one), len(two) - high, len(two)


def command_changes(one: Commands, two: Commands) -> Iterator[CommandChange]:
    """The differences of two streams of one engine, in the order of the second."""
    for tag, a, b, c, d in _aligned(_keys(one), _keys(two)):
        if tag == "equal":
            for first, second in zip(range(a, b), range(c, d), strict=True):
                if one.raw(first) != two.raw(second):
                    yield _changed(one, two, first, second)
            continue
        for row in range(a, b):
            yield CommandChange("removed", row, None, one.op(row))
        for row in range(c, d):
            yield CommandChange("added", None, row, two.op(row))


def _changed(one: Commands, two: Commands, first: int, second: int) -> CommandChange:
    before, after = _values(one, first), _values(two, second)
    fields = {name: (before[name], after[name]) for name in before if before[name] != after.get(name, 0)}
    return CommandChange("changed", first, second, two.op(second), fields)
