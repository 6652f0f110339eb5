# SPDX-License-Identifier: Apache-2.0
"""A file of MLIR text: its operations, every value of which is defined before it is used. Every command begins here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from goldbeat.pymodels.errors import InputError
from goldbeat.pymodels.objfifo.mlir_text.lexer import MlirError, Token, TokenCursor
from goldbeat.pymodels.objfifo.mlir_text.region_results import FUNCTIONS, check_signatures
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp, MlirTree
from goldbeat.pymodels.objfifo.mlir_text.value_types import check_types

SEQUENCES = ("aie.runtime_sequence", "aiex.runtime_sequence")
_ARGUMENTS = (*FUNCTIONS, *SEQUENCES)
"""What is before a colon behind their names is an argument of their region."""
_ROWS = ("scf.parallel", "scf.forall", "affine.parallel")
"""Their first list is the indices of their region."""

_ISOLATED = ("module", "builtin.module", "aie.device", *FUNCTIONS)
"""Their regions see no values from outside."""


def read_operations(path: Path) -> list[MlirOp]:
    """The operations of a file, in order: devices whole, what is around them without its regions.

    Raises:
        InputError: no file, another encoding than UTF-8 with the byte, or text that is not understood with line and column.
    """
    if not path.is_file():
        raise InputError("no file", "MLIR text", file=path)
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        more = " (UTF-16?)" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        found = f"the byte {raw[error.start]:#04x}, which is no UTF-8{more}"
        raise InputError(found, "MLIR text in UTF-8", file=path, offset=error.start) from None
    at = raw.find(b"\0")
    if at >= 0:
        raise InputError("a zero byte (UTF-16?)", "MLIR text in UTF-8", file=path, offset=at)
    try:
        return parsed(text.removeprefix("\ufeff"), path)
    except RecursionError:
        raise InputError("brackets and regions that are nested too deep", "fewer levels", file=path) from None


def parsed(text: str, file: Path | None = None) -> list[MlirOp]:
    """The operations of a text, as of :func:`read_operations`."""
    ops = MlirTree(TokenCursor(text, file)).top()
    _check(ops, set(), [])
    _check_once(ops, {})
    check_types(ops, {})
    _check_calls(ops)
    check_signatures(ops, {})
    return [*_flat(ops)]


def _flat(ops: Iterable[MlirOp]) -> Iterator[MlirOp]:
    for op in ops:
        yield op
        if op.name != "aie.device":
            yield from _flat(op.ops)


def device_in_text(ops: Sequence[MlirOp], path: Path | None, name: str | None = None) -> MlirOp:
    """The device by its name, else the first one with a runtime sequence, else the first one.

    Raises:
        InputError: there is none.
    """
    found = [op for op in ops if op.name == "aie.device" and (name is None or name in op.symbols)]
    chosen = next((d for d in found if any(o.name in SEQUENCES for o in d.ops)), found[0] if found else None)
    if chosen is None:
        raise InputError("no aie.device" + (f" @{name}" if name else ""), "one", file=path)
    return chosen


# -- values and blocks ----------------------------------------------------------------------------------------------------


def _check(ops: Sequence[MlirOp], known: set[str], labels: Sequence[str]) -> None:
    """Every value that is used is there, and every block."""
    for op in ops:
        inner = set(_defined_inside(op))
        for token in op.tokens:
            if token.kind == "ssa" and token.text not in known and token.text not in inner:
                _missing(op, token, "a value that is defined before")
            if token.kind == "block" and token.text not in labels and not any(_labels(r) for r in op.regions):
                _missing(op, token, "a block of the region")
        for region in op.regions:
            _check_region(region, known | inner)
        known.update(op.results)


def _check_region(region: Sequence[MlirBlock], known: set[str]) -> None:
    labels = _labels(region)
    for block, others in zip(region, _before(region), strict=True):
        made = {name for other in others for op in other.ops for name in op.results}
        given = {name for other in (block, *others) for name in other.arguments}
        _check(block.ops, known | made | given, labels)


def _before(region: Sequence[MlirBlock]) -> list[list[MlirBlock]]:
    """For each block the others that every way to it passes; all others of a block to which no way leads."""
    numbers = {block.label: n for n, block in enumerate(region)}
    ways = [{numbers[t.text] for op in block.ops for t in op.tokens if t.text in numbers and t.kind == "block"}
            for block in region]  # fmt: skip
    passed = [{0}, *({*range(len(region))} for _ in region[1:])]
    changed = True
    while changed:
        changed = False
        for number in range(1, len(region)):
            into = [passed[n] for n in range(len(region)) if number in ways[n]]
            now = {number}.union(set.intersection(*into) if into else range(len(region)))
            changed |= now != passed[number]
            passed[number] = now
    return [[region[n] for n in sorted(found - {number})] for number, found in enumerate(passed)]


def _check_once(ops: Sequence[MlirOp], known: dict[str, MlirOp]) -> None:
    """No value is defined a second time where the first one is seen; ``known``: what defines them."""
    for op in ops:
        inner = set(_defined_inside(op))
        for number, region in enumerate(op.regions):
            scope = {} if op.name in _ISOLATED else dict(known)
            for name in sorted(inner) if number == 0 else ():
                _once(op, name, scope)
            for block in region:
                for name in block.arguments:
                    _once(op, name, scope)
            for block in region:
                _check_once(block.ops, scope)
        for name in op.results:
            _once(op, name, known)


def _check_calls(ops: Sequence[MlirOp]) -> None:
    """Every function that is called is declared, before or after the call."""
    everything = [one for op in ops for one in (op, *op.everything)]
    declared = {name for op in everything if op.name in FUNCTIONS for name in op.symbols[:1]}
    for op in everything:
        for name in op.symbols[:1] if op.name in ("func.call", "call") else ():
            if name not in declared:
                op.fail(f"a call of @{name}, which is not declared", "a function of the text: func.func")


def _once(op: MlirOp, name: str, known: dict[str, MlirOp]) -> None:
    name = name.partition("#")[0]
    first = known.setdefault(name, op)
    if first is not op:
        op.fail(f"{name} a second time", f"a new name: the first is in line {first.token.line}")


def _labels(region: Sequence[MlirBlock]) -> list[str]:
    return [block.label for block in region if block.label]


def _defined_inside(op: MlirOp) -> Iterator[str]:
    """Values of its regions that an operation names itself: arguments, indices, carried values."""
    tokens = op.tokens
    for token, after in pairwise(tokens):
        if token.kind == "ssa" and (after.text == "=" or (op.name in _ARGUMENTS and after.text == ":")):
            yield token.text
    if op.name in _ROWS:
        end = next((n for n, t in enumerate(tokens) if t.text == ")"), 0)
        yield from (t.text for t in tokens[:end] if t.kind == "ssa")


def _missing(op: MlirOp, token: Token, expected: str) -> None:
    raise MlirError(repr(token.text), expected, file=op.file, line=token.line, column=token.column)
