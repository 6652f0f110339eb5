# SPDX-License-Identifier: Apache-2.0
"""The operands of an operation against the types that it names, and these against what the operation needs.

A value whose type is not known fits everywhere, and so does a type of another sort than numbers, such as a vector.
"""

from __future__ import annotations

from collections.abc import Sequence

from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp
from goldbeat.pymodels.objfifo.mlir_text.type_names import (
    element,
    inner_type,
    rank,
    sort,
    type_at,
    type_bits,
    typed,
    types_after,
    types_listed,
)

Types = dict[str, str]
"""Types by the names of values, without spaces."""
_WHOLE = ("integer", "index")
_FLOAT = ("float",)
_PAIRS = {
    **dict.fromkeys(("addi", "subi", "muli", "divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui",
                     "andi", "ori", "xori", "shli", "shrsi", "shrui", "maxsi", "maxui", "minsi", "minui", "cmpi"), _WHOLE),
    **dict.fromkeys(("addf", "subf", "mulf", "divf", "remf", "maximumf", "minimumf", "maxnumf", "minnumf", "cmpf"), _FLOAT),
}  # fmt: skip
"""Operations with two operands, and the sorts of their type."""
_CASTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], int]] = {
    "extsi": (("integer",), ("integer",), 1), "extui": (("integer",), ("integer",), 1),
    "trunci": (("integer",), ("integer",), -1), "extf": (_FLOAT, _FLOAT, 1), "truncf": (_FLOAT, _FLOAT, -1),
    "sitofp": (("integer",), _FLOAT, 0), "uitofp": (("integer",), _FLOAT, 0),
    "fptosi": (_FLOAT, ("integer",), 0), "fptoui": (_FLOAT, ("integer",), 0),
}  # fmt: skip
"""Casts: the sorts that they take and give, and whether the result is wider (1) or narrower (-1)."""
_CONDITIONS = ("scf.if", "scf.condition", "cf.cond_br")


def check_operands(op: MlirOp, known: Types) -> None:
    """An operation against the types of the values before it.

    Raises:
        MlirError: a value of another type than is named or needed, or a number of operands or indices that does not fit.
    """
    dialect, _, name = op.name.partition(".")
    types, used = types_after(op), op.operands
    if dialect == "arith":
        _arith(op, name, known)
    elif op.name in ("memref.load", "memref.store") and types:
        _access(op, used, types[-1], known)
    elif op.name == "aie.dma_bd" and len(op.tokens) > 3 and op.tokens[2].text == ":":
        check_same(op, known, used[0], type_at(op.tokens, 3))
    elif op.name == "aie.objectfifo.acquire" and op.symbols:
        check_same(op, known, f"@{op.symbols[0]}", inner_type(typed(op)))
    elif op.name == "aie.objectfifo.subview.access" and used:
        check_same(op, known, used[0], typed(op))
        for result in types_listed(op, "->"):
            _alike(op, "an object", inner_type(typed(op)), result)
    elif op.name == "aiex.npu.dma_memcpy_nd" and types and used:
        check_same(op, known, used[0], types[-1])
    elif op.name in _CONDITIONS and used:
        _is(op, known, used[0], "i1", "a condition")
    elif op.name == "scf.for":
        _loop(op, used, known)
    elif op.name in ("func.call", "call"):
        for value, kind in zip(used, types_listed(op, ":"), strict=False):
            check_same(op, known, value, kind)


def check_same(op: MlirOp, known: Types, value: str, named: str) -> None:
    """Refuse a value of another type than the operation names; layouts are not compared.

    Args:
        op: the operation.
        known: the types of values.
        value: the name of one.
        named: the type that the operation names for it.

    Raises:
        MlirError: the types differ.
    """
    _alike(op, value, known.get(value, ""), named)


def _alike(op: MlirOp, value: str, own: str, named: str) -> None:
    if own and named and own.partition(",")[0].rstrip(">") != named.partition(",")[0].rstrip(">"):
        op.fail(f"{value} as {named}", f"its type {own}")


def _is(op: MlirOp, known: Types, value: str, needed: str, what: str) -> None:
    own = known.get(value, needed)
    if own != needed and sort(own):
        op.fail(f"{value} of type {own} as {what}", f"a value of type {needed}")


def _count(op: MlirOp, used: Sequence[str], count: int) -> None:
    if len(used) < count:
        op.fail(f"{len(used)} operands of {op.name}", f"{count}")


def _arith(op: MlirOp, name: str, known: Types) -> None:
    types, used = types_after(op), op.operands
    if name == "constant" or any(t.text == "->" for t in op.tokens):  # the generic form
        return
    if not types and (name in _PAIRS or name in _CASTS or name in ("select", "negf", "index_cast", "index_castui")):
        op.fail(f"{op.name} without a type", "a type such as : i32")
    if name in _PAIRS:
        _count(op, used, 2)
        _sorted(op, types[0], _PAIRS[name])
    elif name in ("index_cast", "index_castui") or name in _CASTS:
        _count(op, used, 1)
        _cast(op, name, types)
    elif name == "negf":
        _sorted(op, types[0], _FLOAT)
    if name == "select":
        _count(op, used, 3)
        if sort(types[-1]):
            _is(op, known, used[0], "i1", "a condition")
            for value in used[1:]:
                check_same(op, known, value, types[-1])
        return
    for value in used if types else ():
        check_same(op, known, value, types[0])


def _sorted(op: MlirOp, kind: str, sorts: Sequence[str]) -> None:
    if sort(kind) and sort(kind) not in sorts:
        op.fail(f"{op.name} of {kind}", f"a type of the sort {' or '.join(sorts)}")


def _cast(op: MlirOp, name: str, types: Sequence[str]) -> None:
    if len(types) < 2:
        op.fail(f"{op.name} without two types", "types such as : i32 to i64")
    source, result = types[0], types[-1]
    if not (sort(source) and sort(result)):
        return
    if name not in _CASTS:
        if {sort(source), sort(result)} != {"index", "integer"}:
            op.fail(f"{op.name} from {source} to {result}", "index on one side, an integer on the other")
        return
    takes, gives, wider = _CASTS[name]
    _sorted(op, source, takes)
    _sorted(op, result, gives)
    if wider and (type_bits(result) - type_bits(source)) * wider <= 0:
        op.fail(f"{op.name} from {source} to {result}", f"a {'wider' if wider > 0 else 'narrower'} type than {source}")


def _access(op: MlirOp, used: Sequence[str], kind: str, known: Types) -> None:
    store = op.name == "memref.store"
    _count(op, used, 1 + store)
    check_same(op, known, used[int(store)], kind)
    if store:
        check_same(op, known, used[0], element(kind))
    texts = [t.text for t in op.tokens]
    if "[" not in texts or "]" not in texts:
        op.fail(f"{op.name} without indices", "indices such as [%i]")
    inside = op.tokens[texts.index("[") + 1 : texts.index("]")]
    found = 1 + sum(t.text == "," for t in inside) if inside else 0
    if rank(kind) not in (None, found):
        op.fail(f"{found} indices of {kind}", f"{rank(kind)}")
    for token in inside:
        if token.kind == "ssa":
            _is(op, known, token.text, "index", "an index")


def loop_type(op: MlirOp) -> str:
    """The type of the index and bounds of ``scf.for``."""
    return (types_after(op) or ["index"])[-1]


def _loop(op: MlirOp, used: Sequence[str], known: Types) -> None:
    _count(op, used, 4)
    for value in used[1:4]:
        _is(op, known, value, loop_type(op), "a bound or step")
    for value, kind in zip(used[5::2], types_listed(op, "->"), strict=False):
        check_same(op, known, value, kind)
