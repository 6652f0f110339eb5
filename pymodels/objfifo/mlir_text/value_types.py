# SPDX-License-Identifier: Apache-2.0
"""The types of values in text: constants fit theirs, operations name those of their operands, and blocks have an end.

A value whose type is not known here fits everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from goldbeat.pymodels.objfifo.mlir_text.attribute_names import check_attribute_names
from goldbeat.pymodels.objfifo.mlir_text.operand_types import Types, check_operands, loop_type
from goldbeat.pymodels.objfifo.mlir_text.region_results import (
    argument_types,
    check_region,
    check_results,
    listed_types,
)
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp
from goldbeat.pymodels.objfifo.mlir_text.type_names import (
    element,
    inner_type,
    sort,
    typed,
    types_after,
    types_listed,
)

_ENDS = ("aie.end", "aie.next_bd", "aie.dma_start", "func.return", "return")
_ENDED = (
    *("aie.core", "aie.mem", "aie.memtile_dma", "aie.shim_dma", "func.func"),
    *("aiex.dma_configure_task", "aiex.dma_configure_task_for"),
)
"""Each block of their region has an end."""
_INDEX_BITS = 64
_FIRST = ("aie.buffer", "aie.external_buffer", "memref.alloc", "memref.alloca", "memref.get_global")
"""Their result has the first type that they name."""
_LISTED = (
    "scf.for",
    "scf.if",
    "scf.while",
    "affine.for",
    "affine.if",
    "func.call",
    "call",
    "aie.objectfifo.subview.access",
)
"""They name the types of their results behind an arrow."""


def check_types(ops: Iterable[MlirOp], known: Types) -> None:
    """Every operation against the types of the values before it, which are added to those that are ``known``.

    Raises:
        MlirError: a number outside its type, a value of another type, or a block without an end.
    """
    ops = [*ops]
    fifos = (op for op in ops if op.name == "aie.objectfifo" and op.symbols)
    known |= {f"@{op.symbols[0]}": inner_type(typed(op)) for op in fifos}
    for op in ops:
        check_attribute_names(op)
        _attributes(op)
        check_operands(op, known)
        results = _results(op)
        named = {a.text for a, b in pairwise(op.tokens) if a.kind == "ssa" and b.text == "="}
        check_results(op, known)
        for number, region in enumerate(op.regions):
            _ended(op, region)
            given = named.union(*(block.arguments for block in region))
            inside = {name: kind for name, kind in known.items() if name not in given} | _arguments(op)
            for block in region:
                inside |= argument_types(block.tokens)
            for block in region:
                check_types(block.ops, inside)
            check_region(op, number, region, inside)
        for number, name in enumerate(op.results):
            known.pop(name, None)
            if len(results) == len(op.results) and results[number]:
                known[name] = results[number]


def _ended(op: MlirOp, region: Sequence[MlirBlock]) -> None:
    for block in region if op.name in _ENDED else ():
        if not block.ops and not block.label:
            continue
        last = block.ops[-1] if block.ops else op
        if last.name == "aie.next_bd" and not any(one.name == "aie.dma_bd" for one in block.ops):
            last.fail(f"{last.name} in {block.label or 'a block'} without a descriptor", "aie.dma_bd before it")
        if last.name not in _ENDS and not last.name.startswith("cf."):
            last.fail(f"the end of {block.label or 'the block'} after {last.name}", "a terminator such as aie.end")


def _arguments(op: MlirOp) -> Types:
    """Arguments with their types, as of a sequence or a function; the index and the carried values of a loop."""
    if op.name in ("scf.for", "affine.for"):
        index = op.operands[:1]
        carried = zip(op.operands[4::2], types_listed(op, "->"), strict=False) if op.name == "scf.for" else ()
        return {**dict.fromkeys(index, loop_type(op) if op.name == "scf.for" else "index"), **dict(carried)}
    found = argument_types(op.tokens)
    if op.name == "scf.while":
        return dict(zip(op.operands[::2], types_listed(op, ":"), strict=False))
    return found if op.regions and not op.name.startswith(("scf.", "affine.")) else {}


def _results(op: MlirOp) -> list[str]:
    """The types of the results; empty where they are not known."""
    dialect, _, name = op.name.partition(".")
    types = types_after(op)
    if op.name in _LISTED:
        return types_listed(op, "->")
    if op.name in _FIRST:
        return types[:1]
    if op.name == "aie.objectfifo.acquire":
        return [typed(op)]
    if op.name == "memref.load" and types:
        return [element(types[-1])]
    if dialect == "memref" and len(types) > 1:
        return types[-1:]
    if dialect != "arith":
        return []
    if name == "select":
        return listed_types(op, ":")[-1:]
    if name in ("cmpi", "cmpf"):
        return ["i1"] if types and sort(types[-1]) else []
    if name == "constant":
        return [_constant(op, types)]
    return types[-1:]


def _constant(op: MlirOp, types: list[str]) -> str:
    first = op.tokens[0] if op.tokens else op.token
    if first.text in ("true", "false"):
        return "i1"
    kind = types[-1] if types else ""
    if first.kind != "number" or not sort(kind):
        return kind
    whole = re.fullmatch(r"-?(\d+|0x[0-9a-fA-F]+)", first.text)
    if sort(kind) == "float":
        if whole and not first.text.startswith("0x"):
            op.fail(f"the constant {first.text} : {kind}", f"a number with a point, as {first.text}.0")
    elif whole:
        _fits(op, "the constant", int(first.text, 0), kind)
    else:
        op.fail(f"the constant {first.text} : {kind}", f"a whole number for {kind}")
    return kind


def _attributes(op: MlirOp) -> None:
    """Numbers of attributes fit the types that they name; a lock begins with an ``i32``."""
    for name, kind in op.kinds.items():
        value = op.attributes[name]
        if op.name == "aie.lock" and name == "init" and kind != "i32":
            op.fail(f"init = {value} : {kind}", "an initial value of type i32")
        if isinstance(value, int) and sort(kind) in ("integer", "index"):
            _fits(op, f"{name} =", value, kind)


def _fits(op: MlirOp, what: str, value: int, kind: str) -> None:
    width = _INDEX_BITS if kind == "index" else int(kind.lstrip("usi"))
    least, most = -(1 << width - 1), (1 << width) - 1
    if not least <= value <= most:
        op.fail(f"{what} {value} : {kind}", f"{least} to {most}")
