# SPDX-License-Identifier: Apache-2.0
"""Sources as Yosys can read them: what simulators accept and its reader refuses is written otherwise, in copies.

Arms that constants never take become empty where a range in them is turned round. Non-blocking assignments of ``initial`` blocks
become blocking ones: nothing runs beside them.
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
        blocks = _InitialBlocks(compiled.manager)
        for top in compiled.tops():
            blocks.visit(top.body)
    except GoldbeatError:
        return sources
    made: list[Path] = []
    for number, path in enumerate(sources):
        before = path.read_bytes()
        after = blocks.made_blocking(str(path), compiled.edited.get(str(path), before))
        made.append(path if after == before else _copy(path, number, after, folder))
    return made


def _copy(path: Path, number: int, text: bytes, folder: Path) -> Path:
    # Two sources may have one name.
    copy = folder / _FOLDER / str(number) / path.name
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(f'`line 1 "{path}" 0\n'.encode() + text)
    return copy


class _InitialBlocks:
    """Non-blocking assignments of ``initial`` blocks.

    Args:
        manager: slang's, of the sources.
    """

    def __init__(self, manager: Any) -> None:
        self._manager = manager
        self._assignments: set[tuple[str, int, int]] = set()

    def visit(self, body: Any) -> None:
        """Read a module and those below it."""
        for member in own_members(body):
            if symbol_kind(member) == "ProceduralBlock" and member.procedureKind.name == "Initial":
                member.visit(self._look)
        for inner in instances_below(body):
            self.visit(inner.body)

    def made_blocking(self, file: str, text: bytes) -> bytes:
        """The text of a file with other assignments in their place."""
        changed = bytearray(text)
        for _, begin, end in (one for one in self._assignments if one[0] == file):
            changed[begin:end] = changed[begin:end].replace(b"<=", b"= ", 1)
        return bytes(changed)

    def _look(self, node: Any) -> None:
        if symbol_kind(node) == "Assignment" and node.isNonBlocking:
            start, end = node.left.sourceRange.end, node.right.sourceRange.start
            if start.buffer == end.buffer and not self._manager.isMacroLoc(start):
                self._assignments.add((self._manager.getFileName(start), start.offset, end.offset))
