# SPDX-License-Identifier: Apache-2.0
"""Breaks of a design in one simulator, as mutants that a number selects; each run is also one of the sound design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from goldbeat.tb.build.simulator import QUICK, build
from goldbeat.tb.design.case import Case
from goldbeat.tb.design.design import Design
from goldbeat.tb.mutate.campaign import mutated
from goldbeat.tb.mutate.kept import Group, MutantBench, PlannedCase
from goldbeat.tb.mutate.mutant import Mutant, MutantChange, MutatedPlace
from goldbeat.tb.mutate.operators import text_of
from goldbeat.tb.mutate.points import called_by_elaboration, parse_sources
from goldbeat.tb.paths import HDL
from goldbeat.tb.regress.item import Item
from goldbeat.tb.run.runs import Request, predict

_PROCEDURES = {"AlwaysCombBlock", "AlwaysFFBlock", "FunctionDeclaration"}
_VALUES = {"ContinuousAssign": "AssignmentExpression", "NetDeclaration": "EqualsValueClause"}
"""What is assigned all the time, and what stands right above the value."""
_CONNECTION = ("SimpleSequenceExpr",)


def placed(design: Design, edits: Sequence[tuple[str, str, str]]) -> list[Mutant | None]:
    """Edits of one place as mutants; None for one that only elaboration can carry out, as of a parameter.

    Args:
        design: whose RTL it is.
        edits: a file below ``hdl``, a text that occurs once in it, and what stands there instead.
    """
    sources = design.sources()
    tree, _, buffers = parse_sources(sources, include_dirs=design.include_paths())
    fixed = called_by_elaboration(tree.root)
    return [
        _mutant(number, HDL / file, tree.root, buffers[sources.index(HDL / file)].id, (old, new), fixed)
        for number, (file, old, new) in enumerate(edits, 1)
    ]


def _mutant(number: int, path: Path, root: Any, buffer: Any, texts: tuple[str, str], fixed: set[str]) -> Mutant | None:
    data = path.read_bytes()
    first, last, text = _edit(data, *(text.encode() for text in texts))
    spot = _innermost(root, buffer, first, last, fixed)
    if spot is None:
        return None
    node, depth, statement = spot
    start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
    line = 1 + data[:start].count(b"\n")
    place = MutatedPlace(path, start, end, line, 1, data[start:end].decode(), depth, statement)
    whole = (data[start:first] + text + data[last:end]).decode()
    return Mutant(number, place, MutantChange("dropped" if statement else "stuck", whole))


def _edit(data: bytes, old: bytes, new: bytes) -> tuple[int, int, bytes]:
    """The bytes that change, from and up to, and what they become."""
    at = data.index(old)
    head = _equal(old, new)
    tail = _equal(old[head:][::-1], new[head:][::-1])
    return at + head, at + len(old) - tail, new[head : len(new) - tail]


def _equal(one: bytes, other: bytes) -> int:
    """The bytes that are equal at the beginning."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _innermost(root: Any, buffer: Any, first: int, last: int, fixed: set[str]) -> tuple[Any, int, bool] | None:
    """The smallest piece around some bytes that a mutant can replace, its depth, and whether it is a statement."""
    best = None

    def visit(node: Any, depth: int, above: tuple[str, ...]) -> None:
        nonlocal best
        kind, span = node.kind.name, node.sourceRange
        inside = (
            span.start.buffer == span.end.buffer == buffer and span.start.offset <= first and last <= span.end.offset
        )
        if not inside and kind != "CompilationUnit":
            return
        if kind == "FunctionDeclaration" and text_of(node.prototype.name) in fixed:
            return
        if _PROCEDURES & {*above}:
            if kind.endswith("Statement") and kind != "TimingControlStatement":
                best = node, depth, True
        # What is a name alone may be an array, which no condition can choose.
        elif kind != "IdentifierName" and (
            above[-1:] == _CONNECTION or any(_VALUES.get(o) == above[-1] for o in above)
        ):
            best = node, depth, False
        for child in node:
            if hasattr(child, "sourceRange"):
                visit(child, depth + 1, (*above, kind))

    visit(root, 0, ())
    return best


class BreaksBench:
    """The simulator with all breaks of a design for one set of parameter values; a context manager.

    Args:
        design: the sound one.
        mutants: the breaks.
        params: parameter values that differ from the cases'.
        folder: an empty one.
    """

    def __init__(self, design: Design, mutants: Sequence[Mutant], params: Mapping[str, int], folder: Path) -> None:
        sources = folder / "rtl"
        sources.mkdir()
        self._sound, self._params, self._folder = design, params, folder
        self._design = mutated(design, mutants, sources)
        self._groups: list[Group] = []
        self._bench = MutantBench(self._design, self._groups, folder)
        self._planned: dict[tuple[str, int], tuple[int, PlannedCase]] = {}

    def __enter__(self) -> BreaksBench:
        return self

    def __exit__(self, *_: object) -> None:
        self._bench.close()

    def failure(self, mutant: Mutant, case: Case, seed: int) -> str:
        """What the case says of a break, after it has passed without one; empty: it passes with it too."""
        at, planned = self._plan(case, seed)
        for number, group in enumerate(self._groups):
            group.cases = [planned] if number == at else []
        found, _ = self._bench.first_failure(mutant.number)
        return "" if found is None else found.text

    def _plan(self, case: Case, seed: int) -> tuple[int, PlannedCase]:
        if (case.name, seed) not in self._planned:
            request = Request(self._sound, case, (seed,), self._params)
            params = request.all_params
            at = next((n for n, group in enumerate(self._groups) if group.params == params), len(self._groups))
            if at == len(self._groups):
                self._groups.append(Group(params, built=build(self._design, params, quick=QUICK)))
            plan = predict(request, seed)
            key = f"{self._sound.name}/{case.name}#{seed}"
            item = Item(index=0, key=key, design=self._sound.name, case=case.name, seed=seed)
            planned = PlannedCase(item, request, plan, plan.episodes(self._sound))
            self._groups[at].cases = [planned]
            wrong = self._bench.measure(at, planned)
            assert wrong is None, f"{key} fails without a break: {wrong}"
            self._planned[case.name, seed] = at, planned
        return self._planned[case.name, seed]
