# SPDX-License-Identifier: Apache-2.0
"""Sources as Yosys can read them: what simulators accept and its reader refuses is written otherwise, in copies.

Arms that constants never take become empty where a range in them is turned round. Non-blocking assignments of ``initial`` blocks
become blocking ones: nothing runs beside them. Bits that nothing but an asynchronous reset writes, which the reader takes as
undriven, keep their value by an assignment to themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import GoldbeatError
from goldbeat.tb.build.comparisons import instances_below, slang_design
from goldbeat.tb.build.compiling import symbol_kind
from goldbeat.tb.build.settled import own_members
from goldbeat.tb.design.design import Design

_FOLDER = "readable"


def readable_sources(design: Design, params: Mapping[str, Any], folder: Path) -> list[Path]:
    """A design's sources, with copies in place of those that need an edit; as they are where slang cannot read them.

    Lines keep their numbers and files their names, so that what is said of a copy is said of its source.

    Args:
        design: whose.
        params: of its top module.
        folder: of the copies.
    """
    sources = design.sources()
    try:
        compiled = slang_design(design, params)
        edits = _Edits(compiled.manager)
        for top in compiled.tops():
            edits.visit(top.body)
    except GoldbeatError:
        return sources
    made: list[Path] = []
    for number, path in enumerate(sources):
        before = path.read_bytes()
        after = edits.made(str(path), compiled.edited.get(str(path), before))
        made.append(path if after == before else _copy(path, number, after, folder))
    return made


def _copy(path: Path, number: int, text: bytes, folder: Path) -> Path:
    # Two sources may have one name.
    copy = folder / _FOLDER / str(number) / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(f'`line 1 "{path}" 0\n'.encode() + text)
    return copy


class _Edits:
    """Non-blocking assignments of ``initial`` blocks, and registers that asynchronous resets write.

    Args:
        manager: slang's, of the sources.
    """

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._assignments: set[tuple[str, int, int]] = set()
        # Of each branch without the reset: offsets of the names that keep their value. An absent branch has no length.
        self._kept: dict[tuple[str, int, int], list[tuple[int, int]]] = {}

    def visit(self, body: Any) -> None:
        """Read a module and those below it."""
        for member in own_members(body):
            if symbol_kind(member) != "ProceduralBlock":
                continue
            if member.procedureKind.name == "Initial":
                member.visit(self._look)
            elif (reset := _asynchronous_reset(member.body)) is not None:
                self._keep(reset)
        for inner in instances_below(body):
            self.visit(inner.body)

    def made(self, file: str, text: bytes) -> bytes:
        """The text of a file with other assignments in their place."""
        changed = bytearray(text)
        for _, begin, end in (one for one in self._assignments if one[0] == file):
            changed[begin:end] = changed[begin:end].replace(b"<=", b"= ", 1)
        inserted: list[tuple[int, bytes]] = []
        for (where, begin, end), names in self._kept.items():
            if not names:
                continue
            kept = b"".join(b"%b <= %b; " % (text[a:b], text[a:b]) for a, b in sorted(names))
            if where == file and begin == end:
                inserted.append((end, b" else begin " + kept + b"end"))
            elif where == file:
                inserted += [(begin, b"begin " + kept), (end, b" end")]
        for place, words in sorted(inserted, reverse=True):
            changed[place:place] = words
        return bytes(changed)

    def _look(self, node: Any) -> None:
        if symbol_kind(node) == "Assignment" and node.isNonBlocking:
            start, end = node.left.sourceRange.end, node.right.sourceRange.start
            if start.buffer == end.buffer and not self._manager.isMacroLoc(start):
                self._assignments.add((self._manager.getFileName(start), start.offset, end.offset))

    def _keep(self, reset: Any) -> None:
        """Note what an ``if`` of an asynchronous reset writes, and the other branch in parts only."""
        end = reset.sourceRange.end
        begin = end if reset.ifFalse is None else reset.ifFalse.sourceRange.start
        key = (self._manager.getFileName(end), begin.offset, end.offset)
        if key in self._kept:
            return
        others = set() if reset.ifFalse is None else {str(one.syntax).strip() for one in _targets(reset.ifFalse)}
        names = [one.sourceRange for one in _targets(reset.ifTrue) if str(one.syntax).strip() not in others]
        places = [begin, end, *(place for one in names for place in (one.start, one.end))]
        safe = not any(self._manager.isMacroLoc(one) or one.buffer != end.buffer for one in places)
        self._kept[key] = [(one.start.offset, one.end.offset) for one in names] if safe else []


def _asynchronous_reset(body: Any) -> Any:
    """The ``if`` of a block that two edges start; None: it has none."""
    if symbol_kind(body) != "Timed" or symbol_kind(body.timing) != "EventList":
        return None
    statement = body.stmt
    while symbol_kind(statement) == "Block":
        statement = statement.body
    return statement if symbol_kind(statement) == "Conditional" else None


def _targets(statement: Any) -> list[Any]:
    """What a statement assigns to without blocking: whole variables and members of them."""
    found: list[Any] = []

    def look(node: Any) -> None:
        if symbol_kind(node) == "Assignment" and node.isNonBlocking:
            parts = node.left.operands if symbol_kind(node.left) == "Concatenation" else [node.left]
            found.extend(one for one in parts if symbol_kind(one) in ("NamedValue", "MemberAccess"))

    statement.visit(look)
    return found
