# SPDX-License-Identifier: Apache-2.0
"""The mutants of RTL: where an expression or a statement works while the design runs, and what can be changed there.

What elaboration computes is left out: parameters, dimensions, conditions and loops of generate blocks, headers of loops, and
functions that any of these calls; so are assertions, ``initial`` and ``final`` blocks, what a macro expands to, and what a signal
gets whose name says ``unused``, as Verilator's lint reads it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from goldbeat.pymodels.errors import InputError, ToolError, UsageError
from goldbeat.tb.build.harness import MADE_MARK
from goldbeat.tb.design.design import Design
from goldbeat.tb.extras import install_hint
from goldbeat.tb.mutate.mutant import Mutant, MutantChange, MutatedPlace
from goldbeat.tb.mutate.operators import changes, negated, stuck, text_of, wrong_reset
from goldbeat.tb.mutate.selects import NAMES, SelectTable, is_connected, selects_of
from goldbeat.tb.mutate.statements import BLOCKS, NONBLOCKING, changed_statement, exchanged_arms

_PARTS = {
    # What of a kind works while the design runs; of others, everything does.
    "AssignmentExpression": ("right",),
    "NonblockingAssignmentExpression": ("right",),
    "CastExpression": ("right",),
    "SignedCastExpression": ("inner",),
    "MultipleConcatenationExpression": ("concatenation",),
    "TimingControlStatement": ("statement",),
    "ForLoopStatement": ("statement",),
    "LoopStatement": ("statement",),
    "StandardCaseItem": ("clause",),
    "InsideExpression": ("expr",),
    "LoopGenerate": ("block",),
    "IfGenerate": ("block", "elseClause"),
    "HierarchyInstantiation": ("instances",),
    "HierarchicalInstance": ("connections",),
    "NamedPortConnection": ("expr",),
    "NetDeclaration": ("declarators",),
    "Declarator": ("initializer",),
    "FunctionDeclaration": ("items",),
    "TaskDeclaration": ("items",),
    "ModuleDeclaration": ("members",),
    "PackageDeclaration": ("members",),
}
_STILL = {
    "ElementSelect",
    "ElabSystemTask",
    "ParameterDeclaration",
    "ParameterDeclarationStatement",
    "TypeParameterDeclaration",
    "DataDeclaration",
    "LocalVariableDeclaration",
    "TypedefDeclaration",
    "GenvarDeclaration",
    "PortDeclaration",
    "InitialBlock",
    "FinalBlock",
    "ConcurrentAssertionMember",
    "ImmediateAssertionMember",
    "ConcurrentAssertionStatement",
    "AssertPropertyStatement",
    "AssumePropertyStatement",
    "CoverPropertyStatement",
    "ImmediateAssertStatement",
    "ImmediateAssumeStatement",
    "ImmediateCoverStatement",
    "PropertyDeclaration",
    "SequenceDeclaration",
    "CovergroupDeclaration",
    "ClassDeclaration",
    "BindDirective",
    "DefParam",
    "AssignmentPatternExpression",
    "StreamingConcatenationExpression",
    "DelayedSequenceExpr",
}


def find_mutants(
    files: Sequence[Path], *, include_dirs: Sequence[Path] = (), defines: Sequence[str] = (), only: Sequence[Path] = ()
) -> list[Mutant]:
    """The mutants of RTL, in the order of the files and of their lines.

    Args:
        files: sources, packages first.
        include_dirs: folders for ```include``.
        defines: macros, as ``NAME`` or ``NAME=VALUE``.
        only: the files to change; none: all.

    Raises:
        ToolError: pyslang is not installed.
        InputError: a file does not parse; with file and line.
    """
    tree, manager, buffers = parse_sources(files, include_dirs=include_dirs, defines=defines)
    wanted = {b.id: p for b, p in zip(buffers, files, strict=True) if not only or p in only}
    finder = _Finder(manager, wanted, SelectTable(tree))
    finder.walk(tree.root)
    found = sorted(finder.found, key=lambda one: (files.index(one[0].file), one[0].start, one[0].depth))
    return [Mutant(n, place, made) for n, (place, made) in enumerate(found, 1)]


def mutants_of_design(design: Design, only: Sequence[Path] = ()) -> list[Mutant]:
    """The mutants of a design's sources but those that Goldbeat has made; arguments and errors as :func:`find_mutants` has them."""
    files = design.sources()
    own = [path for path in files if not path.read_text(errors="replace").startswith(MADE_MARK)]
    return find_mutants(files, include_dirs=design.include_paths(), defines=design.macros(), only=only or own)


def draw_mutants(mutants: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, or all where there are no more, in their order."""
    drawn = random.Random(seed).sample(list(mutants), min(count, len(mutants)))
    return sorted(drawn, key=lambda mutant: mutant.number)


def parse_sources(
    files: Sequence[Path], *, include_dirs: Sequence[Path] = (), defines: Sequence[str] = ()
) -> tuple[Any, Any, list[Any]]:
    """RTL as ``pyslang`` has it: the tree of all files, its source manager, and the buffer of each file.

    Args:
        files: sources, packages first.
        include_dirs: folders for ```include``.
        defines: macros, as ``NAME`` or ``NAME=VALUE``.

    Raises:
        ToolError: pyslang is not installed.
        InputError: a file does not parse; with file and line.
    """
    try:
        import pyslang
    except ImportError as error:
        raise ToolError(f"pyslang: {error}; {install_hint('probe')}") from None
    for path in files:
        if not path.is_file():
            raise UsageError(f"no such source file: {path}")
    manager = pyslang.SourceManager()
    preprocessor = pyslang.parsing.PreprocessorOptions()
    preprocessor.predefines = list(defines)
    preprocessor.additionalIncludePaths = [str(d) for d in include_dirs]
    bag = pyslang.Bag()
    bag.preprocessorOptions = preprocessor
    # One unit, as simulators read them: a macro is known in all files behind its definition.
    buffers = [manager.readSource(str(path), None) for path in files]
    tree = pyslang.syntax.SyntaxTree.fromBuffers(buffers, manager, bag)
    _check(tree, manager)
    return tree, manager, buffers


def _check(tree: Any, manager: Any) -> None:
    """Refuse what has no whole tree; an error that leaves nothing out is one that Verilator may accept (``--relaxed``)."""
    for one in tree.diagnostics:
        if one.isError() and not _is_whole(tree.root):
            path, line = manager.getFileName(one.location), manager.getLineNumber(one.location)
            raise InputError(str(one.code), "SystemVerilog that parses", file=path, line=line)


def _is_whole(root: Any) -> bool:
    """Whether the parser has neither made up nor skipped anything."""
    import pyslang

    broken: list[bool] = []

    def look(node: Any) -> None:
        if isinstance(node, pyslang.parsing.Token):
            broken.append(node.isMissing or any(one.kind.name == "SkippedTokens" for one in node.trivia))

    root.visit(look)
    return not any(broken)


class _Finder:
    def __init__(self, manager: Any, files: dict[Any, Path], selects: SelectTable) -> None:
        self.found: list[tuple[MutatedPlace, MutantChange]] = []
        self._manager, self._files, self._selects = manager, files, selects
        self._texts = {path: path.read_bytes() for path in files.values()}
        self._fixed: set[str] = set()

    def walk(self, root: Any) -> None:
        """Find everything below a root."""
        self._fixed = called_by_elaboration(root)
        self._below(root, 0, block="", reset=False)

    def _below(self, node: Any, depth: int, *, block: str, reset: bool) -> None:
        kind = node.kind.name
        if kind in _STILL or (kind == "FunctionDeclaration" and _name(node) in self._fixed):
            return
        if kind == "InvocationExpression" and text_of(node).startswith("$"):
            return
        if kind in ("Declarator", "AssignmentExpression") and "unused" in _target(node, kind).lower():
            return
        block = kind if kind.startswith("Always") else block
        place = self._place(node, depth)
        if place is not None:
            for operator, text in self._changes(node, kind, block, reset):
                self.found.append((place, MutantChange(operator, text)))
            if kind in NAMES and node.parent.kind.name not in NAMES:
                self._read(node, place)
        self._statement(node, depth, block, reset=reset)
        if kind in ("AssignmentExpression", NONBLOCKING) and block:
            self._written(node.left, depth)
        if kind == "ConditionalStatement" and block in BLOCKS and not reset:
            self._branches(node, depth, block)
            return
        for child in _parts(node, kind):
            self._below(child, depth + 1, block=block, reset=reset)

    def _statement(self, node: Any, depth: int, block: str, *, reset: bool) -> None:
        """What becomes of a whole statement."""
        # The clocked block's own statement is around all others, and around itself.
        around = lambda whole: self._place(whole, -1)  # noqa: E731
        if (place := self._place(node, depth, statement=True)) is not None:
            for made in changed_statement(node, block, reset=reset, place=around):
                self.found.append((place, made))
        self.found += exchanged_arms(node, lambda label: self._place(label, depth + 1))

    def _read(self, name: Any, place: MutatedPlace) -> None:
        """Selects of what a name reads."""
        if is_connected(name):
            return
        data = self._texts[place.file]
        for select in selects_of(name):
            begin, end = select.sourceRange.start.offset, select.sourceRange.end.offset
            for other in self._selects.others(select):
                text = data[place.start : begin] + other.encode() + data[end : place.end]
                self.found.append((place, MutantChange("select", text.decode(errors="replace"))))

    def _written(self, target: Any, depth: int) -> None:
        """Selects of what is written, where the index is not known before: a chosen one may stand there."""
        for select in selects_of(target) if target.kind.name in (*NAMES, "ConcatenationExpression") else ():
            if self._selects.is_variable(select):
                place = self._place(select.selector.expr, depth + 1)
                if place is not None:
                    self.found.append((place, MutantChange("select", f"({place.text}) + 1", reached="1'b1")))

    def _branches(self, node: Any, depth: int, block: str) -> None:
        """The first branch of a clocked block's first condition is its reset, if the condition says so."""
        is_reset = any(word in text_of(node.predicate).lower() for word in ("rst", "reset"))
        self._below(node.predicate, depth + 1, block=block, reset=is_reset)
        self._below(node.statement, depth + 1, block=block, reset=is_reset)
        if node.elseClause is not None:
            self._below(node.elseClause, depth + 1, block=block, reset=False)

    def _changes(self, node: Any, kind: str, block: str, reset: bool) -> Iterator[tuple[str, str]]:
        parent = node.parent.kind.name if node.parent is not None else ""
        if kind.endswith("Expression"):
            for operator, text in changes(node):
                yield ("reset" if reset and operator == "constant" else operator), text
        if parent == "ConditionalPattern":
            yield from negated(node)
        if parent == "AssignmentExpression" and not block:
            yield from stuck(node)
        if parent == NONBLOCKING and reset:
            yield from wrong_reset(node)

    def _place(self, node: Any, depth: int, *, statement: bool = False) -> MutatedPlace | None:
        """Where it stands, if that is a piece of one of the files and not of a macro."""
        span = node.sourceRange
        if self._manager.isMacroLoc(span.start) or self._manager.isMacroLoc(span.end):
            return None
        path = self._files.get(span.start.buffer)
        if path is None or span.end.buffer != span.start.buffer or span.end.offset <= span.start.offset:
            return None
        text = self._texts[path][span.start.offset : span.end.offset].decode(errors="replace")
        if "`" in text:
            return None
        line, column = (get(span.start) for get in (self._manager.getLineNumber, self._manager.getColumnNumber))
        return MutatedPlace(path, span.start.offset, span.end.offset, line, column, text, depth, statement)


def _parts(node: Any, kind: str) -> Iterator[Any]:
    """What stands below a piece of syntax and works while the design runs."""
    if kind in _PARTS:
        for name in _PARTS[kind]:
            part = getattr(node, name)
            yield from filter(_is_node, part if isinstance(part, list) else (part,))
        return
    yield from _children(node)


def _children(node: Any) -> Iterator[Any]:
    return filter(_is_node, node)


def _is_node(child: Any) -> bool:
    """Not a word, as a comma is."""
    return hasattr(child, "sourceRange")


def _target(node: Any, kind: str) -> str:
    return text_of(node.name if kind == "Declarator" else node.left)


def _span(node: Any) -> tuple[str, int, int]:
    return node.kind.name, node.sourceRange.start.offset, node.sourceRange.end.offset


def _name(node: Any) -> str:
    return text_of(node.prototype.name)


def called_by_elaboration(root: Any) -> set[str]:
    """Names of the functions that parameters, dimensions and generate blocks call, and of those that these call."""
    calls: dict[str, set[str]] = {}
    fixed: set[str] = set()

    def visit(node: Any, holder: str, still: bool) -> None:
        kind = node.kind.name
        if kind == "FunctionDeclaration":
            holder, still = _name(node), False
        if kind == "InvocationExpression":
            called = text_of(node.left).rpartition("::")[2]
            calls.setdefault(holder, set()).add(called)
            if still:
                fixed.add(called)
        working = {_span(part) for part in _parts(node, kind)} if kind in _PARTS else None
        for child in _children(node):
            quiet = still or kind in _STILL or (working is not None and _span(child) not in working)
            visit(child, holder, quiet)

    visit(root, "", False)
    new = set(fixed)
    while new:
        new = {name for one in new for name in calls.get(one, ())} - fixed
        fixed |= new
    return fixed
