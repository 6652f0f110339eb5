# SPDX-License-Identifier: Apache-2.0
"""Types and attributes of MLIR text as Python values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from goldbeat.pymodels.objfifo.mlir_text.lexer import Token, TokenCursor
from goldbeat.pymodels.objfifo.plan.object_type import ObjectType

_KINDS = {"i8": "i1", "ui8": "u1", "si8": "i1", "i16": "i2", "ui16": "u2", "si16": "i2", "i32": "i4", "ui32": "u4",
          "si32": "i4", "i64": "i8", "ui64": "u8", "f16": "f2", "bf16": "u2", "f32": "f4", "f64": "f8"}  # fmt: skip
MOST = 1 << 28
"""Elements of an array, or of a walk."""
DIMS = ("size", "stride")
"""Of a dimension."""
Pairs = tuple[tuple[int, int], ...]


def read_memref(cursor: TokenCursor) -> ObjectType:
    """``memref<16x8xi32>`` (or ``tensor``, ``vector``): shape and element type."""
    first = cursor.kind("word", "a type such as memref<16xi32>")
    if first.text not in ("memref", "tensor", "vector"):
        cursor.fail("a type such as memref<16xi32>", first)
    if cursor.now.text != "<":
        cursor.fail("'<'")
    text = "".join(t.text for t in cursor.balanced()).partition(",")[0]
    *sizes, kind = text.split("x")
    if kind not in _KINDS or not all(s.isdecimal() and int(s) > 0 for s in sizes) or not sizes:
        cursor.fail("sizes and one of " + ", ".join(_KINDS) + ", as in memref<16xi32>", first, repr(f"memref<{text}>"))
    shape = tuple(int(s) for s in sizes)
    if math.prod(shape) > MOST:
        cursor.fail(f"at most {MOST} elements", first, f"memref<{text}>")
    return ObjectType(shape, np.dtype(_KINDS[kind]), bits=kind == "bf16")


def skip_type(cursor: TokenCursor) -> None:
    """Any type."""
    cursor.take()
    while cursor.now.text in ("<", "("):
        cursor.balanced()


def attributes(cursor: TokenCursor) -> dict[str, Any]:
    """``{name = value, flag}`` if there is one: integers, strings, lists, True for flags, tokens of what is between < and >."""
    found: dict[str, Any] = {}
    if not cursor.accept("{"):
        return found
    while not cursor.accept("}"):
        name = cursor.take()
        if name.kind not in ("word", "string"):
            cursor.fail("the name of an attribute", name)
        found[name.text.strip('"')] = attribute(cursor) if cursor.accept("=") else True
        if not cursor.accept(",") and cursor.now.text != "}":
            cursor.fail("',' or '}'")
    return found


def attribute(cursor: TokenCursor) -> Any:
    """One value."""
    token = cursor.now
    if token.kind == "number":
        cursor.take()
        _typed(cursor)
        return int(token.text, 0) if "." not in token.text else float(token.text)
    if token.kind == "string":
        return cursor.take().text[1:-1]
    if token.kind == "symbol":
        return cursor.symbol()
    if token.text == "[":
        return _list(cursor)
    if token.text == "<":
        return cursor.balanced()
    if token.text == "dense":
        return dense(cursor)
    if token.text in ("true", "false"):
        return cursor.take().text == "true"
    if token.kind in ("hash", "word"):
        cursor.take()
        return cursor.balanced() if cursor.now.text == "<" else token.text
    if token.text == "{":
        return attributes(cursor)
    return cursor.fail("the value of an attribute")


def _typed(cursor: TokenCursor) -> None:
    if cursor.accept(":"):
        skip_type(cursor)


def _list(cursor: TokenCursor) -> list[Any]:
    cursor.expect("[")
    found = []
    while not cursor.accept("]"):
        found.append(attribute(cursor))
        if not cursor.accept(",") and cursor.now.text != "]":
            cursor.fail("',' or ']'")
    return found


def dense(cursor: TokenCursor, obj: ObjectType | None = None) -> npt.NDArray[Any]:
    """``dense<[1, 2]> : memref<2xi32>``; without a type it is ``obj``'s."""
    first = cursor.expect("dense")
    if cursor.now.text != "<":
        cursor.fail("'<'")
    inner = cursor.balanced()
    if cursor.accept(":"):
        named = read_memref(cursor)
        if obj is not None and named != obj:
            cursor.fail(f"the type of what it fills: {obj}", first, f"elements of {named}")
        obj = named
    if obj is None:
        cursor.fail("a type after dense<...>", first)
    if len(inner) == 1 and inner[0].kind == "string":
        try:
            data = bytes.fromhex(inner[0].text.strip('"').removeprefix("0x"))
            found: npt.NDArray[Any] = np.frombuffer(data, obj.dtype)
        except ValueError:
            cursor.fail("hexadecimal bytes of the elements", inner[0])
    else:
        names = {"true": 1, "false": 0}
        kept = [t for t in inner if t.kind == "number" or t.text in names]
        values = [names[t.text] if t.text in names else _number(t.text) for t in kept]
        bits = 8 * obj.dtype.itemsize
        for value, token in zip(values, kept, strict=True) if obj.dtype.kind != "f" and not obj.bfloat else ():
            if isinstance(value, float) or not -(1 << bits - 1) <= value < 1 << bits:
                cursor.fail(f"a whole number of {bits} bits", token)
        if not values:
            cursor.fail("numbers, or hexadecimal bytes of the elements", first)
        found = _elements(values, obj)
    if found.size == 1:
        found = np.full(obj.elements, found[0], obj.dtype)
    if found.size != obj.elements:
        cursor.fail(f"{obj.elements} of {obj}", first, f"{found.size} elements")
    return found.reshape(obj.shape)


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text, 0)


def _elements(values: list[int | float], obj: ObjectType) -> npt.NDArray[Any]:
    """Numbers as elements: whole ones modulo their width, those of bfloat16 as bits."""
    if obj.bfloat:
        return np.array([bf16_bits(value) for value in values], np.uint16)
    if obj.dtype.kind == "f":
        return np.array(values, np.float64).astype(obj.dtype)
    mask = (1 << 8 * obj.dtype.itemsize) - 1
    return np.array([int(value) & mask for value in values], np.uint64).astype(obj.dtype)


def bf16_bits(value: float) -> int:
    """A number as bfloat16, to the nearest, ties to even."""
    word = int(np.array([value], np.float32).view(np.uint32)[0])
    if word & 0x7FFFFFFF > 0x7F800000:
        return word >> 16 | 0x40
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


def named_numbers(cursor: TokenCursor, tokens: list[Token], *names: str) -> Pairs:
    """Every ``<a = 1, b = 2>`` among tokens, as pairs in the order of the two ``names``."""
    found: list[tuple[int, int]] = []
    at = 0
    text = [t.text for t in tokens]
    while at < len(text):
        if text[at] == names[0]:
            row = []
            for name in names:
                if text[at : at + 2] != [name, "="] or at + 2 >= len(text) or tokens[at + 2].kind != "number":
                    cursor.fail(f"{name} = and a number", tokens[min(at, len(tokens) - 1)])
                if not text[at + 2].isdecimal():
                    cursor.fail("a whole number from 0 on", tokens[at + 2], f"{name} = {text[at + 2]}")
                row.append(int(text[at + 2]))
                at += 4
            found.append((row[0], row[1]))
        elif tokens[at].kind == "number":
            cursor.fail(f"{names[0]} = and a number", tokens[at])
        else:
            at += 1
    return tuple(found)
