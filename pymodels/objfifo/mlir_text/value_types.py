# SPDX-License-Identifier: Apache-2.0
"""The types of values in text: constants fit theirs, operations name those of their operands, and blocks have an end.

A value whose type is not known here fits everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirBlock, MlirOp

Types = dict[str, str]
"""Types by the names of values, without spaces."""
_ENDS = ("aie.end", "aie.next_bd", "aie.dma_start", "func.return", "return")
_ENDED = (
    *("aie.core", "aie.mem", "aie.memtile_dma", "aie.shim_dma", "func.func"),
    *("aiex.dma_configure_task", "aiex.dma_configure_task_for"),
)
"""Each block of their region has an end."""
_INDEX_BITS = 64
_BUFFERS = ("aie.buffer", "aie.external_buffer")


def check_types(ops: Iterable[MlirOp], known: Types) -> None:
    """Every operation against the types of the values before it, which are added to those that are ``known``.

    Raises:
        MlirError: a number outside its type, a value of another type, or a block without an end.
    """
    for op in ops:
        _operands(op, known)
        result = _result(op)
        named = {a.text for a, b in pairwise(op.tokens) if a.kind == "ssa" and b.text == "="}
        for region in op.regions:
            _ended(op, region)
            given = named.union(*(block.arguments for block in region))
            inside = {name: kind for name, kind in known.items() if name not in given} | _arguments(op)
            for block in region:
                check_types(block.ops, inside)
        for name in op.results:
            known.pop(name, None)
            if result and len(op.results) == 1:
                known[name] = result


def _ended(op: MlirOp, region: Sequence[MlirBlock]) -> None:
    for block in region if op.name in _ENDED else ():
        if not block.ops and not block.label:
            continue
        last = block.ops[-1] if block.ops else op
        if last.name not in _ENDS and not last.name.startswith("cf."):
            last.fail(f"the end of {block.label or 'the block'} after {last.name}", "a terminator such as aie.end")


def _type_at(tokens: Sequence[Token], at: int) -> str:
    """The type that begins at a token."""
    found, depth = "", 0
    for token in tokens[at:]:
        if not depth and found and token.text != "<":
            break
        found += token.text
        depth += {"<": 1, ">": -1}.get(token.text, 0)
        if found.endswith(">") and not depth:
            break
    return found


def _types_after(op: MlirOp) -> list[str]:
    """The types after each colon outside brackets, and after ``to``."""
    depth, found = 0, []
    for at, token in enumerate(op.tokens[:-1]):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(token.text, 0)
        if not depth and token.text in (":", "to") and op.tokens[at + 1].kind == "word":
            found.append(_type_at(op.tokens, at + 1))
    return found


def _arguments(op: MlirOp) -> Types:
    """Arguments with their types, as of a sequence or a function; the index of a loop."""
    found = {a.text: _type_at(op.tokens, n + 2) for n, (a, b) in enumerate(pairwise(op.tokens))
             if a.kind == "ssa" and b.text == ":"}  # fmt: skip
    return found if op.regions and not op.name.startswith(("scf.", "affine.")) else {}


def _result(op: MlirOp) -> str:
    """The type of the results; empty where it is not known."""
    dialect, _, name = op.name.partition(".")
    types = _types_after(op)
    if op.name in _BUFFERS:
        return types[0] if types else ""
    if op.name == "memref.load" and types:
        return _element(types[-1])
    if dialect != "arith":
        return ""
    if name in ("cmpi", "cmpf"):
        return "i1" if types and types[-1] in _SCALARS else ""
    if name == "constant":
        return _constant(op, types)
    return types[-1] if types else ""


_SCALARS = ("i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64")


def _constant(op: MlirOp, types: list[str]) -> str:
    first = op.tokens[0] if op.tokens else op.token
    kind = types[-1] if types else ""
    whole = re.fullmatch(r"[us]?i(\d+)|index", kind)
    if first.kind == "number" and whole and re.fullmatch(r"-?(\d+|0x[0-9a-fA-F]+)", first.text):
        bits = int(whole[1] or _INDEX_BITS)
        least, most = -(1 << bits - 1), (1 << bits) - 1
        if not least <= int(first.text, 0) <= most:
            op.fail(f"the constant {first.text} : {kind}", f"{least} to {most}")
    return kind


def _element(kind: str) -> str:
    found = re.fullmatch(r"memref<(?:\d+x)*(\w+?)(?:,.*)?>", kind)
    return found[1] if found else ""


def _operands(op: MlirOp, known: Types) -> None:
    """The types that an operation names for its operands."""
    dialect, _, name = op.name.partition(".")
    types, used = _types_after(op), op.operands
    if dialect == "arith" and types and name != "constant":
        for value in used[1:] if name == "select" else used:
            _same(op, known, value, types[0] if name != "select" else types[-1])
    elif op.name == "memref.load" and types:
        _same(op, known, used[0], types[-1])
    elif op.name == "memref.store" and types:
        _same(op, known, used[1], types[-1])
        _same(op, known, used[0], _element(types[-1]))
    elif op.name == "aie.dma_bd" and len(op.tokens) > 3 and op.tokens[2].text == ":":
        _same(op, known, used[0], _type_at(op.tokens, 3))
    elif op.name == "aiex.npu.dma_memcpy_nd" and types:
        _same(op, known, used[0], types[-1])


def _same(op: MlirOp, known: Types, value: str, named: str) -> None:
    own = known.get(value)
    if own and named and own.partition(",")[0].rstrip(">") != named.partition(",")[0].rstrip(">"):
        op.fail(f"{value} as {named}", f"its type {own}")
