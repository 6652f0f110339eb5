# SPDX-License-Identifier: Apache-2.0
"""The types that an operation names, as text without spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token
from goldbeat.pymodels.objfifo.mlir_text.tree import MlirOp

DEPTH = {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}
"""What brackets add to the depth."""
_BEFORE = (":", "to", "into")
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
"""Bits of floating point types."""


def type_at(tokens: Sequence[Token], at: int) -> str:
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


def typed(op: MlirOp) -> str:
    """The type after the first colon outside brackets; empty without one."""
    depth = 0
    for at, token in enumerate(op.tokens[:-1]):
        depth += DEPTH.get(token.text, 0)
        if not depth and token.text == ":":
            return type_at(op.tokens, at + 1)
    return ""


def inner_type(kind: str) -> str:
    """The type of the objects of a fifo or of a window on it; another type as it is."""
    return kind.partition("<")[2][:-1] if kind.lower().startswith("!aie.objectfifo") else kind


def types_after(op: MlirOp) -> list[str]:
    """The types after each colon outside brackets, and after ``to`` and ``into``."""
    depth, found = 0, []
    for at, token in enumerate(op.tokens[:-1]):
        depth += DEPTH.get(token.text, 0)
        if not depth and token.text in _BEFORE and op.tokens[at + 1].kind == "word":
            found.append(type_at(op.tokens, at + 1))
    return found


def types_listed(op: MlirOp, mark: str) -> list[str]:
    """The types in brackets behind ``->`` or a colon outside brackets, or the one without them."""
    depth = 0
    for at, token in enumerate(op.tokens[:-1]):
        depth += DEPTH.get(token.text, 0)
        if depth or token.text != mark:
            continue
        if op.tokens[at + 1].text != "(":
            return [type_at(op.tokens, at + 1)] if mark == "->" else []
        found, inner = [""], 0
        for one in op.tokens[at + 2 :]:
            if not inner and one.text == ")":
                break
            inner += DEPTH.get(one.text, 0)
            if not inner and one.text == ",":
                found.append("")
            else:
                found[-1] += one.text
        return [kind for kind in found if kind]
    return []


def element(kind: str) -> str:
    """The element type of a memref; empty of another type."""
    found = re.fullmatch(r"memref<(?:\d+x)*(\w+?)(?:,.*)?>", kind)
    return found[1] if found else ""


def rank(kind: str) -> int | None:
    """The number of sizes of a memref; None of another type."""
    found = re.match(r"memref<((?:[\d?]+x)*)", kind)
    return found[1].count("x") if found else None


def sort(kind: str) -> str:
    """``index``, ``integer`` or ``float``; empty of a type of another sort."""
    if kind == "index":
        return kind
    return "integer" if re.fullmatch(r"[us]?i\d+", kind) else "float" if kind in FLOATS else ""


def type_bits(kind: str) -> int:
    """Width of an integer or of a floating point type."""
    return FLOATS[kind] if kind in FLOATS else int(kind.lstrip("usi"))
